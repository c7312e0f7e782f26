/* SPDX-License-Identifier: Apache-2.0 */
/* The skeleton: loads, has no devices, promises nothing else. */
#include "seam.h"

static void test_table(void)
{
    CU_ASSERT(seam->size == sizeof(struct twin_backend));
    CU_ASSERT(seam->version == TWIN_SEAM_VERSION);
    CU_ASSERT_STRING_EQUAL(seam->name, "null");
    CU_ASSERT(!seam->device.open && !seam->queue.create && !seam->work.copy);
}

static void test_no_devices(void)
{
    uint32_t count = 9;
    const twin_device_properties *properties = NULL;
    for (unsigned i = 0; i < 3; i++) {
        SEAM_OK(seam_start());
        SEAM_OK(seam->process.count(&count));
        CU_ASSERT(count == 0);
        SEAM_STATUS(seam->process.describe(0, &properties), TWIN_E_DEVICE_ID);
        seam->process.stop();
    }
}

static const twin_test tests[] = {
    {"the table has the form that the core expects, with empty groups", test_table},
    {"there are no devices, however often it starts", test_no_devices},
};

int main(int argc, char **argv)
{
    seam_load("null");
    return twin_run_suite("null", tests, TWIN_COUNT(tests), argc, argv);
}
