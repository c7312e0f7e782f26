/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills in stream order; records, waits and resets are in event.c. Each work op fills in
 * SQEs and rings: no model lock, no allocation, no system call, except that a copy of rows between
 * host and device, or random numbers, take memory for a list of descriptors. */
#include <string.h>

#include "memory/memory.h"
#include "device/device.h"
#include "queue/queue.h"
#include "queue/sqe.h"
#include "wait/progress.h"

/* Finds a side of queued work that the caller does not know. */
static twin_status find_side(const twin_queue *queue, const char *what, uint64_t address,
                             uint64_t bytes, twin_side *side)
{
    if (__builtin_expect(side->kind != TWIN_MEMORY_UNKNOWN, 1))
        return TWIN_OK;
    twin_status status = sim_memory_find(address, bytes, side);
    if (status == TWIN_OK && side->kind == TWIN_MEMORY_UNKNOWN)
        return sim_queue_refuse(queue, TWIN_E_INVALID,
                                "the %s 0x%llx is neither device nor page-locked memory", what,
                                (unsigned long long)address);
    return status;
}

/* How many entries of at most `piece` bytes; 0 when no ring could ever hold them. */
static uint32_t count_pieces(const twin_queue *queue, uint64_t bytes, uint64_t piece)
{
    uint64_t count = (bytes + piece - 1) / piece;
    if (count <= sim_process.limits.in_flight)
        return (uint32_t)count;
    (void)sim_queue_refuse(queue, TWIN_E_INVALID, "the work needs %llu entries, the ring takes %u",
                           (unsigned long long)count, sim_process.limits.in_flight);
    return 0;
}

/* The SDMA copies inside devices, the PCIe DMA does the rest. */
enum way { INSIDE, TO_DEVICE, TO_HOST };

/* Both sides of a copy, whose bytes are those of the destination. */
static twin_status find_sides(const twin_queue *queue, twin_copy *copy, uint64_t src_bytes,
                              enum way *out)
{
    twin_status status = find_side(queue, "destination", copy->dst, copy->bytes, &copy->sides.dst);
    if (status == TWIN_OK)
        status = find_side(queue, "source", copy->src, src_bytes, &copy->sides.src);
    *out = copy->sides.dst.kind != TWIN_MEMORY_DEVICE   ? TO_HOST
           : copy->sides.src.kind != TWIN_MEMORY_DEVICE ? TO_DEVICE
                                                        : INSIDE;
    return status;
}

/* Devices that have no link to each other meet at the host: the SDMA of one does not reach the
 * memory of another, the PCIe DMA does (T-LNK-1, T-LNK-3). Both sides are device memory. */
static bool crosses_host(const twin_queue *queue, const twin_copy *copy)
{
    return !sim_devices_linked() && (copy->sides.dst.device != queue->device->index ||
                                     copy->sides.src.device != queue->device->index);
}

/* Work that takes several entries: `piece` bytes each, but for the last; rows count as bytes. */
typedef struct pieces {
    const void *work;
    uint64_t bytes;
    uint64_t piece;
    bool visible; /* the host can see it without a call */
} pieces;

/* Fills in the entry for `bytes` bytes of the work from `done` on. */
typedef void pieces_entry(stars_sqe *sqe, const void *work, uint64_t done, uint64_t bytes);

/* The host can see the last of `count` entries that are about to be sent. */
static void note_visible_locked(twin_queue *queue, uint32_t count)
{
    uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    atomic_store_explicit(&queue->visible, submitted + count, memory_order_relaxed);
}

/* All entries or none. Inlined, so that `entry` is not called through a pointer. */
static inline __attribute__((always_inline)) twin_status put(twin_queue *queue, const pieces *all,
                                                             pieces_entry *entry)
{
    const uint32_t count = count_pieces(queue, all->bytes, all->piece);
    if (count == 0)
        return TWIN_E_INVALID;
    pthread_mutex_lock(&queue->lock);
    if (!sim_queue_fits_locked(queue, count)) {
        pthread_mutex_unlock(&queue->lock);
        return TWIN_E_BUSY;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t done = i * all->piece;
        const uint64_t left = all->bytes - done;
        stars_sqe *sqe = sim_queue_slot_locked(queue, i, NULL);
        entry(sqe, all->work, done, left < all->piece ? left : all->piece);
    }
    if (all->visible)
        note_visible_locked(queue, count);
    sim_queue_send_locked(queue, count);
    pthread_mutex_unlock(&queue->lock);
    if (all->visible)
        sim_progress_submitted();
    return TWIN_OK;
}

