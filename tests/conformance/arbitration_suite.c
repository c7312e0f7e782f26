/* SPDX-License-Identifier: Apache-2.0 */
/* The order of streams that compete for one resource: priorities, and what a seed may change. Each
 * run is a separate process, because profile and seed are fixed for the life of a process. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile.h"
#include "suite.h"

/* ---- priorities ----------------------------------------------------------------------------- */

enum { CLASSES = 8, OF_EACH = 2, CONTENDERS = CLASSES * OF_EACH, LATE = 4 };
#define FILL_BYTES ((size_t)16 << 20) /* takes longer than what the opener does in between */

typedef struct contender {
    aclrtStream stream;
    aclrtEvent done;
    uint32_t priority;
    float done_ms; /* device time since the start */
} contender;

static int by_time(const void *a, const void *b)
{
    const contender *one = a;
    const contender *two = b;
    return one->done_ms < two->done_ms ? -1 : one->done_ms > two->done_ms;
}

static void contend(contender *self, uint32_t priority, aclrtEvent gate, uint8_t *memory)
{
    self->priority = priority;
    self->done = twin_event_flags(EVENT_EX, ACL_EVENT_TIME_LINE);
    CHECK_OK(aclrtCreateStreamWithConfig(&self->stream, priority, 0));
    CHECK_OK(aclrtStreamWaitEvent(self->stream, gate));
    CHECK_OK(aclrtMemsetAsync(memory, FILL_BYTES, 1, FILL_BYTES, self->stream));
    CHECK_OK(aclrtRecordEvent(self->done, self->stream));
}

/* The less urgent half is released first. `one_begins`: one of them has begun when the better half
 * comes, which goes before the others and does not interrupt that one. Else the opener is in the
 * way until all want the same. */
static void run_priorities(bool one_begins)
{
    twin_hold hold;
    twin_buffer data;
    contender all[CONTENDERS];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream opener = twin_stream();
    aclrtStream releaser = twin_stream();
    aclrtEvent begun = twin_event_flags(EVENT_EX, ACL_EVENT_TIME_LINE);
    aclrtEvent early = twin_event(EVENT_EX);
    aclrtEvent late = twin_event(EVENT_EX);
    twin_buffer_make(&data, FILL_BYTES, 0);

    twin_hold_begin(&hold, opener);
    CHECK_OK(aclrtRecordEvent(begun, opener));
    CHECK_OK(aclrtRecordEvent(early, opener));
    /* Over PCIe, so with another engine: the first fill is under way when this is done. */
    CHECK_OK(aclrtMemcpyAsync(data.host, 64, data.device, 64, ACL_MEMCPY_DEVICE_TO_HOST, opener));
    CHECK_OK(aclrtRecordEvent(late, opener));
    for (uint32_t i = 0; i < CONTENDERS; i++) {
        uint32_t priority = CLASSES - 1 - i / OF_EACH; /* worst first */
        contend(&all[i], priority, priority < LATE ? late : early, data.device);
    }
    twin_hold_release(&hold, releaser);
    for (int i = 0; i < CONTENDERS; i++) {
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(all[i].stream, SOON_MS));
        CHECK_OK(aclrtEventElapsedTime(&all[i].done_ms, begun, all[i].done));
    }

    qsort(all, CONTENDERS, sizeof(all[0]), by_time);
    /* Those that are released together come at slightly different times with a seed: any of them
     * may be the one. */
    uint32_t first = one_begins ? all[0].priority : CLASSES;
    CHECK(first >= LATE);
    uint32_t wanted[CONTENDERS] = {first};
    uint32_t count = one_begins ? 1 : 0;
    for (uint32_t priority = 0; priority < CLASSES; priority++)
        for (uint32_t i = priority == first ? 1 : 0; i < OF_EACH; i++)
            wanted[count++] = priority;
    for (int i = 0; i < CONTENDERS; i++)
        CHECK_EQUAL(all[i].priority, wanted[i]);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtResetDeviceForce(0));
}

/* The opener keeps the only slot as long as it has work. */
static void run_slot(void)
{
    run_priorities(false);
}

/* The opener's copy uses another engine. */
static void run_engine(void)
{
    run_priorities(true);
}

static void with_profile(const char *parameter, const char *child, const char *seed)
{
    char setting[64];
    char file[] = "/tmp/twinrt-profile-XXXXXX";
    if (!CHECK(twin_profile_variant(file, parameter, 1)))
        return;
    snprintf(setting, sizeof(setting), "TWINRT_PROFILE=%s", file);
    twin_run_child(child, (const char *const[]){setting, seed, NULL});
    unlink(file);
}

static void test_priority_for_a_slot(void)
{
    with_profile("swap_in.slots", "slot", "TWINRT_SEED=0");
    with_profile("swap_in.slots", "slot", "TWINRT_SEED=3");
}

static void test_priority_for_an_engine(void)
{
    with_profile("swap_in.sdma_cap", "engine", "TWINRT_SEED=0");
    with_profile("swap_in.sdma_cap", "engine", "TWINRT_SEED=3");
}

