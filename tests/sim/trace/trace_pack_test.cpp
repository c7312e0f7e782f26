// SPDX-License-Identifier: Apache-2.0
/// The trace stores less than it returns. The returned entries must not depend on the size of
/// numbers, nor on when they are read.
#include <algorithm>
#include <cstring>
#include <utility>

#include "rig.h"

namespace
{

using Entries = std::vector<twinsim_trace_entry>;

constexpr uint64_t kFar = 128 << 20;

Entries all(const Rig &rig)
{
    const tsim::Trace &trace = rig.system().trace();
    const size_t count = trace.count();
    const twinsim_trace_entry *entries = trace.entries();
    return {entries, entries + count};
}

bool same(const Entries &a, const Entries &b)
{
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0);
}

Entries of_task(const Entries &entries, uint32_t sq, uint64_t number, twinsim_phase phase)
{
    Entries found;
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(found), [&](const auto &r) {
        return r.sq == sq && r.number == number && r.phase == phase;
    });
    return found;
}

/// The one entry of that phase, or one of its parts, is where it should be; returns where it ends.
uint64_t expect_part(const Entries &entries, size_t part, uint64_t begin, uint64_t length,
                     uint32_t parameter)
{
    if (length == 0) { // no entry
        CU_ASSERT(entries.size() <= part);
        return begin;
    }
    CU_ASSERT_FATAL(entries.size() > part);
    EXPECT_EQ(entries[part].begin_ns, begin);
    EXPECT_EQ(entries[part].end_ns, begin + length);
    EXPECT_EQ(entries[part].parameter, parameter);
    return begin + length;
}

/// A DMA task without contention: T-SQE-1 to T-SQE-6, T-DMA-2 to T-DMA-5, T-LNK-7, one part after
/// the other.
void expect_task(Rig &rig, const Entries &entries, uint32_t sq, uint64_t number, uint64_t bytes,
                 bool fetched, bool cqe)
{
    const tsim::Params &p = rig.params();
    const auto part = [&](twinsim_phase phase) { return of_task(entries, sq, number, phase); };
    const Entries tasks = part(TWINSIM_PHASE_TASK);
    const Entries moves = part(TWINSIM_PHASE_TRANSFER);
    EXPECT_EQ(tasks.size(), 1);
    EXPECT_EQ(moves.size(), 1);
    if (tasks.size() != 1 || moves.size() != 1)
        return;
    const bool sdma = moves[0].engine == TWINSIM_ENGINE_SDMA;
    const uint64_t alone = rig.params().to_ns(rig.system().links().alone(moves[0].route, bytes));
    uint64_t at = tasks[0].begin_ns;
    at = expect_part(part(TWINSIM_PHASE_FETCH), 0, at, fetched ? p.fetch_read.value : 0,
                     p.fetch_read.index);
    at = expect_part(part(TWINSIM_PHASE_DECODE), 0, at, p.decode.value, p.decode.index);
    const uint64_t shared = at;
    at = expect_part(part(TWINSIM_PHASE_SETUP), 0, at,
                     sdma ? p.sdma_setup.value : p.pcie_setup.value,
                     sdma ? p.sdma_setup.index : p.pcie_setup.index);
    at = expect_part(moves, 0, at, alone, rig.system().links().parameter(moves[0].route));
    at = expect_part(part(TWINSIM_PHASE_RETIRE), 0, at, p.retire.value, p.retire.index);
    if (cqe)
        at = expect_part(part(TWINSIM_PHASE_RETIRE), 1, at, p.cq_write.value, p.cq_write.index);
    const bool carried = std::any_of(entries.begin(), entries.end(), [&](const auto &entry) {
        return entry.phase == TWINSIM_PHASE_LINK && entry.begin_ns == moves[0].begin_ns &&
               entry.end_ns == moves[0].end_ns;
    });
    CU_ASSERT(carried);
    EXPECT_EQ(tasks[0].end_ns, at);
    EXPECT_EQ(tasks[0].bytes, bytes);
    EXPECT_EQ(moves[0].bytes, bytes);
    EXPECT_EQ(tasks[0].task_id, number & UINT16_MAX);
    const Entries shares = part(TWINSIM_PHASE_SHARE);
    (void)expect_part(shares, 0, shared, at - shared,
                      sdma ? p.sdma_cap.index : p.pcie_dma_cap.index);
    EXPECT_EQ(shares[0].id, sdma ? TWINSIM_CLASS_SDMA : TWINSIM_CLASS_PCIE_DMA);
    EXPECT_EQ(shares[0].sqe_type, 0);
    EXPECT_EQ(shares[0].bytes, 0);
}

