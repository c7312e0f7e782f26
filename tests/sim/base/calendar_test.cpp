// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <vector>

#include "core/base/calendar.h"
#include "rig.h"

using tsim::Calendar;
using tsim::Cycle;
using tsim::kNever;
using tsim::mix;
using tsim::Rank;

// T-TIM-3: time first.
static void test_time_order()
{
    Calendar calendar(8);
    calendar.schedule(0, 30, Rank::kQueue);
    calendar.schedule(1, 10, Rank::kQueue);
    calendar.schedule(2, 20, Rank::kQueue);
    EXPECT_EQ(calendar.next_time(), 10);
    EXPECT_EQ(calendar.pop(), 1);
    EXPECT_EQ(calendar.pop(), 2);
    EXPECT_EQ(calendar.pop(), 0);
    CU_ASSERT(calendar.empty());
    EXPECT_EQ(calendar.next_time(), kNever);
}

// T-TIM-3: within an instant by block, then first scheduled first.
static void test_order_within_an_instant()
{
    Calendar calendar(8);
    calendar.schedule(5, 7, Rank::kArbiter);
    calendar.schedule(4, 7, Rank::kQueue);
    calendar.schedule(3, 7, Rank::kQueue);
    calendar.schedule(6, 7, Rank::kHostDma);
    calendar.schedule(7, 7, Rank::kLink);
    for (const uint32_t expected : {7u, 6u, 4u, 3u, 5u})
        EXPECT_EQ(calendar.pop(), expected);
}

// T-TIM-4: a timer that is set again moves, and counts as newly scheduled.
static void test_rescheduling()
{
    Calendar calendar(4);
    calendar.schedule(0, 5, Rank::kQueue);
    calendar.schedule(1, 5, Rank::kQueue);
    calendar.schedule(0, 5, Rank::kQueue);
    EXPECT_EQ(calendar.pop(), 1);
    EXPECT_EQ(calendar.pop(), 0);
    calendar.schedule(2, 9, Rank::kQueue);
    calendar.schedule(3, 8, Rank::kQueue);
    calendar.schedule(2, 7, Rank::kQueue);
    EXPECT_EQ(calendar.pop(), 2);
    EXPECT_EQ(calendar.pop(), 3);
    CU_ASSERT(calendar.empty());
}

static void test_cancelling()
{
    Calendar calendar(4);
    calendar.cancel(1);
    for (uint32_t id = 0; id < 4; ++id)
        calendar.schedule(id, id, Rank::kQueue);
    calendar.cancel(0);
    calendar.cancel(2);
    CU_ASSERT_FALSE(calendar.pending(2));
    CU_ASSERT(calendar.pending(3));
    EXPECT_EQ(calendar.pop(), 1);
    EXPECT_EQ(calendar.pop(), 3);
    CU_ASSERT(calendar.empty());
}

// A long random life against a list that is searched.
static void test_against_a_list()
{
    constexpr uint32_t kTimers = 500;
    constexpr uint64_t kSeed = 20261121;
    Calendar calendar(kTimers);
    using Entry = std::tuple<Cycle, int, uint64_t, uint32_t>; // time, rank, sequence, timer
    std::vector<Entry> list;
    uint64_t seed = kSeed, sequence = 0;
    Cycle now = 0;
    bool same = true;
    const auto forget = [&list](uint32_t id) {
        list.erase(std::remove_if(list.begin(), list.end(),
                                  [id](const Entry &e) { return std::get<3>(e) == id; }),
                   list.end());
    };
    for (int step = 0; step < 50000 && same; ++step) {
        const uint64_t dice = mix(seed);
        const auto id = static_cast<uint32_t>((dice >> 8) % kTimers);
        if (dice % 8 < 4) {
            // Mostly near, so that there are many equals; now and then far beyond the wheel.
            const uint64_t reach = dice % 16 == 0 ? 4 * Calendar::kWheel : 64;
            const Cycle time = now + (dice >> 32) % reach;
            const int rank = static_cast<int>((dice >> 24) % 4);
            calendar.schedule(id, time, static_cast<Rank>(rank));
            forget(id);
            list.emplace_back(time, rank, sequence++, id);
        } else if (dice % 8 < 5) {
            calendar.cancel(id);
            forget(id);
        } else if (!list.empty()) {
            const Entry first = *std::min_element(list.begin(), list.end());
            now = std::get<0>(first);
            same =
                calendar.next_time() == std::get<0>(first) && calendar.pop() == std::get<3>(first);
            forget(std::get<3>(first));
        }
        same = same && calendar.empty() == list.empty();
    }
    CU_ASSERT(same);
}

