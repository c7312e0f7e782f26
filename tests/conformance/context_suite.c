/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: the context of a thread, the objects of a context, and its end. */
#include "suite.h"

static int32_t default_stream_id(void)
{
    int32_t id = -1;
    CHECK_OK(aclrtStreamGetId(NULL, &id));
    return id;
}

static aclrtContext current(void)
{
    aclrtContext context = NULL;
    CHECK_OK(aclrtGetCurrentContext(&context));
    return context;
}

static void test_created_context_is_current(void)
{
    aclrtContext context = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtContext primary = current();
    CHECK_OK(aclrtCreateContext(&context, 0));
    CHECK(context != NULL && context != primary);
    CHECK(current() == context);
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_own_default_stream(void)
{
    enum { CONTEXTS = 4 };
    aclrtContext contexts[CONTEXTS];
    int32_t ids[CONTEXTS + 1];
    CHECK_OK(aclrtSetDevice(0));
    ids[CONTEXTS] = default_stream_id();
    for (int i = 0; i < CONTEXTS; i++) {
        CHECK_OK(aclrtCreateContext(&contexts[i], 0));
        ids[i] = default_stream_id();
    }
    for (int i = 0; i <= CONTEXTS; i++)
        for (int k = 0; k < i; k++) {
            CHECK(ids[i] != ids[k]);
            CHECK(i == CONTEXTS || contexts[i] != contexts[k]);
        }
    for (int i = 0; i < CONTEXTS; i++)
        CHECK_OK(aclrtDestroyContext(contexts[i]));
    CHECK_OK(aclrtResetDevice(0));
}

static void use_context_without_set(void *unused)
{
    (void)unused;
    aclrtContext context = NULL;
    void *memory = NULL;
    if (!CHECK_OK(aclrtCreateContext(&context, 0)))
        return;
    CHECK_OK(aclrtMalloc(&memory, 256, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemsetAsync(memory, 256, 1, 256, NULL));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtDestroyContext(context));
}

static void test_context_without_set_device(void)
{
    twin_on_thread(use_context_without_set, NULL);
    CHECK_OK(aclrtSetDevice(0)); /* whatever is left, the device is usable */
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_create_arguments(void)
{
    aclrtContext context = NULL;
    CHECK_CODE(aclrtCreateContext(NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateContext(&context, -1), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtCreateContext(&context, (int32_t)twin_device_count()),
               ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK(context == NULL);
}

static void look_for_context(void *unused)
{
    (void)unused;
    aclrtContext context = NULL;
    CHECK_CODE(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
}

static void test_new_thread_has_none(void)
{
    CHECK_OK(aclrtSetDevice(0));
    twin_on_thread(look_for_context, NULL);
    CHECK(current() != NULL);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_last_one_set_is_current(void)
{
    aclrtContext first = NULL;
    aclrtContext second = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtContext primary = current();
    CHECK_OK(aclrtCreateContext(&first, 0));
    CHECK_OK(aclrtCreateContext(&second, 0));
    CHECK(current() == second);
    CHECK_OK(aclrtSetCurrentContext(first));
    CHECK(current() == first);
    CHECK_OK(aclrtSetCurrentContext(primary));
    CHECK(current() == primary);
    CHECK_OK(aclrtSetCurrentContext(first));
    CHECK_OK(aclrtSetDevice(0));
    CHECK(current() == primary);
    CHECK_OK(aclrtDestroyContext(second));
    CHECK_OK(aclrtDestroyContext(first));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_null_contexts(void)
{
    CHECK_CODE(aclrtGetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDestroyContext(NULL), ACL_ERROR_INVALID_PARAM);
    twin_on_thread(look_for_context, NULL);
}

typedef struct handed {
    aclrtContext context;
    aclrtStream stream;
    uint8_t *device;
} handed;

static void use_handed_context(void *pointer)
{
    handed *from = pointer;
    CHECK_OK(aclrtSetCurrentContext(from->context));
    CHECK(current() == from->context);
    CHECK_OK(aclrtMemsetAsync(from->device, 64, 0x42, 64, from->stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(from->stream, SOON_MS));
}

static void test_context_on_several_threads(void)
{
    twin_buffer data;
    handed to = {0};
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateContext(&to.context, 0));
    to.stream = twin_stream();
    twin_buffer_make(&data, 64, 0);
    to.device = data.device;
    twin_on_thread(use_handed_context, &to);
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 0x42, 64);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(to.stream));
    CHECK_OK(aclrtDestroyContext(to.context));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_context_brings_its_device(void)
{
    int32_t device = -1;
    CHECK_OK(aclrtSetDevice(0));
    aclrtContext first = current();
    CHECK_OK(aclrtSetDevice(1));
    aclrtContext second = current();
    CHECK_OK(aclrtSetCurrentContext(first));
    CHECK_OK(aclrtGetDevice(&device));
    CHECK_EQUAL(device, 0);
    CHECK_OK(aclrtSetCurrentContext(second));
    CHECK_OK(aclrtGetDevice(&device));
    CHECK_EQUAL(device, 1);
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_dead_context_is_refused(void)
{
    aclrtContext context = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtContext primary = current();
    CHECK_OK(aclrtCreateContext(&context, 0));
    CHECK_OK(aclrtSetCurrentContext(primary));
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_CODE(aclrtSetCurrentContext(context), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(current() == primary);
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtSetDevice(1));
    CHECK_CODE(aclrtSetCurrentContext(primary), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSetCurrentContext(context), ACL_ERROR_RT_PARAM_INVALID);
    int32_t device = -1;
    CHECK_OK(aclrtGetDevice(&device));
    CHECK_EQUAL(device, 1);
    CHECK_OK(aclrtResetDevice(1));
}

static void test_default_context_can_be_handed_on(void)
{
    twin_buffer data;
    handed to = {0};
    CHECK_OK(aclrtSetDevice(0));
    to.context = current();
    twin_buffer_make(&data, 64, 0);
    to.device = data.device;
    twin_on_thread(use_handed_context, &to);
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 0x42, 64);
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_default_context_cannot_be_destroyed(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtContext primary = current();
    CHECK_CODE(aclrtDestroyContext(primary), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(current() == primary);
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_second_destroy_fails(void)
{
    aclrtContext context = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateContext(&context, 0));
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_EITHER(aclrtDestroyContext(context), ACL_ERROR_RT_CONTEXT_NULL,
                 ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_destroy_ends_the_streams(void)
{
    aclrtContext context = NULL;
    aclrtStream implicit = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtContext primary = current();
    CHECK_OK(aclrtCreateContext(&context, 0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtCtxGetCurrentDefaultStream(&implicit));
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_OK(aclrtSetCurrentContext(primary));
    CHECK_CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtSynchronizeStream(implicit), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtResetDevice(0));
}

static void destroy_handed_context(void *pointer)
{
    handed *from = pointer;
    CHECK_OK(aclrtDestroyContext(from->context));
}

static void test_destroyed_under_another_thread(void)
{
    handed to = {0};
    aclrtStream stream = NULL;
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateContext(&to.context, 0));
    twin_on_thread(destroy_handed_context, &to);
    CHECK_CODE(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_destroy_counts_no_reference(void)
{
    aclrtContext context = NULL;
    int32_t active = 0;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateContext(&context, 0));
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_OK(aclrtGetPrimaryCtxState(0, NULL, &active));
    CHECK_EQUAL(active, 1);
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtGetPrimaryCtxState(0, NULL, &active));
    CHECK_EQUAL(active, 0);
    CHECK_CODE(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

static void test_default_stream_handle(void)
{
    twin_hold hold;
    aclrtStream implicit = NULL;
    int32_t id = -1;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream opener = twin_stream();
    CHECK_OK(aclrtCtxGetCurrentDefaultStream(&implicit));
    CHECK_OK(aclrtStreamGetId(implicit, &id));
    CHECK_EQUAL(id, default_stream_id());
    twin_hold_begin(&hold, implicit); /* one FIFO: what holds the one holds the other */
    CHECK(!twin_idle(NULL));
    CHECK(!twin_idle(implicit));
    twin_hold_end(&hold, opener);
    CHECK(twin_idle(NULL));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtResetDevice(0));
}

static void ask_for_default_stream(void *unused)
{
    (void)unused;
    aclrtStream stream = NULL;
    CHECK_CODE(aclrtCtxGetCurrentDefaultStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
}

static void test_default_stream_handle_errors(void)
{
    CHECK_CODE(aclrtCtxGetCurrentDefaultStream(NULL), ACL_ERROR_INVALID_PARAM);
    twin_on_thread(ask_for_default_stream, NULL);
}

static void test_null_stream_follows_the_context(void)
{
    twin_hold hold;
    aclrtContext second = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtContext first = current();
    twin_hold_begin(&hold, NULL);
    CHECK_OK(aclrtCreateContext(&second, 0));
    CHECK(twin_idle(NULL));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    CHECK_OK(aclrtSetCurrentContext(first));
    CHECK(!twin_idle(NULL));
    CHECK_OK(aclrtSetCurrentContext(second));
    twin_hold_release(&hold, NULL);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    CHECK_OK(aclrtSetCurrentContext(first));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtDestroyContext(second));
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"CTX-01: a created context is current at once", test_created_context_is_current},
    {"CTX-02, CTX-05: every context has its own handle and default stream",
     test_own_default_stream},
    {"CTX-03: a context needs no device set before", test_context_without_set_device},
    {"CTX-04: NULL and bad devices are refused at creation", test_create_arguments},
    {"CTX-06: a new thread has no context", test_new_thread_has_none},
    {"CTX-07: the context set last is the current one", test_last_one_set_is_current},
    {"CTX-08: NULL is refused, and asking without a context too", test_null_contexts},
    {"CTX-09: one context serves several threads", test_context_on_several_threads},
    {"CTX-10: setting a context sets its device", test_context_brings_its_device},
    {"CTX-11: a dead context is refused and the old binding stays", test_dead_context_is_refused},
    {"CTX-12: the default context can be set on another thread",
     test_default_context_can_be_handed_on},
    {"CTX-13: the default context cannot be destroyed", test_default_context_cannot_be_destroyed},
    {"CTX-14: a second destroy fails", test_second_destroy_fails},
    {"CTX-15: destroying a context ends its streams", test_destroy_ends_the_streams},
    {"CTX-16: a context destroyed elsewhere is gone here", test_destroyed_under_another_thread},
    {"CTX-17: destroying a context does not touch the device's count",
     test_destroy_counts_no_reference},
    {"CTX-18: the default stream's handle and NULL are the same stream",
     test_default_stream_handle},
    {"CTX-19: the default stream's handle needs an output and a context",
     test_default_stream_handle_errors},
    {"CTX-20: NULL means the default stream of the context of the moment",
     test_null_stream_follows_the_context},
};

static const twin_suite suite = {
    .name = "context", .tests = tests, .test_count = TWIN_COUNT(tests)};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
