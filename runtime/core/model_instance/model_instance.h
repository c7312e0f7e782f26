/* SPDX-License-Identifier: Apache-2.0 */
/* Model instances: persistent streams whose tasks run, together, each time the instance is
 * executed. A program builds one itself, or captures the work of streams (core/capture).
 *
 * A stream is bound to one instance at a time. Tasks queued on it stay. EndTask says where the
 * instance ends, BuildEnd completes it; from then on its streams take no tasks. Binding, unbinding
 * and cleaning open it again: the next execution checks anew that it is whole.
 *
 * Locks: the stream's, then the instance's. An instance pins the streams bound to it; who runs it
 * pins the instance. */
#ifndef TWINRT_CORE_MODEL_INSTANCE_MODEL_INSTANCE_H
#define TWINRT_CORE_MODEL_INSTANCE_MODEL_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/object/context.h"
#include "core/object/stream.h"

/* How a stream is bound, with the public values: it begins with the instance, or is led to. */
#define TWIN_INSTANCE_HEAD       0x00000000u
#define TWIN_INSTANCE_WAITS      0x7fffffffu
#define TWIN_INSTANCE_NAME_BYTES 512u /* as aclmdlRIGetName gives it, with the end */
/* How long aclmdlRIDestroy and aclmdlRIUnbindStream wait for runs. */
#define TWIN_INSTANCE_PATIENCE_NS UINT64_C(10000000000)

typedef void (*twin_instance_farewell)(void *user);

typedef struct twin_bound_stream {
    twin_stream *stream; /* pinned */
    bool head;
} twin_bound_stream;

typedef struct twin_farewell {
    twin_instance_farewell call;
    void *user;
} twin_farewell;

/* An event that each run waits for first, or records last. */
typedef struct twin_external {
    uint64_t event; /* handle, which may be dead */
    bool waits;
} twin_external;

typedef struct twin_instance {
    twin_object object;
    twin_lock lock;
    /* Fixed from publish to release. */
    twin_device *device;
    twin_context *context;
    uint64_t context_handle;
    twin_hw_instance *hw; /* of a graph: its root's */
    uint32_t id;
    bool captured;              /* made by aclmdlRICaptureBegin */
    _Atomic uint32_t next_task; /* number of the next task; relaxed */
    /* Of a graph of a conditional task: the instance that runs it, pinned, and the task. NULL. */
    struct twin_instance *root;
    const struct twin_conditional *task;
    /* Guarded by lock. */
    bool capturing;           /* its capture has not ended */
    bool begun;               /* of a graph: its capture has begun once */
    const twin_stream *entry; /* of a graph: its stream that begins; NULL: not captured */
    bool destroying;          /* takes no call any more, unless the destroyer gives up */
    bool closing;             /* its context ends: no giving up */
    bool ended;               /* a thread takes it apart */
    bool built;               /* aclmdlRIBuildEnd succeeded once */
    bool sealed;              /* complete as it is now */
    bool changed;             /* tasks were; aclmdlRIUpdate is to follow */
    bool late;                /* by updates of task groups alone, whose ends will do it */
    bool faulty;              /* changing its tasks has failed: it never runs again */
    twin_stream *end_stream;  /* has the end; NULL: none */
    twin_bound_stream *bound;
    uint32_t bound_count, bound_room;
    uint32_t seen_count;       /* of these, the program sees so many at most */
    struct twin_event **edges; /* of a captured one: set and reset by its tasks; pinned */
    uint32_t edge_count, edge_room;
    struct twin_task_group **groups; /* of a captured one; pinned */
    uint32_t group_count, group_room;
    struct twin_conditional *conditionals; /* of it and of its graphs, newest first */
    twin_external *externals;              /* of a captured one; fixed once its capture has ended */
    uint32_t external_count, external_room;
    twin_farewell *farewells;
    uint32_t farewell_count, farewell_room;
    char name[TWIN_INSTANCE_NAME_BYTES];
    /* Guarded by context->lock. */
    struct twin_instance *next, *previous;
} twin_instance;

extern twin_handle_table twin_model_instances;

void twin_instance_unpin(twin_instance *instance);
TWIN_PINNED_TYPE(instance)

/* The functions take handles of the public interface. All answer 107017 for a dead handle, 107002
 * without a context, 107004 for an instance and 107003 for a stream of another context. */

/* aclmdlRIBuildBegin. 207001. */
int32_t twin_instance_create(uint64_t *out_handle);
/* aclmdlRIBindStream. 107000: no persistent stream, or a captured instance. 107005: bound already.
 * 207000: made for fast launch. */
int32_t twin_instance_bind(uint64_t handle, uint64_t stream, bool head);
/* aclmdlRIUnbindStream. Waits for runs. 107000: a captured instance. 107005: not bound to it.
 * 107037: a run does not end. */
int32_t twin_instance_unbind(uint64_t handle, uint64_t stream);
/* aclmdlRIEndTask. 107000: a captured instance. 507000: not bound to it, or it has an end. */
int32_t twin_instance_end(uint64_t handle, uint64_t stream);
/* aclmdlRIBuildEnd. 107000: a captured instance. 107005: no stream, no head stream, tasks that name
 * streams of others. 507011: no end. */
