/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/kernel.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "memory/managed.h"
#include "memory/memory.h"
#include "memory/registered.h"
#include "memory/vmm_lookup.h"
#include "device/device.h"
#include "queue/replace.h"
#include "queue/sqe.h"
#include "observe/observe.h"
#include "wait/model_lock.h"
#include "wait/hooks.h"

#define BLOCKS_MOST 65535u
#define CREDIT_MOST 254u

/* The kernel that a thread describes at the moment, with the model lock released: the model accepts
 * one at a time. Guarded by described_lock, which is taken last. */
static pthread_mutex_t described_lock = PTHREAD_MUTEX_INITIALIZER;
static twin_launch *described;
static uint32_t described_device;
static uint32_t described_sq;
static bool release_due;      /* its task state has released it meanwhile */
static uint64_t descriptions; /* begun so far */
static pthread_cond_t described_over = PTHREAD_COND_INITIALIZER;

/* ---- launching ------------------------------------------------------------------------------ */

static const char *const core_names[] = {
    [TWIN_CORES_CUBE] = "cube", [TWIN_CORES_VECTOR] = "vector", [TWIN_CORES_MIXED] = "mixed"};
static const uint32_t subtypes[] = {[TWIN_CORES_CUBE] = STARS_KERNEL_AIC,
                                    [TWIN_CORES_VECTOR] = STARS_KERNEL_AIV,
                                    [TWIN_CORES_MIXED] = STARS_KERNEL_MIXED};

/* Blocks of that kind that the device runs at once. */
static uint32_t room_for(const twin_device_properties *properties, twin_launch_cores cores)
{
    if (cores == TWIN_CORES_VECTOR)
        return properties->aiv_cores;
    if (cores == TWIN_CORES_CUBE)
        return properties->aic_cores;
    bool whole = properties->aic_cores != 0 && properties->aiv_cores != 0 &&
                 properties->aiv_cores % properties->aic_cores == 0 &&
                 properties->aiv_cores / properties->aic_cores <= 3;
    return whole ? properties->aic_cores : 0;
}

static twin_status check(const twin_queue *queue, const twin_launch *kernel)
{
    uint32_t room = room_for(&sim_process.properties[queue->device->index], kernel->cores);
    const char *name = kernel->name ? kernel->name : "";
    if (room == 0)
        return sim_queue_refuse(queue, TWIN_E_UNSUPPORTED,
                                "kernel \"%s\" requires %s cores, which the device does not have",
                                name, core_names[kernel->cores]);
    if (kernel->blocks == 0 || kernel->blocks > BLOCKS_MOST)
        return sim_queue_refuse(queue, TWIN_E_INVALID,
                                "kernel \"%s\" has %u blocks; expected 1 to %u", name,
                                kernel->blocks, BLOCKS_MOST);
    if (kernel->batch && kernel->blocks > room)
        return sim_queue_refuse(queue, TWIN_E_INVALID,
                                "kernel \"%s\" requires %u cores at once, the device has %u", name,
                                kernel->blocks, room);
    return TWIN_OK;
}

/* Rounded up. */
static uint32_t credit_of(uint64_t timeout_ns, uint64_t unit_ns)
{
    if (timeout_ns == TWIN_FOREVER)
        return STARS_CREDIT_NEVER;
    uint64_t units = timeout_ns / unit_ns + (timeout_ns % unit_ns != 0);
    return units == 0 ? 1 : units > CREDIT_MOST ? CREDIT_MOST : (uint32_t)units;
}

void sim_kernel_entry(stars_sqe *sqe, const twin_queue *queue, const twin_launch *kernel,
                      uint64_t context)
{
    const twin_device_properties *properties = &sim_process.properties[queue->device->index];
    const uint32_t weight = kernel->weight & 0xfu;
    const uint32_t credit = credit_of(kernel->timeout_ns, properties->op_unit_ns);
    if (context != 0)
        sim_sqe_ffts(sqe, context, kernel->blocks, weight, credit);
    else
        sim_sqe_kernel(sqe, subtypes[kernel->cores], kernel->blocks,
                       kernel->batch ? STARS_SCHEM_BATCH : STARS_SCHEM_NORMAL, weight, credit);
    if (queue->config.deferred) {
        const uint64_t name = (uintptr_t)kernel;
        sqe->word[SIM_KERNEL_NAME_WORD] = (uint32_t)name;
        sqe->word[SIM_KERNEL_NAME_WORD + 1] = (uint32_t)(name >> 32);
    }
}

