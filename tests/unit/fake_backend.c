/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_backend.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/backend/registry.h"
#include "fake_memory.h"

#define RECORDS_MAX  256
#define QUEUES_MAX   64
#define TASK_NS      1000u
#define DEVICE_BYTES (1u << 20)

typedef enum fake_kind { FAKE_COPY, FAKE_FILL, FAKE_RECORD, FAKE_WAIT, FAKE_RESET } fake_kind;

typedef struct fake_task {
    fake_kind kind;
    twin_copy copy;
    twin_fill fill;
    twin_signal *signal;
    uint32_t record;     /* RECORD: its number; WAIT: the record it is bound to, 0 none */
    uint64_t timeout_ns; /* WAIT */
    uint64_t began_ns;   /* WAIT: when it came to the head, 0 not yet */
} fake_task;

struct twin_hw_device {
    uint32_t index;
    bool open;
};

struct twin_queue {
    twin_hw_device *device;
    fake_task *tasks;
    uint32_t first, count;
    _Atomic twin_status failed;
    bool aborted; /* until the next submission */
};

struct twin_signal {
    twin_signal_config config;
    uint32_t records; /* submitted so far */
    bool done[RECORDS_MAX];
    uint64_t times[RECORDS_MAX];
    bool flag;
    uint32_t waits_open;
    uint32_t references; /* the core's, and one per task in a queue */
};

fake_settings fake_set;
fake_counts fake_count;

static pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
/* All guarded by fake_lock. */
static twin_hw_device devices[8];
static twin_queue *queues[QUEUES_MAX];
static uint64_t clock_ns;
static int waiting;
static uint32_t levels;

static twin_status take(_Atomic twin_status *failure)
{
    return atomic_exchange(failure, TWIN_OK);
}

/* Process and host ----------------------------------------------------------------------------- */

static twin_status fake_start(const twin_services *services)
{
    fake_count.starts++;
    twin_status status = take(&fake_set.fail_start);
    if (status != TWIN_OK)
        services->because("the test refuses it");
    return status;
}

static void fake_stop(void)
{
    fake_count.stops++;
}

static twin_status fake_device_count(uint32_t *out_count)
{
    *out_count = fake_set.devices;
    return TWIN_OK;
}

static twin_device_properties properties = {.soc_name = "Fake1",
                                            .notify_limit = 8,
                                            .priority_count = 8,
                                            .memory_bytes = DEVICE_BYTES,
                                            .aic_cores = 4,
                                            .aiv_cores = 6};

static twin_status fake_describe(uint32_t index, const twin_device_properties **out_properties)
{
    if (index >= fake_set.devices)
        return TWIN_E_DEVICE_ID;
    properties.stream_id_limit = fake_set.stream_id_limit;
    *out_properties = &properties;
    return TWIN_OK;
}

static void fake_attach(void)
{
    fake_count.threads++;
}
static void fake_detach(void)
{
    fake_count.threads--;
}

static void fake_enter(const twin_call *call)
{
    (void)call;
    fake_count.enters++;
}

static uint64_t fake_now(void)
{
    pthread_mutex_lock(&fake_lock);
    uint64_t now = clock_ns;
    pthread_mutex_unlock(&fake_lock);
    return now;
}

/* Devices ------------------------------------------------------------------------------ */

static twin_status fake_open(uint32_t index, twin_hw_device **out_device)
{
    twin_status status = take(&fake_set.fail_open);
    if (status != TWIN_OK)
        return status;
    devices[index] = (twin_hw_device){.index = index, .open = true};
    *out_device = &devices[index];
    fake_count.devices++;
    fake_count.opens++;
    return TWIN_OK;
}

static void fake_close(twin_hw_device *device)
{
    fake_memory_close(device);
    device->open = false;
    fake_count.devices--;
    fake_count.closes++;
}

uint32_t fake_device_index(const twin_hw_device *device)
{
    return device->index;
}

/* Running work --------------------------------------------------------------------------------- */

static void drop_signal_locked(twin_signal *signal)
{
    if (--signal->references == 0)
        free(signal);
}

static fake_task *head_locked(twin_queue *queue)
{
    return queue->count > 0 ? &queue->tasks[queue->first] : NULL;
}

