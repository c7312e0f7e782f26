// SPDX-License-Identifier: Apache-2.0
/// Runs the small programs of COND SQEs (twinsim/stars.h). Rules T-COND-1 to T-COND-7.
#ifndef TWINSIM_CORE_QUEUE_COND_H
#define TWINSIM_CORE_QUEUE_COND_H

#include <array>

#include "core/base/types.h"
#include "twinsim.h"
#include "twinsim/stars.h"

namespace tsim
{

/// A word or part of one that a program has read.
struct CondRead {
    uint64_t address;
    uint32_t bytes;
};

/// What a program sees of the machine. Each call answers false for something that is not there or
/// not allowed.
class CondPort
{
  public:
    CondPort() = default;
    CondPort(const CondPort &) = delete;
    CondPort &operator=(const CondPort &) = delete;
    virtual ~CondPort() = default;

    /// Host pointer for a range of bus addresses; nullptr is a bus fault.
    [[nodiscard]] virtual const void *read(uint64_t address, uint64_t bytes) = 0;
    [[nodiscard]] virtual bool write(uint64_t address, const void *from, uint32_t bytes) = 0;
    /// Queue instructions; they answer an enum stars_error, 0 when done.
    [[nodiscard]] virtual uint8_t go_to(uint32_t sq, uint32_t head) = 0;
    [[nodiscard]] virtual uint8_t enable(uint32_t sq, bool on) = 0;
};

/// How a run ended and what it cost.
struct CondResult {
    static constexpr uint32_t kMostReads = 4;

    uint8_t error = 0; ///< enum stars_error; 0: it came to its end
    uint16_t status = STARS_STATUS_NONE;
    bool changed = false;      ///< it has stored, or touched a queue
    uint64_t instructions = 0; ///< executed, the failed one among them
    uint64_t delays = 0;       ///< cycles that loops waited
    uint64_t accesses = 0;     ///< reads and writes of memory, the call among them
    uint32_t reads = 0;        ///< how often it read; only the first kMostReads are listed
    std::array<CondRead, kMostReads> read{};
};

/// Runs the program of a COND SQE from its first word until it runs out of words, fails, or has
/// executed `limit` instructions (T-COND-5).
[[nodiscard]] CondResult run_cond(const stars_sqe &sqe, uint64_t limit, CondPort &port);

} // namespace tsim

#endif
