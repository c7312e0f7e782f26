/* SPDX-License-Identifier: Apache-2.0 */
/* A feature map in L1, [C1][H][W][C0], as a matrix: a row for each place of the filter, a column
 * for each channel under each of its points. Parts of that matrix go to L0A and L0B. */
#include <string.h>

#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/fractal.h"
#include "twinrt/kernel.h"

#define UNIT    32u  /* bytes of C0 channels, and of a row of a fractal */
#define EDGE    16u  /* rows of a fractal */
#define FRACTAL 512u /* bytes */

/* What the instruction and its registers say. Of columns and channels the unit is an element, or of
 * INT4 two of them. */
typedef struct img2col {
    uint32_t size; /* bytes of an element */
    uint32_t c0;   /* channels in 32 bytes */
    uint64_t from; /* of the feature map, in L1 */
    uint64_t boundary;
    uint32_t height, width, top, left; /* of the map, and of what is around it */
    uint32_t channels;
    uint32_t filter_w, filter_h, stride_w, stride_h, dilation_w, dilation_h;
    uint32_t wide, high;       /* places of the filter */
    uint64_t m_start, k_start; /* of the part */
    uint64_t rows, columns;    /* of all repeats */
    uint64_t m_part, m_step;   /* rows of a repeat, and from one to the next */
    uint64_t k_part, k_step;   /* columns */
    unsigned char padding[UNIT];
} img2col;

/* ---- the instruction ------------------------------------------------------------------------- */

static void NATIVE_COLD refuse_filter(native_core *core, const img2col *p)
{
    twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                       "a filter of %u by %u points, dilated by %u and %u, with strides %u and %u, "
                       "has no place on a map of %u by %u with its padding",
                       p->filter_h, p->filter_w, p->dilation_h, p->dilation_w, p->stride_h,
                       p->stride_w, p->height, p->width);
}

/* Places of a filter of `points` along an edge; 0: none. */
static uint32_t places(uint32_t edge, uint32_t around, uint32_t points, uint32_t dilation,
                       uint32_t stride)
{
    const uint32_t covered = (points - 1) * dilation + 1;
    return stride == 0 || dilation == 0 || covered > edge + around
               ? 0
               : (edge + around - covered) / stride + 1;
}

/* Bits 0 to 15 of FMATRIX are the width, 16 to 31 the height; then 8 bits each the padding on the
 * left, right, top and bottom. */
static void take_map(native_core *core, const twk_instruction *instruction, img2col *p)
{
    const native_registers *registers = &core->registers;
    const uint64_t map = registers->feature[native_argument_bool(instruction, 15)];
    p->width = map & 0xffff;
    p->height = map >> 16 & 0xffff;
    p->left = map >> 32 & 0xff;
    p->top = map >> 48 & 0xff;
    p->boundary = registers->l1_boundary;
    if (p->boundary > core->size[TWK_L1] || p->boundary % UNIT != 0)
        twin_native_refuse(
            core, TWIN_NATIVE_OPERATION,
            "the boundary of set_l1_3d_size is %llu; it must be a multiple of %u, up "
            "to %u",
            (unsigned long long)p->boundary, UNIT, core->size[TWK_L1]);
    (void)twin_native_local(core, TWK_L1, p->from, UNIT, UNIT);
    for (uint32_t i = 0; i < UNIT; i++)
        p->padding[i] = (unsigned char)(registers->map_padding >> i % p->size * 8);
    if (p->width == 0 || p->height == 0 || p->channels == 0 || p->filter_w == 0 || p->filter_h == 0)
        return;
    p->wide =
        places(p->width, p->left + (map >> 40 & 0xff), p->filter_w, p->dilation_w, p->stride_w);
    p->high =
        places(p->height, p->top + (map >> 56 & 0xff), p->filter_h, p->dilation_h, p->stride_h);
    if (p->wide == 0 || p->high == 0)
        refuse_filter(core, p);
}

/* Bits 0 to 15 of the register are the stride from one repeat to the next, in fractals; 16 to 23
 * how many; bit 24: along columns. */
static void take_repeats(native_core *core, img2col *p, uint64_t m, uint64_t k)
{
    const uint64_t repeat = core->registers.map_repeat;
    const uint64_t count = repeat >> 16 & 0xff, stride = repeat & 0xffff;
    const bool along_columns = (repeat >> 24 & 1) != 0;
    p->m_part = m;
    p->k_part = k;
    p->rows = along_columns ? m : m * count;
    p->columns = along_columns ? k * count : k;
    p->m_step = along_columns ? 0 : stride * EDGE;
    p->k_step = along_columns ? stride * p->c0 : 0;
    if (count > 1 && (along_columns ? k % p->c0 : m % EDGE) != 0)
        twin_native_refuse(
            core, TWIN_NATIVE_OPERATION, "%s is %llu; with repeats it must be a multiple of %u",
            along_columns ? "k_extension" : "m_extension",
            (unsigned long long)(along_columns ? k : m), along_columns ? p->c0 : EDGE);
    if (count == 0)
        p->rows = p->columns = 0;
}

