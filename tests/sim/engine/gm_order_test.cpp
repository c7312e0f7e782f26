// SPDX-License-Identifier: Apache-2.0
/// Random kernels that read and write with addresses, for many seeds: a block takes exactly as long
/// as the rules of order and latency say (T-CORE-14 to T-CORE-17, T-CORE-20, T-CORE-22), and bursts
/// agree with fair shares (T-BST-5). By hand: sim_gm_order_test --seeds=100000.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "random_steps.h"

namespace
{

uint64_t seeds = 200;
constexpr uint64_t kSlot = 8192; // of addresses, one for each access: all of them miss
constexpr uint64_t kMost = 4096; // bytes
constexpr uint64_t kMiss = 200;  // cycles

/// One cycle is 1 ns; a core moves 32 bytes in it, or 16 off a boundary, and HBM and L2 10000.
void even(tsim::Params &p)
{
    p.hbm_peak.value = p.l2_peak.value = 10000000;
    p.hbm_effective.value = 1000;
    p.core_mhz.value = 1000;
    p.core_gm.value = 32;
    p.core_unaligned.value = 500;
    p.core_crowd.value = 0;
}

twin_step access(Dice &dice, uint64_t slot)
{
    static const uint32_t pipes[] = {TWIN_PIPE_MTE2, TWIN_PIPE_MTE3, TWIN_PIPE_FIX,
                                     TWIN_PIPE_SCALAR};
    const bool write = dice(3) == 0;
    twin_step out =
        op(pipes[dice(4)], write ? TWIN_STEP_WRITE : TWIN_STEP_READ, 32 * (1 + dice(kMost / 32)));
    if (write)
        out.flag = TWIN_STEP_ONCE;
    out.address = Rig::kHbm + slot * kSlot + 32 * dice(2) * dice(16);
    return out;
}

/// Accesses, work, flags and barriers.
StepList random_list(Dice &dice, uint64_t first_slot)
{
    return random_steps(dice, [&](StepList &out, uint64_t place) {
        const uint64_t which = dice(20);
        if (which == 0)
            out.push_back(op(TWIN_PIPE_SCALAR, TWIN_STEP_BARRIER, 0));
        else if (which < 5)
            out.push_back(work(dice.pipe(), dice(500)));
        else
            out.push_back(access(dice, first_slot + place));
    });
}

uint64_t duration(const twin_step &o)
{
    if (o.kind == TWIN_STEP_WORK)
        return o.amount;
    return o.amount / (o.address % 512 == 0 ? 32 : 16);
}

/// When the block ends, worked out without events: what each step has to wait for, again and again
/// until nothing changes.
uint64_t reference(const StepList &list)
{
    constexpr uint64_t kUnknown = UINT64_MAX;
    std::vector<uint64_t> end(list.size(), kUnknown);
    uint64_t last = 0;
    for (bool changed = true; changed;) {
        changed = false;
        last = 0;
        std::vector<uint64_t> pipe(TWIN_PIPE_COUNT, 0), landed(TWIN_PIPE_COUNT, 0);
        uint64_t issued = 0, all = 0;
        std::map<uint32_t, std::vector<uint64_t>> sets;
        std::map<uint32_t, size_t> waits;
        for (size_t i = 0; i < list.size(); ++i) {
            const twin_step &o = list[i];
            const bool scalar = o.pipe == TWIN_PIPE_SCALAR;
            uint64_t start = scalar ? issued : std::max(issued, pipe[o.pipe]);
            if (issued == kUnknown || pipe[o.pipe] == kUnknown)
                start = kUnknown;
            uint64_t done = start;
            uint64_t seen = start; // when others may see it
            if (start != kUnknown) {
                switch (o.kind) {
                case TWIN_STEP_READ:
                    done = start + duration(o) + (scalar ? kMiss : 0);
                    landed[o.pipe] = std::max(landed[o.pipe], start + duration(o) + kMiss);
                    seen = landed[o.pipe];
                    break;
                case TWIN_STEP_WRITE:
                case TWIN_STEP_WORK:
                    seen = done = start + duration(o);
                    break;
                case TWIN_STEP_SET:
                    seen = std::max(start, landed[o.pipe]);
                    break;
                case TWIN_STEP_WAIT: {
                    const uint64_t set = sets[o.flag].at(waits[o.flag]);
                    seen = done = set == kUnknown ? kUnknown : std::max(start, set);
                    break;
                }
                default: // barrier of the scalar unit
                    seen = done = all == kUnknown ? kUnknown : std::max(start, all);
                }
            }
            if (o.kind == TWIN_STEP_WAIT)
                ++waits[o.flag];
            if (o.kind == TWIN_STEP_SET)
                sets[o.flag].push_back(start == kUnknown ? kUnknown : seen);
            changed = changed || done != end[i];
            end[i] = done;
            pipe[o.pipe] = done;
            if (scalar)
                issued = done;
            all = std::max(all, start == kUnknown ? kUnknown : seen);
            last = std::max(last, all);
        }
    }
    return last;
}

uint64_t span(const std::vector<StepList> &lists, uint64_t seed, bool bursts,
              const Rig::Tweak &tweak = even)
{
    Kernels kernels;
    Rig::Options options;
    options.kernels = &kernels;
    options.seed = seed;
    options.bursts = bursts;
    Rig rig(options, tweak);
    kernels.set(1, lists);
    rig.open(0);
    rig.put(0, sqe_kernel(STARS_KERNEL_AIC, static_cast<uint32_t>(lists.size()), 1), 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    const auto record = rig.phases(TWINSIM_PHASE_KERNEL, 0).at(0);
    const tsim::Params &p = rig.params();
    return record.end_ns - record.begin_ns - p.core_dispatch.value - p.core_init.value -
           p.core_software.value;
}

} // namespace

static void test_order()
{
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
        Dice dice{seed};
        const StepList list = random_list(dice, 0);
        const uint64_t wanted = reference(list);
        const uint64_t actual = span({list}, seed, false);
        if (actual != wanted) {
            std::fprintf(stderr, "seed %llu: %llu ns instead of %llu\n",
                         static_cast<unsigned long long>(seed),
                         static_cast<unsigned long long>(actual),
                         static_cast<unsigned long long>(wanted));
            CU_ASSERT(false);
        }
    }
}

