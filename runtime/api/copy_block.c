/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of more than one range: rows of a block, batches; and copies that reduce. */
#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/object/device.h"
#include "core/work/memory.h"
#include "core/work/range.h"

/* Rows ----------------------------------------------------------------------------------------- */

static int32_t check_rows(const void *dst, size_t dpitch, const void *src, size_t spitch,
                          size_t width, aclrtMemcpyKind kind)
{
    if (!dst || !src)
        return twin_api_null(!dst ? "dst" : "src");
    if (width > dpitch || width > spitch)
        return twin_fail(TWIN_ERR_ARG_RELATION,
                         "width is %zu, more than %s, %zu: rows would overlap", width,
                         width > dpitch ? "dpitch" : "spitch", width > dpitch ? dpitch : spitch);
    if (kind < ACL_MEMCPY_HOST_TO_DEVICE || kind > ACL_MEMCPY_DEFAULT)
        return twin_fail(TWIN_ERR_ARG_VALUE, "kind is %d; it must be %d to %d", (int)kind,
                         ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEFAULT);
    return 0;
}

static twin_rows rows_of(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height)
{
    return (twin_rows){.dst = (uint64_t)(uintptr_t)dst,
                       .src = (uint64_t)(uintptr_t)src,
                       .dst_pitch = height > 1 ? dpitch : width,
                       .src_pitch = height > 1 ? spitch : width,
                       .width = width,
                       .height = height};
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                       size_t height, aclrtMemcpyKind kind)
{
    TWIN_ENTER(COPY);
    if (width == 0 || height == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    int32_t code = check_rows(dst, dpitch, src, spitch, width, kind);
    if (code == 0 && kind == ACL_MEMCPY_DEVICE_TO_DEVICE)
        code = twin_fail(TWIN_ERR_UNSUPPORTED,
                         "blocks within the device are copied by aclrtMemcpy2dAsync alone");
    const twin_rows rows = rows_of(dst, dpitch, src, spitch, width, height);
    return TWIN_LEAVE(code != 0 ? code : twin_rows_copy(&rows));
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream)
{
    TWIN_ENTER(TRANSFER);
    if (width == 0 || height == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    int32_t code = check_rows(dst, dpitch, src, spitch, width, kind);
    const twin_rows rows = rows_of(dst, dpitch, src, spitch, width, height);
    return TWIN_LEAVE(
        code != 0 ? code
                  : twin_rows_copy_async(&rows, (twin_copy_kind)kind, twin_api_handle(stream)));
}

/* Reductions ----------------------------------------------------------------------------------- */

typedef struct element_type {
    aclDataType type;
    twin_element element;
    uint32_t bytes;
} element_type;

/* ACL_INT4 is a type that the call knows and no engine reduces. */
static const element_type element_types[] = {
    {ACL_FLOAT, TWIN_ELEMENT_FP32, 4},    {ACL_FLOAT16, TWIN_ELEMENT_FP16, 2},
    {ACL_INT16, TWIN_ELEMENT_INT16, 2},   {ACL_INT4, TWIN_ELEMENT_INT8, 0},
    {ACL_INT8, TWIN_ELEMENT_INT8, 1},     {ACL_INT32, TWIN_ELEMENT_INT32, 4},
    {ACL_BF16, TWIN_ELEMENT_BF16, 2},     {ACL_UINT8, TWIN_ELEMENT_UINT8, 1},
    {ACL_UINT16, TWIN_ELEMENT_UINT16, 2}, {ACL_UINT32, TWIN_ELEMENT_UINT32, 4},
};

static const element_type *element_of(aclDataType type)
{
    for (size_t i = 0; i < sizeof(element_types) / sizeof(element_types[0]); i++)
        if (element_types[i].type == type)
            return &element_types[i];
    return NULL;
}

static int32_t reduce(const twin_reduce *what, aclrtReduceKind kind, const element_type *type,
                      uint64_t stream)
{
    if (what->bytes == 0)
        return twin_fail(TWIN_ERR_PARAM, "count is 0; give the number of bytes");
    if (kind < ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM || kind > ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL)
        return twin_fail(TWIN_ERR_PARAM, "kind is %d; it must be %d to %d", (int)kind,
                         ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL);
    if (kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM && what->bytes > (4ull << 30))
        return twin_fail(TWIN_ERR_PARAM, "count is %llu; a sum takes at most 4 GiB",
                         (unsigned long long)what->bytes);
    if (kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "what the kind \"equal\" does to memory is not public");
    if (type->bytes == 0)
        return twin_fail(TWIN_ERR_UNSUPPORTED, "no engine reduces elements of type %d (int4)",
                         (int)type->type);
    return twin_reduce_async(what, type->bytes, stream);
}

aclError aclrtReduceAsync(void *dst, const void *src, uint64_t count, aclrtReduceKind kind,
                          aclDataType type, aclrtStream stream, void *reserve)
{
    TWIN_ENTER(TRANSFER);
    TWIN_NOT_NULL(dst, src);
    if (reserve)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "reserve must be NULL"));
    const element_type *of = element_of(type);
    if (!of)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_ARG_VALUE, "type is %d, which cannot be reduced", (int)type));
    const twin_reduce what = {.dst = (uint64_t)(uintptr_t)dst,
                              .src = (uint64_t)(uintptr_t)src,
                              .bytes = count,
                              .op = (twin_reduce_op)(kind - ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM),
                              .element = of->element};
    return TWIN_LEAVE(reduce(&what, kind, of, twin_api_handle(stream)));
}

