// SPDX-License-Identifier: Apache-2.0
/// The counters against sums over the trace, and over programs worked out by hand.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/histogram.h"
#include "kernels.h"
#include "profile_path.h"

namespace
{

constexpr uint64_t kFar = 128 << 20;

Rig::Options counting(bool trace)
{
    Rig::Options options;
    options.trace = trace;
    options.stats = true;
    return options;
}

// Copies, records and waits of 24 queues that fight for slots, shares and channels, in an order
// made of `seed`.
void run_crowd(Rig &rig, uint64_t seed)
{
    uint64_t state = seed;
    for (uint32_t sq = 0; sq < 24; ++sq)
        rig.open(sq, static_cast<uint8_t>(sq % 3));
    for (int round = 0; round < 40; ++round) {
        std::vector<uint32_t> waited; // notifies
        for (uint32_t sq = 0; sq < 24; ++sq) {
            const uint64_t at =
                1000 + static_cast<uint64_t>(round) * 3000 + tsim::mix(state) % 2000;
            const uint64_t bytes = 1 + tsim::mix(state) % 60000;
            switch (tsim::mix(state) % 5) {
            case 0:
                rig.put(sq, sqe_sdma(Rig::kHbm, Rig::kHbm + kFar, static_cast<uint32_t>(bytes)),
                        at);
                break;
            case 1:
                rig.put(sq, sqe_pcie_dma(Rig::kHbm, Rig::kHost, bytes), at);
                break;
            case 2:
                rig.put(sq, sqe_event_wait(100 + static_cast<uint32_t>(round), 0), at);
                break;
            case 3:
                rig.put(sq, sqe_notify_wait(sq, 0), at);
                waited.push_back(sq);
                break;
            default:
                rig.put(sq, sqe_placeholder(), at);
                break;
            }
        }
        // A queue that does nothing else records what the others wait for.
        if (round == 0)
            rig.open(30);
        rig.put(30, sqe_event_record(100 + static_cast<uint32_t>(round)),
                2500 + static_cast<uint64_t>(round) * 3000);
        for (const uint32_t notify : waited)
            rig.put(30, sqe_notify_record(notify), 2500 + static_cast<uint64_t>(round) * 3000);
        rig.run_until(1000 + static_cast<uint64_t>(round) * 3000);
    }
    rig.run();
}

struct Sum {
    std::vector<uint64_t> lengths;
    void add(const twinsim_trace_entry &entry) { lengths.push_back(entry.end_ns - entry.begin_ns); }
    [[nodiscard]] uint64_t total() const
    {
        uint64_t sum = 0;
        for (const uint64_t length : lengths)
            sum += length;
        return sum;
    }
};

void tweak(tsim::Params &p)
{
    p.slots.value = 6;
    p.sdma_cap.value = 3;
    p.pcie_channels.value = 2;
}

} // namespace

static void test_waits()
{
    Rig rig(counting(true), tweak);
    run_crowd(rig, 7);
    std::map<twinsim_cause, Sum> sums;
    for (const auto &r : rig.phases(TWINSIM_PHASE_SLOT))
        sums[r.parameter == rig.params().sdma_cap.index ||
                     r.parameter == rig.params().pcie_dma_cap.index
                 ? TWINSIM_CAUSE_CLASS
                 : TWINSIM_CAUSE_SLOT] // of the slots, the arbiter, or a swap-out
            .add(r);
    for (const auto &r : rig.phases(TWINSIM_PHASE_ENGINE))
        sums[TWINSIM_CAUSE_CHANNEL].add(r);
    for (const auto &r : rig.phases(TWINSIM_PHASE_PARK))
        sums[r.sqe_type == STARS_SQE_EVENT_WAIT ? TWINSIM_CAUSE_EVENT : TWINSIM_CAUSE_NOTIFY].add(
            r);
    EXPECT_EQ(sums.size(), 5);
    for (auto &[cause, sum] : sums) {
        twinsim_wait_counts wait{};
        rig.system().stats()->wait(0, cause, wait);
        std::sort(sum.lengths.begin(), sum.lengths.end());
        EXPECT_EQ(wait.count, sum.lengths.size());
        EXPECT_EQ(wait.total_ns, sum.total());
        EXPECT_EQ(wait.max_ns, sum.lengths.back());
        const std::pair<uint64_t, uint64_t> ranks[] = {
            {50, wait.p50_ns}, {90, wait.p90_ns}, {99, wait.p99_ns}};
        for (const auto &[percent, value] : ranks) {
            const size_t rank = (sum.lengths.size() * percent + 99) / 100;
            const uint64_t exact = sum.lengths[rank - 1];
            CU_ASSERT(value >= exact && value <= exact + exact / 32);
        }
    }
}

