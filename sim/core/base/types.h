// SPDX-License-Identifier: Apache-2.0
/// Names and small parts that every block uses.
#ifndef TWINSIM_CORE_BASE_TYPES_H
#define TWINSIM_CORE_BASE_TYPES_H

#include <cstdint>

namespace tsim
{

using Cycle = uint64_t; ///< a point or length of time in scheduler cycles (T-TIM-1)

inline constexpr Cycle kNever = UINT64_MAX;
inline constexpr uint32_t kNone = UINT32_MAX;
inline constexpr uint32_t kMaxDevices = 64;
inline constexpr uint32_t kMaxQueues = 2048; ///< pages in the register window
inline constexpr uint32_t kPriorities = 8;

/// A number out of the profile and the place it has there, so that traces can name it.
struct Setting {
    uint64_t value = 0; ///< times are in cycles already (T-TIM-2)
    uint32_t index = kNone;
    uint32_t jitter =
        0; ///< permille by which it may be shorter or longer; 0 without a seed (T-TIM-10)
};

/// One 64-bit step of splitmix64: the source of all seeded choices (T-TIM-6).
[[nodiscard]] inline uint64_t mix(uint64_t &state)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// What a seeded choice is for; from kLatencyUse on times, by the index of their parameter.
inline constexpr uint64_t kEffectUse = 1;
inline constexpr uint64_t kHostEffectUse = 2;
inline constexpr uint64_t kColdUse = 3;
inline constexpr uint64_t kLatencyUse = 8;

/// A seeded choice for one occasion, whatever came before it: the same seed and occasion give the
/// same number (T-TIM-10).
[[nodiscard]] inline uint64_t random_number(uint64_t seed, uint64_t occasion, uint64_t use)
{
    uint64_t state = seed ^ occasion * 0xd1342543de82ef95u ^ use * 0x9e6c63d0876a9a99u;
    (void)mix(state);
    return mix(state);
}

/// A hint that the host's cache line at `at` is needed soon. The empty statement keeps compilers
/// that count a hint as nothing (gcc 12) from dropping functions that consist of hints.
inline void prefetch_line(const void *at)
{
    __builtin_prefetch(at);
    asm volatile("");
}

} // namespace tsim

#endif