/* Batches -------------------------------------------------------------------------------------- */

#define BATCH_MOST 4096u /* items of a call that copies at once */

typedef struct batch {
    void **dsts;
    size_t *dst_bytes;
    void **srcs;
    size_t *sizes;
    size_t count;
    aclrtMemcpyBatchAttr *attrs;
    size_t *indexes;
    size_t attr_count;
} batch;

static bool batch_is_empty(const batch *b)
{
    for (size_t i = 0; i < b->count; i++)
        if (b->sizes[i] != 0)
            return false;
    return true;
}

/* What can be said about a batch without looking at its memory. */
static int32_t check_batch(const batch *b)
{
    if (!b->dsts || !b->dst_bytes || !b->srcs || !b->attrs || !b->indexes)
        return twin_api_null(!b->dsts        ? "dsts"
                             : !b->dst_bytes ? "destMaxs"
                             : !b->srcs      ? "srcs"
                             : !b->attrs     ? "attrs"
                                             : "attrsIndexes");
    for (size_t i = 0; i < b->count; i++)
        if (b->sizes[i] > b->dst_bytes[i])
            return twin_fail(TWIN_ERR_ARG_RELATION,
                             "item %zu: %zu bytes do not fit into the %zu given", i, b->sizes[i],
                             b->dst_bytes[i]);
    /* A count that is too large says nothing about how many there are to look at. */
    for (size_t i = 0; i < b->attr_count && b->attr_count <= b->count; i++)
        for (size_t byte = 0; byte < sizeof(b->attrs[i].rsv); byte++)
            if (b->attrs[i].rsv[byte] != 0)
                return twin_fail(TWIN_ERR_ARG_VALUE, "attrs[%zu].rsv must be zero", i);
    if (b->attr_count == 0 || b->attr_count > b->count)
        return twin_fail(b->attr_count == SIZE_MAX ? TWIN_ERR_ARG_VALUE : TWIN_ERR_PARAM_RELATION,
                         "numAttrs is %zu; it must be 1 to numBatches, %zu", b->attr_count,
                         b->count);
    if (b->indexes[0] != 0)
        return twin_fail(TWIN_ERR_PARAM, "attrsIndexes[0] is %zu; the first must be 0",
                         b->indexes[0]);
    for (size_t i = 0; i < b->attr_count; i++)
        if (b->indexes[i] >= b->count || (i > 0 && b->indexes[i] <= b->indexes[i - 1]))
            return twin_fail(TWIN_ERR_PARAM,
                             "attrsIndexes[%zu] is %zu; they must grow and stay below %zu", i,
                             b->indexes[i], b->count);
    return 0;
}

/* Whether memory is where an attribute says. */
static int32_t check_place(const char *role, size_t item, const void *pointer,
                           const aclrtMemLocation *said, twin_memory_info *out_info)
{
    *out_info = twin_range_info(pointer);
    bool on_device = out_info->kind == TWIN_MEMORY_DEVICE;
    if (said->type == ACL_MEM_LOCATION_TYPE_DEVICE) {
        int32_t id = -1;
        if (on_device && twin_device_user_id((int32_t)out_info->device, &id) == 0 &&
            (uint32_t)id == said->id)
            return 0;
        return twin_fail(TWIN_ERR_PARAM_RELATION,
                         "item %zu: the %s, %p, is not on device %u, as its attribute says", item,
                         role, pointer, said->id);
    }
    if (!on_device &&
        (said->type == ACL_MEM_LOCATION_TYPE_HOST || said->type == ACL_MEM_LOCATION_TYPE_HOST_NUMA))
        return 0;
    return twin_fail(TWIN_ERR_PARAM_RELATION,
                     "item %zu: the %s, %p, is %s memory, its attribute says location type %d",
                     item, role, pointer, on_device ? "device" : "host", (int)said->type);
}

