/* SPDX-License-Identifier: Apache-2.0 */
#include "memory/touch.h"

#include "memory/guarded_copy.h"
#include "memory/managed.h"
#include "memory/memory.h"
#include "memory/registered.h"
#include "memory/touch_report.h"
#include "wait/leader.h"

/* Pages of the program are read through a buffer of this size. */
#define PART 65536u

/* Whether others than tasks and kernels of this process store there. */
static bool is_of_others(uint64_t address, const void *at, enum twinsim_target target)
{
    twin_memory_info info;
    if (target == TWINSIM_TARGET_HOST || sim_process.open_memory || sim_managed_contains(address))
        return true;
    return (sim_memory_info(address, &info) == TWIN_OK && info.foreign) || sim_pages_exported(at);
}

__attribute__((noinline)) static void *translate(uint32_t device, uint64_t address, uint64_t bytes,
                                                 enum twinsim_access access,
                                                 enum twinsim_target *out_target,
                                                 uint32_t *out_device)
{
    void *at = sim_memory_translate(NULL, device, address, bytes, access, out_target, out_device);
    /* pages of the program are used when they move */
    if (at && access != TWINSIM_ROUTE && *out_target != TWINSIM_TARGET_HOST_PAGES)
        (void)sim_touch_report(
            &(twin_touch){.what = access == TWINSIM_WRITE ? TWIN_TOUCH_WRITE : TWIN_TOUCH_READ,
                          .address = address,
                          .bytes = bytes,
                          .at = at,
                          .good = true,
                          .shared = is_of_others(address, at, *out_target)});
    return at;
}

void *sim_touch_translate(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                          enum twinsim_access access, enum twinsim_target *out_target,
                          uint32_t *out_device)
{
    if (__builtin_expect(sim_process.touched != NULL, 0))
        return translate(device, address, bytes, access, out_target, out_device);
    return sim_memory_translate(context, device, address, bytes, access, out_target, out_device);
}

/* ---- pages of the program -------------------------------------------------------------------- */

/* All of it: what leaves a registration is pageable, as for the copy. */
static bool is_registered(const void *at, uint64_t bytes)
{
    twin_memory_info info = {0};
    return sim_registered_info((uintptr_t)at, &info) &&
           bytes <= info.size_bytes - ((uintptr_t)at - info.base);
}

/* A replay puts the bytes into the pages, which are its own. */
static bool read_pages(char *from, uint64_t bytes)
{
    static char copy[PART]; /* guarded by the model lock */
    for (uint64_t done = 0; done < bytes; done += PART) {
        const uint64_t part = bytes - done < PART ? bytes - done : PART;
        const bool direct = sim_drive_conducted();
        const bool good = direct || sim_guarded_copy(copy, from + done, part);
        if (!sim_touch_report(&(twin_touch){.what = TWIN_TOUCH_READ,
                                            .address = (uintptr_t)from + done,
                                            .bytes = part,
                                            .at = direct ? from + done : copy,
                                            .good = good,
                                            .shared = true}))
            return false;
    }
    return true;
}

__attribute__((noinline)) static bool move(void *to, const void *from, uint64_t bytes)
{
    if (is_registered(from, bytes) && !read_pages((char *)(uintptr_t)from, bytes)) {
        (void)sim_memory_host_move(NULL, to, from, bytes); /* it reports the page */
        return false;
    }
    const bool moved = sim_memory_host_move(NULL, to, from, bytes);
    /* the recording has the failure of a copy to pageable memory */
    if (is_registered(to, bytes) || (moved && sim_registered_any((uintptr_t)to, bytes)))
        return sim_touch_report(&(twin_touch){.what = TWIN_TOUCH_WRITE,
                                              .address = (uintptr_t)to,
                                              .bytes = bytes,
                                              .at = to,
                                              .good = moved,
                                              .shared = true});
    return moved;
}

bool sim_touch_host_move(void *context, void *to, const void *from, uint64_t bytes)
{
    if (__builtin_expect(sim_process.touched != NULL, 0))
        return move(to, from, bytes);
    return sim_memory_host_move(context, to, from, bytes);
}
