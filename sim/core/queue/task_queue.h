// SPDX-License-Identifier: Apache-2.0
/// The front end of one SQ: ring, doorbell, head, prefetch, and the CQ it reports to. Rules T-FE-1
/// to T-FE-9, T-CQ-1 to T-CQ-6.
#ifndef TWINSIM_CORE_QUEUE_TASK_QUEUE_H
#define TWINSIM_CORE_QUEUE_TASK_QUEUE_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

#include "core/base/time_pool.h"
#include "core/base/rtl_port.h"
#include "core/base/types.h"
#include "twinsim.h"
#include "twinsim/stars.h"

namespace tsim
{

class TaskQueue
{
  public:
    struct Fetch {
        Cycle ready; ///< when the SQE at the head is in the buffer
        bool waited; ///< the queue had to wait for it
    };

    TaskQueue() = default;
    ~TaskQueue();
    TaskQueue(const TaskQueue &) = delete;
    TaskQueue &operator=(const TaskQueue &) = delete;

    /// `rtl_port` decides in place of this queue, which is its queue `sq`. While closed.
    void attach(FrontRtlPort &rtl_port, uint32_t sq)
    {
        rtl_port_ = &rtl_port;
        sq_ = sq;
        has_rtl_port_ = true;
    }
    /// What is read ahead, at most so many SQEs, is kept as it was read (T-FE-12). While closed.
    void keep_lines(uint32_t sqes)
    {
        kept_mask_ = 1;
        while (kept_mask_ < sqes)
            kept_mask_ = static_cast<uint8_t>(2 * kept_mask_);
        --kept_mask_;
        keeps_lines_ = true;
    }
    /// Opens it, enabled and empty. `ring` and `cq` are at least depth entries long in host memory.
    /// Throws std::bad_alloc.
    void open(const twinsim_queue &config, const void *ring, void *cq);
    void close();
    [[nodiscard]] bool is_open() const { return ring_ != nullptr; }

    // ---- the host's side, any thread ----

    /// The tail register is written; its SQEs become visible at `at_ns` (T-FE-1). False: nothing
    /// new.
    bool doorbell(uint32_t tail, uint64_t at_ns);
    /// Hints that the doorbell will be rung.
    void expect_doorbell() const
    {
        // Another thread may open or close the queue meanwhile: pointer and mask need not belong
        // together.
        const SqeTimes *const rings = rings_.load(std::memory_order_relaxed);
        if (rings)
            prefetch_line(&rings[rung_.load(std::memory_order_relaxed) &
                                 ring_mask_.load(std::memory_order_relaxed)]);
    }
    /// SQEs retired since open.
    [[nodiscard]] uint64_t retired() const { return retired_.load(std::memory_order_acquire); }

    // ---- the model's side ----

