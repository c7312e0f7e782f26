// SPDX-License-Identifier: Apache-2.0
/// One Verilated block: clocked while it works on an operation, and not at all between.
#ifndef TWINSIM_RTL_MACHINE_H
#define TWINSIM_RTL_MACHINE_H

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <verilated.h>

#include "core/base/types.h"
#include "rtl/wave.h"

namespace tsim::rtl
{

/// A number of an answer, and the rule that a wrong one breaks.
struct Signal {
    const char *name;
    const char *rule;
};

// `Ports` describes a block once, for everything here:
//
//   static constexpr const char *kBlock = "npu_arbiter";
//   static constexpr std::array<const char *, N> kRequest = {"op", …};    the operation comes first
//   static constexpr std::array<Signal, M> kResponse = {{{"queue", "T-ARB-5"}, …}};
//   static constexpr const char *kOps[] = {"add", …};                     operations, by number
//   static const char *rule_of(const Request &request, const Response &model, size_t signal);
//       may be left out: the rule of a signal in this operation; null: that of kResponse
//   template <class Top> static void drive(Top &top, Cycle now, const Request &request);
//   template <class Top> static void read(const Top &top, Response &response);
//   using Plain = …; using Traced = …;    Verilator's classes, without and with waveforms
//
// The block has the operation channel that rtl-stubs/README.md describes: req_valid_i, req_ready_o,
// rsp_valid_o, rsp_ready_i, rsp_last_o.
template <class Ports>
using Request = std::array<uint64_t, Ports::kRequest.size()>;
template <class Ports>
using Response = std::array<uint64_t, Ports::kResponse.size()>;

/// How an operation ended.
enum class Ended : uint8_t {
    kAnswered,
    kAsserted, ///< an assertion of the RTL failed; its text is on standard output
    kSilent    ///< no answer came
};

template <class Ports>
class Machine
{
  public:
    virtual ~Machine() = default;
    /// First state again.
    virtual void reset() = 0;
    /// One operation; its responses, in their order.
    virtual Ended run(Cycle now, const Request<Ports> &request,
                      std::vector<Response<Ports>> &out) = 0;
    /// Clocks so far.
    [[nodiscard]] virtual uint64_t clocks() const = 0;
    /// Whether its waveforms are written until now; they are ended by this.
    [[nodiscard]] virtual bool is_drawn() = 0;
};

/// `Top` is Verilator's class of the block, with `Traced` the one that can write waveforms.
template <class Ports, class Top, bool Traced>
class VerilatedMachine final : public Machine<Ports>
{
  public:
    /// Waveforms go to the file `trace`; empty: none.
    explicit VerilatedMachine(const std::string &trace)
        : context_(one_thread()), top_(context_.get())
    {
        if constexpr (Traced) {
            if (!trace.empty()) {
                context_->traceEverOn(true);
                wave_ = std::make_unique<FstFile>();
                top_.trace(wave_->file(), kDepth);
                wave_->open(trace);
            }
        }
        reset();
    }
    ~VerilatedMachine() override
    {
        Verilated::threadContextp(context_.get()); // from which its scopes are taken out
        wave_.reset();
        top_.final();
    }
    VerilatedMachine(const VerilatedMachine &) = delete;
    VerilatedMachine &operator=(const VerilatedMachine &) = delete;

    void reset() override
    {
        top_.req_valid_i = 0;
        top_.rsp_ready_i = 1;
        top_.rst_ni = 1;
        step(now_);
        top_.rst_ni = 0; // asynchronous: an edge
        step(now_);
        clock(now_);
        top_.rst_ni = 1;
        // a block that clears its memories says so
        for (uint32_t i = 0; i < kPatience && !top_.req_ready_o; ++i)
            clock(now_);
    }

    Ended run(Cycle now, const Request<Ports> &request, std::vector<Response<Ports>> &out) override
    {
        now_ = now;
        out.clear();
        Ports::drive(top_, now, request);
        top_.req_valid_i = 1;
        clock(now); // the edge that takes it: the block is at rest, so it is ready
        top_.req_valid_i = 0;
        // An assertion that fails may fail at every clock from then on.
        for (uint32_t patience = kPatience; patience != 0 && !context_->gotError(); --patience) {
            if (top_.rsp_valid_o) {
                out.emplace_back();
                Ports::read(top_, out.back());
                const bool last = top_.rsp_last_o;
                clock(now); // the edge that takes the response
                if (last)
                    return settle(now);
                continue;
            }
            clock(now);
        }
        return context_->gotError() ? Ended::kAsserted : Ended::kSilent;
    }
    [[nodiscard]] uint64_t clocks() const override { return clocks_; }
    [[nodiscard]] bool is_drawn() override
    {
        const bool drawn = wave_ && wave_->is_open();
        if (wave_)
            wave_->close();
        return drawn;
    }

  private:
    static constexpr uint32_t kPatience = 1u << 20; // clocks
    static constexpr int kDepth = 99;               // levels of the hierarchy

    // The default context has a worker thread even for models of one thread.
    static std::unique_ptr<VerilatedContext> one_thread()
    {
        auto context = std::make_unique<VerilatedContext>();
        context->threads(1);
        Verilated::threadContextp(context.get());
        context->fatalOnError(false); // an assertion that fails is reported as a difference
        return context;
    }
    // On to the state in which it takes the next operation.
    Ended settle(Cycle now)
    {
        for (uint32_t patience = kPatience; !top_.req_ready_o; --patience) {
            if (patience == 0 || context_->gotError())
                break;
            clock(now);
        }
        if (__builtin_expect(context_->gotError(), 0))
            return Ended::kAsserted;
        return top_.req_ready_o ? Ended::kAnswered : Ended::kSilent;
    }
    void step([[maybe_unused]] Cycle now)
    {
        Verilated::threadContextp(context_.get()); // where a failed assertion is noted
        top_.eval();
        if constexpr (Traced)
            if (wave_)
                wave_->dump(now);
    }
    void clock(Cycle now)
    {
        ++clocks_;
        top_.clk_i = 1;
        step(now);
        top_.clk_i = 0;
        step(now);
    }

    std::unique_ptr<VerilatedContext> context_;
    Top top_;
    std::unique_ptr<FstFile> wave_;
    uint64_t clocks_ = 0;
    Cycle now_ = 0;
};

} // namespace tsim::rtl

#endif
