/* SPDX-License-Identifier: Apache-2.0 */
/* Events and notifies shared with a second process. Each process has its own board and clock, so
 * its waits pass in real time: no test depends on how long they take. */
#include "sharing_tests.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the second process --------------------------------------------------------------------- */

static aclrtStream child_begin(void)
{
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    return twin_stream();
}

static void child_end(aclrtStream stream)
{
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
}

/* Imports a notify and records it twice. */
static void child_notify(void)
{
    char line[TWIN_LINE];
    aclrtNotify notify = NULL;
    aclrtStream stream = child_begin();
    twin_partner_listen(line);
    CHECK_OK(aclrtNotifyImportByKey(&notify, line, 0));
    CHECK_CODE(aclrtWaitAndResetNotify(notify, stream, 0), ACL_ERROR_RT_PARAM_INVALID);
    twin_partner_ask("imported");
    for (int i = 0; i < 2; i++) {
        CHECK_OK(aclrtRecordNotify(notify, stream));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
        twin_partner_ask("recorded");
    }
    CHECK_OK(aclrtDestroyNotify(notify));
    child_end(stream);
}

/* Imports when it is not allowed to, and when it is. */
static void child_whitelist(void)
{
    char line[TWIN_LINE];
    char key[TWIN_LINE];
    aclrtNotify notify = NULL;
    aclrtStream stream = child_begin();
    twin_partner_listen(key);
    CHECK_FAILS(aclrtNotifyImportByKey(&notify, key, 0));
    snprintf(line, sizeof(line), "%d", (int)getpid());
    twin_partner_ask(line);
    CHECK_OK(aclrtNotifyImportByKey(&notify, key, 0));
    twin_partner_say("imported");
    CHECK_OK(aclrtDestroyNotify(notify));
    child_end(stream);
}

/* Opens an event that is pending, and waits for it in all ways. */
static void child_waits(void)
{
    char line[TWIN_LINE];
    aclrtStream stream = child_begin();
    twin_buffer data;
    twin_buffer_make(&data, 64, 1);
    twin_partner_listen(line);
    aclrtEvent event = sharing_open_handle(line);
    CHECK(!twin_recorded(event));
    CHECK_OK(aclrtStreamWaitEvent(stream, event));
    CHECK_OK(aclrtMemsetAsync(data.device, 64, 2, 64, stream));
    CHECK_OK(aclrtMemcpyAsync(data.host, 64, data.device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, SHORT_MS), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    CHECK_BYTES(data.host, 1, 64);
    twin_partner_say("waiting");
    CHECK_OK(aclrtSynchronizeEvent(event));
    CHECK(twin_recorded(event));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_BYTES(data.host, 2, 64);

    /* Again, the stream's wait first, and by asking. */
    twin_partner_ask("again");
    CHECK_OK(aclrtStreamWaitEvent(stream, event));
    CHECK(!twin_idle(stream));
    twin_partner_say("waiting");
    CHECK_OK(aclrtSynchronizeStream(stream));
    while (!twin_recorded(event))
        continue;
    twin_partner_say("done");
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyEvent(event));
    child_end(stream);
}

/* Opens an event and records it, twice. */
static void child_records(void)
{
    char line[TWIN_LINE];
    twin_hold hold;
    aclrtStream stream = child_begin();
    aclrtStream opener = twin_stream();
    twin_partner_listen(line);
    aclrtEvent event = sharing_open_handle(line);
    for (int i = 0; i < 2; i++) {
        twin_hold_begin(&hold, stream);
        CHECK_OK(aclrtRecordEvent(event, stream));
        CHECK(!twin_recorded(event));
        twin_partner_ask("pending");
        twin_hold_end(&hold, opener);
        CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
        twin_partner_ask("recorded");
    }
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(opener));
    child_end(stream);
}

/* Opens an event whose record was complete before it was exported. */
static void child_finds(void)
{
    char line[TWIN_LINE];
    aclrtStream stream = child_begin();
    twin_partner_listen(line);
    aclrtEvent event = sharing_open_handle(line);
    CHECK(twin_recorded(event));
    CHECK_OK(aclrtStreamWaitEvent(stream, event));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
    twin_partner_ask("found");
    CHECK_OK(aclrtDestroyEvent(event));
    child_end(stream);
}

