// SPDX-License-Identifier: Apache-2.0
/// Records of an event that a device forwards to the event tables of others. Rules T-RMT-6 to
/// T-RMT-9.
#include <array>

#include "rig.h"

namespace
{

constexpr uint32_t kPeers = 2; // devices 1 and 2, with a queue 0 each that waits

class Rigs
{
  public:
    explicit Rigs(const Rig::Tweak &tweak = nullptr) : rig(options(), tweak)
    {
        twinsim_queue config{};
        config.depth = config.cq_depth = 16;
        for (uint32_t i = 0; i < kPeers; ++i)
            scheduler(i + 1).open(0, config, rings_.at(i).data(), cqs_.at(i).data());
    }
    tsim::TaskScheduler &scheduler(uint32_t device) { return rig.device(device).scheduler(); }
    void put(uint32_t device, const stars_sqe &sqe)
    {
        rings_.at(device - 1).at(sent_.at(device - 1)++) = sqe;
        rig.device(device).doorbell(0, sent_.at(device - 1), 0);
    }
    uint64_t retired(uint32_t device) { return scheduler(device).front(0).retired(); }
    uint64_t retired_at(uint32_t device, uint64_t number)
    {
        return scheduler(device).front(0).retired_at(number);
    }
    /// When a record that device 0's queue sees at `at_ns`, idle until then, sets its flag.
    [[nodiscard]] uint64_t record_at(uint64_t at_ns) const
    {
        const tsim::Params &p = rig.params();
        return at_ns + swap_in() + p.fetch_read.value + p.decode.value + p.event_table.value;
    }
    [[nodiscard]] uint64_t swap_in() const
    {
        const tsim::Params &p = rig.params();
        return p.arbitration.value + p.record_read.value + p.slot_enable.value;
    }

    Rig rig;

  private:
    static Rig::Options options()
    {
        Rig::Options options;
        options.devices = 1 + kPeers;
        return options;
    }
    std::array<std::array<stars_sqe, 16>, kPeers> rings_{};
    std::array<std::array<stars_cqe, 16>, kPeers> cqs_{};
    std::array<uint32_t, kPeers> sent_{};
};

} // namespace

// T-RMT-6 to T-RMT-8: the waits go on a way after the record, and name it; the record takes no
// longer. Only the next record counts.
static void test_times()
{
    Rigs rigs;
    Rig &rig = rigs.rig;
    const tsim::Params &p = rig.params();
    CU_ASSERT(p.peer_write.value > 0);
    rig.open(5);
    for (uint32_t device = 1; device <= kPeers; ++device) {
        EXPECT_EQ(rigs.scheduler(0).forward(7, device, 20 + device), TWINSIM_OK);
        rigs.put(device, sqe_event_wait(20 + device, 0));
    }
    rig.put(5, sqe_placeholder(), 10000);
    rig.put(5, sqe_event_record(7), 20000);
    rig.run();
    const uint64_t record = rigs.record_at(20000);
    EXPECT_EQ(rig.retired_at(5, 2), record + p.retire.value);
    for (uint32_t device = 1; device <= kPeers; ++device) {
        EXPECT_EQ(rigs.retired_at(device, 1),
                  record + p.peer_write.value + rigs.swap_in() + p.retire.value);
        CU_ASSERT(rigs.scheduler(device).events().flag(20 + device));
        rigs.scheduler(device).write_event(20 + device, false);
    }
    size_t parks = 0;
    for (const auto &park : rig.phases(TWINSIM_PHASE_PARK)) {
        ++parks;
        EXPECT_EQ(park.end_ns, record + p.peer_write.value);
        EXPECT_EQ(park.waker_device, 0);
        EXPECT_EQ(park.waker_sq, 5);
        EXPECT_EQ(park.waker_number, 2);
        EXPECT_EQ(park.parameter, p.peer_write.index);
    }
    EXPECT_EQ(parks, kPeers);

    rigs.scheduler(0).write_event(7, false);
    rig.put(5, sqe_event_record(7), rig.now() + 1000);
    rig.run();
    for (uint32_t device = 1; device <= kPeers; ++device)
        CU_ASSERT_FALSE(rigs.scheduler(device).events().flag(20 + device));
}

