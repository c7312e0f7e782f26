/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/cross_core.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/access.h"
#include "kernel/print_buffer.h"
#include "twinrt/kernel.h"

#define COUNT_MOST  15u        /* of a flag: boards have 4 bits for it */
#define NOT_YET     UINT32_MAX /* a barrier that is to come */
#define FIRST_WAITS 16u

enum { LEFT = 0xff, TOO_OFTEN = 0xfd, NOT_ALL = 0xfc }; /* kinds of reports, for keys */

/* ---- cores of the launch --------------------------------------------------------------------- */

/* A core's number among those of its kind. */
typedef struct launch_core {
    uint32_t kind; /* 0: cube cores */
    uint32_t number, count;
} launch_core;

static uint32_t per_block(const twin_native_run *run, uint32_t kind)
{
    return kind == 0 || run->core_count == 1 ? 1 : run->core_count - 1;
}

static launch_core launch_core_of(const native_core *core)
{
    const uint32_t kind = core->has_cube ? 0 : 1;
    const uint32_t each = per_block(core->run, kind);
    return (launch_core){.kind = kind,
                         .number = core->block->number * each + core->place.vector,
                         .count = core->run->call.blocks * each};
}

static bool is_of_kind(const native_core *core, uint32_t kind)
{
    return core->has_cube == (kind == 0);
}

static const char *kind_name(uint32_t kind)
{
    return kind == 0 ? "cube" : "vector";
}

static void NATIVE_COLD no_memory(native_core *core)
{
    twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
}

/* ---- raising flags --------------------------------------------------------------------------- */

static void raise_flag(native_block *block, uint32_t flag, uint32_t core, uint32_t barrier,
                       const native_clock *clock)
{
    native_cross_core_flag *f = &block->cross_core_flags[flag];
    block->cross_core_used = true;
    f->clock[core] = *clock;
    f->barrier[core] = barrier;
    if (++f->received[core] == COUNT_MOST + 1)
        twin_native_report(&block->cores[core], (uint64_t)TOO_OFTEN << 40 | flag,
                           "flag %u between cores is set %u times and not waited for: a board "
                           "counts to %u",
                           flag, COUNT_MOST + 1, COUNT_MOST);
}

/* What the sets of the vector cores of a mixed block have let others know. */
static native_clock joined_clock(const native_block *block, uint32_t flag)
{
    native_clock clock = {{0}};
    const uint32_t clocks = block->cores[0].hazards.clocks;
    for (uint32_t i = 1; i < block->run->core_count; i++)
        twin_native_clock_join(&clock, &block->cross_core_flags[flag].set_clock[i], clocks);
    return clock;
}

/* Whether each vector core has set the flag once more. Then this is used up. */
static bool take_all(const native_block *block, uint32_t *set)
{
    for (uint32_t i = 1; i < block->run->core_count; i++)
        if (set[i] == 0)
            return false;
    for (uint32_t i = 1; i < block->run->core_count; i++)
        set[i]--;
    return true;
}

static void set_in_block(native_core *core, uint32_t mode, uint32_t flag)
{
    native_block *block = core->block;
    native_cross_core_flag *f = &block->cross_core_flags[flag];
    block->cross_core_used = true;
    if (core->index == 0) {
        for (uint32_t i = 1; i < core->run->core_count; i++)
            raise_flag(block, flag, i, 0, &f->set_clock[0]);
        return;
    }
    uint32_t *set = mode == TWK_MODE_VECTORS ? f->vector_set : f->set;
    set[core->index]++;
    if (!take_all(block, set))
        return;
    const native_clock clock = joined_clock(block, flag);
    if (mode == TWK_MODE_BLOCK)
        raise_flag(block, flag, 0, 0, &clock);
    for (uint32_t i = 1; mode == TWK_MODE_VECTORS && i < core->run->core_count; i++)
        raise_flag(block, flag, i, 0, &clock);
}

