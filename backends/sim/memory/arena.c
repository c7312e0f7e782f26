/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create, MADV_REMOVE, MAP_FIXED_NOREPLACE */
#include "memory/arena.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "memory/open_pages.h"
#include "memory/reserve.h"
#include "seam/sanitizer.h"

TWIN_WEAK void __asan_poison_memory_region(const volatile void *address, size_t bytes);
TWIN_WEAK void __asan_unpoison_memory_region(const volatile void *address, size_t bytes);

#define IN_SMALL   UINT32_MAX
#define HUGE_PAGES (SIM_HUGE_PAGE / SIM_PAGE)
/* Pages of blocks up to this size stay committed after a free; they are poisoned again on next
 * touch. */
#define KEEP_BYTES (64u << 10)
/* Blocks of the quarantine that an allocation or free looks at in vain. */
#define PATIENCE 4u
/* Capacity under tools that keep tables for all that is reserved: a size that valgrind processes in
 * a fraction of a second, and one that fits into the 1.5 TiB that ThreadSanitizer leaves, for 8
 * devices. */
#define VALGRIND_BYTES  (UINT64_C(1) << 30)
#define SANITIZER_BYTES (UINT64_C(32) << 30)

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static void release(void *place, size_t bytes)
{
    if (place)
        munmap(place, bytes);
}

/* Thread and memory sanitizers keep most addresses for themselves. A hint among these they turn
 * into address 0, or end the process. */
static bool takes_hint(void)
{
    return !twin_under_thread_sanitizer() && !twin_under_memory_sanitizer();
}

/* Of the reservation. A small one holds no page of 1 GiB anyway. */
static uint64_t alignment(uint64_t capacity)
{
    return capacity < SIM_GIANT_PAGE ? SIM_OPEN_PIECE : SIM_GIANT_PAGE;
}

/* At the hint when it is free, else anywhere; huge pages need a base that is aligned as they
 * are. */