static void pop_locked(twin_queue *queue)
{
    fake_task *task = head_locked(queue);
    if (task->signal) {
        if (task->kind == FAKE_WAIT)
            task->signal->waits_open--;
        drop_signal_locked(task->signal);
    }
    queue->first = (queue->first + 1) % fake_set.queue_depth;
    queue->count--;
    if (--fake_tasks_queued == 0)
        fake_memory_reap();
}

static bool wait_passes_locked(const fake_task *task)
{
    twin_signal *signal = task->signal;
    if (signal->config.kind == TWIN_SIGNAL_EVENT_REBIND)
        return task->record == 0 || signal->done[task->record];
    if (!signal->flag)
        return false;
    if (signal->config.kind == TWIN_SIGNAL_NOTIFY)
        signal->flag = false;
    return true;
}

/* Runs the head of a queue if it can run. */
static bool step_locked(twin_queue *queue)
{
    fake_task *task = head_locked(queue);
    if (!task)
        return false;
    if (task->kind == FAKE_WAIT && task->began_ns == 0)
        task->began_ns = clock_ns;
    if (task->kind == FAKE_WAIT && !wait_passes_locked(task))
        return false;
    clock_ns += TASK_NS;
    if (task->kind == FAKE_COPY)
        fake_memory_ops.copy(queue->device, &task->copy);
    if (task->kind == FAKE_FILL)
        fake_memory_ops.fill(queue->device, &task->fill);
    if (task->kind == FAKE_RESET)
        task->signal->flag = false;
    if (task->kind == FAKE_RECORD) {
        task->signal->done[task->record] = true;
        task->signal->times[task->record] = clock_ns;
        task->signal->flag = true;
    }
    pop_locked(queue);
    return true;
}

static void run_locked(void)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (int i = 0; i < QUEUES_MAX; i++)
            while (queues[i] && step_locked(queues[i]))
                moved = true;
    }
}

/* Fails the parked wait with the earliest limit before `limit_ns`. False: there is none. */
static bool expire_locked(uint64_t limit_ns)
{
    twin_queue *earliest = NULL;
    for (int i = 0; i < QUEUES_MAX; i++) {
        fake_task *task = queues[i] ? head_locked(queues[i]) : NULL;
        if (!task || task->kind != FAKE_WAIT || task->timeout_ns == TWIN_FOREVER)
            continue;
        uint64_t end = task->began_ns + task->timeout_ns;
        if (end < limit_ns) {
            limit_ns = end;
            earliest = queues[i];
        }
    }
    if (!earliest)
        return false;
    clock_ns = limit_ns;
    earliest->failed = TWIN_E_TASK_TIMEOUT;
    pop_locked(earliest);
    return true;
}

/* Waits until done(subject); the clock jumps when no thread can act earlier. */
static twin_status wait_until(bool (*done)(void *), void *subject, uint64_t timeout_ns)
{
    twin_status status = TWIN_OK;
    pthread_mutex_lock(&fake_lock);
    uint64_t end = timeout_ns == TWIN_FOREVER ? TWIN_FOREVER : clock_ns + timeout_ns;
    waiting++;
    for (;;) {
        run_locked();
        if (done(subject))
            break;
        if (waiting >= fake_count.threads) {
            if (expire_locked(end))
                continue;
            status = end == TWIN_FOREVER ? TWIN_E_DEADLOCK : TWIN_E_TIMEOUT;
            if (end != TWIN_FOREVER)
                clock_ns = end;
            break;
        }
        pthread_mutex_unlock(&fake_lock);
        sched_yield();
        pthread_mutex_lock(&fake_lock);
    }
    waiting--;
    pthread_mutex_unlock(&fake_lock);
    return status;
}

/* Queues --------------------------------------------------------------------------------------- */

static twin_status fake_queue_create(twin_hw_device *device, const twin_queue_config *config,
                                     twin_queue **out_queue)
{
    (void)config;
    twin_status status = take(&fake_set.fail_queue);
    if (status != TWIN_OK)
        return status;
    twin_queue *queue = calloc(1, sizeof(*queue));
    queue->device = device;
    queue->tasks = calloc(fake_set.queue_depth, sizeof(*queue->tasks));
    pthread_mutex_lock(&fake_lock);
    for (int i = 0; i < QUEUES_MAX; i++) {
        if (queues[i])
            continue;
        queues[i] = queue;
        break;
    }
    pthread_mutex_unlock(&fake_lock);
    fake_count.queues++;
    *out_queue = queue;
    return TWIN_OK;
}

