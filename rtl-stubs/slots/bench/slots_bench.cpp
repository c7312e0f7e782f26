// SPDX-License-Identifier: Apache-2.0
// npu_slots against the model's SlotPool: random operations, every answer compared. Rules T-SCH-3,
// T-SCH-5, T-SCH-6, T-SCH-19, T-SCH-20, T-SCH-22.
#include <Vnpu_slots.h>

#include <algorithm>
#include <vector>

#include "../../common/bench/bench.h"
#include "core/tables/slot_pool.h"

namespace
{

enum Op : uint8_t { kClear, kCounts, kLeaving, kNext, kGrant, kLeave };

/// What a run must meet.
namespace met
{
bench::Met clears{"counts cleared"};
bench::Met grants{"grants"};
bench::Met leaves{"slots given up"};
bench::Met resets{"resets"};
bench::Met still_leaving{"queues still being swapped out (T-SCH-20)"};
bench::Met just_out{"of these swapped out in this very cycle"};
bench::Met long_out{"queues swapped out long ago"};
bench::Met now_free{"times a slot was free"};
bench::Met later_free{"times the next one is free later (T-SCH-6)"};
bench::Met never_free{"times none is free before one is given up"};
bench::Met arbitrates{"times a slot was free and arbitration not over (T-SCH-3)"};
bench::Met just_freed{"slots free in the cycle in which their queue is out (T-SCH-19)"};
bench::Met was_short{"grants to queues that asked while all were taken"};
bench::Met in_time{"grants to queues that did not"};
bench::Met high_slot{"grants of the highest slot"};
bench::Met at_once{"slots given up without a swap-out"};
bench::Met ring_wraps{"slots left at the end of the ring"};
bench::Met long_wait{"waits too long to count (T-SCH-22)"};
bench::Met count_wraps{"counts of swap-ins that went round"};
} // namespace met

struct Setting {
    tsim::SlotRules rules;
    uint32_t queues;
    tsim::Cycle begin; ///< the time at the reset
    bool churn;        ///< in and out at once, over and over
};

class Bench : public bench::Clocked<Vnpu_slots>
{
  public:
    Bench(uint64_t first_seed, const Setting &setting)
        : Clocked(first_seed), setting_(setting), now_(setting.begin),
          pool_(BENCH_QUEUES, setting.rules, nullptr), queues_(setting.queues)
    {
        block.cfg_slots_i = static_cast<uint8_t>(setting.rules.slots);
        block.cfg_arbitration_i = setting.rules.arbitration;
        block.cfg_start_i = setting.rules.start;
        block.cfg_leave_i = setting.rules.leave;
        block.now_i = now_;
        restart();
    }

    void run(uint64_t operations)
    {
        if (setting_.churn)
            operations += operations / 2;
        for (number = 0; number < operations; ++number)
            step();
        for (uint32_t who = 0; who < setting_.queues; ++who)
            counts(who);
    }

  private:
    struct Queue {
        bool asks = false, has = false;
        uint8_t slot = 0;
        tsim::Cycle asked = 0, out = 0;
        uint32_t swap_ins = 0;
    };

    [[nodiscard]] uint32_t queue_of(uint32_t who) const
    {
        return static_cast<uint32_t>(uint64_t{who} * (BENCH_QUEUES - 1) /
                                     std::max(setting_.queues - 1, 1u));
    }

    void restart()
    {
        pool_.reset();
        queues_.assign(queues_.size(), Queue{});
        outs_.clear();
        left_ = 0;
        reset();
        met::resets();
    }

    void step()
    {
        const uint32_t kind = below(32);
        const uint32_t who = dice.chance(20) ? last_out_ : below(setting_.queues);
        const bool fills = number / 512 % 2 == 0; // now slots run out, now they are given up
        if (setting_.churn) {
            if (kind < 4)
                pass_time(kind);
            ask(who);
            grant(who);
            leave(who);
        } else if (kind < 8)
            pass_time(kind);
        else if (kind < 15)
            ask(from(who, [](const Queue &q) { return !q.asks && !q.has; }));
        else if (kind < (fills ? 28 : 24))
            grant(from(who, [](const Queue &q) { return q.asks; }));
        else if (kind < 29)
            leave(from(who, [](const Queue &q) { return q.has; }));
        else if (kind == 29)
            next();
        else if (kind == 30)
            counts(who);
        else if (dice.chance(5))
            clear(who);
        else if (dice.chance(1))
            restart();
    }

    /// The first queue from `who` on that is so, going round; `who` if there is none.
    template <typename Is>
    [[nodiscard]] uint32_t from(uint32_t who, Is is) const
    {
        for (uint32_t i = 0; i < setting_.queues; ++i)
            if (is(queues_[(who + i) % setting_.queues]))
                return (who + i) % setting_.queues;
        return who;
    }

    // A little, so that much meets in one cycle; to the next swap-out; or so long that waits are
    // too long to count.
    void pass_time(uint32_t kind)
    {
        if (kind == 0 && dice.chance(20))
            now_ += dice.below(2000000);
        else if (kind < 4 && !outs_.empty())
            now_ = std::max(now_, outs_[dice.below(outs_.size())]);
        else
            now_ += dice.below(30);
        outs_.erase(std::remove_if(outs_.begin(), outs_.end(),
                                   [this](tsim::Cycle out) { return out < now_; }),
                    outs_.end());
    }

