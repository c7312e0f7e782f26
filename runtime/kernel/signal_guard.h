/* SPDX-License-Identifier: Apache-2.0 */
/* Faults in the code of a kernel: a wild pointer, a division by zero, a stack that is full. */
#ifndef TWINRT_KERNEL_SIGNAL_GUARD_H
#define TWINRT_KERNEL_SIGNAL_GUARD_H

struct twin_native_run;

/* From now on faults of this thread in the code of the run's kernel fail the run; NULL: no run is
 * under way. Returns the run of which this was true before, or NULL. Puts signal handlers in place,
 * once per process, in front of those that are there. */
struct twin_native_run *twin_native_signal_guard(struct twin_native_run *run);

#endif
