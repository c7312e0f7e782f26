/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the checker share. */
#ifndef TWINRT_CHECK_STATE_H
#define TWINRT_CHECK_STATE_H

#include "check/checker.h"
#include "check/clock.h"
#include "recording/containers.h"
#include "recording/interval_map.h"

/* Work is to begin no earlier than this: when something before it ended. */
struct check_earliest_begin {
    uint64_t ns;
    uint32_t op;   /* which; CHECK_NONE: nothing */
    uint32_t hops; /* waits across streams between */
};

/* What one record holds. Waits made before a record hold one that is promised. The first of all,
 * number 0, is what waits hold whose records are not known. */
struct check_mark {
    uint32_t op;          /* the record; CHECK_NONE: promised */
    uint32_t clock_index; /* of its queue */
    uint32_t number;
    uint32_t holders;    /* who still needs `clock` */
    uint32_t waits;      /* streams' waits that hold it */
    uint32_t first_wait; /* op, and where it is */
    uint32_t wait_clock_index, wait_number;
    /* What is to come before the record, so that the round before is over: a wait (NOTIFY, by that
     * round's mark) or a reset (LEVEL, by op); CHECK_NONE: nothing */
    uint32_t last_round, last_reset;
    uint32_t reset_clock_index, reset_number;
    struct check_clock *clock;
    struct check_earliest_begin earliest_begin;
    uint64_t host_seen_at;       /* the host's knowledge of that moment comes before it */
    struct check_clock *earlier; /* with threads apart, of hosts.c: what comes before it */
    struct check_queue *parked;  /* queue that waits for it */
    struct check_queue *queue;   /* of the record */
    bool done;                   /* in thought */
    bool hopeless;               /* promised; the host knows that nothing will come */
    bool order_unknown;          /* order before it is not all known */
    bool unsure;                 /* nor that it came at all */
};

enum check_parking { CHECK_RUNS, CHECK_ON_MARK, CHECK_ON_WORD, CHECK_ON_ANSWER, CHECK_ON_COUNT };

/* A wait that took over another stream's order. */
struct check_join {
    uint32_t number; /* of the wait */
    uint32_t from_clock_index, from_number;
    uint32_t record; /* op; known even when its stream is gone and another has its place */
};

struct check_queue {
    UT_hash_handle hh;
    uint32_t number; /* of the recording */
    uint32_t op;     /* its creation */
    uint32_t id, device, group;
    uint32_t clock_index;
    uint32_t first;              /* count at its clock index when it began */
    uint32_t submitted, carried; /* counts at its clock index: queued; carried out in thought */
    LIST_OF(uint32_t) work;      /* op of each piece, from `first` + 1 on */
    LIST_OF(struct check_join) joins;
    struct check_clock *clock; /* of other queues */
    struct check_earliest_begin earliest_begin;
    uint64_t host_seen_at; /* moment up to which what the host had seen comes before the rest */
    struct check_clock *earlier; /* with threads apart, of hosts.c: what comes before the rest */
    enum check_parking parking;
    uint32_t parked_on;                /* mark, or op of a call */
    struct check_queue *next_parked;   /* on the same mark or word */
    uint32_t blamed;                   /* earliest begin that a finding has named */
    uint32_t aborted_from, aborted_to; /* counts: work that may have been dropped */
    uint32_t failure;   /* op whose failure no call has returned yet; CHECK_NONE: none */
    bool order_unknown; /* order is not all known, until the host waits */
    bool unsure;        /* nor that it goes on */
    bool troubled;      /* a task failed or was dropped: what it released is not judged */
    bool stopped;       /* a task was ended by hand */
    bool deferred, is_default, gone, waking, forcing, reports_tasks;
    /* Of a deferred one; what its runs execute is in `work`. */
    LIST_OF(uint32_t) tasks; /* ops that are queued on it */
    size_t next_task;        /* instance.c */
    bool begun;              /* instance.c */
    uint32_t begins_after;   /* mark of the task that starts it, run.c; 0: none */
    bool stuck;              /* until a wait passes that is looked at, count.c */
};

