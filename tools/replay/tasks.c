/* SPDX-License-Identifier: Apache-2.0 */
/* When tasks ran, then and now. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay/state.h"

/* Called by the thread that drives the device, under its locks. */
static void take_task(void *context, const twin_task_end *task)
{
    const struct replay_object *queue = context;
    struct replay *replay = queue->replay;
    pthread_mutex_lock(&replay->task_lock);
    const struct replay_task ended = {.queue = queue->number,
                                      .status = (uint32_t)task->status,
                                      .number = task->number,
                                      .begin_ns = task->begin_ns,
                                      .end_ns = task->end_ns,
                                      .order = replay->tasks.count};
    if (!LIST_ADD(&replay->tasks, ended))
        replay->tasks_lost = true;
    /* What goes by memory that the recording does not have may go round for ever, inside one
     * wait. */
    if (replay->tasks.count > replay->task_limit) {
        fprintf(stderr,
                "twinrt: the device does not come to an end: %zu tasks ran, and %" PRIu64
                " in the recording; what they depend on is in memory that is not recorded\n",
                replay->tasks.count, replay->report.recorded.tasks);
        _exit(REPLAY_ENDLESS);
    }
    pthread_mutex_unlock(&replay->task_lock);
}

void replay_tasks_observe(struct replay_object *queue)
{
    if (queue->replay->trial)
        replay_trial_observe(queue);
    else
        (void)queue->replay->ops->diag.tasks(queue->handle, take_task, queue);
}

/* ---- comparing ---- */

static int compare_places(const struct replay_task *a, const struct replay_task *b)
{
    return ORDER_2(a->queue, b->queue, a->number, b->number);
}

static int compare_tasks(const void *left, const void *right)
{
    const struct replay_task *a = left;
    const struct replay_task *b = right;
    const int places = compare_places(a, b);
    return places != 0 ? places : ORDER(a->order, b->order);
}

static void span(struct replay_span *out, const struct replay_task *tasks, size_t count)
{
    *out = (struct replay_span){.tasks = count};
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || tasks[i].begin_ns < out->first_ns)
            out->first_ns = tasks[i].begin_ns;
        if (tasks[i].end_ns > out->last_ns)
            out->last_ns = tasks[i].end_ns;
    }
}

bool replay_tasks_recorded(struct replay *replay, struct replay_task **out, size_t *out_count)
{
    size_t count = 0;
    for (size_t i = replay->start; i < replay->stop; i++)
        count += twin_recording_at(replay->recording, i)->kind == TWIN_RECORD_TASK;
    struct replay_task *tasks = malloc((count + 1) * sizeof(*tasks));
    if (!tasks)
        return false;
    size_t used = 0;
    for (size_t i = replay->start; i < replay->stop; i++) {
        struct twin_record_TASK f;
        if (TWIN_RECORDING_GET(twin_recording_at(replay->recording, i), TASK, &f))
            tasks[used++] = (struct replay_task){
                .queue = f.queue,
                .status = twin_recording_own_status(replay->recording, f.result),
                .number = f.task,
                .begin_ns = f.task_begin_ns,
                .end_ns = f.task_end_ns,
                .order = i};
    }
    span(&replay->report.recorded, tasks, used);
    replay->report.timed = used > 0;
    qsort(tasks, used, sizeof(*tasks), compare_tasks);
    *out = tasks;
    *out_count = used;
    return true;
}

/* Tasks of both sides that are of one place: the same queue and number. */
static void compare_pair(struct replay *replay, const struct replay_task *then,
                         const struct replay_task *now)
{
    struct replay_report *report = &replay->report;
    bool same_times = then->begin_ns == now->begin_ns && then->end_ns == now->end_ns;
    if (then->status != now->status)
        replay_note(&report->differences, (size_t)then->order,
                    "task %" PRIu64 " of queue %" PRIu32 ": %s in the recording, %s here",
                    then->number, then->queue, twin_recording_own_status_name(then->status),
                    twin_recording_own_status_name(now->status));
    if (same_times)
        report->same_tasks += then->status == now->status;
    else if (report->same)
        replay_note(&report->times, (size_t)then->order,
                    "task %" PRIu64 " of queue %" PRIu32 ": %" PRIu64 " to %" PRIu64
                    " ns in the recording, %" PRIu64 " to %" PRIu64 " ns here",
                    then->number, then->queue, then->begin_ns, then->end_ns, now->begin_ns,
                    now->end_ns);
}

void replay_tasks_compare(struct replay *replay)
{
    struct replay_task *then = NULL;
    size_t then_count = 0;
    pthread_mutex_lock(&replay->task_lock);
    span(&replay->report.replayed, replay->tasks.items, replay->tasks.count);
    if (replay->tasks.count > 0)
        qsort(replay->tasks.items, replay->tasks.count, sizeof(*replay->tasks.items),
              compare_tasks);
    if (!replay_tasks_recorded(replay, &then, &then_count) || !replay->report.timed)
        goto done;
    size_t a = 0;
    size_t b = 0;
    while (a < then_count || b < replay->tasks.count) {
        const struct replay_task *now = &replay->tasks.items[b];
        int order = a == then_count            ? 1
                    : b == replay->tasks.count ? -1
                                               : compare_places(&then[a], now);
        if (order == 0) {
            compare_pair(replay, &then[a++], &replay->tasks.items[b++]);
        } else if (order < 0) {
            replay_note(&replay->report.differences, (size_t)then[a].order,
                        "task %" PRIu64 " of queue %" PRIu32 " did not end here", then[a].number,
                        then[a].queue);
            a++;
        } else {
            replay_note(&replay->report.differences, TWIN_RECORDING_NONE,
                        "task %" PRIu64 " of queue %" PRIu32
                        " ended here, in the recording it did not",
                        now->number, now->queue);
            b++;
        }
    }
done:
    pthread_mutex_unlock(&replay->task_lock);
    free(then);
}
