/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/replay.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/state.h"

volatile uint64_t *replay_place;

/* The device may call until the process ends, so what it is given is never released. */
static struct replay *volatile kept;

bool replay_begin(struct replay *replay, const twin_recording *recording, char *error,
                  size_t error_bytes)
{
    replay->recording = recording;
    replay->touched_most = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);
    (void)pthread_mutex_init(&replay->lock, NULL);
    (void)pthread_mutex_init(&replay->task_lock, NULL);
    return replay_plan(replay, error, error_bytes);
}

struct replay *replay_new(const twin_recording *recording, char *error, size_t error_bytes)
{
    struct replay *replay = calloc(1, sizeof(*replay));
    struct replay_task *tasks = NULL;
    size_t count = 0;
    if (!replay) {
        (void)snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    kept = replay;
    if (!replay_begin(replay, recording, error, error_bytes))
        return NULL;
    if (replay_tasks_recorded(replay, &tasks, &count))
        free(tasks);
    replay->task_limit = REPLAY_TASKS_SPARE + 10 * (uint64_t)count;
    return replay;
}

void replay_memory_most(struct replay *replay, uint64_t bytes)
{
    replay->touched_most = bytes;
}

const char *replay_backend(const struct replay *replay)
{
    return twin_recording_text(twin_recording_at(replay->recording, replay->start), 0);
}

void replay_settings(const struct replay *replay, void (*take)(const char *name, const char *value))
{
    static const char *const names[] = {"ASCEND_RT_VISIBLE_DEVICES",
                                        "TWINRT_ASCEND_HOME",
                                        "TWINRT_CLOCK",
                                        "TWINRT_DEVICES",
                                        "TWINRT_DEVMEM",
                                        "TWINRT_DMA",
                                        "TWINRT_FAIL_OPS",
                                        "TWINRT_KERNEL_DATA",
                                        "TWINRT_MODEL",
                                        "TWINRT_OPAQUE_KERNELS",
                                        "TWINRT_POISON",
                                        "TWINRT_PROFILE",
                                        "TWINRT_SEED"};
    for (size_t i = replay->start; i < replay->stop; i++) {
        const struct twin_record_entry *entry = twin_recording_at(replay->recording, i);
        if (entry->kind != TWIN_RECORD_SETTING)
            continue;
        for (size_t name = 0; name < sizeof(names) / sizeof(names[0]); name++)
            if (strcmp(names[name], twin_recording_text(entry, 0)) == 0)
                take(names[name], twin_recording_text(entry, 1));
    }
}

/* ---- whether the device is the recorded one ---- */

struct facts {
    struct replay *replay;
    size_t count;
};

/* The device is not the recorded one, for that reason. */
__attribute__((format(printf, 2, 3))) static void differs(struct replay_report *report,
                                                          const char *why, ...)
{
    va_list values;
    va_start(values, why);
    if (report->same)
        (void)vsnprintf(report->why, sizeof(report->why), why, values);
    va_end(values);
    report->same = false;
}

/* Facts with a mark are parameters of the device; the others describe this process. */
static void compare_fact(void *context, const twin_fact *fact)
{
    struct facts *facts = context;
    if (fact->mark[0] == '\0')
        return;
    facts->count++;
    const char *then = twin_recording_fact(facts->replay->recording, fact->name);
    if (!then || strcmp(then, fact->value) != 0)
        differs(&facts->replay->report, "%s is %.60s here, %.60s in the recording", fact->name,
                fact->value, then ? then : "not");
}

static size_t count_recorded(const struct replay *replay)
{
    size_t count = 0;
    for (size_t i = replay->start; i < replay->stop; i++) {
        const struct twin_record_entry *entry = twin_recording_at(replay->recording, i);
        count += entry->kind == TWIN_RECORD_FACT && twin_recording_text(entry, 3)[0] != '\0';
    }
    return count;
}

/* Not TWINRT_MODEL: however the model is built, it is to answer alike, to the cycle. */
static void compare_device(struct replay *replay, const char *(*setting)(const char *name))
{
    static const struct {
        const char *name;
        const char *usual;
    } settings[] = {{"TWINRT_DEVICES", "1"}, {"TWINRT_DMA", "flow"}, {"TWINRT_SEED", "0"}};
    struct replay_report *report = &replay->report;
    struct facts facts = {.replay = replay};
    struct twin_record_PROCESS_START start;
    twin_recording_fields(twin_recording_at(replay->recording, replay->start), &start,
                          sizeof(start));
    report->same = true;
    if (strcmp(replay->ops->name, replay_backend(replay)) != 0)
        differs(report, "the backend is %.40s, %.40s in the recording", replay->ops->name,
                replay_backend(replay));
    else if (!replay->conducted)
        differs(report, "no two runs of a board take the same time");
    else if (start.tasks_stamped)
        differs(report, "the recorded one did time stamps besides (TWINRT_RECORD_TIMES=events)");
    for (size_t i = 0; report->same && i < sizeof(settings) / sizeof(settings[0]); i++) {
        const char *then = twin_recording_setting(replay->recording, settings[i].name);
        const char *now = setting(settings[i].name);
        then = then && then[0] ? then : settings[i].usual;
        now = now && now[0] ? now : settings[i].usual;
        if (strcmp(then, now) != 0)
            differs(report, "%s is %.60s here, %.60s in the recording", settings[i].name, now,
                    then);
    }
    if (!report->same)
        return;
    replay->ops->diag.facts(compare_fact, &facts);
    if (facts.count != count_recorded(replay))
        differs(report, "it has %zu parameters here, %zu in the recording", facts.count,
                count_recorded(replay));
}

/* ---- running ---- */

bool replay_run(struct replay *replay, const struct twin_backend *ops, bool traced,
                const char *(*setting)(const char *name))
{
    struct replay_report *report = &replay->report;
    const twin_device_properties *properties = NULL;
    replay->ops = ops;
    replay->traced = traced;
    replay->conducted = (ops->flags & TWIN_BACKEND_CONDUCTED) != 0;
    (void)snprintf(report->backend, sizeof(report->backend), "%s", ops->name);
    if (ops->process.describe(0, &properties) == TWIN_OK)
        (void)snprintf(report->part, sizeof(report->part), "%s", properties->soc_name);
    compare_device(replay, setting);
    report->paced = report->same && replay->conducted && replay_has_moves(replay);
    if (report->paced && !replay_plan_paced(replay))
        return false;
    bool good = replay_walk_all(replay);
    replay_tasks_compare(replay);
    return good;
}

const struct replay_report *replay_result(const struct replay *replay)
{
    return &replay->report;
}

bool replay_is_same(const struct replay_report *report)
{
    return report->differences.count == 0 && report->left_out.count == 0 &&
           report->times.count == 0 && report->clocks == 0;
}
