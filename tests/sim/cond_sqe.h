// SPDX-License-Identifier: Apache-2.0
/// COND SQEs with programs that tests write down.
#ifndef TWINRT_TESTS_SIM_COND_SQE_H
#define TWINRT_TESTS_SIM_COND_SQE_H

#include <cstring>
#include <functional>

#include "backends/sim/queue/cond_program.h"
#include "rig.h"

using Build = std::function<void(sim_cond &)>;

// Memory at rs1 + offset = rs2, which no program of the driver does; offset -2048 .. 2047.
inline void cond_store(sim_cond *c, unsigned rs1, int offset, unsigned rs2, unsigned width)
{
    const uint32_t split = static_cast<uint32_t>(offset) & 0xfffu;
    CU_ASSERT_FATAL(c->length < c->room);
    c->word[c->length++] = STARS_COND_STORE | width << STARS_COND_FUNCTION_SHIFT |
                           rs1 << STARS_COND_RS1_SHIFT | rs2 << STARS_COND_RS2_SHIFT |
                           (split & 0x1fu) << STARS_COND_RD_SHIFT |
                           split >> 5 << STARS_COND_FUNCTION2_SHIFT;
}

inline stars_sqe sqe_cond(const Build &build)
{
    stars_sqe sqe{};
    sqe.word[0] = STARS_SQE_COND;
    sqe.word[3] = STARS_CREDIT_NEVER << STARS_W3_CREDIT_SHIFT;
    sim_cond c;
    sim_cond_begin(&c, &sqe.word[STARS_COND_WORD], STARS_COND_WORDS);
    build(c);
    CU_ASSERT(sim_cond_end(&c));
    return sqe;
}

// A program in device memory at `offset`, and the SQE that calls it.
inline stars_sqe sqe_call(Rig &rig, uint64_t offset, const Build &build)
{
    constexpr uint32_t kRoom = 128;
    uint32_t words[kRoom] = {};
    sim_cond c;
    sim_cond_begin(&c, words, kRoom);
    build(c);
    CU_ASSERT(sim_cond_end(&c));
    std::memcpy(rig.hbm(offset), words, sizeof(words));
    return sqe_cond([&](sim_cond &caller) { sim_cond_call(&caller, Rig::kHbm + offset, kRoom); });
}

inline uint64_t word_at(Rig &rig, uint64_t offset)
{
    uint64_t value = 0;
    std::memcpy(&value, rig.hbm(offset), sizeof(value));
    return value;
}

inline void set_word(Rig &rig, uint64_t offset, uint64_t value)
{
    std::memcpy(rig.hbm(offset), &value, sizeof(value));
}

#endif
