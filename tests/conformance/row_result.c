/* SPDX-License-Identifier: Apache-2.0 */
/* One row of the catalogue as a test: the results of the suites for it, on every backend.
 *
 *   row_result ROW TITLE --reason=TEXT                      not covered: skipped, with the reason
 *   row_result ROW TITLE --folder=RESULTS [--newer=FILE]... BACKEND=PROGRAM...
 *
 * It reads the results that the programs have left in the folder (PROGRAM's suite, a dot, the
 * backend, ".tsv"). Where there are none, or older ones than the program and the files named by
 * --newer, it runs the tests of the row itself: so also when another test has ended the program
 * early. */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cunit_main.h"

enum { MOST = 32, MOST_LINE = 1024 };

static struct {
    const char *row;
    const char *title;
    const char *reason;
    const char *folder;
    const char *newer[MOST];
    unsigned newer_count;
    const char *backends[MOST]; /* of the program beside it */
    const char *programs[MOST];
    unsigned program_count;
} options;

static unsigned passed, failed, other;

static int usage(void)
{
    fputs("usage: row_result ROW TITLE --reason=TEXT\n"
          "       row_result ROW TITLE --folder=RESULTS [--newer=FILE]... BACKEND=PROGRAM...\n",
          stderr);
    return TWIN_EXIT_FAILED;
}

static bool parse(int argc, char **argv)
{
    if (argc < 4)
        return false;
    options.row = argv[1];
    options.title = argv[2];
    for (int i = 3; i < argc; i++) {
        char *argument = argv[i];
        if (strncmp(argument, "--reason=", 9) == 0)
            options.reason = argument + 9;
        else if (strncmp(argument, "--folder=", 9) == 0)
            options.folder = argument + 9;
        else if (strncmp(argument, "--newer=", 8) == 0 && options.newer_count < MOST)
            options.newer[options.newer_count++] = argument + 8;
        else if (argument[0] != '-' && strchr(argument, '=') && options.program_count < MOST) {
            options.backends[options.program_count] = argument;
            argument = strchr(argument, '=');
            *argument = 0;
            options.programs[options.program_count++] = argument + 1;
        } else
            return false;
    }
    return options.reason || (options.folder && options.program_count != 0);
}

/* Whether the rows at the beginning of a test's name, before the colon, hold this one. */
static bool is_of_row(const char *test)
{
    const char *end = strstr(test, ": ");
    size_t length = strlen(options.row);
    for (const char *at = strstr(test, options.row); at && end && at < end;
         at = strstr(at + 1, options.row))
        if ((at[length] < '0' || at[length] > '9') && at[length] != 'b' &&
            (at == test || at[-1] == ' '))
            return true;
    return false;
}

/* Counts and prints the results of the row. False: the file has none. */
static bool read_results(const char *path, const char *backend)
{
    char line[MOST_LINE];
    bool any = false;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = 0;
        char *test = strchr(line, '\t');
        if (!test)
            continue;
        *test++ = 0;
        char *reason = strchr(test, '\t');
        if (reason)
            *reason++ = 0;
        if (!is_of_row(test))
            continue;
        any = true;
        if (strcmp(line, "pass") == 0)
            passed++;
        else if (strcmp(line, "fail") == 0)
            failed++;
        else
            other++;
        printf("  %s on %s: %s%s%s\n", line, backend, test, reason && *reason ? ": " : "",
               reason ? reason : "");
    }
    if (file)
        fclose(file);
    return any;
}

static bool is_older(const struct stat *results, const char *than)
{
    struct stat file;
    if (stat(than, &file) != 0)
        return false;
    if (results->st_mtim.tv_sec != file.st_mtim.tv_sec)
        return results->st_mtim.tv_sec < file.st_mtim.tv_sec;
    return results->st_mtim.tv_nsec < file.st_mtim.tv_nsec;
}

static bool is_fresh(const char *path, const char *program)
{
    struct stat results;
    if (stat(path, &results) != 0 || is_older(&results, program))
        return false;
    for (unsigned i = 0; i < options.newer_count; i++)
        if (is_older(&results, options.newer[i]))
            return false;
    return true;
}

/* Runs the tests of the row; the results go to `path`. */
static void run(const char *program, const char *backend, const char *path)
{
    char only[128], on[128], to[PATH_MAX + 16];
    snprintf(only, sizeof(only), "--only=%s", options.row);
    snprintf(on, sizeof(on), "--backend=%s", backend);
    snprintf(to, sizeof(to), "--results=%s", path);
    char *arguments[] = {(char *)program, only, on, to, NULL};
    pid_t child = -1;
    int status = 0;
    fflush(stdout);
    if (posix_spawn(&child, program, NULL, NULL, arguments, environ) != 0)
        return;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
}

static void look_at(const char *program, const char *backend)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    const char *end = strstr(name, "_suite");
    int length = end ? (int)(end - name) : (int)strlen(name);
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%.*s.%s.tsv", options.folder, length, name, backend);
    if (is_fresh(path, program) && read_results(path, backend))
        return;
    snprintf(path, sizeof(path), "%s/%s.%.*s.%s.tsv", options.folder, options.row, length, name,
             backend);
    run(program, backend, path);
    if (!read_results(path, backend)) {
        printf("  %s has no result for it on %s\n", name, backend);
        failed++;
    }
    unlink(path);
}

int main(int argc, char **argv)
{
    if (!parse(argc, argv))
        return usage();
    printf("%s: %s\n", options.row, options.title);
    if (options.reason) {
        printf("  not covered: %s\n", options.reason);
        return TWIN_EXIT_SKIPPED;
    }
    for (unsigned i = 0; i < options.program_count; i++)
        look_at(options.programs[i], options.backends[i]);
    if (failed != 0)
        return TWIN_EXIT_FAILED;
    return passed != 0 ? TWIN_EXIT_PASSED : TWIN_EXIT_SKIPPED;
}
