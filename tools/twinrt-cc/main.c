/* SPDX-License-Identifier: Apache-2.0 */
/* twinrt-cc: kernels in C and C++ become an object that the runtime loads like one of device code.
 *
 * A program, not a script: it writes ELF through libelf, as the loader reads it, and needs only the
 * compilers. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ascend.h"
#include "build.h"
#include "describe.h"
#include "driver.h"
#include "process.h"
#include "response_file.h"
#include "say.h"

#define STATUS_FAILED 1
#define STATUS_USAGE  2

static const char help[] =
    "Usage: twinrt-cc [options] -o OBJECT SOURCE...\n"
    "Compiles kernels in C (.c) and C++ (.cc, .cpp, .cxx) written against twinrt/kernel.h\n"
    "into an object for aclrtBinaryLoadFromFile.\n"
    "\n"
    "  -o FILE              the object\n"
    "  -I DIR, -iquote DIR, -isystem DIR, -idirafter DIR, -include FILE,\n"
    "  -D NAME[=VALUE], -U NAME\n"
    "  -O..., -g..., -W..., -f..., -m..., -w, -pedantic...\n"
    "                       as the compilers have them; -O2 -g1 unless others are given\n"
    "  -std=STANDARD        one of C for sources in C, one of C++ for sources in C++\n"
    "  -c++                 all sources are C++, whatever their names\n"
    "  -L DIR, -l NAME, -Wl,...\n"
    "                       for linking what the kernels call\n"
    "  -MF FILE             writes what the object depends on, for make and ninja\n"
    "  --cc=COMMAND, --cxx=COMMAND\n"
    "                       the compilers; else $CC or cc, and $CXX or c++\n"
    "  --ascend-c           the sources are programs in Ascend C (.asc, .cpp), compiled by clang\n"
    "                       into a program that launches its kernels; then also:\n"
    "    --toolkit=DIR      the vendor's headers; else those in $ASCEND_HOME_PATH, or none\n"
    "    -c, -shared        an object of the host, or a library, and no program\n"
    "    --kernels-only     the object for aclrtBinaryLoadFromFile, and no program\n"
    "    OBJECT, LIBRARY    linked with the program\n"
    "  --print-prefix       prints the folder of include/ and lib64/\n"
    "  -v, --verbose        prints the commands\n"
    "      --help, --version\n";

struct options {
    struct cc_build build;
    bool is_ascend;
    struct cc_ascend ascend;
    char prefix[PATH_MAX];
};

/* ---- options --------------------------------------------------------------------------------- */

_Noreturn static void usage(const char *problem, const char *word)
{
    (void)cc_error("%s%s%s", problem, word ? " " : "", word ? word : "");
    fputs("Try 'twinrt-cc --help'.\n", stderr);
    exit(STATUS_USAGE);
}

static bool begins(const char *word, const char *start)
{
    return strncmp(word, start, strlen(start)) == 0;
}

/* Options with a value, joined or as the next word. */
static const char *const valued[] = {"-include", "-isystem", "-iquote", "-idirafter",
                                     "-D",       "-I",       "-U"};
/* Options that go to the compiler as they are. */
static const char *const joined[] = {"-O", "-W", "-f", "-g", "-m", "-w", "-pedantic"};

static const char *value_of(const char *option, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    const size_t length = strlen(option);
    if (word[length])
        return word + length;
    if (++*at >= argc)
        usage("missing value of option", option);
    return argv[*at];
}

/* Whether the word is an option for compiling. */
static bool take_compile(struct cc_build *build, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    for (size_t i = 0; i < sizeof(valued) / sizeof(valued[0]); i++)
        if (begins(word, valued[i])) {
            cc_add(&build->compile, valued[i]);
            cc_add(&build->compile, value_of(valued[i], argc, argv, at));
            return true;
        }
    if (begins(word, "-std=")) {
        cc_add(strstr(word, "++") ? &build->compile_cxx : &build->compile_c, word);
        return true;
    }
    for (size_t i = 0; i < sizeof(joined) / sizeof(joined[0]); i++)
        if (begins(word, joined[i])) {
            cc_add(&build->compile, word);
            return true;
        }
    return false;
}

