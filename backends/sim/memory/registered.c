/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE, process_vm_readv */
#include "memory/registered.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utlist.h>

#include "device/device.h"
#include "memory/address_map.h"
#include "memory/arena.h"
#include "memory/memory.h"
#include "memory/range_table.h"
#include "memory/guarded_copy.h"
#include "memory/region.h"
#include "process/site.h"
#include "wait/hooks.h"
#include "wait/model_lock.h"
#include "wait/progress.h"

/* Addresses for registered memory, at least. */
#define REGION_LEAST (UINT64_C(1) << 28)
#define SITE_BYTES   128u

/* Never freed: a lookup may still have it. Written before a table has it. */
struct pinned {
    struct pinned *next;
    uint64_t base;
    uint64_t bytes;
    uint64_t address; /* of its device; 0: none */
    uint32_t device;
    bool read_only;
    bool unified; /* `address` is `base` */
    struct sim_owner owner;
    atomic_bool reported; /* that pages are missing, or that it is read-only */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Changed with lock. */
static struct sim_ranges by_host[SIM_DEVICES_MOST]; /* outside the arena of page-locked memory */
static struct sim_ranges by_device;                 /* mapped ones, of all devices */
static struct pinned *used;
static struct pinned *unused;
static struct sim_region region;
static uint64_t next_address; /* where the next mapped range is tried */
static unsigned mapped_count;

/* ---- lookups --------------------------------------------------------------------------------- */

static const struct pinned *find(struct sim_ranges *ranges, uint64_t address)
{
    struct sim_range range;
    return sim_ranges_find(ranges, address, &range) ? range.what : NULL;
}

/* The registration of the host's address that reaches furthest, with whatever device. */
static struct pinned *find_by_host(uint64_t address)
{
    struct pinned *furthest = NULL;
    uint64_t end = 0;
    for (uint32_t i = 0; i < sim_process.device_count; i++) {
        struct sim_range range;
        if (!sim_ranges_find(&by_host[i], address, &range) || range.base + range.bytes <= end)
            continue;
        end = range.base + range.bytes;
        furthest = range.what;
    }
    return furthest;
}

static bool is_inside(uint64_t base, uint64_t size, uint64_t address, uint64_t bytes)
{
    return address - base < size && bytes <= size - (address - base);
}

bool sim_registered_info(uint64_t address, twin_memory_info *out_info)
{
    const struct pinned *pin = find_by_host(address);
    if (!pin)
        return false;
    *out_info = (twin_memory_info){.kind = TWIN_MEMORY_REGISTERED,
                                   .device = pin->device,
                                   .base = pin->base,
                                   .size_bytes = pin->bytes,
                                   .page_bytes = SIM_PAGE};
    return true;
}

bool sim_registered_any(uint64_t address, uint64_t bytes)
{
    struct sim_range range;
    for (uint32_t i = 0; i < sim_process.device_count; i++)
        if (sim_ranges_next(&by_host[i], address, &range) && range.base < address + bytes)
            return true;
    return false;
}

bool sim_registered_at(uint64_t device_address, uint64_t *out_host)
{
    const struct pinned *pin = find(&by_device, device_address);
    if (pin)
        *out_host = pin->base + (device_address - pin->address);
    return pin != NULL;
}

bool sim_registered_outside(uint64_t device_address)
{
    uint64_t host;
    return sim_registered_at(device_address, &host) && sim_host_has_rights(host, host + 1, 's');
}

/* ---- reports --------------------------------------------------------------------------------- */

/* "memory of the program, 8192 bytes at 0x1000 (registered at program+0x12)" */
static void describe(const struct pinned *pin, char *text, size_t bytes)
{
    char site[SITE_BYTES];
    uintptr_t offset;
    sim_site_text(pin->owner.site, site, sizeof(site), &offset);
    snprintf(text, bytes, "%llu bytes at 0x%llx, registered at %s", (unsigned long long)pin->bytes,
             (unsigned long long)pin->base, site[0] ? site : "an unknown place");
}

static void note(struct pinned *pin, uint64_t address, const char *what, const char *remedy)
{
    char range[SITE_BYTES + 80];
    describe(pin, range, sizeof(range));
    sim_failure_because("the host memory at 0x%llx %s (%s)", (unsigned long long)address, what,
                        range);
    if (!sim_silent && !atomic_exchange_explicit(&pin->reported, true, memory_order_relaxed))
        sim_log(3, "device %u: a task uses the host memory at 0x%llx, which %s: %s; %s",
                pin->device, (unsigned long long)address, what, range, remedy);
}

/* The first byte of the range that cannot be read; its first byte if all can, as they cannot be
 * written then. */
static uint64_t missing_at(uint64_t address, uint64_t bytes)
{
    uint64_t at = address;
    while (at < address + bytes) {
        char byte;
        const struct iovec here = {.iov_base = &byte, .iov_len = 1};
        const struct iovec there = {.iov_base = (void *)(uintptr_t)at, .iov_len = 1};
        if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != 1)
            return at;
        at = (at & ~(uint64_t)(SIM_PAGE - 1)) + SIM_PAGE;
    }
    return address;
}

