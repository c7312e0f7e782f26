/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/physical.h"

#include <utlist.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/object/context.h"

/* Uses of physical memory. */
#define HANDLE  (UINT64_C(1) << 32)
#define MAPPING UINT64_C(1)

typedef struct twin_physical {
    twin_object object; /* its handle is the backend's name for the memory */
    twin_device *device;
    uint64_t bytes;
    twin_physical_view view;
    _Atomic uint64_t users; /* handles << 32 | mappings; 0: it ends */
    uint64_t shared;        /* what it was opened by; 0: it was made here. Guarded by lock */
    bool on_device;         /* it ends with the device */
    bool gone;              /* released by the backend, or with the device; guarded by lock */
    struct twin_physical *next, *previous; /* guarded by lock */
} twin_physical;

static twin_lock lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_PHYSICALS);
static twin_physical *all; /* whose handle is alive; guarded by lock */

static void release(void *object);
static twin_handle_table physicals = TWIN_HANDLE_TABLE_INITIALIZER(
    "physical memory", TWIN_HANDLE_PHYSICAL, twin_physical, NULL, release);

static void release(void *object)
{
    twin_handle_free(&physicals, object);
}

static void unpin(twin_physical *memory)
{
    twin_handle_unpin(&physicals, memory);
}

static void twin_physical_unpin(twin_physical *memory)
{
    unpin(memory);
}
TWIN_PINNED_TYPE(physical)

/* Whether it could be added: not to memory that ends. */
static bool add_user(twin_physical *memory, uint64_t unit)
{
    uint64_t users = atomic_load_explicit(&memory->users, memory_order_relaxed);
    do {
        if (users == 0)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&memory->users, &users, users + unit,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

/* Releases memory without users, which is pinned. After a failure it is there as before. */
static twin_status end(twin_physical *memory)
{
    const twin_status status = twin_ops()->vmm.destroy(memory->object.handle);
    twin_lock_take(&lock);
    const bool gone = memory->gone; /* with its device, meanwhile */
    if (status == TWIN_OK && !gone) {
        DL_DELETE2(all, memory, previous, next);
        memory->gone = true;
    }
    twin_lock_drop(&lock);
    if (status != TWIN_OK && !gone)
        return status;
    (void)twin_handle_retire(memory);
    return TWIN_OK;
}

/* Of pinned memory. After a failure the memory has no user, and ends with its device. */
static twin_status drop_user(twin_physical *memory, uint64_t unit)
{
    return atomic_fetch_sub_explicit(&memory->users, unit, memory_order_acq_rel) == unit
               ? end(memory)
               : TWIN_OK;
}

static bool has_handle(twin_physical *memory)
{
    return atomic_load_explicit(&memory->users, memory_order_acquire) >= HANDLE;
}

/* The memory of a handle that the program has, pinned. 107017. */
static int32_t pin(uint64_t handle, twin_physical **out_memory)
{
    *out_memory = twin_handle_pin(&physicals, handle);
    if (*out_memory && has_handle(*out_memory))
        return 0;
    if (*out_memory)
        unpin(*out_memory);
    *out_memory = NULL;
    return twin_fail_handle(physicals.kind_name, handle);
}

static int32_t fail(twin_status status, const char *what, const void *address)
{
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "%s %p", what, address);
}

static uint64_t number_of(const void *address)
{
    return (uint64_t)(uintptr_t)address;
}

/* ---- handles --------------------------------------------------------------------------------- */

/* Fills in a new object and makes its handle valid. */
static uint64_t publish(twin_physical *memory, twin_device *device, uint64_t bytes, bool on_device,
                        const twin_physical_view *view)
{
    memory->device = device;
    memory->bytes = bytes;
    memory->view = *view;
    memory->on_device = on_device;
    memory->gone = false;
    memory->shared = 0;
    atomic_store_explicit(&memory->users, HANDLE, memory_order_relaxed);
    twin_lock_take(&lock);
    DL_PREPEND2(all, memory, previous, next);
    const uint64_t handle = twin_handle_publish(memory);
    twin_lock_drop(&lock);
    return handle;
}

static twin_physical *new_object(void)
{
    return twin_handle_alloc(&physicals);
}

/* Counts as an object of the device until drop_object. 107001, 107002. */
static int32_t use_device(int32_t id, twin_device **out_device)
{
    int32_t code = twin_device_find(id, out_device);
    if (code == 0 && !twin_device_add_object(*out_device, false))
        code = twin_fail(TWIN_ERR_CONTEXT_NULL, "device %d is not open; call aclrtSetDevice first",
                         (int)id);
    return code;
}

static int32_t create_on(twin_device *device, const twin_physical_config *config,
                         const twin_physical_view *view, uint64_t *out_handle)
{
    twin_physical *memory = new_object();
    twin_physical_config own = *config;
    if (!memory)
        return twin_fail(TWIN_ERR_NOMEM, "no memory for a handle");
    own.device = device->hw_index;
    twin_status status =
        twin_device_note(device, twin_ops()->vmm.create(device->hw, &own, memory->object.handle));
    if (status == TWIN_OK)
        *out_handle = publish(memory, device, config->memory.bytes, !config->host, view);
    else
        twin_handle_free(&physicals, memory);
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                            "%llu bytes of physical memory of %s %d",
                            (unsigned long long)config->memory.bytes,
                            config->host ? "the host, node" : "device", (int)view->id);
}

