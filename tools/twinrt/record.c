/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt record`: runs a program and keeps what it asked of its device; prints such a record. */
#include "tool.h"

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/print.h"
#include "recording/reader.h"

enum { KEY_PRINT = 0x100, KEY_JSON, KEY_STABLE, KEY_LAYOUT, KEY_DATA, KEY_TIMES, KEY_STACKS };

struct choice {
    const char *output;
    const char *print;
    struct twin_recording_print how;
    bool layout;
    bool data;
    bool events;
    bool stacks;
    char **program;
    int program_count;
};

/* What belongs to another use of the command is refused. */
static void check_usage(struct argp_state *state, const struct choice *choice)
{
    bool runs =
        choice->program || choice->output || choice->data || choice->events || choice->stacks;
    bool shapes = choice->how.json || choice->how.stable;
    if (choice->layout && (runs || shapes || choice->print))
        argp_error(state, "--layout stands alone");
    if (choice->layout)
        return;
    if (choice->print ? choice->program || choice->output : !choice->program)
        argp_error(state, "either a program to run, or --print and a file");
    if (choice->print && runs)
        argp_error(state, "--data, --events and --stacks are for a program to run");
    if (!choice->print && shapes)
        argp_error(state, "--json and --stable are for --print");
    if (!choice->print && !choice->output)
        argp_error(state, "where to? -o FILE");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct choice *choice = state->input;
    switch (key) {
    case 'o':
        choice->output = argument;
        return 0;
    case KEY_PRINT:
        choice->print = argument;
        return 0;
    case KEY_JSON:
        choice->how.json = true;
        return 0;
    case KEY_STABLE:
        choice->how.stable = true;
        return 0;
    case KEY_LAYOUT:
        choice->layout = true;
        return 0;
    case KEY_DATA:
        choice->data = true;
        return 0;
    case KEY_TIMES:
        choice->events = true;
        return 0;
    case KEY_STACKS:
        choice->stacks = true;
        return 0;
    case ARGP_KEY_ARG:
        choice->program = &state->argv[state->next - 1];
        choice->program_count = state->argc - state->next + 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        check_usage(state, choice);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int print(const struct choice *choice)
{
    char error[512];
    twin_recording *recording = NULL;
    if (twin_recording_read(choice->print, &recording, error, sizeof(error)) != TWIN_RECORDING_OK) {
        fprintf(stderr, "twinrt: %s\n", error);
        return TWIN_TOOL_FAILED;
    }
    bool good = twin_recording_print(recording, &choice->how, stdout);
    if (!good && !ferror(stdout))
        fprintf(stderr, "twinrt: %s: out of memory\n", choice->print);
    twin_recording_free(recording);
    return good ? 0 : TWIN_TOOL_FAILED;
}

int twin_tool_record(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"output", 'o', "FILE", 0, "Where the record goes; %p in it is the number of the process",
         0},
        {"data", KEY_DATA, NULL, 0, "Keep the bytes that are copied to devices too", 0},
        {"events", KEY_TIMES, NULL, 0,
         "Find out when work ended by timed events of its own, on a device that does not tell", 0},
        {"stacks", KEY_STACKS, NULL, 0, "Keep the stack of each call too (twinrt run --stacks)", 0},
        {"print", KEY_PRINT, "FILE", 0, "Print a record instead", 1},
        {"json", KEY_JSON, NULL, 0, "Print it as JSON", 1},
        {"stable", KEY_STABLE, NULL, 0,
         "Leave out what differs between two runs of one program on a model", 1},
        {"layout", KEY_LAYOUT, NULL, 0, "Print how a record is laid out", 1},
        {0},
    };
    static const struct argp parser = {
        .options = table,
        .parser = parse,
        .args_doc = "-o FILE [--] PROGRAM [ARGUMENT...]\n--print FILE\n--layout",
        .doc = "Runs a program as `twinrt run` does, and keeps what it asked of its device, when, "
               "and what came back. Or prints what was kept.",
    };
    struct choice choice = {0};
    argp_parse(&parser, argc, argv, ARGP_IN_ORDER, NULL, &choice);
    if (choice.layout) {
        twin_recording_print_layout(stdout);
        return 0;
    }
    if (choice.print)
        return print(&choice);

    /* the rest is `twinrt run --record FILE -- PROGRAM` */
    char **arguments = calloc((size_t)choice.program_count + 5, sizeof(*arguments));
    if (!arguments) {
        perror("twinrt");
        return TWIN_TOOL_FAILED;
    }
    static char run[] = "twinrt run";
    static char record[] = "--record";
    static char end[] = "--";
    int count = 0;
    arguments[count++] = run;
    arguments[count++] = record;
    arguments[count++] = (char *)choice.output;
    arguments[count++] = end;
    memcpy(arguments + count, choice.program, (size_t)choice.program_count * sizeof(*arguments));
    count += choice.program_count;
    if ((choice.data && setenv("TWINRT_RECORD_DATA", "on", 1) != 0) ||
        (choice.stacks && setenv("TWINRT_RECORD_STACKS", "on", 1) != 0) ||
        (choice.events && setenv("TWINRT_RECORD_TIMES", "events", 1) != 0))
        perror("twinrt: setenv");
    int status = twin_tool_run(count, arguments);
    free(arguments);
    return status;
}
