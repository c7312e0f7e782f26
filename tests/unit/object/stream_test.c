/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/stream.h"

#include "check.h"
#include "core/callback/exception_callback.h"
#include "core/work/memory.h"
#include "core/work/stream_control.h"

static void begin(void)
{
    fresh();
    CHECK_OK(twin_device_set(0));
}

static void finish(void)
{
    (void)twin_device_reset(0, true);
    CU_ASSERT_EQUAL(fake_count.queues, 0);
    CU_ASSERT_EQUAL(fake_count.signals, 0);
}

static uint64_t make(uint32_t priority, uint32_t flags)
{
    twin_context *context = NULL;
    CHECK_OK(twin_context_pin_current(&context));
    uint64_t handle = 0;
    CHECK_OK(twin_stream_create(context, priority, flags, false, &handle));
    twin_context_unpin(context);
    return handle;
}

/* A task for an event or notify. */
static twin_task task_of(twin_task_kind kind, twin_handle_table *table, uint64_t handle)
{
    twin_task task = {.kind = kind, .event_handle = handle, .timeout_ns = TWIN_FOREVER};
    CHECK_OK(twin_event_find(table, handle, &task.event));
    return task;
}

static uint64_t make_event(uint32_t form)
{
    uint64_t handle = 0;
    CHECK_OK(twin_event_create(form, &handle));
    return handle;
}

static int32_t drain(uint64_t handle, uint64_t timeout_ns)
{
    twin_stream *stream = NULL;
    int32_t code = twin_stream_pin(handle, &stream);
    if (code != 0)
        return code;
    code = twin_stream_drain(stream, timeout_ns);
    twin_stream_unpin(stream);
    return code;
}

static void test_priority_is_clamped(void)
{
    begin();
    twin_stream *stream = NULL;
    CHECK_OK(twin_stream_pin(make(100, 0), &stream));
    CU_ASSERT_EQUAL(stream->priority, 7);
    twin_stream_unpin(stream);
    finish();
}

static twin_saturation saturation_of(uint64_t handle)
{
    twin_stream *stream = NULL;
    CHECK_OK(twin_stream_pin(handle, &stream));
    twin_saturation mode = stream->saturation;
    twin_stream_unpin(stream);
    return mode;
}

static void test_saturation_is_kept(void)
{
    begin();
    uint64_t before = make(0, 0);
    twin_saturation_set(TWIN_INF_NAN);
    uint64_t after = make(0, 0);
    CU_ASSERT_EQUAL(saturation_of(before), TWIN_SATURATE);
    CU_ASSERT_EQUAL(saturation_of(after), TWIN_INF_NAN);
    CU_ASSERT_EQUAL(saturation_of(0), TWIN_SATURATE);
    twin_saturation_set(TWIN_SATURATE);
    CU_ASSERT_EQUAL(saturation_of(after), TWIN_INF_NAN);
    finish();
}

static void test_lowest_free_id(void)
{
    begin();
    uint64_t first = make(0, 0), second = make(0, 0);
    CHECK_OK(twin_stream_destroy(first, false));
    twin_stream *stream = NULL;
    CHECK_OK(twin_stream_pin(make(0, 0), &stream));
    CU_ASSERT_EQUAL(stream->id, 1); /* 0 is the default stream's */
    twin_stream_unpin(stream);
    CHECK_OK(twin_stream_destroy(second, false));
    finish();
}

static void fill_the_device(uint32_t ids, int32_t code)
{
    fresh();
    fake_set.stream_id_limit = ids;
    CHECK_OK(twin_device_set(0));
    uint64_t streams[8];
    for (int i = 0; i < 7; i++)
        streams[i] = make(0, 0);
    twin_context *context = NULL;
    CHECK_OK(twin_context_pin_current(&context));
    uint64_t extra = 0;
    (void)twin_messages_take();
    CHECK_CODE(twin_stream_create(context, 0, 0, false, &extra), code);
    const char *text = twin_messages_take();
    REQUIRE(text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "default context 0: 8"));
    CHECK_OK(twin_stream_destroy(streams[3], false));
    CHECK_OK(twin_stream_create(context, 0, 0, false, &extra));
    twin_context_unpin(context);
    finish();
}

static void test_limit(void)
{
    fill_the_device(8, 207008);
    fill_the_device(9, 207005);
}

