/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the model again for what a record says was asked of a device. */
#include <stdlib.h>

#include "calibrate/player.h"

/* ---- memory ---------------------------------------------------------------------------------- */

static bool add_range(struct player *player, uint64_t base, uint64_t bytes, uint64_t here)
{
    if (player->range_count == player->range_room) {
        size_t room = player->range_room * 2 + 64;
        struct play_range *ranges = realloc(player->ranges, room * sizeof(*ranges));
        if (!ranges)
            return false;
        player->ranges = ranges;
        player->range_room = room;
    }
    player->ranges[player->range_count++] =
        (struct play_range){.base = base, .bytes = bytes, .here = here};
    return true;
}

static uint64_t drop_range(struct player *player, uint64_t base)
{
    for (size_t i = player->range_count; i-- > 0;) {
        if (player->ranges[i].base != base)
            continue;
        uint64_t here = player->ranges[i].here;
        player->ranges[i] = player->ranges[--player->range_count];
        return here;
    }
    return 0;
}

/* Memory of the program's own was not recorded: any will do. */
uint64_t play_address(const struct player *player, uint64_t address)
{
    for (size_t i = player->range_count; i-- > 0;) {
        const struct play_range *range = &player->ranges[i];
        if (address >= range->base && address - range->base < range->bytes)
            return range->here + (address - range->base);
    }
    return (uint64_t)(uintptr_t)player->scratch;
}

static twin_status do_memory(struct player *player, const struct calibrate_op *op)
{
    const struct twin_memory_ops *memory = &player->backend->memory;
    const struct twin_record_entry *entry = op->entry;
    twin_status status;
    switch (entry->kind) {
    case TWIN_RECORD_MEMORY_ALLOC: {
        struct twin_record_MEMORY_ALLOC f;
        uint64_t here = 0;
        twin_recording_fields(entry, &f, sizeof(f));
        if (f.device >= PLAY_DEVICES || !player->devices[f.device])
            return TWIN_E_DEVICE_ID;
        status =
            memory->alloc(player->devices[f.device], f.bytes, (twin_page_policy)f.pages, &here);
        if (status == TWIN_OK && !add_range(player, f.out_address, f.bytes, here))
            status = TWIN_E_NOMEM;
        return status;
    }
    case TWIN_RECORD_MEMORY_HOST_ALLOC: {
        struct twin_record_MEMORY_HOST_ALLOC f;
        void *here = NULL;
        twin_recording_fields(entry, &f, sizeof(f));
        status = memory->host_alloc(f.bytes, &here);
        if (status == TWIN_OK &&
            !add_range(player, f.out_address, f.bytes, (uint64_t)(uintptr_t)here))
            status = TWIN_E_NOMEM;
        return status;
    }
    case TWIN_RECORD_MEMORY_FREE:
    case TWIN_RECORD_MEMORY_HOST_FREE: {
        struct twin_record_MEMORY_FREE f;
        twin_recording_fields(entry, &f, sizeof(f));
        uint64_t here = drop_range(player, f.address);
        if (here == 0)
            return TWIN_OK;
        return entry->kind == TWIN_RECORD_MEMORY_FREE
                   ? memory->free(here)
                   : memory->host_free(
                         (void *)(uintptr_t)here); // NOLINT(performance-no-int-to-ptr)
    }
    case TWIN_RECORD_MEMORY_COPY: {
        struct twin_record_MEMORY_COPY f;
        twin_recording_fields(entry, &f, sizeof(f));
        return f.device < PLAY_DEVICES
                   ? memory->copy(player->devices[f.device],
                                  &(twin_copy){play_address(player, f.dst),
                                               play_address(player, f.src), f.bytes})
                   : TWIN_E_DEVICE_ID;
    }
    case TWIN_RECORD_MEMORY_FILL: {
        struct twin_record_MEMORY_FILL f;
        twin_recording_fields(entry, &f, sizeof(f));
        return f.device < PLAY_DEVICES ? memory->fill(player->devices[f.device],
                                                      &(twin_fill){play_address(player, f.dst),
                                                                   f.bytes, (uint8_t)f.value})
                                       : TWIN_E_DEVICE_ID;
    }
    case TWIN_RECORD_MEMORY_COPY_ROWS: {
        struct twin_record_MEMORY_COPY_ROWS f;
        twin_recording_fields(entry, &f, sizeof(f));
        return f.device < PLAY_DEVICES
                   ? memory->copy_rows(player->devices[f.device],
                                       &(twin_rows){play_address(player, f.dst),
                                                    play_address(player, f.src), f.dst_pitch,
                                                    f.src_pitch, f.width, f.height})
                   : TWIN_E_DEVICE_ID;
    }
    default:
        return TWIN_E_UNSUPPORTED;
    }
}

