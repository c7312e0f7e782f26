/* SPDX-License-Identifier: Apache-2.0 */
/* One use of each way to make and change a captured model instance, for the sweeps. */
#include <string.h>

#include "acl/acl.h"
#include "memory_scenario.h"

#define WORDS 8u
#define ROOM  16u

static const memory_sweep *sweep;

#define WENT(call) sweep->went((call), #call)
/* A release that fails is made again. */
#define RELEASE(call)                                                                              \
    do {                                                                                           \
        if (!WENT(call) && (call) != ACL_SUCCESS)                                                  \
            sweep->wrong(#call " fails twice");                                                    \
    } while (0)

typedef struct graph {
    aclrtStream streams[3];
    aclrtEvent events[4]; /* fork, join; waited for and recorded outside */
    aclrtNotify notify;
    uint64_t *words;
    aclmdlRI instance;
} graph;

static void called(void *argument)
{
    (void)argument;
}

static bool make(graph *g)
{
    bool good = WENT(aclrtMalloc((void **)&g->words, WORDS * sizeof(*g->words),
                                 ACL_MEM_MALLOC_HUGE_FIRST)) &&
                WENT(aclrtMemset(g->words, WORDS * sizeof(*g->words), 0, sizeof(*g->words))) &&
                WENT(aclrtCreateNotify(&g->notify, 0));
    for (int i = 0; i < 3 && good; i++)
        good = WENT(aclrtCreateStream(&g->streams[i]));
    for (int i = 0; i < 4 && good; i++)
        good = WENT(aclrtCreateEventExWithFlag(&g->events[i], ACL_EVENT_SYNC));
    return good;
}

/* A conditional task that runs its graph, which sets words[1]. */
static bool add_condition(const graph *g)
{
    aclmdlRI going = NULL;
    aclmdlRI inner = NULL;
    aclmdlRICondHandle handle = NULL;
    const bool made =
        WENT(aclmdlRICaptureGetInfo(g->streams[0], NULL, &going)) &&
        WENT(aclmdlRICondHandleCreate(going, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &handle));
    const aclmdlRICondTaskParams params = {handle, ACL_MODEL_RI_COND_TYPE_IF, 1, &inner};
    return made && WENT(aclmdlRIAddCondTask(params, g->streams[0], 0)) &&
           WENT(aclmdlRICaptureToModelRIBegin(g->streams[2], inner,
                                              ACL_MODEL_RI_CAPTURE_MODE_RELAXED)) &&
           WENT(aclrtValueWrite(&g->words[1], 3, 0, g->streams[2])) &&
           WENT(aclmdlRICaptureEnd(g->streams[2], NULL));
}

static bool add_tasks(const graph *g)
{
    aclrtTaskGrp group = NULL;
    return WENT(aclrtStreamWaitEventWithFlag(g->streams[0], g->events[2], 0,
                                             ACL_EVENT_WAIT_EXTERNAL)) &&
           WENT(aclmdlRICaptureTaskGrpBegin(g->streams[0])) &&
           WENT(aclmdlRICaptureTaskGrpEnd(g->streams[0], &group)) &&
           WENT(aclrtValueWrite(&g->words[0], 1, 0, g->streams[0])) &&
           WENT(aclrtRecordEvent(g->events[0], g->streams[0])) &&
           WENT(aclrtStreamWaitEvent(g->streams[1], g->events[0])) &&
           WENT(aclrtMemsetAsync(&g->words[2], 8, 5, 8, g->streams[1])) &&
           WENT(aclrtRecordEvent(g->events[1], g->streams[1])) &&
           WENT(aclrtStreamWaitEvent(g->streams[0], g->events[1])) &&
           WENT(aclrtRecordNotify(g->notify, g->streams[0])) &&
           WENT(aclrtWaitAndResetNotify(g->notify, g->streams[0], 0)) &&
           WENT(aclrtMemcpyAsync(&g->words[3], 8, &g->words[2], 8, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                 g->streams[0])) &&
           WENT(aclrtLaunchHostFunc(g->streams[0], called, NULL)) && add_condition(g) &&
           WENT(aclrtRecordEventWithFlag(g->events[3], g->streams[0], ACL_EVENT_RECORD_EXTERNAL));
}

static bool capture(graph *g)
{
    if (!WENT(aclmdlRICaptureBegin(g->streams[0], ACL_MODEL_RI_CAPTURE_MODE_RELAXED)))
        return false;
    const bool good = add_tasks(g);
    if (good)
        return WENT(aclmdlRICaptureEnd(g->streams[0], &g->instance));
    sweep->releases();
    (void)aclmdlRICaptureEnd(g->streams[0], &g->instance); /* may say what has failed */
    return false;
}

/* Lets the task write 2 to words[0]. */
static bool change(const graph *g, aclmdlRITask task)
{
    aclmdlRITaskParams params;
    memset(&params, 0, sizeof(params));
    params.type = ACL_MODEL_RI_TASK_VALUE_WRITE;
    params.valueWriteTaskParams.devAddr = g->words;
    params.valueWriteTaskParams.value = 2;
    return WENT(aclmdlRITaskSetParams(task, &params));
}

static bool update(const graph *g)
{
    aclrtStream streams[ROOM];
    uint32_t count = ROOM;
    bool good = WENT(aclmdlRIGetStreams(g->instance, streams, &count));
    for (uint32_t i = 0; i < count && good; i++) {
        aclmdlRITask tasks[ROOM];
        uint32_t number = ROOM;
        good = WENT(aclmdlRIGetTasksByStream(streams[i], tasks, &number));
        for (uint32_t k = 0; k < number && good; k++) {
            aclmdlRITaskType type = ACL_MODEL_RI_TASK_DEFAULT;
            good = WENT(aclmdlRITaskGetType(tasks[k], &type)) &&
                   (type != ACL_MODEL_RI_TASK_VALUE_WRITE || change(g, tasks[k]));
        }
    }
    return good && WENT(aclmdlRIUpdate(g->instance)) &&
           WENT(aclmdlRIDebugJsonPrint(g->instance, "/dev/null", 1));
}

static bool run(const graph *g, uint64_t first)
{
    uint64_t words[WORDS] = {0};
    const bool good =
        WENT(aclrtRecordEvent(g->events[2], g->streams[1])) &&
        WENT(aclmdlRIExecuteAsync(g->instance, g->streams[0])) &&
        WENT(aclrtSynchronizeStream(g->streams[0])) &&
        WENT(aclrtMemcpy(words, sizeof(words), g->words, sizeof(words), ACL_MEMCPY_DEVICE_TO_HOST));
    if (good && (words[0] != first || words[1] != 3 || words[3] != UINT64_C(0x0505050505050505)))
        sweep->wrong("a run of a model instance has other results");
    return good;
}

void graph_scenario(const memory_sweep *wanted)
{
    graph g = {.words = NULL};
    sweep = wanted;
    if (!make(&g) || !capture(&g) || !run(&g, 1) || !update(&g) || !run(&g, 2))
        sweep->releases();
    if (g.streams[0])
        RELEASE(aclrtSynchronizeStream(g.streams[0]));
    if (g.instance)
        RELEASE(aclmdlRIDestroy(g.instance));
    for (int i = 0; i < 3; i++)
        if (g.streams[i])
            RELEASE(aclrtDestroyStream(g.streams[i]));
    for (int i = 0; i < 4; i++)
        if (g.events[i])
            RELEASE(aclrtDestroyEvent(g.events[i]));
    if (g.notify)
        RELEASE(aclrtDestroyNotify(g.notify));
    if (g.words)
        RELEASE(aclrtFree(g.words));
}
