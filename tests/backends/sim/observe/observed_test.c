/* SPDX-License-Identifier: Apache-2.0 */
/* What timeline, counters and profiling records say of kernels: cores, blocks and pipes, each with
 * the time that the rules give it (T-CORE-3, T-CORE-7, T-CORE-15, T-CORE-20). */
#include "seam.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

enum { VECTOR_BLOCKS = 5, CUBE_BLOCKS = 3, MSPROF_BYTES = 64 };

static void release(twin_launch *kernel)
{
    (void)kernel;
}

static const char *wanted_fact;
static unsigned long long fact_value;

static void find_fact(void *context, const twin_fact *fact)
{
    bool *found = context;
    if (strcmp(fact->name, wanted_fact) == 0)
        *found = sscanf(fact->value, "%llu", &fact_value) == 1;
}

static uint64_t parameter(const char *name)
{
    bool found = false;
    wanted_fact = name;
    seam->diag.facts(find_fact, &found);
    CU_ASSERT_FATAL(found);
    return fact_value;
}

/* What the profile says, in ns, and what two kernels are made of. */
static struct {
    uint64_t issue, dispatch, init, software, all_cores, counter_mhz;
    uint64_t vector_ns, scalar_ns, cube_ns;
    uint64_t aiv_cores, aic_cores;
} times;

static void read_times(void)
{
    times.issue = parameter("aicore.issue_ns");
    times.dispatch = parameter("aicore.dispatch_ns");
    times.init = parameter("aicore.core_init_ns");
    times.software = parameter("aicore.software_init_ns");
    times.all_cores = parameter("aicore.all_cores_ns");
    times.counter_mhz = parameter("counter_mhz");
    times.vector_ns = 20000;
    times.scalar_ns = 5000;
    times.cube_ns = 30000;
    times.aiv_cores = parameter("limit.aiv_cores");
    times.aic_cores = parameter("limit.aic_cores");
}

/* T-CORE-24: in proportion to the other cores of the kernel. */
static uint64_t others_ns(bool aiv)
{
    const uint64_t blocks = aiv ? VECTOR_BLOCKS : CUBE_BLOCKS;
    return times.all_cores * (blocks - 1) / (times.aiv_cores - 1);
}

static uint64_t start_ns(bool aiv)
{
    return times.dispatch + times.init + times.software + others_ns(aiv);
}

/* Five vector blocks that work first on the scalar unit, then on the vector pipe; then three cube
 * blocks. */
static void run_kernels(void)
{
    twin_hw_device *device = seam_up();
    twin_queue *queue = seam_queue(device, 7);
    read_times();
    uint64_t mhz = parameter("aicore.clock_mhz");
    const twin_step vector[] = {
        {.pipe = TWIN_PIPE_SCALAR, .kind = TWIN_STEP_WORK, .amount = times.scalar_ns * mhz / 1000},
        {.pipe = TWIN_PIPE_VECTOR, .kind = TWIN_STEP_WORK, .amount = times.vector_ns * mhz / 1000},
    };
    const twin_step cube[] = {
        {.pipe = TWIN_PIPE_CUBE, .kind = TWIN_STEP_WORK, .amount = times.cube_ns * mhz / 1000},
    };
    const twin_steps lists[] = {{.steps = vector, .count = 2}, {.steps = cube, .count = 1}};
    const twin_launch_work work[] = {{.lists = &lists[0], .count = 1},
                                     {.lists = &lists[1], .count = 1}};
    twin_launch kernels[] = {{.name = "five",
                              .cores = TWIN_CORES_VECTOR,
                              .blocks = VECTOR_BLOCKS,
                              .weight = 1,
                              .timeout_ns = TWIN_FOREVER,
                              .work = &work[0],
                              .release = release},
                             {.name = "three",
                              .cores = TWIN_CORES_CUBE,
                              .blocks = CUBE_BLOCKS,
                              .weight = 1,
                              .timeout_ns = TWIN_FOREVER,
                              .work = &work[1],
                              .release = release}};
    for (unsigned i = 0; i < 2; i++)
        SEAM_OK(seam->work.launch(queue, &kernels[i]));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    seam->queue.destroy(queue);
    seam_down(device);
}

