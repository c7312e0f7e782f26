// SPDX-License-Identifier: Apache-2.0
// npu_dma_pool against the model's DmaPool: random operations, every answer compared. Rules T-DMA-1, T-DMA-6, T-TIM-6.
#include <Vnpu_dma_pool.h>

#include <algorithm>
#include <vector>

#include "../../common/bench/bench.h"
#include "core/engine/dma.h"

namespace
{

enum Op : uint8_t { kAcquire, kRelease, kWait, kForget };

class Bench : public bench::Clocked<Vnpu_dma_pool>
{
  public:
    Bench(uint64_t first_seed, uint32_t channels, uint64_t choices)
        : Clocked(first_seed), seed(first_seed), choices_(choices),
          pool_(channels, BENCH_QUEUES, choices), has_(BENCH_QUEUES, tsim::kNone),
          waits_(BENCH_QUEUES, false)
    {
        block.cfg_channels_i = channels;
        block.req_seeded_i = choices != 0;
        reset();
    }

    void run(uint64_t operations)
    {
        for (number = 0; number < operations; ++number) {
            if (number % 4096 == 4095 && dice.chance(30)) {
                reset();
                pool_.reset();
                has_.assign(has_.size(), tsim::kNone);
                waits_.assign(waits_.size(), false);
                holders_.clear();
            }
            step();
        }
    }

    uint64_t number = 0;
    const uint64_t seed;
    const char *operation = "";
    uint64_t handed_on = 0;

  private:
    // A queue has a channel, waits for one, or wants one. More want one than there are.
    void step()
    {
        if (!holders_.empty() && dice.chance(40)) {
            release(holders_[dice.below(holders_.size())]);
            return;
        }
        const auto queue = static_cast<uint32_t>(dice.below(BENCH_QUEUES));
        if (waits_[queue])
            forget(queue);
        else if (has_[queue] == tsim::kNone)
            acquire(queue);
    }

    void start(Op op, uint32_t queue, uint32_t channel)
    {
        static const char *const kNames[] = {"acquire", "release", "wait", "forget"};
        operation = kNames[op];
        if (waiting_) { // it is there already
            waiting_ = false;
            taken();
        } else {
            block.req_op_i = op;
            block.req_queue_i = queue;
            block.req_channel_i = channel;
            block.req_draw_i = dice.roll(); // counts only where a number is drawn
            if (op == kAcquire && choices_ != 0 && block.free_o != 0)
                block.req_draw_i = tsim::mix(choices_);
            request();
        }
        // Who finds no channel asks for a place on the list next: that may stand there while the answer comes.
        if (op == kAcquire && block.free_o == 0 && dice.chance(50)) {
            block.req_op_i = kWait;
            block.req_draw_i = dice.roll();
            press();
            waiting_ = true;
        }
        await();
        BENCH_EQUAL("last", "T-DMA-1", block.rsp_last_o, true);
    }

    bool acquire(uint32_t queue)
    {
        start(kAcquire, queue, 0);
        const uint32_t channel = pool_.acquire();
        BENCH_EQUAL("has a channel", "T-DMA-1", block.rsp_found_o, channel != tsim::kNone);
        if (channel != tsim::kNone)
            BENCH_EQUAL("channel", choices_ == 0 ? "T-DMA-1" : "T-TIM-6", block.rsp_channel_o,
                        channel);
        take();
        has_[queue] = channel;
        if (channel != tsim::kNone) {
            holders_.push_back(queue);
            return true;
        }
        start(kWait, queue, 0);
        take();
        pool_.wait(queue);
        waits_[queue] = true;
        return false;
    }

    // T-DMA-6: the next gets it in the same cycle.
    void release(uint32_t queue)
    {
        start(kRelease, queue, has_[queue]);
        const uint32_t next = pool_.release(has_[queue]);
        has_[queue] = tsim::kNone;
        holders_.erase(std::find(holders_.begin(), holders_.end(), queue));
        BENCH_EQUAL("somebody waits", "T-DMA-6", block.rsp_found_o, next != tsim::kNone);
        if (next != tsim::kNone)
            BENCH_EQUAL("next queue", "T-DMA-1", block.rsp_queue_o, next);
        take();
        if (next == tsim::kNone)
            return;
        waits_[next] = false;
        handed_on += acquire(next);
    }

    void forget(uint32_t queue)
    {
        start(kForget, queue, 0);
        take();
        pool_.forget(queue);
        waits_[queue] = false;
    }

    uint64_t choices_; // the state from which the model draws its own numbers
    tsim::DmaPool pool_;
    std::vector<uint32_t> has_; // by queue: its channel
    std::vector<uint32_t> holders_;
    std::vector<bool> waits_;
    bool waiting_ = false; // the next request stands on the port
};

} // namespace

int main(int argc, char **argv)
{
    const bench::Options options = bench::options(argc, argv);
    uint64_t clocks = 0;
    uint64_t handed_on = 0;
    for (const uint32_t channels : {1u, 13u, 32u, 64u}) {
        for (const uint64_t choices : {0ull, 0x1234567ull}) {
            Bench bench(options.seed + clocks, channels, choices);
            bench.run(options.operations / 8);
            clocks += bench.clocks;
            handed_on += bench.handed_on;
            bench.write_coverage(options.coverage);
        }
    }
    if (handed_on == 0) {
        std::printf("FAIL: no channel was handed on: the run proves nothing\n");
        return 1;
    }
    if (!bench::handshakes.complete())
        return 1;
    std::printf(
        "PASS npu_dma_pool: %llu operations, %llu channels handed on, %llu clocks, seed %llu\n",
        static_cast<unsigned long long>(options.operations),
        static_cast<unsigned long long>(handed_on), static_cast<unsigned long long>(clocks),
        static_cast<unsigned long long>(options.seed));
    return 0;
}
