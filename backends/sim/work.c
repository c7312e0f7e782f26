/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills in stream order; records, waits and resets are in event.c. */
#include "work.h"

#include "device.h"
#include "memory.h"
#include "queue.h"
#include "sqe.h"

/* Checks a side of queued work. */
static twin_status check_range(const twin_queue *queue, const char *what, uint64_t address,
                               uint64_t bytes, twin_memory_kind *out_kind)
{
    twin_status status = sim_memory_check(address, bytes, out_kind);
    if (status == TWIN_OK && *out_kind == TWIN_MEMORY_UNKNOWN) {
        sim_explain("device %u, stream %u: the %s 0x%llx is neither device nor page-locked memory",
                    queue->device->index, queue->config.id, what, (unsigned long long)address);
        status = TWIN_E_INVALID;
    }
    return status;
}

/* How many entries of at most `piece` bytes; 0 when no ring could ever hold them. */
static uint32_t count_pieces(const twin_queue *queue, uint64_t bytes, uint64_t piece)
{
    uint64_t count = (bytes + piece - 1) / piece;
    if (count <= sim_process.limits.in_flight)
        return (uint32_t)count;
    sim_explain("device %u, stream %u: %llu bytes need %llu entries, the ring takes %u",
                queue->device->index, queue->config.id, (unsigned long long)bytes,
                (unsigned long long)count, sim_process.limits.in_flight);
    return 0;
}

twin_status sim_work_copy(twin_queue *queue, const twin_copy *copy)
{
    twin_status refusal = sim_queue_refusal(queue);
    if (refusal != TWIN_OK)
        return refusal;
    twin_memory_kind dst;
    twin_memory_kind src;
    twin_status status = check_range(queue, "destination", copy->dst, copy->bytes, &dst);
    if (status == TWIN_OK)
        status = check_range(queue, "source", copy->src, copy->bytes, &src);
    if (status != TWIN_OK)
        return status;

    /* Inside the device and between devices: SDMA. Anything with the host: PCIe DMA. */
    bool sdma = dst == TWIN_MEMORY_DEVICE && src == TWIN_MEMORY_DEVICE;
    uint64_t piece = sdma ? SIM_SDMA_PIECE : SIM_PCIE_PIECE;
    uint32_t count = count_pieces(queue, copy->bytes, piece);
    if (count == 0)
        return TWIN_E_INVALID;
    pthread_mutex_lock(&queue->lock);
    if (!sim_queue_fits_locked(queue, count)) {
        pthread_mutex_unlock(&queue->lock);
        return TWIN_E_BUSY;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t done = i * piece;
        uint64_t bytes = copy->bytes - done < piece ? copy->bytes - done : piece;
        struct sim_token *token;
        stars_sqe *sqe = sim_queue_slot_locked(queue, i, &token);
        if (sdma)
            sim_sqe_sdma_copy(sqe, copy->dst + done, copy->src + done, bytes);
        else
            sim_sqe_pcie_copy(sqe, copy->dst + done, copy->src + done, bytes);
    }
    sim_queue_send_locked(queue, count);
    pthread_mutex_unlock(&queue->lock);
    return TWIN_OK;
}

twin_status sim_work_fill(twin_queue *queue, const twin_fill *fill)
{
    twin_status refusal = sim_queue_refusal(queue);
    if (refusal != TWIN_OK)
        return refusal;
    twin_memory_kind kind;
    twin_status status = check_range(queue, "destination", fill->dst, fill->bytes, &kind);
    if (status != TWIN_OK)
        return status;
    uint32_t count = count_pieces(queue, fill->bytes, SIM_SDMA_PIECE);
    if (count == 0)
        return TWIN_E_INVALID;
    pthread_mutex_lock(&queue->lock);
    if (!sim_queue_fits_locked(queue, count)) {
        pthread_mutex_unlock(&queue->lock);
        return TWIN_E_BUSY;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t done = i * SIM_SDMA_PIECE;
        uint64_t left = fill->bytes - done;
        struct sim_token *token;
        stars_sqe *sqe = sim_queue_slot_locked(queue, i, &token);
        sim_sqe_sdma_fill(sqe, fill->dst + done, fill->value,
                          left < SIM_SDMA_PIECE ? left : SIM_SDMA_PIECE);
    }
    sim_queue_send_locked(queue, count);
    pthread_mutex_unlock(&queue->lock);
    return TWIN_OK;
}
