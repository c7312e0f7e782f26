// SPDX-License-Identifier: Apache-2.0
/// The two-level scheduler of one device: queues that have work win an active slot, run their SQEs in order, and
/// leave it. Rules T-SCH-1 to T-SCH-16 (queues and slots), T-SQE-1 to T-SQE-12 (one SQE) and T-CPU-1 to T-CPU-6 (calls).
#ifndef TWINSIM_CORE_SCHEDULER_TASK_SCHEDULER_H
#define TWINSIM_CORE_SCHEDULER_TASK_SCHEDULER_H

#include <array>
#include <memory>
#include <vector>

#include "core/base/staggered_vector.h"
#include "core/tables/arbiter.h"
#include "core/base/bitmap.h"
#include "core/engine/block_dispatcher.h"
#include "core/engine/board_state.h"
#include "core/queue/cond.h"
#include "core/engine/dma_list.h"
#include "core/tables/event_table.h"
#include "core/queue/firmware.h"
#include "core/tables/remote_records.h"
#include "core/tables/count_table.h"
#include "core/tables/notify_table.h"
#include "core/tables/slot_pool.h"
#include "core/queue/task_queue.h"

namespace tsim
{

class TaskScheduler : private KernelOwner
{
  public:
    TaskScheduler(BoardState &board, uint32_t device);

    // ---- queues ----

    /// Opens a closed queue. Throws std::bad_alloc.
    void open(uint32_t sq, const twinsim_queue &config, const void *ring, void *cq);
    void close(uint32_t sq);
    /// First state: everything closed, tables clear.
    void reset();
    [[nodiscard]] uint32_t queue_count() const { return static_cast<uint32_t>(queues_.size()); }
    [[nodiscard]] TaskQueue &front(uint32_t sq) { return fronts_[sq]; }
    [[nodiscard]] const TaskQueue &front(uint32_t sq) const { return fronts_[sq]; }
    /// Whether SQE `number` of the queue is a record that a planted fault kept from its entry (T-FLT-12).
    [[nodiscard]] bool lost_record(uint32_t sq, uint64_t number) const
    {
        return board_.faults.lost_record(timer(sq), number);
    }
    /// Looks at a queue whose doorbell was rung.
    void take_in(uint32_t sq, uint64_t rung);
    // True: the firmware acts on it.
    bool watch(uint32_t sq, uint64_t retired);
    /// The host took CQEs (T-CQ-4); false for a head outside what was written.
    [[nodiscard]] bool set_cq_head(uint32_t sq, uint32_t head);
    /// The next queue that has something for the host; kNone when there is none.
    [[nodiscard]] uint32_t take_interrupt();
    void inspect(uint32_t sq, twinsim_queue_info &out) const;

    // ---- registers (T-FE-8, T-SCH-13 to T-SCH-15); false: not allowed in this state ----

    [[nodiscard]] bool enabled(uint32_t sq) const { return queues_[sq].enabled; }
    void set_enabled(uint32_t sq, bool on);
    [[nodiscard]] bool set_head(uint32_t sq, uint32_t head);
    [[nodiscard]] bool set_priority(uint32_t sq, uint8_t priority, uint8_t group);
    [[nodiscard]] bool control(uint32_t sq, uint32_t pulses);
    [[nodiscard]] uint32_t priority(uint32_t sq) const { return queues_[sq].priority; }
    [[nodiscard]] uint32_t group(uint32_t sq) const { return queues_[sq].group; }
    [[nodiscard]] uint32_t slot(uint32_t sq) const { return queues_[sq].slot; }
    /// "Drop prefetched SQEs" (T-FE-11).
    void drop_prefetched(uint32_t sq) { fronts_[sq].drop_prefetched(); }
    /// The registers that are about no single queue, by offset from STARS_BLOCK_BASE: a twinsim_error, or 0.
    [[nodiscard]] int read_block(uint32_t offset, uint32_t &out_value) const;
    [[nodiscard]] int write_block(uint32_t offset, uint32_t value);
    /// The queue's state as the scheduler's own state machine counts it (T-SCH-21).
    [[nodiscard]] stars_rtsq_state rtsq_state(uint32_t sq) const;

