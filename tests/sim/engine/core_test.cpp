// SPDX-License-Identifier: Apache-2.0
/// The work of a block on its core: pipes, flags, reads and writes; and published figures for many
/// blocks.
#include <algorithm>

#include "kernels.h"

namespace
{

constexpr uint64_t kPc = 7;
constexpr uint32_t S = TWIN_PIPE_SCALAR, V = TWIN_PIPE_VECTOR, M = TWIN_PIPE_CUBE,
                   MTE2 = TWIN_PIPE_MTE2, MTE3 = TWIN_PIPE_MTE3;

/// A core clock of 1 GHz: one cycle is 1 ns.
void even_clock(tsim::Params &p)
{
    p.core_mhz.value = 1000;
}

/// Time of one block's step list, alone on the machine.
uint64_t time_of(const std::vector<StepList> &lists, uint32_t subtype = STARS_KERNEL_AIV,
                 const Rig::Tweak &tweak = even_clock)
{
    KernelRig k(tweak);
    k.kernels.set(kPc, lists);
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(subtype, 1, kPc), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    return k.span(0) - k.start();
}

uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/// Bytes that one part of a read takes per ns at most, times 1000.
uint64_t port(const tsim::Params &p, const tsim::Setting &bytes)
{
    return bytes.value * p.core_mhz.value;
}

/// Runs one kernel with the shipped clock and gives the time of its PIPE operations, first begin to
/// last end.
uint64_t streaming_time(uint32_t subtype, uint32_t blocks, const StepList &list,
                        const Rig::Tweak &tweak = nullptr)
{
    KernelRig k(tweak);
    k.kernels.set(kPc, {list});
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(subtype, blocks, kPc), 0);
    k.rig.run();
    uint64_t begin = UINT64_MAX, end = 0;
    for (const auto &record : k.rig.phases(TWINSIM_PHASE_PIPE)) {
        begin = std::min(begin, record.begin_ns);
        end = std::max(end, record.end_ns);
    }
    return end - begin;
}

} // namespace

// T-CORE-14, T-CORE-15: pipes side by side, each in order; the scalar unit's own work delays the
// operations that it has yet to issue.
static void test_pipes()
{
    EXPECT_EQ(time_of({{work(V, 100), work(V, 50)}}), 150);
    EXPECT_EQ(time_of({{work(V, 100), work(M, 70), work(MTE2, 120)}}), 120);
    EXPECT_EQ(time_of({{work(V, 100), work(S, 30), work(M, 90)}}), 120);
    EXPECT_EQ(time_of({{work(S, 30), work(V, 100), work(S, 30)}}), 130);
    EXPECT_EQ(time_of({{}}), 0);
    EXPECT_EQ(time_of({{work(V, 0)}}), 0);
}

// T-CORE-15: at 1800 MHz many short operations take as long as one long one, not a whole nanosecond
// each.
static void test_core_clock()
{
    const StepList one = {work(V, 1800)};
    const StepList many(1800, work(V, 1));
    EXPECT_EQ(time_of({one}, STARS_KERNEL_AIV, nullptr), 1000);
    const uint64_t time = time_of({many}, STARS_KERNEL_AIV, nullptr);
    CU_ASSERT(time == 1000 || time == 999); // 1800 times less than 2^-20 cycles
}

