// SPDX-License-Identifier: Apache-2.0
#include "core/engine/ai_core.h"

#include <algorithm>

namespace tsim
{

AiCore::AiCore(SystemState &system, uint32_t device, uint32_t timer, uint64_t owner)
    : system_(system), device_(device), timer_(timer), owner_(owner)
{
}

AiCore::Outcome AiCore::begin(const twin_steps &list, CoreTalk *talk)
{
    list_ = list;
    talk_ = talk;
    fault_ = TWINSIM_KERNEL_GOOD;
    walked_ = 0;
    pipes_.fill({});
    if (flagged_)
        flags_.fill(0);
    flagged_ = false;
    time_ = now();
    progress();
    return settle();
}

AiCore::Outcome AiCore::advance()
{
    run_until_now();
    return settle();
}

AiCore::Outcome AiCore::listen()
{
    run_until_now();
    time_ = now();
    progress();
    return settle();
}

AiCore::Outcome AiCore::part_done(uint32_t low)
{
    run_until_now();
    Pipe &p = pipes_[low >> 1];
    p.transfers[low & 1] = kNone;
    if (--p.parts == 0 && fault_ == TWINSIM_KERNEL_GOOD) {
        time_ = now();
        finish(low >> 1);
        progress();
    }
    return settle();
}

void AiCore::stop()
{
    system_.calendar.cancel(timer_);
    bool any = false;
    for (uint32_t i = 0; i < pipes_.size(); ++i) {
        for (uint32_t part = 0; part < 2; ++part) {
            const uint32_t transfer = pipes_[i].transfers[part];
            if (transfer == kNone || !system_.links.moves(transfer, owner_of(i, part)))
                continue;
            system_.links.cancel(system_.now, transfer);
            any = true;
        }
        pipes_[i] = {};
    }
    if (any)
        system_.links_changed();
}

// What is to come, or how it ended (T-CORE-20).
AiCore::Outcome AiCore::settle()
{
    if (fault_ != TWINSIM_KERNEL_GOOD)
        return Outcome::kFault;
    if (walked_ == list_.count && !pipes_[TWIN_PIPE_SCALAR].busy && drained()) {
        system_.calendar.cancel(timer_); // in this cycle, when listen() was first
        return Outcome::kEnded;
    }
    arm();
    return Outcome::kRunning;
}

void AiCore::arm()
{
    Fine next = ~Fine{0};
    for (const Pipe &p : pipes_) {
        if (p.busy && p.parts == 0)
            next = std::min(next, p.until);
    }
    if (next == ~Fine{0})
        system_.calendar.cancel(timer_);
    else if (!system_.calendar.pending(timer_) || system_.calendar.time_of(timer_) != edge(next))
        system_.calendar.schedule(timer_, edge(next), Rank::kHostDma);
}

// The events inside the core up to this cycle, in their order.
void AiCore::run_until_now()
{
    while (fault_ == TWINSIM_KERNEL_GOOD) {
        uint32_t first = kNone;
        for (uint32_t i = 0; i < pipes_.size(); ++i) {
            const Pipe &p = pipes_[i];
            if (p.busy && p.parts == 0 && p.until <= now() &&
                (first == kNone || p.until < pipes_[first].until))
                first = i;
        }
        if (first == kNone)
            return;
        time_ = pipes_[first].until;
        finish(first);
        progress();
    }
}

// Starts whatever can start at `time_`; after each step the lowest pipe that can go on does
// (T-CORE-16).
void AiCore::progress()
{
    bool any = true;
    while (any && fault_ == TWINSIM_KERNEL_GOOD) {
        any = walk();
        for (uint32_t i = 1; i < pipes_.size() && !any; ++i)
            any = serve(i);
    }
}

bool AiCore::drained() const
{
    for (uint32_t i = 1; i < pipes_.size(); ++i) {
        if (pipes_[i].waiting != 0)
            return false;
    }
    return true;
}

// T-CORE-14: gives operations to the pipes up to the next scalar one and takes a step with that.
// Returns whether anything changed.
bool AiCore::walk()
{
    Pipe &scalar = pipes_[TWIN_PIPE_SCALAR];
    if (scalar.busy)
        return false;
    const uint64_t before = walked_;
    while (walked_ < list_.count && list_.steps[walked_].pipe != TWIN_PIPE_SCALAR) {
        const uint32_t pipe = list_.steps[walked_].pipe;
        if (pipe >= TWIN_PIPE_COUNT) {
            fail(TWINSIM_KERNEL_BAD);
            return true;
        }
        ++pipes_[pipe].waiting;
        ++walked_;
    }
    if (walked_ == list_.count)
        return walked_ != before;
    scalar.next = walked_;
    return step(TWIN_PIPE_SCALAR) || walked_ != before;
}

// T-CORE-15: takes a step with the first operation in the pipe's queue. Returns whether anything
// changed.
bool AiCore::serve(uint32_t pipe)
{
    Pipe &p = pipes_[pipe];
    if (p.busy || p.waiting == 0)
        return false;
    while (list_.steps[p.next].pipe != pipe)
        ++p.next;
    return step(pipe);
}

bool AiCore::step(uint32_t pipe)
{
    Pipe &p = pipes_[pipe];
    if (!p.front) {
        p.front = true;
        p.since = time_;
    }
    const Step what = attempt(pipe, list_.steps[p.next]);
    if (what == Step::kPassed)
        finish(pipe);
    return what != Step::kBlocked;
}

AiCore::Step AiCore::fail(twinsim_kernel_fault fault)
{
    fault_ = fault;
    return Step::kBlocked;
}

AiCore::Step AiCore::attempt(uint32_t pipe, const twin_step &op)
{
    Pipe &p = pipes_[pipe];
    const Params &params = system_.params;
    switch (op.kind) {
    case TWIN_STEP_WORK: {
        if (op.amount > TWIN_STEP_MOST)
            return fail(TWINSIM_KERNEL_BAD);
        if (op.amount == 0)
            return Step::kPassed;
        const Fine length = (static_cast<Fine>(op.amount) * 1000 << kFine) /
                            (params.core_mhz.value * params.cycle_ns);
        p.until = time_ + length;
        p.parameter = params.core_mhz.index;
        p.busy = true;
        return Step::kStarted;
    }
    case TWIN_STEP_READ:
    case TWIN_STEP_WRITE:
        return move(pipe, op);
    case TWIN_STEP_SET: // T-CORE-16
        if (op.flag >= TWIN_STEP_FLAGS || flags_[op.flag] == UINT32_MAX)
            return fail(TWINSIM_KERNEL_BAD);
        ++flags_[op.flag];
        flagged_ = true;
        return Step::kPassed;
    case TWIN_STEP_WAIT:
        if (op.flag >= TWIN_STEP_FLAGS)
            return fail(TWINSIM_KERNEL_BAD);
        if (flags_[op.flag] == 0)
            return Step::kBlocked;
        --flags_[op.flag];
        return Step::kPassed;
    case TWIN_STEP_BARRIER: // T-CORE-17
        return pipe != TWIN_PIPE_SCALAR || drained() ? Step::kPassed : Step::kBlocked;
    case TWIN_STEP_CROSS_CORE_SET:
        return set_cross_core(op);
    case TWIN_STEP_CROSS_CORE_WAIT:
        return wait_cross_core(pipe, op);
    case TWIN_STEP_FAULT:
        if (op.amount < TWINSIM_KERNEL_EXCEPTION || op.amount > TWINSIM_KERNEL_TIMEOUT)
            return fail(TWINSIM_KERNEL_BAD);
        return fail(static_cast<twinsim_kernel_fault>(op.amount));
    default:
        return fail(TWINSIM_KERNEL_BAD);
    }
}

// T-CORE-19: two parts at once; T-CORE-21: memory of the host, one.
AiCore::Step AiCore::move(uint32_t pipe, const twin_step &op)
{
    Pipe &p = pipes_[pipe];
    LinkNetwork &links = system_.links;
    const uint64_t permille =
        op.hit_permille == TWIN_HIT_DEFAULT ? system_.params.l2_hit.value : op.hit_permille;
    if (op.amount > TWIN_STEP_MOST || permille > 1000 || op.flag > TWIN_STEP_BITS)
        return fail(TWINSIM_KERNEL_BAD);
    if (op.amount == 0)
        return Step::kPassed;
    const bool in_host = (op.flag & TWIN_STEP_IN_HOST) != 0;
    const bool write = op.kind == TWIN_STEP_WRITE;
    const uint64_t first = in_host ? op.amount : op.amount * permille / 1000;
    const uint32_t routes[2] = {in_host ? links.core_host(device_, write)
                                        : links.core_hit(device_, write),
                                links.core_miss(device_)};
    const uint64_t bytes[2] = {first, op.amount - first};
    p.parts = 0;
    for (uint32_t i = 0; i < 2; ++i) {
        if (bytes[i] == 0)
            continue;
        p.transfers[i] = links.start(system_.now, routes[i], bytes[i], owner_of(pipe, i));
        p.parameter = links.parameter(routes[i]);
        ++p.parts;
    }
    system_.links_changed();
    p.busy = true;
    return Step::kStarted;
}

// T-CORE-18.
AiCore::Step AiCore::set_cross_core(const twin_step &op)
{
    if (!talk_ || op.flag >= TWIN_STEP_CROSS_CORE_FLAGS)
        return fail(TWINSIM_KERNEL_BAD);
    const auto add = [&](CoreTalk::Word &word) {
        ++word.count;
        word.newest = system_.now;
    };
    if (task_.part != 0) {
        add(talk_->from[task_.part][op.flag]);
    } else {
        for (uint32_t i = 1; i < talk_->parts; ++i)
            add(talk_->to[i][op.flag]);
    }
    talk_->changed = true;
    return Step::kPassed;
}

AiCore::Step AiCore::wait_cross_core(uint32_t pipe, const twin_step &op)
{
    if (!talk_ || op.flag >= TWIN_STEP_CROSS_CORE_FLAGS)
        return fail(TWINSIM_KERNEL_BAD);
    const uint32_t first = task_.part == 0 ? 1 : task_.part;
    const uint32_t last = task_.part == 0 ? talk_->parts - 1 : task_.part;
    auto &words = task_.part == 0 ? talk_->from : talk_->to;
    Cycle observed = 0;
    for (uint32_t i = first; i <= last; ++i) {
        if (words[i][op.flag].count == 0)
            return Step::kBlocked;
        observed = std::max(observed, words[i][op.flag].newest);
    }
    for (uint32_t i = first; i <= last; ++i)
        --words[i][op.flag].count;
    const Fine at = static_cast<Fine>(observed) << kFine;
    if (at <= time_)
        return Step::kPassed;
    Pipe &p = pipes_[pipe];
    p.until = at;
    p.parameter = kNone;
    p.busy = true;
    return Step::kStarted;
}

// The operation under way is done.
void AiCore::finish(uint32_t pipe)
{
    Pipe &p = pipes_[pipe];
    trace(pipe, list_.steps[p.next]);
    p.busy = false;
    p.front = false;
    p.parameter = kNone;
    if (pipe == TWIN_PIPE_SCALAR) {
        ++walked_;
    } else {
        ++p.next;
        --p.waiting;
    }
}

void AiCore::trace(uint32_t pipe, const twin_step &op)
{
    const Pipe &p = pipes_[pipe];
    const Cycle begin = edge(p.since);
    const Cycle end = edge(time_);
    if (!system_.trace.on() || begin == end)
        return;
    twinsim_trace_entry entry{};
    entry.begin_ns = system_.params.to_ns(begin);
    entry.end_ns = system_.params.to_ns(end);
    if (op.kind == TWIN_STEP_READ || op.kind == TWIN_STEP_WRITE)
        entry.bytes = op.amount;
    entry.number = task_.number;
    entry.parameter = p.parameter;
    entry.id = task_.core;
    entry.sq = task_.sq;
    entry.task_id = task_.task_id;
    entry.device = static_cast<uint8_t>(device_);
    entry.phase = TWINSIM_PHASE_PIPE;
    entry.sqe_type = STARS_SQE_AICORE;
    entry.engine = task_.engine;
    entry.waker_sq = kNone;
    entry.waker_number = task_.block | uint64_t{pipe} << 32;
    system_.trace.whole(entry);
}

} // namespace tsim
