// SPDX-License-Identifier: Apache-2.0
// npu_arbiter against the model's Arbiter: random operations, every answer compared. Rules T-ARB-1
// to T-ARB-6, T-TIM-6.
#include <Vnpu_arbiter.h>

#include <algorithm>
#include <array>
#include <vector>

#include "../../common/bench/bench.h"
#include "core/tables/arbiter.h"

namespace
{

enum Op : uint8_t { kAdd, kRemove, kTake, kWeight };

/// What a run must meet.
namespace met
{
bench::Met adds{"queues asked"};
bench::Met removes{"queues gave up"};
bench::Met takes{"queues won"};
bench::Met weights{"weights were written"};
bench::Met zero_weights{"of these were 0"};
bench::Met strict_levels{"times the strict level changed while queues asked"};
bench::Met modes{"times the modes changed"};
bench::Met resets{"resets"};
bench::Met shared{"queues won from a level that several priorities share (T-ARB-1)"};
bench::Met emptied{"times no queue was left"};
bench::Met group_choices{"wins with several model groups asking (T-ARB-2)"};
bench::Met same_group{"of these by the group that had won before (T-ARB-3)"};
bench::Met groups_wrapped{"of these by a lower group than before"};
bench::Met queues_wrapped{"wins by a lower queue of the set than before (T-ARB-5)"};
bench::Met other_word{"wins by a queue of another word than before"};
bench::Met one_draw{"wins that drew one number (T-TIM-6)"};
bench::Met two_draws{"wins that drew two numbers"};
} // namespace met

struct Setting {
    uint32_t queues; ///< that take part, from all over the range
    uint32_t groups;
    bool seeded;
};

class Bench : public bench::Clocked<Vnpu_arbiter>
{
  public:
    Bench(uint64_t first_seed, const Setting &setting)
        : Clocked(first_seed), setting_(setting), draws_(setting.seeded ? first_seed | 1 : 0),
          arbiter_(rules_), askers_(setting.queues)
    {
        restart();
    }

    void run(uint64_t operations)
    {
        for (number = 0; number < operations; ++number) {
            if (number % 256 == 0) // now few ask, now many
                rush_ = 20 + 40 * dice.below(2);
            step();
        }
    }

  private:
    struct Asker {
        uint32_t priority = 0;
        uint32_t group = 0;
        bool asks = false;
    };
    struct Last {
        uint32_t group = tsim::kNone;
        std::array<uint32_t, tsim::ArbiterRules::kGroups> queue;
    };

    /// The queue of number `who` among those that take part: they are spread over the range.
    [[nodiscard]] uint32_t queue_of(uint32_t who) const
    {
        return static_cast<uint32_t>(uint64_t{who} * (BENCH_QUEUES - 1) /
                                     std::max(setting_.queues - 1, 1u));
    }

    void restart()
    {
        rules_ = {};
        arbiter_.reset();
        askers_.assign(askers_.size(), Asker{});
        forget_winners();
        configure();
        reset();
        BENCH_EQUAL("empty", "T-ARB-6", block.empty_o, true);
        met::resets();
    }
    void forget_winners()
    {
        for (Last &last : last_) {
            last.group = tsim::kNone;
            last.queue.fill(tsim::kNone);
        }
    }
    void configure()
    {
        block.cfg_strict_level_i = static_cast<uint8_t>(rules_.strict_level);
        block.cfg_weight_first_i = rules_.weight_first;
        block.cfg_reload_spent_i = rules_.reload_spent;
        block.eval();
    }

    void step()
    {
        const uint32_t kind = below(100), who = below(setting_.queues);
        if (kind < 3) {
            weight(below(setting_.groups),
                   static_cast<uint16_t>(below(dice.chance(80) ? 5 : 4096)));
        } else if (kind < 5) {
            rules_.weight_first = dice.chance(50);
            rules_.reload_spent = dice.chance(50);
            configure();
            met::modes();
        } else if (kind == 5 && dice.chance(10)) {
            change_strict_level(below(tsim::kPriorities));
        } else if (kind == 6 && dice.chance(3)) {
            restart();
        } else if (kind < 12) {
            if (askers_[who].asks)
                remove(who);
        } else if (kind < 12 + rush_) {
            if (!askers_[who].asks) {
                askers_[who] = {below(tsim::kPriorities), below(setting_.groups), false};
                add(who);
            }
        } else if (!arbiter_.empty()) {
            win();
        }
    }

    void send(Op op, uint32_t who)
    {
        static const char *const kNames[] = {"add", "remove", "take", "weight"};
        operation = kNames[op];
        block.req_op_i = op;
        block.req_queue_i = static_cast<uint16_t>(queue_of(who));
        block.req_priority_i = static_cast<uint8_t>(askers_[who].priority);
        block.req_group_i = static_cast<uint8_t>(askers_[who].group);
        block.req_seeded_i = 0;
        block.req_draw0_i = dice.roll(); // count only where a number is drawn
        block.req_draw1_i = dice.roll();
    }
    void answer()
    {
        BENCH_EQUAL("last", "T-ARB-6", block.rsp_last_o, true);
        BENCH_EQUAL("empty", "T-ARB-6", block.empty_o, arbiter_.empty());
        met::emptied(arbiter_.empty());
        take();
    }

