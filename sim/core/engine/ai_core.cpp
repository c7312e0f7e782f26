// SPDX-License-Identifier: Apache-2.0
#include "core/engine/ai_core.h"

#include <algorithm>

namespace tsim
{

namespace
{
// Longer accesses count as ones without an address (T-L2-1): no copy of a kernel is as long, and
// looking them up would take the host long.
constexpr uint64_t kPlacedMost = 1 << 24;
} // namespace

AiCore::AiCore(SystemState &system, uint32_t device, uint32_t timer, uint64_t owner,
               const GmRoutes *routes)
    : system_(system), device_(device), timer_(timer), owner_(owner), routes_(routes)
{
}

// ---- flags between cores -----------------------------------------------------------------------

bool CoreTalk::meet(Counts &counts, uint32_t part, uint32_t flag)
{
    used = true;
    ++counts[part][flag];
    for (uint32_t i = 1; i < parts; ++i) {
        if (counts[i][flag] == 0)
            return false;
    }
    for (uint32_t i = 1; i < parts; ++i)
        --counts[i][flag];
    return true;
}

void LaunchTalk::begin(uint64_t aics, uint64_t aivs)
{
    if (used_)
        rows_ = {};
    used_ = false;
    cores_ = {aics, aivs};
    raised.clear();
    passing = false;
}

void LaunchTalk::set(bool aiv, uint64_t core, uint32_t flag)
{
    Row &row = rows_[aiv ? 1 : 0][flag];
    used_ = true;
    if (row.counts.size() <= core)
        row.counts.resize(core + 1);
    row.present += row.counts[core]++ == 0 ? 1 : 0;
    if (row.present != cores_[aiv ? 1 : 0])
        return;
    for (uint32_t &count : row.counts) {
        if (count != 0 && --count == 0)
            --row.present;
    }
    raised.push_back({aiv, flag});
}

// ---- a block -----------------------------------------------------------------------------------

AiCore::Outcome AiCore::begin(const twin_steps &list, CoreTalk &talk, LaunchTalk &launch)
{
    list_ = list;
    talk_ = &talk;
    launch_ = &launch;
    fault_ = TWINSIM_KERNEL_GOOD;
    walked_ = 0;
    pipes_.fill({});
    flew_ = false;
    late_.clear();
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
    const uint32_t pipe = low >> 2;
    Pipe &p = pipes_[pipe];
    p.transfers[low & 3] = kNone;
    if (--p.parts != 0 || fault_ != TWINSIM_KERNEL_GOOD)
        return settle();
    Fine end = std::max(now(), p.served); // T-L2-6
    p.served = 0;
    if (pipe == TWIN_PIPE_SCALAR) { // it waits for what it reads (T-CORE-22)
        end += p.latency;
        p.latency = 0;
    }
    if (end > now()) {
        p.until = end;
        return settle();
    }
    time_ = now();
    finish(pipe);
    progress();
    return settle();
}

void AiCore::stop()
{
    system_.calendar.cancel(timer_);
    bool any = false;
    for (uint32_t i = 0; i < pipes_.size(); ++i) {
        for (uint32_t part = 0; part < kParts; ++part) {
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
    uint32_t late, pipe;
    if (flew_)
        next = std::min(next, next_landing(late, pipe));
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
        if (flew_ && land(first == kNone ? now() : pipes_[first].until))
            continue;
        if (first == kNone)
            return;
        time_ = pipes_[first].until;
        finish(first);
        progress();
    }
}

// The next flag that is late, or pipe whose queue is empty and whose reads are still under way.
AiCore::Fine AiCore::next_landing(uint32_t &late, uint32_t &pipe) const
{
    Fine next = ~Fine{0};
    late = pipe = kNone;
    for (uint32_t i = 0; i < late_.size(); ++i) {
        if (late_[i].at < next) {
            next = late_[i].at;
            late = i;
        }
    }
    for (uint32_t i = 0; i < pipes_.size(); ++i) {
        if (pipes_[i].waiting == 0 && pipes_[i].landed > time_ && pipes_[i].landed < next) {
            next = pipes_[i].landed;
            pipe = i;
        }
    }
    return next;
}

// T-CORE-22: what lands first, if it does so up to `limit`. Returns whether something did.
bool AiCore::land(Fine limit)
{
    uint32_t late, pipe;
    const Fine at = next_landing(late, pipe);
    if (at > limit)
        return false;
    time_ = std::max(time_, at);
    if (pipe != kNone) {
        pipes_[pipe].landed = 0;
    } else {
        const twin_step op = late_[late].op;
        late_.erase(late_.begin() + late);
        (void)raise(op);
    }
    progress();
    return true;
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
        if (pipes_[i].waiting != 0 || pipes_[i].landed > time_)
            return false;
    }
    return late_.empty();
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
        p.until = time_ + core_cycles(op.amount);
        p.parameter = params.core_mhz.index;
        p.busy = true;
        return Step::kStarted;
    }
    case TWIN_STEP_READ:
    case TWIN_STEP_WRITE:
        return move(pipe, op);
    case TWIN_STEP_SET:
    case TWIN_STEP_CROSS_CORE_SET:
        return set(pipe, op);
    case TWIN_STEP_WAIT:
        if (op.flag >= TWIN_STEP_FLAGS)
            return fail(TWINSIM_KERNEL_BAD);
        if (flags_[op.flag] == 0)
            return Step::kBlocked;
        --flags_[op.flag];
        return Step::kPassed;
    case TWIN_STEP_BARRIER: // T-CORE-17
        return pipe != TWIN_PIPE_SCALAR || drained() ? Step::kPassed : Step::kBlocked;
    case TWIN_STEP_CROSS_CORE_WAIT:
        return wait_cross_core(pipe, op);
    case TWIN_STEP_FAULT:
        if (op.amount < TWINSIM_KERNEL_EXCEPTION || op.amount > TWINSIM_KERNEL_TIMEOUT)
            return fail(TWINSIM_KERNEL_BAD);
        return fail(static_cast<twinsim_kernel_fault>(op.amount));
    case TWIN_STEP_COUNT: // T-CORE-27
        if (op.flag >= TWIN_COUNT_KINDS || op.amount > TWIN_STEP_MOST)
            return fail(TWINSIM_KERNEL_BAD);
        return Step::kPassed;
    default:
        return fail(TWINSIM_KERNEL_BAD);
    }
}