/* ---- seeds ---------------------------------------------------------------------------------- */

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SEEDS 20
#else
#define SEEDS 200
#endif

enum { STREAMS = 24, STEPS = 300, CELL = 64 };

static uint32_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33);
}

/* Work of `to` submitted later follows all work of `from` submitted so far. */
static void order(aclrtStream from, aclrtStream to)
{
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtRecordEvent(event, from));
    CHECK_OK(aclrtStreamWaitEvent(to, event));
    CHECK_OK(aclrtDestroyEvent(event));
}

/* A cell per stream; fills, and copies from cell to cell, each ordered against work that it must
 * not overtake. The same steps, done in order on the host, give the content of each cell. */
static void run_steps(void)
{
    uint64_t state = 20240607;
    uint8_t expected[STREAMS] = {0};
    twin_hold hold;
    twin_buffer cells;
    aclrtStream streams[STREAMS];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream opener = twin_stream();
    aclrtStream releaser = twin_stream();
    twin_buffer_make(&cells, STREAMS * CELL, 0);
    twin_hold_begin(&hold, opener);
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = twin_stream();
        order(opener, streams[i]); /* so that they contend from the start */
    }
    for (int step = 0; step < STEPS; step++) {
        uint32_t to = draw(&state) % STREAMS;
        uint32_t from = draw(&state) % STREAMS;
        uint8_t *cell = cells.device + to * CELL;
        if (to == from) {
            expected[to] = (uint8_t)(step + 1);
            CHECK_OK(aclrtMemsetAsync(cell, CELL, step + 1, CELL, streams[to]));
            continue;
        }
        expected[to] = expected[from];
        order(streams[from], streams[to]);
        CHECK_OK(aclrtMemcpyAsync(cell, CELL, cells.device + from * CELL, CELL,
                                  ACL_MEMCPY_DEVICE_TO_DEVICE, streams[to]));
        order(streams[to], streams[from]);
    }
    twin_hold_release(&hold, releaser);
    for (int i = 0; i < STREAMS; i++)
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(streams[i], SOON_MS));
    twin_buffer_read(&cells);
    for (int i = 0; i < STREAMS; i++)
        CHECK_BYTES(cells.host + i * CELL, expected[i], CELL);
    twin_buffer_free(&cells);
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_results_with_every_seed(void)
{
    char setting[64];
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        snprintf(setting, sizeof(setting), "TWINRT_SEED=%u", seed);
        twin_run_child("steps", (const char *const[]){setting, NULL});
    }
}

/* The trace of the steps with that seed; the caller frees it. */
static char *trace_of(const char *seed, size_t *out_bytes)
{
    char setting[64];
    char file[] = "/tmp/twinrt-trace-XXXXXX";
    char *bytes = NULL;
    size_t room = 0;
    *out_bytes = 0;
    int made = mkstemp(file);
    if (!CHECK(made >= 0))
        return NULL;
    close(made);
    snprintf(setting, sizeof(setting), "TWINRT_TRACE=%s", file);
    twin_run_child("steps", (const char *const[]){setting, seed, NULL});
    FILE *trace = fopen(file, "r");
    ssize_t length = trace ? getdelim(&bytes, &room, 0, trace) : -1;
    if (trace)
        fclose(trace);
    unlink(file);
    if (CHECK(length > 1000))
        *out_bytes = (size_t)length;
    return bytes;
}

static void test_traces_of_seeds(void)
{
    static const char *const seeds[] = {"TWINRT_SEED=0", "TWINRT_SEED=1",
                                        "TWINRT_SEED=18446744073709551615"};
    char *traces[TWIN_COUNT(seeds)];
    size_t sizes[TWIN_COUNT(seeds)];
    for (size_t i = 0; i < TWIN_COUNT(seeds); i++) {
        size_t again = 0;
        traces[i] = trace_of(seeds[i], &sizes[i]);
        char *second = trace_of(seeds[i], &again);
        CHECK(again == sizes[i] && memcmp(traces[i], second, again) == 0);
        free(second);
        for (size_t k = 0; k < i; k++)
            CHECK(sizes[k] != sizes[i] || memcmp(traces[k], traces[i], sizes[i]) != 0);
    }
    for (size_t i = 0; i < TWIN_COUNT(seeds); i++)
        free(traces[i]);
}

static const twin_test tests[] = {
    {"STR-08: a better priority gets the slot first", test_priority_for_a_slot},
    {"STR-08: a better priority gets the engine first, and interrupts no transfer",
     test_priority_for_an_engine},
    {"ORD-05, ORD-09: results are right with every seed", test_results_with_every_seed},
    {"the same seed gives the same trace, another one another", test_traces_of_seeds},
};

static const twin_child children[] = {
    {"slot", run_slot},
    {"engine", run_engine},
    {"steps", run_steps},
};

static const twin_suite suite = {.name = "arbitration",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children)};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
