// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>
#include <vector>

#include "core/base/types.h"
#include "core/queue/task_queue.h"
#include "rig.h"

using tsim::Cycle;
using tsim::TaskQueue;

namespace
{

constexpr uint32_t kDepth = 8;
constexpr Cycle kRead = 100;
constexpr uint32_t kWindow = 2;

struct Fixture {
    Fixture()
    {
        open();
        for (uint32_t i = 0; i < kDepth; ++i)
            ring[i].word[1] = i;
    }
    void open()
    {
        twinsim_queue config{};
        config.depth = kDepth;
        config.cq_depth = 8;
        queue.open(config, ring, cq);
    }
    void ring_up_to(uint32_t tail, uint64_t at)
    {
        queue.doorbell(tail, at);
        queue.take_in(queue.rung(), now, 1);
    }
    stars_sqe ring[kDepth] = {};
    stars_cqe cq[8] = {};
    TaskQueue queue;
    Cycle now = 0;
};

} // namespace

// T-FE-1, T-FE-2.
static void test_visible_at_its_time()
{
    Fixture f;
    CU_ASSERT_FALSE(f.queue.has_more());
    f.ring_up_to(2, 50);
    CU_ASSERT(f.queue.has_more());
    CU_ASSERT_FALSE(f.queue.visible(49));
    CU_ASSERT(f.queue.visible(50));
    EXPECT_EQ(f.queue.next_arrival(), 50);
}

// T-FE-1: one register, so no later write is seen earlier.
static void test_arrivals_never_fall()
{
    Fixture f;
    f.ring_up_to(1, 50);
    f.ring_up_to(2, 20);
    f.queue.retire(60);
    EXPECT_EQ(f.queue.next_arrival(), 50);
}

// T-FE-2.
static void test_the_past_counts_as_now()
{
    Fixture f;
    f.now = 500;
    f.ring_up_to(1, 50);
    EXPECT_EQ(f.queue.next_arrival(), 500);
}

// T-FE-3.
static void test_head_and_wrap()
{
    Fixture f;
    for (uint32_t n = 0; n < 3 * kDepth; ++n) {
        f.ring_up_to((n + 1) % kDepth, n);
        EXPECT_EQ(f.queue.head(), n % kDepth);
        EXPECT_EQ(f.queue.sqe().word[1], n % kDepth);
        EXPECT_EQ(f.queue.number(), n + 1);
        f.queue.retire(1000 + n);
        EXPECT_EQ(f.queue.retired(), n + 1);
        EXPECT_EQ(f.queue.retired_at(n + 1), 1000 + n);
    }
}

// T-FE-9.
static void test_full_ring()
{
    Fixture f;
    f.ring_up_to(kDepth - 1, 0);
    uint32_t count = 0;
    for (; f.queue.has_more(); ++count)
        f.queue.retire(1);
    EXPECT_EQ(count, kDepth - 1);
    CU_ASSERT_FALSE(f.queue.doorbell(kDepth - 1, 0)); // the same tail again: nothing new
}

// T-FE-4, T-FE-5, T-FE-6: five SQEs there from the start, lines of two.
static void test_lines_and_read_ahead()
{
    Fixture f;
    f.ring_up_to(5, 0);
    TaskQueue::Fetch fetch = f.queue.fetch(10, kRead, kWindow);
    EXPECT_EQ(fetch.ready, 110); // a miss; the next line is asked for too
    f.queue.retire(120);
    EXPECT_EQ(f.queue.fetch(120, kRead, kWindow).ready, 120); // same line
    f.queue.retire(130);
    fetch = f.queue.fetch(130, kRead, kWindow); // second line: there since 110
    EXPECT_EQ(fetch.ready, 130);
    CU_ASSERT_FALSE(fetch.waited);
    f.queue.retire(140);
    EXPECT_EQ(f.queue.fetch(140, kRead, kWindow).ready, 140);
    f.queue.retire(150);
    fetch = f.queue.fetch(150, kRead, kWindow); // third line: asked for at 130, there at 230
    EXPECT_EQ(fetch.ready, 230);
    CU_ASSERT(fetch.waited);
}

