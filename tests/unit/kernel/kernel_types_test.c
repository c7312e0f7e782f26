/* SPDX-License-Identifier: Apache-2.0 */
/* Casts, integers, masks, rows and elements picked: against the slow way. */
#include "kernel_number.h"
#include "kernel_operations.h"

#include "kernel/number.h"

#define COUNT 1001u

static void fill(uint64_t at, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        ((uint32_t *)rig_host(at))[i] = random32();
}

/* ---- casts ----------------------------------------------------------------------------------- */

typedef struct cast_args {
    uint32_t from, to, mode, count;
} cast_args;

TWK_VECTOR_KERNEL(cast, cast_args, args)
{
    twk_load(twk_ub_at(0), A, args->count * twk_bytes_of((twk_type)args->from));
    twk_barrier(TWK_ALL);
    twk_cast((twk_type)args->to, twk_ub_at(0x8000), (twk_type)args->from, twk_ub_at(0),
             (twk_round)args->mode, args->count);
    twk_barrier(TWK_ALL);
    twk_store(R, twk_ub_at(0x8000), args->count * twk_bytes_of((twk_type)args->to));
}

static double whole(double value, uint32_t mode)
{
    const double down = floor(value), part = value - down;
    if (isnan(value) || isinf(value) || part == 0)
        return value;
    switch (mode) {
    case TWK_ROUND_FLOOR:
        return down;
    case TWK_ROUND_CEIL:
        return down + 1;
    case TWK_ROUND_TRUNC:
        return value < 0 ? down + 1 : down;
    case TWK_ROUND_AWAY:
        return part > 0.5 || (part == 0.5 && value > 0) ? down + 1 : down;
    case TWK_ROUND_ODD:
        return fmod(down, 2) != 0 ? down : down + 1;
    default:
        return part > 0.5 || (part == 0.5 && fmod(down, 2) != 0) ? down + 1 : down;
    }
}

/* The neighbours of a short floating type that enclose a value, and the one that the mode takes. */
static double short_by_mode(double value, int exponent_bits, uint32_t mode)
{
    const uint16_t near = slow_to_short(value, exponent_bits);
    const double at = slow_short(near, exponent_bits);
    if (isnan(value) || at == value || mode == TWK_ROUND_EVEN)
        return at;
    const uint16_t size = near & 0x7fff, sign = near & 0x8000;
    const bool beyond = fabs(at) > fabs(value);
    const uint16_t inner = beyond ? (uint16_t)(size - 1) : size, outer = (uint16_t)(inner + 1);
    const bool negative = value < 0;
    const double low = fabs(slow_short(inner, exponent_bits));
    bool out = false;
    const double high = fabs(slow_short(outer, exponent_bits));
    const double step =
        isinf(high) ? low - fabs(slow_short((uint16_t)(inner - 1), exponent_bits)) : high - low;
    if (mode == TWK_ROUND_AWAY) /* the middle goes out */
        out = fabs(value) - low >= step / 2;
    else if (mode == TWK_ROUND_FLOOR)
        out = negative;
    else if (mode == TWK_ROUND_CEIL)
        out = !negative;
    else if (mode == TWK_ROUND_ODD)
        out = (inner & 1) == 0 && !isinf(slow_short(outer, exponent_bits));
    return slow_short((uint16_t)((out ? outer : inner) | sign), exponent_bits);
}

static double cast_by_rule(twk_type to, double value, uint32_t mode)
{
    static const double ends[][2] = {{-128, 127}, {-32768, 32767}, {-2147483648.0, 2147483647.0},
                                     {0, 255},    {0, 65535},      {0, 4294967295.0}};
    if (to >= TWK_FP16)
        return short_by_mode(value, to == TWK_FP16 ? 5 : 8, mode);
    const double rounded = whole(value, mode);
    return isnan(value)            ? 0
           : rounded < ends[to][0] ? ends[to][0]
           : rounded > ends[to][1] ? ends[to][1]
                                   : rounded;
}

