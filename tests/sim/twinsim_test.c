/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface as a driver uses it. One system for all tests: each takes its own queues. */
#include "profile_path.h"
#include "twinsim.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sqe.h"
#include "support/expect.h"

#define DEPTH    64u
#define CQ_DEPTH 16u

typedef struct queue {
    uint32_t sq;
    uint64_t sent;
    stars_sqe ring[DEPTH];
    stars_cqe cq[CQ_DEPTH];
} queue;

static twinsim_profile *profile;
static twinsim *sim;
static uint8_t hbm[1 << 20];

static unsigned translated; /* how often */

static void *translate(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                       enum twinsim_access access, enum twinsim_target *out_target,
                       uint32_t *out_device)
{
    (void)context;
    (void)access;
    (void)bytes;
    ++translated;
    const uint64_t base = (uint64_t)(uintptr_t)hbm;
    *out_target = address - base < sizeof(hbm) ? TWINSIM_TARGET_HBM : TWINSIM_TARGET_HOST;
    *out_device = device;
    return address < 4096 ? NULL : (void *)(uintptr_t)address;
}

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static bool open_queue(queue *q, uint32_t sq)
{
    memset(q, 0, sizeof(*q));
    q->sq = sq;
    const struct twinsim_queue config = {.ring_address = address_of(q->ring),
                                         .cq_address = address_of(q->cq),
                                         .depth = DEPTH,
                                         .cq_depth = CQ_DEPTH,
                                         .stream_id = (uint16_t)sq};
    const int status = twinsim_queue_open(sim, 0, sq, &config);
    TWIN_EXPECT_U64(status, TWINSIM_OK);
    return status == TWINSIM_OK;
}

static void put(queue *q, stars_sqe sqe, uint64_t at_ns)
{
    sqe.word[1] = q->sq | (uint32_t)(q->sent + 1) << STARS_W1_TASK_SHIFT;
    q->ring[q->sent++ % DEPTH] = sqe;
    twinsim_doorbell(sim, 0, q->sq, (uint32_t)(q->sent % DEPTH), at_ns);
}

/* Whether anything reached stdout or stderr while the system was made. */
static bool silent;
static int create_status;

static void make_system(void)
{
    char error[256] = "";
    FILE *catch = tmpfile();
    if (!catch || twinsim_profile_read(shipped_profile_path(), NULL, &profile, error,
                                       sizeof(error)) != TWINSIM_OK) {
        fprintf(stderr, "set-up: %s\n", error);
        exit(1);
    }
    fflush(stdout);
    const int out = dup(1), err = dup(2);
    dup2(fileno(catch), 1);
    dup2(fileno(catch), 2);
    const struct twinsim_config config = {.profile = profile,
                                          .devices = 1,
                                          .trace = true,
                                          .quantum_ns = TWINSIM_NEVER,
                                          .bus = {.translate = translate}};
    create_status = twinsim_create(&config, &sim, error, sizeof(error));
    if (create_status == TWINSIM_OK)
        (void)twinsim_run(sim, TWINSIM_NEVER, UINT32_MAX); /* nothing is pending */
    fflush(stdout);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    silent = lseek(fileno(catch), 0, SEEK_END) == 0;
    fclose(catch);
    if (create_status != TWINSIM_OK) {
        fprintf(stderr, "set-up: %s\n", error);
        exit(1);
    }
}

static void test_silent(void)
{
    CU_ASSERT(silent);
}

static void test_second_system(void)
{
    char error[256] = "";
    twinsim *second = NULL;
    const struct twinsim_config config = {
        .profile = profile, .devices = 1, .bus = {.translate = translate}};
    TWIN_EXPECT_U64(twinsim_create(&config, &second, error, sizeof(error)), TWINSIM_E_STATE);
    CU_ASSERT_PTR_NULL(second);
    TWIN_EXPECT_HOLDS(error, "reset");
}

static enum twinsim_stop thread_stop;

static void *run_from_thread(void *argument)
{
    queue *q = argument;
    put(q, sqe_event_record(1), twinsim_now(sim));
    twinsim_queue_watch(sim, 0, q->sq, q->sent);
    thread_stop = twinsim_run(sim, TWINSIM_NEVER, UINT32_MAX);
    return NULL;
}