/* ---- barriers of the launch ------------------------------------------------------------------ */

/* What the block has written so far is what others see after the barrier; `clock` says which of it
 * is done by then. */
static void release_writes(native_block *block, const native_clock *clock)
{
    native_overlay *launch = &block->run->memory.launch;
    block->written = block->writes.count;
    for (size_t i = 0; i < block->written; i++) {
        native_write *write = &block->writes.writes[i];
        write->released =
            write->released || (!write->cached && write->time <= clock->time[write->pipe]);
    }
    for (size_t i = 0; i < block->late_count && block->late_clean > 0; i++) {
        native_write *write = &launch->writes[block->late[i]];
        if (write->released || write->cached || write->time > clock->time[write->pipe])
            continue;
        write->released = true;
        write->barrier = NOT_YET;
    }
}

/* Reads that are done by then. */
static void release_reads(native_block *block, const native_clock *clock)
{
    for (size_t i = block->reads_open; i < block->reads.count; i++) {
        native_read *read = &block->reads.list[i];
        read->released = read->released || read->time <= clock->time[read->pipe];
    }
}

/* They come before the barrier. */
static void close_reads(native_block *block, uint32_t barrier)
{
    size_t open = block->reads.count;
    for (size_t i = block->reads.count; i > block->reads_open; i--) {
        native_read *read = &block->reads.list[i - 1];
        if (read->barrier != 0)
            continue;
        if (read->released)
            read->barrier = barrier;
        else
            open = i - 1;
    }
    block->reads_open = open;
}

/* Writes that were late and are released come before the barrier. */
static void publish_late(native_block *block, uint32_t barrier)
{
    size_t kept = 0;
    for (size_t i = 0; i < block->late_count; i++) {
        native_write *write = &block->run->memory.launch.writes[block->late[i]];
        if (write->released)
            write->barrier = barrier;
        else
            block->late[kept++] = block->late[i];
    }
    block->late_clean -= block->late_count - kept;
    block->late_count = kept;
}

/* The block's writes before its newest set are seen by all. false: no host memory. */
static bool publish(native_block *block, uint32_t barrier)
{
    native_memory *memory = &block->run->memory;
    close_reads(block, barrier);
    if (block->late_clean > 0)
        publish_late(block, barrier);
    for (size_t i = 0; i < block->written; i++) {
        native_write *write = &block->writes.writes[i];
        write->barrier = barrier;
        if (write->released)
            continue;
        if (block->late_count == block->late_room &&
            !twin_native_grow(&block->late, &block->late_room, sizeof(*block->late), FIRST_WAITS))
            return false;
        block->late[block->late_count++] = memory->launch.count + i;
        block->late_clean += !write->cached;
    }
    const size_t count = block->written;
    block->written = block->clean = 0;
    return count == 0 || twin_native_overlay_publish(memory, &block->writes, count);
}

static bool renew_all(twin_native_run *run)
{
    for (size_t i = 0; i < run->begun_count; i++)
        if (!twin_native_overlay_renew(&run->memory, &run->begun[i]->writes))
            return false;
    return true;
}

static bool pass(twin_native_run *run, uint32_t kind, uint32_t flag, uint32_t count)
{
    native_barrier *barrier = &run->barriers[kind][flag];
    run->barrier++;
    for (uint32_t i = 0; i < count; i++)
        barrier->present -= --barrier->set[i] == 0;
    uint32_t raised = 0;
    for (size_t i = 0; i < run->begun_count; i++) {
        native_block *block = run->begun[i];
        if (!publish(block, run->barrier))
            return false;
        const uint32_t first = kind == 1 && run->core_count > 1;
        const native_clock clock =
            first == 0 ? block->cross_core_flags[flag].set_clock[0] : joined_clock(block, flag);
        for (uint32_t j = first; j < run->core_count && is_of_kind(&block->cores[j], kind); j++) {
            raise_flag(block, flag, j, run->barrier, &clock);
            raised++;
        }
    }
    if (raised < count)
        twin_native_report_block(
            run, 0, (uint64_t)LEFT << 40 | flag << 1,
            "flag %u, which all %u %s cores of the launch set, is raised on %u that have ended "
            "without twk_cross_core_wait_flag: a board keeps it for the next kernel, whose first "
            "wait passes too early",
            flag, count, kind_name(kind), count - raised);
    return renew_all(run);
}

