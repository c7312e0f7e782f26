/* SPDX-License-Identifier: Apache-2.0 */
#include "twinrt/interrupt.h"

#include "core/interrupt.h"

void twinrtSetInterrupt(twinrtInterrupted asked)
{
    twin_interrupt_set(asked);
}
