/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/run.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/write_conflict.h"
#include "kernel/core.h"
#include "kernel/signal_guard.h"
#include "kernel/names.h"
#include "kernel/rounding.h"
#include "twinrt/kernel.h"

#define ARGS_UNIT 64u

/* Runs that are over and may be used again. */
static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static twin_native_run *free_runs; /* guarded by free_lock */

/* ---- runs and what they hold ----------------------------------------------------------------- */

static void free_buffers(twin_native_run *run)
{
    if (run->buffers)
        munmap(run->buffers, run->buffers_bytes);
    free(run->scratch);
    run->buffers = NULL;
    run->scratch = NULL;
}

static void free_run(twin_native_run *run)
{
    free_buffers(run);
    for (uint32_t i = 0; i < NATIVE_CORES; i++) {
        twin_native_fiber_free(&run->cores[i].fiber);
        free(run->cores[i].steps.list);
        twin_native_hazard_free(&run->cores[i].hazards);
    }
    twin_native_memory_free(&run->memory);
    twin_native_step_lists_free(&run->lists);
    free(run->args);
    free(run);
}

static twin_native_run *take_run(void)
{
    pthread_mutex_lock(&free_lock);
    twin_native_run *run = free_runs;
    if (run)
        free_runs = run->next;
    pthread_mutex_unlock(&free_lock);
    return run ? run : calloc(1, sizeof(*run));
}

void twin_native_trim(void)
{
    pthread_mutex_lock(&free_lock);
    twin_native_run *run = free_runs;
    free_runs = NULL;
    pthread_mutex_unlock(&free_lock);
    while (run) {
        twin_native_run *next = run->next;
        free_run(run);
        run = next;
    }
}

