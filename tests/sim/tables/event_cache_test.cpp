// SPDX-License-Identifier: Apache-2.0
/// The cache of the event table: what has a line, what is displaced, what a miss costs.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "core/tables/event_table.h"
#include "profile_path.h"
#include "rig.h"

using tsim::EventTable;

namespace
{

std::string shipped_text()
{
    std::ifstream in(shipped_profile_path());
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// T-EVT-7, T-EVT-9, T-EVT-10 over a plain map: the place of each entry that is not clear.
class Reference
{
  public:
    Reference(uint32_t ids, uint32_t lines, uint32_t sets)
        : ids_(ids), lines_(lines / sets), sets_(sets)
    {
    }

    struct Entry {
        bool flag = false;
        std::vector<uint32_t> waiters;
        bool line = false;
    };
    std::map<uint32_t, Entry> entries; // those that are not clear

    Entry &at(uint32_t id) { return entries[id]; }
    void changed(uint32_t id)
    {
        const Entry &entry = entries[id];
        if (!entry.flag && entry.waiters.empty()) {
            entries.erase(id);
            return;
        }
        if (was_.count(id) == 0)
            give_line(id);
    }
    /// Between two calls: remembers the entries that are present.
    void remember()
    {
        was_.clear();
        for (const auto &one : entries)
            was_[one.first] = true;
    }
    void give_line(uint32_t id)
    {
        const uint32_t set = set_of(id);
        uint32_t taken = 0;
        for (const auto &one : entries)
            taken += one.second.line && set_of(one.first) == set ? 1 : 0;
        if (taken == lines_) {
            uint32_t victim = hand_[set];
            const auto in_line = [&](uint32_t v) {
                const auto it = entries.find(v);
                return it != entries.end() && it->second.line && set_of(v) == set;
            };
            while (!in_line(victim))
                victim = (victim + 1) % ids_;
            entries[victim].line = false;
            hand_[set] = victim + 1;
        }
        entries[id].line = true;
    }

  private:
    [[nodiscard]] uint32_t set_of(uint32_t id) const { return sets_ == 1 ? 0 : id / 4096; }
    const uint32_t ids_, lines_, sets_;
    std::map<uint32_t, uint32_t> hand_;
    std::map<uint32_t, bool> was_;
};

// Ids of two tables of 4096, few enough to meet often.
void compare(uint64_t seed, bool isolated)
{
    constexpr uint32_t kIds = 8192, kLines = 48;
    uint64_t random = seed;
    const auto draw = [&random](uint64_t below) {
        return static_cast<uint32_t>(tsim::mix(random) % below);
    };
    EventTable table(kIds, 64, kLines, isolated);
    Reference reference(kIds, kLines, isolated ? 16 : 1);
    std::map<uint32_t, uint32_t> parked; // queue: id
    for (int step = 0; step < 600; ++step) {
        const uint32_t id = draw(2) * 4096 + draw(40) * 97;
        reference.remember();
        switch (draw(6)) {
        case 0:
        case 1:
            table.record(id);
            reference.at(id).flag = true;
            for (const uint32_t queue : reference.at(id).waiters) {
                EXPECT_EQ(table.release(id), queue);
                parked.erase(queue);
            }
            reference.at(id).waiters.clear();
            reference.changed(id);
            break;
        case 2:
            table.clear(id);
            reference.at(id).flag = false;
            reference.changed(id);
            break;
        case 3: {
            const uint32_t queue = draw(64);
            if (parked.count(queue) != 0)
                break;
            const bool passes = table.wait(id, queue, static_cast<tsim::Cycle>(step));
            EXPECT_EQ(passes, reference.at(id).flag);
            if (!passes) {
                reference.at(id).waiters.push_back(queue);
                parked[queue] = id;
            }
            reference.changed(id);
            break;
        }
        case 4:
            if (!parked.empty()) {
                const auto [queue, where] = *parked.begin();
                table.forget(where, queue);
                auto &waiters = reference.at(where).waiters;
                waiters.erase(std::find(waiters.begin(), waiters.end(), queue));
                reference.changed(where);
                parked.erase(queue);
            }
            break;
        default:
            if (reference.entries.count(id) != 0 && !reference.at(id).line) {
                table.load(id);
                reference.give_line(id);
            }
            break;
        }
        uint32_t away = 0;
        for (uint32_t i = 0; i < kIds; i += 1) {
            const auto it = reference.entries.find(i);
            const bool memory = it != reference.entries.end() && !it->second.line;
            away += memory ? 1 : 0;
            if (table.in_memory(i) != memory) {
                std::printf("seed %llu step %d id %u\n", static_cast<unsigned long long>(seed),
                            step, i);
                CU_FAIL("the entry is elsewhere");
                return;
            }
        }
        if (step == 599)
            CU_ASSERT(!isolated || away > 0);
    }
}

// T-EVT-7, T-EVT-9, T-EVT-10.
void test_against_reference()
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        compare(seed, false);
        compare(seed, true);
    }
}

