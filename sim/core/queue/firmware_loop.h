// SPDX-License-Identifier: Apache-2.0
/// The loop of the firmware that schedules tasks on parts without a hardware scheduler: which queue
/// is served next, and the command slots that queues hold. Rules T-HW-2 to T-HW-7.
#ifndef TWINSIM_CORE_QUEUE_FIRMWARE_LOOP_H
#define TWINSIM_CORE_QUEUE_FIRMWARE_LOOP_H

#include <array>
#include <vector>

#include "core/base/bitmap.h"
#include "core/profile/params.h"
#include "core/base/types.h"

namespace tsim
{

class FirmwareLoop
{
  public:
    enum class Work : uint8_t {
        kNothing,
        kActivate, ///< takes a queue into an active place
        kFetch,    ///< reads commands of a queue into command slots
        kCommand,  ///< reads one command and hands it to its engine
        kReport    ///< sees the end of a command and reports it
    };
    struct Job {
        uint32_t sq = kNone;
        Work work = Work::kNothing;
    };

    FirmwareLoop(const Params &params, uint32_t queues);
    /// First state.
    void reset();

    /// A queue requests work, one thing at a time.
    void ask(uint32_t sq, uint32_t level, Work work);
    /// The request of a queue moves to another level.
    void move(uint32_t sq, uint32_t level);
    /// The request of the queue ends. Work under way for it has no effect.
    void forget(uint32_t sq);

    [[nodiscard]] bool busy() const { return busy_; }
    /// Begins the next work, if any may begin: reports first, then the highest level, in it
    /// round-robin by number. `reports`, `commands`: whether work of these kinds may begin.
    [[nodiscard]] Job begin(bool reports, bool commands);
    /// The work under way is done; its queue is kNone when it was forgotten.
    [[nodiscard]] Job end();
    [[nodiscard]] const Setting &cost(Work work) const;
    /// The work that it did last.
    [[nodiscard]] Work last() const { return last_; }

    /// How many commands the queue may read at a level: no more than `most`, no more than slots are
    /// free.
    [[nodiscard]] uint32_t room(uint32_t level, uint32_t most) const;
    void hold_commands(uint32_t sq, uint32_t level, uint32_t count);
    /// One command has retired: its slot is free.
    void command_done(uint32_t sq);
    /// The queue releases all its command slots.
    void release_commands(uint32_t sq);

  private:
    struct Queue {
        Work wanted = Work::kNothing;
        uint8_t level = 0; // of the work that it requests
        uint8_t held = 0;  // command slots
        uint8_t held_level = 0;
    };
    struct Level {
        Bitmap ready;   // queues that wait to be activated, or for a command to be read
        Bitmap fetches; // queues that need a command slot first
        uint32_t last = Bitmap::kSize - 1;
        uint32_t free = 0; // command slots
    };

    [[nodiscard]] Bitmap &among(const Queue &queue);
    [[nodiscard]] uint32_t choose(const Level &level) const;
    Job begin(uint32_t sq);

    const Params &params_;
    std::vector<Queue> queues_;
    std::array<Level, kPriorities> levels_;
    Bitmap reports_;
    uint32_t last_report_ = Bitmap::kSize - 1;
    Job now_;
    Work last_ = Work::kNothing; // that it did
    bool busy_ = false;
};

} // namespace tsim

#endif
