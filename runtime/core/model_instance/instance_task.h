/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of model instances as programs look at them and change them.
 *
 * A handle of a task is dead when the stream's tasks are dropped, or the stream ends. All functions
 * answer 107017 then. What aclmdlRITaskSetParams and aclmdlRITaskDisable change is noted; the
 * device has it with aclmdlRIUpdate, which makes the tasks of each changed stream anew. */
#ifndef TWINRT_CORE_MODEL_INSTANCE_INSTANCE_TASK_H
#define TWINRT_CORE_MODEL_INSTANCE_INSTANCE_TASK_H

#include "core/model_instance/stored_task.h"
#include "core/work/launch.h"

/* With the public values: aclmdlRITaskType. */
typedef enum twin_instance_task_kind {
    TWIN_SHOWN_OTHER,
    TWIN_SHOWN_KERNEL,
    TWIN_SHOWN_RECORD,
    TWIN_SHOWN_WAIT,
    TWIN_SHOWN_RESET,
    TWIN_SHOWN_WRITE_VALUE,
    TWIN_SHOWN_WAIT_VALUE
} twin_instance_task_kind;

/* What a program sees of a task. */
typedef struct twin_instance_task_view {
    twin_instance_task_kind kind;
    uint64_t group;          /* handle of its task group; 0: none */
    twin_launch_view launch; /* KERNEL */
    uint64_t event;          /* RECORD, WAIT, RESET: handle, which may be dead */
    uint32_t event_flags;    /* 0: of a dead one */
    twin_value_wait value;   /* WRITE_VALUE, WAIT_VALUE */
} twin_instance_task_view;

twin_instance_task_kind twin_instance_task_kind_of(const twin_stored_task *stored);

/* aclmdlRIGetTasksByStream. tasks NULL: the number only. Else *count is the room, and then how many
 * were written; the places behind them become NULL. 107000: the stream is bound to no instance.
 * 107002; 107017; 107039: there are more; 207001. */
int32_t twin_instance_task_list(uint64_t stream, void **tasks, uint32_t *count);
/* aclmdlRITaskGetType. */
int32_t twin_instance_task_get_kind(uint64_t task, twin_instance_task_kind *out_kind);
/* aclmdlRITaskGetSeqId. 207000: not of a captured instance. */
int32_t twin_instance_task_get_number(uint64_t task, uint32_t *out_number);
/* aclmdlRITaskGetParams (`parameters`) and aclmdlRIKernelTaskGetAttribute. 107000: a task of
 * another kind; 207000: a kernel of an instance that was not captured; or the driver does not offer
 * the parameters of tasks. */
int32_t twin_instance_task_look(uint64_t task, bool parameters, twin_instance_task_view *out_view);

/* aclmdlRITaskSetParams: the task becomes a kernel, which it was before, or writes or waits for a
 * value. The instance does not run before twin_instance_update(), and after most refusals never.
 * 107000: the task, or what it is to become; 107040: the instance runs, or is in capture; 207000:
 * not captured; and what refuses such a task on a stream. */
int32_t twin_instance_task_set_kernel(uint64_t task, uint64_t function, uint32_t blocks,
                                      const twin_launch_config *config,
                                      const twin_launch_args *args);
int32_t twin_instance_task_set_value(uint64_t task, twin_task_kind kind, twin_value_wait value);
/* The refusal of parameters that are wrong whatever the task: the instance is faulty. Returns
 * `code`, or why the task cannot be changed at all. */
int32_t twin_instance_task_refuse(uint64_t task, int32_t code);
/* aclmdlRITaskDisable: the task is left out. As set. */
int32_t twin_instance_task_disable(uint64_t task);
/* aclmdlRIUpdate. 107004, 107017; 107040: it runs, or is faulty; 207000: not captured, or a changed
 * stream has functions of the host for a thread of the program. */
int32_t twin_instance_update(uint64_t instance);
/* What aclmdlRIUpdate does with the changes of a pinned captured instance. No stream updates its
 * task groups but the caller's. As twin_instance_update(). */
int32_t twin_instance_renew(struct twin_instance *instance);

/* aclmdlRIDebugPrint: a line of the log for each task. 107004, 107017. */
int32_t twin_instance_print(uint64_t instance);
/* aclmdlRIDebugJsonPrint: the file is the user's alone. `verbose`: with arguments of kernels.
 * 107000: it cannot be written. 107004, 107017. */
int32_t twin_instance_print_json(uint64_t instance, const char *path, bool verbose);

#endif
