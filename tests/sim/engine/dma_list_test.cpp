// SPDX-License-Identifier: Apache-2.0
// Lists of PCIe DMA descriptors: the begin of each, its effect, and the end of lists that fail.
#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "rig.h"

namespace
{

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kListAt = 200 * kMiB; // in HBM

stars_dma_descriptor entry(uint32_t operation, uint64_t dst, uint64_t src, uint32_t bytes,
                           uint32_t barriers = 0)
{
    stars_dma_descriptor d{};
    d.word[0] = operation | barriers;
    d.word[3] = bytes;
    d.word[4] = static_cast<uint32_t>(src);
    d.word[5] = static_cast<uint32_t>(src >> 32);
    d.word[6] = static_cast<uint32_t>(dst);
    d.word[7] = static_cast<uint32_t>(dst >> 32);
    return d;
}

stars_dma_descriptor read(uint64_t hbm, uint64_t host, uint32_t bytes, uint32_t barriers = 0)
{
    return entry(STARS_DMA_READ, Rig::kHbm + hbm, Rig::kHost + host, bytes, barriers);
}

stars_dma_descriptor write(uint64_t host, uint64_t hbm, uint32_t bytes, uint32_t barriers = 0)
{
    return entry(STARS_DMA_WRITE, Rig::kHost + host, Rig::kHbm + hbm, bytes, barriers);
}

stars_sqe list_sqe(uint32_t count, uint64_t at = Rig::kHbm + kListAt)
{
    stars_sqe sqe = sqe_pcie_dma(0, 0, 0);
    sqe.word[4] = static_cast<uint32_t>(at);
    sqe.word[5] = static_cast<uint32_t>(at >> 32);
    sqe.word[6] = count;
    sqe.word[7] = STARS_W7_CONVERTED;
    return sqe;
}

void run_list(Rig &rig, const std::vector<stars_dma_descriptor> &list)
{
    std::memcpy(rig.hbm(kListAt), list.data(), list.size() * sizeof(list[0]));
    rig.open(0);
    rig.put(0, list_sqe(static_cast<uint32_t>(list.size())), 0);
    rig.run();
}

uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

// When the channel was set up and the first line had come.
uint64_t first_begin(Rig &rig)
{
    const uint64_t fetched = rig.phases(TWINSIM_PHASE_TASK, 0).at(0).begin_ns;
    const tsim::Params &p = rig.params();
    return fetched + p.fetch_read.value + p.decode.value + p.pcie_setup.value + p.list_read.value;
}

uint32_t list_error(Rig &rig)
{
    uint32_t value = 0;
    EXPECT_EQ(rig.device().read(STARS_SQ_LIST_ERROR, value), 0);
    return value;
}

} // namespace

// T-DMA-41, T-DMA-42: short descriptors begin one start time apart, lines one read time apart.
static void test_lines()
{
    Rig rig([](tsim::Params &p) {
        p.list_window.value = 4;
        p.list_read.value = 1000;
        p.list_start.value = 30;
    });
    std::vector<stars_dma_descriptor> list;
    for (uint32_t i = 0; i < 10; ++i)
        list.push_back(read(i * 64, i * 64, 8));
    run_list(rig, list);
    EXPECT_EQ(rig.retired(0), 1);
    const auto moved = rig.phases(TWINSIM_PHASE_TRANSFER);
    const uint64_t first = first_begin(rig);
    EXPECT_EQ(moved.size(), 10);
    for (uint32_t i = 0; i < moved.size(); ++i)
        EXPECT_EQ(moved[i].begin_ns, first + i / 4 * 1000 + i % 4 * 30);
}

