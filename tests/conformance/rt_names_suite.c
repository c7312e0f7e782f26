/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the layer below the interface that loaders look up in the handle of one of its
 * libraries. The suite finds them as they do: by name, with its own types. Types and codes:
 * rt_names.tsv and the vendor's open runtime. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#define BYTES 8192

/* Pairs that callers pass as bare numbers: modules and kinds of information. */
enum {
    MODULE_SYSTEM = 0,
    MODULE_AICPU = 1,
    MODULE_AICORE = 4,
    MODULE_VECTOR = 7,
    MODULE_HOST_AICPU = 8
};
enum { INFO_CORE_NUM = 3, INFO_SDID = 26, INFO_CUBE_NUM = 0x775A5A5A };
/* Directions of this layer; 0 to 3 are those of the interface. */
enum {
    TO_DEVICE = 1,
    TO_HOST = 2,
    ON_DEVICE = 3,
    MANAGED = 4,
    ADDRESSES = 5,
    TO_DEVICE_SNAPSHOT = 6,
    TO_HOST_EX = 7,
    BY_ADDRESS = 8
};

static struct {
    int32_t (*rtDeviceGetBareTgid)(uint32_t *);
    int32_t (*rtDisableP2P)(uint32_t, uint32_t);
    int32_t (*rtEnableP2P)(uint32_t, uint32_t, uint32_t);
    int32_t (*rtGetDeviceInfo)(uint32_t, int32_t, int32_t, int64_t *);
    int32_t (*rtGetDevicePhyIdByIndex)(uint32_t, uint32_t *);
    int32_t (*rtGetLogicDevIdByUserDevId)(int32_t, int32_t *);
    int32_t (*rtIpcCloseMemory)(const void *);
    int32_t (*rtIpcDestroyMemoryName)(const char *);
    int32_t (*rtIpcOpenMemory)(void **, const char *);
    int32_t (*rtIpcSetMemoryName)(const void *, uint64_t, char *, uint32_t);
    int32_t (*rtMemcpyAsyncWithoutCheckKind)(void *, uint64_t, const void *, uint64_t, int32_t,
                                             void *);
    int32_t (*rtSetIpcMemorySuperPodPid)(const char *, uint32_t, int32_t[], int32_t);
} rt;

static const struct {
    const char *name;
    void *slot;
} names[] = {
#define NAME(name)                                                                                 \
    {                                                                                              \
#name, &rt.name                                                                            \
    }
    NAME(rtDeviceGetBareTgid),
    NAME(rtDisableP2P),
    NAME(rtEnableP2P),
    NAME(rtGetDeviceInfo),
    NAME(rtGetDevicePhyIdByIndex),
    NAME(rtGetLogicDevIdByUserDevId),
    NAME(rtIpcCloseMemory),
    NAME(rtIpcDestroyMemoryName),
    NAME(rtIpcOpenMemory),
    NAME(rtIpcSetMemoryName),
    NAME(rtMemcpyAsyncWithoutCheckKind),
    NAME(rtSetIpcMemorySuperPodPid),
#undef NAME
};

/* False: a name is missing, which is a failed check. */
static bool find(void)
{
    bool all = true;
    void *library = dlopen("libascendcl.so", RTLD_NOW);
    CHECK(library != NULL);
    for (size_t i = 0; library && i < TWIN_COUNT(names); i++) {
        void *address = dlsym(library, names[i].name);
        all = twin_check_true(address != NULL, names[i].name, __FILE__, __LINE__) && all;
        memcpy(names[i].slot, &address, sizeof(address));
    }
    return library && all;
}