static void test_uses()
{
    Rig rig(counting(true), tweak);
    run_crowd(rig, 11);
    const tsim::Stats &stats = *rig.system().stats();
    const auto expect_use = [&](twinsim_resource resource, twinsim_phase phase) {
        std::map<uint32_t, Sum> by_id;
        Sum all;
        for (const auto &r : rig.phases(phase)) {
            by_id[r.id].add(r);
            all.add(r);
        }
        twinsim_use_counts use{};
        for (const auto &[id, sum] : by_id) {
            CU_ASSERT(stats.use(0, resource, id, use));
            EXPECT_EQ(use.uses, sum.lengths.size());
            EXPECT_EQ(use.busy_ns, sum.total());
        }
        CU_ASSERT(stats.use(0, resource, UINT32_MAX, use));
        EXPECT_EQ(use.uses, all.lengths.size());
        EXPECT_EQ(use.busy_ns, all.total());
    };
    expect_use(TWINSIM_RESOURCE_SLOT, TWINSIM_PHASE_OCCUPY);
    expect_use(TWINSIM_RESOURCE_CLASS, TWINSIM_PHASE_SHARE);
    expect_use(TWINSIM_RESOURCE_LINK, TWINSIM_PHASE_LINK);

    std::map<std::pair<uint32_t, uint32_t>, std::pair<Sum, uint64_t>> channels;
    std::map<uint32_t, uint64_t> links;
    for (const auto &r : rig.phases(TWINSIM_PHASE_SETUP))
        channels[{r.engine, r.id}].first.add(r);
    for (const auto &r : rig.phases(TWINSIM_PHASE_TRANSFER)) {
        channels[{r.engine, r.id}].first.add(r);
        channels[{r.engine, r.id}].second += r.bytes;
        twinsim_route route{};
        rig.system().links().describe_route(r.route, route);
        for (uint32_t i = 0; i < route.count; ++i)
            links[route.link[i]] += route.weight[i] * r.bytes;
    }
    CU_ASSERT(channels.size() > 3);
    twinsim_use_counts use{};
    for (const auto &[channel, sum] : channels) {
        CU_ASSERT(stats.use(0,
                            channel.first == TWINSIM_ENGINE_SDMA ? TWINSIM_RESOURCE_SDMA
                                                                 : TWINSIM_RESOURCE_PCIE_DMA,
                            channel.second, use));
        EXPECT_EQ(use.busy_ns, sum.first.total());
        EXPECT_EQ(use.bytes, sum.second);
    }
    EXPECT_EQ(links.size(), 2); // PCIe down and HBM
    for (const auto &[link, bytes] : links) {
        CU_ASSERT(stats.use(0, TWINSIM_RESOURCE_LINK, link, use));
        EXPECT_EQ(use.bytes, bytes);
        // each transfer ends on the edge after its last byte
        CU_ASSERT(use.load_bytes + use.uses >= bytes && use.load_bytes < bytes + bytes / 50);
    }
    CU_ASSERT(!stats.use(0, TWINSIM_RESOURCE_SLOT, 6, use));
}

