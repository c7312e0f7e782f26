/* SPDX-License-Identifier: Apache-2.0 */
#include "twinrt/inner.h"

#include "core/backend/error.h"
#include "core/base/config.h"
#include "core/base/phase.h"

int32_t twinrt_be_inner(void)
{
    if (twin_backend_starts() > 0)
        return twin_fail(TWIN_ERR_INTERNAL, "this runtime has started; it can be no inner one now");
    twin_settings_be_inner(TWIN_INNER_PREFIX);
    twin_settings_forget();
    return 0;
}
