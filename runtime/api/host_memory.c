/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the program that a device reaches in place. */
#include "core/work/host_memory.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

#define FLAGS_KNOWN                                                                                \
    (ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED)

static int32_t check_size(uint64_t size)
{
    return size != 0 ? 0 : twin_fail(TWIN_ERR_ARG_VALUE, "size is 0; register one byte at least");
}

/* `flags` as those of the second form. */
static int32_t host_register(void *ptr, uint64_t size, uint64_t flags, uint64_t *out_address)
{
    if ((flags & ACL_HOST_REG_IOMEMORY) != 0)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "registers of other devices (ACL_HOST_REG_IOMEMORY) cannot be mapped; "
                         "register memory of the host");
    const twin_pin pin = {.pointer = ptr,
                          .bytes = size,
                          .locked = (flags & ACL_HOST_REG_PINNED) != 0,
                          .mapped = (flags & (ACL_HOST_REG_MAPPED | ACL_HOST_REG_READONLY)) != 0,
                          .read_only = (flags & ACL_HOST_REG_READONLY) != 0};
    return twin_host_register(&pin, out_address);
}

aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr)
{
    TWIN_ENTER_BY_PART(MEMORY, aclrtHostRegister);
    TWIN_NOT_NULL(ptr, devPtr);
    uint64_t address = 0;
    int32_t code = check_size(size);
    if (code == 0 && ((unsigned)type &
                      ~(unsigned)(ACL_HOST_REGISTER_IOMEMORY | ACL_HOST_REGISTER_READONLY)) != 0)
        code = twin_fail(TWIN_ERR_UNSUPPORTED, "type is %#x; expected 0, 0x4, 0x8 or 0xc",
                         (unsigned)type);
    if (code == 0)
        code = host_register(ptr, size, ACL_HOST_REG_MAPPED | (uint64_t)type, &address);
    return TWIN_LEAVE(twin_api_give(code, &address, devPtr));
}

aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag)
{
    TWIN_ENTER_BY_PART(MEMORY, aclrtHostRegisterV2);
    TWIN_NOT_NULL(ptr);
    uint64_t address = 0;
    int32_t code = check_size(size);
    if (code == 0 && (flag == 0 || (flag & ~FLAGS_KNOWN) != 0))
        code = twin_fail(TWIN_ERR_PARAM_RELATION,
                         "flag is %#x; expected one or more of 0x2, 0x4, 0x8 and 0x10000000", flag);
    return TWIN_LEAVE(code != 0 ? code : host_register(ptr, size, flag, &address));
}

aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtHostGetDevicePointer);
    TWIN_NOT_NULL(pHost, pDevice);
    if (flag != 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "flag is %u; expected 0", flag));
    uint64_t address = 0;
    const int32_t code = twin_host_device_address(pHost, &address);
    return TWIN_LEAVE(twin_api_give(code, &address, pDevice));
}

aclError aclrtHostUnregister(void *ptr)
{
    TWIN_ENTER_BY_PART(MEMORY, aclrtHostUnregister);
    TWIN_NOT_NULL(ptr);
    return TWIN_LEAVE(twin_host_unregister(ptr));
}

aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType,
                                     aclrtHostMemMapCapability *capabilities)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(capabilities);
    bool mappable = false;
    const int32_t code = twin_host_mappable(deviceId, (uint32_t)hacType, &mappable);
    /* No engine of a part without registration reaches such memory. */
    mappable = mappable && (atomic_load_explicit(&twin_parts_present, memory_order_relaxed) &
                            TWIN_PARTS_aclrtHostRegister) != 0;
    if (code == 0)
        *capabilities =
            mappable ? ACL_RT_HOST_MEM_MAP_SUPPORTED : ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;
    return TWIN_LEAVE(code);
}
