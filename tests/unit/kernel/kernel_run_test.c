/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of kernels: blocks, memory, steps, limits. */
#include "kernel_number.h"
#include "kernel_rig.h"

typedef struct add_args {
    twk_gm x, y, z;
    uint32_t count;
} add_args;

TWK_PARAMS(add, TWK_PARAM(add_args, x), TWK_PARAM(add_args, y), TWK_PARAM(add_args, z),
           TWK_PARAM(add_args, count));
TWK_BATCH(add);
TWK_VECTOR_KERNEL(add, add_args, args)
{
    const uint32_t share = args->count / twk_blocks();
    const uint64_t first = (uint64_t)share * twk_block() * 4;
    const twk_ub x = twk_ub_at(0), y = twk_ub_at(32768);
    twk_load(x, args->x + first, share * 4);
    twk_load(y, args->y + first, share * 4);
    twk_set_flag(TWK_MTE2, TWK_V, 0);
    twk_wait_flag(TWK_MTE2, TWK_V, 0);
    twk_add(TWK_FP32, x, x, y, share);
    twk_set_flag(TWK_V, TWK_MTE3, 0);
    twk_wait_flag(TWK_V, TWK_MTE3, 0);
    twk_store(args->z + first, x, share * 4);
}

TWK_VECTOR_KERNEL(empty, twk_none, args) {}

static add_args fill(uint32_t count)
{
    float *x = rig_host(RIG_BASE), *y = rig_host(RIG_BASE + 65536);
    for (uint32_t i = 0; i < count; i++) {
        x[i] = (float)i;
        y[i] = (float)(3 * i + 1);
    }
    memset(rig_host(RIG_BASE + 131072), 0, 65536);
    return (add_args){.x = RIG_BASE, .y = RIG_BASE + 65536, .z = RIG_BASE + 131072, .count = count};
}

static void test_add(void)
{
    const add_args args = fill(1024);
    const float *z = rig_host(args.z);
    rig_do("add", 4, &args, sizeof(args));
    for (uint32_t i = 0; i < 1024; i++)
        CU_ASSERT_EQUAL(z[i], (float)(4 * i + 1));
}

static void test_kernel_record(void)
{
    rig_do("empty", 1, NULL, 0);
    const twk_kernel_entry *add = NULL, *empty = NULL;
    for (const twk_kernel_entry *const *at = twk_image.begin; at < twk_image.end; at++) {
        add = strcmp((*at)->name, "add") == 0 ? *at : add;
        empty = strcmp((*at)->name, "empty") == 0 ? *at : empty;
    }
    CU_ASSERT_FATAL(add != NULL && empty != NULL);
    if (!add || !empty || !add->params)
        return; /* never: analysers learn it */
    CU_ASSERT(add->cores == TWK_CORES_VECTOR && add->args_bytes == sizeof(add_args));
    CU_ASSERT(add->schedule && add->schedule->batch == 1);
    CU_ASSERT(add->params->count == 4 && add->params->list[3].offset == 24 &&
              add->params->list[3].bytes == 4);
    CU_ASSERT(!empty->params && !empty->schedule && empty->args_bytes == 0);
}

