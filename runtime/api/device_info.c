/* SPDX-License-Identifier: Apache-2.0 */
/* What devices are and can do: numbers of their parts, features, how busy they are. */
#include "acl/acl_base_rt.h"
#include "acl/acl_rt.h"
#include "api/entry.h"
#include "api/rt_names.h"
#include "core/base/soc.h"
#include "core/object/context.h"
#include "core/object/device.h"

#define ATOMIC_FIRST ACL_RT_ATOMIC_OPERATION_INTEGER_ADD
#define ATOMIC_LAST  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH

static int32_t attribute(const twin_device_properties *properties, aclrtDevAttr attribute,
                         int64_t *value)
{
    switch (attribute) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
        *value = properties->ai_cpus;
        return 0;
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
        *value = properties->aic_cores;
        return 0;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
        *value = properties->aiv_cores;
        return 0;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
        *value = (int64_t)properties->memory_bytes;
        return 0;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
        *value = (int64_t)properties->l2_bytes;
        return 0;
    case ACL_DEV_ATTR_IS_VIRTUAL: /* a part of a device that is shared out; these are whole */
        *value = 0;
        return 0;
    case ACL_DEV_ATTR_NPU_ARCH:
        *value = properties->arch;
        return 0;
    default:
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "attr is %d; the numbers of cores, the sizes of memory and cache and the "
                         "instruction set are known",
                         (int)attribute);
    }
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(value);
    uint32_t count = 0;
    twin_device *device = NULL;
    const twin_device_properties *properties = NULL;
    int32_t code = twin_device_count(&count);
    if (code == 0)
        code = twin_device_find_argument((int32_t)deviceId, &device);
    if (code == 0)
        code = twin_device_properties_of(device, &properties);
    return TWIN_LEAVE(code != 0 ? code : attribute(properties, attr, value));
}

/* What the vendor's driver numbers: modules of a device, and kinds of information about them. */
#define MODULE_AICPU       1
#define MODULE_AICORE      4
#define MODULE_VECTOR_CORE 7
#define MODULE_HOST_AICPU  8
#define INFO_CORE_NUM      3
#define INFO_CUBE_NUM      0x775A5A5A

static int32_t module_info(const twin_device_properties *properties, int32_t module, int32_t info,
                           int64_t *value)
{
    if (module == MODULE_AICPU && info == INFO_CORE_NUM)
        return attribute(properties, ACL_DEV_ATTR_AICPU_CORE_NUM, value);
    if (module == MODULE_AICORE && (info == INFO_CORE_NUM || info == INFO_CUBE_NUM))
        return attribute(properties, ACL_DEV_ATTR_CUBE_CORE_NUM, value);
    if (module == MODULE_VECTOR_CORE && info == INFO_CORE_NUM)
        return attribute(properties, ACL_DEV_ATTR_VECTOR_CORE_NUM, value);
    return twin_fail(
        TWIN_ERR_UNSUPPORTED,
        "module %d and information %d; the numbers of cores (information 3) of modules "
        "1, 4 and 7 are known",
        module, info);
}

