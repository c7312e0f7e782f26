/* SPDX-License-Identifier: Apache-2.0 */
/* Hazards: accesses that a flag must order are reported when no flag does, and no others are. */
#include "kernel_rig.h"

#include "kernel/core.h"

#define GM RIG_BASE

/* The flag that a kernel leaves out; each is one hazard. */
enum {
    WHOLE,
    NO_FLAG_IN,   /* the vector unit does not wait for the load */
    NO_FLAG_OUT,  /* the store does not wait for the vector unit */
    NO_FLAG_BACK, /* the next load does not wait for the store */
    OTHER_FLAG,   /* it waits for a flag of an earlier round */
    SKIPS
};

typedef struct order_args {
    uint32_t skip;
} order_args;

TWK_VECTOR_KERNEL(rounds, order_args, args)
{
    for (uint32_t i = 0; i < 3; i++) {
        const twk_ub x = twk_ub_at(i % 2 * 1024);
        if (i >= 2 && args->skip != NO_FLAG_BACK)
            twk_wait_flag(TWK_MTE3, TWK_MTE2, i % 2);
        twk_load(x, GM + i * 1024, 1024);
        if (args->skip != NO_FLAG_IN) {
            twk_set_flag(TWK_MTE2, TWK_V, i);
            twk_wait_flag(TWK_MTE2, TWK_V, i);
        }
        twk_adds(TWK_FP32, x, x, 1, 256);
        if (args->skip != NO_FLAG_OUT) {
            twk_set_flag(TWK_V, TWK_MTE3, 0);
            twk_wait_flag(TWK_V, TWK_MTE3, 0);
        }
        twk_store(GM + 0x10000 + i * 1024, x, 1024);
        if (i < 1 && args->skip != NO_FLAG_BACK)
            twk_set_flag(TWK_MTE3, TWK_MTE2, i);
    }
}

static void run(const char *name, const void *args, size_t bytes)
{
    rig_begin(name, 2, args, bytes);
    const twin_native_failure *failure = twin_native_failed(rig_run);
    if (failure->fault != TWIN_NATIVE_GOOD)
        printf("\n    %s\n", failure->text);
    CU_ASSERT_EQUAL(failure->fault, TWIN_NATIVE_GOOD);
    twin_native_end(rig_run);
}

/* The kernel is reported for just these. */
static void expect(const char *name, const void *args, size_t bytes, uint32_t count,
                   const char *const *parts)
{
    run(name, args, bytes);
    if (rig_hazard_count != count)
        for (uint32_t i = 0; i < rig_hazard_count; i++)
            printf("\n    %s\n", rig_hazards[i]);
    CU_ASSERT_EQUAL_FATAL(rig_hazard_count, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!strstr(rig_hazards[i], parts[i]))
            printf("\n    \"%s\" is not in: %s\n", parts[i], rig_hazards[i]);
        CU_ASSERT_PTR_NOT_NULL(strstr(rig_hazards[i], parts[i]));
    }
}
#define EXPECT(name, args, bytes, ...)                                                             \
    do {                                                                                           \
        static const char *const parts[] = {__VA_ARGS__};                                          \
        expect(name, args, bytes, TWIN_COUNT(parts), parts);                                       \
    } while (0)

static void test_flags(void)
{
    order_args args = {.skip = WHOLE};
    run("rounds", &args, sizeof(args));
    CU_ASSERT_EQUAL(rig_hazard_count, 0);
    args.skip = NO_FLAG_IN;
    EXPECT("rounds", &args, sizeof(args),
           "kernel \"rounds\", block 0: twk_adds (V) reads UB bytes 0 to 1023 while twk_load "
           "(MTE2) may "
           "still write it: missing are twk_set_flag(TWK_MTE2, TWK_V, ...) after twk_load and "
           "twk_wait_flag of the same before twk_adds",
           "twk_adds (V) writes UB bytes 0 to 1023 while twk_load (MTE2) may still write it");
    args.skip = NO_FLAG_OUT;
    EXPECT("rounds", &args, sizeof(args),
           "twk_store (MTE3) reads UB bytes 0 to 1023 while twk_adds (V) may still write it",
           /* then nothing orders the third load after the first round */
           "twk_load (MTE2) writes UB bytes 0 to 1023 while twk_adds (V) may still write it");
    args.skip = NO_FLAG_BACK;
    EXPECT("rounds", &args, sizeof(args),
           "twk_load (MTE2) writes UB bytes 0 to 1023 while twk_adds (V) may still write it",
           "twk_load (MTE2) writes UB bytes 0 to 1023 while twk_store (MTE3) may still read it");
}

