/* SPDX-License-Identifier: Apache-2.0 */
/* The buffers of a cube core before and after a list of instructions, and products as loops over
 * elements. Kernels are entered in the program that includes this. */
#ifndef TWINRT_TESTS_UNIT_KERNEL_INSTRUCT_CUBE_H
#define TWINRT_TESTS_UNIT_KERNEL_INSTRUCT_CUBE_H

#include "kernel_instruct_list.h"
#include "kernel_number.h"

#include "kernel/access.h"

/* What the buffers of a core hold, and global memory that instructions read and write. */
typedef struct image {
    unsigned char l1[0x20000], l0a[0x10000], l0b[0x10000], l0c[0x20000], bt[0x400], fb[0x800];
    unsigned char index[0x4000];
    unsigned char gm[0x20000];
} image;

static image given, found, wanted;
static uint64_t given_ctrl;
#define HF32          (UINT64_C(1) << 46) /* of CTRL */
#define HF32_ZERO     (UINT64_C(1) << 47)
#define NO_SATURATION (UINT64_C(1) << 48)

static const struct {
    uint32_t buffer, pipe;
    size_t at, bytes;
} parts[] = {{TWK_L1, TWIN_PIPE_MTE2, offsetof(image, l1), sizeof(given.l1)},
             {TWK_L0A, TWIN_PIPE_MTE1, offsetof(image, l0a), sizeof(given.l0a)},
             {TWK_L0B, TWIN_PIPE_MTE1, offsetof(image, l0b), sizeof(given.l0b)},
             {TWK_L0C, TWIN_PIPE_CUBE, offsetof(image, l0c), sizeof(given.l0c)},
             {NATIVE_BT, TWIN_PIPE_MTE1, offsetof(image, bt), sizeof(given.bt)},
             {NATIVE_FB, TWIN_PIPE_FIX, offsetof(image, fb), sizeof(given.fb)},
             {NATIVE_INDEX, TWIN_PIPE_MTE1, offsetof(image, index), sizeof(given.index)}};

TWK_CUBE_KERNEL(cube, list_args, args)
{
    native_core *core = native_self();
    for (uint32_t i = 0; i < TWIN_COUNT(parts); i++)
        memcpy(twin_native_target(core, parts[i].buffer, parts[i].pipe, NATIVE_OP_PUT, 0,
                                  parts[i].bytes, 1),
               (unsigned char *)&given + parts[i].at, parts[i].bytes);
    twk_barrier(TWK_ALL);
    core->registers.ctrl = given_ctrl;
    do_list(args);
    twk_barrier(TWK_ALL);
    for (uint32_t i = 0; i < TWIN_COUNT(parts); i++)
        memcpy((unsigned char *)&found + parts[i].at, core->buffer[parts[i].buffer],
               parts[i].bytes);
}

static inline void begin(void)
{
    list_begin();
    for (size_t i = 0; i < sizeof(given); i += 4) {
        const uint32_t word = random32();
        memcpy((unsigned char *)&given + i, &word, 4);
    }
    memcpy(&wanted, &given, sizeof(wanted));
}

/* After changes of `given` that are wanted too. */
static inline void given_is_wanted(void)
{
    memcpy(&wanted, &given, sizeof(wanted));
}

static inline void check(void)
{
    memcpy(rig_memory, given.gm, sizeof(given.gm));
    rig_do("cube", 1, &list, sizeof(list));
    memcpy(found.gm, rig_memory, sizeof(found.gm));
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < sizeof(image); i++)
        if (((unsigned char *)&found)[i] != ((unsigned char *)&wanted)[i]) {
            first = wrong == 0 ? i : first;
            wrong++;
        }
    if (wrong > 0)
        printf("\n    instruction %u, %zu bytes are wrong, the first at 0x%zx\n",
               list.list[list.count - 1].number, wrong, first);
    CU_ASSERT_EQUAL(wrong, 0);
}

static inline void refused(twin_native_fault fault, const char *part)
{
    rig_fail("cube", 1, &list, sizeof(list), fault, part);
    list_begin();
}

static inline twk_instruction *typed(twk_instruction *one, uint8_t first, uint8_t second,
                                     uint8_t third)
{
    one->types[0] = first;
    one->types[1] = second;
    one->types[2] = third;
    return one;
}

static const uint32_t sizes[] = {1, 2, 4, 1, 2, 4, 2, 4, 2}; /* of twk_type */

static inline uint32_t nibble(const unsigned char *from, uint32_t index)
{
    return from[index / 2] >> index % 2 * 4 & 15u;
}

enum { INT4 = 100 };

static inline uint32_t per_unit_of(uint32_t type)
{
    return type == INT4 ? 64 : 32 / sizes[type];
}

