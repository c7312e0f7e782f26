// SPDX-License-Identifier: Apache-2.0
/// Reads and writes whose address is known: L2, HBM, latencies, alignment (T-CORE-22, T-CORE-23),
/// and whole kernels against published times. The 910B3 has 1800 MHz, and 57 bytes a cycle to HBM
/// (102600 MB/s), 59 from L2 to UB (106200 MB/s), 78 to L1 (140400), 109 from UB (196200) and 41
/// from L0C (73800); a hit takes 50 cycles, a miss 150 more.
/// A row that is not in L2 costs HBM 40 bytes.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "kernels.h"

namespace
{

constexpr uint64_t kPc = 7;
constexpr uint64_t kAt = Rig::kHbm;
constexpr uint32_t S = TWIN_PIPE_SCALAR, V = TWIN_PIPE_VECTOR, MTE2 = TWIN_PIPE_MTE2,
                   MTE3 = TWIN_PIPE_MTE3, FIX = TWIN_PIPE_FIX;

twin_step placed(uint32_t pipe, uint32_t kind, uint64_t address, uint64_t bytes, uint32_t flag = 0)
{
    twin_step out = op(pipe, kind, bytes, flag);
    out.address = address;
    return out;
}
twin_step read_at(uint64_t address, uint64_t bytes, uint32_t flag = 0)
{
    return placed(MTE2, TWIN_STEP_READ, address, bytes, flag);
}
twin_step write_at(uint64_t address, uint64_t bytes, uint32_t flag = 0)
{
    return placed(MTE3, TWIN_STEP_WRITE, address, bytes, flag);
}
twin_step in_rows(twin_step step, uint32_t rows, uint32_t pitch)
{
    step.row_bytes = static_cast<uint32_t>(step.amount / rows);
    step.pitch = pitch;
    return step;
}
twin_step rows_at(uint64_t address, uint32_t rows, uint32_t row_bytes, uint32_t pitch)
{
    return in_rows(read_at(address, uint64_t{rows} * row_bytes), rows, pitch);
}

/// Blocks of one kernel, from the end of their start to the end of the last.
uint64_t time_of(const StepList &list, uint32_t subtype = STARS_KERNEL_AIV,
                 const Rig::Tweak &tweak = nullptr)
{
    KernelRig k(tweak);
    k.kernels.set(kPc, {list});
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(subtype, 1, kPc), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    return k.span(0) - k.start();
}

/// ns of `bytes` at so many MB/s, in whole cycles of 1 ns.
uint64_t at_rate(uint64_t bytes, uint64_t mb_s)
{
    return (bytes * 1000 + mb_s - 1) / mb_s;
}
/// ns of cycles of 1800 MHz, to the next edge.
uint64_t cycles(uint64_t count)
{
    return (count * 1000 + 1799) / 1800;
}

constexpr uint64_t kMiB = 1 << 20;

void slow_hbm(tsim::Params &p)
{
    p.hbm_peak.value = 10000;
    p.hbm_effective.value = 1000;
}

} // namespace

// T-CORE-22, T-CORE-23: the first read misses, the second hits; what follows on the pipe does not
// wait for a latency, the block's end does.
static void test_hits_and_misses()
{
    EXPECT_EQ(time_of({read_at(kAt, kMiB)}), at_rate(kMiB, 102600) + cycles(200));
    EXPECT_EQ(time_of({read_at(kAt, kMiB), read_at(kAt, kMiB)}),
              at_rate(kMiB, 102600) + at_rate(kMiB, 106200) + cycles(50));
    EXPECT_EQ(time_of({read_at(kAt, kMiB), read_at(kAt, kMiB)}, STARS_KERNEL_AIC),
              at_rate(kMiB, 102600) + at_rate(kMiB, 140400) + cycles(50));
    // Writes come into L2 and have no latency, except those for one use.
    EXPECT_EQ(time_of({write_at(kAt, kMiB)}), at_rate(kMiB, 196200));
    EXPECT_EQ(time_of({placed(FIX, TWIN_STEP_WRITE, kAt, kMiB)}, STARS_KERNEL_AIC),
              at_rate(kMiB, 73800));
    EXPECT_EQ(time_of({write_at(kAt, kMiB, TWIN_STEP_ONCE)}), at_rate(kMiB, 102600));
    // So does what is read after it was written.
    EXPECT_EQ(
        time_of({write_at(kAt, kMiB), set_flag(MTE3, 0), wait_flag(MTE2, 0), read_at(kAt, kMiB)}),
        at_rate(kMiB, 196200) + at_rate(kMiB, 106200) + cycles(50));
    // What is read once misses again.
    EXPECT_EQ(time_of({read_at(kAt, kMiB, TWIN_STEP_ONCE), read_at(kAt, kMiB)}),
              2 * at_rate(kMiB, 102600) + cycles(200));
    // A miss under way lands after the hit that follows it; an access with both has a miss.
    EXPECT_EQ(time_of({read_at(kAt, 512), read_at(kAt, 512)}), at_rate(512, 102600) + cycles(200));
    EXPECT_EQ(time_of({read_at(kAt, 32768), read_at(kAt, 65536)}),
              2 * at_rate(32768, 102600) + cycles(200));
    // Off, and without an address: as the profile says, here no hit.
    const auto off = [](tsim::Params &p) { p.l2_by_address.value = 0; };
    EXPECT_EQ(time_of({read_at(kAt, kMiB), read_at(kAt, kMiB)}, STARS_KERNEL_AIV, off),
              2 * at_rate(kMiB, 102600));
    EXPECT_EQ(time_of({read_gm(kMiB), read_gm(kMiB)}), 2 * at_rate(kMiB, 102600));
    // Rows that are none are a bad SQE; no span then.
    for (const auto &[row, pitch] : {std::pair<uint32_t, uint32_t>{100, 200}, {64, 32}}) {
        KernelRig k;
        twin_step bad = read_at(kAt, 128);
        bad.row_bytes = row;
        bad.pitch = pitch;
        k.kernels.set(kPc, {{bad}});
        k.rig.open(0);
        k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, 1, kPc), 0);
        k.rig.run();
        EXPECT_EQ(k.rig.retired(0), 0);
    }
}

