// SPDX-License-Identifier: Apache-2.0
/// What the RTL costs the host: behind the model's ports against a bare loop on the same Verilated class, with waveforms against
/// without, and when it has nothing to do. Prints numbers and judges none: host time is noisy.
///   rtl_speed [operations]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <Vnpu_arbiter.h>
#include <verilated.h>

#include "core/arbiter.h"
#include "rig.h"
#include "rtl/factory.h"

namespace
{

constexpr uint32_t kQueues = 512;
constexpr uint32_t kRepeats = 5;

using Clock = std::chrono::steady_clock;

double seconds(Clock::time_point since)
{
    return std::chrono::duration<double>(Clock::now() - since).count();
}

// All queues ask, then each winner asks again: add and take in turn.
double behind_ports(uint32_t operations, const char *trace)
{
    const auto factory = tsim::rtl::make_factory(TWINSIM_MODEL_RTL, trace);
    static const tsim::Cycle now = 0;
    factory->attach(now, 0);
    const tsim::ArbiterRules rules;
    const auto twin = factory->arbiter(rules, {0, "speed"});
    twin->reset();
    for (uint32_t sq = 0; sq < kQueues; ++sq)
        twin->add(sq, sq % 8, sq % 5);
    uint64_t seed = 0;
    const auto begin = Clock::now();
    for (uint32_t i = 0; i < operations; i += 2) {
        const uint32_t sq = twin->take(seed);
        twin->add(sq, sq % 8, sq % 5);
    }
    return operations / seconds(begin);
}

// The same on the class alone; says how many clocks that took.
double bare(uint32_t operations, uint64_t &clocks)
{
    auto context = std::make_unique<VerilatedContext>();
    context->threads(1);
    Verilated::threadContextp(context.get());
    Vnpu_arbiter top(context.get());
    clocks = 0;
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
    const auto begin = Clock::now();
    for (uint32_t i = 0; i < operations; i += 2)
        (void)run(0, run(2, 0));
    const double result = operations / seconds(begin);
    top.final();
    Verilated::threadContextp(context.get());
    return result;
}

// A board with nothing to do, time by time: how long a run takes, plain or with RTL.
double idle(twinsim_model model, uint32_t runs)
{
    const auto factory = tsim::rtl::make_factory(model, "");
    Rig::Options options;
    options.trace = false;
    options.twins = factory.get();
    Rig rig(options, nullptr);
    const auto begin = Clock::now();
    for (uint32_t i = 1; i <= runs; ++i)
        (void)rig.board().run(uint64_t{i} * 1000000, UINT32_MAX);
    return seconds(begin) / runs * 1e9;
}

double middle(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

} // namespace

int main(int argc, char **argv)
{
    const auto operations =
        static_cast<uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200000);
    std::vector<double> ports, alone, waves, ratio, wave_ratio;
    uint64_t clocks = 0;
    for (uint32_t i = 0; i < kRepeats; ++i) { // in turn, so that both see the same machine
        alone.push_back(bare(operations, clocks));
        ports.push_back(behind_ports(operations, ""));
        waves.push_back(behind_ports(operations, "rtl_speed"));
        ratio.push_back(ports.back() / alone.back());
        wave_ratio.push_back(waves.back() / ports.back());
    }
    (void)std::remove("rtl_speed.0.arbiter.speed.fst");
    const double per_operation = static_cast<double>(clocks) / operations;
    std::printf("npu_arbiter, %u operations of %.1f clocks, middle of %u repeats\n", operations,
                per_operation, kRepeats);
    std::printf("bare loop              %8.2f M clocks/s\n", middle(alone) * per_operation / 1e6);
    std::printf("behind the ports       %8.2f M clocks/s, %.2f of bare\n",
                middle(ports) * per_operation / 1e6, middle(ratio));
    std::printf("with waveforms (FST)   %8.2f M clocks/s, %.2f of without\n",
                middle(waves) * per_operation / 1e6, middle(wave_ratio));
    constexpr uint32_t kRuns = 200000;
    const double plain = idle(TWINSIM_MODEL_TLM, kRuns), rtl = idle(TWINSIM_MODEL_RTL, kRuns);
    std::printf("a run of an idle board %8.1f ns plain, %.1f ns with RTL\n", plain, rtl);
    return 0;
}
