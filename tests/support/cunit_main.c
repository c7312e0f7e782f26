/* SPDX-License-Identifier: Apache-2.0 */
#include "support/cunit_main.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "support/results.h"

enum { MAX_BACKENDS = 8, MAX_ONLY = 16 };

static struct {
    const char *backend;
    const twin_expectation *rows;
    size_t count;
} expected[MAX_BACKENDS];
static size_t expected_count;

static const char *suite_name;
static const char *results_path;
static const char *only[MAX_ONLY];
static size_t only_count;
static const char *except[MAX_ONLY];
static size_t except_count;

static unsigned skipped;
static unsigned known_failing;
static CU_pTest skipped_test; /* the running test, once it was skipped */

void twin_expect_on(const char *backend, const twin_expectation *rows, size_t count)
{
    if (expected_count == MAX_BACKENDS) {
        fputs("twin_expect_on: more backends than MAX_BACKENDS\n", stderr);
        exit(TWIN_EXIT_FAILED);
    }
    expected[expected_count].backend = backend;
    expected[expected_count].rows = rows;
    expected[expected_count].count = count;
    expected_count++;
}

const char *twin_test_backend(void)
{
    const char *name = getenv("TWINRT_BACKEND");
    return name && *name ? name : "auto";
}

void twin_skip_test(const char *reason)
{
    if (skipped_test != CU_get_current_test())
        skipped++;
    skipped_test = CU_get_current_test();
    twin_results_note(skipped_test->pName, TWIN_SKIPPED, reason);
    printf("[skipped: %s] ", reason);
}

static bool names_test(const char *row, const char *test)
{
    if (strcmp(row, test) == 0)
        return true;
    size_t length = strlen(suite_name);
    return strncmp(row, suite_name, length) == 0 && strncmp(row + length, ": ", 2) == 0 &&
           strcmp(row + length + 2, test) == 0;
}

static const twin_expectation *find_expectation(const char *test)
{
    for (size_t b = 0; b < expected_count; b++) {
        if (strcmp(expected[b].backend, twin_test_backend()) != 0)
            continue;
        for (size_t i = 0; i < expected[b].count; i++) {
            if (names_test(expected[b].rows[i].test, test))
                return &expected[b].rows[i];
        }
    }
    return NULL;
}

static bool selected(const char *test)
{
    for (size_t i = 0; i < except_count; i++) {
        if (strstr(test, except[i]))
            return false;
    }
    for (size_t i = 0; i < only_count; i++) {
        if (strstr(test, only[i]))
            return true;
    }
    return only_count == 0;
}

static int usage(const char *program, FILE *out, int status)
{
    fprintf(
        out,
        "usage: %s [--list] [--only=SUBSTRING]... [--except=SUBSTRING]... [--backend=NAME] "
        "[--results=FILE]\n"
        "  --list              print the names of the tests and stop\n"
        "  --only=SUBSTRING    run the tests whose name contains SUBSTRING\n"
        "  --except=SUBSTRING  do not run the tests whose name contains SUBSTRING\n"
        "  --backend=NAME      set TWINRT_BACKEND for this run\n"
        "  --results=FILE      write a line for each test: pass, fail, skip or known (to fail), "
        "its name, the reason\n"
        "exit status: 0 passed, 1 failed, 77 every test was skipped\n",
        program);
    return status;
}

/* True when the program shall go on; else *out_status is what it returns. */
static bool parse_options(int argc, char **argv, const twin_test *tests, size_t count,
                          int *out_status)
{
    bool list = false;
    *out_status = TWIN_EXIT_PASSED;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "--list") == 0) {
            list = true;
        } else if (strncmp(arg, "--only=", 7) == 0 && only_count < MAX_ONLY) {
            only[only_count++] = arg + 7;
        } else if (strncmp(arg, "--except=", 9) == 0 && except_count < MAX_ONLY) {
            except[except_count++] = arg + 9;
        } else if (strncmp(arg, "--backend=", 10) == 0 && arg[10]) {
            setenv("TWINRT_BACKEND", arg + 10, 1);
        } else if (strncmp(arg, "--results=", 10) == 0 && arg[10]) {
            results_path = arg + 10;
        } else if (strcmp(arg, "--help") == 0) {
            *out_status = usage(argv[0], stdout, TWIN_EXIT_PASSED);
            return false;
        } else {
            fprintf(stderr, "%s: cannot use the argument \"%s\"\n", argv[0], arg);
            *out_status = usage(argv[0], stderr, TWIN_EXIT_FAILED);
            return false;
        }
    }
    for (size_t i = 0; list && i < count; i++) {
        if (selected(tests[i].name))
            puts(tests[i].name);
    }
    return !list;
}

