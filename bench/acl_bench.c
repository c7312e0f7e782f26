/* SPDX-License-Identifier: Apache-2.0 */
/* acl_bench QUESTION [REPEATS]: one question about the runtime's host costs, through the public API. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bench_question run;
} questions[] = {
    {"copy", bench_copy},     {"idle", bench_idle}, {"memory", bench_memory},
    {"resets", bench_resets}, {"start", NULL},      {"streams", bench_streams},
    {"submit", bench_submit}, {"wait", bench_wait},
};

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "";
    long repeats = argc > 2 ? strtol(argv[2], NULL, 10) : 11;
    if (repeats < 1 || repeats > BENCH_MAX_SAMPLES)
        repeats = 11;
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        if (strcmp(wanted, questions[i].name) != 0)
            continue;
        /* P12: what a program pays before its first task, model elaboration included. */
        struct bench_samples start = {.name = "start", .unit = "ms"};
        uint64_t begin = bench_now_ns();
        BENCH_MUST(aclInit(NULL));
        BENCH_MUST(aclrtSetDevice(0));
        bench_add(&start, (double)(bench_now_ns() - begin) / 1e6);
        if (questions[i].run)
            questions[i].run((size_t)repeats);
        else
            bench_print(&start);
        BENCH_MUST(aclrtResetDeviceForce(0));
        BENCH_MUST(aclFinalize());
        return 0;
    }
    fprintf(stderr,
            "usage: acl_bench copy|idle|memory|resets|start|streams|submit|wait [repeats]\n");
    return 2;
}
