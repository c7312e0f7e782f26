/* SPDX-License-Identifier: Apache-2.0 */
/* What every public function does at its start and end.
 *
 *   aclError aclrtFoo(void *pointer)
 *   {
 *       TWIN_ENTER(LOCAL);
 *       TWIN_NOT_NULL(pointer);
 *       return TWIN_LEAVE(twin_foo(pointer));
 *   }
 *
 * Public functions never call each other: programs may put their own in front of ours. */
#ifndef TWINRT_API_ENTRY_H
#define TWINRT_API_ENTRY_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/functions.h"
#include "core/backend/call.h"
#include "core/backend/error.h"
#include "core/base/soc.h"
#include "core/work/snapshot.h"

/* The refusal of a call in a process that was forked from the one that runs the backend. */
int32_t twin_api_refuse_forked(void);

/* Calls that read files, wait inside the core or make objects are not cancelled before their end.
 * The others have no point of cancellation in the core, and backends hold cancellation off where
 * they block: submitting pays nothing for it. */
static inline bool twin_api_holds_cancel(twin_cost cost)
{
    return cost == TWIN_COST_CREATE || cost == TWIN_COST_COPY || cost == TWIN_COST_MEMORY ||
           cost == TWIN_COST_DEVICE;
}

static inline int twin_api_hold_cancel(twin_cost cost)
{
    int before = PTHREAD_CANCEL_ENABLE;
    if (twin_api_holds_cancel(cost))
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

/* A thread that was cancelled during a call that may block ends here. */
static inline int32_t twin_api_allow_cancel(int32_t code, twin_cost cost, int before)
{
    if (twin_api_holds_cancel(cost))
        pthread_setcancelstate(before, NULL);
    if (twin_api_holds_cancel(cost) || cost == TWIN_COST_WAIT)
        pthread_testcancel();
    return code;
}

#define TWIN_BEGIN(cost_class)                                                                     \
    static const twin_call twin_this_call = {__func__, TWIN_COST_##cost_class};                    \
    const int twin_cancel = twin_api_hold_cancel(TWIN_COST_##cost_class)
#define TWIN_ENTER_OR_RETURN(cost_class, refusal)                                                  \
    TWIN_BEGIN(cost_class);                                                                        \
    do {                                                                                           \
        if (__builtin_expect(!twin_call_enter(&twin_this_call, __builtin_return_address(0)), 0))   \
            return refusal;                                                                        \
        twin_snapshot_pass(TWIN_COST_##cost_class);                                                \
    } while (0)
#define TWIN_ENTER(cost_class)                                                                     \
    TWIN_ENTER_OR_RETURN(cost_class, TWIN_LEAVE(twin_api_refuse_forked()))
/* TWIN_ENTER for a function that needs no device and takes no lock with a rank: it works in a
 * forked process as well. */
#define TWIN_ENTER_HOST(cost_class)                                                                \
    TWIN_BEGIN(cost_class);                                                                        \
    (void)twin_call_enter(&twin_this_call, __builtin_return_address(0))
#define TWIN_LEAVE(code)                                                                           \
    twin_api_allow_cancel(twin_call_leave(code), twin_this_call.cost, twin_cancel)

/* The parts that offer each function. */
enum {
#define TWIN_API(area, function, parts, state, reason) TWIN_PARTS_##function = TWIN_OFFERED_##parts,
#include "api/functions.def"
};

/* Refuses a function that `parts` offer where the device's part is none of them. 0, 207000, or the
 * code of a backend that does not start. */
int32_t twin_api_refuse_by_part(uint32_t parts);

/* TWIN_ENTER for a function that only some parts offer and that returns a code: on another part it
 * does nothing. */
#define TWIN_ENTER_BY_PART(cost_class, function)                                                   \
    TWIN_ENTER(cost_class);                                                                        \
    if (__builtin_expect((atomic_load_explicit(&twin_parts_present, memory_order_relaxed) &        \
                          TWIN_PARTS_##function) == 0,                                             \
                         0)) {                                                                     \
        const int32_t twin_refusal = twin_api_refuse_by_part(TWIN_PARTS_##function);               \
        if (twin_refusal != 0)                                                                     \
            return TWIN_LEAVE(twin_refusal);                                                       \
    }                                                                                              \
    static_assert(sizeof(#function) == sizeof(__func__), "the name of another function")

/* The outer layer's refusal of a NULL for the parameter `name`. */
int32_t twin_api_null(const char *name);
#define twin_api_null(name) twin_refused((twin_api_null)(name))

/* The runtime layer's refusal of a NULL that the outer layer accepts. */
int32_t twin_api_null_below(const char *name);
#define twin_api_null_below(name) twin_refused((twin_api_null_below)(name))

#define TWIN_REFUSE_NULL_1(refuse, a)                                                              \
    if (__builtin_expect(!(a), 0))                                                                 \
    return TWIN_LEAVE(refuse(#a))
#define TWIN_REFUSE_NULL_2(refuse, a, ...)                                                         \
    TWIN_REFUSE_NULL_1(refuse, a);                                                                 \
    TWIN_REFUSE_NULL_1(refuse, __VA_ARGS__)
#define TWIN_REFUSE_NULL_3(refuse, a, ...)                                                         \
    TWIN_REFUSE_NULL_1(refuse, a);                                                                 \
    TWIN_REFUSE_NULL_2(refuse, __VA_ARGS__)
#define TWIN_REFUSE_NULL_4(refuse, a, ...)                                                         \
    TWIN_REFUSE_NULL_1(refuse, a);                                                                 \
    TWIN_REFUSE_NULL_3(refuse, __VA_ARGS__)
#define TWIN_REFUSE_NULL_FOR(a, b, c, d, macro, ...) macro
#define TWIN_REFUSE_NULL(refuse, ...)                                                              \
    TWIN_REFUSE_NULL_FOR(__VA_ARGS__, TWIN_REFUSE_NULL_4, TWIN_REFUSE_NULL_3, TWIN_REFUSE_NULL_2,  \
                         TWIN_REFUSE_NULL_1, )                                                     \
    (refuse, __VA_ARGS__)
/* Leaves the function, refusing the first of 1 to 4 parameters that is NULL: by the outer layer, by
 * the runtime layer. */
#define TWIN_NOT_NULL(...)       TWIN_REFUSE_NULL(twin_api_null, __VA_ARGS__)
#define TWIN_NOT_NULL_BELOW(...) TWIN_REFUSE_NULL(twin_api_null_below, __VA_ARGS__)

/* Notes that a public function is not built, and returns the code for that. */
int32_t twin_api_unsupported(const twin_call *call, const char *reason);

/* What an application holds as a handle. */
static inline uint64_t twin_api_handle(const void *handle)
{
    return (uint64_t)(uintptr_t)handle;
}
static inline void *twin_api_pointer(uint64_t handle)
{
    return (void *)(uintptr_t)handle;
}
/* Gives the application the handle of a new object, if `code` is 0. Returns `code`. */
static inline int32_t twin_api_give(int32_t code, const uint64_t *handle, void **out)
{
    if (code == 0)
        *out = twin_api_pointer(*handle);
    return code;
}

/* A wait's limit as the public functions give it: milliseconds, -1 none. 0 or below -1: 107000. */
int32_t twin_api_timeout(int32_t timeout_ms, uint64_t *out_timeout_ns);

#endif
