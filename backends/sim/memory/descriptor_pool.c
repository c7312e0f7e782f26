/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, madvise */
#include "memory/descriptor_pool.h"
#include "memory/reserve.h"

#include <sys/mman.h>

#define PAGE ((size_t)4096)

/* The longest copy of rows that there is takes 160 MiB. A process that may reserve little gets
 * less. */
#define BYTES_MOST  ((size_t)512 << 20)
#define BYTES_LEAST ((size_t)1 << 20)
/* Longer lists do not keep their pages. */
#define KEEP_BYTES ((size_t)1 << 20)

void sim_lists_init(struct sim_lists *lists)
{
    *lists = (struct sim_lists){.bytes = 0};
    pthread_mutex_init(&lists->lock, NULL);
}

void sim_lists_fini(struct sim_lists *lists)
{
    char *base = atomic_load_explicit(&lists->base, memory_order_relaxed);
    if (base) {
        munmap(base, lists->bytes);
        sim_span_fini(&lists->span);
    }
    pthread_mutex_destroy(&lists->lock);
}

static bool reserve_locked(struct sim_lists *lists)
{
    for (size_t bytes = BYTES_MOST; bytes >= BYTES_LEAST; bytes /= 2) {
        char *base = sim_reserve(bytes);
        if (!base)
            continue;
        if (!sim_span_init(&lists->span, (uint32_t)(bytes / PAGE))) {
            munmap(base, bytes);
            continue;
        }
        lists->bytes = bytes;
        /* Release: the model reads it without the lock. */
        atomic_store_explicit(&lists->base, base, memory_order_release);
        return true;
    }
    return false;
}

bool sim_lists_take(struct sim_lists *lists, uint64_t descriptors, struct sim_list *out)
{
    const uint64_t pages = (descriptors + PAGE / sizeof(stars_dma_descriptor) - 1) /
                           (PAGE / sizeof(stars_dma_descriptor));
    if (pages > BYTES_MOST / PAGE)
        return false;
    pthread_mutex_lock(&lists->lock);
    const bool there =
        atomic_load_explicit(&lists->base, memory_order_relaxed) || reserve_locked(lists);
    const bool taken = there && sim_span_take(&lists->span, (uint32_t)pages, 1, &out->page);
    pthread_mutex_unlock(&lists->lock);
    out->pages = (uint32_t)pages;
    return taken;
}

void sim_lists_release(struct sim_lists *lists, struct sim_list list)
{
    const size_t bytes = list.pages * PAGE;
    if (bytes > KEEP_BYTES)
        (void)madvise(sim_lists_at(lists, list), bytes, MADV_DONTNEED);
    pthread_mutex_lock(&lists->lock);
    sim_span_release(&lists->span, list.page, list.pages);
    pthread_mutex_unlock(&lists->lock);
}

stars_dma_descriptor *sim_lists_at(const struct sim_lists *lists, struct sim_list list)
{
    char *base = atomic_load_explicit(&lists->base, memory_order_relaxed);
    return (void *)(base + list.page * PAGE);
}
