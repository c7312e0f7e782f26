// SPDX-License-Identifier: Apache-2.0
/// The RTL of the front ends against TaskQueue, operation by operation: in lock step, and by itself
/// beside a plain queue.
#include "core/queue/task_queue.h"

#include <cstring>
#include <vector>

#include "rig.h"
#include "rtl/factory.h"

namespace
{

using tsim::Cycle;
using tsim::TaskQueue;

/// A queue with its ring and its CQ in memory.
struct Side {
    TaskQueue queue;
    std::vector<stars_sqe> ring;
    std::vector<stars_cqe> cq;

    void open(const twinsim_queue &config)
    {
        ring.assign(config.depth, {});
        cq.assign(config.cq_depth, {});
        queue.open(config, ring.data(), cq.data());
    }
};

/// The same queue twice: plain, and with an RTL port.
struct Pair {
    Side plain, with_port;
    uint64_t rung = 0;
};

class Run
{
  public:
    Run(twinsim_model model, uint64_t seed) : random_(seed), now_(draw(3) == 0 ? kLate : 5)
    {
        factory_ = tsim::rtl::make_factory(model, "", [this](const tsim::rtl::Difference &d) {
            ++differences;
            std::fputs(tsim::rtl::to_text(d).c_str(), stdout);
        });
        factory_->attach(now_, seed);
        constexpr std::array<uint32_t, 5> kWindows = {1, 2, 5, 8, 64};
        cycle_ns_ = draw(2) == 0 ? 1 : 3;
        window_ = kWindows[draw(kWindows.size())];
        rtl_port_ = factory_->front_end(2048, window_, {0, ""});
        rtl_port_->reset();
        pairs_ = std::vector<Pair>(kQueues);
        for (uint32_t i = 0; i < kQueues; ++i) {
            pairs_[i].with_port.queue.attach(*rtl_port_, number(i));
            open(pairs_[i]);
        }
    }
    /// Stops at the first difference, of a block or between the two queues.
    void steps(uint32_t count)
    {
        for (uint32_t i = 0; i < count && differences == 0; ++i) {
            if (draw(3) == 0)
                now_ += draw(40);
            const uint32_t index = draw(kQueues);
            step(pairs_[index], number(index));
            if (draw(2000) == 0)
                reset();
        }
    }
    uint32_t differences = 0;
    uint32_t fetched = 0, waited = 0, written = 0, full = 0; // else the run proves nothing

  private:
    static constexpr uint32_t kQueues = 5;
    static constexpr Cycle kLate = uint64_t{1} << 40;

