// SPDX-License-Identifier: Apache-2.0
/// The effects of a difference: a weight that is set before the reset makes one. The C++ loads it
/// then; the weights of the RTL are 1 after a reset, as are those of a system.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include <gtkwave/fstapi.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/tables/arbiter.h"
#include "rig.h"
#include "rtl/factory.h"

namespace
{

// Group 3 has weight 5, and its turn goes on while some is left; in the RTL the turn ends. So the
// second winner differs.
void differ(tsim::RtlPortFactory &factory)
{
    static const tsim::Cycle now = 4711;
    (void)umask(022); // files are private whatever the user's habit is
    factory.attach(now, 7);
    tsim::ArbiterRules rules;
    rules.weight_first = true;
    rules.set_weight(3, 5);
    const auto rtl_port = factory.arbiter(rules, {2, "test"});
    rtl_port->reset();
    for (const uint32_t group : {3u, 4u})
        rtl_port->prepare(0, group);
    rtl_port->add(10, 0, 3);
    rtl_port->add(11, 0, 3);
    rtl_port->add(12, 0, 4);
    uint64_t seed = 0;
    (void)rtl_port->take(seed);
    (void)rtl_port->take(seed);
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

namespace
{

struct Ended {
    std::string out, err;
    int status = 0;
};

// The output of a child process, and its status.
Ended in_child(const std::function<void()> &body)
{
    int pipes[2][2];
    Ended ended;
    CU_ASSERT_FATAL(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
    (void)std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(pipes[0][1], STDOUT_FILENO);
        (void)dup2(pipes[1][1], STDERR_FILENO);
        body();
        std::exit(0);
    }
    for (int i = 0; i < 2; ++i) {
        std::string &text = i == 0 ? ended.out : ended.err;
        (void)close(pipes[i][1]);
        char piece[4096];
        for (ssize_t got = 0; (got = read(pipes[i][0], piece, sizeof(piece))) > 0;)
            text.append(piece, static_cast<size_t>(got));
        (void)close(pipes[i][0]);
    }
    (void)waitpid(child, &ended.status, 0);
    return ended;
}

// The last values in a VCD file, by "scope.name".
std::map<std::string, std::string> last_values(const std::string &path)
{
    std::ifstream file(path);
    std::map<std::string, std::string> names, values;
    std::string line, scope;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string first, a, b, c, d;
        words >> first >> a >> b >> c >> d;
        if (first == "$scope")
            scope = b;
        else if (first == "$var")
            names[c].append(scope).append(".").append(d);
        else if (first[0] == 'b')
            values[names[a]] = first.substr(1);
    }
    return values;
}

// Changes of values in an FST file; -1: it cannot be read.
int64_t changes_in(const std::string &path)
{
    void *const file = fstReaderOpen(path.c_str());
    if (!file)
        return -1;
    int64_t count = 0;
    fstReaderSetFacProcessMaskAll(file);
    const auto each = [](void *counter, uint64_t, fstHandle, const unsigned char *) {
        ++*static_cast<int64_t *>(counter);
    };
    const bool good = fstReaderIterBlocks(file, each, &count, nullptr) != 0;
    fstReaderClose(file);
    return good ? count : -1;
}

} // namespace

static void test_process_ends()
{
    const Ended ended = in_child([] {
        std::printf("what the program printed, ");
        std::fprintf(stderr, "%d\n", static_cast<int>(getpid()));
        differ(*tsim::rtl::make_factory(TWINSIM_MODEL_LOCKSTEP, ""));
    });
    const int self = std::atoi(ended.err.c_str());
    CU_ASSERT(WIFEXITED(ended.status));
    EXPECT_EQ(WEXITSTATUS(ended.status), tsim::rtl::kDifferenceStatus);
    CU_ASSERT(ended.out == "what the program printed, ");
    for (const char *const part : {"device 2", "cycle 4711", "npu_arbiter (test)", "winner",
                                   "model 11", "RTL 12", "ARB-", "seed 7", ".fst", ".vcd"})
        CU_ASSERT(ended.err.find(part) != std::string::npos);
    const std::string begin = "twinrt-difference." + std::to_string(self) + ".2.arbiter.test.";
    for (const char *const end : {"fst", "vcd"})
        CU_ASSERT(is_there(begin + end));
    CU_ASSERT(changes_in(begin + "fst") > 0);
    auto values = last_values(begin + "vcd");
    const std::string zeros(60, '0');
    CU_ASSERT(values["model.winner"] == zeros + "1011"); // 11
    CU_ASSERT(values["rtl.winner"] == zeros + "1100");   // 12
    for (const char *const end : {"fst", "vcd"})
        (void)std::remove((begin + end).c_str());
}

// The report comes even where nothing can be written, and files that were there before do not stay
// readable.
static void test_files_that_cannot_be_written()
{
    const Ended ended = in_child([] {
        const rlimit none = {0, 0};
        (void)setrlimit(RLIMIT_FSIZE, &none);
        differ(*tsim::rtl::make_factory(TWINSIM_MODEL_LOCKSTEP, ""));
    });
    CU_ASSERT(WIFEXITED(ended.status));
    EXPECT_EQ(WEXITSTATUS(ended.status), tsim::rtl::kDifferenceStatus);
    CU_ASSERT(ended.err.find("signal winner: model 11") != std::string::npos);
    CU_ASSERT(ended.err.find("waveforms at twinrt-difference.") != std::string::npos);
    CU_ASSERT(ended.err.find("waveform: ") == std::string::npos);

    for (const char *const end : {"fst", "vcd"}) {
        const std::string path = std::string("old.difference.2.arbiter.test.") + end;
        std::ofstream(path) << "from an earlier run";
        CU_ASSERT(chmod(path.c_str(), 0644) == 0);
    }
    (void)in_child([] { differ(*tsim::rtl::make_factory(TWINSIM_MODEL_LOCKSTEP, "old")); });
    for (const char *const end : {"fst", "vcd"})
        CU_ASSERT(is_there(std::string("old.difference.2.arbiter.test.") + end));

    const Ended nowhere = in_child(
        [] { differ(*tsim::rtl::make_factory(TWINSIM_MODEL_LOCKSTEP, "no/such/folder")); });
    EXPECT_EQ(WEXITSTATUS(nowhere.status), tsim::rtl::kDifferenceStatus);
    CU_ASSERT(nowhere.err.find("no waveforms at no/such/folder") != std::string::npos);
}

// An assertion that goes on failing is reported once, immediately.
static void test_assertion()
{
    const Ended ended = in_child([] {
        static const tsim::Cycle now = 1;
        const auto factory = tsim::rtl::make_factory(TWINSIM_MODEL_RTL, "assertion");
        factory->attach(now, 0);
        const auto rtl_port = factory->arbiter(tsim::ArbiterRules(), {0, "test"});
        rtl_port->reset();
        uint64_t seed = 0;
        (void)rtl_port->take(seed); // nothing asks
    });
    EXPECT_EQ(WEXITSTATUS(ended.status), tsim::rtl::kDifferenceStatus);
    CU_ASSERT(ended.err.find("signal assertion") != std::string::npos);
    const auto lines = std::count(ended.out.begin(), ended.out.end(), '\n');
    CU_ASSERT(lines >= 1 && lines < 20);
}

// The final call is made once, after the report; it can hide neither the report nor the status.
static void test_last()
{
    struct Case {
        void (*call)();
        const char *last; // what is seen of it
    };
    const Case cases[] = {
        {[] { std::fputs("done last\n", stderr); }, "done last\n"},
        {[] {
             std::fputs("crashes\n", stderr);
             std::abort();
         },
         "crashes\n"},
        {[] {
             std::fputs("hangs\n", stderr);
             for (;;)
                 (void)pause();
         },
         "hangs\n"},
    };
    for (const Case &c : cases) {
        const Ended ended = in_child([&] {
            sigset_t all; // a thread that blocks all signals is ended too
            (void)sigfillset(&all);
            (void)sigprocmask(SIG_BLOCK, &all, nullptr);
            differ(*tsim::rtl::make_factory(TWINSIM_MODEL_LOCKSTEP, "last", {}, {c.call, 1}));
        });
        CU_ASSERT(WIFEXITED(ended.status));
        EXPECT_EQ(WEXITSTATUS(ended.status), tsim::rtl::kDifferenceStatus);
        const size_t report = ended.err.find("signal winner: model 11");
        const size_t waves = ended.err.find("waveform: ");
        const size_t last = ended.err.find(c.last);
        CU_ASSERT(report < waves && waves < last && last != std::string::npos);
        CU_ASSERT(ended.err.find(c.last, last + 1) == std::string::npos);
    }
}

// A forked child that ends as any program does leaves its parent's waveforms whole.
static void test_fork()
{
    const auto work = [](const char *trace, bool forks) {
        static const tsim::Cycle now = 1;
        static std::unique_ptr<tsim::RtlPortFactory> factory; // as in a program: never freed
        factory = tsim::rtl::make_factory(TWINSIM_MODEL_RTL, trace);
        factory->attach(now, 0);
        static std::unique_ptr<tsim::ArbiterRtlPort> rtl_port;
        rtl_port = factory->arbiter(tsim::ArbiterRules(), {0, "test"});
        rtl_port->reset();
        for (uint32_t i = 0; i < 200; ++i) {
            rtl_port->add(i % 50, 0, 0);
            uint64_t seed = 0;
            (void)rtl_port->take(seed);
            if (!forks || i % 50 != 25)
                continue;
            const pid_t child = fork();
            if (child == 0)
                std::exit(0);
            (void)waitpid(child, nullptr, 0);
        }
    };
    (void)in_child([&] { work("alone", false); });
    (void)in_child([&] { work("forked", true); });
    const int64_t changes = changes_in("alone.0.arbiter.test.fst");
    CU_ASSERT(changes > 1000);
    EXPECT_EQ(changes_in("forked.0.arbiter.test.fst"), changes);
}

// A signal may belong to many rules: reported is the rule of the operation.
static void test_rules()
{
    using tsim::SqeNext;
    using tsim::SqeOp;
    const struct {
        SqeOp op;
        SqeNext next;
        const char *rule;
    } cases[] = {{SqeOp::kBegin, SqeNext::kExecute, "T-SQE-3"},
                 {SqeOp::kMiss, SqeNext::kLoaded, "T-EVT-8"},
                 {SqeOp::kDone, SqeNext::kRetire, "T-SQE-5"},
                 {SqeOp::kSetUp, SqeNext::kSetUp, "T-DMA-2"},
                 {SqeOp::kFail, SqeNext::kReport, "T-SQE-10"}};
    const tsim::SqeShape shape = {16, 16, 16, 4, 1, 1, 1, 0, 10, 20, 30, 40, 50, 60};
    const stars_sqe sqe = sqe_event_record(3);
    for (const auto &one : cases) {
        tsim::rtl::Difference found;
        const auto factory = tsim::rtl::make_factory(
            TWINSIM_MODEL_LOCKSTEP, "", [&found](const tsim::rtl::Difference &d) { found = d; });
        static const tsim::Cycle now = 100;
        factory->attach(now, 1);
        const auto rtl_port = factory->sqes(shape, {0, ""});
        rtl_port->reset();
        tsim::SqeRequest request{SqeOp::kBegin, false, 0, 100, &sqe};
        request.event = 7;
        tsim::SqeAnswer answer;
        answer.type = STARS_SQE_EVENT_RECORD;
        answer.step = {SqeNext::kExecute, tsim::SqeHold::kNot, 100 + 10 + 7};
        if (one.op != SqeOp::kBegin) {
            (void)rtl_port->run(request, answer);
            CU_ASSERT(found.signal.empty());
            request.op = one.op;
            answer.type = 0;
        }
        answer.step = {one.next, tsim::SqeHold::kNot, 1}; // no time that anything takes
        (void)rtl_port->run(request, answer);
        CU_ASSERT(found.signal == "due");
        CU_ASSERT(found.rule == one.rule);
        for (const std::string &file : found.files)
            (void)std::remove(file.c_str());
    }
}

static const twin_test tests[] = {
    {"a report has place, time, values, rule and the operations before", test_report},
    {"the rule is that of the operation", test_rules},
    {"without a hook it ends the process with its own status", test_process_ends},
    {"a failure to write waveforms is reported, and waveforms are private",
     test_files_that_cannot_be_written},
    {"an assertion that fails is reported once", test_assertion},
    {"the final call comes after the report and changes no status", test_last},
    {"a forked child leaves waveforms alone", test_fork},
};

int main(int argc, char **argv)
{
    std::string folder = (std::filesystem::temp_directory_path() / "difference.XXXXXX").string();
    if (!mkdtemp(folder.data()) || chdir(folder.c_str()) != 0)
        return 1;
    const int status = twin_run_suite("lockstep_difference", tests, TWIN_COUNT(tests), argc, argv);
    std::filesystem::remove_all(folder);
    return status;
}
