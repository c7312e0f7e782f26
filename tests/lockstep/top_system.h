// SPDX-License-Identifier: Apache-2.0
/// The world around npu_top while a job runs: rings, doorbells, CQs, memory, and software.
/// Everything else is in the RTL.
#ifndef TWINRT_TESTS_LOCKSTEP_TOP_SYSTEM_H
#define TWINRT_TESTS_LOCKSTEP_TOP_SYSTEM_H

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "core/engine/dma.h"
#include "job.h"
#include "job_lines.h"
#include "rig.h"
#include "top_bursts.h"
#include "top_notes.h"

namespace job
{

/// `Model` is Verilator's class of npu_top. `Wave`, with dump(), is called after each evaluation;
/// see NoWave.
struct NoWave {
    void dump() {}
};

template <class Model, class Wave = NoWave>
class TopSystem
{
  public:
    static constexpr uint64_t kPatience = 5000000; // clocks of one run

    /// The RTL hangs when it works for `patience` clocks without coming back.
    TopSystem(const Job &job, Model &top, Wave &wave, uint64_t patience = kPatience)
        : job_(job), top_(top), wave_(wave), patience_(patience),
          counter_mhz_(shipped_profile().params().counter_mhz.value)
    {
        for (uint64_t i = 0; i < kMemory; ++i) {
            host_[i] = first_byte(0, i);
            hbm_[i] = first_byte(1, i);
        }
        start();
    }
    /// `notes` receives the notes of npu_top.
    void set_notes(TopNotes *notes) { notes_ = notes; }
    [[nodiscard]] const TopNotes::Done &done() const { return done_; }
    [[nodiscard]] uint64_t clocks() const { return clocks_; }
    [[nodiscard]] uint64_t now() const { return top_.now_o; }

    /// All steps, then on until nothing is left to happen. Throws a std::string when the RTL hangs
    /// or an assertion of it fails.
    void run()
    {
        for (const Step &step : job_.steps)
            take(step);
        advance(UINT64_MAX);
    }

    void end(Outcome &out)
    {
        for (uint32_t sq = 0; sq < kQueues; ++sq) {
            const Queue &q = queues_[sq];
            if (q.depth != 0)
                add_queue(out, sq, static_cast<uint32_t>(done_[sq] & (q.depth - 1)), done_[sq],
                          q.cq_tail & (cq_size(q) - 1), state_name(state_of(sq)), q.cq);
        }
        add_memory(out, "host", host_);
        add_memory(out, "hbm", hbm_);
        out.state.push_back("time " + std::to_string(top_.now_o));
        out.steps = clocks_;
    }

  private:
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
        kHostNotifyClear,
        kHostPause,
        kHostKill,
        kHostTerminate,
        kHostSetHead,
        kHostPriority
    };
    enum HoldKind : uint8_t { kHoldBefore = 1, kHoldAfter = 2 }; // npu_sqe_pkg
    enum Pauses : uint8_t { kTask = 1, kDebug = 2 };
    enum MemoryOp : uint8_t { kFindRoute, kApplyDma, kStoreValue };
    enum State : uint8_t { kIdle = 1, kParked = 9, kHeld = 10, kException = 11, kKilled = 12 };

    struct Queue {
        uint32_t depth = 0; // 0: closed
        std::vector<stars_sqe> ring;
        std::vector<uint64_t> arrivals;
        std::vector<stars_cqe> cq;
        uint64_t sent = 0, ringing = 0; // written; rung by doorbells
        uint64_t rung = 0, seen = 0;    // of these the RTL knows; of these it can see
        uint64_t last_at = 0;
        uint32_t cq_head = 0, cq_tail = 0;
        bool enabled = false;
    };

    [[nodiscard]] static uint32_t cq_size(const Queue &q)
    {
        return static_cast<uint32_t>(q.cq.size());
    }

