/* SPDX-License-Identifier: Apache-2.0 */
/* The same work gives the same trace, byte for byte: run twice, with any quantum, in any number of
 * chunks. A system exists once per process, so each run is a child process that sends its trace
 * through a pipe. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile_path.h"
#include "sqe.h"
#include "support/expect.h"
#include "twinsim.h"

#define QUEUES 40u
#define DEPTH  64u
#define TASKS  60u

typedef struct plan {
    uint64_t quantum_ns;
    uint32_t chunk;
    uint64_t seed;
} plan;

static uint8_t *memory; /* half of it HBM, half host */
#define HALF (8u << 20)
static stars_sqe rings[QUEUES][DEPTH];
static stars_cqe cqs[QUEUES][128];

/* Bus addresses do not depend on the host's addresses, so that nothing can differ between runs. */
static void *translate(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                       enum twinsim_access access, enum twinsim_target *out_target,
                       uint32_t *out_device)
{
    (void)context;
    (void)access;
    *out_device = device;
    *out_target = address < 0x10000000u + HALF ? TWINSIM_TARGET_HBM : TWINSIM_TARGET_HOST;
    if (address >= 0x10000000u && address + bytes <= 0x10000000u + 2ull * HALF)
        return memory + (address - 0x10000000u);
    if (address >= 0x30000000u && address + bytes <= 0x30000000u + sizeof(rings))
        return (uint8_t *)rings + (address - 0x30000000u);
    if (address >= 0x40000000u && address + bytes <= 0x40000000u + sizeof(cqs))
        return (uint8_t *)cqs + (address - 0x40000000u);
    return NULL;
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return *state >> 33;
}

/* Every kind of SQE; each wait has its record, so all of it ends. */
static stars_sqe random_task(uint64_t *state, uint32_t sq, uint32_t task)
{
    const uint64_t device = 0x10000000u + random_next(state) % (HALF / 2);
    const uint64_t host = 0x10000000u + HALF + random_next(state) % (HALF / 2);
    const uint32_t bytes = 1 + (uint32_t)(random_next(state) % 200000);
    switch (random_next(state) % 8) {
    case 0:
        return sqe_pcie_dma(device, host, bytes);
    case 1:
        return sqe_pcie_dma(host, device, bytes);
    case 2:
        return sqe_sdma(device, 0x10000000u + HALF / 2, bytes);
    case 3:
        return sq > 0 ? sqe_event_wait((sq - 1) * TASKS + task, 0) : sqe_placeholder();
    case 4:
        return sqe_with_cqe(sqe_placeholder());
    case 5:
        return sqe_sdma_fill(device, (uint8_t)task, bytes);
    case 6:
        return sqe_write_value(device, 3, task);
    default:
        return sqe_placeholder();
    }
}

