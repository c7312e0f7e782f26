/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path of every call that waited, in the timelines that are named: the parts fill the
 * call exactly.
 *
 *   critical_path_test FILE...     without files: a small one made up here */
#include "support/cunit_main.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "critical_path.h"

#include "twinsim.h"

/* Two streams, one channel: the first copies, then records; the second waits for the record, then
 * for the channel that a third has, then for a share. Times in us; the numbers are made up, the
 * structure is the writer's. */
static const char story[] = /* a format */
    "{\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"call\",\"name\":\"wait\",\"ts\":5.000,\"dur\":15.000,\"pid\":1,"
    "\"tid\":1,"
    " \"args\":{\"parameter\":\"host.wait_ns\",\"value\":\"500\",\"unit\":\"ns\",\"mark\":"
    "\"assumed\"}},"
    "{\"ph\":\"X\",\"cat\":\"host "
    "wait\",\"name\":\"w\",\"ts\":5.500,\"dur\":14.000,\"pid\":1,\"tid\":1,"
    " \"args\":{\"cause\":\"work\",\"done\":18.000,\"number\":2,\"device\":0,\"stream\":2,"
    "\"track\":2}},"
    /* stream 1: visible at 1, moves alone for 3 of 6, records */
    "{\"ph\":\"i\",\"name\":\"doorbell\",\"cat\":\"phase\",\"ts\":1.000,"
    " \"args\":{\"number\":1,\"track\":1,\"thread\":0,\"rung\":0.500}},"
    "{\"ph\":\"X\",\"cat\":\"phase\",\"name\":\"fetch\",\"ts\":1.000,\"dur\":1.000,"
    " \"args\":{\"number\":1,\"track\":1,\"stream\":1,\"device\":0}},"
    "{\"ph\":\"X\",\"cat\":\"phase\",\"name\":\"transfer\",\"ts\":2.000,\"dur\":6.000,"
    " \"args\":{\"number\":1,\"track\":1,\"stream\":1,\"device\":0,\"alone\":3.000,\"engine\":"
    "\"SDMA\",\"channel\":4}},"
    "{\"ph\":\"X\",\"cat\":\"engine\",\"name\":\"transfer\",\"ts\":2.000,\"dur\":6.000,"
    " \"args\":{\"number\":1,\"track\":1,\"stream\":1,\"device\":0,\"engine\":\"SDMA\",\"channel\":"
    "4}},"
    "{\"ph\":\"X\",\"cat\":\"task\",\"name\":\"t\",\"ts\":1.000,\"dur\":7.000,"
    " \"args\":{\"number\":1,\"track\":1,\"stream\":1,\"device\":0}},"
    /* its slot and its share of the AIV class, released at 7 and 6 */
    "{\"ph\":\"X\",\"cat\":\"slot\",\"name\":\"s\",\"ts\":1.000,\"dur\":6.000,"
    " \"args\":{\"number\":1,\"track\":1,\"stream\":1,\"device\":0,\"slot\":0}},"
    "{\"ph\":\"X\",\"cat\":\"share\",\"name\":\"s\",\"ts\":1.000,\"dur\":5.000,"
    " \"args\":{\"number\":1,\"track\":1,\"stream\":1,\"device\":0,\"class\":%d}},"
    /* stream 2, task 1: waits for the channel until 8, moves until 12 */
    "{\"ph\":\"X\",\"cat\":\"phase\",\"name\":\"engine\",\"ts\":3.000,\"dur\":5.000,"
    " \"args\":{\"number\":1,\"track\":2,\"stream\":2,\"device\":0,\"engine\":\"SDMA\",\"channel\":"
    "4,"
    " \"parameter\":\"dma.sdma.channels\",\"value\":\"1\",\"unit\":\"1\",\"mark\":\"inferred\"}},"
    "{\"ph\":\"X\",\"cat\":\"phase\",\"name\":\"transfer\",\"ts\":8.000,\"dur\":4.000,"
    " \"args\":{\"number\":1,\"track\":2,\"stream\":2,\"device\":0,\"alone\":4.000,\"engine\":"
    "\"SDMA\",\"channel\":4}},"
    "{\"ph\":\"X\",\"cat\":\"task\",\"name\":\"t\",\"ts\":3.000,\"dur\":9.000,"
    " \"args\":{\"number\":1,\"track\":2,\"stream\":2,\"device\":0}},"
    /* task 2: parks until stream 3's record at 16, whose doorbell was rung at 13 */
    "{\"ph\":\"X\",\"cat\":\"wait\",\"name\":\"park\",\"ts\":12.000,\"dur\":4.000,"
    " \"args\":{\"number\":2,\"track\":2,\"stream\":2,\"device\":0,\"waker_track\":3,\"waker_"
    "stream\":3,\"waker_number\":1}},"
    "{\"ph\":\"X\",\"cat\":\"phase\",\"name\":\"retire\",\"ts\":16.000,\"dur\":2.000,"
    " \"args\":{\"number\":2,\"track\":2,\"stream\":2,\"device\":0}},"
    "{\"ph\":\"X\",\"cat\":\"task\",\"name\":\"t\",\"ts\":12.000,\"dur\":6.000,"
    " \"args\":{\"number\":2,\"track\":2,\"stream\":2,\"device\":0}},"
    "{\"ph\":\"i\",\"name\":\"doorbell\",\"cat\":\"phase\",\"ts\":%s,"
    " \"args\":{\"number\":1,\"track\":3,\"thread\":1,\"rung\":%s}},"
    "{\"ph\":\"X\",\"cat\":\"phase\",\"name\":\"table\",\"ts\":%s,\"dur\":1.000,"
    " \"args\":{\"number\":1,\"track\":3,\"stream\":3,\"device\":0}},"
    "{\"ph\":\"X\",\"cat\":\"task\",\"name\":\"t\",\"ts\":%s,\"dur\":1.000,"
    " \"args\":{\"number\":1,\"track\":3,\"stream\":3,\"device\":0}}"
    "],\"otherData\":{}}";

