/* SPDX-License-Identifier: Apache-2.0 */
#include "core/init.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "core/base/alloc.h"
#include "core/base/log.h"

static int32_t parse(const char *text, twin_init_config *config)
{
    return twin_init_parse(text, strlen(text), config);
}

static void test_default(void)
{
    static const char *const empty[] = {"", "{}", "  \n\t", " { } "};
    for (size_t i = 0; i < TWIN_COUNT(empty); i++) {
        twin_init_config config;
        memset(&config, 0x55, sizeof(config));
        CHECK_OK(parse(empty[i], &config));
        CU_ASSERT_EQUAL(config.default_device, -1);
        CU_ASSERT_FALSE(config.process_messages);
        CU_ASSERT_EQUAL(config.core_stack_bytes, 32768);
        CU_ASSERT_EQUAL(config.print_buffer_bytes, 32768);
    }
}

static void test_all_values(void)
{
    twin_init_config config;
    CHECK_OK(
        parse("{\"err_msg_mode\":\"1\",\"defaultDevice\":{\"default_device\":\"12\"},"
              "\"acl_graph\":{\"event_mode\":\"1\"},\"StackSize\":{\"aicore_stack_size\":40000},"
              "\"simd_printf_fifo_size_per_core\":1025,\"dump\":{\"dump_list\":[]}}",
              &config));
    CU_ASSERT_TRUE(config.process_messages);
    CU_ASSERT_EQUAL(config.default_device, 12);
    CU_ASSERT_EQUAL(config.event_mode, 1);
    CU_ASSERT_EQUAL(config.core_stack_bytes, 49152);
    CU_ASSERT_EQUAL(config.print_buffer_bytes, 1032);
}

static void test_refused(void)
{
    static const struct {
        const char *text;
        int32_t code;
    } bad[] = {{"{", 100006},
               {"[]", 100006},
               {"1", 100006},
               {"{} x", 100006},
               {"{\"a\":}", 100006},
               {"{\"err_msg_mode\":1}", 100000},
               {"{\"err_msg_mode\":\"2\"}", 100000},
               {"{\"err_msg_mode\":\"\"}", 100000},
               {"{\"acl_graph\":{\"event_mode\":\"2\"}}", 100000},
               {"{\"acl_graph\":{\"event_mode\":0.5}}", 100000},
               {"{\"defaultDevice\":{\"default_device\":0}}", 500001},
               {"{\"defaultDevice\":{\"default_device\":\"-1\"}}", 500001},
               {"{\"defaultDevice\":{\"default_device\":\"+1\"}}", 500001},
               {"{\"defaultDevice\":{\"default_device\":\"01\"}}", 500001},
               {"{\"defaultDevice\":{\"default_device\":\"a\"}}", 500001},
               {"{\"defaultDevice\":{\"default_device\":\"\"}}", 500001},
               {"{\"defaultDevice\":{\"default_device\":\"99999999999\"}}", 500001},
               {"{\"defaultDevice\":{}}", 500001},
               {"{\"StackSize\":{\"aicore_stack_size\":\"big\"}}", 500001},
               {"{\"StackSize\":{\"aicore_stack_size\":-1}}", 500001},
               {"{\"simd_printf_fifo_size_per_core\":1023}", 500001},
               {"{\"simd_printf_fifo_size_per_core\":67108865}", 500001}};
    for (size_t i = 0; i < TWIN_COUNT(bad); i++) {
        twin_init_config config;
        fresh();
        int32_t code = parse(bad[i].text, &config);
        if (code != bad[i].code)
            printf("\n    %s answered %d, not %d\n", bad[i].text, code, bad[i].code);
        CU_ASSERT_EQUAL(code, bad[i].code);
        CU_ASSERT_PTR_NOT_NULL(twin_messages_take());
    }
}

static void test_zero_byte(void)
{
    twin_init_config config;
    CHECK_CODE(twin_init_parse("{}\0{", 4, &config), 100006);
}

static void test_stack_bounds(void)
{
    twin_init_config config;
    CHECK_OK(parse("{\"StackSize\":{\"aicore_stack_size\":1}}", &config));
    CU_ASSERT_EQUAL(config.core_stack_bytes, 32768);
    CHECK_OK(parse("{\"StackSize\":{\"aicore_stack_size\":4000000000}}", &config));
    CU_ASSERT_EQUAL(config.core_stack_bytes, 196608);
}

static void append(char *text, size_t text_bytes, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, text_bytes - used, "%s", more);
}

/* `depth` objects or arrays in each other; arrays inside one outer object. */
static void nest(char *text, size_t text_bytes, bool objects, int depth)
{
    text[0] = '\0';
    append(text, text_bytes, "{\"a\":");
    int inner = objects ? depth - 1 : depth;
    for (int i = 0; i < inner; i++)
        append(text, text_bytes, objects ? "{\"a\":" : "[");
    append(text, text_bytes, "1");
    for (int i = 0; i < inner; i++)
        append(text, text_bytes, objects ? "}" : "]");
    append(text, text_bytes, "}");
}

