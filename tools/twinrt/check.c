/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt check`: the rules of order and lifetime, on a recording. */
#include "tool.h"

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "check_session.h"

enum { KEY_JSON = 0x100 };

struct options {
    const char *path;
    bool json;
    struct check_options check;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->check;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (options->path)
            argp_error(state, "more than one recording; expected one");
        options->path = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "missing argument: RECORDING");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int twin_tool_check(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"json", KEY_JSON, NULL, 0, "Print one JSON object instead of text", 0},
        {0},
    };
    static const struct argp_child children[] = {{&check_options_parser, 0, NULL, 0}, {0}};
    static const struct argp parser = {
        .options = table,
        .parser = parse,
        .children = children,
        .args_doc = "RECORDING",
        .doc = "Judges the order of tasks, races between streams, and lifetimes, in a recording of "
               "a run.\v"
               "0: nothing was found, warnings aside; 1 (--error-exitcode): something was; 2: the "
               "recording cannot be read, or a report cannot be written; 3: nothing was found, but "
               "the recording is damaged, or stopped before the run did.",
    };
    static struct options options = {.check = CHECK_OPTIONS_DEFAULT};
    argp_parse(&parser, argc, argv, 0, NULL, &options);

    if (!check_options_spare(&options.check, options.path, "recording"))
        return TWIN_TOOL_UNREADABLE;
    struct check_session *session =
        check_session_open(&options.check, options.path, options.json ? NULL : stdout);
    int status = TWIN_TOOL_UNREADABLE;
    const bool judged = session && check_session_add(session, options.path, options.path);
    if (session && check_session_close(session) && judged)
        status = check_session_partial(session) ? TWIN_TOOL_PARTIAL : 0;
    const int found =
        options.check.error_status >= 0 ? options.check.error_status : TWIN_TOOL_FOUND;
    if (status != TWIN_TOOL_UNREADABLE && check_session_found(session) && found != 0)
        status = found;
    check_session_free(session);
    return status;
}