static uint32_t cast_wrong(twk_type from, twk_type to, uint32_t mode)
{
    const cast_args args = {.from = from, .to = to, .mode = mode, .count = COUNT};
    uint32_t wrong = 0;
    rig_do("cast", 1, &args, sizeof(args));
    for (uint32_t i = 0; i < COUNT; i++) {
        const double value = slow_get(from, rig_host(A), i), found = slow_get(to, rig_host(R), i);
        const double wanted = to == TWK_FP32 ? (double)(float)value : cast_by_rule(to, value, mode);
        if (found == wanted || (isnan(found) && isnan(wanted)))
            continue;
        if (wrong++ == 0)
            printf("\n    cast %d to %d, mode %u: %a gives %a, not %a\n", (int)from, (int)to, mode,
                   value, found, wanted);
    }
    return wrong;
}

static void test_casts(void)
{
    for (uint32_t from = TWK_INT8; from <= TWK_BF16; from++)
        for (uint32_t to = TWK_INT8; to <= TWK_BF16; to++)
            for (uint32_t mode = 0; mode <= TWK_ROUND_ODD && from != to; mode++) {
                if (to == TWK_FP32 && mode != TWK_ROUND_EVEN)
                    continue; /* the slow way has no other */
                fill(A, COUNT);
                /* FP32 near what the others can hold, and in the middle between two. */
                for (uint32_t i = 0; from == TWK_FP32 && i < COUNT; i += 2)
                    ((float *)rig_host(A))[i] = ((float)(random32() % 600) - 300) * 0.5f;
                for (uint32_t i = 1; from == TWK_FP32 && i < COUNT; i += 8)
                    ((float *)rig_host(A))[i] = (float)(random32() % 200) * 1000.0f - 100000;
                CU_ASSERT_EQUAL(cast_wrong((twk_type)from, (twk_type)to, mode), 0);
            }
}

static void test_whole_numbers(void)
{
    const cast_args args = {.from = TWK_FP32, .to = TWK_FP32, .mode = TWK_ROUND_CEIL, .count = 4};
    const float values[4] = {1.25f, -1.25f, 3e10f, -0.5f};
    memcpy(rig_host(A), values, sizeof(values));
    rig_do("cast", 1, &args, sizeof(args));
    const float *found = rig_host(R);
    CU_ASSERT(found[0] == 2 && found[1] == -1 && found[2] == 3e10f && found[3] == 0);
}

/* ---- integers -------------------------------------------------------------------------------- */

static int64_t by_rule(uint32_t what, int64_t a, int64_t b, int64_t s)
{
    switch (what) {
    case DO_ADD:
        return a + b;
    case DO_SUB:
        return a - b;
    case DO_MUL:
        return a * b;
    case DO_MAX:
        return a > b ? a : b;
    case DO_MIN:
        return a < b ? a : b;
    case DO_ADDS:
        return a + s;
    case DO_MULS:
        return a * s;
    case DO_MAXS:
        return a > s ? a : s;
    case DO_MINS:
        return a < s ? a : s;
    case DO_RELU:
        return a > 0 ? a : 0;
    case DO_AND:
        return a & b;
    case DO_OR:
        return a | b;
    case DO_XOR:
        return a ^ b;
    case DO_NOT:
        return ~a;
    case DO_LEFT:
        return (int64_t)((uint64_t)a << s);
    default:
        return a >> s;
    }
}

static void test_integers(void)
{
    static const uint32_t all[] = {DO_ADD,  DO_SUB,  DO_MUL,  DO_MAX,  DO_MIN, DO_ADDS,
                                   DO_MULS, DO_MAXS, DO_MINS, DO_RELU, DO_AND, DO_OR,
                                   DO_XOR,  DO_NOT,  DO_LEFT, DO_RIGHT};
    for (size_t k = 0; k < TWIN_COUNT(all); k++)
        for (uint32_t type = TWK_INT8; type <= TWK_UINT32; type++) {
            const uint32_t what = all[k];
            const bool sums = what <= DO_MINS && what != DO_RELU;
            const bool shifts = what == DO_LEFT || what == DO_RIGHT;
            const uint32_t size = twk_bytes_of((twk_type)type);
            if ((sums && type != TWK_INT16 && type != TWK_INT32) || (shifts && size == 1) ||
                (what == DO_RELU && type != TWK_INT32))
                continue;
            const op_args args = {.what = what, .type = type, .count = COUNT, .scalar = 5};
            fill(A, COUNT);
            fill(B, COUNT);
            fill(R, COUNT);
            rig_do("op", 1, &args, sizeof(args));
            uint32_t wrong = 0;
            for (uint32_t i = 0; i < COUNT; i++) {
                const int64_t wanted =
                    by_rule(what, (int64_t)slow_get((twk_type)type, rig_host(A), i),
                            (int64_t)slow_get((twk_type)type, rig_host(B), i), 5);
                const int64_t found = (int64_t)slow_get((twk_type)type, rig_host(R), i);
                const uint64_t bits = size == 4 ? 0xffffffffu : size == 2 ? 0xffffu : 0xffu;
                wrong += ((uint64_t)found & bits) != ((uint64_t)wanted & bits);
            }
            CU_ASSERT_EQUAL(wrong, 0);
        }
}