static uint64_t reserve_range(uint64_t hint, uint64_t bytes)
{
    if (takes_hint()) {
        void *wanted =
            mmap((void *)(uintptr_t)hint, bytes, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (wanted != MAP_FAILED && (uintptr_t)wanted == hint) {
            (void)madvise(wanted, bytes, MADV_DONTDUMP);
            return hint;
        }
        if (wanted != MAP_FAILED) /* a kernel without the flag */
            munmap(wanted, bytes);
    }
    uint64_t slack = alignment(bytes / 2);
    void *place =
        mmap(NULL, bytes + slack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED)
        return 0;
    (void)madvise(place, bytes + slack, MADV_DONTDUMP);
    uint64_t start = (uintptr_t)place;
    uint64_t base = round_up(start, slack);
    if (base > start)
        munmap(place, base - start);
    if (base < start + slack)
        munmap((void *)(uintptr_t)(base + bytes), start + slack - base);
    return base;
}

static size_t piece_count(const struct sim_arena *arena)
{
    return arena->bytes / SIM_OPEN_PIECE + 1;
}

/* One view for host and model. */
static bool is_single(const struct sim_arena *arena)
{
    return arena->config.host || arena->config.open;
}

twin_status sim_arena_init(struct sim_arena *arena, const struct sim_arena_config *config)
{
    memset(arena, 0, sizeof(*arena));
    arena->config = *config;
    arena->bytes = round_up(config->capacity, alignment(config->capacity)) * 2;
    uint64_t pages = arena->bytes / SIM_PAGE;
    if (pages >= UINT32_MAX || pthread_mutex_init(&arena->lock, NULL) != 0)
        return TWIN_E_NOMEM;

    arena->base = reserve_range(config->hint, arena->bytes);
    if (is_single(arena))
        arena->view = (char *)(uintptr_t)arena->base;
    else if (arena->base != 0)
        arena->view = sim_view_map(arena->bytes);
    arena->large = sim_reserve(pages / HUGE_PAGES * sizeof(*arena->large));
    arena->small = sim_reserve(pages * sizeof(*arena->small));
    arena->blocks = sim_reserve(pages * sizeof(*arena->blocks));
    arena->touched = sim_reserve(pages / 8 + 8);
    arena->pieces = sim_reserve(piece_count(arena));
    if (!arena->view || !arena->large || !arena->small || !arena->blocks || !arena->touched ||
        !arena->pieces || !sim_span_init(&arena->span, (uint32_t)pages)) {
        sim_arena_fini(arena);
        return TWIN_E_NOMEM;
    }
    arena->block_count = 1;
    return TWIN_OK;
}

/* Address space that a limit of the process leaves it; UINT64_MAX: there is none. */
static uint64_t address_space_left(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%llu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    uint64_t used = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return used < limit.rlim_cur ? limit.rlim_cur - used : 0;
}

uint64_t sim_arena_watched_limit(void)
{
    if (twin_under_valgrind())
        return VALGRIND_BYTES;
    return takes_hint() ? UINT64_MAX : SANITIZER_BYTES;
}

twin_status sim_arena_init_fitting(struct sim_arena *arena, const struct sim_arena_config *config,
                                   uint64_t least)
{
    struct sim_arena_config fitting = *config;
    /* A device takes five bytes of address space per byte: the range and the model's view, both
     * twice the capacity, and tables. The program and the rest of the driver need room too. */
    uint64_t most = address_space_left() / 16;
    uint64_t watched = sim_arena_watched_limit();
    if (most > watched)
        most = watched;
    if (fitting.capacity > most)
        fitting.capacity = most / SIM_OPEN_PIECE * SIM_OPEN_PIECE;
    if (least > config->capacity)
        least = config->capacity;
    for (; fitting.capacity >= least;
         fitting.capacity = fitting.capacity / 2 / SIM_HUGE_PAGE * SIM_HUGE_PAGE) {
        twin_status status = sim_arena_init(arena, &fitting);
        if (status != TWIN_E_NOMEM)
            return status;
    }
    errno = ENOMEM;
    return TWIN_E_NOMEM;
}

/* Other code may get the addresses next. */
static void unpoison_blocks(struct sim_arena *arena)
{
    for (uint32_t i = 1; arena->blocks && arena->config.host && __asan_unpoison_memory_region &&
                         i < arena->block_count;
         i++)
        __asan_unpoison_memory_region((void *)(uintptr_t)arena->blocks[i].base,
                                      arena->blocks[i].room);
}

static void unshare_locked(struct sim_arena *arena, struct sim_block *block)
{
    if (!atomic_exchange_explicit(&block->shared, false, memory_order_relaxed))
        return;
    arena->config.unshare(arena, block->base);
}

static void unshare_blocks(struct sim_arena *arena)
{
    for (uint32_t i = 1; arena->blocks && i < arena->block_count; i++)
        unshare_locked(arena, &arena->blocks[i]);
}

void sim_arena_fini(struct sim_arena *arena)
{
    uint64_t pages = arena->bytes / SIM_PAGE;
    unshare_blocks(arena);
    unpoison_blocks(arena);
    for (uint32_t i = 1; arena->blocks && i < arena->block_count; i++)
        sim_fence_free(arena->blocks[i].fence);
    sim_span_fini(&arena->span);
    release(arena->pieces, piece_count(arena));
    release((void *)arena->touched, pages / 8 + 8);
    release(arena->blocks, pages * sizeof(*arena->blocks));
    release((void *)arena->small, pages * sizeof(*arena->small));
    release((void *)arena->large, pages / HUGE_PAGES * sizeof(*arena->large));
    if (!is_single(arena))
        release(arena->view, arena->bytes);
    if (arena->base != 0)
        release((void *)(uintptr_t)arena->base, arena->bytes);
    pthread_mutex_destroy(&arena->lock);
    memset(arena, 0, sizeof(*arena));
}

void sim_arena_clear(struct sim_arena *arena)
{
    pthread_mutex_lock(&arena->lock);
    unpoison_blocks(arena);
    unshare_blocks(arena);
    uint64_t pages = arena->bytes / SIM_PAGE;
    for (uint32_t i = 1; i < arena->block_count; i++)
        sim_fence_free(arena->blocks[i].fence);
    if (!is_single(arena))
        madvise(arena->view, arena->bytes, MADV_REMOVE);
    madvise((void *)arena->touched, pages / 8 + 8, MADV_DONTNEED);
    madvise(arena->blocks, pages * sizeof(*arena->blocks), MADV_DONTNEED);
    madvise((void *)arena->small, pages * sizeof(*arena->small), MADV_DONTNEED);
    madvise((void *)arena->large, pages / HUGE_PAGES * sizeof(*arena->large), MADV_DONTNEED);
    memset(arena->pieces, 0, piece_count(arena));
    if (is_single(arena)) {
        void *range = (void *)(uintptr_t)arena->base;
        (void)mmap(range, arena->bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        (void)madvise(range, arena->bytes, MADV_DONTDUMP);
    }
    sim_span_clear(&arena->span);
    atomic_store_explicit(&arena->late_uses, 0, memory_order_relaxed);
    arena->block_count = 1;
    arena->block_free = 0;
    arena->quarantine_head = 0;
    arena->quarantine_tail = 0;
    arena->used_bytes = 0;
    arena->normal_bytes = 0;
    memset(arena->uses, 0, sizeof(arena->uses));
    arena->serial = 0;
    pthread_mutex_unlock(&arena->lock);
}

/* ---- page map and pages --------------------------------------------------------------------- */

static void map_block(struct sim_arena *arena, const struct sim_block *block, uint32_t number)
{
    uint64_t first = (block->base - arena->base) / SIM_PAGE;
    uint64_t count = block->room / SIM_PAGE;
    if (count >= HUGE_PAGES) {
        uint64_t last = (first + count - 1) / HUGE_PAGES;
        /* release: a thread that finds the number sees the block's fields */
        for (uint64_t i = first / HUGE_PAGES; i <= last; i++)
            atomic_store_explicit(&arena->large[i], number, memory_order_release);
        return;
    }
    for (uint64_t i = first; i < first + count; i++) {
        atomic_store_explicit(&arena->small[i], number, memory_order_release);
        if (number != 0)
            atomic_store_explicit(&arena->large[i / HUGE_PAGES], IN_SMALL, memory_order_release);
    }
}

struct sim_block *sim_arena_find(const struct sim_arena *arena, uint64_t address)
{
    if (!sim_arena_contains(arena, address))
        return NULL;
    uint64_t page = (address - arena->base) / SIM_PAGE;
    uint32_t number = atomic_load_explicit(&arena->large[page / HUGE_PAGES], memory_order_acquire);
    if (number == IN_SMALL)
        number = atomic_load_explicit(&arena->small[page], memory_order_acquire);
    if (number == 0)
        return NULL;
    struct sim_block *block = &arena->blocks[number];
    return address - block->base < block->room ? block : NULL;
}

static bool any_touched(const struct sim_arena *arena, uint64_t first, uint64_t count)
{
    for (uint64_t page = first; page < first + count;) {
        uint64_t word = atomic_load_explicit(&arena->touched[page / 64], memory_order_relaxed);
        uint64_t bit = page % 64;
        if (word >> bit == 0) {
            page += 64 - bit;
            continue;
        }
        if (word >> bit & 1)
            return true;
        page++;
    }
    return false;
}

static void clear_touched(struct sim_arena *arena, uint64_t first, uint64_t count)
{
    for (uint64_t page = first; page < first + count;) {
        uint64_t bit = page % 64;
        uint64_t span = 64 - bit < first + count - page ? 64 - bit : first + count - page;
        uint64_t mask = (span == 64 ? UINT64_MAX : (UINT64_C(1) << span) - 1) << bit;
        atomic_fetch_and_explicit(&arena->touched[page / 64], ~mask, memory_order_relaxed);
        page += span;
    }
}

static void touch_page(struct sim_arena *arena, uint64_t page, bool overwritten)
{
    _Atomic uint64_t *word = &arena->touched[page / 64];
    uint64_t bit = UINT64_C(1) << (page % 64);
    if (atomic_load_explicit(word, memory_order_relaxed) & bit)
        return;
    if (twin_under_valgrind())
        sim_view_use(arena->view, arena->pieces, page * SIM_PAGE);
    if (!overwritten)
        memset(arena->view + page * SIM_PAGE, SIM_POISON, SIM_PAGE);
    atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
}

void *sim_arena_touch(struct sim_arena *arena, uint64_t address, uint64_t bytes, bool write)
{
    uint64_t offset = address - arena->base;
    void *place = arena->view + offset;
    if (arena->config.host || arena->config.open || bytes == 0)
        return place;
    bool poison = arena->config.poison;
    uint64_t end = offset + bytes;
    for (uint64_t page = offset / SIM_PAGE; page <= (end - 1) / SIM_PAGE;) {
        uint64_t word = atomic_load_explicit(&arena->touched[page / 64], memory_order_relaxed);
        if (page % 64 == 0 && word == UINT64_MAX) {
            page += 64;
            continue;
        }
        bool whole = write && page * SIM_PAGE >= offset && (page + 1) * SIM_PAGE <= end;
        touch_page(arena, page, whole || !poison);
        page++;
    }
    return place;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Gives pages and address range back; the block number too. */
static void drop_block_locked(struct sim_arena *arena, uint32_t number)
{
    struct sim_block *block = &arena->blocks[number];
    unshare_locked(arena, block);
    uint64_t offset = block->base - arena->base;
    uint64_t first = offset / SIM_PAGE;
    uint64_t count = block->room / SIM_PAGE;
    atomic_store_explicit(&block->state, SIM_BLOCK_NONE, memory_order_release);
    map_block(arena, block, 0);
    if (arena->config.host) {
        void *pages = (void *)(uintptr_t)block->base;
        if (__asan_unpoison_memory_region)
            __asan_unpoison_memory_region(pages, block->room);
        if (!twin_under_thread_sanitizer() ||
            /* Resets which threads used the pages: the next owner is ordered after the last one by
             * this function. */
            mmap(pages, block->room, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
            madvise(pages, block->room, MADV_DONTNEED);
            mprotect(pages, block->room, PROT_NONE);
        }
        madvise(pages, block->room, MADV_DONTDUMP);
    } else if (arena->config.open) {
        sim_open_discard(arena->base, offset, block->room);
    } else if (any_touched(arena, first, count)) {
        if (block->room > KEEP_BYTES)
            madvise(arena->view + offset, block->room, MADV_REMOVE);
        clear_touched(arena, first, count);
    }
    uint64_t units = count >= HUGE_PAGES ? round_up(count, HUGE_PAGES) : count;
    sim_span_release(&arena->span, (uint32_t)first, (uint32_t)units);
    sim_fence_free(block->fence);
    block->fence = NULL;
    block->next = arena->block_free;
    arena->block_free = number;
}

/* Whether its pages must stay. If not, no lookup finds the block from here on; later ones have the
 * arena's lock. */
static bool is_used_locked(struct sim_arena *arena, struct sim_block *block)
{
    if (block->fence && !sim_fence_passed(block->fence))
        return true;
    if (!arena->config.held)
        return false;
    const uint32_t number = (uint32_t)(block - arena->blocks);
    atomic_store(&block->state, SIM_BLOCK_NONE);
    map_block(arena, block, 0);
    if (!arena->config.held())
        return false;
    map_block(arena, block, number);
    atomic_store(&block->state, SIM_BLOCK_FREED);
    return true;
}

/* Oldest first; stops after `patience` blocks that still wait, as the later ones wait for more. */
static void settle_locked(struct sim_arena *arena, uint32_t patience)
{
    uint32_t before = 0;
    for (uint32_t number = arena->quarantine_head; number != 0;) {
        struct sim_block *block = &arena->blocks[number];
        uint32_t next = block->next;
        if (is_used_locked(arena, block)) {
            if (patience-- == 0)
                return;
            before = number;
        } else {
            if (before != 0)
                arena->blocks[before].next = next;
            else
                arena->quarantine_head = next;
            if (arena->quarantine_tail == number)
                arena->quarantine_tail = before;
            drop_block_locked(arena, number);
        }
        number = next;
    }
}

void sim_arena_settle(struct sim_arena *arena)
{
    pthread_mutex_lock(&arena->lock);
    settle_locked(arena, UINT32_MAX);
    pthread_mutex_unlock(&arena->lock);
}

static twin_status prepare_block(struct sim_arena *arena, const struct sim_block *block)
{
    if (arena->config.host) {
        void *pages = (void *)(uintptr_t)block->base;
        if (mprotect(pages, block->room, PROT_READ | PROT_WRITE) != 0)
            return TWIN_E_NOMEM;
        (void)madvise(pages, block->room, MADV_DODUMP); /* it has data of the program */
        if (__asan_poison_memory_region) /* an access beyond the requested bytes is an error of the
                                            program */
            __asan_poison_memory_region((char *)pages + block->bytes, block->room - block->bytes);
        return TWIN_OK;
    }
    if (arena->config.open && !sim_open_map(arena->base, arena->pieces, block->base - arena->base,
                                            block->room, arena->config.poison))
        return TWIN_E_NOMEM;
    return TWIN_OK;
}

/* Pages of an arena, and the address range for them. */
struct extent {
    uint64_t room;         /* bytes of the pages */
    uint32_t start, count; /* of the range, in small pages */
};

static bool take_extent_locked(struct sim_arena *arena, uint64_t bytes, uint64_t page,
                               struct extent *out)
{
    out->room = round_up(bytes, page);
    uint64_t count = out->room / SIM_PAGE;
    uint64_t align = page / SIM_PAGE;
    if (count >= HUGE_PAGES) { /* such blocks never share a slot of the large page map */
        count = round_up(count, HUGE_PAGES);
        align = align < HUGE_PAGES ? HUGE_PAGES : align;
    }
    out->count = (uint32_t)count;
    if (out->room > arena->config.capacity - arena->used_bytes)
        return false;
    if (sim_span_take(&arena->span, out->count, (uint32_t)align, &out->start))
        return true;
    settle_locked(arena, UINT32_MAX);
    return sim_span_take(&arena->span, out->count, (uint32_t)align, &out->start);
}

/* Adds to the share of the capacity that a module has, modulo 2^64. */
static void charge_locked(struct sim_arena *arena, uint32_t module, uint64_t bytes)
{
    struct sim_use *use = &arena->uses[module];
    arena->used_bytes += bytes;
    use->bytes += bytes;
    if (use->peak < use->bytes)
        use->peak = use->bytes;
}

twin_status sim_arena_alloc_charged(struct sim_arena *arena, const twin_allocation *allocation,
                                    uint64_t charged, uint64_t *out_address)
{
    const uint64_t bytes = allocation->bytes;
    const twin_page_policy pages = allocation->pages;
    twin_status full = arena->config.host ? TWIN_E_NOMEM : TWIN_E_DEVICE_MEMORY;
    bool huge = pages == TWIN_PAGES_HUGE_ONLY ||
                (pages == TWIN_PAGES_DEFAULT && bytes > (UINT64_C(1) << 20));
    uint64_t page = pages == TWIN_PAGES_HUGE_1G ? SIM_GIANT_PAGE : huge ? SIM_HUGE_PAGE : SIM_PAGE;
    if (arena->config.host)
        page = SIM_PAGE;
    if (bytes > arena->config.capacity)
        return full;

    pthread_mutex_lock(&arena->lock);
    twin_status status = full;
    struct extent extent;
    settle_locked(arena, PATIENCE);
    arena->used_bytes -= charged;
    bool taken = take_extent_locked(arena, bytes, page, &extent);
    if (!taken && pages == TWIN_PAGES_DEFAULT && page != SIM_PAGE) { /* huge pages first (MEM-11) */
        page = SIM_PAGE;
        taken = take_extent_locked(arena, bytes, page, &extent);
    }
    if (!taken)
        goto unlock;
    uint32_t number = arena->block_free != 0 ? arena->block_free : arena->block_count;
    struct sim_block *block = &arena->blocks[number];
    uint32_t next_free = block->next;
    block->base = arena->base + (uint64_t)extent.start * SIM_PAGE;
    block->bytes = bytes;
    block->room = extent.room;
    block->page_bytes = (uint32_t)page;
    block->flags = allocation->flags;
    sim_owner_take(&block->owner, allocation);
    status = prepare_block(arena, block);
    if (status != TWIN_OK) {
        block->next = next_free;
        sim_span_release(&arena->span, extent.start, extent.count);
        goto unlock;
    }
    if (number == arena->block_free)
        arena->block_free = next_free;
    else
        arena->block_count++;
    block->next = 0;
    block->piece = NULL;
    atomic_store_explicit(&block->returned_by, NULL, memory_order_relaxed);
    block->serial = ++arena->serial;
    atomic_store_explicit(&block->reported, false, memory_order_relaxed);
    atomic_store_explicit(&block->hidden, (allocation->flags & SIM_ALLOC_HIDDEN) != 0,
                          memory_order_relaxed);
    atomic_store_explicit(&block->state, SIM_BLOCK_LIVE, memory_order_relaxed);
    map_block(arena, block, number);
    arena->used_bytes += charged;
    charge_locked(arena, block->owner.module, extent.room - charged);
    if (page == SIM_PAGE)
        arena->normal_bytes += extent.room;
    *out_address = block->base;
unlock:
    if (status != TWIN_OK)
        arena->used_bytes += charged;
    pthread_mutex_unlock(&arena->lock);
    return status;
}

/* Ends a block, of whose share of the capacity `charged` bytes are left. */
static void free_locked(struct sim_arena *arena, struct sim_block *block, struct sim_fence *fence,
                        uint64_t charged)
{
    uint32_t number = (uint32_t)(block - arena->blocks);
    charge_locked(arena, block->owner.module, 0 - charged);
    if (block->page_bytes == SIM_PAGE)
        arena->normal_bytes -= charged;
    block->fence = fence;
    if (!is_used_locked(arena, block)) {
        drop_block_locked(arena, number);
    } else {
        block->next = 0;
        atomic_store_explicit(&block->state, SIM_BLOCK_FREED, memory_order_release);
        if (arena->quarantine_tail != 0)
            arena->blocks[arena->quarantine_tail].next = number;
        else
            arena->quarantine_head = number;
        arena->quarantine_tail = number;
    }
    settle_locked(arena, PATIENCE);
}

twin_status sim_arena_free(struct sim_arena *arena, uint64_t address, struct sim_fence *fence)
{
    pthread_mutex_lock(&arena->lock);
    struct sim_block *block = sim_arena_find(arena, address);
    const bool live = block && block->base == address &&
                      atomic_load_explicit(&block->state, memory_order_relaxed) == SIM_BLOCK_LIVE;
    if (live)
        free_locked(arena, block, fence, block->room);
    pthread_mutex_unlock(&arena->lock);
    return live ? TWIN_OK : TWIN_E_INVALID;
}

void sim_arena_drop_returned(struct sim_arena *arena, struct sim_block *block,
                             struct sim_fence *fence, uint64_t charged)
{
    pthread_mutex_lock(&arena->lock);
    block->piece = NULL;
    free_locked(arena, block, fence, charged);
    pthread_mutex_unlock(&arena->lock);
}

void sim_arena_space(struct sim_arena *arena, uint32_t page_class, uint64_t *out_free,
                     uint64_t *out_total)
{
    pthread_mutex_lock(&arena->lock);
    uint64_t capacity = arena->config.capacity;
    uint64_t free_bytes = capacity - arena->used_bytes;
    /* Huge pages are split on demand: the normal pool is the split part. */
    uint64_t normal = round_up(arena->normal_bytes, SIM_HUGE_PAGE);
    normal = normal < capacity ? normal : capacity;
    uint64_t normal_free = normal - arena->normal_bytes;
    normal_free = normal_free < free_bytes ? normal_free : free_bytes;
    pthread_mutex_unlock(&arena->lock);
    *out_total = page_class == 1 ? capacity - normal : page_class == 2 ? normal : capacity;
    *out_free = page_class == 1   ? free_bytes - normal_free
                : page_class == 2 ? normal_free
                                  : free_bytes;
}

void sim_arena_each(struct sim_arena *arena,
                    void (*visit)(void *context, const struct sim_block *block), void *context)
{
    pthread_mutex_lock(&arena->lock);
    for (uint32_t i = 1; i < arena->block_count; i++)
        if (atomic_load_explicit(&arena->blocks[i].state, memory_order_relaxed) == SIM_BLOCK_LIVE)
            visit(context, &arena->blocks[i]);
    pthread_mutex_unlock(&arena->lock);
}