int32_t twin_physical_create(const twin_physical_config *config, const twin_physical_view *view,
                             uint64_t *out_handle)
{
    if (config->host) {
        TWIN_PINNED(context, context);
        int32_t code = twin_context_pin_current(&context);
        return code != 0 ? code : create_on(context->device, config, view, out_handle);
    }
    twin_device *device = NULL;
    int32_t code = use_device(view->id, &device);
    if (code != 0)
        return code;
    code = create_on(device, config, view, out_handle);
    twin_device_drop_object(device);
    return code;
}

int32_t twin_physical_free(uint64_t handle)
{
    TWIN_PINNED(physical, memory);
    int32_t code = pin(handle, &memory);
    if (code != 0)
        return code;
    uint64_t users = atomic_load_explicit(&memory->users, memory_order_relaxed);
    do {
        if (users < HANDLE) /* another thread was faster */
            return twin_fail_handle(physicals.kind_name, handle);
    } while (!atomic_compare_exchange_weak_explicit(&memory->users, &users, users - HANDLE,
                                                    memory_order_acq_rel, memory_order_relaxed));
    const twin_status status = users == HANDLE ? end(memory) : TWIN_OK;
    if (status != TWIN_OK) /* no thread adds a user to memory without one */
        atomic_store_explicit(&memory->users, HANDLE, memory_order_release);
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                            "release of %llu bytes of physical "
                            "memory",
                            (unsigned long long)memory->bytes);
}

int32_t twin_physical_look(uint64_t handle, twin_physical_view *out_view)
{
    TWIN_PINNED(physical, memory);
    int32_t code = pin(handle, &memory);
    if (code == 0)
        *out_view = memory->view;
    return code;
}

int32_t twin_physical_retain(const void *address, uint64_t *out_handle)
{
    twin_mapping mapping = {0};
    twin_status status = twin_ops()->vmm.mapping(number_of(address), &mapping);
    if (status != TWIN_OK)
        return fail(status, "physical memory mapped at", address);
    TWIN_PINNED(physical, memory);
    memory = twin_handle_pin(&physicals, mapping.physical);
    if (!memory || !add_user(memory, HANDLE))
        return twin_fail(TWIN_ERR_PARAM, "nothing is mapped at %p any more", address);
    *out_handle = memory->object.handle;
    return 0;
}

int32_t twin_physical_set_link(uint64_t handle, twin_memory_link link)
{
    TWIN_PINNED(physical, memory);
    int32_t code = pin(handle, &memory);
    return code != 0 ? code
                     : twin_fail_status(twin_ops()->vmm.set_link(handle, link),
                                        TWIN_CODE_STREAM_TIMEOUT, "link of physical memory");
}

int32_t twin_physical_granularity(const twin_physical_config *config,
                                  const twin_physical_view *view, size_t *out_bytes)
{
    twin_physical_config own = *config;
    twin_device *device = NULL;
    uint64_t bytes = 0;
    int32_t code = twin_device_find(config->host ? 0 : view->id, &device);
    if (code != 0)
        return code;
    own.device = device->hw_index;
    twin_status status = twin_ops()->vmm.granularity(&own, &bytes);
    if (status == TWIN_OK)
        *out_bytes = (size_t)bytes;
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "granularity of such memory");
}

/* Some memory of the device whose handle is alive, pinned and taken off the list, or NULL. */
static twin_physical *take_one(const twin_device *device)
{
    TWIN_LOCKED(&lock);
    twin_physical *memory;
    DL_FOREACH2(all, memory, next)
    {
        if (memory->device != device || !memory->on_device ||
            !twin_handle_pin_object(memory, memory->object.handle))
            continue;
        memory->gone = true;
        DL_DELETE2(all, memory, previous, next);
        return memory;
    }
    return NULL;
}

