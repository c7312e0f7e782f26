// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/cond_tasks.h"

#include <cstring>

#include "core/scheduler/sqe_fields.h"

namespace tsim
{

/// What a program of queue `sq` sees. A dry one only looks: it says what a run would do.
class CondTasks::Port : public CondPort
{
  public:
    Port(const QueueTable &queues, FrontEnd &front_end, uint32_t sq, bool dry)
        : queues_(queues), front_end_(front_end), sq_(sq), dry_(dry)
    {
    }

    [[nodiscard]] const void *read(uint64_t address, uint64_t bytes) override
    {
        bool pages = false;
        const void *const place = translate(address, bytes, TWINSIM_READ, pages);
        if (!place || !pages)
            return place;
        return move(&word_, place, bytes) ? &word_ : nullptr;
    }

    [[nodiscard]] bool write(uint64_t address, const void *from, uint32_t bytes) override
    {
        acted_ = true;
        if (dry_)
            return true;
        bool pages = false;
        void *to = translate(address, bytes, TWINSIM_WRITE, pages);
        if (!to || (pages && !move(to, from, bytes)))
            return false;
        if (!pages)
            std::memcpy(to, from, bytes);
        queues_.system.stored(queues_.device, address, bytes);
        return true;
    }

    // T-COND-6: another queue at rest at once, the own one when the SQE retires.
    [[nodiscard]] uint8_t go_to(uint32_t sq, uint32_t head) override
    {
        if (!there(sq) || head >= queues_.front(sq).depth())
            return STARS_ERROR_BAD_SQE;
        if (sq == sq_) {
            jump_ = head;
            return 0;
        }
        acted_ = true;
        if (dry_)
            return 0;
        if (queues_[sq].state != QueueState::kIdle)
            return STARS_ERROR_CONFLICT;
        front_end_.move_head(sq, head);
        front_end_.set_enabled(sq, queues_[sq].enabled);
        return 0;
    }

    // T-COND-7.
    [[nodiscard]] uint8_t enable(uint32_t sq, bool on) override
    {
        if (!there(sq))
            return STARS_ERROR_BAD_SQE;
        acted_ = true;
        if (!dry_)
            front_end_.set_enabled(sq, on);
        return 0;
    }

    [[nodiscard]] uint32_t jump() const { return jump_; }
    [[nodiscard]] bool acted() const { return acted_; }
    /// Why the access at which the program ended was refused; 0: none was.
    [[nodiscard]] uint16_t refusal() const { return refusal_; }

  private:
    [[nodiscard]] bool there(uint32_t sq) const
    {
        return sq < queues_.size() && queues_.front(sq).is_open();
    }
    /// Words of memory that may go away at any time; a program is not read from there.
    [[nodiscard]] bool move(void *to, const void *from, uint64_t bytes) const
    {
        const twinsim_bus &bus = queues_.system.bus;
        return bytes <= sizeof(word_) && bus.host_move(bus.context, to, from, bytes);
    }
    [[nodiscard]] void *translate(uint64_t address, uint64_t bytes, twinsim_access access,
                                  bool &pages)
    {
        const SystemState &system = queues_.system;
        const twinsim_bus &bus = dry_ ? system.faults.plain_bus() : system.bus;
        twinsim_target target = TWINSIM_TARGET_NONE;
        uint32_t owner = queues_.device;
        void *const place =
            bus.translate(bus.context, queues_.device, address, bytes, access, &target, &owner);
        if (!place)
            refusal_ = system.refusal();
        pages = target == TWINSIM_TARGET_HOST_PAGES;
        return place;
    }

    const QueueTable &queues_;
    FrontEnd &front_end_;
    const uint32_t sq_;
    const bool dry_;
    bool acted_ = false;
    uint16_t refusal_ = 0;
    uint32_t jump_ = kNone;
    uint64_t word_ = 0; // what was read of memory that may go away
};

CondTasks::Program CondTasks::interpret(uint32_t sq, bool dry)
{
    const TaskQueue &front = queues_.front(sq);
    Port port(queues_, front_end_, sq, dry);
    Program program;
    program.result = run_cond(front.sqe(), system_.params.cond_limit.value, port);
    if (program.result.status == STARS_STATUS_BUS_FAULT && port.refusal() != 0)
        program.result.status = port.refusal(); // T-FLT-4
    program.jump = port.jump();
    program.again = program.result.error == 0 && !port.acted() && program.jump == front.head();
    return program;
}

// T-COND-2, T-COND-3: all it does happens now, then it takes its time.
void CondTasks::start(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    const Params &p = system_.params;
    q.state = QueueState::kWork;
    q.phase_begin = system_.now;
    const Program &program = programs_[sq] = interpret(sq, false);
    const CondResult &result = program.result;
    queues_.at(sq,
               system_.now + result.instructions * p.cond_instruction.value + result.delays +
                   result.accesses * p.cond_memory.value,
               QueueStep::kProgram);
}

void CondTasks::done(uint32_t sq)
{
    const QueueRow &q = queues_[sq];
    const Program &program = programs_[sq];
    trace_.note(sq, {TWINSIM_PHASE_PROGRAM, q.phase_begin, system_.params.cond_instruction.index});
    if (program.result.error != 0)
        progress_.fail(sq, program.result.error, program.result.status); // T-COND-4, T-COND-5
    else if (program.again)
        park(sq);
    else
        progress_.executed(sq);
}

// ---- polling -----------------------------------------------------------------------------------

// T-COND-8: the queue would run this SQE again and again; it does so only when the outcome can be
// another.
void CondTasks::park(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    q.state = QueueState::kParked;
    q.step = QueueStep::kPoll;
    q.phase_begin = system_.now;
    q.wait_id = kNone;
    shares_.release(sq);
    slots_.leave(sq);
    const Cycle limit = // T-COND-11
        progress_.due(sq, SqeOp::kMove, SqeNext::kLimit,
                      limit_from(system_.now, credit_time(queues_.sqe(sq), system_.params)));
    const CondResult &result = programs_[sq].result;
    PollList::Places places{};
    for (uint32_t i = 0; i < result.reads && i < CondResult::kMostReads; ++i)
        places[i] = system_.place_of(queues_.device, result.read[i].address);
    system_.polls.add(queues_.timer(sq), limit, result, places);
    look_again(sq); // there may have been a store while the program ran
}

void CondTasks::look_again(uint32_t sq)
{
    if (!will_look(sq) && !interpret(sq, true).again)
        system_.polls.look(queues_.timer(sq));
}

// T-COND-9.
void CondTasks::poll(uint32_t sq)
{
    const QueueRow &q = queues_[sq];
    const uint32_t timer = queues_.timer(sq);
    if (system_.now >= system_.polls.limit(timer)) {
        forget(sq);
        trace_.note(sq, {TWINSIM_PHASE_PARK, q.phase_begin, kNone, q.wait_id});
        progress_.fail(sq, STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT, SqeOp::kLimit);
    } else if (interpret(sq, true).again) {
        system_.polls.rest(timer);
    } else {
        forget(sq);
        trace_.note(sq, {TWINSIM_PHASE_PARK, q.phase_begin, system_.params.cond_poll.index});
        slots_.ask(sq, SlotUse::kAgain);
    }
}

} // namespace tsim
