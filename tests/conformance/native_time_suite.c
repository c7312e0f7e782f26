/* SPDX-License-Identifier: Apache-2.0 */
/* Native kernels in device time: what the blocks, the pipes of a core and the streams of a device
 * do side by side. Times are differences of event times, in steps of the profile's counter. */
#include "native_tests.h"
#include "twinrt/kernel_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define STEP_NS 20.0 /* of event times, of the parts that these tests run on */

/* Of two differences of event times. */
static bool close_to(double got, double want)
{
    if (fabs(got - want) <= 2 * STEP_NS)
        return true;
    printf("\n    %.0f ns, not %.0f\n", got, want);
    return false;
}

static double cycles_ns(double cycles)
{
    return cycles * 1000.0 / (double)twin_profile_value("aicore.clock_mhz");
}

/* An instruction of the vector unit over so many bytes of operands. */
static double vector_ns(uint64_t bytes)
{
    const uint64_t each = twin_profile_value("aicore.vector_bytes");
    const uint64_t cycles =
        twin_profile_value("aicore.vector_start_cycles") + (bytes + each - 1) / each;
    return cycles_ns((double)cycles);
}

/* From a block's issue to its first operation. */
static double begin_ns(void)
{
    return (double)(twin_profile_value("aicore.dispatch_ns") +
                    twin_profile_value("aicore.core_init_ns") +
                    twin_profile_value("aicore.software_init_ns"));
}

static uint32_t vector_cores(void)
{
    return (uint32_t)twin_profile_value("limit.aiv_cores");
}

/* One launch. */
typedef struct shape {
    const char *kernel;
    uint32_t blocks;
    struct native_work args;
} shape;

static void launch_shape(const native *n, aclrtStream stream, void *argument)
{
    const shape *s = argument;
    CHECK_OK(native_launch_on(n, s->kernel, s->blocks, &s->args, sizeof(s->args), stream));
}

static double span_of(const native *n, uint32_t blocks, uint32_t times)
{
    shape s = {"work", blocks, {times, 8192}};
    return native_span(n, launch_shape, &s);
}

static void test_empty_kernel(void)
{
    native n;
    native_begin(&n);
    shape s = {"empty", 1, {0}};
    const double none = native_span(&n, NULL, NULL);
    const double one = native_span(&n, launch_shape, &s) - none;
    const double least = begin_ns() + (double)twin_profile_value("aicore.report_ns");
    CHECK(one >= least);
    CHECK(one < least + 1500); /* and what every task takes */
    native_end(&n);
}

static void test_time_of_work(void)
{
    native n;
    native_begin(&n);
    const double each = vector_ns(8192 * 4);
    const double few = span_of(&n, 1, 100);
    CHECK(close_to(span_of(&n, 1, 300) - few, 200 * each));
    CHECK(close_to(span_of(&n, 1, 1100) - few, 1000 * each));
    native_end(&n);
}

/* The second wave's blocks begin one by one as those of the first end: all of it takes as long
 * again as one block. */
static void test_waves(void)
{
    native n;
    native_begin(&n);
    const uint32_t cores = vector_cores();
    const double one[2] = {span_of(&n, cores, 100), span_of(&n, cores, 200)};
    const double two[2] = {span_of(&n, 2 * cores, 100), span_of(&n, 2 * cores, 200)};
    const double three = span_of(&n, 3 * cores, 100);
    const double work = 100 * vector_ns(8192 * 4);
    CHECK(close_to(one[1] - one[0], work));
    CHECK(close_to(two[1] - two[0], 2 * work));
    CHECK(close_to(three - two[0], two[0] - one[0]));
    CHECK(two[0] - one[0] >= begin_ns() + work - 2 * STEP_NS);
    CHECK(two[0] - one[0] <= begin_ns() + work + 200); /* its scalar code */
    /* One block more than there are cores is a wave. */
    CHECK(span_of(&n, cores + 1, 100) - one[0] >= work);
    native_end(&n);
}

static void test_batch(void)
{
    native n;
    native_begin(&n);
    const uint32_t cores = vector_cores();
    shape s = {"work_batch", cores, {100, 8192}};
    const double batch = native_span(&n, launch_shape, &s);
    CHECK(close_to(batch, span_of(&n, cores, 100))); /* alone it is as any other */
    const aclrtFuncHandle function = native_find(n.binary, "work_batch");
    CHECK_CODE(aclrtLaunchKernelWithHostArgs(function, cores + 1, n.stream, NULL, &s.args,
                                             sizeof(s.args), NULL, 0),
               ACL_ERROR_RT_PARAM_INVALID);
    native_end(&n);
}

