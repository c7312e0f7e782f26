/* SPDX-License-Identifier: Apache-2.0 */
/* A product of matrices on the cube cores, with one set of buffers and with two: the same bits, in
 * less time. */
#include "../kernels.h"
#include "args.h"

enum { M = 1024, N = 2048, K = K_MOST };

/* -1, 0 or 1: every sum is a whole number below 2048, which fp16 holds, so the order of adding does
 * not matter. */
static int value_at(unsigned row, unsigned column, unsigned seed)
{
    return (int)((row * 7 + column * 13 + row * column / 3 + seed) % 3) - 1;
}

static uint16_t half_of(int number)
{
    unsigned exponent = 0;
    const unsigned size = (unsigned)(number < 0 ? -number : number);
    if (size == 0)
        return 0;
    while (size >> (exponent + 1) != 0)
        exponent++;
    return (uint16_t)((number < 0 ? 0x8000u : 0u) | (exponent + 15) << 10 |
                      ((size << 10 >> exponent) & 0x3ffu));
}

static void *make(unsigned rows, unsigned columns, unsigned seed)
{
    const size_t bytes = (size_t)rows * columns * sizeof(uint16_t);
    uint16_t *values = malloc(bytes);
    REQUIRE(values);
    for (unsigned i = 0; i < rows; i++)
        for (unsigned k = 0; k < columns; k++)
            values[(size_t)i * columns + k] = half_of(value_at(i, k, seed));
    void *device = to_device(values, bytes);
    free(values);
    return device;
}

/* What the product should be, as fp16. */
static uint16_t *reference(void)
{
    static int a[M][K], column[K];
    uint16_t *c = malloc((size_t)M * N * sizeof(*c));
    REQUIRE(c);
    for (unsigned i = 0; i < M; i++)
        for (unsigned j = 0; j < K; j++)
            a[i][j] = value_at(i, j, 1);
    for (unsigned k = 0; k < N; k++) {
        for (unsigned j = 0; j < K; j++)
            column[j] = value_at(j, k, 2);
        for (unsigned i = 0; i < M; i++) {
            int sum = 0;
            for (unsigned j = 0; j < K; j++)
                sum += a[i][j] * column[j];
            c[(size_t)i * N + k] = half_of(sum);
        }
    }
    return c;
}

int main(int argc, char **argv)
{
    const size_t bytes = (size_t)M * N * sizeof(uint16_t);
    const uint32_t blocks = N / TILE_N;
    uint16_t *c = calloc(1, bytes);
    uint16_t *expected = reference();
    double us[2] = {0, 0};
    REQUIRE(c);
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream = NULL;
    CHECK(aclrtCreateStream(&stream));
    aclrtBinHandle binary = load_kernels(argc, argv, "matmul_overlap_kernels.o");
    aclrtFuncHandle kernel = find_kernel(binary, "matmul");
    void *a = make(M, K, 1);
    void *b = make(K, N, 2);
    void *device_c = to_device(c, bytes);
    printf("%d by %d times %d by %d in fp16, %u blocks\n", M, K, K, N, blocks);
    for (uint32_t sets = 1; sets <= 2; sets++) {
        struct matmul_args args = {(uintptr_t)a, (uintptr_t)b, (uintptr_t)device_c, M, N, K, sets};
        CHECK(aclrtMemset(device_c, bytes, 0, bytes));
        us[sets - 1] = timed_launch(kernel, blocks, stream, &args, sizeof(args));
        CHECK(aclrtMemcpy(c, bytes, device_c, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        size_t wrong = 0;
        for (size_t i = 0; i < bytes / sizeof(*c); i++)
            wrong += c[i] != expected[i];
        printf("%u set%s of buffers: %6.2f us of device time, %4.1f TFLOP/s, %zu of %zu results "
               "differ\n",
               sets, sets == 1 ? " " : "s", us[sets - 1], 2e-6 * M * N * K / us[sets - 1], wrong,
               bytes / sizeof(*c));
        REQUIRE(wrong == 0);
    }
    REQUIRE(us[1] < us[0]);
    printf("overlapping copies and products: %.2f times as fast\n", us[0] / us[1]);
    CHECK(aclrtFree(a));
    CHECK(aclrtFree(b));
    CHECK(aclrtFree(device_c));
    CHECK(aclrtBinaryUnLoad(binary));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    free(c);
    free(expected);
    printf("matmul_overlap: ok\n");
    return 0;
}
