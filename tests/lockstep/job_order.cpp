// SPDX-License-Identifier: Apache-2.0
#include "job_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace job
{

Order::Order(const Plan &plan) : writers_(2 * kMemory), initial_(2 * kMemory)
{
    std::map<uint32_t, size_t> newest;
    std::vector<size_t> calls; // of the host, so far
    for (const Step &step : plan.steps) {
        if (step.kind == Kind::kQueue)
            continue;
        const size_t self = nodes_.size();
        const uint32_t lane = step.is_task()                        ? step.queue
                              : step.kind == Kind::kHostNotifyClear ? kHost
                                                                    : kSoftware;
        const auto last = newest.find(lane);
        nodes_.push_back(
            {step, lane, lane == kHost || last == newest.end() ? kNone : last->second, {}});
        newest[lane] = self;
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[i].before.assign(nodes_.size(), false);
        for (const size_t call : calls)
            nodes_[i].before[call] = true;
        if (nodes_[i].lane == kHost)
            calls.push_back(i);
    }
    for (uint32_t side = 0; side < 2; ++side)
        for (uint64_t at = 0; at < kMemory; ++at)
            initial_[side * kMemory + at].value = first_byte(side, at);
    memory_ = initial_;
    find_reachable();
    find_order();
    count_open_flags();
    find_certain();
    run_tasks();
}

Order::End Order::end_of(uint32_t queue) const
{
    const auto last = std::find_if(nodes_.rbegin(), nodes_.rend(),
                                   [queue](const Node &node) { return node.lane == queue; });
    if (last == nodes_.rend() || last->must_end)
        return End::kSurely;
    return last->may_end ? End::kOpen : End::kNever;
}

// ---- what tasks do ------------------------------------------------------------------------------

bool Order::is_wait(const Step &step)
{
    return step.kind == Kind::kEventWait || step.kind == Kind::kNotifyWait;
}

// Such a wait ends, one way or the other, and orders nothing.
bool Order::has_limit(const Step &step)
{
    return is_wait(step) && step.args[1] != 0;
}

bool Order::sets(const Step &step)
{
    return step.kind == Kind::kEventRecord || step.kind == Kind::kHostRecord ||
           step.kind == Kind::kNotifyRecord || step.kind == Kind::kHostNotify;
}

bool Order::clears(const Step &step)
{
    return step.kind == Kind::kWriteEvent || step.kind == Kind::kHostClear ||
           step.kind == Kind::kHostNotifyClear || step.kind == Kind::kNotifyWait;
}

bool Order::same_flag(const Step &a, const Step &b)
{
    const auto is_notify = [](const Step &step) {
        return step.kind == Kind::kNotifyRecord || step.kind == Kind::kNotifyWait ||
               step.kind == Kind::kHostNotify || step.kind == Kind::kHostNotifyClear;
    };
    return is_notify(a) == is_notify(b) && a.args[0] == b.args[0];
}

Order::Range Order::range(uint64_t address, uint64_t bytes)
{
    const size_t at = address >= kDeviceMemory ? kMemory + (address - kDeviceMemory)
                                               : static_cast<size_t>(address - kHostMemory);
    return {at, at + bytes};
}

Order::Range Order::writes(const Step &step)
{
    switch (step.kind) {
    case Kind::kSdma:
    case Kind::kPcie:
    case Kind::kFill:
        return range(step.args[0], step.args[2]);
    case Kind::kWriteMemory:
        return range(step.args[0], 8);
    default:
        return {};
    }
}

Order::Range Order::reads(const Step &step)
{
    return step.kind == Kind::kSdma || step.kind == Kind::kPcie ? range(step.args[1], step.args[2])
                                                                : Range{};
}

// ---- which tasks end ----------------------------------------------------------------------------

// As many as can: of a notify each stream may have all records for itself.
void Order::find_reachable()
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < nodes_.size(); ++i) {
            Node &node = nodes_[i];
            node.may_begin = node.previous == kNone || nodes_[node.previous].may_end;
            if (node.may_end || !node.may_begin || !may_pass(i))
                continue;
            node.may_end = again = true;
        }
    }
}

