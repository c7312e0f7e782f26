/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model_instance/label.h"

#include <utlist.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/model_instance/model_instance.h"
#include "core/model_instance/stored_task.h"
#include "core/object/context.h"
#include "core/object/device_area.h"
#include "core/work/stream_value.h"

#define TABLE_ENTRY_BYTES 8u /* as the seam says */

typedef struct twin_label_list {
    twin_object object;
    /* Fixed from publish to release. */
    twin_device *device;
    uint64_t context;
    uint64_t table; /* device address */
    uint32_t count;
    struct twin_label_list *next, *previous; /* guarded by lock */
} twin_label_list;

/* Fields but the object's: guarded by lock. */
typedef struct twin_label {
    twin_object object;
    uint64_t context;
    const twin_device *device;
    uint64_t list;   /* handle; 0: of none */
    uint64_t table;  /* that list's */
    uint32_t index;  /* in it */
    uint64_t stream; /* where it was set; 0: nowhere */
    struct twin_label *next, *previous;
} twin_label;

struct twin_label_ref {
    struct twin_label_ref *next;
    twin_label_list *list; /* pinned */
};

static twin_lock lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_LABELS);
/* Guarded by lock. */
static twin_label *labels;
static twin_label_list *lists;
static uint32_t label_count;

static void release_label(void *object)
{
    twin_handle_free(&twin_labels, object);
}

static void release_list(void *object)
{
    twin_label_list *list = object;
    twin_device *device = list->device;
    twin_ops()->memory.free(list->table);
    twin_handle_free(&twin_label_lists, list);
    twin_device_drop_object(device);
}

twin_handle_table twin_labels =
    TWIN_HANDLE_TABLE_INITIALIZER("label", TWIN_HANDLE_LABEL, twin_label, NULL, release_label);
twin_handle_table twin_label_lists = TWIN_HANDLE_TABLE_INITIALIZER(
    "label list", TWIN_HANDLE_LABEL_LIST, twin_label_list, NULL, release_list);

static void twin_label_unpin(twin_label *one)
{
    twin_handle_unpin(&twin_labels, one);
}
TWIN_PINNED_TYPE(label)

static void twin_label_list_unpin(twin_label_list *list)
{
    twin_handle_unpin(&twin_label_lists, list);
}
TWIN_PINNED_TYPE(label_list)

static int32_t fail_context(uint64_t handle)
{
    return twin_fail(TWIN_ERR_LABEL_CONTEXT,
                     "label %#llx belongs to another context than this thread's",
                     (unsigned long long)handle);
}

static int32_t fail_closing(void)
{
    return twin_fail(TWIN_ERR_CONTEXT_NULL, "the current context is being destroyed");
}

/* What streams hold ---------------------------------------------------------------------------- */

/* A task of the locked stream is about to name the list, which the caller has pinned. */
static int32_t hold_list(twin_stream *stream, twin_label_list *list)
{
    for (const twin_label_ref *held = stream->label_lists; held; held = held->next)
        if (held->list == list)
            return 0;
    twin_label_ref *hold = twin_zalloc(sizeof(*hold));
    if (!hold)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a task that names a list of labels");
    if (!twin_handle_pin_object(list, list->object.handle)) {
        twin_free(hold);
        return twin_fail(TWIN_ERR_HANDLE, "the list of labels was destroyed by another thread");
    }
    hold->list = list;
    LL_PREPEND(stream->label_lists, hold);
    return 0;
}

twin_label_ref *twin_labels_take_held(twin_stream *stream)
{
    twin_label_ref *held = stream->label_lists;
    stream->label_lists = NULL;
    return held;
}

void twin_labels_release(twin_label_ref *held)
{
    twin_label_ref *one, *next;
    LL_FOREACH_SAFE(held, one, next) {
        twin_label_list_unpin(one->list);
        twin_free(one);
    }
}

/* Labels --------------------------------------------------------------------------------------- */

static void unlink_label_locked(twin_label *gone)
{
    DL_DELETE2(labels, gone, previous, next);
    label_count--;
}