struct check_known {
    uint64_t seq;
    uint32_t count;
    uint32_t op; /* who saw it */
};

/* Queues come and go; their clock indexes are used again, and the counts go on. */
struct check_clock_slot {
    struct check_queue *queue;         /* that has it now or had it last */
    LIST_OF(struct check_known) known; /* what the host has seen done, rising */
};

struct check_signal {
    UT_hash_handle hh;
    uint32_t number;
    uint32_t op; /* creation */
    uint32_t kind;
    uint32_t name, device;
    uint32_t newest, before; /* marks of the newest record and the one before it; CHECK_NONE */
    uint32_t holders;        /* who opened it under this number */
    uint32_t ends;           /* numbers under which it is alive, its own among them */
    struct check_signal
        *of;        /* this is another number for that one, and holds nothing; NULL: its own */
    uint64_t share; /* made of the name under which it may be opened here; 0: none */
    LIST_OF(uint32_t)
    marks; /* LEVEL: the one set since the reset; NOTIFY: not waited for yet, from `taken` on */
    LIST_OF(uint32_t) promised; /* waited for and not recorded yet, from `kept` on */
    size_t taken, kept;
    uint64_t records, passed; /* records queued; streams' waits carried out */
    uint32_t reset, reset_clock_index, reset_number; /* LEVEL: the newest, by op; CHECK_NONE */
    LIST_OF(uint32_t)
    ops; /* all but REBIND: records, waits and resets, to be judged by their times */
    struct check_count *count; /* COUNTER: its changes, count.c; NULL: there were none */
    bool gone;                 /* under this number */
    bool unjudged;
    bool outside, inside; /* used by streams; by tasks of model instances */
    uint32_t instance;    /* NOTIFY, LEVEL: number of the one that uses it; 0: none does */
    uint32_t order;       /* number of the order in which it was looked at last, instance.c */
    uint32_t set_by;      /* tasks that record it, in that */
    bool is_set;          /* in that */
};

/* A word that queues write and wait for. */
struct check_word {
    struct interval range; /* first */
    uint64_t value;
    bool known;
    bool order_unknown;
    uint64_t host_seen_at;
    struct check_clock *clock;
    struct check_clock *earlier; /* as of a mark */
    struct check_queue *parked;
};

/* A call of a host function that blocks and was taken. */
struct check_ticket {
    uint64_t ticket;
    uint32_t call; /* op */
};

struct check_lane { /* a queue that is bound to a model instance */
    uint32_t queue; /* number */
    bool head;
};

struct check_object { /* a host-call queue or model instance */
    UT_hash_handle hh;
    uint32_t number;
    uint32_t op;
    bool gone;
    LIST_OF(uint32_t) calls; /* ops of calls, not yet taken, from `taken` on */
    size_t taken;
    LIST_OF(struct check_ticket) tickets;
    LIST_OF(struct check_lane) lanes; /* of a model instance */
    LIST_OF(uint32_t) runs; /* of a model instance: the newest that each queue asked for, by op */
};

/* What a run executes next. */
struct check_turn {
    uint32_t lane; /* number of the queue */
    uint32_t op;   /* CHECK_NONE: the lane begins */
};

/* A run of a model instance. */
struct check_run {
    uint32_t op;         /* that asks for it */
    uint32_t pieces;     /* ops after that one, which repeat the tasks; 0: the order is not known */
    uint32_t instance;   /* number */
    uint32_t queue;      /* number */
    uint32_t number;     /* there */
    uint32_t start, end; /* marks; CHECK_NONE: it has not begun */
};

struct check_use {
    UT_hash_handle hh;
    uint32_t clock_index;
    uint32_t number;
    uint32_t op;
};

struct check_allocation {
    struct interval range; /* first */
    uint64_t bytes;        /* asked for */
    uint32_t op;
    uint32_t freed_by;
    /* In stream order: by which work, and where that is; CHECK_NONE: it is not. */
    uint32_t returned_by, returned_clock_index, returned_number;
    uint32_t device;
    bool host;
    uint32_t image; /* its number; 0: it is of none */
    struct check_use *uses;
};

