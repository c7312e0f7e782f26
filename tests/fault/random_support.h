/* SPDX-License-Identifier: Apache-2.0 */
/* What the random tests share: numbers from a seed, failures that name the seed, a watchdog. */
#ifndef TWINRT_TESTS_RANDOM_SUPPORT_H
#define TWINRT_TESTS_RANDOM_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#define RANDOM_THREADS_MOST 16

typedef struct random_state {
    uint64_t word;
} random_state;

/* The same numbers for the same seed and stream of numbers. */
void random_seed(random_state *state, uint64_t seed, uint64_t stream);
uint64_t random_next(random_state *state);
/* 0 to limit - 1. */
uint32_t random_below(random_state *state, uint32_t limit);
bool random_percent(random_state *state, uint32_t percent);

/* Options: --seed=N --calls=N --threads=N --trace. */
typedef struct random_options {
    uint64_t seed;
    uint64_t calls;
    uint32_t threads;
    bool trace; /* every call to standard error */
} random_options;

/* A random seed below 2^32, for a test that prints its seed. */
uint64_t random_new_seed(void);
/* Fills the options over the defaults they hold. False: a bad one, reported on standard error. Also
 * sets two devices, the sim backend and kernels that take time, unless the environment has them. */
bool random_options_parse(random_options *options, int argc, char **argv);

/* One thing that is wrong, with the seed. After 20 the process ends. Thread: any. */
void random_failure(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint32_t random_failures(void);
/* Counts from 0 again; later failures name these options. */
void random_failures_of(const random_options *options);

/* After so many seconds: what each thread was in, and the process ends by abort(). */
void random_watchdog(unsigned seconds);
/* Thread `index` is now in its call `number`, which is `name`. */
void random_at(uint32_t index, const char *name, uint64_t number);

#endif
