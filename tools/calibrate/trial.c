/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/trial.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calibrate/board.h"

/* More threads than a process of trials has. */
#define OTHERS_MOST (1u << 20)

#define ERROR_BYTES   512u
#define TRIAL_SECONDS 600u /* of real time: no damaged recording keeps it longer */

/* ---- the backend ----------------------------------------------------------------------------- */

static struct {
    const struct calibrate_job *job;
    const char *profile;
    char devices[16];
    char reason[ERROR_BYTES];
} here;

/* Nothing of the caller's but the profile counts: a trial leaves no files and injects no faults. */
static const struct {
    const char *name, *value;
} own[] = {
    {"ASCEND_RT_VISIBLE_DEVICES", ""},
    {"TWINRT_DMA", "flow"},
    {"TWINRT_FAIL_OPS", ""},
    {"TWINRT_FAULTS", ""},
    {"TWINRT_MSPROF", ""},
    {"TWINRT_OP_SUMMARY", ""},
    {"TWINRT_PIPE_UTILIZATION", ""},
    {"TWINRT_KERNEL_COUNTS", ""},
    {"TWINRT_POISON", "off"},
    {"TWINRT_PROGRESS", "off"}, /* a thread that moves the model when it likes */
    {"TWINRT_RECORD", ""},
    {"TWINRT_SEED", "0"},
    {"TWINRT_STATS", ""},
    {"TWINRT_TRACE", ""},
    {"TWINRT_VCD", ""},
};

static const char *setting(const char *name)
{
    if (strcmp(name, "TWINRT_PROFILE") == 0)
        return here.profile;
    if (strcmp(name, "TWINRT_DEVICES") == 0)
        return here.devices;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (strcmp(name, own[i].name) == 0)
            return own[i].value;
    return here.job->setting(name);
}

void calibrate_trial_environment(const char *profile)
{
    (void)setenv("TWINRT_PROFILE", profile, 1);
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (own[i].value[0] == '\0')
            (void)unsetenv(own[i].name);
        else
            (void)setenv(own[i].name, own[i].value, 1);
    }
}

static void because(const char *text)
{
    (void)snprintf(here.reason, sizeof(here.reason), "%s", text);
}

static void log_nothing(int level, const char *text)
{
    if (level >= 3)
        because(text);
}

static void ignore(const char *text)
{
    (void)text;
}

static void ignore_code(int32_t code)
{
    (void)code;
}

static bool never(void)
{
    return false;
}

/* One thread of a trial is inside an op at a time (replay/trial.c); all others of the process wait
 * for its end, so none of them acts. */
static uint32_t others_wait(uint64_t *out_stamp)
{
    *out_stamp = 0;
    return OTHERS_MOST;
}

bool calibrate_backend_start(const struct calibrate_job *job, const char *profile, uint32_t devices)
{
    static twin_services services;
    services = (twin_services){.setting = setting,
                               .blocked = others_wait,
                               .log = log_nothing,
                               .explain = ignore,
                               .because = because,
                               .vendor_code = ignore_code,
                               .plugin_folder = job->plugin_folder,
                               .interruptible = never,
                               .interrupted = never};
    here.job = job;
    here.profile = profile;
    here.reason[0] = '\0';
    (void)snprintf(here.devices, sizeof(here.devices), "%u", devices > 0 ? devices : 1);
    return job->backend->process.start(&services) == TWIN_OK ||
           calibrate_fail(job, "the model cannot start: %s",
                          here.reason[0] != '\0' ? here.reason : profile);
}

/* ---- processes ------------------------------------------------------------------------------- */

