/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/device.h"

#include <stdlib.h>

#include "check.h"
#include "core/base/config.h"

static void test_first_set_opens(void)
{
    fresh();
    CHECK_OK(twin_device_set(0));
    CU_ASSERT_EQUAL(fake_count.opens, 1);
    CU_ASSERT_EQUAL(fake_count.queues, 1);
    CHECK_OK(twin_device_set(0));
    CU_ASSERT_EQUAL(fake_count.opens, 1);
    CHECK_OK(twin_device_reset(0, false));
    CU_ASSERT_EQUAL(fake_count.closes, 0);
    CHECK_OK(twin_device_reset(0, false));
    CU_ASSERT_EQUAL(fake_count.closes, 1);
    CU_ASSERT_EQUAL(fake_count.queues, 0);
    CHECK_CODE(twin_device_reset(0, false), 507007);
}

static void test_bad_ids(void)
{
    fresh();
    CHECK_CODE(twin_device_set(-1), 107001);
    CHECK_CODE(twin_device_set(2), 107001);
    CHECK_CODE(twin_device_reset(2, false), 107001);
    CHECK_CODE(twin_device_reset(-1, true), 107001);
    CU_ASSERT_EQUAL(fake_count.opens, 0);
}

static void test_force_takes_all(void)
{
    fresh();
    for (int i = 0; i < 3; i++)
        CHECK_OK(twin_device_set(0));
    CHECK_OK(twin_device_reset(0, true));
    CU_ASSERT_EQUAL(fake_count.devices, 0);
    CHECK_CODE(twin_device_reset(0, true), 507007);
    CHECK_CODE(twin_device_reset(0, false), 507007);
}

static void test_devices_are_apart(void)
{
    fresh();
    CHECK_OK(twin_device_set(0));
    CHECK_OK(twin_device_set(1));
    CHECK_OK(twin_device_reset(1, true));
    bool active = false;
    CHECK_OK(twin_device_active(0, &active));
    CU_ASSERT_TRUE(active);
    CHECK_OK(twin_device_active(1, &active));
    CU_ASSERT_FALSE(active);
    CHECK_OK(twin_device_reset(0, false));
}

static void test_failed_open(void)
{
    fresh();
    fake_set.fail_open = TWIN_E_SETUP;
    CHECK_CODE(twin_device_set(0), 507033);
    bool active = true;
    CHECK_OK(twin_device_active(0, &active));
    CU_ASSERT_FALSE(active);
    CHECK_OK(twin_device_set(0));
    CHECK_OK(twin_device_reset(0, false));
}

static void test_failed_default_stream(void)
{
    fresh();
    fake_set.fail_queue = TWIN_E_NOMEM;
    CHECK_CODE(twin_device_set(0), 207001);
    CU_ASSERT_EQUAL(fake_count.devices, 0);
    CU_ASSERT_EQUAL(fake_count.queues, 0);
    CHECK_OK(twin_device_set(0));
    CHECK_OK(twin_device_reset(0, false));
}

static _Atomic int set_failures;

static void *set_many(void *unused)
{
    for (int i = 0; i < 50; i++)
        if (twin_device_set(0) != 0)
            set_failures++;
    return unused;
}

static void test_threads_count_together(void)
{
    fresh();
    enum { THREADS = 4 };
    set_failures = 0;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, set_many, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CU_ASSERT_EQUAL(set_failures, 0);
    CU_ASSERT_EQUAL(fake_count.opens, 1);
    for (int i = 0; i < 50 * THREADS; i++)
        CHECK_OK(twin_device_reset(0, false));
    CU_ASSERT_EQUAL(fake_count.devices, 0);
    CHECK_CODE(twin_device_reset(0, false), 507007);
}

static _Atomic int cycle_failures;

static void *cycle(void *unused)
{
    for (int i = 0; i < 200; i++) {
        if (twin_device_set(0) != 0)
            cycle_failures++;
        uint64_t stream = 0;
        twin_context *context = NULL;
        /* The other thread may have reset the device in between: no crash, and a documented
         * code. */
        int32_t code = twin_context_pin_current(&context);
        if (code == 0) {
            code = twin_stream_create(context, 0, 0, false, &stream);
            twin_context_unpin(context);
        }
        if (code != 0 && code != 107002)
            cycle_failures++;
        code = twin_device_reset(0, true);
        if (code != 0 && code != 507007)
            cycle_failures++;
    }
    return unused;
}

static void test_cycles_race(void)
{
    fresh();
    cycle_failures = 0;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, cycle, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CU_ASSERT_EQUAL(cycle_failures, 0);
    CU_ASSERT_EQUAL(fake_count.devices, 0);
    CU_ASSERT_EQUAL(fake_count.queues, 0);
}

static void test_reset_releases_everything(void)
{
    fresh();
    CHECK_OK(twin_device_set(0));
    uint64_t explicit_context = 0, event = 0, notify = 0, stream = 0;
    CHECK_OK(twin_event_create(TWIN_EVENT_PLAIN, &event));
    CHECK_OK(twin_event_create(TWIN_EVENT_NOTIFY, &notify));
    CHECK_OK(twin_context_create_explicit(0, &explicit_context));
    twin_context *context = NULL;
    CHECK_OK(twin_context_pin_current(&context));
    CHECK_OK(twin_stream_create(context, 0, 0, false, &stream));
    twin_context_unpin(context);
    CHECK_OK(twin_device_reset(0, true)); /* else the explicit context keeps the device (CTX-22) */
    CU_ASSERT_EQUAL(fake_count.queues, 0);
    CU_ASSERT_EQUAL(fake_count.signals, 0);
    CHECK_CODE(twin_context_set_current(explicit_context), 107000);
    CHECK_CODE(twin_stream_guard(stream), 107017);
    CHECK_CODE(twin_event_destroy(&twin_events, event), 107017);
    CHECK_CODE(twin_event_destroy(&twin_notifies, notify), 107017);
}

