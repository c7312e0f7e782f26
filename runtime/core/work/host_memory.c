/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/host_memory.h"

#include <string.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/backend/thread_state.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/base/log.h"
#include "core/object/context.h"
#include "core/work/range.h"

#define ALIGNMENT  4096u
#define ENGINES    10u
#define FIRST_ROOM 16u

typedef struct registration {
    uint64_t base;
    uint64_t bytes;
    uint64_t address; /* where its device reaches it; 0: nowhere */
    const twin_device *device;
    bool settled; /* false while the backend makes or ends it */
} registration;

static twin_lock lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_REGISTRATIONS);
/* Guarded by lock: sorted by device, then by base; those of one device do not overlap. */
static registration *list;
static size_t count;
static size_t room;

static bool ends_before(const registration *one, const twin_device *device, uint64_t address)
{
    if (one->device != device)
        return one->device->id < device->id;
    return one->base + one->bytes <= address;
}

/* Index of the first one of the device, or of a later device, whose end is above `address`. */
static size_t first_above_locked(const twin_device *device, uint64_t address)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ends_before(&list[middle], device, address))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The one of the device that has bytes from `begin` up to `end`; NULL: none has. */
static registration *overlapping_locked(const twin_device *device, uint64_t begin, uint64_t end)
{
    const size_t at = first_above_locked(device, begin);
    return at < count && list[at].device == device && list[at].base < end ? &list[at] : NULL;
}

static registration *begins_at_locked(const twin_device *device, uint64_t base)
{
    registration *one = overlapping_locked(device, base, base + 1);
    return one && one->base == base ? one : NULL;
}

/* One of another device that has the byte; NULL: none has. */
static const registration *of_others_locked(uint64_t address)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].settled && address - list[i].base < list[i].bytes)
            return &list[i];
    return NULL;
}

static void remove_locked(const twin_device *device, uint64_t base)
{
    const registration *one = begins_at_locked(device, base);
    if (!one)
        return;
    const size_t at = (size_t)(one - list);
    memmove(&list[at], &list[at + 1], (--count - at) * sizeof(*list));
}

/* Takes the range; it is not settled yet. */
static int32_t reserve(const twin_device *device, const twin_pin *pin)
{
    const uint64_t base = (uint64_t)(uintptr_t)pin->pointer;
    TWIN_LOCKED(&lock);
    const registration *other = overlapping_locked(device, base, base + pin->bytes);
    if (other)
        return twin_fail(TWIN_ERR_REGISTERED,
                         "%llu bytes at %p overlap the range of %llu bytes at %#llx, which is "
                         "registered with device %u; end that with aclrtHostUnregister first",
                         (unsigned long long)pin->bytes, pin->pointer,
                         (unsigned long long)other->bytes, (unsigned long long)other->base,
                         device->id);
    if (count == room) {
        registration *more = twin_regrow(list, room ? 2 * room : FIRST_ROOM, sizeof(*list));
        if (!more)
            return twin_fail(TWIN_ERR_NOMEM, "no memory for the list of registered ranges");
        list = more;
        room = room ? 2 * room : FIRST_ROOM;
    }
    const size_t at = first_above_locked(device, base);
    memmove(&list[at + 1], &list[at], (count++ - at) * sizeof(*list));
    list[at] = (registration){.base = base, .bytes = pin->bytes, .device = device};
    return 0;
}

/* The backend has it from now on, or has refused it. */
static void settle(const twin_device *device, uint64_t base, bool accepted, uint64_t address)
{
    TWIN_LOCKED(&lock);
    registration *one = begins_at_locked(device, base);
    if (!accepted)
        remove_locked(device, base);
    else if (one) {
        one->address = address;
        one->settled = true;
    }
}

/* Refuses what is not memory of the host, and what is page-locked already. */
static int32_t check_range(const twin_pin *pin)
{
    twin_memory_info info = twin_range_info(pin->pointer);
    if (pin->mapped && (uint64_t)(uintptr_t)pin->pointer % ALIGNMENT != 0)
        return twin_fail(TWIN_ERR_PARAM, "%p is not aligned to a page of %u bytes", pin->pointer,
                         ALIGNMENT);
    if (info.kind == TWIN_MEMORY_DEVICE || info.kind == TWIN_MEMORY_MAPPED)
        return twin_fail(TWIN_ERR_PARAM, "%p is an address of a device; expected host memory",
                         pin->pointer);
    if (info.kind == TWIN_MEMORY_HOST_PINNED && pin->locked)
        return twin_fail(TWIN_ERR_PARAM,
                         "%p is page-locked already, it is memory of aclrtMallocHost; leave out "
                         "ACL_HOST_REG_PINNED",
                         pin->pointer);
    if (info.kind == TWIN_MEMORY_REGISTERED) /* with another device, perhaps less of it */
        info.kind = TWIN_MEMORY_UNKNOWN;
    return twin_range_check("range to register", pin->pointer, pin->bytes, &info);
}

