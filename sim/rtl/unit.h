// SPDX-License-Identifier: Apache-2.0
/// A block's RTL in the model: runs operations, remembers them, and compares answers with those of the model.
#ifndef TWINSIM_RTL_UNIT_H
#define TWINSIM_RTL_UNIT_H

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "core/twin.h"
#include "rtl/difference.h"
#include "rtl/machine.h"

namespace tsim::rtl
{

/// The machine of a block, with waveforms in the file `trace` if that is not empty. Defined once per block, beside its
/// ports, so that Verilator's headers are read there alone.
template <class Ports>
std::unique_ptr<Machine<Ports>> make_machine(const std::string &trace);

template <class Ports>
class Unit
{
  public:
    Unit(const Reporter &reporter, TwinPlace place)
        : reporter_(reporter), place_(place), machine_(make_machine<Ports>(trace_name()))
    {
    }

    void reset()
    {
        machine_->reset();
        log_.clear();
        dropped_ = 0;
    }
    /// The answers of the RTL.
    const std::vector<Response<Ports>> &run(const Request<Ports> &request)
    {
        if (log_.size() == kLogMost) { // the older half goes
            log_.erase(log_.begin(), log_.begin() + kLogMost / 2);
            dropped_ += kLogMost / 2;
        }
        log_.push_back({reporter_.now(), request});
        const Ended ended = machine_->run(reporter_.now(), request, answers_);
        if (__builtin_expect(ended != Ended::kAnswered, 0))
            failed(ended == Ended::kAsserted ? "assertion" : "response");
        return answers_;
    }
    /// One answer, for operations that have one.
    const Response<Ports> &run_one(const Request<Ports> &request)
    {
        static constexpr Response<Ports> kNothing{};
        const auto &answers = run(request);
        return answers.empty() ? kNothing : answers.front();
    }
    /// Lock step: the RTL must answer what the model answered.
    void expect(const Request<Ports> &request, const Response<Ports> &model)
    {
        if (broken_)
            return;
        const auto &answers = run(request);
        if (__builtin_expect((answers.size() != 1 || answers.front() != model) && !broken_, 0))
            differ({model});
    }
    void expect(const Request<Ports> &request, const std::vector<Response<Ports>> &model)
    {
        if (broken_)
            return;
        if (__builtin_expect(run(request) != model && !broken_, 0))
            differ(model);
    }
    [[nodiscard]] const Reporter &reporter() const { return reporter_; }
    [[nodiscard]] uint64_t clocks() const { return machine_->clocks(); }

  private:
    struct Entry {
        Cycle now;
        Request<Ports> request;
    };
    static constexpr size_t kLogMost = 1u << 18;
    static constexpr size_t kShown = 20;

    [[nodiscard]] std::string trace_name() const
    {
        if (reporter_.trace().empty())
            return {};
        return reporter_.trace() + "." + instance() + ".fst";
    }
    [[nodiscard]] std::string instance() const
    {
        return std::to_string(place_.device) + "." + (Ports::kBlock + sizeof("npu_") - 1) +
               (place_.name[0] != '\0' ? std::string(".") + place_.name : "");
    }

    // The first number that differs; how many answers there were counts as one.
    void differ(const std::vector<Response<Ports>> &model)
    {
        for (size_t i = 0; i < std::min(model.size(), answers_.size()); ++i)
            for (size_t k = 0; k < Ports::kResponse.size(); ++k)
                if (model[i][k] != answers_[i][k]) {
                    report(Ports::kResponse[k].name, Ports::kResponse[k].rule, model[i][k],
                           answers_[i][k]);
                    return;
                }
        report("number of responses", Ports::kResponse[0].rule, model.size(), answers_.size());
    }
    // The RTL by itself: an assertion, or no response.
    void failed(const char *signal)
    {
        if (!broken_)
            report(signal, "none: the RTL fails by itself", 0, 1);
    }
    void report(const char *signal, const char *rule, uint64_t model, uint64_t rtl)
    {
        broken_ = true;
        Difference d;
        d.device = place_.device;
        d.cycle = reporter_.now();
        d.block = Ports::kBlock;
        d.instance = place_.name;
        d.signal = signal;
        d.model = model;
        d.rtl = rtl;
        d.rule = rule;
        d.seed = reporter_.seed();
        for (size_t i = log_.size() > kShown ? log_.size() - kShown : 0; i < log_.size(); ++i)
            d.operations.push_back(text_of(log_[i]));
        draw(d);
        reporter_.report(d);
    }
    [[nodiscard]] static std::string text_of(const Entry &entry)
    {
        std::string text =
            "cycle " + std::to_string(entry.now) + ": " + Ports::op_name(entry.request[0]);
        for (size_t k = 1; k < Ports::kRequest.size(); ++k)
            text +=
                std::string(" ") + Ports::kRequest[k].name + "=" + std::to_string(entry.request[k]);
        return text;
    }

    // Both waveforms, from the same operations once more. What the RTL answers then is also what the VCD file shows.
    void draw(Difference &d) const
    {
        if (dropped_ != 0) {
            d.note = "no waveforms: more than " + std::to_string(kLogMost) +
                     " operations since the block's reset; run again with TWINRT_RTL_TRACE=file";
            return;
        }
        const std::string prefix = reporter_.wave_prefix() + "." + instance();
        std::vector<const char *> names;
        names.reserve(std::size(Ports::kRequest));
        for (const Signal &signal : Ports::kRequest)
            names.push_back(signal.name);
        std::vector<std::vector<uint64_t>> rows;
        const std::unique_ptr<Machine<Ports>> again = make_machine<Ports>(prefix + ".fst");
        std::vector<Response<Ports>> answers;
        for (const Entry &entry : log_) {
            rows.emplace_back(1, entry.now);
            rows.back().insert(rows.back().end(), entry.request.begin(), entry.request.end());
            if (again->run(entry.now, entry.request, answers) != Ended::kAnswered)
                break;
        }
        d.files.push_back(prefix + ".fst");
        if (write_vcd(prefix + ".vcd", Ports::kBlock, names, rows))
            d.files.push_back(prefix + ".vcd");
    }

    const Reporter &reporter_;
    const TwinPlace place_;
    std::unique_ptr<Machine<Ports>> machine_;
    std::vector<Response<Ports>> answers_;
    std::vector<Entry> log_;
    size_t dropped_ = 0;
    bool broken_ = false; // it has been reported
};

} // namespace tsim::rtl

#endif