bool Order::may_pass(size_t wait) const
{
    const Node &self = nodes_[wait];
    if (!is_wait(self.step) || has_limit(self.step))
        return true;
    size_t records = 0, taken = 0;
    for (size_t i = 0; i < nodes_.size(); ++i) {
        const Node &node = nodes_[i];
        if (!same_flag(node.step, self.step))
            continue;
        records += sets(node.step) && node.may_end;
        taken += node.step.kind == Kind::kNotifyWait && !has_limit(node.step) &&
                 node.lane == self.lane && i < wait;
    }
    return records > taken;
}

bool Order::learn(size_t node, const Set &more)
{
    bool is_new = false;
    for (size_t i = 0; i < more.size(); ++i)
        if (more[i] && !nodes_[node].before[i])
            nodes_[node].before[i] = is_new = true;
    return is_new;
}

// Grows until nothing is new: the more is known, the fewer records a wait can have passed by.
void Order::find_order()
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < nodes_.size(); ++i) {
            const Node &node = nodes_[i];
            if (node.previous != kNone) {
                Set so_far = nodes_[node.previous].before;
                so_far[node.previous] = true;
                again = learn(i, so_far) || again;
            }
            if (is_wait(node.step) && !has_limit(node.step) && node.may_end)
                again = learn(i, after_some_record(i)) || again;
        }
    }
}

// Those that may have released it: not one after it, nor one with a flag that was surely cleared
// before.
std::vector<size_t> Order::records_of(size_t wait) const
{
    std::vector<size_t> found;
    for (size_t i = 0; i < nodes_.size(); ++i) {
        const Node &record = nodes_[i];
        if (!sets(record.step) || !same_flag(record.step, nodes_[wait].step) || !record.may_end ||
            comes_before(wait, i))
            continue;
        bool gone = false;
        for (size_t k = 0; k < nodes_.size() && !gone; ++k)
            gone = clears(nodes_[k].step) && !has_limit(nodes_[k].step) &&
                   same_flag(nodes_[k].step, record.step) && comes_before(i, k) &&
                   comes_before(k, wait);
        if (!gone)
            found.push_back(i);
    }
    return found;
}

// The nodes before all of them. A wait is one task here, which begins when it passes.
Order::Set Order::after_some_record(size_t wait) const
{
    const std::vector<size_t> records = records_of(wait);
    Set common(nodes_.size(), !records.empty());
    for (const size_t record : records)
        for (size_t k = 0; k < common.size(); ++k)
            common[k] = common[k] && (k == record || nodes_[record].before[k]);
    common[wait] = false;
    return common;
}

// A flag is settled when each wait has one record, and each step that clears the flag comes before
// that record or after the wait.
void Order::count_open_flags()
{
    std::set<std::pair<bool, uint64_t>> open;
    for (size_t wait = 0; wait < nodes_.size(); ++wait) {
        const Step &step = nodes_[wait].step;
        if (!is_wait(step) || !nodes_[wait].may_begin)
            continue;
        const std::vector<size_t> records = records_of(wait);
        bool settled = records.size() <= 1 && !has_limit(step);
        for (size_t i = 0; i < nodes_.size() && settled; ++i)
            if (i != wait && clears(nodes_[i].step) && same_flag(nodes_[i].step, step) &&
                nodes_[i].may_begin)
                settled = comes_before(wait, i) ||
                          (records.size() == 1 && comes_before(i, records.front()));
        if (!settled)
            open.insert({step.kind == Kind::kNotifyWait, step.args[0]});
    }
    open_flags_ = open.size();
}

std::vector<std::optional<Order::Task>> Order::tasks() const
{
    std::map<uint32_t, uint64_t> count;
    std::vector<std::optional<Task>> found;
    for (const Node &node : nodes_) {
        if (node.lane == kHost)
            found.emplace_back();
        else
            found.push_back(Task{node.lane, ++count[node.lane], is_wait(node.step)});
    }
    return found;
}