    // ---- tables ----

    [[nodiscard]] const EventTable &events() const { return events_; }
    [[nodiscard]] const NotifyTable &notifies() const { return notifies_; }
    [[nodiscard]] const CountTable &counts() const { return counts_; }
    /// A write to a table entry, by an SQE of queue `waker` or by the host (kNone).
    void write_event(uint32_t id, bool flag, uint32_t waker);
    void write_notify(uint32_t id, bool flag, uint32_t waker);
    void write_count(uint32_t id, uint32_t mode, uint32_t value, uint32_t waker);
    /// The next record of an event is to set an entry of a device's table too (T-RMT-6): a twinsim_error, or 0. Throws
    /// std::bad_alloc.
    [[nodiscard]] int forward(uint32_t id, uint32_t device, uint32_t entry);

    // ---- calls of the host ----

    /// Takes the oldest message; false: there is none.
    [[nodiscard]] bool take_message(twinsim_message &out);
    /// The host's answer to the call of that SQE, seen at `time` (T-CPU-4).
    void answer(uint32_t sq, uint64_t number, Cycle time);

    // ---- kernels ----

    [[nodiscard]] BlockDispatcher &cores() { return cores_; }
    /// The description of a kernel that was wanted (T-CORE-2); false: it is not wanted any more.
    [[nodiscard]] bool give_kernel(uint32_t sq, uint64_t number, const twinsim_kernel &work);

    // ---- calendar ----

    void fire_queue(uint32_t sq);
    void prefetch(uint32_t sq) const
    {
        want(&queues_[sq]);
        fronts_[sq].prefetch();
    }
    void prefetch_work(uint32_t sq) const
    {
        want(&jobs_[sq]);
        fronts_[sq].prefetch_head();
    }
    /// The queue waits for an event, a notify, memory or the host, and its timer is the time limit of that.
    [[nodiscard]] bool limit_is_next(uint32_t sq) const
    {
        const Queue &q = queues_[sq];
        if (q.state == State::kAnswer)
            return q.step == Step::kLimit;
        return q.state == State::kParked &&
               (q.type != STARS_SQE_COND || !board_.polls.will_look(timer(sq)));
    }
    /// A queue that polls looks at its next turn if there is something to see.
    void look_again(uint32_t sq);
    void fire_arbiter();
    void fire_firmware();
    void fire_reports();
    void fire_forwards();
    void transfer_done(uint32_t sq);
    /// An entry of a list has moved; `who` without DmaList::kOwner.
    void list_transfer_done(uint32_t who);
    /// The descriptor at which the list under way failed; kNone: none.
    [[nodiscard]] uint32_t list_error(uint32_t sq) const
    {
        return jobs_[sq].kind == DmaJob::Kind::kList ? jobs_[sq].row : kNone;
    }

    static constexpr uint32_t kNoSlot = 255;

