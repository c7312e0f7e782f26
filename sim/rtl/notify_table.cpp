// SPDX-License-Identifier: Apache-2.0
/// npu_notify_table behind the ports of NotifyTable.
#include "core/tables/notify_table.h"

#include <Tnpu_notify_table.h>
#include <Vnpu_notify_table.h>

#include "rtl/makers.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

enum Op : uint8_t { kRead, kWait, kRecord, kClear, kForget };

struct NotifyPorts {
    static constexpr const char *kBlock = "npu_notify_table";
    enum : uint8_t { kOp, kId, kQueue, kNow, kNotifies };
    static constexpr std::array<Signal, 5> kRequest = {
        {{"op"}, {"id"}, {"queue"}, {"now"}, {"notifies"}}};
    enum : uint8_t { kError, kPass, kRelease, kReleased, kFlag, kPending };
    static constexpr std::array<Signal, 6> kResponse = {{{"error", "T-SQE-10"},
                                                         {"pass", "T-NTF-2"},
                                                         {"release", "T-NTF-3"},
                                                         {"queue", "T-NTF-3"},
                                                         {"flag", "T-NTF-1, T-NTF-2"},
                                                         {"pending", "T-NTF-3"}}};

    static const char *op_name(uint64_t op)
    {
        static const char *const names[] = {"read",   "wait", "record", "clear",
                                            "forget", "none", "none",   "none"};
        return names[op & 7];
    }
    static const char *rule_of(const std::array<uint64_t, 5> &request,
                               const std::array<uint64_t, 6> &model, size_t signal)
    {
        if (signal != kFlag)
            return nullptr;
        switch (request[kOp]) {
        case Op::kWait:
            return "T-NTF-2";
        case Op::kRecord:
            return model[kRelease] != 0 ? "T-NTF-3" : "T-NTF-1";
        case Op::kClear:
            return "T-NTF-4";
        default:
            return "T-NTF-1";
        }
    }
    template <class Top>
    static void drive(Top &top, Cycle, const std::array<uint64_t, 5> &r)
    {
        top.req_op_i = static_cast<uint8_t>(r[kOp]);
        top.req_id_i = static_cast<uint16_t>(r[kId]);
        top.req_queue_i = static_cast<uint16_t>(r[kQueue]);
        top.req_now_i = r[kNow];
        top.cfg_notifies_i = static_cast<uint32_t>(r[kNotifies]);
    }
    template <class Top>
    static void read(const Top &top, std::array<uint64_t, 6> &out)
    {
        out = {top.rsp_error_o,   top.rsp_pass_o,
               top.rsp_release_o, top.rsp_release_o ? top.rsp_queue_o : uint64_t{0},
               top.rsp_flag_o,    top.rsp_pending_o};
    }
};

class RtlNotifyTable final : public NotifyRtlPort
{
  public:
    RtlNotifyTable(const Reporter &reporter, uint32_t ids, RtlPortPlace place)
        : unit_(reporter, place), ids_(ids)
    {
    }
    void reset() override { unit_.reset(); }
    [[nodiscard]] Entry read(uint32_t id) override
    {
        const auto &r = unit_.run_one({kRead, id, 0, 0, ids_});
        return {r[NotifyPorts::kFlag] != 0, r[NotifyPorts::kPending] != 0};
    }
    [[nodiscard]] bool wait(uint32_t id, uint32_t queue, Cycle now) override
    {
        return unit_.run_one({kWait, id, queue, now, ids_})[NotifyPorts::kPass] != 0;
    }
    [[nodiscard]] uint32_t record(uint32_t id) override
    {
        const auto &r = unit_.run_one({kRecord, id, 0, 0, ids_});
        return r[NotifyPorts::kRelease] != 0 ? static_cast<uint32_t>(r[NotifyPorts::kReleased])
                                             : kNone;
    }
    void clear(uint32_t id) override { (void)unit_.run({kClear, id, 0, 0, ids_}); }
    void forget(uint32_t id, uint32_t queue) override
    {
        (void)unit_.run({kForget, id, queue, 0, ids_});
    }

  private:
    Unit<NotifyPorts> unit_;
    const uint32_t ids_;
};

class LockstepNotifyTable final : public NotifyRtlPort
{
  public:
    LockstepNotifyTable(const Reporter &reporter, uint32_t ids, uint32_t queues, RtlPortPlace place)
        : unit_(reporter, place), ids_(ids), model_(ids, queues)
    {
    }
    void reset() override
    {
        model_.reset();
        unit_.reset();
    }
    [[nodiscard]] Entry read(uint32_t id) override
    {
        unit_.expect({kRead, id, 0, 0, ids_}, after(id));
        return {model_.flag(id), model_.pending(id)};
    }
    [[nodiscard]] bool wait(uint32_t id, uint32_t queue, Cycle now) override
    {
        const bool pass = model_.wait(id, queue, now);
        Response<NotifyPorts> answer = after(id);
        answer[NotifyPorts::kPass] = pass;
        unit_.expect({kWait, id, queue, now, ids_}, answer);
        return pass;
    }
    [[nodiscard]] uint32_t record(uint32_t id) override
    {
        const uint32_t queue = model_.record(id);
        Response<NotifyPorts> answer = after(id);
        if (queue != kNone) {
            answer[NotifyPorts::kRelease] = 1;
            answer[NotifyPorts::kReleased] = queue;
        }
        unit_.expect({kRecord, id, 0, 0, ids_}, answer);
        return queue;
    }
    void clear(uint32_t id) override
    {
        model_.clear(id);
        unit_.expect({kClear, id, 0, 0, ids_}, after(id));
    }
    void forget(uint32_t id, uint32_t queue) override
    {
        model_.forget(id, queue);
        unit_.expect({kForget, id, queue, 0, ids_}, after(id));
    }

  private:
    // What the table holds of an entry, as it answers.
    [[nodiscard]] Response<NotifyPorts> after(uint32_t id) const
    {
        return {0, 0, 0, 0, model_.flag(id), model_.pending(id)};
    }

    Unit<NotifyPorts> unit_;
    const uint32_t ids_;
    NotifyTable model_;
};

} // namespace

template <>
std::unique_ptr<Machine<NotifyPorts>> make_machine<NotifyPorts>(const std::string &trace)
{
    if (trace.empty())
        return std::make_unique<VerilatedMachine<NotifyPorts, Vnpu_notify_table, false>>(trace);
    return std::make_unique<VerilatedMachine<NotifyPorts, Tnpu_notify_table, true>>(trace);
}

std::unique_ptr<NotifyRtlPort> make_notifies(const Reporter &reporter, bool lockstep, uint32_t ids,
                                             uint32_t queues, RtlPortPlace place)
{
    if (lockstep)
        return std::make_unique<LockstepNotifyTable>(reporter, ids, queues, place);
    return std::make_unique<RtlNotifyTable>(reporter, ids, place);
}

} // namespace tsim::rtl
