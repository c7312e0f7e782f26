/* SPDX-License-Identifier: Apache-2.0 */
/* What the model's devices report of their AI cores: the numbers of the vendor's platform
 * files and documents. */
#include "seam.h"

typedef struct part {
    const char *profile;
    uint32_t ub_kib, l1_kib, l0c_kib;
    bool split;
    uint32_t fp32; /* products in a cycle; 0: none */
    uint32_t vector_width, l0a_rate, l0b_rate, l0c_rate;
    uint32_t groups, banks;
} part;

#define A2 192, 512, 128, true, 4, 256, 256, 128, 256, 16, 3
static const part parts[] = {
    {"310b1", 248, 1024, 128, true, 8, 128, 512, 256, 128, 0, 1},
    {"310p3", 256, 1024, 256, false, 0, 128, 512, 256, 512, 0, 1},
    {"910_9391", A2},
    {"910a", 256, 1024, 256, false, 0, 128, 512, 256, 256, 0, 1},
    {"910b1", A2},
    {"910b2", A2},
    {"910b3", A2},
    {"910b4", A2},
    {"950", 248, 512, 256, true, 1, 256, 256, 256, 128, 8, 2},
};

static void test_parts(void)
{
    for (size_t i = 0; i < TWIN_COUNT(parts); i++) {
        const part *wanted = &parts[i];
        const twin_device_properties *properties = NULL;
        seam_set("TWINRT_PROFILE", wanted->profile);
        SEAM_OK(seam_start());
        SEAM_OK(seam->process.describe(0, &properties));
        const twin_core_properties *core = &properties->core;
        CU_ASSERT(core->ub_bytes == wanted->ub_kib << 10 && core->l1_bytes == wanted->l1_kib << 10);
        CU_ASSERT(core->l0a_bytes == 65536 && core->l0b_bytes == 65536);
        CU_ASSERT_EQUAL(core->l0c_bytes, wanted->l0c_kib << 10);
        CU_ASSERT_EQUAL(core->split, wanted->split);
        CU_ASSERT(core->vector_bytes == wanted->vector_width && core->cube_k_fp16 == 16 &&
                  core->cube_k_int8 == 32);
        CU_ASSERT_EQUAL(core->cube_k_fp32, wanted->fp32);
        CU_ASSERT_EQUAL(core->l0a_load_bytes, wanted->l0a_rate);
        CU_ASSERT_EQUAL(core->l0b_load_bytes, wanted->l0b_rate);
        CU_ASSERT_EQUAL(core->l0c_read_bytes, wanted->l0c_rate);
        CU_ASSERT(core->ub_groups == wanted->groups && core->ub_banks == wanted->banks);
        /* Fitted or assumed: any number, but one that counts. */
        CU_ASSERT(core->vector_start > 0 && core->cube_start > 0 && core->mte_start > 0);
        CU_ASSERT(core->scalar_block > 0 && core->scalar_access > 0);
        seam->process.stop();
    }
    seam_set("TWINRT_PROFILE", NULL);
}

static const twin_test tests[] = {
    {"the cores of each part have its buffers and rates", test_parts},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim_device_properties", tests, TWIN_COUNT(tests), argc, argv);
}
