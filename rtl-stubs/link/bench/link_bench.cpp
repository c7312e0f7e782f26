// SPDX-License-Identifier: Apache-2.0
// npu_link against the model's BurstLinks: random transfers over random links, every answer
// compared. Rule T-BST-3.
#include <Vnpu_link.h>

#include <algorithm>
#include <array>
#include <vector>

#include "../../common/bench/bench.h"
#include "core/link/burst_links.h"

namespace
{

using tsim::BurstLinks;
using Time = BurstLinks::Time;

enum Op : uint8_t { kRate, kOpen, kArrive, kPassed, kNext, kCancel };

/// What a run must meet.
namespace met
{
bench::Met opens{"transfers opened"};
bench::Met at_once{"bursts that a link takes at once"};
bench::Met waits{"bursts that wait"};
bench::Met on{"bursts that went on to another link"};
bench::Met left{"bursts that left their last link"};
bench::Met final{"of these the last of their transfer"};
bench::Met turns{"turns: another transfer's burst is next"};
bench::Met same_again{"the same transfer's burst is next"};
bench::Met nothing{"links that no burst waits for"};
bench::Met not_yet{"links that carry something when asked what is next"};
bench::Met shorter{"last bursts shorter than others"};
bench::Met cancels{"transfers cancelled"};
bench::Met of_cancelled{"bursts of these that passed, and have no owner"};
bench::Met reused{"numbers used again while such a burst was on a link"};
bench::Met refused{"operations refused"};
} // namespace met

constexpr unsigned kFraction = 48;
constexpr unsigned kLinkWidth = bench::width_of(BENCH_LINKS);
constexpr uint32_t kUsedTransfers = std::min<uint32_t>(BENCH_TRANSFERS, 16);
constexpr uint32_t kUsedLinks = std::min<uint32_t>(BENCH_LINKS, 6);

// Rates of the links, as a profile has them, and at both ends.
std::vector<uint64_t> rates(bench::Dice &dice)
{
    std::vector<uint64_t> out(kUsedLinks);
    for (uint64_t &rate : out)
        rate = dice.chance(10) ? dice.below(3) : dice.roll() >> (4 + dice.below(16));
    return out;
}

class Bench : public bench::Clocked<Vnpu_link>
{
  public:
    Bench(uint64_t first_seed, uint32_t burst)
        : Clocked(first_seed), burst_(burst), rates_(rates(dice)), model_(rates_, kFraction, burst),
          transfers_(kUsedTransfers), carried_(kUsedLinks)
    {
        block.cfg_burst_bytes_i = burst;
        reset();
        for (uint32_t link = 0; link < kUsedLinks; ++link) {
            block.req_link_i = number_of_link(link);
            block.req_rate_i = rates_[link];
            send(kRate, "rate");
            BENCH_EQUAL("error", "T-BST-3", block.rsp_error_o, false);
            take();
        }
    }
    void run(uint64_t operations)
    {
        for (number = 0; number < operations; ++number)
            step();
    }

  private:
    struct Transfer {
        bool open = false;
        uint64_t left = 0;      // bytes whose burst has not come
        uint64_t under_way = 0; // bursts
    };
    // What a link carries, as far as is known.
    struct Carried {
        bool busy = false;
        uint32_t transfer = 0;
        bool cancelled = false;
        bool next_is_due = false;
    };

    // Numbers from all of the range.
    [[nodiscard]] static uint32_t number_of(uint32_t transfer)
    {
        return transfer % 2 == 0 ? transfer : BENCH_TRANSFERS - transfer;
    }
    [[nodiscard]] static uint32_t number_of_link(uint32_t link)
    {
        return link % 2 == 0 ? link : BENCH_LINKS - link;
    }

    void step()
    {
        const uint32_t transfer = below(kUsedTransfers);
        const uint32_t link = below(kUsedLinks);
        const Transfer &t = transfers_[transfer];
        if (dice.chance(60))
            now_ += dice.below(dice.chance(5) ? uint64_t{1} << 40 : 3000000);
        const uint64_t kind = dice.below(100);
        if (kind < 15 && !t.open)
            open(transfer);
        else if (kind < 45 && t.open && t.left > 0 && t.under_way < 5)
            arrive(transfer);
        else if (kind >= 45 && kind < 49 && t.open)
            cancel(transfer);
        else if (kind >= 49 && kind < 52)
            refused(transfer, link);
        else if (carried_[link].busy && !dice.chance(20))
            passed(link);
        else
            next(link);
    }

