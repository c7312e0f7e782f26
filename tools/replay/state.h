/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the replay share. */
#ifndef TWINRT_REPLAY_STATE_H
#define TWINRT_REPLAY_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "recording/containers.h"
#include "recording/index.h"
#include "recording/interval_map.h"
#include "replay/replay.h"

#define REPLAY_DEVICES_MOST 64u
#define REPLAY_THREADS_MOST 1024u
#define REPLAY_NESTED_MOST  16u /* ops of one thread inside the waits of its other ops */

enum replay_what {
    REPLAY_BEGIN, /* of a call */
    REPLAY_ND,    /* that a call has reached; this and the next two only when the device is paced */
    REPLAY_SEE,
    REPLAY_MOVE,
    REPLAY_END /* of a call */
};
struct replay_event {
    uint64_t seq;
    size_t entry;
    uint32_t thread; /* index */
    enum replay_what what;
};

/* What replaces something that the recording has a number for. */
struct replay_object {
    void *handle; /* NULL: not there */
    uint32_t device;
    uint32_t kind;  /* of a signal: twin_signal_kind */
    uint32_t bound; /* of a queue: number of its model instance */
    bool deferred;  /* of a queue */
    bool waitable;  /* of a signal */
    bool busy; /* a queue has had work, a model instance a run, since it was last known to be at
                 rest */
    const void *extra;                /* of a list of steps: struct replay_steps */
    struct replay_trial_queue *trial; /* of a queue in a trial */
    struct replay *replay;
    uint32_t number;
};

/* Memory of the recording, and what is in its place. */
struct replay_range {
    struct interval node; /* first: as recorded */
    uint64_t now;         /* 0: it was not available */
    uint64_t touched;     /* bytes of it that ops may have brought to life, at most */
    uint64_t pinned; /* where a device reached registered memory: its base as recorded, else 0 */
    uint32_t device;
    uint32_t pins; /* of memory of the program: devices it is registered with */
    bool host;
    bool foreign; /* memory of another process in the recording */
    bool owned;   /* pages of the replay in the place of the program's */
};

/* Memory of the program, as recorded, that is registered at some time. */
struct replay_pinned {
    uint64_t begin, end;
};

/* A host function that was taken. */
struct replay_ticket {
    uint32_t call_queue;
    uint64_t recorded, now;
};

/* A name under which a signal is shared here, by the number that the recording has for it. */
struct replay_name {
    uint64_t hash;
    char name[TWIN_SHARE_NAME];
};

/* An injected fault: its numbers. */
struct replay_fault {
    uint32_t recorded, now;
};

/* A task that ended here. */
struct replay_task {
    uint32_t queue; /* as recorded */
    uint32_t status;
    uint64_t number, begin_ns, end_ns;
    uint64_t order;
};

struct replay_thread {
    uint32_t number; /* in the recording */
    bool started;
    pthread_t id;
    pthread_cond_t turn;
    struct replay *replay;
    uint32_t index;
};

/* Host memory that replaces the program's own. */
struct replay_scratch {
    char *base; /* aligned to REPLAY_SCRATCH_ALIGN */
    uint64_t bytes;
    uint64_t touched; /* as of a range, from the base on */
};

struct replay {
    const twin_recording *recording;
    const struct twin_backend *ops;
    struct replay_trial *trial; /* NULL: all is repeated and compared */
    bool traced;
    bool conducted;
    struct replay_report report;

    /* plan.c */
    struct replay_event *events;
    size_t event_count;
    struct replay_thread *threads;
    uint32_t thread_count;
    size_t start;                          /* entry of the session's start */
    size_t stop;                           /* one after the last entry of the session */
    struct twin_recording_index contents;  /* by of_seq */
    struct twin_recording_index described; /* by kernel, in order */
    struct twin_recording_index codes;     /* by kernel */
    struct twin_recording_index nd_index;  /* by of_seq */
    struct twin_recording_index follows;   /* by of_seq */
    struct twin_recording_index uses;      /* by kernel */
    struct replay_pinned *pinned;          /* in order, none overlaps another (pinned.c) */
    size_t pinned_count;
    struct replay_touch *touches;   /* in their order (touch.c) */
    size_t touch_count, touch_next; /* all before `touch_next` are over */
    uint64_t described_at;          /* while a kernel is described: its end in the recording */
    uint64_t paced_from;            /* the device is to be paced from this place on */

