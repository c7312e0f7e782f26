// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/dma_lists.h"

#include <algorithm>
#include <cstring>

namespace tsim
{

namespace
{

[[nodiscard]] uint64_t wide(const stars_dma_descriptor &entry, unsigned word)
{
    return uint64_t{entry.word[word]} | uint64_t{entry.word[word + 1]} << 32;
}

/// T-DMA-42: whether an entry has to wait for earlier ones of a kind that its barriers name.
[[nodiscard]] bool held_back(const stars_dma_descriptor &entry, const DmaList &list)
{
    const uint32_t bits = entry.word[0];
    return ((bits & STARS_DMA_WRITE_BARRIER) != 0 && list.open[STARS_DMA_WRITE] != 0) ||
           ((bits & STARS_DMA_READ_BARRIER) != 0 && list.open[STARS_DMA_READ] != 0) ||
           ((bits & STARS_DMA_LOOP_BARRIER) != 0 && list.open[STARS_DMA_LOOP] != 0) ||
           ((bits & STARS_DMA_SMALL_BARRIER) != 0 && list.open[STARS_DMA_SMALL] != 0);
}

/// Nothing of it moves, and nothing of it is left to begin.
[[nodiscard]] bool is_over(const DmaJob &job, const DmaList &list)
{
    return list.moving == 0 && (job.row != kNone || list.next == job.rows);
}

/// T-DMA-44: whether an entry moves bytes in the direction that its operation states.
[[nodiscard]] bool direction_matches(uint32_t operation, const DmaJob &job, const twinsim_bus &bus,
                                     uint32_t device)
{
    enum class Side { kOwn, kPeer, kHost };
    const auto side_of = [&](uint64_t address) {
        twinsim_target target = TWINSIM_TARGET_NONE;
        uint32_t owner = device;
        const bool hbm = leads_to(bus, device, address, job.bytes, &target, &owner) &&
                         target == TWINSIM_TARGET_HBM;
        return !hbm ? Side::kHost : owner == device ? Side::kOwn : Side::kPeer;
    };
    const Side from = side_of(job.src);
    const Side to = side_of(job.dst);
    return operation == STARS_DMA_SMALL || (operation == STARS_DMA_READ && to < from) ||
           (operation == STARS_DMA_WRITE && from < to) ||
           (operation == STARS_DMA_LOOP && from == Side::kOwn && to == Side::kOwn);
}

} // namespace

// T-DMA-41: the first line is asked for at once.
TaskEnd DmaLists::start(uint32_t sq, DmaJob &job)
{
    QueueRow &q = queues_[sq];
    const Params &p = system_.params;
    DmaList &list = lists_[q.channel];
    list = {};
    list.sq = sq;
    list.ready = system_.now + p.list_read.value;
    list.turn = list.begun = system_.now;
    list.limit = progress_.due(sq, SqeOp::kMove, SqeNext::kLimit,
                               limit_from(system_.now, credit_time(queues_.sqe(sq), p)));
    q.state = QueueState::kTransfer;
    return turn(sq, job);
}

TaskEnd DmaLists::turn(uint32_t sq, DmaJob &job)
{
    QueueRow &q = queues_[sq];
    DmaList &list = lists_[q.channel];
    const Params &p = system_.params;
    const auto wait_until = [&](Cycle time) {
        queues_.at(sq, std::min(time, list.limit), QueueStep::kList);
        return TaskEnd{};
    };
    if (system_.now >= list.limit && !is_over(job, list)) {
        stop(sq, job);
        return {true, STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT};
    }
    for (;;) {
        if (job.row != kNone || list.next == job.rows) {
            if (list.moving != 0)
                break;
            return finish(sq, job);
        }
        if (list.next == list.line_end) {
            if (list.ready > system_.now)
                return wait_until(list.ready);
            trace_.note(sq, {TWINSIM_PHASE_SETUP, q.phase_begin, p.list_read.index, q.channel});
            if (!read_line(sq, job))
                continue;
        }
        if (list.turn > system_.now)
            return wait_until(list.turn);
        const stars_dma_descriptor &entry = list.line[list.next - list.line_begin];
        if (!list.small && (held_back(entry, list) || list.moving == p.list_moving.value))
            break;
        begin_entry(sq, job, entry);
        q.phase_begin = system_.now;
    }
    // Nothing to do before an entry completes.
    if (list.limit != kNever)
        return wait_until(list.limit);
    queues_.cancel(sq);
    return {};
}

// T-DMA-41: what the line holds now; the next one is asked for. False: it is a fault.
bool DmaLists::read_line(uint32_t sq, DmaJob &job)
{
    DmaList &list = lists_[queues_[sq].channel];
    const Params &p = system_.params;
    const auto count =
        static_cast<uint32_t>(std::min<uint64_t>(p.list_window.value, job.rows - list.next));
    twinsim_target target = TWINSIM_TARGET_NONE;
    uint32_t owner = queues_.device;
    const void *from =
        system_.bus.translate(system_.bus.context, queues_.device,
                              job.src + uint64_t{list.next} * sizeof(stars_dma_descriptor),
                              count * sizeof(stars_dma_descriptor), TWINSIM_READ, &target, &owner);
    if (!from) {
        job.row = list.next;
        list.status = system_.refusal();
        return false;
    }
    std::memcpy(list.line.data(), from, count * sizeof(stars_dma_descriptor));
    list.line_begin = list.next;
    list.line_end = list.next + count;
    list.ready = system_.now + p.list_read.value;
    return true;
}

// T-DMA-42, T-DMA-43, T-DMA-44: one entry begins to move its bytes, or the list ends at it.
void DmaLists::begin_entry(uint32_t sq, DmaJob &job, const stars_dma_descriptor &entry)
{
    const QueueRow &q = queues_[sq];
    DmaList &list = lists_[q.channel];
    const uint32_t number = list.next++;
    list.turn = system_.now + system_.params.list_start.value;
    const auto end_with = [&](uint32_t at, uint16_t status) {
        job.row = at;
        list.status = status;
    };

    uint32_t operation = entry.word[0] & STARS_DMA_OP_MASK;
    DmaJob move;
    if (list.small) { // the bytes of a small packet: out of the list itself
        operation = STARS_DMA_SMALL;
        move.src = job.src + uint64_t{number} * sizeof(stars_dma_descriptor);
        move.dst = list.small_dst;
        move.bytes = list.small_bytes;
        list.small = false;
    } else {
        move.src = wide(entry, 4);
        move.dst = wide(entry, 6);
        move.bytes = entry.word[3];
        const bool small = operation == STARS_DMA_SMALL;
        if (move.bytes == 0 || operation < STARS_DMA_SMALL || operation > STARS_DMA_LOOP ||
            (small && (move.bytes > STARS_DMA_SMALL_MOST || list.next == job.rows))) {
            end_with(number, STARS_STATUS_BAD_SQE);
            return;
        }
        if (small) {
            list.small = true;
            list.small_bytes = static_cast<uint32_t>(move.bytes);
            list.small_dst = move.dst;
            return;
        }
    }
    move.route = find_route(move, system_.bus, system_.links, queues_.device, true);
    if (move.route == kNone) {
        end_with(number, STARS_STATUS_BUS_FAULT);
        return;
    }
    if (!direction_matches(operation, move, system_.bus, queues_.device)) {
        end_with(number, STARS_STATUS_BAD_SQE);
        return;
    }
    move.route = ceiling_.of(move.route);
    uint32_t place = 0;
    while (list.moves[place].transfer != kNone)
        ++place;
    const uint32_t transfer =
        system_.links.start(system_.now, move.route, move.bytes,
                            uint64_t{queues_.device} << 32 | DmaList::kOwner |
                                uint32_t{q.channel} << DmaList::kChannelShift | place);
    system_.links_changed();
    if (__builtin_expect(system_.seed != 0, 0) && !queues_.is_faulted(sq) &&
        (random_number(system_.seed, queues_.occasion(sq) + (uint64_t{number} << 32), kEffectUse) &
         1) != 0) {
        apply(move, system_, queues_.device); // T-DMA-30
        move.made = true;
    }
    list.moves[place] = {move, transfer, number, operation, system_.now};
    ++list.open[operation];
    ++list.moving;
}

// T-DMA-5 for one entry.
TaskEnd DmaLists::transfer_done(uint32_t who, DmaJob &job)
{
    DmaList &list = lists_[who >> DmaList::kChannelShift];
    DmaList::Move &move = list.moves[who & ((1u << DmaList::kChannelShift) - 1)];
    const uint32_t sq = list.sq;
    trace_.note(sq, {TWINSIM_PHASE_TRANSFER, move.begun, system_.links.parameter(move.job.route),
                     queues_[sq].channel, move.job.bytes});
    move.transfer = kNone;
    --list.open[move.operation];
    --list.moving;
    // T-FLT-6: the engine will end with an error and memory keep what it had, if the list comes to
    // its end.
    if (queues_.is_faulted(sq) && faults_.will_act(sq, TWINSIM_FAULT_ENGINE_ERROR))
        list.kept.push_back(move);
    else if (!move.job.made)
        apply(move.job, system_, queues_.device);
    if (move.job.status == 0) {
        job.bytes += move.job.bytes;
    } else if (move.entry < job.row) { // kNone is larger than all
        job.row = move.entry;
        list.status = move.job.status;
    }
    queues_[sq].phase_begin = system_.now;
    // T-TIM-3: others of this instant are complete too; then comes the timer, which is set to the
    // limit.
    return system_.now < list.limit || is_over(job, list) ? turn(sq, job) : TaskEnd{};
}

// T-FLT-19: the list ends otherwise, so its entries have their effect after all.
void DmaLists::give_kept(DmaJob &job, DmaList &list)
{
    for (DmaList::Move &move : list.kept) {
        apply(move.job, system_, queues_.device);
        if (move.job.status == 0)
            continue;
        job.bytes -= move.job.bytes;
        if (move.entry < job.row) {
            job.row = move.entry;
            list.status = move.job.status;
        }
    }
    list.kept.clear();
}

// T-DMA-45. T-FLT-8: a slow engine completes later than the bytes, or its credit passes; T-FLT-6.
TaskEnd DmaLists::finish(uint32_t sq, DmaJob &job)
{
    DmaList &list = lists_[queues_[sq].channel];
    const bool good = job.row == kNone;
    if (queues_.is_faulted(sq) && good) {
        FaultPlan::Effect &effect = faults_.effect(sq);
        if (effect.slow_permille > 1000 && !effect.stretched) {
            effect.stretched = true;
            const Cycle end = list.begun + faults_.slowed(sq, system_.now - list.begun);
            queues_.at(sq, std::min(end, list.limit), QueueStep::kStretched);
            return {};
        }
        if (effect.stretched && system_.now >= list.limit) {
            give_kept(job, list);
            return {true, STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT};
        }
        if (faults_.acts(sq, TWINSIM_FAULT_ENGINE_ERROR))
            return {true, effect.error, effect.status};
    }
    give_kept(job, list);
    if (good)
        return {true};
    const bool bad = list.status == STARS_STATUS_BAD_SQE;
    return {true, static_cast<uint8_t>(bad ? STARS_ERROR_BAD_SQE : STARS_ERROR_EXCEPTION),
            list.status};
}

void DmaLists::stop(uint32_t sq, DmaJob &job)
{
    DmaList &list = lists_[queues_[sq].channel];
    for (DmaList::Move &move : list.moves) {
        if (move.transfer != kNone)
            system_.links.cancel(system_.now, move.transfer);
        move.transfer = kNone;
    }
    give_kept(job, list);
    system_.links_changed();
}

} // namespace tsim
