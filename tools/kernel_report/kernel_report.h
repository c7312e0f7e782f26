/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels did in a run on the model, from the file of TWINRT_KERNEL_COUNTS: where their time
 * goes, which roof is near, what to change. */
#ifndef TWINRT_TOOLS_KERNEL_REPORT_H
#define TWINRT_TOOLS_KERNEL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define KERNEL_PIPES   7 /* as twin_pipe numbers them */
#define KERNEL_CLASSES 64
#define KERNEL_HINT    400 /* bytes of a hint's text */

/* Times in ns and amounts are sums of all launches. */
struct kernel_wait {
    char kind[12]; /* flag, barrier, cross_core */
    int pipe, from, to;
    double flag, count, ns;
};

struct kernel_rows {
    double least, most, rows, bytes, ns;
};

struct kernel_moves {
    double count, bytes, l2_bytes, host_bytes, unaligned_bytes;
    struct kernel_rows rows[KERNEL_CLASSES];
    size_t row_count;
};

struct kernel_operations {
    int pipe;
    char type[8];
    double count;
};

enum kernel_idle { KERNEL_IDLE_SCALAR, KERNEL_IDLE_CORES, KERNEL_IDLE_DATA, KERNEL_IDLE_CAUSES };

/* The blocks on one kind of core. */
struct kernel_part {
    bool there, counted;
    double blocks, start_ns, list_ns, busy_ns, idle_ns[KERNEL_IDLE_CAUSES], pipe_ns[KERNEL_PIPES];
    double median_ns, longest_ns; /* of the launch in which the longest exceeds the median most */
    double longest_block;
    double bank_cycles;
    struct kernel_wait *waits; /* the longest first */
    size_t wait_count;
    struct kernel_moves reads, writes;
    struct kernel_operations *operations;
    size_t operation_count;
};

enum kernel_roof_kind { KERNEL_HBM, KERNEL_L2, KERNEL_CUBE, KERNEL_VECTOR, KERNEL_ROOFS };
extern const char *const kernel_roof_names[KERNEL_ROOFS];

/* What the kernel does against what the device can do. */
struct kernel_roof {
    double amount; /* bytes or operations */
    double rate;   /* a second */
    double peak;   /* of the mix of types */
    double share;  /* of the peak */
};

enum kernel_hint_kind {
    HINT_ONE_BUFFER,
    HINT_BARRIERS,
    HINT_SHORT_ROWS,
    HINT_UNALIGNED,
    HINT_BANKS,
    HINT_DATA,
    HINT_SCALAR,
    HINT_CROSS_CORE,
    HINT_UNEVEN,
    HINT_FEW_BLOCKS,
    HINT_LAST_WAVE,
    HINT_START,
    HINT_KINDS
};
extern const char *const kernel_hint_names[HINT_KINDS];
extern const char *const kernel_hint_rules[HINT_KINDS]; /* what holds without the hint */

struct kernel_hint {
    enum kernel_hint_kind kind;
    char text[KERNEL_HINT];
};

struct kernel {
    char *name;
    char cores[8]; /* cube, vector, mixed */
    double blocks, launches;
    double task_ns, shortest_ns, longest_ns; /* from fetch to retirement */
    double span_ns;                          /* from the issue of the first block to the last end */
    struct kernel_part parts[2];             /* aic, aiv */
    struct kernel_roof roofs[KERNEL_ROOFS];
    double operations;
    int limit; /* enum kernel_roof_kind; -1: none is near */
    struct kernel_hint hints[2 * HINT_KINDS];
    size_t hint_count;
};

struct kernel_device {
    char soc[64];
    double aic_cores, aiv_cores, split, mhz, vector_bytes, cube_k_fp16, cube_k_fp32, cube_k_int8;
    double hbm_bytes_per_s, l2_bytes_per_s, row_bytes, sector_bytes;
};

struct kernel_report {
    struct kernel_device device;
    struct kernel *kernels; /* the one with most time first; with `each` as launched */
    size_t count;
    bool each;
    const char *only; /* name of the kernels that are wanted; NULL: all */
};

/* Adds a file to the report. Equal launches are one kernel unless `each`. False: `error` says what
 * is wrong with it. */
bool kernel_report_add(struct kernel_report *report, const char *path, char *error,
                       size_t error_bytes);
/* Finds roofs and hints; sorts. Once, after the files. */
void kernel_report_judge(struct kernel_report *report);
void kernel_report_free(struct kernel_report *report);

void kernel_report_text(const struct kernel_report *report, FILE *out);
/* False: out of memory. */
bool kernel_report_json(const struct kernel_report *report, FILE *out);
/* A suite for each kernel, a case for each rule. */
void kernel_report_junit(const struct kernel_report *report, FILE *out);
/* The rooflines. */
void kernel_report_svg(const struct kernel_report *report, FILE *out);

/* ---- parts ----------------------------------------------------------------------------------- */

extern const char *const kernel_pipe_names[KERNEL_PIPES];
/* Operations a second of all cores. */
double kernel_peak(const struct kernel_device *device, const struct kernel_operations *operations);
void kernel_find_hints(const struct kernel_device *device, struct kernel *kernel);
/* "1.23 GB/s": three digits. */
#define KERNEL_NUMBER 32
const char *kernel_number(double value, const char *unit, char text[KERNEL_NUMBER]);
double kernel_ratio(double part, double whole);

#endif
