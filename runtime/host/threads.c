/* SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

#include <limits.h>
#include <sched.h>
#include <sys/mman.h>

#include "lock.h"
#include "proof.h"
#include "turn.h"

#define CHUNK_THREADS 256u

/* Records are never unmapped: readers need no lock. */
struct chunk {
    _Atomic(struct chunk *) next;
    struct host_thread threads[CHUNK_THREADS];
};

static struct chunk first_chunk;
static host_lock lock;
static struct host_thread *free_list; /* guarded by lock */
static uint32_t never_used;           /* in the last chunk; guarded by lock */
static struct chunk *last_chunk = &first_chunk;
static uint64_t next_number; /* guarded by lock */
static pthread_key_t end_key;
static bool has_end_key;

static _Atomic uint64_t stamp;
static atomic_uint readers; /* of what waiting threads wait for */

static struct host_thread *get_record_locked(void)
{
    struct host_thread *thread = free_list;
    if (thread) {
        free_list = thread->next_free;
    } else {
        if (never_used == CHUNK_THREADS) {
            void *memory = mmap(NULL, sizeof(struct chunk), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (memory == MAP_FAILED)
                return NULL;
            atomic_store(&last_chunk->next, memory);
            last_chunk = memory;
            never_used = 0;
        }
        thread = &last_chunk->threads[never_used++];
    }
    atomic_store(&thread->number, next_number++);
    atomic_store(&thread->system_id, 0);
    atomic_store(&thread->wait, HOST_WAIT_NONE);
    thread->turn = NULL;
    thread->has_handle = false;
    thread->detached = false;
    thread->being_made = false;
    thread->begin.system_id = 0;
    thread->end.system_id = 0;
    atomic_store(&thread->state, HOST_THREAD_MADE);
    return thread;
}

static void free_record_locked(struct host_thread *thread)
{
    atomic_store(&thread->state, HOST_THREAD_FREE);
    thread->next_free = free_list;
    free_list = thread;
}

/* Of a thread that has ended. */
static void settle_locked(struct host_thread *thread)
{
    if (atomic_load(&thread->state) == HOST_THREAD_ENDED && thread->detached && !thread->being_made)
        free_record_locked(thread);
}

/* Rounds of destructors until a thread has ended: others' still run code of the program. In the
 * last round ThreadSanitizer lets the thread go, after which it must not run code of a runtime that
 * is built with it. */
#define END_ROUNDS (PTHREAD_DESTRUCTOR_ITERATIONS - 1)

/* Destructor of end_key, which sets it anew until the last of these rounds. */
static void end_thread(void *record)
{
    if (++host_self.end_rounds < END_ROUNDS && pthread_setspecific(end_key, record) == 0)
        return;
    struct host_thread *thread = record;
    const twin_host_moment *moment = host_moment();
    host_lock_take(&lock);
    if (moment)
        thread->end = *moment;
    host_self.record = NULL;
    atomic_store(&thread->state, HOST_THREAD_ENDED);
    settle_locked(thread);
    host_lock_drop(&lock);
    host_stamp();
    host_changed();
}

static void begin_thread(struct host_thread *thread)
{
    host_self.record = thread;
    atomic_store(&thread->system_id, (uint32_t)gettid());
    host_lock_take(&lock);
    thread->handle = pthread_self();
    thread->has_handle = true;
    atomic_store(&thread->state, HOST_THREAD_LIVE);
    host_lock_drop(&lock);
    if (has_end_key)
        (void)pthread_setspecific(end_key, thread);
}

void host_threads_start(void)
{
    has_end_key = pthread_key_create(&end_key, end_thread) == 0;
    (void)host_thread_self();
}

void host_threads_forked(void)
{
    atomic_store(&lock.state, 0);
    atomic_store(&readers, 0);
    free_list = NULL;
    for (struct chunk *chunk = &first_chunk; chunk; chunk = atomic_load(&chunk->next))
        for (uint32_t i = 0; i < CHUNK_THREADS; i++)
            if (&chunk->threads[i] != host_self.record && (chunk != last_chunk || i < never_used))
                free_record_locked(&chunk->threads[i]);
    if (host_self.record)
        atomic_store(&host_self.record->system_id, (uint32_t)gettid());
}

struct host_thread *host_thread_self(void)
{
    if (HOST_LIKELY(host_self.record))
        return host_self.record;
    if (host_self.end_rounds >= END_ROUNDS)
        return NULL; /* the thread's last destructors */
    host_lock_take(&lock);
    struct host_thread *thread = get_record_locked();
    if (thread)
        thread->detached = true; /* its end is not waited for */
    host_lock_drop(&lock);
    if (thread)
        begin_thread(thread);
    return thread;
}

struct host_thread *host_thread_make(bool detached, void *(*function)(void *), void *argument)
{
    const twin_host_moment *moment = host_moment_make();
    host_lock_take(&lock);
    struct host_thread *thread = get_record_locked();
    if (thread) {
        thread->detached = detached;
        thread->being_made = true;
        thread->function = function;
        thread->argument = argument;
        if (moment)
            thread->begin = *moment;
    }
    host_lock_drop(&lock);
    return thread;
}

void host_thread_made(struct host_thread *thread, pthread_t handle, int error)
{
    host_lock_take(&lock);
    thread->being_made = false;
    if (error != 0) {
        free_record_locked(thread);
    } else {
        thread->handle = handle;
        thread->has_handle = true;
        settle_locked(thread);
    }
    host_lock_drop(&lock);
}

void *host_thread_run(void *record)
{
    struct host_thread *thread = record;
    if (thread->turn)
        turn_thread_begin(thread->turn);
    begin_thread(thread);
    if (host_moment_make())
        host_follow(&thread->begin);
    return thread->function(thread->argument);
}

static struct host_thread *find_locked(pthread_t handle)
{
    for (struct chunk *chunk = &first_chunk; chunk; chunk = atomic_load(&chunk->next)) {
        uint32_t used = chunk == last_chunk ? never_used : CHUNK_THREADS;
        for (uint32_t i = 0; i < used; i++) {
            struct host_thread *thread = &chunk->threads[i];
            if (atomic_load_explicit(&thread->state, memory_order_relaxed) != HOST_THREAD_FREE &&
                thread->has_handle && pthread_equal(thread->handle, handle))
                return thread;
        }
    }
    return NULL;
}

struct host_thread *host_thread_find(pthread_t handle)
{
    host_lock_take(&lock);
    struct host_thread *thread = find_locked(handle);
    host_lock_drop(&lock);
    return thread;
}

void host_thread_joined(struct host_thread *thread, uint64_t number, twin_host_moment *out_end)
{
    out_end->system_id = 0;
    host_lock_take(&lock);
    if (atomic_load(&thread->number) == number &&
        atomic_load(&thread->state) == HOST_THREAD_ENDED) {
        *out_end = thread->end;
        thread->detached = true;
        settle_locked(thread);
    }
    host_lock_drop(&lock);
}

void host_thread_detached(pthread_t handle)
{
    host_lock_take(&lock);
    struct host_thread *thread = find_locked(handle);
    if (thread) {
        thread->detached = true;
        settle_locked(thread);
    }
    host_lock_drop(&lock);
}

void host_stamp(void)
{
    atomic_fetch_add(&stamp, 1);
}

void host_enter(struct host_scope *scope, const struct host_wait *wait)
{
    struct host_thread *thread = host_thread_self();
    /* In a wait already: this is a handler of a signal, or what a cleanup does. */
    if (!thread || atomic_load_explicit(&thread->wait, memory_order_relaxed) != HOST_WAIT_NONE)
        return;
    thread->waits_in = *wait;
    scope->thread = thread;
    atomic_store(&thread->wait, (int)wait->kind);
    if (wait->kind == HOST_WAIT_OTHER)
        return;
    host_stamp();
    host_changed();
}

void host_leave(struct host_scope *scope)
{
    struct host_thread *thread = scope->thread;
    if (!thread)
        return;
    scope->thread = NULL;
    bool counted = atomic_load_explicit(&thread->wait, memory_order_relaxed) != HOST_WAIT_OTHER;
    /* Total order with the readers' count and their load of `wait`: either a reader sees that this
     * wait is over, or this thread sees the reader and waits until it has read. */
    atomic_store(&thread->wait, HOST_WAIT_NONE);
    while (atomic_load(&readers) != 0)
        (void)host_real.sched_yield();
    if (counted)
        host_stamp();
}

/* Whether the marked wait of `thread` has nothing that ends it. Called by a reader. */
static bool still_blocked(const struct host_thread *thread)
{
    if (!host_has(HOST_SYNC)) /* calls that are not seen may end it */
        return false;
    const struct host_wait *wait = &thread->waits_in;
    uint32_t self = atomic_load(&thread->system_id);
    switch ((enum host_wait_kind)atomic_load(&thread->wait)) {
    case HOST_WAIT_MUTEX:
        return host_mutex_held(wait->object, self);
    case HOST_WAIT_READ:
        return host_rwlock_written(wait->object, self);
    case HOST_WAIT_WRITE:
        return host_rwlock_held(wait->object, self);
    case HOST_WAIT_COND:
        return !atomic_load((const atomic_bool *)wait->proof);
    case HOST_WAIT_SEM:
        return host_sem_empty(wait->proof, wait->object);
    case HOST_WAIT_BARRIER:
        return host_barrier_open(wait->proof, wait->object, wait->number);
    case HOST_WAIT_JOIN: {
        const struct host_thread *joined = wait->proof;
        int state = atomic_load(&joined->state);
        return (state == HOST_THREAD_LIVE || state == HOST_THREAD_MADE) &&
               atomic_load(&joined->number) == wait->number;
    }
    case HOST_WAIT_NONE:
    case HOST_WAIT_OTHER:
        break;
    }
    return false;
}

static uint32_t count_blocked(void)
{
    uint32_t count = 0;
    atomic_fetch_add(&readers, 1);
    for (struct chunk *chunk = &first_chunk; chunk; chunk = atomic_load(&chunk->next))
        for (uint32_t i = 0; i < CHUNK_THREADS; i++)
            if (atomic_load(&chunk->threads[i].state) == HOST_THREAD_LIVE &&
                still_blocked(&chunk->threads[i]))
                count++;
    atomic_fetch_sub(&readers, 1);
    return count;
}

uint32_t host_threads_blocked(uint64_t *out_stamp)
{
    for (int attempt = 0; attempt < 4; attempt++) {
        uint64_t before = atomic_load(&stamp);
        uint32_t count = count_blocked();
        if (atomic_load(&stamp) == before) {
            *out_stamp = before;
            return count;
        }
    }
    *out_stamp = atomic_load(&stamp);
    return 0;
}

static uint32_t holder_of(const struct host_wait *wait, int kind)
{
    switch (kind) {
    case HOST_WAIT_MUTEX:
        return host_mutex_owner(wait->object);
    case HOST_WAIT_READ:
    case HOST_WAIT_WRITE:
        return host_rwlock_owner(wait->object);
    case HOST_WAIT_JOIN:
        return atomic_load(&((const struct host_thread *)wait->proof)->system_id);
    default:
        return 0;
    }
}

void host_threads_list(void (*take)(void *context, const twin_host_thread *thread), void *context)
{
    for (struct chunk *chunk = &first_chunk; chunk; chunk = atomic_load(&chunk->next))
        for (uint32_t i = 0; i < CHUNK_THREADS; i++) {
            struct host_thread *thread = &chunk->threads[i];
            if (atomic_load(&thread->state) != HOST_THREAD_LIVE)
                continue;
            twin_host_thread state = {.system_id = atomic_load(&thread->system_id)};
            atomic_fetch_add(&readers, 1);
            int kind = atomic_load(&thread->wait);
            if (kind != HOST_WAIT_NONE) {
                state.blocked_in = thread->waits_in.name;
                state.object = thread->waits_in.object;
                state.call_site = thread->waits_in.call_site;
                state.waits_for = holder_of(&thread->waits_in, kind);
                state.endless = still_blocked(thread);
            }
            atomic_fetch_sub(&readers, 1);
            take(context, &state);
        }
}
