/* SPDX-License-Identifier: Apache-2.0 */
/* Which threads libtwinrt-host.so counts as blocked: those that nothing has woken. A thread that
 * was woken and does not run yet is made by holding it in a signal handler. */
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "host/fake_runtime.h"
#include "support/expect.h"

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static pthread_rwlock_t rwlock;
static sem_t semaphore;
static pthread_barrier_t barrier;
static bool shared; /* objects that another process could use */

static void make_objects(void)
{
    int how = shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
    pthread_mutexattr_t of_mutex;
    pthread_mutexattr_init(&of_mutex);
    pthread_mutexattr_setpshared(&of_mutex, how);
    pthread_mutex_init(&mutex, &of_mutex);
    pthread_condattr_t of_cond;
    pthread_condattr_init(&of_cond);
    pthread_condattr_setpshared(&of_cond, how);
    pthread_cond_init(&cond, &of_cond);
    pthread_rwlockattr_t of_rwlock;
    pthread_rwlockattr_init(&of_rwlock);
    pthread_rwlockattr_setpshared(&of_rwlock, how);
    pthread_rwlock_init(&rwlock, &of_rwlock);
    pthread_barrierattr_t of_barrier;
    pthread_barrierattr_init(&of_barrier);
    pthread_barrierattr_setpshared(&of_barrier, how);
    pthread_barrier_init(&barrier, &of_barrier, 2);
    sem_init(&semaphore, shared, 0);
}

static void drop_objects(void)
{
    pthread_mutex_destroy(&mutex);
    pthread_cond_destroy(&cond);
    pthread_rwlock_destroy(&rwlock);
    pthread_barrier_destroy(&barrier);
    sem_destroy(&semaphore);
}

/* The ways to block: what another thread does first, the wait, and what ends it. */

static void nothing(void) {}

static void lock_mutex(void)
{
    pthread_mutex_lock(&mutex);
}

static void unlock_mutex(void)
{
    pthread_mutex_unlock(&mutex);
}

