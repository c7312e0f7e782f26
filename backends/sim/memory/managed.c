/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE, mremap */
#include "memory/managed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utlist.h>

#include "device/device.h"
#include "memory/address_map.h"
#include "memory/arena.h"
#include "memory/range_table.h"
#include "memory/region.h"
#include "memory/touch_report.h"
#include "wait/clock.h"
#include "wait/model_lock.h"
#include "wait/progress.h"

#define REGION_LEAST (UINT64_C(1) << 28)

#define PAGE    SIM_HUGE_PAGE
#define ENTRIES (PAGE / SIM_PAGE) /* of the page table, for one of our pages */

/* Where a page is, beside the numbers of devices. */
#define NOWHERE (-2)
#define ON_HOST (-1)
#define HOST    (UINT64_C(1) << 63) /* in sets of devices */

struct page {
    int16_t at;           /* a device, ON_HOST, or NOWHERE: not used yet */
    bool read_mostly;     /* others that read it have copies */
    uint64_t copies;      /* devices that have one */
    uint64_t accessed_by; /* devices, and HOST */
    twin_place preferred;
    twin_place prefetched;
};

/* Never freed, as a lookup may still have it; what it points to is used under the model lock. */
struct managed {
    struct managed *next;
    uint64_t base;
    uint64_t bytes; /* whole pages; 0: not in use */
    uint32_t device;
    char *view; /* where the model reaches it */
    struct sim_owner owner;
    struct page *pages;
};

/* All guarded by the model lock, but for lookups in `ranges`. */
static struct sim_ranges ranges;
static struct managed *used;
static struct managed *unused;
static struct sim_region region;
static uint64_t next_address;
static int page_table = -1; /* /proc/self/pagemap; -1: not opened, -2: there is none */
static uint64_t moved_faults, moved_to_host, moved_to_device;

/* ---- lookups --------------------------------------------------------------------------------- */

static struct managed *find(uint64_t address)
{
    struct sim_range range;
    return sim_ranges_find(&ranges, address, &range) ? range.what : NULL;
}

static struct page *page_at(const struct managed *in, uint64_t address)
{
    return &in->pages[(address - in->base) / PAGE];
}

static void managed_info(uint64_t address, twin_memory_info *out_info)
{
    struct sim_range range;
    if (!sim_ranges_find(&ranges, address, &range)) {
        out_info->kind = TWIN_MEMORY_GONE;
        return;
    }
    *out_info = (twin_memory_info){.kind = TWIN_MEMORY_MANAGED,
                                   .base = range.base,
                                   .size_bytes = range.bytes,
                                   .page_bytes = PAGE};
}

static bool managed_allocated(uint64_t address, uint64_t bytes)
{
    struct sim_range range;
    return sim_ranges_find(&ranges, address, &range) &&
           bytes <= range.bytes - (address - range.base);
}

static uint64_t managed_piece(uint64_t address, uint64_t *out_place)
{
    struct sim_range range;
    *out_place = address;
    return sim_ranges_find(&ranges, address, &range) ? range.bytes - (address - range.base) : 0;
}

/* Where the first page is decides the way. */
static void *managed_translate(uint32_t device, uint64_t address, uint64_t bytes,
                               enum twinsim_access access, enum twinsim_target *out_target,
                               uint32_t *out_device)
{
    (void)device;
    const struct managed *in = find(address);
    if (!in || bytes > in->bytes - (address - in->base))
        return NULL;
    const int16_t at = page_at(in, address)->at;
    *out_target = at >= 0 ? TWINSIM_TARGET_HBM : TWINSIM_TARGET_HOST;
    if (at >= 0)
        *out_device = (uint32_t)at;
    if (access == TWINSIM_WRITE)
        sim_progress_seen = true;
    return in->view + (address - in->base);
}

static const struct sim_region_ops managed_ops = {.info = managed_info,
                                                  .translate = managed_translate,
                                                  .piece = managed_piece,
                                                  .allocated = managed_allocated};

