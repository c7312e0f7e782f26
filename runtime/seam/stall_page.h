/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that `twinrt run --stall-after` shares with the processes of a run, to see whether anything moves.
 *
 * The tool makes it and names it in TWINRT_STALL_PAGE. A backend takes a slot when it starts, counts in it while an endless
 * wait stands still, and reports when it is asked to. Only the tool ends a process. */
#ifndef TWINRT_SEAM_STALL_PAGE_H
#define TWINRT_SEAM_STALL_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

#define TWIN_STALL_SLOTS 64u
#define TWIN_STALL_MAGIC UINT64_C(0x6c6c6174736e7774) /* "twnstall" */
/* Real time between two looks of a wait that stands still. */
#define TWIN_STALL_LOOK_NS 100000000u

typedef struct twin_stall_slot {
    _Atomic int32_t process; /* getpid(); 0: free */
    _Atomic uint32_t
        looks; /* grows while every wait that can end by itself is over and an endless one stands still */
    _Atomic uint32_t
        moves; /* grows when one of those looks finds that a call began or the device moved */
    _Atomic uint32_t asked; /* by the tool: `moves` + 1 as it knows them; 0: nothing is asked */
    _Atomic uint32_t
        answered; /* the same number when the report is out and nothing had moved; else as it was */
} twin_stall_slot;

typedef struct twin_stall_page {
    uint64_t magic;
    twin_stall_slot slots[TWIN_STALL_SLOTS];
} twin_stall_page;

#endif
