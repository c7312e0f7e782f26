// SPDX-License-Identifier: Apache-2.0
/// A block's RTL in the model: runs operations, remembers them, and compares answers with those of
/// the model.
#ifndef TWINSIM_RTL_UNIT_H
#define TWINSIM_RTL_UNIT_H

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/rtl_port.h"
#include "rtl/difference.h"
#include "rtl/machine.h"

namespace tsim::rtl
{

/// The machine of a block, with waveforms in the file `trace` if that is not empty.
template <class Ports>
std::unique_ptr<Machine<Ports>> make_machine(const std::string &trace)
{
    if (trace.empty())
        return std::make_unique<VerilatedMachine<Ports, typename Ports::Plain, false>>(trace);
    return std::make_unique<VerilatedMachine<Ports, typename Ports::Traced, true>>(trace);
}

template <class Ports, class = void>
inline constexpr bool kHasRules = false;
template <class Ports>
inline constexpr bool kHasRules<Ports, std::void_t<decltype(&Ports::rule_of)>> = true;

template <class Ports>
class Unit
{
  public:
    Unit(const Reporter &reporter, RtlPortPlace place)
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

    using Answers = std::vector<Response<Ports>>;

    // The first number that differs; how many answers there were counts as one.
    void differ(const Answers &model)
    {
        for (size_t i = 0; i < std::min(model.size(), answers_.size()); ++i)
            for (size_t k = 0; k < Ports::kResponse.size(); ++k)
                if (model[i][k] != answers_[i][k]) {
                    report({Ports::kResponse[k].name, rule_of(log_.back().request, model[i], k)},
                           model[i][k], answers_[i][k], &model);
                    return;
                }
        report({"number of responses", Ports::kResponse[0].rule}, model.size(), answers_.size(),
               &model);
    }
    // The RTL by itself: an assertion, or no response.
    void failed(const char *signal)
    {
        if (!broken_)
            report({signal, "none: the RTL fails by itself"}, 0, 1, nullptr);
    }
    void report(const Signal &signal, uint64_t model, uint64_t rtl, const Answers *answers)
    {
        broken_ = true;
        Difference d;
        d.device = place_.device;
        d.cycle = reporter_.now();
        d.block = Ports::kBlock;
        d.instance = place_.name;
        d.signal = signal.name;
        d.model = model;
        d.rtl = rtl;
        d.rule = signal.rule;
        d.seed = reporter_.seed();
        for (size_t i = log_.size() > kShown ? log_.size() - kShown : 0; i < log_.size(); ++i)
            d.operations.push_back(text_of(log_[i]));
        reporter_.print_text(d);
        draw(d, answers);
        reporter_.end(d);
    }
    [[nodiscard]] static const char *rule_of(const Request<Ports> &request,
                                             const Response<Ports> &model, size_t signal)
    {
        const char *rule = nullptr;
        if constexpr (kHasRules<Ports>)
            rule = Ports::rule_of(request, model, signal);
        return rule ? rule : Ports::kResponse[signal].rule;
    }
    [[nodiscard]] static std::string text_of(const Entry &entry)
    {
        const uint64_t op = entry.request[0];
        std::string text = "cycle " + std::to_string(entry.now) + ": " +
                           (op < std::size(Ports::kOps) ? Ports::kOps[op] : "?");
        for (size_t k = 1; k < Ports::kRequest.size(); ++k)
            text += std::string(" ") + Ports::kRequest[k] + "=" + std::to_string(entry.request[k]);
        return text;
    }

