/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that move data into the cube core and multiply, against loops over elements that
 * follow the vendor's manual: what each of them leaves in every buffer of the core. */
#include "kernel_instruct_cube.h"

/* ---- global memory to L1 --------------------------------------------------------------------- */

static void test_bursts(void)
{
    for (uint32_t round = 0; round < 50; round++) {
        begin();
        const uint32_t count = 1 + below(6), length = 1 + below(20), from_gap = below(3);
        const uint32_t to_gap = below(3), from = below(1000), to = below(500) * 32;
        LIST_ADD(COPY_GM_TO_CBUF, to, RIG_BASE + from, 0, count, length, from_gap, to_gap, 0);
        for (uint32_t i = 0; i < count; i++)
            memcpy(wanted.l1 + to + i * (length + to_gap) * 32,
                   given.gm + from + i * (length + from_gap) * 32, length * 32);
        check();
    }
}

static void test_matrices(void)
{
    static const uint8_t types[] = {TWK_INT8,  TWK_UINT8, TWK_FP16, TWK_BF16,
                                    TWK_INT16, TWK_FP32,  TWK_INT32};
    for (uint32_t round = 0; round < 200; round++) {
        begin();
        const uint32_t type = types[below(TWIN_COUNT(types))], size = sizes[type];
        const uint32_t count = 1 + below(3), n = 1 + below(20), d = 1 + below(70);
        const uint32_t src_d = d + below(9), src_nd = below(2000);
        const uint32_t columns = (d * size + 31) / 32, n_stride = 1 + (below(3) ? 0 : below(3));
        const uint32_t c0_stride = n * n_stride + below(4);
        const uint32_t nd_stride = (columns * c0_stride + below(4)) * 32 / size;
        const uint32_t from = below(1000), to = below(100) * 32;
        const uint16_t number = size == 1   ? TWK_INSTRUCTION_COPY_GM_TO_CBUF_MULTI_ND2NZ_B8
                                : size == 2 ? TWK_INSTRUCTION_COPY_GM_TO_CBUF_MULTI_ND2NZ_B16
                                            : TWK_INSTRUCTION_COPY_GM_TO_CBUF_MULTI_ND2NZ_B32S;
        typed(list_add(number, 11,
                       (const uint64_t[]){to, RIG_BASE + from, 0, count, n, d, src_nd, src_d,
                                          c0_stride, n_stride, nd_stride}),
              (uint8_t)type, (uint8_t)type, TWK_NO_TYPE);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t row = 0; row < n; row++)
                for (uint32_t byte = 0; byte < columns * 32; byte++)
                    wanted.l1[to + i * nd_stride * size + row * n_stride * 32 +
                              byte / 32 * c0_stride * 32 + byte % 32] =
                        byte < d * size ? given.gm[from + (i * src_nd + row * src_d) * size + byte]
                                        : 0;
        check();
    }
}

static void test_fills(void)
{
    static const struct {
        uint16_t number;
        uint8_t type, value_type;
        size_t at;
        uint32_t block;
    } cases[] = {
        {TWK_INSTRUCTION_CREATE_CBUF_MATRIX, TWK_FP16, TWK_FP16, offsetof(image, l1), 32},
        {TWK_INSTRUCTION_CREATE_CBUF_MATRIX, TWK_FP32, TWK_NO_TYPE, offsetof(image, l1), 32},
        {TWK_INSTRUCTION_CREATE_CA_MATRIX, TWK_INT16, TWK_FP16, offsetof(image, l0a), 512},
        {TWK_INSTRUCTION_CREATE_CB_MATRIX, TWK_UINT32, TWK_NO_TYPE, offsetof(image, l0b), 512},
        {TWK_INSTRUCTION_CREATE_CB_MATRIX_BF16, TWK_BF16, TWK_BF16, offsetof(image, l0b), 512}};
    for (uint32_t round = 0; round < 100; round++) {
        begin();
        const uint32_t which = round % (uint32_t)TWIN_COUNT(cases);
        const uint32_t size = sizes[cases[which].type], block = cases[which].block;
        const uint64_t count = below(5), blocks = below(5), gap = below(3), value = random32();
        const uint64_t to = below(8) * block;
        typed(list_add(cases[which].number, 3,
                       (const uint64_t[]){to, count | blocks << 16 | gap << 32,
                                          size == 2 ? value & 0xffff : value}),
              cases[which].type, cases[which].value_type, TWK_NO_TYPE);
        for (uint64_t i = 0; i < count; i++)
            for (uint64_t byte = 0; byte < blocks * block; byte++)
                ((unsigned char *)&wanted)[cases[which].at + to + i * (blocks + gap) * block +
                                           byte] = (unsigned char)(value >> byte % size * 8);
        check();
    }
}