// T-CORE-22: a flag that follows a read is set when the bytes are there, while the pipe goes on; a
// barrier and the scalar unit wait for them.
static void test_latencies()
{
    const StepList flagged = {read_at(kAt, 512), set_flag(MTE2, 1), read_at(kAt + kMiB, 65536),
                              wait_flag(V, 1), work(V, 10000)};
    // 9 ns for 512 bytes, then 200 cycles and the work; the other read ends long before.
    EXPECT_EQ(time_of(flagged), at_rate(512, 102600) + cycles(200 + 10000));
    StepList many;
    for (uint64_t i = 0; i < 10; ++i) {
        many.push_back(read_at(kAt + i * 512, 512));
        many.push_back(set_flag(MTE2, 0));
    }
    EXPECT_EQ(time_of(many), 10 * at_rate(512, 102600) + cycles(200));
    EXPECT_EQ(time_of({read_at(kAt, 512), op(S, TWIN_STEP_BARRIER, 0), work(S, 100)}),
              at_rate(512, 102600) + cycles(200 + 100));
    EXPECT_EQ(time_of({placed(S, TWIN_STEP_READ, kAt, 64), work(S, 100)}),
              at_rate(64, 102600) + cycles(200 + 100));
    // Across cores of a block.
    const StepList aic = {read_at(kAt, 512), op(MTE2, TWIN_STEP_CROSS_CORE_SET, 0, 2)};
    const StepList aiv = {op(V, TWIN_STEP_CROSS_CORE_WAIT, 0, 2), work(V, 90)};
    KernelRig k;
    k.kernels.set(kPc, {aic, aiv, aiv});
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_MIXED, 1, kPc), 0);
    k.rig.run();
    // The flag is seen at the next edge, and 90 cycles are 50 ns.
    EXPECT_EQ(k.span(0) - k.start(), at_rate(512, 102600) + cycles(200) + 50);
}

// T-CORE-23: off the boundary of a sector 70 % of the rate; a sector that is read in part comes as
// a whole, which loads HBM.
static void test_alignment_and_rows()
{
    EXPECT_EQ(time_of({read_at(kAt + 32, kMiB)}), at_rate(kMiB, 71820) + cycles(200));
    EXPECT_EQ(time_of({write_at(kAt + 32, kMiB)}), at_rate(kMiB, 137340));
    EXPECT_EQ(time_of({rows_at(kAt, 64, 128, 24576)}), at_rate(64 * 128, 102600) + cycles(200));
    EXPECT_EQ(time_of({rows_at(kAt, 64, 128, 24576 + 64)}), at_rate(64 * 128, 71820) + cycles(200));
    // The other three quarters of the sectors have come along.
    EXPECT_EQ(time_of({rows_at(kAt, 64, 128, 512), read_at(kAt, 64 * 512)}),
              at_rate(64 * 128, 102600) + at_rate(64 * 512, 106200) + cycles(50));
    // With an HBM of 10000 MB/s it is the sectors that count, 64 of 512 bytes, and the rows. The
    // 8192 bytes that were asked for and the 27136 beside them share it until the former are there,
    // after 1638.4 cycles; of that last cycle 0.6 are lost.
    EXPECT_EQ(time_of({rows_at(kAt, 64, 128, 24576)}, STARS_KERNEL_AIV, slow_hbm),
              at_rate(64 * (512 + 40), 10000) + 1 + cycles(200));
}

