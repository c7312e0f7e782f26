// SPDX-License-Identifier: Apache-2.0
// Rows and planes of rows on the SDMA, against loops over single bytes.
#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "rig.h"

namespace
{

constexpr uint64_t kArea = 1 << 20; // source at 0, destination after it

stars_sqe planes(uint64_t dst, uint32_t dst_row, uint64_t src, uint32_t src_row, uint32_t src_plane,
                 uint32_t row, uint32_t rows, uint32_t count)
{
    stars_sqe sqe = sqe_sdma_rows(0, 0, src, 0, row, 0);
    sqe.word[4] = STARS_SDMA_OP_COPY | STARS_SDMA_SHORT_FORM |
                  STARS_SDMA_STRIDE_PLANES << STARS_SDMA_STRIDE_SHIFT;
    sqe.word[7] = count | rows << 16;
    sqe.word[10] = src_plane;
    sqe.word[11] = src_row;
    sqe.word[13] = static_cast<uint32_t>(dst);
    sqe.word[14] = static_cast<uint32_t>(dst >> 32);
    sqe.word[15] = dst_row;
    return sqe;
}

void fill_randomly(Rig &rig, std::mt19937 &random)
{
    for (uint64_t i = 0; i < 2 * kArea; ++i)
        *rig.hbm(i) = static_cast<uint8_t>(random());
}

uint64_t run_one(Rig &rig, const stars_sqe &sqe)
{
    rig.open(0);
    rig.put(0, sqe, 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    const auto moved = rig.phases(TWINSIM_PHASE_TRANSFER).at(0);
    return moved.end_ns - moved.begin_ns;
}

uint64_t time_within_device(const Rig &rig, uint64_t bytes)
{
    const uint64_t rate = rig.params().hbm_mb_s();
    return (bytes * 2000 + rate - 1) / rate;
}

} // namespace

// T-DMA-25: rows go where they belong, gaps stay, and only what moves takes time.
static void test_rows()
{
    std::mt19937 random(5);
    for (int round = 0; round < 50; ++round) {
        Rig rig;
        fill_randomly(rig, random);
        const uint32_t row = 1 + random() % 3000;
        const uint32_t src_row = row + random() % 1000;
        const uint32_t dst_row = row + random() % 1000;
        const uint32_t rows = 1 + random() % 200;
        std::vector<uint8_t> want(rig.hbm(), rig.hbm(2 * kArea));
        for (uint64_t r = 0; r < rows; ++r)
            for (uint64_t i = 0; i < row; ++i)
                want[kArea + r * dst_row + i] = want[r * src_row + i];
        const uint64_t took =
            run_one(rig, sqe_sdma_rows(Rig::kHbm + kArea, dst_row, Rig::kHbm, src_row, row, rows));
        CU_ASSERT(std::equal(want.begin(), want.end(), rig.hbm()));
        EXPECT_EQ(took, time_within_device(rig, uint64_t{row} * rows));
    }
}

// T-DMA-25: an SQE of the short form without strides is a plain copy; rows can be filled and
// reduced too.
static void test_short_form_without_rows()
{
    Rig rig;
    std::memset(rig.hbm(), 9, 100);
    stars_sqe sqe = sqe_sdma_rows(Rig::kHbm + 1000, 0, Rig::kHbm, 0, 100, 0);
    sqe.word[4] = STARS_SDMA_OP_COPY | STARS_SDMA_SHORT_FORM;
    run_one(rig, sqe);
    EXPECT_EQ(*rig.hbm(1099), 9);
    EXPECT_EQ(*rig.hbm(1100), 0);
}

static void test_other_operations_on_rows()
{
    Rig rig;
    stars_sqe fill = sqe_sdma_rows(Rig::kHbm, 10, 0x55, 0, 4, 3);
    fill.word[4] |= STARS_SDMA_OP_FILL;
    run_one(rig, fill);
    for (uint64_t i = 0; i < 40; ++i)
        EXPECT_EQ(*rig.hbm(i), i < 30 && i % 10 < 4 ? 0x55 : 0);

    Rig other;
    for (uint64_t i = 0; i < 40; ++i)
        *other.hbm(i) = static_cast<uint8_t>(i);
    stars_sqe add = sqe_sdma_rows(Rig::kHbm, 10, Rig::kHbm + 20, 10, 4, 2);
    add.word[4] |= STARS_SDMA_OP_ADD | STARS_SDMA_UINT8 << STARS_SDMA_TYPE_SHIFT;
    run_one(other, add);
    for (uint64_t i = 0; i < 20; ++i)
        EXPECT_EQ(*other.hbm(i), i % 10 < 4 ? 2 * i + 20 : i);
}

// T-DMA-26.
static void test_planes()
{
    std::mt19937 random(6);
    for (int round = 0; round < 50; ++round) {
        Rig rig;
        fill_randomly(rig, random);
        const uint32_t row = 1 + random() % 500;
        const uint32_t rows = 1 + random() % 20;
        const uint32_t count = 1 + random() % 20;
        const uint32_t src_row = row + random() % 100;
        const uint32_t dst_row = row + random() % 100;
        const uint32_t src_plane = src_row * rows + random() % 1000;
        std::vector<uint8_t> want(rig.hbm(), rig.hbm(2 * kArea));
        for (uint64_t p = 0; p < count; ++p)
            for (uint64_t r = 0; r < rows; ++r)
                for (uint64_t i = 0; i < row; ++i)
                    want[kArea + (p * rows + r) * dst_row + i] =
                        want[p * src_plane + r * src_row + i];
        const uint64_t took = run_one(rig, planes(Rig::kHbm + kArea, dst_row, Rig::kHbm, src_row,
                                                  src_plane, row, rows, count));
        CU_ASSERT(std::equal(want.begin(), want.end(), rig.hbm()));
        EXPECT_EQ(took, time_within_device(rig, uint64_t{row} * rows * count));
    }
}

// T-DMA-8, T-DMA-25.
static void test_bad_rows()
{
    stars_sqe mode = sqe_sdma_rows(Rig::kHbm, 8, Rig::kHbm + 64, 8, 8, 4);
    mode.word[4] |= 3u << STARS_SDMA_STRIDE_SHIFT;
    stars_sqe odd = sqe_sdma_rows(Rig::kHbm, 8, Rig::kHbm + 64, 6, 4, 4);
    odd.word[4] |= STARS_SDMA_OP_ADD | STARS_SDMA_INT32 << STARS_SDMA_TYPE_SHIFT;
    const stars_sqe bad[] = {
        mode,
        odd,
        sqe_sdma_rows(Rig::kHbm, 8, Rig::kHbm + 64, 8, 0, 4),
        sqe_sdma_rows(Rig::kHbm, 8, Rig::kHbm + 64, 8, 8, 0),
        sqe_sdma_rows(Rig::kHbm, 0, Rig::kHbm + 64, 0, 1u << 31, 1u << 9), // 2^40 bytes
        planes(Rig::kHbm, 8, Rig::kHbm, 8, 8, 8, 0, 1),
        planes(Rig::kHbm, 8, Rig::kHbm, 8, 8, 8, 1, 0),
    };
    for (const stars_sqe &sqe : bad) {
        Rig rig;
        rig.open(0);
        rig.put(0, sqe, 0);
        rig.run();
        EXPECT_EQ(rig.cqe(0, 0).u.error.status, STARS_STATUS_BAD_SQE);
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_EXCEPTION);
    }
}

