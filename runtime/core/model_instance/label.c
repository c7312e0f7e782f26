/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model_instance/label.h"

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/model_instance/model_instance.h"
#include "core/object/context.h"
#include "core/work/stream_value.h"

#define TABLE_ENTRY_BYTES 8u /* as the seam says */

typedef struct label_list {
    twin_object object;
    /* Fixed from publish to release. */
    twin_device *device;
    uint64_t context;
    uint64_t table; /* device address */
    uint32_t count;
    struct label_list *next, *previous; /* guarded by lock */
} label_list;

/* Fields but the object's: guarded by lock. */
typedef struct label {
    twin_object object;
    uint64_t context;
    const twin_device *device;
    uint64_t list;   /* handle; 0: of none */
    uint64_t table;  /* that list's */
    uint32_t index;  /* in it */
    uint64_t stream; /* where it stands; 0: nowhere */
    struct label *next, *previous;
} label;

struct twin_label_ref {
    struct twin_label_ref *next;
    label_list *list; /* pinned */
};

static twin_lock lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_LABELS);
/* Guarded by lock. */
static label *labels;
static label_list *lists;
static uint32_t label_count;

static void construct(void *object)
{
    (void)object;
}

static void release_label(void *object)
{
    twin_handle_free(&twin_labels, object);
}

static void release_list(void *object)
{
    label_list *list = object;
    twin_device *device = list->device;
    twin_ops()->memory.free(list->table);
    twin_handle_free(&twin_label_lists, list);
    twin_device_drop_object(device);
}

twin_handle_table twin_labels =
    TWIN_HANDLE_TABLE_INITIALIZER("label", TWIN_HANDLE_LABEL, label, construct, release_label);
twin_handle_table twin_label_lists = TWIN_HANDLE_TABLE_INITIALIZER(
    "label list", TWIN_HANDLE_LABEL_LIST, label_list, construct, release_list);

static int32_t fail_handle(const twin_handle_table *table, uint64_t handle)
{
    return twin_fail(TWIN_ERR_HANDLE,
                     "%#llx is no live %s: it was destroyed, or is another kind of object",
                     (unsigned long long)handle, table->kind_name);
}

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

/* What streams hold -------------------------------------------------------------------------------- */

/* A task of the locked stream is about to name the list, which the caller has pinned. */
static int32_t hold_list(twin_stream *stream, label_list *list)
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
    hold->next = stream->label_lists;
    stream->label_lists = hold;
    return 0;
}

twin_label_ref *twin_labels_take_held(twin_stream *stream)
{
    twin_label_ref *held = stream->label_lists;
    stream->label_lists = NULL;
    return held;
}

void twin_labels_let_go(twin_label_ref *held)
{
    while (held) {
        twin_label_ref *next = held->next;
        twin_handle_unpin(&twin_label_lists, held->list);
        twin_free(held);
        held = next;
    }
}

/* Labels ------------------------------------------------------------------------------------------ */

static void unlink_label_locked(label *gone)
{
    if (gone->previous)
        gone->previous->next = gone->next;
    else
        labels = gone->next;
    if (gone->next)
        gone->next->previous = gone->previous;
    label_count--;
}

int32_t twin_label_create(uint64_t *out_handle)
{
    twin_context *context = NULL;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    label *made = twin_handle_alloc(&twin_labels);
    if (!made) {
        code = twin_fail(TWIN_ERR_NOMEM, "no host memory for a label");
        goto unpin;
    }
    made->context = context->object.handle;
    made->device = context->device;
    made->list = made->table = made->stream = 0;
    made->index = 0;
    twin_lock_take(&context->lock);
    twin_lock_take(&lock);
    bool open = !context->closing; /* else nobody would end it */
    bool fits = label_count < TWIN_LABELS_MOST;
    if (open && fits) {
        label_count++;
        made->previous = NULL;
        made->next = labels;
        if (labels)
            labels->previous = made;
        labels = made;
        *out_handle = twin_handle_publish(made);
    }
    twin_lock_drop(&lock);
    twin_lock_drop(&context->lock);
    if (!open || !fits)
        twin_handle_free(&twin_labels, made);
    if (!open)
        code = fail_closing();
    else if (!fits)
        code = twin_fail(TWIN_ERR_INTERNAL, "the process has %u labels; destroy some first",
                         TWIN_LABELS_MOST);
unpin:
    twin_context_unpin(context);
    return code;
}

