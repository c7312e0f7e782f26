// SPDX-License-Identifier: Apache-2.0
/// One maker for each block; `lockstep`: beside the plain C++, else the RTL alone.
#ifndef TWINSIM_RTL_MAKERS_H
#define TWINSIM_RTL_MAKERS_H

#include <memory>
#include <vector>

#include "core/base/rtl_port.h"
#include "rtl/difference.h"

namespace tsim::rtl
{

std::unique_ptr<ArbiterRtlPort> make_arbiter(const Reporter &reporter, bool lockstep,
                                             const ArbiterRules &rules, RtlPortPlace place);
std::unique_ptr<BurstRtlPort> make_bursts(const Reporter &reporter, bool lockstep,
                                          uint64_t burst_bytes, uint64_t outstanding,
                                          RtlPortPlace place);
std::unique_ptr<DmaPoolRtlPort> make_dma_pool(const Reporter &reporter, bool lockstep,
                                              uint32_t channels, uint32_t queues, uint64_t seed,
                                              RtlPortPlace place);
std::unique_ptr<EventRtlPort> make_events(const Reporter &reporter, bool lockstep,
                                          const EventShape &shape, RtlPortPlace place);
std::unique_ptr<FrontRtlPort> make_front_end(const Reporter &reporter, bool lockstep,
                                             uint32_t queues, uint32_t window, RtlPortPlace place);
std::unique_ptr<LinkRtlPort> make_links(const Reporter &reporter, bool lockstep,
                                        const std::vector<uint64_t> &rates, uint64_t burst_bytes,
                                        RtlPortPlace place);
std::unique_ptr<NotifyRtlPort> make_notifies(const Reporter &reporter, bool lockstep, uint32_t ids,
                                             uint32_t queues, RtlPortPlace place);

std::unique_ptr<SlotsRtlPort> make_slots(const Reporter &reporter, bool lockstep, uint32_t queues,
                                         const SlotRules &rules, RtlPortPlace place);

std::unique_ptr<SqeRtlPort> make_sqes(const Reporter &reporter, bool lockstep,
                                      const SqeShape &shape, RtlPortPlace place);

} // namespace tsim::rtl

#endif