static void test_steps(void)
{
    const add_args args = fill(1024);
    rig_begin("add", 4, &args, sizeof(args));
    /* All blocks are alike, so there is one list. */
    CU_ASSERT_EQUAL_FATAL(rig_work.count, 1);
    static const twin_step wanted[] = {
        {TWIN_PIPE_MTE2, TWIN_STEP_WORK, 0, TWIN_HIT_DEFAULT, 0, 30, 0, 0, 0},
        {TWIN_PIPE_MTE2, TWIN_STEP_READ, 0, TWIN_HIT_DEFAULT, 0, 1024, 0, 0, 0},
        {TWIN_PIPE_MTE2, TWIN_STEP_WORK, 0, TWIN_HIT_DEFAULT, 0, 30, 0, 0, 0},
        {TWIN_PIPE_MTE2, TWIN_STEP_READ, 0, TWIN_HIT_DEFAULT, 0, 1024, 0, 0, 0},
        {TWIN_PIPE_MTE2, TWIN_STEP_SET, 232, TWIN_HIT_DEFAULT, 0, 0, 0, 0, 0},
        {TWIN_PIPE_VECTOR, TWIN_STEP_WAIT, 232, TWIN_HIT_DEFAULT, 0, 0, 0, 0, 0},
        {TWIN_PIPE_VECTOR, TWIN_STEP_WORK, 0, TWIN_HIT_DEFAULT, 0, 10 + 1024 / 128, 0, 0, 0},
        {TWIN_PIPE_VECTOR, TWIN_STEP_SET, 96, TWIN_HIT_DEFAULT, 0, 0, 0, 0, 0},
        {TWIN_PIPE_MTE3, TWIN_STEP_WAIT, 96, TWIN_HIT_DEFAULT, 0, 0, 0, 0, 0},
        {TWIN_PIPE_MTE3, TWIN_STEP_WORK, 0, TWIN_HIT_DEFAULT, 0, 30, 0, 0, 0},
        {TWIN_PIPE_MTE3, TWIN_STEP_WRITE, 0, TWIN_HIT_DEFAULT, 0, 1024, 0, 0, 0},
    };
    const twin_steps *steps = &rig_work.lists[0];
    CU_ASSERT_EQUAL_FATAL(steps->count, TWIN_COUNT(wanted));
    for (size_t i = 0; i < TWIN_COUNT(wanted); i++)
        CU_ASSERT_EQUAL(memcmp(&steps->steps[i], &wanted[i], sizeof(wanted[i])), 0);
    twin_native_end(rig_run);
}

/* A device whose times depend on it gets the place of each row, and the hint of a copy. */
TWK_VECTOR_KERNEL(places, twk_none, args)
{
    const twk_rows apart = {.rows = 3, .bytes = 64, .gm_pitch = 200, .pitch = 64, .once = 1};
    const twk_rows joined = {.rows = 4, .bytes = 32, .gm_pitch = 32, .pitch = 32};
    const twk_rows far = {.rows = 1, .bytes = 96, .gm_pitch = 1ull << 40, .pitch = 96};
    twk_load(twk_ub_at(0), RIG_BASE + 8, 100);
    twk_load_rows(twk_ub_at(0x100), RIG_BASE + 0x200, &apart);
    twk_load_rows(twk_ub_at(0x400), RIG_BASE + 0x400, &joined);
    twk_load_rows(twk_ub_at(0x600), RIG_BASE + 0x600, &far);
    twk_barrier(TWK_ALL);
    twk_store_atomic(TWK_ATOMIC_ADD, TWK_FP32, RIG_BASE + 0x800, twk_ub_at(0), 8);
}

static void test_places(void)
{
    const uint64_t at = RIG_BASE;
    const struct {
        uint64_t amount, address;
        uint32_t row_bytes, pitch, bits;
    } wanted[] = {{100, at + 8, 0, 0, 0},
                  {192, at + 0x200, 64, 200, TWIN_STEP_ONCE},
                  {128, at + 0x400, 0, 0, 0},
                  {96, at + 0x600, 0, 0, 0},
                  {32, at + 0x800, 0, 0, TWIN_STEP_ATOMIC}};
    for (int places = 0; places < 2; places++) {
        rig_core.places = places;
        rig_begin("places", 1, NULL, 0);
        size_t found = 0;
        for (uint64_t i = 0; i < rig_work.lists[0].count; i++) {
            const twin_step *step = &rig_work.lists[0].steps[i];
            if (step->kind != TWIN_STEP_READ && step->kind != TWIN_STEP_WRITE)
                continue;
            CU_ASSERT_FATAL(found < TWIN_COUNT(wanted));
            CU_ASSERT_EQUAL(step->amount, wanted[found].amount);
            CU_ASSERT_EQUAL(step->address, places ? wanted[found].address : 0);
            CU_ASSERT_EQUAL(step->row_bytes, places ? wanted[found].row_bytes : 0);
            CU_ASSERT_EQUAL(step->pitch, places ? wanted[found].pitch : 0);
            CU_ASSERT_EQUAL(step->flag, places ? wanted[found].bits : 0);
            found++;
        }
        CU_ASSERT_EQUAL(found, TWIN_COUNT(wanted));
        twin_native_end(rig_run);
    }
    rig_core.places = false;
}

static uint64_t host_from; /* addresses from there on are in memory of the host */
static bool in_host(const twin_reach *reach, uint64_t address)
{
    (void)reach;
    return address >= host_from;
}