static void note_gone(const void *to, const void *from, uint64_t bytes)
{
    const uint64_t sides[] = {(uintptr_t)to, (uintptr_t)from};
    for (int i = 0; i < 2; i++) {
        struct pinned *pin = find_by_host(sides[i]);
        if (pin)
            note(pin, missing_at(sides[i], bytes), "is not there any more, or cannot be accessed",
                 "call aclrtHostUnregister before unmapping, moving, protecting or truncating it");
    }
}

bool sim_memory_host_move(void *context, void *to, const void *from, uint64_t bytes)
{
    (void)context;
    if (sim_guarded_copy(to, from, bytes))
        return true;
    note_gone(to, from, bytes);
    return false;
}

/* ---- the region of device addresses ---------------------------------------------------------- */

static void region_info(uint64_t address, twin_memory_info *out_info)
{
    const struct pinned *pin = find(&by_device, address);
    if (!pin)
        out_info->kind = TWIN_MEMORY_GONE;
    else
        *out_info = (twin_memory_info){.kind = TWIN_MEMORY_MAPPED,
                                       .device = pin->device,
                                       .base = pin->address,
                                       .size_bytes = pin->bytes,
                                       .page_bytes = SIM_PAGE};
}

static bool region_allocated(uint64_t address, uint64_t bytes)
{
    const struct pinned *pin = find(&by_device, address);
    return pin && is_inside(pin->address, pin->bytes, address, bytes);
}

static uint64_t region_piece(uint64_t address, uint64_t *out_place)
{
    const struct pinned *pin = find(&by_device, address);
    if (!pin)
        return 0;
    *out_place = pin->base + (address - pin->address);
    return pin->bytes - (address - pin->address);
}

/* Pages of the program are reached in place; those of the arena are page-locked memory. */
static void *translate_host(uint32_t device, uint64_t host, uint64_t bytes,
                            enum twinsim_access access, enum twinsim_target *out_target)
{
    twin_memory_info info;
    uint32_t owner;
    if (!sim_registered_info(host, &info))
        return sim_memory_translate(NULL, device, host, bytes, access, out_target, &owner);
    return sim_registered_translate(host, bytes, access, out_target);
}

/* Names the range that was at that address last. */
static void note_ended(uint64_t address)
{
    const struct pinned *pin;
    pthread_mutex_lock(&lock);
    LL_FOREACH(unused, pin)
    {
        char range[SITE_BYTES + 80];
        if (pin->address == 0 || address - pin->address >= pin->bytes)
            continue;
        describe(pin, range, sizeof(range));
        sim_failure_because("0x%llx is of host memory that is not registered any more (%s)",
                            (unsigned long long)address, range);
        break;
    }
    pthread_mutex_unlock(&lock);
}