static void test_integer_reductions(void)
{
    uint32_t sum = 0;
    int32_t most = INT32_MIN, least = INT32_MAX;
    fill(A, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const int32_t a = ((const int32_t *)rig_host(A))[i];
        sum += (uint32_t)a;
        most = a > most ? a : most;
        least = a < least ? a : least;
    }
    const int32_t wanted[] = {(int32_t)sum, most, least};
    for (uint32_t what = DO_REDUCE_SUM; what <= DO_REDUCE_MIN; what++) {
        const op_args args = {.what = what, .type = TWK_INT32, .count = COUNT};
        rig_do("op", 1, &args, sizeof(args));
        CU_ASSERT_EQUAL(*(const int32_t *)rig_host(R), wanted[what - DO_REDUCE_SUM]);
    }
}

static void test_bad_shift(void)
{
    const op_args args = {.what = DO_LEFT, .type = TWK_INT16, .count = 8, .scalar = 16};
    rig_fail("op", 1, &args, sizeof(args), TWIN_NATIVE_OPERATION,
             "twk_shift_left by 16 bits of INT16");
}

/* ---- masks, rows, picked elements ------------------------------------------------------------ */

typedef struct mask_args {
    uint32_t type, relation, count;
} mask_args;

TWK_VECTOR_KERNEL(masks, mask_args, args)
{
    const twk_type type = (twk_type)args->type;
    const uint32_t n = args->count, bytes = n * twk_bytes_of(type);
    const twk_relation relation = (twk_relation)args->relation;
    const twk_ub a = twk_ub_at(0), b = twk_ub_at(0x2000), mask = twk_ub_at(0x4000);
    twk_load(a, A, bytes);
    twk_load(b, B, bytes);
    twk_barrier(TWK_ALL);
    twk_compare(type, mask, a, relation, b, n);
    twk_compares(type, twk_ub_at(0x4800), a, relation, 3, n);
    twk_select(type, twk_ub_at(0x6000), mask, a, b, n);
    twk_selects(type, twk_ub_at(0x8000), mask, a, -9, n);
    twk_barrier(TWK_ALL);
    twk_store(R, mask, (n + 7) / 8);
    twk_store(R + 0x800, twk_ub_at(0x4800), (n + 7) / 8);
    twk_store(R + 0x2000, twk_ub_at(0x6000), bytes);
    twk_store(R + 0x4000, twk_ub_at(0x8000), bytes);
}

static bool stands(uint32_t relation, double a, double b)
{
    const bool table[] = {a<b, a <= b, a == b, a != b, a >= b, a> b};
    return table[relation];
}

/* Numbers that are often the same; each eighth is any of the type, also infinity and NaN. */
static void fill_few(uint64_t at, uint32_t type)
{
    const uint32_t size = twk_bytes_of((twk_type)type);
    for (uint32_t i = 0; i < COUNT; i++) {
        const double number = (double)(random32() % 7) - 3;
        unsigned char *element = (unsigned char *)rig_host(at) + (size_t)i * size;
        const uint32_t any = random32();
        bool overflow = false;
        if (random32() % 8 == 0)
            memcpy(element, &any, size);
        else
            twin_native_store(type, element, number, TWK_ROUND_EVEN, &overflow);
    }
}

