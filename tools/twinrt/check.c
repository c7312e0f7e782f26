/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt check`: the rules of order and lifetime, on a record. */
#include "tool.h"

#include <argp.h>
#include <stdio.h>

#include "check/report.h"

enum { KEY_ALL = 0x100, KEY_JSON, KEY_STRICT };

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct twin_tool_check *options = state->input;
    switch (key) {
    case KEY_ALL:
        options->all = 1;
        return 0;
    case KEY_JSON:
        options->json = 1;
        return 0;
    case KEY_STRICT:
        options->strict = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (options->path)
            argp_error(state, "one record at a time");
        options->path = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which record?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int report(const struct check_report *what, const struct twin_tool_check *options)
{
    size_t count = 0;
    (void)checker_findings(what->checker, &count);
    if (!options->strict)
        count = check_report_breaches(what);
    if (options->json) {
        if (!check_report_json(what, stdout))
            return TWIN_TOOL_UNREADABLE;
    } else {
        check_report_text(what, stdout);
    }
    return count > 0 ? TWIN_TOOL_FOUND : what->ops->partial ? TWIN_TOOL_PARTIAL : 0;
}

int twin_tool_check_record(const struct twin_tool_check *what)
{
    twin_recording *recording = NULL;
    struct check_ops ops = {0};
    char error[512];
    int status = TWIN_TOOL_UNREADABLE;
    if (twin_recording_read(what->path, &recording, error, sizeof(error)) != TWIN_RECORDING_OK) {
        fprintf(stderr, "twinrt: %s\n", error);
        return TWIN_TOOL_UNREADABLE;
    }
    if (twin_recording_count(recording) == 0) {
        fprintf(stderr, "twinrt: %s: the record is empty, or was cut off before its first entry\n",
                what->path);
        twin_recording_free(recording);
        return TWIN_TOOL_UNREADABLE;
    }
    struct checker *checker = checker_new();
    if (checker && check_ops_load(recording, &ops) && check_ops_feed(&ops, checker))
        status = report(&(struct check_report){.path = what->name ? what->name : what->path,
                                               .recording = recording,
                                               .ops = &ops,
                                               .checker = checker,
                                               .all = what->all != 0},
                        what);
    else
        fprintf(stderr, "twinrt: %s: memory is short\n", what->path);
    check_ops_free(&ops);
    checker_free(checker);
    twin_recording_free(recording);
    return status;
}

int twin_tool_check(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"all", KEY_ALL, NULL, 0, "Print every finding, not the first three of each rule", 0},
        {"json", KEY_JSON, NULL, 0, "Print one JSON object", 0},
        {"strict", KEY_STRICT, NULL, 0, "Warnings count as findings", 0},
        {0},
    };
    static const struct argp parser = {
        .options = table,
        .parser = parse,
        .args_doc = "RECORD",
        .doc = "Judges the order of tasks, races between streams, and lifetimes, in a record of a "
               "run.\v"
               "0: nothing was found, warnings aside; 1: something was; 2: the record cannot be "
               "read; 3: nothing was "
               "found, but the record is damaged, or stopped before the run did.",
    };
    struct twin_tool_check options = {0};
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    return twin_tool_check_record(&options);
}
