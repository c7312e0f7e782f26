/* SPDX-License-Identifier: Apache-2.0 */
/* The results of the tests of a program, in a file: `--results=FILE`. */
#ifndef TWINRT_TESTS_RESULTS_H
#define TWINRT_TESTS_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cunit_main.h"

typedef enum twin_outcome {
    TWIN_NOT_RUN,
    TWIN_PASSED,
    TWIN_FAILED,
    TWIN_SKIPPED,
    TWIN_KNOWN /* known to fail, and did */
} twin_outcome;

/* Begins the list; `tests` is borrowed. `path` NULL: outcomes are dropped. The file is deleted, so
 * that none is left when the program does not reach its end. */
void twin_results_begin(const char *path, const twin_test *tests, size_t count);
/* Notes an outcome by the name of the test; a failure stays one. `reason` is copied, NULL: none. */
void twin_results_note(const char *test, twin_outcome outcome, const char *reason);
/* Notes the failures that CUnit has on its list, before its registry goes. */
void twin_results_failures(void);
/* Writes the file: one line `outcome TAB test TAB reason` for each test that was to run. False: it
 * cannot be written, with a message on standard error. */
bool twin_results_end(void);

#endif
