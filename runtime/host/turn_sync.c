/* SPDX-License-Identifier: Apache-2.0 */
#include "turn_sync.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "turn_state.h"

/* Bits of glibc's mutex kinds: robust ones and those of several processes are left to the
 * system. */
#define KIND_TYPE   3
#define KIND_ROBUST 16
#define KIND_SHARED 128

typedef int (*try_fn)(void *object);

static int try_mutex(void *object)
{
    return host_real.pthread_mutex_trylock(object);
}

static int try_read(void *object)
{
    return host_real.pthread_rwlock_tryrdlock(object);
}

static int try_write(void *object)
{
    return host_real.pthread_rwlock_trywrlock(object);
}

static int try_spin(void *object)
{
    return host_real.pthread_spin_trylock(object);
}

static int try_semaphore(void *object)
{
    int before = errno;
    int result = host_real.sem_trywait(object) == 0 ? 0 : errno == EAGAIN ? EBUSY : errno;
    errno = before;
    return result;
}

/* How a wait goes on; 0: it is tried again. */
static int after(struct turn_thread *self, enum turn_wake woke)
{
    switch (woke) {
    case TURN_TIMED_OUT:
        return ETIMEDOUT;
    case TURN_ORDER_OVER:
        return TURN_REAL;
    case TURN_INTERRUPTED:
        return EINTR;
    case TURN_CANCELLED:
        turn_unlock(self);
        pthread_testcancel();
        turn_lock(self);
        return 0;
    default:
        return 0;
    }
}

/* What a wait is: it may be cancelled, and a handler of a signal may end it. */
struct wait {
    const char *function;
    bool cancels;
    bool interrupts;
    const pthread_mutex_t *relock;
};

static int wait_for(struct turn_thread *self, try_fn try, void *object, uint64_t timeout_ns,
                    const struct wait *wait)
{
    const struct turn_limit limit = turn_limit_after(self, timeout_ns);
    int result = 0;
    self->parked = self->parked || (timeout_ns != TWIN_FOREVER && host_inside());
    turn_lock(self);
    while (result == 0) {
        result = turn_on() ? try(object) : TURN_REAL;
        if (result != EBUSY)
            break;
        self->cancels = wait->cancels;
        self->wakes_by_signal = wait->interrupts;
        self->relock = wait->relock;
        result = after(self, turn_block_locked(self, object, wait->function, &limit));
    }
    turn_unlock(self);
    return result;
}

/* Of a mutex that is held for a moment by a thread outside the order, as the runtime's own are. */
static bool is_held_outside(struct turn_thread *self, const pthread_mutex_t *mutex)
{
    const uint32_t owner = (uint32_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);
    bool in_order = owner == 0;
    turn_lock(self);
    for (const struct turn_thread *thread = turn_order.first; thread && !in_order;
         thread = thread->next)
        in_order = thread->system_id == owner;
    turn_unlock(self);
    return !in_order;
}

int turn_mutex_wait(struct turn_thread *self, pthread_mutex_t *mutex, uint64_t timeout_ns)
{
    static const struct wait wait = {.function = "pthread_mutex_lock"};
    bool checks = (mutex->__data.__kind & KIND_TYPE) == PTHREAD_MUTEX_ERRORCHECK_NP;
    if ((mutex->__data.__kind & (KIND_ROBUST | KIND_SHARED)) != 0 ||
        (checks && (uint32_t)mutex->__data.__owner == self->system_id) ||
        (host_inside() && is_held_outside(self, mutex)))
        return TURN_REAL;
    return wait_for(self, try_mutex, mutex, timeout_ns, &wait);
}

int turn_rwlock_wait(struct turn_thread *self, pthread_rwlock_t *lock, bool writes,
                     uint64_t timeout_ns)
{
    static const struct wait wait = {.function = "pthread_rwlock_lock"};
    if (lock->__data.__shared != 0 || (uint32_t)lock->__data.__cur_writer == self->system_id)
        return TURN_REAL; /* the thread's own: EDEADLK */
    return wait_for(self, writes ? try_write : try_read, lock, timeout_ns, &wait);
}

int turn_spin_wait(struct turn_thread *self, pthread_spinlock_t *lock)
{
    static const struct wait wait = {.function = "pthread_spin_lock"};
    return wait_for(self, try_spin, (void *)(uintptr_t)lock, TWIN_FOREVER, &wait);
}

/* glibc's: a 64-bit word, then whether several processes share it. */
static bool is_shared(const sem_t *semaphore)
{
    return ((const int *)(const void *)semaphore)[2] != 0;
}

int turn_sem_wait(struct turn_thread *self, sem_t *semaphore, uint64_t timeout_ns)
{
    static const struct wait wait = {.function = "sem_wait", .cancels = true, .interrupts = true};
    if (is_shared(semaphore))
        return TURN_REAL;
    return wait_for(self, try_semaphore, semaphore, timeout_ns, &wait);
}

int turn_cond_wait(struct turn_thread *self, sem_t *semaphore, const pthread_mutex_t *mutex,
                   uint64_t timeout_ns)
{
    const struct wait wait = {.function = "pthread_cond_wait", .cancels = true, .relock = mutex};
    if (!host_inside())
        turn_charge(self);
    return wait_for(self, try_semaphore, semaphore, timeout_ns, &wait);
}

void turn_release(const volatile void *object, unsigned most)
{
    struct turn_thread *self = turn_mine();
    if (!self) {
        turn_poke((const void *)(uintptr_t)object);
        return;
    }
    if (!host_inside())
        turn_charge(self);
    turn_lock(self);
    (void)turn_wake_locked(self, (const void *)(uintptr_t)object, most);
    turn_unlock(self);
}

