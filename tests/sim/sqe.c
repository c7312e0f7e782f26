/* SPDX-License-Identifier: Apache-2.0 */
#include "sqe.h"

#include <stdlib.h>

#include "backends/sim/queue/cond_program.h"

static stars_sqe of_type(uint32_t type)
{
    stars_sqe sqe = {{0}};
    sqe.word[0] = type;
    sqe.word[3] = STARS_CREDIT_NEVER << STARS_W3_CREDIT_SHIFT;
    return sqe;
}

static void put_wide(stars_sqe *sqe, unsigned word, uint64_t value)
{
    sqe->word[word] = (uint32_t)value;
    sqe->word[word + 1] = (uint32_t)(value >> 32);
}

stars_sqe sqe_placeholder(void)
{
    stars_sqe sqe = of_type(STARS_SQE_PLACEHOLDER);
    sqe.word[0] |= STARS_PLACEHOLDER_NOP << STARS_W0_BLOCK_DIM_SHIFT;
    return sqe;
}

stars_sqe sqe_event_record(uint32_t event)
{
    stars_sqe sqe = of_type(STARS_SQE_EVENT_RECORD);
    sqe.word[2] = event;
    return sqe;
}

stars_sqe sqe_event_wait(uint32_t event, uint32_t seconds)
{
    stars_sqe sqe = of_type(STARS_SQE_EVENT_WAIT);
    sqe.word[2] = event;
    sqe.word[STARS_EVENT_TIMEOUT_WORD] = seconds;
    return sqe;
}

stars_sqe sqe_notify_record(uint32_t notify)
{
    stars_sqe sqe = of_type(STARS_SQE_NOTIFY_RECORD);
    sqe.word[2] = notify;
    return sqe;
}

stars_sqe sqe_notify_wait(uint32_t notify, uint32_t seconds)
{
    stars_sqe sqe = of_type(STARS_SQE_NOTIFY_WAIT);
    sqe.word[2] = notify;
    sqe.word[STARS_NOTIFY_TIMEOUT_WORD] = seconds;
    return sqe;
}

stars_sqe sqe_count_record(uint32_t count, uint32_t mode, uint32_t value)
{
    stars_sqe sqe = sqe_notify_record(count | STARS_W2_COUNT);
    sqe.word[STARS_COUNT_MODE_WORD] = mode;
    sqe.word[STARS_COUNT_VALUE_WORD] = value;
    return sqe;
}

stars_sqe sqe_count_wait(uint32_t count, uint32_t relation, uint32_t value, int clear,
                         uint32_t seconds)
{
    stars_sqe sqe =
        sqe_notify_wait(count | STARS_W2_COUNT | (clear ? STARS_W2_COUNT_CLEAR : 0), seconds);
    sqe.word[STARS_COUNT_MODE_WORD] = relation;
    sqe.word[STARS_COUNT_VALUE_WORD] = value;
    return sqe;
}

stars_sqe sqe_event_write(uint32_t event, uint32_t value)
{
    stars_sqe sqe = of_type(STARS_SQE_WRITE_VALUE);
    sqe.word[4] = STARS_EVENT_ENTRY(event);
    sqe.word[5] = 2u << STARS_W5_SIZE_SHIFT;
    sqe.word[7] = STARS_WRITE_VALUE_EVENT_RESET;
    sqe.word[8] = value;
    return sqe;
}

stars_sqe sqe_write_value(uint64_t address, uint32_t size_code, uint64_t value)
{
    stars_sqe sqe = of_type(STARS_SQE_WRITE_VALUE);
    sqe.word[4] = (uint32_t)address;
    sqe.word[5] = (uint32_t)(address >> 32) | size_code << STARS_W5_SIZE_SHIFT | STARS_W5_VIRTUAL;
    put_wide(&sqe, 8, value);
    return sqe;
}

stars_sqe sqe_sdma(uint64_t dst, uint64_t src, uint32_t bytes)
{
    stars_sqe sqe = of_type(STARS_SQE_SDMA);
    sqe.word[4] = STARS_SDMA_OP_COPY;
    sqe.word[7] = bytes;
    put_wide(&sqe, 8, src);
    put_wide(&sqe, 10, dst);
    return sqe;
}

