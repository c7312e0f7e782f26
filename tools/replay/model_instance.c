/* SPDX-License-Identifier: Apache-2.0 */
/* Model instances and the deferred queues that they are made of; images. */
#include <stdlib.h>

#include "replay/state.h"

/* ---- model instances ---- */

static twin_status instance_create(struct replay_call *call)
{
    twin_hw_instance *instance = NULL;
    twin_status status = call->ops->model_instance.create(call->device, &instance);
    if (status == TWIN_OK &&
        !replay_made(call, TWIN_RECORD_ROLE_MODEL_INSTANCE,
                     call->then.MODEL_INSTANCE_CREATE.out_model_instance, instance))
        call->ops->model_instance.destroy(instance);
    return status;
}

static void unbind_all(struct replay *replay, uint32_t instance)
{
    size_t count = twin_recording_object_count(replay->recording);
    for (size_t i = 0; i < count; i++)
        if (replay->objects[i].handle && replay->objects[i].bound == instance)
            replay->objects[i].bound = 0;
}

static twin_status instance_destroy(struct replay_call *call)
{
    struct replay_object *instance = call->object;
    if (instance->busy && call->ops->model_instance.drain(instance->handle, 0) != TWIN_OK)
        return replay_leave_out(call, "a run of model instance %u is under way", instance->number);
    call->ops->model_instance.destroy(instance->handle);
    unbind_all(call->replay, instance->number);
    replay_forget_object(instance);
    return TWIN_OK;
}

static twin_status instance_bind(struct replay_call *call)
{
    const struct twin_record_MODEL_INSTANCE_BIND *f = &call->then.MODEL_INSTANCE_BIND;
    struct replay_object *instance = call->object;
    struct replay_object *queue = replay_object(call, TWIN_RECORD_ROLE_QUEUE, f->queue);
    if (!queue)
        return TWIN_OK;
    if (!queue->deferred || queue->bound || queue->device != instance->device)
        return replay_leave_out(call, "queue %u cannot be of model instance %u", f->queue,
                                f->model_instance);
    twin_status status =
        call->ops->model_instance.bind(instance->handle, queue->handle, f->head != 0);
    if (status == TWIN_OK)
        queue->bound = f->model_instance;
    return status;
}

static twin_status instance_unbind(struct replay_call *call)
{
    const struct twin_record_MODEL_INSTANCE_UNBIND *f = &call->then.MODEL_INSTANCE_UNBIND;
    struct replay_object *queue = replay_object(call, TWIN_RECORD_ROLE_QUEUE, f->queue);
    if (!queue)
        return TWIN_OK;
    if (queue->bound != f->model_instance)
        return replay_leave_out(call, "queue %u is not of model instance %u", f->queue,
                                f->model_instance);
    twin_status status = call->ops->model_instance.unbind(call->object->handle, queue->handle);
    if (status == TWIN_OK)
        queue->bound = 0;
    return status;
}

REPLAY_PLAIN(model_instance, seal)
REPLAY_PLAIN(model_instance, abort)

static twin_status instance_clean(struct replay_call *call)
{
    if (!call->object->deferred)
        return replay_leave_out(call, "queue %u is not deferred", call->object->number);
    return call->ops->model_instance.clean(call->object->handle);
}

static twin_status instance_drain(struct replay_call *call)
{
    twin_status status = call->ops->model_instance.drain(
        call->object->handle, call->then.MODEL_INSTANCE_DRAIN.timeout_ns);
    if (status == TWIN_OK)
        call->object->busy = false;
    return status;
}

/* ---- images: of devices that run device code ---- */

static twin_status image_load(struct replay_call *call)
{
    const struct twin_record_IMAGE_LOAD *f = &call->then.IMAGE_LOAD;
    if (!(call->ops->flags & TWIN_BACKEND_CODE)) {
        call->skipped = true; /* this device has no use for it */
        return TWIN_OK;
    }
    void *bytes = replay_contents_whole(call, f->bytes);
    if (!bytes)
        return replay_leave_out(call,
                                "the image is not in the recording, which keeps it with --data");
    const twin_image_source source = {.bytes = bytes, .size = f->bytes, .magic = f->magic};
    twin_loaded_image *image = NULL;
    uint64_t address = 0;
    twin_status status = call->ops->image.load(call->device, &source, &image, &address);
    free(bytes);
    if (status != TWIN_OK)
        return status;
    if (replay_made(call, TWIN_RECORD_ROLE_IMAGE, f->out_image, image))
        (void)replay_memory_add(call->replay, f->out_address, f->bytes, address, f->device, false);
    else
        call->ops->image.unload(image);
    return status;
}

static twin_status image_unload(struct replay_call *call)
{
    call->skipped = !(call->ops->flags & TWIN_BACKEND_CODE);
    struct replay_object *image =
        call->skipped ? NULL
                      : replay_object(call, TWIN_RECORD_ROLE_IMAGE, call->then.IMAGE_UNLOAD.image);
    if (!image)
        return TWIN_OK;
    call->ops->image.unload(image->handle);
    replay_forget_object(image);
    return TWIN_OK;
}

const replay_issue replay_model_instance_ops[TWIN_RECORD_KINDS_END] = {
    [TWIN_RECORD_MODEL_INSTANCE_CREATE] = instance_create,
    [TWIN_RECORD_MODEL_INSTANCE_DESTROY] = instance_destroy,
    [TWIN_RECORD_MODEL_INSTANCE_BIND] = instance_bind,
    [TWIN_RECORD_MODEL_INSTANCE_UNBIND] = instance_unbind,
    [TWIN_RECORD_MODEL_INSTANCE_SEAL] = model_instance_seal,
    [TWIN_RECORD_MODEL_INSTANCE_CLEAN] = instance_clean,
    [TWIN_RECORD_MODEL_INSTANCE_ABORT] = model_instance_abort,
    [TWIN_RECORD_MODEL_INSTANCE_DRAIN] = instance_drain,
    [TWIN_RECORD_IMAGE_LOAD] = image_load,
    [TWIN_RECORD_IMAGE_UNLOAD] = image_unload,
};