  private:
    enum class State : uint8_t {
        kClosed,
        kIdle,        // nothing visible; the timer is the next arrival
        kSwapOut,     // wants to be swapped in, and is still being swapped out
        kWaitSlot,    // wants to be swapped in
        kSwapIn,      // static record read, slot enable
        kWork,        // an SQE is in fetch, decode, execution, set-up or retirement
        kTransfer,    // its bytes move; the timer is its time limit
        kWaitClass,   // its class is full; holds no slot
        kWaitChannel, // every channel of its engine is busy
        kParked, // waits for an event, a notify or memory; holds no slot; the timer is its time limit or a turn
        kAnswer, // has called the host and waits; the timer is its time limit, or the answer
        kKernel, // blocks of its kernel run or wait for cores, or it waits for a description; the timer is its time limit
        kHeld,
        kException,
        kKilled
    };
    enum class Step : uint8_t {
        kArrive,
        kSwapOut,
        kSwapDone,
        kDecoded,
        kExecute,
        kLoaded,
        kRemote,
        kRemoteDone,
        kRetire,
        kReport,
        kSetUp,
        kList,
        kEffect,
        kProgram,
        kPoll,
        kLimit,
        kMessage,
        kAnswered,
        kStretched,
        kRelease,
        kReported
    };
    enum class Resume : uint8_t { kBegin, kRetire, kDispatch, kAgain };
    enum class Hold : uint8_t { kBefore, kAfter, kPause, kCq, kCqError, kLost, kBlocks };
    static constexpr uint8_t kTaskPause = 1, kDebugPause = 2;
    enum Class : uint8_t {
        kSdma,
        kPcieDma,
        kCond,
        kCpuTopic,
        kAic,
        kAiv,
        kMixed,
        kClassCount,
        kNoClass
    };
    static_assert(static_cast<uint32_t>(kClassCount) == TWINSIM_CLASS_COUNT); // and in its order

    struct alignas(64) Queue {
        State state = State::kClosed;
        Step step = Step::kArrive; // what the timer means
        Resume resume = Resume::kBegin;
        Hold hold = Hold::kPause;
        uint8_t type = 0; // of the SQE at the head
        uint8_t slot = kNoSlot;
        uint8_t priority = 0;
        uint8_t group = 0;
        Class token = kNoClass; // class that it has a share of
        uint8_t channel = 0;
        bool has_channel = false;
        bool enabled = false;
        uint8_t paused = 0;     // kTaskPause, kDebugPause
        bool was_short = false; // it waited because every slot was taken
        bool skips = false;     // killed while an SQE was under way
        uint8_t error = 0;
        uint16_t status = 0;
        uint16_t stream_id = 0;
        uint32_t wait_id = 0;
        uint32_t transfer = kNone;
        bool struck = false;    // a planted fault has struck the SQE at the head
        Class share = kNoClass; // that the SQE at the head needs, once it is decoded
        Cycle begun = 0;        // of the SQE
        Cycle mark = 0;         // of the phase under way
        uint64_t watch = 0;
        uint64_t traced = 0; // what the trace was last told of the SQE at the head
    };
    static_assert(sizeof(Queue) == 64);
    struct Waiting { // for one class
        Waiting(const ArbiterRules &rules, std::unique_ptr<ArbiterRtlPort> rtl_port)
            : who(rules, std::move(rtl_port))
        {
        }
        Arbiter who;
        uint32_t free = 0;
    };

    [[nodiscard]] uint32_t timer(uint32_t sq) const
    {
        return (device_ << BoardState::kDeviceShift) + sq;
    }
    void at(uint32_t sq, Cycle time, Step step);
    [[nodiscard]] SqeShape sqe_shape() const;

    // slots and classes
    void ask_for_slot(uint32_t sq, Resume resume);
    void arm_arbiter();
    void prepare_arbiters(uint32_t priority, uint32_t group);
    [[nodiscard]] Arbiter *arbiter_of(const Queue &q);
    void set_strict_level(uint32_t level);
    void leave_slot(uint32_t sq);
    void swap_done(uint32_t sq);
    void release_token(uint32_t sq);
    [[nodiscard]] const Setting &cap(Class token) const;
    void admitted(uint32_t sq);
    void idle(uint32_t sq);
    void go_on(uint32_t sq);

    /// Names the SQE at the head of a queue among all that ever are (T-TIM-10).
    [[nodiscard]] uint64_t occasion(uint32_t sq) const
    {
        return uint64_t{device_} << 58 ^ uint64_t { sq } << 46 ^ fronts_[sq].number();
    }
    /// How long something takes for the SQE at the head.
    [[nodiscard]] Cycle latency(uint32_t sq, const Setting &setting) const
    {
        return __builtin_expect(setting.jitter == 0, 1) ? setting.value
                                                        : board_.vary(setting, occasion(sq));
    }