// T-DMA-42: with a barrier each waits for the one before it, without they share the link.
static void test_barriers()
{
    const tsim::Params &p = shipped_profile().params();
    constexpr uint32_t kBytes = 256 * kKiB;
    const uint64_t one = ceil_div(kBytes * 1000, p.pcie_to_device.value);
    Rig serial;
    run_list(serial, {read(0, 0, kBytes), read(kMiB, kMiB, kBytes, STARS_DMA_READ_BARRIER),
                      read(2 * kMiB, 2 * kMiB, kBytes, STARS_DMA_READ_BARRIER)});
    const auto apart = serial.phases(TWINSIM_PHASE_TRANSFER);
    for (uint64_t i = 0; i < 3; ++i) {
        EXPECT_EQ(apart.at(i).begin_ns, first_begin(serial) + i * one);
        EXPECT_EQ(apart.at(i).end_ns, apart.at(i).begin_ns + one);
    }
    EXPECT_EQ(serial.retired_at(0, 1), first_begin(serial) + 3 * one + p.retire.value);

    Rig together;
    run_list(together,
             {read(0, 0, kBytes), read(kMiB, kMiB, kBytes), read(2 * kMiB, 2 * kMiB, kBytes)});
    const auto side = together.phases(TWINSIM_PHASE_TRANSFER);
    for (uint64_t i = 0; i < 3; ++i)
        EXPECT_EQ(side.at(i).begin_ns, first_begin(together) + i * p.list_start.value);
    EXPECT_EQ(side.at(2).end_ns,
              first_begin(together) + ceil_div(3 * kBytes * 1000ull, p.pcie_to_device.value));

    // A read does not wait for writes when its barrier names reads, and does when it names writes.
    for (const bool waits : {false, true}) {
        Rig mixed;
        run_list(mixed,
                 {write(0, 0, kBytes),
                  read(kMiB, kMiB, 64, waits ? STARS_DMA_WRITE_BARRIER : STARS_DMA_READ_BARRIER)});
        const auto moved = mixed.phases(TWINSIM_PHASE_TRANSFER);
        EXPECT_EQ(moved.at(waits ? 1 : 0).begin_ns,
                  first_begin(mixed) +
                      (waits ? ceil_div(kBytes * 1000, p.pcie_to_host.value) : p.list_start.value));
    }
}

// T-DMA-42: no more move at once than the parameter says.
static void test_moving()
{
    Rig rig([](tsim::Params &p) { p.list_moving.value = 2; });
    std::vector<stars_dma_descriptor> list;
    for (uint32_t i = 0; i < 9; ++i)
        list.push_back(read(i * kMiB, i * kMiB, 100 * kKiB + i * 10000));
    run_list(rig, list);
    const auto moved = rig.phases(TWINSIM_PHASE_TRANSFER);
    EXPECT_EQ(moved.size(), 9);
    uint32_t most = 0;
    for (const auto &a : moved) {
        uint32_t now = 0;
        for (const auto &b : moved)
            now += b.begin_ns <= a.begin_ns && a.begin_ns < b.end_ns;
        most = std::max(most, now);
    }
    EXPECT_EQ(most, 2);
}

// T-DMA-43.
static void test_small_packets()
{
    Rig rig;
    std::vector<stars_dma_descriptor> list = {entry(STARS_DMA_SMALL, Rig::kHost + 7, 0, 32),
                                              {},
                                              entry(STARS_DMA_SMALL, Rig::kHbm + 3, 0, 5),
                                              {}};
    for (uint32_t i = 0; i < 8; ++i) {
        list[1].word[i] = 0x01010101u * (i + 1);
        list[3].word[i] = 0xa0a0a0a0u + i;
    }
    run_list(rig, list);
    EXPECT_EQ(rig.retired(0), 1);
    EXPECT_EQ(std::memcmp(rig.host(7), list[1].word, 32), 0);
    EXPECT_EQ(*rig.host(6), 0);
    EXPECT_EQ(*rig.host(39), 0);
    EXPECT_EQ(std::memcmp(rig.hbm(3), list[3].word, 5), 0);
    EXPECT_EQ(*rig.hbm(8), 0);
}

