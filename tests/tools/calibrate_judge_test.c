/* SPDX-License-Identifier: Apache-2.0 */
/* The confidence intervals of a fit, on a device that is a few sums: so many recordings with
 * different noise can be fitted that intervals can be counted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/fit.h"
#include "support/expect.h"

enum { PARAMETERS = 6, ROWS = 400, RECORDS = 400 };

static const char *const names[PARAMETERS] = {"set_up", "start", "rest", "turn", "one", "other"};
static const double starts[PARAMETERS] = {1000, 60, 500, 4000, 30, 400};
static const double whole[PARAMETERS] = {1370, 42, 610, 2750, 18, 700};
static double truths[PARAMETERS];

/* Replaces the query of the model: how often each parameter is in each length. */
static double shares[ROWS][PARAMETERS];

static double length_of(const double *values, size_t row)
{
    double sum = 0;
    for (size_t p = 0; p < PARAMETERS; p++)
        sum += shares[row][p] * values[p];
    return round(sum);
}

bool calibrate_bench_run(struct calibrate_bench *bench, struct calibrate_trial *trials,
                         size_t count)
{
    for (size_t t = 0; t < count; t++)
        for (size_t r = 0; r < bench->row_count; r++)
            trials[t].rows[r] = length_of(trials[t].values, r);
    bench->trials += count;
    return true;
}

static uint64_t state;

static double random_part(void) /* between 0 and 1, neither of them */
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(random_part())) * cos(2 * M_PI * random_part());
}

/* Every kind of length, some often, some rarely; the last two parameters only as one sum, which a
 * few lengths determine. */
static void lay_lengths(void)
{
    static const double kinds[8][PARAMETERS] = {
        {1, 0, 0, 0, 0, 0}, {1, 1, 0, 0, 0, 0}, {0, 2, 1, 0, 0, 0}, {1, 0, 1, 0, 0, 0},
        {0, 0, 1, 1, 0, 0}, {0, 6, 0, 1, 0, 0}, {0, 1, 1, 0, 0, 0}, {1, 1, 1, 1, 0, 0}};
    static const double sum[PARAMETERS] = {0, 0, 0, 0, 15, 1};
    for (size_t r = 0; r < ROWS; r++)
        memcpy(shares[r], r % 100 == 99 ? sum : kinds[r % 8], sizeof(shares[r]));
}

/* Short lengths of few kinds, which distinguish the sums of a step and of similar steps: all of a
 * kind are rounded the same way. */
static void lay_short_lengths(void)
{
    static const double kinds[4][PARAMETERS] = {
        {0, 1, 0, 0, 1, 0}, {0, 1, 0, 0, 2, 0}, {0, 2, 0, 0, 3, 0}, {0, 1, 0, 0, 1, 1}};
    for (size_t r = 0; r < ROWS; r++)
        memcpy(shares[r], kinds[r % 4], sizeof(shares[r]));
}

struct device {
    struct calibrate_parameter items[PARAMETERS];
    struct calibrate_parameters parameters;
    struct calibrate_row rows[ROWS];
    struct calibrate_rows all;
    struct calibrate_job job;
    struct calibrate_bench bench;
};

/* `chained`: an instant that is noisy ends one length and begins the next. */
static void measure(struct device *device, double noise, bool chained)
{
    double before = 0;
    for (size_t r = 0; r < ROWS; r++) {
        double length = length_of(truths, r);
        double off = noise * length * normal();
        double measured = round(length + off - (chained ? before : 0));
        device->rows[r] = (struct calibrate_row){
            .alone = true, .measured = measured, .sigma = hypot(1, 0.01 * measured)};
        before = off;
    }
}

static bool fit_record(struct device *device, double noise, bool chained)
{
    static char unit[] = "ns";
    struct calibrate_error error = {""};
    unsigned iterations;
    bool settled;
    struct fit fit;
    *device = (struct device){.parameters = {.items = device->items, .count = PARAMETERS},
                              .all = {.items = device->rows, .count = ROWS}};
    for (size_t p = 0; p < PARAMETERS; p++)
        device->items[p] = (struct calibrate_parameter){.name = (char *)names[p],
                                                        .unit = unit,
                                                        .is_free = true,
                                                        .cost = -1,
                                                        .start = starts[p],
                                                        .value = starts[p]};
    measure(device, noise, chained);
    device->job.error = &error;
    device->bench = (struct calibrate_bench){.job = &device->job,
                                             .parameters = &device->parameters,
                                             .rows = &device->all,
                                             .work_count = 1,
                                             .row_count = ROWS};
    bool good = fit_begin(&fit, &device->bench, &device->parameters) && fit_look(&fit) &&
                fit_join(&fit) && fit_solve(&fit, 20, &iterations, &settled) && fit_judge(&fit);
    fit_end(&fit);
    if (!good)
        fprintf(stderr, "%s\n", error.text);
    return good;
}

struct count {
    unsigned given, held, sure, sums, sums_held;
};

