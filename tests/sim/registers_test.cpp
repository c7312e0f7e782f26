// SPDX-License-Identifier: Apache-2.0
#include "rig.h"

namespace
{

uint32_t read(Rig &rig, uint64_t offset)
{
    uint32_t value = 0xdead;
    EXPECT_EQ(rig.device().read(offset, value), TWINSIM_OK);
    return value;
}

uint64_t page(uint32_t sq, uint32_t offset)
{
    return uint64_t{sq} * STARS_SQ_PAGE + offset;
}

} // namespace

// T-FE-3, T-FE-8.
static void test_head_tail_enable()
{
    Rig rig;
    rig.open(9);
    EXPECT_EQ(read(rig, page(9, STARS_SQ_ENABLE)), 1);
    EXPECT_EQ(rig.device().write(page(9, STARS_SQ_HEAD), 3), TWINSIM_E_STATE);
    EXPECT_EQ(rig.device().write(page(9, STARS_SQ_ENABLE), 0), TWINSIM_OK);
    for (int i = 0; i < 5; ++i)
        rig.write(9, sqe_event_record(static_cast<uint32_t>(i)));
    EXPECT_EQ(rig.device().write(page(9, STARS_SQ_TAIL), 5), TWINSIM_OK); // a doorbell
    rig.run();
    EXPECT_EQ(read(rig, page(9, STARS_SQ_TAIL)), 5);
    EXPECT_EQ(read(rig, page(9, STARS_SQ_HEAD)), 0);
    EXPECT_EQ(rig.retired(9), 0);
    EXPECT_EQ(rig.device().write(page(9, STARS_SQ_HEAD), 3), TWINSIM_OK);
    EXPECT_EQ(rig.device().write(page(9, STARS_SQ_ENABLE), 1), TWINSIM_OK);
    rig.run();
    EXPECT_EQ(read(rig, page(9, STARS_SQ_HEAD)), 5);
    CU_ASSERT_FALSE(rig.device().scheduler().events().flag(2));
    CU_ASSERT(rig.device().scheduler().events().flag(3));
    CU_ASSERT(rig.device().scheduler().events().flag(4));
}

// T-FE-8: the SQE under way ends.
static void test_disable_on_the_way()
{
    Rig rig;
    rig.open(0);
    rig.put(0, sqe_sdma(Rig::kHbm, Rig::kHbm + 4096, 4096), 0);
    rig.put(0, sqe_event_record(1), 0);
    rig.run_until(1500);
    EXPECT_EQ(read(rig, page(0, STARS_SQ_MAPPED)), 1);
    EXPECT_EQ(rig.device().write(page(0, STARS_SQ_ENABLE), 0), TWINSIM_OK);
    EXPECT_EQ(rig.device().write(page(0, STARS_SQ_HEAD), 2), TWINSIM_E_STATE); // not at rest
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    EXPECT_EQ(read(rig, page(0, STARS_SQ_MAPPED)), 0);
    EXPECT_EQ(rig.device().write(page(0, STARS_SQ_ENABLE), 1), TWINSIM_OK);
    rig.run();
    EXPECT_EQ(rig.retired(0), 2);
}

// T-FE-10: at any time.
static void test_priority_register()
{
    Rig rig;
    rig.open(0, 2);
    const uint32_t value = 5u << 10 | 33u << 4;
    EXPECT_EQ(read(rig, page(0, STARS_SQ_PRIORITY)), 2u << 10);
    EXPECT_EQ(rig.device().write(page(0, STARS_SQ_PRIORITY), value), TWINSIM_OK);
    EXPECT_EQ(read(rig, page(0, STARS_SQ_PRIORITY)), value);
}

// T-EVT-3, T-EVT-4, T-NTF-4: the host reads and writes table entries.
static void test_tables()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    rig.put(0, sqe_event_wait(700, 0), 0);
    rig.put(1, sqe_notify_wait(700, 0), 0);
    rig.run();
    // 4096 events and 512 notifies of a table, tables 0x10000 apart: notify 700 is in the second.
    const uint64_t event = STARS_EVENT_TABLE_BASE + 4 * 700,
                   notify = STARS_NOTIFY_TABLE_BASE + 0x10000 + 4 * (700 - 512);
    EXPECT_EQ(read(rig, event), 2);
    EXPECT_EQ(read(rig, notify), 2);
    EXPECT_EQ(rig.device().write(event, 1), TWINSIM_OK);
    EXPECT_EQ(rig.device().write(notify, 1), TWINSIM_OK);
    EXPECT_EQ(read(rig, event), 1);
    EXPECT_EQ(read(rig, notify), 0);
    rig.run();
    EXPECT_EQ(rig.retired(0) + rig.retired(1), 2);
    EXPECT_EQ(rig.device().write(event, 0), TWINSIM_OK);
    EXPECT_EQ(read(rig, event), 0);
}