AiCore::Fine AiCore::core_cycles(uint64_t cycles) const
{
    const Params &params = system_.params;
    return (static_cast<Fine>(cycles) * 1000 << kFine) / (params.core_mhz.value * params.cycle_ns);
}

// T-CORE-22: the pipe goes on, the flag waits.
AiCore::Step AiCore::set(uint32_t pipe, const twin_step &op)
{
    if (pipes_[pipe].landed <= time_)
        return raise(op);
    late_.push_back({pipes_[pipe].landed, op});
    return Step::kPassed;
}

// T-CORE-16.
AiCore::Step AiCore::raise(const twin_step &op)
{
    if (op.kind == TWIN_STEP_CROSS_CORE_SET)
        return set_cross_core(op);
    if (op.flag >= TWIN_STEP_FLAGS || flags_[op.flag] == UINT32_MAX)
        return fail(TWINSIM_KERNEL_BAD);
    ++flags_[op.flag];
    flagged_ = true;
    return Step::kPassed;
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
    if (routes_ && op.address != 0 && !in_host && op.amount <= kPlacedMost)
        return move_placed(pipe, op);
    const bool write = op.kind == TWIN_STEP_WRITE;
    const uint64_t first = in_host ? op.amount : op.amount * permille / 1000;
    const uint32_t routes[2] = {in_host ? links.core_host(device_, write)
                                        : links.core_hit(device_, write),
                                links.core_miss(device_)};
    const uint64_t bytes[2] = {first, op.amount - first};
    p.parts = 0;
    p.hit = in_host ? 0 : first;
    for (uint32_t i = 0; i < 2; ++i)
        start(pipe, i, routes[i], bytes[i]);
    system_.links_changed();
    p.busy = true;
    return Step::kStarted;
}

void AiCore::start(uint32_t pipe, uint32_t part, uint32_t route, uint64_t bytes)
{
    if (bytes == 0)
        return;
    Pipe &p = pipes_[pipe];
    p.transfers[part] = system_.links.start(system_.now, route, bytes, owner_of(pipe, part));
    p.parameter = system_.links.parameter(route);
    ++p.parts;
}

