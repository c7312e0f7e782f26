// SPDX-License-Identifier: Apache-2.0
/// Fault injection: which tasks and accesses they hit. Rules T-FLT-1 to T-FLT-14.
///
/// A queue asks once per SQE, and only while something is injected; the faults of the SQE are then
/// kept here by its timer's number until the next one. While there are memory faults, the plan is
/// between the blocks and the bus.
#ifndef TWINSIM_CORE_ENGINE_FAULT_PLAN_H
#define TWINSIM_CORE_ENGINE_FAULT_PLAN_H

#include <map>
#include <vector>

#include "core/base/types.h"
#include "twinsim.h"
#include "twinsim/stars.h"

namespace tsim
{

class FaultPlan
{
  public:
    /// The faults of one SQE.
    struct Effect {
        uint32_t kinds = 0; ///< bit per kind, until it has acted
        uint32_t slow_permille = 1000;
        uint8_t error = 0; ///< of the engine's failure
        uint16_t status = 0;
        bool stretched = false; ///< the bytes of a slow engine have moved; it takes its time
        bool holding = false;   ///< `until` is set
        uint64_t give_up_ns = 0;
        uint64_t lost_ns = 0; ///< of a lost completion; 0: for ever
        uint64_t full_ns = 0; ///< of a full CQ; 0: for ever
        Cycle until = 0;
    };
    /// The SQE and its queue.
    struct Subject {
        uint32_t device;
        uint32_t timer; ///< of the queue
        uint16_t stream;
        const stars_sqe &sqe;
    };

    /// All must outlive the plan; `bus` is changed while memory faults are injected.
    FaultPlan(twinsim_bus &bus, const Cycle &now, uint32_t timers)
        : bus_(bus), inner_(bus), now_(now), timers_(timers)
    {
    }

    /// Says why a fault cannot be injected; nullptr: it can.
    [[nodiscard]] static const char *check(const twinsim_fault &fault);
    /// Returns its number. The fault has passed check(). May throw std::bad_alloc.
    [[nodiscard]] uint32_t inject(const twinsim_fault &fault);
    /// 0: all. False: the number is invalid.
    [[nodiscard]] bool remove(uint32_t number);
    [[nodiscard]] bool triggered(uint32_t number, uint64_t &out_times) const;

    // ---- for the blocks ----

    /// Something is injected, or an SQE that was hit may still be under way.
    [[nodiscard]] bool armed() const { return armed_; }
    /// A queue turns to an SQE: chooses its faults (T-FLT-2). False: none.
    [[nodiscard]] bool begin(const Subject &subject);
    /// A CQE about it is due: chooses the faults of that, beside those of the SQE if it has any
    /// (`triggered`; T-FLT-11, T-FLT-13). False: nothing.
    [[nodiscard]] bool begin_cqe(const Subject &subject, bool triggered);
    [[nodiscard]] Effect &effect(uint32_t timer) { return effects_[timer]; }
    /// Whether this doorbell is lost (T-FLT-12).
    [[nodiscard]] bool loses_doorbell(uint32_t device, uint16_t stream);
    /// What a queue had rung for when it was lost; 0: nothing.
    [[nodiscard]] uint64_t &lost_doorbell(uint32_t timer) { return lost_[timer]; }
    /// SQE `number` of that queue is a record that did not reach its entry (T-FLT-12). Throws
    /// std::bad_alloc.
    void lose_record(const Subject &subject, uint64_t number);
    /// Whether that is so, and no later one was kept from the same entry.
    [[nodiscard]] bool lost_record(uint32_t timer, uint64_t number) const;
    /// The queue has closed: its doorbell and the numbers of its SQEs mean nothing any more.
    void forget(uint32_t timer);
    /// A copy outside all queues would complete: the status that it fails with, or 0.
    [[nodiscard]] uint16_t fails_host_dma(uint32_t device);
    /// Why the access that has just been refused failed: the status of the fault that hit it, else
    /// `other`. To be called before the next access; what fails later keeps the answer until then.
    [[nodiscard]] uint16_t refusal(uint16_t other) const { return status_ != 0 ? status_ : other; }

    // ---- memory errors ----

    [[nodiscard]] bool watches_memory() const { return watches_memory_; }
    /// Without memory faults: for a look at what an access would find.
    [[nodiscard]] const twinsim_bus &plain_bus() const { return inner_; }
    /// An access of the driver's for a kernel to memory of `device` (T-FLT-18): the status that it
    /// fails with, or 0.
    [[nodiscard]] uint16_t touch(uint32_t device, uint64_t address, uint64_t bytes,
                                 twinsim_access access);

    [[nodiscard]] size_t errors(uint32_t device, twinsim_memory_error *out, size_t room) const;
    [[nodiscard]] bool repair(uint32_t device, uint64_t address, uint64_t bytes);

  private:
    struct Injected {
        uint32_t number;
        twinsim_fault fault;
        uint64_t matched = 0;
        uint64_t triggered = 0;
        Cycle asked_at = kNever; // of a memory fault: when it was last met
        bool answer = false;     // and what came of it
    };
    struct Loss {
        uint32_t timer; // of the queue
        uint64_t number;
    };
    struct Met {
        uint32_t device;
        twinsim_memory_error error;
    };

    static void *translate(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                           twinsim_access access, twinsim_target *out_target, uint32_t *out_device);
    [[nodiscard]] static bool triggers_now(Injected &injected);
    [[nodiscard]] bool triggers_on_access(Injected &injected) const;
    [[nodiscard]] static bool fits(const twinsim_fault &fault, const Subject &subject);
    static void note(const twinsim_fault &fault, uint32_t type, Effect &effect);
    [[nodiscard]] bool hit(uint32_t device, uint64_t address, uint64_t bytes,
                           twinsim_access access);
    void set_bus();

    twinsim_bus &bus_;
    const twinsim_bus inner_;
    const Cycle &now_;
    const uint32_t timers_;
    bool armed_ = false;
    bool watches_memory_ = false; // a memory fault is injected
    uint16_t status_ = 0;         // of the fault that hit the last access; 0: none did
    uint32_t last_number_ = 0;
    std::vector<Injected> injected_;  // in the order of injection
    std::vector<Effect> effects_;     // by timer; made when something is injected first
    std::vector<uint64_t> lost_;      // likewise
    std::map<uint64_t, Loss> losses_; // the last one by device, SQE type and entry
    std::vector<Met> met_;            // oldest first, each range once
};

} // namespace tsim

#endif