/// A queue's stays in slots: from grant to the end of its last SQE there, and swapped out (T-SCH-5,
/// T-SCH-19).
void expect_stays(Rig &rig, uint32_t sq)
{
    const uint64_t out = rig.params().drain.value + rig.params().slot_disable.value;
    Entries grants;
    for (const auto &entry : rig.phases(TWINSIM_PHASE_SWAP_IN, sq))
        if (entry.parameter == rig.params().arbitration.index)
            grants.push_back(entry);
    const Entries stays = rig.phases(TWINSIM_PHASE_OCCUPY, sq);
    EXPECT_EQ(stays.size(), grants.size());
    for (size_t i = 0; i < std::min(stays.size(), grants.size()); ++i) {
        EXPECT_EQ(stays[i].begin_ns, grants[i].begin_ns);
        EXPECT_EQ(stays[i].parameter, rig.params().slots.index);
        CU_ASSERT(stays[i].id < rig.params().slots.value);
        bool ends = false;
        for (const auto &task : rig.phases(TWINSIM_PHASE_TASK, sq))
            ends = ends || (task.end_ns + out == stays[i].end_ns && task.number == stays[i].number);
        CU_ASSERT(ends);
    }
}

/// DMA and other work on several queues, some of it at the same time.
void put_mixture(Rig &rig)
{
    for (uint32_t sq = 0; sq < 6; ++sq)
        rig.open(sq);
    for (uint32_t i = 0; i < 12; ++i) {
        rig.put(0, sqe_sdma_fill(Rig::kHbm, 7, 64), 1000 + i * 3000);
        rig.put(1, sqe_sdma(Rig::kHbm, Rig::kHbm + kFar, 1u << (6 + i)), 1000 + i * 1000);
        rig.put(2, sqe_with_cqe(sqe_pcie_dma(Rig::kHbm, Rig::kHost, 4096)), 2000 + i * 40000);
        rig.put(3, i % 2 == 0 ? sqe_event_record(3) : sqe_sdma_fill(Rig::kHbm, 1, 4096), 1500);
        rig.put(4, i % 3 == 0 ? sqe_event_wait(3, 0) : sqe_placeholder(), 1200 + i * 900000);
        rig.put(5, sqe_pcie_dma(Rig::kHost, Rig::kHbm, 1 << 20), 5000);
    }
}

} // namespace

static void test_whenever_asked()
{
    Rig late;
    put_mixture(late);
    late.run();
    Rig always;
    put_mixture(always);
    bool grows = true;
    Entries before;
    for (int i = 0; i < 100000; ++i) {
        const twinsim_stop stop = always.system().run(UINT64_MAX, 1, false);
        const Entries now = all(always);
        grows = grows && now.size() >= before.size() &&
                same({now.begin(), now.begin() + static_cast<long>(before.size())}, before);
        before = now;
        if (stop == TWINSIM_STOP_IDLE)
            break;
    }
    CU_ASSERT(grows);
    CU_ASSERT(before.size() > 300);
    CU_ASSERT(same(before, all(late)));
}

// Short transfers and long ones, short and long waits after them, routes that change, time that
// passes between.
static void test_of_any_size()
{
    const uint64_t sizes[] = {64, 64, 64 << 20, 64, 65536, 65536, 1 << 20, 64};
    for (const bool cqe : {false, true}) {
        for (const bool backlog : {false, true}) {
            Rig rig;
            rig.open(0);
            rig.open(1);
            uint64_t number = 0;
            for (const uint64_t bytes : sizes) {
                const uint64_t at = backlog ? 1000 : 1000 + number * 40000000;
                stars_sqe sdma =
                    sqe_sdma(Rig::kHbm, Rig::kHbm + kFar, static_cast<uint32_t>(bytes));
                stars_sqe pcie = sqe_pcie_dma(Rig::kHost, Rig::kHbm, bytes);
                stars_sqe fill = sqe_sdma_fill(Rig::kHbm, 3, static_cast<uint32_t>(bytes));
                for (const stars_sqe &sqe : {sdma, pcie, fill})
                    rig.put(0, cqe ? sqe_with_cqe(sqe) : sqe, at);
                ++number;
            }
            rig.run();
            const Entries entries = all(rig);
            for (uint64_t i = 0; i < 3 * number; ++i) {
                // The first SQE of a lot is read when the queue turns to it, the next ones with it
                // or meanwhile.
                const bool fetched = backlog ? i == 0 : i % 3 == 0;
                expect_task(rig, entries, 0, i + 1, sizes[i / 3], fetched, cqe);
            }
            expect_stays(rig, 0);
        }
    }
}