bool calibrate_bench_begin(struct calibrate_bench *bench)
{
    const char *place = getenv("TMPDIR");
    int used = snprintf(bench->folder, sizeof(bench->folder), "%s/twinrt-calibrate-XXXXXX",
                        place && *place ? place : "/tmp");
    if (used < 0 || (size_t)used >= sizeof(bench->folder))
        (void)snprintf(bench->folder, sizeof(bench->folder), "/tmp/twinrt-calibrate-XXXXXX");
    if (mkdtemp(bench->folder))
        return true;
    (void)calibrate_fail(bench->job, "%s cannot be made: %s", bench->folder, strerror(errno));
    bench->folder[0] = '\0';
    return false;
}

static void trial_path(const struct calibrate_bench *bench, size_t trial, char path[PATH_MAX])
{
    (void)snprintf(path, PATH_MAX, "%s/trial-%zu.json", bench->folder, trial);
}

void calibrate_bench_end(struct calibrate_bench *bench)
{
    if (bench->folder[0] != '\0')
        (void)rmdir(bench->folder);
    bench->folder[0] = '\0';
}

/* What a process returns: how it went, then the times of the ops. */
struct outcome {
    bool started, good;
    struct calibrate_error error;
    struct replay_times times[];
};

static size_t outcome_bytes(const struct calibrate_work *work)
{
    return sizeof(struct outcome) + work->count * sizeof(struct replay_times);
}

struct process {
    pid_t id;
    struct outcome *outcome; /* shared */
    size_t trial, work;
};

static bool run_work(const struct calibrate_bench *bench, const struct calibrate_work *work,
                     struct outcome *outcome)
{
    char why[200] = "";
    return !work->plan ||
           replay_trial_run(work->plan, bench->job->backend, outcome->times, why, sizeof(why)) ||
           calibrate_fail(bench->job, "%s: %s", work->path, why);
}

static void __attribute__((noreturn))
be_trial(const struct calibrate_bench *bench, const struct process *process)
{
    char path[PATH_MAX];
    const struct calibrate_work *work = &bench->works[process->work];
    struct outcome *outcome = process->outcome;
    trial_path(bench, process->trial, path);
    (void)alarm(TRIAL_SECONDS);
    if (bench->board)
        calibrate_board_run(bench->job, bench->folder, process->trial, path);
    outcome->started = calibrate_backend_start(bench->job, path, work->devices);
    outcome->good = outcome->started && run_work(bench, work, outcome);
    if (!outcome->good)
        outcome->error = *bench->job->error;
    _exit(0);
}

