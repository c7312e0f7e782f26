// SPDX-License-Identifier: Apache-2.0
/// One maker for each block; `lockstep`: beside the plain C++, else the RTL alone.
#ifndef TWINSIM_RTL_TWINS_H
#define TWINSIM_RTL_TWINS_H

#include <memory>
#include <vector>

#include "core/base/rtl_port.h"
#include "rtl/difference.h"

namespace tsim::rtl
{

std::unique_ptr<ArbiterTwin> make_arbiter(const Reporter &reporter, bool lockstep,
                                          const ArbiterRules &rules, TwinPlace place);
std::unique_ptr<BurstTwin> make_bursts(const Reporter &reporter, bool lockstep,
                                       uint64_t burst_bytes, uint64_t outstanding, TwinPlace place);
std::unique_ptr<DmaPoolTwin> make_dma_pool(const Reporter &reporter, bool lockstep,
                                           uint32_t channels, uint32_t queues, uint64_t seed,
                                           TwinPlace place);
std::unique_ptr<EventTwin> make_events(const Reporter &reporter, bool lockstep,
                                       const EventShape &shape, TwinPlace place);
std::unique_ptr<FrontTwin> make_front_end(const Reporter &reporter, bool lockstep, uint32_t queues,
                                          uint32_t window, TwinPlace place);
std::unique_ptr<LinkTwin> make_links(const Reporter &reporter, bool lockstep,
                                     const std::vector<uint64_t> &rates, uint64_t burst_bytes,
                                     TwinPlace place);
std::unique_ptr<NotifyTwin> make_notifies(const Reporter &reporter, bool lockstep, uint32_t ids,
                                          uint32_t queues, TwinPlace place);

std::unique_ptr<SlotsTwin> make_slots(const Reporter &reporter, bool lockstep, uint32_t queues,
                                      const SlotRules &rules, TwinPlace place);

std::unique_ptr<SqeTwin> make_sqes(const Reporter &reporter, bool lockstep, const SqeShape &shape,
                                   TwinPlace place);

} // namespace tsim::rtl

#endif
