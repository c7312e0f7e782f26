// SPDX-License-Identifier: Apache-2.0
/// Random kernels against small references of their own, and properties that hold for all of them.
/// The seeds are fixed; a failure names its own.
#include <algorithm>
#include <cstdio>
#include <map>

#include "random_steps.h"

namespace
{

constexpr uint32_t kSeeds = 40;

/// Work, flags and barriers.
StepList random_list(Dice &dice)
{
    return random_steps(dice, [&](StepList &out, uint64_t) {
        if (dice(16) == 0)
            out.push_back(op(dice.pipe(), TWIN_STEP_BARRIER, 0));
        else
            out.push_back(work(dice.pipe(), dice(500)));
    });
}

/// When the last operation ends, worked out without events: what each operation has to wait for,
/// again and again until nothing changes. One cycle is one unit.
uint64_t reference(const StepList &list)
{
    constexpr uint64_t kUnknown = UINT64_MAX;
    std::vector<uint64_t> end(list.size(), kUnknown);
    bool changed = true;
    while (changed) {
        changed = false;
        std::vector<uint64_t> pipe(TWIN_PIPE_COUNT, 0); // end of the pipe's last operation
        uint64_t issued = 0;                            // when the scalar unit comes here
        uint64_t all = 0;                               // end of all that was issued
        std::map<uint32_t, std::vector<uint64_t>> sets;
        std::map<uint32_t, size_t> waits;
        for (size_t i = 0; i < list.size(); ++i) {
            const twin_step &o = list[i];
            const bool scalar = o.pipe == TWIN_PIPE_SCALAR;
            uint64_t start = scalar ? issued : std::max(issued, pipe[o.pipe]);
            if (issued == kUnknown || pipe[o.pipe] == kUnknown)
                start = kUnknown;
            uint64_t done = start;
            if (o.kind == TWIN_STEP_WORK && start != kUnknown)
                done = start + o.amount;
            else if (o.kind == TWIN_STEP_WAIT && start != kUnknown) {
                const uint64_t set = sets[o.flag].at(waits[o.flag]);
                done = set == kUnknown ? kUnknown : std::max(start, set);
            } else if (o.kind == TWIN_STEP_BARRIER && scalar && start != kUnknown)
                done = all == kUnknown ? kUnknown : std::max(start, all);
            if (o.kind == TWIN_STEP_WAIT)
                ++waits[o.flag];
            if (o.kind == TWIN_STEP_SET)
                sets[o.flag].push_back(done);
            changed = changed || done != end[i];
            end[i] = done;
            pipe[o.pipe] = done;
            if (scalar)
                issued = done;
            all = std::max(all, done);
        }
    }
    return list.empty() ? 0 : *std::max_element(end.begin(), end.end());
}

/// Start times of blocks of one kernel after the other on equal cores (T-CORE-3): the next block
/// takes the core that is free first, one issue time after the block before it at the earliest.
uint64_t schedule(const std::vector<uint64_t> &lengths, uint32_t cores, uint64_t issue)
{
    std::vector<uint64_t> free(cores, 0);
    uint64_t next = 0, end = 0;
    for (const uint64_t length : lengths) {
        const auto first = std::min_element(free.begin(), free.end());
        const uint64_t start = std::max(next, *first);
        next = start + issue;
        *first = start + length;
        end = std::max(end, *first);
    }
    return end;
}

bool check(bool good, const char *what, uint64_t seed)
{
    if (!good)
        std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed), what);
    CU_ASSERT(good);
    return good;
}

} // namespace

