// SPDX-License-Identifier: Apache-2.0
/// npu_arbiter behind the ports of Arbiter.
#include "core/tables/arbiter.h"

#include <Tnpu_arbiter.h>
#include <Vnpu_arbiter.h>

#include "rtl/makers.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

enum Op : uint8_t { kAdd, kRemove, kTake, kWeight };

struct ArbiterPorts {
    static constexpr const char *kBlock = "npu_arbiter";
    enum : uint8_t {
        kOp,
        kQueue,
        kPriority,
        kGroup,
        kLoad,
        kSeeded,
        kDraw0,
        kDraw1,
        kStrict,
        kModes
    };
    static constexpr std::array<Signal, 10> kRequest = {{{"op"},
                                                         {"queue"},
                                                         {"priority"},
                                                         {"group"},
                                                         {"weight"},
                                                         {"seeded"},
                                                         {"draw0"},
                                                         {"draw1"},
                                                         {"strict_level"},
                                                         {"modes"}}};
    enum : uint8_t { kWinner, kDraws, kEmpty };
    static constexpr std::array<Signal, 3> kResponse = {
        {{"winner", "T-ARB-1 to T-ARB-5"}, {"draws", "T-TIM-6"}, {"empty", "T-SCH-3"}}};
    static constexpr uint64_t kWeightFirst = 1, kReloadSpent = 2;

    static const char *op_name(uint64_t op)
    {
        static const char *const names[] = {"add", "remove", "take", "weight"};
        return names[op & 3];
    }
    template <class Top>
    static void drive(Top &top, Cycle, const std::array<uint64_t, 10> &r)
    {
        top.req_op_i = static_cast<uint8_t>(r[kOp]);
        top.req_queue_i = static_cast<uint16_t>(r[kQueue]);
        top.req_priority_i = static_cast<uint8_t>(r[kPriority]);
        top.req_group_i = static_cast<uint8_t>(r[kGroup]);
        top.req_weight_i = static_cast<uint16_t>(r[kLoad]);
        top.req_seeded_i = static_cast<uint8_t>(r[kSeeded]);
        top.req_draw0_i = r[kDraw0];
        top.req_draw1_i = r[kDraw1];
        top.cfg_strict_level_i = static_cast<uint8_t>(r[kStrict]);
        top.cfg_weight_first_i = (r[kModes] & kWeightFirst) != 0;
        top.cfg_reload_spent_i = (r[kModes] & kReloadSpent) != 0;
    }
    template <class Top>
    static void read(const Top &top, std::array<uint64_t, 3> &out)
    {
        const bool took = top.req_op_i == kTake;
        out = {took ? top.rsp_queue_o : uint64_t{0}, took ? top.rsp_draws_o : uint64_t{0},
               top.empty_o};
    }
};

/// The RTL, with the registers that it follows kept up to date.
class ArbiterUnit
{
  public:
    ArbiterUnit(const Reporter &reporter, const ArbiterRules &rules, RtlPortPlace place)
        : rules_(rules), unit_(reporter, place)
    {
        loads_.fill(1);
    }
    void reset()
    {
        unit_.reset();
        loads_.fill(1);
        version_ = kUnknown;
    }
    [[nodiscard]] Request<ArbiterPorts> request(Op op, uint32_t sq, uint32_t priority,
                                                uint32_t group)
    {
        if (version_ != rules_.version)
            write_weights();
        return of(op, sq, priority, group);
    }
    [[nodiscard]] Request<ArbiterPorts> take(uint64_t seed)
    {
        Request<ArbiterPorts> request = this->request(kTake, 0, 0, 0);
        if (seed != 0) {
            request[ArbiterPorts::kSeeded] = 1;
            request[ArbiterPorts::kDraw0] = mix(seed);
            request[ArbiterPorts::kDraw1] = mix(seed);
        }
        return request;
    }
    Unit<ArbiterPorts> &unit() { return unit_; }

  private:
    static constexpr uint32_t kUnknown = 0; // no version

    [[nodiscard]] Request<ArbiterPorts> of(Op op, uint32_t sq, uint32_t priority,
                                           uint32_t group) const
    {
        return {op,
                sq,
                priority,
                group,
                0,
                0,
                0,
                0,
                rules_.strict_level,
                (rules_.weight_first ? ArbiterPorts::kWeightFirst : 0) |
                    (rules_.reload_spent ? ArbiterPorts::kReloadSpent : 0)};
    }
    void write_weights()
    {
        version_ = rules_.version;
        for (uint32_t group = 0; group < ArbiterRules::kGroups; ++group) {
            if (rules_.loads[group] == loads_[group])
                continue;
            loads_[group] = rules_.loads[group];
            Request<ArbiterPorts> request = of(kWeight, 0, 0, group);
            request[ArbiterPorts::kLoad] = rules_.weights[group];
            (void)unit_.run(request);
        }
    }