/* Whether it is one for linking. */
static bool take_link(struct cc_build *build, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    if (begins(word, "-Wl,")) {
        cc_add(&build->link, word);
        return true;
    }
    for (const char *option = "-L\0-l\0"; *option; option += strlen(option) + 1)
        if (begins(word, option)) {
            cc_add_made(&build->link, "%s%s", option, value_of(option, argc, argv, at));
            return true;
        }
    return false;
}

static void set_command(struct cc_list *list, const char *words)
{
    cc_list_free(list);
    cc_add_split(list, words);
    if (list->count == 0)
        usage("the name of a compiler is empty", NULL);
}

/* Whether the word is an option that sources in Ascend C have. */
static bool take_ascend(struct options *options, int argc, char **argv, int *at)
{
    struct cc_ascend *ascend = &options->ascend;
    const char *word = argv[*at];
    int words = 1;
    if (!options->is_ascend)
        return false;
    if (cc_side_option(word, &(enum cc_side){CC_SIDE_BOTH})) {
        cc_add(&options->build.compile, word);
        return true;
    }
    const enum cc_vendor_option vendor =
        cc_vendor_option(word, *at + 1 < argc ? argv[*at + 1] : NULL, &ascend->passes, &words);
    if (vendor == CC_VENDOR_REFUSED)
        exit(STATUS_USAGE);
    if (vendor == CC_VENDOR_TAKEN)
        *at += words - 1;
    else if (strcmp(word, "-c") == 0) {
        if (ascend->product != CC_KERNELS)
            ascend->product = CC_OBJECT;
    } else if (strcmp(word, "-shared") == 0) {
        ascend->product = CC_LIBRARY;
    } else if (strcmp(word, "--kernels-only") == 0) {
        ascend->product = CC_KERNELS;
    } else if (begins(word, "--toolkit=")) {
        ascend->toolkit = word + strlen("--toolkit=");
    } else if (strcmp(word, "--toolkit") == 0) {
        ascend->toolkit = value_of("--toolkit", argc, argv, at);
    } else if (word[0] != '-' && !cc_is_ascend_source(word)) {
        cc_add(&ascend->inputs, word);
    } else if (word[0] != '-') {
        cc_add(&options->build.sources, word);
    } else {
        return strcmp(word, "--ascend-c") == 0;
    }
    return true;
}

/* Whether the word is an option that only sources in Ascend C have. */
static bool is_of_ascend(const char *word)
{
    return strcmp(word, "-c") == 0 || strcmp(word, "-shared") == 0 ||
           strcmp(word, "--kernels-only") == 0 || begins(word, "--toolkit") ||
           begins(word, "--npu-arch");
}

static void take_word(struct options *options, int argc, char **argv, int *at)
{
    struct cc_build *build = &options->build;
    const char *word = argv[*at];
    if (take_ascend(options, argc, argv, at))
        return;
    if (word[0] != '-') {
        if (!cc_is_source(word) && !build->all_cxx)
            usage("sources end in .c, .cc, .cpp or .cxx, and in Ascend C need --ascend-c, unlike",
                  word);
        cc_add(&build->sources, word);
    } else if (begins(word, "-o")) {
        build->output = value_of("-o", argc, argv, at);
    } else if (strcmp(word, "-MF") == 0) {
        build->dependencies = value_of("-MF", argc, argv, at);
    } else if (strcmp(word, "-c++") == 0) {
        build->all_cxx = true;
    } else if (strcmp(word, "-v") == 0 || strcmp(word, "--verbose") == 0) {
        build->verbose = true;
    } else if (begins(word, "--cc=")) {
        set_command(&build->cc, word + strlen("--cc="));
    } else if (begins(word, "--cxx=")) {
        set_command(&build->cxx, word + strlen("--cxx="));
        build->cxx_given = true;
    } else if (strcmp(word, "--cc") == 0 || strcmp(word, "--cxx") == 0) {
        usage(word[3] == 'c' ? "give --cc=COMMAND," : "give --cxx=COMMAND,", "in one word");
    } else if (!take_link(build, argc, argv, at) && !take_compile(build, argc, argv, at)) {
        usage(is_of_ascend(word) ? "only with --ascend-c there is option" : "unknown option", word);
    }
}

