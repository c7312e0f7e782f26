// SPDX-License-Identifier: Apache-2.0
/// A job on npu_top: its rings, doorbells, CQs and memory are here, everything else is in the RTL.
#include "job_top.h"

#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include <Vnpu_top.h>

#include "core/dma.h"
#include "job_lines.h"
#include "rig.h"

namespace job
{

namespace
{

// npu_top_pkg.
enum Host : uint8_t {
    kHostOpen,
    kHostRing,
    kHostCqHead,
    kHostResume,
    kHostHandled,
    kHostEnable,
    kHostEventRecord,
    kHostEventClear,
    kHostNotifyRecord,
    kHostNotifyClear
};
enum Note : uint8_t {
    kGrant,
    kLeave,
    kBegin,
    kShare,
    kUnshare,
    kChannel,
    kMove,
    kMoved,
    kPark,
    kWake,
    kHold,
    kResumed,
    kRetired,
    kFailed,
    kLimit,
    kNoWay
};
enum MemoryOp : uint8_t { kFindRoute, kApplyDma, kStoreValue };

enum State : uint8_t { kIdle = 1, kParked = 9, kHeld = 10, kException = 11 };

constexpr uint32_t kNobody = UINT32_MAX;

struct Queue {
    uint32_t depth = 0;
    std::vector<stars_sqe> ring;
    std::vector<uint64_t> arrivals;
    std::vector<stars_cqe> cq;
    uint64_t sent = 0, rung = 0, ringing = 0, last_at = 0;
    uint64_t done = 0;
    uint32_t cq_head = 0, cq_tail = 0;
    // spans under way
    uint64_t slot = 0, slot_since = 0, share_since = 0, begun = 0, channel = 0, channel_since = 0;
    uint64_t move_since = 0, park_id = 0, park_since = 0, hold = 0, hold_since = 0;
    bool has_share = false, moves = false, sets_up = false, parked = false;
    uint64_t share = 0;
};

} // namespace

class Player
{
  public:
    Player(const Job &job, Vnpu_top &top) : job_(job), top_(top) {}

    Outcome run()
    {
        start();
        for (const Step &step : job_.steps)
            take(step);
        advance(UINT64_MAX);
        for (const auto &[sq, q] : queues_)
            add_queue(out_, sq, static_cast<uint32_t>(head_of(q)), q.done,
                      q.cq_tail & (cq_size(q) - 1), state_name(state_of(sq)), q.cq);
        add_memory(out_, "host", host_);
        add_memory(out_, "hbm", hbm_);
        out_.state.push_back("time " + std::to_string(top_.now_o));
        std::sort(out_.spans.begin(), out_.spans.end());
        return out_;
    }

  private:
    static uint32_t cq_size(const Queue &q) { return static_cast<uint32_t>(q.cq.size()); }
    static uint64_t head_of(const Queue &q) { return q.done & (q.depth - 1); }

    void start()
    {
        for (uint64_t i = 0; i < kMemory; ++i) {
            host_[i] = first_byte(0, i);
            hbm_[i] = first_byte(1, i);
        }
        const auto &m = job_.machine;
        top_.cfg_slots_i = static_cast<uint8_t>(m[kSlots]);
        top_.cfg_strict_level_i = static_cast<uint8_t>(m[kStrictLevel]);
        top_.cfg_weight_first_i = 0;
        top_.cfg_reload_spent_i = 0;
        top_.cfg_sdma_cap_i = static_cast<uint16_t>(m[kSdmaCap]);
        top_.cfg_pcie_cap_i = static_cast<uint16_t>(m[kPcieCap]);
        top_.cfg_sdma_channels_i = static_cast<uint8_t>(m[kSdmaChannels]);
        top_.cfg_pcie_channels_i = static_cast<uint8_t>(m[kPcieChannels]);
        top_.cfg_sdma_shift_i = static_cast<uint8_t>(m[kSdmaShift]);
        top_.cfg_pcie_shift_i = static_cast<uint8_t>(m[kPcieShift]);
        top_.cfg_window_i = static_cast<uint16_t>(m[kWindow]);
        top_.cfg_events_i = static_cast<uint32_t>(m[kEvents]);
        top_.cfg_lines_i = static_cast<uint32_t>(m[kEventCached]);
        top_.cfg_notifies_i = static_cast<uint32_t>(m[kNotifies]);
        top_.cfg_read_i = m[kRead];
        top_.cfg_arbitration_i = m[kArbitration];
        top_.cfg_record_i = m[kRecord];
        top_.cfg_enable_i = m[kEnable];
        top_.cfg_drain_i = m[kDrain];
        top_.cfg_disable_i = m[kSlotDisable];
        top_.cfg_decode_i = m[kDecode];
        top_.cfg_event_i = m[kEvent];
        top_.cfg_event_miss_i = m[kEventMiss];
        top_.cfg_notify_i = m[kNotify];
        top_.cfg_store_i = m[kStore];
        top_.cfg_retire_i = m[kRetire];
        top_.cfg_cq_write_i = m[kCqWrite];
        top_.cfg_sdma_setup_i = m[kSdmaSetup];
        top_.cfg_pcie_setup_i = m[kPcieSetup];
        top_.cfg_credit_unit_i = m[kCreditUnit];
        top_.cfg_timeout_unit_i = STARS_TIMEOUT_UNIT_NS;
        top_.host_valid_i = 0;
        top_.run_valid_i = 0;
        top_.rst_ni = 1;
        top_.clk_i = 0;
        top_.eval();
        top_.rst_ni = 0;
        clock();
        top_.rst_ni = 1;
        wait_ready();
    }