    // Hands it over; the answer is here when it comes back. The RTL looks at what has been left
    // with each operation.
    void send(Op op, uint32_t who)
    {
        static const char *const kNames[] = {"clear", "counts", "leaving",
                                             "next",  "grant",  "leave"};
        operation = kNames[op];
        block.now_i = now_;
        block.req_op_i = op;
        block.req_queue_i = static_cast<uint16_t>(queue_of(who));
        block.req_slot_i = queues_[who].slot;
        block.req_asked_i = queues_[who].asked;
        met::just_freed(std::find(outs_.begin(), outs_.end(), now_) != outs_.end());
        request();
        await();
        (void)pool_.free_now(now_);
    }
    void answer(tsim::Cycle time, bool flag, uint32_t slot, const tsim::SlotCounts &counts)
    {
        BENCH_EQUAL("time", "T-SCH-3, T-SCH-5, T-SCH-19", block.rsp_time_o, time);
        BENCH_EQUAL("flag", "T-SCH-6", block.rsp_flag_o, flag);
        BENCH_EQUAL("slot", "T-SCH-3", block.rsp_slot_o, slot);
        BENCH_EQUAL("swap-ins", "T-SCH-22", block.rsp_swap_ins_o, counts.swap_ins);
        BENCH_EQUAL("waited", "T-SCH-22", block.rsp_waited_o, counts.waited);
        BENCH_EQUAL("free slots", "T-SCH-6, T-SCH-19", block.free_count_o,
                    setting_.rules.slots - pool_.taken());
        BENCH_EQUAL("last", "T-SCH-3", block.rsp_last_o, true);
        take();
    }

    void ask(uint32_t who)
    {
        Queue &q = queues_[who];
        if (q.asks || q.has)
            return;
        send(kLeaving, who);
        const tsim::Cycle until = pool_.leaving_until(queue_of(who), now_);
        met::still_leaving(until != 0);
        met::just_out(q.out != 0 && q.out == now_);
        met::long_out(q.out != 0 && q.out < now_);
        answer(until, false, 0, {});
        q.asks = until == 0;
        q.asked = now_;
    }

    void grant(uint32_t who)
    {
        Queue &q = queues_[who];
        if (!q.asks || !pool_.free_now(now_))
            return;
        send(kGrant, who);
        const tsim::SlotGrant grant = pool_.grant(queue_of(who), q.asked, now_);
        met::grants();
        (grant.was_short ? met::was_short : met::in_time)();
        met::high_slot(grant.slot == BENCH_SLOTS - 1);
        answer(grant.ready, grant.was_short, grant.slot, {});
        q.asks = false;
        q.has = true;
        q.slot = grant.slot;
        met::count_wraps(++q.swap_ins == tsim::SlotPool::kCountMask + 1);
    }

    void leave(uint32_t who)
    {
        Queue &q = queues_[who];
        if (!q.has)
            return;
        send(kLeave, who);
        pool_.leave(queue_of(who), q.slot, now_);
        answer(0, false, 0, {});
        q.has = false;
        met::leaves();
        if (setting_.rules.leave == 0) {
            met::at_once();
            return;
        }
        last_out_ = who;
        q.out = now_ + setting_.rules.leave;
        outs_.push_back(q.out);
        met::ring_wraps(++left_ % BENCH_SLOTS == 0);
    }

    void next()
    {
        send(kNext, 0);
        const tsim::Cycle at = pool_.next_grant(now_);
        const bool is_free = pool_.free_now(now_);
        (is_free ? met::now_free : at == tsim::kNever ? met::never_free : met::later_free)();
        met::arbitrates(is_free && at > now_);
        answer(at, is_free, 0, {});
    }

    void counts(uint32_t who)
    {
        send(kCounts, who);
        const tsim::SlotCounts counts = pool_.counts(queue_of(who));
        met::long_wait(counts.waited == tsim::SlotPool::kWaitMost);
        answer(0, false, 0, counts);
    }

    void clear(uint32_t who)
    {
        send(kClear, who);
        pool_.clear_counts(queue_of(who));
        queues_[who].swap_ins = 0;
        answer(0, false, 0, {});
        met::clears();
    }

    const Setting setting_;
    tsim::Cycle now_;
    tsim::SlotPool pool_;
    std::vector<Queue> queues_;
    std::vector<tsim::Cycle> outs_; // when swap-outs under way end
    uint32_t last_out_ = 0;         // the queue swapped out last
    uint64_t left_ = 0;             // slots, since the reset
};

} // namespace

int main(int argc, char **argv)
{
    const uint32_t most = BENCH_SLOTS, all = std::min(BENCH_QUEUES, 200);
    // One slot; few; as many as there are for more queues than that, at a late time; an odd number
    // of them and no swap-out; the same queue over and over.
    const Setting settings[] = {{{1, 7, 30, 40}, 9, 0, false},
                                {{4, 1, 0, 90}, 20, 0x5555555555555555, false},
                                {{most, 12, 49, 500}, all, tsim::Cycle{1} << 40, false},
                                {{most - 1, 5, 3, 0}, all, 0x2aaaaaaaaaaaaaaa, false},
                                {{most, 0, 1, 2000}, all, 100, false},
                                {{1, 0, 2, 0}, 1, 0, true}};
    return bench::run<Bench>("npu_slots", settings, argc, argv);
}