int32_t twin_label_create(uint64_t *out_handle)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    twin_label *made = twin_handle_alloc(&twin_labels);
    if (!made)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a label");
    made->context = context->object.handle;
    made->device = context->device;
    made->list = made->table = made->stream = 0;
    made->index = 0;
    TWIN_LOCKED(&context->lock);
    TWIN_LOCKED(&lock);
    if (context->closing) /* which ends its labels before */
        code = fail_closing();
    else if (label_count >= TWIN_LABELS_MOST)
        code = twin_fail(TWIN_ERR_INTERNAL, "the process has %u labels; destroy some first",
                         TWIN_LABELS_MOST);
    if (code != 0) {
        twin_handle_free(&twin_labels, made);
        return code;
    }
    label_count++;
    DL_PREPEND2(labels, made, previous, next);
    *out_handle = twin_handle_publish(made);
    return 0;
}

int32_t twin_label_destroy(uint64_t handle)
{
    twin_context *context = NULL;
    TWIN_PINNED(label, found);
    found = twin_handle_pin(&twin_labels, handle);
    if (!found)
        return twin_fail_handle(twin_labels.kind_name, handle);
    int32_t code = twin_context_current(&context);
    if (code != 0)
        return code;
    TWIN_LOCKED(&lock);
    if (found->context != twin_self.context)
        return fail_context(handle);
    if (!twin_handle_retire(found))
        return twin_fail_handle(twin_labels.kind_name, handle);
    unlink_label_locked(found);
    return 0;
}

/* The place of a label among the tasks of a stream. Stream, model and `lock` are locked. */
static int32_t set_locked(twin_label *found, uint64_t handle, twin_stream *stream)
{
    if (!twin_handle_is(found, handle)) /* another thread has destroyed it meanwhile */
        return twin_fail_handle(twin_labels.kind_name, handle);
    if (found->stream != 0)
        return twin_fail(TWIN_ERR_INTERNAL, "the label is in a stream already");
    if (found->list == 0)
        return twin_fail(TWIN_ERR_INTERNAL,
                         "the label is not in a list; call aclrtCreateLabelList first");
    /* Alive: its end takes it from its labels, under this lock. */
    int32_t code = hold_list(stream, twin_handle_find(&twin_label_lists, found->list));
    if (code != 0)
        return code;
    twin_stored_task *stored = twin_stored_prepare_other(stream, NULL);
    twin_status status =
        stored ? twin_ops()->work.label(stream->queue, found->table, found->index) : TWIN_OK;
    status = twin_device_note(stream->device, twin_stored_end(stream, stored, status));
    if (status == TWIN_OK)
        found->stream = stream->object.handle;
    return twin_instance_fail_work(status, stream->id, stream->device->id);
}

int32_t twin_label_set(uint64_t handle, uint64_t stream_handle)
{
    TWIN_PINNED(label, found);
    found = twin_handle_pin(&twin_labels, handle);
    if (!found)
        return twin_fail_handle(twin_labels.kind_name, handle);
    int32_t code = twin_stream_guard(stream_handle);
    twin_context *context = NULL;
    if (code == 0)
        code = twin_context_current(&context);
    if (code != 0)
        return code;
    twin_lock_take(&lock);
    bool own = found->context == twin_self.context;
    twin_lock_drop(&lock);
    if (!own)
        return fail_context(handle);
    twin_stream *stream = NULL;
    twin_instance *instance = NULL;
    code = twin_instance_lock_stream(stream_handle, &stream, &instance);
    if (code != 0)
        return code;
    twin_lock_take(&lock);
    code = set_locked(found, handle, stream);
    twin_lock_drop(&lock);
    twin_instance_unlock_stream(stream, instance);
    return code;
}

