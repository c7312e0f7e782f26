/* SPDX-License-Identifier: Apache-2.0 */
/* A correct program: threads with separate streams, events between streams, host functions,
 * callbacks and a kernel. What its threads share is ordered by the public interface alone.
 * Argument: an object with the kernel vector_add. */
#include <pthread.h>

#include "kernels.h"
#include "vector_add/args.h"

enum { THREADS = 3, ROUNDS = 4, COUNT = 4096, BYTES = COUNT * sizeof(float) };

static aclrtContext context;
static aclrtFuncHandle kernel;

struct work {
    float *from;
    float *to;
    int sum;
    int called;
};

static void add_up(void *argument)
{
    struct work *work = argument;
    work->sum = 0;
    for (int i = 0; i < COUNT; i++)
        work->sum += work->to[i] == 3.0F * (float)i;
    work->called++;
}

/* Copies in, adds, and copies out on one stream; a second stream waits for it and calls the
 * function. */
static void round_trip(aclrtStream stream, aclrtStream second, aclrtEvent event, void *device[3],
                       struct work *work)
{
    struct add_args args = {(uintptr_t)device[0], (uintptr_t)device[1], (uintptr_t)device[2],
                            COUNT};
    for (int i = 0; i < COUNT; i++)
        work->from[i] = (float)i;
    CHECK(aclrtMemcpyAsync(device[0], BYTES, work->from, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(aclrtSynchronizeStream(stream));
    for (int i = 0; i < COUNT; i++)
        work->from[i] = 2.0F * (float)i;
    CHECK(aclrtMemcpyAsync(device[1], BYTES, work->from, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(aclrtLaunchKernelWithHostArgs(kernel, 2, stream, NULL, &args, sizeof(args), NULL, 0));
    CHECK(aclrtMemcpyAsync(work->to, BYTES, device[2], BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(aclrtRecordEvent(event, stream));
    CHECK(aclrtStreamWaitEvent(second, event));
    CHECK(aclrtLaunchHostFunc(second, add_up, work));
    CHECK(aclrtSynchronizeEvent(event));
    CHECK(aclrtSynchronizeStream(second));
    REQUIRE(work->sum == COUNT);
}

static void *run(void *argument)
{
    (void)argument;
    CHECK(aclrtSetCurrentContext(context));
    aclrtStream stream;
    aclrtStream second;
    aclrtEvent event;
    void *device[3];
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtCreateStream(&second));
    CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    for (int i = 0; i < 3; i++)
        CHECK(aclrtMalloc(&device[i], BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int i = 0; i < ROUNDS; i++) {
        struct work work = {0};
        /* Page-locked memory goes from thread to thread; the other comes from the heap. */
        CHECK(aclrtMallocHost((void **)&work.from, BYTES));
        work.to = malloc(BYTES);
        REQUIRE(work.to != NULL);
        round_trip(stream, second, event, device, &work);
        REQUIRE(work.called == 1);
        CHECK(aclrtFreeHost(work.from));
        free(work.to);
    }
    for (int i = 0; i < 3; i++)
        CHECK(aclrtFree(device[i]));
    CHECK(aclrtDestroyEvent(event));
    CHECK(aclrtDestroyStream(second));
    CHECK(aclrtDestroyStream(stream));
    return NULL;
}

/* ---- data that goes from the main thread through a stream to a thread that runs callbacks ---- */

static int passed;
static int seen;

static void take_over(void *argument)
{
    seen += *(int *)argument;
}

static void *serve(void *argument)
{
    (void)argument;
    CHECK(aclrtSetCurrentContext(context));
    /* The subscription comes after the thread. */
    while (aclrtProcessReport(1000) != ACL_SUCCESS)
        continue;
    return NULL;
}

static void pass_on(void)
{
    aclrtStream stream;
    pthread_t server;
    CHECK(aclrtCreateStream(&stream));
    REQUIRE(pthread_create(&server, NULL, serve, NULL) == 0);
    CHECK(aclrtSubscribeReport((uint64_t)server, stream));
    passed = 5;
    CHECK(aclrtLaunchCallback(take_over, &passed, ACL_CALLBACK_BLOCK, stream));
    CHECK(aclrtSynchronizeStream(stream));
    REQUIRE(seen == 5);
    pthread_join(server, NULL);
    CHECK(aclrtUnSubscribeReport((uint64_t)server, stream));
    CHECK(aclrtDestroyStream(stream));
}

int main(int argc, char **argv)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtGetCurrentContext(&context));
    aclrtBinHandle binary = load_kernels(argc, argv, "vector_add_kernels.o");
    kernel = find_kernel(binary, "vector_add");
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pass_on();
    CHECK(aclrtBinaryUnLoad(binary));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    printf("sanitizers: ok\n");
    return 0;
}
