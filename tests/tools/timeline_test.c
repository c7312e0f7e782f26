/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline writer on entries made up here: the model's side of twinsim.h is replaced. */
#include "support/cunit_main.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "observe/timeline.h"
#include "wait/observer.h"
#include "twinsim/stars.h"

#define FILE_NAME "synthetic.json"
#define NO_ID     UINT32_MAX

/* ---- the replaced side ---------------------------------------------------------------------- */

static struct twinsim_trace_entry entries[64];
static size_t entry_count;

const struct twinsim_trace_entry *twinsim_trace(const twinsim *sim, size_t *out_count)
{
    (void)sim;
    *out_count = entry_count;
    return entries;
}

size_t twinsim_trace_count(const twinsim *sim)
{
    (void)sim;
    return entry_count;
}

int twinsim_link_at(const twinsim *sim, size_t index, struct twinsim_link *out)
{
    (void)sim;
    *out = (struct twinsim_link){.name = "PCIe", .parameter = 4, .bytes_per_s = 24900000000};
    return index == 0 ? TWINSIM_OK : TWINSIM_E_ARGUMENT;
}

uint64_t twinsim_route_alone_ns(const twinsim *sim, uint32_t route, uint64_t bytes)
{
    (void)sim;
    return route == 3 ? bytes / 100 : 0;
}

static const struct twinsim_parameter parameters[] = {
    {"counter_mhz", "50", 50, 50.0, "MHz", "known", "a \"quoted\" source", ""},
    {"fetch.read_ns", "500", 500, 500.0, "ns", "assumed", "s", ""},
    {"table.event_ns", "40", 40, 40.0, "ns", "assumed", "s", ""},
    {"dma.setup_ns", "1000", 1000, 1000.0, "ns", "inferred", "s", ""},
    {"link.mb_s", "24900", 24900, 24900.0, "MB/s", "known", "s", ""},
};
enum { P_COUNTER, P_FETCH, P_TABLE, P_SETUP, P_LINK };

size_t twinsim_profile_count(const twinsim_profile *profile)
{
    (void)profile;
    return TWIN_COUNT(parameters);
}

const struct twinsim_parameter *twinsim_profile_at(const twinsim_profile *profile, size_t index)
{
    (void)profile;
    return index < TWIN_COUNT(parameters) ? &parameters[index] : NULL;
}

const struct twinsim_parameter *twinsim_profile_find(const twinsim_profile *profile,
                                                     const char *name)
{
    (void)profile;
    for (size_t i = 0; i < TWIN_COUNT(parameters); i++)
        if (strcmp(parameters[i].name, name) == 0)
            return &parameters[i];
    return NULL;
}

/* ---- a small story -------------------------------------------------------------------------- */

#define SIM     ((const twinsim *)(const void *)entries)
#define PROFILE ((const twinsim_profile *)(const void *)parameters)

static struct twinsim_trace_entry *add(uint16_t sq, uint64_t number, uint8_t type, uint8_t phase,
                                       uint64_t begin_ns, uint64_t end_ns, uint32_t parameter)
{
    struct twinsim_trace_entry *entry = &entries[entry_count++];
    *entry = (struct twinsim_trace_entry){
        .begin_ns = begin_ns,
        .end_ns = end_ns,
        .number = number,
        .parameter = parameter,
        .id = NO_ID,
        .sq = sq,
        .task_id = (uint16_t)(100 + number),
        .phase = phase,
        .sqe_type = type,
        .waker_sq = UINT32_MAX,
        .route = UINT32_MAX,
    };
    return entry;
}

static void with_engine(struct twinsim_trace_entry *entry, uint8_t engine, uint32_t channel,
                        uint64_t bytes)
{
    entry->engine = engine;
    entry->id = channel;
    entry->bytes = bytes;
}

static const twin_call copy_call = {"aclrtMemcpyAsync", TWIN_COST_SUBMIT};
static const twin_call odd_call = {"acl\"Rt\\\x02", TWIN_COST_SUBMIT}; /* from a recording */
static const twin_call wait_call = {"aclrtSynchronizeStream", TWIN_COST_WAIT};
static uint32_t track_a;
static uint32_t track_b;
static uint32_t track_c;

/* Stream 3 on SQ 5 copies and records event 7, stream 4 on SQ 9 waits for it and copies. The fetch
 * of stream 3's record overlaps its copy. Then SQ 5 serves stream 6. */
