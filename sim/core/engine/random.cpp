// SPDX-License-Identifier: Apache-2.0
#include "core/engine/random.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "twinsim/stars.h"

namespace tsim
{

namespace
{

constexpr uint64_t kBytesMost = uint64_t{1} << 40;
constexpr double kPi = 3.14159265358979323846;

/// The blocks that follow a counter.
class Stream
{
  public:
    explicit Stream(const RandomTask &task) : task_(task) {}

    /// The block `number` blocks after the counter, modulo 2^128; `again`: 2^64 blocks each.
    [[nodiscard]] RandomWords block(uint64_t number, uint64_t again = 0) const
    {
        const uint64_t low = task_.counter[0] + number;
        const uint64_t high = task_.counter[1] + again + (low < number ? 1 : 0);
        return philox({static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                       static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)},
                      task_.seed);
    }
    /// Word `index` of all blocks.
    [[nodiscard]] uint32_t word(uint64_t index)
    {
        if (index / 4 != at_ || !is_valid_) {
            at_ = index / 4;
            words_ = block(at_);
            is_valid_ = true;
        }
        return words_[index % 4];
    }

  private:
    const RandomTask &task_;
    uint64_t at_ = 0;
    bool is_valid_ = false;
    RandomWords words_{};
};

/// The number of `exponent` and `fraction` bits, sign on top, that is nearest; ties to even.
[[nodiscard]] uint16_t encode(double value, int exponent_bits, int fraction_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const auto infinity = static_cast<uint16_t>(((1 << exponent_bits) - 1) << fraction_bits);
    const double size = std::fabs(value);
    if (std::isnan(value))
        return static_cast<uint16_t>(infinity | 1 << (fraction_bits - 1));
    if (std::isinf(value))
        return sign | infinity;
    const int power = size == 0 ? 1 - bias : std::max(std::ilogb(size), 1 - bias);
    if (power > bias)
        return sign | infinity;
    // In units of the last place: a carry moves into the exponent by itself.
    const auto units =
        static_cast<uint32_t>(std::nearbyint(std::ldexp(size, fraction_bits - power)));
    const uint32_t hidden = 1u << fraction_bits;
    const uint32_t bits =
        units < hidden ? units : (static_cast<uint32_t>(power + bias - 1) << fraction_bits) + units;
    return static_cast<uint16_t>(sign | std::min<uint32_t>(bits, infinity));
}

[[nodiscard]] double decode_fp16(uint16_t bits)
{
    const int exponent = bits >> 10 & 0x1f;
    const int fraction = bits & 0x3ff;
    const double size = exponent == 0x1f ? (fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                                                          : std::numeric_limits<double>::infinity())
                        : exponent == 0  ? std::ldexp(fraction, -24)
                                         : std::ldexp(fraction + 0x400, exponent - 25);
    return (bits & 0x8000) != 0 ? -size : size;
}

[[nodiscard]] double decode(uint32_t type, uint64_t bits)
{
    if (type == STARS_DSA_FP16)
        return decode_fp16(static_cast<uint16_t>(bits));
    const auto word = static_cast<uint32_t>(type == STARS_DSA_BF16 ? (bits & 0xffff) << 16 : bits);
    float number = 0;
    std::memcpy(&number, &word, sizeof(number));
    return number;
}

void put(uint32_t type, unsigned char *to, uint64_t index, double value)
{
    if (type == STARS_DSA_FP32) {
        const auto number = static_cast<float>(value);
        std::memcpy(to + 4 * index, &number, 4);
        return;
    }
    const uint16_t bits = type == STARS_DSA_FP16 ? encode(value, 5, 10) : encode(value, 8, 7);
    std::memcpy(to + 2 * index, &bits, 2);
}

/// 24 bits, in [0, 1).
[[nodiscard]] double unit(uint32_t word)
{
    return std::ldexp(static_cast<double>(word >> 8), -24);
}

/// Box and Muller: two numbers of the standard normal distribution.
[[nodiscard]] std::array<double, 2> normal_pair(uint32_t a, uint32_t b)
{
    const double length = std::sqrt(-2 * std::log(unit(a) + std::ldexp(1, -24)));
    const double angle = 2 * kPi * unit(b);
    return {length * std::cos(angle), length * std::sin(angle)};
}

/// T-RND-6: the first of a block's four that is at most 2 from 0; if none is, of a block far away.
[[nodiscard]] double truncated(const Stream &stream, uint64_t index)
{
    for (uint64_t again = 0;; ++again) {
        const RandomWords words = stream.block(index, again);
        for (const size_t first : {size_t{0}, size_t{2}})
            for (const double z : normal_pair(words[first], words[first + 1]))
                if (std::fabs(z) <= 2)
                    return z;
    }
}

// T-RND-3.
void make_dropout(const RandomTask &task, unsigned char *to)
{
    Stream stream(task);
    const double ratio = decode(task.type, task.first);
    const auto limit = static_cast<uint64_t>(std::ldexp(ratio > 0 ? std::min(ratio, 1.0) : 0, 32));
    std::memset(to, 0, random_bytes(task.function, task.type, task.count));
    for (uint64_t i = 0; i < task.count; ++i)
        if (stream.word(i) >= limit)
            to[i / 8] = static_cast<unsigned char>(to[i / 8] | 1u << i % 8);
}

// T-RND-4.
template <typename Word, typename Wide>
void make_whole(const RandomTask &task, unsigned char *to, bool is_signed)
{
    Stream stream(task);
    const auto least = static_cast<Word>(task.first);
    const auto limit = static_cast<Word>(task.second);
    const Word top = is_signed ? Word{1} << (8 * sizeof(Word) - 1) : Word{0};
    const Word range = (limit ^ top) > (least ^ top) ? static_cast<Word>(limit - least) : Word{0};
    constexpr uint64_t kWords = sizeof(Word) / 4;
    for (uint64_t i = 0; i < task.count; ++i) {
        Word drawn = 0;
        for (uint64_t part = 0; part < kWords; ++part)
            drawn |= static_cast<Word>(stream.word(kWords * i + part)) << (32 * part);
        const auto value =
            static_cast<Word>(least + static_cast<Word>(Wide{drawn} * range >> 8 * sizeof(Word)));
        std::memcpy(to + sizeof(Word) * i, &value, sizeof(Word));
    }
}

// T-RND-5, T-RND-6, T-RND-7.
void make_real(const RandomTask &task, unsigned char *to)
{
    Stream stream(task);
    const double first = decode(task.type, task.first);
    const double second = decode(task.type, task.second);
    for (uint64_t i = 0; i < task.count; ++i) {
        double value = 0;
        if (task.function == STARS_DSA_UNIFORM)
            value = first + unit(stream.word(i)) * (second - first);
        else if (task.function == STARS_DSA_TRUNCATED_NORMAL)
            value = first + second * truncated(stream, i);
        else
            value = first +
                    second * normal_pair(stream.word(i & ~uint64_t{1}), stream.word(i | 1))[i & 1];
        put(task.type, to, i, value);
    }
}

} // namespace

