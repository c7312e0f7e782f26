// SPDX-License-Identifier: Apache-2.0
/// Fields of an SQE that several parts of the scheduler read (twinsim/stars.h).
#ifndef TWINSIM_CORE_SCHEDULER_SQE_FIELDS_H
#define TWINSIM_CORE_SCHEDULER_SQE_FIELDS_H

#include "core/base/types.h"
#include "core/profile/params.h"
#include "twinsim/stars.h"

namespace tsim
{

[[nodiscard]] inline uint32_t sqe_field(const stars_sqe &sqe, unsigned word, uint32_t shift,
                                        uint32_t bits)
{
    return (sqe.word[word] >> shift) & ((1u << bits) - 1);
}

[[nodiscard]] inline uint8_t type_of(const stars_sqe &sqe)
{
    return static_cast<uint8_t>(sqe.word[0] & STARS_W0_TYPE_MASK);
}

[[nodiscard]] inline uint16_t task_of(const stars_sqe &sqe)
{
    return static_cast<uint16_t>(sqe.word[1] >> STARS_W1_TASK_SHIFT);
}

[[nodiscard]] inline uint32_t pre_p(const stars_sqe &sqe)
{
    return sqe_field(sqe, 0, STARS_W0_PRE_P_SHIFT, 2);
}

/// A placeholder that the TS CPU executes while it holds the queue (T-SQE-14).
[[nodiscard]] inline bool is_ts_command(const stars_sqe &sqe)
{
    return type_of(sqe) == STARS_SQE_PLACEHOLDER && pre_p(sqe) == STARS_TARGET_TS_CPU;
}

[[nodiscard]] inline uint32_t post_p(const stars_sqe &sqe)
{
    return sqe_field(sqe, 0, STARS_W0_POST_P_SHIFT, 2);
}

[[nodiscard]] inline bool wants_cqe(const stars_sqe &sqe)
{
    return (sqe.word[0] & STARS_W0_WR_CQE) != 0;
}

/// The time limit that the credit field sets (T-SQE-8); kNever: none.
[[nodiscard]] inline Cycle credit_time(const stars_sqe &sqe, const Params &params)
{
    const uint32_t credit = sqe_field(sqe, 3, STARS_W3_CREDIT_SHIFT, 8);
    return credit != 0 && credit != STARS_CREDIT_NEVER ? credit * params.credit_unit.value : kNever;
}

/// The end of a time limit that begins at `from`; kNever: none.
[[nodiscard]] inline Cycle limit_from(Cycle from, Cycle limit)
{
    return limit == kNever ? kNever : from + limit;
}

} // namespace tsim

#endif
