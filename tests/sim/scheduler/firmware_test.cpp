// SPDX-License-Identifier: Apache-2.0
/// The older parts, whose tasks a firmware schedules.
#include <algorithm>
#include <string>

#include "cond_sqe.h"
#include "profile_path.h"

namespace
{

const tsim::Profile &old_profile()
{
    const std::string shipped = shipped_profile_path();
    static const tsim::Profile profile =
        tsim::Profile::from_file(shipped.substr(0, shipped.rfind('/') + 1) + "310p3.json");
    return profile;
}

uint64_t ns(const char *name)
{
    return old_profile().find(name)->number;
}

// A system with a firmware, and what a test changes of it.
Rig::Tweak old(const Rig::Tweak &tweak = nullptr)
{
    return [tweak](tsim::Params &p) {
        p = old_profile().params();
        if (tweak)
            tweak(p);
    };
}

// The entries of work that the loop did, oldest first.
std::vector<twinsim_trace_entry> work(Rig &rig)
{
    const tsim::Params &p = rig.params();
    std::vector<twinsim_trace_entry> all;
    for (const auto phase :
         {TWINSIM_PHASE_SWAP_IN, TWINSIM_PHASE_FETCH, TWINSIM_PHASE_DECODE, TWINSIM_PHASE_RETIRE}) {
        for (const auto &entry : rig.phases(phase)) {
            if (entry.parameter == p.fw_activate.index || entry.parameter == p.fw_fetch.index ||
                entry.parameter == p.fw_command.index || entry.parameter == p.fw_report.index)
                all.push_back(entry);
        }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto &a, const auto &b) { return a.begin_ns < b.begin_ns; });
    return all;
}

// The queues of those entries of one kind.
std::vector<uint32_t> queues_of(Rig &rig, const tsim::Setting &kind)
{
    std::vector<uint32_t> queues;
    for (const auto &entry : work(rig)) {
        if (entry.parameter == kind.index)
            queues.push_back(entry.sq);
    }
    return queues;
}

uint64_t stamp(Rig &rig, uint32_t sq, uint32_t index)
{
    EXPECT_EQ(rig.params().counter_mhz.value, 1000); // so that a tick is a nanosecond
    return rig.cqe(sq, index).u.timestamp;
}

const uint64_t kTell = ns("firmware.reports.interrupt_ns") + ns("firmware.reports.take_ns");
const uint64_t kFirst = ns("firmware.activate_ns") + ns("firmware.fetch_ns") +
                        ns("firmware.command_ns") + ns("firmware.report_ns");
const uint64_t kNext = ns("firmware.command_ns") + ns("firmware.report_ns");

// T-HW-1, T-HW-2, T-HW-5, T-HW-6, T-HW-9.
void test_a_lone_command()
{
    Rig rig(old());
    rig.open(5);
    rig.put(5, sqe_with_cqe(sqe_placeholder()), 1000);
    rig.run();
    EXPECT_EQ(stamp(rig, 5, 0), 1000 + kFirst);
    EXPECT_EQ(rig.retired_at(5, 1), 1000 + kFirst + kTell);
    // its parts follow each other without a gap
    uint64_t at = 1000;
    const auto parts = work(rig);
    CU_ASSERT_EQUAL_FATAL(parts.size(), 4);
    for (const auto &part : parts) {
        EXPECT_EQ(part.begin_ns, at);
        at = part.end_ns;
    }
    EXPECT_EQ(at, 1000 + kFirst);
    // the hardware's own steps take no time here
    const auto task = rig.phases(TWINSIM_PHASE_TASK, 5);
    CU_ASSERT_EQUAL_FATAL(task.size(), 1);
    EXPECT_EQ(task[0].end_ns - task[0].begin_ns, kFirst - ns("firmware.activate_ns"));
}