// T-CTN-6: a count is read, and set for those that wait; a part without counts has nothing there.
static void test_counts()
{
    Rig rig([](tsim::Params &p) { p.count_notifies.value = 8; });
    rig.open(0);
    rig.put(0, sqe_count_wait(7, STARS_COUNT_EQUAL, 0x80000000, 0, 0), 0);
    rig.run();
    const uint64_t count = STARS_COUNT_ENTRY(7);
    EXPECT_EQ(read(rig, count), 0);
    EXPECT_EQ(rig.device().write(count, 3), TWINSIM_OK);
    EXPECT_EQ(read(rig, count), 3);
    rig.run();
    EXPECT_EQ(rig.retired(0), 0);
    EXPECT_EQ(rig.device().write(count, 0x80000000), TWINSIM_OK);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    EXPECT_EQ(read(rig, count), 0x80000000);

    Rig none;
    for (Rig *which : {&rig, &none}) {
        const uint64_t beyond = which == &rig ? count + 4 : STARS_COUNT_TABLE_BASE;
        uint32_t value = 1;
        EXPECT_EQ(which->device().read(beyond, value), TWINSIM_E_ARGUMENT);
        EXPECT_EQ(which->device().write(beyond, 1), TWINSIM_E_ARGUMENT);
    }
}

// T-CQ-5.
static void test_cq_registers()
{
    Rig rig;
    rig.open(4);
    rig.put(4, sqe_with_cqe(sqe_placeholder()), 0);
    rig.run();
    EXPECT_EQ(read(rig, page(4, STARS_SQ_CQ_TAIL)), 1);
    EXPECT_EQ(rig.device().write(page(4, STARS_SQ_CQ_HEAD), 2), TWINSIM_E_ARGUMENT);
    EXPECT_EQ(rig.device().write(page(4, STARS_SQ_CQ_HEAD), 1), TWINSIM_OK);
    EXPECT_EQ(read(rig, page(4, STARS_SQ_CQ_HEAD)), 1);
}

// 16 limits of waits, 2^20 after a reset.
static void test_wait_limits()
{
    Rig rig;
    const uint64_t low = STARS_BLOCK_BASE + 0x5680, high = STARS_BLOCK_BASE + 0x5700;
    for (uint64_t i = 0; i < 16; ++i) {
        EXPECT_EQ(read(rig, low + 4 * i), 1u << 20);
        EXPECT_EQ(read(rig, high + 4 * i), 0);
    }
    EXPECT_EQ(rig.device().write(low + 4 * 15, 7), TWINSIM_OK);
    EXPECT_EQ(rig.device().write(high + 4 * 15, 9), TWINSIM_OK);
    EXPECT_EQ(read(rig, low + 4 * 15), 7);
    EXPECT_EQ(read(rig, high + 4 * 15), 9);
    EXPECT_EQ(read(rig, low + 4 * 14), 1u << 20);
    uint32_t value = 1;
    EXPECT_EQ(rig.device().read(low + 4 * 16, value), TWINSIM_E_ARGUMENT);
    rig.device().reset();
    EXPECT_EQ(read(rig, low + 4 * 15), 1u << 20);
    EXPECT_EQ(read(rig, high + 4 * 15), 0);
}

static void test_nothing_there()
{
    Rig rig;
    rig.open(0);
    uint32_t value = 1;
    const uint64_t beyond_events = STARS_EVENT_ENTRY(rig.params().events.value);
    for (const uint64_t offset :
         {page(0, 0x9), page(0, 0x4), page(0, 0xffc), page(2040, STARS_SQ_HEAD), beyond_events,
          uint64_t{STARS_NOTIFY_TABLE_BASE} - 4, UINT64_MAX - 3}) {
        value = 1;
        EXPECT_EQ(rig.device().read(offset, value), TWINSIM_E_ARGUMENT);
        EXPECT_EQ(value, 0);
        EXPECT_EQ(rig.device().write(offset, 1), TWINSIM_E_ARGUMENT);
    }
    EXPECT_EQ(rig.device().write(page(1, STARS_SQ_TAIL), 1), TWINSIM_E_STATE); // closed
    EXPECT_EQ(rig.device().write(page(0, STARS_SQ_TAIL), 64), TWINSIM_E_ARGUMENT);
    EXPECT_EQ(rig.device().write(page(0, STARS_SQ_SLOT), 1), TWINSIM_E_ARGUMENT); // read only
}

static const twin_test tests[] = {
    {"head, tail and enable; the head moves while disabled only", test_head_tail_enable},
    {"a queue disabled on the way ends its SQE", test_disable_on_the_way},
    {"priority and group", test_priority_register},
    {"the host reads and writes table entries", test_tables},
    {"the host reads and writes counts", test_counts},
    {"CQ head and tail", test_cq_registers},
    {"the limits of waits are kept", test_wait_limits},
    {"an offset where nothing is reads 0 and is refused", test_nothing_there},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim registers", tests, TWIN_COUNT(tests), argc, argv);
}