// T-DMA-42: with barriers for everything a list has the effect of its descriptors one after
// another.
static void test_random_lists()
{
    constexpr uint32_t kAll = STARS_DMA_READ_BARRIER | STARS_DMA_WRITE_BARRIER |
                              STARS_DMA_LOOP_BARRIER | STARS_DMA_SMALL_BARRIER;
    constexpr uint64_t kArea = 64 * kKiB;
    std::mt19937 random(3);
    for (int round = 0; round < 60; ++round) {
        Rig rig;
        for (uint64_t i = 0; i < kArea; ++i) {
            *rig.hbm(i) = static_cast<uint8_t>(random());
            *rig.host(i) = static_cast<uint8_t>(random());
        }
        std::vector<uint8_t> hbm(rig.hbm(), rig.hbm(kArea));
        std::vector<uint8_t> host(rig.host(), rig.host(kArea));
        std::vector<stars_dma_descriptor> list;
        const uint32_t count = 1 + random() % 100;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t bytes = 1 + random() % 5000;
            const uint64_t a = random() % (kArea - bytes);
            const uint64_t b = random() % (kArea - bytes);
            const uint32_t kind = random() % 3;
            if (kind == 0) {
                list.push_back(read(a, b, bytes, kAll));
                std::copy_n(&host[b], bytes, &hbm[a]);
            } else if (kind == 1) {
                list.push_back(write(a, b, bytes, kAll));
                std::copy_n(&hbm[b], bytes, &host[a]);
            } else {
                list.push_back(entry(STARS_DMA_LOOP, Rig::kHbm + a, Rig::kHbm + b, bytes, kAll));
                const std::vector<uint8_t> piece(&hbm[b], &hbm[b] + bytes);
                std::copy(piece.begin(), piece.end(), &hbm[a]);
            }
        }
        run_list(rig, list);
        EXPECT_EQ(rig.retired(0), 1);
        EXPECT_EQ(list_error(rig), UINT32_MAX);
        CU_ASSERT(std::equal(hbm.begin(), hbm.end(), rig.hbm()));
        CU_ASSERT(std::equal(host.begin(), host.end(), rig.host()));
    }
}

// T-DMA-44, T-DMA-45: the k-th is wrong: those before it complete, none after it begins, the
// register names it.
static void test_error_in_the_middle()
{
    struct Case {
        stars_dma_descriptor entry;
        uint16_t status;
    };
    const Case cases[] = {
        {read(0, 0, 0), STARS_STATUS_BAD_SQE},
        {entry(STARS_DMA_LOOP + 1, Rig::kHbm, Rig::kHost, 8), STARS_STATUS_BAD_SQE},
        {entry(0, Rig::kHbm, Rig::kHost, 8), STARS_STATUS_BAD_SQE},
        {entry(STARS_DMA_WRITE, Rig::kHbm, Rig::kHost, 8), STARS_STATUS_BAD_SQE},
        {entry(STARS_DMA_READ, Rig::kHost, Rig::kHbm, 8), STARS_STATUS_BAD_SQE},
        {entry(STARS_DMA_LOOP, Rig::kHbm, Rig::kHost, 8), STARS_STATUS_BAD_SQE},
        {entry(STARS_DMA_SMALL, Rig::kHbm, 0, 33), STARS_STATUS_BAD_SQE},
        {entry(STARS_DMA_READ, Rig::kHbm, 0x50, 8), STARS_STATUS_BUS_FAULT},
    };
    for (const Case &c : cases) {
        for (const uint32_t wrong : {0u, 3u, 6u}) {
            Rig rig([](tsim::Params &p) { p.pcie_channels.value = 1; });
            std::memset(rig.host(), 7, 16 * kMiB);
            std::vector<stars_dma_descriptor> list;
            for (uint32_t i = 0; i < 8; ++i)
                list.push_back(i == wrong ? c.entry : read((i + 1) * kMiB, 0, 100 * kKiB));
            run_list(rig, list);
            EXPECT_EQ(rig.cqe(0, 0).u.error.status, c.status);
            EXPECT_EQ(rig.cqe(0, 0).u.error.code, c.status == STARS_STATUS_BAD_SQE
                                                      ? STARS_ERROR_BAD_SQE
                                                      : STARS_ERROR_EXCEPTION);
            EXPECT_EQ(list_error(rig), wrong);
            for (uint32_t i = 0; i < 8; ++i)
                EXPECT_EQ(*rig.hbm((i + 1) * kMiB + 1000), i < wrong ? 7 : 0);
            // the channel is free for the next
            CU_ASSERT(rig.device().scheduler().control(0, STARS_SQ_CONTROL_EXCEPTION_HANDLED));
            rig.put(0, sqe_pcie_dma(Rig::kHbm, Rig::kHost, 64), rig.now());
            rig.run();
            EXPECT_EQ(rig.retired(0), 2);
            EXPECT_EQ(list_error(rig), UINT32_MAX);
        }
    }
}