// T-EVT-8, T-EVT-9: two lines, three events set. The first was displaced: a wait for it takes a
// miss longer, and displaces the second; a record of that and a reset are misses too.
void test_what_a_miss_costs()
{
    Rig rig([](tsim::Params &p) { p.event_cached.value = 2; });
    const tsim::Params &p = rig.params();
    rig.open(0);
    const stars_sqe program[] = {sqe_event_record(1),  sqe_event_record(2), sqe_event_record(3),
                                 sqe_event_wait(1, 0), sqe_event_record(2), sqe_event_write(3, 0),
                                 sqe_event_wait(1, 0), sqe_event_record(4)};
    // Lines after each: 1; 1 2; 2 3; 3 1 (miss, 2 goes); 1 2 (miss, 3 goes); 3 in for 1, then clear
    // (miss); 1 (miss); 4.
    const bool miss[] = {false, false, false, true, true, true, true, false};
    for (const stars_sqe &sqe : program)
        rig.put(0, sqe, 0);
    rig.run();
    std::map<uint64_t, uint64_t> table, missed;
    for (const auto &record : rig.phases(TWINSIM_PHASE_TABLE)) {
        auto &times = record.parameter == p.event_miss.index ? missed : table;
        times[record.number] += record.end_ns - record.begin_ns;
    }
    for (uint64_t i = 0; i < 8; ++i) {
        EXPECT_EQ(table[i + 1], p.event_table.value);
        EXPECT_EQ(missed[i + 1], miss[i] ? p.event_miss.value : 0);
    }
    EXPECT_EQ(rig.retired(0), 8);
    CU_ASSERT_FALSE(rig.device().scheduler().events().flag(3));
    // The host misses nothing and moves nothing.
    const uint64_t before = rig.now();
    EXPECT_EQ(rig.device().write(STARS_EVENT_ENTRY(2), 0), TWINSIM_OK);
    EXPECT_EQ(rig.now(), before);
}

// T-EVT-7: a program with no more events set at a time than there are lines takes the same time
// with any cache, at any ids.
void test_few_events_see_no_cache()
{
    std::vector<uint64_t> ends[3];
    for (const int cache : {0, 1, 2}) {
        Rig rig([cache](tsim::Params &p) {
            p.event_cached.value = cache == 0 ? 16 : 65536;
            p.event_miss.value = cache == 2 ? 0 : 500;
        });
        uint64_t random = 7;
        for (uint32_t sq = 0; sq < 4; ++sq)
            rig.open(sq, 0, 1024);
        for (uint32_t round = 0; round < 200; ++round) {
            const auto event = static_cast<uint32_t>(tsim::mix(random) % 65536);
            rig.put(round % 4, sqe_event_record(event), 0);
            for (uint32_t sq = 0; sq < 3; ++sq)
                rig.put((round + 1 + sq) % 4, sqe_event_wait(event, 0), 0);
            rig.run();
            EXPECT_EQ(rig.device().write(STARS_EVENT_ENTRY(event), 0), TWINSIM_OK);
            ends[cache].push_back(rig.now());
        }
    }
    CU_ASSERT(ends[0] == ends[1]);
    CU_ASSERT(ends[0] == ends[2]);
}

