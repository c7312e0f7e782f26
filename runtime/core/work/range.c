/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/range.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/object/peer.h"
#include "core/work/host_memory.h"
#include "seam/sanitizer.h"

twin_memory_info twin_range_info(const void *pointer)
{
    twin_memory_info info = {.kind = TWIN_MEMORY_UNKNOWN};
    if (twin_ops()->memory.info((uint64_t)(uintptr_t)pointer, &info) != TWIN_OK)
        info.kind = TWIN_MEMORY_UNKNOWN;
    return info;
}

twin_memory_info twin_range_info_of(const void *pointer, size_t bytes)
{
    twin_memory_info info = twin_range_info(pointer);
    if (__builtin_expect(info.kind == TWIN_MEMORY_REGISTERED, 0) &&
        bytes > info.size_bytes - ((uint64_t)(uintptr_t)pointer - info.base))
        info = (twin_memory_info){.kind = TWIN_MEMORY_UNKNOWN};
    return info;
}

void twin_range_find(twin_range_pair *pair, const void *dst, size_t dst_bytes, const void *src,
                     size_t src_bytes)
{
    pair->dst = dst;
    pair->src = src;
    pair->to = twin_range_info_of(dst, dst_bytes);
    pair->from = twin_range_info_of(src, src_bytes);
}

/* Valgrind takes msync for a use of the contents, and would report bytes that were not written
 * yet. */
static bool pages_mapped(uint64_t first, uint64_t bytes, uint64_t page)
{
    unsigned char resident[256];
    const uint64_t most = sizeof(resident) * page;
    for (uint64_t done = 0; done < bytes; done += most) {
        uint64_t part = bytes - done < most ? bytes - done : most;
        if (mincore((void *)(uintptr_t)(first + done), (size_t)part, resident) != 0 &&
            errno == ENOMEM)
            return false;
    }
    return true;
}

/* Whether every page of a range exists in this process. */
static bool host_range_mapped(uint64_t address, size_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t first = address & ~(page - 1);
    if (address + bytes < address)
        return false;
    if (twin_under_valgrind())
        return pages_mapped(first, address + bytes - first, page);
    /* Asynchronous and so without effect, except that a hole is reported. */
    return msync((void *)(uintptr_t)first, (size_t)(address + bytes - first), MS_ASYNC) == 0 ||
           errno != ENOMEM;
}

bool twin_range_read(void *to, uint64_t from, uint64_t bytes)
{
    for (uint64_t done = 0; done < bytes;) {
        const struct iovec here = {.iov_base = (char *)to + done, .iov_len = bytes - done};
        const struct iovec there = {.iov_base = (void *)(uintptr_t)(from + done),
                                    .iov_len = bytes - done};
        ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
        if (got < 0 && (errno == EPERM || errno == ENOSYS)) { /* a sandbox without this call */
            memcpy((char *)to + done, (const void *)(uintptr_t)(from + done), bytes - done);
            return true;
        }
        if (got <= 0)
            return false;
        done += (uint64_t)got;
    }
    return true;
}

/* Refuses a pointer to memory of the runtime that is not allocated, and one that only tasks of a
 * device take. */
static __attribute__((cold)) int32_t refuse_place(const char *role, const void *pointer,
                                                  const twin_memory_info *info)
{
    if (info->kind == TWIN_MEMORY_MAPPED)
        return twin_fail(TWIN_ERR_PARAM,
                         "the %s, %p, is the address at which a device reaches registered host "
                         "memory; give that memory's own address, %#llx",
                         role, pointer,
                         (unsigned long long)twin_host_address_of((uint64_t)(uintptr_t)pointer));
    return twin_fail(TWIN_ERR_PARAM,
                     "the %s, %p, is not in an allocation: it was freed or unmapped, or its device "
                     "was reset",
                     role, pointer);
}

static inline int32_t check_alive(const char *role, const void *pointer,
                                  const twin_memory_info *info)
{
    const bool refused = info->kind == TWIN_MEMORY_MAPPED || info->kind == TWIN_MEMORY_GONE;
    return __builtin_expect(refused, 0) ? refuse_place(role, pointer, info) : 0;
}

/* Refuses a range of mappings that has a hole, or memory of two kinds. */
static int32_t check_mappings(const char *role, const void *pointer, size_t bytes,
                              const twin_memory_info *info)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    twin_memory_info next = *info;
    for (uint64_t end = next.base + next.size_bytes; end - address < bytes;
         end = next.base + next.size_bytes) {
        next = twin_range_info((const void *)(uintptr_t)end);
        if (!next.mapped || next.kind != info->kind || next.device != info->device)
            return twin_fail(TWIN_ERR_PARAM, "the %s, %zu bytes at %p, is mapped up to %#llx alone",
                             role, bytes, pointer, (unsigned long long)end);
    }
    return 0;
}

/* Refuses a range that is not there or leaves its allocation. `role`: "destination" or "source". */
int32_t twin_range_check(const char *role, const void *pointer, size_t bytes,
                         const twin_memory_info *info)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    int32_t code = check_alive(role, pointer, info);
    if (code != 0)
        return code;
    if (info->kind == TWIN_MEMORY_UNKNOWN) {
        if (host_range_mapped(address, bytes))
            return 0;
        return twin_fail(
            TWIN_ERR_PARAM,
            "the %s, %zu bytes at %p, is neither memory of the runtime nor mapped host "
            "memory",
            role, bytes, pointer);
    }
    uint64_t offset = address - info->base;
    if (offset <= info->size_bytes && bytes <= info->size_bytes - offset)
        return 0;
    if (info->mapped)
        return check_mappings(role, pointer, bytes, info);
    return twin_fail(
        TWIN_ERR_PARAM, "the %s, %zu bytes at %p, leaves its allocation of %llu bytes at %#llx",
        role, bytes, pointer, (unsigned long long)info->size_bytes, (unsigned long long)info->base);
}

