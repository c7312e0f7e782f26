/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that the suite `native` launches. */
#include <twinrt/kernel.h>

#include "native_args.h"

#define TILE_BYTES (NATIVE_TILE * 4u)

typedef struct factors {
    uint32_t first, second;
} factors;
TWK_VARIABLE(factors, factor, {1234, 5678});

TWK_VECTOR_KERNEL(add, struct native_add, args)
{
    const uint32_t sets = args->single ? 1 : 2;
    const uint32_t tiles = args->count / NATIVE_TILE;
    uint32_t turn = 0;
    for (uint32_t tile = twk_block(); tile < tiles; tile += twk_blocks(), turn++) {
        const uint32_t set = turn % sets;
        const twk_ub x = twk_ub_at(set * 2 * TILE_BYTES);
        const twk_ub y = twk_ub_at((set * 2 + 1) * TILE_BYTES);
        const uint64_t place = (uint64_t)tile * TILE_BYTES;
        if (turn >= sets) /* what was there before is stored */
            twk_wait_flag(TWK_MTE3, TWK_MTE2, set);
        twk_load(x, args->x + place, TILE_BYTES);
        twk_load(y, args->y + place, TILE_BYTES);
        twk_set_flag(TWK_MTE2, TWK_V, set);
        twk_wait_flag(TWK_MTE2, TWK_V, set);
        twk_add(TWK_FP32, x, x, y, NATIVE_TILE);
        twk_set_flag(TWK_V, TWK_MTE3, set);
        twk_wait_flag(TWK_V, TWK_MTE3, set);
        twk_store(args->z + place, x, TILE_BYTES);
        twk_set_flag(TWK_MTE3, TWK_MTE2, set);
    }
    for (uint32_t left = turn < sets ? turn : sets; left > 0; left--)
        twk_wait_flag(TWK_MTE3, TWK_MTE2, (turn - left) % sets);
}
TWK_PARAMS(add, TWK_PARAM(struct native_add, x), TWK_PARAM(struct native_add, y),
           TWK_PARAM(struct native_add, z), TWK_PARAM(struct native_add, count),
           TWK_PARAM(struct native_add, single));

/* Writes 32 bits of UB to global memory. */
static void put_word(twk_gm to, uint32_t value)
{
    twk_put(TWK_UINT32, twk_ub_at(0), value);
    twk_set_flag(TWK_S, TWK_MTE3, 0);
    twk_wait_flag(TWK_S, TWK_MTE3, 0);
    twk_store(to, twk_ub_at(0), 4);
    twk_set_flag(TWK_MTE3, TWK_S, 0);
    twk_wait_flag(TWK_MTE3, TWK_S, 0);
}

static void put_place(const struct native_places *args, uint32_t part)
{
    const twk_gm row = args->rows + twk_block() * NATIVE_ROW * 4u + part * 4u * 4u;
    put_word(row, twk_block() + 1);
    put_word(row + 4, twk_blocks());
    put_word(row + 8, twk_vector_index() + 1);
    put_word(row + 12, twk_vectors());
}

TWK_VECTOR_KERNEL(places, struct native_places, args)
{
    put_place(args, 0);
}

TWK_VECTOR_KERNEL(places_batch, struct native_places, args)
{
    put_place(args, 0);
}
TWK_BATCH(places_batch);

/* A cube core has no UB: it writes words of 64 bits. */
static void put_cube(const struct native_places *args)
{
    const twk_gm row = args->rows + twk_block() * NATIVE_ROW * 4u;
    twk_gm_set_word(row, (uint64_t)twk_blocks() << 32 | (twk_block() + 1));
}

TWK_CUBE_KERNEL(places_cube, struct native_places, args)
{
    put_cube(args);
}

TWK_CUBE_HALF(places_mix, struct native_places, args)
{
    put_cube(args);
}
TWK_VECTOR_HALF(places_mix, struct native_places, args)
{
    put_place(args, 1 + twk_vector_index());
}
TWK_MIX_KERNEL(places_mix, struct native_places, 2);

TWK_VECTOR_KERNEL(echo, struct native_echo, args)
{
    put_word(args->to, args->number);
    put_word(args->to + 4, args->half);
    put_word(args->to + 8, args->byte);
    if (args->pointer != 0) {
        twk_load(twk_ub_at(32), args->pointer, 4);
        twk_set_flag(TWK_MTE2, TWK_MTE3, 0);
        twk_wait_flag(TWK_MTE2, TWK_MTE3, 0);
        twk_store(args->to + 12, twk_ub_at(32), 4);
    }
}
TWK_PARAMS(echo, TWK_PARAM(struct native_echo, to), TWK_PARAM(struct native_echo, number),
           TWK_PARAM(struct native_echo, half), TWK_PARAM(struct native_echo, byte),
           TWK_PARAM(struct native_echo, pointer));

