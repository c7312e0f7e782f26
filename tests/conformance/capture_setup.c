/* SPDX-License-Identifier: Apache-2.0 */
#include "capture_tests.h"

#include <string.h>

aclrtEvent capture_event(void)
{
    aclrtEvent event = NULL;
    CHECK_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    return event;
}

void capture_open(capture *s)
{
    CHECK_OK(aclrtSetDevice(0));
    s->first = twin_stream();
    s->second = twin_stream();
    s->third = twin_stream();
    s->fork = capture_event();
    s->join = capture_event();
    CHECK_OK(aclrtMalloc((void **)&s->words, WORDS * 4, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMallocHost((void **)&s->host, WORDS * 4));
    CHECK_OK(aclrtMemset(s->words, WORDS * 4, 0, WORDS * 4));
}

void capture_close(capture *s)
{
    CHECK_OK(aclrtDestroyEvent(s->fork));
    CHECK_OK(aclrtDestroyEvent(s->join));
    CHECK_OK(aclrtDestroyStream(s->first));
    CHECK_OK(aclrtDestroyStream(s->second));
    CHECK_OK(aclrtDestroyStream(s->third));
    CHECK_OK(aclrtFree(s->words));
    CHECK_OK(aclrtFreeHost(s->host));
    CHECK_OK(aclrtResetDevice(0));
}

const int32_t *capture_fetch(capture *s)
{
    CHECK_OK(aclrtMemcpy(s->host, WORDS * 4, s->words, WORDS * 4, ACL_MEMCPY_DEVICE_TO_HOST));
    return s->host;
}

void capture_set(capture *s, unsigned place, uint8_t value, aclrtStream stream)
{
    CHECK_OK(aclrtMemsetAsync(&s->words[place], 4, value, 4, stream));
}

void capture_copy(capture *s, unsigned to, unsigned from, aclrtStream stream)
{
    CHECK_OK(aclrtMemcpyAsync(&s->words[to], 4, &s->words[from], 4, ACL_MEMCPY_DEVICE_TO_DEVICE,
                              stream));
}

void capture_order(aclrtStream from, aclrtEvent event, aclrtStream to)
{
    CHECK_OK(aclrtRecordEvent(event, from));
    CHECK_OK(aclrtStreamWaitEvent(to, event));
}

void capture_begin(aclrtStream stream)
{
    CHECK_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
}

aclmdlRI capture_end(aclrtStream stream)
{
    aclmdlRI instance = NULL;
    CHECK_OK(aclmdlRICaptureEnd(stream, &instance));
    CHECK(instance != NULL);
    return instance;
}

void capture_run(aclmdlRI instance, aclrtStream stream)
{
    CHECK_OK(aclmdlRIExecuteAsync(instance, stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
}

aclmdlRICaptureStatus capture_status(aclrtStream stream)
{
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;
    CHECK_OK(aclmdlRICaptureGetInfo(stream, &status, NULL));
    return status;
}

int32_t capture_word(uint8_t value)
{
    int32_t word = 0;
    memset(&word, value, sizeof(word));
    return word;
}

bool capture_explains(const char *const *texts)
{
    const char *message = aclGetRecentErrMsg();
    bool all = message != NULL;
    for (; all && *texts; texts++)
        all = CHECK(strstr(message, *texts) != NULL);
    return all;
}
