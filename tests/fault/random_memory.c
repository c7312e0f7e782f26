/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls on memory and values. */
#include <string.h>

#include "random_arguments.h"

/* Old functions must hold out as well. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Memory --------------------------------------------------------------------------------------- */

static aclError call_malloc(random_worker *worker)
{
    void *memory = NULL;
    void **out = OUT(worker, memory);
    size_t bytes = chance(worker, 50) ? RANDOM_HOST_BYTES : any_bytes(worker, 0);
    if (chance(worker, 5))
        bytes = (size_t)1 << (20 + below(worker, 14));
    aclrtMemMallocPolicy policy = (aclrtMemMallocPolicy)below(worker, 12);
    aclError code;
    switch (below(worker, 3)) {
    case 0:
        code = aclrtMalloc(out, bytes, policy);
        break;
    case 1:
        code = aclrtMallocAlign32(out, bytes, policy);
        break;
    default:
        code = aclrtMallocCached(out, bytes, policy);
        break;
    }
    if (!memory)
        return code;
    random_entry old =
        random_pool_put(&worker->random, RANDOM_MEMORY, (random_entry){HANDLE(memory), bytes});
    if (old.handle != 0)
        (void)aclrtFree(POINTER(old));
    return code;
}

static aclError call_free(random_worker *worker)
{
    if (chance(worker, 50))
        return aclrtFree(POINTER(random_pool_take(&worker->random, RANDOM_MEMORY)));
    return aclrtFree(any(worker, RANDOM_MEMORY));
}

static aclError call_malloc_host(random_worker *worker)
{
    void *memory = NULL;
    uint32_t place = below(worker, RANDOM_HOST_BUFFERS);
    if (chance(worker, 5)) {
        aclError refused = aclrtMallocHost(OUT(worker, memory), (size_t)below(worker, 2) << 48);
        if (refused == ACL_SUCCESS)
            random_failure("aclrtMallocHost gives %p for too much or nothing", memory);
        return refused;
    }
    aclError code = aclrtMallocHost(OUT(worker, memory), RANDOM_HOST_BYTES);
    if (!memory)
        return code;
    void *old = worker->pinned[place];
    worker->pinned[place] = memory;
    memset(memory, 1, RANDOM_HOST_BYTES);
    if (old)
        (void)aclrtFreeHost(old);
    return code;
}

static aclError call_free_host(random_worker *worker)
{
    if (chance(worker, 50)) /* device memory, dead or living: refused */
        return aclrtFreeHost(any(worker, RANDOM_MEMORY));
    uint32_t place = below(worker, RANDOM_HOST_BUFFERS);
    void *memory = worker->pinned[place];
    worker->pinned[place] = NULL;
    return aclrtFreeHost(memory);
}

static aclError call_memory_space(random_worker *worker)
{
    size_t left = 0, total = 0;
    aclrtMemAttr attr = (aclrtMemAttr)(chance(worker, 80) ? below(worker, 18) : any_number(worker));
    aclError code = aclrtGetMemInfo(attr, OUT(worker, left), OUT(worker, total));
    if (left > total)
        random_failure("%zu of %zu bytes are free", left, total);
    return code;
}

static aclError call_copy(random_worker *worker)
{
    side to = any_side(worker), from = any_side(worker);
    size_t bytes = transfer_bytes(worker, to, from);
    size_t room = chance(worker, 95) ? bytes : any_number(worker);
    return aclrtMemcpy(to.place, room, from.place, bytes, any_kind(worker));
}

static aclError call_copy_async(random_worker *worker)
{
    side to = any_side(worker), from = any_side(worker);
    size_t bytes = transfer_bytes(worker, to, from);
    size_t room = chance(worker, 95) ? bytes : any_number(worker);
    aclrtMemcpyKind kind = chance(worker, 70) ? ACL_MEMCPY_DEFAULT : any_kind(worker);
    return aclrtMemcpyAsync(to.place, room, from.place, bytes, kind, any_stream(worker));
}

static aclError call_fill(random_worker *worker)
{
    side to = any_side(worker);
    size_t bytes = transfer_bytes(worker, to, to);
    size_t room = chance(worker, 95) ? bytes : any_number(worker);
    return aclrtMemset(to.place, room, (int32_t)any_number(worker), bytes);
}

static aclError call_fill_async(random_worker *worker)
{
    side to = any_side(worker);
    size_t bytes = transfer_bytes(worker, to, to);
    size_t room = chance(worker, 95) ? bytes : any_number(worker);
    return aclrtMemsetAsync(to.place, room, (int32_t)any_number(worker), bytes, any_stream(worker));
}

/* Values --------------------------------------------------------------------------------------- */

