/* SPDX-License-Identifier: Apache-2.0 */
/* P27: host time to capture a task, beside that of submitting one. P28: host time to execute a
 * graph of 1,000 tasks. P29: device time from one task of a graph to the next, beside tasks that
 * are queued one by one. */
#include "bench.h"

enum { TASKS = 1000, HALF = 500, GRAPHS = 20, EXECUTIONS = 20, WORD = 64 };

struct graph {
    aclrtStream stream;
    void *memory;
    aclmdlRI instance;
};

static void submit(const struct graph *graph)
{
    BENCH_MUST(aclrtMemsetAsync(graph->memory, WORD, 0, WORD, graph->stream));
}

static aclmdlRI capture_tasks(const struct graph *graph, int tasks)
{
    aclmdlRI instance = NULL;
    BENCH_MUST(aclmdlRICaptureBegin(graph->stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    for (int i = 0; i < tasks; i++)
        submit(graph);
    BENCH_MUST(aclmdlRICaptureEnd(graph->stream, &instance));
    return instance;
}

/* Means per task, of capturing graphs and of submitting the same tasks, in turn. */
static void capture(struct graph *graph, double *out_capture, double *out_submit)
{
    double captured = 0, submitted = 0;
    for (int i = 0; i < GRAPHS; i++) {
        aclmdlRI instance = NULL;
        submitted += BENCH_MEAN_NS(TASKS, submit(graph));
        BENCH_MUST(aclrtSynchronizeStream(graph->stream));
        BENCH_MUST(aclmdlRICaptureBegin(graph->stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
        captured += BENCH_MEAN_NS(TASKS, submit(graph));
        BENCH_MUST(aclmdlRICaptureEnd(graph->stream, &instance));
        BENCH_MUST(aclmdlRIDestroy(instance));
    }
    *out_capture = captured / GRAPHS;
    *out_submit = submitted / GRAPHS;
}

static double execute_us(const struct graph *graph)
{
    double sum = 0;
    for (int i = 0; i < EXECUTIONS; i++) {
        sum += BENCH_MEAN_NS(1, BENCH_MUST(aclmdlRIExecuteAsync(graph->instance, graph->stream)));
        BENCH_MUST(aclrtSynchronizeStream(graph->stream));
    }
    return sum / EXECUTIONS / 1e3;
}

/* Device time in ns between two records with the tasks, or the run of an instance, between them;
 * tasks before the first one hold them back until all is queued. */
static double between_ns(const struct graph *graph, int tasks, aclmdlRI instance)
{
    enum { HELD = 64 };
    const size_t bytes = (size_t)64 << 20;
    aclrtEvent begin, end;
    void *held;
    float ms = 0;
    BENCH_MUST(aclrtCreateEvent(&begin));
    BENCH_MUST(aclrtCreateEvent(&end));
    BENCH_MUST(aclrtMalloc(&held, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int i = 0; i < HELD; i++)
        BENCH_MUST(aclrtMemsetAsync(held, bytes, 0, bytes, graph->stream));
    BENCH_MUST(aclrtRecordEvent(begin, graph->stream));
    if (instance)
        BENCH_MUST(aclmdlRIExecuteAsync(instance, graph->stream));
    for (int i = 0; i < tasks && !instance; i++)
        submit(graph);
    BENCH_MUST(aclrtRecordEvent(end, graph->stream));
    BENCH_MUST(aclrtSynchronizeStream(graph->stream));
    BENCH_MUST(aclrtEventElapsedTime(&ms, begin, end));
    BENCH_MUST(aclrtFree(held));
    BENCH_MUST(aclrtDestroyEvent(begin));
    BENCH_MUST(aclrtDestroyEvent(end));
    return ms * 1e6;
}

/* The difference of many tasks and half of them: what a run costs once is in both. */
static double gap_ns(const struct graph *graph, bool captured)
{
    aclmdlRI all = captured ? capture_tasks(graph, TASKS) : NULL;
    aclmdlRI half = captured ? capture_tasks(graph, HALF) : NULL;
    const double difference = between_ns(graph, TASKS, all) - between_ns(graph, HALF, half);
    if (captured) {
        BENCH_MUST(aclmdlRIDestroy(all));
        BENCH_MUST(aclmdlRIDestroy(half));
    }
    return difference / (TASKS - HALF);
}

void bench_graph(size_t repeats)
{
    struct bench_samples captured = {.name = "capture of a task", .unit = "ns"};
    struct bench_samples submitted = {.name = "the same task, submitted", .unit = "ns"};
    struct bench_samples execution = {.name = "execute a graph of 1000 tasks", .unit = "us"};
    struct graph graph = {0};
    BENCH_MUST(aclrtCreateStream(&graph.stream));
    BENCH_MUST(aclrtMalloc(&graph.memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    graph.instance = capture_tasks(&graph, TASKS);
    (void)execute_us(&graph);
    for (size_t i = 0; i < repeats; i++) {
        double capture_ns, submit_ns;
        capture(&graph, &capture_ns, &submit_ns);
        bench_add(&captured, capture_ns);
        bench_add(&submitted, submit_ns);
        bench_add(&execution, execute_us(&graph));
    }
    bench_print(&captured);
    bench_print(&submitted);
    bench_print(&execution);
    bench_print_value("task to task, captured", "ns", BENCH_VIRTUAL, gap_ns(&graph, true));
    bench_print_value("task to task, queued", "ns", BENCH_VIRTUAL, gap_ns(&graph, false));
    BENCH_MUST(aclmdlRIDestroy(graph.instance));
    BENCH_MUST(aclrtFree(graph.memory));
    BENCH_MUST(aclrtDestroyStream(graph.stream));
}
