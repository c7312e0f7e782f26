/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the first request for host memory of a short program fail, then the second, and so on until
 * none is left to fail; then the same with every request from the N-th on. Each time: no crash, the
 * documented code, nothing lost, and the whole program runs clean afterwards. */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "core/base/alloc.h"
#include "memory_scenario.h"
#include "support/expect.h"

/* More requests than the program can have: the sweep must end before. */
#define MOST 300

static _Atomic long request;    /* of this run, counted from 1 */
static long first_failing;      /* 0: none fails */
static bool all_later_fail;     /* else that one alone */
static _Atomic bool has_failed; /* in this run */

static char config_path[] = "/tmp/twinrt-config-XXXXXX";

static bool fails(size_t bytes)
{
    (void)bytes;
    long number = atomic_fetch_add(&request, 1) + 1;
    bool now = first_failing > 0 &&
               (number == first_failing || (all_later_fail && number > first_failing));
    if (now)
        atomic_store(&has_failed, true);
    return now;
}

static bool expect_code(aclError code, aclError want, const char *what, long number)
{
    if (code == want)
        return true;
    fprintf(stderr, "request %ld: %s answered %s, not %s\n", number, what, twin_acl_name(code),
            twin_acl_name(want));
    return false;
}

#ifdef TWIN_SWEEP_PLUGIN
/* The plug-in asks the C library. These take its place, for code of the plug-in alone. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);

static bool refused(const void *caller, size_t bytes)
{
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname || !strstr(info.dli_fname, "/backend-") ||
        !fails(bytes))
        return false;
    errno = ENOMEM;
    return true;
}

#define IN_PLACE __attribute__((visibility("default")))

IN_PLACE void *malloc(size_t bytes)
{
    return refused(__builtin_return_address(0), bytes) ? NULL : __libc_malloc(bytes);
}

IN_PLACE void *calloc(size_t count, size_t bytes)
{
    return refused(__builtin_return_address(0), count * bytes) ? NULL : __libc_calloc(count, bytes);
}

IN_PLACE void *realloc(void *block, size_t bytes)
{
    return refused(__builtin_return_address(0), bytes) ? NULL : __libc_realloc(block, bytes);
}
#endif

/* The objects that a run has made so far; those that are not NULL are released. */
typedef struct made {
    bool initialised;
    bool device;
    aclrtContext context;
    aclrtStream streams[2];
    aclrtEvent events[3];
    aclrtNotify notify;
    void *memory;
    void *host;
    aclTensorDesc *tensors[2];
} made;

/* A description with everything that is copied into it, and one in another format. */
static aclError make_tensors(aclTensorDesc **tensors)
{
    const int64_t dims[] = {2, 3, 5, 7};
    int64_t ranges[][2] = {{1, 2}, {3, 4}};
    char data[] = "constant";
    tensors[0] = aclCreateTensorDesc(ACL_FLOAT16, 4, dims, ACL_FORMAT_NCHW);
    if (!tensors[0])
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    aclSetTensorDescName(tensors[0], "name");
    const aclError codes[] = {aclSetTensorOriginShape(tensors[0], 4, dims),
                              aclSetTensorShape(tensors[0], 4, dims),
                              aclSetTensorShapeRange(tensors[0], 2, ranges),
                              aclSetTensorValueRange(tensors[0], 2, ranges),
                              aclSetTensorDynamicInput(tensors[0], "input"),
                              aclSetTensorConst(tensors[0], data, sizeof(data))};
    for (size_t i = 0; i < TWIN_COUNT(codes); i++)
        if (codes[i] != ACL_SUCCESS)
            return codes[i];
    return aclTransTensorDescFormat(tensors[0], ACL_FORMAT_NC1HWC0, &tensors[1]);
}

