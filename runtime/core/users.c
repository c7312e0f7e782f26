/* SPDX-License-Identifier: Apache-2.0 */
/* What the layers above keep for contexts, streams and devices. */
#include "core/object/users.h"

#include "core/callback/callback_delivery.h"
#include "core/callback/exception_callback.h"
#include "core/callback/managed_prefetch.h"
#include "core/capture/capture.h"
#include "core/image/binary.h"
#include "core/model_instance/label.h"
#include "core/model_instance/model_instance.h"
#include "core/model_instance/stored_task.h"
#include "core/model_instance/task_group.h"
#include "core/object/allocator.h"
#include "core/object/device_area.h"
#include "core/object/physical.h"
#include "core/work/host_memory.h"
#include "core/work/launch.h"
#include "core/work/pool.h"

static int32_t context_closing(twin_context *context)
{
    twin_captures_close(context);
    return twin_instances_close(context);
}

static void context_emptied(twin_context *context)
{
    twin_labels_close(context->object.handle);
    twin_service_end(context);
}

static void stream_released(twin_stream *stream)
{
    twin_group_forget(stream);
    twin_labels_release(twin_labels_take_held(stream));
    twin_stored_tasks tasks = twin_stored_take(stream);
    twin_stored_release(&tasks);
    twin_allocator_drop(stream);
}

static void device_emptied(twin_device *device, twin_hw_device *hw)
{
    twin_launches_forget(device);
    twin_host_forget(device, hw);
    twin_managed_prefetch_forget(device);
    twin_binaries_forget(device);
    twin_pools_forget(device);
    twin_device_areas_free(device);
    twin_physicals_forget(device);
}

const twin_object_users twin_users = {
    .context_closing = context_closing,
    .context_emptied = context_emptied,
    .stream_failed = twin_failure_report,
    .wait_failed = twin_failure_report_current,
    .work_completed = twin_launches_reap,
    .stream_retired = twin_callback_drop_stream,
    .stream_released = stream_released,
    .device_emptied = device_emptied,
};