/* T-TIM-7. */
static void test_watch_stops_at_its_instant(void)
{
    static queue q, later;
    if (!open_queue(&q, 1) || !open_queue(&later, 2))
        return;
    const uint64_t start = twinsim_now(sim);
    put(&later, sqe_event_record(2), start + 1); /* work left over right after */
    put(&q, sqe_event_record(1), start);
    twinsim_queue_watch(sim, 0, 1, 1);
    TWIN_EXPECT_U64(twinsim_run(sim, TWINSIM_NEVER, UINT32_MAX), TWINSIM_STOP_WATCH);
    TWIN_EXPECT_U64(twinsim_queue_retired(sim, 0, 1), 1);
    TWIN_EXPECT_U64(twinsim_now(sim), twinsim_queue_retired_at(sim, 0, 1, 1));
    TWIN_EXPECT_U64(twinsim_queue_retired(sim, 0, 2), 0);
    TWIN_EXPECT_U64(twinsim_run(sim, TWINSIM_NEVER, UINT32_MAX), TWINSIM_STOP_IDLE);
    TWIN_EXPECT_U64(twinsim_queue_retired(sim, 0, 2), 1);
    TWIN_EXPECT_U64(twinsim_now(sim), twinsim_queue_retired_at(sim, 0, 2, 1));
    twinsim_queue_watch(sim, 0, 1, 1); /* met already: the next run stops at once */
    TWIN_EXPECT_U64(twinsim_run(sim, TWINSIM_NEVER, UINT32_MAX), TWINSIM_STOP_WATCH);
    TWIN_EXPECT_U64(twinsim_run(sim, TWINSIM_NEVER, UINT32_MAX), TWINSIM_STOP_IDLE);
    TWIN_EXPECT_U64(twinsim_queue_close(sim, 0, 1), TWINSIM_OK);
    TWIN_EXPECT_U64(twinsim_queue_close(sim, 0, 2), TWINSIM_OK);
}

/* T-TIM-7, T-TIM-8. */
static void test_limits_of_a_run(void)
{
    static queue q;
    if (!open_queue(&q, 1))
        return;
    const uint64_t start = twinsim_now(sim);
    put(&q, sqe_event_record(1), start + 1000);
    TWIN_EXPECT_U64(twinsim_run(sim, start + 500, UINT32_MAX), TWINSIM_STOP_LIMIT);
    TWIN_EXPECT_U64(twinsim_now(sim), start + 500);
    TWIN_EXPECT_U64(twinsim_run(sim, start, UINT32_MAX), TWINSIM_STOP_LIMIT); /* in the past */
    TWIN_EXPECT_U64(twinsim_now(sim), start + 500);
    TWIN_EXPECT_U64(twinsim_run(sim, TWINSIM_NEVER, 1), TWINSIM_STOP_CHUNK);
    TWIN_EXPECT_U64(twinsim_now(sim), start + 1000);
    TWIN_EXPECT_U64(twinsim_run(sim, TWINSIM_NEVER, UINT32_MAX), TWINSIM_STOP_IDLE);
    TWIN_EXPECT_U64(twinsim_now(sim), twinsim_queue_retired_at(sim, 0, 1, 1));
    (void)twinsim_queue_close(sim, 0, 1);
}

static void test_threads_take_turns(void)
{
    static queue q;
    if (!open_queue(&q, 3))
        return;
    for (int i = 0; i < 20; ++i) {
        pthread_t thread;
        thread_stop = TWINSIM_STOP_IDLE;
        if (pthread_create(&thread, NULL, run_from_thread, &q) != 0) {
            CU_FAIL("no thread");
            return;
        }
        pthread_join(thread, NULL);
        TWIN_EXPECT_U64(thread_stop, TWINSIM_STOP_WATCH);
    }
    TWIN_EXPECT_U64(twinsim_queue_retired(sim, 0, 3), 20);
    (void)twinsim_queue_close(sim, 0, 3);
}

static void test_interrupts_and_transfer(void)
{
    static queue q;
    static uint8_t source[4096];
    if (!open_queue(&q, 4))
        return;
    memset(source, 0x6b, sizeof(source));
    put(&q, sqe_with_cqe(sqe_event_record(5)), twinsim_now(sim));
    struct twinsim_transfer copy = {.dst = address_of(hbm + 100),
                                    .src = address_of(source),
                                    .bytes = sizeof(source),
                                    .start_ns = twinsim_now(sim)};
    TWIN_EXPECT_U64(twinsim_transfer_post(sim, 0, &copy), TWINSIM_OK);
    while (!copy.done)
        (void)twinsim_run(sim, TWINSIM_NEVER, UINT32_MAX);
    CU_ASSERT(!copy.failed && hbm[100] == 0x6b && hbm[99] == 0 && hbm[100 + 4095] == 0x6b);
    uint32_t device = 9, sq = 0;
    CU_ASSERT(twinsim_interrupt(sim, &device, &sq));
    TWIN_EXPECT_U64(device, 0);
    TWIN_EXPECT_U64(sq, 4);
    CU_ASSERT_FALSE(twinsim_interrupt(sim, &device, &sq));
    TWIN_EXPECT_U64(q.cq[0].u.timestamp, twinsim_queue_retired_at(sim, 0, 4, 1) / 20);
    (void)twinsim_queue_close(sim, 0, 4);
}