void Order::find_certain()
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < nodes_.size(); ++i) {
            Node &node = nodes_[i];
            if (node.must_end || (node.previous != kNone && !nodes_[node.previous].must_end) ||
                !must_pass(i))
                continue;
            node.must_end = again = true;
        }
    }
}

// There is a record that surely happens, and nothing takes its flag away before the wait has seen
// it.
bool Order::must_pass(size_t wait) const
{
    const Step &self = nodes_[wait].step;
    if (!is_wait(self) || has_limit(self))
        return true;
    for (size_t r = 0; r < nodes_.size(); ++r) {
        if (!sets(nodes_[r].step) || !same_flag(nodes_[r].step, self) || !nodes_[r].must_end)
            continue;
        bool stays = true;
        for (size_t i = 0; i < nodes_.size() && stays; ++i) {
            if (i == wait || !clears(nodes_[i].step) || !same_flag(nodes_[i].step, self) ||
                !nodes_[i].may_begin)
                continue;
            stays = comes_before(i, r) || comes_before(wait, i);
        }
        if (stays)
            return true;
    }
    return false;
}

// ---- memory -------------------------------------------------------------------------------------

void Order::run_tasks()
{
    // A node before another one has fewer nodes before it.
    std::vector<size_t> line(nodes_.size());
    std::iota(line.begin(), line.end(), 0);
    const auto depth = [this](size_t node) {
        return std::count(nodes_[node].before.begin(), nodes_[node].before.end(), true);
    };
    std::stable_sort(line.begin(), line.end(),
                     [&depth](size_t a, size_t b) { return depth(a) < depth(b); });
    for (const size_t i : line) {
        const Range to = writes(nodes_[i].step);
        for (size_t at = to.begin; at < to.end && nodes_[i].may_end; ++at)
            writers_[at].push_back(i);
    }
    for (const size_t i : line)
        if (nodes_[i].may_end)
            write(i);
    for (size_t at = 0; at < memory_.size(); ++at) {
        if (writers_[at].empty())
            continue;
        const size_t last = writers_[at].back();
        Byte &byte = memory_[at];
        byte = nodes_[last].output[at - writes(nodes_[last].step).begin];
        byte.certain = byte.certain && nodes_[last].must_end;
        for (const size_t other : writers_[at])
            byte.certain = byte.certain && (other == last || comes_before(other, last));
        ++written_;
        certain_ += byte.certain;
    }
}

// The byte that a task reads there. Not certain when a write of it may come before or after.
Order::Byte Order::found(size_t node, size_t at) const
{
    size_t last = kNone;
    bool certain = true;
    for (const size_t writer : writers_[at]) {
        if (comes_before(writer, node))
            last = writer;
        else if (writer != node && !comes_before(node, writer))
            certain = false;
    }
    if (last == kNone)
        return {initial_[at].value, certain};
    for (const size_t writer : writers_[at])
        if (writer != last && comes_before(writer, node) && !comes_before(writer, last))
            certain = false;
    const std::vector<Byte> &output = nodes_[last].output;
    if (output.empty()) // two that wait for each other: neither happens
        return {0, false};
    Byte byte = output[at - writes(nodes_[last].step).begin];
    byte.certain = byte.certain && certain;
    return byte;
}

void Order::write(size_t i)
{
    Node &node = nodes_[i];
    const Range to = writes(node.step), from = reads(node.step);
    for (size_t at = to.begin; at < to.end; ++at) {
        const size_t offset = at - to.begin;
        Byte byte;
        if (node.step.kind == Kind::kFill)
            byte.value = static_cast<uint8_t>(node.step.args[1]);
        else if (node.step.kind == Kind::kWriteMemory)
            byte.value = static_cast<uint8_t>(node.step.args[2] >> (8 * offset));
        else
            byte = found(i, from.begin + offset);
        node.output.push_back(byte);
    }
}

} // namespace job
