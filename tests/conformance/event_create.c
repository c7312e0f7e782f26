/* SPDX-License-Identifier: Apache-2.0 */
/* Events: creation, limits, ids, ownership, destruction. */
#include <stdlib.h>

#include "event_tests.h"
#include "profile.h"
#include "suite.h"

#define ALL_GOOD (ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE)

/* The seven non-empty unions of the three flags that may be combined. */
static const uint32_t good_flags[] = {
    ACL_EVENT_SYNC,
    ACL_EVENT_CAPTURE_STREAM_PROGRESS,
    ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS,
    ACL_EVENT_TIME_LINE,
    ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE,
    ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE,
    ALL_GOOD,
};

void test_flag_values(void)
{
    CHECK_EQUAL(ACL_EVENT_SYNC, 0x1);
    CHECK_EQUAL(ACL_EVENT_CAPTURE_STREAM_PROGRESS, 0x2);
    CHECK_EQUAL(ACL_EVENT_TIME_LINE, 0x8);
    CHECK_EQUAL(ACL_EVENT_DEVICE_USE_ONLY, 0x10);
    CHECK_EQUAL(ACL_EVENT_EXTERNAL, 0x20);
    CHECK_EQUAL(ACL_EVENT_IPC, 0x40);
}

void test_plain_event_does_all(void)
{
    aclrtEvent event = NULL;
    aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
    uint64_t time = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtCreateEvent(&event));
    CHECK(event != NULL);
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtStreamWaitEvent(NULL, event));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    CHECK_OK(aclrtQueryEvent(event, &status));
    CHECK_EQUAL(status, ACL_EVENT_STATUS_COMPLETE);
    CHECK_OK(aclrtEventGetTimestamp(event, &time));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void create_without_context(void *unused)
{
    (void)unused;
    aclrtEvent event = NULL;
    CHECK_CODE(aclrtCreateEvent(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateEvent(&event), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(event == NULL);
}

void test_creation_errors(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtCreateEvent(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateEventWithFlag(NULL, ACL_EVENT_SYNC), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateEventExWithFlag(NULL, ACL_EVENT_SYNC), ACL_ERROR_INVALID_PARAM);
    twin_on_thread(create_without_context, NULL);
    CHECK_OK(aclrtResetDevice(0));
}

/* The documented number of hardware events of an Ascend 910B. */
/* As many as no part has more of. */
#define EVENTS_MOST 65536

void test_creation_takes_no_id(void)
{
    enum { EVENTS = EVENTS_MOST + 1000 };
    static aclrtEvent events[EVENTS];
    uint32_t before = 0;
    uint32_t after = 0;
    unsigned made = 0;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetEventAvailNum(&before));
    while (made < EVENTS) {
        aclError code = made % 2 ? aclrtCreateEvent(&events[made])
                                 : aclrtCreateEventExWithFlag(&events[made], ACL_EVENT_SYNC);
        if (!CHECK_CODE(code, ACL_SUCCESS))
            break;
        made++;
    }
    CHECK_OK(aclrtGetEventAvailNum(&after));
    CHECK_EQUAL(after, before);
    if (made == EVENTS) {
        CHECK_OK(aclrtRecordEvent(events[EVENTS - 1], NULL));
        CHECK_OK(aclrtSynchronizeEventWithTimeout(events[EVENTS - 1], SOON_MS));
    }
    for (unsigned i = 0; i < made; i++)
        if (!CHECK_OK(aclrtDestroyEvent(events[i])))
            break;
    CHECK_OK(aclrtResetDevice(0));
}

void test_flag_event_limit(void)
{
    static aclrtEvent events[EVENTS_MOST + 1];
    uint32_t before = 0;
    uint32_t none = 99;
    unsigned made = 0;
    aclError code = ACL_SUCCESS;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetEventAvailNum(&before));
    while (made <= EVENTS_MOST &&
           (code = aclrtCreateEventWithFlag(&events[made], ACL_EVENT_SYNC)) == ACL_SUCCESS)
        made++;
    CHECK_EQUAL(made, twin_profile_value("limit.events"));
    CHECK_EQUAL(made, before);
    CHECK_EITHER(code, ACL_ERROR_RT_NO_EVENT_RESOURCE, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL);
    CHECK_OK(aclrtGetEventAvailNum(&none));
    CHECK_EQUAL(none, 0);
    if (made > 0) {
        CHECK_OK(aclrtDestroyEvent(events[made - 1]));
        CHECK_OK(aclrtCreateEventWithFlag(&events[made - 1], ACL_EVENT_SYNC));
        CHECK_OK(aclrtRecordEvent(events[made - 1], NULL));
        CHECK_OK(aclrtSynchronizeEventWithTimeout(events[made - 1], SOON_MS));
    }
    for (unsigned i = 0; i < made; i++)
        if (!CHECK_OK(aclrtDestroyEvent(events[i])))
            break;
    CHECK_OK(aclrtResetDevice(0));
}

