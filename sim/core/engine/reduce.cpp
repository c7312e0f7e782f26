// SPDX-License-Identifier: Apache-2.0
/// Floating point is done in whole numbers, so that nothing depends on how the host's unit is set.
#include "core/engine/reduce.h"

#include <cstring>
#include <type_traits>
#include <utility>

namespace tsim
{

namespace
{

/// A binary format of sign, E bits of exponent and M bits of fraction, in the low bits of a Word.
template <typename Word, unsigned E, unsigned M>
struct Float {
    static constexpr uint32_t kExponents = (1u << E) - 1;
    static constexpr uint32_t kFraction = (1u << M) - 1;
    static constexpr uint32_t kHidden = 1u << M;
    static constexpr uint32_t kSign = 1u << (E + M);
    static constexpr uint32_t kInfinity = kExponents << M;
    static constexpr uint32_t kNan = kInfinity | 1u << (M - 1); // T-DMA-22

    [[nodiscard]] static bool is_nan(uint32_t a) { return (a & ~kSign) > kInfinity; }

    /// Larger for a larger number; -0 is below +0.
    [[nodiscard]] static int32_t order(uint32_t a)
    {
        const auto size = static_cast<int32_t>(a & ~kSign);
        return (a & kSign) != 0 ? -size - 1 : size;
    }

    [[nodiscard]] static uint32_t pick(uint32_t a, uint32_t b, bool larger)
    {
        if (is_nan(a) || is_nan(b))
            return kNan;
        return (order(a) < order(b)) == larger ? b : a;
    }

    /// To the nearest, ties to even (T-DMA-21).
    [[nodiscard]] static uint32_t add(uint32_t a, uint32_t b)
    {
        if (is_nan(a) || is_nan(b))
            return kNan;
        if ((a & ~kSign) < (b & ~kSign))
            std::swap(a, b);
        const bool minus = ((a ^ b) & kSign) != 0;
        if ((a & ~kSign) == kInfinity)
            return minus && (b & ~kSign) == kInfinity ? kNan : a;

        // Three more bits: two of the fraction and one for all that are shifted out.
        constexpr unsigned kExtra = 3;
        uint32_t exponent = exponent_of(a);
        const uint32_t shift = exponent - exponent_of(b);
        uint32_t sum = fraction_of(a) << kExtra;
        uint32_t low = fraction_of(b) << kExtra;
        if (shift > M + kExtra)
            low = low != 0;
        else
            low = low >> shift | ((low & ((1u << shift) - 1)) != 0);
        sum = minus ? sum - low : sum + low;
        if (sum == 0)
            return minus ? 0 : a & kSign; // x - x is +0

        if (sum >= kHidden << (kExtra + 1)) {
            sum = sum >> 1 | (sum & 1);
            ++exponent;
        }
        while (sum < kHidden << kExtra && exponent > 1) {
            sum <<= 1;
            --exponent;
        }
        const uint32_t rest = sum & ((1u << kExtra) - 1);
        sum >>= kExtra;
        constexpr uint32_t kHalf = 1u << (kExtra - 1);
        if (rest > kHalf || (rest == kHalf && (sum & 1) != 0))
            ++sum;
        if (sum >= kHidden << 1) {
            sum >>= 1;
            ++exponent;
        }
        const uint32_t sign = a & kSign;
        if (sum < kHidden)
            return sign | sum; // subnormal
        if (exponent >= kExponents)
            return sign | kInfinity;
        return sign | exponent << M | (sum & kFraction);
    }

    [[nodiscard]] static uint32_t exponent_of(uint32_t a)
    {
        const uint32_t exponent = a >> M & kExponents;
        return exponent == 0 ? 1 : exponent;
    }
    [[nodiscard]] static uint32_t fraction_of(uint32_t a)
    {
        return (a & kFraction) | ((a >> M & kExponents) != 0 ? kHidden : 0);
    }

    [[nodiscard]] static Word combine(Word a, Word b, ReduceOp op)
    {
        return static_cast<Word>(op == ReduceOp::kAdd ? add(a, b)
                                                      : pick(a, b, op == ReduceOp::kMax));
    }
    using Element = Word;
};

/// Whole numbers; a sum that does not fit loses its upper bits (T-DMA-20).
template <typename Word>
struct Whole {
    [[nodiscard]] static Word combine(Word a, Word b, ReduceOp op)
    {
        if (op == ReduceOp::kAdd)
            return static_cast<Word>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
        return (a < b) == (op == ReduceOp::kMax) ? b : a;
    }
    using Element = Word;
};

template <typename Kind>
void combine_all(void *dst, const void *src, uint64_t bytes, ReduceOp op)
{
    using Element = typename Kind::Element;
    auto *to = static_cast<unsigned char *>(dst);
    const auto *from = static_cast<const unsigned char *>(src);
    const auto combine = [=](uint64_t at) {
        Element a;
        Element b;
        std::memcpy(&a, to + at, sizeof(a));
        std::memcpy(&b, from + at, sizeof(b));
        a = Kind::combine(a, b, op);
        std::memcpy(to + at, &a, sizeof(a));
    };
    const uint64_t end = bytes / sizeof(Element) * sizeof(Element);
    if (to > from && to < from + bytes) { // from the last: what is read is not written before
        for (uint64_t at = end; at > 0; at -= sizeof(Element))
            combine(at - sizeof(Element));
        return;
    }
    for (uint64_t at = 0; at < end; at += sizeof(Element))
        combine(at);
}

} // namespace

uint32_t reduce_element_bytes(uint32_t type)
{
    switch (static_cast<ReduceType>(type)) {
    case ReduceType::kInt8:
    case ReduceType::kUint8:
        return 1;
    case ReduceType::kInt16:
    case ReduceType::kUint16:
    case ReduceType::kFp16:
    case ReduceType::kBf16:
        return 2;
    case ReduceType::kInt32:
    case ReduceType::kUint32:
    case ReduceType::kFp32:
        return 4;
    }
    return 0;
}

void reduce(void *dst, const void *src, uint64_t bytes, ReduceOp op, ReduceType type)
{
    switch (type) {
    case ReduceType::kInt8:
        return combine_all<Whole<int8_t>>(dst, src, bytes, op);
    case ReduceType::kInt16:
        return combine_all<Whole<int16_t>>(dst, src, bytes, op);
    case ReduceType::kInt32:
        return combine_all<Whole<int32_t>>(dst, src, bytes, op);
    case ReduceType::kUint8:
        return combine_all<Whole<uint8_t>>(dst, src, bytes, op);
    case ReduceType::kUint16:
        return combine_all<Whole<uint16_t>>(dst, src, bytes, op);
    case ReduceType::kUint32:
        return combine_all<Whole<uint32_t>>(dst, src, bytes, op);
    case ReduceType::kFp16:
        return combine_all<Float<uint16_t, 5, 10>>(dst, src, bytes, op);
    case ReduceType::kFp32:
        return combine_all<Float<uint32_t, 8, 23>>(dst, src, bytes, op);
    case ReduceType::kBf16:
        return combine_all<Float<uint16_t, 8, 7>>(dst, src, bytes, op);
    }
}

} // namespace tsim