/* `halves`: elements are INT4, and columns and channels are counted by two. */
static img2col img2col_of(native_core *core, const twk_instruction *instruction, uint32_t size,
                          bool halves)
{
    const uint32_t by = halves ? 2 : 1;
    const uint64_t k = native_argument16(core, instruction, 2, "k_extension");
    const uint64_t m = native_argument16(core, instruction, 3, "m_extension");
    img2col p = {.size = size,
                 .c0 = UNIT / size,
                 .from = native_argument_local(core, instruction, 1, TWK_L1),
                 .k_start = native_argument16(core, instruction, 4, "k_start") / by,
                 .m_start = native_argument16(core, instruction, 5, "m_start"),
                 .stride_w = (uint32_t)native_argument(core, instruction, 6, "stride_w", 63),
                 .stride_h = (uint32_t)native_argument(core, instruction, 7, "stride_h", 63),
                 .filter_w = (uint32_t)native_argument(core, instruction, 8, "filter_w", 255),
                 .filter_h = (uint32_t)native_argument(core, instruction, 9, "filter_h", 255),
                 .dilation_w = (uint32_t)native_argument(core, instruction, 10, "dilation_w", 255),
                 .dilation_h = (uint32_t)native_argument(core, instruction, 11, "dilation_h", 255),
                 .channels = native_argument16(core, instruction, 16, "channels") / by};
    p.filter_w += native_argument_bool(instruction, 12) ? 256 : 0;
    p.filter_h += native_argument_bool(instruction, 13) ? 256 : 0;
    const uint32_t some = p.channels % p.c0;
    if (p.k_start % p.c0 != 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "k_start is %llu; it must be a multiple of %u",
                           (unsigned long long)p.k_start * by, p.c0 * by);
    if (some != 0 && some != 4 && some != 8 && some != 16)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "channels is %u; it must be a multiple of %u, or 4, 8 or 16 more",
                           p.channels * by, p.c0 * by);
    take_map(core, instruction, &p);
    take_repeats(core, &p, m, native_divide_up(k, by));
    return p;
}