// T-CORE-22, T-CORE-23, T-L2-7: what L2 has, what it gets, and what HBM carries beside that.
AiCore::Step AiCore::move_placed(uint32_t pipe, const twin_step &op)
{
    const Params &params = system_.params;
    const bool write = op.kind == TWIN_STEP_WRITE;
    const bool once = (op.flag & TWIN_STEP_ONCE) != 0;
    const uint64_t row = op.row_bytes == 0 ? op.amount : op.row_bytes;
    if (op.amount % row != 0 || (op.row_bytes != 0 && op.pitch < row))
        return fail(TWINSIM_KERNEL_BAD);
    L2Cache::Outcome out;
    system_.l2[device_].access(
        {op.address, row, op.amount / row, op.pitch}, write, once,
        {system_.now << L2Cache::kFraction,
         (params.l2_sector.value * 1000 << L2Cache::kFraction) /
             (params.core_l2_read.value * params.core_mhz.value * params.cycle_ns),
         timer_},
        out);
    const uint64_t served = write && !once ? op.amount : out.hit;
    const uint64_t rows = served == op.amount ? 0 : out.rows; // that HBM serves
    const uint64_t spread = op.row_bytes == 0 ? op.address : op.address | op.pitch;
    const bool aligned = spread % params.l2_sector.value == 0;
    const GmRoutes::Way way = write ? pipe == TWIN_PIPE_FIX ? GmRoutes::kFromL0c : GmRoutes::kFromUb
                              : task_.engine == TWINSIM_ENGINE_AIC ? GmRoutes::kToL1
                                                                   : GmRoutes::kToUb;
    Pipe &p = pipes_[pipe];
    p.parts = 0;
    p.hit = served;
    // The one that is given last names the parameter.
    start(pipe, 2, routes_->beside, out.rest + out.returned + rows * params.hbm_row.value);
    start(pipe, 0, routes_->hit[aligned ? 1 : 0][way], served);
    start(pipe, 1, routes_->miss[aligned ? 1 : 0], op.amount - served);
    system_.links_changed();
    if (system_.counters)
        system_.counters->l2(device_, write, out.hit, out.miss);
    p.served = static_cast<Fine>(out.served) << (kFine - L2Cache::kFraction);
    if (!write)
        p.latency = core_cycles(params.l2_hit_latency.value +
                                (out.miss != 0 ? params.l2_miss_latency.value : 0));
    p.busy = true;
    return Step::kStarted;
}

// T-CORE-18, T-CORE-26.
AiCore::Step AiCore::set_cross_core(const twin_step &op)
{
    const uint32_t part = task_.part;
    const bool mixed = talk_->parts > 1;
    if (op.flag >= TWIN_STEP_CROSS_CORE_FLAGS)
        return fail(TWINSIM_KERNEL_BAD);
    if (op.amount == TWIN_STEP_TO_LAUNCH) {
        const bool aiv = task_.engine == TWINSIM_ENGINE_AIV;
        const uint64_t number =
            aiv && mixed ? uint64_t{task_.block} * (talk_->parts - 1) + part - 1 : task_.block;
        launch_->set(aiv, number, op.flag);
        return Step::kPassed;
    }
    if (!mixed || op.amount > TWIN_STEP_TO_LAUNCH || (op.amount != TWIN_STEP_TO_BLOCK && part == 0))
        return fail(TWINSIM_KERNEL_BAD);
    const bool to_vectors = part == 0 || op.amount == TWIN_STEP_TO_VECTORS;
    if (part != 0 && !talk_->meet(to_vectors ? talk_->vector_set : talk_->set, part, op.flag))
        return Step::kPassed;
    if (!to_vectors)
        talk_->raise(0, op.flag, system_.now);
    for (uint32_t i = 1; to_vectors && i < talk_->parts; ++i)
        talk_->raise(i, op.flag, system_.now);
    return Step::kPassed;
}

AiCore::Step AiCore::wait_cross_core(uint32_t pipe, const twin_step &op)
{
    if (op.flag >= TWIN_STEP_CROSS_CORE_FLAGS)
        return fail(TWINSIM_KERNEL_BAD);
    CoreTalk::Word &word = talk_->flags[task_.part][op.flag];
    if (word.count == 0)
        return Step::kBlocked;
    --word.count;
    const Fine at = static_cast<Fine>(word.newest) << kFine;
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
    if (p.latency != 0) {
        p.landed = std::max(p.landed, time_ + p.latency);
        p.latency = 0;
        flew_ = true;
    }
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
    const bool moves = op.kind == TWIN_STEP_READ || op.kind == TWIN_STEP_WRITE;
    if (!system_.trace.on() || (begin == end && op.kind != TWIN_STEP_COUNT))
        return;
    twinsim_trace_entry entry{};
    entry.begin_ns = system_.params.to_ns(begin);
    entry.end_ns = system_.params.to_ns(end);
    if (moves || op.kind == TWIN_STEP_COUNT)
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
    uint32_t flag = op.flag;
    if (moves) {
        const uint64_t spread = op.row_bytes == 0 ? op.address : op.address | op.pitch;
        flag |= spread % system_.params.l2_sector.value != 0 ? TWINSIM_PIPE_UNALIGNED : 0;
        entry.waker_sq = op.row_bytes;
        entry.l2_bytes = static_cast<uint32_t>(std::min(p.hit, uint64_t{UINT32_MAX}));
    }
    entry.waker_number =
        task_.block | uint64_t{pipe} << 32 | uint64_t{op.kind} << 40 | uint64_t{flag} << 48;
    system_.trace.whole(entry);
}

} // namespace tsim
