// SPDX-License-Identifier: Apache-2.0
#include "rtl/difference.h"

#include <cinttypes>
#include <csignal>
#include <cstdio>

#include <unistd.h>

#include "rtl/wave.h"

namespace tsim::rtl
{

std::string to_text(const Difference &d)
{
    char line[512];
    std::string text;
    const auto add = [&text, &line](int) { text += line; };
    const std::string instance = d.instance.empty() ? "" : " (" + d.instance + ")";
    add(std::snprintf(line, sizeof(line),
                      "twinrt: model and RTL differ: device %" PRIu32 ", cycle %" PRIu64
                      ", block %s%s\n",
                      d.device, d.cycle, d.block.c_str(), instance.c_str()));
    add(std::snprintf(line, sizeof(line),
                      "  signal %s: model %" PRIu64 " (0x%" PRIx64 "), RTL %" PRIu64 " (0x%" PRIx64
                      ")\n  rule %s, seed %" PRIu64 "\n",
                      d.signal.c_str(), d.model, d.model, d.rtl, d.rtl, d.rule.c_str(), d.seed));
    text += "  last operations of this block, the last one differs:\n";
    for (const std::string &operation : d.operations)
        text += "    " + operation + "\n";
    return text;
}

std::string to_text_of_files(const Difference &d)
{
    std::string text;
    for (const std::string &file : d.files)
        text += "  waveform: " + file + "\n";
    if (!d.note.empty())
        text += "  " + d.note + "\n";
    return text;
}

std::string Reporter::wave_prefix() const
{
    return trace_.empty() ? "twinrt-difference." + std::to_string(getpid())
                          : trace_ + ".difference";
}

namespace
{
void print(const std::string &text)
{
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
    (void)std::fflush(stderr);
}

void leave(int)
{
    _exit(kDifferenceStatus);
}

// However it ends, the report is written, and the process ends with its status.
void call_last(const Reporter::Last &last)
{
    struct sigaction action = {};
    action.sa_handler = leave;
    action.sa_flags = SA_ONSTACK;
    sigset_t signals;
    (void)sigemptyset(&signals);
    for (const int number : {SIGALRM, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV}) {
        (void)sigaction(number, &action, nullptr);
        (void)sigaddset(&signals, number);
    }
    (void)pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    (void)alarm(last.seconds);
    last.call();
}
} // namespace

void Reporter::print_text(const Difference &difference) const
{
    if (!hook_)
        print(to_text(difference));
}

void Reporter::end(const Difference &difference) const
{
    if (hook_) {
        hook_(difference);
        return;
    }
    print(to_text_of_files(difference));
    (void)std::fflush(stdout); // what the program has printed until then
    close_waves();
    if (last_.call)
        call_last(last_);
    _exit(kDifferenceStatus);
}

} // namespace tsim::rtl
