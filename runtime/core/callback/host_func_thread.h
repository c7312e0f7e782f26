/* SPDX-License-Identifier: Apache-2.0 */
/* The thread of a context that runs its host functions: made with the first one, ended with the
 * context. */
#ifndef TWINRT_CORE_CALLBACK_HOST_FUNC_THREAD_H
#define TWINRT_CORE_CALLBACK_HOST_FUNC_THREAD_H

#include "core/object/context.h"

/* The host-call queue to the context's thread, which is started if there is none. The context is
 * pinned. 107002: the context closes. 207001. Blocks while another thread starts it. */
int32_t twin_service_need(twin_context *context, twin_call_queue **out_call_queue);
/* Ends it: waits for a function that runs. The context has no streams any more. Blocks. */
void twin_service_end(twin_context *context);

#endif
