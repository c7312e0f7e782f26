/* SPDX-License-Identifier: Apache-2.0 */
#include "build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"
#include "say.h"

/* What a kernel must be compiled with: as a part of a shared object, with nothing seen from
 * outside, with large frames that cannot miss the end of the stack, with the arithmetic that the
 * source says, */
static const char needed[] =
    "-c -fPIC -fvisibility=hidden -fstack-clash-protection -ffp-contract=off -fno-fast-math";
/* and with its basic blocks counted (the scalar unit's time). gcc counts each of them, and does so
 * before it unrolls and vectorises loops. */
static const char counted[] = "-fsanitize-coverage=trace-pc";
/* clang, left alone, omits blocks whose count follows from others, and counts when it is done with
 * the loops. */
static const char counted_by_clang[] = CC_COUNT_ALL_BLOCKS " " CC_LOOPS_AS_WRITTEN;

static const char exports[] = "{ global: twk_image; local: *; };\n";

/* ---- sources --------------------------------------------------------------------------------- */

bool cc_ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name);
    const size_t rest = strlen(end);
    return length > rest && strcmp(name + length - rest, end) == 0;
}

static bool is_cxx(const struct cc_build *build, const char *source)
{
    return build->all_cxx || !cc_ends_with(source, ".c");
}

bool cc_is_source(const char *name)
{
    static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx"};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (cc_ends_with(name, ends[i]))
            return true;
    return false;
}

/* Whether it counts as clang does: only clang knows that option. */
static bool counts_as_clang(const struct cc_list *compiler)
{
    struct cc_list command = {0};
    cc_add_list(&command, compiler);
    cc_add_split(&command, CC_COUNT_ALL_BLOCKS " -fsyntax-only -x c /dev/null");
    const bool knows = cc_succeeds(&command);
    cc_list_free(&command);
    return knows;
}

static int compile(const struct cc_build *build, const char *source, const char *object,
                   const char *dependencies)
{
    const bool cxx = is_cxx(build, source);
    const struct cc_list *compiler = cxx ? &build->cxx : &build->cc;
    struct cc_list command = {0};
    cc_add_list(&command, compiler);
    cc_add(&command, "-O2");
    cc_add(&command, "-g1"); /* messages of the runtime name lines */
    cc_add_list(&command, &build->compile);
    cc_add_list(&command, cxx ? &build->compile_cxx : &build->compile_c);
    cc_add_split(&command, needed);
    cc_add_split(&command, counts_as_clang(compiler) ? counted_by_clang : counted);
    cc_add_made(&command, "-I%s/include", build->prefix);
    if (build->dependencies) {
        cc_add(&command, "-MD");
        cc_add(&command, "-MF");
        cc_add(&command, dependencies);
        cc_add(&command, "-MT");
        cc_add(&command, build->output);
    }
    if (build->all_cxx) {
        cc_add(&command, "-x");
        cc_add(&command, "c++");
    }
    cc_add(&command, "-o");
    cc_add(&command, object);
    cc_add(&command, source);
    const int result = cc_run(build->verbose, &command, source);
    cc_list_free(&command);
    return result;
}

int cc_append(FILE *to, const char *path)
{
    FILE *from = fopen(path, "re");
    int byte = 0;
    if (!from)
        return cc_error("%s: %s", path, strerror(errno));
    while ((byte = getc(from)) != EOF)
        putc(byte, to);
    fclose(from);
    return 0;
}

static int write_exports(const char *path)
{
    FILE *file = fopen(path, "we");
    if (!file || fputs(exports, file) < 0 || fclose(file) != 0)
        return cc_error("%s: %s", path, strerror(errno));
    return 0;
}

static const struct cc_list *linker_of(const struct cc_build *build)
{
    for (size_t i = 0; i < build->sources.count; i++)
        if (is_cxx(build, build->sources.words[i]))
            return &build->cxx;
    return &build->cc;
}

int cc_link_library(const struct cc_build *build, const struct cc_list *compiler,
                    const struct cc_list *objects, const char *folder, const char *library)
{
    struct cc_list command = {0};
    struct cc_list script = {0};
    cc_add_made(&script, "%s/exports.map", folder);
    int result = write_exports(script.words[0]);
    cc_add_list(&command, compiler);
    cc_add(&command, "-shared");
    cc_add(&command, "-o");
    cc_add(&command, library);
    cc_add_list(&command, objects);
    cc_add(&command, "-Wl,-u,twk_image");
    cc_add_made(&command, "%s/lib64/libtwinrt_kernel.a", build->prefix);
    cc_add_list(&command, &build->link);
    cc_add(&command, "-lm");
    cc_add(&command, "-Wl,-z,defs,-z,now,-z,relro,-Bsymbolic");
    cc_add(&command, "-Xlinker"); /* the name may have a comma */
    cc_add_made(&command, "--version-script=%s", script.words[0]);
    if (result == 0)
        result = cc_run(build->verbose, &command, "linking");
    cc_list_free(&script);
    cc_list_free(&command);
    return result;
}

int cc_open_dependencies(const struct cc_build *build, FILE **out_file)
{
    *out_file = build->dependencies ? fopen(build->dependencies, "we") : NULL;
    if (build->dependencies && !*out_file)
        return cc_error("%s cannot be written: %s", build->dependencies, strerror(errno));
    return 0;
}

int cc_close_dependencies(const struct cc_build *build, FILE *file, int result)
{
    if (file && fclose(file) != 0 && result == 0)
        return cc_error("%s cannot be written: %s", build->dependencies, strerror(errno));
    return result;
}

static int compile_all(const struct cc_build *build, const char *folder, FILE *dependencies,
                       struct cc_list *objects)
{
    struct cc_list found = {0};
    int result = 0;
    for (size_t i = 0; i < build->sources.count && result == 0; i++) {
        cc_add_made(objects, "%s/%zu.o", folder, i);
        cc_add_made(&found, "%s/%zu.d", folder, i);
        result = compile(build, build->sources.words[i], objects->words[i], found.words[i]);
        if (result == 0 && dependencies)
            result = cc_append(dependencies, found.words[i]);
    }
    cc_list_free(&found);
    return result;
}

int cc_build_library(const struct cc_build *build, const char *folder, const char *library)
{
    struct cc_list objects = {0};
    FILE *dependencies = NULL;
    int result = cc_open_dependencies(build, &dependencies);
    if (result == 0)
        result = compile_all(build, folder, dependencies, &objects);
    result = cc_close_dependencies(build, dependencies, result);
    if (result == 0)
        result = cc_link_library(build, linker_of(build), &objects, folder, library);
    cc_list_free(&objects);
    return result;
}
