// SPDX-License-Identifier: Apache-2.0
/// FFTS+ tasks: tables of contexts, what starts when, threads and windows, ends of all kinds.
#include <algorithm>
#include <cstring>

#include "core/queue/ffts_table.h"
#include "kernels.h"

namespace
{

constexpr uint64_t kWork = 2, kLong = 3; // start PCs
constexpr uint64_t kWorkCycles = 18000;  // 10 us at 1800 MHz
constexpr uint64_t kTable = 64 << 20;    // offset in device memory

stars_ffts_context context_of(uint32_t type, uint32_t waits_for, std::vector<uint16_t> successors)
{
    stars_ffts_context out{};
    out.word[0] = type | static_cast<uint32_t>(successors.size()) << STARS_FFTS_W0_SUCCESSORS_SHIFT;
    out.word[1] = waits_for << STARS_FFTS_W1_INITIAL_SHIFT | waits_for << STARS_FFTS_W1_LEFT_SHIFT;
    for (size_t i = 0; i < successors.size(); ++i)
        out.word[STARS_FFTS_LIST_WORD + i / 2] |= uint32_t{successors[i]} << (i % 2 * 16);
    out.word[18] = 1u << STARS_FFTS_W18_THREADS_SHIFT;
    return out;
}

stars_ffts_context label(uint32_t waits_for, std::vector<uint16_t> successors)
{
    return context_of(STARS_FFTS_LABEL, waits_for, std::move(successors));
}

stars_ffts_context kernel(uint32_t type, uint32_t blocks, uint64_t pc, uint32_t waits_for = 0,
                          std::vector<uint16_t> successors = {}, uint32_t ratio = 0)
{
    stars_ffts_context out = context_of(type, waits_for, std::move(successors));
    out.word[17] = ratio << STARS_FFTS_W17_RATIO_SHIFT;
    out.word[STARS_FFTS_BLOCKS_WORD] = blocks | blocks << STARS_FFTS_W19_LAST_SHIFT;
    out.word[24] = static_cast<uint32_t>(pc);
    return out;
}

stars_ffts_context copy(uint64_t dst, uint64_t src, uint32_t bytes, uint32_t waits_for = 0,
                        std::vector<uint16_t> successors = {})
{
    stars_ffts_context out = context_of(STARS_FFTS_SDMA, waits_for, std::move(successors));
    out.word[22] = static_cast<uint32_t>(src);
    out.word[23] = static_cast<uint32_t>(src >> 32);
    out.word[25] = static_cast<uint32_t>(dst);
    out.word[26] = static_cast<uint32_t>(dst >> 32);
    out.word[28] = out.word[29] = bytes;
    return out;
}

stars_ffts_context notify(uint32_t type, uint32_t id, uint32_t waits_for = 0,
                          std::vector<uint16_t> successors = {})
{
    stars_ffts_context out = context_of(type, waits_for, std::move(successors));
    out.word[19] = id;
    return out;
}

stars_ffts_context value(uint64_t address, uint32_t what, uint32_t waits_for = 0,
                         std::vector<uint16_t> successors = {})
{
    stars_ffts_context out = context_of(STARS_FFTS_WRITE_VALUE, waits_for, std::move(successors));
    out.word[19] = 2 /* 4 bytes */ | STARS_FFTS_W19_VIRTUAL;
    out.word[20] = static_cast<uint32_t>(address);
    out.word[21] = static_cast<uint32_t>(address >> 32);
    out.word[STARS_FFTS_VALUE_WORD] = what;
    return out;
}

/// Puts the table into device memory, and gives the SQE for it.
stars_sqe task(Rig &rig, const std::vector<stars_ffts_context> &table, uint32_t ready,
               uint64_t at = kTable)
{
    std::memcpy(rig.hbm(at), table.data(), table.size() * sizeof(table[0]));
    stars_sqe sqe = sqe_kernel(STARS_KERNEL_FFTS, 1, 0);
    sqe.word[6] = static_cast<uint32_t>(table.size()) | ready << STARS_FFTS_READY_SHIFT;
    sqe.word[STARS_FFTS_ADDRESS_WORD] = static_cast<uint32_t>(Rig::kHbm + at);
    sqe.word[STARS_FFTS_ADDRESS_WORD + 1] = static_cast<uint32_t>((Rig::kHbm + at) >> 32);
    return sqe;
}

void teach(KernelRig &k)
{
    k.kernels.set(kWork, {{work(TWIN_PIPE_VECTOR, kWorkCycles)}});
    k.kernels.set(kLong, {{work(TWIN_PIPE_VECTOR, 100 * kWorkCycles)}});
}

/// When the first block of a kernel of a context was issued, and when its last one ended: the block
/// records of kernels on the core with that number.
std::vector<twinsim_trace_entry> blocks(KernelRig &k, uint32_t engine)
{
    std::vector<twinsim_trace_entry> found;
    for (const auto &entry : k.rig.phases(TWINSIM_PHASE_BLOCK, 0))
        if (entry.engine == engine)
            found.push_back(entry);
    std::stable_sort(found.begin(), found.end(),
                     [](const auto &a, const auto &b) { return a.begin_ns < b.begin_ns; });
    return found;
}

uint32_t word_at(Rig &rig, uint64_t offset)
{
    uint32_t word = 0;
    std::memcpy(&word, rig.hbm(offset), sizeof(word));
    return word;
}

/// The queue fails with that, and an SQE of another one can have all cores afterwards.
void expect_failure(KernelRig &k, const stars_sqe &sqe, uint32_t error, uint32_t status)
{
    k.rig.open(0);
    k.rig.put(0, sqe, 0);
    k.rig.run();
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_EXCEPTION);
    EXPECT_EQ(k.rig.retired(0), 0);
    EXPECT_EQ(k.rig.cqe(0, 0).u.error.code, error);
    EXPECT_EQ(k.rig.cqe(0, 0).u.error.status, status);
    k.rig.open(1);
    k.rig.put(1, sqe_kernel(STARS_KERNEL_MIXED, 20, kWork + 10), k.rig.now());
    k.kernels.set(kWork + 10, {{}, {}, {}});
    k.rig.run();
    EXPECT_EQ(k.rig.retired(1), 1);
}

} // namespace