// T-FE-4: a line holds the SQEs that were visible at its request.
static void test_a_line_holds_what_was_visible()
{
    Fixture f;
    f.ring_up_to(1, 0);
    f.ring_up_to(2, 15);
    EXPECT_EQ(f.queue.fetch(10, kRead, kWindow).ready, 110);
    f.queue.retire(120);
    EXPECT_EQ(f.queue.fetch(120, kRead, kWindow).ready, 220); // came too late for the line
}

// T-FE-7.
static void test_dropped_buffer()
{
    Fixture f;
    f.ring_up_to(5, 0);
    EXPECT_EQ(f.queue.fetch(10, kRead, kWindow).ready, 110);
    f.queue.drop_prefetched();
    EXPECT_EQ(f.queue.fetch(120, kRead, kWindow).ready, 220);
}

// T-FE-8: forward modulo depth, and SQEs may be run again.
static void test_set_head()
{
    Fixture f;
    f.ring_up_to(5, 0);
    f.queue.set_head(3, 77);
    EXPECT_EQ(f.queue.retired(), 3);
    EXPECT_EQ(f.queue.retired_at(2), 77);
    EXPECT_EQ(f.queue.sqe().word[1], 3);
    f.queue.set_head(1, 78); // back to SQE 1: all the way round
    EXPECT_EQ(f.queue.sqe().word[1], 1);
    uint32_t count = 0;
    for (; f.queue.has_more(); ++count)
        f.queue.retire(80);
    EXPECT_EQ(count, 4);
    EXPECT_EQ(f.queue.head(), f.queue.tail());
}

// T-FE-8: so do places that no doorbell has named since the queue was opened, whatever its memory
// held before.
static void test_set_head_to_places_never_rung()
{
    tsim::SqeTimes *const block = tsim::TimePool::take(kDepth);
    std::fill_n(block, kDepth, tsim::SqeTimes{tsim::kNever, tsim::kNever});
    tsim::TimePool::release(block, kDepth);
    Fixture f; // its times lie in that block
    f.ring_up_to(3, 0);
    f.queue.drop_all(10);
    f.queue.set_head(5, 77);
    EXPECT_EQ(f.queue.next_arrival(), 77);
    for (const uint32_t place : {5u, 6u, 7u, 0u, 1u, 2u}) {
        CU_ASSERT(f.queue.visible(77));
        EXPECT_EQ(f.queue.sqe().word[1], place);
        f.queue.retire(80);
    }
    CU_ASSERT_FALSE(f.queue.has_more());
}

// T-FE-8, T-FE-1: a doorbell of the queue's earlier life does not count in this one; one that is
// still on its way does.
static void test_set_head_after_another_life()
{
    Fixture f;
    f.ring_up_to(7, 1000000);
    f.queue.close();
    f.open();
    f.ring_up_to(2, 500);
    f.queue.set_head(6, 100);
    for (uint32_t n = 0; n < 2; ++n) { // places 6 and 7
        CU_ASSERT(f.queue.visible(100));
        f.queue.retire(100);
    }
    CU_ASSERT_FALSE(f.queue.visible(499));
    CU_ASSERT(f.queue.visible(500));
}

// T-CQ-1, T-CQ-5, T-CQ-6.
static void test_cq_phase_and_room()
{
    Fixture f;
    stars_cqe cqe{};
    for (uint32_t n = 0; n < 7; ++n) {
        cqe.task_id = static_cast<uint16_t>(n);
        CU_ASSERT(f.queue.complete(cqe));
        EXPECT_EQ(f.cq[n].task_id, n);
        EXPECT_EQ(f.cq[n].flags & STARS_CQE_PHASE, 1);
    }
    CU_ASSERT_FALSE(f.queue.complete(cqe)); // full
    CU_ASSERT_FALSE(f.queue.set_cq_head(8));
    CU_ASSERT(f.queue.set_cq_head(7));
    CU_ASSERT_FALSE(f.queue.set_cq_head(1)); // nothing was written there since
    CU_ASSERT(f.queue.complete(cqe));
    EXPECT_EQ(f.cq[7].flags & STARS_CQE_PHASE, 1);
    CU_ASSERT(f.queue.complete(cqe));
    EXPECT_EQ(f.cq[0].flags & STARS_CQE_PHASE, 0); // second lap
    CU_ASSERT(f.queue.set_cq_head(1));
}

