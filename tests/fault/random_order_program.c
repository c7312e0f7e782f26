/* SPDX-License-Identifier: Apache-2.0 */
/* A program that one thread writes by dice, through the public interface alone. What it submits is
 * noted in a graph; what it sees is held against that. Streams that are held back stay so until a
 * stream that never waits lets them go, so that no program hangs. */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "random_order.h"
#include "random_support.h"

enum {
    DEVICES = 2,
    STREAMS = 4,    /* of a device; the first is the default stream */
    GATE = STREAMS, /* the stream that only lets others go */
    LANES = DEVICES * (STREAMS + 1),
    CELLS = 5, /* of a device */
    EVENTS = 8,
    NOTIFIES = 6, /* of a device */
    HOLDS = 4,    /* of a device */
    CELL_BYTES = 64,
    CELL_WORDS = CELL_BYTES / 8,
    DELAY_MOST = 1 << 20,
    SOON_MS = 60000
};

static const uint64_t INITIAL = UINT64_C(0x1111111111111111);

struct lane {
    aclrtStream stream;
    uint32_t device;
    uint32_t last; /* its newest task, UINT32_MAX: none */
    uint8_t *scratch;
};

struct hold {
    aclrtNotify notify;
    uint32_t bit; /* of the task that it holds back now, 0: none */
    bool used;    /* its newest wait may not be over */
    uint32_t wait;
};

static struct {
    random_state random;
    uint64_t seed;
    bool trace;
    bool has_values; /* waits for values, which older parts lack */
    uint32_t wrong;
    order_graph graph;
    struct lane lanes[LANES];
    aclrtContext contexts[DEVICES];
    uint64_t *cells[DEVICES];   /* device memory */
    uint64_t *source;           /* host: what each task writes */
    uint64_t *sources[DEVICES]; /* the same in device memory */
    uint64_t *log;              /* host: what each task reads */
    uint64_t *logs[DEVICES];    /* device memory */
    uint64_t *words[DEVICES];   /* device memory: one for each value wait */
    aclrtEvent events[EVENTS];
    uint32_t recorded[EVENTS];
    struct {
        aclrtNotify notify;
        uint32_t wait; /* the newest, UINT32_MAX: none */
    } notifies[DEVICES][NOTIFIES];
    struct hold holds[DEVICES * HOLDS];
    uint32_t closed; /* bits of the holds that are closed */
    uint32_t closings;
    _Atomic uint32_t calls;
    _Atomic uint32_t turn[ORDER_TASKS_MOST]; /* of the host function that the task is, from 1 */
    bool to_host[ORDER_TASKS_MOST];          /* READ: straight into the host's log */
    bool looked[ORDER_TASKS_MOST];
} run;

/* ---- failures -------------------------------------------------------------------------------- */

static void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void wrong(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (run.wrong++ < 5) {
        fprintf(stderr, "FAILED (--seed=%llu --calls=1): ", (unsigned long long)run.seed);
        vfprintf(stderr, format, arguments);
        fputc('\n', stderr);
    }
    va_end(arguments);
}

