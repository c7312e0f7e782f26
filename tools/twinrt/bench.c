/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt bench`: runs the benchmark programs that lie beside the libraries, each question in a process of its own, and
 * tells what came out. */
#include "tool.h"

#include <argp.h>
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
#include "setting_option.h"
#include "output.h"

enum { KEY_BACKEND = 0x100, KEY_PROFILE, KEY_FILTER, KEY_REPEATS, KEY_JSON, KEY_LIST };
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

struct options {
    const char *filter;
    const char *json_path; /* NULL: standard output */
    bool json;
    bool list;
    unsigned repeats;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    char *end = NULL;
    long number;
    switch (key) {
    case KEY_BACKEND:
        twin_tool_set(state, "backend", TWIN_SETTING_BACKEND, argument);
        return 0;
    case KEY_PROFILE:
        twin_tool_set(state, "profile", TWIN_SETTING_PROFILE, argument);
        return 0;
    case KEY_FILTER:
        options->filter = argument;
        return 0;
    case KEY_REPEATS:
        errno = 0;
        number = strtol(argument, &end, 10);
        if (errno != 0 || end == argument || *end != '\0' || number < 1 || number > REPEATS_MOST)
            argp_error(state, "--repeats takes a number from 1 to %d, not \"%s\"", REPEATS_MOST,
                       argument);
        options->repeats = (unsigned)number;
        return 0;
    case KEY_JSON:
        options->json = true;
        options->json_path = argument;
        return 0;
    case KEY_LIST:
        options->list = true;
        return 0;
    case ARGP_KEY_ARG: /* "--json FILE": an argument that may be left out is no word of its own to argp */
        if (!options->json || options->json_path)
            argp_error(state, "what is \"%s\"?", argument);
        options->json_path = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
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

static void list(const struct options *options)
{
    for (size_t i = 0; i < RUNS; i++) {
        const struct run *run = &runs[i];
        if (!is_wanted(run, options->filter))
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
    char folder[PATH_MAX + 32];   /* of the programs */
    char profiles[PATH_MAX + 32]; /* folder of those that have names */
    char profile[2 * PATH_MAX];   /* file that holds */
};

static int find_place(struct place *place)
{
    char libraries[PATH_MAX];
    if (twin_tool_library_folder(libraries, sizeof(libraries)) != 0)
        return -1;
    (void)snprintf(place->folder, sizeof(place->folder), "%s/twinrt/bench", libraries);
    (void)snprintf(place->profiles, sizeof(place->profiles), "%s/twinrt/profiles", libraries);
    const char *profile = twin_setting(TWIN_SETTING_PROFILE);
    if (strchr(profile, '/'))
        (void)snprintf(place->profile, sizeof(place->profile), "%s", profile);
    else
        (void)snprintf(place->profile, sizeof(place->profile), "%s/%s.json", place->profiles,
                       profile);
    return 0;
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
    if (pipe(ends) != 0) {
        perror("twinrt: pipe");
        return -1;
    }
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

static int run_all(const struct options *options, const struct place *place, bool on_model,
                   struct bench_rows *rows)
{
    int result = 0;
    for (size_t i = 0; i < RUNS; i++) {
        const struct run *run = &runs[i];
        if (!is_wanted(run, options->filter))
            continue;
        if (run->model && !on_model) {
            fprintf(stderr, "twinrt: %s/%s is about the model; this is another backend\n",
                    run->group, run->name);
            continue;
        }
        unsigned times = run->each ? options->repeats : 1;
        if (run->devices && times > PROCESSES_MOST)
            times = PROCESSES_MOST;
        for (unsigned k = 0; k < times && result == 0; k++)
            result = run_once(run, place, options->repeats, rows);
    }
    return result;
}

static cJSON *read_targets(const struct place *place)
{
    char path[PATH_MAX + 64];
    (void)snprintf(path, sizeof(path), "%s/targets.json", place->folder);
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "twinrt: %s: %s; nothing is judged\n", path, strerror(errno));
        return NULL;
    }
    char *text = NULL;
    size_t room = 0;
    cJSON *targets = getdelim(&text, &room, '\0', file) > 0 ? cJSON_Parse(text) : NULL;
    if (!targets)
        fprintf(stderr, "twinrt: %s is no JSON; nothing is judged\n", path);
    free(text);
    fclose(file);
    return targets;
}

static int tell(const struct options *options, const struct bench_rows *rows,
                const struct bench_about *about)
{
    if (!options->json || options->json_path)
        bench_print_table(rows, about, stdout);
    if (!options->json)
        return 0;
    if (!options->json_path)
        return bench_print_json(rows, about, stdout);
    FILE *file = output_create(options->json_path, 0600);
    int result = file ? bench_print_json(rows, about, file) : -1;
    if (file && fclose(file) != 0)
        result = -1;
    if (result != 0)
        fprintf(stderr, "twinrt: %s: %s\n", options->json_path, strerror(errno));
    return result;
}

int twin_tool_bench(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"backend", KEY_BACKEND, "NAME", 0, "The device: auto, " TWIN_BACKEND_NAMES, 0},
        {"profile", KEY_PROFILE, "NAME", 0, "The SoC the model imitates: a name or a file", 0},
        {"filter", KEY_FILTER, "TEXT", 0,
         "Measure only what has TEXT in its name, as --list shows it: a group, "
         "GROUP/RUN, or GROUP/ROW",
         0},
        {"repeats", KEY_REPEATS, "N", 0, "Samples of each number, 1 to 64; 11 if not given", 0},
        {"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL,
         "Write all samples to FILE as JSON; without FILE to standard output, instead of the table",
         0},
        {"list", KEY_LIST, NULL, 0, "List what can be measured", 0},
        {0},
    };
    static const struct argp parser = {
        .options = table,
        .parser = parse,
        .doc = "Measures synchronisation, copies, submission, and the cost of the model itself. "
               "Host time is this "
               "machine's and noisy; simulated time is exact and repeats.\vWhere there is a target "
               "the table ends with a "
               "verdict. A missed target is no failure: the status says only whether everything "
               "could be measured.",
    };
    struct options options = {.filter = "", .repeats = REPEATS_USUAL};
    struct place place;
    char text[256];
    argp_parse(&parser, argc, argv, 0, NULL, &options);
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
        list(&options);
        return 0;
    }
    if (!twin_settings_check(text, sizeof(text))) {
        fprintf(stderr, "twinrt: %s\n", text);
        return TWIN_TOOL_FAILED;
    }
    if (find_place(&place) != 0)
        return TWIN_TOOL_FAILED;
    const char *backend = twin_setting(TWIN_SETTING_BACKEND);
    bool on_model = strcmp(backend, "sim") == 0 || strcmp(backend, "auto") == 0;
    struct bench_rows rows = {0};
    int result = run_all(&options, &place, on_model, &rows);
    bench_rows_finish(&rows);
    struct bench_about about = {.backend = backend,
                                .profile = on_model ? twin_setting(TWIN_SETTING_PROFILE) : "-",
                                .repeats = options.repeats,
                                .targets = read_targets(&place),
                                .filter = options.filter};
    if (tell(&options, &rows, &about) != 0)
        result = -1;
    cJSON_Delete(about.targets);
    bench_rows_free(&rows);
    return result == 0 ? 0 : TWIN_TOOL_FAILED;
}