// T-HW-3: never two things at a time, on one device; devices do not disturb each other.
void test_one_thing_at_a_time()
{
    Rig rig(old());
    for (uint32_t sq = 0; sq < 10; ++sq) {
        rig.open(sq, static_cast<uint8_t>(sq % 3));
        for (int i = 0; i < 6; ++i)
            rig.put(sq, sqe_placeholder(), 100 * sq);
    }
    rig.run();
    uint64_t at = 0;
    const auto parts = work(rig);
    for (const auto &part : parts) {
        CU_ASSERT(part.begin_ns >= at);
        at = part.end_ns;
    }
    // ten activations, two fetches each, and all commands and reports; never idle
    EXPECT_EQ(parts.size(), 10 + 10 * 2 + 60 + 60);
    EXPECT_EQ(at, 10 * ns("firmware.activate_ns") + 20 * ns("firmware.fetch_ns") + 60 * kNext);
    for (uint32_t sq = 0; sq < 10; ++sq)
        EXPECT_EQ(rig.retired(sq), 6);
}

// T-HW-3: levels, and round-robin by number in one.
void test_order_of_levels()
{
    Rig rig(old());
    static const struct {
        uint32_t sq;
        uint8_t level;
    } queues[] = {{3, 2}, {9, 0}, {4, 1}, {8, 1}, {2, 0}, {5, 2}};
    for (const auto &queue : queues) {
        rig.open(queue.sq, queue.level);
        rig.put(queue.sq, sqe_placeholder(), 1000);
    }
    rig.run();
    CU_ASSERT(queues_of(rig, rig.params().fw_command) == (std::vector<uint32_t>{2, 9, 4, 8, 3, 5}));
    // A report goes before reads of all levels: between a command and its report no next command
    // of its queue is read.
    const auto parts = work(rig);
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
        if (parts[i].parameter == rig.params().fw_command.index) {
            EXPECT_EQ(parts[i + 1].parameter, rig.params().fw_report.index);
            EXPECT_EQ(parts[i + 1].sq, parts[i].sq);
        }
    }
}

// T-HW-3: a queue whose priority changes while it waits is chosen at its new level (T-FE-10).
void test_level_changes_while_waiting()
{
    Rig rig(old());
    for (const uint32_t sq : {1u, 2u, 3u}) {
        rig.open(sq, 3);
        rig.put(sq, sqe_placeholder(), 1000);
    }
    (void)rig.run_until(1500); // 1 is being activated; 2 and 3 wait for the loop
    CU_ASSERT(rig.device().scheduler().set_priority(3, 0, 0));
    rig.run();
    CU_ASSERT(queues_of(rig, rig.params().fw_activate) == (std::vector<uint32_t>{1, 3, 2}));
}

// T-HW-4: so many at a time as the window says.
void test_window()
{
    Rig rig(old());
    const uint64_t window = rig.params().fetch_window.value;
    EXPECT_EQ(window, 4);
    rig.open(1);
    for (uint64_t i = 0; i < 2 * window + 1; ++i)
        rig.put(1, sqe_with_cqe(sqe_placeholder()), 1000);
    rig.run();
    EXPECT_EQ(queues_of(rig, rig.params().fw_fetch).size(), 3);
    EXPECT_EQ(stamp(rig, 1, static_cast<uint32_t>(2 * window)), 1000 + ns("firmware.activate_ns") +
                                                                    3 * ns("firmware.fetch_ns") +
                                                                    (2 * window + 1) * kNext);
}

// T-HW-4: one command slot for all of a level. Queues of it take turns; another level has its own.
void test_command_slots()
{
    Rig rig(old([](tsim::Params &p) { p.fw_level_slots.value = 1; }));
    rig.open(1, 4);
    rig.open(2, 4);
    rig.open(3, 5);
    // 1 has a command under way that takes long, and keeps the slot of level 4
    rig.put(1, sqe_pcie_dma(Rig::kHbm, Rig::kHost, 8 << 20), 1000);
    rig.put(2, sqe_with_cqe(sqe_placeholder()), 2000);
    rig.put(3, sqe_with_cqe(sqe_placeholder()), 2000);
    rig.run();
    const auto copy = rig.phases(TWINSIM_PHASE_TRANSFER, 1);
    CU_ASSERT_EQUAL_FATAL(copy.size(), 1);
    CU_ASSERT(stamp(rig, 3, 0) < copy[0].end_ns);
    EXPECT_EQ(stamp(rig, 2, 0),
              copy[0].end_ns + ns("firmware.report_ns") + ns("firmware.fetch_ns") + kNext);
}

