// SPDX-License-Identifier: Apache-2.0
/// RTL port of TaskQueue: npu_front_end, for all queues of a device.
#include "core/queue/task_queue.h"

#include <cstring>

#include <Tnpu_front_end.h>
#include <Vnpu_front_end.h>

#include "rtl/port_factory.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

using Op = FrontRequest::Op; // numbered as in npu_front_end_pkg

struct FrontPorts {
    static constexpr const char *kBlock = "npu_front_end";
    using Plain = Vnpu_front_end;
    using Traced = Tnpu_front_end;
    enum : uint8_t {
        kOp,
        kQueue,
        kValue,
        kWindow,
        kVisible,
        kArrival,
        kKind,
        kStream,
        kTask,
        kTimestamp,
        kFailure
    };
    static constexpr std::array<const char *, 11> kRequest = {
        "op",   "queue",  "value", "window",    "visible", "arrival",
        "kind", "stream", "task",  "timestamp", "failure"};
    enum : uint8_t {
        kWaited,
        kSeen,
        kWritten,
        kTaken,
        kReady,
        kHead,
        kTail,
        kRetired,
        kBuffered,
        kAhead,
        kAheadAt,
        kCqHead,
        kCqTail,
        kPlace,
        kCqeLow,
        kCqeHigh
    };
    static constexpr std::array<Signal, 16> kResponse = {
        {{"waited", "T-FE-5, T-FE-6"},
         {"visible", "T-FE-1"},
         {"written", "T-CQ-3, T-CQ-6"},
         {"taken", "T-CQ-5"},
         {"ready", "T-FE-5, T-FE-6"},
         {"head", "T-FE-3, T-FE-8, T-SCH-15"},
         {"tail", "T-FE-1"},
         {"retired", "T-FE-3, T-FE-8, T-SCH-15"},
         {"buffered", "T-FE-4, T-FE-7, T-FE-11, T-HW-4"},
         {"ahead", "T-FE-4, T-FE-6, T-FE-7, T-FE-11"},
         {"ahead_at", "T-FE-6"},
         {"cq_head", "T-CQ-5"},
         {"cq_tail", "T-CQ-1, T-CQ-6"},
         {"cqe_place", "T-CQ-6"},
         {"cqe_low", "T-CQ-1, T-CQ-2"},
         {"cqe_high", "T-CQ-2"}}};

    static constexpr const char *kOps[] = {"open",   "close",    "ring",    "fetch",
                                           "retire", "set head", "drop",    "drop all",
                                           "look",   "complete", "CQ head", "read in"};

