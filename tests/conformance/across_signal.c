/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies and events that two devices of one process share: the time a record takes on the way,
 * and their ends in either order. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "across_tests.h"
#include "profile.h"
#include "suite.h"

#define KEY_BYTES 65

/* A record of the shared thing, and a wait for it by another handle or the same. */
typedef struct shared_kind {
    const char *function; /* that a part offers which has them */
    void *(*create)(void);
    /* The device that waits has it, another one records. */
    void *(*open)(void *thing);
    aclError (*record)(void *thing, aclrtStream stream);
    aclError (*wait)(void *thing, aclrtStream stream);
    aclError (*destroy)(void *thing);
} shared_kind;

static void *create_notify(void)
{
    aclrtNotify notify = NULL;
    CHECK_OK(aclrtCreateNotify(&notify, 0));
    return notify;
}

static void *open_notify(void *thing)
{
    char key[KEY_BYTES];
    aclrtNotify opened = NULL;
    CHECK_OK(aclrtNotifyGetExportKey(thing, key, sizeof(key),
                                     ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    CHECK_OK(aclrtNotifyImportByKey(&opened, key, 0));
    return opened;
}

static aclError wait_notify(void *thing, aclrtStream stream)
{
    return aclrtWaitAndResetNotify(thing, stream, 0);
}

static const shared_kind notifies = {.function = "aclrtNotifyGetExportKey",
                                     .create = create_notify,
                                     .open = open_notify,
                                     .record = aclrtRecordNotify,
                                     .wait = wait_notify,
                                     .destroy = aclrtDestroyNotify};

static void *create_event(void)
{
    return twin_event_flags(EVENT_EX, ACL_EVENT_IPC);
}

static void *open_event(void *thing)
{
    aclrtIpcEventHandle handle = {{0}};
    aclrtEvent opened = NULL;
    CHECK_OK(aclrtIpcGetEventHandle(thing, &handle));
    CHECK_OK(aclrtIpcOpenEventHandle(handle, &opened));
    return opened;
}

static aclError wait_event(void *thing, aclrtStream stream)
{
    return aclrtStreamWaitEvent(stream, thing);
}

static const shared_kind events = {.function = "aclrtIpcGetEventHandle",
                                   .create = create_event,
                                   .open = open_event,
                                   .record = aclrtRecordEvent,
                                   .wait = wait_event,
                                   .destroy = aclrtDestroyEvent};

static bool is_offered(const shared_kind *kind)
{
    return twin_profile_offers(kind->function);
}

static bool gets_done(aclrtStream stream)
{
    aclError code = aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS);
    CHECK_EITHER(code, ACL_SUCCESS, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    return code == ACL_SUCCESS;
}

static aclrtContext set_device(int32_t device)
{
    aclrtContext context = NULL;
    CHECK_OK(aclrtSetDevice(device));
    CHECK_OK(aclrtGetCurrentContext(&context));
    return context;
}

/* ---- time ----------------------------------------------------------------------------------- */

/* A stream of the device records time, then the shared thing, which a stream of device 0 waits for
 * before it records time. Returns the difference of the two times. */
static int64_t hop_ns(const shared_kind *kind, int32_t device)
{
    enum { FLAGS = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE };
    twin_hold hold;
    float ms = -1;
    aclrtContext here = set_device(0);
    aclrtStream waiter = twin_stream();
    aclrtEvent second = twin_event_flags(EVENT_EX, FLAGS);
    void *thing = kind->create();
    aclrtContext there = set_device(device);
    void *opened = kind->open(thing);
    aclrtStream recorder = twin_stream();
    aclrtStream opener = twin_stream();
    aclrtEvent first = twin_event_flags(EVENT_EX, FLAGS);
    twin_hold_begin(&hold, recorder);
    CHECK_OK(aclrtRecordEvent(first, recorder));
    CHECK_OK(kind->record(opened, recorder));
    CHECK_OK(aclrtSetCurrentContext(here));
    CHECK_OK(kind->wait(thing, waiter));
    CHECK_OK(aclrtRecordEvent(second, waiter));
    CHECK(!gets_done(waiter));
    CHECK_OK(aclrtSetCurrentContext(there));
    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtSetCurrentContext(here));
    CHECK(gets_done(waiter));
    CHECK_OK(aclrtEventElapsedTime(&ms, first, second));
    CHECK_OK(aclrtDestroyEvent(second));
    CHECK_OK(aclrtDestroyStream(waiter));
    CHECK_OK(kind->destroy(thing));
    CHECK_OK(aclrtSetCurrentContext(there));
    CHECK_OK(kind->destroy(opened));
    CHECK_OK(aclrtDestroyEvent(first));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(recorder));
    if (device != 0)
        CHECK_OK(aclrtResetDeviceForce(device));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDeviceForce(0));
    return llround((double)ms * 1e6);
}

