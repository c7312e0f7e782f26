// SPDX-License-Identifier: Apache-2.0
/// The arithmetic of a DMA that reduces: dst[i] = dst[i] (operation) src[i]. Rules T-DMA-20 to
/// T-DMA-23.
#ifndef TWINSIM_CORE_ENGINE_REDUCE_H
#define TWINSIM_CORE_ENGINE_REDUCE_H

#include <cstdint>

namespace tsim
{

/// How elements are combined; the low nibble of an SDMA opcode.
enum class ReduceOp : uint8_t { kAdd = 1, kMax = 2, kMin = 3 };

/// What elements are; the high nibble of an SDMA opcode.
enum class ReduceType : uint8_t {
    kInt8,
    kInt16,
    kInt32,
    kUint8,
    kUint16,
    kUint32,
    kFp16,
    kFp32,
    kBf16
};

/// Bytes of an element; 0 for a number that names no type.
[[nodiscard]] uint32_t reduce_element_bytes(uint32_t type);

/// Combines `bytes` bytes, a whole number of elements, without regard to alignment. Where the
/// ranges overlap, src is read as it was before (T-DMA-5).
void reduce(void *dst, const void *src, uint64_t bytes, ReduceOp op, ReduceType type);

} // namespace tsim

#endif
