/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/error.h"

#include "check.h"
#include "core/backend/thread_state.h"

static const twin_call call = {"aclrtTest", TWIN_COST_LOCAL};

static void test_outer_layer(void)
{
    fresh();
    twin_self.call = &call;
    CHECK_CODE(twin_fail(TWIN_ERR_ARG_NULL, "%s is NULL", "pointer"), 100000);
    CU_ASSERT_EQUAL(twin_self.last_error, 0);
    const char *text = twin_messages_take();
    REQUIRE(text);
    CU_ASSERT_STRING_EQUAL(text, "EH0002: aclrtTest: pointer is NULL");
}

static void test_runtime_layer(void)
{
    fresh();
    CHECK_CODE(twin_fail(TWIN_ERR_CONTEXT_NULL, "none"), 107002);
    CU_ASSERT_EQUAL(twin_self.last_error, 107002);
}

static void test_newer_replaces(void)
{
    fresh();
    (void)twin_fail(TWIN_ERR_CONTEXT_NULL, "none");
    (void)twin_fail(TWIN_ERR_HANDLE, "dead");
    (void)twin_fail(TWIN_ERR_ARG_NULL, "outer");
    CU_ASSERT_EQUAL(twin_self.last_error, 107017);
}

static void test_status_ok_is_silent(void)
{
    fresh();
    CHECK_OK(twin_fail_status(TWIN_OK, TWIN_CODE_STREAM_TIMEOUT, "x"));
    CU_ASSERT_PTR_NULL(twin_messages_take());
}

static void test_status_codes(void)
{
    fresh();
#define CHECK_STATUS(status, code, text)                                                           \
    if (status != TWIN_E_TIMEOUT && !twin_wait_given_up(status))                                   \
        CHECK_CODE(twin_fail_status(status, TWIN_CODE_EVENT_TIMEOUT, "x"), code);
    TWIN_STATUS_LIST(CHECK_STATUS)
}

static void test_waits_differ(void)
{
    fresh();
    CHECK_CODE(twin_fail_status(TWIN_E_TIMEOUT, TWIN_CODE_STREAM_TIMEOUT, "x"), 507046);
    CHECK_CODE(twin_fail_status(TWIN_E_TIMEOUT, TWIN_CODE_EVENT_TIMEOUT, "x"), 507047);
    CHECK_CODE(twin_fail_status(TWIN_E_DEADLOCK, TWIN_CODE_STREAM_TIMEOUT, "x"), 507046);
    CHECK_CODE(twin_fail_status(TWIN_E_DEADLOCK, TWIN_CODE_EVENT_TIMEOUT, "x"), 507047);
    CHECK_CODE(twin_fail_status(TWIN_E_INTERRUPTED, TWIN_CODE_STREAM_TIMEOUT, "x"), 507046);
    CHECK_CODE(twin_fail_status(TWIN_E_INTERRUPTED, TWIN_CODE_EVENT_TIMEOUT, "x"), 507047);
}

static void test_vendor_code(void)
{
    twin_self.vendor_code = 507901;
    CHECK_CODE(twin_fail_status(TWIN_E_VENDOR, TWIN_CODE_STREAM_TIMEOUT, "x"), 507901);
    CHECK_CODE(twin_fail_status(TWIN_E_INVALID, TWIN_CODE_STREAM_TIMEOUT, "x"), 107000);
    twin_self.vendor_code = 0;
    CHECK_CODE(twin_fail_status(TWIN_E_VENDOR, TWIN_CODE_STREAM_TIMEOUT, "x"), 507899);
}

static void test_unknown_status(void)
{
    fresh();
    CHECK_CODE(twin_fail_status((twin_status)9999, TWIN_CODE_STREAM_TIMEOUT, "x"), 507000);
}

static void test_status_message(void)
{
    fresh();
    twin_self.call = &call;
    (void)twin_fail_status(TWIN_E_NO_QUEUE, TWIN_CODE_STREAM_TIMEOUT, "device %d", 3);
    const char *text = twin_messages_take();
    REQUIRE(text);
    CU_ASSERT_STRING_EQUAL(text, "EE1023: aclrtTest: device 3: no hardware queue is free");
}

static void test_classes(void)
{
    fresh();
    for (int error = 0; error < TWIN_ERR_COUNT; error++) {
        int32_t code = twin_fail((twin_error)error, "x");
        int first = code / 100000;
        CU_ASSERT(first == 1 || first == 2 || first == 5);
        /* The outer layer's ids begin EH, the runtime's EE. */
        const char *text = twin_messages_take();
        REQUIRE(text);
        CU_ASSERT(strncmp(text, "EH", 2) == 0 || strncmp(text, "EE", 2) == 0);
    }
}

static const twin_test tests[] = {
    {"a refusal of the outer layer is returned and not recorded", test_outer_layer},
    {"a failure of the runtime is recorded", test_runtime_layer},
    {"a newer failure replaces an older one", test_newer_replaces},
    {"success says nothing", test_status_ok_is_silent},
    {"every status has its public code", test_status_codes},
    {"timeouts and deadlocks become the wait's own code", test_waits_differ},
    {"the caller gets the vendor's answer", test_vendor_code},
    {"an unknown status is an internal error", test_unknown_status},
    {"a status is reported with its meaning", test_status_message},
    {"codes and ids keep to their classes", test_classes},
};

int main(int argc, char **argv)
{
    return twin_run_suite("error", tests, TWIN_COUNT(tests), argc, argv);
}