stars_sqe sqe_sdma_reduce(uint64_t dst, uint64_t src, uint32_t bytes, uint32_t op, uint32_t type)
{
    stars_sqe sqe = sqe_sdma(dst, src, bytes);
    sqe.word[4] = op | type << STARS_SDMA_TYPE_SHIFT;
    return sqe;
}

stars_sqe sqe_sdma_rows(uint64_t dst, uint32_t dst_row, uint64_t src, uint32_t src_row,
                        uint32_t row, uint32_t rows)
{
    stars_sqe sqe = sqe_sdma(dst, src, 0);
    sqe.word[4] = STARS_SDMA_OP_COPY | STARS_SDMA_SHORT_FORM |
                  STARS_SDMA_STRIDE_ROWS << STARS_SDMA_STRIDE_SHIFT;
    sqe.word[STARS_SDMA_SHORT_LENGTH_WORD] = row;
    sqe.word[13] = src_row;
    sqe.word[14] = dst_row;
    sqe.word[15] = rows;
    return sqe;
}

stars_sqe sqe_sdma_fill(uint64_t dst, uint8_t value, uint32_t bytes)
{
    stars_sqe sqe = sqe_sdma(dst, value, bytes);
    sqe.word[4] = STARS_SDMA_OP_FILL;
    return sqe;
}

stars_sqe sqe_pcie_dma(uint64_t dst, uint64_t src, uint64_t bytes)
{
    stars_sqe sqe = of_type(STARS_SQE_PCIE_DMA);
    put_wide(&sqe, 8, src);
    put_wide(&sqe, 10, dst);
    put_wide(&sqe, 12, bytes);
    return sqe;
}

stars_sqe sqe_kernel(uint32_t subtype, uint32_t blocks, uint64_t pc)
{
    stars_sqe sqe = of_type(STARS_SQE_AICORE);
    sqe.word[0] |= blocks << STARS_W0_BLOCK_DIM_SHIFT;
    sqe.word[2] = subtype;
    put_wide(&sqe, 8, pc);
    return sqe;
}

stars_sqe sqe_with_schedule(stars_sqe sqe, uint32_t schem, uint32_t weight)
{
    sqe.word[2] |= weight << STARS_W2_WRR_SHIFT;
    sqe.word[3] |= schem << STARS_W3_SCHEM_SHIFT;
    return sqe;
}

stars_sqe sqe_with_cqe(stars_sqe sqe)
{
    sqe.word[0] |= STARS_W0_WR_CQE;
    return sqe;
}

stars_sqe sqe_poll(uint32_t sq, uint32_t place, uint64_t address, uint64_t value)
{
    stars_sqe sqe = of_type(STARS_SQE_COND);
    struct sim_cond c;
    sim_cond_begin(&c, &sqe.word[STARS_COND_WORD], STARS_COND_WORDS);
    sim_cond_load_address(&c, SIM_R1, address, STARS_COND_DOUBLE);
    sim_cond_constant(&c, SIM_R2, value);
    sim_cond_branch(&c, STARS_COND_NOT_BELOW, SIM_R1, SIM_R2, 0);
    sim_cond_goto(&c, sq, place);
    sim_cond_label(&c, 0);
    if (!sim_cond_end(&c))
        abort();
    return sqe;
}

stars_sqe sqe_with_credit(stars_sqe sqe, uint32_t credit)
{
    sqe.word[3] &= ~(0xffu << STARS_W3_CREDIT_SHIFT);
    sqe.word[3] |= credit << STARS_W3_CREDIT_SHIFT;
    return sqe;
}

stars_sqe sqe_callback(uint16_t group, uint64_t function, uint64_t data, int block)
{
    stars_sqe sqe = {{0}};
    sqe.word[0] = STARS_SQE_AICPU;
    sqe.word[2] = STARS_TOPIC_HOST_CONTROL << STARS_W2_TOPIC_SHIFT;
    sqe.word[3] = STARS_CREDIT_NEVER << STARS_W3_CREDIT_SHIFT;
    sqe.word[4] = (uint32_t)group << STARS_CALLBACK_GROUP_SHIFT;
    sqe.word[6] = block ? STARS_CALLBACK_BLOCK : 0;
    sqe.word[8] = (uint32_t)function;
    sqe.word[9] = (uint32_t)(function >> 32);
    sqe.word[10] = (uint32_t)data;
    sqe.word[11] = (uint32_t)(data >> 32);
    return sqe;
}
