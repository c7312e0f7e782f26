// SPDX-License-Identifier: Apache-2.0
/// Offsets into arrays of 32-bit registers.
#ifndef TWINSIM_CORE_SCHEDULER_REGISTER_WORDS_H
#define TWINSIM_CORE_SCHEDULER_REGISTER_WORDS_H

#include "core/base/types.h"

namespace tsim
{

/// The word number of an offset in an array of registers; kNone when it is elsewhere.
[[nodiscard]] inline uint32_t word_in(uint32_t offset, uint32_t base, uint32_t words)
{
    return offset >= base && offset - base < 4 * words ? (offset - base) / 4 : kNone;
}

} // namespace tsim

#endif
