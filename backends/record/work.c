/* SPDX-License-Identifier: Apache-2.0 */
#include "ops.h"

twin_status record_work_copy(twin_queue *queue, const twin_copy *copy)
{
    RECORD_WORK_BEGIN(WORK_COPY);
    f->dst = copy->dst;
    f->src = copy->src;
    f->bytes = copy->bytes;
    record_called(&call);
    uint64_t seq = call.seq;
    twin_status status =
        record_work_ended(queue, &call, f, before, record_below.work.copy(queue->inner, copy));
    if (__builtin_expect(record_data_wanted, 0) && status == TWIN_OK)
        record_contents(seq, copy->src, copy->bytes, copy->bytes, 1);
    return status;
}

twin_status record_work_branch(twin_queue *queue, const twin_branch *branch)
{
    RECORD_WORK_BEGIN(WORK_BRANCH);
    f->to = branch->to->number;
    f->condition = (uint32_t)branch->condition;
    f->left = branch->left;
    f->right = branch->right;
    f->wide = branch->wide;
    twin_branch inner = *branch;
    inner.to = branch->to->inner;
    record_called(&call);
    return record_work_ended(queue, &call, f, before,
                             record_below.work.branch(queue->inner, &inner));
}

twin_status record_work_copy_rows(twin_queue *queue, const twin_rows *rows)
{
    RECORD_WORK_BEGIN(WORK_COPY_ROWS);
    f->dst = rows->dst;
    f->src = rows->src;
    f->dst_pitch = rows->dst_pitch;
    f->src_pitch = rows->src_pitch;
    f->width = rows->width;
    f->height = rows->height;
    record_called(&call);
    uint64_t seq = call.seq;
    twin_status status =
        record_work_ended(queue, &call, f, before, record_below.work.copy_rows(queue->inner, rows));
    if (__builtin_expect(record_data_wanted, 0) && status == TWIN_OK)
        record_contents(seq, rows->src, rows->width, rows->src_pitch, rows->height);
    return status;
}