/* T-CORE-21: a step says whether its bytes are in memory of the host. Exact: each is asked for. */
static void test_host_steps(void)
{
    const add_args args = fill(1024);
    const uint64_t addresses[] = {args.x, args.y, args.z};
    uint64_t last = 0;
    for (size_t i = 0; i < TWIN_COUNT(addresses); i++)
        last = addresses[i] > last ? addresses[i] : last;
    rig_reach.in_host = in_host;
    rig_exact = true;
    for (int all = 0; all < 2; all++) {
        host_from = all ? 0 : last;
        rig_begin("add", 1, &args, sizeof(args));
        unsigned moves = 0, from_host = 0;
        for (uint64_t i = 0; i < rig_work.lists[0].count; i++) {
            const twin_step *step = &rig_work.lists[0].steps[i];
            if (step->kind != TWIN_STEP_READ && step->kind != TWIN_STEP_WRITE)
                continue;
            moves++;
            from_host += step->flag == TWIN_STEP_IN_HOST;
        }
        CU_ASSERT_EQUAL(moves, 3);
        CU_ASSERT_EQUAL(from_host, all ? 3 : 1);
        twin_native_end(rig_run);
    }
    rig_exact = false;
    rig_reach.in_host = NULL;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Each block reads a word that all write, writes it, reads it again, and stores both values. */
TWK_VECTOR_KERNEL(see, twk_none, args)
{
    const uint64_t own = RIG_BASE + 0x1000 + twk_block() * 64;
    const double before = twk_gm_get(TWK_INT32, RIG_BASE);
    twk_gm_put(TWK_INT32, RIG_BASE, 100 + twk_block());
    twk_gm_put(TWK_INT32, own, before);
    twk_gm_put(TWK_INT32, own + 4, twk_gm_get(TWK_INT32, RIG_BASE));
}

static void test_sight(void)
{
    int32_t *word = rig_host(RIG_BASE);
    *word = 7;
    rig_begin("see", 3, NULL, 0);
    CU_ASSERT_EQUAL(*word, 7); /* nothing is written yet */
    CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
    twin_native_end(rig_run);
    CU_ASSERT_EQUAL(*word, 102); /* in the order of blocks */
    for (int32_t block = 0; block < 3; block++) {
        const int32_t *own = rig_host(RIG_BASE + 0x1000 + (uint64_t)block * 64);
        CU_ASSERT(own[0] == 7 && own[1] == 100 + block);
    }
}

typedef struct atomic_args {
    uint32_t how, type;
} atomic_args;

TWK_VECTOR_KERNEL(combine, atomic_args, args)
{
    const twk_type type = (twk_type)args->type;
    const uint32_t size = twk_bytes_of(type);
    twk_duplicate(type, twk_ub_at(0), twk_block() == 0 ? 5 : -3, 8);
    twk_set_flag(TWK_V, TWK_MTE3, 0);
    twk_wait_flag(TWK_V, TWK_MTE3, 0);
    twk_store_atomic((twk_atomic)args->how, type, RIG_BASE, twk_ub_at(0), 7);
    /* It sees its own: 8 elements from an odd place on. On a board it may see the other's. */
    twk_set_flag(TWK_MTE3, TWK_MTE2, 0);
    twk_wait_flag(TWK_MTE3, TWK_MTE2, 0);
    twk_load(twk_ub_at(64), RIG_BASE + size, 7 * size);
    twk_set_flag(TWK_MTE2, TWK_MTE3, 0);
    twk_wait_flag(TWK_MTE2, TWK_MTE3, 0);
    twk_store(RIG_BASE + 0x100 + twk_block() * 0x100, twk_ub_at(64), 7 * size);
}

static double element(twk_type type, uint64_t at, uint32_t i)
{
    return slow_get(type, rig_host(at), i);
}

static void test_atomic(void)
{
    static const twk_type types[] = {TWK_FP32, TWK_FP16, TWK_BF16, TWK_INT32, TWK_INT16, TWK_INT8};
    static const double wanted[][3] = {/* both, block 0 alone, block 1 alone; on top of 1 */
                                       [TWK_ATOMIC_ADD] = {3, 6, -2},
                                       [TWK_ATOMIC_MAX] = {5, 5, 1},
                                       [TWK_ATOMIC_MIN] = {-3, 1, -3}};
    for (size_t t = 0; t < TWIN_COUNT(types); t++)
        for (uint32_t how = TWK_ATOMIC_ADD; how <= TWK_ATOMIC_MIN; how++) {
            const atomic_args args = {.how = how, .type = types[t]};
            for (uint32_t i = 0; i < 8; i++) {
                const uint32_t one = types[t] == TWK_FP32   ? 0x3f800000u
                                     : types[t] == TWK_FP16 ? 0x3c00u
                                     : types[t] == TWK_BF16 ? 0x3f80u
                                                            : 1;
                memcpy((char *)rig_host(RIG_BASE) + i * twk_bytes_of(types[t]), &one,
                       twk_bytes_of(types[t]));
            }
            rig_begin("combine", 2, &args, sizeof(args));
            CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
            twin_native_end(rig_run);
            CU_ASSERT_EQUAL_FATAL(rig_hazard_count, 1);
            CU_ASSERT(strstr(rig_hazards[0], "which twk_store_atomic of block 1 writes") != NULL);
            for (uint32_t i = 0; i < 7; i++)
                CU_ASSERT_EQUAL(element(types[t], RIG_BASE, i), wanted[how][0]);
            CU_ASSERT_EQUAL(element(types[t], RIG_BASE, 7), 1);
            for (uint32_t block = 0; block < 2; block++) {
                const uint64_t at = RIG_BASE + 0x100 + block * 0x100;
                CU_ASSERT_EQUAL(element(types[t], at, 5), wanted[how][1 + block]);
                CU_ASSERT_EQUAL(element(types[t], at, 6), 1);
            }
        }
}

TWK_VECTOR_KERNEL(rows, twk_none, args)
{
    /* 3 rows of 6 elements with a pitch of 10; in UB each has 1 before and 3 after it. Then every
     * second row back. */
    const twk_rows in = {.rows = 3, .bytes = 24, .gm_pitch = 40, .pitch = 64};
    const twk_rows out = {.rows = 2, .bytes = 40, .gm_pitch = 48, .pitch = 128};
    twk_duplicate(TWK_FP32, twk_ub_at(0), 9, 48);
    twk_set_flag(TWK_V, TWK_MTE2, 0);
    twk_wait_flag(TWK_V, TWK_MTE2, 0);
    twk_load_padded(TWK_FP32, twk_ub_at(0), RIG_BASE, &in, 1, 3, -1);
    twk_set_flag(TWK_MTE2, TWK_MTE3, 0);
    twk_wait_flag(TWK_MTE2, TWK_MTE3, 0);
    twk_store_rows(RIG_BASE + 0x1000, twk_ub_at(0), &out);
}

static void test_rows(void)
{
    float *in = rig_host(RIG_BASE), *out = rig_host(RIG_BASE + 0x1000);
    for (uint32_t i = 0; i < 64; i++) {
        in[i] = (float)i;
        out[i] = 77;
    }
    rig_do("rows", 1, NULL, 0);
    for (uint32_t row = 0; row < 2; row++)
        for (uint32_t i = 0; i < 12; i++) {
            const float wanted = i >= 10 ? 77 : i < 1 || i > 6 ? -1 : (float)(row * 20 + i - 1);
            CU_ASSERT_EQUAL(out[row * 12 + i], wanted);
        }
}

/* Writes that lie over each other, row by row, and a read across them. */
TWK_VECTOR_KERNEL(overlay, twk_none, args)
{
    twk_rows rows = {.rows = 8, .bytes = 100, .gm_pitch = 1000, .pitch = 128};
    for (uint32_t i = 0; i < 3; i++) {
        twk_duplicate(TWK_UINT8, twk_ub_at(i * 0x1000), i + 1, 1024);
        twk_set_flag(TWK_V, TWK_MTE3, 0);
        twk_wait_flag(TWK_V, TWK_MTE3, 0);
        twk_store_rows(RIG_BASE + 0x2000 + i * 50, twk_ub_at(i * 0x1000), &rows);
    }
    twk_set_flag(TWK_MTE3, TWK_MTE2, 0);
    twk_wait_flag(TWK_MTE3, TWK_MTE2, 0);
    twk_load(twk_ub_at(0x8000), RIG_BASE + 0x2000 - 3, 9000);
    twk_set_flag(TWK_MTE2, TWK_MTE3, 0);
    twk_wait_flag(TWK_MTE2, TWK_MTE3, 0);
    twk_store(RIG_BASE + 0x8000, twk_ub_at(0x8000), 9000);
}

static void test_overlay(void)
{
    unsigned char *at = rig_host(RIG_BASE + 0x2000 - 3), *seen = rig_host(RIG_BASE + 0x8000);
    memset(at, 0xee, 9000);
    rig_do("overlay", 1, NULL, 0);
    for (uint32_t i = 0; i < 9000; i++) {
        const uint32_t offset = i < 3 ? 999 : (i - 3) % 1000, row = i < 3 ? 9 : (i - 3) / 1000;
        const unsigned char wanted = row > 7 || offset >= 200 ? 0xee
                                     : offset < 50            ? 1
                                     : offset < 100           ? 2
                                                              : 3;
        CU_ASSERT_EQUAL(seen[i], wanted);
        CU_ASSERT_EQUAL(at[i], wanted);
    }
}

/* Very many writes to few places, plain and atomic, and reads of them: a script that the test
 * follows by itself. */
#define MANY    2000u
#define MANY_AT (RIG_BASE + 0x1ff0)
#define SEEN_AT (RIG_BASE + 0x40000)

typedef struct step_of_many {
    uint32_t at, bytes;
    bool atomic, look;
} step_of_many;

static step_of_many step_of(uint32_t i)
{
    uint64_t state = (i + 1) * 6364136223846793005ull;
    state = (state ^ state >> 29) * 1442695040888963407ull;
    const uint32_t random = (uint32_t)(state >> 32);
    return (step_of_many){.at = random % 20000,
                          .bytes = 1 + (random >> 20) % 200,
                          .atomic = random % 3 == 0,
                          .look = i % 10 == 9};
}

TWK_VECTOR_KERNEL(many, twk_none, args)
{
    for (uint32_t i = 0; i < MANY; i++) {
        const step_of_many step = step_of(i);
        twk_duplicate(TWK_INT8, twk_ub_at(0), i % 50, 256);
        twk_barrier(TWK_ALL);
        if (step.atomic)
            twk_store_atomic(TWK_ATOMIC_ADD, TWK_INT8, MANY_AT + step.at, twk_ub_at(0), step.bytes);
        else
            twk_store(MANY_AT + step.at, twk_ub_at(0), step.bytes);
        twk_barrier(TWK_ALL);
        if (!step.look)
            continue;
        twk_load(twk_ub_at(256), MANY_AT + step.at / 2, 777);
        twk_barrier(TWK_ALL);
        twk_store(SEEN_AT + i / 10 * 777, twk_ub_at(256), 777);
    }
}

static void test_many(void)
{
    static unsigned char model[20400], seen[MANY / 10][777];
    unsigned char *there = rig_host(MANY_AT);
    for (uint32_t i = 0; i < sizeof(model); i++)
        model[i] = there[i] = (unsigned char)(i * 7);
    for (uint32_t i = 0; i < MANY; i++) {
        const step_of_many step = step_of(i);
        for (uint32_t j = step.at; j < step.at + step.bytes; j++)
            model[j] = (unsigned char)(i % 50 + (step.atomic ? model[j] : 0));
        if (step.look)
            memcpy(seen[i / 10], model + step.at / 2, 777);
    }
    rig_do("many", 1, NULL, 0);
    CU_ASSERT_EQUAL(memcmp(there, model, sizeof(model)), 0);
    CU_ASSERT_EQUAL(memcmp(rig_host(SEEN_AT), seen, sizeof(seen)), 0);
}

TWK_VECTOR_KERNEL(scattered, twk_none, args)
{
    twk_duplicate(TWK_UINT8, twk_ub_at(0), twk_block(), 32);
    twk_barrier(TWK_ALL);
    for (uint32_t i = 0; i < 100; i++)
        twk_store(RIG_BASE + (twk_block() * 100 + i) * 4096 % RIG_BYTES, twk_ub_at(0), 1);
}

static void test_windows(void)
{
    rig_do("scattered", 2, NULL, 0);
    CU_ASSERT(rig_asked > 0);
    /* Memory is asked for in large pieces: not once for each of the writes, at their time and at
     * the end. */
    rig_asked = 0;
    rig_do("scattered", 2, NULL, 0);
    CU_ASSERT(rig_asked < 100);
    /* Unless a memory fault would be met that way. */
    rig_asked = 0;
    rig_exact = true;
    rig_do("scattered", 2, NULL, 0);
    CU_ASSERT_EQUAL(rig_asked, 400);
    rig_exact = false;
}

/* Another thread frees memory between the kernel's look-up and its read of it. */
static void test_gone_while_read(void)
{
    const add_args args = fill(64);
    rig_exact = true;
    for (uint32_t after = 1; after < 4; after++) {
        rig_gone_after = after;
        rig_fail("add", 1, &args, sizeof(args), TWIN_NATIVE_ADDRESS, "twk_load reads");
    }
    rig_gone_after = 0;
    rig_exact = false;
}

static void test_gone(void)
{
    const add_args args = fill(64);
    rig_begin("add", 1, &args, sizeof(args));
    rig_gone = true;
    CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_E_KERNEL_EXCEPTION);
    const twin_native_failure *failure = twin_native_failed(rig_run);
    CU_ASSERT_EQUAL(failure->fault, TWIN_NATIVE_ADDRESS);
    CU_ASSERT(failure->has_address && failure->address == args.z);
    twin_native_end(rig_run);
}

