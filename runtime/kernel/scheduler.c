/* SPDX-License-Identifier: Apache-2.0 */
/* Runs: which block runs when, and what is left when all have ended. */
#include "kernel/scheduler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/block.h"
#include "kernel/core.h"
#include "kernel/cross_core.h"
#include "kernel/debugger.h"
#include "kernel/parts.h"
#include "kernel/poll.h"
#include "kernel/signal_guard.h"
#include "kernel/names.h"
#include "kernel/rounding.h"
#include "kernel/write_conflict.h"
#include "twinrt/kernel.h"

#define ARGS_UNIT   64u
#define FIRST_BEGUN 64u

/* Runs that are over and may be used again. */
static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static twin_native_run *free_runs; /* guarded by free_lock */

/* ---- runs and what they hold ----------------------------------------------------------------- */

static void free_run(twin_native_run *run)
{
    twin_native_block_leave(run);
    twin_native_memory_free(&run->memory);
    twin_native_step_lists_free(&run->lists);
    free(run->reads.list);
    free(run->begun);
    free(run->scratch);
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
    twin_native_block_trim();
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

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The steps of all cores of a block. */
static bool keep_steps(twin_native_run *run, native_block *block)
{
    const uint64_t first = (uint64_t)(block->number - run->first_block) * run->core_count;
    for (uint32_t i = 0; i < run->core_count; i++)
        if (!twin_native_step_lists_put(&run->lists, first + i, &block->cores[i].steps))
            return false;
    return true;
}

/* Room for one that begins: that of one that has ended, or more. */
static native_block *begin_block(twin_native_run *run, native_block *ended)
{
    if (run->begun_count == run->begun_room &&
        !twin_native_grow(&run->begun, &run->begun_room, sizeof(native_block *), FIRST_BEGUN))
        return NULL;
    native_block *block = ended ? ended : twin_native_block_take(run);
    if (!block)
        return NULL;
    run->begun[run->begun_count++] = block;
    twin_native_block_begin(block, run->next_block++);
    return block;
}

/* Number `place` of those that have begun has ended. */
static bool end_block(twin_native_run *run, size_t place)
{
    native_block *block = run->begun[place];
    if (!twin_native_block_end(block) || !keep_steps(run, block))
        return false;
    run->begun_count--;
    for (; place < run->begun_count; place++)
        run->begun[place] = run->begun[place + 1];
    return true;
}

/* Whether blocks may go on. A part of a run ends where its blocks would wait for others. */
static bool goes_on(const twin_native_run *run)
{
    return run->failure.fault == TWIN_NATIVE_GOOD &&
           (!run->stop || (!run->met && !atomic_load_explicit(run->stop, memory_order_relaxed)));
}

/* Blocks that wait for others go on, each as far as it can, in their order. */
static bool go_on(twin_native_run *run, bool *moved)
{
    for (size_t i = 0; i < run->begun_count && goes_on(run);) {
        native_block *block = run->begun[i];
        *moved = twin_native_block_run(block) || *moved;
        if (run->failure.fault != TWIN_NATIVE_GOOD || !twin_native_block_done(block)) {
            i++;
            continue;
        }
        if (!end_block(run, i))
            return false;
        twin_native_block_give(block);
    }
    return true;
}

/* Blocks begin as long as there are cores for them. */
static bool begin_blocks(twin_native_run *run, bool *moved)
{
    const uint32_t most = run->call.blocks_at_once > 0 ? run->call.blocks_at_once : UINT32_MAX;
    native_block *ended = NULL;
    bool good = true;
    while (good && goes_on(run) && run->next_block < run->end_block && run->begun_count < most) {
        native_block *block = begin_block(run, ended);
        good = block != NULL;
        ended = NULL;
        *moved = true;
        if (!good)
            break;
        (void)twin_native_block_run(block);
        if (run->failure.fault != TWIN_NATIVE_GOOD || !twin_native_block_done(block))
            continue;
        good = end_block(run, run->begun_count - 1);
        ended = good ? block : NULL;
        if (ended && run->next_block == 1 && run->call.threads_most > 1)
            twin_native_parts_run(run, block);
    }
    if (ended)
        twin_native_block_give(ended);
    return good;
}

/* Blocks run one after the other. One that waits for others keeps its cores, and those after it
 * begin on more, as they would on the device. */
bool twin_native_run_blocks(twin_native_run *run)
{
    bool moved = true;
    while (goes_on(run) && (run->begun_count > 0 || run->next_block < run->end_block)) {
        if (!moved && !twin_native_poll_release(run)) {
            twin_native_cross_core_stuck(run);
            break;
        }
        moved = false;
        if (!go_on(run, &moved) || !begin_blocks(run, &moved))
            return false;
    }
    return true;
}

/* After a failure: what blocks have done that have not ended. Those that have not begun do nothing:
 * the kernel does not get to them. */
static bool keep_rest(twin_native_run *run)
{
    const uint64_t last = (uint64_t)run->call.blocks * run->core_count - 1;
    for (size_t i = 0; i < run->begun_count; i++)
        if (!keep_steps(run, run->begun[i]))
            return false;
    return last < run->lists.count || twin_native_step_lists_put(&run->lists, last, NULL);
}

static void give_blocks(twin_native_run *run)
{
    for (size_t i = 0; i < run->begun_count; i++)
        twin_native_block_give(run->begun[i]);
    run->begun_count = 0;
}

static void check_write_conflicts(twin_native_run *run)
{
    native_write_conflict conflict;
    if (!run->call.hazard || run->call.timing_only || run->polled ||
        !twin_native_write_conflict_find(&run->memory, &conflict))
        return;
    twin_native_report_block(run, conflict.second->block, (uint64_t)0xfe << 40,
                             "%s writes global memory 0x%llx to 0x%llx, and so does %s of block "
                             "%u: nothing orders blocks, a board leaves what comes last",
                             twin_native_op_name(conflict.second->op),
                             (unsigned long long)conflict.begin,
                             (unsigned long long)conflict.end - 1,
                             twin_native_op_name(conflict.first->op), conflict.first->block);
}

static void check_read_conflicts(twin_native_run *run)
{
    native_read_conflict conflict;
    if (!run->notes_reads || run->polled ||
        !twin_native_reads_find(&run->reads, &run->memory, &conflict))
        return;
    twin_native_report_block(
        run, conflict.read->block, (uint64_t)0xfb << 40,
        "%s (%s) reads global memory 0x%llx to 0x%llx, which %s of block %u writes, and no barrier "
        "of the launch is in between: here it reads what was there before, a board may read either",
        twin_native_op_name(conflict.read->op),
        twin_native_pipe_name(conflict.read->pipe % NATIVE_PIPES),
        (unsigned long long)conflict.begin, (unsigned long long)conflict.end - 1,
        twin_native_op_name(conflict.write->op), conflict.write->block);
}

/* ---- the interface --------------------------------------------------------------------------- */

/* What is wrong with the launch. Then its first core fails at once. */
static bool check_call(twin_native_run *run)
{
    const twin_native_call *call = &run->call;
    const twk_kernel_entry *kernel = call->kernel;
    if (call->args_bytes < kernel->args_bytes && !call->args_padded)
        twin_native_fail_run(run, TWIN_NATIVE_OPERATION,
                             "it reads %u bytes of arguments, the launch gives %zu",
                             kernel->args_bytes, call->args_bytes);
    else if ((kernel->cores == TWK_CORES_MIXED) != (call->cores == TWIN_CORES_MIXED) ||
             (kernel->cores == TWK_CORES_CUBE && call->cores != TWIN_CORES_CUBE) ||
             (kernel->cores == TWK_CORES_VECTOR && call->cores == TWIN_CORES_CUBE &&
              call->core->split))
        twin_native_fail_run(run, TWIN_NATIVE_OPERATION,
                             "it is for other cores than those it was launched on");
    else if (kernel->cores == TWK_CORES_MIXED && (kernel->vector_ratio != call->vectors_per_cube ||
                                                  call->vectors_per_cube >= NATIVE_CORES))
        twin_native_fail_run(run, TWIN_NATIVE_OPERATION,
                             "its blocks have %u vector cores to a cube core, this part has %u",
                             kernel->vector_ratio, call->vectors_per_cube);
    return run->failure.fault == TWIN_NATIVE_GOOD;
}

static bool refuse_all(twin_native_run *run)
{
    native_steps steps = {0};
    const bool good = native_steps_add(&steps, TWIN_PIPE_SCALAR, TWIN_STEP_FAULT, 0,
                                       twin_native_fault_step(run->failure.fault)) &&
                      twin_native_step_lists_put(&run->lists, 0, &steps) && keep_rest(run);
    free(steps.list);
    return good;
}

static bool run_all(twin_native_run *run)
{
    run->core_count = run->call.cores == TWIN_CORES_MIXED ? run->call.vectors_per_cube + 1 : 1;
    if (!check_call(run)) {
        run->core_count = run->core_count > NATIVE_CORES ? NATIVE_CORES : run->core_count;
        return refuse_all(run);
    }
    bool good = twin_native_run_blocks(run);
    if (good && run->failure.fault != TWIN_NATIVE_GOOD) {
        good = keep_rest(run);
    } else if (good) {
        twin_native_cross_core_left(run);
        check_write_conflicts(run);
        check_read_conflicts(run);
    }
    give_blocks(run);
    return good;
}

/* Whatever rounding the thread prefers: results are those of the plain one. */
static bool run_guarded(twin_native_run *run, bool (*body)(twin_native_run *run))
{
    native_rounding rounding;
    native_rounding_plain(&rounding);
    twin_native_run *before = twin_native_signal_guard(run);
    twin_native_debugger_begin(run);
    const bool good = body(run);
    twin_native_debugger_end(run);
    (void)twin_native_signal_guard(before);
    native_rounding_restore(&rounding);
    return good;
}

static void release_run(twin_native_run *run)
{
    pthread_mutex_lock(&free_lock);
    run->next = free_runs;
    free_runs = run;
    pthread_mutex_unlock(&free_lock);
}

/* For all blocks of the call. NULL: no host memory. */
static twin_native_run *prepare(const twin_native_call *call)
{
    twin_native_run *run = take_run();
    if (!run)
        return NULL;
    run->call = *call;
    run->failure = (twin_native_failure){0};
    run->failure_place.count = 0;
    run->report = NULL;
    run->reported.count = 0;
    run->overflowed = run->polled = run->hidden = false;
    run->constants_begin = run->constants_end = 0;
    run->first_block = run->next_block = 0;
    run->end_block = call->blocks;
    run->stop = NULL;
    run->reads.count = 0;
    run->notes_reads = call->hazard && !call->timing_only && call->blocks > 1;
    twin_native_memory_begin(&run->memory, call->reach, call->saturate);
    if (copy_args(run))
        return run;
    twin_native_end(run);
    return NULL;
}

twin_native_run *twin_native_part_take(const twin_native_run *of, const twin_native_call *call,
                                       uint32_t first, uint32_t end, atomic_bool *stop)
{
    twin_native_run *part = prepare(call);
    if (!part)
        return NULL;
    part->core_count = of->core_count;
    part->first_block = part->next_block = first;
    part->end_block = end;
    part->stop = stop;
    return part;
}

void twin_native_part_run(twin_native_run *part)
{
    const bool good = run_guarded(part, twin_native_run_blocks);
    if (!good || part->met || part->failure.fault != TWIN_NATIVE_GOOD)
        atomic_store_explicit(part->stop, true, memory_order_relaxed);
    give_blocks(part);
}

twin_status twin_native_begin(const twin_native_call *call, twin_native_run **out_run,
                              twin_launch_work *out_work)
{
    twin_native_run *run = prepare(call);
    if (!run)
        return TWIN_E_NOMEM;
    const bool good = run_guarded(run, run_all);
    twin_native_place_append(run, &run->failure_place, run->failure_text,
                             sizeof(run->failure_text));
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
    twin_native_fail_run(
        run, TWIN_NATIVE_ADDRESS,
        "what it wrote at 0x%llx cannot be left there: the memory was freed while it ran",
        (unsigned long long)address);
    run->failure.has_address = true;
    run->failure.address = address;
    return TWIN_E_KERNEL_EXCEPTION;
}

void twin_native_end(twin_native_run *run)
{
    twin_native_cross_core_clear(run);
    twin_native_memory_clear(&run->memory);
    twin_native_reads_clear(&run->reads);
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
