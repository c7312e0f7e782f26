// SPDX-License-Identifier: Apache-2.0
/// COND programs: what they compute, what they do to queues.
#include <algorithm>

#include "cond_sqe.h"

namespace
{

// Runs the program with R3 stored at its end.
uint64_t compute(const Build &build)
{
    Rig rig;
    rig.open(0);
    rig.put(0,
            sqe_call(rig, 4096,
                     [&](sim_cond &c) {
                         build(c);
                         sim_cond_constant(&c, SIM_R4, Rig::kHbm);
                         cond_store(&c, SIM_R4, 0, SIM_R3, STARS_COND_DOUBLE);
                     }),
            0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    return word_at(rig, 0);
}

uint64_t combine(unsigned operation, unsigned second, uint64_t a, uint64_t b)
{
    return compute([=](sim_cond &c) {
        sim_cond_constant(&c, SIM_R1, a);
        sim_cond_constant(&c, SIM_R2, b);
        sim_cond_compute(&c, operation, second, SIM_R3, SIM_R1, SIM_R2);
    });
}

uint64_t combine_constant(unsigned operation, uint64_t a, int b)
{
    return compute([=](sim_cond &c) {
        sim_cond_constant(&c, SIM_R1, a);
        sim_cond_compute_constant(&c, operation, SIM_R3, SIM_R1, b);
    });
}

// 1 when the branch was taken.
uint64_t taken(unsigned relation, uint64_t a, uint64_t b)
{
    return compute([=](sim_cond &c) {
        sim_cond_constant(&c, SIM_R1, a);
        sim_cond_constant(&c, SIM_R2, b);
        sim_cond_compute_constant(&c, STARS_COND_ADD, SIM_R3, SIM_R0, 1);
        sim_cond_branch(&c, relation, SIM_R1, SIM_R2, 0);
        sim_cond_compute_constant(&c, STARS_COND_ADD, SIM_R3, SIM_R0, 0);
        sim_cond_label(&c, 0);
    });
}

stars_sqe sqe_goto(uint32_t sq, uint32_t head, bool enable = false)
{
    return sqe_cond([=](sim_cond &c) {
        sim_cond_goto(&c, sq, head);
        if (enable)
            sim_cond_enable(&c, sq);
    });
}

// The SQE at the head of queue 0 fails with this; the queue goes on when the failure is handled.
void expect_failure(Rig &rig, const stars_sqe &sqe, uint8_t code, uint16_t status)
{
    rig.open(0);
    rig.put(0, sqe, 0);
    rig.run();
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_EXCEPTION);
    EXPECT_EQ(rig.cqe(0, 0).u.error.code, code);
    EXPECT_EQ(rig.cqe(0, 0).u.error.status, status);
    EXPECT_EQ(rig.cqe(0, 0).u.error.type >> STARS_CQE_TYPE_SHIFT, STARS_SQE_COND);
    rig.put(0, sqe_placeholder(), rig.now());
    CU_ASSERT(rig.device().scheduler().control(0, STARS_SQ_CONTROL_EXCEPTION_HANDLED));
    rig.run();
    EXPECT_EQ(rig.retired(0), 2);
}

void expect_bad(const stars_sqe &sqe)
{
    Rig rig;
    expect_failure(rig, sqe, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
}

stars_sqe sqe_words(std::initializer_list<uint32_t> words)
{
    stars_sqe sqe = sqe_cond([](sim_cond &) {});
    uint32_t at = STARS_COND_WORD;
    for (const uint32_t word : words)
        sqe.word[at++] = word;
    return sqe;
}

constexpr uint64_t kMinus = UINT64_MAX;
constexpr uint64_t kLeast = uint64_t{1} << 63;

} // namespace

// T-COND-1, T-COND-2.
static void test_arithmetic()
{
    EXPECT_EQ(combine(STARS_COND_ADD, 0, kMinus, 3), 2);
    EXPECT_EQ(combine(STARS_COND_ADD, STARS_COND_SUBTRACT, 3, 5), kMinus - 1);
    EXPECT_EQ(combine(STARS_COND_ADD, STARS_COND_MULTIPLY, 1u << 31, 6), uint64_t{6} << 31);
    EXPECT_EQ(combine(STARS_COND_XOR, 0, 0xff00ff00ff00ff00, 0xffff0000ffff0000),
              0x00ffff0000ffff00);
    EXPECT_EQ(combine(STARS_COND_OR, 0, kLeast, 1), kLeast | 1);
    EXPECT_EQ(combine(STARS_COND_AND, 0, 0xf0f0, 0x0ff0), 0x00f0);
    EXPECT_EQ(combine(STARS_COND_SHIFT_LEFT, 0, 1, 63), kLeast);
    EXPECT_EQ(combine(STARS_COND_SHIFT_LEFT, 0, 1, 64), 1); // the count is taken modulo 64
    EXPECT_EQ(combine(STARS_COND_SHIFT_RIGHT, 0, kLeast, 63), 1);
    EXPECT_EQ(combine(STARS_COND_SHIFT_RIGHT, STARS_COND_SIGNED, kLeast, 63), kMinus);
    EXPECT_EQ(combine(STARS_COND_SHIFT_RIGHT, STARS_COND_SIGNED, kLeast, 0), kLeast);
    EXPECT_EQ(combine(STARS_COND_LESS, 0, kMinus, 0), 1);
    EXPECT_EQ(combine(STARS_COND_LESS_UNSIGNED, 0, kMinus, 0), 0);
    EXPECT_EQ(combine_constant(STARS_COND_ADD, 5, -2048), 5u - 2048u + (kMinus << 32));
    EXPECT_EQ(combine_constant(STARS_COND_XOR, 0x0f, -1), kMinus - 0x0f);
    EXPECT_EQ(combine_constant(STARS_COND_SHIFT_LEFT, 3, 62), uint64_t{3} << 62);
    EXPECT_EQ(combine_constant(STARS_COND_SHIFT_RIGHT, kMinus, 60), 15);
    EXPECT_EQ(combine_constant(STARS_COND_LESS, 3, 4), 1);
}

// T-COND-1.
static void test_branches()
{
    EXPECT_EQ(taken(STARS_COND_EQUAL, 7, 7), 1);
    EXPECT_EQ(taken(STARS_COND_EQUAL, 7, 8), 0);
    EXPECT_EQ(taken(STARS_COND_NOT_EQUAL, 7, 8), 1);
    EXPECT_EQ(taken(STARS_COND_BELOW, kMinus, 0), 1);
    EXPECT_EQ(taken(STARS_COND_BELOW_UNSIGNED, kMinus, 0), 0);
    EXPECT_EQ(taken(STARS_COND_NOT_BELOW, kMinus, 0), 0);
    EXPECT_EQ(taken(STARS_COND_NOT_BELOW, 4, 4), 1);
    EXPECT_EQ(taken(STARS_COND_NOT_BELOW_UNSIGNED, kMinus, 0), 1);
}

// T-COND-1: R0 is always 0; constants of 64 bits; loads of each width.
static void test_registers_and_memory()
{
    EXPECT_EQ(compute([](sim_cond &c) {
                  sim_cond_constant(&c, SIM_R0, 77);
                  sim_cond_compute(&c, STARS_COND_ADD, 0, SIM_R3, SIM_R0, SIM_R0);
              }),
              0);
    EXPECT_EQ(compute([](sim_cond &c) { sim_cond_constant(&c, SIM_R3, 0xfedcba9876543210); }),
              0xfedcba9876543210);
    const auto load = [](unsigned width) {
        return compute([=](sim_cond &c) {
            sim_cond_constant(&c, SIM_R1, Rig::kHbm + 1024);
            sim_cond_constant(&c, SIM_R2, 0xf1f2f3f4f5f6f7f8);
            cond_store(&c, SIM_R1, -8, SIM_R2, STARS_COND_DOUBLE);
            sim_cond_load_address(&c, SIM_R3, Rig::kHbm + 1016, width);
        });
    };
    EXPECT_EQ(load(STARS_COND_BYTE), 0xfffffffffffffff8);
    EXPECT_EQ(load(STARS_COND_HALF), 0xfffffffffffff7f8);
    EXPECT_EQ(load(STARS_COND_WORD4), 0xfffffffff5f6f7f8);
    EXPECT_EQ(load(STARS_COND_DOUBLE), 0xf1f2f3f4f5f6f7f8);
    EXPECT_EQ(load(STARS_COND_BYTE | STARS_COND_UNSIGNED), 0xf8);
    EXPECT_EQ(load(STARS_COND_HALF | STARS_COND_UNSIGNED), 0xf7f8);
    EXPECT_EQ(load(STARS_COND_WORD4 | STARS_COND_UNSIGNED), 0xf5f6f7f8);
}

// A narrow store leaves its neighbours; a load by register takes an offset.
static void test_narrow_stores()
{
    Rig rig;
    rig.open(0);
    set_word(rig, 64, kMinus);
    rig.put(0, sqe_cond([](sim_cond &c) {
                sim_cond_constant(&c, SIM_R1, Rig::kHbm);
                cond_store(&c, SIM_R1, 65, SIM_R0, STARS_COND_BYTE);
                cond_store(&c, SIM_R1, 66, SIM_R0, STARS_COND_HALF);
                cond_store(&c, SIM_R1, 68, SIM_R0, STARS_COND_WORD4);
                sim_cond_load(&c, SIM_R2, SIM_R1, 64);
                cond_store(&c, SIM_R1, 128, SIM_R2, STARS_COND_DOUBLE);
            }),
            0);
    rig.run();
    EXPECT_EQ(word_at(rig, 128), 0xff);
}

// T-COND-3: an inline program's time, and that others see its stores at the beginning of that time.
static void test_time_of_a_program()
{
    Rig rig;
    rig.open(0);
    rig.put(0, sqe_cond([](sim_cond &c) {
                sim_cond_load_address(&c, SIM_R1, Rig::kHbm, STARS_COND_DOUBLE);
                sim_cond_constant(&c, SIM_R2, Rig::kHbm);
                cond_store(&c, SIM_R2, 8, SIM_R1, STARS_COND_DOUBLE);
            }),
            0);
    rig.run();
    const tsim::Params &p = rig.params();
    const auto program = rig.phases(TWINSIM_PHASE_PROGRAM, 0).at(0);
    // load, two halves of a constant, store, and 12 - 6 words that do nothing
    EXPECT_EQ(program.end_ns - program.begin_ns,
              10 * p.cond_instruction.value + 2 * p.cond_memory.value);
    EXPECT_EQ(program.parameter, p.cond_instruction.index);
    EXPECT_EQ(rig.retired_at(0, 1), program.end_ns + p.retire.value);
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_DECODE, 0).at(0).end_ns, program.begin_ns);
}