static void test_failed_queue(void)
{
    begin();
    twin_context *context = NULL;
    CHECK_OK(twin_context_pin_current(&context));
    uint64_t handle = 0;
    fake_set.fail_queue = TWIN_E_NO_QUEUE;
    CHECK_CODE(twin_stream_create(context, 0, 0, false, &handle), 207008);
    CU_ASSERT_EQUAL(twin_device_streams_left(context->device), 7);
    twin_context_unpin(context);
    finish();
}

static void test_default_is_kept(void)
{
    begin();
    twin_context *context = NULL;
    CHECK_OK(twin_context_current(&context));
    CHECK_CODE(twin_stream_destroy(context->default_stream, false), 107000);
    CHECK_CODE(twin_stream_destroy(context->default_stream, true), 107000);
    CHECK_OK(drain(0, TWIN_FOREVER));
    finish();
}

static void test_other_context(void)
{
    begin();
    uint64_t stream = make(0, 0), context = 0;
    CHECK_OK(twin_context_create_explicit(0, &context));
    uint64_t event = make_event(TWIN_EVENT_PLAIN);
    twin_task record = task_of(TWIN_TASK_RECORD, &twin_events, event);
    CHECK_CODE(twin_stream_submit(stream, &record), 107003);
    CHECK_CODE(twin_stream_destroy(stream, false), 107003);
    CHECK_OK(drain(stream, TWIN_FOREVER));
    finish();
}

static void test_other_device(void)
{
    begin();
    uint64_t event = make_event(TWIN_EVENT_PLAIN);
    CHECK_OK(twin_device_set(1));
    twin_task record = task_of(TWIN_TASK_RECORD, &twin_events, event);
    CHECK_CODE(twin_stream_submit(0, &record), 107003);
    CHECK_OK(twin_device_reset(1, false));
    finish();
}

static void test_full_queue(void)
{
    begin();
    unsigned char *memory = NULL;
    CHECK_OK(twin_memory_alloc(&(twin_allocation){.bytes = 1024}, (void **)&memory));
    for (unsigned i = 0; i < 100; i++) {
        twin_fill fill = {.dst = (uint64_t)(uintptr_t)memory + i, .bytes = 1, .value = (uint8_t)i};
        CHECK_OK(twin_stream_submit(0, &(twin_task){.kind = TWIN_TASK_FILL, .fill = &fill}));
    }
    CHECK_OK(drain(0, TWIN_FOREVER));
    int wrong = 0;
    for (unsigned i = 0; i < 100; i++)
        wrong += memory[i] != i;
    CU_ASSERT_EQUAL(wrong, 0);
    finish();
}

static void test_full_for_ever(void)
{
    begin();
    uint64_t stream = make(0, 0);
    twin_task wait = task_of(TWIN_TASK_WAIT, &twin_notifies, make_event(TWIN_EVENT_NOTIFY));
    for (int i = 0; i < 16; i++)
        CHECK_OK(twin_stream_submit(stream, &wait));
    CHECK_CODE(twin_stream_submit(stream, &wait), 507046);
    CHECK_OK(twin_stream_destroy(stream, true));
    finish();
}

static void test_deadlock_keeps_the_stream(void)
{
    begin();
    uint64_t stream = make(0, 0), notify = make_event(TWIN_EVENT_NOTIFY);
    twin_task wait = task_of(TWIN_TASK_WAIT, &twin_notifies, notify);
    twin_task record = task_of(TWIN_TASK_RECORD, &twin_notifies, notify);
    CHECK_OK(twin_stream_submit(stream, &wait));
    CHECK_CODE(twin_stream_destroy(stream, false), 507046);
    CHECK_OK(twin_stream_submit(0, &record));
    CHECK_OK(twin_stream_destroy(stream, false));
    CHECK_CODE(twin_stream_destroy(stream, false), 107017);
    finish();
}