/* Who touched bytes last. */
struct check_access {
    uint32_t clock_index; /* CHECK_NONE: the host, or none */
    uint32_t number;
    uint32_t op;
    uint64_t seq; /* what the host had seen then comes before it */
};

struct check_span {
    struct interval range; /* first */
    struct check_access write;
    uint32_t read_count, read_room;
    struct check_access one; /* while read_room is 0 */
    struct check_access *reads;
};

/* A context of a device that stops with its first failure. */
struct check_group {
    uint32_t device, group;
};

struct check_device {
    uint32_t opens, closes;
    uint32_t queues, signals; /* alive */
};

/* A thread of the host. */
struct check_host {
    UT_hash_handle hh;
    uint32_t thread; /* number in the recording */
    uint32_t index;
    uint32_t ops; /* fed so far */
    struct check_clock *clock;
};

/* Of each op, with threads apart. */
struct check_host_op {
    struct check_host *host;
    uint32_t number;            /* among the thread's */
    struct check_clock *before; /* what the thread knew */
};

/* A point in the life of a thread that another one follows from. */
struct check_release {
    UT_hash_handle hh;
    uint64_t seq;
    struct check_host *host;
    uint32_t number; /* of its newest op */
    struct check_clock *clock;
};

#define CHECK_DEVICES 4096u

/* Adds an item at the end of a list of the checker. */
#define CHECK_ADD(checker, list, ...)                                                              \
    ((void)(LIST_ADD(list, __VA_ARGS__) || ((checker)->short_of_memory = true)))

struct checker {
    struct checker_facts facts;
    LIST_OF(twin_op) ops;
    LIST_OF(uint32_t) links; /* of each op: its mark */
    LIST_OF(struct check_mark) marks;
    LIST_OF(struct check_clock_slot) clock_slots;
    LIST_OF(uint32_t) free_clock_slots;
    LIST_OF(struct check_queue *) woken;
    LIST_OF(uint32_t) needs;          /* marks that a wait for a count cannot do without, count.c */
    LIST_OF(struct check_run) runs;   /* of model instances, by op */
    LIST_OF(struct check_turn) order; /* of the tasks of one instance, instance.c */
    uint32_t orders;                  /* made so far */
    LIST_OF(struct check_group) stopping; /* few */
    LIST_OF(uint64_t) fogs; /* moments at which the host learned more than is known here */
    LIST_OF(struct check_finding) findings;
    LIST_OF(struct check_queue *) all_queues;
    struct check_queue *queues;
    struct check_signal *signals;
    struct check_object *call_queues, *instances;
    struct interval_map words, allocations, graves, spans;
    struct check_span *free_spans;
    struct check_host *hosts;
    struct check_release *releases;
    LIST_OF(struct check_host_op) host_ops;
    uint32_t host_count;
    void *finding_keys; /* what has been found, finding.c */
    struct check_device *devices;
    uint32_t parked;    /* queues, except those at a count: they may only not have been seen */
    bool hidden_memory; /* there is memory of images whose size is not known */
    bool several_threads;
    bool troubled; /* a failure or a fault: waits are not reported */
    bool short_of_memory;
    uint64_t judged[CHECK_RULE_COUNT];
    uint64_t unjudged_work;
};

/* Takes note of a breach, once for each set of rule, streams and calls. `why` as printf. */
void check_find(struct checker *checker, check_rule rule, uint32_t first, uint32_t second,
                const char *why, ...) __attribute__((format(printf, 5, 6)));
void check_findings_free(struct checker *checker);

/* queue.c: creation, submission, carrying out. */
struct check_queue *check_queue_find(struct checker *checker, uint32_t number);
void check_queue_create(struct checker *checker, uint32_t op);
void check_queue_destroy(struct checker *checker, uint32_t op);
void check_submit(struct checker *checker, uint32_t op);
/* Carries out what can be, of all queues that were woken. */
void check_carry_on(struct checker *checker);
void check_wake(struct checker *checker, struct check_queue **list);
void check_wake_one(struct checker *checker, struct check_queue *queue);
/* Carries the queue out later, unless it is parked. */
void check_resume(struct checker *checker, struct check_queue *queue);
void check_park_on_mark(struct checker *checker, struct check_queue *queue, uint32_t mark);
/* The piece of work that the queue is at comes after the mark. */
void check_take_over(struct checker *checker, struct check_queue *queue,
                     const struct check_mark *mark);
