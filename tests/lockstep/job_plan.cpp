// SPDX-License-Identifier: Apache-2.0
#include "job_plan.h"

#include <map>
#include <sstream>

namespace job
{

namespace
{

constexpr uint64_t kLongestSeconds = 1000000; // times out in a test, and fits an int32_t
constexpr uint64_t kWide = 3;                 // size code of 8 bytes

[[nodiscard]] bool inside(uint64_t side, uint64_t address, uint64_t bytes)
{
    return address >= side && bytes <= kMemory && address - side <= kMemory - bytes;
}

[[nodiscard]] bool somewhere(uint64_t address, uint64_t bytes)
{
    return inside(kHostMemory, address, bytes) || inside(kDeviceMemory, address, bytes);
}

[[nodiscard]] const char *refusal_of_copy(const Step &step)
{
    const uint64_t to = step.args[0], from = step.args[1], bytes = step.args[2];
    if (bytes == 0)
        return "a copy of 0 bytes is not a task";
    if (!somewhere(to, bytes) || !somewhere(from, bytes))
        return "the program owns no memory there";
    if (!inside(kDeviceMemory, to, bytes) && !inside(kDeviceMemory, from, bytes))
        return "the device does not copy from host to host";
    return to < from + bytes && from < to + bytes ? "the sides of a copy must not overlap"
                                                  : nullptr;
}

[[nodiscard]] const char *refusal_of_store(const Step &step)
{
    if (!inside(kDeviceMemory, step.args[0], 8))
        return "a value is written to the program's device memory alone";
    if (step.args[1] != kWide || step.args[0] % 8 != 0)
        return "a value has 8 bytes, aligned";
    return nullptr;
}

[[nodiscard]] const char *refusal_of_fill(const Step &step)
{
    if (step.args[2] == 0)
        return "a fill of 0 bytes is not a task";
    return inside(kDeviceMemory, step.args[0], step.args[2])
               ? nullptr
               : "a fill in stream order is one of device memory";
}

[[nodiscard]] const char *refusal_of_timeout(uint64_t seconds)
{
    return seconds <= kLongestSeconds ? nullptr : "the time limit is too long for a test";
}

/// Null: there is a call for it.
[[nodiscard]] const char *refusal_of(const Step &step,
                                     const std::array<uint64_t, kNumbers> &machine)
{
    const char *const no_event = "the device has no such event";
    const char *const no_notify = "the device has no such notify";
    if (step.pre != 0 || step.post != 0)
        return "no call holds a task before or after its effect";
    if (step.credit != 0)
        return "no call gives a task a credit";
    if (step.ie != 0)
        return "no call chooses an interrupt";
    switch (step.kind) {
    case Kind::kQueue:
        return step.args[4] == 0 ? "no call makes a stream that does not run" : nullptr;
    case Kind::kRun:
        return "no call lets a device run until a time";
    case Kind::kCqTake:
        return "completion queues are the runtime's";
    case Kind::kResume:
    case Kind::kHandled:
    case Kind::kEnable:
        return "no call resumes, forgives, enables or disables a stream";
    case Kind::kPause:
    case Kind::kDebugPause:
    case Kind::kDebugResume:
    case Kind::kKill:
    case Kind::kTerminate:
    case Kind::kSetHead:
    case Kind::kPriority:
        return "no call pauses or kills a queue, sets its head, or changes its priority";
    case Kind::kHostRecord:
    case Kind::kHostClear:
        return step.args[0] < machine[kEvents] ? nullptr : no_event;
    case Kind::kHostNotify:
    case Kind::kHostNotifyClear:
        return step.args[0] < machine[kNotifies] ? nullptr : no_notify;
    case Kind::kPlaceholder:
        return step.args[0] == 0 ? nullptr : "no call submits a placeholder that fails";
    case Kind::kEventRecord:
        return step.args[0] < machine[kEvents] ? nullptr : no_event;
    case Kind::kEventWait:
        return step.args[0] < machine[kEvents] ? refusal_of_timeout(step.args[1]) : no_event;
    case Kind::kNotifyRecord:
        return step.args[0] < machine[kNotifies] ? nullptr : no_notify;
    case Kind::kNotifyWait:
        return step.args[0] < machine[kNotifies] ? refusal_of_timeout(step.args[1]) : no_notify;
    case Kind::kWriteEvent:
        if (step.args[1] != 0)
            return "no call sets an event but a record";
        return step.args[0] < machine[kEvents] ? nullptr : no_event;
    case Kind::kWriteNotify:
        return "no call writes a notify in stream order but a record";
    case Kind::kWriteMemory:
        return refusal_of_store(step);
    case Kind::kWriteNowhere:
        return "no call writes to a physical address";
    case Kind::kSdma:
    case Kind::kPcie:
        return refusal_of_copy(step);
    case Kind::kFill:
        return refusal_of_fill(step);
    default:
        return "no call submits an SQE of a given type";
    }
}

/// Empty: it is played as it is.
[[nodiscard]] std::string change_of(const Step &step)
{
    std::string what;
    const auto add = [&what](const char *text) {
        what.append(what.empty() ? "" : "; ").append(text);
    };
    if (step.kind == Kind::kQueue) {
        add("rings are as deep as the runtime makes them");
        if (step.args[1] != 0)
            add("no call names a model group");
    }
    if (step.kind == Kind::kRing && step.args[0] != 0)
        add("the doorbell is seen when the runtime's is");
    if (step.cqe)
        add("the runtime says which tasks have a CQE");
    const bool within =
        inside(kDeviceMemory, step.args[0], 1) && inside(kDeviceMemory, step.args[1], 1);
    if ((step.kind == Kind::kSdma && !within) || (step.kind == Kind::kPcie && within))
        add("the runtime chooses the engine");
    if (step.kind == Kind::kHostRecord || step.kind == Kind::kHostClear ||
        step.kind == Kind::kHostNotify)
        add("by a separate stream");
    return what;
}

} // namespace

Plan::Plan(const Job &job) : machine(job.machine)
{
    std::map<uint32_t, std::vector<Step>> written; // by open queue, not rung for yet
    const auto play = [this](const Step &step) {
        const std::string how = change_of(step);
        if (!how.empty())
            changed.push_back(step.text() + ": " + how);
        if (step.kind != Kind::kRing)
            steps.push_back(step);
        else
            ++rings;
    };
    for (const Step &step : job.steps) {
        const bool has_queue = step.is_task() || step.kind == Kind::kRing;
        const char *why = step.kind == Kind::kRing ? nullptr : refusal_of(step, machine);
        if (step.kind == Kind::kQueue && written.count(step.queue) != 0)
            why = "it is open";
        if (has_queue && written.count(step.queue) == 0)
            why = "the queue is not open";
        if (why) {
            refused.push_back(step.text() + ": " + why);
        } else if (step.is_task()) {
            written[step.queue].push_back(step);
        } else {
            if (step.kind == Kind::kQueue)
                written[step.queue] = {};
            if (step.kind == Kind::kRing) {
                for (const Step &task : written[step.queue])
                    play(task);
                written[step.queue].clear();
            }
            play(step);
        }
    }
    for (const auto &[sq, tasks] : written)
        for (const Step &task : tasks)
            refused.push_back(task.text() + ": no doorbell follows");
}

} // namespace job