static void test_reset_drops_a_deadlock(void)
{
    fresh();
    CHECK_OK(twin_device_set(0));
    uint64_t notify = 0;
    CHECK_OK(twin_event_create(TWIN_EVENT_NOTIFY, &notify));
    twin_task wait = {.kind = TWIN_TASK_WAIT, .event_handle = notify, .timeout_ns = TWIN_FOREVER};
    CHECK_OK(twin_event_find(&twin_notifies, notify, &wait.event));
    CHECK_OK(twin_stream_submit(0, &wait));
    CHECK_CODE(twin_device_reset(0, false), 507046);
    CU_ASSERT_EQUAL(fake_count.devices, 0);
    CU_ASSERT_EQUAL(fake_count.signals, 0);
    CHECK_OK(twin_device_set(0));
    CHECK_OK(twin_device_reset(0, false));
}

static void *set_while_closing(void *unused)
{
    CHECK_OK(twin_backend_need());
    twin_device *device = unused;
    bool closing = false;
    while (!closing) {
        twin_lock_take(&device->lock);
        closing = device->state == TWIN_DEVICE_CLOSING;
        twin_lock_drop(&device->lock);
    }
    CHECK_OK(twin_device_set(0));
    return NULL;
}

static void test_waiting_setter_does_not_hold_a_reset(void)
{
    fresh();
    CHECK_OK(twin_device_set(0));
    twin_device *device = NULL;
    CHECK_OK(twin_device_find(0, &device));
    uint64_t notify = 0;
    CHECK_OK(twin_event_create(TWIN_EVENT_NOTIFY, &notify));
    twin_task wait = {.kind = TWIN_TASK_WAIT, .event_handle = notify, .timeout_ns = TWIN_FOREVER};
    CHECK_OK(twin_event_find(&twin_notifies, notify, &wait.event));
    CHECK_OK(twin_stream_submit(0, &wait));
    pthread_t thread;
    pthread_create(&thread, NULL, set_while_closing, device);
    while (fake_count.threads < 2)
        ;
    int32_t code = twin_device_reset(0, false);
    pthread_join(thread, NULL);
    CHECK_CODE(code, 507046);
    CHECK_OK(twin_device_reset(0, false));
    CU_ASSERT_EQUAL(fake_count.devices, 0);
}

static void with_visible(const char *list)
{
    setenv("ASCEND_RT_VISIBLE_DEVICES", list, 1);
    twin_settings_forget();
    fresh();
}

static void test_core_memory(void)
{
    fresh();
    twin_stack_set(40000);
    twin_print_set(2000);
    CHECK_OK(twin_device_set(0));
    twin_device *device = NULL;
    CHECK_OK(twin_device_find(0, &device));
    CU_ASSERT_EQUAL(device->core_memory.stack_bytes, 48 << 10);
    CU_ASSERT_EQUAL(device->core_memory.print_bytes, 2000);
    twin_stack_set(0);
    twin_print_set(TWIN_PRINT_BYTES);
    CHECK_OK(twin_device_set(0));
    CHECK_OK(twin_device_reset(0, false));
    CU_ASSERT_EQUAL(device->core_memory.stack_bytes, 48 << 10);
    CHECK_OK(twin_device_reset(0, false));
    CHECK_OK(twin_device_set(0));
    CU_ASSERT_EQUAL(device->core_memory.stack_bytes, 32 << 10);
    CU_ASSERT_EQUAL(device->core_memory.print_bytes, TWIN_PRINT_BYTES);
    CHECK_OK(twin_device_reset(0, false));
}

static void test_visible(void)
{
    with_visible("1");
    uint32_t count = 0;
    CHECK_OK(twin_device_count(&count));
    CU_ASSERT_EQUAL(count, 1);
    twin_device *device = NULL;
    CHECK_OK(twin_device_find(0, &device));
    CU_ASSERT_EQUAL(device->hw_index, 1);
    CHECK_CODE(twin_device_set(1), 107001);

    with_visible("0,9");
    CHECK_CODE(twin_device_count(&count), 207004);
    CHECK_CODE(twin_device_set(0), 107001);
    unsetenv("ASCEND_RT_VISIBLE_DEVICES");
    twin_settings_forget();
}

static const twin_test tests[] = {
    {"the first set opens the device, the last reset closes it", test_first_set_opens},
    {"numbers of no device are refused", test_bad_ids},
    {"a forced reset takes all references", test_force_takes_all},
    {"devices do not touch each other", test_devices_are_apart},
    {"a failed open leaves no reference", test_failed_open},
    {"a failed default stream leaves no device", test_failed_default_stream},
    {"threads share one count", test_threads_count_together},
    {"set, use and reset race without harm", test_cycles_race},
    {"a forced reset ends all that lives on the device", test_reset_releases_everything},
    {"a reset drops work that can never end", test_reset_drops_a_deadlock},
    {"a thread that waits for a reset does not keep it from giving up",
     test_waiting_setter_does_not_hold_a_reset},
    {"a device has the sizes that were set before it came up", test_core_memory},
    {"the visible-device list filters and renumbers", test_visible},
};

int main(int argc, char **argv)
{
    return twin_run_suite("device", tests, TWIN_COUNT(tests), argc, argv);
}
