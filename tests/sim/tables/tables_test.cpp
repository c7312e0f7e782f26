// SPDX-License-Identifier: Apache-2.0
#include "core/tables/count_table.h"
#include "core/tables/event_table.h"
#include "core/tables/notify_table.h"
#include "rig.h"

using tsim::EventTable;
using tsim::kNone;
using tsim::NotifyTable;

// T-EVT-1, T-EVT-2.
static void test_event_flag_stays()
{
    EventTable table(16, 8, 16, false);
    table.record(3);
    CU_ASSERT(table.wait(3, 0, 10));
    CU_ASSERT(table.wait(3, 1, 11));
    CU_ASSERT(table.flag(3));
    CU_ASSERT_FALSE(table.pending(3));
    CU_ASSERT_FALSE(table.flag(2));
}

// T-EVT-3, T-EVT-4.
static void test_event_releases_all_in_order()
{
    EventTable table(16, 8, 16, false);
    CU_ASSERT_FALSE(table.wait(3, 6, 10));
    CU_ASSERT_FALSE(table.wait(3, 2, 11));
    CU_ASSERT_FALSE(table.wait(3, 4, 12));
    CU_ASSERT_FALSE(table.wait(5, 1, 12));
    CU_ASSERT(table.pending(3));
    table.record(3);
    EXPECT_EQ(table.release(3), 6);
    EXPECT_EQ(table.release(3), 2);
    EXPECT_EQ(table.release(3), 4);
    EXPECT_EQ(table.release(3), kNone);
    CU_ASSERT_FALSE(table.pending(3));
    CU_ASSERT(table.pending(5));
}

// T-EVT-4: those of one cycle by queue number.
static void test_same_cycle_by_queue_number()
{
    EventTable table(16, 8, 16, false);
    for (const uint32_t queue : {5u, 7u, 1u, 3u})
        CU_ASSERT_FALSE(table.wait(0, queue, queue == 5 ? 9 : 10));
    table.record(0);
    for (const uint32_t queue : {5u, 1u, 3u, 7u})
        EXPECT_EQ(table.release(0), queue);
}

// T-EVT-5.
static void test_clear_keeps_waiters()
{
    EventTable table(16, 8, 16, false);
    table.record(1);
    table.clear(1);
    CU_ASSERT_FALSE(table.wait(1, 0, 5));
    table.clear(1);
    CU_ASSERT(table.pending(1));
    table.record(1);
    EXPECT_EQ(table.release(1), 0);
}

static void test_forget_from_any_place()
{
    for (uint32_t gone = 0; gone < 3; ++gone) {
        EventTable table(16, 8, 16, false);
        for (uint32_t queue = 0; queue < 3; ++queue)
            CU_ASSERT_FALSE(table.wait(9, queue, queue));
        table.forget(9, gone);
        table.record(9);
        for (uint32_t queue = 0; queue < 3; ++queue) {
            if (queue != gone)
                EXPECT_EQ(table.release(9), queue);
        }
        EXPECT_EQ(table.release(9), kNone);
    }
}

// T-NTF-1, T-NTF-2.
static void test_notify_passes_once()
{
    NotifyTable table(16, 8);
    EXPECT_EQ(table.record(2), kNone);
    EXPECT_EQ(table.record(2), kNone);
    CU_ASSERT(table.wait(2, 0, 5));
    CU_ASSERT_FALSE(table.flag(2));
    CU_ASSERT_FALSE(table.wait(2, 0, 6));
}

// T-NTF-3.
static void test_notify_releases_exactly_one()
{
    NotifyTable table(16, 8);
    CU_ASSERT_FALSE(table.wait(2, 7, 5));
    CU_ASSERT_FALSE(table.wait(2, 4, 6));
    CU_ASSERT_FALSE(table.wait(2, 3, 6));
    EXPECT_EQ(table.record(2), 7);
    CU_ASSERT_FALSE(table.flag(2));
    EXPECT_EQ(table.record(2), 3);
    EXPECT_EQ(table.record(2), 4);
    EXPECT_EQ(table.record(2), kNone);
    CU_ASSERT(table.flag(2));
}

// T-NTF-4.
static void test_notify_clear()
{
    NotifyTable table(16, 8);
    EXPECT_EQ(table.record(2), kNone);
    table.clear(2);
    CU_ASSERT_FALSE(table.wait(2, 0, 1));
}

