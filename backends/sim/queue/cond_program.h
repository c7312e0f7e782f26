/* SPDX-License-Identifier: Apache-2.0 */
/* An assembler for the small programs of COND entries (twinsim/stars.h), so that they can be read.
 *
 *   struct sim_cond c;
 *   sim_cond_begin(&c, &sqe->word[STARS_COND_WORD], STARS_COND_WORDS);
 *   sim_cond_load_address(&c, SIM_R1, flag, STARS_COND_DOUBLE);
 *   sim_cond_branch(&c, STARS_COND_NOT_EQUAL, SIM_R1, SIM_R0, 0);
 *   sim_cond_enable(&c, other);
 *   sim_cond_label(&c, 0);
 *   if (!sim_cond_end(&c)) ... it did not fit
 *
 * Labels are small numbers. In a program of more than 16 words a branch needs SIM_R5 for itself and
 * takes five words. No function keeps anything beyond the struct; nothing is checked before
 * sim_cond_end. */
#ifndef TWINRT_SIM_QUEUE_COND_PROGRAM_H
#define TWINRT_SIM_QUEUE_COND_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "twinsim/stars.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sim_cond_register { SIM_R0, SIM_R1, SIM_R2, SIM_R3, SIM_R4, SIM_R5 };

#define SIM_COND_LABELS   16u
#define SIM_COND_BRANCHES 32u

struct sim_cond {
    uint32_t *word; /* the caller's */
    uint32_t room;  /* words */
    uint32_t length;
    bool bad; /* too long, or a value that no instruction can hold */
    uint32_t label[SIM_COND_LABELS];
    uint32_t branch_count;
    struct {
        uint32_t at; /* the branch; in a long program its constant is before it */
        uint32_t label;
    } branch[SIM_COND_BRANCHES];
};

void sim_cond_begin(struct sim_cond *c, uint32_t *words, uint32_t room);
/* Fills in the branches, and the rest of the room with instructions that do nothing. Whether all of
 * it fits. */
bool sim_cond_end(struct sim_cond *c);

/* rd = memory at rs1 + offset, 8 bytes; offset -2048 .. 2047. */
void sim_cond_load(struct sim_cond *c, unsigned rd, unsigned rs1, int offset);
/* rd = memory at `address` (49 bits); width: enum stars_cond_width. */
void sim_cond_load_address(struct sim_cond *c, unsigned rd, uint64_t address, unsigned width);
/* rd = value; three words. */
void sim_cond_constant(struct sim_cond *c, unsigned rd, uint64_t value);
/* rd = a (operation) b; operation: enum stars_cond_arithmetic; second: its second function or 0. */
void sim_cond_compute(struct sim_cond *c, unsigned operation, unsigned second, unsigned rd,
                      unsigned a, unsigned b);
/* rd = a (operation) value; -2048 .. 2047, a shift 0 .. 63. */
void sim_cond_compute_constant(struct sim_cond *c, unsigned operation, unsigned rd, unsigned a,
                               int value);
/* If a (relation) b: on at the label; relation: enum stars_cond_relation. */
void sim_cond_branch(struct sim_cond *c, unsigned relation, unsigned a, unsigned b, unsigned label);
/* The label is here. */
void sim_cond_label(struct sim_cond *c, unsigned label);
/* The queue's head. Its own queue goes there when the program's entry retires; another must be at
 * rest. */
void sim_cond_goto(struct sim_cond *c, uint32_t sq, uint32_t head);
/* The same by register: bits 10:0 queue, 31:16 head. */
void sim_cond_goto_register(struct sim_cond *c, unsigned rs1);
void sim_cond_enable(struct sim_cond *c, uint32_t sq);
void sim_cond_disable(struct sim_cond *c, uint32_t sq);
void sim_cond_enable_register(struct sim_cond *c, unsigned rs1);
/* The rest of the program is the one of `words` words at `address`, which is aligned to 4. Uses
 * SIM_R1, SIM_R2. */
void sim_cond_call(struct sim_cond *c, uint64_t address, uint32_t words);

#ifdef __cplusplus
}
#endif
#endif
