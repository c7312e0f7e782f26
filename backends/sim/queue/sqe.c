/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/sqe.h"

#include "twinsim/ffts.h"

static void header(stars_sqe *sqe, uint32_t type, bool cqe)
{
    /* ie 3: a CQE interrupts the host */
    sqe->word[0] = type | (cqe ? STARS_W0_WR_CQE | 3u << STARS_W0_IE_SHIFT : 0);
    sqe->word[3] = STARS_CREDIT_NEVER << STARS_W3_CREDIT_SHIFT;
}

static void pair(stars_sqe *sqe, unsigned word, uint64_t value)
{
    sqe->word[word] = (uint32_t)value;
    sqe->word[word + 1] = (uint32_t)(value >> 32);
}

/* Rounded up; 0: no limit. */
static uint32_t timeout_units(uint64_t timeout_ns)
{
    if (timeout_ns == UINT64_MAX)
        return 0;
    uint64_t units = timeout_ns / STARS_TIMEOUT_UNIT_NS + (timeout_ns % STARS_TIMEOUT_UNIT_NS != 0);
    return units == 0 ? 1 : units > UINT32_MAX ? UINT32_MAX : (uint32_t)units;
}

void sim_sqe_event_record(stars_sqe *sqe, uint32_t id, bool cqe)
{
    header(sqe, STARS_SQE_EVENT_RECORD, cqe);
    sqe->word[2] = id & STARS_W2_EVENT_MASK;
}

void sim_sqe_event_wait(stars_sqe *sqe, uint32_t id, uint64_t timeout_ns)
{
    header(sqe, STARS_SQE_EVENT_WAIT, false);
    sqe->word[2] = id & STARS_W2_EVENT_MASK;
    sqe->word[STARS_EVENT_TIMEOUT_WORD] = timeout_units(timeout_ns);
}

void sim_sqe_notify_record(stars_sqe *sqe, uint32_t id, bool cqe)
{
    header(sqe, STARS_SQE_NOTIFY_RECORD, cqe);
    sqe->word[2] = id & STARS_W2_NOTIFY_MASK;
}

void sim_sqe_notify_wait(stars_sqe *sqe, uint32_t id, uint64_t timeout_ns)
{
    header(sqe, STARS_SQE_NOTIFY_WAIT, false);
    sqe->word[2] = id & STARS_W2_NOTIFY_MASK;
    sqe->word[STARS_NOTIFY_TIMEOUT_WORD] = timeout_units(timeout_ns);
}

/* A store of 1 << `size` bytes at an address of 49 bits. */
static void store(stars_sqe *sqe, uint64_t address, uint32_t size, uint32_t subtype)
{
    header(sqe, STARS_SQE_WRITE_VALUE, false);
    sqe->word[4] = (uint32_t)address;
    sqe->word[5] = ((uint32_t)(address >> 32) & 0x1ffffu) | size << STARS_W5_SIZE_SHIFT;
    sqe->word[7] = subtype;
}

void sim_sqe_event_reset(stars_sqe *sqe, uint32_t id)
{
    store(sqe, STARS_EVENT_ENTRY(id & STARS_W2_EVENT_MASK), 0, STARS_WRITE_VALUE_EVENT_RESET);
    sqe->word[STARS_EVENT_RESET_ID_WORD] = id & STARS_W2_EVENT_MASK;
}

void sim_sqe_remote_record(stars_sqe *sqe, uint64_t address, bool linked)
{
    store(sqe, address, 2,
          linked ? STARS_WRITE_VALUE_NOTIFY_RECORD : STARS_WRITE_VALUE_NOTIFY_RECORD_PCIE);
    sqe->word[8] = 1;
}

void sim_sqe_notify_clear(stars_sqe *sqe, uint32_t id)
{
    store(sqe, STARS_NOTIFY_ENTRY(id & STARS_W2_NOTIFY_MASK), 2, STARS_WRITE_VALUE_GENERIC);
}

void sim_sqe_write_value(stars_sqe *sqe, uint64_t address, uint64_t value)
{
    store(sqe, address, 3, STARS_WRITE_VALUE_GENERIC);
    sqe->word[5] |= STARS_W5_VIRTUAL;
    pair(sqe, 8, value);
}