// T-L2-7: each row that HBM serves at all costs it 40 bytes, one that L2 serves nothing.
static void test_cost_of_rows()
{
    const auto slow = [](const StepList &list) {
        return time_of(list, STARS_KERNEL_AIV, slow_hbm);
    };
    const twin_step rows = rows_at(kAt, 64, 512, 1024);
    const uint64_t alone = at_rate(64 * (512 + 40), 10000);
    EXPECT_EQ(slow({rows}), alone + cycles(200));
    EXPECT_EQ(slow({read_at(kAt, 64 * 512)}), at_rate(64 * 512 + 40, 10000) + cycles(200));
    EXPECT_EQ(slow({rows, rows}), alone + at_rate(64 * 512, 106200) + cycles(50));
    // Of 32 rows the first half is there: what comes costs as much as a whole row.
    EXPECT_EQ(slow({rows, rows_at(kAt, 64, 1024, 2048)}),
              alone + at_rate(32 * (512 + 40) + 32 * (1024 + 40), 10000) + cycles(200));
    // Writes come into L2, but for those for one use.
    const twin_step write = in_rows(write_at(kAt, 64 * 512), 64, 1024);
    EXPECT_EQ(slow({write}), at_rate(64 * 512, 196200));
    const twin_step past = in_rows(write_at(kAt, 64 * 512, TWIN_STEP_ONCE), 64, 1024);
    EXPECT_EQ(slow({past}), alone);
    EXPECT_EQ(slow({write, set_flag(MTE3, 0), wait_flag(MTE2, 0), rows}),
              at_rate(64 * 512, 196200) + at_rate(64 * 512, 106200) + cycles(50));
    // Rows without an address cost nothing.
    EXPECT_EQ(slow({read_gm(64 * 512)}), at_rate(64 * 512, 10000));
}

// T-L2-3, T-CORE-23: a write that displaces written bytes waits until HBM has them, so a long
// stream of writes has the rate of HBM.
static void test_writes_reach_hbm()
{
    KernelRig k([](tsim::Params &p) { p.l2_mib.value = 1; });
    const auto cores = static_cast<uint32_t>(k.rig.params().aiv_cores.value);
    constexpr uint64_t kPieces = 64, kPiece = 65536;
    std::vector<StepList> lists(cores);
    for (uint64_t core = 0; core < cores; ++core)
        for (uint64_t i = 0; i < kPieces; ++i)
            lists[core].push_back(write_at(kAt + (core * kPieces + i) * kPiece, kPiece));
    k.kernels.set(kPc, lists);
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, cores, kPc), 0);
    k.rig.run();
    const uint64_t bytes = cores * kPieces * kPiece - kMiB; // the last MiB stays
    const uint64_t best = at_rate(bytes, k.rig.params().hbm_mb_s());
    uint64_t begin = UINT64_MAX, end = 0;
    for (const auto &record : k.rig.phases(TWINSIM_PHASE_PIPE)) {
        begin = std::min(begin, record.begin_ns);
        end = std::max(end, record.end_ns);
    }
    CU_ASSERT(end - begin >= best && end - begin <= best + best / 50);
}

// T-L2-6: eight cores read the same 32 KiB at once. Each has them in hand for 64 sectors at 198000
// MB/s, 165.5 ns; the last waits for all of them, and then has the latency of a hit. When each has
// 32 KiB of its own, all miss, and the last begins 28 ns after the first.
static void test_same_address()
{
    const auto kernel = [](bool same) {
        KernelRig k;
        std::vector<StepList> lists;
        for (uint64_t core = 0; core < 8; ++core)
            lists.push_back({read_at(kAt + (same ? 0 : core * 32768), 32768)});
        k.kernels.set(kPc, lists);
        k.rig.open(0);
        k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, 8, kPc), 0);
        k.rig.run();
        return k.span(0) - k.start();
    };
    // 8 x 64 x 512 / 198 + 50 / 1.8 = 1351.7
    EXPECT_EQ(kernel(true), 1352);
    EXPECT_EQ(kernel(false), 28 + at_rate(32768, 102600) + cycles(200));
}

