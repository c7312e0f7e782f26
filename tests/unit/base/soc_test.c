/* SPDX-License-Identifier: Apache-2.0 */
/* SoCs and the products that they are in, as the vendor lists them: Ascend910A and 910ProB in the
 * Atlas training series, 310P3 in the inference series, 310B in Atlas 200I/500 A2, 910B1 to 910B4
 * in Atlas A2, 910_93.. in Atlas A3. */
#include "core/base/soc.h"

#include <stdio.h>
#include <string.h>

#include "support/cunit_main.h"

static void test_parts(void)
{
    static const struct {
        const char *soc;
        uint32_t part;
    } rows[] = {
        {"Ascend310B4", TWIN_PART_310B},       {"Ascend310P1", TWIN_PART_310P},
        {"Ascend310P3", TWIN_PART_310P},       {"Ascend350_354f", 0},
        {"Ascend910A", TWIN_PART_910},         {"Ascend910B", TWIN_PART_910},
        {"Ascend910B1", TWIN_PART_A2},         {"Ascend910B2C", TWIN_PART_A2},
        {"Ascend910B4-1", TWIN_PART_A2},       {"Ascend910ProB", TWIN_PART_910},
        {"Ascend910_9362", TWIN_PART_A3},      {"Ascend910_9391", TWIN_PART_A3},
        {"Ascend950DT_9581", TWIN_PART_950DT}, {"Ascend950PR_9599", TWIN_PART_950PR},
        {"the name of a user's profile", 0},
    };
    for (size_t i = 0; i < TWIN_COUNT(rows); i++) {
        CU_ASSERT_EQUAL(twin_soc_part(rows[i].soc), rows[i].part);
        if (twin_soc_part(rows[i].soc) != rows[i].part)
            printf("%s: part %#x\n", rows[i].soc, (unsigned)twin_soc_part(rows[i].soc));
    }
}

static void test_lists(void)
{
    char text[TWIN_PARTS_BYTES];
    twin_soc_list_parts(UINT32_MAX, text);
    CU_ASSERT(strlen(text) < sizeof(text) - 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "IPV350"));
    twin_soc_list_parts(0, text);
    CU_ASSERT_STRING_EQUAL(text, "");
    twin_soc_list_parts(TWIN_PART_A3 | TWIN_PART_950DT, text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "910_9391"));
    CU_ASSERT_PTR_NULL(strstr(text, "310P"));
}

static const twin_test tests[] = {
    {"a SoC is of the part that its products are", test_parts},
    {"a list names its parts and has room for all", test_lists},
};

int main(int argc, char **argv)
{
    return twin_run_suite("soc", tests, TWIN_COUNT(tests), argc, argv);
}
