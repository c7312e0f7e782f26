/* SPDX-License-Identifier: Apache-2.0 */
/* aclInit and aclFinalize. Their effects hold for a process, so most tests run separate child
 * processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

/* Writes a configuration file; the path lives until the next call. */
static const char *config_file(const char *text)
{
    static char path[64];
    snprintf(path, sizeof(path), "/tmp/twinrt-config-XXXXXX");
    int file = mkstemp(path);
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
        abort();
    close(file);
    return path;
}

static aclError init_with(const char *text)
{
    const char *path = config_file(text);
    aclError code = aclInit(path);
    unlink(path);
    return code;
}

/* The reference count before this call, which ends one reference. */
static uint64_t count_left(void)
{
    uint64_t left = 99;
    CHECK_OK(aclFinalizeReference(&left));
    return left;
}

/* ---- children: the count -------------------------------------------------------------------- */

static void child_first_init(void)
{
    CHECK_OK(aclInit(NULL));
    CHECK_EQUAL(count_left(), 0);
}

static void child_empty_path(void)
{
    CHECK_OK(aclInit(""));
    CHECK_OK(aclFinalize());
}

static void child_empty_object(void)
{
    CHECK_OK(init_with("{}"));
    CHECK_OK(aclFinalize());
}

static void child_empty_file(void)
{
    CHECK_OK(init_with(""));
    CHECK_OK(aclFinalize());
}

static void child_repeat(void)
{
    int32_t active = 0;
    CHECK_OK(aclInit(NULL));
    CHECK_CODE(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    CHECK_CODE(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    if (twin_device_count() > 0) {
        CHECK_OK(aclrtSetDevice(0));
        CHECK_OK(aclrtGetPrimaryCtxState(0, NULL, &active));
        CHECK_EQUAL(active, 1);
        CHECK_OK(aclrtResetDevice(0));
    }
    CHECK_EQUAL(count_left(), 2);
    CHECK_EQUAL(count_left(), 1);
    CHECK_EQUAL(count_left(), 0);
}

static void child_again(void)
{
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclFinalize());
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclFinalize());
}

