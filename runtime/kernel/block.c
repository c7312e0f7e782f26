/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/block.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/cross_core.h"
#include "kernel/debugger.h"
#include "kernel/poll.h"
#include "kernel/print_buffer.h"
#include "twinrt/kernel.h"

#define KEPT_BLOCKS 96u /* that are not in use */

static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static native_block *free_blocks; /* guarded by free_lock */
static uint32_t free_count;       /* likewise */

/* ---- what a block needs ---------------------------------------------------------------------- */

static size_t page_up(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* Buffers of all cores that a block may have, each with a guard page after it. Pages come when they
 * are touched. */
static bool make_buffers(native_block *block)
{
    const twin_core_properties *properties = block->run->call.core;
    const twin_core_properties *made = &block->buffers_for;
    if (block->buffers && made->ub_bytes == properties->ub_bytes &&
        made->l1_bytes == properties->l1_bytes && made->l0a_bytes == properties->l0a_bytes &&
        made->l0b_bytes == properties->l0b_bytes && made->l0c_bytes == properties->l0c_bytes)
        return true;
    if (block->buffers)
        munmap(block->buffers, block->buffers_bytes);
    block->buffers = NULL;
    const size_t sizes[NATIVE_BUFFERS] = {
        properties->ub_bytes,  properties->l1_bytes,
        properties->l0a_bytes, properties->l0b_bytes,
        properties->l0c_bytes, NATIVE_BT_BYTES,
        NATIVE_FB_BYTES,       properties->l0b_bytes / NATIVE_INDEX_SHARE};
    size_t total = 0;
    for (uint32_t i = 0; i < NATIVE_BUFFERS; i++)
        total += page_up(sizes[i]) + page_up(1);
    unsigned char *at = mmap(NULL, total * NATIVE_CORES, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    block->buffers = at;
    block->buffers_bytes = total * NATIVE_CORES;
    block->buffers_for = (twin_core_properties){0};
    for (uint32_t i = 0; i < NATIVE_CORES; i++)
        for (uint32_t j = 0; j < NATIVE_BUFFERS; j++) {
            block->cores[i].buffer[j] = at;
            if (mprotect(at, page_up(sizes[j]), PROT_READ | PROT_WRITE) != 0)
                return false;
            at += page_up(sizes[j]) + page_up(1);
        }
    block->buffers_for = *properties;
    return true;
}

static void free_block(native_block *block)
{
    if (block->buffers)
        munmap(block->buffers, block->buffers_bytes);
    for (uint32_t i = 0; i < NATIVE_CORES; i++) {
        twin_native_fiber_free(&block->cores[i].fiber);
        free(block->cores[i].steps.list);
        free(block->cores[i].variables);
        free(block->cores[i].prints);
        twin_native_hazard_free(&block->cores[i].hazards);
    }
    twin_native_overlay_free(&block->writes);
    free(block->reads.list);
    free(block->late);
    free(block->waits);
    free(block);
}

static void core_main(void)
{
    native_core *core = native_self();
    twin_native_run *run = core->run;
    twin_native_fiber_arrived(&run->host_fiber, &core->fiber);
    for (;;) {
        core->body(run->args);
        core->done = true;
        /* The next block that gets this core begins where this one ended. */
        twin_native_fiber_leave(&run->host_fiber, &core->fiber);
    }
}

static bool prepare_core(native_block *block, uint32_t index)
{
    twin_native_run *run = block->run;
    const twin_native_call *call = &run->call;
    const twin_core_properties *properties = call->core;
    native_core *core = &block->cores[index];
    const bool cube =
        call->cores == TWIN_CORES_CUBE || (call->cores == TWIN_CORES_MIXED && index == 0);
    const bool vector = !cube || !properties->split;
    const uint32_t sizes[NATIVE_BUFFERS] = {
        vector ? properties->ub_bytes : 0,
        cube ? properties->l1_bytes : 0,
        cube ? properties->l0a_bytes : 0,
        cube ? properties->l0b_bytes : 0,
        cube ? properties->l0c_bytes : 0,
        cube && properties->split ? NATIVE_BT_BYTES : 0,
        cube && properties->split ? NATIVE_FB_BYTES : 0,
        cube && properties->split ? properties->l0b_bytes / NATIVE_INDEX_SHARE : 0};
    if (!core->fiber.stack && !twin_native_fiber_make(&core->fiber))
        return false;
    core->run = run;
    core->block = block;
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

static native_block *take_free(void)
{
    pthread_mutex_lock(&free_lock);
    native_block *block = free_blocks;
    if (block) {
        free_blocks = block->next;
        free_count--;
    }
    pthread_mutex_unlock(&free_lock);
    return block ? block : calloc(1, sizeof(*block));
}

native_block *twin_native_block_take(twin_native_run *run)
{
    native_block *block = run->spare ? run->spare : take_free();
    run->spare = NULL;
    if (!block)
        return NULL;
    block->run = run;
    bool good = make_buffers(block);
    for (uint32_t i = 0; i < run->core_count && good; i++)
        good = prepare_core(block, i);
    if (good)
        return block;
    free_block(block);
    return NULL;
}

static void give_free(native_block *block)
{
    pthread_mutex_lock(&free_lock);
    const bool kept = free_count < KEPT_BLOCKS;
    if (kept) {
        block->next = free_blocks;
        free_blocks = block;
        free_count++;
    }
    pthread_mutex_unlock(&free_lock);
    if (!kept)
        free_block(block);
}

void twin_native_block_give(native_block *block)
{
    twin_native_run *run = block->run;
    twin_native_overlay_trim(&block->writes);
    twin_native_reads_clear(&block->reads);
    if (run->spare)
        give_free(block);
    else
        run->spare = block;
}

void twin_native_block_leave(twin_native_run *run)
{
    if (run->spare)
        give_free(run->spare);
    run->spare = NULL;
}

void twin_native_block_trim(void)
{
    pthread_mutex_lock(&free_lock);
    native_block *block = free_blocks;
    free_blocks = NULL;
    free_count = 0;
    pthread_mutex_unlock(&free_lock);
    while (block) {
        native_block *next = block->next;
        free_block(block);
        block = next;
    }
}

/* ---- how it runs ----------------------------------------------------------------------------- */

static void begin_core(native_core *core)
{
    core->place.block = core->block->number;
    core->done = false;
    core->full = false;
    core->printed = 0;
    core->counted = 0;
    core->steps.count = 0;
    if (core->run->call.counts)
        memset(core->counts, 0, sizeof(core->counts));
    native_fiber_head_of(&core->fiber)->count.blocks = 0;
    twin_native_hazard_begin(core, core->index * NATIVE_PIPES,
                             core->run->core_count * NATIVE_PIPES);
    twin_native_registers_begin(core);
    twin_native_poll_begin(core);
    core->variables_set = false;
    core->prints_begun = false;
}

void twin_native_block_begin(native_block *block, uint32_t number)
{
    block->number = number;
    twin_native_overlay_begin(&block->writes);
    twin_native_cross_core_begin(block);
    for (uint32_t i = 0; i < block->run->core_count; i++)
        begin_core(&block->cores[i]);
}

void twin_native_wait(native_core *core)
{
    twin_native_fiber_leave(&core->run->host_fiber, &core->fiber);
}

static void resume(native_core *core)
{
    twin_native_run *run = core->run;
    do {
        if (__builtin_expect(run->report != NULL, 0))
            twin_native_report_now(run, run->report);
        run->report = NULL;
        run->running = core;
        if (__builtin_expect(run->named, 0))
            twin_native_debugger_name(core);
        twin_native_fiber_resume(&run->host_fiber, &core->fiber);
        run->running = NULL;
    } while (__builtin_expect(run->report != NULL, 0));
    if (__builtin_expect(core->full, 0))
        twin_native_fail_core(core, TWIN_NATIVE_CRASH, "%s: its stack of 256 KiB is full",
                              twin_native_op_name(core->op));
}

bool twin_native_block_run(native_block *block)
{
    const twin_native_run *run = block->run;
    bool open = true, moved = true, ever = false;
    while (open && moved) {
        open = moved = false;
        for (uint32_t i = 0; i < run->core_count; i++) {
            native_core *core = &block->cores[i];
            if (core->done)
                continue;
            if (core->poll.waits && !twin_native_cross_core_show(block->run)) {
                block->run->failure.fault = TWIN_NATIVE_NOMEM;
                return true;
            }
            const uint64_t before = core->steps.count;
            resume(core);
            if (run->failure.fault != TWIN_NATIVE_GOOD)
                return true;
            const bool moves = core->done || core->steps.count != before;
            ever = ever || moves;
            moved = moved || (moves && !core->poll.waits); /* other blocks may end a poll */
            open = open || !core->done;
        }
    }
    return ever;
}

bool twin_native_block_done(const native_block *block)
{
    for (uint32_t i = 0; i < block->run->core_count; i++)
        if (!block->cores[i].done)
            return false;
    return true;
}

/* A wait that the block has left open holds its pipe for ever. */
static void check_waits(native_core *core)
{
    const native_hazards *hazards = &core->hazards;
    uint32_t i = hazards->open_wait;
    if (hazards->flags[i] >= 0) {
        i = native_hazard_flag(hazards, 0);
        while (i < NATIVE_PAIRS * NATIVE_IDS && hazards->flags[i] > 0)
            i = native_hazard_flag(hazards, i + 1);
    }
    if (i == NATIVE_PAIRS * NATIVE_IDS)
        return;
    const uint32_t from = i / (NATIVE_PIPES * NATIVE_IDS), to = i / NATIVE_IDS % NATIVE_PIPES;
    const native_words *words = twin_native_words(core->op);
    twin_native_fail_core(core, TWIN_NATIVE_STUCK,
                          "%s(%s%s, %s%s, %u) waits for ever: nothing sets it", words->wait,
                          words->pipe, twin_native_pipe_name(from), words->pipe,
                          twin_native_pipe_name(to), i % NATIVE_IDS);
    if (i == hazards->open_wait)
        core->run->failure_place = hazards->open_place;
}

/* Cycles that operands wait are there even if they are 0: it says that the block counts. */
static void add_counts(native_core *core)
{
    static const twin_pipe pipes[] = {TWIN_PIPE_VECTOR, TWIN_PIPE_CUBE};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t what = 0; what < TWIN_COUNT_KINDS; what++) {
            const uint64_t count = core->counts[i][what];
            if (count > 0 || (i == 0 && what == TWIN_COUNT_BANK_CYCLES))
                (void)twin_native_steps_end(&core->steps, pipes[i], TWIN_STEP_COUNT, what,
                                            count < TWIN_STEP_MOST ? count : TWIN_STEP_MOST);
        }
}

bool twin_native_block_end(native_block *block)
{
    const twin_native_run *run = block->run;
    for (uint32_t i = 0; i < run->core_count; i++) {
        native_core *core = &block->cores[i];
        const uint64_t passed = native_fiber_head_of(&core->fiber)->count.blocks - core->counted;
        (void)twin_native_steps_end(&core->steps, TWIN_PIPE_SCALAR, TWIN_STEP_WORK, 0,
                                    passed * run->call.core->scalar_block);
        if (run->failure.fault == TWIN_NATIVE_GOOD && core->prints_begun)
            twin_native_print_end(core);
        if (run->failure.fault == TWIN_NATIVE_GOOD)
            check_waits(core);
        if (run->failure.fault == TWIN_NATIVE_GOOD)
            twin_native_hazard_end(core);
        if (run->call.counts && run->failure.fault == TWIN_NATIVE_GOOD)
            add_counts(core);
    }
    return run->failure.fault != TWIN_NATIVE_GOOD || twin_native_cross_core_end(block);
}
