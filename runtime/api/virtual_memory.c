/* SPDX-License-Identifier: Apache-2.0 */
/* Reserved addresses, physical memory, and the mappings between them. */
#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/object/physical.h"

/* Addresses ------------------------------------------------------------------------------------ */

static int32_t check_reserve(void *const *virPtr, size_t size, uint64_t flags)
{
    if (!virPtr)
        return twin_api_null("virPtr");
    if (size == 0)
        return twin_fail(TWIN_ERR_ARG_VALUE, "size is 0; reserve one byte at least");
    if (flags > 1)
        return twin_fail(TWIN_ERR_ARG_VALUE, "flags is %#llx; it must be 0",
                         (unsigned long long)flags);
    return 0;
}

static int32_t reserve(void **virPtr, size_t size, size_t alignment, const void *expectPtr)
{
    if (alignment != 0)
        return twin_fail(TWIN_ERR_PARAM, "alignment is %zu; it is reserved and must be 0",
                         alignment);
    return twin_addresses_reserve(size, expectPtr, virPtr);
}

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr,
                                uint64_t flags)
{
    TWIN_ENTER(MEMORY);
    int32_t code = check_reserve(virPtr, size, flags);
    return TWIN_LEAVE(code != 0 ? code : reserve(virPtr, size, alignment, expectPtr));
}

aclError aclrtReserveMemAddressNoUCMemory(void **virPtr, size_t size, size_t alignment,
                                          void *expectPtr, uint64_t flags)
{
    TWIN_ENTER(MEMORY);
    int32_t code = check_reserve(virPtr, size, flags);
    if (code == 0)
        code = twin_api_refuse_by_part(TWIN_PARTS_aclrtReserveMemAddressNoUCMemory);
    if (code == 0)
        code = twin_fail(TWIN_ERR_UNSUPPORTED, "%s", TWIN_WHY_UNCACHED);
    (void)alignment;
    (void)expectPtr;
    return TWIN_LEAVE(code);
}

aclError aclrtReleaseMemAddress(void *virPtr)
{
    TWIN_ENTER(MEMORY);
    TWIN_NOT_NULL(virPtr);
    return TWIN_LEAVE(twin_addresses_release(virPtr));
}

/* Physical memory ------------------------------------------------------------------------------ */

static bool is_host(aclrtMemLocationType type)
{
    return type == ACL_MEM_LOCATION_TYPE_HOST || type == ACL_MEM_LOCATION_TYPE_HOST_NUMA;
}

/* What each attribute asks for, and which one is reported for it: of the host, of a device. */
static const struct attribute {
    aclrtMemAttr attribute;
    twin_page_policy pages;
    bool peer, host_only;
    aclrtMemAttr shown[2];
} attributes[] = {
    {ACL_DDR_MEM_HUGE, TWIN_PAGES_HUGE_ONLY, false, true, {ACL_MEM_HUGE}},
    {ACL_DDR_MEM_NORMAL, TWIN_PAGES_NORMAL_ONLY, false, true, {ACL_MEM_NORMAL}},
    {ACL_DDR_MEM_P2P_HUGE, TWIN_PAGES_HUGE_ONLY, true, true, {ACL_MEM_P2P_HUGE}},
    {ACL_DDR_MEM_P2P_NORMAL, TWIN_PAGES_NORMAL_ONLY, true, true, {ACL_DDR_MEM_P2P_NORMAL}},
    {ACL_HBM_MEM_HUGE, TWIN_PAGES_HUGE_ONLY, false, false, {ACL_HBM_MEM_HUGE, ACL_HBM_MEM_HUGE}},
    {ACL_HBM_MEM_NORMAL,
     TWIN_PAGES_NORMAL_ONLY,
     false,
     false,
     {ACL_HBM_MEM_NORMAL, ACL_HBM_MEM_NORMAL}},
    {ACL_HBM_MEM_HUGE1G,
     TWIN_PAGES_HUGE_1G,
     false,
     false,
     {ACL_HBM_MEM_HUGE1G, ACL_HBM_MEM_HUGE1G}},
    {ACL_MEM_NORMAL, TWIN_PAGES_NORMAL_ONLY, false, false, {ACL_MEM_NORMAL, ACL_HBM_MEM_NORMAL}},
    {ACL_MEM_HUGE, TWIN_PAGES_HUGE_ONLY, false, false, {ACL_MEM_HUGE, ACL_HBM_MEM_HUGE}},
    {ACL_MEM_HUGE1G, TWIN_PAGES_HUGE_1G, false, false, {ACL_MEM_HUGE1G, ACL_HBM_MEM_HUGE1G}},
    {ACL_MEM_P2P_NORMAL,
     TWIN_PAGES_NORMAL_ONLY,
     true,
     false,
     {ACL_DDR_MEM_P2P_NORMAL, ACL_MEM_P2P_NORMAL}},
    {ACL_MEM_P2P_HUGE, TWIN_PAGES_HUGE_ONLY, true, false, {ACL_MEM_P2P_HUGE, ACL_MEM_P2P_HUGE}},
    {ACL_MEM_P2P_HUGE1G, TWIN_PAGES_HUGE_1G, true, false, {ACL_MEM_P2P_HUGE1G, ACL_MEM_P2P_HUGE1G}},
};