// T-SCH-2, T-DMA-1: a wait for a slot or a channel lasts as long as the other queue has it.
static void test_long_waits()
{
    constexpr uint32_t kBytes = 64 << 20;
    for (const bool slots : {true, false}) {
        Rig rig([&](tsim::Params &p) { (slots ? p.slots : p.pcie_channels).value = 1; });
        for (uint32_t sq = 0; sq < 2; ++sq) {
            rig.open(sq);
            rig.put(sq, sqe_pcie_dma(Rig::kHost, Rig::kHbm, kBytes), 1000 + sq);
        }
        rig.run();
        const auto wait = rig.phases(slots ? TWINSIM_PHASE_SLOT : TWINSIM_PHASE_ENGINE, 1);
        CU_ASSERT_FATAL(wait.size() == 1);
        const auto free = rig.phases(slots ? TWINSIM_PHASE_OCCUPY : TWINSIM_PHASE_TRANSFER, 0);
        const auto had = rig.phases(slots ? TWINSIM_PHASE_OCCUPY : TWINSIM_PHASE_SETUP, 1);
        EXPECT_EQ(wait[0].end_ns, free[0].end_ns);
        EXPECT_EQ(wait[0].end_ns, had[0].begin_ns);
        EXPECT_EQ(wait[0].begin_ns, slots ? 1001 : rig.phases(TWINSIM_PHASE_DECODE, 1)[0].end_ns);
        EXPECT_EQ(wait[0].parameter,
                  slots ? rig.params().slots.index : rig.params().pcie_channels.index);
        EXPECT_EQ(had[0].id, 0);
    }
}

// Task ids begin again at 0; the state of the queue goes on.
static void test_after_the_last_task_id()
{
    constexpr uint64_t kTasks = 65540;
    Rig rig;
    rig.open(0);
    for (uint64_t number = 1; number <= kTasks; ++number) {
        rig.put(0, sqe_sdma_fill(Rig::kHbm, 7, 64), rig.now() + 1000);
        rig.run();
    }
    const Entries entries = all(rig);
    const auto begin = std::find_if(entries.begin(), entries.end(),
                                    [](const auto &r) { return r.number == kTasks - 10; });
    const Entries last(begin, entries.end());
    for (uint64_t number = kTasks - 9; number <= kTasks; ++number)
        expect_task(rig, last, 0, number, 64, true, false);
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_OCCUPY, 0).size(), kTasks);
}

// The counters see each entry before its place is used again.
static void test_counters_without_entries()
{
    twinsim_device_counts counts[2];
    twinsim_use_counts slots[2];
    for (const bool keep : {false, true}) {
        Rig::Options options;
        options.trace = keep;
        options.stats = true;
        Rig rig(options, nullptr);
        put_mixture(rig);
        for (int i = 0; i < 100000; ++i) {
            // A read between events makes room; later entries must not be mistaken for old ones.
            if (rig.system().run(UINT64_MAX, i % 3 == 0 ? 1 : 7, false) == TWINSIM_STOP_IDLE)
                break;
            rig.system().stats()->device(0, counts[keep]);
        }
        rig.system().stats()->device(0, counts[keep]);
        CU_ASSERT(rig.system().stats()->use(0, TWINSIM_RESOURCE_SLOT, 0, slots[keep]));
        EXPECT_EQ(counts[keep].tasks, 72);
    }
    CU_ASSERT(std::memcmp(&counts[0], &counts[1], sizeof(counts[0])) == 0);
    EXPECT_EQ(slots[0].uses, slots[1].uses);
    EXPECT_EQ(slots[0].busy_ns, slots[1].busy_ns);
}

namespace
{

/// The same program twice. The trace of `alone` is read at the end only and takes as few words as
/// possible; that of `asked` is counted after every event, so that no written entry may change.
struct Pair {
    Rig alone, asked;

    template <typename Do>
    void both(Do &&what)
    {
        what(alone);
        what(asked);
    }
    void run()
    {
        alone.run();
        while (asked.system().run(UINT64_MAX, 1, false) != TWINSIM_STOP_IDLE)
            (void)asked.system().trace().count();
        (void)asked.system().trace().count();
    }
    /// Both traces are the same; returns how many words each took.
    [[nodiscard]] std::pair<size_t, size_t> words() const
    {
        const size_t few = alone.system().trace().words_written();
        const size_t many = asked.system().trace().words_written();
        CU_ASSERT(same(all(alone), all(asked)));
        return {few, many};
    }
};

} // namespace