static void known_failing_passed(void)
{
    CU_FAIL("a known-failing test passes: take its row out of the list of this backend");
}

static void die(const char *what)
{
    fprintf(stderr, "%s: CUnit: %s: %s\n", suite_name, what, CU_get_error_msg());
    exit(TWIN_EXIT_FAILED);
}

static CU_pTest add_test(CU_pSuite suite, const char *name, CU_TestFunc run)
{
    CU_pTest test = CU_add_test(suite, name, run);
    if (!test)
        die(name);
    return test;
}

/* Runs one known-failing test by itself, so that its failure does not count, and says whether it
 * passed. */
static bool passes_alone(const twin_test *row, const char *reason)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        die("no registry");
    CU_pSuite suite = CU_add_suite("known failing", NULL, NULL);
    if (!suite)
        die("no suite");
    CU_pTest test = add_test(suite, row->name, row->run);

    skipped_test = NULL;
    unsigned skipped_before = skipped;
    printf("  Known failing: %s\n    (%s)\n", row->name, reason);
    CU_run_test(suite, test);
    bool failed = CU_get_number_of_failures() != 0 || skipped != skipped_before;
    skipped = skipped_before;
    printf("    ...%s\n", failed ? "failed, as listed" : "PASSED");
    CU_cleanup_registry();
    return !failed;
}

/* The tests of the real run: those that count. */
typedef struct test_plan {
    const twin_test **run;
    size_t run_count;
    const twin_test **surprises; /* known-failing tests that passed */
    size_t surprise_count;
} test_plan;

static void make_plan(test_plan *plan, const twin_test *tests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!selected(tests[i].name))
            continue;
        const twin_expectation *row = find_expectation(tests[i].name);
        if (!row) {
            plan->run[plan->run_count++] = &tests[i];
        } else if (row->kind == TWIN_UNSUPPORTED) {
            skipped++;
            twin_results_note(tests[i].name, TWIN_SKIPPED, row->reason);
            printf("  Skipped: %s\n    (%s: %s)\n", tests[i].name, twin_test_backend(),
                   row->reason);
        } else if (passes_alone(&tests[i], row->reason)) {
            plan->surprises[plan->surprise_count++] = &tests[i];
        } else {
            twin_results_note(tests[i].name, TWIN_KNOWN, row->reason);
            known_failing++;
        }
    }
}

static int run_plan(const test_plan *plan)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        die("no registry");
    CU_pSuite suite = CU_add_suite(suite_name, NULL, NULL);
    if (!suite)
        die("no suite");
    for (size_t i = 0; i < plan->run_count; i++)
        add_test(suite, plan->run[i]->name, plan->run[i]->run);
    for (size_t i = 0; i < plan->surprise_count; i++)
        add_test(suite, plan->surprises[i]->name, known_failing_passed);
    for (size_t i = 0; i < plan->run_count; i++)
        twin_results_note(plan->run[i]->name, TWIN_PASSED, NULL); /* until it says otherwise */

    skipped_test = NULL;
    unsigned skipped_before = skipped;
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    twin_results_failures();

    unsigned failed = CU_get_number_of_tests_failed();
    unsigned passed = CU_get_number_of_tests_run() - failed - (skipped - skipped_before);
    CU_cleanup_registry();
    printf("%u passed, %u failed", passed, failed);
    if (skipped)
        printf(", %u skipped", skipped);
    putchar('\n');
    if (known_failing)
        printf("(%u known to fail here, and did)\n", known_failing);
    fflush(stdout);
    if (failed)
        return TWIN_EXIT_FAILED;
    return passed == 0 && skipped ? TWIN_EXIT_SKIPPED : TWIN_EXIT_PASSED;
}

int twin_run_suite(const char *suite, const twin_test *tests, size_t count, int argc, char **argv)
{
    int status;
    suite_name = suite;
    setvbuf(stdout, NULL, _IONBF, 0); /* a crash must not swallow the name of the test */
    if (!parse_options(argc, argv, tests, count, &status))
        return status;

    test_plan plan = {.run = calloc(count + 1, sizeof(*plan.run)),
                      .surprises = calloc(count + 1, sizeof(*plan.surprises))};
    if (!plan.run || !plan.surprises) {
        fputs("out of memory\n", stderr);
        exit(TWIN_EXIT_FAILED);
    }
    twin_results_begin(results_path, tests, count);
    make_plan(&plan, tests, count);
    if (plan.run_count + plan.surprise_count + skipped + known_failing == 0) {
        fprintf(stderr, "%s: no test matches\n", suite);
        status = TWIN_EXIT_FAILED;
    } else {
        status = run_plan(&plan);
    }
    if (!twin_results_end())
        status = TWIN_EXIT_FAILED;
    free(plan.run);
    free(plan.surprises);
    return status;
}
