/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the program that is registered with a device. */
#include <stdlib.h>
#include <utlist.h>

#include "process.h"

#define PAGE_BYTES 4096u

typedef struct pin {
    struct pin *next;
    uint64_t base;
    uint64_t bytes;
    uint64_t address; /* where the device reaches it; 0: nowhere */
    uint32_t device;
    bool known; /* memory of the program, which is in the ranges as REGISTERED */
} pin;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pin *pins; /* guarded by lock */

static int32_t call_vendor(const twin_pin *wanted, void **out_address)
{
    int32_t code;
    if (!wanted->locked)
        return vendor.host_register(
            wanted->pointer, wanted->bytes,
            wanted->read_only ? ACL_HOST_REGISTER_READONLY : ACL_HOST_REGISTER_MAPPED, out_address);
    const uint32_t flags = (uint32_t)(ACL_HOST_REG_PINNED | //
                                      (wanted->mapped ? ACL_HOST_REG_MAPPED : 0) |
                                      (wanted->read_only ? ACL_HOST_REG_READONLY : 0));
    code = vendor.host_register_v2(wanted->pointer, wanted->bytes, flags);
    if (code != 0 || !wanted->mapped)
        return code;
    code = vendor.host_device_pointer(wanted->pointer, out_address, 0);
    if (code != 0)
        (void)vendor.host_unregister(wanted->pointer);
    return code;
}

static bool is_offered(const twin_pin *wanted)
{
    if (!vendor.host_unregister)
        return false;
    if (!wanted->locked)
        return vendor.host_register != NULL;
    return vendor.host_register_v2 && (!wanted->mapped || vendor.host_device_pointer);
}

/* Not of memory whose address the device uses too. */
static bool has_own_range(const pin *made)
{
    return made->address != 0 && made->address != made->base;
}

/* The program's memory; another device may have registered it before. */
static bool add_range(const pin *made)
{
    return ascend_range_add(&(twin_memory_info){.kind = TWIN_MEMORY_REGISTERED,
                                                .device = made->device,
                                                .base = made->base,
                                                .size_bytes = made->bytes,
                                                .page_bytes = PAGE_BYTES});
}

static bool add_ranges(pin *made)
{
    twin_memory_info info = {.kind = TWIN_MEMORY_UNKNOWN};
    ascend_range_find(made->base, &info);
    made->known = info.kind == TWIN_MEMORY_UNKNOWN || info.kind == TWIN_MEMORY_REGISTERED;
    if (has_own_range(made) && !ascend_range_add(&(twin_memory_info){.kind = TWIN_MEMORY_MAPPED,
                                                                     .device = made->device,
                                                                     .base = made->address,
                                                                     .size_bytes = made->bytes,
                                                                     .page_bytes = PAGE_BYTES}))
        return false;
    if (!made->known || add_range(made))
        return true;
    if (has_own_range(made))
        (void)ascend_range_remove(made->address, TWIN_MEMORY_MAPPED, &info);
    return false;
}

twin_status ascend_memory_pin(twin_hw_device *device, const twin_pin *wanted, uint64_t *out_address)
{
    void *address = NULL;
    if (!is_offered(wanted))
        return TWIN_E_UNSUPPORTED;
    twin_status status = ASCEND_CALL(ascend_use_device(device), call_vendor(wanted, &address));
    if (status != TWIN_OK)
        return status;
    pin *made = calloc(1, sizeof(*made));
    if (made)
        *made = (pin){.base = (uint64_t)(uintptr_t)wanted->pointer,
                      .bytes = wanted->bytes,
                      .address = (uint64_t)(uintptr_t)address,
                      .device = device->index};
    if (!made || !add_ranges(made)) {
        (void)vendor.host_unregister(wanted->pointer);
        free(made);
        return TWIN_E_NOMEM;
    }
    pthread_mutex_lock(&lock);
    LL_PREPEND(pins, made);
    pthread_mutex_unlock(&lock);
    *out_address = made->address;
    return TWIN_OK;
}

static pin *take(const twin_hw_device *device, uint64_t base)
{
    pthread_mutex_lock(&lock);
    pin *found;
    LL_FOREACH(pins, found)
    {
        if (found->base == base && found->device == device->index)
            break;
    }
    if (found)
        LL_DELETE(pins, found);
    pthread_mutex_unlock(&lock);
    return found;
}

/* Takes its range away, but for what other devices have registered, too. */
static void remove_range(const pin *ended)
{
    const pin *other;
    pthread_mutex_lock(&lock);
    ascend_range_drop(ended->base, ended->bytes);
    LL_FOREACH(pins, other)
    {
        if (other->known && other->base < ended->base + ended->bytes &&
            ended->base < other->base + other->bytes)
            (void)add_range(other);
    }
    pthread_mutex_unlock(&lock);
}

twin_status ascend_memory_unpin(twin_hw_device *device, void *pointer)
{
    twin_memory_info info;
    pin *taken = take(device, (uint64_t)(uintptr_t)pointer);
    if (!taken)
        return TWIN_E_INVALID;
    const twin_status status =
        ASCEND_CALL(ascend_use_device(device), vendor.host_unregister(pointer));
    if (status != TWIN_OK) {
        pthread_mutex_lock(&lock);
        LL_PREPEND(pins, taken);
        pthread_mutex_unlock(&lock);
        return status;
    }
    if (taken->known)
        remove_range(taken);
    if (has_own_range(taken))
        (void)ascend_range_remove(taken->address, TWIN_MEMORY_MAPPED, &info);
    free(taken);
    return TWIN_OK;
}
