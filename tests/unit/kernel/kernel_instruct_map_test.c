/* SPDX-License-Identifier: Apache-2.0 */
/* Feature maps that become matrices on their way from L1 to L0A and L0B, against the definition of
 * img2col, element by element. */
#include "kernel_instruct_cube.h"

typedef struct map_case {
    uint32_t size, height, width, left, right, top, bottom, channels; /* bytes of an element */
    uint32_t filter_w, filter_h, stride_w, stride_h, dilation_w, dilation_h;
    uint32_t k, m, k_start, m_start;
    uint32_t repeats, repeat_stride;
    bool along_k, turned, to_right;
    uint32_t from, to, boundary, padding;
} map_case;

static uint32_t places(uint32_t edge, uint32_t points, uint32_t dilation, uint32_t stride)
{
    return (edge - ((points - 1) * dilation + 1)) / stride + 1;
}

/* An element of the whole matrix: row m is a place of the filter, column k a channel of one of its
 * points. Channels are in groups of C0, the last of which may be smaller. */
static void element_of(const map_case *p, uint32_t m, uint32_t k, unsigned char *out)
{
    const uint32_t c0 = 32 / p->size, points = p->filter_w * p->filter_h;
    const uint32_t wide =
        places(p->width + p->left + p->right, p->filter_w, p->dilation_w, p->stride_w);
    const uint32_t high =
        places(p->height + p->top + p->bottom, p->filter_h, p->dilation_h, p->stride_h);
    memset(out, 0, p->size);
    if (m >= wide * high || k >= p->channels * points)
        return;
    uint32_t group = 0, in = k, some = c0;
    while (in >= (some = p->channels - group * c0 < c0 ? p->channels - group * c0 : c0) * points) {
        in -= some * points;
        group++;
    }
    const uint32_t point = in / some, channel = in % some;
    const int32_t h =
        (int32_t)(m / wide * p->stride_h + point / p->filter_w * p->dilation_h) - (int32_t)p->top;
    const int32_t w =
        (int32_t)(m % wide * p->stride_w + point % p->filter_w * p->dilation_w) - (int32_t)p->left;
    if (h < 0 || h >= (int32_t)p->height || w < 0 || w >= (int32_t)p->width) {
        memcpy(out, &p->padding, p->size);
        return;
    }
    uint32_t at = p->from + group * p->height * p->width * 32 +
                  (((uint32_t)h * p->width + (uint32_t)w) * some + channel) * p->size;
    if (p->boundary != 0 && at >= p->boundary)
        at -= p->boundary;
    memcpy(out, given.l1 + at, p->size);
}

