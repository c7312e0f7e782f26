/* SPDX-License-Identifier: Apache-2.0 */
/* The nondeterminism log, kind by kind. A recording stores what an op found, a replay returns what
 * the recording has instead, and without either the op finds the same as in the recorded run. Each
 * run is a separate process, so that its device begins at time 0. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "seam.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum mode { ALONE, RECORDED, REPLAYED, MODES };

enum {
    RECORDS = 4,        /* that hold an id each */
    POLLS = 20,         /* more than are answered before clocks are moved on */
    LIMIT_S = 20,       /* of a run that hangs, as another thread's lock is held */
    OUT_OF_REACH = 7777 /* in ms: a time to which no run comes by itself */
};

struct scenario {
    const char *name;
    twin_nd what;
    bool waits;  /* a replay asks for it before the op takes a lock */
    bool orders; /* its place alone counts, not the value */
    void (*prepare)(void);
    uint64_t (*act)(void); /* what the program sees of it, as the log has it */
    uint64_t handed;       /* what the recording of the replay has */
};

/* Of one run; its process shares it. */
struct outcome {
    bool ended;
    unsigned failures;
    uint64_t found;
    unsigned asked;
    uint64_t met; /* value of the newest */
    unsigned others_ran;
    unsigned moved;
};

static enum mode mode;
static const struct scenario *current;
static struct outcome *run;
static bool acting; /* the op that is looked at runs */

static twin_hw_device *device;
static twin_queue *a; /* the first: hardware queue 0 */
static twin_queue *b;
static twin_signal *gate; /* a notify that nothing sets */
static twin_signal *event;
static uint32_t event_id;
static char trace_path[] = "/tmp/twinrt-replay-XXXXXX";

/* ---- the conductor -------------------------------------------------------------------------- */

/* Takes the model lock, the locks of all queues, and that of the event. */
static void *be_another_thread(void *unused)
{
    uint32_t left;
    twin_signal_state state = {0};
    (void)unused;
    SEAM_OK(seam->signal.available(device, TWIN_SIGNAL_EVENT_LEVEL, &left));
    SEAM_OK(seam->signal.query(event, &state));
    run->others_ran++;
    return NULL;
}

static void let_another_thread_run(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, be_another_thread, NULL) != 0)
        abort();
    pthread_join(other, NULL);
}

/* The record is done, and its id is released, after the wait for it found it pending. */
static void release_event(void)
{
    uint32_t left;
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    SEAM_OK(seam->signal.available(device, TWIN_SIGNAL_EVENT_REBIND, &left));
}

static bool hand_out(twin_nd what, uint64_t *value)
{
    static uint64_t free_id = 20;
    if (what == current->what)
        *value = current->handed;
    else if (what == TWIN_ND_ID)
        *value = free_id++;
    else if (what == TWIN_ND_WAITS && current->what == TWIN_ND_SWEPT)
        *value = 1;
    else /* the model does not move, but where a test moves it */
        return what == TWIN_ND_LOOKED;
    return true;
}

static bool nd(twin_nd what, uint64_t which, uint64_t *value)
{
    /* Of no queue, or of the first; pieces of pools count from 1. */
    const bool looks = acting && which == (what == TWIN_ND_POOL ? 1 : 0);
    if (!acting)
        return mode == REPLAYED && what == TWIN_ND_LOOKED && run->asked != 0;
    acting = false;
    if (mode == RECORDED && what == TWIN_ND_COMPLETION && current->what == TWIN_ND_GONE)
        release_event();
    if (looks && what == current->what) {
        run->asked++;
        run->met = *value;
        if (mode == REPLAYED && current->waits)
            let_another_thread_run();
    }
    acting = true;
    return mode == REPLAYED && looks && hand_out(what, value);
}

static bool outlook(uint64_t *value)
{
    *value = current->handed;
    return acting && current->what == TWIN_ND_WOKE;
}

static void moved(uint64_t at_ns, uint64_t events)
{
    (void)at_ns;
    (void)events;
    run->moved += mode == REPLAYED && acting;
}

static void seen(twin_seen what, uint32_t index, uint32_t queue, uint64_t number)
{
    (void)what;
    (void)index;
    (void)queue;
    (void)number;
}

static void waiting(void) {}

/* ---- what is recorded and replayed ----------------------------------------------------------- */

static void shut_gate(void)
{
    SEAM_OK(seam->work.wait(a, gate, TWIN_FOREVER));
}

/* Polls later: the model has come there. */
static void let_time_pass(void)
{
    seam->host.advance(10 * SEAM_S); /* limits on the device are whole seconds */
    SEAM_OK(seam->signal.clear(gate));
}

static uint64_t take_lock(void)
{
    uint32_t left;
    SEAM_OK(seam->signal.available(device, TWIN_SIGNAL_EVENT_LEVEL, &left));
    return 0;
}

