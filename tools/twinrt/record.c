/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt record`: records the calls of a program to its device, or prints a recording. */
#include "tool.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "recording/print.h"
#include "recording/reader.h"

static struct {
    const char *output;
    const char *print;
    struct twin_recording_print how;
    bool layout;
    bool data;
    bool events;
    bool stacks;
    char **program;
} choice;

/* Refuses what belongs to another use of the command. */
static void check_usage(struct argp_state *state)
{
    const bool runs =
        choice.program || choice.output || choice.data || choice.events || choice.stacks;
    const bool shapes = choice.how.json || choice.how.stable;
    if (choice.layout && (runs || shapes || choice.print))
        argp_error(state, "--layout takes no other option and no argument");
    if (choice.layout)
        return;
    if (choice.print ? choice.program || choice.output : !choice.program)
        argp_error(state, "expected either a program to run, or --print and a recording");
    if (choice.print && runs)
        argp_error(state, "--data, --events and --stacks are for a program to run");
    if (!choice.print && shapes)
        argp_error(state, "--json and --stable are for --print");
    if (!choice.print && !choice.output)
        argp_error(state, "missing option: -o RECORDING");
}

static int print(void)
{
    twin_recording *recording = twin_tool_read_recording(choice.print);
    if (!recording)
        return TWIN_TOOL_FAILED;
    bool good = twin_recording_print(recording, &choice.how, stdout);
    if (!good && !ferror(stdout))
        fprintf(stderr, "twinrt: %s: out of memory\n", choice.print);
    twin_recording_free(recording);
    return good ? 0 : TWIN_TOOL_FAILED;
}

/* `twinrt run --record FILE -- PROGRAM...` */
static int run(void)
{
    size_t words = 0;
    while (choice.program[words])
        words++;
    char **arguments = calloc(words + 5, sizeof(*arguments));
    if (!arguments) {
        perror("twinrt");
        return TWIN_TOOL_FAILED;
    }
    static char run[] = "twinrt run";
    static char record[] = "--record";
    static char end[] = "--";
    char *const first[] = {run, record, (char *)choice.output, end};
    memcpy(arguments, first, sizeof(first));
    memcpy(arguments + 4, choice.program, words * sizeof(*arguments));
    if ((choice.data && setenv("TWINRT_RECORD_DATA", "on", 1) != 0) ||
        (choice.stacks && setenv("TWINRT_RECORD_STACKS", "on", 1) != 0) ||
        (choice.events && setenv("TWINRT_RECORD_TIMES", "events", 1) != 0))
        perror("twinrt: setenv");
    int status = twin_tool_run((int)words + 4, arguments);
    free(arguments);
    return status;
}

int twin_tool_record(int argc, char **argv)
{
    static const struct tool_option table[] = {
        {"output", "RECORDING", "Output file; %p in the name is the process id", option_text,
         .to = &choice.output, .letter = 'o'},
        {"data", NULL, "Record the bytes that are copied to devices too", option_flag,
         .to = &choice.data},
        {"events", NULL, "Add timed events after work, on a device that does not report times",
         option_flag, .to = &choice.events},
        {"stacks", NULL, "Record the stack of each call too (twinrt run --stacks)", option_flag,
         .to = &choice.stacks},
        {"print", "RECORDING", "Print a recording instead", option_text, .to = &choice.print,
         .group = 1},
        {"json", NULL, "Print it as JSON", option_flag, .to = &choice.how.json, .group = 1},
        {"stable", NULL, "Leave out what differs between two runs of one program on a model",
         option_flag, .to = &choice.how.stable, .group = 1},
        {"layout", NULL, "Print the layout of recordings", option_flag, .to = &choice.layout,
         .group = 1},
        {0},
    };
    static const struct tool_syntax syntax = {
        .options = table,
        .arguments = "-o RECORDING [--] PROGRAM [ARGUMENT...]\n--print RECORDING\n--layout",
        .help = "Runs a program as `twinrt run` does, and records its calls to the device with "
                "their times and results. Or prints a recording.",
        .program = &choice.program,
        .end = check_usage,
    };
    options_parse(&syntax, argc, argv);
    if (choice.layout) {
        twin_recording_print_layout(stdout);
        return 0;
    }
    return choice.print ? print() : run();
}