static void test_timeouts(void)
{
    begin();
    uint64_t stream = make(0, 0), notify = make_event(TWIN_EVENT_NOTIFY);
    twin_task wait = task_of(TWIN_TASK_WAIT, &twin_notifies, notify);
    CHECK_OK(twin_stream_submit(stream, &wait));
    CHECK_CODE(drain(stream, 5000000), 507046);
    CHECK_CODE(drain(stream, 0), 507046);
    CHECK_CODE(twin_stream_drain_all(5000000), 507046);
    twin_task record = task_of(TWIN_TASK_RECORD, &twin_notifies, notify);
    CHECK_OK(twin_stream_submit(0, &record));
    CHECK_OK(drain(stream, 5000000));
    wait.timeout_ns = 1000;
    CHECK_OK(twin_stream_submit(stream, &wait));
    CHECK_CODE(drain(stream, TWIN_FOREVER), 107020);
    finish();
}

static void test_force_drops(void)
{
    begin();
    uint64_t stream = make(0, 0);
    twin_task wait = task_of(TWIN_TASK_WAIT, &twin_notifies, make_event(TWIN_EVENT_NOTIFY));
    CHECK_OK(twin_stream_submit(stream, &wait));
    CHECK_OK(twin_stream_destroy(stream, true));
    CU_ASSERT_EQUAL(fake_count.aborts, 1);
    CU_ASSERT_EQUAL(fake_count.queues, 1);
    finish();
}

static void test_failed_task_does_not_keep_it(void)
{
    begin();
    uint64_t stream = make(0, 0);
    fake_set.fail_drain = TWIN_E_ADDRESS;
    CHECK_OK(twin_stream_destroy(stream, false));
    CHECK_CODE(twin_stream_guard(stream), 107017);
    finish();
}

static void test_faults_are_noted(void)
{
    begin();
    twin_task record = task_of(TWIN_TASK_RECORD, &twin_events, make_event(TWIN_EVENT_PLAIN));
    fake_set.fail_work = TWIN_E_DEVICE;
    CHECK_CODE(twin_stream_submit(0, &record), 507899);
    twin_device *device = NULL;
    CHECK_OK(twin_device_find(0, &device));
    CU_ASSERT_TRUE(device->faulted);
    finish();
    CHECK_OK(twin_device_set(0));
    CU_ASSERT_FALSE(device->faulted);
    finish();
}

static void test_passive(void)
{
    begin();
    uint64_t stream = make(0, TWIN_STREAM_PERSISTENT);
    twin_task record = task_of(TWIN_TASK_RECORD, &twin_events, make_event(TWIN_EVENT_PLAIN));
    CHECK_CODE(twin_stream_submit(stream, &record), 207000);
    finish();
}

static void test_drain_all_of_many(void)
{
    begin();
    fake_set.stream_limit = 8;
    uint64_t streams[7];
    unsigned char *memory = NULL;
    CHECK_OK(twin_memory_alloc(&(twin_allocation){.bytes = 64}, (void **)&memory));
    for (unsigned i = 0; i < 7; i++) {
        streams[i] = make(0, 0);
        twin_fill fill = {.dst = (uint64_t)(uintptr_t)memory + i, .bytes = 1, .value = 9};
        CHECK_OK(
            twin_stream_submit(streams[i], &(twin_task){.kind = TWIN_TASK_FILL, .fill = &fill}));
    }
    CHECK_OK(twin_stream_drain_all(TWIN_FOREVER));
    int wrong = 0;
    for (unsigned i = 0; i < 7; i++)
        wrong += memory[i] != 9;
    CU_ASSERT_EQUAL(wrong, 0);
    finish();
}

static _Atomic int submit_failures;

static void *submit_many(void *argument)
{
    const twin_task *fill = argument;
    if (twin_device_set(0) != 0)
        submit_failures++;
    for (int i = 0; i < 500; i++)
        if (twin_stream_submit(0, fill) != 0)
            submit_failures++;
    return NULL;
}

static void test_threads_share_a_stream(void)
{
    begin();
    submit_failures = 0;
    void *memory = NULL;
    CHECK_OK(twin_memory_alloc(&(twin_allocation){.bytes = 64}, &memory));
    twin_fill fill = {.dst = (uint64_t)(uintptr_t)memory, .bytes = 64, .value = 1};
    twin_task task = {.kind = TWIN_TASK_FILL, .fill = &fill};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, submit_many, &task);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    CU_ASSERT_EQUAL(submit_failures, 0);
    CHECK_OK(drain(0, TWIN_FOREVER));
    finish();
}

/* ---- a context that another thread ends while a call has its stream -------------------------- */