#define MUST(call, code)                                                                           \
    do {                                                                                           \
        aclError got = (call);                                                                     \
        if (got != (code))                                                                         \
            wrong("%s answers %d, not %d: %s", #call, got, code, aclGetRecentErrMsg());            \
    } while (0)
#define OK(call) MUST(call, ACL_SUCCESS)

/* ---- the graph ------------------------------------------------------------------------------- */

/* Everything in `task` and before it is before what `self` begins with. */
static void after(order_task *self, uint32_t task)
{
    const order_task *other = &run.graph.tasks[task];
    order_join(&self->before, &other->before);
    self->before.word[task / 64] |= UINT64_C(1) << (task % 64);
    self->holds |= other->holds;
}

/* Notes a task that is about to be submitted. */
static order_task *note(uint32_t lane, order_kind kind, const char *name)
{
    uint32_t number = run.graph.count++;
    order_task *task = &run.graph.tasks[number];
    memset(task, 0, sizeof(*task));
    task->kind = kind;
    task->name = name;
    task->lane = lane;
    task->before = run.graph.known;
    if (run.lanes[lane].last != UINT32_MAX)
        after(task, run.lanes[lane].last);
    run.lanes[lane].last = number;
    if (run.trace)
        fprintf(stderr, "task %u: %s on device %u, stream %u\n", number, name,
                run.lanes[lane].device, lane % (STREAMS + 1));
    return task;
}

static uint32_t number_of(const order_task *task)
{
    return (uint32_t)(task - run.graph.tasks);
}

static bool held(uint32_t task)
{
    return (run.graph.tasks[task].holds & run.closed) != 0;
}

static aclrtStream use(uint32_t lane)
{
    OK(aclrtSetCurrentContext(run.contexts[run.lanes[lane].device]));
    return run.lanes[lane].stream;
}

static uint32_t any_lane(void)
{
    return random_below(&run.random, DEVICES) * (STREAMS + 1) + random_below(&run.random, STREAMS);
}

/* ---- what the host sees ---------------------------------------------------------------------- */

static void look_at_read(uint32_t task, const uint64_t *words)
{
    char why[160];
    for (unsigned i = 1; i < CELL_WORDS; i++)
        if (words[i] != words[0]) {
            wrong("task %u read a torn cell: word %u is 0x%llx, word 0 0x%llx", task, i,
                  (unsigned long long)words[i], (unsigned long long)words[0]);
            return;
        }
    if (!order_read_fits(&run.graph, task, words[0], INITIAL, why, sizeof(why)))
        wrong("%s", why);
}

static void look_at_call(uint32_t task)
{
    uint32_t turn = atomic_load(&run.turn[task]);
    if (turn == 0)
        wrong("the host function of task %u is to have run, and has not", task);
    for (uint32_t i = 0; i < run.graph.count; i++)
        if (run.graph.tasks[i].kind == ORDER_CALL && order_has(&run.graph.tasks[task].before, i) &&
            atomic_load(&run.turn[i]) > turn)
            wrong("the host function of task %u ran before that of task %u", task, i);
}

/* ORD-10: what is known to be complete is there. */
static void look(void)
{
    for (uint32_t i = 0; i < run.graph.count; i++) {
        if (run.looked[i] || !order_has(&run.graph.known, i))
            continue;
        if (run.graph.tasks[i].kind == ORDER_CALL)
            look_at_call(i);
        else if (run.graph.tasks[i].kind == ORDER_READ && run.to_host[i])
            look_at_read(i, &run.log[i * CELL_WORDS]);
        else
            continue;
        run.looked[i] = true;
    }
}

static void know(uint32_t task)
{
    order_join(&run.graph.known, &run.graph.tasks[task].before);
    run.graph.known.word[task / 64] |= UINT64_C(1) << (task % 64);
    look();
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void do_write(uint32_t lane)
{
    aclrtStream stream = use(lane);
    uint32_t device = run.lanes[lane].device;
    uint32_t way = random_below(&run.random, 4);
    uint32_t other = way == 3 ? 1 - device : device; /* into the other device's memory */
    uint32_t cell = random_below(&run.random, CELLS);
    order_task *task = note(lane, ORDER_WRITE, "write");
    uint32_t number = number_of(task);
    uint64_t *to = run.cells[other] + cell * CELL_WORDS;
    task->cell = other * CELLS + cell;
    task->pattern = run.source[number * CELL_WORDS];
    if (way == 0)
        OK(aclrtMemcpyAsync(to, CELL_BYTES, &run.source[number * CELL_WORDS], CELL_BYTES,
                            ACL_MEMCPY_HOST_TO_DEVICE, stream));
    else /* way 2: out of the other device's memory */
        OK(aclrtMemcpyAsync(to, CELL_BYTES,
                            &run.sources[way == 2 ? 1 - device : device][number * CELL_WORDS],
                            CELL_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

static void do_read(uint32_t lane)
{
    aclrtStream stream = use(lane);
    uint32_t device = run.lanes[lane].device;
    bool to_host = random_percent(&run.random, 50);
    uint32_t from = to_host || random_percent(&run.random, 70) ? device : 1 - device;
    uint32_t cell = random_below(&run.random, CELLS);
    order_task *task = note(lane, ORDER_READ, "read");
    uint32_t number = number_of(task);
    task->cell = from * CELLS + cell;
    run.to_host[number] = to_host;
    OK(aclrtMemcpyAsync(to_host ? &run.log[number * CELL_WORDS]
                                : &run.logs[device][number * CELL_WORDS],
                        CELL_BYTES, run.cells[from] + cell * CELL_WORDS, CELL_BYTES,
                        to_host ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

static void do_delay(uint32_t lane)
{
    aclrtStream stream = use(lane);
    (void)note(lane, ORDER_OTHER, "delay");
    OK(aclrtMemsetAsync(run.lanes[lane].scratch, DELAY_MOST, 1,
                        1 + random_below(&run.random, DELAY_MOST), stream));
}

static void host_function(void *argument)
{
    _Atomic uint32_t *turn = argument;
    atomic_store(turn, atomic_fetch_add(&run.calls, 1) + 1);
}

static void do_call(uint32_t lane)
{
    aclrtStream stream = use(lane);
    const order_task *task = note(lane, ORDER_CALL, "host function");
    OK(aclrtLaunchHostFunc(stream, host_function, &run.turn[number_of(task)]));
}

static void do_record(uint32_t lane)
{
    uint32_t event = random_below(&run.random, EVENTS / DEVICES) * DEVICES + run.lanes[lane].device;
    aclrtStream stream = use(lane);
    run.recorded[event] = number_of(note(lane, ORDER_OTHER, "record"));
    OK(aclrtRecordEvent(run.events[event], stream));
}

/* ORD-05, ORD-08, ORD-09: of any device, any number of times. */
static void do_wait(uint32_t lane)
{
    uint32_t event = random_below(&run.random, EVENTS);
    if (run.recorded[event] == UINT32_MAX)
        return;
    aclrtStream stream = use(lane);
    after(note(lane, ORDER_OTHER, "wait"), run.recorded[event]);
    OK(aclrtStreamWaitEvent(stream, run.events[event]));
}

/* Another stream of the same device. */
static uint32_t beside(uint32_t lane)
{
    uint32_t first = run.lanes[lane].device * (STREAMS + 1);
    return first + (lane - first + 1 + random_below(&run.random, STREAMS - 1)) % STREAMS;
}

static void do_notify(uint32_t lane)
{
    uint32_t which = random_below(&run.random, NOTIFIES);
    uint32_t device = run.lanes[lane].device;
    uint32_t last = run.notifies[device][which].wait;
    /* A second record before the first was taken would be one with it. */
    if (last != UINT32_MAX && !order_has(&run.graph.known, last))
        return;
    aclrtNotify notify = run.notifies[device][which].notify;
    aclrtStream stream = use(lane);
    uint32_t record = number_of(note(lane, ORDER_OTHER, "notify"));
    OK(aclrtRecordNotify(notify, stream));
    uint32_t other = beside(lane);
    order_task *wait = note(other, ORDER_OTHER, "notify wait");
    after(wait, record);
    run.notifies[device][which].wait = number_of(wait);
    OK(aclrtWaitAndResetNotify(notify, use(other), 0));
}

static void do_value(uint32_t lane)
{
    if (!run.has_values)
        return;
    uint32_t device = run.lanes[lane].device;
    aclrtStream stream = use(lane);
    uint32_t write = number_of(note(lane, ORDER_OTHER, "value"));
    uint64_t *word = run.words[device] + write;
    OK(aclrtValueWrite(word, 1 + write, 0, stream));
    uint32_t other = beside(lane);
    after(note(other, ORDER_OTHER, "value wait"), write);
    OK(aclrtValueWait(word, 1 + write, ACL_STREAM_WAIT_VALUE_EQ, use(other)));
}

/* ---- holds ----------------------------------------------------------------------------------- */

static void do_hold(uint32_t lane)
{
    uint32_t device = run.lanes[lane].device;
    uint32_t index = device * HOLDS + random_below(&run.random, HOLDS);
    struct hold *hold = &run.holds[index];
    if (run.closings == 32 || hold->bit != 0 ||
        (hold->used && !order_has(&run.graph.known, hold->wait)))
        return;
    aclrtStream stream = use(lane);
    order_task *task = note(lane, ORDER_OTHER, "hold");
    hold->wait = number_of(task);
    hold->used = true;
    hold->bit = 1u << run.closings++;
    run.closed |= hold->bit;
    task->holds |= hold->bit;
    OK(aclrtWaitAndResetNotify(hold->notify, stream, 0));
}

static void release(uint32_t index)
{
    struct hold *hold = &run.holds[index];
    if (hold->bit == 0)
        return;
    uint32_t gate = index / HOLDS * (STREAMS + 1) + GATE;
    aclrtStream stream = use(gate);
    (void)note(gate, ORDER_OTHER, "release");
    OK(aclrtRecordNotify(hold->notify, stream));
    run.closed &= ~hold->bit;
    hold->bit = 0;
}

/* ---- waits of the host ----------------------------------------------------------------------- */

/* ORD-02, ORD-07: a stream that is held back is not complete, and a wait for it ends by its time;
 * any other one ends. */
static void sync_stream(uint32_t lane)
{
    aclrtStream stream = use(lane);
    uint32_t last = run.lanes[lane].last;
    aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
    if (last == UINT32_MAX)
        return;
    if (held(last)) {
        if (random_percent(&run.random, 50))
            MUST(aclrtSynchronizeStreamWithTimeout(stream, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        OK(aclrtStreamQuery(stream, &status));
        if (status != ACL_STREAM_STATUS_NOT_READY)
            wrong("device %u, stream %u is held back and complete", run.lanes[lane].device,
                  lane % (STREAMS + 1));
        return;
    }
    if (random_percent(&run.random, 70)) {
        OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    } else {
        do {
            OK(aclrtStreamQuery(stream, &status));
        } while (status != ACL_STREAM_STATUS_COMPLETE && run.wrong == 0);
    }
    know(last);
}

static void sync_event(void)
{
    uint32_t event = random_below(&run.random, EVENTS);
    uint32_t record = run.recorded[event];
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    if (record == UINT32_MAX)
        return;
    OK(aclrtSetCurrentContext(run.contexts[event % DEVICES]));
    if (held(record)) {
        OK(aclrtQueryEventStatus(run.events[event], &status));
        if (status != ACL_EVENT_RECORDED_STATUS_NOT_READY)
            wrong("event %u is recorded behind a hold, and complete", event);
        return;
    }
    OK(aclrtSynchronizeEventWithTimeout(run.events[event], SOON_MS));
    know(record);
}

static bool device_is_free(uint32_t device)
{
    for (uint32_t lane = device * (STREAMS + 1); lane < (device + 1) * (STREAMS + 1); lane++)
        if (run.lanes[lane].last != UINT32_MAX && held(run.lanes[lane].last))
            return false;
    return true;
}

static void sync_device(uint32_t device)
{
    if (!device_is_free(device))
        return;
    OK(aclrtSetCurrentContext(run.contexts[device]));
    OK(aclrtSynchronizeDeviceWithTimeout(SOON_MS));
    for (uint32_t lane = device * (STREAMS + 1); lane < (device + 1) * (STREAMS + 1); lane++)
        if (run.lanes[lane].last != UINT32_MAX)
            know(run.lanes[lane].last);
}

/* ---- objects that go and come ---------------------------------------------------------------- */

/* EVT-66: what was recorded and what waits for it goes on. */
static void renew_event(void)
{
    uint32_t event = random_below(&run.random, EVENTS);
    OK(aclrtSetCurrentContext(run.contexts[event % DEVICES]));
    OK(aclrtDestroyEvent(run.events[event]));
    run.recorded[event] = UINT32_MAX;
    OK(aclrtCreateEventExWithFlag(&run.events[event], ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
}

/* STR-15: the host waits for all that was queued. The default stream stays. */
static void renew_stream(uint32_t lane)
{
    uint32_t last = run.lanes[lane].last;
    if (lane % (STREAMS + 1) == 0 || (last != UINT32_MAX && held(last)))
        return;
    OK(aclrtDestroyStream(use(lane)));
    if (last != UINT32_MAX)
        know(last);
    run.lanes[lane].last = UINT32_MAX;
    OK(aclrtCreateStream(&run.lanes[lane].stream));
}

/* ---- the program ----------------------------------------------------------------------------- */

static void step(void)
{
    uint32_t lane = any_lane();
    uint32_t dice = random_below(&run.random, 103);
    if (dice < 24)
        do_write(lane);
    else if (dice < 48)
        do_read(lane);
    else if (dice < 54)
        do_delay(lane);
    else if (dice < 64)
        do_record(lane);
    else if (dice < 77)
        do_wait(lane);
    else if (dice < 81)
        do_notify(lane);
    else if (dice < 84)
        do_value(lane);
    else if (dice < 86)
        do_call(lane);
    else if (dice < 88)
        do_hold(lane);
    else if (dice < 91)
        release(random_below(&run.random, DEVICES * HOLDS));
    else if (dice < 95)
        sync_stream(lane);
    else if (dice < 99)
        sync_event();
    else if (dice < 101)
        renew_event();
    else if (dice < 102)
        renew_stream(lane);
    else
        sync_device(random_below(&run.random, DEVICES));
}

static void *device_memory(size_t bytes)
{
    void *memory = NULL;
    OK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

static uint64_t *host_memory(size_t bytes)
{
    void *memory = NULL;
    OK(aclrtMallocHost(&memory, bytes));
    if (!memory)
        abort();
    memset(memory, 0, bytes);
    return memory;
}

static void make_device(uint32_t device)
{
    const size_t all = (size_t)ORDER_TASKS_MOST * CELL_BYTES;
    OK(aclrtSetDevice((int32_t)device));
    OK(aclrtGetCurrentContext(&run.contexts[device]));
    OK(aclrtDeviceEnablePeerAccess(1 - (int32_t)device, 0));
    run.cells[device] = device_memory((size_t)CELLS * CELL_BYTES);
    run.sources[device] = device_memory(all);
    run.logs[device] = device_memory(all);
    run.words[device] = device_memory(ORDER_TASKS_MOST * sizeof(uint64_t));
    OK(aclrtMemset(run.cells[device], (size_t)CELLS * CELL_BYTES, (int32_t)(INITIAL & 0xff),
                   (size_t)CELLS * CELL_BYTES));
    OK(aclrtMemset(run.words[device], ORDER_TASKS_MOST * sizeof(uint64_t), 0,
                   ORDER_TASKS_MOST * sizeof(uint64_t)));
    OK(aclrtMemcpy(run.sources[device], all, run.source, all, ACL_MEMCPY_HOST_TO_DEVICE));
    for (uint32_t i = 0; i <= STREAMS; i++) {
        struct lane *lane = &run.lanes[device * (STREAMS + 1) + i];
        lane->device = device;
        lane->last = UINT32_MAX;
        lane->scratch = device_memory(DELAY_MOST);
        if (i != 0)
            OK(aclrtCreateStream(&lane->stream));
    }
    for (uint32_t i = 0; i < NOTIFIES; i++) {
        run.notifies[device][i].wait = UINT32_MAX;
        OK(aclrtCreateNotify(&run.notifies[device][i].notify, 0));
    }
    for (uint32_t i = 0; i < HOLDS; i++)
        OK(aclrtCreateNotify(&run.holds[device * HOLDS + i].notify, 0));
    for (uint32_t event = device; event < EVENTS; event += DEVICES) {
        run.recorded[event] = UINT32_MAX;
        OK(aclrtCreateEventExWithFlag(&run.events[event], ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    }
}

/* Records that are ordered have times that are. */
static void look_at_times(void)
{
    for (uint32_t a = 0; a < EVENTS; a++)
        for (uint32_t b = 0; b < EVENTS; b++) {
            uint32_t first = run.recorded[a];
            uint32_t second = run.recorded[b];
            float ms = -1;
            if (first == UINT32_MAX || second == UINT32_MAX ||
                !order_has(&run.graph.tasks[second].before, first))
                continue;
            OK(aclrtEventElapsedTime(&ms, run.events[a], run.events[b]));
            if (ms < 0)
                wrong("task %u was recorded %g ms before task %u, which comes before it", second,
                      (double)-ms, first);
        }
}

static void finish(void)
{
    const size_t all = (size_t)ORDER_TASKS_MOST * CELL_BYTES;
    for (uint32_t i = 0; i < DEVICES * HOLDS; i++)
        release(i);
    for (uint32_t device = 0; device < DEVICES; device++)
        sync_device(device);
    look_at_times();
    for (uint32_t device = 0; device < DEVICES; device++) {
        OK(aclrtSetCurrentContext(run.contexts[device]));
        OK(aclrtMemcpy(run.log, all, run.logs[device], all, ACL_MEMCPY_DEVICE_TO_HOST));
        for (uint32_t i = 0; i < run.graph.count; i++)
            if (run.graph.tasks[i].kind == ORDER_READ && !run.to_host[i] &&
                run.lanes[run.graph.tasks[i].lane].device == device)
                look_at_read(i, &run.log[i * CELL_WORDS]);
    }
    for (uint32_t i = 0; i < run.graph.count; i++)
        if (!order_has(&run.graph.known, i))
            wrong("task %u is not known to be complete at the end", i);
    for (int32_t device = 0; device < DEVICES; device++)
        OK(aclrtResetDeviceForce(device));
    OK(aclFinalize());
}

bool order_run_program(uint64_t seed, bool trace)
{
    run.seed = seed;
    run.trace = trace;
    random_seed(&run.random, seed, 0);
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    run.source = host_memory((size_t)ORDER_TASKS_MOST * CELL_BYTES);
    run.log = host_memory((size_t)ORDER_TASKS_MOST * CELL_BYTES);
    for (uint32_t i = 0; i < ORDER_TASKS_MOST; i++) {
        uint64_t pattern = random_next(&run.random);
        for (uint32_t word = 0; word < CELL_WORDS; word++)
            run.source[i * CELL_WORDS + word] = pattern;
    }
    for (uint32_t device = 0; device < DEVICES; device++)
        make_device(device);
    OK(aclrtResetDevice(0)); /* the second hold of make_device() stays */
    aclError code = aclrtValueWait(run.words[DEVICES - 1], 0, ACL_STREAM_WAIT_VALUE_EQ, NULL);
    run.has_values = code == ACL_SUCCESS;
    if (code != ACL_SUCCESS)
        MUST(code, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    uint32_t length = 40 + random_below(&run.random, ORDER_TASKS_MOST - 60);
    while (run.graph.count < length && run.wrong == 0)
        step();
    finish();
    return run.wrong == 0;
}