static void record_and_drain(void)
{
    SEAM_OK(seam->work.record(a, event));
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
}

static uint64_t ask_time(void)
{
    uint64_t at_ns;
    return seam->signal.timestamp(event, &at_ns) == TWIN_OK ? TWIN_NEWEST_TIMED
                                                            : TWIN_NEWEST_UNTIMED;
}

static uint64_t record(void)
{
    SEAM_OK(seam->work.record(a, event));
    return 0;
}

static uint64_t ask_idle(void)
{
    bool idle = false;
    SEAM_OK(seam->queue.query(a, &idle));
    return 2 * seam->diag.newest_task(a) + idle;
}

static uint32_t ids_left(void)
{
    uint32_t left = 0;
    SEAM_OK(seam->signal.available(device, TWIN_SIGNAL_EVENT_REBIND, &left));
    return left;
}

/* How many of the records have been released when `reclaim` has returned. */
static uint64_t released(void (*reclaim)(void))
{
    uint32_t before = ids_left();
    for (uint32_t i = 0; i < RECORDS; i++) {
        const twin_signal_config config = {
            .kind = TWIN_SIGNAL_EVENT_REBIND, .name = 100 + i, .waitable = true};
        twin_signal *one = NULL;
        SEAM_OK(seam->signal.create(device, &config, &one));
        SEAM_OK(seam->work.record(a, one));
    }
    if (mode == REPLAYED)
        SEAM_OK(seam->host.see(TWIN_SEEN_WORK, 0, 0, RECORDS));
    let_time_pass();
    reclaim();
    return RECORDS - (before - ids_left());
}

static void ask_room(void)
{
    SEAM_OK(seam->queue.room(a));
}

static uint64_t reclaim_queue(void)
{
    return released(ask_room);
}

static void wait_for_gate(void)
{
    SEAM_OK(seam->work.wait(b, gate, TWIN_FOREVER));
}

static uint64_t waits_open(twin_signal *signal)
{
    twin_signal_state state = {.ask = TWIN_ASK_WAITS};
    SEAM_OK(seam->signal.query(signal, &state));
    return state.waits_open;
}

static void ask_waits_for_gate(void)
{
    CU_ASSERT_EQUAL(waits_open(gate), 1);
}

static uint64_t reclaim_queues(void)
{
    return released(ask_waits_for_gate);
}

static uint64_t ask_id(void)
{
    twin_signal_state state = {.ask = TWIN_ASK_HARDWARE_ID};
    SEAM_OK(seam->work.record(a, event));
    SEAM_OK(seam->signal.query(event, &state));
    CU_ASSERT(state.has_hardware_id);
    return state.hardware_id;
}

static uint64_t ask_waits(void)
{
    return waits_open(gate);
}

static uint64_t wait_in_vain(void)
{
    switch (seam->queue.drain(a, SEAM_MS)) {
    case TWIN_E_TIMEOUT:
        return TWIN_WOKE_TIMEOUT;
    case TWIN_E_INTERRUPTED:
        return TWIN_WOKE_INTERRUPTED;
    default:
        return TWIN_WOKE_DONE;
    }
}

static uint64_t poll_often(void)
{
    for (unsigned i = 0; i < POLLS; i++)
        (void)ask_idle();
    return seam->host.now();
}

static void *move_the_model(void *unused)
{
    (void)unused;
    seam->host.attach();
    let_time_pass();
    SEAM_OK(seam->work.record(b, event));
    let_time_pass();
    seam->host.detach();
    return NULL;
}

static void let_another_move_the_model(void)
{
    pthread_t other;
    record_and_drain();
    if (pthread_create(&other, NULL, move_the_model, NULL) != 0)
        abort();
    pthread_join(other, NULL);
}

static uint64_t catch_up(void)
{
    (void)ask_idle();
    return seam->host.now();
}

static void *make_call(void *unused)
{
    static const twin_call call = {"aclrtOfThread", TWIN_COST_LOCAL};
    (void)unused;
    seam->host.attach();
    seam->host.enter(&call);
    seam->host.leave(&call, 0);
    seam->host.detach();
    return NULL;
}

/* The row of the call in the timeline. */
static uint64_t number_thread(void)
{
    static char text[1 << 16];
    pthread_t thread;
    unsigned row = 0;
    if (pthread_create(&thread, NULL, make_call, NULL) != 0)
        abort();
    pthread_join(thread, NULL);
    acting = false;
    seam->process.stop();
    FILE *file = fopen(trace_path, "r");
    if (!file || fread(text, 1, sizeof(text) - 1, file) == 0)
        return UINT64_MAX;
    fclose(file);
    const char *at = strstr(text, "\"aclrtOfThread\"");
    at = at ? strstr(at, "\"tid\":") : NULL;
    return at && sscanf(at, "\"tid\":%u", &row) == 1 ? row - 1 : UINT64_MAX;
}

