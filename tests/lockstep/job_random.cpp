// SPDX-License-Identifier: Apache-2.0
/// Random jobs. Those for lock step have few queues, few ids and short times, so that much meets in
/// one cycle.
#include "job_random.h"

#include <algorithm>
#include <map>

namespace job
{

namespace
{

void random_machine(Dice &dice, Job &job)
{
    // Nothing takes time, things take about the same time, or each its own.
    const uint64_t longest = dice.one_in(4) ? 1 : dice.one_in(3) ? 4 : 60;
    for (const Number time :
         {kArbitration, kCqWrite, kDecode, kDrain, kEnable, kEvent, kEventMiss, kNotify, kPcieSetup,
          kRead, kRecord, kRetire, kSdmaSetup, kSlotDisable, kStore})
        if (!dice.one_in(8))
            job.machine[time] = dice.below(longest + 1);
    job.machine[kCreditUnit] = dice.between(1, 2 * longest);
    job.machine[kSlots] = dice.one_in(3) ? 1 : dice.between(1, 6);
    job.machine[kWindow] = dice.between(1, 9);
    job.machine[kSdmaCap] = dice.between(1, 3);
    job.machine[kPcieCap] = dice.between(1, 3);
    job.machine[kSdmaChannels] = dice.between(1, 3);
    job.machine[kPcieChannels] = dice.between(1, 3);
    job.machine[kSdmaShift] = dice.below(7);
    job.machine[kPcieShift] = dice.below(7);
    job.machine[kStrictLevel] = dice.below(8);
    job.machine[kEvents] = dice.between(1, 8);
    job.machine[kNotifies] = dice.between(1, 6);
    job.machine[kEventCached] = dice.one_in(2) ? 128 : dice.between(1, 3);
}

// Bursts of which transfers have some, on links that are full with one channel, with several, or
// never.
void random_bursts(Dice &dice, Job &job)
{
    if (!dice.one_in(3))
        return;
    job.machine[kBurst] = dice.one_in(2) ? uint64_t{32} << dice.below(5) : dice.between(32, 700);
    job.machine[kOutstanding] = dice.one_in(3) ? 1 : dice.between(2, 9);
    for (const Number link : {kHbm, kToDevice, kToHost})
        job.machine[link] = dice.one_in(2) ? 1000 * dice.between(1, 90) : dice.between(900, 90000);
}

// Which queues, and when most of it happens: what does not fit into 32 bits is met too.
struct Place {
    explicit Place(Dice &dice)
        : from_the_end(dice.one_in(4)),
          late(dice.one_in(4) ? (uint64_t{1} << dice.between(32, 40)) - dice.below(600) : 0)
    {
    }
    bool from_the_end; // the last queue first
    uint64_t late;     // cycles in which nothing happens, but for what is rung at once
};

/// Adds steps to a job.
class Writer
{
  protected:
    Writer(Dice &dice, Job &job) : dice_(dice), job_(job) {}
    void add(const Step &step) { job_.steps.push_back(step); }
    uint32_t queue() { return queues_[dice_.below(queues_.size())]; }
    bool is_open(uint32_t sq) const
    {
        return std::find(queues_.begin(), queues_.end(), sq) != queues_.end();
    }
    void ring(uint32_t sq, uint64_t latest)
    {
        add({Kind::kRing, sq, {dice_.one_in(2) ? 0 : dice_.below(latest)}});
    }

    Dice &dice_;
    Job &job_;
    std::vector<uint32_t> queues_;
};

class Program : Writer
{
  public:
    Program(Dice &dice, const Place &place, Job &job) : Writer(dice, job), place_(place) {}

    void make()
    {
        const uint64_t count = dice_.between(1, 8);
        for (uint64_t i = 0; i < count; ++i)
            open(static_cast<uint32_t>(dice_.one_in(3) ? dice_.below(kQueues) : i));
        if (place_.late != 0)
            sleep();
        const uint64_t rounds = dice_.between(1, 5);
        for (uint64_t round = 0; round < rounds; ++round) {
            const uint64_t tasks = dice_.between(1, 25);
            for (uint64_t i = 0; i < tasks; ++i) {
                task(queue());
                if (dice_.one_in(6))
                    ring(queue(), 300);
            }
            for (const uint32_t sq : queues_)
                if (!dice_.one_in(8))
                    ring(sq, 300);
            const uint64_t talks = dice_.below(6);
            for (uint64_t i = 0; i < talks; ++i) {
                add({Kind::kRun, 0, {now_ += dice_.below(400)}});
                software();
            }
        }
        // What still waits is released in part.
        for (uint64_t i = dice_.below(12); i > 0; --i) {
            add({Kind::kRun, 0, {now_ += dice_.below(3000)}});
            software();
        }
    }

