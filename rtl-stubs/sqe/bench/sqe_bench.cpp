// SPDX-License-Identifier: Apache-2.0
// npu_sqe with random SQEs, legal and not: what comes next and when is worked out here a second
// time, from the rules; which DMA tasks are legal is what the model's decode_job says. Rules
// T-SQE-1 to T-SQE-13, T-DMA-2, T-EVT-6, T-EVT-8, T-NTF-5, T-CQ-3.
#include <Vnpu_sqe.h>

#include <algorithm>
#include <array>
#include <vector>

#include "common/bench/bench.h"
#include "core/base/rtl_port.h"
#include "core/engine/dma.h"

namespace
{

// Numbered as in npu_sqe_pkg.
using Op = tsim::SqeOp;
using Next = tsim::SqeNext;
using Hold = tsim::SqeHold;
using Effect = tsim::SqeEffect;

template <typename Enum>
constexpr uint8_t code(Enum of)
{
    return static_cast<uint8_t>(of);
}

/// What a run must meet: each effect, and more.
namespace met
{
bench::Met effects[] = {
    "no effect",
    "event records",
    "event waits",
    "event clears",
    "notify records",
    "notify waits",
    "notify clears",
    "count records",
    "count waits",
    "stores into memory",
    "stores into other devices",
    "stores into nothing",
    "dispatches",
    "bad SQEs",
};
bench::Met skipped{"failed SQEs that were skipped (T-SQE-11)"};
} // namespace met

constexpr uint32_t kQueues = BENCH_QUEUES;
constexpr uint64_t kOthers = 8; // so many other parts

/// What the part has.
struct Part {
    uint32_t events = 200, notifies = 100, counts = 50, list_most = 64;
    uint32_t aic_room = 20, aiv_room = 40, mixed_room = 0, contexts = 100;
};

/// In cycles. At first each has its own bit, so that no sum of some can be taken for another.
struct Times {
    uint64_t decode = 1, event = 2, event_miss = 4, notify = 8, store = 16, retire = 32,
             cq_write = 64, sdma_setup = 128, pcie_setup = 256, credit_unit = 1000,
             timeout_unit = 7000;
};

uint32_t bits(uint32_t word, uint32_t shift, uint32_t count)
{
    return word >> shift & ((1u << count) - 1);
}

/// What the rules say of an SQE.
struct Meaning {
    Effect effect = Effect::kBad;
    uint64_t access = 0;
    uint32_t id = 0;
    uint32_t share = 7;
    uint32_t timeout = 0;

    Meaning(const stars_sqe &sqe, const Part &part, const Times &times)
    {
        const uint32_t type = sqe.word[0] & STARS_W0_TYPE_MASK;
        switch (type) {
        case STARS_SQE_PLACEHOLDER:
            effect = sqe.word[0] >> 16 == 0 || bits(sqe.word[0], 10, 2) == 1 ? Effect::kNothing
                                                                             : Effect::kBad;
            break;
        case STARS_SQE_EVENT_RECORD:
        case STARS_SQE_EVENT_WAIT:
            access = times.event;
            timeout = sqe.word[5];
            set(sqe.word[2] & 0xffff, part.events,
                type == STARS_SQE_EVENT_RECORD ? Effect::kEventRecord : Effect::kEventWait);
            break;
        case STARS_SQE_NOTIFY_RECORD:
        case STARS_SQE_NOTIFY_WAIT: {
            const bool record = type == STARS_SQE_NOTIFY_RECORD;
            access = times.notify;
            timeout = sqe.word[4];
            if ((sqe.word[2] & STARS_W2_COUNT) == 0)
                set(sqe.word[2] & 0x1ffff, part.notifies,
                    record ? Effect::kNotifyRecord : Effect::kNotifyWait);
            else if (sqe.word[5] <= (record ? 3u : 4u))
                set(sqe.word[2] & 0x1ffff, part.counts,
                    record ? Effect::kCountRecord : Effect::kCountWait);
            break;
        }
        case STARS_SQE_WRITE_VALUE:
            write_value(sqe, part, times);
            break;
        case STARS_SQE_SDMA:
        case STARS_SQE_DSA:
        case STARS_SQE_PCIE_DMA: {
            tsim::DmaJob job;
            share = type == STARS_SQE_PCIE_DMA ? 1 : 0;
            effect = tsim::decode_job(sqe, part.list_most, job) ? Effect::kDispatch : Effect::kBad;
            break;
        }
        case STARS_SQE_COND:
            share = 2;
            effect = Effect::kDispatch;
            break;
        case STARS_SQE_AICPU:
            share = 3;
            effect = bits(sqe.word[2], STARS_W2_TOPIC_SHIFT, 4) == STARS_TOPIC_HOST_CONTROL
                         ? Effect::kDispatch
                         : Effect::kBad;
            break;
        case STARS_SQE_AICORE: {
            const uint32_t kind = sqe.word[2] & STARS_W2_SUBTYPE_MASK;
            const uint32_t blocks = sqe.word[0] >> 16,
                           schem = bits(sqe.word[3], STARS_W3_SCHEM_SHIFT, 2);
            const uint32_t room = kind == 0   ? part.aic_room
                                  : kind == 1 ? part.aiv_room
                                  : kind == 5 ? part.mixed_room
                                              : 0;
            share = kind == 0 ? 4 : kind == 1 ? 5 : kind == 5 ? 6 : 7;
            if (kind == STARS_KERNEL_FFTS) { // T-FFT-1
                const uint32_t contexts = sqe.word[6] & 0xffff, ready = sqe.word[6] >> 16;
                share = 6;
                effect =
                    contexts >= 1 && contexts <= part.contexts && ready >= 1 && ready <= contexts
                        ? Effect::kDispatch
                        : Effect::kBad;
                break;
            }
            effect = room != 0 && blocks != 0 && (schem == 0 || (schem == 1 && blocks <= room))
                         ? Effect::kDispatch
                         : Effect::kBad;
            break;
        }
        default:
            break;
        }
    }

