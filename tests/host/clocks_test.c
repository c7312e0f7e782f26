/* SPDX-License-Identifier: Apache-2.0 */
/* How clocks go from thread to thread with their synchronization. The other thread of a test, a
 * `fake_thread`, starts at a clock that the test chooses and hands over by atomics, which carry
 * nothing. */
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "host/fake_runtime.h"
#include "support/expect.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static pthread_barrier_t barrier;
static uint64_t seen[8];

/* Runs `run` on a thread whose clock begins at `clock`, to its end. */
static void run_at(uint64_t clock, void (*run)(void *unused))
{
    fake_thread thread = {.run = run, .clock = clock};
    fake_thread_start(&thread);
    fake_thread_end(&thread);
}

static void note_clock(void *unused)
{
    (void)unused;
    seen[0] = fake_clock();
}

static void test_create(void)
{
    fake_clock_set(700);
    run_at(0, note_clock);
    TWIN_EXPECT_U64(seen[0], 700);
}

static void *advance_to_900(void *unused)
{
    fake_clock_set(900);
    return unused;
}

static void test_join(void)
{
    fake_clock_set(10);
    pthread_t thread;
    pthread_create(&thread, NULL, advance_to_900, NULL);
    pthread_join(thread, NULL);
    TWIN_EXPECT_U64(fake_clock(), 900);
}

static void lock_unlock(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void write_unlock(void *unused)
{
    (void)unused;
    pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
}

static void read_unlock(void *unused)
{
    (void)unused;
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
}

static void spin_unlock(void *unused)
{
    (void)unused;
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
}

static void test_mutex(void)
{
    run_at(1000, lock_unlock);
    fake_clock_set(5);
    pthread_mutex_lock(&mutex);
    TWIN_EXPECT_U64(fake_clock(), 1000);
    pthread_mutex_unlock(&mutex);
    fake_clock_set(5); /* its own release does not move a thread */
    pthread_mutex_lock(&mutex);
    TWIN_EXPECT_U64(fake_clock(), 5);
    pthread_mutex_unlock(&mutex);
    run_at(2000, lock_unlock);
    TWIN_EXPECT_U64(pthread_mutex_trylock(&mutex), 0);
    TWIN_EXPECT_U64(fake_clock(), 2000);
    pthread_mutex_unlock(&mutex);
    fake_clock_set(9000); /* a later clock stays */
    run_at(3000, lock_unlock);
    struct timespec until = {.tv_sec = INT32_MAX};
    TWIN_EXPECT_U64(pthread_mutex_timedlock(&mutex, &until), 0);
    TWIN_EXPECT_U64(fake_clock(), 9000);
    pthread_mutex_unlock(&mutex);
}

static void test_spin(void)
{
    run_at(1100, spin_unlock);
    fake_clock_set(5);
    pthread_spin_lock(&spin);
    TWIN_EXPECT_U64(fake_clock(), 1100);
    pthread_spin_unlock(&spin);
}

static void test_rwlock(void)
{
    run_at(100, write_unlock);
    run_at(400, read_unlock);
    run_at(300, read_unlock);
    fake_clock_set(5);
    pthread_rwlock_rdlock(&rwlock); /* readers do not follow readers */
    TWIN_EXPECT_U64(fake_clock(), 100);
    pthread_rwlock_unlock(&rwlock);
    fake_clock_set(5);
    pthread_rwlock_wrlock(&rwlock);
    TWIN_EXPECT_U64(fake_clock(), 400);
    fake_clock_set(50);
    pthread_rwlock_unlock(&rwlock);
    run_at(60, note_clock);
    fake_clock_set(5);
    pthread_rwlock_rdlock(&rwlock); /* the last writer is this thread */
    TWIN_EXPECT_U64(fake_clock(), 5);
    pthread_rwlock_unlock(&rwlock);
}

static void post_three(void *unused)
{
    (void)unused;
    for (uint64_t clock = 100; clock <= 300; clock += 100) {
        fake_clock_set(clock);
        sem_post(&semaphore);
    }
}

static void test_sem(void)
{
    sem_init(&semaphore, 0, 1);
    run_at(50, post_three);
    fake_clock_set(5);
    static const uint64_t expected[] = {5, 100, 200, 300}; /* the first token has no giver */
    for (size_t i = 0; i < TWIN_COUNT(expected); i++) {
        sem_wait(&semaphore);
        TWIN_EXPECT_U64(fake_clock(), expected[i]);
    }
    sem_destroy(&semaphore);
}

static void post_many(void *unused)
{
    (void)unused;
    for (uint64_t i = 1; i <= 100; i++) {
        fake_clock_set(i);
        sem_post(&semaphore);
    }
}

/* More tokens than separate places: each waiter's clock is that of its post or of a later
 * one that was made. */
static void test_sem_many(void)
{
    sem_init(&semaphore, 0, 0);
    run_at(1, post_many);
    fake_clock_set(0);
    for (uint64_t i = 1; i <= 100; i++) {
        sem_wait(&semaphore);
        CU_ASSERT(fake_clock() >= i);
        CU_ASSERT(fake_clock() <= 100);
    }
    TWIN_EXPECT_U64(fake_clock(), 100);
    sem_destroy(&semaphore);
}

static bool ready;

static void wait_ready(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    seen[0] = fake_clock();
}

static void test_cond(void)
{
    pthread_mutex_destroy(&mutex);
    pthread_mutex_init(&mutex, NULL);
    ready = false;
    fake_thread waiter = {.run = wait_ready, .clock = 20};
    fake_thread_start(&waiter);
    CU_ASSERT(fake_blocked_becomes(1));
    fake_clock_set(600);
    pthread_mutex_lock(&mutex);
    ready = true;
    pthread_mutex_unlock(&mutex);
    fake_clock_set(640); /* after the mutex: the signal itself is followed */
    pthread_cond_signal(&cond);
    fake_thread_end(&waiter);
    TWIN_EXPECT_U64(seen[0], 640);
}

struct arrival {
    uint64_t clocks[2]; /* at the two rounds */
    uint64_t after[2];
};

static void *arrive_twice(void *argument)
{
    struct arrival *arrival = argument;
    for (int round = 0; round < 2; round++) {
        fake_clock_set(arrival->clocks[round]);
        pthread_barrier_wait(&barrier);
        arrival->after[round] = fake_clock();
    }
    return NULL;
}

static void test_barrier(void)
{
    enum { THREADS = 4 };
    for (int turn = 0; turn < 50; turn++) {
        pthread_barrier_init(&barrier, NULL, THREADS);
        struct arrival arrivals[THREADS];
        pthread_t threads[THREADS];
        for (uint64_t i = 0; i < THREADS; i++) {
            arrivals[i] = (struct arrival){.clocks = {10 * i, 1000 + i}};
            pthread_create(&threads[i], NULL, arrive_twice, &arrivals[i]);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < THREADS; i++) {
            /* All leave a round at its latest clock; none has that of the next round. */
            TWIN_EXPECT_U64(arrivals[i].after[0], 30);
            TWIN_EXPECT_U64(arrivals[i].after[1], 1003);
        }
        pthread_barrier_destroy(&barrier);
    }
}

static void test_chain(void)
{
    static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
    run_at(5000, lock_unlock);
    fake_clock_set(1);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&mutex);
    TWIN_EXPECT_U64(fake_clock(), 5000);
}

