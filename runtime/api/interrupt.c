/* SPDX-License-Identifier: Apache-2.0 */
#include "twinrt/interrupt.h"

#include "core/backend/interrupt.h"

void twinrt_set_interrupt(twinrt_interrupted asked)
{
    twin_interrupt_set(asked);
}