    const ArbiterRules &rules_;
    uint32_t version_ = kUnknown;
    std::array<uint16_t, ArbiterRules::kGroups> loads_{}; // as the RTL has them
    Unit<ArbiterPorts> unit_;
};

class RtlArbiter final : public ArbiterRtlPort
{
  public:
    RtlArbiter(const Reporter &reporter, const ArbiterRules &rules, RtlPortPlace place)
        : rtl_(reporter, rules, place)
    {
    }
    void reset() override
    {
        rtl_.reset();
        empty_ = true;
    }
    void prepare(uint32_t, uint32_t) override {}
    void add(uint32_t sq, uint32_t priority, uint32_t group) override
    {
        settle(rtl_.unit().run_one(rtl_.request(kAdd, sq, priority, group)));
    }
    void remove(uint32_t sq, uint32_t priority, uint32_t group) override
    {
        settle(rtl_.unit().run_one(rtl_.request(kRemove, sq, priority, group)));
    }
    [[nodiscard]] bool empty() const override { return empty_; }
    [[nodiscard]] uint32_t take(uint64_t &seed) override
    {
        const Response<ArbiterPorts> &answer = rtl_.unit().run_one(rtl_.take(seed));
        for (uint64_t n = answer[ArbiterPorts::kDraws]; n != 0; --n)
            (void)mix(seed);
        settle(answer);
        return static_cast<uint32_t>(answer[ArbiterPorts::kWinner]);
    }

  private:
    void settle(const Response<ArbiterPorts> &answer)
    {
        empty_ = answer[ArbiterPorts::kEmpty] != 0;
    }

    ArbiterUnit rtl_;
    bool empty_ = true;
};

class LockstepArbiter final : public ArbiterRtlPort
{
  public:
    LockstepArbiter(const Reporter &reporter, const ArbiterRules &rules, RtlPortPlace place)
        : rtl_(reporter, rules, place), model_(rules)
    {
    }
    void reset() override
    {
        model_.reset();
        rtl_.reset();
    }
    void prepare(uint32_t priority, uint32_t group) override { model_.prepare(priority, group); }
    void add(uint32_t sq, uint32_t priority, uint32_t group) override
    {
        model_.add(sq, priority, group);
        rtl_.unit().expect(rtl_.request(kAdd, sq, priority, group), {0, 0, model_.empty()});
    }
    void remove(uint32_t sq, uint32_t priority, uint32_t group) override
    {
        model_.remove(sq, priority, group);
        rtl_.unit().expect(rtl_.request(kRemove, sq, priority, group), {0, 0, model_.empty()});
    }
    [[nodiscard]] bool empty() const override { return model_.empty(); }
    [[nodiscard]] uint32_t take(uint64_t &seed) override
    {
        const Request<ArbiterPorts> request = rtl_.take(seed);
        uint64_t drawn = seed;
        const uint32_t winner = model_.take(seed);
        uint64_t draws = 0; // from where the numbers now stand
        for (; drawn != seed && draws < 3; ++draws)
            (void)mix(drawn);
        rtl_.unit().expect(request, {winner, draws, model_.empty()});
        return winner;
    }

  private:
    ArbiterUnit rtl_;
    Arbiter model_;
};

} // namespace

template <>
std::unique_ptr<Machine<ArbiterPorts>> make_machine<ArbiterPorts>(const std::string &trace)
{
    if (trace.empty())
        return std::make_unique<VerilatedMachine<ArbiterPorts, Vnpu_arbiter, false>>(trace);
    return std::make_unique<VerilatedMachine<ArbiterPorts, Tnpu_arbiter, true>>(trace);
}

std::unique_ptr<ArbiterRtlPort> make_arbiter(const Reporter &reporter, bool lockstep,
                                             const ArbiterRules &rules, RtlPortPlace place)
{
    if (lockstep)
        return std::make_unique<LockstepArbiter>(reporter, rules, place);
    return std::make_unique<RtlArbiter>(reporter, rules, place);
}

} // namespace tsim::rtl
