// SPDX-License-Identifier: Apache-2.0
#include "rtl/difference.h"

#include <cinttypes>
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
    add(std::snprintf(line, sizeof(line),
                      "twinrt: model and RTL differ: device %" PRIu32 ", cycle %" PRIu64
                      ", block %s (%s)\n",
                      d.device, d.cycle, d.block.c_str(), d.instance.c_str()));
    add(std::snprintf(line, sizeof(line),
                      "  signal %s: model %" PRIu64 " (0x%" PRIx64 "), RTL %" PRIu64 " (0x%" PRIx64
                      ")\n  rule %s, seed %" PRIu64 "\n",
                      d.signal.c_str(), d.model, d.model, d.rtl, d.rtl, d.rule.c_str(), d.seed));
    text += "  last operations of this block, the last one differs:\n";
    for (const std::string &operation : d.operations)
        text += "    " + operation + "\n";
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

void Reporter::report(const Difference &difference) const
{
    if (hook_) {
        hook_(difference);
        return;
    }
    const std::string text = to_text(difference);
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
    (void)std::fflush(stderr);
    close_waves();
    _exit(kDifferenceStatus);
}

} // namespace tsim::rtl