// T-DMA-45: memory that goes away while an entry moves; a list that leads nowhere.
static void test_faults_on_the_way()
{
    Rig rig;
    std::vector<stars_dma_descriptor> list = {read(8 * kMiB, 0, kMiB),
                                              read(16 * kMiB, 0, 2 * kMiB)};
    std::memcpy(rig.hbm(kListAt), list.data(), 64);
    rig.open(0);
    rig.put(0, list_sqe(2), 0);
    rig.run_until(20000);
    rig.unmap(Rig::kHbm + 8 * kMiB);
    rig.unmap(Rig::kHbm + 16 * kMiB); // fails too, and later: the first counts
    rig.run();
    EXPECT_EQ(rig.cqe(0, 0).u.error.status, STARS_STATUS_BUS_FAULT);
    EXPECT_EQ(list_error(rig), 0);

    Rig nowhere;
    nowhere.open(0);
    nowhere.put(0, list_sqe(3, 0x40), 0);
    nowhere.run();
    EXPECT_EQ(nowhere.cqe(0, 0).u.error.status, STARS_STATUS_BUS_FAULT);
    EXPECT_EQ(list_error(nowhere), 0);
}

// T-FLT-6, T-FLT-8: an injected error leaves memory as it was, a slow engine is late by its factor,
// and the channel is free again.
static void test_injected()
{
    const std::vector<stars_dma_descriptor> list = {read(0, 0, 64), read(kMiB, 0, kMiB)};
    Rig plain;
    run_list(plain, list);
    for (const bool slow : {false, true}) {
        Rig rig([](tsim::Params &p) { p.pcie_channels.value = 1; });
        std::memset(rig.host(), 7, 2 * kMiB);
        twinsim_fault fault{};
        fault.kind = slow ? TWINSIM_FAULT_ENGINE_SLOW : TWINSIM_FAULT_ENGINE_ERROR;
        fault.device = fault.stream = fault.task = fault.id = TWINSIM_ANY;
        fault.first = fault.times = 1;
        fault.factor_permille = slow ? 3000 : 0;
        CU_ASSERT_PTR_NULL(tsim::FaultPlan::check(fault));
        (void)rig.system().faults().inject(fault);
        run_list(rig, list);
        EXPECT_EQ(rig.retired(0), slow ? 1 : 0);
        EXPECT_EQ(*rig.hbm(), slow ? 7 : 0);
        EXPECT_EQ(*rig.hbm(kMiB), slow ? 7 : 0);
        if (slow) {
            const uint64_t setup = rig.params().pcie_setup.value;
            const uint64_t bytes = plain.retired_at(0, 1) - plain.params().retire.value -
                                   (first_begin(plain) - plain.params().list_read.value);
            EXPECT_EQ(rig.retired_at(0, 1), plain.retired_at(0, 1) + 2 * setup + 2 * bytes);
        } else {
            EXPECT_EQ(rig.cqe(0, 0).u.error.code, STARS_ERROR_EXCEPTION);
            CU_ASSERT(rig.device().scheduler().control(0, STARS_SQ_CONTROL_EXCEPTION_HANDLED));
        }
        rig.put(0, sqe_pcie_dma(Rig::kHbm, Rig::kHost, 64), rig.now());
        rig.run();
        EXPECT_EQ(rig.retired(0), 2);
    }
}

static void inject_engine_error(Rig &rig)
{
    twinsim_fault fault{};
    fault.kind = TWINSIM_FAULT_ENGINE_ERROR;
    fault.device = fault.stream = fault.task = fault.id = TWINSIM_ANY;
    fault.first = fault.times = 1;
    (void)rig.system().faults().inject(fault);
}

