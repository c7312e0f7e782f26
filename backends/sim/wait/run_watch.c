/* SPDX-License-Identifier: Apache-2.0 */
#include "wait/hooks.h"

#include <stdbool.h>
#include <unistd.h>

#include "process/process.h"
#include "seam/run_page.h"
#include "wait/clock.h"
#include "wait/model_lock.h"
#include "wait/real_time.h"
#include "wait/deadlock_report.h"
#include "wait/wait.h"

/* Written by init ops; a slot that another process has is not used. */
static twin_run_page *page;
static twin_run_slot *_Atomic slot; /* NULL: no tool watches */
/* What the last look found. Guarded by the model lock. */
static uint64_t seen;

void sim_watch_begin(const char *path)
{
    const int32_t self = (int32_t)getpid();
    if (path[0] == '\0' || (slot && atomic_load(&slot->process) == self))
        return;
    if (slot)
        sim_clock_forget_others();
    slot = NULL;
    if (!page)
        page = twin_run_page_map(path);
    for (unsigned i = 0; page && !slot && i < TWIN_RUN_SLOTS; i++) {
        int32_t none = 0;
        if (atomic_compare_exchange_strong(&page->slots[i].process, &none, self))
            slot = &page->slots[i];
    }
}

void sim_watch_end(void)
{
    if (slot && atomic_load(&slot->process) == (int32_t)getpid())
        atomic_store(&slot->process, 0);
    slot = NULL;
}

uint64_t sim_watch_until(uint64_t wake_ns)
{
    if (__builtin_expect(!slot, 1))
        return wake_ns;
    uint64_t look_ns = sim_real_now() + TWIN_RUN_LOOK_NS;
    return look_ns < wake_ns ? look_ns : wake_ns;
}

/* Whether a thread waits without end, and none with one. */
static bool only_endless(void)
{
    bool endless = false;
    for (const struct sim_wait *wait = sim_waits.first; wait; wait = wait->next) {
        if (wait->serves)
            continue;
        if (wait->deadline_ns != TWIN_FOREVER)
            return false;
        endless = true;
    }
    return endless;
}

bool sim_watch_needs_thread(void)
{
    return slot && page->answers != 0;
}

static bool is_asked(const twin_run_slot *here)
{
    return atomic_load(&here->asked) == TWIN_RUN_ASK_ANY &&
           atomic_load(&here->answered) != TWIN_RUN_ASK_ANY;
}

void sim_watch_answer(void)
{
    twin_run_slot *here = slot;
    if (!here || !is_asked(here))
        return;
    sim_model_lock_alone();
    sim_watch_look();
    sim_model_unlock();
}

void sim_watch_site(uint32_t thread, uint64_t address, uint64_t offset)
{
    twin_run_slot *here = slot;
    if (here && here->site_count < TWIN_RUN_SITES)
        here->sites[here->site_count++] =
            (twin_run_site){.address = address, .offset = offset, .thread = thread};
}

static void answer(twin_run_slot *here, enum sim_report_kind why, uint32_t with)
{
    here->site_count = 0;
    sim_report_waits(why);
    atomic_store(&here->answered, with);
}

void sim_watch_look(void)
{
    if (!slot)
        return;
    if (is_asked(slot)) {
        answer(slot, SIM_REPORT_ASKED, TWIN_RUN_ASK_ANY);
        return;
    }
    if (!only_endless())
        return;
    uint64_t found = sim_work_stamp() + sim_clock_calls() * UINT64_C(1048583) +
                     twinsim_now(sim_process.sim) * UINT64_C(4294967311);
    if (found != seen)
        atomic_fetch_add(&slot->moves, 1);
    seen = found;
    uint32_t moves = atomic_load(&slot->moves) + 1;
    if (atomic_load(&slot->asked) == moves && atomic_load(&slot->answered) != moves)
        answer(slot, SIM_REPORT_LONG_WAIT, moves);
    atomic_fetch_add(&slot->looks, 1);
}