using tsim::CountTable;

// T-CTN-1.
static void test_count_changes()
{
    CountTable table(4, 8);
    EXPECT_EQ(table.count(2), 0);
    table.change(2, STARS_COUNT_SET, 12);
    EXPECT_EQ(table.count(2), 12);
    table.change(2, STARS_COUNT_ADD, 0xffffffff);
    EXPECT_EQ(table.count(2), 11);
    table.change(2, STARS_COUNT_OR, 0x84);
    EXPECT_EQ(table.count(2), 0x8f);
    table.change(2, STARS_COUNT_AND, 0xf8);
    EXPECT_EQ(table.count(2), 0x88);
    EXPECT_EQ(table.count(1), 0);
    table.reset();
    EXPECT_EQ(table.count(2), 0);
}

// T-CTN-2, T-CTN-3.
static void test_count_relations()
{
    static const struct {
        stars_count_relation relation;
        uint32_t value, below, at, above;
    } rows[] = {
        {STARS_COUNT_LESS, 6, 1, 0, 0},    {STARS_COUNT_EQUAL, 6, 0, 1, 0},
        {STARS_COUNT_GREATER, 6, 0, 0, 1}, {STARS_COUNT_GREATER_OR_EQUAL, 6, 0, 1, 1},
        {STARS_COUNT_MASK, 6, 0, 1, 1}, // 5 lacks a bit, 6 and 7 have both
    };
    for (const auto &row : rows) {
        CountTable table(1, 8);
        const uint32_t wanted[] = {row.below, row.at, row.above};
        for (uint32_t i = 0; i < 3; i++) {
            table.change(0, STARS_COUNT_SET, 5 + i);
            const bool passes =
                table.wait(0, i, {row.value, static_cast<uint8_t>(row.relation), false}, 10);
            EXPECT_EQ(passes, wanted[i] != 0);
            EXPECT_EQ(table.count(0), 5 + i);
        }
        CU_ASSERT(table.pending(0));
    }
}

// T-CTN-4, T-CTN-5: a release that clears is seen by those before it on the list too.
static void test_count_releases_from_the_beginning()
{
    CountTable table(1, 8);
    table.change(0, STARS_COUNT_SET, 1);
    CU_ASSERT_FALSE(table.wait(0, 6, {0, STARS_COUNT_EQUAL, false}, 10));
    CU_ASSERT_FALSE(table.wait(0, 2, {9, STARS_COUNT_EQUAL, true}, 11));
    CU_ASSERT_FALSE(table.wait(0, 4, {9, STARS_COUNT_GREATER_OR_EQUAL, false}, 12));
    EXPECT_EQ(table.release(0), kNone);
    table.change(0, STARS_COUNT_SET, 9);
    EXPECT_EQ(table.release(0), 2);
    EXPECT_EQ(table.count(0), 0);
    EXPECT_EQ(table.release(0), 6);
    EXPECT_EQ(table.release(0), kNone);
    CU_ASSERT(table.pending(0));
    table.forget(0, 4);
    CU_ASSERT_FALSE(table.pending(0));
    table.change(0, STARS_COUNT_SET, 3);
    CU_ASSERT(table.wait(0, 1, {3, STARS_COUNT_EQUAL, true}, 13));
    EXPECT_EQ(table.count(0), 0);
}

static const twin_test tests[] = {
    {"an event's flag lets every wait pass and stays", test_event_flag_stays},
    {"a record releases all that wait, first come first", test_event_releases_all_in_order},
    {"waiters of one cycle leave by queue number", test_same_cycle_by_queue_number},
    {"clearing an event leaves those that wait", test_clear_keeps_waiters},
    {"a waiter can leave the list from any place", test_forget_from_any_place},
    {"a notify's flag lets one wait pass", test_notify_passes_once},
    {"a notify record releases exactly one", test_notify_releases_exactly_one},
    {"a cleared notify holds the next wait", test_notify_clear},
    {"a count is set, added to and combined", test_count_changes},
    {"a wait for a count compares without sign", test_count_relations},
    {"a changed count releases from the beginning of the list",
     test_count_releases_from_the_beginning},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim tables", tests, TWIN_COUNT(tests), argc, argv);
}
