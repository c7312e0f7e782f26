/* SPDX-License-Identifier: Apache-2.0 */
/* Programs and the deferred queues that they are made of; images. */
#include <stdlib.h>

#include "replay/state.h"

#define QUEUE(number)   replay_object(call, TWIN_RECORD_ROLE_QUEUE, (number))
#define PROGRAM(number) replay_object(call, TWIN_RECORD_ROLE_PROGRAM, (number))

/* ---- programs ---- */

static twin_status program_create(struct replay_call *call)
{
    const struct twin_record_PROGRAM_CREATE *f = &call->then.PROGRAM_CREATE;
    twin_hw_device *device = replay_device(call, f->device);
    twin_program *program = NULL;
    if (!device)
        return TWIN_OK;
    twin_status status = call->replay->ops->program.create(device, &program);
    if (status != TWIN_OK)
        return status;
    struct replay_object *object =
        replay_object_new(call, TWIN_RECORD_ROLE_PROGRAM, f->out_program);
    if (object)
        replay_place_object(call, object, program, f->device, f->out_program);
    else
        call->replay->ops->program.destroy(program);
    return status;
}

static void unbind_all(struct replay *replay, uint32_t program)
{
    size_t count = twin_recording_object_count(replay->recording);
    for (size_t i = 0; i < count; i++)
        if (replay->objects[i].handle && replay->objects[i].bound == program)
            replay->objects[i].bound = 0;
}

static twin_status program_destroy(struct replay_call *call)
{
    struct replay *replay = call->replay;
    uint32_t number = call->then.PROGRAM_DESTROY.program;
    struct replay_object *program = PROGRAM(number);
    if (!program)
        return TWIN_OK;
    if (program->busy && replay->ops->program.drain(program->handle, 0) != TWIN_OK) {
        replay_leave_out(call, "a run of program %u is under way", number);
        return TWIN_OK;
    }
    replay->ops->program.destroy(program->handle);
    unbind_all(replay, number);
    replay_forget_object(program);
    return TWIN_OK;
}

static twin_status program_bind(struct replay_call *call)
{
    const struct twin_record_PROGRAM_BIND *f = &call->then.PROGRAM_BIND;
    struct replay_object *program = PROGRAM(f->program);
    struct replay_object *queue = program ? QUEUE(f->queue) : NULL;
    if (queue && (!queue->deferred || queue->bound || queue->device != program->device))
        replay_leave_out(call, "queue %u cannot be of program %u", f->queue, f->program);
    if (!queue || call->left_out)
        return TWIN_OK;
    twin_status status =
        call->replay->ops->program.bind(program->handle, queue->handle, f->head != 0);
    if (status == TWIN_OK)
        queue->bound = f->program;
    return status;
}

static twin_status program_unbind(struct replay_call *call)
{
    const struct twin_record_PROGRAM_UNBIND *f = &call->then.PROGRAM_UNBIND;
    struct replay_object *program = PROGRAM(f->program);
    struct replay_object *queue = program ? QUEUE(f->queue) : NULL;
    if (queue && queue->bound != f->program)
        replay_leave_out(call, "queue %u is not of program %u", f->queue, f->program);
    if (!queue || call->left_out)
        return TWIN_OK;
    twin_status status = call->replay->ops->program.unbind(program->handle, queue->handle);
    if (status == TWIN_OK)
        queue->bound = 0;
    return status;
}

static twin_status program_seal(struct replay_call *call)
{
    struct replay_object *program = PROGRAM(call->then.PROGRAM_SEAL.program);
    return program ? call->replay->ops->program.seal(program->handle) : TWIN_OK;
}

static twin_status program_clean(struct replay_call *call)
{
    struct replay_object *queue = QUEUE(call->then.PROGRAM_CLEAN.queue);
    if (queue && !queue->deferred)
        replay_leave_out(call, "queue %u is not deferred", call->then.PROGRAM_CLEAN.queue);
    return queue && !call->left_out ? call->replay->ops->program.clean(queue->handle) : TWIN_OK;
}

static twin_status program_abort(struct replay_call *call)
{
    struct replay_object *program = PROGRAM(call->then.PROGRAM_ABORT.program);
    return program ? call->replay->ops->program.abort(program->handle) : TWIN_OK;
}

static twin_status program_drain(struct replay_call *call)
{
    const struct twin_record_PROGRAM_DRAIN *f = &call->then.PROGRAM_DRAIN;
    struct replay_object *program = PROGRAM(f->program);
    if (!program)
        return TWIN_OK;
    twin_status status = call->replay->ops->program.drain(program->handle, f->timeout_ns);
    if (status == TWIN_OK)
        program->busy = false;
    return status;
}

/* ---- images: of devices that run device code ---- */

static twin_status image_load(struct replay_call *call)
{
    struct replay *replay = call->replay;
    const struct twin_record_IMAGE_LOAD *f = &call->then.IMAGE_LOAD;
    twin_hw_device *device = replay_device(call, f->device);
    if (!device)
        return TWIN_OK;
    if (!(replay->ops->flags & TWIN_BACKEND_CODE)) {
        call->skipped = true; /* this device has no use for it */
        return TWIN_OK;
    }
    void *bytes = replay_contents_whole(call, f->bytes);
    if (!bytes) {
        replay_leave_out(call, "the image is not in the recording, which keeps it with --data");
        return TWIN_OK;
    }
    const twin_image_source source = {.bytes = bytes, .size = f->bytes, .magic = f->magic};
    twin_loaded_image *image = NULL;
    uint64_t address = 0;
    twin_status status = replay->ops->image.load(device, &source, &image, &address);
    free(bytes);
    if (status != TWIN_OK)
        return status;
    struct replay_object *object = replay_object_new(call, TWIN_RECORD_ROLE_IMAGE, f->out_image);
    if (!object) {
        replay->ops->image.unload(image);
        return status;
    }
    replay_place_object(call, object, image, f->device, f->out_image);
    (void)replay_memory_add(replay, f->out_address, f->bytes, address, f->device, false);
    return status;
}

static twin_status image_unload(struct replay_call *call)
{
    if (!(call->replay->ops->flags & TWIN_BACKEND_CODE)) {
        call->skipped = true;
        return TWIN_OK;
    }
    struct replay_object *image =
        replay_object(call, TWIN_RECORD_ROLE_IMAGE, call->then.IMAGE_UNLOAD.image);
    if (!image)
        return TWIN_OK;
    call->replay->ops->image.unload(image->handle);
    replay_forget_object(image);
    return TWIN_OK;
}

const replay_issue replay_program_ops[TWIN_RECORD_KINDS_END] = {
    [TWIN_RECORD_PROGRAM_CREATE] = program_create, [TWIN_RECORD_PROGRAM_DESTROY] = program_destroy,
    [TWIN_RECORD_PROGRAM_BIND] = program_bind,     [TWIN_RECORD_PROGRAM_UNBIND] = program_unbind,
    [TWIN_RECORD_PROGRAM_SEAL] = program_seal,     [TWIN_RECORD_PROGRAM_CLEAN] = program_clean,
    [TWIN_RECORD_PROGRAM_ABORT] = program_abort,   [TWIN_RECORD_PROGRAM_DRAIN] = program_drain,
    [TWIN_RECORD_IMAGE_LOAD] = image_load,         [TWIN_RECORD_IMAGE_UNLOAD] = image_unload,
};