/* Takes one label out of a stream. *out_list: its list, pinned; NULL: it is in none. */
static bool take_from_stream(uint64_t stream, twin_label_list **out_list, uint64_t *out_entry)
{
    twin_label *one;
    TWIN_LOCKED(&lock);
    DL_SEARCH_SCALAR(labels, one, stream, stream);
    if (!one)
        return false;
    one->stream = 0;
    *out_list = one->list == 0 ? NULL : twin_handle_pin(&twin_label_lists, one->list);
    *out_entry = one->table + (uint64_t)one->index * TABLE_ENTRY_BYTES;
    return true;
}

void twin_labels_forget(uint64_t stream)
{
    twin_label_list *list = NULL;
    uint64_t entry = 0;
    while (take_from_stream(stream, &list, &entry)) {
        if (!list)
            continue;
        const twin_fill fill = {.dst = entry, .bytes = TABLE_ENTRY_BYTES, .value = 0xff};
        twin_assert_unlocked("memory.fill with a lock held");
        twin_device_note(list->device, twin_ops()->memory.fill(list->device->hw, &fill));
        twin_handle_unpin(&twin_label_lists, list);
    }
}

/* Lists ---------------------------------------------------------------------------------------- */

/* Gives labels their places in a list; all or none. The lock is held. */
static int32_t join_locked(const twin_label_list *list, uint64_t list_handle, void *const *handles)
{
    uint32_t joined = 0;
    int32_t code = 0;
    while (joined < list->count) {
        uint64_t handle = (uint64_t)(uintptr_t)handles[joined];
        twin_label *one = twin_handle_find(&twin_labels, handle);
        if (!one)
            code = twin_fail_handle(twin_labels.kind_name, handle);
        else if (one->list != 0)
            code = twin_fail(TWIN_ERR_INTERNAL, "labels[%u] is part of a list already", joined);
        else if (one->device != list->device) /* of the device alone: not of the context (LBL-10) */
            code = fail_context(handle);
        if (code != 0)
            break;
        one->list = list_handle;
        one->table = list->table;
        one->index = joined++;
    }
    while (code != 0 && joined > 0) {
        twin_label *one = twin_handle_find(&twin_labels, (uint64_t)(uintptr_t)handles[--joined]);
        one->list = one->table = 0;
    }
    return code;
}

static int32_t make_table(twin_label_list *list)
{
    const struct twin_backend *ops = twin_ops();
    uint64_t bytes = (uint64_t)list->count * TABLE_ENTRY_BYTES;
    twin_status status = twin_device_alloc(list->device, bytes, "labels", &list->table);
    if (status == TWIN_OK) {
        /* No label was set yet. */
        const twin_fill fill = {.dst = list->table, .bytes = bytes, .value = 0xff};
        twin_assert_unlocked("memory.fill with a lock held");
        status = ops->memory.fill(list->device->hw, &fill);
        if (status != TWIN_OK)
            ops->memory.free(list->table);
    }
    return twin_fail_status(twin_device_note(list->device, status), TWIN_CODE_STREAM_TIMEOUT,
                            "device %u, a table of %u labels", list->device->id, list->count);
}

int32_t twin_label_list_create(void *const *handles, size_t count, uint64_t *out_handle)
{
    if (count == 0 || count > TWIN_LABELS_MOST)
        return twin_fail(TWIN_ERR_PARAM, "num is %zu; a list has 1 to %u labels", count,
                         TWIN_LABELS_MOST);
    for (size_t i = 0; i < count; i++)
        if (!twin_handle_find(&twin_labels, (uint64_t)(uintptr_t)handles[i]))
            return twin_fail_handle(twin_labels.kind_name, (uint64_t)(uintptr_t)handles[i]);
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    twin_device *device = context->device;
    if (!twin_device_add_object(device, false))
        return twin_fail(TWIN_ERR_CONTEXT_NULL, "device %u is being reset", device->id);
    twin_label_list *list = twin_handle_alloc(&twin_label_lists);
    if (!list) {
        code = twin_fail(TWIN_ERR_NOMEM, "no host memory for a list of labels");
        goto drop_object;
    }
    list->device = device;
    list->context = context->object.handle;
    list->count = (uint32_t)count;
    code = make_table(list);
    if (code != 0)
        goto free_list;
    twin_lock_take(&context->lock);
    twin_lock_take(&lock);
    /* A list that came after the end of the context's would keep the device from closing. */
    code = context->closing ? fail_closing() : join_locked(list, list->object.handle, handles);
    if (code == 0) {
        DL_PREPEND2(lists, list, previous, next);
        *out_handle = twin_handle_publish(list);
    }
    twin_lock_drop(&lock);
    twin_lock_drop(&context->lock);
    if (code == 0)
        return 0;
    twin_ops()->memory.free(list->table);
free_list:
    twin_handle_free(&twin_label_lists, list);
drop_object:
    twin_device_drop_object(device);
    return code;
}

