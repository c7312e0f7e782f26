/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of an arena that are kept and put back. */
#include "backends/sim/memory/saved_memory.h"

#include <stdlib.h>
#include <string.h>

#include "support/cunit_main.h"

#define MIB (1ull << 20)

bool sim_fence_passed(const struct sim_fence *fence)
{
    (void)fence;
    return true;
}

void sim_fence_free(struct sim_fence *fence)
{
    free((void *)fence);
}

void sim_owner_take(struct sim_owner *owner, const twin_allocation *allocation)
{
    *owner = (struct sim_owner){.module = allocation->module};
}

static struct sim_arena arena;
static struct sim_saved saved;

static void up(bool open, bool poison)
{
    const struct sim_arena_config config = {
        .capacity = 64 * MIB, .hint = 0x130000000000ull, .open = open, .poison = poison};
    CU_ASSERT_FATAL(sim_arena_init(&arena, &config) == TWIN_OK);
}

static void down(void)
{
    sim_saved_drop(&saved);
    sim_arena_fini(&arena);
}

static uint64_t take(uint64_t bytes)
{
    uint64_t address = 0;
    CU_ASSERT(sim_arena_alloc(&arena, &(twin_allocation){.bytes = bytes}, &address) == TWIN_OK);
    return address;
}

static void put(uint64_t address, uint8_t value, uint64_t bytes)
{
    memset(sim_arena_touch(&arena, address, bytes, true), value, bytes);
}

static bool all_are(uint64_t address, uint8_t value, uint64_t bytes)
{
    const uint8_t *data = sim_arena_touch(&arena, address, bytes, false);
    for (uint64_t i = 0; i < bytes; i++)
        if (data[i] != value)
            return false;
    return true;
}

static void keep_and_restore(bool open, bool poison)
{
    up(open, poison);
    const uint64_t small = take(100), large = take(4 * MIB), gone = take(100);
    put(small, 1, 100);
    put(large + SIM_PAGE, 2, SIM_PAGE);
    put(large + 3 * MIB, 3, 10);
    put(gone, 4, 100);
    CU_ASSERT(sim_saved_take(&saved, &arena) == TWIN_OK);

    put(small, 9, 100);
    put(large, 9, 4 * MIB);
    CU_ASSERT(sim_arena_free(&arena, gone, NULL) == TWIN_OK);
    const uint64_t later = take(100); /* in the place of the one that was freed */
    put(later, 9, 100);
    for (int times = 0; times < 2; times++) {
        sim_saved_restore(&saved, &arena);
        CU_ASSERT(all_are(small, 1, 100));
        CU_ASSERT(all_are(large + SIM_PAGE, 2, SIM_PAGE));
        CU_ASSERT(all_are(large + 3 * MIB, 3, 10));
        CU_ASSERT(all_are(large, poison ? SIM_POISON : 0, SIM_PAGE));
        CU_ASSERT(all_are(large + 2 * MIB, poison ? SIM_POISON : 0, MIB));
        CU_ASSERT(all_are(later, 9, 100));
        put(small, 7, 100);
        put(large, 7, 4 * MIB);
    }
    down();
}

static void test_restored(void)
{
    keep_and_restore(false, true);
    keep_and_restore(false, false);
}

static void test_restored_open(void)
{
    keep_and_restore(true, true);
    keep_and_restore(true, false);
}

static void test_last_one_counts(void)
{
    up(false, true);
    const uint64_t block = take(100);
    sim_saved_restore(&saved, &arena); /* nothing is kept yet */
    put(block, 1, 100);
    CU_ASSERT(sim_saved_take(&saved, &arena) == TWIN_OK);
    put(block, 2, 100);
    CU_ASSERT(sim_saved_take(&saved, &arena) == TWIN_OK);
    put(block, 3, 100);
    sim_saved_restore(&saved, &arena);
    CU_ASSERT(all_are(block, 2, 100));
    down();
}

static void test_many_blocks(void)
{
    enum { BLOCKS = 3000 };
    static uint64_t blocks[BLOCKS];
    up(false, true);
    for (unsigned i = 0; i < BLOCKS; i++) {
        blocks[i] = take(100);
        put(blocks[i], (uint8_t)i, 100);
    }
    CU_ASSERT(sim_saved_take(&saved, &arena) == TWIN_OK);
    for (unsigned i = 0; i < BLOCKS; i++)
        put(blocks[i], (uint8_t)~i, 100);
    sim_saved_restore(&saved, &arena);
    bool same = true;
    for (unsigned i = 0; i < BLOCKS; i++)
        same = same && all_are(blocks[i], (uint8_t)i, 100);
    CU_ASSERT(same);
    down();
}

static const twin_test tests[] = {
    {"contents come back, and pages without contents have none", test_restored},
    {"the same where the host may touch the memory", test_restored_open},
    {"the last backup counts", test_last_one_counts},
    {"as many blocks as there are", test_many_blocks},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim_saved_memory", tests, TWIN_COUNT(tests), argc, argv);
}
