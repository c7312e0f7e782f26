/* SPDX-License-Identifier: Apache-2.0 */
/* TWINRT_RECORD_TIMES=events: for devices that do not report when their tasks end, the wrapper
 * records a timed event after each piece of work. Event records take time on the device, and room
 * in the queue. */
#include <stdlib.h>

#include "ops.h"

#define PENDING_MOST 1024u

struct stamp {
    uint64_t of_seq;
    twin_signal *signal;
};
struct record_stamps {
    pthread_mutex_t lock;
    twin_hw_device *device;
    uint32_t queue;
    struct stamp pending[PENDING_MOST]; /* a ring */
    unsigned first, count;
    twin_signal *rest[PENDING_MOST]; /* made and not in use */
    unsigned rest_count;
    struct record_stamps *next, *previous; /* guarded by list_lock */
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct record_stamps *list;

struct record_stamps *record_stamps_new(twin_hw_device *device, uint32_t queue)
{
    struct record_stamps *stamps = calloc(1, sizeof(*stamps));
    if (!stamps)
        return NULL;
    (void)pthread_mutex_init(&stamps->lock, NULL);
    stamps->device = device;
    stamps->queue = queue;
    pthread_mutex_lock(&list_lock);
    stamps->next = list;
    if (list)
        list->previous = stamps;
    list = stamps;
    pthread_mutex_unlock(&list_lock);
    return stamps;
}

void record_stamps_free(struct record_stamps *stamps)
{
    pthread_mutex_lock(&list_lock);
    if (stamps->previous)
        stamps->previous->next = stamps->next;
    else
        list = stamps->next;
    if (stamps->next)
        stamps->next->previous = stamps->previous;
    pthread_mutex_unlock(&list_lock);
    for (unsigned i = 0; i < stamps->count; i++)
        record_below.signal.destroy(stamps->pending[(stamps->first + i) % PENDING_MOST].signal);
    for (unsigned i = 0; i < stamps->rest_count; i++)
        record_below.signal.destroy(stamps->rest[i]);
    (void)pthread_mutex_destroy(&stamps->lock);
    free(stamps);
}

static void look_locked(struct record_stamps *stamps)
{
    while (stamps->count > 0) {
        const struct stamp *stamp = &stamps->pending[stamps->first];
        uint64_t at_ns = 0;
        twin_status status = record_below.signal.timestamp(stamp->signal, &at_ns);
        if (status == TWIN_E_NOT_READY)
            return;
        struct record_call call;
        struct twin_record_STAMP *f = RECORD_BEGIN_EVENT(&call, STAMP, 0);
        f->queue = stamps->queue;
        f->result = (uint32_t)status;
        f->of_seq = stamp->of_seq;
        f->task_end_ns = status == TWIN_OK ? at_ns : 0;
        record_event(&call);
        stamps->rest[stamps->rest_count++] = stamp->signal;
        stamps->first = (stamps->first + 1) % PENDING_MOST;
        stamps->count--;
    }
}

void record_stamps_look(struct record_stamps *stamps)
{
    pthread_mutex_lock(&stamps->lock);
    look_locked(stamps);
    pthread_mutex_unlock(&stamps->lock);
}

void record_stamps_look_all(void)
{
    pthread_mutex_lock(&list_lock);
    for (struct record_stamps *stamps = list; stamps; stamps = stamps->next) {
        /* A thread that queues its event record may wait for room, and the room for what this
         * thread does next. */
        if (pthread_mutex_trylock(&stamps->lock) != 0)
            continue;
        look_locked(stamps);
        pthread_mutex_unlock(&stamps->lock);
    }
    pthread_mutex_unlock(&list_lock);
}

void record_stamp(twin_queue *queue, uint64_t of_seq)
{
    struct record_stamps *stamps = queue->stamps;
    static const twin_signal_config config = {
        .kind = TWIN_SIGNAL_EVENT_REBIND, .name = 0, .timed = true, .waitable = false};
    twin_signal *signal = NULL;
    pthread_mutex_lock(&stamps->lock);
    if (stamps->count == PENDING_MOST)
        look_locked(stamps);
    if (stamps->rest_count > 0)
        signal = stamps->rest[--stamps->rest_count];
    else if (stamps->count < PENDING_MOST)
        (void)record_below.signal.create(stamps->device, &config, &signal);
    if (signal && record_below.work.record(queue->inner, signal) == TWIN_OK) {
        unsigned place = (stamps->first + stamps->count++) % PENDING_MOST;
        stamps->pending[place] = (struct stamp){.of_seq = of_seq, .signal = signal};
    } else if (signal) { /* a full queue: this piece of work goes without */
        stamps->rest[stamps->rest_count++] = signal;
    }
    pthread_mutex_unlock(&stamps->lock);
}
