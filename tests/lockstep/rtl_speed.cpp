// SPDX-License-Identifier: Apache-2.0
/// What the RTL costs the host, in CPU time of one thread: npu_top while it is busy (P15), with
/// waveforms (P17), a block at the model's ports and a bare loop on the same Verilated class (P14),
/// and both when there is nothing to do (P16). Prints numbers and judges none: host time is
/// noisy. How to read them: rtl-stubs/README.md.
///   rtl_speed [--repeats=N] [--rounds=N] [top] [block] [idle]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Tnpu_top.h>
#include <Vnpu_arbiter.h>
#include <Vnpu_top.h>
#include <verilated.h>

#include "core/tables/arbiter.h"
#include "rig.h"
#include "rtl/factory.h"
#include "rtl/wave.h"
#include "top_system.h"

namespace
{

uint32_t g_repeats = 11;
uint32_t g_rounds = 60; // of the busy job

/// CPU time of this thread since `run` began.
double seconds_of(const std::function<void()> &run)
{
    const auto now = [] {
        timespec time{};
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    const double begin = now();
    run();
    return now() - begin;
}

/// Samples of one number: the median, the lowest and the highest are printed.
class Samples
{
  public:
    void add(double value) { values_.push_back(value); }
    [[nodiscard]] double last() const { return values_.back(); }
    void print(const char *what, const char *unit) const
    {
        std::vector<double> sorted = values_;
        std::sort(sorted.begin(), sorted.end());
        std::printf("  %-34s %9.3f %-12s (%.3f to %.3f)\n", what, sorted[sorted.size() / 2], unit,
                    sorted.front(), sorted.back());
    }

  private:
    std::vector<double> values_;
};

// ---- npu_top ----

/// All kinds of tasks on 16 queues, some of which wait for each other; software takes the CQEs
/// between rounds.
job::Job busy_job()
{
    constexpr uint32_t kQueues = 16;
    job::Job made;
    const auto add = [&made](job::Kind kind, uint32_t sq, uint64_t a = 0, uint64_t b = 0,
                             uint64_t c = 0, bool cqe = false) {
        job::Step step{kind, sq, {a, b, c}};
        step.cqe = cqe;
        made.steps.push_back(step);
    };
    for (uint32_t sq = 0; sq < kQueues; ++sq)
        made.steps.push_back({job::Kind::kQueue, sq, {sq % 8, sq % 3, 64, 64, 1}});
    uint64_t now = 0;
    for (uint32_t round = 0; round < g_rounds; ++round) {
        for (uint32_t sq = 0; sq < kQueues; ++sq) {
            const uint32_t other = (sq + 1) % kQueues;
            add(job::Kind::kSdma, sq, Rig::kHbm + 128 * sq, Rig::kHbm + 64 * other, 1024);
            add(job::Kind::kEventRecord, sq, sq);
            add(job::Kind::kEventWait, sq, other);
            add(job::Kind::kPlaceholder, sq, 0, 0, 0, true);
            add(job::Kind::kWriteMemory, sq, Rig::kHbm + 8 * sq, 3, round);
            add(job::Kind::kNotifyRecord, sq, other);
            add(job::Kind::kNotifyWait, sq, sq);
            add(job::Kind::kWriteEvent, sq, sq, 0);
            add(job::Kind::kPcie, sq, Rig::kHost + 128 * sq, Rig::kHbm + 64 * sq, 512, true);
            add(job::Kind::kRing, sq);
        }
        now += 20000;
        add(job::Kind::kRun, 0, now);
        for (uint32_t sq = 0; sq < kQueues; ++sq)
            add(job::Kind::kCqTake, sq, 64);
    }
    return made;
}

/// A Verilated npu_top with its own context.
template <class Model>
struct Machine {
    Machine() : context(std::make_unique<VerilatedContext>())
    {
        context->threads(1); // the default context would start a worker thread
        Verilated::threadContextp(context.get());
        model = std::make_unique<Model>(context.get());
    }
    ~Machine()
    {
        Verilated::threadContextp(context.get());
        model->final();
    }
    Machine(const Machine &) = delete;
    Machine &operator=(const Machine &) = delete;

    std::unique_ptr<VerilatedContext> context;
    std::unique_ptr<Model> model;
};

struct Fst {
    explicit Fst(Machine<Tnpu_top> &machine) : model(*machine.model)
    {
        machine.context->traceEverOn(true);
        model.trace(file.file(), 99);
        file.open("rtl_speed.top.fst");
    }
    ~Fst()
    {
        file.close();
        (void)std::remove("rtl_speed.top.fst");
    }
    Fst(const Fst &) = delete;
    Fst &operator=(const Fst &) = delete;
    void dump() { file.dump(model.now_o); }

    Tnpu_top &model;
    tsim::rtl::FstFile file;
};

struct Counts {
    uint64_t clocks = 0, cycles = 0, tasks = 0;
};

Counts play(const job::Job &busy, Machine<Vnpu_top> &machine, job::Outcome *out)
{
    Verilated::threadContextp(machine.context.get());
    job::NoWave none;
    job::TopSystem<Vnpu_top> system(busy, *machine.model, none);
    std::unique_ptr<job::TopNotes> notes;
    if (out) {
        notes = std::make_unique<job::TopNotes>(busy, system.done(), *out);
        system.set_notes(notes.get());
    }
    system.run();
    if (out) {
        system.end(*out);
        std::sort(out->spans.begin(), out->spans.end());
    }
    Counts counts{system.clocks(), system.now(), 0};
    for (const uint64_t done : system.done())
        counts.tasks += done;
    return counts;
}

void play_with_waves(const job::Job &busy)
{
    Machine<Tnpu_top> machine;
    Fst fst(machine);
    job::TopSystem<Tnpu_top, Fst> system(busy, *machine.model, fst);
    system.run();
}

[[nodiscard]] bool same(const job::Outcome &a, const job::Outcome &b)
{
    return a.spans == b.spans && a.ends == b.ends && a.state == b.state;
}

bool measure_top()
{
    const job::Job busy = busy_job();
    Machine<Vnpu_top> machine;
    Counts counts = play(busy, machine, nullptr);
    const auto clocks = static_cast<double>(counts.clocks);
    Samples alone, tasks, cycles, checked, beside, waves, wave_ratio;
    bool good = true;
    for (uint32_t i = 0; i < g_repeats; ++i) { // in turn, so that all see the same machine
        const double bare = seconds_of([&] { (void)play(busy, machine, nullptr); });
        alone.add(clocks / bare / 1e6);
        tasks.add(static_cast<double>(counts.tasks) / bare / 1e3);
        cycles.add(static_cast<double>(counts.cycles) / bare / 1e6);
        job::Outcome rtl;
        checked.add(clocks / seconds_of([&] { (void)play(busy, machine, &rtl); }) / 1e6);
        job::Outcome again;
        const double both = seconds_of([&] {
            (void)play(busy, machine, &again);
            good = same(again, job::run_model(busy)) && good;
        });
        beside.add(clocks / both / 1e6);
        waves.add(clocks / seconds_of([&] { play_with_waves(busy); }) / 1e6);
        wave_ratio.add(waves.last() / alone.last());
    }
    std::printf("npu_top, busy: %llu tasks of 16 queues, %.1f clocks each\n",
                static_cast<unsigned long long>(counts.tasks),
                clocks / static_cast<double>(counts.tasks));
    alone.print("alone (P15)", "M clocks/s");
    tasks.print("", "k tasks/s");
    cycles.print("", "M cycles/s");
    checked.print("with the checker of lockstep.jobs", "M clocks/s");
    beside.print("and the model beside it", "M clocks/s");
    waves.print("alone, with waveforms (FST)", "M clocks/s");
    wave_ratio.print("  of without (P17)", "");
    if (!good)
        std::printf("RTL and model differ\n");
    return good;
}

// ---- a block in the model ----

constexpr uint32_t kQueues = 512;
constexpr uint32_t kOperations = 100000;

// All queues ask, then each winner asks again: add and take in turn.
double at_ports(const char *trace)
{
    const auto factory = tsim::rtl::make_factory(TWINSIM_MODEL_RTL, trace);
    static const tsim::Cycle now = 0;
    factory->attach(now, 0);
    const tsim::ArbiterRules rules;
    const auto rtl_port = factory->arbiter(rules, {0, "speed"});
    rtl_port->reset();
    for (uint32_t sq = 0; sq < kQueues; ++sq)
        rtl_port->add(sq, sq % 8, sq % 5);
    uint64_t seed = 0;
    return seconds_of([&] {
        for (uint32_t i = 0; i < kOperations; i += 2) {
            const uint32_t sq = rtl_port->take(seed);
            rtl_port->add(sq, sq % 8, sq % 5);
        }
    });
}

// The same on the class alone; says how many clocks that took.
double bare(uint64_t &clocks)
{
    Machine<Vnpu_arbiter> machine;
    Vnpu_arbiter &top = *machine.model;
    const auto clock = [&] {
        ++clocks;
        top.clk_i = 1;
        top.eval();
        top.clk_i = 0;
        top.eval();
    };
    const auto run = [&](uint8_t op, uint32_t sq) {
        top.req_op_i = op;
        top.req_queue_i = static_cast<uint16_t>(sq);
        top.req_priority_i = sq % 8;
        top.req_group_i = sq % 5;
        top.req_valid_i = 1;
        clock();
        top.req_valid_i = 0;
        while (!top.rsp_valid_o)
            clock();
        const uint32_t winner = top.rsp_queue_o;
        clock();
        return winner;
    };
    top.cfg_strict_level_i = 7;
    top.rsp_ready_i = 1;
    top.rst_ni = 1;
    top.eval();
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
    for (uint32_t sq = 0; sq < kQueues; ++sq)
        (void)run(0, sq);
    clocks = 0;
    return seconds_of([&] {
        for (uint32_t i = 0; i < kOperations; i += 2)
            (void)run(0, run(2, 0));
    });
}

void measure_block()
{
    uint64_t clocks = 0;
    Samples alone, ports, ratio, waves, wave_ratio;
    const auto rate = [&clocks](double seconds) {
        return static_cast<double>(clocks) / seconds / 1e6;
    };
    for (uint32_t i = 0; i < g_repeats; ++i) {
        alone.add(rate(bare(clocks)));
        ports.add(rate(at_ports("")));
        waves.add(rate(at_ports("rtl_speed")));
        ratio.add(ports.last() / alone.last());
        wave_ratio.add(waves.last() / ports.last());
    }
    (void)std::remove("rtl_speed.0.arbiter.speed.fst");
    std::printf("npu_arbiter: %u operations of %.1f clocks\n", kOperations,
                static_cast<double>(clocks) / kOperations);
    alone.print("bare loop", "M clocks/s");
    ports.print("at the ports of the model", "M clocks/s");
    ratio.print("  of bare (P14)", "");
    waves.print("with waveforms (FST)", "M clocks/s");
    wave_ratio.print("  of without (P17)", "");
}

// ---- nothing to do ----

// Nanoseconds of a run of a system that has nothing to do, time by time.
double idle_system(twinsim_model model)
{
    constexpr uint32_t kRuns = 100000;
    const auto factory = tsim::rtl::make_factory(model, "");
    Rig::Options options;
    options.trace = false;
    options.rtl_ports = factory.get();
    Rig rig(options, nullptr);
    return seconds_of([&rig] {
               for (uint32_t i = 1; i <= kRuns; ++i)
                   (void)rig.system().run(uint64_t{i} * 1000000, UINT32_MAX);
           }) /
           kRuns * 1e9;
}

void measure_idle()
{
    Samples plain, rtl;
    for (uint32_t i = 0; i < g_repeats; ++i) {
        plain.add(idle_system(TWINSIM_MODEL_CPP));
        rtl.add(idle_system(TWINSIM_MODEL_RTL));
    }
    job::Job quiet;
    quiet.steps.push_back({job::Kind::kQueue, 0, {0, 0, 64, 64, 1}});
    Machine<Vnpu_top> machine;
    const uint64_t before = play(quiet, machine, nullptr).clocks;
    for (uint32_t i = 1; i <= 1000; ++i)
        quiet.steps.push_back({job::Kind::kRun, 0, {uint64_t{i} * 1000000}});
    const uint64_t after = play(quiet, machine, nullptr).clocks;
    std::printf("Nothing to do (P16)\n");
    plain.print("a run of a system, plain", "ns");
    rtl.print("a run of a system with RTL", "ns");
    std::printf("  %-34s %9llu clocks\n", "1000 runs of npu_top",
                static_cast<unsigned long long>(after - before));
}

} // namespace

int main(int argc, char **argv)
{
    bool top = false, block = false, idle = false;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "top") == 0)
            top = true;
        else if (std::strcmp(argv[i], "block") == 0)
            block = true;
        else if (std::strcmp(argv[i], "idle") == 0)
            idle = true;
        else if (std::strncmp(argv[i], "--repeats=", 10) == 0)
            g_repeats = static_cast<uint32_t>(std::strtoul(argv[i] + 10, nullptr, 10));
        else if (std::strncmp(argv[i], "--rounds=", 9) == 0)
            g_rounds = static_cast<uint32_t>(std::strtoul(argv[i] + 9, nullptr, 10));
        else
            g_repeats = 0;
    }
    if (g_repeats == 0 || g_rounds == 0) {
        std::printf("rtl_speed [--repeats=N] [--rounds=N] [top] [block] [idle]\n");
        return 2;
    }
    try {
        std::printf("Median of %u, then lowest and highest; CPU time of the thread.\n", g_repeats);
        const bool all = !top && !block && !idle;
        const bool good = !(all || top) || measure_top();
        if (all || block)
            measure_block();
        if (all || idle)
            measure_idle();
        return good ? 0 : 1;
    } catch (const std::string &what) { // the RTL hangs
        std::printf("%s\n", what.c_str());
    } catch (const std::exception &what) {
        std::printf("%s\n", what.what());
    }
    return 1;
}
