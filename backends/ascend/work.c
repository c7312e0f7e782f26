/* SPDX-License-Identifier: Apache-2.0 */
/* Work of queues. */
#include <string.h>

#include "process.h"

twin_status ascend_work_copy(twin_queue *queue, const twin_copy *copy)
{
    twin_status status = ascend_use_queue(queue);
    if (__builtin_expect(status != TWIN_OK, 0))
        return status;
    aclrtMemcpyKind kind = ascend_copy_kind(copy->dst, copy->src, &copy->sides);
    if (kind != ACL_MEMCPY_DEVICE_TO_DEVICE)
        ascend_pinned_use(kind == ACL_MEMCPY_HOST_TO_DEVICE ? copy->src : copy->dst, queue);
    return ascend_status(vendor.copy_async(ascend_pointer(copy->dst), copy->bytes,
                                           ascend_pointer(copy->src), copy->bytes, kind,
                                           queue->stream));
}

twin_status ascend_work_copy_rows(twin_queue *queue, const twin_rows *rows)
{
    twin_status status = ascend_use_queue_for(queue, vendor.copy_rows_async != NULL);
    if (status != TWIN_OK)
        return status;
    aclrtMemcpyKind kind = ascend_copy_kind(rows->dst, rows->src, &rows->sides);
    if (kind != ACL_MEMCPY_DEVICE_TO_DEVICE)
        ascend_pinned_use(kind == ACL_MEMCPY_HOST_TO_DEVICE ? rows->src : rows->dst, queue);
    return ascend_status(vendor.copy_rows_async(ascend_pointer(rows->dst), rows->dst_pitch,
                                                ascend_pointer(rows->src), rows->src_pitch,
                                                rows->width, rows->height, kind, queue->stream));
}

twin_status ascend_work_fill(twin_queue *queue, const twin_fill *fill)
{
    if (fill->words)
        return ASCEND_CALL(ascend_use_queue_for(queue, vendor.fill_words_async != NULL),
                           vendor.fill_words_async(ascend_pointer(fill->dst), fill->bytes,
                                                   fill->value, fill->bytes / 4, queue->stream));
    return ASCEND_CALL(ascend_use_queue(queue),
                       vendor.fill_async(ascend_pointer(fill->dst), fill->bytes,
                                         (int32_t)fill->value, fill->bytes, queue->stream));
}

twin_status ascend_work_reduce(twin_queue *queue, const twin_reduce *reduce)
{
    static const aclrtReduceKind kinds[] = {[TWIN_REDUCE_ADD] = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                                            [TWIN_REDUCE_MAX] = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX,
                                            [TWIN_REDUCE_MIN] = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN};
    static const aclDataType types[] = {
        [TWIN_ELEMENT_INT8] = ACL_INT8,     [TWIN_ELEMENT_INT16] = ACL_INT16,
        [TWIN_ELEMENT_INT32] = ACL_INT32,   [TWIN_ELEMENT_UINT8] = ACL_UINT8,
        [TWIN_ELEMENT_UINT16] = ACL_UINT16, [TWIN_ELEMENT_UINT32] = ACL_UINT32,
        [TWIN_ELEMENT_FP16] = ACL_FLOAT16,  [TWIN_ELEMENT_FP32] = ACL_FLOAT,
        [TWIN_ELEMENT_BF16] = ACL_BF16};
    return ASCEND_CALL(ascend_use_queue_for(queue, vendor.reduce_async != NULL),
                       vendor.reduce_async(ascend_pointer(reduce->dst), ascend_pointer(reduce->src),
                                           reduce->bytes, kinds[reduce->op], types[reduce->element],
                                           queue->stream, NULL));
}

static aclrtRandomParaInfo random_value(const twin_random_value *value, uint8_t bytes)
{
    aclrtRandomParaInfo out = {.isAddr = value->is_address ? 1 : 0,
                               .size = value->is_address ? 8 : bytes};
    memcpy(out.valueOrAddr, &value->value, sizeof(out.valueOrAddr));
    return out;
}

