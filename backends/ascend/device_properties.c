/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of a device, as far as the vendor's runtime reports them. */
#include <string.h>

#include "process.h"

/* Where the vendor has no question for it: the least that its devices of this generation have. */
#define STREAMS_UNKNOWN    1024u
#define EVENTS_UNKNOWN     1024u
#define NOTIFIES_UNKNOWN   1024u
#define DEPTH_UNKNOWN      1024u
#define PRIORITIES_UNKNOWN 8u
#define OP_UNIT_UNKNOWN_NS UINT64_C(1000000000)
#define NS_PER_US          UINT64_C(1000)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Filled once per start, then read by all threads; what only an open device reports is added before
 * it is returned. */
static twin_device_properties properties[ASCEND_DEVICES_MOST];
static char pci_bus_ids[ASCEND_DEVICES_MOST][TWIN_PCI_BYTES];
static bool known[ASCEND_DEVICES_MOST]; /* guarded by lock */

twin_status ascend_process_count(uint32_t *out_count)
{
    uint32_t count = 0;
    int32_t code = vendor.device_count(&count);
    if (code == ACL_ERROR_RT_NO_DEVICE)
        count = 0;
    else if (code != 0)
        return ascend_status(code);
    *out_count = count < ASCEND_DEVICES_MOST ? count : ASCEND_DEVICES_MOST;
    return TWIN_OK;
}

/* The older question for an attribute; -1: there is none. */
static int older_question(aclrtDevAttr wanted)
{
    switch (wanted) {
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
        return ACL_DEVICE_INFO_AI_CORE_NUM;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
        return ACL_DEVICE_INFO_VECTOR_CORE_NUM;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
        return ACL_DEVICE_INFO_L2_SIZE;
    default:
        return -1;
    }
}

/* Attribute of a device, or 0. */
static uint64_t attribute(uint32_t index, aclrtDevAttr wanted)
{
    int64_t value = 0;
    int older = older_question(wanted);
    bool found = vendor.device_info && vendor.device_info(index, wanted, &value) == 0;
    if (!found && older >= 0 && vendor.device_capability)
        found = vendor.device_capability(index, (aclDeviceInfo)older, &value) == 0;
    return found && value > 0 ? (uint64_t)value : 0;
}

static bool begins(const char *text, const char *part)
{
    return strncmp(text, part, strlen(part)) == 0;
}

/* Parts that have no bfloat16 and give the largest number in place of infinities. */
static bool is_older_part(const char *soc)
{
    return begins(soc, "Ascend310P") || begins(soc, "Ascend910A") || begins(soc, "Ascend910ProA") ||
           begins(soc, "Ascend910ProB") || begins(soc, "Ascend910PremiumA");
}

/* Parts with more stream ids than queues, and how many: decision 30. Elsewhere 0, as many as
 * queues. */
static uint32_t stream_ids(const char *soc)
{
    if (begins(soc, "Ascend950"))
        return 65535;
    return begins(soc, "Ascend910B") || begins(soc, "Ascend910_93") ? 32768 : 0;
}

static twin_link link_of(uint32_t index)
{
    uint32_t count = 0;
    uint64_t value = 0;
    if (ascend_process_count(&count) != TWIN_OK || count < 2)
        return vendor.topology ? TWIN_LINK_HCCS : TWIN_LINK_NONE;
    if (!vendor.topology || vendor.topology(index, index == 0 ? 1 : 0, &value) != 0)
        return vendor.enable_peer ? TWIN_LINK_PHB : TWIN_LINK_NONE;
    static const twin_link links[] = {TWIN_LINK_HCCS, TWIN_LINK_PIX, TWIN_LINK_PHB,
                                      TWIN_LINK_SYS,  TWIN_LINK_SIO, TWIN_LINK_HCCS_SWITCH};
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
        if ((value & (uint64_t)links[i]) != 0)
            return links[i];
    return TWIN_LINK_NONE;
}

static uint32_t priorities(void)
{
    int32_t least = 0, greatest = 0;
    if (!vendor.priority_range || vendor.priority_range(&least, &greatest) != 0 || least < greatest)
        return PRIORITIES_UNKNOWN;
    return (uint32_t)(least - greatest) + 1;
}

static uint64_t operator_unit_ns(void)
{
    uint64_t us = 0;
    if (!vendor.operator_unit || vendor.operator_unit(&us) != 0 || us == 0)
        return OP_UNIT_UNKNOWN_NS;
    return us * NS_PER_US;
}

static bool runs_on_device(void)
{
    aclrtRunMode mode = ACL_HOST;
    return vendor.run_mode && vendor.run_mode(&mode) == 0 && mode == ACL_DEVICE;
}

/* Engines that reach mapped memory of the host, as a bit each. */
static uint32_t host_mapping(uint32_t index)
{
    uint32_t engines = 0;
    for (uint32_t engine = 0; vendor.host_mapping && engine <= ACL_RT_HAC_TYPE_CCU; engine++) {
        aclrtHostMemMapCapability answer = ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;
        if (vendor.host_mapping(index, (aclrtHacType)engine, &answer) == 0 &&
            answer == ACL_RT_HOST_MEM_MAP_SUPPORTED)
            engines |= 1u << engine;
    }
    return engines;
}

