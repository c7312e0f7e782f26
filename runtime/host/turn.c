/* SPDX-License-Identifier: Apache-2.0 */
#include "turn.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "real.h"
#include "turn_state.h"

#define ALL_BITS   0xffffffffu
#define LOOK_NS    250000000ull
#define NEVER      UINT64_MAX
#define JITTER_MIX 0x9e3779b97f4a7c15u

enum { OFF, ON, ENDED };

atomic_int turn_phase;
atomic_uint turn_blocked;
struct turn_order turn_order;
_Thread_local struct turn_thread *turn_own __attribute__((tls_model("initial-exec")));

_Thread_local bool turn_outside __attribute__((tls_model("initial-exec")));

static atomic_uint order_lock; /* 0 free, 1 held, 2 held and wanted */
static atomic_bool
    poked; /* a handler could not take the lock: threads blocked on semaphores look again */
/* The holder goes on without the lock while its clock is below this. Written with the lock held,
 * read by the holder. */
static _Atomic uint64_t horizon_ns;

uint64_t turn_sum(uint64_t a, uint64_t b)
{
    return a + b < a ? NEVER : a + b;
}

uint64_t turn_real_now(void)
{
    struct timespec now;
    host_real.syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int turn_futex_wait(atomic_uint *word, unsigned value, uint64_t until_ns)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000u),
                                   .tv_nsec = (long)(until_ns % 1000000000u)};
    int before = errno;
    int result = host_real.syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value,
                                   until_ns == NEVER ? NULL : &until, NULL, ALL_BITS) == 0
                     ? 0
                     : errno;
    errno = before;
    return result;
}

void turn_futex_wake(atomic_uint *word)
{
    int before = errno;
    host_real.syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = before;
}

void turn_rouse(struct turn_thread *thread)
{
    atomic_fetch_add_explicit(&thread->word, 1, memory_order_release);
    turn_futex_wake(&thread->word);
}

static void lock_order(void)
{
    unsigned seen = 0;
    if (atomic_compare_exchange_strong_explicit(&order_lock, &seen, 1, memory_order_acquire,
                                                memory_order_relaxed))
        return;
    while (atomic_exchange_explicit(&order_lock, 2, memory_order_acquire) != 0)
        (void)turn_futex_wait(&order_lock, 2, NEVER);
}

static void unlock_order(void)
{
    if (atomic_exchange_explicit(&order_lock, 0, memory_order_release) == 2)
        turn_futex_wake(&order_lock);
}

void turn_lock(struct turn_thread *self)
{
    if (self)
        self->inside++; /* a handler that runs from here on does not take it */
    atomic_signal_fence(memory_order_seq_cst);
    lock_order();
}

static void wake_after_poke(void)
{
    for (struct turn_thread *thread = turn_order.first; thread; thread = thread->next)
        if ((thread->state == TURN_BLOCKED || thread->state == TURN_TIMED) && thread->object &&
            thread->wakes_by_signal) {
            thread->woke = TURN_WOKEN;
            thread->state = TURN_READY;
        }
    atomic_store_explicit(&horizon_ns, 0, memory_order_relaxed);
    if (!turn_order.holder)
        turn_dispatch_locked(NULL);
}

void turn_unlock(struct turn_thread *self)
{
    for (;;) {
        if (__builtin_expect(atomic_exchange_explicit(&poked, false, memory_order_relaxed), 0))
            wake_after_poke();
        unlock_order();
        atomic_signal_fence(memory_order_seq_cst);
        if (self)
            self->inside--;
        if (__builtin_expect(!atomic_load_explicit(&poked, memory_order_relaxed), 1))
            return;
        turn_lock(self);
    }
}

/* ---- who is first ---------------------------------------------------------------------------- */

static bool before(uint64_t clock_a, const struct turn_thread *a, uint64_t clock_b,
                   const struct turn_thread *b)
{
    if (clock_a != clock_b)
        return clock_a < clock_b;
    return a->tie != b->tie ? a->tie < b->tie : a->number < b->number;
}

struct choice {
    struct turn_thread *next; /* runs or times out */
    uint64_t next_ns;
    struct turn_thread *second;
    uint64_t second_ns;
    struct turn_thread *driver;
    bool any_ready;
};

static uint64_t key_of(const struct turn_thread *thread)
{
    return thread->state == TURN_TIMED ? thread->until_ns : thread->clock_ns;
}

static void consider_driver(struct choice *choice, const struct turn_thread *self,
                            struct turn_thread *thread)
{
    if (thread->serves && turn_order.device_stuck)
        return;
    if (!choice->driver || (choice->driver->serves && !thread->serves) ||
        (choice->driver->serves == thread->serves && thread == self))
        choice->driver = thread;
}