/* ---- single shots ---------------------------------------------------------------------------- */

TWK_VECTOR_KERNEL(barrier_orders, twk_none, args)
{
    twk_load(twk_ub_at(0), GM, 64);
    twk_barrier(TWK_ALL);
    twk_adds(TWK_FP32, twk_ub_at(0), twk_ub_at(0), 1, 16);
    twk_muls(TWK_FP32, twk_ub_at(0), twk_ub_at(0), 2, 16); /* one pipe is in order */
    twk_set_flag(TWK_V, TWK_S, 0);
    twk_wait_flag(TWK_V, TWK_S, 0);
    twk_put(TWK_FP32, twk_ub_at(4), twk_get(TWK_FP32, twk_ub_at(0)) + 1);
    /* The scalar unit's accesses are done when it puts an operation into a queue. */
    twk_store(GM, twk_ub_at(0), 64);
}

TWK_VECTOR_KERNEL(scalar_early, twk_none, args)
{
    twk_duplicate(TWK_FP32, twk_ub_at(0), 1, 16);
    twk_gm_put(TWK_FP32, GM, twk_get(TWK_FP32, twk_ub_at(8)));
    twk_put(TWK_FP32, twk_ub_at(64), 1);
    twk_store(GM, twk_ub_at(64), 4);
    twk_put(TWK_FP32, twk_ub_at(64), 2); /* while the store may read it */
}

TWK_VECTOR_KERNEL(wrong_way, twk_none, args)
{
    twk_load(twk_ub_at(0), GM, 64);
    twk_set_flag(TWK_MTE2, TWK_MTE3, 0); /* for another pipe */
    twk_wait_flag(TWK_MTE2, TWK_MTE3, 0);
    twk_adds(TWK_FP32, twk_ub_at(0), twk_ub_at(0), 1, 16);
}

TWK_VECTOR_KERNEL(roundabout, twk_none, args)
{
    /* Order goes on from pipe to pipe. */
    twk_load(twk_ub_at(0), GM, 64);
    twk_set_flag(TWK_MTE2, TWK_MTE3, 0);
    twk_wait_flag(TWK_MTE2, TWK_MTE3, 0);
    twk_set_flag(TWK_MTE3, TWK_V, 0);
    twk_wait_flag(TWK_MTE3, TWK_V, 0);
    twk_adds(TWK_FP32, twk_ub_at(0), twk_ub_at(0), 1, 16);
}

TWK_VECTOR_KERNEL(too_early, twk_none, args)
{
    twk_load(twk_ub_at(0), GM, 64);
    twk_set_flag(TWK_MTE2, TWK_V, 0);
    twk_load(twk_ub_at(0), GM, 64); /* after the flag */
    twk_wait_flag(TWK_MTE2, TWK_V, 0);
    twk_adds(TWK_FP32, twk_ub_at(1024), twk_ub_at(0), 1, 16);
}

TWK_VECTOR_KERNEL(unwritten, twk_none, args)
{
    twk_duplicate(TWK_FP32, twk_ub_at(0), 1, 8);
    twk_adds(TWK_FP32, twk_ub_at(1024), twk_ub_at(0), 1, 16);
    twk_barrier(TWK_ALL);
    twk_store(GM, twk_ub_at(1024), 64);
}

TWK_VECTOR_KERNEL(left_set, twk_none, args)
{
    twk_set_flag(TWK_MTE3, TWK_MTE2, 5);
}

/* The first and last of pairs and of flags, and such that are set and waited for. */
TWK_VECTOR_KERNEL(left_many, twk_none, args)
{
    twk_set_flag(TWK_MTE3, TWK_V, 0);
    twk_set_flag(TWK_MTE3, TWK_MTE2, 7);
    twk_set_flag(TWK_V, TWK_MTE3, 3);
    twk_wait_flag(TWK_V, TWK_MTE3, 3);
    twk_set_flag(TWK_V, TWK_MTE3, 4);
    twk_set_flag(TWK_S, TWK_V, 7);
    twk_set_flag(TWK_S, TWK_V, 0);
}

