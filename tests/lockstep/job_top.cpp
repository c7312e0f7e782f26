// SPDX-License-Identifier: Apache-2.0
#include "job_top.h"

#include <verilated.h>

#include <algorithm>

#include <Vnpu_top.h>

#include "top_board.h"

namespace job
{

Top::Top() : context_(std::make_unique<VerilatedContext>())
{
    context_->threads(1);
    context_->fatalOnError(false); // the job is told, and made smaller
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
    TopBoard<Vnpu_top> board(job, *top_, no_wave, brief ? kBrief : TopBoard<Vnpu_top>::kPatience);
    TopNotes notes(job, board.done(), out);
    board.tell(&notes);
    board.run();
    board.end(out);
    std::sort(out.spans.begin(), out.spans.end());
    return out;
}

} // namespace job
