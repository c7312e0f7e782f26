/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/config.h"
#include "output.h"

struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
    int unwritten; /* status if its output cannot be written; 0: the command reports that itself */
};

static const struct command commands[] = {
    {"api", "list the functions of the interface that are not built", twin_tool_api,
     TWIN_TOOL_FAILED},
    {"bench", "measure synchronisation, copies, submission and the model", twin_tool_bench,
     TWIN_TOOL_FAILED},
    {"calibrate", "fit the assumed parameters of a profile to recordings", twin_tool_calibrate,
     TWIN_TOOL_UNREADABLE},
    {"check", "check order, races and lifetimes in a recording", twin_tool_check,
     TWIN_TOOL_UNREADABLE},
    {"compare", "compare two recordings of one program, op by op", twin_tool_compare,
     TWIN_TOOL_UNREADABLE},
    {"graph", "show, draw and compare the model instances of a recording", twin_tool_graph,
     TWIN_TOOL_UNREADABLE},
    {"info", "show the device below: identity, limits, timing parameters", twin_tool_info,
     TWIN_TOOL_FAILED},
    {"kernel-report", "say where the time of kernels goes, and what to change",
     twin_tool_kernel_report, TWIN_TOOL_UNREADABLE},
    {"record", "record the calls of a program to its device, or print them", twin_tool_record,
     TWIN_TOOL_FAILED},
    {"replay", "execute the work of a recording again, on any device", twin_tool_replay, 0},
    {"run", "run a program on the device, and explain its time", twin_tool_run,
     TWIN_TOOL_RUN_FAILED},
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

/* the C library looks this up by name */
__attribute__((visibility("default"))) const char *argp_program_version = "twinrt " TWINRT_VERSION;

int twin_tool_library(char *out_path, size_t path_bytes, const char *place, ...)
{
    char self[PATH_MAX];
    char below[PATH_MAX];
    va_list values;
    va_start(values, place);
    (void)vsnprintf(below, sizeof(below), place, values);
    va_end(values);
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length <= 0)
        return twin_tool_error(-1, "/proc/self/exe: %s", strerror(errno));
    self[length] = '\0';
    for (int level = 0; level < 2; level++) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
    }
    int used = snprintf(out_path, path_bytes, "%s/lib64%s", self, below);
    if (used < 0 || (size_t)used >= path_bytes)
        return twin_tool_error(-1, "the path of the libraries is too long");
    return 0;
}

bool twin_tool_settings_valid(void)
{
    char text[256];
    if (twin_settings_check(text, sizeof(text)))
        return true;
    return twin_tool_error(false, "%s", text);
}

static char *list_commands(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    char *list = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&list, &bytes);
    if (!file)
        return (char *)text;
    fputs("Commands:\n", file);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(file, "  %-14s %s\n", commands[i].name, commands[i].summary);
    fputs("\n`twinrt COMMAND --help' lists its options.", file);
    if (fclose(file) != 0)
        return (char *)text;
    return list;
}

struct choice {
    int first; /* index of the command's name */
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct choice *choice = state->input;
    (void)argument;
    if (key == ARGP_KEY_ARG) {
        choice->first = state->next - 1;
        state->next = state->argc;
        return 0;
    }
    if (key == ARGP_KEY_NO_ARGS)
        argp_usage(state);
    return ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv)
{
    static const struct argp parser = {
        .parser = parse,
        .args_doc = "COMMAND [ARGUMENT...]",
        .doc = "One ACL runtime on two devices: an Atlas board and its cycle-level model.\v",
        .help_filter = list_commands,
    };
    struct choice choice = {0};
    argp_err_exit_status = TWIN_TOOL_USAGE;
    argp_parse(&parser, argc, argv, ARGP_IN_ORDER, NULL, &choice);

    const char *wanted = argv[choice.first];
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, wanted) != 0)
            continue;
        /* help and usage texts then say "twinrt run" */
        static char title[32];
        (void)snprintf(title, sizeof(title), "twinrt %s", commands[i].name);
        argv[choice.first] = title;
        int status = commands[i].run(argc - choice.first, argv + choice.first);
        bool lost = commands[i].unwritten != 0 && !output_flush();
        return lost && status == 0 ? commands[i].unwritten : status;
    }
    fprintf(stderr, "twinrt: no such command: %s\nThere are:", wanted);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(stderr, " %s", commands[i].name);
    fputc('\n', stderr);
    return TWIN_TOOL_USAGE;
}
