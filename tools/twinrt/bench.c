/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt bench`: runs the benchmark programs beside the libraries, each question in its own
 * process, and reports the results. */
#include "tool.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_rows.h"
#include "core/base/config.h"
#include "output/json.h"
#include "options.h"
#include "output.h"

enum { REPEATS_USUAL = 11, REPEATS_MOST = 64, PROCESSES_MOST = 3 };

/* One question: a program and its argument. */
struct run {
    const char *group;
    const char *name;
    const char *program;
    const char *question; /* NULL: the program takes the profile's file */
    bool each;            /* one sample for each process */
    bool model;           /* has no meaning but on the model */
    const char *devices;  /* of the model, for this question alone; NULL: as set */
    const char *rows;     /* names of its rows, or how they begin, apart by commas */
    const char *about;
};

static const struct run runs[] = {
    {"sync", "ways", "acl_bench", "sync", false, false, NULL,
     "event,stream,stream wait event,device,notify,value wait,callback",
     "ways to wait for the smallest task"},
    {"copy", "sizes", "acl_bench", "copies", false, false, NULL,
     "H2D sync,H2D async,D2H sync,D2H async,D2D sync,D2D async", "1 KiB to 256 MiB, by direction"},
    {"submit", "tasks", "acl_bench", "submit", false, false, NULL,
     "submit,event record,event query", "host time of a submission"},
    {"submit", "kernels", "acl_bench", "launch", false, true, NULL,
     "launch,launch and wait,launch of 40 blocks and wait,fill and wait",
     "host time of native kernels"},
    {"submit", "waits", "acl_bench", "wait", false, false, NULL,
     "task and wait,idle wait,two-stream hop", "host time of a task and its wait"},
    {"model", "streams", "acl_bench", "streams", false, true, NULL,
     "task on 1 stream,task on 64 streams,task on all streams",
     "host time of a simulated task, full scheduler"},
    {"model", "events", "model_bench", NULL, false, true, NULL,
     "events of a fill,events of an event record,events of a 1 MiB copy,events of a 1 GiB copy",
     "steps of the model for a task"},
    {"model", "payload", "acl_bench", "copy", false, true, NULL,
     "64 MiB copy and wait,64 MiB memcpy", "a simulated copy beside a plain one"},
    {"model", "start", "acl_bench", "start", true, true, NULL, "start",
     "aclInit and aclrtSetDevice"},
    {"model", "devices", "acl_bench", "devices", true, true, "8",
     "devices,streams of all devices,start of all devices and streams,first task on each stream,"
     "resident with all streams,memory per stream,memory of the first stream",
     "8 devices with all their streams"},
    {"model", "memory", "acl_bench", "memory", false, true, NULL, "bytes per pending task",
     "host memory of a task"},
    {"model", "resets", "acl_bench", "resets", false, true, NULL, "growth per reset",
     "host memory of a device reset"},
};
enum { RUNS = sizeof(runs) / sizeof(runs[0]) };

static struct {
    const char *filter;
    const char *json_path; /* NULL: standard output */
    bool json;
    bool list;
    unsigned repeats;
} options = {.filter = "", .repeats = REPEATS_USUAL};

static void take_json(struct argp_state *state, const struct tool_option *option, char *path)
{
    (void)state;
    (void)option;
    options.json = true;
    options.json_path = path;
}

/* "--json FILE": to argp, an optional value is only what follows "=". */
static void take_argument(struct argp_state *state, char *argument)
{
    if (!options.json || options.json_path)
        argp_error(state, "no argument is expected: %s", argument);
    options.json_path = argument;
}

/* Whether the filter finds the run, or one of its rows. */
static bool is_wanted(const struct run *run, const char *filter)
{
    char names[512];
    char *rest = NULL;
    if (bench_wanted(filter, run->group, run->name, ""))
        return true;
    (void)snprintf(names, sizeof(names), "%s", run->rows);
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        if (bench_wanted(filter, run->group, run->name, name) || strstr(filter, name))
            return true;
    return false;
}

static void list(void)
{
    for (size_t i = 0; i < RUNS; i++) {
        const struct run *run = &runs[i];
        if (!is_wanted(run, options.filter))
            continue;
        char label[64];
        (void)snprintf(label, sizeof(label), "%s/%s", run->group, run->name);
        printf("%-15s %s%s\n", label, run->about, run->model ? " (on the model)" : "");
        char names[512];
        char *rest = NULL;
        (void)snprintf(names, sizeof(names), "%s", run->rows);
        for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
            printf("    %s\n", name);
    }
}

struct place {
    char folder[PATH_MAX];   /* of the programs */
    char profiles[PATH_MAX]; /* folder of those that have names */
    char profile[PATH_MAX];  /* the file in use */
};

static int find_place(struct place *place)
{
    if (twin_tool_library(place->folder, sizeof(place->folder), "/twinrt/bench") != 0 ||
        twin_tool_library(place->profiles, sizeof(place->profiles), "/twinrt/profiles") != 0)
        return -1;
    return twin_tool_profile_path(twin_setting(TWIN_SETTING_PROFILE), place->profile,
                                  sizeof(place->profile));
}

/* In the child: becomes the program, its output in `to`. */
__attribute__((noreturn)) static void become(const struct run *run, const struct place *place,
                                             unsigned repeats, int to)
{
    char path[PATH_MAX + 64];
    char number[16];
    (void)snprintf(path, sizeof(path), "%s/%s", place->folder, run->program);
    (void)snprintf(number, sizeof(number), "%u", repeats);
    if (run->devices)
        (void)setenv(twin_setting_table[TWIN_SETTING_DEVICES].name, run->devices, 1);
    if (dup2(to, STDOUT_FILENO) >= 0) {
        (void)close(to);
        if (run->question)
            (void)execl(path, run->program, run->question, number, (char *)NULL);
        else
            (void)execl(path, run->program, place->profile, place->profiles, (char *)NULL);
    }
    fprintf(stderr, "twinrt: %s: %s\n", path, strerror(errno));
    _exit(TWIN_TOOL_NOT_FOUND);
}

/* Runs it once and takes its rows. -1, with a message. */
static int run_once(const struct run *run, const struct place *place, unsigned repeats,
                    struct bench_rows *rows)
{
    int ends[2];
    if (pipe(ends) != 0)
        return twin_tool_error(-1, "pipe: %s", strerror(errno));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        become(run, place, repeats, ends[1]);
    }
    (void)close(ends[1]);
    FILE *output = child > 0 ? fdopen(ends[0], "r") : NULL;
    if (!output) {
        perror("twinrt: a benchmark cannot be started");
        (void)close(ends[0]);
        return -1;
    }
    char *line = NULL;
    size_t room = 0;
    int result = 0;
    while (getline(&line, &room, output) > 0)
        if (bench_rows_take(rows, run->group, run->name, line) != 0)
            result = -1;
    free(line);
    fclose(output);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (result != 0)
        fprintf(stderr, "twinrt: %s/%s: what the benchmark printed cannot be read\n", run->group,
                run->name);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return result;
    if (WIFSIGNALED(status))
        fprintf(stderr, "twinrt: %s/%s ended with signal %d\n", run->group, run->name,
                WTERMSIG(status));
    else
        fprintf(stderr, "twinrt: %s/%s failed with status %d\n", run->group, run->name,
                WEXITSTATUS(status));
    return -1;
}

static int run_all(const struct place *place, bool on_model, struct bench_rows *rows)
{
    int result = 0;
    for (size_t i = 0; i < RUNS; i++) {
        const struct run *run = &runs[i];
        if (!is_wanted(run, options.filter))
            continue;
        if (run->model && !on_model) {
            fprintf(stderr, "twinrt: %s/%s measures the model; the backend is another one\n",
                    run->group, run->name);
            continue;
        }
        unsigned times = run->each ? options.repeats : 1;
        if (run->devices && times > PROCESSES_MOST)
            times = PROCESSES_MOST;
        for (unsigned k = 0; k < times && result == 0; k++)
            result = run_once(run, place, options.repeats, rows);
    }
    return result;
}

static cJSON *read_targets(const struct place *place)
{
    char path[PATH_MAX + 64];
    (void)snprintf(path, sizeof(path), "%s/targets.json", place->folder);
    cJSON *targets = json_file_read(path);
    if (!targets && errno != 0)
        fprintf(stderr, "twinrt: %s: %s; targets are not checked\n", path, strerror(errno));
    else if (!targets)
        fprintf(stderr, "twinrt: %s is not JSON; targets are not checked\n", path);
    return targets;
}

static int report(const struct bench_rows *rows, const struct bench_about *about)
{
    if (!options.json || options.json_path)
        bench_print_table(rows, about, stdout);
    if (!options.json)
        return 0;
    if (!options.json_path)
        return bench_print_json(rows, about, stdout);
    FILE *file = output_create(options.json_path, 0600);
    int result = file ? bench_print_json(rows, about, file) : -1;
    if (file && fclose(file) != 0)
        result = -1;
    if (result != 0)
        fprintf(stderr, "twinrt: %s: %s\n", options.json_path, strerror(errno));
    return result;
}

int twin_tool_bench(int argc, char **argv)
{
    static const struct tool_option table[] = {
        OPTION_BACKEND,
        OPTION_PROFILE,
        {"filter", "TEXT",
         "Measure only what has TEXT in its name, as --list shows it: a group, GROUP/RUN, or "
         "GROUP/ROW",
         option_text, .to = &options.filter},
        {"repeats", "N", "Samples of each number, 1 to 64; 11 if not given", option_number,
         .to = &options.repeats, .least = 1, .most = REPEATS_MOST},
        {"json", "FILE",
         "Write all samples to FILE as JSON; without FILE to standard output, instead of the table",
         take_json, .optional = true},
        {"list", NULL, "List what can be measured", option_flag, .to = &options.list},
        {0},
    };
    static const struct tool_syntax syntax = {
        .options = table,
        .help = "Measures synchronisation, copies, submission, and the cost of the model itself. "
                "Host time is that of this machine, and noisy; simulated time is exact and "
                "repeats.\vWhere there is a target the table ends with a verdict. A missed target "
                "is not a failure: the status only says whether everything could be measured.",
        .argument = take_argument,
    };
    struct place place;
    options_parse(&syntax, argc, argv);
    bool any = false;
    for (size_t i = 0; i < RUNS; i++)
        any = any || is_wanted(&runs[i], options.filter);
    if (!any) {
        fprintf(stderr,
                "twinrt bench: nothing has \"%s\" in its name; --list shows what there is\n",
                options.filter);
        return TWIN_TOOL_USAGE;
    }
    if (options.list) {
        list();
        return 0;
    }
    if (!twin_tool_settings_valid() || find_place(&place) != 0)
        return TWIN_TOOL_FAILED;
    const char *backend = twin_setting(TWIN_SETTING_BACKEND);
    bool on_model = strcmp(backend, "sim") == 0 || strcmp(backend, "auto") == 0;
    struct bench_rows rows = {0};
    int result = run_all(&place, on_model, &rows);
    bench_rows_finish(&rows);
    struct bench_about about = {.backend = backend,
                                .profile = on_model ? twin_setting(TWIN_SETTING_PROFILE) : "-",
                                .repeats = options.repeats,
                                .targets = read_targets(&place),
                                .filter = options.filter};
    if (report(&rows, &about) != 0)
        result = -1;
    cJSON_Delete(about.targets);
    bench_rows_free(&rows);
    return result == 0 ? 0 : TWIN_TOOL_FAILED;
}
