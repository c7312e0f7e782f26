// SPDX-License-Identifier: Apache-2.0
/// RTL port of NotifyTable: npu_notify_table.
#include "core/tables/notify_table.h"

#include <Tnpu_notify_table.h>
#include <Vnpu_notify_table.h>

#include "rtl/port_factory.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

enum Op : uint8_t { kRead, kWait, kRecord, kClear, kForget };

struct NotifyPorts {
    static constexpr const char *kBlock = "npu_notify_table";
    using Plain = Vnpu_notify_table;
    using Traced = Tnpu_notify_table;
    enum : uint8_t { kOp, kId, kQueue, kNow, kNotifies };
    static constexpr std::array<const char *, 5> kRequest = {"op", "id", "queue", "now",
                                                             "notifies"};
    enum : uint8_t { kError, kPass, kRelease, kReleased, kFlag, kPending };
    static constexpr std::array<Signal, 6> kResponse = {{{"error", "T-SQE-10"},
                                                         {"pass", "T-NTF-2"},
                                                         {"release", "T-NTF-3"},
                                                         {"queue", "T-NTF-3"},
                                                         {"flag", "T-NTF-1, T-NTF-2"},
                                                         {"pending", "T-NTF-3"}}};

    static constexpr const char *kOps[] = {"read", "wait", "record", "clear", "forget"};

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

class Port final : public NotifyRtlPort
{
  public:
    Port(const Reporter &reporter, bool lockstep, uint32_t ids, uint32_t queues, RtlPortPlace place)
        : ids_(ids), block_(reporter, place, lockstep, ids, queues)
    {
    }
    void reset() override { block_.reset(); }
    [[nodiscard]] Entry read(uint32_t id) override
    {
        const Answer r = block_.run({kRead, id, 0, 0, ids_},
                                    [id](NotifyTable &model) { return after(model, id); });
        return {r[NotifyPorts::kFlag] != 0, r[NotifyPorts::kPending] != 0};
    }
    [[nodiscard]] bool wait(uint32_t id, uint32_t queue, Cycle now) override
    {
        const Answer r = block_.run({kWait, id, queue, now, ids_}, [=](NotifyTable &model) {
            const bool pass = model.wait(id, queue, now);
            Answer answer = after(model, id);
            answer[NotifyPorts::kPass] = pass;
            return answer;
        });
        return r[NotifyPorts::kPass] != 0;
    }
    [[nodiscard]] uint32_t record(uint32_t id) override
    {
        const Answer r = block_.run({kRecord, id, 0, 0, ids_}, [id](NotifyTable &model) {
            const uint32_t queue = model.record(id);
            Answer answer = after(model, id);
            if (queue != kNone) {
                answer[NotifyPorts::kRelease] = 1;
                answer[NotifyPorts::kReleased] = queue;
            }
            return answer;
        });
        return r[NotifyPorts::kRelease] != 0 ? static_cast<uint32_t>(r[NotifyPorts::kReleased])
                                             : kNone;
    }
    void clear(uint32_t id) override
    {
        (void)block_.run({kClear, id, 0, 0, ids_}, [id](NotifyTable &model) {
            model.clear(id);
            return after(model, id);
        });
    }
    void forget(uint32_t id, uint32_t queue) override
    {
        (void)block_.run({kForget, id, queue, 0, ids_}, [=](NotifyTable &model) {
            model.forget(id, queue);
            return after(model, id);
        });
    }

  private:
    using Answer = Response<NotifyPorts>;

    // What the table holds of an entry, as it answers.
    [[nodiscard]] static Answer after(const NotifyTable &model, uint32_t id)
    {
        return {0, 0, 0, 0, model.flag(id), model.pending(id)};
    }

    const uint32_t ids_;
    RtlBlock<NotifyPorts, NotifyTable> block_;
};

} // namespace

std::unique_ptr<NotifyRtlPort> PortFactory::notifies(uint32_t ids, uint32_t queues,
                                                     RtlPortPlace place)
{
    return std::make_unique<Port>(reporter_, lockstep_, ids, queues, place);
}

} // namespace tsim::rtl
