// SPDX-License-Identifier: Apache-2.0
// The parts that have profiles: what is published of each, a program on each, and each limit.
#include <cstring>
#include <string>

#include "core/profile/params_schema.h"
#include "profile_path.h"
#include "rig.h"

using tsim::Profile;

namespace
{

// What is published of a part, as the tables of the documents have it.
struct Part {
    const char *profile, *soc;
    bool stars; // a hardware scheduler
    uint64_t queues, streams, stream_ids, events, notifies, count_notifies;
    uint64_t sq_depth, in_flight, slots;
    uint64_t sdma, pcie_cap, cond_cap, host_channels;
    uint64_t aic, aiv, cpus, clock_mhz, l2_mib, memory_mib;
    uint64_t counter_mhz, credit_log2, hbm_mb_s;
    bool value_wait, bf16;
};

// A stream needs a physical one, so where the documents promise more streams than there are, these
// count.
constexpr Part kParts[] = {
    {"910a", "Ascend910A", false, 2016,  2016, 2016, 65535,   1024,  0,
     4096,   2042,         32,    16,    32,   32,   11,      32,    0,
     4,      1000,         32,    32768, 1000, 36,   1200000, false, false},
    {"910b1", "Ascend910B1", true, 2038,  1984, 32768, 65536,   8192, 0,
     2048,    2013,          128,  32,    32,   8,     13,      24,   48,
     6,       1850,          192,  65536, 50,   32,    1800000, true, true},
    {"910b2", "Ascend910B2", true, 2038,  1984, 32768, 65536,   8192, 0,
     2048,    2013,          128,  32,    32,   8,     13,      24,   48,
     6,       1800,          192,  65536, 50,   32,    1800000, true, true},
    {"910b3", "Ascend910B3", true, 2038,  1984, 32768, 65536,   8192, 0,
     2048,    2013,          128,  32,    32,   8,     13,      20,   40,
     6,       1800,          192,  65536, 50,   32,    1800000, true, true},
    {"910b4", "Ascend910B4", true, 2038,  1984, 32768, 65536,  8192, 0,
     2048,    2013,          128,  32,    32,   8,     13,     20,   40,
     6,       1500,          96,   32768, 50,   32,    800000, true, true},
    {"910_9391", "Ascend910_9391",
     true,       2038,
     1980,       32768,
     65536, // recorded on such a part: 1979 usable beside the default stream
     8192,       0,
     2048,       2013,
     128,        32,
     32,         8,
     13,         24,
     48,         6,
     1850,       192,
     65536,      50,
     32,         1800000,
     true,       true},
    {"310b1", "Ascend310B1", true, 480,   480, 480, 65536, 2048,  0,
     2048,    2010,          32,   6,     8,   1,   6,     1,     1,
     4,       1224,          4,    32768, 48,  32,  51200, false, false},
    {"310p3", "Ascend310P3", false, 992,   992,  992, 1023,   1024,  0,
     2048,    2042,          32,    16,    32,   32,  6,      8,     7,
     7,       1060,          16,    22888, 1000, 31,  204000, false, false},
    {"950",   "Ascend950PR_9599",
     true,    2016,
     1984,    65535,
     65536,   65535,
     2048,    2048,
     2013,    128,
     32,      32,
     8,       16,
     36,      72,
     6,       1800,
     128,     131072,
     1000,    32,
     1600000, true,
     true},
};

Profile profile_of(const Part &part)
{
    const std::string shipped = shipped_profile_path();
    return Profile::from_file(shipped.substr(0, shipped.rfind('/') + 1) + part.profile + ".json");
}

void test_published_facts()
{
    for (const Part &part : kParts) {
        const Profile profile = profile_of(part);
        const auto number = [&](const char *name) { return profile.find(name)->number; };
        CU_ASSERT_STRING_EQUAL(profile.find("soc_name")->text, part.soc);
        CU_ASSERT_STRING_EQUAL(profile.find("soc_name")->base, "");
        EXPECT_EQ(profile.list().size(), tsim::kParamCount);
        EXPECT_EQ(number("firmware.loop"), part.stars ? 0 : 1);
        EXPECT_EQ(number("limit.queues"), part.queues);
        EXPECT_EQ(number("limit.streams"), part.streams);
        EXPECT_EQ(number("limit.stream_ids"), part.stream_ids);
        EXPECT_EQ(number("limit.events"), part.events);
        EXPECT_EQ(number("limit.notifies"), part.notifies);
        EXPECT_EQ(number("limit.count_notifies"), part.count_notifies);
        EXPECT_EQ(number("limit.sq_depth"), part.sq_depth);
        EXPECT_EQ(number("limit.sq_depth") - number("limit.sq_reserve"), part.in_flight);
        EXPECT_EQ(number("swap_in.slots"), part.slots);
        EXPECT_EQ(number("dma.sdma.channels"), part.sdma);
        EXPECT_EQ(number("swap_in.pcie_dma_cap"), part.pcie_cap);
        EXPECT_EQ(number("swap_in.cond_cap"), part.cond_cap);
        EXPECT_EQ(number("dma.host.channels"), part.host_channels);
        EXPECT_EQ(number("limit.aic_cores"), part.aic);
        EXPECT_EQ(number("limit.aiv_cores"), part.aiv);
        EXPECT_EQ(number("limit.ai_cpus"), part.cpus);
        EXPECT_EQ(number("aicore.clock_mhz"), part.clock_mhz);
        EXPECT_EQ(number("limit.l2_mib"), part.l2_mib);
        EXPECT_EQ(number("limit.memory_mib"), part.memory_mib);
        EXPECT_EQ(number("counter_mhz"), part.counter_mhz);
        EXPECT_EQ(number("sqe.credit_unit_ns"), uint64_t{1} << part.credit_log2);
        EXPECT_EQ(number("link.hbm.peak_mb_s"), part.hbm_mb_s);
        EXPECT_EQ(number("cond.value_wait"), part.value_wait);
        EXPECT_EQ(number("aicore.bf16"), part.bf16);
    }
}

// What a part has from another is never called known, unless the source speaks of it too.
void test_what_is_inherited_is_marked_down()
{
    for (const Part &part : kParts) {
        const Profile profile = profile_of(part);
        for (const twinsim_parameter &mine : profile.list()) {
            const twinsim_parameter &theirs = *shipped_profile().find(mine.name);
            if (*mine.base == '\0' || std::strcmp(mine.mark, "known") != 0)
                continue;
            CU_ASSERT_STRING_EQUAL(theirs.mark, "known");
            // the family whose documents and register files the 910B3 shares
            const std::string soc = part.soc;
            if (part.stars && std::strcmp(mine.name, "firmware.loop") == 0)
                continue;
            CU_ASSERT(soc.compare(0, 10, "Ascend910B") == 0 ||
                      soc.compare(0, 12, "Ascend910_93") == 0);
        }
    }
}

// Copies by both engines, an event and a notify between queues, values and fills; all bytes must
// arrive.
void mixed_program(const tsim::Params &params, uint64_t seed)
{
    Rig::Options options;
    options.seed = seed;
    options.devices = 2;
    Rig rig(options, [&](tsim::Params &p) { p = params; });
    constexpr uint32_t kBytes = 100000;
    for (uint32_t i = 0; i < kBytes; ++i)
        rig.host()[i] = static_cast<uint8_t>(i * 7 + 1);
    for (uint32_t sq = 0; sq < 4; ++sq)
        rig.open(sq, static_cast<uint8_t>(sq));
    const uint32_t event = static_cast<uint32_t>(params.events.value) - 1;
    const uint32_t notify = static_cast<uint32_t>(params.notifies.value) - 1;
    rig.put(0, sqe_pcie_dma(Rig::kHbm, Rig::kHost, kBytes), 1000);
    rig.put(0, sqe_with_cqe(sqe_event_record(event)), 1000);
    rig.put(1, sqe_event_wait(event, 0), 500);
    rig.put(1, sqe_sdma(Rig::kHbm + (1 << 20), Rig::kHbm, kBytes), 500);
    rig.put(1, sqe_notify_record(notify), 500);
    rig.put(2, sqe_notify_wait(notify, 0), 0);
    // T-DMA-44: where no link joins the devices, the PCIe DMA goes from one to the other.
    rig.put(2,
            params.peers_at_host ? sqe_pcie_dma(2 * Rig::kHbm, Rig::kHbm + (1 << 20), kBytes)
                                 : sqe_sdma(2 * Rig::kHbm, Rig::kHbm + (1 << 20), kBytes),
            0);
    rig.put(2, sqe_pcie_dma(Rig::kHost + (1 << 20), Rig::kHbm + (1 << 20), kBytes), 0);
    rig.put(2, sqe_with_cqe(sqe_placeholder()), 0);
    rig.put(3, sqe_sdma_fill(Rig::kHbm + (2 << 20), 0x5a, kBytes), 0);
    rig.put(3, sqe_write_value(Rig::kHbm + (2 << 20), 3, 0x1122334455667788), 0);
    rig.run();
    for (uint32_t sq = 0; sq < 4; ++sq)
        EXPECT_EQ(rig.retired(sq), rig.sent(sq));
    CU_ASSERT(std::memcmp(rig.hbm(0, 1), rig.host(), kBytes) == 0);
    CU_ASSERT(std::memcmp(rig.host(1 << 20), rig.host(), kBytes) == 0);
    EXPECT_EQ(rig.hbm(2 << 20)[0], 0x88);
    EXPECT_EQ(rig.hbm(2 << 20)[kBytes - 1], 0x5a);
    CU_ASSERT(rig.retired_at(1, 1) > rig.retired_at(0, 1));
    CU_ASSERT(rig.retired_at(2, 1) > rig.retired_at(1, 2));
    // T-TIM-5, also where a tick is not a whole number of ns; T-HW-9: the host learns of it later
    const uint64_t ticks = params.to_ns(rig.retired_at(0, 2)) * params.counter_mhz.value / 1000;
    if (params.fw_loop.value == 0)
        EXPECT_EQ(rig.cqe(0, 0).u.timestamp, ticks);
    else
        CU_ASSERT(rig.cqe(0, 0).u.timestamp < ticks);
}

void test_a_program_on_each()
{
    for (const Part &part : kParts) {
        mixed_program(profile_of(part).params(), 0);
        mixed_program(profile_of(part).params(), 7);
    }
}

const twin_test tests[] = {
    {"each part has its published facts", test_published_facts},
    {"only facts about the part itself are marked known", test_what_is_inherited_is_marked_down},
    {"a program with copies, waits and fills runs on each part", test_a_program_on_each},
};

} // namespace

int main(int argc, char **argv)
{
    return twin_run_suite("sim parts", tests, TWIN_COUNT(tests), argc, argv);
}