static void tell_story(void)
{
    track_a = sim_timeline_name_queue(SIM, 0, 5, 3);
    track_b = sim_timeline_name_queue(SIM, 0, 9, 4);
    (void)sim_timeline_name_queue(SIM, 1, 9, 2);
    sim_timeline_submit(0, track_a, 1, 3000);
    sim_timeline_call(0, &copy_call, 0, 3000, 0);
    sim_timeline_submit(0, track_b, 1, 6000);
    sim_timeline_call(0, &odd_call, 3000, 6000, -7);

    add(5, 1, STARS_SQE_PCIE_DMA, TWINSIM_PHASE_DOORBELL, 3500, 3500, NO_ID);
    add(9, 1, STARS_SQE_EVENT_WAIT, TWINSIM_PHASE_DOORBELL, 6500, 6500, NO_ID);
    add(9, 1, STARS_SQE_EVENT_WAIT, TWINSIM_PHASE_FETCH, 6500, 7000, P_FETCH);
    add(9, 1, STARS_SQE_EVENT_WAIT, TWINSIM_PHASE_TABLE, 7000, 7040, P_TABLE)->id = 7;
    add(5, 1, STARS_SQE_PCIE_DMA, TWINSIM_PHASE_FETCH, 3500, 4000, P_FETCH);
    with_engine(add(5, 1, STARS_SQE_PCIE_DMA, TWINSIM_PHASE_SETUP, 4000, 5000, P_SETUP),
                TWINSIM_ENGINE_PCIE_DMA, 2, 0);
    with_engine(add(5, 1, STARS_SQE_PCIE_DMA, TWINSIM_PHASE_TRANSFER, 5000, 9000, P_LINK),
                TWINSIM_ENGINE_PCIE_DMA, 2, 99600);
    with_engine(add(5, 1, STARS_SQE_PCIE_DMA, TWINSIM_PHASE_TASK, 3500, 9010, NO_ID),
                TWINSIM_ENGINE_PCIE_DMA, NO_ID, 99600);
    add(5, 2, STARS_SQE_EVENT_RECORD, TWINSIM_PHASE_FETCH, 8800, 9300, P_FETCH);
    add(5, 2, STARS_SQE_EVENT_RECORD, TWINSIM_PHASE_TABLE, 9300, 9340, P_TABLE)->id = 7;
    add(5, 2, STARS_SQE_EVENT_RECORD, TWINSIM_PHASE_TASK, 8800, 9351, NO_ID);
    struct twinsim_trace_entry *park =
        add(9, 1, STARS_SQE_EVENT_WAIT, TWINSIM_PHASE_PARK, 7040, 9340, NO_ID);
    park->id = 7;
    park->waker_device = 0;
    park->waker_sq = 5;
    park->waker_number = 2;
    park = add(9, 1, STARS_SQE_EVENT_WAIT, TWINSIM_PHASE_PARK, 9000, 9840, P_TABLE);
    park->device = 1;
    park->id = 21;
    park->waker_device = 0;
    park->waker_sq = 5;
    park->waker_number = 2;
    add(9, 1, STARS_SQE_EVENT_WAIT, TWINSIM_PHASE_TASK, 8900, 9900, NO_ID)->device = 1;
    add(9, 1, STARS_SQE_EVENT_WAIT, TWINSIM_PHASE_RETIRE, 9340, 9400, NO_ID);
    add(9, 1, STARS_SQE_EVENT_WAIT, TWINSIM_PHASE_TASK, 6500, 9400, NO_ID);
    with_engine(add(9, 2, STARS_SQE_SDMA, TWINSIM_PHASE_SETUP, 9400, 10400, P_SETUP),
                TWINSIM_ENGINE_SDMA, 0, 0);
    with_engine(add(9, 2, STARS_SQE_SDMA, TWINSIM_PHASE_TRANSFER, 10400, 10900, P_LINK),
                TWINSIM_ENGINE_SDMA, 0, 512);
    with_engine(add(9, 2, STARS_SQE_SDMA, TWINSIM_PHASE_TASK, 9400, 10900, NO_ID),
                TWINSIM_ENGINE_SDMA, 0, 512);
    with_engine(add(UINT16_MAX, 0, 0, TWINSIM_PHASE_TRANSFER, 11000, 12000, P_LINK),
                TWINSIM_ENGINE_HOST_DMA, 1, 4096);

    /* The same number on two queues, one within the time of the other. */
    add(5, 2, 0, TWINSIM_PHASE_SHARE, 9500, 10800, NO_ID)->id = TWINSIM_CLASS_SDMA;
    add(9, 2, 0, TWINSIM_PHASE_SHARE, 9400, 10900, NO_ID)->id = TWINSIM_CLASS_SDMA;

    track_c = sim_timeline_name_queue(SIM, 0, 5, 6);
    add(5, 1, STARS_SQE_SDMA, TWINSIM_PHASE_TASK, 13000, 14000, NO_ID);
    /* fetched ahead, wholly inside the task before it */
    add(5, 2, STARS_SQE_SDMA, TWINSIM_PHASE_FETCH, 13100, 13600, P_FETCH);
    sim_timeline_call(0, &wait_call, 6000, 14500, 507046);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    char *text = calloc(1, 1u << 22);
    if (text)
        (void)fread(text, 1, (1u << 22) - 1, file);
    (void)fclose(file);
    return text;
}

