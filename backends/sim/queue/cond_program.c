/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/cond_program.h"

#include <stddef.h>

#define SHORT_PROGRAM 16u /* words that a branch reaches without a register */
#define UNPLACED      UINT32_MAX

static void put(struct sim_cond *c, uint32_t word)
{
    if (c->length < c->room)
        c->word[c->length] = word;
    else
        c->bad = true;
    c->length++;
}

static uint32_t code(unsigned operation, unsigned function, unsigned rd, unsigned rs1, unsigned rs2)
{
    return operation | function << STARS_COND_FUNCTION_SHIFT | rd << STARS_COND_RD_SHIFT |
           rs1 << STARS_COND_RS1_SHIFT | rs2 << STARS_COND_RS2_SHIFT;
}

static uint32_t immediate(struct sim_cond *c, int value)
{
    if (value < -2048 || value > 2047)
        c->bad = true;
    return ((uint32_t)value & 0xfffu) << STARS_COND_IMMEDIATE_SHIFT;
}

/* The upper 17 of 49 bits. */
static uint32_t high(uint64_t value)
{
    return ((uint32_t)(value >> 32) & 0x1ffffu) << STARS_COND_HIGH_SHIFT;
}

void sim_cond_begin(struct sim_cond *c, uint32_t *words, uint32_t room)
{
    *c = (struct sim_cond){.word = words, .room = room};
    for (size_t i = 0; i < SIM_COND_LABELS; i++)
        c->label[i] = UNPLACED;
}

bool sim_cond_end(struct sim_cond *c)
{
    for (uint32_t i = 0; !c->bad && i < c->branch_count; i++) {
        uint32_t at = c->branch[i].at;
        uint32_t to = c->label[c->branch[i].label];
        if (to == UNPLACED) {
            c->bad = true;
            break;
        }
        c->word[at] |= (to & 15u) << STARS_COND_TARGET_SHIFT;
        if (c->room > SHORT_PROGRAM)
            c->word[at - 2] =
                to >> 4; /* low word of the constant before the control register's write */
        else if (to > 15)
            c->bad = true;
    }
    while (c->length < c->room)
        put(c, STARS_COND_IMMEDIATE); /* R0 = R0 + 0 */
    return !c->bad;
}

void sim_cond_load(struct sim_cond *c, unsigned rd, unsigned rs1, int offset)
{
    put(c, code(STARS_COND_LOAD, STARS_COND_DOUBLE, rd, rs1, 0) | immediate(c, offset));
}

void sim_cond_load_address(struct sim_cond *c, unsigned rd, uint64_t address, unsigned width)
{
    if (address >> 49 != 0)
        c->bad = true;
    put(c, code(STARS_COND_LOAD_ADDRESS, width, rd, 0, 0) | high(address));
    put(c, (uint32_t)address);
}

void sim_cond_constant(struct sim_cond *c, unsigned rd, uint64_t value)
{
    put(c, code(STARS_COND_VALUE, STARS_COND_VALUE_TOP, rd, 0, 0) | (uint32_t)(value >> 49)
                                                                        << STARS_COND_TOP_SHIFT);
    put(c, code(STARS_COND_VALUE, STARS_COND_VALUE_LOW, rd, 0, 0) | high(value));
    put(c, (uint32_t)value);
}

void sim_cond_compute(struct sim_cond *c, unsigned operation, unsigned second, unsigned rd,
                      unsigned a, unsigned b)
{
    put(c, code(STARS_COND_REGISTER, operation, rd, a, b) | second << STARS_COND_FUNCTION2_SHIFT);
}

void sim_cond_compute_constant(struct sim_cond *c, unsigned operation, unsigned rd, unsigned a,
                               int value)
{
    bool shift = operation == STARS_COND_SHIFT_LEFT || operation == STARS_COND_SHIFT_RIGHT;
    if (shift && (value < 0 || value > 63))
        c->bad = true;
    put(c, code(STARS_COND_IMMEDIATE, operation, rd, a, 0) | immediate(c, value));
}

void sim_cond_branch(struct sim_cond *c, unsigned relation, unsigned a, unsigned b, unsigned label)
{
    if (label >= SIM_COND_LABELS || c->branch_count == SIM_COND_BRANCHES) {
        c->bad = true;
        return;
    }
    if (c->room > SHORT_PROGRAM) {
        sim_cond_constant(c, SIM_R5, 0);
        put(c, code(STARS_COND_CSR, STARS_COND_CSR_WRITE, SIM_R0, SIM_R5, 0) |
                   STARS_COND_CSR_JUMP << STARS_COND_IMMEDIATE_SHIFT);
    }
    c->branch[c->branch_count].at = c->length;
    c->branch[c->branch_count].label = label;
    c->branch_count++;
    put(c, code(STARS_COND_BRANCH, relation, 0, a, b));
}

void sim_cond_label(struct sim_cond *c, unsigned label)
{
    if (label >= SIM_COND_LABELS || c->label[label] != UNPLACED)
        c->bad = true;
    else
        c->label[label] = c->length;
}

static uint32_t queue_code(unsigned function, unsigned rs1)
{
    return code(STARS_COND_QUEUE, function, 0, rs1, 0);
}

void sim_cond_goto(struct sim_cond *c, uint32_t sq, uint32_t head)
{
    if (sq > STARS_COND_GOTO_QUEUE_MASK || head > 0xffff)
        c->bad = true;
    put(c, queue_code(STARS_COND_GOTO, 0));
    put(c, sq | head << STARS_COND_GOTO_HEAD_SHIFT);
}

void sim_cond_goto_register(struct sim_cond *c, unsigned rs1)
{
    put(c, queue_code(STARS_COND_GOTO | STARS_COND_BY_REGISTER, rs1));
}

void sim_cond_enable(struct sim_cond *c, uint32_t sq)
{
    put(c, queue_code(STARS_COND_ENABLE, 0) | sq << STARS_COND_QUEUE_SHIFT);
}

void sim_cond_disable(struct sim_cond *c, uint32_t sq)
{
    put(c, queue_code(STARS_COND_DISABLE, 0) | sq << STARS_COND_QUEUE_SHIFT);
}

void sim_cond_enable_register(struct sim_cond *c, unsigned rs1)
{
    put(c, queue_code(STARS_COND_ENABLE | STARS_COND_BY_REGISTER, rs1));
}

void sim_cond_call(struct sim_cond *c, uint64_t address, uint32_t words)
{
    if (words == 0 || words > STARS_COND_CALL_LENGTH_MASK || address % 4 != 0)
        c->bad = true;
    sim_cond_constant(c, SIM_R1, address);
    sim_cond_constant(c, SIM_R2, words);
    put(c, code(STARS_COND_CALL, 0, 0, SIM_R1, SIM_R2));
}