/* A block that leaves flags, then one that does not. */
TWK_VECTOR_KERNEL(left_by_first, twk_none, args)
{
    if (twk_block() == 0) {
        twk_set_flag(TWK_V, TWK_MTE3, 4);
        twk_set_flag(TWK_V, TWK_MTE3, 4);
    } else {
        twk_set_flag(TWK_V, TWK_MTE3, 4);
        twk_wait_flag(TWK_V, TWK_MTE3, 4);
        twk_wait_flag(TWK_V, TWK_MTE3, 4);
    }
}

TWK_VECTOR_KERNEL(set_twice, twk_none, args)
{
    twk_set_flag(TWK_MTE3, TWK_MTE2, 5);
    twk_set_flag(TWK_MTE3, TWK_MTE2, 5);
    twk_wait_flag(TWK_MTE3, TWK_MTE2, 5);
    twk_wait_flag(TWK_MTE3, TWK_MTE2, 5);
}

TWK_VECTOR_KERNEL(set_late, twk_none, args)
{
    twk_wait_flag(TWK_MTE3, TWK_MTE2, 5);
    twk_set_flag(TWK_MTE3, TWK_MTE2, 5);
}

TWK_VECTOR_KERNEL(own_memory, twk_none, args)
{
    twk_duplicate(TWK_FP32, twk_ub_at(0), 1, 16);
    twk_barrier(TWK_ALL);
    twk_store(GM + 0x100, twk_ub_at(0), 64);
    twk_load(twk_ub_at(1024), GM + 0x120, 64);
}

TWK_VECTOR_KERNEL(own_twice, twk_none, args)
{
    twk_duplicate(TWK_FP32, twk_ub_at(0), 1, 16);
    twk_barrier(TWK_ALL);
    twk_store(GM + 0x100, twk_ub_at(0), 64);
    twk_store(GM + 0x100, twk_ub_at(0), 64); /* one pipe is in order */
    twk_gm_put(TWK_FP32, GM + 0x104, 1);
}

static void test_single(void)
{
    run("barrier_orders", NULL, 0);
    CU_ASSERT_EQUAL(rig_hazard_count, 0);
    run("roundabout", NULL, 0);
    CU_ASSERT_EQUAL(rig_hazard_count, 0);
    EXPECT("scalar_early", NULL, 0, "twk_get (S) reads UB bytes 8 to 11 while twk_duplicate (V)",
           "twk_put (S) writes UB bytes 64 to 67 while twk_store (MTE3) may still read it");
    EXPECT("wrong_way", NULL, 0, "twk_adds (V) reads UB", "twk_adds (V) writes UB");
    EXPECT("too_early", NULL, 0, "twk_adds (V) reads UB bytes 0 to 63 while twk_load (MTE2)");
    EXPECT("unwritten", NULL, 0,
           "twk_adds reads UB bytes 32 to 63, which the block has not written");
    EXPECT("left_set", NULL, 0, "flag 5 from MTE3 to MTE2 is still set at the end");
    EXPECT("left_many", NULL, 0, "flag 0 from S to V is still set",
           "flag 7 from S to V is still set", "flag 4 from V to MTE3 is still set",
           "flag 0 from MTE3 to V is still set", "flag 7 from MTE3 to MTE2 is still set");
    rig_fail("left_by_first", 2, NULL, 0, TWIN_NATIVE_STUCK,
             "block 1: twk_wait_flag(TWK_V, TWK_MTE3, 4) waits for ever: nothing sets it");
    EXPECT("set_twice", NULL, 0, "twk_set_flag(TWK_MTE3, TWK_MTE2, 5) while the flag is set");
    EXPECT("set_late", NULL, 0,
           "twk_wait_flag(TWK_MTE3, TWK_MTE2, 5) came before its twk_set_flag");
    EXPECT("own_memory", NULL, 0,
           "twk_load (MTE2) reads global memory at 0x100100 while twk_store (MTE3)");
    EXPECT("own_twice", NULL, 0, "twk_gm_put (S) writes global memory");
}

