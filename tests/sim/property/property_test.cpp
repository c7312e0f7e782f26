// SPDX-License-Identifier: Apache-2.0
/// Random programs on every profile and several seeds: what the rules promise of any program must
/// hold of each.
///
///   sim_property_test [--runs=N] [--first=N] PROFILE...
///
/// Run number N has its own program, profile, seed and limits; a failure names it, and
/// --first=N --runs=1 repeats it.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check.h"

namespace
{

using job::Dice;
using job::Kind;
using property::Checker;
using property::Contents;
using property::Task;
using property::Watcher;

/// The rig of one run. Half of them have little of everything.
void narrow(tsim::Params &p, Dice &dice)
{
    const auto least = [&dice](tsim::Setting &s, uint64_t most) {
        s.value = std::min<uint64_t>(s.value, 1 + dice.below(most));
    };
    if (dice.one_in(2)) {
        least(p.slots, 6);
        least(p.sdma_cap, 3);
        least(p.pcie_dma_cap, 3);
        least(p.cond_cap, 2);
        least(p.cpu_topic_cap, 2);
        least(p.sdma_channels, 3);
        least(p.pcie_channels, 3);
        least(p.event_cached, 6);
    }
    if (dice.one_in(4))
        p.strict_level.value = dice.below(8);
    if (dice.one_in(4))
        p.drain.value = p.slot_disable.value = dice.below(3) * 700;
    if (dice.one_in(4))
        p.fetch_window.value = 2 + dice.below(15);
}

/// One run, from the program to its checks. Gives what went wrong, empty when nothing did.
class Run
{
  public:
    Run(const tsim::Profile &profile, uint64_t program, uint64_t seed)
        : dice_(program * 2654435761u + 17), rig_({1, seed, true, false},
                                                  [&](tsim::Params &p) {
                                                      p = profile.params();
                                                      narrow(p, dice_);
                                                  }),
          contents_(rig_), job_(random_ending(dice_, room())), watcher_(rig_, queues_)
    {
        for (; job_.steps[next_].kind == Kind::kQueue; ++next_) {
            const job::Step &step = job_.steps[next_];
            queues_.push_back(step.queue);
            rig_.open(step.queue, static_cast<uint8_t>(step.args[0]),
                      static_cast<uint32_t>(step.args[2]), static_cast<uint32_t>(step.args[3]));
        }
    }

    std::string go()
    {
        set_arbitration();
        for (uint32_t round = 0; next_ < job_.steps.size(); ++round) {
            put_round(round);
            std::string fault = run_round();
            if (fault.empty() && !all_retired())
                fault = "the program hangs at " + std::to_string(rig_.now()) + " ns: " + standing();
            if (!fault.empty())
                return fault;
            clear_tables(round);
        }
        const std::string bytes = contents_.wrong_bytes();
        return bytes.empty() ? Checker(rig_, tasks_, host_records_).first_fault()
                             : "T-DMA-5: " + bytes;
    }

    /// A number that two equal traces share.
    uint64_t trace_sum()
    {
        const tsim::Trace &trace = rig_.system().trace();
        const size_t count = trace.count();
        const auto *bytes = reinterpret_cast<const unsigned char *>(trace.entries());
        uint64_t sum = 14695981039346656037u;
        for (size_t i = 0; i < count * sizeof(twinsim_trace_entry); ++i)
            sum = (sum ^ bytes[i]) * 1099511628211u;
        return sum;
    }

    [[nodiscard]] size_t sqes() const { return tasks_.size(); }
    [[nodiscard]] size_t entries() const { return rig_.system().trace().count(); }

  private:
    [[nodiscard]] job::Room room() const
    {
        const tsim::Params &p = rig_.params();
        const auto number = [](const tsim::Setting &s) { return static_cast<uint32_t>(s.value); };
        return {number(p.queues), number(p.events), number(p.notifies), number(p.count_notifies)};
    }

    // Tasks and doorbells up to the end of the round.
    void put_round(uint32_t round)
    {
        std::map<uint32_t, std::vector<Task>> waits; // by notify
        for (; job_.steps[next_].kind != Kind::kRun; ++next_) {
            const job::Step &step = job_.steps[next_];
            if (step.kind == Kind::kRing) {
                rig_.ring(step.queue, rig_.now() + step.args[0]);
                continue;
            }
            rig_.write(step.queue, step.sqe());
            contents_.apply(step);
            tasks_.emplace_back(step, rig_.sent(step.queue), round);
            if (step.kind == Kind::kNotifyWait)
                waits[tasks_.back().id].push_back(tasks_.back());
        }
        ++next_;
        contest_.clear();
        for (const auto &[notify, of_it] : waits)
            if (of_it.size() > 1)
                contest_ = of_it;
    }