int turn_barrier_wait(struct turn_thread *self, const _Atomic int64_t *arrived, uint64_t full)
{
    const struct turn_limit none = {TWIN_FOREVER, TWIN_FOREVER};
    bool last = (uint64_t)atomic_load(arrived) >= full;
    bool over = false;
    turn_charge(self);
    turn_lock(self);
    if (last)
        (void)turn_wake_locked(self, arrived, UINT_MAX);
    while ((uint64_t)atomic_load(arrived) < full && !over)
        over = turn_block_locked(self, arrived, "pthread_barrier_wait", &none) == TURN_ORDER_OVER;
    /* Then all of the round that are here meet the others at the real barrier, which has not seen
     * any of them. */
    over = over && (uint64_t)atomic_load(arrived) < full;
    turn_unlock(self);
    return over ? TURN_REAL : last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* ---- futexes --------------------------------------------------------------------------------- */

static int futex_wait(struct turn_thread *self, const atomic_uint *word, unsigned value,
                      uint64_t timeout_ns)
{
    if (!host_inside())
        turn_point(self);
    const struct turn_limit limit = turn_limit_after(self, timeout_ns);
    int result = TURN_REAL;
    turn_lock(self);
    if (atomic_load(word) != value) {
        result = -EAGAIN;
    } else if (turn_on()) {
        self->wakes_by_signal = true;
        int error = after(self, turn_block_locked(self, word, "futex", &limit));
        result = error == TURN_REAL ? 0 : -error; /* waking for no reason is allowed */
    }
    turn_unlock(self);
    return result;
}

static int futex_wake(struct turn_thread *self, const atomic_uint *word, unsigned most)
{
    turn_charge(self);
    turn_lock(self);
    unsigned woken = turn_wake_locked(self, word, most);
    turn_unlock(self);
    long others = woken < most ? host_real.syscall(SYS_futex, word, FUTEX_WAKE, most - woken) : 0;
    return (int)(woken + (others > 0 ? (unsigned)others : 0));
}

int turn_futex(struct turn_thread *self, const atomic_uint *word, int operation, unsigned value,
               const struct timespec *limit)
{
    clockid_t clock = (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
        return futex_wait(self, word, value, limit ? host_timespec_ns(limit) : TWIN_FOREVER);
    case FUTEX_WAIT_BITSET:
        return futex_wait(self, word, value,
                          limit ? host_deadline_of(clock, limit).ns : TWIN_FOREVER);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        return futex_wake(self, word, value);
    default:
        return TURN_REAL;
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

/* The thread has done all that the program asked of it. NULL: it is not in the order. */
static int join_ended(struct turn_thread *self, struct turn_thread *thread, pthread_t id,
                      void **out_result)
{
    int result = host_real.pthread_join(id, out_result);
    turn_lock(self);
    if (result == 0 && thread)
        turn_thread_drop_locked(thread);
    turn_unlock(self);
    return result;
}

int turn_join(struct turn_thread *self, pthread_t id, void **out_result, uint64_t timeout_ns)
{
    if (!host_inside())
        turn_point(self);
    const struct turn_limit limit = turn_limit_after(self, timeout_ns);
    int result = 0;
    turn_lock(self);
    struct turn_thread *thread = turn_thread_find_locked(id);
    while (thread && thread != self && thread->state != TURN_OVER && result == 0) {
        self->cancels = true;
        result = after(self, turn_block_locked(self, thread, "pthread_join", &limit));
        thread = turn_thread_find_locked(id);
    }
    turn_unlock(self);
    return result != 0 ? result : join_ended(self, thread, id, out_result);
}

int turn_tryjoin(struct turn_thread *self, pthread_t id, void **out_result)
{
    if (!host_inside())
        turn_point(self);
    turn_lock(self);
    struct turn_thread *thread = turn_thread_find_locked(id);
    bool runs = thread && thread->state != TURN_OVER;
    turn_unlock(self);
    return runs ? EBUSY : join_ended(self, thread, id, out_result);
}

/* ---- once ------------------------------------------------------------------------------------ */

#define ONCE_DONE 2 /* glibc's */

/* A routine that runs; on the stack of its thread. */
struct once {
    struct once *next;
    const pthread_once_t *control;
};
static struct once *running; /* guarded by the lock of the order */

static struct once *find_once(const pthread_once_t *control)
{
    struct once *once = running;
    while (once && once->control != control)
        once = once->next;
    return once;
}

static void once_ends(struct once *once)
{
    struct turn_thread *self = turn_own;
    turn_lock(self);
    struct once **link = &running;
    while (*link != once)
        link = &(*link)->next;
    *link = once->next;
    (void)turn_wake_locked(self, once->control, UINT_MAX);
    turn_unlock(self);
}

int turn_once(struct turn_thread *self, pthread_once_t *control, void (*routine)(void))
{
    if (__atomic_load_n(control, __ATOMIC_ACQUIRE) == ONCE_DONE)
        return 0;
    const struct turn_limit none = {TWIN_FOREVER, TWIN_FOREVER};
    if (!host_inside())
        turn_point(self);
    turn_lock(self);
    while (turn_on() && find_once(control))
        (void)turn_block_locked(self, control, "pthread_once", &none);
    __attribute__((cleanup(once_ends))) struct once once = {.next = running, .control = control};
    running = &once;
    turn_unlock(self);
    return host_real.pthread_once(control, routine);
}
