/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions with any numbers in them: they work or fail the kernel, and touch nothing else. And
 * they take the same time whether they compute or not. */
#include "kernel_instruct_list.h"

#ifdef TWIN_SANITIZED /* which look at each byte that is moved */
#define RUNS 4000u
#else
#define RUNS 40000u
#endif

/* The forms of the table. */
typedef struct form {
    uint8_t count;
    bool built;
    uint8_t types[4];
} form;
static const form forms[] = {
#define TWIN_FORM(count, built, a, b, c, d) {count, built, {a, b, c, d}},
#include "instructions.inc"
#undef TWIN_FORM
};
typedef struct instruction {
    uint16_t number;
    uint32_t first, forms;
} instruction;
static const instruction instructions[] = {
#define TWIN_INSTRUCTION(number, name, first, forms) {number, first, forms},
#include "instructions.inc"
#undef TWIN_INSTRUCTION
};

/* Both kinds of cores. */
TWK_CUBE_KERNEL(any_cube, list_args, args)
{
    twk_load_l1(twk_l1_at(0), RIG_BASE, 512 << 10);
    twk_barrier(TWK_ALL);
    do_list(args);
}
TWK_VECTOR_KERNEL(any_vector, list_args, args)
{
    twk_load(twk_ub_at(0), RIG_BASE, 192 << 10);
    twk_barrier(TWK_ALL);
    do_list(args);
}

static uint64_t random64(void)
{
    return (uint64_t)random32() << 32 | random32();
}

/* Mostly what is valid for some argument, sometimes its limits, sometimes anything. */
static uint64_t argument(uint32_t index)
{
    static const uint64_t ends[] = {255,        256,       4095,       4096,      65535,
                                    65536,      192 << 10, 512 << 10,  64 << 10,  UINT32_MAX,
                                    UINT64_MAX, INT64_MAX, 1ull << 63, 1ull << 31};
    switch (index < 2 ? below(12) : 4 + below(14)) {
    case 0:
    case 1:
    case 2:
    case 3:
        return below(2) ? below(128) * 512 : RIG_BASE + below(RIG_BYTES);
    case 4:
        return ends[below((uint32_t)TWIN_COUNT(ends))];
    case 5:
        return random64() >> below(64);
    case 6:
        return below(100);
    case 7:
        return below(300) * 16;
    case 8:
        return 1 | (uint64_t)below(4) << 16 | (uint64_t)below(4) << 32;
    default:
        return below(9);
    }
}

static void add_any(void)
{
    const instruction *one = &instructions[below((uint32_t)TWIN_COUNT(instructions))];
    if (one->forms == 0)
        return;
    const form *f = &forms[one->first + below(one->forms)];
    if (!f->built)
        return;
    uint64_t arguments[20] = {0};
    for (uint32_t i = 0; i < f->count; i++)
        arguments[i] = argument(i);
    memcpy(list_add(one->number, f->count, arguments)->types, f->types, sizeof(f->types));
}

/* All steps of the run, one after the other. */
static uint64_t hash_of_steps(void)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint64_t i = 0; i < rig_work.count; i++)
        for (uint64_t j = 0; j < rig_work.lists[i].count; j++) {
            const twin_step *step = &rig_work.lists[i].steps[j];
            hash = (hash ^ step->pipe ^ (uint64_t)step->kind << 8 ^ (uint64_t)step->flag << 16) *
                   0x100000001b3ull;
            hash = (hash ^ step->amount) * 0x100000001b3ull;
        }
    return hash;
}

static uint32_t counts[TWIN_NATIVE_NOMEM + 1];

/* Returns the hash, or 0 if the kernel has failed. */
static uint64_t run(const char *kernel, uint32_t seed)
{
    rig_begin(kernel, 1, &list, sizeof(list));
    const twin_native_failure *failure = twin_native_failed(rig_run);
    uint64_t hash = 0;
    counts[failure->fault]++;
    if (failure->fault == TWIN_NATIVE_CRASH || failure->fault == TWIN_NATIVE_NOMEM)
        printf("\n    seed %u: %s\n", seed, failure->text);
    if (failure->fault == TWIN_NATIVE_GOOD) {
        hash = hash_of_steps();
        CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
    }
    twin_native_end(rig_run);
    return hash;
}

static void test_any(void)
{
    uint32_t compared = 0;
    memset(counts, 0, sizeof(counts));
    for (uint32_t i = 0; i < RUNS; i++) {
        list_state = i;
        list_begin();
        for (uint32_t j = 1 + below(3); j > 0; j--)
            add_any();
        const char *kernel = i % 2 ? "any_cube" : "any_vector";
        const uint64_t hash = run(kernel, i);
        if (hash == 0)
            continue;
        rig_timing_only = true;
        const uint64_t timed = run(kernel, i);
        rig_timing_only = false;
        if (timed != hash && timed != 0)
            printf("\n    seed %u: steps differ if nothing is computed\n", i);
        CU_ASSERT(timed == hash || timed == 0); /* it may depend on what was computed */
        compared += timed == hash;
    }
    CU_ASSERT_EQUAL(counts[TWIN_NATIVE_CRASH], 0);
    CU_ASSERT_EQUAL(counts[TWIN_NATIVE_NOMEM], 0);
    /* The numbers are such that all ends occur. */
    CU_ASSERT(compared > 0 && counts[TWIN_NATIVE_ADDRESS] > 0 && counts[TWIN_NATIVE_BUFFER] > 0 &&
              counts[TWIN_NATIVE_ALIGNMENT] > 0 && counts[TWIN_NATIVE_OPERATION] > 0);
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"instructions with any arguments do no harm, and take the same time uncomputed", test_any},
    };
    return twin_run_suite("kernel_instruct_any", tests, TWIN_COUNT(tests), argc, argv);
}