static void unlink_list_locked(twin_label_list *gone)
{
    DL_DELETE2(lists, gone, previous, next);
    for (twin_label *one = labels; one; one = one->next)
        if (one->list == gone->object.handle)
            one->list = one->table = 0;
}

int32_t twin_label_list_destroy(uint64_t handle)
{
    TWIN_PINNED(label_list, list);
    list = twin_handle_pin(&twin_label_lists, handle);
    if (!list)
        return twin_fail_handle(twin_label_lists.kind_name, handle);
    twin_context *context = NULL;
    int32_t code = twin_context_current(&context);
    if (code != 0)
        return code;
    TWIN_LOCKED(&lock);
    if (!twin_handle_retire(list))
        return twin_fail_handle(twin_label_lists.kind_name, handle);
    unlink_list_locked(list);
    return 0;
}

int32_t twin_label_jump(uint64_t index_address, uint32_t count, uint64_t list_handle,
                        uint64_t stream_handle)
{
    twin_stream *stream = NULL;
    twin_instance *instance = NULL;
    int32_t code = twin_instance_lock_stream(stream_handle, &stream, &instance);
    if (code != 0)
        return code;
    uint32_t id = stream->id, device_id = stream->device->id;
    /* After the stream, whose state is reported first (KRN-98). Unpinned without a lock. */
    TWIN_PINNED(label_list, list);
    list = twin_handle_pin(&twin_label_lists, list_handle);
    if (!list)
        code = twin_fail_handle(twin_label_lists.kind_name, list_handle);
    else if (count == 0 || count > list->count)
        code =
            twin_fail(TWIN_ERR_PARAM, "maxValue is %u; the list has %u labels", count, list->count);
    else if (list->device != stream->device)
        code = twin_fail(TWIN_ERR_PARAM, "the list is of device %u, the stream of device %u",
                         list->device->id, device_id);
    else
        code = twin_value_check_word("ptr", index_address, 4, stream->device, NULL);
    if (code == 0)
        code = hold_list(stream, list);
    twin_status status = TWIN_OK;
    if (code == 0) {
        twin_stored_task *stored = twin_stored_prepare_other(stream, NULL);
        if (stored)
            status = twin_ops()->work.jump(stream->queue, index_address, list->table, count);
        status = twin_device_note(stream->device, twin_stored_end(stream, stored, status));
    }
    twin_instance_unlock_stream(stream, instance);
    return code != 0 ? code : twin_instance_fail_work(status, id, device_id);
}

/* The end of a context ------------------------------------------------------------------------- */

/* Retires and drops one label or list of the context. False: none is left. */
static bool end_one(uint64_t context)
{
    TWIN_PINNED(label_list, list);
    TWIN_PINNED(label, one);
    twin_label *label;
    twin_label_list *of;
    TWIN_LOCKED(&lock);
    DL_SEARCH_SCALAR(labels, label, context, context);
    if (label && twin_handle_pin_object(label, label->object.handle)) {
        one = label;
        twin_handle_retire(one);
        unlink_label_locked(one);
        return true;
    }
    DL_SEARCH_SCALAR(lists, of, context, context);
    if (of && twin_handle_pin_object(of, of->object.handle)) {
        list = of;
        twin_handle_retire(list);
        unlink_list_locked(list);
        return true;
    }
    return false;
}

void twin_labels_close(uint64_t context)
{
    while (end_one(context))
        ;
}
