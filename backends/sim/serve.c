/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sem_clockwait */
#include "serve.h"

#include <errno.h>
#include <time.h>

#include "channel.h"
#include "device.h"
#include "stall.h"

/* Real time without a sign of the program, after which a service wait moves the model: at first, and at least. */
#define PATIENCE_NS       200000000ull
#define PATIENCE_LEAST_NS 2000000ull

static _Atomic uint64_t patience_ns = PATIENCE_NS;
static atomic_bool ended;

/* Until the wait is finished, or for a while. True: finished. No lock held. */
static bool sleep_a_while(struct sim_wait *wait)
{
    uint64_t patience = sim_channel_in_flight(wait->channel)
                            ? atomic_load_explicit(&patience_ns, memory_order_relaxed)
                            : PATIENCE_NS;
    struct timespec until = sim_real_time(sim_real_now() + patience);
    int woken;
    do {
        woken = sem_clockwait(&wait->sem, CLOCK_MONOTONIC, &until);
    } while (woken != 0 && errno == EINTR);
    return woken == 0;
}

/* Whether a service wait may move the model. */
static bool is_due(void)
{
    return sim_process.board && !atomic_load(&ended);
}

/* One had to: the next one comes sooner. */
static void be_sooner(void)
{
    uint64_t patience = atomic_load_explicit(&patience_ns, memory_order_relaxed) / 2;
    atomic_store_explicit(&patience_ns, patience > PATIENCE_LEAST_NS ? patience : PATIENCE_LEAST_NS,
                          memory_order_relaxed);
}

/* As the driver, but only as long as the model moves by itself. */
static void drive_while_it_moves(struct sim_wait *self)
{
    bool stalled = false;
    while (!stalled && !sim_wait_finished(self)) {
        bool any;
        enum twinsim_stop stop = sim_drive_step(sim_stall_deadline(), true, &any);
        stalled = (stop == TWINSIM_STOP_IDLE || stop == TWINSIM_STOP_HELD) && !any;
        if (stop == TWINSIM_STOP_LIMIT)
            sim_stall_expire(twinsim_now(sim_process.board));
        if (!stalled && !sim_wait_finished(self))
            sim_drive_give_way();
    }
}

void sim_serve(struct sim_wait *wait)
{
    uint64_t seen = UINT64_MAX;
    while (!sleep_a_while(wait)) {
        sim_model_lock_alone();
        uint64_t stamp = sim_stall_stamp() + sim_poll_count();
        bool finished = sim_wait_finished(wait);
        if (finished || sim_drive_led() || stamp != seen || !is_due()) {
            seen = stamp;
            sim_model_unlock();
            continue; /* finished: the semaphore was posted */
        }
        sim_drive_take_role(wait);
        drive_while_it_moves(wait);
        finished = sim_wait_finished(wait);
        sim_drive_hand_on();
        if (finished) {
            be_sooner();
            return;
        }
        seen = UINT64_MAX;
    }
    (void)atomic_load_explicit(&wait->state, memory_order_acquire); /* its outcome is written */
}

void sim_serve_end(void)
{
    sim_model_lock_alone();
    atomic_store(&ended, true);
    sim_model_unlock();
}

void sim_serve_begin(void)
{
    atomic_store(&ended, false);
}
