/* SPDX-License-Identifier: Apache-2.0 */
/* One stream of work: a ring of SQEs in front of one hardware queue.
 *
 * Numbers. SQEs of a queue are counted from 1. `submitted` is the newest in the ring, the model's
 * retired count the newest done, `reclaimed` the newest whose task state was looked at, or need not
 * be: from `held` on none holds anything. A slot is free again when its number is reclaimed; a task
 * state that expects a CQE is reclaimed only after that CQE was read.
 * An epoch is the life of the ring from one opening to the next; abort and destroy end it.
 *
 * Locks: model lock, then queue->lock, then signal->lock. Queues are never freed before their
 * device closes, so {queue, epoch, number} can always be asked for the state of that work. */
#ifndef TWINRT_SIM_QUEUE_QUEUE_H
#define TWINRT_SIM_QUEUE_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/device.h"
#include "queue/context.h"
#include "wait/queue_point.h"
#include "seam/types.h"
#include "twinsim/stars.h"

/* What the driver remembers about one SQE. */
enum sim_task_kind {
    SIM_TASK_NONE,   /* a plain copy, a fill */
    SIM_TASK_RECORD, /* holds a reference on the signal, and on `id` for REBIND */
    SIM_TASK_WAIT,   /* the same */
    SIM_TASK_RESET,  /* holds a reference on the signal */
    SIM_TASK_RUN,    /* of the run of a model instance */
    SIM_TASK_CALL,   /* owns the call until its message has come */
    SIM_TASK_KERNEL, /* releases the kernel */
    SIM_TASK_LIST    /* owns the memory of a list of descriptors */
};
struct sim_task_state {
    union {
        twin_signal *signal;        /* RECORD, WAIT, RESET */
        twin_hw_instance *instance; /* RUN */
        struct sim_call *call;      /* CALL; NULL: its message has come */
        twin_launch *kernel;        /* KERNEL */
        struct sim_list list;       /* LIST; of all SQEs of one copy */
    };
    uint32_t serial; /* of the record, as far as a task state can hold it */
    uint16_t id;     /* hardware id */
    uint8_t kind : 4;
    uint8_t bound : 1; /* a reference on the id's binding is held */
    uint8_t expects_cqe : 1;
    uint8_t cqe_read : 1;
    uint8_t stays : 1;        /* of a deferred queue: a wait is none that is open */
    uint8_t cross_device : 1; /* the id is of the queue's device, the signal of another */
    uint32_t thread; /* system id of the one that queued it; stays when the rest is written */
};

/* A label of a deferred queue: its place goes to the table when the model instance is sealed. */
struct sim_label {
    uint64_t entry; /* device address */
    uint32_t place; /* ring position */
    bool written;
};

/* A kernel that a task of a deferred queue was or is. */
struct sim_kept {
    struct sim_kept *older;
    twin_launch *kernel;
    struct sim_contexts context;  /* of a mixed kernel */
    struct sim_queue_point since; /* the copy that makes the task that; queue NULL: it is that */
};

/* State of a deferred queue besides its ring. Guarded by the queue's lock. */
struct sim_deferred {
    twin_hw_instance *instance; /* NULL: bound to none */
    bool head;
    twin_queue **leads; /* queues its tasks name */
    uint32_t lead_count;
    size_t lead_room;
    struct sim_label *labels;
    uint32_t label_count;
    size_t label_room;
    struct sim_kept **kept; /* of each place in the ring, the newest; NULL: no kernels yet */
};

#define SIM_FAILURE_TEXT 448u
#define SIM_CAUSE_TEXT   224u