static uint64_t old_context, new_context;
static const twin_queue *old_queue;
static unsigned asked_old, asked_others;

static void *replace_context(void *unused)
{
    (void)unused;
    CHECK_OK(twin_context_destroy(old_context));
    CHECK_OK(twin_context_create_explicit(0, &new_context));
    return NULL;
}

static twin_status stop_while_replaced(twin_queue *queue)
{
    (void)queue;
    on_thread(replace_context, NULL);
    return TWIN_OK;
}

static twin_status count_failures(twin_queue *queue, twin_failure *out_failure)
{
    (void)out_failure;
    asked_old += queue == old_queue;
    asked_others += queue != old_queue;
    return TWIN_E_NOT_READY;
}

/* A stream of an explicit context, and where contexts end up that take its place. */
static uint64_t make_in_old_context(const twin_context **out_place)
{
    begin();
    CHECK_OK(twin_context_create_explicit(0, &old_context));
    *out_place = twin_handle_find(&twin_contexts, old_context);
    return make(0, 0);
}

static twin_context *pin_new_context(const twin_context *place)
{
    twin_context *context = twin_handle_pin(&twin_contexts, new_context);
    CU_ASSERT_PTR_NOT_NULL_FATAL(context);
    CU_ASSERT_PTR_EQUAL(context, place); /* else this shows nothing */
    return context;
}

static void test_mode_of_a_context_that_ends(void)
{
    const twin_context *place = NULL;
    fake_table.queue.stop_on_failure = stop_while_replaced;
    uint64_t stream = make_in_old_context(&place);
    CHECK_OK(twin_stream_set_failure_mode(stream, TWIN_STOP_ON_FAILURE));
    twin_context *context = pin_new_context(place);
    CU_ASSERT(!atomic_load(&context->stops));
    twin_context_unpin(context);
    fake_table.queue.stop_on_failure = NULL;
    finish();
}

static void test_failures_of_a_context_that_ended(void)
{
    const twin_context *place = NULL;
    twin_stream *stream = NULL;
    fake_table.queue.take_failure = count_failures;
    CHECK_OK(twin_stream_pin(make_in_old_context(&place), &stream));
    on_thread(replace_context, NULL);
    twin_context *context = pin_new_context(place);
    atomic_store(&context->stops, true);
    twin_context_unpin(context);
    old_queue = stream->queue;
    asked_old = asked_others = 0;
    twin_failure_report(stream);
    CU_ASSERT_EQUAL(asked_old, 1);
    CU_ASSERT_EQUAL(asked_others, 0);
    twin_stream_unpin(stream);
    fake_table.queue.take_failure = NULL;
    finish();
}

static const twin_test tests[] = {
    {"a priority beyond the range is the lowest", test_priority_is_clamped},
    {"a stream keeps the mode of overflows it was made with", test_saturation_is_kept},
    {"a stream takes the lowest free number", test_lowest_free_id},
    {"the limit counts default streams, names the owners and the exhausted resource", test_limit},
    {"a queue that the device refuses leaves nothing", test_failed_queue},
    {"the default stream cannot be destroyed", test_default_is_kept},
    {"a stream of another context is waited for but not used", test_other_context},
    {"an event of another device is not recorded", test_other_device},
    {"a full queue holds the sender and loses nothing", test_full_queue},
    {"a queue that stays full for ever ends the submission", test_full_for_ever},
    {"a destroy that can never end leaves the stream alive", test_deadlock_keeps_the_stream},
    {"timeouts end waits, and work goes on", test_timeouts},
    {"a forced destroy drops work", test_force_drops},
    {"a failed task does not keep a stream from ending", test_failed_task_does_not_keep_it},
    {"a device fault is noted until the device is opened again", test_faults_are_noted},
    {"streams of models and devices take no work from the host", test_passive},
    {"a device wait covers all streams of the context", test_drain_all_of_many},
    {"threads share a stream without loss", test_threads_share_a_stream},
    {"a failure mode reaches no context that took the place of the stream's",
     test_mode_of_a_context_that_ends},
    {"failures are not taken from a context that took the place of the stream's",
     test_failures_of_a_context_that_ended},
};

int main(int argc, char **argv)
{
    return twin_run_suite("stream", tests, TWIN_COUNT(tests), argc, argv);
}