/* ---- mixed blocks ---------------------------------------------------------------------------- */

/* The vector cores double the cube core's data, and the cube core adds their results. */
TWK_CUBE_HALF(mix, twk_none, args)
{
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 2; i++)
            twk_gm_put(TWK_INT32, RIG_BASE + twk_block() * 64 + i * 4,
                       round + 10 * i + twk_block());
        twk_cross_core_set_flag(TWK_S, 0);
        twk_cross_core_wait_flag(TWK_S, 1);
        const double sum = twk_gm_get(TWK_INT32, RIG_BASE + 0x1000 + twk_block() * 64) +
                           twk_gm_get(TWK_INT32, RIG_BASE + 0x1000 + twk_block() * 64 + 4);
        twk_gm_put(TWK_INT32, RIG_BASE + 0x2000 + twk_block() * 64 + round * 4, sum);
    }
}
TWK_VECTOR_HALF(mix, twk_none, args)
{
    const uint64_t mine = twk_block() * 64 + twk_vector_index() * 4;
    for (uint32_t round = 0; round < 3; round++) {
        twk_cross_core_wait_flag(TWK_S, 0);
        twk_gm_put(TWK_INT32, RIG_BASE + 0x1000 + mine, 2 * twk_gm_get(TWK_INT32, RIG_BASE + mine));
        twk_cross_core_set_flag(TWK_S, 1);
    }
    twk_gm_put(TWK_INT32, RIG_BASE + 0x3000 + mine, twk_vectors() * 10 + twk_blocks());
}
TWK_MIX_KERNEL(mix, twk_none, 2);