static const struct attribute *find_attribute(aclrtMemAttr attribute)
{
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
        if (attributes[i].attribute == attribute)
            return &attributes[i];
    return NULL;
}

/* Pages of 1 GiB are of these parts alone. */
static int32_t check_giant(const struct attribute *attribute)
{
    if (attribute->pages != TWIN_PAGES_HUGE_1G)
        return 0;
    return twin_api_refuse_by_part(attribute->peer ? TWIN_OFFERED_A3
                                   : attribute->attribute == ACL_HBM_MEM_HUGE1G
                                       ? TWIN_OFFERED_A2_A3_950
                                       : TWIN_OFFERED_A2_A3);
}

/* What the attribute and location of `prop` ask for. */
static int32_t read_attribute(const aclrtPhysicalMemProp *prop, twin_physical_config *out_config,
                              twin_physical_view *out_view)
{
    const struct attribute *attribute = find_attribute(prop->memAttr);
    const bool host = is_host(prop->location.type);
    if (!attribute)
        return twin_fail(TWIN_ERR_ARG_VALUE,
                         "prop->memAttr is %d, which is not one of physical memory",
                         (int)prop->memAttr);
    if (attribute->host_only && !host)
        return twin_fail(TWIN_ERR_ARG_RELATION,
                         "prop->memAttr is %d, which is of host memory; prop->location.type is %d",
                         (int)prop->memAttr, (int)prop->location.type);
    int32_t code = check_giant(attribute);
    if (code != 0)
        return code;
    *out_config = (twin_physical_config){
        .memory = {.pages = attribute->pages,
                   .module = TWIN_MODULE_APP,
                   .flags = attribute->peer ? TWIN_ALLOC_PEER : 0},
        .host = host,
        .node = prop->location.type == ACL_MEM_LOCATION_TYPE_HOST_NUMA ? prop->location.id
                                                                       : UINT32_MAX};
    *out_view = (twin_physical_view){.location = (int32_t)prop->location.type,
                                     .id = (int32_t)prop->location.id,
                                     .attribute = (int32_t)attribute->shown[host ? 0 : 1],
                                     .reserve = prop->reserve};
    return 0;
}