bool sim_managed_exists(void)
{
    return used != NULL;
}

bool sim_managed_contains(uint64_t address)
{
    return address - region.base < region.bytes;
}

/* ---- pages that move ------------------------------------------------------------------------- */

/* Whether the page table of the host's mapping has an entry for a part of the page. Where that is
 * not known, the host has not used it. */
static bool host_has_used(const struct managed *in, const struct page *page)
{
    uint64_t entries[ENTRIES];
    const uint64_t address = in->base + (uint64_t)(page - in->pages) * PAGE;
    if (page_table == -1) {
        page_table = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
        if (page_table < 0)
            page_table = -2;
    }
    if (page_table < 0 ||
        pread(page_table, entries, sizeof(entries),
              (off_t)(address / SIM_PAGE * sizeof(entries[0]))) != (ssize_t)sizeof(entries))
        return false;
    for (unsigned i = 0; i < ENTRIES; i++)
        if (entries[i] >> 63 != 0)
            return true;
    return false;
}

/* The host's next access can be found out. */
static void leave_host(const struct managed *in, const struct page *page)
{
    (void)madvise((void *)(uintptr_t)(in->base + (uint64_t)(page - in->pages) * PAGE), PAGE,
                  MADV_DONTNEED);
}

/* What the host has done since the page moved. */
static void look(const struct managed *in, struct page *page)
{
    if (page->at == ON_HOST || !sim_touch_host(in->base + (uint64_t)(page - in->pages) * PAGE, PAGE,
                                               host_has_used(in, page)))
        return;
    if (page->at >= 0 && page->read_mostly)
        return; /* the host has a copy of its own */
    if (page->at >= 0)
        moved_to_host += PAGE;
    page->at = ON_HOST;
    page->copies = 0;
}

static void move_to_device(const struct managed *in, struct page *page, uint32_t device)
{
    if (page->at != NOWHERE)
        moved_to_device += PAGE;
    moved_faults++;
    page->at = (int16_t)device;
    page->copies = 0;
    leave_host(in, page);
}

static void use_page(const struct managed *in, struct page *page, uint32_t device, bool write)
{
    const uint64_t bit = UINT64_C(1) << device % SIM_DEVICES_MOST;
    look(in, page);
    if (write && page->read_mostly) {
        page->read_mostly = false;
        page->copies = 0;
    }
    if (page->at == (int16_t)device || (page->copies & bit) != 0)
        return;
    if (page->preferred.kind == TWIN_PLACE_HOST && page->at == ON_HOST &&
        (page->accessed_by & bit) != 0)
        return; /* it is mapped for the device where it is */
    if (page->read_mostly && page->at != NOWHERE) {
        moved_to_device += PAGE;
        moved_faults++;
        page->copies |= bit;
        return;
    }
    move_to_device(in, page, device);
}

void sim_managed_use(uint32_t device, uint64_t address, uint64_t bytes, bool write)
{
    const struct managed *in = find(address);
    if (!in || bytes == 0 || bytes > in->bytes - (address - in->base))
        return;
    struct page *last = page_at(in, address + bytes - 1);
    for (struct page *page = page_at(in, address); page <= last; page++)
        use_page(in, page, device, write);
}

static uint64_t link_ns(uint64_t bytes, uint64_t mb_s)
{
    return mb_s != 0 ? bytes * 1000 / mb_s : 0;
}

uint64_t sim_managed_take_cost(void)
{
    const struct sim_limits *limits = &sim_process.limits;
    const uint64_t ns = moved_faults * limits->fault_ns +
                        link_ns(moved_to_device, limits->to_device_mb_s) +
                        link_ns(moved_to_host, limits->to_host_mb_s);
    moved_faults = 0;
    moved_to_device = 0;
    moved_to_host = 0;
    return ns;
}

/* ---- allocation ------------------------------------------------------------------------------ */