int32_t twin_range_check_both(const twin_range_pair *pair, size_t dst_bytes, size_t src_bytes)
{
    const int32_t code = twin_range_check("destination", pair->dst, dst_bytes, &pair->to);
    return code != 0 ? code : twin_range_check("source", pair->src, src_bytes, &pair->from);
}

int32_t twin_range_check_foreign(const twin_device *device, const twin_range_pair *pair,
                                 bool between_devices)
{
    const bool far = (pair->to.foreign && pair->to.device != device->hw_index) ||
                     (pair->from.foreign && pair->from.device != device->hw_index);
    if (!far || (between_devices && pair->to.kind == TWIN_MEMORY_DEVICE &&
                 pair->from.kind == TWIN_MEMORY_DEVICE))
        return 0;
    return twin_fail(TWIN_ERR_PARAM,
                     "%p or %p is memory of another process on another device; such memory is "
                     "copied by aclrtMemcpyAsync, from device to device, with that direction",
                     pair->dst, pair->src);
}

int32_t twin_range_check_room(size_t bytes, size_t dst_bytes)
{
    if (bytes <= dst_bytes)
        return 0;
    return twin_fail(TWIN_ERR_PARAM, "%zu bytes do not fit into the %zu given for the destination",
                     bytes, dst_bytes);
}

int32_t twin_range_check_overlap(const void *dst, const void *src, size_t bytes)
{
    uintptr_t a = (uintptr_t)dst, b = (uintptr_t)src;
    uintptr_t distance = a > b ? a - b : b - a;
    if (distance >= bytes)
        return 0;
    return twin_fail(TWIN_ERR_PARAM_RELATION, "%zu bytes at %p and at %p overlap", bytes, dst, src);
}

/* Refuses a copy between devices when the one that does it cannot reach them both. */
int32_t twin_range_check_peer(const twin_device *device, const twin_range_pair *pair)
{
    const twin_memory_info *dst = &pair->to, *src = &pair->from;
    if (dst->kind != TWIN_MEMORY_DEVICE || src->kind != TWIN_MEMORY_DEVICE ||
        dst->device == src->device ||
        (twin_peer_allows(device, dst->device) && twin_peer_allows(device, src->device)))
        return 0;
    return twin_fail(TWIN_ERR_PARAM_RELATION,
                     "source and destination are on different devices, and device %u, which is to "
                     "copy, has no access to them; call aclrtDeviceEnablePeerAccess first",
                     device->id);
}

/* Refuses memory of another device than the one whose stream is to do the work. */
int32_t twin_range_check_owner(const char *role, const twin_memory_info *info,
                               const twin_device *device)
{
    if (info->kind != TWIN_MEMORY_DEVICE || twin_peer_allows(device, info->device))
        return 0;
    return twin_fail(TWIN_ERR_PARAM_RELATION,
                     "the %s is on another device than the stream's, device %u, which has no "
                     "access to it; call aclrtDeviceEnablePeerAccess first",
                     role, device->id);
}

int32_t twin_range_check_owners(const twin_range_pair *pair, const twin_device *device)
{
    const int32_t code = twin_range_check_owner("destination", &pair->to, device);
    return code != 0 ? code : twin_range_check_owner("source", &pair->from, device);
}

/* Refuses a direction that an asynchronous copy cannot have. */
int32_t twin_range_check_kind(const twin_range_pair *pair, twin_copy_kind kind)
{
    int32_t code = check_alive("destination", pair->dst, &pair->to);
    if (code == 0)
        code = check_alive("source", pair->src, &pair->from);
    if (code != 0)
        return code;
    bool to_device = twin_range_on_device(&pair->to);
    bool from_device = twin_range_on_device(&pair->from);
    if (kind == TWIN_COPY_HOST_TO_BUFFER_TO_DEVICE) {
        if (to_device && !from_device)
            return 0;
        return twin_fail(TWIN_ERR_PARAM_RELATION,
                         "a copy from a host buffer to the device needs its source on the host and "
                         "its destination on the device");
    }
    bool pageable_dst = pair->to.kind == TWIN_MEMORY_UNKNOWN;
    bool pageable_src = pair->from.kind == TWIN_MEMORY_UNKNOWN;
    bool fits = true;
    if (pageable_src && (to_device || pageable_dst))
        fits = kind != TWIN_COPY_DEVICE_TO_HOST && kind != TWIN_COPY_HOST_TO_HOST;
    else if (pageable_dst && from_device)
        fits = kind != TWIN_COPY_HOST_TO_DEVICE && kind != TWIN_COPY_HOST_TO_HOST;
    if (!to_device && !from_device) {
        if (!pageable_dst || !pageable_src || kind == TWIN_COPY_DEFAULT ||
            kind == TWIN_COPY_HOST_TO_HOST)
            return twin_fail(TWIN_ERR_UNSUPPORTED,
                             "both sides are host memory; use aclrtMemcpy or memcpy");
        fits = false;
    }
    if (!fits)
        return twin_fail(TWIN_ERR_PARAM_RELATION,
                         "direction %d contradicts the addresses: the %s is pageable host memory",
                         (int)kind, pageable_src ? "source" : "destination");
    return 0;
}