/* What the mark of a piece of work holds: all that comes before it. */
void check_set_mark(struct checker *checker, const struct check_queue *queue, uint32_t op,
                    const struct check_earliest_begin *earliest_begin);
/* refusal.c: work that was not taken. */
void check_refused(struct checker *checker, struct check_queue *queue, uint32_t op);
/* The queue's context stops with its first failure from now on. */
void check_queue_stops(struct checker *checker, const struct check_queue *queue);
/* What is in the queue may not have happened, which is not reported. */
void check_queue_drop(struct checker *checker, struct check_queue *queue, uint32_t by);
/* dropped.c: reports tasks of the queue that the abort dropped; before check_queue_drop(). */
void check_abort_drops(struct checker *checker, const struct check_queue *queue, uint32_t by);
/* The host saw the first `number` pieces done: carries them out, whatever they wait for. */
void check_force(struct checker *checker, struct check_queue *queue, uint32_t number, uint32_t op);
/* Carries out what is at counts that were not seen passed, as far as that is known to come after
 * what it needs. */
void check_counts_finish(struct checker *checker);
void check_queues_free(struct checker *checker);
/* Op of a piece of work, by clock index and count; CHECK_NONE when it is gone. */
uint32_t check_work_at(const struct checker *checker, uint32_t clock_index, uint32_t number);

/* signal.c: what a wait binds to. */
struct check_signal *check_signal_find(struct checker *checker, uint32_t number);
/* The same, and if it is one of several numbers for a signal, that number alone: who made it, and
 * whether it is gone. */
struct check_signal *check_signal_end(struct checker *checker, uint32_t number);
/* It was shared, and who opens it can be seen. */
void check_signal_share(struct checker *checker, uint32_t op);
void check_signal_create(struct checker *checker, uint32_t op);
void check_signal_destroy(struct checker *checker, uint32_t op);
void check_signal_bind(struct checker *checker, struct check_queue *queue, uint32_t op);
void check_signal_clear(struct checker *checker, uint32_t op);
/* A wait for that mark is dropped by `by`, which is a breach only if the host knew that no record
 * was to come. */
void check_signal_given_up(struct checker *checker, uint32_t mark, uint32_t wait, uint32_t by);
/* From now on its waits and records are not judged. */
void check_signal_leave(struct checker *checker, struct check_signal *signal);
/* A record was carried out: of an event with a flag, it lets pass who waits for another one that
 * has not come. */
void check_signal_set(struct checker *checker, uint32_t op);
/* A wait for a flag passes: was the round before its record over when the record came? */
void check_signal_round(struct checker *checker, const struct check_mark *mark);
void check_signals_finish(struct checker *checker);
void check_signals_free(struct checker *checker);
void check_mark_drop(struct checker *checker, uint32_t mark);
/* 0: out of memory. */
uint32_t check_mark_new(struct checker *checker);
/* The mark is that of the queue's newest piece of work, which is the op. */
void check_mark_set(struct check_mark *mark, struct check_queue *queue, uint32_t op);
/* Nothing is known of what became of it. */
void check_mark_leave(struct checker *checker, struct check_mark *mark);

/* count.c: counting notifies. */
enum check_passing {
    CHECK_CANNOT_PASS, /* whatever came of what had been asked for */
    CHECK_MAY_PASS,    /* with something else that may or must come */
    CHECK_PASSES       /* with what surely comes before it alone */
};
void check_count_bind(struct checker *checker, struct check_signal *signal,
                      struct check_queue *queue, uint32_t op);
/* Leaves in `needs` the marks of what must come before the wait at which a queue is, and is not
 * known to: the last of each stream. */
