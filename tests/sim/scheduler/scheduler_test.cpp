// SPDX-License-Identifier: Apache-2.0
/// Order within and between queues, parking, and what it costs.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "rig.h"

namespace
{

// Swap-in, from grant to the first fetch (T-SCH-5).
uint64_t swap_in(const tsim::Params &p)
{
    return p.arbitration.value + p.record_read.value + p.slot_enable.value;
}

uint64_t record_sum(const tsim::Params &p)
{
    return p.decode.value + p.event_table.value + p.retire.value;
}

} // namespace

// T-SCH-1, T-SCH-5, T-SQE-1, T-SQE-2, T-SQE-3, T-SQE-5: the sum that timing.md gives for a lone
// SQE.
static void test_lone_record()
{
    Rig rig;
    rig.open(3);
    rig.put(3, sqe_event_record(7), 1000);
    rig.run();
    const tsim::Params &p = rig.params();
    EXPECT_EQ(rig.retired_at(3, 1), 1000 + swap_in(p) + p.fetch_read.value + record_sum(p));
    CU_ASSERT(rig.device().scheduler().events().flag(7));
    EXPECT_EQ(rig.state(3), TWINSIM_QUEUE_IDLE);
    EXPECT_EQ(rig.device().scheduler().slot(3), tsim::TaskScheduler::kNoSlot);
    EXPECT_EQ(rig.system().next_time(), tsim::kNever); // T-SCH-16: an idle queue has no timer
}

// T-SCH-7, T-SQE-12: in ring order, one at a time, without a gap while the line is there.
static void test_same_queue_order()
{
    Rig rig;
    rig.open(0);
    constexpr uint32_t kCount = 40;
    for (uint32_t i = 0; i < kCount; ++i)
        rig.write(0, i % 2 == 0 ? sqe_event_record(i) : sqe_placeholder());
    rig.ring(0, 0);
    rig.run();
    const auto tasks = rig.phases(TWINSIM_PHASE_TASK, 0);
    EXPECT_EQ(tasks.size(), kCount);
    for (uint32_t i = 0; i < kCount; ++i) {
        EXPECT_EQ(tasks[i].number, i + 1);
        EXPECT_EQ(tasks[i].task_id, i + 1);
        if (i > 0)
            EXPECT_EQ(tasks[i].begin_ns, tasks[i - 1].end_ns);
    }
}

// The phases of an SQE leave no time unexplained.
static void test_phases_tile_the_task()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    rig.write(0, sqe_event_wait(1, 0));
    rig.write(0, sqe_with_cqe(sqe_event_record(2)));
    rig.write(0, sqe_sdma(Rig::kHbm, Rig::kHbm + 4096, 4096));
    rig.ring(0, 0);
    rig.put(1, sqe_event_record(1), 5000);
    rig.run();
    for (const twinsim_trace_entry &task : rig.phases(TWINSIM_PHASE_TASK, 0)) {
        std::vector<twinsim_trace_entry> parts;
        for (int phase = TWINSIM_PHASE_SWAP_IN; phase < TWINSIM_PHASE_TASK; ++phase) {
            for (const auto &r : rig.phases(static_cast<twinsim_phase>(phase), 0)) {
                if (r.number == task.number && r.begin_ns >= task.begin_ns)
                    parts.push_back(r);
            }
        }
        std::sort(parts.begin(), parts.end(),
                  [](const auto &a, const auto &b) { return a.begin_ns < b.begin_ns; });
        uint64_t reached = task.begin_ns;
        for (const twinsim_trace_entry &part : parts) {
            EXPECT_EQ(part.begin_ns, reached);
            reached = part.end_ns;
        }
        EXPECT_EQ(reached, task.end_ns);
    }
}

// T-SCH-10, T-SCH-11: what a released wait takes.
static void test_record_releases_a_wait()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    rig.put(0, sqe_event_wait(5, 0), 0);
    rig.put(1, sqe_event_record(5), 10000);
    rig.run();
    const tsim::Params &p = rig.params();
    const uint64_t table = rig.retired_at(1, 1) - p.retire.value;
    EXPECT_EQ(rig.retired_at(0, 1), table + swap_in(p) + p.retire.value);
    const auto parks = rig.phases(TWINSIM_PHASE_PARK, 0);
    EXPECT_EQ(parks.size(), 1);
    EXPECT_EQ(parks[0].end_ns, table);
    EXPECT_EQ(parks[0].id, 5);
    EXPECT_EQ(parks[0].waker_sq, 1);
    EXPECT_EQ(parks[0].waker_number, 1);
}

