/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/context.h"

#include "check.h"

static void test_none(void)
{
    fresh();
    twin_context *context = NULL;
    CHECK_CODE(twin_context_current(&context), 107002);
}

static void test_explicit_alone_opens_and_closes(void)
{
    fresh();
    uint64_t first = 0, second = 0;
    CHECK_OK(twin_context_create_explicit(0, &first));
    CU_ASSERT_EQUAL(twin_self.context, first);
    /* The device's own default stream, and the context's. */
    CU_ASSERT_EQUAL(fake_count.queues, 2);
    CHECK_OK(twin_context_create_explicit(0, &second));
    CHECK_OK(twin_context_destroy(first));
    CU_ASSERT_EQUAL(fake_count.devices, 1);
    CHECK_OK(twin_context_destroy(second));
    CU_ASSERT_EQUAL(fake_count.devices, 0);
    CU_ASSERT_EQUAL(fake_count.queues, 0);
}

static void test_explicit_leaves_the_count(void)
{
    fresh();
    uint64_t context = 0;
    CHECK_OK(twin_device_set(0));
    CHECK_OK(twin_context_create_explicit(0, &context));
    CHECK_OK(twin_context_destroy(context));
    CU_ASSERT_EQUAL(fake_count.devices, 1);
    CHECK_OK(twin_device_reset(0, false));
    CU_ASSERT_EQUAL(fake_count.devices, 0);
}

static void test_default_stays(void)
{
    fresh();
    CHECK_OK(twin_device_set(0));
    uint64_t primary = twin_self.context;
    CHECK_CODE(twin_context_destroy(primary), 107002);
    CHECK_OK(twin_context_set_current(primary));
    CHECK_OK(twin_device_reset(0, false));
}

static void test_dead_and_made_up(void)
{
    fresh();
    uint64_t context = 0;
    CHECK_OK(twin_context_create_explicit(0, &context));
    CHECK_OK(twin_context_destroy(context));
    CHECK_CODE(twin_context_destroy(context), 107002);
    CHECK_CODE(twin_context_set_current(context), 107000);
    CHECK_CODE(twin_context_set_current(12345), 107000);
    CHECK_CODE(twin_context_destroy(12345), 107002);
}

static void test_streams_go_with_it(void)
{
    fresh();
    uint64_t handle = 0, stream = 0;
    CHECK_OK(twin_context_create_explicit(0, &handle));
    twin_context *context = NULL;
    CHECK_OK(twin_context_pin_current(&context));
    CHECK_OK(twin_stream_create(context, 0, 0, false, &stream));
    twin_context_unpin(context);
    CHECK_OK(twin_context_destroy(handle));
    CHECK_CODE(twin_stream_guard(stream), 107017);
    CHECK_CODE(twin_context_current(&context), 107002);
}

static void *use_elsewhere(void *handle)
{
    twin_context *context = NULL;
    CHECK_OK(twin_context_set_current(*(uint64_t *)handle));
    CHECK_OK(twin_context_destroy(*(uint64_t *)handle));
    CHECK_CODE(twin_context_current(&context), 107002);
    return NULL;
}

static void test_destroyed_elsewhere(void)
{
    fresh();
    uint64_t handle = 0;
    CHECK_OK(twin_context_create_explicit(0, &handle));
    on_thread(use_elsewhere, &handle);
    twin_context *context = NULL;
    CHECK_CODE(twin_context_current(&context), 107002);
    CHECK_CODE(twin_stream_submit(0, &(twin_task){.kind = TWIN_TASK_FILL}), 107002);
}

static void test_pin_keeps_the_device(void)
{
    fresh();
    uint64_t handle = 0;
    CHECK_OK(twin_device_set(0));
    CHECK_OK(twin_context_create_explicit(0, &handle));
    twin_context *context = NULL;
    CHECK_OK(twin_context_pin_current(&context));
    CHECK_OK(twin_context_destroy(handle));
    CU_ASSERT_EQUAL(context->device->object_count, 3); /* it, the default context, its stream */
    twin_context_unpin(context);
    CHECK_OK(twin_device_reset(0, false));
    CU_ASSERT_EQUAL(fake_count.devices, 0);
}

static void test_default_device(void)
{
    fresh();
    twin_context_set_default_device(1);
    twin_context *context = NULL;
    CHECK_OK(twin_context_current(&context));
    CU_ASSERT_EQUAL(context->device->id, 1);
    twin_context_set_default_device(-1);
    CHECK_OK(twin_device_reset(1, false));
    CHECK_CODE(twin_context_current(&context), 107002);
}

static const twin_test tests[] = {
    {"a thread begins without a context", test_none},
    {"explicit contexts bring a device up and down", test_explicit_alone_opens_and_closes},
    {"an explicit context is not a reference", test_explicit_leaves_the_count},
    {"the default context cannot be destroyed", test_default_stays},
    {"dead and made-up contexts are refused", test_dead_and_made_up},
    {"a context's streams end with it", test_streams_go_with_it},
    {"a context destroyed elsewhere is gone here too", test_destroyed_elsewhere},
    {"a pinned context keeps its device", test_pin_keeps_the_device},
    {"the configured default device is set at need", test_default_device},
};

int main(int argc, char **argv)
{
    return twin_run_suite("context", tests, TWIN_COUNT(tests), argc, argv);
}
