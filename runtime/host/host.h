/* SPDX-License-Identifier: Apache-2.0 */
/* What all interposed functions share: whether they do anything beyond the real one, the state of
 * the calling thread, and the way to the backend's host ops. README.md says what the library is
 * for. */
#ifndef TWINRT_HOST_HOST_H
#define TWINRT_HOST_HOST_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "real.h"
#include "seam/host_time.h"

#define HOST_EXPORT      __attribute__((visibility("default")))
#define HOST_LIKELY(x)   __builtin_expect(!!(x), 1)
#define HOST_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* The place in the program of the call of the interposed function that uses this. */
#define HOST_CALL_SITE() __builtin_return_address(0)
#define HOST_NS_PER_S    1000000000ull

/* TWINRT_HOST_TIME; a higher level includes the lower ones. */
enum host_level { HOST_UNSET, HOST_CALLS, HOST_SLEEPS, HOST_SYNC };

/* What a thread read last from a clock of the system, and where its own clock was then. */
struct host_reading {
    uint64_t real_ns; /* 0: it has not read that clock */
    uint64_t at_ns;
    bool at_known;
};

enum { HOST_REALTIME, HOST_MONOTONIC, HOST_CLOCKS };

struct host_thread;

/* Of the calling thread. */
struct host_self {
    /* Inside this library's calls of the backend: what those call is not looked at. */
    bool off;
    uint8_t end_rounds;
    struct host_thread *record;     /* threads.h; NULL: none yet */
    const twin_host_moment *moment; /* host.self() of this thread; NULL: not asked for yet */
    struct host_reading readings[HOST_CLOCKS];
};
extern _Thread_local struct host_self host_self __attribute__((tls_model("initial-exec")));

extern atomic_int host_level; /* enum host_level */
/* The backend's; NULL: no backend runs, clocks need not be carried. */
extern const struct twin_host_ops *_Atomic host_ops;
/* From the thread pointer to the runtime's flag that this thread is inside a public call; to
 * host_self.off without a runtime. */
extern _Atomic ptrdiff_t host_inside_offset;

/* Reads the setting and finds the real functions; may be called early and more than once. Returns
 * the level, HOST_CALLS while it runs. */
int host_start(void);

static inline bool host_inside(void)
{
    ptrdiff_t offset = atomic_load_explicit(&host_inside_offset, memory_order_relaxed);
    return host_self.off ||
           *(const volatile bool *)((const char *)__builtin_thread_pointer() + offset);
}

/* Whether the library works at `level` or above. */
static inline bool host_has(int level)
{
    int now = atomic_load_explicit(&host_level, memory_order_relaxed);
    if (HOST_UNLIKELY(now == HOST_UNSET))
        now = host_start();
    return now >= level;
}

/* Whether an interposed function of `level` does more than the real one: the call is the program's,
 * not the runtime's. */
static inline bool host_on(int level)
{
    return host_has(level) && !host_inside();
}

/* Calls of the backend. errno stays; nothing they call is looked at. */

/* The calling thread's moment. Only where the thread cannot be inside an allocator: the first time
 * allocates. NULL: no backend runs. */
const twin_host_moment *host_moment_make(void);
/* The same without making it. */
static inline const twin_host_moment *host_moment(void)
{
    return atomic_load_explicit(&host_ops, memory_order_relaxed) ? host_self.moment : NULL;
}
static inline bool host_same_moment(const twin_host_moment *left, const twin_host_moment *right)
{
    return left->at_ns == right->at_ns && left->calls == right->calls &&
           left->entry == right->entry && left->system_id == right->system_id;
}
void host_advance(uint64_t ns);
/* Follows a moment of another thread; one of this thread or with system_id 0 is nothing. */
void host_follow(const twin_host_moment *moment);
void host_changed(void);

static inline uint64_t host_timespec_ns(const struct timespec *time)
{
    if (time->tv_sec < 0)
        return 0;
    return (uint64_t)time->tv_sec * HOST_NS_PER_S + (uint64_t)time->tv_nsec;
}

/* How far a wait until an absolute time goes. Made before the wait. */
struct host_deadline {
    uint64_t ns;    /* to add to the clock */
    uint64_t at_ns; /* or: where the clock is then */
    bool absolute;
};
struct host_deadline host_deadline_of(clockid_t clock, const struct timespec *time);
/* The wait has timed out: the clock advances. */
void host_deadline_passed(const struct host_deadline *deadline);
/* What `call`, a real function that waits until a time of `clock`, returns where the library orders
 * nothing: at level sleeps, and for objects that are the system's. The clock advances when it times
 * out. */
#define HOST_UNTIL(clock, until, call)                                                             \
    __extension__({                                                                                \
        const bool until_on_ = host_on(HOST_SLEEPS);                                               \
        struct host_deadline until_deadline_ = {0};                                                \
        if (until_on_)                                                                             \
            until_deadline_ = host_deadline_of(clock, until);                                      \
        int until_result_ = (call);                                                                \
        if (until_on_ &&                                                                           \
            (until_result_ == ETIMEDOUT || (until_result_ == -1 && errno == ETIMEDOUT)))           \
            host_deadline_passed(&until_deadline_);                                                \
        until_result_;                                                                             \
    })

#endif