// T-FFT-1, T-FFT-2, T-FFT-11: the table is read, the context starts, and then it is a kernel like
// any other.
static void test_floor()
{
    KernelRig k;
    k.kernels.set(1, {{}, {}, {}});
    const tsim::Params &p = k.rig.params();
    k.rig.open(0);
    k.rig.put(0, task(k.rig, {kernel(STARS_FFTS_MIX_AIC, 1, 1, 0, {}, 2)}, 1), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    const auto decode = k.rig.phases(TWINSIM_PHASE_DECODE, 0).at(0);
    const auto report = k.rig.phases(TWINSIM_PHASE_REPORT, 0).at(0);
    EXPECT_EQ(report.end_ns - decode.end_ns, p.ffts_read.value + p.ffts_start.value + 1700);
    EXPECT_EQ(k.rig.phases(TWINSIM_PHASE_SETUP, 0).at(0).parameter, p.ffts_read.index);
    EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIC).size(), 1);
    EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIV).size(), 2);
    EXPECT_EQ(k.kernels.effects.size(), 1);
    EXPECT_EQ(k.kernels.ends.size(), 1);
}

// T-FFT-7: a ratio of 0 is a kernel for the cores that the type names, alone.
static void test_alone()
{
    KernelRig k;
    teach(k);
    k.rig.open(0);
    k.rig.put(0,
              task(k.rig,
                   {kernel(STARS_FFTS_MIX_AIC, 3, kWork), kernel(STARS_FFTS_MIX_AIV, 2, kWork),
                    kernel(STARS_FFTS_AIC, 1, kWork), kernel(STARS_FFTS_AIV, 1, kWork)},
                   4),
              0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIC).size(), 4);
    EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIV).size(), 3);
    EXPECT_EQ(k.kernels.effects.size(), 4);
}

