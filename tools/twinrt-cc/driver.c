/* SPDX-License-Identifier: Apache-2.0 */
#include "driver.h"

#include <stdio.h>
#include <string.h>

#include "ascend.h"
#include "build.h"
#include "process.h"
#include "say.h"
#include "vendor_options.h"

enum language { LANGUAGE_BY_NAME, LANGUAGE_ASCEND, LANGUAGE_HOST };

/* What a command asks for. With several options it is the one that comes last here. */
enum product {
    PRODUCT_PROGRAM,
    PRODUCT_LIBRARY, /* -shared */
    PRODUCT_OBJECT,  /* -c */
    PRODUCT_ARCHIVE, /* -lib */
    PRODUCT_TEXT     /* -E, -S and their like: the host's compiler alone */
};

struct drive {
    const char *self, *prefix, *folder;
    struct cc_build build;         /* for the name of clang and the prefix */
    struct cc_list kernels;        /* sources with kernels */
    struct cc_list kernel_options; /* for them */
    struct cc_list host;           /* the command for the rest, with its sources and objects */
    size_t host_inputs;
    const char *output, *input; /* `input`: the last source */
    enum product product;
    enum cc_passes passes;
    enum cc_side side;           /* of the options that come next */
    const char *dependency_file; /* -MF */
    bool dependencies;           /* -MD */
    bool kernels_only, verbose, reads_c;
};

static bool begins(const char *word, const char *start)
{
    return strncmp(word, start, strlen(start)) == 0;
}

