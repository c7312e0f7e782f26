/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, madvise */
#include "memory/extent_allocator.h"
#include "memory/reserve.h"

#include <assert.h>
#include <stddef.h>
#include <sys/mman.h>

/* An extent [start, start + n) has free_size n at its first unit and free_back n at its last. Both
 * are 0 everywhere else. Links are unit numbers plus one: fresh pages mean "none". */
struct sim_span_node {
    uint32_t free_size;
    uint32_t free_back;
    uint32_t next;
    uint32_t prev;
};

static uint32_t bin_of(uint32_t count)
{
    return 31u - (uint32_t)__builtin_clz(count);
}

static void insert(struct sim_span *span, uint32_t start, uint32_t count)
{
    struct sim_span_node *node = &span->nodes[start];
    uint32_t *bin = &span->bins[bin_of(count)];
    node->free_size = count;
    span->nodes[start + count - 1].free_back = count;
    node->prev = 0;
    node->next = *bin;
    if (*bin != 0)
        span->nodes[*bin - 1].prev = start + 1;
    *bin = start + 1;
}

static void withdraw(struct sim_span *span, uint32_t start)
{
    struct sim_span_node *node = &span->nodes[start];
    uint32_t count = node->free_size;
    if (node->prev != 0)
        span->nodes[node->prev - 1].next = node->next;
    else
        span->bins[bin_of(count)] = node->next;
    if (node->next != 0)
        span->nodes[node->next - 1].prev = node->prev;
    node->free_size = 0;
    span->nodes[start + count - 1].free_back = 0;
}

static size_t node_bytes(const struct sim_span *span)
{
    return (size_t)span->units * sizeof(struct sim_span_node);
}

bool sim_span_init(struct sim_span *span, uint32_t units)
{
    span->units = units;
    void *nodes = sim_reserve(node_bytes(span));
    if (!nodes)
        return false;
    span->nodes = nodes;
    for (unsigned i = 0; i < SIM_SPAN_BINS; i++)
        span->bins[i] = 0;
    span->free_units = units;
    insert(span, 0, units);
    return true;
}

void sim_span_fini(struct sim_span *span)
{
    if (span->nodes)
        munmap(span->nodes, node_bytes(span));
    span->nodes = NULL;
}

void sim_span_clear(struct sim_span *span)
{
    madvise(span->nodes, node_bytes(span), MADV_DONTNEED);
    for (unsigned i = 0; i < SIM_SPAN_BINS; i++)
        span->bins[i] = 0;
    span->free_units = span->units;
    insert(span, 0, span->units);
}

/* Takes a part of a free extent. */
static void cut(struct sim_span *span, uint32_t start, uint32_t place, uint32_t count)
{
    const uint32_t size = span->nodes[start].free_size;
    withdraw(span, start);
    if (place > start)
        insert(span, start, place - start);
    if (place + count < start + size)
        insert(span, place + count, start + size - place - count);
    span->free_units -= count;
}

bool sim_span_take_at(struct sim_span *span, uint32_t place, uint32_t count)
{
    for (uint32_t bin = bin_of(count); bin < SIM_SPAN_BINS; bin++)
        for (uint32_t link = span->bins[bin]; link != 0; link = span->nodes[link - 1].next) {
            const uint32_t start = link - 1;
            if (start > place || place - start > span->nodes[start].free_size ||
                count > span->nodes[start].free_size - (place - start))
                continue;
            cut(span, start, place, count);
            return true;
        }
    return false;
}

bool sim_span_take(struct sim_span *span, uint32_t count, uint32_t align, uint32_t *out_start)
{
    assert(count > 0 && align > 0 && (align & (align - 1)) == 0);
    uint32_t best = 0;
    uint32_t best_size = 0;
    /* A later bin holds only larger extents: the first bin with a fit holds the best one. */
    for (uint32_t bin = bin_of(count); bin < SIM_SPAN_BINS && best_size == 0; bin++) {
        for (uint32_t link = span->bins[bin]; link != 0; link = span->nodes[link - 1].next) {
            uint32_t start = link - 1;
            uint32_t size = span->nodes[start].free_size;
            uint64_t place = ((uint64_t)start + align - 1) & ~(uint64_t)(align - 1);
            if (place + count > (uint64_t)start + size)
                continue;
            if (best_size == 0 || size < best_size || (size == best_size && start < best)) {
                best = start;
                best_size = size;
            }
        }
    }
    if (best_size == 0)
        return false;
    uint32_t place = (uint32_t)(((uint64_t)best + align - 1) & ~(uint64_t)(align - 1));
    cut(span, best, place, count);
    *out_start = place;
    return true;
}

void sim_span_release(struct sim_span *span, uint32_t start, uint32_t count)
{
    assert(count > 0 && start + count <= span->units);
    span->free_units += count;
    uint32_t end = start + count;
    if (end < span->units && span->nodes[end].free_size != 0) {
        uint32_t right = span->nodes[end].free_size;
        withdraw(span, end);
        count += right;
    }
    if (start > 0 && span->nodes[start - 1].free_back != 0) {
        uint32_t left = span->nodes[start - 1].free_back;
        withdraw(span, start - left);
        start -= left;
        count += left;
    }
    insert(span, start, count);
}