void sim_sqe_count_record(stars_sqe *sqe, uint32_t id, uint32_t mode, uint32_t value)
{
    sim_sqe_notify_record(sqe, id, false);
    sqe->word[2] |= STARS_W2_COUNT;
    sqe->word[STARS_COUNT_MODE_WORD] = mode;
    sqe->word[STARS_COUNT_VALUE_WORD] = value;
}

void sim_sqe_count_wait(stars_sqe *sqe, uint32_t id, uint32_t relation, uint32_t value, bool clear,
                        uint64_t timeout_ns)
{
    sim_sqe_notify_wait(sqe, id, timeout_ns);
    sqe->word[2] |= STARS_W2_COUNT | (clear ? STARS_W2_COUNT_CLEAR : 0);
    sqe->word[STARS_COUNT_MODE_WORD] = relation;
    sqe->word[STARS_COUNT_VALUE_WORD] = value;
}

void sim_sqe_placeholder(stars_sqe *sqe, bool cqe)
{
    header(sqe, STARS_SQE_PLACEHOLDER, cqe);
    sqe->word[0] |= STARS_PLACEHOLDER_NOP << STARS_W0_BLOCK_DIM_SHIFT;
}

void sim_sqe_sdma_copy(stars_sqe *sqe, uint64_t dst, uint64_t src, uint64_t bytes)
{
    header(sqe, STARS_SQE_SDMA, false);
    sqe->word[4] = STARS_SDMA_OP_COPY;
    sqe->word[7] = (uint32_t)bytes;
    pair(sqe, 8, src);
    pair(sqe, 10, dst);
}

void sim_sqe_sdma_fill(stars_sqe *sqe, uint64_t dst, uint32_t value, bool words, uint64_t bytes)
{
    header(sqe, STARS_SQE_SDMA, false);
    sqe->word[4] = STARS_SDMA_OP_FILL | (words ? STARS_SDMA_UINT32 : STARS_SDMA_INT8)
                                            << STARS_SDMA_TYPE_SHIFT;
    sqe->word[7] = (uint32_t)bytes;
    sqe->word[8] = words ? value : value & 0xffu;
    pair(sqe, 10, dst);
}

void sim_sqe_sdma_maintain(stars_sqe *sqe, uint64_t address, uint64_t bytes, uint32_t op)
{
    header(sqe, STARS_SQE_SDMA, false);
    sqe->word[4] = op;
    sqe->word[7] = (uint32_t)bytes;
    pair(sqe, 8, address);
}

void sim_sqe_sdma_pointer(stars_sqe *sqe, uint64_t at, uint32_t op)
{
    header(sqe, STARS_SQE_SDMA, false);
    sqe->word[3] |= STARS_W3_POINTER;
    pair(sqe, 4, at);
    sqe->word[5] |= STARS_W5_VIRTUAL;
    sqe->word[6] = op;
}

void sim_sqe_sdma_offsets(stars_sqe *sqe, uint64_t dst, uint64_t dst_offset, uint64_t src,
                          uint64_t src_offset, uint64_t bytes)
{
    sim_sqe_sdma_copy(sqe, dst, src, bytes);
    sqe->word[4] |= STARS_SDMA_OFFSETS;
    sqe->word[12] = (uint32_t)src_offset;
    sqe->word[13] = (uint32_t)dst_offset;
    sqe->word[14] = (uint32_t)(src_offset >> 32) | (uint32_t)(dst_offset >> 32) << 16;
}

void sim_sqe_random(stars_sqe *sqe, const twin_random *random, uint64_t params)
{
    const uint32_t first = random->function == TWIN_RANDOM_DROPOUT   ? STARS_DSA_RATIO
                           : random->function == TWIN_RANDOM_UNIFORM ? STARS_DSA_MINIMUM
                                                                     : STARS_DSA_MEAN;
    const bool two = random->function != TWIN_RANDOM_DROPOUT;
    const uint32_t valid = 1u << first | (two ? 2u << first : 0);
    const uint32_t values = (random->first.is_address ? 0 : 1u << first) |
                            (two && !random->second.is_address ? 2u << first : 0) |
                            (random->seed.is_address ? 0 : 1u << STARS_DSA_SEED) |
                            (random->count.is_address ? 0 : 1u << STARS_DSA_COUNT);
    header(sqe, STARS_SQE_DSA, false);
    sqe->word[2] = 1u | (uint32_t)random->function << STARS_DSA_FUNCTION_SHIFT |
                   (uint32_t)random->type << STARS_DSA_TYPE_SHIFT | valid << 10 |
                   values << STARS_DSA_VALUES_SHIFT;
    pair(sqe, 4, random->dst);
    pair(sqe, 6, random->counter);
    pair(sqe, 8, params);
    pair(sqe, 10, random->seed.value);
    pair(sqe, 12, random->count.value);
}

