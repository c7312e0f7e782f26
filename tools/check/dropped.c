/* SPDX-License-Identifier: Apache-2.0 */
/* Work that the abort of a stream or device dropped. The device reports the times of all tasks that
 * ran, so those without were dropped. Where it does not report them, nothing can be found. */
#include <stdio.h>

#include "check/state.h"
#include "output/layout.h"

#define NAMED 6u /* tasks, the others are counted */

static bool is_dropped(const twin_op *work)
{
    return work->tasks > 0 && work->task != CHECK_NONE && work->reported < work->tasks;
}

void check_abort_drops(struct checker *checker, const struct check_queue *queue, uint32_t by)
{
    const twin_op *abort = &checker->ops.items[by];
    char list[256];
    size_t used = 0;
    uint32_t dropped = 0;
    uint32_t first = CHECK_NONE;
    if (!checker->facts.whole || !queue->reports_tasks || queue->deferred ||
        abort->status != TWIN_OK)
        return;
    checker->judged[CHECK_LIFE_11]++;
    uint32_t known = check_known_at(checker, queue->clock_index, abort->begin_seq);
    for (uint32_t n = known > queue->first ? known : queue->first; n < queue->submitted; n++) {
        uint32_t op = queue->work.items[n - queue->first];
        const twin_op *work = &checker->ops.items[op];
        if (!is_dropped(work))
            continue;
        if (first == CHECK_NONE)
            first = op;
        if (dropped++ < NAMED)
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%stask %u (%s)",
                                     dropped > 1 ? ", " : "", (unsigned)work->task,
                                     twin_op_word(work->kind));
    }
    if (dropped > NAMED)
        (void)snprintf(list + used, sizeof(list) - used, " and %u more",
                       (unsigned)(dropped - NAMED));
    if (dropped > 0)
        check_find(checker, CHECK_LIFE_11, first, by, "%u task%s of stream %u did not complete: %s",
                   (unsigned)dropped, layout_plural(dropped), (unsigned)queue->id, list);
}
