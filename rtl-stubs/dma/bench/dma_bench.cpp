// SPDX-License-Identifier: Apache-2.0
// npu_dma against the model's BurstChannels, and against memory: random transfers, every burst
// compared, and after each transfer the bytes that its bursts have moved. Rules T-BST-1, T-BST-2,
// T-BST-4, T-DMA-5.
#include <Vnpu_dma.h>

#include <algorithm>
#include <vector>

#include "../../common/bench/bench.h"
#include "core/link/burst_channels.h"

namespace
{

using Time = tsim::BurstChannels::Time;

constexpr unsigned kFraction = 48;
constexpr uint64_t kMemory = 1 << 16;

/// What a run must meet.
namespace met
{
bench::Met bursts{"bursts that began"};
bench::Met complete{"transfers complete, and their bytes equal"};
bench::Met holds{"holds (T-BST-4)"};
bench::Met waited{"operations that waited for a burst response"};
} // namespace met

struct Setting {
    uint32_t burst;
    uint32_t outstanding;
};

class Bench : public bench::Clocked<Vnpu_dma>
{
  public:
    static constexpr bool kRequestsWait = true;

    Bench(uint64_t first_seed, const Setting &setting)
        : Clocked(first_seed), burst_(setting.burst),
          channels_(kFraction, setting.burst, setting.outstanding), transfers_(BENCH_CHANNELS),
          memory_(kMemory)
    {
        block.cfg_burst_bytes_i = setting.burst;
        block.cfg_outstanding_i = setting.outstanding;
        block.ax_ready_i = 0;
        block.b_valid_i = 0;
        for (unsigned char &byte : memory_)
            byte = static_cast<unsigned char>(dice.roll());
        reset();
    }

    void run(uint64_t operations)
    {
        for (number = 0; number < operations; ++number)
            step();
        while (!active_.empty()) { // what has begun ends
            advance(true);
            ++number;
        }
    }

  private:
    enum Op : uint8_t { kStart, kCancel, kResume, kNoOp };

    struct Transfer {
        bool open = false;
        uint64_t src = 0;
        uint64_t dst = 0;
        uint64_t bytes = 0;
        uint64_t begun = 0;     // bytes
        uint64_t under_way = 0; // bursts
        bool held = false;
        Time hold_at = 0;                 // when it goes on
        std::vector<unsigned char> there; // what its bursts have written
        std::vector<unsigned char> times; // how often, by byte
    };

    void step()
    {
        const auto channel = static_cast<uint32_t>(
            dice.below(dice.chance(95) ? 12 : BENCH_CHANNELS) % BENCH_CHANNELS);
        const uint64_t kind = dice.below(100);
        if (kind < 20 && !transfers_[channel].open)
            start(channel);
        else if (kind < 22 && transfers_[channel].open)
            cancel(channel);
        else if (kind < 24)
            bad(channel);
        else
            advance(false);
    }

    [[nodiscard]] Time time_to(const Transfer &t) const
    {
        return tsim::BurstRtlPort::is_after(t.hold_at, now_) ? t.hold_at - now_ : 0;
    }

    // A burst has passed, or a channel goes on: the hold that ends first comes first.
    void advance(bool only)
    {
        if (active_.empty())
            return;
        const uint32_t channel = active_[dice.below(active_.size())];
        uint32_t held = tsim::kNone;
        for (const uint32_t at : active_)
            if (transfers_[at].held &&
                (held == tsim::kNone ||
                 tsim::BurstRtlPort::is_after(transfers_[held].hold_at, transfers_[at].hold_at)))
                held = at;
        const bool can_pass = transfers_[channel].under_way > 0;
        if (held != tsim::kNone && (!can_pass || dice.chance(30))) {
            now_ += time_to(transfers_[held]);
            resume(held);
        } else if (can_pass) {
            Time most = only ? 1000 : 100000000;
            if (held != tsim::kNone) // no hold is missed
                most = time_to(transfers_[held]);
            now_ += most == 0 || dice.chance(30) ? 0 : dice.below(std::min<Time>(most, 3000000));
            pass(channel);
        }
    }

    void start(uint32_t channel)
    {
        Transfer &t = transfers_[channel];
        t = {};
        t.open = true;
        t.bytes = 1 + dice.below(dice.chance(70) ? 5 * burst_ : kMemory / 4);
        t.bytes = std::min(t.bytes, kMemory / 4);
        if (dice.chance(30)) // whole bursts
            t.bytes = std::min(std::max<uint64_t>(t.bytes / burst_, 1) * burst_, kMemory / 4);
        // Copies of the memory follow each other in all of the address space.
        t.src = dice.roll() / kMemory * kMemory + dice.below(kMemory / 4);
        t.dst = dice.roll() / kMemory * kMemory + kMemory / 2 + dice.below(kMemory / 4);
        t.there.resize(t.bytes);
        t.times.resize(t.bytes);
        const uint64_t ceiling = dice.chance(50)   ? UINT64_MAX
                                 : dice.chance(10) ? dice.below(3)
                                                   : dice.roll() >> (4 + dice.below(16));
        drive(kStart, channel);
        block.req_src_i = t.src;
        block.req_dst_i = t.dst;
        block.req_bytes_i = t.bytes;
        block.req_ceiling_i = ceiling;
        active_.push_back(channel);
        send("start");
        channels_.start(now_, channel, t.bytes, ceiling);
        answer(channel, false, false);
    }

