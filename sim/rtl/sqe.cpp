// SPDX-License-Identifier: Apache-2.0
/// RTL port of SqeProgress: npu_sqe, for all queues of a device.
#include "core/base/rtl_port.h"

#include <cstring>

#include <Tnpu_sqe.h>
#include <Vnpu_sqe.h>

#include "rtl/port_factory.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

struct SqePorts {
    static constexpr const char *kBlock = "npu_sqe";
    using Plain = Vnpu_sqe;
    using Traced = Tnpu_sqe;
    static constexpr uint32_t kWords = sizeof(stars_sqe) / sizeof(uint64_t);
    enum : uint8_t {
        kOp,
        kQueue,
        kValue,
        kFlag,
        kSqe,
        kIds = kSqe + kWords, ///< events 16:0, notifies 33:17, counts 50:34
        kRooms,               ///< AIC 15:0, AIV 31:16, mixed 47:32, descriptors of a list 63:48
        kDecode,
        kEvent,
        kEventMiss,
        kNotify,
        kStore,
        kRetire,
        kCqWrite,
        kSdmaSetup,
        kPcieSetup,
        kCreditUnit,
        kTimeoutUnit,
        kContexts,
        kNumbers
    };
    static constexpr std::array<const char *, kNumbers> kRequest = {
        "op",         "queue",      "value",       "flag",         "sqe0",    "sqe1",   "sqe2",
        "sqe3",       "sqe4",       "sqe5",        "sqe6",         "sqe7",    "ids",    "rooms",
        "decode",     "event",      "event_miss",  "notify",       "store",   "retire", "cq_write",
        "sdma_setup", "pcie_setup", "credit_unit", "timeout_unit", "contexts"};
    enum : uint8_t { kNext, kHold, kTimed, kDue, kType, kEffect, kClass, kId, kError, kStatus };
    static constexpr std::array<Signal, 10> kResponse = {
        {{"next", "T-SQE-1, T-SQE-4, T-SQE-5, T-SQE-7, T-SQE-8, T-SQE-10, T-CQ-3"},
         {"hold", "T-SQE-4, T-SQE-7, T-CQ-3"},
         {"timed", "T-SQE-8"},
         {"due", "T-SQE-2, T-SQE-3, T-SQE-5, T-SQE-8, T-SQE-10, T-DMA-2, T-EVT-8"},
         {"type", "T-FLT-5"},
         {"effect", "T-SQE-9, T-SQE-10, T-SQE-12"},
         {"class", "T-SCH-8"},
         {"id", "T-SQE-9, T-SQE-10"},
         {"error", "T-SQE-8, T-SQE-10"},
         {"status", "T-SQE-8, T-SQE-10"}}};

    static constexpr const char *kOps[] = {"begin",  "decoded", "execute", "miss",  "done",
                                           "park",   "set up",  "move",    "fail",  "retire",
                                           "report", "resume",  "end",     "limit", "handled"};