// T-CORE-3, T-CORE-14 to T-CORE-17, T-CORE-20: each block takes as long as its dependences say, and
// the blocks of a kernel as long as a list of them on so many cores.
static void test_programs()
{
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Dice dice{seed};
        const auto cores = static_cast<uint32_t>(1 + dice(6));
        KernelRig k([&](tsim::Params &p) {
            p.core_mhz.value = 1000;
            p.aic_cores.value = cores;
        });
        const auto count = static_cast<uint32_t>(1 + dice(20));
        std::vector<StepList> lists;
        std::vector<uint64_t> lengths;
        for (uint32_t i = 0; i < count; ++i) {
            lists.push_back(random_list(dice));
            lengths.push_back(k.start() + reference(lists.back()));
        }
        k.kernels.set(1, lists);
        k.rig.open(0);
        k.rig.put(0, sqe_kernel(STARS_KERNEL_AIC, count, 1), 0);
        k.rig.run();
        check(k.rig.retired(0) == 1, "the kernel did not end", seed);
        for (const auto &record : k.rig.phases(TWINSIM_PHASE_BLOCK))
            check(record.end_ns - record.begin_ns == lengths.at(record.waker_number & UINT32_MAX),
                  "a block's length", seed);
        check(k.span(0) == schedule(lengths, cores, k.rig.params().core_issue.value),
              "the kernel's length", seed);
    }
}

namespace
{

struct Mix {
    uint32_t queues = 0;
    std::map<uint64_t, std::pair<uint32_t, uint32_t>> blocks; // queue, number: blocks, parts
    std::map<uint64_t, uint64_t> read, miss;                  // bytes by queue, number
};

/// Kernels of all kinds, schedules and weights on a few queues, that read and write.
Mix random_mix(KernelRig &k, Dice &dice)
{
    Mix mix;
    mix.queues = static_cast<uint32_t>(1 + dice(6));
    const tsim::Params &p = k.rig.params();
    uint64_t pc = 100;
    for (uint32_t sq = 0; sq < mix.queues; ++sq) {
        k.rig.open(sq);
        const uint64_t count = 1 + dice(5);
        for (uint64_t number = 1; number <= count; ++number, ++pc) {
            const uint32_t subtypes[] = {STARS_KERNEL_AIC, STARS_KERNEL_AIV, STARS_KERNEL_MIXED};
            const uint32_t subtype = subtypes[dice(3)];
            const uint32_t parts = subtype == STARS_KERNEL_MIXED ? 3 : 1;
            const bool batch = dice(3) == 0;
            const uint64_t most =
                subtype == STARS_KERNEL_AIV ? p.aiv_cores.value : p.aic_cores.value;
            const auto blocks = static_cast<uint32_t>(1 + dice(batch ? most : 2 * most + 5));
            std::vector<StepList> lists(parts);
            uint64_t bytes = 0, miss = 0;
            for (StepList &list : lists) {
                for (uint64_t i = dice(5); i > 0; --i) {
                    const uint64_t amount = 1 + dice(100000);
                    const auto hit = static_cast<uint32_t>(dice(1001));
                    list.push_back(dice(2) == 0 ? read_gm(amount, hit) : write_gm(amount, hit));
                    list.push_back(work(TWIN_PIPE_VECTOR, dice(3000)));
                    bytes += amount;
                    miss += amount - amount * hit / 1000;
                }
            }
            const uint64_t key = uint64_t{sq} << 32 | number;
            mix.blocks[key] = {blocks, parts};
            mix.read[key] = bytes * blocks;
            mix.miss[key] = miss * blocks;
            k.kernels.set(pc, lists);
            k.rig.put(sq,
                      sqe_with_schedule(sqe_kernel(subtype, blocks, pc),
                                        batch ? STARS_SCHEM_BATCH : STARS_SCHEM_NORMAL,
                                        static_cast<uint32_t>(dice(4))),
                      dice(20000));
        }
    }
    return mix;
}

} // namespace

