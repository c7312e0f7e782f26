// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/arbitration.h"

#include <array>

#include "core/scheduler/register_words.h"

namespace tsim
{

Arbitration::Arbitration(const QueueTable &queues, uint64_t seed) : queues_(queues), seed_(seed)
{
    static constexpr std::array<const char *, kClassCount + 1> kNames = {
        "sdma", "pcie_dma", "cond", "cpu_topic", "aic", "aiv", "mixed", "slots"};
    RtlPortFactory *const ports = queues.system.rtl_ports;
    lines_.reserve(kNames.size());
    for (const char *const name : kNames)
        lines_.emplace_back(rules_,
                            ports ? ports->arbiter(rules_, {queues.device, name}) : nullptr);
}

void Arbitration::reset()
{
    rules_ = {};
    rules_.strict_level = static_cast<uint32_t>(queues_.system.params.strict_level.value);
    for (Arbiter &line : lines_)
        line.reset();
}

void Arbitration::prepare(uint32_t priority, uint32_t group)
{
    for (Arbiter &line : lines_)
        line.prepare(priority, group);
}

Arbiter *Arbitration::line_of(const QueueRow &q)
{
    return q.state == QueueState::kWaitSlot    ? &lines_[kSlots]
           : q.state == QueueState::kWaitClass ? &lines_[q.task_class]
                                               : nullptr;
}

void Arbitration::remove(uint32_t sq)
{
    const QueueRow &q = queues_[sq];
    if (Arbiter *const line = line_of(q))
        line->remove(sq, q.priority, q.group);
}

void Arbitration::join(uint32_t sq)
{
    const QueueRow &q = queues_[sq];
    if (Arbiter *const line = line_of(q))
        line->add(sq, q.priority, q.group);
}

// T-FE-10.
void Arbitration::set_priority(uint32_t sq, uint8_t priority, uint8_t group)
{
    prepare(priority, group);
    remove(sq);
    queues_[sq].priority = priority;
    queues_[sq].group = group;
    join(sq);
}

// T-ARB-1: those that wait move to the priority groups of the new level.
void Arbitration::set_strict_level(uint32_t level)
{
    const uint32_t before = rules_.strict_level;
    rules_.strict_level = level;
    try {
        for (uint32_t sq = 0; sq < queues_.size(); ++sq)
            if (queues_[sq].state != QueueState::kClosed)
                prepare(queues_[sq].priority, queues_[sq].group);
    } catch (...) {
        rules_.strict_level = before;
        throw;
    }
    rules_.strict_level = before;
    for (uint32_t sq = 0; sq < queues_.size(); ++sq)
        remove(sq);
    rules_.strict_level = level;
    for (uint32_t sq = 0; sq < queues_.size(); ++sq)
        join(sq);
}

bool Arbitration::read(uint32_t offset, uint32_t &out_value) const
{
    const uint32_t group = word_in(offset, STARS_GROUP_WEIGHT, ArbiterRules::kGroups);
    if (group != kNone) {
        out_value = rules_.weights[group];
        return true;
    }
    if (offset == STARS_GROUP_MODE)
        out_value = (rules_.weight_first ? STARS_GROUP_MODE_WEIGHT_FIRST : 0) |
                    (rules_.reload_spent ? STARS_GROUP_MODE_RELOAD_SPENT : 0);
    else if (offset == STARS_STRICT_LEVEL)
        out_value = rules_.strict_level;
    else
        return false;
    return true;
}

bool Arbitration::write(uint32_t offset, uint32_t value)
{
    const uint32_t group = word_in(offset, STARS_GROUP_WEIGHT, ArbiterRules::kGroups);
    if (group != kNone) {
        rules_.set_weight(group, static_cast<uint16_t>(value & STARS_GROUP_WEIGHT_MASK));
    } else if (offset == STARS_GROUP_MODE) {
        rules_.weight_first = (value & STARS_GROUP_MODE_WEIGHT_FIRST) != 0;
        rules_.reload_spent = (value & STARS_GROUP_MODE_RELOAD_SPENT) != 0;
    } else if (offset == STARS_STRICT_LEVEL) {
        set_strict_level(value & STARS_STRICT_LEVEL_MASK);
    } else {
        return false;
    }
    return true;
}

} // namespace tsim