aclError rtGetDeviceInfo(uint32_t deviceId, int32_t moduleType, int32_t infoType, int64_t *val)
{
    TWIN_ENTER(LOCAL);
    if (moduleType == MODULE_HOST_AICPU)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM, "moduleType is %d, which is not of a device", moduleType));
    twin_device *device = NULL;
    const twin_device_properties *properties = NULL;
    int32_t code = twin_device_find_argument((int32_t)deviceId, &device);
    if (code == 0 && !val)
        code = twin_api_null_below("val");
    if (code == 0)
        code = twin_device_properties_of(device, &properties);
    return TWIN_LEAVE(code != 0 ? code : module_info(properties, moduleType, infoType, val));
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(value);
    uint32_t count = 0;
    int32_t code = twin_device_count(&count);
    if (code != 0)
        return TWIN_LEAVE(code);
    if (deviceId >= count)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "device %u does not exist; %u are visible, numbered from 0",
                                    deviceId, count));
    const twin_device_properties *properties = NULL;
    code = twin_device_find_properties((int32_t)deviceId, &properties);
    if (code != 0)
        return TWIN_LEAVE(code);
    switch (deviceInfo) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
        *value = properties->aic_cores;
        return TWIN_LEAVE(ACL_SUCCESS);
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
        *value = properties->aiv_cores;
        return TWIN_LEAVE(ACL_SUCCESS);
    case ACL_DEVICE_INFO_L2_SIZE:
        *value = (int64_t)properties->l2_bytes;
        return TWIN_LEAVE(ACL_SUCCESS);
    default:
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "deviceInfo is %d; 0 (AI cores), 1 (vector cores) and 2 (size "
                                    "of the L2 cache) are known",
                                    (int)deviceInfo));
    }
}

aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType,
                                  int32_t *value)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(value);
    const twin_device_properties *properties = NULL;
    twin_context *context = NULL;
    int32_t code = twin_context_current(&context);
    if (code == 0)
        code = twin_device_find_properties(deviceId, &properties);
    if (code != 0)
        return TWIN_LEAVE(code);
    /* Updating a queued task, and events of queues across devices, are not offered by any
     * backend. */
    if (devFeatureType != ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV &&
        devFeatureType != ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "devFeatureType is %d; 1 (update of tasks) and 21 (events of "
                                    "queues across devices) are known",
                                    (int)devFeatureType));
    *value = 0;
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo)
{
    TWIN_ENTER(POLL);
    TWIN_NOT_NULL(utilizationInfo);
    if (utilizationInfo->utilizationExtend)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_ARG_VALUE, "utilizationExtend is reserved and must be NULL"));
    twin_device *device = NULL;
    if (twin_device_find(deviceId, &device) != 0) { /* rates that are not measured (DEV-64) */
        utilizationInfo->cubeUtilization = utilizationInfo->vectorUtilization = -1;
        utilizationInfo->aicpuUtilization = utilizationInfo->memoryUtilization = -1;
        return TWIN_LEAVE(ACL_SUCCESS);
    }
    twin_usage usage;
    int32_t code = twin_device_usage(device, &usage);
    if (code != 0)
        return TWIN_LEAVE(code);
    utilizationInfo->cubeUtilization = usage.cube;
    utilizationInfo->vectorUtilization = usage.vector;
    utilizationInfo->aicpuUtilization = usage.cpu;
    utilizationInfo->memoryUtilization = -1; /* documented: not measured */
    return TWIN_LEAVE(ACL_SUCCESS);
}

/* ---- features of the processor --------------------------------------------------------------- */

/* Of the attributes there are, compiling just in time needs a compiler, which is not part of
 * this. */
static int32_t has_attribute(const twin_device_properties *properties, aclCannAttr wanted,
                             bool *out_has)
{
    switch (wanted) {
    case ACL_CANN_ATTR_INF_NAN:
        *out_has = properties->inf_nan;
        return 0;
    case ACL_CANN_ATTR_BF16:
        *out_has = properties->bf16;
        return 0;
    case ACL_CANN_ATTR_JIT_COMPILE:
        *out_has = false;
        return 0;
    default:
        return twin_fail(TWIN_ERR_ARG_VALUE,
                         "cannAttr is %d; 0 (infinities and NaN), 1 (bfloat16) and 2 (compiling "
                         "just in time) are known",
                         (int)wanted);
    }
}

aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num)
{
    /* Every subset that can be asked for; a list lives as long as the process. */
    static const aclCannAttr lists[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16};
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(cannAttrList, num);
    const twin_device_properties *properties = NULL;
    int32_t code = twin_device_find_properties(0, &properties);
    if (code != 0)
        return TWIN_LEAVE(code);
    *cannAttrList = properties->inf_nan ? lists : lists + 1;
    *num = (properties->inf_nan ? 1u : 0u) + (properties->bf16 ? 1u : 0u);
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(value);
    const twin_device_properties *properties = NULL;
    bool has = false;
    int32_t code = twin_device_find_properties(0, &properties);
    if (code == 0)
        code = has_attribute(properties, cannAttr, &has);
    if (code == 0)
        *value = has ? 1 : 0;
    return TWIN_LEAVE(code);
}

