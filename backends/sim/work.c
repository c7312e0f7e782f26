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

/* The types that the documentation of this kind of part names; the engine's opcode knows more. */
static bool element_offered(twin_element element, uint32_t *out_type)
{
    static const struct {
        bool offered;
        uint32_t type;
    } elements[] = {
        [TWIN_ELEMENT_INT8] = {true, STARS_SDMA_INT8},
        [TWIN_ELEMENT_INT16] = {true, STARS_SDMA_INT16},
        [TWIN_ELEMENT_INT32] = {true, STARS_SDMA_INT32},
        [TWIN_ELEMENT_UINT8] = {false, STARS_SDMA_UINT8},
        [TWIN_ELEMENT_UINT16] = {false, STARS_SDMA_UINT16},
        [TWIN_ELEMENT_UINT32] = {false, STARS_SDMA_UINT32},
        [TWIN_ELEMENT_FP16] = {true, STARS_SDMA_FP16},
        [TWIN_ELEMENT_FP32] = {true, STARS_SDMA_FP32},
        [TWIN_ELEMENT_BF16] = {true, STARS_SDMA_BF16},
    };
    *out_type = elements[element].type;
    return elements[element].offered;
}

twin_status sim_work_reduce(twin_queue *queue, const twin_reduce *reduce)
{
    static const uint32_t operations[] = {[TWIN_REDUCE_ADD] = STARS_SDMA_OP_ADD,
                                          [TWIN_REDUCE_MAX] = STARS_SDMA_OP_MAX,
                                          [TWIN_REDUCE_MIN] = STARS_SDMA_OP_MIN};
    twin_status status = sim_queue_refusal(queue);
    if (status != TWIN_OK)
        return status;
    uint32_t type;
    if (!element_offered(reduce->element, &type)) {
        sim_explain("device %u, stream %u: the device does not reduce unsigned elements",
                    queue->device->index, queue->config.id);
        return TWIN_E_UNSUPPORTED;
    }
    twin_memory_kind dst;
    twin_memory_kind src;
    status = check_range(queue, "destination", reduce->dst, reduce->bytes, &dst);
    if (status == TWIN_OK)
        status = check_range(queue, "source", reduce->src, reduce->bytes, &src);
    if (status != TWIN_OK)
        return status;
    uint32_t count = count_pieces(queue, reduce->bytes, SIM_SDMA_PIECE);
    if (dst != TWIN_MEMORY_DEVICE || src != TWIN_MEMORY_DEVICE || count == 0)
        return TWIN_E_INVALID;
    pthread_mutex_lock(&queue->lock);
    if (!sim_queue_fits_locked(queue, count)) {
        pthread_mutex_unlock(&queue->lock);
        return TWIN_E_BUSY;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t done = i * SIM_SDMA_PIECE;
        uint64_t left = reduce->bytes - done;
        struct sim_token *token;
        stars_sqe *sqe = sim_queue_slot_locked(queue, i, &token);
        sim_sqe_sdma_reduce(sqe, reduce->dst + done, reduce->src + done,
                            left < SIM_SDMA_PIECE ? left : SIM_SDMA_PIECE, operations[reduce->op],
                            type);
    }
    sim_queue_send_locked(queue, count);
    pthread_mutex_unlock(&queue->lock);
    return TWIN_OK;
}

twin_status sim_work_copy_rows(twin_queue *queue, const twin_rows *rows)
{
    twin_status status = sim_queue_refusal(queue);
    if (status != TWIN_OK)
        return status;
    twin_memory_kind dst;
    twin_memory_kind src;
    status =
        check_range(queue, "destination", rows->dst, twin_rows_span(rows, rows->dst_pitch), &dst);
    if (status == TWIN_OK)
        status =
            check_range(queue, "source", rows->src, twin_rows_span(rows, rows->src_pitch), &src);
    if (status != TWIN_OK)
        return status;
    /* Within the device and between devices one entry; the PCIe DMA has no rows: an entry for each. */
    bool sdma = dst == TWIN_MEMORY_DEVICE && src == TWIN_MEMORY_DEVICE;
    if (sdma && (rows->dst_pitch | rows->src_pitch | rows->width | rows->height) > UINT32_MAX) {
        sim_explain("device %u, stream %u: rows of %llu bytes that lie %llu and %llu apart are too "
                    "far from each other for one entry",
                    queue->device->index, queue->config.id, (unsigned long long)rows->width,
                    (unsigned long long)rows->dst_pitch, (unsigned long long)rows->src_pitch);
        return TWIN_E_INVALID;
    }
    uint32_t count = sdma ? 1 : count_pieces(queue, rows->height, 1);
    if (count == 0)
        return TWIN_E_INVALID;
    pthread_mutex_lock(&queue->lock);
    if (!sim_queue_fits_locked(queue, count)) {
        pthread_mutex_unlock(&queue->lock);
        return TWIN_E_BUSY;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct sim_token *token;
        stars_sqe *sqe = sim_queue_slot_locked(queue, i, &token);
        if (sdma)
            sim_sqe_sdma_rows(sqe, rows->dst, (uint32_t)rows->dst_pitch, rows->src,
                              (uint32_t)rows->src_pitch, (uint32_t)rows->width,
                              (uint32_t)rows->height);
        else
            sim_sqe_pcie_copy(sqe, rows->dst + i * rows->dst_pitch, rows->src + i * rows->src_pitch,
                              rows->width);
    }
    sim_queue_send_locked(queue, count);
    pthread_mutex_unlock(&queue->lock);
    return TWIN_OK;
}
