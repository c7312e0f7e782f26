/* SPDX-License-Identifier: Apache-2.0 */
/* What depends on the part: the numbers of the vendor's platform files and documents for its AI
 * cores, and published host times. */
#include "seam.h"

#include <unistd.h>

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

/* HOST-2: 8.6 us for a launch on a 910B2 (triton-ascend), 5.7 to 5.9 us for a copy on an A3 (hixl);
 * 3 us, of the 19 to 30 us of a launch and a wait on a 910B3, for all others. */
static void test_costs_of_calls(void)
{
    static const struct {
        const char *profile;
        uint64_t launch_ns, transfer_ns, submit_ns;
    } costs[] = {
        {"910b2", 8600, 3000, 3000}, {"910_9391", 3000, 5800, 3000}, {"910b3", 3000, 3000, 3000}};
    for (size_t i = 0; i < TWIN_COUNT(costs); i++) {
        seam_set("TWINRT_PROFILE", costs[i].profile);
        SEAM_OK(seam_start());
        seam->host.attach();
        uint64_t now[4];
        now[0] = seam->host.now();
        seam_call(TWIN_COST_LAUNCH);
        now[1] = seam->host.now();
        seam_call(TWIN_COST_TRANSFER);
        now[2] = seam->host.now();
        seam_call(TWIN_COST_SUBMIT);
        now[3] = seam->host.now();
        CU_ASSERT_EQUAL(now[1] - now[0], costs[i].launch_ns);
        CU_ASSERT_EQUAL(now[2] - now[1], costs[i].transfer_ns);
        CU_ASSERT_EQUAL(now[3] - now[2], costs[i].submit_ns);
        seam->process.stop();
    }
    seam_set("TWINRT_PROFILE", NULL);
}

/* T-SCH-23 is a rule of the C++ model alone. */
static void test_rule_without_rtl(void)
{
    static const char *const models[] = {"rtl", "lockstep"};
    char path[] = "/tmp/twinrt-limits-XXXXXX";
    CU_ASSERT_FATAL(seam_make_profile(path, "limits_at_slot", 1));
    seam_set("TWINRT_PROFILE", path);
    for (size_t i = 0; i < TWIN_COUNT(models); i++) {
        twin_hw_device *device = NULL;
        seam_forget();
        seam_set("TWINRT_MODEL", models[i]);
        SEAM_OK(seam_start());
        seam->host.attach();
        CU_ASSERT(seam->device.open(0, &device) != TWIN_OK);
        CU_ASSERT(seam_logged("expected swap_in.limits_at_slot 0 in the profile, or "
                              "TWINRT_MODEL=cpp"));
        seam->process.stop();
    }
    seam_set("TWINRT_MODEL", NULL);
    seam_down(seam_up());
    seam_set("TWINRT_PROFILE", NULL);
    unlink(path);
}

static const twin_test tests[] = {
    {"the cores of each part have its buffers and rates", test_parts},
    {"calls cost what was measured for the part", test_costs_of_calls},
    {"the RTL refuses a rule that it does not have", test_rule_without_rtl},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim_device_properties", tests, TWIN_COUNT(tests), argc, argv);
}
