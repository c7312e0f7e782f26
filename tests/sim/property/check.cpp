// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace property
{

Task::Task(const job::Step &step, uint64_t place, uint32_t in_round)
    : sq(step.queue), number(place), round(in_round),
      kind(step.kind == Kind::kWriteEvent ? Kind::kEventRecord : step.kind),
      id(static_cast<uint32_t>(step.args[0])), value(step.args[2])
{
    const bool to_host = step.args[0] < job::kDeviceMemory;
    if (kind == Kind::kFill) {
        way = to_host ? Way::kFillHost : Way::kFillDevice;
    } else if (kind == Kind::kSdma || kind == Kind::kPcie) {
        pcie = kind == Kind::kPcie;
        way = step.args[1] < job::kDeviceMemory ? (to_host ? Way::kHost : Way::kToDevice)
                                                : (to_host ? Way::kToHost : Way::kWithin);
    }
    if (way != Way::kNone)
        bytes = step.args[2];
}

// ---- memory -----------------------------------------------------------------------------------

Contents::Contents(Rig &rig) : rig_(rig)
{
    for (uint64_t p = 0; p < job::kPatterns; ++p) {
        const uint64_t offset = p * job::kPatternBytes;
        uint64_t state = p + 77;
        for (uint64_t i = 0; i < job::kPatternBytes; i += 8) {
            const uint64_t word = tsim::mix(state);
            std::memcpy(rig_.host(offset + i), &word, 8);
        }
        std::memcpy(rig_.hbm(offset), rig_.host(offset), job::kPatternBytes);
    }
}

void Contents::apply(const job::Step &step)
{
    const uint64_t to = step.args[0], from = step.args[1], bytes = step.args[2];
    if (step.kind == Kind::kFill) {
        ranges_[to] = {bytes, kFilled + from};
    } else if (step.kind == Kind::kSdma || step.kind == Kind::kPcie) {
        const auto earlier = ranges_.find(from);
        ranges_[to] = {bytes, earlier == ranges_.end() ? from : earlier->second.pattern};
    }
}

const uint8_t *Contents::at(uint64_t address) const
{
    return address < job::kDeviceMemory ? rig_.host(address - job::kHostMemory)
                                        : rig_.hbm(address - job::kDeviceMemory);
}

std::string Contents::wrong_bytes() const
{
    for (const auto &one : ranges_) {
        const Range &range = one.second;
        const uint8_t *const bytes = at(one.first);
        const bool good =
            range.pattern >= kFilled
                ? std::all_of(bytes, bytes + range.bytes,
                              [&](uint8_t byte) { return byte == range.pattern - kFilled; })
                : std::memcmp(bytes, at(range.pattern), range.bytes) == 0;
        if (!good)
            return "the range at " + std::to_string(one.first) +
                   " has other bytes than were copied there";
    }
    return "";
}

// ---- while it runs ----------------------------------------------------------------------------

uint32_t Watcher::read(uint64_t offset)
{
    uint32_t value = 0;
    (void)rig_.device().read(offset, value);
    return value;
}

std::string Watcher::look(bool each)
{
    if (!each)
        slots_.clear();
    std::map<uint32_t, uint32_t> owner;
    std::vector<uint32_t> leaving;
    for (const uint32_t sq : queues_) {
        const uint64_t page = uint64_t{sq} * STARS_SQ_PAGE;
        const bool mapped = read(page + STARS_SQ_MAPPED) != 0;
        (void)rig_.device().write(uint64_t{STARS_BLOCK_BASE} + STARS_RTSQ_SELECT, sq);
        const uint32_t state = read(uint64_t{STARS_BLOCK_BASE} + STARS_RTSQ_STATE);
        const auto at = " at " + std::to_string(rig_.now()) + " ns, queue " + std::to_string(sq) +
                        " in state " + std::to_string(state);
        const bool in_slot = state == STARS_RTSQ_SLOT_ENABLE || state == STARS_RTSQ_WORKING ||
                             state == STARS_RTSQ_OPERATION || state == STARS_RTSQ_WAIT_SLOT_IDLE ||
                             state == STARS_RTSQ_READ_SENT || state == STARS_RTSQ_WAIT_RECORD;
        const bool out = state == STARS_RTSQ_WAIT_SWAP_OUT || state == STARS_RTSQ_SLOT_DISABLE;
        if (mapped && (out || state == STARS_RTSQ_IDLE || state == STARS_RTSQ_POLL_FLAG))
            return "T-SCH-21: a slot" + at;
        if (!mapped && in_slot)
            return "T-SCH-21: no slot" + at;
        if (mapped) {
            const uint32_t slot = read(page + STARS_SQ_SLOT);
            if (slot >= rig_.params().slots.value)
                return "T-SCH-3: a slot that is not there" + at;
            if (!owner.emplace(slot, sq).second)
                return "T-SCH-3: the slot of another" + at;
            slots_[sq] = slot;
        } else if (out && slots_.count(sq) != 0) {
            leaving.push_back(slots_[sq]);
        }
    }
    for (const uint32_t slot : leaving)
        if (owner.count(slot) != 0)
            return "T-SCH-19: slot " + std::to_string(slot) +
                   " has a queue while another leaves it, at " + std::to_string(rig_.now()) + " ns";
    return "";
}

// ---- afterwards -------------------------------------------------------------------------------

Checker::Checker(Rig &rig, const std::vector<Task> &tasks,
                 const std::vector<HostRecord> &host_records)
    : params_(rig.params()), tasks_(tasks), host_records_(host_records)
{
    const tsim::Trace &trace = rig.system().trace();
    const size_t count = trace.count();
    const twinsim_trace_entry *entries = trace.entries();
    for (size_t i = 0; i < count; ++i) {
        const twinsim_trace_entry &r = entries[i];
        const Span span{r.begin_ns, r.end_ns, r.id};
        if (r.phase == TWINSIM_PHASE_LINK) {
            rates_[r.id].emplace_back(span, r.bytes);
            continue;
        }
        if (r.phase == TWINSIM_PHASE_OCCUPY) {
            occupied_[r.sq].push_back(span);
            continue;
        }
        if (r.phase == TWINSIM_PHASE_SHARE || r.sq == UINT16_MAX)
            continue;
        Seen &seen = seen_[{r.sq, r.number}];
        switch (r.phase) {
        case TWINSIM_PHASE_DECODE:
        case TWINSIM_PHASE_HOLD:
            if (r.phase == TWINSIM_PHASE_DECODE || r.id == TWINSIM_HOLD_BEFORE)
                seen.ready = std::max(seen.ready, r.end_ns);
            break;
        case TWINSIM_PHASE_TABLE:
            seen.table.push_back(span);
            break;
        case TWINSIM_PHASE_PARK:
            seen.park.push_back(span);
            seen.waker_sq = r.waker_sq;
            seen.waker_number = r.waker_number;
            break;
        case TWINSIM_PHASE_SETUP:
            seen.setup.push_back(span);
            break;
        case TWINSIM_PHASE_TRANSFER:
            seen.transfer.push_back(span);
            seen.bytes += r.bytes;
            break;
        case TWINSIM_PHASE_PROGRAM:
            seen.program.push_back(span);
            break;
        case TWINSIM_PHASE_MESSAGE:
            seen.message = true;
            seen.message_begin = r.begin_ns;
            break;
        case TWINSIM_PHASE_TASK:
            seen.task = span;
            ++seen.tasks;
            break;
        default:
            break;
        }
        const bool works = r.phase == TWINSIM_PHASE_DECODE || r.phase == TWINSIM_PHASE_TABLE ||
                           r.phase == TWINSIM_PHASE_SETUP || r.phase == TWINSIM_PHASE_TRANSFER ||
                           r.phase == TWINSIM_PHASE_PROGRAM || r.phase == TWINSIM_PHASE_MESSAGE ||
                           r.phase == TWINSIM_PHASE_RETIRE || r.phase == TWINSIM_PHASE_FETCH;
        if (works)
            seen.work.push_back(span);
    }
    for (const Task &task : tasks_) // so that at() finds all
        (void)seen_[{task.sq, task.number}];
}

std::string Checker::name(const Task &task)
{
    return "SQE " + std::to_string(task.number) + " of queue " + std::to_string(task.sq);
}

// A table access, a store or a transfer comes last before retirement.
uint64_t Checker::effect_at(const Seen &seen)
{
    return !seen.transfer.empty() ? seen.transfer.back().end
           : !seen.table.empty()  ? seen.table.back().end
                                  : seen.ready;
}

uint64_t Checker::passed_at(const Seen &seen)
{
    return std::max(seen.park.empty() ? 0 : seen.park.back().end,
                    seen.table.empty() ? seen.ready : seen.table.back().end);
}

uint32_t Checker::most_at_once(const std::vector<Span> &spans)
{
    std::vector<std::pair<uint64_t, int>> edges;
    for (const Span &span : spans) {
        if (span.begin == span.end)
            continue;
        edges.emplace_back(span.begin, 1);
        edges.emplace_back(span.end, -1);
    }
    std::sort(edges.begin(), edges.end()); // ends before begins of the same instant
    int64_t open = 0, most = 0;
    for (const auto &edge : edges)
        most = std::max(most, open += edge.second);
    return static_cast<uint32_t>(most);
}

// T-SCH-7: each SQE once, one at a time, in ring order.
std::string Checker::order() const
{
    std::map<uint32_t, const Task *> last;
    for (const Task &task : tasks_) {
        const Seen &now = seen(task);
        if (now.tasks != 1)
            return "T-SCH-7: " + name(task) + " ended " + std::to_string(now.tasks) + " times";
        const Task *&before = last[task.sq];
        if (before && seen(*before).task.end > now.task.begin)
            return "T-SCH-7: " + name(task) + " began before the one before it had ended";
        before = &task;
    }
    return "";
}

// T-EVT-1 to T-EVT-4: no wait passes before a record, and what wakes it is one.
std::string Checker::events() const
{
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> first; // round, event
    std::set<std::pair<Key, uint32_t>> records;
    for (const Task &task : tasks_) {
        if (task.kind != Kind::kEventRecord)
            continue;
        const auto at = first.emplace(std::make_pair(task.round, task.id), UINT64_MAX).first;
        at->second = std::min(at->second, effect_at(seen(task)));
        records.insert({{task.sq, task.number}, task.id});
    }
    for (const Task &task : tasks_) {
        if (task.kind != Kind::kEventWait)
            continue;
        const Seen &wait = seen(task);
        const auto record = first.find({task.round, task.id});
        if (record == first.end() || passed_at(wait) < record->second)
            return "T-EVT-3: " + name(task) + " passed before event " + std::to_string(task.id) +
                   " was recorded";
        if (!wait.park.empty() && records.count({{wait.waker_sq, wait.waker_number}, task.id}) == 0)
            return "T-EVT-4: " + name(task) +
                   " was woken by something else than a record of its event";
    }
    return "";
}

// T-NTF-2, T-NTF-3: at no time have more waits passed than there were records.
std::string Checker::notifies() const
{
    std::map<uint32_t, std::vector<std::pair<uint64_t, int>>> edges;
    for (const Task &task : tasks_) {
        if (task.kind == Kind::kNotifyRecord)
            edges[task.id].emplace_back(effect_at(seen(task)), 0);
        else if (task.kind == Kind::kNotifyWait)
            edges[task.id].emplace_back(passed_at(seen(task)), 1);
    }
    for (const HostRecord &record : host_records_)
        edges[record.notify].emplace_back(record.at, 0);
    for (auto &one : edges) {
        std::sort(one.second.begin(), one.second.end());
        int64_t left = 0;
        for (const auto &edge : one.second) {
            left += edge.second == 0 ? 1 : -1;
            if (left < 0)
                return "T-NTF-2: notify " + std::to_string(one.first) +
                       " let more waits pass than it had records, at " +
                       std::to_string(edge.first) + " ns";
        }
    }
    return "";
}

// T-CTN-2: when a wait passes, what it needs has been added.
std::string Checker::counts() const
{
    for (const Task &task : tasks_) {
        if (task.kind != Kind::kCountWait)
            continue;
        uint64_t added = 0;
        for (const Task &other : tasks_)
            if (other.kind == Kind::kCountRecord && other.round == task.round &&
                other.id == task.id && effect_at(seen(other)) <= passed_at(seen(task)))
                added += other.value;
        if (added < task.value)
            return "T-CTN-2: " + name(task) + " passed with a count of " + std::to_string(added);
    }
    return "";
}

// T-MEM-3, T-COND-8: the word was written before the program that polls it passed.
std::string Checker::words() const
{
    std::map<uint32_t, uint64_t> written;
    for (const Task &task : tasks_)
        if (task.kind == Kind::kWriteMemory)
            written[task.id] = effect_at(seen(task));
    for (const Task &task : tasks_)
        if (task.kind == Kind::kPoll && seen(task).task.end < written.at(task.id))
            return "T-MEM-3: " + name(task) + " saw a word before it was written";
    return "";
}

// T-SCH-2, T-SCH-3, T-SCH-19: work in slots alone, not more than there are, none before its last
// queue was swapped out.
std::string Checker::slots() const
{
    std::vector<Span> all;
    std::map<uint32_t, std::vector<Span>> by_slot;
    for (const auto &queue : occupied_)
        for (const Span &span : queue.second) {
            all.push_back(span);
            by_slot[span.id].push_back(span);
        }
    if (most_at_once(all) > params_.slots.value)
        return "T-SCH-3: " + std::to_string(most_at_once(all)) + " queues in slots at once";
    const uint64_t out = params_.to_ns(params_.drain.value + params_.slot_disable.value);
    for (auto &slot : by_slot) {
        std::sort(slot.second.begin(), slot.second.end(),
                  [](const Span &a, const Span &b) { return a.begin < b.begin; });
        for (size_t i = 1; i < slot.second.size(); ++i)
            if (slot.second[i].begin < slot.second[i - 1].end)
                return "T-SCH-19: slot " + std::to_string(slot.first) +
                       " was given away too early, at " + std::to_string(slot.second[i].begin) +
                       " ns";
    }
    for (const Task &task : tasks_)
        for (const Span &work : seen(task).work) {
            const auto spans = occupied_.find(task.sq);
            const auto within = [&](const Span &s) {
                return s.begin <= work.begin && work.end + out <= s.end;
            };
            if (spans == occupied_.end() ||
                std::none_of(spans->second.begin(), spans->second.end(), within))
                return "T-SCH-2: " + name(task) + " worked without a slot, at " +
                       std::to_string(work.begin) + " ns";
        }
    return "";
}

// T-SCH-8: from the first thing that needs a share to retirement.
std::string Checker::classes() const
{
    std::vector<Span> sdma, pcie, cond, cpu;
    for (const Task &task : tasks_) {
        const Seen &one = seen(task);
        if (!one.setup.empty())
            (task.pcie ? pcie : sdma).push_back({one.setup.front().begin, one.task.end, 0});
        for (const Span &program : one.program) // a program that polls gives its share back between
            cond.push_back(program);
        if (one.message)
            cpu.push_back({one.message_begin, one.task.end, 0});
    }
    const struct {
        const std::vector<Span> &spans;
        const tsim::Setting &cap;
        const char *name;
    } all[] = {{sdma, params_.sdma_cap, "SDMA"},
               {pcie, params_.pcie_dma_cap, "PCIe DMA"},
               {cond, params_.cond_cap, "COND"},
               {cpu, params_.cpu_topic_cap, "callback"}};
    for (const auto &one : all)
        if (most_at_once(one.spans) > one.cap.value)
            return std::string("T-SCH-8: ") + std::to_string(most_at_once(one.spans)) + " " +
                   one.name + " SQEs at once";
    return "";
}

// T-DMA-1, T-DMA-6: a channel belongs to one SQE from set-up to the end of its bytes.
std::string Checker::channels() const
{
    std::map<std::pair<bool, uint32_t>, std::vector<Span>> by_channel;
    for (const Task &task : tasks_) {
        const Seen &one = seen(task);
        if (one.setup.empty() || one.transfer.empty())
            continue;
        const uint64_t limit =
            task.pcie ? params_.pcie_channels.value : params_.sdma_channels.value;
        if (one.setup.front().id >= limit)
            return "T-DMA-1: " + name(task) + " has a channel that is not there";
        by_channel[{task.pcie, one.setup.front().id}].push_back(
            {one.setup.front().begin, one.transfer.back().end, 0});
    }
    for (const auto &channel : by_channel)
        if (most_at_once(channel.second) > 1)
            return "T-DMA-1: channel " + std::to_string(channel.first.second) +
                   " has two SQEs at once";
    return "";
}

// T-LNK-1 to T-LNK-7: no byte is lost, and no link carries more than it can, in any stretch of time
// between two transfers' edges.
std::string Checker::links() const
{
    enum { kDown, kUp, kHbm, kLinks };
    const uint64_t rate[kLinks] = {params_.pcie_to_device.value, params_.pcie_to_host.value,
                                   params_.hbm_mb_s()};
    struct Load {
        Span span;
        uint64_t bytes;
    };
    std::vector<Load> loads[kLinks];
    for (const Task &task : tasks_) {
        if (task.bytes == 0)
            continue;
        const Seen &one = seen(task);
        if (one.transfer.size() != 1 || one.bytes != task.bytes)
            return "T-LNK-3: " + name(task) + " moved " + std::to_string(one.bytes) + " of " +
                   std::to_string(task.bytes) + " bytes";
        uint32_t weight[kLinks] = {0, 0, 0};
        switch (task.way) {
        case Way::kToDevice:
            weight[kDown] = weight[kHbm] = 1;
            break;
        case Way::kToHost:
            weight[kUp] = weight[kHbm] = 1;
            break;
        case Way::kWithin:
            weight[kHbm] = 2;
            break;
        case Way::kHost:
            weight[kUp] = weight[kDown] = 1;
            break;
        case Way::kFillDevice:
            weight[kHbm] = 1;
            break;
        default:
            weight[kUp] = 1;
            break;
        }
        for (int link = 0; link < kLinks; ++link)
            if (weight[link] != 0)
                loads[link].push_back({one.transfer.front(), weight[link] * task.bytes});
    }
    for (int link = 0; link < kLinks; ++link) {
        auto &all = loads[link];
        std::sort(all.begin(), all.end(),
                  [](const Load &a, const Load &b) { return a.span.end < b.span.end; });
        // Within a stretch no more bytes end that also began there than the link carries; T-LNK-5
        // forgives 2^-12 each.
        for (const Load &from : all) {
            uint64_t bytes = 0;
            for (size_t i = 0; i < all.size(); ++i) {
                if (all[i].span.begin < from.span.begin)
                    continue;
                bytes += all[i].bytes;
                const uint64_t length = all[i].span.end - from.span.begin;
                if ((bytes - std::min<uint64_t>(bytes, 1 + i / 1024)) * 1000 > rate[link] * length)
                    return "T-LNK-4: link " + std::to_string(link) + " moved " +
                           std::to_string(bytes) + " bytes in " + std::to_string(length) +
                           " ns, from " + std::to_string(from.span.begin) + " ns on";
            }
        }
        uint64_t sum = 0;
        for (const Load &load : all)
            sum += load.bytes;
        const auto rates = rates_.find(static_cast<uint32_t>(link));
        double served = 0;
        if (rates != rates_.end())
            for (const auto &part : rates->second) {
                if (part.second > rate[link] * 1000000)
                    return "T-LNK-1: link " + std::to_string(link) + " is faster than it can be";
                served += static_cast<double>(part.second) * 1e-9 *
                          static_cast<double>(part.first.end - part.first.begin);
            }
        // A transfer ends at a cycle's edge, so the trace may show each up to a cycle of its link
        // too long; rates are rounded down.
        const double cycle =
            static_cast<double>(rate[link]) * 1e-3 * static_cast<double>(params_.cycle_ns);
        const double total = static_cast<double>(sum);
        if (served > total + cycle * static_cast<double>(all.size() + 1) ||
            served < total * (1 - 1e-6) - static_cast<double>(all.size() + 1))
            return "T-LNK-4: link " + std::to_string(link) + " served " + std::to_string(served) +
                   " of " + std::to_string(sum) + " bytes";
    }
    return "";
}

std::string Checker::first_fault()
{
    for (const auto check :
         {&Checker::order, &Checker::events, &Checker::notifies, &Checker::counts, &Checker::words,
          &Checker::slots, &Checker::classes, &Checker::channels, &Checker::links}) {
        std::string fault = (this->*check)();
        if (!fault.empty())
            return fault;
    }
    return "";
}

} // namespace property
