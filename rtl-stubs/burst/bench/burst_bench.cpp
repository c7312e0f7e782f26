// SPDX-License-Identifier: Apache-2.0
// npu_burst against the model's BurstNetwork: random transfers on shared links, when each is
// complete, when something happens next, and the bytes that bursts have moved. Rules T-BST-1 to
// T-BST-4, T-DMA-5.
#include <Vnpu_burst.h>

#include <algorithm>
#include <array>
#include <vector>

#include "../../common/bench/bench.h"
#include "core/link/burst.h"

namespace
{

using tsim::BurstNetwork;
using tsim::Cycle;

enum Op : uint8_t { kRate, kStart, kCancel, kRun };

/// What a run must meet.
namespace met
{
bench::Met starts{"transfers started"};
bench::Met ceilings{"of these with a ceiling (T-BST-4)"};
bench::Met bursts{"bursts"};
bench::Met complete{"transfers complete, and their bytes moved once each"};
bench::Met together{"of these with another in the same run"};
bench::Met cancels{"transfers cancelled"};
bench::Met nothing{"runs in which nothing was complete"};
bench::Met late{"runs to a later time than the next event"};
bench::Met refused{"operations refused"};
} // namespace met

constexpr unsigned kFraction = 48;
constexpr unsigned kLinkWidth = bench::width_of(BENCH_LINKS);
constexpr uint32_t kUsed = std::min<uint32_t>(BENCH_TRANSFERS, 20);

struct Setting {
    uint32_t burst;
    uint32_t outstanding;
    uint32_t links;
};

class Bench : public bench::Clocked<Vnpu_burst>
{
  public:
    Bench(uint64_t first_seed, const Setting &setting)
        : Clocked(first_seed), setting_(setting), rates_(rates()),
          network_(rates_, kFraction, setting.burst, setting.outstanding),
          transfers_(BENCH_TRANSFERS)
    {
        block.cfg_burst_bytes_i = setting.burst;
        block.cfg_outstanding_i = setting.outstanding;
        reset();
        for (uint32_t link = 0; link < setting.links; ++link) {
            block.req_link_i = link;
            block.req_rate_i = rates_[link];
            send(kRate, "rate");
            answer(false, tsim::kNone);
        }
    }
    void run(uint64_t operations)
    {
        for (number = 0; number < operations; ++number)
            step();
        while (network_.next() != tsim::kNever) // what has begun ends
            advance(network_.next());
    }

  private:
    struct Transfer {
        bool open = false;
        uint64_t src = 0;
        uint64_t dst = 0;
        uint64_t bytes = 0;
        uint64_t begun = 0;
    };

    [[nodiscard]] std::vector<uint64_t> rates()
    {
        std::vector<uint64_t> out(setting_.links);
        for (uint64_t &rate : out)
            rate = ((1 + dice.below(300)) << kFraction) + (dice.chance(50) ? dice.roll() >> 20 : 0);
        return out;
    }

    void step()
    {
        const uint32_t transfer = below(kUsed);
        const uint64_t kind = dice.below(100);
        if (kind < 40 && !transfers_[transfer].open)
            start(transfer);
        else if (kind >= 40 && kind < 46 && transfers_[transfer].open)
            cancel(transfer);
        else if (kind == 46)
            refused(transfer);
        else if (network_.next() != tsim::kNever)
            advance(network_.next() + (dice.chance(25) ? dice.below(300) : 0));
        else if (dice.chance(20))
            advance(now_ + dice.below(1000));
    }

    void start(uint32_t transfer)
    {
        const uint32_t links = setting_.links;
        const auto count = static_cast<uint32_t>(1 + dice.below(std::min(4u, links)));
        const uint32_t first = below(links);
        std::array<BurstNetwork::Hop, 4> hops{};
        uint64_t ways = 0;
        uint32_t weights = 0;
        for (uint32_t i = 0; i < count; ++i) { // another link each
            hops[i] = {(first + i) % links, static_cast<uint32_t>(1 + dice.below(3))};
            ways |= uint64_t{hops[i].link} << (i * kLinkWidth);
            weights |= hops[i].weight << (i * 8);
        }
        Transfer &t = transfers_[transfer];
        t = {true, dice.roll(), dice.roll(), 1 + dice.below(uint64_t{setting_.burst} * 12), 0};
        const bool capped = dice.chance(40);
        const uint64_t ceiling = capped ? (1 + dice.below(200)) << kFraction : UINT64_MAX;
        met::starts();
        met::ceilings(capped);
        block.req_count_i = count;
        block.req_links_i = ways;
        block.req_weights_i = weights;
        block.req_src_i = t.src;
        block.req_dst_i = t.dst;
        block.req_bytes_i = t.bytes;
        block.req_ceiling_i = ceiling;
        block.req_transfer_i = transfer;
        network_.start(now_, transfer, hops.data(), count, t.bytes, ceiling);
        send(kStart, "start");
        answer(false, tsim::kNone);
    }

