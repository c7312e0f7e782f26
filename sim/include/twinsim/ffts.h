/* SPDX-License-Identifier: Apache-2.0 */
/* FFTS+: the contexts of an AI-core SQE of sub-type 4 (STARS_KERNEL_FFTS), a table in device
 * memory. A context is a piece of work that starts when as many others have ended as its
 * predecessor count says; rules T-FFT-1 ff. in sim/docs/timing.md.
 *
 * Bits are numbered within 32-bit words from 0. Layout: [known] CANN runtime,
 * rt_external_ffts_define.h and rt_external_stars_define.h. */
#ifndef TWINSIM_FFTS_H
#define TWINSIM_FFTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The SQE: word 2 bits 2:0 STARS_KERNEL_FFTS, 15:12 weight; word 3 bits 23:16 credit, 31:24 type of
 * the context of a mixed kernel; word 6 bits 15:0 contexts of the table, 31:16 how many of them
 * are ready at once; word 7 bits 15:0 contexts to be loaded before, 31:16 time-out; words 8-9
 * prefetch limits; words 10-11 bits 48:0 address of the table. */
#define STARS_FFTS_TYPE_SHIFT   24u /* word 3 */
#define STARS_FFTS_READY_SHIFT  16u /* word 6 */
#define STARS_FFTS_PRELOAD_MASK 0xffffu
#define STARS_FFTS_ADDRESS_WORD 10u
#define STARS_FFTS_ADDRESS_MASK 0x1ffffu /* of the high word */

#define STARS_FFTS_SUCCESSORS 26u
#define STARS_FFTS_END_SLOTS  12u

/* One context. Of each: word 0 bits 15:0 type, 23:16 successors, bit 31 automatic threads; word 1
 * bits 23:16 predecessors at first, 31:24 predecessors left; words 3 to 15 successors, 16 bits
 * each; word 18 bits 15:0 thread, 31:16 threads. */
typedef struct stars_ffts_context {
    uint32_t word[32];
} stars_ffts_context;

enum stars_ffts_type {
    STARS_FFTS_AIC = 0x0000,
    STARS_FFTS_AIV = 0x0001,
    STARS_FFTS_NOTIFY_WAIT = 0x0003,
    STARS_FFTS_NOTIFY_RECORD = 0x0004,
    STARS_FFTS_WRITE_VALUE = 0x0005,
    STARS_FFTS_MIX_AIC = 0x0006,
    STARS_FFTS_MIX_AIV = 0x0007,
    STARS_FFTS_SDMA = 0x0008,
    STARS_FFTS_AT_START = 0x0300, /* begin of the part that each thread of a window does */
    STARS_FFTS_AT_END = 0x0400,
    STARS_FFTS_LABEL = 0x0500 /* nothing but its place in the order */
};

#define STARS_FFTS_W0_TYPE_MASK        0xffffu
#define STARS_FFTS_W0_SUCCESSORS_SHIFT 16u /* 8 bits; AT_END: starts of threads */
#define STARS_FFTS_W0_LABELS_SHIFT     24u /* 7 bits; AT_END alone: labels behind the threads */
#define STARS_FFTS_W0_AUTOMATIC        (1u << 31)
#define STARS_FFTS_W1_INITIAL_SHIFT    16u
#define STARS_FFTS_W1_LEFT_SHIFT       24u
#define STARS_FFTS_LIST_WORD           3u /* AT_END: 12 starts, then 12 labels */
#define STARS_FFTS_W18_THREADS_SHIFT   16u

/* Kernels: word 16 bits 2:1 schedule; mixed ones word 17 bits 23:16 vector cores of a block, 31:24
 * those of the last thread's; word 19 bits 15:0 blocks, 31:16 blocks of the last thread; words
 * 20-21 bits 47:0 parameters, word 21 bits 31:16 their step from thread to thread; words 24-25 bits
 * 47:0 start PC, 26-27 that of the last thread. */
#define STARS_FFTS_SCHEM_SHIFT     1u /* word 16 */
#define STARS_FFTS_W17_LAST_SHIFT  24u
#define STARS_FFTS_W17_RATIO_SHIFT 16u /* 0: the cores that the type names, alone */
#define STARS_FFTS_BLOCKS_WORD     19u
#define STARS_FFTS_W19_LAST_SHIFT  16u

/* AT_START: word 19 bits 15:0 first thread, 31:16 threads of the window. */
#define STARS_FFTS_W19_WINDOW_SHIFT 16u

/* Notifies: word 19 bits 15:0 first id, 23:16 ids that a window takes in turn; words 24 to 31 the
 * ids, 16 bits each. */
#define STARS_FFTS_W19_TURNS_SHIFT 16u
#define STARS_FFTS_NOTIFY_WORD     24u

/* WRITE_VALUE: word 19 bits 2:0 size as in the SQE; words 20-21 bits 48:0 address; word 22 its step
 * from thread to thread; words 24 to 27 the value. */
#define STARS_FFTS_W19_VIRTUAL (1u << 15)
#define STARS_FFTS_VALUE_WORD  24u

/* SDMA: word 19 header as in the SQE; words 22-23 source, 24 its step from thread to thread; words
 * 25-26 destination, 27 its step; word 28 bytes, 29 bytes of the last thread. */
#define STARS_FFTS_W19_OPERATION 0xffu /* STARS_SDMA_OP_COPY */

#ifdef __cplusplus
}
#endif
#endif
