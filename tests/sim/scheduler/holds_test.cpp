// SPDX-License-Identifier: Apache-2.0
/// Every combination of pre_p, post_p, ie and wr_cqe with every type that the model runs.
#include <cstring>

#include "rig.h"

namespace
{

constexpr uint32_t kHostTarget = 3;
constexpr uint64_t kWord = Rig::kHbm + 4096;

struct Kind {
    const char *name;
    stars_sqe sqe;
    bool event;       // its CQE has the event bit
    bool placeholder; // ... the placeholder bit
};

std::vector<Kind> kinds()
{
    std::vector<Kind> all = {
        {"placeholder", sqe_placeholder(), false, true},
        {"event record", sqe_event_record(1), true, false},
        {"event wait", sqe_event_wait(2, 0), false, false},
        {"notify record", sqe_notify_record(1), false, false},
        {"notify wait", sqe_notify_wait(2, 0), false, false},
        {"count record", sqe_count_record(1, STARS_COUNT_ADD, 1), false, false},
        {"count wait", sqe_count_wait(2, STARS_COUNT_EQUAL, 1, 1, 0), false, false},
        {"event write", sqe_event_write(1, 1), false, false},
        {"write value", sqe_write_value(kWord, 2, 1), false, false},
        {"SDMA", sqe_sdma(kWord, Rig::kHbm, 4), false, false},
        {"PCIe DMA", sqe_pcie_dma(kWord, Rig::kHost, 4), false, false},
        {"callback", sqe_callback(0, 0, 0, 0), false, false},
    };
    stars_sqe program{}; // no instruction: it ends at once
    program.word[0] = STARS_SQE_COND;
    program.word[3] = STARS_CREDIT_NEVER << STARS_W3_CREDIT_SHIFT;
    for (uint32_t i = STARS_COND_WORD; i < 16; ++i)
        program.word[i] = STARS_COND_IMMEDIATE; // r0 = r0 + 0
    all.push_back({"COND", program, false, false});
    return all;
}

/// What can be seen of an effect: anything but 0 once it has happened.
uint32_t effect(Rig &rig, const Kind &kind)
{
    const auto &scheduler = rig.device().scheduler();
    const uint32_t type = kind.sqe.word[0] & STARS_W0_TYPE_MASK;
    uint32_t word = 0;
    switch (type) {
    case STARS_SQE_EVENT_RECORD:
        return scheduler.events().flag(1) ? 1 : 0;
    case STARS_SQE_NOTIFY_RECORD:
        return (kind.sqe.word[2] & STARS_W2_COUNT) != 0 ? scheduler.counts().count(1)
                                                        : (scheduler.notifies().flag(1) ? 1 : 0);
    case STARS_SQE_NOTIFY_WAIT: // takes it away
        return (kind.sqe.word[2] & STARS_W2_COUNT) != 0 ? 1 - scheduler.counts().count(2)
                                                        : (scheduler.notifies().flag(2) ? 0 : 1);
    case STARS_SQE_WRITE_VALUE:
        if ((kind.sqe.word[5] & STARS_W5_VIRTUAL) == 0)
            return scheduler.events().flag(1) ? 1 : 0;
        std::memcpy(&word, rig.hbm(4096), 4);
        return word;
    case STARS_SQE_SDMA:
    case STARS_SQE_PCIE_DMA:
        std::memcpy(&word, rig.hbm(4096), 4);
        return word;
    default:
        return 2; // nothing to see
    }
}

void prepare(Rig &rig)
{
    auto &scheduler = rig.device().scheduler();
    scheduler.write_event(1, false);
    scheduler.write_event(2, true);
    scheduler.write_notify(1, false);
    scheduler.write_notify(2, true);
    scheduler.write_count(1, 0);
    scheduler.write_count(2, 1);
    std::memset(rig.hbm(4096), 0, 4);
    std::memset(rig.hbm(), 7, 4);
    std::memset(rig.host(), 7, 4);
}

uint32_t interrupts(Rig &rig, uint32_t target)
{
    uint32_t value = 0;
    const uint64_t at = uint64_t{STARS_BLOCK_BASE} + STARS_CQ_INTERRUPT_QUEUES +
                        ((3 - target) << STARS_CQ_INTERRUPT_TARGET_SHIFT);
    EXPECT_EQ(rig.device().read(at, value), TWINSIM_OK);
    EXPECT_EQ(rig.device().write(at, value), TWINSIM_OK); // and clear
    return value;
}

bool failed;

void check(uint64_t actual, uint64_t expected, const char *what, const std::string &where)
{
    if (actual == expected)
        return;
    failed = true;
    std::printf("%s: %s is %llu, expected %llu\n", where.c_str(), what,
                static_cast<unsigned long long>(actual), static_cast<unsigned long long>(expected));
}

// The targets interrupted since the last look, a bit each.
uint32_t targets(Rig &rig)
{
    uint32_t seen = 0;
    for (uint32_t target = 1; target <= 3; ++target)
        seen |= interrupts(rig, target) != 0 ? 1u << target : 0;
    return seen;
}

uint32_t bit_of(uint32_t target)
{
    return target == 0 ? 0 : 1u << target;
}

void run_one(Rig &rig, const Kind &kind, uint32_t pre, uint32_t post, uint32_t ie, bool cqe)
{
    const std::string where = std::string(kind.name) + " pre_p " + std::to_string(pre) +
                              " post_p " + std::to_string(post) + " ie " + std::to_string(ie) +
                              (cqe ? " wr_cqe" : "");
    const tsim::Params &p = rig.params();
    rig.open(0);
    prepare(rig);
    stars_sqe sqe = kind.sqe;
    sqe.word[0] |= pre << STARS_W0_PRE_P_SHIFT | post << STARS_W0_POST_P_SHIFT |
                   ie << STARS_W0_IE_SHIFT | (cqe ? STARS_W0_WR_CQE : 0);
    const uint64_t rung = rig.now() + 1000; // swapped out of its last slot by then
    rig.put(0, sqe, rung);
    const uint64_t decoded = rung + p.arbitration.value + p.record_read.value +
                             p.slot_enable.value + p.fetch_read.value + p.decode.value;
    const bool visible = effect(rig, kind) != 2;
    const auto resume = [&rig] {
        EXPECT_EQ(rig.device().write(STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_RESUME), TWINSIM_OK);
    };
    rig.run();
    if (pre != 0) { // T-SQE-4
        check(rig.now(), decoded, "time of the first hold", where);
        check(rig.state(0), TWINSIM_QUEUE_HELD, "state before", where);
        check(targets(rig), bit_of(pre), "targets of pre_p", where); // T-SQE-13
        check(visible && effect(rig, kind) != 0, 0, "effect before", where);
        resume();
        rig.run();
    }
    uint64_t held_at = 0;
    if (post != 0) { // T-SQE-7
        check(rig.state(0), TWINSIM_QUEUE_HELD, "state after", where);
        check(targets(rig), bit_of(post), "targets of post_p", where);
        check(effect(rig, kind) != 0, 1, "effect in the second hold", where);
        check(rig.retired(0), 0, "retired while held", where); // T-FE-3
        held_at = rig.now();
        resume();
        rig.run();
    }
    check(rig.retired(0), 1, "retired", where);
    check(effect(rig, kind) != 0, 1, "effect", where);
    if (post != 0) // T-SQE-5
        check(rig.retired_at(0, 1), held_at + p.retire.value + (cqe ? p.cq_write.value : 0),
              "time of retirement", where);
    check(targets(rig), bit_of(ie) | (cqe ? bit_of(kHostTarget) : 0), "targets of ie",
          where); // T-CQ-7
    const auto &front = rig.device().scheduler().front(0);
    check(front.cq_tail(), cqe ? 1 : 0, "CQEs", where); // T-CQ-2
    if (cqe) {
        check(rig.cqe(0, 0).flags,
              STARS_CQE_PHASE | (kind.event ? STARS_CQE_EVENT : 0u) |
                  (kind.placeholder ? STARS_CQE_PLACEHOLDER : 0u),
              "flags of the CQE", where);
        check(rig.cqe(0, 0).u.timestamp, p.to_ticks(rig.retired_at(0, 1)), "time stamp", where);
    }
    rig.device().scheduler().close(0);
    twinsim_message message;
    while (rig.device().scheduler().take_message(message)) {
    }
}

} // namespace

