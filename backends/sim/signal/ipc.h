/* SPDX-License-Identifier: Apache-2.0 */
/* Events and notifies that several processes, or several devices of one, use through a file
 * (ipc_file.h).
 *
 * Between processes: a record is published when its work has retired. A wait for a record made by
 * another process is parked on an event id of the waiting device, which the driver sets when the
 * file says that the record is done; a notify's records from elsewhere are written into the table
 * of its device. Both happen whenever the model has moved, and while it is idle in steps of real
 * time: so a driver with such waits does not let time jump.
 *
 * Between devices of this process, which are in one system, the model does it in its own time: a
 * record of a notify is a store into the table of its device (T-RMT-1), and one of an event is
 * forwarded to the table of the device that waits (T-RMT-6). The file only brings the two together.
 *
 * A recording has each change that another process makes to the file, where this process finds it,
 * and each record that it passes on to a table. In a replay there is no other process: those
 * entries do the same.
 *
 * Locks: ipc.c's own comes after the queue's and the signal's, before signals_lock. */
#ifndef TWINRT_SIM_SIGNAL_IPC_H
#define TWINRT_SIM_SIGNAL_IPC_H

#include "signal/event.h"
#include "signal/ipc_file.h"

/* What makes a signal a shared one; lives as long as the signal. */
struct sim_shared {
    struct sim_share file;
    /* The same, for what was recorded; while a recording is made with a copy of the page, which
     * changes when the recording says so. */
    struct sim_share seen;
    uint32_t number; /* counts shared signals: names it in recordings */
    twin_signal *signal;
    /* EVENT: of the newest record made here; written under signal->lock and the lock of ipc.c. */
    uint64_t own_number;
    /* Guarded by the lock of ipc.c. */
    uint32_t holders;   /* handles of this process */
    uint64_t delivered; /* NOTIFY: records from elsewhere that were passed on */
    struct sim_shared *next, *prev;
};

/* ---- for event.c ---- */

/* A handle of a shared signal goes. False: others of this process are left. */
bool sim_shared_leave(struct sim_shared *shared);
/* The signal goes. */
void sim_shared_end(struct sim_shared *shared);
/* Readies the publication of a record. TWIN_E_NOMEM; TWIN_E_NO_EVENT (explained): too many are
 * pending. */
struct sim_publication;
twin_status sim_shared_prepare(twin_signal *signal, struct sim_publication **out);
/* The record was submitted, or not: then nothing is to be published. No lock is held. */
void sim_shared_submitted(struct sim_publication *publication, bool good);
/* The record is `point`. The signal's lock is held. */
void sim_shared_publish_locked(twin_signal *signal, struct sim_publication *publication,
                               const struct sim_queue_point *point);
/* EVENT: the signal of another device of this process that made the newest record, with a reference
 * on it; NULL: this one did, or another process. It replaces the other in waits and queries: its
 * record is a point of the one system, not a change of the file. Thread: any. */
twin_signal *sim_shared_maker(twin_signal *signal);
/* Queues a wait if it is for a record made elsewhere, or refuses it; *out_done: nothing is left to
 * do. */
twin_status sim_shared_wait(twin_queue *queue, twin_signal *signal, uint64_t timeout_ns,
                            bool *out_done);
/* Before an operation asks what others have recorded: it goes by what they have by now. No lock is
 * held. */
void sim_shared_look(const twin_signal *signal);
/* EVENT: number of the newest record when it was made elsewhere, else 0. The signal's lock is
 * held. */
uint64_t sim_shared_elsewhere_locked(const twin_signal *signal);
enum sim_completion sim_shared_completion(const twin_signal *signal, uint64_t number);
/* NOTIFY: records from elsewhere so far count as passed on. */
void sim_shared_clear(struct sim_shared *shared);

/* ---- for the driver; thread: model ---- */

struct sim_wait;
/* Publishes records that have retired and delivers those of other processes. Whether the tables
 * were changed by it. */
bool sim_shared_settle(void);
/* For a report: the processes that could set the signal: " ..." */
void sim_shared_describe(const twin_signal *signal, char *text, size_t bytes);

#endif
