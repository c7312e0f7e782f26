/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that read and write memory of the program in place. */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "native_tests.h"

enum { WORDS = 2 * NATIVE_TILE, BYTES = WORDS * 4 };

typedef struct mapped {
    float *host;
    void *device;
} mapped;

static mapped map(void)
{
    mapped range = {.device = NULL};
    range.host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(range.host != MAP_FAILED);
    CHECK_OK(aclrtHostRegister(range.host, BYTES, ACL_HOST_REGISTER_MAPPED, &range.device));
    return range;
}

static void unmap(const mapped *range)
{
    CHECK_OK(aclrtHostUnregister(range->host));
    CHECK_EQUAL(munmap(range->host, BYTES), 0);
}

/* x and z are the program's, y is the device's. */
void test_kernel_in_place(void)
{
    native n;
    native_begin(&n);
    const mapped x = map();
    const mapped z = map();
    void *y = native_memory(BYTES);
    for (int i = 0; i < WORDS; i++)
        z.host[i] = (float)(2 * i);
    native_write(y, z.host, BYTES);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < WORDS; i++)
            x.host[i] = (float)(turn + i);
        memset(z.host, 0xff, BYTES);
        const struct native_add args = {native_address(x.device), native_address(y),
                                        native_address(z.device), WORDS, (uint32_t)turn};
        NATIVE_LAUNCH(&n, "add", 2, args);
        CHECK_OK(aclrtSynchronizeStream(n.stream));
        bool good = true;
        for (int i = 0; i < WORDS; i++)
            good = good && z.host[i] == (float)(turn + 3 * i);
        CHECK(good);
    }
    native_free(y);
    unmap(&x);
    unmap(&z);
    native_end(&n);
}

/* The arguments are the program's, too, and at an odd place. */
void test_kernel_arguments_in_place(void)
{
    native n;
    native_begin(&n);
    const mapped range = map();
    const mapped args = map();
    const struct native_echo echo = {native_address(range.device) + 4, 77, 0x1234, 0x56, 0};
    memcpy((char *)args.host + 64, &echo, sizeof(echo));
    CHECK_OK(aclrtLaunchKernel(native_find(n.binary, "echo"), 1, (char *)args.device + 64,
                               sizeof(echo), n.stream));
    CHECK_OK(aclrtSynchronizeStream(n.stream));
    uint32_t word = 0;
    memcpy(&word, (char *)range.host + 4, sizeof(word));
    CHECK_EQUAL(word, 77);
    unmap(&args);
    unmap(&range);
    native_end(&n);
}

static void check_kernel_failed(const native *n)
{
    (void)aclGetRecentErrMsg();
    CHECK_FAILS(aclrtSynchronizeStream(n->stream));
    const char *text = aclGetRecentErrMsg();
    CHECK(text != NULL && strstr(text, "registered ") != NULL);
}

/* Pages that are gone when it reads them, and when it writes them. */
void test_kernel_without_pages(void)
{
    native n;
    native_begin(&n);
    const mapped x = map();
    const mapped z = map();
    void *y = native_memory(BYTES);
    const struct native_add args = {native_address(x.device), native_address(y),
                                    native_address(z.device), WORDS, 0};
    char *const parts[] = {(char *)x.host + BYTES / 2, (char *)z.host + BYTES / 2};
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(munmap(parts[i], BYTES / 2), 0);
        NATIVE_LAUNCH(&n, "add", 1, args);
        check_kernel_failed(&n);
        CHECK(mmap(parts[i], BYTES / 2, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == parts[i]);
    }
    NATIVE_LAUNCH(&n, "add", 1, args);
    CHECK_OK(aclrtSynchronizeStream(n.stream));
    native_free(y);
    unmap(&x);
    unmap(&z);
    native_end(&n);
}

/* The host's address is not the device's; neither is one past the range. */
void test_kernel_outside_of_a_mapping(void)
{
    native n;
    native_begin(&n);
    const mapped x = map();
    void *y = native_memory(BYTES);
    const struct native_add host = {native_address(x.host), native_address(y), native_address(y),
                                    WORDS, 0};
    const struct native_add past = {native_address(x.device) + 4, native_address(y),
                                    native_address(y), WORDS, 0};
    NATIVE_LAUNCH(&n, "add", 1, host);
    check_kernel_failed(&n);
    NATIVE_LAUNCH(&n, "add", 1, past);
    CHECK_FAILS(aclrtSynchronizeStream(n.stream));
    native_free(y);
    unmap(&x);
    native_end(&n);
}

/* The program reads the memory that a kernel writes, and makes no call. */
void test_kernel_polled_without_a_call(void)
{
    native n;
    native_begin(&n);
    const mapped range = map();
    const struct native_echo echo = {native_address(range.device), 78, 0x1234, 0x56, 0};
    NATIVE_LAUNCH(&n, "echo", 1, echo);
    const double end = twin_wall_seconds() + 30;
    while (atomic_load((_Atomic uint32_t *)(void *)range.host) != 78 && twin_wall_seconds() < end)
        ;
    CHECK_EQUAL(*(uint32_t *)(void *)range.host, 78);
    CHECK_OK(aclrtSynchronizeStream(n.stream));
    unmap(&range);
    native_end(&n);
}
