/* SPDX-License-Identifier: Apache-2.0 */
/* --op BOARD=KERNEL of the commands that read tables of a profiler. */
#ifndef TWINRT_TOOLS_OP_OPTION_H
#define TWINRT_TOOLS_OP_OPTION_H

#include <stddef.h>

#include "msprof/times.h"
#include "options.h"

#define OP_RENAMES_MOST 256

struct op_renames {
    struct msprof_rename items[OP_RENAMES_MOST];
    size_t count;
};

/* Adds a rename to *(struct op_renames *)to. */
void option_op(struct argp_state *state, const struct tool_option *option, char *text);

#define OPTION_OP(renames)                                                                         \
    {                                                                                              \
        "op", "BOARD=KERNEL",                                                                      \
            "Rows of BOARD in tables of the board are of kernel KERNEL of the program; may be "    \
            "given several times",                                                                 \
            option_op, .to = (renames)                                                             \
    }

#endif
