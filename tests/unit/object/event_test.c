/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/event.h"

#include "check.h"

static void begin(void)
{
    fresh();
    CHECK_OK(twin_device_set(0));
}

static void finish(void)
{
    (void)twin_device_reset(0, true);
    CU_ASSERT_EQUAL(fake_count.signals, 0);
}

static void test_kinds_are_apart(void)
{
    begin();
    uint64_t event = 0, notify = 0;
    CHECK_OK(twin_event_create(TWIN_EVENT_EX | TWIN_EVENT_SYNC, &event));
    CHECK_OK(twin_event_create(TWIN_EVENT_NOTIFY, &notify));
    twin_event *found = NULL;
    CHECK_CODE(twin_event_find(&twin_notifies, event, &found), 107017);
    CHECK_CODE(twin_event_find(&twin_events, notify, &found), 107017);
    CHECK_OK(twin_event_find(&twin_events, event, &found));
    CU_ASSERT_STRING_EQUAL(twin_event_noun(found), "event");
    finish();
}

static void test_destroy_once(void)
{
    begin();
    uint64_t event = 0;
    CHECK_OK(twin_event_create(TWIN_EVENT_PLAIN, &event));
    CHECK_OK(twin_event_destroy(&twin_events, event));
    CHECK_CODE(twin_event_destroy(&twin_events, event), 107017);
    CU_ASSERT_EQUAL(fake_count.signals, 0);
    finish();
}

static void test_only_flag_events_take_ids(void)
{
    begin();
    uint64_t event = 0;
    for (uint32_t i = 0; i < fake_set.event_limit; i++)
        CHECK_OK(twin_event_create(TWIN_EVENT_FLAG | TWIN_EVENT_SYNC, &event));
    uint64_t extra = 0;
    CHECK_CODE(twin_event_create(TWIN_EVENT_FLAG | TWIN_EVENT_SYNC, &extra), 207007);
    CHECK_OK(twin_event_create(TWIN_EVENT_EX | TWIN_EVENT_SYNC, &extra));
    CHECK_OK(twin_event_create(TWIN_EVENT_FLAG | TWIN_EVENT_TIMELINE, &extra));
    CHECK_OK(twin_event_destroy(&twin_events, event));
    CHECK_OK(twin_event_create(TWIN_EVENT_FLAG | TWIN_EVENT_SYNC, &extra));
    finish();
}

static void test_no_context(void)
{
    fresh();
    uint64_t event = 0;
    CHECK_CODE(twin_event_create(TWIN_EVENT_PLAIN, &event), 107002);
}

static void test_failed_signal(void)
{
    begin();
    uint64_t event = 0;
    fake_set.fail_signal = TWIN_E_NOMEM;
    CHECK_CODE(twin_event_create(TWIN_EVENT_PLAIN, &event), 207001);
    CHECK_OK(twin_event_create(TWIN_EVENT_PLAIN, &event));
    finish();
}

static void test_pinned_event_outlives_its_handle(void)
{
    begin();
    uint64_t event = 0;
    CHECK_OK(twin_event_create(TWIN_EVENT_PLAIN, &event));
    twin_event *pinned = NULL;
    CHECK_OK(twin_event_pin(&twin_events, event, &pinned));
    CHECK_OK(twin_event_destroy(&twin_events, event));
    CU_ASSERT_EQUAL(fake_count.signals, 1);
    twin_event_unpin(pinned);
    CU_ASSERT_EQUAL(fake_count.signals, 0);
    finish();
}

static void test_wait_limit(void)
{
    twin_event_set_wait_limit(3);
    CU_ASSERT_EQUAL(twin_event_wait_limit(), 3000000000u);
    twin_event_set_wait_limit(0);
    CU_ASSERT_EQUAL(twin_event_wait_limit(), TWIN_FOREVER);
}

static const twin_test tests[] = {
    {"events and notifies are no handles of each other", test_kinds_are_apart},
    {"an event is destroyed once", test_destroy_once},
    {"only flag events for streams take hardware ids", test_only_flag_events_take_ids},
    {"without a context there is no event", test_no_context},
    {"a signal that the device refuses leaves nothing", test_failed_signal},
    {"an event in use outlives its handle", test_pinned_event_outlives_its_handle},
    {"the wait limit is in seconds, 0 is none", test_wait_limit},
};

int main(int argc, char **argv)
{
    return twin_run_suite("event", tests, TWIN_COUNT(tests), argc, argv);
}
