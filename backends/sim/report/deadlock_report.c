/* SPDX-License-Identifier: Apache-2.0 */
#include "wait/deadlock_report.h"

#include <stdio.h>
#include <string.h>

#include "hostcall/host_call_queue.h"
#include "device/device.h"
#include "memory/memory_map.h"
#include "process/text.h"
#include "queue/sqe.h"
#include "signal/event.h"
#include "report/threads.h"
#include "signal/ipc.h"
#include "wait/model_lock.h"

/* Guarded by the model lock. */
static char deadlock_text[16384];

/* The task state of the SQE at the head, copied; kind NONE when there is none. The queue's lock is
 * held. */
static struct sim_task_state head_task_state_locked(const twin_queue *queue)
{
    struct sim_task_state none = {0};
    uint64_t retired = sim_queue_retired(queue);
    uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    return retired < submitted ? queue->task_states[retired & queue->mask] : none;
}

/* Looks for records of a signal that are still in rings. */
struct search {
    struct text *text;
    const struct sim_task_state *awaited;
    const twin_hw_device *device; /* of the queue that waits */
    unsigned found;
};

static void find_records(void *context, twin_queue *queue)
{
    struct search *search = context;
    const struct sim_task_state *awaited = search->awaited;
    uint64_t retired = sim_queue_retired(queue);
    pthread_mutex_lock(&queue->lock);
    uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    for (uint64_t i = retired; i < submitted; i++) {
        const struct sim_task_state *state = &queue->task_states[i & queue->mask];
        if (state->kind != SIM_TASK_RECORD ||
            (state->signal != awaited->signal && state->signal->origin != awaited->signal) ||
            (awaited->cross_device ? state->serial != awaited->serial : state->id != awaited->id))
            continue;
        unsigned long long place = i - retired;
        unsigned long long pending = submitted - retired;
        sim_text_add(search->text, "%s ", search->found == 0 ? "; to be recorded by" : ",");
        if (queue->device != search->device)
            sim_text_add(search->text, "device %u, ", queue->device->index);
        sim_text_add(search->text, "stream %u (its task %llu of %llu pending)", queue->config.id,
                     place + 1, pending);
        search->found++;
        break;
    }
    pthread_mutex_unlock(&queue->lock);
}

/* No record is pending: the state of the newest one, as far as it is known. `awaited` is of a queue
 * of `device`. */
static void describe_last_record(struct text *text, const struct sim_task_state *awaited,
                                 uint32_t device)
{
    twin_signal *signal = awaited->signal;
    if (signal->config.kind ==
        TWIN_SIGNAL_COUNT) { /* its records are not remembered, but their sum is */
        uint32_t count = 0;
        (void)twinsim_read(sim_process.sim, device, STARS_COUNT_ENTRY(awaited->id), &count);
        sim_text_add(text, "; no record is pending, its count is %u", count);
        return;
    }
    pthread_mutex_lock(&signal->lock);
    const enum completion_source source = signal->source;
    bool is_awaited = (uint32_t)signal->serial == awaited->serial;
    struct sim_queue_point point = signal->point;
    pthread_mutex_unlock(&signal->lock);
    if (source == COMPLETION_NONE) {
        sim_text_add(text, "; no record was submitted");
        return;
    }
    sim_text_add(text, "; no record is pending");
    if (signal->config.kind == TWIN_SIGNAL_EVENT_REBIND && !is_awaited) {
        sim_text_add(text, ": the awaited one has ended, and the event was recorded again since");
        return;
    }
    if (source != COMPLETION_QUEUE) {
        sim_text_add(text, ", the last one is of a model instance");
        return;
    }
    if (sim_point_completion_locked(&point) == SIM_DROPPED) {
        sim_text_add(text, ": the last one was dropped with its stream's work");
        return;
    }
    const twin_queue *queue = point.queue;
    if (!queue->open || point.epoch != atomic_load_explicit(&queue->epoch, memory_order_relaxed)) {
        sim_text_add(text, ": the stream of the last one has ended or was aborted since");
        return;
    }
    sim_text_add(text, ": the last one, task %llu of ", (unsigned long long)point.number);
    if (queue->device->index != device)
        sim_text_add(text, "device %u, ", queue->device->index);
    sim_text_add(text, "stream %u, ", queue->config.id);
    if (twinsim_record_lost(sim_process.sim, queue->device->index, queue->sq, point.number))
        sim_text_add(text, "was lost to an injected fault");
    else if (signal->config.kind == TWIN_SIGNAL_NOTIFY)
        sim_text_add(text, "is complete and used up: another wait took it, or it was cleared");
    else if (signal->config.kind == TWIN_SIGNAL_EVENT_LEVEL)
        sim_text_add(text, "is done, and the event was reset since");
    else
        sim_text_add(text, "is done");
}

static const char *const state_names[] = {
    [TWINSIM_QUEUE_CLOSED] = "closed",
    [TWINSIM_QUEUE_IDLE] = "idle",
    [TWINSIM_QUEUE_RUNNING] = "running",
    [TWINSIM_QUEUE_PARKED] = "parked",
    [TWINSIM_QUEUE_HELD] = "held",
    [TWINSIM_QUEUE_EXCEPTION] = "stopped by an error",
    [TWINSIM_QUEUE_HOST] = "waiting for the host",
    [TWINSIM_QUEUE_KERNEL] = "running a kernel",
};

struct survey {
    struct text text;
    unsigned streams;
};

static uint32_t head_of(const twin_queue *queue)
{
    uint32_t head = 0;
    (void)twinsim_read(sim_process.sim, queue->device->index,
                       (uint64_t)queue->sq * STARS_SQ_PAGE + STARS_SQ_HEAD, &head);
    return head;
}