static void test_handles(void)
{
    /* By path: the name alone is looked up for the caller of dlopen, which under a sanitizer is the
     * sanitizer. */
    char runtime[PATH_MAX];
    const char *const libraries[] = {"libacl_rt.so", runtime, NULL};
    Dl_info of_names;
    void *first = NULL;
    if (!find())
        return;
    memcpy(&first, names[0].slot, sizeof(first));
    if (!CHECK(dladdr(first, &of_names) != 0))
        return;
    const char *end = strrchr(of_names.dli_fname, '/');
    snprintf(runtime, sizeof(runtime), "%.*s/libruntime.so",
             end ? (int)(end - of_names.dli_fname) : 1, end ? of_names.dli_fname : ".");
    for (size_t i = 0; i < TWIN_COUNT(libraries); i++) {
        void *library =
            dlopen(libraries[i], RTLD_NOW); /* NULL: the program and all that it needs */
        CHECK(library != NULL);
        for (size_t k = 0; library && k < TWIN_COUNT(names); k++) {
            void *address = NULL;
            memcpy(&address, names[k].slot, sizeof(address));
            twin_check_true(dlsym(library, names[k].name) == address, names[k].name, __FILE__,
                            __LINE__);
        }
    }
}

static void test_process(void)
{
    uint32_t pid = 0;
    if (!find())
        return;
    CHECK_OK(rt.rtDeviceGetBareTgid(&pid));
    CHECK_EQUAL(pid, getpid());
    CHECK_CODE(rt.rtDeviceGetBareTgid(NULL), ACL_ERROR_RT_PARAM_INVALID);
}

/* They agree with the interface, before and after a device is set. */
static void check_numbers(void)
{
    for (uint32_t i = 0; i < twin_device_count(); i++) {
        uint32_t physical = 99;
        int32_t expected = -1, logical = -1;
        CHECK_OK(rt.rtGetDevicePhyIdByIndex(i, &physical));
        CHECK_OK(aclrtGetPhyDevIdByLogicDevId((int32_t)i, &expected));
        CHECK_EQUAL(physical, expected);
        CHECK_OK(rt.rtGetLogicDevIdByUserDevId((int32_t)i, &logical));
        CHECK_OK(aclrtGetLogicDevIdByUserDevId((int32_t)i, &expected));
        CHECK_EQUAL(logical, expected);
    }
}

