// SPDX-License-Identifier: Apache-2.0
/// COND programs that poll memory.
#include "cond_sqe.h"
#include "kernels.h"

// T-COND-8, T-COND-10, T-TIM-8: it parks, without an event; no other queue is disturbed.
static void test_poll_parks()
{
    Rig rig;
    rig.open(0);
    rig.put(0, sqe_poll(0, 0, Rig::kHbm + 256, 5), 0);
    rig.run();
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_PARKED);
    twinsim_queue_info info{};
    rig.device().scheduler().inspect(0, info);
    EXPECT_EQ(info.wait_address, Rig::kHbm + 256);
    EXPECT_EQ(info.wait_id, tsim::kNone);
    const uint64_t parked = rig.now();
    EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_IDLE);
    EXPECT_EQ(rig.now(), parked);
    rig.open(1); // beside the word
    rig.put(1, sqe_write_value(Rig::kHbm + 264, 3, 9), parked);
    rig.put(1, sqe_write_value(Rig::kHbm + 248, 3, 9), parked);
    rig.run();
    EXPECT_EQ(rig.retired(0), 0);
    EXPECT_EQ(rig.now(), rig.retired_at(1, 2));
}

// T-COND-9, T-COND-10: each kind of store is seen at the next turn, and only if it is enough.
static void test_poll_sees_stores()
{
    const auto run = [](const std::function<void(Rig &)> &store) {
        Rig rig;
        rig.open(0);
        rig.open(1);
        rig.put(0, sqe_poll(0, 0, Rig::kHbm + 256, 5), 0);
        rig.put(0, sqe_placeholder(), 0);
        rig.run();
        const uint64_t parked = rig.now();
        const uint64_t turn = rig.params().cond_poll.value;
        rig.put(1, sqe_write_value(Rig::kHbm + 256, 3, 4), parked); // not enough
        rig.run();
        EXPECT_EQ(rig.retired(0), 0);
        EXPECT_EQ((rig.now() - parked) % turn, 0); // it has looked
        store(rig);
        rig.run();
        EXPECT_EQ(rig.retired(0), 2);
        const auto parks = rig.phases(TWINSIM_PHASE_PARK, 0);
        EXPECT_EQ(parks.size(), 1);
        EXPECT_EQ(parks.at(0).begin_ns, parked);
        EXPECT_EQ((parks.at(0).end_ns - parked) % turn, 0);
        return parks.at(0).end_ns;
    };
    const auto expect_turn_after = [](uint64_t end, uint64_t stored, uint64_t turn) {
        CU_ASSERT(end > stored && end - stored <= turn);
    };
    uint64_t stored = 0;
    uint64_t turn = 0;
    uint64_t end = run([&](Rig &rig) {
        turn = rig.params().cond_poll.value;
        rig.put(1, sqe_write_value(Rig::kHbm + 256, 3, 5), rig.now());
        rig.device().scheduler().watch(1, 2);
        EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_WATCH);
        stored = rig.now() - rig.params().retire.value;
    });
    expect_turn_after(end, stored, turn);
    end = run([&](Rig &rig) {
        rig.put(1, sqe_sdma_fill(Rig::kHbm + 260, 1, 1), rig.now()); // one byte of it
        rig.device().scheduler().watch(1, 2);
        EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_WATCH);
        stored = rig.now() - rig.params().retire.value;
    });
    expect_turn_after(end, stored, turn);
    twinsim_transfer transfer{};
    end = run([&](Rig &rig) {
        rig.host()[0] = 7;
        transfer.dst = Rig::kHbm + 256;
        transfer.src = Rig::kHost;
        transfer.bytes = 8;
        transfer.start_ns = rig.now();
        rig.device().host_dma().post(&transfer);
        EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_WATCH);
        stored = transfer.done_ns;
    });
    expect_turn_after(end, stored, turn);
    end = run([&](Rig &rig) { // the host
        stored = rig.now();
        set_word(rig, 256, 6);
    });
    expect_turn_after(end, stored, turn);
    end = run([&](Rig &rig) { // another program
        rig.put(1, sqe_cond([](sim_cond &c) {
                    sim_cond_constant(&c, SIM_R1, Rig::kHbm);
                    cond_store(&c, SIM_R1, 256, SIM_R1, STARS_COND_DOUBLE);
                }),
                rig.now());
        rig.device().scheduler().watch(1, 2);
        EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_WATCH);
        stored = rig.phases(TWINSIM_PHASE_PROGRAM, 1).at(0).begin_ns;
    });
    expect_turn_after(end, stored, turn);
}

// T-COND-9: it is a level: what has gone again by the turn was not there.
static void test_poll_misses_what_goes()
{
    Rig rig({}, [](tsim::Params &p) { p.cond_poll.value = 1000000; });
    rig.open(0);
    rig.open(1);
    rig.put(0, sqe_poll(0, 0, Rig::kHbm + 256, 5), 0);
    rig.put(1, sqe_write_value(Rig::kHbm + 256, 3, 5), 10000);
    rig.put(1, sqe_write_value(Rig::kHbm + 256, 3, 0), 10000);
    rig.run();
    EXPECT_EQ(rig.retired(0), 0);
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_PARKED);
    rig.put(1, sqe_write_value(Rig::kHbm + 256, 3, 5), rig.now());
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
}