/* An element of a fractal at `at`. */
static inline float element(uint32_t type, const unsigned char *at, uint32_t index)
{
    uint16_t half;
    float value;
    switch (type) {
    case INT4:
        return (float)((int32_t)(nibble(at, index) ^ 8u) - 8);
    case TWK_INT8:
        return (float)(int8_t)at[index];
    case TWK_FP32:
        memcpy(&value, at + index * 4, 4);
        return value;
    default:
        memcpy(&half, at + index * 2, 2);
        return (float)slow_short(half, type == TWK_FP16 ? 5 : 8);
    }
}

/* Numbers of moderate size. */
static inline void fill_numbers(uint32_t type, unsigned char *at, size_t bytes)
{
    for (size_t i = 0; i + 4 <= bytes && type != INT4 && type != TWK_INT8; i += sizes[type]) {
        const float value = (float)((int32_t)below(20001) - 10000) / 4096;
        const uint16_t half = slow_to_short((double)value, type == TWK_FP16 ? 5 : 8);
        memcpy(at + i, type == TWK_FP32 ? (const void *)&value : &half, sizes[type]);
    }
}

/* 11 bits of mantissa: to the nearest, of two to the even one or towards 0. */
static inline float cut(float value, uint32_t mode)
{
    if (mode == 0 || value == 0)
        return value;
    int exponent;
    const double fraction = frexp((double)value, &exponent) * 4096; /* 12 bits before the point */
    double whole = floor(fabs(fraction)), rest = fabs(fraction) - whole;
    if (rest > 0.5 || (rest == 0.5 && mode == 1 && fmod(whole, 2) != 0))
        whole += 1;
    return (float)(copysign(whole, fraction) * ldexp(1, exponent - 12));
}

static inline float add_product(float sum, float a, float b)
{
    volatile float product = a * b;
    volatile float result = sum + product;
    return result;
}

typedef struct product_case {
    uint32_t type, m, k, n, hf32;
    bool aligned, bias, zero;
    uint32_t a, b, c, bt;
} product_case;

static inline void multiply(const product_case *p)
{
    const uint32_t per_unit = per_unit_of(p->type), units = (p->k + per_unit - 1) / per_unit;
    const uint32_t row_units = p->aligned && p->type == TWK_FP32 ? (units + 1) / 2 * 2 : units;
    const uint32_t wide_m = (p->m + 15) / 16 * 16, wide_n = (p->n + 15) / 16 * 16;
    const bool whole = p->type == INT4 || p->type == TWK_INT8;
    for (uint32_t row = 0; row < p->m; row++)
        for (uint32_t column = 0; column < p->n; column++) {
            unsigned char *at =
                wanted.l0c + p->c + (column / 16 * wide_m + row) * 64 + column % 16 * 4;
            float sum = 0;
            uint32_t count = 0;
            if (!p->zero)
                memcpy(&sum, p->bias ? given.bt + p->bt + column * 4 : at, 4);
            memcpy(&count, &sum, 4);
            for (uint32_t i = 0; i < p->k; i++) {
                const uint32_t unit = i / per_unit, in = i % per_unit;
                const float a =
                    p->m == 1
                        ? element(p->type, given.l0a + p->a, i)
                        : element(p->type, given.l0a + p->a + (row / 16 * row_units + unit) * 512,
                                  row % 16 * per_unit + in);
                const float b =
                    element(p->type, given.l0b + p->b + (unit * (wide_n / 16) + column / 16) * 512,
                            column % 16 * per_unit + in);
                if (whole)
                    count += (uint32_t)((int32_t)a * (int32_t)b);
                else
                    sum = add_product(sum, cut(a, p->hf32), cut(b, p->hf32));
            }
            memcpy(at, whole ? (const void *)&count : &sum, 4);
        }
}

static inline void add_mad(const product_case *p, uint32_t form)
{
    const bool whole = p->type == INT4 || p->type == TWK_INT8;
    const uint64_t c = p->c | (form == 1 ? 0 : (uint64_t)p->bt << 32);
    twk_instruction *one;
    if (form == 1)
        one =
            LIST_ADD(MAD, c, p->a, p->b, p->bt, p->m, p->k, p->n, 0, p->aligned, p->bias, p->zero);
    else if (form == 2)
        one = LIST_ADD(MAD, c, p->a, p->b, p->m, p->k, p->n, 0, 0, 0, p->aligned, 0, p->bias,
                       p->zero);
    else
        one = LIST_ADD(MAD, c, p->a, p->b, p->m, p->k, p->n, 0, p->aligned, p->bias, p->zero);
    if (p->type == INT4) {
        one->number = TWK_INSTRUCTION_MAD_S4;
        one->types[0] = TWK_INT32;
        return;
    }
    typed(one, whole ? TWK_INT32 : TWK_FP32, (uint8_t)p->type, (uint8_t)p->type);
}

#endif