    // T-LNK-4: of MB/s, which are bytes per 1000 cycles here.
    [[nodiscard]] static uint64_t rate(uint64_t mb_s)
    {
        constexpr unsigned kFraction = 48;
        return static_cast<uint64_t>((static_cast<unsigned __int128>(mb_s) << kFraction) / 1000);
    }

    // A packed struct, whose last field is lowest.
    struct Field {
        uint32_t bits;
        uint64_t value;
    };
    template <typename Struct, size_t Count>
    static void pack(const Field (&fields)[Count], Struct &out)
    {
        out = {};
        uint32_t at = 0;
        for (auto field = std::rbegin(fields); field != std::rend(fields); ++field)
            for (uint32_t bit = 0; bit < field->bits; ++bit, ++at)
                out[at / 32] |= static_cast<uint32_t>(field->value >> bit & 1) << at % 32;
    }
    void configure()
    {
        const auto &m = job_.machine;
        const Field cfg[] = {{8, m[kSlots]},
                             {3, m[kStrictLevel]},
                             {1, 0},
                             {1, 0},
                             {16, m[kSdmaCap]},
                             {16, m[kPcieCap]},
                             {7, m[kSdmaChannels]},
                             {7, m[kPcieChannels]},
                             {3, m[kSdmaShift]},
                             {3, m[kPcieShift]},
                             {32, m[kBurst]},
                             {17, m[kOutstanding]},
                             {16, m[kWindow]},
                             {17, m[kEvents]},
                             {17, m[kEventCached]},
                             {17, m[kNotifies]},
                             {64, rate(m[kToDevice])},
                             {64, rate(m[kToHost])},
                             {64, rate(m[kHbm])}};
        const Field times[] = {{64, m[kRead]},
                               {64, m[kArbitration]},
                               {64, m[kRecord]},
                               {64, m[kEnable]},
                               {64, m[kDrain]},
                               {64, m[kSlotDisable]},
                               {64, m[kDecode]},
                               {64, m[kEvent]},
                               {64, m[kEventMiss]},
                               {64, m[kNotify]},
                               {64, m[kStore]},
                               {64, m[kRetire]},
                               {64, m[kCqWrite]},
                               {64, m[kSdmaSetup]},
                               {64, m[kPcieSetup]},
                               {64, m[kCreditUnit]},
                               {64, STARS_TIMEOUT_UNIT_NS}};
        pack(cfg, top_.cfg_i);     // npu_top_pkg::cfg_t
        pack(times, top_.times_i); // npu_top_pkg::times_t
    }

    void start()
    {
        configure();
        top_.host_valid_i = 0;
        top_.run_valid_i = 0;
        top_.counter_i = 0;
        top_.clk_i = 0;
        top_.rst_ni = 1;
        top_.eval();
        top_.rst_ni = 0; // asynchronous: an edge
        clock();
        top_.rst_ni = 1;
        wait_ready();
    }

    // ---- clocks ----

    // The requests and notes of the RTL come from registers: they are valid since the last edge,
    // and answers count at the next.
    void clock()
    {
        if (top_.arrival_req_o)
            arrivals(queues_[top_.arrival_queue_o], top_.arrival_place_o);
        if (top_.ring_req_o)
            std::memcpy(&top_.ring_sqe_i[0], &sqe_at(top_.ring_queue_o, top_.ring_place_o),
                        sizeof(stars_sqe));
        if (top_.memory_req_o)
            memory();
        if (top_.ax_valid_o)
            bursts_.begins(top_);
        if (top_.cqe_valid_o)
            complete();
        if (top_.note_valid_o)
            note();
        top_.clk_i = 0;
        top_.eval();
        wave_.dump();
        top_.clk_i = 1;
        top_.eval();
        wave_.dump();
        ++clocks_;
        if (top_.contextp()->gotError())
            throw std::string("an assertion of the RTL fails; its text is above");
        if (top_.now_o != counted_at_) {
            counted_at_ = top_.now_o;
            top_.counter_i = static_cast<uint64_t>(static_cast<unsigned __int128>(counted_at_) *
                                                   counter_mhz_ / 1000);
        }
    }