void sim_sqe_sdma_reduce(stars_sqe *sqe, uint64_t dst, uint64_t src, uint64_t bytes, uint32_t op,
                         uint32_t type)
{
    sim_sqe_sdma_copy(sqe, dst, src, bytes);
    sqe->word[4] = op | type << STARS_SDMA_TYPE_SHIFT;
}

void sim_sqe_sdma_rows(stars_sqe *sqe, uint64_t dst, uint32_t dst_row, uint64_t src,
                       uint32_t src_row, uint32_t row, uint32_t rows)
{
    sim_sqe_sdma_copy(sqe, dst, src, 0);
    sqe->word[4] = STARS_SDMA_OP_COPY | STARS_SDMA_SHORT_FORM |
                   STARS_SDMA_STRIDE_ROWS << STARS_SDMA_STRIDE_SHIFT;
    sqe->word[STARS_SDMA_SHORT_LENGTH_WORD] = row;
    sqe->word[13] = src_row;
    sqe->word[14] = dst_row;
    sqe->word[15] = rows;
}

void sim_sqe_pcie_copy(stars_sqe *sqe, uint64_t dst, uint64_t src, uint64_t bytes)
{
    header(sqe, STARS_SQE_PCIE_DMA, false);
    pair(sqe, 8, src);
    pair(sqe, 10, dst);
    pair(sqe, 12, bytes);
}

void sim_sqe_pcie_list(stars_sqe *sqe, uint64_t list, uint32_t count, uint64_t dst, uint64_t src,
                       uint64_t bytes)
{
    sim_sqe_pcie_copy(sqe, dst, src, bytes);
    pair(sqe, 4, list);
    sqe->word[6] = count & STARS_W6_LIST_TAIL_MASK;
    sqe->word[7] = STARS_W7_CONVERTED;
}

void sim_dma_descriptor(stars_dma_descriptor *entry, bool into, uint64_t dst, uint64_t src,
                        uint32_t bytes)
{
    *entry = (stars_dma_descriptor){
        {[0] = into ? STARS_DMA_READ : STARS_DMA_WRITE,
         [3] = bytes,
         [4] = (uint32_t)src,
         [5] = (uint32_t)(src >> 32),
         [6] = (uint32_t)dst,
         [7] = (uint32_t)(dst >> 32)},
    };
}

void sim_sqe_kernel(stars_sqe *sqe, uint32_t subtype, uint32_t blocks, uint32_t schem,
                    uint32_t weight, uint32_t credit)
{
    header(sqe, STARS_SQE_AICORE, false);
    sqe->word[0] |= blocks << STARS_W0_BLOCK_DIM_SHIFT;
    sqe->word[2] = subtype | weight << STARS_W2_WRR_SHIFT;
    sqe->word[3] = credit << STARS_W3_CREDIT_SHIFT | schem << STARS_W3_SCHEM_SHIFT;
}

void sim_sqe_ffts(stars_sqe *sqe, uint64_t table, uint32_t blocks, uint32_t weight, uint32_t credit)
{
    header(sqe, STARS_SQE_AICORE, false);
    sqe->word[0] |= blocks << STARS_W0_BLOCK_DIM_SHIFT;
    sqe->word[2] = STARS_KERNEL_FFTS | weight << STARS_W2_WRR_SHIFT;
    sqe->word[3] = credit << STARS_W3_CREDIT_SHIFT | STARS_FFTS_MIX_AIC << STARS_FFTS_TYPE_SHIFT;
    sqe->word[6] = 1u | 1u << STARS_FFTS_READY_SHIFT;
    sqe->word[7] = 1; /* to be loaded before */
    pair(sqe, STARS_FFTS_ADDRESS_WORD, table);
}