static void fake_queue_destroy(twin_queue *queue)
{
    pthread_mutex_lock(&fake_lock);
    while (queue->count > 0)
        pop_locked(queue);
    for (int i = 0; i < QUEUES_MAX; i++)
        if (queues[i] == queue)
            queues[i] = NULL;
    pthread_mutex_unlock(&fake_lock);
    free(queue->tasks);
    free(queue);
    fake_count.queues--;
}

static bool queue_done(void *subject)
{
    const twin_queue *queue = subject;
    return queue->count == 0;
}

static twin_status fake_drain(twin_queue *queue, uint64_t timeout_ns)
{
    twin_status status = take(&fake_set.fail_drain);
    if (status != TWIN_OK)
        return status;
    status = wait_until(queue_done, queue, timeout_ns);
    if (status != TWIN_OK)
        return status;
    pthread_mutex_lock(&fake_lock);
    status = queue->aborted ? TWIN_E_ABORTED : take(&queue->failed);
    pthread_mutex_unlock(&fake_lock);
    return status;
}

static twin_status fake_queue_query(twin_queue *queue, bool *out_idle)
{
    pthread_mutex_lock(&fake_lock);
    run_locked();
    *out_idle = queue->count == 0;
    pthread_mutex_unlock(&fake_lock);
    return TWIN_OK;
}

static bool queue_has_room(void *subject)
{
    const twin_queue *queue = subject;
    return queue->count < fake_set.queue_depth;
}

static twin_status fake_room(twin_queue *queue)
{
    return wait_until(queue_has_room, queue, TWIN_FOREVER);
}

static twin_status fake_abort(twin_queue *queue)
{
    fake_count.aborts++;
    pthread_mutex_lock(&fake_lock);
    queue->aborted = queue->count > 0;
    while (queue->count > 0)
        pop_locked(queue);
    pthread_mutex_unlock(&fake_lock);
    return TWIN_OK;
}

static twin_status push(twin_queue *queue, fake_task task)
{
    twin_status status = take(&fake_set.fail_work);
    if (status != TWIN_OK)
        return status;
    pthread_mutex_lock(&fake_lock);
    if (queue->count == fake_set.queue_depth) {
        status = TWIN_E_BUSY;
    } else {
        twin_signal *signal = task.signal;
        if (signal) {
            signal->references++;
            if (task.kind == FAKE_RECORD)
                task.record = ++signal->records;
            if (task.kind == FAKE_WAIT) {
                task.record = signal->records;
                signal->waits_open++;
            }
        }
        queue->aborted = false;
        fake_tasks_queued++;
        queue->tasks[(queue->first + queue->count++) % fake_set.queue_depth] = task;
    }
    pthread_mutex_unlock(&fake_lock);
    return status;
}

static twin_status fake_copy(twin_queue *queue, const twin_copy *copy)
{
    return push(queue, (fake_task){.kind = FAKE_COPY, .copy = *copy});
}

static twin_status fake_fill(twin_queue *queue, const twin_fill *fill)
{
    return push(queue, (fake_task){.kind = FAKE_FILL, .fill = *fill});
}

static twin_status fake_record(twin_queue *queue, twin_signal *signal)
{
    return push(queue, (fake_task){.kind = FAKE_RECORD, .signal = signal});
}

static twin_status fake_wait(twin_queue *queue, twin_signal *signal, uint64_t timeout_ns)
{
    return push(queue, (fake_task){.kind = FAKE_WAIT, .signal = signal, .timeout_ns = timeout_ns});
}

static twin_status fake_reset(twin_queue *queue, twin_signal *signal)
{
    return push(queue, (fake_task){.kind = FAKE_RESET, .signal = signal});
}

/* Signals -------------------------------------------------------------------------------------- */