RandomWords philox(const RandomWords &counter, uint64_t key)
{
    RandomWords c = counter;
    auto k0 = static_cast<uint32_t>(key);
    auto k1 = static_cast<uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const uint64_t a = uint64_t{0xd2511f53} * c[0];
        const uint64_t b = uint64_t{0xcd9e8d57} * c[2];
        c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
             static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    return c;
}

uint32_t random_element_bytes(uint32_t type)
{
    static constexpr uint32_t kBytes[] = {4, 8, 4, 8, 2, 2, 4};
    return type < sizeof(kBytes) / sizeof(kBytes[0]) ? kBytes[type] : 0;
}

uint64_t random_bytes(uint32_t function, uint32_t type, uint64_t count)
{
    if (function > STARS_DSA_TRUNCATED_NORMAL || random_element_bytes(type) == 0 ||
        (function != STARS_DSA_UNIFORM && type < STARS_DSA_BF16) || count >= kBytesMost)
        return 0;
    const uint64_t bytes =
        function == STARS_DSA_DROPOUT ? (count + 7) / 8 : count * random_element_bytes(type);
    return bytes < kBytesMost ? bytes : 0;
}

void make_random(const RandomTask &task, unsigned char *to)
{
    if (task.function == STARS_DSA_DROPOUT)
        make_dropout(task, to);
    else if (task.type == STARS_DSA_INT32 || task.type == STARS_DSA_UINT32)
        make_whole<uint32_t, uint64_t>(task, to, task.type == STARS_DSA_INT32);
    else if (task.type == STARS_DSA_INT64 || task.type == STARS_DSA_UINT64)
        make_whole<uint64_t, unsigned __int128>(task, to, task.type == STARS_DSA_INT64);
    else
        make_real(task, to);
}

} // namespace tsim
