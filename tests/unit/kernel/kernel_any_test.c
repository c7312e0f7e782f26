/* SPDX-License-Identifier: Apache-2.0 */
/* Operations with any numbers in them: they work or fail the kernel, and touch nothing else. */
#include "kernel_rig.h"

#ifdef TWIN_SANITIZED /* which look at each byte that is moved */
#define RUNS 2000u
#else
#define RUNS 20000u
#endif

static uint64_t state;
static uint32_t random32(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 32);
}

static uint32_t below(uint32_t most)
{
    return random32() % most;
}

/* Mostly valid values, sometimes their limits, sometimes anything. */
static uint32_t offset(void)
{
    static const uint32_t ends[] = {0,           32,          (192 << 10) - 32, 192 << 10,
                                    65536 - 512, 0xffffffe0u, 0xffffffffu};
    const uint32_t kind = below(16);
    return kind < 12 ? below(256) * 512 : kind < 15 ? ends[below(7)] : random32();
}

static uint32_t amount(void)
{
    static const uint32_t ends[] = {0, 1, 0xffff, 0x10000, 0x7fffffff, 0xffffffff};
    const uint32_t kind = below(16);
    return kind < 12   ? below(80)
           : kind < 14 ? below(5000)
           : kind < 15 ? ends[below(6)]
                       : random32();
}

static uint64_t global(void)
{
    const uint32_t kind = below(16);
    return kind < 12   ? RIG_BASE + below(RIG_BYTES / 2)
           : kind < 15 ? RIG_BASE + RIG_BYTES - below(100)
                       : (uint64_t)random32() << 32 | random32();
}

static uint64_t pitch(void)
{
    return below(16) ? (uint64_t)below(100) * 32 : (uint64_t)random32() << 32 | random32();
}

static void any_copy(void)
{
    const twk_copy copy = {.way = (uint8_t)below(6),
                           .atomic = (uint8_t)(below(4) ? 0 : below(5)),
                           .type = (uint8_t)below(10),
                           .local = offset(),
                           .other = offset(),
                           .rows = below(2) ? 1 : amount(),
                           .bytes = amount() * (below(2) ? 4 : 1),
                           .local_pitch = (uint32_t)pitch(),
                           .gm = global(),
                           .gm_pitch = pitch(),
                           .left = below(4) ? 0 : amount(),
                           .right = below(4) ? 0 : amount(),
                           .fill = below(9)};
    twk_slot->copy(&copy);
}

static void any_feed(void)
{
    const twk_feed feed = {.right = (uint8_t)below(2),
                           .type = (uint8_t)below(10),
                           .transposed = (uint8_t)below(2),
                           .to = offset(),
                           .from = offset(),
                           .rows = amount(),
                           .columns = amount(),
                           .row = below(2) ? 0 : below(4) * 16,
                           .column = below(2) ? 0 : below(4) * 16,
                           .height = amount(),
                           .width = amount()};
    twk_slot->feed(&feed);
}

static void any_product(void)
{
    const twk_product product = {.type = (uint8_t)below(10),
                                 .accumulate = (uint8_t)below(2),
                                 .c = offset(),
                                 .a = offset(),
                                 .b = offset(),
                                 .m = amount(),
                                 .n = amount(),
                                 .k = amount()};
    twk_slot->multiply(&product);
}

static void any_result(void)
{
    const twk_result result = {.target = (uint8_t)below(3),
                               .from = (uint8_t)(below(2) ? TWK_FP32 : TWK_INT32),
                               .type = (uint8_t)below(10),
                               .atomic = (uint8_t)below(5),
                               .c = offset(),
                               .m = amount(),
                               .n = amount(),
                               .local = offset(),
                               .relu = below(2),
                               .gm = global(),
                               .pitch = pitch(),
                               .scale = (float)below(3)};
    twk_slot->result(&result);
}

static void any_vector(void)
{
    const twk_vector vector = {.op = (uint8_t)below(TWK_OP_COUNT + 1),
                               .type = (uint8_t)below(10),
                               .to = (uint8_t)below(10),
                               .mode = (uint8_t)below(8),
                               .dst = offset(),
                               .a = offset(),
                               .b = offset(),
                               .mask = offset(),
                               .count = amount(),
                               .rows = below(2) ? 0 : amount(),
                               .pitch = (uint32_t)pitch(),
                               .scalar = (double)(int32_t)random32() * 0x1p-20};
    twk_slot->vector(&vector);
}

static void any_other(void)
{
    switch (below(8)) {
    case 0:
        twk_set_flag((twk_pipe)below(8), (twk_pipe)below(8), below(9));
        break;
    case 1:
        twk_barrier((twk_pipe)below(9));
        break;
    case 2:
        (void)twk_get((twk_type)below(10), twk_ub_at(offset()));
        break;
    case 3:
        twk_put((twk_type)below(10), twk_ub_at(offset()), (double)(int32_t)random32());
        break;
    case 4:
        (void)twk_gm_get((twk_type)below(10), global());
        break;
    case 5:
        twk_gm_put((twk_type)below(10), global(), (double)(int32_t)random32());
        break;
    case 6:
        twk_gm_set_word(global() & ~7ull, twk_gm_word(global() & ~7ull));
        break;
    default:
        twk_wait_flag((twk_pipe)below(8), (twk_pipe)below(8), below(9));
    }
}

/* On a core that has everything. */
TWK_CUBE_KERNEL(any, twk_none, args)
{
    static void (*const kinds[])(void) = {any_copy,   any_feed,   any_product, any_result,
                                          any_vector, any_vector, any_other};
    twk_load(twk_ub_at(0), RIG_BASE, 192 << 10);
    twk_load_l1(twk_l1_at(0), RIG_BASE, 512 << 10);
    twk_barrier(TWK_ALL);
    for (uint32_t i = 1 + below(6); i > 0; i--)
        kinds[below(7)]();
}

static void test_any(void)
{
    uint32_t good = 0, counts[TWIN_NATIVE_NOMEM + 1] = {0};
    rig_core.split = false;
    for (uint32_t i = 0; i < RUNS; i++) {
        state = i;
        rig_begin("any", 1, NULL, 0);
        const twin_native_failure *failure = twin_native_failed(rig_run);
        counts[failure->fault]++;
        if (failure->fault == TWIN_NATIVE_CRASH || failure->fault == TWIN_NATIVE_NOMEM)
            printf("\n    seed %u: %s\n", i, failure->text);
        if (failure->fault == TWIN_NATIVE_GOOD) {
            good++;
            CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
        }
        twin_native_end(rig_run);
    }
    rig_core.split = true;
    CU_ASSERT_EQUAL(counts[TWIN_NATIVE_CRASH], 0);
    CU_ASSERT_EQUAL(counts[TWIN_NATIVE_NOMEM], 0);
    /* The numbers are such that all ends occur. */
    CU_ASSERT(good > 0 && counts[TWIN_NATIVE_ADDRESS] > 0 && counts[TWIN_NATIVE_BUFFER] > 0 &&
              counts[TWIN_NATIVE_ALIGNMENT] > 0 && counts[TWIN_NATIVE_OPERATION] > 0);
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"operations with any numbers work or fail, and nothing else", test_any},
    };
    return twin_run_suite("kernel_any", tests, TWIN_COUNT(tests), argc, argv);
}