static twin_status fake_signal_create(twin_hw_device *device, const twin_signal_config *config,
                                      twin_signal **out_signal)
{
    (void)device;
    twin_status status = take(&fake_set.fail_signal);
    if (status != TWIN_OK)
        return status;
    pthread_mutex_lock(&fake_lock);
    bool taken = config->kind != TWIN_SIGNAL_EVENT_LEVEL || levels < fake_set.event_limit;
    levels += taken && config->kind == TWIN_SIGNAL_EVENT_LEVEL;
    pthread_mutex_unlock(&fake_lock);
    if (!taken)
        return TWIN_E_NO_EVENT;
    twin_signal *signal = calloc(1, sizeof(*signal));
    signal->config = *config;
    signal->references = 1;
    fake_count.signals++;
    *out_signal = signal;
    return TWIN_OK;
}

static void fake_signal_destroy(twin_signal *signal)
{
    pthread_mutex_lock(&fake_lock);
    levels -= signal->config.kind == TWIN_SIGNAL_EVENT_LEVEL;
    drop_signal_locked(signal);
    pthread_mutex_unlock(&fake_lock);
    fake_count.signals--;
}

static bool signal_done(void *subject)
{
    const twin_signal *signal = subject;
    return signal->records == 0 || signal->done[signal->records];
}

static twin_status fake_signal_query(twin_signal *signal, twin_signal_state *out_state)
{
    pthread_mutex_lock(&fake_lock);
    run_locked();
    *out_state =
        (twin_signal_state){.recorded = signal->records > 0,
                            .complete = signal_done(signal),
                            .waits_open = signal->waits_open,
                            .hardware_id = 7,
                            .has_hardware_id = signal->config.kind != TWIN_SIGNAL_EVENT_REBIND};
    pthread_mutex_unlock(&fake_lock);
    return TWIN_OK;
}

static twin_status fake_signal_wait(twin_signal *signal, uint64_t timeout_ns)
{
    return wait_until(signal_done, signal, timeout_ns);
}

static twin_status fake_timestamp(twin_signal *signal, uint64_t *out_ns)
{
    twin_status status = TWIN_OK;
    pthread_mutex_lock(&fake_lock);
    run_locked();
    if (signal->records == 0)
        status = TWIN_E_NEVER_RECORDED;
    else if (!signal_done(signal))
        status = TWIN_E_NOT_READY;
    else
        *out_ns = signal->times[signal->records];
    pthread_mutex_unlock(&fake_lock);
    return status;
}

static twin_status fake_available(twin_hw_device *device, twin_signal_kind kind,
                                  uint32_t *out_count)
{
    (void)device;
    (void)kind;
    *out_count = fake_set.event_limit - levels;
    return TWIN_OK;
}

struct twin_backend fake_table = {
    .size = sizeof(struct twin_backend),
    .version = TWIN_SEAM_VERSION,
    .name = "fake",
    .process = {.start = fake_start,
                .stop = fake_stop,
                .count = fake_device_count,
                .describe = fake_describe},
    .host = {.attach = fake_attach, .detach = fake_detach, .enter = fake_enter, .now = fake_now},
    .device = {.open = fake_open, .close = fake_close},
    /* .memory: see fake_install */
    .queue = {.create = fake_queue_create,
              .destroy = fake_queue_destroy,
              .drain = fake_drain,
              .query = fake_queue_query,
              .room = fake_room,
              .abort = fake_abort},
    .work = {.copy = fake_copy,
             .fill = fake_fill,
             .record = fake_record,
             .wait = fake_wait,
             .reset = fake_reset},
    .signal = {.create = fake_signal_create,
               .destroy = fake_signal_destroy,
               .query = fake_signal_query,
               .wait = fake_signal_wait,
               .timestamp = fake_timestamp,
               .available = fake_available},
};

void fake_install(void)
{
    fake_table.memory = fake_memory_ops;
    twin_backend_use(&fake_table);
    fake_set =
        (fake_settings){.devices = 2, .stream_limit = 8, .queue_depth = 16, .event_limit = 4};
    memset(&fake_count, 0, sizeof(fake_count));
    levels = 0;
    properties.stream_limit = fake_set.stream_limit;
    properties.event_limit = fake_set.event_limit;
    properties.queue_depth = fake_set.queue_depth;
}
