/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include "vmm/place.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "memory/address_map.h"
#include "memory/arena.h"
#include "memory/extent_allocator.h"
#include "memory/vmm_records.h"

static struct sim_span span; /* of reservations without a wish; guarded by the caller's lock */

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) & ~(unit - 1);
}

/* A power of two at least as large as the range, and never more than 1 GiB. */
static uint64_t alignment_of(uint64_t bytes)
{
    uint64_t align = SIM_GRANULE;
    while (align < bytes && align < SIM_GIANT_PAGE)
        align *= 2;
    return align;
}

static bool map_nothing(uint64_t at, uint64_t bytes, int how)
{
    void *place = mmap((void *)(uintptr_t)at, bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how, -1, 0);
    if (place == MAP_FAILED)
        return false;
    if (at != 0 && (uintptr_t)place != at) { /* a kernel without MAP_FIXED_NOREPLACE */
        munmap(place, bytes);
        return false;
    }
    (void)madvise(place, bytes, MADV_DONTDUMP);
    return true;
}

/* Anywhere, as the system likes. 0: there is no address space left. */
static uint64_t place_anywhere(uint64_t bytes, uint64_t align)
{
    void *place =
        mmap(NULL, bytes + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED)
        return 0;
    const uint64_t start = (uintptr_t)place;
    const uint64_t base = round_up(start, align);
    if (base > start)
        munmap(place, base - start);
    if (base < start + align)
        munmap((void *)(uintptr_t)(base + bytes), start + align - base);
    (void)madvise((void *)(uintptr_t)base, bytes, MADV_DONTDUMP);
    return base;
}

/* Whether the span can be used: no tool or limit leaves less. */
static bool has_span(void)
{
    return sim_arena_watched_limit() == UINT64_MAX &&
           (span.nodes || sim_span_init(&span, (uint32_t)(SIM_RESERVE_BYTES / SIM_GRANULE)));
}

/* At the lowest place of the span that is free. */
static uint64_t place_in_span(uint64_t bytes, uint64_t align)
{
    uint32_t start = 0;
    if (bytes > SIM_RESERVE_BYTES || !has_span() ||
        !sim_span_take(&span, (uint32_t)(bytes / SIM_GRANULE), (uint32_t)(align / SIM_GRANULE),
                       &start))
        return 0;
    const uint64_t base = SIM_RESERVE_BASE + start * SIM_GRANULE;
    if (map_nothing(base, bytes, MAP_FIXED_NOREPLACE))
        return base;
    sim_span_release(&span, start, (uint32_t)(bytes / SIM_GRANULE));
    return 0;
}

static bool is_within(uint64_t at, uint64_t bytes, uint64_t begin, uint64_t room)
{
    return at >= begin && at - begin < room && bytes <= room - (at - begin);
}

/* Where the program wishes: in the documented window, or where a reservation could be anyway. */
static twin_status place_at(uint64_t expected, uint64_t bytes, uint64_t align, bool *in_span)
{
    const bool inside = is_within(expected, bytes, SIM_RESERVE_BASE, SIM_RESERVE_BYTES);
    if (!inside && !is_within(expected, bytes, SIM_EXPECT_BASE, SIM_EXPECT_BYTES)) {
        sim_explain(
            "expectPtr is 0x%llx for %llu bytes; the range must be from 0x%llx up to 0x%llx",
            (unsigned long long)expected, (unsigned long long)bytes,
            (unsigned long long)SIM_EXPECT_BASE,
            (unsigned long long)(SIM_EXPECT_BASE + SIM_EXPECT_BYTES));
        return TWIN_E_INVALID;
    }
    if (expected % align != 0) {
        sim_explain("expectPtr is 0x%llx; for %llu bytes it must be a multiple of 0x%llx",
                    (unsigned long long)expected, (unsigned long long)bytes,
                    (unsigned long long)align);
        return TWIN_E_INVALID;
    }
    *in_span = inside && has_span();
    const uint32_t unit = (uint32_t)((expected - SIM_RESERVE_BASE) / SIM_GRANULE);
    const uint32_t units = (uint32_t)(bytes / SIM_GRANULE);
    errno = EEXIST;
    if (!*in_span || sim_span_take_at(&span, unit, units)) {
        if (map_nothing(expected, bytes, MAP_FIXED_NOREPLACE))
            return TWIN_OK;
        if (*in_span)
            sim_span_release(&span, unit, units);
    }
    sim_explain("addresses from 0x%llx up to 0x%llx are in use: %s", (unsigned long long)expected,
                (unsigned long long)expected + bytes, strerror(errno));
    return TWIN_E_INVALID;
}

void sim_place_hide(uint64_t address, uint64_t bytes)
{
    (void)map_nothing(address, bytes, MAP_FIXED);
}

void sim_place_release(const struct sim_reservation *one)
{
    munmap((void *)(uintptr_t)one->base, one->bytes);
    if (one->in_span)
        sim_span_release(&span, (uint32_t)((one->base - SIM_RESERVE_BASE) / SIM_GRANULE),
                         (uint32_t)(one->bytes / SIM_GRANULE));
}

twin_status sim_place_take(uint64_t bytes, uint64_t expected, struct sim_reservation *one)
{
    const uint64_t align = alignment_of(bytes);
    bool in_span = false;
    bytes = round_up(bytes, SIM_GRANULE);
    if (expected != 0) {
        const twin_status status = place_at(expected, bytes, align, &in_span);
        if (status != TWIN_OK)
            return status;
        one->base = expected;
    } else {
        uint64_t base = place_in_span(bytes, align);
        in_span = base != 0;
        if (!in_span)
            base = place_anywhere(bytes, align);
        if (base == 0)
            return TWIN_E_NOMEM;
        one->base = base;
    }
    one->bytes = bytes;
    one->in_span = in_span;
    return TWIN_OK;
}
