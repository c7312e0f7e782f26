// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include <cctype>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace job
{

namespace
{

struct NumberInfo {
    const char *name;
    uint64_t least, most, usual;
};
// In the order of Number.
constexpr NumberInfo kNumberInfo[kNumbers] = {
    {"arbitration", 0, 1000000, 8},
    {"burst", 0, 1048576, 0},
    {"cq_write", 0, 1000000, 20},
    {"credit_unit", 1, 1000000, 50},
    {"decode", 0, 1000000, 10},
    {"drain", 0, 1000000, 10},
    {"slot_enable", 0, 1000000, 12},
    {"event", 0, 1000000, 15},
    {"event_cached", 1, 128, 128},
    {"event_miss", 0, 1000000, 60},
    {"events", 1, 128, 64},
    {"hbm", 1, 10000000, 128000},
    {"notifies", 1, 128, 64},
    {"notify", 0, 1000000, 15},
    {"outstanding", 1, 65536, 16},
    {"pcie_cap", 1, 64, 4},
    {"pcie_channels", 1, 16, 4},
    {"pcie_setup", 0, 1000000, 90},
    {"pcie_shift", 0, 6, 4},
    {"read", 0, 1000000, 40},
    {"record", 0, 1000000, 30},
    {"retire", 0, 1000000, 8},
    {"sdma_cap", 1, 64, 4},
    {"sdma_channels", 1, 16, 4},
    {"sdma_setup", 0, 1000000, 70},
    {"sdma_shift", 0, 6, 5},
    {"slot_disable", 0, 1000000, 10},
    {"slots", 1, 128, 8},
    {"store", 0, 1000000, 25},
    {"strict_level", 0, 7, 7},
    {"to_device", 1, 10000000, 32000},
    {"to_host", 1, 10000000, 32000},
    {"window", 1, 64, 8},
};

struct KindInfo {
    const char *name;
    bool queue;    // the first number is a queue
    uint32_t args; // after it
};
constexpr KindInfo kKindInfo[static_cast<size_t>(Kind::kKinds)] = {
    {"queue", true, 5},
    {"ring", true, 1},
    {"run", false, 1},
    {"cq_take", true, 1},
    {"resume", true, 0},
    {"handled", true, 0},
    {"enable", true, 1},
    {"host_record", false, 1},
    {"host_clear", false, 1},
    {"host_notify", false, 1},
    {"host_notify_clear", false, 1},
    {"pause", true, 0},
    {"debug_pause", true, 0},
    {"debug_resume", true, 0},
    {"kill", true, 0},
    {"terminate", true, 0},
    {"set_head", true, 1},
    {"priority", true, 2},
    {"placeholder", true, 1},
    {"record", true, 1},
    {"wait", true, 2},
    {"notify_record", true, 1},
    {"notify_wait", true, 2},
    {"write_event", true, 2},
    {"write_notify", true, 2},
    {"write_memory", true, 3},
    {"write_nowhere", true, 1},
    {"sdma", true, 3},
    {"fill", true, 3},
    {"pcie", true, 3},
    {"type", true, 1},
    {"count_record", true, 3},
    {"count_wait", true, 5},
    {"callback", true, 2},
    {"poll", true, 3},
};

[[nodiscard]] bool to_number(const std::string &word, uint64_t &out)
{
    char *end = nullptr;
    errno = 0;
    out = std::strtoull(word.c_str(), &end, 0);
    return std::isdigit(static_cast<unsigned char>(word[0])) != 0 && *end == 0 && errno == 0;
}

} // namespace

Job::Job()
{
    for (size_t i = 0; i < kNumbers; ++i)
        machine[i] = kNumberInfo[i].usual;
}

std::string Step::text() const
{
    const KindInfo &info = kKindInfo[static_cast<size_t>(kind)];
    std::ostringstream out;
    out << info.name;
    if (info.queue)
        out << ' ' << queue;
    for (uint32_t i = 0; i < info.args; ++i) {
        if (args[i] >= 0x10000)
            out << " 0x" << std::hex << args[i] << std::dec;
        else
            out << ' ' << args[i];
    }
    if (cqe)
        out << " cqe";
    if (credit != 0)
        out << " credit=" << credit;
    if (pre != 0)
        out << " pre=" << pre;
    if (post != 0)
        out << " post=" << post;
    if (ie != 0)
        out << " ie=" << ie;
    return out.str();
}

const char *Job::number_name(Number number)
{
    return kNumberInfo[number].name;
}

std::string Job::text() const
{
    std::ostringstream out;
    for (size_t i = 0; i < kNumbers; ++i)
        if (machine[i] != kNumberInfo[i].usual)
            out << "machine " << kNumberInfo[i].name << ' ' << machine[i] << '\n';
    for (const Step &step : steps)
        out << step.text() << '\n';
    return out.str();
}

namespace
{

[[nodiscard]] bool parse_machine(std::istringstream &words, Job &out, std::string &error)
{
    std::string name, value, more;
    words >> name >> value;
    if (words >> more) {
        error = "\"" + more + "\" is too much";
        return false;
    }
    for (size_t i = 0; i < kNumbers; ++i) {
        const NumberInfo &info = kNumberInfo[i];
        if (name != info.name)
            continue;
        if (to_number(value, out.machine[i]) && out.machine[i] >= info.least &&
            out.machine[i] <= info.most)
            return true;
        error = name;
        error.append(" is ").append(value).append(", it can be ");
        error.append(std::to_string(info.least)).append(" to ").append(std::to_string(info.most));
        return false;
    }
    error = "a machine has no \"" + name + "\"";
    return false;
}

[[nodiscard]] bool parse_flag(const std::string &word, Step &step, std::string &error)
{
    if (word == "cqe") {
        step.cqe = true;
        return true;
    }
    const size_t equals = word.find('=');
    uint64_t value = 0;
    const std::string name = word.substr(0, equals);
    uint32_t *const where = name == "credit" ? &step.credit
                            : name == "pre"  ? &step.pre
                            : name == "post" ? &step.post
                            : name == "ie"   ? &step.ie
                                             : nullptr;
    if (!where || equals == std::string::npos || !to_number(word.substr(equals + 1), value) ||
        value > (name == "credit" ? 255u : 3u)) {
        error = "\"" + word + "\" is none of cqe, credit=0..255, pre=0..3, post=0..3, ie=0..3";
        return false;
    }
    *where = static_cast<uint32_t>(value);
    return true;
}

[[nodiscard]] bool good_queue(const Step &step)
{
    const auto good_depth = [](uint64_t depth) {
        return depth >= 2 && depth <= 4096 && (depth & (depth - 1)) == 0;
    };
    return step.args[0] < 8 && step.args[1] < 64 && good_depth(step.args[2]) &&
           good_depth(step.args[3]);
}

/// Of the number that says when, of which type, or which size.
[[nodiscard]] uint64_t most_of(const Step &step)
{
    switch (step.kind) {
    case Kind::kRing:
    case Kind::kRun:
        return UINT64_MAX / 4; // a machine works until later
    case Kind::kType:
        return 63;
    case Kind::kWriteMemory:
        return 7;
    default:
        return UINT64_MAX;
    }
}

[[nodiscard]] bool parse_step(const std::string &name, std::istringstream &words, Job &out,
                              std::string &error)
{
    for (size_t k = 0; k < static_cast<size_t>(Kind::kTextKinds); ++k) {
        const KindInfo &info = kKindInfo[k];
        if (name != info.name)
            continue;
        Step step{static_cast<Kind>(k)};
        std::string word;
        uint64_t value = 0;
        for (uint32_t i = 0; i < info.args + (info.queue ? 1 : 0); ++i) {
            if (!(words >> word) || !to_number(word, value)) {
                error = name + " takes " + std::to_string(info.args + (info.queue ? 1 : 0)) +
                        " numbers";
                return false;
            }
            if (!info.queue)
                step.args[i] = value;
            else if (i > 0)
                step.args[i - 1] = value;
            else if (value < kQueues)
                step.queue = static_cast<uint32_t>(value);
            else {
                error = "there are queues 0 to " + std::to_string(kQueues - 1);
                return false;
            }
        }
        if (step.kind == Kind::kQueue && !good_queue(step)) {
            error = "a queue has a priority 0 to 7, a group 0 to 63, and depths of 2 to 4096, "
                    "powers of two";
            return false;
        }
        if (step.kind == Kind::kPriority && (step.args[0] >= 8 || step.args[1] >= 64)) {
            error = "a queue has a priority 0 to 7 and a group 0 to 63";
            return false;
        }
        const uint64_t most = most_of(step);
        if (step.args[step.kind == Kind::kWriteMemory ? 1 : 0] > most) {
            error = name + " takes at most " + std::to_string(most) + " there";
            return false;
        }
        while (step.is_task() && words >> word)
            if (!parse_flag(word, step, error))
                return false;
        if (words >> word) {
            error = "\"" + word + "\" is too much";
            return false;
        }
        out.steps.push_back(step);
        return true;
    }
    error = "there is no \"" + name + "\"";
    return false;
}

} // namespace

bool Job::parse(const std::string &text, Job &out, std::string &error)
{
    out = Job();
    std::istringstream lines(text);
    std::string line;
    for (uint32_t number = 1; std::getline(lines, line); ++number) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string name;
        if (!(words >> name))
            continue;
        if (name == "machine" ? parse_machine(words, out, error)
                              : parse_step(name, words, out, error))
            continue;
        error.insert(0, "line " + std::to_string(number) + ": ");
        return false;
    }
    constexpr uint64_t kMostWithBursts = uint64_t{1} << 43; // times of bursts must lie closer
    for (const Step &step : out.steps)
        if (out.bursts() && (step.kind == Kind::kRing || step.kind == Kind::kRun) &&
            step.args[0] > kMostWithBursts) {
            error = step.text() + ": with bursts at most " + std::to_string(kMostWithBursts);
            return false;
        }
    return true;
}

} // namespace job
