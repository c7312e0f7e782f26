// SPDX-License-Identifier: Apache-2.0
#include "job_top.h"

#include <verilated.h>

#include <algorithm>

#include <Vnpu_top.h>

#include "top_system.h"

namespace job
{

Top::Top() : context_(std::make_unique<VerilatedContext>())
{
    context_->threads(1);
    context_->fatalOnError(false); // the job is reported, and made smaller
    top_ = std::make_unique<Vnpu_top>(context_.get(), "npu_top");
}

Top::~Top()
{
    top_->final();
}

Outcome Top::run(const Job &job, bool brief)
{
    constexpr uint64_t kBrief = 300000; // clocks; a job works for some hundred a task
    Outcome out;
    context_->gotError(false);
    context_->gotFinish(false);
    NoWave no_wave;
    TopSystem<Vnpu_top> system(job, *top_, no_wave,
                               brief ? kBrief : TopSystem<Vnpu_top>::kPatience);
    TopNotes notes(job, system.done(), out);
    system.set_notes(&notes);
    system.run();
    system.end(out);
    std::sort(out.spans.begin(), out.spans.end());
    return out;
}

} // namespace job
