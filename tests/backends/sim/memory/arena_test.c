/* SPDX-License-Identifier: Apache-2.0 */
/* The arena and its extents alone: no model, no seam. */
#include "backends/sim/memory/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/cunit_main.h"

#define MIB (1ull << 20)

/* What the arena asks the driver: here the test says whether tasks are in flight. */
static bool fence_passes;

bool sim_fence_passed(const struct sim_fence *fence)
{
    (void)fence;
    return fence_passes;
}

void sim_fence_free(struct sim_fence *fence)
{
    free((void *)fence);
}

void sim_owner_take(struct sim_owner *owner, const twin_allocation *allocation)
{
    *owner = (struct sim_owner){.module = allocation->module};
}

static struct sim_fence *some_fence(void)
{
    return malloc(1);
}

static struct sim_arena arena;

static void up(bool host, bool poison)
{
    const struct sim_arena_config config = {.device = 3,
                                            .capacity = 64 * MIB,
                                            .hint = 0x130000000000ull,
                                            .host = host,
                                            .poison = poison};
    CU_ASSERT_FATAL(sim_arena_init(&arena, &config) == TWIN_OK);
}

static uint64_t take(uint64_t bytes, twin_page_policy pages)
{
    uint64_t address = 0;
    CU_ASSERT(sim_arena_alloc(&arena, &(twin_allocation){.bytes = bytes, .pages = pages},
                              &address) == TWIN_OK);
    return address;
}

static void test_extents_join(void)
{
    struct sim_span span;
    uint32_t at[4];
    CU_ASSERT_FATAL(sim_span_init(&span, 1000));
    for (unsigned i = 0; i < 4; i++) {
        CU_ASSERT(sim_span_take(&span, 250, 1, &at[i]));
        CU_ASSERT(at[i] == i * 250);
    }
    uint32_t none;
    CU_ASSERT(!sim_span_take(&span, 1, 1, &none));
    sim_span_release(&span, at[0], 250);
    sim_span_release(&span, at[2], 250);
    CU_ASSERT(!sim_span_take(&span, 251, 1, &none));
    sim_span_release(&span, at[1], 250);
    CU_ASSERT(sim_span_take(&span, 750, 1, &none) && none == 0);
    sim_span_release(&span, 0, 750);
    sim_span_release(&span, at[3], 250);
    CU_ASSERT(span.free_units == 1000);
    CU_ASSERT(sim_span_take(&span, 1000, 1, &none));
    sim_span_fini(&span);
}

static void test_best_fit(void)
{
    struct sim_span span;
    uint32_t at;
    CU_ASSERT_FATAL(sim_span_init(&span, 1000));
    CU_ASSERT(sim_span_take(&span, 1000, 1, &at));
    sim_span_release(&span, 100, 60);
    sim_span_release(&span, 300, 40);
    sim_span_release(&span, 500, 40);
    CU_ASSERT(sim_span_take(&span, 35, 1, &at) && at == 300);
    CU_ASSERT(sim_span_take(&span, 35, 1, &at) && at == 500);
    CU_ASSERT(sim_span_take(&span, 16, 64, &at) && at == 128);
    CU_ASSERT(sim_span_take(&span, 28, 1, &at) && at == 100);
    sim_span_fini(&span);
}

/* Random takes and gives compared with a plain map of owners. */
static void test_extents_at_random(void)
{
    enum { UNITS = 4096, HELD = 64 };
    static unsigned char owner[UNITS];
    struct sim_span span;
    uint32_t start[HELD] = {0};
    uint32_t count[HELD] = {0};
    uint32_t random = 12345;
    CU_ASSERT_FATAL(sim_span_init(&span, UNITS));
    memset(owner, 0, sizeof(owner));
    bool good = true;
    for (unsigned step = 0; step < 20000 && good; step++) {
        random = random * 1664525u + 1013904223u;
        unsigned which = random >> 16 & (HELD - 1);
        if (count[which] != 0) {
            for (uint32_t i = 0; i < count[which]; i++)
                good = good && owner[start[which] + i] == which + 1;
            memset(owner + start[which], 0, count[which]);
            sim_span_release(&span, start[which], count[which]);
            count[which] = 0;
        } else {
            uint32_t wanted = 1 + (random >> 8) % 100;
            uint32_t align = 1u << (random >> 28 & 3);
            if (!sim_span_take(&span, wanted, align, &start[which]))
                continue;
            good = good && start[which] % align == 0 && start[which] + wanted <= UNITS;
            for (uint32_t i = 0; i < wanted && good; i++)
                good = owner[start[which] + i] == 0;
            memset(owner + start[which], (int)which + 1, wanted);
            count[which] = wanted;
        }
    }
    CU_ASSERT(good);
    sim_span_fini(&span);
}

