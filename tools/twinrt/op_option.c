/* SPDX-License-Identifier: Apache-2.0 */
#include "op_option.h"

#include <string.h>

void option_op(struct argp_state *state, const struct tool_option *option, char *text)
{
    struct op_renames *renames = option->to;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals[1] == '\0') {
        argp_error(state, "--op=%s: expected BOARD=KERNEL", text);
        return;
    }
    if (renames->count == OP_RENAMES_MOST)
        argp_error(state, "more than %d times --op", OP_RENAMES_MOST);
    renames->items[renames->count++] = (struct msprof_rename){
        .from = text, .from_bytes = (size_t)(equals - text), .to = equals + 1};
}
