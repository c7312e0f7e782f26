/* SPDX-License-Identifier: Apache-2.0 */
#include "run_watch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check/report/site.h"
#include "core/base/config.h"
#include "run_family.h"
#include "seam/run_page.h"

#define NS_PER_S UINT64_C(1000000000)
#define STEP_NS  (RUN_WATCH_STEP_MS * UINT64_C(1000000))
/* A process gets so long to report, and as long to end by SIGTERM. */
#define REPORT_NS (5 * NS_PER_S)
/* --timeout: so long for a process that can report. */
#define ANSWER_NS NS_PER_S
/* Processes that use more than this part of the processor's time compute. */
#define COMPUTES_PART 100u

/* The state of the process of a slot. */
struct process {
    int32_t id;        /* 0: none */
    uint64_t began;    /* the number may be another process's later */
    uint32_t looks;    /* as last seen */
    uint32_t moves;    /* as last seen */
    uint64_t still_ns; /* how long its waits have been seen without progress */
    uint64_t asked_ns; /* when it was asked to report; 0: it was not */
    uint64_t ended_ns; /* when it was sent SIGTERM; 0: it was not */
};

struct run_watch {
    twin_run_page *page;
    int file;
    uint64_t limit_ns;
    uint64_t looked_ns;  /* when the tool last looked */
    uint64_t window_ns;  /* how long the processor's time has been counted */
    uint64_t used_ns;    /* of the processor, by all processes of the run, when that began */
    uint64_t timeout_ns; /* 0: none */
    uint64_t began_ns;   /* when the run began */
    uint64_t asked_ns;   /* when processes were asked to report after the timeout; 0: never */
    uint64_t ended_ns;   /* when they were sent SIGTERM; 0: never */
    int32_t own;         /* a child that does not belong to the run */
    struct process processes[TWIN_RUN_SLOTS];
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

struct run_watch *run_watch_new(unsigned seconds, unsigned timeout_s)
{
    struct run_watch *watch = calloc(1, sizeof(*watch));
    char path[64];
    if (!watch)
        goto failed;
    watch->limit_ns = seconds * NS_PER_S;
    watch->timeout_ns = timeout_s * NS_PER_S;
    watch->page = MAP_FAILED;
    watch->file = memfd_create("twinrt-run", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (watch->file < 0 || ftruncate(watch->file, sizeof(*watch->page)) != 0 ||
        fcntl(watch->file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        goto failed;
    watch->page =
        mmap(NULL, sizeof(*watch->page), PROT_READ | PROT_WRITE, MAP_SHARED, watch->file, 0);
    if (watch->page == MAP_FAILED)
        goto failed;
    watch->page->magic = TWIN_RUN_MAGIC;
    watch->page->answers = timeout_s != 0;
    watch->looked_ns = watch->began_ns = now_ns();
    /* A process whose parent has ended becomes the tool's child: all of the run descend from the
     * tool. */
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        goto failed;
    /* By way of the tool and not inherited: programs close descriptors that they do not know. */
    (void)snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long)getpid(), watch->file);
    if (setenv(twin_setting_table[TWIN_SETTING_RUN_PAGE].name, path, 1) == 0)
        return watch;
failed:
    perror("twinrt: memory that is shared with the program");
    run_watch_free(watch);
    return NULL;
}

void run_watch_free(struct run_watch *watch)
{
    if (!watch)
        return;
    if (watch->page && watch->page != MAP_FAILED)
        (void)munmap(watch->page, sizeof(*watch->page));
    if (watch->file >= 0)
        (void)close(watch->file);
    free(watch);
}

/* ---- one look -------------------------------------------------------------------------------- */

/* The process of the slot as it is now; the slot of a process that has ended is free again. A
 * process that does not descend from the tool is left alone: in a container the numbers of
 * processes differ, and the one in the slot may be of another process. */
static bool follow(twin_run_slot *slot, struct process *process)
{
    uint64_t began = 0;
    int32_t id = atomic_load(&slot->process);
    if (id != process->id)
        *process = (struct process){0};
    if (id == 0)
        return false;
    const enum run_kin kin = run_family_kin(id, &began);
    if (kin == RUN_STRANGER)
        return false;
    if (kin == RUN_GONE || (process->id != 0 && began != process->began)) {
        atomic_store(&slot->asked, 0);
        (void)atomic_compare_exchange_strong(&slot->process, &id, 0);
        *process = (struct process){0};
        return false;
    }
    if (process->id == 0)
        *process = (struct process){.id = id,
                                    .began = began,
                                    .looks = atomic_load(&slot->looks),
                                    .moves = atomic_load(&slot->moves)};
    return true;
}

/* Counts how long the process has made no progress. Time in which it was stopped does not count. */
static void count_still(const twin_run_slot *slot, struct process *process, uint64_t passed_ns)
{
    uint32_t looks = atomic_load(&slot->looks);
    uint32_t moves = atomic_load(&slot->moves);
    if (moves != process->moves) {
        process->still_ns = 0;
        process->asked_ns = 0;
    } else if (looks != process->looks) {
        process->still_ns += passed_ns < 2 * STEP_NS ? passed_ns : 2 * STEP_NS;
    }
    process->looks = looks;
    process->moves = moves;
}

/* The file that is mapped at the address. False: none. */
static bool find_file(int32_t process, uint64_t address, char path[PATH_MAX])
{
    char name[64];
    char line[PATH_MAX + 128];
    bool found = false;
    (void)snprintf(name, sizeof(name), "/proc/%" PRId32 "/maps", process);
    FILE *maps = fopen(name, "re");
    while (maps && !found && fgets(line, sizeof(line), maps)) {
        uint64_t begin, end;
        const char *file = strchr(line, '/');
        if (!file || sscanf(line, "%" SCNx64 "-%" SCNx64, &begin, &end) != 2 || address < begin ||
            address >= end)
            continue;
        (void)snprintf(path, PATH_MAX, "%.*s", (int)strcspn(file, "\n"), file);
        found = true;
    }
    if (maps)
        (void)fclose(maps);
    return found;
}

/* Prints function, file and line of the places that the report of a process names. The process
 * still runs. */
static void print_sites(const twin_run_slot *slot)
{
    const int32_t process = atomic_load(&slot->process);
    struct symbolizer *symbolizer = symbolizer_new();
    for (uint32_t i = 0; symbolizer && i < slot->site_count && i < TWIN_RUN_SITES; i++) {
        char path[PATH_MAX];
        char text[CHECK_SITE_LINE];
        const twin_run_site *place = &slot->sites[i];
        /* the call is before where it returns to */
        struct check_site site = {.address = place->address - 1, .offset = place->offset - 1};
        if (!find_file(process, site.address, path))
            continue;
        site.module = path;
        site.module_name = strrchr(path, '/') + 1;
        symbolizer_look(symbolizer, path, NULL, 0, site.offset, &site.symbol);
        if (site.symbol.function[0] || site.symbol.line != 0)
            fprintf(stderr, "twinrt: thread %" PRIu32 " called from %s\n", place->thread,
                    check_site_text(&site, text));
    }
    symbolizer_free(symbolizer);
}

/* Nothing has moved for the whole time: asks for the report, then ends the process. */
static bool act(const struct run_watch *watch, twin_run_slot *slot, struct process *process,
                uint64_t now)
{
    if (process->ended_ns != 0) {
        if (now - process->ended_ns > REPORT_NS)
            run_family_signal(process->id, process->began, SIGKILL);
        return true;
    }
    if (process->asked_ns == 0) {
        process->asked_ns = now;
        atomic_store(&slot->asked, process->moves + 1);
    }
    if (atomic_load(&slot->answered) != process->moves + 1)
        return false; /* it looks soon, or something moves now */
    process->ended_ns = now;
    fprintf(stderr,
            "twinrt: process %" PRId32 " made no progress for %" PRIu64
            " s (--stall-after); it is being ended\n",
            process->id, watch->limit_ns / NS_PER_S);
    print_sites(slot);
    run_family_signal(process->id, process->began, SIGTERM);
    return true;
}

bool run_watch_used(const struct run_watch *watch)
{
    return atomic_load(&watch->page->starts) != 0;
}

/* ---- --timeout ------------------------------------------------------------------------------- */

static void ask_all(struct run_watch *watch, int32_t program, uint64_t now)
{
    bool any = false;
    watch->asked_ns = now;
    fprintf(stderr,
            "twinrt: the program has not ended within %" PRIu64
            " s (--timeout); it is being ended\n",
            watch->timeout_ns / NS_PER_S);
    for (unsigned i = 0; i < TWIN_RUN_SLOTS; i++) {
        if (!follow(&watch->page->slots[i], &watch->processes[i]))
            continue;
        any = true;
        atomic_store(&watch->page->slots[i].asked, TWIN_RUN_ASK_ANY);
    }
    if (!any)
        fprintf(stderr,
                "twinrt: no process of it uses a device (the program is process %" PRId32 ")\n",
                program);
}

static bool have_all_answered(const struct run_watch *watch)
{
    bool all = true;
    for (unsigned i = 0; i < TWIN_RUN_SLOTS; i++)
        all = all && (watch->processes[i].id == 0 ||
                      atomic_load(&watch->page->slots[i].answered) == TWIN_RUN_ASK_ANY);
    return all;
}

static void end_all(const struct run_watch *watch, int number)
{
    for (unsigned i = 0; i < TWIN_RUN_SLOTS && number == SIGTERM; i++) {
        const twin_run_slot *slot = &watch->page->slots[i];
        const int32_t id = watch->processes[i].id;
        if (id != 0 && atomic_load(&slot->answered) == TWIN_RUN_ASK_ANY)
            print_sites(slot);
        else if (id != 0)
            fprintf(stderr,
                    "twinrt: process %" PRId32 " did not report what its threads wait for\n", id);
    }
    (void)run_family_signal_all(watch->own, number);
}

/* One step of the end of a run that takes too long: report, SIGTERM, SIGKILL. */
static void end_run(struct run_watch *watch, int32_t program, uint64_t now)
{
    if (watch->asked_ns == 0) {
        ask_all(watch, program, now);
    } else if (watch->ended_ns == 0) {
        if (!have_all_answered(watch) && now - watch->asked_ns < ANSWER_NS)
            return;
        watch->ended_ns = now;
        end_all(watch, SIGTERM);
    } else if (now - watch->ended_ns > REPORT_NS) {
        end_all(watch, SIGKILL);
    }
}

bool run_watch_timed_out(const struct run_watch *watch)
{
    return watch->asked_ns != 0;
}

void run_watch_leave_out(struct run_watch *watch, int32_t own)
{
    watch->own = own;
}

void run_watch_gone(struct run_watch *watch, int32_t id)
{
    if (watch->own == id)
        watch->own = 0;
}

void run_watch_end_rest(const struct run_watch *watch)
{
    const struct timespec step = {.tv_nsec = RUN_WATCH_STEP_MS * 1000000};
    const uint64_t began = now_ns();
    for (uint64_t passed = 0; passed < 2 * REPORT_NS; passed = now_ns() - began) {
        const int number = passed < REPORT_NS ? SIGTERM : SIGKILL;
        const unsigned left = run_family_signal_all(watch->own, number);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
        if (left == 0)
            return;
        (void)nanosleep(&step, NULL);
    }
    fprintf(stderr, "twinrt: a process of the run did not end by SIGKILL\n");
}

bool run_watch_look(struct run_watch *watch, int32_t program)
{
    const uint64_t now = now_ns();
    if (watch->timeout_ns != 0 && now - watch->began_ns >= watch->timeout_ns) {
        end_run(watch, program, now);
        return true;
    }
    if (watch->limit_ns == 0)
        return false;
    const uint64_t passed_ns = now - watch->looked_ns;
    bool acts = false;
    bool any = false;   /* some process makes no progress */
    bool moved = false; /* some process that has waited moves */
    watch->looked_ns = now;
    for (unsigned i = 0; i < TWIN_RUN_SLOTS; i++) {
        struct process *process = &watch->processes[i];
        if (!follow(&watch->page->slots[i], process))
            continue;
        uint32_t moves = process->moves;
        count_still(&watch->page->slots[i], process, passed_ns);
        moved = moved || process->moves != moves;
        any = any || process->still_ns != 0;
    }
    if (!any || moved) {
        watch->window_ns = 0;
        for (unsigned i = 0; i < TWIN_RUN_SLOTS && moved; i++)
            watch->processes[i].still_ns = 0; /* others may wait for the process that moves */
        return false;
    }
    if (watch->window_ns == 0)
        watch->used_ns = run_family_used_ns(watch->own);
    watch->window_ns += passed_ns;
    bool due = false;
    for (unsigned i = 0; i < TWIN_RUN_SLOTS; i++)
        due =
            due || (watch->processes[i].id != 0 && watch->processes[i].still_ns >= watch->limit_ns);
    if (!due)
        return false;
    uint64_t used = run_family_used_ns(watch->own);
    if (used < watch->used_ns || used - watch->used_ns > watch->window_ns / COMPUTES_PART) {
        watch->window_ns = 0; /* some process computes, and may call later */
        for (unsigned i = 0; i < TWIN_RUN_SLOTS; i++)
            watch->processes[i].still_ns = 0;
        return false;
    }
    for (unsigned i = 0; i < TWIN_RUN_SLOTS; i++)
        if (watch->processes[i].id != 0 && watch->processes[i].still_ns >= watch->limit_ns)
            acts = act(watch, &watch->page->slots[i], &watch->processes[i], now) || acts;
    return acts;
}
