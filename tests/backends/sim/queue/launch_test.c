/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels through the seam: what is launched is run, timed, described when it begins, and given
 * back once. */
#include "seam.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static twin_hw_device *device;

/* A kernel and what happened to it. Counters are written by the driving thread while others wait
 * for it. */
struct subject {
    twin_launch kernel; /* first: the calls get its address */
    twin_launch_work work;
    twin_steps list;
    twin_step steps[4];
    twin_status answer; /* of describe */
    twin_status effect;
    uint64_t target; /* the effect stores 42 there */
    unsigned described, effects, kept, released;
    void (*inside)(struct subject *subject);
};

static void keep(twin_launch *kernel)
{
    ((struct subject *)kernel)->kept++;
}

static void release(twin_launch *kernel)
{
    ((struct subject *)kernel)->released++;
}

static twin_status describe(twin_launch *kernel, const twin_reach *reach, twin_launch_work *out)
{
    struct subject *subject = (struct subject *)kernel;
    subject->described++;
    if (subject->inside)
        subject->inside(subject);
    if (subject->target != 0) {
        CU_ASSERT(reach->at(reach, subject->target, 4, false) != NULL);
        CU_ASSERT(reach->at(reach, 64, 4, false) == NULL);
    }
    *out = subject->work;
    return subject->answer;
}

static twin_status effect(twin_launch *kernel, const twin_reach *reach)
{
    struct subject *subject = (struct subject *)kernel;
    subject->effects++;
    if (subject->target != 0) {
        uint32_t *word = reach->at(reach, subject->target, sizeof(*word), true);
        if (!word)
            return TWIN_E_ADDRESS;
        *word = 42;
    }
    return subject->effect;
}

/* One vector block of that many cycles; `known`: its work is given at launch. */
static void make(struct subject *subject, uint64_t cycles, bool known)
{
    memset(subject, 0, sizeof(*subject));
    subject->steps[0] =
        (twin_step){.pipe = TWIN_PIPE_VECTOR, .kind = TWIN_STEP_WORK, .amount = cycles};
    subject->list = (twin_steps){.steps = subject->steps, .count = 1};
    subject->work = (twin_launch_work){.lists = &subject->list, .count = 1};
    subject->kernel = (twin_launch){.name = "subject",
                                    .cores = TWIN_CORES_VECTOR,
                                    .blocks = 1,
                                    .weight = 1,
                                    .timeout_ns = TWIN_FOREVER,
                                    .work = known ? &subject->work : NULL,
                                    .describe = describe,
                                    .effect = effect,
                                    .keep = keep,
                                    .release = release};
}

/* The kernel waits for a flag that is never set. */
static void make_hang(struct subject *subject)
{
    make(subject, 0, true);
    subject->steps[0] = (twin_step){.pipe = TWIN_PIPE_VECTOR, .kind = TWIN_STEP_WAIT};
}

static const char *fact_value;
static char fact_text[64];
static void find_fact(void *context, const twin_fact *fact)
{
    if (strcmp(fact->name, context) != 0)
        return;
    snprintf(fact_text, sizeof(fact_text), "%s", fact->value);
    fact_value = fact_text;
}

static uint64_t parameter(const char *name)
{
    union {
        const char *text;
        void *context;
    } wanted = {.text = name};
    unsigned long long value = 0;
    fact_value = NULL;
    seam->diag.facts(find_fact, wanted.context);
    CU_ASSERT_FATAL(fact_value != NULL);
    CU_ASSERT(sscanf(fact_value, "%llu", &value) == 1);
    return value;
}

/* 19 to 30 us for launching a tiny kernel and waiting for it on a 910B3 (ascend-rs.org, appendix
 * F), with the host costs of the profile. */
static void test_launch_and_wait(void)
{
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    struct subject subject;
    make(&subject, 100, true);
    uint64_t before = seam->host.now();
    seam_call(TWIN_COST_SUBMIT);
    SEAM_OK(seam->work.launch(queue, &subject.kernel));
    seam_call(TWIN_COST_WAIT);
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    uint64_t passed = seam->host.now() - before;
    CU_ASSERT(passed >= 19000 && passed <= 30000);
    CU_ASSERT(subject.effects == 1 && subject.described == 0);
    CU_ASSERT(subject.released == 1); /* after a wait its arguments may be released */
    seam->queue.destroy(queue);
    CU_ASSERT(subject.released == 1);
    seam_down(device);
}