static void test_mix(void)
{
    rig_do("mix", 4, NULL, 0);
    for (uint64_t block = 0; block < 4; block++) {
        const int32_t *sums = rig_host(RIG_BASE + 0x2000 + block * 64);
        for (int32_t round = 0; round < 3; round++)
            CU_ASSERT_EQUAL(sums[round], 2 * (2 * (round + (int32_t)block) + 10));
        const int32_t *counts = rig_host(RIG_BASE + 0x3000 + block * 64);
        CU_ASSERT(counts[0] == 24 && counts[1] == 24);
    }
    rig_begin("mix", 4, NULL, 0);
    CU_ASSERT_EQUAL(rig_work.count, 3); /* a list for each core of a block; the blocks are alike */
    twin_native_end(rig_run);
}

TWK_VECTOR_KERNEL(talk, twk_none, args)
{
    twk_printf("block %u\nof %u", twk_block(), twk_blocks());
    twk_printf("\n");
}

static void test_print(void)
{
    rig_do("talk", 2, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(rig_printed_count, 4);
    CU_ASSERT_STRING_EQUAL(rig_printed[0], "0.0 block 0\nof 2");
    CU_ASSERT_STRING_EQUAL(rig_printed[1], "0.0 \n");
    CU_ASSERT_STRING_EQUAL(rig_printed[2], "1.0 block 1\nof 2");
}

typedef struct chatter_args {
    uint32_t times, length;
} chatter_args;

TWK_VECTOR_KERNEL(chatter, chatter_args, args)
{
    for (uint32_t i = 0; i < args->times; i++)
        twk_printf("%*u", (int)args->length, i);
}

/* Texts are whole, and those of a core of a block have an end. */
static void test_print_much(void)
{
    chatter_args args = {.times = 1, .length = 5000};
    rig_do("chatter", 1, &args, sizeof(args));
    CU_ASSERT_EQUAL(rig_longest_line, 5000);
    args = (chatter_args){.times = 1024, .length = 1000};
    rig_do("chatter", 2, &args, sizeof(args));
    CU_ASSERT(rig_printed_lines == 2048 && rig_printed_bytes == 2048000);
    args.times = 100000;
    rig_do("chatter", 2, &args, sizeof(args));
    CU_ASSERT(rig_printed_bytes > 2 * (size_t)1000 << 10 && rig_printed_bytes < (size_t)2 << 20);
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_last_line, "1.0 \n(more was not printed"));
    args = (chatter_args){.times = 2, .length = 2 << 20};
    rig_do("chatter", 1, &args, sizeof(args));
    CU_ASSERT(rig_printed_lines == 1 && strstr(rig_last_line, "0.0 \n(more was not printed"));
}

