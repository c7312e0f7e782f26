// SPDX-License-Identifier: Apache-2.0
/// Random numbers of DSA tasks. Rules T-RND-2 to T-RND-7.
#ifndef TWINSIM_CORE_ENGINE_RANDOM_H
#define TWINSIM_CORE_ENGINE_RANDOM_H

#include <array>
#include <cstdint>

namespace tsim
{

struct RandomTask {
    uint32_t function = 0; ///< enum stars_dsa_function
    uint32_t type = 0;     ///< enum stars_dsa_type
    uint64_t counter[2] = {0, 0};
    uint64_t seed = 0;
    uint64_t first = 0, second = 0; ///< parameters, in the low bits
    uint64_t count = 0;
};

using RandomWords = std::array<uint32_t, 4>;

/// Philox4x32-10 (T-RND-2).
[[nodiscard]] RandomWords philox(const RandomWords &counter, uint64_t key);

/// Bytes of an element; 0: unknown type.
[[nodiscard]] uint32_t random_element_bytes(uint32_t type);
/// Bytes of the result; 0: there is no such task.
[[nodiscard]] uint64_t random_bytes(uint32_t function, uint32_t type, uint64_t count);
/// Writes the result, random_bytes() long.
void make_random(const RandomTask &task, unsigned char *to);

} // namespace tsim

#endif