    /// Reads the doorbell: what was rung up to `rung` is known from now on; a time in the past
    /// counts as now (T-FE-2).
    void take_in(uint64_t rung, Cycle now, uint64_t cycle_ns);
    /// What was rung, as take_in() counts it.
    [[nodiscard]] uint64_t rung() const { return rung_.load(std::memory_order_seq_cst); }
    /// What was rung up to `until` and not taken in arrives with the next one; `rung` is what there
    /// is now.
    void arrive_with(uint64_t until, uint64_t rung);
    /// How rung() counts entries of which `number` were rung since open.
    [[nodiscard]] uint64_t rung_at(uint64_t number) const { return number + depth(); }
    /// Whether entries up to this one have been rung and none beyond what is there.
    [[nodiscard]] bool has_rung(uint64_t rung) const
    {
        return rung >= seen_ && rung <= this->rung();
    }
    /// An SQE is there and its doorbell has been seen.
    [[nodiscard]] bool visible(Cycle now) const
    {
        if (__builtin_expect(has_rtl_port_, 0))
            return look(now);
        return head_ != seen_ && next_arrival() <= now;
    }
    [[nodiscard]] bool has_more() const { return head_ != seen_; }
    /// Whether the SQE after the one at the head is visible.
    [[nodiscard]] bool next_visible(Cycle now) const
    {
        return seen_ - head_ > 1 && times_[(head_ + 1) & mask_].arrival <= now;
    }
    /// When the SQE at the head becomes visible. Only with has_more().
    [[nodiscard]] Cycle next_arrival() const { return times_[head_ & mask_].arrival; }
    /// Hints that this queue is next.
    void prefetch() const { prefetch_line(&ring_); }
    /// Hints that the queue turns to the SQE at its head soon.
    void prefetch_head() const
    {
        prefetch_line(&ring_[head_ & mask_]);
        prefetch_line(&times_[head_ & mask_]);
    }
    /// The SQE at the head: as it was read, or what the ring has now.
    [[nodiscard]] const stars_sqe &sqe() const
    {
        return kept_ != 0 ? lines_[kept_at_].sqe : ring_[head_ & mask_];
    }
    /// The SQE number at the head, counted from 1.
    [[nodiscard]] uint64_t number() const { return done() + 1; }
    /// The queue turns to the SQE at its head: where is it, and what is read ahead (T-FE-4 to
    /// T-FE-6)?
    [[nodiscard]] Fetch fetch(Cycle now, Cycle read_time, uint32_t window);
    /// Forgets what was read ahead (T-FE-7); the SQE under way stays.
    void drop_prefetched()
    {
        kept_ = std::min<uint8_t>(kept_, 1);
        if (__builtin_expect(has_rtl_port_, 0))
            return (void)act(FrontRequest::kDrop);
        buffered_ = ahead_ = 0;
    }
    /// Whether the SQE at the head has been read.
    [[nodiscard]] bool buffered() const { return buffered_ != 0; }
    /// Reads at most so many SQEs that are visible now; says how many (T-HW-4).
    uint32_t read_in(Cycle now, uint32_t most);
    /// The SQE at the head is done: the head moves on (T-FE-3). Not `seen`: the host learns of it
    /// by publish().
    void retire(Cycle now, bool seen = true);
    /// SQEs retired since open, known to the host or not.
    [[nodiscard]] uint64_t done() const { return head_ + laps_; }
    /// The host learns now that SQEs up to this number have retired (T-HW-9).
    void publish(uint64_t number, Cycle now);
    /// Everything rung so far is dropped: the head moves to the tail.
    void drop_all(Cycle now);
    /// The head register, modulo depth.
    [[nodiscard]] uint32_t head() const { return static_cast<uint32_t>(head_) & mask_; }
    [[nodiscard]] uint32_t tail() const { return static_cast<uint32_t>(seen_) & mask_; }
    [[nodiscard]] uint32_t depth() const { return uint32_t{mask_} + 1; }
    /// The head of a queue at rest is moved (T-FE-8). What counts as retired goes forward by (value
    /// - head) modulo depth; the SQEs from there to the tail are there to run, again if they have
    ///   run before.
    void set_head(uint32_t value, Cycle now, bool seen = true);
    /// Time at which SQE `number` retired, for the newest depth of them.
    [[nodiscard]] Cycle retired_at(uint64_t number) const
    {
        return times_[(number - 1) & mask_].done;
    }

    // ---- completion queue ----

    /// Writes an entry; its phase is filled in here (T-CQ-1). False: the CQ is full (T-CQ-3,
    /// T-CQ-6).
    [[nodiscard]] bool complete(stars_cqe cqe);
    /// Takes the host's CQ head; false when it is outside what was written (T-CQ-5).
    [[nodiscard]] bool set_cq_head(uint32_t head);
    [[nodiscard]] uint32_t cq_head() const { return static_cast<uint32_t>(cq_head_) & cq_mask_; }
    [[nodiscard]] uint32_t cq_tail() const { return static_cast<uint32_t>(cq_tail_) & cq_mask_; }

    /// What an RTL port keeps of it.
    [[nodiscard]] FrontState state() const;

