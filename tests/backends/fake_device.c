/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_device.h"

#include <stdatomic.h>
#include <string.h>

twin_status fake_status;
_Atomic unsigned fake_calls;
bool fake_reports_tasks;
_Atomic bool fake_stamped;

static void (*task_take)(void *context, const twin_task_end *task);
static void *task_context;
static _Atomic uint64_t newest_task;

static _Thread_local twin_host_moment moment = {.calls = 3, .system_id = 1};

/* Handles are numbers that are never dereferenced. */
static void *handle(uintptr_t number)
{
    return (void *)number; // NOLINT(performance-no-int-to-ptr)
}

static twin_status answer(void)
{
    atomic_fetch_add(&fake_calls, 1);
    moment.at_ns += 10;
    return fake_status;
}

static twin_status work_answer(unsigned tasks)
{
    if (fake_status == TWIN_OK && fake_reports_tasks)
        atomic_fetch_add(&newest_task, tasks);
    return answer();
}

/* ---- ops that give something ----------------------------------------------------------------- */

static const twin_services *started_with;

static twin_status process_start(const twin_services *services)
{
    started_with = services;
    return answer();
}
static void process_stop(void)
{
    (void)answer();
}
static twin_status process_count(uint32_t *out_count)
{
    *out_count = 3;
    return answer();
}
static twin_status process_describe(uint32_t index, const twin_device_properties **out_properties)
{
    static const twin_device_properties properties = {
        .soc_name = "Fake1", .stream_limit = 11, .memory_bytes = 4096, .aic_cores = 5};
    (void)index;
    *out_properties = &properties;
    return answer();
}
static void host_plain(void)
{
    (void)answer();
}
static void host_enter(const twin_call *call)
{
    (void)call;
    moment.at_ns += 1000;
}
static void host_leave(const twin_call *call, int32_t code)
{
    (void)call;
    (void)code;
    moment.at_ns += 5;
}
static bool host_traced(void)
{
    return false;
}
static uint64_t host_now(void)
{
    return moment.at_ns;
}
static twin_status host_pace(void)
{
    return TWIN_E_UNSUPPORTED;
}

static twin_status host_see(twin_seen what, uint32_t device, uint32_t queue, uint64_t newest)
{
    (void)what;
    (void)device;
    (void)queue;
    (void)newest;
    return TWIN_E_UNSUPPORTED;
}

static twin_status host_move(uint64_t at_ns, uint64_t events)
{
    (void)at_ns;
    (void)events;
    return TWIN_E_UNSUPPORTED;
}

static void host_reach(uint64_t at_ns)
{
    (void)at_ns;
}

static void host_advance(uint64_t ns)
{
    moment.at_ns += ns;
}

static twin_host_moment *host_self(void)
{
    return &moment;
}

static void host_follow(const twin_host_moment *other)
{
    if (moment.at_ns < other->at_ns)
        moment.at_ns = other->at_ns;
}

