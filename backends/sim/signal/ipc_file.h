/* SPDX-License-Identifier: Apache-2.0 */
/* What processes share about one event or notify: a small file in memory, found by a name that
 * cannot be guessed.
 *
 * It is in a private folder of the user (0700), is readable by the user alone (0600), and each
 * process that uses it has a lock on it that the system releases when the process ends, however it
 * ends. The last one removes it; what a crash left is removed by the next process that shares
 * something. All that is read from it is data: nothing in it is followed, and a value out of range
 * only makes a wait end early or never. */
#ifndef TWINRT_SIM_SIGNAL_IPC_FILE_H
#define TWINRT_SIM_SIGNAL_IPC_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "seam/backend.h"
#include "seam/own_file.h"

#define SIM_SHARE_RECORDS 4096u /* records of one event that may be pending at once */
#define SIM_SHARE_USERS   64u
#define SIM_SHARE_PIDS    256u

/* A process that has it open. */
struct sim_share_user {
    _Atomic uint64_t pid; /* 0: the place is free */
    _Atomic uint64_t start;
};

/* The file. Written with atomic stores by any of its users. */
struct sim_share_page {
    uint64_t magic; /* last to be written when the file is made; fixed then, as all up to users */
    uint32_t version;
    uint32_t kind;        /* twin_signal_kind */
    uint32_t hardware_id; /* NOTIFY: on its own device */
    _Atomic uint32_t checks_pid;
    _Atomic uint32_t closed;  /* the signal that was shared is destroyed */
    _Atomic uint32_t visited; /* another process has had it open */
    _Atomic uint32_t allowed; /* pids in use */
    _Atomic uint64_t newest;  /* EVENT: number of the newest record; NOTIFY: records delivered */
    struct sim_share_user users[SIM_SHARE_USERS];
    _Atomic int32_t pids[SIM_SHARE_PIDS];
    /* EVENT: the state of record n, at n modulo the size: n * 4 + enum sim_share_state */
    _Atomic uint64_t records[SIM_SHARE_RECORDS];
};
enum sim_share_state { SIM_SHARE_PENDING, SIM_SHARE_DONE, SIM_SHARE_DROPPED };

struct sim_share {
    struct sim_share_page *page;
    int file;
    twin_own_file own;           /* the same, with its identity: another file may get its number */
    struct sim_share_user *user; /* this process's entry; NULL: the table was full */
    char name[TWIN_SHARE_NAME + 1];
    char path[512];
};

/* Makes the file. TWIN_E_SETUP (explained): there is no place for it, or too many files are
 * open. */
twin_status sim_share_make(struct sim_share *share, twin_signal_kind kind, uint32_t hardware_id);
/* Opens that of another one by its name, TWIN_SHARE_NAME characters that may be anything.
 * TWIN_E_INVALID (explained): there is none, it is of another kind, or this process may not. */
twin_status sim_share_find(struct sim_share *share, const char *name, twin_signal_kind kind);
/* Closes it; the last user removes the file. */
void sim_share_drop(struct sim_share *share);

/* Whether this process may import it. */
bool sim_share_may_import(const struct sim_share *share);
/* Lets these processes import it too. TWIN_E_INVALID (explained): the list is full. */
twin_status sim_share_allow(struct sim_share *share, const int32_t *pids, size_t count);

/* Other processes, as far as a wait for them makes sense. */
enum sim_company {
    SIM_COMPANY_PRESENT, /* some other process has it open and lives */
    SIM_COMPANY_AWAITED, /* none has had it open yet, and one may come */
    SIM_COMPANY_GONE     /* those that had it open have closed it or ended */
};
/* *out_pid: one that is present, or one that ended without closing it; 0: unknown. */
enum sim_company sim_share_company(const struct sim_share *share, uint64_t *out_pid);

/* ---- EVENT ---- */

/* Whether the next record would take the place of one that is pending. */
bool sim_share_full(const struct sim_share *share);
/* Number for a new record, which is the newest from now on. */
uint64_t sim_share_begin(struct sim_share *share);
void sim_share_end(struct sim_share *share, uint64_t number, enum sim_share_state state);
enum sim_share_state sim_share_state(const struct sim_share *share, uint64_t number);
static inline uint64_t sim_share_newest(const struct sim_share *share)
{
    return atomic_load_explicit(&share->page->newest, memory_order_acquire);
}

#endif
