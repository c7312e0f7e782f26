/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_TOOLS_EXPLAIN_WAITS_H
#define TWINRT_TOOLS_EXPLAIN_WAITS_H

#include "trace_file.h"

/* Prints the critical paths of the `wanted` slowest waits. 0, or -1 after a line on standard error. */
int twin_tool_explain_waits(const struct trace_file *file, unsigned wanted);

#endif