// T-EVT-2: a set flag lets a wait pass without parking.
static void test_wait_after_record_passes()
{
    Rig rig;
    rig.open(0);
    rig.put(0, sqe_event_record(5), 0);
    rig.put(0, sqe_event_wait(5, 0), 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 2);
    CU_ASSERT(rig.phases(TWINSIM_PHASE_PARK).empty());
}

// T-SCH-10: parked queues hold nothing, so others run though every slot was once taken.
static void test_parked_queues_block_no_other()
{
    Rig rig([](tsim::Params &p) { p.slots.value = 4; });
    constexpr uint32_t kParked = 100;
    for (uint32_t sq = 0; sq < kParked; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_notify_wait(sq, 0), 0);
    }
    rig.open(kParked);
    for (uint32_t i = 0; i < 10; ++i)
        rig.put(kParked, sqe_placeholder(), 0);
    rig.run();
    EXPECT_EQ(rig.retired(kParked), 10);
    for (uint32_t sq = 0; sq < kParked; ++sq) {
        EXPECT_EQ(rig.retired(sq), 0);
        EXPECT_EQ(rig.state(sq), TWINSIM_QUEUE_PARKED);
        EXPECT_EQ(rig.device().scheduler().slot(sq), tsim::TaskScheduler::kNoSlot);
    }
}

// T-EVT-4.
static void test_one_record_releases_all()
{
    Rig rig;
    constexpr uint32_t kWaiters = 300;
    for (uint32_t sq = 0; sq < kWaiters; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_event_wait(9, 0), 0);
    }
    rig.open(kWaiters);
    rig.put(kWaiters, sqe_event_record(9), 100000);
    rig.run();
    for (uint32_t sq = 0; sq < kWaiters; ++sq)
        EXPECT_EQ(rig.retired(sq), 1);
}

// T-NTF-3: one record, one wait; the earliest first.
static void test_notify_releases_exactly_one()
{
    Rig rig;
    for (uint32_t sq = 0; sq < 4; ++sq)
        rig.open(sq);
    rig.put(2, sqe_notify_wait(6, 0), 0);
    rig.put(1, sqe_notify_wait(6, 0), 5000);
    rig.put(0, sqe_notify_wait(6, 0), 10000);
    rig.put(3, sqe_notify_record(6), 20000);
    rig.run();
    EXPECT_EQ(rig.retired(2), 1);
    EXPECT_EQ(rig.retired(1) + rig.retired(0), 0);
    rig.put(3, sqe_notify_record(6), 30000);
    rig.run();
    EXPECT_EQ(rig.retired(1), 1);
    EXPECT_EQ(rig.retired(0), 0);
    CU_ASSERT_FALSE(rig.device().scheduler().notifies().flag(6));
}

// T-CTN-3, T-CTN-4, T-CTN-5: waits with a true relation go on, in the order of the list; one that
// clears holds the others.
static void test_counts_release_in_order()
{
    Rig rig([](tsim::Params &p) { p.count_notifies.value = 8; });
    for (uint32_t sq = 0; sq < 5; ++sq)
        rig.open(sq);
    rig.put(3, sqe_count_wait(5, STARS_COUNT_EQUAL, 9, 0, 0), 0);
    rig.put(2, sqe_count_wait(5, STARS_COUNT_GREATER_OR_EQUAL, 2, 1, 0), 5000);
    rig.put(1, sqe_count_wait(5, STARS_COUNT_GREATER_OR_EQUAL, 2, 0, 0), 10000);
    rig.put(0, sqe_count_record(5, STARS_COUNT_ADD, 1), 20000);
    rig.put(4, sqe_placeholder(), 20000);
    rig.run();
    EXPECT_EQ(rig.retired(1) + rig.retired(2) + rig.retired(3), 0);
    EXPECT_EQ(rig.retired(4), 1);
    EXPECT_EQ(rig.device().scheduler().slot(1), tsim::TaskScheduler::kNoSlot);
    rig.put(0, sqe_count_record(5, STARS_COUNT_ADD, 1), 30000);
    rig.run();
    EXPECT_EQ(rig.retired(2), 1);
    EXPECT_EQ(rig.retired(1) + rig.retired(3), 0);
    EXPECT_EQ(rig.device().scheduler().counts().count(5), 0);
    rig.put(0, sqe_count_record(5, STARS_COUNT_SET, 9), 40000);
    rig.run();
    EXPECT_EQ(rig.retired(1) + rig.retired(3), 2);
    EXPECT_EQ(rig.device().scheduler().counts().count(5), 9);
    CU_ASSERT_FALSE(rig.device().scheduler().notifies().flag(5)); // another table
}

