// SPDX-License-Identifier: Apache-2.0
/// The events, notifies and counting notifies of one device: records, the queues that wait for
/// them, and the records that set entries of other devices. Rules EVT, NTF, CTN, T-SCH-10,
/// T-SCH-11, T-RMT-2, T-RMT-6 to T-RMT-9.
#ifndef TWINSIM_CORE_SCHEDULER_SYNC_TABLES_H
#define TWINSIM_CORE_SCHEDULER_SYNC_TABLES_H

#include "core/scheduler/slot_scheduler.h"
#include "core/scheduler/sqe_progress.h"
#include "core/tables/count_table.h"
#include "core/tables/event_table.h"
#include "core/tables/notify_table.h"
#include "core/tables/remote_records.h"

namespace tsim
{

/// The contexts of FFTS+ tasks that wait for notifies.
class ContextWaits
{
  public:
    /// A record that no queue waits for. True: a context takes it.
    [[nodiscard]] virtual bool notified(uint32_t id) = 0;

  protected:
    ~ContextWaits() = default;
};

class SyncTables : private SqePart
{
  public:
    SyncTables(const SqePart &part, SlotScheduler &slots);
    /// All clear. Records that wait to be sent are gone, and so are those of other devices to this
    /// one.
    void reset();

    [[nodiscard]] const EventTable &events() const { return events_; }
    [[nodiscard]] const NotifyTable &notifies() const { return notifies_; }
    [[nodiscard]] const CountTable &counts() const { return counts_; }

    // ---- by the SQE at the head of queue `waker`, or by the host: kNone ----

    void write_event(uint32_t id, bool flag, uint32_t waker)
    {
        if (faults_.loses_record(waker))
            return; // T-FLT-12
        if (flag)
            record_event(id, waker);
        else
            clear_event(id, waker);
    }
    void write_notify(uint32_t id, bool flag, uint32_t waker);
    void write_count(uint32_t id, uint32_t mode, uint32_t value, uint32_t waker);

    // ---- by an SQE: then it has executed, or its queue is parked ----

    void wait_event(uint32_t sq, uint32_t id)
    {
        queues_[sq].wait_id = id;
        if (events_.wait(id, sq, system_.now))
            progress_.executed(sq);
        else
            park(sq, queues_.sqe(sq).word[STARS_EVENT_TIMEOUT_WORD]);
    }
    void wait_notify(uint32_t sq, uint32_t id);
    void wait_count(uint32_t sq, uint32_t id);
    /// The parked queue stops to wait.
    void forget_wait(uint32_t sq);
    void limit_reached(uint32_t sq);
    /// Whether an access to an event has to wait until the entry has come from memory (T-EVT-8):
    /// then loaded() follows.
    [[nodiscard]] bool loads_event(uint32_t sq, uint32_t id)
    {
        if (__builtin_expect(!events_.in_memory(id), 1))
            return false;
        load_event(sq, id);
        return true;
    }
    void loaded(uint32_t sq) { events_.load(queues_[sq].wait_id); }

    // ---- by contexts of FFTS+ tasks ----

    void attach(ContextWaits &contexts) { contexts_ = &contexts; }
    /// A flag that is set lets the context pass, and is gone.
    [[nodiscard]] bool take_notify(uint32_t id)
    {
        const bool flag = notifies_.flag(id);
        if (flag)
            notifies_.clear(id);
        return flag;
    }
    /// So many contexts more wait for notifies.
    void count_context_waits(int more) { context_waits_ += more; }

    // ---- by other devices, and to them ----

    void store_event(uint32_t id, bool flag, const Origin &origin);
    void store_notify(uint32_t id, bool flag, const Origin &origin);
    /// The next record of an event is to set an entry of a device's table too (T-RMT-6): a
    /// twinsim_error, or 0. Throws std::bad_alloc.
    [[nodiscard]] int forward(uint32_t id, uint32_t device, uint32_t entry);
    /// The timer of records on their way to other devices.
    void fire_forwards();

  private:
    void record_event(uint32_t id, uint32_t waker)
    {
        events_.record(id);
        for (uint32_t sq = events_.release(id); sq != kNone; sq = events_.release(id))
            wake(sq, queues_.origin(waker), kNone);
        if (__builtin_expect(events_.sends(id), 0))
            send_forwards(id, queues_.origin(waker));
    }
    void clear_event(uint32_t id, uint32_t waker);
    [[gnu::cold]] void load_event(uint32_t sq, uint32_t id);
    void release_count(uint32_t id, uint32_t waker);
    void park(uint32_t sq, uint32_t timeout);
    void wake(uint32_t sq, const Origin &origin, uint32_t parameter);
    /// A notify that was recorded: no queue waited for it.
    void offer_notify(uint32_t id)
    {
        if (__builtin_expect(context_waits_ != 0, 0) && contexts_->notified(id))
            notifies_.clear(id);
    }
    [[gnu::cold]] void send_forwards(uint32_t id, const Origin &origin);
    [[gnu::cold]] void end_forwards(uint32_t id);
    void arm_forwards();
    void drop_forwards(uint32_t device, uint32_t entry);
    void reset_forwards();

    SlotScheduler &slots_;
    const uint32_t forward_timer_;
    EventTable events_;
    NotifyTable notifies_;
    CountTable counts_;
    RemoteRecords forwards_;
    ContextWaits *contexts_ = nullptr;
    int context_waits_ = 0;
};

} // namespace tsim

#endif
