/* SPDX-License-Identifier: Apache-2.0 */
/* What sleeps and waits that time out do to a thread's clock: exactly their duration. */
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "host/fake_runtime.h"
#include "support/expect.h"

#define MS 1000000ull

static const struct timespec three_ms = {.tv_nsec = 3 * MS};

static struct timespec later(clockid_t clock, uint64_t ns)
{
    struct timespec time;
    clock_gettime(clock, &time);
    uint64_t sum = (uint64_t)time.tv_nsec + ns;
    time.tv_sec += (time_t)(sum / 1000000000);
    time.tv_nsec = (long)(sum % 1000000000);
    return time;
}

/* Sleeps of 3 ms. */

static void by_nanosleep(void)
{
    nanosleep(&three_ms, NULL);
}

static void by_usleep(void)
{
    usleep(3000);
}

static void by_thrd_sleep(void)
{
    thrd_sleep(&three_ms, NULL);
}

static void by_clock_nanosleep(void)
{
    clock_nanosleep(CLOCK_MONOTONIC, 0, &three_ms, NULL);
}

static void by_monotonic_deadline(void)
{
    struct timespec until = later(CLOCK_MONOTONIC, 3 * MS);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void by_realtime_deadline(void)
{
    struct timespec until = later(CLOCK_REALTIME, 3 * MS);
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
}

static void by_poll(void)
{
    poll(NULL, 0, 3);
}

static void by_ppoll(void)
{
    ppoll(NULL, 0, &three_ms, NULL);
}

static void by_select(void)
{
    struct timeval limit = {.tv_usec = 3000};
    select(0, NULL, NULL, NULL, &limit);
}

static void by_pselect(void)
{
    pselect(0, NULL, NULL, NULL, &three_ms, NULL);
}

static void by_epoll_wait(void)
{
    int fd = epoll_create1(0);
    struct epoll_event event;
    epoll_wait(fd, &event, 1, 3);
    close(fd);
}

static void by_epoll_pwait(void)
{
    int fd = epoll_create1(0);
    struct epoll_event event;
    epoll_pwait(fd, &event, 1, 3, NULL);
    close(fd);
}

static void by_sigtimedwait(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigtimedwait(&set, NULL, &three_ms);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t held_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t held_rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static pthread_t held_thread;

static void by_cond_timedwait(void)
{
    struct timespec until = later(CLOCK_REALTIME, 3 * MS);
    pthread_mutex_lock(&mutex);
    TWIN_EXPECT_U64(pthread_cond_timedwait(&cond, &mutex, &until), ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
}

static void by_cond_timedwait_monotonic(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_t monotonic;
    pthread_cond_init(&monotonic, &attributes);
    struct timespec until = later(CLOCK_MONOTONIC, 3 * MS);
    pthread_mutex_lock(&mutex);
    TWIN_EXPECT_U64(pthread_cond_timedwait(&monotonic, &mutex, &until), ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    pthread_cond_destroy(&monotonic);
}

static void by_cond_clockwait(void)
{
    struct timespec until = later(CLOCK_MONOTONIC, 3 * MS);
    pthread_mutex_lock(&mutex);
    TWIN_EXPECT_U64(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &until), ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
}

static void by_sem_timedwait(void)
{
    struct timespec until = later(CLOCK_REALTIME, 3 * MS);
    TWIN_EXPECT_U64(sem_timedwait(&semaphore, &until), -1);
    TWIN_EXPECT_U64(errno, ETIMEDOUT);
}

static void by_sem_clockwait(void)
{
    struct timespec until = later(CLOCK_MONOTONIC, 3 * MS);
    TWIN_EXPECT_U64(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until), -1);
}

static void by_mutex_timedlock(void)
{
    struct timespec until = later(CLOCK_REALTIME, 3 * MS);
    TWIN_EXPECT_U64(pthread_mutex_timedlock(&held_mutex, &until), ETIMEDOUT);
}

static void by_mutex_clocklock(void)
{
    struct timespec until = later(CLOCK_MONOTONIC, 3 * MS);
    TWIN_EXPECT_U64(pthread_mutex_clocklock(&held_mutex, CLOCK_MONOTONIC, &until), ETIMEDOUT);
}

static void by_rwlock_timedrdlock(void)
{
    struct timespec until = later(CLOCK_REALTIME, 3 * MS);
    TWIN_EXPECT_U64(pthread_rwlock_timedrdlock(&held_rwlock, &until), ETIMEDOUT);
}

static void by_rwlock_clockwrlock(void)
{
    struct timespec until = later(CLOCK_MONOTONIC, 3 * MS);
    TWIN_EXPECT_U64(pthread_rwlock_clockwrlock(&held_rwlock, CLOCK_MONOTONIC, &until), ETIMEDOUT);
}

static void by_timedjoin(void)
{
    struct timespec until = later(CLOCK_REALTIME, 3 * MS);
    TWIN_EXPECT_U64(pthread_timedjoin_np(held_thread, NULL, &until), ETIMEDOUT);
}

static const struct {
    const char *name;
    void (*run)(void);
} sleeps[] = {
    {"nanosleep", by_nanosleep},
    {"usleep", by_usleep},
    {"thrd_sleep", by_thrd_sleep},
    {"clock_nanosleep", by_clock_nanosleep},
    {"clock_nanosleep until, monotonic", by_monotonic_deadline},
    {"clock_nanosleep until, realtime", by_realtime_deadline},
    {"poll", by_poll},
    {"ppoll", by_ppoll},
    {"select", by_select},
    {"pselect", by_pselect},
    {"epoll_wait", by_epoll_wait},
    {"epoll_pwait", by_epoll_pwait},
    {"sigtimedwait", by_sigtimedwait},
    {"pthread_cond_timedwait", by_cond_timedwait},
    {"pthread_cond_timedwait, monotonic", by_cond_timedwait_monotonic},
    {"pthread_cond_clockwait", by_cond_clockwait},
    {"sem_timedwait", by_sem_timedwait},
    {"sem_clockwait", by_sem_clockwait},
    {"pthread_mutex_timedlock", by_mutex_timedlock},
    {"pthread_mutex_clocklock", by_mutex_clocklock},
    {"pthread_rwlock_timedrdlock", by_rwlock_timedrdlock},
    {"pthread_rwlock_clockwrlock", by_rwlock_clockwrlock},
    {"pthread_timedjoin_np", by_timedjoin},
};

static uint64_t real_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 * MS + (uint64_t)time.tv_nsec;
}

static void hold_objects(void *stage)
{
    pthread_mutex_lock(&held_mutex);
    pthread_rwlock_wrlock(&held_rwlock);
    atomic_store((atomic_int *)stage, 1);
    (void)fake_stage_becomes(stage, 2);
    pthread_rwlock_unlock(&held_rwlock);
    pthread_mutex_unlock(&held_mutex);
}

static void test_exact(void)
{
    sem_init(&semaphore, 0, 0);
    fake_thread holder = {.run = hold_objects};
    holder.argument = &holder.stage;
    fake_thread_start(&holder);
    CU_ASSERT_FATAL(fake_stage_becomes(&holder.stage, 1));
    held_thread = holder.thread;
    for (size_t i = 0; i < TWIN_COUNT(sleeps); i++) {
        fake_clock_set(1000);
        uint64_t began = real_now();
        sleeps[i].run();
        CU_ASSERT(real_now() - began >= 3 * MS); /* the sleep itself takes its time */
        if (!TWIN_EXPECT_U64(fake_clock(), 1000 + 3 * MS))
            fprintf(stderr, "  in %s\n", sleeps[i].name);
    }
    atomic_store(&holder.stage, 2);
    fake_thread_end(&holder);
    sem_destroy(&semaphore);
}

static void test_sleep(void)
{
    fake_clock_set(0);
    TWIN_EXPECT_U64(sleep(1), 0);
    TWIN_EXPECT_U64(fake_clock(), 1000 * MS);
}

/* The deadlines of a periodic loop come from one reading of the clock. */
static void test_periodic(void)
{
    fake_clock_set(0);
    struct timespec next = later(CLOCK_MONOTONIC, 0);
    for (uint64_t period = 1; period <= 5; period++) {
        next.tv_nsec += MS;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        TWIN_EXPECT_U64(fake_clock(), period * MS);
    }
}

static void test_gettimeofday(void)
{
    fake_clock_set(50);
    struct timeval now;
    gettimeofday(&now, NULL);
    uint64_t ns = (uint64_t)now.tv_usec * 1000 + 2 * MS;
    struct timespec until = {.tv_sec = now.tv_sec + (time_t)(ns / 1000000000),
                             .tv_nsec = (long)(ns % 1000000000)};
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
    TWIN_EXPECT_U64(fake_clock(), 50 + 2 * MS);
}

static void test_early(void)
{
    int ends[2];
    CU_ASSERT_FATAL(pipe(ends) == 0);
    CU_ASSERT_FATAL(write(ends[1], "x", 1) == 1);
    struct pollfd ready = {.fd = ends[0], .events = POLLIN};
    fake_clock_set(70);
    TWIN_EXPECT_U64(poll(&ready, 1, 60000), 1);
    TWIN_EXPECT_U64(fake_clock(), 70);
    fd_set reads;
    FD_ZERO(&reads);
    FD_SET(ends[0], &reads);
    struct timeval limit = {.tv_sec = 60};
    TWIN_EXPECT_U64(select(ends[0] + 1, &reads, NULL, NULL, &limit), 1);
    TWIN_EXPECT_U64(fake_clock(), 70);
    poll(NULL, 0, 0);
    TWIN_EXPECT_U64(fake_clock(), 70);
    close(ends[0]);
    close(ends[1]);
}

static atomic_int interrupted_errno;
static uint64_t interrupted_clock;

static void on_signal(int number)
{
    (void)number;
}

static void sleep_a_minute(void *unused)
{
    (void)unused;
    const struct timespec minute = {.tv_sec = 60};
    if (nanosleep(&minute, NULL) != 0)
        atomic_store(&interrupted_errno, errno);
    interrupted_clock = fake_clock();
}

static void test_interrupted(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR2, &action, NULL);
    fake_thread thread = {.run = sleep_a_minute, .clock = 33};
    fake_thread_start(&thread);
    CU_ASSERT_FATAL(fake_lists(thread.system_id, "nanosleep"));
    atomic_store(&interrupted_errno, 0);
    while (atomic_load(&interrupted_errno) == 0) { /* it may have been on its way into the sleep */
        pthread_kill(thread.thread, SIGUSR2);
        thrd_yield();
        twin_host_thread known;
        if (!fake_find(thread.system_id, &known))
            break;
    }
    fake_thread_end(&thread);
    TWIN_EXPECT_U64(atomic_load(&interrupted_errno), EINTR);
    TWIN_EXPECT_U64(interrupted_clock, 33);
}

static uint64_t waited_to;

static void wait_a_minute(void *unused)
{
    (void)unused;
    struct timespec until = later(CLOCK_REALTIME, 60000 * MS);
    pthread_mutex_lock(&mutex);
    TWIN_EXPECT_U64(pthread_cond_timedwait(&cond, &mutex, &until), 0);
    pthread_mutex_unlock(&mutex);
    waited_to = fake_clock();
}

static void test_signalled(void)
{
    pthread_mutex_destroy(&mutex);
    pthread_mutex_init(&mutex, NULL);
    fake_thread thread = {.run = wait_a_minute, .clock = 10};
    fake_thread_start(&thread);
    CU_ASSERT(fake_lists(thread.system_id, "pthread_cond_timedwait"));
    fake_clock_set(444);
    pthread_cond_signal(&cond);
    fake_thread_end(&thread);
    TWIN_EXPECT_U64(waited_to, 444);
}

static void test_inside(void)
{
    fake_clock_set(9);
    fake_inside(true);
    nanosleep(&three_ms, NULL);
    poll(NULL, 0, 1);
    fake_inside(false);
    TWIN_EXPECT_U64(fake_clock(), 9);
}

static void test_errno_stays(void)
{
    sem_init(&semaphore, 0, 0);
    errno = 77;
    nanosleep(&three_ms, NULL);
    sem_post(&semaphore);
    sem_wait(&semaphore);
    by_cond_timedwait();
    TWIN_EXPECT_U64(errno, 77);
    sem_destroy(&semaphore);
}

static const twin_test tests[] = {
    {"a sleep that times out advances the clock by its duration", test_exact},
    {"sleep advances the clock by seconds", test_sleep},
    {"deadlines from one reading of a clock follow each other", test_periodic},
    {"gettimeofday is a reading", test_gettimeofday},
    {"a wait for files that ends early advances nothing", test_early},
    {"a sleep that a signal ends advances nothing", test_interrupted},
    {"a timed wait that is signalled takes the clock of the signal", test_signalled},
    {"sleeps of the runtime advance nothing", test_inside},
    {"errno stays as it was", test_errno_stays},
};

/* TWINRT_HOST_TIME=sleeps: nothing follows another thread. */
static const twin_test of_level_sleeps[] = {
    {"a sleep that times out advances the clock by its duration", test_exact},
    {"sleep advances the clock by seconds", test_sleep},
    {"a wait for files that ends early advances nothing", test_early},
    {"sleeps of the runtime advance nothing", test_inside},
    {"errno stays as it was", test_errno_stays},
};

int main(int argc, char **argv)
{
    fake_start();
    const char *level = getenv("TWINRT_HOST_TIME");
    if (level && strcmp(level, "sleeps") == 0)
        return twin_run_suite("host_sleeps_alone", of_level_sleeps, TWIN_COUNT(of_level_sleeps),
                              argc, argv);
    return twin_run_suite("host_sleeps", tests, TWIN_COUNT(tests), argc, argv);
}