    uint32_t draw(uint64_t below) { return static_cast<uint32_t>(tsim::mix(random_) % below); }
    static uint32_t number(uint32_t index) { return index == 0 ? 2047 : index * 37; }
    void same(const char *what, uint64_t plain, uint64_t with_port)
    {
        if (plain == with_port)
            return;
        ++differences;
        std::printf("%s is %llu in the plain queue and %llu with an RTL port\n", what,
                    static_cast<unsigned long long>(plain),
                    static_cast<unsigned long long>(with_port));
    }
    void open(Pair &pair)
    {
        twinsim_queue config{};
        config.depth = 8u << draw(4);
        config.cq_depth = 8u << draw(3);
        pair.plain.open(config);
        pair.with_port.open(config);
        pair.rung = config.depth;
    }
    // The reset of a device.
    void reset()
    {
        for (Pair &pair : pairs_) {
            pair.plain.queue.close();
            pair.with_port.queue.close();
        }
        rtl_port_->reset();
        for (Pair &pair : pairs_)
            open(pair);
    }
    void doorbell(Pair &pair)
    {
        TaskQueue &plain = pair.plain.queue, &with_port = pair.with_port.queue;
        const uint32_t mask = plain.depth() - 1;
        const uint32_t room = mask - ((static_cast<uint32_t>(pair.rung) - plain.head()) & mask);
        if (room == 0)
            return;
        pair.rung += 1 + draw(room);
        const uint64_t at = now_ + draw(60) - std::min<uint64_t>(now_, draw(30));
        for (TaskQueue *const queue : {&plain, &with_port})
            (void)queue->doorbell(static_cast<uint32_t>(pair.rung) & mask, at);
        if (draw(8) == 0)
            return; // the next look brings it
        for (TaskQueue *const queue : {&plain, &with_port})
            queue->take_in(queue->rung(), now_, cycle_ns_);
    }
    void complete(Pair &pair, uint32_t sq)
    {
        const TaskQueue &queue = pair.plain.queue;
        stars_cqe cqe{};
        const bool error = draw(4) == 0;
        cqe.flags = static_cast<uint16_t>(
            sq << STARS_CQE_SQ_SHIFT | (error ? STARS_CQE_ERROR : 0u) |
            (draw(3) == 0 ? STARS_CQE_EVENT : 0u) | (draw(3) == 0 ? STARS_CQE_PLACEHOLDER : 0u));
        cqe.sq_head = static_cast<uint16_t>((queue.head() + 1) & (queue.depth() - 1));
        cqe.stream_id = static_cast<uint16_t>(draw(65536));
        cqe.task_id = static_cast<uint16_t>(draw(65536));
        if (error) {
            cqe.u.error.code = static_cast<uint8_t>(draw(256));
            cqe.u.error.type = static_cast<uint8_t>(draw(256));
            cqe.u.error.sqe_index = static_cast<uint16_t>(queue.head());
            cqe.u.error.status = static_cast<uint16_t>(draw(65536));
        } else {
            cqe.u.timestamp = tsim::mix(random_);
        }
        const bool plain = pair.plain.queue.complete(cqe);
        same("written", plain, pair.with_port.queue.complete(cqe));
        ++(plain ? written : full);
        same("the CQ in memory", 0,
             static_cast<uint64_t>(std::memcmp(pair.plain.cq.data(), pair.with_port.cq.data(),
                                               pair.plain.cq.size() * sizeof(stars_cqe)) != 0));
    }
    void step(Pair &pair, uint32_t sq)
    {
        TaskQueue &plain = pair.plain.queue, &with_port = pair.with_port.queue;
        const uint32_t what = draw(40);
        if (what < 10) {
            doorbell(pair);
        } else if (what < 20) {
            if (!plain.visible(now_))
                return;
            const Cycle read = draw(4) == 0 ? 0 : draw(50);
            const TaskQueue::Fetch a = plain.fetch(now_, read, window_),
                                   b = with_port.fetch(now_, read, window_);
            same("ready", a.ready, b.ready);
            same("waited", a.waited, b.waited);
            ++fetched;
            waited += a.waited ? 1 : 0;
        } else if (what < 28) {
            if (!plain.has_more())
                return;
            const bool seen = draw(4) != 0;
            plain.retire(now_, seen);
            with_port.retire(now_, seen);
        } else if (what < 32) {
            complete(pair, sq);
        } else if (what < 35) {
            const uint32_t head = draw(plain.cq_tail() + 3);
            same("taken", plain.set_cq_head(head), with_port.set_cq_head(head));
        } else if (what == 35) {
            // Back to where there have been SQEs, or forward to the tail.
            const uint32_t mask = plain.depth() - 1;
            const auto most = std::min<uint64_t>(pair.rung - mask - 1, mask);
            const uint32_t head = (plain.tail() - draw(most + 1)) & mask;
            plain.take_in(plain.rung(), now_, cycle_ns_);
            with_port.take_in(with_port.rung(), now_, cycle_ns_);
            plain.set_head(head, now_);
            with_port.set_head(head, now_);
        } else if (what == 36) {
            plain.drop_all(now_);
            with_port.drop_all(now_);
        } else if (what == 37) {
            plain.drop_prefetched();
            with_port.drop_prefetched();
        } else if (what == 38) {
            const uint32_t most = 1 + draw(window_);
            same("read in", plain.read_in(now_, most), with_port.read_in(now_, most));
        } else if (draw(20) == 0) {
            plain.close();
            with_port.close();
            open(pair);
        }
        alike(plain, with_port);
    }
    void alike(const TaskQueue &plain, const TaskQueue &with_port)
    {
        same("visible", plain.visible(now_), with_port.visible(now_));
        same("head", plain.head(), with_port.head());
        same("tail", plain.tail(), with_port.tail());
        same("more", plain.has_more(), with_port.has_more());
        same("done", plain.done(), with_port.done());
        same("retired", plain.retired(), with_port.retired());
        same("buffered", plain.buffered(), with_port.buffered());
        same("CQ head", plain.cq_head(), with_port.cq_head());
        same("CQ tail", plain.cq_tail(), with_port.cq_tail());
        if (plain.done() != 0)
            same("retired at", plain.retired_at(plain.done()), with_port.retired_at(plain.done()));
    }

    uint64_t random_;
    Cycle now_;
    std::unique_ptr<tsim::RtlPortFactory> factory_;
    std::unique_ptr<tsim::FrontRtlPort> rtl_port_;
    uint32_t window_ = 0;
    uint64_t cycle_ns_ = 1;
    std::vector<Pair> pairs_;
};

void many(twinsim_model model)
{
    uint32_t fetched = 0, waited = 0, written = 0, full = 0;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        Run run(model, seed);
        run.steps(1000);
        EXPECT_EQ(run.differences, 0);
        fetched += run.fetched;
        waited += run.waited;
        written += run.written;
        full += run.full;
    }
    CU_ASSERT(fetched > 0 && waited > 0 && waited < fetched && written > 0 && full > 0);
}

} // namespace

// T-FE-1, T-FE-3 to T-FE-8, T-FE-11, T-CQ-1 to T-CQ-3, T-CQ-5, T-CQ-6, T-SCH-15, T-HW-4.
static void test_lockstep()
{
    many(TWINSIM_MODEL_LOCKSTEP);
}

// The same rules, and the answers that the queue keeps.
static void test_alone()
{
    many(TWINSIM_MODEL_RTL);
}

static const twin_test tests[] = {
    {"random operations are alike in C++ and RTL", test_lockstep},
    {"a queue decided by RTL behaves like a plain one", test_alone},
};

int main(int argc, char **argv)
{
    return twin_run_suite("lockstep_front_end", tests, TWIN_COUNT(tests), argc, argv);
}
