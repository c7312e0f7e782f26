/* SPDX-License-Identifier: Apache-2.0 */
/* Reserved addresses and physical memory; and the table of the suite. */
#include "virtual_tests.h"

#include <string.h>

aclrtPhysicalMemProp virtual_prop(void)
{
    return (aclrtPhysicalMemProp){.handleType = ACL_MEM_HANDLE_TYPE_NONE,
                                  .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
                                  .memAttr = ACL_HBM_MEM_HUGE,
                                  .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
}

aclrtDrvMemHandle virtual_memory(size_t granules)
{
    const aclrtPhysicalMemProp prop = virtual_prop();
    aclrtDrvMemHandle handle = NULL;
    CHECK_OK(aclrtMallocPhysical(&handle, granules * GRANULE, &prop, 0));
    return handle;
}

char *virtual_addresses(size_t granules)
{
    void *address = NULL;
    CHECK_OK(aclrtReserveMemAddress(&address, granules * GRANULE, 0, NULL, 0));
    return address;
}

size_t virtual_free_bytes(void)
{
    size_t unused = 0, total = 0;
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &unused, &total));
    return unused;
}

void virtual_fill(void *at, int value, size_t bytes)
{
    CHECK_OK(aclrtMemset(at, bytes, value, bytes));
}

void virtual_check(const void *at, int value, size_t bytes)
{
    static unsigned char host[4 * GRANULE];
    memset(host, ~value, bytes);
    CHECK_OK(aclrtMemcpy(host, bytes, at, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_BYTES(host, (uint8_t)value, bytes);
}

/* ---- addresses ------------------------------------------------------------------------------- */

void test_reserve_arguments(void)
{
    void *address = NULL;
    CHECK_CODE(aclrtReserveMemAddress(NULL, GRANULE, 0, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtReserveMemAddress(&address, 0, 0, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtReserveMemAddress(&address, GRANULE, 0, NULL, 2), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtReserveMemAddress(&address, GRANULE, GRANULE, NULL, 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK(address == NULL);
    for (uint64_t flags = 0; flags < 2; flags++) {
        CHECK_OK(aclrtReserveMemAddress(&address, GRANULE, 0, NULL, flags));
        CHECK_EQUAL((uintptr_t)address % GRANULE, 0);
        CHECK_OK(aclrtReleaseMemAddress(address));
    }
    CHECK_OK(aclrtResetDevice(0));
}

void test_reserve_costs_nothing(void)
{
#ifdef __SANITIZE_THREAD__
    TWIN_SKIP("the sanitizer leaves no room for a reservation of 1 TiB");
#endif
    char host[64] = "";
    void *address = NULL;
    CHECK_OK(aclrtSetDevice(0));
    const size_t before = virtual_free_bytes();
    CHECK_OK(aclrtReserveMemAddress(&address, (size_t)1 << 40, 0, NULL, 0));
    CHECK_EQUAL(virtual_free_bytes(), before);
    CHECK_CODE(aclrtMemcpy(address, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpy(host, 64, (char *)address + GRANULE, 64, ACL_MEMCPY_DEVICE_TO_HOST),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtResetDevice(0));
}

/* 16 TiB up to 24 TiB; below 1 GiB at a power of two, above at 1 GiB. */
void test_reserve_expected(void)
{
#ifdef __SANITIZE_THREAD__
    TWIN_SKIP("the sanitizer has these addresses for itself");
#endif
    const uintptr_t tera = (uintptr_t)1 << 40;
    const size_t giga = (size_t)1 << 30;
    void *address = NULL;
    CHECK_OK(aclrtSetDevice(0));
    const uintptr_t wanted = 22 * tera;
    CHECK_OK(aclrtReserveMemAddress(&address, 4 * giga, 0, (void *)wanted, 0));
    CHECK((uintptr_t)address == wanted);
    void *other = NULL;
    CHECK_CODE(aclrtReserveMemAddress(&other, GRANULE, 0, (void *)(wanted + giga), 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtReserveMemAddress(&address, GRANULE, 0, (void *)(wanted + giga), 0));
    CHECK((uintptr_t)address == wanted + giga);
    CHECK_OK(aclrtReleaseMemAddress(address));
    /* what was reserved without a wish can be wished for */
    CHECK_OK(aclrtReserveMemAddress(&other, 4 * GRANULE, 0, NULL, 0));
    CHECK_CODE(aclrtReserveMemAddress(&address, GRANULE, 0, other, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtReleaseMemAddress(other));
    CHECK_OK(aclrtReserveMemAddress(&address, GRANULE, 0, (char *)other + GRANULE, 0));
    CHECK(address == (char *)other + GRANULE);
    void *third = NULL;
    CHECK_OK(aclrtReserveMemAddress(&third, 4 * GRANULE, 0, NULL, 0));
    CHECK((char *)third >= (char *)address + GRANULE ||
          (char *)third + 4 * GRANULE <= (char *)address);
    CHECK_OK(aclrtReleaseMemAddress(third));
    CHECK_OK(aclrtReleaseMemAddress(address));
    static const struct {
        uintptr_t at;
        size_t bytes;
    } bad[] = {
        {(uintptr_t)15 << 40, GRANULE},
        {(uintptr_t)24 << 40, GRANULE},
        {((uintptr_t)24 << 40) - ((uintptr_t)1 << 30), (size_t)2 << 30},
        {((uintptr_t)22 << 40) + 4096, GRANULE},
        {((uintptr_t)22 << 40) + GRANULE, (size_t)2 << 30},
    };
    for (size_t i = 0; i < TWIN_COUNT(bad); i++)
        CHECK_CODE(aclrtReserveMemAddress(&address, bad[i].bytes, 0, (void *)bad[i].at, 0),
                   ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtResetDevice(0));
}

void test_release(void)
{
    CHECK_CODE(aclrtReleaseMemAddress(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetDevice(0));
    char *address = virtual_addresses(2);
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_FAILS(aclrtReleaseMemAddress(address + GRANULE));
    CHECK_OK(aclrtMapMem(address + GRANULE, GRANULE, 0, handle, 0));
    CHECK_FAILS(aclrtReleaseMemAddress(address));
    virtual_fill(address + GRANULE, 3, GRANULE);
    virtual_check(address + GRANULE, 3, GRANULE);
    CHECK_OK(aclrtUnmapMem(address + GRANULE));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_FAILS(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- physical memory ------------------------------------------------------------------------- */

void test_physical_arguments(void)
{
    aclrtPhysicalMemProp prop = virtual_prop();
    aclrtDrvMemHandle handle = NULL;
    CHECK_CODE(aclrtMallocPhysical(NULL, GRANULE, &prop, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocPhysical(&handle, GRANULE, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocPhysical(&handle, 0, &prop, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocPhysical(&handle, GRANULE, &prop, 1), ACL_ERROR_INVALID_PARAM);
    prop.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    CHECK_CODE(aclrtMallocPhysical(&handle, GRANULE, &prop, 0), ACL_ERROR_INVALID_PARAM);
    prop = virtual_prop();
    prop.allocationType = (aclrtMemAllocationType)1;
    CHECK_CODE(aclrtMallocPhysical(&handle, GRANULE, &prop, 0), ACL_ERROR_INVALID_PARAM);
    prop = virtual_prop();
    prop.location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    CHECK_CODE(aclrtMallocPhysical(&handle, GRANULE, &prop, 0), ACL_ERROR_INVALID_PARAM);
    prop.location.type = ACL_MEM_LOCATION_TYPE_MANAGED;
    CHECK_CODE(aclrtMallocPhysical(&handle, GRANULE, &prop, 0), ACL_ERROR_INVALID_PARAM);
    CHECK(handle == NULL);
}

void test_physical_attributes(void)
{
    static const aclrtMemAttr bad[] = {
        ACL_DDR_MEM_HUGE, ACL_DDR_MEM_NORMAL, ACL_DDR_MEM_P2P_HUGE, ACL_DDR_MEM_P2P_NORMAL,
        ACL_DDR_MEM,      ACL_HBM_MEM,        ACL_HBM_MEM_P2P_HUGE, ACL_HBM_MEM_P2P_NORMAL};
    aclrtPhysicalMemProp prop = virtual_prop();
    aclrtDrvMemHandle handle = NULL;
    size_t granularity = 0;
    for (size_t i = 0; i < TWIN_COUNT(bad); i++) {
        prop.memAttr = bad[i];
        CHECK_CODE(aclrtMallocPhysical(&handle, GRANULE, &prop, 0), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
                                                    &granularity),
                   ACL_ERROR_INVALID_PARAM);
    }
    CHECK(handle == NULL);
}

void test_physical_device(void)
{
    aclrtPhysicalMemProp prop = virtual_prop();
    aclrtDrvMemHandle handle = NULL;
    size_t granularity = 0;
    CHECK_OK(aclrtSetDevice(0));
    prop.location.id = twin_device_count();
    CHECK_CODE(aclrtMallocPhysical(&handle, GRANULE, &prop, 0), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(
        aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity),
        ACL_ERROR_RT_INVALID_DEVICEID);
    prop.location.id = UINT32_MAX;
    CHECK_CODE(aclrtMallocPhysical(&handle, GRANULE, &prop, 0), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_OK(aclrtResetDevice(0));
}

void test_physical_sizes(void)
{
    const aclrtPhysicalMemProp prop = virtual_prop();
    aclrtDrvMemHandle handle = NULL;
    char *same = NULL;
    CHECK_OK(aclrtSetDevice(0));
    const size_t before = virtual_free_bytes();
    handle = virtual_memory(3);
    CHECK(virtual_free_bytes() == before - 3 * GRANULE);
    /* a token, not an address */
    CHECK_FAILS(aclrtMemset(handle, 8, 0, 8));
    same = (char *)handle;
    CHECK_FAILS(aclrtFree(same));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_EQUAL(virtual_free_bytes(), before);
    /* the rest of a granule is lost */
    CHECK_OK(aclrtMallocPhysical(&handle, 100, &prop, 0));
    CHECK(virtual_free_bytes() == before - GRANULE);
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_FAILS(aclrtMallocPhysical(&handle, before + GRANULE, &prop, 0));
    CHECK_FAILS(aclrtMallocPhysical(&handle, SIZE_MAX, &prop, 0));
    CHECK_EQUAL(virtual_free_bytes(), before);
    CHECK_OK(aclrtResetDevice(0));
}

void test_granularity(void)
{
    aclrtPhysicalMemProp prop = virtual_prop();
    size_t granularity = 0;
    const aclrtMemGranularityOptions least = ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM;
    CHECK_CODE(aclrtMemGetAllocationGranularity(NULL, least, &granularity),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemGetAllocationGranularity(&prop, least, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetDevice(0));
    static const aclrtMemAttr attributes[] = {ACL_HBM_MEM_HUGE, ACL_HBM_MEM_NORMAL, ACL_MEM_HUGE,
                                              ACL_MEM_NORMAL, ACL_MEM_P2P_HUGE};
    for (size_t i = 0; i < TWIN_COUNT(attributes); i++)
        for (int option = 0; option < 2; option++) {
            prop.memAttr = attributes[i];
            CHECK_OK(aclrtMemGetAllocationGranularity(&prop, (aclrtMemGranularityOptions)option,
                                                      &granularity));
            CHECK_EQUAL(granularity, GRANULE);
        }
    CHECK_FAILS(
        aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &granularity));
    prop.memAttr = ACL_HBM_MEM_HUGE1G;
    if (CHECK_OK(aclrtMemGetAllocationGranularity(&prop, least, &granularity)))
        CHECK_EQUAL(granularity, (size_t)1 << 30);
    CHECK_OK(aclrtResetDevice(0));
}

void test_free_physical(void)
{
    CHECK_CODE(aclrtFreePhysical(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetDevice(0));
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_CODE(aclrtFreePhysical(handle), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtResetDevice(0));
}

void test_properties(void)
{
    static const struct {
        aclrtMemAttr given, shown;
    } rows[] = {
        {ACL_HBM_MEM_HUGE, ACL_HBM_MEM_HUGE}, {ACL_MEM_HUGE, ACL_HBM_MEM_HUGE},
        {ACL_MEM_NORMAL, ACL_HBM_MEM_NORMAL}, {ACL_HBM_MEM_NORMAL, ACL_HBM_MEM_NORMAL},
        {ACL_MEM_P2P_HUGE, ACL_MEM_P2P_HUGE}, {ACL_MEM_P2P_NORMAL, ACL_MEM_P2P_NORMAL},
    };
    aclrtPhysicalMemProp prop = virtual_prop();
    aclrtDrvMemHandle handle = NULL;
    CHECK_CODE(aclrtMemGetAllocationPropertiesFromHandle(NULL, &prop), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(rows); i++) {
        prop = virtual_prop();
        prop.memAttr = rows[i].given;
        CHECK_OK(aclrtMallocPhysical(&handle, GRANULE, &prop, 0));
        CHECK_CODE(aclrtMemGetAllocationPropertiesFromHandle(handle, NULL),
                   ACL_ERROR_INVALID_PARAM);
        memset(&prop, 0xff, sizeof(prop));
        CHECK_OK(aclrtMemGetAllocationPropertiesFromHandle(handle, &prop));
        CHECK_EQUAL(prop.memAttr, rows[i].shown);
        CHECK_EQUAL(prop.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
        CHECK_EQUAL(prop.location.id, 0);
        CHECK_EQUAL(prop.handleType, ACL_MEM_HANDLE_TYPE_NONE);
        CHECK_EQUAL(prop.allocationType, ACL_MEM_ALLOCATION_TYPE_PINNED);
        CHECK_EQUAL(prop.reserve, 0);
        CHECK_OK(aclrtFreePhysical(handle));
        CHECK_CODE(aclrtMemGetAllocationPropertiesFromHandle(handle, &prop),
                   ACL_ERROR_RT_INVALID_HANDLE);
    }
    CHECK_OK(aclrtResetDevice(0));
}

/* The host reads and writes it where it is mapped, and the device copies to and from there. */
void test_host_memory(void)
{
    aclrtPhysicalMemProp prop = virtual_prop();
    aclrtDrvMemHandle handle = NULL;
    twin_buffer buffer;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&buffer, 4096, 5);
    char *address = virtual_addresses(4);
    prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    prop.memAttr = ACL_DDR_MEM_NORMAL;
    CHECK_OK(aclrtMallocPhysical(&handle, 2 * GRANULE, &prop, 0));
    CHECK_OK(aclrtMemGetAllocationPropertiesFromHandle(handle, &prop));
    CHECK_EQUAL(prop.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    CHECK_EQUAL(prop.memAttr, ACL_MEM_NORMAL);
    CHECK_OK(aclrtMapMem(address, 2 * GRANULE, 0, handle, 0));
    CHECK_OK(aclrtMapMem(address + 2 * GRANULE, 2 * GRANULE, 0, handle, 0));
    memset(address, 9, 4096);
    CHECK_BYTES(address + 2 * GRANULE, 9, 4096);
    CHECK_OK(aclrtMemcpy(buffer.device, 4096, address, 4096, ACL_MEMCPY_HOST_TO_DEVICE));
    twin_buffer_read(&buffer);
    CHECK_BYTES(buffer.host, 9, 4096);
    CHECK_OK(aclrtMemset(buffer.device, 4096, 7, 4096));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtMemcpyAsync(address + 2 * GRANULE + 4096, 4096, buffer.device, 4096,
                              ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_BYTES(address + 4096, 7, 4096);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_BYTES(address + 2 * GRANULE, 9, 4096);
    CHECK_OK(aclrtUnmapMem(address + 2 * GRANULE));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtReleaseMemAddress(address));
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtResetDevice(0));
}

void test_unsupported(void)
{
    void *address = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtReserveMemAddressNoUCMemory(&address, (size_t)1 << 30, 0, NULL, 0),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtMemMapSelectedLink(NULL, GRANULE, &address, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemMapSelectedLink(&address, 0, &address, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemMapSelectedLink(&address, GRANULE, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemMapSelectedLink(&address, GRANULE, &address, 2), ACL_ERROR_INVALID_PARAM);
    char *source = virtual_addresses(1);
    char *to = virtual_addresses(1);
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_OK(aclrtMapMem(source, GRANULE, 0, handle, 0));
    CHECK_CODE(aclrtMemMapSelectedLink(to, GRANULE, source, 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtUnmapMem(source));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtReleaseMemAddress(to));
    CHECK_OK(aclrtReleaseMemAddress(source));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- the table ------------------------------------------------------------------------------- */

static const twin_test tests[] = {
    {"VMM-01: a reservation refuses NULL, no bytes and other flags", test_reserve_arguments},
    {"VMM-02: a reservation takes no memory, and cannot be used", test_reserve_costs_nothing},
    {"VMM-03: alignment is reserved", test_reserve_arguments},
    {"VMM-04: an expected address is given, or the call fails", test_reserve_expected},
    {"VMM-04: the first reservation, where a later one would be", test_reserve_first},
    {"VMM-05: a range with mappings is not released", test_release},
    {"VMM-06: physical memory refuses other arguments", test_physical_arguments},
    {"VMM-07: physical memory refuses attributes of other memory", test_physical_attributes},
    {"VMM-08: physical memory is of a device that exists", test_physical_device},
    {"VMM-09: a handle is a token, and sizes are exact", test_physical_sizes},
    {"VMM-10: granularity is 2 MiB, or 1 GiB", test_granularity},
    {"VMM-11: a mapping refuses NULL, no bytes and flags", test_map_arguments},
    {"VMM-12: a mapping is whole, aligned, and on nothing else", test_map_refusals},
    {"VMM-13: copies span mappings that are tiles of a reservation", test_map_tiles},
    {"VMM-14: a reservation has memory of one device", test_map_two_devices},
    {"VMM-15: a mapping without access cannot be used until it is granted", test_no_access},
    {"VMM-16: contents survive the end of a mapping, at other addresses too", test_unmap},
    {"VMM-17: freed memory lives until its last mapping ends", test_free_while_mapped},
    {"VMM-17: a handle that was freed is dead", test_free_physical},
    {"VMM-18: access is granted for whole mappings, to read and write", test_set_access_arguments},
    {"VMM-19: the access of a mapping", test_get_access},
    {"VMM-20: the handle of a mapping, and how often it is freed", test_retain},
    {"VMM-21: the properties of physical memory", test_properties},
    {"VMM-23, VMM-24: links are not selected, caches not passed", test_unsupported},
    {"VMM-25, VMM-26, IPC-11: the link that there is, and no other one", test_links},
    {"VMM-26: a link is one of four, and of parts that have them", test_set_link_arguments},
    {"VMM-16: a task that uses an address that was unmapped fails", test_unmapped_fails_the_task},
    {"VMM-16: a task that has ended by then does not", test_unmap_after_the_work},
    {"physical memory ends with its device, reservations stay", test_reset_ends_mappings},
    {"physical memory of the host is mapped for host and device", test_host_memory},
    {"VMM-30, VMM-31, VMM-33: an export refuses other arguments, and is made once",
     test_handle_arguments},
    {"VMM-34, VMM-35, VMM-36, VMM-37: an import refuses other arguments", test_handle_arguments},
    {"VMM-36: handles for several servers, on a part that has them", test_handle_fabric},
    {"VMM-32: who is not in the list does not import", test_handle_pids},
    {"VMM-38: memory that another process uses outlives its handle", test_handle_partner},
    {"IPC-01, IPC-02, IPC-03, IPC-06: keys refuse other arguments", test_key_arguments},
    {"IPC-04, IPC-09: two processes use one memory", test_key_partner},
    {"IPC-04: two processes use one mapped memory", test_key_mapped},
    {"IPC-05: who is not in the list does not import", test_key_pids},
    {"IPC-07, IPC-08: memory of another device", test_key_other_device},
    {"IPC-10: links are not selected, servers not connected", test_key_unsupported},
    {"IPC-11: the link of a key refuses other arguments", test_key_link_arguments},
    {"a key works within its process", test_key_own},
    {"a process that was killed leaves the exporter as it is", test_importer_killed},
    {"memory outlives the process that exported it", test_exporter_killed},
    {"mappings of eight threads", test_map_threads},
    {"random mappings equal a plain model", test_map_random},
};

static twin_suite suite = {
    .name = "virtual", .tests = tests, .test_count = TWIN_COUNT(tests), .initialise = true};

int main(int argc, char **argv)
{
    suite.children = virtual_children;
    suite.child_count = virtual_child_count;
    return twin_suite_main(&suite, argc, argv);
}
