/* SPDX-License-Identifier: Apache-2.0 */
/* What every benchmark program needs: clocks, repetitions, and one JSON line per number.
 *
 * A program prints lines {"name": ..., "unit": ..., "clock": ..., "samples": [...]}; `twinrt bench`
 * and bench/run.py run the programs in turn, form medians, spreads and ratios, and judge them
 * against targets.json. Nothing in here passes or fails: host time is noisy and belongs to no
 * test. */
#ifndef TWIN_BENCH_H
#define TWIN_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"

enum { BENCH_MAX_SAMPLES = 64 };

/* Whose time or number it is. */
enum bench_clock {
    BENCH_HOST,    /* wall time of this machine */
    BENCH_VIRTUAL, /* the calling thread's own time as the model counts it; exact */
    BENCH_COUNT    /* no time: a count or an amount */
};

struct bench_samples {
    const char *name;
    const char *unit;
    enum bench_clock clock;
    uint64_t bytes;                /* that one operation moves; 0: none */
    const char *const *parameters; /* of the profile, that the number depends on; ends with NULL */
    double value[BENCH_MAX_SAMPLES];
    size_t count;
};

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t bench_now_ns(void);
/* The same for this thread's simulated time. False: the device is not a model. */
bool bench_virtual_ns(uint64_t *out_ns);
void bench_add(struct bench_samples *samples, double value);
/* Prints the JSON line on stdout; nothing when there is no sample. */
void bench_print(const struct bench_samples *samples);
/* The same for one value. */
void bench_print_value(const char *name, const char *unit, enum bench_clock clock, double value);
/* Resident size of this process in bytes, from /proc/self/statm. */
uint64_t bench_resident_bytes(void);
/* A file of kernels beside the program. Returns the call's code. */
aclError bench_load_kernels(const char *file, aclrtBinHandle *out_binary);
/* Ends the program with a message when `code` is not 0. */
void bench_must(int code, const char *what);

#define BENCH_MUST(call) bench_must((call), #call)

/* Mean time in ns of a statement that is executed `count` times in a row. */
#define BENCH_MEAN_NS(count, statement)                                                            \
    ({                                                                                             \
        const uint64_t begin_ = bench_now_ns();                                                    \
        for (int i_ = 0; i_ < (count); i_++) {                                                     \
            statement;                                                                             \
        }                                                                                          \
        (double)(bench_now_ns() - begin_) / (count);                                               \
    })
/* The same of `batches` times `count`; the wait after each batch is not timed. */
#define BENCH_BATCHES_NS(batches, count, statement, wait)                                          \
    ({                                                                                             \
        double sum_ = 0;                                                                           \
        for (int batch_ = 0; batch_ < (batches); batch_++) {                                       \
            sum_ += BENCH_MEAN_NS(count, statement);                                               \
            wait;                                                                                  \
        }                                                                                          \
        sum_ / (batches);                                                                          \
    })

/* Measures what `once` does, `rounds` times in a row: host time, and on a model the time that the
 * calling thread lives through. A first sample warms up. Prints both. */
void bench_measure(struct bench_samples *host, size_t repeats, size_t rounds, void (*once)(void));

/* One question. But for those that begin before aclInit() the ACL program is initialised and device
 * 0 is set. */
typedef void (*bench_question)(size_t repeats);

void bench_submit(size_t repeats);     /* P1, P2 */
void bench_wait(size_t repeats);       /* P3, P4, P5 */
void bench_streams(size_t repeats);    /* P6, P8 */
void bench_copy(size_t repeats);       /* P9 */
void bench_graph(size_t repeats);      /* P27 to P29, P31 to P33 */
void bench_launch(size_t repeats);     /* P22, P23 */
void bench_matrix(size_t repeats);     /* P34 */
void bench_vector(size_t repeats);     /* P35 */
void bench_memory(size_t repeats);     /* P11 */
void bench_start(size_t repeats);      /* P12; before aclInit() */
void bench_idle(size_t repeats);       /* P13 */
void bench_resets(size_t repeats);     /* P20 */
void bench_sync(size_t repeats);       /* ways to synchronise */
void bench_copy_sizes(size_t repeats); /* copies by size and direction */
void bench_calibrate(size_t repeats);  /* work for `twinrt calibrate` */
void bench_devices(size_t repeats);    /* every stream of every device; before aclInit() */

#endif
