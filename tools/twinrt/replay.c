/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt replay`: executes the work of a recording again, on this device or another. */
#include "replay/replay.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
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
#include "options.h"
#include "tool.h"

#define MOST_REPORTED 10u

static struct {
    const char *path;
    const char *backend;
    const char *model;
    const char *profile;
    const char *record;
    const char *trace;
    uint64_t memory_mib; /* 0: not given */
    bool all;
} options;

static void take_memory(struct argp_state *state, const struct tool_option *option, char *text)
{
    char *end = NULL;
    (void)option;
    errno = 0;
    options.memory_mib = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || options.memory_mib == 0 ||
        options.memory_mib > UINT64_MAX >> 20)
        argp_error(state, "--memory is \"%s\"; expected a number of MiB", text);
}

static void take_model(struct argp_state *state, const struct tool_option *option, char *name)
{
    if (strcmp(name, "cpp") != 0 && strcmp(name, "rtl") != 0 && strcmp(name, "lockstep") != 0)
        argp_error(state, "--model is \"%s\"; expected cpp, rtl or lockstep", name);
    option_text(state, option, name);
}

/* ---- settings: from the options, else the environment, else the recording -------------------- */

static void from_recording(const char *name, const char *value)
{
    (void)setenv(name, value, 0);
}

static int give(const char *name, const char *value)
{
    if (!value || setenv(name, value, 1) == 0)
        return 0;
    return twin_tool_error(-1, "%s: %s", name, strerror(errno));
}

static int prepare(const struct replay *replay)
{
    const char *backend = options.backend;
    if (!backend && (options.model || options.profile))
        backend = "sim";
    /* outputs that the environment asks for are those of the recorded program */
    static const char *const outputs[] = {"TWINRT_RECORD", "TWINRT_TRACE", "TWINRT_FAULTS"};
    for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
        (void)unsetenv(outputs[i]);
    if (give("TWINRT_BACKEND", backend) != 0 || give("TWINRT_MODEL", options.model) != 0 ||
        give("TWINRT_PROFILE", options.profile) != 0 ||
        give("TWINRT_RECORD", options.record) != 0 || give("TWINRT_TRACE", options.trace) != 0)
        return -1;
    (void)unsetenv("TWINRT_CLOCK"); /* the recording's, whatever is set here */
    replay_settings(replay, from_recording);
    from_recording("TWINRT_BACKEND", replay_backend(replay));
    return 0;
}

/* ---- the process that runs it ---------------------------------------------------------------- */

static int run(struct replay *replay)
{
    char text[4096];
    if (prepare(replay) != 0)
        return TWIN_TOOL_RUN_FAILED;
    static const twin_conductor conductor = {.waiting = replay_waiting,
                                             .nd = replay_nd,
                                             .outlook = replay_outlook,
                                             .touched = replay_touched};
    if (twin_backend_conduct(&conductor, text, sizeof(text)) != 0)
        return twin_tool_error(TWIN_TOOL_RUN_FAILED, "no device to replay on: %s", text);
    if (!replay_run(replay, twin_ops(), twin_ops_traced, twin_setting_named))
        return twin_tool_error(TWIN_TOOL_RUN_FAILED, "%s: cannot create threads", options.path);
    if (replay_result(replay)->refused)
        return twin_tool_error(TWIN_TOOL_RUN_FAILED, "no device to replay on: its opening failed");
    replay_report_text(replay, options.path, options.all ? SIZE_MAX : MOST_REPORTED, stdout);
    if (fflush(stdout) != 0)
        return twin_tool_error(TWIN_TOOL_RUN_FAILED, "the report cannot be written: %s",
                               strerror(errno));
    return replay_is_same(replay_result(replay)) ? 0 : TWIN_TOOL_FOUND;
}

/* A damaged recording may ask for what no program can. The device may crash on that, and the tool
 * reports it. */
static int watch(pid_t child, const char *path)
{
    int status = 0;
    while (waitpid(child, &status, 0) != child)
        if (errno != EINTR)
            return twin_tool_error(TWIN_TOOL_RUN_FAILED, "waitpid: %s", strerror(errno));
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status) == REPLAY_ENDLESS ? TWIN_TOOL_FOUND : WEXITSTATUS(status);
    return twin_tool_error(
        TWIN_TOOL_UNREADABLE,
        "%s: the device did not survive the call of seq %llu (%s): no program asks for "
        "that, or the device has an error",
        path, (unsigned long long)*replay_place, strsignal(WTERMSIG(status)));
}

static int run_apart(struct replay *replay)
{
    void *place = mmap(NULL, sizeof(*replay_place), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED)
        return run(replay);
    replay_place = place;
    (void)fflush(NULL);
    const pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0)
        return twin_tool_error(TWIN_TOOL_RUN_FAILED, "fork: %s", strerror(errno));
    if (child > 0)
        return watch(child, options.path);
    /* the end of the tool ends the device too */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        return TWIN_TOOL_RUN_FAILED;
    return run(replay);
}

int twin_tool_replay(int argc, char **argv)
{
    static const struct tool_option table[] = {
        {"backend", "NAME",
         "The device: auto, " TWIN_BACKEND_NAMES "; default: TWINRT_BACKEND, else the recorded one",
         option_text, .to = &options.backend},
        {"model", "NAME", "How the model runs: cpp, rtl or lockstep", take_model,
         .to = &options.model},
        {"profile", "NAME", "The SoC that the model imitates", option_text, .to = &options.profile},
        {"record", "RECORDING", "Record the replay", option_text, .to = &options.record,
         .group = 1},
        {"trace", "FILE", "Write the timeline of the replay", option_text, .to = &options.trace,
         .group = 1},
        {"memory", "MIB",
         "Memory that the replay may use for that of devices and program; default: half of the "
         "machine's",
         take_memory, .group = 1},
        {"all", NULL, "Report all differences, not ten of each kind", option_flag,
         .to = &options.all, .group = 1},
        {0},
    };
    static const struct tool_syntax syntax = {
        .options = table,
        .arguments = "RECORDING",
        .help = "Executes the work of a recording again, at the same host times, and compares the "
                "results. The device is the recorded one unless options or the environment name "
                "another.\v"
                "0: all results are the recorded ones, and on the same device all times; 1: some "
                "differ, or calls were left out; 2: the recording cannot be read or executed; "
                "125: the device cannot be initialized.",
        .recordings = &options.path,
        .recording_count = 1,
    };
    static twin_recording *recording; /* the device may read it until the process ends */
    char error[512];
    options_parse(&syntax, argc, argv);
    recording = twin_tool_read_recording(options.path);
    if (!recording)
        return TWIN_TOOL_UNREADABLE;
    const size_t damage = twin_recording_damage_count(recording);
    if (damage > 0)
        fprintf(stderr, "twinrt: %s: %zu damaged place%s left out\n", options.path, damage,
                damage == 1 ? " is" : "s are");
    struct replay *replay = replay_new(recording, error, sizeof(error));
    if (!replay)
        return twin_tool_error(TWIN_TOOL_UNREADABLE, "%s: %s", options.path, error);
    if (options.memory_mib != 0)
        replay_memory_most(replay, options.memory_mib << 20);
    return run_apart(replay);
}