/* Opens an event that its creator destroys. */
static void child_keeps(void)
{
    char line[TWIN_LINE];
    aclrtStream stream = child_begin();
    twin_partner_listen(line);
    aclrtEvent event = sharing_open_handle(line);
    twin_partner_ask("opened");
    CHECK(twin_recorded(event));
    CHECK_OK(aclrtSynchronizeEvent(event));
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtStreamWaitEvent(stream, event));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK(twin_recorded(event));
    CHECK_OK(aclrtDestroyEvent(event));
    child_end(stream);
}

/* Records what never comes to pass, and ends. */
static void child_ends(void)
{
    char line[TWIN_LINE];
    twin_hold hold;
    aclrtStream stream = child_begin();
    twin_partner_listen(line);
    aclrtEvent event = sharing_open_handle(line);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtRecordEvent(event, stream));
    twin_partner_ask("pending");
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtResetDevice(0));
}

/* Imports a notify and waits to be killed. */
static void child_killed(void)
{
    char line[TWIN_LINE];
    aclrtNotify notify = NULL;
    (void)child_begin();
    twin_partner_listen(line);
    CHECK_OK(aclrtNotifyImportByKey(&notify, line, 0));
    twin_partner_ask("imported");
}

/* Records the test's notify and waits for what comes after it. */
static void child_answered(void)
{
    char key[TWIN_LINE];
    aclrtNotify asked = NULL;
    aclrtStream stream = child_begin();
    aclrtNotify own = sharing_notify();
    CHECK_OK(aclrtNotifyGetExportKey(own, key, KEY_BYTES, ANY_PROCESS));
    twin_partner_say(key);
    twin_partner_listen(key);
    CHECK_OK(aclrtNotifyImportByKey(&asked, key, 0));
    usleep(300000); /* the other process has come to its wait, and does nothing any more */
    CHECK_OK(aclrtRecordNotify(asked, stream));
    CHECK_OK(aclrtWaitAndResetNotify(own, stream, 0));
    CHECK_OK(aclrtSynchronizeStream(stream));
    twin_partner_ask("answered");
    CHECK_OK(aclrtDestroyNotify(asked));
    CHECK_OK(aclrtDestroyNotify(own));
    child_end(stream);
}

/* The stream goes on from the other process's record to its own while the only thread reads. The
 * model runs without a caller after 20 ms. */
static void child_asks(void)
{
    twin_partner partner;
    char line[TWIN_LINE];
    aclrtNotify theirs = NULL;
    aclrtStream stream = child_begin();
    aclrtNotify notify = sharing_notify();
    twin_partner_start(&partner, "answered");
    twin_partner_take(&partner, line);
    CHECK_OK(aclrtNotifyImportByKey(&theirs, line, 0));
    CHECK_OK(aclrtWaitAndResetNotify(notify, stream, 0));
    CHECK_OK(aclrtRecordNotify(theirs, stream));
    CHECK_OK(aclrtNotifyGetExportKey(notify, line, KEY_BYTES, ANY_PROCESS));
    twin_partner_send(&partner, line);
    twin_partner_expect(&partner, "answered");
    twin_partner_send(&partner, "end");
    twin_partner_end(&partner);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyNotify(theirs));
    CHECK_OK(aclrtDestroyNotify(notify));
    child_end(stream);
}

const twin_child sharing_children[] = {
    {"notify", child_notify},   {"whitelist", child_whitelist}, {"waits", child_waits},
    {"records", child_records}, {"keeps", child_keeps},         {"ends", child_ends},
    {"killed", child_killed},   {"finds", child_finds},         {"answered", child_answered},
    {"asks", child_asks},
};
const size_t sharing_child_count = TWIN_COUNT(sharing_children);

/* ---- the first process ---------------------------------------------------------------------- */

void test_partner_records(void)
{
    twin_partner partner;
    char key[KEY_BYTES];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtNotify notify = sharing_notify();
    CHECK_OK(aclrtNotifyGetExportKey(notify, key, sizeof(key), ANY_PROCESS));
    twin_partner_start(&partner, "notify");
    twin_partner_send(&partner, key);
    twin_partner_expect(&partner, "imported");
    CHECK_OK(aclrtWaitAndResetNotify(notify, stream, 0));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    twin_partner_send(&partner, "record");
    CHECK_OK(aclrtSynchronizeStream(stream)); /* without a limit: it is not a deadlock */
    twin_partner_expect(&partner, "recorded");

    /* A record is remembered, and used up by one wait. */
    twin_partner_send(&partner, "record");
    twin_partner_expect(&partner, "recorded");
    CHECK_OK(aclrtWaitAndResetNotify(notify, stream, 0));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtWaitAndResetNotify(notify, stream, 0));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    twin_partner_send(&partner, "end");
    twin_partner_end(&partner);
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtResetDevice(0));
}