bool sim_kernel_context(twin_queue *queue, uint32_t slot, struct sim_kept *kept,
                        const twin_launch *kernel, uint64_t *out_address)
{
    *out_address = 0;
    if (__builtin_expect(!sim_has_context(kernel), 1))
        return true;
    struct sim_contexts *contexts = kept ? &kept->context : &queue->contexts;
    *out_address = sim_context_write(&queue->device->lists, contexts, kept ? 1 : queue->mask + 1,
                                     kept ? 0 : slot, queue->device->index, kernel);
    return *out_address != 0;
}

/* How many empty entries keep a guarded kernel out of what the device reads ahead of earlier tasks:
 * none right after another such kernel, which has them. The queue is locked. */
static uint32_t guards_of(const twin_queue *queue, const twin_launch *kernel)
{
    if (!kernel->guarded)
        return 0;
    const uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    const bool follows = submitted != 0 && queue->guarded_to == submitted;
    return follows ? 0 : sim_process.limits.prefetch;
}

twin_status sim_work_launch(twin_queue *queue, twin_launch *kernel)
{
    twin_status status = sim_queue_refusal(queue);
    if (status == TWIN_OK)
        status = check(queue, kernel);
    if (status != TWIN_OK)
        return status;
    if (kernel->replaces)
        return sim_work_replace(queue, kernel);
    struct sim_task_state *state;
    pthread_mutex_lock(&queue->lock);
    const uint32_t guards = guards_of(queue, kernel);
    if (!sim_queue_fits_locked(queue, guards + 1)) {
        pthread_mutex_unlock(&queue->lock);
        return TWIN_E_BUSY;
    }
    for (uint32_t i = 0; i < guards; i++)
        sim_sqe_placeholder(sim_queue_slot_locked(queue, i, NULL), false);
    stars_sqe *sqe = sim_queue_slot_locked(queue, guards, &state);
    const uint32_t slot = (uint32_t)(sqe - queue->ring);
    struct sim_kept *kept = NULL;
    uint64_t context = 0;
    if (queue->config.deferred)
        kept = sim_kept_add(queue, slot, kernel);
    const bool there = kept || !queue->config.deferred;
    if (!there || !sim_kernel_context(queue, slot, kept, kernel, &context)) {
        if (kept)
            sim_kept_take_back_locked(queue, slot, kept);
        pthread_mutex_unlock(&queue->lock);
        return TWIN_E_NOMEM;
    }
    state->kind = SIM_TASK_KERNEL;
    state->kernel = kernel;
    atomic_store_explicit(&queue->holds_memory, true, memory_order_relaxed);
    if (kernel->guarded)
        queue->guarded_to =
            atomic_load_explicit(&queue->submitted, memory_order_relaxed) + guards + 1;
    sim_kernel_entry(sqe, queue, kernel, context);
    sim_queue_send_locked(queue, guards + 1);
    pthread_mutex_unlock(&queue->lock);
    return TWIN_OK;
}

/* Step lists of a kernel whose blocks begin later than it says: pages that it uses move before. */
typedef struct delayed {
    struct delayed *next;
    const twin_launch *kernel;
    twin_steps *lists;
    twin_step *steps;
} delayed;

static delayed *all_delayed; /* guarded by described_lock */

static void drop_delayed(const twin_launch *kernel)
{
    delayed *one;
    pthread_mutex_lock(&described_lock);
    LL_SEARCH_SCALAR(all_delayed, one, kernel, kernel);
    if (one)
        LL_DELETE(all_delayed, one);
    pthread_mutex_unlock(&described_lock);
    if (!one)
        return;
    free(one->steps);
    free(one->lists);
    free(one);
}

