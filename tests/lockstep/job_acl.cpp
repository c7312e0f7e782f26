// SPDX-License-Identifier: Apache-2.0
#include "job_acl.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "acl/acl.h"

namespace job
{

namespace
{

constexpr int32_t kSoonMs = 1000;

class Player
{
  public:
    Player(const Plan &plan, const Order &order) : plan_(plan), order_(order) {}

    Result run()
    {
        if (!ok(aclInit(nullptr), "aclInit"))
            return result_;
        if (ok(aclrtSetDevice(0), "aclrtSetDevice") && make_memory() && make_flags()) {
            for (const Step &step : plan_.steps)
                take(step);
            for (auto &[sq, stream] : streams_)
                look_at_stream(sq, stream);
            look_at_memory();
        }
        clean_up();
        return result_;
    }

  private:
    struct Stream {
        aclrtStream handle = nullptr;
        uint32_t tasks = 0;
        bool has_limits = false; // waits of it may fail
        bool hangs = false;      // it did not end
    };
    static constexpr uint32_t kSoftware = kQueues;

    bool ok(aclError code, const char *what)
    {
        if (code == ACL_SUCCESS)
            return true;
        const char *const text = aclGetRecentErrMsg();
        wrong(std::string(what) + " answers " + std::to_string(code) + ": " + (text ? text : ""));
        return false;
    }
    void wrong(const std::string &what) { result_.wrong.push_back(what); }

    // ---- setting up ----

