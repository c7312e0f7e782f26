/* SPDX-License-Identifier: Apache-2.0 */
#include "support/results.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_REASON = 160 };

typedef struct result {
    twin_outcome outcome;
    char reason[MAX_REASON];
} result;

static const char *results_path;
static const twin_test *listed;
static size_t listed_count;
static result *results;

static const char *const words[] = {
    [TWIN_NOT_RUN] = "not run", [TWIN_PASSED] = "pass", [TWIN_FAILED] = "fail",
    [TWIN_SKIPPED] = "skip",    [TWIN_KNOWN] = "known",
};

void twin_results_begin(const char *path, const twin_test *tests, size_t count)
{
    if (!path)
        return;
    if (unlink(path) != 0 && errno != ENOENT)
        perror(path);
    results = calloc(count + 1, sizeof(*results));
    if (!results) {
        fputs("out of memory\n", stderr);
        exit(TWIN_EXIT_FAILED);
    }
    results_path = path;
    listed = tests;
    listed_count = count;
}

void twin_results_note(const char *test, twin_outcome outcome, const char *reason)
{
    for (size_t i = 0; results && i < listed_count; i++) {
        if (strcmp(listed[i].name, test) != 0 || results[i].outcome == TWIN_FAILED)
            continue;
        results[i].outcome = outcome;
        snprintf(results[i].reason, sizeof(results[i].reason), "%s", reason ? reason : "");
        for (char *c = results[i].reason; *c; c++)
            if (*c == '\t' || *c == '\n')
                *c = ' ';
    }
}

void twin_results_failures(void)
{
    for (CU_pFailureRecord record = CU_get_failure_list(); record; record = record->pNext)
        if (record->pTest)
            twin_results_note(record->pTest->pName, TWIN_FAILED, NULL);
}

bool twin_results_end(void)
{
    if (!results)
        return true;
    /* Whole or not at all: others may look for it meanwhile. */
    char part[PATH_MAX];
    const int length = snprintf(part, sizeof(part), "%s.%ld", results_path, (long)getpid());
    FILE *file = length > 0 && (size_t)length < sizeof(part) ? fopen(part, "w") : NULL;
    bool is_written = file != NULL;
    for (size_t i = 0; file && i < listed_count; i++)
        if (results[i].outcome != TWIN_NOT_RUN)
            fprintf(file, "%s\t%s\t%s\n", words[results[i].outcome], listed[i].name,
                    results[i].reason);
    if (file && (fclose(file) != 0 || rename(part, results_path) != 0))
        is_written = false;
    if (!is_written)
        perror(results_path);
    free(results);
    results = NULL;
    return is_written;
}