twin_status ascend_work_random(twin_queue *queue, const twin_random *random)
{
    static const struct {
        aclDataType type;
        uint8_t bytes;
    } types[] = {[TWIN_RANDOM_INT32] = {ACL_INT32, 4},   [TWIN_RANDOM_INT64] = {ACL_INT64, 8},
                 [TWIN_RANDOM_UINT32] = {ACL_UINT32, 4}, [TWIN_RANDOM_UINT64] = {ACL_UINT64, 8},
                 [TWIN_RANDOM_BF16] = {ACL_BF16, 2},     [TWIN_RANDOM_FP16] = {ACL_FLOAT16, 2},
                 [TWIN_RANDOM_FP32] = {ACL_FLOAT, 4}};
    const uint8_t bytes = types[random->type].bytes;
    aclrtRandomNumTaskInfo info = {.dataType = types[random->type].type,
                                   .randomParaAddr = ascend_pointer(random->params),
                                   .randomResultAddr = ascend_pointer(random->dst),
                                   .randomCounterAddr = ascend_pointer(random->counter),
                                   .randomSeed = random_value(&random->seed, 8),
                                   .randomNum = random_value(&random->count, 8)};
    aclrtRandomNumFuncParaInfo *function = &info.randomNumFuncParaInfo;
    function->funcType = (aclrtRandomNumFuncType)random->function;
    /* The parameters of all distributions have the same places. */
    function->paramInfo.uniformDisInfo.min = random_value(&random->first, bytes);
    if (random->function != TWIN_RANDOM_DROPOUT)
        function->paramInfo.uniformDisInfo.max = random_value(&random->second, bytes);
    return ASCEND_CALL(ascend_use_queue_for(queue, vendor.random_async != NULL),
                       vendor.random_async(&info, queue->stream, NULL));
}

static aclrtCmoType cmo_type(twin_range_op op)
{
    return (aclrtCmoType)((int)op - TWIN_RANGE_PREFETCH);
}

twin_status ascend_work_described(twin_queue *queue, uint64_t at, twin_range_op op)
{
    if (op == TWIN_RANGE_COPY)
        return ASCEND_CALL(ascend_use_queue_for(queue, vendor.copy_described != NULL),
                           vendor.copy_described(ascend_pointer(at),
                                                 ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, queue->stream));
    return ASCEND_CALL(
        ascend_use_queue_for(queue, vendor.cache_described != NULL),
        vendor.cache_described(ascend_pointer(at), cmo_type(op), queue->stream, NULL));
}

twin_status ascend_work_maintain(twin_queue *queue, const twin_maintenance *maintenance)
{
    return ASCEND_CALL(ascend_use_queue_for(queue, vendor.cache != NULL),
                       vendor.cache(ascend_pointer(maintenance->address), maintenance->bytes,
                                    cmo_type(maintenance->op), queue->stream));
}

/* The room of the destination was checked above; only the offset is left of it. */
twin_status ascend_work_copy_based(twin_queue *queue, const twin_based_copy *copy)
{
    return ASCEND_CALL(ascend_use_queue_for(queue, vendor.copy_based != NULL),
                       vendor.copy_based(ascend_pointer(copy->dst), copy->dst_offset + copy->bytes,
                                         copy->dst_offset, (const void **)ascend_pointer(copy->src),
                                         copy->bytes, copy->src_offset,
                                         ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, queue->stream));
}

twin_status ascend_work_record(twin_queue *queue, twin_signal *signal)
{
    twin_status status = ascend_use_queue(queue);
    if (__builtin_expect(status != TWIN_OK, 0))
        return status;
    if (signal->kind == TWIN_SIGNAL_NOTIFY)
        status = vendor.record_notify
                     ? ascend_status(vendor.record_notify(signal->object, queue->stream))
                     : TWIN_E_UNSUPPORTED;
    else
        status = ascend_status(vendor.record_event(signal->object, queue->stream));
    if (status == TWIN_OK)
        atomic_store_explicit(&signal->recorded, true, memory_order_relaxed);
    return status;
}

