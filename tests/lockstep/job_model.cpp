// SPDX-License-Identifier: Apache-2.0
/// A job on the model: System, through the rig of its tests.
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <set>

#include "job.h"
#include "job_lines.h"
#include "rig.h"

namespace job
{

namespace
{

static_assert(kHostMemory == Rig::kHost && kDeviceMemory == Rig::kHbm);

void set_machine(const Job &job, tsim::Params &p)
{
    const auto &m = job.machine;
    const auto set = [](tsim::Setting &setting, uint64_t value) { setting.value = value; };
    p.cycle_ns = 1;
    set(p.queues, kQueues);
    set(p.events, m[kEvents]);
    set(p.notifies, m[kNotifies]);
    set(p.count_notifies, 0);
    set(p.fetch_window, 2 * m[kWindow]);
    set(p.fetch_read, m[kRead]);
    set(p.slots, m[kSlots]);
    set(p.sdma_cap, m[kSdmaCap]);
    set(p.pcie_dma_cap, m[kPcieCap]);
    set(p.arbitration, m[kArbitration]);
    set(p.record_read, m[kRecord]);
    set(p.slot_enable, m[kEnable]);
    set(p.strict_level, m[kStrictLevel]);
    set(p.drain, m[kDrain]);
    set(p.slot_disable, m[kSlotDisable]);
    set(p.decode, m[kDecode]);
    set(p.retire, m[kRetire]);
    set(p.write_value, m[kStore]);
    set(p.ts_cpu, 0);
    set(p.credit_unit, m[kCreditUnit]);
    set(p.event_table, m[kEvent]);
    set(p.event_miss, m[kEventMiss]);
    set(p.event_cached, m[kEventCached]);
    set(p.event_isolation, 0);
    set(p.notify_table, m[kNotify]);
    set(p.cq_write, m[kCqWrite]);
    set(p.sdma_channels, m[kSdmaChannels]);
    set(p.sdma_setup, m[kSdmaSetup]);
    set(p.sdma_ahead, 0);
    set(p.limits_at_slot, 0);
    set(p.pcie_channels, m[kPcieChannels]);
    set(p.pcie_setup, m[kPcieSetup]);
    // Each channel at its ceiling; without bursts, links that all of them together cannot fill
    // (T-LNK-8).
    set(p.sdma_ceiling, uint64_t{1000} << m[kSdmaShift]);
    set(p.pcie_ceiling, uint64_t{1000} << m[kPcieShift]);
    constexpr uint64_t kWide = 60000000;
    set(p.pcie_to_device, job.bursts() ? m[kToDevice] : kWide);
    set(p.pcie_to_host, job.bursts() ? m[kToHost] : kWide);
    set(p.hbm_peak, job.bursts() ? m[kHbm] : kWide);
    set(p.hbm_effective, 1000);
    set(p.burst_bytes, m[kBurst]);
    set(p.burst_outstanding, m[kOutstanding]);
    set(p.fw_loop, 0);
}

[[nodiscard]] Rig::Options options_of(const Job &job)
{
    Rig::Options options;
    options.bursts = job.bursts();
    return options;
}

/// The rig's own driver, and what a job adds to it.
class Model
{
  public:
    explicit Model(const Job &job)
        : job_(job), rig_(options_of(job), [&job](tsim::Params &p) { set_machine(job, p); })
    {
        for (uint64_t i = 0; i < kMemory; ++i) {
            rig_.host()[i] = first_byte(0, i);
            rig_.hbm()[i] = first_byte(1, i);
        }
        rig_.system().report_tasks(
            [](void *context, const twinsim_task_end *end) {
                auto *const self = static_cast<Model *>(context);
                self->ends_.push_back(end_line(end->end_ns, end->sq, end->number, end->error,
                                               end->status, self->take_interrupts(end->sq)));
            },
            this);
    }

    Outcome run()
    {
        for (const Step &step : job_.steps)
            take(step);
        rig_.run();
        Outcome out;
        out.ends = ends_;
        spans(out);
        state(out);
        return out;
    }

  private:
    // A bit for each target whose register has the queue's bit, which is cleared.
    uint32_t take_interrupts(uint32_t sq)
    {
        tsim::TaskScheduler &scheduler = rig_.device().scheduler();
        uint32_t targets = 0;
        for (uint32_t target = 1; target <= 3; ++target) {
            const uint32_t at =
                STARS_CQ_INTERRUPT_QUEUES + ((3 - target) << STARS_CQ_INTERRUPT_TARGET_SHIFT);
            uint32_t queues = 0;
            (void)scheduler.read_block(at, queues);
            targets |= (queues >> sq & 1) << target;
            (void)scheduler.write_block(at, 1u << sq);
        }
        return targets;
    }