static void test_destroyed(void)
{
    run_at(7000, lock_unlock);
    pthread_mutex_destroy(&mutex);
    pthread_mutex_init(&mutex, NULL); /* another one at the same address */
    fake_clock_set(5);
    pthread_mutex_lock(&mutex);
    TWIN_EXPECT_U64(fake_clock(), 5);
    pthread_mutex_unlock(&mutex);
}

static void test_inside(void)
{
    run_at(8000, lock_unlock);
    fake_clock_set(5);
    fake_inside(true);
    pthread_mutex_lock(&mutex);
    fake_inside(false);
    TWIN_EXPECT_U64(fake_clock(), 5);
    pthread_mutex_unlock(&mutex);
}

enum { MANY = 200000 };
static pthread_mutex_t *many;

static void release_many(void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < MANY; i++) {
        fake_clock_set(i + 1);
        pthread_mutex_lock(&many[i]);
        pthread_mutex_unlock(&many[i]);
    }
}

/* More than the table holds: some carry nothing, none carries another's clock. */
static void test_table_full(void)
{
    many = calloc(MANY, sizeof(*many));
    CU_ASSERT_FATAL(many != NULL);
    run_at(1, release_many);
    unsigned carried = 0;
    unsigned wrong = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        fake_clock_set(0);
        pthread_mutex_lock(&many[i]);
        carried += fake_clock() == i + 1;
        wrong += fake_clock() != i + 1 && fake_clock() != 0;
        pthread_mutex_unlock(&many[i]);
    }
    TWIN_EXPECT_U64(wrong, 0);
    CU_ASSERT(carried > 10000 && carried < MANY);
    for (uint64_t i = 0; i < MANY; i++)
        pthread_mutex_destroy(&many[i]);
    free(many);
}

/* Threads that pass a counter on under all kinds of locks: no clock is ever earlier than the one at
 * which the data was written. */
static struct {
    pthread_mutex_t mutex;
    uint64_t written_at;
} shared_counter = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void *pass_on(void *wrong)
{
    for (int i = 0; i < 20000; i++) {
        pthread_mutex_lock(&shared_counter.mutex);
        if (fake_clock() < shared_counter.written_at)
            atomic_fetch_add((atomic_uint *)wrong, 1);
        fake_clock_set(fake_clock() + 1);
        shared_counter.written_at = fake_clock();
        pthread_mutex_unlock(&shared_counter.mutex);
    }
    return NULL;
}

static void test_under_contention(void)
{
    atomic_uint wrong = 0;
    pthread_t threads[4];
    fake_clock_set(0);
    for (size_t i = 0; i < TWIN_COUNT(threads); i++)
        pthread_create(&threads[i], NULL, pass_on, &wrong);
    for (size_t i = 0; i < TWIN_COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    TWIN_EXPECT_U64(atomic_load(&wrong), 0);
    TWIN_EXPECT_U64(fake_clock(), TWIN_COUNT(threads) * 20000);
}

static const twin_test tests[] = {
    {"a thread begins at the clock of its creator", test_create},
    {"a join follows the end of the thread", test_join},
    {"a mutex carries the clock of its last owner", test_mutex},
    {"a spin lock carries the clock of its last owner", test_spin},
    {"readers follow the last writer, a writer follows the readers too", test_rwlock},
    {"the n-th wait for a semaphore follows its n-th post", test_sem},
    {"a semaphore with many tokens loses none", test_sem_many},
    {"a waiter follows the signal that wakes it", test_cond},
    {"all threads leave a barrier at the latest clock of their round", test_barrier},
    {"a clock goes on over several locks", test_chain},
    {"a new mutex at an old address carries nothing", test_destroyed},
    {"locks that the runtime takes carry nothing", test_inside},
    {"a full table drops clocks and mixes none up", test_table_full},
    {"no clock is earlier than the data that its thread reads", test_under_contention},
};

int main(int argc, char **argv)
{
    fake_start();
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    return twin_run_suite("host_clocks", tests, TWIN_COUNT(tests), argc, argv);
}