static void record_for_wait(void)
{
    event_id = (uint32_t)ask_id();
}

/* The id of the record, if the wait for it was left out. */
static uint64_t wait_for_record(void)
{
    SEAM_OK(seam->work.wait(b, event, TWIN_FOREVER));
    return seam->diag.newest_task(b) == 0 ? event_id : UINT64_MAX;
}

static void stop_queue(void)
{
    SEAM_OK(seam->queue.stop_on_failure(a));
    SEAM_OK(seam->work.wait(a, gate, SEAM_S));
    SEAM_STATUS(seam->queue.drain(a, TWIN_FOREVER), TWIN_E_TASK_TIMEOUT);
}

static uint64_t record_in_vain(void)
{
    return seam->work.record(a, event);
}

static void fail_task(void)
{
    SEAM_OK(seam->work.wait(a, gate, SEAM_S));
    let_time_pass();
}

static uint64_t take_failure(void)
{
    twin_failure failure = {0};
    return seam->queue.take_failure(a, &failure) == TWIN_OK ? failure.status : TWIN_OK;
}

static uint64_t drain(void)
{
    return seam->queue.drain(a, TWIN_FOREVER);
}

static uint64_t ask_left(void)
{
    return ids_left();
}

static twin_hw_pool *pool;
static uint64_t pool_block;

static void make_pool(void)
{
    SEAM_OK(seam->pool.create(device, TWIN_POOL_GRANULE, &pool));
    SEAM_OK(seam->pool.set(pool, TWIN_POOL_OPPORTUNISTIC, 1));
}

static uint64_t take_pools(void)
{
    SEAM_OK(seam->work.alloc(a, pool, TWIN_POOL_GRANULE, &pool_block));
    return 0;
}

static void free_after_gate(void)
{
    make_pool();
    (void)take_pools();
    shut_gate();
    SEAM_OK(seam->work.free(a, pool_block));
}

/* Whether it gets the block that the other queue is still to free; there is no more memory. */
static uint64_t allocate_again(void)
{
    uint64_t again = 0;
    const twin_status status = seam->work.alloc(b, pool, TWIN_POOL_GRANULE, &again);
    return status == TWIN_OK && again == pool_block ? 1 : 0;
}

static void nothing(void) {}

static const struct scenario scenarios[] = {
    {"lock", TWIN_ND_LOCK, true, true, nothing, take_lock, 0},
    {"signal", TWIN_ND_SIGNAL, true, false, record_and_drain, ask_time, TWIN_NEWEST_UNTIMED},
    {"set", TWIN_ND_SET, false, true, nothing, record, 0},
    {"completion", TWIN_ND_COMPLETION, true, false, shut_gate, ask_idle, 2 * 1 + 1},
    {"freed", TWIN_ND_FREED, false, false, nothing, reclaim_queue, RECORDS - 2},
    {"swept", TWIN_ND_SWEPT, true, false, wait_for_gate, reclaim_queues, RECORDS - 1},
    {"id", TWIN_ND_ID, false, false, shut_gate, ask_id, 5},
    {"waits", TWIN_ND_WAITS, true, false, wait_for_gate, ask_waits, 3},
    {"woke", TWIN_ND_WOKE, true, false, shut_gate, wait_in_vain, TWIN_WOKE_INTERRUPTED},
    {"looked", TWIN_ND_LOOKED, true, false, shut_gate, poll_often, OUT_OF_REACH *SEAM_MS},
    {"thread", TWIN_ND_THREAD, false, false, nothing, number_thread, 41},
    {"clock", TWIN_ND_CLOCK, false, false, let_another_move_the_model, catch_up,
     OUT_OF_REACH *SEAM_MS},
    {"gone", TWIN_ND_GONE, false, false, record_for_wait, wait_for_record, 0},
    {"refused", TWIN_ND_REFUSED, false, true, stop_queue, record_in_vain, 0},
    {"failed (note)", TWIN_ND_FAILED, true, false, fail_task, take_failure, TWIN_OK},
    {"failed (drain)", TWIN_ND_FAILED, true, false, fail_task, drain, TWIN_OK},
    {"left", TWIN_ND_LEFT, false, false, nothing, ask_left, 7},
    {"pool", TWIN_ND_POOL, false, false, free_after_gate, allocate_again, 1},
    {"pools", TWIN_ND_POOLS, true, true, make_pool, take_pools, 0},
};

/* ---- runs ------------------------------------------------------------------------------------ */