static void child(const plan *how, int out)
{
    twinsim_profile *profile = NULL;
    twinsim *sim = NULL;
    memory = calloc(2, HALF);
    if (!memory ||
        twinsim_profile_read(shipped_profile_path(), NULL, &profile, NULL, 0) != TWINSIM_OK)
        _exit(2);
    const struct twinsim_config config = {.profile = profile,
                                          .devices = 1,
                                          .seed = how->seed,
                                          .trace = true,
                                          .quantum_ns = how->quantum_ns,
                                          .bus = {.translate = translate}};
    if (twinsim_create(&config, &sim, NULL, 0) != TWINSIM_OK)
        _exit(3);
    uint64_t state = 4711;
    for (uint32_t sq = 0; sq < QUEUES; ++sq) {
        const struct twinsim_queue queue = {.ring_address = 0x30000000u + sq * sizeof(rings[0]),
                                            .cq_address = 0x40000000u + sq * sizeof(cqs[0]),
                                            .depth = DEPTH,
                                            .cq_depth = 128,
                                            .stream_id = (uint16_t)sq,
                                            .priority = (uint8_t)(sq % 3)};
        if (twinsim_queue_open(sim, 0, sq, &queue) != TWINSIM_OK)
            _exit(4);
        for (uint32_t task = 0; task < TASKS; ++task) {
            stars_sqe sqe = task % 2 == 0 ? random_task(&state, sq, task + 1)
                                          : sqe_event_record(sq * TASKS + task);
            sqe.word[1] = sq | (task + 1) << STARS_W1_TASK_SHIFT;
            rings[sq][task] = sqe;
            twinsim_doorbell(sim, 0, sq, task + 1, random_next(&state) % 3 * 700 + task * 1500);
        }
    }
    uint32_t rounds = 0;
    while (twinsim_run(sim, TWINSIM_NEVER, how->chunk) != TWINSIM_STOP_IDLE)
        ++rounds;
    for (uint32_t sq = 0; sq < QUEUES; ++sq) {
        if (twinsim_queue_retired(sim, 0, sq) != TASKS)
            _exit(5);
    }
    size_t count = 0;
    const struct twinsim_trace_entry *trace = twinsim_trace(sim, &count);
    FILE *pipe = fdopen(out, "wb");
    const bool good = pipe && fwrite(trace, sizeof(*trace), count, pipe) == count &&
                      fwrite(memory, 1, 2 * HALF, pipe) == 2 * HALF && fclose(pipe) == 0;
    _exit(good ? 0 : 6);
}

typedef struct bytes {
    uint8_t *data;
    size_t count;
} bytes;

static bytes run(plan how)
{
    bytes all = {NULL, 0};
    int ends[2];
    if (pipe(ends) != 0)
        return all;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        child(&how, ends[1]);
    }
    close(ends[1]);
    size_t room = 0;
    for (;;) {
        if (all.count == room) {
            room = room == 0 ? 1 << 20 : room * 2;
            uint8_t *more = realloc(all.data, room);
            if (!more)
                break;
            all.data = more;
        }
        const ssize_t got = read(ends[0], all.data + all.count, room - all.count);
        if (got <= 0)
            break;
        all.count += (size_t)got;
    }
    close(ends[0]);
    int status = -1;
    waitpid(pid, &status, 0);
    TWIN_EXPECT_U64(status, 0);
    CU_ASSERT(all.count > 2 * HALF);
    return all;
}

static bool same(const bytes *a, const bytes *b)
{
    return a->count == b->count && a->data && b->data && memcmp(a->data, b->data, a->count) == 0;
}

static void compare(plan a, plan b, bool expected)
{
    bytes first = run(a);
    bytes second = run(b);
    CU_ASSERT(same(&first, &second) == expected);
    free(first.data);
    free(second.data);
}

static const plan plain = {TWINSIM_NEVER, UINT32_MAX, 0};

static void test_twice(void)
{
    compare(plain, plain, true);
}

static void test_quantum_zero(void)
{
    compare(plain, (plan){0, UINT32_MAX, 0}, true);
}

static void test_quantum_between(void)
{
    compare(plain, (plan){1000, UINT32_MAX, 0}, true);
}

static void test_chunks(void)
{
    compare(plain, (plan){TWINSIM_NEVER, 7, 0}, true);
    compare(plain, (plan){0, 1, 0}, true);
}

static void test_seeds(void)
{
    compare((plan){TWINSIM_NEVER, UINT32_MAX, 3}, (plan){0, 5, 3}, true);
    compare(plain, (plan){TWINSIM_NEVER, UINT32_MAX, 3}, false);
}

static const twin_test tests[] = {
    {"two runs give the same trace and memory", test_twice},
    {"quantum 0 and quantum never give the same trace", test_quantum_zero},
    {"a quantum of 1 us gives the same trace", test_quantum_between},
    {"chunks of any size give the same trace", test_chunks},
    {"the same seed gives the same trace, another seed another one", test_seeds},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim determinism", tests, TWIN_COUNT(tests), argc, argv);
}
