/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of random calls, and the tables of the calls. */
#ifndef TWINRT_TESTS_RANDOM_ARGUMENTS_H
#define TWINRT_TESTS_RANDOM_ARGUMENTS_H

#include <stddef.h>

#include "acl/acl.h"
#include "random_calls.h"
#include "random_pool.h"

/* A kind of call: how often, and what it may answer besides success (NEVER_WORKS: instead of
 * it). */
#define RANDOM_CODES_MOST 32
typedef struct random_row {
    const char *name;
    aclError (*call)(random_worker *worker);
    uint32_t weight;
    aclError allowed[RANDOM_CODES_MOST]; /* ends with the first 0 */
    bool never_works;
} random_row;

extern const random_row random_object_rows[];
extern const uint32_t random_object_row_count;
extern const random_row random_memory_rows[];
extern const uint32_t random_memory_row_count;
extern const random_row random_control_rows[];
extern const uint32_t random_control_row_count;
extern const random_row random_host_rows[];
extern const uint32_t random_host_row_count;
extern const random_row random_block_rows[];
extern const uint32_t random_block_row_count;
extern const random_row random_fault_rows[];
extern const uint32_t random_fault_row_count;
/* Which kinds of faults the run injects: with some seeds none. Before the first call. */
void random_fault_begin(uint64_t seed);
/* Whether a task may have failed with this code: it is none of an injected fault, or one was
 * injected that causes it. */
bool random_fault_explains(aclError code);
extern const random_row random_kernel_rows[];
extern const uint32_t random_kernel_row_count;

/* Codes by the names of the catalogue's classes; a table of them must be readable. */
enum {
    NULL_ARGUMENT = 100000,
    REPEATED_INIT = 100002,
    NO_FILE = 100003,
    REPEATED_END = 100037,
    BAD_VALUE = 107000,
    NO_SUCH_DEVICE = 107001,
    NO_CONTEXT = 107002,
    OTHER_CONTEXT = 107003,
    OTHER_MODEL_CONTEXT = 107004,
    IN_MODEL = 107005, /* or in none */
    NO_TIME_YET = 107006,
    NOT_ALIGNED = 107008,
    SUBSCRIBED_STREAM = 107011, /* already, or not */
    SUBSCRIBED_THREAD = 107012, /* not, or another one */
    NO_SUBSCRIPTION = 107015,
    BAD_ATTRIBUTE = 107016,
    DEAD_HANDLE = 107017,
    NOT_CONFIRMED = 107019,
    TASK_TOO_LONG = 107020,
    DEVICE_ABORTED = 107022,
    WAS_ABORTED = 107023,
    NOT_IN_CAPTURE = 107029,
    MODEL_RUNS = 107037,
    NO_SUCH_VARIABLE = 107042,
    NO_SUCH_SYMBOL = 107044,
    NO_SUCH_FEATURE = 200006,
    NOT_OFFERED = 207000,
    NO_MEMORY = 207001,
    NO_STREAM_QUEUE = 207005,
    NO_EVENT = 207007,
    NO_STREAM = 207008,
    NO_NOTIFY = 207009,
    NOTHING_TO_GIVE = 507000, /* never recorded, no id held: EVT-59, EVT-65 */
    TASK_FAILED = 507001,
    NOT_SET = 507007,
    CANNOT_RUN = 507011,
    NO_REPORT = 507012,
    ENGINE_FAILED = 507013,
    KERNEL_TOO_LONG = 507014,
    KERNEL_FAILED = 507015, /* its arguments were freed */
    OTHER_LABEL_CONTEXT = 507031,
    WAIT_ENDED = 507046,
    NOT_UP = 507033,
    VECTOR_TOO_LONG = 507034,
    VECTOR_FAILED = 507035,
    EVENT_WAIT_ENDED = 507047,
    RUN_ABORTED =
        507023, /* of a model instance, by any thread: found by the next wait for the stream it was
                   on */
    MEMORY_FAILED = 507053,
    LINK_FAILED = 507057,
    /* A queued task of a thread whose memory another one freed while it was submitting. */
    ADDRESS_GONE = 507899,
};

/* How a task fails: by its address, by a kernel's arguments, in other ways when a fault was
 * injected that can cause them (random_fault_explains), and as an aborted run of a model
 * instance. */
#define FAILED_TASK                                                                                \
    ADDRESS_GONE, TASK_FAILED, ENGINE_FAILED, KERNEL_TOO_LONG, VECTOR_TOO_LONG, KERNEL_FAILED,     \
        VECTOR_FAILED, MEMORY_FAILED, LINK_FAILED, RUN_ABORTED

