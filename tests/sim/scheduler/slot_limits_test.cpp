// SPDX-License-Identifier: Apache-2.0
/// Class limits at the arbitration for slots (T-SCH-23), a rule of the C++ model alone.
#include "rig.h"

namespace
{

/// One share for copies by SDMA.
Rig::Tweak one_share(uint64_t at_slot, uint64_t slots)
{
    return [=](tsim::Params &p) {
        p.limits_at_slot.value = at_slot;
        p.slots.value = slots;
        p.sdma_cap.value = 1;
    };
}

stars_sqe copy(uint32_t bytes)
{
    return sqe_sdma(Rig::kHbm, Rig::kHbm + bytes, bytes);
}

} // namespace

// Three copies of a class with one share, and a queue without a class, in two slots. The second and
// third copy cost the last queue no slot, and begin like the first one when that has retired.
static void test_limits_when_a_slot_is_arbitrated()
{
    constexpr uint32_t kBytes = 8 << 20; // the last queue has left its slot before it has moved
    for (const bool at_slot : {true, false}) {
        Rig rig(one_share(at_slot ? 1 : 0, 2));
        const tsim::Params &p = rig.params();
        for (uint32_t sq = 0; sq < 4; ++sq) {
            rig.open(sq);
            rig.put(sq, sq < 3 ? copy(kBytes) : sqe_placeholder(), 0);
        }
        rig.run();
        const uint64_t swap_in = p.arbitration.value + p.record_read.value + p.slot_enable.value;
        const uint64_t decoded = swap_in + p.fetch_read.value + p.decode.value;
        const uint64_t first = rig.retired_at(0, 1);
        if (at_slot) {
            EXPECT_EQ(rig.retired_at(3, 1), p.arbitration.value + decoded + p.retire.value);
            EXPECT_EQ(rig.retired_at(1, 1), first + first);
            EXPECT_EQ(rig.retired_at(2, 1), first + first + first);
        } else { // they leave their slot after decode, and do not decode again
            const uint64_t aside = decoded + p.drain.value + p.slot_disable.value;
            EXPECT_EQ(rig.retired_at(3, 1),
                      p.arbitration.value + aside + aside + decoded + p.retire.value);
            EXPECT_EQ(rig.retired_at(1, 1), first + swap_in + first - decoded);
        }
    }
}

// T-FE-8: the queue has the share of its copy and is disabled before it begins that.
static void test_disabled_with_a_share()
{
    Rig rig(one_share(1, 4));
    for (uint32_t sq = 0; sq < 2; ++sq)
        rig.open(sq);
    rig.put(0, copy(64), 0);
    rig.run_until(rig.params().arbitration.value + 1);
    EXPECT_EQ(rig.device().write(STARS_SQ_ENABLE, 0), TWINSIM_OK);
    rig.put(1, copy(64), rig.now());
    rig.run();
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_IDLE);
    EXPECT_EQ(rig.retired(0), 0);
    EXPECT_EQ(rig.retired(1), 1);
    EXPECT_EQ(rig.device().write(STARS_SQ_ENABLE, 1), TWINSIM_OK);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
}

// The queue has the share of its copy, and the SQE becomes another one before it is read.
static void test_changed_with_a_share()
{
    stars_sqe bad = sqe_placeholder();
    bad.word[0] |= STARS_W0_TYPE_MASK;
    const struct {
        stars_sqe sqe;
        twinsim_queue_state state;
    } cases[] = {{sqe_placeholder(), TWINSIM_QUEUE_IDLE},
                 {sqe_event_wait(1, 0), TWINSIM_QUEUE_PARKED},
                 {sqe_pcie_dma(Rig::kHbm, Rig::kHost, 64), TWINSIM_QUEUE_IDLE},
                 {bad, TWINSIM_QUEUE_EXCEPTION}};
    for (const auto &c : cases) {
        Rig rig(one_share(1, 4));
        for (uint32_t sq = 0; sq < 2; ++sq)
            rig.open(sq);
        rig.put(0, copy(64), 0);
        rig.run_until(rig.params().arbitration.value + 1);
        rig.entries(0)[0] = c.sqe;
        rig.put(1, copy(64), rig.now());
        rig.run();
        EXPECT_EQ(rig.state(0), c.state);
        EXPECT_EQ(rig.retired(0), c.state == TWINSIM_QUEUE_IDLE ? 1 : 0);
        EXPECT_EQ(rig.retired(1), 1);
    }
}

static const twin_test tests[] = {
    {"class limits when a slot is arbitrated", test_limits_when_a_slot_is_arbitrated},
    {"a queue that is disabled returns its share", test_disabled_with_a_share},
    {"a queue whose SQE was changed returns its share", test_changed_with_a_share},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim slot_limits", tests, TWIN_COUNT(tests), argc, argv);
}