// T-SCH-3, T-SCH-8: how many at once, from the edges of the trace's stays.
static void test_pressure()
{
    Rig rig(counting(true), tweak);
    run_crowd(rig, 3);
    const auto most_of = [&](twinsim_phase phase, uint32_t id) {
        std::vector<std::pair<uint64_t, int>> edges;
        for (const auto &r : rig.phases(phase)) {
            if (id != UINT32_MAX && r.id != id)
                continue;
            edges.emplace_back(r.begin_ns, 1);
            edges.emplace_back(r.end_ns, -1);
        }
        std::sort(edges.begin(), edges.end());
        int64_t open = 0, most = 0;
        for (const auto &edge : edges) {
            open += edge.second;
            most = std::max(most, open);
        }
        return static_cast<uint64_t>(most);
    };
    twinsim_use_counts use{};
    CU_ASSERT(rig.system().stats()->use(0, TWINSIM_RESOURCE_SLOT, UINT32_MAX, use));
    EXPECT_EQ(use.most, most_of(TWINSIM_PHASE_OCCUPY, UINT32_MAX));
    EXPECT_EQ(use.most, 6);
    CU_ASSERT(rig.system().stats()->use(0, TWINSIM_RESOURCE_CLASS, TWINSIM_CLASS_SDMA, use));
    EXPECT_EQ(use.most, most_of(TWINSIM_PHASE_SHARE, TWINSIM_CLASS_SDMA));
}

// T-SCH-8, T-CORE-1: a kernel that waits for a share of its class waits for the class, whichever it
// is.
static void test_kernels_wait_for_their_class()
{
    for (const uint32_t kind :
         {uint32_t{STARS_KERNEL_AIC}, uint32_t{STARS_KERNEL_AIV}, uint32_t{STARS_KERNEL_MIXED}}) {
        Kernels kernels;
        kernels.set(1, {});
        Rig::Options options = counting(true);
        options.kernels = &kernels;
        Rig rig(options,
                [](tsim::Params &p) { p.aic_cap.value = p.aiv_cap.value = p.mixed_cap.value = 1; });
        for (uint32_t sq = 0; sq < 3; ++sq) {
            rig.open(sq);
            rig.put(sq, sqe_kernel(kind, 1, 1), 0);
        }
        rig.run();
        EXPECT_EQ(rig.retired(2), 1);
        twinsim_wait_counts out{};
        rig.system().stats()->wait(0, TWINSIM_CAUSE_CLASS, out);
        EXPECT_EQ(out.count, 2);
        CU_ASSERT(out.total_ns > 0);
        uint64_t slots = 0;
        for (const auto &r : rig.phases(TWINSIM_PHASE_SLOT))
            slots += r.parameter == rig.params().slots.index ||
                     r.parameter == rig.params().arbitration.index;
        rig.system().stats()->wait(0, TWINSIM_CAUSE_SLOT, out);
        EXPECT_EQ(out.count, slots);
        rig.system().stats()->wait(0, TWINSIM_CAUSE_CHANNEL, out);
        EXPECT_EQ(out.count, 0);
    }
}

// T-CORE-3: a kernel that finds all cores taken waits for cores, and for nothing else.
static void test_kernels_wait_for_cores()
{
    Kernels kernels;
    kernels.set(1, {{work(TWIN_PIPE_VECTOR, 18000)}});
    Rig::Options options = counting(true);
    options.kernels = &kernels;
    Rig rig(options, nullptr);
    const auto cores = static_cast<uint32_t>(rig.params().aiv_cores.value);
    for (uint32_t sq = 0; sq < 2; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_kernel(STARS_KERNEL_AIV, cores, 1), sq * 5000);
    }
    rig.run();
    const auto waits = rig.phases(TWINSIM_PHASE_ENGINE, 1);
    CU_ASSERT_FATAL(waits.size() == 1);
    twinsim_wait_counts out{};
    rig.system().stats()->wait(0, TWINSIM_CAUSE_CORE, out);
    EXPECT_EQ(out.max_ns, waits[0].end_ns - waits[0].begin_ns);
    CU_ASSERT(out.max_ns > 0);
    rig.system().stats()->wait(0, TWINSIM_CAUSE_CHANNEL, out);
    EXPECT_EQ(out.count, 0);
}

// T-L2-2: a read of 3000 bytes misses and hits the second time, as does what is written.
static void test_l2_counts()
{
    Kernels kernels;
    twin_step read = read_gm(3000), write = write_gm(512);
    read.address = Rig::kHbm + 100;
    write.address = Rig::kHbm + kFar;
    kernels.set(1, {{read, read, write, write}});
    Rig::Options options = counting(false);
    options.kernels = &kernels;
    Rig rig(options, nullptr);
    rig.open(0);
    rig.put(0, sqe_kernel(STARS_KERNEL_AIV, 1, 1), 0);
    rig.run();
    twinsim_device_counts out{};
    rig.system().stats()->device(0, out);
    CU_ASSERT(out.l2_read_hits == 3000 && out.l2_read_misses == 3000);
    CU_ASSERT(out.l2_write_hits == 512 && out.l2_write_misses == 512);
}

