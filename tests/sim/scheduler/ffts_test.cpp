// SPDX-License-Identifier: Apache-2.0
/// FFTS+ tasks: what of a table starts when, threads and windows.
#include "contexts.h"

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

// T-FFT-8: of two kernels that wait for a place, the one that was ready first.
static void test_kernel_order()
{
    KernelRig k;
    teach(k);
    k.rig.open(0);
    k.rig.put(0,
              task(k.rig,
                   {value(Rig::kHbm, 1, 0, {6}), kernel(STARS_FFTS_AIV, 1, kWork),
                    kernel(STARS_FFTS_AIV, 1, kLong), kernel(STARS_FFTS_AIV, 1, kLong),
                    kernel(STARS_FFTS_AIV, 1, kLong), kernel(STARS_FFTS_AIC, 1, kWork),
                    kernel(STARS_FFTS_AIC, 2, kWork, 1)},
                   6),
              0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    CU_ASSERT_FATAL(k.kernels.asked.size() == 6);
    EXPECT_EQ(k.kernels.asked[4].context, 5);
    EXPECT_EQ(k.kernels.asked[5].context, 6);
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

// T-FFT-10: of two contexts that wait, a record goes to the one that began first.
static void test_notify_order()
{
    KernelRig k;
    k.rig.open(0);
    k.rig.open(1);
    k.rig.put(
        0,
        task(k.rig,
             {notify(STARS_FFTS_NOTIFY_WAIT, 2, 0, {2}), notify(STARS_FFTS_NOTIFY_WAIT, 2, 0, {3}),
              value(Rig::kHbm, 1, 1), value(Rig::kHbm + 64, 2, 1)},
             2),
        0);
    k.rig.run();
    for (uint32_t records = 1; records <= 2; ++records) {
        k.rig.put(1, sqe_notify_record(2), k.rig.now());
        k.rig.run();
        EXPECT_EQ(word_at(k.rig, 0), 1);
        EXPECT_EQ(word_at(k.rig, 64), records == 1 ? 0 : 2);
    }
    EXPECT_EQ(k.rig.retired(0), 1);
}

// T-FFT-6: the last thread has its own number of blocks.
static void test_last_blocks()
{
    for (const uint32_t threads : {1u, 2u}) {
        KernelRig k;
        teach(k);
        stars_ffts_context one = kernel(STARS_FFTS_AIV, 3, kWork);
        one.word[STARS_FFTS_BLOCKS_WORD] = 3 | 1u << STARS_FFTS_W19_LAST_SHIFT;
        one.word[18] = threads << STARS_FFTS_W18_THREADS_SHIFT; // it works for thread 0
        k.rig.open(0);
        k.rig.put(0, task(k.rig, {one}, 1), 0);
        k.rig.run();
        EXPECT_EQ(k.rig.retired(0), 1);
        EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIV).size(), threads == 1 ? 1 : 3);
    }
}

// T-FFT-6: the last thread has its own number of vector cores for each block.
static void test_last_ratio()
{
    for (const uint32_t threads : {1u, 2u}) {
        KernelRig k;
        k.kernels.set(kWork,
                      threads == 1 ? std::vector<StepList>{{}} : std::vector<StepList>{{}, {}, {}});
        stars_ffts_context one = kernel(STARS_FFTS_MIX_AIC, 1, kWork, 0, {}, 2);
        one.word[17] = 2u << STARS_FFTS_W17_RATIO_SHIFT;
        one.word[18] = threads << STARS_FFTS_W18_THREADS_SHIFT; // it works for thread 0
        k.rig.open(0);
        k.rig.put(0, task(k.rig, {one}, 1), 0);
        k.rig.run();
        EXPECT_EQ(k.rig.retired(0), 1);
        EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIC).size(), 1);
        EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIV).size(), threads == 1 ? 0 : 2);
    }
}

// T-FFT-6: an end that leads to two starts: both have all their threads.
static void test_two_starts()
{
    constexpr uint32_t kThreads = 3;
    KernelRig k;
    std::vector<stars_ffts_context> table = {label(0, {1, 2})};
    for (uint16_t i = 0; i < 2; ++i) {
        table.push_back(context_of(STARS_FFTS_AT_START, 1, {static_cast<uint16_t>(3 + i)}));
        table.back().word[19] = 1u << STARS_FFTS_W19_WINDOW_SHIFT;
    }
    for (uint16_t i = 0; i < 2; ++i) {
        table.push_back(value(Rig::kHbm + 4096u * i, 7, 1, {5}));
        table.back().word[22] = 64;
    }
    table.push_back(context_of(STARS_FFTS_AT_END, 2, {1, 2}));
    table.back().word[0] |= 1u << STARS_FFTS_W0_LABELS_SHIFT;
    table.back().word[STARS_FFTS_LIST_WORD + STARS_FFTS_END_SLOTS / 2] = 6;
    for (stars_ffts_context &one : table)
        one.word[18] = kThreads << STARS_FFTS_W18_THREADS_SHIFT;
    table.push_back(value(Rig::kHbm + (1 << 20), 99, 1));
    k.rig.open(0);
    k.rig.put(0, task(k.rig, table, 1), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    for (uint64_t i = 0; i < 2; ++i)
        for (uint64_t thread = 0; thread < kThreads; ++thread)
            EXPECT_EQ(word_at(k.rig, 4096 * i + 64 * thread), 7);
    EXPECT_EQ(word_at(k.rig, 1 << 20), 99);
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

static const twin_test tests[] = {
    {"T-FFT-1: a table with one kernel", test_floor},
    {"T-FFT-7: kernels for one kind of core", test_alone},
    {"T-FFT-4: as many contexts as are under way at once", test_units},
    {"T-FFT-5: two kernels at once, between two others", test_diamond},
    {"T-FFT-8: more kernels than run at once", test_many_kernels},
    {"T-FFT-8: kernels that wait for a place", test_kernel_order},
    {"T-FFT-9: copies, values and notifies", test_other_kinds},
    {"T-FFT-10: contexts that wait for notifies", test_notify_waits},
    {"T-FFT-10: of two that wait, the first", test_notify_order},
    {"T-FFT-6: blocks of the last thread", test_last_blocks},
    {"T-FFT-6: vector cores of the last thread", test_last_ratio},
    {"T-FFT-6: an end with two starts", test_two_starts},
    {"T-FFT-6: threads in a window", test_threads},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim ffts", tests, TWIN_COUNT(tests), argc, argv);
}
