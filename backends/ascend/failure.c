/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that failed: the vendor's runtime reports them in a callback, the core asks for them
 * later. */
#include <string.h>
#include <utlist.h>

#include "process.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static twin_queue *queues; /* guarded by lock */

static void drop_oldest_locked(twin_queue *queue)
{
    queue->failure_count--;
    memmove(&queue->failures[0], &queue->failures[1],
            queue->failure_count * sizeof(queue->failures[0]));
    memmove(&queue->codes[0], &queue->codes[1], queue->failure_count * sizeof(queue->codes[0]));
}

static void note_locked(twin_queue *queue, const twin_failure *failure, int32_t code)
{
    if (queue->failure_count == ASCEND_FAILURES_KEPT)
        drop_oldest_locked(queue);
    queue->failures[queue->failure_count] = *failure;
    queue->codes[queue->failure_count++] = code;
}

/* On whatever thread of the vendor's or the program's. */
static void on_failure(aclrtExceptionInfo *info)
{
    const uint32_t device = vendor.failure_device(info), stream = vendor.failure_stream(info);
    const twin_failure failure = {.task_id = vendor.failure_task(info),
                                  .thread = vendor.failure_thread(info)};
    int32_t code = (int32_t)vendor.failure_code(info);
    pthread_mutex_lock(&lock);
    for (twin_queue *queue = queues; queue; queue = queue->next)
        if (queue->has_vendor_id && queue->vendor_id == stream && queue->device->index == device) {
            note_locked(queue, &failure, code);
            break;
        }
    pthread_mutex_unlock(&lock);
}

void ascend_failures_listen(bool on)
{
    if (vendor.failure_listen && vendor.failure_code && vendor.failure_device &&
        vendor.failure_stream && vendor.failure_task && vendor.failure_thread)
        vendor.failure_listen(on ? on_failure : NULL);
}

void ascend_failures_add_queue(twin_queue *queue)
{
    pthread_mutex_lock(&lock);
    DL_PREPEND(queues, queue);
    pthread_mutex_unlock(&lock);
}

void ascend_failures_drop_queue(twin_queue *queue)
{
    pthread_mutex_lock(&lock);
    DL_DELETE(queues, queue);
    pthread_mutex_unlock(&lock);
}

void ascend_failures_forget(twin_queue *queue)
{
    pthread_mutex_lock(&lock);
    queue->failure_count = 0;
    pthread_mutex_unlock(&lock);
}

void ascend_failures_forget_device(const twin_hw_device *device)
{
    pthread_mutex_lock(&lock);
    for (twin_queue *queue = queues; queue; queue = queue->next)
        if (queue->device == device)
            queue->failure_count = 0;
    pthread_mutex_unlock(&lock);
}

twin_status ascend_queue_take_failure(twin_queue *queue, twin_failure *out_failure)
{
    int32_t code = 0;
    pthread_mutex_lock(&lock);
    bool any = queue->failure_count > 0;
    if (any) {
        *out_failure = queue->failures[0];
        code = queue->codes[0];
        drop_oldest_locked(queue);
    }
    pthread_mutex_unlock(&lock);
    if (!any)
        return TWIN_E_NOT_READY;
    out_failure->status = ascend_status_of(code);
    return TWIN_OK;
}
