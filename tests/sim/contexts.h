// SPDX-License-Identifier: Apache-2.0
/// Tables of contexts for tests of FFTS+ tasks.
#ifndef TWINRT_TESTS_SIM_CONTEXTS_H
#define TWINRT_TESTS_SIM_CONTEXTS_H

#include <algorithm>
#include <cstring>

#include "kernels.h"

constexpr uint64_t kWork = 2, kLong = 3; // start PCs
constexpr uint64_t kWorkCycles = 18000;  // 10 us at 1800 MHz
constexpr uint64_t kTable = 64 << 20;    // offset in device memory

inline stars_ffts_context context_of(uint32_t type, uint32_t waits_for,
                                     std::vector<uint16_t> successors)
{
    stars_ffts_context out{};
    out.word[0] = type | static_cast<uint32_t>(successors.size()) << STARS_FFTS_W0_SUCCESSORS_SHIFT;
    out.word[1] = waits_for << STARS_FFTS_W1_INITIAL_SHIFT | waits_for << STARS_FFTS_W1_LEFT_SHIFT;
    for (size_t i = 0; i < successors.size(); ++i)
        out.word[STARS_FFTS_LIST_WORD + i / 2] |= uint32_t{successors[i]} << (i % 2 * 16);
    out.word[18] = 1u << STARS_FFTS_W18_THREADS_SHIFT;
    return out;
}

inline stars_ffts_context label(uint32_t waits_for, std::vector<uint16_t> successors)
{
    return context_of(STARS_FFTS_LABEL, waits_for, std::move(successors));
}

inline stars_ffts_context kernel(uint32_t type, uint32_t blocks, uint64_t pc,
                                 uint32_t waits_for = 0, std::vector<uint16_t> successors = {},
                                 uint32_t ratio = 0)
{
    stars_ffts_context out = context_of(type, waits_for, std::move(successors));
    out.word[17] = ratio << STARS_FFTS_W17_RATIO_SHIFT | ratio << STARS_FFTS_W17_LAST_SHIFT;
    out.word[STARS_FFTS_BLOCKS_WORD] = blocks | blocks << STARS_FFTS_W19_LAST_SHIFT;
    out.word[24] = static_cast<uint32_t>(pc);
    return out;
}

inline stars_ffts_context copy(uint64_t dst, uint64_t src, uint32_t bytes, uint32_t waits_for = 0,
                               std::vector<uint16_t> successors = {})
{
    stars_ffts_context out = context_of(STARS_FFTS_SDMA, waits_for, std::move(successors));
    out.word[22] = static_cast<uint32_t>(src);
    out.word[23] = static_cast<uint32_t>(src >> 32);
    out.word[25] = static_cast<uint32_t>(dst);
    out.word[26] = static_cast<uint32_t>(dst >> 32);
    out.word[28] = out.word[29] = bytes;
    return out;
}

inline stars_ffts_context notify(uint32_t type, uint32_t id, uint32_t waits_for = 0,
                                 std::vector<uint16_t> successors = {})
{
    stars_ffts_context out = context_of(type, waits_for, std::move(successors));
    out.word[19] = id;
    return out;
}

inline stars_ffts_context value(uint64_t address, uint32_t what, uint32_t waits_for = 0,
                                std::vector<uint16_t> successors = {})
{
    stars_ffts_context out = context_of(STARS_FFTS_WRITE_VALUE, waits_for, std::move(successors));
    out.word[19] = 2 /* 4 bytes */ | STARS_FFTS_W19_VIRTUAL;
    out.word[20] = static_cast<uint32_t>(address);
    out.word[21] = static_cast<uint32_t>(address >> 32);
    out.word[STARS_FFTS_VALUE_WORD] = what;
    return out;
}

/// Puts the table into device memory, and gives the SQE for it.
inline stars_sqe task(Rig &rig, const std::vector<stars_ffts_context> &table, uint32_t ready,
                      uint64_t at = kTable)
{
    std::memcpy(rig.hbm(at), table.data(), table.size() * sizeof(table[0]));
    stars_sqe sqe = sqe_kernel(STARS_KERNEL_FFTS, 1, 0);
    sqe.word[6] = static_cast<uint32_t>(table.size()) | ready << STARS_FFTS_READY_SHIFT;
    sqe.word[STARS_FFTS_ADDRESS_WORD] = static_cast<uint32_t>(Rig::kHbm + at);
    sqe.word[STARS_FFTS_ADDRESS_WORD + 1] = static_cast<uint32_t>((Rig::kHbm + at) >> 32);
    return sqe;
}

inline void teach(KernelRig &k)
{
    k.kernels.set(kWork, {{work(TWIN_PIPE_VECTOR, kWorkCycles)}});
    k.kernels.set(kLong, {{work(TWIN_PIPE_VECTOR, 100 * kWorkCycles)}});
}

/// When the first block of a kernel of a context was issued, and when its last one ended: the block
/// records of kernels on the core with that number.
inline std::vector<twinsim_trace_entry> blocks(KernelRig &k, uint32_t engine)
{
    std::vector<twinsim_trace_entry> found;
    for (const auto &entry : k.rig.phases(TWINSIM_PHASE_BLOCK, 0))
        if (entry.engine == engine)
            found.push_back(entry);
    std::stable_sort(found.begin(), found.end(),
                     [](const auto &a, const auto &b) { return a.begin_ns < b.begin_ns; });
    return found;
}

inline uint32_t word_at(Rig &rig, uint64_t offset)
{
    uint32_t word = 0;
    std::memcpy(&word, rig.hbm(offset), sizeof(word));
    return word;
}

/// Queue 0 has failed with that, and an SQE of another one can have all cores.
inline void expect_failed(KernelRig &k, uint32_t error, uint32_t status)
{
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_EXCEPTION);
    EXPECT_EQ(k.rig.retired(0), 0);
    EXPECT_EQ(k.rig.cqe(0, 0).u.error.code, error);
    EXPECT_EQ(k.rig.cqe(0, 0).u.error.status, status);
    k.rig.open(1);
    k.rig.put(1, sqe_kernel(STARS_KERNEL_MIXED, 20, kWork + 10), k.rig.now());
    k.kernels.set(kWork + 10, {{}, {}, {}});
    k.rig.run();
    EXPECT_EQ(k.rig.retired(1), 1);
}

/// The same of an SQE from its doorbell on.
inline void expect_failure(KernelRig &k, const stars_sqe &sqe, uint32_t error, uint32_t status)
{
    k.rig.open(0);
    k.rig.put(0, sqe, 0);
    k.rig.run();
    expect_failed(k, error, status);
}

#endif
