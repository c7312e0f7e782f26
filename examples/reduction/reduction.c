/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of a million numbers, in two ways that must agree: a second kernel over the sums of the
 * blocks, and atomic additions in global memory. */
#include "../kernels.h"
#include "args.h"

enum { COUNT = 1000003 };

static aclrtStream stream;

static void launch(aclrtFuncHandle kernel, uint32_t blocks, const void *from, void *to,
                   uint32_t count)
{
    struct sum_args args = {(uintptr_t)from, (uintptr_t)to, count};
    CHECK(
        aclrtLaunchKernelWithHostArgs(kernel, blocks, stream, NULL, &args, sizeof(args), NULL, 0));
}

static float result_at(const void *device)
{
    float result = 0;
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(&result, sizeof(result), device, sizeof(result), ACL_MEMCPY_DEVICE_TO_HOST));
    return result;
}

int main(int argc, char **argv)
{
    float *numbers = malloc(COUNT * sizeof(float));
    double sum = 0;
    REQUIRE(numbers);
    for (int i = 0; i < COUNT; i++) { /* all sums of them are exact in a float */
        numbers[i] = (float)(i % 17) - 3;
        sum += numbers[i];
    }
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    aclrtBinHandle binary = load_kernels(argc, argv, "reduction_kernels.o");
    aclrtFuncHandle partial_sums = find_kernel(binary, "partial_sums");
    aclrtFuncHandle atomic_sum = find_kernel(binary, "atomic_sum");
    int64_t cores = 0;
    CHECK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores));
    const uint32_t blocks = (uint32_t)cores;
    void *device = to_device(numbers, COUNT * sizeof(float));
    void *parts = NULL;
    CHECK(aclrtMalloc(&parts, blocks * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    void *total = NULL;
    CHECK(aclrtMalloc(&total, sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));

    launch(partial_sums, blocks, device, parts, COUNT);
    launch(partial_sums, 1, parts, total, blocks); /* a stream's kernels follow each other */
    const float in_two = result_at(total);
    printf("two kernels: %.0f\n", (double)in_two);

    CHECK(aclrtMemsetAsync(total, sizeof(float), 0, sizeof(float), stream));
    launch(atomic_sum, blocks, device, total, COUNT);
    const float in_one = result_at(total);
    printf("one kernel with atomic additions: %.0f\n", (double)in_one);
    REQUIRE((double)in_two == sum && (double)in_one == sum);

    CHECK(aclrtFree(device));
    CHECK(aclrtFree(parts));
    CHECK(aclrtFree(total));
    CHECK(aclrtBinaryUnLoad(binary));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    free(numbers);
    printf("reduction: ok, %d numbers on %u blocks\n", COUNT, blocks);
    return 0;
}
