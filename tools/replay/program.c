/* SPDX-License-Identifier: Apache-2.0 */
/* Programs and the deferred queues that they are made of; images. */
#include <stdlib.h>

#include "replay/state.h"

/* ---- programs ---- */

static twin_status program_create(struct replay_call *call)
{
    twin_program *program = NULL;
    twin_status status = call->ops->program.create(call->device, &program);
    if (status == TWIN_OK && !replay_made(call, TWIN_RECORD_ROLE_PROGRAM,
                                          call->then.PROGRAM_CREATE.out_program, program))
        call->ops->program.destroy(program);
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
    struct replay_object *program = call->object;
    if (program->busy && call->ops->program.drain(program->handle, 0) != TWIN_OK)
        return replay_leave_out(call, "a run of program %u is under way", program->number);
    call->ops->program.destroy(program->handle);
    unbind_all(call->replay, program->number);
    replay_forget_object(program);
    return TWIN_OK;
}

static twin_status program_bind(struct replay_call *call)
{
    const struct twin_record_PROGRAM_BIND *f = &call->then.PROGRAM_BIND;
    struct replay_object *program = call->object;
    struct replay_object *queue = replay_object(call, TWIN_RECORD_ROLE_QUEUE, f->queue);
    if (!queue)
        return TWIN_OK;
    if (!queue->deferred || queue->bound || queue->device != program->device)
        return replay_leave_out(call, "queue %u cannot be of program %u", f->queue, f->program);
    twin_status status = call->ops->program.bind(program->handle, queue->handle, f->head != 0);
    if (status == TWIN_OK)
        queue->bound = f->program;
    return status;
}

static twin_status program_unbind(struct replay_call *call)
{
    const struct twin_record_PROGRAM_UNBIND *f = &call->then.PROGRAM_UNBIND;
    struct replay_object *queue = replay_object(call, TWIN_RECORD_ROLE_QUEUE, f->queue);
    if (!queue)
        return TWIN_OK;
    if (queue->bound != f->program)
        return replay_leave_out(call, "queue %u is not of program %u", f->queue, f->program);
    twin_status status = call->ops->program.unbind(call->object->handle, queue->handle);
    if (status == TWIN_OK)
        queue->bound = 0;
    return status;
}

static twin_status program_seal(struct replay_call *call)
{
    return call->ops->program.seal(call->object->handle);
}

static twin_status program_clean(struct replay_call *call)
{
    if (!call->object->deferred)
        return replay_leave_out(call, "queue %u is not deferred", call->object->number);
    return call->ops->program.clean(call->object->handle);
}

static twin_status program_abort(struct replay_call *call)
{
    return call->ops->program.abort(call->object->handle);
}

static twin_status program_drain(struct replay_call *call)
{
    twin_status status =
        call->ops->program.drain(call->object->handle, call->then.PROGRAM_DRAIN.timeout_ns);
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

const replay_issue replay_program_ops[TWIN_RECORD_KINDS_END] = {
    [TWIN_RECORD_PROGRAM_CREATE] = program_create, [TWIN_RECORD_PROGRAM_DESTROY] = program_destroy,
    [TWIN_RECORD_PROGRAM_BIND] = program_bind,     [TWIN_RECORD_PROGRAM_UNBIND] = program_unbind,
    [TWIN_RECORD_PROGRAM_SEAL] = program_seal,     [TWIN_RECORD_PROGRAM_CLEAN] = program_clean,
    [TWIN_RECORD_PROGRAM_ABORT] = program_abort,   [TWIN_RECORD_PROGRAM_DRAIN] = program_drain,
    [TWIN_RECORD_IMAGE_LOAD] = image_load,         [TWIN_RECORD_IMAGE_UNLOAD] = image_unload,
};
