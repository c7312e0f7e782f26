/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes use one piece of device memory: the first exports it as a key, the second imports
 * the key, reads what is there and answers in place. A notify tells the first when. */
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define BYTES     ((size_t)8 << 20)
#define KEY_BYTES 65

/* What goes through the pipe. */
struct keys {
    char memory[KEY_BYTES];
    char notify[KEY_BYTES];
};

static void begin(aclrtStream *stream)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(stream));
}

static void end(aclrtStream stream)
{
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
}

/* The second process. */
static int import(int pipe_end)
{
    struct keys keys;
    aclrtStream stream = NULL;
    aclrtNotify answered = NULL;
    void *shared = NULL;
    void *host = NULL;
    if (read(pipe_end, &keys, sizeof(keys)) != (ssize_t)sizeof(keys))
        return 1;
    begin(&stream);
    CHECK(aclrtIpcMemImportByKey(&shared, keys.memory, ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT));
    CHECK(aclrtNotifyImportByKey(&answered, keys.notify, 0));
    CHECK(aclrtMallocHost(&host, BYTES));

    CHECK(aclrtMemcpyAsync(host, BYTES, shared, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(aclrtSynchronizeStream(stream));
    REQUIRE(pattern_differences(host, BYTES, 1) == 0);
    printf("importer: read what the exporter wrote\n");
    fflush(stdout);
    pattern_fill(host, BYTES, 2);
    CHECK(aclrtMemcpyAsync(shared, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(aclrtRecordNotify(answered, stream));
    CHECK(aclrtSynchronizeStream(stream));

    CHECK(aclrtFreeHost(host));
    CHECK(aclrtDestroyNotify(answered));
    CHECK(aclrtIpcMemClose(keys.memory));
    end(stream);
    return 0;
}

int main(void)
{
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t importer = fork(); /* before the first call: each process has its own runtime */
    REQUIRE(importer >= 0);
    if (importer == 0)
        return import(ends[0]);

    aclrtStream stream = NULL;
    begin(&stream);
    struct keys keys;
    aclrtNotify answered = NULL;
    void *memory = NULL;
    void *host = NULL;
    CHECK(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_ONLY));
    CHECK(aclrtMallocHost(&host, BYTES));
    CHECK(aclrtCreateNotify(&answered, 0));
    pattern_fill(host, BYTES, 1);
    CHECK(aclrtMemcpy(memory, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));

    /* Only that process may import. */
    int32_t pid = importer;
    CHECK(aclrtIpcMemGetExportKey(memory, BYTES, keys.memory, KEY_BYTES,
                                  ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT));
    CHECK(aclrtIpcMemSetImportPid(keys.memory, &pid, 1));
    CHECK(aclrtNotifyGetExportKey(answered, keys.notify, KEY_BYTES, 0));
    CHECK(aclrtNotifySetImportPid(answered, &pid, 1));
    REQUIRE(write(ends[1], &keys, sizeof(keys)) == (ssize_t)sizeof(keys));

    /* The stream waits for the other process. */
    CHECK(aclrtWaitAndResetNotify(answered, stream, 0));
    CHECK(aclrtMemcpyAsync(host, BYTES, memory, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(aclrtSynchronizeStream(stream));
    REQUIRE(pattern_differences(host, BYTES, 2) == 0);
    printf("exporter: read the answer in the same memory\n");

    int status = -1;
    REQUIRE(waitpid(importer, &status, 0) == importer && status == 0);
    CHECK(aclrtIpcMemClose(keys.memory));
    CHECK(aclrtDestroyNotify(answered));
    CHECK(aclrtFreeHost(host));
    CHECK(aclrtFree(memory));
    end(stream);
    printf("shared_memory: ok\n");
    return 0;
}
