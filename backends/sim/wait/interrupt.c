/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sem_clockwait */

#include <errno.h>
#include <time.h>

#include "process/process.h"
#include "wait/real_time.h"
#include "wait/wait.h"

/* A tenth of a second: soon for people, and long compared to the cost of a look. */
#define LOOK_EVERY_NS 100000000u

uint64_t sim_interrupt_next_look(void)
{
    return sim_real_now() + LOOK_EVERY_NS;
}

uint64_t sim_interrupt_first_look(enum sim_wait_kind kind)
{
    const twin_services *services = sim_process.services;
    if (kind == SIM_WAIT_TRANSFER || !services || !services->interruptible ||
        !services->interruptible())
        return UINT64_MAX;
    return sim_interrupt_next_look();
}

bool sim_interrupt_look_due(uint64_t look_ns)
{
    return __builtin_expect(look_ns != UINT64_MAX, 0) && sim_real_now() >= look_ns;
}

bool sim_interrupt_sleep(sem_t *sem, uint64_t look_ns)
{
    const struct timespec until = sim_real_time(look_ns);
    int woken;
    do {
        woken = look_ns == UINT64_MAX ? sem_wait(sem) : sem_clockwait(sem, CLOCK_MONOTONIC, &until);
    } while (woken != 0 && errno == EINTR);
    return woken == 0;
}

bool sim_interrupt_asked(void)
{
    return sim_process.services->interrupted();
}
