/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mremap */
#include "vmm/moved_pages.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utlist.h>

#include "memory/touch.h"
#include "memory/arena.h"
#include "memory/open_pages.h"
#include "queue/kernel.h"
#include "wait/model_lock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* taken after an arena's */
static struct sim_moved_pages *all;                      /* guarded by lock */

/* ---- moving pages ---------------------------------------------------------------------------- */

static bool is_zero(const char *at, size_t bytes)
{
    return at[0] == 0 && memcmp(at, at + 1, bytes - 1) == 0;
}

/* Pages of zeros stay unwritten, so that they take no memory. */
static void copy_pages(char *to, const char *from, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += SIM_PAGE)
        if (!is_zero(from + at, SIM_PAGE))
            memcpy(to + at, from + at, SIM_PAGE);
}

/* Pages of a block that were used, and from now on all of them count as used: other processes write
 * to them. The others become zeros. */
static void copy_touched(struct sim_arena *arena, uint64_t offset, char *to, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += SIM_PAGE) {
        const uint64_t page = (offset + at) / SIM_PAGE;
        const uint64_t bit = UINT64_C(1) << (page % 64);
        const uint64_t before =
            atomic_fetch_or_explicit(&arena->touched[page / 64], bit, memory_order_relaxed);
        if ((before & bit) != 0)
            memcpy(to + at, arena->view + offset + at, SIM_PAGE);
    }
}

/* Puts the file's pages in the place of those that were copied there. Each access of another thread
 * finds the one or the other. */
static twin_status swap(struct sim_moved_pages *pages, char *fresh, bool park)
{
    if (park) {
        void *parked = mremap(pages->place, 0, pages->room, MREMAP_MAYMOVE);
        if (parked == MAP_FAILED)
            return TWIN_E_NOMEM;
        (void)madvise(parked, pages->room, MADV_DONTDUMP);
        pages->parked = parked;
    }
    if (mremap(fresh, pages->room, pages->room, MREMAP_MAYMOVE | MREMAP_FIXED, pages->place) !=
        MAP_FAILED)
        return TWIN_OK;
    if (pages->parked)
        munmap(pages->parked, pages->room);
    return TWIN_E_NOMEM;
}

static twin_status make(struct sim_moved_pages **out, char *place, uint64_t room, uint32_t device,
                        twin_page_policy policy, char **out_fresh)
{
    struct sim_moved_pages *pages = calloc(1, sizeof(*pages));
    if (!pages)
        return TWIN_E_NOMEM;
    pages->place = place;
    pages->room = room;
    twin_status status = sim_memfile_make(&pages->shared, device, policy, room);
    if (status == TWIN_OK &&
        !(*out_fresh = sim_memfile_map(&pages->shared, pages->shared.own.descriptor, NULL))) {
        sim_memfile_close(&pages->shared);
        status = TWIN_E_NOMEM;
    }
    if (status == TWIN_OK)
        *out = pages;
    else
        free(pages);
    return status;
}

static void give_up(struct sim_moved_pages *pages, char *fresh)
{
    munmap(fresh, pages->room);
    sim_memfile_close(&pages->shared);
    free(pages);
}

static twin_page_policy policy_of(const struct sim_block *block)
{
    return block->page_bytes == SIM_GIANT_PAGE  ? TWIN_PAGES_HUGE_1G
           : block->page_bytes == SIM_HUGE_PAGE ? TWIN_PAGES_HUGE_ONLY
                                                : TWIN_PAGES_NORMAL_ONLY;
}

