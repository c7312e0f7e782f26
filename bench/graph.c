/* SPDX-License-Identifier: Apache-2.0 */
/* P27: host time to capture a task, beside that of submitting one. P28: host time to execute a
 * graph of 1,000 tasks. P29: device time from one task of a graph to the next, beside tasks that
 * are queued one by one. P31: host memory per captured task. P32: host time to update the kernel of
 * a task group. P33: the same of one task among 1,000 by aclmdlRIUpdate. */
#include "bench.h"

enum {
    TASKS = 1000,
    HALF = 500,
    GRAPHS = 20,
    EXECUTIONS = 20,
    WORD = 64,
    HELD_GRAPHS = 200,
    GROUPS = 500
};

struct graph {
    aclrtStream stream;
    void *memory;
    aclmdlRI instance;
    aclrtFuncHandle kernel; /* "pointers" of empty_kernel.c */
};

static void submit(const struct graph *graph)
{
    BENCH_MUST(aclrtMemsetAsync(graph->memory, WORD, 0, WORD, graph->stream));
}

typedef void bench_task(const struct graph *graph);

static aclmdlRI capture_these(const struct graph *graph, bench_task *submit_one, int tasks)
{
    aclmdlRI instance = NULL;
    BENCH_MUST(aclmdlRICaptureBegin(graph->stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    for (int i = 0; i < tasks; i++)
        submit_one(graph);
    BENCH_MUST(aclmdlRICaptureEnd(graph->stream, &instance));
    return instance;
}

static aclmdlRI capture_tasks(const struct graph *graph, int tasks)
{
    return capture_these(graph, submit, tasks);
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

static void launch(const struct graph *graph)
{
    uint64_t arguments[4] = {0}; /* empty_kernel.c does not read them */
    BENCH_MUST(aclrtLaunchKernelWithHostArgs(graph->kernel, 1, graph->stream, NULL, arguments,
                                             sizeof(arguments), NULL, 0));
}

/* Pages that the process has touched after captures and runs, more than before, by task: those of
 * the heap, of queues and of arguments. The instances stay, so that nothing that was released
 * serves again. */
static double captured_bytes(const struct graph *graph, bench_task *submit_one, aclmdlRI *instances)
{
    const uint64_t before = bench_resident_bytes();
    for (int i = 0; i < HELD_GRAPHS; i++) {
        instances[i] = capture_these(graph, submit_one, TASKS);
        BENCH_MUST(aclmdlRIExecuteAsync(instances[i], graph->stream));
    }
    BENCH_MUST(aclrtSynchronizeStream(graph->stream));
    return (double)(bench_resident_bytes() - before) / ((double)HELD_GRAPHS * TASKS);
}

static void memory(const struct graph *graph)
{
    aclmdlRI instances[2 * HELD_GRAPHS];
    bench_print_value("bytes per captured task", "B", BENCH_COUNT,
                      captured_bytes(graph, submit, instances));
    bench_print_value("bytes per captured kernel", "B", BENCH_COUNT,
                      captured_bytes(graph, launch, instances + HELD_GRAPHS));
    for (int i = 0; i < 2 * HELD_GRAPHS; i++)
        BENCH_MUST(aclmdlRIDestroy(instances[i]));
}

/* A graph of groups of one kernel each. */
static aclmdlRI capture_groups(const struct graph *graph, aclrtTaskGrp *groups)
{
    aclmdlRI instance = NULL;
    BENCH_MUST(aclmdlRICaptureBegin(graph->stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    for (int i = 0; i < GROUPS; i++) {
        BENCH_MUST(aclmdlRICaptureTaskGrpBegin(graph->stream));
        launch(graph);
        BENCH_MUST(aclmdlRICaptureTaskGrpEnd(graph->stream, &groups[i]));
    }
    BENCH_MUST(aclmdlRICaptureEnd(graph->stream, &instance));
    return instance;
}

static void update(const struct graph *graph, aclrtTaskGrp group)
{
    BENCH_MUST(aclmdlRICaptureTaskUpdateBegin(graph->stream, group));
    launch(graph);
    BENCH_MUST(aclmdlRICaptureTaskUpdateEnd(graph->stream));
}

static void updates(const struct graph *graph, size_t repeats)
{
    struct bench_samples samples = {.name = "update of a kernel of a task group", .unit = "us"};
    aclrtTaskGrp groups[GROUPS];
    aclmdlRI instance = capture_groups(graph, groups);
    for (size_t i = 0; i <= repeats; i++) {
        const double us = BENCH_BATCHES_NS(GRAPHS, GROUPS, update(graph, groups[i_]),
                                           BENCH_MUST(aclrtSynchronizeStream(graph->stream))) /
                          1e3;
        if (i > 0) /* the first one warms up */
            bench_add(&samples, us);
    }
    bench_print(&samples);
    BENCH_MUST(aclmdlRIDestroy(instance));
}

/* The only task of the instance that writes a value. */
static aclmdlRITask find_write(aclmdlRI instance)
{
    aclmdlRITask tasks[TASKS + 2]; /* more than the capture has */
    aclrtStream stream = NULL;
    aclmdlRITaskType type = ACL_MODEL_RI_TASK_DEFAULT;
    uint32_t count = 1, place = 0;
    BENCH_MUST(aclmdlRIGetStreams(instance, &stream, &count));
    count = TASKS + 2;
    BENCH_MUST(aclmdlRIGetTasksByStream(stream, tasks, &count));
    while (place < count && type != ACL_MODEL_RI_TASK_VALUE_WRITE)
        BENCH_MUST(aclmdlRITaskGetType(tasks[place++], &type));
    return tasks[place - 1];
}

static void update_instance(const struct graph *graph, size_t repeats)
{
    struct bench_samples samples = {.name = "aclmdlRIUpdate of a task in 1000", .unit = "us"};
    aclmdlRI instance = NULL;
    aclmdlRITaskParams params = {
        .type = ACL_MODEL_RI_TASK_VALUE_WRITE,
        .valueWriteTaskParams = {.devAddr = graph->memory, .value = 1},
    };
    BENCH_MUST(aclmdlRICaptureBegin(graph->stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    for (int i = 0; i < HALF; i++)
        submit(graph);
    BENCH_MUST(aclrtValueWrite(graph->memory, 0, 0, graph->stream));
    for (int i = HALF + 1; i < TASKS - 1; i++)
        submit(graph);
    BENCH_MUST(aclmdlRICaptureEnd(graph->stream, &instance));
    const aclmdlRITask task = find_write(instance);
    for (size_t i = 0; i <= repeats; i++) {
        const double us = BENCH_BATCHES_NS(1, EXECUTIONS, params.valueWriteTaskParams.value++;
                                           BENCH_MUST(aclmdlRITaskSetParams(task, &params));
                                           BENCH_MUST(aclmdlRIUpdate(instance)), (void)0) /
                          1e3;
        if (i > 0) /* the first one warms up */
            bench_add(&samples, us);
    }
    bench_print(&samples);
    BENCH_MUST(aclmdlRIDestroy(instance));
}

void bench_graph(size_t repeats)
{
    struct bench_samples captured = {.name = "capture of a task", .unit = "ns"};
    struct bench_samples submitted = {.name = "the same task, submitted", .unit = "ns"};
    struct bench_samples execution = {.name = "execute a graph of 1000 tasks", .unit = "us"};
    struct graph graph = {0};
    aclrtBinHandle binary;
    BENCH_MUST(aclrtCreateStream(&graph.stream));
    BENCH_MUST(aclrtMalloc(&graph.memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    BENCH_MUST(bench_load_kernels("empty_kernel.o", &binary));
    BENCH_MUST(aclrtBinaryGetFunction(binary, "pointers", &graph.kernel));
    memory(&graph); /* the first captures of the process */
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
    updates(&graph, repeats);
    update_instance(&graph, repeats);
    BENCH_MUST(aclmdlRIDestroy(graph.instance));
    BENCH_MUST(aclrtFree(graph.memory));
    BENCH_MUST(aclrtBinaryUnLoad(binary));
    BENCH_MUST(aclrtDestroyStream(graph.stream));
}
