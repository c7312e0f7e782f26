// SPDX-License-Identifier: Apache-2.0
/// Faulty memory: the task that touched it says so, and no other does, whatever else is looked up
/// before it fails. Rule T-FLT-4.
#include "cond_sqe.h"

namespace
{

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kBad = 100 * kMiB;  // faulty bytes, in HBM
constexpr uint64_t kHole = 120 * kMiB; // nothing answers there
constexpr uint32_t kOthers = 8;        // queues 1 and up

/// A system with one faulty word and one hole, queue 0 for the task in question and others around
/// it.
class Bench
{
  public:
    /// The fault hits from the `first` access on, each; with another than 1 once.
    explicit Bench(uint64_t seed, uint64_t first = 1) : rig_(options(seed), nullptr)
    {
        twinsim_fault fault{};
        fault.kind = TWINSIM_FAULT_MEMORY;
        fault.device = fault.stream = fault.task = fault.id = TWINSIM_ANY;
        fault.first = first;
        fault.times = first == 1 ? 0 : 1;
        fault.access = TWINSIM_FAULT_READ;
        fault.address = Rig::kHbm + kBad;
        fault.bytes = 8;
        CU_ASSERT_PTR_NULL(tsim::FaultPlan::check(fault));
        number_ = rig_.system().faults().inject(fault);
        rig_.unmap(Rig::kHbm + kHole);
        for (uint32_t sq = 0; sq <= kOthers; ++sq)
            rig_.open(sq, 0, 256);
    }
    Rig &rig() { return rig_; }
    uint64_t triggered()
    {
        uint64_t times = 0;
        CU_ASSERT(rig_.system().faults().triggered(number_, times));
        return times;
    }
    /// Good stores by the other queues, every few ns until `until_ns`.
    void store_until(uint64_t until_ns)
    {
        constexpr uint64_t kEach = 200;
        for (uint64_t i = 0; i < kEach * kOthers; ++i) {
            const auto sq = static_cast<uint32_t>(1 + i % kOthers);
            rig_.put(sq, sqe_write_value(Rig::kHbm + kMiB + 64 * sq, 3, i),
                     i * until_ns / (kEach * kOthers));
        }
    }
    void expect(uint32_t sq, uint32_t status)
    {
        EXPECT_EQ(rig_.state(sq), TWINSIM_QUEUE_EXCEPTION);
        EXPECT_EQ(rig_.cqe(sq, 0).u.error.code, STARS_ERROR_EXCEPTION);
        EXPECT_EQ(rig_.cqe(sq, 0).u.error.status, status);
    }

  private:
    static Rig::Options options(uint64_t seed)
    {
        Rig::Options options;
        options.seed = seed;
        return options;
    }
    Rig rig_;
    uint32_t number_ = 0;
};

stars_dma_descriptor to_host(uint64_t host, uint64_t hbm, uint32_t bytes)
{
    stars_dma_descriptor d{};
    d.word[0] = STARS_DMA_WRITE;
    d.word[3] = bytes;
    d.word[4] = static_cast<uint32_t>(Rig::kHbm + hbm);
    d.word[5] = static_cast<uint32_t>((Rig::kHbm + hbm) >> 32);
    d.word[6] = static_cast<uint32_t>(Rig::kHost + host);
    return d;
}

void put_list(Rig &rig, uint64_t at, const std::vector<stars_dma_descriptor> &list)
{
    std::memcpy(rig.hbm(at), list.data(), list.size() * sizeof(list[0]));
    stars_sqe sqe = sqe_pcie_dma(0, 0, 0);
    sqe.word[4] = static_cast<uint32_t>(Rig::kHbm + at);
    sqe.word[5] = static_cast<uint32_t>((Rig::kHbm + at) >> 32);
    sqe.word[6] = static_cast<uint32_t>(list.size());
    sqe.word[7] = STARS_W7_CONVERTED;
    rig.put(0, sqe, 0);
}

} // namespace

// T-DMA-30: with a seed memory is looked up before the copy fails.
static void test_copies()
{
    for (uint64_t seed = 0; seed < 20; ++seed) {
        Bench bench(seed);
        bench.rig().put(0, sqe_sdma(Rig::kHbm, Rig::kHbm + kBad - kMiB, 8 * kMiB), 0);
        bench.store_until(60000);
        bench.rig().run();
        bench.expect(0, STARS_STATUS_POISON);
    }
}

// An address that leads nowhere is found out without an access, and that before or after the faulty
// copy's effect.
static void test_no_status_of_others()
{
    for (uint64_t seed = 0; seed < 20; ++seed) {
        Bench bench(seed);
        bench.rig().put(0, sqe_sdma(Rig::kHbm, Rig::kHbm + kBad - kMiB, 8 * kMiB), 0);
        for (uint32_t sq = 1; sq <= kOthers; ++sq) {
            const uint64_t at = uint64_t{sq} * 4000;
            bench.rig().put(sq,
                            sq % 2 == 0 ? sqe_sdma(Rig::kHbm, Rig::kHbm + kHole, 64)
                                        : sqe_write_value(STARS_PEER_BASE - 8, 3, 1),
                            at);
        }
        bench.rig().run();
        bench.expect(0, STARS_STATUS_POISON);
        for (uint32_t sq = 1; sq <= kOthers; ++sq)
            bench.expect(sq, STARS_STATUS_BUS_FAULT);
    }
}