// T-FE-1 from another thread: counted SQEs have their arrival time.
static void test_doorbell_from_another_thread()
{
    Fixture f;
    constexpr uint64_t kCount = 20000;
    std::thread host([&f] {
        for (uint64_t n = 0; n < kCount;) {
            if (n - f.queue.retired() == kDepth - 1)
                continue;
            ++n;
            f.queue.doorbell(static_cast<uint32_t>(n % kDepth), 1000 + n);
        }
    });
    bool good = true;
    for (uint64_t n = 0; n < kCount;) {
        f.queue.take_in(f.queue.rung(), 0, 1);
        for (; f.queue.has_more(); ++n) {
            good = good && f.queue.next_arrival() == 1000 + n + 1;
            f.queue.retire(0);
        }
    }
    host.join();
    CU_ASSERT(good);
}

// T-FE-12, T-FE-4 to T-FE-8: the ring changes after each action; what was read stays as it was.
static void test_what_was_read_stays()
{
    struct Kept : Fixture {
        Kept()
        {
            queue.close();
            queue.keep_lines(2 * kWindow);
            open();
        }
    };
    Kept f;
    std::vector<uint32_t> read; // from the head on
    uint32_t buffered = 0;
    uint32_t tail = 0;
    uint32_t left = 0;
    uint32_t newest = 0;
    uint64_t dice = 1;
    const auto forget = [&](size_t most) {
        read.resize(std::min(read.size(), most));
        buffered = 0;
    };
    const auto at = [&](uint32_t i) { return f.ring[(f.queue.head() + i) % kDepth].word[1]; };
    bool good = true;
    bool under_way = false;
    for (int step = 0; step < 20000; ++step, ++f.now) {
        const auto action = tsim::mix(dice) % 8;
        if (action < 2 && left < kDepth - 1) {
            tail = (tail + 1) % kDepth;
            ++left;
            f.ring_up_to(tail, f.now);
        } else if (action < 4 && left > 0 && !under_way) {
            under_way = true;
            if (buffered == 0) {
                const uint32_t ahead = static_cast<uint32_t>(read.size());
                buffered = ahead != 0 ? ahead : std::min(left, kWindow);
                const uint32_t end = std::min(left, buffered + kWindow);
                while (read.size() < end)
                    read.push_back(at(static_cast<uint32_t>(read.size())));
            }
            (void)f.queue.fetch(f.now, kRead, kWindow);
        } else if (action < 6 && under_way) {
            under_way = false;
            buffered -= buffered != 0;
            --left;
            read.erase(read.begin());
            f.queue.retire(f.now);
        } else if (action == 6 && under_way) {
            forget(1);
            f.queue.drop_prefetched();
        } else if (action == 7 && !under_way && tsim::mix(dice) % 8 == 0) {
            forget(0);
            const auto by = static_cast<uint32_t>(tsim::mix(dice) % (left + 1));
            left -= by;
            f.queue.set_head((f.queue.head() + by) % kDepth, f.now);
        }
        for (stars_sqe &sqe : f.ring)
            sqe.word[1] = ++newest;
        good = good && (!under_way || f.queue.sqe().word[1] == read.front());
    }
    CU_ASSERT(good);
}

static const twin_test tests[] = {
    {"an SQE becomes visible at the time of its doorbell", test_visible_at_its_time},
    {"no SQE is visible before an older one", test_arrivals_never_fall},
    {"a doorbell from the past counts as now", test_the_past_counts_as_now},
    {"the head names the SQE under way, over three laps", test_head_and_wrap},
    {"a full ring holds depth - 1", test_full_ring},
    {"lines are read ahead", test_lines_and_read_ahead},
    {"a line holds the SQEs that were visible at its request", test_a_line_holds_what_was_visible},
    {"a dropped buffer is read again", test_dropped_buffer},
    {"what was read stays as it was", test_what_was_read_stays},
    {"software may move the head", test_set_head},
    {"the head may go to places that were never rung", test_set_head_to_places_never_rung},
    {"doorbells of a queue that was closed are forgotten", test_set_head_after_another_life},
    {"the CQ's phase changes with each lap and it holds depth - 1", test_cq_phase_and_room},
    {"a host thread may ring while the model takes in", test_doorbell_from_another_thread},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim task queue", tests, TWIN_COUNT(tests), argc, argv);
}