/* All that the block has written comes before the next barrier, but for what is in a data cache. */
static void release_all(native_block *block)
{
    native_overlay *launch = &block->run->memory.launch;
    block->written = block->writes.count;
    for (size_t i = 0; i < block->written; i++)
        block->writes.writes[i].released = !block->writes.writes[i].cached;
    for (size_t i = 0; i < block->late_count; i++)
        launch->writes[block->late[i]].released = !launch->writes[block->late[i]].cached;
}

/* The same for blocks that have ended. */
static bool show_ended(twin_native_run *run)
{
    native_overlay *launch = &run->memory.launch;
    for (size_t i = 0; i < launch->count; i++) {
        native_write *write = &launch->writes[i];
        if (write->barrier != 0)
            continue;
        write->barrier = run->barrier;
        write->released = !write->cached;
    }
    run->hidden = false;
    return twin_native_overlay_publish(&run->memory, launch, 0);
}

bool twin_native_cross_core_show(twin_native_run *run)
{
    bool any = run->hidden;
    for (size_t i = 0; i < run->begun_count && !any; i++)
        any = run->begun[i]->writes.count > 0 || run->begun[i]->late_clean > 0;
    if (!any)
        return true;
    run->barrier++;
    if (run->hidden && !show_ended(run))
        return false;
    for (size_t i = 0; i < run->begun_count; i++) {
        release_all(run->begun[i]);
        if (!publish(run->begun[i], run->barrier))
            return false;
    }
    return renew_all(run);
}

static void set_in_launch(native_core *core, uint32_t flag)
{
    twin_native_run *run = core->run;
    const launch_core me = launch_core_of(core);
    native_barrier *barrier = &run->barriers[me.kind][flag];
    run->met = true;
    if (!barrier->set)
        barrier->set = calloc(me.count, sizeof(*barrier->set));
    if (!barrier->set)
        no_memory(core);
    release_writes(core->block, &core->block->cross_core_flags[flag].set_clock[core->index]);
    release_reads(core->block, &core->block->cross_core_flags[flag].set_clock[core->index]);
    core->block->cross_core_used = true;
    barrier->present += barrier->set[me.number]++ == 0;
    if (barrier->present == me.count && !pass(run, me.kind, flag, me.count))
        no_memory(core);
}

/* ---- the operations -------------------------------------------------------------------------- */

static void check_flag(native_core *core, uint32_t flag)
{
    if (flag >= NATIVE_CROSS_CORE_FLAGS)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "flag %u; there are 0 to %u", flag,
                           NATIVE_CROSS_CORE_FLAGS - 1);
    if (!core->run->call.core->split)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "this part has no flags between cores: its vector units are no cores of "
                           "their own");
}

static void check_mode(native_core *core, uint32_t mode)
{
    if (mode > TWK_MODE_BLOCK)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "mode %u; there are 0 to %u", mode,
                           (uint32_t)TWK_MODE_BLOCK);
    if (mode != TWK_MODE_ALL && core->run->core_count < 2)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "the kernel is not mixed, its block has one core");
    if (mode == TWK_MODE_VECTORS && core->index == 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "mode 1 is between vector cores, this is the cube core");
}