    template <class Top>
    static void drive(Top &top, Cycle now, const std::array<uint64_t, kNumbers> &r)
    {
        top.now_i = now;
        top.req_op_i = static_cast<uint8_t>(r[kOp]);
        top.req_queue_i = static_cast<uint16_t>(r[kQueue]);
        top.req_value_i = r[kValue];
        top.req_flag_i = r[kFlag] != 0;
        std::memcpy(&top.req_sqe_i[0], &r[kSqe], sizeof(stars_sqe));
        top.cfg_events_i = r[kIds] & 0x1ffff;
        top.cfg_notifies_i = r[kIds] >> 17 & 0x1ffff;
        top.cfg_counts_i = r[kIds] >> 34 & 0x1ffff;
        top.cfg_aic_room_i = static_cast<uint16_t>(r[kRooms]);
        top.cfg_aiv_room_i = static_cast<uint16_t>(r[kRooms] >> 16);
        top.cfg_mixed_room_i = static_cast<uint16_t>(r[kRooms] >> 32);
        top.cfg_list_most_i = static_cast<uint16_t>(r[kRooms] >> 48);
        top.cfg_contexts_i = static_cast<uint16_t>(r[kContexts]);
        top.cfg_decode_i = r[kDecode];
        top.cfg_event_i = r[kEvent];
        top.cfg_event_miss_i = r[kEventMiss];
        top.cfg_notify_i = r[kNotify];
        top.cfg_store_i = r[kStore];
        top.cfg_retire_i = r[kRetire];
        top.cfg_cq_write_i = r[kCqWrite];
        top.cfg_sdma_setup_i = r[kSdmaSetup];
        top.cfg_pcie_setup_i = r[kPcieSetup];
        top.cfg_credit_unit_i = r[kCreditUnit];
        top.cfg_timeout_unit_i = r[kTimeoutUnit];
    }
    // By what has happened, and what the model makes of it.
    static const char *rule_of(const std::array<uint64_t, kNumbers> &request,
                               const std::array<uint64_t, 10> &model, size_t signal)
    {
        if (signal == kType || signal == kClass)
            return nullptr;
        const auto next = static_cast<SqeNext>(model[kNext]);
        const auto type = static_cast<uint32_t>(request[kSqe]) & STARS_W0_TYPE_MASK;
        switch (static_cast<SqeOp>(request[kOp])) {
        case SqeOp::kBegin:
            return signal != kDue              ? next == SqeNext::kDecoded ? "T-SQE-4" : "T-SQE-1"
                   : next == SqeNext::kDecoded ? "T-SQE-2"
                                               : "T-SQE-3";
        case SqeOp::kDecoded:
            return "T-SQE-4";
        case SqeOp::kExecute:
            if (signal == kEffect || signal == kId)
                return type == STARS_SQE_WRITE_VALUE   ? "T-SQE-9"
                       : type == STARS_SQE_PLACEHOLDER ? "T-SQE-12"
                                                       : "T-SQE-10";
            return ending(next);
        case SqeOp::kMiss:
            return "T-EVT-8";
        case SqeOp::kDone:
            return ending(next);
        case SqeOp::kPark:
        case SqeOp::kMove:
        case SqeOp::kLimit:
            if (type == STARS_SQE_COND)
                return "T-COND-11";
            return signal == kDue && next == SqeNext::kReport ? "T-SQE-10" : "T-SQE-8";
        case SqeOp::kSetUp:
            return "T-DMA-2";
        case SqeOp::kRetire:
            return next == SqeNext::kHold ? "T-CQ-3" : "T-SQE-6";
        case SqeOp::kReport:
            return next == SqeNext::kHold ? "T-CQ-3" : "T-SQE-10";
        case SqeOp::kResume:
            return next == SqeNext::kExecute ? signal == kDue ? "T-SQE-3" : "T-SQE-4"
                                             : ending(next);
        case SqeOp::kFail:
            return "T-SQE-10";
        case SqeOp::kEnd:
            return "T-SCH-14";
        case SqeOp::kHandled:
            return "T-SQE-11";
        }
        return nullptr;
    }
    static const char *ending(SqeNext next)
    {
        return next == SqeNext::kReport   ? "T-SQE-10"
               : next == SqeNext::kHold   ? "T-SQE-7"
               : next == SqeNext::kRetire ? "T-SQE-5"
                                          : "T-SQE-3";
    }
    // Numbers that mean nothing after this operation are 0.
    template <class Top>
    static void read(const Top &top, std::array<uint64_t, 10> &out)
    {
        // decoded_t, its last field lowest: ends in access, task, timeout, credit, post_p, pre_p,
        // ie, wr_cqe, bytes, address; then id from bit 120 on, class, effect.
        const uint32_t words[2] = {top.rsp_decoded_o[3], top.rsp_decoded_o[4]};
        const uint64_t from_120 = uint64_t{words[0]} >> 24 | uint64_t{words[1]} << 8;
        out = {};
        out[kNext] = top.rsp_next_o;
        out[kHold] = top.rsp_hold_o;
        out[kTimed] = top.rsp_timed_o;
        out[kDue] = top.rsp_timed_o ? top.rsp_due_o : kNever;
        if (top.req_op_i == static_cast<uint8_t>(SqeOp::kBegin))
            out[kType] = top.rsp_type_o;
        if (top.req_op_i == static_cast<uint8_t>(SqeOp::kExecute)) {
            out[kEffect] = from_120 >> 20 & 0xf;
            out[kClass] = dispatches(out[kEffect]) ? from_120 >> 17 & 7 : 0;
            out[kId] = has_id(out[kEffect]) ? from_120 & 0x1ffff : 0;
        }
        if (out[kNext] == static_cast<uint64_t>(SqeNext::kReport)) {
            out[kError] = top.rsp_error_o;
            out[kStatus] = top.rsp_status_o;
        }
    }
    static bool dispatches(uint64_t effect)
    {
        return effect == static_cast<uint64_t>(SqeEffect::kDispatch);
    }
    static bool has_id(uint64_t effect)
    {
        return effect >= static_cast<uint64_t>(SqeEffect::kEventRecord) &&
               effect <= static_cast<uint64_t>(SqeEffect::kCountWait);
    }
};