static bool is_empty(const img2col *p)
{
    return p->rows == 0 || p->columns == 0 || p->wide == 0;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/* Place of a point of the filter: its number on the map, or outside. */
#define OUTSIDE UINT64_MAX
static uint64_t position(const img2col *p, uint64_t m, uint64_t point)
{
    const uint64_t h = m / p->wide * p->stride_h + point / p->filter_w * p->dilation_h;
    const uint64_t w = m % p->wide * p->stride_w + point % p->filter_w * p->dilation_w;
    if (h < p->top || h - p->top >= p->height || w < p->left || w - p->left >= p->width)
        return OUTSIDE;
    return (h - p->top) * p->width + (w - p->left);
}

static void copy_channels(const native_core *core, const img2col *p, uint64_t at, uint64_t place,
                          uint64_t bytes, unsigned char *to)
{
    const uint64_t from = at + place * bytes;
    if (place == OUTSIDE)
        memcpy(to, p->padding, bytes);
    else
        memcpy(to, core->buffer[TWK_L1] + (p->boundary != 0 ? from % p->boundary : from), bytes);
}

/* C0 columns of a row of the whole matrix, from column `k` on. Columns of whole groups of C0
 * channels come first: those of a group for one point after the other. */
static void copy_unit(const native_core *core, const img2col *p, uint64_t m, uint64_t k,
                      unsigned char to[UNIT])
{
    const uint64_t points = (uint64_t)p->filter_w * p->filter_h;
    const uint64_t area = (uint64_t)p->width * p->height;
    const uint64_t groups = p->channels / p->c0, some = p->channels % p->c0;
    const uint64_t unit = k / p->c0;
    memset(to, 0, UNIT);
    if (m >= (uint64_t)p->wide * p->high)
        return;
    if (unit < groups * points) {
        copy_channels(core, p, p->from + unit / points * area * UNIT, position(p, m, unit % points),
                      UNIT, to);
        return;
    }
    for (uint64_t done = 0; done < p->c0 && some > 0; done += some) {
        const uint64_t point = (k + done - groups * points * p->c0) / some;
        if (point < points)
            copy_channels(core, p, p->from + groups * area * UNIT, position(p, m, point),
                          some * p->size, to + done * p->size);
    }
}

/* 16 rows whose units are side by side in L1: rows of the matrix are points of the map. NULL: they
 * are not, or not all of them are there. */
static const unsigned char *dense_rows(const native_core *core, const img2col *p, uint64_t m1,
                                       uint64_t column, uint64_t k)
{
    const uint64_t area = (uint64_t)p->width * p->height, row = m1 * EDGE;
    const uint64_t m = p->m_start + row / p->m_part * p->m_step + row % p->m_part;
    const bool dense = p->filter_w == 1 && p->filter_h == 1 && p->stride_w == 1 &&
                       p->stride_h == 1 && p->left == 0 && p->top == 0 && p->wide == p->width &&
                       p->boundary == 0;
    if (!dense || row + EDGE > p->rows || row % p->m_part + EDGE > p->m_part || m + EDGE > area ||
        column + p->c0 > p->columns || k + p->c0 > p->channels / p->c0 * p->c0)
        return NULL;
    return core->buffer[TWK_L1] + p->from + (k / p->c0 * area + m) * UNIT;
}

/* A fractal of the part: rows that it does not have, and columns, are 0. */
static void copy_fractal(const native_core *core, const img2col *p, uint64_t m1, uint64_t k1,
                         unsigned char to[FRACTAL])
{
    const uint64_t column = k1 * p->c0;
    const uint64_t k = p->k_start + column / p->k_part * p->k_step + column % p->k_part;
    const unsigned char *dense = dense_rows(core, p, m1, column, k);
    if (dense) {
        memcpy(to, dense, FRACTAL);
        return;
    }
    for (uint64_t row = 0; row < EDGE; row++, to += UNIT) {
        const uint64_t at = m1 * EDGE + row;
        if (at >= p->rows) {
            memset(to, 0, UNIT);
            continue;
        }
        copy_unit(core, p, p->m_start + at / p->m_part * p->m_step + at % p->m_part, k, to);
        const uint64_t left = p->columns - column;
        if (left < p->c0)
            memset(to + left * p->size, 0, UNIT - left * p->size);
    }
}

/* ---- where it goes --------------------------------------------------------------------------- */

typedef enum layout {
    ROWS,   /* L0A: fractals of a row side by side */
    TURNED, /* L0A: the matrix is turned */
    RIGHT   /* L0B: rows of the matrix are the common length */
} layout;

/* Of elements of 4 bytes a column becomes two rows of 8. Columns that are not there are left
 * out. */
static void put_words(const img2col *p, layout how, uint64_t m1, uint64_t k1,
                      const unsigned char *fractal, unsigned char *to)
{
    const uint64_t high = native_round_up(p->columns, EDGE);
    const uint64_t across = native_divide_up(p->rows, EDGE) * 2;
    for (uint64_t column = 0; column < p->c0; column++) {
        const uint64_t k = k1 * p->c0 + column;
        for (uint64_t row = 0; row < EDGE && k < p->columns; row++) {
            const uint64_t m = m1 * EDGE + row;
            const uint64_t at = how == RIGHT
                                    ? (m / 8 * high + k) * UNIT
                                    : (k / EDGE * across + m / 8) * FRACTAL + k % EDGE * UNIT;
            memcpy(to + at + m % 8 * 4, fractal + row * UNIT + column * 4, 4);
        }
    }
}

static void put_fractal(const img2col *p, layout how, uint64_t m1, uint64_t k1,
                        const unsigned char *fractal, unsigned char *to)
{
    const uint64_t m_count = native_divide_up(p->rows, EDGE);
    const uint64_t k_count = native_divide_up(p->columns, p->c0);
    if (how == ROWS)
        memcpy(to + (m1 * k_count + k1) * FRACTAL, fractal, FRACTAL);
    else if (p->size == 2)
        twin_native_turn_fractal(
            to + (how == RIGHT ? m1 * k_count + k1 : k1 * m_count + m1) * FRACTAL, fractal);
    else
        put_words(p, how, m1, k1, fractal, to);
}

/* ---- what is read ---------------------------------------------------------------------------- */

/* Places along an edge that a filter at `base` covers and that are on the map. false: none is. */
static bool inside(uint64_t base, uint32_t before, uint32_t edge, uint32_t points,
                   uint32_t dilation, uint64_t *out_low, uint64_t *out_high)
{
    const uint64_t first = base < before ? native_divide_up(before - base, dilation) : 0;
    if (first >= points || base + first * dilation >= (uint64_t)before + edge)
        return false;
    const uint64_t most = ((uint64_t)before + edge - 1 - base) / dilation;
    *out_low = base + first * dilation - before;
    *out_high = base + (most < points ? most : points - 1) * dilation - before;
    return true;
}

/* L1 begins again at the boundary. */
static void note_read(native_core *core, native_op op, const img2col *p, uint64_t at,
                      uint64_t bytes)
{
    while (bytes > 0) {
        const uint64_t from = p->boundary != 0 ? at % p->boundary : at;
        const uint64_t left = p->boundary != 0 ? p->boundary - from : bytes;
        const uint64_t some = bytes < left ? bytes : left;
        (void)twin_native_source(core, TWK_L1, TWIN_PIPE_MTE1, op, from, some, 1);
        at += some;
        bytes -= some;
    }
}

/* Of each group of channels that has columns in the part: from the first place to the last one. */
static void note_reads(native_core *core, native_op op, const img2col *p)
{
    const uint64_t points = (uint64_t)p->filter_w * p->filter_h;
    const uint64_t area = (uint64_t)p->width * p->height;
    uint64_t low = OUTSIDE, high = 0;
    for (uint64_t row = 0; row < p->rows; row++) {
        const uint64_t m = p->m_start + row / p->m_part * p->m_step + row % p->m_part;
        uint64_t top, bottom, left, right;
        if (m >= (uint64_t)p->wide * p->high ||
            !inside(m / p->wide * p->stride_h, p->top, p->height, p->filter_h, p->dilation_h, &top,
                    &bottom) ||
            !inside(m % p->wide * p->stride_w, p->left, p->width, p->filter_w, p->dilation_w, &left,
                    &right))
            continue;
        low = top * p->width + left < low ? top * p->width + left : low;
        high = bottom * p->width + right > high ? bottom * p->width + right : high;
    }
    if (low == OUTSIDE)
        return;
    const uint64_t groups = native_divide_up(p->channels, p->c0);
    const uint64_t last =
        (p->k_start + (p->columns - 1) / p->k_part * p->k_step + (p->columns - 1) % p->k_part) /
        p->c0 / points;
    const uint64_t first = p->k_start / p->c0 / points;
    for (uint64_t group = first; group <= last && group < groups; group++) {
        const uint64_t left = p->channels - group * p->c0;
        const uint64_t bytes = (left < p->c0 ? left : p->c0) * p->size;
        note_read(core, op, p, p->from + group * area * UNIT + low * bytes,
                  (high - low + 1) * bytes);
    }
}

static uint64_t load(native_core *core, const twk_instruction *instruction, uint32_t buffer,
                     layout how, const img2col *p)
{
    const native_op op = native_op_of(instruction);
    if (is_empty(p))
        return 0;
    if (how != ROWS && p->size == 1)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "elements of a byte cannot be turned on this way");
    const uint64_t m_count = native_divide_up(p->rows, EDGE);
    const uint64_t k_count = native_divide_up(p->columns, p->c0);
    const uint64_t bytes = how == ROWS || p->size == 2
                               ? m_count * k_count * FRACTAL
                               : m_count * EDGE * native_round_up(p->columns, EDGE) * p->size;
    unsigned char *to =
        twin_native_target(core, buffer, TWIN_PIPE_MTE1, op,
                           native_argument_local(core, instruction, 0, buffer), bytes, FRACTAL);
    note_reads(core, op, p);
    unsigned char fractal[FRACTAL];
    for (uint64_t m1 = 0; m1 < m_count && native_computes(core); m1++)
        for (uint64_t k1 = 0; k1 < k_count; k1++) {
            copy_fractal(core, p, m1, k1, fractal);
            put_fractal(p, how, m1, k1, fractal, to);
        }
    const twin_core_properties *properties = core->run->call.core;
    twin_native_step(core, TWIN_PIPE_MTE1, TWIN_STEP_WORK, 0,
                     properties->mte_start +
                         native_divide_up(bytes, buffer == TWK_L0A ? properties->l0a_load_bytes
                                                                   : properties->l0b_load_bytes));
    return 0;
}