static void test_same_every_time(void)
{
    /* Unwritten memory has the same content, whatever ran before. */
    uint32_t first[16];
    const uint32_t *found = rig_host(GM);
    rig_begin("unwritten", 1, NULL, 0);
    CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
    twin_native_end(rig_run);
    memcpy(first, found, sizeof(first));
    CU_ASSERT_EQUAL(first[0], 0x40000000); /* 1 + 1 */
    const order_args args = {.skip = WHOLE};
    run("rounds", &args, sizeof(args));
    rig_begin("unwritten", 1, NULL, 0);
    CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
    twin_native_end(rig_run);
    CU_ASSERT_EQUAL(memcmp(first, found, sizeof(first)), 0);
}

/* ---- mixed ----------------------------------------------------------------------------------- */

typedef struct mixed_args {
    uint32_t hear, extra;
} mixed_args;

TWK_CUBE_HALF(pass, mixed_args, args)
{
    twk_gm_put(TWK_INT32, GM, 5);
    twk_cross_core_set_flag(TWK_S, 3);
    if (args->extra)
        twk_cross_core_set_flag(TWK_S, 4);
}
TWK_VECTOR_HALF(pass, mixed_args, args)
{
    if (args->hear)
        twk_cross_core_wait_flag(TWK_MTE2, 3);
    twk_load(twk_ub_at(0), GM, 32);
    if (!args->hear)
        twk_cross_core_wait_flag(TWK_MTE2, 3);
}
TWK_MIX_KERNEL(pass, mixed_args, 2);

static void test_mixed(void)
{
    mixed_args args = {.hear = 1};
    run("pass", &args, sizeof(args));
    CU_ASSERT_EQUAL(rig_hazard_count, 0);
    args.hear = 0;
    EXPECT("pass", &args, sizeof(args),
           "block 0, vector core 0: twk_load (MTE2) reads global memory at 0x100000 while "
           "twk_gm_put (S) of "
           "another core of the block may still write it: missing are "
           "twk_cross_core_set_flag(TWK_S, ...)",
           "block 0, vector core 1");
    args.hear = 1;
    args.extra = 1;
    EXPECT("pass", &args, sizeof(args),
           "block 0, cube core: twk_cross_core_set_flag of flag 4 that no core waits for");
}

/* ---- blocks ---------------------------------------------------------------------------------- */

typedef struct conflict_args {
    uint32_t step;   /* bytes from a block's place to the next one's */
    uint32_t same;   /* all write the same */
    uint32_t atomic; /* 1: all add; 2: block 0 alone; 3: all, but block 0 takes the larger */
} conflict_args;

TWK_VECTOR_KERNEL(conflict, conflict_args, args)
{
    const twk_gm to = GM + (uint64_t)args->step * (twk_blocks() - twk_block());
    const twk_rows rows = {.rows = 3, .bytes = 64, .gm_pitch = 1024, .pitch = 64};
    twk_duplicate(TWK_INT32, twk_ub_at(0), args->same ? 4 : twk_block(), 48);
    twk_barrier(TWK_ALL);
    if ((args->atomic & 1) != 0 || (args->atomic == 2 && twk_block() == 0))
        twk_store_atomic(args->atomic == 3 && twk_block() == 0 ? TWK_ATOMIC_MAX : TWK_ATOMIC_ADD,
                         TWK_INT32, to, twk_ub_at(0), 16);
    else
        twk_store_rows(to, twk_ub_at(0), &rows);
}

static void test_blocks(void)
{
    static const struct {
        conflict_args args;
        bool conflict;
    } cases[] = {{{.step = 64}, false},
                 {{.step = 60}, true},
                 {{.step = 1024}, true}, /* row upon row */
                 {{.step = 60, .same = 1}, false},
                 {{.step = 60, .atomic = 1}, false},
                 {{.step = 60, .same = 1, .atomic = 2}, true},
                 {{.step = 60, .atomic = 3}, true}, /* which comes first is in the result */
                 {{.step = 64, .atomic = 3}, false}};
    for (size_t i = 0; i < TWIN_COUNT(cases); i++) {
        run("conflict", &cases[i].args, sizeof(conflict_args));
        CU_ASSERT_EQUAL(rig_hazard_count, cases[i].conflict);
    }
    static const conflict_args args = {.step = 60};
    EXPECT(
        "conflict", &args, sizeof(args),
        "kernel \"conflict\", block 1: twk_store writes global memory 0x100078 to 0x10007b, and so "
        "does twk_store of block 0");
}

/* ---- strips ---------------------------------------------------------------------------------- */