// T-DMA-27: a row that leads nowhere fails the SQE, and no other row changes; rows may lie in
// pieces of memory that do not touch.
static void test_holes()
{
    constexpr uint64_t kMiB = 1 << 20;
    for (const uint64_t hole : {uint64_t{0}, 2 * kMiB, 4 * kMiB}) {
        Rig rig;
        rig.open(0);
        std::memset(rig.hbm(16 * kMiB), 1, 5 * kMiB);
        rig.unmap(Rig::kHbm + hole);
        rig.put(0, sqe_sdma_rows(Rig::kHbm, kMiB, Rig::kHbm + 16 * kMiB, kMiB, 16, 5), 0);
        rig.run();
        EXPECT_EQ(rig.cqe(0, 0).u.error.status, STARS_STATUS_BUS_FAULT);
        for (uint64_t i = 0; i < 5; ++i)
            EXPECT_EQ(*rig.hbm(i * kMiB), 0);
    }
}

static const twin_test tests[] = {
    {"rows go where they belong and take the time of their bytes", test_rows},
    {"the short form without strides is a plain copy", test_short_form_without_rows},
    {"rows are filled and reduced", test_other_operations_on_rows},
    {"planes of rows are gathered", test_planes},
    {"bad shapes are bad SQEs", test_bad_rows},
    {"a row that leads nowhere changes nothing", test_holes},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim dma rows", tests, TWIN_COUNT(tests), argc, argv);
}
