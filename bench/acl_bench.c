/* SPDX-License-Identifier: Apache-2.0 */
/* acl_bench QUESTION [REPEATS]: one question about the runtime, through the public API. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bench_question run;
    bool starts; /* it begins before aclInit() */
} questions[] = {
    {"calibrate", bench_calibrate, false}, {"copies", bench_copy_sizes, false},
    {"copy", bench_copy, false},           {"devices", bench_devices, true},
    {"graph", bench_graph, false},         {"idle", bench_idle, false},
    {"launch", bench_launch, false},       {"matrix", bench_matrix, false},
    {"memory", bench_memory, false},       {"resets", bench_resets, false},
    {"start", bench_start, true},          {"streams", bench_streams, false},
    {"submit", bench_submit, false},       {"sync", bench_sync, false},
    {"vector", bench_vector, false},       {"wait", bench_wait, false},
};
enum { QUESTIONS = sizeof(questions) / sizeof(questions[0]) };

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "";
    long repeats = argc > 2 ? strtol(argv[2], NULL, 10) : 11;
    if (repeats < 1 || repeats > BENCH_MAX_SAMPLES)
        repeats = 11;
    for (size_t i = 0; i < QUESTIONS; i++) {
        if (strcmp(wanted, questions[i].name) != 0)
            continue;
        if (questions[i].starts) {
            questions[i].run((size_t)repeats);
            return 0;
        }
        BENCH_MUST(aclInit(NULL));
        BENCH_MUST(aclrtSetDevice(0));
        questions[i].run((size_t)repeats);
        BENCH_MUST(aclrtResetDeviceForce(0));
        BENCH_MUST(aclFinalize());
        return 0;
    }
    fprintf(stderr, "usage: acl_bench QUESTION [REPEATS]\nQuestions:");
    for (size_t i = 0; i < QUESTIONS; i++)
        fprintf(stderr, " %s", questions[i].name);
    fputc('\n', stderr);
    return 2;
}