/* Whether the address finds a block with that base, size and page size. */
static bool finds(uint64_t address, uint64_t base, uint64_t bytes, uint32_t page_bytes)
{
    const struct sim_block *block = sim_arena_find(&arena, address);
    return block && block->base == base && block->bytes == bytes && block->page_bytes == page_bytes;
}

static void test_lookup(void)
{
    up(false, true);
    uint64_t small = take(100, TWIN_PAGES_DEFAULT);
    uint64_t large = take(3 * MIB, TWIN_PAGES_DEFAULT);
    CU_ASSERT(finds(small + 99, small, 100, SIM_PAGE));
    CU_ASSERT(finds(large + 3 * MIB - 1, large, 3 * MIB, SIM_HUGE_PAGE));
    CU_ASSERT(large % SIM_HUGE_PAGE == 0);
    CU_ASSERT(small % 512 == 0);
    CU_ASSERT(!sim_arena_find(&arena, small + SIM_PAGE));
    CU_ASSERT(!sim_arena_find(&arena, large + 4 * MIB));
    CU_ASSERT(!sim_arena_find(&arena, arena.base - 1));
    CU_ASSERT(sim_arena_free(&arena, small + 1, NULL) == TWIN_E_INVALID);
    CU_ASSERT(sim_arena_free(&arena, small, NULL) == TWIN_OK);
    CU_ASSERT(!sim_arena_find(&arena, small));
    CU_ASSERT(sim_arena_free(&arena, small, NULL) == TWIN_E_INVALID);
    CU_ASSERT(sim_arena_free(&arena, large, NULL) == TWIN_OK);
    CU_ASSERT(!sim_arena_find(&arena, large));
    sim_arena_fini(&arena);
}

static void test_capacity(void)
{
    up(false, true);
    uint64_t blocks[64];
    unsigned count = 0;
    uint64_t left;
    uint64_t total;
    while (count < 64 &&
           sim_arena_alloc(&arena, &(twin_allocation){.bytes = 2 * MIB}, &blocks[count]) == TWIN_OK)
        count++;
    CU_ASSERT(count == 32);
    uint64_t none;
    CU_ASSERT(sim_arena_alloc(&arena, &(twin_allocation){.bytes = 1}, &none) ==
              TWIN_E_DEVICE_MEMORY);
    sim_arena_space(&arena, 0, &left, &total);
    CU_ASSERT(left == 0 && total == 64 * MIB);
    CU_ASSERT(sim_arena_free(&arena, blocks[7], NULL) == TWIN_OK);
    CU_ASSERT(sim_arena_alloc(&arena, &(twin_allocation){.bytes = 2 * MIB + 1}, &none) ==
              TWIN_E_DEVICE_MEMORY);
    CU_ASSERT(take(2 * MIB, TWIN_PAGES_DEFAULT) == blocks[7]);
    CU_ASSERT(sim_arena_alloc(&arena, &(twin_allocation){.bytes = UINT64_MAX}, &none) ==
              TWIN_E_DEVICE_MEMORY);
    sim_arena_fini(&arena);
}

static void test_page_classes(void)
{
    up(false, true);
    uint64_t left[3];
    uint64_t total[3];
    take(4096, TWIN_PAGES_DEFAULT);
    take(2 * MIB, TWIN_PAGES_DEFAULT);
    for (uint32_t class = 0; class < 3; class ++)
        sim_arena_space(&arena, class, &left[class], &total[class]);
    CU_ASSERT(left[0] == left[1] + left[2]);
    CU_ASSERT(total[0] == total[1] + total[2]);
    CU_ASSERT(left[0] == 62 * MIB - 4096);
    CU_ASSERT(left[2] == 2 * MIB - 4096);
    sim_arena_fini(&arena);
}

