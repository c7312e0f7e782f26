/* SPDX-License-Identifier: Apache-2.0 */
/* A random program of several threads that take strict turns: one makes calls, all others wait for
 * it on the host. So no two of them race to the device, and whatever the system does with its
 * threads, what happens on the device and when is decided by the seeds alone (T-TIM-11). Host
 * functions run on their own threads beside, while the one whose turn it is asks or waits.
 *
 * turns_test.py runs a seed several times and compares what was seen, byte for byte. `--noise`
 * makes threads sleep, spin and yield in real time, otherwise in each run; the program is the same.
 * `--calls` counts turns. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"
#include "random_support.h"

enum {
    CONTEXTS = 3, /* two of device 0, one of device 1 */
    STREAMS = 2,  /* of a context */
    LANES = CONTEXTS * STREAMS,
    EVENTS = 3, /* of a context */
    BYTES = 1 << 20,
    CALLBACKS_MOST = 3,
    SOON_MS = 60000,
    WATCHDOG_S = 250
};

struct lane {
    aclrtStream stream;
    uint32_t context;
    uint8_t *memory;
};

static random_options options = {.seed = 1, .calls = 60, .threads = 4};
static uint64_t noise_seed;

/* Everything below belongs to the thread whose turn it is, unless it says otherwise. */
static struct {
    random_state random;
    aclrtContext contexts[CONTEXTS];
    struct lane lanes[LANES];
    aclrtEvent events[CONTEXTS * EVENTS];
    bool recorded[CONTEXTS * EVENTS];
    aclrtNotify gates[CONTEXTS];
    /* The stream whose callbacks the last thread runs. */
    struct lane subscribed;
    uint8_t *host;
    _Atomic uint32_t launched, ran; /* host functions of streams' contexts */
    uint32_t callbacks;             /* launched for the last thread, and not run */
} run;

static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_passed = PTHREAD_COND_INITIALIZER;
static uint32_t turn_of;
static uint64_t turns_left;

static _Thread_local random_state noise;

/* ---- real time ------------------------------------------------------------------------------- */

static void noise_begin(uint64_t stream)
{
    random_seed(&noise, noise_seed, stream);
}

/* A while that differs from run to run. */
static void dawdle(void)
{
    if (noise_seed == 0 || random_percent(&noise, 40))
        return;
    uint32_t dice = random_below(&noise, 10);
    if (dice < 5) {
        sched_yield();
    } else if (dice < 8) {
        struct timespec some = {.tv_nsec = 1000 + random_below(&noise, 400000)};
        nanosleep(&some, NULL);
    } else {
        for (volatile uint32_t left = random_below(&noise, 200000); left > 0; left--)
            continue;
    }
}

/* ---- failures -------------------------------------------------------------------------------- */

static void must(const char *what, aclError got, aclError wanted)
{
    if (got != wanted)
        random_failure("%s answers %d, not %d: %s", what, got, wanted, aclGetRecentErrMsg());
}
#define OK(call) must(#call, (call), ACL_SUCCESS)

/* ---- steps ----------------------------------------------------------------------------------- */

static uint32_t below(uint32_t limit)
{
    return random_below(&run.random, limit);
}

static struct lane *any_lane(void)
{
    struct lane *lane = &run.lanes[below(LANES)];
    OK(aclrtSetCurrentContext(run.contexts[lane->context]));
    return lane;
}

static uint32_t event_of(const struct lane *lane)
{
    return lane->context * EVENTS + below(EVENTS);
}

static void on_host(void *data)
{
    static _Atomic uint64_t stream;
    if (noise_seed != 0 && noise.word == 0)
        noise_begin(atomic_fetch_add(&stream, 1) + RANDOM_THREADS_MOST);
    dawdle();
    atomic_fetch_add((_Atomic uint32_t *)data, 1);
}

static void on_thread(void *data)
{
    dawdle();
    --*(uint32_t *)data;
}

static void do_delay(const struct lane *lane)
{
    OK(aclrtMemsetAsync(lane->memory, BYTES, 1, 1 + below(BYTES), lane->stream));
}

static void do_copy(const struct lane *lane)
{
    const size_t bytes = 1 + below(4096);
    if (below(2) == 0)
        OK(aclrtMemcpyAsync(lane->memory, BYTES, run.host, bytes, ACL_MEMCPY_HOST_TO_DEVICE,
                            lane->stream));
    else
        OK(aclrtMemcpyAsync(run.host, BYTES, lane->memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST,
                            lane->stream));
}

static void do_call(const struct lane *lane)
{
    atomic_fetch_add(&run.launched, 1);
    OK(aclrtLaunchHostFunc(lane->stream, on_host, &run.ran));
}

static void do_record(const struct lane *lane)
{
    uint32_t event = event_of(lane);
    OK(aclrtRecordEvent(run.events[event], lane->stream));
    run.recorded[event] = true;
}