// T-CORE-16: a wait holds its own pipe only, passes once for each set, and takes no time itself.
static void test_flags()
{
    EXPECT_EQ(time_of({{work(MTE2, 100), set_flag(MTE2, 3), wait_flag(V, 3), work(V, 40)}}), 140);
    EXPECT_EQ(time_of({{wait_flag(V, 3), work(V, 40), work(MTE2, 100), set_flag(MTE2, 3)}}), 140);
    EXPECT_EQ(time_of({{wait_flag(V, 3), work(V, 40), work(M, 90), set_flag(M, 3)}}), 130);
    // Two sets let two waits pass, the second set later.
    EXPECT_EQ(time_of({{set_flag(M, 1), work(M, 100), set_flag(M, 1), wait_flag(V, 1), work(V, 10),
                        wait_flag(V, 1), work(V, 10)}}),
              110);
    // Of two pipes that wait for one flag the lower goes first.
    EXPECT_EQ(time_of({{wait_flag(MTE3, 1), work(MTE3, 10), wait_flag(V, 1), work(V, 50),
                        set_flag(V, 1), work(MTE2, 100), set_flag(MTE2, 1)}}),
              160);
    // Flags begin at 0 with each block.
    KernelRig k([](tsim::Params &p) {
        even_clock(p);
        p.aiv_cores.value = 1;
        p.credit_unit.value = 10000;
    });
    k.kernels.set(1, {{set_flag(V, 9)}, {wait_flag(V, 9)}});
    k.rig.open(0);
    k.rig.put(0, sqe_with_credit(sqe_kernel(STARS_KERNEL_AIV, 2, 1), 1), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.cqe(0, 0).u.error.status, STARS_STATUS_AICORE_TIMEOUT); // T-CORE-10 ends it
}

// T-CORE-17.
static void test_barrier()
{
    const twin_step all = op(S, TWIN_STEP_BARRIER, 0);
    EXPECT_EQ(time_of({{work(V, 100), work(M, 30), all, work(M, 20)}}), 120);
    EXPECT_EQ(time_of({{work(V, 100), work(M, 30), op(M, TWIN_STEP_BARRIER, 0), work(M, 20)}}),
              100);
    EXPECT_EQ(time_of({{all, work(V, 10), all, work(S, 10), all}}), 20);
}

// T-CORE-18: the AIC's wait ends once both of its AIVs have set the flag; each AIV receives a flag
// that the AIC sets.
static void test_cross_core_flags()
{
    const auto set_flag = [](uint32_t pipe, uint32_t flag) {
        return op(pipe, TWIN_STEP_CROSS_CORE_SET, 0, flag);
    };
    const auto wait_flag = [](uint32_t pipe, uint32_t flag) {
        return op(pipe, TWIN_STEP_CROSS_CORE_WAIT, 0, flag);
    };
    const StepList aic = {work(M, 100), set_flag(M, 2), wait_flag(M, 5), work(M, 10)};
    const StepList fast = {wait_flag(V, 2), work(V, 20), set_flag(V, 5)};
    const StepList slow = {wait_flag(V, 2), work(V, 70), set_flag(V, 5)};
    EXPECT_EQ(time_of({aic, fast, slow}, STARS_KERNEL_MIXED), 180);
    EXPECT_EQ(time_of({aic, slow, fast}, STARS_KERNEL_MIXED), 180);
    // An AIV that sets the flag twice does not replace the other.
    const StepList twice = {wait_flag(V, 2), set_flag(V, 5), set_flag(V, 5)};
    EXPECT_EQ(time_of({aic, twice, slow}, STARS_KERNEL_MIXED), 180);
    // Back and forth, a hundred times.
    StepList ping, pong;
    for (int i = 0; i < 100; ++i) {
        for (const twin_step &o : {work(M, 3), set_flag(M, 0), wait_flag(M, 1)})
            ping.push_back(o);
        for (const twin_step &o : {wait_flag(V, 0), work(V, 4), set_flag(V, 1)})
            pong.push_back(o);
    }
    EXPECT_EQ(time_of({ping, pong, pong}, STARS_KERNEL_MIXED), 700);
}

// T-CORE-19, T-LNK-8 to T-LNK-10: alone, a read takes the longer of its two parts at their
// ceilings.
static void test_reads_and_writes()
{
    const tsim::Params &p = shipped_profile().params();
    constexpr uint64_t kBytes = 1 << 20;
    for (const uint64_t hit : {0u, 300u, 1000u}) {
        const uint64_t l2 = kBytes * hit / 1000, rest = kBytes - l2;
        const uint64_t read = std::max(ceil_div(l2 * 1000, port(p, p.core_l2_read)),
                                       ceil_div(rest * 1000, port(p, p.core_gm)));
        const uint64_t write = std::max(ceil_div(l2 * 1000, port(p, p.core_l2_write)),
                                        ceil_div(rest * 1000, port(p, p.core_gm)));
        const auto share = static_cast<uint32_t>(hit);
        EXPECT_EQ(time_of({{read_gm(kBytes, share)}}, STARS_KERNEL_AIC, nullptr), read);
        EXPECT_EQ(time_of({{write_gm(kBytes, share)}}, STARS_KERNEL_AIC, nullptr), write);
        // The default is the profile's.
        const auto tweak = [hit](tsim::Params &q) { q.l2_hit.value = hit; };
        EXPECT_EQ(time_of({{read_gm(kBytes)}}, STARS_KERNEL_AIC, tweak), read);
    }
    EXPECT_EQ(time_of({{read_gm(0)}}), 0);
}