    // Of head, retired SQEs and buffer: by what has moved them.
    static const char *rule_of(const std::array<uint64_t, 11> &request,
                               const std::array<uint64_t, 16> &model, size_t signal)
    {
        const uint64_t op = request[kOp];
        switch (signal) {
        case kWaited:
        case kReady: // T-FE-5: there was no line to wait for
            return op == Op::kFetch && model[kAheadAt] == model[kReady] ? "T-FE-5" : "T-FE-6";
        case kWritten:
            return model[kWritten] != 0 ? "T-CQ-6" : "T-CQ-3";
        case kHead:
        case kRetired:
            return op == Op::kRetire    ? "T-FE-3"
                   : op == Op::kSetHead ? "T-FE-8"
                   : op == Op::kDropAll ? "T-SCH-15"
                                        : "T-FE-1";
        case kBuffered:
        case kAhead:
            return op == Op::kSetHead || op == Op::kDropAll ? "T-FE-7"
                   : op == Op::kDrop                        ? "T-FE-11"
                   : op == Op::kReadIn                      ? "T-HW-4"
                   : op == Op::kRetire                      ? "T-FE-3"
                   : signal == kAhead                       ? "T-FE-6"
                                                            : "T-FE-4";
        case kCqTail:
            return "T-CQ-6";
        default:
            return nullptr;
        }
    }
    template <class Top>
    static void drive(Top &top, Cycle now, const std::array<uint64_t, 11> &r)
    {
        top.now_i = now;
        top.cfg_window_i = static_cast<uint16_t>(r[kWindow]);
        top.req_op_i = static_cast<uint8_t>(r[kOp]);
        top.req_queue_i = static_cast<uint16_t>(r[kQueue]);
        top.req_value_i = r[kValue];
        top.arrival_visible_i = static_cast<uint16_t>(r[kVisible]);
        top.arrival_time_i = r[kArrival];
        // cqe_t, its last field lowest
        const uint64_t low = r[kFailure] | r[kTimestamp] << 32;
        const uint64_t high = r[kTimestamp] >> 32 | r[kTask] << 32 | r[kStream] << 48;
        top.req_cqe_i[0] = static_cast<uint32_t>(low);
        top.req_cqe_i[1] = static_cast<uint32_t>(low >> 32);
        top.req_cqe_i[2] = static_cast<uint32_t>(high);
        top.req_cqe_i[3] = static_cast<uint32_t>(high >> 32);
        top.req_cqe_i[4] = static_cast<uint32_t>(r[kKind]);
    }
    template <class Top>
    static void read(const Top &top, std::array<uint64_t, 16> &out)
    {
        const auto word = [](const auto &wide, uint32_t at) {
            return uint64_t{wide[at]} | uint64_t{wide[at + 1]} << 32;
        };
        const uint32_t op = top.req_op_i;
        const uint64_t ok = top.rsp_ok_o;
        const auto &q = top.rsp_queue_o; // queue_t, its last field lowest
        out = {};
        out[kWaited] = op == Op::kFetch ? ok : 0;
        out[kSeen] = op == Op::kLook ? ok : 0;
        out[kWritten] = op == Op::kComplete ? ok : 0;
        out[kTaken] = op == Op::kSetCqHead ? ok : 0;
        out[kReady] = op == Op::kFetch ? top.rsp_time_o : uint64_t{0};
        out[kCqTail] = q[0];
        out[kCqHead] = q[1];
        out[kAhead] = q[5] & 0xffffu;
        out[kAheadAt] = out[kAhead] != 0 ? word(q, 3) : 0;
        out[kBuffered] = q[5] >> 16;
        out[kRetired] = q[6];
        out[kTail] = q[7];
        out[kHead] = q[8];
        if (out[kWritten] == 0)
            return;
        out[kPlace] = top.cqe_place_o;
        out[kCqeLow] = word(top.cqe_data_o, 0);
        out[kCqeHigh] = word(top.cqe_data_o, 2);
    }
};

Request<FrontPorts> request_of(const FrontRequest &request, uint32_t window)
{
    const stars_cqe &cqe = request.cqe;
    const bool error = (cqe.flags & STARS_CQE_ERROR) != 0;
    return {request.op,
            request.sq,
            request.value,
            window,
            request.visible,
            request.arrival,
            (error ? 4u : 0u) | ((cqe.flags & STARS_CQE_EVENT) != 0 ? 2u : 0u) |
                ((cqe.flags & STARS_CQE_PLACEHOLDER) != 0 ? 1u : 0u),
            cqe.stream_id,
            cqe.task_id,
            error ? 0 : cqe.u.timestamp,
            error ? uint64_t{cqe.u.error.status} | uint64_t{cqe.u.error.type} << 16 |
                        uint64_t{cqe.u.error.code} << 24
                  : 0};
}

FrontAnswer answer_of(const Response<FrontPorts> &r)
{
    using P = FrontPorts;
    FrontAnswer answer;
    answer.ok = (r[P::kWaited] | r[P::kSeen] | r[P::kWritten] | r[P::kTaken]) != 0;
    answer.time = r[P::kReady];
    answer.queue = {static_cast<uint32_t>(r[P::kHead]),    static_cast<uint32_t>(r[P::kTail]),
                    static_cast<uint32_t>(r[P::kRetired]), static_cast<uint16_t>(r[P::kBuffered]),
                    static_cast<uint16_t>(r[P::kAhead]),   r[P::kAheadAt],
                    static_cast<uint32_t>(r[P::kCqHead]),  static_cast<uint32_t>(r[P::kCqTail])};
    answer.place = static_cast<uint32_t>(r[P::kPlace]);
    const uint64_t cqe[2] = {r[P::kCqeLow], r[P::kCqeHigh]};
    static_assert(sizeof(cqe) == sizeof(answer.cqe));
    std::memcpy(&answer.cqe, cqe, sizeof(cqe));
    return answer;
}

/// A queue of the plain model, with its CQ.
struct ModelQueue {
    TaskQueue queue;
    std::vector<stars_cqe> cq;
    stars_sqe ring{}; // never read
};