// T-BST-5: 2 %, and 4 bursts of 512 bytes of each transfer: its own, and what it takes beside.
static void test_bursts()
{
    for (uint64_t seed = 1; seed <= std::max<uint64_t>(seeds / 20, 1); ++seed) {
        Dice dice{seed};
        std::vector<StepList> lists(1 + dice(20));
        uint64_t transfers = 0;
        for (uint64_t i = 0; i < lists.size(); ++i) {
            lists[i] = random_list(dice, 64 * i);
            uint64_t own = 0;
            for (const twin_step &o : lists[i])
                own += o.kind == TWIN_STEP_READ ? 2 : o.kind == TWIN_STEP_WRITE ? 1 : 0;
            transfers = std::max(transfers, own);
        }
        const auto narrow = [](tsim::Params &p) {
            even(p);
            p.hbm_peak.value = 100000; // as much as three cores ask for
        };
        const uint64_t shares = span(lists, seed, false, narrow);
        const uint64_t bursts = span(lists, seed, true, narrow);
        const uint64_t most = shares / 50 + transfers * 4 * 512 / 16 + 1;
        const bool near = shares <= bursts + most && bursts <= shares + most;
        if (!near)
            std::fprintf(stderr, "seed %llu: %llu ns, burst by burst %llu\n",
                         static_cast<unsigned long long>(seed),
                         static_cast<unsigned long long>(shares),
                         static_cast<unsigned long long>(bursts));
        CU_ASSERT(near);
    }
}

static const twin_test tests[] = {
    {"a block takes as long as order and latencies say", test_order},
    {"bursts agree with fair shares", test_bursts},
};

int main(int argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], "--seeds=", 8) == 0)
            seeds = std::strtoull(argv[i] + 8, nullptr, 10);
        else
            argv[kept++] = argv[i];
    }
    return twin_run_suite("sim gm order", tests, TWIN_COUNT(tests), kept, argv);
}
