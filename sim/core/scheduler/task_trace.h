// SPDX-License-Identifier: Apache-2.0
/// What the parts of the scheduler write to the trace about their queues. Out of line, so that the
/// code around it stays as short as without; calls that do not ask themselves whether the trace is
/// on are made only while it is.
#ifndef TWINSIM_CORE_SCHEDULER_TASK_TRACE_H
#define TWINSIM_CORE_SCHEDULER_TASK_TRACE_H

#include "core/scheduler/queue_table.h"
#include "core/scheduler/task_faults.h"

namespace tsim
{

struct DmaJob;

class TaskTrace
{
  public:
    TaskTrace(const QueueTable &queues, const TaskFaults &faults)
        : queues_(queues), faults_(faults), system_(queues.system),
          firmware_(queues.system.params.fw_loop.value != 0)
    {
    }

    /// A phase that ends now. One value each: a struct by reference would be filled in whether the
    /// trace is on or not.
    void note(uint32_t sq, Trace::Phase what) const
    {
        if (!system_.trace.on())
            return;
        if (what.bytes == 0 && what.waker_number == 0 && (what.waker & what.route) == kNone)
            write_part(sq, what.phase, what.begin, what.parameter, what.id);
        else
            write_note(sq, what.phase, what.begin, what.parameter, what.id, what.bytes, what.waker,
                       what.waker_number, what.route);
    }
    /// An access to entry `id` of a table, since the phase began; `bits` of enum twinsim_table.
    void note_access(uint32_t sq, uint32_t parameter, uint32_t id, uint32_t bits) const
    {
        if (queues_.is_faulted(sq) && faults_.will_act(sq, TWINSIM_FAULT_RECORD_LOST))
            bits |= TWINSIM_TABLE_VAIN;
        if (!system_.trace.on())
            return;
        if (__builtin_expect(bits == 0, 1))
            note_table(sq, parameter, id);
        else
            write_note(sq, TWINSIM_PHASE_TABLE, queues_[sq].phase_begin, parameter, id, 0, kNone,
                       bits, kNone);
    }
    [[gnu::cold, gnu::noinline]] void note_opened(uint32_t sq) const;
    /// A firmware does not report it.
    [[gnu::noinline]] void note_swapped(uint32_t sq) const;
    [[gnu::noinline]] void note_begun(uint32_t sq, Cycle ready) const;
    /// A firmware turns to a command.
    void note_command(uint32_t sq) const;
    [[gnu::noinline]] void note_engine(uint32_t sq, twinsim_phase what) const;
    [[gnu::noinline]] void note_transfer(uint32_t sq, const DmaJob &job) const;
    /// An SQE ends that has moved so many bytes.
    [[gnu::cold, gnu::noinline]] void note_end(uint32_t sq, uint64_t bytes) const;
    /// Reports the end of an SQE to SystemState::task_take.
    [[gnu::noinline]] void notify_end(uint32_t sq, bool failed) const;
    /// A queue has got slot or share number `id`; `used()` says how many are in use now.
    template <typename Used>
    void note_taken(uint32_t sq, Trace::Holding what, uint32_t id, Used &&used) const
    {
        system_.trace.take(source(sq), what, system_.now);
        if (__builtin_expect(system_.trace.counts(), 0))
            system_.trace.counted(source(sq), what, id, used());
    }
    void note_given(uint32_t sq, Trace::Holding what, const Setting &of, uint32_t id) const
    {
        system_.trace.give(source(sq), what, system_.now, of.index, id);
    }
    [[nodiscard]] bool has_share(uint32_t sq) const
    {
        return system_.trace.on() && system_.trace.has(source(sq), Trace::kShare, system_.now);
    }
    [[gnu::noinline]] void note_leaving(uint32_t sq) const;
    [[gnu::cold, gnu::noinline]] void note_hold(uint32_t sq, HoldReason why) const;
    [[gnu::cold, gnu::noinline]] void note_resumed(uint32_t sq) const;

  private:
    [[nodiscard]] uint32_t source(uint32_t sq) const { return Trace::source(queues_.device, sq); }
    /// The queue as the trace knows it; the trace knows the SQE at its head then.
    [[nodiscard]] uint32_t traced(uint32_t sq) const;
    [[gnu::cold, gnu::noinline]] void turn_to(uint32_t sq, uint64_t about) const;
    [[gnu::noinline]] void write_part(uint32_t sq, twinsim_phase phase, Cycle begin,
                                      uint32_t parameter, uint32_t id) const;
    [[gnu::noinline]] void note_table(uint32_t sq, uint32_t parameter, uint32_t id) const;
    [[gnu::cold, gnu::noinline]] void write_note(uint32_t sq, twinsim_phase phase, Cycle begin,
                                                 uint32_t parameter, uint32_t id, uint64_t bytes,
                                                 uint32_t waker, uint64_t waker_number,
                                                 uint32_t route) const;

    const QueueTable queues_;
    const TaskFaults &faults_;
    SystemState &system_;
    const bool firmware_;
};

} // namespace tsim

#endif
