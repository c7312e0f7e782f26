/* SPDX-License-Identifier: Apache-2.0 */
/* Launches a long kernel, while signals arrive all the time. Prints how many threads ran its
 * blocks, and how many signals arrived at a thread of the runtime. */
#define _GNU_SOURCE
#include <acl/acl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "block_threads.h"

#define BLOCKS 40u

static atomic_int wrong;
static atomic_bool over;

static void check(aclError code, const char *call)
{
    if (code == ACL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", call, (int)code);
    exit(1);
}
#define CHECK(call) check(call, #call)

static void on_signal(int number)
{
    char name[32] = "";
    (void)number;
    (void)pthread_getname_np(pthread_self(), name, sizeof(name));
    if (strcmp(name, "twinrt-blocks") == 0)
        atomic_fetch_add(&wrong, 1);
}

static void *send_signals(void *none)
{
    while (!atomic_load(&over)) {
        (void)kill(getpid(), SIGUSR1);
        (void)usleep(100);
    }
    return none;
}

static unsigned distinct(const int32_t *list, unsigned count)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned j = 0;
        while (list[j] != list[i])
            j++;
        found += j == i;
    }
    return found;
}

int main(void)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    pthread_t sender;
    aclrtStream stream = NULL;
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle kernel = NULL;
    void *threads = NULL;
    int32_t found[BLOCKS] = {0};
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtBinaryLoadFromFile(BLOCK_KERNELS, NULL, &binary));
    CHECK(aclrtBinaryGetFunction(binary, "which_thread", &kernel));
    CHECK(aclrtMalloc(&threads, sizeof(found), ACL_MEM_MALLOC_HUGE_FIRST));
    (void)sigaction(SIGUSR1, &action, NULL);
    if (pthread_create(&sender, NULL, send_signals, NULL) != 0)
        return 1;
    const struct which_args args = {.threads = (uintptr_t)threads, .rounds = 400};
    CHECK(aclrtLaunchKernelWithHostArgs(kernel, BLOCKS, stream, NULL, (void *)&args, sizeof(args),
                                        NULL, 0));
    CHECK(aclrtSynchronizeStream(stream));
    atomic_store(&over, true);
    (void)pthread_join(sender, NULL);
    CHECK(aclrtMemcpy(found, sizeof(found), threads, sizeof(found), ACL_MEMCPY_DEVICE_TO_HOST));
    printf("threads %u\nsignals at threads of the runtime %d\n", distinct(found, BLOCKS),
           atomic_load(&wrong));
    CHECK(aclrtFree(threads));
    CHECK(aclrtBinaryUnLoad(binary));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
