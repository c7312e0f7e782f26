// SPDX-License-Identifier: Apache-2.0
/// A driver of kernels for block tests: descriptions by the number in an SQE's start PC, and a
/// diary.
#ifndef TWINRT_TESTS_SIM_KERNELS_H
#define TWINRT_TESTS_SIM_KERNELS_H

#include <map>
#include <utility>
#include <vector>

#include "rig.h"

using StepList = std::vector<twin_step>;

inline twin_step op(uint32_t pipe, uint32_t kind, uint64_t amount, uint32_t flag = 0,
                    uint32_t hit = TWIN_HIT_DEFAULT)
{
    twin_step out{};
    out.pipe = static_cast<uint8_t>(pipe);
    out.kind = static_cast<uint8_t>(kind);
    out.flag = static_cast<uint16_t>(flag);
    out.hit_permille = static_cast<uint16_t>(hit);
    out.amount = amount;
    return out;
}
inline twin_step work(uint32_t pipe, uint64_t cycles)
{
    return op(pipe, TWIN_STEP_WORK, cycles);
}
inline twin_step read_gm(uint64_t bytes, uint32_t hit = TWIN_HIT_DEFAULT)
{
    return op(TWIN_PIPE_MTE2, TWIN_STEP_READ, bytes, 0, hit);
}
inline twin_step write_gm(uint64_t bytes, uint32_t hit = TWIN_HIT_DEFAULT)
{
    return op(TWIN_PIPE_MTE3, TWIN_STEP_WRITE, bytes, 0, hit);
}
inline twin_step set_flag(uint32_t pipe, uint32_t flag)
{
    return op(pipe, TWIN_STEP_SET, 0, flag);
}
inline twin_step wait_flag(uint32_t pipe, uint32_t flag)
{
    return op(pipe, TWIN_STEP_WAIT, 0, flag);
}

class Kernels : public Rig::KernelDriver
{
  public:
    struct Note {
        uint32_t sq;
        uint64_t number;
        uint32_t context = 0; ///< of an FFTS+ task
    };

    /// What kernels with this start PC do: one step list per part of a block, or that for each
    /// block.
    void set(uint64_t pc, std::vector<StepList> lists)
    {
        Entry &entry = entries_[pc];
        entry.lists = std::move(lists);
        entry.list.clear();
        for (const StepList &list : entry.lists)
            entry.list.push_back({list.data(), list.size()});
    }
    void fail(uint64_t pc, twinsim_kernel_fault fault) { entries_[pc].fault = fault; }
    void say_exception(uint64_t pc, twinsim_kernel_fault what) { entries_[pc].exception = what; }
    void fail_effect(twinsim_kernel_fault fault) { effect_fault_ = fault; }
    [[nodiscard]] twinsim_kernel description(uint64_t pc) const
    {
        const Entry &entry = entries_.at(pc);
        return {entry.list.data(), entry.list.size(), entry.fault, entry.exception};
    }

    bool later = false; ///< descriptions come by twinsim_kernel_give
    std::vector<Note> asked, effects, ends;

    twinsim_kernel_answer describe(const twinsim_kernel_task &task, twinsim_kernel &out) override
    {
        asked.push_back({task.sq, task.number, task.context});
        if (later)
            return TWINSIM_KERNEL_LATER;
        out = description(task.ffts ? task.ffts->word[24] : task.sqe->word[8]);
        return TWINSIM_KERNEL_READY;
    }
    twinsim_kernel_fault effect(uint32_t, uint32_t sq, uint64_t number, uint32_t of) override
    {
        effects.push_back({sq, number, of});
        if (on_effect)
            on_effect();
        return effect_fault_;
    }
    void end(uint32_t, uint32_t sq, uint64_t number, uint32_t of) override
    {
        ends.push_back({sq, number, of});
    }
    std::function<void()> on_effect;

  private:
    struct Entry {
        std::vector<StepList> lists;
        std::vector<twin_steps> list;
        twinsim_kernel_fault fault = TWINSIM_KERNEL_GOOD;
        twinsim_kernel_fault exception = TWINSIM_KERNEL_GOOD;
    };
    std::map<uint64_t, Entry> entries_;
    twinsim_kernel_fault effect_fault_ = TWINSIM_KERNEL_GOOD;
};

/// A system with such a driver; trace on. All cores start as fast as one (T-CORE-24) unless the
/// tweak says otherwise.
struct KernelRig {
    Kernels kernels;
    Rig rig;
    explicit KernelRig(const Rig::Tweak &tweak = nullptr, uint64_t seed = 0)
        : rig(options(kernels, seed), [&tweak](tsim::Params &p) {
              p.core_crowd.value = 0;
              if (tweak)
                  tweak(p);
          })
    {
    }
    /// From the issue of its first block to the end of its last, of a queue's first kernel.
    uint64_t span(uint32_t sq)
    {
        const auto record = rig.phases(TWINSIM_PHASE_KERNEL, sq).at(0);
        return record.end_ns - record.begin_ns;
    }
    /// Issue to first operation.
    uint64_t start() const
    {
        const tsim::Params &p = rig.params();
        return p.core_dispatch.value + p.core_init.value + p.core_software.value;
    }

  private:
    static Rig::Options options(Kernels &kernels, uint64_t seed)
    {
        Rig::Options out;
        out.kernels = &kernels;
        out.seed = seed;
        return out;
    }
};

#endif
