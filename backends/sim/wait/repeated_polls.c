/* SPDX-License-Identifier: Apache-2.0 */
#include "wait/repeated_polls.h"

#include <stdlib.h>

#include "process/nondeterminism.h"
#include "wait/clock.h"
#include "wait/idle.h"
#include "wait/leader.h"
#include "wait/model_lock.h"
#include "wait/hooks.h"
#include "wait/process_threads.h"
#include "wait/wait.h"

/* Queries that are counted at once for a thread. */
#define QUESTIONS 64u
/* Others get the model lock after so many steps. */
#define STEPS_LOCKED 256u

struct sim_asked {
    uint64_t work; /* sim_clock.work when it was emptied */
    unsigned used;
    unsigned next; /* the oldest, when all are used */
    struct {
        const void *object;
        uint64_t question;
        unsigned answers;
    } questions[QUESTIONS];
};

/* Counts a result; true: there were enough before. */
static bool was_asked_often(const void *object, uint64_t question)
{
    struct sim_asked *asked = sim_clock.asked;
    if (!asked) {
        asked = sim_clock.asked = calloc(1, sizeof(*asked));
        if (!asked)
            return false;
    }
    if (asked->work != sim_clock.work) {
        asked->work = sim_clock.work;
        asked->used = asked->next = 0;
    }
    unsigned place = 0;
    while (place < asked->used && asked->questions[place].object != object)
        place++;
    if (place == asked->used || asked->questions[place].question != question) {
        if (place == QUESTIONS) {
            place = asked->next;
            asked->next = (place + 1) % QUESTIONS;
        } else if (place == asked->used) {
            asked->used++;
        }
        asked->questions[place].object = object;
        asked->questions[place].question = question;
        asked->questions[place].answers = 0;
    }
    if (asked->questions[place].answers >= SIM_POLLS_EQUAL)
        return true;
    asked->questions[place].answers++;
    return false;
}

/* Only the caller can act before a time limit passes. */
static bool is_alone(void)
{
    bool silent;
    return !sim_drive_conducted() && sim_shared_outlook() == SIM_OUTLOOK_NONE &&
           sim_process_blocked(sim_waits.count + 1, &silent);
}

enum advance { GOES_ON, CHANGED, ENDS };

/* A host function that runs may be answered before the next event, and the result must not depend
 * on when its thread answers: the caller waits until the model has reached the hold. The model lock
 * is held, and released meanwhile. */
static void pass_hold(uint64_t hold)
{
    struct sim_wait wait = {.kind = SIM_WAIT_TIME, .wake = SIM_WAKE_POLL};
    wait.timeout_ns = hold > sim_clock.now_ns ? hold - sim_clock.now_ns : 0;
    sim_model_unlock();
    (void)sim_drive_wait(&wait);
    sim_model_lock_alone();
}

/* To the next event of the model. The model lock is held. */
static enum advance step(uint64_t before)
{
    const uint64_t next = twinsim_next(sim_process.sim);
    const uint64_t deadline = sim_next_deadline();
    const uint64_t hold = sim_call_queue_time_hold_locked();
    if (hold != TWIN_FOREVER && hold <= next && hold < deadline) {
        pass_hold(hold);
        return sim_tasks_stamp() != before ? CHANGED : GOES_ON;
    }
    if (next == TWINSIM_NEVER)
        return ENDS;
    bool any;
    if (next >= deadline) {
        if (!is_alone())
            return ENDS;
        (void)sim_drive_step(deadline, false, &any);
        sim_expire_waits(deadline);
        return CHANGED;
    }
    const uint64_t now = twinsim_now(sim_process.sim);
    const uint64_t events = twinsim_events_now(sim_process.sim);
    (void)sim_drive_step(next, true, &any);
    if (sim_tasks_stamp() != before)
        return CHANGED;
    if (any || twinsim_now(sim_process.sim) != now || twinsim_events_now(sim_process.sim) != events)
        return GOES_ON;
    if (!is_alone()) /* the time limit of a parked wait */
        return ENDS;
    (void)sim_drive_step(next, false, &any);
    return sim_tasks_stamp() != before ? CHANGED : GOES_ON;
}

/* Moves the model and the caller's clock to the next task that begins or ends. */
static void advance(void)
{
    sim_model_lock_alone();
    const uint64_t before = sim_tasks_stamp();
    enum advance outcome = GOES_ON;
    for (unsigned steps = 1; outcome == GOES_ON; steps++) {
        outcome = step(before);
        if (outcome == GOES_ON && steps % STEPS_LOCKED == 0) {
            sim_model_unlock();
            sim_model_lock_alone();
        }
    }
    if (outcome == CHANGED)
        sim_clock_raise(twinsim_now(sim_process.sim));
    sim_model_unlock();
}

bool sim_poll_repeated(const void *object, const struct sim_queue_point *point, bool done)
{
    const uint64_t sq = point->queue ? sim_work_sq(point->queue) + 1u : 0;
    const uint64_t question = (point->number << 1 | done) ^ sq << 48;
    if (!was_asked_often(object, question))
        return false;
    if (!sim_replaying())
        advance();
    uint64_t now = sim_clock.now_ns;
    if (sim_nd(TWIN_ND_LOOKED, 0, &now))
        sim_clock_raise(now);
    else if (sim_replaying())
        return false; /* recorded by a runtime that does not advance clocks here */
    return true;
}