int32_t twin_host_register(const twin_pin *wanted, uint64_t *out_address)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    twin_device *device = context->device;
    twin_pin pin = *wanted;
    pin.site = twin_self.call_site;
    code = reserve(device, &pin);
    if (code != 0)
        return code;
    uint64_t address = 0;
    code = check_range(&pin);
    if (code == 0)
        code = twin_fail_status(
            twin_device_note(device, twin_ops()->memory.pin(device->hw, &pin, &address)),
            TWIN_CODE_STREAM_TIMEOUT, "%llu bytes at %p cannot be registered with device %u",
            (unsigned long long)pin.bytes, pin.pointer, device->id);
    settle(device, (uint64_t)(uintptr_t)pin.pointer, code == 0, address);
    if (code == 0)
        *out_address = address;
    return code;
}

/* Takes the device's range that begins there, which is not settled from then on. */
static int32_t claim(const twin_device *device, uint64_t base, uint64_t *out_address)
{
    TWIN_LOCKED(&lock);
    registration *one = begins_at_locked(device, base);
    if (one && one->settled) {
        *out_address = one->address;
        one->settled = false;
        return 0;
    }
    const registration *other = of_others_locked(base);
    if (other && other->base == base && other->device != device)
        return twin_fail(TWIN_ERR_NOT_REGISTERED,
                         "the range at %#llx is registered with device %u, not with device %u; "
                         "call aclrtSetDevice(%u) first",
                         (unsigned long long)base, other->device->id, device->id,
                         other->device->id);
    return twin_fail(TWIN_ERR_NOT_REGISTERED,
                     "no range that is registered with device %u begins at %#llx; give the "
                     "pointer that was registered",
                     device->id, (unsigned long long)base);
}

int32_t twin_host_unregister(void *pointer)
{
    TWIN_PINNED(context, context);
    const uint64_t base = (uint64_t)(uintptr_t)pointer;
    uint64_t address = 0;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    const twin_device *device = context->device;
    code = claim(device, base, &address);
    if (code != 0)
        return code;
    code = twin_fail_status(twin_ops()->memory.unpin(device->hw, pointer), TWIN_CODE_STREAM_TIMEOUT,
                            "%p", pointer);
    settle(device, base, code != 0, address);
    return code;
}

int32_t twin_host_device_address(const void *pointer, uint64_t *out_address)
{
    TWIN_PINNED(context, context);
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    TWIN_LOCKED(&lock);
    const twin_device *device = context->device;
    const registration *one = overlapping_locked(device, address, address + 1);
    const registration *other = of_others_locked(address);
    if ((!one || !one->settled) && other && other->device != device)
        return twin_fail(TWIN_ERR_PARAM_RELATION,
                         "%p is registered with device %u, not with device %u; call "
                         "aclrtHostRegister with device %u",
                         pointer, other->device->id, device->id, device->id);
    if (!one || !one->settled)
        return twin_fail(TWIN_ERR_PARAM_RELATION,
                         "%p is in no registered range; call aclrtHostRegister first", pointer);
    if (one->address == 0)
        return twin_fail(TWIN_ERR_PARAM_RELATION,
                         "the range at %p is registered without ACL_HOST_REG_MAPPED, so device %u "
                         "has no address for it",
                         pointer, device->id);
    *out_address = one->address + (address - one->base);
    return 0;
}

uint64_t twin_host_address_of(uint64_t device_address)
{
    TWIN_LOCKED(&lock);
    for (size_t i = 0; i < count; i++)
        if (list[i].address != 0 && device_address - list[i].address < list[i].bytes)
            return list[i].base + (device_address - list[i].address);
    return 0;
}

int32_t twin_host_mappable(uint32_t device, uint32_t engine, bool *out_mappable)
{
    TWIN_PINNED(context, context);
    const twin_device_properties *properties = NULL;
    const int32_t id = device > INT32_MAX ? -1 : (int32_t)device;
    int32_t code = twin_device_find_properties(id, &properties);
    if (code != 0)
        return code;
    if (engine >= ENGINES)
        return twin_fail(TWIN_ERR_PARAM, "hacType is %u; expected 0 to %u", engine, ENGINES - 1);
    code = twin_context_pin_current(&context);
    if (code == 0)
        *out_mappable = (properties->host_mapping >> engine & 1) != 0;
    return code;
}

/* One settled range of the device, which is claimed; false: there is none. */
static bool take_one(const twin_device *device, uint64_t *out_base)
{
    TWIN_LOCKED(&lock);
    for (size_t i = 0; i < count; i++)
        if (list[i].device == device && list[i].settled) {
            list[i].settled = false;
            *out_base = list[i].base;
            return true;
        }
    return false;
}

void twin_host_forget(const twin_device *device, twin_hw_device *hw)
{
    uint64_t base = 0;
    while (take_one(device, &base)) {
        (void)twin_ops()->memory.unpin(hw, (void *)(uintptr_t)base);
        settle(device, base, false, 0);
    }
}