static bool open_region(void)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    const uint64_t watched = sim_arena_watched_limit();
    uint64_t bytes = watched < SIM_MANAGED_BYTES ? watched : SIM_MANAGED_BYTES;
    void *place = MAP_FAILED;
    if (region.ops)
        return true;
    if (bytes == SIM_MANAGED_BYTES)
        place = mmap((void *)(uintptr_t)SIM_MANAGED_BASE, bytes, PROT_NONE,
                     flags | MAP_FIXED_NOREPLACE, -1, 0);
    for (; place == MAP_FAILED && bytes >= REGION_LEAST; bytes /= 2) {
        place = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);
        if (place != MAP_FAILED)
            break;
    }
    if (place == MAP_FAILED)
        return false;
    (void)madvise(place, bytes, MADV_DONTDUMP);
    const uint64_t base = ((uintptr_t)place + PAGE - 1) / PAGE * PAGE;
    region = (struct sim_region){
        .base = base, .bytes = bytes - (base - (uintptr_t)place), .ops = &managed_ops};
    if (base != SIM_MANAGED_BASE)
        sim_log(2, "managed memory is outside the documented window, which other memory of the "
                   "process or a limit of it leaves no room in");
    sim_region_add(&region);
    return true;
}

/* With an unused page after each allocation, so that a range that leaves one meets none. */
static uint64_t find_place(uint64_t bytes)
{
    const uint64_t end = region.base + region.bytes;
    if (!used)
        next_address = region.base;
    for (unsigned rounds = 0; rounds < 2; rounds++) {
        struct sim_range taken;
        uint64_t at = rounds == 0 ? next_address : region.base;
        while (at < end && bytes <= end - at) {
            if (!sim_ranges_next(&ranges, at, &taken) || taken.base > at + bytes) {
                next_address = at + bytes + PAGE;
                return at;
            }
            at = taken.base + taken.bytes + PAGE;
        }
    }
    return 0;
}

/* Maps the same shared memory for the model and, at `base`, for the host. */
static char *map_twice(uint64_t base, uint64_t bytes)
{
    void *view = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (view == MAP_FAILED)
        return NULL;
    if (mremap(view, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)(uintptr_t)base) ==
        MAP_FAILED) {
        munmap(view, bytes);
        return NULL;
    }
    return view;
}

static void unmap_both(const struct managed *in)
{
    munmap(in->view, in->bytes);
    void *host = (void *)(uintptr_t)in->base;
    (void)mmap(host, in->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
               -1, 0);
    (void)madvise(host, in->bytes, MADV_DONTDUMP);
}

static void free_locked(struct managed *in)
{
    sim_ranges_remove(&ranges, in->base);
    unmap_both(in);
    free(in->pages);
    in->bytes = 0;
    LL_DELETE(used, in);
    LL_PREPEND(unused, in);
}

static twin_status alloc_locked(struct managed *in, uint32_t device, uint64_t bytes)
{
    const uint64_t count = bytes / PAGE;
    *in = (struct managed){.base = find_place(bytes), .bytes = bytes, .device = device};
    sim_owner_take(&in->owner, &(twin_allocation){.module = TWIN_MODULE_APP});
    in->pages = in->base != 0 ? calloc((size_t)count, sizeof(*in->pages)) : NULL;
    in->view = in->pages ? map_twice(in->base, bytes) : NULL;
    if (!in->view) {
        free(in->pages);
        return TWIN_E_NOMEM;
    }
    for (uint64_t i = 0; i < count; i++)
        in->pages[i].at = NOWHERE;
    const struct sim_range range = {.base = in->base, .bytes = bytes, .what = in};
    if (sim_ranges_add(&ranges, &range))
        return TWIN_OK;
    unmap_both(in);
    free(in->pages);
    return TWIN_E_NOMEM;
}