int32_t twin_label_destroy(uint64_t handle)
{
    twin_context *context = NULL;
    label *found = twin_handle_pin(&twin_labels, handle);
    if (!found)
        return fail_handle(&twin_labels, handle);
    int32_t code = twin_context_current(&context);
    if (code == 0) {
        twin_lock_take(&lock);
        bool own = found->context == twin_self.context;
        bool first = own && twin_handle_retire(found);
        if (first)
            unlink_label_locked(found);
        twin_lock_drop(&lock);
        if (!own)
            code = fail_context(handle);
        else if (!first)
            code = fail_handle(&twin_labels, handle);
    }
    twin_handle_unpin(&twin_labels, found);
    return code;
}

int32_t twin_label_set(uint64_t handle, uint64_t stream_handle)
{
    label *found = twin_handle_pin(&twin_labels, handle);
    if (!found)
        return fail_handle(&twin_labels, handle);
    int32_t code = twin_stream_guard(stream_handle);
    twin_context *context = NULL;
    if (code == 0)
        code = twin_context_current(&context);
    if (code != 0)
        goto unpin;
    twin_lock_take(&lock);
    bool own = found->context == twin_self.context;
    twin_lock_drop(&lock);
    if (!own) {
        code = fail_context(handle);
        goto unpin;
    }
    twin_stream *stream = NULL;
    twin_instance *instance = NULL;
    code = twin_instance_lock_stream(stream_handle, &stream, &instance);
    if (code != 0)
        goto unpin;
    uint32_t id = stream->id, device_id = stream->device->id;
    twin_status status = TWIN_OK;
    twin_lock_take(&lock);
    if (!twin_handle_is(found, handle)) { /* another thread has destroyed it meanwhile */
        code = fail_handle(&twin_labels, handle);
    } else if (found->stream != 0) {
        code = twin_fail(TWIN_ERR_INTERNAL, "the label stands in a stream already");
    } else if (found->list == 0) {
        code = twin_fail(TWIN_ERR_INTERNAL,
                         "the label is of no list; call aclrtCreateLabelList first");
    } else {
        /* Alive: its end takes it from its labels, under this lock. */
        code = hold_list(stream, twin_handle_find(&twin_label_lists, found->list));
    }
    if (code == 0) {
        status = twin_device_note(
            stream->device, twin_ops()->work.label(stream->queue, found->table, found->index));
        if (status == TWIN_OK)
            found->stream = stream->object.handle;
    }
    twin_lock_drop(&lock);
    twin_instance_unlock_stream(stream, instance);
    if (code == 0)
        code = twin_instance_fail_work(status, id, device_id);
unpin:
    twin_handle_unpin(&twin_labels, found);
    return code;
}

/* Takes one label out of a stream. *out_list: its list, pinned; NULL: none is there to be told. */
static bool take_from_stream(uint64_t stream, label_list **out_list, uint64_t *out_entry)
{
    twin_lock_take(&lock);
    label *one = labels;
    while (one && one->stream != stream)
        one = one->next;
    if (one) {
        one->stream = 0;
        *out_list = one->list == 0 ? NULL : twin_handle_pin(&twin_label_lists, one->list);
        *out_entry = one->table + (uint64_t)one->index * TABLE_ENTRY_BYTES;
    }
    twin_lock_drop(&lock);
    return one != NULL;
}

