/* SPDX-License-Identifier: Apache-2.0 */
/* How a wait between streams is taken apart, on slices made up here. */
#include "support/cunit_main.h"

#include <stdlib.h>
#include <string.h>

#include "sync_breakdown.h"
#include "tool.h"

#define TRACK_A 1u
#define TRACK_B 2u

static struct trace_slice slices[16];
static const struct trace_slice *tasks[16];
static struct trace_file file;

static struct trace_slice *add(enum trace_kind kind, const char *name, uint32_t track,
                               uint64_t number, uint64_t begin_ns, uint64_t end_ns)
{
    struct trace_slice *slice = &slices[file.count++];
    *slice = (struct trace_slice){.kind = kind,
                                  .name = name,
                                  .track = track,
                                  .stream = track + 10,
                                  .number = number,
                                  .begin_ns = begin_ns,
                                  .end_ns = end_ns};
    if (kind == TRACE_TASK)
        tasks[file.task_count++] = slice;
    return slice;
}

/* A's record is done at 1000; B parks from 300 to 960, its next task is done at 3000. */
static void begin(void)
{
    memset(&file, 0, sizeof(file));
    file.slices = slices;
    file.tasks = tasks;
    add(TRACE_TASK, "record event 0", TRACK_A, 4, 500, 1000);
    add(TRACE_TASK, "wait event 0", TRACK_B, 7, 200, 1100);
    struct trace_slice *park = add(TRACE_WAIT, "park", TRACK_B, 7, 300, 960);
    park->woken = true;
    park->waker_track = TRACK_A;
    park->waker_number = 4;
    add(TRACE_TASK, "SDMA", TRACK_B, 8, 1050, 3000);
    add(TRACE_PHASE, "retire", TRACK_B, 7, 960, 1100);
}

static uint64_t sum(const struct sync_breakdown *breakdown)
{
    uint64_t total = 0;
    for (size_t i = 0; i < breakdown->part_count; i++)
        total += breakdown->parts[i].end_ns - breakdown->parts[i].begin_ns;
    return total;
}

static void test_sums(void)
{
    begin();
    add(TRACE_PHASE, "fetch", TRACK_B, 8, 1050, 1500); /* overlaps the wait's end: counted once */
    add(TRACE_PHASE, "transfer", TRACK_B, 8, 1500, 3000);
    struct sync_breakdown breakdown;
    CU_ASSERT_EQUAL_FATAL(sync_breakdown_longest(&file, &breakdown), 1);
    CU_ASSERT_EQUAL(breakdown.record->number, 4);
    CU_ASSERT_EQUAL(breakdown.wait->number, 7);
    CU_ASSERT_EQUAL(breakdown.next->number, 8);
    CU_ASSERT_EQUAL(breakdown.begin_ns, 960); /* before the record itself is written off */
    CU_ASSERT_EQUAL(breakdown.end_ns, 3000);
    CU_ASSERT_EQUAL(breakdown.part_count, 3);
    CU_ASSERT_STRING_EQUAL(breakdown.parts[0].phase->name, "retire");
    CU_ASSERT_EQUAL(breakdown.parts[0].end_ns, 1100);
    CU_ASSERT_STRING_EQUAL(breakdown.parts[1].phase->name, "fetch");
    CU_ASSERT_STRING_EQUAL(breakdown.parts[2].phase->name, "transfer");
    CU_ASSERT_EQUAL(sum(&breakdown), 3000 - 960);
    CU_ASSERT_EQUAL(breakdown.unaccounted_ns, 0);
    sync_breakdown_free(&breakdown);
}

static void test_hole(void)
{
    begin();
    add(TRACE_PHASE, "transfer", TRACK_B, 8, 1500, 3000);
    struct sync_breakdown breakdown;
    CU_ASSERT_EQUAL_FATAL(sync_breakdown_longest(&file, &breakdown), 1);
    CU_ASSERT_EQUAL(sum(&breakdown), 3000 - 960);
    CU_ASSERT_EQUAL(breakdown.unaccounted_ns, 400); /* from 1100 to 1500 */
    CU_ASSERT_PTR_NULL(breakdown.parts[1].phase);
    sync_breakdown_free(&breakdown);
}

static void test_no_next(void)
{
    begin();
    file.task_count = 2; /* nothing after the wait */
    struct sync_breakdown breakdown;
    CU_ASSERT_EQUAL_FATAL(sync_breakdown_longest(&file, &breakdown), 1);
    CU_ASSERT_PTR_EQUAL(breakdown.next, breakdown.wait);
    CU_ASSERT_EQUAL(sum(&breakdown), 1100 - 960);
    CU_ASSERT_EQUAL(breakdown.unaccounted_ns, 0);
    sync_breakdown_free(&breakdown);
}

static void test_none(void)
{
    begin();
    slices[2].waker_track = TRACK_B; /* its own stream: no hand-over */
    struct sync_breakdown breakdown;
    CU_ASSERT_EQUAL(sync_breakdown_longest(&file, &breakdown), 0);
    CU_ASSERT_EQUAL(sync_breakdown_count(&file), 0);
}

static void test_bad_files(void)
{
    struct trace_file loaded;
    char error[256] = "";
    CU_ASSERT_EQUAL(trace_file_load("no such file", &loaded, error, sizeof(error)), -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "no such file"));
    CU_ASSERT_EQUAL(trace_file_load(".", &loaded, error, sizeof(error)), -1);
    FILE *bad = fopen("bad.json", "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(bad);
    fputs("{\"traceEvents\":[{\"ph\":\"X\",", bad);
    (void)fclose(bad);
    CU_ASSERT_EQUAL(trace_file_load("bad.json", &loaded, error, sizeof(error)), -1);
    bad = fopen("bad.json", "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(bad);
    fputs("{\"traceEvents\":[1,null,{\"ph\":3},{\"ph\":\"X\",\"cat\":\"task\",\"name\":\"x\","
          "\"ts\":-1,\"dur\":1e300,\"args\":{\"number\":\"one\"}}]}",
          bad);
    (void)fclose(bad);
    CU_ASSERT_EQUAL_FATAL(trace_file_load("bad.json", &loaded, error, sizeof(error)), 0);
    CU_ASSERT_EQUAL(loaded.count, 0);
    trace_file_free(&loaded);
}

static const twin_test tests[] = {
    {"the parts of a hand-over sum to its whole", test_sums},
    {"time that no phase covers is called unaccounted", test_hole},
    {"a wait with nothing after it ends the hand-over itself", test_no_next},
    {"a wait that its own stream ended is not a hand-over", test_none},
    {"a file that is not a timeline is refused or read as empty", test_bad_files},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sync_breakdown", tests, TWIN_COUNT(tests), argc, argv);
}
