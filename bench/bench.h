/* SPDX-License-Identifier: Apache-2.0 */
/* What every benchmark program needs: a clock, repetitions, and one JSON line per number.
 *
 * A program prints lines {"name": ..., "unit": ..., "samples": [...]}; bench/run.py runs the programs in
 * turn, forms medians, spreads and ratios, and judges them against the targets. Nothing in here
 * passes or fails: host time is noisy and belongs to no test. */
#ifndef TWIN_BENCH_H
#define TWIN_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"

enum { BENCH_MAX_SAMPLES = 64 };

struct bench_samples {
    const char *name;
    const char *unit;
    double value[BENCH_MAX_SAMPLES];
    size_t count;
};

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t bench_now_ns(void);
void bench_add(struct bench_samples *samples, double value);
/* Prints the JSON line on stdout. */
void bench_print(const struct bench_samples *samples);
/* Resident and virtual sizes of this process in bytes, from /proc/self/statm. */
uint64_t bench_resident_bytes(void);
/* Ends the program with a message when `code` is not 0. */
void bench_must(int code, const char *what);

#define BENCH_MUST(call) bench_must((call), #call)

/* One question; the ACL program is initialised and device 0 is set when it runs. */
typedef void (*bench_question)(size_t repeats);

void bench_submit(size_t repeats);  /* P1, P2 */
void bench_wait(size_t repeats);    /* P3, P4, P5 */
void bench_streams(size_t repeats); /* P6, P8 */
void bench_copy(size_t repeats);    /* P9 */
void bench_memory(size_t repeats);  /* P11 */
void bench_idle(size_t repeats);    /* P13 */
void bench_resets(size_t repeats);  /* P20 */

#endif
