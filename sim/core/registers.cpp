// SPDX-License-Identifier: Apache-2.0
/// The register window of a device (twinsim/stars.h): a page per SQ, then the tables. Rules T-FE-8,
/// T-FE-9, T-SCH-13 to T-SCH-15.
#include "core/device.h"
#include "core/scheduler/table_entry.h"

namespace tsim
{

namespace
{
constexpr uint64_t kPages = uint64_t{kMaxQueues} * STARS_SQ_PAGE;
constexpr uint64_t kBlock = 0x100000; // bytes
constexpr uint32_t kGroupShift = 4, kGroupMask = 0x3f, kPriorityShift = 10, kPriorityMask = 0x7;

template <typename Table>
uint32_t entry(const Table &table, uint32_t id)
{
    return (table.flag(id) ? 1u : 0u) | (table.pending(id) ? 2u : 0u);
}

uint32_t count_at(uint64_t offset, uint32_t counts)
{
    const uint64_t id = (offset - STARS_COUNT_TABLE_BASE) / 4;
    return offset >= STARS_COUNT_TABLE_BASE && id < counts ? static_cast<uint32_t>(id) : kNone;
}
} // namespace

int Device::read(uint64_t offset, uint32_t &out_value) const
{
    out_value = 0;
    if (offset % 4 != 0)
        return TWINSIM_E_ARGUMENT;
    if (offset < kPages) {
        const auto sq = static_cast<uint32_t>(offset / STARS_SQ_PAGE);
        if (sq >= scheduler_.queue_count())
            return TWINSIM_E_ARGUMENT;
        return read_page(sq, static_cast<uint32_t>(offset % STARS_SQ_PAGE), out_value);
    }
    if (offset >= STARS_BLOCK_BASE && offset - STARS_BLOCK_BASE < kBlock)
        return scheduler_.read_block(static_cast<uint32_t>(offset - STARS_BLOCK_BASE), out_value);
    uint32_t id = event_at(offset, scheduler_.events().size());
    if (id != kNone) {
        out_value = entry(scheduler_.events(), id);
        return TWINSIM_OK;
    }
    id = count_at(offset, scheduler_.counts().size());
    if (id != kNone) {
        out_value = scheduler_.counts().count(id);
        return TWINSIM_OK;
    }
    id = notify_at(offset, scheduler_.notifies().size());
    if (id == kNone)
        return TWINSIM_E_ARGUMENT;
    out_value = entry(scheduler_.notifies(), id);
    return TWINSIM_OK;
}

int Device::read_page(uint32_t sq, uint32_t offset, uint32_t &out_value) const
{
    const TaskQueue &front = scheduler_.front(sq);
    const bool open = front.is_open();
    switch (offset) {
    case STARS_SQ_TAIL:
        out_value = open ? front.tail() : 0;
        return TWINSIM_OK;
    case STARS_SQ_HEAD:
        out_value = open ? front.head() : 0;
        return TWINSIM_OK;
    case STARS_SQ_ENABLE:
        out_value = scheduler_.enabled(sq) ? 1 : 0;
        return TWINSIM_OK;
    case STARS_SQ_PRIORITY:
        out_value = scheduler_.group(sq) << kGroupShift | scheduler_.priority(sq) << kPriorityShift;
        return TWINSIM_OK;
    case STARS_SQ_CONTROL:
    case STARS_SQ_PREFETCH:
        return TWINSIM_OK; // pulses read 0
    case STARS_SQ_SLOT:
        out_value = scheduler_.slot(sq) == TaskScheduler::kNoSlot ? 0 : scheduler_.slot(sq);
        return TWINSIM_OK;
    case STARS_SQ_MAPPED:
        out_value = scheduler_.slot(sq) == TaskScheduler::kNoSlot ? 0 : 1;
        return TWINSIM_OK;
    case STARS_SQ_LIST_ERROR:
        out_value = scheduler_.list_error(sq);
        return TWINSIM_OK;
    case STARS_SQ_CQ_HEAD:
        out_value = open ? front.cq_head() : 0;
        return TWINSIM_OK;
    case STARS_SQ_CQ_TAIL:
        out_value = open ? front.cq_tail() : 0;
        return TWINSIM_OK;
    default:
        return TWINSIM_E_ARGUMENT;
    }
}

int Device::write(uint64_t offset, uint32_t value)
{
    if (offset % 4 != 0)
        return TWINSIM_E_ARGUMENT;
    if (offset < kPages) {
        const auto sq = static_cast<uint32_t>(offset / STARS_SQ_PAGE);
        if (sq >= scheduler_.queue_count())
            return TWINSIM_E_ARGUMENT;
        if (!scheduler_.front(sq).is_open())
            return TWINSIM_E_STATE;
        return write_page(sq, static_cast<uint32_t>(offset % STARS_SQ_PAGE), value);
    }
    if (offset >= STARS_BLOCK_BASE && offset - STARS_BLOCK_BASE < kBlock)
        return scheduler_.write_block(static_cast<uint32_t>(offset - STARS_BLOCK_BASE), value);
    uint32_t id = event_at(offset, scheduler_.events().size());
    if (id != kNone) {
        scheduler_.write_event(id, (value & 1u) != 0);
        return TWINSIM_OK;
    }
    id = count_at(offset, scheduler_.counts().size());
    if (id != kNone) {
        scheduler_.write_count(id, value);
        return TWINSIM_OK;
    }
    id = notify_at(offset, scheduler_.notifies().size());
    if (id == kNone)
        return TWINSIM_E_ARGUMENT;
    scheduler_.write_notify(id, (value & 1u) != 0);
    return TWINSIM_OK;
}

int Device::write_page(uint32_t sq, uint32_t offset, uint32_t value)
{
    const auto allowed = [](bool done) { return done ? TWINSIM_OK : TWINSIM_E_STATE; };
    switch (offset) {
    case STARS_SQ_TAIL:
        if (value >= scheduler_.front(sq).depth())
            return TWINSIM_E_ARGUMENT;
        doorbell(sq, value, system_.params.to_ns(system_.now));
        return TWINSIM_OK;
    case STARS_SQ_HEAD:
        return allowed(scheduler_.set_head(sq, value));
    case STARS_SQ_ENABLE:
        scheduler_.set_enabled(sq, (value & 1u) != 0);
        return TWINSIM_OK;
    case STARS_SQ_PRIORITY:
        return allowed(scheduler_.set_priority(
            sq, static_cast<uint8_t>((value >> kPriorityShift) & kPriorityMask),
            static_cast<uint8_t>((value >> kGroupShift) & kGroupMask)));
    case STARS_SQ_CONTROL:
        return allowed(scheduler_.control(sq, value));
    case STARS_SQ_PREFETCH:
        return allowed((value & STARS_SQ_PREFETCH_DROP) == 0 || scheduler_.drop_prefetched(sq));
    case STARS_SQ_CQ_HEAD:
        return scheduler_.set_cq_head(sq, value) ? TWINSIM_OK : TWINSIM_E_ARGUMENT;
    default:
        return TWINSIM_E_ARGUMENT;
    }
}

} // namespace tsim
