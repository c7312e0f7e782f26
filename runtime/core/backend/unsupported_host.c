/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/unsupported_host.h"

#include <unistd.h>

twin_status twin_unsupported_host_pace(void)
{
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_host_see(twin_seen what, uint32_t device, uint32_t queue,
                                      uint64_t number)
{
    (void)what;
    (void)device;
    (void)queue;
    (void)number;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_host_move(uint64_t at_ns, uint64_t events)
{
    (void)at_ns;
    (void)events;
    return TWIN_E_UNSUPPORTED;
}

void twin_unsupported_host_advance(uint64_t ns)
{
    (void)ns;
}

twin_host_moment *twin_unsupported_host_self(void)
{
    static _Thread_local twin_host_moment real_time; /* the device has clocks of its own */
    if (real_time.system_id == 0)
        real_time.system_id = (uint32_t)gettid(); /* order between threads is the same there */
    return &real_time;
}

void twin_unsupported_host_follow(const twin_host_moment *moment)
{
    (void)moment;
}

void twin_unsupported_host_changed(void) {}

bool twin_unsupported_process_forked(void)
{
    return false;
}

void twin_unsupported_process_stop(void) {}

bool twin_unsupported_process_write(twin_write_when when, unsigned waiting)
{
    (void)when;
    (void)waiting;
    return true;
}