    // one SQE
    void begin(uint32_t sq);
    void after_decode(uint32_t sq, Cycle decoded, SqeOp op);
    void hold_before(uint32_t sq);
    void execute(uint32_t sq);
    [[nodiscard]] SqeDecoded decode(uint32_t sq, const stars_sqe &sqe);
    void have_effect(uint32_t sq, SqeDecoded decoded);
    void effect_of(uint32_t sq, SqeDecoded decoded);
    void write_memory(uint32_t sq, const stars_sqe &sqe);
    [[nodiscard]] Cycle access_time(uint32_t sq, const stars_sqe &sqe) const;
    void write_remote(uint32_t sq, const stars_sqe &sqe);
    void remote_written(uint32_t sq);
    void remote_done(uint32_t sq);
    void store_event(uint32_t id, bool flag, const Origin &origin);
    void store_notify(uint32_t id, bool flag, const Origin &origin);
    [[gnu::cold]] void send_forwards(uint32_t id, const Origin &origin);
    [[gnu::cold]] void end_forwards(uint32_t id);
    void arm_forwards();
    void drop_forwards(uint32_t device, uint32_t entry);
    void reset_forwards();
    [[gnu::cold]] void load_event(uint32_t sq, uint32_t id);
    void event_loaded(uint32_t sq);
    void wait_event(uint32_t sq, uint32_t id, const stars_sqe &sqe);
    void wait_notify(uint32_t sq, uint32_t id, const stars_sqe &sqe);
    void record_count(uint32_t sq, uint32_t id, const stars_sqe &sqe);
    void wait_count(uint32_t sq, uint32_t id, const stars_sqe &sqe);
    void release_count(uint32_t id, uint32_t waker);
    void park(uint32_t sq, const stars_sqe &sqe, uint32_t timeout);
    void wake(uint32_t sq, uint32_t waker);
    [[nodiscard]] Origin origin_of(uint32_t waker) const
    {
        return waker == kNone ? Origin{}
                              : Origin{Trace::source(device_, waker), fronts_[waker].number()};
    }
    void wake_from(uint32_t sq, const Origin &origin, uint32_t parameter);
    void executed(uint32_t sq, SqeOp op = SqeOp::kDone);
    void start_retire(uint32_t sq, SqeOp op);
    void retire(uint32_t sq);
    void fail(uint32_t sq, uint8_t error, uint16_t status, SqeOp op = SqeOp::kFail);
    void report(uint32_t sq);
    void hold(uint32_t sq, Hold why);
    void resume(uint32_t sq, uint8_t what);
    void end_hold(uint32_t sq);
    void handled(uint32_t sq);
    void kill(uint32_t sq);
    void abandon(uint32_t sq);

    // what comes next of an SQE, with an RTL port what that says; see sqe_rtl.cpp
    void advance(uint32_t sq, SqeOp op, SqeStep plain)
    {
        if (__builtin_expect(sqe_rtl_port_ != nullptr, 0))
            advance_rtl_port(sq, op, plain.next, plain.hold, plain.due);
        else
            carry_out(sq, plain);
    }
    /// When: where only that is in question.
    [[nodiscard]] Cycle due(uint32_t sq, SqeOp op, SqeNext next, Cycle plain)
    {
        return __builtin_expect(sqe_rtl_port_ != nullptr, 0) ? ask_due(sq, op, next, plain) : plain;
    }
    /// The SQE under way is killed, or its queue closed.
    void end_sqe(uint32_t sq)
    {
        if (__builtin_expect(sqe_rtl_port_ != nullptr, 0))
            advance_rtl_port(sq, SqeOp::kEnd, SqeNext::kNothing, SqeHold::kNot, kNever);
    }
    void carry_out(uint32_t sq, SqeStep step);
    [[gnu::cold]] void advance_rtl_port(uint32_t sq, SqeOp op, SqeNext next, SqeHold hold,
                                        Cycle due);
    [[nodiscard, gnu::cold]] SqeAnswer ask(uint32_t sq, SqeOp op, const SqeStep &plain,
                                           bool flag = false);
    [[nodiscard, gnu::cold]] Cycle ask_due(uint32_t sq, SqeOp op, SqeNext next, Cycle plain);
    [[gnu::cold]] void follow(uint32_t sq, const SqeAnswer &answer);
    [[gnu::cold]] void execute_rtl_port(uint32_t sq);
    /// Whether an SQE that has written its CQE, if it could, is over.
    [[nodiscard, gnu::cold]] bool retires(uint32_t sq, SqeOp op, bool full);
    /// Whether an SQE that failed is over.
    [[nodiscard, gnu::cold]] bool is_skipped(uint32_t sq);