twin_status sim_managed_alloc(twin_hw_device *device, uint64_t bytes, uint64_t *out_address)
{
    twin_status status = TWIN_E_NOMEM;
    sim_model_lock();
    struct managed *in = unused;
    if (open_region()) {
        if (in)
            LL_DELETE(unused, in);
        else
            in = calloc(1, sizeof(*in));
        status = in ? alloc_locked(in, device->index, bytes) : TWIN_E_NOMEM;
        if (status == TWIN_OK) {
            LL_PREPEND(used, in);
            *out_address = in->base;
        } else if (in) {
            LL_PREPEND(unused, in);
        }
    }
    sim_model_unlock();
    if (status != TWIN_OK)
        sim_explain("no address space or memory for %llu bytes of managed memory",
                    (unsigned long long)bytes);
    return status;
}

twin_status sim_managed_free(uint64_t address)
{
    sim_model_lock();
    struct managed *in = find(address);
    const bool found = in && in->base == address;
    if (found)
        free_locked(in);
    sim_model_unlock();
    return found ? TWIN_OK : TWIN_E_INVALID;
}

void sim_managed_each(sim_map_visit *visit, void *context)
{
    const struct managed *in;
    LL_FOREACH(used, in)
    {
        const struct sim_map_row row = {.kind = SIM_MAP_MANAGED,
                                        .device = in->device,
                                        .page_bytes = PAGE,
                                        .address = in->base,
                                        .bytes = in->bytes,
                                        .room = in->bytes,
                                        .owner = in->owner};
        visit(context, &row);
    }
}

void sim_managed_close(uint32_t device)
{
    struct managed *in, *next;
    LL_FOREACH_SAFE(used, in, next) {
        if (in->device == device)
            free_locked(in);
    }
}

/* ---- advice, facts, moves -------------------------------------------------------------------- */

static uint64_t bit_of(twin_place place)
{
    return place.kind == TWIN_PLACE_DEVICE ? UINT64_C(1) << place.id : HOST;
}

static int16_t spot_of(twin_place place)
{
    return place.kind == TWIN_PLACE_DEVICE ? (int16_t)place.id : ON_HOST;
}

/* The documents refuse a preferred place for pages that are somewhere else. */
static bool may_prefer(const struct managed *in, struct page *page, twin_place place)
{
    look(in, page);
    return page->read_mostly || page->at == NOWHERE || page->at == spot_of(place);
}

static void advise_page(const struct managed *in, struct page *page, twin_advice advice,
                        twin_place place)
{
    switch (advice) {
    case TWIN_ADVICE_READ_MOSTLY:
        page->read_mostly = true;
        break;
    case TWIN_ADVICE_NOT_READ_MOSTLY:
        if (page->read_mostly && page->copies != 0)
            page->at = spot_of(place);
        page->read_mostly = false;
        page->copies = 0;
        break;
    case TWIN_ADVICE_PREFERRED:
        page->preferred = place;
        if (page->at == NOWHERE)
            page->at = spot_of(place);
        if (page->at >= 0)
            leave_host(in, page);
        break;
    case TWIN_ADVICE_NOT_PREFERRED:
        page->preferred = (twin_place){TWIN_PLACE_NONE, 0};
        break;
    case TWIN_ADVICE_ACCESSED_BY:
        page->accessed_by |= bit_of(place);
        break;
    case TWIN_ADVICE_NOT_ACCESSED_BY:
        page->accessed_by &= place.kind != TWIN_PLACE_NONE ? ~bit_of(place) : 0;
        break;
    case TWIN_ADVICES:
        break;
    }
}

twin_status sim_managed_advise(uint64_t address, uint64_t bytes, twin_advice advice,
                               twin_place place)
{
    twin_status status = TWIN_OK;
    sim_model_lock();
    const struct managed *in = find(address);
    const bool inside = in && bytes <= in->bytes - (address - in->base);
    struct page *first = inside ? page_at(in, address) : NULL;
    const uint64_t count = inside ? bytes / PAGE : 0;
    for (uint64_t i = 0; advice == TWIN_ADVICE_PREFERRED && i < count && status == TWIN_OK; i++)
        if (!may_prefer(in, &first[i], place))
            status = TWIN_E_INVALID;
    for (uint64_t i = 0; i < count && status == TWIN_OK; i++)
        advise_page(in, &first[i], advice, place);
    sim_model_unlock();
    if (status != TWIN_OK)
        sim_explain("pages of the range are somewhere else than the preferred place; give the "
                    "advice before they are used, or prefetch them");
    return in ? status : TWIN_E_INVALID;
}