static uint32_t wrong_masks(uint32_t type, uint32_t relation)
{
    const twk_type of = (twk_type)type;
    const void *a = rig_host(A), *b = rig_host(B);
    const unsigned char *mask = rig_host(R), *masks = rig_host(R + 0x800);
    const void *one = rig_host(R + 0x2000), *other = rig_host(R + 0x4000);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        const double left = slow_get(of, a, i), right = slow_get(of, b, i);
        const bool is = stands(relation, left, right);
        wrong += (mask[i / 8] >> i % 8 & 1) != is;
        wrong += (masks[i / 8] >> i % 8 & 1) != stands(relation, left, 3);
        wrong += !slow_same(slow_get(of, one, i), is ? left : right);
        wrong += !slow_same(slow_get(of, other, i), is ? left : -9);
    }
    return wrong + (mask[COUNT / 8] >> COUNT % 8 != 0); /* past the last one */
}

static void test_masks(void)
{
    static const twk_type types[] = {TWK_INT16, TWK_INT32, TWK_FP16, TWK_BF16, TWK_FP32};
    for (uint32_t i = 0; i < TWIN_COUNT(types); i++)
        for (uint32_t relation = TWK_LT; relation <= TWK_GT; relation++) {
            const mask_args args = {.type = types[i], .relation = relation, .count = COUNT};
            fill_few(A, types[i]);
            fill_few(B, types[i]);
            memset(rig_host(R), 0xff, 0x1000);
            rig_do("masks", 1, &args, sizeof(args));
            CU_ASSERT_EQUAL(wrong_masks(types[i], relation), 0);
        }
}

/* Doubles of any size, as an author may give them. */
static void test_given(void)
{
    static const twk_type types[] = {TWK_FP16, TWK_BF16, TWK_FP32};
    for (uint32_t i = 0; i < 30000; i++) {
        const twk_type type = types[i % 3];
        const uint64_t bits = (uint64_t)random32() << 32 | random32();
        unsigned char element[4];
        bool overflow = false;
        double value;
        memcpy(&value, &bits, sizeof(value));
        if (i % 2 == 0) /* most others are far too large or too small */
            value = ldexp(fmod(value, 1), (int)(random32() % 300) - 160);
        twin_native_store(type, element, value, TWK_ROUND_EVEN, &overflow);
        CU_ASSERT(slow_same(slow_get(type, element, 0), slow_round(type, value)));
        CU_ASSERT_EQUAL(overflow, isfinite(value) && isinf(slow_round(type, value)));
    }
}

TWK_VECTOR_KERNEL(rows, twk_none, args)
{
    const twk_grid grid = {.rows = 5, .columns = 13, .pitch = 16};
    twk_load(twk_ub_at(0), A, 5 * 16 * 4);
    twk_load(twk_ub_at(0x400), B, 5 * 4);
    twk_barrier(TWK_ALL);
    twk_reduce_rows_max(TWK_FP32, twk_ub_at(0x800), twk_ub_at(0), &grid);
    twk_reduce_rows_sum(TWK_FP32, twk_ub_at(0x900), twk_ub_at(0), &grid);
    twk_reduce_rows_min(TWK_FP32, twk_ub_at(0xa00), twk_ub_at(0), &grid);
    twk_duplicate(TWK_FP32, twk_ub_at(0x1000), -1, 5 * 16);
    twk_rows_sub(TWK_FP32, twk_ub_at(0x1000), twk_ub_at(0), twk_ub_at(0x400), &grid);
    twk_rows_mul(TWK_FP32, twk_ub_at(0), twk_ub_at(0), twk_ub_at(0x400), &grid);
    twk_barrier(TWK_ALL);
    twk_store(R, twk_ub_at(0x800), 20);
    twk_store(R + 0x100, twk_ub_at(0x900), 20);
    twk_store(R + 0x200, twk_ub_at(0xa00), 20);
    twk_store(R + 0x400, twk_ub_at(0x1000), 5 * 16 * 4);
    twk_store(R + 0x800, twk_ub_at(0), 5 * 16 * 4);
}