static void do_wait(const struct lane *lane)
{
    uint32_t event = event_of(lane);
    if (run.recorded[event])
        OK(aclrtStreamWaitEvent(lane->stream, run.events[event]));
}

/* Of both kinds: the last of a context reports its waits. */
static void make_event(uint32_t event)
{
    const uint32_t flag = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE;
    if (event % EVENTS == EVENTS - 1)
        OK(aclrtCreateEventWithFlag(&run.events[event], flag));
    else
        OK(aclrtCreateEventExWithFlag(&run.events[event], flag));
    run.recorded[event] = false;
}

static void do_renew(const struct lane *lane)
{
    uint32_t event = event_of(lane);
    OK(aclrtDestroyEvent(run.events[event]));
    make_event(event);
}

static void submit_some(const struct lane *lane)
{
    for (uint32_t left = 1 + below(4); left > 0; left--) {
        uint32_t dice = below(100);
        if (dice < 25)
            do_delay(lane);
        else if (dice < 35)
            do_copy(lane);
        else if (dice < 65)
            do_call(lane);
        else if (dice < 80)
            do_record(lane);
        else if (dice < 95)
            do_wait(lane);
        else
            do_renew(lane);
        if (below(10) == 0)
            lane = any_lane();
    }
}

static void ask_once(const struct lane *lane)
{
    aclrtStreamStatus stream = ACL_STREAM_STATUS_COMPLETE;
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    aclrtEventWaitStatus waited = ACL_EVENT_WAIT_STATUS_NOT_READY;
    uint32_t event = event_of(lane);
    switch (below(3)) {
    case 0:
        OK(aclrtStreamQuery(lane->stream, &stream));
        break;
    case 1:
        OK(aclrtQueryEventStatus(run.events[event], &recorded));
        break;
    default:
        event = lane->context * EVENTS + EVENTS - 1;
        OK(aclrtQueryEventWaitStatus(run.events[event], &waited));
        break;
    }
}

/* Asks until it is there. Each time costs time, so how often is seen in the times of all that
 * follows. */
static void ask_until(const struct lane *lane)
{
    aclrtStreamStatus stream = ACL_STREAM_STATUS_NOT_READY;
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    uint32_t event = event_of(lane);
    if (run.recorded[event] && below(2) == 0) {
        while (recorded != ACL_EVENT_RECORDED_STATUS_COMPLETE && random_failures() == 0) {
            OK(aclrtQueryEventStatus(run.events[event], &recorded));
            dawdle();
        }
        return;
    }
    while (stream != ACL_STREAM_STATUS_COMPLETE && random_failures() == 0) {
        OK(aclrtStreamQuery(lane->stream, &stream));
        dawdle();
    }
}

static void synchronize(const struct lane *lane)
{
    uint32_t event = event_of(lane);
    switch (below(5)) {
    case 0:
        OK(aclrtSynchronizeStream(lane->stream));
        break;
    case 1:
        OK(aclrtSynchronizeStreamWithTimeout(lane->stream, SOON_MS));
        break;
    case 2:
        if (run.recorded[event])
            OK(aclrtSynchronizeEvent(run.events[event]));
        break;
    case 3:
        OK(aclrtMemcpy(lane->memory, BYTES, run.host, 1 + below(65536), ACL_MEMCPY_HOST_TO_DEVICE));
        break;
    default:
        OK(aclrtSynchronizeDeviceWithTimeout(SOON_MS));
        break;
    }
}

