// SPDX-License-Identifier: Apache-2.0
#include "core/engine/block_dispatcher.h"

#include <algorithm>

namespace tsim
{

namespace
{
uint32_t ratio_of(uint64_t aics, uint64_t aivs)
{
    const bool whole = aics != 0 && aivs != 0 && aivs % aics == 0;
    return whole && aivs / aics < CoreTalk::kParts ? static_cast<uint32_t>(aivs / aics) : 0;
}
} // namespace

BlockDispatcher::BlockDispatcher(SystemState &system, uint32_t device, KernelOwner &owner,
                                 uint64_t seed)
    : system_(system), device_(device), owner_(owner),
      aics_(static_cast<uint32_t>(system.params.aic_cores.value)),
      aivs_(static_cast<uint32_t>(system.params.aiv_cores.value)), ratio_(ratio_of(aics_, aivs_)),
      seed_(seed)
{
}

// What programs without kernels have no need of.
void BlockDispatcher::make()
{
    if (!kernels_.empty())
        return;
    const uint32_t count = aics_ + aivs_;
    const uint32_t kernels_most =
        system_.params.ffts_contexts.value == 0 ? kSlots : of_context(kSlots, 0);
    turns_.reserve(kernels_most);
    busy_in_cluster_.assign(aics_, 0);
    talks_.resize(count);
    cores_.reserve(count);
    std::vector<Kernel> kernels(kernels_most);
    if (system_.params.l2_by_address.value != 0 && !routes_)
        routes_ = std::make_unique<const GmRoutes>(system_.params, system_.links, device_);
    for (uint32_t i = static_cast<uint32_t>(cores_.size()); i < count; ++i)
        cores_.push_back(
            {AiCore(system_, device_, timer_of(i),
                    uint64_t{device_} << 32 | kOwner | uint64_t{i} << AiCore::kPartBits,
                    routes_.get()),
             kNone, i, 0, 0, 0, 0, false, false, false});
    kernels_.swap(kernels);
    for (uint32_t i = 0; i < aics_; ++i)
        free_[0].set(i);
    for (uint32_t i = 0; i < aivs_; ++i)
        free_[1].set(i);
    const uint32_t clusters = ratio_ == 0 ? 0 : aics_;
    for (uint32_t i = 0; i < clusters; ++i)
        free_clusters_.set(i);
    free_count_[0] = aics_;
    free_count_[1] = aivs_;
    free_clusters_count_ = clusters;
}

void BlockDispatcher::reset()
{
    for (uint32_t slot = 0; slot < kernels_.size(); ++slot) {
        if (kernels_[slot].used)
            stop(slot);
    }
    next_issue_ = 0;
    for (Core &core : cores_)
        core.warm = false;
    system_.l2[device_].reset();
    system_.calendar.cancel((device_ << SystemState::kDeviceShift) + SystemState::kDispatchTimer);
}

uint32_t BlockDispatcher::room(Kind kind) const
{
    return kind == Kind::kAic ? aics_ : kind == Kind::kAiv ? aivs_ : ratio_ == 0 ? 0 : aics_;
}

// ---- cores -------------------------------------------------------------------------------------

void BlockDispatcher::take(uint32_t core)
{
    const uint32_t kind = core < aics_ ? 0 : 1;
    free_[kind].clear(kind == 0 ? core : core - aics_);
    --free_count_[kind];
    const uint32_t cluster = cluster_of(core);
    if (cluster != kNone && busy_in_cluster_[cluster]++ == 0) {
        free_clusters_.clear(cluster);
        --free_clusters_count_;
    }
}

void BlockDispatcher::give(uint32_t core)
{
    const uint32_t kind = core < aics_ ? 0 : 1;
    free_[kind].set(kind == 0 ? core : core - aics_);
    ++free_count_[kind];
    const uint32_t cluster = cluster_of(core);
    if (cluster != kNone && --busy_in_cluster_[cluster] == 0) {
        free_clusters_.set(cluster);
        ++free_clusters_count_;
    }
    cores_[core].kernel = kNone;
}

// T-CORE-3: the lowest; with a seed any of them (T-TIM-6).
uint32_t BlockDispatcher::pick(const Bitmap &among)
{
    return seed_ == 0 ? among.next(0)
                      : among.nth(static_cast<uint32_t>(mix(seed_) % std::max(among.count(), 1u)));
}

// ---- issue -------------------------------------------------------------------------------------

bool BlockDispatcher::start(uint32_t slot, const Order &order, const twinsim_kernel &work)
{
    const uint64_t each = parts(order.kind);
    if (work.count != 0 &&
        (!work.lists || (work.count != each && work.count != each * order.blocks)))
        return false;
    make();
    Kernel &kernel = kernels_[slot];
    if (!kernel.talk)
        kernel.talk = std::make_unique<LaunchTalk>();
    kernel.order = order;
    kernel.work = work;
    kernel.issued = kernel.running = 0;
    kernel.paused = false;
    kernel.used = true;
    kernel.talk->begin(order.kind == Kind::kAiv ? 0 : order.blocks,
                       order.kind == Kind::kAic   ? 0
                       : order.kind == Kind::kAiv ? order.blocks
                                                  : uint64_t{order.blocks} * ratio_);
    kernel.left = kernel.order.weight = std::max<uint8_t>(order.weight, 1);
    turns_.push_back(static_cast<uint16_t>(slot));
    arm();
    return true;
}

// T-CORE-3, T-CORE-4.
bool BlockDispatcher::can_issue(uint32_t slot) const
{
    const Kernel &kernel = kernels_[slot];
    if (kernel.paused || (exclusive_ != kNone && exclusive_ != slot))
        return false;
    const Kind kind = kernel.order.kind;
    const uint32_t free =
        kind == Kind::kMixed ? free_clusters_count_ : free_count_[kind == Kind::kAic ? 0 : 1];
    if (kernel.order.batch && exclusive_ != slot)
        return free >= kernel.order.blocks - kernel.issued;
    return free != 0;
}

// T-CORE-5: place in the turns of the one that issues next.
uint32_t BlockDispatcher::next_kernel() const
{
    for (uint32_t i = 0; i < turns_.size(); ++i) {
        if (can_issue(turns_[i]))
            return i;
    }
    return kNone;
}

void BlockDispatcher::arm()
{
    const uint32_t id = (device_ << SystemState::kDeviceShift) + SystemState::kDispatchTimer;
    if (turns_.empty() || system_.calendar.pending(id) || next_kernel() == kNone)
        return;
    system_.calendar.schedule(id, std::max(system_.now, next_issue_), Rank::kArbiter);
}

void BlockDispatcher::fire()
{
    const uint32_t place = next_kernel();
    if (place == kNone)
        return;
    next_issue_ = system_.now + system_.params.core_issue.value;
    issue(place);
    arm();
}

void BlockDispatcher::issue(uint32_t place)
{
    const uint32_t slot = turns_[place];
    Kernel &kernel = kernels_[slot];
    const uint32_t block = kernel.issued++;
    ++kernel.running;
    if (kernel.order.kind == Kind::kMixed) {
        const uint32_t aic = pick(free_clusters_);
        talks_[aic].begin(1 + ratio_);
        seat(aic, aic, slot, block, 0);
        for (uint32_t i = 0; i < ratio_; ++i)
            seat(first_aiv() + aic * ratio_ + i, aic, slot, block, 1 + i);
        cores_[aic].unfinished = 1 + ratio_;
    } else {
        const uint32_t kind = kernel.order.kind == Kind::kAic ? 0 : 1;
        const uint32_t core = pick(free_[kind]) + (kind == 0 ? 0 : first_aiv());
        talks_[core].begin(1);
        seat(core, core, slot, block, 0);
        cores_[core].unfinished = 1;
    }

    const bool last = kernel.issued == kernel.order.blocks;
    exclusive_ = kernel.order.batch && !last ? slot : kNone;
    const auto at = turns_.begin() + place;
    if (last) {
        turns_.erase(at);
    } else if (--kernel.left == 0) {
        kernel.left = kernel.order.weight;
        std::rotate(at, at + 1, turns_.end());
    }
    if (block == 0)
        owner_.first_block(slot, kernel.order.sq);
}

// T-CORE-25.
Cycle BlockDispatcher::decision_of(Core &core, uint32_t index) const
{
    const Params &p = system_.params;
    if (core.warm || p.core_cold_most.value == 0)
        return p.core_dispatch.value;
    core.warm = true;
    if (system_.seed == 0)
        return p.core_cold_half.value;
    const uint64_t draw =
        random_number(system_.seed, uint64_t{device_} << 32 | index, kColdUse) % 1000;
    const auto between = [draw](uint64_t from, const Setting &low, uint64_t to,
                                const Setting &high) {
        const uint64_t rise = high.value > low.value ? high.value - low.value : 0;
        return low.value + rise * (draw - from) / (to - from);
    };
    return draw < 500   ? between(0, p.core_cold_least, 500, p.core_cold_half)
           : draw < 750 ? between(500, p.core_cold_half, 750, p.core_cold_quarter)
                        : between(750, p.core_cold_quarter, 1000, p.core_cold_most);
}

// T-CORE-24.
Cycle BlockDispatcher::crowd_of(const Kernel &kernel, uint32_t block) const
{
    const uint64_t all = std::max(aics_, aivs_);
    const uint64_t at_once = kernel.order.kind == Kind::kAiv ? aivs_ : aics_;
    if (all < 2 || block >= at_once)
        return 0;
    const uint64_t first = std::min<uint64_t>(kernel.order.blocks, at_once);
    const uint64_t used = std::min(first * parts(kernel.order.kind), all);
    return system_.params.core_crowd.value * (used - 1) / (all - 1);
}

// T-CORE-7: the core is the block's from now on; its step list begins later.
void BlockDispatcher::seat(uint32_t index, uint32_t leader, uint32_t slot, uint32_t block,
                           uint32_t part)
{
    const Params &p = system_.params;
    Core &core = cores_[index];
    const Order &order = kernels_[slot].order;
    take(index);
    core.kernel = slot;
    core.leader = leader;
    core.issued = system_.now;
    core.started = core.ended = false;
    core.unit.assign({order.number, static_cast<uint16_t>(order.sq), order.task_id,
                      static_cast<uint8_t>(index < aics_ ? TWINSIM_ENGINE_AIC : TWINSIM_ENGINE_AIV),
                      index < aics_ ? index : index - aics_, block, part});
    core.decision = decision_of(core, index);
    core.crowd = crowd_of(kernels_[slot], block);
    system_.calendar.schedule(timer_of(index),
                              system_.now + core.decision + p.core_init.value +
                                  p.core_software.value + core.crowd,
                              Rank::kHostDma);
}

// ---- blocks ------------------------------------------------------------------------------------

void BlockDispatcher::begin(uint32_t index)
{
    Core &core = cores_[index];
    const Params &p = system_.params;
    const Kernel &kernel = kernels_[core.kernel];
    const Cycle decided = core.issued + core.decision;
    const Cycle ready = decided + p.core_init.value;
    const Cycle crowded = ready + p.core_software.value;
    trace(core, TWINSIM_PHASE_START, core.issued, decided,
          core.decision == p.core_dispatch.value ? p.core_dispatch.index : p.core_cold_half.index);
    trace(core, TWINSIM_PHASE_START, decided, ready, p.core_init.index);
    trace(core, TWINSIM_PHASE_START, ready, crowded, p.core_software.index);
    trace(core, TWINSIM_PHASE_START, crowded, system_.now, p.core_crowd.index);
    core.started = true;
    const uint64_t each = parts(kernel.order.kind);
    const AiCore::Task &task = core.unit.task();
    const uint64_t which =
        task.part + (kernel.work.count > each ? each * uint64_t{task.block} : uint64_t{0});
    const twin_steps list = kernel.work.count == 0 ? twin_steps{} : kernel.work.lists[which];
    outcome(index, core.unit.begin(list, talks_[core.leader], *kernel.talk));
}

void BlockDispatcher::fire_core(uint32_t core)
{
    if (!cores_[core].started)
        begin(core);
    else
        outcome(core, cores_[core].unit.advance());
}

void BlockDispatcher::transfer_done(uint32_t who)
{
    const uint32_t core = (who & ~kOwner) >> AiCore::kPartBits;
    if (cores_[core].kernel == kNone) // stopped in this cycle
        return;
    outcome(core, cores_[core].unit.part_done(who & ((1u << AiCore::kPartBits) - 1)));
}

// T-CORE-18: the others of the block see the flags that this one has set, until none sets any more.
void BlockDispatcher::pass_on(uint32_t leader)
{
    CoreTalk &talk = talks_[leader];
    talk.passing = true;
    while (talk.changed) {
        talk.changed = false;
        for (uint32_t part = 0; part <= ratio_; ++part) {
            const uint32_t other = part == 0 ? leader : first_aiv() + leader * ratio_ + part - 1;
            Core &core = cores_[other];
            if (!core.started || core.ended)
                continue;
            outcome(other, core.unit.listen());
            if (cores_[leader].kernel == kNone) // the block has ended
                return;
        }
    }
    talk.passing = false;
}

// T-CORE-26: flags that all cores of a kind have set are raised on each of them, until no core sets
// another.
void BlockDispatcher::pass_on_launch(uint32_t slot)
{
    const Kernel &kernel = kernels_[slot];
    LaunchTalk &talk = *kernel.talk;
    std::vector<LaunchTalk::Raised> raised;
    talk.passing = true;
    while (!talk.raised.empty()) {
        raised.clear();
        raised.swap(talk.raised);
        for (uint32_t i = 0; i < cores_.size(); ++i) {
            const Core &core = cores_[i];
            if (core.kernel != slot || !core.started || core.ended)
                continue;
            for (const LaunchTalk::Raised &one : raised) {
                if (one.aiv == (i >= aics_))
                    talks_[core.leader].raise(core.unit.task().part, one.flag, system_.now);
            }
        }
        for (uint32_t i = 0; i < cores_.size(); ++i) {
            if (cores_[i].kernel != slot || !cores_[i].started || cores_[i].ended)
                continue;
            outcome(i, cores_[i].unit.listen());
            if (!kernel.used) // it has ended
                return;
        }
    }
    talk.passing = false;
}

void BlockDispatcher::outcome(uint32_t index, AiCore::Outcome what)
{
    Core &core = cores_[index];
    const uint32_t slot = core.kernel;
    if (what == AiCore::Outcome::kFault) {
        const uint32_t sq = kernels_[slot].order.sq;
        const twinsim_kernel &work = kernels_[slot].work;
        twinsim_kernel_fault fault = core.unit.fault();
        if (fault == TWINSIM_KERNEL_EXCEPTION && work.exception != TWINSIM_KERNEL_GOOD)
            fault = work.exception; // T-FLT-18
        stop(slot);
        owner_.kernel_failed(slot, sq, fault);
        return;
    }
    if (what == AiCore::Outcome::kEnded) {
        core.ended = true;
        if (--cores_[core.leader].unfinished == 0)
            block_ended(core.leader);
    }
    const CoreTalk &talk = talks_[core.leader];
    if (core.kernel == slot && talk.parts > 1 && talk.changed && !talk.passing)
        pass_on(core.leader);
    const Kernel &kernel = kernels_[slot];
    if (kernel.used && !kernel.talk->raised.empty() && !kernel.talk->passing)
        pass_on_launch(slot);
}

void BlockDispatcher::block_ended(uint32_t leader)
{
    const uint32_t slot = cores_[leader].kernel;
    Kernel &kernel = kernels_[slot];
    const uint32_t others = kernel.order.kind == Kind::kMixed ? ratio_ : 0;
    for (uint32_t i = 0; i <= others; ++i) {
        const uint32_t index = i == 0 ? leader : first_aiv() + leader * ratio_ + i - 1;
        trace(cores_[index], TWINSIM_PHASE_BLOCK, cores_[index].issued, system_.now, kNone);
        give(index);
    }
    --kernel.running;
    const uint32_t sq = kernel.order.sq;
    const bool rests = kernel.running == 0;
    if (rests && kernel.issued == kernel.order.blocks) {
        if (owner_.blocks_ended(slot, sq)) // the description is still there
            clear(slot);
    } else if (rests && kernel.paused) {
        owner_.kernel_rests(slot, sq);
    }
    arm();
}

// ---- the end of a kernel -----------------------------------------------------------------------

void BlockDispatcher::clear(uint32_t slot)
{
    kernels_[slot].used = false;
    end_description(kernels_[slot].order);
}

void BlockDispatcher::end_description(const Order &order) const
{
    const twinsim_bus &bus = system_.bus;
    if (bus.kernel_end)
        bus.kernel_end(bus.context, device_, order.sq, order.number, order.context);
}

void BlockDispatcher::leave_turns(uint32_t slot)
{
    const auto at = std::find(turns_.begin(), turns_.end(), static_cast<uint16_t>(slot));
    if (at != turns_.end())
        turns_.erase(at);
    if (exclusive_ == slot)
        exclusive_ = kNone;
}

// T-CORE-12.
void BlockDispatcher::stop(uint32_t slot)
{
    for (uint32_t i = 0; i < cores_.size(); ++i) {
        Core &core = cores_[i];
        if (core.kernel != slot)
            continue;
        core.unit.stop();
        trace(core, TWINSIM_PHASE_BLOCK, core.issued, system_.now, kNone);
        give(i);
    }
    leave_turns(slot);
    clear(slot);
    arm();
}

// T-CORE-13.
bool BlockDispatcher::pause(uint32_t slot)
{
    Kernel &kernel = kernels_[slot];
    kernel.paused = true;
    if (exclusive_ == slot)
        exclusive_ = kNone;
    arm();
    return kernel.running == 0 && kernel.issued != kernel.order.blocks;
}

void BlockDispatcher::resume(uint32_t slot)
{
    kernels_[slot].paused = false;
    arm();
}

void BlockDispatcher::trace(const Core &core, twinsim_phase phase, Cycle begin, Cycle end,
                            uint32_t parameter)
{
    if (!system_.trace.on() || begin == end)
        return;
    const AiCore::Task &task = core.unit.task();
    twinsim_trace_entry entry{};
    entry.begin_ns = system_.params.to_ns(begin);
    entry.end_ns = system_.params.to_ns(end);
    entry.number = task.number;
    entry.parameter = parameter;
    entry.id = task.core;
    entry.sq = task.sq;
    entry.task_id = task.task_id;
    entry.device = static_cast<uint8_t>(device_);
    entry.phase = static_cast<uint8_t>(phase);
    entry.sqe_type = STARS_SQE_AICORE;
    entry.engine = task.engine;
    entry.waker_sq = kNone;
    entry.waker_number = task.block;
    system_.trace.whole(entry);
}

} // namespace tsim
