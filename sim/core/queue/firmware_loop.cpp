// SPDX-License-Identifier: Apache-2.0
#include "core/queue/firmware_loop.h"

#include <algorithm>
#include <cassert>

namespace tsim
{

FirmwareLoop::FirmwareLoop(const Params &params, uint32_t queues) : params_(params), queues_(queues)
{
    reset();
}

void FirmwareLoop::reset()
{
    std::fill(queues_.begin(), queues_.end(), Queue{});
    for (Level &level : levels_) {
        level = {};
        level.free = static_cast<uint32_t>(params_.fw_level_slots.value);
    }
    reports_.reset();
    last_report_ = Bitmap::kSize - 1;
    now_ = {};
    last_ = Work::kNothing;
    busy_ = false;
}

Bitmap &FirmwareLoop::among(const Queue &queue)
{
    if (queue.wanted == Work::kReport)
        return reports_;
    Level &level = levels_[queue.level];
    return queue.wanted == Work::kFetch ? level.fetches : level.ready;
}

void FirmwareLoop::ask(uint32_t sq, uint32_t level, Work work)
{
    Queue &queue = queues_[sq];
    assert(queue.wanted == Work::kNothing);
    queue.wanted = work;
    queue.level = static_cast<uint8_t>(level);
    among(queue).set(sq);
}

void FirmwareLoop::move(uint32_t sq, uint32_t level)
{
    Queue &queue = queues_[sq];
    if (queue.wanted == Work::kNothing)
        return;
    among(queue).clear(sq);
    queue.level = static_cast<uint8_t>(level);
    among(queue).set(sq);
}

void FirmwareLoop::forget(uint32_t sq)
{
    Queue &queue = queues_[sq];
    if (queue.wanted != Work::kNothing)
        among(queue).clear(sq);
    queue.wanted = Work::kNothing;
    if (now_.sq == sq)
        now_.sq = kNone;
    release_commands(sq);
}

// Round-robin by queue number over both sets; a queue that needs a command slot counts while there
// is one.
uint32_t FirmwareLoop::choose(const Level &level) const
{
    const uint32_t from = (level.last + 1) % Bitmap::kSize;
    const uint32_t ready = level.ready.next(from);
    const uint32_t fetch = level.free > 0 ? level.fetches.next(from) : kNone;
    if (ready == kNone || fetch == kNone)
        return ready == kNone ? fetch : ready;
    const auto distance = [&](uint32_t sq) { return (sq - from) % Bitmap::kSize; };
    return distance(ready) < distance(fetch) ? ready : fetch;
}

FirmwareLoop::Job FirmwareLoop::begin(uint32_t sq)
{
    Queue &queue = queues_[sq];
    among(queue).clear(sq);
    now_ = {sq, queue.wanted};
    queue.wanted = Work::kNothing;
    busy_ = true;
    return now_;
}

FirmwareLoop::Job FirmwareLoop::begin(bool reports, bool commands)
{
    assert(!busy_);
    if (reports && !reports_.empty()) {
        last_report_ = reports_.next((last_report_ + 1) % Bitmap::kSize);
        return begin(last_report_);
    }
    for (Level &level : levels_) {
        const uint32_t sq = commands ? choose(level) : kNone;
        if (sq == kNone)
            continue;
        level.last = sq;
        return begin(sq);
    }
    return {};
}

FirmwareLoop::Job FirmwareLoop::end()
{
    const Job done = now_;
    last_ = done.work;
    now_ = {};
    busy_ = false;
    return done;
}

const Setting &FirmwareLoop::cost(Work work) const
{
    switch (work) {
    case Work::kActivate:
        return params_.fw_activate;
    case Work::kFetch:
        return params_.fw_fetch;
    case Work::kCommand:
        return params_.fw_command;
    default:
        return params_.fw_report;
    }
}

uint32_t FirmwareLoop::room(uint32_t level, uint32_t most) const
{
    return std::min(levels_[level].free, most);
}

void FirmwareLoop::hold_commands(uint32_t sq, uint32_t level, uint32_t count)
{
    release_commands(sq);
    assert(count <= levels_[level].free);
    levels_[level].free -= count;
    queues_[sq].held = static_cast<uint8_t>(count);
    queues_[sq].held_level = static_cast<uint8_t>(level);
}

void FirmwareLoop::command_done(uint32_t sq)
{
    Queue &queue = queues_[sq];
    if (queue.held == 0)
        return;
    --queue.held;
    ++levels_[queue.held_level].free;
}

void FirmwareLoop::release_commands(uint32_t sq)
{
    Queue &queue = queues_[sq];
    levels_[queue.held_level].free += queue.held;
    queue.held = 0;
}

} // namespace tsim