// T-HW-3: a queue that waits for the firmware's loop does not wait for a channel.
static void test_waits_for_the_loop()
{
    const std::string shipped = shipped_profile_path();
    const tsim::Profile old =
        tsim::Profile::from_file(shipped.substr(0, shipped.rfind('/') + 1) + "310p3.json");
    Rig rig(counting(true), [&old](tsim::Params &p) { p = old.params(); });
    for (uint32_t sq = 0; sq < 4; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_sdma(Rig::kHbm, Rig::kHbm + kFar, 100), 0);
    }
    rig.run();
    Sum channel, loop;
    for (const auto &r : rig.phases(TWINSIM_PHASE_ENGINE))
        (r.parameter == rig.params().sdma_channels.index ? channel : loop).add(r);
    CU_ASSERT(!loop.lengths.empty());
    twinsim_wait_counts out{};
    rig.system().stats()->wait(0, TWINSIM_CAUSE_LOOP, out);
    EXPECT_EQ(out.count, loop.lengths.size());
    EXPECT_EQ(out.total_ns, loop.total());
    rig.system().stats()->wait(0, TWINSIM_CAUSE_CHANNEL, out);
    EXPECT_EQ(out.count, channel.lengths.size());
}

// Two queues, one SDMA share, worked out from the rules: T-SCH-3, T-SCH-5, T-FE-5, T-SQE-2,
// T-SCH-8, T-SCH-9, T-DMA-2, T-LNK-7, T-SQE-5.
static void test_by_hand()
{
    Rig rig(counting(false), [](tsim::Params &p) { p.sdma_cap.value = 1; });
    const tsim::Params &p = rig.params();
    constexpr uint64_t kBytes = 100000;
    for (uint32_t sq = 0; sq < 2; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_sdma(Rig::kHbm, Rig::kHbm + kFar, kBytes), 1000);
    }
    rig.run();
    const uint64_t move = rig.system().links().alone(rig.system().links().within_device(0), kBytes);
    const uint64_t held = p.sdma_setup.value + move + p.retire.value; // the first one's share
    // The second is granted its slot one arbitration later, so it asks for its share that much
    // later.
    const uint64_t wait = held - p.arbitration.value;

    const tsim::Stats &stats = *rig.system().stats();
    twinsim_wait_counts out{};
    stats.wait(0, TWINSIM_CAUSE_CLASS, out);
    EXPECT_EQ(out.count, 1);
    EXPECT_EQ(out.total_ns, p.to_ns(wait));
    EXPECT_EQ(out.p50_ns, out.max_ns);
    stats.wait(0, TWINSIM_CAUSE_SLOT, out);
    EXPECT_EQ(out.count, 1); // the second one, for the arbiter
    EXPECT_EQ(out.total_ns, p.to_ns(p.arbitration.value));
    twinsim_device_counts sums{};
    stats.device(0, sums);
    EXPECT_EQ(sums.tasks, 2);
    EXPECT_EQ(sums.tasks_of_type[STARS_SQE_SDMA], 2);
    EXPECT_EQ(sums.begun, 2);
    EXPECT_EQ(sums.fetch_waits, 2);
    EXPECT_EQ(sums.fetch_wait_ns, p.to_ns(2 * p.fetch_read.value));
    EXPECT_EQ(sums.swap_ins, 3); // the second comes back with its share
    twinsim_use_counts use{};
    CU_ASSERT(stats.use(0, TWINSIM_RESOURCE_LINK, 2, use));
    EXPECT_EQ(use.bytes, 4 * kBytes); // HBM: read and written, twice
    EXPECT_EQ(use.busy_ns, p.to_ns(2 * move));
    EXPECT_EQ(stats.queue_count(), 2);
    EXPECT_EQ(stats.queue(1).waits[TWINSIM_CAUSE_CLASS].total_ns, p.to_ns(wait));
    EXPECT_EQ(stats.queue(0).waits[TWINSIM_CAUSE_CLASS].count, 0);
    EXPECT_EQ(stats.queue(0).bytes, kBytes);
    EXPECT_EQ(rig.system().trace().count(), 0); // nothing is kept
}

