/* SPDX-License-Identifier: Apache-2.0 */
#include "build.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

#define COUNT_ALL_BLOCKS "-fsanitize-coverage=bb,no-prune,trace-pc"

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
static const char counted_by_clang[] =
    COUNT_ALL_BLOCKS " -fno-unroll-loops -fno-vectorize -fno-slp-vectorize";

static const char exports[] = "{ global: twk_image; local: *; };\n";

/* ---- commands -------------------------------------------------------------------------------- */

static void show(const struct cc_list *command)
{
    for (size_t i = 0; i < command->count; i++)
        fprintf(stderr, "%s%s", i > 0 ? " " : "", command->words[i]);
    fputc('\n', stderr);
}

/* Runs the command and gives its status; silent: without its output. Returns 0, or an errno. */
static int execute(const struct cc_list *command, bool silent, int *status)
{
    /* As system(3): an interrupt ends the compiler, and this tool cleans up. */
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before[2];
    sigaction(SIGINT, &ignore, &before[0]);
    sigaction(SIGQUIT, &ignore, &before[1]);
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    if (before[0].sa_handler != SIG_IGN)
        sigaddset(&defaults, SIGINT);
    if (before[1].sa_handler != SIG_IGN)
        sigaddset(&defaults, SIGQUIT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (int file = STDOUT_FILENO; silent && file <= STDERR_FILENO; file++)
        posix_spawn_file_actions_addopen(&files, file, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int error =
        posix_spawnp(&child, command->words[0], &files, &attributes, command->words, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error == 0)
        while (waitpid(child, status, 0) < 0 && errno == EINTR)
            continue;
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGQUIT, &before[1], NULL);
    return error;
}

/* Runs the command, which reports its errors. `what`: for the message. */
static int run(const struct cc_build *build, const struct cc_list *command, const char *what)
{
    if (build->verbose)
        show(command);
    int status = 0;
    const int error = execute(command, false, &status);
    if (error != 0)
        return cc_error("%s: %s cannot be run: %s; set CC or CXX, or give --cc or --cxx", what,
                        command->words[0], strerror(error));
    if (WIFSIGNALED(status))
        return cc_error("%s: %s was ended by signal %d", what, command->words[0], WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? 0 : cc_error("%s: %s failed", what, command->words[0]);
}

/* ---- sources --------------------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name);
    const size_t rest = strlen(end);
    return length > rest && strcmp(name + length - rest, end) == 0;
}

static bool is_cxx(const struct cc_build *build, const char *source)
{
    return build->all_cxx || !ends_with(source, ".c");
}

bool cc_is_source(const char *name)
{
    static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx"};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (ends_with(name, ends[i]))
            return true;
    return false;
}

/* Whether it counts as clang does: only clang knows that option. */
static bool counts_as_clang(const struct cc_list *compiler)
{
    struct cc_list command = {0};
    cc_add_list(&command, compiler);
    cc_add_split(&command, COUNT_ALL_BLOCKS " -fsyntax-only -x c /dev/null");
    int status = 0;
    const bool knows = execute(&command, true, &status) == 0 && status == 0;
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
    const int result = run(build, &command, source);
    cc_list_free(&command);
    return result;
}

static int append(FILE *to, const char *path)
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

static int link_library(const struct cc_build *build, const struct cc_list *objects,
                        const char *folder, const char *library)
{
    bool cxx = false;
    for (size_t i = 0; i < build->sources.count; i++)
        cxx = cxx || is_cxx(build, build->sources.words[i]);
    struct cc_list command = {0};
    struct cc_list script = {0};
    cc_add_made(&script, "%s/exports.map", folder);
    int result = write_exports(script.words[0]);
    cc_add_list(&command, cxx ? &build->cxx : &build->cc);
    cc_add(&command, "-shared");
    cc_add(&command, "-o");
    cc_add(&command, library);
    cc_add_list(&command, objects);
    cc_add(&command, "-Wl,-u,twk_image");
    cc_add_made(&command, "%s/lib64/libtwinrt_kernel.a", build->prefix);
    cc_add_list(&command, &build->link);
    cc_add(&command, "-lm");
    cc_add(&command, "-Wl,-z,defs,-z,now,-z,relro,-Bsymbolic");
    cc_add_made(&command, "-Wl,--version-script=%s", script.words[0]);
    if (result == 0)
        result = run(build, &command, "linking");
    cc_list_free(&script);
    cc_list_free(&command);
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
            result = append(dependencies, found.words[i]);
    }
    cc_list_free(&found);
    return result;
}

int cc_build_library(const struct cc_build *build, const char *folder, const char *library)
{
    struct cc_list objects = {0};
    FILE *dependencies = build->dependencies ? fopen(build->dependencies, "we") : NULL;
    if (build->dependencies && !dependencies)
        return cc_error("%s cannot be written: %s", build->dependencies, strerror(errno));
    int result = compile_all(build, folder, dependencies, &objects);
    if (dependencies && fclose(dependencies) != 0 && result == 0)
        result = cc_error("%s cannot be written: %s", build->dependencies, strerror(errno));
    if (result == 0)
        result = link_library(build, &objects, folder, library);
    cc_list_free(&objects);
    return result;
}