static bool all(const unsigned char *bytes, size_t count, unsigned char value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

static void test_poison(void)
{
    up(false, true);
    uint64_t address = take(256 << 10, TWIN_PAGES_DEFAULT);
    unsigned char *view = sim_arena_touch(&arena, address, 256 << 10, false);
    CU_ASSERT(all(view, 256 << 10, SIM_POISON));
    memset(view, 7, 256 << 10);
    CU_ASSERT(sim_arena_touch(&arena, address + 10, 100, false) == view + 10);
    CU_ASSERT(all(view, 256 << 10, 7));
    CU_ASSERT(sim_arena_free(&arena, address, NULL) == TWIN_OK);

    CU_ASSERT(take(256 << 10, TWIN_PAGES_DEFAULT) == address);
    CU_ASSERT(sim_arena_touch(&arena, address + 4096, 8192, true) == view + 4096);
    memset(view + 4096, 9, 8192);
    CU_ASSERT(sim_arena_touch(&arena, address, 16384, false) == view);
    CU_ASSERT(all(view, 4096, SIM_POISON));
    CU_ASSERT(all(view + 4096, 8192, 9));
    CU_ASSERT(all(view + 12288, 4096, SIM_POISON));
    CU_ASSERT(sim_arena_free(&arena, address, NULL) == TWIN_OK);

    uint64_t small = take(100, TWIN_PAGES_DEFAULT);
    unsigned char *at = sim_arena_touch(&arena, small, 100, true);
    memset(at, 1, 100);
    CU_ASSERT(at[100] == SIM_POISON);
    CU_ASSERT(sim_arena_free(&arena, small, NULL) == TWIN_OK);
    CU_ASSERT(take(100, TWIN_PAGES_DEFAULT) == small);
    CU_ASSERT(all(sim_arena_touch(&arena, small, 100, false), 100, SIM_POISON));
    sim_arena_fini(&arena);
}

static void test_no_poison(void)
{
    up(false, false);
    uint64_t address = take(1 * MIB, TWIN_PAGES_DEFAULT);
    CU_ASSERT(all(sim_arena_touch(&arena, address, 1 * MIB, false), 1 * MIB, 0));
    sim_arena_fini(&arena);
}

static void test_quarantine(void)
{
    up(false, true);
    uint64_t left;
    uint64_t total;
    uint64_t first = take(32 * MIB, TWIN_PAGES_DEFAULT);
    unsigned char *view = sim_arena_touch(&arena, first, 4096, false);
    view[0] = 1;
    fence_passes = false;
    CU_ASSERT(sim_arena_free(&arena, first, some_fence()) == TWIN_OK);
    sim_arena_space(&arena, 0, &left, &total);
    CU_ASSERT(left == total);
    struct sim_block *block = sim_arena_find(&arena, first);
    CU_ASSERT(block && atomic_load(&block->state) == SIM_BLOCK_FREED);
    CU_ASSERT(view[0] == 1);
    CU_ASSERT(sim_arena_free(&arena, first, NULL) == TWIN_E_INVALID);
    /* The whole capacity is there at once, elsewhere. */
    uint64_t second = take(64 * MIB, TWIN_PAGES_DEFAULT);
    CU_ASSERT(second >= first + 32 * MIB);
    fence_passes = true;
    sim_arena_settle(&arena);
    CU_ASSERT(!sim_arena_find(&arena, first));
    CU_ASSERT(sim_arena_free(&arena, second, NULL) == TWIN_OK);
    CU_ASSERT(take(64 * MIB, TWIN_PAGES_DEFAULT) == first);
    sim_arena_fini(&arena);
}

static bool held;
static bool is_held(void)
{
    return held;
}

static void test_held(void)
{
    up(false, true);
    arena.config.held = is_held;
    uint64_t first = take(4096, TWIN_PAGES_DEFAULT);
    unsigned char *view = sim_arena_touch(&arena, first, 4096, false);
    view[0] = 1;
    held = true;
    CU_ASSERT(sim_arena_free(&arena, first, NULL) == TWIN_OK);
    struct sim_block *block = sim_arena_find(&arena, first);
    CU_ASSERT(block && atomic_load(&block->state) == SIM_BLOCK_FREED);
    sim_arena_settle(&arena);
    CU_ASSERT(view[0] == 1 && sim_arena_find(&arena, first) == block);
    CU_ASSERT(take(4096, TWIN_PAGES_DEFAULT) != first);
    held = false;
    sim_arena_settle(&arena);
    CU_ASSERT(!sim_arena_find(&arena, first));
    CU_ASSERT(take(4096, TWIN_PAGES_DEFAULT) == first);
    sim_arena_fini(&arena);
}

static void test_clear(void)
{
    up(false, true);
    fence_passes = false;
    uint64_t first = take(1 * MIB, TWIN_PAGES_DEFAULT);
    memset(sim_arena_touch(&arena, first, 4096, true), 5, 4096);
    CU_ASSERT(sim_arena_free(&arena, take(8 * MIB, TWIN_PAGES_DEFAULT), some_fence()) == TWIN_OK);
    sim_arena_clear(&arena);
    CU_ASSERT(!sim_arena_find(&arena, first));
    CU_ASSERT(take(1 * MIB, TWIN_PAGES_DEFAULT) == first);
    CU_ASSERT(all(sim_arena_touch(&arena, first, 4096, false), 4096, SIM_POISON));
    sim_arena_fini(&arena);
}

static void test_host(void)
{
    up(true, false);
    uint64_t first = take(5000, TWIN_PAGES_DEFAULT);
    uint64_t second = take(3 * MIB, TWIN_PAGES_DEFAULT);
    memset((void *)(uintptr_t)first, 1, 5000);
    memset((void *)(uintptr_t)second, 2, 3 * MIB);
    CU_ASSERT(sim_arena_touch(&arena, first, 10, false) == (void *)(uintptr_t)first);
    CU_ASSERT(sim_arena_free(&arena, first, NULL) == TWIN_OK);
    CU_ASSERT(all((void *)(uintptr_t)second, 3 * MIB, 2));
    CU_ASSERT(take(5000, TWIN_PAGES_DEFAULT) == first);
    CU_ASSERT(all((void *)(uintptr_t)first, 5000, 0));
    sim_arena_fini(&arena);
}

static uint64_t resident_bytes(void)
{
    unsigned long long size = 0;
    unsigned long long resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file) {
        CU_ASSERT(fscanf(file, "%llu %llu", &size, &resident) == 2);
        fclose(file);
    }
    return resident * SIM_PAGE;
}

