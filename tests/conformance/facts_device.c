/* SPDX-License-Identifier: Apache-2.0 */
/* What devices are: identities, capabilities, neighbours, use. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "facts_tests.h"
#include "profile.h"
#include "suite.h"

/* ---- use ------------------------------------------------------------------------------------- */

void test_utilization(void)
{
    aclrtUtilizationInfo info = {.utilizationExtend = NULL};
    CHECK_CODE(aclrtGetDeviceUtilizationRate(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetDevice(0));
    info.cubeUtilization = info.vectorUtilization = info.aicpuUtilization = -99;
    info.memoryUtilization = -99;
    CHECK_OK(aclrtGetDeviceUtilizationRate(0, &info));
    CHECK(info.cubeUtilization >= 0 && info.cubeUtilization <= 100);
    if (twin_profile_value("limit.aiv_cores") ==
        0) /* a part without vector cores has no rate of theirs */
        CHECK_EQUAL(info.vectorUtilization, -1);
    else
        CHECK(info.vectorUtilization >= 0 && info.vectorUtilization <= 100);
    CHECK(info.aicpuUtilization >= 0 && info.aicpuUtilization <= 100);
    CHECK_EQUAL(info.memoryUtilization, -1);

    char reserved;
    info.cubeUtilization = -99;
    info.utilizationExtend = (aclrtUtilizationExtendInfo *)&reserved;
    CHECK_CODE(aclrtGetDeviceUtilizationRate(0, &info), ACL_ERROR_INVALID_PARAM);
    info.utilizationExtend = NULL;
    CHECK_EQUAL(info.cubeUtilization, -99);
    CHECK_OK(aclrtGetDeviceUtilizationRate(-1, &info));
    CHECK_EQUAL(info.cubeUtilization, -1);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- identities ------------------------------------------------------------------------------ */

void test_uuids(void)
{
    aclrtUuid first, again, second;
    memset(&first, 0, sizeof(first));
    memset(&again, 0xff, sizeof(again));
    memset(&second, 0, sizeof(second));
    CHECK_OK(aclrtDeviceGetUuid(0, &first)); /* needs no device set */
    CHECK_OK(aclrtDeviceGetUuid(1, &second));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtDeviceGetUuid(0, &again));
    CHECK_OK(aclrtResetDevice(0));
    CHECK(memcmp(&first, &again, sizeof(first)) == 0);
    CHECK(memcmp(&first, &second, sizeof(first)) != 0);
    again = first;
    CHECK_CODE(aclrtDeviceGetUuid(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDeviceGetUuid(-1, &again), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtDeviceGetUuid((int32_t)twin_device_count(), &again),
               ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK(memcmp(&first, &again, sizeof(first)) == 0);
}

static void print_uuid(int32_t device)
{
    aclrtUuid uuid;
    memset(&uuid, 0, sizeof(uuid));
    CHECK_OK(aclrtDeviceGetUuid(device, &uuid));
    for (size_t i = 0; i < sizeof(uuid.bytes); i++)
        printf("%02x", (unsigned char)uuid.bytes[i]);
    printf("\n");
    fflush(stdout);
}

void child_print_uuids(void)
{
    print_uuid(0);
}

void test_uuids_stay(void)
{
    static const char *const second[] = {"ASCEND_RT_VISIBLE_DEVICES=1", NULL};
    static const char *const swapped[] = {"ASCEND_RT_VISIBLE_DEVICES=1,0", NULL};
    char all[64] = "", one[64] = "", two[64] = "", again[64] = "";
    CHECK_EQUAL(twin_child_status("print_uuids", NULL, all, sizeof(all)), 0);
    CHECK_EQUAL(twin_child_status("print_uuids", NULL, again, sizeof(again)), 0);
    CHECK_EQUAL(twin_child_status("print_uuids", second, one, sizeof(one)), 0);
    CHECK_EQUAL(twin_child_status("print_uuids", swapped, two, sizeof(two)), 0);
    CHECK(strlen(all) >= 32);
    CHECK(strcmp(all, again) == 0);
    CHECK(strcmp(one, two) == 0);
    CHECK(strcmp(all, one) != 0);
}

static bool is_bus_id(const char *text)
{
    static const char shape[] = "xxxx:xx:xx.x";
    for (size_t i = 0; i < sizeof(shape) - 1; i++)
        if (shape[i] == 'x' ? !strchr("0123456789abcdef", text[i]) || text[i] == '\0'
                            : text[i] != shape[i])
            return false;
    return text[sizeof(shape) - 1] == '\0';
}

void test_bus_ids(void)
{
    char first[13] = "", second[13] = "";
    int32_t device = -99;
    CHECK_OK(aclrtDeviceGetPCIBusId(0, first, sizeof(first)));
    CHECK_OK(aclrtDeviceGetPCIBusId(1, second, sizeof(second)));
    CHECK(is_bus_id(first));
    CHECK(is_bus_id(second));
    CHECK(strcmp(first, second) != 0);
    CHECK_OK(aclrtDeviceGetByPCIBusId(first, &device));
    CHECK_EQUAL(device, 0);
    CHECK_OK(aclrtDeviceGetByPCIBusId(second, &device));
    CHECK_EQUAL(device, 1);
}

void child_visible_bus_ids(void)
{
    char own[13] = "";
    char hidden[13] = "";
    int32_t device = -99;
    CHECK_EQUAL(twin_device_count(), 1);
    CHECK_OK(aclrtDeviceGetPCIBusId(0, own, sizeof(own)));
    CHECK_OK(aclrtDeviceGetByPCIBusId(own, &device));
    CHECK_EQUAL(device, 0);
    /* The device before it on the bus is not visible here. */
    unsigned bus = 0;
    CHECK(sscanf(own, "0000:%2x:", &bus) == 1 && bus > 0);
    snprintf(hidden, sizeof(hidden), "0000:%02x:00.0", (bus - 1) & 0xff);
    device = -99;
    CHECK_CODE(aclrtDeviceGetByPCIBusId(hidden, &device), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(device, -99);
}

void test_visible_bus_ids(void)
{
    static const char *const settings[] = {"TWINRT_DEVICES=2", "ASCEND_RT_VISIBLE_DEVICES=1", NULL};
    twin_run_child("visible_bus_ids", settings);
}

void test_bus_id_refusals(void)
{
    char text[13] = "unchanged";
    int32_t device = -99;
    CHECK_CODE(aclrtDeviceGetPCIBusId(0, NULL, 13), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDeviceGetPCIBusId(-1, text, 13), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtDeviceGetPCIBusId((int32_t)twin_device_count(), text, 13),
               ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtDeviceGetPCIBusId(0, text, 12), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtDeviceGetPCIBusId(0, text, -1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(strcmp(text, "unchanged") == 0);
    CHECK_CODE(aclrtDeviceGetByPCIBusId(NULL, &device), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDeviceGetByPCIBusId("0000:01:00.0", NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDeviceGetByPCIBusId("", &device), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtDeviceGetByPCIBusId("ffff:ff:1f.7", &device), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(device, -99);
}

void child_numbers_of_devices(void)
{
    static const int32_t machine[] = {2, 0}; /* as listed below */
    int32_t id = -99;
    for (int32_t user = 0; user < 2; user++) {
        CHECK_OK(aclrtGetPhyDevIdByLogicDevId(user, &id));
        CHECK_EQUAL(id, machine[user]);
        CHECK_OK(aclrtGetLogicDevIdByPhyDevId(machine[user], &id));
        CHECK_EQUAL(id, user);
    }
    id = -99;
    CHECK_CODE(aclrtGetPhyDevIdByLogicDevId(2, &id), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetLogicDevIdByPhyDevId(1, &id), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetPhyDevIdByLogicDevId(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetLogicDevIdByPhyDevId(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQUAL(id, -99);
}

void test_numbers_of_devices(void)
{
    static const char *const settings[] = {"TWINRT_DEVICES=3", "ASCEND_RT_VISIBLE_DEVICES=2,0",
                                           NULL};
    twin_run_child("numbers_of_devices", settings);
}

void test_bare_process(void)
{
    int32_t pid = -99;
    CHECK_OK(aclrtDeviceGetBareTgid(&pid));
    CHECK_EQUAL(pid, getpid());
    CHECK_CODE(aclrtDeviceGetBareTgid(NULL), ACL_ERROR_INVALID_PARAM);
}

void test_topology(void)
{
    uint64_t value = 99;
    uint32_t count = twin_device_count();
    CHECK_OK(aclrtGetDevicesTopo(0, 1, &value));
    static const struct {
        const char *link;
        uint64_t value;
    } links[] = {{"HCCS", ACL_RT_DEVS_TOPOLOGY_HCCS}, /* the devices of an Atlas 800T A2 */
                 {"HCCS_SW", ACL_RT_DEVS_TOPOLOGY_HCCS_SW},
                 {"PHB", ACL_RT_DEVS_TOPOLOGY_PHB}};
    uint64_t expected = 0;
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
        expected |= twin_profile_says("identity.peer_link", links[i].link) ? links[i].value : 0;
    CHECK_EQUAL(value, expected);
    value = 99;
    CHECK_OK(aclrtGetDevicesTopo(1, 0, &value));
    CHECK_EQUAL(value, expected);
    CHECK_OK(aclrtGetDevicesTopo(0, 0, &value)); /* never across a switch */
    CHECK_EQUAL(value,
                expected == ACL_RT_DEVS_TOPOLOGY_HCCS_SW ? ACL_RT_DEVS_TOPOLOGY_HCCS : expected);
    CHECK_CODE(aclrtGetDevicesTopo(0, 1, NULL), ACL_ERROR_INVALID_PARAM);
    value = 99;
    CHECK_CODE(aclrtGetDevicesTopo(0, count, &value), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtGetDevicesTopo(UINT32_MAX, 0, &value), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQUAL(value, 99);
}

/* ---- capabilities ---------------------------------------------------------------------------- */

static int64_t info_of(aclrtDevAttr attribute)
{
    int64_t value = -99;
    CHECK_OK(aclrtGetDeviceInfo(0, attribute, &value));
    return value;
}

void test_device_capability(void)
{
    int64_t value = -99;
    uint32_t count = twin_device_count();
    CHECK_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value));
    CHECK_EQUAL(value, twin_profile_value("limit.aic_cores"));
    CHECK_OK(aclGetDeviceCapability(1, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value));
    CHECK_EQUAL(value, twin_profile_value("limit.aiv_cores"));
    CHECK_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value));
    CHECK_EQUAL(value, twin_profile_value("limit.l2_mib") << 20);
    value = -99;
    CHECK_CODE(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclGetDeviceCapability(count, ACL_DEVICE_INFO_L2_SIZE, &value),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclGetDeviceCapability(0, (aclDeviceInfo)3, &value), ACL_ERROR_INVALID_PARAM);
    CHECK_EQUAL(value, -99);

    CHECK_EQUAL(info_of(ACL_DEV_ATTR_AICPU_CORE_NUM), twin_profile_value("limit.ai_cpus"));
    CHECK_EQUAL(info_of(ACL_DEV_ATTR_L2_CACHE_SIZE), twin_profile_value("limit.l2_mib") << 20);
    CHECK_EQUAL(info_of(ACL_DEV_ATTR_NPU_ARCH), twin_profile_value("aicore.arch"));
    CHECK_EQUAL(info_of(ACL_DEV_ATTR_IS_VIRTUAL), 0);
}

void test_features(void)
{
    int32_t value = -99;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetDeviceCapability(0, ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, &value));
    CHECK(value == 0 || value == 1);
    value = -99;
    CHECK_OK(aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &value));
    CHECK(value == 0 || value == 1);
    value = -99;
    CHECK_CODE(aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetDeviceCapability(-1, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &value),
               ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_FAILS(aclrtGetDeviceCapability(0, (aclrtDevFeatureType)99, &value));
    CHECK_EQUAL(value, -99);
    CHECK_OK(aclrtResetDevice(0));
}

void test_cann_attributes(void)
{
    const aclCannAttr *list = NULL;
    size_t count = 99;
    CHECK_OK(aclGetCannAttributeList(&list, &count));
    CHECK(list && count <= 3);
    for (int attribute = ACL_CANN_ATTR_INF_NAN; attribute <= ACL_CANN_ATTR_JIT_COMPILE;
         attribute++) {
        int32_t value = -99;
        bool listed = false;
        CHECK_OK(aclGetCannAttribute((aclCannAttr)attribute, &value));
        for (size_t i = 0; i < count; i++)
            listed = listed || (int)list[i] == attribute;
        CHECK_EQUAL(value, listed ? 1 : 0);
    }
    int32_t value = -99;
    CHECK_OK(aclGetCannAttribute(ACL_CANN_ATTR_BF16, &value));
    CHECK_EQUAL(value, twin_profile_value("aicore.bf16"));
    CHECK_OK(aclGetCannAttribute(ACL_CANN_ATTR_INF_NAN, &value));
    CHECK_EQUAL(value, twin_profile_value("aicore.inf_nan"));
    value = -99;
    CHECK_CODE(aclGetCannAttribute(ACL_CANN_ATTR_UNDEFINED, &value), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclGetCannAttribute((aclCannAttr)3, &value), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclGetCannAttribute(ACL_CANN_ATTR_BF16, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclGetCannAttributeList(NULL, &count), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclGetCannAttributeList(&list, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQUAL(value, -99);
}

void test_arch(void)
{
    static const struct {
        const char *soc;
        uint64_t arch;
    } known[] = {{"Ascend910B1", 2201}, {"Ascend910B3", 2201}, {"Ascend910_9391", 2201},
                 {"Ascend910A", 1001},  {"Ascend310P3", 2002}, {"Ascend950PR_9599", 3510},
                 {"Ascend310B1", 3002}};
    static const char *const none[] = {"", "910B3", "Ascend", "Ascend910B3 ", "Ascend950PR_"};
    int32_t value = -99;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        CHECK_OK(aclrtCheckArchCompatibility(known[i].soc, &value));
        CHECK_EQUAL(value, known[i].arch == twin_profile_value("aicore.arch"));
    }
    CHECK_OK(aclrtCheckArchCompatibility(aclrtGetSocName(), &value));
    CHECK_EQUAL(value, 1);
    value = -99;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        CHECK_CODE(aclrtCheckArchCompatibility(none[i], &value), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCheckArchCompatibility(NULL, &value), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCheckArchCompatibility("Ascend910B3", NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(value, -99);
}

void test_atomics(void)
{
    static const aclrtAtomicOperation asked[] = {ACL_RT_ATOMIC_OPERATION_CAS,
                                                 ACL_RT_ATOMIC_OPERATION_INTEGER_ADD};
    static const aclrtAtomicOperation bad[] = {ACL_RT_ATOMIC_OPERATION_CAS,
                                               (aclrtAtomicOperation)45};
    uint32_t bits[3] = {99, 99, 99};
    /* An Atlas A2 offers none to its host, and none of these to its neighbours. */
    CHECK_OK(aclrtDeviceGetHostAtomicCapabilities(bits, asked, 2, 0));
    CHECK(bits[0] == 0 && bits[1] == 0 && bits[2] == 99);
    bits[0] = bits[1] = 99;
    CHECK_OK(aclrtDeviceGetP2PAtomicCapabilities(bits, asked, 2, 0, 1));
    CHECK(bits[0] == 0 && bits[1] == 0 && bits[2] == 99);
    bits[0] = bits[1] = 99;
    CHECK_CODE(aclrtDeviceGetHostAtomicCapabilities(NULL, asked, 2, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtDeviceGetHostAtomicCapabilities(bits, NULL, 2, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtDeviceGetHostAtomicCapabilities(bits, asked, 0, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtDeviceGetHostAtomicCapabilities(bits, bad, 2, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtDeviceGetHostAtomicCapabilities(bits, asked, 2, -1),
               ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtDeviceGetP2PAtomicCapabilities(bits, asked, 2, 0, 0),
               ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtDeviceGetP2PAtomicCapabilities(bits, asked, 2, 0, 64),
               ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtDeviceGetP2PAtomicCapabilities(bits, bad, 2, 0, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(bits[0] == 99 && bits[1] == 99);
}

static void ask_without_context(void *unused)
{
    void *address = NULL;
    (void)unused;
    CHECK_CODE(aclrtDeviceL2CacheFlush(NULL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtGetHardwareSyncAddr(&address), ACL_ERROR_RT_CONTEXT_NULL);
}

void test_cache_and_sync_address(void)
{
    char byte = 0;
    void *address = &byte;
    CHECK_CODE(aclrtDeviceL2CacheFlush(&byte), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetHardwareSyncAddr(NULL), ACL_ERROR_RT_PARAM_INVALID);
    twin_on_thread(ask_without_context, NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtDeviceL2CacheFlush(NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtGetHardwareSyncAddr(&address));
    CHECK(address != NULL && address != &byte);
    void *again = NULL;
    CHECK_OK(aclrtGetHardwareSyncAddr(&again));
    CHECK(again == address);
    CHECK_OK(aclrtResetDevice(0));
}