static void child_finalize_ends_all(void)
{
    CHECK_OK(aclInit(NULL));
    CHECK_CODE(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    CHECK_CODE(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    CHECK_OK(aclFinalize());
    CHECK_CODE(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    CHECK_OK(aclInit(NULL)); /* 0 to 1 again, so no repeat */
    CHECK_OK(aclFinalize());
}

static void child_repeat_finalize(void)
{
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclFinalize());
    CHECK_CODE(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    CHECK_CODE(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
}

static void child_finalize_first(void)
{
    CHECK_EITHER(aclFinalize(), ACL_SUCCESS, ACL_ERROR_REPEAT_FINALIZE);
    CHECK_CODE(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclFinalize());
}

static void child_finalize_quickly(void)
{
    double least = 1e9; /* the machine may be busy now and then */
    for (int i = 0; i < 5; i++) {
        CHECK_OK(aclInit(NULL));
        double before = twin_wall_seconds();
        CHECK_OK(aclFinalize());
        double took = twin_wall_seconds() - before;
        least = took < least ? took : least;
    }
    CHECK(least < 1.5);
}

static void child_reference(void)
{
    CHECK_OK(aclInit(NULL));
    CHECK_CODE(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    CHECK_CODE(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    CHECK_EQUAL(count_left(), 2);
    if (twin_device_count() > 0) {
        CHECK_OK(aclrtSetDevice(0));
        CHECK_OK(aclrtResetDevice(0));
    }
    CHECK_OK(aclFinalizeReference(NULL));
    CHECK_EQUAL(count_left(), 0);
}

static void child_reference_then_finalize(void)
{
    uint64_t left = 99;
    CHECK_OK(aclInit(NULL));
    CHECK_EQUAL(count_left(), 0);
    CHECK_CODE(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclFinalize());
    CHECK_CODE(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE);
}

enum { INIT_THREADS = 8 };

static void init_concurrently(void *argument, unsigned index)
{
    aclError *codes = argument;
    codes[index] = aclInit(NULL);
}

static void child_concurrent(void)
{
    aclError codes[INIT_THREADS];
    unsigned first = 0;
    twin_threads_run(INIT_THREADS, init_concurrently, codes);
    for (int i = 0; i < INIT_THREADS; i++) {
        if (codes[i] == ACL_SUCCESS)
            first++;
        else
            CHECK_CODE(codes[i], ACL_ERROR_REPEAT_INITIALIZE);
    }
    CHECK_EQUAL(first, 1);
    CHECK_EQUAL(count_left(), INIT_THREADS - 1);
    CHECK_OK(aclFinalize());
}

/* ---- children: the configuration ------------------------------------------------------------ */

static void child_bad_files(void)
{
    char large[] = "/tmp/twinrt-config-XXXXXX";
    CHECK_CODE(aclInit("/no/such/folder/acl.json"), ACL_ERROR_INVALID_FILE);
    CHECK_CODE(aclInit("/tmp"), ACL_ERROR_INVALID_FILE);
    CHECK_CODE(aclInit("/dev/null"), ACL_ERROR_INVALID_FILE);

    int file = mkstemp(large);
    CHECK(file >= 0 && ftruncate(file, 10 * 1024 * 1024 + 1) == 0);
    close(file);
    CHECK_CODE(aclInit(large), ACL_ERROR_INVALID_FILE);
    unlink(large);

    CHECK_OK(aclInit(NULL)); /* the count was still 0 */
    CHECK_EQUAL(count_left(), 0);
}

static void child_bad_json(void)
{
    static const char *const texts[] = {"{",        "{\"a\":}",   "[1,2",
                                        "nonsense", "{\"a\":1}}", "{'a':1}"};
    for (size_t i = 0; i < TWIN_COUNT(texts); i++) {
        if (!CHECK_CODE(init_with(texts[i]), ACL_ERROR_PARSE_FILE))
            fprintf(stderr, "  the file was: %s\n", texts[i]);
    }
    CHECK_OK(aclInit(NULL));
    CHECK_EQUAL(count_left(), 0);
}

static void append(char *text, size_t bytes, const char *piece)
{
    strncat(text, piece, bytes - strlen(text) - 1);
}

/* Braces nested `braces` deep, the innermost holding brackets nested `brackets` deep. */
static aclError init_nested(int braces, int brackets)
{
    char text[512] = "";
    for (int i = 0; i < braces; i++)
        append(text, sizeof(text), i + 1 < braces ? "{\"a\":" : "{");
    if (brackets > 0)
        append(text, sizeof(text), "\"b\":");
    for (int i = 0; i < brackets; i++)
        append(text, sizeof(text), "[");
    for (int i = 0; i < brackets; i++)
        append(text, sizeof(text), "]");
    for (int i = 0; i < braces; i++)
        append(text, sizeof(text), "}");
    return init_with(text);
}

static void child_braces_10(void)
{
    CHECK_OK(init_nested(10, 0));
}

static void child_brackets_10(void)
{
    CHECK_OK(init_nested(1, 10));
}

static void child_nesting_11(void)
{
    CHECK_CODE(init_nested(11, 0), ACL_ERROR_PARSE_FILE);
    CHECK_CODE(init_nested(1, 11), ACL_ERROR_PARSE_FILE);
    CHECK_OK(aclInit(NULL));
}

static void child_failed_then_good(void)
{
    CHECK_CODE(aclInit("/no/such/file"), ACL_ERROR_INVALID_FILE);
    CHECK_CODE(init_with("{"), ACL_ERROR_PARSE_FILE);
    CHECK_OK(init_with("{\"err_msg_mode\":\"0\"}"));
    CHECK_EQUAL(count_left(), 0);
}

static void child_other_config(void)
{
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclFinalize());
    CHECK_CODE(init_with("{\"err_msg_mode\":\"0\"}"), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclFinalize());
}

static void child_same_config(void)
{
    CHECK_OK(init_with("{\"err_msg_mode\":\"0\"}"));
    CHECK_OK(aclFinalize());
    CHECK_OK(init_with("{\"err_msg_mode\":\"0\"}")); /* another file, the same content */
    CHECK_OK(aclFinalize());
    CHECK_CODE(init_with("{\"err_msg_mode\":\"1\"}"), ACL_ERROR_INVALID_PARAM);
}

static void child_bad_message_mode(void)
{
    CHECK_CODE(init_with("{\"err_msg_mode\":0}"), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(init_with("{\"err_msg_mode\":\"2\"}"), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(init_with("{\"err_msg_mode\":\"\"}"), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(init_with("{\"err_msg_mode\":\"1\"}"));
}

static void child_event_mode(void)
{
    CHECK_CODE(init_with("{\"acl_graph\":{\"event_mode\":2}}"), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(init_with("{\"acl_graph\":{\"event_mode\":-1}}"), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(init_with("{\"acl_graph\":{\"event_mode\":1}}"));
}

static void child_event_mode_0(void)
{
    CHECK_OK(init_with("{\"acl_graph\":{\"event_mode\":0}}"));
}

static void child_bad_default_device(void)
{
    static const char *const values[] = {"\"-1\"", "\"01\"", "\"a\"", "\"\"", "\"+1\"", "0"};
    for (size_t i = 0; i < TWIN_COUNT(values); i++) {
        char text[128];
        snprintf(text, sizeof(text), "{\"defaultDevice\":{\"default_device\":%s}}", values[i]);
        if (!CHECK_CODE(init_with(text), ACL_ERROR_FAILURE))
            fprintf(stderr, "  the value was: %s\n", values[i]);
    }
    CHECK_OK(aclInit(NULL));
}

static void child_absent_default_device(void)
{
    CHECK_CODE(init_with("{\"defaultDevice\":{\"default_device\":\"63\"}}"),
               ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_OK(aclInit(NULL));
}

#define DEFAULT_0 "{\"defaultDevice\":{\"default_device\":\"0\"}}"

static int32_t active_state(int32_t device)
{
    int32_t active = -1;
    CHECK_OK(aclrtGetPrimaryCtxState(device, NULL, &active));
    return active;
}

static void child_default_device(void)
{
    int32_t device = -1;
    void *memory = NULL;
    CHECK_OK(init_with(DEFAULT_0));
    CHECK_OK(aclrtGetDevice(&device)); /* DEV-33: answered without bringing it up */
    CHECK_EQUAL(device, 0);
    CHECK_EQUAL(active_state(0), 0);

    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_EQUAL(active_state(0), 1);
    CHECK_OK(aclrtMemset(memory, 64, 1, 64));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_EQUAL(active_state(0), 0);
    CHECK_CODE(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    CHECK_OK(aclFinalize());
}

static void make_stream_on_default(void *unused)
{
    (void)unused;
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtDestroyStream(stream));
}

static void child_default_device_force(void)
{
    CHECK_OK(init_with(DEFAULT_0));
    twin_on_thread(make_stream_on_default, NULL);
    make_stream_on_default(NULL); /* each thread's first need adds one */
    CHECK_OK(aclrtResetDeviceForce(0));
    CHECK_EQUAL(active_state(0), 0);
    CHECK_OK(aclFinalize());
}

static void child_default_device_overridden(void)
{
    int32_t device = -1;
    void *memory = NULL;
    CHECK_OK(init_with(DEFAULT_0));
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtGetDevice(&device));
    CHECK_EQUAL(device, 1);
    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_EQUAL(active_state(0), 0);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclFinalize());
}

static void child_default_device_ends(void)
{
    void *memory = NULL;
    CHECK_OK(init_with(DEFAULT_0));
    CHECK_OK(aclFinalize());
    CHECK_CODE(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
}

static const twin_child children[] = {
    {"absent_default_device", child_absent_default_device},
    {"again", child_again},
    {"bad_default_device", child_bad_default_device},
    {"bad_files", child_bad_files},
    {"bad_json", child_bad_json},
    {"bad_message_mode", child_bad_message_mode},
    {"braces_10", child_braces_10},
    {"brackets_10", child_brackets_10},
    {"concurrent", child_concurrent},
    {"default_device", child_default_device},
    {"default_device_ends", child_default_device_ends},
    {"default_device_force", child_default_device_force},
    {"default_device_overridden", child_default_device_overridden},
    {"empty_file", child_empty_file},
    {"empty_object", child_empty_object},
    {"empty_path", child_empty_path},
    {"event_mode", child_event_mode},
    {"event_mode_0", child_event_mode_0},
    {"failed_then_good", child_failed_then_good},
    {"finalize_ends_all", child_finalize_ends_all},
    {"finalize_first", child_finalize_first},
    {"finalize_quickly", child_finalize_quickly},
    {"first_init", child_first_init},
    {"nesting_11", child_nesting_11},
    {"other_config", child_other_config},
    {"reference", child_reference},
    {"reference_then_finalize", child_reference_then_finalize},
    {"repeat", child_repeat},
    {"repeat_finalize", child_repeat_finalize},
    {"same_config", child_same_config},
};

/* ---- tests ---------------------------------------------------------------------------------- */

static void test_first_init(void)
{
    twin_run_child("first_init", NULL);
}

static void test_empty_configurations(void)
{
    twin_run_child("empty_path", NULL);
    twin_run_child("empty_object", NULL);
    twin_run_child("empty_file", NULL);
}

static void test_repeat(void)
{
    twin_run_child("repeat", NULL);
}

static void test_bad_files(void)
{
    twin_run_child("bad_files", NULL);
}

static void test_bad_json(void)
{
    twin_run_child("bad_json", NULL);
}

static void test_nesting(void)
{
    twin_run_child("braces_10", NULL);
    twin_run_child("brackets_10", NULL);
    twin_run_child("nesting_11", NULL);
}

static void test_failed_then_good(void)
{
    twin_run_child("failed_then_good", NULL);
}

static void test_again(void)
{
    twin_run_child("again", NULL);
}

static void test_other_config(void)
{
    twin_run_child("other_config", NULL);
    twin_run_child("same_config", NULL);
}

static void test_message_mode(void)
{
    twin_run_child("bad_message_mode", NULL);
}

static void test_event_mode(void)
{
    twin_run_child("event_mode", NULL);
    twin_run_child("event_mode_0", NULL);
}

static void test_bad_default_device(void)
{
    twin_run_child("bad_default_device", NULL);
}

static void test_absent_default_device(void)
{
    twin_run_child("absent_default_device", NULL);
}

static void test_default_device(void)
{
    twin_run_child("default_device", NULL);
}

static void test_default_device_overridden(void)
{
    twin_run_child("default_device_overridden", NULL);
}

static void test_default_device_force(void)
{
    twin_run_child("default_device_force", NULL);
}

static void test_concurrent(void)
{
    twin_run_child("concurrent", NULL);
}

static void test_finalize_ends_all(void)
{
    twin_run_child("finalize_ends_all", NULL);
}

static void test_repeat_finalize(void)
{
    twin_run_child("repeat_finalize", NULL);
}

static void test_finalize_first(void)
{
    twin_run_child("finalize_first", NULL);
}

static void test_finalize_quickly(void)
{
    static const char *const settings[] = {"ASCEND_LOG_DEVICE_FLUSH_TIMEOUT=0", NULL};
    twin_run_child("finalize_quickly", settings);
}

static void test_default_device_ends(void)
{
    twin_run_child("default_device_ends", NULL);
}

static void test_reference(void)
{
    twin_run_child("reference", NULL);
}

static void test_reference_then_finalize(void)
{
    twin_run_child("reference_then_finalize", NULL);
}

static const twin_test tests[] = {
    {"INIT-01: the first aclInit succeeds and counts one", test_first_init},
    {"INIT-02: an empty path, an empty file and {} mean the defaults", test_empty_configurations},
    {"INIT-03: a repeated aclInit says so, counts on and breaks nothing", test_repeat},
    {"INIT-04: a file that cannot be read fails and leaves the count at 0", test_bad_files},
    {"INIT-05: malformed JSON fails and leaves the count at 0", test_bad_json},
    {"INIT-06: ten levels of braces or brackets are accepted, eleven are not", test_nesting},
    {"INIT-07: after a failed aclInit a good one succeeds", test_failed_then_good},
    {"INIT-08: initialise and finalise twice succeeds four times", test_again},
    {"INIT-09: another configuration than the first is refused, the same is accepted",
     test_other_config},
    {"INIT-10: err_msg_mode is the string 0 or 1", test_message_mode},
    {"INIT-11: event_mode is 0 or 1", test_event_mode},
    {"INIT-12: default_device is a string of digits", test_bad_default_device},
    {"INIT-13: a default_device that does not exist fails", test_absent_default_device},
    {"INIT-14, DEV-33: with a default device the first need brings it up and counts one",
     test_default_device},
    {"INIT-15: aclrtSetDevice overrides the default device", test_default_device_overridden},
    {"INIT-16: the implicit SetDevice is balanced by one forced reset", test_default_device_force},
    {"INIT-18: of several threads that initialise one succeeds, the count is theirs",
     test_concurrent},
    {"INIT-19: one aclFinalize ends all references", test_finalize_ends_all},
    {"INIT-20: a second aclFinalize is refused", test_repeat_finalize},
    {"INIT-21: aclFinalize before aclInit does no harm", test_finalize_first},
    {"INIT-22: aclFinalize does not linger when the log flush is switched off",
     test_finalize_quickly},
    {"INIT-23: aclFinalize ends the default device", test_default_device_ends},
    {"INIT-24: aclFinalizeReference counts down", test_reference},
    {"INIT-25: the two ways to finalise refuse each other's end", test_reference_then_finalize},
};

static const twin_suite suite = {.name = "init",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children)};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
