/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that work at reserved addresses: across two mappings, and where nothing is mapped. */
#include <stdlib.h>
#include <string.h>

#include "native_tests.h"

/* From MIDDLE on, the first tile is half in one piece and half in the next. */
enum { PIECE = 2 << 20, WORDS = 2 * NATIVE_TILE, BYTES = WORDS * 4, MIDDLE = PIECE - BYTES / 4 };

/* Three pieces of reserved addresses: two that are mapped to memory of their own, and a hole. */
static char *map(void)
{
    const aclrtPhysicalMemProp prop = {.handleType = ACL_MEM_HANDLE_TYPE_NONE,
                                       .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
                                       .memAttr = ACL_HBM_MEM_HUGE,
                                       .location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
    void *base = NULL;
    CHECK_OK(aclrtReserveMemAddress(&base, (size_t)3 * PIECE, 0, NULL, 0));
    for (int i = 0; i < 2; i++) {
        aclrtDrvMemHandle handle = NULL;
        CHECK_OK(aclrtMallocPhysical(&handle, PIECE, &prop, 0));
        CHECK_OK(aclrtMapMem((char *)base + (size_t)(1 - i) * PIECE, PIECE, 0, handle, 0));
        CHECK_OK(aclrtFreePhysical(handle));
    }
    return base;
}

static void unmap(char *base)
{
    for (int i = 0; i < 2; i++)
        CHECK_OK(aclrtUnmapMem(base + (size_t)i * PIECE));
    CHECK_OK(aclrtReleaseMemAddress(base));
}

void test_kernel_across_mappings(void)
{
    static float words[WORDS];
    native n;
    native_begin(&n);
    char *const base = map();
    char *x = base + MIDDLE;
    void *y = native_memory(BYTES);
    for (int i = 0; i < WORDS; i++)
        words[i] = (float)i;
    native_write(x, words, BYTES);
    native_write(y, words, BYTES);
    const struct native_add args = {native_address(x), native_address(y), native_address(x), WORDS,
                                    0};
    NATIVE_LAUNCH(&n, "add", 1, args);
    CHECK_OK(aclrtSynchronizeStream(n.stream));
    native_read(words, x, BYTES);
    int wrong = 0;
    for (int i = 0; i < WORDS; i++)
        wrong += words[i] != (float)(2 * i);
    CHECK_EQUAL(wrong, 0);
    native_free(y);
    unmap(base);
    native_end(&n);
}

/* The report names the address and its reservation. */
void test_kernel_at_a_hole(void)
{
    native n;
    native_begin(&n);
    char *const base = map();
    void *y = native_memory(BYTES);
    char *const hole = base + PIECE + MIDDLE;
    const struct native_add reads = {native_address(hole), native_address(y), native_address(y),
                                     WORDS, 0};
    const struct native_add writes = {native_address(y), native_address(y), native_address(hole),
                                      WORDS, 0};
    for (int i = 0; i < 2; i++) {
        (void)aclGetRecentErrMsg();
        NATIVE_LAUNCH(&n, "add", 1, *(i == 0 ? &reads : &writes));
        CHECK_CODE(aclrtSynchronizeStream(n.stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
        const char *text = aclGetRecentErrMsg();
        CHECK(text != NULL && strstr(text, "in reservation ") != NULL &&
              strstr(text, "nothing was ever mapped there") != NULL);
    }
    native_free(y);
    unmap(base);
    native_end(&n);
}