static bool same(twin_place a, twin_place b)
{
    return a.kind == b.kind && a.id == b.id;
}

static twin_place common(const struct page *first, uint64_t count, bool prefetched)
{
    const twin_place place = prefetched ? first->prefetched : first->preferred;
    for (uint64_t i = 1; i < count; i++)
        if (!same(prefetched ? first[i].prefetched : first[i].preferred, place))
            return (twin_place){TWIN_PLACE_NONE, 0};
    return place;
}

static void list_accessors(uint64_t set, twin_place *out, size_t room)
{
    size_t count = 0;
    if ((set & HOST) != 0)
        out[count++] = (twin_place){TWIN_PLACE_HOST, 0};
    for (int32_t i = 0; i < 63 && count < room; i++)
        if ((set >> i & 1) != 0)
            out[count++] = (twin_place){TWIN_PLACE_DEVICE, i};
    for (; count < room; count++)
        out[count] = (twin_place){TWIN_PLACE_NONE, 0};
}

twin_status sim_managed_query(uint64_t address, uint64_t bytes, twin_managed_fact fact,
                              twin_place *out, size_t room)
{
    sim_model_lock();
    const struct managed *in = find(address);
    const bool inside = in && bytes <= in->bytes - (address - in->base);
    const struct page *first = inside ? page_at(in, address) : NULL;
    const uint64_t count = inside ? (uint64_t)(page_at(in, address + bytes - 1) - first) + 1 : 0;
    uint64_t accessors = UINT64_MAX;
    bool mostly = true;
    for (uint64_t i = 0; i < count; i++) {
        accessors &= first[i].accessed_by;
        mostly = mostly && first[i].read_mostly;
    }
    if (inside && fact == TWIN_MANAGED_ACCESSED_BY)
        list_accessors(accessors, out, room);
    else if (inside && fact == TWIN_MANAGED_READ_MOSTLY)
        *out = (twin_place){mostly ? TWIN_PLACE_HOST : TWIN_PLACE_NONE, 0};
    else if (inside)
        *out = common(first, count, fact == TWIN_MANAGED_PREFETCHED);
    sim_model_unlock();
    return inside ? TWIN_OK : TWIN_E_INVALID;
}

static void move_page(const struct managed *in, struct page *page, twin_place place)
{
    const int16_t to = spot_of(place);
    look(in, page);
    page->prefetched = place;
    if (page->at == to || (to >= 0 && (page->copies >> to & 1) != 0))
        return;
    if (page->at != NOWHERE && to >= 0)
        moved_to_device += PAGE;
    else if (page->at >= 0)
        moved_to_host += PAGE;
    if (page->read_mostly && to >= 0 && page->at != NOWHERE) {
        page->copies |= UINT64_C(1) << to;
        return;
    }
    page->at = to;
    if (to >= 0)
        leave_host(in, page);
}

/* The caller's clock advances by the time that the link needs: nothing else of the model knows. */
twin_status sim_managed_move(twin_hw_device *device, uint64_t address, uint64_t bytes,
                             twin_place place)
{
    (void)device;
    sim_model_lock();
    const struct managed *in = find(address);
    const bool inside = in && bytes <= in->bytes - (address - in->base);
    for (uint64_t i = 0; inside && i < bytes / PAGE; i++)
        move_page(in, page_at(in, address + i * PAGE), place);
    const uint64_t ns = sim_managed_take_cost();
    sim_model_unlock();
    if (ns != 0)
        sim_host_advance(ns);
    return inside ? TWIN_OK : TWIN_E_INVALID;
}
