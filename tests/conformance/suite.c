/* SPDX-License-Identifier: Apache-2.0 */
/* The program around a suite: options, expectations, child processes. */
#include "suite.h"

#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "expect/expect.h"

/* A child that takes longer than this is stuck. */
#define CHILD_SECONDS 60

/* The board's come last: they count only where there is one. */
static const twin_exceptions *const exceptions[] = {
#define X(backend) &twin_exceptions_##backend,
    TWIN_BACKEND_LIST X(board)
#undef X
};

static void report(const char *text, const char *file, int line)
{
    CU_assertImplementation(CU_FALSE, (unsigned)line, text, file, "", CU_FALSE);
}

static int run_as_child(const twin_suite *suite, const char *name)
{
    for (size_t i = 0; i < suite->child_count; i++) {
        if (strcmp(suite->children[i].name, name) != 0)
            continue;
        alarm(CHILD_SECONDS);
        suite->children[i].run();
        return twin_check_failures() == 0 ? TWIN_EXIT_PASSED : TWIN_EXIT_FAILED;
    }
    fprintf(stderr, "%s: no child \"%s\"\n", suite->name, name);
    return TWIN_EXIT_FAILED;
}

/* Appends a row for each test that the exceptions name. */
static size_t expand(const twin_suite *suite, const twin_exception *list,
                     twin_expectation_kind kind, twin_expectation *rows, size_t count)
{
    for (const twin_exception *row = list; row->suite; row++) {
        if (strcmp(row->suite, suite->name) != 0)
            continue;
        size_t matches = 0;
        for (size_t i = 0; i < suite->test_count; i++) {
            if (strncmp(suite->tests[i].name, row->test, strlen(row->test)) != 0)
                continue;
            rows[count++] = (twin_expectation){suite->tests[i].name, kind, row->reason};
            matches++;
        }
        if (matches == 0) {
            fprintf(stderr, "%s: the exception \"%s\" names no test: take it out\n", suite->name,
                    row->test);
            exit(TWIN_EXIT_FAILED);
        }
    }
    return count;
}

static size_t rows_of(const twin_exception *list)
{
    size_t count = 0;
    while (list[count].suite)
        count++;
    return count;
}

/* The rows live until the process ends: the runner borrows them. */
static twin_expectation *expect_on(const twin_suite *suite, const twin_exceptions *from)
{
    static const twin_exception none;
    const twin_exception *of_part =
        from == &twin_exceptions_sim ? twin_exceptions_of_part() : &none;
    size_t most = suite->test_count *
                  (rows_of(from->unsupported) + rows_of(from->known_failing) + rows_of(of_part));
    twin_expectation *rows = calloc(most + 1, sizeof(*rows));
    if (!rows)
        abort();
    size_t count = expand(suite, from->unsupported, TWIN_UNSUPPORTED, rows, 0);
    count = expand(suite, from->known_failing, TWIN_KNOWN_FAILING, rows, count);
    count = expand(suite, of_part, TWIN_UNSUPPORTED, rows, count);
    twin_expect_on(from->backend, rows, count);
    return rows;
}

int twin_suite_main(const twin_suite *suite, int argc, char **argv)
{
    bool runs = true;
    setenv("TWINRT_DEVICES", "2", 0);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--child=", 8) == 0)
            return run_as_child(suite, argv[i] + 8);
        if (strncmp(argv[i], "--backend=", 10) == 0)
            setenv("TWINRT_BACKEND", argv[i] + 10, 1);
        if (strcmp(argv[i], "--list") == 0 || strcmp(argv[i], "--help") == 0)
            runs = false;
    }

    /* Without a board the second copy of the runtime stands in for the vendor's. */
    if (strcmp(twin_test_backend(), "ascend") == 0)
        setenv("TWINRT_ASCEND_HOME", TWIN_LOOP_HOME, 0);
    twin_expectation *rows[TWIN_COUNT(exceptions)];
    size_t lists = TWIN_COUNT(exceptions) - (getenv("TWIN_TESTS_ON_BOARD") ? 0 : 1);
    for (size_t i = 0; i < lists; i++)
        rows[i] = expect_on(suite, exceptions[i]);
    twin_check_set_sink(report);
    if (suite->initialise && runs)
        aclInit(NULL);
    int status = twin_run_suite(suite->name, suite->tests, suite->test_count, argc, argv);
    if (suite->initialise && runs)
        aclFinalize();
    for (size_t i = 0; i < lists; i++)
        free(rows[i]);
    return status;
}

/* The environment with `settings` in front; names in `settings` win. Caller frees the array. */
static char **merged_environment(const char *const *settings)
{
    size_t added = 0;
    size_t present = 0;
    while (settings && settings[added])
        added++;
    while (environ[present])
        present++;
    char **merged = calloc(added + present + 1, sizeof(*merged));
    if (!merged)
        abort();
    size_t count = 0;
    for (size_t i = 0; i < added; i++)
        merged[count++] = (char *)settings[i];
    for (size_t i = 0; i < present; i++) {
        bool replaced = false;
        for (size_t k = 0; k < added; k++) {
            size_t name = strcspn(settings[k], "=") + 1;
            replaced = replaced || strncmp(environ[i], settings[k], name) == 0;
        }
        if (!replaced)
            merged[count++] = environ[i];
    }
    return merged;
}

/* Reads until the other end closes; keeps what fits, ends it with 0. */
static void read_all(int from, char *output, size_t bytes)
{
    char piece[512];
    size_t used = 0;
    for (;;) {
        ssize_t got = read(from, piece, sizeof(piece));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        for (ssize_t i = 0; i < got && used + 1 < bytes; i++)
            output[used++] = piece[i];
    }
    output[used] = 0;
}

int twin_child_status(const char *name, const char *const *settings, char *output, size_t bytes)
{
    char path[PATH_MAX];
    char option[128];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length <= 0)
        return -1;
    path[length] = 0;
    snprintf(option, sizeof(option), "--child=%s", name);
    char *arguments[] = {path, option, NULL};

    int ends[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (output && pipe(ends) == 0) {
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        posix_spawn_file_actions_addclose(&actions, ends[1]);
    }
    char **environment = merged_environment(settings);
    pid_t child = -1;
    int failed = posix_spawn(&child, path, &actions, NULL, arguments, environment);
    free(environment);
    posix_spawn_file_actions_destroy(&actions);
    if (ends[1] >= 0)
        close(ends[1]);
    if (output && failed == 0)
        read_all(ends[0], output, bytes);
    if (ends[0] >= 0)
        close(ends[0]);
    if (failed != 0)
        return -1;

    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void twin_run_child(const char *name, const char *const *settings)
{
    char text[256];
    int status = twin_child_status(name, settings, NULL, 0);
    snprintf(text, sizeof(text), "the child \"%s\" ended with status %d (messages above)", name,
             status);
    twin_check_true(status == 0, text, __FILE__, __LINE__);
}

uint32_t twin_device_count(void)
{
    uint32_t count = 0;
    return aclrtGetDeviceCount(&count) == ACL_SUCCESS ? count : 0;
}

const char *twin_library_folder(void)
{
    static char folder[PATH_MAX];
    Dl_info info;
    if (!folder[0] && dladdr((void *)(uintptr_t)aclInit, &info) && info.dli_fname) {
        char path[PATH_MAX];
        if (realpath(info.dli_fname, path))
            snprintf(folder, sizeof(folder), "%s", dirname(path));
    }
    return folder;
}

double twin_wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
