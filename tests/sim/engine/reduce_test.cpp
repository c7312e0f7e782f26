// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a reducing DMA against another way of computing the same: numbers as double,
// rounded by dividing by the distance between neighbours.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "core/work/memory.h"
#include "rig.h"

using tsim::ReduceOp;
using tsim::ReduceType;

namespace
{

constexpr uint64_t kKiB = 1024;

// A format with its widths; everything about it follows from them.
struct Format {
    ReduceType type;
    int exponent_bits;
    int fraction_bits;

    [[nodiscard]] int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    [[nodiscard]] uint32_t sign() const { return 1u << (exponent_bits + fraction_bits); }
    [[nodiscard]] uint32_t infinity() const { return ((1u << exponent_bits) - 1) << fraction_bits; }

    [[nodiscard]] double value(uint32_t bits) const
    {
        const uint32_t size = bits & (sign() - 1);
        const auto exponent = static_cast<int>(size >> fraction_bits);
        const auto fraction = static_cast<double>(size & ((1u << fraction_bits) - 1));
        double number = 0;
        if (size >= infinity())
            number = size == infinity() ? std::numeric_limits<double>::infinity()
                                        : std::numeric_limits<double>::quiet_NaN();
        else if (exponent == 0)
            number = std::ldexp(fraction, 1 - bias() - fraction_bits);
        else
            number = std::ldexp(fraction + std::ldexp(1.0, fraction_bits),
                                exponent - bias() - fraction_bits);
        return (bits & sign()) != 0 ? -number : number;
    }

