// SPDX-License-Identifier: Apache-2.0
/// Random jobs: few queues, few ids, short times, so that much meets in one cycle.
#include <random>

#include "job.h"

namespace job
{

namespace
{

class Dice
{
  public:
    explicit Dice(uint64_t seed) : random_(seed) {}
    uint64_t below(uint64_t end) { return random_() % end; }
    bool one_in(uint64_t n) { return below(n) == 0; }
    uint64_t between(uint64_t least, uint64_t most) { return least + below(most - least + 1); }

  private:
    std::mt19937_64 random_;
};

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

class Program
{
  public:
    Program(Dice &dice, const Place &place, Job &job) : dice_(dice), place_(place), job_(job) {}

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
                    ring(queue());
            }
            for (const uint32_t sq : queues_)
                if (!dice_.one_in(8))
                    ring(sq);
            const uint64_t talks = dice_.below(6);
            for (uint64_t i = 0; i < talks; ++i) {
                add({Kind::kRun, 0, {now_ += dice_.below(400)}});
                software();
            }
        }
        // What still stands still gets another chance.
        for (uint64_t i = dice_.below(12); i > 0; --i) {
            add({Kind::kRun, 0, {now_ += dice_.below(3000)}});
            software();
        }
    }

  private:
    void add(const Step &step) { job_.steps.push_back(step); }
    uint32_t queue() { return queues_[dice_.below(queues_.size())]; }

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
        for (const uint32_t known : queues_)
            if (known == sq)
                return;
        queues_.push_back(sq);
        add({Kind::kQueue,
             sq,
             {dice_.below(8), dice_.one_in(2) ? 0 : dice_.below(4), uint64_t{4} << dice_.below(5),
              uint64_t{2} << dice_.below(5), dice_.one_in(12) ? 0u : 1u}});
    }

    void ring(uint32_t sq) { add({Kind::kRing, sq, {dice_.one_in(2) ? 0 : dice_.below(300)}}); }

    uint64_t address(uint64_t bytes)
    {
        if (dice_.one_in(40))
            return 0x7777000; // nobody answers there
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

    Dice &dice_;
    const Place place_;
    Job &job_;
    std::vector<uint32_t> queues_;
    uint64_t now_ = 0;
};

} // namespace

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