// T-CORE-15, T-CORE-16: load, compute and store of one tile after the other. With one buffer the
// times add up; with two, the longest of the three covers loads and stores, and the vector unit is
// busy nearly all the time.
static void test_double_buffering()
{
    constexpr uint32_t kTiles = 50, kLoad = 60, kCompute = 100, kStore = 40;
    // Flags: 0 + buffer loaded, 2 + buffer free to load, 4 + result ready, 6 + result buffer free.
    const auto tiles = [](uint32_t buffers) {
        StepList out;
        for (uint32_t i = 0; i < buffers; ++i) {
            out.push_back(set_flag(V, 2 + i));
            out.push_back(set_flag(MTE3, 6 + i));
        }
        for (uint32_t t = 0; t < kTiles; ++t) {
            const uint32_t b = t % buffers;
            for (const twin_step &o :
                 {wait_flag(MTE2, 2 + b), work(MTE2, kLoad), set_flag(MTE2, b), wait_flag(V, b),
                  wait_flag(V, 6 + b), work(V, kCompute), set_flag(V, 2 + b), set_flag(V, 4 + b),
                  wait_flag(MTE3, 4 + b), work(MTE3, kStore), set_flag(MTE3, 6 + b)})
                out.push_back(o);
        }
        return out;
    };
    EXPECT_EQ(time_of({tiles(2)}), kLoad + kTiles * kCompute + kStore);
    // One buffer of each: a load waits for the compute before it, a compute for load and store.
    EXPECT_EQ(time_of({tiles(1)}), kTiles * (kLoad + kCompute) + kStore);
}

// T-LNK-9, T-LNK-10 and published figures: one core has 57 bytes a cycle of 1.8 GHz; 20 cube cores
// and 40 vector cores share HBM and never have more. With what rows cost (T-L2-7) that is the 1.49
// TB/s that 48 cores reach with rows of 2048 bytes, and 24 times the 58.7 GB/s of a core with rows
// of 512 (asc-devkit, best practices of data copies), within 0.1 %.
static void test_hbm()
{
    const tsim::Params &p = shipped_profile().params();
    constexpr uint64_t kBytes = 64 << 20;
    const auto aics = static_cast<uint32_t>(p.aic_cores.value);
    const auto aivs = static_cast<uint32_t>(p.aiv_cores.value);
    EXPECT_EQ(aics, 20);
    EXPECT_EQ(port(p, p.core_gm), 102600); // MB/s
    const auto in_rows_of = [&p](uint64_t bytes) {
        return p.hbm_mb_s() * bytes / (bytes + p.hbm_row.value);
    };
    EXPECT_EQ((in_rows_of(2048) + 745) / 1490, 1000);
    EXPECT_EQ((in_rows_of(512) * 10 + 7044) / 14088, 1000);

    EXPECT_EQ(streaming_time(STARS_KERNEL_AIC, 1, {read_gm(kBytes)}),
              ceil_div(kBytes * 1000, port(p, p.core_gm)));
    const uint64_t most = ceil_div(kBytes * aics * 1000, p.hbm_mb_s());
    const uint64_t cube = streaming_time(STARS_KERNEL_AIC, aics, {read_gm(kBytes)});
    CU_ASSERT(cube >= most && cube <= most + most / 1000);

    const uint64_t best = ceil_div(kBytes * aivs * 1000, p.hbm_mb_s());
    const uint64_t vector = streaming_time(STARS_KERNEL_AIV, aivs, {read_gm(kBytes)});
    CU_ASSERT(vector >= best);
    CU_ASSERT(vector <= best + best / 1000);

    // Bytes from L2 do not load HBM: half of the bytes, half of the time.
    const uint64_t half = streaming_time(STARS_KERNEL_AIV, aivs, {read_gm(kBytes, 500)});
    CU_ASSERT(half >= best / 2 && half <= best / 2 + best / 1000);

    // And L2 itself is never faster than its peak.
    const auto slow = [](tsim::Params &q) { q.l2_peak.value = 1300000; };
    const uint64_t l2 = streaming_time(STARS_KERNEL_AIV, aivs, {read_gm(kBytes, 1000)}, slow);
    const uint64_t least = ceil_div(kBytes * aivs * 1000, 1300000);
    CU_ASSERT(l2 >= least && l2 <= least + least / 1000);
}

