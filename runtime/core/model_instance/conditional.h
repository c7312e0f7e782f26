/* SPDX-License-Identifier: Apache-2.0 */
/* Conditional tasks of captured model instances: a word in device memory chooses which graph runs,
 * or whether a graph runs again. docs/decisions/0041-captures.md.
 *
 * A condition handle has the word. The task that uses it has graphs: model instances whose streams
 * belong to the hardware instance of their root, the instance that is executed. The root's list has
 * the handles of its own and of all graphs below it, and ends them.
 *
 * Fields but the fixed ones: guarded by twin_capture_lock, which the callers hold. */
#ifndef TWINRT_CORE_MODEL_INSTANCE_CONDITIONAL_H
#define TWINRT_CORE_MODEL_INSTANCE_CONDITIONAL_H

#include "core/model_instance/model_instance.h"

/* With the public values: aclmdlRICondTaskType. */
typedef enum twin_conditional_type {
    TWIN_CONDITIONAL_IF,    /* word != 0: graphs[0], else graphs[1] if there is one */
    TWIN_CONDITIONAL_WHILE, /* graphs[0] as long as word != 0 */
    TWIN_CONDITIONAL_SWITCH /* graphs[word] if there is one */
} twin_conditional_type;

typedef struct twin_conditional {
    twin_object object;
    /* Fixed from publish to release. */
    twin_device *device;
    uint64_t instance; /* handle: the model instance that may have the task */
    uint32_t instance_id;
    uint64_t word; /* device address, 8 bytes */
    uint64_t initial;
    bool assigns; /* `initial` at the begin of each run of the root */
    /* Of the task; graphs NULL: there is none yet. */
    twin_conditional_type type;
    twin_instance **graphs; /* pinned */
    uint32_t count;
    uint64_t numbers;     /* device address: 0 .. count - 1, 8 bytes each */
    twin_stream *chooser; /* of the instance: its tasks choose */
    twin_stream *after;   /* of the instance: goes on after the graph */
    struct twin_conditional *next;
} twin_conditional;

extern twin_handle_table twin_conditionals;

void twin_conditional_unpin(twin_conditional *conditional);
TWIN_PINNED_TYPE(conditional)

/* Device memory of `count` words: 0, 1, ... No lock is held. 207001. */
int32_t twin_conditional_numbers(twin_device *device, uint32_t count, uint64_t *out_address);
/* A handle for a pinned instance in capture, whose word at `word` is 0; the memory is its own on
 * success. Returns 207001. */
int32_t twin_conditional_create(twin_instance *instance, uint64_t word, uint64_t initial,
                                bool assigns, uint64_t *out_handle);
/* Whether the handle means a live condition. 107017. */
int32_t twin_conditional_guard(uint64_t handle);
/* aclmdlRICondHandleGetCondPtr. 107002, 107017. */
int32_t twin_conditional_word(uint64_t handle, uint64_t *out_address);
/* Gives it `count` new graphs of the root, or none on failure. 207001. */
int32_t twin_conditional_make_graphs(twin_conditional *conditional, twin_instance *root,
                                     twin_conditional_type type, uint32_t count);
/* Ends the graphs, which have no capture. */
void twin_conditional_drop_graphs(twin_conditional *conditional);
/* Ends the handles of a root whose streams are unbound. No lock is held. */
void twin_conditionals_end(twin_instance *root);

/* The instance that runs the tasks of `instance`. */
static inline twin_instance *twin_conditional_root(twin_instance *instance)
{
    return instance->root ? instance->root : instance;
}

#endif