// T-EVT-5, through a queue: reset, then a second record.
static void test_event_reset_in_queue_order()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    rig.write(0, sqe_event_record(4));
    rig.write(0, sqe_event_write(4, 0));
    rig.ring(0, 0);
    rig.put(1, sqe_event_wait(4, 0), 50000);
    rig.run();
    EXPECT_EQ(rig.retired(1), 0);
    rig.put(0, sqe_event_record(4), 60000);
    rig.run();
    EXPECT_EQ(rig.retired(1), 1);
}

// Two queues in a chain of notifies: each step waits for the other.
static void test_ping_pong()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    constexpr uint32_t kRounds = 15;
    for (uint32_t i = 0; i < kRounds; ++i) {
        rig.write(0, sqe_notify_record(0));
        rig.write(0, sqe_notify_wait(1, 0));
        rig.write(1, sqe_notify_wait(0, 0));
        rig.write(1, sqe_notify_record(1));
    }
    rig.ring(0, 0);
    rig.ring(1, 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 2 * kRounds);
    EXPECT_EQ(rig.retired(1), 2 * kRounds);
    for (uint64_t i = 1; i < kRounds; ++i)
        CU_ASSERT(rig.retired_at(1, 2 * i) < rig.retired_at(0, 2 * i));
}

// CPU time of this thread: other load on the machine counts little.
static double cpu_nanoseconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// T-SCH-16: an SQE on one of 1984 queues costs about what it costs on one of 64. Host time, so with
// a wide margin: a scan over the queues would cost 30 times as much.
static double nanoseconds_per_task(uint32_t queues)
{
    Rig::Options options;
    options.trace = false;
    Rig rig(options, nullptr);
    for (uint32_t sq = 0; sq < queues; ++sq)
        rig.open(sq);
    const uint32_t per_queue = 131072 / queues;
    double best = 1e9;
    for (int repeat = 0; repeat < 5; ++repeat) {
        double spent = 0;
        for (uint32_t done = 0; done < per_queue;) {
            const uint32_t burst = std::min(per_queue - done, 60u);
            for (uint32_t sq = 0; sq < queues; ++sq) {
                for (uint32_t i = 0; i < burst; ++i)
                    rig.write(sq, sqe_event_record(sq));
                rig.ring(sq, rig.now());
            }
            const double begin = cpu_nanoseconds();
            rig.run();
            spent += cpu_nanoseconds() - begin;
            done += burst;
        }
        best = std::min(best, spent / (double(per_queue) * queues));
    }
    return best;
}

static void test_many_queues_cost_no_more()
{
    const double few = nanoseconds_per_task(64);
    const double many = nanoseconds_per_task(1984);
    std::printf("    %.0f ns per SQE with 64 queues, %.0f ns with 1984\n", few, many);
    CU_ASSERT(many < 8 * few);
}

static const twin_test tests[] = {
    {"a lone SQE takes the sum of its phases", test_lone_record},
    {"SQEs of one queue run in order, one at a time", test_same_queue_order},
    {"the phases of an SQE leave no time unexplained", test_phases_tile_the_task},
    {"a record releases a parked wait", test_record_releases_a_wait},
    {"a wait after its record passes at once", test_wait_after_record_passes},
    {"parked queues hold no slot and block no other queue", test_parked_queues_block_no_other},
    {"one event record releases every waiter", test_one_record_releases_all},
    {"one notify record releases exactly one waiter", test_notify_releases_exactly_one},
    {"counts release waits with a true relation", test_counts_release_in_order},
    {"an event reset by a queue holds later waits", test_event_reset_in_queue_order},
    {"two queues can hand each other the turn", test_ping_pong},
    {"an SQE costs no more with 1984 open queues", test_many_queues_cost_no_more},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim scheduler", tests, TWIN_COUNT(tests), argc, argv);
}