void twin_physicals_forget(twin_device *device)
{
    twin_physical *memory;
    while ((memory = take_one(device)) != NULL) {
        (void)twin_handle_retire(memory);
        unpin(memory);
    }
}

/* ---- addresses ------------------------------------------------------------------------------- */

int32_t twin_addresses_reserve(size_t bytes, const void *expected, void **out_address)
{
    uint32_t count = 0;
    int32_t code = twin_device_count(&count); /* starts the backend */
    if (code != 0)
        return code;
    uint64_t address = 0;
    twin_status status = twin_ops()->vmm.reserve(bytes, number_of(expected), &address);
    if (status == TWIN_OK)
        *out_address = (void *)(uintptr_t)address;
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "%zu bytes of addresses", bytes);
}

int32_t twin_addresses_release(const void *address)
{
    return fail(twin_ops()->vmm.release(number_of(address)), "release of the addresses at",
                address);
}

int32_t twin_mapping_make(const void *address, size_t bytes, uint64_t handle, bool access)
{
    TWIN_PINNED(physical, memory);
    int32_t code = pin(handle, &memory);
    if (code != 0)
        return code;
    if (memory->bytes != 0 && bytes != memory->bytes) /* 0: the backend does not say */
        return twin_fail(TWIN_ERR_PARAM,
                         "size is %zu; the physical memory has %llu bytes, and is mapped whole",
                         bytes, (unsigned long long)memory->bytes);
    if (!add_user(memory, MAPPING))
        return twin_fail_handle(physicals.kind_name, handle);
    twin_status status = twin_ops()->vmm.map(number_of(address), bytes, handle, access);
    if (status != TWIN_OK)
        (void)drop_user(memory, MAPPING);
    return fail(status, "mapping at", address);
}

int32_t twin_mapping_end(const void *address)
{
    uint64_t physical = 0;
    twin_assert_unlocked("vmm.unmap with a lock held");
    twin_status status = twin_ops()->vmm.unmap(number_of(address), &physical);
    if (status != TWIN_OK)
        return fail(status, "end of the mapping at", address);
    TWIN_PINNED(physical, memory);
    memory = twin_handle_pin(&physicals, physical);
    return fail(memory ? drop_user(memory, MAPPING) : TWIN_OK,
                "release of the physical memory, which no handle and no mapping keeps, after the "
                "end of its mapping at",
                address);
}

/* Maps the physical memory of the mapping that begins at `source`. */
static int32_t map_again(const char *address, const char *source, twin_memory_link link,
                         size_t *out_bytes)
{
    twin_mapping mapping = {0};
    twin_status status = twin_ops()->vmm.mapping(number_of(source), &mapping);
    if (status != TWIN_OK)
        return fail(status, "physical memory mapped at", source);
    TWIN_PINNED(physical, memory);
    memory = twin_handle_pin(&physicals, mapping.physical);
    if (!memory || !add_user(memory, MAPPING))
        return twin_fail(TWIN_ERR_PARAM, "nothing is mapped at %p any more", (const void *)source);
    status = twin_ops()->vmm.map_link(number_of(address), mapping.bytes, mapping.physical,
                                      number_of(source), link);
    if (status != TWIN_OK)
        (void)drop_user(memory, MAPPING);
    *out_bytes = (size_t)mapping.bytes;
    return fail(status, "mapping at", address);
}

/* Whether the range is whole mappings. */
static int32_t check_whole(const char *source, size_t bytes)
{
    twin_mapping mapping = {0};
    for (size_t done = 0; done < bytes; done += (size_t)mapping.bytes) {
        twin_status status = twin_ops()->vmm.mapping(number_of(source + done), &mapping);
        if (status != TWIN_OK)
            return fail(status, "physical memory mapped at", source + done);
        if (mapping.bytes > bytes - done)
            return twin_fail(TWIN_ERR_PARAM,
                             "size is %zu; the mapping at %p, of %llu bytes, goes beyond it", bytes,
                             (const void *)(source + done), (unsigned long long)mapping.bytes);
    }
    return 0;
}

