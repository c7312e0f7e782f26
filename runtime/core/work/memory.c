/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/memory.h"

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/lock.h"
#include "core/object/context.h"
#include "core/object/capture_mode.h"
#include "core/object/stream.h"
#include "core/work/overflow.h"
#include "core/work/range.h"

/* Allocate and free ---------------------------------------------------------------------------- */

int32_t twin_memory_check_context(const uint32_t *device)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code != 0 || !device || *device == context->device->id)
        return code;
    return twin_fail(TWIN_ERR_PARAM,
                     "the attribute device id is %u; memory is allocated on the current device, %u",
                     *device, context->device->id);
}

int32_t twin_memory_alloc(const twin_allocation *allocation, void **out_pointer)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    uint64_t address = 0;
    twin_status status = twin_device_note(
        context->device, twin_ops()->memory.alloc(context->device->hw, allocation, &address));
    if (status == TWIN_OK)
        *out_pointer = (void *)(uintptr_t)address; /* the user's pointer is the device's address */
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "%llu bytes on device %u",
                            (unsigned long long)allocation->bytes, context->device->id);
}

/* Refuses to free what is not the start of an allocation of that kind. */
static int32_t check_free(const void *pointer, twin_memory_kind kind)
{
    twin_memory_info info = twin_range_info(pointer);
    if (info.kind == TWIN_MEMORY_MANAGED && kind == TWIN_MEMORY_DEVICE)
        info.kind = kind; /* both are freed with aclrtFree */
    if (info.kind == kind && info.base == (uint64_t)(uintptr_t)pointer) {
        if (kind != TWIN_MEMORY_DEVICE || !twin_overflow_is(info.device, info.base))
            return 0;
        return twin_fail(
            TWIN_ERR_PARAM,
            "%p contains the overflow flags of its device, which belong to the runtime", pointer);
    }
    if (info.kind == TWIN_MEMORY_REGISTERED || info.kind == TWIN_MEMORY_MAPPED)
        return twin_fail(TWIN_ERR_PARAM,
                         "%p is memory of the program that is registered with a device; end that "
                         "with aclrtHostUnregister",
                         pointer);
    if (info.kind == TWIN_MEMORY_UNKNOWN || info.kind == TWIN_MEMORY_GONE)
        return twin_fail(
            TWIN_ERR_PARAM,
            "%p is not an allocation of the runtime: it was freed, or is of another allocator",
            pointer);
    if (info.kind != kind)
        return twin_fail(TWIN_ERR_PARAM, "%p is %s memory; free it with %s", pointer,
                         info.kind == TWIN_MEMORY_DEVICE ? "device" : "page-locked host",
                         info.kind == TWIN_MEMORY_DEVICE ? "aclrtFree" : "aclrtFreeHost");
    return twin_fail(TWIN_ERR_PARAM, "%p is inside the allocation that starts at %#llx; free that",
                     pointer, (unsigned long long)info.base);
}

int32_t twin_memory_free(void *pointer)
{
    int32_t code = check_free(pointer, TWIN_MEMORY_DEVICE);
    if (code != 0)
        return code;
    return twin_fail_status(twin_ops()->memory.free((uint64_t)(uintptr_t)pointer),
                            TWIN_CODE_STREAM_TIMEOUT, "%p", pointer);
}

int32_t twin_memory_alloc_host(const twin_allocation *allocation, void **out_pointer)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    return twin_fail_status(twin_ops()->memory.host_alloc(allocation, out_pointer),
                            TWIN_CODE_STREAM_TIMEOUT, "%llu bytes of page-locked host memory",
                            (unsigned long long)allocation->bytes);
}

int32_t twin_memory_free_host(void *pointer)
{
    int32_t code = check_free(pointer, TWIN_MEMORY_HOST_PINNED);
    if (code != 0)
        return code;
    return twin_fail_status(twin_ops()->memory.host_free(pointer), TWIN_CODE_STREAM_TIMEOUT, "%p",
                            pointer);
}

int32_t twin_memory_free_drained(void *pointer)
{
    const int32_t code = twin_stream_drain_all(TWIN_FOREVER);
    return code != 0 ? code : twin_memory_free(pointer);
}

int32_t twin_memory_free_host_drained(void *pointer)
{
    const int32_t code = twin_stream_drain_all(TWIN_FOREVER);
    return code != 0 ? code : twin_memory_free_host(pointer);
}