aclError aclrtCheckArchCompatibility(const char *socVersion, int32_t *canCompatible)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL_BELOW(socVersion, canCompatible);
    uint32_t arch = 0;
    if (!twin_soc_arch(socVersion, &arch))
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM_RELATION,
                                    "socVersion is \"%.64s\", which names no known SoC; such "
                                    "names look like Ascend910B3",
                                    socVersion));
    const twin_device_properties *properties = NULL;
    int32_t code = twin_device_find_properties(0, &properties);
    if (code == 0)
        *canCompatible = arch == properties->arch ? 1 : 0;
    return TWIN_LEAVE(code);
}

/* ---- atomic operations across a link --------------------------------------------------------- */

/* 107000: a NULL, nothing asked for, or an operation that does not exist. */
static int32_t check_atomics(const uint32_t *capabilities, const aclrtAtomicOperation *operations,
                             uint32_t count)
{
    if (!capabilities || !operations)
        return twin_api_null_below(!capabilities ? "capabilities" : "operations");
    if (count == 0)
        return twin_fail(TWIN_ERR_PARAM, "count is 0; ask for one operation at least");
    return 0;
}

/* No backend offers an atomic operation on memory across a link, so no bit is set. */
static int32_t answer_atomics(uint32_t *capabilities, const aclrtAtomicOperation *operations,
                              uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if ((int)operations[i] < (int)ATOMIC_FIRST || operations[i] > ATOMIC_LAST)
            return twin_fail(TWIN_ERR_PARAM_RELATION, "operations[%u] is %d, which is none", i,
                             (int)operations[i]);
    for (uint32_t i = 0; i < count; i++)
        capabilities[i] = 0;
    return 0;
}

aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t *capabilities,
                                              const aclrtAtomicOperation *operations,
                                              const uint32_t count, int32_t deviceId)
{
    TWIN_ENTER(LOCAL);
    twin_device *device = NULL;
    int32_t code = check_atomics(capabilities, operations, count);
    if (code == 0)
        code = twin_device_find(deviceId, &device);
    if (code == 0)
        code = answer_atomics(capabilities, operations, count);
    return TWIN_LEAVE(code);
}

aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t *capabilities,
                                             const aclrtAtomicOperation *operations,
                                             const uint32_t count, int32_t srcDeviceId,
                                             int32_t dstDeviceId)
{
    TWIN_ENTER(LOCAL);
    twin_device *device = NULL;
    int32_t code = check_atomics(capabilities, operations, count);
    if (code == 0 && srcDeviceId == dstDeviceId)
        code =
            twin_fail(TWIN_ERR_DEVICE_ID, "source and destination are both device %d", srcDeviceId);
    if (code == 0)
        code = twin_device_find(srcDeviceId, &device);
    if (code == 0)
        code = twin_device_find(dstDeviceId, &device);
    if (code == 0)
        code = answer_atomics(capabilities, operations, count);
    return TWIN_LEAVE(code);
}

/* ---- what belongs to caches ------------------------------------------------------------------ */

aclError aclrtDeviceL2CacheFlush(void *rsv)
{
    TWIN_ENTER(CREATE);
    if (rsv)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "rsv is reserved and must be NULL"));
    twin_context *context = NULL;
    int32_t code = twin_context_current(&context);
    if (code == 0)
        code = twin_fail(TWIN_ERR_UNSUPPORTED,
                         "no backend has an L2 cache that could be flushed: what the device has "
                         "written is in its memory at once");
    return TWIN_LEAVE(code);
}
