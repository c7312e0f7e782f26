/* SPDX-License-Identifier: Apache-2.0 */
/* Captures up to the limits of the device, and one beyond. */
#include "capture_tests.h"

#include <stdio.h>

#include "profile.h"

enum { STREAMS_MOST = 4096, NOTIFIES_MOST = 8192, RECORDS = 990 /* fewer than a stream takes */ };

/* Takes the device's streams, but for `left`. */
static uint32_t take_streams(aclrtStream *streams, uint32_t left)
{
    uint32_t count = 0, available = 0;
    CHECK_OK(aclrtGetStreamAvailableNum(&available));
    while (available > left && count < STREAMS_MOST) {
        streams[count++] = twin_stream();
        CHECK_OK(aclrtGetStreamAvailableNum(&available));
    }
    CHECK_EQUAL(available, left);
    return count;
}

/* Each stream in a capture takes one of the device. */
void test_limit(void)
{
    static aclrtStream taken[STREAMS_MOST];
    capture s;
    capture_open(&s);
    aclmdlRI instance = NULL;
    const uint32_t count = take_streams(taken, 1);
    capture_begin(s.first);
    CHECK_CODE(aclmdlRICaptureBegin(s.second, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               ACL_ERROR_RT_RESOURCE_ALLOC_FAIL);
    CHECK_EQUAL(capture_status(s.second), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    CHECK_OK(aclrtRecordEvent(s.fork, s.first));
    CHECK_CODE(aclrtStreamWaitEvent(s.third, s.fork), ACL_ERROR_RT_RESOURCE_ALLOC_FAIL);
    CHECK_EQUAL(capture_status(s.third), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    CHECK_CODE(aclmdlRICaptureEnd(s.first, &instance), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    capture_begin(s.second);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.second)));
    for (uint32_t i = 0; i < count; i++)
        CHECK_OK(aclrtDestroyStream(taken[i]));
    capture_close(&s);
}

/* Whether the newest message says what instances hold, and what helps. */
static void explains(const char *refusal, uint32_t instances, uint32_t streams, uint32_t events)
{
    char held[128];
    snprintf(held, sizeof(held), "model instances: %u, which hold %u streams and %u events",
             instances, streams, events);
    CHECK(capture_explains((const char *const[]){refusal, held, "aclmdlRIDestroy", NULL}));
}

void test_limit_streams(void)
{
    static aclmdlRI instances[STREAMS_MOST];
    capture s;
    capture_open(&s);
    uint32_t available = 0, made = 0;
    CHECK_OK(aclrtGetStreamAvailableNum(&available));
    for (; made < available; made++) {
        capture_begin(s.first);
        instances[made] = capture_end(s.first);
    }
    char all[64];
    snprintf(all, sizeof(all), "has all of its %u streams in use",
             (unsigned)twin_profile_value("limit.streams"));
    CHECK_CODE(aclmdlRICaptureBegin(s.first, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               ACL_ERROR_RT_RESOURCE_ALLOC_FAIL);
    explains(all, made + 1, made, 0); /* the instance that got no stream is counted */
    CHECK_OK(aclmdlRIDestroy(instances[--made]));
    capture_begin(s.first);
    instances[made++] = capture_end(s.first);
    capture_run(instances[made - 1], s.second);
    while (made > 0)
        CHECK_OK(aclmdlRIDestroy(instances[--made]));
    CHECK_OK(aclrtGetStreamAvailableNum(&made));
    CHECK_EQUAL(made, available);
    capture_close(&s);
}

/* A record of a capture takes an event of the device. Captures until `count` records are made;
 * returns the instances. */
static uint32_t capture_records(capture *s, aclmdlRI *instances, uint32_t count)
{
    uint32_t made = 0;
    while (count > 0) {
        capture_begin(s->first);
        for (uint32_t i = 0; i < RECORDS && count > 0; i++, count--)
            CHECK_OK(aclrtRecordEvent(s->fork, s->first));
        instances[made++] = capture_end(s->first);
    }
    return made;
}

void test_limit_events(void)
{
    static aclmdlRI instances[STREAMS_MOST];
    capture s;
    capture_open(&s);
    uint32_t available = 0, left = 1;
    aclmdlRI instance = NULL;
    CHECK_OK(aclrtGetEventAvailNum(&available));
    CHECK_EQUAL(available, twin_profile_value("limit.events"));
    uint32_t made = capture_records(&s, instances, available);
    CHECK_OK(aclrtGetEventAvailNum(&left));
    CHECK_EQUAL(left, 0);
    capture_begin(s.first);
    CHECK_CODE(aclrtRecordEvent(s.fork, s.first), ACL_ERROR_RT_NO_EVENT_RESOURCE);
    explains("cannot create the event", made + 1, made + 1, available);
    CHECK_CODE(aclmdlRICaptureEnd(s.first, &instance), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    while (made > 0)
        CHECK_OK(aclmdlRIDestroy(instances[--made]));
    CHECK_OK(aclrtGetEventAvailNum(&left));
    CHECK_EQUAL(left, available);
    capture_close(&s);
}

void test_limit_notifies(void)
{
    static aclrtNotify notifies[NOTIFIES_MOST];
    capture s;
    capture_open(&s);
    uint32_t count = 0;
    const uint32_t limit = (uint32_t)twin_profile_value("limit.notifies");
    while (count + 1 < limit)
        CHECK_OK(aclrtCreateNotify(&notifies[count++], 0));
    CHECK_CODE(aclmdlRICaptureBegin(s.first, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               ACL_ERROR_RT_NO_NOTIFY_RESOURCE);
    CHECK(capture_explains((const char *const[]){"needs two hardware notifies", NULL}));
    CHECK_OK(aclrtDestroyNotify(notifies[--count]));
    capture_begin(s.first);
    aclmdlRI instance = capture_end(s.first);
    CHECK_CODE(aclrtCreateNotify(&notifies[count], 0), ACL_ERROR_RT_NO_NOTIFY_RESOURCE);
    explains("cannot create the notify", 1, 1, 0);
    CHECK_OK(aclmdlRIDestroy(instance));
    while (count > 0)
        CHECK_OK(aclrtDestroyNotify(notifies[--count]));
    capture_close(&s);
}