  private:
    struct alignas(64) Line {
        stars_sqe sqe;
    };

    void map_times(uint32_t depth);
    [[nodiscard]] uint8_t count_visible(uint64_t from, Cycle now, uint32_t window) const;
    /// Keeps the SQEs that have been read since there were `before` of them.
    void keep_read(uint32_t before);
    void store(uint32_t place, const stars_cqe &cqe);

    // With an RTL port: it decides, and what it keeps is kept here too. All out of the way of the
    // plain model.
    [[gnu::cold]] bool act(FrontRequest::Op op, uint64_t value = 0);
    [[gnu::cold]] void ring_rtl_port(uint64_t rung);
    [[nodiscard, gnu::cold]] Fetch fetch_rtl_port(Cycle now, Cycle read_time);
    [[nodiscard, gnu::cold]] uint32_t read_in_rtl_port(Cycle now, uint32_t most);
    [[nodiscard, gnu::cold]] bool complete_rtl_port(stars_cqe cqe);
    [[nodiscard, gnu::cold]] bool look(Cycle now) const;
    FrontAnswer decide(const FrontRequest &request);
    [[nodiscard]] FrontRequest seen_at(Cycle now, FrontRequest::Op op, uint64_t value) const;
    void keep(const FrontState &state);

    // A doorbell touches the host's line, an SQE the model's; with all queues in turn each line
    // that is not touched is a part of the cache won.

    // The host's line.
    alignas(64) std::atomic<uint64_t> rung_{
        0};                // entries rung; starts one lap ahead, as the head may go back
    uint64_t last_at_ = 0; // the doorbell thread's own
    std::atomic<SqeTimes *> rings_{nullptr}; // times_ while open
    std::atomic<uint32_t> ring_mask_{0};     // mask_

    // The model's line.
    alignas(64) const stars_sqe *ring_ = nullptr;
    std::unique_ptr<Line[]> lines_; // SQEs as they were read
    SqeTimes *times_ = nullptr;     // by ring position
    uint64_t head_ =
        0; // entries before the head, counted without wrap; set_head() may take it back
    uint64_t laps_ = 0;                // head_ + laps_ counts what has retired; a multiple of depth
    std::atomic<uint64_t> retired_{0}; // of these, what the host knows of
    uint64_t seen_ = 0;                // rung_ as last taken in
    uint16_t mask_ = 0;                // entries of the ring less one
    uint8_t buffered_ = 0;             // SQEs of the buffer, from the head on; fewer than depth
    uint8_t ahead_ = 0;                // SQEs after them on their way, there at ahead_at_
    uint8_t kept_ = 0;                 // SQEs of lines_, from the head on
    uint8_t kept_at_ = 0;              // where in lines_ the one at the head is
    uint8_t kept_mask_ = 0;            // SQEs that lines_ has room for, less one
    bool has_rtl_port_ = false;        // there is an RTL port

    // What an SQE with a CQE touches.
    alignas(64) stars_cqe *cq_ = nullptr;
    uint64_t cq_head_ = 0;
    uint64_t cq_tail_ = 0;
    Cycle ahead_at_ = 0;
    uint32_t cq_mask_ = 0;
    uint32_t mapped_ = 0; // entries of times_
    FrontRtlPort *rtl_port_ = nullptr;
    uint32_t sq_ = 0; // there
    bool keeps_lines_ = false;
};

static_assert(sizeof(TaskQueue) == 192);

inline void TaskQueue::store(uint32_t place, const stars_cqe &cqe)
{
    stars_cqe *at = &cq_[place];
    // The phase bit last: a thread that polls it then sees the rest (T-CQ-1).
    at->u = cqe.u;
    at->sq_head = cqe.sq_head;
    at->stream_id = cqe.stream_id;
    at->task_id = cqe.task_id;
    __atomic_store_n(&at->flags, cqe.flags, __ATOMIC_RELEASE);
}

} // namespace tsim

#endif