static void sdma_copy_entry(stars_sqe *sqe, const void *work, uint64_t done, uint64_t bytes)
{
    const twin_copy *copy = work;
    sim_sqe_sdma_copy(sqe, copy->dst + done, copy->src + done, bytes);
}

static void pcie_copy_entry(stars_sqe *sqe, const void *work, uint64_t done, uint64_t bytes)
{
    const twin_copy *copy = work;
    sim_sqe_pcie_copy(sqe, copy->dst + done, copy->src + done, bytes);
}

twin_status sim_work_copy(twin_queue *queue, const twin_copy *copy)
{
    enum way way = INSIDE;
    twin_copy found = *copy;
    twin_status status = sim_queue_refusal(queue);
    if (status == TWIN_OK)
        status = find_sides(queue, &found, copy->bytes, &way);
    if (status != TWIN_OK)
        return status;
    if (way == INSIDE && !crosses_host(queue, &found))
        return put(queue, &(pieces){copy, copy->bytes, SIM_SDMA_PIECE, false}, sdma_copy_entry);
    return put(queue, &(pieces){copy, copy->bytes, SIM_PCIE_PIECE, way == TO_HOST},
               pcie_copy_entry);
}

static void fill_entry(stars_sqe *sqe, const void *work, uint64_t done, uint64_t bytes)
{
    const twin_fill *fill = work;
    sim_sqe_sdma_fill(sqe, fill->dst + done, fill->value, fill->words, bytes);
}

twin_status sim_work_fill(twin_queue *queue, const twin_fill *fill)
{
    twin_side side = fill->side;
    twin_status status = sim_queue_refusal(queue);
    if (status == TWIN_OK)
        status = find_side(queue, "destination", fill->dst, fill->bytes, &side);
    if (status != TWIN_OK)
        return status;
    return put(queue,
               &(pieces){fill, fill->bytes, SIM_SDMA_PIECE, side.kind == TWIN_MEMORY_MANAGED},
               fill_entry);
}

/* ---- addresses in device memory, cache maintenance ------------------------------------------ */

/* Of an operation that a descriptor asks for. */
static const uint32_t range_opcodes[] = {[TWIN_RANGE_COPY] = STARS_SDMA_OP_COPY,
                                         [TWIN_RANGE_PREFETCH] = STARS_SDMA_OP_PREFETCH,
                                         [TWIN_RANGE_WRITEBACK] = STARS_SDMA_OP_WRITEBACK,
                                         [TWIN_RANGE_INVALIDATE] = STARS_SDMA_OP_INVALIDATE,
                                         [TWIN_RANGE_FLUSH] = STARS_SDMA_OP_FLUSH};

/* A range of device memory that is aligned. */
static twin_status check_device(const twin_queue *queue, const char *what, uint64_t address,
                                uint64_t bytes, uint64_t align, twin_side side)
{
    const twin_status status = find_side(queue, what, address, bytes, &side);
    if (status == TWIN_OK && (side.kind != TWIN_MEMORY_DEVICE || address % align != 0))
        return sim_queue_refuse(queue, TWIN_E_INVALID,
                                "the %s 0x%llx is not device memory at a multiple of %llu", what,
                                (unsigned long long)address, (unsigned long long)align);
    return status;
}

twin_status sim_work_described(twin_queue *queue, uint64_t at, twin_range_op op)
{
    twin_status status = sim_queue_refusal(queue);
    if (status == TWIN_OK)
        status = check_device(queue, "descriptor", at, TWIN_DESCRIPTOR_BYTES, TWIN_DESCRIPTOR_ALIGN,
                              (twin_side){.kind = TWIN_MEMORY_UNKNOWN});
    if (status != TWIN_OK)
        return status;
    stars_sqe *sqe = sim_queue_begin(queue, NULL);
    if (!sqe)
        return TWIN_E_BUSY;
    sim_sqe_sdma_pointer(sqe, at, range_opcodes[op]);
    sim_queue_commit(queue);
    return TWIN_OK;
}

static void maintain_entry(stars_sqe *sqe, const void *work, uint64_t done, uint64_t bytes)
{
    const twin_maintenance *maintenance = work;
    sim_sqe_sdma_maintain(sqe, maintenance->address + done, bytes, range_opcodes[maintenance->op]);
}

