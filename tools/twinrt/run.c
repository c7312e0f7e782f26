/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt run`: sets the environment, runs the program, ends as it ended. */
#include "tool.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/config.h"
#include "core/backend/fault_file.h"
#include "check_session.h"
#include "run_files.h"
#include "run_guardian.h"
#include "run_process.h"
#include "run_watch.h"
#include "setting_option.h"

enum {
    KEY_BACKEND = 0x100,
    KEY_PROFILE,
    KEY_DEVICES,
    KEY_TRACE,
    KEY_EXPLAIN,
    KEY_STATS,
    KEY_MSPROF,
    KEY_VCD,
    KEY_RECORD,
    KEY_CHECK,
    KEY_FAULTS,
    KEY_MODEL,
    KEY_HOST_TIME,
    KEY_DETERMINISTIC,
    KEY_STALL_AFTER,
    KEY_TIMEOUT,
    KEY_SEED,
    KEY_FAIL,
    KEY_LOG,
    KEY_REQUIRE_CALLS,
    KEY_STACKS
};

#define WAITS_EXPLAINED  3u
#define STALL_AFTER_S    300u
#define STALL_AFTER_MOST 1000000u

struct options {
    struct run_files files;
    unsigned waits;         /* explained */
    unsigned stall_after_s; /* 0: nobody watches */
    unsigned timeout_s;     /* 0: none */
    bool stacks;            /* of calls are recorded */
    bool require_calls;     /* of the runtime, if a file or a report is wanted */
    struct check_options check;
    struct check_session *session; /* NULL: --check was not given */
    char **program;
};

/* The program would find out too, but perhaps after an hour of work before its first ACL call. */
static void check_profile(struct argp_state *state, const char *name)
{
    char folder[PATH_MAX] = "";
    char path[2 * PATH_MAX];
    if (!*name)
        argp_error(state, "--profile needs a name or a file");
    if (!strchr(name, '/') && twin_tool_library_folder(folder, sizeof(folder)) != 0)
        argp_failure(state, TWIN_TOOL_RUN_FAILED, 0, "the profiles cannot be found");
    (void)snprintf(path, sizeof(path), *folder ? "%s/twinrt/profiles/%s.json" : "%s%s", folder,
                   name);
    if (access(path, R_OK) != 0)
        argp_error(state, "there is no profile %s; a file is given with a \"/\" in its path", path);
}

static void give_file(struct argp_state *state, struct wanted_file *file, const char *name)
{
    if (!*name)
        argp_error(state, "the name of a file is missing");
    file->given = name;
}

/* `what`: "--explain takes a number of waits". */
static unsigned count_of(struct argp_state *state, const char *text, const char *what,
                         unsigned most)
{
    char *end = NULL;
    unsigned long count = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || count > most)
        argp_error(state, "%s, 0 to %u", what, most);
    return (unsigned)count;
}

/* Read here too: the program may change its folder, and would find a mistake late. */
static void set_faults(struct argp_state *state, const char *path)
{
    static twin_fault list[TWIN_FAULT_FILE_MOST];
    char message[2 * PATH_MAX];
    char absolute[PATH_MAX];
    size_t count = 0;
    if (twin_fault_file_read(path, list, &count, message, sizeof(message)) != TWIN_FAULT_FILE_GOOD)
        argp_error(state, "%s", message);
    if (!realpath(path, absolute))
        argp_failure(state, TWIN_TOOL_RUN_FAILED, errno, "%s", path);
    twin_tool_set(state, "faults", TWIN_SETTING_FAULTS, absolute);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->check;
        return 0;
    case ARGP_KEY_END:
        if (options->check.given && !options->files.item[FILE_RECORD].needed)
            argp_error(state, "an option of the check is given without --check");
        if (options->stacks && !options->files.item[FILE_RECORD].needed &&
            !options->files.item[FILE_RECORD].given)
            argp_error(state, "--stacks is given without --check or --record");
        return 0;
    case KEY_BACKEND:
        twin_tool_set(state, "backend", TWIN_SETTING_BACKEND, argument);
        return 0;
    case KEY_PROFILE:
        check_profile(state, argument);
        twin_tool_set(state, "profile", TWIN_SETTING_PROFILE, argument);
        return 0;
    case KEY_DEVICES:
        twin_tool_set(state, "devices", TWIN_SETTING_DEVICES, argument);
        return 0;
    case KEY_MODEL:
        twin_tool_set(state, "model", TWIN_SETTING_MODEL, argument);
        return 0;
    case KEY_FAULTS:
        set_faults(state, argument);
        return 0;
    case KEY_TRACE:
        give_file(state, &options->files.item[FILE_TRACE], argument);
        return 0;
    case KEY_MSPROF:
        give_file(state, &options->files.item[FILE_MSPROF], argument);
        return 0;
    case KEY_VCD:
        give_file(state, &options->files.item[FILE_VCD], argument);
        return 0;
    case KEY_CHECK:
        options->files.item[FILE_RECORD].needed = true;
        return 0;
    case KEY_RECORD:
        give_file(state, &options->files.item[FILE_RECORD], argument);
        return 0;
    case KEY_STATS:
        options->files.item[FILE_STATS].needed = true;
        if (argument)
            give_file(state, &options->files.item[FILE_STATS], argument);
        return 0;
    case KEY_EXPLAIN:
        options->files.item[FILE_TRACE].needed = true;
        options->waits = argument
                             ? count_of(state, argument, "--explain takes a number of waits", 1000)
                             : WAITS_EXPLAINED;
        return 0;
    case KEY_HOST_TIME:
        twin_tool_set(state, "host-time", TWIN_SETTING_HOST_TIME, argument);
        return 0;
    case KEY_DETERMINISTIC:
        twin_tool_set(state, "deterministic", TWIN_SETTING_DETERMINISTIC, "on");
        return 0;
    case KEY_STALL_AFTER:
        options->stall_after_s =
            count_of(state, argument, "--stall-after takes whole seconds", STALL_AFTER_MOST);
        return 0;
    case KEY_TIMEOUT:
        options->timeout_s =
            count_of(state, argument, "--timeout takes whole seconds", STALL_AFTER_MOST);
        return 0;
    case KEY_SEED:
        twin_tool_set(state, "seed", TWIN_SETTING_SEED, argument);
        return 0;
    case KEY_FAIL:
        twin_tool_set(state, "fail", TWIN_SETTING_FAIL, argument);
        return 0;
    case KEY_LOG:
        twin_tool_set(state, "log", TWIN_SETTING_LOG, argument);
        return 0;
    case KEY_STACKS:
        twin_tool_set(state, "stacks", TWIN_SETTING_RECORD_STACKS, "on");
        options->stacks = true;
        return 0;
    case KEY_REQUIRE_CALLS:
        options->require_calls = true;
        return 0;
    case ARGP_KEY_ARG:
        options->program = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "missing argument: PROGRAM");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What a report calls the process that left file `index`. */
static void name_process(const struct options *options, enum file which, size_t index, char *out,
                         size_t room)
{
    const struct wanted_file *file = &options->files.item[which];
    const char *path = file->found.items[index].name;
    bool alone = file->found.count == 1 && (!file->given || file->apart);
    if (file->given && !(alone && which == FILE_RECORD))
        (void)snprintf(out, room, "%s", alone ? file->given : path);
    else if (alone)
        (void)snprintf(out, room, "%s", options->program[0]);
    else
        (void)snprintf(out, room, "%s, process %s", options->program[0], strrchr(path, '.') + 1);
}

/* Prints what one process left. Returns TWIN_TOOL_*. */
static int report(const struct options *options, enum file which, const char *path,
                  const char *name)
{
    switch (which) {
    case FILE_TRACE:
        if (twin_tool_explain(path, options->waits) != 0)
            return TWIN_TOOL_UNREADABLE;
        if (options->files.item[which].given)
            printf("\ntimeline: %s (opens in ui.perfetto.dev or chrome://tracing)\n", name);
        return 0;
    case FILE_STATS:
        return twin_tool_stats(path) == 0 ? 0 : TWIN_TOOL_UNREADABLE;
    case FILE_RECORD:
        return check_session_add(options->session, path, name) ? 0 : TWIN_TOOL_UNREADABLE;
    default:
        return 0;
    }
}

/* Process by process. False: something cannot be read or judged, or not in full. */
static bool print_reports(const struct options *options)
{
    bool good = true;
    for (enum file which = 0; which < FILE_COUNT; which++) {
        const struct wanted_file *file = &options->files.item[which];
        for (size_t i = 0; file->needed && i < file->found.count; i++) {
            char name[PATH_MAX + 32];
            name_process(options, which, i, name, sizeof(name));
            if (which != FILE_RECORD)
                fputc('\n', stdout);
            if (file->found.count > 1 && which != FILE_RECORD)
                printf("%s:\n", name);
            good = report(options, which, file->found.items[i].path, name) == 0 && good;
        }
    }
    if (options->session)
        good = check_session_close(options->session) && !check_session_partial(options->session) &&
               good;
    return good;
}

/* Runs the program and prints what was asked for of what it left behind. */
static int run_and_report(struct options *options, struct run_watch *watch)
{
    if (options->files.item[FILE_RECORD].needed &&
        !(options->session = check_session_open(&options->check, options->program[0], stderr)))
        return TWIN_TOOL_RUN_FAILED;
    const struct run_end end = run_and_wait(options->program, watch);
    if (!end.ran)
        return end.status;
    if (end.signal && !end.ended)
        fprintf(stderr, "twinrt: the program was ended by signal %d (%s)\n", end.signal,
                strsignal(end.signal));
    const bool used = run_files_find(&options->files) || run_watch_used(watch);
    if (!used)
        fprintf(stderr, "twinrt: the program made no ACL call that uses a device%s\n",
                options->require_calls ? " (--require-calls)"
                : options->session     ? ": nothing was checked, no file was written"
                                       : ": no file was written");
    bool good = used ? run_files_report_missing(&options->files) : !options->require_calls;
    if (used && options->session && options->files.item[FILE_RECORD].found.count == 0)
        check_session_incomplete(options->session);
    good = print_reports(options) && good;
    fflush(stdout);
    run_files_settle(&options->files);
    const int found =
        options->check.error_status >= 0 ? options->check.error_status : TWIN_TOOL_CHECK_FAILED;
    if (options->session && check_session_found(options->session) && !end.ended && found != 0)
        return found;
    return end.status == 0 && !good ? TWIN_TOOL_RUN_FAILED : end.status;
}

/* The same with somebody who gives files their names and removes temporary ones if this process is ended before it has. */
static int run_guarded(struct options *options, struct run_watch *watch)
{
    const struct run_guardian guardian =
        run_guardian_start(run_files_settle_later, &options->files);
    run_watch_leave_out(watch, guardian.process);
    const int status = run_and_report(options, watch);
    run_files_free(&options->files);
    run_guardian_dismiss(&guardian);
    return status;
}

/* Runs the program when nothing is to be reported: the tool ends as it does. */
static int run_alone(struct options *options, struct run_watch *watch)
{
    fflush(NULL);
    if (!watch)
        run_program(options->program, -1);
    const struct run_end end = run_and_wait(options->program, watch);
    if (end.signal && !end.ended)
        run_end_by(end.signal);
    return end.status;
}

/* Whether no report has the name of a file that the program writes. */
static bool are_files_apart(const struct options *options)
{
    for (unsigned i = 0; i < options->check.report_count; i++) {
        const char *path = options->check.reports[i];
        const char *what = run_files_taken(&options->files, path);
        if (what)
            return check_options_spare(&options->check, path, what);
    }
    return true;
}

static int run_for(struct options *options)
{
    const bool any = run_files_any(&options->files) || options->require_calls;
    int status = are_files_apart(options) && run_files_prepare(&options->files) == 0
                     ? 0
                     : TWIN_TOOL_RUN_FAILED;
    struct run_watch *watch = NULL;
    if (status == 0 && (any || options->stall_after_s != 0 || options->timeout_s != 0) &&
        !(watch = run_watch_new(options->stall_after_s, options->timeout_s)))
        status = TWIN_TOOL_RUN_FAILED;
    if (status == 0)
        status = any ? run_guarded(options, watch) : run_alone(options, watch);
    run_watch_free(watch);
    check_session_free(options->session);
    run_files_free(&options->files);
    return status;
}

int twin_tool_run(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"backend", KEY_BACKEND, "NAME", 0, "The device: auto, " TWIN_BACKEND_NAMES, 0},
        {"profile", KEY_PROFILE, "NAME", 0, "The SoC the model imitates: a name or a file", 0},
        {"devices", KEY_DEVICES, "N", 0, "Devices the model has, 1 to 64", 0},
        {"model", KEY_MODEL, "NAME", 0, "What its blocks are: cpp, rtl, or both in lockstep", 0},
        {"host-time", KEY_HOST_TIME, "WHAT", 0,
         "What advances the clocks of threads: calls, also sleeps, also sync between threads "
         "(sync)",
         0},
        {"deterministic", KEY_DETERMINISTIC, NULL, 0,
         "Threads take turns in the order of their clocks: the same times in each run", 0},
        {"stall-after", KEY_STALL_AFTER, "S", 0,
         "End a process with a report and status 97 when a thread waits for the device without a "
         "time limit and nothing has moved for S seconds of real time; 0: never (300)",
         0},
        {"timeout", KEY_TIMEOUT, "S", 0,
         "End a program that runs for more than S seconds of real time, with a report of what its "
         "threads wait for and status 124; 0: never (0)",
         0},
        {"seed", KEY_SEED, "N", 0, "Seed of the choices that the hardware leaves open (0)", 0},
        {"fail", KEY_FAIL, "RULES", 0,
         "Make calls of the device fail: work.copy:3=TWIN_E_NOMEM,... "
         "(share/doc/twinrt/backends/fault)",
         0},
        {"log", KEY_LOG, "LEVEL", 0, "Log from this level on: error, warning, info, debug", 0},
        {"require-calls", KEY_REQUIRE_CALLS, NULL, 0,
         "End with 125 if the program ends with 0 and has made no ACL call that uses a device", 0},
        {"faults", KEY_FAULTS, "FILE", 0, "Inject the faults that the file describes", 0},
        {"trace", KEY_TRACE, "FILE", 0, "Write the timeline of the run", 0},
        {"msprof", KEY_MSPROF, "FILE", 0, "Write profiling records (printed by msprof_print.py)",
         0},
        {"vcd", KEY_VCD, "FILE", 0, "Write signals over time, for viewers of waveforms", 0},
        {"record", KEY_RECORD, "FILE", 0, "Keep what is asked of the device (twinrt record)", 0},
        {"check", KEY_CHECK, NULL, 0,
         "Afterwards judge order, races and lifetimes (twinrt check); end with 99 if a rule is "
         "broken",
         0},
        {"stacks", KEY_STACKS, NULL, 0,
         "With --check or --record: keep up to 16 frames of the stack of each call, of Python its "
         "functions and lines, for findings; takes 1 to 3 us a call, of Python 3 to 11 us",
         0},
        {"explain", KEY_EXPLAIN, "N", OPTION_ARG_OPTIONAL,
         "Afterwards print the order of tasks, the time of each event, where the time of the "
         "longest hand-over between two streams went, and that of the N slowest waits (3)",
         0},
        {"stats", KEY_STATS, "FILE", OPTION_ARG_OPTIONAL,
         "Afterwards print what the machine was used for and what was waited for; keep the "
         "counters in FILE",
         0},
        {0},
    };
    static const struct argp_child children[] = {
        {&check_options_parser, 0, "How --check judges and reports:", 1}, {0}};
    static const struct argp parser = {
        .options = table,
        .parser = parse,
        .children = children,
        .args_doc = "[--] PROGRAM [ARGUMENT...]",
        .doc =
            "Runs a program with the libraries of this runtime and ends with its status (128 plus "
            "the number of the signal that ended it).\v"
            "97: --stall-after ended a process; 124: --timeout ended the program; 99 "
            "(--error-exitcode): --check found something; "
            "125: twinrt itself "
            "failed, or a file that was asked for "
            "was not written; 126: PROGRAM cannot be run; 127: there is none.",
    };
    static struct options options = {.stall_after_s = STALL_AFTER_S,
                                     .check = CHECK_OPTIONS_DEFAULT};
    argp_err_exit_status = TWIN_TOOL_RUN_FAILED;
    argp_parse(&parser, argc, argv, ARGP_IN_ORDER, NULL, &options);

    if (run_library_path() != 0 || run_preload() != 0)
        return TWIN_TOOL_RUN_FAILED;
    return run_for(&options);
}