typedef struct meeting {
    uint32_t blocks;
    struct native_meet args;
} meeting;

static void launch_meeting(const native *n, aclrtStream stream, void *argument)
{
    const meeting *m = argument;
    CHECK_OK(native_launch_on(n, "meet", m->blocks, &m->args, sizeof(m->args), stream));
}

/* In each round all blocks wait for the one that works: its work is the time of the round, though
 * each block works in few rounds. */
static void test_meetings(void)
{
    enum { ROUNDS = 12, TIMES = 200 };
    native n;
    native_begin(&n);
    void *memory = native_memory((size_t)2 * NATIVE_MEET * 4);
    meeting m = {4, {native_address(memory), ROUNDS, 0, 0, 0}};
    const double idle = native_span(&n, launch_meeting, &m);
    m.args.times = TIMES;
    const double busy = native_span(&n, launch_meeting, &m);
    const double work = ROUNDS * TIMES * vector_ns(NATIVE_TILE * 4);
    /* The work of the first round begins before the last block does; and there is scalar code. */
    CHECK(busy - idle >= 0.95 * work && busy - idle <= 1.05 * work);
    native_free(memory);
    native_end(&n);
}

/* ---- pipes ----------------------------------------------------------------------------------- */

enum { TILES = 64, COUNT = TILES * NATIVE_TILE };

static void launch_add(const native *n, aclrtStream stream, void *argument)
{
    const struct native_add *args = argument;
    CHECK_OK(native_launch_on(n, "add", 1, args, sizeof(*args), stream));
}

/* With one set of buffers a tile's load, its sum and its store follow each other. With two the next
 * tile's load goes on meanwhile: the loads remain, or the other steps when these take longer. */
static void test_buffers_overlap(void)
{
    native n;
    native_begin(&n);
    void *memory = native_memory((size_t)COUNT * 4);
    struct native_add args = {native_address(memory), native_address(memory),
                              native_address(memory), COUNT, 1};
    const double single = native_span(&n, launch_add, &args);
    args.single = 0;
    const double two = native_span(&n, launch_add, &args);
    const double sums = TILES * vector_ns(NATIVE_TILE * 4);
    CHECK(two < single);
    CHECK(single - two >= sums / 2); /* most of them are hidden */
    CHECK(two >= sums);
    native_free(memory);
    native_end(&n);
}

/* What a kernel reads and writes of the program's memory goes over PCIe: it takes the time of a
 * copy of as many bytes at least, and up to the tiles that do not overlap no more. */
static void test_registered_memory(void)
{
    native n;
    void *address = NULL;
    const size_t bytes = (size_t)COUNT * 4;
    native_begin(&n);
    void *memory = native_memory(bytes);
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    CHECK_OK(aclrtHostRegister(pages, bytes, ACL_HOST_REGISTER_MAPPED, &address));
    struct native_add args = {native_address(memory), native_address(memory),
                              native_address(memory), COUNT, 0};
    const double here = native_span(&n, launch_add, &args);
    args.x = native_address(address);
    const double read = native_span(&n, launch_add, &args);
    const double down =
        (double)bytes * 1000 / (double)twin_profile_value("link.pcie.to_device_mb_s");
    CHECK(read >= down);
    CHECK(read <= here + down + 4 * STEP_NS);
    args.x = native_address(memory);
    args.z = native_address(address);
    const double written = native_span(&n, launch_add, &args);
    const double up = (double)bytes * 1000 / (double)twin_profile_value("link.pcie.to_host_mb_s");
    CHECK(written >= up);
    CHECK(written <= here + up + 4 * STEP_NS);
    CHECK_OK(aclrtHostUnregister(pages));
    CHECK_EQUAL(munmap(pages, bytes), 0);
    native_free(memory);
    native_end(&n);
}

/* ---- published times ------------------------------------------------------------------------- */

/* Of machines at 1850 MHz, here in cycles. asc-devkit, Atlas A2: bank_conflict_ub, base case, an
 * average of 1000 sums in a row; data_copy to UB, case 1, of 49,152 pieces a core;
 * matmul_basic_api_high_performance, case 8, of 10,923 products a core. */
#define SUM_CYCLES     88.0
#define PIECE_CYCLES   (548.161 * 1850 / 49152)
#define PRODUCT_CYCLES (3076.4 * 1850 / 10923)

typedef struct published {
    const char *kernel;
    struct native_published args;
    uint32_t times;
} published;

