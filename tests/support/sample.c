/* SPDX-License-Identifier: Apache-2.0 */
/* A suite with every outcome, for selftest.py. */
#include "support/expect.h"

#include "acl/acl.h"
#include "seam/status.h"

static void passes(void)
{
    CU_ASSERT(1 + 1 == 2);
    TWIN_EXPECT_ACL(ACL_SUCCESS, ACL_ERROR_NONE);
}

static void fails_with_codes(void)
{
    int status = TWIN_E_BUSY;
    TWIN_EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, ACL_SUCCESS);
    TWIN_EXPECT_STATUS(status, TWIN_OK);
}

static void fails_with_values(void)
{
    TWIN_EXPECT_U64(0x10, 0x11);
    TWIN_EXPECT_TEXT("left", "right");
    TWIN_EXPECT_HOLDS("a message", "stream");
    TWIN_EXPECT_WITHIN(3.0, 1.0, 2.0);
}

static void stops_at_require(void)
{
    TWIN_REQUIRE_ACL(ACL_ERROR_RT_NO_DEVICE, ACL_SUCCESS);
    CU_FAIL("the test went on");
}

static void is_skipped(void)
{
    TWIN_SKIP("no such engine");
}

static void tells_its_backend(void)
{
    TWIN_EXPECT_TEXT(twin_test_backend(), "wood");
}

static const twin_test tests[] = {
    {"good one", passes},
    {"codes are named", fails_with_codes},
    {"values are shown", fails_with_values},
    {"require ends the test", stops_at_require},
    {"skipped from inside", is_skipped},
    {"the backend is wood", tells_its_backend},
    {"unsupported on stone", fails_with_codes},
    {"known to fail on stone", fails_with_codes},
    {"listed on stone but passes", passes},
};

static const twin_expectation stone[] = {
    {"unsupported on stone", TWIN_UNSUPPORTED, "stones do not do this"},
    {"sample: known to fail on stone", TWIN_KNOWN_FAILING, "cracked"},
    {"listed on stone but passes", TWIN_KNOWN_FAILING, "was cracked"},
    {"other suite: good one", TWIN_UNSUPPORTED, "names another suite"},
};

int main(int argc, char **argv)
{
    twin_expect_on("stone", stone, TWIN_COUNT(stone));
    return twin_run_suite("sample", tests, TWIN_COUNT(tests), argc, argv);
}
