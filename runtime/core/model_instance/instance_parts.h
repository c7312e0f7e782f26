/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the model instances share. */
#ifndef TWINRT_CORE_MODEL_INSTANCE_INSTANCE_PARTS_H
#define TWINRT_CORE_MODEL_INSTANCE_INSTANCE_PARTS_H

#include "core/model_instance/model_instance.h"

/* The live model instance of a handle, pinned, or NULL on failure; pin_own: of the current context.
 * 107002, 107004, 107017. */
int32_t twin_instance_pin_any(uint64_t handle, twin_instance **out_instance);
int32_t twin_instance_pin_own(uint64_t handle, twin_instance **out_instance);
/* Whether a pinned model instance is of the current context. 107002, 107004. */
int32_t twin_instance_check_own(const twin_instance *instance);

/* Of a locked model instance: whether calls may still change it; and the refusal if not. */
bool twin_instance_is_open(const twin_instance *instance);
int32_t twin_instance_fail_ending(const twin_instance *instance);

/* The refusal of what a captured model instance does not take. 107000. */
int32_t twin_instance_refuse_captured(const twin_instance *instance, const char *what);
/* The refusal of what a graph of a conditional task does not take. 207000. */
int32_t twin_instance_refuse_graph(const twin_instance *instance);
/* Binds a stream; both locked. On success the caller's pin of the stream is the model instance's.
 * *out_busy: a run is in the way. */
int32_t twin_instance_bind_locked(twin_instance *instance, twin_stream *stream, bool head,
                                  bool *out_busy);
/* Frees the edges and task groups of a captured model instance whose streams are unbound. */
void twin_instance_free_edges(twin_instance *instance);
/* Takes a stream out; both locked, and bound to each other. Its pin is the caller's then.
 * TWIN_E_BUSY: a run. */
twin_status twin_instance_unbind_locked(twin_instance *instance, twin_stream *stream);
/* Takes a pinned model instance apart that takes no calls and does not run; once. */
void twin_instance_take_apart(twin_instance *instance);
/* Completes a locked model instance. As twin_instance_build(). */
int32_t twin_instance_seal_locked(twin_instance *instance);
/* Waits for the runs of a pinned model instance, for as long as a caller's patience lasts. 107037.
 * Blocks. */
int32_t twin_instance_wait_for_runs(twin_instance *instance);
/* Grows an array of `bytes` per entry that is full; false: host memory is out. */
bool twin_instance_make_room(void **array, uint32_t count, uint32_t *room, size_t bytes);

#endif
