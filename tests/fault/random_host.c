/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls that let the host run something, wait for values in memory, and build and run model
 * instances. */
#include <pthread.h>
#include <stdatomic.h>

#include "random_arguments.h"

/* Host functions ------------------------------------------------------------------------------- */

static _Atomic uint64_t launched, ran;
/* The threads that may be subscribed; 0 where none has looked yet. */
static _Atomic uint64_t threads[RANDOM_THREADS_MOST];

static void on_host(void *data)
{
    /* Counted before its launch returned at the earliest, so the launch is counted first. */
    if (data != &ran)
        random_failure("a host function gets %p for its argument", data);
    if (atomic_fetch_add_explicit(&ran, 1, memory_order_relaxed) >=
        atomic_load_explicit(&launched, memory_order_relaxed))
        random_failure("host functions run more often than they were launched");
}

static uint64_t any_thread(random_worker *worker)
{
    uint64_t self = (uint64_t)pthread_self();
    atomic_store_explicit(&threads[worker->index], self, memory_order_relaxed);
    if (chance(worker, 80))
        return self;
    return chance(worker, 80) ? atomic_load_explicit(&threads[below(worker, RANDOM_THREADS_MOST)],
                                                     memory_order_relaxed)
                              : any_number(worker);
}

static aclError call_subscribe(random_worker *worker)
{
    if (chance(worker, 70))
        return aclrtSubscribeReport(any_thread(worker), any_stream(worker));
    return aclrtUnSubscribeReport(any_thread(worker), any_stream(worker));
}

static aclError call_process_report(random_worker *worker)
{
    return aclrtProcessReport(chance(worker, 90) ? 1 + (int32_t)below(worker, 3)
                                                 : -2 + 2 * (int32_t)below(worker, 2));
}

static aclError call_launch(random_worker *worker)
{
    /* Aimed at: a launch that is refused counts as well, for it may only allow too much. */
    atomic_fetch_add_explicit(&launched, 1, memory_order_relaxed);
    void (*function)(void *) = chance(worker, 97) ? on_host : NULL;
    aclrtCallbackBlockType block =
        (aclrtCallbackBlockType)(chance(worker, 95) ? below(worker, 2) : any_number(worker));
    if (chance(worker, 50))
        return aclrtLaunchCallback(function, &ran, block, any_stream(worker));
    return aclrtLaunchHostFunc(any_stream(worker), function, &ran);
}

/* Values --------------------------------------------------------------------------------------- */

static void *any_word(random_worker *worker)
{
    random_entry memory = random_pool_any(&worker->random, RANDOM_MEMORY, 0);
    /* Few words, so that writers and waiters meet. */
    return (unsigned char *)POINTER(memory) + (memory.handle ? 8 * (uintptr_t)below(worker, 2) : 0);
}

static aclError call_value(random_worker *worker)
{
    uint64_t value = chance(worker, 80) ? below(worker, 3) : random_next(&worker->random);
    void *word = any_word(worker);
    if (chance(worker, 70))
        return aclrtValueWrite(word, value, chance(worker, 95) ? 0 : any_number(worker),
                               any_stream(worker));
    return aclrtValueWait(word, value, chance(worker, 95) ? below(worker, 4) : any_number(worker),
                          any_stream(worker));
}

/* Model instances and labels ------------------------------------------------------------------- */

static aclError put_or_end(random_worker *worker, random_kind kind, void *handle, aclError code,
                           aclError (*end)(void *))
{
    if (!handle)
        return code;
    random_entry old = random_pool_put(&worker->random, kind, (random_entry){HANDLE(handle), 0});
    if (old.handle != 0)
        (void)end(POINTER(old));
    return code;
}

static aclError call_build(random_worker *worker)
{
    aclmdlRI model = NULL;
    aclrtStream stream = NULL;
    aclrtContext context = NULL;
    (void)aclrtGetCurrentContext(&context);
    aclError code = aclmdlRIBuildBegin(OUT(worker, model), chance(worker, 95) ? 0 : 1);
    if (!model)
        return code;
    code = aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT);
    if (stream) {
        random_entry old = random_pool_put(&worker->random, RANDOM_STREAM,
                                           (random_entry){HANDLE(stream), HANDLE(context)});
        if (old.handle != 0)
            (void)aclrtDestroyStreamForce(POINTER(old));
        code = aclmdlRIBindStream(model, stream, 0);
        if (code == ACL_SUCCESS && chance(worker, 50))
            (void)aclrtMemsetAsync(any(worker, RANDOM_MEMORY), 64, 1, 64, stream);
        if (code == ACL_SUCCESS && chance(worker, 95))
            code = aclmdlRIEndTask(model, stream);
        if (code == ACL_SUCCESS)
            code = aclmdlRIBuildEnd(model, NULL);
        if (code == ACL_SUCCESS)
            code = aclmdlRIExecuteAsync(model, NULL);
    }
    return put_or_end(worker, RANDOM_MODEL, model, code, aclmdlRIDestroy);
}