static void test_described(void)
{
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    uint64_t cell = 0;
    uint32_t seen = 0;
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = 4096}, &cell));
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = cell, .bytes = 4096, .value = 0}));
    struct subject subject;
    make(&subject, 18000, false);
    subject.target = cell;
    SEAM_OK(seam->work.launch(queue, &subject.kernel));
    CU_ASSERT(subject.described == 0); /* it has not begun */
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT(subject.described == 1 && subject.effects == 1);
    twin_copy copy = {.dst = (uintptr_t)&seen, .src = cell, .bytes = sizeof(seen)};
    SEAM_OK(seam->memory.copy(device, &copy));
    CU_ASSERT(seen == 42);
    seam->queue.destroy(queue);
    CU_ASSERT(subject.released == 1);
    SEAM_OK(seam->memory.free(cell));
    seam_down(device);
}

/* The time between two records follows from the parameters of the profile. */
static void test_time(void)
{
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    twin_signal *begin = seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 1);
    twin_signal *end = seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 2);
    uint64_t at[2];
    struct subject subject;
    make(&subject, 1800 * 100, true); /* 100 us */
    SEAM_OK(seam->work.record(queue, begin));
    SEAM_OK(seam->work.launch(queue, &subject.kernel));
    SEAM_OK(seam->work.record(queue, end));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    SEAM_OK(seam->signal.timestamp(begin, &at[0]));
    SEAM_OK(seam->signal.timestamp(end, &at[1]));
    uint64_t kernel = 100000 + parameter("aicore.dispatch_ns") + parameter("aicore.core_init_ns") +
                      parameter("aicore.software_init_ns") + parameter("aicore.report_ns");
    uint64_t around = 2 * (parameter("sqe.decode_ns") + parameter("sqe.retire_ns")) +
                      parameter("table.event_ns") + parameter("cq.write_ns");
    uint64_t tick = 1000 / parameter("counter_mhz");
    CU_ASSERT(at[1] - at[0] + tick > kernel + around && at[1] - at[0] < kernel + around + tick);
    seam->signal.destroy(begin);
    seam->signal.destroy(end);
    seam->queue.destroy(queue);
    seam_down(device);
}

/* Kernels of two queues overlap while there are cores. */
static void test_overlap(void)
{
    device = seam_up();
    struct subject subjects[2];
    twin_queue *queues[2];
    uint64_t before = seam->host.now();
    for (uint32_t i = 0; i < 2; i++) {
        queues[i] = seam_queue(device, i + 1);
        make(&subjects[i], 1800 * 1000, true); /* 1 ms */
        SEAM_OK(seam->work.launch(queues[i], &subjects[i].kernel));
    }
    for (uint32_t i = 0; i < 2; i++)
        SEAM_OK(seam->queue.drain(queues[i], TWIN_FOREVER));
    CU_ASSERT(seam->host.now() - before < 1100000);
    for (uint32_t i = 0; i < 2; i++)
        seam->queue.destroy(queues[i]);
    seam_down(device);
}

static void test_refused(void)
{
    device = seam_up();
    const twin_device_properties *properties;
    SEAM_OK(seam->process.describe(0, &properties));
    twin_queue *queue = seam_queue(device, 1);
    struct subject subject;
    make(&subject, 1, true);
    subject.kernel.blocks = 0;
    SEAM_STATUS(seam->work.launch(queue, &subject.kernel), TWIN_E_INVALID);
    subject.kernel.blocks = 65536;
    SEAM_STATUS(seam->work.launch(queue, &subject.kernel), TWIN_E_INVALID);
    CU_ASSERT(seam_explained("65536 blocks"));
    subject.kernel.blocks = properties->aiv_cores + 1;
    subject.kernel.batch = true;
    SEAM_STATUS(seam->work.launch(queue, &subject.kernel), TWIN_E_INVALID);
    CU_ASSERT(seam_explained("at once"));
    subject.kernel.blocks = properties->aiv_cores;
    SEAM_OK(seam->work.launch(queue, &subject.kernel));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    seam->queue.destroy(queue);
    CU_ASSERT(subject.released == 1);
    seam_down(device);
}

static twin_status on_vector_cores(twin_status status)
{
    return status == TWIN_E_KERNEL_EXCEPTION ? TWIN_E_VECTOR_EXCEPTION
           : status == TWIN_E_KERNEL_TRAP    ? TWIN_E_VECTOR_TRAP
           : status == TWIN_E_KERNEL_TIMEOUT ? TWIN_E_VECTOR_TIMEOUT
                                             : status;
}