    // Both waveforms, from the same operations once more.
    void draw(Difference &d, const Answers *model) const
    {
        enum { kFst = 1, kVcd = 2 };
        if (dropped_ != 0) {
            d.note = "no waveforms: more than " + std::to_string(kLogMost) +
                     " operations since the block's reset; run again with TWINRT_RTL_TRACE=file";
            return;
        }
        const std::string prefix = reporter_.wave_prefix() + "." + instance();
        std::string why = "the files cannot be written there";
        const int drawn = draw_apart(
            [&] {
                const std::unique_ptr<Machine<Ports>> again = make_machine<Ports>(prefix + ".fst");
                const bool vcd = draw_values(*again, prefix + ".vcd", model);
                return (again->is_drawn() ? kFst : 0) | (vcd ? kVcd : 0);
            },
            why);
        if (drawn >= 0 && (drawn & kFst) != 0)
            d.files.push_back(prefix + ".fst");
        if (drawn >= 0 && (drawn & kVcd) != 0)
            d.files.push_back(prefix + ".vcd");
        if (d.files.size() < 2)
            d.note = std::string(d.files.empty() ? "no waveforms" : "not both waveforms") + " at " +
                     prefix + ": " + why;
    }
    // What was asked and answered. Until the last operation the model has answered as the RTL did.
    [[nodiscard]] bool draw_values(Machine<Ports> &again, const std::string &name,
                                   const Answers *model) const
    {
        std::vector<VcdFile::Column> columns;
        columns.reserve(Ports::kRequest.size() + 2 * Ports::kResponse.size());
        for (const char *const signal : Ports::kRequest)
            columns.push_back({"request", signal});
        for (const char *const side : {"rtl", "model"})
            for (const Signal &signal : Ports::kResponse)
                columns.push_back({side, signal.name});
        VcdFile file(name, Ports::kBlock, columns);
        Answers answers;
        for (const Entry &entry : log_) {
            const bool last = &entry == &log_.back();
            const bool good = again.run(entry.now, entry.request, answers) == Ended::kAnswered;
            const Answers *const models = last ? model : &answers;
            const size_t rows = std::max(answers.size(), models ? models->size() : 0);
            for (size_t i = 0; i == 0 || i < rows; ++i) {
                std::vector<uint64_t> row(entry.request.begin(), entry.request.end());
                for (const Answers *const side : {&std::as_const(answers), models}) {
                    if (side && i < side->size())
                        row.insert(row.end(), (*side)[i].begin(), (*side)[i].end());
                    else
                        row.insert(row.end(), Ports::kResponse.size(), VcdFile::kUnknown);
                }
                file.add(entry.now, row);
            }
            if (!good)
                break;
        }
        return file.close();
    }

    const Reporter &reporter_;
    const RtlPortPlace place_;
    std::unique_ptr<Machine<Ports>> machine_;
    std::vector<Response<Ports>> answers_;
    std::vector<Entry> log_;
    size_t dropped_ = 0;
    bool broken_ = false; // it has been reported
};

/// The RTL of a block, alone or in lock step with the plain model of the block.
template <class Ports, class Model>
class RtlBlock
{
  public:
    /// `model`: arguments of the plain model's constructor.
    template <class... Arguments>
    RtlBlock(const Reporter &reporter, RtlPortPlace place, bool lockstep, const Arguments &...model)
        : unit_(reporter, place)
    {
        if (lockstep)
            model_.emplace(model...);
    }
    void reset()
    {
        if (model_)
            model_->reset();
        unit_.reset();
    }
    /// The answer of the RTL; in lock step that of `plain(model)`, which the RTL must give too.
    template <class Plain>
    Response<Ports> run(const Request<Ports> &request, Plain plain)
    {
        if (!model_)
            return unit_.run_one(request);
        const Response<Ports> answer = plain(*model_);
        unit_.expect(request, answer);
        return answer;
    }
    /// The same of an operation with several answers, which `plain(model, answers)` appends.
    template <class Plain>
    const std::vector<Response<Ports>> &run_all(const Request<Ports> &request, Plain plain)
    {
        if (!model_)
            return unit_.run(request);
        answers_.clear();
        plain(*model_, answers_);
        unit_.expect(request, answers_);
        return answers_;
    }
    [[nodiscard]] Unit<Ports> &unit() { return unit_; }
    /// Null: the RTL is alone.
    [[nodiscard]] Model *model() { return model_ ? &*model_ : nullptr; }

  private:
    Unit<Ports> unit_;
    std::optional<Model> model_;
    std::vector<Response<Ports>> answers_; // of the model
};

} // namespace tsim::rtl

#endif
