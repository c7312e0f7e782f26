// SPDX-License-Identifier: Apache-2.0
/// A profile: one SoC's data file, read, checked and turned into numbers for the blocks.
#ifndef TWINSIM_CORE_PROFILE_PARAMS_H
#define TWINSIM_CORE_PROFILE_PARAMS_H

#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "twinsim.h"

namespace tsim
{

/// What is wrong with a profile; the text names the dotted path and what to do.
class ProfileError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// The file cannot be read.
class FileError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// The numbers the model works with. Each names its parameter; times are in cycles.
struct Params {
    uint64_t cycle_ns = 1;
    Setting clock_mhz, counter_mhz;

    Setting queues, events, notifies, count_notifies;

    Setting fetch_window, fetch_read;
    Setting ffts_contexts; ///< of a table, 0: the part has no FFTS+
    Setting ffts_read, ffts_start;

    Setting fw_loop; ///< 1: tasks are scheduled by a firmware
    Setting fw_activate, fw_fetch, fw_command, fw_report, fw_level_slots;
    Setting fw_reports, fw_batch, fw_interval, fw_interrupt, fw_take, fw_stop_at, fw_go_at;

    Setting slots, sdma_cap, pcie_dma_cap, cond_cap, cpu_topic_cap;
    Setting aic_cap, aiv_cap, mixed_cap;
    Setting arbitration, record_read, slot_enable, strict_level;
    Setting limits_at_slot; ///< 1: class limits are checked when a slot is arbitrated
    Setting drain, slot_disable;

    Setting decode, retire, write_value, credit_unit, ts_cpu;
    Setting cond_instruction, cond_memory, cond_limit, cond_poll;
    Setting event_table, event_miss, event_cached, event_isolation, event_mode, notify_table;
    Setting cq_write;
    Setting topic_message;

    Setting sdma_channels, sdma_setup;
    Setting sdma_ahead; ///< 1: the next task of a queue is set up while bytes move
    Setting pcie_channels, pcie_setup;
    Setting host_channels, host_setup;
    Setting sdma_ceiling, pcie_ceiling, host_ceiling; ///< MB/s of a channel, 0: none
    Setting list_most, list_window, list_moving;
    Setting list_read, list_start;
    Setting burst_bytes, burst_outstanding;

    Setting aic_cores, aiv_cores;
    Setting core_mhz;
    Setting core_issue, core_dispatch, core_init, core_software, core_report;
    Setting core_crowd;
    Setting core_cold_least, core_cold_half, core_cold_quarter, core_cold_most;
    Setting core_gm, core_l2_read, core_l2_write; ///< bytes per cycle of the core clock
    Setting core_ub_fill, core_l1_fill;           ///< the same, of buffers
    Setting core_ub_drain, core_l0c_drain;
    Setting core_unaligned; ///< permille of a rate

    Setting pcie_to_device, pcie_to_host; ///< MB/s
    Setting hbm_peak, hbm_effective;      ///< MB/s, permille
    Setting hbm_row;                      ///< bytes that a row costs in addition
    Setting l2_peak, l2_hit;              ///< MB/s, permille
    Setting l2_mib, l2_by_address, l2_sector;
    Setting l2_hit_latency, l2_miss_latency; ///< cycles of the core clock
    Setting peer_write;
    Setting hccs_pair;          ///< MB/s
    bool peers_at_host = false; ///< no link between devices: they meet at the host (T-LNK-1)

    /// HBM as copies see it, in MB/s (T-LNK-2).
    [[nodiscard]] uint64_t hbm_mb_s() const { return hbm_peak.value * hbm_effective.value / 1000; }
    /// The first cycle edge at or after `ns` (T-TIM-2).
    [[nodiscard]] Cycle to_cycles(uint64_t ns) const
    {
        if (ns == UINT64_MAX)
            return kNever;
        // Most parts have cycles of 1 ns, and divisions are slow.
        return cycle_ns == 1 ? ns : ns / cycle_ns + (ns % cycle_ns != 0);
    }
    [[nodiscard]] uint64_t to_ns(Cycle cycles) const
    {
        uint64_t ns;
        return __builtin_mul_overflow(cycles, cycle_ns, &ns) ? UINT64_MAX : ns;
    }
    /// The system counter at a cycle: whole ticks, rounded down (T-TIM-5).
    [[nodiscard]] uint64_t to_ticks(Cycle cycles) const
    {
        const uint64_t ns = to_ns(cycles);
        return ns / 1000 * counter_mhz.value + ns % 1000 * counter_mhz.value / 1000;
    }
};

/// The same for seed 0: no time varies.
[[nodiscard]] Params without_jitter(const Params &params);

/// Checked against the schema: nothing unknown, nothing missing, each value in its range.
///
/// A file with a base gives only what differs. What it inherits keeps value and source. Where the
/// file is about another part (its soc_name differs) the mark sinks by one: known and measured to
/// inferred, inferred to assumed.
class Profile
{
  public:
    /// A base that is not beside the file is looked for in `folder`. Throws FileError or
    /// ProfileError.
    static Profile from_file(const std::string &path, const std::string &folder = "");
    /// `path` names the file in error texts, and the folder of its base.
    static Profile from_text(const std::string &text, const std::string &path,
                             const std::string &folder = "");

    [[nodiscard]] const Params &params() const { return params_; }
    [[nodiscard]] const std::vector<twinsim_parameter> &list() const { return list_; }
    [[nodiscard]] const twinsim_parameter *find(const char *name) const;

    Profile(Profile &&) = default;
    Profile(const Profile &) = delete;
    Profile &operator=(Profile &&) = default;
    Profile &operator=(const Profile &) = delete;
    ~Profile() = default;

  private:
    friend class ProfileReader;
    struct Strings {
        std::string text, source, base;
    };
    Profile() = default;

    std::vector<twinsim_parameter> list_; // sorted by name
    std::vector<Strings> strings_;        // what list_ points into; never resized after reading
    Params params_;
};

} // namespace tsim

#endif