    [[nodiscard]] uint32_t bits(double number) const
    {
        if (std::isnan(number))
            return infinity() | 1u << (fraction_bits - 1);
        const uint32_t negative = std::signbit(number) ? sign() : 0;
        const double size = std::fabs(number);
        if (size == 0)
            return negative;
        if (std::isinf(size))
            return negative | infinity();
        int exponent = 0;
        std::frexp(size, &exponent); // size below 2^exponent
        const int least = 1 - bias();
        const int step = std::max(exponent - 1, least) - fraction_bits;
        const double steps = std::nearbyint(std::ldexp(size, -step));
        if (std::ldexp(steps, step) >= std::ldexp(1.0, bias() + 1))
            return negative | infinity();
        // Neighbours have neighbouring numbers, across exponents too.
        const auto count = static_cast<uint32_t>(steps);
        const auto above = static_cast<uint32_t>(step + fraction_bits - least);
        return negative | ((above << fraction_bits) + count);
    }
};

constexpr Format kHalf{ReduceType::kFp16, 5, 10};
constexpr Format kBrain{ReduceType::kBf16, 8, 7};
constexpr Format kSingle{ReduceType::kFp32, 8, 23};

uint32_t expected(const Format &f, uint32_t a, uint32_t b, ReduceOp op)
{
    const double x = f.value(a);
    const double y = f.value(b);
    if (op == ReduceOp::kAdd)
        return f.bits(x + y);
    if (std::isnan(x) || std::isnan(y))
        return f.bits(std::numeric_limits<double>::quiet_NaN());
    const bool first_is_less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
    return first_is_less == (op == ReduceOp::kMax) ? b : a;
}

template <typename Word>
void compare(const Format &f, const std::vector<Word> &first, const std::vector<Word> &second)
{
    for (const ReduceOp op : {ReduceOp::kAdd, ReduceOp::kMax, ReduceOp::kMin}) {
        uint32_t wrong = 0;
        for (const Word b : second) {
            std::vector<Word> dst = first;
            const std::vector<Word> src(first.size(), b);
            tsim::reduce(dst.data(), src.data(), dst.size() * sizeof(Word), op, f.type);
            for (size_t i = 0; i < first.size(); ++i)
                wrong += dst[i] != static_cast<Word>(expected(f, first[i], b, op));
        }
        EXPECT_EQ(wrong, 0);
    }
}

std::vector<uint16_t> all_of_16_bits()
{
    std::vector<uint16_t> all(65536);
    for (uint32_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<uint16_t>(i);
    return all;
}

// Zeros, the smallest and largest of each kind, one and its neighbours, infinities, NaN; then any.
template <typename Word>
std::vector<Word> sample(const Format &f, size_t count)
{
    std::vector<uint32_t> some = {0,
                                  1,
                                  2,
                                  (1u << f.fraction_bits) - 1,
                                  1u << f.fraction_bits,
                                  (1u << f.fraction_bits) + 1,
                                  f.bits(1.0) - 1,
                                  f.bits(1.0),
                                  f.bits(1.0) + 1,
                                  f.bits(3.0),
                                  f.infinity() - 1,
                                  f.infinity(),
                                  f.infinity() + 1,
                                  f.sign() - 1};
    const size_t positive = some.size();
    for (size_t i = 0; i < positive; ++i)
        some.push_back(some[i] | f.sign());
    std::mt19937 random(4711);
    while (some.size() < count)
        some.push_back(static_cast<uint32_t>(random()));
    std::vector<Word> words;
    words.reserve(some.size());
    for (const uint32_t bits : some)
        words.push_back(static_cast<Word>(bits));
    return words;
}

template <typename Word>
void compare_whole(ReduceType type)
{
    std::mt19937 random(17);
    std::vector<Word> a = {0, 1, std::numeric_limits<Word>::max(),
                           std::numeric_limits<Word>::min()};
    while (a.size() < 4096)
        a.push_back(static_cast<Word>(random()));
    const auto any = [&random](size_t limit) { return random() % limit; };
    for (const ReduceOp op : {ReduceOp::kAdd, ReduceOp::kMax, ReduceOp::kMin}) {
        std::vector<Word> b(a.size());
        for (Word &word : b)
            word = a[any(a.size())];
        std::vector<Word> dst = a;
        tsim::reduce(dst.data(), b.data(), dst.size() * sizeof(Word), op, type);
        uint32_t wrong = 0;
        for (size_t i = 0; i < a.size(); ++i) {
            using Unsigned = std::make_unsigned_t<Word>;
            const auto sum = static_cast<Word>(static_cast<Unsigned>(
                static_cast<uint64_t>(static_cast<Unsigned>(a[i])) + static_cast<Unsigned>(b[i])));
            const Word want = op == ReduceOp::kAdd   ? sum
                              : op == ReduceOp::kMax ? std::max(a[i], b[i])
                                                     : std::min(a[i], b[i]);
            wrong += dst[i] != want;
        }
        EXPECT_EQ(wrong, 0);
    }
}

} // namespace

// T-DMA-21, T-DMA-22: every fp16 number with a sample of others.
static void test_fp16()
{
    compare<uint16_t>(kHalf, all_of_16_bits(), sample<uint16_t>(kHalf, 96));
}

static void test_bf16()
{
    compare<uint16_t>(kBrain, all_of_16_bits(), sample<uint16_t>(kBrain, 96));
}

// The sum of two fp32 numbers as double has 53 bits: enough that rounding twice is rounding once.
static void test_fp32()
{
    compare<uint32_t>(kSingle, sample<uint32_t>(kSingle, 3000), sample<uint32_t>(kSingle, 300));
    // neighbours in size, where digits cancel
    std::mt19937 random(99);
    std::vector<uint32_t> near;
    near.reserve(2000);
    for (int i = 0; i < 2000; ++i)
        near.push_back((random() & 0x80ffffffu) | 0x3f000000u);
    compare<uint32_t>(kSingle, near, {near.begin(), near.begin() + 300});
}

// T-DMA-20.
static void test_whole_numbers()
{
    compare_whole<int8_t>(ReduceType::kInt8);
    compare_whole<int16_t>(ReduceType::kInt16);
    compare_whole<int32_t>(ReduceType::kInt32);
    compare_whole<uint8_t>(ReduceType::kUint8);
    compare_whole<uint16_t>(ReduceType::kUint16);
    compare_whole<uint32_t>(ReduceType::kUint32);
}

// Nothing depends on the alignment of the elements, and bytes after the last one stay.
static void test_unaligned()
{
    unsigned char dst[16] = {0};
    unsigned char src[16] = {0};
    const uint32_t one = 1;
    std::memcpy(dst + 1, &one, 4);
    std::memcpy(src + 3, &one, 4);
    dst[5] = 77;
    tsim::reduce(dst + 1, src + 3, 4, ReduceOp::kAdd, ReduceType::kInt32);
    uint32_t sum = 0;
    std::memcpy(&sum, dst + 1, 4);
    EXPECT_EQ(sum, 2);
    EXPECT_EQ(dst[0], 0);
    EXPECT_EQ(dst[5], 77);
}

// T-DMA-5: all bytes change at once, so each element meets what was there, whichever way the ranges
// overlap.
static void test_overlap()
{
    constexpr size_t kCount = 300;
    for (const size_t distance : {0u, 1u, 2u, 7u, 299u}) {
        for (const bool up : {false, true}) {
            std::vector<int32_t> all(kCount + distance);
            for (size_t i = 0; i < all.size(); ++i)
                all[i] = static_cast<int32_t>(i * i % 1009);
            const std::vector<int32_t> before = all;
            const size_t dst = up ? distance : 0;
            const size_t src = up ? 0 : distance;
            tsim::reduce(all.data() + dst, all.data() + src, kCount * 4, ReduceOp::kAdd,
                         ReduceType::kInt32);
            for (size_t i = 0; i < all.size(); ++i) {
                const bool in = i >= dst && i < dst + kCount;
                EXPECT_EQ(all[i], before[i] + (in ? before[i - dst + src] : 0));
            }
        }
    }
}

// ---- as a task
// -----------------------------------------------------------------------------------

// T-DMA-20, T-DMA-23: the result is there, at the time that reading both and writing one takes.
static void test_task()
{
    const tsim::Params &p = shipped_profile().params();
    Rig rig;
    rig.open(0);
    constexpr uint32_t kCount = 64 * kKiB;
    auto *a = reinterpret_cast<int32_t *>(rig.hbm());
    auto *b = reinterpret_cast<int32_t *>(rig.hbm(1 << 20));
    for (uint32_t i = 0; i < kCount; ++i) {
        a[i] = static_cast<int32_t>(i);
        b[i] = -static_cast<int32_t>(2 * i);
    }
    rig.put(0,
            sqe_sdma_reduce(Rig::kHbm, Rig::kHbm + (1 << 20), kCount * 4, STARS_SDMA_OP_ADD,
                            STARS_SDMA_INT32),
            0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < kCount; ++i)
        wrong += a[i] != -static_cast<int32_t>(i) || b[i] != -static_cast<int32_t>(2 * i);
    EXPECT_EQ(wrong, 0);
    const auto moved = rig.phases(TWINSIM_PHASE_TRANSFER).at(0);
    const uint64_t load = 3ull * kCount * 4 * 1000;
    EXPECT_EQ(moved.end_ns - moved.begin_ns, (load + p.hbm_mb_s() - 1) / p.hbm_mb_s());
}

// T-DMA-23: from the host PCIe carries the bytes once; between devices HCCS does.
static void test_task_from_elsewhere()
{
    const tsim::Params &p = shipped_profile().params();
    Rig::Options options;
    options.devices = 2;
    Rig rig(options, nullptr);
    rig.open(0);
    constexpr uint32_t kBytes = 1 << 20;
    std::memset(rig.host(), 3, kBytes);
    std::memset(rig.hbm(0), 4, kBytes);
    std::memset(rig.hbm(0, 1), 5, kBytes);
    rig.put(0, sqe_sdma_reduce(Rig::kHbm, Rig::kHost, kBytes, STARS_SDMA_OP_ADD, STARS_SDMA_UINT8),
            0);
    rig.put(0,
            sqe_sdma_reduce(2 * Rig::kHbm, Rig::kHbm, kBytes, STARS_SDMA_OP_MAX, STARS_SDMA_UINT8),
            0);
    rig.run();
    EXPECT_EQ(*rig.hbm(kBytes - 1), 7);
    EXPECT_EQ(*rig.hbm(kBytes - 1, 1), 7);
    const auto moved = rig.phases(TWINSIM_PHASE_TRANSFER);
    EXPECT_EQ(moved.at(0).end_ns - moved.at(0).begin_ns,
              (kBytes * 1000ull + p.pcie_to_device.value - 1) / p.pcie_to_device.value);
    EXPECT_EQ(moved.at(1).end_ns - moved.at(1).begin_ns,
              (kBytes * 1000ull + p.hccs_pair.value - 1) / p.hccs_pair.value);
}

// T-DMA-8, T-DMA-20, T-DMA-24: what makes no sense fails and changes nothing.
static void test_bad_tasks()
{
    struct Case {
        stars_sqe sqe;
        uint16_t status;
    };
    const auto reduce = [](uint64_t dst, uint64_t src, uint32_t bytes, uint32_t op, uint32_t type) {
        return sqe_sdma_reduce(dst, src, bytes, op, type);
    };
    const Case cases[] = {
        {reduce(Rig::kHbm, Rig::kHbm + 64, 64, STARS_SDMA_OP_EQUAL, STARS_SDMA_INT32),
         STARS_STATUS_BAD_SQE},
        {reduce(Rig::kHbm, Rig::kHbm + 64, 64, 10, STARS_SDMA_INT32), STARS_STATUS_BAD_SQE},
        {reduce(Rig::kHbm, Rig::kHbm + 64, 64, STARS_SDMA_OP_ADD, STARS_SDMA_BF16 + 1),
         STARS_STATUS_BAD_SQE},
        {reduce(Rig::kHbm, Rig::kHbm + 64, 62, STARS_SDMA_OP_ADD, STARS_SDMA_FP32),
         STARS_STATUS_BAD_SQE},
        {reduce(Rig::kHbm + 1, Rig::kHbm + 64, 64, STARS_SDMA_OP_ADD, STARS_SDMA_FP16),
         STARS_STATUS_BAD_SQE},
        {reduce(Rig::kHbm, Rig::kHbm + 66, 64, STARS_SDMA_OP_ADD, STARS_SDMA_INT32),
         STARS_STATUS_BAD_SQE},
        {reduce(Rig::kHbm, Rig::kHbm + 64, 0, STARS_SDMA_OP_ADD, STARS_SDMA_INT8),
         STARS_STATUS_BAD_SQE},
        {reduce(Rig::kHost, Rig::kHbm + 64, 64, STARS_SDMA_OP_ADD, STARS_SDMA_INT8),
         STARS_STATUS_BUS_FAULT},
    };
    for (const Case &c : cases) {
        Rig rig;
        rig.open(0);
        std::memset(rig.hbm(), 1, 256);
        std::memset(rig.host(), 1, 256);
        rig.put(0, c.sqe, 0);
        rig.run();
        EXPECT_EQ(rig.cqe(0, 0).u.error.status, c.status);
        EXPECT_EQ(rig.retired(0), 0);
        for (uint32_t i = 0; i < 256; ++i)
            CU_ASSERT(*rig.hbm(i) == 1 && *rig.host(i) == 1);
    }
}

static const twin_test tests[] = {
    {"fp16: every number with a sample", test_fp16},
    {"bf16: every number with a sample", test_bf16},
    {"fp32: samples and numbers close to each other", test_fp32},
    {"whole numbers of six types", test_whole_numbers},
    {"elements may lie anywhere", test_unaligned},
    {"ranges that overlap are read as they were", test_overlap},
    {"a task reduces and takes the time of three accesses", test_task},
    {"operands from the host and from another device", test_task_from_elsewhere},
    {"bad combinations are bad SQEs", test_bad_tasks},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim reduce", tests, TWIN_COUNT(tests), argc, argv);
}