TWK_VECTOR_KERNEL(empty, twk_none, args) {}

TWK_VECTOR_KERNEL(work, struct native_work, args)
{
    for (uint32_t i = 0; i < args->times; i++)
        twk_duplicate(TWK_FP32, twk_ub_at(0), 1, args->elements);
}

TWK_VECTOR_KERNEL(work_batch, struct native_work, args)
{
    for (uint32_t i = 0; i < args->times; i++)
        twk_duplicate(TWK_FP32, twk_ub_at(0), 1, args->elements);
}
TWK_BATCH(work_batch);

/* The word of a block, in one of two places. */
static twk_gm meet_word(const struct native_meet *args, uint32_t round, uint32_t block)
{
    return args->rows + (uint64_t)(round % 2) * NATIVE_MEET * 4 + (uint64_t)block * 32;
}

static void put_meet(const struct native_meet *args, uint32_t round, double value)
{
    twk_duplicate(TWK_INT32, twk_ub_at(0), value, 8);
    twk_set_flag(TWK_V, TWK_MTE3, 0);
    twk_wait_flag(TWK_V, TWK_MTE3, 0);
    twk_store(meet_word(args, round, twk_block()), twk_ub_at(0), 32);
    twk_barrier(TWK_ALL);
}

TWK_VECTOR_KERNEL(meet, struct native_meet, args)
{
    const uint32_t next = (twk_block() + 1) % twk_blocks();
    put_meet(args, 0, twk_block() * 100);
    for (uint32_t round = 0; round < args->rounds; round++) {
        if (round + 1 == args->rounds && twk_block() + 1 == args->away)
            return;
        for (uint32_t i = 0; i < args->times && round % twk_blocks() == twk_block(); i++)
            twk_duplicate(TWK_FP32, twk_ub_at(1024), 1, NATIVE_TILE);
        twk_sync_all(true);
        twk_load(twk_ub_at(0), meet_word(args, round, next), 32);
        twk_barrier(TWK_ALL);
        put_meet(args, round + 1, twk_get(TWK_INT32, twk_ub_at(0)) + 1);
    }
}
TWK_BATCH(meet);

TWK_VECTOR_KERNEL(published, struct native_published, args)
{
    const twk_ub x = twk_ub_at(0), y = twk_ub_at(0x10100), z = twk_ub_at(0x20000);
    if (args->figure == NATIVE_SUMS) {
        twk_duplicate(TWK_FP32, x, 1, 4096);
        twk_duplicate(TWK_FP32, y, 1, 4096);
    }
    for (uint32_t i = 0; i < args->times; i++) {
        if (args->figure == NATIVE_SUMS)
            twk_add(TWK_FP32, z, x, y, 4096);
        else
            twk_load(twk_ub_at(i % 256 * 128), args->from + (uint64_t)i * 128, 128);
    }
}

TWK_CUBE_KERNEL(published_cube, struct native_products, args)
{
    for (uint32_t i = 0; i < args->times; i++)
        twk_mmad(TWK_FP16, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), 128, 256, 64, false);
}

#define SQUARE_BYTES (NATIVE_SQUARE * NATIVE_SQUARE * 4u)
#define SQUARE_HALF  (NATIVE_SQUARE * NATIVE_SQUARE * 2u)

