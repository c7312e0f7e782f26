/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual addresses, physical memory, and memory that processes share. */
#include "replay/state.h"

#define NO_DEVICE UINT32_MAX /* of addresses that are reserved */

/* ---- virtual addresses ---- */

/* A reservation is one range, whatever is mapped in it. */
static twin_status vmm_reserve(struct replay_call *call)
{
    const struct twin_record_VMM_RESERVE *f = &call->then.VMM_RESERVE;
    uint64_t address = 0;
    if (f->bytes == 0)
        return replay_leave_out(call, "it is of 0 bytes");
    twin_status status = call->ops->vmm.reserve(f->bytes, f->expected, &address);
    if (call->succeeded && !replay_memory_add(call->replay, f->out_address, f->bytes,
                                              status == TWIN_OK ? address : 0, NO_DEVICE, false))
        return TWIN_E_NOMEM;
    if (status == TWIN_OK && !call->succeeded)
        (void)call->ops->vmm.release(address);
    return status;
}

static twin_status vmm_release(struct replay_call *call)
{
    const uint64_t recorded = call->then.VMM_RELEASE.address;
    twin_status status = call->ops->vmm.release(replay_address_any(call->replay, recorded));
    if (status == TWIN_OK)
        replay_memory_remove(call->replay, recorded);
    return status;
}

static twin_status vmm_create(struct replay_call *call)
{
    const struct twin_record_VMM_CREATE *f = &call->then.VMM_CREATE;
    const twin_physical_config config = {.memory = {.bytes = f->bytes,
                                                    .pages = (twin_page_policy)f->pages,
                                                    .module = f->module,
                                                    .flags = f->flags},
                                         .host = f->host != 0,
                                         .node = f->node,
                                         .device = f->device};
    if (f->bytes == 0)
        return replay_leave_out(call, "it is of 0 bytes");
    return call->ops->vmm.create(call->device, &config, f->physical);
}

static twin_status vmm_destroy(struct replay_call *call)
{
    return call->ops->vmm.destroy(call->then.VMM_DESTROY.physical);
}

/* There is no other process here that would open it; what could not be opened had no effect. */
static twin_status unasked(struct replay_call *call)
{
    call->skipped = true;
    return TWIN_OK;
}

static twin_status vmm_map(struct replay_call *call)
{
    const struct twin_record_VMM_MAP *f = &call->then.VMM_MAP;
    /* memory of others and its own were not mapped side by side; here all is its own */
    if (!call->succeeded && call->replay->imported)
        return unasked(call);
    return call->ops->vmm.map(replay_address_any(call->replay, f->address), f->bytes, f->physical,
                              f->access != 0);
}

static twin_status vmm_set_link(struct replay_call *call)
{
    const struct twin_record_VMM_SET_LINK *f = &call->then.VMM_SET_LINK;
    return call->ops->vmm.set_link(f->physical, (twin_memory_link)f->link);
}

static twin_status vmm_map_link(struct replay_call *call)
{
    const struct twin_record_VMM_MAP_LINK *f = &call->then.VMM_MAP_LINK;
    if (!call->succeeded && call->replay->imported) /* as vmm_map */
        return unasked(call);
    return call->ops->vmm.map_link(replay_address_any(call->replay, f->address), f->bytes,
                                   f->physical, replay_address_any(call->replay, f->source),
                                   (twin_memory_link)f->link);
}

static twin_status vmm_unmap(struct replay_call *call)
{
    struct twin_record_VMM_UNMAP *now = &call->now.VMM_UNMAP;
    return call->ops->vmm.unmap(replay_address_any(call->replay, now->address), &now->out_physical);
}

static twin_status vmm_set_access(struct replay_call *call)
{
    const struct twin_record_VMM_SET_ACCESS *f = &call->then.VMM_SET_ACCESS;
    const twin_accessor accessor = {.host = f->host != 0, .device = f->accessor};
    return call->ops->vmm.set_access(replay_address_any(call->replay, f->address), f->bytes,
                                     &accessor);
}

/* ---- memory that processes share ---- */

/* The other processes are not there: what they shared is memory of this one, of the device that
 * owns it if that is open here. */
static twin_hw_device *owner_of(const struct replay_call *call, uint32_t owner)
{
    twin_hw_device *device = owner < REPLAY_DEVICES_MOST ? call->replay->devices[owner] : NULL;
    return device ? device : call->device;
}

static twin_status vmm_open(struct replay_call *call)
{
    const struct twin_record_VMM_OPEN *f = &call->then.VMM_OPEN;
    const twin_physical_config config = {
        .memory = {.bytes = f->bytes, .pages = (twin_page_policy)f->pages},
        .node = UINT32_MAX,
        .device = f->owner};
    if (!call->succeeded)
        return unasked(call);
    if (f->bytes == 0)
        return replay_leave_out(call, "it is of 0 bytes");
    call->replay->imported = true;
    return call->ops->vmm.create(owner_of(call, f->owner), &config, f->physical);
}

static twin_status memory_open(struct replay_call *call)
{
    const struct twin_record_MEMORY_OPEN *f = &call->then.MEMORY_OPEN;
    uint64_t address = 0;
    if (!call->succeeded)
        return unasked(call);
    if (f->bytes == 0)
        return replay_leave_out(call, "it is of 0 bytes");
    const twin_allocation allocation = {.bytes = f->bytes, .module = TWIN_MODULE_APP};
    twin_status status = call->ops->memory.alloc(owner_of(call, f->owner), &allocation, &address);
    if (!replay_memory_add(call->replay, f->out_address, f->bytes, status == TWIN_OK ? address : 0,
                           f->device, false))
        return TWIN_E_NOMEM;
    struct replay_range *range = interval_map_at(&call->replay->memory, f->out_address);
    if (range)
        range->foreign = true;
    return status;
}

const replay_issue replay_vmm_ops[TWIN_RECORD_KINDS_END] = {
    [TWIN_RECORD_MEMORY_SHARE] = unasked,      [TWIN_RECORD_MEMORY_ALLOW] = unasked,
    [TWIN_RECORD_MEMORY_OPEN] = memory_open,   [TWIN_RECORD_MEMORY_CLOSE] = unasked,
    [TWIN_RECORD_MEMORY_SET_LINK] = unasked,   [TWIN_RECORD_VMM_RESERVE] = vmm_reserve,
    [TWIN_RECORD_VMM_RELEASE] = vmm_release,   [TWIN_RECORD_VMM_CREATE] = vmm_create,
    [TWIN_RECORD_VMM_DESTROY] = vmm_destroy,   [TWIN_RECORD_VMM_MAP] = vmm_map,
    [TWIN_RECORD_VMM_UNMAP] = vmm_unmap,       [TWIN_RECORD_VMM_SET_ACCESS] = vmm_set_access,
    [TWIN_RECORD_VMM_SHARE] = unasked,         [TWIN_RECORD_VMM_ALLOW] = unasked,
    [TWIN_RECORD_VMM_OPEN] = vmm_open,         [TWIN_RECORD_VMM_SET_LINK] = vmm_set_link,
    [TWIN_RECORD_VMM_MAP_LINK] = vmm_map_link,
};