// The device's reset empties L2.
static void test_reset()
{
    KernelRig k;
    k.kernels.set(kPc, {{read_at(kAt, kMiB)}});
    uint64_t spans[3];
    for (int i = 0; i < 3; ++i) {
        if (i == 2)
            k.rig.device().reset();
        k.rig.open(static_cast<uint32_t>(i));
        k.rig.put(static_cast<uint32_t>(i), sqe_kernel(STARS_KERNEL_AIV, 1, kPc), k.rig.now());
        k.rig.run();
        spans[i] = k.span(static_cast<uint32_t>(i));
    }
    CU_ASSERT(spans[1] < spans[0] && spans[2] == spans[0]);
}

namespace
{

/// A matrix of 12288 x 12288 halves, read once in tiles, rows by core (asc-devkit, best practices
/// of data copies, on 24 AIC and 48 AIV of 1850 MHz; copies start in 16 cycles, C11).
struct Whole {
    uint64_t busy, duration; // ns: of the copies; from kick-start to the end of the report
    uint64_t hits;
};
Whole whole(uint32_t subtype, uint32_t cores, uint32_t tile_rows, uint32_t tile_bytes,
            uint32_t parts = 1)
{
    constexpr uint64_t kPitch = 24576, kRows = 12288;
    KernelRig k([](tsim::Params &p) {
        p.core_mhz.value = 1850;
        p.aic_cores.value = 24;
        p.aiv_cores.value = 48;
        p.core_crowd = shipped_profile().params().core_crowd;
    });
    std::vector<StepList> lists(cores);
    for (uint64_t core = 0; core < cores; ++core)
        for (uint64_t row = 0; row < kRows / cores / parts; row += tile_rows)
            for (uint64_t column = 0; column < kPitch; column += tile_bytes) {
                lists[core].push_back(work(MTE2, 16));
                const uint64_t at = kAt + (core * (kRows / cores) + row) * kPitch + column;
                lists[core].push_back(tile_rows == 1 ? read_at(at, tile_bytes)
                                                     : rows_at(at, tile_rows, tile_bytes, kPitch));
            }
    k.kernels.set(kPc, lists);
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(subtype, cores, kPc), 0);
    k.rig.run();
    uint64_t begin = UINT64_MAX, end = 0;
    for (const auto &record : k.rig.phases(TWINSIM_PHASE_PIPE)) {
        begin = std::min(begin, record.begin_ns);
        end = std::max(end, record.end_ns);
    }
    const auto kernel = k.rig.phases(TWINSIM_PHASE_KERNEL, 0).at(0);
    return {end - begin, kernel.end_ns - kernel.begin_ns + k.rig.params().core_report.value, 0};
}

/// Within so many permille of a published time in ns.
void expect_near(uint64_t actual, uint64_t published, uint64_t permille, const char *what)
{
    const uint64_t most = published * permille / 1000;
    const bool near = actual + most >= published && actual <= published + most;
    if (!near)
        std::fprintf(stderr, "%s: %llu ns, published are %llu\n", what,
                     static_cast<unsigned long long>(actual),
                     static_cast<unsigned long long>(published));
    CU_ASSERT(near);
}

} // namespace

// C11, C12, C13 and C16 together: figures that parameters were fitted to.
static void test_published()
{
    const Whole large = whole(STARS_KERNEL_AIV, 48, 64, 2048);
    expect_near(large.busy, 202657, 10, "rows of 2048 bytes, copies");
    expect_near(large.duration, 215820, 40, "rows of 2048 bytes");
    // 58.7 GB/s a core, 24 cores: 301.99 MB in 214.4 us.
    const Whole halves = whole(STARS_KERNEL_AIC, 24, 64, 512);
    expect_near(halves.busy, 214360, 15, "rows of 512 bytes, copies");
    expect_near(halves.duration, 230240, 20, "rows of 512 bytes");
    // Pieces of 128 bytes, an eighth of them.
    const Whole small = whole(STARS_KERNEL_AIV, 48, 1, 128, 8);
    expect_near(small.busy * 8, 548161, 60, "pieces of 128 bytes, copies");
    expect_near(small.duration + small.busy * 7, 564840, 60, "pieces of 128 bytes");
}

static const twin_test tests[] = {
    {"reads hit what L2 has", test_hits_and_misses},
    {"flags and barriers wait for latencies, pipes do not", test_latencies},
    {"alignment and sectors cost what the rules say", test_alignment_and_rows},
    {"rows that HBM serves cost it bytes", test_cost_of_rows},
    {"a stream of writes has the rate of HBM", test_writes_reach_hbm},
    {"cores that read the same address are served one after the other", test_same_address},
    {"a reset empties L2", test_reset},
    {"whole kernels take about their published times", test_published},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim gm access", tests, TWIN_COUNT(tests), argc, argv);
}