static uint32_t host_last_task(void)
{
    return 77;
}
static twin_status device_open(uint32_t index, twin_hw_device **out_device)
{
    *out_device = handle(0x100 + index);
    return answer();
}
static void device_close(twin_hw_device *device)
{
    (void)device;
    (void)answer();
}
static twin_status device_abort(twin_hw_device *device)
{
    uint64_t found = 7;
    device_close(device);
    if (started_with->nd) { /* a recording is made */
        started_with->seen(TWIN_SEEN_WORK, 1, 2, 3);
        started_with->seen(TWIN_SEEN_WATCH, 1, 2, 6);
        started_with->moved(4, 5);
        (void)started_with->nd(TWIN_ND_FREED, 6, &found);
    }
    return fake_status;
}
static twin_status device_peer(twin_hw_device *device, uint32_t other, bool enable)
{
    (void)other;
    (void)enable;
    return device_abort(device);
}
static twin_status image_load(twin_hw_device *device, const twin_image_source *source,
                              twin_loaded_image **out_image, uint64_t *out_address)
{
    (void)source;
    *out_image = handle(0x600);
    *out_address = 0x10000;
    return device_abort(device);
}
static void image_unload(twin_loaded_image *image)
{
    (void)image;
    (void)answer();
}
static twin_status memory_alloc(twin_hw_device *device, uint64_t bytes, twin_page_policy pages,
                                uint64_t *out_address)
{
    (void)device;
    (void)bytes;
    (void)pages;
    *out_address = 0x10000;
    return answer();
}
static twin_status memory_free(uint64_t address)
{
    (void)address;
    return answer();
}
static char pinned[4096];
static twin_status memory_host_alloc(uint64_t bytes, void **out_pointer)
{
    (void)bytes;
    *out_pointer = pinned;
    return answer();
}
static twin_status memory_host_free(void *pointer)
{
    (void)pointer;
    return answer();
}
static twin_status memory_info(uint64_t address, twin_memory_info *out_info)
{
    const bool device = address >= 0x10000 && address < 0x20000;
    *out_info = (twin_memory_info){.kind = device ? TWIN_MEMORY_DEVICE : TWIN_MEMORY_UNKNOWN,
                                   .base = device ? 0x10000 : 0,
                                   .size_bytes = device ? 0x10000 : 0};
    return TWIN_OK;
}
static twin_status memory_space(twin_hw_device *device, uint32_t page_class, uint64_t *out_free,
                                uint64_t *out_total)
{
    (void)device;
    (void)page_class;
    *out_free = 21;
    *out_total = 22;
    return answer();
}
static twin_status memory_copy(twin_hw_device *device, const twin_copy *copy)
{
    (void)copy;
    return device_abort(device);
}
static twin_status memory_fill(twin_hw_device *device, const twin_fill *fill)
{
    (void)fill;
    return device_abort(device);
}
static twin_status memory_copy_rows(twin_hw_device *device, const twin_rows *rows)
{
    (void)rows;
    return device_abort(device);
}
static twin_status memory_errors(twin_hw_device *device, twin_memory_error *list, size_t room,
                                 size_t *out_count)
{
    (void)device;
    if (room > 0)
        list[0] = (twin_memory_error){.address = 0x10010, .bytes = 64, .link = true};
    *out_count = 2;
    return answer();
}
static twin_status memory_repair(twin_hw_device *device, uint64_t address, uint64_t bytes)
{
    (void)address;
    (void)bytes;
    return device_abort(device);
}
static twin_status queue_create(twin_hw_device *device, const twin_queue_config *config,
                                twin_queue **out_queue)
{
    (void)device;
    *out_queue = handle(0x200 + config->id);
    return answer();
}
static void queue_destroy(twin_queue *queue)
{
    (void)queue;
    (void)answer();
}
static twin_status queue_query(twin_queue *queue, bool *out_idle)
{
    (void)queue;
    *out_idle = true;
    return answer();
}
static twin_status queue_plain(twin_queue *queue)
{
    (void)queue;
    return answer();
}
static twin_status queue_drain(twin_queue *queue, uint64_t timeout_ns)
{
    (void)timeout_ns;
    return queue_plain(queue);
}
static twin_status queue_set_priority(twin_queue *queue, uint32_t priority)
{
    (void)priority;
    return queue_plain(queue);
}
static twin_launch *accepted_kernel;
static twin_status queue_take_failure(twin_queue *queue, twin_failure *out_failure)
{
    (void)queue;
    *out_failure = (twin_failure){
        .status = TWIN_E_COPY, .task_id = 31, .thread = 32, .kernel = accepted_kernel};
    return answer();
}

/* ---- work ------------------------------------------------------------------------------------ */

#define WORK(name, tasks, ...)                                                                     \
    static twin_status work_##name(__VA_ARGS__)                                                    \
    {                                                                                              \
        return work_answer(tasks);                                                                 \
    }
_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"")
    WORK(copy, 1, twin_queue *queue, const twin_copy *copy) WORK(fill, 1, twin_queue *queue,
                                                                 const twin_fill *fill)
        WORK(record, 1, twin_queue *queue,
             twin_signal *signal) WORK(wait, 1, twin_queue *queue, twin_signal *signal,
                                       uint64_t timeout_ns) WORK(reset, 1, twin_queue *queue,
                                                                 twin_signal *signal)
            WORK(write_value, 1, twin_queue *queue, uint64_t address, uint64_t value,
                 twin_side side) WORK(wait_value, 1, twin_queue *queue, const twin_value_wait *wait)
                WORK(call, 1, twin_queue *queue, twin_call_queue *call_queue,
                     const twin_host_call *call) WORK(run, 1, twin_queue *queue,
                                                      twin_hw_instance *instance)
                    WORK(end, 1, twin_queue *queue) WORK(activate, 1, twin_queue *queue,
                                                         twin_queue *other)
                        WORK(label, 1, twin_queue *queue, uint64_t table, uint32_t index)
                            WORK(jump, 1, twin_queue *queue, uint64_t address, uint64_t table,
                                 uint32_t count) WORK(count, 1, twin_queue *queue,
                                                      twin_signal *signal,
                                                      const twin_count_change *change)
                                WORK(wait_count, 1, twin_queue *queue, twin_signal *signal,
                                     const twin_count_wait *wait)
                                    WORK(reduce, 1, twin_queue *queue, const twin_reduce *reduce)
                                        WORK(copy_rows, 2, twin_queue *queue, const twin_rows *rows)
                                            _Pragma("GCC diagnostic pop")

                                                static twin_status
    work_branch(twin_queue *queue, const twin_branch *branch)
{
    (void)queue;
    return branch->to == handle(0x200 + 2) ? work_answer(1) : TWIN_E_INTERNAL;
}