static void test_nesting(void)
{
    char text[512];
    twin_init_config config;
    nest(text, sizeof(text), true, 10);
    CHECK_OK(parse(text, &config));
    nest(text, sizeof(text), true, 11);
    CHECK_CODE(parse(text, &config), 100006);
    nest(text, sizeof(text), false, 10);
    CHECK_OK(parse(text, &config));
    nest(text, sizeof(text), false, 11);
    CHECK_CODE(parse(text, &config), 100006);
    CHECK_OK(parse("{\"a\":\"[[[[[[[[[[[[{{{{{{{{{{{{\\\"[\"}", &config));
}

static char folder[] = "/tmp/twin-init-XXXXXX";

static const char *write_file(const char *name, const char *text)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file)
        return path;
    fputs(text, file);
    fclose(file);
    return path;
}

static void test_bad_files(void)
{
    fresh();
    CHECK_CODE(twin_init("/nonexistent/file.json"), 100003);
    CHECK_CODE(twin_init(folder), 100003);
    const char *path = write_file("pipe", "");
    unlink(path);
    CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
    CHECK_CODE(twin_init(path), 100003); /* and does not hang */
    unlink(path);
    path = write_file("large", "{}");
    CU_ASSERT_EQUAL(truncate(path, (10 << 20) + 1), 0);
    CHECK_CODE(twin_init(path), 100003);
    unlink(path);
    CU_ASSERT_FALSE(twin_initialized());
}

static bool refuse(size_t bytes)
{
    (void)bytes;
    return true;
}

static void test_no_memory(void)
{
    fresh();
    const char *path = write_file("small", "{}");
    twin_alloc_set_hook(refuse);
    int32_t code = twin_init(path);
    twin_alloc_set_hook(NULL);
    CHECK_CODE(code, 207001);
    unlink(path);
    CU_ASSERT_FALSE(twin_initialized());
}

static char logged[512];

static void keep_line(twin_log_level level, const char *line)
{
    if (level == TWIN_LOG_WARNING)
        strncat(logged, line, sizeof(logged) - strlen(logged) - 1);
}

/* The number of warnings that name parts of the configuration; -1: not the right ones. */
static int warnings_of_init(const char *path)
{
    twin_log_set_sink(keep_line);
    bool good = twin_init(path) == 0 && strstr(logged, "\"dump\"") &&
                strstr(logged, "\"profiler\"") && !strstr(logged, "err_msg_mode");
    int count = 0;
    for (const char *at = logged; (at = strstr(at, "has no effect")); at++)
        count++;
    logged[0] = '\0';
    good = good && twin_finalize() == 0 && twin_init(path) == 0 && !strstr(logged, "no effect");
    return good ? count : -1;
}

/* In a child, since a process keeps its first configuration. */
static void test_unused_parts(void)
{
    fresh();
    const char *path = write_file(
        "unused", "{\"dump\":{\"dump_mode\":\"all\"},\"err_msg_mode\":\"1\",\"profiler\":{}}");
    pid_t child = fork();
    if (child == 0)
        _exit(warnings_of_init(path) == 2 ? 0 : 1);
    int status = -1;
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    CU_ASSERT_EQUAL(status, 0);
    unlink(path);
}

/* The one test that initialises: a process keeps its first configuration. */
static void test_life(void)
{
    fresh();
    CHECK_CODE(twin_finalize(), 100037);
    const char *path = write_file("bad", "{\"err_msg_mode\":7}");
    CHECK_CODE(twin_init(path), 100000);
    unlink(path);
    path = write_file("far", "{\"defaultDevice\":{\"default_device\":\"5\"}}");
    CHECK_CODE(twin_init(path), 107001);
    unlink(path);
    CU_ASSERT_FALSE(twin_initialized());

    CHECK_OK(twin_init(NULL));
    CHECK_CODE(twin_init(NULL), 100002);
    CHECK_CODE(twin_init("/nonexistent"), 100002);
    uint64_t count = 99;
    CHECK_OK(twin_finalize_reference(&count));
    CU_ASSERT_EQUAL(count, 2);
    CHECK_OK(twin_finalize_reference(NULL));
    CHECK_OK(twin_finalize_reference(&count));
    CU_ASSERT_EQUAL(count, 0);
    CHECK_CODE(twin_finalize_reference(&count), 100037);
    CHECK_CODE(twin_finalize(), 100037);

    path = write_file("other", "{}");
    CHECK_CODE(twin_init(path), 100000); /* not the first configuration, which was empty */
    unlink(path);
    CHECK_OK(twin_init(""));
    CHECK_CODE(twin_init(NULL), 100002);
    CHECK_OK(twin_finalize());
    CHECK_CODE(twin_finalize(), 100037);
}

static const twin_test tests[] = {
    {"no text and an empty object are the default", test_default},
    {"every value is understood, rounded and bounded", test_all_values},
    {"bad values have the code of their kind, and a message", test_refused},
    {"a zero byte in the text is refused", test_zero_byte},
    {"stack sizes are kept within their bounds", test_stack_bounds},
    {"ten levels are allowed, eleven are not", test_nesting},
    {"files that cannot be read are refused", test_bad_files},
    {"a file without memory to hold it fails cleanly", test_no_memory},
    {"parts of a configuration that nothing acts on are named once", test_unused_parts},
    {"init and finalize count, and keep the first configuration", test_life},
};

int main(int argc, char **argv)
{
    if (!mkdtemp(folder))
        return 1;
    int status = twin_run_suite("init", tests, TWIN_COUNT(tests), argc, argv);
    rmdir(folder);
    return status;
}