void test_partner_answered(void)
{
    twin_run_child("asks", (const char *const[]){"TWINRT_PROGRESS=20", NULL});
}

void test_partner_whitelist(void)
{
    twin_partner partner;
    char key[KEY_BYTES];
    int32_t pid = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtNotify notify = sharing_notify();
    CHECK_OK(aclrtNotifyGetExportKey(notify, key, sizeof(key), 0));
    twin_partner_start(&partner, "whitelist");
    pid = (int32_t)getpid();
    CHECK_OK(aclrtNotifySetImportPid(notify, &pid, 1));
    twin_partner_send(&partner, key);
    pid = (int32_t)partner.pid;
    char text[TWIN_LINE];
    snprintf(text, sizeof(text), "%d", (int)pid);
    twin_partner_expect(&partner, text);
    CHECK_OK(aclrtNotifySetImportPid(notify, &pid, 1));
    twin_partner_send(&partner, "again");
    twin_partner_expect(&partner, "imported");
    twin_partner_end(&partner);
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtResetDevice(0));
}

void test_partner_waits_for_event(void)
{
    twin_partner partner;
    twin_hold hold;
    char line[TWIN_LINE];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream opener = twin_stream();
    aclrtEvent event = sharing_event();
    sharing_write_handle(event, line);
    twin_partner_start(&partner, "waits");
    for (int round = 0; round < 2; round++) {
        twin_hold_begin(&hold, stream);
        CHECK_OK(aclrtRecordEvent(event, stream));
        CHECK(!twin_recorded(event));
        twin_partner_send(&partner, round == 0 ? line : "go on");
        twin_partner_expect(&partner, "waiting");
        twin_hold_end(&hold, opener);
        CHECK_OK(aclrtSynchronizeEvent(event));
        twin_partner_expect(&partner, round == 0 ? "again" : "done");
    }
    twin_partner_end(&partner);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_partner_records_event(void)
{
    twin_partner partner;
    char line[TWIN_LINE];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = sharing_event();
    sharing_write_handle(event, line);
    twin_partner_start(&partner, "records");
    twin_partner_send(&partner, line);
    for (int round = 0; round < 2; round++) {
        twin_partner_expect(&partner, "pending");
        CHECK(!twin_recorded(event));
        CHECK_OK(aclrtStreamWaitEvent(stream, event));
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
                   ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        twin_partner_send(&partner, "go on");
        if (round == 0)
            CHECK_OK(aclrtSynchronizeEvent(event));
        CHECK_OK(aclrtSynchronizeStream(stream));
        CHECK(twin_recorded(event));
        twin_partner_expect(&partner, "recorded");
        twin_partner_send(&partner, "go on");
    }
    twin_partner_end(&partner);
    CHECK(twin_recorded(event));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* The creator makes no call between the export and the partner's end. */
void test_partner_finds_event(void)
{
    twin_partner partner;
    char line[TWIN_LINE];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = sharing_event();
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtSynchronizeEvent(event));
    sharing_write_handle(event, line);
    twin_partner_start(&partner, "finds");
    twin_partner_send(&partner, line);
    twin_partner_expect(&partner, "found");
    twin_partner_send(&partner, "go on");
    twin_partner_end(&partner);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_partner_keeps_event(void)
{
    twin_partner partner;
    char line[TWIN_LINE];
    aclrtIpcEventHandle handle = {{0}};
    aclrtEvent late = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = sharing_event();
    CHECK_OK(aclrtIpcGetEventHandle(event, &handle));
    sharing_write_handle(event, line);
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtSynchronizeEvent(event));
    twin_partner_start(&partner, "keeps");
    twin_partner_send(&partner, line);
    twin_partner_expect(&partner, "opened");
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_FAILS(aclrtIpcOpenEventHandle(handle, &late));
    twin_partner_send(&partner, "go on");
    twin_partner_end(&partner);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- other processes that end --------------------------------------------------------------- */

/* A dropped record never completes: a wait of the host fails at once; a wait of a stream goes on,
 * as another process may import the event and record it. */
void test_partner_ends(void)
{
    twin_partner partner;
    char line[TWIN_LINE];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = sharing_event();
    sharing_write_handle(event, line);
    twin_partner_start(&partner, "ends");
    twin_partner_send(&partner, line);
    twin_partner_expect(&partner, "pending");
    CHECK_OK(aclrtStreamWaitEvent(stream, event));
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, SHORT_MS), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    twin_partner_send(&partner, "end");
    CHECK_CODE(aclrtSynchronizeEvent(event), ACL_ERROR_RT_STREAM_ABORT);
    twin_partner_end(&partner);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtResetDevice(0));
}