static void test_failures(void)
{
    static const struct {
        twin_status describe, effect, drain;
    } cases[] = {
        {TWIN_E_KERNEL_EXCEPTION, TWIN_OK, TWIN_E_KERNEL_EXCEPTION},
        {TWIN_E_KERNEL_TRAP, TWIN_OK, TWIN_E_KERNEL_TRAP},
        {TWIN_E_ADDRESS, TWIN_OK, TWIN_E_KERNEL_EXCEPTION},
        {TWIN_E_KERNEL_TIMEOUT, TWIN_OK, TWIN_E_KERNEL_TIMEOUT},
        {TWIN_E_VECTOR_TRAP, TWIN_OK, TWIN_E_KERNEL_TRAP},
        {TWIN_OK, TWIN_E_KERNEL_EXCEPTION, TWIN_E_KERNEL_EXCEPTION},
        {TWIN_OK, TWIN_E_KERNEL_TRAP, TWIN_E_KERNEL_TRAP},
        {TWIN_E_UNSUPPORTED, TWIN_OK, TWIN_E_TASK},
    };
    static const twin_launch_cores cores[] = {TWIN_CORES_VECTOR, TWIN_CORES_CUBE};
    device = seam_up();
    for (unsigned k = 0; k < 2 * TWIN_COUNT(cases); k++) {
        const unsigned i = k / 2;
        const twin_status expected =
            cores[k % 2] == TWIN_CORES_VECTOR ? on_vector_cores(cases[i].drain) : cases[i].drain;
        twin_queue *queue = seam_queue(device, 1);
        struct subject subject;
        struct subject next;
        make(&subject, 100, false);
        make(&next, 100, true);
        subject.answer = cases[i].describe;
        subject.effect = cases[i].effect;
        subject.kernel.cores = cores[k % 2];
        SEAM_OK(seam->work.launch(queue, &subject.kernel));
        SEAM_OK(seam->work.launch(queue, &next.kernel));
        SEAM_STATUS(seam->queue.drain(queue, TWIN_FOREVER), expected);
        twin_failure failure;
        SEAM_OK(seam->queue.take_failure(queue, &failure));
        CU_ASSERT(failure.status == expected);
        CU_ASSERT(failure.kernel == &subject.kernel);
        CU_ASSERT(subject.kept == 1 && subject.released <= 1);
        failure.kernel->release(failure.kernel);
        CU_ASSERT(seam_logged("kernel \"subject\""));
        CU_ASSERT(next.effects == 1); /* the tasks after it go on */
        seam->queue.destroy(queue);
        CU_ASSERT(subject.released == 2 && next.released == 1);
    }
    seam_down(device);
}

/* Failures that are not taken release their kernels: when there are too many, with an abort, and
 * with the queue. */
static void test_failures_not_taken(void)
{
    enum { NOTES = 1024, MANY = NOTES + 6 };
    static struct subject subjects[MANY];
    device = seam_up();
    for (unsigned round = 0; round < 2; round++) {
        twin_queue *queue = seam_queue(device, 1);
        for (unsigned i = 0; i < MANY; i++) {
            make(&subjects[i], 1, false);
            subjects[i].answer = TWIN_E_KERNEL_TRAP;
            SEAM_OK(seam->work.launch(queue, &subjects[i].kernel));
            SEAM_STATUS(seam->queue.drain(queue, TWIN_FOREVER), TWIN_E_VECTOR_TRAP);
        }
        unsigned kept = 0;
        for (unsigned i = 0; i < MANY; i++)
            kept += subjects[i].kept == 1 && subjects[i].released < 2;
        CU_ASSERT(kept == NOTES);
        twin_failure failure;
        if (round == 0) {
            SEAM_OK(seam->queue.abort(queue));
            SEAM_STATUS(seam->queue.take_failure(queue, &failure), TWIN_E_NOT_READY);
        } else {
            seam->queue.destroy(queue);
        }
        for (unsigned i = 0; i < MANY; i++)
            CU_ASSERT(subjects[i].kept == 1 && subjects[i].released == 2);
        if (round == 0)
            seam->queue.destroy(queue);
    }
    seam_down(device);
}

/* A kernel that hangs ends at its time limit, rounded up to the device's unit; one without a limit
 * is a deadlock. */