// An event is recorded and waited for, again and again, with a new id each time and some time
// between.
static void test_alike_tasks()
{
    constexpr uint32_t kTasks = 20000; // beyond the first chunk
    constexpr uint32_t kIds = 4096;
    Pair pair;
    pair.both([](Rig &rig) { rig.open(0); });
    for (uint32_t i = 0; i < kTasks; ++i) {
        pair.both([&](Rig &rig) {
            rig.put(0, sqe_event_record(static_cast<uint16_t>(64 + i % kIds)), rig.now() + 20000);
        });
        pair.run();
    }
    const auto [few, many] = pair.words();
    CU_ASSERT(few <= kTasks + kTasks / 100);
    CU_ASSERT(many > 4 * size_t{kTasks});
    const Entries entries = all(pair.alone);
    const auto tables = std::count_if(entries.begin(), entries.end(), [](const auto &r) {
        return r.phase == TWINSIM_PHASE_TABLE && r.id == 64 + (r.number - 1) % kIds;
    });
    EXPECT_EQ(tables, kTasks);
}

// Nothing but the time between tasks differs, up to more than a word holds.
static void test_time_between_alike_tasks()
{
    const uint64_t edges[] = {13, 24, 37, 40, 50};
    Pair pair;
    pair.both([](Rig &rig) { rig.open(0); });
    std::vector<uint64_t> begins;
    uint64_t at = 1000;
    for (const uint64_t edge : edges) {
        for (int64_t off = -700; off <= 700; ++off) {
            at += (uint64_t{1} << edge) + static_cast<uint64_t>(off);
            begins.push_back(at);
            pair.both([&](Rig &rig) { rig.put(0, sqe_placeholder(), at); });
            pair.run();
        }
    }
    (void)pair.words();
    const Entries arrivals = pair.alone.phases(TWINSIM_PHASE_DOORBELL, 0);
    CU_ASSERT_FATAL(arrivals.size() == begins.size());
    size_t right = 0;
    for (size_t i = 0; i < begins.size(); ++i)
        right += arrivals[i].begin_ns == begins[i] && arrivals[i].number == i + 1;
    EXPECT_EQ(right, begins.size());
}

// Queues that share the place of their patterns, many tasks that wait for each other, one pattern
// after the other, a queue that is opened again.
static void test_patterns_that_change()
{
    Pair pair;
    for (uint32_t round = 0; round < 40; ++round) {
        pair.both([&](Rig &rig) {
            const uint64_t at = rig.now() + 1000 + round % 7 * 5000;
            for (const uint32_t sq : {0u, 1u, 8u, 16u}) {
                if (round % 10 == 0) {
                    if (round != 0)
                        rig.device().scheduler().close(sq);
                    rig.open(sq);
                }
                for (uint32_t i = 0; i < 1 + round % 20; ++i) {
                    const uint32_t which = (round / 4 + sq + i % (1 + round % 3)) % 5;
                    const stars_sqe sqe =
                        which == 0   ? sqe_placeholder()
                        : which == 1 ? sqe_event_record(static_cast<uint16_t>(3 + sq))
                        : which == 2 ? sqe_sdma_fill(Rig::kHbm, 7, 64)
                        : which == 3 ? sqe_with_cqe(sqe_placeholder())
                                     : sqe_sdma(Rig::kHbm, Rig::kHbm + kFar, 64u << round % 5);
                    rig.put(sq, sqe, at + (round % 2) * sq * 100000);
                }
            }
        });
        pair.run();
    }
    const auto [few, many] = pair.words();
    CU_ASSERT(few < many);
    uint64_t tasks = 0;
    for (const uint32_t sq : {0u, 1u, 8u, 16u}) {
        tasks += pair.alone.phases(TWINSIM_PHASE_TASK, sq).size();
        expect_stays(pair.alone, sq);
    }
    EXPECT_EQ(tasks, 4 * 2 * 210);
}

static const twin_test tests[] = {
    {"entries do not depend on when they are asked for", test_whenever_asked},
    {"a DMA task has all its parts, at any size and after any task", test_of_any_size},
    {"long waits for slots and channels are complete", test_long_waits},
    {"task ids begin again, and all else goes on", test_after_the_last_task_id},
    {"tasks that are alike take a word each, whatever the ids of their events", test_alike_tasks},
    {"any time may pass between tasks that are alike", test_time_between_alike_tasks},
    {"patterns change, share places and meet bursts without any other entry",
     test_patterns_that_change},
    {"counters are the same without entries", test_counters_without_entries},
};

int main(int argc, char **argv)
{
    return twin_run_suite("trace_pack", tests, TWIN_COUNT(tests), argc, argv);
}
