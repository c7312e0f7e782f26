/* SPDX-License-Identifier: Apache-2.0 */
/* Conditional tasks of captures: arguments, graphs, their end. What runs is in condition_run.c. */
#include "condition_tests.h"

enum { ONE = 40u, MINUS_ONE = 41u }; /* words that are added */

/* What the tests share ------------------------------------------------------------------------- */

void condition_open(capture *s)
{
    static const int32_t added[] = {1, -1};
    capture_open(s);
    CHECK_OK(aclrtMemcpy(&s->words[ONE], sizeof(added), added, sizeof(added),
                         ACL_MEMCPY_HOST_TO_DEVICE));
}

aclmdlRI condition_instance(aclrtStream stream)
{
    aclmdlRI instance = NULL;
    CHECK_OK(aclmdlRICaptureGetInfo(stream, NULL, &instance));
    return instance;
}

static aclmdlRICondHandle make_handle(aclrtStream stream, uint32_t value,
                                      aclmdlRICondHandleFlag flag, uint64_t **word)
{
    aclmdlRICondHandle handle = NULL;
    CHECK_OK(aclmdlRICondHandleCreate(condition_instance(stream), value, flag, &handle));
    CHECK_OK(aclmdlRICondHandleGetCondPtr(handle, word));
    return handle;
}

aclmdlRICondHandle condition_handle(aclrtStream stream, uint64_t **word)
{
    return make_handle(stream, 9, (aclmdlRICondHandleFlag)0, word);
}

aclmdlRICondHandle condition_default(aclrtStream stream, uint32_t value, uint64_t **word)
{
    return make_handle(stream, value, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, word);
}

aclError condition_add(aclmdlRICondHandle handle, aclmdlRICondTaskType type, uint32_t size,
                       aclmdlRI *graphs, aclrtStream stream)
{
    return aclmdlRIAddCondTask((aclmdlRICondTaskParams){handle, type, size, graphs}, stream, 0);
}