    /* threads.c */
    pthread_mutex_t lock;
    uint32_t turn; /* whose */
    bool over;
    bool failed;    /* threads could not be created, or the device is not to be paced */
    bool pacing;    /* the device is paced now */
    size_t next;    /* event */
    uint64_t place; /* seq of the newest that was taken */

    /* Only the thread whose turn it is touches the rest, except the tasks. */
    twin_host_moment
        *released; /* of each of `follows`: the releaser there, when it has come there */
    twin_hw_device *devices[REPLAY_DEVICES_MOST];
    uint32_t children[REPLAY_DEVICES_MOST]; /* queues, signals, host-call queues, model instances */
    struct replay_object *objects;          /* as twin_recording_object_at() */
    struct interval_map memory;
    struct replay_scratch from, to;
    bool imported;                  /* there is physical memory that was another process's */
    uint64_t touched, touched_most; /* memory that ops bring to life, in all */
    LIST_OF(struct replay_ticket) tickets;
    LIST_OF(struct replay_name) names;
    LIST_OF(struct replay_fault) faults;

    pthread_mutex_t task_lock;
    LIST_OF(struct replay_task) tasks; /* guarded by task_lock */
    uint64_t task_limit;               /* more than these and the device does not come to an end */
    bool tasks_lost;
};

/* An op that is asked for again. */
struct replay_call {
    struct replay *replay;
    const struct twin_backend *ops;
    const struct twin_record_entry *entry;
    struct replay_object *object; /* of the op: named by its first field, and there */
    twin_hw_device *device;       /* the same of a device: open */
    size_t index;
    union twin_recording_any then; /* as recorded */
    union twin_recording_any now;  /* with the answers of now */
    bool succeeded;                /* in the recording */
    bool ended;                    /* its end in the recording has come */
    size_t nd_next, nd_end;        /* of the index: those that it has not reached yet */
    size_t awaits;                 /* entry of the one that it waits for */
    bool arrived;                  /* and that one has come */
    bool skipped;                  /* nothing was asked, and nothing is lost by that */
    const char *left_out;          /* why nothing was asked of the device; NULL: it was */
    char left_out_text[120];
    struct replay_call *outer;
};

/* Fills in the plan of a new replay. */
bool replay_begin(struct replay *replay, const twin_recording *recording, char *error,
                  size_t error_bytes);

/* ---- notes (answer.c) ---- */

__attribute__((format(printf, 3, 4))) void replay_note(struct replay_notes *notes, size_t entry,
                                                       const char *format, ...);
/* Says why the op is not asked for. Returns TWIN_OK. */
__attribute__((format(printf, 2, 3))) twin_status replay_leave_out(struct replay_call *call,
                                                                   const char *format, ...);
/* What the op answered then; TWIN_STATUS_COUNT: not known. */
static inline uint32_t replay_status_of(const struct replay_call *call)
{
    return twin_recording_own_status(call->replay->recording, call->entry->status);
}
/* Compares what came back with what the recording says. */
void replay_compare(struct replay_call *call, twin_status status);

/* ---- plan.c ---- */

bool replay_plan(struct replay *replay, char *error, size_t error_bytes);
/* Whether the recording has how the device moved. */
bool replay_has_moves(const struct replay *replay);
/* Plans anew for a device that is paced. False: out of memory. */
bool replay_plan_paced(struct replay *replay);

/* ---- threads.c ---- */

bool replay_walk_all(struct replay *replay);

/* ---- issue.c ---- */

/* Whether an entry is an op that can be asked for again. */
bool replay_can_issue(unsigned kind);
void replay_execute(struct replay *replay, size_t entry, struct replay_call *outer);
/* The end of a public function. */
void replay_leave(struct replay *replay, size_t entry);
/* The device sees work, or moves, as it did. */
void replay_move(struct replay *replay, size_t entry);
/* The op that this thread is in. */
extern _Thread_local struct replay_call *replay_current;

/* Each asks for one op; the answers go to call->now. They are called only when `left_out` is NULL,
 * and may set it; `object` or `device` is set, except for what needs no open device (issue.c). */
typedef twin_status (*replay_issue)(struct replay_call *call);
/* Defines one for an op that takes its object alone. */
#define REPLAY_PLAIN(group, op)                                                                    \
    static twin_status group##_##op(struct replay_call *call)                                      \
    {                                                                                              \
        return call->ops->group.op(call->object->handle);                                          \
    }