    // ---- clocks ----

    void clock()
    {
        top_.clk_i = 0;
        top_.eval();
        const bool asks = top_.ring_req_o || top_.arrival_req_o || top_.memory_req_o;
        if (asks) {
            if (top_.arrival_req_o)
                arrivals(top_.arrival_queue_o, top_.arrival_place_o);
            if (top_.ring_req_o)
                std::memcpy(&top_.ring_sqe_i[0], &sqe_at(top_.ring_queue_o, top_.ring_place_o),
                            sizeof(stars_sqe));
            if (top_.memory_req_o)
                memory();
            top_.eval();
        }
        if (top_.cqe_valid_o)
            complete();
        if (top_.note_valid_o)
            note();
        top_.clk_i = 1;
        top_.eval();
        ++out_.steps;
        top_.counter_i = static_cast<uint64_t>(static_cast<unsigned __int128>(top_.now_o) *
                                               shipped_profile().params().counter_mhz.value / 1000);
    }

    void wait_ready()
    {
        for (uint64_t i = 0; !top_.host_ready_o; ++i) {
            clock();
            if (i == kPatience)
                throw std::string("the RTL does not come back");
        }
    }

    void ask(Host op, uint32_t sq, uint64_t value)
    {
        top_.host_valid_i = 1;
        top_.host_op_i = op;
        top_.host_queue_i = static_cast<uint8_t>(sq);
        top_.host_value_i = value;
        clock();
        top_.host_valid_i = 0;
        wait_ready();
    }

    void advance(uint64_t until)
    {
        // FE-2: doorbells are looked at when a run starts, queue by queue.
        for (auto &[sq, q] : queues_) {
            if (q.ringing == q.rung)
                continue;
            const uint64_t added = q.ringing - q.rung;
            for (uint64_t i = q.rung; i < q.ringing; ++i) {
                uint64_t &at = q.arrivals[i & (q.depth - 1)];
                at = std::max<uint64_t>(at, top_.now_o);
            }
            q.rung = q.ringing;
            ask(kHostRing, sq, added);
        }
        top_.run_valid_i = 1;
        top_.run_until_i = until;
        clock();
        top_.run_valid_i = 0;
        wait_ready();
    }

    uint32_t state_of(uint32_t sq)
    {
        top_.host_queue_i = static_cast<uint8_t>(sq);
        top_.eval();
        return top_.host_state_o;
    }

    static const char *state_name(uint32_t state)
    {
        return state == kIdle        ? "idle"
               : state == kParked    ? "parked"
               : state == kHeld      ? "held"
               : state == kException ? "failed"
                                     : "running";
    }

    // ---- what the RTL asks for ----

    // What is visible from a place of the ring on; what was rung last lies behind the newest entry.
    void arrivals(uint32_t sq, uint32_t place)
    {
        const auto found = queues_.find(sq);
        if (found == queues_.end() || found->second.rung == 0)
            return;
        const Queue &q = found->second;
        const uint64_t mask = q.depth - 1;
        const uint64_t there = (q.rung - place) & mask;
        uint64_t visible = 0;
        while (visible < there && q.arrivals[(place + visible) & mask] <= top_.now_o)
            ++visible;
        top_.arrival_visible_i = static_cast<uint16_t>(visible);
        top_.arrival_time_i = q.arrivals[place & mask];
    }

    const stars_sqe &sqe_at(uint32_t sq, uint32_t place)
    {
        const Queue &q = queues_.at(sq);
        return q.ring[place & (q.depth - 1)];
    }

    static void *translate(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                           twinsim_access, twinsim_target *target, uint32_t *owner)
    {
        auto *const self = static_cast<Player *>(context);
        *owner = device;
        if (address >= Rig::kHost && address - Rig::kHost + bytes <= kMemory) {
            *target = TWINSIM_TARGET_HOST;
            return self->host_ + (address - Rig::kHost);
        }
        if (address >= Rig::kHbm && address - Rig::kHbm + bytes <= kMemory) {
            *target = TWINSIM_TARGET_HBM;
            return self->hbm_ + (address - Rig::kHbm);
        }
        return nullptr;
    }

