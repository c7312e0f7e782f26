/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt replay`: a record, run again on this device or another one. */
#include "replay/replay.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/config.h"
#include "core/backend/ops.h"
#include "core/backend/registry.h"
#include "tool.h"

#define MOST_TOLD 10u

enum { KEY_BACKEND = 0x100, KEY_MODEL, KEY_PROFILE, KEY_RECORD, KEY_TRACE, KEY_ALL, KEY_MEMORY };

struct options {
    const char *path;
    const char *backend;
    const char *model;
    const char *profile;
    const char *record;
    const char *trace;
    uint64_t memory_mib; /* 0: not given */
    int all;
};

static uint64_t number_of(const char *text, const struct argp_state *state)
{
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || number == 0 || number > UINT64_MAX >> 20)
        argp_error(state, "no amount of memory: %s (in MiB)", text);
    return number;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case KEY_BACKEND:
        options->backend = argument;
        return 0;
    case KEY_MODEL:
        if (strcmp(argument, "cpp") != 0 && strcmp(argument, "rtl") != 0 &&
            strcmp(argument, "lockstep") != 0)
            argp_error(state, "no such model: %s (cpp, rtl, lockstep)", argument);
        options->model = argument;
        return 0;
    case KEY_PROFILE:
        options->profile = argument;
        return 0;
    case KEY_RECORD:
        options->record = argument;
        return 0;
    case KEY_TRACE:
        options->trace = argument;
        return 0;
    case KEY_ALL:
        options->all = 1;
        return 0;
    case KEY_MEMORY:
        options->memory_mib = number_of(argument, state);
        return 0;
    case ARGP_KEY_ARG:
        if (options->path)
            argp_error(state, "one record, not more");
        options->path = argument;
        return 0;
    case ARGP_KEY_END:
        if (!options->path)
            argp_error(state, "missing argument: RECORD");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- settings: what the options say, else the environment, else the record ------------------------ */

static void from_record(const char *name, const char *value)
{
    (void)setenv(name, value, 0);
}

static int give(const char *name, const char *value)
{
    if (!value || setenv(name, value, 1) == 0)
        return 0;
    fprintf(stderr, "twinrt: %s: %s\n", name, strerror(errno));
    return -1;
}

static int prepare(const struct replay *replay, const struct options *options)
{
    const char *backend = options->backend;
    if (!backend && (options->model || options->profile))
        backend = "sim";
    /* a record or timeline that the environment asks for is the recorded program's, not this one's */
    static const char *const outputs[] = {"TWINRT_RECORD", "TWINRT_TRACE", "TWINRT_FAULTS"};
    for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
        (void)unsetenv(outputs[i]);
    if (give("TWINRT_BACKEND", backend) != 0 || give("TWINRT_MODEL", options->model) != 0 ||
        give("TWINRT_PROFILE", options->profile) != 0 ||
        give("TWINRT_RECORD", options->record) != 0 || give("TWINRT_TRACE", options->trace) != 0)
        return -1;
    (void)unsetenv("TWINRT_CLOCK"); /* the recording's, whatever is set here */
    replay_settings(replay, from_record);
    from_record("TWINRT_BACKEND", replay_backend(replay));
    return 0;
}

/* ---- the process that runs it ----------------------------------------------------------------------- */

static int run(struct replay *replay, const struct options *options)
{
    char text[4096];
    if (prepare(replay, options) != 0)
        return TWIN_TOOL_RUN_FAILED;
    static const twin_conductor conductor = {
        .waiting = replay_waiting, .nd = replay_nd, .outlook = replay_outlook};
    if (twin_backend_conduct(&conductor, text, sizeof(text)) != 0) {
        fprintf(stderr, "twinrt: no device to replay on: %s\n", text);
        return TWIN_TOOL_RUN_FAILED;
    }
    if (!replay_run(replay, twin_ops(), twin_ops_traced, twin_setting_named)) {
        fprintf(stderr, "twinrt: %s: cannot create threads\n", options->path);
        return TWIN_TOOL_RUN_FAILED;
    }
    if (replay_result(replay)->refused) {
        fprintf(stderr, "twinrt: no device to replay on: its opening failed\n");
        return TWIN_TOOL_RUN_FAILED;
    }
    replay_report_text(replay, options->path, options->all ? SIZE_MAX : MOST_TOLD, stdout);
    if (fflush(stdout) != 0) {
        perror("twinrt: the report cannot be written");
        return TWIN_TOOL_RUN_FAILED;
    }
    return replay_is_same(replay_result(replay)) ? 0 : TWIN_TOOL_FOUND;
}

/* A record may ask for what no program can, and a device that falls over it is not to take the tool with it. */
static int watch(pid_t child, const char *path)
{
    int status = 0;
    while (waitpid(child, &status, 0) != child)
        if (errno != EINTR) {
            perror("twinrt: waitpid");
            return TWIN_TOOL_RUN_FAILED;
        }
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status) == REPLAY_ENDLESS ? TWIN_TOOL_FOUND : WEXITSTATUS(status);
    fprintf(stderr,
            "twinrt: %s: the device did not survive the call of seq %llu (%s): no program asks for "
            "that, or the device has an error\n",
            path, (unsigned long long)*replay_place, strsignal(WTERMSIG(status)));
    return TWIN_TOOL_UNREADABLE;
}

static int run_apart(struct replay *replay, const struct options *options)
{
    void *place = mmap(NULL, sizeof(*replay_place), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED)
        return run(replay, options);
    replay_place = place;
    (void)fflush(NULL);
    const pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) {
        perror("twinrt: fork");
        return TWIN_TOOL_RUN_FAILED;
    }
    if (child > 0)
        return watch(child, options->path);
    /* whoever ends the tool ends the device too */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        return TWIN_TOOL_RUN_FAILED;
    return run(replay, options);
}

int twin_tool_replay(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"backend", KEY_BACKEND, "NAME", 0,
         "The device: auto, " TWIN_BACKEND_NAMES "; without, what TWINRT_BACKEND says, else the "
         "recorded one",
         0},
        {"model", KEY_MODEL, "NAME", 0, "How the model runs: cpp, rtl or lockstep", 0},
        {"profile", KEY_PROFILE, "NAME", 0, "The SoC that the model imitates", 0},
        {"record", KEY_RECORD, "FILE", 0, "Record the replay", 1},
        {"trace", KEY_TRACE, "FILE", 0, "Write the timeline of the replay", 1},
        {"memory", KEY_MEMORY, "MIB", 0,
         "Memory that the replay may use for that of devices and program; without, half of the "
         "machine's",
         1},
        {"all", KEY_ALL, NULL, 0, "Report every difference, not only ten of each kind", 1},
        {0},
    };
    static const struct argp parser = {
        .options = table,
        .parser = parse,
        .args_doc = "FILE",
        .doc = "Asks a device for what a record says that its device was asked for, at the same "
               "host times, and compares the answers. The device is the recorded one unless "
               "options or the environment say otherwise.\v"
               "0: all answers are the recorded ones, and on the same device all times; 1: some "
               "differ, or calls had to be left out; 2: the record cannot be read or run; 125: the "
               "device cannot be brought up.",
    };
    static twin_recording *recording; /* the device may look into it until the process ends */
    struct options options = {0};
    char error[512];
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    if (twin_recording_read(options.path, &recording, error, sizeof(error)) != TWIN_RECORDING_OK) {
        fprintf(stderr, "twinrt: %s\n", error);
        return TWIN_TOOL_UNREADABLE;
    }
    if (twin_recording_damage_count(recording) > 0)
        fprintf(stderr, "twinrt: %s: %zu damaged places are left out\n", options.path,
                twin_recording_damage_count(recording));
    struct replay *replay = replay_new(recording, error, sizeof(error));
    if (!replay) {
        fprintf(stderr, "twinrt: %s: %s\n", options.path, error);
        return TWIN_TOOL_UNREADABLE;
    }
    if (options.memory_mib != 0)
        replay_memory_most(replay, options.memory_mib << 20);
    return run_apart(replay, &options);
}
