// SPDX-License-Identifier: Apache-2.0
// Random numbers of DSA tasks.
#include <cmath>
#include <cstring>
#include <vector>

#include "core/engine/random.h"
#include "rig.h"

namespace
{

constexpr uint64_t kState = 1 << 20;

std::vector<unsigned char> made(uint32_t function, uint32_t type, uint64_t first, uint64_t second,
                                uint64_t count, uint64_t counter = 0)
{
    tsim::RandomTask task;
    task.function = function;
    task.type = type;
    task.first = first;
    task.second = second;
    task.count = count;
    task.counter[0] = counter;
    task.seed = 77;
    std::vector<unsigned char> out(tsim::random_bytes(function, type, count));
    tsim::make_random(task, out.data());
    return out;
}

uint64_t bits_of(float value)
{
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

stars_sqe random_sqe(uint32_t function, uint32_t type, uint64_t count)
{
    stars_sqe sqe{};
    const auto put = [&sqe](unsigned word, uint64_t value) {
        sqe.word[word] = static_cast<uint32_t>(value);
        sqe.word[word + 1] = static_cast<uint32_t>(value >> 32);
    };
    sqe.word[0] = STARS_SQE_DSA;
    sqe.word[2] = 1u | function << STARS_DSA_FUNCTION_SHIFT | type << STARS_DSA_TYPE_SHIFT |
                  0x7fu << STARS_DSA_VALUES_SHIFT;
    sqe.word[3] = STARS_CREDIT_NEVER << STARS_W3_CREDIT_SHIFT;
    put(4, Rig::kHbm);
    put(6, Rig::kHbm + kState);
    put(8, Rig::kHbm + kState + 16);
    put(10, 77);
    put(12, count);
    return sqe;
}

} // namespace

// T-RND-2: the values that the authors of the generator give.
static void test_generator()
{
    struct Case {
        tsim::RandomWords counter;
        uint64_t key;
        tsim::RandomWords words;
    };
    const Case cases[] = {
        {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         0xffffffffffffffff,
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         0x299f31d0a4093822,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (const Case &c : cases)
        CU_ASSERT(tsim::philox(c.counter, c.key) == c.words);
}

// T-RND-3, T-RND-4, T-RND-5.
static void test_numbers()
{
    const auto words = made(STARS_DSA_UNIFORM, STARS_DSA_INT32, static_cast<uint32_t>(-5), 5, 5000);
    const auto later =
        made(STARS_DSA_UNIFORM, STARS_DSA_INT32, static_cast<uint32_t>(-5), 5, 100, 3);
    EXPECT_EQ(std::memcmp(later.data(), words.data() + 48, 400), 0); // three blocks on
    uint32_t seen = 0;
    for (size_t i = 0; i < words.size(); i += 4) {
        int32_t number = 0;
        std::memcpy(&number, &words[i], 4);
        CU_ASSERT(number >= -5 && number < 5);
        seen |= 1u << (number + 5);
    }
    EXPECT_EQ(seen, (1u << 10) - 1);
    const auto mask = made(STARS_DSA_DROPOUT, STARS_DSA_FP32, bits_of(0.5f), 0, 1003);
    EXPECT_EQ(mask.size(), 126u);
    EXPECT_EQ(mask[125] >> 3, 0); // bits after the last
    for (const float ratio : {0.0f, 1.0f, -2.0f, 7.0f}) {
        const auto all = made(STARS_DSA_DROPOUT, STARS_DSA_FP32, bits_of(ratio), 0, 64);
        for (const unsigned char byte : all)
            EXPECT_EQ(byte, ratio > 0 ? 0 : 0xff);
    }
}

// T-RND-5, T-RND-6, T-RND-7: the formats agree with each other up to their rounding.
static void test_formats()
{
    for (uint32_t function = STARS_DSA_UNIFORM; function <= STARS_DSA_TRUNCATED_NORMAL;
         ++function) {
        const auto wide = made(function, STARS_DSA_FP32, bits_of(1.0f), bits_of(2.0f), 1000);
        const auto half = made(function, STARS_DSA_FP16, 0x3c00, 0x4000, 1000);
        const auto brain = made(function, STARS_DSA_BF16, 0x3f80, 0x4000, 1000);
        for (size_t i = 0; i < 1000; ++i) {
            float number = 0;
            std::memcpy(&number, &wide[4 * i], 4);
            uint16_t bits = 0;
            std::memcpy(&bits, &half[2 * i], 2);
            const int exponent = bits >> 10 & 0x1f;
            const double size = exponent == 0 ? std::ldexp(bits & 0x3ff, -24)
                                              : std::ldexp((bits & 0x3ff) + 0x400, exponent - 25);
            const double from_half = (bits & 0x8000) != 0 ? -size : size;
            CU_ASSERT(std::fabs(from_half - number) <= std::fabs(number) / 2048 + 1e-7);
            std::memcpy(&bits, &brain[2 * i], 2);
            const uint32_t upper = uint32_t{bits} << 16;
            float from_brain = 0;
            std::memcpy(&from_brain, &upper, 4);
            CU_ASSERT(std::fabs(from_brain - number) <= std::fabs(number) / 256);
            if (function == STARS_DSA_TRUNCATED_NORMAL)
                CU_ASSERT(std::fabs(number - 1) <= 4.00001);
        }
    }
}

// T-RND-1: set-up of the SDMA, time of a fill, effect at the end; what is bad fails.
static void test_task()
{
    const uint64_t range[2] = {0, 0xffffffff};
    Rig rig;
    std::memcpy(rig.hbm(kState + 16), range, sizeof(range));
    rig.open(0);
    rig.put(0, random_sqe(STARS_DSA_UNIFORM, STARS_DSA_UINT32, 1 << 16), 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    const tsim::Params &p = rig.params();
    const auto task = rig.phases(TWINSIM_PHASE_TASK, 0).at(0);
    EXPECT_EQ(task.end_ns - task.begin_ns - p.fetch_read.value,
              p.decode.value + p.sdma_setup.value +
                  ((uint64_t{4} << 16) * 1000 + p.hbm_mb_s() - 1) / p.hbm_mb_s() + p.retire.value);
    const auto expected = made(STARS_DSA_UNIFORM, STARS_DSA_UINT32, 0, 0xffffffff, 1 << 16);
    EXPECT_EQ(std::memcmp(rig.hbm(), expected.data(), expected.size()), 0);

    struct Case {
        stars_sqe sqe;
        uint16_t status;
    };
    stars_sqe algorithm = random_sqe(STARS_DSA_UNIFORM, STARS_DSA_UINT32, 4);
    algorithm.word[2] |= 1u << STARS_DSA_ALGORITHM_SHIFT;
    stars_sqe nowhere = random_sqe(STARS_DSA_UNIFORM, STARS_DSA_UINT32, 4);
    nowhere.word[6] = 0x50;
    nowhere.word[7] = 0;
    stars_sqe seed = random_sqe(STARS_DSA_UNIFORM, STARS_DSA_UINT32, 4);
    seed.word[2] &= ~(1u << (STARS_DSA_VALUES_SHIFT + STARS_DSA_SEED)); // an address: 77
    const Case cases[] = {
        {random_sqe(4, STARS_DSA_FP32, 4), STARS_STATUS_BAD_SQE},
        {random_sqe(STARS_DSA_UNIFORM, 7, 4), STARS_STATUS_BAD_SQE},
        {random_sqe(STARS_DSA_NORMAL, STARS_DSA_INT32, 4), STARS_STATUS_BAD_SQE},
        {random_sqe(STARS_DSA_UNIFORM, STARS_DSA_INT32, 0), STARS_STATUS_BAD_SQE},
        {random_sqe(STARS_DSA_UNIFORM, STARS_DSA_INT32, uint64_t{1} << 40), STARS_STATUS_BAD_SQE},
        {algorithm, STARS_STATUS_BAD_SQE},
        {nowhere, STARS_STATUS_BUS_FAULT},
        {seed, STARS_STATUS_BUS_FAULT},
    };
    for (const Case &c : cases) {
        Rig bad;
        bad.open(0);
        bad.put(0, c.sqe, 0);
        bad.run();
        EXPECT_EQ(bad.cqe(0, 0).u.error.status, c.status);
    }
}

static const twin_test tests[] = {
    {"the generator gives the published words", test_generator},
    {"whole numbers and bits", test_numbers},
    {"numbers of all formats are the same but for rounding", test_formats},
    {"a task takes the time of a fill", test_task},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim random", tests, TWIN_COUNT(tests), argc, argv);
}