// T-COND-2: a call costs one access; T-COND-5: the loop counts down to its end.
static void test_call_and_loop()
{
    Rig rig;
    rig.open(0);
    stars_sqe sqe = sqe_call(rig, 4096, [](sim_cond &c) {
        sim_cond_constant(&c, SIM_R1, 10);
        // word 3: loop while R1, to word 3
        c.word[c.length++] = STARS_COND_LOOP | 3u << STARS_COND_TARGET_SHIFT |
                             SIM_R1 << STARS_COND_RS1_SHIFT | 100u << STARS_COND_DELAY_SHIFT;
    });
    rig.put(0, sqe, 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    const tsim::Params &p = rig.params();
    const auto program = rig.phases(TWINSIM_PHASE_PROGRAM, 0).at(0);
    // caller: 5; called: 2 for the constant, 11 loops, the rest of 128 words
    EXPECT_EQ(program.end_ns - program.begin_ns,
              (5 + 2 + 11 + 124) * p.cond_instruction.value + 10 * 100 + p.cond_memory.value);
}

// T-COND-4: no content of a program does harm.
static void test_bad_programs()
{
    expect_bad(sqe_words({0}));                                                // no operation
    expect_bad(sqe_words({0x7f}));                                             // unknown operation
    expect_bad(sqe_words({STARS_COND_IMMEDIATE | 6u << STARS_COND_RD_SHIFT})); // R6
    expect_bad(sqe_words({STARS_COND_REGISTER | 7u << STARS_COND_RS2_SHIFT})); // R7
    expect_bad(sqe_words({STARS_COND_BRANCH | 13u << STARS_COND_TARGET_SHIFT})); // past the end
    expect_bad(sqe_words({STARS_COND_BRANCH | 2u << STARS_COND_FUNCTION_SHIFT}));
    expect_bad(sqe_words({STARS_COND_REGISTER | 3u << STARS_COND_FUNCTION2_SHIFT}));
    expect_bad(sqe_words({STARS_COND_CSR | STARS_COND_CSR_WRITE << STARS_COND_FUNCTION_SHIFT}));
    expect_bad(sqe_words({STARS_COND_QUEUE | 3u << STARS_COND_FUNCTION_SHIFT}));
    expect_bad(sqe_words({STARS_COND_LOAD_ADDRESS | 7u << STARS_COND_FUNCTION_SHIFT}));
    stars_sqe cut = sqe_words({});
    cut.word[15] = STARS_COND_LOAD_ADDRESS; // ends within an instruction
    expect_bad(cut);
    expect_bad(sqe_goto(5, 0));    // not open
    expect_bad(sqe_goto(2047, 0)); // not there
    expect_bad(sqe_goto(0, 64));   // beyond its ring
    expect_bad(sqe_cond([](sim_cond &c) { sim_cond_enable(&c, 4000); }));
    expect_bad(sqe_cond([](sim_cond &c) {
        sim_cond_constant(&c, SIM_R1, kMinus);
        sim_cond_enable_register(&c, SIM_R1);
    }));
}

// T-COND-4.
static void test_bad_addresses()
{
    const auto expect_fault = [](const Build &build) {
        Rig rig;
        expect_failure(rig, sqe_cond(build), STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT);
    };
    expect_fault([](sim_cond &c) { sim_cond_load_address(&c, SIM_R1, 8, STARS_COND_DOUBLE); });
    expect_fault([](sim_cond &c) {
        sim_cond_load_address(&c, SIM_R1, Rig::kHbm + 4, STARS_COND_DOUBLE); // not aligned
    });
    expect_fault([](sim_cond &c) { sim_cond_load(&c, SIM_R1, SIM_R0, -8); });
    expect_fault([](sim_cond &c) { cond_store(&c, SIM_R0, 0, SIM_R0, STARS_COND_BYTE); });
    expect_fault([](sim_cond &c) { sim_cond_call(&c, 4096, 8); });
    expect_fault([](sim_cond &c) { // its length leaves the memory
        sim_cond_call(&c, Rig::kHbm + Rig::kMemory - 8, 3);
    });
}

// T-COND-4: what was done before a failure stays. T-COND-2: no call within a called program.
static void test_what_was_done_stays()
{
    Rig rig;
    expect_failure(rig,
                   sqe_call(rig, 4096,
                            [](sim_cond &c) {
                                sim_cond_constant(&c, SIM_R3, Rig::kHbm);
                                cond_store(&c, SIM_R3, 0, SIM_R3, STARS_COND_DOUBLE);
                                sim_cond_call(&c, Rig::kHbm + 4096, 1);
                            }),
                   STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
    EXPECT_EQ(word_at(rig, 0), Rig::kHbm);
}

// T-COND-5.
static void test_endless_program()
{
    Rig rig({}, [](tsim::Params &p) { p.cond_limit.value = 100; });
    expect_failure(rig, sqe_words({STARS_COND_BRANCH}), STARS_ERROR_TIMEOUT,
                   STARS_STATUS_TASK_TIMEOUT);
    const auto program = rig.phases(TWINSIM_PHASE_PROGRAM, 0).at(0);
    EXPECT_EQ(program.end_ns - program.begin_ns, 100 * rig.params().cond_instruction.value);
}

// T-COND-6: a jump forward leaves SQEs out; T-FE-8: they count as retired.
static void test_jump()
{
    Rig rig;
    rig.open(0);
    rig.write(0, sqe_goto(0, 3));
    rig.write(0, sqe_event_record(1));
    rig.write(0, sqe_event_record(2));
    rig.write(0, sqe_event_record(3));
    rig.ring(0, 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 4);
    CU_ASSERT_FALSE(rig.device().scheduler().events().flag(1));
    CU_ASSERT_FALSE(rig.device().scheduler().events().flag(2));
    CU_ASSERT(rig.device().scheduler().events().flag(3));
    EXPECT_EQ(rig.retired_at(0, 3), rig.retired_at(0, 1));
}

// T-COND-7: a queue that was opened disabled runs again and again, and its count never falls.
static void test_persistent_queue()
{
    Rig rig;
    rig.open(0);
    rig.open_disabled(7);
    rig.write(7, sqe_notify_record(1));
    rig.write(7, sqe_sdma_fill(Rig::kHbm, 0x5a, 8));
    rig.write(7, sqe_event_record(9));
    rig.ring(7, 0);
    rig.run();
    EXPECT_EQ(rig.retired(7), 0);
    EXPECT_EQ(rig.state(7), TWINSIM_QUEUE_IDLE);
    uint64_t before = 0;
    for (int i = 0; i < 5; ++i) {
        set_word(rig, 0, 0);
        rig.put(0, sqe_goto(7, 0, true), rig.now());
        rig.run();
        EXPECT_EQ(rig.retired(0), static_cast<uint64_t>(i) + 1);
        EXPECT_EQ(rig.state(7), TWINSIM_QUEUE_IDLE);
        EXPECT_EQ(rig.device().scheduler().front(7).head(), 3);
        EXPECT_EQ(word_at(rig, 0), 0x5a5a5a5a5a5a5a5a);
        CU_ASSERT(rig.retired(7) > before);
        before = rig.retired(7);
        EXPECT_EQ(before % 64, 3);
        EXPECT_EQ(rig.retired_at(7, before), rig.now());
    }
    rig.put(7, sqe_placeholder(), rig.now()); // more rung for later
    rig.run();
    EXPECT_EQ(rig.retired(7), before + 1);
}

// T-COND-7: a queue disables itself half-way; the next start begins at its head again.
static void test_leaving_out_the_rest()
{
    Rig rig;
    rig.open(0);
    rig.open_disabled(7);
    rig.write(7, sqe_notify_record(1));
    rig.write(7, sqe_cond([](sim_cond &c) { sim_cond_disable(&c, 7); }));
    rig.write(7, sqe_event_record(9));
    rig.ring(7, 0);
    for (int i = 0; i < 3; ++i) {
        rig.put(0, sqe_goto(7, 0, true), rig.now());
        rig.run();
        EXPECT_EQ(rig.device().scheduler().front(7).head(), 2);
        CU_ASSERT_FALSE(rig.device().scheduler().enabled(7));
    }
    CU_ASSERT_FALSE(rig.device().scheduler().events().flag(9));
    rig.put(0, sqe_cond([](sim_cond &c) { // by register
                sim_cond_constant(&c, SIM_R1, 7);
                sim_cond_enable_register(&c, SIM_R1);
            }),
            rig.now());
    rig.run();
    CU_ASSERT(rig.device().scheduler().events().flag(9));
}

// T-COND-6: a queue goes back as often as its program says, by register.
static void test_loop_over_a_queue()
{
    Rig rig;
    rig.open(0);
    rig.write(0, sqe_notify_record(1));
    rig.write(0, sqe_cond([](sim_cond &c) {
                  sim_cond_constant(&c, SIM_R1, Rig::kHbm);
                  sim_cond_load(&c, SIM_R2, SIM_R1, 0);
                  sim_cond_compute_constant(&c, STARS_COND_ADD, SIM_R2, SIM_R2, -1);
                  cond_store(&c, SIM_R1, 0, SIM_R2, STARS_COND_DOUBLE);
                  sim_cond_branch(&c, STARS_COND_EQUAL, SIM_R2, SIM_R0, 0);
                  sim_cond_goto_register(&c, SIM_R0);
                  sim_cond_label(&c, 0);
              }));
    rig.write(0, sqe_event_record(9));
    set_word(rig, 0, 4);
    rig.ring(0, 0);
    rig.run();
    EXPECT_EQ(word_at(rig, 0), 0);
    CU_ASSERT(rig.device().scheduler().events().flag(9));
    EXPECT_EQ(rig.retired(0), 3 * 64 + 3);
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_PROGRAM, 0).size(), 4);
}