/* ---- objects --------------------------------------------------------------------------------- */

static twin_status do_queue(struct player *player, const struct calibrate_op *op)
{
    const struct twin_queue_ops *ops = &player->backend->queue;
    struct play_queue *queue = &player->queues[op->queue];
    switch (op->entry->kind) {
    case TWIN_RECORD_QUEUE_CREATE: {
        struct twin_record_QUEUE_CREATE f;
        twin_recording_fields(op->entry, &f, sizeof(f));
        if (f.device >= PLAY_DEVICES || !player->devices[f.device])
            return TWIN_E_DEVICE_ID;
        const twin_queue_config config = {.id = f.stream,
                                          .priority = f.priority,
                                          .fast_launch = f.fast_launch != 0,
                                          .fast_sync = f.fast_sync != 0,
                                          .is_default = f.is_default != 0,
                                          .group = f.group};
        queue->device = player->devices[f.device];
        twin_status status = ops->create(queue->device, &config, &queue->queue);
        if (status == TWIN_OK)
            status = player->backend->diag.tasks(queue->queue, play_take_task, queue);
        return status;
    }
    case TWIN_RECORD_QUEUE_DESTROY:
        (void)ops->drain(queue->queue, TWIN_FOREVER);
        ops->destroy(queue->queue);
        if (queue->stamp)
            player->backend->signal.destroy(queue->stamp);
        queue->stamp = NULL;
        queue->queue = NULL;
        return TWIN_OK;
    case TWIN_RECORD_QUEUE_DRAIN: {
        struct twin_record_QUEUE_DRAIN f;
        twin_recording_fields(op->entry, &f, sizeof(f));
        return ops->drain(queue->queue, TWIN_FOREVER);
    }
    case TWIN_RECORD_QUEUE_SET_PRIORITY: {
        struct twin_record_QUEUE_SET_PRIORITY f;
        twin_recording_fields(op->entry, &f, sizeof(f));
        return ops->set_priority(queue->queue, f.priority);
    }
    default:
        return TWIN_E_UNSUPPORTED;
    }
}

static twin_status do_signal(struct player *player, const struct calibrate_op *op)
{
    const struct twin_signal_ops *ops = &player->backend->signal;
    twin_signal **signal = &player->signals[op->object];
    switch (op->entry->kind) {
    case TWIN_RECORD_SIGNAL_CREATE: {
        struct twin_record_SIGNAL_CREATE f;
        twin_recording_fields(op->entry, &f, sizeof(f));
        const twin_signal_config config = {.kind = (twin_signal_kind)f.kind,
                                           .name = f.name,
                                           .timed = f.timed != 0,
                                           .waitable = f.waitable != 0,
                                           .counted = f.counted != 0};
        return f.device < PLAY_DEVICES && player->devices[f.device]
                   ? ops->create(player->devices[f.device], &config, signal)
                   : TWIN_E_DEVICE_ID;
    }
    case TWIN_RECORD_SIGNAL_DESTROY:
        ops->destroy(*signal);
        *signal = NULL;
        return TWIN_OK;
    case TWIN_RECORD_SIGNAL_WAIT:
        return ops->wait(*signal, TWIN_FOREVER);
    case TWIN_RECORD_SIGNAL_CLEAR:
        return ops->clear(*signal);
    default:
        return TWIN_E_UNSUPPORTED;
    }
}

