/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for records on another device: the time they take, and their end when something else ends.
 * Device 0 records, device 1 waits. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "event_tests.h"
#include "profile.h"
#include "suite.h"

/* A record that is held back, and a stream of device 1 that waits for it. */
struct pair {
    aclrtContext here;
    aclrtContext there;
    aclrtStream recorder;
    aclrtStream opener;
    aclrtStream waiter;
    aclrtEvent event;
    twin_hold hold;
};

static void begin(struct pair *pair)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&pair->here));
    pair->recorder = twin_stream();
    pair->opener = twin_stream();
    pair->event = twin_event(EVENT_EX);
    twin_hold_begin(&pair->hold, pair->recorder);
    CHECK_OK(aclrtRecordEvent(pair->event, pair->recorder));
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtGetCurrentContext(&pair->there));
    pair->waiter = twin_stream();
    CHECK_OK(aclrtStreamWaitEvent(pair->waiter, pair->event));
}

static bool gets_done(aclrtStream stream)
{
    aclError code = aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS);
    CHECK_EITHER(code, ACL_SUCCESS, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    return code == ACL_SUCCESS;
}

/* ---- time ----------------------------------------------------------------------------------- */

/* From a record to the end of a record that waits for it, on the device given. */
static int64_t hop_ns(int32_t device)
{
    enum { FLAGS = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE };
    twin_hold hold;
    float ms = -1;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream recorder = twin_stream();
    aclrtStream opener = twin_stream();
    aclrtEvent first = twin_event_flags(EVENT_EX, FLAGS);
    twin_hold_begin(&hold, recorder);
    CHECK_OK(aclrtRecordEvent(first, recorder));
    CHECK_OK(aclrtSetDevice(device));
    aclrtStream waiter = twin_stream();
    aclrtEvent second = twin_event_flags(EVENT_EX, FLAGS);
    CHECK_OK(aclrtStreamWaitEvent(waiter, first));
    CHECK_OK(aclrtRecordEvent(second, waiter));
    CHECK(!gets_done(waiter));
    CHECK_OK(aclrtSetDevice(0));
    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtSetDevice(device));
    CHECK(gets_done(waiter));
    CHECK_OK(aclrtEventElapsedTime(&ms, first, second));
    CHECK_OK(aclrtDestroyEvent(second));
    CHECK_OK(aclrtDestroyStream(waiter));
    if (device != 0)
        CHECK_OK(aclrtResetDevice(device));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtDestroyEvent(first));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(recorder));
    CHECK_OK(aclrtResetDeviceForce(0));
    return llround((double)ms * 1e6);
}

/* A hop to another device takes as long as one on the same device, plus the way between the two. */
void test_wait_across_devices_takes_its_way(void)
{
    int64_t way = (int64_t)twin_profile_value("link.peer_write_ns");
    int64_t tick = (int64_t)(1000 / twin_profile_value("counter_mhz") + 1);
    int64_t near = hop_ns(0);
    int64_t far = hop_ns(1);
    CHECK(far >= way);
    if (twin_profile_value("firmware.loop") ==
        0) /* else the loop of device 0 serves both streams */
        CHECK(far - near >= way - tick && far - near <= way + tick);
}

/* ---- something else ends -------------------------------------------------------------------- */

/* Hardware events that were in use are used again: no wait of either device ends for another's
 * record. */
