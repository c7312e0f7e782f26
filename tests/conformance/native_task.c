/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of captured model instances as programs see and change them. */
#include "native_tests.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = NATIVE_TILE, BYTES = WORDS * 4, PLACES = 4 };

/* The instance does at[3] = at[3] + at[1] and then at[0] = at[0] + at[1]; the first kernel is a
 * task group if that is wanted. */
typedef struct graph {
    native n;
    float *at[PLACES]; /* device; each word of place i is i at first */
    aclmdlRI instance;
    aclrtTaskGrp group;
    aclmdlRITask tasks[2];
} graph;

static struct native_add add_args(const graph *g, int to, int x, int y)
{
    return (struct native_add){native_address(g->at[x]), native_address(g->at[y]),
                               native_address(g->at[to]), WORDS, 0};
}

static void add(const graph *g, int to, int x, int y, aclrtStream stream)
{
    const struct native_add args = add_args(g, to, x, y);
    CHECK_OK(native_launch_on(&g->n, "add", 1, &args, sizeof(args), stream));
}

/* The tasks of the only stream of an instance. */
static void list_tasks(aclmdlRI instance, aclmdlRITask *tasks, uint32_t count)
{
    aclrtStream stream = NULL;
    uint32_t found = 1;
    CHECK_OK(aclmdlRIGetStreams(instance, &stream, &found));
    found = count;
    CHECK_OK(aclmdlRIGetTasksByStream(stream, tasks, &found));
    CHECK_EQUAL(found, count);
}