  private:
    // Time passes where something is left to happen: here an SQE that is seen then.
    void sleep()
    {
        now_ = place_.late;
        add({Kind::kPlaceholder, queues_[0]});
        add({Kind::kRing, queues_[0], {now_ + 200}});
        add({Kind::kRun, 0, {now_}});
    }

    void open(uint32_t sq)
    {
        if (place_.from_the_end)
            sq = kQueues - 1 - sq;
        if (is_open(sq))
            return;
        queues_.push_back(sq);
        add({Kind::kQueue,
             sq,
             {dice_.below(8), dice_.one_in(2) ? 0 : dice_.below(4), uint64_t{4} << dice_.below(5),
              uint64_t{2} << dice_.below(5), dice_.one_in(12) ? 0u : 1u}});
    }

    uint64_t address(uint64_t bytes)
    {
        if (dice_.one_in(40))
            return 0x7777000; // no memory answers there
        return (dice_.one_in(2) ? kHostMemory : kDeviceMemory) + dice_.below(kMemory - bytes + 1);
    }

    // An id that is mostly one of the table's.
    uint64_t id(Number ids) { return dice_.below(job_.machine[ids] + (dice_.one_in(30) ? 2 : 0)); }
    uint64_t timeout() { return dice_.one_in(20) ? 1 : 0; }

    void task(uint32_t sq)
    {
        Step step{Kind::kPlaceholder, sq};
        const uint64_t choice = dice_.below(32);
        const uint64_t bytes = dice_.one_in(30) ? 0 : 1 + dice_.below(dice_.one_in(2) ? 64 : 1500);
        if (choice < 3) {
            step.args[0] = dice_.one_in(12) ? 1 : 0;
        } else if (choice < 9) {
            step = {Kind::kEventRecord, sq, {id(kEvents)}};
        } else if (choice < 14) {
            step = {Kind::kEventWait, sq, {id(kEvents), timeout()}};
        } else if (choice < 17) {
            step = {Kind::kNotifyRecord, sq, {id(kNotifies)}};
        } else if (choice < 20) {
            step = {Kind::kNotifyWait, sq, {id(kNotifies), timeout()}};
        } else if (choice < 22) {
            step = {Kind::kWriteEvent, sq, {id(kEvents), dice_.below(2)}};
        } else if (choice < 23) {
            step = {Kind::kWriteNotify, sq, {id(kNotifies), dice_.below(2)}};
        } else if (choice < 25) {
            const uint64_t code = dice_.below(dice_.one_in(20) ? 8 : 6);
            step = {Kind::kWriteMemory,
                    sq,
                    {address(uint64_t{1} << code), code, dice_.below(UINT64_MAX)}};
        } else if (choice < 28) {
            step = {Kind::kSdma, sq, {address(bytes), address(bytes), bytes}};
        } else if (choice < 29) {
            step = {Kind::kFill, sq, {address(bytes), dice_.below(256), bytes}};
        } else if (choice < 31) {
            step = {Kind::kPcie, sq, {address(bytes), address(bytes), bytes}};
        } else if (dice_.one_in(6)) {
            step = dice_.one_in(2) ? Step{Kind::kWriteNowhere, sq, {dice_.below(0x3000000)}}
                                   : Step{Kind::kType, sq, {32 + dice_.below(32)}};
        }
        step.cqe = dice_.one_in(3);
        step.credit = dice_.one_in(10)
                          ? static_cast<uint32_t>(dice_.one_in(4) ? 255 : dice_.between(1, 6))
                          : 0;
        step.pre = dice_.one_in(25) ? static_cast<uint32_t>(dice_.below(4)) : 0;
        step.post = dice_.one_in(25) ? static_cast<uint32_t>(dice_.below(4)) : 0;
        step.ie = dice_.one_in(15) ? static_cast<uint32_t>(dice_.below(4)) : 0;
        add(step);
    }