void test_flag_event_bad_flags(void)
{
    aclrtEvent event = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtCreateEventWithFlag(&event, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateEventWithFlag(&event, ACL_EVENT_IPC), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateEventWithFlag(&event, 0x80), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC | 0x80000000U),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateEventWithFlag(&event, UINT32_MAX), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(event == NULL);
    CHECK_OK(aclrtResetDevice(0));
}

void test_flag_event_exclusive_flags(void)
{
    static const uint32_t alone[] = {ACL_EVENT_DEVICE_USE_ONLY, ACL_EVENT_EXTERNAL};
    aclrtEvent event = NULL;
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(alone); i++) {
        if (CHECK_OK(aclrtCreateEventWithFlag(&event, alone[i])))
            CHECK_OK(aclrtDestroyEvent(event));
        CHECK_CODE(aclrtCreateEventWithFlag(&event, alone[i] | ACL_EVENT_SYNC),
                   ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtCreateEventWithFlag(&event, alone[i] | ACL_EVENT_TIME_LINE),
                   ACL_ERROR_RT_PARAM_INVALID);
    }
    CHECK_OK(aclrtResetDevice(0));
}

void test_flag_event_good_flags(void)
{
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(good_flags); i++) {
        aclrtEvent event = twin_event_flags(EVENT_FLAG, good_flags[i]);
        CHECK_OK(aclrtRecordEvent(event, NULL));
        CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
        CHECK_OK(aclrtDestroyEvent(event));
    }
    CHECK_OK(aclrtResetDevice(0));
}

void test_ex_event_good_flags(void)
{
    aclrtEvent event = NULL;
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(good_flags); i++) {
        event = twin_event_flags(EVENT_EX, good_flags[i]);
        CHECK_OK(aclrtRecordEvent(event, NULL));
        CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
        CHECK_OK(aclrtDestroyEvent(event));
    }
    CHECK_OK(aclrtResetDevice(0));
}

void test_ex_event_bad_flags(void)
{
    aclrtEvent event = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtCreateEventExWithFlag(&event, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateEventExWithFlag(&event, ACL_EVENT_DEVICE_USE_ONLY),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateEventExWithFlag(&event, ACL_EVENT_EXTERNAL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC | ACL_EVENT_SYNC),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC | ACL_EVENT_TIME_LINE),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK(event == NULL);
    CHECK_OK(aclrtResetDevice(0));
}

static void count_without_context(void *unused)
{
    (void)unused;
    uint32_t count = 0;
    CHECK_CODE(aclrtGetEventAvailNum(&count), ACL_ERROR_RT_CONTEXT_NULL);
}

void test_available_number(void)
{
    uint32_t before = 0;
    uint32_t during = 0;
    uint32_t after = 0;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetEventAvailNum(&before));
    aclrtEvent event = twin_event(EVENT_FLAG);
    CHECK_OK(aclrtGetEventAvailNum(&during));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtGetEventAvailNum(&after));
    CHECK_EQUAL(during, before - 1);
    CHECK_EQUAL(after, before);
    CHECK_CODE(aclrtGetEventAvailNum(NULL), ACL_ERROR_INVALID_PARAM);
    twin_on_thread(count_without_context, NULL);
    CHECK_OK(aclrtResetDevice(0));
}

static void use_and_destroy(void *pointer)
{
    aclrtEvent event = pointer;
    CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS)); /* no context here */
    CHECK(twin_recorded(event));
    CHECK_OK(aclrtDestroyEvent(event));
}

void test_event_ownership(void)
{
    aclrtContext context = NULL;
    CHECK_OK(aclrtSetDevice(0));
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        aclrtEvent event = twin_event((twin_event_kind)kind);
        CHECK_OK(aclrtRecordEvent(event, NULL));
        CHECK_OK(aclrtCreateContext(&context, 0));
        CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
        CHECK(twin_recorded(event));
        twin_on_thread(use_and_destroy, event);
        CHECK_OK(aclrtDestroyContext(context));
        CHECK_OK(aclrtSetDevice(0));
    }
    CHECK_OK(aclrtResetDeviceForce(0));
}