// T-SQE-4, T-SQE-5, T-SQE-7, T-SQE-13, T-CQ-2, T-CQ-7.
static void test_every_combination()
{
    Rig rig([](tsim::Params &p) {
        p.count_notifies.value = 8;
        p.ts_cpu.value = 0;
    });
    failed = false;
    for (const Kind &kind : kinds())
        for (uint32_t bits = 0; bits < 128; ++bits)
            run_one(rig, kind, bits & 3, bits >> 2 & 3, bits >> 4 & 3, (bits >> 6) != 0);
    CU_ASSERT_FALSE(failed);
}

// T-SQE-14: a stream sends a command to the TS CPU when its task ids begin again, after each 65,535
// tasks, and goes on when it is answered.
static void test_commands_to_the_ts_cpu()
{
    constexpr uint32_t kFlip = 37, kTasks = 3 * 65535;
    Rig rig;
    const tsim::Params &p = rig.params();
    rig.open(0, 0, 1024, 8);
    stars_sqe flip = sqe_placeholder();
    flip.word[0] |= kFlip << STARS_W0_BLOCK_DIM_SHIFT | 1u << STARS_W0_PRE_P_SHIFT;
    uint64_t flips = 0;
    for (uint32_t task = 1; task <= kTasks; ++task) {
        rig.put(0, sqe_placeholder(), rig.now());
        if (task % 65535 == 0) {
            rig.put(0, flip, rig.now());
            ++flips;
        }
        if (task % 1000 == 0 || task == kTasks)
            rig.run();
    }
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_IDLE);
    EXPECT_EQ(rig.retired(0), kTasks + flips);
    EXPECT_EQ(rig.retired_at(0, kTasks + flips) - rig.retired_at(0, kTasks + flips - 1),
              p.decode.value + p.ts_cpu.value + p.retire.value);

    // Other CPUs and other types are not answered, and without the CPU the command is unknown.
    stars_sqe other = flip;
    other.word[0] ^= 3u << STARS_W0_PRE_P_SHIFT; // 2
    stars_sqe record = sqe_event_record(1);
    record.word[0] |= 1u << STARS_W0_PRE_P_SHIFT;
    stars_sqe plain = flip;
    plain.word[0] &= ~(3u << STARS_W0_PRE_P_SHIFT);
    const struct {
        stars_sqe sqe;
        twinsim_queue_state state;
    } cases[] = {{other, TWINSIM_QUEUE_HELD},
                 {record, TWINSIM_QUEUE_HELD},
                 {plain, TWINSIM_QUEUE_EXCEPTION}};
    for (const auto &c : cases) {
        Rig one;
        one.open(0);
        one.put(0, c.sqe, 0);
        one.run();
        EXPECT_EQ(one.state(0), c.state);
    }
}

