/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/fault_injection.h"

#include <assert.h>
#include <string.h>

#include "device/device.h"
#include "process/process.h"
#include "wait/model_lock.h"

/* No program needs more; each is looked at for every task. */
#define FAULTS_MOST 256u

/* A fault by the core's number, and the model's number, 0 while there is no model. */
struct injected {
    uint32_t number;
    uint32_t inner;
    struct twinsim_fault fault;
};

/* Guarded by the model lock. */
static struct injected injected[FAULTS_MOST];
static uint32_t injected_count;
static uint32_t last_number;

#define SAME(mine, models)                                                                         \
    static_assert((int)TWIN_FAULT_##mine == (int)TWINSIM_FAULT_##models, "kinds are the model's")
SAME(BAD_TASK, BAD_SQE);
SAME(MEMORY, MEMORY);
SAME(ENGINE_ERROR, ENGINE_ERROR);
SAME(ENGINE_TIMEOUT, ENGINE_TIMEOUT);
SAME(ENGINE_SLOW, ENGINE_SLOW);
SAME(ENGINE_HANG, ENGINE_HANG);
SAME(COMPLETION_LOST, COMPLETION_LOST);
SAME(REPORT_LOST, CQE_LOST);
SAME(REPORTS_FULL, CQ_FULL);
SAME(RECORD_LOST, RECORD_LOST);
SAME(DOORBELL_LOST, DOORBELL_LOST);
SAME(KINDS, KINDS);
SAME(READ, READ);
SAME(WRITE, WRITE);
static_assert(TWIN_FAULT_ANY == TWINSIM_ANY, "any is any");
static_assert(TWIN_FAULT_DURATION_MOST == TWINSIM_FAULT_DURATION_MOST, "as long as the model's");

static uint32_t type_of(twin_fault_task task)
{
    static const uint32_t types[TWIN_FAULT_TASKS] = {
        [TWIN_FAULT_TASK_ANY] = TWINSIM_ANY,
        [TWIN_FAULT_TASK_SDMA] = STARS_SQE_SDMA,
        [TWIN_FAULT_TASK_PCIE_DMA] = STARS_SQE_PCIE_DMA,
        [TWIN_FAULT_TASK_HOST_DMA] = TWINSIM_FAULT_HOST_DMA,
        [TWIN_FAULT_TASK_KERNEL] = STARS_SQE_AICORE,
        [TWIN_FAULT_TASK_HOST_CALL] = STARS_SQE_AICPU,
        [TWIN_FAULT_TASK_PLACEHOLDER] = STARS_SQE_PLACEHOLDER,
        [TWIN_FAULT_TASK_EVENT_RECORD] = STARS_SQE_EVENT_RECORD,
        [TWIN_FAULT_TASK_EVENT_WAIT] = STARS_SQE_EVENT_WAIT,
        [TWIN_FAULT_TASK_NOTIFY_RECORD] = STARS_SQE_NOTIFY_RECORD,
        [TWIN_FAULT_TASK_NOTIFY_WAIT] = STARS_SQE_NOTIFY_WAIT,
        [TWIN_FAULT_TASK_WRITE_VALUE] = STARS_SQE_WRITE_VALUE,
        [TWIN_FAULT_TASK_CONDITION] = STARS_SQE_COND,
    };
    return types[task];
}

static uint32_t find_locked(uint32_t number)
{
    uint32_t at = 0;
    while (at < injected_count && injected[at].number != number)
        at++;
    return at;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* How many ids tasks of a type may record: a write into a table may be of any kind. */
static uint32_t ids_of(twin_fault_task task)
{
    const struct sim_limits *limits = &sim_process.limits;
    const uint32_t notifies = larger(limits->notifies, limits->count_notifies);
    return task == TWIN_FAULT_TASK_EVENT_RECORD    ? limits->events
           : task == TWIN_FAULT_TASK_NOTIFY_RECORD ? notifies
                                                   : larger(limits->events, notifies);
}

twin_status sim_fault_inject(const twin_fault *fault, uint32_t *out_number)
{
    if (fault->device != TWIN_FAULT_ANY && fault->device >= sim_process.device_count) {
        sim_fail("device %u does not exist: the model has %u (TWINRT_DEVICES)", fault->device,
                 sim_process.device_count);
        return TWIN_E_INVALID;
    }
    if (fault->id != TWIN_FAULT_ANY && fault->id >= ids_of(fault->task)) {
        sim_fail("such a task cannot record event or notify %u: ids are below %u", fault->id,
                 ids_of(fault->task));
        return TWIN_E_INVALID;
    }
    struct injected item = {.fault = {
                                .kind = (uint32_t)fault->kind,
                                .device = fault->device,
                                .stream = fault->stream,
                                .task = type_of(fault->task),
                                .id = fault->id,
                                .first = fault->first,
                                .times = fault->times,
                                .duration_ns = fault->duration_ns,
                                .factor_permille = fault->factor_permille,
                                .access = fault->access,
                                .address = fault->address,
                                .bytes = fault->bytes,
                                .status = fault->status,
                            }};
    char error[256] = "";
    twin_status status = TWIN_OK;
    sim_model_lock();
    if (injected_count == FAULTS_MOST) {
        sim_fail("%u faults are injected, as many as there can be; remove some", FAULTS_MOST);
        status = TWIN_E_INVALID;
    } else if (twinsim_fault_check(&item.fault, error, sizeof(error)) != TWINSIM_OK) {
        sim_fail("%s", error);
        status = TWIN_E_INVALID;
    } else if (sim_process.sim && twinsim_fault_inject(sim_process.sim, &item.fault, &item.inner,
                                                       error, sizeof(error)) != TWINSIM_OK) {
        sim_fail("%s", error);
        status = TWIN_E_NOMEM;
    } else {
        item.number = ++last_number;
        injected[injected_count++] = item;
        *out_number = item.number;
    }
    sim_model_unlock();
    return status;
}

twin_status sim_inject_begin(void)
{
    char error[256] = "";
    for (uint32_t i = 0; i < injected_count; i++)
        if (twinsim_fault_inject(sim_process.sim, &injected[i].fault, &injected[i].inner, error,
                                 sizeof(error)) != TWINSIM_OK) {
            sim_fail("an injected fault: %s", error);
            return TWIN_E_NOMEM;
        }
    return TWIN_OK;
}

twin_status sim_fault_remove(uint32_t number)
{
    twin_status status = TWIN_OK;
    sim_model_lock();
    if (number == 0) {
        injected_count = 0;
        if (sim_process.sim)
            (void)twinsim_fault_remove(sim_process.sim, 0);
    } else {
        uint32_t at = find_locked(number);
        status = at < injected_count ? TWIN_OK : TWIN_E_INVALID;
        /* A repair may have taken it from the model already. */
        if (status == TWIN_OK && injected[at].inner != 0)
            (void)twinsim_fault_remove(sim_process.sim, injected[at].inner);
        if (status == TWIN_OK)
            memmove(&injected[at], &injected[at + 1],
                    (--injected_count - at) * sizeof(injected[0]));
    }
    sim_model_unlock();
    return status;
}

twin_status sim_fault_triggered(uint32_t number, uint64_t *out_times)
{
    sim_model_lock();
    uint32_t at = find_locked(number);
    bool known = at < injected_count;
    if (known && injected[at].inner == 0)
        *out_times = 0;
    else if (known)
        known =
            twinsim_fault_triggered(sim_process.sim, injected[at].inner, out_times) == TWINSIM_OK;
    sim_model_unlock();
    return known ? TWIN_OK : TWIN_E_INVALID;
}

twin_status sim_memory_errors(twin_hw_device *device, twin_memory_error *list, size_t room,
                              size_t *out_count)
{
    struct twinsim_memory_error errors[FAULTS_MOST];
    size_t most = room < FAULTS_MOST ? room : FAULTS_MOST;
    sim_model_lock();
    *out_count = twinsim_memory_errors(sim_process.sim, device->index, errors, most);
    sim_model_unlock();
    size_t written = *out_count < most ? *out_count : most;
    for (size_t i = 0; i < written; i++)
        list[i] = (twin_memory_error){.address = errors[i].address,
                                      .bytes = errors[i].bytes,
                                      .link = errors[i].status == STARS_STATUS_LINK};
    return TWIN_OK;
}

twin_status sim_memory_repair(twin_hw_device *device, uint64_t address, uint64_t bytes)
{
    sim_model_lock();
    int code = twinsim_memory_repair(sim_process.sim, device->index, address, bytes);
    sim_model_unlock();
    if (code == TWINSIM_OK)
        return TWIN_OK;
    sim_explain("device %u: no memory error is known within %llu bytes at 0x%llx", device->index,
                (unsigned long long)bytes, (unsigned long long)address);
    return TWIN_E_INVALID;
}