TWK_CUBE_HALF(product, struct native_product, args)
{
    const twk_matrix a = twk_matrix_at(0, NATIVE_SQUARE, NATIVE_SQUARE);
    const twk_matrix b = twk_matrix_at(65536, NATIVE_SQUARE, NATIVE_SQUARE);
    const twk_l0a left = twk_l0a_at(0);
    const twk_l0b right = twk_l0b_at(0);
    const twk_l0c sum = twk_l0c_at(0);
    const uint64_t block = twk_block();
    twk_load_matrix(TWK_FP16, a, args->a + block * SQUARE_HALF, NATIVE_SQUARE * 2);
    twk_load_matrix(TWK_FP16, b, args->b + block * SQUARE_HALF, NATIVE_SQUARE * 2);
    twk_set_flag(TWK_MTE2, TWK_MTE1, 0);
    twk_wait_flag(TWK_MTE2, TWK_MTE1, 0);
    twk_load_a(TWK_FP16, left, a, 0, 0, NATIVE_SQUARE, NATIVE_SQUARE, false);
    twk_load_b(TWK_FP16, right, b, 0, 0, NATIVE_SQUARE, NATIVE_SQUARE, false);
    twk_set_flag(TWK_MTE1, TWK_M, 0);
    twk_wait_flag(TWK_MTE1, TWK_M, 0);
    twk_mmad(TWK_FP16, sum, left, right, NATIVE_SQUARE, NATIVE_SQUARE, NATIVE_SQUARE, false);
    twk_set_flag(TWK_M, TWK_FIX, 0);
    twk_wait_flag(TWK_M, TWK_FIX, 0);
    twk_store_result(TWK_FP32, args->c + block * SQUARE_BYTES, NATIVE_SQUARE * 4, TWK_FP32, sum,
                     NATIVE_SQUARE, NATIVE_SQUARE, NULL);
    twk_cross_core_set_flag(TWK_FIX, 0);
}
TWK_VECTOR_HALF(product, struct native_product, args)
{
    const uint32_t share = SQUARE_BYTES / twk_vectors();
    const twk_gm place =
        args->c + (uint64_t)twk_block() * SQUARE_BYTES + twk_vector_index() * share;
    twk_cross_core_wait_flag(TWK_MTE2, 0);
    twk_load(twk_ub_at(0), place, share);
    twk_set_flag(TWK_MTE2, TWK_V, 0);
    twk_wait_flag(TWK_MTE2, TWK_V, 0);
    twk_adds(TWK_FP32, twk_ub_at(0), twk_ub_at(0), 1, share / 4);
    twk_set_flag(TWK_V, TWK_MTE3, 0);
    twk_wait_flag(TWK_V, TWK_MTE3, 0);
    twk_store(place, twk_ub_at(0), share);
}
TWK_MIX_KERNEL(product, struct native_product, 2);

static uint32_t deeper(twk_gm memory, uint32_t depth)
{
    volatile uint32_t room[50];
    room[0] = (uint32_t)twk_gm_get(TWK_UINT32, memory);
    twk_printf("%s", "");
    return depth == 0 ? room[0] : deeper(memory, depth - 1) + room[0];
}

static void go_wrong(const struct native_wrong *args)
{
    volatile uint32_t turns = 0;
    switch (args->what) {
    case NATIVE_TRAP:
        twk_trap();
    case NATIVE_FAR:
        twk_load(twk_ub_at(0), 64, 32);
        break;
    case NATIVE_PAST:
        twk_store(args->memory + NATIVE_TILE * 4, twk_ub_at(0),
                  128); /* there are 32 bytes more, or 64 */
        break;
    case NATIVE_BUFFER:
        twk_load(twk_ub_at(twk_size(TWK_UB) - 32), args->memory, 64);
        break;
    case NATIVE_CRASH:
        *(volatile uint32_t *)(uintptr_t)(8u + turns) = 1;
        break;
    case NATIVE_LOOP:
        for (;;)
            turns++;
    case NATIVE_STUCK:
        twk_wait_flag(TWK_MTE2, TWK_V, 3);
        twk_duplicate(TWK_FP32, twk_ub_at(0), 1, 64);
        break;
    case NATIVE_STUCK_SCALAR:
        twk_wait_flag(TWK_MTE2, TWK_S, 3);
        break;
    case NATIVE_POLL:
        while (twk_gm_get(TWK_UINT32, args->memory) == 0)
            turns++;
        break;
    case NATIVE_DEEP:
        turns = deeper(args->memory, 1u << 20);
        break;
    default:
        twk_load(twk_ub_at(0), args->memory, 256); /* and no flag before the vector unit reads */
        twk_adds(TWK_FP32, twk_ub_at(0), twk_ub_at(0), 1, 64);
        twk_set_flag(TWK_V, TWK_MTE3, 0);
        twk_wait_flag(TWK_V, TWK_MTE3, 0);
        twk_store(args->memory, twk_ub_at(0), 256);
        break;
    }
}

TWK_VECTOR_KERNEL(wrong, struct native_wrong, args)
{
    put_word(args->memory + 4096 + twk_block() * 4u, 1);
    if (twk_block() == args->block)
        go_wrong(args);
}

TWK_CUBE_KERNEL(wrong_cube, struct native_wrong, args)
{
    if (twk_block() == args->block && args->what == NATIVE_TRAP)
        twk_trap();
}

TWK_VECTOR_KERNEL(print, struct native_count, args)
{
    twk_printf("block %u says %s", twk_block(), "hello");
}

TWK_VECTOR_KERNEL(square, struct native_square, args)
{
    twk_duplicate(TWK_FP16, twk_ub_at(0), args->number, 16);
    twk_mul(TWK_FP16, twk_ub_at(0), twk_ub_at(0), twk_ub_at(0), 16);
    twk_set_flag(TWK_V, TWK_MTE3, 0);
    twk_wait_flag(TWK_V, TWK_MTE3, 0);
    twk_store(args->to, twk_ub_at(0), 32);
}

static uint32_t counted;

TWK_VECTOR_KERNEL(count, struct native_count, args)
{
    put_word(args->to, ++counted);
}
