/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/parts.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "kernel/scheduler.h"

/* Host time, roughly, in ns: only for the choice whether threads are worth it. */
#define NS_PER_STEP   50u
#define PART_LEAST_NS 1000000u
#define PARTS_MOST    64u

/* What the parts of a run share. A block that would print, report, or meet memory that moves stops
 * all of them: this happens in the order of blocks, on the thread of the run. */
typedef struct native_parts {
    twin_reach reach;     /* the first member: what parts are given */
    twin_reach below;     /* that of the run; messages come in the order of blocks, on its thread */
    pthread_mutex_t lock; /* of below, which serves one thread */
    void (*thread)(bool begins);
    atomic_bool stop;
} native_parts;

typedef struct native_part {
    native_parts *parts;
    twin_native_run *run;
    pthread_t thread;
    bool started;
} native_part;

/* ---- what a part may do ---------------------------------------------------------------------- */

static native_parts *parts_of(const twin_reach *reach)
{
    return (native_parts *)(uintptr_t)reach;
}

static void *at(const twin_reach *reach, uint64_t address, uint64_t bytes, bool write)
{
    native_parts *parts = parts_of(reach);
    pthread_mutex_lock(&parts->lock);
    void *found = parts->below.at(&parts->below, address, bytes, write);
    pthread_mutex_unlock(&parts->lock);
    return found;
}

static bool in_host(const twin_reach *reach, uint64_t address)
{
    native_parts *parts = parts_of(reach);
    pthread_mutex_lock(&parts->lock);
    const bool found = parts->below.in_host(&parts->below, address);
    pthread_mutex_unlock(&parts->lock);
    return found;
}

static void stop(native_parts *parts)
{
    atomic_store_explicit(&parts->stop, true, memory_order_relaxed);
}

static bool move(const twin_reach *reach, uint64_t address, void *local, uint64_t bytes, bool write)
{
    (void)address;
    (void)local;
    (void)bytes;
    (void)write;
    stop(parts_of(reach));
    return false;
}

static void print(void *user, uint32_t block, uint32_t core, const char *text)
{
    (void)block;
    (void)core;
    (void)text;
    stop(user);
}

static void hazard(void *user, const char *text)
{
    (void)text;
    stop(user);
}

/* ---- whether it is worth it ------------------------------------------------------------------ */

static uint64_t ns_of(const twin_step *step)
{
    switch (step->kind) {
    case TWIN_STEP_READ:
    case TWIN_STEP_WRITE:
        return step->amount / 8;
    case TWIN_STEP_WORK:
        return step->pipe == TWIN_PIPE_CUBE     ? step->amount * 200
               : step->pipe == TWIN_PIPE_VECTOR ? step->amount * 20
                                                : step->amount;
    default:
        return 0;
    }
}

/* Of the first block. */
static uint64_t ns_of_block(const twin_native_run *run)
{
    uint64_t ns = 0;
    for (uint64_t i = 0; i < run->lists.count; i++) {
        const twin_steps *list = &run->lists.items[i];
        ns += list->count * NS_PER_STEP;
        for (uint64_t j = 0; j < list->count && !run->call.timing_only; j++)
            ns += ns_of(&list->steps[j]);
    }
    return ns;
}

static uint32_t processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

static uint32_t part_count(const twin_native_run *run, const native_block *first)
{
    const uint32_t blocks = run->end_block - run->next_block;
    const uint64_t ns = blocks * ns_of_block(run);
    uint32_t count = run->call.threads_most < PARTS_MOST ? run->call.threads_most : PARTS_MOST;
    if (count > ns / PART_LEAST_NS)
        count = (uint32_t)(ns / PART_LEAST_NS);
    if (count > blocks)
        count = blocks;
    if (count < 2 || run->met || run->call.reach->exact ||
        (run->call.hazard && run->reported.count))
        return 1;
    for (uint32_t i = 0; i < run->core_count; i++)
        if (first->cores[i].printed > 0)
            return 1;
    const uint32_t most = processors();
    return count < most ? count : most;
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *run_part(void *argument)
{
    const native_part *part = argument;
    void (*thread)(bool begins) = part->parts->thread;
    pthread_setname_np(pthread_self(), "twinrt-blocks");
    if (thread)
        thread(true);
    twin_native_part_run(part->run);
    if (thread)
        thread(false);
    return NULL;
}

/* The program's signals are for the program's threads; faults stay where they happen. */
static void start_threads(native_part *list, uint32_t count)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (uint32_t i = 1; i < count; i++)
        list[i].started = pthread_create(&list[i].thread, NULL, run_part, &list[i]) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Runs all parts: the first here, and those for which there is no thread. */
static void run_parts(native_part *list, uint32_t count)
{
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    start_threads(list, count);
    for (uint32_t i = 0; i < count; i++)
        if (!list[i].started)
            twin_native_part_run(list[i].run);
    for (uint32_t i = 1; i < count; i++)
        if (list[i].started)
            (void)pthread_join(list[i].thread, NULL);
    pthread_setcancelstate(cancel, NULL);
}

static bool take_parts(const twin_native_run *run, native_parts *parts, native_part *list,
                       uint32_t count)
{
    twin_native_call call = run->call;
    call.reach = &parts->reach;
    call.print = print;
    call.hazard = call.hazard ? hazard : NULL;
    call.line = NULL;
    call.user = parts;
    call.threads_most = 1;
    const uint64_t blocks = run->end_block - run->next_block;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t begin = run->next_block + (uint32_t)(blocks * i / count);
        const uint32_t end = run->next_block + (uint32_t)(blocks * (i + 1) / count);
        list[i] = (native_part){.parts = parts};
        list[i].run = twin_native_part_take(run, &call, begin, end, &parts->stop);
        if (!list[i].run)
            return false;
    }
    return true;
}

/* What the part did follows what the run has done. false: no host memory. */
static bool join(twin_native_run *run, twin_native_run *part)
{
    run->overflowed = run->overflowed || part->overflowed;
    return twin_native_step_lists_join(&run->lists, (uint64_t)part->first_block * run->core_count,
                                       &part->lists) &&
           twin_native_reads_join(&run->reads, &part->reads) &&
           twin_native_memory_join(&run->memory, &part->memory);
}

/* ---- the interface --------------------------------------------------------------------------- */

void twin_native_parts_run(twin_native_run *run, const native_block *first)
{
    const uint32_t count = part_count(run, first);
    if (count < 2)
        return;
    native_part list[PARTS_MOST] = {0};
    native_parts parts = {.reach = *run->call.reach,
                          .below = *run->call.reach,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .thread = run->call.thread};
    parts.below.silent = true;
    parts.reach.at = at;
    parts.reach.move = move;
    parts.reach.in_host = parts.below.in_host ? in_host : NULL;
    if (take_parts(run, &parts, list, count))
        run_parts(list, count);
    else
        stop(&parts);
    const bool good = !atomic_load_explicit(&parts.stop, memory_order_relaxed);
    for (uint32_t i = 0; i < count && good && run->failure.fault == TWIN_NATIVE_GOOD; i++)
        if (!join(run, list[i].run))
            run->failure.fault = TWIN_NATIVE_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        if (list[i].run)
            twin_native_end(list[i].run);
    if (good)
        run->next_block = run->end_block;
}
