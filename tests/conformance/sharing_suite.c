/* SPDX-License-Identifier: Apache-2.0 */
/* Events and notifies that are shared, used within one process; and the table of the suite. */
#include "sharing_tests.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

aclrtNotify sharing_notify(void)
{
    aclrtNotify notify = NULL;
    CHECK_OK(aclrtCreateNotify(&notify, 0));
    return notify;
}

aclrtEvent sharing_event(void)
{
    return twin_event_flags(EVENT_EX, ACL_EVENT_IPC);
}

void sharing_write_handle(aclrtEvent event, char line[TWIN_LINE])
{
    aclrtIpcEventHandle handle = {{0}};
    CHECK_OK(aclrtIpcGetEventHandle(event, &handle));
    for (size_t i = 0; i < sizeof(handle.reserved); i++)
        snprintf(line + 2 * i, 3, "%02x", (unsigned char)handle.reserved[i]);
}

aclrtEvent sharing_open_handle(const char *line)
{
    aclrtIpcEventHandle handle = {{0}};
    aclrtEvent event = NULL;
    for (size_t i = 0; i < sizeof(handle.reserved) && line[2 * i] && line[2 * i + 1]; i++) {
        unsigned byte = 0;
        sscanf(line + 2 * i, "%2x", &byte);
        handle.reserved[i] = (char)byte;
    }
    CHECK_OK(aclrtIpcOpenEventHandle(handle, &event));
    return event;
}

/* ---- notifies ------------------------------------------------------------------------------- */

