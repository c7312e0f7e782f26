/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/memory.h"

#include "core/backend/error.h"
#include "core/object/context.h"
#include "core/object/stream.h"
#include "core/work/range.h"

static int32_t check_side(const char *role, uint64_t address, const twin_reduce *reduce,
                          uint32_t element_bytes, const twin_device *device, twin_side *out)
{
    const void *pointer = (const void *)(uintptr_t)address;
    const twin_memory_info info = twin_range_info(pointer);
    *out = twin_range_side(&info);
    int32_t code = twin_range_check(role, pointer, reduce->bytes, &info);
    if (code == 0 && info.kind != TWIN_MEMORY_DEVICE)
        code = twin_fail(TWIN_ERR_PARAM,
                         "the %s, %p, is not device memory; give an address of aclrtMalloc", role,
                         pointer);
    if (code == 0)
        code = twin_range_check_owner(role, &info, device);
    if (code == 0 && address % element_bytes != 0)
        code = twin_fail(TWIN_ERR_UNALIGNED, "the %s, %p, is not aligned to elements of %u bytes",
                         role, pointer, element_bytes);
    return code;
}

int32_t twin_reduce_async(const twin_reduce *reduce, uint32_t element_bytes, uint64_t stream)
{
    twin_stream *found = NULL;
    int32_t code = twin_stream_find(stream, &found);
    if (code != 0)
        return code;
    if (reduce->bytes % element_bytes != 0)
        return twin_fail(
            TWIN_ERR_PARAM,
            "count is %llu bytes, which is not a multiple of the element size of %u bytes",
            (unsigned long long)reduce->bytes, element_bytes);
    twin_context *context = NULL;
    twin_reduce task = *reduce;
    code = twin_stream_check_found(found, stream, &context);
    if (code == 0)
        code = check_side("destination", reduce->dst, reduce, element_bytes, context->device,
                          &task.sides.dst);
    if (code == 0)
        code = check_side("source", reduce->src, reduce, element_bytes, context->device,
                          &task.sides.src);
    /* Onto itself each element meets itself; otherwise what one element is would depend on who
     * comes first. */
    if (code == 0 && reduce->dst != reduce->src)
        code = twin_range_check_overlap((const void *)(uintptr_t)reduce->dst,
                                        (const void *)(uintptr_t)reduce->src, reduce->bytes);
    if (code != 0)
        return code;
    return twin_stream_submit(
        stream, &(twin_task){.kind = TWIN_TASK_REDUCE, .reduce = &task, .stream = found});
}