static void check_others(const struct pair *pair)
{
    enum { MANY = 40 };
    aclrtStream recorders[MANY];
    aclrtStream waiters[MANY];
    aclrtEvent events[MANY];
    twin_hold holds[MANY];
    CHECK_OK(aclrtSetCurrentContext(pair->here));
    for (unsigned i = 0; i < MANY; i++) {
        recorders[i] = twin_stream();
        events[i] = twin_event(EVENT_EX);
        twin_hold_begin(&holds[i], recorders[i]);
        CHECK_OK(aclrtRecordEvent(events[i], recorders[i]));
    }
    CHECK_OK(aclrtSetCurrentContext(pair->there));
    for (unsigned i = 0; i < MANY; i++) {
        waiters[i] = twin_stream();
        CHECK_OK(aclrtStreamWaitEvent(waiters[i], events[i]));
    }
    for (unsigned n = 0; n < MANY; n++) {
        unsigned i = n * 7 % MANY;
        CHECK_OK(aclrtSetCurrentContext(pair->there));
        CHECK(!gets_done(waiters[i]));
        CHECK_OK(aclrtSetCurrentContext(pair->here));
        twin_hold_end(&holds[i], pair->opener);
        CHECK_OK(aclrtSetCurrentContext(pair->there));
        CHECK(gets_done(waiters[i]));
    }
    for (unsigned i = 0; i < MANY; i++)
        CHECK_OK(aclrtDestroyStream(waiters[i]));
    CHECK_OK(aclrtSetCurrentContext(pair->here));
    for (unsigned i = 0; i < MANY; i++) {
        CHECK_OK(aclrtDestroyEvent(events[i]));
        CHECK_OK(aclrtDestroyStream(recorders[i]));
    }
}

/* The work of the recording device is aborted: the stream of the other waits on, and its work can
 * be dropped. */
void test_wait_across_devices_and_an_abort_there(void)
{
    struct pair pair;
    begin(&pair);
    CHECK(!gets_done(pair.waiter));
    CHECK_OK(aclrtSetCurrentContext(pair.here));
    CHECK_OK(aclrtDeviceTaskAbort(0, 0));
    CHECK_OK(aclrtSetCurrentContext(pair.there));
    CHECK(!gets_done(pair.waiter));
    check_others(&pair);
    CHECK_OK(aclrtSetCurrentContext(pair.there));
    CHECK(!gets_done(pair.waiter));
    CHECK_OK(aclrtDestroyStreamForce(pair.waiter));
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtSetCurrentContext(pair.here));
    CHECK_OK(aclrtDestroyNotify(pair.hold.notify));
    CHECK_OK(aclrtDestroyEvent(pair.event));
    CHECK_OK(aclrtResetDeviceForce(0));
}

/* The work of the waiting device is aborted: the record finds no wait, and its place can be used
 * again. */
void test_wait_across_devices_and_an_abort_here(void)
{
    struct pair pair;
    begin(&pair);
    CHECK(!gets_done(pair.waiter));
    CHECK_OK(aclrtDeviceTaskAbort(1, 0));
    CHECK(gets_done(pair.waiter));
    check_others(&pair);
    CHECK_OK(aclrtSetCurrentContext(pair.here));
    twin_hold_end(&pair.hold, pair.opener);
    CHECK_OK(aclrtDestroyEvent(pair.event));
    CHECK_OK(aclrtSetCurrentContext(pair.there));
    CHECK(gets_done(pair.waiter));
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtResetDeviceForce(0));
}

/* The waiting device is reset and set again. */
void test_wait_across_devices_and_a_reset_here(void)
{
    struct pair pair;
    begin(&pair);
    CHECK(!gets_done(pair.waiter));
    CHECK_OK(aclrtDestroyStreamForce(pair.waiter));
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtGetCurrentContext(&pair.there));
    check_others(&pair);
    CHECK_OK(aclrtSetCurrentContext(pair.here));
    twin_hold_end(&pair.hold, pair.opener);
    CHECK_OK(aclrtDestroyEvent(pair.event));
    CHECK_OK(aclrtSetCurrentContext(pair.there));
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtResetDeviceForce(0));
}

/* The recording device is reset, which completes queued work: the record has been made, and the
 * wait ends even when its stream comes to it later. */