static aclError call_data_buffer(random_worker *worker)
{
    int place = 0;
    aclDataBuffer *buffer = aclCreateDataBuffer(&place, 4);
    if (!buffer) {
        random_failure("aclCreateDataBuffer gives none");
        return ACL_SUCCESS;
    }
    aclError code = aclUpdateDataBuffer(buffer, buffer, UINT64_C(5) << 32 | 7);
    if (code != ACL_SUCCESS || aclGetDataBufferAddr(buffer) != buffer ||
        aclGetDataBufferSize(buffer) != 7 ||
        aclGetDataBufferSizeV2(buffer) != (UINT64_C(5) << 32 | 7))
        random_failure("a data buffer holds something else than was put in");
    if (aclDestroyDataBuffer(buffer) != ACL_SUCCESS)
        random_failure("a data buffer cannot be destroyed");
    /* Dead now; other calls meet it as a handle of another kind. */
    (void)random_pool_put(&worker->random, RANDOM_BUFFER, (random_entry){HANDLE(buffer), 0});
    if (aclGetDataBufferAddr(buffer) || aclGetDataBufferSizeV2(buffer) != 0)
        random_failure("a dead data buffer still answers");
    aclDataBuffer *wrong = any(worker, (random_kind)below(worker, RANDOM_KIND_COUNT));
    return chance(worker, 50) ? aclDestroyDataBuffer(wrong) : aclUpdateDataBuffer(wrong, NULL, 0);
}

static aclError call_tensor(random_worker *worker)
{
    int64_t dims[] = {2, 3, 5, 7};
    int64_t ranges[][2] = {{1, 2}, {3, 4}};
    int64_t range[2] = {0, 0};
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT16, 4, dims, ACL_FORMAT_NCHW);
    aclTensorDesc *other = NULL;
    if (!desc) {
        random_failure("aclCreateTensorDesc gives none");
        return ACL_SUCCESS;
    }
    aclSetTensorDescName(desc, "random");
    if (aclSetTensorShapeRange(desc, 2, ranges) != ACL_SUCCESS ||
        aclGetTensorDescDimRange(desc, 1, 2, range) != ACL_SUCCESS || range[1] != 4 ||
        aclGetTensorDescSize(desc) != 420 || strcmp(aclGetTensorDescName(desc), "random") != 0 ||
        aclSetTensorConst(desc, dims, sizeof(dims)) != ACL_SUCCESS ||
        aclTransTensorDescFormat(desc, ACL_FORMAT_NC1HWC0, &other) != ACL_SUCCESS ||
        aclGetTensorDescNumDims(other) != 5)
        random_failure("a tensor description holds something else than was put in");
    aclDestroyTensorDesc(other);
    aclDestroyTensorDesc(desc);
    if (aclGetTensorDescSize(desc) != 0)
        random_failure("a dead tensor description still answers");
    aclTensorDesc *wrong = any(worker, (random_kind)below(worker, RANDOM_KIND_COUNT));
    return chance(worker, 50) ? aclSetTensorPlaceMent(wrong, ACL_MEMTYPE_HOST)
                              : aclSetTensorConst(wrong, dims, below(worker, sizeof(dims)));
}

static aclError call_values(random_worker *worker)
{
    aclFloat16 half = (aclFloat16)random_next(&worker->random);
    bool is_nan = (half & 0x7C00) == 0x7C00 && (half & 0x3FF) != 0;
    if (!is_nan && aclFloatToFloat16(aclFloat16ToFloat(half)) != half)
        random_failure("half %#x does not survive being a float", half);
    if (aclDataTypeSize((aclDataType)any_number(worker)) > 16)
        random_failure("a data type has more than 16 bytes");
    return ACL_SUCCESS;
}

static aclError call_unsupported(random_worker *worker)
{
    if (chance(worker, 50))
        return aclrtFreeBuf((aclrtMbuf)any(worker, RANDOM_MEMORY));
    return aclrtSetBufDataLen((aclrtMbuf)any(worker, RANDOM_MEMORY), any_number(worker));
}

/* All of it ------------------------------------------------------------------------------------ */

const random_row random_memory_rows[] = {
    {"aclrtMalloc...", call_malloc, 20, {NULL_ARGUMENT, NO_CONTEXT, NO_MEMORY}, false},
    {"aclrtFree", call_free, 12, {NULL_ARGUMENT, BAD_VALUE}, false},
    {"aclrtMallocHost", call_malloc_host, 10, {NULL_ARGUMENT, NO_CONTEXT, NO_MEMORY}, false},
    {"aclrtFreeHost", call_free_host, 6, {NULL_ARGUMENT, BAD_VALUE}, false},
    {"aclrtGetMemInfo", call_memory_space, 10, {NULL_ARGUMENT, NO_CONTEXT, BAD_ATTRIBUTE}, false},
    {"aclrtMemcpy",
     call_copy,
     30,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, DEVICE_ABORTED, FAILED_COPY},
     false},
    {"aclrtMemcpyAsync", call_copy_async, 80, {SUBMISSION, NO_MEMORY}, false},
    {"aclrtMemset",
     call_fill,
     15,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, DEVICE_ABORTED, FAILED_COPY},
     false},
    {"aclrtMemsetAsync", call_fill_async, 40, {SUBMISSION}, false},
    {"data buffers", call_data_buffer, 10, {NULL_ARGUMENT, DEAD_HANDLE}, true},
    {"tensor descriptions", call_tensor, 10, {NULL_ARGUMENT, DEAD_HANDLE}, true},
    {"half precision, data types", call_values, 5, {0}, false},
    {"what is not built", call_unsupported, 10, {NOT_OFFERED}, true},
};
const uint32_t random_memory_row_count = sizeof(random_memory_rows) / sizeof(random_memory_rows[0]);