// T-HW-4: no more commands are read at a time than there are slots.
void test_reads_fit_the_slots()
{
    Rig rig(old([](tsim::Params &p) { p.fw_level_slots.value = 2; }));
    rig.open(1);
    for (int i = 0; i < 6; ++i)
        rig.put(1, sqe_placeholder(), 0);
    rig.run();
    EXPECT_EQ(queues_of(rig, rig.params().fw_fetch).size(), 3);
    EXPECT_EQ(rig.retired(1), 6);
}

// T-HW-7: a queue that waits for an event releases its slots, else the record of another queue
// would never be read.
void test_parked_queues_hold_no_slots()
{
    Rig rig(old([](tsim::Params &p) { p.fw_level_slots.value = 1; }));
    rig.open(1);
    rig.open(2);
    rig.put(1, sqe_event_wait(7, 0), 1000);
    rig.put(1, sqe_placeholder(), 1000);
    rig.put(2, sqe_event_record(7), 50000);
    rig.run();
    EXPECT_EQ(rig.retired(1), 2);
    EXPECT_EQ(rig.retired(2), 1);
    // With room for all: SQEs that were read after the wait are read again.
    Rig roomy(old());
    roomy.open(1);
    roomy.open(2);
    roomy.put(1, sqe_event_wait(7, 0), 1000);
    roomy.put(1, sqe_placeholder(), 1000);
    roomy.put(2, sqe_event_record(7), 50000);
    roomy.run();
    EXPECT_EQ(roomy.phases(TWINSIM_PHASE_FETCH, 1).size(), 2);
}

// T-HW-2: as many queues as there are active places have work under way.
void test_active_places()
{
    Rig rig(old());
    constexpr uint32_t kQueues = 40;
    EXPECT_EQ(rig.params().slots.value, 32);
    for (uint32_t sq = 0; sq < kQueues; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_pcie_dma(Rig::kHbm, Rig::kHost, 16 << 20), 0);
    }
    rig.run();
    int64_t open = 0, most = 0;
    std::vector<std::pair<uint64_t, int>> edges;
    for (const auto &entry : rig.phases(TWINSIM_PHASE_OCCUPY)) {
        edges.emplace_back(entry.begin_ns, 1);
        edges.emplace_back(entry.end_ns, -1);
    }
    std::sort(edges.begin(), edges.end());
    for (const auto &edge : edges)
        most = std::max(most, open += edge.second);
    EXPECT_EQ(most, rig.params().slots.value);
    for (uint32_t sq = 0; sq < kQueues; ++sq)
        EXPECT_EQ(rig.retired(sq), 1);
}

// T-HW-8: no thread asks: after the interval the host receives all reports that are there.
void test_interval()
{
    Rig rig(old());
    rig.open(1);
    rig.put(1, sqe_placeholder(), 1000);
    rig.put(1, sqe_placeholder(), 1000);
    rig.run();
    const uint64_t seen = 1000 + kFirst + ns("firmware.reports.interval_ns") + kTell;
    EXPECT_EQ(rig.retired_at(1, 1), seen);
    EXPECT_EQ(rig.retired_at(1, 2), seen + ns("firmware.reports.take_ns"));
}