static void test_hang(void)
{
    device = seam_up();
    const twin_device_properties *properties;
    SEAM_OK(seam->process.describe(0, &properties));
    twin_queue *queue = seam_queue(device, 1);
    struct subject limited;
    struct subject endless;
    make_hang(&limited);
    limited.kernel.timeout_ns = properties->op_unit_ns + 1;
    uint64_t before = seam->host.now();
    SEAM_OK(seam->work.launch(queue, &limited.kernel));
    SEAM_STATUS(seam->queue.drain(queue, TWIN_FOREVER), TWIN_E_VECTOR_TIMEOUT);
    uint64_t passed = seam->host.now() - before;
    CU_ASSERT(passed >= 2 * properties->op_unit_ns &&
              passed < 2 * properties->op_unit_ns + SEAM_MS);
    make_hang(&endless);
    SEAM_OK(seam->work.launch(queue, &endless.kernel));
    SEAM_STATUS(seam->queue.drain(queue, TWIN_FOREVER), TWIN_E_DEADLOCK);
    CU_ASSERT(seam_explained("running a kernel") || seam_logged("running a kernel"));
    SEAM_OK(seam->queue.abort(queue));
    CU_ASSERT(endless.released == 1 && endless.effects == 0);
    seam->queue.destroy(queue);
    seam_down(device);
}

/* ---- while a thread describes a kernel, others go on ---------------------------------------- */

static sem_t inside, outside;
static twin_queue *other_queue;

static void let_other_in(struct subject *subject)
{
    (void)subject;
    sem_post(&inside);
    sem_wait(&outside);
}

static void let_other_poll(struct subject *subject)
{
    (void)subject;
    sem_post(&inside);
}

static void *aborter(void *argument)
{
    seam->host.attach();
    sem_wait(&inside);
    SEAM_OK(seam->queue.abort(argument));
    sem_post(&outside);
    seam->host.detach();
    return NULL;
}

static void test_aborted_while_described(void)
{
    device = seam_up();
    sem_init(&inside, 0, 0);
    sem_init(&outside, 0, 0);
    twin_queue *queue = seam_queue(device, 1);
    struct subject subject;
    struct subject next;
    make(&subject, 100, false);
    make(&next, 100, false);
    subject.inside = let_other_in;
    pthread_t thread;
    CU_ASSERT_FATAL(pthread_create(&thread, NULL, aborter, queue) == 0);
    SEAM_OK(seam->work.launch(queue, &subject.kernel));
    SEAM_STATUS(seam->queue.drain(queue, TWIN_FOREVER), TWIN_E_ABORTED);
    pthread_join(thread, NULL);
    CU_ASSERT(subject.described == 1 && subject.effects == 0 && subject.released == 1);
    SEAM_OK(seam->work.launch(queue, &next.kernel));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT(next.effects == 1);
    seam->queue.destroy(queue);
    CU_ASSERT(next.released == 1);
    sem_destroy(&inside);
    sem_destroy(&outside);
    seam_down(device);
}

/* Page-locked memory that a kernel has found; freed by another thread, which has aborted the
 * kernel's queue. */
static char *pinned;
static void *pinned_next;

static twin_status describe_pinned(twin_launch *kernel, const twin_reach *reach,
                                   twin_launch_work *out)
{
    struct subject *subject = (struct subject *)kernel;
    const volatile char *at = reach->at(reach, (uint64_t)(uintptr_t)pinned, 4096, false);
    subject->described++;
    CU_ASSERT_FATAL(at != NULL);
    let_other_in(subject);
    CU_ASSERT(at[0] == 7 && at[4095] == 8);
    *out = subject->work;
    return TWIN_OK;
}

static void *freer(void *argument)
{
    seam->host.attach();
    sem_wait(&inside);
    SEAM_OK(seam->queue.abort(argument));
    SEAM_OK(seam->memory.host_free(pinned));
    SEAM_OK(seam->memory.host_alloc(&(twin_allocation){.bytes = 4096}, &pinned_next));
    memset(pinned_next, 1, 4096);
    sem_post(&outside);
    seam->host.detach();
    return NULL;
}

