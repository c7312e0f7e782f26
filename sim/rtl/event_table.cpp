// SPDX-License-Identifier: Apache-2.0
/// npu_event_table behind the ports of EventTable.
#include "core/tables/event_table.h"

#include <Tnpu_event_table.h>
#include <Vnpu_event_table.h>

#include "rtl/makers.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

enum Op : uint8_t { kRead, kWait, kRecord, kClear, kForget, kLoad };

struct EventPorts {
    static constexpr const char *kBlock = "npu_event_table";
    enum : uint8_t { kOp, kId, kQueue, kNow, kEvents, kLines, kIsolated };
    static constexpr std::array<Signal, 7> kRequest = {
        {{"op"}, {"id"}, {"queue"}, {"now"}, {"events"}, {"lines"}, {"isolated"}}};
    enum : uint8_t { kError, kPass, kRelease, kReleased, kFlag, kPending, kInMemory };
    static constexpr std::array<Signal, 7> kResponse = {{{"error", "T-SQE-10"},
                                                         {"pass", "T-EVT-2"},
                                                         {"release", "T-EVT-4"},
                                                         {"queue", "T-EVT-4"},
                                                         {"flag", "T-EVT-1, T-EVT-5"},
                                                         {"pending", "T-EVT-3"},
                                                         {"in_memory", "T-EVT-7 to T-EVT-10"}}};

    static const char *op_name(uint64_t op)
    {
        static const char *const names[] = {"read",   "wait", "record", "clear",
                                            "forget", "load", "none",   "none"};
        return names[op & 7];
    }
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

/// Operations with the settings of the table.
class Requests
{
  public:
    explicit Requests(const EventShape &shape)
        : ids_(shape.ids), lines_(shape.isolated ? shape.lines / EventTable::kParts : shape.lines),
          isolated_(shape.isolated)
    {
    }
    [[nodiscard]] Request<EventPorts> of(Op op, uint32_t id, uint32_t queue = 0,
                                         Cycle now = 0) const
    {
        return {op, id, queue, now, ids_, lines_, isolated_};
    }

  private:
    const uint32_t ids_;
    const uint32_t lines_;
    const bool isolated_;
};

class RtlEventTable final : public EventRtlPort
{
  public:
    RtlEventTable(const Reporter &reporter, const EventShape &shape, RtlPortPlace place)
        : unit_(reporter, place), requests_(shape)
    {
    }
    void reset() override
    {
        unit_.reset();
        released_.clear();
    }
    [[nodiscard]] Entry read(uint32_t id) override
    {
        const auto &r = unit_.run_one(requests_.of(kRead, id));
        return {r[EventPorts::kFlag] != 0, r[EventPorts::kPending] != 0,
                r[EventPorts::kInMemory] != 0};
    }
    [[nodiscard]] bool wait(uint32_t id, uint32_t queue, Cycle now) override
    {
        return unit_.run_one(requests_.of(kWait, id, queue, now))[EventPorts::kPass] != 0;
    }
    void record(uint32_t id) override
    {
        released_.clear();
        for (const auto &r : unit_.run(requests_.of(kRecord, id)))
            if (r[EventPorts::kRelease] != 0)
                released_.push_back(static_cast<uint32_t>(r[EventPorts::kReleased]));
        next_ = 0;
    }
    [[nodiscard]] uint32_t release(uint32_t) override
    {
        return next_ < released_.size() ? released_[next_++] : kNone;
    }
    void clear(uint32_t id) override { (void)unit_.run(requests_.of(kClear, id)); }
    void forget(uint32_t id, uint32_t queue) override
    {
        (void)unit_.run(requests_.of(kForget, id, queue));
    }
    void load(uint32_t id) override { (void)unit_.run(requests_.of(kLoad, id)); }

  private:
    Unit<EventPorts> unit_;
    const Requests requests_;
    std::vector<uint32_t> released_; // by the record before
    size_t next_ = 0;
};

class LockstepEventTable final : public EventRtlPort
{
  public:
    LockstepEventTable(const Reporter &reporter, const EventShape &shape, RtlPortPlace place)
        : unit_(reporter, place), requests_(shape),
          model_(shape.ids, shape.queues, shape.lines, shape.isolated)
    {
    }
    void reset() override
    {
        model_.reset();
        unit_.reset();
        released_.clear();
    }
    [[nodiscard]] Entry read(uint32_t id) override
    {
        unit_.expect(requests_.of(kRead, id), after(id));
        return {model_.flag(id), model_.pending(id), model_.in_memory(id)};
    }
    [[nodiscard]] bool wait(uint32_t id, uint32_t queue, Cycle now) override
    {
        const bool pass = model_.wait(id, queue, now);
        Response<EventPorts> answer = after(id);
        answer[EventPorts::kPass] = pass;
        unit_.expect(requests_.of(kWait, id, queue, now), answer);
        return pass;
    }
    void record(uint32_t id) override
    {
        model_.record(id);
        released_.clear();
        answers_.clear();
        for (uint32_t queue = model_.release(id); queue != kNone; queue = model_.release(id)) {
            released_.push_back(queue);
            answers_.push_back(after(id));
            answers_.back()[EventPorts::kRelease] = 1;
            answers_.back()[EventPorts::kReleased] = queue;
        }
        next_ = 0;
        if (answers_.empty())
            answers_.push_back(after(id));
        unit_.expect(requests_.of(kRecord, id), answers_);
    }
    [[nodiscard]] uint32_t release(uint32_t) override
    {
        return next_ < released_.size() ? released_[next_++] : kNone;
    }
    void clear(uint32_t id) override
    {
        model_.clear(id);
        unit_.expect(requests_.of(kClear, id), after(id));
    }
    void forget(uint32_t id, uint32_t queue) override
    {
        model_.forget(id, queue);
        unit_.expect(requests_.of(kForget, id, queue), after(id));
    }
    void load(uint32_t id) override
    {
        model_.load(id);
        unit_.expect(requests_.of(kLoad, id), after(id));
    }

  private:
    // What the table holds of an entry, as it answers.
    [[nodiscard]] Response<EventPorts> after(uint32_t id) const
    {
        return {0, 0, 0, 0, model_.flag(id), model_.pending(id), model_.in_memory(id)};
    }

    Unit<EventPorts> unit_;
    const Requests requests_;
    EventTable model_;
    std::vector<Response<EventPorts>> answers_;
    std::vector<uint32_t> released_; // by the record before
    size_t next_ = 0;
};

} // namespace

template <>
std::unique_ptr<Machine<EventPorts>> make_machine<EventPorts>(const std::string &trace)
{
    if (trace.empty())
        return std::make_unique<VerilatedMachine<EventPorts, Vnpu_event_table, false>>(trace);
    return std::make_unique<VerilatedMachine<EventPorts, Tnpu_event_table, true>>(trace);
}

std::unique_ptr<EventRtlPort> make_events(const Reporter &reporter, bool lockstep,
                                          const EventShape &shape, RtlPortPlace place)
{
    if (lockstep)
        return std::make_unique<LockstepEventTable>(reporter, shape, place);
    return std::make_unique<RtlEventTable>(reporter, shape, place);
}

} // namespace tsim::rtl