  private:
    void set(uint32_t number, uint32_t ids, Effect then)
    {
        id = number;
        effect = number < ids ? then : Effect::kBad;
    }

    void write_value(const stars_sqe &sqe, const Part &part, const Times &times)
    {
        const uint64_t address = uint64_t{sqe.word[4]} | uint64_t{sqe.word[5] & 0x1ffffu} << 32;
        const bool physical = (sqe.word[5] & STARS_W5_VIRTUAL) == 0, one = (sqe.word[8] & 1) != 0;
        // Tables of 4096 events or 512 notifies, 0x10000 apart.
        const auto within = [&](uint64_t base, uint32_t of_table, uint32_t ids) {
            const uint64_t place = (address - base) % 0x10000 / 4;
            const uint64_t number = (address - base) / 0x10000 * of_table + place;
            const bool is =
                physical && address % 4 == 0 && address >= base && place < of_table && number < ids;
            id = is ? static_cast<uint32_t>(number) : id;
            return is;
        };
        const bool event = within(STARS_EVENT_TABLE_BASE, 4096, part.events);
        const bool notify = !event && within(STARS_NOTIFY_TABLE_BASE, 512, part.notifies);
        access = event ? times.event : notify ? times.notify : times.store;
        const bool resets = sqe.word[7] == 1;
        const bool remote = address >= STARS_PEER_BASE;
        if (sqe.word[7] > 4 || bits(sqe.word[5], STARS_W5_SIZE_SHIFT, 3) > 5 ||
            (resets && !event && !remote))
            return;
        if (event) {
            effect = one ? Effect::kEventRecord : Effect::kEventClear;
        } else if (notify) {
            effect = one ? Effect::kNotifyRecord : Effect::kNotifyClear;
        } else {
            effect = !physical ? Effect::kStore : remote ? Effect::kRemote : Effect::kNowhere;
        }
    }
};

class Bench : public bench::Clocked<Vnpu_sqe>
{
  public:
    static constexpr bool kRequestsWait = true;

    /// `other`: a part and times that dice choose, each life others.
    Bench(uint64_t first_seed, bool other) : Clocked(first_seed), other_(other)
    {
        if (other_)
            choose_part();
        block.cfg_events_i = part_.events;
        block.cfg_notifies_i = part_.notifies;
        block.cfg_counts_i = part_.counts;
        block.cfg_list_most_i = static_cast<uint16_t>(part_.list_most);
        block.cfg_aic_room_i = static_cast<uint16_t>(part_.aic_room);
        block.cfg_aiv_room_i = static_cast<uint16_t>(part_.aiv_room);
        block.cfg_mixed_room_i = static_cast<uint16_t>(part_.mixed_room);
        block.cfg_contexts_i = static_cast<uint16_t>(part_.contexts);
        set_times();
        reset();
    }

