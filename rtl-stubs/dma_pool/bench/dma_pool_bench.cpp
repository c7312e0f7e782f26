// SPDX-License-Identifier: Apache-2.0
// npu_dma_pool against the model's DmaPool: random operations, every answer compared. Rules
// T-DMA-1, T-DMA-6, T-TIM-6.
#include <Vnpu_dma_pool.h>

#include <algorithm>
#include <vector>

#include "../../common/bench/bench.h"
#include "core/engine/dma.h"

namespace
{

enum Op : uint8_t { kAcquire, kRelease, kWait, kForget };

/// What a run must meet.
namespace met
{
bench::Met handed_on{"channels handed on (T-DMA-6)"};
} // namespace met

struct Setting {
    uint32_t channels;
    uint64_t choices; ///< 0: no seed
};

class Bench : public bench::Clocked<Vnpu_dma_pool>
{
  public:
    static constexpr bool kRequestsWait = true;

    Bench(uint64_t first_seed, const Setting &setting)
        : Clocked(first_seed), choices_(setting.choices),
          pool_(setting.channels, BENCH_QUEUES, setting.choices), has_(BENCH_QUEUES, tsim::kNone),
          waits_(BENCH_QUEUES, false)
    {
        block.cfg_channels_i = setting.channels;
        block.req_seeded_i = setting.choices != 0;
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

  private:
    // A queue has a channel, waits for one, or requests one. More request one than there are.
    void step()
    {
        if (!holders_.empty() && dice.chance(40)) {
            release(holders_[dice.below(holders_.size())]);
            return;
        }
        const uint32_t queue = below(BENCH_QUEUES);
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
        // A queue that finds no channel asks for a place on the list next: that request may wait
        // while the answer comes.
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
        BENCH_EQUAL("a queue waits", "T-DMA-6", block.rsp_found_o, next != tsim::kNone);
        if (next != tsim::kNone)
            BENCH_EQUAL("next queue", "T-DMA-1", block.rsp_queue_o, next);
        take();
        if (next == tsim::kNone)
            return;
        waits_[next] = false;
        met::handed_on(acquire(next));
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
    bool waiting_ = false; // the next request is on the port
};

} // namespace

int main(int argc, char **argv)
{
    constexpr uint64_t kChoices = 0x1234567;
    const Setting settings[] = {{1, 0},  {1, kChoices},  {13, 0}, {13, kChoices},
                                {32, 0}, {32, kChoices}, {64, 0}, {64, kChoices}};
    return bench::run<Bench>("npu_dma_pool", settings, argc, argv);
}