    void memory()
    {
        twinsim_bus bus{};
        bus.context = this;
        bus.translate = translate;
        const stars_sqe &sqe = sqe_at(top_.memory_queue_o, top_.ring_place_o);
        if (top_.memory_op_o == kStoreValue) {
            twinsim_target target = TWINSIM_TARGET_NONE;
            uint32_t owner = 0;
            const uint32_t bytes = 1u << (sqe.word[5] >> STARS_W5_SIZE_SHIFT & 7u);
            const uint64_t address = uint64_t{sqe.word[4]} | uint64_t{sqe.word[5] & 0x1ffffu} << 32;
            void *const to = translate(this, 0, address, bytes, TWINSIM_WRITE, &target, &owner);
            if (to)
                std::memcpy(to, &sqe.word[8], bytes);
            top_.memory_ok_i = to != nullptr;
            return;
        }
        tsim::DmaJob dma;
        if (!tsim::decode_job(sqe, 0, dma))
            throw std::string("the RTL runs a DMA that is none");
        if (top_.memory_op_o == kApplyDma) {
            top_.memory_ok_i = tsim::apply(dma, bus, 0);
            return;
        }
        // In the order of the model's routes.
        enum { kToDevice, kToHost, kWithin, kLoop, kFillDevice, kFillHost };
        twinsim_target from = TWINSIM_TARGET_NONE, to = TWINSIM_TARGET_NONE;
        uint32_t owner = 0;
        const bool fill = dma.kind == tsim::DmaJob::Kind::kFill;
        const bool there =
            translate(this, 0, dma.dst, dma.bytes, TWINSIM_ROUTE, &to, &owner) &&
            (fill || translate(this, 0, dma.src, dma.bytes, TWINSIM_ROUTE, &from, &owner));
        const bool to_hbm = to == TWINSIM_TARGET_HBM, from_hbm = from == TWINSIM_TARGET_HBM;
        top_.memory_ok_i = there;
        top_.memory_bytes_i = dma.bytes;
        top_.memory_route_i = fill       ? (to_hbm ? kFillDevice : kFillHost)
                              : from_hbm ? (to_hbm ? kWithin : kToHost)
                                         : (to_hbm ? kToDevice : kLoop);
    }

    void complete()
    {
        Queue &q = queues_.at(top_.cqe_queue_o);
        std::memcpy(&q.cq[top_.cqe_place_o & (cq_size(q) - 1)], &top_.cqe_data_o[0],
                    sizeof(stars_cqe));
        ++q.cq_tail;
    }

    // ---- what it tells ----

    void note()
    {
        const uint64_t now = top_.now_o, value = top_.note_value_o;
        const uint32_t sq = top_.note_queue_o;
        Queue &q = queues_.at(sq);
        const uint64_t number = q.done + 1;
        const uint64_t out = job_.machine[kDrain] + job_.machine[kSlotDisable];
        switch (top_.note_kind_o) {
        case kGrant:
            q.slot = value;
            q.slot_since = now;
            break;
        case kLeave:
            add_span(out_, "slot", sq, q.slot_since, now + out, value, 0, kNobody, 0);
            break;
        case kBegin:
            q.begun = now;
            add_span(out_, "fetch", sq, now, value, 0, 0, kNobody, 0);
            break;
        case kShare:
            q.share = value;
            q.share_since = now;
            break;
        case kUnshare:
            add_span(out_, "share", sq, q.share_since, now, value, 0, kNobody, 0);
            break;
        case kChannel:
            q.channel = value;
            q.channel_since = now;
            q.sets_up = true;
            break;
        case kMove:
            q.moves = true;
            q.move_since = now;
            end_set_up(sq, q, now);
            break;
        case kMoved:
            end_move(sq, q, now);
            break;
        case kNoWay:
            end_set_up(sq, q, now);
            break;
        case kPark:
            q.park_id = value;
            q.park_since = now;
            q.parked = true;
            break;
        case kWake: {
            const auto waker = static_cast<uint32_t>(value);
            add_span(out_, "park", sq, q.park_since, now, q.park_id, number, waker,
                     waker == kNobody ? 0 : queues_.at(waker).done + 1);
            q.parked = false;
            break;
        }
        case kLimit:
            if (q.parked)
                add_span(out_, "park", sq, q.park_since, now, q.park_id, number, kNobody, 0);
            q.parked = false;
            end_move(sq, q, now);
            break;
        case kHold: {
            // npu_sqe_pkg::hold_e, as the trace calls them.
            constexpr uint64_t kNames[] = {0, TWINSIM_HOLD_BEFORE, TWINSIM_HOLD_AFTER,
                                           TWINSIM_HOLD_CQ, TWINSIM_HOLD_CQ};
            q.hold = kNames[value];
            q.hold_since = now;
            break;
        }
        case kResumed:
            add_span(out_, "hold", sq, q.hold_since, now, q.hold, 0, kNobody, 0);
            break;
        case kRetired:
        case kFailed: {
            const bool failed = top_.note_kind_o == kFailed;
            add_span(out_, "task", sq, q.begun, now, 0, number, kNobody, 0);
            out_.ends.push_back(end_line(now, sq, number, failed ? value & 0xff : 0,
                                         failed ? static_cast<uint32_t>(value >> 8) : 0));
            if (!failed)
                ++q.done;
            break;
        }
        default:
            break;
        }
    }

