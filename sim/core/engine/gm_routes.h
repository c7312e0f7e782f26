// SPDX-License-Identifier: Apache-2.0
/// Routes between AI cores and global memory for accesses whose address is known (T-CORE-23).
#ifndef TWINSIM_CORE_ENGINE_GM_ROUTES_H
#define TWINSIM_CORE_ENGINE_GM_ROUTES_H

#include <algorithm>
#include <cstdint>

#include "core/link/link.h"
#include "core/profile/params.h"

namespace tsim
{

struct GmRoutes {
    enum Way : uint8_t { kToUb, kToL1, kFromUb, kFromL0c, kWays };

    uint32_t hit[2][kWays]; ///< between the core and L2; [1]: aligned
    uint32_t miss[2];       ///< between the core and HBM
    uint32_t beside;        ///< between L2 and HBM

    /// Throws std::bad_alloc.
    GmRoutes(const Params &p, LinkNetwork &links, uint32_t device)
        : beside(links.fill_device(device))
    {
        const auto capped = [&](uint32_t route, const Setting &port, uint64_t bytes, bool aligned) {
            const uint64_t mb_s = std::min(port.value, bytes) * p.core_mhz.value;
            return links.capped(route, aligned ? mb_s : mb_s * p.core_unaligned.value / 1000,
                                port.index);
        };
        for (const bool aligned : {false, true}) {
            const auto hit_by = [&](Way way, const Setting &port, const Setting &buffer) {
                const bool write = way >= kFromUb;
                hit[aligned ? 1 : 0][way] =
                    capped(links.core_hit(device, write), buffer.value < port.value ? buffer : port,
                           buffer.value, aligned);
            };
            hit_by(kToUb, p.core_l2_read, p.core_ub_fill);
            hit_by(kToL1, p.core_l2_read, p.core_l1_fill);
            hit_by(kFromUb, p.core_l2_write, p.core_ub_drain);
            hit_by(kFromL0c, p.core_l2_write, p.core_l0c_drain);
            miss[aligned ? 1 : 0] =
                capped(links.core_miss(device), p.core_gm, p.core_gm.value, aligned);
        }
    }
};

} // namespace tsim

#endif
