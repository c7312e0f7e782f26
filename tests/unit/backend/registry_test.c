/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* gettid */
#include "core/backend/registry.h"

#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "core/base/config.h"
#include "core/base/log.h"

static void drop_line(twin_log_level level, const char *line)
{
    (void)level;
    (void)line;
}

static void test_lazy(void)
{
    fresh();
    CU_ASSERT_EQUAL(fake_count.starts, 0);
    CHECK_OK(twin_backend_need());
    CHECK_OK(twin_backend_need());
    CU_ASSERT_EQUAL(fake_count.starts, 1);
    CU_ASSERT_STRING_EQUAL(twin_backend_name(), "fake");
}

static void test_empty_slots(void)
{
    const struct twin_backend bare = {
        .size = sizeof(bare), .version = TWIN_SEAM_VERSION, .name = "bare"};
    struct twin_backend table;
    CU_ASSERT_TRUE_FATAL(twin_backend_complete(&table, &bare));
    /* Every slot after the head fields is a function pointer. */
    void *slot;
    size_t empty = 0, slots = 0;
    for (size_t at = offsetof(struct twin_backend, process); at < sizeof(table);
         at += sizeof(slot)) {
        memcpy(&slot, (const char *)&table + at, sizeof(slot));
        empty += !slot;
        slots++;
    }
    CU_ASSERT(slots > 35);
    CU_ASSERT_EQUAL(empty, 0);
    CU_ASSERT_EQUAL(table.queue.drain(NULL, 0), TWIN_E_UNSUPPORTED);
    CU_ASSERT_EQUAL(table.work.copy(NULL, NULL), TWIN_E_UNSUPPORTED);
    CU_ASSERT_EQUAL(table.work.launch(NULL, NULL), TWIN_E_UNSUPPORTED);
    table.queue.destroy(NULL);
    table.host.enter(NULL);
    CU_ASSERT_FALSE(table.host.traced());
    /* a device without clocks of threads has threads, whose order a recording keeps */
    CU_ASSERT_EQUAL(table.host.self()->system_id, (uint32_t)gettid());
    CU_ASSERT_EQUAL(table.host.self()->at_ns, 0);
}

static void test_given_slots_stay(void)
{
    struct twin_backend table;
    CU_ASSERT_TRUE_FATAL(twin_backend_complete(&table, &fake_table));
    CU_ASSERT(table.queue.drain == fake_table.queue.drain);
}

static void test_versions(void)
{
    struct twin_backend table, wrong = fake_table;
    wrong.version = TWIN_SEAM_VERSION + 1;
    CU_ASSERT_FALSE(twin_backend_complete(&table, &wrong));
    wrong = fake_table;
    wrong.size = sizeof(wrong) - 8;
    CU_ASSERT_FALSE(twin_backend_complete(&table, &wrong));
    CU_ASSERT_FALSE(twin_backend_complete(&table, NULL));
}

static void test_failed_start(void)
{
    fresh();
    twin_log_set_sink(drop_line);
    fake_set.fail_start = TWIN_E_UNAVAILABLE;
    CHECK_CODE(twin_backend_need(), 507033);
    CHECK_CODE(twin_device_set(0), 507033);
    uint32_t count = 0;
    CHECK_CODE(twin_device_count(&count), 507033);
    twin_log_set_sink(NULL);
    CU_ASSERT_EQUAL(fake_count.starts, 1);
    const char *text = twin_messages_take();
    REQUIRE(text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"fake\" does not start: the test refuses it"));
}

static void need_with(const char *name, const char *value, int32_t code, const char *part)
{
    setenv(name, value, 1);
    twin_settings_forget();
    twin_backend_use(NULL);
    twin_log_set_sink(drop_line);
    (void)twin_messages_take();
    CHECK_CODE(twin_backend_need(), code);
    twin_log_set_sink(NULL);
    const char *text = twin_messages_take();
    REQUIRE(text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, part));
    unsetenv(name);
    twin_settings_forget();
}

static void test_bad_settings(void)
{
    need_with("TWINRT_BACKEND", "gpu", 507033, "TWINRT_BACKEND");
    need_with("TWINRT_SEED", "five", 507033, "TWINRT_SEED");
    need_with("TWINRT_DEVICES", "many", 507033, "1..64");
}

static void test_absent_plugin(void)
{
    need_with("TWINRT_BACKEND", "ascend", 507033, "backend-ascend.so");
}

static void *need_on_thread(void *unused)
{
    (void)twin_backend_need();
    return unused;
}

static void test_started_once(void)
{
    fresh();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, need_on_thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CU_ASSERT_EQUAL(fake_count.starts, 1);
}

static const twin_test tests[] = {
    {"the backend starts at the first need, once", test_lazy},
    {"every empty slot gets a stub that refuses", test_empty_slots},
    {"filled slots stay as they are", test_given_slots_stay},
    {"a table of another version is refused", test_versions},
    {"a backend that does not start stays refused, with the reason", test_failed_start},
    {"bad settings are refused by name", test_bad_settings},
    {"an absent plug-in is named", test_absent_plugin},
    {"threads that need it at once start it once", test_started_once},
};

int main(int argc, char **argv)
{
    return twin_run_suite("registry", tests, TWIN_COUNT(tests), argc, argv);
}