// T-HW-8, T-HW-9: the way of each report is in the trace, from the end of its command until the
// host has it.
void test_reports_are_traced()
{
    Rig rig(old());
    const tsim::Params &p = rig.params();
    rig.open(1);
    rig.put(1, sqe_placeholder(), 1000);
    rig.put(1, sqe_placeholder(), 1000);
    rig.run();
    const auto tasks = rig.phases(TWINSIM_PHASE_TASK, 1);
    const auto parts = rig.phases(TWINSIM_PHASE_REPORTED, 1);
    const uint32_t costs[] = {p.fw_interval.index, p.fw_interrupt.index, p.fw_take.index};
    CU_ASSERT_EQUAL_FATAL(tasks.size(), 2);
    CU_ASSERT_EQUAL_FATAL(parts.size(), 6);
    for (size_t i = 0; i < parts.size(); ++i) {
        const uint64_t number = 1 + i / 3;
        EXPECT_EQ(parts[i].number, number);
        EXPECT_EQ(parts[i].task_id, tasks[number - 1].task_id);
        EXPECT_EQ(parts[i].sqe_type, STARS_SQE_PLACEHOLDER);
        EXPECT_EQ(parts[i].parameter, costs[i % 3]);
        EXPECT_EQ(parts[i].begin_ns, i % 3 == 0 ? tasks[number - 1].end_ns : parts[i - 1].end_ns);
        if (i % 3 == 2)
            EXPECT_EQ(parts[i].end_ns, rig.retired_at(1, number));
    }
    EXPECT_EQ(parts[1].end_ns - parts[1].begin_ns, ns("firmware.reports.interrupt_ns"));
    EXPECT_EQ(parts[2].end_ns - parts[2].begin_ns, ns("firmware.reports.take_ns"));
    EXPECT_EQ(parts[5].end_ns - parts[5].begin_ns, 2 * ns("firmware.reports.take_ns"));
}

// T-HW-3: a queue's wait names the present work of the loop, whatever the queue needs.
void test_a_busy_loop_is_named()
{
    Rig rig(old());
    const tsim::Params &p = rig.params();
    const uint64_t reported =
        kFirst - ns("firmware.report_ns"); // the loop begins the report of queue 1
    rig.open(1);
    rig.open(2);
    rig.put(1, sqe_placeholder(), 0);
    rig.put(2, sqe_placeholder(), reported + 1);
    rig.run();
    const auto waits = rig.phases(TWINSIM_PHASE_ENGINE, 2);
    CU_ASSERT_EQUAL_FATAL(waits.size(), 1);
    EXPECT_EQ(waits[0].begin_ns, reported + 1);
    EXPECT_EQ(waits[0].end_ns, kFirst);
    EXPECT_EQ(waits[0].parameter, p.fw_report.index);
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_SLOT, 2).size(), 0); // one was free
}

// T-HW-8: before the interval is over a full batch does it.
void test_batch()
{
    Rig rig(old());
    const uint64_t batch = rig.params().fw_batch.value;
    const uint64_t window = rig.params().fetch_window.value;
    EXPECT_EQ(batch, 512);
    rig.open(1, 0, 1024);
    for (uint64_t i = 0; i < batch; ++i)
        rig.put(1, sqe_placeholder(), 0);
    rig.run();
    const uint64_t full = ns("firmware.activate_ns") +
                          (batch + window - 1) / window * ns("firmware.fetch_ns") + batch * kNext;
    CU_ASSERT(full < ns("firmware.reports.interval_ns"));
    EXPECT_EQ(rig.retired_at(1, 1), full + kTell);
    EXPECT_EQ(rig.retired_at(1, batch),
              full + kTell + (batch - 1) * ns("firmware.reports.take_ns"));
}

// T-HW-8: a watch does not wait for the interval, whether the command has retired or not. T-HW-9:
// in order.
void test_a_watch_asks()
{
    Rig rig(old());
    rig.open(1);
    rig.open(2);
    rig.put(2, sqe_placeholder(), 0);
    rig.put(1, sqe_placeholder(), 1000);
    rig.device().scheduler().watch(1, 1);
    CU_ASSERT_EQUAL(rig.run_until(UINT64_MAX), TWINSIM_STOP_WATCH);
    CU_ASSERT(rig.now() < ns("firmware.reports.interval_ns"));
    EXPECT_EQ(rig.now(), rig.retired_at(1, 1));
    EXPECT_EQ(rig.retired(2), 1); // the older report came first
    CU_ASSERT(rig.retired_at(2, 1) < rig.retired_at(1, 1));

    rig.put(1, sqe_placeholder(), rig.now());
    const uint64_t put = rig.now();
    (void)rig.run_until(put + 5 * kFirst); // it has retired, and is not reported
    EXPECT_EQ(rig.retired(1), 1);
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_TASK, 1).size(), 2);
    const uint64_t asked = rig.now();
    rig.device().scheduler().watch(1, 2);
    CU_ASSERT_EQUAL(rig.run_until(UINT64_MAX), TWINSIM_STOP_WATCH);
    EXPECT_EQ(rig.now(), asked + kTell);
}