// T-FFT-5: a diamond: two at once after the first, the last after both.
static void test_diamond()
{
    KernelRig k;
    teach(k);
    k.rig.open(0);
    k.rig.put(
        0,
        task(k.rig,
             {kernel(STARS_FFTS_AIV, 1, kWork, 0, {1, 2}), kernel(STARS_FFTS_AIV, 1, kWork, 1, {3}),
              kernel(STARS_FFTS_AIC, 1, kLong, 1, {3}), kernel(STARS_FFTS_AIV, 1, kWork, 2)},
             1),
        0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    const auto vector = blocks(k, TWINSIM_ENGINE_AIV);
    const auto cube = blocks(k, TWINSIM_ENGINE_AIC);
    CU_ASSERT_FATAL(vector.size() == 3 && cube.size() == 1);
    const uint64_t start = k.rig.params().ffts_start.value;
    EXPECT_EQ(vector[1].begin_ns, vector[0].end_ns + start);
    EXPECT_EQ(cube[0].begin_ns, vector[0].end_ns + start + k.rig.params().core_issue.value);
    EXPECT_EQ(vector[2].begin_ns, cube[0].end_ns + start);
    CU_ASSERT(vector[1].end_ns < cube[0].end_ns);
}

// When a table of so many values, all of them ready at once, is reported; from the end of decode.
static uint64_t time_of_values(uint32_t count)
{
    KernelRig k;
    k.rig.open(0);
    std::vector<stars_ffts_context> table;
    for (uint32_t i = 0; i < count; ++i)
        table.push_back(value(Rig::kHbm + 4 * i, i + 1));
    k.rig.put(0, task(k.rig, table, count), 0);
    k.rig.run();
    for (uint32_t i = 0; i < count; ++i)
        EXPECT_EQ(word_at(k.rig, 4 * i), i + 1);
    return k.rig.phases(TWINSIM_PHASE_REPORT, 0).at(0).end_ns -
           k.rig.phases(TWINSIM_PHASE_DECODE, 0).at(0).end_ns;
}

// T-FFT-4: 64 contexts are under way; one more starts when these end.
static void test_units()
{
    const Rig rig;
    const uint64_t one = time_of_values(1);
    EXPECT_EQ(time_of_values(64), one);
    EXPECT_EQ(time_of_values(65),
              one + rig.params().ffts_start.value + rig.params().write_value.value);
}

// T-FFT-8: more kernels than a task may have at once.
static void test_many_kernels()
{
    KernelRig k;
    teach(k);
    k.rig.open(0);
    std::vector<stars_ffts_context> table(9, kernel(STARS_FFTS_AIV, 1, kWork));
    k.rig.put(0, task(k.rig, table, 9), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    const auto all = blocks(k, TWINSIM_ENGINE_AIV);
    EXPECT_EQ(all.size(), 9);
    CU_ASSERT(all.at(3).begin_ns < all.at(0).end_ns);
    CU_ASSERT(all.at(4).begin_ns >= all.at(0).end_ns);
    EXPECT_EQ(k.kernels.ends.size(), 9);
}

// T-FFT-9, T-FFT-10: a copy, then a value, then a notify that another queue waits for.
static void test_other_kinds()
{
    KernelRig k;
    teach(k);
    std::memset(k.rig.hbm(), 0x5a, 4096);
    k.rig.open(0);
    k.rig.open(1);
    k.rig.put(1, sqe_notify_wait(7, 0), 0);
    k.rig.put(
        0,
        task(k.rig,
             {copy(Rig::kHbm + 8192, Rig::kHbm, 4096, 0, {1}),
              value(Rig::kHbm + 16384, 0x1234, 1, {2}), notify(STARS_FFTS_NOTIFY_RECORD, 7, 1)},
             1),
        0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    EXPECT_EQ(k.rig.retired(1), 1);
    EXPECT_EQ(word_at(k.rig, 8192), 0x5a5a5a5a);
    EXPECT_EQ(word_at(k.rig, 8192 + 4092), 0x5a5a5a5a);
    EXPECT_EQ(word_at(k.rig, 16384), 0x1234);
    const auto moved = k.rig.phases(TWINSIM_PHASE_TRANSFER, 0).at(0);
    CU_ASSERT(k.rig.retired_at(1, 1) > moved.end_ns);
}

// T-FFT-10: a record that came before, one that comes later, and a queue that waits first.
static void test_notify_waits()
{
    KernelRig k;
    teach(k);
    k.rig.open(0);
    k.rig.open(1);
    k.rig.open(2);
    k.rig.put(1, sqe_notify_record(1), 0);
    k.rig.run();
    k.rig.put(0,
              task(k.rig,
                   {notify(STARS_FFTS_NOTIFY_WAIT, 1), notify(STARS_FFTS_NOTIFY_WAIT, 2),
                    notify(STARS_FFTS_NOTIFY_WAIT, 2)},
                   3),
              k.rig.now());
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 0);
    EXPECT_EQ(k.rig.device().scheduler().notifies().flag(1), 0);
    k.rig.put(2, sqe_notify_wait(2, 0), k.rig.now());
    k.rig.run();
    for (uint64_t records = 1; records <= 3; ++records) {
        k.rig.put(1, sqe_notify_record(2), k.rig.now());
        k.rig.run();
        EXPECT_EQ(k.rig.retired(2), 1); // the queue was first in line
        EXPECT_EQ(k.rig.retired(0), records == 3 ? 1 : 0);
        EXPECT_EQ(k.rig.device().scheduler().notifies().flag(2), 0);
    }
}

// T-FFT-6: five threads in a window of two: each copies its piece, the last one a shorter one; at
// most two are under way; what follows comes after all.
static void test_threads()
{
    constexpr uint32_t kThreads = 5, kWindow = 2, kPiece = 4096, kLast = 1000;
    KernelRig k;
    teach(k);
    for (uint32_t i = 0; i < kThreads; ++i)
        std::memset(k.rig.hbm(uint64_t{i} * kPiece), static_cast<int>(i + 1), kPiece);
    // 0: begins both places; 1 to 3 and 4 to 6: start, copy, end of a place; 7: behind them; 8.
    std::vector<stars_ffts_context> table = {label(0, {1, 4})};
    for (uint16_t place = 0; place < kWindow; ++place) {
        const auto first = static_cast<uint16_t>(1 + place * 3);
        stars_ffts_context start =
            context_of(STARS_FFTS_AT_START, 1, {static_cast<uint16_t>(first + 1)});
        start.word[19] = place | kWindow << STARS_FFTS_W19_WINDOW_SHIFT;
        stars_ffts_context piece =
            copy(Rig::kHbm + (1 << 20), Rig::kHbm, kPiece, 1, {static_cast<uint16_t>(first + 2)});
        piece.word[24] = piece.word[27] = kPiece;
        piece.word[29] = kLast;
        stars_ffts_context end = context_of(STARS_FFTS_AT_END, 1, {});
        end.word[0] |= 1u << STARS_FFTS_W0_SUCCESSORS_SHIFT | 1u << STARS_FFTS_W0_LABELS_SHIFT;
        end.word[STARS_FFTS_LIST_WORD] = first;
        end.word[STARS_FFTS_LIST_WORD + STARS_FFTS_END_SLOTS / 2] = 7;
        for (stars_ffts_context *one : {&start, &piece, &end})
            one->word[18] = kThreads << STARS_FFTS_W18_THREADS_SHIFT;
        table.insert(table.end(), {start, piece, end});
    }
    table.push_back(label(kWindow, {8}));
    table.push_back(value(Rig::kHbm + (2 << 20), 99, 1));
    k.rig.open(0);
    k.rig.put(0, task(k.rig, table, 1), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    for (uint32_t i = 0; i < kThreads; ++i) {
        const uint32_t bytes = i + 1 == kThreads ? kLast : kPiece;
        CU_ASSERT(std::memcmp(k.rig.hbm((1 << 20) + uint64_t{i} * kPiece),
                              k.rig.hbm(uint64_t{i} * kPiece), bytes) == 0);
    }
    EXPECT_EQ(*k.rig.hbm((1 << 20) + (kThreads - 1) * kPiece + kLast), 0);
    EXPECT_EQ(word_at(k.rig, 2 << 20), 99);
    const auto moves = k.rig.phases(TWINSIM_PHASE_TRANSFER, 0);
    EXPECT_EQ(moves.size(), kThreads);
    for (const auto &at : moves) {
        const auto under_way = std::count_if(moves.begin(), moves.end(), [&](const auto &other) {
            return other.begin_ns <= at.begin_ns && other.end_ns > at.begin_ns;
        });
        CU_ASSERT(under_way <= kWindow);
    }
}

// T-FFT-3, T-FFT-12.
static void test_bad_tables()
{
    struct Case {
        std::vector<stars_ffts_context> table;
        uint32_t ready;
        uint32_t error, status;
    };
    stars_ffts_context waits = kernel(STARS_FFTS_AIV, 1, kWork, 1);
    stars_ffts_context header = copy(Rig::kHbm + 4096, Rig::kHbm, 64);
    header.word[19] = STARS_SDMA_OP_FILL;
    stars_ffts_context physical = value(Rig::kHbm, 1);
    physical.word[19] &= ~STARS_FFTS_W19_VIRTUAL;
    const Case cases[] = {
        {{context_of(2, 0, {})}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {{kernel(STARS_FFTS_AIV, 1, kWork, 0, {1})}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {{waits}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE}, // ready, and waits for one
        {{kernel(STARS_FFTS_AIV, 0, kWork)}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {{notify(STARS_FFTS_NOTIFY_RECORD, 0xffff)}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {{header}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {{physical}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {{copy(Rig::kHbm, 0x50, 64)}, 1, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT},
        {{value(0x50, 1)}, 1, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT},
        // Nothing leads to the second; one too many leads to the third.
        {{kernel(STARS_FFTS_AIV, 1, kWork), waits},
         1,
         STARS_ERROR_EXCEPTION,
         STARS_STATUS_FFTS_EXCEPTION},
        {{label(0, {1, 1}), waits}, 1, STARS_ERROR_EXCEPTION, STARS_STATUS_FFTS_EXCEPTION},
        // Labels that lead to each other for ever.
        {{label(0, {1}), label(1, {2}), label(1, {1})},
         1,
         STARS_ERROR_EXCEPTION,
         STARS_STATUS_FFTS_EXCEPTION},
    };
    for (const Case &c : cases) {
        KernelRig k;
        teach(k);
        expect_failure(k, task(k.rig, c.table, c.ready), c.error, c.status);
    }
    for (const uint32_t counts : {0u, 1u, 2u << 16 | 1u}) { // contexts and ready ones in the SQE
        KernelRig k;
        stars_sqe sqe = task(k.rig, {kernel(STARS_FFTS_AIV, 1, kWork)}, 1);
        sqe.word[6] = counts;
        expect_failure(k, sqe, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
    }
    KernelRig without([](tsim::Params &p) { p.ffts_contexts.value = 0; });
    expect_failure(without, task(without.rig, {kernel(STARS_FFTS_AIV, 1, kWork)}, 1),
                   STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
    KernelRig nowhere;
    stars_sqe sqe = task(nowhere.rig, {kernel(STARS_FFTS_AIV, 1, kWork)}, 1);
    sqe.word[STARS_FFTS_ADDRESS_WORD] = 0x50;
    sqe.word[STARS_FFTS_ADDRESS_WORD + 1] = 0;
    expect_failure(nowhere, sqe, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT);
}

// T-FFT-11: a kernel that fails takes the others with it; so does the time limit.
static void test_failures()
{
    KernelRig k;
    teach(k);
    k.kernels.set(20, {{work(TWIN_PIPE_SCALAR, 1800),
                        op(TWIN_PIPE_SCALAR, TWIN_STEP_FAULT, TWINSIM_KERNEL_EXCEPTION)}});
    expect_failure(
        k,
        task(k.rig,
             {kernel(STARS_FFTS_AIV, 40, kLong), kernel(STARS_FFTS_AIC, 1, 20),
              copy(Rig::kHbm, Rig::kHbm + (32 << 20), 32 << 20), notify(STARS_FFTS_NOTIFY_WAIT, 3)},
             4),
        STARS_ERROR_EXCEPTION, STARS_STATUS_AICORE_EXCEPTION);
    CU_ASSERT(k.rig.now() < 1000000);
    EXPECT_EQ(k.kernels.effects.size(), 1); // of the kernel afterwards

    KernelRig limited([](tsim::Params &p) { p.credit_unit.value = 50000; });
    teach(limited);
    const stars_sqe sqe = sqe_with_credit(
        task(limited.rig, {kernel(STARS_FFTS_AIV, 40, kLong), notify(STARS_FFTS_NOTIFY_WAIT, 3)},
             2),
        1);
    expect_failure(limited, sqe, STARS_ERROR_TIMEOUT, STARS_STATUS_AICORE_TIMEOUT);
}

/// A kernel and one after it, the next kernel hit by a fault. Time is from its first block to the
/// end of the task.
struct Hit {
    uint64_t ns;
    uint32_t blocks, effects, error, status;
};

static Hit run_hit(const twinsim_fault &fault)
{
    KernelRig k;
    teach(k);
    if (fault.times != 0)
        (void)k.rig.system().faults().inject(fault);
    k.rig.open(0);
    k.rig.put(0,
              task(k.rig,
                   {kernel(STARS_FFTS_AIV, 1, kWork, 0, {1}), kernel(STARS_FFTS_AIV, 1, kWork, 1)},
                   1),
              0);
    k.rig.run();
    const auto all = blocks(k, TWINSIM_ENGINE_AIV);
    const uint64_t begin = k.rig.phases(TWINSIM_PHASE_SETUP, 0).at(0).end_ns +
                           k.rig.params().ffts_start.value; // T-FFT-4, T-CORE-3
    const bool good = k.rig.retired(0) == 1;
    return {k.rig.phases(TWINSIM_PHASE_REPORT, 0).at(0).begin_ns - begin,
            static_cast<uint32_t>(all.size()), static_cast<uint32_t>(k.kernels.effects.size()),
            good ? 0u : k.rig.cqe(0, 0).u.error.code, good ? 0u : k.rig.cqe(0, 0).u.error.status};
}

// T-FLT-15 to T-FLT-17: the first kernel is hit; an error keeps its effect away, and ends the task.
static void test_faults()
{
    twinsim_fault fault{};
    fault.device = fault.stream = fault.id = TWINSIM_ANY;
    fault.task = STARS_SQE_AICORE;
    const Hit plain = run_hit(fault);
    EXPECT_EQ(plain.effects, 2);
    EXPECT_EQ(plain.error, 0);
    const uint64_t start = Rig().params().ffts_start.value;
    const uint64_t one = (plain.ns - start) / 2;

    fault.first = fault.times = 1;
    fault.kind = TWINSIM_FAULT_ENGINE_ERROR;
    const Hit failed = run_hit(fault);
    EXPECT_EQ(failed.blocks, 1);
    EXPECT_EQ(failed.effects, 0);
    EXPECT_EQ(failed.error, STARS_ERROR_EXCEPTION);
    EXPECT_EQ(failed.status, STARS_STATUS_AICORE_EXCEPTION);
    EXPECT_EQ(failed.ns, one);

    fault.kind = TWINSIM_FAULT_ENGINE_TIMEOUT;
    fault.duration_ns = 77000;
    const Hit late = run_hit(fault);
    EXPECT_EQ(late.effects, 0);
    EXPECT_EQ(late.error, STARS_ERROR_TIMEOUT);
    EXPECT_EQ(late.status, STARS_STATUS_AICORE_TIMEOUT);
    EXPECT_EQ(late.ns, 77000);

    fault.kind = TWINSIM_FAULT_ENGINE_SLOW;
    fault.duration_ns = 0;
    fault.factor_permille = 3000;
    const Hit slow = run_hit(fault);
    EXPECT_EQ(slow.effects, 2);
    EXPECT_EQ(slow.error, 0);
    EXPECT_EQ(slow.ns, plain.ns + 2 * one);
}

// T-CORE-2: descriptions of two kernels, one after the other; time stands still.
static void test_later()
{
    KernelRig k;
    teach(k);
    k.kernels.later = true;
    k.rig.open(0);
    k.rig.put(
        0, task(k.rig, {kernel(STARS_FFTS_AIV, 1, kWork), kernel(STARS_FFTS_AIC, 1, kWork)}, 2), 0);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(k.rig.run_until(1000000), TWINSIM_STOP_KERNEL);
        EXPECT_EQ(k.kernels.asked.size(), i + 1);
        EXPECT_EQ(k.kernels.asked.back().context, i);
        CU_ASSERT(k.rig.device().scheduler().give_kernel(0, 1, k.kernels.description(kWork)));
    }
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIC).at(0).begin_ns,
              blocks(k, TWINSIM_ENGINE_AIV).at(0).begin_ns + k.rig.params().core_issue.value);
}

// T-CORE-13.
static void test_pause()
{
    KernelRig k([](tsim::Params &p) { p.aiv_cores.value = 2; });
    teach(k);
    tsim::TaskScheduler &scheduler = k.rig.device().scheduler();
    k.rig.open(0);
    k.rig.put(
        0,
        task(k.rig,
             {kernel(STARS_FFTS_AIV, 5, kWork, 0, {1}), copy(Rig::kHbm, Rig::kHbm + 64, 64, 1)}, 1),
        0);
    k.rig.run_until(5000);
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_PAUSE));
    k.rig.run();
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_HELD);
    EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIV).size(), 2);
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_RESUME));
    k.rig.run_until(k.rig.now() + 15000); // the last wave is under way
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_PAUSE));
    k.rig.run();
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_HELD);
    EXPECT_EQ(k.rig.retired(0), 0);
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_RESUME));
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIV).size(), 5);
}

