/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a run: counters, profiling records, signals, and the timeline. Nothing is counted or
 * written unless its setting names a file. */
#ifndef TWINRT_SIM_OBSERVE_OBSERVE_H
#define TWINRT_SIM_OBSERVE_OBSERVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "seam/backend.h"
#include "twinsim.h"
#include "wait/observer.h"

/* Reads the settings; logs errors. `fixed`: the model exists, and with it the choice of what is
 * counted and stored. Thread: init. */
bool sim_observe_settings(const twin_services *services, bool fixed);
/* What the model is to be made with. */
bool sim_observe_wants_trace(void);
bool sim_observe_wants_stats(void);
/* Writes the files, and the timeline; logs which cannot be written. Once per start of the process.
 * Thread: model, which may be in the middle of an event. */
void sim_observe_begin(void);
void sim_observe_write(void);
/* In a forked child, whose only thread writes: no lock is held. */
void sim_observe_alone(void);

/* ---- waits of host threads, for the counters ---- */

struct sim_host_waits {
    uint64_t *lengths; /* in ns */
    size_t count, room;
    uint64_t total_ns;
};

/* Names of classes, and of the causes of host waits in one word, in the files. */
extern const char *const sim_class_names[TWINSIM_CLASS_COUNT];
extern const char *const sim_host_cause_names[SIM_HOST_CAUSES];

/* Draws the counters. Returns 0, -ENOMEM or -EIO. */
int sim_stats_draw(FILE *file, twinsim *sim, const twinsim_profile *profile, uint32_t devices,
                   struct sim_host_waits waits[SIM_HOST_CAUSES]);
/* Draws profiling records. */
int sim_msprof_draw(FILE *file, const twinsim *sim, const twinsim_profile *profile);
/* Notes which kernel an entry of a queue launches, for the three below; nothing if none of them is
 * to be written. Thread: model. */
void sim_observe_kernel(uint32_t device, uint32_t sq, uint64_t number, const twin_launch *kernel);
/* Draws times of kernels, and of their blocks, in the columns of the vendor's profilers. */
int sim_op_summary_draw(FILE *file, const twinsim *sim, const twinsim_profile *profile);
int sim_pipe_utilization_draw(FILE *file, const twinsim *sim, const twinsim_profile *profile);
/* Draws what kernels did, for `twinrt kernel-report`. */
int sim_kernel_counts_draw(FILE *file, const twinsim *sim, const twinsim_profile *profile);
/* Draws signals; `signals` as the setting has it, checked. */
int sim_vcd_draw(FILE *file, const twinsim *sim, const char *signals);
/* Whether the list names known signals only. */
bool sim_vcd_knows(const char *signals);

#endif
