/* SPDX-License-Identifier: Apache-2.0 */
#include "twinrt/frames.h"

#include "core/backend/thread_state.h"

void twinrt_set_frames(const char *texts, size_t bytes)
{
    twin_self.frames = texts;
    twin_self.frames_bytes = bytes;
    twin_self.frames_from = __builtin_return_address(0);
}