/* The headers and the library are installed with the tool. */
static void find_prefix(char *out_prefix)
{
    const ssize_t length = readlink("/proc/self/exe", out_prefix, PATH_MAX - 1);
    if (length <= 0) {
        (void)cc_error("/proc/self/exe cannot be read: %s", strerror(errno));
        exit(STATUS_FAILED);
    }
    out_prefix[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(out_prefix, '/');
        if (slash)
            *slash = '\0';
    }
}

static void read_options(struct options *options, int argc, char **argv)
{
    struct cc_build *build = &options->build;
    const char *cc = getenv("CC");
    const char *cxx = getenv("CXX");
    find_prefix(options->prefix);
    build->prefix = options->prefix;
    set_command(&build->cc, cc && cc[0] ? cc : "cc");
    set_command(&build->cxx, cxx && cxx[0] ? cxx : "c++");
    for (int i = 1; i < argc; i++)
        options->is_ascend = options->is_ascend || strcmp(argv[i], "--ascend-c") == 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            exit(0);
        }
        if (strcmp(argv[i], "--version") == 0) {
            puts("twinrt-cc " TWINRT_VERSION);
            exit(0);
        }
        if (strcmp(argv[i], "--print-prefix") == 0) {
            puts(options->prefix);
            exit(0);
        }
        take_word(options, argc, argv, &i);
    }
    if (build->sources.count == 0 && options->ascend.inputs.count == 0)
        usage("missing argument: SOURCE", NULL);
    if (!build->output)
        usage("missing option: -o FILE", NULL);
}

static void free_options(struct options *options)
{
    struct cc_build *build = &options->build;
    cc_list_free(&build->cc);
    cc_list_free(&build->cxx);
    cc_list_free(&build->sources);
    cc_list_free(&build->compile);
    cc_list_free(&build->compile_c);
    cc_list_free(&build->compile_cxx);
    cc_list_free(&build->link);
    cc_list_free(&options->ascend.inputs);
}

/* ---- the folder of work ---------------------------------------------------------------------- */

static int make_folder(char *out_path)
{
    const char *where = getenv("TMPDIR");
    const int length =
        snprintf(out_path, PATH_MAX, "%s/twinrt-cc-XXXXXX", where && where[0] ? where : "/tmp");
    if (length < 0 || length >= PATH_MAX)
        return cc_error("TMPDIR is too long");
    return mkdtemp(out_path) ? 0 : cc_error("%s cannot be made: %s", out_path, strerror(errno));
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry = NULL;
    if (!folder)
        return;
    while ((entry = readdir(folder)))
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    (void)rmdir(path);
}

/* By the name of a compiler of the vendor's. */
static int drive(int argc, char **argv, const char *folder)
{
    static char prefix[PATH_MAX];
    static char self[PATH_MAX + 16];
    find_prefix(prefix);
    snprintf(self, sizeof(self), "%s/bin/twinrt-cc", prefix);
    return cc_drive(argc, argv, self, prefix, folder);
}

static int build(struct options *options, const char *folder)
{
    char library[PATH_MAX + 16];
    if (options->is_ascend)
        return cc_build_ascend(&options->build, &options->ascend, folder);
    snprintf(library, sizeof(library), "%s/kernels.so", folder);
    const int result = cc_build_library(&options->build, folder, library);
    return result == 0 ? cc_make_object(library, options->build.output) : result;
}

int main(int argc, char **argv)
{
    static struct options options;
    static struct cc_list words;
    char folder[PATH_MAX];
    const bool drives = cc_is_driver(argv[0]);
    if (cc_expand_arguments(argc, argv, &words) != 0)
        return STATUS_FAILED;
    if (!drives)
        read_options(&options, (int)words.count, words.words);
    cc_catch_signals();
    int result = make_folder(folder);
    if (result == 0) {
        result = drives ? drive((int)words.count, words.words, folder) : build(&options, folder);
        remove_folder(folder);
    }
    free_options(&options);
    cc_list_free(&words);
    cc_raise_signal();
    return result == 0 ? 0 : STATUS_FAILED;
}
