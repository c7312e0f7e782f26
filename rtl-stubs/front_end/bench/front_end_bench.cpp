// SPDX-License-Identifier: Apache-2.0
// npu_front_end against the model's TaskQueue: the same random operations, the same answers, the
// same CQ in memory. Rules T-FE-1, T-FE-3 to T-FE-8, T-FE-11, T-CQ-1 to T-CQ-3, T-CQ-5, T-CQ-6,
// T-HW-4.
#include <Vnpu_front_end.h>

#include <algorithm>
#include <vector>

#include "common/bench/bench.h"
#include "core/queue/task_queue.h"

using tsim::Cycle;
using tsim::TaskQueue;

namespace
{

using Op = tsim::FrontRequest::Op; // numbered as in npu_front_end_pkg

/// What an entry of the CQ is made of; the block adds phase, queue and head.
struct Cqe {
    bool error, event_record, placeholder;
    uint16_t stream, task_id;
    uint64_t timestamp; // without an error
    uint8_t code, error_type;
    uint16_t status;
};

struct Answer {
    bool ok;
    Cycle time;
    uint32_t head, seen, retired, cq_head, cq_tail, place;
    uint16_t buffered;
    stars_cqe cqe;
};

constexpr uint32_t kQueues = BENCH_QUEUES;

struct Model {
    TaskQueue queue;
    std::vector<stars_sqe> ring;
    std::vector<stars_cqe> cq, rtl_cq;
    std::vector<Cycle> arrivals; // as the doorbell path of the RTL keeps them
    uint64_t rung = 0;
    uint64_t last_at = 0;
    Cycle line_at = 0; // when the line that was asked for last is there
};

/// What a run must meet.
namespace met
{
bench::Met fetched{"lines fetched"};
bench::Met completed{"CQEs written"};
bench::Met refused{"CQEs refused because the CQ was full"};
bench::Met filled{"rings filled (T-FE-9)"};
} // namespace met

class Bench : public bench::Clocked<Vnpu_front_end>
{
  public:
    static constexpr bool kRequestsWait = true;

    Bench(uint64_t first_seed, uint32_t window) : Clocked(first_seed), window_(window)
    {
        block.cfg_window_i = static_cast<uint16_t>(window);
        reset();
        now_ += dice.roll() >> (1 + below(60)); // a system that has run for long, or not
        for (uint32_t i = 0; i < kQueues; ++i)
            open(i);
    }

    void run(uint64_t operations)
    {
        for (number = 0; number < operations; ++number) {
            now_ += below(3) == 0 ? below(40) : 0;
            step(below(kQueues));
        }
    }

  private:
    void same(const char *signal, uint64_t rtl, uint64_t model)
    {
        if (rtl == model)
            return;
        std::printf("FAIL: operation %llu, cycle %llu, queue %u: %s is %llu in the RTL and %llu in "
                    "the model "
                    "(seed %llu, window %u)\n",
                    static_cast<unsigned long long>(number), static_cast<unsigned long long>(now_),
                    sq_, signal, static_cast<unsigned long long>(rtl),
                    static_cast<unsigned long long>(model), static_cast<unsigned long long>(seed),
                    window_);
        std::exit(1);
    }

    Answer issue(Op op, uint64_t value = 0, const Cqe *cqe = nullptr)
    {
        arrive(*models_[sq_]);
        block.now_i = now_;
        block.req_op_i = op;
        block.req_queue_i = static_cast<uint16_t>(sq_);
        block.req_value_i = value;
        if (cqe) { // cqe_t, the last field lowest
            const uint64_t words[2] = {uint64_t{cqe->status} | uint64_t{cqe->error_type} << 16 |
                                           uint64_t{cqe->code} << 24 | cqe->timestamp << 32,
                                       cqe->timestamp >> 32 | uint64_t{cqe->task_id} << 32 |
                                           uint64_t{cqe->stream} << 48};
            for (uint32_t i = 0; i < 4; ++i)
                block.req_cqe_i[i] = static_cast<uint32_t>(words[i / 2] >> (i % 2 * 32));
            block.req_cqe_i[4] = (cqe->placeholder ? 1u : 0u) | (cqe->event_record ? 2u : 0u) |
                                 (cqe->error ? 4u : 0u);
        }
        request();
        const uint32_t other = below(kQueues);
        const bool early = other != sq_ && models_[other] && below(5) == 0;
        if (early) { // the next one waits, with its operands
            block.req_op_i = Op::kLook;
            block.req_queue_i = static_cast<uint16_t>(other);
            block.req_value_i = dice.roll();
            for (uint32_t i = 0; i < 4; ++i)
                block.req_cqe_i[i] = static_cast<uint32_t>(dice.roll());
            press();
        }
        uint64_t offered = 0; // to the CQ, once and only when there is something
        until(
            [this, &offered] {
                offered += block.cqe_valid_o;
                return block.rsp_valid_o;
            },
            "response");
        await();
        same("cqe_valid_o", offered, op == Op::kComplete && block.rsp_ok_o);
        Answer answer{};
        answer.ok = block.rsp_ok_o != 0;
        answer.time = block.rsp_time_o;
        answer.place = block.cqe_place_o;
        std::memcpy(&answer.cqe, &block.cqe_data_o[0], sizeof(answer.cqe));
        const auto &q = block.rsp_queue_o; // queue_t, the last field lowest
        answer.cq_tail = q[0];
        answer.cq_head = q[1];
        answer.buffered = static_cast<uint16_t>(q[5] >> 16);
        answer.retired = q[6];
        answer.seen = q[7];
        answer.head = q[8];
        take();
        if (early)
            look(other);
        return answer;
    }

