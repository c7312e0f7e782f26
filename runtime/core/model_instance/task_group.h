/* SPDX-License-Identifier: Apache-2.0 */
/* Task groups: kernels of a captured model instance that can become other ones. The instance owns
 * them; their handles end with it. */
#ifndef TWINRT_CORE_MODEL_INSTANCE_TASK_GROUP_H
#define TWINRT_CORE_MODEL_INSTANCE_TASK_GROUP_H

#include "core/model_instance/model_instance.h"

typedef struct twin_group_task {
    uint64_t stream; /* handle of the instance's stream that has it */
    uint64_t place;  /* there, as diag.newest_task counts */
    twin_launch_cores cores;
    struct twin_stored_task *stored; /* of that stream */
} twin_group_task;

typedef struct twin_task_group {
    twin_object object;
    /* Fixed once the capture of the group has ended. */
    uint32_t instance_id;
    uint64_t instance; /* handle */
    twin_group_task *tasks;
    uint32_t count, room;
    /* Of the stream that updates it, guarded by twin_groups_lock; 0: none does. */
    uint64_t updater;
    /* Guarded by the lock of that stream. */
    uint32_t next; /* the task that its next kernel replaces */
    bool late;     /* the backend does not change tasks: the end of the update does */
} twin_task_group;

extern twin_handle_table twin_task_groups;

/* A group of an instance in capture, which pins it. 207001. */
int32_t twin_group_create(twin_instance *instance, twin_task_group **out_group);
int32_t twin_group_add(twin_task_group *group, const twin_group_task *task);
void twin_group_unpin(twin_task_group *group);

/* aclmdlRICaptureTaskUpdateBegin: kernels that are launched on the stream from now on replace those
 * of the group, in its order. 107005: the stream is bound; 107017; 107027: in capture; 107033: it
 * updates a group, or another stream updates this one. */
int32_t twin_group_update_begin(uint64_t stream, uint64_t group);
/* aclmdlRICaptureTaskUpdateEnd. 107005, 107027; 107033: the stream updates no group; 507000: not
 * all of its kernels were replaced. */
int32_t twin_group_update_end(uint64_t stream);
/* No stream updates a group of the instance until it is given up; false: one does. */
bool twin_groups_claim(twin_instance *instance);
void twin_groups_give_up(twin_instance *instance);
/* All groups of an instance that ends become dead. */
void twin_groups_end(twin_instance *instance);
/* A stream that updates a group is destroyed. */
void twin_group_forget(twin_stream *stream);

#endif