void test_wait_across_devices_and_a_reset_there(void)
{
    twin_hold hold;
    struct pair pair;
    begin(&pair);
    aclrtStream late = twin_stream();
    aclrtStream opener = twin_stream();
    twin_hold_begin(&hold, late);
    CHECK_OK(aclrtStreamWaitEvent(late, pair.event));
    CHECK_OK(aclrtSetCurrentContext(pair.here));
    twin_hold_release(&pair.hold, pair.opener);
    CHECK_OK(aclrtSynchronizeStream(pair.recorder));
    CHECK_OK(aclrtDestroyNotify(pair.hold.notify));
    CHECK_OK(aclrtDestroyEvent(pair.event));
    CHECK_OK(aclrtResetDeviceForce(0));
    CHECK_OK(aclrtSetDevice(1));
    CHECK(gets_done(pair.waiter));
    CHECK(!gets_done(late));
    twin_hold_end(&hold, opener);
    CHECK(gets_done(late));
    CHECK_OK(aclrtResetDeviceForce(1));
}

/* The wait has its own time limit, which passes; the record comes later. */
void test_wait_across_devices_times_out(void)
{
    struct pair pair;
    begin(&pair);
    aclrtStream limited = twin_stream();
    CHECK_OK(aclrtStreamWaitEventWithTimeout(limited, pair.event, 2));
    CHECK_CODE(aclrtSynchronizeStream(limited), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_OK(aclrtSetCurrentContext(pair.here));
    twin_hold_end(&pair.hold, pair.opener);
    CHECK_OK(aclrtSetCurrentContext(pair.there));
    CHECK(gets_done(pair.waiter));
    check_others(&pair);
    CHECK_OK(aclrtSetCurrentContext(pair.here));
    CHECK_OK(aclrtDestroyEvent(pair.event));
    CHECK_OK(aclrtSetCurrentContext(pair.there));
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtResetDeviceForce(0));
}

/* ---- deadlock ------------------------------------------------------------------------------- */

/* Streams of two devices wait for each other: the wait ends, and names both devices and streams. */
void test_deadlock_across_devices(void)
{
    struct pair pair;
    char words[3][48];
    int32_t ids[2] = {-1, -1};
    begin(&pair);
    aclrtEvent back = twin_event(EVENT_EX);
    CHECK_OK(aclrtStreamGetId(pair.waiter, &ids[1]));
    CHECK_OK(aclrtRecordEvent(back, pair.waiter));
    CHECK_OK(aclrtSetCurrentContext(pair.here));
    CHECK_OK(aclrtStreamGetId(pair.recorder, &ids[0]));
    CHECK_OK(aclrtStreamWaitEvent(pair.opener, back));
    twin_hold_release(&pair.hold, pair.opener);
    (void)aclGetRecentErrMsg();
    CHECK_FAILS(aclrtSynchronizeStream(pair.opener));
    const char *text = aclGetRecentErrMsg();
    CHECK(text != NULL);
    snprintf(words[0], sizeof(words[0]), "to be recorded by device 1, stream %d", ids[1]);
    snprintf(words[1], sizeof(words[1]), "to be recorded by device 0, stream %d", ids[0]);
    snprintf(words[2], sizeof(words[2]), "device 1, stream %d: waits for event", ids[1]);
    for (unsigned i = 0; i < TWIN_COUNT(words) && text; i++)
        if (!CHECK(strstr(text, words[i]) != NULL))
            fprintf(stderr, "  \"%s\" is not in the message: %s\n", words[i], text);
    /* Cut the circle. */
    aclrtStream cutter = twin_stream();
    CHECK_OK(aclrtRecordNotify(pair.hold.notify, cutter));
    CHECK_OK(aclrtSynchronizeStream(pair.opener));
    CHECK_OK(aclrtDestroyEvent(pair.event));
    CHECK_OK(aclrtSetCurrentContext(pair.there));
    CHECK(gets_done(pair.waiter));
    CHECK_OK(aclrtDestroyEvent(back));
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtSetCurrentContext(pair.here));
    CHECK_OK(aclrtDestroyNotify(pair.hold.notify));
    CHECK_OK(aclrtResetDeviceForce(0));
}
