/* SPDX-License-Identifier: Apache-2.0 */
#include "setting_option.h"

#include <errno.h>
#include <stdlib.h>

void twin_tool_set(struct argp_state *state, const char *option, twin_setting_id id,
                   const char *value)
{
    char text[256];
    if (!twin_setting_check(id, value, text, sizeof(text)))
        argp_error(state, "--%s=%s is invalid; expected %s", option, value,
                   twin_setting_table[id].allowed);
    if (setenv(twin_setting_table[id].name, value, 1) != 0)
        argp_failure(state, argp_err_exit_status, errno, "setenv");
}
