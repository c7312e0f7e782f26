// SPDX-License-Identifier: Apache-2.0
#include "core/queue/firmware_cq.h"

#include <cassert>

namespace tsim
{

FirmwareCq::FirmwareCq(const Params &params) : params_(params), reports_(params.fw_reports.value) {}

void FirmwareCq::reset()
{
    first_ = count_ = 0;
    state_ = State::kQuiet;
    stopped_ = false;
    due_ = kNever;
    interrupted_ = 0;
    made_room_ = kNever;
}

// T-HW-9: the interrupt, and after it the first report.
void FirmwareCq::interrupt(Cycle now)
{
    state_ = State::kTaking;
    interrupted_ = now;
    due_ = now + params_.fw_interrupt.value + params_.fw_take.value;
}

void FirmwareCq::add(Cycle now, const Report &report, bool asked)
{
    assert(!full());
    Report &added = reports_[(first_ + count_++) % reports_.size()];
    added = report;
    added.added = now;
    stopped_ = stopped_ || count_ >= params_.fw_stop_at.value;
    if (state_ == State::kTaking)
        return;
    if (asked || count_ >= params_.fw_batch.value) {
        interrupt(now);
    } else if (state_ == State::kQuiet) {
        state_ = State::kWaiting;
        due_ = now + params_.fw_interval.value;
    }
}

void FirmwareCq::hurry(Cycle now)
{
    if (state_ == State::kWaiting)
        interrupt(now);
}

void FirmwareCq::forget(uint32_t sq)
{
    for (uint32_t i = 0; i < count_; ++i) {
        Report &report = reports_[(first_ + i) % reports_.size()];
        if (report.sq == sq)
            report = {};
    }
}

bool FirmwareCq::fire(Cycle now, Report &out)
{
    if (state_ == State::kWaiting) {
        interrupt(now);
        return false;
    }
    assert(count_ > 0);
    const bool was_full = full();
    const bool was_stopped = stopped_;
    out = reports_[first_];
    first_ = static_cast<uint32_t>((first_ + 1) % reports_.size());
    --count_;
    if (count_ <= params_.fw_go_at.value) // T-HW-10
        stopped_ = false;
    if (was_full || stopped_ != was_stopped)
        made_room_ = now;
    if (count_ == 0)
        state_ = State::kQuiet;
    else
        due_ = now + params_.fw_take.value;
    return true;
}

} // namespace tsim
