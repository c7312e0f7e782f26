// SPDX-License-Identifier: Apache-2.0
/// How long a kernel takes to begin: on one core, on all, on cold ones (T-CORE-24, T-CORE-25).
#include <algorithm>
#include <vector>

#include "kernels.h"

namespace
{

constexpr uint64_t kPc = 7;

/// From kick-start to the end of the report, of an empty kernel.
uint64_t head(uint32_t blocks, uint32_t subtype = STARS_KERNEL_AIV,
              const Rig::Tweak &tweak = nullptr)
{
    KernelRig k([&tweak](tsim::Params &p) {
        p.core_crowd = shipped_profile().params().core_crowd;
        if (tweak)
            tweak(p);
    });
    k.kernels.set(kPc, {});
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(subtype, blocks, kPc), 0);
    k.rig.run();
    return k.span(0) + k.rig.params().core_report.value;
}

} // namespace

// T-CORE-24: 1.7 us on one core, 20 to 21 us on all (asc-devkit, performance data). The 910B3 has
// 40 AIVs and 20 AICs, and issues a block in 4 ns; a mixed block takes three cores.
static void test_all_cores()
{
    EXPECT_EQ(head(1), 1700);
    for (const uint32_t subtype : {STARS_KERNEL_AIV, STARS_KERNEL_MIXED}) {
        const uint32_t blocks = subtype == STARS_KERNEL_AIV ? 40 : 20;
        EXPECT_EQ(head(blocks, subtype), 1700 + 18800 + (blocks - 1) * 4);
        CU_ASSERT(head(blocks, subtype) >= 20000 && head(blocks, subtype) <= 21000);
    }
    // In proportion to the other cores: 13 of 39 are a third, 18800 / 3 = 6266.7.
    for (const uint32_t subtype : {STARS_KERNEL_AIV, STARS_KERNEL_AIC})
        EXPECT_EQ(head(14, subtype), 1700 + 6266 + 13 * 4);
    EXPECT_EQ(head(20, STARS_KERNEL_AIC), 1700 + 18800 * 19 / 39 + 19 * 4);
    EXPECT_EQ(head(21, STARS_KERNEL_AIC), 1700 + 18800 * 19 / 39 + 1200);
    // Two of the three cores of a mixed block are others, 18800 * 2 / 39 = 964.1.
    EXPECT_EQ(head(1, STARS_KERNEL_MIXED), 1700 + 964);
    // A second wave has the four times alone.
    EXPECT_EQ(head(41), 1700 + 18800 + 1200);
    EXPECT_EQ(head(40, STARS_KERNEL_AIV, [](tsim::Params &p) { p.core_crowd.value = 0; }),
              1700 + 39 * 4);
}

// T-CORE-25: the first block of each core takes a drawn decision, later ones the usual time.
// Published: minimum 0.03, median 1.77, three quarters 3.39, maximum 5.31 us.
static void test_cold_cores()
{
    const auto cold = [](tsim::Params &p) {
        p.core_cold_least.value = 30;
        p.core_cold_half.value = 1770;
        p.core_cold_quarter.value = 3390;
        p.core_cold_most.value = 5310;
    };
    std::vector<uint64_t> drawn;
    for (uint64_t seed = 0; seed <= 50; ++seed) {
        KernelRig k(cold, seed);
        k.kernels.set(kPc, {{}});
        k.rig.open(0);
        for (int i = 0; i < 2; ++i)
            k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, 40, kPc), 0);
        k.rig.run();
        uint64_t first = 0, later = 0;
        for (const auto &record : k.rig.phases(TWINSIM_PHASE_START, 0)) {
            const uint64_t length = record.end_ns - record.begin_ns;
            if (record.parameter == k.rig.params().core_cold_half.index) {
                ++first;
                CU_ASSERT(length >= 30 && length <= 5310);
                CU_ASSERT(seed != 0 || length == 1770);
                if (seed != 0)
                    drawn.push_back(length);
            } else if (record.parameter == k.rig.params().core_dispatch.index) {
                ++later;
                EXPECT_EQ(length, 150);
            }
        }
        CU_ASSERT(first + later == 80 && first <= 40 && first >= 30);
    }
    // 2000 draws: the quartiles are as published, to within 5 %.
    std::sort(drawn.begin(), drawn.end());
    const uint64_t half = drawn[drawn.size() / 2], quarter = drawn[drawn.size() * 3 / 4];
    CU_ASSERT(half >= 1770 * 95 / 100 && half <= 1770 * 105 / 100);
    CU_ASSERT(quarter >= 3390 * 95 / 100 && quarter <= 3390 * 105 / 100);
    CU_ASSERT(drawn.front() < 100 && drawn.back() > 5200);
}

static const twin_test tests[] = {
    {"an empty kernel takes longer on more cores", test_all_cores},
    {"the first block of a core takes a drawn time", test_cold_cores},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim launch time", tests, TWIN_COUNT(tests), argc, argv);
}