static uint32_t up(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Where an element of the part is in L0A or L0B, which hold fractals of 16 by 32 bytes. */
static uint32_t place_of(const map_case *p, uint32_t rows, uint32_t columns, uint32_t m, uint32_t k)
{
    const uint32_t c0 = 32 / p->size;
    uint32_t fractal, row, column;
    if (p->to_right) {
        fractal = m / c0 * (up(columns, 16) / 16) + k / 16;
        row = k % 16, column = m % c0;
    } else if (p->turned) {
        fractal = k / 16 * (up(rows, 16) / c0) + m / c0;
        row = k % 16, column = m % c0;
    } else {
        fractal = m / 16 * (up(columns, c0) / c0) + k / c0;
        row = m % 16, column = k % c0;
    }
    return fractal * 512 + row * 32 + column * p->size;
}

static void put(const map_case *p)
{
    const uint32_t c0 = 32 / p->size;
    const uint32_t rows = p->along_k ? p->m : p->m * p->repeats;
    const uint32_t columns = p->along_k ? p->k * p->repeats : p->k;
    const bool exact = p->size == 4 && (p->to_right || p->turned); /* columns left out */
    unsigned char *to = (p->to_right ? wanted.l0b : wanted.l0a) + p->to;
    for (uint32_t m = 0; m < up(rows, 16); m++)
        for (uint32_t k = 0; k < (exact ? columns : up(columns, c0)); k++) {
            unsigned char value[4] = {0};
            const uint32_t from_m =
                p->m_start + (p->along_k ? m : m / p->m * p->repeat_stride * 16 + m % p->m);
            const uint32_t from_k =
                p->k_start + (p->along_k ? k / p->k * p->repeat_stride * c0 + k % p->k : k);
            if (m < rows && k < columns)
                element_of(p, from_m, from_k, value);
            memcpy(to + place_of(p, rows, columns, m, k), value, p->size);
        }
}

static void add(const map_case *p)
{
    static const uint8_t types[] = {0, TWK_INT8, TWK_FP16, 0, TWK_FP32};
    LIST_ADD(SET_FMATRIX, p->width | (uint64_t)p->height << 16 | (uint64_t)p->left << 32 |
                              (uint64_t)p->right << 40 | (uint64_t)p->top << 48 |
                              (uint64_t)p->bottom << 56);
    LIST_ADD(SET_PADDING, p->padding);
    LIST_ADD(SET_L1_3D_SIZE, p->boundary);
    LIST_ADD(SET_L3D_RPT,
             p->repeat_stride | (uint64_t)p->repeats << 16 | (uint64_t)p->along_k << 24);
    twk_instruction *one = LIST_ADD(IMG2COLV2_CBUF_TO_CA, p->to, p->from, p->k, p->m, p->k_start,
                                    p->m_start, p->stride_w, p->stride_h, p->filter_w, p->filter_h,
                                    p->dilation_w, p->dilation_h, 0, 0, p->turned, 0, p->channels);
    if (p->to_right)
        one->number = TWK_INSTRUCTION_IMG2COLV2_CBUF_TO_CB;
    one->types[0] = one->types[1] = types[p->size];
}

static void test_maps(void)
{
    for (uint32_t round = 0; round < 300; round++) {
        begin();
        map_case p = {.size = 1u << below(3),
                      .height = 3 + below(6),
                      .width = 3 + below(6),
                      .left = below(3),
                      .right = below(3),
                      .top = below(3),
                      .bottom = below(3),
                      .filter_w = 1 + below(3),
                      .filter_h = 1 + below(3),
                      .stride_w = 1 + below(2),
                      .stride_h = 1 + below(2),
                      .dilation_w = 1,
                      .dilation_h = 1,
                      .repeats = 1,
                      .from = below(20) * 32,
                      .to = below(4) * 512,
                      .padding = random32()};
        const uint32_t c0 = 32 / p.size;
        if (below(4) == 0) { /* a matrix in the layout of L1 */
            p.filter_w = p.filter_h = p.stride_w = p.stride_h = p.height = 1;
            p.left = p.right = p.top = p.bottom = 0;
            p.width = 16 + below(60);
        }
        p.dilation_w += p.filter_w < 3 && below(2);
        p.dilation_h += p.filter_h < 3 && below(2);
        p.channels = c0 * (1 + below(3)) + (below(3) == 0 ? c0 / 2 : 0);
        p.to_right = p.size > 1 && below(2);
        p.turned = p.size > 1 && !p.to_right && below(2);
        p.m = 1 + below(40);
        p.k = (1 + below(4)) * c0 + (below(3) == 0 ? below(c0) : 0);
        p.m_start = below(3) * 16;
        p.k_start = below(4) * c0;
        if (below(3) == 0) {
            p.repeats = 1 + below(3);
            p.repeat_stride = below(4);
            p.along_k = below(2);
            p.m = p.along_k ? p.m : up(p.m, 16);
            p.k = p.along_k ? up(p.k, c0) : p.k;
        }
        if (below(4) == 0)
            p.boundary = 4096 + below(8) * 32;
        p.from %= p.boundary ? p.boundary : UINT32_MAX;
        add(&p);
        put(&p);
        check();
    }
}

/* INT4 is what bytes of two are, with columns and channels counted by the element. */
static void test_int4(void)
{
    begin();
    map_case p = {.size = 1,
                  .height = 1,
                  .width = 32,
                  .channels = 64,
                  .filter_w = 1,
                  .filter_h = 1,
                  .stride_w = 1,
                  .stride_h = 1,
                  .dilation_w = 1,
                  .dilation_h = 1,
                  .repeats = 1,
                  .k = 64,
                  .m = 32};
    add(&p);
    put(&p);
    twk_instruction *one = &list.list[list.count - 1];
    one->number = TWK_INSTRUCTION_IMG2COLV2_CBUF_TO_CA_S4;
    one->types[0] = one->types[1] = TWK_NO_TYPE;
    one->arguments[2] = 128;
    one->arguments[16] = 128;
    check();
}

static void test_nothing(void)
{
    begin();
    map_case p = {.size = 2,
                  .height = 4,
                  .width = 4,
                  .channels = 16,
                  .filter_w = 1,
                  .filter_h = 1,
                  .stride_w = 1,
                  .stride_h = 1,
                  .dilation_w = 1,
                  .dilation_h = 1,
                  .repeats = 0,
                  .k = 16,
                  .m = 16};
    add(&p); /* no repeats */
    p.repeats = 1;
    p.channels = 0;
    add(&p);
    p.channels = 16;
    p.m = 0;
    add(&p);
    check();
}

static void test_refused(void)
{
    begin();
    map_case p = {.size = 2,
                  .height = 4,
                  .width = 4,
                  .channels = 16,
                  .filter_w = 5,
                  .filter_h = 1,
                  .stride_w = 1,
                  .stride_h = 1,
                  .dilation_w = 1,
                  .dilation_h = 1,
                  .repeats = 1,
                  .k = 16,
                  .m = 16};
    add(&p);
    refused(TWIN_NATIVE_OPERATION, "a filter of 1 by 5 points, dilated by 1 and 1");
    p.filter_w = 1;
    p.k_start = 8;
    add(&p);
    refused(TWIN_NATIVE_OPERATION, "k_start is 8; it must be a multiple of 16");
    p.k_start = 0;
    p.channels = 18;
    add(&p);
    refused(TWIN_NATIVE_OPERATION, "channels is 18; it must be a multiple of 16");
    p.channels = 16;
    p.boundary = 17;
    add(&p);
    refused(TWIN_NATIVE_OPERATION, "the boundary of set_l1_3d_size is 17");
    p.boundary = 0;
    p.height = p.width = 32767;
    p.channels = 32;
    p.k = 32;
    add(&p);
    refused(TWIN_NATIVE_BUFFER, "are not in L1");
    p.height = p.width = 4;
    p.m = p.k = 65535;
    add(&p);
    refused(TWIN_NATIVE_BUFFER, "are not in L0A");
    p.m = p.k = 32;
    p.size = 1;
    p.turned = true;
    p.channels = 32;
    add(&p);
    refused(TWIN_NATIVE_OPERATION, "elements of a byte cannot be turned on this way");
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"parts of maps, of any filter, padding and number of channels", test_maps},
        {"maps of INT4", test_int4},
        {"nothing to do", test_nothing},
        {"arguments out of range fail the kernel with a reason", test_refused},
    };
    return twin_run_suite("kernel_instruct_map", tests, TWIN_COUNT(tests), argc, argv);
}