// T-FLT-19, T-DMA-45: a list that ends by itself before the injected error has the result of a list
// without one.
static void test_injected_and_own_error()
{
    for (const bool injected : {false, true}) {
        Rig rig;
        if (injected)
            inject_engine_error(rig);
        std::memset(rig.host(), 7, 2 * kMiB);
        run_list(rig, {read(0, 0, 64), read(kMiB, 0, kMiB), read(4 * kMiB, 0, 0),
                       read(6 * kMiB, 0, 64)});
        EXPECT_EQ(rig.cqe(0, 0).u.error.status, STARS_STATUS_BAD_SQE);
        EXPECT_EQ(list_error(rig), 2);
        EXPECT_EQ(*rig.hbm(), 7);
        EXPECT_EQ(*rig.hbm(2 * kMiB - 1), 7);
        EXPECT_EQ(*rig.hbm(6 * kMiB), 0);
    }
    // one whose bytes led nowhere in the end is the first that failed
    Rig rig;
    inject_engine_error(rig);
    std::memset(rig.host(), 7, 2 * kMiB);
    const std::vector<stars_dma_descriptor> list = {read(0, 0, 64), read(8 * kMiB, 0, 64),
                                                    read(kMiB, 0, 2 * kMiB),
                                                    read(4 * kMiB, 0, 0, STARS_DMA_READ_BARRIER)};
    std::memcpy(rig.hbm(kListAt), list.data(), list.size() * sizeof(list[0]));
    rig.open(0);
    rig.put(0, list_sqe(4), 0);
    rig.run_until(20000);
    rig.unmap(Rig::kHbm + 8 * kMiB);
    rig.run();
    EXPECT_EQ(rig.cqe(0, 0).u.error.status, STARS_STATUS_BUS_FAULT);
    EXPECT_EQ(list_error(rig), 1);
    EXPECT_EQ(*rig.hbm(), 7);
    EXPECT_EQ(*rig.hbm(kMiB), 7);
}

// T-FLT-19, T-DMA-46: or one that is stopped.
static void test_injected_and_stopped()
{
    for (const bool kill : {false, true}) {
        Rig rig([](tsim::Params &p) { p.credit_unit.value = 1000; });
        inject_engine_error(rig);
        std::memset(rig.host(), 1, 16 * kMiB);
        const std::vector<stars_dma_descriptor> list = {read(0, 0, 64),
                                                        read(8 * kMiB, 0, 16 * kMiB)};
        std::memcpy(rig.hbm(kListAt), list.data(), 64);
        rig.open(0);
        stars_sqe sqe = list_sqe(2);
        sqe.word[3] = (kill ? STARS_CREDIT_NEVER : 100u) << STARS_W3_CREDIT_SHIFT;
        rig.put(0, sqe, 0);
        rig.run_until(50000);
        EXPECT_EQ(*rig.hbm(), 0);
        if (kill)
            CU_ASSERT(rig.device().scheduler().control(0, STARS_SQ_CONTROL_TASK_KILL));
        rig.run();
        EXPECT_EQ(*rig.hbm(), 1);
        EXPECT_EQ(*rig.hbm(8 * kMiB), 0);
        if (!kill)
            EXPECT_EQ(rig.cqe(0, 0).u.error.status, STARS_STATUS_TASK_TIMEOUT);
    }
}

// T-DMA-40: how long a list may be.
static void test_bad_lists()
{
    const uint64_t most = shipped_profile().params().list_most.value;
    for (const stars_sqe &sqe :
         {list_sqe(0), list_sqe(static_cast<uint32_t>(most) + 1), list_sqe(1, Rig::kHbm + 16)}) {
        Rig rig;
        rig.open(0);
        rig.put(0, sqe, 0);
        rig.run();
        EXPECT_EQ(rig.cqe(0, 0).u.error.status, STARS_STATUS_BAD_SQE);
    }
    Rig rig;
    std::vector<stars_dma_descriptor> list(most, read(0, 0, 1));
    run_list(rig, list);
    EXPECT_EQ(rig.retired(0), 1);
}