    void dispatch(uint32_t sq);
    void want_channel(uint32_t sq);
    void set_up(uint32_t sq, uint32_t channel);
    void start_transfer(uint32_t sq);
    void release_channel(uint32_t sq);
    void stop_moving(uint32_t sq);
    void choose_effect(uint32_t sq);
    void make_effect(uint32_t sq);
    void start_list(uint32_t sq);
    void list_turn(uint32_t sq);
    [[nodiscard]] bool read_line(uint32_t sq);
    void begin_entry(uint32_t sq, const stars_dma_descriptor &entry);
    void list_done(uint32_t sq);
    void limit_reached(uint32_t sq);

    // planted faults, all off the usual path; see task_failure.cpp
    [[gnu::cold]] void ask_faults(uint32_t sq);
    [[gnu::cold]] void ask_cqe_faults(uint32_t sq);
    [[nodiscard, gnu::cold]] bool doorbell_lost(uint32_t sq, uint64_t rung);
    /// An access to entry `id` of a table, since the mark; `bits` of enum twinsim_table.
    void note_access(uint32_t sq, uint32_t parameter, uint32_t id, uint32_t bits)
    {
        if (is_struck(sq) && loses_record(sq))
            bits |= TWINSIM_TABLE_VAIN;
        if (!board_.trace.on())
            return;
        if (__builtin_expect(bits == 0, 1))
            note_table(sq, parameter, id);
        else
            write_note(sq, TWINSIM_PHASE_TABLE, queues_[sq].mark, parameter, id, 0, kNone, bits,
                       kNone);
    }
    [[nodiscard, gnu::cold]] bool loses_record(uint32_t sq) const;
    /// Whether the fault has struck and has not acted yet; then it has.
    [[nodiscard]] bool acts(uint32_t sq, uint32_t kind);
    [[nodiscard]] bool is_struck(uint32_t sq) const
    {
        return __builtin_expect(queues_[sq].struck, 0);
    }
    [[nodiscard, gnu::cold]] Cycle slowed(uint32_t sq, Cycle time);
    /// Each: true when the fault has taken over.
    [[nodiscard, gnu::cold]] bool engine_silent(uint32_t sq);
    [[nodiscard, gnu::cold]] bool engine_differs(uint32_t sq);
    [[nodiscard, gnu::cold]] bool list_spoilt(uint32_t sq);
    [[gnu::cold]] void give_kept(uint32_t sq);
    [[nodiscard, gnu::cold]] bool list_differs(uint32_t sq);
    [[nodiscard, gnu::cold]] bool gave_up(uint32_t sq);
    [[nodiscard, gnu::cold]] bool kernel_differs(uint32_t sq);
    [[nodiscard, gnu::cold]] bool kernel_gave_up(uint32_t sq);
    [[nodiscard, gnu::cold]] twinsim_kernel struck_kernel(uint32_t sq, const twinsim_kernel &work);
    [[nodiscard, gnu::cold]] Cycle give_up_time(uint32_t sq) const;
    [[gnu::cold]] void stretched(uint32_t sq);
    [[nodiscard, gnu::cold]] bool completion_held(uint32_t sq);
    [[nodiscard, gnu::cold]] bool report_held(uint32_t sq);
    [[nodiscard, gnu::cold]] bool cq_held(uint32_t sq, Hold why);