// T-SQE-8, T-SQE-13: a wait that fails by its credit after a hold notifies the host by its CQE, not
// the target of ie, and has no second hold.
static void test_failures_in_every_combination()
{
    for (const stars_sqe &wait : {sqe_event_wait(5, 0), sqe_notify_wait(5, 0),
                                  sqe_count_wait(5, STARS_COUNT_EQUAL, 9, 0, 0)}) {
        Rig rig([](tsim::Params &p) {
            p.count_notifies.value = 8;
            p.credit_unit.value = 1000;
        });
        const tsim::Params &p = rig.params();
        for (uint32_t bits = 0; bits < 128; ++bits) {
            rig.open(0);
            const uint32_t pre = bits & 3, post = bits >> 2 & 3, ie = bits >> 4 & 3;
            stars_sqe sqe = sqe_with_credit(wait, 2);
            sqe.word[0] |= pre << STARS_W0_PRE_P_SHIFT | post << STARS_W0_POST_P_SHIFT |
                           ie << STARS_W0_IE_SHIFT | ((bits >> 6) != 0 ? STARS_W0_WR_CQE : 0);
            rig.put(0, sqe, rig.now());
            rig.run();
            uint64_t begun = rig.now();
            if (pre != 0) {
                EXPECT_EQ(targets(rig), bit_of(pre));
                begun += p.event_table.value;
                EXPECT_EQ(p.event_table.value, p.notify_table.value);
                EXPECT_EQ(rig.device().write(STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_RESUME),
                          TWINSIM_OK);
                rig.run();
                EXPECT_EQ(rig.now(),
                          begun + 2 * p.credit_unit.value + p.retire.value + p.cq_write.value);
            }
            EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_EXCEPTION);
            EXPECT_EQ(rig.cqe(0, 0).u.error.code, STARS_ERROR_TIMEOUT);
            EXPECT_EQ(targets(rig), bit_of(kHostTarget));
            EXPECT_EQ(rig.retired(0), 0);
            rig.device().scheduler().close(0);
        }
    }
}

static const twin_test tests[] = {
    {"each combination with each type", test_every_combination},
    {"commands to the TS CPU are answered", test_commands_to_the_ts_cpu},
    {"a wait that fails in each combination", test_failures_in_every_combination},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim holds", tests, TWIN_COUNT(tests), argc, argv);
}