// T-RMT-6: a flag that is set leaves at once; an entry has one coming at most, and can have the
// next when that is there.
static void test_set_already()
{
    Rigs rigs;
    Rig &rig = rigs.rig;
    tsim::TaskScheduler &here = rigs.scheduler(0);
    const uint64_t way = rig.params().peer_write.value;
    here.write_event(3, true);
    const uint64_t begin = rig.now();
    EXPECT_EQ(here.forward(3, 1, 9), TWINSIM_OK);
    EXPECT_EQ(here.forward(3, 1, 9), TWINSIM_E_STATE);
    EXPECT_EQ(here.forward(4, 1, 9), TWINSIM_E_STATE);
    rig.run_until(begin + way - 1);
    CU_ASSERT_FALSE(rigs.scheduler(1).events().flag(9));
    rig.run_until(begin + way);
    CU_ASSERT(rigs.scheduler(1).events().flag(9));
    EXPECT_EQ(here.forward(4, 1, 9), TWINSIM_OK);

    const uint32_t ids = here.events().size();
    EXPECT_EQ(here.forward(ids, 1, 1), TWINSIM_E_ARGUMENT);
    EXPECT_EQ(here.forward(1, 1, ids), TWINSIM_E_ARGUMENT);
    EXPECT_EQ(here.forward(1, 1 + kPeers, 1), TWINSIM_E_ARGUMENT);
}

// T-RMT-7: a record that was forwarded is forwarded again, a way later.
static void test_order()
{
    Rigs rigs;
    Rig &rig = rigs.rig;
    tsim::TaskScheduler &here = rigs.scheduler(0);
    EXPECT_EQ(here.forward(1, 1, 31), TWINSIM_OK);
    EXPECT_EQ(here.forward(1, 2, 32), TWINSIM_OK);
    EXPECT_EQ(rigs.scheduler(1).forward(31, 2, 33), TWINSIM_OK);
    rigs.put(2, sqe_event_wait(33, 0));
    rigs.put(1, sqe_event_wait(31, 0));
    rig.run();
    const uint64_t begin = rig.now();
    here.write_event(1, true);
    const uint64_t way = rig.params().peer_write.value;
    rig.run_until(begin + way);
    CU_ASSERT(rigs.scheduler(1).events().flag(31));
    CU_ASSERT(rigs.scheduler(2).events().flag(32));
    CU_ASSERT_FALSE(rigs.scheduler(2).events().flag(33));
    rig.run();
    EXPECT_EQ(rigs.retired_at(1, 1), begin + way + rigs.swap_in() + rig.params().retire.value);
    EXPECT_EQ(rigs.retired_at(2, 1), begin + 2 * way + rigs.swap_in() + rig.params().retire.value);
    // The host wrote it: not a record of a queue.
    for (const auto &park : rig.phases(TWINSIM_PHASE_PARK))
        EXPECT_EQ(park.waker_sq, tsim::kNone);
}

// T-RMT-9: a 0 by the host in the entry of either side ends it, on its way too; one by an SQE does
// not.
static void test_clear()
{
    Rigs rigs;
    Rig &rig = rigs.rig;
    tsim::TaskScheduler &here = rigs.scheduler(0);
    const uint64_t way = rig.params().peer_write.value;
    rig.open(0);
    const auto set = [&](uint32_t device, uint32_t id) {
        return rigs.scheduler(device).events().flag(id);
    };
    for (uint32_t id = 1; id <= 6; ++id)
        EXPECT_EQ(here.forward(id, 1 + id % 2, 40 + id), TWINSIM_OK);
    here.write_event(1, false);               // source
    rigs.scheduler(1).write_event(42, false); // target of id 2
    rig.put(0, sqe_event_write(3, 0), 0);     // both sides, by SQEs
    rigs.put(1, sqe_event_write(44, 0));
    rig.run();
    const uint64_t begin = rig.now() + 1000;
    rig.run_until(begin);
    for (uint32_t id = 1; id <= 6; ++id)
        here.write_event(id, true);
    rig.run_until(begin + way / 2);
    rigs.scheduler(2).write_event(45, false); // target of id 5, on its way
    here.write_event(6, false);               // source of id 6, which has left
    rig.run();
    const bool expected[] = {false, false, true, true, false, true};
    for (uint32_t id = 1; id <= 6; ++id)
        EXPECT_EQ(set(1 + id % 2, 40 + id), expected[id - 1]);
    // Both sides are good for others.
    EXPECT_EQ(here.forward(7, 2, 41), TWINSIM_OK);
    EXPECT_EQ(here.forward(7, 1, 42), TWINSIM_OK);
    EXPECT_EQ(here.forward(7, 2, 45), TWINSIM_OK);
    here.write_event(7, true);
    rig.run();
    CU_ASSERT(set(2, 41) && set(1, 42) && set(2, 45));
}