static twin_status wait_event(twin_queue *queue, const twin_signal *signal, uint64_t timeout_ns)
{
    if (timeout_ns == TWIN_FOREVER)
        return ascend_status(vendor.wait_event(queue->stream, signal->object));
    if (!vendor.wait_event_for)
        return TWIN_E_UNSUPPORTED;
    return ascend_status(
        vendor.wait_event_for(queue->stream, signal->object, (int32_t)ascend_seconds(timeout_ns)));
}

twin_status ascend_work_wait(twin_queue *queue, twin_signal *signal, uint64_t timeout_ns)
{
    twin_status status = ascend_use_queue(queue);
    if (__builtin_expect(status != TWIN_OK, 0))
        return status;
    if (signal->kind != TWIN_SIGNAL_NOTIFY)
        return wait_event(queue, signal, timeout_ns);
    if (!vendor.wait_notify)
        return TWIN_E_UNSUPPORTED;
    return ascend_status(
        vendor.wait_notify(signal->object, queue->stream,
                           timeout_ns == TWIN_FOREVER ? 0 : ascend_seconds(timeout_ns)));
}

twin_status ascend_work_reset(twin_queue *queue, twin_signal *signal)
{
    return ASCEND_CALL(ascend_use_queue_for(queue, vendor.reset_event != NULL),
                       vendor.reset_event(signal->object, queue->stream));
}

twin_status ascend_work_write_value(twin_queue *queue, uint64_t address, uint64_t value,
                                    twin_side side)
{
    (void)side;
    return ASCEND_CALL(ascend_use_queue_for(queue, vendor.value_write != NULL),
                       vendor.value_write(ascend_pointer(address), value, 0, queue->stream));
}

twin_status ascend_work_wait_value(twin_queue *queue, const twin_value_wait *wait)
{
    static const uint32_t relations[] = {[TWIN_VALUE_GEQ] = ACL_STREAM_WAIT_VALUE_GEQ,
                                         [TWIN_VALUE_EQ] = ACL_STREAM_WAIT_VALUE_EQ,
                                         [TWIN_VALUE_AND] = ACL_STREAM_WAIT_VALUE_AND,
                                         [TWIN_VALUE_NOR] = ACL_STREAM_WAIT_VALUE_NOR};
    return ASCEND_CALL(ascend_use_queue_for(queue, vendor.value_wait != NULL),
                       vendor.value_wait(ascend_pointer(wait->address), wait->value,
                                         relations[wait->relation], queue->stream));
}

twin_status ascend_work_count(twin_queue *queue, twin_signal *signal,
                              const twin_count_change *change)
{
    static const aclrtCntNotifyRecordMode modes[] = {
        [TWIN_COUNT_SET] = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE,
        [TWIN_COUNT_ADD] = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE,
        [TWIN_COUNT_OR] = ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE,
        [TWIN_COUNT_AND] = ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE};
    aclrtCntNotifyRecordInfo info = {.mode = modes[change->mode], .value = change->value};
    return ASCEND_CALL(ascend_use_queue_for(queue, vendor.count_record != NULL),
                       vendor.count_record(signal->object, queue->stream, &info));
}

twin_status ascend_work_wait_count(twin_queue *queue, twin_signal *signal,
                                   const twin_count_wait *wait)
{
    static const aclrtCntNotifyWaitMode modes[] = {
        [TWIN_COUNT_LESS] = ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE,
        [TWIN_COUNT_EQUAL] = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE,
        [TWIN_COUNT_GREATER] = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE,
        [TWIN_COUNT_GREATER_OR_EQUAL] = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE,
        [TWIN_COUNT_MASK] = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE};
    aclrtCntNotifyWaitInfo info = {
        .mode = modes[wait->relation],
        .value = wait->value,
        .timeout = wait->timeout_ns == TWIN_FOREVER ? 0 : ascend_seconds(wait->timeout_ns),
        .isClear = wait->clear};
    return ASCEND_CALL(ascend_use_queue_for(queue, vendor.count_wait != NULL),
                       vendor.count_wait(signal->object, queue->stream, &info));
}
