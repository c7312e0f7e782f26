/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that use managed memory: contents, and what moving its pages costs. */
#include <string.h>

#include "native_tests.h"

enum { WORDS = NATIVE_TILE, BYTES = WORDS * 4 };
#define PAGE ((size_t)2 << 20)

static void launch(const native *n, aclrtStream stream, void *args)
{
    CHECK_OK(native_launch_on(n, "add", 1, args, sizeof(struct native_add), stream));
}

static float *managed(size_t bytes)
{
    void *memory = NULL;
    CHECK_OK(aclrtMemAllocManaged(&memory, bytes, ACL_RT_MEM_ATTACH_GLOBAL));
    return memory;
}

void test_kernel_on_managed_memory(void)
{
    native n;
    native_begin(&n);
    float *x = managed(BYTES);
    float *z = managed(BYTES);
    for (int turn = 1; turn < 4; turn++) {
        for (int i = 0; i < WORDS; i++)
            x[i] = (float)(turn * i);
        memset(z, 0xff, BYTES);
        const struct native_add args = {native_address(x), native_address(x), native_address(z),
                                        WORDS, 0};
        NATIVE_LAUNCH(&n, "add", 1, args);
        CHECK_OK(aclrtSynchronizeStream(n.stream));
        bool good = true;
        for (int i = 0; i < WORDS; i++)
            good = good && z[i] == (float)(2 * turn * i);
        CHECK(good);
    }
    const struct native_add past = {native_address(x) + PAGE - 64, native_address(x),
                                    native_address(z), WORDS, 0};
    NATIVE_LAUNCH(&n, "add", 1, past);
    CHECK_FAILS(aclrtSynchronizeStream(n.stream));
    CHECK_OK(aclrtFree(z));
    CHECK_OK(aclrtFree(x));
    native_end(&n);
}

/* Pages that are somewhere else cost the kernel faults and time on the link: when the host has used
 * them, and not after a prefetch. */
void test_managed_pages_cost(void)
{
    const aclrtMemManagedLocation device = {ACL_MEM_LOCATIONTYPE_DEVICE, 0};
    native n;
    native_begin(&n);
    float *x = managed(BYTES);
    void *z = native_memory(BYTES);
    const struct native_add plain = {native_address(z), native_address(z), native_address(z), WORDS,
                                     0};
    struct native_add args = {native_address(x), native_address(x), native_address(z), WORDS, 0};
    memset(x, 0, BYTES);
    const double base = native_span(&n, launch, (void *)(uintptr_t)&plain);
    const double first = native_span(&n, launch, &args);
    const double again = native_span(&n, launch, &args);
    x[5] = 1; /* the page comes back */
    const double touched = native_span(&n, launch, &args);
    x[5] = 2;
    CHECK_OK(aclrtMemManagedPrefetchAsync(x, PAGE, device, 0, n.stream));
    CHECK_OK(aclrtSynchronizeStream(n.stream));
    const double prefetched = native_span(&n, launch, &args);
    /* 2 MiB take 60 us at 35 GB/s at least. */
    CHECK(first > base + 50e3);
    CHECK(again < base + 10e3);
    CHECK(touched > base + 50e3);
    CHECK(prefetched < base + 10e3);
    /* A copy for the device stays valid while no one writes. */
    CHECK_OK(aclrtMemManagedAdvise(x, PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, device));
    x[5] = 3;
    const double copied = native_span(&n, launch, &args);
    const float seen = x[5];
    const double kept = native_span(&n, launch, &args);
    CHECK(seen == 3 && copied < first && kept < base + 10e3);
    native_free(z);
    CHECK_OK(aclrtFree(x));
    native_end(&n);
}
