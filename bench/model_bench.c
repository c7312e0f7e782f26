/* SPDX-License-Identifier: Apache-2.0 */
/* Model events that one task costs; P10: a device-to-device copy, by size. A count, so it is exact;
 * host time would mostly be the memcpy of the payload. Both windows are one small piece of memory
 * mapped again and again. */
#define _GNU_SOURCE
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "twinsim.h"
#include "twinsim/stars.h"

enum { DEPTH = 64, RING = 0x10000, COMPLETIONS = 0x20000, PIECE = 2 << 20 };
#define WINDOW ((uint64_t)1 << 30)
#define SOURCE ((uint64_t)1 << 40)
#define TARGET ((uint64_t)2 << 40)

static _Alignas(64) struct stars_sqe ring[DEPTH];
static _Alignas(16) struct stars_cqe completions[DEPTH];
static char *window;

static void *translate(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                       enum twinsim_access access, enum twinsim_target *out_target,
                       uint32_t *out_device)
{
    (void)context;
    (void)access;
    *out_device = device;
    *out_target = TWINSIM_TARGET_HBM;
    if (address >= RING && address + bytes <= RING + sizeof(ring))
        return (char *)ring + (address - RING);
    if (address >= SOURCE && address + bytes <= SOURCE + WINDOW)
        return window + (address - SOURCE);
    if (address >= TARGET && address + bytes <= TARGET + WINDOW)
        return window + (address - TARGET);
    *out_target = TWINSIM_TARGET_HOST;
    if (address >= COMPLETIONS && address + bytes <= COMPLETIONS + sizeof(completions))
        return (char *)completions + (address - COMPLETIONS);
    return NULL;
}

static int map_window(void)
{
    int memory = memfd_create("window", MFD_CLOEXEC);
    if (memory < 0 || ftruncate(memory, PIECE) != 0)
        return -1;
    window = mmap(NULL, WINDOW, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (window == MAP_FAILED)
        return -1;
    for (uint64_t at = 0; at < WINDOW; at += PIECE) {
        if (mmap(window + at, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0) ==
            MAP_FAILED)
            return -1;
    }
    return close(memory);
}

/* Model events from the doorbell of the SQE, which is in the ring, to its end. */
static double count_events(twinsim *sim, uint64_t number)
{
    twinsim_doorbell(sim, 0, 0, (uint32_t)(number % DEPTH), twinsim_now(sim));
    twinsim_queue_watch(sim, 0, 0, number);
    double events = 1;
    for (;;) {
        enum twinsim_stop stop = twinsim_run(sim, TWINSIM_NEVER, 1);
        if (stop == TWINSIM_STOP_WATCH)
            return events;
        bench_must(stop == TWINSIM_STOP_CHUNK ? 0 : (int)stop, "twinsim_run");
        events++;
    }
}

static struct stars_sqe *next_sqe(uint64_t number, uint32_t type)
{
    struct stars_sqe *sqe = &ring[(number - 1) % DEPTH];
    memset(sqe, 0, sizeof(*sqe));
    sqe->word[0] = type;
    sqe->word[1] = (uint32_t)number << STARS_W1_TASK_SHIFT;
    sqe->word[3] = STARS_CREDIT_NEVER << STARS_W3_CREDIT_SHIFT;
    return sqe;
}

static double record_events(twinsim *sim, uint64_t number)
{
    next_sqe(number, STARS_SQE_EVENT_RECORD)->word[2] = 7;
    return count_events(sim, number);
}

static double copy_events(twinsim *sim, uint64_t number, uint32_t operation, uint64_t bytes)
{
    struct stars_sqe *sqe = next_sqe(number, STARS_SQE_SDMA);
    sqe->word[4] = operation;
    sqe->word[7] = (uint32_t)bytes;
    sqe->word[9] = (uint32_t)(SOURCE >> 32);
    sqe->word[11] = (uint32_t)(TARGET >> 32);
    return count_events(sim, number);
}

int main(int argc, char **argv)
{
    char error[512] = "";
    twinsim_profile *profile;
    twinsim *sim;
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: model_bench PROFILE.json [FOLDER-OF-BASES]\n");
        return 2;
    }
    bench_must(map_window(), "map_window");
    if (twinsim_profile_read(argv[1], argc == 3 ? argv[2] : NULL, &profile, error, sizeof(error)) !=
        0) {
        fprintf(stderr, "model_bench: %s\n", error);
        return 2;
    }
    struct twinsim_config config = {.profile = profile,
                                    .devices = 1,
                                    .quantum_ns = TWINSIM_NEVER,
                                    .bus = {.translate = translate}};
    if (twinsim_create(&config, &sim, error, sizeof(error)) != 0) {
        fprintf(stderr, "model_bench: %s\n", error);
        return 2;
    }
    struct twinsim_queue queue = {
        .ring_address = RING, .cq_address = COMPLETIONS, .depth = DEPTH, .cq_depth = DEPTH};
    BENCH_MUST(twinsim_queue_open(sim, 0, 0, &queue));
    copy_events(sim, 1, STARS_SDMA_OP_COPY, 64);
    const struct {
        const char *name;
        double events;
    } rows[] = {{"events of a fill", copy_events(sim, 2, STARS_SDMA_OP_FILL, 64)},
                {"events of an event record", record_events(sim, 3)},
                {"events of a 1 MiB copy", copy_events(sim, 4, STARS_SDMA_OP_COPY, 1 << 20)},
                {"events of a 1 GiB copy", copy_events(sim, 5, STARS_SDMA_OP_COPY, WINDOW)}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        bench_print_value(rows[i].name, "1", BENCH_COUNT, rows[i].events);
    return 0;
}
