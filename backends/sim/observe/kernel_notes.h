/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of a run, for the files about them: which began when on which queue, and the entries of
 * the trace that are of their blocks. Thread: model. */
#ifndef TWINRT_SIM_OBSERVE_KERNEL_NOTES_H
#define TWINRT_SIM_OBSERVE_KERNEL_NOTES_H

#include "observe/observe.h"

#define SIM_NO_KERNEL UINT32_MAX

/* A kernel that has begun: what its queue's task runs. */
struct kernel_note {
    uint64_t number;
    size_t since; /* entries of the trace from this one on are about it */
    uint32_t device, sq, blocks;
    twin_launch_cores cores;
    char *name;
    /* of its task, once the trace is read */
    bool retired;
    uint16_t task_id;
    uint32_t stream;
    uint64_t begin_ns, end_ns;
    uint32_t rank; /* in the order of their begins, after sim_kernel_notes_order() */
};

/* Cores of the part. */
struct kernel_cores {
    uint32_t aic, aiv, mhz;
    bool split;
};

/* False: out of memory. */
bool sim_kernel_note(uint32_t device, uint32_t sq, uint64_t number, const twin_launch *kernel);
struct kernel_note *sim_kernel_notes(size_t *out_count);

/* A number of the profile; 0: it has none of that name. */
uint64_t sim_kernel_number(const twinsim_profile *profile, const char *name);
struct kernel_cores sim_kernel_cores(const twinsim_profile *profile);
/* Cores of all devices, which have seats from 0 on. */
size_t sim_kernel_seats(const struct kernel_cores *cores);

/* Sorts the notes, fills in their tasks, and passes each START, PIPE and BLOCK entry with the index
 * of its kernel and the seat of its core. `add` false: out of memory. Returns 0 or -ENOMEM. */
int sim_kernel_notes_read(const twinsim *sim, const struct kernel_cores *cores,
                          bool (*add)(void *context, const struct twinsim_trace_entry *entry,
                                      uint32_t note, uint32_t seat),
                          void *context);
/* Indices of the notes by device and begin, the caller's to free; sets their ranks. NULL: out of
 * memory. */
uint32_t *sim_kernel_notes_order(void);

#endif
