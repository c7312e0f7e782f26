// SPDX-License-Identifier: Apache-2.0
/// Write-value SQEs that store into the tables of another device. Rules T-RMT-1 to T-RMT-4.
#ifndef TWINSIM_CORE_SCHEDULER_PEER_WRITES_H
#define TWINSIM_CORE_SCHEDULER_PEER_WRITES_H

#include "core/scheduler/sqe_progress.h"
#include "core/scheduler/sync_tables.h"

namespace tsim
{

class PeerWrites : private SqePart
{
  public:
    explicit PeerWrites(const SqePart &part) : SqePart(part) {}

    /// The store leaves the device.
    void start(uint32_t sq);
    /// It is there.
    void arrived(uint32_t sq);
    /// The acknowledgement is back.
    void done(uint32_t sq);

  private:
    /// An entry in the window of some device.
    struct Entry {
        SyncTables *peer = nullptr;
        bool event = false;
        uint32_t id = 0;
    };
    [[nodiscard]] Entry entry_of(uint32_t sq) const;
};

} // namespace tsim

#endif
