/* SPDX-License-Identifier: Apache-2.0 */
/* What can be changed about a stream, and aborting its work, or that of a device. Streams are
 * named by handle, 0 being the current context's default stream; all return 107002, 107003, 107017
 * in addition to the codes below. */
#ifndef TWINRT_CORE_WORK_STREAM_CONTROL_H
#define TWINRT_CORE_WORK_STREAM_CONTROL_H

#include <stdint.h>

#include "core/object/stream.h"

/* Failure modes, with the public values. */
#define TWIN_CONTINUE_ON_FAILURE 0u
#define TWIN_STOP_ON_FAILURE     1u

/* Drops all work of the stream. Calls that wait for it return 107023, and so do calls that submit
 * or wait during the abort. 107022, 107023: an abort is already active. 207000: only the device
 * uses the stream. 507000: a model instance has it. */
int32_t twin_stream_abort(uint64_t handle);
/* Ends the running task without effect; the others go on. 107000: handle 0. 107022, 107023: an
 * abort runs. 507000: a model instance has it. */
int32_t twin_stream_stop(uint64_t handle);

/* The mode of the stream, whose effect is its context's; bit 0 of `mode` counts. The mode in force
 * is accepted without a look at the context. 107000: the default stream without a context. 207000:
 * back from stopping to going on, or the device alone or a model instance uses the stream. */
int32_t twin_stream_set_failure_mode(uint64_t handle, uint64_t mode);
/* Of tasks that begin from now on; `priority` is clamped to what there is, as a signed number.
 * 107000: handle 0. 207000: a stream whose tasks the device schedules. */
int32_t twin_stream_set_priority(uint64_t handle, uint32_t priority);

/* Runs on every stream of a device: forbids or allows new work and waits (TWIN_HALT_DEVICE). */
void twin_stream_halt_all(twin_device *device, bool halted);

/* Longest time that twin_device_abort may be given, in ms. */
#define TWIN_ABORT_MS_MOST 2160000u

/* abort.c: aclrtDeviceTaskAbort. Forbids new work and waits on the device, calls the listeners,
 * drops all work, calls them again. `timeout_ms` covers all of that, 0: no limit. Contexts that a
 * failure had stopped go on afterwards. 107000, 107001. 107002: the device is not up. 107019: the
 * time is over. 107022: another thread does the same. A listener's answer that is not 0 ends it.
 * Blocks as long as the listeners do. */
int32_t twin_device_abort(int32_t id, uint32_t timeout_ms);

#endif