    void cancel(uint32_t channel)
    {
        drive(kCancel, channel);
        send("cancel");
        channels_.cancel(channel);
        leave(channel);
        answer(channel, false, false);
    }

    void resume(uint32_t channel)
    {
        drive(kResume, channel);
        send("resume");
        transfers_[channel].held = false;
        channels_.resume(now_, channel);
        answer(channel, false, false);
    }

    void pass(uint32_t channel)
    {
        const bool with_operation = dice.chance(10);
        if (with_operation) {
            drive(kNoOp, channel);
            block.req_valid_i = 1;
        }
        operation = "burst response";
        block.now_i = now_;
        block.b_id_i = channel;
        block.b_valid_i = 1;
        block.eval();
        until([this] { return block.b_ready_o; }, "taken burst response");
        BENCH_EQUAL("an operation is taken with it", "T-BST-1", block.req_ready_o, false);
        clock();
        block.b_valid_i = 0;
        block.eval();
        --transfers_[channel].under_way;
        const bool done = channels_.passed(now_, channel);
        if (done) {
            compare_bytes(transfers_[channel]);
            leave(channel);
            met::complete();
        }
        answer(channel, done, false);
        if (with_operation) {
            operation = "after a burst response";
            until([this] { return block.req_ready_o; }, "taken request");
            clock();
            block.req_valid_i = 0;
            block.eval();
            answer(channel, false, true);
            met::waited();
        }
    }

    // What is refused changes nothing.
    void bad(uint32_t channel)
    {
        const bool open = transfers_[channel].open;
        const bool held = transfers_[channel].held;
        const auto op = static_cast<Op>(dice.below(4));
        drive(op, channel);
        block.req_bytes_i = open && op == kStart ? 1 + dice.below(100) : 0;
        if ((open && op == kCancel) || (held && op == kResume))
            return;
        send("bad");
        answer(channel, false, true);
    }

    void drive(Op op, uint32_t channel)
    {
        block.now_i = now_;
        block.req_op_i = op;
        block.req_channel_i = channel;
    }
    void send(const char *name)
    {
        operation = name;
        request();
    }

    // Bursts that begin, then the response.
    void answer(uint32_t channel, bool done, bool error)
    {
        Transfer &t = transfers_[channel];
        tsim::BurstChannels::Step step;
        for (;;) {
            block.ax_ready_i = 0;
            until([this] { return block.ax_valid_o || block.rsp_valid_o; }, "burst or response");
            while (dice.chance(10))
                clock();
            step = {};
            if (t.open && !error)
                step = channels_.next(now_, channel);
            BENCH_EQUAL("burst begins", "T-BST-2", block.ax_valid_o, step.bytes != 0);
            if (step.bytes == 0)
                break;
            BENCH_EQUAL("bytes of the burst", "T-BST-1", block.ax_bytes_o, step.bytes);
            BENCH_EQUAL("channel", "T-BST-1", block.ax_id_o, channel);
            BENCH_EQUAL("source", "T-BST-1", block.ax_src_o, t.src + t.begun);
            BENCH_EQUAL("destination", "T-BST-1", block.ax_dst_o, t.dst + t.begun);
            BENCH_EQUAL("last burst", "T-BST-1", block.ax_last_o, t.begun + step.bytes == t.bytes);
            move(t);
            t.begun += step.bytes;
            ++t.under_way;
            met::bursts();
            block.ax_ready_i = 1;
            clock();
            block.ax_ready_i = 0;
            block.eval();
        }
        await();
        BENCH_EQUAL("error", "T-DMA-8", block.rsp_error_o, error);
        BENCH_EQUAL("channel", "T-BST-1", block.rsp_channel_o, channel);
        BENCH_EQUAL("complete", "T-BST-1", block.rsp_done_o, done);
        BENCH_EQUAL("holds", "T-BST-4", block.rsp_hold_o, step.hold);
        if (step.hold) {
            BENCH_EQUAL("hold ends", "T-BST-4", block.rsp_hold_at_o, step.hold_at);
            t.held = true;
            t.hold_at = step.hold_at;
            met::holds();
        }
        take();
    }

    // What a memory at the port does.
    void move(Transfer &t)
    {
        for (uint32_t i = 0; i < block.ax_bytes_o; ++i) {
            t.there[block.ax_dst_o + i - t.dst] = memory_[(block.ax_src_o + i) % kMemory];
            ++t.times[block.ax_dst_o + i - t.dst];
        }
    }
    void compare_bytes(const Transfer &t)
    {
        for (uint64_t i = 0; i < t.bytes; ++i) {
            BENCH_EQUAL("how often a byte was written", "T-BST-1", t.times[i], 1);
            BENCH_EQUAL("byte", "T-DMA-5", t.there[i], memory_[(t.src + i) % kMemory]);
        }
    }

    void leave(uint32_t channel)
    {
        transfers_[channel] = {};
        active_.erase(std::find(active_.begin(), active_.end(), channel));
    }

    const uint32_t burst_;
    tsim::BurstChannels channels_;
    std::vector<Transfer> transfers_;
    std::vector<uint32_t> active_;
    std::vector<unsigned char> memory_;
    Time now_ = -dice.below(uint64_t{1} << 24); // soon its digits are all zero again
};

} // namespace

int main(int argc, char **argv)
{
    const Setting settings[] = {{512, 16}, {256, 1}, {100, 3}, {32, 65536}, {4096, 2}};
    return bench::run<Bench>("npu_dma", settings, argc, argv);
}
