// SPDX-License-Identifier: Apache-2.0
/// The lines of an outcome: both machines write them with these.
#ifndef TWINRT_TESTS_LOCKSTEP_JOB_LINES_H
#define TWINRT_TESTS_LOCKSTEP_JOB_LINES_H

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "job.h"

namespace job
{

/// `targets`: a bit each for those that were interrupted since the queue's last end (T-SQE-13).
[[nodiscard]] inline std::string end_line(uint64_t time, uint32_t sq, uint64_t number,
                                          uint32_t error, uint32_t status, uint32_t targets)
{
    char text[160];
    int at = std::snprintf(text, sizeof(text),
                           "cycle %" PRIu64 ": queue %u, SQE %" PRIu64 ", error %#x, status %#x",
                           time, sq, number, error, status);
    for (uint32_t target = 1; target <= 3; ++target)
        if ((targets >> target & 1) != 0)
            at += std::snprintf(text + at, sizeof(text) - static_cast<size_t>(at),
                                ", interrupts %u", target);
    return text;
}

/// Spans of no length are left out.
inline void add_span(Outcome &out, const char *what, uint32_t sq, uint64_t begin, uint64_t end,
                     uint64_t id, uint64_t number, uint32_t waker, uint64_t waker_number)
{
    if (begin == end)
        return;
    char text[192];
    int at = std::snprintf(text, sizeof(text),
                           "cycle %10" PRIu64 " to %" PRIu64 ": queue %u, %s %" PRIu64, begin, end,
                           sq, what, id);
    if (number != 0)
        at += std::snprintf(text + at, sizeof(text) - static_cast<size_t>(at), ", SQE %" PRIu64,
                            number);
    if (waker != UINT32_MAX)
        std::snprintf(text + at, sizeof(text) - static_cast<size_t>(at),
                      ", by SQE %" PRIu64 " of queue %u", waker_number, waker);
    out.spans.emplace_back(text);
}

inline void add_queue(Outcome &out, uint32_t sq, uint32_t head, uint64_t done, uint32_t cq_tail,
                      const char *state, const std::vector<stars_cqe> &cq)
{
    char text[160];
    std::snprintf(text, sizeof(text), "queue %u: %s, head %u, %" PRIu64 " retired, CQ tail %u", sq,
                  state, head, done, cq_tail);
    out.state.emplace_back(text);
    for (size_t i = 0; i < cq.size(); ++i) {
        uint64_t words[2];
        std::memcpy(words, &cq[i], sizeof(words));
        std::snprintf(text, sizeof(text), "queue %u: CQE %zu is %016" PRIx64 " %016" PRIx64, sq, i,
                      words[0], words[1]);
        out.state.emplace_back(text);
    }
}

inline void add_memory(Outcome &out, const char *side, const uint8_t *bytes)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (uint64_t i = 0; i < kMemory; ++i)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    char text[64];
    std::snprintf(text, sizeof(text), "%s memory: sum %016" PRIx64, side, sum);
    out.state.emplace_back(text);
}

/// Places of a ring that are in use, of those that were written and of these rung, when the head is
/// there.
[[nodiscard]] inline uint64_t used_places(uint64_t sent, uint64_t rung, uint64_t head,
                                          uint64_t depth)
{
    return ((rung - head) & (depth - 1)) + (sent - rung);
}

/// Whether the head may go there: all SQEs from there to the tail have been rung at some time, as
/// others have no arrival time, and SQEs that are written but not rung come after them.
[[nodiscard]] inline bool may_be_head(uint64_t sent, uint64_t rung, uint64_t head, uint64_t depth)
{
    return head < depth && ((rung - head) & (depth - 1)) <= rung &&
           used_places(sent, rung, head, depth) < depth;
}

/// Of the first line that opens the queue.
[[nodiscard]] inline uint64_t cq_depth(const Job &job, uint32_t sq)
{
    for (const Step &step : job.steps)
        if (step.kind == Kind::kQueue && step.queue == sq)
            return step.args[3];
    return 0;
}

} // namespace job

#endif