/* ---- fractals -------------------------------------------------------------------------------- */

static void test_fractals(void)
{
    static const uint8_t types[] = {TWK_INT8, TWK_FP16, TWK_BF16, TWK_FP32};
    for (uint32_t round = 0; round < 200; round++) {
        begin();
        const uint32_t type = types[below(4)], count = below(9), stride = below(4);
        const uint32_t gap = below(3), down = below(2), start = 30 + below(10);
        const bool turned = sizes[type] == 2 && below(2), right = below(2), global = below(4) == 0;
        const uint32_t to = below(8) * 512, from = below(20) * 32;
        unsigned char *target = right ? wanted.l0b : wanted.l0a;
        const unsigned char *source = global ? given.gm : given.l1;
        if (global)
            typed(list_add(
                      right ? TWK_INSTRUCTION_LOAD_GM_TO_CB : TWK_INSTRUCTION_LOAD_GM_TO_CA, 8,
                      (const uint64_t[]){to, RIG_BASE + from, start, count, stride, gap, 0, down}),
                  (uint8_t)type, (uint8_t)type, TWK_NO_TYPE);
        else
            typed(list_add(
                      right ? TWK_INSTRUCTION_LOAD_CBUF_TO_CB : TWK_INSTRUCTION_LOAD_CBUF_TO_CA, 9,
                      (const uint64_t[]){to, from, start, count, stride, gap, 0, turned, down}),
                  (uint8_t)type, (uint8_t)type, TWK_NO_TYPE);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t byte = 0; byte < 512; byte++) {
                const uint32_t row = byte / 32, column = byte % 32 / 2;
                const uint32_t of = turned && !global ? column * 32 + row * 2 + byte % 2 : byte;
                const uint32_t fractal = down ? start - i * stride : start + i * stride;
                target[to + i * (gap + 1) * 512 + byte] = source[from + fractal * 512 + of];
            }
        check();
    }
}

/* Where an element of a square is: row by row, of 4 bytes as two fractals of 8 columns. */
static uint32_t in_square(uint32_t bits, uint32_t side, uint32_t row, uint32_t column)
{
    return bits == 32 ? column / 8 * 128 + row * 8 + column % 8 : row * side + column;
}

