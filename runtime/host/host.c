/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cond.h"
#include "objects.h"
#include "seam/sanitizer.h"
#include "threads.h"
#include "turn.h"

_Thread_local struct host_self host_self __attribute__((tls_model("initial-exec")));
atomic_int host_level;
const struct twin_host_ops *_Atomic host_ops;
_Atomic ptrdiff_t host_inside_offset;

static ptrdiff_t offset_of(const bool *flag)
{
    return (const char *)flag - (const char *)__builtin_thread_pointer();
}

/* clang links the runtime of ThreadSanitizer into the program, before this library. It prepares a new thread only after
 * host_thread_run(), and before that the thread cannot allocate memory. gcc's is a library after this one. */
static bool thread_sanitizer_is_first(void)
{
    Dl_info of_create;
    Dl_info of_this;
    const void *create =
        twin_under_thread_sanitizer() ? dlsym(RTLD_DEFAULT, "pthread_create") : NULL;
    return create && dladdr(create, &of_create) != 0 && dladdr(&host_level, &of_this) != 0 &&
           of_create.dli_fbase != of_this.dli_fbase;
}

static int level_wanted(void)
{
    const char *text = getenv("TWINRT_HOST_TIME");
    if (text && strcmp(text, "calls") == 0)
        return HOST_CALLS;
    if ((text && strcmp(text, "sleeps") == 0) || thread_sanitizer_is_first())
        return HOST_SLEEPS;
    return HOST_SYNC;
}

/* In the child: its only thread is the caller. The backend is the parent's until the runtime binds one again. */
static void forked(void)
{
    atomic_store(&host_ops, NULL);
    host_threads_forked();
    host_objects_forked();
    host_conds_forked();
    turn_forked();
}

/* TWINRT_DETERMINISTIC */
static void begin_order(void)
{
    const char *wanted = getenv("TWINRT_DETERMINISTIC");
    const char *seed = getenv("TWINRT_SEED");
    if (wanted && strcmp(wanted, "on") == 0)
        turn_begin(seed ? strtoull(seed, NULL, 0) : 0);
}

__attribute__((constructor)) int host_start(void)
{
    static bool starting; /* there is one thread */
    int level = atomic_load(&host_level);
    if (level != HOST_UNSET)
        return level;
    if (starting)
        return HOST_CALLS;
    starting = true;
    atomic_store(&host_inside_offset, offset_of(&host_self.off));
    host_real_find();
    level = level_wanted();
    if (level >= HOST_SYNC) {
        host_threads_start();
        (void)pthread_atfork(turn_fork_begin, turn_fork_end, forked);
        begin_order();
    }
    atomic_store(&host_level, level);
    return level;
}

static void bind_ops(const struct twin_host_ops *ops, const bool *inside)
{
    atomic_store(&host_inside_offset, offset_of(inside ? inside : &host_self.off));
    atomic_store(&host_ops, ops);
    if (ops)
        (void)host_moment_make();
    turn_bind(ops);
}

const twin_host_moment *host_moment_make(void)
{
    const struct twin_host_ops *ops = atomic_load_explicit(&host_ops, memory_order_acquire);
    if (!ops)
        return NULL;
    if (HOST_LIKELY(host_self.moment || host_self.off))
        return host_self.moment;
    int error = errno;
    host_self.off = true;
    host_self.moment = ops->self();
    host_self.off = false;
    errno = error;
    return host_self.moment;
}

void host_advance(uint64_t ns)
{
    const struct twin_host_ops *ops = atomic_load_explicit(&host_ops, memory_order_acquire);
    if (!ops || ns == 0 || host_self.off)
        return;
    int error = errno;
    host_self.off = true;
    ops->advance(ns);
    host_self.off = false;
    errno = error;
}

void host_follow(const twin_host_moment *moment)
{
    const struct twin_host_ops *ops = atomic_load_explicit(&host_ops, memory_order_acquire);
    const twin_host_moment *own = host_self.moment;
    if (!ops || !own || moment->system_id == 0 || moment->system_id == own->system_id ||
        host_self.off)
        return;
    int error = errno;
    host_self.off = true;
    ops->follow(moment);
    host_self.off = false;
    errno = error;
}

void host_changed(void)
{
    const struct twin_host_ops *ops = atomic_load_explicit(&host_ops, memory_order_acquire);
    if (!ops || host_self.off)
        return;
    int error = errno;
    host_self.off = true;
    ops->changed();
    host_self.off = false;
    errno = error;
}

struct host_deadline host_deadline_of(clockid_t clock, const struct timespec *time)
{
    struct host_deadline deadline = {0};
    if (!time) /* a join without a limit */
        return deadline;
    uint64_t until = host_timespec_ns(time);
    struct host_reading now = {0};
    if (!host_inside() && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC))
        now = host_self.readings[clock == CLOCK_MONOTONIC ? HOST_MONOTONIC : HOST_REALTIME];
    if (now.real_ns ==
        0) { /* the time comes from elsewhere or is the runtime's: how far it is from here, in real time */
        struct timespec real;
        if (host_real.clock_gettime(clock, &real) != 0)
            return deadline;
        now.real_ns = host_timespec_ns(&real);
    }
    deadline.ns = until > now.real_ns ? until - now.real_ns : 0;
    deadline.absolute = now.at_known;
    deadline.at_ns = now.at_ns + deadline.ns;
    return deadline;
}

void host_deadline_passed(const struct host_deadline *deadline)
{
    if (!deadline->absolute) {
        host_advance(deadline->ns);
        return;
    }
    const twin_host_moment *moment = host_moment_make();
    if (moment && moment->at_ns < deadline->at_ns)
        host_advance(deadline->at_ns - moment->at_ns);
}

HOST_EXPORT const twin_host_time *twinrt_host_time(void);

const twin_host_time *twinrt_host_time(void)
{
    static twin_host_time table = {
        .size = sizeof(table),
        .version = TWIN_HOST_TIME_VERSION,
        .bind = bind_ops,
        .blocked = host_threads_blocked,
        .threads = host_threads_list,
    };
    (void)host_start();
    table.turns = turn_on() ? &turn_ops : NULL;
    return &table;
}