    void wait_ready()
    {
        for (uint64_t i = 0; !top_.host_ready_o; ++i) {
            clock();
            if (i == patience_)
                throw std::string("the RTL does not come back");
        }
    }

    void ask(Host op, uint32_t sq, uint64_t value)
    {
        quiet_ = false;
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
        // T-FE-2: doorbells are looked at when a run starts, queue by queue.
        for (uint32_t sq = 0; sq < kQueues; ++sq)
            ring(sq);
        if (quiet_)
            return; // nothing can happen: no clocks
        top_.run_valid_i = 1;
        top_.run_until_i = until;
        clock();
        top_.run_valid_i = 0;
        wait_ready();
        quiet_ = top_.idle_o;
    }

    void ring(uint32_t sq)
    {
        Queue &q = queues_[sq];
        if (q.ringing == q.rung)
            return;
        const uint64_t added = q.ringing - q.rung;
        for (uint64_t i = q.rung; i < q.ringing; ++i) {
            uint64_t &at = q.arrivals[i & (q.depth - 1)];
            at = std::max<uint64_t>(at, top_.now_o);
        }
        q.rung = q.ringing;
        ask(kHostRing, sq, added);
    }

    [[nodiscard]] uint32_t state_of(uint32_t sq)
    {
        top_.host_queue_i = static_cast<uint8_t>(sq);
        top_.eval();
        return top_.host_state_o;
    }

    [[nodiscard]] static const char *state_name(uint32_t state)
    {
        return state == kIdle        ? "idle"
               : state == kParked    ? "parked"
               : state == kHeld      ? "held"
               : state == kKilled    ? "held"
               : state == kException ? "failed"
                                     : "running";
    }

    // ---- what the RTL asks for ----

    // The arrivals that are visible from a place of the ring on; the last doorbell is the newest.
    void arrivals(Queue &q, uint32_t place)
    {
        const uint64_t mask = q.depth - 1;
        while (q.seen < q.rung && q.arrivals[q.seen & mask] <= top_.now_o)
            ++q.seen;
        const uint64_t there = (q.rung - place) & mask, hidden = q.rung - q.seen;
        top_.arrival_visible_i = static_cast<uint16_t>(there > hidden ? there - hidden : 0);
        top_.arrival_time_i = q.arrivals[place & mask];
    }

    [[nodiscard]] const stars_sqe &sqe_at(uint32_t sq, uint32_t place)
    {
        const Queue &q = queues_[sq];
        if (q.depth == 0)
            throw std::string("the RTL looks at a queue that is not open");
        return q.ring[place & (q.depth - 1)];
    }

    static void *translate(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                           twinsim_access, twinsim_target *target, uint32_t *owner)
    {
        auto *const self = static_cast<TopSystem *>(context);
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
        const stars_sqe &sqe = sqe_at(top_.memory_queue_o, top_.ring_place_o);
        if (top_.memory_op_o == kStoreValue) {
            store(sqe);
            return;
        }
        tsim::DmaJob dma;
        if (!tsim::decode_job(sqe, 0, dma))
            throw std::string("the RTL runs a DMA from another SQE");
        if (top_.memory_op_o == kApplyDma) {
            if (job_.bursts())
                bursts_.complete(top_.memory_queue_o);
            twinsim_bus bus{};
            bus.context = this;
            bus.translate = translate;
            top_.memory_ok_i = tsim::apply(dma, bus, 0);
            return;
        }
        find_route(dma);
    }

    void store(const stars_sqe &sqe)
    {
        twinsim_target target = TWINSIM_TARGET_NONE;
        uint32_t owner = 0;
        void *const to = translate(this, 0, top_.memory_address_o, top_.memory_size_o,
                                   TWINSIM_WRITE, &target, &owner);
        if (to)
            std::memcpy(to, &sqe.word[8], top_.memory_size_o);
        top_.memory_ok_i = to != nullptr;
    }