// T-LNK-3, T-LNK-9: a copy on the SDMA and a kernel share HBM.
static void test_kernel_and_copy_share_hbm()
{
    const tsim::Params &p = shipped_profile().params();
    KernelRig k;
    const auto aivs = static_cast<uint32_t>(p.aiv_cores.value);
    k.kernels.set(kPc, {{read_gm(64 << 20)}});
    k.rig.open(0);
    k.rig.open(1);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, aivs, kPc), 0);
    k.rig.put(1, sqe_sdma(Rig::kHbm, Rig::kHbm + (64 << 20), 64 << 20), 0);
    k.rig.run();
    const auto copy = k.rig.phases(TWINSIM_PHASE_TRANSFER, 1).at(0);
    // Max-min fair: the copy, which loads HBM twice, gets the rate of one core's read while all of
    // them read.
    const uint64_t alone = ceil_div((uint64_t{64} << 20) * 2 * 1000, p.hbm_mb_s());
    const uint64_t shared = ceil_div((uint64_t{64} << 20) * (aivs + 2) * 1000, p.hbm_mb_s());
    CU_ASSERT(copy.end_ns - copy.begin_ns > alone);
    CU_ASSERT(copy.end_ns - copy.begin_ns <= shared + shared / 1000);
    CU_ASSERT(copy.end_ns - copy.begin_ns >= shared - shared / 100);
}

static twin_step in_host(twin_step step)
{
    step.flag = TWIN_STEP_IN_HOST;
    return step;
}

// T-CORE-21, T-LNK-11: memory of the host is as near as PCIe, in each direction alone; many cores
// share it, and a step beside them that reads device memory does not wait.
static void test_memory_of_the_host()
{
    const tsim::Params &p = shipped_profile().params();
    constexpr uint64_t kBytes = 1 << 20;
    const uint64_t down = ceil_div(kBytes * 1000, p.pcie_to_device.value);
    const uint64_t up = ceil_div(kBytes * 1000, p.pcie_to_host.value);
    const auto alone = [](const StepList &list) {
        return time_of({list}, STARS_KERNEL_AIC, nullptr);
    };
    EXPECT_EQ(alone({in_host(read_gm(kBytes))}), down);
    EXPECT_EQ(alone({in_host(write_gm(kBytes))}), up);
    EXPECT_EQ(alone({in_host(read_gm(kBytes)), in_host(write_gm(kBytes))}), std::max(down, up));
    EXPECT_EQ(alone({in_host(read_gm(kBytes, 1000))}), down); // L2 has none of it
    EXPECT_EQ(alone({in_host(read_gm(0))}), 0);
    const auto fast = [](tsim::Params &q) { q.pcie_to_device.value = 10000000; };
    EXPECT_EQ(time_of({{in_host(read_gm(kBytes))}}, STARS_KERNEL_AIC, fast),
              ceil_div(kBytes * 1000, port(p, p.core_gm)));
    constexpr uint32_t kCores = 8;
    const uint64_t shared = streaming_time(STARS_KERNEL_AIV, kCores, {in_host(read_gm(kBytes))});
    CU_ASSERT(shared >= ceil_div(kBytes * kCores * 1000, p.pcie_to_device.value));
    CU_ASSERT(shared <= kCores * down + kCores * p.core_issue.value);
}

