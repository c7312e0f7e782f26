/* SPDX-License-Identifier: Apache-2.0 */
/* P3: an empty task and the wait for it. P4: a wait on an idle stream. P5: record on one stream,
 * wait on a second, synchronise the second. The empty task is an event record. */
#include "bench.h"

#include <stdlib.h>

/* One sample is 2 ms of work. Beside other busy processes that is less than one turn of the
 * kernel's scheduler, so that a sample would show whether its turn ended, not what share of a
 * processor is left. */
enum { ROUNDS = 5000, ROUNDS_OVER_TURNS = 500000 };

void bench_wait(size_t repeats)
{
    struct bench_samples task = {.name = "task and wait", .unit = "us"};
    struct bench_samples idle = {.name = "idle wait", .unit = "us"};
    struct bench_samples hop = {.name = "two-stream hop", .unit = "us"};
    aclrtStream first;
    aclrtStream second;
    aclrtEvent event;
    int rounds = getenv("BENCH_OVER_TURNS") ? ROUNDS_OVER_TURNS : ROUNDS;
    BENCH_MUST(aclrtCreateStream(&first));
    BENCH_MUST(aclrtCreateStream(&second));
    BENCH_MUST(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    for (size_t i = 0; i < repeats + 1; i++) {
        const double one = BENCH_MEAN_NS(rounds, BENCH_MUST(aclrtRecordEvent(event, first));
                                         BENCH_MUST(aclrtSynchronizeStream(first)));
        const double two = BENCH_MEAN_NS(rounds, BENCH_MUST(aclrtSynchronizeStream(first)));
        const double three = BENCH_MEAN_NS(rounds, BENCH_MUST(aclrtRecordEvent(event, first));
                                           BENCH_MUST(aclrtStreamWaitEvent(second, event));
                                           BENCH_MUST(aclrtSynchronizeStream(second)));
        if (i == 0)
            continue; /* warm-up */
        bench_add(&task, one / 1e3);
        bench_add(&idle, two / 1e3);
        bench_add(&hop, three / 1e3);
    }
    bench_print(&task);
    bench_print(&idle);
    bench_print(&hop);
    BENCH_MUST(aclrtDestroyEvent(event));
    BENCH_MUST(aclrtDestroyStream(second));
    BENCH_MUST(aclrtDestroyStream(first));
}