    void find_route(const tsim::DmaJob &dma)
    {
        // In the order of the model's routes.
        enum {
            kRouteToDevice,
            kRouteToHost,
            kRouteWithin,
            kRouteLoop,
            kRouteFillDevice,
            kRouteFillHost
        };
        twinsim_target from = TWINSIM_TARGET_NONE, to = TWINSIM_TARGET_NONE;
        uint32_t owner = 0;
        const bool fill = dma.kind == tsim::DmaJob::Kind::kFill;
        const bool there =
            translate(this, 0, dma.dst, dma.bytes, TWINSIM_ROUTE, &to, &owner) &&
            (fill || translate(this, 0, dma.src, dma.bytes, TWINSIM_ROUTE, &from, &owner));
        const bool to_hbm = to == TWINSIM_TARGET_HBM, from_hbm = from == TWINSIM_TARGET_HBM;
        top_.memory_ok_i = there;
        top_.memory_bytes_i = dma.bytes;
        top_.memory_src_i = dma.src;
        top_.memory_dst_i = dma.dst;
        if (job_.bursts() && there)
            bursts_.starts(top_.memory_queue_o, dma);
        top_.memory_route_i = fill       ? (to_hbm ? kRouteFillDevice : kRouteFillHost)
                              : from_hbm ? (to_hbm ? kRouteWithin : kRouteToHost)
                                         : (to_hbm ? kRouteToDevice : kRouteLoop);
    }

    void complete()
    {
        Queue &q = queues_[top_.cqe_queue_o];
        std::memcpy(&q.cq[top_.cqe_place_o & (cq_size(q) - 1)], &top_.cqe_data_o[0],
                    sizeof(stars_cqe));
        ++q.cq_tail;
        if (notes_)
            notes_->reports(top_.cqe_queue_o);
    }

    // ---- its notes ----

    void note()
    {
        const auto note = static_cast<Note>(top_.note_kind_o);
        const uint32_t sq = top_.note_queue_o;
        if (notes_) {
            if (note == Note::kHold)
                notes_->interrupts(sq, hold_target(sq));
            notes_->add(note, sq, top_.now_o, top_.note_value_o);
        }
        if (note == Note::kRetired || note == Note::kSkip)
            ++done_[sq];
    }

    // The target that a hold interrupts: the RTL has no note of it (T-SQE-13).
    [[nodiscard]] uint32_t hold_target(uint32_t sq)
    {
        const uint32_t word = sqe_at(sq, static_cast<uint32_t>(done_[sq])).word[0];
        switch (top_.note_value_o) {
        case kHoldBefore:
            return word >> STARS_W0_PRE_P_SHIFT & 3u;
        case kHoldAfter:
            return word >> STARS_W0_POST_P_SHIFT & 3u;
        default:
            return 0;
        }
    }

    // ---- software ----

    void take(const Step &step)
    {
        const uint64_t id = step.args[0];
        switch (step.kind) {
        case Kind::kQueue:
            open(step);
            return;
        case Kind::kRun:
            if (top_.now_o < id)
                advance(id);
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
            if (queues_[step.queue].depth != 0)
                take_queue(step);
            return;
        }
    }

