/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of `twinrt bench`: the output of the programs, by row, and statistics of it. */
#ifndef TWINRT_TOOLS_BENCH_ROWS_H
#define TWINRT_TOOLS_BENCH_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct cJSON;

struct bench_row {
    char *group;
    char *run; /* within its group */
    char *name;
    char *unit;
    char *clock; /* "host", "virtual", "count" */
    double bytes;
    struct cJSON *parameters; /* object: name -> mark; NULL: none said */
    double *samples;          /* in rising order after bench_rows_finish() */
    size_t count;
};

struct bench_rows {
    struct bench_row *row;
    size_t count;
};

/* Takes one line of a program's output; lines that are not a JSON object are skipped. -1: out of
 * memory, or the line is not what a benchmark prints. */
int bench_rows_take(struct bench_rows *rows, const char *group, const char *run, const char *line);
/* Sorts samples. Call once, before what follows. */
void bench_rows_finish(struct bench_rows *rows);
/* A row by name and clock, or by name alone when `clock` is NULL; NULL: there is none. */
const struct bench_row *bench_rows_find(const struct bench_rows *rows, const char *name,
                                        const char *clock);
double bench_median(const struct bench_row *row);
/* The sample that nine tenths of all do not exceed. */
double bench_p90(const struct bench_row *row);
void bench_rows_free(struct bench_rows *rows);

/* ---- reports (bench_report.c) ---- */

/* The subject of a run, reported with its numbers. */
struct bench_about {
    const char *backend;
    const char *profile;
    unsigned repeats;
    struct cJSON *targets; /* array, as in targets.json; NULL: none */
    const char *filter;    /* rows without it are left out, unless their run has it; "": none */
};

bool bench_wanted(const char *filter, const char *group, const char *run, const char *name);
void bench_print_table(const struct bench_rows *rows, const struct bench_about *about, FILE *to);
/* -1: out of memory, or the file cannot be written. */
int bench_print_json(const struct bench_rows *rows, const struct bench_about *about, FILE *to);

#endif
