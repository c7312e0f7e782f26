/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mremap */
#include "memory/saved_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_PAGES 256u

/* Without a page map of contents, of memory that the host writes too, each page may have some. */
static bool has_contents(const struct sim_arena *arena, uint64_t page)
{
    return arena->config.open ||
           (atomic_load_explicit(&arena->touched[page / 64], memory_order_relaxed) >> page % 64 &
            1) != 0;
}

static char *page_at(const struct sim_arena *arena, uint64_t page)
{
    return arena->view + page * SIM_PAGE;
}

/* Room for one more page. */
static bool grow_pages(struct sim_saved *saved)
{
    if (saved->page_count < saved->page_room)
        return true;
    const size_t room = saved->page_room != 0 ? 2 * saved->page_room : FIRST_PAGES;
    uint32_t *pages = realloc(saved->pages, room * sizeof(*pages));
    if (pages)
        saved->pages = pages;
    void *contents = MAP_FAILED;
    if (pages && saved->contents)
        contents =
            mremap(saved->contents, saved->page_room * SIM_PAGE, room * SIM_PAGE, MREMAP_MAYMOVE);
    else if (pages)
        contents = mmap(NULL, room * SIM_PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (contents == MAP_FAILED)
        return false;
    saved->contents = contents;
    saved->page_room = room;
    return true;
}

static bool grow_blocks(struct sim_saved *saved)
{
    if (saved->block_count < saved->block_room)
        return true;
    const size_t room = saved->block_room != 0 ? 2 * saved->block_room : FIRST_PAGES;
    struct sim_saved_block *blocks = realloc(saved->blocks, room * sizeof(*blocks));
    if (!blocks)
        return false;
    saved->blocks = blocks;
    saved->block_room = room;
    return true;
}

struct taking {
    struct sim_arena *arena;
    struct sim_saved saved;
    bool failed; /* out of host memory */
};

static void take_block(void *context, const struct sim_block *block)
{
    struct taking *taking = context;
    struct sim_saved *saved = &taking->saved;
    if (taking->failed || !grow_blocks(saved)) {
        taking->failed = true;
        return;
    }
    struct sim_saved_block *one = &saved->blocks[saved->block_count++];
    *one = (struct sim_saved_block){.base = block->base,
                                    .room = block->room,
                                    .serial = block->serial,
                                    .first = saved->page_count};
    const uint64_t begin = (one->base - taking->arena->base) / SIM_PAGE;
    for (uint64_t page = begin; page < begin + one->room / SIM_PAGE; page++) {
        if (!has_contents(taking->arena, page))
            continue;
        if (!grow_pages(saved)) {
            taking->failed = true;
            return;
        }
        memcpy(saved->contents + saved->page_count * SIM_PAGE, page_at(taking->arena, page),
               SIM_PAGE);
        saved->pages[saved->page_count++] = (uint32_t)page;
        one->count++;
    }
}

void sim_saved_drop(struct sim_saved *saved)
{
    free(saved->blocks);
    free(saved->pages);
    if (saved->contents)
        munmap(saved->contents, saved->page_room * SIM_PAGE);
    *saved = (struct sim_saved){0};
}

twin_status sim_saved_take(struct sim_saved *saved, struct sim_arena *arena)
{
    struct taking taking = {.arena = arena};
    sim_arena_each(arena, take_block, &taking);
    if (taking.failed) {
        sim_saved_drop(&taking.saved);
        return TWIN_E_NOMEM;
    }
    sim_saved_drop(saved);
    *saved = taking.saved;
    return TWIN_OK;
}

/* A page that had no contents when it was kept has none again: they are undefined. */
static void empty_page(struct sim_arena *arena, uint64_t page)
{
    if (arena->config.poison)
        atomic_fetch_and_explicit(&arena->touched[page / 64], ~(UINT64_C(1) << page % 64),
                                  memory_order_relaxed);
    else
        memset(page_at(arena, page), 0, SIM_PAGE);
}

static void restore_block(const struct sim_saved *saved, const struct sim_saved_block *one,
                          struct sim_arena *arena)
{
    const struct sim_block *block = sim_arena_find(arena, one->base);
    if (!block || block->base != one->base || block->serial != one->serial ||
        atomic_load_explicit(&block->state, memory_order_acquire) != SIM_BLOCK_LIVE)
        return;
    const uint64_t begin = (one->base - arena->base) / SIM_PAGE;
    size_t next = one->first;
    for (uint64_t page = begin; page < begin + one->room / SIM_PAGE; page++) {
        const bool kept = next < one->first + one->count && saved->pages[next] == page;
        const char *contents = saved->contents + next * SIM_PAGE;
        next += kept;
        if (!kept && has_contents(arena, page))
            empty_page(arena, page);
        else if (kept && memcmp(page_at(arena, page), contents, SIM_PAGE) != 0)
            memcpy(page_at(arena, page), contents, SIM_PAGE);
        if (kept && !arena->config.open)
            atomic_fetch_or_explicit(&arena->touched[page / 64], UINT64_C(1) << page % 64,
                                     memory_order_relaxed);
    }
}

void sim_saved_restore(const struct sim_saved *saved, struct sim_arena *arena)
{
    for (size_t i = 0; i < saved->block_count; i++)
        restore_block(saved, &saved->blocks[i], arena);
}