    void end_set_up(uint32_t sq, Queue &q, uint64_t now)
    {
        if (q.sets_up)
            add_span(out_, "setup", sq, q.channel_since, now, q.channel, 0, kNobody, 0);
        q.sets_up = false;
    }

    void end_move(uint32_t sq, Queue &q, uint64_t now)
    {
        if (q.moves)
            add_span(out_, "transfer", sq, q.move_since, now, q.channel, 0, kNobody, 0);
        q.moves = false;
    }

    // ---- software ----

    void take(const Step &step)
    {
        const uint32_t sq = step.queue;
        const uint64_t id = step.args[0];
        switch (step.kind) {
        case Kind::kQueue:
            open(step);
            return;
        case Kind::kRun:
            if (top_.now_o < step.args[0])
                advance(step.args[0]);
            return;
        case Kind::kHostRecord:
        case Kind::kHostClear:
            if (id < job_.machine[kEvents])
                ask(step.kind == Kind::kHostRecord ? kHostEventRecord : kHostEventClear, 0, id);
            return;
        case Kind::kHostNotify:
        case Kind::kHostNotifyClear:
            if (id < job_.machine[kNotifies])
                ask(step.kind == Kind::kHostNotify ? kHostNotifyRecord : kHostNotifyClear, 0, id);
            return;
        default:
            break;
        }
        const auto found = queues_.find(sq);
        if (found == queues_.end())
            return;
        Queue &q = found->second;
        switch (step.kind) {
        case Kind::kRing:
            if (q.sent == q.ringing)
                return;
            q.last_at = std::max<uint64_t>(q.last_at, top_.now_o + step.args[0]);
            for (; q.ringing < q.sent; ++q.ringing)
                q.arrivals[q.ringing & (q.depth - 1)] = q.last_at;
            return;
        case Kind::kCqTake: {
            const uint32_t taken =
                static_cast<uint32_t>(std::min<uint64_t>(q.cq_tail - q.cq_head, id));
            q.cq_head += taken;
            ask(kHostCqHead, sq, q.cq_head & (cq_size(q) - 1));
            return;
        }
        case Kind::kResume:
            ask(kHostResume, sq, 0);
            return;
        case Kind::kHandled:
            if (state_of(sq) == kException) // what it does then it does behind this SQE
                ++q.done;
            ask(kHostHandled, sq, 0);
            return;
        case Kind::kEnable:
            ask(kHostEnable, sq, id != 0);
            return;
        default: {
            if (q.sent - q.done >= q.depth - 1)
                return;
            stars_sqe sqe = step.sqe();
            sqe.word[1] = sq | static_cast<uint32_t>(q.sent + 1) << STARS_W1_TASK_SHIFT;
            q.ring[q.sent++ & (q.depth - 1)] = sqe;
            return;
        }
        }
    }

    void open(const Step &step)
    {
        if (queues_.count(step.queue) != 0)
            return;
        Queue &q = queues_[step.queue];
        q.depth = static_cast<uint32_t>(step.args[2]);
        q.ring.assign(q.depth, {});
        q.arrivals.assign(q.depth, 0);
        q.cq.assign(step.args[3], {});
        top_.host_priority_i = static_cast<uint8_t>(step.args[0]);
        top_.host_group_i = static_cast<uint8_t>(step.args[1]);
        top_.host_stream_i = static_cast<uint16_t>(step.queue);
        top_.host_enable_i = step.args[4] != 0;
        ask(kHostOpen, step.queue, (step.args[3] - 1) << 32 | (step.args[2] - 1));
    }

    static constexpr uint64_t kPatience = 5000000; // clocks of one run

    const Job &job_;
    Vnpu_top &top_;
    Outcome out_;
    std::map<uint32_t, Queue> queues_;
    uint8_t host_[kMemory], hbm_[kMemory];
};

Top::Top() : context_(std::make_unique<VerilatedContext>())
{
    context_->threads(1);
    top_ = std::make_unique<Vnpu_top>(context_.get(), "npu_top");
}

Top::~Top()
{
    top_->final();
}

Outcome Top::run(const Job &job)
{
    return Player(job, *top_).run();
}

} // namespace job
