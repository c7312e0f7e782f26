// SPDX-License-Identifier: Apache-2.0
#include "core/params_schema.h"

namespace tsim
{

namespace
{
constexpr auto N = ParamKind::kNumber;
constexpr auto T = ParamKind::kText;
constexpr uint64_t kTimeMost = 1000000000;  // one second: a longer step is a slip of the pen
constexpr uint64_t kRateMost = 10000000;    // 10 TB/s: what LNK-4 can count
constexpr uint64_t kHostMost = 10000000000; // ten seconds
using P = Params;
} // namespace

// clang-format off
const ParamSpec kParamSchema[] = {
    {"aicore.arch",               N, "1",        1, 99999,     nullptr},
    {"aicore.bf16",               N, "1",        0, 1,         nullptr},
    {"aicore.clock_mhz",          N, "MHz",      1, 10000,     &P::core_mhz},
    {"aicore.core_init_ns",       N, "ns",       0, kTimeMost, &P::core_init},
    {"aicore.dispatch_ns",        N, "ns",       0, kTimeMost, &P::core_dispatch},
    {"aicore.gm_bytes",           N, "B/cycle",  1, 1000,      &P::core_gm},
    {"aicore.inf_nan",            N, "1",        0, 1,         nullptr},
    {"aicore.issue_ns",           N, "ns",       1, kTimeMost, &P::core_issue},
    {"aicore.l2_read_bytes",      N, "B/cycle",  1, 1000,      &P::core_l2_read},
    {"aicore.l2_write_bytes",     N, "B/cycle",  1, 1000,      &P::core_l2_write},
    {"aicore.report_ns",          N, "ns",       0, kTimeMost, &P::core_report},
    {"aicore.software_init_ns",   N, "ns",       0, kTimeMost, &P::core_software},
    {"clock_mhz",                 N, "MHz",      250, 1000,     &P::clock_mhz},
    {"cond.instruction_limit",    N, "1",        1, 1000000,   &P::cond_limit},
    {"cond.instruction_ns",       N, "ns",       0, kTimeMost, &P::cond_instruction},
    {"cond.memory_ns",            N, "ns",       0, kTimeMost, &P::cond_memory},
    {"cond.poll_ns",              N, "ns",       1, kTimeMost, &P::cond_poll},
    {"cond.value_wait",           N, "1",        0, 1,         nullptr},
    {"counter_mhz",               N, "MHz",      1, 1000,      &P::counter_mhz},
    {"cq.write_ns",               N, "ns",       0, kTimeMost, &P::cq_write},
    {"dma.host.channel_mb_s",     N, "MB/s",     0, kRateMost, &P::host_ceiling},
    {"dma.host.channels",         N, "1",        1, 64,        &P::host_channels},
    {"dma.host.setup_ns",         N, "ns",       0, kTimeMost, &P::host_setup},
    {"dma.pcie.channel_mb_s",     N, "MB/s",     0, kRateMost, &P::pcie_ceiling},
    {"dma.pcie.channels",         N, "1",        1, 64,        &P::pcie_channels},
    {"dma.pcie.list.descriptors", N, "1",        1, 65535,     &P::list_most},
    {"dma.pcie.list.moving",      N, "1",        1, 16,        &P::list_moving},
    {"dma.pcie.list.read_ns",     N, "ns",       0, kTimeMost, &P::list_read},
    {"dma.pcie.list.start_ns",    N, "ns",       0, kTimeMost, &P::list_start},
    {"dma.pcie.list.window",      N, "1",        1, 16,        &P::list_window},
    {"dma.pcie.setup_ns",         N, "ns",       0, kTimeMost, &P::pcie_setup},
    {"dma.sdma.channel_mb_s",     N, "MB/s",     0, kRateMost, &P::sdma_ceiling},
    {"dma.sdma.channels",         N, "1",        1, 64,        &P::sdma_channels},
    {"dma.sdma.setup_ns",         N, "ns",       0, kTimeMost, &P::sdma_setup},
    {"fetch.read_ns",             N, "ns",       0, kTimeMost, &P::fetch_read},
    {"fetch.window",              N, "SQE",      1, 64,        &P::fetch_window},
    {"host.copy_ns",              N, "ns",       0, kHostMost, nullptr},
    {"host.create_ns",            N, "ns",       0, kHostMost, nullptr},
    {"host.device_ns",            N, "ns",       0, kHostMost, nullptr},
    {"host.doorbell_ns",          N, "ns",       0, kHostMost, nullptr},
    {"host.local_ns",             N, "ns",       0, kHostMost, nullptr},
    {"host.memory_ns",            N, "ns",       0, kHostMost, nullptr},
    {"host.poll_ns",              N, "ns",       0, kHostMost, nullptr},
    {"host.submit_ns",            N, "ns",       0, kHostMost, nullptr},
    {"host.wait_ns",              N, "ns",       0, kHostMost, nullptr},
    {"host.wake.call_ns",         N, "ns",       0, kHostMost, nullptr},
    {"host.wake.copy_ns",         N, "ns",       0, kHostMost, nullptr},
    {"host.wake.device_ns",       N, "ns",       0, kHostMost, nullptr},
    {"host.wake.event_ns",        N, "ns",       0, kHostMost, nullptr},
    {"host.wake.poll_ns",         N, "ns",       0, kHostMost, nullptr},
    {"host.wake.stream_ns",       N, "ns",       0, kHostMost, nullptr},
    {"identity.pci_bus",          N, "1",        0, 192,       nullptr},
    {"identity.peer_link",        T, "text",     0, 0,         nullptr},
    {"limit.ai_cpus",             N, "1",        0, 1024,      nullptr},
    {"limit.aic_cores",           N, "1",        0, 512,       &P::aic_cores},
    {"limit.aiv_cores",           N, "1",        0, 1024,      &P::aiv_cores},
    {"limit.count_notifies",      N, "1",        0, 65536,     &P::count_notifies},
    {"limit.cq_depth",            N, "CQE",      8, 65536,     nullptr},
    {"limit.events",              N, "1",        1, 65536,     &P::events},
    {"limit.l2_mib",              N, "MiB",      0, 16777216,  nullptr},
    {"limit.memory_mib",          N, "MiB",      1, 16777216,  nullptr},
    {"limit.notifies",            N, "1",        1, 65536,     &P::notifies},
    {"limit.priorities",          N, "1",        1, kPriorities, nullptr},
    {"limit.queues",              N, "1",        1, kMaxQueues, &P::queues},
    {"limit.sq_depth",            N, "SQE",      8, 65536,     nullptr},
    {"limit.sq_reserve",          N, "SQE",      0, 65535,     nullptr},
    {"limit.streams",             N, "1",        1, 65536,     nullptr},
    {"link.hbm.effective_permille", N, "permille", 1, 1000,    &P::hbm_effective},
    {"link.hbm.peak_mb_s",        N, "MB/s",     1, kRateMost, &P::hbm_peak},
    {"link.hccs.pair_mb_s",       N, "MB/s",     1, kRateMost, &P::hccs_pair},
    {"link.l2.hit_permille",      N, "permille", 0, 1000,      &P::l2_hit},
    {"link.l2.peak_mb_s",         N, "MB/s",     1, kRateMost, &P::l2_peak},
    {"link.pcie.to_device_mb_s",  N, "MB/s",     1, kRateMost, &P::pcie_to_device},
    {"link.pcie.to_host_mb_s",    N, "MB/s",     1, kRateMost, &P::pcie_to_host},
    {"soc_name",                  T, "text",     0, 0,         nullptr},
    {"sqe.credit_unit_ns",        N, "ns",       1, 1000000000000, &P::credit_unit},
    {"sqe.decode_ns",             N, "ns",       0, kTimeMost, &P::decode},
    {"sqe.retire_ns",             N, "ns",       1, kTimeMost, &P::retire},
    {"sqe.write_value_ns",        N, "ns",       0, kTimeMost, &P::write_value},
    {"swap_in.aic_cap",           N, "1",        1, kMaxQueues, &P::aic_cap},
    {"swap_in.aiv_cap",           N, "1",        1, kMaxQueues, &P::aiv_cap},
    {"swap_in.arbitration_ns",    N, "ns",       1, kTimeMost, &P::arbitration},
    {"swap_in.cond_cap",          N, "1",        1, kMaxQueues, &P::cond_cap},
    {"swap_in.cpu_topic_cap",     N, "1",        1, kMaxQueues, &P::cpu_topic_cap},
    {"swap_in.mixed_cap",         N, "1",        1, kMaxQueues, &P::mixed_cap},
    {"swap_in.pcie_dma_cap",      N, "1",        1, kMaxQueues, &P::pcie_dma_cap},
    {"swap_in.record_read_ns",    N, "ns",       0, kTimeMost, &P::record_read},
    {"swap_in.sdma_cap",          N, "1",        1, kMaxQueues, &P::sdma_cap},
    {"swap_in.slot_enable_ns",    N, "ns",       0, kTimeMost, &P::slot_enable},
    {"swap_in.slots",             N, "1",        1, 128,       &P::slots},
    {"swap_in.strict_level",      N, "1",        0, kPriorities - 1, &P::strict_level},
    {"swap_out.drain_ns",         N, "ns",       0, kTimeMost, &P::drain},
    {"swap_out.slot_disable_ns",  N, "ns",       0, kTimeMost, &P::slot_disable},
    {"table.event_ns",            N, "ns",       0, kTimeMost, &P::event_table},
    {"table.notify_ns",           N, "ns",       0, kTimeMost, &P::notify_table},
    {"topic.message_ns",          N, "ns",       0, kTimeMost, &P::topic_message},
};
// clang-format on
const size_t kParamCount = sizeof(kParamSchema) / sizeof(kParamSchema[0]);

} // namespace tsim