/* What a queue that polls waits for. The model, which does not move now, has its head. */
static void describe_word(const twin_queue *queue, const struct twinsim_queue_info *info,
                          char *text, size_t bytes)
{
    const stars_sqe *sqe = &queue->ring[head_of(queue) & queue->mask];
    if (!sim_value_describe(sqe, text, bytes))
        snprintf(text, bytes, "its program at task %u finds another word at 0x%llx", info->task_id,
                 (unsigned long long)info->wait_address);
}

static void describe_queue(void *context, twin_queue *queue)
{
    struct survey *survey = context;
    struct text *text = &survey->text;
    struct twinsim_queue_info info;
    uint32_t device = queue->device->index;
    /* The lock also for what the model reads: entries of a deferred queue that no run has are
     * written at any time. */
    pthread_mutex_lock(&queue->lock);
    if (twinsim_queue_inspect(sim_process.sim, device, queue->sq, &info) != TWINSIM_OK) {
        pthread_mutex_unlock(&queue->lock);
        return;
    }
    uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    uint64_t retired = sim_queue_retired(queue);
    struct sim_task_state state = head_task_state_locked(queue);
    char word[96] = "";
    if (info.state == TWINSIM_QUEUE_PARKED && info.wait_address != TWINSIM_NEVER)
        describe_word(queue, &info, word, sizeof(word));
    if (queue->config.deferred) { /* its entries come again: only the head register shows where */
        const uint32_t head = head_of(queue);
        state = queue->task_states[head & queue->mask];
        retired = info.state == TWINSIM_QUEUE_IDLE ? submitted : head;
    }
    pthread_mutex_unlock(&queue->lock);
    if (retired >= submitted)
        return;

    survey->streams++;
    const uint64_t pending = submitted - retired;
    const bool parked = info.state == TWINSIM_QUEUE_PARKED;
    const bool runs = parked && state.kind == SIM_TASK_RUN && word[0] == '\0';
    const bool waits = parked && state.kind == SIM_TASK_WAIT && word[0] == '\0';
    sim_text_add(text, "\n  device %u, stream %u: ", device, queue->config.id);
    if (word[0] != '\0') {
        sim_text_add(text, "waits until %s", word);
    } else if (runs) {
        sim_text_add(text, "waits for the end of a run of a model instance");
    } else if (info.state == TWINSIM_QUEUE_HOST) {
        sim_text_add(text, "waits for a host function %s (task %u)",
                     sim_call_queue_state_locked(queue), info.task_id);
    } else if (info.state == TWINSIM_QUEUE_IDLE) {
        sim_text_add(
            text,
            "tasks pending: %llu, the first has not begun, as no thread has waited or asked since",
            (unsigned long long)pending);
        return;
    } else if (waits) {
        sim_text_add(text, "waits for %s %u (hardware id %u)", sim_event_noun(state.signal),
                     state.signal->config.name, state.id);
    } else {
        sim_text_add(text, "%s at task %u (%s%s)", state_names[info.state], info.task_id,
                     sim_sqe_noun(info.sqe_type), info.faulted ? ", hit by an injected fault" : "");
    }
    sim_text_add(text, ", %llu %s%s pending", (unsigned long long)pending, runs ? "entr" : "task",
                 pending == 1 ? (runs ? "y" : "")
                 : runs       ? "ies"
                              : "s");
    if (!waits)
        return;
    struct search search = {.text = text, .awaited = &state, .device = queue->device};
    for (uint32_t i = 0; i < sim_process.device_count; i++)
        if (sim_process.devices[i])
            sim_queue_each(sim_process.devices[i], find_records, &search);
    if (sim_event_shared(state.signal)) {
        char others[96];
        sim_shared_describe(state.signal, others, sizeof(others));
        sim_text_add(text, "%s", others);
    } else if (search.found == 0) {
        describe_last_record(text, &state, device);
    }
}

static void survey_all(struct survey *survey)
{
    for (uint32_t i = 0; i < sim_process.device_count; i++)
        if (sim_process.devices[i])
            sim_queue_each(sim_process.devices[i], describe_queue, survey);
    if (survey->streams == 0)
        sim_text_add(&survey->text, "\n  no stream has work");
}

void sim_report_waits(enum sim_report_kind kind)
{
    static const char *const heads[] = {
        [SIM_REPORT_LONG_WAIT] =
            "a wait lasts long: no stream can continue until another thread submits work:",
        [SIM_REPORT_DEADLOCK] = "deadlock: every thread waits and no stream can continue:",
        [SIM_REPORT_ASKED] = "the time of the run is over; what streams and threads wait for:",
        [SIM_REPORT_DROPPED] = "a forced reset drops work that the device cannot finish by itself:",
    };
    static char buffer[sizeof(deadlock_text)];
    struct survey survey = {.text = {.buffer = buffer, .room = sizeof(buffer)}};
    buffer[0] = '\0';
    sim_text_add(&survey.text, "%s", heads[kind]);
    survey_all(&survey);
    sim_deadlock_threads(&survey.text);
    sim_text_add_memory(&survey.text);
    if (kind == SIM_REPORT_LONG_WAIT && sim_process.services && !sim_process.services->host_time)
        sim_text_add(&survey.text,
                     "\n  (`twinrt run` also sees which threads wait for each other)");
    sim_log(kind == SIM_REPORT_DEADLOCK ? 3 : 2, "%s", buffer);
    if (kind == SIM_REPORT_DEADLOCK || kind == SIM_REPORT_DROPPED)
        memcpy(deadlock_text, buffer, sizeof(buffer));
}

void sim_deadlock_explain(void)
{
    char buffer[sizeof(deadlock_text)];
    sim_model_lock();
    memcpy(buffer, deadlock_text, sizeof(buffer));
    sim_model_unlock();
    sim_explain("%s", buffer);
}
