// SPDX-License-Identifier: Apache-2.0
/// npu_slots behind the ports of SlotPool.
#include "core/tables/slot_pool.h"

#include <Tnpu_slots.h>
#include <Vnpu_slots.h>

#include "rtl/makers.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

enum Op : uint8_t { kClear, kCounts, kLeaving, kNext, kGrant, kLeave };

struct SlotsPorts {
    static constexpr const char *kBlock = "npu_slots";
    enum : uint8_t { kOp, kQueue, kSlot, kAsked, kSlots, kArbitration, kStart, kOut };
    static constexpr std::array<Signal, 8> kRequest = {
        {{"op"}, {"queue"}, {"slot"}, {"asked"}, {"slots"}, {"arbitration"}, {"start"}, {"leave"}}};
    enum : uint8_t { kTime, kFlag, kGranted, kSwapIns, kWaited, kFree };
    static constexpr std::array<Signal, 6> kResponse = {{{"time", "T-SCH-3, T-SCH-5, T-SCH-19"},
                                                         {"flag", "T-SCH-6"},
                                                         {"slot", "T-SCH-3"},
                                                         {"swap_ins", "T-SCH-22"},
                                                         {"waited", "T-SCH-22"},
                                                         {"free_count", "T-SCH-6, T-SCH-19"}}};

    static const char *op_name(uint64_t op)
    {
        static const char *const names[] = {"clear", "counts", "leaving", "next", "grant", "leave"};
        return op < std::size(names) ? names[op] : "?";
    }
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

/// The RTL with its configuration.
class SlotsUnit
{
  public:
    SlotsUnit(const Reporter &reporter, const SlotRules &rules, RtlPortPlace place)
        : rules_(rules), unit_(reporter, place)
    {
    }
    [[nodiscard]] Request<SlotsPorts> request(Op op, uint32_t sq = 0, uint32_t slot = 0,
                                              Cycle asked = 0) const
    {
        return {op, sq, slot, asked, rules_.slots, rules_.arbitration, rules_.start, rules_.leave};
    }
    [[nodiscard]] Unit<SlotsPorts> &unit() { return unit_; }
    [[nodiscard]] uint32_t slots() const { return rules_.slots; }

  private:
    const SlotRules rules_;
    Unit<SlotsPorts> unit_;
};

class RtlSlots final : public SlotsRtlPort
{
  public:
    RtlSlots(const Reporter &reporter, const SlotRules &rules, RtlPortPlace place)
        : rtl_(reporter, rules, place), free_(rules.slots)
    {
    }
    void reset() override
    {
        rtl_.unit().reset();
        free_ = rtl_.slots();
    }
    void clear_counts(uint32_t sq) override { (void)run(rtl_.request(kClear, sq)); }
    SlotCounts counts(uint32_t sq) override
    {
        const Response<SlotsPorts> &answer = run(rtl_.request(kCounts, sq));
        return {static_cast<uint32_t>(answer[SlotsPorts::kSwapIns]),
                static_cast<uint32_t>(answer[SlotsPorts::kWaited])};
    }
    Cycle leaving_until(uint32_t sq, Cycle) override
    {
        return run(rtl_.request(kLeaving, sq))[SlotsPorts::kTime];
    }
    Cycle next_grant(Cycle) override { return run(rtl_.request(kNext))[SlotsPorts::kTime]; }
    bool free_now(Cycle) override { return run(rtl_.request(kNext))[SlotsPorts::kFlag] != 0; }
    SlotGrant grant(uint32_t sq, Cycle asked, Cycle) override
    {
        const Response<SlotsPorts> &answer = run(rtl_.request(kGrant, sq, 0, asked));
        return {answer[SlotsPorts::kTime], static_cast<uint8_t>(answer[SlotsPorts::kGranted]),
                answer[SlotsPorts::kFlag] != 0};
    }
    void leave(uint32_t sq, uint8_t slot, Cycle) override
    {
        (void)run(rtl_.request(kLeave, sq, slot));
    }
    [[nodiscard]] uint32_t free_count() const override { return free_; }

