/* SPDX-License-Identifier: Apache-2.0 */
/* Writes of a word of device memory in stream order, and waits until one fits. */
#include <stdio.h>
#include <string.h>

#include "queue/cond_program.h"
#include "memory/memory.h"
#include "device/device.h"
#include "queue/queue.h"
#include "queue/sqe.h"

/* Words of a wait's program, which sim_value_describe reads back. */
enum { LOAD = 0, VALUE = 2, TEST = 5 };

static twin_status check_word(twin_queue *queue, uint64_t address, twin_side side)
{
    twin_status refusal = sim_queue_refusal(queue);
    if (refusal != TWIN_OK)
        return refusal;
    twin_status status = TWIN_OK;
    if (side.kind == TWIN_MEMORY_UNKNOWN)
        status = sim_memory_find(address, 8, &side);
    if (status == TWIN_OK && ((side.kind != TWIN_MEMORY_DEVICE && side.kind != TWIN_MEMORY_MAPPED &&
                               side.kind != TWIN_MEMORY_MANAGED) ||
                              address % 8 != 0))
        return sim_queue_refuse(queue, TWIN_E_INVALID,
                                "0x%llx is not an aligned word of device memory",
                                (unsigned long long)address);
    return status;
}

twin_status sim_work_write_value(twin_queue *queue, uint64_t address, uint64_t value,
                                 twin_side side)
{
    twin_status status = check_word(queue, address, side);
    if (status != TWIN_OK)
        return status;
    stars_sqe *sqe = sim_queue_begin(queue, NULL);
    if (!sqe)
        return TWIN_E_BUSY;
    sim_sqe_write_value(sqe, address, value);
    sim_queue_commit(queue);
    return TWIN_OK;
}

/* Goes on when the word fits, else back to its own entry: the scheduler polls then. The hardware's
 * driver spreads this over four entries; the other three keep its time stamps and change no
 * order. */
static void build(stars_sqe *sqe, uint32_t sq, uint32_t place, const twin_value_wait *wait)
{
    struct sim_cond c;
    sim_cond_begin(&c, sim_sqe_cond(sqe), STARS_COND_WORDS);
    sim_cond_load_address(&c, SIM_R1, wait->address, STARS_COND_DOUBLE);
    sim_cond_constant(&c, SIM_R2, wait->value);
    switch (wait->relation) {
    case TWIN_VALUE_GEQ:
        sim_cond_compute(&c, STARS_COND_ADD, STARS_COND_SUBTRACT, SIM_R3, SIM_R1, SIM_R2);
        sim_cond_branch(&c, STARS_COND_NOT_BELOW, SIM_R3, SIM_R0, 0);
        break;
    case TWIN_VALUE_EQ:
        sim_cond_branch(&c, STARS_COND_EQUAL, SIM_R1, SIM_R2, 0);
        break;
    case TWIN_VALUE_AND:
        sim_cond_compute(&c, STARS_COND_AND, 0, SIM_R3, SIM_R1, SIM_R2);
        sim_cond_branch(&c, STARS_COND_NOT_EQUAL, SIM_R3, SIM_R0, 0);
        break;
    case TWIN_VALUE_NOR:
        sim_cond_compute(&c, STARS_COND_OR, 0, SIM_R3, SIM_R1, SIM_R2);
        sim_cond_compute_constant(&c, STARS_COND_XOR, SIM_R3, SIM_R3, -1);
        sim_cond_branch(&c, STARS_COND_NOT_EQUAL, SIM_R3, SIM_R0, 0);
        break;
    }
    sim_cond_goto(&c, sq, place);
    sim_cond_label(&c, 0);
    if (!sim_cond_end(&c))
        sim_log(3, "a value wait does not fit into its entry"); /* the scheduler refuses it */
}

twin_status sim_work_wait_value(twin_queue *queue, const twin_value_wait *wait)
{
    twin_status status = check_word(queue, wait->address, wait->side);
    if (status != TWIN_OK)
        return status;
    stars_sqe *sqe = sim_queue_begin(queue, NULL);
    if (!sqe)
        return TWIN_E_BUSY;
    build(sqe, queue->sq, (uint32_t)(sqe - queue->ring), wait);
    sim_queue_commit(queue);
    return TWIN_OK;
}

/* Builds the wait that the entry may hold anew, and compares. */
static bool is_wait(const stars_sqe *sqe, uint64_t address, uint64_t value, twin_relation *out)
{
    const uint32_t *word = &sqe->word[STARS_COND_WORD];
    for (int relation = TWIN_VALUE_GEQ; relation <= TWIN_VALUE_NOR; relation++) {
        *out = (twin_relation)relation;
        stars_sqe again = {{0}};
        build(&again, 0, 0,
              &(twin_value_wait){.address = address, .value = value, .relation = *out});
        const uint32_t *other = &again.word[STARS_COND_WORD];
        if (memcmp(word, other, (TEST + 1) * sizeof(*word)) == 0)
            return true;
    }
    return false;
}

bool sim_value_describe(const stars_sqe *sqe, char *text, size_t bytes)
{
    const uint32_t *word = &sqe->word[STARS_COND_WORD];
    unsigned long long address =
        (unsigned long long)(word[LOAD] >> STARS_COND_HIGH_SHIFT) << 32 | word[LOAD + 1];
    uint64_t value = (uint64_t)(word[VALUE] >> STARS_COND_TOP_SHIFT) << 49 |
                     (uint64_t)(word[VALUE + 1] >> STARS_COND_HIGH_SHIFT) << 32 | word[VALUE + 2];
    twin_relation relation;
    if (!is_wait(sqe, address, value, &relation))
        return false;
    switch (relation) {
    case TWIN_VALUE_GEQ:
        snprintf(text, bytes, "the word at 0x%llx >= %lld", address, (long long)value);
        break;
    case TWIN_VALUE_EQ:
        snprintf(text, bytes, "the word at 0x%llx is %llu", address, (unsigned long long)value);
        break;
    case TWIN_VALUE_AND:
        snprintf(text, bytes, "the word at 0x%llx & 0x%llx is not 0", address,
                 (unsigned long long)value);
        break;
    case TWIN_VALUE_NOR:
        snprintf(text, bytes, "the word at 0x%llx | 0x%llx is not all ones", address,
                 (unsigned long long)value);
        break;
    }
    return true;
}