static void set(native_core *core, uint32_t mode, uint32_t pipe, uint32_t flag)
{
    static const uint32_t scopes[] = {[TWK_MODE_ALL] = TWIN_STEP_TO_LAUNCH,
                                      [TWK_MODE_VECTORS] = TWIN_STEP_TO_VECTORS,
                                      [TWK_MODE_BLOCK] = TWIN_STEP_TO_BLOCK};
    core->block->cross_core_flags[flag].set_clock[core->index] =
        twin_native_hazard_release(core, pipe);
    twin_native_step(core, pipe, TWIN_STEP_CROSS_CORE_SET, flag, scopes[mode]);
    if (mode == TWK_MODE_ALL)
        set_in_launch(core, flag);
    else
        set_in_block(core, mode, flag);
}

static void note_barrier(native_core *core, uint32_t pipe, uint32_t barrier)
{
    native_block *block = core->block;
    const uint32_t own = core->hazards.first + pipe;
    if (block->wait_count == block->wait_room &&
        !twin_native_grow(&block->waits, &block->wait_room, sizeof(*block->waits), FIRST_WAITS))
        no_memory(core);
    block->waits[block->wait_count++] = (native_barrier_wait){
        .barrier = barrier,
        .pipe = own,
        .time = twin_native_hazard_release(core, pipe).time[own] + 1,
    };
}

static void wait(native_core *core, uint32_t pipe, uint32_t flag)
{
    native_cross_core_flag *f = &core->block->cross_core_flags[flag];
    while (f->received[core->index] == 0) {
        core->waits_flag = flag;
        twin_native_wait(core);
    }
    twin_native_step(core, pipe, TWIN_STEP_CROSS_CORE_WAIT, flag, 0); /* none that waits for ever */
    f->received[core->index]--;
    twin_native_hazard_join(core, pipe, &f->clock[core->index]);
    if (f->barrier[core->index] != 0)
        note_barrier(core, pipe, f->barrier[core->index]);
}

void twin_native_cross_core_set_as(native_op op, uint32_t mode, uint32_t pipe, uint32_t flag)
{
    native_core *core = twin_native_operation(pipe, op);
    check_mode(core, mode);
    check_flag(core, flag);
    set(core, mode, pipe, flag);
}

void twin_native_cross_core_set_mode(uint32_t mode, uint32_t pipe, uint32_t flag)
{
    twin_native_cross_core_set_as(NATIVE_OP_CROSS_CORE_SET, mode, pipe, flag);
}

void twin_native_cross_core_set(uint32_t pipe, uint32_t flag)
{
    twin_native_cross_core_set_mode(TWK_MODE_BLOCK, pipe, flag);
}

void twin_native_cross_core_wait_as(native_op op, uint32_t pipe, uint32_t flag)
{
    native_core *core = twin_native_operation(pipe, op);
    check_flag(core, flag);
    wait(core, pipe, flag);
}

void twin_native_cross_core_wait(uint32_t pipe, uint32_t flag)
{
    twin_native_cross_core_wait_as(NATIVE_OP_CROSS_CORE_WAIT, pipe, flag);
}

/* With the flags that the vendor's headers use for it. */
void twin_native_sync_all(bool vectors_only)
{
    enum { CUBE_CORES = 11, VECTORS_THERE, CUBES_THERE, VECTOR_CORES };
    native_core *core = twin_native_operation(TWIN_PIPE_SCALAR, NATIVE_OP_SYNC_ALL);
    const bool mixed = core->run->core_count > 1;
    check_flag(core, VECTOR_CORES);
    if (core->has_cube && vectors_only)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "of the vector cores alone, and this is a cube core");
    twin_native_hazard_barrier(core);
    twin_native_step(core, TWIN_PIPE_SCALAR, TWIN_STEP_BARRIER, 0, 0);
    if (!core->has_cube && (vectors_only || !mixed)) {
        set(core, TWK_MODE_ALL, TWIN_PIPE_SCALAR, VECTOR_CORES);
        wait(core, TWIN_PIPE_SCALAR, VECTOR_CORES);
    } else if (!core->has_cube) {
        set(core, TWK_MODE_BLOCK, TWIN_PIPE_SCALAR, VECTORS_THERE);
        wait(core, TWIN_PIPE_SCALAR, CUBES_THERE);
    } else {
        if (mixed)
            wait(core, TWIN_PIPE_SCALAR, VECTORS_THERE);
        set(core, TWK_MODE_ALL, TWIN_PIPE_SCALAR, CUBE_CORES);
        wait(core, TWIN_PIPE_SCALAR, CUBE_CORES);
        if (mixed)
            set(core, TWK_MODE_BLOCK, TWIN_PIPE_SCALAR, CUBES_THERE);
    }
}

