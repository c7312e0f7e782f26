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
/* Guarded by lock: sorted by base, without overlaps. */
static registration *list;
static size_t count;
static size_t room;

/* Index of the first one whose end is above `address`. */
static size_t first_above_locked(uint64_t address)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle].base + list[middle].bytes <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static registration *begins_at_locked(uint64_t base)
{
    const size_t at = first_above_locked(base);
    return at < count && list[at].base == base ? &list[at] : NULL;
}

static void remove_locked(uint64_t base)
{
    const registration *one = begins_at_locked(base);
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
    const size_t at = first_above_locked(base);
    if (at < count && list[at].base < base + pin->bytes)
        return twin_fail(TWIN_ERR_REGISTERED,
                         "%llu bytes at %p overlap the range of %llu bytes at %#llx, which is "
                         "registered with device %u; end that with aclrtHostUnregister first",
                         (unsigned long long)pin->bytes, pin->pointer,
                         (unsigned long long)list[at].bytes, (unsigned long long)list[at].base,
                         list[at].device->id);
    if (count == room) {
        registration *more = twin_regrow(list, room ? 2 * room : FIRST_ROOM, sizeof(*list));
        if (!more)
            return twin_fail(TWIN_ERR_NOMEM, "no memory for the list of registered ranges");
        list = more;
        room = room ? 2 * room : FIRST_ROOM;
    }
    memmove(&list[at + 1], &list[at], (count++ - at) * sizeof(*list));
    list[at] = (registration){.base = base, .bytes = pin->bytes, .device = device};
    return 0;
}

/* The backend has it from now on, or has refused it. */
static void settle(uint64_t base, bool accepted, uint64_t address)
{
    TWIN_LOCKED(&lock);
    registration *one = begins_at_locked(base);
    if (!accepted)
        remove_locked(base);
    else if (one) {
        one->address = address;
        one->settled = true;
    }
}

/* Refuses what is not memory of the host, and what is page-locked already. */
static int32_t check_range(const twin_pin *pin)
{
    const twin_memory_info info = twin_range_info(pin->pointer);
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
    settle((uint64_t)(uintptr_t)pin.pointer, code == 0, address);
    if (code == 0)
        *out_address = address;
    return code;
}

/* Whether the range that begins there has been settled; it is not from then on. */
static bool claim(uint64_t base, uint64_t *out_address)
{
    TWIN_LOCKED(&lock);
    registration *one = begins_at_locked(base);
    if (!one || !one->settled)
        return false;
    *out_address = one->address;
    one->settled = false;
    return true;
}

int32_t twin_host_unregister(void *pointer)
{
    TWIN_PINNED(context, context);
    const uint64_t base = (uint64_t)(uintptr_t)pointer;
    uint64_t address = 0;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    if (!claim(base, &address))
        return twin_fail(TWIN_ERR_NOT_REGISTERED,
                         "no registered range begins at %p; give the pointer that was registered",
                         pointer);
    code = twin_fail_status(twin_ops()->memory.unpin(pointer), TWIN_CODE_STREAM_TIMEOUT, "%p",
                            pointer);
    settle(base, code != 0, address);
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
    const size_t at = first_above_locked(address);
    const registration *one = at < count && list[at].base <= address ? &list[at] : NULL;
    if (!one || !one->settled)
        return twin_fail(TWIN_ERR_PARAM_RELATION,
                         "%p is in no registered range; call aclrtHostRegister first", pointer);
    if (one->address == 0)
        return twin_fail(TWIN_ERR_PARAM_RELATION,
                         "the range at %p is registered without ACL_HOST_REG_MAPPED, so no device "
                         "has an address for it",
                         pointer);
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

void twin_host_forget(const twin_device *device)
{
    uint64_t base = 0;
    while (take_one(device, &base)) {
        (void)twin_ops()->memory.unpin((void *)(uintptr_t)base);
        settle(base, false, 0);
    }
}