static cJSON *read_json(const char *path)
{
    FILE *file = fopen(path, "rbe");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    char *text = calloc(1, 4 << 20);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT(fread(text, 1, (4 << 20) - 1, file) > 0);
    (void)fclose(file);
    cJSON *json = cJSON_Parse(text);
    free(text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(json);
    return json;
}

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = member(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : -1;
}

static bool is_text(const cJSON *object, const char *name, const char *wanted)
{
    const cJSON *item = member(object, name);
    return cJSON_IsString(item) && strcmp(item->valuestring, wanted) == 0;
}

/* Within half a nanosecond: the file has microseconds. */
static bool is_ns(double us, uint64_t ns)
{
    double off = us * 1000 - (double)ns;
    return off > -0.5 && off < 0.5;
}

/* ---- timeline -------------------------------------------------------------------------------- */

static const cJSON *events;

/* Whether the row of a slice, or its group, has that name. */
static bool row_is(const cJSON *slice, const char *kind, const char *name)
{
    const cJSON *event;
    bool thread = strcmp(kind, "thread_name") == 0;
    cJSON_ArrayForEach(event, events)
    {
        if (is_text(event, "name", kind) && number(event, "pid") == number(slice, "pid") &&
            (!thread || number(event, "tid") == number(slice, "tid")))
            return is_text(member(event, "args"), "name", name);
    }
    return false;
}

/* The slices of AI cores on the row of that name, of that name, in the file's order, which is that
 * of time. */
static unsigned slices(const char *row, const char *name, const cJSON **out, unsigned room)
{
    unsigned count = 0;
    const cJSON *event;
    cJSON_ArrayForEach(event, events)
    {
        if (is_text(event, "cat", "core") && is_text(event, "name", name) &&
            row_is(event, "thread_name", row) && count++ < room)
            out[count - 1] = event;
    }
    return count;
}

static void check_core(const char *kind, unsigned block, double first_us, uint64_t program_ns)
{
    char row[32];
    char name[32];
    const cJSON *found[5] = {NULL};
    const bool aiv = strcmp(kind, "AIV") == 0;
    snprintf(row, sizeof(row), "%s %u", kind, block); /* the lowest free core */
    snprintf(name, sizeof(name), "block %u", block);
    CU_ASSERT_EQUAL_FATAL(slices(row, name, found, 1), 1);
    double begin = number(found[0], "ts");
    CU_ASSERT(is_ns(begin - first_us, block * times.issue));
    CU_ASSERT(is_ns(number(found[0], "dur"), start_ns(aiv) + program_ns));
    CU_ASSERT(row_is(found[0], "process_name", "device 0 AI cores"));
    CU_ASSERT(number(member(found[0], "args"), "core") == block);
    CU_ASSERT(number(member(found[0], "args"), "block") == block);
    CU_ASSERT(number(member(found[0], "args"), "stream") == 7);

    const uint64_t parts[] = {times.dispatch, times.init, times.software, others_ns(aiv)};
    CU_ASSERT_EQUAL_FATAL(slices(row, "start", found, 4), 4);
    uint64_t passed = 0;
    for (unsigned i = 0; i < 4; passed += parts[i++]) {
        CU_ASSERT(is_ns(number(found[i], "ts") - begin, passed));
        CU_ASSERT(is_ns(number(found[i], "dur"), parts[i]));
    }
}

static void check_pipe(const char *kind, unsigned core, const char *pipe, double first_us,
                       uint64_t after_ns, uint64_t length_ns)
{
    char row[32];
    const cJSON *found[1] = {NULL};
    snprintf(row, sizeof(row), "%s %u %s", kind, core, pipe);
    CU_ASSERT_EQUAL_FATAL(slices(row, "pipe", found, 1), 1);
    const uint64_t start = start_ns(strcmp(kind, "AIV") == 0);
    CU_ASSERT(is_ns(number(found[0], "ts") - first_us, core * times.issue + start + after_ns));
    CU_ASSERT(is_ns(number(found[0], "dur"), length_ns));
}

static double first_of(const char *row)
{
    const cJSON *found[1] = {NULL};
    CU_ASSERT_EQUAL_FATAL(slices(row, "block 0", found, 1), 1);
    return number(found[0], "ts");
}

static void test_timeline(void)
{
    cJSON *json = read_json("observed.json");
    events = member(json, "traceEvents");
    double vector = first_of("AIV 0");
    double cube = first_of("AIC 0");
    for (unsigned i = 0; i < VECTOR_BLOCKS; i++) {
        check_core("AIV", i, vector, times.scalar_ns + times.vector_ns);
        check_pipe("AIV", i, "scalar", vector, 0, times.scalar_ns);
        check_pipe("AIV", i, "vector", vector, times.scalar_ns, times.vector_ns);
    }
    for (unsigned i = 0; i < CUBE_BLOCKS; i++) {
        check_core("AIC", i, cube, times.cube_ns);
        check_pipe("AIC", i, "cube", cube, 0, times.cube_ns);
    }
    unsigned count = 0;
    const cJSON *event;
    cJSON_ArrayForEach(event, events)
    {
        count += is_text(event, "cat", "core");
    }
    /* a block, four parts of its start, its operations */
    CU_ASSERT_EQUAL(count, VECTOR_BLOCKS * 7 + CUBE_BLOCKS * 6);
    cJSON_Delete(json);
}

/* ---- counters -------------------------------------------------------------------------------- */

static void check_use(const cJSON *device, const char *kind, unsigned blocks, uint64_t block_ns,
                      uint64_t cores)
{
    const cJSON *use = member(device, kind);
    CU_ASSERT(number(use, "uses") == blocks);
    CU_ASSERT(number(use, "busy_ns") == (double)(blocks * block_ns));
    CU_ASSERT(number(use, "units") == (double)cores);
    const cJSON *each = member(use, "each");
    CU_ASSERT_EQUAL_FATAL(cJSON_GetArraySize(each), (int)blocks);
    for (unsigned i = 0; i < blocks; i++) {
        const cJSON *core = cJSON_GetArrayItem(each, (int)i);
        CU_ASSERT(number(core, "index") == i);
        CU_ASSERT(number(core, "uses") == 1);
        CU_ASSERT(number(core, "busy_ns") == (double)block_ns);
    }
}

static void test_counters(void)
{
    cJSON *json = read_json("observed.stats.json");
    const cJSON *devices = member(json, "devices");
    const cJSON *device = cJSON_GetArrayItem(devices, 0);
    check_use(device, "aiv", VECTOR_BLOCKS, start_ns(true) + times.scalar_ns + times.vector_ns,
              times.aiv_cores);
    check_use(device, "aic", CUBE_BLOCKS, start_ns(false) + times.cube_ns, times.aic_cores);
    cJSON_Delete(json);
}

/* ---- profiling records ----------------------------------------------------------------------- */

static uint64_t little(const unsigned char *bytes, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static void test_profiling_records(void)
{
    unsigned char record[MSPROF_BYTES];
    uint64_t begins[2][VECTOR_BLOCKS] = {{0}};
    unsigned starts[2] = {0};
    unsigned ends[2] = {0};
    FILE *file = fopen("observed.msprof", "rbe");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    while (fread(record, 1, sizeof(record), file) == sizeof(record)) {
        unsigned type = record[0] & 63u;
        bool aiv = record[18] == 1;
        unsigned core = record[19];
        uint64_t ticks = little(record + 8, 8);
        if (type != 2 && type != 3)
            continue;
        CU_ASSERT_EQUAL(little(record + 4, 2), 7);  /* stream */
        CU_ASSERT_EQUAL(little(record + 16, 2), 0); /* device */
        CU_ASSERT(record[18] <= 1 && core < (aiv ? VECTOR_BLOCKS : CUBE_BLOCKS));
        CU_ASSERT_EQUAL(little(record + 20, 4), core); /* each block has the core of its number */
        if (core >= VECTOR_BLOCKS)
            break;
        if (type == 2) {
            begins[aiv][core] = ticks;
            starts[aiv]++;
            continue;
        }
        ends[aiv]++;
        uint64_t length = start_ns(aiv) + (aiv ? times.scalar_ns + times.vector_ns : times.cube_ns);
        uint64_t whole = length * times.counter_mhz / 1000; /* each end is rounded down */
        CU_ASSERT(ticks - begins[aiv][core] >= whole && ticks - begins[aiv][core] <= whole + 1);
    }
    (void)fclose(file);
    CU_ASSERT_EQUAL(starts[1], VECTOR_BLOCKS);
    CU_ASSERT_EQUAL(ends[1], VECTOR_BLOCKS);
    CU_ASSERT_EQUAL(starts[0], CUBE_BLOCKS);
    CU_ASSERT_EQUAL(ends[0], CUBE_BLOCKS);
}

/* Everything is written when the process stops, so the kernels run first. */
static void test_run(void)
{
    run_kernels();
}

static const twin_test tests[] = {
    {"two kernels run", test_run},
    {"the timeline has a row for each core and pipe", test_timeline},
    {"counters show how long each core was in use", test_counters},
    {"profiling records report each block", test_profiling_records},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    seam_set("TWINRT_TRACE", "observed.json");
    seam_set("TWINRT_STATS", "observed.stats.json");
    seam_set("TWINRT_MSPROF", "observed.msprof");
    return twin_run_suite("backend.sim_observed", tests, TWIN_COUNT(tests), argc, argv);
}