static void test_squares(void)
{
    static const uint32_t sides[] = {64, 32, 16, 16}, parts_of[] = {4, 2, 1, 2};
    static const uint8_t types[] = {TWK_NO_TYPE, TWK_INT8, TWK_FP16, TWK_FP32};
    for (uint32_t round = 0; round < 120; round++) {
        begin();
        const uint32_t kind = below(4), bits = 4u << kind, side = sides[kind];
        const uint32_t count = below(4), stride = below(3), start = below(3);
        const uint32_t parts_in = parts_of[kind], fractal_gap = below(3);
        const uint32_t gap = parts_in * (fractal_gap + 1) - 1 + below(2);
        const bool right = kind == 0 || below(2);
        const uint32_t to = below(4) * 512, from = below(20) * 32, bytes = parts_in * 512;
        const uint16_t number = kind == 0 ? TWK_INSTRUCTION_LOAD_CBUF_TO_CB_TRANSPOSE_S4
                                : right   ? TWK_INSTRUCTION_LOAD_CBUF_TO_CB_TRANSPOSE
                                          : TWK_INSTRUCTION_LOAD_CBUF_TO_CA_TRANSPOSE;
        typed(list_add(number, 8,
                       (const uint64_t[]){to, from, start, count, stride, gap, 0, fractal_gap}),
              types[kind], types[kind], TWK_NO_TYPE);
        for (uint32_t i = 0; i < count; i++) {
            const unsigned char *source = given.l1 + from + (start + i * stride) * bytes;
            unsigned char *target = (right ? wanted.l0b : wanted.l0a) + to + i * (gap + 1) * 512;
            for (uint32_t row = 0; row < side; row++)
                for (uint32_t column = 0; column < side; column++) {
                    /* Of the result: fractals of 16 rows, or of 4 bytes of 8 columns. */
                    const uint32_t of = in_square(bits, side, column, row);
                    const uint32_t wide = 512 * 8 / bits / 16;
                    const uint32_t part = bits == 32 ? column / 8 : row / 16;
                    const uint32_t at =
                        bits == 32 ? row * 8 + column % 8 : row % 16 * wide + column;
                    unsigned char *fractal = target + part * (fractal_gap + 1) * 512;
                    if (bits == 4) {
                        const uint32_t shift = at % 2 * 4;
                        fractal[at / 2] = (unsigned char)((fractal[at / 2] & ~(15u << shift)) |
                                                          nibble(source, of) << shift);
                    } else {
                        memcpy(fractal + at * (bits / 8), source + of * (bits / 8), bits / 8);
                    }
                }
        }
        check();
    }
}

static void test_tables(void)
{
    for (uint32_t round = 0; round < 60; round++) {
        begin();
        const bool open = round % 3 == 0;
        for (size_t i = 1; i < sizeof(given.l1); i += 2)
            given.l1[i] &= 0xbf; /* numbers as FP16 */
        given_is_wanted();
        const uint32_t length = 1 + below(3), from = below(100) * 32;
        if (round % 3 == 2) {
            const uint32_t to = below(8) * 128;
            LIST_ADD(COPY_CBUF_TO_FBUF, to, from, 1, length, 0, 0);
            memcpy(wanted.fb + to, given.l1 + from, length * 128);
        } else {
            const uint32_t to = below(4) * 64, count = 1 + below(2), gap = below(2);
            LIST_ADD(COPY_CBUF_TO_BT, to, from, open, count, length, gap, gap);
            for (uint32_t i = 0; i < count; i++)
                for (uint32_t j = 0; j < length * 64; j += open ? 2 : 1) {
                    const uint32_t at = from + i * (length * 64 + gap * 32) + j;
                    uint16_t half;
                    memcpy(&half, given.l1 + at, 2);
                    const float value = (float)slow_short(half, 5);
                    const uint32_t wide = length * 64 * (open ? 2 : 1) + gap * 64;
                    if (open)
                        memcpy(wanted.bt + to + i * wide + j * 2, &value, 4);
                    else
                        wanted.bt[to + i * wide + j] = given.l1[at];
                }
        }
        check();
    }
}

/* ---- products -------------------------------------------------------------------------------- */

static void test_products(void)
{
    static const uint8_t types[] = {TWK_FP16, TWK_BF16, TWK_FP32, TWK_INT8, INT4};
    for (uint32_t round = 0; round < 150; round++) {
        begin();
        const uint32_t type = types[round % 5];
        product_case p = {.type = type,
                          .m = below(4) ? 1 + below(40) : 1,
                          .k = 1 + below(100),
                          .n = 1 + below(40),
                          .hf32 = type == TWK_FP32 ? below(3) : 0,
                          .aligned = below(2),
                          .bias = below(2),
                          .zero = below(3) == 0,
                          .a = below(4) * 512,
                          .b = below(4) * 512,
                          .c = below(4) * 1024,
                          .bt = below(4) * 64};
        p.k += type == INT4 && p.k % 2;
        fill_numbers(type, given.l0a, sizeof(given.l0a));
        fill_numbers(type, given.l0b, sizeof(given.l0b));
        const bool whole = type == INT4 || type == TWK_INT8;
        fill_numbers(whole ? INT4 : TWK_FP32, given.l0c, sizeof(given.l0c));
        fill_numbers(whole ? INT4 : TWK_FP32, given.bt, sizeof(given.bt));
        given_is_wanted();
        given_ctrl = p.hf32 == 0 ? 0 : p.hf32 == 1 ? HF32 : HF32 | HF32_ZERO;
        add_mad(&p, type == INT4 ? 0 : below(3));
        multiply(&p);
        check();
    }
    given_ctrl = 0;
}

