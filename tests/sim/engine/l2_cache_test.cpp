// SPDX-License-Identifier: Apache-2.0
/// What L2 holds, against a model of single sectors (rules T-L2-1 to T-L2-4).
#include <algorithm>
#include <map>
#include <vector>

#include "core/engine/l2_cache.h"
#include "rig.h"

namespace
{

using tsim::L2Cache;
constexpr uint64_t kSector = 512, kBlock = kSector * L2Cache::kSectors;
constexpr uint64_t kBase = uint64_t{1} << 40;

L2Cache::Outcome at(L2Cache &cache, uint64_t address, uint64_t bytes, bool write = false,
                    bool once = false)
{
    L2Cache::Outcome out;
    cache.access({address, bytes, 1, 0}, write, once, {}, out);
    return out;
}

} // namespace

// T-L2-1, T-L2-2: a sector that is read in part comes as a whole; a write brings nothing.
static void test_sectors()
{
    L2Cache cache(1 << 20, kSector);
    L2Cache::Outcome out = at(cache, kBase + 100, 1000); // of sectors 0 to 2: 1536 bytes
    CU_ASSERT(out.hit == 0 && out.miss == 1000 && out.rest == 536 && out.returned == 0);
    out = at(cache, kBase, 2048); // 0 to 2 are there, 3 is not
    CU_ASSERT(out.hit == 1536 && out.miss == 512 && out.rest == 0);
    out = at(cache, kBase + 4096 + 8, 16, true);
    CU_ASSERT(out.hit == 0 && out.miss == 16 && out.rest == 0);
    out = at(cache, kBase + 4096, 512);
    CU_ASSERT(out.hit == 512 && out.miss == 0);
    EXPECT_EQ(cache.held_bytes(), 5 * kSector);
    // Rows: 4 of 64 bytes, one per sector.
    L2Cache::Outcome rows;
    cache.access({kBase + 0x10000, 64, 4, kSector}, false, false, {}, rows);
    CU_ASSERT(rows.miss == 256 && rows.rest == 4 * 448 && rows.rows == 4);
    // The two that are not there, of six.
    cache.access({kBase + 0x10000, 64, 6, kSector}, false, false, {}, rows);
    CU_ASSERT(rows.miss == 384 && rows.rows == 6);
    // Across the end of a block.
    out = at(cache, kBase + 8 * kBlock - 512, 1024);
    CU_ASSERT(out.miss == 1024 && out.rest == 0);
    cache.reset();
    EXPECT_EQ(cache.held_bytes(), 0);
    out = at(cache, kBase, 2048);
    CU_ASSERT(out.hit == 0 && out.returned == 0);
}

// T-L2-4: what is read or written once does not come, but what is there counts.
static void test_once()
{
    L2Cache cache(1 << 20, kSector);
    (void)at(cache, kBase, 512);
    L2Cache::Outcome out = at(cache, kBase, 1024, false, true);
    CU_ASSERT(out.hit == 512 && out.miss == 512 && out.rest == 0);
    out = at(cache, kBase, 1024, true, true);
    CU_ASSERT(out.hit == 512 && out.miss == 512);
    EXPECT_EQ(cache.held_bytes(), kSector);
}

// T-L2-3: 302 MB again and again through 192 MB never hit, a quarter of them does (asc-devkit, best
// practices of data copies: 0.005 % and 75 %). No more host memory than blocks of 192 MB need.
static void test_streams()
{
    constexpr uint64_t kAll = 12288ull * 12288 * 2, kTile = 131072;
    L2Cache cache(uint64_t{192} << 20, kSector);
    L2Cache::Outcome whole;
    for (int round = 0; round < 4; ++round)
        for (uint64_t done = 0; done < kAll; done += kTile)
            cache.access({kBase + done, kTile, 1, 0}, false, false, {}, whole);
    CU_ASSERT(whole.hit == 0 && whole.miss == 4 * kAll);
    EXPECT_EQ(cache.held_bytes(), uint64_t{192} << 20);
    cache.reset();
    L2Cache::Outcome parts;
    for (uint64_t part = 0; part < 4; ++part)
        for (int round = 0; round < 4; ++round)
            for (uint64_t done = 0; done < kAll / 4; done += kTile)
                cache.access({kBase + part * (kAll / 4) + done, kTile, 1, 0}, false, false, {},
                             parts);
    CU_ASSERT(parts.hit == 3 * kAll && parts.miss == kAll);
    CU_ASSERT(cache.block_count() <= (192u << 20) / kBlock + 1);
}