static struct choice choose(const struct turn_thread *self)
{
    struct choice choice = {.next_ns = NEVER, .second_ns = NEVER};
    for (struct turn_thread *thread = turn_order.first; thread; thread = thread->next) {
        if (thread->state == TURN_WAITS)
            consider_driver(&choice, self, thread);
        if (thread->state != TURN_READY && thread->state != TURN_TIMED)
            continue;
        choice.any_ready = choice.any_ready || thread->state == TURN_READY;
        uint64_t key = key_of(thread);
        if (!choice.next || before(key, thread, choice.next_ns, choice.next)) {
            choice.second = choice.next;
            choice.second_ns = choice.next_ns;
            choice.next = thread;
            choice.next_ns = key;
        } else if (!choice.second || before(key, thread, choice.second_ns, choice.second)) {
            choice.second = thread;
            choice.second_ns = key;
        }
    }
    return choice;
}

static void run(struct turn_thread *thread, const struct turn_thread *self)
{
    turn_order.holder = thread;
    turn_order.due = NULL;
    thread->state = TURN_RUNS;
    if (thread != self)
        turn_rouse(thread);
}

/* Up to this clock threads go on before the device moves for those who wait for it. */
static uint64_t device_limit(const struct choice *choice)
{
    bool runs = choice->next && choice->next->state != TURN_TIMED;
    if (!choice->driver || (runs && choice->driver->serves))
        return NEVER;
    return runs ? turn_sum(turn_order.reached_ns, TURN_LEAD_NS) : turn_order.reached_ns;
}

static void let_run(struct turn_thread *thread, const struct choice *choice,
                    const struct turn_thread *self)
{
    thread->state = TURN_READY;
    uint64_t horizon = device_limit(choice);
    if (choice->second) {
        uint64_t own = before(choice->second_ns, thread, choice->second_ns, choice->second)
                           ? turn_sum(choice->second_ns, 1)
                           : choice->second_ns;
        horizon = own < horizon ? own : horizon;
    }
    atomic_store_explicit(&horizon_ns, horizon, memory_order_relaxed);
    turn_order.device_stuck = false;
    run(thread, self);
}

static void time_out(struct turn_thread *thread, const struct choice *choice,
                     const struct turn_thread *self)
{
    thread->woke = TURN_TIMED_OUT;
    if (thread->clock_ns < thread->until_ns)
        thread->clock_ns = thread->until_ns;
    thread->object = NULL;
    let_run(thread, choice, self);
}

void turn_dispatch_locked(struct turn_thread *self)
{
    const struct choice choice = choose(self);
    turn_order.holder = NULL;
    turn_order.due = NULL;
    if (choice.driver && choice.next_ns > device_limit(&choice)) {
        choice.driver->until_ns = choice.next_ns;
        choice.driver->drives = true;
        choice.driver->ready_follows = choice.any_ready;
        run(choice.driver, self);
        return;
    }
    if (!choice.next)
        return; /* all threads are blocked: only a handler of a signal goes on */
    if (choice.next->state == TURN_READY) {
        let_run(choice.next, &choice, self);
    } else if (turn_real_now() < choice.next->real_until_ns) {
        turn_order.due = choice.next;
        if (choice.next != self)
            turn_rouse(choice.next); /* it sleeps with another limit */
    } else {
        time_out(choice.next, &choice, self);
    }
}

/* Its real time has come, and no thread has taken the turn. */
static void take_due(struct turn_thread *self)
{
    const struct choice choice = choose(self);
    if (turn_order.holder || turn_order.due != self || choice.next != self)
        return;
    time_out(self, &choice, self);
}

static void was_interrupted(struct turn_thread *self)
{
    self->woke = TURN_INTERRUPTED;
    self->state = TURN_READY;
    if (!turn_order.holder)
        turn_dispatch_locked(self);
    else
        atomic_store_explicit(&horizon_ns, 0, memory_order_relaxed);
}

void turn_await_locked(struct turn_thread *self)
{
    while (self->state != TURN_RUNS && atomic_load(&turn_phase) == ON) {
        if (!turn_order.watcher)
            turn_order.watcher = self;
        bool due = turn_order.due == self;
        bool watches = turn_order.watcher == self;
        uint64_t until = due ? self->real_until_ns : watches ? turn_real_now() + LOOK_NS : NEVER;
        unsigned seen = atomic_load_explicit(&self->word, memory_order_relaxed);
        turn_unlock(self);
        int result = turn_futex_wait(&self->word, seen, until);
        turn_lock(self);
        if (self->state == TURN_RUNS || atomic_load(&turn_phase) != ON)
            break;
        if (result == EINTR && self->wakes_by_signal &&
            (self->state == TURN_BLOCKED || self->state == TURN_TIMED))
            was_interrupted(self);
        else if (result == ETIMEDOUT && due)
            take_due(self);
        else if (result == ETIMEDOUT && turn_order.watcher == self)
            turn_watch_locked();
    }
    self->state = TURN_RUNS;
    if (turn_order.watcher == self)
        turn_watch_pass_locked(self); /* it has taken the turn by itself */
}