static aclError make(made *all)
{
    aclError code = aclInit(config_path);
    if (code != ACL_SUCCESS)
        return code;
    all->initialised = true;
    code = aclrtSetDevice(0);
    if (code != ACL_SUCCESS)
        return code;
    all->device = true;
#define STEP(call)                                                                                 \
    do {                                                                                           \
        code = (call);                                                                             \
        if (code != ACL_SUCCESS)                                                                   \
            return code;                                                                           \
    } while (0)
    STEP(aclrtCreateContext(&all->context, 0));
    STEP(aclrtCreateStream(&all->streams[0]));
    STEP(aclrtCreateStreamWithConfig(&all->streams[1], 3, ACL_STREAM_FAST_SYNC));
    STEP(aclrtCreateEvent(&all->events[0]));
    STEP(aclrtCreateEventWithFlag(&all->events[1], ACL_EVENT_SYNC));
    STEP(aclrtCreateEventExWithFlag(&all->events[2], ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    STEP(aclrtCreateNotify(&all->notify, 0));
    STEP(aclrtMalloc(&all->memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    STEP(aclrtMallocHost(&all->host, 4096));
    STEP(make_tensors(all->tensors));
    return ACL_SUCCESS;
}

static aclError use(const made *all)
{
    aclError code;
    float elapsed = 0;
    uint8_t *host = all->host;
    memset(host, 0, 4096);
    STEP(aclrtMemset(all->memory, 4096, 1, 4096));
    STEP(aclrtMemsetAsync(all->memory, 4096, 2, 4096, all->streams[0]));
    STEP(aclrtRecordEvent(all->events[0], all->streams[0]));
    for (int i = 0; i < 3; i++) {
        STEP(aclrtRecordEvent(all->events[i], all->streams[0]));
        STEP(aclrtStreamWaitEvent(all->streams[1], all->events[i]));
    }
    STEP(aclrtResetEvent(all->events[1], all->streams[1]));
    STEP(aclrtRecordNotify(all->notify, all->streams[1]));
    STEP(aclrtWaitAndResetNotify(all->notify, NULL, 0));
    STEP(aclrtMemcpyAsync(host, 4096, all->memory, 4096, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
    STEP(aclrtMemcpyAsync(all->memory, 64, &elapsed, sizeof(elapsed),
                          ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, NULL));
    STEP(aclrtSynchronizeStream(NULL));
    STEP(aclrtSynchronizeDevice());
    STEP(aclrtSynchronizeEvent(all->events[2]));
    STEP(aclrtEventElapsedTime(&elapsed, all->events[0], all->events[2]));
    STEP(aclrtMemcpy(host + 64, 64, host, 64, ACL_MEMCPY_HOST_TO_HOST));
    for (int i = 0; i < 4096; i++)
        if (host[i] != 2)
            return ACL_ERROR_FAILURE;
    return ACL_SUCCESS;
}
#undef STEP

/* A call that gives something back may meet the failing request; the second try may not. */
#define GIVE_BACK(call)                                                                            \
    do {                                                                                           \
        aclError given = (call);                                                                   \
        if (given != ACL_SUCCESS)                                                                  \
            given = (call);                                                                        \
        expect_code(given, ACL_SUCCESS, #call, first_failing);                                     \
    } while (0)

static void destroy_all(made *all)
{
    for (int i = 0; i < 2; i++)
        aclDestroyTensorDesc(all->tensors[i]);
    if (all->host)
        GIVE_BACK(aclrtFreeHost(all->host));
    if (all->memory)
        GIVE_BACK(aclrtFree(all->memory));
    if (all->notify)
        GIVE_BACK(aclrtDestroyNotify(all->notify));
    for (int i = 0; i < 3; i++)
        if (all->events[i])
            GIVE_BACK(aclrtDestroyEvent(all->events[i]));
    for (int i = 0; i < 2; i++)
        if (all->streams[i])
            GIVE_BACK(aclrtDestroyStream(all->streams[i]));
    if (all->context)
        GIVE_BACK(aclrtDestroyContext(all->context));
    if (all->device)
        GIVE_BACK(aclrtResetDevice(0));
    if (all->initialised)
        GIVE_BACK(aclFinalize());
}

/* ---- all kinds of memory --------------------------------------------------------------------- */

static void (*scenario)(const memory_sweep *sweep); /* the program; NULL: of this file */
static aclError first_code;
static bool is_wrong;

static bool went(int code, const char *what)
{
    if (code == ACL_SUCCESS)
        return true;
    const char *message = aclGetRecentErrMsg();
    if (first_code == ACL_SUCCESS)
        first_code = code;
    /* a message takes memory too */
    const bool explained = all_later_fail || (message && *message);
    if (code != ACL_ERROR_RT_MEMORY_ALLOCATION || !explained) {
        fprintf(stderr, "request %ld: %s answered %s: %s\n", first_failing, what,
                twin_acl_name(code), message ? message : "no message");
        is_wrong = true;
    }
    return false;
}

static void wrong(const char *what)
{
    fprintf(stderr, "request %ld: %s\n", first_failing, what);
    is_wrong = true;
}

static void memory_is_back(void)
{
    if (all_later_fail)
        first_failing = 0;
}

static aclError run_scenario(void)
{
    first_code = ACL_SUCCESS;
    is_wrong = false;
    const bool initialised = went(aclInit(config_path), "aclInit");
    const bool set = initialised && went(aclrtSetDevice(0), "aclrtSetDevice");
    if (set)
        scenario(&(memory_sweep){went, wrong, memory_is_back});
    memory_is_back();
    if (set)
        GIVE_BACK(aclrtResetDevice(0));
    if (initialised)
        GIVE_BACK(aclFinalize());
    (void)aclGetRecentErrMsg();
    (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    return is_wrong ? ACL_ERROR_FAILURE : first_code;
}

static aclError run(void)
{
    made all = {0};
    atomic_store(&request, 0);
    atomic_store(&has_failed, false);
    if (scenario)
        return run_scenario();
    aclError code = make(&all);
    if (code == ACL_SUCCESS)
        code = use(&all);
    if (all_later_fail)
        first_failing = 0; /* memory is back before the program ends */
    destroy_all(&all);
    (void)aclGetRecentErrMsg();
    (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    return code;
}

static size_t heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* Statuses of a child process. */
enum { HELD = 0, BROKEN = 1, NO_SUCH_REQUEST = 2 };

/* In a separate process, as the runtime keeps its allocations: fails request `number` of its life,
 * then runs clean. */
static int fail_one(long number)
{
    enum { WARM_UP = 20, SLACK = 8 };
    const size_t repeats = scenario ? 40 : 400;
    bool good = true;
    first_failing = number;
    aclError code = run();
    bool met = atomic_load(&has_failed);
    /* A request that fails may be handled (a second try, a smaller cache), or is reported as out of
     * memory. */
    if (code != ACL_SUCCESS)
        good = met && expect_code(code, ACL_ERROR_RT_MEMORY_ALLOCATION, "the program", number);
    first_failing = 0;
    good = expect_code(run(), ACL_SUCCESS, "the program once more", number) && good;

    /* Nothing leaks in the long run either, once tables have their size. A lost block has 16 bytes
     * at least. */
    for (int i = 0; i < WARM_UP; i++)
        good = expect_code(run(), ACL_SUCCESS, "a run to warm up", number) && good;
    /* A leak grows the heap in each window, a table that still grows in one. */
    size_t grown = SIZE_MAX;
    for (int window = 0; window < 3 && grown > repeats * SLACK; window++) {
        const size_t before = heap_bytes();
        for (size_t i = 0; i < repeats; i++)
            good = expect_code(run(), ACL_SUCCESS, "a later run", number) && good;
        const size_t after = heap_bytes();
        grown = after > before ? after - before : 0;
    }
    if (grown > repeats * SLACK) {
        fprintf(stderr, "request %ld: %zu runs grow the heap by %zu bytes\n", number, repeats,
                grown);
        good = false;
    }
    return !good ? BROKEN : met ? HELD : NO_SUCH_REQUEST;
}

static int status_of_child(long number)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        exit(fail_one(number)); /* by exit, so that a leak checker has its say */
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void sweep(bool all_later)
{
    long number = 1;
    unsigned broken = 0;
    all_later_fail = all_later;
    for (; number < MOST && broken < 5; number++) {
        char text[80];
        int status = status_of_child(number);
        if (status == NO_SUCH_REQUEST)
            break;
        snprintf(text, sizeof(text), "status of the process whose request %ld fails", number);
        if (!twin_expect_u64((uint64_t)status, HELD, text, __FILE__, __LINE__))
            broken++;
    }
    printf("[%ld requests] ", number - 1);
    CU_ASSERT(number > 5);    /* the hook works */
    CU_ASSERT(number < MOST); /* and the sweep ends by itself */
}

static void test_one_failure(void)
{
    sweep(false);
}

static void test_failures_from_one_on(void)
{
    sweep(true);
}

static void sweep_scenario(void (*wanted)(const memory_sweep *), bool all_later)
{
    scenario = wanted;
    sweep(all_later);
    scenario = NULL;
}

static void test_memory(void)
{
    sweep_scenario(memory_scenario, false);
}

static void test_memory_from_one_on(void)
{
    sweep_scenario(memory_scenario, true);
}

static void test_graph(void)
{
    sweep_scenario(graph_scenario, false);
}

static void test_graph_from_one_on(void)
{
    sweep_scenario(graph_scenario, true);
}

static const twin_test tests[] = {
    {"any one failing request for memory is answered as such and harms nothing", test_one_failure},
    {"memory that stays out is answered as such and harms nothing", test_failures_from_one_on},
    {"all kinds of memory: any one failing request", test_memory},
    {"all kinds of memory: memory that stays out", test_memory_from_one_on},
    {"captured model instances: any one failing request", test_graph},
    {"captured model instances: memory that stays out", test_graph_from_one_on},
};

int main(int argc, char **argv)
{
    static const char config[] = "{\"err_msg_mode\":\"0\"}";
    if (argc > 1 && strcmp(argv[1], "--export") == 0)
        return memory_exporter();
    memory_exporter_start(argv[0]);
    int file = mkstemp(config_path);
    if (file < 0 || write(file, config, strlen(config)) != (ssize_t)strlen(config))
        return TWIN_EXIT_FAILED;
    close(file);
    twin_alloc_set_hook(fails);
    int status = twin_run_suite("alloc_sweep", tests, TWIN_COUNT(tests), argc, argv);
    unlink(config_path);
    memory_exporter_stop();
    return status;
}