static void *region_translate(uint32_t device, uint64_t address, uint64_t bytes,
                              enum twinsim_access access, enum twinsim_target *out_target,
                              uint32_t *out_device)
{
    struct sim_range range;
    (void)out_device;
    if (!sim_ranges_find(&by_device, address, &range)) {
        note_ended(address);
        return NULL;
    }
    struct pinned *pin = range.what;
    if (!is_inside(pin->address, pin->bytes, address, bytes))
        return NULL;
    const uint64_t host = pin->base + (address - pin->address);
    if (pin->device != device) {
        note(pin, host, "is registered with another device",
             "register it in a context of the device that uses it");
        return NULL;
    }
    if (access == TWINSIM_WRITE && pin->read_only) {
        note(pin, host, "is registered as read-only", "register it without ACL_HOST_REG_READONLY");
        return NULL;
    }
    return translate_host(device, host, bytes, access, out_target);
}

static const struct sim_region_ops region_ops = {.info = region_info,
                                                 .translate = region_translate,
                                                 .piece = region_piece,
                                                 .allocated = region_allocated};

void *sim_registered_translate(uint64_t address, uint64_t bytes, enum twinsim_access access,
                               enum twinsim_target *out_target)
{
    const struct pinned *pin = find_by_host(address);
    if (!pin || !is_inside(pin->base, pin->bytes, address, bytes))
        return NULL;
    *out_target = TWINSIM_TARGET_HOST_PAGES;
    if (access == TWINSIM_WRITE)
        sim_progress_seen = true;
    return (void *)(uintptr_t)address;
}

/* Reserves the region, less of it where the process may not reserve that much. */
static bool open_region_locked(void)
{
    uint64_t bytes = sim_arena_watched_limit() < SIM_REGISTERED_BYTES ? sim_arena_watched_limit()
                                                                      : SIM_REGISTERED_BYTES;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *place = MAP_FAILED;
    if (region.ops)
        return true;
    if (bytes == SIM_REGISTERED_BYTES) /* no tool has most addresses for itself */
        place = mmap((void *)(uintptr_t)SIM_REGISTERED_BASE, bytes, PROT_NONE,
                     flags | MAP_FIXED_NOREPLACE, -1, 0);
    while (place == MAP_FAILED && bytes >= REGION_LEAST) {
        place = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);
        if (place == MAP_FAILED)
            bytes /= 2;
    }
    if (place == MAP_FAILED)
        return false;
    (void)madvise(place, bytes, MADV_DONTDUMP);
    region = (struct sim_region){.base = (uintptr_t)place, .bytes = bytes, .ops = &region_ops};
    sim_region_add(&region);
    return true;
}

/* A place for so many bytes, with an unused page after it; 0: there is none. */
static uint64_t find_place_locked(uint64_t bytes)
{
    const uint64_t room = (bytes + 2 * (uint64_t)SIM_PAGE - 1) & ~(uint64_t)(SIM_PAGE - 1);
    const uint64_t end = region.base + region.bytes;
    if (mapped_count == 0)
        next_address = region.base;
    for (unsigned rounds = 0; rounds < 2; rounds++) {
        struct sim_range taken;
        uint64_t at = rounds == 0 ? next_address : region.base;
        while (at < end && room <= end - at) {
            if (!sim_ranges_next(&by_device, at, &taken) || taken.base >= at + room) {
                next_address = at + room;
                return at;
            }
            at =
                (taken.base + taken.bytes + 2 * (uint64_t)SIM_PAGE - 1) & ~(uint64_t)(SIM_PAGE - 1);
        }
    }
    return 0;
}

/* ---- registering ----------------------------------------------------------------------------- */

static bool open_region(void)
{
    sim_model_lock();
    pthread_mutex_lock(&lock);
    const bool open = open_region_locked();
    pthread_mutex_unlock(&lock);
    sim_model_unlock();
    return open;
}

static struct pinned *new_locked(void)
{
    struct pinned *pin = unused;
    if (pin)
        LL_DELETE(unused, pin);
    else
        pin = calloc(1, sizeof(*pin));
    return pin;
}

static bool is_page_locked(uint64_t address, bool *out_unified)
{
    twin_memory_info info;
    (void)sim_memory_info(address, &info);
    *out_unified = (info.flags & TWIN_ALLOC_UNIFIED) != 0;
    return info.kind == TWIN_MEMORY_HOST_PINNED;
}