    bool make_memory()
    {
        void *host = nullptr, *device = nullptr;
        if (!ok(aclrtMallocHost(&host, kMemory), "aclrtMallocHost") ||
            !ok(aclrtMalloc(&device, kMemory, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc"))
            return false;
        host_ = static_cast<uint8_t *>(host);
        device_ = static_cast<uint8_t *>(device);
        std::vector<uint8_t> first(kMemory);
        for (uint64_t at = 0; at < kMemory; ++at) {
            host_[at] = first_byte(0, at);
            first[at] = first_byte(1, at);
        }
        return ok(aclrtMemcpy(device_, kMemory, first.data(), kMemory, ACL_MEMCPY_HOST_TO_DEVICE),
                  "aclrtMemcpy to the device");
    }

    // All before the first task, so that submissions follow each other closely.
    bool make_flags()
    {
        bool good = ok(aclrtCreateEventExWithFlag(&mark_, ACL_EVENT_CAPTURE_STREAM_PROGRESS),
                       "aclrtCreateEventExWithFlag");
        for (const Step &step : plan_.steps) {
            const auto id = static_cast<uint32_t>(step.args[0]);
            switch (step.kind) {
            case Kind::kEventRecord:
            case Kind::kEventWait:
            case Kind::kWriteEvent:
            case Kind::kHostRecord:
            case Kind::kHostClear:
                if (events_.count(id) == 0)
                    good = good && ok(aclrtCreateEventWithFlag(&events_[id], ACL_EVENT_SYNC),
                                      "aclrtCreateEventWithFlag");
                break;
            case Kind::kNotifyRecord:
            case Kind::kNotifyWait:
            case Kind::kHostNotify:
            case Kind::kHostNotifyClear:
                if (notifies_.count(id) == 0)
                    good = good && ok(aclrtCreateNotify(&notifies_[id], 0), "aclrtCreateNotify");
                break;
            default:
                break;
            }
        }
        return good;
    }

    Stream &stream(uint32_t sq, uint32_t priority)
    {
        Stream &stream = streams_[sq];
        if (!stream.handle && ok(aclrtCreateStreamWithConfig(&stream.handle, priority, 0),
                                 "aclrtCreateStreamWithConfig"))
            (void)ok(aclrtStreamGetId(stream.handle, &result_.streams[sq]), "aclrtStreamGetId");
        return stream;
    }

    // ---- steps ----

    [[nodiscard]] void *at(uint64_t address)
    {
        return address >= kDeviceMemory ? device_ + (address - kDeviceMemory)
                                        : host_ + (address - kHostMemory);
    }

    void take(const Step &step)
    {
        const auto id = static_cast<uint32_t>(step.args[0]);
        if (step.kind == Kind::kQueue) {
            (void)stream(step.queue, id);
            return;
        }
        if (step.kind == Kind::kHostNotifyClear) {
            (void)ok(aclrtNotifyBatchReset(&notifies_[id], 1), step.text().c_str());
            return;
        }
        Stream &to = stream(step.is_task() ? step.queue : kSoftware, 0);
        ++to.tasks;
        (void)ok(submit(step, to), step.text().c_str());
    }

    aclError submit(const Step &step, Stream &stream)
    {
        const auto id = static_cast<uint32_t>(step.args[0]);
        const uint64_t seconds = step.args[1];
        switch (step.kind) {
        case Kind::kPlaceholder:
            return aclrtRecordEvent(mark_, stream.handle);
        case Kind::kEventRecord:
        case Kind::kHostRecord:
            return aclrtRecordEvent(events_.at(id), stream.handle);
        case Kind::kWriteEvent:
        case Kind::kHostClear:
            return aclrtResetEvent(events_.at(id), stream.handle);
        case Kind::kNotifyRecord:
        case Kind::kHostNotify:
            return aclrtRecordNotify(notifies_.at(id), stream.handle);
        case Kind::kEventWait:
            add_limit(stream, seconds);
            return seconds == 0 ? aclrtStreamWaitEvent(stream.handle, events_.at(id))
                                : aclrtStreamWaitEventWithTimeout(stream.handle, events_.at(id),
                                                                  static_cast<int32_t>(seconds));
        case Kind::kNotifyWait:
            add_limit(stream, seconds);
            return aclrtWaitAndResetNotify(notifies_.at(id), stream.handle,
                                           static_cast<uint32_t>(seconds));
        case Kind::kWriteMemory:
            return aclrtValueWrite(at(step.args[0]), step.args[2], 0, stream.handle);
        case Kind::kFill:
            return aclrtMemsetAsync(at(step.args[0]), step.args[2],
                                    static_cast<int32_t>(step.args[1]), step.args[2],
                                    stream.handle);
        default: // kSdma, kPcie
            return aclrtMemcpyAsync(at(step.args[0]), step.args[2], at(step.args[1]), step.args[2],
                                    direction(step), stream.handle);
        }
    }

    static aclrtMemcpyKind direction(const Step &step)
    {
        if (step.args[0] < kDeviceMemory)
            return ACL_MEMCPY_DEVICE_TO_HOST;
        return step.args[1] < kDeviceMemory ? ACL_MEMCPY_HOST_TO_DEVICE
                                            : ACL_MEMCPY_DEVICE_TO_DEVICE;
    }

    void add_limit(Stream &stream, uint64_t seconds)
    {
        stream.has_limits = stream.has_limits || seconds != 0;
        patience_ms_ += seconds * 1000;
    }

    // ---- outcome ----

    void look_at_stream(uint32_t sq, Stream &stream)
    {
        const auto patience = static_cast<int32_t>(
            std::min<uint64_t>(patience_ms_ + kSoonMs, static_cast<uint64_t>(INT32_MAX)));
        const aclError code = aclrtSynchronizeStreamWithTimeout(stream.handle, patience);
        const std::string name =
            sq == kSoftware ? "the stream of the software" : "stream " + std::to_string(sq);
        const Order::End end = order_.end_of(sq);
        stream.hangs = code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
        if (code != ACL_SUCCESS && !stream.hangs && !stream.has_limits)
            (void)ok(code, ("the wait for " + name).c_str());
        if (stream.hangs && end == Order::End::kSurely)
            wrong(name + " did not end, and everything that it waits for has happened");
        if (!stream.hangs && end == Order::End::kNever)
            wrong(name + " has ended, and it waits for something that never happens");
        aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
        if (ok(aclrtStreamQuery(stream.handle, &status), "aclrtStreamQuery") &&
            (status == ACL_STREAM_STATUS_COMPLETE) == stream.hangs)
            wrong("query and wait do not agree about " + name);
        result_.lines.push_back(name + ": " + std::to_string(stream.tasks) +
                                (stream.hangs ? " tasks, did not end" : " tasks, has ended"));
    }

    void look_at_memory()
    {
        std::vector<uint8_t> back(kMemory);
        if (!ok(aclrtMemcpy(back.data(), kMemory, device_, kMemory, ACL_MEMCPY_DEVICE_TO_HOST),
                "aclrtMemcpy to the host"))
            return;
        const uint8_t *const sides[2] = {host_, back.data()};
        for (uint32_t side = 0; side < 2; ++side) {
            uint64_t sum = 0xcbf29ce484222325u;
            uint64_t shown = 0;
            for (uint64_t at = 0; at < kMemory; ++at) {
                sum = (sum ^ sides[side][at]) * 0x100000001b3u;
                const Order::Byte &byte = order_.byte(side, at);
                if (!byte.certain || byte.value == sides[side][at] || shown++ == 4)
                    continue;
                char text[96];
                std::snprintf(text, sizeof(text), "%s memory: byte 0x%llx is 0x%02x, not 0x%02x",
                              side == 0 ? "host" : "device", static_cast<unsigned long long>(at),
                              sides[side][at], byte.value);
                wrong(text);
            }
            char text[64];
            std::snprintf(text, sizeof(text), "%s memory: sum %016llx",
                          side == 0 ? "host" : "device", static_cast<unsigned long long>(sum));
            result_.lines.emplace_back(text);
        }
        result_.lines.push_back(std::to_string(order_.open_flags()) +
                                " flags leave the device a choice");
        result_.lines.push_back(std::to_string(order_.written()) + " bytes written, " +
                                std::to_string(order_.certain()) + " of them certain");
    }

    void clean_up()
    {
        for (auto &[sq, stream] : streams_)
            if (stream.hangs)
                (void)ok(aclrtStreamAbort(stream.handle), "aclrtStreamAbort");
        for (auto &[sq, stream] : streams_)
            if (stream.handle)
                (void)ok(aclrtDestroyStream(stream.handle), "aclrtDestroyStream");
        for (auto &[id, event] : events_)
            if (event)
                (void)ok(aclrtDestroyEvent(event), "aclrtDestroyEvent");
        for (auto &[id, notify] : notifies_)
            if (notify)
                (void)ok(aclrtDestroyNotify(notify), "aclrtDestroyNotify");
        if (mark_)
            (void)ok(aclrtDestroyEvent(mark_), "aclrtDestroyEvent");
        if (device_)
            (void)ok(aclrtFree(device_), "aclrtFree");
        if (host_)
            (void)ok(aclrtFreeHost(host_), "aclrtFreeHost");
        (void)ok(aclrtResetDevice(0), "aclrtResetDevice");
        (void)ok(aclFinalize(), "aclFinalize");
    }

    const Plan &plan_;
    const Order &order_;
    Result result_;
    std::map<uint32_t, Stream> streams_;
    std::map<uint32_t, aclrtEvent> events_;
    std::map<uint32_t, aclrtNotify> notifies_;
    aclrtEvent mark_ = nullptr; // recorded by placeholders; nothing waits for it
    uint8_t *host_ = nullptr, *device_ = nullptr;
    uint64_t patience_ms_ = 0;
};

} // namespace

Result play(const Plan &plan, const Order &order)
{
    return Player(plan, order).run();
}

} // namespace job