static void launch_published(const native *n, aclrtStream stream, void *argument)
{
    published *p = argument;
    const struct native_products products = {p->times, 0};
    p->args.times = p->times;
    if (strcmp(p->kernel, "published_cube") == 0)
        CHECK_OK(native_launch_on(n, p->kernel, 1, &products, sizeof(products), stream));
    else
        CHECK_OK(native_launch_on(n, p->kernel, 1, &p->args, sizeof(p->args), stream));
}

/* `times` more of it take as long as the document says, to within 5 %. */
static bool as_published(const native *n, published *p, uint32_t times, double cycles)
{
    p->times = 8;
    const double few = native_span(n, launch_published, p);
    p->times = 8 + times;
    const double got = native_span(n, launch_published, p) - few;
    const double want = cycles_ns(cycles * times);
    if (fabs(got - want) <= 0.05 * want)
        return true;
    printf("\n    %s: %.0f ns, not %.0f\n", p->kernel, got, want);
    return false;
}

static void test_published(void)
{
    native n;
    native_begin(&n);
    published sums = {.kernel = "published", .args = {.figure = NATIVE_SUMS}};
    CHECK(as_published(&n, &sums, 1000, SUM_CYCLES));
    published products = {.kernel = "published_cube"};
    CHECK(as_published(&n, &products, 64, PRODUCT_CYCLES));
    enum { PIECES = 4096 };
    void *memory = native_memory((size_t)(PIECES + 8) * 128);
    published pieces = {.kernel = "published",
                        .args = {.figure = NATIVE_PIECES, .from = native_address(memory)}};
    CHECK(as_published(&n, &pieces, PIECES, PIECE_CYCLES));
    native_free(memory);
    native_end(&n);
}

/* ---- streams --------------------------------------------------------------------------------- */

/* Something on the stream of the measurement and something on another, begun together and both
 * waited for. */
typedef struct pair {
    aclrtStream other;
    aclrtEvent fork, join;
    native_work first, second;
    void *first_argument, *second_argument;
} pair;

static void pair_begin(pair *p)
{
    p->other = twin_stream();
    p->fork = twin_event(EVENT_EX);
    p->join = twin_event(EVENT_EX);
}

static void pair_end(const pair *p)
{
    CHECK_OK(aclrtDestroyEvent(p->fork));
    CHECK_OK(aclrtDestroyEvent(p->join));
    CHECK_OK(aclrtDestroyStream(p->other));
}

static void launch_pair(const native *n, aclrtStream stream, void *argument)
{
    const pair *p = argument;
    CHECK_OK(aclrtRecordEvent(p->fork, stream));
    CHECK_OK(aclrtStreamWaitEvent(p->other, p->fork));
    if (p->second)
        p->second(n, p->other, p->second_argument);
    CHECK_OK(aclrtRecordEvent(p->join, p->other));
    if (p->first)
        p->first(n, stream, p->first_argument);
    CHECK_OK(aclrtStreamWaitEvent(stream, p->join));
}

/* A kernel of 2000 instructions takes some 0.15 ms; forking and joining costs a hundredth of
 * that, and with all cores kernels begin later. */
static void test_streams_overlap(void)
{
    native n;
    native_begin(&n);
    const uint32_t cores = vector_cores();
    const double work = 2000 * vector_ns(8192 * 4);
    shape half = {"work", cores / 2, {2000, 8192}};
    shape whole = {"work", cores, {2000, 8192}};
    pair p = {.first = launch_shape, .second = launch_shape};
    pair_begin(&p);
    p.first_argument = p.second_argument = &half;
    const double halves = native_span(&n, launch_pair, &p);
    CHECK(halves >= work);
    const double begin = (double)twin_profile_value("aicore.all_cores_ns");
    CHECK(halves < 1.1 * work + begin); /* each has its own cores */
    p.first_argument = p.second_argument = &whole;
    const double wholes = native_span(&n, launch_pair, &p);
    CHECK(wholes >= 2 * work);
    CHECK(wholes < 2.1 * work + 2 * begin);
    pair_end(&p);
    native_end(&n);
}

typedef struct copying {
    void *device, *host;
    size_t bytes;
} copying;

static void copy_in(const native *n, aclrtStream stream, void *argument)
{
    const copying *c = argument;
    (void)n;
    CHECK_OK(aclrtMemcpyAsync(c->device, c->bytes, c->host, c->bytes, ACL_MEMCPY_HOST_TO_DEVICE,
                              stream));
}