/* ---- the data cache -------------------------------------------------------------------------- */

/* Whether the write was in the cache and is no more. */
static bool clean(const native_core *core, native_write *write, uint64_t begin, uint64_t end)
{
    const bool leaves = write->cached && write->pipe == core->hazards.first + TWIN_PIPE_SCALAR &&
                        write->address < end && write->address + write->bytes > begin;
    write->cached = write->cached && !leaves;
    return leaves;
}

void twin_native_cache_clean_as(native_op op, uint64_t address, bool entire)
{
    native_core *core = twin_native_operation(TWIN_PIPE_SCALAR, op);
    native_block *block = core->block;
    const uint64_t begin = entire ? 0 : address;
    const uint64_t end = entire ? UINT64_MAX : (address | (NATIVE_LINE_BYTES - 1)) + 1;
    if (!entire)
        twin_native_check_global(core, op, address, 0, 1, 1, false);
    while (block->clean < block->writes.count && !block->writes.writes[block->clean].cached)
        block->clean++;
    for (size_t i = block->clean; i < block->writes.count; i++)
        (void)clean(core, &block->writes.writes[i], begin, end);
    for (size_t i = 0; i < block->late_count; i++)
        block->late_clean +=
            clean(core, &core->run->memory.launch.writes[block->late[i]], begin, end);
    if (core->prints_begun)
        twin_native_print_take(core);
}

void twin_native_cache_clean(uint64_t address, bool entire)
{
    twin_native_cache_clean_as(NATIVE_OP_DCCI, address, entire);
}

/* ---- what is left ---------------------------------------------------------------------------- */

void twin_native_cross_core_begin(native_block *block)
{
    if (block->cross_core_used)
        memset(block->cross_core_flags, 0, sizeof(block->cross_core_flags));
    block->cross_core_used = false;
    block->written = block->clean = 0;
    block->reads.count = block->reads_open = 0;
    block->late_count = block->late_clean = 0;
    block->wait_count = 0;
}

static void report_left(native_block *block, uint32_t flag, uint32_t core)
{
    const native_cross_core_flag *f = &block->cross_core_flags[flag];
    const bool from_cube = core > 0 && f->received[core] > 0 && f->barrier[core] == 0 &&
                           f->set[core] == 0 && f->vector_set[core] == 0;
    const bool from_vector = core == 0 && f->barrier[0] == 0;
    const uint32_t who = from_cube ? 0 : from_vector ? 1 : core;
    twin_native_report(
        &block->cores[who], (uint64_t)LEFT << 40 | flag << 1 | (who == 0),
        "twk_cross_core_set_flag of flag %u that no core waits for: a board keeps it "
        "for the next kernel, whose first twk_cross_core_wait_flag passes too early",
        flag);
}

static void report_all_left(native_block *block)
{
    const twin_native_run *run = block->run;
    for (uint32_t flag = 0; flag < NATIVE_CROSS_CORE_FLAGS; flag++) {
        const native_cross_core_flag *f = &block->cross_core_flags[flag];
        for (uint32_t i = 0; i < run->core_count; i++)
            if (f->received[i] > 0 || f->set[i] > 0 || f->vector_set[i] > 0)
                report_left(block, flag, i);
    }
}

