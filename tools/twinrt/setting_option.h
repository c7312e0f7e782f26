/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the tool that give the program a setting. */
#ifndef TWINRT_TOOLS_SETTING_OPTION_H
#define TWINRT_TOOLS_SETTING_OPTION_H

#include <argp.h>

#include "core/base/config.h"

/* Sets the variable of the setting, after the check that the runtime makes; ends with a message that names `option` ("devices") if
 * `value` is invalid. */
void twin_tool_set(struct argp_state *state, const char *option, twin_setting_id id,
                   const char *value);

#endif