enum { STRIP_BYTES = 4096, STRIP_OPS = 300, SPANS = 1024 };

typedef struct strip_args {
    uint32_t seed;
    uint32_t together;  /* strips are read at once, not one by one */
    native_span *spans; /* what is left, of the host */
    uint32_t *count;
} strip_args;

static uint32_t next_of(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* Strips are read or written: at once, in any order, or one by one. */
static void touch(native_core *core, uint32_t pipe, const native_strips *s, bool write,
                  bool together)
{
    if (together && !write) {
        twin_native_hazard_read_strips(core, TWK_UB, pipe, NATIVE_OP_STORE, s);
        return;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t at = s->at + (together ? s->count - 1 - i : i) * s->pitch;
        if (together)
            native_hazard_add_range(core, &core->hazards, at, at + s->bytes);
        else if (write)
            twin_native_hazard_write(core, TWK_UB, pipe, NATIVE_OP_LOAD, at, s->bytes);
        else
            twin_native_hazard_read(core, TWK_UB, pipe, NATIVE_OP_STORE, at, s->bytes);
    }
    twin_native_hazard_note(core, TWK_UB, pipe, NATIVE_OP_LOAD, true);
}

/* Writes and reads of one buffer by several pipes, as operations note them. */
TWK_VECTOR_KERNEL(strips, strip_args, args)
{
    native_core *core = native_self();
    uint32_t seed = args->seed;
    for (uint32_t i = 0; i < STRIP_OPS; i++) {
        const uint32_t pipe = 1 + next_of(&seed, 4), kind = next_of(&seed, 8);
        native_strips s = {.at = next_of(&seed, 40), .bytes = 1 + next_of(&seed, 200)};
        s.pitch = s.bytes + (next_of(&seed, 3) ? next_of(&seed, 200) : 0);
        s.count = 1 + next_of(&seed, (STRIP_BYTES - s.at - s.bytes) / s.pitch + 1);
        if (kind == 0)
            (void)twin_native_hazard_release(core, pipe);
        else if (kind < 3)
            twin_native_hazard_write(core, TWK_UB, pipe, NATIVE_OP_LOAD,
                                     s.at + (s.count - 1) * s.pitch, s.bytes);
        else
            touch(core, pipe, &s, kind == 3, args->together);
    }
    const native_shadow *shadow = &core->hazards.shadow[TWK_UB];
    *args->count = shadow->count;
    for (uint32_t i = 0; i < shadow->count && i < SPANS; i++)
        args->spans[i] = shadow->spans[i];
}

/* Strips that are read or written at once leave the same notes and reports as one by one. */
static void test_strips(void)
{
    static native_span spans[2][SPANS];
    static char reports[RIG_LINES][512];
    uint32_t most = 0;
    for (uint32_t seed = 0; seed < 200; seed++) {
        uint32_t counts[2] = {0, 0}, reported = 0;
        memset(spans, 0, sizeof(spans));
        for (uint32_t together = 0; together < 2; together++) {
            const strip_args args = {seed, together, spans[together], &counts[together]};
            rig_begin("strips", 1, &args, sizeof(args));
            CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
            twin_native_end(rig_run);
            if (together == 0) {
                memcpy(reports, rig_hazards, sizeof(reports));
                reported = rig_hazard_count;
            }
        }
        CU_ASSERT_EQUAL(counts[0], counts[1]);
        CU_ASSERT(counts[0] < SPANS);
        CU_ASSERT_EQUAL(memcmp(spans[0], spans[1], sizeof(spans[0])), 0);
        CU_ASSERT_EQUAL(reported, rig_hazard_count);
        for (uint32_t i = 0; i < reported; i++)
            CU_ASSERT_STRING_EQUAL(reports[i], rig_hazards[i]);
        most = counts[0] > most ? counts[0] : most;
    }
    CU_ASSERT(most > 20);
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"a missing flag is reported where it is missed, with the one to set", test_flags},
        {"order comes from flags, barriers, one pipe and the scalar unit, and from nothing else",
         test_single},
        {"unwritten memory is the same every time", test_same_every_time},
        {"cores of a block are ordered by their flags", test_mixed},
        {"blocks that write one place are reported", test_blocks},
        {"strips that are read or written at once are strips", test_strips},
    };
    return twin_run_suite("kernel_hazard", tests, TWIN_COUNT(tests), argc, argv);
}