// T-LNK-11: a copy from the host gets half of PCIe while a core reads memory of the host.
static void test_kernel_and_copy_share_pcie()
{
    constexpr uint64_t kBytes = 16 << 20;
    KernelRig k;
    k.kernels.set(kPc, {{in_host(read_gm(4 * kBytes))}});
    k.rig.open(0);
    k.rig.open(1);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, 1, kPc), 0);
    k.rig.put(1, sqe_pcie_dma(Rig::kHbm, Rig::kHost, kBytes), 0);
    k.rig.run();
    const auto copy = k.rig.phases(TWINSIM_PHASE_TRANSFER, 1).at(0);
    const uint64_t half = ceil_div(kBytes * 2 * 1000, k.rig.params().pcie_to_device.value);
    CU_ASSERT(copy.end_ns - copy.begin_ns >= half - 1);
    CU_ASSERT(copy.end_ns - copy.begin_ns <= half + 1);
}

// T-LNK-6: a read of many bytes is as few events as one of few.
static void test_work_does_not_grow_with_bytes()
{
    uint32_t steps[2] = {0, 0};
    const uint64_t bytes[2] = {4096, uint64_t{1} << 30};
    for (int i = 0; i < 2; ++i) {
        KernelRig k;
        k.kernels.set(kPc, {{read_gm(bytes[i], 500), write_gm(bytes[i])}});
        k.rig.open(0);
        k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, 4, kPc), 0);
        while (k.rig.system().run(TWINSIM_NEVER, 1) == TWINSIM_STOP_CHUNK)
            ++steps[i];
        EXPECT_EQ(k.rig.retired(0), 1);
    }
    EXPECT_EQ(steps[0], steps[1]);
}

// T-CORE-27: a count is in the trace and takes no time.
static void test_counts()
{
    uint64_t ends[2] = {};
    for (int i = 0; i < 2; ++i) {
        KernelRig k;
        StepList list = {work(V, 1800)};
        if (i == 1)
            list.push_back({V, TWIN_STEP_COUNT, TWIN_COUNT_FP32, TWIN_HIT_DEFAULT, 0, 77, 0, 0, 0});
        k.kernels.set(kPc, {list});
        k.rig.open(0);
        k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, 1, kPc), 0);
        k.rig.run();
        const auto records = k.rig.phases(TWINSIM_PHASE_PIPE);
        CU_ASSERT_EQUAL_FATAL(records.size(), size_t(1 + i));
        ends[i] = k.rig.phases(TWINSIM_PHASE_BLOCK).at(0).end_ns;
        const auto &last = records.back();
        if (i == 1) {
            EXPECT_EQ(last.bytes, 77);
            EXPECT_EQ(TWINSIM_PIPE_KIND_OF(&last), TWIN_STEP_COUNT);
            EXPECT_EQ(TWINSIM_PIPE_FLAG_OF(&last), TWIN_COUNT_FP32);
        }
    }
    EXPECT_EQ(ends[0], ends[1]);
}

// T-CORE-20, and the trace: an operation's entry names core, pipe, block, bytes and the parameter
// that its length depends on.
static void test_trace()
{
    KernelRig k;
    const tsim::Params &p = k.rig.params();
    k.kernels.set(kPc, {{work(V, 1800), read_gm(1 << 20, 0)}});
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, 2, kPc), 0);
    k.rig.run();
    auto records = k.rig.phases(TWINSIM_PHASE_PIPE);
    EXPECT_EQ(records.size(), 4);
    for (const auto &record : records) {
        const bool moves = TWINSIM_PIPE_OF(&record) == MTE2;
        EXPECT_EQ(record.engine, TWINSIM_ENGINE_AIV);
        EXPECT_EQ(record.id, record.waker_number & UINT32_MAX); // core n has block n
        EXPECT_EQ(record.bytes, moves ? 1 << 20 : 0);
        EXPECT_EQ(record.parameter, moves ? p.core_gm.index : p.core_mhz.index);
        EXPECT_EQ(record.sq, 0);
        EXPECT_EQ(record.number, 1);
        EXPECT_EQ(record.task_id, 1);
    }
    const auto blocks = k.rig.phases(TWINSIM_PHASE_BLOCK);
    EXPECT_EQ(blocks.size(), 2);
    uint64_t last = 0;
    for (const auto &record : records) {
        if (record.id == blocks.at(0).id)
            last = std::max(last, record.end_ns);
    }
    EXPECT_EQ(blocks.at(0).end_ns, last);
}

