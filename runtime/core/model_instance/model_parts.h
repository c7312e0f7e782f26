/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the model instances share. */
#ifndef TWINRT_CORE_MODEL_INSTANCE_MODEL_PARTS_H
#define TWINRT_CORE_MODEL_INSTANCE_MODEL_PARTS_H

#include "core/model_instance/model_instance.h"

/* The live model behind a handle, pinned; pin_own: of the current context. 107002, 107004, 107017. */
int32_t twin_model_pin_any(uint64_t handle, twin_model **out_model);
int32_t twin_model_pin_own(uint64_t handle, twin_model **out_model);
void twin_model_unpin(twin_model *model);
/* Whether a pinned model is of the current context. 107002, 107004. */
int32_t twin_model_check_own(const twin_model *model);

/* Of a locked model: whether calls may still change it; and the refusal if not. */
bool twin_model_is_open(const twin_model *model);
int32_t twin_model_fail_ending(const twin_model *model);

/* Takes a stream out; both locked, and bound to each other. Its pin is the caller's then. TWIN_E_BUSY: a run. */
twin_status twin_model_unbind_locked(twin_model *model, twin_stream *stream);
/* Completes a locked model. As twin_model_build(). */
int32_t twin_model_seal_locked(twin_model *model);
/* Waits for the runs of a pinned model, for as long as a caller's patience lasts. 107037. Blocks. */
int32_t twin_model_wait_for_runs(twin_model *model);
/* Grows an array of `bytes` per entry that is full; false: host memory is out. */
bool twin_model_make_room(void **array, uint32_t count, uint32_t *room, size_t bytes);

#endif