// T-COND-8: a store while the program takes its time is not missed; a word that is right passes at
// once.
static void test_poll_begins()
{
    Rig rig;
    rig.open(0);
    rig.put(0, sqe_poll(0, 0, Rig::kHbm + 256, 5), 0);
    rig.device().scheduler().watch(0, 1);
    const tsim::Params &p = rig.params();
    EXPECT_EQ(rig.run_until(p.arbitration.value + p.record_read.value + p.slot_enable.value +
                            p.fetch_read.value + p.decode.value + 1),
              TWINSIM_STOP_LIMIT);
    set_word(rig, 256, 5);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_PARK, 0).size(), 1);
    rig.put(0, sqe_poll(0, 1, Rig::kHbm + 256, 5), rig.now());
    rig.run();
    EXPECT_EQ(rig.retired(0), 2);
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_PARK, 0).size(), 1);
}

// T-COND-11, T-TIM-9.
static void test_poll_has_its_limit()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    rig.put(0, sqe_with_credit(sqe_poll(0, 0, Rig::kHbm + 256, 5), 2), 0);
    EXPECT_EQ(rig.run_held(TWINSIM_NEVER), TWINSIM_STOP_HELD);
    const uint64_t parked = rig.now();
    rig.put(1, sqe_write_value(Rig::kHbm + 256, 3, 4), rig.now()); // a turn in between
    rig.run();
    EXPECT_EQ(rig.cqe(0, 0).u.error.code, STARS_ERROR_TIMEOUT);
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_PARK, 0).at(0).end_ns,
              parked + 2 * rig.params().credit_unit.value);
}

// T-SCH-14, T-SCH-15: a queue that polls can be killed and closed; the others go on polling.
static void test_poll_ends_with_its_queue()
{
    Rig rig;
    for (uint32_t sq = 0; sq < 4; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_poll(sq, 0, Rig::kHbm + 256, 5), 0);
    }
    rig.run();
    CU_ASSERT(rig.device().scheduler().control(0, STARS_SQ_CONTROL_TASK_KILL));
    CU_ASSERT(rig.device().scheduler().control(0, STARS_SQ_CONTROL_TASK_TERMINATE));
    rig.device().scheduler().close(1);
    set_word(rig, 256, 5);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_PROGRAM, 0).size(), 1);
    EXPECT_EQ(rig.retired(2), 1);
    EXPECT_EQ(rig.retired(3), 1);
    rig.put(2, sqe_poll(2, 1, Rig::kHbm + 256, 6), rig.now());
    rig.run();
    rig.device().reset();
    EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_IDLE);
}

// T-COND-8: a program that reads more words than are kept in mind looks after every store.
static void test_poll_of_many_words()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    rig.put(0,
            sqe_call(rig, 4096,
                     [](sim_cond &c) {
                         sim_cond_constant(&c, SIM_R1, Rig::kHbm);
                         for (int i = 0; i < 6; ++i) {
                             sim_cond_load(&c, SIM_R2, SIM_R1, 8 * i);
                             sim_cond_branch(&c, STARS_COND_NOT_EQUAL, SIM_R2, SIM_R0, 0);
                         }
                         sim_cond_goto(&c, 0, 0);
                         sim_cond_label(&c, 0);
                     }),
            0);
    rig.run();
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_PARKED);
    rig.put(1, sqe_write_value(Rig::kHbm + 40, 3, 1), rig.now());
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
}

// T-COND-10, T-CORE-8: what a kernel changes is seen at the next turn after its effect, wherever
// the driver says it was.
static void test_poll_sees_kernels()
{
    KernelRig k;
    k.kernels.set(1, {{work(TWIN_PIPE_VECTOR, 5000)}});
    k.rig.open(0);
    k.rig.open(1);
    k.rig.put(0, sqe_poll(0, 0, Rig::kHbm + 256, 5), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_PARKED);
    const uint64_t parked = k.rig.now();
    k.kernels.on_effect = [&] {
        const uint64_t value = 5;
        std::memcpy(k.rig.hbm(256), &value, sizeof(value));
    };
    k.rig.put(1, sqe_kernel(STARS_KERNEL_AIV, 3, 1), k.rig.now() + 700);
    // One run: a new one would look for stores of the host.
    EXPECT_EQ(k.rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_IDLE);
    EXPECT_EQ(k.rig.retired(1), 1);
    CU_ASSERT_EQUAL_FATAL(k.rig.retired(0), 1);
    const auto park = k.rig.phases(TWINSIM_PHASE_PARK, 0).at(0);
    const uint64_t turn = k.rig.params().cond_poll.value;
    const uint64_t changed = k.rig.phases(TWINSIM_PHASE_KERNEL, 1).at(0).end_ns;
    EXPECT_EQ(park.begin_ns, parked);
    EXPECT_EQ(park.end_ns, parked + ((changed - parked) / turn + 1) * turn);
}

static const twin_test tests[] = {
    {"a program that polls parks", test_poll_parks},
    {"a poll sees every kind of store at its turn", test_poll_sees_stores},
    {"a poll sees changes by a kernel", test_poll_sees_kernels},
    {"a poll misses a value that goes again", test_poll_misses_what_goes},
    {"a poll begins", test_poll_begins},
    {"a poll has its time limit", test_poll_has_its_limit},
    {"a poll ends with its queue", test_poll_ends_with_its_queue},
    {"a poll of many words", test_poll_of_many_words},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim poll", tests, TWIN_COUNT(tests), argc, argv);
}