    void open(uint32_t transfer)
    {
        const auto count = static_cast<uint32_t>(1 + dice.below(4));
        std::array<uint32_t, kUsedLinks> order{};
        for (uint32_t i = 0; i < kUsedLinks; ++i)
            order[i] = i;
        for (uint32_t i = 0; i < count; ++i)
            std::swap(order[i], order[i + dice.below(kUsedLinks - i)]);
        std::array<BurstLinks::Hop, 4> hops{};
        route(hops, order, count);
        Transfer &t = transfers_[transfer];
        t = {true, 1 + dice.below(6 * uint64_t{burst_}), 0};
        if (dice.chance(30)) // whole bursts
            t.left = (t.left + burst_ - 1) / burst_ * burst_;
        for (const Carried &c : carried_)
            met::reused(c.busy && c.cancelled && c.transfer == transfer);
        model_.open(transfer, hops.data(), count, t.left);
        block.req_transfer_i = number_of(transfer);
        block.req_count_i = count;
        send(kOpen, "open");
        nothing();
        met::opens();
    }
    void route(std::array<BurstLinks::Hop, 4> &hops, const std::array<uint32_t, kUsedLinks> &order,
               uint32_t count)
    {
        uint64_t links = 0;
        uint32_t weights = 0;
        for (uint32_t i = 0; i < count; ++i) {
            hops[i] = {order[i], static_cast<uint32_t>(dice.chance(90) ? 1 + dice.below(3) : 255)};
            links |= uint64_t{number_of_link(hops[i].link)} << (i * kLinkWidth);
            weights |= hops[i].weight << (i * 8);
        }
        block.req_links_i = links;
        block.req_weights_i = weights;
    }

    void arrive(uint32_t transfer)
    {
        Transfer &t = transfers_[transfer];
        const uint64_t bytes = std::min<uint64_t>(t.left, burst_);
        t.left -= bytes;
        ++t.under_way;
        met::shorter(bytes < burst_);
        const BurstLinks::Grant grant = model_.arrive(now_, transfer, bytes);
        block.req_transfer_i = number_of(transfer);
        block.req_bytes_i = bytes;
        block.req_last_i = t.left == 0;
        send(kArrive, "arrive");
        (grant.link != tsim::kNone ? met::at_once : met::waits)();
        left(tsim::kNone, false);
        granted(grant);
        take();
    }

    void passed(uint32_t link)
    {
        Carried &c = carried_[link];
        met::of_cancelled(c.cancelled);
        const BurstLinks::Passage passage = model_.passed(now_, link);
        block.req_link_i = number_of_link(link);
        send(kPassed, "passed");
        met::on(passage.transfer == tsim::kNone && !c.cancelled);
        left(passage.transfer, passage.last);
        c.busy = false;
        c.next_is_due = true;
        granted(passage.grant);
        take();
        if (passage.transfer != tsim::kNone) {
            Transfer &t = transfers_[passage.transfer];
            --t.under_way;
            met::left();
            met::final(passage.last);
            BENCH_EQUAL("last with nothing left", "T-BST-1", passage.last,
                        t.left == 0 && t.under_way == 0);
            if (passage.last)
                t = {};
        }
        if (dice.chance(70)) // else others come first
            next(link);
    }

    void next(uint32_t link)
    {
        const BurstLinks::Grant grant = model_.next(now_, link);
        Carried &c = carried_[link];
        met::not_yet(c.busy);
        if (c.next_is_due) {
            met::turns(grant.link != tsim::kNone && grant.transfer != c.transfer);
            met::same_again(grant.link != tsim::kNone && grant.transfer == c.transfer);
            met::nothing(grant.link == tsim::kNone && !c.busy);
        }
        c.next_is_due = false;
        block.req_link_i = number_of_link(link);
        send(kNext, "next");
        left(tsim::kNone, false);
        granted(grant);
        take();
    }

