/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/launch_native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/backend/registry.h"
#include "core/backend/error.h"
#include "core/backend/thread_state.h"
#include "core/base/config.h"
#include "core/base/log.h"
#include "core/image/source_line.h"
#include "core/object/device_area.h"
#include "core/work/overflow.h"
#include "kernel/run.h"

/* Scalar cycles after which the code of a block is taken to run for ever, whatever the time limit:
 * 5 s of a core of 1.8 GHz. runtime/docs/building-kernels.md. */
#define CYCLES_MOST (UINT64_C(1) << 33)

/* What is done about hazards. */
typedef enum hazard_check { HAZARD_OFF, HAZARD_WARN, HAZARD_ERROR } hazard_check;

/* A run under way, for its messages. */
typedef struct native_call {
    const twin_kernel_launch *launch;
    hazard_check check;
    bool silent; /* it was said before */
    unsigned hazards;
} native_call;

/* ---- messages of a run ----------------------------------------------------------------------- */

static hazard_check check_now(void)
{
    const char *value = twin_setting(TWIN_SETTING_KERNEL_CHECK);
    return strcmp(value, "off") == 0     ? HAZARD_OFF
           : strcmp(value, "error") == 0 ? HAZARD_ERROR
                                         : HAZARD_WARN;
}

static void report_hazard(void *user, const char *text)
{
    native_call *call = user;
    call->hazards++;
    if (call->check == HAZARD_ERROR)
        twin_log(TWIN_LOG_ERROR, "%s (TWINRT_KERNEL_CHECK=error: the kernel fails)", text);
    else if (!call->silent)
        twin_log(TWIN_LOG_WARNING, "%s", text);
}

/* On the program's standard output, as it is. */
static void print_text(void *user, uint32_t block, uint32_t core, const char *text)
{
    (void)user;
    (void)block;
    (void)core;
    (void)fputs(text, stdout);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Bytes of arguments that are no padding: the structure's end may be some, as far as its size
 * allows, but no parameter that the author gave. */
__attribute__((cold, noinline)) static size_t least_bytes(const twk_kernel_entry *native)
{
    uint32_t least = native->args_bytes;
    for (uint32_t unit = 8; unit > 1 && least == native->args_bytes; unit /= 2)
        if (native->args_bytes % unit == 0 && native->args_bytes >= 2 * unit)
            least -= unit - 1;
    for (uint32_t i = 0; native->params && i < native->params->count; i++) {
        const twk_param *one = &native->params->list[i];
        const uint32_t end = one->offset + one->bytes;
        least = end > least && end <= native->args_bytes ? end : least;
    }
    return least;
}

int32_t twin_launch_native_check(const twin_function *function, size_t args_bytes)
{
    const uint32_t wanted = function->native->args_bytes;
    if (__builtin_expect(wanted <= args_bytes, 1) || args_bytes >= least_bytes(function->native))
        return 0;
    return twin_fail(TWIN_ERR_PARAM, "kernel \"%s\" reads %u bytes of arguments, %zu are given",
                     function->kernel->name, wanted, args_bytes);
}

int32_t twin_launch_native_offered(twin_device *device)
{
    uint64_t flags = 0;
    if (device->properties->core.vector_bytes == 0)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "device %u runs no native kernels: its backend does not model AI cores",
                         device->id);
    if (__builtin_expect(atomic_load_explicit(&device->overflow, memory_order_relaxed) != 0, 1))
        return 0;
    return twin_device_area(device, &device->overflow, TWIN_OVERFLOW_BYTES, "overflow flags",
                            &flags);
}

/* The status that programs read, of the whole device. */
static void note_overflow(const twin_kernel_launch *launch, const twin_reach *reach)
{
    const uint64_t flags = atomic_load_explicit(&launch->device->overflow, memory_order_acquire);
    uint32_t *status =
        flags != 0 ? reach->at(reach, flags, TWIN_OVERFLOW_STATUS_BYTES, true) : NULL;
    if (status)
        *status = 1;
}

static twin_status effect(twin_launch *kernel, const twin_reach *reach)
{
    twin_kernel_launch *launch = (twin_kernel_launch *)(void *)kernel; /* its first member */
    const twin_reach wide = twin_launch_reach(launch, reach);
    const twin_status status = twin_native_effect(launch->run, &wide);
    if (twin_native_overflowed(launch->run) && !launch->overflows.hidden)
        note_overflow(launch, &wide);
    twin_launch_native_end(launch); /* its memory serves the next run */
    if (status != TWIN_OK)
        twin_log(TWIN_LOG_ERROR,
                 "kernel \"%s\": memory that it writes was freed or unmapped while it ran; do that "
                 "after a synchronisation",
                 kernel->name);
    return status;
}

static bool timing_only_now(void)
{
    /* A setting stays as it was read; comparing texts would be 6 % of a launch. */
    static _Atomic(uint8_t) of_setting = TWIN_KERNEL_DATA_SETTING;
    uint8_t data = twin_self.kernel_data;
    if (data == TWIN_KERNEL_DATA_SETTING)
        data = atomic_load_explicit(&of_setting, memory_order_relaxed);
    if (__builtin_expect(data == TWIN_KERNEL_DATA_SETTING, 0)) {
        const bool off = strcmp(twin_setting(TWIN_SETTING_KERNEL_DATA), "off") == 0;
        data = off ? TWIN_KERNEL_DATA_OFF : TWIN_KERNEL_DATA_ON;
        atomic_store_explicit(&of_setting, data, memory_order_relaxed);
    }
    return data == TWIN_KERNEL_DATA_OFF;
}

