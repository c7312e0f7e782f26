// SPDX-License-Identifier: Apache-2.0
/// RTL port of SlotPool: npu_slots.
#include "core/tables/slot_pool.h"

#include <Tnpu_slots.h>
#include <Vnpu_slots.h>

#include "rtl/port_factory.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

enum Op : uint8_t { kClear, kCounts, kLeaving, kNext, kGrant, kLeave };

struct SlotsPorts {
    static constexpr const char *kBlock = "npu_slots";
    using Plain = Vnpu_slots;
    using Traced = Tnpu_slots;
    enum : uint8_t { kOp, kQueue, kSlot, kAsked, kSlots, kArbitration, kStart, kOut };
    static constexpr std::array<const char *, 8> kRequest = {
        "op", "queue", "slot", "asked", "slots", "arbitration", "start", "leave"};
    enum : uint8_t { kTime, kFlag, kGranted, kSwapIns, kWaited, kFree };
    static constexpr std::array<Signal, 6> kResponse = {{{"time", "T-SCH-3, T-SCH-5, T-SCH-19"},
                                                         {"flag", "T-SCH-6"},
                                                         {"slot", "T-SCH-3"},
                                                         {"swap_ins", "T-SCH-22"},
                                                         {"waited", "T-SCH-22"},
                                                         {"free_count", "T-SCH-6, T-SCH-19"}}};

    static constexpr const char *kOps[] = {"clear", "counts", "leaving", "next", "grant", "leave"};

    static const char *rule_of(const std::array<uint64_t, 8> &request,
                               const std::array<uint64_t, 6> &, size_t signal)
    {
        if (signal == kTime)
            return request[kOp] == Op::kGrant     ? "T-SCH-5"
                   : request[kOp] == Op::kLeaving ? "T-SCH-20"
                                                  : "T-SCH-3";
        if (signal == kFree)
            return request[kOp] == Op::kLeave ? "T-SCH-19" : "T-SCH-6";
        return nullptr;
    }
    template <class Top>
    static void drive(Top &top, Cycle now, const std::array<uint64_t, 8> &r)
    {
        top.now_i = now;
        top.req_op_i = static_cast<uint8_t>(r[kOp]);
        top.req_queue_i = static_cast<uint16_t>(r[kQueue]);
        top.req_slot_i = static_cast<uint8_t>(r[kSlot]);
        top.req_asked_i = r[kAsked];
        top.cfg_slots_i = static_cast<uint8_t>(r[kSlots]);
        top.cfg_arbitration_i = r[kArbitration];
        top.cfg_start_i = r[kStart];
        top.cfg_leave_i = r[kOut];
    }
    template <class Top>
    static void read(const Top &top, std::array<uint64_t, 6> &out)
    {
        out = {top.rsp_time_o,     top.rsp_flag_o,   top.rsp_slot_o,
               top.rsp_swap_ins_o, top.rsp_waited_o, top.free_count_o};
    }
};

class Port final : public SlotsRtlPort
{
  public:
    Port(const Reporter &reporter, bool lockstep, uint32_t queues, const SlotRules &rules,
         RtlPortPlace place)
        : rules_(rules), block_(reporter, place, lockstep, queues, rules, nullptr),
          free_(rules.slots)
    {
        if (SlotPool *const model = block_.model())
            model->reset();
    }
    void reset() override
    {
        block_.reset();
        free_ = rules_.slots;
    }
    void clear_counts(uint32_t sq) override
    {
        (void)run(of(kClear, sq), [sq](SlotPool &model) {
            model.clear_counts(sq);
            return Answer{};
        });
    }
    SlotCounts counts(uint32_t sq) override
    {
        const Answer r = run(of(kCounts, sq), [sq](SlotPool &model) {
            const SlotCounts counts = model.counts(sq);
            return Answer{0, 0, 0, counts.swap_ins, counts.waited};
        });
        return {static_cast<uint32_t>(r[SlotsPorts::kSwapIns]),
                static_cast<uint32_t>(r[SlotsPorts::kWaited])};
    }
    Cycle leaving_until(uint32_t sq, Cycle now) override
    {
        const Answer r = run(of(kLeaving, sq),
                             [=](SlotPool &model) { return Answer{model.leaving_until(sq, now)}; });
        return r[SlotsPorts::kTime];
    }
    Cycle next_grant(Cycle now) override { return next(now)[SlotsPorts::kTime]; }
    bool free_now(Cycle now) override { return next(now)[SlotsPorts::kFlag] != 0; }
    SlotGrant grant(uint32_t sq, Cycle asked, Cycle now) override
    {
        const Answer r = run(of(kGrant, sq, 0, asked), [=](SlotPool &model) {
            const SlotGrant grant = model.grant(sq, asked, now);
            return Answer{grant.ready, grant.was_short, grant.slot};
        });
        return {r[SlotsPorts::kTime], static_cast<uint8_t>(r[SlotsPorts::kGranted]),
                r[SlotsPorts::kFlag] != 0};
    }
    void leave(uint32_t sq, uint8_t slot, Cycle now) override
    {
        (void)run(of(kLeave, sq, slot), [=](SlotPool &model) {
            model.leave(sq, slot, now);
            return Answer{};
        });
    }
    [[nodiscard]] uint32_t free_count() const override { return free_; }

  private:
    using Answer = Response<SlotsPorts>;

    [[nodiscard]] Request<SlotsPorts> of(Op op, uint32_t sq = 0, uint32_t slot = 0,
                                         Cycle asked = 0) const
    {
        return {op, sq, slot, asked, rules_.slots, rules_.arbitration, rules_.start, rules_.leave};
    }
    // The RTL looks at the slots that are left with each operation, the model only where it
    // matters.
    template <class Plain>
    Answer run(const Request<SlotsPorts> &request, Plain plain)
    {
        const Answer answer = block_.run(request, [&](SlotPool &model) {
            (void)model.free_now(block_.unit().reporter().now());
            Answer out = plain(model);
            out[SlotsPorts::kFree] = rules_.slots - model.taken();
            return out;
        });
        free_ = static_cast<uint32_t>(answer[SlotsPorts::kFree]);
        return answer;
    }
    Answer next(Cycle now)
    {
        return run(of(kNext), [now](SlotPool &model) {
            return Answer{model.next_grant(now), model.free_now(now)};
        });
    }

    const SlotRules rules_;
    RtlBlock<SlotsPorts, SlotPool> block_;
    uint32_t free_;
};

} // namespace

std::unique_ptr<SlotsRtlPort> PortFactory::slots(uint32_t queues, const SlotRules &rules,
                                                 RtlPortPlace place)
{
    return std::make_unique<Port>(reporter_, lockstep_, queues, rules, place);
}

} // namespace tsim::rtl