static int32_t check_physical(size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags)
{
    if (size == 0)
        return twin_fail(TWIN_ERR_ARG_VALUE, "size is 0; ask for one byte at least");
    if (flags != 0)
        return twin_fail(TWIN_ERR_ARG_VALUE, "flags is %#llx; it is reserved and must be 0",
                         (unsigned long long)flags);
    if (prop->handleType != ACL_MEM_HANDLE_TYPE_NONE)
        return twin_fail(TWIN_ERR_ARG_VALUE, "prop->handleType is %d; it must be 0",
                         (int)prop->handleType);
    if (prop->allocationType != ACL_MEM_ALLOCATION_TYPE_PINNED)
        return twin_fail(TWIN_ERR_ARG_VALUE, "prop->allocationType is %d; it must be 0",
                         (int)prop->allocationType);
    if (!is_host(prop->location.type) && prop->location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
        return twin_fail(TWIN_ERR_ARG_VALUE,
                         "prop->location.type is %d; it must be 0 (host), 1 (device) or 4 (NUMA "
                         "node)",
                         (int)prop->location.type);
    return 0;
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size,
                             const aclrtPhysicalMemProp *prop, uint64_t flags)
{
    TWIN_ENTER(MEMORY);
    TWIN_NOT_NULL(handle, prop);
    twin_physical_config config;
    twin_physical_view view;
    uint64_t made = 0;
    int32_t code = check_physical(size, prop, flags);
    if (code == 0)
        code = read_attribute(prop, &config, &view);
    if (code != 0)
        return TWIN_LEAVE(code);
    config.memory.bytes = size;
    code = twin_physical_create(&config, &view, &made);
    return TWIN_LEAVE(twin_api_give(code, &made, handle));
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
    TWIN_ENTER(MEMORY);
    TWIN_NOT_NULL(handle);
    return TWIN_LEAVE(twin_physical_free(twin_api_handle(handle)));
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
                                          aclrtMemGranularityOptions option, size_t *granularity)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(prop, granularity);
    twin_physical_config config;
    twin_physical_view view;
    int32_t code = read_attribute(prop, &config, &view);
    if (code == 0 && option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM &&
        option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        code = twin_fail(TWIN_ERR_PARAM, "option is %d; it must be 0 (minimum) or 1 (recommended)",
                         (int)option);
    return TWIN_LEAVE(code != 0 ? code : twin_physical_granularity(&config, &view, granularity));
}

aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
                                                   aclrtPhysicalMemProp *prop)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(handle, prop);
    twin_physical_view view;
    int32_t code = twin_physical_look(twin_api_handle(handle), &view);
    if (code == 0)
        *prop = (aclrtPhysicalMemProp){
            .handleType = ACL_MEM_HANDLE_TYPE_NONE,
            .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
            .memAttr = (aclrtMemAttr)view.attribute,
            .location = {.id = (uint32_t)view.id, .type = (aclrtMemLocationType)view.location},
            .reserve = view.reserve};
    return TWIN_LEAVE(code);
}

aclError aclrtMemRetainAllocationHandle(void *virPtr, aclrtDrvMemHandle *handle)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(virPtr, handle);
    uint64_t found = 0;
    return TWIN_LEAVE(twin_api_give(twin_physical_retain(virPtr, &found), &found, handle));
}

/* Mappings ------------------------------------------------------------------------------------- */

static int32_t map(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                   uint64_t flags, bool access)
{
    if (!virPtr || !handle)
        return twin_api_null(!virPtr ? "virPtr" : "handle");
    if (size == 0)
        return twin_fail(TWIN_ERR_ARG_VALUE, "size is 0; it must be that of the physical memory");
    if (flags != 0)
        return twin_fail(TWIN_ERR_ARG_VALUE, "flags is %#llx; it is reserved and must be 0",
                         (unsigned long long)flags);
    if (offset != 0)
        return twin_fail(TWIN_ERR_PARAM, "offset is %zu; it must be 0", offset);
    return twin_mapping_make(virPtr, size, twin_api_handle(handle), access);
}

aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                     uint64_t flags)
{
    TWIN_ENTER(MEMORY);
    return TWIN_LEAVE(map(virPtr, size, offset, handle, flags, true));
}

aclError aclrtMemMapNoAccess(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                             uint64_t flags)
{
    TWIN_ENTER(MEMORY);
    return TWIN_LEAVE(map(virPtr, size, offset, handle, flags, false));
}

