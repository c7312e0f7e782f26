/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of streams, and the id of a thread's last task. */
#include "control_tests.h"

static const aclrtStreamAttr all_attributes[] = {
    ACL_STREAM_ATTR_FAILURE_MODE, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK,
    ACL_STREAM_ATTR_USER_CUSTOM_TAG, ACL_STREAM_ATTR_CACHE_OP_INFO, ACL_STREAM_ATTR_PRIORITY};

static void attributes_without_context(void *stream)
{
    aclrtStreamAttrValue value = {0};
    for (size_t i = 0; i < TWIN_COUNT(all_attributes); i++) {
        CHECK_OK(aclrtGetStreamAttribute(stream, all_attributes[i], &value));
        CHECK_OK(aclrtSetStreamAttribute(stream, all_attributes[i], &value));
    }
}

void test_attribute_refusals(void)
{
    aclrtStreamAttrValue value = {0};
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    const int unknown[] = {0, 6, -1, 1000};
    for (size_t i = 0; i < TWIN_COUNT(unknown); i++) {
        CHECK_CODE(aclrtSetStreamAttribute(stream, (aclrtStreamAttr)unknown[i], &value),
                   ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtGetStreamAttribute(stream, (aclrtStreamAttr)unknown[i], &value),
                   ACL_ERROR_RT_PARAM_INVALID);
    }
    for (size_t i = 0; i < TWIN_COUNT(all_attributes); i++) {
        CHECK_OK(aclrtGetStreamAttribute(stream, all_attributes[i], &value));
        CHECK_OK(aclrtSetStreamAttribute(stream, all_attributes[i], &value));
        CHECK_CODE(aclrtSetStreamAttribute(stream, all_attributes[i], NULL),
                   ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtGetStreamAttribute(stream, all_attributes[i], NULL),
                   ACL_ERROR_INVALID_PARAM);
    }
    twin_on_thread(attributes_without_context, stream);
    CHECK_OK(aclrtDestroyStream(stream));
    for (size_t i = 0; i < TWIN_COUNT(all_attributes); i++) {
        CHECK_CODE(aclrtSetStreamAttribute(stream, all_attributes[i], &value),
                   ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclrtGetStreamAttribute(stream, all_attributes[i], &value),
                   ACL_ERROR_RT_INVALID_HANDLE);
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void check_overflow(aclrtStream stream, uint32_t want)
{
    aclrtStreamAttrValue value = {.reserve = {9, 9, 9, 9}};
    uint32_t flag = 9;
    CHECK_OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value));
    CHECK_OK(aclrtGetStreamOverflowSwitch(stream, &flag));
    CHECK_EQUAL(value.overflowSwitch, want);
    CHECK_EQUAL(flag, want);
}

void test_attributes_and_getters(void)
{
    aclrtStreamAttrValue value = {0};
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream streams[] = {twin_stream(), NULL};
    for (size_t i = 0; i < TWIN_COUNT(streams); i++) {
        check_overflow(streams[i], 0);
        value.overflowSwitch = 1;
        CHECK_OK(aclrtSetStreamAttribute(streams[i], ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value));
        check_overflow(streams[i], 1);
        CHECK_OK(aclrtSetStreamOverflowSwitch(streams[i], 0));
        check_overflow(streams[i], 0);
    }
    CHECK_OK(aclrtGetStreamAttribute(NULL, ACL_STREAM_ATTR_FAILURE_MODE, &value));
    CHECK_EQUAL(value.failureMode, ACL_CONTINUE_ON_FAILURE);
    value.failureMode = ACL_STOP_ON_FAILURE;
    CHECK_OK(aclrtSetStreamAttribute(streams[0], ACL_STREAM_ATTR_FAILURE_MODE, &value));
    value.failureMode = 77;
    CHECK_OK(aclrtGetStreamAttribute(streams[0], ACL_STREAM_ATTR_FAILURE_MODE, &value));
    CHECK_EQUAL(value.failureMode, ACL_STOP_ON_FAILURE);
    CHECK_CODE(aclrtSetStreamFailureMode(streams[0], ACL_CONTINUE_ON_FAILURE),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtDestroyStream(streams[0]));
    CHECK_OK(aclrtResetDevice(0));
}

static void check_priority(aclrtStream stream, uint32_t given, uint32_t want)
{
    aclrtStreamAttrValue value = {.streamPriority = given};
    uint32_t priority = 99;
    CHECK_OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value));
    value.streamPriority = 99;
    CHECK_OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value));
    CHECK_OK(aclrtStreamGetPriority(stream, &priority));
    CHECK_EQUAL(value.streamPriority, want);
    CHECK_EQUAL(priority, want);
}

void test_attribute_values(void)
{
    aclrtStreamAttrValue value = {.streamPriority = 3};
    aclrtStream scheduled = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtCreateStreamWithConfig(&scheduled, 0, ACL_STREAM_CPU_SCHEDULE));
    CHECK_CODE(aclrtSetStreamAttribute(NULL, ACL_STREAM_ATTR_PRIORITY, &value),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSetStreamAttribute(scheduled, ACL_STREAM_ATTR_PRIORITY, &value),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    check_priority(stream, 0, 0);
    check_priority(stream, 7, 7);
    check_priority(stream, 8, 7);
    check_priority(stream, INT32_MAX, 7);
    check_priority(stream, (uint32_t)-1, 0);
    check_priority(stream, 3, 3);

    for (uint32_t info = 0; info < 2; info++) {
        value.cacheOpInfoSwitch = info;
        CHECK_OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &value));
        value.cacheOpInfoSwitch = 9;
        CHECK_OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &value));
        CHECK_EQUAL(value.cacheOpInfoSwitch, info);
    }
    value.cacheOpInfoSwitch = 2;
    CHECK_CODE(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &value),
               ACL_ERROR_RT_PARAM_INVALID);
    value.userCustomTag = 0xfeedbeef;
    CHECK_OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
    value.userCustomTag = 0;
    CHECK_OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
    CHECK_EQUAL(value.userCustomTag, 0xfeedbeef);
    CHECK_OK(aclrtDestroyStream(scheduled));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