static void go(void)
{
    const unsigned failures = CU_get_number_of_failures();
    alarm(LIMIT_S);
    if (current->what == TWIN_ND_THREAD)
        seam_set("TWINRT_TRACE", trace_path);
    if (mode != ALONE) {
        seam_services.nd = nd;
        seam_services.seen = seen;
        seam_services.moved = moved;
    }
    if (mode == REPLAYED) {
        seam_services.waiting = waiting;
        seam_services.outlook = outlook;
    }
    device = seam_up();
    a = seam_queue(device, 1);
    b = seam_queue(device, 2);
    gate = seam_signal(device, TWIN_SIGNAL_NOTIFY, 99);
    event = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
    current->prepare();
    if (mode == REPLAYED)
        SEAM_OK(seam->host.pace());
    acting = true;
    run->found = current->act();
    acting = false;
    run->failures = CU_get_number_of_failures() - failures;
    run->ended = true;
}

static const struct outcome *outcome_of(size_t scenario, enum mode which)
{
    static struct outcome *outcomes[TWIN_COUNT(scenarios)][MODES];
    struct outcome **place = &outcomes[scenario][which];
    if (*place)
        return *place;
    *place = mmap(NULL, sizeof(**place), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = *place != MAP_FAILED ? fork() : -1;
    if (child < 0)
        abort();
    if (child == 0) {
        mode = which;
        current = &scenarios[scenario];
        run = *place;
        go();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return *place;
}

static void expect(bool holds, size_t scenario, enum mode which, const char *what)
{
    static const char *const modes[] = {"alone", "recorded", "replayed"};
    const struct outcome *out = outcome_of(scenario, which);
    if (!holds)
        fprintf(stderr, "%s, %s: %s (found %llu, asked %u times, met %llu)\n",
                scenarios[scenario].name, modes[which], what, (unsigned long long)out->found,
                out->asked, (unsigned long long)out->met);
    CU_ASSERT(holds);
}

static void test_recorded(void)
{
    for (size_t i = 0; i < TWIN_COUNT(scenarios); i++) {
        const struct outcome *out = outcome_of(i, RECORDED);
        expect(out->ended && out->failures == 0, i, RECORDED, "failed");
        expect(out->asked != 0, i, RECORDED, "not logged");
        expect(out->met == out->found, i, RECORDED, "logged is not what the program found");
    }
}

static void test_replayed(void)
{
    for (size_t i = 0; i < TWIN_COUNT(scenarios); i++) {
        const struct outcome *out = outcome_of(i, REPLAYED);
        const uint64_t alone = outcome_of(i, ALONE)->found;
        const uint64_t wanted = scenarios[i].orders ? alone : scenarios[i].handed;
        expect(out->ended && out->failures == 0, i, REPLAYED, "failed");
        expect(out->asked != 0, i, REPLAYED, "not asked");
        expect(out->moved == 0, i, REPLAYED, "the model moved");
        expect(out->found == wanted, i, REPLAYED, "not what the recording has");
        expect(scenarios[i].orders || wanted != alone, i, REPLAYED, "the same as alone");
    }
}

static void test_alone(void)
{
    for (size_t i = 0; i < TWIN_COUNT(scenarios); i++) {
        const struct outcome *out = outcome_of(i, ALONE);
        expect(out->ended && out->failures == 0, i, ALONE, "failed");
        if (scenarios[i].what != TWIN_ND_GONE) /* only its recorded run has the race */
            expect(out->found == outcome_of(i, RECORDED)->found, i, ALONE, "not as recorded");
    }
}

static void test_waits(void)
{
    bool covered[TWIN_ND_COUNT] = {false};
    for (size_t i = 0; i < TWIN_COUNT(scenarios); i++) {
        const struct outcome *out = outcome_of(i, REPLAYED);
        covered[scenarios[i].what] = true;
        expect(twin_nd_waits(scenarios[i].what) == scenarios[i].waits, i, REPLAYED,
               "twin_nd_waits() differs");
        expect(out->others_ran == (scenarios[i].waits ? out->asked : 0), i, REPLAYED,
               "asked with a lock held");
    }
    for (unsigned what = 0; what < TWIN_ND_COUNT; what++)
        CU_ASSERT(covered[what]);
}

static const twin_test tests[] = {
    {"a recording gets what the program found", test_recorded},
    {"a replay gives the program what the recording has", test_replayed},
    {"without a conductor a run is as recorded", test_alone},
    {"what waits for its place is asked for before a lock is taken", test_waits},
};

int main(int argc, char **argv)
{
    const int trace = mkstemp(trace_path);
    if (trace < 0)
        return TWIN_EXIT_FAILED;
    close(trace);
    seam_load("sim");
    int status = twin_run_suite("backend.sim_replay", tests, TWIN_COUNT(tests), argc, argv);
    unlink(trace_path);
    return status;
}
