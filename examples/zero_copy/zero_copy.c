/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel works on the program's own memory: ordinary pages are registered, the kernel gets the
 * address under which the device sees them, and nothing is copied. */
#include <stdlib.h>

#include "../kernels.h"
#include "args.h"

enum { COUNT = 1 << 20 };

int main(int argc, char **argv)
{
    const size_t bytes = COUNT * sizeof(float);
    float *numbers = aligned_alloc(4096, bytes);
    REQUIRE(numbers != NULL);
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (float)i;

    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream = NULL;
    CHECK(aclrtCreateStream(&stream));
    aclrtBinHandle binary = load_kernels(argc, argv, "zero_copy_kernels.o");
    aclrtFuncHandle kernel = find_kernel(binary, "scale");

    aclrtPtrAttributes attributes;
    CHECK(aclrtPointerGetAttributes(numbers, &attributes));
    REQUIRE(attributes.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    CHECK(aclrtHostRegisterV2(numbers, bytes, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED));
    CHECK(aclrtPointerGetAttributes(numbers, &attributes));
    REQUIRE(attributes.location.type == ACL_MEM_LOCATION_TYPE_HOST);
    void *on_device = NULL;
    CHECK(aclrtHostGetDevicePointer(numbers, &on_device, 0));
    printf("%zu MiB of ordinary memory are registered\n", bytes >> 20);

    struct scale_args args = {(uintptr_t)on_device, COUNT, 3};
    const double us = timed_launch(kernel, 8, stream, &args, sizeof(args));
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += numbers[i] != (float)i * 3;
    REQUIRE(wrong == 0);
    printf("kernel on host memory: %9.2f us of device time, %d products exact\n", us, COUNT);

    /* The same work with the numbers on the device. */
    void *device = to_device(numbers, bytes);
    args.numbers = (uintptr_t)device;
    const double near = timed_launch(kernel, 8, stream, &args, sizeof(args));
    printf("kernel on device memory: %7.2f us of device time\n", near);

    CHECK(aclrtFree(device));
    CHECK(aclrtHostUnregister(numbers));
    CHECK(aclrtBinaryUnLoad(binary));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    free(numbers);
    printf("zero_copy: ok\n");
    return 0;
}
