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

void twinrt_set_interrupt(twinrt_interrupted asked)
{
    twin_interrupt_set(asked);
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
