// SPDX-License-Identifier: Apache-2.0
/// What the benches of blocks share: a clock, a source of random numbers, and the main program.
#ifndef RTL_STUBS_COMMON_BENCH_BENCH_H
#define RTL_STUBS_COMMON_BENCH_BENCH_H

#include <verilated.h>
#if BENCH_COVERAGE
#include <verilated_cov.h>
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>

#include "tally.h"

namespace bench
{

/// splitmix64: the same seed, the same run, on every machine.
class Dice
{
  public:
    explicit Dice(uint64_t seed) : state_(seed) {}
    uint64_t roll()
    {
        uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    uint64_t below(uint64_t most) { return roll() % most; }
    bool chance(uint32_t percent) { return roll() % 100 < percent; }

  private:
    uint64_t state_;
};

struct Options {
    uint64_t seed = 1;
    uint64_t operations = 20000;
    const char *coverage = nullptr; ///< file for coverage data, of a build that collects it
};

inline Options options(int argc, char **argv)
{
    Options out;
    for (int i = 1; i < argc; ++i) {
        const char *value = std::strchr(argv[i], '=');
        if (value && std::strncmp(argv[i], "--seed=", 7) == 0)
            out.seed = std::strtoull(value + 1, nullptr, 0);
        else if (value && std::strncmp(argv[i], "--operations=", 13) == 0)
            out.operations = std::strtoull(value + 1, nullptr, 0);
        else if (value && std::strncmp(argv[i], "--coverage=", 11) == 0)
            out.coverage = value + 1;
        else {
            std::fprintf(stderr, "usage: %s [--seed=N] [--operations=N] [--coverage=FILE]\n",
                         argv[0]);
            std::exit(2);
        }
    }
    return out;
}

/// Clocks in which a request, or a response, had to wait, of all blocks together. Assertions about
/// waiting are checked only then.
struct Handshakes {
    uint64_t requests = 0;
    uint64_t responses = 0;

    /// False, and says which, when one never waited.
    [[nodiscard]] bool complete() const
    {
        if (requests == 0 || responses == 0)
            std::printf("FAIL: never met: a %s that waits: the run proves nothing\n",
                        requests == 0 ? "request" : "response");
        return requests != 0 && responses != 0;
    }
};
inline Handshakes handshakes;

/// A Verilated block with its clock. A hang is a failure. Its registers and memories begin with
/// values that the seed gives, so that nothing depends on zeros that a chip does not have.
template <typename Block>
class Clocked
{
  public:
    explicit Clocked(uint64_t first_seed)
        : seed(first_seed), dice(seed), context_(undefined(seed)), block(context_.get(), "bench")
    {
        block.req_valid_i = 0;
        block.rsp_ready_i = 0;
    }
    ~Clocked() { block.final(); }
    Clocked(const Clocked &) = delete;
    Clocked &operator=(const Clocked &) = delete;

    void clock()
    {
        handshakes.requests += block.req_valid_i && !block.req_ready_o;
        handshakes.responses += block.rsp_valid_o && !block.rsp_ready_i;
        block.clk_i = 1;
        block.eval();
        block.clk_i = 0;
        block.eval();
        ++clocks;
    }
    /// Reset, then clocks until the block is at rest. Settings are there before.
    void reset()
    {
        block.clk_i = 0;
        block.rst_ni = 1;
        block.eval();
        block.rst_ni = 0;
        block.eval();
        clock();
        block.rst_ni = 1;
        block.eval();
        until([this] { return !block.busy_o; }, "the end of reset");
    }
    template <typename Condition>
    void until(Condition condition, const char *what)
    {
        for (uint64_t most = clocks + 1000000; !condition(); clock())
            if (clocks > most) {
                std::printf("FAIL: the block hangs: no %s within 1000000 clocks\n", what);
                std::exit(1);
            }
    }
    /// Hands over the operation on the request port, now and then late.
    void request()
    {
        while (dice.chance(10))
            clock();
        press();
        taken();
    }
    /// Puts the operation on the request port, also while another one is under way.
    void press()
    {
        block.req_valid_i = 1;
        block.eval();
    }
    /// Waits until what is on the request port has been taken.
    void taken()
    {
        until([this] { return block.req_ready_o; }, "taken request");
        clock();
        block.req_valid_i = 0;
        block.eval();
    }
    /// Waits for a response; it is taken by `take`, now and then late.
    void await()
    {
        block.rsp_ready_i = 0;
        until([this] { return block.rsp_valid_o; }, "response");
        while (dice.chance(10))
            clock();
    }
    void take()
    {
        block.rsp_ready_i = 1;
        clock();
        block.rsp_ready_i = 0;
        block.eval();
    }

    /// Whether the bench has requests wait for the operation before them.
    static constexpr bool kRequestsWait = false;

    [[nodiscard]] uint32_t below(uint64_t end) { return static_cast<uint32_t>(dice.below(end)); }

    uint64_t number = 0; ///< of the operation
    const char *operation = "reset";
    const uint64_t seed;
    Dice dice;
    uint64_t clocks = 0;

  private:
    static std::unique_ptr<VerilatedContext> undefined(uint64_t seed)
    {
        auto context = std::make_unique<VerilatedContext>();
        context->randReset(BENCH_COVERAGE ? 0 : 2); // random, which would count as toggles
        context->randSeed(static_cast<int>(1 + seed % 0x7fffffff));
        Verilated::threadContextp(context.get()); // whom the block asks while it is made
        return context;
    }

    std::unique_ptr<VerilatedContext> context_;

  public:
    Block block;

    /// Keeps what was covered: each time in another file, file.1, file.2, …
    void write_coverage(const char *file)
    {
#if BENCH_COVERAGE
        static int number = 0;
        if (file)
            context_->coveragep()->write(
                (file + std::string(".") + std::to_string(++number)).c_str());
#else
        (void)file;
#endif
    }
};

/// Runs a bench once for each setting. Fails if it never met something that it must meet (Met).
template <typename Bench, typename Settings>
int run(const char *block, const Settings &settings, int argc, char **argv)
{
    const Options options = bench::options(argc, argv);
    uint64_t clocks = 0;
    for (const auto &setting : settings) {
        Bench bench(options.seed + clocks, setting);
        bench.run(options.operations / std::size(settings));
        clocks += bench.clocks;
        bench.write_coverage(options.coverage);
    }
    if (!Met::complete() || (Bench::kRequestsWait && !handshakes.complete()))
        return 1;
    std::printf("PASS %s: %llu operations, %llu clocks, seed %llu\n", block,
                static_cast<unsigned long long>(options.operations),
                static_cast<unsigned long long>(clocks),
                static_cast<unsigned long long>(options.seed));
    return 0;
}

/// How wide a number below `count` is.
constexpr unsigned width_of(uint32_t count)
{
    unsigned width = 0;
    while ((1u << width) < count)
        ++width;
    return width;
}

/// Fails at the first difference.
#define BENCH_EQUAL(what, rule, rtl, model)                                                        \
    do {                                                                                           \
        const auto rtl_value = static_cast<unsigned long long>(rtl);                               \
        const auto model_value = static_cast<unsigned long long>(model);                           \
        if (rtl_value != model_value) {                                                            \
            std::printf("FAIL: operation %llu (%s): %s: RTL %llu, model %llu; rule %s, seed "      \
                        "%llu\n",                                                                  \
                        static_cast<unsigned long long>(number), operation, what, rtl_value,       \
                        model_value, rule, static_cast<unsigned long long>(seed));                 \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

} // namespace bench

#endif
