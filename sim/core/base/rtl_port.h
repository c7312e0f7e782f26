// SPDX-License-Identifier: Apache-2.0
/// What may replace the plain C++ of a block: its RTL, or both in lock step.
///
/// A block that can be replaced has a pointer to its RTL port, null in the plain model; each of its
/// ports asks the RTL port first. Ports, and what they may be called with, are those of the block.
/// An RTL port that finds a difference does not come back.
#ifndef TWINSIM_CORE_BASE_RTL_PORT_H
#define TWINSIM_CORE_BASE_RTL_PORT_H

#include <memory>
#include <vector>

#include "core/base/time_pool.h"
#include "core/base/types.h"
#include "twinsim/stars.h"

namespace tsim
{

struct ArbiterRules;

/// Of the classes below: model and RTL are in two libraries, which must fit.
inline constexpr uint32_t kRtlPortVersion = 6;

/// Which one of its kind a block is, for reports and for names of files.
struct RtlPortPlace {
    uint32_t device = 0;
    const char *name = ""; ///< "slots"; a literal
};

/// Of Arbiter.
class ArbiterRtlPort
{
  public:
    virtual ~ArbiterRtlPort() = default;
    virtual void reset() = 0;
    virtual void prepare(uint32_t priority, uint32_t group) = 0;
    virtual void add(uint32_t sq, uint32_t priority, uint32_t group) = 0;
    virtual void remove(uint32_t sq, uint32_t priority, uint32_t group) = 0;
    [[nodiscard]] virtual bool empty() const = 0;
    [[nodiscard]] virtual uint32_t take(uint64_t &seed) = 0;
};

/// Of EventTable, except forwarding.
class EventRtlPort
{
  public:
    struct Entry {
        bool flag;
        bool pending;
        bool in_memory;
    };
    virtual ~EventRtlPort() = default;
    virtual void reset() = 0;
    [[nodiscard]] virtual Entry read(uint32_t id) = 0;
    [[nodiscard]] virtual bool wait(uint32_t id, uint32_t queue, Cycle now) = 0;
    virtual void record(uint32_t id) = 0;
    /// Of the record before: one after the other, then kNone.
    [[nodiscard]] virtual uint32_t release(uint32_t id) = 0;
    virtual void clear(uint32_t id) = 0;
    virtual void forget(uint32_t id, uint32_t queue) = 0;
    virtual void load(uint32_t id) = 0;
};

/// What an event table is made of; see EventTable.
struct EventShape {
    uint32_t ids;
    uint32_t queues;
    uint32_t lines;
    bool isolated;
};

/// Of NotifyTable.
class NotifyRtlPort
{
  public:
    struct Entry {
        bool flag;
        bool pending;
    };
    virtual ~NotifyRtlPort() = default;
    virtual void reset() = 0;
    [[nodiscard]] virtual Entry read(uint32_t id) = 0;
    [[nodiscard]] virtual bool wait(uint32_t id, uint32_t queue, Cycle now) = 0;
    [[nodiscard]] virtual uint32_t record(uint32_t id) = 0;
    virtual void clear(uint32_t id) = 0;
    virtual void forget(uint32_t id, uint32_t queue) = 0;
};

/// Of DmaPool.
class DmaPoolRtlPort
{
  public:
    virtual ~DmaPoolRtlPort() = default;
    virtual void reset() = 0;
    [[nodiscard]] virtual uint32_t acquire() = 0;
    virtual uint32_t release(uint32_t channel) = 0;
    virtual void wait(uint32_t queue) = 0;
    virtual void forget(uint32_t queue) = 0;
};

/// Of BurstChannels.
class BurstRtlPort
{
  public:
    /// 2^-20 cycles, the low 64 digits: which of two comes first shows in their difference, as long
    /// as they are less than 2^43 cycles apart. Nothing under way is further from now: no burst
    /// takes as long, however slow its link.
    using Time = uint64_t;