void test_export_arguments(void)
{
    char key[KEY_BYTES + 7];
    CHECK_OK(aclrtSetDevice(0));
    aclrtNotify notify = sharing_notify();
    CHECK_CODE(aclrtNotifyGetExportKey(NULL, key, sizeof(key), 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtNotifyGetExportKey(notify, NULL, sizeof(key), 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtNotifyGetExportKey(notify, key, 0, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtNotifyGetExportKey(notify, key, KEY_BYTES - 1, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtNotifyGetExportKey(notify, key, KEY_BYTES, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtNotifyGetExportKey(notify, key, KEY_BYTES, 3), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtNotifyGetExportKey(notify, key, KEY_BYTES, UINT64_MAX),
               ACL_ERROR_RT_PARAM_INVALID);

    /* A key is a text that fits, and the same each time. */
    char again[KEY_BYTES] = "";
    memset(key, 'x', sizeof(key));
    CHECK_OK(aclrtNotifyGetExportKey(notify, key, KEY_BYTES, 0));
    CHECK(memchr(key, 0, KEY_BYTES) != NULL);
    CHECK_BYTES(key + KEY_BYTES, 'x', sizeof(key) - KEY_BYTES);
    CHECK_OK(aclrtNotifyGetExportKey(notify, again, KEY_BYTES, ANY_PROCESS));
    CHECK(strcmp(key, again) == 0);
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_CODE(aclrtNotifyGetExportKey(notify, key, sizeof(key), 0), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtResetDevice(0));
}

void test_import_arguments(void)
{
    char key[KEY_BYTES];
    int32_t pid = (int32_t)getpid();
    aclrtNotify imported = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtNotify notify = sharing_notify();
    CHECK_CODE(aclrtNotifySetImportPid(notify, &pid, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtNotifyGetExportKey(notify, key, sizeof(key), ANY_PROCESS));
    CHECK_CODE(aclrtNotifyImportByKey(NULL, key, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtNotifyImportByKey(&imported, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtNotifyImportByKey(&imported, key, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtNotifyImportByKey(&imported, key, 3), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtNotifyImportByKey(&imported, key, 4), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(imported == NULL);
    CHECK_OK(aclrtNotifyImportByKey(&imported, key, ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS));
    CHECK_OK(aclrtDestroyNotify(imported));

    CHECK_CODE(aclrtNotifySetImportPid(NULL, &pid, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtNotifySetImportPid(notify, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtNotifySetImportPid(notify, &pid, 0), ACL_ERROR_RT_PARAM_INVALID);
    pid = -1;
    CHECK_CODE(aclrtNotifySetImportPid(notify, &pid, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtDestroyNotify(notify));
    pid = 1;
    CHECK_CODE(aclrtNotifySetImportPid(notify, &pid, 1), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtResetDevice(0));
}

void test_own_whitelist(void)
{
    char key[KEY_BYTES];
    int32_t others[3] = {1, (int32_t)getppid(), (int32_t)getpid()};
    aclrtNotify imported = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtNotify notify = sharing_notify();
    CHECK_OK(aclrtNotifyGetExportKey(notify, key, sizeof(key), 0));
    CHECK_FAILS(aclrtNotifyImportByKey(&imported, key, 0));
    CHECK_OK(aclrtNotifySetImportPid(notify, others, 2));
    CHECK_FAILS(aclrtNotifyImportByKey(&imported, key, 0));
    CHECK_OK(aclrtNotifySetImportPid(notify, others, 3));
    CHECK_OK(aclrtNotifyImportByKey(&imported, key, 0));
    CHECK_OK(aclrtDestroyNotify(imported));
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtResetDevice(0));
}

void test_own_notify(void)
{
    char key[KEY_BYTES];
    uint32_t ids[2] = {0, 1};
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream recorder = twin_stream();
    aclrtStream waiter = twin_stream();
    aclrtNotify notify = sharing_notify();
    aclrtNotify imported = NULL;
    CHECK_OK(aclrtNotifyGetExportKey(notify, key, sizeof(key), ANY_PROCESS));
    CHECK_OK(aclrtNotifyImportByKey(&imported, key, 0));
    CHECK(imported != notify);
    CHECK_OK(aclrtGetNotifyId(notify, &ids[0]));
    CHECK_OK(aclrtGetNotifyId(imported, &ids[1]));
    CHECK_EQUAL(ids[0], ids[1]);
    for (int way = 0; way < 2; way++) {
        CHECK_OK(aclrtWaitAndResetNotify(way == 0 ? notify : imported, waiter, 0));
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(waiter, SHORT_MS),
                   ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        CHECK_OK(aclrtRecordNotify(way == 0 ? imported : notify, recorder));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(waiter, SOON_MS));
    }
    CHECK_OK(aclrtDestroyNotify(imported));
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtDestroyStream(waiter));
    CHECK_OK(aclrtDestroyStream(recorder));
    CHECK_OK(aclrtResetDevice(0));
}

/* Two devices of one process are like two processes. */
void test_notify_on_other_device(void)
{
    twin_hold hold;
    char key[KEY_BYTES];
    aclrtNotify imported = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream waiter = twin_stream();
    aclrtNotify notify = sharing_notify();
    CHECK_OK(aclrtNotifyGetExportKey(notify, key, sizeof(key), ANY_PROCESS));
    CHECK_OK(aclrtWaitAndResetNotify(notify, waiter, 0));

    CHECK_OK(aclrtSetDevice(1));
    aclrtStream recorder = twin_stream();
    aclrtStream opener = twin_stream();
    CHECK_OK(aclrtNotifyImportByKey(&imported, key, 0));
    CHECK_CODE(aclrtWaitAndResetNotify(imported, recorder, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_FAILS(aclrtNotifyBatchReset(&imported, 1));
    twin_hold_begin(&hold, recorder);
    CHECK_OK(aclrtRecordNotify(imported, recorder));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(waiter, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(waiter, SOON_MS));

    /* It is remembered, and one wait uses it up. */
    CHECK_OK(aclrtRecordNotify(imported, recorder));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(recorder, SOON_MS));
    CHECK_OK(aclrtDestroyNotify(imported));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(recorder));
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtSetDevice(0));
    for (int round = 0; round < 2; round++) {
        CHECK_OK(aclrtWaitAndResetNotify(notify, waiter, 0));
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(waiter, SHORT_MS),
                   round == 0 ? ACL_SUCCESS : ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    }
    CHECK_OK(aclrtDestroyStreamForce(waiter));
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtResetDevice(0));
}

void test_notify_handles(void)
{
    char key[KEY_BYTES];
    aclrtNotify imported[2] = {NULL, NULL};
    aclrtNotify late = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtNotify notify = sharing_notify();
    CHECK_OK(aclrtNotifyGetExportKey(notify, key, sizeof(key), ANY_PROCESS));
    for (int i = 0; i < 2; i++)
        CHECK_OK(aclrtNotifyImportByKey(&imported[i], key, 0));
    CHECK_OK(aclrtDestroyNotify(imported[0]));
    CHECK_CODE(aclrtRecordNotify(imported[0], stream), ACL_ERROR_RT_INVALID_HANDLE);

    /* The creator's handle goes, the other one still works. */
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_CODE(aclrtRecordNotify(notify, stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtRecordNotify(imported[1], stream));
    CHECK_OK(aclrtWaitAndResetNotify(imported[1], stream, 0));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtDestroyNotify(imported[1]));
    CHECK_FAILS(aclrtNotifyImportByKey(&late, key, 0));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- events --------------------------------------------------------------------------------- */

static void open_without_context(void *pointer)
{
    aclrtEvent event = NULL;
    CHECK_CODE(aclrtIpcOpenEventHandle(*(aclrtIpcEventHandle *)pointer, &event),
               ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtIpcOpenEventHandle(*(aclrtIpcEventHandle *)pointer, NULL),
               ACL_ERROR_INVALID_PARAM);
}

void test_event_arguments(void)
{
    static const uint32_t others[] = {ACL_EVENT_SYNC, ACL_EVENT_TIME_LINE};
    aclrtIpcEventHandle handle = {{0}};
    CHECK_OK(aclrtSetDevice(0));
    aclrtEvent event = sharing_event();
    CHECK_CODE(aclrtIpcGetEventHandle(NULL, &handle), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtIpcGetEventHandle(event, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtIpcGetEventHandle(event, &handle));
    twin_on_thread(open_without_context, &handle);
    for (size_t i = 0; i < TWIN_COUNT(others); i++)
        for (int kind = 0; kind < EVENT_KINDS; kind++) {
            aclrtEvent other = twin_event_flags((twin_event_kind)kind, others[i]);
            CHECK_CODE(aclrtIpcGetEventHandle(other, &handle), ACL_ERROR_RT_PARAM_INVALID);
            CHECK_OK(aclrtDestroyEvent(other));
        }
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_CODE(aclrtIpcGetEventHandle(event, &handle), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtResetDevice(0));
}

/* Work before the record on one stream, and a wait for it by another handle on a second one. */
static void check_event_order(aclrtEvent recorded, aclrtStream recorder, aclrtEvent awaited,
                              aclrtStream waiter, aclrtStream opener)
{
    twin_hold hold;
    twin_hold_begin(&hold, recorder);
    CHECK_OK(aclrtRecordEvent(recorded, recorder));
    CHECK(!twin_recorded(recorded));
    CHECK(!twin_recorded(awaited));
    CHECK_OK(aclrtStreamWaitEvent(waiter, awaited));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(waiter, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(awaited, SHORT_MS),
               ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    twin_hold_release(&hold, opener);
    CHECK_OK(aclrtSynchronizeEventWithTimeout(awaited, SOON_MS));
    CHECK(twin_recorded(awaited));
    CHECK(twin_recorded(recorded));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(waiter, SOON_MS));
    twin_hold_end(&hold, opener);
}

void test_own_event(void)
{
    char line[TWIN_LINE];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream streams[3] = {twin_stream(), twin_stream(), twin_stream()};
    aclrtEvent event = sharing_event();
    sharing_write_handle(event, line);
    aclrtEvent opened = sharing_open_handle(line);
    CHECK(opened != event);
    for (int round = 0; round < 3; round++) {
        check_event_order(event, streams[0], opened, streams[1], streams[2]);
        check_event_order(opened, streams[1], event, streams[0], streams[2]);
    }
    CHECK_OK(aclrtDestroyEvent(opened));
    CHECK_OK(aclrtDestroyEvent(event));
    for (int i = 0; i < 3; i++)
        CHECK_OK(aclrtDestroyStream(streams[i]));
    CHECK_OK(aclrtResetDevice(0));
}

void test_event_on_other_device(void)
{
    twin_hold hold;
    char line[TWIN_LINE];
    aclrtContext contexts[2] = {NULL, NULL};
    aclrtStream streams[2];
    aclrtStream opener;
    aclrtEvent events[2];
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&contexts[0]));
    streams[0] = twin_stream();
    opener = twin_stream();
    events[0] = sharing_event();
    /* What was recorded before the export counts. */
    twin_hold_begin(&hold, streams[0]);
    CHECK_OK(aclrtRecordEvent(events[0], streams[0]));
    sharing_write_handle(events[0], line);
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtGetCurrentContext(&contexts[1]));
    streams[1] = twin_stream();
    events[1] = sharing_open_handle(line);
    CHECK(!twin_recorded(events[1]));
    CHECK_OK(aclrtStreamWaitEvent(streams[1], events[1]));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(streams[1], SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtSetCurrentContext(contexts[0]));
    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(streams[1], SOON_MS));
    CHECK(twin_recorded(events[1]));

    /* A wait binds to the newest record of the moment, wherever it was made. */
    CHECK_OK(aclrtSetCurrentContext(contexts[1]));
    CHECK_OK(aclrtRecordEvent(events[1], streams[1]));
    CHECK_OK(aclrtSetCurrentContext(contexts[0]));
    twin_hold_begin(&hold, streams[0]);
    CHECK_OK(aclrtRecordEvent(events[0], streams[0]));
    CHECK_OK(aclrtSetCurrentContext(contexts[1]));
    CHECK_OK(aclrtStreamWaitEvent(streams[1], events[1]));
    CHECK_OK(aclrtRecordEvent(events[1], streams[1])); /* after the wait */
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(events[0], SHORT_MS),
               ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    CHECK_OK(aclrtSetCurrentContext(contexts[0]));
    twin_hold_release(&hold, opener);
    CHECK_OK(aclrtSynchronizeEventWithTimeout(events[0], SOON_MS));
    CHECK(twin_idle(streams[1]));
    twin_hold_end(&hold, opener);

    CHECK_OK(aclrtDestroyEvent(events[1]));
    CHECK_OK(aclrtDestroyEvent(events[0]));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(streams[0]));
    CHECK_OK(aclrtSetCurrentContext(contexts[1]));
    CHECK_OK(aclrtDestroyStream(streams[1]));
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtResetDevice(0));
}

void test_event_before_record(void)
{
    char line[TWIN_LINE];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = sharing_event();
    sharing_write_handle(event, line);
    aclrtEvent opened = sharing_open_handle(line);
    for (int i = 0; i < 2; i++) {
        aclrtEvent which = i == 0 ? event : opened;
        CHECK(twin_recorded(which));
        CHECK_OK(aclrtStreamWaitEvent(stream, which));
        CHECK(twin_idle(stream));
        CHECK_OK(aclrtSynchronizeEventWithTimeout(which, SHORT_MS));
        CHECK_OK(aclrtSynchronizeEvent(which));
    }
    CHECK_OK(aclrtDestroyEvent(opened));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_event_unsupported(void)
{
    char line[TWIN_LINE];
    float ms = 0;
    uint64_t time = 0;
    uint32_t id = 0;
    aclrtEventStatus status;
    aclrtEventWaitStatus wait_status;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = sharing_event();
    sharing_write_handle(event, line);
    aclrtEvent opened = sharing_open_handle(line);
    for (int i = 0; i < 2; i++) {
        aclrtEvent which = i == 0 ? event : opened;
        CHECK_OK(aclrtRecordEvent(which, stream));
        CHECK_OK(aclrtSynchronizeEventWithTimeout(which, SOON_MS));
        const aclError refused = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
        CHECK_CODE(aclrtResetEvent(which, stream), refused);
        CHECK_CODE(aclrtQueryEvent(which, &status), refused);
        CHECK_CODE(aclrtQueryEventWaitStatus(which, &wait_status), refused);
        CHECK_CODE(aclrtEventElapsedTime(&ms, which, which), refused);
        CHECK_CODE(aclrtEventGetTimestamp(which, &time), refused);
        CHECK_CODE(aclrtGetEventId(which, &id), refused);
        CHECK_CODE(aclrtRecordEventWithFlag(which, stream, ACL_EVENT_RECORD_EXTERNAL), refused);
    }
    CHECK_OK(aclrtDestroyEvent(opened));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_event_handles(void)
{
    char line[TWIN_LINE];
    aclrtIpcEventHandle handle = {{0}};
    aclrtEvent late = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = sharing_event();
    CHECK_OK(aclrtIpcGetEventHandle(event, &handle));
    sharing_write_handle(event, line);
    aclrtEvent opened = sharing_open_handle(line);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_CODE(aclrtRecordEvent(event, stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtRecordEvent(opened, stream));
    CHECK_OK(aclrtSynchronizeEventWithTimeout(opened, SOON_MS));
    CHECK_OK(aclrtDestroyEvent(opened));
    CHECK_CODE(aclrtDestroyEvent(opened), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_FAILS(aclrtIpcOpenEventHandle(handle, &late));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_made_up_keys(void)
{
    static const char *const keys[] = {
        "",
        "x",
        "../../../../../../../../../../../../../../../../../../etc/passwd",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde",
        "%s%s%s%s%n%n%n%n0123456789abcdef0123456789abcdef0123456789abcdef",
    };
    aclrtNotify notify = NULL;
    aclrtEvent event = NULL;
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(keys); i++) {
        aclrtIpcEventHandle handle = {{0}};
        CHECK_CODE(aclrtNotifyImportByKey(&notify, keys[i], 0), ACL_ERROR_RT_PARAM_INVALID);
        memcpy(handle.reserved, keys[i], strlen(keys[i]));
        CHECK_CODE(aclrtIpcOpenEventHandle(handle, &event), ACL_ERROR_RT_PARAM_INVALID);
    }
    aclrtIpcEventHandle full;
    memset(&full, 0xff, sizeof(full));
    CHECK_CODE(aclrtIpcOpenEventHandle(full, &event), ACL_ERROR_RT_PARAM_INVALID);

    /* A good key, of the other kind. */
    char key[KEY_BYTES] = "";
    aclrtNotify shared = sharing_notify();
    aclrtEvent shared_event = sharing_event();
    CHECK_OK(aclrtNotifyGetExportKey(shared, key, sizeof(key), ANY_PROCESS));
    CHECK_OK(aclrtIpcGetEventHandle(shared_event, &full));
    aclrtIpcEventHandle other = {{0}};
    memcpy(other.reserved, key, sizeof(other.reserved));
    CHECK_CODE(aclrtIpcOpenEventHandle(other, &event), ACL_ERROR_RT_PARAM_INVALID);
    memcpy(key, full.reserved, sizeof(full.reserved));
    CHECK_CODE(aclrtNotifyImportByKey(&notify, key, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(notify == NULL && event == NULL);
    CHECK_OK(aclrtDestroyEvent(shared_event));
    CHECK_OK(aclrtDestroyNotify(shared));
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"NTF-13: an export checks key, length and flags, and gives one key", test_export_arguments},
    {"NTF-14: import and list of processes check their arguments", test_import_arguments},
    {"NTF-14: the list of processes holds for the own process too", test_own_whitelist},
    {"NTF-14: another process imports only when it is listed", test_partner_whitelist},
    {"NTF-15: a notify is used by its own key like itself", test_own_notify},
    {"NTF-15: another device records a notify and may not wait for it",
     test_notify_on_other_device},
    {"NTF-15: another process records, this one waits", test_partner_records},
    {"NTF-15: work of this process goes on behind the record of another one",
     test_partner_answered},
    {"NTF-16: every handle is destroyed by itself", test_notify_handles},
    {"EVT-69: event handles check their arguments", test_event_arguments},
    {"EVT-70: an event is used by its own handle like itself", test_own_event},
    {"EVT-70: an event orders two devices that have it open", test_event_on_other_device},
    {"EVT-70: another process's work follows a record of this one", test_partner_waits_for_event},
    {"EVT-70: this process's work follows a record of another one", test_partner_records_event},
    {"EVT-71: before any record nothing waits", test_event_before_record},
    {"EVT-72: shared events have no time, no id, no reset and no old query",
     test_event_unsupported},
    {"EVT-73: each handle is destroyed by itself", test_event_handles},
    {"EVT-70: another process sees a record that was complete before the export",
     test_partner_finds_event},
    {"EVT-73: another process keeps an event that its creator destroyed", test_partner_keeps_event},
    {"keys that were never exported are refused", test_made_up_keys},
    {"a wait whose other process has ended is explained", test_partner_ends},
    {"a wait whose other process was killed is explained", test_partner_killed},
    {"a wait for a record of a process that was killed ends", test_partner_killed_while_recording},
    {"a deadlock that no other process can end is found at once", test_own_deadlock_is_found},
};

int main(int argc, char **argv)
{
    const twin_suite suite = {
        .name = "sharing",
        .tests = tests,
        .test_count = TWIN_COUNT(tests),
        .children = sharing_children,
        .child_count = sharing_child_count,
        .initialise = true,
    };
    return twin_suite_main(&suite, argc, argv);
}