static void read_properties_locked(uint32_t index)
{
    const char *soc = vendor.soc_name();
    if (!soc)
        soc = "";
    uint64_t cube = attribute(index, ACL_DEV_ATTR_CUBE_CORE_NUM);
    if (cube == 0)
        cube = attribute(index, ACL_DEV_ATTR_AICORE_CORE_NUM);
    twin_device_properties *to = &properties[index];
    *to = (twin_device_properties){
        .soc_name = soc,
        .stream_limit = STREAMS_UNKNOWN,
        .event_limit = EVENTS_UNKNOWN,
        .notify_limit = NOTIFIES_UNKNOWN,
        .priority_count = priorities(),
        .queue_depth = DEPTH_UNKNOWN,
        .memory_bytes = attribute(index, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE),
        .on_device = runs_on_device(),
        .aic_cores = (uint32_t)cube,
        .aiv_cores = (uint32_t)attribute(index, ACL_DEV_ATTR_VECTOR_CORE_NUM),
        .ai_cpus = (uint32_t)attribute(index, ACL_DEV_ATTR_AICPU_CORE_NUM),
        .l2_bytes = attribute(index, ACL_DEV_ATTR_L2_CACHE_SIZE),
        .arch = (uint32_t)attribute(index, ACL_DEV_ATTR_NPU_ARCH),
        .values = vendor.value_wait && vendor.value_write && !begins(soc, "Ascend310P") &&
                  !begins(soc, "Ascend910A"),
        .software_queues = !is_older_part(soc) && !begins(soc, "Ascend310"),
        .bf16 = !is_older_part(soc),
        .inf_nan = !is_older_part(soc),
        .op_unit_ns = operator_unit_ns(),
        .peer_link = link_of(index),
        /* Only devices of the generation after have them. */
        .count_notify_limit = vendor.count_create && begins(soc, "Ascend950") ? 1024 : 0,
        .stream_id_limit = stream_ids(soc),
    };
    int32_t machine = 0;
    bool found = vendor.machine_index && vendor.machine_index((int32_t)index, &machine) == 0;
    to->machine_index = found && machine >= 0 ? (uint32_t)machine : index;
    aclrtUuid uuid;
    if (vendor.uuid && vendor.uuid((int32_t)index, &uuid) == 0) {
        to->has_uuid = true;
        memcpy(to->uuid, uuid.bytes, sizeof(to->uuid));
    }
    char bus[32] = "";
    if (vendor.pci_bus_id && vendor.pci_bus_id((int32_t)index, bus, (int32_t)sizeof(bus)) == 0 &&
        strnlen(bus, sizeof(bus)) < TWIN_PCI_BYTES) {
        memcpy(pci_bus_ids[index], bus, strlen(bus) + 1);
        to->pci_bus_id = pci_bus_ids[index];
    }
}

twin_status ascend_process_describe(uint32_t index, const twin_device_properties **out_properties)
{
    uint32_t count = 0;
    twin_status status = ascend_process_count(&count);
    if (status != TWIN_OK)
        return status;
    if (index >= count)
        return TWIN_E_DEVICE_ID;
    pthread_mutex_lock(&lock);
    if (!known[index]) {
        read_properties_locked(index);
        ascend_end_later();
    }
    known[index] = true;
    pthread_mutex_unlock(&lock);
    *out_properties = &properties[index];
    return TWIN_OK;
}

void ascend_device_properties_complete(uint32_t index)
{
    const twin_device_properties *ignored;
    uint32_t streams = 0, events = 0;
    size_t free_bytes = 0, bytes = 0;
    if (ascend_process_describe(index, &ignored) != TWIN_OK)
        return;
    /* One more: the default stream of the device is in use already. */
    if (vendor.streams_left && vendor.streams_left(&streams) == 0)
        properties[index].stream_limit = streams + 1;
    properties[index].op_unit_ns = operator_unit_ns();
    properties[index].host_mapping = host_mapping(index);
    if (vendor.events_left && vendor.events_left(&events) == 0)
        properties[index].event_limit = events;
    if (properties[index].memory_bytes == 0 &&
        vendor.memory_info(ACL_HBM_MEM, &free_bytes, &bytes) == 0)
        properties[index].memory_bytes = bytes;
}

void ascend_device_properties_clear(void)
{
    memset(known, 0, sizeof(known));
}

twin_status ascend_diag_usage(uint32_t index, twin_usage *out_usage)
{
    aclrtUtilizationInfo info = {0};
    if (!vendor.utilization)
        return TWIN_E_UNSUPPORTED;
    twin_status status = ascend_status(vendor.utilization((int32_t)index, &info));
    if (status == TWIN_OK)
        *out_usage = (twin_usage){.cube = info.cubeUtilization,
                                  .vector = info.vectorUtilization,
                                  .cpu = info.aicpuUtilization};
    return status;
}