    void cancel(uint32_t transfer)
    {
        block.req_transfer_i = transfer;
        network_.cancel(transfer);
        transfers_[transfer].open = false;
        send(kCancel, "cancel");
        answer(false, tsim::kNone);
        met::cancels();
    }

    // The model returns all that is complete at once, the block one after the other.
    void advance(Cycle until)
    {
        met::late(until > network_.next());
        now_ = std::max(now_, until);
        const std::vector<uint32_t> complete = network_.run(now_);
        met::nothing(complete.empty());
        met::together(complete.size() > 1);
        for (const uint32_t transfer : complete) {
            send(kRun, "run, complete");
            rest_known_ = false; // more may be due
            answer(false, transfer);
            Transfer &t = transfers_[transfer];
            BENCH_EQUAL("bytes moved", "T-DMA-5", t.begun, t.bytes);
            t.open = false;
            met::complete();
        }
        send(kRun, "run");
        answer(false, tsim::kNone);
    }

    // What is refused changes nothing.
    void refused(uint32_t transfer)
    {
        const bool open = transfers_[transfer].open;
        const Op op = open ? kStart : dice.chance(50) ? kStart : kCancel;
        block.req_transfer_i = transfer;
        block.req_bytes_i = open ? dice.below(2) : 0;
        if (!open && dice.chance(50)) {
            block.req_bytes_i = 1;
            block.req_count_i = dice.chance(50) ? 0 : 5;
        }
        send(op, "refused");
        answer(true, tsim::kNone);
        met::refused();
    }

    void send(Op op, const char *name)
    {
        operation = name;
        block.req_op_i = op;
        block.req_now_i = now_;
        request();
    }

    // Bursts that begin meanwhile, then the response.
    void answer(bool error, uint32_t complete)
    {
        block.rsp_ready_i = 0;
        while (!block.rsp_valid_o) {
            burst();
            clock();
            if (++waited_ > 10000000) {
                std::printf("FAIL: the block hangs: no response\n");
                std::exit(1);
            }
        }
        waited_ = 0;
        await();
        BENCH_EQUAL("error", "T-DMA-8", block.rsp_error_o, error);
        BENCH_EQUAL("a transfer is complete", "T-BST-1", block.rsp_done_o, complete != tsim::kNone);
        if (complete != tsim::kNone)
            BENCH_EQUAL("which one", "T-BST-3", block.rsp_transfer_o, complete);
        if (rest_known_) {
            const Cycle next = network_.next();
            BENCH_EQUAL("something is to happen", "T-BST-3", block.next_valid_o,
                        next != tsim::kNever);
            if (next != tsim::kNever)
                BENCH_EQUAL("when", "T-BST-3", block.next_time_o, next);
        }
        rest_known_ = true;
        take();
    }
    void burst()
    {
        if (!block.ax_valid_o)
            return;
        Transfer &t = transfers_[block.ax_id_o];
        BENCH_EQUAL("a burst of a transfer", "T-BST-1", t.open, true);
        BENCH_EQUAL("source", "T-BST-1", block.ax_src_o, t.src + t.begun);
        BENCH_EQUAL("destination", "T-BST-1", block.ax_dst_o, t.dst + t.begun);
        BENCH_EQUAL("bytes", "T-BST-1", block.ax_bytes_o,
                    std::min<uint64_t>(setting_.burst, t.bytes - t.begun));
        t.begun += block.ax_bytes_o;
        BENCH_EQUAL("last", "T-BST-1", block.ax_last_o, t.begun == t.bytes);
        met::bursts();
    }

    const Setting setting_;
    const std::vector<uint64_t> rates_;
    BurstNetwork network_;
    std::vector<Transfer> transfers_;
    // Soon the 44 digits that channels and links see of it are all zero again.
    Cycle now_ = (dice.roll() >> 20 << 44) - dice.below(20000);
    bool rest_known_ = true;
    uint64_t waited_ = 0;
};

} // namespace

int main(int argc, char **argv)
{
    const Setting settings[] = {
        {512, 16, 3}, {256, 1, 8}, {100, 3, 1}, {32, 65536, 5}, {4096, 2, 4}};
    return bench::run<Bench>("npu_burst", settings, argc, argv);
}
