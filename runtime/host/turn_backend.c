/* SPDX-License-Identifier: Apache-2.0 */
/* The order of threads and the backend: clocks of calls, and waits for the device. */
#include "turn.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "real.h"
#include "turn_state.h"

static _Atomic(const struct twin_host_ops *) host_ops;
static atomic_uint bindings;

void turn_refresh_clock(struct turn_thread *self)
{
    unsigned now = atomic_load_explicit(&bindings, memory_order_acquire);
    if (self->bound != now) {
        const struct twin_host_ops *host = atomic_load(&host_ops);
        self->moment = host ? host->self() : NULL;
        self->bound = now;
    }
    if (self->moment && self->moment->at_ns > self->clock_ns)
        self->clock_ns = self->moment->at_ns;
}

/* Operations before the first device count from its beginning. */
static void shift_clocks(const struct turn_thread *self)
{
    uint64_t by = self ? self->clock_ns : 0;
    for (struct turn_thread *thread = turn_order.first; thread; thread = thread->next) {
        thread->clock_ns -= thread->clock_ns < by ? thread->clock_ns : by;
        if (thread->state == TURN_TIMED)
            thread->until_ns -= thread->until_ns < by ? thread->until_ns : by;
    }
    turn_look_again_locked();
}

void turn_bind(const struct twin_host_ops *host)
{
    struct turn_thread *self = turn_own;
    if (!turn_on())
        return;
    atomic_store(&host_ops, host);
    if (!host) {
        turn_end(NULL);
        return;
    }
    turn_lock(self);
    shift_clocks(self);
    atomic_fetch_add(&bindings, 1);
    turn_unlock(self);
}

void turn_unbind(void)
{
    atomic_store(&host_ops, NULL);
    atomic_fetch_add(&bindings, 1);
}

static void op_call(void)
{
    struct turn_thread *self = turn_mine();
    if (!self)
        return;
    turn_refresh_clock(self);
    const struct twin_host_ops *host = atomic_load_explicit(&host_ops, memory_order_acquire);
    if (host && self->moment && self->clock_ns > self->moment->at_ns)
        host->advance(self->clock_ns - self->moment->at_ns);
    turn_check(self, TURN_SLACK_NS);
}

static void op_wait(twin_turn *turn)
{
    struct turn_thread *self = turn_mine();
    turn->until_ns = TWIN_FOREVER;
    turn->ready = false;
    if (!self)
        return;
    turn_lock(self);
    if (turn->reached_ns > turn_order.reached_ns)
        turn_order.reached_ns = turn->reached_ns;
    turn_order.device_stuck = turn->stuck;
    self->drives = false;
    self->serves = turn->serves;
    if (!self->ended_early) {
        turn_refresh_clock(self);
        self->state = TURN_WAITS;
        self->blocked_in = NULL;
        turn_give_locked(self);
    }
    self->ended_early = false;
    if (self->drives) {
        turn->until_ns = self->until_ns;
        turn->ready = self->ready_follows;
    }
    turn_unlock(self);
}

static void op_done(void)
{
    struct turn_thread *self = turn_own;
    if (!self)
        return;
    self->drives = false;
    /* Real time that the wait has slept made others come first; on the clock of the thread it does
     * not count. */
    if (self->parked && self->moment)
        self->clock_ns = self->moment->at_ns;
    self->parked = false;
}

static void op_ended(uint32_t system_id, uint64_t at_ns)
{
    struct turn_thread *self = turn_own;
    if (!turn_on() || (self && (self->system_id == system_id || self->inside != 0)))
        return;
    turn_lock(self);
    for (struct turn_thread *thread = turn_order.first; thread; thread = thread->next) {
        if (thread->system_id != system_id || thread->state == TURN_OVER)
            continue;
        if (thread->state == TURN_WAITS)
            turn_ready_locked(thread, at_ns, TURN_WOKEN);
        else
            thread->ended_early = true;
    }
    turn_unlock(self);
}

static uint32_t op_threads(void)
{
    uint32_t count = 0;
    turn_lock(turn_own);
    for (const struct turn_thread *thread = turn_order.first; thread; thread = thread->next)
        count += thread->state != TURN_OVER ||
                 (thread->system_id != 0 &&
                  host_real.syscall(SYS_tgkill, getpid(), thread->system_id, 0) == 0);
    turn_unlock(turn_own);
    return count;
}

static bool op_on(void)
{
    return turn_on();
}

struct outsider {
    void *(*function)(void *);
    void *argument;
};

static void *run_outside(void *pointer)
{
    const struct outsider outsider = *(struct outsider *)pointer;
    free(pointer);
    turn_outside = true;
    return outsider.function(outsider.argument);
}

static int op_create(pthread_t *out_thread, const pthread_attr_t *attributes,
                     void *(*function)(void *), void *argument)
{
    struct outsider *outsider = malloc(sizeof(*outsider));
    if (!outsider)
        return EAGAIN;
    *outsider = (struct outsider){function, argument};
    int error = host_real.pthread_create(out_thread, attributes, run_outside, outsider);
    if (error != 0)
        free(outsider);
    return error;
}

static uint64_t op_points(void)
{
    static uint64_t looks; /* of a thread that runs; guarded by the lock of the order */
    turn_lock(turn_own);
    if (turn_order.holder && !turn_order.holder->drives)
        looks++;
    uint64_t points = looks;
    for (const struct turn_thread *thread = turn_order.first; thread; thread = thread->next)
        points += thread->point;
    turn_unlock(turn_own);
    return points;
}

const struct twin_turn_ops turn_ops = {
    .on = op_on,
    .call = op_call,
    .wait = op_wait,
    .done = op_done,
    .ended = op_ended,
    .threads = op_threads,
    .create = op_create,
    .points = op_points,
    .end = turn_end,
};
