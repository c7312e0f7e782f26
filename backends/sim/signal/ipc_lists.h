/* SPDX-License-Identifier: Apache-2.0 */
/* The shared signals of this process, and waits for others: what ipc.c and ipc_record.c share. */
#ifndef TWINRT_SIM_SIGNAL_IPC_LISTS_H
#define TWINRT_SIM_SIGNAL_IPC_LISTS_H

#include "signal/ipc.h"

/* A parked wait for a record made elsewhere. Retains the signal and the id. */
struct sim_foreign_wait {
    struct sim_foreign_wait *next, *prev;
    twin_signal *signal;
    uint64_t number;
    twin_hw_device *device; /* of the id */
    uint32_t id;
    uint32_t generation;
};

struct sim_shared_lists {
    pthread_mutex_t lock;
    struct sim_shared *first; /* guarded by lock, as the next */
    struct sim_foreign_wait *waits;
};
extern struct sim_shared_lists sim_shared_lists;

static inline bool sim_shared_is_notify(const twin_signal *signal)
{
    return signal->config.kind == TWIN_SIGNAL_NOTIFY;
}

/* ---- ipc_record.c; the lock is held ---- */

/* From now on this process goes by what is in the file now. */
void sim_shared_look_locked(struct sim_shared *shared);
/* What this process has just written about its record: a replay does it too. */
void sim_shared_see_own_locked(const struct sim_shared *self, uint64_t number);
/* A recording gets an entry. */
void sim_shared_log(twin_seen what, const twin_hw_device *device, uint32_t which, uint64_t number);
/* So many records reach a notify of the device. The model lock is held. */
void sim_shared_write_notify(const twin_hw_device *device, uint32_t id, uint64_t count);

#endif
