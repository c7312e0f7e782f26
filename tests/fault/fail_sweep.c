/* SPDX-License-Identifier: Apache-2.0 */
/* Lets every single call of the device fail in turn (TWINRT_FAIL_OPS): the program gets a
 * documented code, nothing crashes, hangs or leaks, and afterwards the runtime works.
 *
 *   fail_sweep [--memory|--graph] STATUS...   each call, with each of these statuses
 *   fail_sweep [--memory|--graph] --once      the scenario alone, with the environment as it is
 *
 * --memory, --graph: memory_scenario.c, graph_scenario.c in place of streams, events and copies. */
#define _GNU_SOURCE /* environ, pipe2 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"
#include "memory_scenario.h"
#include "seam/status.h"

#define BYTES        4096u
#define LIMIT_MS     20000
#define CALLS_MOST   600u
#define OUTPUT_BYTES 16384u
#define LAST_ROUND   "fail_sweep: the last round"
#define EXIT_BAD     1
#define EXIT_STAYS   3 /* calls of the last round fail too */

/* ---- the scenario ---------------------------------------------------------------------------- */

static bool is_documented(int code)
{
    static const int codes[] = {
#define CODE(name, code, text) code,
        TWIN_STATUS_LIST(CODE)
#undef CODE
            507047,                       /* of an event; of a stream 507046 */
        ACL_ERROR_RT_STREAM_TASK_FULL,    /* a stream whose tasks stay */
        ACL_ERROR_RT_MODEL_UPDATE_FAILED, /* a run is in the way */
        ACL_ERROR_INVALID_PARAM,          /* an address that cannot be looked up is none of ours */
        ACL_ERROR_SNAPSHOT_LOCK_FAILED,
        ACL_ERROR_SNAPSHOT_BACKUP_FAILED,
        ACL_ERROR_SNAPSHOT_RESTORE_FAILED,
        ACL_ERROR_SNAPSHOT_UNLOCK_FAILED,
    };
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        if (codes[i] == code)
            return true;
    return false;
}

static unsigned failed_calls;
static bool is_bad;

/* Notes what a call answered; true: it worked. */
static bool went(int code, const char *what)
{
    if (code == 0)
        return true;
    failed_calls++;
    const char *message = aclGetRecentErrMsg();
    if (!message || !*message) {
        fprintf(stderr, "fail_sweep: %s answered %d without a message\n", what, code);
        is_bad = true;
    }
    fprintf(stderr, "fail_sweep: %s answered %d: %s\n", what, code, message ? message : "");
    if (!is_documented(code)) {
        fprintf(stderr, "fail_sweep: %s answered %d, which is not documented\n", what, code);
        is_bad = true;
    }
    return false;
}
#define WENT(call) went((call), #call)

struct objects {
    aclrtStream first, second;
    aclrtEvent event, timed;
    void *device_memory, *host_memory;
};

static void called_back(void *argument)
{
    (void)argument;
}

