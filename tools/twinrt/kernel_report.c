/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt kernel-report`: what kernels did, of a file of counts, a recording, or a program that it
 * runs on the model. */
#include "tool.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel_report/kernel_report.h"
#include "options.h"
#include "output.h"
#include "output_files.h"
#include "seam/record_file.h"

#define SELF "/proc/self/exe"

static struct {
    struct kernel_report report;
    const char *junit, *svg;
    bool json, failing;
    char **arguments;
} options;

/* A hint is a finding: CI may fail for it. */
static void check_usage(struct argp_state *state)
{
    if (!options.arguments)
        argp_error(state, "missing argument: FILE, or -- PROGRAM");
    if (options.junit && options.svg && output_is_same_file(options.junit, options.svg))
        argp_error(state, "--junit and --svg name the same file");
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Runs `words`, which end with NULL, of this tool. Returns its status. */
static int run_self(char **words)
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        /* what the program prints is not the report */
        (void)dup2(STDERR_FILENO, STDOUT_FILENO);
        (void)execv(SELF, words);
        _exit(TWIN_TOOL_RUN_FAILED);
    }
    if (child < 0)
        return twin_tool_error(TWIN_TOOL_RUN_FAILED, "a process: %s", strerror(errno));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return TWIN_TOOL_RUN_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool is_recording(const char *path)
{
    char recorded[sizeof(((struct twin_record_header *)NULL)->program)];
    return twin_tool_recorded_program(path, recorded, sizeof(recorded));
}

/* `twinrt run` or `replay`, which leave counts at `counts`. */
static int run_for_counts(const char *counts, bool recording)
{
    char self[] = "twinrt", run[] = "run", replay[] = "replay", end[] = "--";
    size_t count = 0;
    size_t at = 0;
    while (options.arguments[count])
        count++;
    char **words = calloc(count + 4, sizeof(*words));
    if (!words)
        return twin_tool_error(TWIN_TOOL_RUN_FAILED, "out of memory");
    words[at++] = self;
    words[at++] = recording ? replay : run;
    words[at++] = end;
    memcpy(words + at, options.arguments, count * sizeof(*words));
    /* Not the option of `run`, which reports a missing file by its name. */
    int status = setenv("TWINRT_BACKEND", "sim", 1) | setenv("TWINRT_KERNEL_COUNTS", counts, 1);
    status = status == 0 ? run_self(words) : TWIN_TOOL_RUN_FAILED;
    free(words);
    return status;
}

/* ---- reports --------------------------------------------------------------------------------- */

static bool add(const char *path)
{
    char error[PATH_MAX + 512];
    if (kernel_report_add(&options.report, path, error, sizeof(error)))
        return true;
    return twin_tool_error(false, "%s", error);
}

static int write_file(const char *path, void (*put)(const struct kernel_report *report, FILE *out))
{
    FILE *file = output_create(path, 0600);
    if (file) {
        put(&options.report, file);
        const bool failed = ferror(file) != 0;
        if (fclose(file) == 0 && !failed)
            return 0;
    }
    return twin_tool_error(-1, "%s: %s", path, strerror(errno));
}

static int report(void)
{
    bool hints = false;
    if (options.report.count == 0)
        return twin_tool_error(
            TWIN_TOOL_UNREADABLE, "no kernel%s%s%s was executed", options.report.only ? " \"" : "",
            options.report.only ? options.report.only : "", options.report.only ? "\"" : "");
    kernel_report_judge(&options.report);
    for (size_t i = 0; i < options.report.count; i++)
        hints = hints || options.report.kernels[i].hint_count > 0;
    if ((options.junit && write_file(options.junit, kernel_report_junit) != 0) ||
        (options.svg && write_file(options.svg, kernel_report_svg) != 0))
        return TWIN_TOOL_UNREADABLE;
    if (!options.json)
        kernel_report_text(&options.report, stdout);
    else if (!kernel_report_json(&options.report, stdout))
        return twin_tool_error(TWIN_TOOL_UNREADABLE, "out of memory");
    return hints && options.failing ? TWIN_TOOL_FOUND : 0;
}

/* Counts of each process of a run. */
static int report_run(bool recording)
{
    char folder[PATH_MAX / 2];
    char name[PATH_MAX];
    struct output_files found = {.count = 0};
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(folder, sizeof(folder), "%s/twinrt.XXXXXX",
                   temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return twin_tool_error(TWIN_TOOL_UNREADABLE, "a temporary folder: %s", strerror(errno));
    (void)snprintf(name, sizeof(name), "%s/counts.%%p", folder);
    int status = run_for_counts(name, recording);
    if (status != 0) {
        (void)twin_tool_error(0, "%s ended with status %d: no report", options.arguments[0],
                              status);
    } else if (!output_files_find(name, "counts", &found) || found.count == 0) {
        status = twin_tool_error(TWIN_TOOL_UNREADABLE,
                                 "%s has no counts of kernels; expected a program that launches "
                                 "kernels on the model",
                                 options.arguments[0]);
    } else {
        for (size_t i = 0; status == 0 && i < found.count; i++)
            status = add(found.items[i].path) ? 0 : TWIN_TOOL_UNREADABLE;
        if (status == 0)
            status = report();
    }
    output_files_free(&found);
    output_files_remove(folder);
    return status;
}

int twin_tool_kernel_report(int argc, char **argv)
{
    static const struct tool_option table[] = {
        OPTION_PROFILE,
        OPTION_DEVICES,
        {"each", NULL,
         "Report each launch; without it, launches of one name and number of blocks "
         "are one kernel",
         option_flag, .to = &options.report.each},
        {"kernel", "NAME", "Only kernels of this name", option_text, .to = &options.report.only},
        {"json", NULL, "Print one JSON object", option_flag, .to = &options.json},
        {"junit", "FILE", "Write hints as JUnit XML", option_text, .to = &options.junit},
        {"svg", "FILE", "Draw the rooflines", option_text, .to = &options.svg},
        {"fail-on-hints", NULL, "End with 1 if there is a hint", option_flag,
         .to = &options.failing},
        {0},
    };
    static const struct tool_syntax syntax = {
        .options = table,
        .arguments = "FILE\n-- PROGRAM [ARGUMENT...]",
        .help =
            "Says of each kernel where its time goes, how much it moves and computes, which roof "
            "of the device it is near, and what to change. FILE: counts that twinrt run "
            "--kernel-counts wrote, or a recording, whose kernels are executed again; PROGRAM: is "
            "run on the model, and what it prints goes to standard error.\v"
            "0: success; 1: there is a hint (--fail-on-hints); 2: FILE cannot be read, has no "
            "kernel, or no report can be written; any other: that of PROGRAM, which failed.",
        .program = &options.arguments,
        .end = check_usage,
    };
    int status = TWIN_TOOL_UNREADABLE;
    options_parse(&syntax, argc, argv);
    const bool runs = strcmp(options.arguments[-1], "--") == 0;
    if (runs)
        status = report_run(false);
    else if (options.arguments[1])
        status = twin_tool_error(TWIN_TOOL_USAGE,
                                 "more than one FILE; expected -- before a program: twinrt "
                                 "kernel-report -- %s ...",
                                 options.arguments[0]);
    else if (is_recording(options.arguments[0]))
        status = report_run(true);
    else if (add(options.arguments[0]))
        status = report();
    kernel_report_free(&options.report);
    return status;
}