    // parts whose scheduler is a firmware
    void ask_firmware(uint32_t sq, FirmwareLoop::Work work);
    void activate(uint32_t sq);
    void begin_command(uint32_t sq);
    void ask_report(uint32_t sq, Step step);
    void arm_firmware();
    void served(uint32_t sq, FirmwareLoop::Work work);
    [[nodiscard]] const Setting &kept_by(FirmwareLoop::Work wanted) const;
    void post_report(uint32_t sq, const stars_sqe &sqe, bool interrupts, bool failed);
    void note_reported(const ReportQueue::Report &report);
    void hurry_report(uint32_t sq);
    void arm_reports();
    void release_commands(uint32_t sq);
    void reset_firmware();
    [[nodiscard]] bool has_firmware() const { return __builtin_expect(firmware_ != nullptr, 0); }

    // COND programs
    class Port;
    struct Program {
        uint32_t jump = kNone; // head that its own queue goes to
        bool again = false;    // it does nothing but look and go back to itself
        CondResult result;
    };
    [[nodiscard]] Program interpret(uint32_t sq, bool dry);
    void run_program(uint32_t sq);
    void program_done(uint32_t sq);
    void park_poll(uint32_t sq);
    void poll(uint32_t sq);
    void forget_wait(uint32_t sq);
    void send_message(uint32_t sq);
    void post_message(uint32_t sq);
    void answered(uint32_t sq);
    void forget_messages(uint32_t sq);

    // kernels
    [[nodiscard]] static Class kernel_class(const stars_sqe &sqe);
    [[nodiscard]] bool kernel_is_good(const stars_sqe &sqe) const;
    void kick_start(uint32_t sq);
    void launch(uint32_t sq, const twinsim_kernel &work);
    void end_kernel(uint32_t sq);
    void first_block(uint32_t sq) override;
    [[nodiscard]] bool blocks_ended(uint32_t sq) override;
    void kernel_effect(uint32_t sq);
    void kernel_failed(uint32_t sq, twinsim_kernel_fault fault) override;
    void kernel_rests(uint32_t sq) override;
    void report_kernel(uint32_t sq, twinsim_kernel_fault fault);
    void report_kernel_error(uint32_t sq, uint8_t error, uint16_t status);
    void kernel_reported(uint32_t sq);
    void kernel_limit(uint32_t sq);
    void pause_kernel(uint32_t sq);
    void resume_kernel(uint32_t sq);
    void drop_kernel(uint32_t sq);

    void check_watch(uint32_t sq);
    void interrupt(uint32_t sq, uint32_t target);

    [[nodiscard]] DmaPool &pool(uint32_t sq)
    {
        return queues_[sq].type == STARS_SQE_SDMA ? sdma_ : pcie_;
    }
    [[nodiscard]] bool is_dma(uint32_t type) const
    {
        return type == STARS_SQE_SDMA || type == STARS_SQE_PCIE_DMA;
    }