/* Each block first waits for that time. The description stays as it is if there is no memory. */
static void delay(const twin_launch *kernel, struct twinsim_kernel *description, uint64_t ns)
{
    const twin_step wait = {.pipe = TWIN_PIPE_SCALAR,
                            .kind = TWIN_STEP_WORK,
                            .hit_permille = TWIN_HIT_DEFAULT,
                            .amount = ns * sim_process.limits.core_mhz / 1000 + 1};
    uint64_t total = description->count;
    for (uint64_t i = 0; i < description->count; i++)
        total += description->lists[i].count;
    delayed *made = calloc(1, sizeof(*made));
    if (made) {
        made->kernel = kernel;
        made->lists = calloc((size_t)description->count + 1, sizeof(*made->lists));
        made->steps = calloc((size_t)total + 1, sizeof(*made->steps));
    }
    if (!made || !made->lists || !made->steps) {
        if (made) {
            free(made->lists);
            free(made->steps);
        }
        free(made);
        return;
    }
    twin_step *to = made->steps;
    for (uint64_t i = 0; i < description->count; i++) {
        const twin_steps *from = &description->lists[i];
        made->lists[i] = (twin_steps){.steps = to, .count = from->count + 1};
        *to++ = wait;
        if (from->count > 0)
            memcpy(to, from->steps, (size_t)from->count * sizeof(*to));
        to += from->count;
    }
    description->lists = made->lists;
    pthread_mutex_lock(&described_lock);
    LL_PREPEND(all_delayed, made);
    pthread_mutex_unlock(&described_lock);
}

static void release(twin_launch *kernel)
{
    drop_delayed(kernel);
    kernel->release(kernel);
}

void sim_kernel_release(twin_launch *kernel)
{
    pthread_mutex_lock(&described_lock);
    bool later = described == kernel; /* by the thread that describes it */
    release_due = release_due || later;
    pthread_mutex_unlock(&described_lock);
    if (!later)
        release(kernel);
}

bool sim_kernel_described(void)
{
    pthread_mutex_lock(&described_lock);
    bool is = described != NULL;
    pthread_mutex_unlock(&described_lock);
    return is;
}

bool sim_kernel_described_on(uint32_t device, uint32_t sq)
{
    pthread_mutex_lock(&described_lock);
    bool is = described != NULL && described_device == device &&
              (sq == SIM_ANY_QUEUE || described_sq == sq);
    pthread_mutex_unlock(&described_lock);
    return is;
}

/* From now on `kernel`, of that queue, is described, or none. Whether the one before is to be
 * released. */
static bool set_described(twin_launch *kernel, const struct twinsim_kernel_wanted *wanted)
{
    pthread_mutex_lock(&described_lock);
    bool due = release_due;
    described = kernel;
    described_device = wanted->device;
    described_sq = wanted->sq;
    descriptions += kernel != NULL;
    release_due = false;
    pthread_mutex_unlock(&described_lock);
    return due;
}

/* ---- callbacks of the model ------------------------------------------------------------------ */

static enum twinsim_kernel_fault fault_of(twin_status status)
{
    switch (status) {
    case TWIN_OK:
        return TWINSIM_KERNEL_GOOD;
    case TWIN_E_KERNEL_TIMEOUT:
    case TWIN_E_VECTOR_TIMEOUT:
        return TWINSIM_KERNEL_TIMEOUT;
    case TWIN_E_KERNEL_TRAP:
    case TWIN_E_VECTOR_TRAP:
        return TWINSIM_KERNEL_TRAP;
    case TWIN_E_INVALID:
    case TWIN_E_UNSUPPORTED:
        return TWINSIM_KERNEL_BAD;
    default:
        return TWINSIM_KERNEL_EXCEPTION;
    }
}

/* What hit an access of the kernel that is described, or has its effect, at the moment; 0: nothing.
 * Guarded by the model lock. */
static uint16_t hit;
/* The last address that it could not use; 0: none. Guarded by the same. */
static uint64_t missed;

/* The same of a kernel that could look: one that failed over memory that has failed says so. */
static enum twinsim_kernel_fault fault_after_reach(twin_status status)
{
    enum twinsim_kernel_fault fault = fault_of(status);
    if (fault != TWINSIM_KERNEL_EXCEPTION || hit == 0)
        return fault;
    return hit == STARS_STATUS_LINK ? TWINSIM_KERNEL_LINK : TWINSIM_KERNEL_POISON;
}

static struct twinsim_kernel description_of(const twin_launch_work *work)
{
    return (struct twinsim_kernel){.lists = work->lists, .count = work->count};
}

static twin_queue *queue_at(uint32_t device, uint32_t sq)
{
    twin_hw_device *owner =
        atomic_load_explicit(&sim_process.devices[device], memory_order_acquire);
    return atomic_load_explicit(&owner->queues[sq], memory_order_acquire);
}