  private:
    const Response<SlotsPorts> &run(const Request<SlotsPorts> &request)
    {
        const Response<SlotsPorts> &answer = rtl_.unit().run_one(request);
        free_ = static_cast<uint32_t>(answer[SlotsPorts::kFree]);
        return answer;
    }

    SlotsUnit rtl_;
    uint32_t free_;
};

class LockstepSlots final : public SlotsRtlPort
{
  public:
    LockstepSlots(const Reporter &reporter, uint32_t queues, const SlotRules &rules,
                  RtlPortPlace place)
        : rtl_(reporter, rules, place), model_(queues, rules, nullptr)
    {
        model_.reset();
    }
    void reset() override
    {
        model_.reset();
        rtl_.unit().reset();
    }
    void clear_counts(uint32_t sq) override
    {
        collect();
        model_.clear_counts(sq);
        expect(rtl_.request(kClear, sq), 0, false, 0, {});
    }
    SlotCounts counts(uint32_t sq) override
    {
        collect();
        const SlotCounts counts = model_.counts(sq);
        expect(rtl_.request(kCounts, sq), 0, false, 0, counts);
        return counts;
    }
    Cycle leaving_until(uint32_t sq, Cycle now) override
    {
        collect();
        const Cycle until = model_.leaving_until(sq, now);
        expect(rtl_.request(kLeaving, sq), until, false, 0, {});
        return until;
    }
    Cycle next_grant(Cycle now) override
    {
        const Cycle next = model_.next_grant(now);
        expect(rtl_.request(kNext), next, model_.free_now(now), 0, {});
        return next;
    }
    bool free_now(Cycle now) override
    {
        const bool free = model_.free_now(now);
        expect(rtl_.request(kNext), model_.next_grant(now), free, 0, {});
        return free;
    }
    SlotGrant grant(uint32_t sq, Cycle asked, Cycle now) override
    {
        const SlotGrant grant = model_.grant(sq, asked, now);
        expect(rtl_.request(kGrant, sq, 0, asked), grant.ready, grant.was_short, grant.slot, {});
        return grant;
    }
    void leave(uint32_t sq, uint8_t slot, Cycle now) override
    {
        model_.leave(sq, slot, now);
        expect(rtl_.request(kLeave, sq, slot), 0, false, 0, {});
    }
    [[nodiscard]] uint32_t free_count() const override { return rtl_.slots() - model_.taken(); }

  private:
    // The RTL looks at the slots that are left with each operation, the model only where it matters.
    void collect() { (void)model_.free_now(rtl_.unit().reporter().now()); }
    void expect(const Request<SlotsPorts> &request, Cycle time, bool flag, uint32_t slot,
                const SlotCounts &counts)
    {
        rtl_.unit().expect(request, Response<SlotsPorts>{time, flag, slot, counts.swap_ins,
                                                         counts.waited, free_count()});
    }

    SlotsUnit rtl_;
    SlotPool model_;
};

} // namespace

template <>
std::unique_ptr<Machine<SlotsPorts>> make_machine<SlotsPorts>(const std::string &trace)
{
    if (trace.empty())
        return std::make_unique<VerilatedMachine<SlotsPorts, Vnpu_slots, false>>(trace);
    return std::make_unique<VerilatedMachine<SlotsPorts, Tnpu_slots, true>>(trace);
}

std::unique_ptr<SlotsRtlPort> make_slots(const Reporter &reporter, bool lockstep, uint32_t queues,
                                         const SlotRules &rules, RtlPortPlace place)
{
    if (lockstep)
        return std::make_unique<LockstepSlots>(reporter, queues, rules, place);
    return std::make_unique<RtlSlots>(reporter, rules, place);
}

} // namespace tsim::rtl
