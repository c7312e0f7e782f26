/* SPDX-License-Identifier: Apache-2.0 */
/* Labels: places in streams of a model instance to which a task can jump, and lists of them.
 *
 * A list gives its labels their numbers and has a table in device memory, where the device finds
 * the places. A label is of one list, and is in one place until the stream's tasks are dropped or
 * the stream is unbound. */
#ifndef TWINRT_CORE_MODEL_INSTANCE_LABEL_H
#define TWINRT_CORE_MODEL_INSTANCE_LABEL_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/handle.h"
#include "core/object/stream.h"

#define TWIN_LABELS_MOST 65535u /* of the process, and in a list */

extern twin_handle_table twin_labels;
extern twin_handle_table twin_label_lists;

/* All answer 107017 for a dead handle and 107002 without a context. */

/* Of the current context. 507000: there are 65535. 207001. */
int32_t twin_label_create(uint64_t *out_handle);
/* 507031: of another context. */
int32_t twin_label_destroy(uint64_t handle);
/* 107000: `count`. 507000: a label is of a list already. 507031: one is of another context.
 * 207001. */
int32_t twin_label_list_create(void *const *labels, size_t count, uint64_t *out_handle);
int32_t twin_label_list_destroy(uint64_t handle);
/* 107005: the stream is bound to no instance, or that is complete. 507000: of no list, or set
 * already. 507031. */
int32_t twin_label_set(uint64_t handle, uint64_t stream);
/* 107000: `count` is not 1 .. the list's, `index` no word of the device, the list of another
 * device. 107005. */
int32_t twin_label_jump(uint64_t index_address, uint32_t count, uint64_t list, uint64_t stream);

/* The tasks of a stream are gone, or it is bound no more: no label is in it, and none is found
 * there. No lock is held. */
void twin_labels_forget(uint64_t stream);
/* Lists that the tasks of a stream name. Their tables stay until the tasks are gone, also when the
 * list is destroyed. */
typedef struct twin_label_ref twin_label_ref;
/* Takes them from a stream that is locked, or that no other thread can find. */
twin_label_ref *twin_labels_take_held(twin_stream *stream);
/* Releases them. No lock is held. */
void twin_labels_release(twin_label_ref *held);
/* Ends the labels and lists of a context that is closing. */
void twin_labels_close(uint64_t context);

#endif