// T-EVT-8: an entry that is displaced again while it is brought in has its access all the same.
void test_displaced_on_the_way()
{
    Rig rig([](tsim::Params &p) { p.event_cached.value = 1; });
    rig.open(0);
    rig.open(1);
    rig.put(0, sqe_event_record(1), 0);
    rig.put(0, sqe_event_record(2), 0);
    rig.run();
    for (int i = 0; i < 20; ++i)
        for (const uint32_t sq : {0u, 1u})
            rig.put(sq, sqe_event_record(1 + (sq + static_cast<uint32_t>(i)) % 2), rig.now());
    rig.run();
    EXPECT_EQ(rig.retired(0), 22);
    EXPECT_EQ(rig.retired(1), 20);
}

// T-EVT-8: a queue that is killed while the entry is brought in leaves no trace of its access.
void test_killed_on_the_way()
{
    Rig rig([](tsim::Params &p) { p.event_cached.value = 1; });
    rig.open(0);
    for (const uint32_t event : {1u, 2u})
        rig.put(0, sqe_event_record(event), 0);
    rig.put(0, sqe_event_write(1, 0), 0);
    const tsim::Params &p = rig.params();
    const uint64_t each = p.decode.value + p.event_table.value + p.retire.value;
    rig.run_until(p.arbitration.value + p.record_read.value + p.slot_enable.value +
                  p.fetch_read.value + 3 * each - p.retire.value + p.event_miss.value / 2);
    EXPECT_EQ(rig.retired(0), 2);
    EXPECT_EQ(rig.device().write(STARS_SQ_CONTROL,
                                 STARS_SQ_CONTROL_TASK_KILL | STARS_SQ_CONTROL_TASK_TERMINATE),
              TWINSIM_OK);
    rig.run();
    CU_ASSERT(rig.device().scheduler().events().flag(1));
}

// T-EVT-11: a part in table mode has the entries on the chip alone.
void test_table_mode()
{
    const std::string name = "p.json";
    const auto message = [&](const char *mode, const char *events) -> std::string {
        std::string text = shipped_text();
        const auto put = [&text](const std::string &key, const char *value) {
            const size_t at = text.find("\"value\": ", text.find('"' + key + '"')) + 9;
            text.replace(at, text.find(',', at) - at, value);
        };
        put("event_mode", mode);
        put("events", events);
        try {
            const tsim::Profile profile = tsim::Profile::from_text(text, name);
            EXPECT_EQ(profile.params().events.value, std::strtoull(events, nullptr, 10));
        } catch (const tsim::ProfileError &error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(message("1", "65536").size(), 0);
    EXPECT_EQ(message("0", "4096").size(), 0);
    const std::string refused = message("0", "4097");
    CU_ASSERT(refused.find("limit.events") != std::string::npos);
    CU_ASSERT(refused.find("table.event_cached") != std::string::npos);

    Rig rig([](tsim::Params &p) {
        p.events.value = 4096;
        p.event_mode.value = 0;
    });
    rig.open(0);
    rig.put(0, sqe_event_record(4095), 0);
    rig.put(0, sqe_event_record(4096), 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_EXCEPTION);
}

const twin_test tests[] = {
    {"lines and displaced entries, against the rules", test_against_reference},
    {"the cost of a miss", test_what_a_miss_costs},
    {"a program with few events sees no cache", test_few_events_see_no_cache},
    {"an entry displaced while it is brought in", test_displaced_on_the_way},
    {"a queue killed while an entry is brought in", test_killed_on_the_way},
    {"table mode has no other entries", test_table_mode},
};

} // namespace

int main(int argc, char **argv)
{
    return twin_run_suite("sim event cache", tests, TWIN_COUNT(tests), argc, argv);
}