/* A kernel is described, has its effect, fails, is kept for the note and released, all at once. */
static twin_status work_launch(twin_queue *queue, twin_launch *kernel)
{
    (void)queue;
    twin_status status = work_answer(1);
    if (status != TWIN_OK)
        return status;
    twin_launch_work work = {0};
    if (kernel->code && kernel->code->image != handle(0x600))
        return TWIN_E_INTERNAL;
    if (kernel->describe)
        status = kernel->describe(kernel, NULL, &work);
    if (status == TWIN_OK && kernel->effect)
        status = kernel->effect(kernel, NULL);
    kernel->keep(kernel);
    accepted_kernel = kernel;
    kernel->release(kernel);
    return status;
}

/* ---- signals and the rest -------------------------------------------------------------------- */

static twin_status signal_create(twin_hw_device *device, const twin_signal_config *config,
                                 twin_signal **out_signal)
{
    (void)device;
    *out_signal = handle(0x300 + config->name);
    return answer();
}
static void signal_destroy(twin_signal *signal)
{
    (void)signal;
    (void)answer();
}
static twin_status signal_query(twin_signal *signal, twin_signal_state *out_state)
{
    (void)signal;
    out_state->recorded = true;
    out_state->complete = false;
    out_state->waits_open = 41;
    return answer();
}
static twin_status signal_timestamp(twin_signal *signal, uint64_t *out_ns)
{
    (void)signal;
    *out_ns = 4242;
    return atomic_load(&fake_stamped) ? answer() : TWIN_E_NOT_READY;
}
static twin_status signal_elapsed(twin_signal *begin, twin_signal *end, double *out_ns)
{
    (void)begin;
    (void)end;
    *out_ns = 0.5;
    return answer();
}
static twin_status signal_available(twin_hw_device *device, twin_signal_kind kind,
                                    uint32_t *out_count)
{
    (void)kind;
    *out_count = 51;
    return device_abort(device);
}
static twin_status signal_clear(twin_signal *signal)
{
    (void)signal;
    return answer();
}
static twin_status signal_wait(twin_signal *signal, uint64_t timeout_ns)
{
    (void)timeout_ns;
    return signal_clear(signal);
}
static twin_status signal_share(twin_signal *signal, bool check_pid, char out_name[TWIN_SHARE_NAME])
{
    (void)check_pid;
    memset(out_name, 'a', TWIN_SHARE_NAME);
    return signal_clear(signal);
}
static twin_status signal_allow(twin_signal *signal, const int32_t *pids, size_t count)
{
    (void)pids;
    (void)count;
    return signal_clear(signal);
}
static twin_status signal_open(twin_hw_device *device, const char *name,
                               const twin_signal_config *config, twin_signal **out_signal)
{
    (void)name;
    return signal_create(device, config, out_signal);
}
static twin_status call_queue_create(twin_hw_device *device, bool service,
                                     twin_call_queue **out_call_queue)
{
    (void)service;
    *out_call_queue = handle(0x400);
    return device_abort(device);
}
static void call_queue_plain(twin_call_queue *call_queue)
{
    (void)call_queue;
    (void)answer();
}
static twin_status call_queue_take(twin_call_queue *call_queue, uint64_t timeout_ns,
                                   twin_taken_call *out_call)
{
    (void)call_queue;
    (void)timeout_ns;
    *out_call = (twin_taken_call){.call = {.argument = handle(0x61), .block = true}, .ticket = 62};
    return answer();
}
static void call_queue_answer(twin_call_queue *call_queue, uint64_t ticket)
{
    (void)call_queue;
    (void)ticket;
    (void)answer();
}
static twin_status instance_create(twin_hw_device *device, twin_hw_instance **out_instance)
{
    (void)device;
    *out_instance = handle(0x500);
    return answer();
}
static void instance_destroy(twin_hw_instance *instance)
{
    (void)instance;
    (void)answer();
}
static twin_status instance_bind(twin_hw_instance *instance, twin_queue *queue, bool head)
{
    (void)instance;
    (void)head;
    return queue_plain(queue);
}
static twin_status instance_unbind(twin_hw_instance *instance, twin_queue *queue)
{
    (void)instance;
    return queue_plain(queue);
}
static twin_status instance_plain(twin_hw_instance *instance)
{
    (void)instance;
    return answer();
}
static twin_status instance_drain(twin_hw_instance *instance, uint64_t timeout_ns)
{
    (void)timeout_ns;
    return instance_plain(instance);
}
static void diag_facts(void (*take)(void *context, const twin_fact *fact), void *context)
{
    take(context, &(twin_fact){"dma.fake_ns", "12", "ns", "assumed", "a test", ""});
}
static twin_status diag_usage(uint32_t index, twin_usage *out_usage)
{
    (void)index;
    *out_usage = (twin_usage){.cube = 71, .vector = -1, .cpu = 73};
    return answer();
}
static twin_status diag_tasks(twin_queue *queue,
                              void (*take)(void *context, const twin_task_end *task), void *context)
{
    (void)queue;
    if (!fake_reports_tasks)
        return TWIN_E_UNSUPPORTED;
    task_take = take;
    task_context = context;
    return TWIN_OK;
}
static uint64_t diag_newest_task(twin_queue *queue)
{
    (void)queue;
    return fake_reports_tasks ? atomic_load(&newest_task) : 0;
}
static twin_status fault_inject(const twin_fault *fault, uint32_t *out_number)
{
    (void)fault;
    *out_number = 81;
    return answer();
}
static twin_status fault_remove(uint32_t number)
{
    (void)number;
    return answer();
}
static twin_status fault_triggered(uint32_t number, uint64_t *out_times)
{
    (void)number;
    *out_times = 82;
    /* on the way a code of the vendor's */
    started_with->vendor_code(507899);
    return answer();
}

