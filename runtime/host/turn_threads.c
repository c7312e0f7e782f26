/* SPDX-License-Identifier: Apache-2.0 */
/* Beginning and end of the threads in the order. */
#include <limits.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "real.h"
#include "turn_state.h"

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t end_key;
static _Thread_local unsigned end_rounds __attribute__((tls_model("initial-exec")));

/* The end of a thread comes after those of all else that it has: keys whose functions set a value
 * again are asked once more. */
static void thread_ends(void *value)
{
    if (++end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(end_key, value);
        return;
    }
    struct turn_thread *self = value;
    turn_lock(self);
    self->state = TURN_OVER;
    turn_order.live--;
    (void)turn_wake_locked(self, self, UINT32_MAX);
    if (atomic_load(&turn_phase) == 1) {
        turn_dispatch_locked(NULL);
        turn_watch_pass_locked(self);
    }
    turn_own = NULL;
    turn_unlock(self);
}

static void make_key(void)
{
    (void)pthread_key_create(&end_key, thread_ends);
}

/* A record stays until its thread is gone for the system too, which counts it as long. */
static void purge_locked(void)
{
    for (struct turn_thread *thread = turn_order.first; thread;) {
        struct turn_thread *next = thread->next;
        if (thread->state == TURN_OVER && thread->detached && thread->inside == 0 &&
            host_real.syscall(SYS_tgkill, getpid(), thread->system_id, 0) != 0)
            turn_thread_drop_locked(thread);
        thread = next;
    }
}

struct turn_thread *turn_thread_adopt(struct turn_thread *creator)
{
    pthread_once(&key_once, make_key);
    struct turn_thread *thread = calloc(1, sizeof(*thread));
    if (!thread) {
        turn_end("out of memory for another thread's place in the order");
        return NULL;
    }
    turn_lock(creator);
    purge_locked();
    thread->number = turn_order.created++;
    thread->tie = turn_tie(thread->number);
    thread->clock_ns = creator ? creator->clock_ns : 0;
    thread->state = TURN_BLOCKED; /* until it has been created */
    thread->until_ns = UINT64_MAX;
    thread->next = turn_order.first;
    thread->link = &turn_order.first;
    if (thread->next)
        thread->next->link = &thread->next;
    turn_order.first = thread;
    turn_order.live++;
    turn_unlock(creator);
    if (!creator)
        (void)pthread_setspecific(end_key, thread);
    return thread;
}

void turn_thread_created(struct turn_thread *creator, struct turn_thread *thread, pthread_t id,
                         bool detached, int error)
{
    turn_charge(creator);
    turn_lock(creator);
    if (error != 0) {
        turn_order.live--;
        turn_thread_drop_locked(thread);
    } else {
        thread->id = id;
        thread->detached = detached;
        turn_ready_locked(thread, creator->clock_ns, TURN_WOKEN);
    }
    turn_unlock(creator);
}

void turn_thread_detached(struct turn_thread *self, pthread_t id)
{
    turn_lock(self);
    struct turn_thread *thread = turn_thread_find_locked(id);
    if (thread)
        thread->detached = true;
    turn_unlock(self);
}

void turn_thread_begin(struct turn_thread *thread)
{
    turn_own = thread;
    (void)pthread_setspecific(end_key, thread);
    turn_lock(thread);
    thread->system_id = (uint32_t)gettid();
    turn_await_locked(thread);
    turn_unlock(thread);
}

struct turn_thread *turn_thread_find_locked(pthread_t id)
{
    for (struct turn_thread *thread = turn_order.first; thread; thread = thread->next)
        if (!thread->detached && pthread_equal(thread->id, id))
            return thread;
    return NULL;
}

void turn_thread_drop_locked(struct turn_thread *thread)
{
    *thread->link = thread->next;
    if (thread->next)
        thread->next->link = thread->link;
    free(thread);
}

void turn_fork_begin(void)
{
    if (turn_on())
        turn_lock(turn_own);
}

void turn_fork_end(void)
{
    if (turn_on())
        turn_unlock(turn_own);
}

void turn_forked(void)
{
    struct turn_thread *self = turn_own;
    if (!turn_on())
        return;
    for (struct turn_thread *thread = turn_order.first; thread;) {
        struct turn_thread *next = thread->next;
        if (thread != self)
            turn_thread_drop_locked(thread);
        thread = next;
    }
    turn_order.live = 1;
    if (self)
        self->system_id = (uint32_t)gettid();
    turn_unbind();
    turn_alone_locked(self);
    turn_unlock(self);
}