    void cancel(uint32_t transfer)
    {
        model_.cancel(transfer);
        transfers_[transfer] = {};
        for (Carried &c : carried_)
            c.cancelled |= c.busy && c.transfer == transfer;
        block.req_transfer_i = number_of(transfer);
        send(kCancel, "cancel");
        nothing();
        met::cancels();
    }

    // What is refused changes nothing.
    void refused(uint32_t transfer, uint32_t link)
    {
        const Transfer &t = transfers_[transfer];
        const auto op = static_cast<Op>(1 + dice.below(7));
        block.req_transfer_i = number_of(transfer);
        block.req_link_i = number_of_link(link);
        block.req_bytes_i = dice.below(2) * (burst_ + dice.below(2));
        block.req_last_i = dice.chance(50);
        block.req_count_i = dice.chance(50) ? 0 : 5 + dice.below(3);
        switch (op) {
        case kOpen:
            if (t.open)
                block.req_count_i = 1 + dice.below(4);
            break;
        case kArrive: // of none, after the last one, empty, too long, short and not the last
            if (t.open && t.left != 0) {
                block.req_bytes_i = dice.chance(50) ? 0 : burst_ + 1;
                if (dice.chance(30)) {
                    block.req_bytes_i = burst_ - 1;
                    block.req_last_i = false;
                }
            } else {
                block.req_bytes_i = burst_;
            }
            break;
        case kPassed:
            if (carried_[link].busy)
                return;
            break;
        case kNext:
            return;
        case kCancel:
            if (t.open)
                return;
            break;
        default:
            break;
        }
        send(op, "refused");
        BENCH_EQUAL("error", "T-BST-3", block.rsp_error_o, true);
        BENCH_EQUAL("grant", "T-BST-3", block.rsp_grant_o, false);
        BENCH_EQUAL("left", "T-BST-3", block.rsp_left_o, false);
        take();
        met::refused();
    }

    void send(Op op, const char *name)
    {
        operation = name;
        block.req_op_i = op;
        block.req_now_i = now_;
        request();
        await();
    }
    void left(uint32_t transfer, bool last)
    {
        BENCH_EQUAL("error", "T-BST-3", block.rsp_error_o, false);
        BENCH_EQUAL("left its last link", "T-BST-3", block.rsp_left_o, transfer != tsim::kNone);
        BENCH_EQUAL("last of its transfer", "T-BST-1", block.rsp_final_o, last);
        if (transfer != tsim::kNone)
            BENCH_EQUAL("whose burst left", "T-BST-3", block.rsp_transfer_o, number_of(transfer));
    }
    void granted(const BurstLinks::Grant &grant)
    {
        const bool granted = grant.link != tsim::kNone;
        BENCH_EQUAL("grant", "T-BST-3", block.rsp_grant_o, granted);
        if (!granted)
            return;
        BENCH_EQUAL("link", "T-BST-3", block.rsp_link_o, number_of_link(grant.link));
        BENCH_EQUAL("whose turn", "T-BST-3", block.rsp_transfer_o, number_of(grant.transfer));
        BENCH_EQUAL("bytes", "T-BST-1", block.rsp_bytes_o, grant.bytes);
        BENCH_EQUAL("until", "T-BST-3", block.rsp_until_o, grant.until);
        BENCH_EQUAL("busy before", "T-BST-3", carried_[grant.link].busy, false);
        carried_[grant.link] = {true, grant.transfer, false, false};
    }
    void nothing()
    {
        left(tsim::kNone, false);
        granted({});
        take();
    }

    const uint32_t burst_;
    const std::vector<uint64_t> rates_;
    BurstLinks model_;
    std::vector<Transfer> transfers_;
    std::vector<Carried> carried_;              // by link
    Time now_ = -dice.below(uint64_t{1} << 36); // soon its digits are all zero again
};

} // namespace

int main(int argc, char **argv)
{
    const uint32_t bursts[] = {512, 32, 100, 1u << 20, 4096};
    return bench::run<Bench>("npu_link", bursts, argc, argv);
}