// T-HW-10: with slow reports the loop begins no command while too many are pending.
void test_flow_control()
{
    constexpr uint64_t kTake = 100000, kStop = 5, kGo = 2, kCommands = 40;
    Rig rig(old([](tsim::Params &p) {
        p.fw_batch.value = 1;
        p.fw_take.value = kTake;
        p.fw_stop_at.value = kStop;
        p.fw_go_at.value = kGo;
    }));
    rig.open(1);
    for (uint64_t i = 0; i < kCommands; ++i)
        rig.put(1, sqe_placeholder(), 0);
    rig.run();
    EXPECT_EQ(rig.retired(1), kCommands);
    // Replays the rule: what was written and what was taken when a command was begun.
    std::vector<uint64_t> written, taken, begun;
    for (const auto &part : work(rig)) {
        if (part.parameter == rig.params().fw_report.index)
            written.push_back(part.end_ns);
        else
            begun.push_back(part.begin_ns);
    }
    for (uint64_t i = 1; i <= kCommands; ++i)
        taken.push_back(rig.retired_at(1, i));
    uint64_t stops = 0;
    for (const uint64_t at : begun) {
        bool stopped = false;
        uint64_t count = 0;
        size_t w = 0, t = 0;
        while (w < written.size() || t < taken.size()) {
            const bool write = w < written.size() && (t == taken.size() || written[w] <= taken[t]);
            const uint64_t when = write ? written[w] : taken[t];
            if (when > at)
                break;
            count = write ? count + 1 : count - 1;
            w += write;
            t += !write;
            stopped = stopped ? count > kGo : count >= kStop;
            stops += stopped && count >= kStop;
        }
        CU_ASSERT_FALSE(stopped);
    }
    CU_ASSERT(stops > 0);
}

// T-HW-10: a full report queue stops reports too; none is lost.
void test_full_firmware_cq()
{
    Rig rig(old([](tsim::Params &p) {
        p.fw_reports.value = 2;
        p.fw_batch.value = 2;
        p.fw_stop_at.value = 2;
        p.fw_go_at.value = 1;
        p.fw_take.value = 50000;
    }));
    for (uint32_t sq = 0; sq < 8; ++sq) {
        rig.open(sq);
        for (int i = 0; i < 3; ++i)
            rig.put(sq, sqe_sdma_fill(Rig::kHbm + (sq << 20), 1, 1 << 16), 0);
    }
    rig.run();
    std::vector<std::pair<uint64_t, int>> edges;
    for (const auto &part : work(rig)) {
        if (part.parameter == rig.params().fw_report.index)
            edges.emplace_back(part.end_ns, 1);
    }
    for (uint32_t sq = 0; sq < 8; ++sq) {
        EXPECT_EQ(rig.retired(sq), 3);
        for (uint64_t number = 1; number <= 3; ++number)
            edges.emplace_back(rig.retired_at(sq, number), -1);
    }
    std::sort(edges.begin(), edges.end());
    int64_t pending = 0, most = 0;
    for (const auto &edge : edges)
        most = std::max(most, pending += edge.second);
    EXPECT_EQ(most, rig.params().fw_reports.value);
}

// EVT, NTF on a firmware: a released wait is activated again and reported.
void test_release_of_a_wait()
{
    Rig rig(old());
    rig.open(1);
    rig.open(2);
    rig.put(1, sqe_with_cqe(sqe_notify_wait(3, 0)), 0);
    rig.put(2, sqe_with_cqe(sqe_notify_record(3)), 100000);
    rig.run();
    const uint64_t recorded = stamp(rig, 2, 0) - ns("firmware.report_ns");
    // both are ready at once: the record's report goes first
    EXPECT_EQ(stamp(rig, 1, 0), recorded + ns("firmware.report_ns") + ns("firmware.activate_ns") +
                                    ns("firmware.report_ns"));
}