int32_t twin_memory_space(uint32_t page_class, size_t *out_free, size_t *out_total)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    uint64_t unused = 0, total = 0;
    twin_status status = twin_ops()->memory.space(context->device->hw, page_class, &unused, &total);
    if (status == TWIN_OK) {
        *out_free = (size_t)unused;
        *out_total = (size_t)total;
    }
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "device %u", context->device->id);
}

int32_t twin_memory_map_peer(void *pointer, uint64_t bytes, int32_t device)
{
    TWIN_PINNED(context, context);
    twin_device *other = NULL;
    int32_t code = twin_device_find(device, &other);
    if (code == 0)
        code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    const twin_memory_info info = twin_range_info(pointer);
    code = twin_range_check("range", pointer, bytes, &info);
    if (code == 0 && info.kind != TWIN_MEMORY_DEVICE)
        code = twin_fail(TWIN_ERR_PARAM, "%p is not memory of a device", pointer);
    if (code == 0)
        code = twin_range_check_owner("range", &info, other);
    if (code != 0 || info.device == other->hw_index)
        return code;
    const twin_status status =
        twin_ops()->memory.map_peer((uint64_t)(uintptr_t)pointer, bytes, other->hw_index);
    if (status == TWIN_E_UNSUPPORTED) /* it reaches it anyway */
        return 0;
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "%p for device %u", pointer,
                            other->id);
}

/* Copy ----------------------------------------------------------------------------------------- */

static int32_t copy_now(twin_device *device, const twin_copy *copy)
{
    twin_assert_unlocked("memory.copy with a lock held");
    twin_status status = twin_device_note(device, twin_ops()->memory.copy(device->hw, copy));
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "%llu bytes from %#llx to %#llx",
                            (unsigned long long)copy->bytes, (unsigned long long)copy->src,
                            (unsigned long long)copy->dst);
}

static inline twin_copy copy_of(const twin_range_pair *pair, size_t bytes)
{
    return (twin_copy){.dst = (uint64_t)(uintptr_t)pair->dst,
                       .src = (uint64_t)(uintptr_t)pair->src,
                       .bytes = bytes,
                       .sides = twin_range_sides(pair)};
}

int32_t twin_memory_copy(void *dst, size_t dst_bytes, const void *src, size_t bytes)
{
    int32_t code = twin_range_check_room(bytes, dst_bytes);
    if (code != 0 || dst == src)
        return code;
    TWIN_PINNED(context, context);
    code = twin_context_pin_current(&context);
    if (code != 0)
        return code;

    twin_range_pair pair;
    twin_range_find(&pair, dst, bytes, src, bytes);
    const twin_copy copy = copy_of(&pair, bytes);
    code = twin_device_refuse_aborting(context->device, "cannot copy");
    if (code == 0)
        code = twin_range_check_both(&pair, bytes, bytes);
    if (code == 0)
        code = twin_range_check_overlap(dst, src, bytes);
    if (code == 0)
        code = twin_range_check_peer(context->device, &pair);
    if (code == 0)
        code = twin_range_check_foreign(context->device, &pair, false);
    if (code == 0)
        code = twin_capture_mode_check(false);
    return code != 0 ? code : copy_now(context->device, &copy);
}

/* Pins a stream of the current context whose tasks run on submission. */
int32_t twin_memory_pin_active(uint64_t handle, twin_stream **out_stream)
{
    int32_t code = twin_stream_pin_own(handle, out_stream);
    if (code != 0)
        return code;
    const bool captured =
        atomic_load_explicit(&(*out_stream)->halt, memory_order_relaxed) == TWIN_HALT_CAPTURE;
    if (((*out_stream)->flags & TWIN_STREAM_PASSIVE) == 0 && !captured)
        return 0;
    if (captured)
        code = twin_fail(TWIN_ERR_PARAM,
                         "stream %u is in capture, and a copy of pageable host memory cannot be "
                         "part of that; use page-locked memory",
                         (*out_stream)->id);
    else
        code = twin_fail(
            TWIN_ERR_UNSUPPORTED,
            "stream %u was created with flags %#x: its tasks run after this call, when the "
            "program may have freed pageable host memory; use page-locked memory",
            (*out_stream)->id, (*out_stream)->flags);
    twin_stream_unpin(*out_stream);
    *out_stream = NULL;
    return code;
}

/* The pageable case: after all earlier work of the stream, and over when this returns. The backend
 * finds the sides itself: what was found before the drain may have been freed since. */