struct twin_queue {
    /* Guarded by lock, first what a submission touches: two lines. */
    pthread_mutex_t lock;
    stars_sqe *ring;
    struct sim_task_state *task_states;
    _Atomic twin_status
        refusal; /* why no work is taken; TWIN_OK: it is. Read without the lock too */
    uint32_t mask;
    _Atomic uint64_t submitted; /* written under lock */
    _Atomic uint64_t reclaimed; /* written under lock */
    uint64_t last_arrival_ns;   /* doorbells of a queue arrive in order */
    twin_hw_device *device;
    uint16_t sq;
    uint16_t task_id;       /* of the next SQE */
    _Atomic uint32_t epoch; /* written under both locks */
    twin_queue_config config;
    _Atomic uint64_t visible; /* the newest visible SQE (progress.h), 0: none; written under lock */
    uint64_t held;            /* the newest SQE whose task state may hold something */
    uint32_t track;           /* of the timeline */
    uint32_t id_cursor;       /* where the search for an event id goes on */
    uint32_t used;            /* ring entries that were ever used, as reported to sim_rings_use() */
    uint32_t room_wanted;     /* SQEs of the piece of work that did not fit */
    bool id_wanted;           /* it was an event id that was missing */
    atomic_bool holds_memory; /* hint: kernels or lists are not released yet; read without lock */
    atomic_bool is_deferred; /* config.deferred without a lock; fits a `submitted` read before it */
    struct sim_deferred deferred;
    struct sim_contexts contexts; /* by place in the ring; guarded by lock */
    uint64_t guarded_to;          /* tasks up to the newest guarded kernel */

    /* Guarded by the model lock. */
    bool open;
    bool watched;
    stars_cqe *cq;
    uint64_t cq_read; /* CQEs read since the opening */
    /* Of the epoch before the present one: when it ended, and when the newest of its tasks that
     * were done was. */
    uint64_t ended_ns;
    uint64_t ended_done_ns;

    /* Failures, see failure.h. Guarded by lock, the group by the model lock. */
    atomic_bool failed;  /* hint: there is something to report; written under lock, read without */
    twin_status failure; /* first one since the last drain that reported one */
    char failure_text[SIM_FAILURE_TEXT]; /* of `failure`, or of `refusal` */
    twin_failure *notes;                 /* not taken yet, oldest first */
    uint32_t note_count;
    size_t note_room;
    struct sim_group *group;
    char cause[SIM_CAUSE_TEXT]; /* of the task that fails next; guarded by the model lock */

    /* The observer of tasks that end (completion.c); written under both locks. */
    void (*task_take)(void *context, const twin_task_end *task);
    void *task_context;
    uint64_t task_base; /* tasks of epochs that have passed */
};

/* SQEs of the present epoch that have retired. Thread: any. */
static inline uint64_t sim_queue_retired(const twin_queue *queue)
{
    return twinsim_queue_retired(sim_process.sim, queue->device->index, queue->sq);
}

/* Writes a register of the queue's page (STARS_SQ_*). Thread: model. */
static inline int sim_queue_write(const twin_queue *queue, uint32_t offset, uint32_t value)
{
    return twinsim_write(sim_process.sim, queue->device->index,
                         (uint64_t)queue->sq * STARS_SQ_PAGE + offset, value);
}

/* Entries that the queue has not begun were changed in place: the device reads them again, also if
 * it has read them ahead. Thread: model. */
void sim_queue_entries_changed(const twin_queue *queue);

enum sim_completion { SIM_PENDING, SIM_DONE, SIM_DROPPED };
/* Answers from counters alone when the epoch is the present one, else takes the model lock's table:
 * see sim_point_completion_locked. PENDING may be stale. Thread: any. */
enum sim_completion sim_point_completion_cached(const struct sim_queue_point *point);
/* The present state: work that any thread has seen complete is complete. Takes the model lock.
 * Thread: any. */
enum sim_completion sim_point_completion_exact(const struct sim_queue_point *point);
/* Thread: model. */
enum sim_completion sim_point_completion_locked(const struct sim_queue_point *point);