enum check_passing check_count_needs(struct checker *checker, const struct check_signal *signal,
                                     struct check_queue *queue, uint32_t op);
/* Whether the wait at which a queue is cannot pass with what was asked for so far. */
bool check_count_blocks(struct checker *checker, struct check_queue *queue);
/* The wait at which a queue is never passes. */
void check_count_hangs(struct checker *checker, struct check_queue *queue);
/* Lets pass all queues at a count that is left unjudged. */
void check_count_leave(struct checker *checker, const struct check_signal *signal);
void check_count_free(struct check_count *count);

/* word.c: values in memory. */
/* True: the wait passes now. */
bool check_word_wait(struct checker *checker, struct check_queue *queue, uint32_t op);
void check_word_write(struct checker *checker, const struct check_queue *queue, uint32_t op);
/* Bytes were written by something else; `fill`: with that byte, else -1. */
void check_words_touch(struct checker *checker, const struct check_queue *queue, uint32_t op,
                       uint64_t begin, uint64_t end, int fill);
void check_words_free(struct checker *checker);

/* call_queue.c: calls of host functions. */
void check_object_create(struct checker *checker, uint32_t op);
void check_object_destroy(struct checker *checker, uint32_t op);
void check_object_use(struct checker *checker, uint32_t op);
void check_call_queued(struct checker *checker, uint32_t op);
void check_call_taken(struct checker *checker, uint32_t op);
void check_call_answered(struct checker *checker, uint32_t op);
void check_objects_free(struct checker *checker);

/* instance.c: model instances. */
void check_instance_bind(struct checker *checker, uint32_t op);
void check_instance_unbind(struct checker *checker, uint32_t op);
void check_instance_clean(struct checker *checker, uint32_t op);
void check_instance_drain(struct checker *checker, uint32_t op);
void check_instance_abort(struct checker *checker, uint32_t op);
/* NULL: there is none alive. */
struct check_object *check_instance_find(struct checker *checker, uint32_t number);
/* Leaves in `order` an order in which a run can execute the tasks. False: branches, or what its
 * lanes wait for, decide it. */
bool check_instance_order(struct checker *checker, const struct check_object *instance);

/* run.c: runs of model instances. */
/* A run is about to be queued. */
void check_run_submit(struct checker *checker, const struct check_queue *queue, uint32_t op);
/* Carries out a RUN, ACTIVATE or END. False: it has to wait. */
bool check_run_carry(struct checker *checker, struct check_queue *queue, uint32_t op);
/* A run was dropped before it ended. */
void check_run_drop(struct checker *checker, uint32_t op, uint32_t by);
/* What is left on a lane may not have happened, and is over. */
void check_lane_drop(struct checker *checker, uint32_t queue, uint32_t by);
/* The host saw all runs of the instance ended. */
void check_runs_ended(struct checker *checker, struct check_object *instance, uint32_t op);
/* Whether the two are tasks of different runs of one instance, which exclude each other. */
bool check_runs_exclude(const struct checker *checker, uint32_t first, uint32_t second);

/* known.c: what the host has seen. */
uint32_t check_known_at(const struct checker *checker, uint32_t clock_index, uint64_t seq);
/* Pieces of a queue whose submission had come back by then. */
uint32_t check_submitted_by(const struct checker *checker, const struct check_queue *queue,
                            uint64_t seq);
void check_queue_seen(struct checker *checker, struct check_queue *queue, uint32_t number,
                      uint32_t op);
void check_mark_seen(struct checker *checker, uint32_t mark, uint32_t op);
/* With that op the host learned more than is known here. */
void check_fog(struct checker *checker, uint32_t op);
bool check_fog_between(const struct checker *checker, uint64_t after, uint64_t before);

/* hosts.c: threads one by one; without what orders them in the recording all is ordered, and
 * nothing is done. */
void check_host_begins(struct checker *checker, uint32_t op);
/* Whether the call of one op comes before that of another, which is later in the recording. */
bool check_host_ordered(const struct checker *checker, uint32_t first, uint32_t second);
/* Whether the thread of an op knew that work done. */
bool check_host_knew(const struct checker *checker, uint32_t op, uint32_t clock_index,
                     uint32_t number);
