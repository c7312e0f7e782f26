/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/memory.h"

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "api/memory_policy.h"
#include "api/rt_names.h"
#include "core/object/stream.h"
#include "core/work/range.h"

#define UNIT_BYTES    32u /* sizes are rounded up to this */
#define PADDING_BYTES 32u /* and most get this on top */

/* Allocate and free ---------------------------------------------------------------------------- */

static int32_t allocate(void **devPtr, size_t size, uint32_t policy, size_t padding)
{
    if (!devPtr)
        return twin_api_null("devPtr");
    if (size == 0)
        return twin_fail(TWIN_ERR_ARG_VALUE, "size is 0; ask for one byte at least");
    if (size > SIZE_MAX - (UNIT_BYTES + PADDING_BYTES))
        return twin_fail(TWIN_ERR_ARG_VALUE, "size is %zu, which leaves no room for padding", size);
    twin_allocation allocation = {.module = TWIN_MODULE_APP};
    twin_api_place_plain(policy, &allocation);
    if (allocation.pages == TWIN_PAGES_HUGE_1G)
        padding = 0;
    allocation.bytes = (size + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES + padding;
    const int32_t code = twin_api_check_pages(allocation.pages);
    return code != 0 ? code : twin_memory_alloc(&allocation, devPtr);
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    TWIN_ENTER(MEMORY);
    return TWIN_LEAVE(allocate(devPtr, size, policy, PADDING_BYTES));
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    TWIN_ENTER(MEMORY);
    return TWIN_LEAVE(allocate(devPtr, size, policy, 0));
}

/* Policies for peer access count as the default here. */
aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    TWIN_ENTER(MEMORY);
    return TWIN_LEAVE(allocate(devPtr, size,
                               twin_api_is_peer(policy) ? ACL_MEM_MALLOC_HUGE_FIRST : policy,
                               PADDING_BYTES));
}

aclError aclrtFree(void *devPtr)
{
    TWIN_ENTER(MEMORY);
    TWIN_NOT_NULL(devPtr);
    return TWIN_LEAVE(twin_memory_free(devPtr));
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    TWIN_ENTER(MEMORY);
    TWIN_NOT_NULL(hostPtr);
    if (size == 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "size is 0; ask for one byte at least"));
    const twin_allocation allocation = {.bytes = size, .module = TWIN_MODULE_APP};
    return TWIN_LEAVE(twin_memory_alloc_host(&allocation, hostPtr));
}

aclError aclrtFreeHost(void *hostPtr)
{
    TWIN_ENTER(MEMORY);
    TWIN_NOT_NULL(hostPtr);
    return TWIN_LEAVE(twin_memory_free_host(hostPtr));
}

/* Page classes as the seam counts them: 0 both, 1 huge, 2 normal. DDR and HBM name the same
 * memory. */
static bool page_class_of(aclrtMemAttr attr, uint32_t *out_class)
{
    switch (attr) {
    case ACL_DDR_MEM:
    case ACL_HBM_MEM:
        *out_class = 0;
        return true;
    case ACL_DDR_MEM_HUGE:
    case ACL_HBM_MEM_HUGE:
    case ACL_DDR_MEM_P2P_HUGE:
    case ACL_HBM_MEM_P2P_HUGE:
    case ACL_HBM_MEM_HUGE1G:
    case ACL_HBM_MEM_P2P_HUGE1G:
    case ACL_MEM_HUGE:
    case ACL_MEM_HUGE1G:
    case ACL_MEM_P2P_HUGE:
    case ACL_MEM_P2P_HUGE1G:
        *out_class = 1;
        return true;
    case ACL_DDR_MEM_NORMAL:
    case ACL_HBM_MEM_NORMAL:
    case ACL_DDR_MEM_P2P_NORMAL:
    case ACL_HBM_MEM_P2P_NORMAL:
    case ACL_MEM_NORMAL:
    case ACL_MEM_P2P_NORMAL:
        *out_class = 2;
        return true;
    default:
        return false;
    }
}

static bool is_giant(aclrtMemAttr attr)
{
    return attr == ACL_HBM_MEM_HUGE1G || attr == ACL_HBM_MEM_P2P_HUGE1G || attr == ACL_MEM_HUGE1G ||
           attr == ACL_MEM_P2P_HUGE1G;
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(free, total);
    uint32_t page_class = 0;
    if (!page_class_of(attr, &page_class))
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_MEMORY_TYPE, "attr is %d, which names no memory", (int)attr));
    const int32_t code =
        twin_api_check_pages(is_giant(attr) ? TWIN_PAGES_HUGE_1G : TWIN_PAGES_DEFAULT);
    return TWIN_LEAVE(code != 0 ? code : twin_memory_space(page_class, free, total));
}

/* Copy and fill -------------------------------------------------------------------------------- */

