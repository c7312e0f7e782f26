/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks of the system: what a thread reads is noted, so that an absolute deadline made from it is
 * a duration. The values stay the system's. */
#include "host.h"

static inline void note(int which, uint64_t real_ns)
{
    if (host_inside())
        return;
    struct host_reading *reading = &host_self.readings[which];
    const twin_host_moment *moment = host_moment();
    reading->real_ns = real_ns;
    reading->at_known = moment != NULL;
    if (moment)
        reading->at_ns = moment->at_ns;
}

HOST_EXPORT int clock_gettime(clockid_t clock, struct timespec *time)
{
    bool noted = host_has(HOST_SLEEPS);
    int result = host_real.clock_gettime(clock, time);
    if (!noted || HOST_UNLIKELY(result != 0))
        return result;
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE)
        note(HOST_MONOTONIC, host_timespec_ns(time));
    else if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
        note(HOST_REALTIME, host_timespec_ns(time));
    return result;
}

HOST_EXPORT int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    bool noted = host_has(HOST_SLEEPS);
    int result = host_real.gettimeofday(time, zone);
    if (noted && result == 0)
        note(HOST_REALTIME,
             (uint64_t)time->tv_sec * HOST_NS_PER_S + (uint64_t)time->tv_usec * 1000);
    return result;
}

HOST_EXPORT time_t time(time_t *out_time)
{
    bool noted = host_has(HOST_SLEEPS);
    time_t result = host_real.time(out_time);
    if (noted)
        note(HOST_REALTIME, (uint64_t)result * HOST_NS_PER_S);
    return result;
}