// T-COND-3: a program takes its time after its last read.
static void test_programs()
{
    for (const bool hole : {false, true}) {
        Bench bench(0);
        const uint64_t at = hole ? kHole : kBad;
        bench.rig().put(0, sqe_cond([=](sim_cond &c) {
                            // each access adds to the time that the program takes at its end
                            for (const uint64_t from : {8 * kMiB, 9 * kMiB, 10 * kMiB, at})
                                sim_cond_load_address(&c, SIM_R1, Rig::kHbm + from,
                                                      STARS_COND_DOUBLE);
                        }),
                        0);
        bench.store_until(20000);
        bench.rig().run();
        bench.expect(0, hole ? STARS_STATUS_BUS_FAULT : STARS_STATUS_POISON);
    }
}

// T-DMA-45: what else of the list moves completes first.
static void test_lists()
{
    for (uint64_t seed = 0; seed < 8; ++seed) {
        Bench entry(seed);
        put_list(entry.rig(), 4 * kMiB,
                 {to_host(0, kBad, 64), to_host(kMiB, 8 * kMiB, 256 * kKiB)});
        entry.store_until(60000);
        entry.rig().run();
        entry.expect(0, STARS_STATUS_POISON);

        Bench line(seed);
        std::vector<stars_dma_descriptor> list(line.rig().params().list_window.value + 1,
                                               to_host(kMiB, 8 * kMiB, 256 * kKiB));
        // The fault is in the second line of the list itself.
        put_list(line.rig(), kBad - (list.size() - 1) * sizeof(list[0]), list);
        line.store_until(60000);
        line.rig().run();
        line.expect(0, STARS_STATUS_POISON);
    }
}

// T-DMA-27: rows are looked up one by one where their spans are not whole.
static void test_rows()
{
    Bench bench(0);
    // The hole is between two rows of the destination.
    bench.rig().put(
        0, sqe_sdma_rows(Rig::kHbm + kHole - kMiB, 2 * kMiB, Rig::kHbm + kBad - kMiB, kMiB, 64, 3),
        0);
    bench.rig().run();
    bench.expect(0, STARS_STATUS_POISON);
}

// T-FLT-4: bytes between rows do not belong to the copy, those of a row do.
static void test_between_rows()
{
    for (const bool hit : {false, true}) {
        Bench bench(0);
        *bench.rig().hbm(kBad - 64) = 3;
        bench.rig().put(
            0, sqe_sdma_rows(Rig::kHbm, 64, Rig::kHbm + kBad - 64, 128, hit ? 65 : 64, 3), 0);
        bench.rig().run();
        EXPECT_EQ(bench.triggered(), hit ? 1 : 0);
        EXPECT_EQ(bench.rig().system().faults().errors(0, nullptr, 0), hit ? 1 : 0);
        EXPECT_EQ(bench.rig().retired(0), hit ? 0 : 1);
        EXPECT_EQ(*bench.rig().hbm(), hit ? 0 : 3);
    }
}

// T-COND-8: after each store a polling queue tests whether another turn would have a new outcome.
// This test is not an access: the second turn is the first to be hit.
static void test_looks_of_a_poll()
{
    Bench bench(0, 2);
    bench.rig().put(0, sqe_poll(0, 0, Rig::kHbm + kBad, 5), 0);
    bench.rig().run_until(20000);
    EXPECT_EQ(bench.rig().state(0), TWINSIM_QUEUE_PARKED);
    bench.rig().put(1, sqe_write_value(Rig::kHbm + kBad, 3, 1), 20000); // not enough: it stays
    bench.rig().run_until(40000);
    EXPECT_EQ(bench.rig().state(0), TWINSIM_QUEUE_PARKED);
    EXPECT_EQ(bench.triggered(), 0);
    bench.rig().put(1, sqe_write_value(Rig::kHbm + kBad, 3, 5), 40000);
    bench.rig().run();
    bench.expect(0, STARS_STATUS_POISON);
    EXPECT_EQ(bench.triggered(), 1);
}

static const twin_test tests[] = {
    {"a copy that reads faulty memory says so at its end", test_copies},
    {"a task whose address leads nowhere says that and nothing else", test_no_status_of_others},
    {"a program that reads faulty memory says so when its time is over", test_programs},
    {"a list reports the status of its entry when the others have ended", test_lists},
    {"a row that reads faulty memory says so", test_rows},
    {"a fault between rows hits no copy", test_between_rows},
    {"a queue that polls is hit when it reads, not when it looks", test_looks_of_a_poll},
};

int main(int argc, char **argv)
{
    return twin_run_suite("fault_status", tests, TWIN_COUNT(tests), argc, argv);
}