    // trace; out of line, so that the code around it stays as short as without
    /// The queue as the trace knows it, told of the SQE at its head.
    [[nodiscard]] uint32_t traced(uint32_t sq);
    [[gnu::cold, gnu::noinline]] void turn_to(uint32_t sq, uint64_t about);
    // One value each: a struct by reference would be filled in whether the trace is on or not.
    void note(uint32_t sq, Trace::Phase what)
    {
        if (!board_.trace.on())
            return;
        if (what.bytes == 0 && what.waker_number == 0 && (what.waker & what.route) == kNone)
            write_part(sq, what.phase, what.begin, what.parameter, what.id);
        else
            write_note(sq, what.phase, what.begin, what.parameter, what.id, what.bytes, what.waker,
                       what.waker_number, what.route);
    }
    [[gnu::noinline]] void write_part(uint32_t sq, twinsim_phase phase, Cycle begin,
                                      uint32_t parameter, uint32_t id);
    [[gnu::noinline]] void note_table(uint32_t sq, uint32_t parameter, uint32_t id);
    [[gnu::cold, gnu::noinline]] void write_note(uint32_t sq, twinsim_phase phase, Cycle begin,
                                                 uint32_t parameter, uint32_t id, uint64_t bytes,
                                                 uint32_t waker, uint64_t waker_number,
                                                 uint32_t route);
    [[gnu::cold, gnu::noinline]] void note_opened(uint32_t sq);
    [[gnu::noinline]] void note_swapped(uint32_t sq);
    [[gnu::noinline]] void note_begun(uint32_t sq, Cycle ready);
    [[gnu::noinline]] void note_engine(uint32_t sq, twinsim_phase what);
    [[gnu::noinline]] void note_transfer(uint32_t sq);
    [[gnu::noinline]] void note_retire(uint32_t sq, bool failed);
    [[gnu::cold, gnu::noinline]] void tell_end(uint32_t sq, bool failed);
    [[gnu::noinline]] void note_taken(uint32_t sq, Trace::Holding what);
    [[gnu::cold, gnu::noinline]] void note_use(uint32_t sq, Trace::Holding what);
    [[gnu::noinline]] void note_given(uint32_t sq, Trace::Holding what);
    [[gnu::noinline]] void note_leaving(uint32_t sq);
    [[gnu::cold, gnu::noinline]] void note_dropped(uint32_t sq);
    [[gnu::cold, gnu::noinline]] void note_hold(uint32_t sq, Hold why);
    [[gnu::cold, gnu::noinline]] void note_resumed(uint32_t sq);

    BoardState &board_;
    const uint32_t device_;
    // Null: the plain model.
    std::unique_ptr<FrontRtlPort> front_rtl_port_;
    std::unique_ptr<SqeRtlPort> sqe_rtl_port_;
    SqeDecoded decoded_; // for that: what the SQE that executes asks for
    ApartVector<TaskQueue, 2048> fronts_;
    ApartVector<Queue, 1024> queues_;
    ApartVector<DmaJob, 3072> jobs_; // by queue: the DMA under way
    std::vector<Program> programs_;  // by queue: the COND under way
    EventTable events_;
    NotifyTable notifies_;
    CountTable counts_;
    RemoteRecords forwards_;
    DmaPool sdma_, pcie_;
    DmaCeiling sdma_ceiling_, pcie_ceiling_;
    std::vector<DmaList> lists_; // by PCIe DMA channel
    BlockDispatcher cores_;
    std::vector<twinsim_message> messages_; // for the host, oldest first

    std::unique_ptr<Firmware> firmware_; // none: a hardware scheduler
    ArbiterRules rules_;
    Arbiter asking_; // queues that want a slot
    SlotPool slots_;
    uint32_t selected_ = 0; // the register that selects the queue to observe
    std::vector<Waiting> classes_;
    std::array<Bitmap, 3> interrupts_; // by target - 1: queues
    uint32_t interrupt_mask_ = 0;
    uint64_t seed_;
};

/// Inline: what comes next is mostly known where it is called from.
[[gnu::always_inline]] inline void TaskScheduler::carry_out(uint32_t sq, SqeStep step)
{
    switch (step.next) {
    case SqeNext::kDecoded:
        at(sq, step.due, Step::kDecoded);
        break;
    case SqeNext::kExecute:
        at(sq, step.due, Step::kExecute);
        break;
    case SqeNext::kRetire:
        at(sq, step.due, Step::kRetire);
        break;
    case SqeNext::kReport:
        at(sq, step.due, Step::kReport);
        break;
    case SqeNext::kHold:
        hold(sq, step.hold == SqeHold::kBefore  ? Hold::kBefore
                 : step.hold == SqeHold::kAfter ? Hold::kAfter
                 : step.hold == SqeHold::kCq    ? Hold::kCq
                                                : Hold::kCqError);
        break;
    default:
        break;
    }
}

} // namespace tsim

#endif
