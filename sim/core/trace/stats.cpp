// SPDX-License-Identifier: Apache-2.0
#include "core/trace/stats.h"

#include <algorithm>

#include "twinsim/stars.h"

namespace tsim
{

Stats::Stats(const Params &params, const LinkNetwork &links, uint32_t devices)
    : params_(params), links_(links), devices_(devices), present_(devices * kMaxQueues, kNone)
{
    for (Device &device : devices_) {
        device.uses[TWINSIM_RESOURCE_SLOT].resize(params.slots.value);
        device.uses[TWINSIM_RESOURCE_CLASS].resize(TWINSIM_CLASS_COUNT);
        device.uses[TWINSIM_RESOURCE_SDMA].resize(params.sdma_channels.value);
        device.uses[TWINSIM_RESOURCE_PCIE_DMA].resize(params.pcie_channels.value);
        device.uses[TWINSIM_RESOURCE_HOST_DMA].resize(params.host_channels.value);
    }
    for (uint32_t link = 0; link < links.link_count(); ++link)
        devices_[links.link_device(link)].uses[TWINSIM_RESOURCE_LINK].resize(link + 1);
}

void Stats::l2(uint32_t device, bool write, uint64_t hit, uint64_t miss)
{
    twinsim_device_counts &sums = devices_[device].sums;
    (write ? sums.l2_write_hits : sums.l2_read_hits) += hit;
    (write ? sums.l2_write_misses : sums.l2_read_misses) += miss;
}

void Stats::open(const twinsim_trace_entry &entry)
{
    twinsim_queue_counts queue{};
    queue.device = entry.device;
    queue.sq = entry.sq;
    queue.stream_id = entry.id;
    present_[entry.device * kMaxQueues + entry.sq] = static_cast<uint32_t>(queues_.size());
    queues_.push_back(queue);
}

twinsim_queue_counts *Stats::queue_of(const twinsim_trace_entry &entry)
{
    if (entry.sq >= kMaxQueues)
        return nullptr;
    const uint32_t life = present_[entry.device * kMaxQueues + entry.sq];
    return life == kNone ? nullptr : &queues_[life];
}

void Stats::waited(const twinsim_trace_entry &entry, twinsim_cause cause)
{
    const uint64_t length = entry.end_ns - entry.begin_ns;
    devices_[entry.device].waits[cause].add(length);
    if (twinsim_queue_counts *queue = queue_of(entry)) {
        twinsim_wait_sum &sum = queue->waits[cause];
        ++sum.count;
        sum.total_ns += length;
        sum.max_ns = std::max(sum.max_ns, length);
    }
}

twinsim_use_counts &Stats::use_of(const twinsim_trace_entry &entry, twinsim_resource resource)
{
    std::vector<twinsim_use_counts> &uses = devices_[entry.device].uses[resource];
    if (uses.size() <= entry.id)
        uses.resize(entry.id + 1);
    return uses[entry.id];
}

void Stats::used(const twinsim_trace_entry &entry, twinsim_resource resource)
{
    if (entry.id == kNone)
        return;
    twinsim_use_counts &use = use_of(entry, resource);
    ++use.uses;
    use.busy_ns += entry.end_ns - entry.begin_ns;
}

// The bytes of a transfer count on each link of its way.
void Stats::moved(const twinsim_trace_entry &entry)
{
    if (entry.route == kNone)
        return;
    twinsim_route route{};
    links_.describe_route(entry.route, route);
    for (uint32_t i = 0; i < route.count; ++i)
        devices_[links_.link_device(route.link[i])]
            .uses[TWINSIM_RESOURCE_LINK][route.link[i]]
            .bytes += entry.bytes * route.weight[i];
}

twinsim_cause Stats::slot_cause(const twinsim_trace_entry &entry) const
{
    for (const Setting *cap :
         {&params_.sdma_cap, &params_.pcie_dma_cap, &params_.cond_cap, &params_.cpu_topic_cap,
          &params_.aic_cap, &params_.aiv_cap, &params_.mixed_cap})
        if (entry.parameter == cap->index)
            return TWINSIM_CAUSE_CLASS;
    return TWINSIM_CAUSE_SLOT;
}

twinsim_cause Stats::engine_cause(const twinsim_trace_entry &entry) const
{
    for (const Setting *work :
         {&params_.fw_activate, &params_.fw_fetch, &params_.fw_command, &params_.fw_report,
          &params_.fw_level_slots, &params_.fw_stop_at, &params_.fw_reports})
        if (entry.parameter == work->index)
            return TWINSIM_CAUSE_LOOP;
    return entry.parameter == params_.aic_cores.index || entry.parameter == params_.aiv_cores.index
               ? TWINSIM_CAUSE_CORE
               : TWINSIM_CAUSE_CHANNEL;
}

void Stats::take(const twinsim_trace_entry &entry)
{
    if (entry.phase == kOpened) {
        open(entry);
        return;
    }
    twinsim_device_counts &sums = devices_[entry.device].sums;
    twinsim_queue_counts *const queue = queue_of(entry);
    const bool sdma = entry.engine == TWINSIM_ENGINE_SDMA;
    const bool host = entry.engine == TWINSIM_ENGINE_HOST_DMA;
    const twinsim_resource engine = host   ? TWINSIM_RESOURCE_HOST_DMA
                                    : sdma ? TWINSIM_RESOURCE_SDMA
                                           : TWINSIM_RESOURCE_PCIE_DMA;
    const bool core = entry.engine == TWINSIM_ENGINE_AIC || entry.engine == TWINSIM_ENGINE_AIV;
    switch (static_cast<twinsim_phase>(entry.phase)) {
    case TWINSIM_PHASE_TASK:
        ++sums.tasks;
        ++sums.tasks_of_type[entry.sqe_type % TWINSIM_STATS_TYPES];
        if (queue) {
            ++queue->tasks;
            queue->bytes += entry.bytes;
            queue->task_ns += entry.end_ns - entry.begin_ns;
        }
        break;
    case TWINSIM_PHASE_DOORBELL:
        ++sums.begun;
        break;
    case TWINSIM_PHASE_FETCH:
        ++sums.fetch_waits;
        sums.fetch_wait_ns += entry.end_ns - entry.begin_ns;
        break;
    case TWINSIM_PHASE_TABLE:
        sums.event_hits += entry.parameter == params_.event_table.index;
        sums.event_misses += entry.parameter == params_.event_miss.index;
        break;
    case TWINSIM_PHASE_SLOT:
        waited(entry, slot_cause(entry));
        break;
    case TWINSIM_PHASE_ENGINE:
        waited(entry, engine_cause(entry));
        break;
    case TWINSIM_PHASE_PARK:
        waited(entry, entry.sqe_type == STARS_SQE_NOTIFY_WAIT ? TWINSIM_CAUSE_NOTIFY
                      : entry.sqe_type == STARS_SQE_COND      ? TWINSIM_CAUSE_MEMORY
                                                              : TWINSIM_CAUSE_EVENT);
        break;
    case TWINSIM_PHASE_HOST:
        waited(entry, TWINSIM_CAUSE_HOST);
        break;
    case TWINSIM_PHASE_HOLD:
        waited(entry, entry.id == TWINSIM_HOLD_CQ ? TWINSIM_CAUSE_CQ : TWINSIM_CAUSE_HOLD);
        break;
    case TWINSIM_PHASE_OCCUPY:
        used(entry, TWINSIM_RESOURCE_SLOT);
        ++sums.swap_ins;
        if (queue)
            queue->slot_ns += entry.end_ns - entry.begin_ns;
        break;
    case TWINSIM_PHASE_SHARE:
        used(entry, TWINSIM_RESOURCE_CLASS);
        break;
    case TWINSIM_PHASE_SETUP:
        if (!core && entry.engine != TWINSIM_ENGINE_NONE && entry.id != kNone)
            use_of(entry, engine).busy_ns += entry.end_ns - entry.begin_ns;
        break;
    case TWINSIM_PHASE_TRANSFER:
        moved(entry);
        if (!core && entry.engine != TWINSIM_ENGINE_NONE) {
            used(entry, engine);
            if (entry.id != kNone)
                use_of(entry, engine).bytes += entry.bytes;
        }
        break;
    case TWINSIM_PHASE_BLOCK:
        used(entry,
             entry.engine == TWINSIM_ENGINE_AIV ? TWINSIM_RESOURCE_AIV : TWINSIM_RESOURCE_AIC);
        break;
    case TWINSIM_PHASE_LINK: {
        used(entry, TWINSIM_RESOURCE_LINK);
        const auto load = static_cast<unsigned __int128>(entry.bytes) *
                          (entry.end_ns - entry.begin_ns) / 1000000000u;
        use_of(entry, TWINSIM_RESOURCE_LINK).load_bytes += static_cast<uint64_t>(load);
        break;
    }
    default:
        break;
    }
}

void Stats::set_most(uint32_t device, twinsim_resource resource, uint32_t index, uint32_t most)
{
    if (index == kNone)
        devices_[device].most[resource] = most;
    else
        devices_[device].uses[resource][index].most = most;
}

void Stats::device(uint32_t device, twinsim_device_counts &out) const
{
    out = devices_[device].sums;
}

void Stats::wait(uint32_t device, twinsim_cause cause, twinsim_wait_counts &out) const
{
    const Histogram &all = devices_[device].waits[cause];
    out = {all.count(),        all.total(),        all.most(),
           all.percentile(50), all.percentile(90), all.percentile(99)};
}

bool Stats::use(uint32_t device, twinsim_resource resource, uint32_t index,
                twinsim_use_counts &out) const
{
    const std::vector<twinsim_use_counts> &uses = devices_[device].uses[resource];
    out = {};
    if (index != kNone) {
        if (index >= uses.size())
            return false;
        out = uses[index];
        return true;
    }
    for (const twinsim_use_counts &use : uses) {
        out.uses += use.uses;
        out.busy_ns += use.busy_ns;
        out.bytes += use.bytes;
        out.load_bytes += use.load_bytes;
    }
    out.most = devices_[device].most[resource];
    return true;
}

} // namespace tsim