static bool all_poison(uint64_t address, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (((const uint8_t *)(uintptr_t)address)[i] != SIM_POISON)
            return false;
    return true;
}

/* Far more than what is touched; the host reads and writes all of it. */
static void test_open_memory_is_committed_on_touch(void)
{
    const uint64_t large = 4096 * MIB;
    const struct sim_arena_config config = {
        .capacity = large, .hint = 0x130000000000ull, .open = true, .poison = true};
    CU_ASSERT_FATAL(sim_arena_init(&arena, &config) == TWIN_OK);
    uint64_t before = resident_bytes();
    uint64_t small = take(100, TWIN_PAGES_DEFAULT);
    CU_ASSERT(all_poison(small, 100));
    for (int round = 0; round < 2; round++) {
        uint64_t block = take(large / 2, TWIN_PAGES_DEFAULT);
        for (uint64_t at = 0; at < large / 2; at += 100 * MIB + SIM_PAGE) {
            CU_ASSERT(all_poison(block + at, SIM_PAGE));
            memset((void *)(uintptr_t)(block + at + 8), round, 8);
            CU_ASSERT(all_poison(block + at, 8));
            CU_ASSERT(all_poison(block + at + 16, SIM_PAGE - 16));
            /* Host and model see the same bytes. */
            const uint8_t *view = sim_arena_touch(&arena, block + at, SIM_PAGE, false);
            CU_ASSERT(view[8] == round);
        }
        CU_ASSERT(all_poison(block + large / 2 - SIM_PAGE, SIM_PAGE));
        CU_ASSERT(resident_bytes() < before + 256 * MIB);
        CU_ASSERT(sim_arena_free(&arena, block, NULL) == TWIN_OK);
    }
    sim_arena_clear(&arena);
    CU_ASSERT(all_poison(take(8 * MIB, TWIN_PAGES_DEFAULT), 8 * MIB));
    sim_arena_fini(&arena);
}

/* A file beyond the limit would end the process with a signal. */
static void test_file_limit(void)
{
    const struct sim_arena_config config = {
        .device = 3, .capacity = 64 * MIB, .hint = 0x130000000000ull};
    struct rlimit was;
    CU_ASSERT_FATAL(getrlimit(RLIMIT_FSIZE, &was) == 0);
    const struct rlimit none = {.rlim_cur = 1 * MIB, .rlim_max = was.rlim_max};
    CU_ASSERT_FATAL(setrlimit(RLIMIT_FSIZE, &none) == 0);
    CU_ASSERT_EQUAL(sim_arena_init_fitting(&arena, &config, 32 * MIB), TWIN_OK);
    CU_ASSERT_EQUAL(arena.config.capacity, 64 * MIB);
    uint64_t block = take(4 * MIB, TWIN_PAGES_DEFAULT);
    memset(sim_arena_touch(&arena, block, 4 * MIB, true), 1, 4 * MIB);
    sim_arena_fini(&arena);
    CU_ASSERT_FATAL(setrlimit(RLIMIT_FSIZE, &was) == 0);
}

/* Of the mappings of which a core dump would take a part: as the kernel chooses them with the
 * filter that it begins with, and files of code left out. */