static int32_t check_items(const batch *b, size_t *out_failed)
{
    size_t attr = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (attr + 1 < b->attr_count && b->indexes[attr + 1] == i)
            attr++;
        if (b->sizes[i] == 0)
            continue;
        *out_failed = i;
        if (!b->dsts[i] || !b->srcs[i])
            return twin_fail(TWIN_ERR_PARAM_NULL, "item %zu: the %s is NULL", i,
                             !b->dsts[i] ? "destination" : "source");
        twin_memory_info dst;
        twin_memory_info src;
        int32_t code = check_place("destination", i, b->dsts[i], &b->attrs[attr].dstLoc, &dst);
        if (code == 0)
            code = check_place("source", i, b->srcs[i], &b->attrs[attr].srcLoc, &src);
        if (code == 0 && (dst.kind == TWIN_MEMORY_DEVICE) == (src.kind == TWIN_MEMORY_DEVICE))
            code = twin_fail(TWIN_ERR_PARAM_RELATION,
                             "item %zu: both sides are %s memory; a batch copies between host and "
                             "device",
                             i, dst.kind == TWIN_MEMORY_DEVICE ? "device" : "host");
        if (code != 0)
            return code;
    }
    *out_failed = SIZE_MAX;
    return 0;
}

/* All checks first, so that a batch that is refused has copied nothing; then the items in their
 * order. */
static int32_t copy_batch(const batch *b, bool async, uint64_t stream, size_t *out_failed)
{
    if (batch_is_empty(b)) {
        *out_failed = SIZE_MAX;
        return 0;
    }
    int32_t code = check_batch(b);
    if (code == 0 && !async && b->count > BATCH_MOST)
        code = twin_fail(TWIN_ERR_PARAM, "numBatches is %zu; at most %u are copied at once",
                         b->count, BATCH_MOST);
    if (code == 0)
        code = check_items(b, out_failed);
    for (size_t i = 0; code == 0 && i < b->count; i++) {
        if (b->sizes[i] == 0 && !async)
            continue;
        if (b->sizes[i] == 0)
            code = twin_fail(TWIN_ERR_PARAM,
                             "item %zu has no bytes; the items before it are queued", i);
        else
            code = async ? twin_memory_copy_async(b->dsts[i], b->dst_bytes[i], b->srcs[i],
                                                  b->sizes[i], TWIN_COPY_DEFAULT, stream)
                         : twin_memory_copy(b->dsts[i], b->dst_bytes[i], b->srcs[i], b->sizes[i]);
        if (code != 0)
            *out_failed = i;
    }
    return code;
}

/* Copies the batch; async: on the stream. */
static int32_t start_batch(const batch *b, bool async, aclrtStream stream, size_t *failIndex)
{
    if (!b->sizes)
        return twin_api_null("sizes");
    if (b->count == 0)
        return twin_fail(TWIN_ERR_ARG_VALUE, "numBatches is 0");
    return failIndex ? copy_batch(b, async, twin_api_handle(stream), failIndex)
                     : twin_api_null("failIndex");
}

aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                          size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                          size_t numAttrs, size_t *failIndex)
{
    TWIN_ENTER_BY_PART(COPY, aclrtMemcpyBatch);
    const batch b = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
    return TWIN_LEAVE(start_batch(&b, false, NULL, failIndex));
}

aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                            size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                            size_t numAttrs)
{
    TWIN_ENTER_BY_PART(COPY, aclrtMemcpyBatchV2);
    const batch b = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
    size_t failed;
    return TWIN_LEAVE(start_batch(&b, false, NULL, &failed));
}

aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                               size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                               size_t numAttrs, size_t *failIndex, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(TRANSFER, aclrtMemcpyBatchAsync);
    const batch b = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
    return TWIN_LEAVE(start_batch(&b, true, stream, failIndex));
}

aclError aclrtMemcpyBatchAsyncV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                                 size_t numBatches, aclrtMemcpyBatchAttr *attrs,
                                 size_t *attrsIndexes, size_t numAttrs, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(TRANSFER, aclrtMemcpyBatchAsyncV2);
    const batch b = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
    size_t failed;
    return TWIN_LEAVE(start_batch(&b, true, stream, &failed));
}
