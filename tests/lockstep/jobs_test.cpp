// SPDX-License-Identifier: Apache-2.0
// Jobs on the model and on npu_top: what happens, in which order, in which cycle, must be the same.
// A random job that fails is made smaller as long as it fails, and printed.
//
//   jobs_test FILE.job ...            these jobs
//   jobs_test --random=COUNT [--seed=FIRST]
//   jobs_test --print=SEED            that random job, as text
//   jobs_test --print-outcomes …      also prints the outcomes of the jobs after it, to compare two
//                                     versions of the RTL
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "job.h"
#include "job_top.h"

namespace
{

using job::Job;
using job::Outcome;

/// Empty: no difference. Else the first one.
std::string first_difference(const char *what, const std::vector<std::string> &rtl,
                             const std::vector<std::string> &model)
{
    for (size_t i = 0; i < std::max(rtl.size(), model.size()); ++i) {
        const std::string nothing = "(nothing)";
        const std::string &a = i < rtl.size() ? rtl[i] : nothing;
        const std::string &b = i < model.size() ? model[i] : nothing;
        if (a != b) {
            std::string text = what;
            text.append(", number ").append(std::to_string(i + 1));
            text.append("\n  RTL:   ").append(a).append("\n  model: ").append(b).append("\n");
            return text;
        }
    }
    return "";
}

struct Totals {
    uint64_t jobs = 0, tasks = 0, clocks = 0;
    double seconds = 0;
    bool print = false;
};

void print_outcome(const Outcome &rtl)
{
    for (const auto *lines : {&rtl.spans, &rtl.ends, &rtl.state})
        for (const std::string &line : *lines)
            std::puts(line.c_str());
}

/// With `totals` it counts; without, it is one of many tries.
std::string compare(job::Top &top, const Job &one, Totals *totals)
{
    const Outcome model = job::run_model(one);
    Outcome rtl;
    const auto begin = std::chrono::steady_clock::now();
    try {
        rtl = top.run(one, totals == nullptr);
    } catch (const std::string &what) {
        return what + "\n";
    }
    if (totals) {
        totals->seconds +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        totals->clocks += rtl.steps;
        totals->tasks += model.ends.size();
        ++totals->jobs;
        if (totals->print)
            print_outcome(rtl);
    }
    std::string found = first_difference("spans", rtl.spans, model.spans);
    if (found.empty())
        found = first_difference("ends of tasks", rtl.ends, model.ends);
    if (found.empty())
        found = first_difference("end of the job", rtl.state, model.state);
    return found;
}

/// Leaves out steps, many at once first, then sets the machine to its usual numbers, as long as
/// there is a difference.
Job shrink(job::Top &top, Job failing)
{
    for (size_t part = failing.steps.size() / 2; part > 0; part /= 2) {
        for (bool again = true; again;) {
            again = false;
            for (size_t at = 0; at + part <= failing.steps.size();) {
                Job smaller = failing;
                smaller.steps.erase(smaller.steps.begin() + static_cast<long>(at),
                                    smaller.steps.begin() + static_cast<long>(at + part));
                if (!compare(top, smaller, nullptr).empty()) {
                    failing = smaller;
                    again = true;
                } else {
                    at += part;
                }
            }
        }
    }
    const Job usual;
    for (size_t i = 0; i < failing.machine.size(); ++i) {
        Job simpler = failing;
        simpler.machine[i] = usual.machine[i];
        if (!compare(top, simpler, nullptr).empty())
            failing = simpler;
    }
    return failing;
}

bool run_file(job::Top &top, const char *path, Totals &totals)
{
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    Job one;
    std::string error;
    if (!file) {
        std::printf("%s: cannot be read\n", path);
        return false;
    }
    if (!Job::parse(text.str(), one, error)) {
        std::printf("%s: %s\n", path, error.c_str());
        return false;
    }
    const uint64_t before = totals.tasks;
    const std::string found = compare(top, one, &totals);
    if (!found.empty())
        std::printf("%s: RTL and model differ: %s", path, found.c_str());
    else if (totals.tasks == before)
        std::printf("%s: no task comes to its end, so nothing is compared\n", path);
    return found.empty() && totals.tasks != before;
}

bool run_random(job::Top &top, uint64_t seed, Totals &totals)
{
    const Job one = Job::random(seed);
    Job back;
    std::string error;
    if (!Job::parse(one.text(), back, error) || back.text() != one.text()) {
        std::printf("seed %" PRIu64 ": the text of the job is not the job: %s\n", seed,
                    error.c_str());
        return false;
    }
    const std::string found = compare(top, one, &totals);
    if (found.empty())
        return true;
    std::printf("seed %" PRIu64 ": RTL and model differ: %s", seed, found.c_str());
    (void)std::fflush(stdout); // what follows may take long
    const Job small = shrink(top, one);
    std::printf("The smallest job found that fails:\n%s%s", small.text().c_str(),
                compare(top, small, nullptr).c_str());
    return false;
}

} // namespace

int main(int argc, char **argv)
{
    job::Top top;
    Totals totals;
    uint64_t count = 0, seed = 1;
    bool good = true;
    const auto number = [](const char *text, uint64_t &out) {
        char *end = nullptr;
        out = std::strtoull(text, &end, 0);
        if (*text >= '0' && *text <= '9' && *end == '\0')
            return true;
        std::printf("jobs_test: \"%s\" is not a number\n", text);
        return false;
    };
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], "--random=", 9) == 0)
            good = number(argv[i] + 9, count) && good;
        else if (std::strncmp(argv[i], "--seed=", 7) == 0)
            good = number(argv[i] + 7, seed) && good;
        else if (std::strcmp(argv[i], "--print-outcomes") == 0)
            totals.print = true;
        else if (std::strncmp(argv[i], "--print=", 8) == 0) {
            std::printf("%s", Job::random(std::strtoull(argv[i] + 8, nullptr, 0)).text().c_str());
            return 0;
        } else {
            good = run_file(top, argv[i], totals) && good;
        }
    }
    for (uint64_t n = 0; n < count && good; ++n)
        good = run_random(top, seed + n, totals);
    if (!good)
        return 1;
    if (totals.jobs == 0) {
        std::printf("jobs_test: name job files, or --random=COUNT\n");
        return 2;
    }
    std::printf("%" PRIu64 " jobs, %" PRIu64 " tasks, %" PRIu64
                " clocks: RTL and model agree (RTL: %.2f M clocks/s)\n",
                totals.jobs, totals.tasks, totals.clocks,
                static_cast<double>(totals.clocks) / totals.seconds / 1e6);
    return 0;
}