static uint64_t dumped_bytes(void)
{
    FILE *maps = fopen("/proc/self/smaps", "re");
    CU_ASSERT_FATAL(maps != NULL);
    char line[512];
    uint64_t sum = 0;
    unsigned long long size = 0;
    bool shared = false;
    bool used = false;
    while (maps && fgets(line, sizeof(line), maps)) {
        unsigned long long first;
        unsigned long long last;
        unsigned long long kib;
        char rights[8];
        if (sscanf(line, "%llx-%llx %7s", &first, &last, rights) == 3) {
            size = last - first;
            shared = rights[3] == 's';
            used = false;
        } else if (sscanf(line, "Anonymous: %llu kB", &kib) == 1) {
            used = kib > 0;
        } else if (strncmp(line, "VmFlags:", 8) == 0 && !strstr(line, " dd") && (used || shared)) {
            sum += size;
        }
    }
    if (maps)
        (void)fclose(maps);
    return sum;
}

__attribute__((unused)) static void test_core_dump(void)
{
    static const struct sim_arena_config configs[] = {
        {.capacity = 32768 * MIB, .hint = 0x130000000000ull, .poison = true},
        {.capacity = 32768 * MIB, .hint = 0x130000000000ull, .open = true},
        {.capacity = 32768 * MIB, .hint = 0x130000000000ull, .host = true},
    };
    uint64_t before = dumped_bytes();
    for (size_t i = 0; i < TWIN_COUNT(configs); i++) {
        CU_ASSERT_FATAL(sim_arena_init(&arena, &configs[i]) == TWIN_OK);
        for (int round = 0; round < 2; round++) {
            uint64_t first = take(8 * MIB, TWIN_PAGES_DEFAULT);
            uint64_t second = take(MIB, TWIN_PAGES_DEFAULT);
            memset(sim_arena_touch(&arena, first, 8 * MIB, true), 1, 8 * MIB);
            memset(sim_arena_touch(&arena, second, MIB, true), 1, MIB);
            uint64_t used = configs[i].host ? 9 * MIB : 0;
            CU_ASSERT(dumped_bytes() >= before + used);
            CU_ASSERT(dumped_bytes() < before + used + 8 * MIB);
            CU_ASSERT(sim_arena_free(&arena, first, NULL) == TWIN_OK);
            CU_ASSERT(dumped_bytes() < before + used + 8 * MIB);
            sim_arena_clear(&arena);
        }
        sim_arena_fini(&arena);
    }
}

/* A program may close all descriptors and open its own files, which then have the numbers of the
 * runtime's. */
static void test_no_descriptor_stays(void)
{
    const struct sim_arena_config config = {
        .capacity = 64 * MIB, .hint = 0x130000000000ull, .poison = true};
    int lowest = dup(0);
    CU_ASSERT_FATAL(lowest >= 0);
    close(lowest);
    CU_ASSERT_FATAL(sim_arena_init(&arena, &config) == TWIN_OK);
    int next = dup(0);
    CU_ASSERT_EQUAL(next, lowest);
    close(next);
    /* and yet freed pages go: what comes next is new memory */
    uint64_t block = take(4 * MIB, TWIN_PAGES_DEFAULT);
    memset(sim_arena_touch(&arena, block, 4 * MIB, true), 1, 4 * MIB);
    CU_ASSERT(sim_arena_free(&arena, block, NULL) == TWIN_OK);
    CU_ASSERT(all((const unsigned char *)arena.view, 4 * MIB, 0));
    sim_arena_fini(&arena);
}

static const twin_test tests[] = {
#if !defined(__SANITIZE_THREAD__) /* whose shadow of the memory is dumped too */
    {"a core dump is as large as the host memory that was handed out", test_core_dump},
#endif
    {"a limit of file sizes does not limit device memory", test_file_limit},
    {"the memory of a device keeps no descriptor", test_no_descriptor_stays},
    {"free extents join with their neighbours", test_extents_join},
    {"the smallest extent that fits is taken, the lowest of equals", test_best_fit},
    {"random takes and gives never overlap", test_extents_at_random},
    {"an address finds its block and only its block", test_lookup},
    {"capacity ends where the profile says and freed space comes back", test_capacity},
    {"page classes add up", test_page_classes},
    {"fresh pages are poisoned but where a write covers them", test_poison},
    {"without poison fresh pages are zero", test_no_poison},
    {"a block freed under tasks keeps its pages and counts as free", test_quarantine},
    {"no memory is released while it is retained", test_held},
    {"clear gives everything back", test_clear},
    {"page-locked blocks are the host's to use", test_host},
    {"open memory is poison until written, and committed only then",
     test_open_memory_is_committed_on_touch},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim_arena", tests, TWIN_COUNT(tests), argc, argv);
}
