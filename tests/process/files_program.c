/* SPDX-License-Identifier: Apache-2.0 */
/* A program around the files that the runtime writes; files_test.py runs it.
 *
 *   files_program plain            copies, and ends with status 7
 *   files_program chdir FOLDER     goes to another folder before its first call
 *   files_program closed FILE      has no standard error from the start: FILE becomes descriptor 2
 *   files_program take FILE        closes all descriptors in the middle of its work, and opens FILE
 *   under each of their numbers
 */
#define _GNU_SOURCE /* close_range */
#include <acl/acl.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS 7
#define BYTES  65536u

static void check(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "%s: %d\n", what, code);
    _exit(1);
}

struct work {
    void *device;
    void *host;
    aclrtStream stream;
};

static void begin(struct work *work)
{
    check(aclInit(NULL), "aclInit");
    check(aclrtSetDevice(0), "aclrtSetDevice");
    check(aclrtCreateStream(&work->stream), "aclrtCreateStream");
    check(aclrtMalloc(&work->device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    check(aclrtMallocHost(&work->host, BYTES), "aclrtMallocHost");
    memset(work->host, 1, BYTES);
}

static void copy(const struct work *work, int count)
{
    for (int i = 0; i < count; i++)
        check(aclrtMemcpyAsync(work->device, BYTES, work->host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE,
                               work->stream),
              "aclrtMemcpyAsync");
    check(aclrtSynchronizeStream(work->stream), "aclrtSynchronizeStream");
}

static void end(struct work *work)
{
    check(aclrtFree(work->device), "aclrtFree");
    check(aclrtFreeHost(work->host), "aclrtFreeHost");
    check(aclrtDestroyStream(work->stream), "aclrtDestroyStream");
    check(aclrtResetDevice(0), "aclrtResetDevice");
    check(aclFinalize(), "aclFinalize");
}

/* The numbers of all open descriptors. */
static int list_open(int *numbers, int room)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    const struct dirent *entry;
    while (folder && count < room && (entry = readdir(folder)))
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(folder))
            numbers[count++] = atoi(entry->d_name);
    if (folder)
        closedir(folder);
    return count;
}

static void take_all(const char *path)
{
    int numbers[1024];
    int count = list_open(numbers, 1024);
    check(close_range(0, ~0u, 0), "close_range");
    int file = open(path, O_RDWR);
    for (int i = 0; i < count; i++)
        if (numbers[i] != file && dup2(file, numbers[i]) < 0)
            _exit(2);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "plain";
    struct work work;
    if (strcmp(how, "chdir") == 0)
        check(chdir(argv[2]), "chdir");
    if (strcmp(how, "closed") == 0 && open(argv[2], O_RDWR) != STDERR_FILENO)
        return 3;
    begin(&work);
    copy(&work, 2000);
    if (strcmp(how, "take") == 0) {
        take_all(argv[2]);
        copy(&work, 20000);
        void *large = NULL;
        check(aclrtMalloc(&large, 64 * BYTES, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        check(aclrtMemset(large, 64 * BYTES, 1, 64 * BYTES), "aclrtMemset");
        check(aclrtFree(large), "aclrtFree");
    }
    if (strcmp(how, "closed") == 0)
        return STATUS; /* what was not freed is logged */
    end(&work);
    return STATUS;
}