extern const replay_issue replay_work_ops[TWIN_RECORD_KINDS_END];
extern const replay_issue replay_object_ops[TWIN_RECORD_KINDS_END];
extern const replay_issue replay_managed_ops[TWIN_RECORD_KINDS_END];
extern const replay_issue replay_memory_ops[TWIN_RECORD_KINDS_END];
extern const replay_issue replay_vmm_ops[TWIN_RECORD_KINDS_END];
extern const replay_issue replay_model_instance_ops[TWIN_RECORD_KINDS_END];
extern const replay_issue replay_pool_ops[TWIN_RECORD_KINDS_END];

/* work.c: the queue has work from now on. False: it is not asked for. */
bool replay_begin_work(struct replay_call *call);

/* ---- objects (objects.c) ---- */

/* NULL: it is not there, which the call is left out for. */
struct replay_object *replay_object(struct replay_call *call, enum twin_record_role role,
                                    uint32_t number);
/* The same without a word. */
struct replay_object *replay_object_quiet(struct replay *replay, enum twin_record_role role,
                                          uint32_t number);
/* Puts what was made on the call's device into its place. NULL: it has none there. */
struct replay_object *replay_made(struct replay_call *call, enum twin_record_role role,
                                  uint32_t number, void *handle);
/* Takes it out. */
void replay_forget_object(struct replay_object *object);

/* ---- memory.c ---- */

enum replay_side { REPLAY_FROM, REPLAY_TO, REPLAY_DEVICE };
/* The address now of `bytes` at an address of the recording. REPLAY_DEVICE: memory that was
 * allocated, else memory in place of the program's. False: there is none, which the call is left
 * out for. */
bool replay_address(struct replay_call *call, uint64_t recorded, uint64_t bytes,
                    enum replay_side side, uint64_t *out_now);
/* As recorded if nothing is known of it: for questions, and for what is to be refused. */
uint64_t replay_address_any(struct replay *replay, uint64_t recorded);
bool replay_memory_add(struct replay *replay, uint64_t recorded, uint64_t bytes, uint64_t now,
                       uint32_t device, bool host);
/* Forgets what has that address. */
void replay_memory_remove(struct replay *replay, uint64_t recorded);
/* What is still allocated on a device is released when it is closed. */
void replay_memory_close(struct replay *replay, uint32_t device);
/* Both replace recorded addresses by those of now, and put the bytes that the recording has for the
 * source there. False: the call is left out. */
bool replay_copy(struct replay_call *call, twin_copy *copy);
bool replay_rows(struct replay_call *call, twin_rows *rows);
#define REPLAY_ROWS(f)                                                                             \
    {                                                                                              \
        .dst = (f)->dst, .src = (f)->src, .dst_pitch = (f)->dst_pitch,                             \
        .src_pitch = (f)->src_pitch, .width = (f)->width, .height = (f)->height                    \
    }
/* The bytes of an image. NULL: they are not in the recording. */
void *replay_contents_whole(struct replay_call *call, uint64_t bytes);

/* ---- pinned.c ---- */

/* False: out of memory. */
bool replay_pinned_find(struct replay *replay);
/* The one that begins at the address or before it; empty: none does. */
struct replay_pinned replay_pinned_at(const struct replay *replay, uint64_t address);

/* ---- touch.c ---- */

/* Finds what tasks touched. False: out of memory. */
bool replay_touches_find(struct replay *replay);
/* Whether contents of memory that is not pageable come when tasks use it. */
bool replay_has_touches(const struct replay *replay);

/* ---- kernel.c ---- */

twin_status replay_issue_launch(struct replay_call *call);

/* ---- tasks.c ---- */

/* Tasks that may run beyond ten times the recorded ones. */
#define REPLAY_TASKS_SPARE 100000u

/* Those of the recording, in order of queue and number; *out is the caller's. False: no host
 * memory. */
bool replay_tasks_recorded(struct replay *replay, struct replay_task **out, size_t *out_count);
void replay_tasks_observe(struct replay_object *queue);
void replay_tasks_compare(struct replay *replay);

/* ---- trial.c ---- */

bool replay_trial_takes(const struct replay *replay, size_t entry);
/* Before the op is asked for, and after. */
void replay_trial_begin(struct replay_call *call);
void replay_trial_end(struct replay_call *call, twin_status status);
/* A queue was created, must come to rest, is destroyed. */
void replay_trial_observe(struct replay_object *queue);
void replay_trial_rest(struct replay_object *queue);
void replay_trial_forget(struct replay_object *queue);
/* How long an op waits: in a trial the end of the wait may come at any time. */
static inline uint64_t replay_timeout(const struct replay_call *call, uint64_t recorded)
{
    return call->replay->trial ? TWIN_FOREVER : recorded;
}

#endif
