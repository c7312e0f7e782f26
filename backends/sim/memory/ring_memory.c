/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, madvise */
#include "memory/ring_memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "memory/reserve.h"
#include "process/process.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

#define PAGE ((size_t)4096)

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* From one queue's ring, CQ or task states to the next's. Each begins at another line of its page,
 * so that queues at the same position of their rings do not compete for the same sets of the
 * caches. */
static size_t stride(size_t entries, size_t bytes)
{
    return round_up(entries * bytes, PAGE) + 17u * SIM_LINE;
}

struct strides {
    size_t ring, cq, task_states;
};

static struct strides strides_of(const struct sim_rings_config *config)
{
    return (struct strides){.ring = stride(config->sq_depth, sizeof(stars_sqe)),
                            .cq = stride(config->cq_depth, sizeof(stars_cqe)),
                            .task_states = stride(config->sq_depth, config->task_state_bytes)};
}

/* A range that begins and ends at whole pieces. */
static char *map_pieces(size_t bytes)
{
    char *at = sim_reserve(bytes + SIM_RINGS_PIECE);
    if (!at)
        return NULL;
    size_t before = (SIM_RINGS_PIECE - (uintptr_t)at % SIM_RINGS_PIECE) % SIM_RINGS_PIECE;
    if (before != 0)
        munmap(at, before);
    if (before != SIM_RINGS_PIECE)
        munmap(at + before + bytes, SIM_RINGS_PIECE - before);
    return at + before;
}

bool sim_rings_init(struct sim_rings *rings, const struct sim_rings_config *config)
{
    const struct strides strides = strides_of(config);
    size_t bytes = round_up((strides.ring + strides.cq + strides.task_states) * config->queues,
                            SIM_RINGS_PIECE);
    *rings = (struct sim_rings){.config = *config, .bytes = bytes};
    rings->base = map_pieces(bytes);
    rings->used = rings->base ? calloc(bytes / SIM_RINGS_PIECE, sizeof(*rings->used)) : NULL;
    if (rings->used)
        return true;
    sim_rings_fini(rings);
    return false;
}

void sim_rings_fini(struct sim_rings *rings)
{
    if (rings->base)
        munmap(rings->base, rings->bytes);
    free((void *)rings->used);
    *rings = (struct sim_rings){.base = NULL};
}

bool sim_rings_of_device(const struct sim_rings *rings, uint64_t address)
{
    return address - (uintptr_t)rings->base <
           rings->config.queues * strides_of(&rings->config).ring;
}

struct sim_slice sim_rings_slice(const struct sim_rings *rings, uint32_t sq)
{
    const struct strides strides = strides_of(&rings->config);
    char *cqs = rings->base + rings->config.queues * strides.ring;
    char *task_states = cqs + rings->config.queues * strides.cq;
    return (struct sim_slice){.ring = (void *)(rings->base + sq * strides.ring),
                              .cq = (void *)(cqs + sq * strides.cq),
                              .task_states = (void *)(task_states + sq * strides.task_states)};
}

/* What is in use is copied once, and the rest need not be fetched page by page any more. A kernel
 * that cannot do it at once is asked to do it when it has time; without huge pages all is as it
 * was. */
static void make_huge(const struct sim_rings *rings, size_t piece)
{
    char *at = rings->base + piece * SIM_RINGS_PIECE;
    if (madvise(at, SIM_RINGS_PIECE, MADV_COLLAPSE) != 0)
        (void)madvise(at, SIM_RINGS_PIECE, MADV_HUGEPAGE);
}

static void count_use(struct sim_rings *rings, const void *first, size_t bytes)
{
    size_t piece = (size_t)((const char *)first - rings->base) / SIM_RINGS_PIECE;
    const uint32_t enough = SIM_RINGS_PIECE / 2;
    uint32_t before =
        atomic_fetch_add_explicit(&rings->used[piece], (uint32_t)bytes, memory_order_relaxed);
    if (before < enough && before + bytes >= enough)
        make_huge(rings, piece);
}

void sim_rings_use(struct sim_rings *rings, uint32_t sq, uint32_t from, uint32_t to)
{
    struct sim_slice slice = sim_rings_slice(rings, sq);
    size_t task_state_bytes = rings->config.task_state_bytes;
    count_use(rings, slice.ring + from, (to - from) * sizeof(stars_sqe));
    count_use(rings, (const char *)slice.task_states + from * task_state_bytes,
              (to - from) * task_state_bytes);
}
