/* SPDX-License-Identifier: Apache-2.0 */
/* The main() of every CUnit test program: options, expectations per backend, closing lines.
 *
 *   static void test_x(void) { CU_ASSERT(...); }
 *   static const twin_test tests[] = {
 *       {"a copy waits for the event recorded before it", test_x},
 *   };
 *   int main(int argc, char **argv)
 *   {
 *       return twin_run_suite("stream", tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
 *   }
 *
 * CUnit keeps its records in unguarded globals: assert only in the thread that runs the test. */
#ifndef TWINRT_TESTS_CUNIT_MAIN_H
#define TWINRT_TESTS_CUNIT_MAIN_H

#include <stddef.h>

#include <CUnit/CUnit.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TWIN_EXIT_PASSED  0
#define TWIN_EXIT_FAILED  1
#define TWIN_EXIT_SKIPPED 77 /* every test was skipped; SKIP_RETURN_CODE of ctest */

#define TWIN_COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct twin_test {
    const char *name; /* a sentence about behaviour */
    void (*run)(void);
} twin_test;

/* Why a test is not expected to pass on a backend. */
typedef enum twin_expectation_kind {
    TWIN_UNSUPPORTED,  /* for ever: the test is skipped */
    TWIN_KNOWN_FAILING /* to be fixed: the test runs and must fail; passing fails the run */
} twin_expectation_kind;

/* One row of a backend's list in tests/conformance/expect/. */
typedef struct twin_expectation {
    const char *test; /* the whole name; "suite: name" when two suites share a name */
    twin_expectation_kind kind;
    const char *reason;
} twin_expectation;

/* Gives the rows that hold for `backend`. Call before twin_run_suite, once per backend. The rows
 * are borrowed. Rows that name no test of the suite are ignored: one list serves all suites. */
void twin_expect_on(const char *backend, const twin_expectation *rows, size_t count);

/* Runs the tests in order and returns the exit status of the program: TWIN_EXIT_*.
 * Options: --list, --only=SUBSTRING (may be repeated), --backend=NAME (sets TWINRT_BACKEND before
 * anything runs), --results=FILE (what became of each test), --help. */
int twin_run_suite(const char *suite, const twin_test *tests, size_t count, int argc, char **argv);

/* The --backend of this run, else TWINRT_BACKEND, else "auto". Valid inside tests. */
const char *twin_test_backend(void);

/* Counts the running test as skipped. The test must return at once: TWIN_SKIP does both. */
void twin_skip_test(const char *reason);

#define TWIN_SKIP(reason)                                                                          \
    do {                                                                                           \
        twin_skip_test(reason);                                                                    \
        return;                                                                                    \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