aclError aclrtUnmapMem(void *virPtr)
{
    TWIN_ENTER(MEMORY);
    TWIN_NOT_NULL(virPtr);
    return TWIN_LEAVE(twin_mapping_end(virPtr));
}

/* The host, or a device by number. 107000: another place. */
static int32_t check_accessor(const aclrtMemLocation *location)
{
    if (location->type == ACL_MEM_LOCATION_TYPE_HOST ||
        location->type == ACL_MEM_LOCATION_TYPE_DEVICE)
        return 0;
    return twin_fail(TWIN_ERR_PARAM, "location.type is %d; it must be 0 (host) or 1 (device)",
                     (int)location->type);
}

aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc, size_t count)
{
    TWIN_ENTER(MEMORY);
    TWIN_NOT_NULL_BELOW(virPtr, desc);
    int32_t code =
        count != 0 ? 0 : twin_fail(TWIN_ERR_PARAM, "count is 0; desc has one element at least");
    for (size_t i = 0; i < count && code == 0; i++) {
        code = check_accessor(&desc[i].location);
        if (code == 0 && desc[i].flags != ACL_RT_MEM_ACCESS_FLAGS_READWRITE)
            code = twin_fail(TWIN_ERR_PARAM, "desc[%zu].flags is %d; it must be 3 (read and write)",
                             i, (int)desc[i].flags);
    }
    for (size_t i = 0; i < count && code == 0; i++)
        code = twin_mapping_let(virPtr, size, desc[i].location.type == ACL_MEM_LOCATION_TYPE_HOST,
                                (int32_t)desc[i].location.id);
    return TWIN_LEAVE(code);
}

aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location, uint64_t *flag)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(virPtr, location, flag);
    bool allows = false;
    int32_t code = check_accessor(location);
    if (code == 0)
        code = twin_mapping_allows(virPtr, location->type == ACL_MEM_LOCATION_TYPE_HOST,
                                   (int32_t)location->id, &allows);
    if (code == 0)
        *flag = allows ? ACL_RT_MEM_ACCESS_FLAGS_READWRITE : ACL_RT_MEM_ACCESS_FLAGS_NONE;
    return TWIN_LEAVE(code);
}

/* Links ---------------------------------------------------------------------------------------- */

_Static_assert(TWIN_MEMORY_LINK_SIO == ACL_RT_MEM_LINK_IDX_0 &&
                   TWIN_MEMORY_LINK_HCCS == ACL_RT_MEM_LINK_IDX_1 &&
                   (uint32_t)TWIN_MEMORY_LINK_UB_ONE_PORT == ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH &&
                   (uint32_t)TWIN_MEMORY_LINK_UB_MULTI_PORT == ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH,
               "the core uses the public values");

aclError aclrtMemMapSelectedLink(void *virPtrDst, size_t size, void *virPtrSrc, uint32_t linkIdx)
{
    TWIN_ENTER(MEMORY);
    TWIN_NOT_NULL(virPtrDst, virPtrSrc);
    if (size == 0 || linkIdx > ACL_RT_MEM_LINK_IDX_1)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "size is %zu and linkIdx %u; size must be above 0, linkIdx 0 "
                                    "or 1",
                                    size, linkIdx));
    int32_t code = twin_api_refuse_by_part(TWIN_PARTS_aclrtMemMapSelectedLink);
    return TWIN_LEAVE(
        code != 0 ? code
                  : twin_mapping_make_again(virPtrDst, size, virPtrSrc, (twin_memory_link)linkIdx));
}

aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle, aclrtMemLinkType adviceLink)
{
    TWIN_ENTER(MEMORY);
    TWIN_NOT_NULL(handle);
    if ((uint32_t)adviceLink > ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM, "adviceLink is %d; it must be 0 to 3", (int)adviceLink));
    int32_t code = twin_api_refuse_by_part(TWIN_PARTS_aclrtMemMapSetLink);
    return TWIN_LEAVE(
        code != 0 ? code
                  : twin_physical_set_link(twin_api_handle(handle), (twin_memory_link)adviceLink));
}
