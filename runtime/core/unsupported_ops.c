/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unsupported_ops.h"

static twin_status process_start(const twin_services *services)
{
    (void)services;
    return TWIN_E_UNSUPPORTED;
}

static void process_stop(void) {}

static twin_status process_count(uint32_t *out_count)
{
    (void)out_count;
    return TWIN_E_UNSUPPORTED;
}

static twin_status process_describe(uint32_t index, const twin_device_traits **out_traits)
{
    (void)index;
    (void)out_traits;
    return TWIN_E_UNSUPPORTED;
}

static void host_attach(void) {}

static void host_detach(void) {}

static void host_enter(const twin_call *call)
{
    (void)call;
}

static void host_leave(const twin_call *call, int32_t code)
{
    (void)call;
    (void)code;
}

static bool host_traced(void)
{
    return false;
}

static uint64_t host_now(void)
{
    return 0;
}

static twin_status device_open(uint32_t index, twin_hw_device **out_device)
{
    (void)index;
    (void)out_device;
    return TWIN_E_UNSUPPORTED;
}

static void device_close(twin_hw_device *device)
{
    (void)device;
}

static twin_status memory_alloc(twin_hw_device *device, uint64_t bytes, twin_page_policy pages,
                                uint64_t *out_address)
{
    (void)device;
    (void)bytes;
    (void)pages;
    (void)out_address;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_free(uint64_t address)
{
    (void)address;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_host_alloc(uint64_t bytes, void **out_pointer)
{
    (void)bytes;
    (void)out_pointer;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_host_free(void *pointer)
{
    (void)pointer;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_info(uint64_t address, twin_memory_info *out_info)
{
    (void)address;
    (void)out_info;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_space(twin_hw_device *device, uint32_t page_class, uint64_t *out_free,
                                uint64_t *out_total)
{
    (void)device;
    (void)page_class;
    (void)out_free;
    (void)out_total;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_copy(twin_hw_device *device, const twin_copy *copy)
{
    (void)device;
    (void)copy;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_fill(twin_hw_device *device, const twin_fill *fill)
{
    (void)device;
    (void)fill;
    return TWIN_E_UNSUPPORTED;
}

static twin_status queue_create(twin_hw_device *device, const twin_queue_config *config,
                                twin_queue **out_queue)
{
    (void)device;
    (void)config;
    (void)out_queue;
    return TWIN_E_UNSUPPORTED;
}

static void queue_destroy(twin_queue *queue)
{
    (void)queue;
}

static twin_status queue_drain(twin_queue *queue, uint64_t timeout_ns)
{
    (void)queue;
    (void)timeout_ns;
    return TWIN_E_UNSUPPORTED;
}

static twin_status queue_query(twin_queue *queue, bool *out_idle)
{
    (void)queue;
    (void)out_idle;
    return TWIN_E_UNSUPPORTED;
}

static twin_status queue_room(twin_queue *queue)
{
    (void)queue;
    return TWIN_E_UNSUPPORTED;
}

static twin_status queue_abort(twin_queue *queue)
{
    (void)queue;
    return TWIN_E_UNSUPPORTED;
}

static twin_status work_copy(twin_queue *queue, const twin_copy *copy)
{
    (void)queue;
    (void)copy;
    return TWIN_E_UNSUPPORTED;
}

static twin_status work_fill(twin_queue *queue, const twin_fill *fill)
{
    (void)queue;
    (void)fill;
    return TWIN_E_UNSUPPORTED;
}

static twin_status work_record(twin_queue *queue, twin_signal *signal)
{
    (void)queue;
    (void)signal;
    return TWIN_E_UNSUPPORTED;
}

static twin_status work_wait(twin_queue *queue, twin_signal *signal, uint64_t timeout_ns)
{
    (void)queue;
    (void)signal;
    (void)timeout_ns;
    return TWIN_E_UNSUPPORTED;
}

static twin_status work_reset(twin_queue *queue, twin_signal *signal)
{
    (void)queue;
    (void)signal;
    return TWIN_E_UNSUPPORTED;
}

static twin_status signal_create(twin_hw_device *device, const twin_signal_config *config,
                                 twin_signal **out_signal)
{
    (void)device;
    (void)config;
    (void)out_signal;
    return TWIN_E_UNSUPPORTED;
}

static void signal_destroy(twin_signal *signal)
{
    (void)signal;
}

static twin_status signal_query(twin_signal *signal, twin_signal_state *out_state)
{
    (void)signal;
    (void)out_state;
    return TWIN_E_UNSUPPORTED;
}

static twin_status signal_wait(twin_signal *signal, uint64_t timeout_ns)
{
    (void)signal;
    (void)timeout_ns;
    return TWIN_E_UNSUPPORTED;
}

static twin_status signal_timestamp(twin_signal *signal, uint64_t *out_ns)
{
    (void)signal;
    (void)out_ns;
    return TWIN_E_UNSUPPORTED;
}

static twin_status signal_available(twin_hw_device *device, twin_signal_kind kind,
                                    uint32_t *out_count)
{
    (void)device;
    (void)kind;
    (void)out_count;
    return TWIN_E_UNSUPPORTED;
}

static void diag_dump(twin_hw_device *device)
{
    (void)device;
}

static void diag_facts(void (*line)(void *context, const char *name, const char *value,
                                    const char *unit, const char *mark, const char *source),
                       void *context)
{
    (void)line;
    (void)context;
}

const struct twin_backend twin_unsupported_ops = {
    .size = sizeof(struct twin_backend),
    .version = TWIN_SEAM_VERSION,
    .name = "",
    .process = {.start = process_start,
                .stop = process_stop,
                .count = process_count,
                .describe = process_describe},
    .host = {.attach = host_attach,
             .detach = host_detach,
             .enter = host_enter,
             .leave = host_leave,
             .traced = host_traced,
             .now = host_now},
    .device = {.open = device_open, .close = device_close},
    .memory = {.alloc = memory_alloc,
               .free = memory_free,
               .host_alloc = memory_host_alloc,
               .host_free = memory_host_free,
               .info = memory_info,
               .space = memory_space,
               .copy = memory_copy,
               .fill = memory_fill},
    .queue = {.create = queue_create,
              .destroy = queue_destroy,
              .drain = queue_drain,
              .query = queue_query,
              .room = queue_room,
              .abort = queue_abort},
    .work = {.copy = work_copy,
             .fill = work_fill,
             .record = work_record,
             .wait = work_wait,
             .reset = work_reset},
    .signal = {.create = signal_create,
               .destroy = signal_destroy,
               .query = signal_query,
               .wait = signal_wait,
               .timestamp = signal_timestamp,
               .available = signal_available},
    .diag = {.dump = diag_dump, .facts = diag_facts},
};

#define FILL(group, op)                                                                            \
    do {                                                                                           \
        if (!table->group.op)                                                                      \
            table->group.op = twin_unsupported_ops.group.op;                                       \
    } while (0)

void twin_fill_unsupported_ops(struct twin_backend *table)
{
    FILL(process, start);
    FILL(process, stop);
    FILL(process, count);
    FILL(process, describe);
    FILL(host, attach);
    FILL(host, detach);
    FILL(host, enter);
    FILL(host, leave);
    FILL(host, traced);
    FILL(host, now);
    FILL(device, open);
    FILL(device, close);
    FILL(memory, alloc);
    FILL(memory, free);
    FILL(memory, host_alloc);
    FILL(memory, host_free);
    FILL(memory, info);
    FILL(memory, space);
    FILL(memory, copy);
    FILL(memory, fill);
    FILL(queue, create);
    FILL(queue, destroy);
    FILL(queue, drain);
    FILL(queue, query);
    FILL(queue, room);
    FILL(queue, abort);
    FILL(work, copy);
    FILL(work, fill);
    FILL(work, record);
    FILL(work, wait);
    FILL(work, reset);
    FILL(signal, create);
    FILL(signal, destroy);
    FILL(signal, query);
    FILL(signal, wait);
    FILL(signal, timestamp);
    FILL(signal, available);
    FILL(diag, dump);
    FILL(diag, facts);
}