class Port final : public FrontRtlPort
{
  public:
    Port(const Reporter &reporter, bool lockstep, uint32_t queues, uint32_t window,
         RtlPortPlace place)
        : unit_(reporter, place), window_(window), lockstep_(lockstep), queues_(queues)
    {
    }
    void reset() override
    {
        for (auto &queue : queues_)
            queue.reset();
        unit_.reset();
    }
    FrontAnswer run(const FrontRequest &request) override
    {
        if (!lockstep_)
            return answer_of(unit_.run_one(request_of(request, window_)));
        if (request.op == Op::kOpen)
            open(request);
        ModelQueue &model = *queues_[request.sq];
        FrontAnswer answer = apply(request, model);
        answer.queue = model.queue.state();
        expect(request, answer);
        if (request.op == Op::kClose)
            queues_[request.sq].reset();
        return answer;
    }

  private:
    void open(const FrontRequest &request)
    {
        twinsim_queue config{};
        config.depth = static_cast<uint32_t>(request.value) + 1;
        config.cq_depth = static_cast<uint32_t>(request.value >> 32) + 1;
        auto model = std::make_unique<ModelQueue>();
        model->cq.resize(config.cq_depth);
        model->queue.open(config, &model->ring, model->cq.data());
        queues_[request.sq] = std::move(model);
    }
    [[nodiscard]] FrontAnswer apply(const FrontRequest &request, ModelQueue &model) const
    {
        TaskQueue &queue = model.queue;
        const Cycle now = unit_.reporter().now();
        const auto value = static_cast<uint32_t>(request.value);
        FrontAnswer answer;
        switch (request.op) {
        case Op::kOpen:
            break;
        case Op::kClose:
            queue.close();
            break;
        case Op::kRing:
            ring(request, queue);
            break;
        case Op::kFetch: {
            const TaskQueue::Fetch fetch = queue.fetch(now, request.value, window_);
            answer.ok = fetch.waited;
            answer.time = fetch.ready;
            break;
        }
        case Op::kRetire:
            queue.retire(now);
            break;
        case Op::kSetHead:
            queue.set_head(value, now);
            break;
        case Op::kDrop:
            queue.drop_prefetched();
            break;
        case Op::kDropAll:
            queue.drop_all(now);
            break;
        case Op::kLook:
            answer.ok = queue.visible(now);
            break;
        case Op::kComplete:
            answer.place = queue.cq_tail();
            answer.ok = queue.complete(request.cqe);
            if (answer.ok)
                answer.cqe = model.cq[answer.place];
            break;
        case Op::kSetCqHead:
            answer.ok = queue.set_cq_head(value);
            break;
        case Op::kReadIn:
            (void)queue.read_in(now, value);
            break;
        }
        return answer;
    }
    // One doorbell for each entry, as each has its time.
    void ring(const FrontRequest &request, TaskQueue &queue) const
    {
        const uint32_t mask = queue.depth() - 1, from = queue.tail();
        for (uint32_t i = 0; i < request.value; ++i)
            (void)queue.doorbell((from + i + 1) & mask, request.times[(from + i) & mask].arrival);
        queue.take_in(queue.rung(), unit_.reporter().now(), 1);
    }
    void expect(const FrontRequest &request, const FrontAnswer &answer)
    {
        const FrontState &q = answer.queue;
        uint64_t cqe[2] = {};
        const auto is = [&request](Op op) { return request.op == op; };
        const bool written = is(Op::kComplete) && answer.ok;
        if (written)
            std::memcpy(cqe, &answer.cqe, sizeof(cqe));
        unit_.expect(request_of(request, window_),
                     Response<FrontPorts>{is(Op::kFetch) && answer.ok, is(Op::kLook) && answer.ok,
                                          written, is(Op::kSetCqHead) && answer.ok, answer.time,
                                          q.head, q.tail, q.retired, q.buffered, q.ahead,
                                          q.ahead_at, q.cq_head, q.cq_tail,
                                          written ? answer.place : 0, cqe[0], cqe[1]});
    }

    Unit<FrontPorts> unit_;
    const uint32_t window_;
    const bool lockstep_;
    std::vector<std::unique_ptr<ModelQueue>> queues_; // in lock step: those that are open
};

} // namespace

std::unique_ptr<FrontRtlPort> PortFactory::front_end(uint32_t queues, uint32_t window,
                                                     RtlPortPlace place)
{
    return std::make_unique<Port>(reporter_, lockstep_, queues, window, place);
}

} // namespace tsim::rtl