    // Everything has retired.
    void clear_tables(uint32_t round)
    {
        auto &scheduler = rig_.device().scheduler();
        for (const Task &task : tasks_) {
            if (task.round == round && task.kind == Kind::kEventRecord)
                scheduler.write_event(task.id, false);
            else if (task.round == round && task.kind == Kind::kCountRecord)
                scheduler.write_count(task.id, 0);
        }
    }

    void write(uint32_t sq, uint32_t offset, uint32_t value)
    {
        (void)rig_.device().write(uint64_t{sq} * STARS_SQ_PAGE + offset, value);
    }

    void set_arbitration()
    {
        const uint64_t block = STARS_BLOCK_BASE;
        if (!dice_.one_in(3))
            return;
        (void)rig_.device().write(block + STARS_GROUP_MODE, dice_.below(4));
        for (uint32_t group = 0; group < 4; ++group)
            (void)rig_.device().write(block + STARS_GROUP_WEIGHT + 4 * group, dice_.below(4));
        for (const uint32_t sq : queues_)
            write(sq, STARS_SQ_PRIORITY, dice_.below(4) << 4 | dice_.below(8) << 10);
    }

    [[nodiscard]] bool all_retired()
    {
        for (const uint32_t sq : queues_)
            if (rig_.retired(sq) != rig_.sent(sq))
                return false;
        return true;
    }

    [[nodiscard]] std::string standing()
    {
        std::string text;
        for (const uint32_t sq : queues_)
            if (rig_.retired(sq) != rig_.sent(sq))
                text += "queue " + std::to_string(sq) + " at SQE " +
                        std::to_string(rig_.retired(sq) + 1) + " (state " +
                        std::to_string(rig_.state(sq)) + ") ";
        return text;
    }

    // Software that meddles: pauses, priorities, pulses, and ends what it began later.
    void meddle()
    {
        const auto &queues = queues_;
        const uint32_t sq = queues[dice_.below(queues.size())];
        switch (dice_.below(8)) {
        case 0:
            write(sq, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_PAUSE);
            break;
        case 1:
            write(sq, STARS_SQ_CONTROL, STARS_SQ_CONTROL_DEBUG_PAUSE);
            break;
        case 2:
            write(sq, STARS_SQ_CONTROL,
                  STARS_SQ_CONTROL_TASK_RESUME | STARS_SQ_CONTROL_DEBUG_RESUME);
            break;
        case 3:
            write(sq, STARS_SQ_ENABLE, dice_.below(2));
            break;
        case 4:
            write(sq, STARS_SQ_PREFETCH, STARS_SQ_PREFETCH_DROP);
            break;
        case 5:
            write(sq, STARS_SQ_PRIORITY, dice_.below(4) << 4 | dice_.below(8) << 10);
            break;
        case 6:
            (void)rig_.device().write(uint64_t{STARS_BLOCK_BASE} + STARS_STRICT_LEVEL,
                                      dice_.below(8));
            break;
        default:
            (void)rig_.device().write(uint64_t{STARS_BLOCK_BASE} + STARS_GROUP_MODE,
                                      dice_.below(4));
            break;
        }
    }

    void answer_calls()
    {
        twinsim_message message;
        while (rig_.device().scheduler().take_message(message))
            if (message.block)
                rig_.device().scheduler().answer(
                    message.sq, message.number,
                    rig_.params().to_cycles(rig_.now() + dice_.below(5000)));
    }

    void take_completions()
    {
        for (const uint32_t sq : queues_)
            write(sq, STARS_SQ_CQ_HEAD, rig_.device().scheduler().front(sq).cq_tail());
    }

    // Everything that may stand still for a reason goes on; false: there was nothing.
    bool release_all()
    {
        bool any = false;
        for (const uint32_t sq : queues_) {
            if (rig_.retired(sq) == rig_.sent(sq) && rig_.state(sq) != TWINSIM_QUEUE_HELD)
                continue;
            uint32_t enabled = 0;
            (void)rig_.device().read(uint64_t{sq} * STARS_SQ_PAGE + STARS_SQ_ENABLE, enabled);
            if (enabled != 0 && rig_.state(sq) != TWINSIM_QUEUE_HELD)
                continue;
            any = true;
            write(sq, STARS_SQ_ENABLE, 1);
            write(sq, STARS_SQ_CONTROL,
                  STARS_SQ_CONTROL_TASK_RESUME | STARS_SQ_CONTROL_DEBUG_RESUME);
        }
        return any;
    }

