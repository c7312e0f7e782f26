/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/config.h"

#include <stdlib.h>

#include "check.h"
#include "core/base/log.h"

static char logged[4096];

static void keep(twin_log_level level, const char *line)
{
    (void)level;
    size_t used = strlen(logged);
    snprintf(logged + used, sizeof(logged) - used, "%s\n", line);
}

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    twin_settings_forget();
}

static void test_default(void)
{
    set("TWINRT_PROFILE", NULL);
    CU_ASSERT_STRING_EQUAL(twin_setting(TWIN_SETTING_PROFILE), "910b3");
    CU_ASSERT_FALSE(twin_setting_given(TWIN_SETTING_PROFILE));
}

static void test_given(void)
{
    set("TWINRT_PROFILE", "x.json");
    CU_ASSERT_STRING_EQUAL(twin_setting(TWIN_SETTING_PROFILE), "x.json");
    CU_ASSERT_STRING_EQUAL(twin_setting_named("TWINRT_PROFILE"), "x.json");
    CU_ASSERT_TRUE(twin_setting_given(TWIN_SETTING_PROFILE));
    set("TWINRT_PROFILE", NULL);
}

static void test_read_once(void)
{
    set("TWINRT_PROFILE", "one");
    (void)twin_setting(TWIN_SETTING_PROFILE);
    setenv("TWINRT_PROFILE", "two", 1);
    CU_ASSERT_STRING_EQUAL(twin_setting(TWIN_SETTING_PROFILE), "one");
    set("TWINRT_PROFILE", NULL);
}

static void test_no_setting(void)
{
    CU_ASSERT_STRING_EQUAL(twin_setting_named("PATH"), "");
}

static void test_every_default_is_allowed(void)
{
    char text[256];
    for (int id = 0; id < TWIN_SETTING_COUNT; id++)
        CU_ASSERT_TRUE(twin_setting_check((twin_setting_id)id, twin_setting_table[id].value, text,
                                          sizeof(text)));
}

static void test_sorted(void)
{
    for (int id = 1; id < TWIN_SETTING_COUNT; id++)
        CU_ASSERT(strcmp(twin_setting_table[id - 1].name, twin_setting_table[id].name) < 0);
}

static void test_bad_values(void)
{
    static const struct {
        twin_setting_id id;
        const char *value;
    } bad[] = {{TWIN_SETTING_BACKEND, "gpu"},
               {TWIN_SETTING_BACKEND, ""},
               {TWIN_SETTING_BACKEND, "si"},
               {TWIN_SETTING_BACKEND, "sim|null"},
               {TWIN_SETTING_DEVICES, "0"},
               {TWIN_SETTING_DEVICES, "65"},
               {TWIN_SETTING_DEVICES, "-1"},
               {TWIN_SETTING_DEVICES, "1x"},
               {TWIN_SETTING_DEVICES, " 1"},
               {TWIN_SETTING_DEVICES, "99999999999999999999"},
               {TWIN_SETTING_SEED, "18446744073709551616"},
               {TWIN_SETTING_SEED, "0x7"},
               {TWIN_SETTING_SEED, "-7"}};
    for (size_t i = 0; i < TWIN_COUNT(bad); i++) {
        char text[256] = "";
        CU_ASSERT_FALSE(twin_setting_check(bad[i].id, bad[i].value, text, sizeof(text)));
        CU_ASSERT_PTR_NOT_NULL(strstr(text, twin_setting_table[bad[i].id].name));
        CU_ASSERT_PTR_NOT_NULL(strstr(text, twin_setting_table[bad[i].id].allowed));
    }
}

static void test_good_values(void)
{
    char text[256];
    CU_ASSERT_TRUE(twin_setting_check(TWIN_SETTING_DEVICES, "64", text, sizeof(text)));
    CU_ASSERT_TRUE(twin_setting_check(TWIN_SETTING_BACKEND, "null", text, sizeof(text)));
    CU_ASSERT_TRUE(twin_setting_check(TWIN_SETTING_SEED, "7", text, sizeof(text)));
    CU_ASSERT_TRUE(
        twin_setting_check(TWIN_SETTING_SEED, "18446744073709551615", text, sizeof(text)));
    CU_ASSERT_TRUE(twin_setting_check(TWIN_SETTING_TRACE, "any thing", text, sizeof(text)));
}

static void test_nearest(void)
{
    CU_ASSERT_STRING_EQUAL(twin_setting_nearest("TWINRT_BACKED"), "TWINRT_BACKEND");
    CU_ASSERT_STRING_EQUAL(twin_setting_nearest("TWINRT_DEVICE"), "TWINRT_DEVICES");
    CU_ASSERT_STRING_EQUAL(twin_setting_nearest("TWINRT_FAIL"), "TWINRT_FAIL_OPS");
    CU_ASSERT_STRING_EQUAL(twin_setting_nearest("TWINRT_HOST"), "TWINRT_HOST_TIME");
    CU_ASSERT_STRING_EQUAL(twin_setting_nearest("TWINRT_FAULT"), "TWINRT_FAULTS");
    CU_ASSERT_PTR_NULL(twin_setting_nearest("COMPLETELY_DIFFERENT_NAME"));
}

static void test_unknown_is_named(void)
{
    setenv("TWINRT_TRACEE", "x", 1);
    setenv("TWINRT_TEST_OF_OURS", "x", 1);
    logged[0] = '\0';
    twin_log_set_sink(keep);
    twin_settings_warn_unknown();
    twin_log_set_sink(NULL);
    unsetenv("TWINRT_TRACEE");
    unsetenv("TWINRT_TEST_OF_OURS");
    CU_ASSERT_PTR_NOT_NULL(strstr(logged, "TWINRT_TRACEE"));
    CU_ASSERT_PTR_NOT_NULL(strstr(logged, "did you mean TWINRT_TRACE?"));
    CU_ASSERT_PTR_NULL(strstr(logged, "TWINRT_TEST_OF_OURS"));
}

static void test_device_list(void)
{
    uint32_t list[8] = {0}, used = 0;
    CU_ASSERT_TRUE(twin_device_list_parse("2,0,3", 4, list, &used));
    CU_ASSERT_EQUAL(used, 3);
    CU_ASSERT(list[0] == 2 && list[1] == 0 && list[2] == 3);
}

static void test_bad_device_lists(void)
{
    static const char *const bad[] = {"",   ",",   "0,", ",0",  "0,,1", "a",  "0,a",
                                      "-1", "0,0", "4",  "1 2", " 0",   "0x1"};
    uint32_t list[8], used = 99;
    for (size_t i = 0; i < TWIN_COUNT(bad); i++)
        CU_ASSERT_FALSE(twin_device_list_parse(bad[i], 4, list, &used));
    CU_ASSERT_EQUAL(used, 99);
}

static const twin_test tests[] = {
    {"a setting that is not given has its default", test_default},
    {"a given setting has the environment's value", test_given},
    {"a setting is read once", test_read_once},
    {"a name that is not a setting reads as nothing", test_no_setting},
    {"every default is allowed", test_every_default_is_allowed},
    {"the list is sorted by name", test_sorted},
    {"a bad value is refused with the valid ones", test_bad_values},
    {"good values pass", test_good_values},
    {"a misspelt name has a nearest one", test_nearest},
    {"an unknown variable is warned about by name", test_unknown_is_named},
    {"a device list keeps its order", test_device_list},
    {"a bad device list is refused whole", test_bad_device_lists},
};

int main(int argc, char **argv)
{
    return twin_run_suite("config", tests, TWIN_COUNT(tests), argc, argv);
}
