/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest program with a kernel: two vectors in, their sum out, on one block and on as many as
 * there are cores. */
#include "../kernels.h"
#include "args.h"

enum { COUNT = 1000000 };

int main(int argc, char **argv)
{
    float *x = malloc(COUNT * sizeof(float));
    float *y = malloc(COUNT * sizeof(float));
    float *z = malloc(COUNT * sizeof(float));
    REQUIRE(x && y && z);
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)i * 0.5F;
        y[i] = (float)(COUNT - i);
    }

    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream = NULL;
    CHECK(aclrtCreateStream(&stream));
    aclrtBinHandle binary = load_kernels(argc, argv, "vector_add_kernels.o");
    aclrtFuncHandle kernel = find_kernel(binary, "vector_add");
    void *device_x = to_device(x, COUNT * sizeof(float));
    void *device_y = to_device(y, COUNT * sizeof(float));
    void *device_z = to_device(z, COUNT * sizeof(float));

    int64_t cores = 0;
    CHECK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores));
    const uint32_t blocks[] = {1, (uint32_t)cores};
    for (int i = 0; i < 2; i++) {
        struct add_args args = {(uintptr_t)device_x, (uintptr_t)device_y, (uintptr_t)device_z,
                                COUNT};
        CHECK(aclrtMemset(device_z, COUNT * sizeof(float), 0, COUNT * sizeof(float)));
        const double us = timed_launch(kernel, blocks[i], stream, &args, sizeof(args));
        CHECK(aclrtMemcpy(z, COUNT * sizeof(float), device_z, COUNT * sizeof(float),
                          ACL_MEMCPY_DEVICE_TO_HOST));
        int wrong = 0;
        for (int k = 0; k < COUNT; k++)
            wrong += z[k] != x[k] + y[k];
        REQUIRE(wrong == 0);
        printf("%2u blocks: %8.2f us of device time, %d sums exact\n", blocks[i], us, COUNT);
    }

    CHECK(aclrtFree(device_x));
    CHECK(aclrtFree(device_y));
    CHECK(aclrtFree(device_z));
    CHECK(aclrtBinaryUnLoad(binary));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    free(x);
    free(y);
    free(z);
    printf("vector_add: ok\n");
    return 0;
}
