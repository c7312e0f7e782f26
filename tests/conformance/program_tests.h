/* SPDX-License-Identifier: Apache-2.0 */
/* What the program suite shares: a model instance with two streams, and memory that shows what
 * ran. */
#ifndef TWINRT_CONFORMANCE_PROGRAM_TESTS_H
#define TWINRT_CONFORMANCE_PROGRAM_TESTS_H

#include "suite.h"

#define WORDS 64u
#define HEAD  0x00000000u
#define WAITS 0x7fffffffu

/* A device, an ordinary stream, a model with two bound streams (the second waits), and words of
 * device memory. */
typedef struct program {
    aclrtStream plain, first, second;
    aclmdlRI model;
    int32_t *words; /* device */
    int32_t *host;  /* page-locked, read by `program_fetch` */
} program;

void program_begin(program *s);
void program_end(program *s);
void program_put(program *s, unsigned place, int32_t value);
const int32_t *program_fetch(program *s);
/* Queues words[to] = words[from]. */
void program_copy(program *s, unsigned to, unsigned from, unsigned count, aclrtStream stream);
/* Queues: places at .. at + 7 move up by one, and words[from] comes first. Words 56 .. 63 are its
 * scratch. */
void program_push(program *s, unsigned at, unsigned from, aclrtStream stream);
void program_finish(program *s, aclrtStream last);
void program_run(program *s);

/* program_label.c */
void test_label_arguments(void);
void test_list_goes_first(void);
void test_label_stands_no_more(void);
void test_jump_keeps_table(void);
void test_jump(void);
void test_loop(void);

#endif