    void take(const Step &step)
    {
        tsim::TaskScheduler &scheduler = rig_.device().scheduler();
        const uint32_t sq = step.queue;
        const auto id = static_cast<uint32_t>(step.args[0]);
        switch (step.kind) {
        case Kind::kQueue:
            if (!open_.insert(sq).second)
                return;
            rig_.open(sq, static_cast<uint8_t>(step.args[0]), static_cast<uint32_t>(step.args[2]),
                      static_cast<uint32_t>(step.args[3]));
            (void)scheduler.set_priority(sq, static_cast<uint8_t>(step.args[0]),
                                         static_cast<uint8_t>(step.args[1]));
            scheduler.set_enabled(sq, step.args[4] != 0);
            return;
        case Kind::kRun:
            if (rig_.now() >= step.args[0])
                return;
            for (twinsim_stop why = TWINSIM_STOP_CQ;
                 why != TWINSIM_STOP_IDLE && why != TWINSIM_STOP_LIMIT;)
                why = rig_.run_until(step.args[0]);
            return;
        case Kind::kHostRecord:
        case Kind::kHostClear:
            if (id < job_.machine[kEvents])
                scheduler.write_event(id, step.kind == Kind::kHostRecord);
            return;
        case Kind::kHostNotify:
        case Kind::kHostNotifyClear:
            if (id < job_.machine[kNotifies])
                scheduler.write_notify(id, step.kind == Kind::kHostNotify);
            return;
        default:
            break;
        }
        if (open_.count(sq) == 0)
            return;
        tsim::TaskQueue &front = scheduler.front(sq);
        switch (step.kind) {
        case Kind::kRing:
            rig_.ring(sq, rig_.now() + step.args[0]);
            rung_[sq] = rig_.sent(sq);
            return;
        case Kind::kCqTake: {
            const uint32_t mask = static_cast<uint32_t>(cq_depth(job_, sq)) - 1;
            const uint32_t there = (front.cq_tail() - front.cq_head()) & mask;
            const uint32_t taken = std::min(there, id);
            (void)scheduler.set_cq_head(sq, (front.cq_head() + taken) & mask);
            return;
        }
        case Kind::kResume:
            (void)scheduler.control(sq, STARS_SQ_CONTROL_TASK_RESUME);
            return;
        case Kind::kHandled:
            (void)scheduler.control(sq, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
            return;
        case Kind::kEnable:
            scheduler.set_enabled(sq, id != 0);
            return;
        case Kind::kPause:
            (void)scheduler.control(sq, STARS_SQ_CONTROL_TASK_PAUSE);
            return;
        case Kind::kDebugPause:
            (void)scheduler.control(sq, STARS_SQ_CONTROL_DEBUG_PAUSE);
            return;
        case Kind::kDebugResume:
            (void)scheduler.control(sq, STARS_SQ_CONTROL_DEBUG_RESUME);
            return;
        case Kind::kKill:
            (void)scheduler.control(sq, STARS_SQ_CONTROL_TASK_KILL);
            return;
        case Kind::kTerminate:
            (void)scheduler.control(sq, STARS_SQ_CONTROL_TASK_TERMINATE);
            return;
        case Kind::kSetHead:
            if (may_be_head(rig_.sent(sq), rung_[sq], id, front.depth()))
                (void)scheduler.set_head(sq, id);
            return;
        case Kind::kPriority:
            (void)scheduler.set_priority(sq, static_cast<uint8_t>(step.args[0]),
                                         static_cast<uint8_t>(step.args[1]));
            return;
        default: {
            const uint64_t most = front.depth() - 1; // one place stays free
            if (used_places(rig_.sent(sq), rung_[sq], front.head(), front.depth()) < most)
                rig_.write(sq, step.sqe());
            return;
        }
        }
    }

    void spans(Outcome &out)
    {
        const tsim::Trace &trace = rig_.system().trace();
        const twinsim_trace_entry *entries = trace.entries();
        for (size_t i = 0; i < trace.count(); ++i) {
            const twinsim_trace_entry &r = entries[i];
            const char *name = nullptr;
            switch (r.phase) {
            case TWINSIM_PHASE_OCCUPY:
                name = "slot";
                break;
            case TWINSIM_PHASE_SHARE:
                name = "share";
                break;
            case TWINSIM_PHASE_FETCH:
                name = "fetch";
                break;
            case TWINSIM_PHASE_SETUP:
                name = "setup";
                break;
            case TWINSIM_PHASE_TRANSFER:
                name = "transfer";
                break;
            case TWINSIM_PHASE_HOLD:
                name = "hold";
                break;
            case TWINSIM_PHASE_PARK:
                name = "park";
                break;
            case TWINSIM_PHASE_TASK:
                name = "task";
                break;
            default:
                continue;
            }
            const bool counted = r.phase == TWINSIM_PHASE_TASK || r.phase == TWINSIM_PHASE_PARK;
            const bool named = r.phase != TWINSIM_PHASE_TASK && r.phase != TWINSIM_PHASE_FETCH;
            const bool parked = r.phase == TWINSIM_PHASE_PARK;
            add_span(out, name, r.sq, r.begin_ns, r.end_ns, named ? r.id : 0,
                     counted ? r.number : 0, parked ? r.waker_sq : UINT32_MAX,
                     parked && r.waker_sq != UINT32_MAX ? r.waker_number : 0);
        }
        std::sort(out.spans.begin(), out.spans.end());
    }

    void state(Outcome &out)
    {
        for (const uint32_t sq : open_) {
            const tsim::TaskQueue &front = rig_.device().scheduler().front(sq);
            const uint64_t depth = cq_depth(job_, sq);
            std::vector<stars_cqe> cq;
            for (uint32_t i = 0; i < depth; ++i)
                cq.push_back(rig_.cqe(sq, i));
            add_queue(out, sq, front.head(), front.done(), front.cq_tail(),
                      state_name(rig_.state(sq)), cq);
        }
        add_memory(out, "host", rig_.host());
        add_memory(out, "hbm", rig_.hbm());
        out.state.push_back("time " + std::to_string(rig_.now()));
    }

    static const char *state_name(twinsim_queue_state state)
    {
        switch (state) {
        case TWINSIM_QUEUE_IDLE:
            return "idle";
        case TWINSIM_QUEUE_PARKED:
            return "parked";
        case TWINSIM_QUEUE_HELD:
            return "held";
        case TWINSIM_QUEUE_EXCEPTION:
            return "failed";
        default:
            return "running";
        }
    }

    const Job &job_;
    Rig rig_;
    std::set<uint32_t> open_;
    std::array<uint64_t, kQueues> rung_{};
    std::vector<std::string> ends_;
};

} // namespace

Outcome run_model(const Job &job)
{
    return Model(job).run();
}

} // namespace job