// T-TIM-3 across the wheel's edge: an entry from afar is older than one that is scheduled when it
// is near.
static void test_far_entries_keep_their_place()
{
    Calendar calendar(8);
    const Cycle far = 3 * Calendar::kWheel;
    calendar.schedule(0, far, Rank::kQueue);
    calendar.schedule(1, far, Rank::kArbiter);
    calendar.schedule(2, far - 10, Rank::kQueue);
    EXPECT_EQ(calendar.pop(), 2);
    calendar.schedule(3, far, Rank::kQueue);
    calendar.schedule(4, far, Rank::kLink);
    calendar.schedule(5, far + Calendar::kWheel, Rank::kLink);
    EXPECT_EQ(calendar.next_time(), far);
    for (const uint32_t expected : {4u, 0u, 3u, 1u, 5u})
        EXPECT_EQ(calendar.pop(), expected);
}

// T-TIM-3 and T-TIM-4 at every distance, against a map in that order: timers are set, set again and
// cancelled, near ones and far ones meet at the same times, and in some phases most new timers are
// later than all before.
static void test_every_distance_against_a_map()
{
    constexpr uint32_t kTimers = 300;
    constexpr uint64_t kSeed = 20261122;
    constexpr Cycle kBeyond = Calendar::kWheel * Calendar::kBlock; // what waits in the heap
    constexpr Cycle kReach[] = {4,
                                300,
                                Calendar::kBlock + 2,
                                Calendar::kWheel + 2,
                                20 * Calendar::kWheel,
                                kBeyond + 2 * Calendar::kBlock,
                                3 * kBeyond};
    Calendar calendar(kTimers);
    using Key = std::tuple<Cycle, int, uint64_t>; // time, rank, sequence
    std::map<Key, uint32_t> map;
    std::vector<std::map<Key, uint32_t>::iterator> where(kTimers, map.end());
    uint64_t seed = kSeed, sequence = 0;
    Cycle now = 0, last = 0, latest = 0;
    const auto forget = [&](uint32_t id) {
        if (where[id] != map.end())
            map.erase(where[id]);
        where[id] = map.end();
    };
    int wrong = 0, far = 0, in_turn = 0;
    for (int step = 0; step < 400000 && wrong == 0; ++step) {
        const uint64_t dice = mix(seed);
        const auto id = static_cast<uint32_t>((dice >> 8) % kTimers);
        // In turn there are few timers and many.
        const uint64_t sets = step / 5000 % 2 == 0 ? 2 : 4;
        if (dice % 8 < sets) {
            const Cycle reach = kReach[(dice >> 16) % std::size(kReach)];
            Cycle time = now + (dice >> 32) % reach;
            if ((dice >> 20) % 4 == 0 && last >= now) // where one is already
                time = last;
            if (step / 10000 % 2 == 0 && (dice >> 22) % 4 != 0) { // some in the same cycle
                latest = std::max(latest, now + 20 * Calendar::kWheel) + (dice >> 32) % 3;
                time = latest;
                in_turn++;
            }
            const int rank = static_cast<int>((dice >> 24) % 4);
            far += time - now >= kBeyond;
            last = time;
            calendar.schedule(id, time, static_cast<Rank>(rank));
            forget(id);
            where[id] = map.emplace(Key{time, rank, sequence++}, id).first;
        } else if (dice % 8 == 4) {
            calendar.cancel(id);
            forget(id);
        } else if (dice % 8 > 4 && !map.empty()) {
            const uint32_t first = map.begin()->second;
            now = std::get<0>(map.begin()->first);
            wrong += calendar.next_time() != now || calendar.pop() != first;
            forget(first);
            calendar.look_ahead([&](uint32_t timer, uint32_t) {
                wrong += !calendar.pending(timer) || where[timer] == map.end();
            });
        }
        wrong += calendar.pending(id) != (where[id] != map.end());
        if ((dice >> 60) == 0) // a query in between may change nothing
            wrong += calendar.next_timer() != (map.empty() ? tsim::kNone : map.begin()->second);
        wrong += calendar.empty() != map.empty();
    }
    EXPECT_EQ(wrong, 0);
    CU_ASSERT(far > 1000);
    CU_ASSERT(in_turn > 10000);
}

static const twin_test tests[] = {
    {"entries come out by time", test_time_order},
    {"entries of one instant come out by block, then in the order of scheduling",
     test_order_within_an_instant},
    {"a timer that is set again moves after its equals", test_rescheduling},
    {"a cancelled timer does not come out", test_cancelling},
    {"entries far in the future keep their place", test_far_entries_keep_their_place},
    {"50000 random steps agree with a list that is searched", test_against_a_list},
    {"400000 random steps at every distance agree with a map", test_every_distance_against_a_map},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim calendar", tests, TWIN_COUNT(tests), argc, argv);
}
