/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that processes share. */
#include <string.h>

#include "ops.h"

/* FNV-1a. */
static uint64_t add_byte(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * 0x100000001b3u;
}

#define HASH_OF_NOTHING UINT64_C(0xcbf29ce484222325)

uint64_t record_name_hash(const char *name)
{
    uint64_t hash = HASH_OF_NOTHING;
    for (size_t i = 0; i < TWIN_SHARE_NAME && name[i] != '\0'; i++)
        hash = add_byte(hash, (unsigned char)name[i]);
    return hash;
}

static uint64_t number_hash(uint64_t number)
{
    uint64_t hash = HASH_OF_NOTHING;
    for (unsigned i = 0; i < 8; i++)
        hash = add_byte(hash, (unsigned char)(number >> 8 * i));
    return hash;
}

/* ---- memory by name -------------------------------------------------------------------------- */

twin_status record_memory_share(uint64_t address, uint64_t bytes, bool check_pid,
                                char out_name[TWIN_SHARE_NAME])
{
    record_keep_nd();
    struct record_call call;
    struct twin_record_MEMORY_SHARE *f = RECORD_BEGIN(&call, MEMORY_SHARE, 0);
    f->address = address;
    f->bytes = bytes;
    f->check_pid = check_pid;
    record_called(&call);
    twin_status status = record_below.memory.share(address, bytes, check_pid, out_name);
    if (status == TWIN_OK)
        f->out_name_hash = record_name_hash(out_name);
    record_returned(&call, status);
    return status;
}

twin_status record_memory_allow(const char *name, const int32_t *pids, size_t count)
{
    struct record_call call;
    struct twin_record_MEMORY_ALLOW *f = RECORD_BEGIN(&call, MEMORY_ALLOW, count * sizeof(int32_t));
    f->name_hash = record_name_hash(name);
    f->count = count;
    if (record_kept(&call))
        memcpy(f + 1, pids, count * sizeof(int32_t));
    record_called(&call);
    twin_status status = record_below.memory.allow(name, pids, count);
    record_returned(&call, status);
    return status;
}

twin_status record_memory_open(twin_hw_device *device, const char *name, uint64_t *out_address)
{
    record_keep_nd();
    struct record_call call;
    struct twin_record_MEMORY_OPEN *f = RECORD_BEGIN(&call, MEMORY_OPEN, 0);
    f->device = device->index;
    f->name_hash = record_name_hash(name);
    record_called(&call);
    twin_status status = record_below.memory.open(device->inner, name, out_address);
    twin_memory_info info;
    if (status == TWIN_OK) {
        f->out_address = *out_address;
        if (record_below.memory.info(*out_address, &info) == TWIN_OK) {
            f->owner = info.device;
            f->bytes = info.size_bytes - (*out_address - info.base);
        }
        record_touch_forget();
    }
    record_returned(&call, status);
    return status;
}

twin_status record_memory_close(const char *name, uint64_t address)
{
    struct record_call call;
    struct twin_record_MEMORY_CLOSE *f = RECORD_BEGIN(&call, MEMORY_CLOSE, 0);
    f->name_hash = name ? record_name_hash(name) : 0;
    f->address = name ? 0 : address;
    record_called(&call);
    twin_status status = record_below.memory.close(name, address);
    record_returned(&call, status);
    return status;
}

twin_status record_memory_set_link(const char *name, twin_memory_link link)
{
    struct record_call call;
    struct twin_record_MEMORY_SET_LINK *f = RECORD_BEGIN(&call, MEMORY_SET_LINK, 0);
    f->name_hash = record_name_hash(name);
    f->link = (uint32_t)link;
    record_called(&call);
    twin_status status = record_below.memory.set_link(name, link);
    record_returned(&call, status);
    return status;
}

/* ---- physical memory ------------------------------------------------------------------------- */

twin_status record_vmm_share(uint64_t physical, bool check_pid, uint64_t *out_shared)
{
    record_keep_nd();
    struct record_call call;
    struct twin_record_VMM_SHARE *f = RECORD_BEGIN(&call, VMM_SHARE, 0);
    f->physical = physical;
    f->check_pid = check_pid;
    record_called(&call);
    twin_status status = record_below.vmm.share(physical, check_pid, out_shared);
    if (status == TWIN_OK)
        f->out_shared_hash = number_hash(*out_shared);
    record_returned(&call, status);
    return status;
}

twin_status record_vmm_allow(uint64_t shared, const int32_t *pids, size_t count)
{
    struct record_call call;
    struct twin_record_VMM_ALLOW *f = RECORD_BEGIN(&call, VMM_ALLOW, count * sizeof(int32_t));
    f->shared_hash = number_hash(shared);
    f->count = count;
    if (record_kept(&call))
        memcpy(f + 1, pids, count * sizeof(int32_t));
    record_called(&call);
    twin_status status = record_below.vmm.allow(shared, pids, count);
    record_returned(&call, status);
    return status;
}

twin_status record_vmm_open(twin_hw_device *device, uint64_t shared, uint64_t physical,
                            twin_physical_config *out_config)
{
    record_keep_nd();
    struct record_call call;
    struct twin_record_VMM_OPEN *f = RECORD_BEGIN(&call, VMM_OPEN, 0);
    f->device = device->index;
    f->physical = physical;
    f->shared_hash = number_hash(shared);
    record_called(&call);
    twin_status status = record_below.vmm.open(device->inner, shared, physical, out_config);
    if (status == TWIN_OK) {
        f->owner = out_config->device;
        f->bytes = out_config->memory.bytes;
        f->pages = (uint32_t)out_config->memory.pages;
    }
    record_returned(&call, status);
    return status;
}