// T-DMA-46, T-SQE-8, T-SCH-14: a list that takes too long or is killed leaves channel and links
// free.
static void test_limit_and_kill()
{
    const auto small_credit = [](tsim::Params &p) {
        p.credit_unit.value = 1000;
        p.pcie_channels.value = 1;
    };
    for (const bool kill : {false, true}) {
        Rig rig(small_credit);
        std::vector<stars_dma_descriptor> list = {read(8 * kMiB, 0, 16 * kMiB),
                                                  read(32 * kMiB, 0, 16 * kMiB)};
        std::memset(rig.host(), 1, 16 * kMiB);
        std::memcpy(rig.hbm(kListAt), list.data(), 64);
        rig.open(0);
        rig.open(1);
        stars_sqe sqe = list_sqe(2);
        sqe.word[3] = (kill ? STARS_CREDIT_NEVER : 100u) << STARS_W3_CREDIT_SHIFT;
        rig.put(0, sqe, 0);
        rig.put(1, sqe_pcie_dma(Rig::kHbm, Rig::kHost, 64), 0);
        if (kill) {
            rig.run_until(100000);
            CU_ASSERT(rig.device().scheduler().control(0, STARS_SQ_CONTROL_TASK_KILL));
        }
        rig.run();
        EXPECT_EQ(*rig.hbm(8 * kMiB), 0);
        EXPECT_EQ(*rig.hbm(), 1); // the other queue got the channel
        EXPECT_EQ(rig.retired(1), 1);
        if (!kill) {
            EXPECT_EQ(rig.cqe(0, 0).u.error.status, STARS_STATUS_TASK_TIMEOUT);
            const uint64_t begun = first_begin(rig) - rig.params().list_read.value;
            CU_ASSERT(rig.retired_at(1, 1) > begun + 100000);
        }
    }
}

// T-DMA-28, T-LNK-8: a ceiling holds for each transfer, and the channels together still fill the
// link.
static void test_ceilings()
{
    constexpr uint64_t kBytes = 10 * kMiB;
    const auto low = [](tsim::Params &p) {
        p.pcie_ceiling.value = 10000;
        p.sdma_ceiling.value = 5000;
        p.host_ceiling.value = 2000;
    };
    Rig rig(low);
    rig.open(0);
    rig.put(0, sqe_pcie_dma(Rig::kHbm, Rig::kHost, kBytes), 0);
    rig.put(0, sqe_sdma(Rig::kHbm, Rig::kHbm + 64 * kMiB, kBytes), 0);
    rig.run();
    twinsim_transfer own{};
    own.dst = Rig::kHbm;
    own.src = Rig::kHost;
    own.bytes = kBytes;
    own.start_ns = rig.now();
    rig.device().host_dma().post(&own);
    rig.run();
    const uint64_t want[] = {kBytes / 10, kBytes / 5, kBytes / 2};
    const auto moved = rig.phases(TWINSIM_PHASE_TRANSFER);
    EXPECT_EQ(moved.size(), 3);
    for (uint32_t i = 0; i < 3; ++i)
        EXPECT_EQ(moved[i].end_ns - moved[i].begin_ns, want[i]);
    EXPECT_EQ(moved[0].parameter, rig.params().pcie_ceiling.index);

    Rig many(low);
    for (uint32_t sq = 0; sq < 5; ++sq) {
        many.open(sq);
        many.put(sq, sqe_pcie_dma(Rig::kHbm + sq * 16 * kMiB, Rig::kHost, kBytes), 0);
    }
    many.run();
    const auto shared = many.phases(TWINSIM_PHASE_TRANSFER);
    const uint64_t link = many.params().pcie_to_device.value;
    const uint64_t all = shared.back().end_ns - shared.front().begin_ns;
    const uint64_t full = ceil_div(5 * kBytes * 1000, link);
    CU_ASSERT(all >= full && all < full + full / 100);
}