static char **names;
static int name_count;

static void load(struct trace_file *file, const char *path)
{
    char error[512] = "";
    CU_ASSERT_EQUAL_FATAL(trace_file_load(path, file, error, sizeof(error)), 0);
}

/* The record is visible at `seen`, rung for at `rung`; in us. */
static void load_story_at(struct trace_file *file, const char *seen, const char *rung)
{
    FILE *out = fopen("story.json", "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    fprintf(out, story, TWINSIM_CLASS_AIV, seen, rung, seen, seen);
    (void)fclose(out);
    load(file, "story.json");
}

static void load_story(struct trace_file *file)
{
    load_story_at(file, "15.000", "13.000");
}

static void expect_part(const struct critical_part *part, uint64_t begin_us, uint64_t end_us,
                        enum critical_cause cause)
{
    CU_ASSERT_EQUAL(part->begin_ns, begin_us * 1000);
    CU_ASSERT_EQUAL(part->end_ns, end_us * 1000);
    CU_ASSERT_EQUAL(part->cause, cause);
}

static void test_waker(void)
{
    struct trace_file file;
    struct critical_path path;
    const struct trace_slice *calls[2];
    load_story(&file);
    CU_ASSERT_EQUAL_FATAL(critical_waits(&file, calls, 2), 1);
    CU_ASSERT_EQUAL_FATAL(critical_follow(&file, calls[0], &path), 0);
    /* 5 call, 5.5 unsent, 13 doorbell, 15 table, 16 retire, 18 wake, 19.5 call, 20 */
    CU_ASSERT_EQUAL_FATAL(path.part_count, 7);
    CU_ASSERT_EQUAL(path.parts[0].cause, CRITICAL_CALL);
    CU_ASSERT_EQUAL(path.parts[1].cause, CRITICAL_UNSENT);
    CU_ASSERT_EQUAL(path.parts[1].begin_ns, 5500);
    expect_part(&path.parts[2], 13, 15, CRITICAL_DOORBELL);
    expect_part(&path.parts[3], 15, 16, CRITICAL_TABLE);
    expect_part(&path.parts[4], 16, 18, CRITICAL_RETIRE);
    CU_ASSERT_EQUAL(path.parts[5].cause, CRITICAL_WAKE);
    CU_ASSERT_EQUAL(path.parts[6].cause, CRITICAL_CALL);
    CU_ASSERT_TRUE(path.submitted);
    CU_ASSERT_EQUAL(path.submit_ns, 13000);
    CU_ASSERT_EQUAL(path.submit_thread, 1);
    CU_ASSERT_EQUAL(path.before_count, 0);
    critical_free(&path);
    /* A thread that serves callbacks is idle while it waits for one. */
    file.others[calls[0] - file.others].name = "aclrtProcessReport";
    CU_ASSERT_EQUAL(critical_waits(&file, calls, 2), 0);
    trace_file_free(&file);
}

/* The record was made two microseconds before the park ended: it came from another device. */
static void test_waker_elsewhere(void)
{
    struct trace_file file;
    struct critical_path path;
    const struct trace_slice *calls[1];
    load_story_at(&file, "13.000", "12.000");
    CU_ASSERT_EQUAL_FATAL(critical_waits(&file, calls, 1), 1);
    CU_ASSERT_EQUAL_FATAL(critical_follow(&file, calls[0], &path), 0);
    /* 5 call, 5.5 unsent, 12 doorbell, 13 table, 14 the way, 16 retire, 18 wake, 19.5 call, 20 */
    CU_ASSERT_EQUAL_FATAL(path.part_count, 8);
    expect_part(&path.parts[2], 12, 13, CRITICAL_DOORBELL);
    expect_part(&path.parts[3], 13, 14, CRITICAL_TABLE);
    CU_ASSERT_EQUAL(path.parts[3].slice->stream, 3);
    expect_part(&path.parts[4], 14, 16, CRITICAL_TABLE);
    CU_ASSERT_STRING_EQUAL(path.parts[4].slice->name, "park");
    expect_part(&path.parts[5], 16, 18, CRITICAL_RETIRE);
    critical_free(&path);
    trace_file_free(&file);
}

/* The same without the park: the chain goes through the channel to stream 1 and its doorbell. */
static void test_channel(void)
{
    struct trace_file file;
    struct critical_path path;
    const struct trace_slice *calls[1];
    load_story(&file);
    for (size_t i = 0; i < file.count; i++)
        if (file.slices[i].kind == TRACE_WAIT)
            file.slices[i].woken = false;
    CU_ASSERT_EQUAL_FATAL(critical_waits(&file, calls, 1), 1);
    CU_ASSERT_EQUAL_FATAL(critical_follow(&file, calls[0], &path), 0);
    /* 5 call, 5.5 alone since 5, 8 transfer, 12 outside, 16 retire, 18 wake, 19.5 call */
    CU_ASSERT_EQUAL_FATAL(path.part_count, 7);
    CU_ASSERT_EQUAL(path.parts[1].begin_ns, 5500);
    CU_ASSERT_EQUAL(path.parts[1].end_ns, 8000);
    CU_ASSERT_EQUAL(path.parts[1].cause, CRITICAL_MOVE);
    CU_ASSERT_EQUAL(path.parts[1].slice->stream, 1);
    expect_part(&path.parts[2], 8, 12, CRITICAL_MOVE);
    expect_part(&path.parts[3], 12, 16, CRITICAL_OUTSIDE);
    /* before: rung 0.5, visible 1, fetched 2, shared until 5, alone until 5.5 */
    CU_ASSERT_EQUAL_FATAL(path.before_count, 4);
    CU_ASSERT_EQUAL(path.before[0].begin_ns, 500);
    CU_ASSERT_EQUAL(path.before[0].cause, CRITICAL_DOORBELL);
    expect_part(&path.before[1], 1, 2, CRITICAL_FETCH);
    expect_part(&path.before[2], 2, 5, CRITICAL_SHARED);
    CU_ASSERT_EQUAL(path.before[3].begin_ns, 5000);
    CU_ASSERT_EQUAL(path.before[3].end_ns, 5500);
    CU_ASSERT_EQUAL(path.submit_ns, 500);
    critical_free(&path);
    trace_file_free(&file);
}

/* The same, with the wait for the channel made one for `resource`: what it is caused by, and when
 * its holder released that (0: it leads to none). */
static void expect_resource(uint32_t resource, enum critical_cause cause, uint64_t released_us)
{
    struct trace_file file;
    struct critical_path path;
    const struct trace_slice *calls[1];
    load_story(&file);
    for (size_t i = 0; i < file.count; i++) {
        file.slices[i].woken = false;
        if (file.slices[i].phase == TWINSIM_PHASE_ENGINE) {
            file.slices[i].resource = resource;
            file.slices[i].share = TWINSIM_CLASS_AIV;
        }
    }
    CU_ASSERT_EQUAL_FATAL(critical_waits(&file, calls, 1), 1);
    CU_ASSERT_EQUAL_FATAL(critical_follow(&file, calls[0], &path), 0);
    /* 5 call, 5.5 what it was caused by, 8 transfer, 12 outside, 16 retire, 18 wake, 19.5 call */
    const struct critical_part *part = &path.parts[1];
    if (released_us > 0) { /* until then the holder moved its bytes */
        CU_ASSERT_EQUAL_FATAL(path.part_count, 8);
        CU_ASSERT_EQUAL(part->slice->stream, 1);
        part++;
        CU_ASSERT_EQUAL(part->begin_ns, released_us * 1000);
    } else {
        CU_ASSERT_EQUAL_FATAL(path.part_count, 7);
        CU_ASSERT_EQUAL(part->begin_ns, 5500);
    }
    CU_ASSERT_EQUAL(part->end_ns, 8000);
    CU_ASSERT_EQUAL(part->cause, cause);
    CU_ASSERT_EQUAL(part->slice->stream, 2);
    critical_free(&path);
    trace_file_free(&file);
}

static void test_resources(void)
{
    expect_resource(TWINSIM_RESOURCE_AIC, CRITICAL_KERNEL, 0);
    expect_resource(TWINSIM_RESOURCE_AIV, CRITICAL_KERNEL, 0);
    expect_resource(TWINSIM_RESOURCE_COUNT, CRITICAL_LOOP, 0);
    expect_resource(TWINSIM_RESOURCE_LINK, CRITICAL_SETUP, 0);
    expect_resource(TWINSIM_RESOURCE_SLOT, CRITICAL_SWAP, 7);
    expect_resource(TWINSIM_RESOURCE_CLASS, CRITICAL_SWAP, 6);
}

/* Whether the parts are in order, without gap or overlap, from begin to end. */
static bool tiles(const struct critical_part *parts, size_t count, uint64_t begin_ns,
                  uint64_t end_ns)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i].begin_ns != begin_ns || parts[i].end_ns <= begin_ns)
            return false;
        begin_ns = parts[i].end_ns;
    }
    return begin_ns == end_ns;
}

