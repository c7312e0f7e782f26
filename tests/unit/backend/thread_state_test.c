/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/thread_state.h"

#include "check.h"

static void test_nothing(void)
{
    fresh();
    CU_ASSERT_PTR_NULL(twin_messages_take());
}

static void test_newest_first_and_cleared(void)
{
    fresh();
    twin_message_add("one");
    twin_message_add("two");
    const char *text = twin_messages_take();
    REQUIRE(text);
    CU_ASSERT_STRING_EQUAL(text, "two\none");
    CU_ASSERT_PTR_NULL(twin_messages_take());
}

static void test_bounded(void)
{
    fresh();
    for (int i = 0; i < 1000; i++) {
        char text[16];
        snprintf(text, sizeof(text), "%d", i);
        twin_message_add(text);
    }
    const char *text = twin_messages_take();
    REQUIRE(text);
    unsigned lines = 1;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    CU_ASSERT_EQUAL(lines, TWIN_MESSAGES_KEPT);
    CU_ASSERT_EQUAL(strncmp(text, "999\n998\n", 8), 0);
}

static void *add_on_thread(void *unused)
{
    twin_message_add("from another thread");
    return unused;
}

static void test_per_thread(void)
{
    fresh();
    on_thread(add_on_thread, NULL);
    CU_ASSERT_PTR_NULL(twin_messages_take());
}

static void test_per_process(void)
{
    fresh();
    twin_messages_set_process(true);
    on_thread(add_on_thread, NULL);
    const char *text = twin_messages_take();
    twin_messages_set_process(false);
    REQUIRE(text);
    CU_ASSERT_STRING_EQUAL(text, "from another thread");
}

static void *attach_on_thread(void *unused)
{
    CHECK_OK(twin_backend_need());
    return unused;
}

static void test_detached_at_end(void)
{
    fresh();
    CHECK_OK(twin_backend_need());
    int before = fake_count.threads;
    on_thread(attach_on_thread, NULL);
    CU_ASSERT_EQUAL(fake_count.threads, before);
    CU_ASSERT(before > 0);
}

static void *fail_on_thread(void *seen)
{
    *(int32_t *)seen = twin_self.last_error;
    return NULL;
}

static void test_last_error_per_thread(void)
{
    fresh();
    CHECK_CODE(twin_fail(TWIN_ERR_PARAM, "x"), 107000);
    int32_t seen = -1;
    on_thread(fail_on_thread, &seen);
    CU_ASSERT_EQUAL(seen, 0);
    CU_ASSERT_EQUAL(twin_self.last_error, 107000);
}

static const twin_test tests[] = {
    {"without a failure there is no message", test_nothing},
    {"messages come newest first, and once", test_newest_first_and_cleared},
    {"only the newest messages are kept", test_bounded},
    {"messages belong to the thread", test_per_thread},
    {"in process mode they belong to all", test_per_process},
    {"a thread is detached when it ends", test_detached_at_end},
    {"the last error belongs to the thread", test_last_error_per_thread},
};

int main(int argc, char **argv)
{
    return twin_run_suite("thread_state", tests, TWIN_COUNT(tests), argc, argv);
}