enum { CONTENDERS = 16 };
#define FILL_BYTES ((size_t)16 << 20)

/* All wait for one event, then need the copy engine: the stream with the raised priority, which
 * would come last by its number, comes after no other. */
void test_priority_counts(void)
{
    aclrtStream streams[CONTENDERS];
    aclrtEvent done[CONTENDERS];
    aclrtStreamAttrValue value = {.streamPriority = 0};
    void *memory = NULL;
    float after_ms = 0;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMalloc(&memory, FILL_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    aclrtEvent gate = twin_event(EVENT_FLAG);
    aclrtStream opener = twin_stream();
    for (int i = 0; i < CONTENDERS; i++) {
        CHECK_OK(aclrtCreateStreamWithConfig(&streams[i], 5, 0));
        done[i] = twin_event_flags(EVENT_EX, ACL_EVENT_TIME_LINE);
        CHECK_OK(aclrtStreamWaitEvent(streams[i], gate));
        CHECK_OK(aclrtMemsetAsync(memory, FILL_BYTES, i, FILL_BYTES, streams[i]));
        CHECK_OK(aclrtRecordEvent(done[i], streams[i]));
    }
    const int raised = CONTENDERS - 1;
    CHECK_OK(aclrtSetStreamAttribute(streams[raised], ACL_STREAM_ATTR_PRIORITY, &value));
    CHECK_OK(aclrtRecordEvent(gate, opener));
    CHECK_OK(aclrtSynchronizeDeviceWithTimeout(SOON_MS));
    bool later = false;
    for (int i = 0; i < raised; i++) {
        CHECK_OK(aclrtEventElapsedTime(&after_ms, done[raised], done[i]));
        CHECK(after_ms >= 0);
        later = later || after_ms > 0;
    }
    CHECK(later);
    for (int i = 0; i < CONTENDERS; i++) {
        CHECK_OK(aclrtDestroyEvent(done[i]));
        CHECK_OK(aclrtDestroyStream(streams[i]));
    }
    CHECK_OK(aclrtDestroyEvent(gate));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

void test_overflow_switch(void)
{
    uint32_t flag = 9;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream streams[] = {stream, NULL};
    for (size_t i = 0; i < TWIN_COUNT(streams); i++) {
        CHECK_OK(aclrtGetStreamOverflowSwitch(streams[i], &flag));
        CHECK_EQUAL(flag, 0);
        CHECK_OK(aclrtSetStreamOverflowSwitch(streams[i], 1));
        CHECK_OK(aclrtGetStreamOverflowSwitch(streams[i], &flag));
        CHECK_EQUAL(flag, 1);
        CHECK_CODE(aclrtSetStreamOverflowSwitch(streams[i], 2), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtSetStreamOverflowSwitch(streams[i], UINT32_MAX), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtGetStreamOverflowSwitch(streams[i], NULL), ACL_ERROR_INVALID_PARAM);
        CHECK_OK(aclrtGetStreamOverflowSwitch(streams[i], &flag));
        CHECK_EQUAL(flag, 1);
    }
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static uint32_t last_task(void)
{
    uint32_t task = 77;
    CHECK_OK(aclrtGetThreadLastTaskId(&task));
    return task;
}

typedef struct shared_buffer {
    aclrtContext context;
    aclrtStream stream;
    twin_buffer *cells;
} shared_buffer;

static void submit_on_own_thread(void *argument)
{
    shared_buffer *shared = argument;
    CHECK_EQUAL(last_task(), UINT32_MAX);
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    twin_mark(shared->cells, 0, 1, NULL); /* the default stream does not count */
    CHECK_EQUAL(last_task(), UINT32_MAX);
    twin_mark(shared->cells, 0, 2, shared->stream);
    uint32_t first = last_task();
    twin_mark(shared->cells, 0, 3, shared->stream);
    CHECK(first != UINT32_MAX && last_task() != UINT32_MAX && last_task() != first);
}

void test_info_of_last_task(void)
{
    static const char info[(64 << 10) + 1];
    CHECK_CODE(aclrtCacheLastTaskOpInfo(NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCacheLastTaskOpInfo(info, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCacheLastTaskOpInfo(info, sizeof(info)), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCacheLastTaskOpInfo(info, 8), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_FAILS(aclrtCacheLastTaskOpInfo(info, 8)); /* nothing is being captured */
    CHECK_OK(aclrtResetDevice(0));
}

void test_last_task(void)
{
    twin_buffer cells;
    shared_buffer shared = {.cells = &cells};
    CHECK_CODE(aclrtGetThreadLastTaskId(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&shared.context));
    shared.stream = twin_stream();
    twin_buffer_make(&cells, 4 * CELL_BYTES, 0);
    twin_mark(&cells, 1, 1, shared.stream);
    uint32_t own = last_task();
    CHECK(own != UINT32_MAX);
    twin_on_thread(submit_on_own_thread, &shared);
    CHECK_EQUAL(last_task(), own);
    CHECK_OK(aclrtSynchronizeDeviceWithTimeout(SOON_MS));
    twin_buffer_free(&cells);
    CHECK_OK(aclrtDestroyStream(shared.stream));
    CHECK_OK(aclrtResetDevice(0));
}