void test_event_id(void)
{
    twin_hold hold;
    uint32_t ids[3] = {0};
    uint32_t again = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream opener = twin_stream();
    aclrtEvent first = twin_event(EVENT_FLAG);
    aclrtEvent second = twin_event(EVENT_FLAG);
    aclrtEvent third = twin_event(EVENT_EX);
    CHECK_OK(aclrtGetEventId(first, &ids[0])); /* from creation */
    CHECK_OK(aclrtGetEventId(second, &ids[1]));
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtRecordEvent(first, stream));
    CHECK_OK(aclrtRecordEvent(third, stream));
    CHECK_OK(aclrtGetEventId(third, &ids[2])); /* while the record is outstanding */
    CHECK_OK(aclrtGetEventId(first, &again));
    CHECK_EQUAL(again, ids[0]);
    CHECK(ids[0] != ids[1] && ids[0] != ids[2] && ids[1] != ids[2]);
    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtDestroyEvent(third));
    CHECK_OK(aclrtDestroyEvent(second));
    CHECK_OK(aclrtDestroyEvent(first));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_event_id_errors(void)
{
    uint32_t id = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtEvent unrecorded = twin_event(EVENT_EX);
    aclrtEvent timing = twin_event_flags(EVENT_EX, ACL_EVENT_TIME_LINE);
    CHECK_CODE(aclrtGetEventId(unrecorded, &id), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_CODE(aclrtGetEventId(timing, &id), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_CODE(aclrtGetEventId(NULL, &id), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetEventId(unrecorded, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtDestroyEvent(timing));
    CHECK_OK(aclrtDestroyEvent(unrecorded));
    CHECK_OK(aclrtResetDevice(0));
}

void test_destroy_does_not_wait(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream first = twin_stream();
    aclrtStream second = twin_stream();
    aclrtStream opener = twin_stream();
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        twin_hold hold;
        aclrtEvent event = twin_event((twin_event_kind)kind);
        twin_hold_begin(&hold, first);
        CHECK_OK(aclrtRecordEvent(event, first));
        CHECK_OK(aclrtStreamWaitEvent(second, event));
        CHECK_OK(aclrtDestroyEvent(event));
        CHECK(!twin_idle(first));
        CHECK(!twin_idle(second));
        twin_hold_end(&hold, opener);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(second, SOON_MS));
    }
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(second));
    CHECK_OK(aclrtDestroyStream(first));
    CHECK_OK(aclrtResetDevice(0));
}

static void check_dead(aclrtEvent event)
{
    aclrtEventStatus status;
    aclrtEventRecordedStatus recorded;
    aclrtEventWaitStatus waited;
    uint64_t time = 0;
    float elapsed = 0;
    uint32_t id = 0;
    CHECK_CODE(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtRecordEvent(event, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtStreamWaitEvent(NULL, event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtStreamWaitEventWithTimeout(NULL, event, 1), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtResetEvent(event, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtQueryEvent(event, &status), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtQueryEventStatus(event, &recorded), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtQueryEventWaitStatus(event, &waited), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtSynchronizeEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, 10), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtEventElapsedTime(&elapsed, event, event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtEventGetTimestamp(event, &time), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtGetEventId(event, &id), ACL_ERROR_RT_INVALID_HANDLE);
}

void test_destroyed_handle(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtDestroyEvent(NULL), ACL_ERROR_INVALID_PARAM);
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        aclrtEvent event = twin_event((twin_event_kind)kind);
        CHECK_OK(aclrtDestroyEvent(event));
        check_dead(event);
        aclrtEvent fresh = twin_event((twin_event_kind)kind); /* may take the old one's place */
        check_dead(event);
        CHECK_OK(aclrtDestroyEvent(fresh));
    }
    CHECK_OK(aclrtResetDevice(0));
}

void test_destroy_after_streams(void)
{
    CHECK_OK(aclrtSetDevice(0));
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        aclrtStream first = twin_stream();
        aclrtStream second = twin_stream();
        aclrtEvent event = twin_event((twin_event_kind)kind);
        CHECK_OK(aclrtRecordEvent(event, first));
        CHECK_OK(aclrtStreamWaitEvent(second, event));
        CHECK_OK(aclrtSynchronizeStream(second));
        CHECK_OK(aclrtDestroyStream(second));
        CHECK_OK(aclrtDestroyStream(first));
        CHECK_OK(aclrtDestroyEvent(event));
    }
    CHECK_OK(aclrtResetDevice(0));
}