twin_status sim_work_maintain(twin_queue *queue, const twin_maintenance *maintenance)
{
    twin_status status = sim_queue_refusal(queue);
    if (status == TWIN_OK)
        status = check_device(queue, "range", maintenance->address, maintenance->bytes, 1,
                              (twin_side){.kind = TWIN_MEMORY_UNKNOWN});
    if (status != TWIN_OK)
        return status;
    return put(queue, &(pieces){maintenance, maintenance->bytes, SIM_SDMA_PIECE, false},
               maintain_entry);
}

static void based_entry(stars_sqe *sqe, const void *work, uint64_t done, uint64_t bytes)
{
    const twin_based_copy *copy = work;
    sim_sqe_sdma_offsets(sqe, copy->dst, copy->dst_offset + done, copy->src,
                         copy->src_offset + done, bytes);
}

twin_status sim_work_copy_based(twin_queue *queue, const twin_based_copy *copy)
{
    const twin_side unknown = {.kind = TWIN_MEMORY_UNKNOWN};
    const uint64_t most = 1ull << 48; /* of an offset */
    twin_status status = sim_queue_refusal(queue);
    if (status == TWIN_OK)
        status =
            check_device(queue, "place of the destination's address", copy->dst, 8, 8, unknown);
    if (status == TWIN_OK)
        status = check_device(queue, "place of the source's address", copy->src, 8, 8, unknown);
    if (status != TWIN_OK)
        return status;
    if (copy->dst_offset >= most || copy->src_offset >= most ||
        copy->bytes > most - copy->dst_offset || copy->bytes > most - copy->src_offset)
        return sim_queue_refuse(queue, TWIN_E_INVALID,
                                "%llu bytes at offsets %llu and %llu exceed the 48 bits of an "
                                "offset",
                                (unsigned long long)copy->bytes,
                                (unsigned long long)copy->dst_offset,
                                (unsigned long long)copy->src_offset);
    return put(queue, &(pieces){copy, copy->bytes, SIM_SDMA_PIECE, false}, based_entry);
}

/* ---- reductions, rows ----------------------------------------------------------------------- */

/* The types that the documentation of this kind of part names; the engine's opcode has more. */
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

static void reduce_entry(stars_sqe *sqe, const void *work, uint64_t done, uint64_t bytes)
{
    static const uint32_t operations[] = {[TWIN_REDUCE_ADD] = STARS_SDMA_OP_ADD,
                                          [TWIN_REDUCE_MAX] = STARS_SDMA_OP_MAX,
                                          [TWIN_REDUCE_MIN] = STARS_SDMA_OP_MIN};
    const twin_reduce *reduce = work;
    uint32_t type;
    (void)element_offered(reduce->element, &type);
    sim_sqe_sdma_reduce(sqe, reduce->dst + done, reduce->src + done, bytes, operations[reduce->op],
                        type);
}

twin_status sim_work_reduce(twin_queue *queue, const twin_reduce *reduce)
{
    twin_status status = sim_queue_refusal(queue);
    if (status != TWIN_OK)
        return status;
    uint32_t type;
    if (!element_offered(reduce->element, &type))
        return sim_queue_refuse(queue, TWIN_E_UNSUPPORTED,
                                "the device does not reduce unsigned elements");
    twin_copy sides = {
        .dst = reduce->dst, .src = reduce->src, .bytes = reduce->bytes, .sides = reduce->sides};
    enum way way = INSIDE;
    status = find_sides(queue, &sides, reduce->bytes, &way);
    if (status != TWIN_OK)
        return status;
    if (way != INSIDE)
        return TWIN_E_INVALID;
    if (crosses_host(queue, &sides))
        return sim_queue_refuse(
            queue, TWIN_E_UNSUPPORTED,
            "a reduction reads and writes memory of its own device "
            "alone: this part has no link between devices, and the PCIe DMA, which copies "
            "from one to another, does not reduce; copy first");
    return put(queue, &(pieces){reduce, reduce->bytes, SIM_SDMA_PIECE, false}, reduce_entry);
}

/* All rows. */
static void sdma_rows_entry(stars_sqe *sqe, const void *work, uint64_t done, uint64_t bytes)
{
    const twin_rows *rows = work;
    (void)done;
    (void)bytes;
    sim_sqe_sdma_rows(sqe, rows->dst, (uint32_t)rows->dst_pitch, rows->src,
                      (uint32_t)rows->src_pitch, (uint32_t)rows->width, (uint32_t)rows->height);
}