static void open_graph(graph *g, bool grouped)
{
    static float words[WORDS];
    native_begin(&g->n);
    for (int i = 0; i < PLACES; i++) {
        g->at[i] = native_memory(BYTES);
        for (int k = 0; k < WORDS; k++)
            words[k] = (float)i;
        native_write(g->at[i], words, BYTES);
    }
    g->group = NULL;
    CHECK_OK(aclmdlRICaptureBegin(g->n.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    if (grouped)
        CHECK_OK(aclmdlRICaptureTaskGrpBegin(g->n.stream));
    add(g, 3, 3, 1, g->n.stream);
    if (grouped)
        CHECK_OK(aclmdlRICaptureTaskGrpEnd(g->n.stream, &g->group));
    add(g, 0, 0, 1, g->n.stream);
    CHECK_OK(aclmdlRICaptureEnd(g->n.stream, &g->instance));
    list_tasks(g->instance, g->tasks, 2);
}

static void close_graph(graph *g)
{
    CHECK_OK(aclmdlRIDestroy(g->instance));
    for (int i = 0; i < PLACES; i++)
        native_free(g->at[i]);
    native_end(&g->n);
}

static float first(const graph *g, int place)
{
    float words[WORDS];
    native_read(words, g->at[place], BYTES);
    return words[0];
}

static void run(const graph *g)
{
    CHECK_OK(aclmdlRIExecuteAsync(g->instance, g->n.stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(g->n.stream, SOON_MS));
}

void test_task_kernel(void)
{
    graph g;
    aclmdlRITaskParams params;
    aclrtLaunchKernelAttrValue value;
    open_graph(&g, true);
    const struct native_add args = add_args(&g, 3, 3, 1);
    CHECK_OK(aclmdlRITaskGetParams(g.tasks[0], &params));
    CHECK_EQUAL(params.type, ACL_MODEL_RI_TASK_KERNEL);
    CHECK(params.taskGrp == g.group && g.group != NULL);
    CHECK(params.kernelTaskParams.funcHandle == native_find(g.n.binary, "add"));
    CHECK(params.kernelTaskParams.cfg == NULL);
    CHECK_EQUAL(params.kernelTaskParams.argsSize, sizeof(args));
    CHECK_EQUAL(params.kernelTaskParams.numBlocks, 1);
    CHECK_EQUAL(params.kernelTaskParams.isHostArgs, 1);
    CHECK(memcmp(params.kernelTaskParams.args, &args, sizeof(args)) == 0);
    CHECK_OK(aclmdlRITaskGetParams(g.tasks[1], &params));
    CHECK(params.taskGrp == NULL);
    CHECK_OK(
        aclmdlRIKernelTaskGetAttribute(g.tasks[1], ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, &value));
    CHECK_EQUAL(value.schemMode, 0);
    CHECK_OK(
        aclmdlRIKernelTaskGetAttribute(g.tasks[1], ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, &value));
    CHECK_EQUAL(value.isDataDump, 0);
    CHECK_CODE(aclmdlRIKernelTaskGetAttribute(
                   g.tasks[1], ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH, &value),
               ACL_ERROR_RT_PARAM_INVALID);
    close_graph(&g);
}

static void set_add(const graph *g, aclmdlRITask task, int to, int x, int y,
                    const aclrtLaunchKernelCfg *cfg)
{
    struct native_add args = add_args(g, to, x, y);
    aclmdlRITaskParams params;
    union {
        const aclrtLaunchKernelCfg *given;
        aclrtLaunchKernelCfg *wanted;
    } config = {.given = cfg};
    CHECK_OK(aclmdlRITaskGetParams(task, &params));
    params.taskGrp = NULL;
    params.kernelTaskParams.args = &args;
    params.kernelTaskParams.isHostArgs = 1;
    params.kernelTaskParams.cfg = config.wanted;
    CHECK_OK(aclmdlRITaskSetParams(task, &params));
    memset(&args, 0xff, sizeof(args)); /* they were copied */
}

/* A task that an update has left out. */
static void check_gone(aclmdlRITask task)
{
    aclmdlRITaskParams params;
    aclmdlRITaskType type;
    aclrtLaunchKernelAttrValue value;
    uint32_t id = 0;
    CHECK_CODE(aclmdlRITaskGetType(task, &type), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclmdlRITaskGetSeqId(task, &id), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclmdlRITaskGetParams(task, &params), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclmdlRIKernelTaskGetAttribute(task, ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, &value),
               ACL_ERROR_RT_INVALID_HANDLE);
}

void test_task_set_kernel(void)
{
    graph g;
    aclrtLaunchKernelAttr attrs[] = {{.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT},
                                     {.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE},
                                     {.id = ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP}};
    const aclrtLaunchKernelCfg cfg = {attrs, 3};
    aclrtLaunchKernelAttrValue value;
    attrs[0].value.timeout = 3;
    attrs[1].value.schemMode = 1;
    attrs[2].value.isDataDump = 1;
    open_graph(&g, false);
    run(&g);
    CHECK_EQUAL(first(&g, 3), 4);
    set_add(&g, g.tasks[0], 2, 2, 1, &cfg);
    CHECK_CODE(aclmdlRIExecuteAsync(g.instance, g.n.stream), ACL_ERROR_RT_MODEL_EXECUTE);
    CHECK_OK(aclmdlRIUpdate(g.instance));
    for (int i = 1; i <= 2; i++) {
        run(&g);
        CHECK_EQUAL(first(&g, 3), 4);
        CHECK_EQUAL(first(&g, 2), 2 + i);
        CHECK_EQUAL(first(&g, 0), 1 + i);
    }
    CHECK_OK(
        aclmdlRIKernelTaskGetAttribute(g.tasks[0], ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, &value));
    CHECK_EQUAL(value.schemMode, 1);
    CHECK_OK(aclmdlRIKernelTaskGetAttribute(g.tasks[0], ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, &value));
    CHECK(value.timeout >= 3 && value.timeout <= 4); /* in units of the device */
    CHECK_OK(aclmdlRITaskDisable(g.tasks[0]));
    CHECK_OK(aclmdlRIUpdate(g.instance));
    check_gone(g.tasks[0]);
    run(&g);
    CHECK_EQUAL(first(&g, 2), 4);
    CHECK_EQUAL(first(&g, 0), 4);
    close_graph(&g);
}

void test_task_set_kernel_refused(void)
{
    for (int i = 0; i < 4; i++) {
        graph g;
        aclmdlRITaskParams params;
        open_graph(&g, false);
        CHECK_OK(aclmdlRITaskGetParams(g.tasks[0], &params));
        aclmdlRIKernelTaskParams *kernel = &params.kernelTaskParams;
        if (i == 0)
            kernel->args = NULL;
        else if (i == 1)
            kernel->argsSize = 0;
        else if (i == 2)
            kernel->numBlocks = 0;
        else
            kernel->funcHandle = NULL;
        CHECK_CODE(aclmdlRITaskSetParams(g.tasks[0], &params), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclmdlRIUpdate(g.instance), ACL_ERROR_RT_MODEL_UPDATE_FAILED);
        CHECK_CODE(aclmdlRIExecuteAsync(g.instance, g.n.stream), ACL_ERROR_RT_MODEL_EXECUTE);
        close_graph(&g);
    }
}

/* The message says why, and not that the instance is faulty now. */
void test_task_set_other_cores(void)
{
    graph g;
    aclmdlRITaskParams params;
    open_graph(&g, true);
    CHECK_OK(aclmdlRITaskGetParams(g.tasks[0], &params));
    params.taskGrp = NULL;
    params.kernelTaskParams.funcHandle = native_find(g.n.binary, "product");
    (void)aclGetRecentErrMsg(); /* those of earlier tests */
    CHECK_CODE(aclmdlRITaskSetParams(g.tasks[0], &params), ACL_ERROR_RT_PARAM_INVALID);
    const char *message = aclGetRecentErrMsg();
    CHECK(message && strstr(message, "other cores") && !strstr(message, "faulty"));
    CHECK_CODE(aclmdlRIUpdate(g.instance), ACL_ERROR_RT_MODEL_UPDATE_FAILED);
    close_graph(&g);
}

/* What an update of its group has made of a kernel stays when the stream's tasks are made anew, and
 * the group is where it was. */
void test_task_set_and_group(void)
{
    graph g;
    twin_hold hold;
    open_graph(&g, true);
    aclrtStream updater = twin_stream();
    twin_hold_begin(&hold, updater);
    CHECK_OK(aclmdlRICaptureTaskUpdateBegin(updater, g.group));
    add(&g, 2, 2, 1, updater);
    set_add(&g, g.tasks[1], 1, 1, 1, NULL);
    CHECK_CODE(aclmdlRIUpdate(g.instance), ACL_ERROR_RT_MODEL_UPDATE_FAILED);
    CHECK_OK(aclmdlRICaptureTaskUpdateEnd(updater));
    CHECK_OK(aclmdlRIUpdate(g.instance)); /* the group's update has not begun */
    run(&g);
    CHECK_EQUAL(first(&g, 2), 3);
    CHECK_EQUAL(first(&g, 3), 3);
    CHECK_EQUAL(first(&g, 1), 2);
    CHECK_EQUAL(first(&g, 0), 0);
    set_add(&g, g.tasks[0], 0, 0, 1, NULL);
    CHECK_OK(aclmdlRIUpdate(g.instance));
    twin_hold_end(&hold, g.n.stream); /* the group's update changes nothing any more */
    run(&g);
    CHECK_EQUAL(first(&g, 2), 3);
    CHECK_EQUAL(first(&g, 0), 2);
    CHECK_EQUAL(first(&g, 1), 4);
    CHECK_OK(aclmdlRICaptureTaskUpdateBegin(updater, g.group));
    add(&g, 3, 3, 1, updater);
    CHECK_OK(aclmdlRICaptureTaskUpdateEnd(updater));
    CHECK_OK(aclrtSynchronizeStream(updater));
    run(&g);
    CHECK_EQUAL(first(&g, 2), 3);
    CHECK_EQUAL(first(&g, 3), 7);
    CHECK_EQUAL(first(&g, 1), 8);
    CHECK_OK(aclrtDestroyStream(updater));
    close_graph(&g);
}

/* An update of a group does not make a faulty instance whole. */
void test_task_faulty_and_group(void)
{
    graph g;
    aclmdlRITaskParams params;
    open_graph(&g, true);
    aclrtStream updater = twin_stream();
    CHECK_OK(aclmdlRITaskGetParams(g.tasks[1], &params));
    params.kernelTaskParams.numBlocks = 0;
    CHECK_CODE(aclmdlRITaskSetParams(g.tasks[1], &params), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRICaptureTaskUpdateBegin(updater, g.group));
    add(&g, 2, 2, 1, updater);
    CHECK_OK(aclmdlRICaptureTaskUpdateEnd(updater));
    CHECK_OK(aclrtSynchronizeStream(updater));
    CHECK_CODE(aclmdlRIExecuteAsync(g.instance, g.n.stream), ACL_ERROR_RT_MODEL_EXECUTE);
    CHECK_OK(aclrtDestroyStream(updater));
    close_graph(&g);
}

/* A change that was noted before an update of a group is not brought about by that. */
void test_task_noted_before_group(void)
{
    graph g;
    open_graph(&g, true);
    aclrtStream updater = twin_stream();
    set_add(&g, g.tasks[1], 1, 1, 1, NULL);
    CHECK_OK(aclmdlRICaptureTaskUpdateBegin(updater, g.group));
    add(&g, 2, 2, 1, updater);
    CHECK_OK(aclmdlRICaptureTaskUpdateEnd(updater));
    CHECK_CODE(aclmdlRIExecuteAsync(g.instance, g.n.stream), ACL_ERROR_RT_MODEL_EXECUTE);
    CHECK_OK(aclrtSynchronizeStream(updater));
    CHECK_OK(aclmdlRIUpdate(g.instance));
    run(&g);
    CHECK_EQUAL(first(&g, 0), 0);
    CHECK_EQUAL(first(&g, 1), 2);
    CHECK_EQUAL(first(&g, 2), 3);
    CHECK_EQUAL(first(&g, 3), 3);
    CHECK_OK(aclrtDestroyStream(updater));
    close_graph(&g);
}

/* A task before those of a group is left out, and the group is updated where it is then. */
void test_group_moves(void)
{
    graph g;
    aclmdlRI instance = NULL;
    aclrtTaskGrp group = NULL;
    aclmdlRITask tasks[3];
    open_graph(&g, false);
    aclrtStream updater = twin_stream();
    CHECK_OK(aclmdlRICaptureBegin(g.n.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    add(&g, 0, 0, 1, g.n.stream);
    CHECK_OK(aclmdlRICaptureTaskGrpBegin(g.n.stream));
    add(&g, 2, 2, 1, g.n.stream);
    CHECK_OK(aclmdlRICaptureTaskGrpEnd(g.n.stream, &group));
    add(&g, 1, 1, 1, g.n.stream);
    CHECK_OK(aclmdlRICaptureEnd(g.n.stream, &instance));
    list_tasks(instance, tasks, 3);
    CHECK_OK(aclmdlRITaskDisable(tasks[0]));
    CHECK_OK(aclmdlRIUpdate(instance));
    CHECK_OK(aclmdlRICaptureTaskUpdateBegin(updater, group));
    add(&g, 3, 3, 1, updater);
    CHECK_OK(aclmdlRICaptureTaskUpdateEnd(updater));
    CHECK_OK(aclrtSynchronizeStream(updater));
    CHECK_OK(aclmdlRIExecuteAsync(instance, g.n.stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(g.n.stream, SOON_MS));
    CHECK_EQUAL(first(&g, 0), 0);
    CHECK_EQUAL(first(&g, 2), 2);
    CHECK_EQUAL(first(&g, 3), 4);
    CHECK_EQUAL(first(&g, 1), 2);
    CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_OK(aclrtDestroyStream(updater));
    close_graph(&g);
}

/* A kernel keeps its placeholders when another task of its stream is left out. */
void test_task_placeholders(void)
{
    struct {
        struct native_echo echo;
        uint32_t more[4];
    } args = {.more = {1, 2, 0x600d, 4}};
    native n;
    aclmdlRI instance = NULL;
    aclmdlRITask tasks[2];
    uint32_t seen[4];
    native_begin(&n);
    void *memory = native_memory(64);
    aclrtPlaceHolderInfo holder = {.addrOffset = (uint32_t)offsetof(struct native_echo, pointer),
                                   .dataOffset = (uint32_t)sizeof(struct native_echo) + 8};
    args.echo = (struct native_echo){native_address(memory), 5, 0x1234, 0x56, 0};
    CHECK_OK(aclmdlRICaptureBegin(n.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK_OK(aclrtValueWrite((char *)memory + 32, 1, 0, n.stream));
    CHECK_OK(aclrtLaunchKernelWithHostArgs(native_find(n.binary, "echo"), 1, n.stream, NULL, &args,
                                           sizeof(args), &holder, 1));
    memset(&args, 0, sizeof(args));
    CHECK_OK(aclmdlRICaptureEnd(n.stream, &instance));
    list_tasks(instance, tasks, 2);
    CHECK_OK(aclmdlRITaskDisable(tasks[0]));
    CHECK_OK(aclmdlRIUpdate(instance));
    CHECK_OK(aclmdlRIExecuteAsync(instance, n.stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(n.stream, SOON_MS));
    native_read(seen, memory, sizeof(seen));
    CHECK_EQUAL(seen[0], 5);
    CHECK_EQUAL(seen[3], 0x600d);
    CHECK_OK(aclmdlRIDestroy(instance));
    native_free(memory);
    native_end(&n);
}

/* Whether the file that is printed has the text. */
static bool prints(const graph *g, uint32_t flags, const char *text)
{
    char path[] = "/tmp/twinrt-graph.XXXXXX", content[4096];
    const int descriptor = mkstemp(path);
    CHECK(descriptor >= 0);
    CHECK_OK(aclmdlRIDebugJsonPrint(g->instance, path, flags));
    const ssize_t bytes = read(descriptor, content, sizeof(content) - 1);
    content[bytes > 0 ? bytes : 0] = '\0';
    (void)close(descriptor);
    (void)unlink(path);
    return strstr(content, text) != NULL;
}

void test_print_kernels(void)
{
    graph g;
    char args[64], first_word[64];
    open_graph(&g, false);
    snprintf(args, sizeof(args), "\"Kernel Args Size\":%zu", sizeof(struct native_add));
    snprintf(first_word, sizeof(first_word), "\"Kernel Args\":\"0x%016llx ",
             (unsigned long long)native_address(g.at[3]));
    CHECK(prints(&g, ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY, "\"name\":\"add\""));
    CHECK(!prints(&g, ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY, "Kernel Args"));
    CHECK(prints(&g, ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE, args));
    CHECK(prints(&g, ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE, first_word));
    close_graph(&g);
}
