/* SPDX-License-Identifier: Apache-2.0 */
/* What a debugger sees of the core that runs: while one is attached, the thread has the name of the
 * block, the core and the kernel, such as "b12 v1 softmax". */
#ifndef TWINRT_KERNEL_DEBUGGER_H
#define TWINRT_KERNEL_DEBUGGER_H

#include "kernel/core.h"

/* Before and after a run; what a thread is called in between is taken back. */
void twin_native_debugger_begin(twin_native_run *run);
void twin_native_debugger_end(twin_native_run *run);
/* The core goes on. Only with run->named. */
void twin_native_debugger_name(const native_core *core);

#endif
