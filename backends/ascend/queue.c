/* SPDX-License-Identifier: Apache-2.0 */
/* Queues are the vendor's streams; groups of queues its contexts. */
#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

#include "process.h"

/* The group's context, made with its first queue. */
static twin_status join_group(twin_hw_device *device, uint32_t number, ascend_group **out_group)
{
    twin_status status = TWIN_OK;
    pthread_mutex_lock(&device->lock);
    ascend_group *group;
    LL_SEARCH_SCALAR(device->groups, group, number, number);
    if (!group) {
        group = calloc(1, sizeof(*group));
        if (!group)
            status = TWIN_E_NOMEM;
        else if (number == 0)
            group->context = device->context;
        else
            status = ascend_status(vendor.create_context(&group->context, (int32_t)device->index));
        if (group && status == TWIN_OK) {
            if (number != 0)
                ascend_used(device, group->context);
            group->number = number;
            LL_PREPEND(device->groups, group);
        } else {
            free(group);
            group = NULL;
        }
    }
    if (group)
        group->queues++;
    pthread_mutex_unlock(&device->lock);
    *out_group = group;
    return status;
}

static void leave_group(twin_hw_device *device, ascend_group *gone)
{
    pthread_mutex_lock(&device->lock);
    bool last = --gone->queues == 0 && gone->number != 0;
    if (last)
        LL_DELETE(device->groups, gone);
    pthread_mutex_unlock(&device->lock);
    if (!last)
        return;
    ascend_labels_forget_context(gone->context); /* their table's memory outlives the context */
    ascend_unuse();
    int32_t code = vendor.destroy_context(gone->context);
    free(gone);
    if (code != 0)
        ascend.services->log(2, "the vendor's runtime cannot destroy a context");
}

/* The group's own default stream, or one more. */
static twin_status make_stream(twin_queue *queue, const twin_queue_config *config)
{
    twin_status status = ascend_use_queue(queue);
    if (status != TWIN_OK)
        return status;
    if (config->is_default && vendor.default_stream)
        return ascend_status(vendor.default_stream(&queue->stream));
    const uint32_t flags = (config->fast_launch ? ACL_STREAM_FAST_LAUNCH : 0) |
                           (config->fast_sync ? ACL_STREAM_FAST_SYNC : 0) |
                           (config->deferred ? ACL_STREAM_PERSISTENT : 0);
    status = ascend_status(vendor.create_stream(&queue->stream, config->priority, flags));
    queue->owned = status == TWIN_OK;
    return status;
}

twin_status ascend_queue_create(twin_hw_device *device, const twin_queue_config *config,
                                twin_queue **out_queue)
{
    twin_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return TWIN_E_NOMEM;
    queue->device = device;
    queue->deferred = config->deferred;
    twin_status status = join_group(device, config->group, &queue->group);
    if (status != TWIN_OK)
        goto free_queue;
    status = make_stream(queue, config);
    if (status != TWIN_OK)
        goto leave;
    int32_t id = 0;
    queue->has_vendor_id = vendor.stream_id && vendor.stream_id(queue->stream, &id) == 0;
    queue->vendor_id = (uint32_t)id;
    ascend_failures_add_queue(queue);
    *out_queue = queue;
    return TWIN_OK;

leave:
    leave_group(device, queue->group);
free_queue:
    free(queue);
    return status;
}

void ascend_queue_destroy(twin_queue *queue)
{
    ascend_failures_drop_queue(queue);
    ascend_instance_forget_queue(queue);
    ascend_call_queue_leave(queue);
    ascend_pinned_forget_queue(queue);
    if (queue->owned && ascend_use_queue(queue) == TWIN_OK) {
        int32_t code = vendor.destroy_stream_force ? vendor.destroy_stream_force(queue->stream)
                                                   : vendor.destroy_stream(queue->stream);
        if (code != 0) {
            char text[96];
            snprintf(text, sizeof(text),
                     "the vendor's runtime cannot destroy a stream: it returned %d", (int)code);
            ascend.services->log(2, text);
        }
    }
    ascend_calls_forget(queue);
    leave_group(queue->device, queue->group);
    free(queue);
}

twin_status ascend_queue_query(twin_queue *queue, bool *out_idle)
{
    aclrtStreamStatus state = ACL_STREAM_STATUS_NOT_READY;
    twin_status status =
        ASCEND_CALL(ascend_use_queue(queue), vendor.query_stream(queue->stream, &state));
    if (status == TWIN_OK)
        *out_idle = state == ACL_STREAM_STATUS_COMPLETE;
    return status;
}

twin_status ascend_queue_drain(twin_queue *queue, uint64_t timeout_ns)
{
    if (queue->deferred)
        return TWIN_OK;
    twin_status status = ascend_use_queue(queue);
    if (status != TWIN_OK)
        return status;
    bool forever = timeout_ns >= TWIN_UNAIDED;
    return ascend_wait_status(
        vendor.sync_stream(queue->stream, forever ? -1 : ascend_milliseconds(timeout_ns)), forever);
}

twin_status ascend_queue_abort(twin_queue *queue)
{
    twin_status status = ASCEND_CALL(ascend_use_queue_for(queue, vendor.abort_stream != NULL),
                                     vendor.abort_stream(queue->stream));
    if (status == TWIN_OK)
        ascend_failures_forget(queue);
    return status;
}

twin_status ascend_queue_stop(twin_queue *queue)
{
    return ASCEND_CALL(ascend_use_queue_for(queue, vendor.stop_task != NULL),
                       vendor.stop_task(queue->stream));
}

twin_status ascend_queue_set_priority(twin_queue *queue, uint32_t priority)
{
    aclrtStreamAttrValue value = {.streamPriority = priority};
    return ASCEND_CALL(
        ascend_use_queue_for(queue, vendor.set_stream_attribute != NULL),
        vendor.set_stream_attribute(queue->stream, ACL_STREAM_ATTR_PRIORITY, &value));
}

twin_status ascend_queue_stop_on_failure(twin_queue *queue)
{
    return ASCEND_CALL(ascend_use_queue_for(queue, vendor.failure_mode != NULL),
                       vendor.failure_mode(queue->stream, ACL_STOP_ON_FAILURE));
}
