// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "backends/sim/graph/cond_program.h"

namespace property
{

namespace
{
constexpr uint64_t kWords =
    1 << 20; // offset of the words that queues write and poll, in device memory
constexpr uint64_t kBuffers = 4 << 20;  // offset of what copies write
constexpr uint64_t kMaximum = 48 << 20; // of copies' bytes on one side

// Goes back to itself until the word at `offset` is at least `value`.
stars_sqe poll_of(uint32_t sq, uint32_t place, uint64_t offset, uint64_t value)
{
    stars_sqe sqe{};
    sqe.word[0] = STARS_SQE_COND;
    sqe.word[3] = STARS_CREDIT_NEVER << STARS_W3_CREDIT_SHIFT;
    sim_cond c;
    sim_cond_begin(&c, &sqe.word[STARS_COND_WORD], STARS_COND_WORDS);
    sim_cond_load_address(&c, SIM_R1, Rig::kHbm + offset, STARS_COND_DOUBLE);
    sim_cond_constant(&c, SIM_R2, value);
    sim_cond_branch(&c, STARS_COND_NOT_BELOW, SIM_R1, SIM_R2, 0);
    sim_cond_goto(&c, sq, place);
    sim_cond_label(&c, 0);
    if (!sim_cond_end(&c))
        std::abort();
    return sqe;
}
} // namespace

Program::Program(Rig &rig, Dice &dice, std::vector<uint32_t> queues)
    : rig_(rig), dice_(dice), queues_(std::move(queues))
{
    for (uint32_t p = 0; p < kPatterns; ++p) {
        const uint64_t offset = p * kPatternBytes;
        uint64_t state = p + 77;
        for (uint64_t i = 0; i < kPatternBytes; i += 8) {
            const uint64_t word = tsim::mix(state);
            std::memcpy(rig_.host(offset + i), &word, 8);
        }
        std::memcpy(rig_.hbm(offset), rig_.host(offset), kPatternBytes);
    }
    for (const uint32_t sq : queues_)
        rig_.open(sq, static_cast<uint8_t>(dice_.one_in(2) ? 0 : dice_.draw(8)), kDepth,
                  dice_.one_in(2) ? 64 : 8);
}

bool Program::fits(uint32_t sq, uint32_t more) const
{
    const auto it = in_ring_.find(sq);
    return (it == in_ring_.end() ? 0 : it->second) + more < kDepth - 4;
}

Task &Program::put(uint32_t sq, stars_sqe sqe, Kind kind)
{
    if (dice_.one_in(4))
        sqe = sqe_with_cqe(sqe);
    if (dice_.one_in(24))
        sqe.word[0] |= (1 + dice_.draw(3)) << STARS_W0_PRE_P_SHIFT;
    if (dice_.one_in(24))
        sqe.word[0] |= (1 + dice_.draw(3)) << STARS_W0_POST_P_SHIFT;
    sqe.word[0] |= dice_.draw(4) << STARS_W0_IE_SHIFT;
    rig_.write(sq, sqe);
    ++in_ring_[sq];
    if (dice_.one_in(2))
        rig_.ring(sq, rig_.now() + dice_.draw(6000));
    Task task{};
    task.sq = sq;
    task.number = rig_.sent(sq);
    task.round = round_;
    task.kind = kind;
    tasks_.push_back(task);
    return tasks_.back();
}

uint32_t Program::record(uint32_t sq)
{
    // The upper half of the table belongs to copies.
    const uint32_t event = dice_.draw(dice_.one_in(8) ? rig_.params().events.value / 2 : 24);
    const bool by_write = dice_.one_in(4);
    put(sq, by_write ? sqe_event_write(event, 1) : sqe_event_record(event), Kind::kEventRecord).id =
        event;
    events_.push_back(event);
    return event;
}

void Program::put_event(uint32_t sq)
{
    if (events_.empty() || dice_.one_in(3))
        record(sq);
    else {
        const uint32_t event = events_[dice_.draw(events_.size())];
        put(sq, sqe_event_wait(event, 0), Kind::kEventWait).id = event;
    }
}

// A record, and the one wait for it on another queue or after it.
void Program::put_notify(uint32_t sq)
{
    const uint32_t other = some_queue();
    if (next_notify_ >= rig_.params().notifies.value || !fits(other, 2))
        return;
    const uint32_t notify = next_notify_++;
    put(sq, sqe_notify_record(notify), Kind::kNotifyRecord).id = notify;
    put(other, sqe_notify_wait(notify, 0), Kind::kNotifyWait).id = notify;
}

void Program::put_count(uint32_t sq)
{
    if (rig_.params().count_notifies.value == 0)
        return;
    const uint32_t id = dice_.draw(std::min<uint64_t>(3, rig_.params().count_notifies.value));
    uint64_t &total = counts_[id];
    if (total == 0 || dice_.one_in(2)) {
        const uint32_t add = 1 + dice_.draw(5);
        Task &task = put(sq, sqe_count_record(id, STARS_COUNT_ADD, add), Kind::kCountRecord);
        task.id = id;
        task.value = add;
        total += add;
    } else {
        const uint32_t need = 1 + dice_.draw(total);
        Task &task =
            put(sq, sqe_count_wait(id, STARS_COUNT_GREATER_OR_EQUAL, need, 0, 0), Kind::kCountWait);
        task.id = id;
        task.value = need;
    }
}

// A word that one queue writes and another polls.
void Program::put_word(uint32_t sq)
{
    const uint32_t other = some_queue();
    if (!fits(other, 2))
        return;
    const uint64_t offset = kWords + 8ull * next_word_;
    put(sq, sqe_write_value(Rig::kHbm + offset, 3, 5), Kind::kWrite).id = next_word_;
    const auto place = static_cast<uint32_t>(rig_.sent(other) % kDepth);
    put(other, poll_of(other, place, offset, 5), Kind::kPoll).id = next_word_;
    ++next_word_;
}

uint64_t Program::place(uint64_t bytes, bool host)
{
    uint64_t &next = next_[host ? 0 : 1];
    const uint64_t offset = kBuffers + next;
    next += (bytes + 63) / 64 * 64;
    return (host ? Rig::kHost : Rig::kHbm) + offset;
}

// From a pattern, or from a buffer that another queue filled before: then after a wait for the
// event recorded after that copy.
void Program::put_copy(uint32_t sq)
{
    const bool host = dice_.one_in(2);
    if (next_[host ? 0 : 1] > kMaximum || !fits(sq, 4))
        return;
    if (dice_.one_in(8)) {
        const auto value = static_cast<uint8_t>(dice_.draw(256));
        const uint32_t bytes = 1 + dice_.draw(20000);
        const uint64_t to = place(bytes, host);
        Task &task = put(sq, sqe_sdma_fill(to, value, bytes), Kind::kFill);
        task.bytes = bytes;
        task.way = host ? Way::kFillHost : Way::kFillDevice;
        buffers_.push_back({to, bytes, host, kFilled + value, tsim::kNone, sq, round_});
        return;
    }
    uint64_t from = 0, bytes = 1 + dice_.draw(uint64_t{1} << (3 + dice_.draw(15)));
    bool from_host = dice_.one_in(2);
    uint32_t pattern = dice_.draw(kPatterns);
    from = (from_host ? Rig::kHost : Rig::kHbm) + pattern * kPatternBytes;
    if (!buffers_.empty() && dice_.one_in(2)) {
        const Buffer &earlier = buffers_[dice_.draw(buffers_.size())];
        const bool waits = earlier.round == round_ && earlier.sq != sq;
        if (!waits || earlier.event != tsim::kNone) {
            if (waits)
                put(sq, sqe_event_wait(earlier.event, 0), Kind::kEventWait).id = earlier.event;
            from = earlier.address;
            bytes = earlier.bytes;
            from_host = earlier.host;
            pattern = earlier.pattern;
        }
    }
    const uint64_t to = place(bytes, host);
    const bool pcie = dice_.one_in(2);
    Task &task = put(
        sq, pcie ? sqe_pcie_dma(to, from, bytes) : sqe_sdma(to, from, static_cast<uint32_t>(bytes)),
        Kind::kCopy);
    task.bytes = bytes;
    task.pcie = pcie;
    task.way =
        from_host ? (host ? Way::kHost : Way::kToDevice) : (host ? Way::kToHost : Way::kWithin);
    Buffer buffer{to, bytes, host, pattern, tsim::kNone, sq, round_};
    if (dice_.one_in(2)) {
        // A new event: one recorded before would let the reader pass too early.
        buffer.event = static_cast<uint32_t>(rig_.params().events.value) - 1 -
                       static_cast<uint32_t>(buffers_.size());
        put(sq, sqe_event_record(buffer.event), Kind::kEventRecord).id = buffer.event;
    }
    buffers_.push_back(buffer);
}

// The last SQE of several queues waits for one notify, of which there is one record.
void Program::put_contest()
{
    contest_ = {};
    if (next_notify_ >= rig_.params().notifies.value || queues_.size() < 3 || !dice_.one_in(2))
        return;
    contest_.notify = next_notify_++;
    put(queues_[0], sqe_notify_record(contest_.notify), Kind::kNotifyRecord).id = contest_.notify;
    for (size_t i = 1; i < queues_.size(); ++i) {
        Task &task = put(queues_[i], sqe_notify_wait(contest_.notify, 0), Kind::kNotifyWait);
        task.id = contest_.notify;
        contest_.waits.push_back(task);
    }
}

void Program::put_round()
{
    in_ring_.clear();
    events_.clear();
    counts_.clear();
    const uint32_t steps = 3 + dice_.draw(60);
    for (uint32_t i = 0; i < steps; ++i) {
        const uint32_t sq = some_queue();
        if (!fits(sq, 5))
            continue;
        switch (dice_.draw(16)) {
        case 0:
            put(sq, sqe_placeholder(), Kind::kPlaceholder);
            break;
        case 1:
        case 2:
        case 3:
        case 4:
            put_event(sq);
            break;
        case 5:
        case 6:
            put_notify(sq);
            break;
        case 7:
        case 8:
            put_count(sq);
            break;
        case 9:
            put_word(sq);
            break;
        case 10:
            put(sq, sqe_callback(0, 0, 0, dice_.one_in(2)), Kind::kCallback);
            break;
        default:
            put_copy(sq);
            break;
        }
    }
    put_contest();
    for (const uint32_t sq : queues_)
        rig_.ring(sq, rig_.now() + dice_.draw(6000));
}

void Program::end_round()
{
    auto &scheduler = rig_.device().scheduler();
    for (const Task &task : tasks_) {
        if (task.round != round_)
            continue;
        if (task.kind == Kind::kEventRecord)
            scheduler.write_event(task.id, false);
        else if (task.kind == Kind::kCountRecord)
            scheduler.write_count(task.id, 0);
    }
    ++round_;
}

std::string Program::wrong_bytes() const
{
    for (size_t i = 0; i < buffers_.size(); ++i) {
        const Buffer &b = buffers_[i];
        const uint8_t *at =
            b.host ? rig_.host(b.address - Rig::kHost) : rig_.hbm(b.address - Rig::kHbm);
        bool good = true;
        if (b.pattern >= kFilled)
            good = std::all_of(at, at + b.bytes,
                               [&](uint8_t byte) { return byte == b.pattern - kFilled; });
        else
            good = std::memcmp(at, rig_.host(b.pattern * kPatternBytes), b.bytes) == 0;
        if (!good)
            return "buffer " + std::to_string(i) + " of queue " + std::to_string(b.sq) +
                   ", round " + std::to_string(b.round) +
                   ", holds other bytes than were copied there";
    }
    return "";
}

} // namespace property