/* The task state of an entry that is under way does not change while the model lock is held. */
static twin_launch *kernel_at(uint32_t device, uint32_t sq, uint64_t number)
{
    twin_queue *queue = queue_at(device, sq);
    return queue->task_states[(number - 1) & queue->mask].kernel;
}

/* Lines are few: a kernel that fails is not run to its end. */
static void log_out_of_reach(uint32_t device, uint32_t owner, uint64_t address)
{
    sim_log(3,
            "device %u: a kernel reaches for 0x%llx, memory of device %u, to which it has no "
            "access; call aclrtDeviceEnablePeerAccess first",
            device, (unsigned long long)address, owner);
}

/* Whether a block of the kernel ends with a failure. */
static bool ends_in_fault(const twin_launch_work *work)
{
    for (uint64_t i = 0; i < work->count; i++) {
        const twin_steps *list = &work->lists[i];
        if (list->count != 0 && list->steps[list->count - 1].kind == TWIN_STEP_FAULT)
            return true;
    }
    return false;
}

/* Says that a kernel failed over a reserved address where it can use nothing. */
static void explain_missed(uint32_t device, twin_status status, const twin_launch_work *work)
{
    char why[224];
    if (missed != 0 &&
        (fault_of(status) == TWINSIM_KERNEL_EXCEPTION || (work && ends_in_fault(work))) &&
        sim_vmm_explain(device, missed, 1, why, sizeof(why)))
        sim_failure_because("%s", why);
}

/* `says`: whether memory out of reach is reported. */
static void *find_locked(const twin_reach *reach, uint64_t address, uint64_t bytes, bool write,
                         bool says, bool *out_pages)
{
    enum twinsim_target target = TWINSIM_TARGET_NONE;
    enum twinsim_access access = write ? TWINSIM_WRITE : TWINSIM_READ;
    uint32_t owner = reach->device;
    if (bytes == 0)
        return NULL;
    if (!sim_memory_allocated(address, bytes))
        return NULL;
    void *at = sim_memory_translate(NULL, reach->device, address, bytes, access, &target, &owner);
    if (at && owner != reach->device && (reach->peers >> owner & 1) == 0 &&
        !sim_managed_contains(address)) {
        if (says && !sim_silent)
            log_out_of_reach(reach->device, owner, address);
        return NULL;
    }
    *out_pages = target == TWINSIM_TARGET_HOST_PAGES;
    if (__builtin_expect(!reach->exact, 1) || !at)
        return at;
    uint16_t status = twinsim_memory_touch(sim_process.sim, owner, address, bytes, access);
    if (status == 0)
        return at;
    hit = status;
    return NULL;
}

static void *reach_locked(const twin_reach *reach, uint64_t address, uint64_t bytes, bool write)
{
    bool pages = false;
    if (sim_managed_contains(address)) /* it moves page by page, as it is used */
        return NULL;
    void *at = find_locked(reach, address, bytes, write, true, &pages);
    return pages ? NULL : at;
}

static bool move_locked(const twin_reach *reach, uint64_t address, void *local, uint64_t bytes,
                        bool write)
{
    for (uint64_t done = 0; done < bytes;) {
        uint64_t place;
        bool pages = false;
        const uint64_t left = bytes - done;
        const uint64_t whole = sim_memory_piece(NULL, reach->device, address + done, &place);
        const uint64_t piece = whole < left ? whole : left;
        if (sim_managed_contains(address + done))
            sim_managed_use(reach->device, address + done, piece, write);
        char *at = find_locked(reach, address + done, piece, write, false, &pages);
        if (!at) {
            missed = address + done;
            return false;
        }
        char *mine = local ? (char *)local + done : NULL;
        char *to = write ? at : mine;
        const char *from = write ? mine : at;
        if (mine && pages && !sim_memory_host_move(NULL, to, from, piece))
            return false;
        if (mine && !pages)
            memcpy(to, from, piece);
        done += piece;
    }
    return true;
}

static bool move_unlocked(const twin_reach *reach, uint64_t address, void *local, uint64_t bytes,
                          bool write)
{
    sim_model_continue();
    const bool moved = move_locked(reach, address, local, bytes, write);
    sim_model_pause();
    return moved;
}

static void *reach_unlocked(const twin_reach *reach, uint64_t address, uint64_t bytes, bool write)
{
    sim_model_continue();
    sim_silent = reach->silent;
    void *at = reach_locked(reach, address, bytes, write);
    sim_silent = false;
    sim_model_pause();
    return at;
}