static void wait_mutex(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void write_lock(void)
{
    pthread_rwlock_wrlock(&rwlock);
}

static void read_lock(void)
{
    pthread_rwlock_rdlock(&rwlock);
}

static void rw_unlock(void)
{
    pthread_rwlock_unlock(&rwlock);
}

static void wait_read(void *unused)
{
    (void)unused;
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
}

static void wait_write(void *unused)
{
    (void)unused;
    pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
}

static void wait_cond(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void signal_cond(void)
{
    pthread_cond_signal(&cond);
}

static void broadcast_cond(void)
{
    pthread_cond_broadcast(&cond);
}

static void wait_sem(void *unused)
{
    (void)unused;
    sem_wait(&semaphore);
}

static void post_sem(void)
{
    sem_post(&semaphore);
}

static void wait_barrier(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&barrier);
}

static void *arrive(void *unused)
{
    pthread_barrier_wait(&barrier);
    return unused;
}

static pthread_t arriving;

/* On a new thread, which may have to wait for the one that is held. */
static void complete_barrier(void)
{
    pthread_create(&arriving, NULL, arrive, NULL);
}

static atomic_int joined_may_end;
static pthread_t to_join;

static void *linger(void *unused)
{
    while (!atomic_load(&joined_may_end))
        thrd_yield();
    return unused;
}

static void make_joined(void)
{
    atomic_store(&joined_may_end, 0);
    pthread_create(&to_join, NULL, linger, NULL);
}

static void wait_join(void *unused)
{
    (void)unused;
    pthread_join(to_join, NULL);
}

static void end_joined(void)
{
    atomic_store(&joined_may_end, 1);
}

struct way {
    const char *blocked_in;
    void (*prepare)(void);
    void (*wait)(void *unused);
    void (*end)(void);
    bool has_sharing;
};

static const struct way ways[] = {
    {"pthread_barrier_wait", nothing, wait_barrier, complete_barrier, true},
    {"pthread_cond_wait", nothing, wait_cond, broadcast_cond, true},
    {"pthread_cond_wait", nothing, wait_cond, signal_cond, true},
    {"pthread_join", make_joined, wait_join, end_joined, false},
    {"pthread_mutex_lock", lock_mutex, wait_mutex, unlock_mutex, true},
    {"pthread_rwlock_rdlock", write_lock, wait_read, rw_unlock, true},
    {"pthread_rwlock_wrlock", read_lock, wait_write, rw_unlock, true},
    {"pthread_rwlock_wrlock", write_lock, wait_write, rw_unlock, true},
    {"sem_wait", nothing, wait_sem, post_sem, true},
};

static void end_way(const struct way *way, fake_thread *thread)
{
    fake_thread_end(thread);
    if (way->end == complete_barrier)
        pthread_join(arriving, NULL);
    drop_objects();
}

static void test_counted_until_woken(void)
{
    for (size_t i = 0; i < TWIN_COUNT(ways); i++) {
        const struct way *way = &ways[i];
        shared = false;
        make_objects();
        way->prepare();
        fake_thread thread = {.run = way->wait};
        fake_thread_start(&thread);
        CU_ASSERT(fake_blocked_becomes(1));
        CU_ASSERT(fake_lists(thread.system_id, way->blocked_in));
        CU_ASSERT(fake_hold(&thread));
        TWIN_EXPECT_U64(fake_blocked(), 1);
        way->end();
        CU_ASSERT(fake_blocked_becomes(0)); /* the thread is still in its handler */
        twin_host_thread known;
        CU_ASSERT(fake_find(thread.system_id, &known));
        CU_ASSERT(!known.endless);
        fake_release(&thread);
        end_way(way, &thread);
        TWIN_EXPECT_U64(fake_blocked(), 0);
    }
}

static void test_shared_not_counted(void)
{
    for (size_t i = 0; i < TWIN_COUNT(ways); i++) {
        const struct way *way = &ways[i];
        if (!way->has_sharing)
            continue;
        shared = true;
        make_objects();
        way->prepare();
        fake_thread thread = {.run = way->wait};
        fake_thread_start(&thread);
        CU_ASSERT(fake_lists(thread.system_id, way->blocked_in));
        TWIN_EXPECT_U64(fake_blocked(), 0);
        if (way->wait ==
            wait_cond) { /* listed from before it waits: it does once the mutex is free */
            pthread_mutex_lock(&mutex);
            pthread_mutex_unlock(&mutex);
        }
        way->end();
        end_way(way, &thread);
    }
    shared = false;
}

static void run_inside(void *way_pointer)
{
    const struct way *way = way_pointer;
    fake_inside(true);
    way->wait(NULL);
    fake_inside(false);
}

/* The runtime counts its own waits. */
static void test_inside_not_counted(void)
{
    static const struct way way = {"sem_wait", nothing, wait_sem, post_sem, true};
    make_objects();
    uint64_t stamp = fake_stamp();
    fake_thread thread = {.run = run_inside, .argument = (void *)(uintptr_t)&way};
    fake_thread_start(&thread);
    CU_ASSERT(fake_hold(&thread));
    twin_host_thread known;
    CU_ASSERT(!fake_find(thread.system_id, &known));
    TWIN_EXPECT_U64(fake_blocked(), 0);
    TWIN_EXPECT_U64(fake_stamp(), stamp);
    fake_release(&thread);
    post_sem();
    end_way(&way, &thread);
}

static void test_mutex_taken_by_another(void)
{
    make_objects();
    lock_mutex();
    fake_thread thread = {.run = wait_mutex};
    fake_thread_start(&thread);
    CU_ASSERT(fake_blocked_becomes(1));
    CU_ASSERT(fake_hold(&thread));
    unlock_mutex();
    TWIN_EXPECT_U64(fake_blocked(), 0);
    lock_mutex(); /* before the waiter, which has to wait on */
    TWIN_EXPECT_U64(fake_blocked(), 1);
    unlock_mutex();
    fake_release(&thread);
    fake_thread_end(&thread);
    drop_objects();
}

static void test_one_of_two_waiters(void)
{
    make_objects();
    fake_thread first = {.run = wait_cond};
    fake_thread second = {.run = wait_cond};
    fake_thread_start(&first);
    CU_ASSERT(fake_blocked_becomes(1));
    fake_thread_start(&second);
    CU_ASSERT(fake_blocked_becomes(2));
    CU_ASSERT(fake_hold(&first));
    signal_cond(); /* reaches the one that waits longest */
    TWIN_EXPECT_U64(fake_blocked(), 1);
    twin_host_thread known;
    CU_ASSERT(fake_find(second.system_id, &known) && known.endless);
    fake_release(&first);
    fake_thread_end(&first);
    TWIN_EXPECT_U64(fake_blocked(), 1);
    signal_cond();
    fake_thread_end(&second);
    drop_objects();
}

/* A thread that waits for two posts and got one still needs the other; a post that another thread
 * takes leaves it blocked. */
static void test_token_taken_by_another(void)
{
    make_objects();
    fake_thread thread = {.run = wait_sem};
    fake_thread_start(&thread);
    CU_ASSERT(fake_blocked_becomes(1));
    CU_ASSERT(fake_hold(&thread));
    post_sem();
    TWIN_EXPECT_U64(fake_blocked(), 0);
    TWIN_EXPECT_U64(sem_trywait(&semaphore), 0);
    TWIN_EXPECT_U64(fake_blocked(), 1);
    post_sem();
    fake_release(&thread);
    fake_thread_end(&thread);
    drop_objects();
}

static void wait_poll(void *unused)
{
    (void)unused;
    struct pollfd none = {.fd = -1};
    poll(&none, 1, 60000);
}

static struct timespec in_a_minute(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += 60;
    return time;
}

static void wait_sem_timed(void *unused)
{
    (void)unused;
    struct timespec until = in_a_minute();
    sem_timedwait(&semaphore, &until);
}

static void wait_cond_timed(void *unused)
{
    (void)unused;
    struct timespec until = in_a_minute();
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&cond, &mutex, &until);
    pthread_mutex_unlock(&mutex);
}

