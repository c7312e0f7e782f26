// SPDX-License-Identifier: Apache-2.0
/// The memory for times of SQEs: its size, and that nothing overlaps. bench/ measures its speed.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/time_pool.h"
#include "rig.h"

using tsim::SqeTimes;
using tsim::TimePool;

namespace
{

constexpr uint32_t kDepth = 2048;
constexpr uint32_t kQueues = 300;

uintptr_t address(const SqeTimes *block)
{
    return reinterpret_cast<uintptr_t>(block);
}

} // namespace

static void test_blocks_are_apart()
{
    std::vector<SqeTimes *> blocks;
    for (uint32_t i = 0; i < kQueues; ++i) {
        blocks.push_back(TimePool::take(i % 3 == 0 ? 64 : kDepth));
        const uint32_t entries = i % 3 == 0 ? 64 : kDepth;
        std::fill_n(blocks.back(), entries, SqeTimes{i, i});
    }
    bool good = true;
    for (uint32_t i = 0; i < kQueues; ++i) {
        const uint32_t entries = i % 3 == 0 ? 64 : kDepth;
        for (uint32_t k = 0; k < entries; ++k)
            good = good && blocks[i][k].arrival == i && blocks[i][k].done == i;
        TimePool::release(blocks[i], entries);
    }
    CU_ASSERT(good);
}

// Entry n of neighbours must not meet in one set of a cache.
static void test_neighbours_begin_at_other_lines()
{
    std::vector<SqeTimes *> blocks;
    for (uint32_t i = 0; i < 2 * kQueues; ++i)
        blocks.push_back(TimePool::take(kDepth));
    std::vector<uint32_t> count(4096 / 64);
    for (const SqeTimes *block : blocks) {
        EXPECT_EQ(address(block) % 64, 0);
        ++count[address(block) % 4096 / 64];
    }
    const uint32_t most = *std::max_element(count.begin(), count.end());
    CU_ASSERT(most <= 2 * (2 * kQueues / count.size() + 1));
    for (SqeTimes *block : blocks)
        TimePool::release(block, kDepth);
}

static void test_what_was_given_back_is_taken_again()
{
    for (const uint32_t entries : {8u, kDepth, 65536u}) {
        SqeTimes *const first = TimePool::take(entries);
        first[entries - 1] = {1, 2};
        TimePool::release(first, entries);
        SqeTimes *const second = TimePool::take(entries);
        second[entries - 1] = {3, 4};
        if (entries <= kDepth)
            CU_ASSERT_PTR_EQUAL(first, second);
        TimePool::release(second, entries);
    }
}

// A program with few queues pays for the pages that it touches.
static void test_a_block_costs_what_is_touched()
{
    const long page = sysconf(_SC_PAGESIZE);
    SqeTimes *const block = TimePool::take(kDepth);
    block[0] = {1, 1};
    const uintptr_t from = (address(block) + static_cast<uintptr_t>(page) - 1) / page * page;
    const size_t pages = (address(block + kDepth) - from) / page;
    std::vector<unsigned char> resident(pages);
    CU_ASSERT_EQUAL_FATAL(mincore(reinterpret_cast<void *>(from), pages * page, resident.data()),
                          0);
    const auto count =
        std::count_if(resident.begin(), resident.end(), [](unsigned char c) { return c & 1; });
    CU_ASSERT(count <= 1);
    TimePool::release(block, kDepth);
}

static const twin_test tests[] = {
    {"a block costs the pages that are touched", test_a_block_costs_what_is_touched},
    {"blocks do not overlap", test_blocks_are_apart},
    {"neighbours begin at other lines of their pages", test_neighbours_begin_at_other_lines},
    {"released times are taken again", test_what_was_given_back_is_taken_again},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim time pool", tests, TWIN_COUNT(tests), argc, argv);
}