    void software()
    {
        switch (dice_.below(15)) {
        case 0:
        case 1:
            add({Kind::kCqTake, queue(), {dice_.between(1, 6)}});
            break;
        case 2:
        case 3:
            for (const uint32_t sq : queues_)
                add({Kind::kResume, sq});
            break;
        case 4:
            add({Kind::kResume, queue()});
            break;
        case 5:
        case 6:
            add({Kind::kHandled, queue()});
            break;
        case 7:
            add({Kind::kEnable, queue(), {dice_.below(3) != 0}});
            break;
        case 8:
            add({dice_.one_in(3) ? Kind::kHostClear : Kind::kHostRecord,
                 0,
                 {dice_.below(job_.machine[kEvents])}});
            break;
        case 9:
            add({dice_.one_in(4) ? Kind::kDebugPause : Kind::kPause, queue()});
            break;
        case 10:
            add({Kind::kDebugResume, queue()});
            break;
        case 11:
            add({Kind::kKill, queue()});
            break;
        case 12:
            if (dice_.one_in(3))
                add({Kind::kTerminate, queue()});
            else
                add({Kind::kPriority, queue(), {dice_.below(8), dice_.below(4)}});
            break;
        case 13:
            go_back(queue());
            break;
        default:
            add({dice_.one_in(3) ? Kind::kHostNotifyClear : Kind::kHostNotify,
                 0,
                 {dice_.below(job_.machine[kNotifies])}});
            break;
        }
    }

    // Some SQEs once more, or fewer of them, if the queue is at rest.
    void go_back(uint32_t sq)
    {
        add({Kind::kEnable, sq, {0}});
        if (dice_.one_in(2))
            add({Kind::kRun, 0, {now_ += dice_.below(400)}});
        add({Kind::kSetHead, sq, {dice_.below(dice_.one_in(2) ? 4 : 70)}});
        if (!dice_.one_in(6))
            add({Kind::kEnable, sq, {1}});
    }

    const Place place_;
    uint64_t now_ = 0;
};

class EndingProgram : Writer
{
  public:
    EndingProgram(Dice &dice, const Room &room, Job &job) : Writer(dice, job), room_(room) {}

    void make()
    {
        for (uint64_t count = dice_.between(1, 10); queues_.size() < count;) {
            const auto sq = static_cast<uint32_t>(dice_.below(room_.queues));
            if (is_open(sq))
                continue;
            queues_.push_back(sq);
            add({Kind::kQueue,
                 sq,
                 {dice_.one_in(2) ? 0 : dice_.below(8), 0, kDepth, dice_.one_in(2) ? 64u : 8u, 1}});
        }
        for (uint64_t rounds = dice_.between(1, 3); rounds > 0; --rounds)
            round();
    }

  private:
    static constexpr uint64_t kDepth = 64;

    /// What some copy or fill wrote.
    struct Buffer {
        uint64_t address, bytes;
        uint64_t event; // recorded after it; kNone
        uint32_t queue;
        size_t round_begin; // the first step of its round
    };
    static constexpr uint64_t kNone = UINT64_MAX;

    [[nodiscard]] bool fits(uint32_t sq, uint64_t more) { return in_ring_[sq] + more < kDepth - 4; }

    void put(uint32_t sq, Kind kind, const std::array<uint64_t, 5> &args)
    {
        Step step{kind, sq, args};
        step.credit = STARS_CREDIT_NEVER;
        step.cqe = dice_.one_in(4);
        step.pre = dice_.one_in(24) ? static_cast<uint32_t>(dice_.between(1, 3)) : 0;
        step.post = dice_.one_in(24) ? static_cast<uint32_t>(dice_.between(1, 3)) : 0;
        step.ie = static_cast<uint32_t>(dice_.below(4));
        add(step);
        ++in_ring_[sq];
        ++written_[sq];
        if (dice_.one_in(2))
            ring(sq, 6000);
    }

    void put_event(uint32_t sq)
    {
        if (!events_.empty() && !dice_.one_in(3)) {
            put(sq, Kind::kEventWait, {events_[dice_.below(events_.size())]});
            return;
        }
        // The upper half of the table belongs to copies.
        events_.push_back(dice_.below(dice_.one_in(8) ? room_.events / 2 : 24));
        put(sq, dice_.one_in(4) ? Kind::kWriteEvent : Kind::kEventRecord, {events_.back(), 1});
    }

    // A record, and the one wait for it on another queue or after it.
    void put_notify(uint32_t sq)
    {
        const uint32_t other = queue();
        if (notifies_ >= room_.notifies || !fits(other, 2))
            return;
        put(sq, Kind::kNotifyRecord, {notifies_});
        put(other, Kind::kNotifyWait, {notifies_++});
    }

    void put_count(uint32_t sq)
    {
        if (room_.counts == 0)
            return;
        const uint64_t id = dice_.below(std::min(3u, room_.counts));
        uint64_t &total = counts_[id];
        if (total == 0 || dice_.one_in(2)) {
            const uint64_t more = dice_.between(1, 5);
            put(sq, Kind::kCountRecord, {id, STARS_COUNT_ADD, more});
            total += more;
        } else {
            put(sq, Kind::kCountWait,
                {id, STARS_COUNT_GREATER_OR_EQUAL, dice_.between(1, total), 0, 0});
        }
    }