void fake_task_ends(const twin_task_end *task)
{
    task_take(task_context, task);
}

const struct twin_backend fake_backend = {
    .size = sizeof(struct twin_backend),
    .version = TWIN_SEAM_VERSION,
    .name = "fake",
    .process = {.start = process_start,
                .stop = process_stop,
                .count = process_count,
                .describe = process_describe},
    .host = {host_plain, host_plain, host_enter, host_leave, host_traced, host_now, host_last_task,
             host_reach, host_pace, host_see, host_move, host_advance, host_self, host_follow,
             host_plain},
    .device = {device_open, device_close, device_abort, device_peer},
    .memory = {.alloc = memory_alloc,
               .free = memory_free,
               .host_alloc = memory_host_alloc,
               .host_free = memory_host_free,
               .info = memory_info,
               .space = memory_space,
               .copy = memory_copy,
               .fill = memory_fill,
               .copy_rows = memory_copy_rows,
               .errors = memory_errors,
               .repair = memory_repair},
    .queue = {.create = queue_create,
              .destroy = queue_destroy,
              .drain = queue_drain,
              .query = queue_query,
              .room = queue_plain,
              .abort = queue_plain,
              .stop = queue_plain,
              .set_priority = queue_set_priority,
              .stop_on_failure = queue_plain,
              .take_failure = queue_take_failure},
    .work = {.copy = work_copy,
             .fill = work_fill,
             .record = work_record,
             .wait = work_wait,
             .reset = work_reset,
             .write_value = work_write_value,
             .wait_value = work_wait_value,
             .call = work_call,
             .run = work_run,
             .end = work_end,
             .activate = work_activate,
             .branch = work_branch,
             .label = work_label,
             .jump = work_jump,
             .count = work_count,
             .wait_count = work_wait_count,
             .reduce = work_reduce,
             .copy_rows = work_copy_rows,
             .launch = work_launch},
    .signal = {.create = signal_create,
               .destroy = signal_destroy,
               .query = signal_query,
               .wait = signal_wait,
               .timestamp = signal_timestamp,
               .elapsed = signal_elapsed,
               .available = signal_available,
               .clear = signal_clear,
               .share = signal_share,
               .allow = signal_allow,
               .open = signal_open},
    .call_queue = {.create = call_queue_create,
                   .destroy = call_queue_plain,
                   .take = call_queue_take,
                   .answer = call_queue_answer,
                   .close = call_queue_plain},
    .model_instance = {.create = instance_create,
                       .destroy = instance_destroy,
                       .bind = instance_bind,
                       .unbind = instance_unbind,
                       .seal = instance_plain,
                       .clean = queue_plain,
                       .abort = instance_plain,
                       .drain = instance_drain},
    .diag = {.facts = diag_facts,
             .usage = diag_usage,
             .tasks = diag_tasks,
             .newest_task = diag_newest_task},
    .image = {image_load, image_unload},
    .fault = {.inject = fault_inject, .remove = fault_remove, .triggered = fault_triggered},
};
