// SPDX-License-Identifier: Apache-2.0
/// RTL port of Arbiter: npu_arbiter.
#include "core/tables/arbiter.h"

#include <Tnpu_arbiter.h>
#include <Vnpu_arbiter.h>

#include "rtl/port_factory.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

enum Op : uint8_t { kAdd, kRemove, kTake, kWeight };

struct ArbiterPorts {
    static constexpr const char *kBlock = "npu_arbiter";
    using Plain = Vnpu_arbiter;
    using Traced = Tnpu_arbiter;
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
    static constexpr std::array<const char *, 10> kRequest = {
        "op",     "queue", "priority", "group",        "weight",
        "seeded", "draw0", "draw1",    "strict_level", "modes"};
    enum : uint8_t { kWinner, kDraws, kEmpty };
    static constexpr std::array<Signal, 3> kResponse = {
        {{"winner", "T-ARB-1 to T-ARB-5"}, {"draws", "T-TIM-6"}, {"empty", "T-SCH-3"}}};
    static constexpr uint64_t kWeightFirst = 1, kReloadSpent = 2;

    static constexpr const char *kOps[] = {"add", "remove", "take", "weight"};

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

/// Keeps the registers that the RTL follows up to date.
class Port final : public ArbiterRtlPort
{
  public:
    Port(const Reporter &reporter, bool lockstep, const ArbiterRules &rules, RtlPortPlace place)
        : rules_(rules), block_(reporter, place, lockstep, rules)
    {
        loads_.fill(1);
    }
    void reset() override
    {
        block_.reset();
        loads_.fill(1);
        version_ = kUnknown;
        empty_ = true;
    }
    void prepare(uint32_t priority, uint32_t group) override
    {
        if (Arbiter *const model = block_.model())
            model->prepare(priority, group);
    }
    void add(uint32_t sq, uint32_t priority, uint32_t group) override
    {
        (void)run(request(kAdd, sq, priority, group), [=](Arbiter &model) {
            model.add(sq, priority, group);
            return Answer{0, 0, model.empty()};
        });
    }
    void remove(uint32_t sq, uint32_t priority, uint32_t group) override
    {
        (void)run(request(kRemove, sq, priority, group), [=](Arbiter &model) {
            model.remove(sq, priority, group);
            return Answer{0, 0, model.empty()};
        });
    }
    [[nodiscard]] bool empty() const override { return empty_; }
    [[nodiscard]] uint32_t take(uint64_t &seed) override
    {
        Request<ArbiterPorts> request = this->request(kTake, 0, 0, 0);
        if (seed != 0) {
            uint64_t ahead = seed;
            request[ArbiterPorts::kSeeded] = 1;
            request[ArbiterPorts::kDraw0] = mix(ahead);
            request[ArbiterPorts::kDraw1] = mix(ahead);
        }
        const Answer answer = run(request, [seed](Arbiter &model) {
            uint64_t drawn = seed;
            uint64_t after = seed;
            const uint32_t winner = model.take(after);
            uint64_t draws = 0;
            for (; drawn != after && draws < 3; ++draws)
                (void)mix(drawn);
            return Answer{winner, draws, model.empty()};
        });
        for (uint64_t n = answer[ArbiterPorts::kDraws]; n != 0; --n)
            (void)mix(seed);
        return static_cast<uint32_t>(answer[ArbiterPorts::kWinner]);
    }

  private:
    using Answer = Response<ArbiterPorts>;
    static constexpr uint32_t kUnknown = 0; // no version

    template <class Plain>
    Answer run(const Request<ArbiterPorts> &request, Plain plain)
    {
        const Answer answer = block_.run(request, plain);
        empty_ = answer[ArbiterPorts::kEmpty] != 0;
        return answer;
    }
    [[nodiscard]] Request<ArbiterPorts> request(Op op, uint32_t sq, uint32_t priority,
                                                uint32_t group)
    {
        if (version_ != rules_.version)
            write_weights();
        return of(op, sq, priority, group);
    }
    [[nodiscard]] Request<ArbiterPorts> of(Op op, uint32_t sq, uint32_t priority,
                                           uint32_t group) const
    {
        const uint64_t modes = (rules_.weight_first ? ArbiterPorts::kWeightFirst : 0) |
                               (rules_.reload_spent ? ArbiterPorts::kReloadSpent : 0);
        return {op, sq, priority, group, 0, 0, 0, 0, rules_.strict_level, modes};
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
            (void)block_.unit().run(request);
        }
    }

    const ArbiterRules &rules_;
    uint32_t version_ = kUnknown;
    std::array<uint16_t, ArbiterRules::kGroups> loads_{}; // as the RTL has them
    RtlBlock<ArbiterPorts, Arbiter> block_;
    bool empty_ = true;
};

} // namespace

std::unique_ptr<ArbiterRtlPort> PortFactory::arbiter(const ArbiterRules &rules, RtlPortPlace place)
{
    return std::make_unique<Port>(reporter_, lockstep_, rules, place);
}

} // namespace tsim::rtl