static void test_freed_while_described(void)
{
    void *memory = NULL;
    pthread_t thread;
    struct subject subject;
    device = seam_up();
    sem_init(&inside, 0, 0);
    sem_init(&outside, 0, 0);
    twin_queue *queue = seam_queue(device, 1);
    SEAM_OK(seam->memory.host_alloc(&(twin_allocation){.bytes = 4096}, &memory));
    pinned = memory;
    pinned[0] = 7;
    pinned[4095] = 8;
    make(&subject, 100, false);
    subject.kernel.describe = describe_pinned;
    CU_ASSERT_FATAL(pthread_create(&thread, NULL, freer, queue) == 0);
    SEAM_OK(seam->work.launch(queue, &subject.kernel));
    SEAM_STATUS(seam->queue.drain(queue, TWIN_FOREVER), TWIN_E_ABORTED);
    pthread_join(thread, NULL);
    CU_ASSERT(subject.described == 1 && subject.effects == 0);
    CU_ASSERT(pinned_next != memory);
    SEAM_OK(seam->memory.host_free(pinned_next));
    SEAM_OK(seam->memory.host_alloc(&(twin_allocation){.bytes = 4096},
                                    &memory)); /* the kernel is over: its place is free again */
    CU_ASSERT(memory == pinned);
    SEAM_OK(seam->memory.host_free(memory));
    seam->queue.destroy(queue);
    sem_destroy(&inside);
    sem_destroy(&outside);
    seam_down(device);
}

static void *poller(void *argument)
{
    (void)argument;
    seam->host.attach();
    sem_wait(&inside);
    bool idle = false;
    while (!idle)
        SEAM_OK(seam->queue.query(other_queue, &idle));
    seam->host.detach();
    return NULL;
}

static void test_polled_while_described(void)
{
    device = seam_up();
    sem_init(&inside, 0, 0);
    twin_queue *queue = seam_queue(device, 1);
    other_queue = seam_queue(device, 2);
    uint64_t cell = 0;
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = 4096}, &cell));
    for (unsigned i = 0; i < 20; i++) {
        struct subject subject;
        make(&subject, 100, false);
        subject.inside = let_other_poll;
        subject.target = cell;
        pthread_t thread;
        CU_ASSERT_FATAL(pthread_create(&thread, NULL, poller, NULL) == 0);
        SEAM_OK(seam->work.launch(queue, &subject.kernel));
        SEAM_OK(seam->work.fill(other_queue, &(twin_fill){.dst = cell, .bytes = 64, .value = 1}));
        SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
        pthread_join(thread, NULL);
        CU_ASSERT(subject.effects == 1);
        SEAM_OK(seam->queue.abort(queue)); /* gives tokens back */
        CU_ASSERT(subject.released == 1);
    }
    seam->queue.destroy(queue);
    seam->queue.destroy(other_queue);
    SEAM_OK(seam->memory.free(cell));
    sem_destroy(&inside);
    seam_down(device);
}

/* More kernels than a ring holds: the sender waits, each is released once. */
static void test_many(void)
{
    enum { KERNELS = 6000 };
    static struct subject subjects[KERNELS];
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    for (unsigned i = 0; i < KERNELS; i++) {
        make(&subjects[i], 10, i % 2 == 0);
        twin_status status = seam->work.launch(queue, &subjects[i].kernel);
        if (status == TWIN_E_BUSY) {
            SEAM_OK(seam->queue.room(queue));
            status = seam->work.launch(queue, &subjects[i].kernel);
        }
        SEAM_OK(status);
    }
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    seam->queue.destroy(queue);
    unsigned good = 0;
    for (unsigned i = 0; i < KERNELS; i++)
        good +=
            subjects[i].released == 1 && subjects[i].effects == 1 && subjects[i].described == i % 2;
    CU_ASSERT(good == KERNELS);
    seam_down(device);
}

static const twin_test tests[] = {
    {"launching and waiting for a tiny kernel takes 19 to 30 us", test_launch_and_wait},
    {"a kernel is described when it begins and has its effect when it ends", test_described},
    {"a kernel takes the time of the profile", test_time},
    {"kernels of two queues overlap", test_overlap},
    {"a kernel that the device cannot run is refused with the reason", test_refused},
    {"a kernel that fails says how", test_failures},
    {"failures that are not taken release their kernels", test_failures_not_taken},
    {"a kernel that hangs ends by its limit, or is a deadlock", test_hang},
    {"a queue is aborted while its kernel is described", test_aborted_while_described},
    {"memory that is freed while its kernel is described stays", test_freed_while_described},
    {"others poll while a kernel is described", test_polled_while_described},
    {"more kernels than a ring holds", test_many},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim_launch", tests, TWIN_COUNT(tests), argc, argv);
}