bool twin_native_cross_core_end(native_block *block)
{
    twin_native_run *run = block->run;
    if (__builtin_expect(block->cross_core_used, 0)) {
        report_all_left(block);
        /* Others may still come to a barrier that it has set. */
        if (!publish(block, run->barrier + 1))
            return false;
    }
    run->hidden = run->hidden || block->writes.count > 0;
    return twin_native_reads_join(&run->reads, &block->reads) &&
           twin_native_overlay_append(&run->memory, &block->writes);
}

/* The first core of the kind that has, or has not, set the flag for the next barrier. */
static uint32_t first_core(const native_barrier *barrier, bool set)
{
    uint32_t number = 0;
    while ((barrier->set[number] > 0) != set)
        number++;
    return number;
}

void twin_native_cross_core_left(twin_native_run *run)
{
    if (!run->met)
        return;
    for (uint32_t kind = 0; kind < 2; kind++)
        for (uint32_t flag = 0; flag < NATIVE_CROSS_CORE_FLAGS; flag++) {
            const native_barrier *barrier = &run->barriers[kind][flag];
            if (barrier->present == 0)
                continue;
            const uint32_t each = per_block(run, kind), count = run->call.blocks * each;
            twin_native_report_block(
                run, first_core(barrier, true) / each, (uint64_t)NOT_ALL << 40 | flag << 1 | kind,
                "twk_cross_core_set_flag of flag %u for all %u %s cores of the launch, which %u "
                "have not set: a board keeps it for the next kernel, whose barriers pass too early",
                flag, count, kind_name(kind), count - barrier->present);
        }
}

static void fail_at_barrier(native_core *core, const native_barrier *barrier, uint32_t kind)
{
    const twin_native_run *run = core->run;
    const uint32_t each = per_block(run, kind), count = run->call.blocks * each;
    const uint32_t missing = first_core(barrier, false);
    if (missing / each >= run->next_block)
        twin_native_fail_core(core, TWIN_NATIVE_STUCK,
                              "%s of flag %u waits for ever: %u of %u %s "
                              "cores have not set it, "
                              "and block %u does not begin, as the device has cores for %u blocks, "
                              "all of which wait; "
                              "launch no more blocks than that",
                              twin_native_op_name(core->op), core->waits_flag,
                              count - barrier->present, count, kind_name(kind), missing / each,
                              run->call.blocks_at_once);
    else
        twin_native_fail_core(core, TWIN_NATIVE_STUCK,
                              "%s of flag %u waits for ever: %u of %u %s "
                              "cores have not set it, "
                              "the first is %s %u of block %u",
                              twin_native_op_name(core->op), core->waits_flag,
                              count - barrier->present, count, kind_name(kind), kind_name(kind),
                              missing % each, missing / each);
}

void twin_native_cross_core_stuck(twin_native_run *run)
{
    native_core *core = run->begun[0]->cores;
    while (core->done)
        core++;
    const uint32_t kind = launch_core_of(core).kind;
    const native_barrier *barrier = &run->barriers[kind][core->waits_flag];
    if (barrier->present > 0)
        fail_at_barrier(core, barrier, kind);
    else
        twin_native_fail_core(
            core, TWIN_NATIVE_STUCK, "%s of flag %u waits for ever: %s",
            twin_native_op_name(core->op), core->waits_flag,
            run->core_count == 1 ? "no core has a twk_cross_core_set_flag_mode of it"
            : core->index == 0   ? "not each vector core has a twk_cross_core_set_flag of it"
                                 : "the cube core has no twk_cross_core_set_flag of it");
}

void twin_native_cross_core_clear(twin_native_run *run)
{
    if (!run->met)
        return;
    for (uint32_t kind = 0; kind < 2; kind++)
        for (uint32_t flag = 0; flag < NATIVE_CROSS_CORE_FLAGS; flag++) {
            free(run->barriers[kind][flag].set);
            run->barriers[kind][flag] = (native_barrier){0};
        }
    run->met = false;
    run->barrier = 0;
}