static void use(const struct objects *o)
{
    aclrtEventRecordedStatus recorded;
    aclrtStreamStatus state;
    float ms = 0;
    size_t free_bytes = 0;
    size_t total = 0;
    char *host = o->host_memory;
    char *device = o->device_memory;
    (void)WENT(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    (void)WENT(aclrtMemcpy(device, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    (void)WENT(aclrtMemset(device, BYTES, 1, BYTES));
    (void)WENT(aclrtMemcpyAsync(device, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, o->first));
    (void)WENT(aclrtRecordEvent(o->event, o->first));
    (void)WENT(aclrtStreamWaitEvent(o->second, o->event));
    (void)WENT(aclrtMemsetAsync(device, BYTES, 2, BYTES, o->second));
    (void)WENT(aclrtRecordEvent(o->timed, o->second));
    (void)WENT(aclrtMemcpyAsync(host, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, o->second));
    (void)WENT(aclrtLaunchHostFunc(o->second, called_back, NULL));
    (void)WENT(aclrtStreamQuery(o->first, &state));
    (void)WENT(aclrtSynchronizeStream(o->second));
    (void)WENT(aclrtSynchronizeEvent(o->event));
    (void)WENT(aclrtQueryEventStatus(o->event, &recorded));
    (void)WENT(aclrtEventElapsedTime(&ms, o->timed, o->timed));
    (void)WENT(aclrtSynchronizeDevice());
    (void)WENT(aclrtStreamAbort(o->first));
}

static void wrong(const char *what)
{
    fprintf(stderr, "fail_sweep: %s\n", what);
    is_bad = true;
}

static void releases(void) {}

static void use_device(void (*scenario)(const memory_sweep *sweep))
{
    if (!WENT(aclrtSetDevice(0)))
        return;
    scenario(&(memory_sweep){went, wrong, releases});
    if (!WENT(aclrtResetDevice(0)))
        (void)WENT(aclrtResetDeviceForce(0));
}

static void use_memory(void)
{
    use_device(memory_scenario);
}

static void use_graph(void)
{
    use_device(graph_scenario);
}

/* Makes objects, uses them when all could be made, and destroys those that were made. */
static void use_streams(void)
{
    struct objects o = {0};
    bool all = WENT(aclrtSetDevice(0));
    if (!all)
        return;
    all = WENT(aclrtCreateStream(&o.first)) && all;
    all = WENT(aclrtCreateStream(&o.second)) && all;
    all = WENT(aclrtCreateEventExWithFlag(&o.event, ACL_EVENT_SYNC)) && all;
    all = WENT(aclrtCreateEventExWithFlag(&o.timed, ACL_EVENT_TIME_LINE)) && all;
    all = WENT(aclrtMalloc(&o.device_memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST)) && all;
    all = WENT(aclrtMallocHost(&o.host_memory, BYTES)) && all;
    if (all)
        use(&o);
    /* a call that failed may be made again */
    if (o.second && !WENT(aclrtDestroyStream(o.second)))
        (void)WENT(aclrtDestroyStreamForce(o.second));
    if (o.first && !WENT(aclrtDestroyStream(o.first)))
        (void)WENT(aclrtDestroyStreamForce(o.first));
    if (o.event)
        (void)WENT(aclrtDestroyEvent(o.event));
    if (o.timed)
        (void)WENT(aclrtDestroyEvent(o.timed));
    if (o.device_memory && !WENT(aclrtFree(o.device_memory)))
        (void)WENT(aclrtFree(o.device_memory));
    if (o.host_memory && !WENT(aclrtFreeHost(o.host_memory)))
        (void)WENT(aclrtFreeHost(o.host_memory));
    if (!WENT(aclrtResetDevice(0)))
        (void)WENT(aclrtResetDeviceForce(0));
}

/* One call fails in the first round or the second; the third must be as if nothing had been. */
static int run_once(void (*scenario)(void))
{
    (void)WENT(aclInit(NULL));
    scenario();
    scenario();
    unsigned before = failed_calls;
    bool was_bad = is_bad;
    fputs(LAST_ROUND "\n", stderr);
    scenario();
    bool stays = failed_calls != before;
    (void)WENT(aclFinalize());
    fprintf(stderr, "fail_sweep: %u calls failed\n", failed_calls);
    return was_bad || is_bad ? EXIT_BAD : stays ? EXIT_STAYS : 0;
}

/* ---- the sweep ------------------------------------------------------------------------------- */

struct outcome {
    int status;
    bool timed_out;
    char output[OUTPUT_BYTES];
};

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run_child(const char *self, const char *mode, const char *rule, struct outcome *out)
{
    int ends[2];
    size_t used = 0;
    out->timed_out = false;
    if (pipe2(ends, O_CLOEXEC) != 0)
        exit(2);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        (void)setenv("TWINRT_FAIL_OPS", rule, 1);
        execl(self, self, mode ? mode : "--once", "--once", (char *)NULL);
        _exit(127);
    }
    (void)close(ends[1]);
    double end = seconds() + LIMIT_MS / 1000.0;
    for (;;) {
        struct pollfd wait = {.fd = ends[0], .events = POLLIN};
        int left_ms = (int)((end - seconds()) * 1000);
        if (left_ms <= 0 || poll(&wait, 1, left_ms) == 0) {
            out->timed_out = true;
            (void)kill(child, SIGKILL);
            break;
        }
        char rest[512];
        bool fits = used < sizeof(out->output) - 1;
        ssize_t got = read(ends[0], fits ? out->output + used : rest,
                           fits ? sizeof(out->output) - 1 - used : sizeof(rest));
        if (got <= 0)
            break;
        if (fits)
            used += (size_t)got;
    }
    out->output[used] = '\0';
    (void)close(ends[0]);
    (void)waitpid(child, &out->status, 0);
}

/* Whether memory is left at a reset of the device, other than memory of the runtime that the device
 * did not free. */
static bool has_lost_memory(const char *output)
{
    const char *lost = strstr(output, "was not freed");
    const bool not_freed = strstr(output, "which is memory.free") != NULL;
    return lost && !(not_freed && strstr(lost, ", RUNTIME (") && !strstr(lost, ", APP, "));
}

static bool is_good(const struct outcome *o)
{
    if (o->timed_out || !WIFEXITED(o->status))
        return false;
    /* How many devices there are is asked once. */
    bool may_stay = strstr(o->output, "which is process.count") != NULL;
    int code = WEXITSTATUS(o->status);
    return (code == 0 || (code == EXIT_STAYS && may_stay)) && !has_lost_memory(o->output) &&
           !strstr(o->output, "still exist");
}

/* The calls that were let fail, or 0 and a message. */
static unsigned sweep(const char *self, const char *mode, const char *status)
{
    static struct outcome outcome;
    for (unsigned call = 1; call < CALLS_MOST; call++) {
        char rule[96];
        (void)snprintf(rule, sizeof(rule), "*:%u=%s", call, status);
        run_child(self, mode, rule, &outcome);
        const char *hit = strstr(outcome.output, "TWINRT_FAIL_OPS: call");
        const char *last_round = strstr(outcome.output, LAST_ROUND);
        if (!hit || (last_round && last_round < hit))
            return call - 1; /* all calls of the rounds before have had their turn */
        if (!is_good(&outcome)) {
            fprintf(stderr, "%s: %s, status 0x%x\n%s\n", rule,
                    outcome.timed_out ? "does not end" : "went wrong", (unsigned)outcome.status,
                    outcome.output);
            return 0;
        }
    }
    return CALLS_MOST;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--export") == 0)
        return memory_exporter();
    const bool memory = argc > 1 && strcmp(argv[1], "--memory") == 0;
    const bool graph = argc > 1 && strcmp(argv[1], "--graph") == 0;
    const char *mode = memory || graph ? argv[1] : NULL;
    const int first = mode ? 2 : 1;
    if (argc > first && strcmp(argv[first], "--once") == 0)
        return run_once(memory ? use_memory : graph ? use_graph : use_streams);
    static char self[4096];
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) <= 0)
        return 2;
    if (memory)
        memory_exporter_start(self);
    for (int i = first; i < argc; i++) {
        unsigned calls = sweep(self, mode, argv[i]);
        if (calls < 50) { /* the scenario makes more */
            fprintf(stderr, "fail_sweep: %s after %u calls\n", argv[i], calls);
            return 1;
        }
        printf("%s: each of %u calls failed once\n", argv[i], calls);
    }
    if (memory)
        memory_exporter_stop();
    return 0;
}