typedef struct parked_wait {
    aclrtContext context;
    aclrtStream stream;
} parked_wait;

static void wait_for_notify(void *argument, unsigned index)
{
    const parked_wait *self = argument;
    (void)index;
    CHECK_OK(aclrtSetCurrentContext(self->context));
    CHECK_OK(aclrtSynchronizeStream(self->stream));
}

/* Standard error of this process goes to a file until `text` is there, at most for a minute.
 * Whether it came. */
static bool wait_for_line(const char *text)
{
    char buffer[4096] = "";
    FILE *file = tmpfile();
    const int before = dup(STDERR_FILENO);
    CHECK(file && before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    for (int i = 0; i < 6000 && !strstr(buffer, text); i++) {
        usleep(10000);
        const ssize_t length = pread(fileno(file), buffer, sizeof(buffer) - 1, 0);
        buffer[length > 0 ? length : 0] = '\0';
    }
    dup2(before, STDERR_FILENO);
    close(before);
    fclose(file);
    return strstr(buffer, text) != NULL;
}

/* A killed process can do nothing any more, but another thread of this one may: the wait goes on,
 * and a message names the process that has ended. */
void test_partner_killed(void)
{
    parked_wait parked;
    twin_partner partner;
    char key[KEY_BYTES];
    char name[64];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtNotify notify = sharing_notify();
    CHECK_OK(aclrtNotifyGetExportKey(notify, key, sizeof(key), ANY_PROCESS));
    twin_partner_start(&partner, "killed");
    twin_partner_send(&partner, key);
    twin_partner_expect(&partner, "imported");
    snprintf(name, sizeof(name), "process %d", (int)partner.pid);
    twin_partner_kill(&partner);
    CHECK_OK(aclrtWaitAndResetNotify(notify, stream, 0));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    parked.stream = stream;
    CHECK_OK(aclrtGetCurrentContext(&parked.context));
    twin_threads *threads = twin_threads_start(1, wait_for_notify, &parked);
    strcat(name, ", which could record it, has ended");
    CHECK(wait_for_line(name));

    /* The notify itself is as good as ever. */
    CHECK_OK(aclrtRecordNotify(notify, NULL));
    twin_threads_join(threads);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));

    /* No thread or process is left that could record it: a wait without a limit ends. */
    CHECK_OK(aclrtWaitAndResetNotify(notify, stream, 0));
    CHECK_CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtResetDevice(0));
}

/* The record that the killed process was to complete never comes; this process, its parent, has
 * not asked yet how it ended. */
void test_partner_killed_while_recording(void)
{
    twin_partner partner;
    char line[TWIN_LINE];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = sharing_event();
    sharing_write_handle(event, line);
    twin_partner_start(&partner, "ends");
    twin_partner_send(&partner, line);
    twin_partner_expect(&partner, "pending");
    CHECK_OK(aclrtStreamWaitEvent(stream, event));
    CHECK(kill(partner.pid, SIGKILL) == 0);
    CHECK_CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeEvent(event), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    twin_partner_kill(&partner);
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtResetDevice(0));
}

void test_own_deadlock_is_found(void)
{
    twin_hold hold;
    char key[KEY_BYTES];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtNotify notify = sharing_notify();
    CHECK_OK(aclrtNotifyGetExportKey(notify, key, sizeof(key), ANY_PROCESS));
    twin_hold_begin(&hold, stream);
    CHECK_CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}
