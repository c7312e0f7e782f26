// SPDX-License-Identifier: Apache-2.0
/// COND SQEs in the scheduler: programs, what they do to queues, and polling. Rules T-COND-1 to T-COND-11.
#include <algorithm>
#include <cstring>

#include "core/scheduler/task_scheduler.h"

namespace tsim
{

/// What a program of queue `sq` sees. A dry one only looks: it says what a run would do.
class TaskScheduler::Port : public CondPort
{
  public:
    Port(TaskScheduler &scheduler, uint32_t sq, bool dry)
        : scheduler_(scheduler), sq_(sq), dry_(dry)
    {
    }

    [[nodiscard]] const void *read(uint64_t address, uint64_t bytes) override
    {
        return translate(address, bytes, TWINSIM_READ);
    }

    [[nodiscard]] bool write(uint64_t address, const void *from, uint32_t bytes) override
    {
        acted_ = true;
        if (dry_)
            return true;
        void *to = translate(address, bytes, TWINSIM_WRITE);
        if (!to)
            return false;
        std::memcpy(to, from, bytes);
        scheduler_.board_.stored(address, bytes);
        return true;
    }

    // T-COND-6: another queue at rest at once, the own one when the SQE retires.
    [[nodiscard]] uint8_t go_to(uint32_t sq, uint32_t head) override
    {
        if (!there(sq) || head >= scheduler_.fronts_[sq].depth())
            return STARS_ERROR_BAD_SQE;
        if (sq == sq_) {
            jump_ = head;
            return 0;
        }
        acted_ = true;
        if (dry_)
            return 0;
        if (scheduler_.queues_[sq].state != State::kIdle)
            return STARS_ERROR_CONFLICT;
        TaskQueue &front = scheduler_.fronts_[sq];
        front.take_in(front.rung(), scheduler_.board_.now, scheduler_.board_.params.cycle_ns);
        front.set_head(head, scheduler_.board_.now);
        scheduler_.check_watch(sq);
        scheduler_.set_enabled(sq, scheduler_.queues_[sq].enabled);
        return 0;
    }

    // T-COND-7.
    [[nodiscard]] uint8_t enable(uint32_t sq, bool on) override
    {
        if (!there(sq))
            return STARS_ERROR_BAD_SQE;
        acted_ = true;
        if (!dry_)
            scheduler_.set_enabled(sq, on);
        return 0;
    }

    [[nodiscard]] uint32_t jump() const { return jump_; }
    [[nodiscard]] bool acted() const { return acted_; }
    /// Why the access at which the program ended was refused; 0: none was.
    [[nodiscard]] uint16_t refusal() const { return refusal_; }

  private:
    [[nodiscard]] bool there(uint32_t sq) const
    {
        return sq < scheduler_.queue_count() && scheduler_.fronts_[sq].is_open();
    }
    [[nodiscard]] void *translate(uint64_t address, uint64_t bytes, twinsim_access access)
    {
        const BoardState &board = scheduler_.board_;
        const twinsim_bus &bus = dry_ ? board.faults.plain_bus() : board.bus;
        twinsim_target target = TWINSIM_TARGET_NONE;
        uint32_t owner = scheduler_.device_;
        void *const place =
            bus.translate(bus.context, scheduler_.device_, address, bytes, access, &target, &owner);
        if (!place)
            refusal_ = board.refusal();
        return place;
    }

    TaskScheduler &scheduler_;
    const uint32_t sq_;
    const bool dry_;
    bool acted_ = false;
    uint16_t refusal_ = 0;
    uint32_t jump_ = kNone;
};

TaskScheduler::Program TaskScheduler::interpret(uint32_t sq, bool dry)
{
    const TaskQueue &front = fronts_[sq];
    Port port(*this, sq, dry);
    Program program;
    program.result = run_cond(front.sqe(), board_.params.cond_limit.value, port);
    if (program.result.status == STARS_STATUS_BUS_FAULT && port.refusal() != 0)
        program.result.status = port.refusal(); // T-FLT-4
    program.jump = port.jump();
    program.again = program.result.error == 0 && !port.acted() && program.jump == front.head();
    return program;
}

// T-COND-2, T-COND-3: all it does happens now, then it takes its time.
void TaskScheduler::run_program(uint32_t sq)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    q.state = State::kWork;
    q.mark = board_.now;
    const Program &program = programs_[sq] = interpret(sq, false);
    const CondResult &result = program.result;
    at(sq,
       board_.now + result.instructions * p.cond_instruction.value + result.delays +
           result.accesses * p.cond_memory.value,
       Step::kProgram);
}

void TaskScheduler::program_done(uint32_t sq)
{
    Queue &q = queues_[sq];
    const Program &program = programs_[sq];
    note(sq, {TWINSIM_PHASE_PROGRAM, q.mark, board_.params.cond_instruction.index});
    if (program.result.error != 0)
        fail(sq, program.result.error, program.result.status); // T-COND-4, T-COND-5
    else if (program.again)
        park_poll(sq);
    else
        executed(sq);
}

// ---- polling -----------------------------------------------------------------------------------

// T-COND-8: the queue would run this SQE again and again; it does so only when the outcome can be another.
void TaskScheduler::park_poll(uint32_t sq)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    q.state = State::kParked;
    q.step = Step::kPoll;
    q.mark = board_.now;
    q.wait_id = kNone;
    release_token(sq);
    leave_slot(sq);
    const uint32_t credit =
        (fronts_[sq].sqe().word[3] >> STARS_W3_CREDIT_SHIFT) & STARS_CREDIT_NEVER;
    const bool limited = credit != 0 && credit != STARS_CREDIT_NEVER;
    const Cycle limit = due(sq, SqeOp::kMove, SqeNext::kLimit, // T-COND-11
                            limited ? board_.now + credit * p.credit_unit.value : kNever);
    board_.polls.add(timer(sq), limit, programs_[sq].result);
    look_again(sq); // somebody may have stored while the program ran
}

void TaskScheduler::look_again(uint32_t sq)
{
    if (!board_.polls.will_look(timer(sq)) && !interpret(sq, true).again)
        board_.polls.look(timer(sq));
}

// T-COND-9: a turn, or the end of its patience.
void TaskScheduler::poll(uint32_t sq)
{
    Queue &q = queues_[sq];
    if (board_.now >= board_.polls.limit(timer(sq))) {
        limit_reached(sq);
    } else if (interpret(sq, true).again) {
        board_.polls.rest(timer(sq));
    } else {
        board_.polls.remove(timer(sq));
        note(sq, {TWINSIM_PHASE_PARK, q.mark, board_.params.cond_poll.index});
        ask_for_slot(sq, Resume::kAgain);
    }
}

// A parked queue stops waiting.
void TaskScheduler::forget_wait(uint32_t sq)
{
    const Queue &q = queues_[sq];
    if (q.type == STARS_SQE_EVENT_WAIT)
        events_.forget(q.wait_id, sq);
    else if (q.type == STARS_SQE_COND)
        board_.polls.remove(timer(sq));
    else if ((fronts_[sq].sqe().word[2] & STARS_W2_COUNT) != 0)
        counts_.forget(q.wait_id, sq);
    else
        notifies_.forget(q.wait_id, sq);
}

} // namespace tsim
