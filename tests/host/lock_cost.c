/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of interposition without blocking: each case, with the library's function and with the
 * real one in turns. Prints medians, minima and maxima in ns. */
#include <dlfcn.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/fake_runtime.h"

#define RUNS   21
#define ROUNDS 200000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static int read_clock(void *time)
{
    return clock_gettime(CLOCK_MONOTONIC, time);
}

/* A pair of calls on an object, as the program finds them and as the C library has them. */
struct pair {
    const char *name;
    const char *first_name;
    const char *second_name; /* NULL: one call alone */
    void *object;
    int (*first)(void *object);
    int (*second)(void *object);
    int (*real_first)(void *object);
    int (*real_second)(void *object);
};

static struct timespec time_read;
static int (*real_clock_gettime)(clockid_t clock, struct timespec *time);

static int read_real_clock(void *time)
{
    return real_clock_gettime(CLOCK_MONOTONIC, time);
}

#define FUNCTION(name) ((int (*)(void *))(void (*)(void))(name))

static int no_call(void *object)
{
    (void)object;
    return 0;
}

static double thread_ns(void)
{
    struct timespec time;
    real_clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double measure(int (*volatile first)(void *), int (*volatile second)(void *), void *object)
{
    double began = thread_ns();
    for (int i = 0; i < ROUNDS; i++) {
        first(object);
        second(object);
    }
    return (thread_ns() - began) / ROUNDS;
}

static int by_value(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

static void *library_function(const char *name)
{
    void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    return library ? dlsym(library, name) : NULL;
}

static void compare(const struct pair *pair, const char *state)
{
    double with[RUNS];
    double without[RUNS];
    for (int run = 0; run < RUNS; run++) {
        without[run] = measure(pair->real_first, pair->real_second, pair->object);
        with[run] = measure(pair->first, pair->second, pair->object);
    }
    qsort(with, RUNS, sizeof(with[0]), by_value);
    qsort(without, RUNS, sizeof(without[0]), by_value);
    printf("%-32s %-16s real %5.1f [%5.1f %5.1f]  with the library %5.1f [%5.1f %5.1f]\n",
           pair->name, state, without[RUNS / 2], without[0], without[RUNS - 1], with[RUNS / 2],
           with[0], with[RUNS - 1]);
}

int main(void)
{
    struct pair pairs[] = {
        {"mutex lock, unlock", "pthread_mutex_lock", "pthread_mutex_unlock", &mutex,
         FUNCTION(pthread_mutex_lock), FUNCTION(pthread_mutex_unlock), NULL, NULL},
        {"rwlock rdlock, unlock", "pthread_rwlock_rdlock", "pthread_rwlock_unlock", &rwlock,
         FUNCTION(pthread_rwlock_rdlock), FUNCTION(pthread_rwlock_unlock), NULL, NULL},
        {"spin lock, unlock", "pthread_spin_lock", "pthread_spin_unlock", (void *)(uintptr_t)&spin,
         FUNCTION(pthread_spin_lock), FUNCTION(pthread_spin_unlock), NULL, NULL},
        {"sem post, wait", "sem_post", "sem_wait", &semaphore, FUNCTION(sem_post),
         FUNCTION(sem_wait), NULL, NULL},
        {"cond signal, broadcast", "pthread_cond_signal", "pthread_cond_broadcast", &condition,
         FUNCTION(pthread_cond_signal), FUNCTION(pthread_cond_broadcast), NULL, NULL},
        {"clock_gettime", NULL, NULL, &time_read, read_clock, no_call, read_real_clock, no_call},
    };
    void *symbol = library_function("clock_gettime");
    if (!symbol)
        return 1;
    memcpy(&real_clock_gettime, &symbol, sizeof(symbol));
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (!pairs[i].first_name)
            continue;
        void *first = library_function(pairs[i].first_name);
        void *second = library_function(pairs[i].second_name);
        memcpy(&pairs[i].real_first, &first, sizeof(first));
        memcpy(&pairs[i].real_second, &second, sizeof(second));
    }
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    sem_init(&semaphore, 0, 0);
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        compare(&pairs[i], "no backend");
    fake_start();
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        compare(&pairs[i], "with a clock");
    return 0;
}
