/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the program that is registered with a device. */
#include <stdlib.h>
#include <utlist.h>

#include "process.h"

#define PAGE_BYTES 4096u

typedef struct pin {
    struct pin *next;
    uint64_t base;
    uint64_t address; /* where the device reaches it; 0: nowhere */
    uint32_t device;
    bool known; /* `base` is in the ranges as REGISTERED: it was no page-locked memory */
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

static bool add_ranges(pin *made, uint64_t bytes)
{
    twin_memory_info info = {.kind = TWIN_MEMORY_UNKNOWN};
    ascend_range_find(made->base, &info);
    made->known = info.kind == TWIN_MEMORY_UNKNOWN;
    info = (twin_memory_info){.kind = TWIN_MEMORY_REGISTERED,
                              .device = made->device,
                              .base = made->base,
                              .size_bytes = bytes,
                              .page_bytes = PAGE_BYTES};
    if (made->known && !ascend_range_add(&info))
        return false;
    info.kind = TWIN_MEMORY_MAPPED;
    info.base = made->address;
    if (!has_own_range(made) || ascend_range_add(&info))
        return true;
    if (made->known)
        (void)ascend_range_remove(made->base, TWIN_MEMORY_REGISTERED, &info);
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
                      .address = (uint64_t)(uintptr_t)address,
                      .device = device->index};
    if (!made || !add_ranges(made, wanted->bytes)) {
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

static pin *take(uint64_t base)
{
    pthread_mutex_lock(&lock);
    pin *found;
    LL_SEARCH_SCALAR(pins, found, base, base);
    if (found)
        LL_DELETE(pins, found);
    pthread_mutex_unlock(&lock);
    return found;
}

twin_status ascend_memory_unpin(void *pointer)
{
    twin_memory_info info;
    twin_hw_device *device = NULL;
    pin *taken = take((uint64_t)(uintptr_t)pointer);
    if (!taken)
        return TWIN_E_INVALID;
    twin_status status = ascend_retain_device(taken->device, &device);
    if (status == TWIN_OK) {
        status = ascend_status(vendor.host_unregister(pointer));
        ascend_release_device(device);
    }
    if (status != TWIN_OK) {
        pthread_mutex_lock(&lock);
        LL_PREPEND(pins, taken);
        pthread_mutex_unlock(&lock);
        return status;
    }
    if (taken->known)
        (void)ascend_range_remove(taken->base, TWIN_MEMORY_REGISTERED, &info);
    if (has_own_range(taken))
        (void)ascend_range_remove(taken->address, TWIN_MEMORY_MAPPED, &info);
    free(taken);
    return TWIN_OK;
}
