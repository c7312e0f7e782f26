/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that only this runtime has. */
#include "core/backend/error.h"
#include "core/backend/interrupt.h"
#include "core/backend/thread_state.h"
#include "core/base/config.h"
#include "core/base/phase.h"
#include "twinrt/frames.h"
#include "twinrt/inner.h"
#include "twinrt/interrupt.h"
#include "twinrt/kernel_data.h"

void twinrt_set_interrupt(twinrt_interrupted asked)
{
    twin_interrupt_set(asked);
}

int32_t twinrt_set_kernel_data(int32_t data)
{
    if (data < TWINRT_KERNEL_DATA_SETTING || data > TWINRT_KERNEL_DATA_OFF)
        return twin_fail(TWIN_ERR_PARAM, "data is %d; it is 0 to 2 (twinrt_kernel_data)", data);
    _Static_assert((int)TWINRT_KERNEL_DATA_OFF == TWIN_KERNEL_DATA_OFF, "the same numbers");
    twin_self.kernel_data = (uint8_t)data;
    return 0;
}

void twinrt_set_frames(const char *texts, size_t bytes)
{
    twin_self.frames = texts;
    twin_self.frames_bytes = bytes;
    twin_self.frames_from = __builtin_return_address(0);
}

int32_t twinrt_be_inner(void)
{
    if (twin_backend_starts() > 0)
        return twin_fail(TWIN_ERR_INTERNAL, "this runtime has started; it can be no inner one now");
    twin_settings_be_inner(TWIN_INNER_PREFIX);
    twin_settings_forget();
    return 0;
}
