// SPDX-License-Identifier: Apache-2.0
/// Random step lists that never wait for ever.
#ifndef TWINRT_TESTS_SIM_RANDOM_STEPS_H
#define TWINRT_TESTS_SIM_RANDOM_STEPS_H

#include <vector>

#include "core/base/types.h"
#include "kernels.h"

struct Dice {
    uint64_t state;
    uint64_t operator()(uint64_t below) { return tsim::mix(state) % below; }
    uint32_t pipe() { return static_cast<uint32_t>((*this)(TWIN_PIPE_COUNT)); }
};

/// Up to 60 places, half of them sets and waits of flags: each wait follows its set in the list,
/// and a flag has one pipe that sets it and one that waits for it. `other(out, place)` adds what it
/// likes in the rest.
template <typename Other>
StepList random_steps(Dice &dice, Other other)
{
    struct Flag {
        uint32_t from, to, id, open;
    };
    std::vector<Flag> flags;
    for (uint32_t id = 0; id < 6; ++id) {
        const uint32_t from = dice.pipe();
        flags.push_back({from, dice.pipe(), id, 0});
    }
    StepList out;
    const uint64_t length = dice(60);
    for (uint64_t i = 0; i < length; ++i) {
        Flag &flag = flags[dice(flags.size())];
        const uint64_t which = dice(8);
        if (which < 2) {
            out.push_back(set_flag(flag.from, flag.id));
            ++flag.open;
        } else if (which >= 4) {
            other(out, i);
        } else if (flag.open != 0) {
            out.push_back(wait_flag(flag.to, flag.id));
            --flag.open;
        }
    }
    return out;
}

#endif
