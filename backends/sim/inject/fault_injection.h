/* SPDX-License-Identifier: Apache-2.0 */
/* Fault injection, and the memory errors that come of them. The model keeps them; those injected
 * before it is built wait here. */
#ifndef TWINRT_SIM_INJECT_FAULT_INJECTION_H
#define TWINRT_SIM_INJECT_FAULT_INJECTION_H

#include "seam/types.h"

/* The model has just been created: injects the faults that were waiting for it. Thread: model. */
twin_status sim_inject_begin(void);

#endif