bool cc_is_driver(const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    return strcmp(name, "bisheng") == 0 || strcmp(name, "ccec") == 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_kernels(const char *name, enum language language)
{
    if (cc_ends_with(name, ".o") || cc_ends_with(name, ".a") || cc_ends_with(name, ".so"))
        return false;
    return language == LANGUAGE_ASCEND ||
           (language == LANGUAGE_BY_NAME &&
            (cc_ends_with(name, ".asc") || cc_ends_with(name, ".cce")));
}

/* Returns 1, or -1 with a message. */
static int take_file(struct drive *drive, const char *word, enum language language)
{
    drive->input = word;
    if (is_kernels(word, language)) {
        if (strcmp(word, "-") == 0)
            return cc_error("-: kernels are not read from the standard input; give a file");
        cc_add(&drive->kernels, word);
        return 1;
    }
    /* clang++ takes C for C++. */
    const bool is_c = language == LANGUAGE_BY_NAME && cc_ends_with(word, ".c");
    if (is_c != drive->reads_c)
        cc_add(&drive->host, is_c ? "-xc" : "-xnone");
    drive->reads_c = is_c;
    cc_add(&drive->host, word);
    drive->host_inputs++;
    return 1;
}

/* The value of -x, of which the host's compiler does not know that of the device. */
static enum language take_language(struct drive *drive, const char *value)
{
    if (strcmp(value, "asc") == 0 || strcmp(value, "cce") == 0)
        return LANGUAGE_ASCEND;
    cc_add_made(&drive->host, "-x%s", value);
    drive->reads_c = false;
    return strcmp(value, "none") == 0 ? LANGUAGE_BY_NAME : LANGUAGE_HOST;
}

static bool take_product(struct drive *drive, const char *word)
{
    static const struct {
        const char *word;
        enum product product;
        bool passed; /* to the host's compiler */
    } forms[] = {
        {"-c", PRODUCT_OBJECT, true},
        {"-shared", PRODUCT_LIBRARY, true},
        {"--shared", PRODUCT_LIBRARY, true},
        {"-lib", PRODUCT_ARCHIVE, false},
        {"--cce-build-static-lib", PRODUCT_ARCHIVE, false},
        {"-E", PRODUCT_TEXT, true},
        {"-S", PRODUCT_TEXT, true},
        {"-M", PRODUCT_TEXT, true},
        {"-MM", PRODUCT_TEXT, true},
        {"-fsyntax-only", PRODUCT_TEXT, true},
        {"--version", PRODUCT_TEXT, true},
        {"-dumpversion", PRODUCT_TEXT, true},
        {"-dumpmachine", PRODUCT_TEXT, true},
        {"--help", PRODUCT_TEXT, true},
        {"-###", PRODUCT_TEXT, true},
        {"-print-", PRODUCT_TEXT, true},
        {"--print-", PRODUCT_TEXT, true},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (cc_ends_with(forms[i].word, "print-") ? begins(word, forms[i].word)
                                                  : strcmp(word, forms[i].word) == 0) {
            if (forms[i].product > drive->product)
                drive->product = forms[i].product;
            if (forms[i].passed)
                cc_add(&drive->host, word);
            return true;
        }
    return false;
}

/* An option for the host and, if it is one for compiling, for kernels. Returns how many words it
 * has. */
static int take_option(struct drive *drive, const char *word, const char *next)
{
    static const char *const valued[] = {"-include", "-isystem", "-iquote", "-idirafter",
                                         "-D",       "-I",       "-U",      "-MF"};
    static const char *const joined[] = {"-O", "-W", "-f", "-g", "-m", "-std=", "-pedantic"};
    static const char *const host_valued[] = {
        "-L",     "-l",       "-MT",       "-MQ",    "-MJ",     "-Xlinker",    "-Xclang",
        "-T",     "-z",       "-u",        "-e",     "-B",      "-Xassembler", "-Xpreprocessor",
        "-mllvm", "-imacros", "-isysroot", "-rpath", "-target", "--sysroot",   "--param"};
    struct cc_list words = {0};
    bool compiles = strcmp(word, "-w") == 0, apart = false;
    for (size_t i = 0; i < sizeof(joined) / sizeof(joined[0]); i++)
        compiles = compiles || (begins(word, joined[i]) && !begins(word, "-Wl,"));
    for (size_t i = 0; i < sizeof(host_valued) / sizeof(host_valued[0]); i++)
        if (strcmp(word, host_valued[i]) == 0) {
            compiles = false;
            apart = next != NULL;
        }
    for (size_t i = 0; i < sizeof(valued) / sizeof(valued[0]); i++)
        if (begins(word, valued[i])) {
            compiles = true;
            apart = word[strlen(valued[i])] == '\0' && next;
            break;
        }
    if (begins(word, "-MF"))
        drive->dependency_file = word;
    drive->dependencies =
        drive->dependencies || strcmp(word, "-MD") == 0 || strcmp(word, "-MMD") == 0;
    cc_add(&words, word);
    if (apart)
        cc_add(&words, next);
    if (compiles)
        cc_add_list(&drive->kernel_options, &words);
    if (drive->side != CC_SIDE_DEVICE)
        cc_add_list(&drive->host, &words);
    cc_list_free(&words);
    return apart ? 2 : 1;
}

/* Returns how many words were taken, or -1 with a message. */
static int take_word(struct drive *drive, char **argv, enum language *language)
{
    const char *word = argv[0];
    const char *next = argv[1];
    int words = 1;
    if (strcmp(word, "--cce-aicore-only") == 0) {
        drive->kernels_only = true;
        return 1;
    }
    if (cc_side_option(word, &drive->side)) {
        cc_add(&drive->kernel_options, word);
        return 1;
    }
    switch (cc_vendor_option(word, next, &drive->passes, &words)) {
    case CC_VENDOR_TAKEN:
        return words;
    case CC_VENDOR_REFUSED:
        return -1;
    case CC_VENDOR_NONE:
        break;
    }
    if (word[0] != '-' || word[1] == '\0') {
        return take_file(drive, word, *language);
    } else if (begins(word, "-x") && (word[2] || next)) {
        *language = take_language(drive, word[2] ? word + 2 : next);
        return word[2] ? 1 : 2;
    } else if (begins(word, "-o") && (word[2] || next)) {
        drive->output = word[2] ? word + 2 : next;
        return word[2] ? 1 : 2;
    } else if (strcmp(word, "-dc") == 0) {
        return cc_error("-dc: device code of two sources is not linked; put what a kernel calls "
                        "into its source or a header");
    } else if (begins(word, "--toolkit=")) {
        cc_add(&drive->kernel_options, word);
    } else if (!take_product(drive, word)) {
        drive->verbose = drive->verbose || strcmp(word, "-v") == 0;
        return take_option(drive, word, next);
    }
    return 1;
}

/* ---- commands -------------------------------------------------------------------------------- */

/* "-MD" alone: the file of dependencies is beside the object, by its name. */
static void add_dependencies(const struct drive *drive, const char *output, struct cc_list *command)
{
    const char *dot = strrchr(output, '.');
    const size_t length = dot && !strchr(dot, '/') ? (size_t)(dot - output) : strlen(output);
    if (!drive->dependencies || drive->dependency_file || drive->product != PRODUCT_OBJECT)
        return;
    cc_add(command, "-MF");
    cc_add_made(command, "%.*s.d", (int)length, output);
}

static int compile_kernels(const struct drive *drive, const char *source, const char *output)
{
    static const char *const options[] = {[CC_PASSES_VECTOR] = "--cce-aicore-arch=dav-c220-vec",
                                          [CC_PASSES_CUBE] = "--cce-aicore-arch=dav-c220-cube"};
    struct cc_list command = {0};
    cc_add(&command, drive->self);
    cc_add_made(&command, "--ascend-c");
    cc_add(&command, drive->kernels_only ? "--kernels-only" : "-c");
    if (drive->passes != CC_PASSES_BOTH)
        cc_add(&command, options[drive->passes]);
    if (drive->verbose)
        cc_add(&command, "-v");
    cc_add_list(&command, &drive->kernel_options);
    add_dependencies(drive, output, &command);
    cc_add(&command, source);
    cc_add(&command, "-o");
    cc_add(&command, output);
    const int result = cc_run(drive->verbose, &command, source);
    cc_list_free(&command);
    return result;
}

/* The host's compiler: for what it compiles, and for linking with `objects`. */
static int run_host(const struct drive *drive, bool links, const struct cc_list *objects,
                    const char *output)
{
    struct cc_list command = {0};
    cc_add_list(&command, &drive->build.cxx);
    cc_add_list(&command, objects); /* before the static libraries that they need */
    cc_add_list(&command, &drive->host);
    cc_add(&command, "-idirafter");
    cc_add_made(&command, "%s/include", drive->prefix);
    if (links) {
        cc_add(&command, "-xnone");
        cc_add_made(&command, "%s/lib64/libtwinrt_launch.a", drive->prefix);
        cc_add_made(&command, "-L%s/lib64", drive->prefix);
        cc_add_split(&command, "-Wl,--as-needed -lascendcl -lm");
    }
    if (output) {
        cc_add(&command, "-o");
        cc_add(&command, output);
    }
    const int result = cc_run(drive->verbose, &command,
                              links          ? "linking"
                              : drive->input ? drive->input
                                             : "clang");
    cc_list_free(&command);
    return result;
}

static int archive(const struct drive *drive, const struct cc_list *objects)
{
    struct cc_list command = {0};
    (void)remove(drive->output);
    cc_add_split(&command, "ar rcs");
    cc_add(&command, drive->output);
    cc_add_list(&command, objects);
    const int result = cc_run(drive->verbose, &command, drive->output);
    cc_list_free(&command);
    return result;
}

/* Where the host's compiler would put an object: beside nothing, by the name of its source. */
static void object_name(const char *source, char *out, size_t room)
{
    const char *slash = strrchr(source, '/');
    const char *name = slash ? slash + 1 : source;
    const char *dot = strrchr(name, '.');
    snprintf(out, room, "%.*s.o", dot ? (int)(dot - name) : (int)strlen(name), name);
}

static int build_objects(struct drive *drive)
{
    char name[4096];
    int result = 0;
    if (drive->output && drive->kernels.count + drive->host_inputs > 1)
        return cc_error("-c takes one source with -o, and there are %zu",
                        drive->kernels.count + drive->host_inputs);
    for (size_t i = 0; i < drive->kernels.count && result == 0; i++) {
        object_name(drive->kernels.words[i], name, sizeof(name));
        result =
            compile_kernels(drive, drive->kernels.words[i], drive->output ? drive->output : name);
    }
    if (result == 0 && drive->host_inputs > 0)
        result = run_host(drive, false, &(struct cc_list){0}, drive->output);
    return result;
}

static int build_linked(struct drive *drive)
{
    struct cc_list objects = {0};
    int result = 0;
    if (drive->product == PRODUCT_ARCHIVE && (!drive->output || drive->host_inputs > 0))
        return cc_error("-lib takes sources with kernels alone, and -o FILE");
    for (size_t i = 0; i < drive->kernels.count && result == 0; i++) {
        cc_add_made(&objects, "%s/%zu.o", drive->folder, i);
        result = compile_kernels(drive, drive->kernels.words[i], objects.words[i]);
    }
    if (result == 0)
        result = drive->product == PRODUCT_ARCHIVE ? archive(drive, &objects)
                                                   : run_host(drive, true, &objects, drive->output);
    cc_list_free(&objects);
    return result;
}

static int build(struct drive *drive)
{
    if (drive->kernels.count == 0 && drive->product == PRODUCT_TEXT)
        return run_host(drive, false, &(struct cc_list){0}, drive->output);
    if (drive->product == PRODUCT_TEXT)
        return cc_error("%s: kernels are compiled to objects, libraries and programs alone",
                        drive->kernels.words[0]);
    if (drive->kernels.count + drive->host_inputs == 0)
        return drive->verbose ? run_host(drive, false, &(struct cc_list){0}, NULL)
                              : cc_error("missing argument: SOURCE");
    if (drive->kernels_only && (drive->kernels.count == 0 || drive->host_inputs > 0))
        return cc_error("--cce-aicore-only: %s has no kernels; give -x cce before sources that "
                        "have them, and leave out others",
                        drive->kernels.count == 0 ? "no source" : "a source");
    return drive->product == PRODUCT_OBJECT || drive->kernels_only ? build_objects(drive)
                                                                   : build_linked(drive);
}

int cc_drive(int argc, char **argv, const char *self, const char *prefix, const char *folder)
{
    struct drive drive = {.self = self, .prefix = prefix, .folder = folder};
    enum language language = LANGUAGE_BY_NAME;
    int result = 0;
    cc_add(&drive.build.cxx, "c++"); /* else the newest clang */
    for (int at = 1; at < argc && result == 0;) {
        const int words = take_word(&drive, argv + at, &language);
        result = words < 0 ? -1 : 0;
        at += words;
    }
    if (result == 0)
        result = cc_find_clang(&drive.build, folder);
    if (result == 0)
        result = build(&drive);
    cc_list_free(&drive.build.cxx);
    cc_list_free(&drive.kernels);
    cc_list_free(&drive.kernel_options);
    cc_list_free(&drive.host);
    return result;
}
