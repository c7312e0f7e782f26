/* SPDX-License-Identifier: Apache-2.0 */
/* Times of events are read from a counter: its ticks as ns, for longer than the product of both
 * fits into a word. */
#include "support/cunit_main.h"

#include "backends/sim/process/process.h"

#define NS_PER_S      UINT64_C(1000000000)
#define S_PER_YEAR    (UINT64_C(365) * 86400)
#define TICKS(s, mhz) ((s) * (mhz)*UINT64_C(1000000))

static void test_no_wrap(void)
{
    static const uint64_t counters[] = {1, 48, 50, 100, 1000};
    for (size_t i = 0; i < TWIN_COUNT(counters); i++)
        for (uint64_t years = 0; years <= 500; years++) {
            const uint64_t seconds = years * S_PER_YEAR;
            CU_ASSERT(sim_ticks_ns(TICKS(seconds, counters[i]), counters[i]) == seconds * NS_PER_S);
        }
}

/* 50 MHz: a tick is 20 ns; 48 MHz: 3 ticks are 62.5 ns, of which whole ns are kept. */
static void test_ticks(void)
{
    const uint64_t far = 100 * S_PER_YEAR;
    CU_ASSERT(sim_ticks_ns(1, 50) == 20);
    CU_ASSERT(sim_ticks_ns(TICKS(far, 50) + 49, 50) == far * NS_PER_S + 980);
    CU_ASSERT(sim_ticks_ns(3, 48) == 62);
    CU_ASSERT(sim_ticks_ns(TICKS(far, 48) + 3, 48) == far * NS_PER_S + 62);
}

static const twin_test tests[] = {
    {"times do not wrap in 500 years", test_no_wrap},
    {"each tick counts after 100 years", test_ticks},
};

int main(int argc, char **argv)
{
    return twin_run_suite("backend.sim_ticks", tests, TWIN_COUNT(tests), argc, argv);
}
