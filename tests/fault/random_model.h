/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime should hold after the calls made so far, and what follows for the next one. */
#ifndef TWINRT_TESTS_RANDOM_MODEL_H
#define TWINRT_TESTS_RANDOM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl.h"
#include "random_support.h"

#define DEVICES    2
#define CONTEXTS   6
#define STREAMS    12
#define EVENTS     12
#define NOTIFIES   6
#define MEMORIES   8
#define BYTES      4096u
#define NO_PLACE   (-1)
#define WATCHDOG_S 600

/* What should be. Handles stay when their object is gone: they are the dead ones to try. */
typedef struct context_model {
    aclrtContext handle;
    aclrtStream default_stream;
    int device;
    bool lives;
} context_model;

typedef struct stream_model {
    aclrtStream handle;
    int context; /* 0 to CONTEXTS - 1, or CONTEXTS + device for the default ones */
    uint32_t priority;
    bool lives;
} stream_model;

typedef enum form { FORM_PLAIN, FORM_LEVEL, FORM_EX, FORM_TIMED_EX } form;

typedef struct event_model {
    aclrtEvent handle;
    form form;
    int device;
    bool lives;
    bool recorded;
    bool level_set; /* in the order of submission; only one stream touches a level event */
} event_model;

typedef struct notify_model {
    aclrtNotify handle;
    int device;
    bool lives;
    bool set;
} notify_model;

typedef struct memory_model {
    unsigned char *place;
    int device;
    bool lives;
    unsigned char holds[BYTES];
} memory_model;

#define NULL_ARGUMENT 100000
#define BAD_VALUE     107000
#define NO_DEVICE     107001
#define NO_CONTEXT    107002
#define OTHER_CONTEXT 107003
#define DEAD_HANDLE   107017
#define UNSUPPORTED   207000
#define NOTHING       507000
#define NOT_SET       507007

typedef struct random_model {
    random_state dice;
    uint64_t number; /* of the call */
    const char *call_name;
    uint32_t set_count[DEVICES];
    bool is_up[DEVICES];
    context_model contexts[CONTEXTS + DEVICES]; /* the last ones are the default ones */
    stream_model streams[STREAMS];
    event_model events[EVENTS];
    notify_model notifies[NOTIFIES];
    memory_model memories[MEMORIES];
    int current;         /* context of this thread; dead or not */
    unsigned char *host; /* page-locked */
    unsigned char host_holds[BYTES];
} random_model;

extern random_model model;

typedef struct model_call {
    const char *name;
    void (*run)(void);
    uint32_t weight;
} model_call;

/* Events, notifies and memory; ends with a NULL name. */
extern const model_call model_work_calls[];

static inline uint32_t below(uint32_t limit)
{
    return random_below(&model.dice, limit);
}

bool model_expect(aclError code, aclError predicted);
void model_expect_true(bool holds, const char *what);
/* The context that calls act on, or NO_PLACE. */
int model_usable(void);
/* What any use of a stream answers that wants it to belong to the current context. NULL: the
 * default stream. */
aclError model_stream_code(const stream_model *stream);
/* Mostly one that can be used; NULL: the default stream. */
stream_model *model_pick_stream(void);
aclrtStream model_stream_handle(const stream_model *stream);
/* Work of several streams must be over before another stream touches the same bytes. May leave the
 * thread in another context, if it was in none. */
bool model_drain_all(void);

#endif
