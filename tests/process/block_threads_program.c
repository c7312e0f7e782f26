/* SPDX-License-Identifier: Apache-2.0 */
/* Without an argument: launches a long kernel, while signals arrive all the time; prints how many
 * threads ran its blocks, and how many signals arrived at a thread of the runtime. With one:
 * launches a long kernel whose blocks read
 *   late   memory that has been freed
 *   peer   memory of device 1, to which device 0 has no access
 *   host   nothing in block 1, and then a host address of registered memory */
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

#define BLOCKS     40u
#define HOST_BYTES 4096u

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

/* Returns what the synchronisation does. */
static aclError launch(const char *name, const void *args, size_t bytes, const void *freed)
{
    aclrtStream stream = NULL;
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle kernel = NULL;
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtBinaryLoadFromFile(BLOCK_KERNELS, NULL, &binary));
    CHECK(aclrtBinaryGetFunction(binary, name, &kernel));
    CHECK(aclrtLaunchKernelWithHostArgs(kernel, BLOCKS, stream, NULL, (void *)(uintptr_t)args,
                                        bytes, NULL, 0));
    if (freed)
        CHECK(aclrtFree((void *)(uintptr_t)freed));
    const aclError code = aclrtSynchronizeStream(stream);
    CHECK(aclrtBinaryUnLoad(binary));
    CHECK(aclrtDestroyStream(stream));
    return code;
}

static void count_threads(void)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    pthread_t sender;
    void *threads = NULL;
    int32_t found[BLOCKS] = {0};
    CHECK(aclrtMalloc(&threads, sizeof(found), ACL_MEM_MALLOC_HUGE_FIRST));
    (void)sigaction(SIGUSR1, &action, NULL);
    if (pthread_create(&sender, NULL, send_signals, NULL) != 0)
        exit(1);
    const struct which_args args = {.threads = (uintptr_t)threads, .rounds = 400};
    CHECK(launch("which_thread", &args, sizeof(args), NULL));
    atomic_store(&over, true);
    (void)pthread_join(sender, NULL);
    CHECK(aclrtMemcpy(found, sizeof(found), threads, sizeof(found), ACL_MEMCPY_DEVICE_TO_HOST));
    printf("threads %u\nsignals at threads of the runtime %d\n", distinct(found, BLOCKS),
           atomic_load(&wrong));
    CHECK(aclrtFree(threads));
}

static void reach(const char *what)
{
    struct reach_args args = {.rounds = 4000};
    void *memory = NULL, *mapped = NULL, *host = aligned_alloc(HOST_BYTES, HOST_BYTES);
    if (strcmp(what, "peer") == 0)
        CHECK(aclrtSetDevice(1));
    CHECK(aclrtMalloc(&memory, HOST_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtHostRegister(host, HOST_BYTES, ACL_HOST_REGISTER_MAPPED, &mapped));
    args.other = strcmp(what, "host") == 0 ? (uintptr_t)host : (uintptr_t)memory;
    args.first = strcmp(what, "host") == 0 ? 0 : args.other;
    (void)launch("reach", &args, sizeof(args), strcmp(what, "late") == 0 ? memory : NULL);
    CHECK(aclrtHostUnregister(host));
    free(host);
}

int main(int argc, char **argv)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    if (argc > 1)
        reach(argv[1]);
    else
        count_threads();
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