static void test_rows(void)
{
    float *a = rig_host(A), *b = rig_host(B);
    for (uint32_t i = 0; i < 80; i++)
        a[i] = (float)((i * 7) % 31) - 10;
    for (uint32_t i = 0; i < 5; i++)
        b[i] = (float)i + 1;
    const float *most = rig_host(R), *sum = rig_host(R + 0x100), *least = rig_host(R + 0x200);
    const float *less = rig_host(R + 0x400), *times = rig_host(R + 0x800);
    rig_do("rows", 1, NULL, 0);
    for (uint32_t row = 0; row < 5; row++) {
        float top = -100, total = 0, bottom = 100;
        for (uint32_t i = row * 16; i < row * 16 + 13; i++) {
            top = a[i] > top ? a[i] : top;
            bottom = a[i] < bottom ? a[i] : bottom;
            total += a[i]; /* small whole numbers: the order is one */
            CU_ASSERT_EQUAL(less[i], a[i] - b[row]);
            CU_ASSERT_EQUAL(times[i], a[i] * b[row]);
        }
        CU_ASSERT(most[row] == top && sum[row] == total && least[row] == bottom);
        CU_ASSERT_EQUAL(less[row * 16 + 13], -1); /* between the rows nothing changes */
        CU_ASSERT_EQUAL(times[row * 16 + 13], a[row * 16 + 13]);
    }
}

TWK_VECTOR_KERNEL(pick, twk_none, args)
{
    twk_index(TWK_FP32, twk_ub_at(0), -3, 64);
    twk_index(TWK_INT16, twk_ub_at(0x400), 5, 64);
    twk_load(twk_ub_at(0x200), A, 64 * 4);
    twk_barrier(TWK_ALL);
    twk_gather(TWK_FP32, twk_ub_at(0x800), twk_ub_at(0), twk_ub_at(0x200), 64);
    twk_move(twk_ub_at(0xa00), twk_ub_at(0x400), 128);
    twk_barrier(TWK_ALL);
    twk_put(TWK_BF16, twk_ub_at(0xa02), 1.5);
    twk_gm_put(TWK_INT8, R + 0x800, twk_get(TWK_INT16, twk_ub_at(0x404)));
    twk_gm_put(TWK_INT8, R + 0x801, 1e9);
    twk_gm_set_word(R + 0x808, twk_gm_word(A) + 1);
    twk_set_flag(TWK_S, TWK_MTE3, 0);
    twk_wait_flag(TWK_S, TWK_MTE3, 0);
    twk_store(R, twk_ub_at(0x800), 256);
    twk_store(R + 0x400, twk_ub_at(0xa00), 128);
}

static void test_pick(void)
{
    uint32_t *offsets = rig_host(A);
    for (uint32_t i = 0; i < 64; i++)
        offsets[i] = i * 20 % 64 * 4;
    rig_do("pick", 1, NULL, 0);
    const float *found = rig_host(R);
    const int16_t *moved = rig_host(R + 0x400);
    const int8_t *bytes = rig_host(R + 0x800);
    for (uint32_t i = 0; i < 64; i++) {
        CU_ASSERT_EQUAL(found[i], (float)(i * 20 % 64) - 3);
        if (i != 1)
            CU_ASSERT_EQUAL(moved[i], (int)i + 5);
    }
    CU_ASSERT_EQUAL(moved[1], 0x3fc0); /* 1.5 in BF16 */
    CU_ASSERT(bytes[0] == 7 && bytes[1] == 127);
    CU_ASSERT_EQUAL(*(const uint64_t *)rig_host(R + 0x808), *(const uint64_t *)rig_host(A) + 1);
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"a cast of any type to any other rounds in the given mode", test_casts},
        {"a cast to the same type leaves whole numbers", test_whole_numbers},
        {"integers wrap, and bits are bits", test_integers},
        {"reductions of integers", test_integer_reductions},
        {"a shift by too much is refused", test_bad_shift},
        {"comparisons give bits, and bits choose", test_masks},
        {"numbers of the author become the nearest of their type", test_given},
        {"rows are reduced to elements, and changed by one each", test_rows},
        {"elements are picked, counted, moved, read and written", test_pick},
    };
    return twin_run_suite("kernel_types", tests, TWIN_COUNT(tests), argc, argv);
}