// T-CORE-18: a flag is set at 1 / 1.8 of a cycle; a core that waits for it at that time goes on at
// the next edge.
static void test_seen_at_the_edge()
{
    constexpr uint64_t kAfter = 8;
    KernelRig k;
    const tsim::Params &p = k.rig.params();
    EXPECT_EQ(p.cycle_ns, 1);
    const uint64_t edge = ceil_div(1000, p.core_mhz.value);
    const uint64_t end = ceil_div(edge * p.core_mhz.value + kAfter * 1000, p.core_mhz.value);
    CU_ASSERT(end > ceil_div((1 + kAfter) * 1000, p.core_mhz.value)); // without the edge
    const uint32_t aivs = static_cast<uint32_t>(p.aiv_cores.value / p.aic_cores.value);
    std::vector<StepList> lists(
        1 + aivs, {work(S, 1), op(S, TWIN_STEP_CROSS_CORE_WAIT, 0, 1), work(S, kAfter)});
    lists[0] = {work(S, 1), op(S, TWIN_STEP_CROSS_CORE_SET, 0, 1)};
    k.kernels.set(kPc, lists);
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_MIXED, 1, kPc), 0);
    k.rig.run();
    EXPECT_EQ(k.span(0), k.start() + end);
}

// T-CORE-18: any number of flags may go to and fro in one instant.
static void test_many_flags()
{
    constexpr uint32_t kRounds = 200000;
    KernelRig k;
    const uint32_t aivs = static_cast<uint32_t>(k.rig.params().aiv_cores.value) /
                          static_cast<uint32_t>(k.rig.params().aic_cores.value);
    StepList aic, aiv;
    for (uint32_t i = 0; i < kRounds; ++i) {
        aic.push_back(op(S, TWIN_STEP_CROSS_CORE_SET, 0, 1));
        aic.push_back(op(S, TWIN_STEP_CROSS_CORE_WAIT, 0, 2));
        aiv.push_back(op(S, TWIN_STEP_CROSS_CORE_WAIT, 0, 1));
        aiv.push_back(op(S, TWIN_STEP_CROSS_CORE_SET, 0, 2));
    }
    std::vector<StepList> lists(1 + aivs, aiv);
    lists[0] = aic;
    k.kernels.set(kPc, lists);
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_MIXED, 2, kPc), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    EXPECT_EQ(k.span(0), k.start() + k.rig.params().core_issue.value); // words take no time
}

static const twin_test tests[] = {
    {"pipes run side by side, each in order", test_pipes},
    {"short operations are not rounded up", test_core_clock},
    {"flags order pipes", test_flags},
    {"a barrier drains all pipes", test_barrier},
    {"the cores of a mixed block set flags and wait for them", test_cross_core_flags},
    {"a flag is received at the next edge", test_seen_at_the_edge},
    {"the cores of a block exchange any number of flags", test_many_flags},
    {"reads and writes keep to their port's ceilings", test_reads_and_writes},
    {"double buffering hides loads and stores", test_double_buffering},
    {"many cores share HBM and L2 and never exceed them", test_hbm},
    {"a kernel and a copy share HBM", test_kernel_and_copy_share_hbm},
    {"a kernel and a copy share PCIe", test_kernel_and_copy_share_pcie},
    {"a kernel on memory of the host has the rate of PCIe", test_memory_of_the_host},
    {"a long read takes no more steps than a short one", test_work_does_not_grow_with_bytes},
    {"the trace has each operation of a block", test_trace},
    {"a count is in the trace and takes no time", test_counts},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim core", tests, TWIN_COUNT(tests), argc, argv);
}