void twin_labels_forget(uint64_t stream)
{
    label_list *list = NULL;
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

/* Lists ------------------------------------------------------------------------------------------- */

/* Gives labels their places in a list; all or none. The lock is held. */
static int32_t join_locked(const label_list *list, uint64_t list_handle, void *const *handles)
{
    uint32_t joined = 0;
    int32_t code = 0;
    while (joined < list->count) {
        uint64_t handle = (uint64_t)(uintptr_t)handles[joined];
        label *one = twin_handle_find(&twin_labels, handle);
        if (!one)
            code = fail_handle(&twin_labels, handle);
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
        label *one = twin_handle_find(&twin_labels, (uint64_t)(uintptr_t)handles[--joined]);
        one->list = one->table = 0;
    }
    return code;
}

static int32_t make_table(label_list *list)
{
    const struct twin_backend *ops = twin_ops();
    uint64_t bytes = (uint64_t)list->count * TABLE_ENTRY_BYTES;
    twin_status status =
        ops->memory.alloc(list->device->hw, bytes, TWIN_PAGES_DEFAULT, &list->table);
    if (status == TWIN_OK) {
        /* No label stands anywhere yet. */
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
            return fail_handle(&twin_labels, (uint64_t)(uintptr_t)handles[i]);
    twin_context *context = NULL;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    twin_device *device = context->device;
    label_list *list = NULL;
    if (!twin_device_add_object(device, false)) {
        code = twin_fail(TWIN_ERR_CONTEXT_NULL, "device %u is being reset", device->id);
        goto unpin;
    }
    list = twin_handle_alloc(&twin_label_lists);
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
    uint64_t handle = list->object.handle;
    /* A list that came after the end of the context's would keep the device from closing. */
    code = context->closing ? fail_closing() : join_locked(list, handle, handles);
    if (code == 0) {
        list->previous = NULL;
        list->next = lists;
        if (lists)
            lists->previous = list;
        lists = list;
        *out_handle = twin_handle_publish(list);
    }
    twin_lock_drop(&lock);
    twin_lock_drop(&context->lock);
    if (code == 0)
        goto unpin;
    twin_ops()->memory.free(list->table);
free_list:
    twin_handle_free(&twin_label_lists, list);
drop_object:
    twin_device_drop_object(device);
unpin:
    twin_context_unpin(context);
    return code;
}

static void unlink_list_locked(label_list *gone)
{
    if (gone->previous)
        gone->previous->next = gone->next;
    else
        lists = gone->next;
    if (gone->next)
        gone->next->previous = gone->previous;
    for (label *one = labels; one; one = one->next)
        if (one->list == gone->object.handle)
            one->list = one->table = 0;
}

int32_t twin_label_list_destroy(uint64_t handle)
{
    label_list *list = twin_handle_pin(&twin_label_lists, handle);
    if (!list)
        return fail_handle(&twin_label_lists, handle);
    twin_context *context = NULL;
    int32_t code = twin_context_current(&context);
    if (code == 0) {
        twin_lock_take(&lock);
        bool first = twin_handle_retire(list);
        if (first)
            unlink_list_locked(list);
        twin_lock_drop(&lock);
        if (!first)
            code = fail_handle(&twin_label_lists, handle);
    }
    twin_handle_unpin(&twin_label_lists, list);
    return code;
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
    /* After the stream, whose state is reported first (KRN-98). */
    label_list *list = twin_handle_pin(&twin_label_lists, list_handle);
    if (!list)
        code = fail_handle(&twin_label_lists, list_handle);
    else if (count == 0 || count > list->count)
        code =
            twin_fail(TWIN_ERR_PARAM, "maxValue is %u; the list has %u labels", count, list->count);
    else if (list->device != stream->device)
        code = twin_fail(TWIN_ERR_PARAM, "the list is of device %u, the stream of device %u",
                         list->device->id, device_id);
    else
        code = twin_value_check_word("ptr", index_address, 4, stream->device);
    if (code == 0)
        code = hold_list(stream, list);
    twin_status status = TWIN_OK;
    if (code == 0)
        status =
            twin_device_note(stream->device, twin_ops()->work.jump(stream->queue, index_address,
                                                                   list->table, count));
    twin_instance_unlock_stream(stream, instance);
    if (code == 0)
        code = twin_instance_fail_work(status, id, device_id);
    if (list)
        twin_handle_unpin(&twin_label_lists, list);
    return code;
}

/* The end of a context ---------------------------------------------------------------------------- */

/* One label or list of the context, retired and pinned. Both NULL: none is left. */
static void take_one(uint64_t context, label **out_label, label_list **out_list)
{
    *out_label = NULL;
    *out_list = NULL;
    twin_lock_take(&lock);
    label *one = labels;
    while (one && one->context != context)
        one = one->next;
    label_list *list = lists;
    while (list && list->context != context)
        list = list->next;
    if (one && twin_handle_pin_object(one, one->object.handle)) {
        twin_handle_retire(one);
        unlink_label_locked(one);
        *out_label = one;
    } else if (list && twin_handle_pin_object(list, list->object.handle)) {
        twin_handle_retire(list);
        unlink_list_locked(list);
        *out_list = list;
    }
    twin_lock_drop(&lock);
}

void twin_labels_close(uint64_t context)
{
    for (;;) {
        label *one = NULL;
        label_list *list = NULL;
        take_one(context, &one, &list);
        if (!one && !list)
            return;
        if (one)
            twin_handle_unpin(&twin_labels, one);
        if (list)
            twin_handle_unpin(&twin_label_lists, list);
    }
}