    // What the doorbell path says of a queue.
    void arrive(const Model &m)
    {
        const uint64_t mask = m.arrivals.size() - 1;
        const uint64_t from = m.rung - ((m.queue.tail() - m.queue.head()) & mask);
        uint64_t visible = 0;
        while (visible < 4096 && from + visible < m.rung &&
               m.arrivals[(from + visible) & mask] <= now_)
            ++visible;
        block.arrival_visible_i = static_cast<uint16_t>(visible);
        block.arrival_time_i = m.arrivals[from & mask];
    }
    // The look at another queue that waited.
    void look(uint32_t other)
    {
        const Model &m = *models_[other];
        arrive(m);
        taken();
        await();
        same("visible, of the look that waited", block.rsp_ok_o, m.queue.visible(now_));
        same("head, of the look that waited", block.rsp_queue_o[8] & (m.queue.depth() - 1),
             m.queue.head());
        take();
    }

    void open(uint32_t sq)
    {
        sq_ = sq;
        models_[sq] = std::make_unique<Model>();
        Model &m = *models_[sq];
        twinsim_queue config{};
        const bool large = below(12) == 0; // as large as there are
        config.depth = 4u << below(large ? 15 : 4);
        config.cq_depth = 2u << below(large ? 16 : 4);
        m.ring.resize(config.depth);
        m.cq.assign(config.cq_depth, {});
        m.rtl_cq.assign(config.cq_depth, {});
        m.arrivals.assign(config.depth, 0);
        m.queue.open(config, m.ring.data(), m.cq.data());
        m.rung = config.depth;
        (void)issue(Op::kOpen, uint64_t{config.cq_depth - 1} << 32 | (config.depth - 1));
    }

    void ring_doorbell(Model &m)
    {
        const uint32_t depth = m.queue.depth();
        const uint32_t room = depth - 1 - ((m.queue.tail() - m.queue.head()) & (depth - 1));
        if (room == 0)
            return;
        const uint32_t added = 1 + below(room);
        const uint64_t at = now_ + below(60) - std::min<uint64_t>(now_, below(30));
        m.last_at = std::max(m.last_at, at);
        (void)m.queue.doorbell(static_cast<uint32_t>(m.rung + added) & (depth - 1), at);
        m.queue.take_in(m.queue.rung(), now_, 1);
        for (uint32_t i = 0; i < added; ++i)
            m.arrivals[(m.rung + i) & (depth - 1)] = std::max(m.last_at, now_);
        m.rung += added;
        met::filled(added == room); // depth - 1
        (void)issue(Op::kRing, added);
    }

    void complete(Model &m)
    {
        Cqe what{};
        what.error = below(4) == 0;
        what.event_record = !what.error && below(3) == 0;
        what.placeholder = !what.error && !what.event_record && below(2) == 0;
        what.stream = static_cast<uint16_t>(dice.roll());
        what.task_id = static_cast<uint16_t>(dice.roll());
        what.timestamp = dice.roll();
        what.code = static_cast<uint8_t>(dice.roll());
        what.error_type = static_cast<uint8_t>(dice.roll());
        what.status = static_cast<uint16_t>(dice.roll());
        const uint32_t place = m.queue.cq_tail();
        const Answer answer = issue(Op::kComplete, 0, &what);
        stars_cqe cqe{};
        cqe.flags =
            static_cast<uint16_t>(sq_ << STARS_CQE_SQ_SHIFT | (what.error ? STARS_CQE_ERROR : 0) |
                                  (what.event_record ? STARS_CQE_EVENT : 0) |
                                  (what.placeholder ? STARS_CQE_PLACEHOLDER : 0));
        cqe.sq_head = static_cast<uint16_t>((m.queue.head() + 1) & (m.queue.depth() - 1));
        cqe.stream_id = what.stream;
        cqe.task_id = what.task_id;
        cqe.u.timestamp = what.timestamp;
        if (what.error) {
            cqe.u.timestamp = 0;
            cqe.u.error.code = what.code;
            cqe.u.error.type = what.error_type;
            cqe.u.error.sqe_index = static_cast<uint16_t>(m.queue.head());
            cqe.u.error.status = what.status;
        }
        const bool written = m.queue.complete(cqe);
        (written ? met::completed : met::refused)();
        same("rsp_ok_o", answer.ok, written);
        if (!written)
            return;
        same("cqe_place_o", answer.place, place);
        m.rtl_cq[answer.place & (m.rtl_cq.size() - 1)] = answer.cqe;
        same("cqe_data_o",
             std::memcmp(m.rtl_cq.data(), m.cq.data(), m.cq.size() * sizeof(stars_cqe)) == 0, 1);
    }