int32_t twin_mapping_make_again(const void *address, size_t bytes, const void *source,
                                twin_memory_link link)
{
    const char *to = address, *from = source;
    size_t done = 0, piece = 0;
    uint32_t count = 0;
    int32_t code = twin_device_count(&count); /* starts the backend */
    if (code == 0)
        code = check_whole(from, bytes);
    while (code == 0 && done < bytes) {
        code = map_again(to + done, from + done, link, &piece);
        if (code == 0)
            done += piece;
    }
    twin_mapping made = {0};
    for (size_t ended = 0; code != 0 && ended < done; ended += (size_t)made.bytes)
        if (twin_ops()->vmm.mapping(number_of(to + ended), &made) != TWIN_OK ||
            twin_mapping_end(to + ended) != 0)
            break;
    return code;
}

static int32_t find_accessor(bool host, int32_t id, twin_accessor *out)
{
    twin_device *device = NULL;
    *out = (twin_accessor){.host = host};
    int32_t code = host ? 0 : twin_device_find(id, &device);
    if (code == 0 && !host)
        out->device = device->hw_index;
    return code;
}

int32_t twin_mapping_let(const void *address, size_t bytes, bool host, int32_t id)
{
    twin_accessor accessor;
    int32_t code = find_accessor(host, id, &accessor);
    return code != 0 ? code
                     : fail(twin_ops()->vmm.set_access(number_of(address), bytes, &accessor),
                            "access to the mapping at", address);
}

int32_t twin_mapping_allows(const void *address, bool host, int32_t id, bool *out_allows)
{
    twin_accessor accessor;
    int32_t code = find_accessor(host, id, &accessor);
    return code != 0 ? code
                     : fail(twin_ops()->vmm.get_access(number_of(address), &accessor, out_allows),
                            "access to the mapping at", address);
}

/* ---- other processes ------------------------------------------------------------------------- */

int32_t twin_physical_share(uint64_t handle, bool check_pid, uint64_t *out_shared)
{
    TWIN_PINNED(physical, memory);
    int32_t code = pin(handle, &memory);
    if (code != 0)
        return code;
    twin_device *device = memory->on_device ? memory->device : NULL;
    if (device && !twin_device_add_object(device, false))
        return twin_fail_handle(physicals.kind_name, handle);
    code = twin_fail_status(twin_ops()->vmm.share(handle, check_pid, out_shared),
                            TWIN_CODE_STREAM_TIMEOUT, "export of physical memory");
    if (device)
        twin_device_drop_object(device);
    return code;
}

int32_t twin_physical_allow(uint64_t shared, const int32_t *pids, size_t count)
{
    return twin_fail_status(twin_ops()->vmm.allow(shared, pids, count), TWIN_CODE_STREAM_TIMEOUT,
                            "shareable handle %#llx", (unsigned long long)shared);
}

/* What this process has opened on the device already has one more handle then. */
static bool open_again(const twin_device *device, uint64_t shared, uint64_t *out_handle)
{
    TWIN_LOCKED(&lock);
    for (twin_physical *memory = all; memory; memory = memory->next)
        if (memory->shared == shared && memory->device == device && add_user(memory, HANDLE)) {
            *out_handle = memory->object.handle;
            return true;
        }
    return false;
}

static int32_t open_on(twin_device *device, int32_t id, uint64_t shared,
                       int32_t (*attribute)(twin_page_policy pages), uint64_t *out_handle)
{
    if (open_again(device, shared, out_handle))
        return 0;
    twin_physical *memory = new_object();
    twin_physical_config config = {0};
    if (!memory)
        return twin_fail(TWIN_ERR_NOMEM, "no memory for a handle");
    twin_status status = twin_device_note(
        device, twin_ops()->vmm.open(device->hw, shared, memory->object.handle, &config));
    const twin_physical_view view = {
        .location = 1, .id = id, .attribute = attribute(config.memory.pages)};
    if (status == TWIN_OK) {
        *out_handle = publish(memory, device, config.memory.bytes, true, &view);
        twin_lock_take(&lock);
        memory->shared = shared;
        twin_lock_drop(&lock);
    } else {
        twin_handle_free(&physicals, memory);
    }
    if (status == TWIN_E_INVALID && open_again(device, shared, out_handle))
        return 0; /* another thread was faster */
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "shareable handle %#llx",
                            (unsigned long long)shared);
}

int32_t twin_physical_open(int32_t id, uint64_t shared,
                           int32_t (*attribute)(twin_page_policy pages), uint64_t *out_handle)
{
    twin_device *device = NULL;
    int32_t code = use_device(id, &device);
    if (code != 0)
        return code;
    code = open_on(device, id, shared, attribute, out_handle);
    twin_device_drop_object(device);
    return code;
}