// T-HW-6, T-HW-8: a failure is reported at once, and the queue goes on when that is handled.
void test_failure()
{
    Rig rig(old());
    rig.open(1);
    stars_sqe bad = sqe_placeholder();
    bad.word[0] = (bad.word[0] & ~STARS_W0_TYPE_MASK) | 63;
    rig.put(1, bad, 1000);
    rig.put(1, sqe_with_cqe(sqe_placeholder()), 1000);
    CU_ASSERT_EQUAL(rig.run_until(UINT64_MAX), TWINSIM_STOP_CQ);
    EXPECT_EQ(rig.now(), 1000 + kFirst + kTell);
    CU_ASSERT_EQUAL(rig.state(1), TWINSIM_QUEUE_EXCEPTION);
    EXPECT_EQ(rig.device().scheduler().take_interrupt(), 1);
    EXPECT_EQ(rig.retired(1), 0);
    CU_ASSERT(rig.device().scheduler().control(1, STARS_SQ_CONTROL_EXCEPTION_HANDLED));
    rig.run();
    EXPECT_EQ(rig.retired(1), 2);
}

// T-HW-11: a kill at any time leaves the loop and the slots as they were; the queue goes on after
// it.
void test_kill_at_any_time()
{
    for (uint64_t at = 0; at < 1000 + kFirst + kTell; at += 250) {
        Rig rig(old([](tsim::Params &p) { p.fw_level_slots.value = 4; }));
        rig.open(1);
        rig.open(2);
        for (int i = 0; i < 3; ++i)
            rig.put(1, sqe_placeholder(), 1000);
        (void)rig.run_until(at);
        CU_ASSERT(rig.device().scheduler().control(1, STARS_SQ_CONTROL_TASK_KILL));
        CU_ASSERT(rig.device().scheduler().control(1, STARS_SQ_CONTROL_TASK_TERMINATE));
        rig.put(1, sqe_placeholder(), at + 1000);
        for (int i = 0; i < 5; ++i)
            rig.put(2, sqe_placeholder(), at);
        rig.run();
        EXPECT_EQ(rig.retired(1), 4);
        EXPECT_EQ(rig.retired(2), 5);
    }
}

// T-HW-11: what was reported of a queue that is closed says nothing of the one that is opened in
// its place.
void test_close_with_reports()
{
    Rig rig(old());
    rig.open(1);
    rig.put(1, sqe_placeholder(), 0);
    rig.put(1, sqe_placeholder(), 0);
    (void)rig.run_until(5 * kFirst);
    EXPECT_EQ(rig.retired(1), 0);
    rig.device().scheduler().close(1);
    rig.open(1);
    rig.put(1, sqe_placeholder(), rig.now());
    rig.run();
    // the first of the old reports began the interval, and the new one is the third that is taken
    EXPECT_EQ(rig.retired(1), 1);
    EXPECT_EQ(rig.retired_at(1, 1), kFirst + ns("firmware.reports.interval_ns") + kTell +
                                        2 * ns("firmware.reports.take_ns"));
}

// Launch and synchronise of a tiny kernel took 75-78 us on a 310P: the one calibration of its host
// costs.
void test_launch_and_synchronise_is_calibrated()
{
    uint64_t sum = kFirst + kTell;
    for (const char *name :
         {"host.submit_ns", "host.doorbell_ns", "aicore.dispatch_ns", "aicore.core_init_ns",
          "aicore.software_init_ns", "aicore.report_ns", "host.wake.stream_ns"})
        sum += ns(name);
    CU_ASSERT(sum >= 75000 && sum <= 78000);
}

// The same seed and program give the same trace.
void test_twice_the_same()
{
    const auto trace_of = [] {
        Rig::Options options;
        options.seed = 11;
        Rig rig(options, old());
        for (uint32_t sq = 0; sq < 50; ++sq) {
            rig.open(sq, static_cast<uint8_t>(sq % 8));
            rig.put(sq, sqe_pcie_dma(Rig::kHbm + (sq << 20), Rig::kHost, 1 << 16), sq * 37);
            rig.put(sq, sqe_with_cqe(sqe_event_record(sq)), sq * 37);
            rig.put(sq, sqe_event_wait((sq + 1) % 50, 0), sq * 37);
        }
        rig.run();
        std::string text;
        for (const auto &entry : work(rig))
            text += std::to_string(entry.begin_ns) + ":" + std::to_string(entry.sq) + " ";
        return text;
    };
    CU_ASSERT(trace_of() == trace_of());
}