/* Memory for a list; when there is none, lists of retired tasks of this device are released
 * first. */
static twin_status take_list(twin_queue *queue, uint64_t rows, struct sim_list *out)
{
    struct sim_lists *lists = &queue->device->lists;
    if (sim_lists_take(lists, rows, out))
        return TWIN_OK;
    sim_queue_reclaim_all(queue->device, false);
    if (sim_lists_take(lists, rows, out))
        return TWIN_OK;
    return sim_queue_refuse(
        queue, TWIN_E_NOMEM,
        "no memory for a list of %llu rows beside those of tasks that have not ended",
        (unsigned long long)rows);
}

static void write_list(stars_dma_descriptor *list, const twin_rows *rows, bool into)
{
    for (uint64_t i = 0; i < rows->height; i++)
        sim_dma_descriptor(&list[i], into, rows->dst + i * rows->dst_pitch,
                           rows->src + i * rows->src_pitch, (uint32_t)rows->width);
}

/* Entries for lists that are written, each for as many rows as one holds. */
static void list_entries_locked(twin_queue *queue, const twin_rows *rows, uint32_t count,
                                struct sim_list list)
{
    const uint64_t most = sim_process.limits.list_descriptors;
    const stars_dma_descriptor *first = sim_lists_at(&queue->device->lists, list);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t done = i * most;
        const uint64_t left = rows->height - done;
        const uint64_t height = left < most ? left : most;
        struct sim_task_state *state = NULL;
        stars_sqe *sqe = sim_queue_slot_locked(queue, i, i + 1 == count ? &state : NULL);
        sim_sqe_pcie_list(sqe, (uintptr_t)(first + done), (uint32_t)height,
                          rows->dst + done * rows->dst_pitch, rows->src + done * rows->src_pitch,
                          rows->width * height);
        if (state) {
            state->kind = SIM_TASK_LIST;
            state->list = list;
        }
    }
    atomic_store_explicit(&queue->holds_memory, true, memory_order_relaxed);
}

static bool fits(twin_queue *queue, uint32_t count)
{
    pthread_mutex_lock(&queue->lock);
    const bool answer = sim_queue_fits_locked(queue, count);
    pthread_mutex_unlock(&queue->lock);
    return answer;
}

/* Rows as lists of descriptors, a row in each. All entries or none; the last one owns all lists.
 * Until there is an entry the lists are this call's alone: they are written without the lock, so
 * that others can end or look at the queue meanwhile. */
static twin_status put_lists(twin_queue *queue, const twin_rows *rows, bool into, bool visible)
{
    const uint32_t count = count_pieces(queue, rows->height, sim_process.limits.list_descriptors);
    if (count == 0)
        return TWIN_E_INVALID;
    if (!fits(queue, count)) /* before many are written in vain */
        return TWIN_E_BUSY;
    struct sim_list list;
    const twin_status status = take_list(queue, rows->height, &list);
    if (status != TWIN_OK)
        return status;
    write_list(sim_lists_at(&queue->device->lists, list), rows, into);
    pthread_mutex_lock(&queue->lock);
    const bool sent = sim_queue_fits_locked(queue, count); /* or the queue has stopped meanwhile */
    if (sent) {
        list_entries_locked(queue, rows, count, list);
        if (visible)
            note_visible_locked(queue, count);
        sim_queue_send_locked(queue, count);
    }
    pthread_mutex_unlock(&queue->lock);
    if (sent && visible)
        sim_progress_submitted();
    if (!sent)
        sim_lists_release(&queue->device->lists, list);
    return sent ? TWIN_OK : TWIN_E_BUSY;
}

/* How far a side is from the DMA engines of the queue's device (T-DMA-44): its own memory, that of
 * another device, the host. */
static unsigned distance(const twin_queue *queue, twin_side side)
{
    if (side.kind != TWIN_MEMORY_DEVICE)
        return 2;
    return side.device == queue->device->index ? 0 : 1;
}

static void pcie_row_entry(stars_sqe *sqe, const void *work, uint64_t done, uint64_t bytes)
{
    const twin_rows *rows = work;
    (void)bytes;
    sim_sqe_pcie_copy(sqe, rows->dst + done * rows->dst_pitch, rows->src + done * rows->src_pitch,
                      rows->width);
}

/* Rows between host and device, or between devices without a link. Adjacent ones are one row. A
 * descriptor moves bytes towards the device or away from it: rows from one other device to another
 * take an entry each. */
