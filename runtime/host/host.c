/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

_Thread_local struct host_self host_self __attribute__((tls_model("initial-exec")));
atomic_int host_level;
const struct twin_host_ops *_Atomic host_ops;
_Atomic ptrdiff_t host_inside_offset;

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
        0) { /* the time comes from elsewhere or is the runtime's: how far it is from here, in real
                time */
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
