// SPDX-License-Identifier: Apache-2.0
// Some random jobs of lockstep.jobs once more on npu_top, to see how much of it they cover.
// jobs_test compares their outcomes.
#include <verilated.h>
#include <verilated_cov.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "job.h"
#include "job_top.h"

int main(int argc, char **argv)
{
    constexpr uint64_t kJobs = 40;
    const char *const kOption = "--coverage=";
    if (argc != 2 || std::strncmp(argv[1], kOption, std::strlen(kOption)) != 0) {
        std::printf("usage: top --coverage=FILE\n");
        return 2;
    }
    job::Top top;
    uint64_t clocks = 0;
    try {
        for (uint64_t seed = 1; seed <= kJobs; ++seed)
            clocks += top.run(job::Job::random(seed)).steps;
    } catch (const std::string &what) {
        std::printf("FAIL: %s\n", what.c_str());
        return 1;
    }
    const std::string file = std::string(argv[1] + std::strlen(kOption)) + ".1";
    Verilated::threadContextp()->coveragep()->write(file.c_str());
    std::printf("PASS npu_top: %llu jobs, %llu clocks\n", static_cast<unsigned long long>(kJobs),
                static_cast<unsigned long long>(clocks));
    return 0;
}