static bool start_process(const struct calibrate_bench *bench, struct process *process,
                          size_t trial, size_t work)
{
    *process = (struct process){.trial = trial, .work = work};
    process->outcome = mmap(NULL, outcome_bytes(&bench->works[work]), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (process->outcome == MAP_FAILED)
        return false;
    (void)fflush(NULL);
    process->id = fork();
    if (process->id == 0)
        be_trial(bench, process);
    if (process->id > 0)
        return true;
    (void)munmap(process->outcome, outcome_bytes(&bench->works[work]));
    return false;
}

static void take_rows(const struct calibrate_bench *bench, const struct process *process,
                      const struct calibrate_trial *trial)
{
    double costs[TWIN_COST_COUNT] = {0};
    size_t first = 0;
    for (size_t i = 0; i < bench->parameters->count; i++)
        if (bench->parameters->items[i].cost >= 0)
            costs[bench->parameters->items[i].cost] = trial->values[i];
    for (size_t i = 0; i < process->work; i++)
        first += bench->rows[i].count;
    const struct calibrate_rows *rows = &bench->rows[process->work];
    for (size_t i = 0; i < rows->count; i++)
        trial->rows[first + i] =
            calibrate_row_value(&rows->items[i], process->outcome->times, costs);
}

/* What the program of a board did; a false return is final. */
static bool end_program(struct calibrate_bench *bench, size_t trial, int status,
                        struct msprof_times *out)
{
    char said[256];
    calibrate_board_said(bench->folder, trial, said, sizeof(said));
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (good)
        good = calibrate_board_take(bench->job, bench->folder, trial, out);
    else if (WIFSIGNALED(status))
        (void)calibrate_fail(bench->job, "%s: a run on the model died of signal %d",
                             bench->job->program[0], WTERMSIG(status));
    else
        (void)calibrate_fail(bench->job, "%s: a run on the model ended with status %d: %s",
                             bench->job->program[0], WEXITSTATUS(status), said);
    calibrate_board_remove(bench->folder, trial);
    bench->trials++;
    return good;
}

/* The end of one; what it returned is taken. */
static int wait_for(struct process *process)
{
    int status = 0;
    while (waitpid(process->id, &status, 0) < 0 && errno == EINTR)
        ;
    process->id = 0;
    return status;
}

static bool end_process(struct calibrate_bench *bench, struct process *process,
                        struct calibrate_trial *trials)
{
    const int status = wait_for(process);
    if (bench->board) {
        struct msprof_times times = {0};
        (void)munmap(process->outcome, outcome_bytes(&bench->works[process->work]));
        /* with times far from the board's a program may end otherwise */
        if (end_program(bench, process->trial, status, &times))
            calibrate_board_values(bench->board, &times, trials[process->trial].rows);
        else
            trials[process->trial].refused = true;
        msprof_times_free(&times);
        return true;
    }
    const bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    const bool good = ended && process->outcome->good;
    const bool refused = ended && process->outcome->started && !good;
    if (refused)
        trials[process->trial].refused = true;
    if (good)
        take_rows(bench, process, &trials[process->trial]);
    else if (process->outcome->error.text[0] != '\0')
        *bench->job->error = process->outcome->error;
    else
        (void)calibrate_fail(bench->job, "%s: a trial of it died of signal %d",
                             bench->works[process->work].path,
                             WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    (void)munmap(process->outcome, outcome_bytes(&bench->works[process->work]));
    bench->trials++;
    return good || refused;
}

bool calibrate_bench_measure(struct calibrate_bench *bench, struct msprof_times *out)
{
    char path[PATH_MAX];
    struct process process;
    double *values = calloc(bench->parameters->count + 1, sizeof(*values));
    for (size_t i = 0; values && i < bench->parameters->count; i++)
        values[i] = bench->parameters->items[i].start;
    trial_path(bench, 0, path);
    bool good = values ? calibrate_profile_for_trial(bench->job, bench->parameters, values, path)
                       : calibrate_fail(bench->job, "out of memory");
    if (good && !start_process(bench, &process, 0, 0))
        good = calibrate_fail(bench->job, "a trial cannot be started: %s", strerror(errno));
    if (good) {
        const int status = wait_for(&process);
        (void)munmap(process.outcome, outcome_bytes(&bench->works[0]));
        good = end_program(bench, 0, status, out);
    }
    (void)unlink(path);
    free(values);
    return good;
}

bool calibrate_bench_run(struct calibrate_bench *bench, struct calibrate_trial *trials,
                         size_t count)
{
    enum { PROCESSES_MOST = 64 };
    char path[PATH_MAX];
    struct process running[PROCESSES_MOST] = {{0}};
    size_t most = bench->job->processes < 1                ? 1
                  : bench->job->processes > PROCESSES_MOST ? PROCESSES_MOST
                                                           : bench->job->processes;
    size_t jobs = count * bench->work_count;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        trial_path(bench, i, path);
        good = calibrate_profile_for_trial(bench->job, bench->parameters, trials[i].values, path);
    }
    /* In the order of their start: all take about as long. */
    for (size_t job = 0; job < jobs + most; job++) {
        struct process *process = &running[job % most];
        if (process->id > 0 && !end_process(bench, process, trials))
            good = false;
        if (!good || job >= jobs)
            continue;
        if (!start_process(bench, process, job / bench->work_count, job % bench->work_count))
            good = calibrate_fail(bench->job, "a trial cannot be started: %s", strerror(errno));
    }
    for (size_t i = 0; i < count; i++) {
        trial_path(bench, i, path);
        (void)unlink(path);
    }
    return good;
}
