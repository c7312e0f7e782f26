/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt run`: sets the environment, runs the program, ends as it ended. */
#include "tool.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/op_failure/rules.h"
#include "core/base/config.h"
#include "core/backend/fault_file.h"
#include "check_session.h"
#include "options.h"
#include "run_files.h"
#include "run_process.h"
#include "run_watch.h"
#include "seam/record_file.h"

#define WAITS_EXPLAINED  3u
#define WAITS_MOST       1000u
#define STALL_AFTER_S    300u
#define STALL_AFTER_MOST 1000000u

static struct options {
    struct run_files files;
    unsigned waits;                /* explained */
    unsigned stall_after_s;        /* 0: never */
    unsigned timeout_s;            /* 0: none */
    bool stacks;                   /* of calls are recorded */
    bool require_calls;            /* of the runtime, if a file or a report is wanted */
    struct check_session *session; /* NULL: --check was not given */
    char **program;
} options = {.stall_after_s = STALL_AFTER_S};

/* The program would refuse it too, but perhaps after an hour of work before its first ACL call. */
static void take_profile(struct argp_state *state, const struct tool_option *option, char *name)
{
    char error[2 * PATH_MAX];
    if (!*name)
        argp_error(state, "--profile is empty; expected a name or a file");
    if (!twin_tool_profile_is_there(name, error, sizeof(error)))
        argp_error(state, "%s", error);
    option_setting(state, option, name);
}

/* Read here too: the program may change its folder, and would report a mistake late. */
static void take_faults(struct argp_state *state, const struct tool_option *option, char *path)
{
    static twin_fault list[TWIN_FAULT_FILE_MOST];
    char message[2 * PATH_MAX];
    char absolute[PATH_MAX];
    size_t count = 0;
    if (twin_fault_file_read(path, list, &count, message, sizeof(message)) != TWIN_FAULT_FILE_GOOD)
        argp_error(state, "%s", message);
    if (!realpath(path, absolute))
        argp_failure(state, TWIN_TOOL_RUN_FAILED, errno, "%s", path);
    option_setting(state, option, absolute);
}

static void take_fail(struct argp_state *state, const struct tool_option *option, char *text)
{
    static struct op_failure_rules rules;
    char why[400];
    if (!op_failure_rules_read(text, &rules, why, sizeof(why)))
        argp_error(state, "--fail-ops: %s", why);
    option_setting(state, option, text);
}

static void take_file(struct argp_state *state, const struct tool_option *option, char *name)
{
    struct wanted_file *file = option->to;
    if (name && !*name)
        argp_error(state, "--%s is missing the name of a file", option->name);
    if (name)
        file->given = name;
    if (option->optional)
        file->needed = true;
}

static void take_explain(struct argp_state *state, const struct tool_option *option, char *count)
{
    options.files.item[FILE_TRACE].needed = true;
    options.waits = WAITS_EXPLAINED;
    if (count)
        option_number(state, option, count);
}

static void take_stacks(struct argp_state *state, const struct tool_option *option, char *value)
{
    options.stacks = true;
    option_setting(state, option, value);
}

static void check_usage(struct argp_state *state)
{
    const struct wanted_file *record = &options.files.item[FILE_RECORD];
    if (!options.program)
        argp_error(state, "missing argument: PROGRAM");
    if (check_options_given() && !record->needed)
        argp_error(state, "an option of the check is given without --check");
    if (options.stacks && !record->needed && !record->given)
        argp_error(state, "--stacks is given without --check or --record");
    check_options_verify(state);
}

/* The name in reports of the process that wrote file `index`. */
static void name_process(enum file which, size_t index, char *out, size_t room)
{
    const struct wanted_file *file = &options.files.item[which];
    const char *path = file->found.items[index].name;
    const char *program = options.program[0];
    char recorded[sizeof(((struct twin_record_header *)NULL)->program)];
    if (which == FILE_RECORD &&
        twin_tool_recorded_program(file->found.items[index].path, recorded, sizeof(recorded)) &&
        strcmp(recorded, program) != 0) {
        const char *slash = strrchr(recorded, '/'); /* started by the program, or by a script */
        program = slash ? slash + 1 : recorded;
    }
    bool alone = file->found.count == 1 && (!file->given || file->apart);
    if (file->given && !(alone && which == FILE_RECORD))
        (void)snprintf(out, room, "%s", alone ? file->given : path);
    else if (alone)
        (void)snprintf(out, room, "%s", program);
    else
        (void)snprintf(out, room, "%s, process %s", program, strrchr(path, '.') + 1);
}

/* Prints the report of one process. Returns TWIN_TOOL_*. */
static int report(enum file which, const char *path, const char *name)
{
    switch (which) {
    case FILE_TRACE:
        if (twin_tool_explain(path, options.waits) != 0)
            return TWIN_TOOL_UNREADABLE;
        if (options.files.item[which].given)
            printf("\ntimeline: %s (opens in ui.perfetto.dev or chrome://tracing)\n", name);
        return 0;
    case FILE_STATS:
        return twin_tool_stats(path) == 0 ? 0 : TWIN_TOOL_UNREADABLE;
    case FILE_RECORD:
        return check_session_add(options.session, path, name) ? 0 : TWIN_TOOL_UNREADABLE;
    default:
        return 0;
    }
}

/* Process by process. False: something cannot be read or checked in full. */
static bool print_reports(void)
{
    bool good = true;
    for (enum file which = 0; which < FILE_COUNT; which++) {
        const struct wanted_file *file = &options.files.item[which];
        for (size_t i = 0; file->needed && i < file->found.count; i++) {
            char name[PATH_MAX + 32];
            name_process(which, i, name, sizeof(name));
            if (which != FILE_RECORD)
                fputc('\n', stdout);
            if (file->found.count > 1 && which != FILE_RECORD)
                printf("%s:\n", name);
            good = report(which, file->found.items[i].path, name) == 0 && good;
        }
    }
    if (options.session)
        good =
            check_session_close(options.session) && !check_session_partial(options.session) && good;
    return good;
}

/* Runs the program and prints the reports of its output. */
static int run_and_report(struct run_watch *watch)
{
    if (options.files.item[FILE_RECORD].needed &&
        !(options.session = check_session_open(&check_options, options.program[0], stderr)))
        return TWIN_TOOL_RUN_FAILED;
    const struct run_end end = run_and_wait(options.program, watch);
    if (!end.ran)
        return end.status;
    if (end.signal && !end.ended)
        fprintf(stderr, "twinrt: the program was ended by signal %d (%s)\n", end.signal,
                strsignal(end.signal));
    const bool used = run_files_find(&options.files) || run_watch_used(watch);
    if (!used)
        fprintf(stderr, "twinrt: the program made no ACL call that uses a device%s\n",
                options.require_calls            ? " (--require-calls)"
                : check_options.report_count > 0 ? ": nothing was checked, only --report is written"
                : options.session                ? ": nothing was checked, no file was written"
                                                 : ": no file was written");
    bool good = used ? run_files_report_missing(&options.files) : !options.require_calls;
    if (used && options.session && options.files.item[FILE_RECORD].found.count == 0)
        check_session_incomplete(options.session);
    good = print_reports() && good;
    fflush(stdout);
    run_files_settle(&options.files);
    run_files_print_replay(&options.files);
    const int found =
        check_options.error_status >= 0 ? check_options.error_status : TWIN_TOOL_CHECK_FAILED;
    if (options.session && check_session_found(options.session) && !end.ended && found != 0)
        return found;
    return end.status == 0 && !good ? TWIN_TOOL_RUN_FAILED : end.status;
}

/* The same with a process that gives files their names and removes temporary ones if this process
 * is killed. */
static int run_guarded(struct run_watch *watch)
{
    const struct run_guardian guardian = run_guardian_start(&options.files);
    run_watch_leave_out(watch, guardian.process);
    const int status = run_and_report(watch);
    run_files_free(&options.files);
    run_guardian_dismiss(&guardian);
    return status;
}

/* Runs the program without reports: the tool ends as the program does. */
static int run_alone(struct run_watch *watch)
{
    fflush(NULL);
    if (!watch)
        run_program(options.program, -1);
    const struct run_end end = run_and_wait(options.program, watch);
    if (end.signal && !end.ended)
        run_end_by(end.signal);
    return end.status;
}

/* Whether no report has the name of a file that the program writes. */
static bool are_files_apart(void)
{
    for (unsigned i = 0; i < check_options.report_count; i++) {
        const char *path = check_options.reports[i];
        const char *what = run_files_taken(&options.files, path);
        if (what)
            return check_options_spare(&check_options, path, what);
    }
    return true;
}

static int run_for(void)
{
    const bool any = run_files_any(&options.files) || options.require_calls;
    int status =
        are_files_apart() && run_files_prepare(&options.files) == 0 ? 0 : TWIN_TOOL_RUN_FAILED;
    struct run_watch *watch = NULL;
    if (status == 0 && (any || options.stall_after_s != 0 || options.timeout_s != 0) &&
        !(watch = run_watch_new(options.stall_after_s, options.timeout_s)))
        status = TWIN_TOOL_RUN_FAILED;
    if (status == 0)
        status = any ? run_guarded(watch) : run_alone(watch);
    run_watch_free(watch);
    check_session_free(options.session);
    run_files_free(&options.files);
    return status;
}

int twin_tool_run(int argc, char **argv)
{
    static const struct tool_option table[] = {
        OPTION_BACKEND,
        {"profile", "NAME", "The SoC that the model imitates: a name or a file", take_profile,
         .setting = TWIN_SETTING_PROFILE},
        OPTION_DEVICES,
        {"model", "NAME", "The blocks of the model: cpp, rtl, or both in lockstep", option_setting,
         .setting = TWIN_SETTING_MODEL},
        {"host-time", "WHAT",
         "What advances the clocks of threads: calls, also sleeps, also sync between threads "
         "(sync)",
         option_setting, .setting = TWIN_SETTING_HOST_TIME},
        {"deterministic", NULL,
         "Threads take turns in the order of their clocks: the same times in each run",
         option_setting, .setting = TWIN_SETTING_DETERMINISTIC},
        {"stall-after", "S",
         "End a process with a report and status 97 when a thread waits for the device without a "
         "time limit and nothing has moved for S seconds of real time; 0: never (300)",
         option_number, .to = &options.stall_after_s, .most = STALL_AFTER_MOST},
        {"timeout", "S",
         "End a program that runs for more than S seconds of real time, with a report of what its "
         "threads wait for and status 124; 0: never (0)",
         option_number, .to = &options.timeout_s, .most = STALL_AFTER_MOST},
        {"seed", "N", "Seed of the choices that the hardware leaves open (0)", option_setting,
         .setting = TWIN_SETTING_SEED},
        {"fail-ops", "RULES",
         "Make calls of the device fail: work.copy:3=TWIN_E_NOMEM,... "
         "(share/doc/twinrt/backends/op_failure)",
         take_fail, .setting = TWIN_SETTING_FAIL_OPS},
        {"log", "LEVEL", "Log from this level on: error, warning, info, debug", option_setting,
         .setting = TWIN_SETTING_LOG},
        {"require-calls", NULL,
         "End with 125 if the program ends with 0 and has made no ACL call that uses a device",
         option_flag, .to = &options.require_calls},
        {"faults", "FILE", "Inject the faults that the file describes", take_faults,
         .setting = TWIN_SETTING_FAULTS},
        {"trace", "FILE", "Write the timeline of the run", take_file,
         .to = &options.files.item[FILE_TRACE]},
        {"msprof", "FILE", "Write profiling records (printed by msprof_print.py)", take_file,
         .to = &options.files.item[FILE_MSPROF]},
        {"op-summary", "FILE",
         "Write times of kernels and their pipes, in the columns of the vendor's op_summary",
         take_file, .to = &options.files.item[FILE_OP_SUMMARY]},
        {"pipe-utilization", "FILE",
         "Write times of the pipes in each block, in the columns of the vendor's PipeUtilization",
         take_file, .to = &options.files.item[FILE_PIPE_UTILIZATION]},
        {"kernel-counts", "FILE",
         "Write what each launch of a kernel did, for twinrt kernel-report", take_file,
         .to = &options.files.item[FILE_KERNEL_COUNTS]},
        {"vcd", "FILE", "Write signals over time, for waveform viewers", take_file,
         .to = &options.files.item[FILE_VCD]},
        {"record", "RECORDING", "Record the calls to the device (twinrt record)", take_file,
         .to = &options.files.item[FILE_RECORD]},
        {"check", NULL,
         "Afterwards check order, races and lifetimes (twinrt check); end with 99 if a rule is "
         "broken",
         option_flag, .to = &options.files.item[FILE_RECORD].needed},
        {"stacks", NULL,
         "With --check or --record: keep up to 16 frames of the stack of each call, of Python its "
         "functions and lines, for findings; takes 1 to 3 us a call, of Python 3 to 11 us",
         take_stacks, .setting = TWIN_SETTING_RECORD_STACKS},
        {"explain", "N",
         "Afterwards print the order of tasks, the time of each event, the parts of the longest "
         "wait between two streams, and those of the N slowest waits of host threads (3)",
         take_explain, .to = &options.waits, .most = WAITS_MOST, .optional = true},
        {"stats", "FILE",
         "Afterwards print the use of the machine and the waits for it; write the counters to FILE",
         take_file, .to = &options.files.item[FILE_STATS], .optional = true},
        {0},
    };
    static const struct tool_syntax syntax = {
        .options = table,
        .more = check_option_table,
        .title = "How --check checks and reports:",
        .arguments = "[--] PROGRAM [ARGUMENT...]",
        .help =
            "Runs a program with the libraries of this runtime and ends with its status (128 plus "
            "the number of the signal that ended it).\v"
            "97: --stall-after ended a process; 124: --timeout ended the program; 99 "
            "(--error-exitcode): --check found something; 125: twinrt itself failed, or a file "
            "that was asked for was not written; 126: PROGRAM cannot be run; 127: PROGRAM does "
            "not exist.",
        .program = &options.program,
        .end = check_usage,
    };
    argp_err_exit_status = TWIN_TOOL_RUN_FAILED;
    options_parse(&syntax, argc, argv);

    if (run_library_path() != 0 || run_preload() != 0)
        return TWIN_TOOL_RUN_FAILED;
    return run_for();
}