/* ---- sparse products ------------------------------------------------------------------------- */

/* Of each four elements of k B has two; the index has 2 bits for each of these: the first is one of
 * the first three, the second of the last three. */
static void test_sparse(void)
{
    for (uint32_t round = 0; round < 40; round++) {
        begin();
        const uint32_t m = 1 + below(40), n = 1 + below(40), k = 4 * (1 + below(40));
        const uint32_t wide_m = (m + 15) / 16 * 16, wide_n = (n + 15) / 16 * 16;
        const uint32_t count = (k / 2 + 31) / 32 * (wide_n / 16), start = below(3);
        const uint32_t from = below(8) * 32, index = 0x10000 + below(8) * 32, to = below(3) * 512;
        const bool zero = below(2);
        for (size_t i = 0x10000; i < sizeof(given.l1); i++) /* each index is 0, 1 or 2 */
            given.l1[i] = (unsigned char)(below(3) | below(3) << 2 | below(3) << 4 | below(3) << 6);
        given_is_wanted();
        typed(LIST_ADD(LOAD_CBUF_TO_CB_SP, to, from | (uint64_t)index << 32, start, count),
              TWK_INT8, TWK_INT8, TWK_NO_TYPE);
        typed(LIST_ADD(MAD_SP, 0, 0, to, m, k, n, 0, 0, zero), TWK_INT32, TWK_INT8, TWK_INT8);
        memcpy(wanted.l0b + to, given.l1 + from + start * 512, count * 512);
        memcpy(wanted.index + to / 4, given.l1 + index + start * 128, count * 128);
        for (uint32_t row = 0; row < m; row++)
            for (uint32_t column = 0; column < n; column++) {
                unsigned char *at =
                    wanted.l0c + (column / 16 * wide_m + row) * 64 + column % 16 * 4;
                uint32_t sum = 0;
                memcpy(&sum, at, zero ? 0 : 4);
                for (uint32_t i = 0; i < k / 2; i++) {
                    const uint32_t fractal = i / 32 * (wide_n / 16) + column / 16;
                    const uint32_t in = column % 16 * 32 + i % 32;
                    const uint32_t two =
                        wanted.index[to / 4 + fractal * 128 + in / 4] >> in % 4 * 2 & 3u;
                    const uint32_t of = i / 2 * 4 + i % 2 + two;
                    const int8_t a =
                        (int8_t)given.l0a[(row / 16 * ((k + 31) / 32) + of / 32) * 512 +
                                          row % 16 * 32 + of % 32];
                    sum += (uint32_t)(a * (int8_t)wanted.l0b[to + fractal * 512 + in]);
                }
                memcpy(at, &sum, 4);
            }
        check();
    }
}

/* ---- other ways ------------------------------------------------------------------------------ */