static void test_files(void)
{
    uint64_t total = 0;
    uint64_t unknown = 0;
    size_t chains = 0;
    bool seen[CRITICAL_CAUSES] = {false};
    for (int n = 0; n < name_count; n++) {
        struct trace_file file;
        load(&file, names[n]);
        size_t count = critical_waits(&file, NULL, 0);
        const struct trace_slice **calls = calloc(count + 1, sizeof(const struct trace_slice *));
        CU_ASSERT_PTR_NOT_NULL_FATAL(calls);
        if (!calls)
            return;
        CU_ASSERT_EQUAL_FATAL(critical_waits(&file, calls, count), count);
        CU_ASSERT(count > 10);
        for (size_t i = 0; i < count; i++) {
            struct critical_path path;
            CU_ASSERT_EQUAL_FATAL(critical_follow(&file, calls[i], &path), 0);
            CU_ASSERT_TRUE(i == 0 || calls[i - 1]->end_ns - calls[i - 1]->begin_ns >=
                                         calls[i]->end_ns - calls[i]->begin_ns);
            CU_ASSERT_TRUE(
                tiles(path.parts, path.part_count, calls[i]->begin_ns, calls[i]->end_ns));
            total += calls[i]->end_ns - calls[i]->begin_ns;
            for (size_t p = 0; p < path.part_count; p++) {
                seen[path.parts[p].cause] = true;
                if (path.parts[p].cause == CRITICAL_UNKNOWN ||
                    path.parts[p].cause == CRITICAL_UNSENT)
                    unknown += path.parts[p].end_ns - path.parts[p].begin_ns;
            }
            if (path.before_count > 0) {
                chains++;
                CU_ASSERT_TRUE(path.submitted);
                CU_ASSERT_TRUE(tiles(path.before, path.before_count, path.submit_ns,
                                     path.before[path.before_count - 1].end_ns));
                CU_ASSERT_TRUE(path.before[path.before_count - 1].end_ns >= calls[i]->begin_ns);
            }
            critical_free(&path);
        }
        free(calls);
        trace_file_free(&file);
    }
    CU_ASSERT(name_count == 0 || total > 0);
    /* one thread submits everything before it waits, so nothing is unsent or unknown */
    CU_ASSERT_EQUAL(unknown, 0);
    CU_ASSERT(name_count == 0 || chains > 10);
    for (int i = 0; i < CRITICAL_CAUSES && name_count > 0; i++)
        if (i == CRITICAL_CALL || i == CRITICAL_WAKE || i == CRITICAL_MOVE ||
            i == CRITICAL_SHARED || i == CRITICAL_SETUP || i == CRITICAL_RETIRE ||
            i == CRITICAL_SWAP)
            CU_ASSERT_TRUE(seen[i]);
}

static const twin_test tests[] = {
    {"a wait that a record ended leads to the record's submission", test_waker},
    {"a wait that a record of another device ended has its way in between", test_waker_elsewhere},
    {"a wait for a channel leads to its holder, and through a shared link", test_channel},
    {"a wait has the cause of what it waits for, and leads to the holder of that", test_resources},
    {"of every call that waited the parts are the whole", test_files},
};

int main(int argc, char **argv)
{
    int kept = 1;
    names = calloc((size_t)argc + 1, sizeof(*names));
    for (int i = 1; names && i < argc; i++) {
        size_t length = strlen(argv[i]);
        if (length > 5 && strcmp(argv[i] + length - 5, ".json") == 0)
            names[name_count++] = argv[i];
        else
            argv[kept++] = argv[i];
    }
    return twin_run_suite("critical_path", tests, TWIN_COUNT(tests), kept, argv);
}
