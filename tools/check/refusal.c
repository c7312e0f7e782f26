/* SPDX-License-Identifier: Apache-2.0 */
/* Submissions that were refused, and contexts that stop with their first failure. */
#include "check/state.h"

/* A status with which the device reports what became of a task. */
static bool tells_of_task(uint32_t status)
{
    switch (status) {
#define TASK_FAILURE(name) case name:
        TWIN_TASK_FAILURES(TASK_FAILURE)
#undef TASK_FAILURE
        return true;
    default:
        return false;
    }
}

void check_queue_stops(struct checker *checker, const struct check_queue *queue)
{
    CHECK_ADD(checker, &checker->stopping,
              (struct check_group){.device = queue->device, .group = queue->group});
}

static bool stops(const struct checker *checker, const struct check_queue *queue)
{
    for (size_t i = 0; i < checker->stopping.count; i++)
        if (checker->stopping.items[i].device == queue->device &&
            checker->stopping.items[i].group == queue->group)
            return true;
    return false;
}

void check_refused(struct checker *checker, struct check_queue *queue, uint32_t op)
{
    const twin_op *work = &checker->ops.items[op];
    checker->judged[CHECK_ORD_04]++;
    if (!tells_of_task(work->status) || queue->troubled || checker->troubled)
        return;
    /* A stopped group refuses work with what stopped it; a board may report that here first. */
    if (stops(checker, queue))
        queue->troubled = checker->troubled = true;
    else
        check_find(checker, CHECK_ORD_04, op, CHECK_NONE,
                   "the submission itself returned the failure of a task");
}