    [[nodiscard]] static bool is_after(Time a, Time b) { return static_cast<int64_t>(a - b) > 0; }

    /// What a channel does next.
    struct Step {
        uint64_t bytes = 0; ///< of the burst that begins now; 0: none does
        bool hold = false;  ///< none, and this is the first answer that says so: call resume() then
        Time hold_at = 0;
    };
    virtual ~BurstRtlPort() = default;
    virtual void start(Time now, uint32_t channel, uint64_t bytes, uint64_t ceiling) = 0;
    /// After start(), passed() or resume() of that channel, until there is no burst.
    [[nodiscard]] virtual Step next(Time now, uint32_t channel) = 0;
    [[nodiscard]] virtual bool passed(Time now, uint32_t channel) = 0;
    virtual void resume(Time now, uint32_t channel) = 0;
    virtual void cancel(uint32_t channel) = 0;
};

/// Of BurstLinks.
class LinkRtlPort
{
  public:
    using Time = BurstRtlPort::Time;

    /// A link on the way of a transfer: how many bytes it carries for one.
    struct Hop {
        uint32_t link;
        uint32_t weight;
    };
    /// A link begins to carry a burst.
    struct Grant {
        uint32_t link = kNone;     ///< kNone: none does
        uint32_t transfer = kNone; ///< whose
        uint64_t bytes = 0;
        Time until = 0; ///< when it has passed
    };
    /// A burst has passed a link.
    struct Passage {
        uint32_t transfer = kNone; ///< whose, if that was the last link of its way; else kNone
        bool last = false;         ///< it was the transfer's last burst
        Grant grant;               ///< of the next link of its way
    };
    virtual ~LinkRtlPort() = default;
    virtual void open(uint32_t transfer, const Hop *hops, uint32_t count, uint64_t bytes) = 0;
    [[nodiscard]] virtual Grant arrive(Time now, uint32_t transfer, uint64_t bytes) = 0;
    [[nodiscard]] virtual Passage passed(Time now, uint32_t link) = 0;
    [[nodiscard]] virtual Grant next(Time now, uint32_t link) = 0;
    virtual void cancel(uint32_t transfer) = 0;
};

/// What a queue is granted.
struct SlotGrant {
    Cycle ready = 0; ///< when it begins in its slot (T-SCH-5)
    uint8_t slot = 0;
    bool was_short = false; ///< every slot was taken when it asked
};

/// What is counted of a queue (T-SCH-22).
struct SlotCounts {
    uint32_t swap_ins = 0;
    uint32_t waited = 0;
};

struct SlotRules;

/// Of SlotPool.
class SlotsRtlPort
{
  public:
    virtual ~SlotsRtlPort() = default;
    virtual void reset() = 0;
    virtual void clear_counts(uint32_t sq) = 0;
    [[nodiscard]] virtual SlotCounts counts(uint32_t sq) = 0;
    [[nodiscard]] virtual Cycle leaving_until(uint32_t sq, Cycle now) = 0;
    [[nodiscard]] virtual Cycle next_grant(Cycle now) = 0;
    [[nodiscard]] virtual bool free_now(Cycle now) = 0;
    [[nodiscard]] virtual SlotGrant grant(uint32_t sq, Cycle asked, Cycle now) = 0;
    virtual void leave(uint32_t sq, uint8_t slot, Cycle now) = 0;
    [[nodiscard]] virtual uint32_t free_count() const = 0;
};

/// What is kept of the front end of a queue; counts are modulo 2^32.
struct FrontState {
    uint32_t head = 0;    ///< entries before the head
    uint32_t tail = 0;    ///< entries rung
    uint32_t retired = 0; ///< SQEs
    uint16_t buffered = 0;
    uint16_t ahead = 0;
    Cycle ahead_at = 0; ///< none ahead: 0
    uint32_t cq_head = 0;
    uint32_t cq_tail = 0;
};

/// What is done to the front end of a queue.
struct FrontRequest {
    enum Op : uint8_t {
        /// value: entries of the CQ less one in the upper half, of the ring less one in the lower
        kOpen,
        kClose,     ///< an open one
        kRing,      ///< value: how many entries
        kFetch,     ///< value: read time
        kRetire,    ///< the SQE at the head
        kSetHead,   ///< value: head
        kDrop,      ///< what was read ahead
        kDropAll,   ///< the head moves to the tail
        kLook,      ///< is an SQE visible?
        kComplete,  ///< an entry for the CQ
        kSetCqHead, ///< value: head
        kReadIn     ///< value: most
    };
    Op op;
    uint32_t sq;
    uint64_t value = 0;
    uint32_t visible = 0; ///< SQEs from the head on; more than two lines need not be counted
    Cycle arrival = 0;    ///< when the SQE at the head can be seen; 0: there is none
    const SqeTimes *times = nullptr; ///< by ring position; of entries that are rung now, too
    stars_cqe cqe = {};              ///< without its phase
};

/// What the front end says to that.
struct FrontAnswer {
    bool ok = false; ///< fetch: it had to wait; look: visible; complete: written; CQ head: taken
    Cycle time = 0;  ///< fetch: when the SQE is there
    FrontState queue;
    uint32_t place = 0; ///< of an entry that was written
    stars_cqe cqe = {}; ///< as it goes to memory
};

/// Of TaskQueue, for all queues of a device: what is decided about ring, buffer and CQ. Memory, the
/// times of SQEs and what the host knows stay with TaskQueue.
class FrontRtlPort
{
  public:
    virtual ~FrontRtlPort() = default;
    virtual void reset() = 0;
    virtual FrontAnswer run(const FrontRequest &request) = 0;
};

/// What an SQE asks for once it is decoded (T-SQE-9, T-SQE-10, T-SQE-12); numbers as in
/// npu_sqe_pkg, here and below.
enum class SqeEffect : uint8_t {
    kNothing,
    kEventRecord,
    kEventWait,
    kEventClear,
    kNotifyRecord,
    kNotifyWait,
    kNotifyClear,
    kCountRecord,
    kCountWait,
    kStore,
    kRemote,
    kNowhere,  ///< a store that leads nowhere
    kDispatch, ///< needs a share of its class
    kBad
};

struct SqeDecoded {
    SqeEffect effect = SqeEffect::kBad;
    uint8_t share = 0; ///< of kDispatch: the class, a twinsim_class
    uint32_t id = 0;   ///< of an event, notify or count
};

/// What happens to the SQE at the head of a queue.
enum class SqeOp : uint8_t {
    kBegin,   ///< value: when it is in the buffer; flag: a fault makes it a bad one (T-FLT-5)
    kDecoded, ///< it is to be held
    kExecute, ///< the time to its effect is over
    kMiss,    ///< its entry is in memory
    kDone,    ///< it has had its effect, or its wait has passed
    kPark,
    kSetUp,  ///< a channel was found
    kMove,   ///< an engine, or the host, works on it, or its program waits
    kFail,   ///< value: error 7:0, status 23:8
    kRetire, ///< the time to that is over; flag: the CQ is full
    kReport, ///< the same of one that failed
    kResume, ///< a hold ends
    kEnd,    ///< it is killed, or its queue is closed
    kLimit,  ///< its time is over
    kHandled ///< the one that failed is skipped
};

/// What comes next.
enum class SqeNext : uint8_t {
    kNothing,
    kDecoded,
    kExecute,
    kLoaded,
    kEffect,
    kSetUp,
    kLimit,
    kRetire,
    kReport,
    kRetired,
    kFailed,
    kHold
};
enum class SqeHold : uint8_t { kNot, kBefore, kAfter, kCq, kCqError };

struct SqeStep {
    SqeNext next = SqeNext::kNothing;
    SqeHold hold = SqeHold::kNot;
    Cycle due = kNever; ///< kNever: it has no time
};

/// What becomes of an SQE: what comes next and, where it counts, why.
struct SqeAnswer {
    SqeStep step;
    SqeDecoded decoded;  ///< of kExecute
    uint8_t type = 0;    ///< of kBegin
    uint8_t error = 0;   ///< of SqeNext::kReport
    uint16_t status = 0; ///< likewise
};

struct SqeRequest {
    SqeOp op;
    bool flag = false;
    uint32_t sq;
    uint64_t value = 0;
    const stars_sqe *sqe;
    // Times that vary from one SQE to the next (T-TIM-10).
    Cycle event = 0, notify = 0, store = 0, sdma_setup = 0, pcie_setup = 0;
};

/// What a machine of SQEs is made of; times in cycles.
struct SqeShape {
    uint32_t events, notifies, counts;
    uint32_t list_most; ///< descriptors
    uint32_t aic_room, aiv_room,
        mixed_room;    ///< blocks of a kernel that run at once; 0: no such cores
    uint32_t contexts; ///< of an FFTS+ table; 0: no such tasks
    Cycle decode, event_miss, retire, cq_write, credit_unit, timeout_unit;
};

/// Of SqeProgress: what is decided about an SQE. The effects stay there.
class SqeRtlPort
{
  public:
    virtual ~SqeRtlPort() = default;
    virtual void reset() = 0;
    /// `plain` is what the C++ has decided.
    virtual SqeAnswer run(const SqeRequest &request, const SqeAnswer &plain) = 0;
};

/// Makes RTL ports. Each may answer null: that block stays plain C++. Each throws std::bad_alloc.
class RtlPortFactory
{
  public:
    virtual ~RtlPortFactory() = default;
    /// The clock and the seed of the system whose blocks come next, for reports. The clock stays
    /// where it is.
    virtual void attach(const Cycle &now, uint64_t seed) = 0;
    /// `window`: SQEs of a line (T-FE-4).
    [[nodiscard]] virtual std::unique_ptr<FrontRtlPort> front_end(uint32_t queues, uint32_t window,
                                                                  RtlPortPlace place) = 0;
    /// `rules` are what the arbiter follows, and change.
    [[nodiscard]] virtual std::unique_ptr<ArbiterRtlPort> arbiter(const ArbiterRules &rules,
                                                                  RtlPortPlace place) = 0;
    [[nodiscard]] virtual std::unique_ptr<EventRtlPort> events(const EventShape &shape,
                                                               RtlPortPlace place) = 0;
    [[nodiscard]] virtual std::unique_ptr<NotifyRtlPort> notifies(uint32_t ids, uint32_t queues,
                                                                  RtlPortPlace place) = 0;
    /// `seed` 0: the lowest free channel.
    [[nodiscard]] virtual std::unique_ptr<DmaPoolRtlPort>
    dma_pool(uint32_t channels, uint32_t queues, uint64_t seed, RtlPortPlace place) = 0;
    /// Ceilings in bytes per cycle have 48 binary digits after the point.
    [[nodiscard]] virtual std::unique_ptr<BurstRtlPort>
    bursts(uint64_t burst_bytes, uint64_t outstanding, RtlPortPlace place) = 0;
    /// `rates` as ceilings, one for each link.
    [[nodiscard]] virtual std::unique_ptr<LinkRtlPort>
    links(const std::vector<uint64_t> &rates, uint64_t burst_bytes, RtlPortPlace place) = 0;
    [[nodiscard]] virtual std::unique_ptr<SqeRtlPort> sqes(const SqeShape &shape,
                                                           RtlPortPlace place) = 0;
    [[nodiscard]] virtual std::unique_ptr<SlotsRtlPort>
    slots(uint32_t queues, const SlotRules &rules, RtlPortPlace place) = 0;
};

} // namespace tsim

#endif