// Counting changes no time, and the counters are the same whether the entries are kept or not.
static void test_same_without_trace()
{
    Rig plain(Rig::Options{1, 0, false, false}, tweak);
    Rig kept(counting(true), tweak);
    Rig drained(counting(false), tweak);
    for (Rig *rig : {&plain, &kept, &drained})
        run_crowd(*rig, 5);
    EXPECT_EQ(plain.now(), drained.now());
    EXPECT_EQ(plain.now(), kept.now());
    CU_ASSERT(plain.system().stats() == nullptr);
    const tsim::Stats &a = *kept.system().stats();
    const tsim::Stats &b = *drained.system().stats();
    EXPECT_EQ(a.queue_count(), b.queue_count());
    for (size_t i = 0; i < a.queue_count(); ++i) {
        EXPECT_EQ(a.queue(i).task_ns, b.queue(i).task_ns);
        EXPECT_EQ(a.queue(i).slot_ns, b.queue(i).slot_ns);
        for (int cause = 0; cause < TWINSIM_CAUSE_COUNT; ++cause)
            EXPECT_EQ(a.queue(i).waits[cause].total_ns, b.queue(i).waits[cause].total_ns);
    }
    // Sums over the queues are those of the device.
    for (int cause = 0; cause < TWINSIM_CAUSE_COUNT; ++cause) {
        twinsim_wait_counts whole{};
        b.wait(0, static_cast<twinsim_cause>(cause), whole);
        uint64_t count = 0, total = 0;
        for (size_t i = 0; i < b.queue_count(); ++i) {
            count += b.queue(i).waits[cause].count;
            total += b.queue(i).waits[cause].total_ns;
        }
        EXPECT_EQ(count, whole.count);
        EXPECT_EQ(total, whole.total_ns);
    }
}

static void test_lives()
{
    Rig rig(counting(false), nullptr);
    rig.open(4);
    rig.put(4, sqe_placeholder(), 1000);
    rig.run();
    rig.device().scheduler().close(4);
    rig.open(4);
    rig.put(4, sqe_placeholder(), 90000);
    rig.put(4, sqe_placeholder(), 90000);
    rig.run();
    const tsim::Stats &stats = *rig.system().stats();
    EXPECT_EQ(stats.queue_count(), 2);
    EXPECT_EQ(stats.queue(0).tasks, 1);
    EXPECT_EQ(stats.queue(1).tasks, 2);
    EXPECT_EQ(stats.queue(1).stream_id, 4);
}

static void test_histogram()
{
    tsim::Histogram h;
    EXPECT_EQ(h.percentile(50), 0);
    std::vector<uint64_t> values;
    uint64_t state = 9;
    for (int i = 0; i < 5000; ++i) {
        const uint64_t value = tsim::mix(state) >> (tsim::mix(state) % 64);
        values.push_back(value);
        h.add(value);
    }
    std::sort(values.begin(), values.end());
    for (const uint32_t percent : {1u, 10u, 50u, 75u, 99u, 100u}) {
        const uint64_t exact = values[(values.size() * percent + 99) / 100 - 1];
        const uint64_t got = h.percentile(percent);
        CU_ASSERT(got >= exact && got - exact <= exact / 32);
    }
    EXPECT_EQ(h.percentile(100), values.back());
}

static const twin_test tests[] = {
    {"waits by cause are those of the trace", test_waits},
    {"uses and bytes of slots, classes, channels and links are those of the trace", test_uses},
    {"the most in use at once is that of the trace", test_pressure},
    {"a program of two copies has the counts of the rules", test_by_hand},
    {"kernels wait for their class", test_kernels_wait_for_their_class},
    {"kernels wait for cores", test_kernels_wait_for_cores},
    {"bytes that L2 had and had not are counted", test_l2_counts},
    {"waits for the firmware's loop are counted separately", test_waits_for_the_loop},
    {"counting changes no time and needs no trace", test_same_without_trace},
    {"each opening of a queue counts for itself", test_lives},
    {"percentiles are nearest ranks, to 1/32", test_histogram},
};

int main(int argc, char **argv)
{
    return twin_run_suite("stats", tests, TWIN_COUNT(tests), argc, argv);
}