static size_t page_up(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* Buffers of all cores that a block may have, each with a guard page after it. Pages come when they
 * are touched. */
static bool make_buffers(twin_native_run *run)
{
    const twin_core_properties *properties = run->call.core;
    const twin_core_properties *made = &run->buffers_for;
    if (run->buffers && made->ub_bytes == properties->ub_bytes &&
        made->l1_bytes == properties->l1_bytes && made->l0a_bytes == properties->l0a_bytes &&
        made->l0b_bytes == properties->l0b_bytes && made->l0c_bytes == properties->l0c_bytes)
        return true;
    free_buffers(run);
    const size_t sizes[NATIVE_BUFFERS] = {properties->ub_bytes, properties->l1_bytes,
                                          properties->l0a_bytes, properties->l0b_bytes,
                                          properties->l0c_bytes};
    size_t total = 0;
    for (uint32_t i = 0; i < NATIVE_BUFFERS; i++)
        total += page_up(sizes[i]) + page_up(1);
    unsigned char *at = mmap(NULL, total * NATIVE_CORES, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    run->buffers = at;
    run->buffers_bytes = total * NATIVE_CORES;
    run->buffers_for = (twin_core_properties){0};
    for (uint32_t i = 0; i < NATIVE_CORES; i++)
        for (uint32_t j = 0; j < NATIVE_BUFFERS; j++) {
            run->cores[i].buffer[j] = at;
            if (mprotect(at, page_up(sizes[j]), PROT_READ | PROT_WRITE) != 0)
                return false;
            at += page_up(sizes[j]) + page_up(1);
        }
    run->buffers_for = *properties;
    return true;
}

static bool copy_args(twin_native_run *run)
{
    const twin_native_call *call = &run->call;
    const size_t least =
        call->args_bytes > call->kernel->args_bytes ? call->args_bytes : call->kernel->args_bytes;
    const size_t bytes = (least + ARGS_UNIT) & ~(size_t)(ARGS_UNIT - 1);
    if (bytes > run->args_room) {
        free(run->args);
        run->args = aligned_alloc(ARGS_UNIT, bytes);
        run->args_room = run->args ? bytes : 0;
    }
    if (!run->args)
        return false;
    memset(run->args, 0, bytes);
    if (call->args_bytes > 0)
        memcpy(run->args, call->args, call->args_bytes);
    run->call.args = run->args;
    return true;
}

/* ---- failing --------------------------------------------------------------------------------- */

static void __attribute__((format(printf, 5, 0)))
write_failure(twin_native_run *run, const native_core *core, twin_native_fault fault,
              const uint64_t *address, const char *format, va_list args)
{
    const size_t room = sizeof(run->failure_text);
    char *text = run->failure_text;
    int length = core ? snprintf(text, room, "kernel \"%s\", block %u%s: ", run->call.kernel->name,
                                 run->block, twin_native_core_name(core))
                      : snprintf(text, room, "kernel \"%s\": ", run->call.kernel->name);
    if (length > 0 && (size_t)length < room)
        vsnprintf(text + length, room - (size_t)length, format, args);
    for (char *at = text; *at != '\0'; at++)
        if (*at == '\n')
            *at = ' ';
    run->failure = (twin_native_failure){.fault = fault,
                                         .block = run->block,
                                         .core = core ? core->index : 0,
                                         .has_address = address != NULL,
                                         .address = address ? *address : 0,
                                         .text = text};
}

static uint64_t step_of(twin_native_fault fault)
{
    return fault == TWIN_NATIVE_TRAP                                 ? 2
           : fault == TWIN_NATIVE_STUCK || fault == TWIN_NATIVE_TIME ? 3
                                                                     : 1;
}

/* Longer than any limit, and what is added to it stays a step. */
#define FOR_EVER (TWIN_STEP_MOST >> 6)

static void add_fault(native_core *core, twin_native_fault fault)
{
    const bool endless = fault == TWIN_NATIVE_STUCK || fault == TWIN_NATIVE_TIME;
    if (endless && core->run->call.limited)
        (void)twin_native_steps_end(&core->steps, TWIN_PIPE_SCALAR, TWIN_STEP_WORK, FOR_EVER);
    if (!twin_native_steps_end(&core->steps, TWIN_PIPE_SCALAR, TWIN_STEP_FAULT, step_of(fault)))
        core->run->failure.fault = TWIN_NATIVE_NOMEM;
}

/* The kernel has failed in `core`, which does not run. */
static void __attribute__((format(printf, 3, 4)))
fail_core(native_core *core, twin_native_fault fault, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_failure(core->run, core, fault, NULL, format, args);
    va_end(args);
    add_fault(core, fault);
}

void twin_native_fail(native_core *core, twin_native_fault fault, const uint64_t *address,
                      const char *format, ...)
{
    twin_native_run *run = core->run;
    va_list args;
    va_start(args, format);
    write_failure(run, core, fault, address, format, args);
    va_end(args);
    add_fault(core, fault);
    for (;;)
        twin_native_fiber_leave(&run->host_fiber, &core->fiber);
}

void twin_native_refuse(native_core *core, twin_native_fault fault, const char *format, ...)
{
    char text[sizeof(core->run->failure_text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    twin_native_fail(core, fault, NULL, "%s: %s", twin_native_op_name(core->op), text);
}

/* As fail, of the launch itself: no core has begun. */
static void __attribute__((format(printf, 3, 4)))
refuse(twin_native_run *run, twin_native_fault fault, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_failure(run, NULL, fault, NULL, format, args);
    va_end(args);
}

/* ---- cores ----------------------------------------------------------------------------------- */

static void core_main(void)
{
    native_core *core = native_self();
    twin_native_run *run = core->run;
    twin_native_fiber_arrived(&run->host_fiber, &core->fiber);
    for (;;) {
        core->body(run->args);
        core->done = true;
        /* The next block of the run begins where this one ended. */
        twin_native_fiber_leave(&run->host_fiber, &core->fiber);
    }
}

void twin_native_fail_full(native_core *core, uint8_t op)
{
    core->op = op;
    core->full = true;
    for (;;)
        twin_native_fiber_leave(&core->run->host_fiber, &core->fiber);
}

void twin_native_wait(native_core *core)
{
    core->waits = true;
    twin_native_fiber_leave(&core->run->host_fiber, &core->fiber);
}

static bool prepare_core(twin_native_run *run, uint32_t index)
{
    const twin_native_call *call = &run->call;
    const twin_core_properties *properties = call->core;
    native_core *core = &run->cores[index];
    const bool cube =
        call->cores == TWIN_CORES_CUBE || (call->cores == TWIN_CORES_MIXED && index == 0);
    const bool vector = !cube || !properties->split;
    const uint32_t sizes[NATIVE_BUFFERS] = {
        vector ? properties->ub_bytes : 0, cube ? properties->l1_bytes : 0,
        cube ? properties->l0a_bytes : 0, cube ? properties->l0b_bytes : 0,
        cube ? properties->l0c_bytes : 0};
    if (!core->fiber.stack && !twin_native_fiber_make(&core->fiber))
        return false;
    core->run = run;
    core->index = index;
    core->has_cube = cube;
    core->has_vector = vector;
    memcpy(core->size, sizes, sizeof(sizes));
    const bool half = call->kernel->cores == TWK_CORES_MIXED ? cube : call->kernel->cube != NULL;
    core->body = half ? call->kernel->cube : call->kernel->vector;
    core->place = (twk_place){.blocks = call->blocks,
                              .vector = index > 0 ? index - 1 : 0,
                              .vectors = run->core_count > 1 ? run->core_count - 1 : 1,
                              .is_cube = cube};
    native_head *head = native_fiber_head_of(&core->fiber);
    *head = (native_head){.owner = core};
    const uint64_t cycles = properties->scalar_block ? properties->scalar_block : 1;
    head->count.most = call->cycles_most == 0 ? UINT64_MAX : call->cycles_most / cycles + 1;
    twin_native_fiber_reset(&core->fiber, core_main);
    return true;
}

static void begin_core(twin_native_run *run, native_core *core)
{
    core->place.block = run->block;
    core->done = false;
    core->waits = false;
    core->full = false;
    core->printed = 0;
    core->counted = 0;
    core->steps.count = 0;
    native_fiber_head_of(&core->fiber)->count.blocks = 0;
    twin_native_hazard_begin(core, core->index * NATIVE_PIPES, run->core_count * NATIVE_PIPES);
}

static void resume(twin_native_run *run, native_core *core)
{
    core->waits = false;
    run->running = core;
    twin_native_fiber_resume(&run->host_fiber, &core->fiber);
    run->running = NULL;
    if (__builtin_expect(core->full, 0))
        fail_core(core, TWIN_NATIVE_CRASH, "%s: its stack of 256 KiB is full",
                  twin_native_op_name(core->op));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void stuck(twin_native_run *run)
{
    for (uint32_t i = 0; i < run->core_count; i++) {
        native_core *core = &run->cores[i];
        if (core->done)
            continue;
        fail_core(
            core, TWIN_NATIVE_STUCK,
            "twk_cross_core_wait_flag of flag %u waits for ever: %s twk_cross_core_set_flag of it",
            core->waits_flag, i == 0 ? "not each vector core has a" : "the cube core has no");
        return;
    }
}

/* A wait that the block has left open holds its pipe for ever. */
static void check_waits(native_core *core)
{
    const native_hazards *hazards = &core->hazards;
    for (uint32_t i = native_hazard_flag(hazards, 0); i < NATIVE_PAIRS * NATIVE_IDS;
         i = native_hazard_flag(hazards, i + 1)) {
        if (hazards->flags[i] > 0)
            continue;
        const uint32_t from = i / (NATIVE_PIPES * NATIVE_IDS), to = i / NATIVE_IDS % NATIVE_PIPES;
        fail_core(core, TWIN_NATIVE_STUCK,
                  "twk_wait_flag(TWK_%s, TWK_%s, %u) waits for ever: nothing sets it",
                  twin_native_pipe_name(from), twin_native_pipe_name(to), i % NATIVE_IDS);
        return;
    }
}

static void check_cross_core_flags(twin_native_run *run)
{
    for (uint32_t flag = 0; flag < NATIVE_CROSS_CORE_FLAGS; flag++)
        for (uint32_t i = 1; i < run->core_count; i++) {
            const native_cross_core_flag *pending = &run->cross_core_flags[flag];
            if (pending->to[i] == 0 && pending->back[i] == 0)
                continue;
            const bool from_cube = pending->to[i] > 0;
            twin_native_report(&run->cores[from_cube ? 0 : i],
                               (uint64_t)0xff << 40 | flag << 1 | from_cube,
                               "twk_cross_core_set_flag of flag %u that no core waits for: a board "
                               "keeps it for the "
                               "next kernel, whose first twk_cross_core_wait_flag passes too early",
                               flag);
        }
}

static void finish_cores(twin_native_run *run)
{
    for (uint32_t i = 0; i < run->core_count; i++) {
        native_core *core = &run->cores[i];
        const uint64_t passed = native_fiber_head_of(&core->fiber)->count.blocks - core->counted;
        (void)twin_native_steps_end(&core->steps, TWIN_PIPE_SCALAR, TWIN_STEP_WORK,
                                    passed * run->call.core->scalar_block);
        if (run->failure.fault == TWIN_NATIVE_GOOD)
            check_waits(core);
        if (run->failure.fault == TWIN_NATIVE_GOOD)
            twin_native_hazard_end(core);
    }
    if (run->cross_core_used && run->failure.fault == TWIN_NATIVE_GOOD)
        check_cross_core_flags(run);
}

/* Runs the cores in turns until each is done: one that waits lets the next go on. */
static void run_cores(twin_native_run *run)
{
    bool open = true, moved = true;
    while (open && moved) {
        open = moved = false;
        for (uint32_t i = 0; i < run->core_count; i++) {
            native_core *core = &run->cores[i];
            if (core->done)
                continue;
            const uint64_t before = core->steps.count;
            resume(run, core);
            if (run->failure.fault != TWIN_NATIVE_GOOD)
                return;
            moved = moved || core->done || core->steps.count != before;
            open = open || !core->done;
        }
    }
    if (open)
        stuck(run);
}

static bool run_block(twin_native_run *run)
{
    twin_native_memory_block(&run->memory);
    if (run->cross_core_used)
        memset(run->cross_core_flags, 0, sizeof(run->cross_core_flags));
    run->cross_core_used = false;
    for (uint32_t i = 0; i < run->core_count; i++)
        begin_core(run, &run->cores[i]);
    run_cores(run);
    if (run->failure.fault == TWIN_NATIVE_GOOD)
        finish_cores(run);
    for (uint32_t i = 0; i < run->core_count; i++)
        if (!twin_native_step_lists_add(&run->lists, &run->cores[i].steps))
            return false;
    return true;
}

/* Blocks after one that failed have nothing to do: the kernel does not get to them. */
static bool fill_up(twin_native_run *run)
{
    native_steps none = {0};
    for (uint64_t i = run->lists.count; i < (uint64_t)run->call.blocks * run->core_count; i++)
        if (!twin_native_step_lists_add(&run->lists, &none))
            return false;
    return true;
}

static void check_write_conflicts(twin_native_run *run)
{
    native_write_conflict conflict;
    if (!run->call.hazard || run->call.timing_only ||
        !twin_native_write_conflict_find(&run->memory, &conflict))
        return;
    run->block = conflict.second->block;
    twin_native_report(&run->cores[0], (uint64_t)0xfe << 40,
                       "%s writes global memory 0x%llx to 0x%llx, and so does %s of block %u: "
                       "nothing orders blocks, a board leaves what comes last",
                       twin_native_op_name(conflict.second->op), (unsigned long long)conflict.begin,
                       (unsigned long long)conflict.end - 1,
                       twin_native_op_name(conflict.first->op), conflict.first->block);
}

/* ---- the interface --------------------------------------------------------------------------- */

/* What is wrong with the launch. Then its first core fails at once. */
static bool check_call(twin_native_run *run)
{
    const twin_native_call *call = &run->call;
    const twk_kernel_entry *kernel = call->kernel;
    if (call->args_bytes < kernel->args_bytes && !call->args_padded)
        refuse(run, TWIN_NATIVE_OPERATION, "it reads %u bytes of arguments, the launch gives %zu",
               kernel->args_bytes, call->args_bytes);
    else if ((kernel->cores == TWK_CORES_MIXED) != (call->cores == TWIN_CORES_MIXED) ||
             (kernel->cores == TWK_CORES_CUBE && call->cores != TWIN_CORES_CUBE) ||
             (kernel->cores == TWK_CORES_VECTOR && call->cores == TWIN_CORES_CUBE &&
              call->core->split))
        refuse(run, TWIN_NATIVE_OPERATION, "it is for other cores than those it was launched on");
    else if (kernel->cores == TWK_CORES_MIXED && (kernel->vector_ratio != call->vectors_per_cube ||
                                                  call->vectors_per_cube >= NATIVE_CORES))
        refuse(run, TWIN_NATIVE_OPERATION,
               "its blocks have %u vector cores to a cube core, this part has %u",
               kernel->vector_ratio, call->vectors_per_cube);
    return run->failure.fault == TWIN_NATIVE_GOOD;
}

static bool refuse_all(twin_native_run *run)
{
    native_steps *steps = &run->cores[0].steps;
    steps->count = 0;
    return native_steps_add(steps, TWIN_PIPE_SCALAR, TWIN_STEP_FAULT, 0,
                            step_of(run->failure.fault)) &&
           twin_native_step_lists_add(&run->lists, steps) && fill_up(run);
}

static bool run_all(twin_native_run *run)
{
    run->core_count = run->call.cores == TWIN_CORES_MIXED ? run->call.vectors_per_cube + 1 : 1;
    if (!check_call(run)) {
        run->core_count = run->core_count > NATIVE_CORES ? NATIVE_CORES : run->core_count;
        return refuse_all(run);
    }
    for (uint32_t i = 0; i < run->core_count; i++)
        if (!prepare_core(run, i))
            return false;
    for (run->block = 0; run->block < run->call.blocks; run->block++) {
        if (!run_block(run))
            return false;
        if (run->failure.fault != TWIN_NATIVE_GOOD)
            return fill_up(run);
    }
    check_write_conflicts(run);
    return true;
}

static void release_run(twin_native_run *run)
{
    pthread_mutex_lock(&free_lock);
    run->next = free_runs;
    free_runs = run;
    pthread_mutex_unlock(&free_lock);
}

twin_status twin_native_begin(const twin_native_call *call, twin_native_run **out_run,
                              twin_launch_work *out_work)
{
    twin_native_run *run = take_run();
    if (!run)
        return TWIN_E_NOMEM;
    run->call = *call;
    run->failure = (twin_native_failure){0};
    run->reported.count = 0;
    run->overflowed = false;
    run->block = 0;
    twin_native_memory_begin(&run->memory, call->reach, call->saturate);
    bool good = copy_args(run) && make_buffers(run);
    if (good) {
        /* Whatever rounding the thread prefers: results are those of the plain one. */
        native_rounding rounding;
        native_rounding_plain(&rounding);
        twin_native_signal_guard(run);
        good = run_all(run);
        twin_native_signal_guard(NULL);
        native_rounding_restore(&rounding);
    }
    run->call.reach = NULL;
    if (!good || run->failure.fault == TWIN_NATIVE_NOMEM) {
        twin_native_end(run);
        return TWIN_E_NOMEM;
    }
    *out_work = twin_native_step_lists_work(&run->lists, run->core_count);
    *out_run = run;
    return TWIN_OK;
}

twin_status twin_native_effect(twin_native_run *run, const twin_reach *reach)
{
    uint64_t address = 0;
    if (run->failure.fault != TWIN_NATIVE_GOOD)
        return TWIN_E_KERNEL_EXCEPTION;
    const bool applied = twin_native_memory_apply(&run->memory, reach, &address);
    run->overflowed = run->overflowed || run->memory.overflow.happened;
    if (applied)
        return TWIN_OK;
    refuse(run, TWIN_NATIVE_ADDRESS,
           "what it wrote at 0x%llx cannot be left there: the memory was freed while it ran",
           (unsigned long long)address);
    run->failure.has_address = true;
    run->failure.address = address;
    return TWIN_E_KERNEL_EXCEPTION;
}

void twin_native_end(twin_native_run *run)
{
    twin_native_memory_clear(&run->memory);
    twin_native_step_lists_clear(&run->lists);
    release_run(run);
}

const twin_native_failure *twin_native_failed(const twin_native_run *run)
{
    return &run->failure;
}

bool twin_native_overflowed(const twin_native_run *run)
{
    return run->overflowed;
}
