// SPDX-License-Identifier: Apache-2.0
/// What becomes of a difference: one is made on purpose, by a weight that is there before the reset. The C++ loads it
/// then; the weights of the RTL are 1 after a reset, and a board has no others either.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/arbiter.h"
#include "rig.h"
#include "rtl/factory.h"

namespace
{

// Group 3 has weight 5, and its turn goes on while some is left; in the RTL the turn ends. So the second winner differs.
void differ(tsim::TwinFactory &factory)
{
    static const tsim::Cycle now = 4711;
    (void)umask(022); // files are private whatever the user's habit is
    factory.attach(now, 7);
    tsim::ArbiterRules rules;
    rules.weight_first = true;
    rules.set_weight(3, 5);
    const auto twin = factory.arbiter(rules, {2, "test"});
    twin->reset();
    for (const uint32_t group : {3u, 4u})
        twin->prepare(0, group);
    twin->add(10, 0, 3);
    twin->add(11, 0, 3);
    twin->add(12, 0, 4);
    uint64_t seed = 0;
    (void)twin->take(seed);
    (void)twin->take(seed);
}

// A waveform: there, and its owner's alone.
bool is_there(const std::string &path)
{
    struct stat status = {};
    return stat(path.c_str(), &status) == 0 && (status.st_mode & 0777) == 0600;
}

} // namespace

static void test_report()
{
    tsim::rtl::Difference found;
    uint32_t count = 0;
    const auto factory =
        tsim::rtl::make_factory(TWINSIM_MODEL_LOCKSTEP, "", [&](const tsim::rtl::Difference &d) {
            found = d;
            ++count;
        });
    differ(*factory);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(found.device, 2);
    EXPECT_EQ(found.cycle, 4711);
    EXPECT_EQ(found.seed, 7);
    CU_ASSERT(found.block == "npu_arbiter");
    CU_ASSERT(found.instance == "test");
    CU_ASSERT(found.signal == "winner");
    EXPECT_EQ(found.model, 11);
    EXPECT_EQ(found.rtl, 12);
    CU_ASSERT(found.rule.find("ARB-") != std::string::npos);
    EXPECT_EQ(found.operations.size(), 6); // the weight is one
    CU_ASSERT(found.operations.back().find("take") != std::string::npos);
    EXPECT_EQ(found.files.size(), 2);
    for (const std::string &file : found.files) {
        CU_ASSERT(is_there(file));
        (void)std::remove(file.c_str());
    }
}

static void test_process_ends()
{
    int out[2];
    CU_ASSERT_FATAL(pipe(out) == 0);
    (void)std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(out[1], STDERR_FILENO);
        differ(*tsim::rtl::make_factory(TWINSIM_MODEL_LOCKSTEP, ""));
        _exit(0);
    }
    (void)close(out[1]);
    std::string text;
    char piece[4096];
    for (ssize_t got = 0; (got = read(out[0], piece, sizeof(piece))) > 0;)
        text.append(piece, static_cast<size_t>(got));
    (void)close(out[0]);
    int status = 0;
    (void)waitpid(child, &status, 0);
    CU_ASSERT(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), tsim::rtl::kDifferenceStatus);
    for (const char *const part : {"device 2", "cycle 4711", "npu_arbiter", "winner", "model 11",
                                   "RTL 12", "ARB-", "seed 7", ".fst", ".vcd"})
        CU_ASSERT(text.find(part) != std::string::npos);
    const std::string begin = "twinrt-difference." + std::to_string(child) + ".2.arbiter.test.";
    for (const char *const end : {"fst", "vcd"}) {
        CU_ASSERT(is_there(begin + end));
        (void)std::remove((begin + end).c_str());
    }
}

static const twin_test tests[] = {
    {"a difference tells where, when, what, which rule and what went before", test_report},
    {"without a hook it ends the process with its own status", test_process_ends},
};

int main(int argc, char **argv)
{
    return twin_run_suite("lockstep_difference", tests, TWIN_COUNT(tests), argc, argv);
}