/* A wait that ends by its time, beside host functions of other streams; then it is released. */
static void time_out(const struct lane *lane)
{
    const struct lane *gate = &run.lanes[lane->context * STREAMS];
    const struct lane *held = gate + 1;
    OK(aclrtWaitAndResetNotify(run.gates[lane->context], held->stream, 0));
    do_call(gate);
    do_delay(held);
    must("a wait that times out", aclrtSynchronizeStreamWithTimeout(held->stream, 1),
         ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    do_call(gate);
    OK(aclrtRecordNotify(run.gates[lane->context], gate->stream));
    /* The next record must not come before this one was taken: both would be one. */
    OK(aclrtSynchronizeStream(held->stream));
}

/* For the last thread, who runs them when its turn has come, and that is next. */
static void launch_callbacks(void)
{
    const struct lane *lane = &run.subscribed;
    OK(aclrtSetCurrentContext(run.contexts[lane->context]));
    for (uint32_t left = 1 + below(CALLBACKS_MOST); left > 0; left--) {
        do_delay(lane);
        run.callbacks++;
        OK(aclrtLaunchCallback(on_thread, &run.callbacks,
                               below(2) == 0 ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK,
                               lane->stream));
        ask_once(&run.lanes[lane->context * STREAMS]);
    }
}

/* Returns whether they were all run. */
static void run_callbacks(void)
{
    while (run.callbacks != 0 && random_failures() == 0) {
        aclError code = aclrtProcessReport(SOON_MS);
        if (code != ACL_SUCCESS)
            must("aclrtProcessReport", code, ACL_SUCCESS);
        dawdle();
    }
}

/* Whose turn comes next. */
static uint32_t take_turn(uint32_t self)
{
    const uint32_t last = options.threads - 1;
    if (self == last && run.callbacks != 0)
        run_callbacks();
    const struct lane *lane = any_lane();
    uint32_t dice = below(100);
    if (dice < 45)
        submit_some(lane);
    else if (dice < 60)
        ask_once(lane);
    else if (dice < 75)
        ask_until(lane);
    else if (dice < 90)
        synchronize(lane);
    else if (dice < 93)
        time_out(lane);
    else if (last != 0) {
        launch_callbacks();
        return last;
    }
    return below(options.threads);
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void *work(void *argument)
{
    const uint32_t self = (uint32_t)(uintptr_t)argument;
    noise_begin(self);
    pthread_mutex_lock(&turn_lock);
    for (;;) {
        while (turns_left != 0 && turn_of != self)
            pthread_cond_wait(&turn_passed, &turn_lock);
        if (turns_left == 0)
            break;
        pthread_mutex_unlock(&turn_lock);
        dawdle();
        random_at(self, "turn", options.calls - turns_left);
        uint32_t next = take_turn(self);
        dawdle();
        pthread_mutex_lock(&turn_lock);
        turn_of = next;
        if (turns_left > 1 || run.callbacks == 0)
            turns_left--;
        if (random_failures() != 0)
            turns_left = 0;
        pthread_cond_broadcast(&turn_passed);
    }
    pthread_mutex_unlock(&turn_lock);
    return NULL;
}

static void make_lane(struct lane *lane, uint32_t context)
{
    void *memory = NULL;
    lane->context = context;
    OK(aclrtSetCurrentContext(run.contexts[context]));
    OK(aclrtCreateStream(&lane->stream));
    OK(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    lane->memory = memory;
}

static void make_all(void)
{
    void *host = NULL;
    OK(aclInit(NULL));
    for (int32_t device = 1; device >= 0; device--) {
        OK(aclrtSetDevice(device));
        OK(aclrtGetCurrentContext(&run.contexts[device]));
    }
    OK(aclrtCreateContext(&run.contexts[2], 0));
    OK(aclrtMallocHost(&host, BYTES));
    run.host = host;
    memset(run.host, 1, BYTES);
    for (uint32_t i = 0; i < LANES; i++)
        make_lane(&run.lanes[i], i / STREAMS);
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        OK(aclrtSetCurrentContext(run.contexts[i]));
        OK(aclrtCreateNotify(&run.gates[i], 0));
        for (uint32_t j = 0; j < EVENTS; j++)
            make_event(i * EVENTS + j);
    }
    make_lane(&run.subscribed, 0);
}

static void finish(void)
{
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        OK(aclrtSetCurrentContext(run.contexts[i]));
        OK(aclrtSynchronizeDeviceWithTimeout(SOON_MS));
    }
    if (run.ran != run.launched)
        random_failure("%u host functions of %u have run", run.ran, run.launched);
    OK(aclrtDestroyContext(run.contexts[2]));
    for (int32_t device = 0; device < 2; device++)
        OK(aclrtResetDeviceForce(device));
    OK(aclFinalize());
}

static bool parse_noise(int *argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < *argc; i++)
        if (strncmp(argv[i], "--noise=", 8) == 0)
            noise_seed = strtoull(argv[i] + 8, NULL, 0);
        else
            argv[kept++] = argv[i];
    *argc = kept;
    return true;
}

int main(int argc, char **argv)
{
    pthread_t threads[RANDOM_THREADS_MOST];
    parse_noise(&argc, argv);
    if (!random_options_parse(&options, argc, argv))
        return 2;
    char text[24];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)options.seed);
    setenv("TWINRT_SEED", text, 0);
    random_watchdog(WATCHDOG_S);
    random_seed(&run.random, options.seed, 0);
    make_all();
    turns_left = options.calls;
    for (uint32_t i = 1; i < options.threads; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i) != 0)
            abort();
    if (options.threads >
        1) { /* known before any callback is launched; the thread makes no call yet */
        OK(aclrtSetCurrentContext(run.contexts[0]));
        OK(aclrtSubscribeReport((uint64_t)threads[options.threads - 1], run.subscribed.stream));
    }
    work(NULL);
    for (uint32_t i = 1; i < options.threads; i++)
        pthread_join(threads[i], NULL);
    if (random_failures() == 0)
        finish();
    printf("seed %llu: %llu turns of %u threads, %u host functions, %u failures\n",
           (unsigned long long)options.seed, (unsigned long long)options.calls, options.threads,
           run.ran, random_failures());
    return random_failures() == 0 ? 0 : 1;
}