/* Whether that work, or without a clock index what that op did itself, is among what comes
 * before. */
bool check_host_is_earlier(const struct checker *checker, const struct check_clock *earlier,
                           uint32_t clock_index, uint32_t number, uint32_t op);
/* What the thread of an op knew, and the op, come before. */
void check_host_carries(struct checker *checker, struct check_clock **earlier, uint32_t op);
/* All of `other` comes before, and that work. */
void check_host_passes(struct checker *checker, struct check_clock **earlier,
                       const struct check_clock *other, uint32_t clock_index, uint32_t number);
/* The thread of an op saw that done; took that call of a host function. */
void check_host_saw_queue(struct checker *checker, const struct check_queue *queue, uint32_t number,
                          uint32_t op);
void check_host_saw_mark(struct checker *checker, const struct check_mark *mark, uint32_t op);
void check_host_took(struct checker *checker, uint32_t call, uint32_t op);
void check_hosts_free(struct checker *checker);

/* observe.c: answers that the host got, against what it knew. */
void check_observe(struct checker *checker, uint32_t op);

/* Raise a clock, of the hosts.c kind too, by another one, and at one index. */
void check_join_clock(struct checker *checker, struct check_clock **clock,
                      const struct check_clock *other);
void check_raise_clock(struct checker *checker, struct check_clock **clock, uint32_t clock_index,
                       uint32_t count);

/* path.c: by how many waits across streams a clock index and count come before another; CHECK_NONE:
 * they do not. */
uint32_t check_hops(const struct checker *checker, uint32_t from_clock_index, uint32_t from_number,
                    uint32_t to_clock_index, uint32_t to_number);

/* times.c: device times. */
/* A piece of work is carried out; `mark` of a wait, or NULL. */
void check_times_task(struct checker *checker, struct check_queue *queue, uint32_t op,
                      const struct check_mark *mark);
/* The same piece comes after one mark more. */
void check_times_after(struct checker *checker, struct check_queue *queue, uint32_t op,
                       const struct check_mark *mark);
/* A wait of the host ended well: what it covers had ended. */
void check_times_host(struct checker *checker, const struct check_earliest_begin *earliest_begin,
                      uint32_t op);
void check_times_signal(struct checker *checker, struct check_signal *signal);
/* Of a counting notify, count_times.c. */
void check_times_count(struct checker *checker, const struct check_signal *signal);
void check_times_finish(struct checker *checker);

/* access.c: bytes. */
void check_access_work(struct checker *checker, struct check_queue *queue, uint32_t op);
void check_access_now(struct checker *checker, uint32_t op);
void check_access_forget(struct checker *checker, uint64_t begin, uint64_t end);
void check_access_free(struct checker *checker);

/* memory.c: allocations. */
void check_memory_alloc(struct checker *checker, uint32_t op);
/* The same of a pool, in stream order; the piece of work is about to be queued. */
void check_memory_take(struct checker *checker, const struct check_queue *queue, uint32_t op);
/* A free in stream order, likewise: it touches all of the allocation, so that what is not ordered
 * with it is found like other accesses. */
void check_memory_return(struct checker *checker, const struct check_queue *queue, uint32_t op);
/* Of an image too. */
void check_memory_image(struct checker *checker, uint32_t op);
void check_memory_unload(struct checker *checker, uint32_t op);
void check_memory_release(struct checker *checker, uint32_t op);
/* Whether the sides of a piece of work, or of a copy made now, are where they may be; notes the
 * use. */
void check_memory_use(struct checker *checker, const struct check_queue *queue, uint32_t op);
/* Whether the memory of a piece of work was freed since. */
bool check_memory_gone(const struct checker *checker, uint64_t address, uint32_t op);
/* A device is closed: its memory is gone, by that op. */
void check_memory_close(struct checker *checker, uint32_t op);
void check_memory_free(struct checker *checker);

#endif