static twin_status add_locked(twin_hw_device *device, const twin_pin *wanted, struct pinned *pin)
{
    pin->base = (uintptr_t)wanted->pointer;
    pin->bytes = wanted->bytes;
    pin->device = device->index;
    pin->read_only = wanted->read_only;
    sim_owner_take(&pin->owner, &(twin_allocation){.module = TWIN_MODULE_APP});
    pin->owner.site = wanted->site;
    const bool page_locked = is_page_locked(pin->base, &pin->unified);
    pin->address = !wanted->mapped ? 0
                   : pin->unified  ? pin->base
                                   : find_place_locked(wanted->bytes);
    atomic_store_explicit(&pin->reported, false, memory_order_relaxed);
    if (wanted->mapped && pin->address == 0)
        return TWIN_E_NOMEM;
    const struct sim_range host = {.base = pin->base, .bytes = pin->bytes, .what = pin};
    const struct sim_range mapped = {.base = pin->address, .bytes = pin->bytes, .what = pin};
    if (!page_locked && !sim_ranges_add(&by_host[pin->device], &host))
        return TWIN_E_NOMEM;
    if (wanted->mapped && !pin->unified && !sim_ranges_add(&by_device, &mapped)) {
        sim_ranges_remove(&by_host[pin->device], pin->base);
        return TWIN_E_NOMEM;
    }
    return TWIN_OK;
}

twin_status sim_memory_pin(twin_hw_device *device, const twin_pin *wanted, uint64_t *out_address)
{
    twin_status status = TWIN_E_NOMEM;
    if (wanted->mapped && !open_region()) {
        sim_explain("no address space for registered memory; raise the limit of the process "
                    "(ulimit -v)");
        return status;
    }
    pthread_mutex_lock(&lock);
    struct pinned *pin = new_locked();
    if (pin)
        status = add_locked(device, wanted, pin);
    if (status == TWIN_OK) {
        LL_PREPEND(used, pin);
        *out_address = pin->address;
    } else if (pin) {
        LL_PREPEND(unused, pin);
    }
    if (status == TWIN_OK && wanted->mapped)
        mapped_count++;
    if (status == TWIN_OK && wanted->mapped && mapped_count == 1)
        sim_progress_share(true);
    pthread_mutex_unlock(&lock);
    return status;
}

static void remove_locked(struct pinned *pin)
{
    if (find(&by_host[pin->device], pin->base) == pin)
        sim_ranges_remove(&by_host[pin->device], pin->base);
    if (pin->address != 0) {
        if (!pin->unified)
            sim_ranges_remove(&by_device, pin->address);
        if (--mapped_count == 0)
            sim_progress_share(false);
    }
    LL_DELETE(used, pin);
    LL_PREPEND(unused, pin);
}

twin_status sim_memory_unpin(twin_hw_device *device, void *pointer)
{
    pthread_mutex_lock(&lock);
    struct pinned *pin;
    LL_FOREACH(used, pin)
    {
        if (pin->base == (uintptr_t)pointer && pin->device == device->index)
            break;
    }
    if (pin)
        remove_locked(pin);
    pthread_mutex_unlock(&lock);
    return pin ? TWIN_OK : TWIN_E_INVALID;
}

void sim_registered_each(sim_map_visit *visit, void *context)
{
    const struct pinned *pin;
    pthread_mutex_lock(&lock);
    LL_FOREACH(used, pin)
    {
        const struct sim_map_row row = {.kind = SIM_MAP_REGISTERED,
                                        .device = pin->device,
                                        .page_bytes = SIM_PAGE,
                                        .address = pin->base,
                                        .bytes = pin->bytes,
                                        .room = pin->bytes,
                                        .detail = pin->address,
                                        .owner = pin->owner};
        visit(context, &row);
    }
    pthread_mutex_unlock(&lock);
}

void sim_registered_close(uint32_t device)
{
    struct pinned *pin, *next;
    pthread_mutex_lock(&lock);
    LL_FOREACH_SAFE(used, pin, next) {
        if (pin->device == device)
            remove_locked(pin);
    }
    pthread_mutex_unlock(&lock);
}