// T-TIM-3, T-DMA-46: work that completes in the cycle of the limit is complete; a list with more
// work fails in that cycle.
static void test_limit_at_completion()
{
    for (const uint32_t entries : {2u, 3u}) {
        constexpr uint32_t kBytes = 64 * kKiB;
        Rig rig([](tsim::Params &p) {
            p.list_start.value = 0; // two begin at once and end at once
            p.list_moving.value = 2;
            p.credit_unit.value =
                p.list_read.value + ceil_div(2 * kBytes * 1000, p.pcie_to_device.value);
        });
        std::memset(rig.host(), 0x5a, 3 * kBytes);
        std::vector<stars_dma_descriptor> list;
        for (uint32_t i = 0; i < entries; ++i)
            list.push_back(read(i * kBytes, i * kBytes, kBytes));
        std::memcpy(rig.hbm(kListAt), list.data(), list.size() * sizeof(list[0]));
        rig.open(0);
        rig.put(0, sqe_with_credit(list_sqe(entries), 1), 0);
        rig.run();
        const uint64_t limit =
            first_begin(rig) - rig.params().list_read.value + rig.params().credit_unit.value;
        const auto moved = rig.phases(TWINSIM_PHASE_TRANSFER);
        CU_ASSERT_FATAL(moved.size() >= 2);
        for (uint32_t i = 0; i < 2; ++i) {
            EXPECT_EQ(moved[i].end_ns, limit);
            EXPECT_EQ(*rig.hbm(i * kBytes), 0x5a);
        }
        EXPECT_EQ(rig.retired(0), entries == 2);
        EXPECT_EQ(*rig.hbm(2 * kBytes), 0);
        if (entries == 3) {
            EXPECT_EQ(rig.cqe(0, 0).u.error.code, STARS_ERROR_TIMEOUT);
            EXPECT_EQ(rig.cqe(0, 0).u.error.status, STARS_STATUS_TASK_TIMEOUT);
        }
        // The channel is whole.
        rig.open(1);
        rig.put(1, list_sqe(entries), rig.now());
        rig.run();
        EXPECT_EQ(rig.retired(1), 1);
        EXPECT_EQ(*rig.hbm((entries - 1) * kBytes), 0x5a);
    }
}

// T-DMA-43: the bytes of a small packet are not a descriptor: data that look like barriers hold
// nothing back.
static void test_small_data_like_barriers()
{
    Rig rig;
    const tsim::Params &p = rig.params();
    stars_dma_descriptor data{};
    for (uint32_t &word : data.word)
        word = ~0u; // all barriers, for one
    run_list(rig, {read(0, 0, 4 * kMiB),
                   entry(STARS_DMA_SMALL, Rig::kHbm + 8 * kMiB, 0, STARS_DMA_SMALL_MOST), data});
    EXPECT_EQ(rig.retired(0), 1);
    const auto moved = rig.phases(TWINSIM_PHASE_TRANSFER);
    CU_ASSERT_EQUAL_FATAL(moved.size(), 2);
    // Records are written at the end: the small packet overtook the read.
    EXPECT_EQ(moved[0].bytes, STARS_DMA_SMALL_MOST);
    EXPECT_EQ(moved[0].begin_ns, first_begin(rig) + 2 * p.list_start.value);
    CU_ASSERT(moved[0].end_ns < moved[1].end_ns);
    CU_ASSERT(std::memcmp(rig.hbm(8 * kMiB), data.word, STARS_DMA_SMALL_MOST) == 0);
}

static const twin_test tests[] = {
    {"lines are read ahead, descriptors begin apart", test_lines},
    {"barriers make descriptors wait for those they name", test_barriers},
    {"so many descriptors move at most", test_moving},
    {"small packets carry their bytes in the list", test_small_packets},
    {"random lists have the effect of their descriptors in order", test_random_lists},
    {"a wrong descriptor ends the list there", test_error_in_the_middle},
    {"faults while a list runs", test_faults_on_the_way},
    {"injected errors and slow engines hit lists", test_injected},
    {"a list that fails before its injected error keeps what it has done",
     test_injected_and_own_error},
    {"and one that is stopped before it", test_injected_and_stopped},
    {"bad lists are bad SQEs", test_bad_lists},
    {"limits and kills leave nothing behind", test_limit_and_kill},
    {"work that completes at the limit is complete", test_limit_at_completion},
    {"channels have ceilings", test_ceilings},
    {"data of a small packet that look like barriers", test_small_data_like_barriers},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim dma list", tests, TWIN_COUNT(tests), argc, argv);
}
