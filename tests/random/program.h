/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of the public interface. A program is a list of steps that follows from a seed;
 * its style says how often each kind of step occurs, which objects there are, which threads take
 * the steps, and whether the rules of order are checked. README.md describes the styles. */
#ifndef TWINRT_TESTS_RANDOM_PROGRAM_H
#define TWINRT_TESTS_RANDOM_PROGRAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "fault/random_support.h"
#include "order.h"

enum {
    PLACES_MOST = 3,
    LANES_MOST = 48,
    EVENTS_MOST = 16,
    NOTIFIES = 6, /* of a place */
    HOLDS = 4,    /* of a place */
    CELLS = 5,    /* of a place */
    CELL_BYTES = 64,
    CELL_WORDS = CELL_BYTES / 8,
    BULK = 8, /* large buffers of each side */
    SOON_MS = 60000
};
#define NONE         UINT32_MAX
#define CELL_INITIAL UINT64_C(0x1111111111111111)

enum style_name { ORDER, TURNS, WAITS, WIDE, RACES, LOCKS, STYLES };

/* Classes of steps. */
enum {
    SUBMIT = 1, /* tasks; no thread waits */
    WAIT = 2,
    CHANGE = 4, /* of objects, and others */
    MEET = 8    /* in locks of the host */
};

enum threads {
    ALONE,
    STRICT, /* one program; a thread takes some steps, then another one */
    OWN,    /* a program with separate objects for each thread */
    SHARED, /* threads race for the same objects */
};

struct style {
    const char *name;
    enum threads threads;
    uint32_t default_threads;
    uint64_t default_calls;
    uint32_t places, streams; /* streams of a place, the default stream among them */
    uint32_t events;
    uint32_t bulk_bits; /* large buffers have 2 to this power bytes */
    bool judged;        /* the rules of order are checked */
    bool processes;     /* a process for each seed, and --calls counts seeds */
    bool old_events;    /* some that can be recorded again while streams wait for them */
    bool meets;         /* what a thread finds decides what it does next */
    bool stays;         /* objects are left to the reset of their devices */
};

struct lane {
    aclrtStream stream;
    uint32_t place;
    uint32_t last; /* its newest task */
    bool created;
};

struct event {
    aclrtEvent handle;
    uint32_t place;
    uint32_t recorded; /* by this task */
    bool is_old;
};

/* A context and what belongs to it. */
struct place {
    aclrtContext context;
    int32_t device;
    uint8_t *bulk[BULK];
    uint64_t *cells, *sources, *logs, *words; /* device memory */
    struct {
        aclrtNotify notify;
        uint32_t wait; /* the newest */
    } notifies[NOTIFIES];
    struct hold {
        aclrtNotify notify;
        uint32_t bit;  /* of the task that it holds back now, 0: none */
        uint32_t wait; /* the newest */
    } holds[HOLDS];
};

typedef struct program {
    const struct style *style;
    uint32_t index; /* of its thread, or of the one whose turn it is */
    uint64_t step;
    random_state random;
    bool is_child;
    uint32_t lane_count;
    uint32_t own, subscribed; /* lanes that are not drawn with the others */
    struct lane lanes[LANES_MOST];
    struct event events[EVENTS_MOST];
    struct place places[PLACES_MOST];
    uint32_t closed; /* bits of the holds that are closed */
    uint32_t closings;

    /* For the rules of order. */
    order_graph *graph;                      /* NULL: they are not checked */
    uint64_t *source;                        /* host: what each task writes */
    uint64_t *log;                           /* host: what each task reads */
    bool has_values;                         /* waits for values, which older parts lack */
    _Atomic uint32_t turn[ORDER_TASKS_MOST]; /* of the host function that the task is, from 1 */
    bool to_host[ORDER_TASKS_MOST];          /* READ: straight into the host's log */
    bool looked[ORDER_TASKS_MOST];
} program;

/* Of all programs of the process. */
typedef struct random_run {
    random_options options;
    uint64_t noise; /* seed of real time spent, 0: none */
    bool stop;      /* half-way a task fails, and all streams stop */
    bool asks_too;  /* another thread makes a call before the program begins */
    program *programs;
    struct place places[PLACES_MOST]; /* contexts and large buffers */
    uint8_t *host[BULK];
    uint64_t met; /* what all threads found, changed without a lock */
    pthread_mutex_t counting;
    _Atomic uint32_t launched;
    uint32_t calls;     /* host functions that have run */
    uint32_t callbacks; /* launched for the last thread and not run */
} random_run;
extern random_run run;

void must(const char *what, aclError got, aclError wanted);
#define MUST(call, code) must(#call, (call), (code))
#define OK(call)         MUST(call, ACL_SUCCESS)

static inline uint32_t below(program *p, uint32_t limit)
{
    return random_below(&p->random, limit);
}

/* kinds.c: a step of one of the classes, by the weights of the style. */
void take_step(program *p, unsigned classes);
extern const struct style styles[STYLES];

/* The steps, with a stream that they may use. */
typedef void step_function(program *p, uint32_t lane);
#define KIND(function, ...) step_function function;
#include "kinds.def"
#undef KIND

/* steps.c. A number of a task is NONE in programs that are not judged. */
uint32_t note(program *p, uint32_t number, order_kind kind, const char *name);
bool held(const program *p, uint32_t task);
bool known(const program *p, uint32_t task);
aclrtStream use(program *p, uint32_t number);
uint32_t any_lane(program *p);
uint32_t beside(program *p, uint32_t number);
struct event *event_beside(program *p, uint32_t number);
void record(program *p, uint32_t number, struct event *which);
struct hold *hold(program *p, uint32_t number);
void release(program *p, uint32_t place, struct hold *one);
/* waits.c */
/* Everything is complete; checks what it left, and forgets it. */
void settle(program *p);
/* Some time that differs from run to run. */
void dawdle(void);
void noise_begin(uint64_t stream);
/* What a thread found has an effect on what it does next. */
void meet(program *p, uint64_t what);
void run_callbacks(program *p);

/* locks.c */
void locks_begin(uint32_t threads);
void locks_round(void);
void locks_print(void);
/* program.c: a child's steps. */
void *child_main(void *argument);

/* objects.c */
void go_to(const program *p, uint32_t place);
void make_event(program *p, uint32_t number);
void make_shared(const struct style *style);
void make_program(program *p, const struct style *style, uint32_t index);
/* Of SHARED: a thread's program with the objects of the first one, and its own stream. */
void copy_program(program *p, uint32_t index);
void make_own(program *p);
void forget(program *p);
void destroy_program(program *p);
void destroy_shared(const struct style *style);

#endif
