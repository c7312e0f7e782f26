// SPDX-License-Identifier: Apache-2.0
#include "job_profile.h"

#include <algorithm>
#include <sstream>

namespace job
{

namespace
{

/// A group of parameters, or what is in it.
class Group
{
  public:
    Group &add(const char *name, const char *unit, uint64_t value)
    {
        std::ostringstream entry;
        entry << "{\"value\": " << value << ", \"unit\": \"" << unit
              << "\", \"mark\": \"assumed\", \"source\": \"a job\"}";
        return put(name, entry.str());
    }
    Group &ns(const char *name, uint64_t cycles) { return add(name, "ns", cycles); }
    Group &group(const char *name, const Group &inner)
    {
        return put(name, "{" + inner.text_ + "}");
    }
    [[nodiscard]] const std::string &text() const { return text_; }

  private:
    Group &put(const char *name, const std::string &content)
    {
        text_.append(text_.empty() ? "" : ",\n ");
        text_.append("\"").append(name).append("\": ").append(content);
        return *this;
    }
    std::string text_;
};

struct Least {
    Number number;
    uint64_t value;
};
// sim/core/profile/params_schema.cpp.
constexpr Least kLeast[] = {{kArbitration, 1}, {kRetire, 1}, {kEventCached, 16}};

constexpr uint64_t kLeastBurst = 32; // 0: none

[[nodiscard]] uint64_t mb_s(uint64_t shift)
{
    return uint64_t{1000} << shift; // bytes per cycle of a nanosecond
}

} // namespace

std::string profile_of(const std::array<uint64_t, kNumbers> &machine,
                       std::vector<std::string> &changed)
{
    auto m = machine;
    for (const Least &least : kLeast) {
        uint64_t &value = m[least.number];
        if (value >= least.value)
            continue;
        changed.push_back("machine " + std::string(Job::number_name(least.number)) + ' ' +
                          std::to_string(value) + ": a profile has " + std::to_string(least.value) +
                          " or more");
        value = least.value;
    }
    if (m[kBurst] != 0 && m[kBurst] < kLeastBurst) {
        changed.push_back("machine burst " + std::to_string(m[kBurst]) + ": a profile has " +
                          std::to_string(kLeastBurst) + " or more");
        m[kBurst] = kLeastBurst;
    }
    constexpr uint64_t wide = 10000000; // more than all channels move together (T-LNK-8)
    Group top;
    top.group("limit", Group().add("events", "1", m[kEvents]).add("notifies", "1", m[kNotifies]));
    top.group("fetch", Group().add("window", "SQE", 2 * m[kWindow]).ns("read_ns", m[kRead]));
    top.group("swap_in", Group()
                             .add("slots", "1", m[kSlots])
                             .add("sdma_cap", "1", m[kSdmaCap])
                             .add("pcie_dma_cap", "1", m[kPcieCap])
                             .add("strict_level", "1", m[kStrictLevel])
                             .ns("arbitration_ns", m[kArbitration])
                             .ns("record_read_ns", m[kRecord])
                             .ns("slot_enable_ns", m[kEnable]));
    top.group("swap_out", Group().ns("drain_ns", m[kDrain]).ns("slot_disable_ns", m[kSlotDisable]));
    top.group("sqe", Group()
                         .ns("decode_ns", m[kDecode])
                         .ns("retire_ns", m[kRetire])
                         .ns("write_value_ns", m[kStore])
                         .ns("credit_unit_ns", m[kCreditUnit]));
    top.group("table", Group()
                           .add("event_cached", "1", m[kEventCached])
                           .ns("event_ns", m[kEvent])
                           .ns("event_miss_ns", m[kEventMiss])
                           .ns("notify_ns", m[kNotify]));
    top.group("cq", Group().ns("write_ns", m[kCqWrite]));
    const auto link = [&m](Number number) { return m[kBurst] != 0 ? m[number] : wide; };
    top.group("dma", Group()
                         .group("burst", Group()
                                             .add("bytes", "B", std::max(m[kBurst], kLeastBurst))
                                             .add("outstanding", "1", m[kOutstanding]))
                         .group("sdma", Group()
                                            .add("channels", "1", m[kSdmaChannels])
                                            .add("channel_mb_s", "MB/s", mb_s(m[kSdmaShift]))
                                            .ns("setup_ns", m[kSdmaSetup]))
                         .group("pcie", Group()
                                            .add("channels", "1", m[kPcieChannels])
                                            .add("channel_mb_s", "MB/s", mb_s(m[kPcieShift]))
                                            .ns("setup_ns", m[kPcieSetup])));
    top.group("link", Group()
                          .group("pcie", Group()
                                             .add("to_device_mb_s", "MB/s", link(kToDevice))
                                             .add("to_host_mb_s", "MB/s", link(kToHost)))
                          .group("hbm", Group()
                                            .add("peak_mb_s", "MB/s", link(kHbm))
                                            .add("effective_permille", "permille", 1000)));
    return "{\"base\": \"910b3\",\n " + top.text() + "}\n";
}

} // namespace job