static aclError call_model(random_worker *worker)
{
    aclmdlRI model = any(worker, RANDOM_MODEL);
    char name[32];
    uint32_t id = 0;
    switch (below(worker, 10)) {
    case 0:
        return aclmdlRIBindStream(model, any_stream(worker), chance(worker, 90) ? 0 : 0x7FFFFFFF);
    case 1:
        return aclmdlRIUnbindStream(model, any_stream(worker));
    case 2:
        return aclmdlRIEndTask(model, any_stream(worker));
    case 3:
        return aclmdlRIBuildEnd(model, NULL);
    case 4:
        return aclmdlRIExecute(model, chance(worker, 95) ? 1 + (int32_t)below(worker, 3) : 0);
    case 5:
        return aclmdlRIAbort(model);
    case 6:
        return aclmdlRISetName(model, chance(worker, 95) ? "a name" : NULL);
    case 7:
        return aclmdlRIGetName(model, sizeof(name), OUT(worker, name[0]));
    case 8:
        return aclmdlRIGetId(model, OUT(worker, id));
    default:
        return aclmdlRIExecuteAsync(model, any_stream(worker));
    }
}

static aclError call_destroy_model(random_worker *worker)
{
    if (chance(worker, 85))
        return aclmdlRIDestroy(POINTER(random_pool_take(&worker->random, RANDOM_MODEL)));
    return aclmdlRIDestroy(any(worker, RANDOM_MODEL));
}

static aclError call_make_label(random_worker *worker)
{
    if (chance(worker, 60)) {
        aclrtLabel label = NULL;
        aclError code = aclrtCreateLabel(OUT(worker, label));
        return put_or_end(worker, RANDOM_LABEL, label, code, aclrtDestroyLabel);
    }
    aclrtLabel labels[2] = {any(worker, RANDOM_LABEL), any(worker, RANDOM_LABEL)};
    aclrtLabelList list = NULL;
    aclError code =
        aclrtCreateLabelList(OUT(worker, labels[0]), below(worker, 3), OUT(worker, list));
    return put_or_end(worker, RANDOM_LABEL_LIST, list, code, aclrtDestroyLabelList);
}

static aclError call_label(random_worker *worker)
{
    switch (below(worker, 4)) {
    case 0:
        return aclrtSetLabel(any(worker, RANDOM_LABEL), any_stream(worker));
    case 1:
        return aclrtSwitchLabelByIndex(any_word(worker), any_number(worker),
                                       any(worker, RANDOM_LABEL_LIST), any_stream(worker));
    case 2:
        return aclrtDestroyLabel(POINTER(random_pool_take(&worker->random, RANDOM_LABEL)));
    default:
        return aclrtDestroyLabelList(POINTER(random_pool_take(&worker->random, RANDOM_LABEL_LIST)));
    }
}

static aclError call_switch_stream(random_worker *worker)
{
    if (chance(worker, 50))
        return aclrtActiveStream(any_stream(worker), any_stream(worker));
    return aclrtSwitchStream(any_word(worker), (aclrtCondition)below(worker, 7), any_word(worker),
                             (aclrtCompareDataType)below(worker, 3), any_stream(worker),
                             chance(worker, 90) ? NULL : any_stream(worker), any_stream(worker));
}

/* All of it ------------------------------------------------------------------------------------ */

/* Codes of operations on model instances. */
#define OF_MODELS                                                                                  \
    NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, OTHER_CONTEXT, OTHER_MODEL_CONTEXT, IN_MODEL,            \
        DEAD_HANDLE, NOT_OFFERED, NO_STREAM, NO_STREAM_QUEUE, NOTHING_TO_GIVE, MODEL_RUNS,         \
        CANNOT_RUN, WAS_ABORTED, DEVICE_ABORTED, TASK_TOO_LONG, FAILED_TASK, WAIT_ENDED

const random_row random_host_rows[] = {
    {"aclrtSubscribeReport, aclrtUnSubscribeReport",
     call_subscribe,
     10,
     {BAD_VALUE, NO_CONTEXT, OTHER_CONTEXT, SUBSCRIBED_STREAM, SUBSCRIBED_THREAD, DEAD_HANDLE,
      NOT_OFFERED, NOTHING_TO_GIVE},
     false},
    {"aclrtProcessReport",
     call_process_report,
     15,
     {NULL_ARGUMENT, BAD_VALUE, SUBSCRIBED_THREAD, NOT_OFFERED, NO_REPORT},
     false},
    {"aclrtLaunchCallback, aclrtLaunchHostFunc",
     call_launch,
     15,
     {SUBMISSION, NO_SUBSCRIPTION, SUBSCRIBED_STREAM},
     false},
    {"aclrtValueWrite, aclrtValueWait", call_value, 20, {SUBMISSION}, false},
    {"a model instance built and run", call_build, 5, {OF_MODELS}, false},
    {"aclmdlRI...", call_model, 15, {OF_MODELS}, false},
    {"aclmdlRIDestroy", call_destroy_model, 3, {OF_MODELS}, false},
    {"aclrtCreateLabel, aclrtCreateLabelList",
     call_make_label,
     6,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, DEAD_HANDLE, NOT_OFFERED, NO_MEMORY, NOTHING_TO_GIVE,
      OTHER_LABEL_CONTEXT, FAILED_COPY}, /* a list has a table in device memory */
     false},
    {"labels", call_label, 8, {SUBMISSION, NOTHING_TO_GIVE, OTHER_LABEL_CONTEXT}, false},
    {"aclrtActiveStream, aclrtSwitchStream", call_switch_stream, 5, {SUBMISSION}, false},
};
const uint32_t random_host_row_count = sizeof(random_host_rows) / sizeof(random_host_rows[0]);