static twin_status do_channel(struct player *player, const struct calibrate_op *op)
{
    const struct twin_channel_ops *ops = &player->backend->channel;
    twin_channel **channel = &player->channels[op->object];
    twin_taken_call taken = {0};
    twin_status status = TWIN_OK;
    switch (op->entry->kind) {
    case TWIN_RECORD_CHANNEL_CREATE: {
        struct twin_record_CHANNEL_CREATE f;
        twin_recording_fields(op->entry, &f, sizeof(f));
        /* a thread that serves never ends a wait by itself, and here it must */
        return f.device < PLAY_DEVICES && player->devices[f.device]
                   ? ops->create(player->devices[f.device], false, channel)
                   : TWIN_E_DEVICE_ID;
    }
    case TWIN_RECORD_CHANNEL_TAKE:
        status = ops->take(*channel, TWIN_FOREVER, &taken);
        player->tickets[op->object] = taken.ticket;
        return status;
    case TWIN_RECORD_CHANNEL_ANSWER:
        ops->answer(*channel, player->tickets[op->object]);
        return TWIN_OK;
    case TWIN_RECORD_CHANNEL_CLOSE:
        ops->close(*channel);
        return TWIN_OK;
    case TWIN_RECORD_CHANNEL_DESTROY:
        ops->destroy(*channel);
        *channel = NULL;
        return TWIN_OK;
    default:
        return TWIN_E_UNSUPPORTED;
    }
}

static twin_status do_device(struct player *player, const struct calibrate_op *op)
{
    struct twin_record_DEVICE_OPEN f;
    twin_recording_fields(op->entry, &f, sizeof(f));
    if (f.device >= PLAY_DEVICES)
        return TWIN_E_DEVICE_ID;
    if (op->entry->kind == TWIN_RECORD_DEVICE_OPEN)
        return player->backend->device.open(f.device, &player->devices[f.device]);
    if (player->devices[f.device])
        player->backend->device.close(player->devices[f.device]);
    player->devices[f.device] = NULL;
    return TWIN_OK;
}

bool play_is_there(const struct player *player, const struct calibrate_op *op)
{
    unsigned kind = op->entry->kind;
    if (op->queue != 0 && kind != TWIN_RECORD_QUEUE_CREATE && !player->queues[op->queue].queue)
        return false;
    if (kind == TWIN_RECORD_WORK_CALL ||
        (kind > TWIN_RECORD_CHANNEL_CREATE && kind <= TWIN_RECORD_CHANNEL_CLOSE))
        return player->channels[op->object] != NULL;
    if (op->object != 0 && kind != TWIN_RECORD_SIGNAL_CREATE && kind != TWIN_RECORD_CHANNEL_CREATE)
        return player->signals[op->object] != NULL;
    return true;
}

twin_status play_ask(struct player *player, const struct calibrate_op *op, size_t index)
{
    unsigned kind = op->entry->kind;
    if (op->work)
        return play_work(player, op, index);
    if (kind == TWIN_RECORD_DEVICE_OPEN || kind == TWIN_RECORD_DEVICE_CLOSE)
        return do_device(player, op);
    if (kind >= TWIN_RECORD_MEMORY_ALLOC && kind <= TWIN_RECORD_MEMORY_COPY_ROWS)
        return do_memory(player, op);
    if (kind >= TWIN_RECORD_QUEUE_CREATE && kind <= TWIN_RECORD_QUEUE_SET_PRIORITY)
        return do_queue(player, op);
    if (kind >= TWIN_RECORD_SIGNAL_CREATE && kind <= TWIN_RECORD_SIGNAL_ELAPSED)
        return do_signal(player, op);
    return do_channel(player, op);
}