static void test_again(void)
{
    /* The next run sees nothing that a run leaves: neither data nor flags nor memory. */
    const add_args args = fill(512);
    rig_do("add", 1, &args, sizeof(args));
    rig_begin("add", 1, &args, sizeof(args));
    const twin_steps first = rig_work.lists[0];
    twin_native_run *kept = rig_run;
    rig_begin("add", 1, &args, sizeof(args));
    CU_ASSERT(kept != rig_run && rig_work.lists[0].count == first.count);
    CU_ASSERT_EQUAL(memcmp(rig_work.lists[0].steps, first.steps, first.count * sizeof(twin_step)),
                    0);
    twin_native_end(rig_run);
    twin_native_end(kept);
    twin_native_trim();
    rig_do("mix", 1, NULL, 0);
}

static void test_link(void)
{
    char why[200] = "";
    struct twk_image image = twk_image;
    image.version = TWK_VERSION + 1;
    CU_ASSERT_EQUAL(twin_native_link(&image, why, sizeof(why)), TWIN_E_INVALID);
    CU_ASSERT(strstr(why, "version 4 of kernels, this runtime knows 3") != NULL);
    image = twk_image;
    image.magic++;
    CU_ASSERT_EQUAL(twin_native_link(&image, why, sizeof(why)), TWIN_E_INVALID);
    image = twk_image;
    image.ops_bytes = sizeof(twk_ops) + 8;
    CU_ASSERT_EQUAL(twin_native_link(&image, why, sizeof(why)), TWIN_E_INVALID);
    image = twk_image;
    image.ops_bytes = sizeof(twk_ops) - 8; /* an older one */
    CU_ASSERT_EQUAL(twin_native_link(&image, why, sizeof(why)), TWIN_OK);
    CU_ASSERT_PTR_NOT_NULL(*twk_image.ops);
    twin_native_unlink(&image);
    CU_ASSERT_PTR_NULL(*twk_image.ops);
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"blocks add their shares of two vectors", test_add},
        {"a kernel's record has its parameters and its schedule", test_kernel_record},
        {"operations leave the steps of their pipes, one list for blocks that are alike",
         test_steps},
        {"steps say where they read and write when the device wants to know", test_places},
        {"a step says whether its bytes are in memory of the host", test_host_steps},
        {"a block sees old memory and its own writes; the last block's writes stay", test_sight},
        {"atomic stores of all blocks add up, type by type", test_atomic},
        {"rows are copied with pitches and padding", test_rows},
        {"a block reads its own writes, row over row", test_overlay},
        {"a block reads the result of very many writes", test_many},
        {"memory is asked for in large pieces, or exactly", test_windows},
        {"memory that goes while a kernel reads it fails the kernel", test_gone_while_read},
        {"memory that is freed meanwhile fails the kernel at its end", test_gone},
        {"the cores of a mixed block meet", test_mix},
        {"lines are printed with their block", test_print},
        {"long lines are whole, and very many have an end", test_print_much},
        {"runs do not see each other", test_again},
        {"objects for newer runtimes are refused", test_link},
    };
    return twin_run_suite("kernel_run", tests, TWIN_COUNT(tests), argc, argv);
}