static int32_t check_copy(const void *dst, const void *src, aclrtMemcpyKind kind)
{
    if (!dst || !src)
        return twin_api_null(!dst ? "dst" : "src");
    if ((unsigned)kind >= TWIN_COPY_KIND_COUNT)
        return twin_fail(TWIN_ERR_ARG_VALUE, "kind is %d; it must be 0 to %d", (int)kind,
                         TWIN_COPY_KIND_COUNT - 1);
    return 0;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    TWIN_ENTER(COPY);
    if (count == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    int32_t code = check_copy(dst, src, kind);
    return TWIN_LEAVE(code != 0 ? code : twin_memory_copy(dst, destMax, src, count));
}

static int32_t copy_async(void *dst, size_t destMax, const void *src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream)
{
    if (count == 0)
        return 0;
    const int32_t code = check_copy(dst, src, kind);
    return code != 0 ? code
                     : twin_memory_copy_async(dst, destMax, src, count, (twin_copy_kind)kind,
                                              twin_api_handle(stream));
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream)
{
    TWIN_ENTER(TRANSFER);
    return TWIN_LEAVE(copy_async(dst, destMax, src, count, kind, stream));
}

aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count,
                                       aclrtMemcpyKind kind, aclrtStream stream)
{
    TWIN_ENTER(TRANSFER);
    return TWIN_LEAVE(copy_async(dst, destMax, src, count, kind, stream));
}

/* Directions of the runtime layer that differ from those of the interface. */
#define RT_KIND_HOST_TO_HOST      0
#define RT_KIND_ADDRESSES         5
#define RT_KIND_HOST_TO_DEVICE_EX 6
#define RT_KIND_DEVICE_TO_HOST_EX 7
#define RT_KIND_DEFAULT           8

static int32_t check_unchecked_kind(int32_t kind)
{
    if (kind < 0 || kind >= RT_KIND_DEFAULT)
        return twin_fail(TWIN_ERR_PARAM,
                         "kind is %d; it must be 0 to 7, as the direction is not found out here",
                         kind);
    if (kind == RT_KIND_HOST_TO_HOST)
        return twin_fail(TWIN_ERR_UNSUPPORTED, "kind is 0; use memcpy between host buffers");
    if (kind == RT_KIND_ADDRESSES || kind == RT_KIND_DEVICE_TO_HOST_EX)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "kind is %d; lists of addresses (5) and the extended copy to the host (7) "
                         "are not built",
                         kind);
    return 0;
}

aclError rtMemcpyAsyncWithoutCheckKind(void *dst, uint64_t destMax, const void *src, uint64_t cnt,
                                       int32_t kind, aclrtStream stm)
{
    TWIN_ENTER(TRANSFER);
    if (cnt == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    TWIN_NOT_NULL_BELOW(dst, src);
    int32_t code = check_unchecked_kind(kind);
    if (code == 0)
        code = twin_memory_copy_async(dst, destMax, src, cnt,
                                      kind == RT_KIND_HOST_TO_DEVICE_EX
                                          ? TWIN_COPY_HOST_TO_BUFFER_TO_DEVICE
                                          : TWIN_COPY_DEFAULT,
                                      twin_api_handle(stm));
    return TWIN_LEAVE(code);
}

static twin_fill fill_of(void *dst, size_t bytes, uint32_t value, bool words)
{
    return (twin_fill){
        .dst = (uint64_t)(uintptr_t)dst, .bytes = bytes, .value = value, .words = words};
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    TWIN_ENTER(COPY);
    if (count == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    TWIN_NOT_NULL(devPtr);
    const twin_fill fill = fill_of(devPtr, count, (uint8_t)value, false);
    return TWIN_LEAVE(twin_memory_fill(&fill, maxCount));
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream)
{
    TWIN_ENTER(TRANSFER);
    if (count == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    TWIN_NOT_NULL(devPtr);
    const twin_fill fill = fill_of(devPtr, count, (uint8_t)value, false);
    return TWIN_LEAVE(twin_memory_fill_async(&fill, maxCount, twin_api_handle(stream)));
}

/* Of a fill with `count` words, which is not 0. */
static int32_t check_words(const void *ptr, size_t memSize, size_t count)
{
    if (!ptr)
        return twin_api_null("ptr");
    if ((uintptr_t)ptr % sizeof(uint32_t) != 0)
        return twin_fail(TWIN_ERR_ARG_VALUE, "ptr is %p; it must be a multiple of 4", ptr);
    if (count > memSize / sizeof(uint32_t))
        return twin_fail(TWIN_ERR_ARG_RELATION, "%zu words do not fit into memSize, %zu bytes",
                         count, memSize);
    const twin_memory_kind kind = twin_range_info(ptr).kind;
    if (kind != TWIN_MEMORY_DEVICE && kind != TWIN_MEMORY_HOST_PINNED)
        return twin_fail(TWIN_ERR_ARG_VALUE,
                         "ptr is %p, which is not memory of aclrtMalloc or aclrtMallocHost", ptr);
    return 0;
}

aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N)
{
    TWIN_ENTER_BY_PART(COPY, aclrtMemsetD32);
    if (N == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    const twin_fill fill = fill_of(ptr, N * sizeof(uint32_t), value, true);
    int32_t code = check_words(ptr, memSize, N);
    return TWIN_LEAVE(code != 0 ? code : twin_memory_fill(&fill, memSize));
}

aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t N,
                             aclrtStream stream)
{
    TWIN_ENTER_BY_PART(TRANSFER, aclrtMemsetD32Async);
    if (N == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    const twin_fill fill = fill_of(ptr, N * sizeof(uint32_t), value, true);
    int32_t code = check_words(ptr, memSize, N);
    return TWIN_LEAVE(code != 0 ? code
                                : twin_memory_fill_async(&fill, memSize, twin_api_handle(stream)));
}
