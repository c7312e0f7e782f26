// SPDX-License-Identifier: Apache-2.0
/// RTL port of EventTable: npu_event_table.
#include "core/tables/event_table.h"

#include <Tnpu_event_table.h>
#include <Vnpu_event_table.h>

#include "rtl/port_factory.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

enum Op : uint8_t { kRead, kWait, kRecord, kClear, kForget, kLoad };

struct EventPorts {
    static constexpr const char *kBlock = "npu_event_table";
    using Plain = Vnpu_event_table;
    using Traced = Tnpu_event_table;
    enum : uint8_t { kOp, kId, kQueue, kNow, kEvents, kLines, kIsolated };
    static constexpr std::array<const char *, 7> kRequest = {"op",     "id",    "queue",   "now",
                                                             "events", "lines", "isolated"};
    enum : uint8_t { kError, kPass, kRelease, kReleased, kFlag, kPending, kInMemory };
    static constexpr std::array<Signal, 7> kResponse = {{{"error", "T-SQE-10"},
                                                         {"pass", "T-EVT-2"},
                                                         {"release", "T-EVT-4"},
                                                         {"queue", "T-EVT-4"},
                                                         {"flag", "T-EVT-1, T-EVT-5"},
                                                         {"pending", "T-EVT-3"},
                                                         {"in_memory", "T-EVT-7 to T-EVT-10"}}};

    static constexpr const char *kOps[] = {"read", "wait", "record", "clear", "forget", "load"};

    static const char *rule_of(const std::array<uint64_t, 7> &request,
                               const std::array<uint64_t, 7> &model, size_t signal)
    {
        if (signal == kFlag)
            return request[kOp] == Op::kClear ? "T-EVT-5" : "T-EVT-1";
        if (signal != kInMemory)
            return nullptr;
        return request[kOp] == Op::kLoad ? "T-EVT-8"
               : model[kInMemory] == 0   ? "T-EVT-7"
               : request[kIsolated] != 0 ? "T-EVT-10"
                                         : "T-EVT-9";
    }
    template <class Top>
    static void drive(Top &top, Cycle, const std::array<uint64_t, 7> &r)
    {
        top.req_op_i = static_cast<uint8_t>(r[kOp]);
        top.req_id_i = static_cast<uint16_t>(r[kId]);
        top.req_queue_i = static_cast<uint16_t>(r[kQueue]);
        top.req_now_i = r[kNow];
        top.cfg_events_i = static_cast<uint32_t>(r[kEvents]);
        top.cfg_lines_i = static_cast<uint32_t>(r[kLines]);
        top.cfg_isolated_i = r[kIsolated] != 0;
    }
    template <class Top>
    static void read(const Top &top, std::array<uint64_t, 7> &out)
    {
        out = {top.rsp_error_o,    top.rsp_pass_o,
               top.rsp_release_o,  top.rsp_release_o ? top.rsp_queue_o : uint64_t{0},
               top.rsp_flag_o,     top.rsp_pending_o,
               top.rsp_in_memory_o};
    }
};

class Port final : public EventRtlPort
{
  public:
    Port(const Reporter &reporter, bool lockstep, const EventShape &shape, RtlPortPlace place)
        : ids_(shape.ids), lines_(shape.isolated ? shape.lines / EventTable::kParts : shape.lines),
          isolated_(shape.isolated),
          block_(reporter, place, lockstep, shape.ids, shape.queues, shape.lines, shape.isolated)
    {
    }
    void reset() override
    {
        block_.reset();
        released_.clear();
    }
    [[nodiscard]] Entry read(uint32_t id) override
    {
        const Answer r = block_.run(of(kRead, id), [id](EventTable &m) { return after(m, id); });
        return {r[EventPorts::kFlag] != 0, r[EventPorts::kPending] != 0,
                r[EventPorts::kInMemory] != 0};
    }
    [[nodiscard]] bool wait(uint32_t id, uint32_t queue, Cycle now) override
    {
        const Answer r = block_.run(of(kWait, id, queue, now), [=](EventTable &model) {
            const bool pass = model.wait(id, queue, now);
            Answer answer = after(model, id);
            answer[EventPorts::kPass] = pass;
            return answer;
        });
        return r[EventPorts::kPass] != 0;
    }
    void record(uint32_t id) override
    {
        const auto &answers = block_.run_all(of(kRecord, id), [id](EventTable &model, auto &out) {
            model.record(id);
            for (uint32_t queue = model.release(id); queue != kNone; queue = model.release(id)) {
                out.push_back(after(model, id));
                out.back()[EventPorts::kRelease] = 1;
                out.back()[EventPorts::kReleased] = queue;
            }
            if (out.empty())
                out.push_back(after(model, id));
        });
        released_.clear();
        for (const Answer &r : answers)
            if (r[EventPorts::kRelease] != 0)
                released_.push_back(static_cast<uint32_t>(r[EventPorts::kReleased]));
        next_ = 0;
    }
    [[nodiscard]] uint32_t release(uint32_t) override
    {
        return next_ < released_.size() ? released_[next_++] : kNone;
    }
    void clear(uint32_t id) override
    {
        (void)block_.run(of(kClear, id), [id](EventTable &model) {
            model.clear(id);
            return after(model, id);
        });
    }
    void forget(uint32_t id, uint32_t queue) override
    {
        (void)block_.run(of(kForget, id, queue), [=](EventTable &model) {
            model.forget(id, queue);
            return after(model, id);
        });
    }
    void load(uint32_t id) override
    {
        (void)block_.run(of(kLoad, id), [id](EventTable &model) {
            model.load(id);
            return after(model, id);
        });
    }

  private:
    using Answer = Response<EventPorts>;

    [[nodiscard]] Request<EventPorts> of(Op op, uint32_t id, uint32_t queue = 0,
                                         Cycle now = 0) const
    {
        return {op, id, queue, now, ids_, lines_, isolated_};
    }
    // What the table holds of an entry, as it answers.
    [[nodiscard]] static Answer after(const EventTable &model, uint32_t id)
    {
        return {0, 0, 0, 0, model.flag(id), model.pending(id), model.in_memory(id)};
    }

    const uint32_t ids_;
    const uint32_t lines_;
    const bool isolated_;
    RtlBlock<EventPorts, EventTable> block_;
    std::vector<uint32_t> released_; // by the record before
    size_t next_ = 0;
};

} // namespace

std::unique_ptr<EventRtlPort> PortFactory::events(const EventShape &shape, RtlPortPlace place)
{
    return std::make_unique<Port>(reporter_, lockstep_, shape, place);
}

} // namespace tsim::rtl