static bool in_host_locked(const twin_reach *reach, uint64_t address)
{
    enum twinsim_target target = TWINSIM_TARGET_NONE;
    uint32_t owner = reach->device;
    return sim_memory_translate(NULL, reach->device, address, 1, TWINSIM_ROUTE, &target, &owner) &&
           target != TWINSIM_TARGET_HBM;
}

static bool in_host_unlocked(const twin_reach *reach, uint64_t address)
{
    sim_model_continue();
    const bool in_host = in_host_locked(reach, address);
    sim_model_pause();
    return in_host;
}

/* For a kernel that begins, with the model lock released, or has its effect. */
static twin_reach reach_for(bool locked, uint32_t device)
{
    hit = 0;
    missed = 0;
    return (twin_reach){.at = locked ? reach_locked : reach_unlocked,
                        .move = locked ? move_locked : move_unlocked,
                        .in_host = locked ? in_host_locked : in_host_unlocked,
                        .device = device,
                        .exact = twinsim_memory_watched(sim_process.sim)};
}

enum twinsim_kernel_answer sim_kernel_begin(void *context, const struct twinsim_kernel_task *task,
                                            struct twinsim_kernel *out)
{
    (void)context;
    twin_queue *queue = queue_at(task->device, task->sq);
    if (queue->config.deferred) /* a task that may have been replaced */
        queue->task_states[(task->number - 1) & queue->mask].kernel = sim_kernel_named(task->sqe);
    const twin_launch *kernel = kernel_at(task->device, task->sq, task->number);
    sim_observe_kernel(task->device, task->sq, task->number, kernel);
    if (!kernel->work)
        return TWINSIM_KERNEL_LATER;
    *out = description_of(kernel->work);
    return TWINSIM_KERNEL_READY;
}

enum twinsim_kernel_fault sim_kernel_effect(void *context, uint32_t device, uint32_t sq,
                                            uint64_t number, uint32_t of)
{
    (void)context;
    (void)of; /* a table of ours has one context */
    twin_launch *kernel = kernel_at(device, sq, number);
    if (!kernel->effect)
        return TWINSIM_KERNEL_GOOD;
    const twin_reach reach = reach_for(true, device);
    const twin_status status = kernel->effect(kernel, &reach);
    explain_missed(device, status, NULL);
    if (status != TWIN_OK)
        sim_failure_of_kernel(device, sq);
    return fault_after_reach(status);
}

void sim_kernel_settle_locked(void)
{
    pthread_mutex_lock(&described_lock);
    const uint64_t number = descriptions;
    while (described && descriptions == number) {
        pthread_mutex_unlock(&described_lock);
        sim_model_await(&described_over);
        pthread_mutex_lock(&described_lock);
    }
    pthread_mutex_unlock(&described_lock);
}

void sim_kernel_describe_locked(void)
{
    if (sim_kernel_described()) {
        sim_model_await(&described_over);
        return;
    }
    struct twinsim_kernel_wanted wanted;
    if (!twinsim_kernel_next(sim_process.sim, &wanted))
        return; /* its queue has ended it */
    twin_launch *kernel = kernel_at(wanted.device, wanted.sq, wanted.number);
    (void)set_described(kernel, &wanted);
    const twin_reach reach = reach_for(false, wanted.device);
    drop_delayed(kernel);
    (void)sim_managed_take_cost();
    sim_failure_drop_cause();
    sim_model_pause();
    twin_launch_work work = {0};
    twin_status status = kernel->describe(kernel, &reach, &work);
    sim_model_continue();
    explain_missed(wanted.device, status, &work);
    if (status != TWIN_OK || ends_in_fault(&work))
        sim_failure_of_kernel(wanted.device, wanted.sq);
    sim_failure_drop_cause(); /* of what it looked at and can do without */
    enum twinsim_kernel_fault fault = fault_after_reach(status);
    const uint64_t moved_ns = sim_managed_take_cost();
    if (set_described(NULL, &wanted)) {
        release(kernel);
    } else {
        struct twinsim_kernel description = description_of(&work);
        description.fault = fault;
        description.exception = fault_after_reach(TWIN_E_KERNEL_EXCEPTION);
        if (moved_ns != 0)
            delay(kernel, &description, moved_ns);
        twinsim_kernel_give(sim_process.sim, wanted.device, wanted.sq, wanted.number, &description);
    }
    pthread_cond_broadcast(&described_over);
}
