// SPDX-License-Identifier: Apache-2.0
// npu_dma_ops against the model's BurstChannels: random operations, every response compared. The
// bench of npu_dma tests the transfers; this one tests that each answer belongs to its operation.
// Rules T-BST-1, T-BST-2, T-BST-4.
#include <Vnpu_dma_ops.h>

#include <algorithm>
#include <vector>

#include "../../common/bench/bench.h"
#include "core/link/burst_channels.h"

namespace
{

using Time = tsim::BurstChannels::Time;

enum Op : uint8_t { kStart, kCancel, kResume, kPassed };

/// What a run must meet.
namespace met
{
bench::Met starts{"starts"};
bench::Met cancels{"cancels"};
bench::Met resumes{"resumes"};
bench::Met passes{"bursts that passed"};
bench::Met refused{"operations refused"};
bench::Met bursts{"bursts that began"};
bench::Met final{"of these the last of their transfer"};
bench::Met done{"transfers complete"};
bench::Met holds{"holds (T-BST-4)"};
} // namespace met

constexpr unsigned kFraction = 48;

struct Setting {
    uint32_t burst;
    uint32_t outstanding;
};

class Bench : public bench::Clocked<Vnpu_dma_ops>
{
  public:
    Bench(uint64_t first_seed, const Setting &setting)
        : Clocked(first_seed), burst_(setting.burst),
          channels_(kFraction, setting.burst, setting.outstanding), transfers_(kUsed)
    {
        block.cfg_burst_bytes_i = setting.burst;
        block.cfg_outstanding_i = setting.outstanding;
        reset();
    }

    void run(uint64_t operations)
    {
        for (number = 0; number < operations; ++number) {
            now_ += dice.chance(50) ? 0 : dice.below(2000000);
            const uint32_t which = below(kUsed);
            one(static_cast<Op>(dice.below(20) == 0 ? kCancel
                                : dice.chance(60)   ? kPassed
                                : dice.chance(50)   ? kResume
                                                    : kStart),
                which);
        }
    }

  private:
    static constexpr uint32_t kUsed = 6; // transfers at most
    struct Transfer {
        bool open = false;
        bool held = false;
        uint64_t src = 0, dst = 0;
        uint64_t bytes = 0, begun = 0;
        uint64_t under_way = 0;
    };

    // The transfers' channels are spread over the range.
    static uint32_t channel_of(uint32_t which)
    {
        return which * (BENCH_CHANNELS - 1) / (kUsed - 1);
    }

    [[nodiscard]] bool is_good(Op op, const Transfer &t) const
    {
        switch (op) {
        case kStart:
            return !t.open;
        case kCancel:
            return t.open;
        case kResume:
            return t.open && t.held;
        default:
            return t.open && t.under_way != 0;
        }
    }

    void one(Op op, uint32_t which)
    {
        static const char *const kNames[] = {"start", "cancel", "resume", "passed"};
        operation = kNames[op];
        Transfer &t = transfers_[which];
        const uint32_t channel = channel_of(which);
        const bool good = is_good(op, t);
        const uint64_t bytes = 1 + dice.below(6 * uint64_t{burst_});
        const uint64_t ceiling = dice.chance(40)  ? UINT64_MAX
                                 : dice.chance(5) ? dice.below(3)
                                                  : dice.roll() >> (8 + dice.below(12));
        block.req_op_i = op;
        block.req_channel_i = static_cast<uint16_t>(channel);
        block.req_now_i = now_;
        block.req_src_i = dice.roll();
        block.req_dst_i = dice.roll();
        block.req_bytes_i = bytes;
        block.req_ceiling_i = ceiling;
        const Transfer asked = {true, false, block.req_src_i, block.req_dst_i, bytes, 0, 0};
        request();
        bool done = false;
        if (!good) {
            met::refused();
        } else if (op == kStart) {
            t = asked;
            channels_.start(now_, channel, bytes, ceiling);
            met::starts();
        } else if (op == kCancel) {
            t = {};
            channels_.cancel(channel);
            met::cancels();
        } else if (op == kResume) {
            t.held = false;
            channels_.resume(now_, channel);
            met::resumes();
        } else {
            --t.under_way;
            done = channels_.passed(now_, channel);
            met::passes();
        }
        bursts(t, channel, good && op != kCancel && !done);
        BENCH_EQUAL("error", "T-DMA-8", block.rsp_error_o, !good);
        BENCH_EQUAL("complete", "T-BST-1", block.rsp_done_o, done);
        met::done(done);
        if (done)
            t = {};
        take();
    }

    // Bursts that begin, then the last response, which stays.
    void bursts(Transfer &t, uint32_t channel, bool moves)
    {
        for (;;) {
            await();
            tsim::BurstChannels::Step step;
            if (moves)
                step = channels_.next(now_, channel);
            const bool burst = step.bytes != 0;
            BENCH_EQUAL("last", "T-BST-2", block.rsp_last_o, !burst);
            BENCH_EQUAL("bytes of the burst", "T-BST-1", block.rsp_bytes_o, step.bytes);
            BENCH_EQUAL("source", "T-BST-1", block.rsp_src_o, burst ? t.src + t.begun : 0);
            BENCH_EQUAL("destination", "T-BST-1", block.rsp_dst_o, burst ? t.dst + t.begun : 0);
            t.begun += step.bytes;
            const bool final = burst && t.begun == t.bytes;
            BENCH_EQUAL("last burst", "T-BST-1", block.rsp_final_o, final);
            met::final(final);
            if (!burst) {
                const bool holds = step.hold;
                BENCH_EQUAL("holds", "T-BST-4", block.rsp_hold_o, holds);
                BENCH_EQUAL("hold ends", "T-BST-4", block.rsp_hold_at_o, holds ? step.hold_at : 0);
                t.held = t.held || holds;
                met::holds(holds);
                return;
            }
            BENCH_EQUAL("holds", "T-BST-4", block.rsp_hold_o, false);
            BENCH_EQUAL("complete", "T-BST-1", block.rsp_done_o, false);
            BENCH_EQUAL("error", "T-DMA-8", block.rsp_error_o, false);
            ++t.under_way;
            met::bursts();
            take();
        }
    }

    const uint32_t burst_;
    tsim::BurstChannels channels_;
    std::vector<Transfer> transfers_;
    Time now_ = -dice.below(uint64_t{1} << 30); // soon its digits are all zero again
};

} // namespace

int main(int argc, char **argv)
{
    const Setting settings[] = {{512, 1}, {100, 3}, {512, 65536}};
    return bench::run<Bench>("npu_dma_ops", settings, argc, argv);
}