static twin_status put_pcie_rows(twin_queue *queue, const twin_rows *rows, const twin_sides *sides,
                                 bool visible)
{
    const bool dense = rows->dst_pitch == rows->width && rows->src_pitch == rows->width;
    if (dense || rows->height == 1) {
        const twin_copy whole = {
            .dst = rows->dst, .src = rows->src, .bytes = rows->width * rows->height};
        return put(queue, &(pieces){&whole, whole.bytes, SIM_PCIE_PIECE, visible}, pcie_copy_entry);
    }
    /* Where pages of managed memory are is not known before the engine moves them. */
    if (sides->dst.kind == TWIN_MEMORY_MANAGED || sides->src.kind == TWIN_MEMORY_MANAGED)
        return put(queue, &(pieces){rows, rows->height, 1, visible}, pcie_row_entry);
    const unsigned to = distance(queue, sides->dst);
    const unsigned from = distance(queue, sides->src);
    if (to == 1 && from == 1)
        return put(queue, &(pieces){rows, rows->height, 1, visible}, pcie_row_entry);
    if (to == from || rows->width > UINT32_MAX)
        return sim_queue_refuse(
            queue, TWIN_E_INVALID,
            "a list of descriptors cannot describe rows of %llu bytes from 0x%llx to 0x%llx",
            (unsigned long long)rows->width, (unsigned long long)rows->src,
            (unsigned long long)rows->dst);
    return put_lists(queue, rows, to < from, visible);
}

twin_status sim_work_copy_rows(twin_queue *queue, const twin_rows *rows)
{
    twin_copy sides = {.dst = rows->dst,
                       .src = rows->src,
                       .bytes = twin_rows_span(rows, rows->dst_pitch),
                       .sides = rows->sides};
    enum way way = INSIDE;
    twin_status status = sim_queue_refusal(queue);
    if (status == TWIN_OK)
        status = find_sides(queue, &sides, twin_rows_span(rows, rows->src_pitch), &way);
    if (status != TWIN_OK)
        return status;
    const bool sdma = way == INSIDE && !crosses_host(queue, &sides);
    if (sdma && (rows->dst_pitch | rows->src_pitch | rows->width | rows->height) > UINT32_MAX)
        return sim_queue_refuse(queue, TWIN_E_INVALID,
                                "rows of %llu bytes with pitches of %llu and %llu bytes are too "
                                "far apart for one entry",
                                (unsigned long long)rows->width,
                                (unsigned long long)rows->dst_pitch,
                                (unsigned long long)rows->src_pitch);
    return sdma ? put(queue, &(pieces){rows, 1, 1, false}, sdma_rows_entry)
                : put_pcie_rows(queue, rows, &sides.sides, way == TO_HOST);
}

/* ---- random numbers ------------------------------------------------------------------------- */

/* The parameters are in a list of descriptors of this task, unless the caller has a place. */
twin_status sim_work_random(twin_queue *queue, const twin_random *random)
{
    const twin_side unknown = {.kind = TWIN_MEMORY_UNKNOWN};
    struct sim_list list = {0};
    twin_status status = sim_queue_refusal(queue);
    if (status == TWIN_OK)
        status = check_device(queue, "result", random->dst, 1, 1, unknown);
    if (status == TWIN_OK && random->params == 0)
        status = take_list(queue, 1, &list);
    if (status != TWIN_OK)
        return status;
    uint64_t params = random->params;
    if (params == 0) {
        stars_dma_descriptor *own = sim_lists_at(&queue->device->lists, list);
        const uint64_t values[2] = {random->first.value, random->second.value};
        memcpy(own, values, sizeof(values));
        params = (uintptr_t)own;
    }
    pthread_mutex_lock(&queue->lock);
    const bool sent = sim_queue_fits_locked(queue, 1);
    if (sent) {
        struct sim_task_state *state = NULL;
        stars_sqe *sqe = sim_queue_slot_locked(queue, 0, random->params == 0 ? &state : NULL);
        sim_sqe_random(sqe, random, params);
        if (state) {
            state->kind = SIM_TASK_LIST;
            state->list = list;
            atomic_store_explicit(&queue->holds_memory, true, memory_order_relaxed);
        }
        sim_queue_send_locked(queue, 1);
    }
    pthread_mutex_unlock(&queue->lock);
    if (!sent && random->params == 0)
        sim_lists_release(&queue->device->lists, list);
    return sent ? TWIN_OK : TWIN_E_BUSY;
}
