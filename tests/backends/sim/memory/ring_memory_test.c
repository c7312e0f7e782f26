/* SPDX-License-Identifier: Apache-2.0 */
/* The place of rings, CQs and task states, and when a piece of them becomes a huge page. The test
 * replaces the kernel's part, and examines its calls. */
#include "backends/sim/memory/ring_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/cunit_main.h"

enum { QUEUES = 40, DEPTH = 2048, CQ_DEPTH = 1024, TASK_STATE = 24, ASKED = 64, COLLAPSE = 25 };

static struct {
    char *address;
    size_t bytes;
    int advice;
} asked[ASKED];
static unsigned asked_count;
static bool kernel_is_old;

/* ring_memory.c is compiled to call this instead of madvise. Calls for the whole range are not
 * counted. */
int test_madvise(void *address, size_t bytes, int advice)
{
    if (advice == MADV_DONTDUMP)
        return 0;
    CU_ASSERT_FATAL(asked_count < ASKED);
    asked[asked_count].address = address;
    asked[asked_count].bytes = bytes;
    asked[asked_count++].advice = advice;
    if (kernel_is_old && advice == COLLAPSE) {
        errno = EINVAL;
        return -1;
    }
    return 0;
}

static struct sim_rings rings;

static void up(void)
{
    const struct sim_rings_config config = {
        .queues = QUEUES, .sq_depth = DEPTH, .cq_depth = CQ_DEPTH, .task_state_bytes = TASK_STATE};
    asked_count = 0;
    kernel_is_old = false;
    CU_ASSERT_FATAL(sim_rings_init(&rings, &config));
}

static void test_slices_are_apart(void)
{
    up();
    for (uint32_t sq = 0; sq < QUEUES; sq++) {
        struct sim_slice slice = sim_rings_slice(&rings, sq);
        memset(slice.ring, (int)sq, DEPTH * sizeof(stars_sqe));
        memset(slice.cq, (int)sq + 1, CQ_DEPTH * sizeof(stars_cqe));
        memset(slice.task_states, (int)sq + 2, (size_t)DEPTH * TASK_STATE);
    }
    bool good = true;
    for (uint32_t sq = 0; sq < QUEUES; sq++) {
        struct sim_slice slice = sim_rings_slice(&rings, sq);
        const unsigned char *ring = (const void *)slice.ring;
        const unsigned char *cq = (const void *)slice.cq;
        const unsigned char *task_states = slice.task_states;
        good = good && ring[0] == sq && ring[DEPTH * sizeof(stars_sqe) - 1] == sq;
        good = good && cq[0] == sq + 1 && cq[CQ_DEPTH * sizeof(stars_cqe) - 1] == sq + 1;
        good = good && task_states[0] == sq + 2 &&
               task_states[(size_t)DEPTH * TASK_STATE - 1] == sq + 2;
        CU_ASSERT(sim_rings_contain(&rings, (uintptr_t)ring, DEPTH * sizeof(stars_sqe)));
        CU_ASSERT(sim_rings_contain(&rings, (uintptr_t)cq, CQ_DEPTH * sizeof(stars_cqe)));
    }
    CU_ASSERT(good);
    CU_ASSERT(!sim_rings_contain(&rings, (uintptr_t)rings.base - 1, 1));
    CU_ASSERT(!sim_rings_contain(&rings, (uintptr_t)rings.base + rings.bytes, 1));
    CU_ASSERT(!sim_rings_contain(&rings, (uintptr_t)rings.base + 1, rings.bytes));
    sim_rings_fini(&rings);
}

/* Entry n of neighbours must not meet in one set of a cache. */
static void test_neighbours_begin_at_other_lines(void)
{
    unsigned rings_at[4096 / 64] = {0};
    unsigned states_at[4096 / 64] = {0};
    up();
    for (uint32_t sq = 0; sq < QUEUES; sq++) {
        struct sim_slice slice = sim_rings_slice(&rings, sq);
        CU_ASSERT((uintptr_t)slice.ring % 64 == 0 && (uintptr_t)slice.task_states % 64 == 0);
        CU_ASSERT(++rings_at[(uintptr_t)slice.ring % 4096 / 64] == 1);
        CU_ASSERT(++states_at[(uintptr_t)slice.task_states % 4096 / 64] == 1);
    }
    sim_rings_fini(&rings);
}