    // T-NTF-3: with everything else done, one wait has passed for each record. One record more, one
    // wait more.
    std::string next_of_contest(bool &on)
    {
        on = false;
        if (contest_.empty())
            return "";
        const uint32_t notify = contest_.front().id;
        uint32_t passed = 0;
        for (const Task &wait : contest_)
            passed += rig_.retired(wait.sq) >= wait.number ? 1 : 0;
        if (passed != contest_records_)
            return "T-NTF-3: " + std::to_string(passed) + " waits passed notify " +
                   std::to_string(notify) + " with " + std::to_string(contest_records_) +
                   " records";
        if (passed == contest_.size())
            return "";
        ++contest_records_;
        on = true;
        host_records_.push_back({notify, rig_.now()});
        rig_.device().scheduler().write_notify(notify, true);
        return "";
    }

    std::string run_round()
    {
        contest_records_ = 1;
        const uint32_t chunk = dice_.one_in(2) ? 1 : 1 + dice_.below(8); // events between two looks
        const bool meddles = dice_.one_in(2);
        for (uint32_t step = 0; step < 200000; ++step) {
            const twinsim_stop stop = rig_.system().run(TWINSIM_NEVER, chunk);
            std::string fault = watcher_.look(chunk == 1);
            if (!fault.empty())
                return fault;
            if (stop == TWINSIM_STOP_CALL)
                answer_calls();
            if (stop == TWINSIM_STOP_CQ)
                take_completions();
            if (stop == TWINSIM_STOP_IDLE) {
                if (release_all())
                    continue;
                bool on = false;
                std::string lost = next_of_contest(on);
                if (!lost.empty())
                    return lost;
                if (!on)
                    return "";
            }
            if (meddles && dice_.one_in(40))
                meddle();
        }
        return "the program does not end";
    }

    Dice dice_;
    Rig rig_;
    Contents contents_;
    const job::Job job_;
    size_t next_ = 0; // step of the job
    std::vector<uint32_t> queues_;
    Watcher watcher_;
    std::vector<Task> tasks_;
    std::vector<Task> contest_; // waits of this round for one notify, of which there is one record
    uint32_t contest_records_ = 1;
    std::vector<property::HostRecord> host_records_;
};

bool option(const char *argument, const char *name, uint64_t &value)
{
    const size_t length = std::strlen(name);
    if (std::strncmp(argument, name, length) != 0)
        return false;
    value = std::strtoull(argument + length, nullptr, 10);
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    uint64_t runs = 1000, first = 0;
    std::vector<std::string> paths;
    for (int i = 1; i < argc; ++i)
        if (!option(argv[i], "--runs=", runs) && !option(argv[i], "--first=", first))
            paths.emplace_back(argv[i]);
    std::vector<tsim::Profile> profiles;
    profiles.reserve(paths.size());
    for (const std::string &path : paths)
        profiles.push_back(tsim::Profile::from_file(path));
    if (profiles.empty()) {
        std::fprintf(stderr, "usage: %s [--runs=N] [--first=N] PROFILE...\n", argv[0]);
        return 2;
    }
    uint32_t faults = 0;
    size_t sqes = 0, entries = 0;
    for (uint64_t number = first; number < first + runs && faults < 5; ++number) {
        // The same program on every profile, without a seed and with one.
        const size_t which = number % profiles.size();
        const uint64_t turn = number / profiles.size();
        const uint64_t seed = turn % 2 == 0 ? 0 : turn;
        Run run(profiles[which], turn / 2, seed);
        std::string fault = run.go();
        sqes += run.sqes();
        entries += run.entries();
        if (fault.empty() && number % 8 == 0) { // T-TIM-6: again, byte for byte
            Run again(profiles[which], turn / 2, seed);
            (void)again.go();
            if (again.trace_sum() != run.trace_sum())
                fault = "the same run twice has two traces";
        }
        if (fault.empty())
            continue;
        ++faults;
        std::printf("run %llu (%s, seed %llu): %s\n", static_cast<unsigned long long>(number),
                    paths[which].c_str(), static_cast<unsigned long long>(seed), fault.c_str());
    }
    std::printf("%llu runs on %zu profiles: %zu SQEs, %zu trace entries, %u faults\n",
                static_cast<unsigned long long>(runs), profiles.size(), sqes, entries, faults);
    return faults == 0 ? 0 : 1;
}
