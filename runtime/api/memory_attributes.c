/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation with attributes. */
#include "acl/acl_rt.h"
#include "api/entry.h"
#include "api/memory_policy.h"
#include "core/object/device.h"
#include "core/work/memory.h"

#define UNIT_BYTES 32u /* sizes are rounded up to this */

/* What the list of attributes of a call says. */
struct attributes {
    uint32_t module;
    bool has_device;
    uint32_t device; /* by the user's number */
    bool unified;
};

/* Ids that no module can have count as the default. */
static uint32_t module_of(uint16_t module, uint32_t otherwise)
{
    return module < TWIN_MODULES ? module : otherwise;
}

static int32_t read_device_attributes(const aclrtMallocConfig *cfg, struct attributes *out)
{
    for (size_t i = 0; cfg && i < cfg->numAttrs; i++) {
        const aclrtMallocAttribute *one = &cfg->attrs[i];
        switch (one->attr) {
        case ACL_RT_MEM_ATTR_RSV:
            break;
        case ACL_RT_MEM_ATTR_MODULE_ID:
            out->module = module_of(one->value.moduleId, TWIN_MODULE_APP);
            break;
        case ACL_RT_MEM_ATTR_DEVICE_ID:
            out->has_device = true;
            out->device = one->value.deviceId;
            break;
        default:
            return twin_fail(TWIN_ERR_PARAM,
                             "cfg->attrs[%zu].attr is %d; device memory has the attributes module "
                             "id (%d) and device id (%d)",
                             i, (int)one->attr, ACL_RT_MEM_ATTR_MODULE_ID,
                             ACL_RT_MEM_ATTR_DEVICE_ID);
        }
    }
    return 0;
}

static int32_t read_host_attributes(const aclrtMallocConfig *cfg, struct attributes *out)
{
    for (size_t i = 0; cfg && i < cfg->numAttrs; i++) {
        const aclrtMallocAttribute *one = &cfg->attrs[i];
        if (one->attr == ACL_RT_MEM_ATTR_MODULE_ID)
            out->module = module_of(one->value.moduleId, TWIN_MODULE_RUNTIME);
        else if (one->attr == ACL_RT_MEM_ATTR_VA_FLAG)
            out->unified = one->value.vaFlag != 0;
        else
            return twin_fail(TWIN_ERR_PARAM,
                             "cfg->attrs[%zu].attr is %d; host memory has the attributes module id "
                             "(%d) and VA flag (%d)",
                             i, (int)one->attr, ACL_RT_MEM_ATTR_MODULE_ID, ACL_RT_MEM_ATTR_VA_FLAG);
    }
    return 0;
}

static int32_t allocate(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
                        const aclrtMallocConfig *cfg, uint32_t flags)
{
    if (!devPtr)
        return twin_api_null("devPtr");
    if (cfg && cfg->numAttrs != 0 && !cfg->attrs)
        return twin_fail(TWIN_ERR_ARG_VALUE, "cfg->attrs is NULL and cfg->numAttrs is %zu",
                         cfg->numAttrs);
    if (size == 0)
        return twin_fail(TWIN_ERR_ARG_VALUE, "size is 0; ask for one byte at least");
    if (size > SIZE_MAX - UNIT_BYTES)
        return twin_fail(TWIN_ERR_ARG_VALUE, "size is %zu, which leaves no room for padding", size);
    struct attributes attributes = {.module = TWIN_MODULE_APP};
    int32_t code = twin_memory_check_context(NULL);
    if (code == 0)
        code = read_device_attributes(cfg, &attributes);
    if (code == 0 && attributes.has_device)
        code = twin_memory_check_context(&attributes.device);
    if (code != 0)
        return code;
    twin_allocation allocation = {.bytes = (size + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES,
                                  .module = attributes.module,
                                  .flags = flags};
    twin_api_place_pages(policy, &allocation);
    code = twin_api_check_pages(allocation.pages);
    return code != 0 ? code : twin_memory_alloc(&allocation, devPtr);
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
                            aclrtMallocConfig *cfg)
{
    TWIN_ENTER(MEMORY);
    return TWIN_LEAVE(allocate(devPtr, size, policy, cfg, 0));
}

aclError aclrtMallocForTaskScheduler(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
                                     aclrtMallocConfig *cfg)
{
    TWIN_ENTER(MEMORY);
    return TWIN_LEAVE(allocate(devPtr, size, policy, cfg, TWIN_ALLOC_SCHEDULER));
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
    TWIN_ENTER(MEMORY);
    TWIN_NOT_NULL(ptr);
    if (size == 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "size is 0; ask for one byte at least"));
    if (size > UINT64_MAX - UNIT_BYTES)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "size is %llu, which is too large",
                                    (unsigned long long)size));
    if (cfg && !cfg->attrs)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM, "cfg->attrs is NULL; without attributes cfg must be NULL"));
    struct attributes attributes = {.module = TWIN_MODULE_RUNTIME};
    int32_t code = read_host_attributes(cfg, &attributes);
    if (code == 0)
        code = twin_memory_check_context(NULL);
    if (code == 0 && attributes.unified)
        code = twin_api_refuse_by_part(TWIN_OFFERED_A2_A3);
    if (code != 0)
        return TWIN_LEAVE(code);
    const twin_allocation allocation = {.bytes = (size + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES,
                                        .module = attributes.module,
                                        .flags = attributes.unified ? TWIN_ALLOC_UNIFIED : 0};
    return TWIN_LEAVE(twin_memory_alloc_host(&allocation, ptr));
}

/* With a wait for the device ------------------------------------------------------------------- */

aclError aclrtFreeWithDevSync(void *devPtr)
{
    TWIN_ENTER(WAIT);
    TWIN_NOT_NULL(devPtr);
    return TWIN_LEAVE(twin_memory_free_drained(devPtr));
}

aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
    TWIN_ENTER(WAIT);
    TWIN_NOT_NULL(hostPtr);
    return TWIN_LEAVE(twin_memory_free_host_drained(hostPtr));
}