// T-CQ-4, T-HW-6: the host may set its CQ head more than once before the loop gets to the report;
// there is one report.
void test_cq_head_set_twice()
{
    Rig rig(old());
    rig.open(5, 0, 64, 2);
    for (int i = 0; i < 4; ++i)
        rig.put(5, sqe_with_cqe(sqe_placeholder()), 0);
    for (uint32_t i = 1; i < 4; ++i) {
        rig.run();
        EXPECT_EQ(rig.retired(5), i);
        EXPECT_EQ(rig.state(5), TWINSIM_QUEUE_HELD);
        CU_ASSERT(rig.device().scheduler().set_cq_head(5, i % 2));
        CU_ASSERT(rig.device().scheduler().set_cq_head(5, i % 2));
        rig.run_until(rig.now() + ns("firmware.report_ns") - 1);
        CU_ASSERT(rig.device().scheduler().set_cq_head(5, i % 2));
    }
    rig.run();
    EXPECT_EQ(rig.retired(5), 4);
    EXPECT_EQ(queues_of(rig, rig.params().fw_command).size(), 4);
    EXPECT_EQ(rig.cqe(5, 1).task_id, 4);
}

// T-COND-6, T-HW-9: what a jump leaves out counts as retired with the report of the jump, not
// before.
void test_jump()
{
    Rig rig(old());
    const tsim::Params &p = rig.params();
    rig.open(5);
    rig.write(5, sqe_with_cqe(sqe_cond([](sim_cond &c) { sim_cond_goto(&c, 5, 3); })));
    rig.write(5, sqe_event_record(1));
    rig.write(5, sqe_event_record(2));
    rig.ring(5, 1000);
    rig.run();
    EXPECT_EQ(rig.retired(5), 3);
    CU_ASSERT_FALSE(rig.device().scheduler().events().flag(1));
    const auto program = rig.phases(TWINSIM_PHASE_PROGRAM, 5).at(0);
    CU_ASSERT(program.end_ns > program.begin_ns);
    EXPECT_EQ(rig.retired_at(5, 1), program.end_ns + p.fw_report.value + kTell);
    EXPECT_EQ(rig.retired_at(5, 3), rig.retired_at(5, 1));
}

const twin_test tests[] = {
    {"a lone command takes the sum of the loop's work", test_a_lone_command},
    {"the loop does one thing at a time", test_one_thing_at_a_time},
    {"reports first, then levels, then queue numbers", test_order_of_levels},
    {"a queue that waits for the loop may change its level", test_level_changes_while_waiting},
    {"commands are read in windows", test_window},
    {"queues of a level share its command slots", test_command_slots},
    {"commands are read as far as there are slots", test_reads_fit_the_slots},
    {"a queue that waits gives its command slots back", test_parked_queues_hold_no_slots},
    {"no more queues are active than there are places", test_active_places},
    {"the host learns of commands after the interval", test_interval},
    {"reports are traced from the end of the command to the host", test_reports_are_traced},
    {"a wait for the loop names its present work", test_a_busy_loop_is_named},
    {"the host learns of commands when a batch is full", test_batch},
    {"a watch asks for a report", test_a_watch_asks},
    {"too many reports stop commands", test_flow_control},
    {"a full firmware CQ loses nothing", test_full_firmware_cq},
    {"a released wait is activated and reported", test_release_of_a_wait},
    {"a failure is reported at once", test_failure},
    {"a kill at any time leaves the firmware whole", test_kill_at_any_time},
    {"reports of a closed queue have no effect", test_close_with_reports},
    {"a CQ head set twice makes no second report", test_cq_head_set_twice},
    {"SQEs that a jump skips are reported with it", test_jump},
    {"host costs fit the published launch and synchronise time",
     test_launch_and_synchronise_is_calibrated},
    {"the same seed gives the same trace", test_twice_the_same},
};

} // namespace

int main(int argc, char **argv)
{
    return twin_run_suite("sim firmware", tests, TWIN_COUNT(tests), argc, argv);
}
