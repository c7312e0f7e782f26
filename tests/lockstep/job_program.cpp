// SPDX-License-Identifier: Apache-2.0
// A job through the public interface, on the device that the environment names.
//
//   job_program [--profile=NEW_FILE] [--order=NEW_FILE] FILE.job
//   job_program [--profile=NEW_FILE] [--order=NEW_FILE] --random=SEED
//   job_program --list FILE.job                      which steps can be played; uses no device
//
// --profile: writes the job's machine as a profile into that file; the model uses it, and
// TWINRT_DMA. --order: writes in JSON which tasks must come before which, to compare with their
// times. Status 0: played, and all rules held.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "job_acl.h"
#include "job_profile.h"

namespace
{

struct Options {
    const char *file = nullptr;
    const char *profile = nullptr;
    const char *order = nullptr;
    bool list = false, random = false;
    uint64_t seed = 0;
};

bool parse(int argc, char **argv, Options &out)
{
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], "--profile=", 10) == 0)
            out.profile = argv[i] + 10;
        else if (std::strncmp(argv[i], "--order=", 8) == 0)
            out.order = argv[i] + 8;
        else if (std::strncmp(argv[i], "--random=", 9) == 0) {
            out.random = true;
            out.seed = std::strtoull(argv[i] + 9, nullptr, 0);
        } else if (std::strcmp(argv[i], "--list") == 0)
            out.list = true;
        else if (argv[i][0] != '-' && !out.file)
            out.file = argv[i];
        else
            return false;
    }
    return (out.file != nullptr) != out.random;
}

bool read(const Options &options, job::Job &out)
{
    if (options.random) {
        out = job::Job::random(options.seed);
        return true;
    }
    std::ifstream file(options.file);
    std::stringstream text;
    text << file.rdbuf();
    std::string error = "cannot be read";
    if (file && job::Job::parse(text.str(), out, error))
        return true;
    std::printf("%s: %s\n", options.file, error.c_str());
    return false;
}

bool write(const char *path, const std::string &text)
{
    std::ofstream file(path, std::ios::trunc);
    file << text;
    file.close();
    if (!file)
        std::printf("%s: cannot be written\n", path);
    return static_cast<bool>(file);
}

// A name without a folder would be one of the profiles that come with the model. How links are
// shared is not a number of a profile.
bool use_machine(const std::string &path, const job::Job &job)
{
    const std::string name = path.find('/') == std::string::npos ? "./" + path : path;
    return setenv("TWINRT_PROFILE", name.c_str(), 1) == 0 &&
           setenv("TWINRT_DMA", job.bursts() ? "burst" : "flow", 1) == 0;
}

/// A list of tasks, each with its stream, its number there, and the places in the list of all that
/// comes before it.
std::string text_of(const job::Order &order, const std::map<uint32_t, int32_t> &streams)
{
    std::ostringstream out;
    const auto tasks = order.tasks();
    for (size_t i = 0; i < tasks.size(); ++i) {
        out << (i == 0 ? "[" : ",\n ");
        if (!tasks[i]) {
            out << "null";
            continue;
        }
        const auto stream = streams.find(tasks[i]->queue);
        out << "{\"stream\": " << (stream == streams.end() ? -1 : stream->second)
            << ", \"number\": " << tasks[i]->number
            << ", \"wait\": " << (tasks[i]->is_wait ? "true" : "false") << ", \"after\": [";
        const char *comma = "";
        for (size_t k = 0; k < tasks.size(); ++k)
            if (order.comes_before(k, i)) {
                out << comma << k;
                comma = ", ";
            }
        out << "]}";
    }
    out << (tasks.empty() ? "[]\n" : "]\n");
    return out.str();
}

void print(const char *what, const std::vector<std::string> &lines)
{
    for (const std::string &line : lines)
        std::printf("%s %s\n", what, line.c_str());
}

} // namespace

int main(int argc, char **argv)
{
    Options options;
    job::Job job;
    if (!parse(argc, argv, options)) {
        std::printf("job_program [--list] [--profile=NEW_FILE] [--order=NEW_FILE] (FILE.job | "
                    "--random=SEED)\n");
        return 2;
    }
    if (!read(options, job))
        return 2;
    const job::Plan plan(job);
    std::vector<std::string> changed = plan.changed;
    const std::string profile = job::profile_of(job.machine, changed);
    if (!options.profile)
        changed.emplace_back("machine: the device's own numbers hold");
    else if (!write(options.profile, profile) || !use_machine(options.profile, job))
        return 2;
    if (options.profile && job.bursts())
        std::printf("links are shared burst by burst\n");
    print("changed", changed);
    print("refused", plan.refused);
    std::printf("%zu lines: %zu played, %zu submit, %zu refused\n", job.steps.size(),
                plan.steps.size(), plan.rings, plan.refused.size());
    if (options.list)
        return 0;
    std::fflush(stdout);
    const job::Order order(plan);
    const job::Result result = job::play(plan, order);
    if (options.order && !write(options.order, text_of(order, result.streams)))
        return 2;
    print("     ", result.lines);
    print("WRONG", result.wrong);
    std::printf("%s\n", result.wrong.empty() ? "all rules held" : "rules were broken");
    return result.wrong.empty() ? 0 : 1;
}