static cJSON *written(void)
{
    CU_ASSERT_EQUAL_FATAL(sim_timeline_write(FILE_NAME, SIM, PROFILE), 0);
    char *text = read_file(FILE_NAME);
    cJSON *document = cJSON_Parse(text);
    free(text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(document);
    return document;
}

static const char *text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text ? text : "";
}

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : -1.0;
}

/* The n-th event (from 0) with that kind and name. */
static const cJSON *find(const cJSON *document, const char *kind, const char *name, int n)
{
    const cJSON *event;
    cJSON_ArrayForEach(event, cJSON_GetObjectItemCaseSensitive(document, "traceEvents"))
    {
        if (strcmp(text_of(event, "ph"), kind) == 0 && strcmp(text_of(event, "name"), name) == 0 &&
            n-- == 0)
            return event;
    }
    return NULL;
}

static const cJSON *args(const cJSON *event)
{
    return cJSON_GetObjectItemCaseSensitive(event, "args");
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void test_slices(void)
{
    cJSON *document = written();
    const cJSON *copy = find(document, "X", "PCIe DMA", 0);
    CU_ASSERT_EQUAL(number_of(copy, "ts"), 3.5);
    CU_ASSERT_EQUAL(number_of(copy, "dur"), 5.51);
    CU_ASSERT_EQUAL(number_of(args(copy), "stream"), 3);
    CU_ASSERT_EQUAL(number_of(args(copy), "bytes"), 99600);
    const cJSON *fetch = find(document, "X", "fetch", 0);
    CU_ASSERT_STRING_EQUAL(text_of(args(fetch), "parameter"), "fetch.read_ns");
    CU_ASSERT_STRING_EQUAL(text_of(args(fetch), "value"), "500");
    CU_ASSERT_STRING_EQUAL(text_of(args(fetch), "mark"), "assumed");
    const cJSON *call = find(document, "X", "aclrtSynchronizeStream", 0);
    CU_ASSERT_EQUAL(number_of(args(call), "code"), 507046);
    CU_ASSERT_EQUAL(number_of(args(find(document, "X", odd_call.name, 0)), "code"), -7);
    cJSON_Delete(document);
}

static void test_record_time(void)
{
    cJSON *document = written();
    /* 9351 ns on a counter of 50 MHz: 467 steps of 20 ns */
    const cJSON *record = find(document, "X", "record event 7", 0);
    CU_ASSERT_EQUAL(number_of(args(record), "recorded"), 9.34);
    cJSON_Delete(document);
}

static void test_lanes(void)
{
    cJSON *document = written();
    const cJSON *copy = find(document, "X", "PCIe DMA", 0);
    const cJSON *record = find(document, "X", "record event 7", 0);
    const cJSON *table = find(document, "X", "table", 1);
    CU_ASSERT_NOT_EQUAL(number_of(copy, "tid"), number_of(record, "tid"));
    CU_ASSERT_EQUAL(number_of(args(copy), "track"), number_of(args(record), "track"));
    CU_ASSERT_EQUAL(number_of(args(table), "number"), 2);
    CU_ASSERT_EQUAL(number_of(record, "tid"), number_of(table, "tid"));
    const cJSON *task = find(document, "X", "SDMA", 1);
    const cJSON *ahead = find(document, "X", "fetch", 3);
    CU_ASSERT_EQUAL(number_of(ahead, "ts"), 13.1);
    CU_ASSERT_NOT_EQUAL(number_of(task, "tid"), number_of(ahead, "tid"));
    cJSON_Delete(document);
}

static void test_shares(void)
{
    cJSON *document = written();
    const cJSON *event;
    double lanes[2] = {0};
    unsigned count = 0;
    cJSON_ArrayForEach(event, cJSON_GetObjectItemCaseSensitive(document, "traceEvents"))
    {
        if (strcmp(text_of(event, "cat"), "share") == 0 && count++ < TWIN_COUNT(lanes))
            lanes[count - 1] = number_of(event, "tid");
    }
    CU_ASSERT_EQUAL(count, 2);
    CU_ASSERT_NOT_EQUAL(lanes[0], lanes[1]);
    cJSON_Delete(document);
}

static void test_arrows(void)
{
    cJSON *document = written();
    const cJSON *record = find(document, "X", "record event 7", 0);
    const cJSON *wait = find(document, "X", "wait event 7", 0);
    const cJSON *from = find(document, "s", "record to wait", 0);
    const cJSON *to = find(document, "f", "record to wait", 0);
    CU_ASSERT_EQUAL(number_of(from, "tid"), number_of(record, "tid"));
    CU_ASSERT_EQUAL(number_of(to, "tid"), number_of(wait, "tid"));
    CU_ASSERT_EQUAL(number_of(from, "id"), number_of(to, "id"));
    CU_ASSERT_EQUAL(number_of(from, "ts"), 9.339);
    CU_ASSERT_EQUAL(number_of(to, "ts"), 9.34);
    const cJSON *park = find(document, "X", "park", 0);
    CU_ASSERT_EQUAL(number_of(args(park), "waker_stream"), 3);
    CU_ASSERT_EQUAL(number_of(args(park), "waker_number"), 2);
    CU_ASSERT_EQUAL(number_of(args(park), "waker_device"), 0);
    /* to a queue of another device, of the same number */
    park = find(document, "X", "park", 1);
    from = find(document, "s", "record to wait", 1);
    to = find(document, "f", "record to wait", 1);
    CU_ASSERT_EQUAL(number_of(args(park), "device"), 1);
    CU_ASSERT_EQUAL(number_of(args(park), "waker_device"), 0);
    CU_ASSERT_EQUAL(number_of(args(park), "waker_stream"), 3);
    CU_ASSERT_EQUAL(number_of(from, "tid"), number_of(record, "tid"));
    CU_ASSERT_EQUAL(number_of(from, "pid"), number_of(record, "pid"));
    CU_ASSERT_EQUAL(number_of(from, "ts"), 9.339);
    CU_ASSERT_EQUAL(number_of(to, "tid"), number_of(park, "tid"));
    CU_ASSERT_EQUAL(number_of(to, "pid"), number_of(park, "pid"));
    CU_ASSERT_EQUAL(number_of(to, "ts"), 9.84);
    CU_ASSERT_PTR_NULL(find(document, "s", "record to wait", 2));
    CU_ASSERT_PTR_NOT_NULL(find(document, "s", "call to task", 1));
    CU_ASSERT_PTR_NULL(find(document, "s", "call to task", 2));
    const cJSON *task = find(document, "f", "call to task", 1);
    CU_ASSERT_EQUAL(number_of(task, "ts"), 6.5);
    CU_ASSERT_EQUAL(number_of(task, "tid"), number_of(wait, "tid"));
    cJSON_Delete(document);
}

static void test_used_again(void)
{
    cJSON *document = written();
    const cJSON *old = find(document, "X", "SDMA", 0);
    const cJSON *later = find(document, "X", "SDMA", 1);
    CU_ASSERT_EQUAL(number_of(args(old), "stream"), 4);
    CU_ASSERT_EQUAL(number_of(args(later), "stream"), 6);
    CU_ASSERT_NOT_EQUAL(track_a, track_c);
    cJSON_Delete(document);
}

static void test_engines(void)
{
    cJSON *document = written();
    bool host_dma = false;
    bool channel = false;
    for (int i = 0;; i++) {
        const cJSON *row = find(document, "M", "thread_name", i);
        if (!row)
            break;
        host_dma |= strcmp(text_of(args(row), "name"), "host DMA channel 1") == 0;
        channel |= strcmp(text_of(args(row), "name"), "PCIe DMA channel 2") == 0;
    }
    CU_ASSERT_TRUE(host_dma);
    CU_ASSERT_TRUE(channel);
    cJSON_Delete(document);
}

static void test_private(void)
{
    struct stat info;
    (void)unlink(FILE_NAME);
    mode_t before = umask(0);
    CU_ASSERT_EQUAL(sim_timeline_write(FILE_NAME, SIM, PROFILE), 0);
    umask(before);
    CU_ASSERT_EQUAL_FATAL(stat(FILE_NAME, &info), 0);
    CU_ASSERT_EQUAL(info.st_mode & 0777u, 0600u);

    glob_t left = {0};
    CU_ASSERT_EQUAL(glob(FILE_NAME ".*", 0, NULL, &left), GLOB_NOMATCH);
    globfree(&left);
}

static void test_full_disk(void)
{
    struct rlimit before;
    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    (void)unlink("full.json");
    (void)setrlimit(RLIMIT_FSIZE, &(struct rlimit){2000, before.rlim_max});
    int error = sim_timeline_write("full.json", SIM, PROFILE);
    (void)setrlimit(RLIMIT_FSIZE, &before);
    (void)signal(SIGXFSZ, handler);

    glob_t left = {0};
    CU_ASSERT_EQUAL(error, -EFBIG);
    CU_ASSERT_EQUAL(glob("full.json*", 0, NULL, &left), GLOB_NOMATCH);
    globfree(&left);
}

static void test_not_a_file(void)
{
    struct stat info;
    (void)unlink("victim");
    (void)unlink("link");
    (void)unlink("pipe");
    FILE *victim = fopen("victim", "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(victim);
    (void)fclose(victim);
    CU_ASSERT_EQUAL_FATAL(symlink("victim", "link"), 0);
    CU_ASSERT_EQUAL_FATAL(mkfifo("pipe", 0600), 0);

    CU_ASSERT_EQUAL(sim_timeline_write("link", SIM, PROFILE), -ELOOP);
    CU_ASSERT_EQUAL(sim_timeline_write("pipe", SIM, PROFILE), -EINVAL);
    CU_ASSERT_EQUAL(sim_timeline_write(".", SIM, PROFILE), -EISDIR);
    CU_ASSERT_EQUAL(sim_timeline_write("/dev/null", SIM, PROFILE), -EINVAL);
    CU_ASSERT_EQUAL(sim_timeline_write("no/such/folder.json", SIM, PROFILE), -ENOENT);
    CU_ASSERT_EQUAL(stat("victim", &info), 0);
    CU_ASSERT_EQUAL(info.st_size, 0);
    CU_ASSERT_EQUAL(lstat("link", &info), 0);
    CU_ASSERT_TRUE(S_ISLNK(info.st_mode));
}

static void test_same_bytes(void)
{
    CU_ASSERT_EQUAL(sim_timeline_write("first.json", SIM, PROFILE), 0);
    CU_ASSERT_EQUAL(sim_timeline_write("second.json", SIM, PROFILE), 0);
    char *first = read_file("first.json");
    char *second = read_file("second.json");
    CU_ASSERT_PTR_NOT_NULL_FATAL(first);
    CU_ASSERT_PTR_NOT_NULL_FATAL(second);
    CU_ASSERT_STRING_EQUAL(first, second);
    free(first);
    free(second);
}

#define NOTES_PER_THREAD 3000

static void *make_notes(void *argument)
{
    unsigned thread = (unsigned)(uintptr_t)argument;
    for (uint64_t i = 0; i < NOTES_PER_THREAD; i++)
        sim_timeline_call(thread, &copy_call, i * 10, i * 10 + 5, 0);
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, make_notes, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);

    cJSON *document = written();
    unsigned seen[5] = {0};
    double last[5] = {-1.0, -1.0, -1.0, -1.0, -1.0};
    const cJSON *event;
    cJSON_ArrayForEach(event, cJSON_GetObjectItemCaseSensitive(document, "traceEvents"))
    {
        if (strcmp(text_of(event, "cat"), "call") != 0)
            continue;
        int thread = (int)number_of(event, "tid") - 1;
        CU_ASSERT_FATAL(thread >= 0 && thread < 5);
        CU_ASSERT(number_of(event, "ts") > last[thread]);
        last[thread] = number_of(event, "ts");
        seen[thread]++;
    }
    CU_ASSERT_EQUAL(seen[0], 3);
    for (int i = 1; i < 5; i++)
        CU_ASSERT_EQUAL(seen[i], NOTES_PER_THREAD);
    cJSON_Delete(document);
}

static const twin_test tests[] = {
    {"a task, a phase and a call become slices with their arguments", test_slices},
    {"a record carries its time on the device's counter", test_record_time},
    {"tasks of one stream that overlap get lanes, phases follow their task", test_lanes},
    {"each share of a class has a lane, whatever the numbers of the tasks", test_shares},
    {"an arrow leads from the record to the wait, and from the call to the task", test_arrows},
    {"an SQ used again becomes the track of the later stream", test_used_again},
    {"each engine channel that worked has a track", test_engines},
    {"the file belongs to its owner alone and leaves nothing beside it", test_private},
    {"a file that cannot be finished is not left behind", test_full_disk},
    {"only a regular file is ever replaced", test_not_a_file},
    {"writing twice gives the same bytes", test_same_bytes},
    {"notes of several threads all arrive, each thread's in order", test_threads},
};

int main(int argc, char **argv)
{
    tell_story();
    return twin_run_suite("timeline", tests, TWIN_COUNT(tests), argc, argv);
}