    /// SQEs from their begin to their end: as many on the first part as on all others.
    void run(uint64_t operations)
    {
        const uint64_t lives = operations * (kOthers + 1) / (other_ ? 2 * kOthers : 2);
        while (number < lives)
            life();
    }

  private:
    void life()
    {
        ++number;
        if (other_)
            choose_times();
        queue_ = below(kQueues);
        sqe_ = random_sqe();
        now_ += dice.below(100);
        if (dice.chance(1) || now_ >> 62 != 0) // the system has run for long, or not
            now_ = dice.roll() >> (2 + dice.below(60));
        const bool hit = dice.chance(3); // T-FLT-5
        stars_sqe seen = sqe_;
        if (hit)
            seen.word[0] |= STARS_W0_TYPE_MASK;
        const Meaning meaning(seen, part_, times_);
        cqe_ = (sqe_.word[0] & STARS_W0_WR_CQE) != 0;
        const uint64_t ready = now_ + dice.below(50);
        issue(Op::kBegin, ready, hit);
        if (bits(sqe_.word[0], STARS_W0_PRE_P_SHIFT, 2) != 0) {
            expect(Next::kDecoded, true, ready + times_.decode);
            now_ = ready + times_.decode;
            issue(Op::kDecoded);
            expect_hold(Hold::kBefore);
            now_ += dice.below(20);
            issue(Op::kResume);
            expect(Next::kExecute, true, now_ + meaning.access);
            now_ += meaning.access;
        } else {
            expect(Next::kExecute, true, ready + times_.decode + meaning.access);
            now_ = ready + times_.decode + meaning.access;
        }
        issue(Op::kExecute);
        same("effect", effect(), code(meaning.effect));
        met::effects[code(meaning.effect)]();
        same("class", share(), meaning.share);
        if (meaning.effect == Effect::kBad) {
            fails(STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
        } else if (meaning.effect == Effect::kNowhere) {
            fails(STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT);
        } else if (meaning.effect == Effect::kNothing) {
            ends();
        } else {
            expect(Next::kEffect, false, 0);
            if (meaning.effect >= Effect::kEventRecord && meaning.effect <= Effect::kCountWait)
                same("id", id(), meaning.id);
            acts(meaning);
        }
    }

    void choose_part()
    {
        const auto some = [this](uint32_t most) {
            return 1 + below(most) % (1u << (1 + dice.below(17)));
        };
        part_.events = some(65536);
        part_.notifies = some(65536);
        part_.counts = some(65536);
        for (uint32_t *const room : {&part_.list_most, &part_.aic_room, &part_.aiv_room,
                                     &part_.mixed_room, &part_.contexts})
            *room = some(65535);
    }
    void choose_times()
    {
        for (uint64_t *const time :
             {&times_.decode, &times_.event, &times_.event_miss, &times_.notify, &times_.store,
              &times_.retire, &times_.cq_write, &times_.sdma_setup, &times_.pcie_setup})
            *time = dice.roll() >> (4 + dice.below(60));
        // 32 bits of either still fit, so that nothing ends after the end of time
        times_.credit_unit = dice.roll() >> (14 + dice.below(50));
        times_.timeout_unit = dice.roll() >> (38 + dice.below(26));
        set_times();
    }
    void set_times()
    {
        block.cfg_decode_i = times_.decode;
        block.cfg_event_i = times_.event;
        block.cfg_event_miss_i = times_.event_miss;
        block.cfg_notify_i = times_.notify;
        block.cfg_store_i = times_.store;
        block.cfg_retire_i = times_.retire;
        block.cfg_cq_write_i = times_.cq_write;
        block.cfg_sdma_setup_i = times_.sdma_setup;
        block.cfg_pcie_setup_i = times_.pcie_setup;
        block.cfg_credit_unit_i = times_.credit_unit;
        block.cfg_timeout_unit_i = times_.timeout_unit;
    }

    void same(const char *signal, uint64_t rtl, uint64_t rules)
    {
        if (rtl == rules)
            return;
        std::printf("FAIL: SQE %llu, queue %u: %s is %llu in the RTL, %llu by the rules (seed "
                    "%llu)\n  SQE:",
                    static_cast<unsigned long long>(number), queue_, signal,
                    static_cast<unsigned long long>(rtl), static_cast<unsigned long long>(rules),
                    static_cast<unsigned long long>(seed));
        for (const uint32_t word : sqe_.word)
            std::printf(" %08x", word);
        std::printf("\n");
        std::exit(1);
    }

    void issue(Op op, uint64_t value = 0, bool flag = false)
    {
        block.now_i = now_;
        block.req_op_i = code(op);
        block.req_queue_i = static_cast<uint16_t>(queue_);
        block.req_value_i = value;
        block.req_flag_i = flag;
        std::memcpy(&block.req_sqe_i[0], &sqe_, sizeof(sqe_));
        request();
        const bool early = dice.chance(20);
        if (early)
            put_end();
        await();
        next_ = block.rsp_next_o;
        hold_ = block.rsp_hold_o;
        timed_ = block.rsp_timed_o;
        due_ = block.rsp_due_o;
        error_ = block.rsp_error_o;
        status_ = block.rsp_status_o;
        std::memcpy(decoded_, &block.rsp_decoded_o[0], sizeof(decoded_));
        take();
        if (early) {
            taken();
            await();
            same("rsp_next_o of the end that waited", block.rsp_next_o, code(Next::kNothing));
            same("rsp_timed_o of the end that waited", block.rsp_timed_o, false);
            take();
        }
    }
    // The next one waits, with its operands: the end of a queue that has no SQE.
    void put_end()
    {
        block.req_op_i = code(Op::kEnd);
        block.req_queue_i = static_cast<uint16_t>((queue_ + 1 + dice.below(kQueues - 1)) % kQueues);
        block.req_value_i = dice.roll();
        block.req_flag_i = dice.chance(50);
        for (uint32_t i = 0; i < 16; ++i)
            block.req_sqe_i[i] = static_cast<uint32_t>(dice.roll());
        press();
    }
    // decoded_t, the last field lowest: access 2, task 16, timeout 32, credit 8, post 2, pre 2, ie
    // 2, CQE 1, bytes 6, address 49, id 17, class 3, effect 4.
    uint64_t decoded(uint32_t low, uint32_t count) const
    {
        uint64_t value = 0;
        for (uint32_t i = 0; i < count; ++i)
            value |= uint64_t{decoded_[(low + i) / 32] >> ((low + i) % 32) & 1} << i;
        return value;
    }
    uint64_t effect() const { return decoded(140, 4); }
    uint64_t share() const { return decoded(137, 3); }
    uint64_t id() const { return decoded(120, 17); }

    void expect(Next next, bool timed, uint64_t due)
    {
        same("rsp_next_o", next_, code(next));
        same("rsp_timed_o", timed_, timed);
        if (timed)
            same("rsp_due_o", due_, due);
    }
    void expect_hold(Hold why)
    {
        expect(Next::kHold, false, 0);
        same("rsp_hold_o", hold_, code(why));
    }

    void acts(const Meaning &meaning)
    {
        if ((meaning.effect == Effect::kEventRecord || meaning.effect == Effect::kEventWait) &&
            dice.chance(30)) {
            issue(Op::kMiss);
            expect(Next::kLoaded, true, now_ + times_.event_miss);
            now_ += times_.event_miss;
            issue(Op::kExecute);
            expect(Next::kEffect, false, 0);
        }
        const bool waits = meaning.effect == Effect::kEventWait ||
                           meaning.effect == Effect::kNotifyWait ||
                           meaning.effect == Effect::kCountWait;
        if (waits && dice.chance(60)) {
            issue(Op::kPark);
            if (limited(meaning.timeout))
                return;
        } else if (meaning.effect == Effect::kDispatch && meaning.share == 2 && dice.chance(50)) {
            issue(Op::kMove); // T-COND-11
            if (limited(0))
                return;
        } else if (meaning.effect == Effect::kDispatch && meaning.share <= 1 && dice.chance(80)) {
            issue(Op::kSetUp);
            expect(Next::kSetUp, true,
                   now_ + (meaning.share == 0 ? times_.sdma_setup : times_.pcie_setup));
            now_ += dice.below(10);
            issue(Op::kMove);
            if (limited(0))
                return;
        } else if (dice.chance(20)) {
            issue(Op::kFail, STARS_ERROR_EXCEPTION | uint64_t{STARS_STATUS_BUS_FAULT} << 8);
            fails(STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT);
            return;
        }
        if (dice.chance(3)) {
            issue(Op::kEnd);
            expect(Next::kNothing, false, 0);
            return;
        }
        issue(Op::kDone);
        ends();
    }

    // T-SQE-8. Whether its time ran out.
    bool limited(uint32_t timeout)
    {
        const uint32_t credit = bits(sqe_.word[3], STARS_W3_CREDIT_SHIFT, 8);
        uint64_t limit = UINT64_MAX;
        if (timeout != 0)
            limit = timeout * times_.timeout_unit;
        if (credit != 0 && credit != STARS_CREDIT_NEVER)
            limit = std::min<uint64_t>(limit, credit * times_.credit_unit);
        expect(Next::kLimit, limit != UINT64_MAX, now_ + limit);
        if (limit == UINT64_MAX || dice.chance(50)) {
            now_ += dice.below(30);
            return false;
        }
        now_ += limit;
        issue(Op::kLimit);
        fails(STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT);
        return true;
    }

    // T-SQE-5, T-SQE-7, T-CQ-3.
    void ends()
    {
        if (bits(sqe_.word[0], STARS_W0_POST_P_SHIFT, 2) != 0) {
            expect_hold(Hold::kAfter);
            now_ += dice.below(20);
            issue(Op::kResume);
        }
        const uint64_t time = times_.retire + (cqe_ ? times_.cq_write : 0);
        expect(Next::kRetire, true, now_ + time);
        now_ += time;
        const bool full = dice.chance(20);
        issue(Op::kRetire, 0, full);
        if (full && cqe_) {
            expect_hold(Hold::kCq);
            now_ += dice.below(20);
            issue(Op::kRetire, 0, false);
        }
        expect(Next::kRetired, false, 0);
    }

    // T-SQE-10.
    void fails(uint8_t error, uint16_t status)
    {
        expect(Next::kReport, true, now_ + times_.retire + times_.cq_write);
        now_ += times_.retire + times_.cq_write;
        const bool full = dice.chance(20);
        issue(Op::kReport, 0, full);
        if (full) {
            expect_hold(Hold::kCqError);
            now_ += dice.below(20);
            issue(Op::kReport, 0, false);
        }
        expect(Next::kFailed, false, 0);
        same("rsp_error_o", error_, error);
        same("rsp_status_o", status_, status);
        if (dice.chance(50)) { // T-SQE-11
            issue(Op::kHandled);
            expect(Next::kRetired, false, 0);
            met::skipped();
        }
    }

    // T-DMA-20: a reduction by plain length, rows or planes that is whole elements everywhere but
    // for one word, or none.
    void one_odd(stars_sqe &sqe)
    {
        static constexpr uint32_t kElements[] = {0, 1, 2, 4, 6, 7, 8};
        const uint32_t stride = below(3);
        sqe.word[4] = STARS_SDMA_SHORT_FORM | stride << STARS_SDMA_STRIDE_SHIFT |
                      kElements[dice.below(7)] << 4 | static_cast<uint32_t>(1 + dice.below(3));
        for (uint32_t i = 7; i < 16; ++i)
            sqe.word[i] = 4 + below(8) * 4;
        if (stride == 2)
            sqe.word[7] |= 3u << 16 | 1u;
        sqe.word[7 + dice.below(9)] += below(4);
    }

    // T-CORE-4: as many blocks as run at once, or one more or less, in schedule mode or not.
    void near_room(stars_sqe &sqe)
    {
        const bool vectors = dice.chance(50);
        const uint32_t room = vectors ? part_.aiv_room : part_.aic_room;
        sqe.word[0] = (sqe.word[0] & 0xffffu) | (room - 1 + below(3)) << 16;
        sqe.word[2] = vectors ? 1 : 0;
        sqe.word[3] = below(4) << STARS_W3_SCHEM_SHIFT;
    }

    // T-FFT-1: as many contexts as a table may have, or one more or less, as many of them ready.
    void near_contexts(stars_sqe &sqe)
    {
        const uint32_t contexts = dice.chance(50) ? below(4) : part_.contexts - 1 + below(3);
        const uint32_t ready = dice.chance(50) ? below(3) : contexts - 1 + below(3);
        sqe.word[2] = STARS_KERNEL_FFTS;
        sqe.word[6] = (contexts & 0xffffu) | (ready & 0xffffu) << 16;
    }

    // Fields are mostly near what is legal.
    stars_sqe random_sqe()
    {
        static constexpr uint32_t kTypes[] = {0, 1,  3,  4,  5,  6,  7,  8,  8,
                                              8, 11, 11, 11, 17, 17, 20, 63, 2};
        stars_sqe sqe{};
        for (uint32_t &word : sqe.word)
            word = dice.chance(50)
                       ? 0
                       : static_cast<uint32_t>(dice.chance(70) ? dice.below(256) : dice.roll());
        sqe.word[0] = kTypes[dice.below(sizeof(kTypes) / sizeof(kTypes[0]))] |
                      (dice.chance(20) ? below(64) << 8 : 0) |
                      (dice.chance(40) ? STARS_W0_WR_CQE : 0) |
                      (dice.chance(30) ? below(60) << 16 : 0);
        if (dice.chance(70))
            sqe.word[5] &= 7;
        if ((sqe.word[0] & STARS_W0_TYPE_MASK) == STARS_SQE_WRITE_VALUE) {
            const bool event = dice.chance(50);
            const uint32_t ids = event ? part_.events : part_.notifies;
            const uint32_t id = dice.chance(50) ? below(ids) : ids - 2 + below(4);
            sqe.word[4] = event ? STARS_EVENT_ENTRY(id) : STARS_NOTIFY_ENTRY(id);
            if (dice.chance(20)) // perhaps between two tables, or nowhere
                sqe.word[4] += below(dice.chance(50) ? 0x20000 : 4);
            if (dice.chance(20))
                sqe.word[4] = below(900);
            if (dice.chance(70))
                sqe.word[4] &= ~3u;
            sqe.word[5] = below(dice.chance(80) ? 6 : 8) << STARS_W5_SIZE_SHIFT |
                          (dice.chance(20) ? STARS_W5_VIRTUAL : 0) |
                          (dice.chance(20) ? 0x1000u : 0);
            sqe.word[7] = below(dice.chance(50) ? 2 : 6);
        }
        if ((sqe.word[0] & STARS_W0_TYPE_MASK) == STARS_SQE_SDMA &&
            dice.chance(50)) { // the short form
            sqe.word[4] = STARS_SDMA_SHORT_FORM | below(4) << STARS_SDMA_STRIDE_SHIFT |
                          below(dice.chance(80) ? 6 : 256);
            if (dice.chance(60))
                for (uint32_t i = 7; i < 16; ++i)
                    sqe.word[i] &= ~3u;
            if (dice.chance(20)) // about as many bytes as there may be
                sqe.word[12] = sqe.word[15] = 1u << (18 + dice.below(4));
        }
        const uint32_t type = sqe.word[0] & STARS_W0_TYPE_MASK;
        if (type == STARS_SQE_SDMA && dice.chance(30))
            one_odd(sqe);
        if (type == STARS_SQE_AICORE && dice.chance(50))
            near_room(sqe);
        else if (type == STARS_SQE_AICORE && dice.chance(50))
            near_contexts(sqe);
        if ((type == STARS_SQE_NOTIFY_RECORD || type == STARS_SQE_NOTIFY_WAIT) && dice.chance(40))
            sqe.word[2] = STARS_W2_COUNT | below(part_.counts + 3);
        else if (type >= STARS_SQE_EVENT_RECORD && type <= STARS_SQE_NOTIFY_WAIT &&
                 dice.chance(40)) // about the last id
            sqe.word[2] =
                (type <= STARS_SQE_EVENT_WAIT ? part_.events : part_.notifies) - 1 + below(2);
        if (dice.chance(20))
            sqe.word[3] = (sqe.word[3] & ~0xff0000u) | 255u << STARS_W3_CREDIT_SHIFT;
        return sqe;
    }

    const bool other_;
    Part part_;
    Times times_;
    uint32_t queue_ = 0;
    stars_sqe sqe_{};
    bool cqe_ = false;
    uint64_t now_ = 1000, due_ = 0;
    uint32_t next_ = 0, hold_ = 0, error_ = 0, status_ = 0;
    bool timed_ = false;
    uint32_t decoded_[5] = {};
};

} // namespace

int main(int argc, char **argv)
{
    const std::array<bool, kOthers + 1> others = {false, true, true, true, true,
                                                  true,  true, true, true};
    return bench::run<Bench>("npu_sqe", others, argc, argv);
}