static unsigned asked_about(const void *place)
{
    unsigned times = 0;
    for (unsigned i = 0; i < asked_count; i++)
        times += asked[i].address <= (const char *)place &&
                 (const char *)place < asked[i].address + asked[i].bytes;
    return times;
}

/* A piece in which half is used becomes a huge page, once; one of which less is used does not. */
static void test_half_a_piece_makes_it_huge(void)
{
    up();
    const unsigned whole = (unsigned)(SIM_RINGS_PIECE / 2 / (DEPTH * sizeof(stars_sqe)));
    for (uint32_t sq = 0; sq < whole; sq++)
        for (uint32_t from = 0; from < DEPTH; from += 64)
            if (sq + 1 < whole || from + 64 < DEPTH)
                sim_rings_use(&rings, sq, from, from + 64);
    CU_ASSERT(asked_count == 0); /* 64 entries are missing */
    sim_rings_use(&rings, whole - 1, DEPTH - 64, DEPTH);
    CU_ASSERT(asked_count == 1);
    CU_ASSERT(asked_about(sim_rings_slice(&rings, 0).ring) == 1);
    for (uint32_t sq = whole; sq < QUEUES; sq++)
        for (uint32_t from = 0; from < DEPTH; from += 64)
            sim_rings_use(&rings, sq, from, from + 64);
    CU_ASSERT(asked_about(sim_rings_slice(&rings, 0).ring) == 1);
    CU_ASSERT(asked_about(sim_rings_slice(&rings, QUEUES / 2).ring) == 1);
    for (unsigned i = 0; i < asked_count; i++) {
        CU_ASSERT(asked[i].advice == COLLAPSE);
        CU_ASSERT(asked[i].bytes == SIM_RINGS_PIECE);
        CU_ASSERT((uintptr_t)asked[i].address % SIM_RINGS_PIECE == 0);
    }
    sim_rings_fini(&rings);
}

/* One stream alone stays in small pages, however much it does. */
static void test_one_queue_stays_small(void)
{
    up();
    for (uint32_t from = 0; from < DEPTH; from += 64)
        sim_rings_use(&rings, 3, from, from + 64);
    CU_ASSERT(asked_count == 0);
    sim_rings_fini(&rings);
}

static void test_an_old_kernel_is_asked_to_do_it_later(void)
{
    up();
    kernel_is_old = true;
    for (uint32_t sq = 0; sq < QUEUES; sq++)
        sim_rings_use(&rings, sq, 0, DEPTH);
    CU_ASSERT(asked_count >= 2);
    for (unsigned i = 0; i + 1 < asked_count; i += 2) {
        CU_ASSERT(asked[i].advice == COLLAPSE);
        CU_ASSERT(asked[i + 1].advice == MADV_HUGEPAGE);
        CU_ASSERT(asked[i + 1].address == asked[i].address);
    }
    sim_rings_fini(&rings);
}

static void test_what_cannot_be_reserved_leaves_nothing(void)
{
    const struct sim_rings_config config = {
        .queues = UINT32_MAX, .sq_depth = 1u << 16, .cq_depth = 8, .task_state_bytes = TASK_STATE};
    CU_ASSERT(!sim_rings_init(&rings, &config));
    CU_ASSERT_PTR_NULL(rings.base);
    sim_rings_fini(&rings);
    sim_rings_fini(&rings);
}

static const twin_test tests[] = {
    {"no two slices overlap, and the range holds them", test_slices_are_apart},
    {"neighbours begin at different lines of their pages", test_neighbours_begin_at_other_lines},
    {"a piece becomes a huge page when half of it is in use, once",
     test_half_a_piece_makes_it_huge},
    {"a queue alone stays in small pages", test_one_queue_stays_small},
    {"a kernel that cannot do it at once is asked to do it later",
     test_an_old_kernel_is_asked_to_do_it_later},
    {"rings that cannot be reserved leave no reservation",
     test_what_cannot_be_reserved_leaves_nothing},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim_ring_memory", tests, TWIN_COUNT(tests), argc, argv);
}
