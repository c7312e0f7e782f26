/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt calibrate`: fits the assumed parameters of a profile to recordings. */
#include "tool.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/calibrate.h"
#include "core/backend/registry.h"
#include "core/base/config.h"
#include "msprof/times.h"
#include "op_option.h"
#include "options.h"
#include "output.h"
#include "recording/reader.h"

enum { NAMES_MOST = 256, STEPS_USUAL = 20, STEPS_MOST = 1000, JOBS_MOST = 64 };

struct names {
    const char *items[NAMES_MOST + 1]; /* NULL at the end */
    size_t count;
};

static struct {
    struct names recordings, only, freed, fixed, tables; /* recordings: or the program */
    struct op_renames renames;
    const char *output;
    bool json, verbose;
    unsigned steps, jobs;
} options = {.steps = STEPS_USUAL};

static void add(struct argp_state *state, struct names *names, const char *name)
{
    if (names->count == NAMES_MOST)
        argp_error(state, "more than %d of a kind", NAMES_MOST);
    names->items[names->count++] = name;
}

static void take_name(struct argp_state *state, const struct tool_option *option, char *name)
{
    add(state, option->to, name);
}

static void take_names(struct argp_state *state, const struct tool_option *option, char *names)
{
    char *rest = names;
    for (char *name = strsep(&rest, ","); name; name = strsep(&rest, ",")) {
        if (*name == '\0')
            argp_error(state, "--%s: a name is empty; expected PARAMETER[,PARAMETER...]",
                       option->name);
        add(state, option->to, name);
    }
}

static void take_recording(struct argp_state *state, char *path)
{
    add(state, &options.recordings, path);
}

static void check_usage(struct argp_state *state)
{
    if (options.recordings.count == 0)
        argp_error(state, "missing argument: %s",
                   options.tables.count > 0 ? "the program that was measured" : "RECORDING");
    if (options.renames.count > 0 && options.tables.count == 0)
        argp_error(state, "--op is for --table");
    if (options.only.count > 0 && (options.freed.count > 0 || options.fixed.count > 0))
        argp_error(state, "--only names all that is fitted; expected no --free or --fix beside it");
    for (size_t i = 0; options.tables.count == 0 && i < options.recordings.count; i++)
        if (msprof_is_table(options.recordings.items[i]))
            argp_error(state,
                       "%s is a table, not a recording; expected --table FILE, and the program "
                       "that was measured",
                       options.recordings.items[i]);
}

/* Of those that can be read; calibrate_run() reports why others cannot. */
static void report_damage(void)
{
    char error[512];
    for (size_t i = 0; i < options.recordings.count; i++) {
        twin_recording *recording = NULL;
        const char *path = options.recordings.items[i];
        if (twin_recording_read(path, &recording, error, sizeof(error)) == TWIN_RECORDING_OK)
            twin_tool_report_damage(recording, path);
        twin_recording_free(recording);
    }
}

static int calibrate(const char *plugins)
{
    const bool tables = options.tables.count > 0;
    const struct names *measured = tables ? &options.tables : &options.recordings;
    struct calibrate_error error = {""};
    struct calibrate_result result = {0};
    const struct calibrate_job job = {.backend =
                                          twin_backend_load("sim", error.text, sizeof(error.text)),
                                      .recordings = measured->items,
                                      .recording_count = measured->count,
                                      .program = tables ? options.recordings.items : NULL,
                                      .renames = options.renames.items,
                                      .rename_count = options.renames.count,
                                      .profile = twin_setting(TWIN_SETTING_PROFILE),
                                      .only = options.only.items,
                                      .only_count = options.only.count,
                                      .freed = options.freed.items,
                                      .freed_count = options.freed.count,
                                      .fixed = options.fixed.items,
                                      .fixed_count = options.fixed.count,
                                      .iterations_most = options.steps,
                                      .processes = options.jobs,
                                      .plugin_folder = plugins,
                                      .setting = twin_setting_named,
                                      .begin = options.json && !options.verbose ? NULL : stderr,
                                      .progress = options.verbose ? stderr : NULL,
                                      .error = &error};
    if (options.output && !output_is_possible(options.output))
        return twin_tool_error(TWIN_TOOL_UNREADABLE, "%s cannot be written: %s", options.output,
                               strerror(errno));
    if (!tables)
        report_damage();
    bool good = job.backend && calibrate_run(&job, &result);
    bool fitted = good;
    if (good && options.output)
        good = calibrate_write(&job, &result, options.output);
    if (!good)
        fprintf(stderr, "twinrt: %s\n", error.text);
    /* the result is printed even if the file cannot be written */
    if (fitted && !options.json) {
        calibrate_report_text(&result, stdout);
        if (good)
            calibrate_report_written(&result, job.profile, options.output, stdout);
    } else if (fitted && !calibrate_report_json(&result, stdout)) {
        good = false;
    }
    calibrate_result_free(&result);
    return good ? 0 : TWIN_TOOL_UNREADABLE;
}

int twin_tool_calibrate(int argc, char **argv)
{
    static const struct tool_option table[] = {
        {"profile", "NAME", "What to begin from: a profile's name or file", option_setting,
         .setting = TWIN_SETTING_PROFILE},
        {"output", "FILE", "Write the fitted profile", option_text, .to = &options.output,
         .letter = 'o'},
        {"table", "FILE",
         "Fit to a table of the vendor's profiler, of the program that the arguments name: "
         "op_summary, task_time, OpBasicInfo or PipeUtilization; may be given several times",
         take_name, .to = &options.tables},
        OPTION_OP(&options.renames),
        {"only", "PARAMETERS",
         "Fit these parameters, with commas between, and no others, whatever their marks",
         take_names, .to = &options.only},
        {"free", "PARAMETER", "Fit this parameter too, whatever its mark", take_name,
         .to = &options.freed},
        {"fix", "PARAMETER", "Keep the value of this parameter", take_name, .to = &options.fixed},
        {"steps", "N", "Steps of the fit, at most (20)", option_number, .to = &options.steps,
         .least = 1, .most = STEPS_MOST},
        {"jobs", "N", "Runs of the model at once (number of processors)", option_number,
         .to = &options.jobs, .least = 1, .most = JOBS_MOST},
        {"json", NULL, "Print one JSON object", option_flag, .to = &options.json},
        {"verbose", NULL, "Report each step", option_flag, .to = &options.verbose, .letter = 'v'},
        {0},
    };
    static const struct tool_syntax syntax = {
        .options = table,
        .arguments = "RECORDING...\n--table FILE [--] PROGRAM [ARGUMENT...]",
        .help = "Fits the assumed parameters of a profile by least squares to recordings, or to "
                "tables of a board's profiler, and reports which of them these determine.\v"
                "0: done; 2: a recording, a table or the profile cannot be used, the model cannot "
                "execute the work again, or the result cannot be written.",
        .argument = take_recording,
        .end = check_usage,
    };
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    char plugins[PATH_MAX];
    options.jobs = processors < 1 ? 1 : processors > JOBS_MOST ? JOBS_MOST : (unsigned)processors;
    options_parse(&syntax, argc, argv);
    if (!twin_tool_settings_valid() || twin_tool_library(plugins, sizeof(plugins), "/twinrt") != 0)
        return TWIN_TOOL_FAILED;
    return calibrate(plugins);
}
