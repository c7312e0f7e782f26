/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt check`: the rules of order and lifetime, on a recording. */
#include "tool.h"

#include <stdbool.h>
#include <stdio.h>

#include "check_session.h"
#include "options.h"

static struct {
    const char *path;
    bool json;
} options;

int twin_tool_check(int argc, char **argv)
{
    static const struct tool_option table[] = {
        {"json", NULL, "Print one JSON object instead of text", option_flag, .to = &options.json},
        {0},
    };
    static const struct tool_syntax syntax = {
        .options = table,
        .more = check_option_table,
        .arguments = "RECORDING",
        .help = "Checks the order of tasks, races between streams, and lifetimes, in a recording "
                "of a run.\v"
                "0: no findings, warnings aside; 1 (--error-exitcode): findings; 2: the recording "
                "cannot be read or has kernels without data, or a report cannot be written; 3: no "
                "findings, but the recording is damaged or ended before the run.",
        .recordings = &options.path,
        .recording_count = 1,
        .end = check_options_verify,
    };
    options_parse(&syntax, argc, argv);

    if (!check_options_spare(&check_options, options.path, "recording"))
        return TWIN_TOOL_UNREADABLE;
    struct check_session *session =
        check_session_open(&check_options, options.path, options.json ? NULL : stdout);
    int status = TWIN_TOOL_UNREADABLE;
    const bool judged = session && check_session_add(session, options.path, options.path);
    if (session && check_session_close(session) && judged)
        status = check_session_partial(session) ? TWIN_TOOL_PARTIAL : 0;
    const int found =
        check_options.error_status >= 0 ? check_options.error_status : TWIN_TOOL_FOUND;
    if (status != TWIN_TOOL_UNREADABLE && check_session_found(session) && found != 0)
        status = found;
    check_session_free(session);
    return status;
}
