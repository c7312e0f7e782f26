/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/pool.h"

#include <stdlib.h>
#include <utlist.h>

#include "device/device.h"
#include "process/nondeterminism.h"
#include "queue/queue.h"
#include "signal/event.h"
#include "wait/hooks.h"

atomic_uint sim_pool_count;
atomic_uint sim_pool_followers;

static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;
/* Guarded by pools_lock. */
static twin_hw_pool *pools;
static uint64_t pieces_made;

static void lock_pools(void)
{
    pthread_mutex_lock(&pools_lock);
}

/* Which thread comes first decides who gets what. */
void sim_pool_take_lock(void)
{
    sim_nd_act(TWIN_ND_POOLS, false, lock_pools);
}

void sim_pool_drop_lock(void)
{
    pthread_mutex_unlock(&pools_lock);
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Notes after which work of the queue the block is free. */
static struct sim_queue_point note_point(struct sim_block *block, twin_queue *queue)
{
    const struct sim_queue_point point = {
        .queue = queue,
        .epoch = sim_pool_epoch(queue),
        .number = atomic_load_explicit(&queue->submitted, memory_order_relaxed)};
    atomic_store_explicit(&block->returned_epoch, point.epoch, memory_order_relaxed);
    atomic_store_explicit(&block->returned_after, point.number, memory_order_relaxed);
    atomic_store_explicit(&block->returned_by, queue, memory_order_release);
    return point;
}

static void revive(struct sim_arena *arena, struct sim_block *block)
{
    pthread_mutex_lock(&arena->lock);
    block->serial = ++arena->serial;
    atomic_store_explicit(&block->returned_by, NULL, memory_order_relaxed);
    atomic_store_explicit(&block->reported, false, memory_order_relaxed);
    atomic_store_explicit(&block->state, SIM_BLOCK_LIVE, memory_order_release);
    pthread_mutex_unlock(&arena->lock);
}

static void uncharge(struct sim_arena *arena, uint64_t bytes)
{
    pthread_mutex_lock(&arena->lock);
    arena->used_bytes -= bytes;
    arena->uses[TWIN_MODULE_APP].bytes -= bytes;
    pthread_mutex_unlock(&arena->lock);
}

/* ---- pieces --------------------------------------------------------------------------------- */

static void note_highs(twin_hw_pool *pool)
{
    if (pool->reserved_high < pool->reserved)
        pool->reserved_high = pool->reserved;
    if (pool->used_high < pool->used)
        pool->used_high = pool->used;
}

/* Signals whose pieces have gone: destroyed when no lock is held. */
#define SIGNALS_AT_ONCE 64u
struct signals {
    twin_signal *list[SIGNALS_AT_ONCE];
    unsigned count;
};

static void drop_signals(struct signals *signals)
{
    for (unsigned i = 0; i < signals->count; i++)
        sim_signal_destroy(signals->list[i]);
    signals->count = 0;
}

static void forget_signal(struct sim_piece *piece, struct signals *signals)
{
    if (piece->signal && signals->count < SIGNALS_AT_ONCE)
        signals->list[signals->count++] = piece->signal;
    else if (piece->signal)
        sim_event_drop(piece->signal);
    piece->signal = NULL;
}

static void delete_piece(struct sim_piece *piece, struct signals *signals)
{
    forget_signal(piece, signals);
    DL_DELETE(piece->pool->pieces, piece);
    free(piece);
}

/* Takes `bytes` of the share of a piece, for the device (`charged`) or for an allocation. The block
 * is not used again as a whole: it ends when no task uses it. A piece without a share ends. False:
 * out of host memory. */
static bool shrink(struct sim_piece *piece, uint64_t bytes, bool charged, struct signals *signals)
{
    struct sim_arena *arena = &piece->pool->device->memory;
    const uint64_t charge = charged ? bytes : 0;
    if (piece->block) {
        struct sim_fence *fence = NULL;
        if (sim_fence_take(&fence) && !fence)
            return false;
        sim_arena_drop_returned(arena, piece->block, fence, charge);
        piece->block = NULL;
    } else if (charge != 0) {
        uncharge(arena, charge);
    }
    piece->bytes -= bytes;
    piece->whole = false;
    if (piece->bytes == 0)
        delete_piece(piece, signals);
    return true;
}

/* The smallest piece that is freed and has at least `least` bytes, or NULL. */
static struct sim_piece *smallest(const twin_hw_pool *pool, uint64_t least, bool passed)
{
    struct sim_piece *best = NULL;
    struct sim_piece *one;
    DL_FOREACH(pool->pieces, one)
    if (!one->used && one->bytes >= least && (!best || one->bytes < best->bytes) &&
        (!passed || sim_pool_passed(one)))
        best = one;
    return best;
}

/* Gives idle memory back until no more than `most` bytes are left. `passed`: only what no queued
 * task uses any more. */
static twin_status release(twin_hw_pool *pool, uint64_t most, bool passed, struct signals *signals)
{
    while (pool->reserved > most) {
        struct sim_piece *piece = smallest(pool, 1, passed);
        if (!piece)
            return TWIN_OK;
        const uint64_t excess = pool->reserved - most;
        const uint64_t bytes = piece->bytes < excess ? piece->bytes : excess;
        if (!shrink(piece, bytes, true, signals))
            return TWIN_E_NOMEM;
        pool->reserved -= bytes;
    }
    return TWIN_OK;
}

/* ---- pools ---------------------------------------------------------------------------------- */

/* Waits for events are noted from now on, or no more. */
static void follow(twin_hw_pool *pool, bool on)
{
    if (pool->follow_events == on)
        return;
    pool->follow_events = on;
    atomic_fetch_add_explicit(&sim_pool_followers, on ? 1u : UINT32_MAX, memory_order_relaxed);
}

twin_status sim_pool_create(twin_hw_device *device, uint64_t bytes, twin_hw_pool **out_pool)
{
    twin_hw_pool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return TWIN_E_NOMEM;
    pool->device = device;
    pool->size = bytes;
    sim_pool_take_lock();
    DL_APPEND(pools, pool);
    sim_pool_drop_lock();
    atomic_fetch_add_explicit(&sim_pool_count, 1, memory_order_relaxed);
    *out_pool = pool;
    return TWIN_OK;
}

void sim_pool_destroy(twin_hw_pool *pool)
{
    struct signals signals = {.count = 0};
    struct sim_arena *arena = &pool->device->memory;
    struct sim_piece *one, *next;
    if (pool->used != 0)
        sim_log(2,
                "device %u: a memory pool is destroyed with %llu bytes allocated, which are freed",
                pool->device->index, (unsigned long long)pool->used);
    sim_pool_take_lock();
    DL_FOREACH_SAFE(pool->pieces, one, next) {
        struct sim_fence *fence = NULL;
        /* Without memory for the fence: what tasks still use is reported as an early free. */
        if (one->block) {
            (void)sim_fence_take(&fence);
            sim_arena_drop_returned(arena, one->block, fence, one->bytes);
        } else {
            uncharge(arena, one->bytes);
        }
        delete_piece(one, &signals);
    }
    DL_DELETE(pools, pool);
    follow(pool, false);
    if (!pools)
        sim_pool_forget_order();
    sim_pool_drop_lock();
    atomic_fetch_sub_explicit(&sim_pool_count, 1, memory_order_relaxed);
    drop_signals(&signals);
    free(pool);
}

static twin_status refuse_attr(twin_pool_attr attr)
{
    sim_explain("a memory pool has no attribute %u", (unsigned)attr);
    return TWIN_E_POOL;
}

static twin_status set_locked(twin_hw_pool *pool, twin_pool_attr attr, uint64_t value)
{
    switch (attr) {
    case TWIN_POOL_FOLLOW_EVENTS:
        follow(pool, value != 0);
        return TWIN_OK;
    case TWIN_POOL_OPPORTUNISTIC:
        pool->opportunistic = value != 0;
        return TWIN_OK;
    case TWIN_POOL_ADD_WAITS:
        pool->add_waits = value != 0;
        return TWIN_OK;
    case TWIN_POOL_THRESHOLD:
        if (value > pool->size)
            break;
        pool->threshold = value;
        return TWIN_OK;
    case TWIN_POOL_RESERVED_HIGH:
    case TWIN_POOL_USED_HIGH:
        if (value != 0)
            break;
        *(attr == TWIN_POOL_USED_HIGH ? &pool->used_high : &pool->reserved_high) = 0;
        return TWIN_OK;
    case TWIN_POOL_RESERVED:
    case TWIN_POOL_USED:
        return TWIN_E_INVALID;
    default:
        return refuse_attr(attr);
    }
    if (attr == TWIN_POOL_THRESHOLD)
        sim_explain("the threshold of %llu bytes exceeds the size of the pool, %llu bytes",
                    (unsigned long long)value, (unsigned long long)pool->size);
    else
        sim_explain("a high-water mark is reset with 0, not with %llu", (unsigned long long)value);
    return TWIN_E_POOL;
}

twin_status sim_pool_set(twin_hw_pool *pool, twin_pool_attr attr, uint64_t value)
{
    sim_pool_take_lock();
    const twin_status status = set_locked(pool, attr, value);
    sim_pool_drop_lock();
    return status;
}

twin_status sim_pool_get(twin_hw_pool *pool, twin_pool_attr attr, uint64_t *out_value)
{
    sim_pool_take_lock();
    const uint64_t values[] = {[TWIN_POOL_FOLLOW_EVENTS] = pool->follow_events,
                               [TWIN_POOL_OPPORTUNISTIC] = pool->opportunistic,
                               [TWIN_POOL_ADD_WAITS] = pool->add_waits,
                               [TWIN_POOL_THRESHOLD] = pool->threshold,
                               [TWIN_POOL_RESERVED] = pool->reserved,
                               [TWIN_POOL_RESERVED_HIGH] = pool->reserved_high,
                               [TWIN_POOL_USED] = pool->used,
                               [TWIN_POOL_USED_HIGH] = pool->used_high};
    sim_pool_drop_lock();
    if (attr < TWIN_POOL_FOLLOW_EVENTS || attr > TWIN_POOL_USED_HIGH)
        return refuse_attr(attr);
    *out_value = values[attr];
    return TWIN_OK;
}

twin_status sim_pool_trim(twin_hw_pool *pool, uint64_t bytes)
{
    struct signals signals = {.count = 0};
    twin_status status = TWIN_OK;
    sim_pool_take_lock();
    if (bytes < pool->reserved && bytes < pool->used) {
        sim_explain("the pool has %llu bytes allocated and cannot be trimmed to %llu",
                    (unsigned long long)pool->used, (unsigned long long)bytes);
        status = TWIN_E_POOL;
    } else if (bytes > pool->size) {
        sim_explain("the size of the pool is %llu bytes; it cannot be trimmed to %llu",
                    (unsigned long long)pool->size, (unsigned long long)bytes);
        status = TWIN_E_POOL;
    } else {
        status = release(pool, bytes, false, &signals);
    }
    sim_pool_drop_lock();
    drop_signals(&signals);
    return status;
}

void sim_pool_drained(twin_queue *queue)
{
    struct signals signals = {.count = 0};
    twin_hw_pool *pool;
    sim_pool_take_lock();
    DL_FOREACH(pools, pool)
    if (pool->device == queue->device)
        (void)release(pool, pool->threshold > pool->used ? pool->threshold : pool->used, true,
                      &signals);
    sim_pool_drop_lock();
    drop_signals(&signals);
}

/* ---- allocations ---------------------------------------------------------------------------- */

/* The best piece for `bytes`: of that size and whole, else the smallest that has as much. */
static struct sim_piece *find_one(twin_hw_pool *pool, const twin_queue *queue, uint64_t bytes,
                                  enum sim_way most)
{
    struct sim_piece *best = NULL;
    struct sim_piece *one;
    DL_FOREACH(pool->pieces, one)
    {
        if (one->used || one->bytes < bytes || (best && best->bytes <= one->bytes))
            continue;
        const enum sim_way way = sim_pool_way(one, queue);
        if (way != WAY_NONE && way <= most)
            best = one;
    }
    return best;
}

/* Marks pieces that have `bytes` together as taken. Returns what they have. */
static uint64_t gather(twin_hw_pool *pool, const twin_queue *queue, uint64_t bytes,
                       enum sim_way most)
{
    uint64_t found = 0;
    struct sim_piece *one;
    DL_FOREACH(pool->pieces, one)
    {
        one->taken = false;
        const enum sim_way way = one->used || found >= bytes ? WAY_NONE : sim_pool_way(one, queue);
        if (way == WAY_NONE || way > most)
            continue;
        one->taken = true;
        found += one->bytes;
    }
    return found < bytes ? found : bytes;
}

/* The queue waits until the pieces that are taken may be used. */
static twin_status wait_for_taken(const twin_hw_pool *pool, twin_queue *queue)
{
    struct sim_piece *one;
    DL_FOREACH(pool->pieces, one)
    {
        if (!one->taken || sim_pool_way(one, queue) != WAY_WAIT || !one->signal)
            continue;
        const twin_status status = sim_event_wait(queue, one->signal, TWIN_FOREVER);
        if (status != TWIN_OK)
            return status;
    }
    return TWIN_OK;
}

/* Plans an allocation: pieces are marked as taken, `*out_fresh` bytes are new. False: the pool does
 * not have as much. */
static bool plan(twin_hw_pool *pool, const twin_queue *queue, uint64_t bytes, uint64_t *out_fresh)
{
    const uint64_t room = pool->size - pool->reserved;
    struct sim_piece *all;
    DL_FOREACH(pool->pieces, all)
    all->taken = false;
    *out_fresh = 0;
    struct sim_piece *one = find_one(pool, queue, bytes, WAY_PASSED);
    if (one) {
        one->taken = true;
        return true;
    }
    *out_fresh = bytes;
    if (bytes <= room)
        return true;
    uint64_t found = gather(pool, queue, bytes, WAY_PASSED);
    if (bytes - found > room)
        found = gather(pool, queue, bytes, WAY_WAIT);
    *out_fresh = bytes - found;
    return *out_fresh <= room;
}

/* Carries the plan out: the share of the pieces becomes that of a block. */
static twin_status take(twin_hw_pool *pool, uint64_t bytes, uint64_t fresh, struct sim_piece *made,
                        struct signals *signals)
{
    struct sim_arena *arena = &pool->device->memory;
    struct sim_piece *one, *next;
    DL_FOREACH(pool->pieces, one)
    if (one->taken && one->whole && one->bytes == bytes) { /* the block itself */
        revive(arena, one->block);
        made->block = one->block;
        one->block->piece = made;
        delete_piece(one, signals);
        return TWIN_OK;
    }
    uint64_t address = 0;
    const twin_status status = sim_arena_alloc_charged(
        arena,
        &(twin_allocation){
            .bytes = bytes, .pages = TWIN_PAGES_HUGE_ONLY, .module = TWIN_MODULE_APP},
        bytes - fresh, &address);
    if (status != TWIN_OK)
        return status;
    made->block = sim_arena_find(arena, address);
    made->block->piece = made;
    uint64_t left = bytes - fresh;
    DL_FOREACH_SAFE(pool->pieces, one, next) {
        if (!one->taken)
            continue;
        const uint64_t part = one->bytes < left ? one->bytes : left;
        left -= part;
        if (!shrink(one, part, false, signals)) /* out of host memory: the block stays, empty */
            one->bytes -= part;
    }
    return TWIN_OK;
}

/* The call that allocates now has the block, also if an earlier one made it. */
static void note_owner(const twin_queue *queue, struct sim_block *block)
{
    struct sim_arena *arena = &queue->device->memory;
    pthread_mutex_lock(&arena->lock);
    sim_owner_take(&block->owner,
                   &(twin_allocation){.module = TWIN_MODULE_APP, .what = "memory pool"});
    block->owner.stream = queue->config.id;
    pthread_mutex_unlock(&arena->lock);
}

static twin_status refuse_deferred(const twin_queue *queue)
{
    return sim_queue_refuse(queue, TWIN_E_UNSUPPORTED,
                            "allocations of a pool and their frees take place once, and cannot be "
                            "part of the runs of a model instance");
}

static twin_status alloc_locked(twin_queue *queue, twin_hw_pool *pool, uint64_t bytes,
                                struct sim_piece *made, struct signals *signals)
{
    uint64_t fresh = 0;
    if (!plan(pool, queue, bytes, &fresh)) {
        (void)sim_queue_refuse(queue, TWIN_E_POOL,
                               "the pool of %llu bytes has %llu allocated and cannot give %llu "
                               "more: the rest was freed in other streams, and the attributes of "
                               "the pool do not let it be used here yet",
                               (unsigned long long)pool->size, (unsigned long long)pool->used,
                               (unsigned long long)bytes);
        return TWIN_E_POOL;
    }
    twin_status status = wait_for_taken(pool, queue);
    if (status == TWIN_OK)
        status = take(pool, bytes, fresh, made, signals);
    if (status == TWIN_E_DEVICE_MEMORY) {
        (void)sim_queue_refuse(queue, TWIN_E_POOL,
                               "the device does not have %llu bytes of memory left for the pool",
                               (unsigned long long)fresh);
        return TWIN_E_POOL;
    }
    if (status != TWIN_OK)
        return status;
    note_owner(queue, made->block);
    made->bytes = bytes;
    made->whole = made->used = true;
    made->number = ++pieces_made;
    made->pool = pool;
    /* A piece that take() freed has left the list. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    DL_APPEND(pool->pieces, made);
    pool->reserved += fresh;
    pool->used += bytes;
    note_highs(pool);
    return TWIN_OK;
}

twin_status sim_work_alloc(twin_queue *queue, twin_hw_pool *pool, uint64_t bytes,
                           uint64_t *out_address)
{
    twin_status status = sim_queue_refusal(queue);
    if (status != TWIN_OK)
        return status;
    if (queue->config.deferred)
        return refuse_deferred(queue);
    struct sim_piece *made = calloc(1, sizeof(*made));
    if (!made)
        return TWIN_E_NOMEM;
    struct signals signals = {.count = 0};
    sim_pool_take_lock();
    status = alloc_locked(queue, pool, bytes, made, &signals);
    sim_pool_drop_lock();
    drop_signals(&signals);
    if (status == TWIN_OK)
        *out_address = made->block->base;
    else
        free(made);
    return status;
}

/* The allocation of a pool at an address, or NULL. */
static struct sim_piece *piece_at(const struct sim_arena *arena, uint64_t address)
{
    struct sim_block *block = sim_arena_find(arena, address);
    struct sim_piece *piece = block && block->base == address ? block->piece : NULL;
    return piece && piece->used && piece->block == block ? piece : NULL;
}

bool sim_pool_contains(const struct sim_block *block)
{
    sim_pool_take_lock();
    const bool contains = block->piece != NULL;
    sim_pool_drop_lock();
    return contains;
}

/* An event after the work that the queue has now. NULL: none can be made. */
static twin_status mark(twin_queue *queue, twin_signal **out_signal)
{
    const twin_signal_config config = {.kind = TWIN_SIGNAL_EVENT_REBIND, .waitable = true};
    *out_signal = NULL;
    if (sim_signal_create(queue->device, &config, out_signal) != TWIN_OK)
        return TWIN_OK;
    const twin_status status = sim_work_record(queue, *out_signal);
    if (status == TWIN_OK)
        return TWIN_OK;
    sim_signal_destroy(*out_signal);
    *out_signal = NULL;
    return status;
}

twin_status sim_work_free(twin_queue *queue, uint64_t address)
{
    twin_status status = sim_queue_refusal(queue);
    if (status != TWIN_OK)
        return status;
    if (queue->config.deferred)
        return refuse_deferred(queue);
    struct sim_arena *arena = &queue->device->memory;
    sim_pool_take_lock();
    const struct sim_piece *found = piece_at(arena, address);
    const bool marked = found && found->pool->add_waits;
    sim_pool_drop_lock();
    if (!found) { /* its pages live until the work that is queued now has retired */
        struct sim_block *block = sim_arena_find(arena, address);
        if (block && block->base == address &&
            atomic_load_explicit(&block->state, memory_order_relaxed) == SIM_BLOCK_LIVE)
            (void)note_point(block, queue);
        return sim_memory_free(address);
    }
    twin_signal *signal = NULL;
    status = marked ? mark(queue, &signal) : TWIN_OK;
    if (status != TWIN_OK)
        return status;
    sim_pool_take_lock();
    struct sim_piece *piece = piece_at(arena, address);
    if (piece) {
        piece->used = false;
        piece->signal = signal;
        piece->point = note_point(piece->block, queue);
        piece->pool->used -= piece->bytes;
        /* release: a lookup that finds the state sees the point */
        atomic_store_explicit(&piece->block->state, SIM_BLOCK_RETURNED, memory_order_release);
    }
    sim_pool_drop_lock();
    if (!piece && signal)
        sim_signal_destroy(signal);
    return piece ? TWIN_OK : TWIN_E_INVALID;
}

bool sim_pool_free_now(struct sim_arena *arena, uint64_t address, twin_status *out_status)
{
    struct signals signals = {.count = 0};
    sim_pool_take_lock();
    struct sim_piece *piece = piece_at(arena, address);
    *out_status = TWIN_E_NOMEM;
    if (piece) {
        twin_hw_pool *pool = piece->pool;
        const uint64_t bytes = piece->bytes;
        if (shrink(piece, bytes, true, &signals)) {
            pool->used -= bytes;
            pool->reserved -= bytes;
            *out_status = TWIN_OK;
        }
    }
    sim_pool_drop_lock();
    drop_signals(&signals);
    return piece != NULL;
}