// T-CORE-3, T-CORE-6, T-CORE-7, T-CORE-19, T-LNK-8 to T-LNK-10, T-TIM-6: with whatever seed, each
// block runs once, a core has one block at a time, all bytes are moved, and no port, L2 or HBM
// gives more than it has.
static void test_properties()
{
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
        Dice dice{seed * 977 + 5};
        KernelRig k(
            [](tsim::Params &p) {
                p.aic_cores.value = 3;
                p.aiv_cores.value = 6;
                p.hbm_peak.value = 160000; // so that it is short
                p.l2_peak.value = 250000;
            },
            seed);
        const tsim::Params &p = k.rig.params();
        const Mix mix = random_mix(k, dice);
        k.rig.run();
        for (uint32_t sq = 0; sq < mix.queues; ++sq)
            check(k.rig.retired(sq) == k.rig.sent(sq), "a queue did not end", seed);
        check(k.kernels.ends.size() == mix.blocks.size(), "a description was not released", seed);
        check(k.kernels.effects.size() == mix.blocks.size(), "an effect is missing", seed);

        auto blocks = k.rig.phases(TWINSIM_PHASE_BLOCK);
        std::map<uint64_t, uint32_t> seen;
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> busy_until;
        std::sort(blocks.begin(), blocks.end(),
                  [](const auto &a, const auto &b) { return a.begin_ns < b.begin_ns; });
        for (const auto &block : blocks) {
            ++seen[uint64_t{block.sq} << 32 | block.number];
            uint64_t &until = busy_until[{block.engine, block.id}];
            check(until <= block.begin_ns, "a core had two blocks at once", seed);
            until = block.end_ns;
        }
        for (const auto &[key, want] : mix.blocks)
            check(seen[key] == want.first * want.second, "a block is missing", seed);

        std::map<uint64_t, uint64_t> moved;
        uint64_t begin = UINT64_MAX, end = 0, miss = 0, all = 0;
        for (const auto &record : k.rig.phases(TWINSIM_PHASE_PIPE)) {
            if (record.bytes == 0)
                continue;
            moved[uint64_t{record.sq} << 32 | record.number] += record.bytes;
            begin = std::min(begin, record.begin_ns);
            end = std::max(end, record.end_ns);
            // Its faster part alone takes this long (T-LNK-10).
            const uint64_t port =
                std::max(p.core_l2_read.value, p.core_l2_write.value) + p.core_gm.value;
            check((record.end_ns - record.begin_ns) * port * p.core_mhz.value + port * 2000 >=
                      record.bytes * 1000,
                  "a read was faster than its ports", seed);
        }
        for (const auto &[key, bytes] : mix.read) {
            check(moved[key] == bytes, "bytes were lost", seed);
            all += bytes;
        }
        for (const auto &[key, bytes] : mix.miss)
            miss += bytes;
        if (all != 0) {
            check((end - begin) * p.hbm_mb_s() + 1000000 >= miss * 1000, "HBM gave too much", seed);
            check((end - begin) * p.l2_peak.value + 1000000 >= all * 1000, "L2 gave too much",
                  seed);
        }
    }
}

// T-TIM-6, T-TIM-7: the same seed gives the same trace, in one run or step by step; another seed
// other cores.
static void test_repeatable()
{
    const auto run = [](uint64_t seed, uint32_t steps) {
        KernelRig k(nullptr, seed);
        Dice dice{17};
        (void)random_mix(k, dice);
        while (k.rig.system().run(TWINSIM_NEVER, steps) != TWINSIM_STOP_IDLE) {
        }
        std::vector<uint64_t> out;
        for (const auto &record : k.rig.phases(TWINSIM_PHASE_BLOCK)) {
            out.push_back(record.begin_ns);
            out.push_back(record.end_ns);
            out.push_back(record.id);
        }
        return out;
    };
    const auto plain = run(0, UINT32_MAX);
    CU_ASSERT(plain == run(0, UINT32_MAX));
    CU_ASSERT(plain == run(0, 1));
    const auto other = run(5, UINT32_MAX);
    CU_ASSERT(other == run(5, 3));
    CU_ASSERT(other != plain);
}

static const twin_test tests[] = {
    {"random step lists take what their dependences say", test_programs},
    {"random kernels keep to cores, ports and bandwidth", test_properties},
    {"kernels repeat from the seed", test_repeatable},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim core random", tests, TWIN_COUNT(tests), argc, argv);
}