static void test_timed_not_counted(void)
{
    static const struct way timed[] = {
        {"poll", nothing, wait_poll, nothing, false},
        {"pthread_cond_timedwait", nothing, wait_cond_timed, signal_cond, false},
        {"sem_timedwait", nothing, wait_sem_timed, post_sem, false},
    };
    for (size_t i = 0; i < TWIN_COUNT(timed); i++) {
        make_objects();
        fake_thread thread = {.run = timed[i].wait};
        fake_thread_start(&thread);
        CU_ASSERT(fake_lists(thread.system_id, timed[i].blocked_in));
        TWIN_EXPECT_U64(fake_blocked(), 0);
        timed[i].end();
        if (timed[i].end == nothing)
            pthread_cancel(thread.thread);
        fake_thread_end(&thread);
        drop_objects();
    }
}

static void test_robust_not_counted(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    lock_mutex();
    fake_thread thread = {.run = wait_mutex};
    fake_thread_start(&thread);
    CU_ASSERT(fake_lists(thread.system_id, "pthread_mutex_lock"));
    TWIN_EXPECT_U64(fake_blocked(), 0);
    unlock_mutex();
    fake_thread_end(&thread);
    pthread_mutex_destroy(&mutex);
}

static void test_stamp_and_changes(void)
{
    make_objects();
    uint64_t before = fake_stamp();
    unsigned changes = fake_changes();
    fake_thread thread = {.run = wait_sem};
    fake_thread_start(&thread);
    CU_ASSERT(fake_blocked_becomes(1));
    uint64_t blocked = fake_stamp();
    CU_ASSERT(blocked != before);
    TWIN_EXPECT_U64(fake_stamp(), blocked); /* asking changes nothing */
    CU_ASSERT(fake_changes_become(changes + 1));
    post_sem();
    CU_ASSERT(fake_changes_become(changes + 2)); /* it has ended */
    fake_thread_end(&thread);
    CU_ASSERT(fake_stamp() != blocked);
    drop_objects();
}

static void test_report(void)
{
    make_objects();
    lock_mutex();
    fake_thread thread = {.run = wait_mutex};
    fake_thread_start(&thread);
    CU_ASSERT(fake_blocked_becomes(1));
    twin_host_thread known;
    CU_ASSERT(fake_find(thread.system_id, &known));
    TWIN_EXPECT_TEXT(known.blocked_in, "pthread_mutex_lock");
    CU_ASSERT(known.object == &mutex);
    CU_ASSERT(known.endless);
    TWIN_EXPECT_U64(known.waits_for, gettid());
    /* wait_mutex is short: the call is within its first bytes. */
    uintptr_t offset = (uintptr_t)known.call_site - (uintptr_t)wait_mutex;
    CU_ASSERT(offset > 0 && offset < 400);
    unlock_mutex();
    fake_thread_end(&thread);
    drop_objects();
}

static void unlock_in_cleanup(void *stage)
{
    /* The wait that was cancelled holds the mutex again. */
    if (pthread_mutex_trylock(&mutex) != 0)
        atomic_store((atomic_int *)stage, 1);
    pthread_mutex_unlock(&mutex);
}

static atomic_int cleaned;

static void wait_cond_cleanup(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock_in_cleanup, &cleaned);
    pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(1);
}