class Port final : public SqeRtlPort
{
  public:
    Port(const Reporter &reporter, bool lockstep, const SqeShape &shape, RtlPortPlace place)
        : shape_(shape), lockstep_(lockstep), unit_(reporter, place)
    {
    }
    void reset() override { unit_.reset(); }
    SqeAnswer run(const SqeRequest &request, const SqeAnswer &plain) override
    {
        using P = SqePorts;
        if (lockstep_) {
            unit_.expect(of(request), response_of(request.op, plain));
            return plain;
        }
        const Response<P> &r = unit_.run_one(of(request));
        return {{static_cast<SqeNext>(r[P::kNext]), static_cast<SqeHold>(r[P::kHold]), r[P::kDue]},
                {static_cast<SqeEffect>(r[P::kEffect]), static_cast<uint8_t>(r[P::kClass]),
                 static_cast<uint32_t>(r[P::kId])},
                static_cast<uint8_t>(r[P::kType]),
                static_cast<uint8_t>(r[P::kError]),
                static_cast<uint16_t>(r[P::kStatus])};
    }

  private:
    [[nodiscard]] static Response<SqePorts> response_of(SqeOp op, const SqeAnswer &plain)
    {
        const auto effect = op == SqeOp::kExecute ? static_cast<uint64_t>(plain.decoded.effect) : 0;
        return {static_cast<uint64_t>(plain.step.next),
                static_cast<uint64_t>(plain.step.hold),
                plain.step.due != kNever,
                plain.step.due,
                plain.type,
                effect,
                SqePorts::dispatches(effect) ? plain.decoded.share : uint64_t{0},
                SqePorts::has_id(effect) ? plain.decoded.id : uint64_t{0},
                plain.error,
                plain.status};
    }
    [[nodiscard]] Request<SqePorts> of(const SqeRequest &of) const
    {
        using P = SqePorts;
        Request<P> r{};
        r[P::kOp] = static_cast<uint64_t>(of.op);
        r[P::kQueue] = of.sq;
        r[P::kValue] = of.value;
        r[P::kFlag] = of.flag;
        std::memcpy(&r[P::kSqe], of.sqe, sizeof(stars_sqe));
        r[P::kIds] =
            shape_.events | uint64_t{shape_.notifies} << 17 | uint64_t{shape_.counts} << 34;
        r[P::kRooms] = shape_.aic_room | uint64_t{shape_.aiv_room} << 16 |
                       uint64_t{shape_.mixed_room} << 32 | uint64_t{shape_.list_most} << 48;
        r[P::kDecode] = shape_.decode;
        r[P::kEvent] = of.event;
        r[P::kEventMiss] = shape_.event_miss;
        r[P::kNotify] = of.notify;
        r[P::kStore] = of.store;
        r[P::kRetire] = shape_.retire;
        r[P::kCqWrite] = shape_.cq_write;
        r[P::kSdmaSetup] = of.sdma_setup;
        r[P::kPcieSetup] = of.pcie_setup;
        r[P::kCreditUnit] = shape_.credit_unit;
        r[P::kTimeoutUnit] = shape_.timeout_unit;
        r[P::kContexts] = shape_.contexts;
        return r;
    }

    const SqeShape shape_;
    const bool lockstep_;
    Unit<SqePorts> unit_;
};

} // namespace

std::unique_ptr<SqeRtlPort> PortFactory::sqes(const SqeShape &shape, RtlPortPlace place)
{
    return std::make_unique<Port>(reporter_, lockstep_, shape, place);
}

} // namespace tsim::rtl