// T-RMT-9: a reset of the waiting device drops the values on their way to it; a reset of the
// recording device drops those that it has not sent.
static void test_reset()
{
    for (const bool waiting : {false, true}) {
        Rigs rigs;
        Rig &rig = rigs.rig;
        tsim::TaskScheduler &here = rigs.scheduler(0);
        const uint64_t way = rig.params().peer_write.value;
        EXPECT_EQ(here.forward(1, 1, 51), TWINSIM_OK);
        EXPECT_EQ(here.forward(2, 1, 52), TWINSIM_OK);
        EXPECT_EQ(here.forward(2, 2, 53), TWINSIM_OK);
        here.write_event(1, true);
        rig.run_until(way / 2);
        rig.device(waiting ? 1 : 0).reset();
        here.write_event(2, true);
        rig.run();
        EXPECT_EQ(rigs.scheduler(1).events().flag(51), !waiting);
        CU_ASSERT_FALSE(rigs.scheduler(1).events().flag(52));
        EXPECT_EQ(rigs.scheduler(2).events().flag(53), waiting);
        // No entry is left on either side.
        for (const uint32_t entry : {51u, 52u})
            EXPECT_EQ(here.forward(9, 1, entry), TWINSIM_OK);
        EXPECT_EQ(here.forward(9, 2, 53), TWINSIM_OK);
    }
}

// T-RMT-6, T-FLT-12: a record that is lost is not forwarded.
static void test_lost_record()
{
    Rigs rigs;
    Rig &rig = rigs.rig;
    twinsim_fault fault{};
    fault.kind = TWINSIM_FAULT_RECORD_LOST;
    fault.device = 0;
    fault.stream = fault.task = fault.id = TWINSIM_ANY;
    fault.first = fault.times = 1;
    (void)rig.system().faults().inject(fault);
    rig.open(0);
    EXPECT_EQ(rigs.scheduler(0).forward(1, 1, 61), TWINSIM_OK);
    rig.put(0, sqe_event_record(1), 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    CU_ASSERT_FALSE(rigs.scheduler(1).events().flag(61));
    rig.put(0, sqe_event_record(1), rig.now());
    rig.run();
    CU_ASSERT(rigs.scheduler(1).events().flag(61));
}

// T-RMT-6: any number of them, in an order that dice choose, with some taken back: each arrives
// once, and no other.
static void test_many()
{
    enum { kIds = 300, kRounds = 20 };
    Rigs rigs;
    Rig &rig = rigs.rig;
    tsim::TaskScheduler &here = rigs.scheduler(0);
    uint64_t dice = 1;
    for (unsigned round = 0; round < kRounds; ++round) {
        for (uint32_t entry = 0; entry < kIds; ++entry)
            for (uint32_t device = 1; device <= kPeers; ++device)
                EXPECT_EQ(
                    here.forward(static_cast<uint32_t>(tsim::mix(dice) % kIds), device, entry),
                    TWINSIM_OK);
        std::vector<bool> gone(kIds * kPeers);
        for (unsigned i = 0; i < kIds / 4; ++i) {
            const auto which = static_cast<uint32_t>(tsim::mix(dice) % (kIds * kPeers));
            gone[which] = true;
            rigs.scheduler(1 + which % kPeers).write_event(which / kPeers, false);
        }
        for (uint32_t id = 0; id < kIds; ++id)
            here.write_event(id, true);
        rig.run();
        for (uint32_t which = 0; which < kIds * kPeers; ++which) {
            const bool set = rigs.scheduler(1 + which % kPeers).events().flag(which / kPeers);
            EXPECT_EQ(set, !gone[which]);
            rigs.scheduler(1 + which % kPeers).write_event(which / kPeers, false);
        }
        for (uint32_t id = 0; id < kIds; ++id)
            here.write_event(id, false);
    }
}

static const twin_test tests[] = {
    {"waits of other devices go on a way after the record", test_times},
    {"a flag that is set already, and refusals", test_set_already},
    {"several devices, one after the other", test_order},
    {"the host's 0 ends it on either side", test_clear},
    {"a reset of either device", test_reset},
    {"a lost record is not forwarded", test_lost_record},
    {"many at once", test_many},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim forward", tests, TWIN_COUNT(tests), argc, argv);
}
