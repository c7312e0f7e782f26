// SPDX-License-Identifier: Apache-2.0
/// Channels and links of burst DMA in RTL against their C++: the same random transfers on networks
/// of the three kinds.
#include "core/link/burst.h"

#include <memory>
#include <vector>

#include "rig.h"
#include "rtl/factory.h"

namespace
{

using tsim::BurstNetwork;
using tsim::Cycle;

constexpr unsigned kFraction = 48;
constexpr uint32_t kMost = 24; // transfers at once

struct Setting {
    std::vector<uint64_t> rates;
    uint64_t burst;
    uint64_t outstanding;
};

/// A network of a kind, and the outcome of its transfers.
class Subject
{
  public:
    Subject(const Setting &setting, twinsim_model model)
    {
        if (model != TWINSIM_MODEL_CPP) {
            factory_ = tsim::rtl::make_factory(model, "", [this](const tsim::rtl::Difference &d) {
                ++differences;
                std::fputs(tsim::rtl::to_text(d).c_str(), stdout);
            });
            factory_->attach(now_, 0);
        }
        network_ = std::make_unique<BurstNetwork>(
            setting.rates, kFraction, setting.burst, setting.outstanding,
            factory_ ? factory_->bursts(setting.burst, setting.outstanding, {}) : nullptr,
            factory_ ? factory_->links(setting.rates, setting.burst, {}) : nullptr);
    }
    void start(Cycle now, uint32_t transfer, const std::vector<BurstNetwork::Hop> &hops,
               uint64_t bytes, uint64_t ceiling)
    {
        now_ = now;
        network_->start(now, transfer, hops.data(), static_cast<uint32_t>(hops.size()), bytes,
                        ceiling);
    }
    void cancel(uint32_t transfer) { network_->cancel(transfer); }
    const std::vector<uint32_t> &run(Cycle now)
    {
        now_ = now;
        return network_->run(now);
    }
    [[nodiscard]] Cycle next() const { return network_->next(); }

    uint32_t differences = 0;

  private:
    Cycle now_ = 0;
    std::unique_ptr<tsim::RtlPortFactory> factory_;
    std::unique_ptr<BurstNetwork> network_;
};

struct Counts {
    uint32_t wrong = 0;
    uint32_t complete = 0;
    uint32_t cancelled = 0;
};

// Transfers begin, end and are cancelled at random while time goes from event to event.
Counts run(uint64_t seed, uint32_t steps)
{
    uint64_t random = seed;
    const auto draw = [&random](uint64_t below) {
        return static_cast<uint32_t>(tsim::mix(random) % below);
    };
    Setting setting;
    const uint32_t links = 1 + draw(9);
    for (uint32_t i = 0; i < links; ++i)
        setting.rates.push_back((uint64_t{1 + draw(400)} << kFraction) + tsim::mix(random) % 99999);
    setting.burst = 32 + draw(draw(2) == 0 ? 100 : 4000);
    setting.outstanding = 1 + draw(12);
    Subject plain(setting, TWINSIM_MODEL_CPP);
    Subject both(setting, TWINSIM_MODEL_LOCKSTEP);
    Subject rtl(setting, TWINSIM_MODEL_RTL);
    std::vector<bool> open(kMost, false);
    // From the start, or just before the widths of times in channels and links overflow.
    Cycle now = draw(3) != 0 ? 0 : (uint64_t{1 + draw(1u << 20)} << 43) - draw(2000);
    Counts counts;
    for (uint32_t step = 0; step < steps && counts.wrong == 0; ++step) {
        const uint32_t what = draw(10), transfer = draw(kMost);
        if (what < 4 && !open[transfer]) {
            std::vector<BurstNetwork::Hop> hops;
            const uint32_t first = draw(links);
            for (uint32_t i = 0; i < std::min(1 + draw(4), links); ++i) // another link each
                hops.push_back({(first + i) % links, 1 + draw(3)});
            const uint64_t bytes = 1 + draw(setting.burst * 20);
            const uint64_t ceiling =
                draw(3) != 0 ? UINT64_MAX : uint64_t{1 + draw(200)} << kFraction;
            for (Subject *subject : {&plain, &both, &rtl})
                subject->start(now, transfer, hops, bytes, ceiling);
            open[transfer] = true;
        } else if (what == 4 && open[transfer]) {
            for (Subject *subject : {&plain, &both, &rtl})
                subject->cancel(transfer);
            open[transfer] = false;
            ++counts.cancelled;
        } else {
            const Cycle next = plain.next();
            counts.wrong += both.next() != next || rtl.next() != next;
            if (next == tsim::kNever)
                continue;
            now = std::max(now, draw(8) == 0 ? next + draw(1000) : next);
            const std::vector<uint32_t> done = plain.run(now);
            counts.wrong += both.run(now) != done || rtl.run(now) != done;
            for (const uint32_t number : done)
                open[number] = false;
            counts.complete += static_cast<uint32_t>(done.size());
        }
        counts.wrong += both.differences + rtl.differences;
    }
    return counts;
}

} // namespace

// T-BST-1 to T-BST-4.
static void test_random()
{
    Counts all;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        const Counts counts = run(seed, 1000);
        EXPECT_EQ(counts.wrong, 0);
        all.complete += counts.complete;
        all.cancelled += counts.cancelled;
    }
    CU_ASSERT(all.complete > 1000);
    CU_ASSERT(all.cancelled > 1000);
}

static const twin_test tests[] = {
    {"random transfers burst by burst are alike in C++ and RTL", test_random},
};

int main(int argc, char **argv)
{
    return twin_run_suite("lockstep_link", tests, TWIN_COUNT(tests), argc, argv);
}