/* How a copy fails that is made at once, when a fault hits it. */
#define FAILED_COPY ENGINE_FAILED, MEMORY_FAILED, LINK_FAILED

/* What a submission to any stream may answer; in a context that stops at failures also how its task
 * failed. */
#define SUBMISSION                                                                                 \
    NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, OTHER_CONTEXT, IN_MODEL, DEAD_HANDLE, NOT_OFFERED,       \
        WAS_ABORTED, DEVICE_ABORTED, TASK_TOO_LONG, FAILED_TASK, WAIT_ENDED

#define POINTER(entry) ((void *)(uintptr_t)(entry).handle)
#define HANDLE(thing)  ((uint64_t)(uintptr_t)(thing))

static inline bool chance(random_worker *worker, uint32_t percent)
{
    return random_percent(&worker->random, percent);
}

static inline uint32_t below(random_worker *worker, uint32_t limit)
{
    return random_below(&worker->random, limit);
}

static inline void *any(random_worker *worker, random_kind kind)
{
    return POINTER(random_pool_any(&worker->random, kind, 0));
}

/* A stream of the thread's context mostly; NULL, the default one, often. */
static inline void *any_stream(random_worker *worker)
{
    if (chance(worker, 20))
        return NULL;
    return POINTER(random_pool_any(&worker->random, RANDOM_STREAM, worker->context));
}

/* An out-parameter, NULL now and then. */
#define OUT(worker, variable) (chance(worker, 97) ? &(variable) : NULL)

static inline int32_t any_device(random_worker *worker)
{
    static const int32_t odd[] = {-1, 2, 64, INT32_MAX, INT32_MIN};
    if (chance(worker, 95))
        return (int32_t)below(worker, 2);
    return odd[below(worker, 5)];
}

static inline uint32_t any_number(random_worker *worker)
{
    static const uint32_t edges[] = {0,  1,  2,  3,  7,          8,           16,
                                     31, 32, 63, 64, 0x7FFFFFFF, 0x80000000u, UINT32_MAX};
    if (chance(worker, 70))
        return edges[below(worker, sizeof(edges) / sizeof(edges[0]))];
    return (uint32_t)random_next(&worker->random);
}

/* Milliseconds that are short, or a limit that is refused. */
static inline int32_t any_timeout(random_worker *worker)
{
    static const int32_t odd[] = {-2, INT32_MIN, -100};
    return chance(worker, 96) ? (int32_t)below(worker, 3) : odd[below(worker, 3)];
}

static inline size_t any_bytes(random_worker *worker, uint64_t most)
{
    uint32_t choice = below(worker, 100);
    if (choice < 2)
        return SIZE_MAX - below(worker, 100);
    if (choice < 4)
        return 0;
    if (choice < 5)
        return (size_t)random_next(&worker->random);
    return 1 + below(worker, most > 1 && most < RANDOM_HOST_BYTES ? (uint32_t)most : 4096);
}

/* One side of a copy. */
typedef struct side {
    void *place;
    uint64_t bytes;
} side;

static inline side any_side(random_worker *worker)
{
    random_entry entry;
    switch (below(worker, 8)) {
    case 0:
        return (side){worker->pageable, RANDOM_HOST_BYTES};
    case 1:
    case 2:
        return (side){worker->pinned[below(worker, RANDOM_HOST_BUFFERS)], RANDOM_HOST_BYTES};
    default:
        entry = random_pool_any(&worker->random, RANDOM_MEMORY, 0);
        if (entry.owner > 256 && chance(worker, 30)) { /* somewhere inside */
            uint64_t skipped = below(worker, (uint32_t)entry.owner & 0xFFFF);
            return (side){(void *)(uintptr_t)(entry.handle + skipped), entry.owner - skipped};
        }
        return (side){POINTER(entry), entry.owner};
    }
}

/* Bytes of a transfer: into host memory never more than is there, for that would be the test's own
 * fault. */
static inline size_t transfer_bytes(random_worker *worker, side to, side from)
{
    size_t bytes = any_bytes(worker, to.bytes < from.bytes ? to.bytes : from.bytes);
    bool host = to.place == worker->pageable || from.place == worker->pageable;
    return host && bytes > RANDOM_HOST_BYTES ? RANDOM_HOST_BYTES : bytes;
}

static inline aclrtMemcpyKind any_kind(random_worker *worker)
{
    return (aclrtMemcpyKind)(chance(worker, 97) ? below(worker, 6) : any_number(worker));
}

#endif