static void test_kernel_beside_copy(void)
{
    native n;
    native_begin(&n);
    copying c = {.bytes = (size_t)4 << 20};
    c.device = native_memory(c.bytes);
    CHECK_OK(aclrtMallocHost(&c.host, c.bytes));
    shape s = {"work", 8, {2000, 8192}};
    pair p = {.first = launch_shape, .first_argument = &s, .second = NULL, .second_argument = &c};
    pair_begin(&p);
    const double kernel = native_span(&n, launch_pair, &p);
    p.first = NULL;
    p.second = copy_in;
    const double copy = native_span(&n, launch_pair, &p);
    p.first = launch_shape;
    const double both = native_span(&n, launch_pair, &p);
    const double longer = kernel > copy ? kernel : copy;
    CHECK(both >= longer - 2 * STEP_NS);
    CHECK(both < longer + 0.1 * (kernel + copy - longer)); /* they share nothing */
    pair_end(&p);
    CHECK_OK(aclrtFreeHost(c.host));
    native_free(c.device);
    native_end(&n);
}

/* ---- kernels that are only timed ------------------------------------------------------------- */

#define MARK 0xffd7ffc9u /* runtime/docs/kernels.md */

/* Device time of a sum, and one word of what it wrote. */
static double add_once(const native *n, void *memory, uint32_t *out_word)
{
    struct native_add args = {native_address(memory), native_address(memory),
                              native_address(memory), COUNT, 0};
    const uint32_t three = 0x40400000; /* 3.0 */
    native_write(memory, &three, sizeof(three));
    const double span = native_span(n, launch_add, &args);
    native_read(out_word, memory, sizeof(*out_word));
    return span;
}

/* Launch by launch: the same time, and a marked result. */
static void test_only_timed(void)
{
    native n;
    native_begin(&n);
    void *memory = native_memory((size_t)COUNT * 4);
    uint32_t word = 0;
    (void)add_once(&n, memory, &word); /* from then on it is in L2 */
    const double computed = add_once(&n, memory, &word);
    CHECK(word != MARK);
    CHECK_OK(twinrt_set_kernel_data(TWINRT_KERNEL_DATA_OFF));
    CHECK(close_to(add_once(&n, memory, &word), computed));
    CHECK_EQUAL(word, MARK);
    CHECK_CODE(twinrt_set_kernel_data(3), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(twinrt_set_kernel_data(-1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(close_to(add_once(&n, memory, &word), computed));
    CHECK_EQUAL(word, MARK);
    CHECK_OK(twinrt_set_kernel_data(TWINRT_KERNEL_DATA_SETTING));
    CHECK(close_to(add_once(&n, memory, &word), computed));
    CHECK(word != MARK);
    native_free(memory);
    native_end(&n);
}

static void only_timed_child(void)
{
    native n;
    uint32_t word = 0;
    CHECK_OK(aclInit(NULL));
    native_begin(&n);
    void *memory = native_memory((size_t)COUNT * 4);
    (void)add_once(&n, memory, &word); /* from then on it is in L2 */
    const double timed = add_once(&n, memory, &word);
    CHECK_EQUAL(word, MARK);
    CHECK_OK(twinrt_set_kernel_data(TWINRT_KERNEL_DATA_ON));
    CHECK(close_to(add_once(&n, memory, &word), timed));
    CHECK(word != MARK);
    native_free(memory);
    native_end(&n);
    CHECK_OK(aclFinalize());
}

static void test_only_timed_by_setting(void)
{
    const char *settings[] = {"TWINRT_KERNEL_DATA=off", NULL};
    twin_run_child("only_timed", settings);
}

static const twin_test tests[] = {
    {"a batch begins when there are cores for all", test_batch},
    {"blocks that meet take the time of the slowest in each round", test_meetings},
    {"a kernel beside a copy", test_kernel_beside_copy},
    {"a kernel's work takes the time that the profile says", test_time_of_work},
    {"a second set of buffers overlaps work and copies", test_buffers_overlap},
    {"an empty kernel takes its four times", test_empty_kernel},
    {"instructions in a row take the published time", test_published},
    {"kernels that are only timed take the same time", test_only_timed},
    {"kernels that are only timed, by the setting", test_only_timed_by_setting},
    {"a kernel on registered memory goes over PCIe", test_registered_memory},
    {"kernels of two streams share the cores", test_streams_overlap},
    {"twice the blocks are two waves", test_waves},
};

static const twin_child children[] = {{"only_timed", only_timed_child}};

static const twin_suite suite = {.name = "native_time",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children),
                                 .initialise = true};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
