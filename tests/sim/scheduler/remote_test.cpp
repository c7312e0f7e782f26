// SPDX-License-Identifier: Apache-2.0
/// Records on another device: stores into its tables through its window.
#include <array>

#include "rig.h"

namespace
{

/// A queue of device 1, which waits.
class Peer
{
  public:
    explicit Peer(Rig &rig) : rig_(rig)
    {
        twinsim_queue config{};
        config.depth = config.cq_depth = 8;
        rig_.device(1).scheduler().open(0, config, ring_.data(), cq_.data());
    }
    void put(const stars_sqe &sqe)
    {
        ring_.at(sent_++) = sqe;
        rig_.device(1).doorbell(0, sent_, 0);
    }
    [[nodiscard]] uint64_t retired() { return front().retired(); }
    tsim::TaskQueue &front() { return rig_.device(1).scheduler().front(0); }

  private:
    Rig &rig_;
    std::array<stars_sqe, 8> ring_{};
    std::array<stars_cqe, 8> cq_{};
    uint32_t sent_ = 0;
};

stars_sqe sqe_store(uint64_t address, uint32_t value, uint32_t subtype = STARS_WRITE_VALUE_GENERIC)
{
    stars_sqe sqe = sqe_write_value(address, 2, value);
    sqe.word[5] &= ~STARS_W5_VIRTUAL;
    sqe.word[7] = subtype;
    return sqe;
}

uint64_t notify_of(uint32_t device, uint32_t id)
{
    return STARS_PEER(device) + STARS_NOTIFY_ENTRY(id);
}

uint64_t event_of(uint32_t device, uint32_t id)
{
    return STARS_PEER(device) + STARS_EVENT_ENTRY(id);
}

uint64_t begin_of(const tsim::Params &p)
{
    return p.arbitration.value + p.record_read.value + p.slot_enable.value;
}

Rig::Options two()
{
    Rig::Options options;
    options.devices = 2;
    return options;
}

} // namespace

// T-RMT-1 to T-RMT-3: there after a store and the way, back after the way again; the wait goes on
// as after a local record.
static void test_times()
{
    for (const bool event : {false, true}) {
        Rig rig(two(), nullptr);
        const tsim::Params &p = rig.params();
        Peer peer(rig);
        peer.put(event ? sqe_event_wait(9, 0) : sqe_notify_wait(9, 0));
        rig.open(0);
        rig.put(0, sqe_store(event ? event_of(1, 9) : notify_of(1, 9), 1), 10000);
        rig.run();
        const uint64_t there = 10000 + begin_of(p) + p.fetch_read.value + p.decode.value +
                               p.write_value.value + p.peer_write.value;
        CU_ASSERT(p.peer_write.value > 0);
        EXPECT_EQ(peer.retired(), 1);
        EXPECT_EQ(peer.front().retired_at(1), there + begin_of(p) + p.retire.value);
        EXPECT_EQ(rig.retired_at(0, 1), there + p.peer_write.value + p.retire.value);
        // An event stays, a notify has let its wait pass. Nothing happened on the own device.
        EXPECT_EQ(rig.device(1).scheduler().events().flag(9), event);
        CU_ASSERT_FALSE(rig.device(1).scheduler().notifies().flag(9));
        CU_ASSERT_FALSE(rig.device(0).scheduler().events().flag(9));
        CU_ASSERT_FALSE(rig.device(0).scheduler().notifies().flag(9));
        // The trace: a store, then the way there and back.
        uint64_t store = 0, way = 0;
        for (const auto &record : rig.phases(TWINSIM_PHASE_TABLE, 0)) {
            if (record.device != 0)
                continue;
            (record.parameter == p.peer_write.index ? way : store) +=
                record.end_ns - record.begin_ns;
        }
        EXPECT_EQ(store, p.write_value.value);
        EXPECT_EQ(way, 2 * p.peer_write.value);
    }
}

// T-RMT-2: 0 clears the flag, with the sub-type of a reset too; a store to the own window is no
// other than one to a peer's.
static void test_clear_and_own_window()
{
    Rig rig(two(), nullptr);
    rig.open(0);
    for (const uint32_t device : {0u, 1u}) {
        auto &scheduler = rig.device(device).scheduler();
        scheduler.write_event(3, true);
        scheduler.write_event(4, true);
        rig.put(0, sqe_store(event_of(device, 3), 0), 0);
        rig.put(0, sqe_store(event_of(device, 4), 0, STARS_WRITE_VALUE_EVENT_RESET), 0);
        rig.put(0, sqe_store(notify_of(device, 5), 1), 0);
        rig.run();
        CU_ASSERT_FALSE(scheduler.events().flag(3));
        CU_ASSERT_FALSE(scheduler.events().flag(4));
        CU_ASSERT(scheduler.notifies().flag(5));
    }
    EXPECT_EQ(rig.retired(0), 6);
}

// T-RMT-4.
static void test_nothing_there()
{
    const uint32_t events = static_cast<uint32_t>(shipped_profile().params().events.value);
    const struct {
        stars_sqe sqe;
        uint32_t code;
    } cases[] = {
        {sqe_store(event_of(2, 1), 1), STARS_ERROR_EXCEPTION},
        {sqe_store(event_of(1, events), 1), STARS_ERROR_EXCEPTION},
        {sqe_store(event_of(1, 1) + 2, 1), STARS_ERROR_EXCEPTION},
        {sqe_store(STARS_PEER(1), 1), STARS_ERROR_EXCEPTION},
        {sqe_store(STARS_PEER_BASE - 4, 1), STARS_ERROR_EXCEPTION},
        {sqe_store(notify_of(1, 1), 0, STARS_WRITE_VALUE_EVENT_RESET), STARS_ERROR_BAD_SQE}};
    for (const auto &one : cases) {
        Rig rig(two(), nullptr);
        rig.open(0);
        rig.put(0, one.sqe, 0);
        rig.run();
        EXPECT_EQ(rig.retired(0), 0);
        EXPECT_EQ(rig.cqe(0, 0).u.error.code, one.code);
    }
}

// T-RMT-3, T-RMT-5: two stores of different queues take the same time as one; one that is killed on
// its way there has no effect, on its way back it has had it.
static void test_overlap_and_kill()
{
    Rig rig(two(), nullptr);
    const tsim::Params &p = rig.params();
    for (uint32_t sq = 0; sq < 2; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_store(event_of(1, sq), 1), 0);
    }
    rig.run();
    EXPECT_EQ(rig.retired_at(1, 1) - rig.retired_at(0, 1), p.arbitration.value);
    for (const bool back : {false, true}) {
        const uint32_t id = back ? 11 : 10;
        const uint64_t begin = rig.now() + 10000;
        rig.put(0, sqe_store(event_of(1, id), 1), begin);
        rig.run_until(begin + begin_of(p) + p.fetch_read.value + p.decode.value +
                      p.write_value.value + (back ? p.peer_write.value : 0) +
                      p.peer_write.value / 2);
        EXPECT_EQ(rig.device().write(STARS_SQ_CONTROL,
                                     STARS_SQ_CONTROL_TASK_KILL | STARS_SQ_CONTROL_TASK_TERMINATE),
                  TWINSIM_OK);
        rig.run();
        EXPECT_EQ(rig.device(1).scheduler().events().flag(id), back);
    }
}

static const twin_test tests[] = {
    {"a remote record takes the way there and back", test_times},
    {"clearing, and the own window", test_clear_and_own_window},
    {"an address where nothing is", test_nothing_there},
    {"stores overlap; a kill", test_overlap_and_kill},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim remote", tests, TWIN_COUNT(tests), argc, argv);
}