/* The arena's lock and the model lock are held, and no kernel is described. */
static twin_status move_block_locked(struct sim_arena *arena, struct sim_block *block,
                                     struct sim_moved_pages **out)
{
    const uint64_t offset = block->base - arena->base;
    struct sim_moved_pages *pages = NULL;
    char *fresh = NULL;
    twin_status status = make(&pages, arena->view + offset, block->room, arena->config.device,
                              policy_of(block), &fresh);
    if (status != TWIN_OK)
        return status;
    pages->arena = arena;
    pages->base = block->base;
    if (arena->config.open)
        copy_pages(fresh, pages->place, pages->room);
    else
        copy_touched(arena, offset, fresh, pages->room);
    status = swap(pages, fresh, !arena->config.open);
    if (status != TWIN_OK) {
        give_up(pages, fresh);
        return status;
    }
    atomic_store_explicit(&block->shared, true, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    LL_PREPEND(all, pages);
    pthread_mutex_unlock(&lock);
    *out = pages;
    return TWIN_OK;
}

static struct sim_moved_pages *find_block_locked(const struct sim_arena *arena, uint64_t base)
{
    struct sim_moved_pages *pages;
    LL_FOREACH(all, pages)
    {
        if (pages->arena == arena && pages->base == base)
            return pages;
    }
    return NULL;
}

static twin_status export_of(struct sim_moved_pages *pages, uint64_t offset, uint64_t bytes,
                             bool check_pid, unsigned secret_bits, struct sim_export *out)
{
    if (secret_bits == 0 && sim_memfile_find(&pages->shared, offset, bytes, check_pid, out))
        return TWIN_OK;
    return sim_memfile_export(&pages->shared, offset, bytes, check_pid, secret_bits, out);
}

twin_status sim_pages_export_block(struct sim_arena *arena, uint64_t address, uint64_t bytes,
                                   bool check_pid, unsigned secret_bits, struct sim_export *out)
{
    sim_model_lock();
    sim_kernel_settle_locked(); /* it has looked up addresses, and may write there */
    pthread_mutex_lock(&arena->lock);
    struct sim_block *block = sim_arena_find(arena, address);
    twin_status status = TWIN_E_INVALID;
    if (block && atomic_load_explicit(&block->state, memory_order_relaxed) == SIM_BLOCK_LIVE) {
        pthread_mutex_lock(&lock);
        struct sim_moved_pages *pages = find_block_locked(arena, block->base);
        pthread_mutex_unlock(&lock);
        status = pages ? TWIN_OK : move_block_locked(arena, block, &pages);
        if (status == TWIN_OK)
            status = export_of(pages, address - block->base, bytes, check_pid, secret_bits, out);
    }
    pthread_mutex_unlock(&arena->lock);
    sim_model_unlock();
    return status;
}

twin_status sim_pages_export_view(char *place, uint64_t room, const twin_physical_config *config,
                                  bool check_pid, unsigned secret_bits, struct sim_export *out,
                                  struct sim_moved_pages **out_pages)
{
    struct sim_moved_pages *pages = NULL;
    char *fresh = NULL;
    sim_model_lock();
    sim_kernel_settle_locked();
    twin_status status = make(&pages, place, room, config->device, config->memory.pages, &fresh);
    if (status == TWIN_OK) {
        copy_pages(fresh, place, room);
        status = swap(pages, fresh, false);
        if (status != TWIN_OK)
            give_up(pages, fresh);
    }
    sim_model_unlock();
    if (status != TWIN_OK)
        return status;
    pthread_mutex_lock(&lock);
    LL_PREPEND(all, pages);
    pthread_mutex_unlock(&lock);
    *out_pages = pages;
    return export_of(pages, 0, config->memory.bytes, check_pid, secret_bits, out);
}

void sim_pages_drop(struct sim_moved_pages *pages)
{
    pthread_mutex_lock(&lock);
    LL_DELETE(all, pages);
    pthread_mutex_unlock(&lock);
    sim_memfile_close(&pages->shared);
    free(pages);
}

void sim_pages_end_block(struct sim_arena *arena, uint64_t base)
{
    pthread_mutex_lock(&lock);
    struct sim_moved_pages *pages = find_block_locked(arena, base);
    pthread_mutex_unlock(&lock);
    if (!pages)
        return;
    bool back = false;
    if (pages->parked)
        back = mremap(pages->parked, pages->room, pages->room, MREMAP_MAYMOVE | MREMAP_FIXED,
                      pages->place) != MAP_FAILED;
    else
        back = sim_open_restore(arena->base, base - arena->base, pages->room, arena->config.poison);
    if (!back) /* others still use the file: its pages must not be cleared here */
        (void)mmap(pages->place, pages->room, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    sim_pages_drop(pages);
}

/* The pages that the export is of. */
bool sim_pages_exported(const void *place)
{
    const struct sim_moved_pages *pages;
    pthread_mutex_lock(&lock);
    LL_FOREACH(all, pages)
    {
        if ((uintptr_t)place - (uintptr_t)pages->place < pages->room)
            break;
    }
    pthread_mutex_unlock(&lock);
    return pages != NULL;
}

static struct sim_moved_pages *find_export_locked(const struct sim_export *export)
{
    struct sim_moved_pages *pages;
    if (export->process != (uint32_t)getpid())
        return NULL;
    LL_FOREACH(all, pages)
    {
        if (sim_memfile_has(&pages->shared, export))
            return pages;
    }
    return NULL;
}

twin_status sim_pages_allow(const struct sim_export *export, const int32_t *pids, size_t count)
{
    pthread_mutex_lock(&lock);
    const struct sim_moved_pages *pages = find_export_locked(export);
    twin_status status = TWIN_E_INVALID;
    if (pages)
        status = sim_memfile_allow(&pages->shared, export, pids, count);
    else
        sim_explain("this process has not exported it, or has freed or closed it");
    pthread_mutex_unlock(&lock);
    return status;
}

twin_status sim_pages_end(const struct sim_export *export)
{
    pthread_mutex_lock(&lock);
    const struct sim_moved_pages *pages = find_export_locked(export);
    if (pages)
        sim_memfile_end(&pages->shared, export);
    pthread_mutex_unlock(&lock);
    return pages ? TWIN_OK : TWIN_E_INVALID;
}
