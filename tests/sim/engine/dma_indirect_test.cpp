// SPDX-License-Identifier: Apache-2.0
// SDMA work whose addresses are in memory, and cache maintenance.
#include <cstring>

#include "rig.h"

namespace
{

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kAt = 64 * kMiB; // of the descriptor or the base addresses

stars_sqe pointer(uint64_t at, uint32_t opcode = STARS_SDMA_OP_COPY)
{
    stars_sqe sqe = sqe_sdma(0, 0, 0);
    sqe.word[3] |= STARS_W3_POINTER;
    sqe.word[4] = static_cast<uint32_t>(at);
    sqe.word[5] = static_cast<uint32_t>(at >> 32) | STARS_W5_VIRTUAL;
    sqe.word[6] = opcode;
    return sqe;
}

void describe(Rig &rig, uint64_t dst, uint64_t src, uint32_t bytes)
{
    uint32_t words[STARS_SDMA_DESCRIPTOR_BYTES / 4] = {0xffffffff, 0, 0, bytes};
    std::memcpy(&words[4], &src, sizeof(src));
    std::memcpy(&words[6], &dst, sizeof(dst));
    std::memcpy(rig.hbm(kAt), words, sizeof(words));
}

stars_sqe with_offsets(uint64_t dst_offset, uint64_t src_offset, uint32_t bytes)
{
    stars_sqe sqe = sqe_sdma(Rig::kHbm + kAt + 8, Rig::kHbm + kAt, bytes);
    sqe.word[4] |= STARS_SDMA_OFFSETS;
    sqe.word[12] = static_cast<uint32_t>(src_offset);
    sqe.word[13] = static_cast<uint32_t>(dst_offset);
    sqe.word[14] = static_cast<uint32_t>(src_offset >> 32) | static_cast<uint32_t>(dst_offset >> 32)
                                                                 << 16;
    return sqe;
}

void set_bases(Rig &rig, uint64_t dst, uint64_t src)
{
    std::memcpy(rig.hbm(kAt), &src, sizeof(src));
    std::memcpy(rig.hbm(kAt + 8), &dst, sizeof(dst));
}

uint64_t task_time(Rig &rig, const stars_sqe &sqe)
{
    rig.open(0);
    rig.put(0, sqe, 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    const auto task = rig.phases(TWINSIM_PHASE_TASK, 0).at(0);
    return task.end_ns - task.begin_ns - rig.params().fetch_read.value;
}

uint64_t moving(const Rig &rig, uint64_t bytes, uint64_t loads)
{
    const tsim::Params &p = rig.params();
    return p.decode.value + p.sdma_setup.value +
           (bytes * loads * 1000 + p.hbm_mb_s() - 1) / p.hbm_mb_s() + p.retire.value;
}

void expect_failure(Rig &rig, const stars_sqe &sqe, uint16_t status)
{
    rig.open(0);
    rig.put(0, sqe, 0);
    rig.run();
    EXPECT_EQ(rig.cqe(0, 0).u.error.status, status);
    EXPECT_EQ(rig.cqe(0, 0).u.error.code,
              status == STARS_STATUS_BAD_SQE ? STARS_ERROR_BAD_SQE : STARS_ERROR_EXCEPTION);
    // the channel is free for the next
    CU_ASSERT(rig.device().scheduler().control(0, STARS_SQ_CONTROL_EXCEPTION_HANDLED));
    rig.put(0, sqe_sdma_fill(Rig::kHbm, 1, 64), rig.now());
    rig.run();
    EXPECT_EQ(rig.retired(0), 2);
}

} // namespace

// T-DMA-50, T-DMA-51: as the same copy without a descriptor, which is read when the bytes begin to
// move.
static void test_descriptor()
{
    Rig rig;
    for (uint64_t i = 0; i < kMiB; ++i)
        *rig.hbm(i) = static_cast<uint8_t>(i * 7 + 1);
    describe(rig, Rig::kHbm + 2 * kMiB, Rig::kHbm, kMiB);
    EXPECT_EQ(task_time(rig, pointer(Rig::kHbm + kAt)), moving(rig, kMiB, 2));
    EXPECT_EQ(std::memcmp(rig.hbm(2 * kMiB), rig.hbm(), kMiB), 0);

    for (const bool late : {false, true}) {
        Rig changed;
        const tsim::Params &p = changed.params();
        *changed.hbm() = 5;
        describe(changed, Rig::kHbm + kMiB, Rig::kHbm, kMiB);
        changed.open(0);
        changed.put(0, pointer(Rig::kHbm + kAt), 0);
        changed.run_until(p.fetch_read.value + p.decode.value +
                          p.sdma_setup.value * (late ? 3 : 0));
        describe(changed, Rig::kHbm + 2 * kMiB, Rig::kHbm, 1);
        changed.run();
        EXPECT_EQ(*changed.hbm(kMiB), late ? 5 : 0);
        EXPECT_EQ(*changed.hbm(2 * kMiB), late ? 0 : 5);
    }
}

// T-DMA-50, T-DMA-51.
static void test_bad_descriptors()
{
    {
        Rig rig;
        describe(rig, Rig::kHbm, Rig::kHbm, 0);
        expect_failure(rig, pointer(Rig::kHbm + kAt), STARS_STATUS_BAD_SQE);
    }
    {
        Rig rig;
        describe(rig, Rig::kHbm, Rig::kHbm + kMiB, 64);
        expect_failure(rig, pointer(Rig::kHbm + kAt, STARS_SDMA_OP_EQUAL), STARS_STATUS_BAD_SQE);
    }
    {
        Rig rig;
        expect_failure(rig, pointer(Rig::kHbm + kAt + 32), STARS_STATUS_BAD_SQE);
    }
    {
        Rig rig;
        expect_failure(rig, pointer(0x40), STARS_STATUS_BUS_FAULT);
    }
    {
        Rig rig;
        describe(rig, Rig::kHbm, 0x50, 64);
        expect_failure(rig, pointer(Rig::kHbm + kAt), STARS_STATUS_BUS_FAULT);
    }
}

// T-DMA-52, T-DMA-53.
static void test_offsets()
{
    Rig rig;
    for (uint64_t i = 0; i < kMiB; ++i)
        *rig.hbm(i) = static_cast<uint8_t>(i * 7 + 1);
    // Offsets of more than 32 bits, from bases that are no memory themselves.
    const uint64_t far = uint64_t{5} << 32;
    set_bases(rig, Rig::kHbm + 2 * kMiB - far, Rig::kHbm - 3 * far);
    EXPECT_EQ(task_time(rig, with_offsets(far + 8, 3 * far + 16, kMiB / 2)),
              moving(rig, kMiB / 2, 2));
    EXPECT_EQ(std::memcmp(rig.hbm(2 * kMiB + 8), rig.hbm(16), kMiB / 2), 0);
    EXPECT_EQ(*rig.hbm(2 * kMiB + 7), 0);
    EXPECT_EQ(*rig.hbm(2 * kMiB + 8 + kMiB / 2), 0);

    Rig bad_base;
    set_bases(bad_base, Rig::kHbm, 0x50);
    expect_failure(bad_base, with_offsets(0, 0, 64), STARS_STATUS_BUS_FAULT);
    Rig bad_place;
    stars_sqe sqe = with_offsets(0, 0, 64);
    sqe.word[8] = 0x50;
    sqe.word[9] = 0;
    expect_failure(bad_place, sqe, STARS_STATUS_BUS_FAULT);
}

// T-DMA-54: the time of a fill, and no change; by descriptor too.
static void test_maintenance()
{
    for (uint32_t opcode = STARS_SDMA_OP_PREFETCH; opcode <= STARS_SDMA_OP_FLUSH; ++opcode) {
        for (const bool pointed : {false, true}) {
            Rig rig;
            std::memset(rig.hbm(), 0x3c, kMiB);
            stars_sqe sqe = sqe_sdma(0, Rig::kHbm, kMiB);
            sqe.word[4] = opcode;
            describe(rig, 0, Rig::kHbm, kMiB);
            EXPECT_EQ(task_time(rig, pointed ? pointer(Rig::kHbm + kAt, opcode) : sqe),
                      moving(rig, kMiB, 1));
            EXPECT_EQ(*rig.hbm(), 0x3c);
            EXPECT_EQ(*rig.hbm(kMiB - 1), 0x3c);
        }
    }
    for (const uint64_t address : {uint64_t{0x50}, uint64_t{Rig::kHost}}) {
        Rig rig;
        stars_sqe sqe = sqe_sdma(0, address, 64);
        sqe.word[4] = STARS_SDMA_OP_PREFETCH;
        expect_failure(rig, sqe, STARS_STATUS_BUS_FAULT);
    }
}

static const twin_test tests[] = {
    {"a descriptor is read when the bytes begin to move", test_descriptor},
    {"a bad descriptor fails the SQE", test_bad_descriptors},
    {"offsets count from base addresses in memory", test_offsets},
    {"cache maintenance takes time and changes nothing", test_maintenance},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim dma indirect", tests, TWIN_COUNT(tests), argc, argv);
}
