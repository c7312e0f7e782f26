/* SPDX-License-Identifier: Apache-2.0 */
#include "run_watch.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/config.h"
#include "seam/run_page.h"

#define NS_PER_S UINT64_C(1000000000)
#define STEP_NS  (RUN_WATCH_STEP_MS * UINT64_C(1000000))
/* A process gets so long to report, and as long to end by SIGTERM. */
#define REPORT_NS (5 * NS_PER_S)
/* --timeout: so long for a process that can report. */
#define ANSWER_NS NS_PER_S
/* Processes that use more than this part of the processor's time compute. */
#define COMPUTES_PART 100u

/* What the tool knows of a slot's process. */
struct process {
    int32_t id;     /* 0: none */
    uint64_t began; /* in ticks since the system began: the number may be another process's later */
    uint32_t looks; /* as last seen */
    uint32_t moves; /* as last seen */
    uint64_t still_ns; /* for so long its waits have been seen to stand still */
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
    uint64_t
        asked_ns; /* when, after the timeout, processes were asked to report; 0: they were not */
    uint64_t ended_ns; /* when they were sent SIGTERM; 0: they were not */
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

/* ---- processes ------------------------------------------------------------------------------- */

struct facts {
    int32_t id;
    int32_t parent;
    uint64_t used_ns; /* of the processor, with children that it has waited for */
    uint64_t began;
};

/* False: there is no such process, or no /proc. */
static bool read_facts(const char *id, struct facts *out)
{
    char path[64];
    char text[1024];
    (void)snprintf(path, sizeof(path), "/proc/%.16s/stat", id);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof(text) - 1) : -1;
    if (file >= 0)
        (void)close(file);
    if (length <= 0)
        return false;
    text[length] = '\0';
    /* "id (name) state parent …": the name may hold anything. */
    const char *at = strrchr(text, ')');
    uint64_t user, system, user_children, system_children;
    if (!at ||
        sscanf(at + 1,
               " %*c %" SCNd32 " %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64 " %*d %*d %*d %*d %" SCNu64,
               &out->parent, &user, &system, &user_children, &system_children, &out->began) != 6)
        return false;
    out->id = (int32_t)strtol(id, NULL, 10);
    out->used_ns = (user + system + user_children + system_children) *
                   (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
    return true;
}

static bool read_facts_of(int32_t id, struct facts *out)
{
    char name[16];
    (void)snprintf(name, sizeof(name), "%" PRId32, id);
    return read_facts(name, out);
}

/* Time in which the threads of a process could have run and others did. */
static uint64_t kept_waiting_ns(int32_t id)
{
    char path[64];
    uint64_t sum = 0;
    (void)snprintf(path, sizeof(path), "/proc/%" PRId32 "/task", id);
    DIR *tasks = opendir(path);
    const struct dirent *entry;
    while (tasks && (entry = readdir(tasks))) {
        char name[128];
        uint64_t waited = 0;
        (void)snprintf(name, sizeof(name), "%s/%.16s/schedstat", path, entry->d_name);
        FILE *file = isdigit((unsigned char)entry->d_name[0]) ? fopen(name, "re") : NULL;
        if (file && fscanf(file, "%*u %" SCNu64, &waited) == 1)
            sum += waited;
        if (file)
            (void)fclose(file);
    }
    if (tasks)
        (void)closedir(tasks);
    return sum;
}

static bool is_among(int32_t id, const int32_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

/* What the processor did for the run: all that descend from the tool, and those with a slot. */
static uint64_t used_ns(const struct run_watch *watch)
{
    enum { MOST = 4096 };
    static struct facts all[MOST];
    static int32_t family[MOST + 1 + TWIN_RUN_SLOTS];
    size_t count = 0;
    size_t members = 0;
    uint64_t sum = 0;
    DIR *list = opendir("/proc");
    const struct dirent *entry;
    while (list && count < MOST && (entry = readdir(list)))
        if (isdigit((unsigned char)entry->d_name[0]) && read_facts(entry->d_name, &all[count]))
            count++;
    if (list)
        (void)closedir(list);
    const int32_t self = (int32_t)getpid();
    family[members++] = self;
    for (unsigned i = 0; i < TWIN_RUN_SLOTS; i++)
        if (watch->processes[i].id != 0)
            family[members++] = watch->processes[i].id;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++)
            if (is_among(all[i].parent, family, members) && !is_among(all[i].id, family, members)) {
                family[members++] = all[i].id;
                more = true;
            }
    }
    for (size_t i = 0; i < count; i++)
        if (all[i].id != self && is_among(all[i].id, family, members))
            sum += all[i].used_ns + kept_waiting_ns(all[i].id);
    return sum;
}

