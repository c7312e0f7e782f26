/* SPDX-License-Identifier: Apache-2.0 */
#include "program_tests.h"

void program_begin(program *s)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&s->plain));
    CHECK_OK(aclrtCreateStreamWithConfig(&s->first, 0, ACL_STREAM_PERSISTENT));
    CHECK_OK(aclrtCreateStreamWithConfig(&s->second, 0, ACL_STREAM_PERSISTENT));
    CHECK_OK(aclmdlRIBuildBegin(&s->model, 0));
    CHECK_OK(aclmdlRIBindStream(s->model, s->first, HEAD));
    CHECK_OK(aclmdlRIBindStream(s->model, s->second, WAITS));
    CHECK_OK(aclrtMalloc((void **)&s->words, WORDS * 4, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMallocHost((void **)&s->host, WORDS * 4));
    CHECK_OK(aclrtMemset(s->words, WORDS * 4, 0, WORDS * 4));
}

void program_end(program *s)
{
    CHECK_OK(aclmdlRIDestroy(s->model));
    CHECK_OK(aclrtDestroyStream(s->second));
    CHECK_OK(aclrtDestroyStream(s->first));
    CHECK_OK(aclrtDestroyStream(s->plain));
    CHECK_OK(aclrtFree(s->words));
    CHECK_OK(aclrtFreeHost(s->host));
    CHECK_OK(aclrtResetDevice(0));
}

void program_put(program *s, unsigned place, int32_t value)
{
    CHECK_OK(aclrtMemcpy(&s->words[place], 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
}

const int32_t *program_fetch(program *s)
{
    CHECK_OK(aclrtMemcpy(s->host, WORDS * 4, s->words, WORDS * 4, ACL_MEMCPY_DEVICE_TO_HOST));
    return s->host;
}

void program_copy(program *s, unsigned to, unsigned from, unsigned count, aclrtStream stream)
{
    CHECK_OK(aclrtMemcpyAsync(&s->words[to], count * 4, &s->words[from], count * 4,
                              ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

void program_push(program *s, unsigned at, unsigned from, aclrtStream stream)
{
    program_copy(s, 56, at, 7, stream);
    program_copy(s, at + 1, 56, 7, stream);
    program_copy(s, at, from, 1, stream);
}

void program_finish(program *s, aclrtStream last)
{
    CHECK_OK(aclmdlRIEndTask(s->model, last));
    CHECK_OK(aclmdlRIBuildEnd(s->model, NULL));
}

void program_run(program *s)
{
    CHECK_OK(aclmdlRIExecuteAsync(s->model, s->plain));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s->plain, SOON_MS));
}