/* Recordings have what kernels compute, too. */
static bool counts_now(void)
{
    static _Atomic(int) known; /* 0: not read yet, 1: no, 2: yes */
    int now = atomic_load_explicit(&known, memory_order_relaxed);
    if (__builtin_expect(now == 0, 0)) {
        now = twin_setting(TWIN_SETTING_KERNEL_COUNTS)[0] != '\0' ||
                      twin_setting(TWIN_SETTING_RECORD)[0] != '\0'
                  ? 2
                  : 1;
        atomic_store_explicit(&known, now, memory_order_relaxed);
    }
    return now == 2;
}

void twin_launch_native_prepare(twin_kernel_launch *launch, twin_device *device,
                                twin_overflows overflows)
{
    launch->overflows = overflows;
    launch->base.timed_only = timing_only_now();
    launch->base.effect = effect;
    /* Without separate cores, vector units belong to the others. */
    if (launch->base.cores == TWIN_CORES_VECTOR && !device->properties->core.split)
        launch->base.cores = TWIN_CORES_CUBE;
}

/* Threads that take turns in the order of their clocks wait for each other at the calls that make
 * and join threads. */
static uint32_t threads_most(void)
{
    static _Atomic(uint32_t) most; /* 0: not read yet */
    uint32_t known = atomic_load_explicit(&most, memory_order_relaxed);
    if (__builtin_expect(known == 0, 0)) {
        const bool turns = strcmp(twin_setting(TWIN_SETTING_DETERMINISTIC), "on") == 0;
        known = (uint32_t)strtoul(twin_setting(TWIN_SETTING_KERNEL_THREADS), NULL, 10);
        known = turns ? 1 : known == 0 ? UINT32_MAX : known;
        atomic_store_explicit(&most, known, memory_order_relaxed);
    }
    return known;
}

/* A thread that runs blocks. */
static void own_thread(bool begins)
{
    twin_threads_of_runtime(begins ? 1 : -1);
    if (begins)
        twin_thread_own();
}

/* Reports what ended a run; what a kernel forgets fails it when that is asked for. */
static twin_status judge(const twin_kernel_launch *launch, native_call *call)
{
    const twin_native_failure *failure = twin_native_failed(launch->run);
    if (failure->fault != TWIN_NATIVE_GOOD)
        twin_log(TWIN_LOG_ERROR, "%s", failure->text);
    if (call->hazards == 0)
        return TWIN_OK;
    atomic_store_explicit(&launch->function->hazard_reported, true, memory_order_relaxed);
    return call->check == HAZARD_ERROR ? TWIN_E_KERNEL_EXCEPTION : TWIN_OK;
}

/* Once in a process: marked memory is easily taken for results. */
static void report_timing_only(const twin_kernel_launch *launch)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set_explicit(&reported, memory_order_relaxed))
        twin_log(TWIN_LOG_WARNING,
                 "kernel \"%s\" is only timed, not computed (TWINRT_KERNEL_DATA=off or "
                 "twinrt_set_kernel_data): global memory that such kernels write is filled with "
                 "0x%x, NaN in each floating type",
                 launch->base.name, TWIN_NATIVE_MARK);
}

twin_status twin_launch_native_run(twin_kernel_launch *launch, const twin_reach *reach,
                                   const void *args, twin_launch_work *out_work)
{
    twin_launch_native_end(launch); /* of a program that runs again */
    const size_t wanted = launch->function->native->args_bytes;
    const twin_device_properties *properties = launch->device->properties;
    native_call call = {.launch = launch, .check = check_now()};
    call.silent = call.check == HAZARD_OFF ||
                  atomic_load_explicit(&launch->function->hazard_reported, memory_order_relaxed);
    const twin_native_call native = {
        .kernel = launch->function->native,
        .cores = launch->base.cores,
        .blocks = launch->base.blocks,
        .blocks_at_once =
            launch->base.cores == TWIN_CORES_VECTOR ? properties->aiv_cores : properties->aic_cores,
        .vectors_per_cube =
            properties->aic_cores != 0 ? properties->aiv_cores / properties->aic_cores : 0,
        .args = args,
        .args_bytes = launch->args_bytes < wanted ? launch->args_bytes : wanted,
        .args_padded = true, /* twin_launch_native_check */
        .core = &properties->core,
        .bf16 = properties->bf16,
        .saturate = launch->overflows.saturate,
        .timing_only = launch->base.timed_only,
        .counts = counts_now(),
        .cycles_most = CYCLES_MOST,
        .limited = launch->base.timeout_ns != TWIN_FOREVER,
        .reach = reach,
        .threads_most = threads_most(),
        .thread = own_thread,
        .print = print_text,
        .hazard = call.check == HAZARD_OFF ? NULL : report_hazard,
        .line = twin_source_line,
        .user = &call};
    if (launch->base.timed_only)
        report_timing_only(launch);
    const twin_status status = twin_native_begin(&native, &launch->run, out_work);
    if (status == TWIN_OK)
        return judge(launch, &call);
    twin_log(TWIN_LOG_ERROR, "kernel \"%s\" cannot be run: %s", launch->base.name,
             twin_status_text(status));
    return TWIN_E_KERNEL_EXCEPTION;
}

void twin_launch_native_end(twin_kernel_launch *launch)
{
    if (launch->run)
        twin_native_end(launch->run);
    launch->run = NULL;
}

bool twin_handler_passes_on(void (*handler)(int number, siginfo_t *info, void *context))
{
    return twin_native_passes_on(handler);
}