    // A word that one queue writes and another polls.
    void put_word(uint32_t sq)
    {
        const uint32_t other = queue();
        if (!fits(other, 2))
            return;
        const uint64_t word = kDeviceMemory + kWords + 8 * words_++;
        put(sq, Kind::kWriteMemory, {word, 3, 5});
        put(other, Kind::kPoll, {word, 5, written_[other] % kDepth});
    }

    uint64_t new_range(uint64_t bytes, bool host)
    {
        uint64_t &used = used_[host ? 0 : 1];
        const uint64_t address = (host ? kHostMemory : kDeviceMemory) + kBuffers + used;
        used += (bytes + 63) / 64 * 64;
        return address;
    }

    // From a pattern, or from what another queue copied before: after a wait for the event that was
    // recorded after that.
    void put_copy(uint32_t sq)
    {
        const bool host = dice_.one_in(2);
        if (used_[host ? 0 : 1] > kBuffersEnd - kBuffers - kPatternBytes || !fits(sq, 4))
            return;
        if (dice_.one_in(8)) {
            const uint64_t bytes = dice_.between(1, 20000), to = new_range(bytes, host);
            put(sq, Kind::kFill, {to, dice_.below(256), bytes});
            buffers_.push_back({to, bytes, kNone, sq, round_begin_});
            return;
        }
        uint64_t bytes = dice_.between(1, uint64_t{1} << dice_.between(3, 17));
        uint64_t from = (dice_.one_in(2) ? kHostMemory : kDeviceMemory) +
                        dice_.below(kPatterns) * kPatternBytes;
        if (!buffers_.empty() && dice_.one_in(2)) {
            const Buffer &earlier = buffers_[dice_.below(buffers_.size())];
            const bool waits = earlier.round_begin == round_begin_ && earlier.queue != sq;
            if (!waits || earlier.event != kNone) {
                if (waits)
                    put(sq, Kind::kEventWait, {earlier.event});
                from = earlier.address;
                bytes = earlier.bytes;
            }
        }
        const uint64_t to = new_range(bytes, host);
        put(sq, dice_.one_in(2) ? Kind::kPcie : Kind::kSdma, {to, from, bytes});
        uint64_t event = kNone;
        if (dice_.one_in(2)) {
            // A separate event: one recorded before would let the reader pass too early.
            event = room_.events - 1 - buffers_.size();
            put(sq, Kind::kEventRecord, {event});
        }
        buffers_.push_back({to, bytes, event, sq, round_begin_});
    }

    void round()
    {
        in_ring_.clear();
        events_.clear();
        counts_.clear();
        round_begin_ = job_.steps.size();
        for (uint64_t left = dice_.between(3, 62); left > 0; --left) {
            const uint32_t sq = queue();
            const uint64_t choice = fits(sq, 5) ? dice_.below(16) : UINT64_MAX;
            if (choice == UINT64_MAX)
                continue;
            if (choice == 0)
                put(sq, Kind::kPlaceholder, {});
            else if (choice < 5)
                put_event(sq);
            else if (choice < 7)
                put_notify(sq);
            else if (choice < 9)
                put_count(sq);
            else if (choice == 9)
                put_word(sq);
            else if (choice == 10)
                put(sq, Kind::kCallback, {0, dice_.below(2)});
            else
                put_copy(sq);
        }
        if (notifies_ < room_.notifies && queues_.size() >= 3 && dice_.one_in(2)) {
            put(queues_[0], Kind::kNotifyRecord, {notifies_});
            for (size_t i = 1; i < queues_.size(); ++i)
                put(queues_[i], Kind::kNotifyWait, {notifies_});
            ++notifies_;
        }
        for (const uint32_t sq : queues_)
            add({Kind::kRing, sq, {dice_.below(6000)}});
        add({Kind::kRun});
    }

    const Room room_;
    std::map<uint32_t, uint64_t> in_ring_, written_; // tasks of this round, of all, by queue
    std::vector<uint64_t> events_;                   // recorded in this round
    std::map<uint64_t, uint64_t> counts_;            // added in this round
    std::vector<Buffer> buffers_;
    size_t round_begin_ = 0;
    uint64_t notifies_ = 0, words_ = 0;
    uint64_t used_[2] = {0, 0}; // bytes of each side that were given out
};

} // namespace

Job random_ending(Dice &dice, const Room &room)
{
    Job job;
    EndingProgram(dice, room, job).make();
    return job;
}

Job Job::random(uint64_t seed)
{
    Job job;
    Dice dice(seed);
    random_machine(dice, job);
    Dice others(seed + 0x5eed0000); // so that what it draws changes nothing else in a job
    random_bursts(others, job);
    Program(dice, Place(others), job).make();
    return job;
}

} // namespace job
