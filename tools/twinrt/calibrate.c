/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt calibrate`: fits the assumed parameters of a profile to records. */
#include "tool.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/calibrate.h"
#include "core/base/config.h"
#include "output.h"
#include "recording/reader.h"

enum { KEY_PROFILE = 0x100, KEY_FREE, KEY_FIX, KEY_JSON, KEY_STEPS, KEY_JOBS };
enum { NAMES_MOST = 256, STEPS_USUAL = 20, STEPS_MOST = 1000, JOBS_MOST = 64 };

struct options {
    const char *records[NAMES_MOST], *freed[NAMES_MOST], *fixed[NAMES_MOST];
    size_t record_count, freed_count, fixed_count;
    const char *output;
    bool json, verbose;
    unsigned steps, jobs;
};

static void add(struct argp_state *state, const char **list, size_t *count, const char *name)
{
    if (*count == NAMES_MOST)
        argp_error(state, "more than %d of a kind", NAMES_MOST);
    list[(*count)++] = name;
}

static unsigned number(struct argp_state *state, const char *option, const char *text, long most)
{
    char *end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < 1 || value > most)
        argp_error(state, "--%s takes a number from 1 to %ld, not \"%s\"", option, most, text);
    return (unsigned)value;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    char text[256];
    switch (key) {
    case KEY_PROFILE:
        if (!twin_setting_check(TWIN_SETTING_PROFILE, argument, text, sizeof(text)))
            argp_error(state, "%s", text);
        if (setenv("TWINRT_PROFILE", argument, 1) != 0)
            argp_failure(state, TWIN_TOOL_FAILED, errno, "setenv");
        return 0;
    case KEY_FREE:
        add(state, options->freed, &options->freed_count, argument);
        return 0;
    case KEY_FIX:
        add(state, options->fixed, &options->fixed_count, argument);
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case KEY_STEPS:
        options->steps = number(state, "steps", argument, STEPS_MOST);
        return 0;
    case KEY_JOBS:
        options->jobs = number(state, "jobs", argument, JOBS_MOST);
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case 'v':
        options->verbose = true;
        return 0;
    case ARGP_KEY_ARG:
        add(state, options->records, &options->record_count, argument);
        return 0;
    case ARGP_KEY_END:
        if (options->record_count == 0)
            argp_error(state, "missing argument: RECORD");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Of those that can be read; calibrate_run() says of the others why not. */
static void report_damage(const struct options *options)
{
    char error[512];
    for (size_t i = 0; i < options->record_count; i++) {
        twin_recording *recording = NULL;
        if (twin_recording_read(options->records[i], &recording, error, sizeof(error)) ==
            TWIN_RECORDING_OK)
            twin_tool_report_damage(recording, options->records[i]);
        twin_recording_free(recording);
    }
}

static int calibrate(const struct options *options, const char *plugins)
{
    char error[1024] = "";
    struct calibrate_result result;
    const struct calibrate_job job = {.records = options->records,
                                      .record_count = options->record_count,
                                      .profile = twin_setting(TWIN_SETTING_PROFILE),
                                      .freed = options->freed,
                                      .freed_count = options->freed_count,
                                      .fixed = options->fixed,
                                      .fixed_count = options->fixed_count,
                                      .iterations_most = options->steps,
                                      .processes = options->jobs,
                                      .plugin_folder = plugins,
                                      .setting = twin_setting_named,
                                      .progress = options->verbose ? stderr : NULL};
    if (options->output && !output_is_possible(options->output)) {
        fprintf(stderr, "twinrt: %s cannot be written: %s\n", options->output, strerror(errno));
        return TWIN_TOOL_UNREADABLE;
    }
    report_damage(options);
    bool good = calibrate_run(&job, &result, error, sizeof(error));
    bool fitted = good;
    if (good && options->output)
        good = calibrate_write(&job, &result, options->output, error, sizeof(error));
    if (!good)
        fprintf(stderr, "twinrt: %s\n", error);
    /* what was found is not lost with the file */
    if (fitted && !options->json)
        calibrate_report_text(&result, stdout);
    else if (fitted && !calibrate_report_json(&result, stdout))
        good = false;
    calibrate_result_free(&result);
    return good ? 0 : TWIN_TOOL_UNREADABLE;
}

int twin_tool_calibrate(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"profile", KEY_PROFILE, "NAME", 0, "What to begin from: a profile's name or file", 0},
        {"output", 'o', "FILE", 0, "Write the profile that comes out", 0},
        {"free", KEY_FREE, "PARAMETER", 0, "Fit this one too, whatever its mark", 0},
        {"fix", KEY_FIX, "PARAMETER", 0, "Leave this one as it is", 0},
        {"steps", KEY_STEPS, "N", 0, "Steps of the fit, at most (20)", 0},
        {"jobs", KEY_JOBS, "N", 0, "Runs of the model at once (number of processors)", 0},
        {"json", KEY_JSON, NULL, 0, "Print one JSON object", 0},
        {"verbose", 'v', NULL, 0, "Report each step", 0},
        {0},
    };
    static const struct argp parser = {
        .options = table,
        .parser = parse,
        .args_doc = "RECORD...",
        .doc = "Fits the assumed parameters of a profile to measured records by least squares, and "
               "tells which of them the records determine.\v"
               "0: done; 2: a record or the profile cannot be used, the model cannot do its work "
               "again, or the result cannot be written.",
    };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    static struct options options;
    char folder[PATH_MAX];
    char plugins[PATH_MAX + 8];
    char text[256];
    options = (struct options){.steps = STEPS_USUAL,
                               .jobs = processors < 1           ? 1
                                       : processors > JOBS_MOST ? JOBS_MOST
                                                                : (unsigned)processors};
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    if (!twin_settings_check(text, sizeof(text))) {
        fprintf(stderr, "twinrt: %s\n", text);
        return TWIN_TOOL_FAILED;
    }
    if (twin_tool_library_folder(folder, sizeof(folder)) != 0)
        return TWIN_TOOL_FAILED;
    (void)snprintf(plugins, sizeof(plugins), "%s/twinrt", folder);
    return calibrate(&options, plugins);
}