static double truth_of(const char *name)
{
    for (size_t p = 0; p < PARAMETERS; p++)
        if (strcmp(names[p], name) == 0)
            return truths[p];
    return NAN;
}

/* Of "a + 0.5 * b" or "a + b"; whole numbers may be off by as much as half of each. */
static bool sum_holds(const struct calibrate_parameter *parameter)
{
    char first[64];
    char second[64];
    double factor = 1;
    if (sscanf(parameter->combination, "%63s + %lf * %63s", first, &factor, second) != 3 &&
        sscanf(parameter->combination, "%63s + %63s", first, second) != 2)
        return false;
    double truth = truth_of(first) + factor * truth_of(second);
    double half = 0.5 * (1 + factor);
    return parameter->sum_low - half <= truth && truth <= parameter->sum_high + half;
}

static void judge_record(const struct device *device, struct count *count)
{
    for (size_t p = 0; p < PARAMETERS; p++) {
        const struct calibrate_parameter *parameter = &device->items[p];
        if (!isnan(parameter->low)) {
            count->given++;
            count->held += parameter->low <= truths[p] && truths[p] <= parameter->high;
        }
        count->sure += parameter->verdict == CALIBRATE_FITTED;
        if (parameter->verdict != CALIBRATE_TOGETHER)
            continue;
        count->sums++;
        count->sums_held += sum_holds(parameter);
    }
}

/* A device's steps take no whole nanoseconds; lengths, and the model, have these alone. */
static void expect_rounded_intervals(void)
{
    static struct device device;
    struct count count = {0};
    state = 11;
    for (unsigned i = 0; i < RECORDS; i++) {
        for (size_t p = 0; p < PARAMETERS; p++)
            truths[p] = whole[p] + random_part() - 0.5;
        CU_ASSERT_TRUE_FATAL(fit_record(&device, 0, false));
        judge_record(&device, &count);
    }
    memcpy(truths, whole, sizeof(truths));
    printf(
        "rounded: %u intervals, %u hold the truth, %u are sure, %u in sums, %u of these hold it\n",
        count.given, count.held, count.sure, count.sums, count.sums_held);
    CU_ASSERT_TRUE(count.given >= 2 * RECORDS);
    CU_ASSERT_TRUE((count.given - count.held) * 100 <= count.given);
    CU_ASSERT_TRUE((count.sums - count.sums_held) * 100 <= count.sums);
}

/* 3 of 1000 may miss: with so many intervals more than 1 % do by chance less than once in a million
 * times. */
static void expect_intervals(double noise, bool chained)
{
    static struct device device;
    struct count count = {0};
    state = 7;
    for (unsigned i = 0; i < RECORDS; i++) {
        CU_ASSERT_TRUE_FATAL(fit_record(&device, noise, chained));
        judge_record(&device, &count);
    }
    printf("noise %.3f%s: %u intervals, %u hold the truth, %u are sure, %u in sums, %u of these "
           "hold it\n",
           noise, chained ? ", chained" : "", count.given, count.held, count.sure, count.sums,
           count.sums_held);
    CU_ASSERT_TRUE(count.given >= 4 * RECORDS);
    CU_ASSERT_TRUE((count.given - count.held) * 100 <= count.given);
    CU_ASSERT_TRUE((count.sums - count.sums_held) * 100 <= count.sums);
}

static void test_sum(void)
{
    static struct device device;
    CU_ASSERT_TRUE_FATAL(fit_record(&device, 0, false));
    for (size_t p = PARAMETERS - 2; p < PARAMETERS; p++) {
        const struct calibrate_parameter *parameter = &device.items[p];
        CU_ASSERT_EQUAL(parameter->verdict, CALIBRATE_TOGETHER);
        CU_ASSERT_TRUE(isnan(parameter->low) ||
                       (parameter->low <= truths[p] && truths[p] <= parameter->high));
    }
}

static void test_quiet(void)
{
    expect_intervals(0, false);
}

static void test_noise(void)
{
    expect_intervals(0.005, false);
    expect_intervals(0.02, false);
}

static void test_chained_noise(void)
{
    expect_intervals(0.005, true);
    expect_intervals(0.02, true);
}

static void test_rounded(void)
{
    expect_rounded_intervals();
    lay_short_lengths();
    expect_rounded_intervals();
    lay_lengths();
}

static const twin_test tests[] = {
    {"lengths that know one sum of two parameters measure neither", test_sum},
    {"without noise every interval holds the truth", test_quiet},
    {"nor does it matter that lengths of a kind are all rounded the same way", test_rounded},
    {"intervals hold the truth as often as they say, whatever the noise", test_noise},
    {"and where an instant that is noisy belongs to two lengths", test_chained_noise},
};

int main(int argc, char **argv)
{
    memcpy(truths, whole, sizeof(truths));
    lay_lengths();
    return twin_run_suite("calibrate_judge", tests, TWIN_COUNT(tests), argc, argv);
}
