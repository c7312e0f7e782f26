/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/memcpy_2d.h"

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/lock.h"
#include "core/object/context.h"
#include "core/object/stream.h"
#include "core/work/range.h"

static const void *at(uint64_t address)
{
    return (const void *)(uintptr_t)address;
}

static int32_t check_size(const twin_rows *rows)
{
    if (rows->height > TWIN_ROWS_HEIGHT_MOST)
        return twin_fail(TWIN_ERR_PARAM, "height is %llu; at most %u rows are copied at once",
                         (unsigned long long)rows->height, TWIN_ROWS_HEIGHT_MOST);
    if (rows->width > TWIN_ROWS_WIDTH_MOST)
        return twin_fail(TWIN_ERR_PARAM, "width is %llu; a row has at most %u bytes",
                         (unsigned long long)rows->width, TWIN_ROWS_WIDTH_MOST);
    uint64_t pitch = rows->dst_pitch > rows->src_pitch ? rows->dst_pitch : rows->src_pitch;
    if (rows->height > 1 && pitch > (UINT64_MAX - rows->width) / (rows->height - 1))
        return twin_fail(TWIN_ERR_PARAM, "%llu rows at a pitch of %llu bytes are not a valid range",
                         (unsigned long long)rows->height, (unsigned long long)pitch);
    return 0;
}

static int32_t check_sides(const twin_rows *rows, const twin_range_pair *pair)
{
    return twin_range_check_both(pair, twin_rows_span(rows, rows->dst_pitch),
                                 twin_rows_span(rows, rows->src_pitch));
}

static int32_t copy_now(twin_device *device, const twin_rows *rows)
{
    twin_assert_unlocked("memory.copy_rows with a lock held");
    twin_status status = twin_device_note(device, twin_ops()->memory.copy_rows(device->hw, rows));
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                            "%llu rows of %llu bytes from %#llx to %#llx",
                            (unsigned long long)rows->height, (unsigned long long)rows->width,
                            (unsigned long long)rows->src, (unsigned long long)rows->dst);
}

int32_t twin_rows_copy(const twin_rows *rows)
{
    int32_t code = check_size(rows);
    if (code != 0)
        return code;
    TWIN_PINNED(context, context);
    code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    twin_range_pair pair;
    twin_range_find(&pair, at(rows->dst), at(rows->src));
    twin_rows copy = *rows;
    copy.sides = twin_range_sides(&pair);
    const bool to_device = pair.to.kind == TWIN_MEMORY_DEVICE;
    code = check_sides(rows, &pair);
    if (code == 0 && to_device == (pair.from.kind == TWIN_MEMORY_DEVICE))
        code = twin_fail(TWIN_ERR_PARAM_RELATION,
                         "both sides are %s memory; this copies between host and device",
                         to_device ? "device" : "host");
    return code != 0 ? code : copy_now(context->device, &copy);
}

int32_t twin_rows_copy_async(const twin_rows *rows, twin_copy_kind kind, uint64_t stream)
{
    twin_stream *found = NULL;
    int32_t code = twin_stream_find(stream, &found);
    if (code == 0)
        code = check_size(rows);
    if (code != 0)
        return code;
    twin_range_pair pair;
    twin_range_find(&pair, at(rows->dst), at(rows->src));
    code = twin_range_check_kind(&pair, kind);
    if (code != 0)
        return code;
    twin_context *context = NULL;
    code = twin_stream_check_found(found, stream, &context);
    if (code != 0)
        return code;
    if (stream == 0)
        stream = atomic_load_explicit(&context->default_stream, memory_order_relaxed);
    code = check_sides(rows, &pair);
    if (code == 0)
        code = twin_range_check_owners(&pair, context->device);
    if (code != 0)
        return code;
    if (pair.to.kind != TWIN_MEMORY_UNKNOWN && pair.from.kind != TWIN_MEMORY_UNKNOWN) {
        twin_rows copy = *rows;
        copy.sides = twin_range_sides(&pair);
        return twin_stream_submit(
            stream, &(twin_task){.kind = TWIN_TASK_COPY_ROWS, .rows = &copy, .stream = found});
    }

    TWIN_PINNED(stream, pinned);
    code = twin_memory_pin_active(stream, &pinned);
    if (code == 0)
        code = twin_stream_drain(pinned, TWIN_FOREVER);
    return code != 0 ? code : copy_now(pinned->device, rows);
}
