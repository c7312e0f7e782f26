/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes with ranks. A thread takes locks in strictly rising rank; builds with assertions check
 * it. */
#ifndef TWINRT_CORE_BASE_LOCK_H
#define TWINRT_CORE_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>

#if defined(TWIN_DEBUG) || !defined(NDEBUG)
#define TWIN_LOCK_CHECKS 1
#else
#define TWIN_LOCK_CHECKS 0
#endif

/* The one list of ranks; runtime/docs/threading.md says what each lock guards. */
typedef enum twin_rank {
    TWIN_RANK_INIT = 1,      /* aclInit, aclFinalize */
    TWIN_RANK_REGISTRY,      /* choosing and starting the backend */
    TWIN_RANK_CAPTURES,      /* all captures: their streams and events, which mode forbids what */
    TWIN_RANK_DEVICE,        /* one device: life, reference count, ids, lists of its objects */
    TWIN_RANK_CONTEXT,       /* one context: its streams */
    TWIN_RANK_STREAM,        /* one stream: submission */
    TWIN_RANK_INSTANCE,      /* one model instance: its streams, whether it may run */
    TWIN_RANK_GROUPS,        /* which stream updates which task group */
    TWIN_RANK_LABELS,        /* all labels and lists of labels */
    TWIN_RANK_BINARIES,      /* all kernel images: functions found in them, copies on devices */
    TWIN_RANK_LAUNCHES,      /* device memory for arguments of kernels */
    TWIN_RANK_REGISTRATIONS, /* ranges of host memory that are registered with devices */
    TWIN_RANK_PHYSICALS,     /* list of physical memory */
    TWIN_RANK_POOLS,         /* the list of memory pools */
    TWIN_RANK_POOL,          /* one memory pool: its ops */
    TWIN_RANK_SIGNAL,        /* one event or notify: submission */
    TWIN_RANK_REPORTS,       /* which threads run callbacks of streams */
    TWIN_RANK_HANDLES,       /* one handle table: free slots */
    TWIN_RANK_CALLBACKS,     /* listeners for devices and streams */
    TWIN_RANK_THREADS,       /* list of attached threads */
    TWIN_RANK_MESSAGES,      /* error messages of the process */
    TWIN_RANK_COUNT
} twin_rank;

typedef struct twin_lock {
    pthread_mutex_t mutex;
    twin_rank rank;
} twin_lock;

#define TWIN_LOCK_INITIALIZER(lock_rank)                                                           \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, (lock_rank)                                                     \
    }

void twin_lock_init(twin_lock *lock, twin_rank rank);

/* The check itself: notes that this thread takes, or releases, a lock of `rank`. False: the rank
 * does not rise, or is not held. Used by twin_lock_take in checking builds, and by tests. */
bool twin_rank_push(twin_rank rank);
bool twin_rank_pop(twin_rank rank);
/* Whether this thread holds no lock; always true where nothing is checked. */
bool twin_rank_none(void);
/* Ends the process with a text that names the ranks. */
void twin_rank_violation(const char *what, twin_rank rank);

static inline void twin_lock_take(twin_lock *lock)
{
#if TWIN_LOCK_CHECKS
    if (!twin_rank_push(lock->rank))
        twin_rank_violation("taken out of order", lock->rank);
#endif
    pthread_mutex_lock(&lock->mutex);
}

static inline void twin_lock_drop(twin_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
#if TWIN_LOCK_CHECKS
    if (!twin_rank_pop(lock->rank))
        twin_rank_violation("released but not held", lock->rank);
#endif
}

/* TWIN_LOCKED(lock): takes it, and drops it at the end of the block, also on a return in it. */
static inline twin_lock *twin_lock_hold(twin_lock *lock)
{
    twin_lock_take(lock);
    return lock;
}
static inline void twin_lock_end(twin_lock *const *lock)
{
    twin_lock_drop(*lock);
}
#define TWIN_LOCKED_AS(lock, name)                                                                 \
    twin_lock *const name __attribute__((cleanup(twin_lock_end), unused)) = twin_lock_hold(lock)
#define TWIN_LOCKED_IN(lock, line) TWIN_LOCKED_AS(lock, twin_locked_##line)
#define TWIN_LOCKED_ON(lock, line) TWIN_LOCKED_IN(lock, line)
#define TWIN_LOCKED(lock)          TWIN_LOCKED_ON(lock, __LINE__)

/* Waits on `condition`; the lock stays the thread's own by rank. The thread is not cancelled in
 * here. */
static inline void twin_lock_wait(twin_lock *lock, pthread_cond_t *condition)
{
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_cond_wait(condition, &lock->mutex);
    pthread_setcancelstate(cancel, NULL);
}

/* Stands in front of every op that may block: no lock of the core is held there. */
static inline void twin_assert_unlocked(const char *where)
{
#if TWIN_LOCK_CHECKS
    if (!twin_rank_none())
        twin_rank_violation(where, TWIN_RANK_COUNT);
#else
    (void)where;
#endif
}

#endif