void sim_queue_reclaim(twin_queue *queue);
/* Releases the memory of kernels and lists that have ended. Thread: any, no lock. */
static inline void sim_queue_release_memory(twin_queue *queue)
{
    if (__builtin_expect(atomic_load_explicit(&queue->holds_memory, memory_order_relaxed), 0))
        sim_queue_reclaim(queue);
}

/* Why a piece of work was dropped: TWIN_E_ABORTED, TWIN_E_DEVICE_ABORTED, or a failure of its
 * group. Thread: any. */
twin_status sim_point_reason(const struct sim_queue_point *point);
/* Thread: model. */
twin_status sim_point_reason_locked(const struct sim_queue_point *point);

/* ---- for submitters, before they take a lock ---- */

/* Says why the queue takes no work. */
twin_status sim_queue_explain_refusal(twin_queue *queue);
/* TWIN_OK, or the failure that stopped the queue's group. What fails after this look is seen by
 * sim_queue_fits_locked(). */
static inline twin_status sim_queue_refusal(twin_queue *queue)
{
    if (__builtin_expect(atomic_load_explicit(&queue->refusal, memory_order_relaxed) == TWIN_OK, 1))
        return TWIN_OK;
    return sim_queue_explain_refusal(queue);
}

/* ---- for submitters; the caller holds queue->lock ---- */

/* Explains why a call is refused, after the names of device and stream; returns `status`. The lock
 * is not needed. */
twin_status sim_queue_refuse(const twin_queue *queue, twin_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether `count` more SQEs fit and are taken at all; remembers what was missing when not. */
bool sim_queue_fits_locked(twin_queue *queue, uint32_t count);
/* The next SQE, cleared and with its header, and its task state; `out_state` NULL: that will hold
 * nothing. `ahead` counts those filled in and not yet sent. */
stars_sqe *sim_queue_slot_locked(twin_queue *queue, uint32_t ahead,
                                 struct sim_task_state **out_state);
/* Rings the doorbell for `count` SQEs. */
void sim_queue_send_locked(twin_queue *queue, uint32_t count);
/* The same for one SQE, with the lock: takes it and returns the SQE; rings and releases it. NULL:
 * there is no room (TWIN_E_BUSY), the lock is not held. */
stars_sqe *sim_queue_begin(twin_queue *queue, struct sim_task_state **out_state);
void sim_queue_commit(twin_queue *queue);
/* Notes a failure that no CQE reports. Thread: model, with the queue's lock. */
void sim_queue_note_locked(twin_queue *queue, twin_status status, const char *text);
/* Releases what a task state holds. */
void sim_queue_release_task_state(twin_queue *queue, struct sim_task_state *state);
/* Looks at the task states of retired SQEs. */
void sim_queue_reclaim_locked(twin_queue *queue);
/* Number of the oldest entry in flight that holds a hardware event id; 0: none. Takes the queue's
 * lock. Thread: model. */
uint64_t sim_queue_next_id(twin_queue *queue);

/* ---- for the driver of the model ---- */

/* Drops all work, with `reason` for those who wait for it, and opens the ring again. Thread: model,
 * with the queue's lock. */
twin_status sim_queue_restart_locked(twin_queue *queue, twin_status reason);

/* Drops all work and gives the ring back, for queue.destroy (replace.c). */
void sim_queue_close(twin_queue *queue);

/* Reads CQEs of a queue whose CQ has got some (completion.c). Thread: model. */
void sim_queue_read_cq(twin_hw_device *device, uint32_t sq);
/* Reclaims every queue of a device. `model_locked`: the caller has the model lock. Thread: any;
 * takes their locks. */
void sim_queue_reclaim_all(twin_hw_device *device, bool model_locked);
/* Ends the queues that a reset of the device closed under their users. Thread: model. */
void sim_queue_drop_all(twin_hw_device *device);
/* Calls `visit` for each open queue of a device. Thread: model. */
void sim_queue_each(twin_hw_device *device, void (*visit)(void *context, twin_queue *queue),
                    void *context);

#endif