static void test_numbers(void)
{
    uint32_t physical = 99;
    int32_t logical = -99;
    if (!find())
        return;
    check_numbers();
    CHECK_CODE(rt.rtGetDevicePhyIdByIndex(0, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_FAILS(rt.rtGetDevicePhyIdByIndex(twin_device_count(), &physical));
    CHECK_CODE(rt.rtGetLogicDevIdByUserDevId(0, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(rt.rtGetLogicDevIdByUserDevId(-1, &logical), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(rt.rtGetLogicDevIdByUserDevId((int32_t)twin_device_count(), &logical),
               ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQUAL(physical, 99);
    CHECK_EQUAL(logical, -99);
}

/* Three devices, of which the process sees the last and the first. */
static void selected(void)
{
    uint32_t physical = 99;
    int32_t logical = -1;
    if (!find())
        return;
    check_numbers();
    CHECK_OK(rt.rtGetDevicePhyIdByIndex(0, &physical));
    CHECK_EQUAL(physical, 2);
    CHECK_OK(rt.rtGetLogicDevIdByUserDevId(1, &logical));
    CHECK_EQUAL(logical, 0);
    /* The second device is a physical one. */
    int32_t status = -1;
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(rt.rtEnableP2P(1, 2, 0));
    CHECK_OK(aclrtDevicePeerAccessStatus(1, 0, &status));
    CHECK_EQUAL(status, 1);
    CHECK_FAILS(rt.rtEnableP2P(1, 1, 0));
    CHECK_OK(aclrtResetDevice(1));
}

static void test_selected(void)
{
    static const char *const settings[] = {"TWINRT_DEVICES=3", "ASCEND_RT_VISIBLE_DEVICES=2,0",
                                           NULL};
    twin_run_child("selected", settings);
}

static int64_t attribute(aclrtDevAttr attr)
{
    int64_t value = -1;
    CHECK_OK(aclrtGetDeviceInfo(0, attr, &value));
    return value;
}

static void test_info(void)
{
    static const struct {
        int32_t module, info;
        aclrtDevAttr attr;
    } pairs[] = {{MODULE_AICPU, INFO_CORE_NUM, ACL_DEV_ATTR_AICPU_CORE_NUM},
                 {MODULE_AICORE, INFO_CORE_NUM, ACL_DEV_ATTR_AICORE_CORE_NUM},
                 {MODULE_AICORE, INFO_CUBE_NUM, ACL_DEV_ATTR_CUBE_CORE_NUM},
                 {MODULE_VECTOR, INFO_CORE_NUM, ACL_DEV_ATTR_VECTOR_CORE_NUM}};
    int64_t value = -1;
    if (!find())
        return;
    for (size_t i = 0; i < TWIN_COUNT(pairs); i++) {
        CHECK_OK(rt.rtGetDeviceInfo(0, pairs[i].module, pairs[i].info, &value));
        CHECK_EQUAL(value, attribute(pairs[i].attr));
    }
    value = -1;
    CHECK_CODE(rt.rtGetDeviceInfo(0, MODULE_SYSTEM, INFO_SDID, &value),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(rt.rtGetDeviceInfo(0, MODULE_AICORE, 999, &value), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(rt.rtGetDeviceInfo(0, MODULE_HOST_AICPU, INFO_CORE_NUM, &value),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(rt.rtGetDeviceInfo(0, MODULE_AICORE, INFO_CORE_NUM, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(rt.rtGetDeviceInfo(twin_device_count(), MODULE_AICORE, INFO_CORE_NUM, &value),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(value, -1);
}

static int32_t access_of(int32_t device, int32_t peer)
{
    int32_t status = -99;
    CHECK_OK(aclrtDevicePeerAccessStatus(device, peer, &status));
    return status;
}

/* The device is an argument: the current one does not matter. */
static void test_peers(void)
{
    uint32_t physical = 99;
    if (!find())
        return;
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(rt.rtGetDevicePhyIdByIndex(0, &physical));
    CHECK_OK(rt.rtEnableP2P(1, physical, 0));
    CHECK_EQUAL(access_of(1, 0), 1);
    CHECK_EQUAL(access_of(0, 1), 0);
    CHECK_OK(rt.rtEnableP2P(1, physical, 0));
    CHECK_OK(rt.rtDisableP2P(1, physical));
    CHECK_EQUAL(access_of(1, 0), 0);
    CHECK_CODE(rt.rtEnableP2P(0, physical, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(rt.rtEnableP2P(0, 64, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(rt.rtDisableP2P(0, 64), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_FAILS(rt.rtEnableP2P(twin_device_count(), physical, 0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtResetDevice(1));
    /* Access ends with the device, so there is none to give before it is set. */
    CHECK_CODE(rt.rtEnableP2P(1, physical, 0), ACL_ERROR_RT_CONTEXT_NULL);
}

/* Every direction whose name does not say how the bytes are found moves them to where the address
 * points. */
static void test_copy(void)
{
    static const int32_t kinds[] = {TO_DEVICE, TO_HOST, ON_DEVICE, MANAGED};
    if (!find())
        return;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer data;
    twin_buffer_make(&data, BYTES, 0);
    for (size_t i = 0; i < TWIN_COUNT(kinds); i++) {
        const uint8_t value = (uint8_t)(0x20 + i);
        memset(data.host, value, BYTES);
        CHECK_OK(rt.rtMemcpyAsyncWithoutCheckKind(data.device, BYTES, data.host, BYTES, kinds[i],
                                                  stream));
        CHECK_OK(rt.rtMemcpyAsyncWithoutCheckKind(data.device, BYTES / 2, data.device + BYTES / 2,
                                                  BYTES / 2, kinds[i], stream));
        CHECK_OK(aclrtSynchronizeStream(stream));
        memset(data.host, 0, BYTES);
        CHECK_OK(rt.rtMemcpyAsyncWithoutCheckKind(data.host, BYTES, data.device, BYTES, kinds[i],
                                                  stream));
        CHECK_OK(aclrtSynchronizeStream(stream));
        CHECK_BYTES(data.host, value, BYTES);
    }
    uint8_t words[8];
    memset(words, 0x5a, sizeof(words));
    CHECK_OK(rt.rtMemcpyAsyncWithoutCheckKind(data.device, BYTES, words, sizeof(words),
                                              TO_DEVICE_SNAPSHOT, stream));
    memset(words, 0, sizeof(words)); /* it was read during the call */
    CHECK_OK(aclrtSynchronizeStream(stream));
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 0x5a, sizeof(words));
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_copy_refusals(void)
{
    if (!find())
        return;
    CHECK_OK(rt.rtMemcpyAsyncWithoutCheckKind(NULL, 0, NULL, 0, 99, (void *)(uintptr_t)0x1234));
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer data;
    twin_buffer_make(&data, BYTES, 7);
#define REFUSED(dst, limit, src, bytes, kind, code)                                                \
    CHECK_CODE(rt.rtMemcpyAsyncWithoutCheckKind(dst, limit, src, bytes, kind, stream), code)
    REFUSED(NULL, BYTES, data.host, BYTES, TO_DEVICE, ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(data.device, BYTES, NULL, BYTES, TO_DEVICE, ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(data.device, BYTES - 1, data.host, BYTES, TO_DEVICE, ACL_ERROR_RT_PARAM_INVALID);
    /* 8 asks for the check that this function leaves out. */
    REFUSED(data.device, BYTES, data.host, BYTES, BY_ADDRESS, ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(data.device, BYTES, data.host, BYTES, 9, ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(data.device, BYTES, data.host, BYTES, -1, ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(data.host, BYTES / 2, data.host + BYTES / 2, BYTES / 2, 0,
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    REFUSED(data.device, BYTES, data.device, BYTES, ADDRESSES, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    REFUSED(data.host, BYTES, data.device, BYTES, TO_HOST_EX, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
#undef REFUSED
    CHECK_OK(aclrtSynchronizeStream(stream));
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 7, BYTES);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* As aclrtIpcMem*, with the codes of the layer below. */
static void test_shared_memory(void)
{
    char name[65] = "";
    int32_t pid = getpid();
    void *address = NULL;
    if (!find())
        return;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer data;
    twin_buffer_make(&data, BYTES, 4);
    CHECK_CODE(rt.rtIpcSetMemoryName(NULL, BYTES, name, 65), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(rt.rtIpcSetMemoryName(data.device, BYTES, NULL, 65), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(rt.rtIpcSetMemoryName(data.device, 0, name, 65), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(rt.rtIpcSetMemoryName(data.device, BYTES, name, 64), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(rt.rtIpcSetMemoryName(data.device, BYTES, name, sizeof(name)));
    CHECK_CODE(rt.rtSetIpcMemorySuperPodPid(name, 0, &pid, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(rt.rtSetIpcMemorySuperPodPid(name, 0, &pid, 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(rt.rtIpcOpenMemory(NULL, name), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_FAILS(rt.rtIpcOpenMemory(&address, name)); /* not in the list */
    CHECK_OK(aclrtIpcMemSetImportPid(name, &pid, 1));
    CHECK_OK(rt.rtIpcOpenMemory(&address, name));
    CHECK_OK(aclrtMemcpy(data.host, BYTES, address, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_BYTES(data.host, 4, BYTES);
    CHECK_CODE(rt.rtIpcCloseMemory(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_FAILS(rt.rtIpcCloseMemory(data.device));
    CHECK_OK(rt.rtIpcCloseMemory(address));
    CHECK_FAILS(rt.rtIpcCloseMemory(address));
    CHECK_CODE(rt.rtIpcDestroyMemoryName(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(rt.rtIpcDestroyMemoryName(name));
    CHECK_FAILS(rt.rtIpcDestroyMemoryName(name));
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"each name is one function in every handle", test_handles},
    {"the process number is that of the process", test_process},
    {"device numbers are those of the interface", test_numbers},
    {"device numbers follow the list of visible devices", test_selected},
    {"device information equals the attributes of the interface", test_info},
    {"peer access belongs to the device that is named", test_peers},
    {"a copy whose direction is not checked goes where the addresses are", test_copy},
    {"a copy that is not one is refused and moves nothing", test_copy_refusals},
    {"memory is shared by name", test_shared_memory},
};

static const twin_child children[] = {{"selected", selected}};

static const twin_suite suite = {.name = "rt_names",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children)};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
