/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that processes share by key: the vendor's library does it. Noted here is which addresses
 * keys have given, and how often. */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "process.h"

#define KEY_BYTES (TWIN_SHARE_NAME + 1) /* with its end */

struct import {
    struct import *next;
    char key[KEY_BYTES];
    uint64_t address;
    uint64_t bytes;
    uint32_t device;
    unsigned uses;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct import *imports; /* guarded by lock */

static void end_key(char key[KEY_BYTES], const char *name)
{
    memset(key, 0, KEY_BYTES);
    memcpy(key, name, strnlen(name, TWIN_SHARE_NAME));
}

twin_status ascend_memory_share(uint64_t address, uint64_t bytes, bool check_pid,
                                char out_name[TWIN_SHARE_NAME])
{
    char key[KEY_BYTES] = "";
    const uint64_t flags = check_pid ? ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT
                                     : ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION;
    twin_status status =
        ASCEND_ANYWHERE(vendor.export_memory, vendor.export_memory(ascend_pointer(address), bytes,
                                                                   key, sizeof(key), flags));
    if (status == TWIN_OK)
        memcpy(out_name, key, TWIN_SHARE_NAME);
    return status;
}

twin_status ascend_memory_allow(const char *name, const int32_t *pids, size_t count)
{
    char key[KEY_BYTES];
    end_key(key, name);
    return ASCEND_ANYWHERE(vendor.export_memory_to,
                           vendor.export_memory_to(key, (int32_t *)(uintptr_t)pids, count));
}

twin_status ascend_memory_set_link(const char *name, twin_memory_link link)
{
    char key[KEY_BYTES];
    end_key(key, name);
    return ASCEND_ANYWHERE(vendor.set_key_link,
                           vendor.set_key_link(key, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, link));
}

/* The device whose memory it is; the importing one where the vendor's library does not say it. */
static uint32_t owner_of(const struct import *one)
{
    aclrtPtrAttributes place = {0};
    if (vendor.place && vendor.place(ascend_pointer(one->address), &place) == 0 &&
        place.location.type == ACL_MEM_LOCATION_TYPE_DEVICE)
        return place.location.id;
    return one->device;
}

/* The range that the address is in. */
static twin_status note_range(struct import *one)
{
    void *base = NULL;
    size_t bytes = 0;
    int32_t code = vendor.address_range(ascend_pointer(one->address), &base, &bytes);
    if (code != 0)
        return ascend_status(code);
    one->bytes = bytes - (size_t)(one->address - (uint64_t)(uintptr_t)base);
    const twin_memory_info info = {.kind = TWIN_MEMORY_DEVICE,
                                   .device = owner_of(one),
                                   .base = one->address,
                                   .size_bytes = one->bytes,
                                   .page_bytes = 4096,
                                   .mapped = true,
                                   .foreign = true};
    return ascend_range_add(&info) ? TWIN_OK : TWIN_E_NOMEM;
}

static twin_status open_locked(twin_hw_device *device, const char *key, struct import **out)
{
    void *pointer = NULL;
    struct import *one = calloc(1, sizeof(*one));
    if (!one)
        return TWIN_E_NOMEM;
    twin_status status =
        ASCEND_CALL(ascend_use_device_for(device, vendor.import_memory && vendor.address_range),
                    vendor.import_memory(&pointer, key, ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT));
    if (status == TWIN_OK) {
        one->address = (uint64_t)(uintptr_t)pointer;
        one->device = device->index;
        status = note_range(one);
        if (status != TWIN_OK)
            (void)vendor.close_memory(key);
    }
    if (status != TWIN_OK) {
        free(one);
        return status;
    }
    memcpy(one->key, key, KEY_BYTES);
    LL_PREPEND(imports, one);
    *out = one;
    return TWIN_OK;
}

static struct import *find_locked(const char *key, uint64_t address)
{
    struct import *one;
    LL_FOREACH(imports, one)
    {
        if (key ? strcmp(one->key, key) == 0 : one->address == address)
            return one;
    }
    return NULL;
}

twin_status ascend_memory_open(twin_hw_device *device, const char *name, uint64_t *out_address)
{
    char key[KEY_BYTES];
    end_key(key, name);
    pthread_mutex_lock(&lock);
    struct import *one = find_locked(key, 0);
    twin_status status = one ? TWIN_OK : open_locked(device, key, &one);
    if (status == TWIN_OK) {
        one->uses++;
        *out_address = one->address;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static twin_status close_key(const char *key)
{
    return ASCEND_ANYWHERE(vendor.close_memory, vendor.close_memory(key));
}

/* Of an import that is used once. */
static twin_status close_locked(struct import *one)
{
    twin_status status = close_key(one->key);
    if (status != TWIN_OK)
        return status;
    ascend_range_drop(one->address, one->bytes);
    LL_DELETE(imports, one);
    free(one);
    return TWIN_OK;
}

twin_status ascend_memory_close(const char *name, uint64_t address)
{
    char key[KEY_BYTES] = "";
    if (name)
        end_key(key, name);
    pthread_mutex_lock(&lock);
    struct import *one = find_locked(name ? key : NULL, address);
    const bool imported = one != NULL; /* else it exports the memory */
    twin_status status = TWIN_OK;
    if (one && one->uses > 1)
        one->uses--;
    else if (one)
        status = close_locked(one);
    pthread_mutex_unlock(&lock);
    if (imported)
        return status;
    return name ? close_key(key) : TWIN_E_INVALID;
}

void ascend_imports_forget(uint32_t device)
{
    struct import *one, *next;
    pthread_mutex_lock(&lock);
    LL_FOREACH_SAFE(imports, one, next) {
        if (one->device != device)
            continue;
        ascend_range_drop(one->address, one->bytes);
        LL_DELETE(imports, one);
        free(one);
    }
    pthread_mutex_unlock(&lock);
}
