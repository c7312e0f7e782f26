/* SPDX-License-Identifier: Apache-2.0 */
/* Real time in ns, of CLOCK_MONOTONIC. Thread: any, no lock. */
#ifndef TWINRT_SIM_WAIT_REAL_TIME_H
#define TWINRT_SIM_WAIT_REAL_TIME_H

#include <stdint.h>
#include <time.h>

static inline uint64_t sim_real_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline struct timespec sim_real_time(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u),
                             .tv_nsec = (long)(ns % 1000000000u)};
}

/* Of two times or lengths; UINT64_MAX when it does not fit, or one of them is that. */
static inline uint64_t sim_time_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