static int32_t copy_after_drain(const twin_copy *copy, uint64_t handle)
{
    const twin_copy late = {.dst = copy->dst, .src = copy->src, .bytes = copy->bytes};
    TWIN_PINNED(stream, stream);
    int32_t code = twin_memory_pin_active(handle, &stream);
    if (code == 0)
        code = twin_stream_drain(stream, TWIN_FOREVER);
    if (code == 0)
        code = twin_capture_mode_check(true);
    return code != 0 ? code : copy_now(stream->device, &late);
}

/* The stream keeps a copy of the source until the task has run once. */
static int32_t check_snapshot(uint64_t handle)
{
    TWIN_PINNED(stream, own);
    TWIN_PINNED(stream, active);
    int32_t code = twin_stream_pin_own(handle, &own);
    if (code == 0 && twin_stream_is_bound(own))
        code =
            twin_fail(TWIN_ERR_PARAM,
                      "stream %u is bound to a model instance; the source of this kind of copy is "
                      "not kept for its runs, use ACL_MEMCPY_HOST_TO_DEVICE",
                      own->id);
    return code != 0 ? code : twin_memory_pin_active(handle, &active);
}

/* Takes the source into page-locked memory and queues the copy from there. */
static int32_t copy_from_snapshot(const twin_copy *copy, uint64_t handle)
{
    const struct twin_backend *ops = twin_ops();
    int32_t code = check_snapshot(handle);
    if (code != 0)
        return code;
    void *snapshot = NULL;
    code = twin_fail_status(
        ops->memory.host_alloc(&(twin_allocation){.bytes = copy->bytes,
                                                  .module = TWIN_MODULE_RUNTIME,
                                                  .what = "the source of a buffered copy"},
                               &snapshot),
        TWIN_CODE_STREAM_TIMEOUT, "%llu bytes of page-locked memory for the source",
        (unsigned long long)copy->bytes);
    if (code != 0)
        return code;
    if (!twin_range_read(snapshot, copy->src, copy->bytes)) {
        ops->memory.host_free(snapshot);
        return twin_fail(TWIN_ERR_PARAM, "the source, %llu bytes at %#llx, is not readable",
                         (unsigned long long)copy->bytes, (unsigned long long)copy->src);
    }
    twin_copy staged = *copy;
    staged.src = (uint64_t)(uintptr_t)snapshot;
    staged.sides.src = (twin_side){.kind = TWIN_MEMORY_HOST_PINNED};
    code = twin_stream_submit(handle, &(twin_task){.kind = TWIN_TASK_COPY, .copy = &staged});
    /* Its pages live until the task has retired: the seam promises that of host_free. */
    ops->memory.host_free(snapshot);
    return code;
}

/* The context of a stream that was found; stream 0 becomes the context's default stream. */
static inline int32_t use_stream(twin_stream *found, uint64_t *stream, twin_context **out_context)
{
    const int32_t code = twin_stream_check_found(found, *stream, out_context);
    if (code == 0 && *stream == 0)
        *stream = atomic_load_explicit(&(*out_context)->default_stream, memory_order_relaxed);
    return code;
}

int32_t twin_memory_copy_async(void *dst, size_t dst_bytes, const void *src, size_t bytes,
                               twin_copy_kind kind, uint64_t stream)
{
    twin_stream *found = NULL;
    int32_t code = twin_stream_find(stream, &found);
    if (code == 0)
        code = twin_range_check_room(bytes, dst_bytes);
    if (code != 0)
        return code;
    twin_range_pair pair;
    twin_range_find(&pair, dst, bytes, src, bytes);
    code = twin_range_check_kind(&pair, kind);
    if (code != 0 || dst == src)
        return code;

    twin_context *context = NULL;
    code = use_stream(found, &stream, &context);
    if (code != 0)
        return code;
    code = twin_range_check_both(&pair, bytes, bytes);
    if (code == 0)
        code = twin_range_check_overlap(dst, src, bytes);
    if (code == 0)
        code = twin_range_check_owners(&pair, context->device);
    if (code == 0)
        code = twin_range_check_foreign(context->device, &pair, kind == TWIN_COPY_DEVICE_TO_DEVICE);
    if (code != 0)
        return code;

    const twin_copy copy = copy_of(&pair, bytes);
    if (kind == TWIN_COPY_HOST_TO_BUFFER_TO_DEVICE)
        return copy_from_snapshot(&copy, stream);
    if (pair.to.kind == TWIN_MEMORY_UNKNOWN || pair.from.kind == TWIN_MEMORY_UNKNOWN)
        return copy_after_drain(&copy, stream);
    return twin_stream_submit(stream,
                              &(twin_task){.kind = TWIN_TASK_COPY, .copy = &copy, .stream = found});
}

