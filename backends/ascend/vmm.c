/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory management: the vendor's library does it. Noted here are the names that the core
 * gives to the vendor's handles, and what is mapped where, so that addresses are classified. */
#include <stdlib.h>

/* uthash ends the process when out of memory, by default. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "process.h"

#define GRANULE ((uint32_t)2 << 20)

struct physical {
    UT_hash_handle hh;
    uint64_t number; /* the core's name */
    aclrtDrvMemHandle handle;
    uint32_t device; /* whose context its calls are made in */
    bool host;
};

/* A mapping, or a reservation. */
struct place {
    UT_hash_handle hh;
    uint64_t address;
    uint64_t bytes;
    uint64_t physical;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guarded by lock. */
static struct physical *physicals;
static struct place *mappings;
static struct place *reservations;

/* ---- tables ---------------------------------------------------------------------------------- */

static bool add_place(struct place **table, uint64_t address, uint64_t bytes, uint64_t physical)
{
    struct place *one = calloc(1, sizeof(*one));
    if (!one)
        return false;
    *one = (struct place){.address = address, .bytes = bytes, .physical = physical};
    pthread_mutex_lock(&lock);
    HASH_ADD(hh, *table, address, sizeof(one->address), one);
    const bool added = one->hh.tbl != NULL;
    pthread_mutex_unlock(&lock);
    if (!added)
        free(one);
    return added;
}

static bool find_place(struct place *const *table, uint64_t address, struct place *out)
{
    struct place *one;
    pthread_mutex_lock(&lock);
    HASH_FIND(hh, *table, &address, sizeof(address), one);
    if (one)
        *out = *one;
    pthread_mutex_unlock(&lock);
    return one != NULL;
}

static void drop_place(struct place **table, uint64_t address)
{
    struct place *one;
    pthread_mutex_lock(&lock);
    HASH_FIND(hh, *table, &address, sizeof(address), one);
    if (one)
        HASH_DELETE(hh, *table, one);
    pthread_mutex_unlock(&lock);
    free(one);
}

static bool add_physical(uint64_t number, aclrtDrvMemHandle handle, uint32_t device, bool host)
{
    struct physical *one = calloc(1, sizeof(*one));
    if (!one)
        return false;
    one->number = number;
    one->handle = handle;
    one->device = device;
    one->host = host;
    pthread_mutex_lock(&lock);
    HASH_ADD(hh, physicals, number, sizeof(one->number), one);
    const bool added = one->hh.tbl != NULL;
    pthread_mutex_unlock(&lock);
    if (!added)
        free(one);
    return added;
}

static bool find_physical(uint64_t number, struct physical *out)
{
    struct physical *one;
    pthread_mutex_lock(&lock);
    HASH_FIND(hh, physicals, &number, sizeof(number), one);
    if (one)
        *out = *one;
    pthread_mutex_unlock(&lock);
    return one != NULL;
}

static void drop_physical(uint64_t number)
{
    struct physical *one;
    pthread_mutex_lock(&lock);
    HASH_FIND(hh, physicals, &number, sizeof(number), one);
    if (one)
        HASH_DELETE(hh, physicals, one);
    pthread_mutex_unlock(&lock);
    free(one);
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* Addresses at which nothing is mapped. */
static bool note_gone(uint64_t base, uint64_t bytes)
{
    return ascend_range_add(
        &(twin_memory_info){.kind = TWIN_MEMORY_GONE, .base = base, .size_bytes = bytes});
}

twin_status ascend_vmm_reserve(uint64_t bytes, uint64_t expected, uint64_t *out_address)
{
    void *pointer = NULL;
    twin_status status =
        ASCEND_ANYWHERE(vendor.reserve_addresses,
                        vendor.reserve_addresses(&pointer, bytes, 0, ascend_pointer(expected), 0));
    if (status != TWIN_OK)
        return status;
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (!note_gone(address, bytes) || !add_place(&reservations, address, bytes, 0)) {
        ascend_range_drop(address, bytes);
        (void)ASCEND_ANYWHERE(true, vendor.release_addresses(pointer));
        return TWIN_E_NOMEM;
    }
    *out_address = address;
    return TWIN_OK;
}

twin_status ascend_vmm_release(uint64_t address)
{
    struct place one;
    if (!find_place(&reservations, address, &one))
        return TWIN_E_INVALID;
    twin_status status = ASCEND_ANYWHERE(vendor.release_addresses,
                                         vendor.release_addresses(ascend_pointer(address)));
    if (status == TWIN_OK) {
        ascend_range_drop(address, one.bytes);
        drop_place(&reservations, address);
    }
    return status;
}

/* ---- physical memory ------------------------------------------------------------------------- */

static aclrtMemAttr attribute_of(const twin_physical_config *config)
{
    const bool peer = (config->memory.flags & TWIN_ALLOC_PEER) != 0;
    switch (config->memory.pages) {
    case TWIN_PAGES_HUGE_1G:
        return peer ? ACL_MEM_P2P_HUGE1G : ACL_MEM_HUGE1G;
    case TWIN_PAGES_NORMAL_ONLY:
        return peer ? ACL_MEM_P2P_NORMAL : ACL_MEM_NORMAL;
    default:
        return peer ? ACL_MEM_P2P_HUGE : ACL_MEM_HUGE;
    }
}

static aclrtPhysicalMemProp prop_of(const twin_physical_config *config)
{
    aclrtPhysicalMemProp prop = {.handleType = ACL_MEM_HANDLE_TYPE_NONE,
                                 .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
                                 .memAttr = attribute_of(config)};
    prop.location.type = !config->host                ? ACL_MEM_LOCATION_TYPE_DEVICE
                         : config->node == UINT32_MAX ? ACL_MEM_LOCATION_TYPE_HOST
                                                      : ACL_MEM_LOCATION_TYPE_HOST_NUMA;
    prop.location.id = !config->host                ? config->device
                       : config->node == UINT32_MAX ? 0
                                                    : config->node;
    return prop;
}

twin_status ascend_vmm_granularity(const twin_physical_config *config, uint64_t *out_bytes)
{
    aclrtPhysicalMemProp prop = prop_of(config);
    size_t bytes = 0;
    twin_status status =
        ASCEND_ANYWHERE(vendor.granularity,
                        vendor.granularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &bytes));
    if (status == TWIN_OK)
        *out_bytes = bytes;
    return status;
}

twin_status ascend_vmm_create(twin_hw_device *device, const twin_physical_config *config,
                              uint64_t physical)
{
    const aclrtPhysicalMemProp prop = prop_of(config);
    aclrtDrvMemHandle handle = NULL;
    twin_status status =
        ASCEND_CALL(ascend_use_device_for(device, vendor.malloc_physical != NULL),
                    vendor.malloc_physical(&handle, config->memory.bytes, &prop, 0));
    if (status != TWIN_OK)
        return status;
    if (add_physical(physical, handle, device->index, config->host))
        return TWIN_OK;
    (void)vendor.free_physical(handle);
    return TWIN_E_NOMEM;
}

twin_status ascend_vmm_destroy(uint64_t physical)
{
    struct physical one;
    if (!find_physical(physical, &one))
        return TWIN_E_INVALID;
    twin_status status = ASCEND_ANYWHERE(vendor.free_physical, vendor.free_physical(one.handle));
    if (status == TWIN_OK)
        drop_physical(physical);
    return status;
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* On the device of the memory. */
static twin_status map_on(const struct physical *memory, uint64_t address, uint64_t bytes,
                          bool access)
{
    twin_hw_device *device = NULL;
    twin_status status = (access ? vendor.map != NULL : vendor.map_no_access != NULL)
                             ? ascend_retain_device(memory->device, &device)
                             : TWIN_E_UNSUPPORTED;
    if (status != TWIN_OK)
        return status;
    void *pointer = ascend_pointer(address);
    status = ascend_status(access ? vendor.map(pointer, bytes, 0, memory->handle, 0)
                                  : vendor.map_no_access(pointer, bytes, 0, memory->handle, 0));
    ascend_release_device(device);
    return status;
}

/* Notes a mapping that the vendor's library has made; ends it if it cannot be noted. */
static twin_status note_mapping(const struct physical *memory, uint64_t address, uint64_t bytes)
{
    const twin_memory_info info = {.kind =
                                       memory->host ? TWIN_MEMORY_HOST_PINNED : TWIN_MEMORY_DEVICE,
                                   .device = memory->device,
                                   .base = address,
                                   .size_bytes = bytes,
                                   .page_bytes = GRANULE,
                                   .mapped = true};
    if (ascend_range_add(&info) && add_place(&mappings, address, bytes, memory->number))
        return TWIN_OK;
    (void)note_gone(address, bytes);
    (void)ASCEND_ANYWHERE(vendor.unmap, vendor.unmap(ascend_pointer(address)));
    return TWIN_E_NOMEM;
}

twin_status ascend_vmm_map(uint64_t address, uint64_t bytes, uint64_t physical, bool access)
{
    struct physical memory;
    if (!find_physical(physical, &memory))
        return TWIN_E_INVALID;
    twin_status status = map_on(&memory, address, bytes, access);
    return status == TWIN_OK ? note_mapping(&memory, address, bytes) : status;
}

twin_status ascend_vmm_map_link(uint64_t address, uint64_t bytes, uint64_t physical,
                                uint64_t source, twin_memory_link link)
{
    struct physical memory;
    twin_hw_device *device = NULL;
    if (!find_physical(physical, &memory))
        return TWIN_E_INVALID;
    twin_status status =
        vendor.map_link ? ascend_retain_device(memory.device, &device) : TWIN_E_UNSUPPORTED;
    if (status != TWIN_OK)
        return status;
    status = ascend_status(
        vendor.map_link(ascend_pointer(address), bytes, ascend_pointer(source), (uint32_t)link));
    ascend_release_device(device);
    return status == TWIN_OK ? note_mapping(&memory, address, bytes) : status;
}

twin_status ascend_vmm_set_link(uint64_t physical, twin_memory_link link)
{
    struct physical memory;
    if (!find_physical(physical, &memory))
        return TWIN_E_INVALID;
    return ASCEND_ANYWHERE(vendor.set_map_link,
                           vendor.set_map_link(memory.handle, (aclrtMemLinkType)link));
}

twin_status ascend_vmm_unmap(uint64_t address, uint64_t *out_physical)
{
    struct place one;
    if (!find_place(&mappings, address, &one))
        return TWIN_E_INVALID;
    twin_status status = ASCEND_ANYWHERE(vendor.unmap, vendor.unmap(ascend_pointer(address)));
    if (status != TWIN_OK)
        return status;
    (void)note_gone(address, one.bytes);
    drop_place(&mappings, address);
    *out_physical = one.physical;
    return TWIN_OK;
}

twin_status ascend_vmm_mapping(uint64_t address, twin_mapping *out_mapping)
{
    struct place one;
    if (!find_place(&mappings, address, &one))
        return TWIN_E_INVALID;
    *out_mapping = (twin_mapping){.physical = one.physical, .bytes = one.bytes};
    return TWIN_OK;
}

static aclrtMemLocation location_of(const twin_accessor *accessor)
{
    return (aclrtMemLocation){.id = accessor->host ? 0 : accessor->device,
                              .type = accessor->host ? ACL_MEM_LOCATION_TYPE_HOST
                                                     : ACL_MEM_LOCATION_TYPE_DEVICE};
}

twin_status ascend_vmm_set_access(uint64_t address, uint64_t bytes, const twin_accessor *accessor)
{
    aclrtMemAccessDesc desc = {.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
                               .location = location_of(accessor)};
    return ASCEND_ANYWHERE(vendor.set_access,
                           vendor.set_access(ascend_pointer(address), bytes, &desc, 1));
}

twin_status ascend_vmm_get_access(uint64_t address, const twin_accessor *accessor, bool *out_access)
{
    aclrtMemLocation location = location_of(accessor);
    uint64_t flags = 0;
    twin_status status = ASCEND_ANYWHERE(
        vendor.get_access, vendor.get_access(ascend_pointer(address), &location, &flags));
    if (status == TWIN_OK)
        *out_access = flags == ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    return status;
}

/* ---- other processes ------------------------------------------------------------------------- */

twin_status ascend_vmm_share(uint64_t physical, bool check_pid, uint64_t *out_shared)
{
    struct physical memory;
    if (!find_physical(physical, &memory))
        return TWIN_E_INVALID;
    const uint64_t flags =
        check_pid ? ACL_RT_VMM_EXPORT_FLAG_DEFAULT : ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION;
    return ASCEND_ANYWHERE(
        vendor.export_physical,
        vendor.export_physical(memory.handle, ACL_MEM_HANDLE_TYPE_NONE, flags, out_shared));
}

twin_status ascend_vmm_allow(uint64_t shared, const int32_t *pids, size_t count)
{
    return ASCEND_ANYWHERE(vendor.export_physical_to,
                           vendor.export_physical_to(shared, (int32_t *)(uintptr_t)pids, count));
}

/* The vendor does not say how large it is: the core takes any size of a mapping then. */
twin_status ascend_vmm_open(twin_hw_device *device, uint64_t shared, uint64_t physical,
                            twin_physical_config *out_config)
{
    aclrtDrvMemHandle handle = NULL;
    twin_status status =
        ASCEND_CALL(ascend_use_device_for(device, vendor.import_physical != NULL),
                    vendor.import_physical(shared, (int32_t)device->index, &handle));
    if (status != TWIN_OK)
        return status;
    if (!add_physical(physical, handle, device->index, false)) {
        (void)vendor.free_physical(handle);
        return TWIN_E_NOMEM;
    }
    *out_config = (twin_physical_config){
        .memory = {.pages = TWIN_PAGES_HUGE_ONLY}, .node = UINT32_MAX, .device = device->index};
    return TWIN_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void clear(struct place **table)
{
    struct place *one, *next;
    HASH_ITER(hh, *table, one, next)
    {
        /* The macro has kept the next one. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        HASH_DELETE(hh, *table, one);
        free(one);
    }
}

void ascend_vmm_clear(void)
{
    struct physical *one, *next;
    clear(&mappings);
    clear(&reservations);
    HASH_ITER(hh, physicals, one, next)
    {
        /* The macro has kept the next one. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        HASH_DELETE(hh, physicals, one);
        free(one);
    }
}

void ascend_vmm_forget(uint32_t device)
{
    struct place *place, *next_place;
    struct physical *one, *next;
    ascend_imports_forget(device);
    pthread_mutex_lock(&lock);
    HASH_ITER(hh, mappings, place, next_place)
    {
        HASH_FIND(hh, physicals, &place->physical, sizeof(place->physical), one);
        if (one && (one->host || one->device != device))
            continue;
        (void)note_gone(place->address, place->bytes);
        /* The macro has kept the next one. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        HASH_DELETE(hh, mappings, place);
        free(place);
    }
    HASH_ITER(hh, physicals, one, next)
    {
        if (one->host || one->device != device)
            continue;
        /* The macro has kept the next one. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        HASH_DELETE(hh, physicals, one);
        free(one);
    }
    pthread_mutex_unlock(&lock);
}