uint32_t *sim_sqe_cond(stars_sqe *sqe)
{
    header(sqe, STARS_SQE_COND, false);
    sqe->word[3] |= STARS_W3_CONTROLS_QUEUES;
    return &sqe->word[STARS_COND_WORD];
}

void sim_sqe_callback(stars_sqe *sqe, const struct sim_callback *words)
{
    header(sqe, STARS_SQE_AICPU, false);
    sqe->word[2] = STARS_TOPIC_HOST_CONTROL << STARS_W2_TOPIC_SHIFT;
    sqe->word[4] = (uint32_t)words->group << STARS_CALLBACK_GROUP_SHIFT;
    sqe->word[5] = (words->device & 0xffffu) | words->stream << 16;
    sqe->word[6] = words->block ? STARS_CALLBACK_BLOCK : 0;
    sqe->word[7] = sqe->word[1] >> STARS_W1_TASK_SHIFT;
    pair(sqe, 8, words->function);
    pair(sqe, 10, words->data);
    sqe->word[14] = STARS_TOPIC_CALLBACK << STARS_W14_TOPIC_SHIFT;
}

const char *sim_sqe_noun(unsigned type)
{
    static const char *const nouns[STARS_SQE_INVALID] = {
        [STARS_SQE_AICORE] = "kernel",
        [STARS_SQE_AICPU] = "host function",
        [STARS_SQE_PLACEHOLDER] = "placeholder",
        [STARS_SQE_EVENT_RECORD] = "event record",
        [STARS_SQE_EVENT_WAIT] = "event wait",
        [STARS_SQE_NOTIFY_RECORD] = "notify record",
        [STARS_SQE_NOTIFY_WAIT] = "notify wait",
        [STARS_SQE_WRITE_VALUE] = "write of a value",
        [STARS_SQE_COND] = "condition program",
        [STARS_SQE_DSA] = "random numbers",
        [STARS_SQE_SDMA] = "copy, fill or reduction on the SDMA",
        [STARS_SQE_PCIE_DMA] = "copy on the PCIe DMA",
    };
    return type < STARS_SQE_INVALID && nouns[type] ? nouns[type] : "task";
}

static uint64_t wide(const stars_sqe *sqe, unsigned word)
{
    return sqe->word[word] | (uint64_t)sqe->word[word + 1] << 32;
}

void sim_sqe_ranges(const stars_sqe *sqe, struct sim_dma_range out_ranges[2])
{
    const uint32_t type = sqe->word[0] & STARS_W0_TYPE_MASK;
    const bool fills = type == STARS_SQE_SDMA && (sqe->word[4] & 0xfu) == STARS_SDMA_OP_FILL;
    const bool pointed = type == STARS_SQE_SDMA && (sqe->word[3] & STARS_W3_POINTER) != 0;
    uint64_t bytes[2] = {0, 0};
    if (pointed) { /* what the descriptor names is not known any more */
        out_ranges[0] = (struct sim_dma_range){0, 0};
        out_ranges[1] = (struct sim_dma_range){
            (uint64_t)(sqe->word[5] & 0x1ffffu) << 32 | sqe->word[4], STARS_SDMA_DESCRIPTOR_BYTES};
        return;
    }
    if (type == STARS_SQE_PCIE_DMA) {
        bytes[0] = bytes[1] = wide(sqe, 12);
    } else if (type == STARS_SQE_SDMA && (sqe->word[4] & STARS_SDMA_SHORT_FORM) != 0) {
        const uint64_t row = sqe->word[STARS_SDMA_SHORT_LENGTH_WORD];
        const uint64_t gaps = sqe->word[15] > 0 ? sqe->word[15] - 1 : 0;
        bytes[0] = gaps * sqe->word[14] + row;
        bytes[1] = gaps * sqe->word[13] + row;
    } else if (type == STARS_SQE_SDMA && (sqe->word[4] & STARS_SDMA_OFFSETS) != 0) {
        bytes[0] = bytes[1] = sizeof(uint64_t); /* of the base addresses */
    } else if (type == STARS_SQE_SDMA) {
        bytes[0] = bytes[1] = sqe->word[7];
    }
    out_ranges[0] = (struct sim_dma_range){wide(sqe, 10), bytes[0]};
    out_ranges[1] = (struct sim_dma_range){wide(sqe, 8), fills ? 0 : bytes[1]};
}