static void test_cancelled(void)
{
    static void (*const waits[])(void *) = {wait_cond_cleanup, wait_sem, wait_join};
    for (size_t i = 0; i < TWIN_COUNT(waits); i++) {
        make_objects();
        atomic_store(&cleaned, 0);
        if (waits[i] == wait_join)
            make_joined();
        fake_thread thread = {.run = waits[i]};
        fake_thread_start(&thread);
        CU_ASSERT(fake_blocked_becomes(1));
        pthread_cancel(thread.thread);
        void *result = NULL;
        pthread_join(thread.thread, &result);
        CU_ASSERT(result == PTHREAD_CANCELED);
        TWIN_EXPECT_U64(fake_blocked(), 0);
        if (waits[i] == wait_cond_cleanup)
            TWIN_EXPECT_U64(atomic_load(&cleaned), 1);
        if (waits[i] == wait_join) {
            end_joined();
            pthread_join(to_join, NULL);
        }
        drop_objects();
    }
}

/* A cancelled waiter that a signal had reached passes it on. */
static void test_cancelled_signal_goes_on(void)
{
    make_objects();
    fake_thread first = {.run = wait_cond_cleanup};
    fake_thread second = {.run = wait_cond};
    fake_thread_start(&first);
    CU_ASSERT(fake_blocked_becomes(1));
    fake_thread_start(&second);
    CU_ASSERT(fake_blocked_becomes(2));
    CU_ASSERT(fake_hold(&first));
    pthread_cancel(first.thread);
    signal_cond();
    fake_release(&first);
    void *result = NULL;
    pthread_join(first.thread, &result);
    if (result != PTHREAD_CANCELED) /* it took the signal: the other one still waits */
        signal_cond();
    fake_thread_end(&second);
    TWIN_EXPECT_U64(fake_blocked(), 0);
    drop_objects();
}

static void test_fork(void)
{
    make_objects();
    fake_thread thread = {.run = wait_sem};
    fake_thread_start(&thread);
    CU_ASSERT(fake_blocked_becomes(1));
    pid_t child = fork();
    if (child == 0)
        _exit(fake_blocked() == 0 && fake_listed() == 1 ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    TWIN_EXPECT_U64(status, 0);
    TWIN_EXPECT_U64(fake_blocked(), 1);
    post_sem();
    fake_thread_end(&thread);
    drop_objects();
}

static void test_many_threads(void)
{
    enum { THREADS = 600 };
    make_objects();
    static fake_thread threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        threads[i].run = wait_sem;
        fake_thread_start(&threads[i]);
    }
    CU_ASSERT(fake_blocked_becomes(THREADS));
    TWIN_EXPECT_U64(fake_listed(), THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        post_sem();
    for (int i = 0; i < THREADS; i++)
        fake_thread_end(&threads[i]);
    TWIN_EXPECT_U64(fake_blocked(), 0);
    TWIN_EXPECT_U64(fake_listed(), 1);
    drop_objects();
}

static const twin_test tests[] = {
    {"a thread counts as blocked until it is woken, not until it runs", test_counted_until_woken},
    {"a wait that another process can end does not count", test_shared_not_counted},
    {"a wait of the runtime does not count", test_inside_not_counted},
    {"a waiter counts again when another thread takes the mutex first",
     test_mutex_taken_by_another},
    {"a signal wakes the oldest waiter, the others count", test_one_of_two_waiters},
    {"a waiter counts again when another thread takes the token", test_token_taken_by_another},
    {"a wait with a limit does not count", test_timed_not_counted},
    {"a wait for a robust mutex does not count", test_robust_not_counted},
    {"blocking and waking change the stamp, blocking and ending are reported",
     test_stamp_and_changes},
    {"a report names the function, the object, the call and the holder", test_report},
    {"a cancelled wait ends, with the mutex of its condition locked", test_cancelled},
    {"a cancelled wait does not keep a signal from others", test_cancelled_signal_goes_on},
    {"a forked child has one thread, which is not blocked", test_fork},
    {"hundreds of threads are counted", test_many_threads},
};

int main(int argc, char **argv)
{
#if defined(__SANITIZE_THREAD__)
    fprintf(stderr, "skipped: ThreadSanitizer runs no signal handler in a blocked thread\n");
    return TWIN_EXIT_SKIPPED;
#endif
    fake_start();
    return twin_run_suite("host_blocked", tests, TWIN_COUNT(tests), argc, argv);
}
