/* SPDX-License-Identifier: Apache-2.0 */
/* The function by which a program ends waits of its main thread. */
#ifndef TWINRT_CORE_BACKEND_INTERRUPT_H
#define TWINRT_CORE_BACKEND_INTERRUPT_H

#include <stdbool.h>

/* NULL: waits are not interrupted. */
void twin_interrupt_set(int (*asked)(void));

/* What twin_services promises of them. */
bool twin_interruptible(void);
bool twin_interrupted(void);

#endif
