/* SPDX-License-Identifier: Apache-2.0 */
/* Copies whose addresses are in device memory, and cache maintenance. */
#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/work/cache_barrier.h"
#include "core/work/indirect.h"

#define COPY_KINDS 8 /* of aclrtMemcpyKind */

/* ---- copies by descriptor -------------------------------------------------------------------- */

/* These copies are within devices: of the kinds that there are one alone is offered. */
static int32_t check_inner_kind(aclrtMemcpyKind kind)
{
    if (kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE)
        return 0;
    if ((unsigned)kind >= COPY_KINDS)
        return twin_fail(TWIN_ERR_ARG_VALUE, "kind is %d; it must be %d", (int)kind,
                         ACL_MEMCPY_INNER_DEVICE_TO_DEVICE);
    return twin_fail(TWIN_ERR_UNSUPPORTED,
                     "kind is %d; descriptors are for copies within a device, %d", (int)kind,
                     ACL_MEMCPY_INNER_DEVICE_TO_DEVICE);
}

aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtGetMemcpyDescSize);
    TWIN_NOT_NULL(descSize);
    const int32_t code = check_inner_kind(kind);
    if (code == 0)
        *descSize = TWIN_DESCRIPTOR_BYTES;
    return TWIN_LEAVE(code);
}

aclError aclrtSetMemcpyDesc(void *desc, aclrtMemcpyKind kind, void *srcAddr, void *dstAddr,
                            size_t count, void *config)
{
    TWIN_ENTER_BY_PART(COPY, aclrtSetMemcpyDesc);
    TWIN_NOT_NULL(desc, srcAddr, dstAddr);
    if (count == 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "count is 0; give the number of bytes"));
    if (config)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "config must be NULL"));
    const twin_copy copy = {
        .dst = (uint64_t)(uintptr_t)dstAddr, .src = (uint64_t)(uintptr_t)srcAddr, .bytes = count};
    const int32_t code = check_inner_kind(kind);
    return TWIN_LEAVE(code != 0 ? code : twin_descriptor_write(desc, &copy));
}

aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(TRANSFER, aclrtMemcpyAsyncWithDesc);
    TWIN_NOT_NULL(desc, stream);
    const int32_t code = check_inner_kind(kind);
    return TWIN_LEAVE(
        code != 0 ? code : twin_described_async(desc, TWIN_RANGE_COPY, twin_api_handle(stream)));
}

/* ---- base addresses in device memory --------------------------------------------------------- */

aclError aclrtMemcpyAsyncWithOffset(void **dst, size_t destMax, size_t dstDataOffset,
                                    const void **src, size_t count, size_t srcDataOffset,
                                    aclrtMemcpyKind kind, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(TRANSFER, aclrtMemcpyAsyncWithOffset);
    if (count == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "kind is %d; it must be %d", (int)kind,
                                    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE));
    TWIN_NOT_NULL_BELOW(dst, src);
    const twin_based_copy copy = {.dst = (uint64_t)(uintptr_t)dst,
                                  .src = (uint64_t)(uintptr_t)src,
                                  .dst_offset = dstDataOffset,
                                  .src_offset = srcDataOffset,
                                  .bytes = count};
    return TWIN_LEAVE(twin_copy_based_async(&copy, destMax, twin_api_handle(stream)));
}

/* ---- cache maintenance ----------------------------------------------------------------------- */

static bool range_op_of(aclrtCmoType type, twin_range_op *out)
{
    if ((unsigned)type > ACL_RT_CMO_TYPE_FLUSH)
        return false;
    *out = (twin_range_op)(TWIN_RANGE_PREFETCH + (unsigned)type);
    return true;
}

static int32_t read_maintenance(const void *src, size_t size, aclrtCmoType type,
                                twin_maintenance *out)
{
    if (size == 0)
        return twin_fail(TWIN_ERR_ARG_VALUE, "size is 0; give the number of bytes");
    *out = (twin_maintenance){.address = (uint64_t)(uintptr_t)src, .bytes = size};
    return range_op_of(type, &out->op)
               ? 0
               : twin_fail(TWIN_ERR_UNSUPPORTED, "cmoType is %d; it must be %d to %d", (int)type,
                           ACL_RT_CMO_TYPE_PREFETCH, ACL_RT_CMO_TYPE_FLUSH);
}

aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtCmoAsync);
    TWIN_NOT_NULL(src);
    twin_maintenance what;
    const int32_t code = read_maintenance(src, size, cmoType, &what);
    return TWIN_LEAVE(code != 0 ? code : twin_maintain_async(&what, twin_api_handle(stream)));
}

