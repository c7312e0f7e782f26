/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that move results out of L0C, against a conversion of each element that follows the
 * vendor's manual; and unit flags between products and them. */
#include <math.h>

#include "kernel_instruct_cube.h"

/* ---- results --------------------------------------------------------------------------------- */

enum {
    NO_QUANT,
    F16 = 1,
    VREQ8,
    REQ8,
    VDEQF16,
    DEQF16,
    VS16 = 12,
    S16,
    BF16 = 16,
    VQF32_B8 = 23,
    QF32_B8 = 24
};

typedef struct result_case {
    uint32_t quant, from, type, m, n, src, src_stride, dst, dst_stride, relu;
    bool vector, split, rows, to_l1, packed;
    uint32_t matrices, src_matrix, dst_matrix;
    uint64_t scale;
} result_case;

/* The word that scales a column. */
static uint64_t scale_of(const result_case *r, uint32_t column)
{
    uint64_t word = r->scale;
    if (r->vector)
        memcpy(&word, given.fb + 256 + column * 8, 8);
    return word;
}

static double limited(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

/* One result as the manual's scripts for fixpipe_l0c2gm compute it; bits of the type. */
static uint32_t converted(const result_case *r, uint32_t bits, uint32_t column)
{
    const uint64_t word = scale_of(r, column);
    const uint32_t factor_bits = (uint32_t)word & 0xffffe000u;
    float value, factor;
    memcpy(&value, &bits, 4);
    memcpy(&factor, &factor_bits, 4);
    if (r->from == TWK_INT32) {
        int64_t whole = (int32_t)bits;
        if (word >> 36 & 1)
            whole = (int64_t)limited(floor((double)whole / ldexp(1, 1 + (int)(word >> 32 & 15))),
                                     -32768, 32767);
        value = (float)whole;
    }
    if (r->quant == NO_QUANT)
        return r->relu && bits >> 31 ? 0 : bits;
    if (r->quant == S16 || r->quant == VS16) {
        const double whole = floor((double)(int32_t)bits / ldexp(1, 1 + (int)(word >> 32 & 15)));
        return (uint32_t)(int32_t)(r->relu && bits >> 31 ? 0 : limited(whole, -32768, 32767));
    }
    if (r->quant == F16 || r->quant == BF16)
        factor = 1;
    volatile float scaled = value * factor;
    if (r->relu && value < 0)
        scaled = 0;
    if (r->type == TWK_FP16 || r->type == TWK_BF16) {
        const uint16_t largest = r->type == TWK_FP16 ? 0x7bff : 0x7f7f;
        const uint16_t half = slow_to_short((double)scaled, r->type == TWK_FP16 ? 5 : 8);
        return (half & 0x7fff) > largest ? (half & 0x8000u) | largest : half;
    }
    const uint32_t nine = word >> 37 & 0x1ff;
    const int32_t offset = nine > 255 ? (int32_t)nine - 512 : (int32_t)nine;
    const double near = nearbyint(limited((double)scaled, -256, 255)) + offset;
    return (uint32_t)(int32_t)(word >> 46 & 1 ? limited(near, -128, 127) : limited(near, 0, 255));
}

/* Where an element goes, in bytes from the start of the matrix. */
static uint64_t place_of(const result_case *r, uint32_t row, uint32_t column)
{
    const uint32_t size = sizes[r->type];
    const uint64_t pitch = (uint64_t)r->dst_stride * 32;
    if (r->rows)
        return ((uint64_t)row * r->dst_stride + column) * size;
    if (r->split)
        return column / 8 * pitch + (uint64_t)row * 32 + column % 8 * 4;
    if (size > 1)
        return column / 16 * pitch + (uint64_t)row * 16 * size + (uint64_t)(column % 16) * size;
    const bool alone = column / 32 * 32 + 16 == r->n; /* 16 columns that have no others */
    return column / 32 * pitch + (uint64_t)row * (alone ? 16 : 32) + column % 32;
}

static void put_results(const result_case *r)
{
    for (uint32_t matrix = 0; matrix < r->matrices; matrix++)
        for (uint32_t row = 0; row < r->m; row++)
            for (uint32_t column = 0; column < r->n; column++) {
                uint32_t bits;
                memcpy(&bits,
                       given.l0c + r->src + matrix * r->src_matrix * 1024 +
                           column / 16 * r->src_stride * 64 + row * 64 + column % 16 * 4,
                       4);
                const uint32_t result = converted(r, bits, column);
                memcpy((r->to_l1 ? wanted.l1 : wanted.gm) + r->dst +
                           (uint64_t)matrix * r->dst_matrix * sizes[r->type] +
                           place_of(r, row, column),
                       &result, sizes[r->type]);
            }
}

static void add_fixpipe(const result_case *r)
{
    const uint64_t dst = r->to_l1 ? r->dst : RIG_BASE + r->dst;
    twk_instruction *one;
    if (r->packed)
        one = LIST_ADD(COPY_MATRIX_CC_TO_GM, dst, r->src,
                       (uint64_t)r->n << 4 | (uint64_t)r->m << 16 | (uint64_t)r->dst_stride << 32,
                       r->src_stride | (uint64_t)r->quant << 34 | (uint64_t)r->relu << 39 |
                           (uint64_t)r->split << 42 | (uint64_t)r->rows << 43);
    else
        one = LIST_ADD(COPY_MATRIX_CC_TO_GM, dst, r->src, 0, r->n, r->m, r->dst_stride,
                       r->src_stride, 0, r->quant, r->relu, r->split, r->rows);
    if (r->to_l1)
        one->number = TWK_INSTRUCTION_COPY_MATRIX_CC_TO_CBUF;
    typed(one, (uint8_t)r->type, (uint8_t)r->from, TWK_NO_TYPE);
}

static uint64_t any_scale(void)
{
    const float factor = (float)((int32_t)below(2001) - 1000) / 512;
    uint32_t bits;
    memcpy(&bits, &factor, 4);
    return bits | (uint64_t)random32() % 0x8000 << 32;
}

static void fill_results(const result_case *r)
{
    for (size_t i = 0; i < sizeof(given.l0c); i += 4) {
        const int32_t whole = (int32_t)below(1 << (4 + below(20))) - 2000;
        const float value = (float)whole / 64;
        memcpy(given.l0c + i, r->from == TWK_INT32 ? (const void *)&whole : &value, 4);
    }
    for (size_t i = 0; i < sizeof(given.fb); i += 8) {
        const uint64_t word = any_scale();
        memcpy(given.fb + i, &word, 8);
    }
    given_is_wanted();
}

static const struct {
    uint8_t quant, from, type;
    bool vector;
} conversions[] = {{NO_QUANT, TWK_FP32, TWK_FP32, false}, {F16, TWK_FP32, TWK_FP16, false},
                   {BF16, TWK_FP32, TWK_BF16, false},     {QF32_B8, TWK_FP32, TWK_INT8, false},
                   {VQF32_B8, TWK_FP32, TWK_UINT8, true}, {NO_QUANT, TWK_INT32, TWK_INT32, false},
                   {DEQF16, TWK_INT32, TWK_FP16, false},  {VDEQF16, TWK_INT32, TWK_FP16, true},
                   {S16, TWK_INT32, TWK_INT16, false},    {VS16, TWK_INT32, TWK_INT16, true},
                   {REQ8, TWK_INT32, TWK_UINT8, false},   {VREQ8, TWK_INT32, TWK_INT8, true}};

static void test_results(void)
{
    for (uint32_t round = 0; round < 400; round++) {
        begin();
        const uint32_t which = below((uint32_t)TWIN_COUNT(conversions));
        const uint32_t layout = below(4); /* rows, rows packed, fractals, fractals to L1 */
        result_case r = {.quant = conversions[which].quant,
                         .from = conversions[which].from,
                         .type = conversions[which].type,
                         .vector = conversions[which].vector,
                         .m = 1 + below(40),
                         .src = below(8) * 64,
                         .dst = below(30) * 32,
                         .relu = below(2),
                         .rows = layout < 2,
                         .packed = layout == 1,
                         .to_l1 = layout == 3,
                         .matrices = 1,
                         .scale = any_scale()};
        r.split = r.quant == NO_QUANT && r.type == TWK_FP32 && layout == 2 && below(2);
        r.n = r.rows ? 1 + below(60) : r.split ? (1 + below(7)) * 8 : (1 + below(4)) * 16;
        r.src_stride = (r.m + 15) / 16 * 16 + below(3) * 16;
        const uint32_t group = r.split ? 8 : sizes[r.type] == 1 ? 32 : 16;
        r.dst_stride = r.rows ? r.n + below(5) : (r.m * group * sizes[r.type] + 31) / 32 + below(3);
        fill_results(&r);
        LIST_ADD(SET_FPC, 2 << 8); /* 256 bytes into the buffer */
        LIST_ADD(SET_QUANT_PRE, r.scale);
        if (r.rows) {
            r.matrices = 1 + below(3);
            r.src_matrix = (r.n + 15) / 16 * r.src_stride / 16 + 1;
            r.dst_matrix = r.m * r.dst_stride + below(9);
            LIST_ADD(SET_ND_PARA,
                     r.matrices | (uint64_t)r.src_matrix << 16 | (uint64_t)r.dst_matrix << 32);
        }
        add_fixpipe(&r);
        put_results(&r);
        check();
    }
}

/* With CTRL bit 48 infinities stay, else they become the largest number and NaN 0. */
static void test_saturation(void)
{
    static const uint32_t numbers[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x47800000, 0x3f800000};
    static const uint16_t saturated[] = {0x7bff, 0xfbff, 0, 0x7bff, 0x3c00};
    static const uint16_t kept[] = {0x7c00, 0xfc00, 0x7e00, 0x7c00, 0x3c00};
    for (uint32_t round = 0; round < 2; round++) {
        begin();
        memcpy(given.l0c, numbers, sizeof(numbers));
        given_is_wanted();
        given_ctrl = round == 0 ? 0 : NO_SATURATION;
        LIST_ADD(SET_ND_PARA, 1);
        typed(LIST_ADD(COPY_MATRIX_CC_TO_GM, RIG_BASE, 0, 0, 5, 1, 5, 16, 0, F16, 0, 0, 1),
              TWK_FP16, TWK_FP32, TWK_NO_TYPE);
        memcpy(wanted.gm, round == 0 ? saturated : kept, sizeof(saturated));
        check();
    }
    given_ctrl = 0;
}

static void test_atomic(void)
{
    begin();
    for (uint32_t i = 0; i < 16; i++) {
        const float a = (float)i, b = 100, sum = a + b;
        memcpy(given.l0c + i * 4, &a, 4);
        memcpy(given.gm + i * 4, &b, 4);
        memcpy(wanted.l0c + i * 4, &a, 4);
        memcpy(wanted.gm + i * 4, &sum, 4);
    }
    LIST_ADD(SET_ND_PARA, 1);
    LIST_ADD_PLAIN(SET_ATOMIC_ADD);
    LIST_ADD_PLAIN(SET_ATOMIC_F32);
    typed(LIST_ADD(COPY_MATRIX_CC_TO_GM, RIG_BASE, 0, 0, 16, 1, 16, 16, 0, NO_QUANT, 0, 0, 1),
          TWK_FP32, TWK_FP32, TWK_NO_TYPE);
    check();
}

/* ---- unit flags ------------------------------------------------------------------------------ */

/* 16 by 16 of FP16 at L0C `c`; k 16. */
static void add_unit_mad(uint32_t c, uint32_t mode, bool zero)
{
    typed(LIST_ADD(MAD, c, 0, 0, 16, 16, 16, mode, 0, 0, zero), TWK_FP32, TWK_FP16, TWK_FP16);
}
static void add_unit_fixpipe(uint32_t c, uint32_t mode)
{
    typed(
        LIST_ADD(COPY_MATRIX_CC_TO_GM, RIG_BASE + c, c, 0, 16, 16, 16, 16, mode, NO_QUANT, 0, 0, 1),
        TWK_FP32, TWK_FP32, TWK_NO_TYPE);
}

/* No flags of the kernel are needed, and nothing is reported. */
static void test_units(void)
{
    begin();
    fill_numbers(TWK_FP16, given.l0a, sizeof(given.l0a));
    fill_numbers(TWK_FP16, given.l0b, sizeof(given.l0b));
    given_is_wanted();
    list.loose = true;
    LIST_ADD(SET_ND_PARA, 1);
    product_case p = {.type = TWK_FP16, .m = 16, .k = 16, .n = 16, .zero = true};
    for (uint32_t round = 0; round < 3; round++) {
        const uint32_t c = round % 2 * 2048;
        add_unit_mad(c, 2, true);
        add_unit_mad(c, 3, false);
        add_unit_fixpipe(c, 3);
        p.c = c;
        p.zero = true;
        multiply(&p);
        p.zero = false;
        multiply(&p);
        for (uint32_t i = 0; i < 1024; i++)
            wanted.gm[c + i] = wanted.l0c[c + i];
    }
    check();
    list_begin();
    LIST_ADD(SET_ND_PARA, 1);
    add_unit_mad(0, 2, true);
    add_unit_fixpipe(0, 3);
    refused(TWIN_NATIVE_STUCK, "copy_matrix_cc_to_gm: it waits for ever for the unit flag of L0C "
                               "bytes 0 to 1023: no product with unit flag 3 has set it");
    add_unit_mad(0, 3, true);
    add_unit_mad(0, 3, true);
    refused(TWIN_NATIVE_STUCK, "mad: it waits for ever for the unit flag of L0C bytes 0 to 1023");
    add_unit_mad(0, 3, true);
    LIST_ADD(SET_FPC, UINT64_C(1) << 63);
    add_unit_mad(0, 3, true);
    rig_do("cube", 1, &list, sizeof(list));
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void test_refused(void)
{
    begin();
    typed(LIST_ADD(COPY_MATRIX_CC_TO_GM, RIG_BASE, 0, 0, 16, 16, 16, 16, 0, F16, 0, 0, 1), TWK_FP32,
          TWK_FP32, TWK_NO_TYPE);
    refused(TWIN_NATIVE_OPERATION, "quant 1 makes no FP32 from FP32");
    typed(LIST_ADD(COPY_MATRIX_CC_TO_GM, RIG_BASE, 0, 0, 17, 16, 16, 16, 0, F16, 0, 0, 0), TWK_FP16,
          TWK_FP32, TWK_NO_TYPE);
    refused(TWIN_NATIVE_OPERATION, "n is 17; it must be a multiple of 16");
    typed(LIST_ADD(COPY_MATRIX_CC_TO_GM, RIG_BASE, 0, 0, 16, 16, 16, 16, 0, F16, 0, 0, 1), TWK_FP16,
          TWK_FP32, TWK_NO_TYPE);
    refused(TWIN_NATIVE_OPERATION, "nz_to_nd is 1 and set_nd_para counts 0 matrices");
    add_unit_mad(0, 1, true);
    refused(TWIN_NATIVE_OPERATION, "mad: unit_flag is 1, which is reserved");
    LIST_ADD(SET_ND_PARA, 1);
    add_unit_fixpipe(0, 1);
    refused(TWIN_NATIVE_OPERATION, "copy_matrix_cc_to_gm: unit_flag is 1, which is reserved");
    LIST_ADD(SET_ND_PARA, 1);
    typed(LIST_ADD(COPY_MATRIX_CC_TO_GM, RIG_BASE, 0, 0, 16, 16, 8, 16, 0, F16, 0, 0, 1), TWK_FP16,
          TWK_FP32, TWK_NO_TYPE);
    refused(TWIN_NATIVE_OPERATION, "rows of 32 bytes, 16 from one to the next");
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"results in each type and layout", test_results},
        {"results that are too large, as CTRL has it", test_saturation},
        {"results that are added to global memory", test_atomic},
        {"unit flags order products and results", test_units},
        {"arguments out of range fail the kernel with a reason", test_refused},
    };
    return twin_run_suite("kernel_instruct_result", tests, TWIN_COUNT(tests), argc, argv);
}