/* Fill ----------------------------------------------------------------------------------------- */

static int32_t fill_now(twin_device *device, const twin_fill *fill)
{
    twin_assert_unlocked("memory.fill with a lock held");
    twin_status status = twin_device_note(device, twin_ops()->memory.fill(device->hw, fill));
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "%llu bytes at %#llx",
                            (unsigned long long)fill->bytes, (unsigned long long)fill->dst);
}

int32_t twin_memory_fill(const twin_fill *fill, size_t dst_bytes)
{
    int32_t code = twin_range_check_room(fill->bytes, dst_bytes);
    if (code != 0)
        return code;
    TWIN_PINNED(context, context);
    code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    const void *dst = (const void *)(uintptr_t)fill->dst;
    const twin_memory_info to = twin_range_info_of(dst, fill->bytes);
    twin_fill found = *fill;
    found.side = twin_range_side(&to);
    code = twin_device_refuse_aborting(context->device, "cannot fill memory");
    if (code == 0)
        code = twin_range_check("destination", dst, fill->bytes, &to);
    if (code == 0)
        code = twin_capture_mode_check(false);
    return code != 0 ? code : fill_now(context->device, &found);
}

int32_t twin_memory_fill_async(const twin_fill *fill, size_t dst_bytes, uint64_t stream)
{
    const void *dst = (const void *)(uintptr_t)fill->dst;
    twin_stream *found = NULL;
    int32_t code = twin_stream_find(stream, &found);
    if (code == 0)
        code = twin_range_check_room(fill->bytes, dst_bytes);
    if (code != 0)
        return code;
    twin_context *context = NULL;
    code = use_stream(found, &stream, &context);
    if (code != 0)
        return code;
    const twin_memory_info to = twin_range_info_of(dst, fill->bytes);
    code = twin_range_check("destination", dst, fill->bytes, &to);
    if (code == 0)
        code = twin_range_check_owner("destination", &to, context->device);
    if (code != 0)
        return code;

    twin_fill task = *fill;
    task.side = twin_range_side(&to);
    if (twin_range_on_device(&to))
        return twin_stream_submit(
            stream, &(twin_task){.kind = TWIN_TASK_FILL, .fill = &task, .stream = found});

    TWIN_PINNED(stream, pinned);
    code = twin_memory_pin_active(stream, &pinned);
    /* Host memory is filled at once: a stream that is held must not hold the caller (MEM-131b). */
    return code != 0 ? code : fill_now(pinned->device, &task);
}

/* Rows ----------------------------------------------------------------------------------------- */

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

static void find_rows(twin_range_pair *pair, const twin_rows *rows)
{
    twin_range_find(pair, (const void *)(uintptr_t)rows->dst, twin_rows_span(rows, rows->dst_pitch),
                    (const void *)(uintptr_t)rows->src, twin_rows_span(rows, rows->src_pitch));
}

static int32_t check_rows(const twin_rows *rows, const twin_range_pair *pair)
{
    return twin_range_check_both(pair, twin_rows_span(rows, rows->dst_pitch),
                                 twin_rows_span(rows, rows->src_pitch));
}

static int32_t copy_rows_now(twin_device *device, const twin_rows *rows)
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
    find_rows(&pair, rows);
    twin_rows copy = *rows;
    copy.sides = twin_range_sides(&pair);
    const bool to_device = twin_range_on_device(&pair.to);
    code = check_rows(rows, &pair);
    if (code == 0 && to_device == twin_range_on_device(&pair.from))
        code = twin_fail(TWIN_ERR_PARAM_RELATION,
                         "both sides are %s memory; this copies between host and device",
                         to_device ? "device" : "host");
    if (code == 0)
        code = twin_capture_mode_check(false);
    return code != 0 ? code : copy_rows_now(context->device, &copy);
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
    find_rows(&pair, rows);
    code = twin_range_check_kind(&pair, kind);
    if (code != 0)
        return code;
    twin_context *context = NULL;
    code = use_stream(found, &stream, &context);
    if (code != 0)
        return code;
    code = check_rows(rows, &pair);
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
    if (code == 0)
        code = twin_capture_mode_check(true);
    return code != 0 ? code : copy_rows_now(pinned->device, rows);
}