    void add(uint32_t who)
    {
        Asker &asker = askers_[who];
        send(kAdd, who);
        request();
        await();
        arbiter_.prepare(asker.priority, asker.group);
        arbiter_.add(queue_of(who), asker.priority, asker.group);
        asker.asks = true;
        met::adds();
        answer();
    }

    void remove(uint32_t who)
    {
        Asker &asker = askers_[who];
        send(kRemove, who);
        request();
        await();
        arbiter_.remove(queue_of(who), asker.priority, asker.group);
        asker.asks = false;
        met::removes();
        answer();
    }

    void weight(uint32_t group, uint16_t value)
    {
        send(kWeight, 0);
        block.req_group_i = static_cast<uint8_t>(group);
        block.req_weight_i = value;
        request();
        await();
        rules_.set_weight(group, value);
        met::weights();
        met::zero_weights(value == 0);
        answer();
    }

    // As the scheduler does it: queues that ask give up and ask again.
    void change_strict_level(uint32_t level)
    {
        std::vector<uint32_t> asking;
        for (uint32_t who = 0; who < setting_.queues; ++who)
            if (askers_[who].asks)
                asking.push_back(who);
        for (const uint32_t who : asking)
            remove(who);
        rules_.strict_level = level;
        configure();
        for (const uint32_t who : asking)
            add(who);
        forget_winners();
        met::strict_levels(!asking.empty());
    }

    void win()
    {
        send(kTake, 0);
        block.req_priority_i = static_cast<uint8_t>(dice.roll() % tsim::kPriorities);
        block.req_group_i = static_cast<uint8_t>(below(tsim::ArbiterRules::kGroups));
        if (draws_ != 0) {
            uint64_t ahead = draws_;
            block.req_seeded_i = 1;
            block.req_draw0_i = tsim::mix(ahead);
            block.req_draw1_i = tsim::mix(ahead);
        }
        uint64_t groups = 0; // of the level that wins
        const uint32_t level = first_level(groups);
        request();
        await();
        uint64_t drawn = draws_;
        const uint32_t winner = arbiter_.take(draws_);
        uint64_t draws = 0; // from the present state of the numbers
        for (; drawn != draws_ && draws < 3; ++draws)
            (void)tsim::mix(drawn);
        BENCH_EQUAL("winner", "T-ARB-1 to T-ARB-5", block.rsp_queue_o, winner);
        BENCH_EQUAL("numbers drawn", "T-TIM-6", block.rsp_draws_o, draws);
        won(winner, level, groups, draws);
        answer();
    }

    uint32_t first_level(uint64_t &groups) const
    {
        uint32_t first = tsim::kPriorities;
        for (const Asker &asker : askers_) {
            if (!asker.asks)
                continue;
            const uint32_t level = rules_.level(asker.priority);
            if (level < first)
                groups = 0;
            first = std::min(first, level);
            if (level == first)
                groups |= uint64_t{1} << asker.group;
        }
        return first;
    }

    void won(uint32_t queue, uint32_t level, uint64_t groups, uint64_t draws)
    {
        uint32_t who = 0;
        while (queue_of(who) != queue)
            ++who;
        Asker &asker = askers_[who];
        BENCH_EQUAL("the winner asks", "T-ARB-2", asker.asks, true);
        BENCH_EQUAL("priority group", "T-ARB-1", rules_.level(asker.priority), level);
        asker.asks = false;
        Last &last = last_[level];
        const uint32_t before = last.queue[asker.group];
        met::takes();
        met::shared(asker.priority > rules_.strict_level);
        if ((groups & (groups - 1)) != 0) {
            met::group_choices();
            met::same_group(draws == 0 && asker.group == last.group);
            met::groups_wrapped(draws == 0 && last.group != tsim::kNone &&
                                asker.group < last.group);
        }
        met::queues_wrapped(draws_ == 0 && before != tsim::kNone && queue < before);
        met::other_word(before != tsim::kNone && queue / 64 != before / 64);
        met::one_draw(draws == 1);
        met::two_draws(draws == 2);
        last.group = asker.group;
        last.queue[asker.group] = queue;
    }

    const Setting setting_;
    uint64_t draws_; // the state from which the model draws its own numbers; 0: no seed
    tsim::ArbiterRules rules_;
    tsim::Arbiter arbiter_;
    std::vector<Asker> askers_;
    std::array<Last, tsim::kPriorities> last_;
    uint32_t rush_ = 0;
};

} // namespace

int main(int argc, char **argv)
{
    const uint32_t all = BENCH_QUEUES;
    // Many in all groups; few that meet often; long lists in one group; the same by numbers drawn.
    const Setting settings[] = {{all, 64, false}, {12, 3, false}, {all, 1, false},
                                {all, 64, true},  {30, 2, true},  {1, 1, true}};
    return bench::run<Bench>("npu_arbiter", settings, argc, argv);
}