static void test_out(void)
{
    begin();
    LIST_ADD(COPY_CBUF_TO_GM, RIG_BASE + 100, 64, 0, 3, 2, 1, 2);
    for (uint32_t i = 0; i < 3; i++)
        memcpy(wanted.gm + 100 + i * 4 * 32, given.l1 + 64 + i * 3 * 32, 64);
    typed(LIST_ADD(SET_L0_SET_VALUE_H, 0x3c00), TWK_FP16, TWK_NO_TYPE, TWK_NO_TYPE);
    typed(LIST_ADD(SET_L0A_2D, 512, 1 | 2 << 16), TWK_FP16, TWK_NO_TYPE, TWK_NO_TYPE);
    for (uint32_t i = 512; i < 512 + 1024; i += 2) {
        wanted.l0a[i] = 0;
        wanted.l0a[i + 1] = 0x3c;
    }
    check();
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void test_refused(void)
{
    begin();
    typed(LIST_ADD(MAD, 0, 0, 0, 4096, 16, 16, 0, 0, 0, 1), TWK_FP32, TWK_FP16, TWK_FP16);
    refused(TWIN_NATIVE_OPERATION, "mad: m is 4096; expected 0 to 4095");
    typed(LIST_ADD(MAD, 64, 0, 0, 16, 16, 16, 0, 0, 0, 1), TWK_FP32, TWK_FP16, TWK_FP16);
    refused(TWIN_NATIVE_ALIGNMENT, "mad: offset 64 in L0C is not a multiple of 1024");
    typed(LIST_ADD(MAD, 0, 0, 0, 4095, 4095, 16, 0, 0, 0, 1), TWK_FP32, TWK_FP16, TWK_FP16);
    refused(TWIN_NATIVE_BUFFER, "are not in L0A, which has 65536");
    typed(LIST_ADD(MAD, (uint64_t)1024 << 32, 0, 0, 16, 16, 16, 0, 0, 1, 0), TWK_FP32, TWK_FP16,
          TWK_FP16);
    refused(TWIN_NATIVE_BUFFER, "are not in bias table, which has 1024");
    for (uint32_t i = 0; i < 3; i++) {
        typed(LIST_ADD(MAD, 0, 0, 0, 16, 16, 16, i == 0, i == 1, 0, 0, i == 2, 0, 1), TWK_FP32,
              TWK_FP16, TWK_FP16);
        refused(TWIN_NATIVE_OPERATION, "they must be 0, as their effect is not documented");
    }
    typed(LIST_ADD(LOAD_CBUF_TO_CA, 0, 0, 1, 3, 1, 0, 0, 0, 1), TWK_FP16, TWK_FP16, TWK_NO_TYPE);
    refused(TWIN_NATIVE_OPERATION, "start is 1; 2 times down by 1 is before the matrix");
    typed(LIST_ADD(LOAD_CBUF_TO_CA, 0, 0, 0, 1, 0, 0, 0, 1, 0), TWK_FP32, TWK_FP32, TWK_NO_TYPE);
    refused(TWIN_NATIVE_OPERATION, "transpose is 1; it is for elements of 2 bytes alone");
    typed(LIST_ADD(LOAD_CBUF_TO_CB, 0, 0, 65535, 255, 65535, 65535, 0, 0, 0), TWK_FP16, TWK_FP16,
          TWK_NO_TYPE);
    refused(TWIN_NATIVE_BUFFER, "are not in L1");
    LIST_ADD(COPY_GM_TO_CBUF, 0, RIG_BASE, 0, 1, 1, 0, 0, 3);
    refused(TWIN_NATIVE_OPERATION, "padding is 3; the model has PAD_NONE (0) alone");
    LIST_ADD(COPY_GM_TO_UBUF, 0, RIG_BASE, 0, 1, 1, 0, 0);
    refused(TWIN_NATIVE_BUFFER, "a cube core has no UB");
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"bursts from global memory to L1", test_bursts},
        {"rows of global memory become fractals in L1", test_matrices},
        {"buffers are filled with a value", test_fills},
        {"fractals go to L0A and L0B, turned or not", test_fractals},
        {"squares of fractals are turned", test_squares},
        {"the bias table and the fixpipe buffer", test_tables},
        {"products of each type, with a bias, of vectors, and in HF32", test_products},
        {"sparse products", test_sparse},
        {"from L1 to global memory, and fills with the register", test_out},
        {"arguments out of range fail the kernel with a reason", test_refused},
    };
    return twin_run_suite("kernel_instruct_cube", tests, TWIN_COUNT(tests), argc, argv);
}