/* ---- one look ---------------------------------------------------------------------------------- */

/* The process of the slot as it is now; a slot of one that is gone is free again. */
static bool follow(twin_run_slot *slot, struct process *process)
{
    struct facts facts;
    int32_t id = atomic_load(&slot->process);
    if (id != process->id) {
        *process = (struct process){.id = id};
        if (id != 0 && read_facts_of(id, &facts))
            process->began = facts.began;
        process->looks = atomic_load(&slot->looks);
        process->moves = atomic_load(&slot->moves);
    }
    if (id == 0)
        return false;
    if (read_facts_of(id, &facts) && facts.began == process->began)
        return true;
    atomic_store(&slot->asked, 0);
    (void)atomic_compare_exchange_strong(&slot->process, &id, 0);
    *process = (struct process){0};
    return false;
}

/* Counts how long the process has stood still. Only time in which it looked counts: not that in which it was stopped. */
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

/* Ends the process if it still is the one that was looked at. */
static void end_process(const struct process *process, int number)
{
    struct facts facts;
    int handle = (int)syscall(SYS_pidfd_open, process->id, 0);
    if (handle >= 0 && read_facts_of(process->id, &facts) && facts.began == process->began)
        (void)syscall(SYS_pidfd_send_signal, handle, number, NULL, 0);
    if (handle >= 0)
        (void)close(handle);
}

/* Nothing has moved for the whole time: asks for the report, then ends the process. */
static bool act(const struct run_watch *watch, twin_run_slot *slot, struct process *process,
                uint64_t now)
{
    if (process->ended_ns != 0) {
        if (now - process->ended_ns > REPORT_NS)
            end_process(process, SIGKILL);
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
            "twinrt: nothing has moved in process %" PRId32 " for %" PRIu64
            " s (--stall-after): it is ended\n",
            process->id, watch->limit_ns / NS_PER_S);
    end_process(process, SIGTERM);
    return true;
}

bool run_watch_used(const struct run_watch *watch)
{
    return atomic_load(&watch->page->starts) != 0;
}

/* ---- --timeout ----------------------------------------------------------------------------------- */

static void ask_all(struct run_watch *watch, int32_t program, uint64_t now)
{
    bool any = false;
    watch->asked_ns = now;
    fprintf(stderr,
            "twinrt: the program has not ended within %" PRIu64 " s (--timeout): it is ended\n",
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

static void end_all(const struct run_watch *watch, int32_t program, int number)
{
    struct process first = {.id = program};
    struct facts facts;
    for (unsigned i = 0; i < TWIN_RUN_SLOTS; i++) {
        const struct process *process = &watch->processes[i];
        if (process->id != 0 && number == SIGTERM &&
            atomic_load(&watch->page->slots[i].answered) != TWIN_RUN_ASK_ANY)
            fprintf(stderr,
                    "twinrt: process %" PRId32 " did not report what its threads wait for\n",
                    process->id);
        if (process->id != 0 && process->id != program)
            end_process(process, number);
    }
    if (read_facts_of(program, &facts))
        first.began = facts.began;
    end_process(&first, number);
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
        end_all(watch, program, SIGTERM);
    } else if (now - watch->ended_ns > REPORT_NS) {
        end_all(watch, program, SIGKILL);
    }
}

bool run_watch_timed_out(const struct run_watch *watch)
{
    return watch->asked_ns != 0;
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
    bool any = false;   /* some process stands still */
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
            watch->processes[i].still_ns =
                0; /* what moves in one process may be what another waits for */
        return false;
    }
    if (watch->window_ns == 0)
        watch->used_ns = used_ns(watch);
    watch->window_ns += passed_ns;
    bool due = false;
    for (unsigned i = 0; i < TWIN_RUN_SLOTS; i++)
        due =
            due || (watch->processes[i].id != 0 && watch->processes[i].still_ns >= watch->limit_ns);
    if (!due)
        return false;
    uint64_t used = used_ns(watch);
    if (used < watch->used_ns || used - watch->used_ns > watch->window_ns / COMPUTES_PART) {
        watch->window_ns = 0; /* somebody computes, and may call yet */
        for (unsigned i = 0; i < TWIN_RUN_SLOTS; i++)
            watch->processes[i].still_ns = 0;
        return false;
    }
    for (unsigned i = 0; i < TWIN_RUN_SLOTS; i++)
        if (watch->processes[i].id != 0 && watch->processes[i].still_ns >= watch->limit_ns)
            acts = act(watch, &watch->page->slots[i], &watch->processes[i], now) || acts;
    return acts;
}
