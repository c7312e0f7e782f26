/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks of streams: which thread of the program is subscribed to which stream, the running
 * itself, and the threads of the runtime that run host functions. */
#ifndef TWINRT_CORE_CALLBACK_CALLBACK_DELIVERY_H
#define TWINRT_CORE_CALLBACK_CALLBACK_DELIVERY_H

#include <stdint.h>

#include "core/object/stream.h"

/* Threads of a process that may be subscribed at once. */
#define TWIN_SUBSCRIBERS_MOST 1024u

/* A subscribed thread with its host-call queue. Lives while a stream names it or it runs
 * callbacks. */
typedef struct twin_subscriber twin_subscriber;

/* aclrtSubscribeReport: `thread` (its pthread_self) runs the callbacks of a stream (0: the default
 * stream). 107002, 107011: the stream has a thread or uses host functions. 107012: the thread
 * serves another device.
 * 107017. 507000: too many threads. Thread: any. */
int32_t twin_callback_subscribe(uint64_t thread, uint64_t stream_handle);
/* aclrtUnSubscribeReport. With its last stream a thread's callbacks that did not run are dropped,
 * which is logged. 107002, 107011, 107012, 107017. Thread: any. */
int32_t twin_callback_unsubscribe(uint64_t thread, uint64_t stream_handle);
/* aclrtProcessReport: waits for a callback for the calling thread, runs those that are due. 107012,
 * 507012. Blocks. */
int32_t twin_callback_process(uint64_t timeout_ns);

/* The stream has ended: so has its subscription. No lock is held. */
void twin_callback_drop_stream(twin_stream *stream);
/* Where callbacks of a stream go; its lock is held. */
twin_call_queue *twin_callback_call_queue(const twin_subscriber *subscriber);
/* Refuses: the context's own thread runs the stream's functions. */
int32_t twin_fail_context_runs(uint32_t stream_id);

/* Runs a call that was taken, with no lock held, and answers it. */
void twin_callback_run(const struct twin_backend *ops, twin_call_queue *call_queue,
                       const twin_taken_call *taken);

/* ---- host_func_thread.c: the thread of a context that runs its host functions. It is made with
 * the first one and ends with the context ---- */

/* The host-call queue to the context's thread, which is started if there is none. The context is
 * pinned. 107002: the context closes. 207001. Blocks while another thread starts it. */
int32_t twin_service_need(twin_context *context, twin_call_queue **out_call_queue);
/* Ends it: waits for a function that runs. The context has no streams any more. Blocks. */
void twin_service_end(twin_context *context);

#endif