/* The additional time of a record that is made on another device; `access_ns` is the time of its
 * access there. */
static void check_way(const shared_kind *kind, int64_t store_ns, int64_t access_ns)
{
    if (!is_offered(kind))
        return;
    int64_t way = (int64_t)twin_profile_value("link.peer_write_ns");
    int64_t tick = (int64_t)(1000 / twin_profile_value("counter_mhz") + 1);
    int64_t near = hop_ns(kind, 0);
    int64_t far = hop_ns(kind, 1);
    int64_t more = way + store_ns - access_ns;
    CHECK(far >= way);
    if (twin_profile_value("firmware.loop") !=
        0) /* the loop of device 0 serves both streams, if there is one device */
        return;
    if (!CHECK(far - near >= more - tick && far - near <= more + tick))
        fprintf(stderr, "  %lld ns on one device, %lld ns across, %lld ns of it the way\n",
                (long long)near, (long long)far, (long long)more);
}

/* T-RMT-1, T-RMT-2, T-RMT-10: the record is a store, which takes the way; a record at home is an
 * access to the table. */
void test_shared_notify_takes_its_way(void)
{
    check_way(&notifies, (int64_t)twin_profile_value("sqe.write_value_ns"),
              (int64_t)twin_profile_value("table.notify_ns"));
}

/* T-RMT-6, T-RMT-7, T-RMT-10: the record is the same, and is forwarded. */
void test_shared_event_takes_its_way(void)
{
    check_way(&events, 0, 0);
}

/* ---- ends in either order ------------------------------------------------------------------- */

/* The creator's handle goes while a stream waits: records of the other handle still reach the wait,
 * and later ones have no effect. Its place in the table goes to no other notify meanwhile. */
void test_shared_notify_outlives_its_creator(void)
{
    enum { MANY = 40 };
    if (!is_offered(&notifies))
        return;
    aclrtNotify others[MANY];
    aclrtContext here = set_device(0);
    aclrtStream waiter = twin_stream();
    aclrtNotify notify = create_notify();
    aclrtContext there = set_device(1);
    aclrtStream recorder = twin_stream();
    aclrtNotify opened = open_notify(notify);
    CHECK_OK(aclrtSetCurrentContext(here));
    CHECK_OK(aclrtWaitAndResetNotify(notify, waiter, 0));
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK(!gets_done(waiter));
    for (int i = 0; i < MANY; i++)
        others[i] = create_notify();
    CHECK_OK(aclrtSetCurrentContext(there));
    CHECK_OK(aclrtRecordNotify(opened, recorder));
    CHECK(gets_done(recorder));
    CHECK_OK(aclrtRecordNotify(opened, recorder)); /* no stream waits */
    CHECK(gets_done(recorder));
    CHECK_OK(aclrtSetCurrentContext(here));
    CHECK(gets_done(waiter));
    for (int i = 0; i < MANY; i++) {
        CHECK_OK(aclrtWaitAndResetNotify(others[i], waiter, 0));
        CHECK(!gets_done(waiter));
        CHECK_OK(aclrtDestroyStreamForce(waiter));
        waiter = twin_stream();
        CHECK_OK(aclrtDestroyNotify(others[i]));
    }
    CHECK_OK(aclrtDestroyStream(waiter));
    CHECK_OK(aclrtSetCurrentContext(there));
    CHECK_OK(aclrtDestroyNotify(opened));
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDeviceForce(0));
}

/* The device of the notify is reset and set again: records of the old handle have no effect. */
void test_shared_notify_and_a_reset_there(void)
{
    if (!is_offered(&notifies))
        return;
    (void)set_device(0);
    aclrtNotify notify = create_notify();
    aclrtContext there = set_device(1);
    aclrtStream recorder = twin_stream();
    aclrtNotify opened = open_notify(notify);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDeviceForce(0));
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream waiter = twin_stream();
    aclrtNotify fresh = create_notify();
    CHECK_OK(aclrtWaitAndResetNotify(fresh, waiter, 0));
    CHECK_OK(aclrtSetCurrentContext(there));
    CHECK_OK(aclrtRecordNotify(opened, recorder));
    CHECK(gets_done(recorder));
    CHECK_OK(aclrtSetDevice(0));
    CHECK(!gets_done(waiter));
    CHECK_OK(aclrtRecordNotify(fresh, NULL));
    CHECK(gets_done(waiter));
    CHECK_OK(aclrtDestroyStream(waiter));
    CHECK_OK(aclrtDestroyNotify(fresh));
    CHECK_OK(aclrtSetCurrentContext(there));
    CHECK_OK(aclrtDestroyNotify(opened));
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDeviceForce(0));
}