void turn_give_locked(struct turn_thread *self)
{
    turn_dispatch_locked(self);
    if (turn_order.holder != self)
        turn_order.watcher = self;
    turn_await_locked(self);
    self->point++;
}

/* ---- scheduling points ----------------------------------------------------------------------- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t word = (a + JITTER_MIX) * (b * 2 + JITTER_MIX);
    word ^= word >> 29;
    word *= 0xbf58476d1ce4e5b9u;
    return word ^ word >> 32;
}

void turn_charge(struct turn_thread *self)
{
    turn_refresh_clock(self);
    self->clock_ns += TURN_COST_NS;
    if (turn_order.seed != 0)
        self->clock_ns += mix(turn_order.seed + self->number, ++self->operations) % TURN_COST_NS;
}

void turn_check(struct turn_thread *self, uint64_t ahead_ns)
{
    self->point++;
    uint64_t horizon = atomic_load_explicit(&horizon_ns, memory_order_relaxed);
    if (__builtin_expect(self->clock_ns < turn_sum(horizon, ahead_ns), 1))
        return;
    turn_lock(self);
    if (atomic_load(&turn_phase) == ON && self->state == TURN_RUNS) {
        self->state = TURN_READY;
        turn_give_locked(self);
    }
    turn_unlock(self);
}

void turn_point(struct turn_thread *self)
{
    turn_charge(self);
    turn_check(self, 0);
}

static void foreign_thread(void)
{
    turn_end("a thread takes part that was not created by pthread_create");
}

struct turn_thread *turn_mine(void)
{
    if (!turn_on())
        return NULL;
    struct turn_thread *self = turn_own;
    if (__builtin_expect(!self, 0)) {
        if (!turn_outside)
            foreign_thread();
        return NULL;
    }
    return self->state == TURN_RUNS && self->inside == 0 ? self : NULL;
}

/* ---- blocking -------------------------------------------------------------------------------- */

struct turn_limit turn_limit_after(struct turn_thread *self, uint64_t ns)
{
    if (ns == NEVER)
        return (struct turn_limit){NEVER, NEVER};
    turn_refresh_clock(self);
    return (struct turn_limit){turn_sum(self->clock_ns, ns), turn_sum(turn_real_now(), ns)};
}

enum turn_wake turn_block_locked(struct turn_thread *self, const void *object, const char *function,
                                 const struct turn_limit *limit)
{
    if (atomic_load(&turn_phase) != ON)
        return TURN_ORDER_OVER;
    turn_refresh_clock(self);
    self->object = object;
    self->blocked_in = function;
    self->woke = TURN_ORDER_OVER;
    self->until_ns = limit->clock_ns;
    self->real_until_ns = limit->real_ns;
    self->state = limit->clock_ns == NEVER ? TURN_BLOCKED : TURN_TIMED;
    atomic_fetch_add(&turn_blocked, 1);
    turn_give_locked(self);
    atomic_fetch_sub(&turn_blocked, 1);
    enum turn_wake woke = atomic_load(&turn_phase) == ON ? self->woke : TURN_ORDER_OVER;
    self->object = self->relock = NULL;
    self->blocked_in = NULL;
    self->wakes_by_signal = self->cancels = false;
    return woke;
}

/* A clock below that of the thread that runs: it looks again. */
static void lower_horizon(uint64_t clock_ns)
{
    if (clock_ns < atomic_load_explicit(&horizon_ns, memory_order_relaxed))
        atomic_store_explicit(&horizon_ns, clock_ns, memory_order_relaxed);
}

void turn_ready_locked(struct turn_thread *thread, uint64_t at_ns, enum turn_wake how)
{
    thread->woke = how;
    thread->object = NULL;
    if (thread->clock_ns < at_ns)
        thread->clock_ns = at_ns;
    thread->state = TURN_READY;
    lower_horizon(thread->clock_ns);
}

static struct turn_thread *first_blocked_on(const void *object)
{
    struct turn_thread *first = NULL;
    for (struct turn_thread *thread = turn_order.first; thread; thread = thread->next)
        if ((thread->state == TURN_BLOCKED || thread->state == TURN_TIMED) &&
            thread->object == object &&
            (!first || before(thread->clock_ns, thread, first->clock_ns, first)))
            first = thread;
    return first;
}

