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

twin_status fake_answer(void)
{
    atomic_fetch_add(&fake_calls, 1);
    moment.at_ns += 10;
    return fake_status;
}

/* Operations that answer and do nothing else; those of work have tasks. */
static twin_status plain_answer(size_t op)
{
    const size_t work = offsetof(struct twin_backend, work);
    const bool two = op == offsetof(struct twin_backend, work.copy_rows);
    if (fake_status == TWIN_OK && fake_reports_tasks && op >= work &&
        op < work + sizeof(fake_backend.work))
        atomic_fetch_add(&newest_task, two ? 2u : 1u);
    return fake_answer();
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define OP(...)
#define STATUS_OP(group, op, parameters, arguments)                                                \
    static twin_status plain_##group##_##op parameters                                             \
    {                                                                                              \
        return plain_answer(offsetof(struct twin_backend, group.op));                              \
    }
#include "seam/ops.def"
#pragma GCC diagnostic pop

/* ---- ops that give something ----------------------------------------------------------------- */

static const twin_services *started_with;

bool fake_touch(const twin_touch *touch)
{
    return started_with->touched(touch);
}

static twin_status process_start(const twin_services *services)
{
    started_with = services;
    return fake_answer();
}
static void process_stop(void)
{
    (void)fake_answer();
}
static twin_status process_count(uint32_t *out_count)
{
    *out_count = 3;
    return fake_answer();
}
static twin_status process_describe(uint32_t index, const twin_device_properties **out_properties)
{
    static const twin_device_properties properties = {
        .soc_name = "Fake1", .stream_limit = 11, .memory_bytes = 4096, .aic_cores = 5};
    (void)index;
    *out_properties = &properties;
    return fake_answer();
}
static void host_plain(void)
{
    (void)fake_answer();
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
    return fake_answer();
}
static void device_close(twin_hw_device *device)
{
    (void)device;
    (void)fake_answer();
}
static twin_status device_abort(twin_hw_device *device)
{
    uint64_t found = 7;
    device_close(device);
    if (started_with->nd) { /* a recording is made */
        started_with->seen(TWIN_SEEN_WORK, 1, 2, 3);
        started_with->seen(TWIN_SEEN_WATCH, 1, 2, 6);
        started_with->seen(TWIN_SEEN_NOTIFY, 1, 7, 2);
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
    (void)fake_answer();
}
static twin_status memory_alloc(twin_hw_device *device, const twin_allocation *allocation,
                                uint64_t *out_address)
{
    (void)device;
    (void)allocation;
    *out_address = 0x10000;
    return fake_answer();
}
static char pinned[4096];
static twin_status memory_host_alloc(const twin_allocation *allocation, void **out_pointer)
{
    (void)allocation;
    *out_pointer = pinned;
    return fake_answer();
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
    return fake_answer();
}
static twin_status memory_usage(twin_hw_device *device, twin_memory_use *list, size_t room,
                                size_t *out_count)
{
    (void)list;
    (void)room;
    *out_count = 1;
    return device_abort(device);
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
    return fake_answer();
}
static twin_status memory_pin(twin_hw_device *device, const twin_pin *pin, uint64_t *out_address)
{
    (void)device;
    *out_address = pin->mapped ? 0x30000 : 0;
    return fake_answer();
}
static twin_status memory_unpin(twin_hw_device *device, void *pointer)
{
    (void)device;
    (void)pointer;
    return fake_answer();
}
static twin_status memory_repair(twin_hw_device *device, uint64_t address, uint64_t bytes)
{
    (void)address;
    (void)bytes;
    return device_abort(device);
}
static twin_status memory_share(uint64_t address, uint64_t bytes, bool check_pid,
                                char out_name[TWIN_SHARE_NAME])
{
    (void)address;
    (void)bytes;
    (void)check_pid;
    memset(out_name, 'b', TWIN_SHARE_NAME);
    return fake_answer();
}
static twin_status memory_open(twin_hw_device *device, const char *name, uint64_t *out_address)
{
    (void)device;
    (void)name;
    *out_address = 0x18000;
    return fake_answer();
}
static twin_status vmm_reserve(uint64_t bytes, uint64_t expected, uint64_t *out_address)
{
    (void)bytes;
    (void)expected;
    *out_address = 0x40000;
    return fake_answer();
}
static twin_status vmm_unmap(uint64_t address, uint64_t *out_physical)
{
    (void)address;
    *out_physical = 0x77;
    return fake_answer();
}
static twin_status vmm_create(twin_hw_device *device, const twin_physical_config *config,
                              uint64_t physical)
{
    (void)config;
    (void)physical;
    return device_abort(device);
}
static twin_status vmm_map(uint64_t address, uint64_t bytes, uint64_t physical, bool access)
{
    (void)address;
    (void)bytes;
    (void)physical;
    (void)access;
    return fake_answer();
}
static twin_status vmm_share(uint64_t physical, bool check_pid, uint64_t *out_shared)
{
    (void)physical;
    (void)check_pid;
    *out_shared = 0x99;
    return fake_answer();
}
static twin_status vmm_open(twin_hw_device *device, uint64_t shared, uint64_t physical,
                            twin_physical_config *out_config)
{
    (void)device;
    (void)shared;
    (void)physical;
    *out_config =
        (twin_physical_config){.memory = {.bytes = 96, .pages = TWIN_PAGES_HUGE_ONLY}, .device = 2};
    return fake_answer();
}
static twin_status queue_create(twin_hw_device *device, const twin_queue_config *config,
                                twin_queue **out_queue)
{
    (void)device;
    *out_queue = handle(0x200 + config->id);
    return fake_answer();
}
static void queue_destroy(twin_queue *queue)
{
    (void)queue;
    (void)fake_answer();
}
static twin_status queue_query(twin_queue *queue, bool *out_idle)
{
    (void)queue;
    *out_idle = true;
    return fake_answer();
}
static twin_launch *accepted_kernel;
static twin_status queue_take_failure(twin_queue *queue, twin_failure *out_failure)
{
    (void)queue;
    *out_failure = (twin_failure){
        .status = TWIN_E_COPY, .task_id = 31, .thread = 32, .kernel = accepted_kernel};
    return fake_answer();
}

/* ---- work ------------------------------------------------------------------------------------ */

static twin_status work_branch(twin_queue *queue, const twin_branch *branch)
{
    return branch->to == handle(0x200 + 2) ? plain_work_branch(queue, branch) : TWIN_E_INTERNAL;
}

/* A kernel is described, has its effect, fails, is kept for the note and released, all at once. */
static twin_status work_launch(twin_queue *queue, twin_launch *kernel)
{
    twin_status status = plain_work_launch(queue, kernel);
    if (status != TWIN_OK)
        return status;
    twin_launch_work work = {0};
    if (kernel->code && kernel->code->image != handle(0x600))
        return TWIN_E_INTERNAL;
    if (kernel->describe)
        status = kernel->describe(kernel, &fake_reach, &work);
    if (status == TWIN_OK && kernel->effect)
        status = kernel->effect(kernel, &fake_reach);
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
    return fake_answer();
}
static void signal_destroy(twin_signal *signal)
{
    (void)signal;
    (void)fake_answer();
}
static twin_status signal_query(twin_signal *signal, twin_signal_state *out_state)
{
    (void)signal;
    out_state->recorded = true;
    out_state->complete = false;
    out_state->waits_open = 41;
    return fake_answer();
}
static twin_status signal_timestamp(twin_signal *signal, uint64_t *out_ns)
{
    (void)signal;
    *out_ns = 4242;
    return atomic_load(&fake_stamped) ? fake_answer() : TWIN_E_NOT_READY;
}
static twin_status signal_elapsed(twin_signal *begin, twin_signal *end, double *out_ns)
{
    (void)begin;
    (void)end;
    *out_ns = 0.5;
    return fake_answer();
}
static twin_status signal_available(twin_hw_device *device, twin_signal_kind kind,
                                    uint32_t *out_count)
{
    (void)kind;
    *out_count = 51;
    return device_abort(device);
}
static twin_status signal_share(twin_signal *signal, bool check_pid, char out_name[TWIN_SHARE_NAME])
{
    (void)signal;
    (void)check_pid;
    memset(out_name, 'a', TWIN_SHARE_NAME);
    return fake_answer();
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
    (void)fake_answer();
}
static twin_status call_queue_take(twin_call_queue *call_queue, uint64_t timeout_ns,
                                   twin_taken_call *out_call)
{
    (void)call_queue;
    (void)timeout_ns;
    *out_call = (twin_taken_call){.call = {.argument = handle(0x61), .block = true}, .ticket = 62};
    return fake_answer();
}
static void call_queue_answer(twin_call_queue *call_queue, uint64_t ticket)
{
    (void)call_queue;
    (void)ticket;
    (void)fake_answer();
}
static twin_status instance_create(twin_hw_device *device, twin_hw_instance **out_instance)
{
    (void)device;
    *out_instance = handle(0x500);
    return fake_answer();
}
static void instance_destroy(twin_hw_instance *instance)
{
    (void)instance;
    (void)fake_answer();
}
static twin_status pool_create(twin_hw_device *device, uint64_t bytes, twin_hw_pool **out_pool)
{
    (void)device;
    (void)bytes;
    *out_pool = handle(0x700);
    return fake_answer();
}
static void pool_destroy(twin_hw_pool *pool)
{
    (void)pool;
    (void)fake_answer();
}
static twin_status pool_get(twin_hw_pool *pool, twin_pool_attr attr, uint64_t *out_value)
{
    (void)pool;
    (void)attr;
    *out_value = 91;
    return fake_answer();
}
static twin_status work_alloc(twin_queue *queue, twin_hw_pool *pool, uint64_t bytes,
                              uint64_t *out_address)
{
    (void)queue;
    (void)pool;
    (void)bytes;
    *out_address = 0x40000000;
    return fake_answer();
}
static void diag_facts(void (*take)(void *context, const twin_fact *fact), void *context)
{
    take(context, &(twin_fact){"dma.fake_ns", "12", "ns", "assumed", "a test", ""});
}
static twin_status diag_usage(uint32_t index, twin_usage *out_usage)
{
    (void)index;
    *out_usage = (twin_usage){.cube = 71, .vector = -1, .cpu = 73};
    return fake_answer();
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
    return fake_answer();
}
static twin_status fault_triggered(uint32_t number, uint64_t *out_times)
{
    (void)number;
    *out_times = 82;
    /* on the way a code of the vendor's */
    started_with->vendor_code(507899);
    return fake_answer();
}

void fake_task_ends(const twin_task_end *task)
{
    task_take(task_context, task);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
const struct twin_backend fake_backend = {
    .size = sizeof(struct twin_backend),
    .version = TWIN_SEAM_VERSION,
    .name = "fake",
/* What answers and does nothing else. The rows below replace some. */
#define OP(...)
#define STATUS_OP(group, op, parameters, arguments) .group.op = plain_##group##_##op,
#include "seam/ops.def"
    .process.start = process_start,
    .process.stop = process_stop,
    .process.count = process_count,
    .process.describe = process_describe,
    .host.attach = host_plain,
    .host.detach = host_plain,
    .host.enter = host_enter,
    .host.leave = host_leave,
    .host.traced = host_traced,
    .host.now = host_now,
    .host.last_task = host_last_task,
    .host.reach = host_reach,
    .host.pace = host_pace,
    .host.see = host_see,
    .host.move = host_move,
    .host.advance = host_advance,
    .host.self = host_self,
    .host.follow = host_follow,
    .host.changed = host_plain,
    .device.open = device_open,
    .device.close = device_close,
    .device.abort = device_abort,
    .device.peer = device_peer,
    .memory.alloc = memory_alloc,
    .memory.host_alloc = memory_host_alloc,
    .memory.info = memory_info,
    .memory.usage = memory_usage,
    .memory.space = memory_space,
    .memory.copy = memory_copy,
    .memory.fill = memory_fill,
    .memory.copy_rows = memory_copy_rows,
    .memory.errors = memory_errors,
    .memory.repair = memory_repair,
    .memory.pin = memory_pin,
    .memory.unpin = memory_unpin,
    .memory.map_peer = fake_map_peer,
    .memory.share = memory_share,
    .memory.open = memory_open,
    .managed.alloc = fake_managed_alloc,
    .managed.advise = fake_managed_advise,
    .managed.query = fake_managed_query,
    .managed.move = fake_managed_move,
    .queue.create = queue_create,
    .queue.destroy = queue_destroy,
    .queue.query = queue_query,
    .queue.take_failure = queue_take_failure,
    .work.branch = work_branch,
    .work.launch = work_launch,
    .signal.create = signal_create,
    .signal.destroy = signal_destroy,
    .signal.query = signal_query,
    .signal.timestamp = signal_timestamp,
    .signal.elapsed = signal_elapsed,
    .signal.available = signal_available,
    .signal.share = signal_share,
    .signal.open = signal_open,
    .call_queue.create = call_queue_create,
    .call_queue.destroy = call_queue_plain,
    .call_queue.take = call_queue_take,
    .call_queue.answer = call_queue_answer,
    .call_queue.close = call_queue_plain,
    .pool.create = pool_create,
    .pool.destroy = pool_destroy,
    .pool.get = pool_get,
    .work.alloc = work_alloc,
    .model_instance.create = instance_create,
    .model_instance.destroy = instance_destroy,
    .diag.facts = diag_facts,
    .diag.usage = diag_usage,
    .diag.tasks = diag_tasks,
    .diag.newest_task = diag_newest_task,
    .image.load = image_load,
    .image.unload = image_unload,
    .fault.inject = fault_inject,
    .fault.triggered = fault_triggered,
    .vmm.reserve = vmm_reserve,
    .vmm.create = vmm_create,
    .vmm.map = vmm_map,
    .vmm.unmap = vmm_unmap,
    .vmm.share = vmm_share,
    .vmm.open = vmm_open,
};
#pragma GCC diagnostic pop