// T-L2-3: bytes that were written go back once, when their block leaves; short rows far apart take
// a bounded number of blocks.
static void test_returned()
{
    L2Cache cache(4 * kBlock, kSector);
    EXPECT_EQ(at(cache, kBase, 1024, true).returned, 0);
    EXPECT_EQ(at(cache, kBase + kBlock, 3 * kBlock).returned, 0);
    EXPECT_EQ(at(cache, kBase + 8 * kBlock, kBlock).returned, 1024);
    EXPECT_EQ(at(cache, kBase + 16 * kBlock, 4 * kBlock).returned, 0);
    L2Cache wide(uint64_t{1} << 40, kSector);
    for (uint64_t i = 0; i < 2 * L2Cache::kBlocksMost; ++i)
        (void)at(wide, kBase + i * kBlock, 32);
    EXPECT_EQ(wide.held_bytes(), L2Cache::kBlocksMost * kSector);
    EXPECT_EQ(wide.block_count(), L2Cache::kBlocksMost);
}

// Random accesses against blocks in a list, sector by sector.
static void test_random()
{
    struct Old {
        std::map<uint64_t, std::map<uint64_t, bool>> blocks; // number: sector: written
        std::vector<uint64_t> order;                         // oldest first
        uint64_t held = 0;
    };
    uint64_t state = 5;
    for (int round = 0; round < 20; ++round) {
        const uint64_t most = (1 + tsim::mix(state) % 4) * L2Cache::kSectors;
        L2Cache cache(most * kSector, kSector);
        Old old;
        for (int i = 0; i < 400; ++i) {
            const bool write = tsim::mix(state) % 3 == 0, once = tsim::mix(state) % 5 == 0;
            const uint64_t first = kBase + tsim::mix(state) % (16 * kBlock);
            const uint64_t bytes = 1 + tsim::mix(state) % (kBlock / 4);
            L2Cache::Outcome wanted;
            for (uint64_t byte = first; byte < first + bytes;) {
                const uint64_t sector = byte / kSector, number = byte / kBlock;
                const uint64_t end = std::min(first + bytes, (sector + 1) * kSector);
                auto &block = old.blocks[number];
                const bool there = block.count(sector) != 0;
                (there ? wanted.hit : wanted.miss) += end - byte;
                if (!there && !once && !write)
                    wanted.rest += kSector - (end - byte);
                if (there)
                    block[sector] = block[sector] || write;
                else if (!once)
                    block[sector] = write;
                old.held += !there && !once;
                if (!once) {
                    old.order.erase(std::remove(old.order.begin(), old.order.end(), number),
                                    old.order.end());
                    old.order.push_back(number);
                }
                byte = end;
                // A block's sectors come together, so what leaves leaves after the last of them.
                if (!once && (byte == first + bytes || byte % kBlock == 0))
                    while (old.held > most && old.order.front() != number) {
                        for (const auto &one : old.blocks[old.order.front()])
                            wanted.returned += one.second ? kSector : 0;
                        old.held -= old.blocks[old.order.front()].size();
                        old.blocks.erase(old.order.front());
                        old.order.erase(old.order.begin());
                    }
            }
            const L2Cache::Outcome out = at(cache, first, bytes, write, once);
            CU_ASSERT(out.hit == wanted.hit && out.miss == wanted.miss && out.rest == wanted.rest &&
                      out.returned == wanted.returned && out.rows == (wanted.miss != 0 ? 1 : 0));
            EXPECT_EQ(cache.held_bytes(), old.held * kSector);
        }
    }
}

// T-L2-6: a core waits for another one that has its sectors in hand, one after the other; not for
// itself, for other sectors, or for what is over.
static void test_one_after_the_other()
{
    L2Cache cache(1 << 20, kSector);
    const auto served = [&cache](uint64_t now, uint32_t core, uint64_t address, uint64_t bytes) {
        L2Cache::Outcome out;
        cache.access({address, bytes, 1, 0}, false, false, {now, 100, core}, out);
        return out.served;
    };
    EXPECT_EQ(served(1000, 1, kBase, 4 * kSector), 0);           // until 1400
    EXPECT_EQ(served(1000, 2, kBase, 4 * kSector), 1800);        // after it
    EXPECT_EQ(served(1100, 3, kBase + 2 * kSector, 32), 1900);   // and this one after both
    EXPECT_EQ(served(1200, 3, kBase, 4 * kSector), 0);           // its own
    EXPECT_EQ(served(1300, 4, kBase + 8 * kSector, 32), 0);      // others
    EXPECT_EQ(served(5000, 5, kBase + 8 * kSector, kSector), 0); // over
}

static const twin_test tests[] = {
    {"a sector that is read in part comes as a whole", test_sectors},
    {"bytes for one use do not displace others", test_once},
    {"the working set decides whether repeated reads hit", test_streams},
    {"written bytes go back when they leave", test_returned},
    {"a core waits for sectors that another has in hand", test_one_after_the_other},
    {"random accesses hit as in a model of single sectors", test_random},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim l2 cache", tests, TWIN_COUNT(tests), argc, argv);
}