/* T-FE-9, T-MEM-1: ring and CQ are translated when the queue opens, and not again. */
static void test_full_ring(void)
{
    static queue q;
    translated = 0;
    if (!open_queue(&q, 5))
        return;
    TWIN_EXPECT_U64(translated, 2);
    for (uint32_t i = 0; i < DEPTH - 1; ++i)
        put(&q, sqe_event_record(i), 0);
    TWIN_EXPECT_U64(twinsim_run(sim, TWINSIM_NEVER, UINT32_MAX), TWINSIM_STOP_IDLE);
    TWIN_EXPECT_U64(twinsim_queue_retired(sim, 0, 5), DEPTH - 1);
    TWIN_EXPECT_U64(translated, 2);
    for (uint64_t number = 2; number < DEPTH; ++number)
        CU_ASSERT(twinsim_queue_retired_at(sim, 0, 5, number) >
                  twinsim_queue_retired_at(sim, 0, 5, number - 1));
    TWIN_EXPECT_U64(twinsim_queue_retired_at(sim, 0, 5, DEPTH), TWINSIM_NEVER);
    TWIN_EXPECT_U64(twinsim_queue_retired_at(sim, 0, 5, 0), TWINSIM_NEVER);
    (void)twinsim_queue_close(sim, 0, 5);
}

static void test_close_drops_work(void)
{
    static queue q;
    struct twinsim_queue_info info;
    if (!open_queue(&q, 6))
        return;
    put(&q, sqe_event_wait(900, 0), twinsim_now(sim));
    TWIN_EXPECT_U64(twinsim_run(sim, TWINSIM_NEVER, UINT32_MAX), TWINSIM_STOP_IDLE);
    TWIN_EXPECT_U64(twinsim_queue_inspect(sim, 0, 6, &info), TWINSIM_OK);
    TWIN_EXPECT_U64(info.state, TWINSIM_QUEUE_PARKED);
    TWIN_EXPECT_U64(info.wait_id, 900);
    TWIN_EXPECT_U64(info.sqe_type, STARS_SQE_EVENT_WAIT);
    TWIN_EXPECT_U64(twinsim_queue_close(sim, 0, 6), TWINSIM_OK);
    TWIN_EXPECT_U64(twinsim_queue_close(sim, 0, 6), TWINSIM_E_STATE);
    uint32_t entry = 9;
    TWIN_EXPECT_U64(twinsim_read(sim, 0, STARS_EVENT_ENTRY(900), &entry), TWINSIM_OK);
    TWIN_EXPECT_U64(entry, 0); /* no queue waits any more */
}

static void test_bad_arguments(void)
{
    static queue q;
    static stars_sqe ring[8];
    static stars_cqe cq[8];
    const struct twinsim_queue good = {
        .ring_address = address_of(ring), .cq_address = address_of(cq), .depth = 8, .cq_depth = 8};
    struct twinsim_queue bad;
    TWIN_EXPECT_U64(twinsim_queue_open(sim, 1, 0, &good), TWINSIM_E_ARGUMENT);
    TWIN_EXPECT_U64(twinsim_queue_open(sim, 0, 2038, &good), TWINSIM_E_ARGUMENT);
    TWIN_EXPECT_U64(twinsim_queue_open(sim, 0, 0, NULL), TWINSIM_E_ARGUMENT);
    bad = good, bad.depth = 9;
    TWIN_EXPECT_U64(twinsim_queue_open(sim, 0, 0, &bad), TWINSIM_E_ARGUMENT);
    bad = good, bad.cq_depth = 4;
    TWIN_EXPECT_U64(twinsim_queue_open(sim, 0, 0, &bad), TWINSIM_E_ARGUMENT);
    bad = good, bad.priority = 8;
    TWIN_EXPECT_U64(twinsim_queue_open(sim, 0, 0, &bad), TWINSIM_E_ARGUMENT);
    bad = good, bad.ring_address = 64;
    TWIN_EXPECT_U64(twinsim_queue_open(sim, 0, 0, &bad), TWINSIM_E_ARGUMENT);
    if (!open_queue(&q, 7))
        return;
    TWIN_EXPECT_U64(twinsim_queue_open(sim, 0, 7, &good), TWINSIM_E_STATE);
    (void)twinsim_queue_close(sim, 0, 7);
    twinsim_doorbell(sim, 0, 7, 3, 0); /* closed: ignored */
    twinsim_doorbell(sim, 5, 9999, 3, 0);
    TWIN_EXPECT_U64(twinsim_reset(sim, 3), TWINSIM_E_ARGUMENT);
    TWIN_EXPECT_U64(twinsim_event_forward(NULL, 0, 1, 0, 2), TWINSIM_E_ARGUMENT);
    TWIN_EXPECT_U64(twinsim_event_forward(sim, 1, 1, 0, 2), TWINSIM_E_ARGUMENT);
    TWIN_EXPECT_U64(twinsim_event_forward(sim, 0, 1, 1, 2), TWINSIM_E_ARGUMENT);
    TWIN_EXPECT_U64(twinsim_event_forward(sim, 0, 1, 0, UINT32_MAX), TWINSIM_E_ARGUMENT);
    TWIN_EXPECT_U64(twinsim_event_forward(sim, 0, 1, 0, 2),
                    TWINSIM_OK); /* its own device will do */
    TWIN_EXPECT_U64(twinsim_event_forward(sim, 0, 1, 0, 2), TWINSIM_E_STATE);
    TWIN_EXPECT_U64(twinsim_write(sim, 0, STARS_EVENT_ENTRY(2), 0), TWINSIM_OK);
    struct twinsim_transfer nothing = {.dst = address_of(hbm), .src = address_of(hbm)};
    TWIN_EXPECT_U64(twinsim_transfer_post(sim, 0, &nothing), TWINSIM_E_ARGUMENT);
    uint32_t value = 1;
    TWIN_EXPECT_U64(twinsim_read(sim, 0, 2, &value), TWINSIM_E_ARGUMENT);
    TWIN_EXPECT_U64(value, 0);
    TWIN_EXPECT_U64(twinsim_queue_retired(NULL, 0, 0), 0);
}

