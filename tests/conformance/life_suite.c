/* SPDX-License-Identifier: Apache-2.0 */
/* Lives of processes and devices: many times over, in odd orders, and to the bitter end. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "suite.h"

/* A little of everything on device 0, all released. */
static void use_device(void)
{
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    twin_buffer_make(&data, 4096, 0);
    CHECK_OK(aclrtMemsetAsync(data.device, 4096, 0x3e, 4096, stream));
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtStreamWaitEvent(NULL, event));
    CHECK_OK(aclrtMemcpyAsync(data.host, 4096, data.device, 4096, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_BYTES(data.host, 0x3e, 4096);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_many_lives(void)
{
    for (int i = 0; i < 50; i++) {
        CHECK_OK(aclInit(NULL));
        use_device();
        CHECK_OK(aclFinalize());
    }
}

/* Resident memory of this process in bytes. */
static size_t resident(void)
{
    unsigned long size = 0;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!CHECK(file && fscanf(file, "%lu %lu", &size, &pages) == 2))
        pages = 0;
    if (file)
        fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void child_many_resets(void)
{
    enum { WARM = 50, RESETS = 500, MOST_BYTES = 4096 };
    for (int i = 0; i < WARM; i++)
        use_device();
    size_t before = resident();
    for (int i = 0; i < RESETS; i++)
        use_device();
    size_t after = resident();
    size_t growth = after > before ? (after - before) / RESETS : 0;
    printf("resident memory grows by %zu bytes per reset\n", growth);
    CHECK(growth <= MOST_BYTES);
}

static void test_resets_do_not_grow(void)
{
#ifdef TWIN_SANITIZED
    TWIN_SKIP("sanitizers keep freed memory back");
#endif
    twin_run_child("many_resets", NULL);
}

static void child_without_init(void)
{
    uint32_t count = 0;
    aclrtRunMode mode;
    CHECK_OK(aclrtGetDeviceCount(&count));
    CHECK_OK(aclrtGetRunMode(&mode));
    CHECK(aclrtGetSocName() != NULL);
    use_device();
    CHECK_OK(aclInit(NULL)); /* late, and still the first */
    use_device();
    CHECK_OK(aclFinalize());
}

static void test_without_init(void)
{
    twin_run_child("without_init", NULL);
}

static void child_after_finalize(void)
{
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    void *memory = NULL;
    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclFinalize());
    /* Late releases, as static destructors make them: any answer, no crash. */
    (void)aclrtDestroyEvent(event);
    (void)aclrtDestroyStream(stream);
    (void)aclrtFree(memory);
    (void)aclrtResetDevice(0);
    (void)aclrtDestroyEvent(event);
    (void)aclrtFree(memory);
    (void)aclGetRecentErrMsg();
    CHECK(aclrtGetSocName() != NULL);
    CHECK_OK(aclInit(NULL));
    use_device();
    CHECK_OK(aclFinalize());
}

static void test_after_finalize(void)
{
    twin_run_child("after_finalize", NULL);
}

static void child_finalize_with_device_set(void)
{
    for (int i = 0; i < 3; i++) {
        CHECK_OK(aclInit(NULL));
        CHECK_OK(aclrtSetDevice(0));
        CHECK_OK(aclrtSynchronizeStream(NULL));
        CHECK_OK(aclFinalize());
    }
    (void)aclrtResetDeviceForce(0);
    use_device();
}

static void test_finalize_with_device_set(void)
{
    twin_run_child("finalize_with_device_set", NULL);
}

/* ---- the end of the process ----------------------------------------------------------------- */

static aclrtStream late_stream;
static void *late_memory;

static void release_late(void)
{
    (void)aclrtSynchronizeStream(late_stream);
    (void)aclrtDestroyStream(late_stream);
    (void)aclrtFree(late_memory);
    (void)aclrtResetDevice(0);
    (void)aclFinalize();
    (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
}

static void child_release_at_exit(void)
{
    atexit(release_late);
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    late_stream = twin_stream();
    CHECK_OK(aclrtMalloc(&late_memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemsetAsync(late_memory, 4096, 1, 4096, late_stream));
    exit(twin_check_failures() == 0 ? 0 : 1);
}

static void child_exit_with_work(void)
{
    twin_hold hold;
    twin_buffer data;
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer_make(&data, 1 << 20, 0);
    twin_hold_begin(&hold, stream);
    for (int i = 0; i < 100; i++)
        CHECK_OK(aclrtMemsetAsync(data.device, data.bytes, i, data.bytes, i % 2 ? stream : NULL));
    /* Neither waited for, nor destroyed, nor reset. */
}

static void leave_work_behind(void *unused)
{
    (void)unused;
    child_exit_with_work();
}

static void child_exit_with_work_of_a_thread(void)
{
    twin_on_thread(leave_work_behind, NULL);
}

static void child_finalize_with_work(void)
{
    child_exit_with_work();
    (void)aclFinalize();
}

static void child_reset_with_work_of_a_thread(void)
{
    twin_on_thread(leave_work_behind, NULL);
    (void)aclrtResetDeviceForce(
        0); /* the parked stream cannot finish: an error or a drop, no hang */
    (void)aclFinalize();
}

static void *sleep_for_ever(void *sleeping)
{
    CHECK_OK(aclrtSetDevice(0));
    sem_post(sleeping);
    pause();
    return NULL;
}

static void child_exit_while_a_thread_lives(void)
{
    pthread_t thread;
    sem_t sleeping;
    sem_init(&sleeping, 0, 0);
    CHECK_OK(aclInit(NULL));
    CHECK(pthread_create(&thread, NULL, sleep_for_ever, &sleeping) == 0);
    use_device();
    /* A sanitizer that looks for leaks at the exit cannot read a thread which is being made. */
    while (sem_wait(&sleeping) != 0)
        continue;
    CHECK_OK(aclFinalize());
}

static void test_ends(void)
{
    twin_run_child("exit_with_work", NULL);
    twin_run_child("exit_with_work_of_a_thread", NULL);
    twin_run_child("exit_while_a_thread_lives", NULL);
}

static void test_release_at_exit(void)
{
    twin_run_child("release_at_exit", NULL);
}

static void test_finalize_with_work(void)
{
    twin_run_child("finalize_with_work", NULL);
    twin_run_child("reset_with_work_of_a_thread", NULL);
}

static const twin_child children[] = {
    {"after_finalize", child_after_finalize},
    {"exit_while_a_thread_lives", child_exit_while_a_thread_lives},
    {"exit_with_work", child_exit_with_work},
    {"exit_with_work_of_a_thread", child_exit_with_work_of_a_thread},
    {"finalize_with_device_set", child_finalize_with_device_set},
    {"finalize_with_work", child_finalize_with_work},
    {"many_resets", child_many_resets},
    {"release_at_exit", child_release_at_exit},
    {"reset_with_work_of_a_thread", child_reset_with_work_of_a_thread},
    {"without_init", child_without_init},
};

static const twin_test tests[] = {
    {"INIT-08, DEV-15: fifty lives in one process", test_many_lives},
    {"five hundred resets leave resident memory where it was", test_resets_do_not_grow},
    {"everything works without aclInit", test_without_init},
    {"releasing after aclFinalize does no harm", test_after_finalize},
    {"aclFinalize with a device set leaves a usable process", test_finalize_with_device_set},
    {"DEV-09: a process may end with work, threads and devices left", test_ends},
    {"releasing from exit handlers does no harm", test_release_at_exit},
    {"finalising or resetting over parked work does not hang", test_finalize_with_work},
};

static const twin_suite suite = {.name = "life",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children)};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