// T-COND-6: a queue that works is not moved.
static void test_goto_of_a_busy_queue()
{
    Rig rig;
    rig.open(7);
    rig.put(7, sqe_event_wait(1, 0), 0);
    rig.run();
    expect_failure(rig, sqe_goto(7, 0), STARS_ERROR_CONFLICT, STARS_STATUS_NONE);
    rig.put(0, sqe_event_record(1), rig.now());
    rig.run();
    EXPECT_EQ(rig.retired(7), 1);
    rig.put(0, sqe_goto(7, 0), rig.now()); // enabled and at rest: it runs again
    rig.run();
    EXPECT_EQ(rig.retired(7), 65);
}

// T-SCH-8: the class has its limit.
static void test_class_limit()
{
    Rig rig({}, [](tsim::Params &p) { p.cond_cap.value = 1; });
    for (uint32_t sq = 0; sq < 3; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_cond([](sim_cond &) {}), 0);
    }
    rig.run();
    const auto programs = rig.phases(TWINSIM_PHASE_PROGRAM);
    EXPECT_EQ(programs.size(), 3);
    for (size_t i = 1; i < programs.size(); ++i)
        CU_ASSERT(programs[i].begin_ns >= programs[i - 1].end_ns);
    const auto slots = rig.phases(TWINSIM_PHASE_SLOT);
    EXPECT_EQ(
        std::count_if(slots.begin(), slots.end(),
                      [&](const auto &r) { return r.parameter == rig.params().cond_cap.index; }),
        2);
}

static const twin_test tests[] = {
    {"arithmetic", test_arithmetic},
    {"branches", test_branches},
    {"registers, constants and loads", test_registers_and_memory},
    {"narrow stores", test_narrow_stores},
    {"the time of a program", test_time_of_a_program},
    {"a call and a loop", test_call_and_loop},
    {"bad programs fail", test_bad_programs},
    {"bad addresses fail", test_bad_addresses},
    {"effects before a failure stay", test_what_was_done_stays},
    {"an endless program is cut", test_endless_program},
    {"a jump leaves entries out", test_jump},
    {"a persistent queue runs again and again", test_persistent_queue},
    {"a queue leaves out its rest", test_leaving_out_the_rest},
    {"a queue loops", test_loop_over_a_queue},
    {"a busy queue is not moved", test_goto_of_a_busy_queue},
    {"the class has its limit", test_class_limit},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim cond", tests, TWIN_COUNT(tests), argc, argv);
}