/* A wait binds to the newest record, made through any handle, and ends with that one: a record of
 * another device, and one of its own device through another handle. */
void test_shared_event_of_three(void)
{
    if (!is_offered(&events))
        return;
    enum { DEVICES = 2 };
    aclrtContext contexts[DEVICES];
    aclrtStream recorders[DEVICES], openers[DEVICES], waiters[DEVICES];
    aclrtEvent handles[DEVICES];
    for (int i = 0; i < DEVICES; i++) {
        contexts[i] = set_device(i);
        recorders[i] = twin_stream();
        openers[i] = twin_stream();
        waiters[i] = twin_stream();
        handles[i] = i == 0 ? create_event() : open_event(handles[0]);
    }
    for (int round = 0; round < 4; round++) {
        const int maker = round % DEVICES;
        const int with = round / DEVICES; /* which handle the waits use */
        twin_hold hold;
        CHECK_OK(aclrtSetCurrentContext(contexts[maker]));
        twin_hold_begin(&hold, recorders[maker]);
        CHECK_OK(aclrtRecordEvent(handles[maker], recorders[maker]));
        for (int i = 0; i < DEVICES; i++) {
            CHECK_OK(aclrtSetCurrentContext(contexts[i]));
            CHECK_OK(aclrtStreamWaitEvent(waiters[i], handles[with]));
            CHECK(!gets_done(waiters[i]));
        }
        CHECK_CODE(aclrtSynchronizeEventWithTimeout(handles[with], SHORT_MS),
                   ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
        CHECK_OK(aclrtSetCurrentContext(contexts[maker]));
        twin_hold_end(&hold, openers[maker]);
        CHECK_OK(aclrtSynchronizeEvent(handles[with]));
        for (int i = 0; i < DEVICES; i++) {
            CHECK_OK(aclrtSetCurrentContext(contexts[i]));
            CHECK(gets_done(waiters[i]));
        }
    }
    for (int i = 0; i < DEVICES; i++) {
        CHECK_OK(aclrtSetCurrentContext(contexts[i]));
        CHECK_OK(aclrtDestroyEvent(handles[i]));
        CHECK_OK(aclrtResetDeviceForce(i));
    }
}

/* A record that is dropped before the wait was queued leaves nothing to wait for, as on one
 * device. */
void test_shared_event_dropped(void)
{
    if (!is_offered(&events))
        return;
    twin_hold hold;
    aclrtContext here = set_device(0);
    aclrtStream recorder = twin_stream();
    aclrtEvent event = create_event();
    twin_hold_begin(&hold, recorder);
    CHECK_OK(aclrtRecordEvent(event, recorder));
    aclrtContext there = set_device(1);
    aclrtStream waiter = twin_stream();
    aclrtEvent opened = open_event(event);
    CHECK_OK(aclrtSetCurrentContext(here));
    CHECK_OK(aclrtDestroyStreamForce(recorder));
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtSetCurrentContext(there));
    CHECK_OK(aclrtStreamWaitEvent(waiter, opened));
    CHECK(gets_done(waiter));
    CHECK_OK(aclrtDestroyEvent(opened));
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtResetDeviceForce(0));
}

/* Streams of two devices wait for each other: nothing else can end that, so it is a deadlock at
 * once, and the message names the device and stream that should record. */
void test_shared_deadlock(void)
{
    if (!is_offered(&events))
        return;
    char words[48];
    int32_t id = -1;
    aclrtContext here = set_device(0);
    aclrtStream first = twin_stream();
    aclrtEvent event = create_event();
    aclrtNotify gate = create_notify();
    CHECK_OK(aclrtWaitAndResetNotify(gate, first, 0));
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtStreamGetId(first, &id));
    (void)set_device(1);
    aclrtStream second = twin_stream();
    aclrtEvent opened = open_event(event);
    CHECK_OK(aclrtStreamWaitEvent(second, opened));
    (void)aclGetRecentErrMsg();
    CHECK_FAILS(aclrtSynchronizeStream(second));
    const char *text = aclGetRecentErrMsg();
    snprintf(words, sizeof(words), "to be recorded by device 0, stream %d", id);
    if (!CHECK(text != NULL && strstr(text, words) != NULL))
        fprintf(stderr, "  \"%s\" is not in the message: %s\n", words, text ? text : "(none)");
    CHECK_OK(aclrtSetCurrentContext(here));
    CHECK_OK(aclrtRecordNotify(gate, NULL));
    CHECK_OK(aclrtSynchronizeStream(first));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyNotify(gate));
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtSynchronizeStream(second));
    CHECK_OK(aclrtDestroyEvent(opened));
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDeviceForce(0));
}
