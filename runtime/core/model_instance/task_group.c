/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model_instance/task_group.h"

#include "core/backend/error.h"
#include "core/base/alloc.h"
#include "core/model_instance/instance_parts.h"
#include "core/model_instance/instance_task.h"
#include "core/model_instance/stored_task.h"

static void release(void *object)
{
    twin_task_group *group = object;
    twin_free(group->tasks);
    twin_handle_free(&twin_task_groups, group);
}

twin_handle_table twin_task_groups =
    TWIN_HANDLE_TABLE_INITIALIZER("task group", TWIN_HANDLE_GROUP, twin_task_group, NULL, release);

/* Which stream updates which group. */
static twin_lock groups_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_GROUPS);

void twin_group_unpin(twin_task_group *group)
{
    twin_handle_unpin(&twin_task_groups, group);
}

int32_t twin_group_create(twin_instance *instance, twin_task_group **out_group)
{
    twin_task_group *group = NULL;
    if (twin_instance_make_room((void **)&instance->groups, instance->group_count,
                                &instance->group_room, sizeof(struct twin_task_group *)))
        group = twin_handle_alloc(&twin_task_groups);
    if (!group)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a task group");
    group->instance_id = instance->id;
    group->instance = instance->object.handle;
    group->tasks = NULL;
    group->count = group->room = group->next = 0;
    group->updater = 0;
    group->late = false;
    twin_handle_publish_pinned(group);
    instance->groups[instance->group_count++] = group;
    *out_group = group;
    return 0;
}

int32_t twin_group_add(twin_task_group *group, const twin_group_task *task)
{
    if (!twin_instance_make_room((void **)&group->tasks, group->count, &group->room,
                                 sizeof(*group->tasks)))
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a task group");
    task->stored->group = group;
    task->stored->member = group->count;
    group->tasks[group->count++] = *task;
    return 0;
}

/* A stream that may update groups, pinned. */
static int32_t pin_updater(uint64_t handle, twin_stream **out_stream)
{
    int32_t code = twin_stream_pin_own(handle, out_stream);
    if (code == 0)
        code = twin_stream_check_not_captured(*out_stream);
    if (code == 0 && twin_stream_is_bound(*out_stream))
        code = twin_fail(TWIN_ERR_STREAM_MODEL, "stream %u is bound to a model instance",
                         (*out_stream)->id);
    return code;
}

/* Whether no other stream updates the group; notes that this one does. */
static bool claim(twin_task_group *group, uint64_t stream)
{
    TWIN_LOCKED(&groups_lock);
    const bool free = group->updater == 0;
    if (free)
        group->updater = stream;
    return free;
}

static void give_up(twin_task_group *group)
{
    twin_lock_take(&groups_lock);
    group->updater = 0;
    twin_lock_drop(&groups_lock);
    twin_group_unpin(group);
}

int32_t twin_group_update_begin(uint64_t stream_handle, uint64_t group_handle)
{
    TWIN_PINNED(stream, stream);
    int32_t code = pin_updater(stream_handle, &stream);
    if (code != 0)
        return code;
    twin_task_group *group = twin_handle_pin(&twin_task_groups, group_handle);
    if (!group)
        return twin_fail_handle(twin_task_groups.kind_name, group_handle);
    if (!claim(group, stream->object.handle)) {
        twin_group_unpin(group);
        return twin_fail(TWIN_ERR_GROUP_STATUS,
                         "the task group is being updated; call aclmdlRICaptureTaskUpdateEnd on "
                         "the stream that does it");
    }
    twin_lock_take(&stream->lock);
    const uint8_t halt = atomic_load_explicit(&stream->halt, memory_order_relaxed);
    if (halt == 0) {
        atomic_store_explicit(&stream->halt, TWIN_HALT_UPDATE, memory_order_relaxed);
        stream->updates = group;
        group->next = 0;
        group->late = false;
    }
    twin_lock_drop(&stream->lock);
    if (halt == 0)
        return 0; /* the pin is the stream's now */
    give_up(group);
    return halt == TWIN_HALT_UPDATE
               ? twin_fail(TWIN_ERR_GROUP_STATUS, "stream %u updates a task group already",
                           stream->id)
               : twin_stream_fail_halted(halt, stream->id, stream->device->id);
}

/* Takes the group from its stream; NULL: it updates none. */
static twin_task_group *take_group(twin_stream *stream)
{
    TWIN_LOCKED(&stream->lock);
    twin_task_group *group = stream->updates;
    stream->updates = NULL;
    atomic_fetch_and_explicit(&stream->halt, (uint8_t)~TWIN_HALT_UPDATE, memory_order_relaxed);
    return group;
}

/* Runs that were queued have the old kernels. Other changes wait for aclmdlRIUpdate, and then this
 * one does, too. No lock is held. */
static int32_t end_late(const twin_task_group *group)
{
    TWIN_PINNED(instance, instance);
    instance = twin_handle_pin(&twin_model_instances, group->instance);
    if (!instance)
        return 0;
    twin_instance *root = instance->root ? instance->root : instance;
    twin_lock_take(&root->lock);
    const bool alone = root->late;
    twin_lock_drop(&root->lock);
    const int32_t code = alone ? twin_instance_wait_for_runs(instance) : 0;
    return alone && code == 0 ? twin_instance_renew(instance) : code;
}

int32_t twin_group_update_end(uint64_t handle)
{
    TWIN_PINNED(stream, stream);
    int32_t code = pin_updater(handle, &stream);
    if (code != 0)
        return code;
    twin_task_group *group = take_group(stream);
    if (!group)
        return twin_fail(TWIN_ERR_GROUP_STATUS,
                         "stream %u updates no task group; call aclmdlRICaptureTaskUpdateBegin "
                         "first",
                         stream->id);
    if (group->next != group->count)
        code =
            twin_fail(TWIN_ERR_INTERNAL,
                      "the task group of model instance %u has %u kernels, and %u were launched on "
                      "stream %u; launch one for each. The others are not replaced",
                      group->instance_id, group->count, group->next, stream->id);
    if (group->late) {
        const int32_t late_code = end_late(group);
        code = code != 0 ? code : late_code;
    }
    give_up(group);
    return code;
}

bool twin_groups_claim(twin_instance *instance)
{
    TWIN_LOCKED(&groups_lock);
    for (uint32_t i = 0; i < instance->group_count; i++)
        if (instance->groups[i]->updater != 0)
            return false;
    for (uint32_t i = 0; i < instance->group_count; i++)
        instance->groups[i]->updater = instance->object.handle;
    return true;
}

void twin_groups_give_up(twin_instance *instance)
{
    TWIN_LOCKED(&groups_lock);
    for (uint32_t i = 0; i < instance->group_count; i++)
        instance->groups[i]->updater = 0;
}

void twin_groups_end(twin_instance *instance)
{
    twin_lock_take(&groups_lock);
    twin_task_group **groups = instance->groups;
    const uint32_t count = instance->group_count;
    instance->groups = NULL;
    instance->group_count = 0;
    twin_lock_drop(&groups_lock);
    for (uint32_t i = 0; i < count; i++) {
        (void)twin_handle_retire(groups[i]);
        twin_group_unpin(groups[i]);
    }
    twin_free(groups);
}

void twin_group_forget(twin_stream *stream)
{
    twin_task_group *group = take_group(stream);
    if (group)
        give_up(group);
}