    // T-FE-6: all of the buffer retires, and it is the very cycle in which the next line is there,
    // or the one before.
    void wait_for_line(Model &m)
    {
        while (m.queue.buffered() && m.queue.has_more()) {
            m.queue.retire(now_);
            (void)issue(Op::kRetire);
        }
        now_ = std::max(now_, m.line_at - (m.line_at != 0 && below(3) == 0 ? 1 : 0));
    }

    void step(uint32_t sq)
    {
        sq_ = sq;
        Model &m = *models_[sq];
        const uint32_t choice = below(40);
        Answer answer;
        if (choice < 10) {
            ring_doorbell(m);
        } else if (choice < 20) {
            if (below(3) == 0 && m.line_at >= now_)
                wait_for_line(m);
            if (!m.queue.visible(now_))
                return;
            const Cycle read = below(4) == 0    ? 0
                               : below(40) == 0 ? dice.roll() >> (20 + below(40))
                                                : below(50);
            met::fetched();
            if (!m.queue.buffered())
                m.line_at = now_ + read;
            answer = issue(Op::kFetch, read);
            const TaskQueue::Fetch fetch = m.queue.fetch(now_, read, window_);
            same("rsp_time_o", answer.time, fetch.ready);
            same("rsp_ok_o", answer.ok, fetch.waited);
            same("buffered", answer.buffered != 0, m.queue.buffered());
        } else if (choice < 28) {
            if (!m.queue.has_more())
                return;
            m.queue.retire(now_);
            (void)issue(Op::kRetire);
        } else if (choice < 32) {
            complete(m);
        } else if (choice < 35) {
            const uint32_t head =
                below(10) == 0 ? static_cast<uint32_t>(dice.roll()) : below(m.queue.cq_tail() + 3);
            const bool good = m.queue.set_cq_head(head);
            same("rsp_ok_o", issue(Op::kSetCqHead, head).ok, good);
        } else if (choice == 35) {
            // Back to where there have been SQEs, or forward to the tail.
            const uint32_t depth = m.queue.depth();
            const auto most = static_cast<uint32_t>(std::min<uint64_t>(m.rung - depth, depth - 1));
            const uint32_t head = (m.queue.tail() - below(most + 1)) & (depth - 1);
            m.queue.set_head(head, now_);
            (void)issue(Op::kSetHead, head);
        } else if (choice == 36) {
            m.queue.drop_all(now_);
            (void)issue(Op::kDropAll);
        } else if (choice == 37) {
            m.queue.drop_prefetched();
            (void)issue(Op::kDrop);
        } else if (choice == 38) {
            const uint32_t most = 1 + below(window_);
            answer = issue(Op::kReadIn, most);
            same("buffered", answer.buffered, m.queue.read_in(now_, most));
        } else if (choice == 39 && below(20) == 0) {
            (void)issue(Op::kClose);
            m.queue.close();
            open(sq);
        }
        Model &now = *models_[sq];
        answer = issue(Op::kLook);
        same("visible", answer.ok, now.queue.visible(now_));
        if (now.queue.has_more())
            same("next arrival", answer.time, now.queue.next_arrival());
        const uint32_t mask = now.queue.depth() - 1;
        same("head", answer.head & mask, now.queue.head());
        same("tail", answer.seen & mask, now.queue.tail());
        same("retired", answer.retired, static_cast<uint32_t>(now.queue.done()));
        same("more", answer.head != answer.seen, now.queue.has_more());
        same("cq_head", answer.cq_head & (now.cq.size() - 1), now.queue.cq_head());
        same("cq_tail", answer.cq_tail & (now.cq.size() - 1), now.queue.cq_tail());
    }

    const uint32_t window_;
    std::unique_ptr<Model> models_[kQueues];
    Cycle now_ = 100;
    uint32_t sq_ = 0;
};

} // namespace

int main(int argc, char **argv)
{
    const uint32_t windows[] = {1, 2, 5, 8, 64};
    return bench::run<Bench>("npu_front_end", windows, argc, argv);
}