int32_t twin_instance_build(uint64_t handle);
/* aclmdlRIExecuteAsync; stream 0: the default stream. 107000: a stream that cannot run it. 107026:
 * the capture has not ended; 107027: the stream is in capture. 207000: a graph of a conditional
 * task. 507011: not complete. */
int32_t twin_instance_execute_async(uint64_t handle, uint64_t stream);
/* Whether the handle means a live instance, of any context. 107017. */
int32_t twin_instance_guard(uint64_t handle);
/* aclmdlRIExecute: on the default stream, waiting for that. Blocks. 107000: a captured instance.
 * 507046: not in time. */
int32_t twin_instance_execute(uint64_t handle, uint64_t timeout_ns);
/* aclmdlRIAbort. 207000: a captured instance. */
int32_t twin_instance_abort(uint64_t handle);
/* aclmdlRIDestroy. Waits for runs. 107026: the capture has not ended. 107037: a run does not end;
 * the instance stays. 207000: a graph of a conditional task. */
int32_t twin_instance_destroy(uint64_t handle);
/* aclmdlRISetName, aclmdlRIGetName. 507000: the name does not fit in `room` bytes. */
int32_t twin_instance_set_name(uint64_t handle, const char *name);
int32_t twin_instance_get_name(uint64_t handle, char *name, uint32_t room);
int32_t twin_instance_get_id(uint64_t handle, uint32_t *out_id);
/* aclmdlRIGetStreams. streams NULL: the number only. Else *count is the room, and then how many
 * were written; the other places stay as they are. 107039: more than that are bound. 207000: a
 * graph of a conditional task. */
int32_t twin_instance_get_streams(uint64_t handle, void **streams, uint32_t *count);
/* aclmdlRIDestroyRegisterCallback and -Unregister. 107000: registered already, or not. 207000: a
 * graph of a conditional task. */
int32_t twin_instance_add_farewell(uint64_t handle, twin_instance_farewell call, void *user);
int32_t twin_instance_drop_farewell(uint64_t handle, twin_instance_farewell call);

/* aclrtPersistentTaskClean. 507000: not persistent, not bound, the instance not complete, or a
 * run. */
int32_t twin_instance_clean(uint64_t stream);

/* aclrtActiveStream. 107005: not both bound to one instance, or it is complete. 507002: the stream
 * is full. */
int32_t twin_instance_activate(uint64_t other, uint64_t stream);
/* aclrtSwitchStream, `to` aside. As activate; 107000: an address that is not a word of the
 * device. */
int32_t twin_instance_branch(const twin_branch *branch, uint64_t to, uint64_t stream);

/* ---- for captures: of a pinned instance that no other thread changes ---- */

/* A new one of a pinned context; the caller's pin. 207001, or no hardware notify. */
int32_t twin_instance_create_captured(twin_context *context, twin_instance **out_instance);
/* A stream with TWIN_STREAM_LANE of the instance's context, bound to it. */
int32_t twin_instance_add_lane(twin_instance *instance, bool head, twin_stream **out_stream);
/* A graph of a conditional task of the instance `root`; the caller's pin. 207001. */
int32_t twin_instance_create_graph(twin_instance *root, const struct twin_conditional *task,
                                   twin_instance **out_graph);
/* As twin_instance_add_lane(), of a head. The program does not see it, nor those that are added
 * after it. */
int32_t twin_instance_add_start(twin_instance *instance, twin_stream **out_stream);
/* The stream, a lane of an instance in capture, is not its head any more. */
int32_t twin_instance_unhead_lane(const twin_instance *instance, const twin_stream *stream);
/* `to` begins when `from`, both lanes, has come to its end as it is now. */
int32_t twin_instance_continue_lane(twin_stream *from, const twin_stream *to);
/* An event for tasks of the instance. */
int32_t twin_instance_add_edge(twin_instance *instance, struct twin_event **out_event);
/* `stream` ends the instance, which is complete now. */
int32_t twin_instance_finish(twin_instance *instance, twin_stream *stream);
/* The capture of a graph has begun. */
void twin_instance_begin_graph(twin_instance *graph);
/* The capture of a graph ends. `entry`: where it begins, NULL: it failed. */
void twin_instance_finish_graph(twin_instance *graph, const twin_stream *entry);
/* Destroys it; the pin stays the caller's. */
void twin_instance_discard(twin_instance *instance);

/* ---- for stream.c, label.c and context.c ---- */

/* Whether the model instance of a locked stream is complete, so that the stream takes no tasks. */
bool twin_instance_is_sealed(twin_stream *stream);
/* The refusal that follows from that. */
int32_t twin_instance_fail_sealed(uint32_t stream_id);
/* What a work op on a persistent stream answered. */
int32_t twin_instance_fail_work(twin_status status, uint32_t stream_id, uint32_t device_id);
/* work.run on a locked stream. *out_ready false: the model instance cannot run. */
twin_status twin_instance_run_locked(twin_stream *stream, twin_instance *instance, bool *out_ready);
/* A stream of the current context that is bound to a model instance which is not complete: both
 * locked. 107005. */
int32_t twin_instance_lock_stream(uint64_t stream, twin_stream **out_stream,
                                  twin_instance **out_instance);
void twin_instance_unlock_stream(twin_stream *stream, twin_instance *instance);
/* Ends all models of a context that is closing; waits for their runs. Returns why a wait was given
 * up, else 0. */
int32_t twin_instances_close(twin_context *context);

#endif
