/* SPDX-License-Identifier: Apache-2.0 */
/* Races, with one op in a function that calls itself up to the given depth, and the other op on a
 * thread.
 *
 *   stack_program DEPTH [kill|script|deep|odd|unended|long|none]
 * With one of the last six the first op reports frames of a script: right ones, 17, one and a text,
 * without an end, too long, or withdrawn. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "twinrt/frames.h"

#pragma weak twinrt_set_frames

#define BYTES ((size_t)1 << 20)

static aclrtStream streams[2];
static void *memory;
static void *host;

/* The empty assembly keeps the compiler from turning the last call into a jump. */
__attribute__((noinline)) static int dive(unsigned depth)
{
    int error = depth > 1 ? dive(depth - 1)
                          : aclrtMemsetAsync(memory, BYTES, 1, BYTES, streams[0]); /* SITE: dive */
    __asm__ volatile("" : "+r"(error));
    return error;
}

__attribute__((noinline)) static int collect(void)
{
    int error = aclrtMemcpyAsync(host, BYTES, memory, BYTES, ACL_MEMCPY_DEVICE_TO_HOST,
                                 streams[1]); /* SITE: collect */
    __asm__ volatile("" : "+r"(error));
    return error;
}

static void *reader(void *unused)
{
    (void)unused;
    (void)aclrtSetDevice(0);
    return collect() == ACL_SUCCESS ? &streams : NULL;
}

static void report_frames(const char *how)
{
    static const char right[] = "load\0/scripts/a.lua\0007\0start\0/scripts/b.lua\00090";
    static const char deep[3 * 17];
    static const char odd[3 + 1];
    static const char much[1 << 20];
    if (strcmp(how, "script") == 0 || strcmp(how, "none") == 0)
        twinrt_set_frames(right, sizeof(right));
    if (strcmp(how, "none") == 0)
        twinrt_set_frames(NULL, 0);
    if (strcmp(how, "deep") == 0)
        twinrt_set_frames(deep, sizeof(deep));
    if (strcmp(how, "odd") == 0)
        twinrt_set_frames(odd, sizeof(odd));
    if (strcmp(how, "unended") == 0)
        twinrt_set_frames(right, sizeof(right) - 1);
    if (strcmp(how, "long") == 0)
        twinrt_set_frames(much, sizeof(much));
}

int main(int argc, char **argv)
{
    pthread_t thread;
    void *good = NULL;
    if (argc < 2 || aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
        aclrtCreateStream(&streams[0]) != ACL_SUCCESS ||
        aclrtCreateStream(&streams[1]) != ACL_SUCCESS ||
        aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
        aclrtMallocHost(&host, BYTES) != ACL_SUCCESS)
        return 1;
    if (argc > 2)
        report_frames(argv[2]);
    if (dive((unsigned)strtoul(argv[1], NULL, 10)) != ACL_SUCCESS || /* SITE: main */
        pthread_create(&thread, NULL, reader, NULL) != 0 || pthread_join(thread, &good) != 0)
        return 1;
    if (aclrtSynchronizeDevice() != ACL_SUCCESS || !good)
        return 1;
    if (argc > 2 && strcmp(argv[2], "kill") == 0)
        (void)raise(SIGKILL);
    (void)aclFinalize();
    return 0;
}
