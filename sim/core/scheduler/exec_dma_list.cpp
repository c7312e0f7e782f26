// SPDX-License-Identifier: Apache-2.0
/// A PCIe DMA task with a list of descriptors. Rules T-DMA-40 to T-DMA-46.
#include <algorithm>
#include <cstring>

#include "core/scheduler/task_scheduler.h"

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

/// T-DMA-44: which way an entry moves bytes, against what it says.
[[nodiscard]] bool runs_as_told(uint32_t operation, const DmaJob &job, const twinsim_bus &bus,
                                uint32_t device)
{
    enum class Side { kOwn, kPeer, kHost };
    const auto side_of = [&](uint64_t address) {
        twinsim_target target = TWINSIM_TARGET_NONE;
        uint32_t owner = device;
        const bool hbm = bus.translate(bus.context, device, address, job.bytes, TWINSIM_ROUTE,
                                       &target, &owner) &&
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
void TaskScheduler::start_list(uint32_t sq)
{
    Queue &q = queues_[sq];
    DmaList &list = lists_[q.channel];
    list = {};
    list.sq = sq;
    list.ready = board_.now + board_.params.list_read.value;
    list.turn = list.begun = board_.now;
    const uint32_t credit = fronts_[sq].sqe().word[3] >> STARS_W3_CREDIT_SHIFT & 0xffu;
    const bool limited = credit != 0 && credit != STARS_CREDIT_NEVER;
    list.limit = due(sq, SqeOp::kMove, SqeNext::kLimit,
                     limited ? board_.now + credit * board_.params.credit_unit.value : kNever);
    q.state = State::kTransfer;
    list_turn(sq);
}

// Goes on until something has to be waited for: a line, the next turn, an earlier entry, or the end.
void TaskScheduler::list_turn(uint32_t sq)
{
    Queue &q = queues_[sq];
    DmaJob &job = jobs_[sq];
    DmaList &list = lists_[q.channel];
    const Params &p = board_.params;
    const auto wait_until = [&](Cycle time) { at(sq, std::min(time, list.limit), Step::kList); };
    if (board_.now >= list.limit && !is_over(job, list)) {
        stop_moving(sq);
        release_channel(sq);
        fail(sq, STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT);
        return;
    }
    for (;;) {
        if (job.row != kNone || list.next == job.rows) {
            if (list.moving != 0)
                break;
            list_done(sq);
            return;
        }
        if (list.next == list.line_end) {
            if (list.ready > board_.now)
                return wait_until(list.ready);
            note(sq, {TWINSIM_PHASE_SETUP, q.mark, p.list_read.index, q.channel});
            if (!read_line(sq))
                continue;
        }
        if (list.turn > board_.now)
            return wait_until(list.turn);
        const stars_dma_descriptor &entry = list.line[list.next - list.line_begin];
        if (!list.small && (held_back(entry, list) || list.moving == p.list_moving.value))
            break;
        begin_entry(sq, entry);
        q.mark = board_.now;
    }
    // Nothing to do before an entry completes.
    if (list.limit != kNever)
        wait_until(list.limit);
    else
        board_.calendar.cancel(timer(sq));
}

// T-DMA-41: what the line holds now; the next one is asked for. False: it is a fault.
bool TaskScheduler::read_line(uint32_t sq)
{
    DmaJob &job = jobs_[sq];
    DmaList &list = lists_[queues_[sq].channel];
    const Params &p = board_.params;
    const auto count =
        static_cast<uint32_t>(std::min<uint64_t>(p.list_window.value, job.rows - list.next));
    twinsim_target target = TWINSIM_TARGET_NONE;
    uint32_t owner = device_;
    const void *from = board_.bus.translate(
        board_.bus.context, device_, job.src + uint64_t{list.next} * sizeof(stars_dma_descriptor),
        count * sizeof(stars_dma_descriptor), TWINSIM_READ, &target, &owner);
    if (!from) {
        job.row = list.next;
        list.status = board_.refusal();
        return false;
    }
    std::memcpy(list.line.data(), from, count * sizeof(stars_dma_descriptor));
    list.line_begin = list.next;
    list.line_end = list.next + count;
    list.ready = board_.now + p.list_read.value;
    return true;
}

// T-DMA-42, T-DMA-43, T-DMA-44: one entry begins to move its bytes, or the list ends at it.
void TaskScheduler::begin_entry(uint32_t sq, const stars_dma_descriptor &entry)
{
    const Queue &q = queues_[sq];
    DmaJob &job = jobs_[sq];
    DmaList &list = lists_[q.channel];
    const uint32_t number = list.next++;
    list.turn = board_.now + board_.params.list_start.value;
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
    move.route = find_route(move, board_.bus, board_.links, device_, true);
    if (move.route == kNone) {
        end_with(number, STARS_STATUS_BUS_FAULT);
        return;
    }
    if (!runs_as_told(operation, move, board_.bus, device_)) {
        end_with(number, STARS_STATUS_BAD_SQE);
        return;
    }
    move.route = pcie_ceiling_.of(move.route);
    uint32_t place = 0;
    while (list.moves[place].transfer != kNone)
        ++place;
    const uint32_t transfer =
        board_.links.start(board_.now, move.route, move.bytes,
                           uint64_t{device_} << 32 | DmaList::kOwner |
                               uint32_t{q.channel} << DmaList::kChannelShift | place);
    board_.links_changed();
    if (__builtin_expect(board_.seed != 0, 0) && !is_struck(sq) &&
        (chance(board_.seed, occasion(sq) + (uint64_t{number} << 32), kEffectUse) & 1) != 0) {
        apply(move, board_, device_); // T-DMA-30
        move.made = true;
    }
    list.moves[place] = {move, transfer, number, operation, board_.now};
    ++list.open[operation];
    ++list.moving;
}

// T-DMA-5 for one entry.
void TaskScheduler::list_transfer_done(uint32_t who)
{
    DmaList &list = lists_[who >> DmaList::kChannelShift];
    DmaList::Move &move = list.moves[who & ((1u << DmaList::kChannelShift) - 1)];
    const uint32_t sq = list.sq;
    DmaJob &job = jobs_[sq];
    note(sq, {TWINSIM_PHASE_TRANSFER, move.begun, board_.links.parameter(move.job.route),
              queues_[sq].channel, move.job.bytes});
    move.transfer = kNone;
    --list.open[move.operation];
    --list.moving;
    if (__builtin_expect(is_struck(sq), 0) && list_spoilt(sq))
        list.kept.push_back(move);
    else if (!move.job.made)
        apply(move.job, board_, device_);
    if (move.job.status == 0) {
        job.bytes += move.job.bytes;
    } else if (move.entry < job.row) { // kNone is larger than all
        job.row = move.entry;
        list.status = move.job.status;
    }
    queues_[sq].mark = board_.now;
    // T-TIM-3: others of this instant are complete too; then comes the timer, which stands at the limit.
    if (board_.now < list.limit || is_over(job, list))
        list_turn(sq);
}

// T-FLT-6: the engine will end with an error and memory keep what it had, if the list comes to its end.
bool TaskScheduler::list_spoilt(uint32_t sq)
{
    return (board_.faults.strike(timer(sq)).kinds & 1u << TWINSIM_FAULT_ENGINE_ERROR) != 0;
}

// T-FLT-19: the list ends otherwise, so its entries have their effect after all.
void TaskScheduler::give_kept(uint32_t sq)
{
    DmaJob &job = jobs_[sq];
    DmaList &list = lists_[queues_[sq].channel];
    for (DmaList::Move &move : list.kept) {
        apply(move.job, board_, device_);
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

// T-FLT-8: a slow engine completes later than the bytes, or its credit passes; T-FLT-6.
bool TaskScheduler::list_differs(uint32_t sq)
{
    const DmaList &list = lists_[queues_[sq].channel];
    FaultPlan::Strike &strike = board_.faults.strike(timer(sq));
    if (strike.slow_permille > 1000 && !strike.stretched) {
        strike.stretched = true;
        const Cycle end = list.begun + slowed(sq, board_.now - list.begun);
        at(sq, std::min(end, list.limit), Step::kStretched);
        return true;
    }
    const bool late = strike.stretched && board_.now >= list.limit;
    if (late)
        give_kept(sq);
    else if (!acts(sq, TWINSIM_FAULT_ENGINE_ERROR))
        return false;
    board_.calendar.cancel(timer(sq));
    queues_[sq].state = State::kWork;
    release_channel(sq);
    if (late)
        fail(sq, STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT);
    else
        fail(sq, strike.error, strike.status);
    return true;
}

// T-DMA-45.
void TaskScheduler::list_done(uint32_t sq)
{
    const bool good = jobs_[sq].row == kNone;
    const DmaList &list = lists_[queues_[sq].channel];
    if (is_struck(sq) && good && list_differs(sq))
        return;
    give_kept(sq);
    const uint16_t status = list.status;
    board_.calendar.cancel(timer(sq));
    queues_[sq].state = State::kWork;
    release_channel(sq);
    if (good)
        executed(sq);
    else
        fail(sq, status == STARS_STATUS_BAD_SQE ? STARS_ERROR_BAD_SQE : STARS_ERROR_EXCEPTION,
             status);
}

// Whatever moves for the queue ends without effect; its channel is still its own.
void TaskScheduler::stop_moving(uint32_t sq)
{
    Queue &q = queues_[sq];
    if (q.transfer != kNone) {
        board_.links.cancel(board_.now, q.transfer);
        q.transfer = kNone;
    } else if (q.state == State::kTransfer && jobs_[sq].kind == DmaJob::Kind::kList) {
        for (DmaList::Move &move : lists_[q.channel].moves) {
            if (move.transfer != kNone)
                board_.links.cancel(board_.now, move.transfer);
            move.transfer = kNone;
        }
        give_kept(sq);
    } else {
        return;
    }
    board_.links_changed();
}

} // namespace tsim
