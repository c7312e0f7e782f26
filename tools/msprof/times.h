/* SPDX-License-Identifier: Apache-2.0 */
/* Times of kernels as the vendor's profilers report them, and as the model does in their columns.
 * Names and units of columns are those of these pages:
 *   op_summary_*.csv, task_time_*.csv (msprof): https://gitcode.com/Ascend/msprof,
 *     docs/en/user_guide/profile_data_file_references.md
 *   OpBasicInfo.csv, PipeUtilization.csv (msprof op, msopprof):
 *     https://mindstudio-docs-master.readthedocs.io/zh-cn/latest/msopprof/docs/en/user_guide/
 *     msopprof_performance_data/
 *     https://www.hiascend.com/document/detail/en/canncommercial/850/devaids/optool/
 *     atlasopdev_16_0099.html */
#ifndef TWINRT_MSPROF_TIMES_H
#define TWINRT_MSPROF_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/containers.h"

#define MSPROF_TIMES_MOST ((size_t)1 << 22)

enum msprof_kind {
    MSPROF_KERNELS, /* a row for each kernel: op_summary, task_time, OpBasicInfo */
    MSPROF_BLOCKS,  /* a row for each block: PipeUtilization */
    MSPROF_KINDS
};

/* One cell. */
struct msprof_time {
    char *op;         /* the kernel */
    const char *path; /* of the file; the caller's */
    size_t line;
    uint64_t row;    /* rows of one launch have the same, later launches a greater one */
    uint32_t launch; /* launches of that name before it, in files of that kind */
    uint32_t blocks; /* 0: not reported */
    uint32_t block;  /* of BLOCKS */
    char unit[16];   /* of BLOCKS, the core: "vector0" */
    char column[16]; /* "task", "aic", "aiv", "aic_cube"...; a part whose cores have all
                          units: "aic" too */
    uint8_t kind;    /* enum msprof_kind */
    double us;
};

struct msprof_times {
    LIST_OF(struct msprof_time); /* sorted by kernel, launch and place */
    uint64_t rows;               /* of tables */
    double mhz;                  /* clock of the cores, as measured; 0: not reported */
};

/* "BOARD=KERNEL": rows of BOARD are of kernel KERNEL. */
struct msprof_rename {
    const char *from;
    size_t from_bytes;
    const char *to;
};

/* Whether the file looks like a table of text, and not like a recording. */
bool msprof_is_table(const char *path);
/* Adds the times of a file; cells without a number are left out. False: `error` says what is wrong,
 * and where. `path` stays with the times. */
bool msprof_times_add(struct msprof_times *times, const char *path, char *error, size_t bytes);
/* The same of text, for tests. `op`: the kernel of a table that does not name one; NULL: that is
 * an error. */
bool msprof_times_parse(struct msprof_times *times, const char *path, const char *text,
                        size_t text_bytes, const char *op, char *error, size_t bytes);
/* Gives kernels other names, then sorts and counts launches: once, after all files. False: out of
 * memory. */
bool msprof_times_sort(struct msprof_times *times, const struct msprof_rename *renames,
                       size_t count);
void msprof_times_free(struct msprof_times *times);

/* The same place in another list that is sorted; NULL: it is not there. */
const struct msprof_time *msprof_find(const struct msprof_times *times,
                                      const struct msprof_time *like);
/* Whether another list that is sorted has times of the same kernel and kind. */
bool msprof_has_kernel(const struct msprof_times *times, const struct msprof_time *like);
/* Whether both have each kernel that both have equally often, with equally many blocks: only then
 * is it known which row belongs to which launch. */
bool msprof_is_comparable(const struct msprof_times *a, const struct msprof_times *b, char *error,
                          size_t bytes);

#endif