/* Held: the thread that wakes would meet it so, and is woken when it is released. */
static bool is_held(const pthread_mutex_t *mutex)
{
    return mutex && __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) != 0;
}

unsigned turn_wake_locked(struct turn_thread *self, const void *object, unsigned most)
{
    unsigned woken = 0;
    while (woken < most) {
        struct turn_thread *thread = first_blocked_on(object);
        if (!thread)
            break;
        woken++;
        uint64_t at_ns = self ? self->clock_ns : 0;
        if (is_held(thread->relock)) {
            thread->woke = TURN_WOKEN;
            thread->clock_ns = thread->clock_ns < at_ns ? at_ns : thread->clock_ns;
            thread->object = thread->relock;
            thread->state = TURN_BLOCKED;
        } else {
            turn_ready_locked(thread, at_ns, TURN_WOKEN);
        }
    }
    return woken;
}

void turn_poke(const void *object)
{
    struct turn_thread *self = turn_own;
    if (!turn_on())
        return;
    if (self && self->inside != 0) {
        atomic_store(&poked, true);
        return;
    }
    turn_lock(self);
    if (turn_wake_locked(NULL, object, UINT32_MAX) != 0 && !turn_order.holder)
        turn_dispatch_locked(NULL);
    turn_unlock(self);
}

int turn_sleep(struct turn_thread *self, uint64_t ns, uint64_t *out_left_ns)
{
    turn_charge(self);
    turn_lock(self);
    const struct turn_limit limit = turn_limit_after(self, ns);
    self->cancels = self->wakes_by_signal = true;
    enum turn_wake woke = turn_block_locked(self, NULL, "nanosleep", &limit);
    turn_unlock(self);
    uint64_t now = turn_real_now();
    *out_left_ns = woke != TURN_TIMED_OUT && limit.real_ns > now ? limit.real_ns - now : 0;
    return woke == TURN_TIMED_OUT ? 0 : woke == TURN_ORDER_OVER ? EAGAIN : EINTR;
}

void turn_cancel(struct turn_thread *self, pthread_t id)
{
    turn_lock(self);
    struct turn_thread *thread = turn_thread_find_locked(id);
    if (thread && thread->cancels && (thread->state == TURN_BLOCKED || thread->state == TURN_TIMED))
        turn_ready_locked(thread, self->clock_ns, TURN_CANCELLED);
    turn_unlock(self);
}

/* ---- the end of the order -------------------------------------------------------------------- */

void turn_end_locked(const char *reason)
{
    if (atomic_load(&turn_phase) != ON)
        return;
    atomic_store(&turn_phase, ENDED);
    for (struct turn_thread *thread = turn_order.first; thread; thread = thread->next)
        turn_rouse(thread);
    if (!reason)
        return;
    /* Without memory of an allocator: a thread may be here before its sanitizer knows it. */
    char text[512];
    int length = snprintf(text, sizeof(text),
                          "twinrt: TWINRT_DETERMINISTIC: %s; from here on the order of threads is "
                          "the operating system's, and times may differ from run to run\n",
                          reason);
    if (length > 0 && write(STDERR_FILENO, text, strnlen(text, sizeof(text))) < 0)
        return; /* it is not read */
}

void turn_end(const char *reason)
{
    struct turn_thread *self = turn_own;
    if (self &&
        self->inside !=
            0) { /* in the handler of a signal that interrupted the order: the lock is its own */
        turn_end_locked(reason);
        return;
    }
    turn_lock(self);
    turn_end_locked(reason);
    turn_unlock(self);
}

void turn_begin(uint64_t seed)
{
    turn_order.seed = seed;
    atomic_store(&horizon_ns, NEVER);
    struct turn_thread *self = turn_thread_adopt(NULL);
    if (!self)
        return;
    self->system_id = (uint32_t)gettid();
    self->id = pthread_self();
    self->state = TURN_RUNS;
    self->detached = true;
    turn_order.holder = self;
    turn_own = self;
    atomic_store(&turn_phase, ON);
}

uint64_t turn_tie(uint64_t number)
{
    return turn_order.seed == 0 ? 0 : mix(turn_order.seed, number);
}

void turn_look_again_locked(void)
{
    atomic_store_explicit(&horizon_ns, 0, memory_order_relaxed);
}

void turn_alone_locked(struct turn_thread *self)
{
    turn_order.holder = self;
    turn_order.due = turn_order.watcher = NULL;
    atomic_store_explicit(&horizon_ns, NEVER, memory_order_relaxed);
}