static void test_profile_errors(void)
{
    char error[256] = "";
    twinsim_profile *out = NULL;
    TWIN_EXPECT_U64(twinsim_profile_read("/nonexistent.json", NULL, &out, error, sizeof(error)),
                    TWINSIM_E_FILE);
    TWIN_EXPECT_HOLDS(error, "/nonexistent.json");
    TWIN_EXPECT_U64(twinsim_profile_read(TWIN_OWN_SOURCE, NULL, &out, error, sizeof(error)),
                    TWINSIM_E_PROFILE);
    TWIN_EXPECT_U64(twinsim_profile_read(TWIN_OWN_SOURCE, NULL, &out, NULL, 0), TWINSIM_E_PROFILE);
    TWIN_EXPECT_U64(twinsim_profile_read(NULL, NULL, &out, error, sizeof(error)),
                    TWINSIM_E_ARGUMENT);
    CU_ASSERT_PTR_NULL(out);
    CU_ASSERT_PTR_NULL(twinsim_profile_at(profile, twinsim_profile_count(profile)));
    CU_ASSERT_PTR_NOT_NULL(twinsim_profile_find(profile, "host.submit_ns"));
}

static void test_reset(void)
{
    static queue q;
    struct twinsim_queue_info info;
    for (int round = 0; round < 3; ++round) {
        if (!open_queue(&q, 8))
            return;
        put(&q, sqe_event_record(77), twinsim_now(sim));
        put(&q, sqe_event_wait(78, 0), twinsim_now(sim));
        TWIN_EXPECT_U64(twinsim_run(sim, TWINSIM_NEVER, UINT32_MAX), TWINSIM_STOP_IDLE);
        const uint64_t before = twinsim_now(sim);
        TWIN_EXPECT_U64(twinsim_reset(sim, 0), TWINSIM_OK);
        TWIN_EXPECT_U64(twinsim_now(sim), before);
        TWIN_EXPECT_U64(twinsim_queue_inspect(sim, 0, 8, &info), TWINSIM_OK);
        TWIN_EXPECT_U64(info.state, TWINSIM_QUEUE_CLOSED);
        uint32_t entry = 9;
        TWIN_EXPECT_U64(twinsim_read(sim, 0, STARS_EVENT_ENTRY(77), &entry), TWINSIM_OK);
        TWIN_EXPECT_U64(entry, 0);
    }
}

static const twin_test tests[] = {
    {"making the system prints nothing", test_silent},
    {"a second system is refused", test_second_system},
    {"a watch stops the run at its very instant", test_watch_stops_at_its_instant},
    {"a run keeps its limits", test_limits_of_a_run},
    {"several host threads may run it in turn", test_threads_take_turns},
    {"interrupts name the queue, transfers stop the run", test_interrupts_and_transfer},
    {"a full ring is worked off in order", test_full_ring},
    {"closing a queue drops its work", test_close_drops_work},
    {"bad arguments are refused", test_bad_arguments},
    {"profile errors have a text", test_profile_errors},
    {"a reset device is as new, time goes on", test_reset},
};

int main(int argc, char **argv)
{
    make_system();
    return twin_run_suite("sim twinsim", tests, TWIN_COUNT(tests), argc, argv);
}