// T-CORE-12: nothing remains of a task that is killed in the middle of everything.
static void test_kill()
{
    for (int how = 0; how < 3; ++how) {
        KernelRig k;
        teach(k);
        tsim::TaskScheduler &scheduler = k.rig.device().scheduler();
        k.rig.open(0);
        k.rig.put(0,
                  task(k.rig,
                       {kernel(STARS_FFTS_AIV, 40, kLong), notify(STARS_FFTS_NOTIFY_WAIT, 3),
                        copy(Rig::kHbm, Rig::kHbm + (32 << 20), 32 << 20)},
                       3),
                  0);
        k.rig.run_until(10000);
        if (how == 0)
            CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_KILL))
        else if (how == 1)
            scheduler.close(0);
        else
            k.rig.device().reset();
        const uint64_t at = k.rig.now();
        k.rig.open(1);
        k.rig.put(1, sqe_kernel(STARS_KERNEL_AIV, 40, kWork), at);
        k.rig.put(1, sqe_notify_record(3), at);
        k.rig.run();
        EXPECT_EQ(k.rig.retired(1), 2);
        EXPECT_EQ(k.rig.device().scheduler().notifies().flag(3), 1);
        CU_ASSERT(k.rig.now() < at + 100000);
    }
}

// With seeds: each task ends, and the values are those of the plain machine.
static void test_seeds()
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        KernelRig k(nullptr, seed);
        teach(k);
        std::memset(k.rig.hbm(), 7, 4096);
        for (uint32_t sq = 0; sq < 8; ++sq) {
            k.rig.open(sq);
            const uint64_t to = (1 << 20) + uint64_t{sq} * 4096;
            k.rig.put(sq,
                      task(k.rig,
                           {copy(Rig::kHbm + to, Rig::kHbm, 4096, 0, {1}),
                            kernel(STARS_FFTS_AIV, 3, kWork, 1, {2}),
                            copy(Rig::kHbm + to + (1 << 20), Rig::kHbm + to, 4096, 1)},
                           1, kTable + uint64_t{sq} * 4096),
                      0);
        }
        k.rig.run();
        for (uint32_t sq = 0; sq < 8; ++sq) {
            EXPECT_EQ(k.rig.retired(sq), 1);
            EXPECT_EQ(word_at(k.rig, (2 << 20) + uint64_t{sq} * 4096 + 4092), 0x07070707);
        }
    }
}

static const twin_test tests[] = {
    {"T-FFT-1: a table with one kernel", test_floor},
    {"T-FFT-7: kernels for one kind of core", test_alone},
    {"T-FFT-4: as many contexts as are under way at once", test_units},
    {"T-FFT-5: two kernels at once, between two others", test_diamond},
    {"T-FFT-8: more kernels than run at once", test_many_kernels},
    {"T-FFT-9: copies, values and notifies", test_other_kinds},
    {"T-FFT-10: contexts that wait for notifies", test_notify_waits},
    {"T-FFT-6: threads in a window", test_threads},
    {"T-FFT-3, T-FFT-12: tables that are bad", test_bad_tables},
    {"T-FFT-11: what ends a task early", test_failures},
    {"T-FLT-15, T-FLT-16, T-FLT-17: faults that hit a kernel of a table", test_faults},
    {"T-FFT-8: descriptions that come later", test_later},
    {"a paused task rests, and goes on", test_pause},
    {"nothing remains of a task that was killed", test_kill},
    {"tasks end with every seed", test_seeds},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim ffts", tests, TWIN_COUNT(tests), argc, argv);
}