    void take_queue(const Step &step)
    {
        const uint32_t sq = step.queue;
        const uint64_t number = step.args[0];
        Queue &q = queues_[sq];
        switch (step.kind) {
        case Kind::kRing:
            if (q.sent == q.ringing)
                return;
            q.last_at = std::max<uint64_t>(q.last_at, top_.now_o + number);
            for (; q.ringing < q.sent; ++q.ringing)
                q.arrivals[q.ringing & (q.depth - 1)] = q.last_at;
            return;
        case Kind::kCqTake:
            q.cq_head += static_cast<uint32_t>(std::min<uint64_t>(q.cq_tail - q.cq_head, number));
            ask(kHostCqHead, sq, q.cq_head & (cq_size(q) - 1));
            return;
        case Kind::kResume:
            ask(kHostResume, sq, kTask);
            return;
        case Kind::kDebugResume:
            ask(kHostResume, sq, kDebug);
            return;
        case Kind::kPause:
            ask(kHostPause, sq, kTask);
            return;
        case Kind::kDebugPause:
            ask(kHostPause, sq, kDebug);
            return;
        case Kind::kKill:
            ask(kHostKill, sq, 0);
            return;
        case Kind::kTerminate:
            if (state_of(sq) != kKilled)
                return;
            ring(sq); // doorbells are looked at first
            done_[sq] += pending(sq);
            skip(sq);
            ask(kHostTerminate, sq, 0);
            return;
        case Kind::kSetHead:
            set_head(sq, number);
            return;
        case Kind::kPriority:
            top_.host_priority_i = static_cast<uint8_t>(step.args[0]);
            top_.host_group_i = static_cast<uint8_t>(step.args[1]);
            ask(kHostPriority, sq, 0);
            return;
        case Kind::kHandled:
            ask(kHostHandled, sq, 0);
            return;
        case Kind::kEnable:
            q.enabled = number != 0;
            ask(kHostEnable, sq, number != 0);
            return;
        default: {
            if (used_places(q.sent, q.ringing, done_[sq], q.depth) >= q.depth - 1)
                return;
            stars_sqe sqe = step.sqe();
            sqe.word[1] = sq | static_cast<uint32_t>(q.sent + 1) << STARS_W1_TASK_SHIFT;
            q.ring[q.sent++ & (q.depth - 1)] = sqe;
            return;
        }
        }
    }

    // SQEs that the RTL knows of, from its head on.
    [[nodiscard]] uint64_t pending(uint32_t sq) const
    {
        const Queue &q = queues_[sq];
        return (q.rung - done_[sq]) & (q.depth - 1);
    }

    // The head has moved: SQEs before it need not become visible, and their places may be written
    // again.
    void skip(uint32_t sq)
    {
        Queue &q = queues_[sq];
        q.seen = std::max(q.seen, q.rung - pending(sq));
    }

    // T-FE-8.
    void set_head(uint32_t sq, uint64_t head)
    {
        const Queue &q = queues_[sq];
        if (q.enabled || !may_be_head(q.sent, q.ringing, head, q.depth) || state_of(sq) != kIdle)
            return;
        ring(sq);
        done_[sq] += (head - done_[sq]) & (q.depth - 1);
        skip(sq);
        ask(kHostSetHead, sq, head);
    }

    void open(const Step &step)
    {
        Queue &q = queues_[step.queue];
        if (q.depth != 0)
            return;
        q.depth = static_cast<uint32_t>(step.args[2]);
        q.ring.assign(q.depth, {});
        q.arrivals.assign(q.depth, 0);
        q.cq.assign(step.args[3], {});
        top_.host_priority_i = static_cast<uint8_t>(step.args[0]);
        top_.host_group_i = static_cast<uint8_t>(step.args[1]);
        top_.host_stream_i = static_cast<uint16_t>(step.queue);
        q.enabled = step.args[4] != 0;
        top_.host_enable_i = q.enabled;
        ask(kHostOpen, step.queue, (step.args[3] - 1) << 32 | (step.args[2] - 1));
    }

    const Job &job_;
    TopBursts bursts_{job_.machine[kBurst]};
    Model &top_;
    Wave &wave_;
    const uint64_t patience_;
    const uint64_t counter_mhz_;
    TopNotes *notes_ = nullptr;
    uint64_t clocks_ = 0;
    uint64_t counted_at_ = 0;
    bool quiet_ = true; // nothing is left to happen
    TopNotes::Done done_{};
    std::array<Queue, kQueues> queues_{};
    uint8_t host_[kMemory], hbm_[kMemory];
};

} // namespace job

#endif