uint64_t twin_instruction_img2colv2_cbuf_to_ca(native_core *core,
                                               const twk_instruction *instruction)
{
    (void)twin_native_operation(TWIN_PIPE_MTE1, native_op_of(instruction));
    const uint32_t size = twin_native_check_type(core, instruction->types[0]);
    const img2col p = img2col_of(core, instruction, size, false);
    return load(core, instruction, TWK_L0A, native_argument_bool(instruction, 14) ? TURNED : ROWS,
                &p);
}

/* Turned in any case. */
uint64_t twin_instruction_img2colv2_cbuf_to_cb(native_core *core,
                                               const twk_instruction *instruction)
{
    (void)twin_native_operation(TWIN_PIPE_MTE1, native_op_of(instruction));
    const uint32_t size = twin_native_check_type(core, instruction->types[0]);
    const img2col p = img2col_of(core, instruction, size, false);
    return load(core, instruction, TWK_L0B, RIGHT, &p);
}

uint64_t twin_instruction_img2colv2_cbuf_to_ca_s4(native_core *core,
                                                  const twk_instruction *instruction)
{
    (void)twin_native_operation(TWIN_PIPE_MTE1, native_op_of(instruction));
    const img2col p = img2col_of(core, instruction, 1, true);
    return load(core, instruction, TWK_L0A, native_argument_bool(instruction, 14) ? TURNED : ROWS,
                &p);
}