void condition_begin(aclrtStream stream, aclmdlRI graph)
{
    CHECK_OK(aclmdlRICaptureToModelRIBegin(stream, graph, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
}

void condition_end(aclrtStream stream, aclmdlRI graph)
{
    aclmdlRI ended = NULL;
    CHECK_OK(aclmdlRICaptureEnd(stream, &ended));
    CHECK(ended == graph);
}

void condition_up(capture *s, unsigned place, aclrtStream stream)
{
    CHECK_OK(aclrtReduceAsync(&s->words[place], &s->words[ONE], 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                              ACL_INT32, stream, NULL));
}

void condition_down(capture *s, uint64_t *word, aclrtStream stream)
{
    CHECK_OK(aclrtReduceAsync(word, &s->words[MINUS_ONE], 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                              ACL_INT32, stream, NULL));
}

void condition_count(capture *s, aclmdlRI graph, aclrtStream stream, unsigned place)
{
    condition_begin(stream, graph);
    condition_up(s, place, stream);
    condition_end(stream, graph);
}

void condition_write(uint64_t *word, uint64_t value)
{
    CHECK_OK(aclrtMemcpy(word, sizeof(value), &value, sizeof(value), ACL_MEMCPY_HOST_TO_DEVICE));
}

void condition_run(capture *s, aclmdlRI instance, uint64_t *word, uint64_t value)
{
    CHECK_OK(aclrtMemset(s->words, ONE * 4, 0, ONE * 4));
    condition_write(word, value);
    capture_run(instance, s->first);
}

/* Arguments ------------------------------------------------------------------------------------ */

static void test_handle_arguments(void)
{
    capture s;
    condition_open(&s);
    aclmdlRICondHandle handle = NULL;
    const aclmdlRICondHandleFlag none = (aclmdlRICondHandleFlag)0;
    capture_begin(s.first);
    aclmdlRI going = condition_instance(s.first), built = NULL;
    uint64_t *word = NULL;
    CHECK_CODE(aclmdlRICondHandleCreate(NULL, 0, none, &handle), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICondHandleCreate(going, 0, none, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICondHandleCreate(going, 0, (aclmdlRICondHandleFlag)2, &handle),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRICondHandleCreate(s.first, 0, none, &handle), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclmdlRIBuildBegin(&built, 0));
    CHECK_CODE(aclmdlRICondHandleCreate(built, 0, none, &handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclmdlRIDestroy(built));
    CHECK(handle == NULL);
    CHECK_OK(aclmdlRICondHandleCreate(going, 0, none, &handle));
    CHECK_CODE(aclmdlRICondHandleGetCondPtr(NULL, &word), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICondHandleGetCondPtr(handle, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICondHandleGetCondPtr(going, &word), ACL_ERROR_RT_INVALID_HANDLE);
    aclmdlRI instance = capture_end(s.first);
    CHECK_CODE(aclmdlRICondHandleCreate(instance, 0, none, &handle), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_CODE(aclmdlRICondHandleGetCondPtr(handle, &word), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclmdlRICondHandleCreate(instance, 0, none, &handle), ACL_ERROR_RT_INVALID_HANDLE);
    capture_close(&s);
}

/* The word has eight bytes of device memory, of its own. */
static void test_word(void)
{
    capture s;
    condition_open(&s);
    capture_begin(s.first);
    uint64_t *word = NULL, *other = NULL;
    (void)condition_default(s.first, 5, &word);
    (void)condition_handle(s.first, &other);
    CHECK(word != other);
    CHECK_EQUAL((uintptr_t)word % 8, 0);
    aclmdlRI instance = capture_end(s.first);
    uint64_t value = 1;
    CHECK_OK(aclrtMemcpy(&value, 8, word, 8, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQUAL(value, 0);
    capture_run(instance, s.first);
    CHECK_OK(aclrtMemcpy(&value, 8, word, 8, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQUAL(value, 5);
    CHECK_OK(aclrtMemcpy(&value, 8, other, 8, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQUAL(value, 0);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

static void test_task_arguments(void)
{
    capture s;
    condition_open(&s);
    aclmdlRI graphs[2] = {NULL};
    uint64_t *word = NULL;
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_handle(s.first, &word);
    aclmdlRICondTaskParams params = {handle, ACL_MODEL_RI_COND_TYPE_IF, 1, graphs};
    CHECK_CODE(aclmdlRIAddCondTask(params, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRIAddCondTask(params, s.first, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIAddCondTask(params, s.second, 0), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    CHECK_CODE(aclmdlRIAddCondTask(params, s.fork, 0), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(condition_add(handle, (aclmdlRICondTaskType)3, 1, graphs, s.first),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(condition_add(handle, ACL_MODEL_RI_COND_TYPE_IF, 1, NULL, s.first),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(condition_add(NULL, ACL_MODEL_RI_COND_TYPE_IF, 1, graphs, s.first),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(condition_add(s.first, ACL_MODEL_RI_COND_TYPE_IF, 1, graphs, s.first),
               ACL_ERROR_RT_INVALID_HANDLE);
    capture_begin(s.second);
    CHECK_CODE(condition_add(handle, ACL_MODEL_RI_COND_TYPE_IF, 1, graphs, s.second),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.second)));
    CHECK(graphs[0] == NULL);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_IF, 1, graphs, s.first));
    CHECK(graphs[0] != NULL && graphs[1] == NULL);
    CHECK_CODE(condition_add(handle, ACL_MODEL_RI_COND_TYPE_IF, 1, graphs, s.first),
               ACL_ERROR_RT_PARAM_INVALID);
    condition_count(&s, graphs[0], s.second, 0);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    capture_close(&s);
}

static void test_sizes(void)
{
    static const struct {
        aclmdlRICondTaskType type;
        uint32_t size;
    } refused[] = {{ACL_MODEL_RI_COND_TYPE_IF, 0},
                   {ACL_MODEL_RI_COND_TYPE_IF, 3},
                   {ACL_MODEL_RI_COND_TYPE_WHILE, 0},
                   {ACL_MODEL_RI_COND_TYPE_WHILE, 2},
                   {ACL_MODEL_RI_COND_TYPE_SWITCH, 0}};
    capture s;
    condition_open(&s);
    aclmdlRI graphs[4] = {NULL};
    uint64_t *word = NULL;
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_handle(s.first, &word);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        CHECK_CODE(condition_add(handle, refused[i].type, refused[i].size, graphs, s.first),
                   ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_SWITCH, 1, graphs, s.first));
    condition_count(&s, graphs[0], s.second, 0);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    capture_close(&s);
}

/* Graphs --------------------------------------------------------------------------------------- */

static void test_graph_arguments(void)
{
    const aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    capture s;
    condition_open(&s);
    aclmdlRI graphs[2] = {NULL}, other = NULL;
    uint64_t *word = NULL;
    capture_begin(s.second);
    aclmdlRI plain = capture_end(s.second);
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_handle(s.first, &word);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_IF, 2, graphs, s.first));
    CHECK(graphs[0] != graphs[1]);
    CHECK_CODE(aclmdlRICaptureToModelRIBegin(NULL, graphs[0], mode), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICaptureToModelRIBegin(s.second, NULL, mode), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICaptureToModelRIBegin(s.second, graphs[0], (aclmdlRICaptureMode)3),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRICaptureToModelRIBegin(s.second, plain, mode), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRICaptureToModelRIBegin(s.second, condition_instance(s.first), mode),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRICaptureToModelRIBegin(s.second, s.second, mode),
               ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclmdlRICaptureToModelRIBegin(s.first, graphs[0], mode),
               ACL_ERROR_RT_STREAM_CAPTURED);
    condition_begin(s.second, graphs[0]);
    CHECK(condition_instance(s.second) == graphs[0]);
    CHECK_CODE(aclmdlRICaptureToModelRIBegin(s.third, graphs[0], mode),
               ACL_ERROR_RT_MODEL_CAPTURED);
    CHECK_OK(aclmdlRICaptureEnd(s.second, NULL)); /* the caller has the handle */
    CHECK_CODE(aclmdlRICaptureToModelRIBegin(s.second, graphs[0], mode),
               ACL_ERROR_RT_MODEL_CAPTURED);
    /* A graph that could not be captured stays, and fails the whole capture. */
    condition_begin(s.second, graphs[1]);
    capture_order(s.second, s.fork, s.third);
    other = graphs[1];
    CHECK_CODE(aclmdlRICaptureEnd(s.second, &other), ACL_ERROR_RT_STREAM_UNJOINED);
    CHECK(other == graphs[1]);
    CHECK_CODE(aclmdlRICaptureToModelRIBegin(s.second, graphs[1], mode),
               ACL_ERROR_RT_MODEL_CAPTURED);
    CHECK_CODE(aclmdlRICaptureEnd(s.first, &other), ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING);
    CHECK(other == NULL);
    CHECK_OK(aclmdlRIDestroy(plain));
    capture_close(&s);
}

/* The end of a capture of which a graph is in capture, or never was: all of it is dropped. */
static void test_end_with_graph(void)
{
    capture s;
    condition_open(&s);
    aclmdlRI graph = NULL, instance = NULL;
    uint64_t *word = NULL;
    for (int begun = 0; begun < 2; begun++) {
        capture_begin(s.first);
        aclmdlRICondHandle handle = condition_handle(s.first, &word);
        CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &graph, s.first));
        if (begun)
            condition_begin(s.second, graph);
        CHECK_CODE(aclmdlRICaptureEnd(s.first, &instance), ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING);
        CHECK(instance == NULL);
        CHECK_EQUAL(capture_status(s.first), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
        CHECK_EQUAL(capture_status(s.second), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
        CHECK_CODE(aclmdlRICondHandleGetCondPtr(handle, &word), ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclmdlRICaptureToModelRIBegin(s.third, graph, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
                   ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclmdlRICaptureEnd(s.second, &instance), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    }
    capture_begin(s.second);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.second)));
    capture_begin(s.first);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    capture_close(&s);
}

static void farewell(void *unused)
{
    (void)unused;
}

/* Graphs run and end with the instance that has them. */
static void test_graph_refused(void)
{
    capture s;
    condition_open(&s);
    aclmdlRI graph = NULL;
    uint64_t *word = NULL;
    uint32_t count = 0, id = 0, graph_id = 0;
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_handle(s.first, &word);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_IF, 1, &graph, s.first));
    CHECK_CODE(aclmdlRIExecuteAsync(graph, s.third), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclmdlRIDestroy(graph), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    condition_count(&s, graph, s.second, 0);
    aclmdlRI instance = capture_end(s.first);
    CHECK_CODE(aclmdlRIExecuteAsync(graph, s.third), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclmdlRIDestroy(graph), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclmdlRIAbort(graph), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclmdlRIGetStreams(graph, NULL, &count), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclmdlRIDestroyRegisterCallback(graph, farewell, NULL),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclmdlRIDestroyUnregisterCallback(graph, farewell),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclmdlRIGetId(instance, &id));
    CHECK_OK(aclmdlRIGetId(graph, &graph_id));
    CHECK(id != graph_id);
    condition_run(&s, instance, word, 1);
    CHECK_EQUAL(capture_fetch(&s)[0], 1);
    CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_CODE(aclmdlRIGetId(graph, &graph_id), ACL_ERROR_RT_INVALID_HANDLE);
    capture_close(&s);
}

/* The capture of a graph is another one than that of its instance. */
static void test_graph_conflict(void)
{
    capture s;
    condition_open(&s);
    aclmdlRI graph = NULL, instance = NULL;
    uint64_t *word = NULL;
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_handle(s.first, &word);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_IF, 1, &graph, s.first));
    CHECK_OK(aclrtRecordEvent(s.fork, s.first));
    condition_begin(s.second, graph);
    CHECK_CODE(aclrtStreamWaitEvent(s.second, s.fork), ACL_ERROR_STREAM_CAPTURE_CONFLICT);
    CHECK_CODE(aclmdlRICaptureEnd(s.second, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    CHECK_CODE(aclmdlRICondHandleCreate(condition_instance(s.first), 0, (aclmdlRICondHandleFlag)0,
                                        &handle),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRICaptureEnd(s.first, &instance), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    capture_close(&s);
}

/* A context that ends takes captures of graphs along, and instances that have graphs. */
static void test_context_ends(void)
{
    capture s;
    condition_open(&s);
    aclrtContext own = NULL, other = NULL;
    CHECK_OK(aclrtGetCurrentContext(&own));
    for (int complete = 0; complete < 2; complete++) {
        aclmdlRI graphs[2] = {NULL};
        uint64_t *word = NULL;
        CHECK_OK(aclrtCreateContext(&other, 0));
        aclrtStream first = twin_stream(), second = twin_stream();
        capture_begin(first);
        aclmdlRICondHandle handle = condition_handle(first, &word);
        CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_IF, 2, graphs, first));
        condition_count(&s, graphs[0], second, 0);
        condition_begin(second, graphs[1]);
        if (complete) {
            condition_end(second, graphs[1]);
            capture_run(capture_end(first), first);
        }
        CHECK_OK(aclrtDestroyContext(other));
        CHECK_OK(aclrtSetCurrentContext(own));
        CHECK_CODE(aclmdlRIExecuteAsync(graphs[0], NULL), ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclmdlRICondHandleGetCondPtr(handle, &word), ACL_ERROR_RT_INVALID_HANDLE);
    }
    capture_close(&s);
}

/* Drivers without software queues -------------------------------------------------------------- */

static void refused(aclError code)
{
    CHECK_CODE(code, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK(capture_explains((const char *const[]){
        "need software queues, which the driver or firmware of device 0, ", NULL}));
}

/* The types of tasks are known there, but tasks do not change. */
static void check_older_tasks(aclmdlRI instance)
{
    aclrtStream stream = NULL;
    aclmdlRITask task = NULL;
    aclmdlRITaskParams params = {.type = ACL_MODEL_RI_TASK_VALUE_WRITE};
    aclmdlRITaskType type = ACL_MODEL_RI_TASK_DEFAULT;
    uint32_t count = 1;
    CHECK_OK(aclmdlRIGetStreams(instance, &stream, &count));
    CHECK_OK(aclmdlRIGetTasksByStream(stream, &task, &count));
    CHECK_OK(aclmdlRITaskGetType(task, &type));
    CHECK_EQUAL(type, ACL_MODEL_RI_TASK_VALUE_WRITE);
    refused(aclmdlRITaskGetParams(task, &params));
    refused(aclmdlRITaskSetParams(task, &params));
    refused(aclmdlRITaskDisable(task));
    refused(aclmdlRIUpdate(instance));
}

static void child_older_driver(void)
{
    capture s;
    aclmdlRICondHandle handle = NULL;
    CHECK_OK(aclInit(NULL));
    capture_open(&s);
    capture_begin(s.first);
    refused(aclmdlRICondHandleCreate(condition_instance(s.first), 0, (aclmdlRICondHandleFlag)0,
                                     &handle));
    CHECK(handle == NULL);
    refused(aclrtRecordEventWithFlag(s.fork, s.first, ACL_EVENT_RECORD_EXTERNAL));
    refused(aclrtStreamWaitEventWithFlag(s.first, s.fork, 0, ACL_EVENT_WAIT_EXTERNAL));
    CHECK_OK(aclrtValueWrite(s.words, 5, 0, s.first)); /* the rest works */
    aclmdlRI instance = capture_end(s.first);
    check_older_tasks(instance);
    capture_run(instance, s.first);
    CHECK_EQUAL(capture_fetch(&s)[0], 5);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
    CHECK_OK(aclFinalize());
}

static void test_older_driver(void)
{
    twin_run_child("older_driver", (const char *const[]){"TWINRT_SOFTWARE_QUEUES=off", NULL});
}

static const twin_child children[] = {
    {"older_driver", child_older_driver},
};

static const twin_test tests[] = {
    {"GRF-86: a condition handle is made in a capture", test_handle_arguments},
    {"GRF-87: the word of a condition", test_word},
    {"GRF-87: the default value, or what the word has", test_default},
    {"GRF-88: a conditional task checks its arguments", test_task_arguments},
    {"GRF-89: how many graphs a conditional task has", test_sizes},
    {"GRF-90: IF runs its graph or nothing", test_if},
    {"GRF-90: IF runs one of two graphs", test_if_else},
    {"GRF-90: WHILE repeats its graph", test_while},
    {"GRF-90: SWITCH runs the graph that the word names", test_switch},
    {"GRF-90: tasks of the run write the word", test_inside},
    {"GRF-90: a graph of several streams repeats", test_lanes},
    {"GRF-90: a conditional task of a stream that joined", test_joined_lane},
    {"GRF-90: conditional tasks in graphs", test_nested},
    {"GRF-87: the default value in graphs", test_nested_default},
    {"GRF-90: more tasks than a stream holds", test_long},
    {"GRF-90: a graph without tasks", test_empty},
    {"GRF-90: a run after one that was aborted in a graph", test_aborted},
    {"GRF-38, GRF-90: a host function runs in each iteration", test_host_function},
    {"GRF-68: a driver without software queues", test_older_driver},
    {"GRF-91: capturing a graph", test_graph_arguments},
    {"GRF-15, GRF-16: the end needs all graphs", test_end_with_graph},
    {"GRF-45, GRF-48: a graph runs and ends with its instance", test_graph_refused},
    {"GRF-22: the captures of a graph and of its instance", test_graph_conflict},
    {"a context that ends takes graphs along", test_context_ends},
};

int main(int argc, char **argv)
{
    const twin_suite suite = {
        .name = "condition",
        .tests = tests,
        .test_count = TWIN_COUNT(tests),
        .children = children,
        .child_count = TWIN_COUNT(children),
    };
    return twin_suite_main(&suite, argc, argv);
}