/* On boards the numbers would have to reach the vendor's runtime, which nothing here does. */
static int32_t check_barriers(void)
{
    return atomic_load_explicit(&twin_parts_present, memory_order_relaxed) != UINT32_MAX
               ? 0
               : twin_fail(TWIN_ERR_UNSUPPORTED,
                           "barriers of cache maintenance are built for the model only; use "
                           "TWINRT_BACKEND=sim TWINRT_PROFILE=310b1");
}

aclError aclrtCmoAsyncWithBarrier(void *src, size_t size, aclrtCmoType cmoType, uint32_t barrierId,
                                  aclrtStream stream)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtCmoAsyncWithBarrier);
    int32_t code = check_barriers();
    if (code != 0)
        return TWIN_LEAVE(code);
    TWIN_NOT_NULL(src);
    twin_maintenance what;
    code = read_maintenance(src, size, cmoType, &what);
    if (code != 0)
        return TWIN_LEAVE(code);
    if ((cmoType == ACL_RT_CMO_TYPE_INVALID) != (barrierId != 0))
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "barrierId is %u; with ACL_RT_CMO_TYPE_INVALID it must be "
                                    "above 0, with other types 0",
                                    barrierId));
    const uint64_t on = twin_api_handle(stream);
    return TWIN_LEAVE(barrierId != 0 ? twin_cache_barrier_set(&what, barrierId, on)
                                     : twin_maintain_async(&what, on));
}

aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo *taskInfo, aclrtStream stream, uint32_t flag)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtCmoWaitBarrier);
    int32_t code = check_barriers();
    if (code != 0)
        return TWIN_LEAVE(code);
    TWIN_NOT_NULL(taskInfo);
    if (flag != 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "flag is %#x; it is reserved and 0", flag));
    if (taskInfo->barrierNum == 0 || taskInfo->barrierNum > ACL_RT_CMO_MAX_BARRIER_NUM)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "barrierNum is %zu; it must be 1 to %u",
                                    taskInfo->barrierNum, ACL_RT_CMO_MAX_BARRIER_NUM));
    for (size_t i = 0; i < taskInfo->barrierNum; i++)
        if (taskInfo->cmoInfo[i].cmoType != ACL_RT_CMO_TYPE_INVALID)
            return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                        "cmoInfo[%zu].cmoType is %d; it must be "
                                        "ACL_RT_CMO_TYPE_INVALID",
                                        i, (int)taskInfo->cmoInfo[i].cmoType));
    for (size_t i = 0; i < taskInfo->barrierNum && code == 0; i++)
        code = twin_cache_barrier_wait(taskInfo->cmoInfo[i].barrierId, twin_api_handle(stream));
    return TWIN_LEAVE(code);
}

aclError aclrtCmoGetDescSize(size_t *size)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtCmoGetDescSize);
    TWIN_NOT_NULL_BELOW(size);
    *size = TWIN_DESCRIPTOR_BYTES;
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtCmoSetDesc(void *cmoDesc, void *src, size_t size)
{
    TWIN_ENTER_BY_PART(COPY, aclrtCmoSetDesc);
    TWIN_NOT_NULL_BELOW(cmoDesc, src);
    if (size == 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "size is 0; give the number of bytes"));
    const twin_copy range = {.src = (uint64_t)(uintptr_t)src, .bytes = size};
    return TWIN_LEAVE(twin_descriptor_write(cmoDesc, &range));
}

aclError aclrtCmoAsyncWithDesc(void *cmoDesc, aclrtCmoType cmoType, aclrtStream stream,
                               const void *reserve)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtCmoAsyncWithDesc);
    if (reserve)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "reserve must be NULL"));
    TWIN_NOT_NULL_BELOW(cmoDesc);
    twin_range_op op = TWIN_RANGE_PREFETCH;
    if (!range_op_of(cmoType, &op))
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "cmoType is %d; it must be %d to %d",
                                    (int)cmoType, ACL_RT_CMO_TYPE_PREFETCH, ACL_RT_CMO_TYPE_FLUSH));
    return TWIN_LEAVE(twin_described_async(cmoDesc, op, twin_api_handle(stream)));
}

static int32_t maintain_now(void *devPtr, size_t size, bool invalidate)
{
    if (!devPtr)
        return twin_api_null("devPtr");
    if (size == 0)
        return twin_fail(TWIN_ERR_ARG_VALUE, "size is 0; give the number of bytes");
    return twin_maintain_now(devPtr, size, invalidate);
}

aclError aclrtMemFlush(void *devPtr, size_t size)
{
    TWIN_ENTER(MEMORY);
    return TWIN_LEAVE(maintain_now(devPtr, size, false));
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
    TWIN_ENTER(MEMORY);
    return TWIN_LEAVE(maintain_now(devPtr, size, true));
}
