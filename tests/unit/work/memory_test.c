/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/memory.h"

#include <sys/mman.h>

#include "check.h"

#define FILL(to, byte, count)                                                                      \
    ((twin_fill){.dst = (uint64_t)(uintptr_t)(to), .bytes = (count), .value = (byte)})

static unsigned char *device_memory, *pinned, *other;
static unsigned char pageable[256], pageable_too[256];

static void begin(void)
{
    fresh();
    CHECK_OK(twin_device_set(0));
    CHECK_OK(twin_memory_alloc(&(twin_allocation){.bytes = 256}, (void **)&device_memory));
    CHECK_OK(twin_memory_alloc(&(twin_allocation){.bytes = 256}, (void **)&other));
    CHECK_OK(twin_memory_alloc_host(&(twin_allocation){.bytes = 256}, (void **)&pinned));
}

static void finish(void)
{
    CHECK_OK(twin_memory_free_host(pinned));
    (void)twin_device_reset(0, true);
    CU_ASSERT_EQUAL(fake_count.memory, 0);
}

static void fill_pattern(unsigned char *bytes)
{
    for (unsigned i = 0; i < 256; i++)
        bytes[i] = (unsigned char)(i * 7 + 1);
}

static int32_t drain(void)
{
    twin_stream *stream = NULL;
    CHECK_OK(twin_stream_pin(0, &stream));
    int32_t code = twin_stream_drain(stream, TWIN_FOREVER);
    twin_stream_unpin(stream);
    return code;
}

static void test_free(void)
{
    begin();
    CHECK_CODE(twin_memory_free(device_memory + 1), 107000);
    CHECK_CODE(twin_memory_free(pinned), 107000);
    CHECK_CODE(twin_memory_free_host(device_memory), 107000);
    CHECK_CODE(twin_memory_free(pageable), 107000);
    CHECK_OK(twin_memory_free(device_memory));
    CHECK_CODE(twin_memory_free(device_memory), 107000);
    finish();
}

static void test_exhausted(void)
{
    begin();
    void *pointer = pageable;
    CHECK_CODE(twin_memory_alloc(&(twin_allocation){.bytes = UINT64_C(1) << 40}, &pointer), 207001);
    CU_ASSERT_PTR_EQUAL(pointer, pageable);
    finish();
}

static void test_sync_copies(void)
{
    begin();
    fill_pattern(pageable);
    CHECK_OK(twin_memory_copy(device_memory, 256, pageable, 256));
    CHECK_OK(twin_memory_copy(pinned, 256, device_memory, 256));
    CHECK_OK(twin_memory_copy(other, 256, pinned, 256));
    CHECK_OK(twin_memory_copy(pageable_too, 256, other, 256));
    CU_ASSERT_EQUAL(memcmp(pageable, pageable_too, 256), 0);
    finish();
}

static void test_bad_ranges(void)
{
    begin();
    CHECK_CODE(twin_memory_copy(device_memory, 4096, pageable, 257), 107000);
    CHECK_CODE(twin_memory_copy(device_memory + 200, 256, pageable, 57), 107000);
    CHECK_CODE(twin_memory_copy(device_memory, 10, pageable, 11), 107000);
    CHECK_CODE(twin_memory_copy(device_memory, 0, pageable, 1), 107000);
    CHECK_CODE(twin_memory_copy(device_memory, 256, (void *)(uintptr_t)64, 8), 107000);
    CHECK_CODE(twin_memory_copy(device_memory, SIZE_MAX, pageable, SIZE_MAX), 107000);
    CHECK_CODE(twin_memory_fill(&FILL(device_memory, 0, 257), 4096), 107000);
    CHECK_CODE(twin_memory_fill(&FILL(device_memory, 0, 11), 10), 107000);
    (void)twin_messages_take();
    CHECK_CODE(twin_memory_copy(device_memory, 4096, pinned + 1, 256), 107000);
    const char *text = twin_messages_take();
    REQUIRE(text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "source"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "256 bytes"));
    finish();
}

static void test_unmapped(void)
{
    begin();
    unsigned char *pages =
        mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + 4096, 4096);
    CHECK_CODE(twin_memory_copy(device_memory, 256, pages + 4000, 200), 107000);
    CHECK_OK(twin_memory_copy(device_memory, 256, pages + 3996, 100));
    munmap(pages, 4096);
    finish();
}

static void test_overlap(void)
{
    begin();
    CHECK_CODE(twin_memory_copy(device_memory + 10, 246, device_memory, 100), 107000);
    CHECK_CODE(twin_memory_copy(device_memory, 246, device_memory + 99, 100), 107000);
    CHECK_OK(twin_memory_copy(device_memory, 256, device_memory + 100, 100));
    CHECK_OK(twin_memory_copy(device_memory, 256, device_memory, 100)); /* nothing to do */
    finish();
}

static void test_async_order(void)
{
    begin();
    fill_pattern(pinned);
    memset(pageable_too, 0, sizeof(pageable_too));
    CHECK_OK(twin_memory_copy_async(device_memory, 256, pinned, 256, TWIN_COPY_DEFAULT, 0));
    /* The pageable side: everything before is done when this returns. */
    CHECK_OK(
        twin_memory_copy_async(pageable_too, 256, device_memory, 256, TWIN_COPY_DEVICE_TO_HOST, 0));
    CU_ASSERT_EQUAL(memcmp(pageable_too, pinned, 256), 0);
    finish();
}

static void test_async_is_queued(void)
{
    begin();
    memset(device_memory, 1, 256);
    memset(pinned, 2, 256);
    CHECK_OK(twin_memory_copy_async(device_memory, 256, pinned, 256, TWIN_COPY_HOST_TO_DEVICE, 0));
    CHECK_OK(twin_memory_fill_async(&FILL(other, 3, 256), 256, 0));
    CU_ASSERT_EQUAL(device_memory[0], 1);
    CHECK_OK(drain());
    CU_ASSERT_EQUAL(device_memory[255], 2);
    CU_ASSERT_EQUAL(other[0], 3);
    finish();
}

static void test_async_kinds(void)
{
    begin();
    struct {
        void *dst;
        const void *src;
        twin_copy_kind kind;
        int32_t code;
    } cases[] = {
        /* Both known: the kind is put right, unless the way is from host to host. */
        {device_memory, pinned, TWIN_COPY_DEVICE_TO_HOST, 0},
        {pinned, device_memory, TWIN_COPY_DEFAULT, 0},
        {device_memory, other, TWIN_COPY_HOST_TO_HOST, 0},
        {pinned, pinned + 128, TWIN_COPY_DEFAULT, 207000},
        {pinned, pinned, TWIN_COPY_DEFAULT, 207000},
        /* Pageable source. */
        {device_memory, pageable, TWIN_COPY_HOST_TO_DEVICE, 0},
        {device_memory, pageable, TWIN_COPY_DEVICE_TO_DEVICE, 0},
        {device_memory, pageable, TWIN_COPY_DEFAULT, 0},
        {device_memory, pageable, TWIN_COPY_DEVICE_TO_HOST, 107000},
        {device_memory, pageable, TWIN_COPY_HOST_TO_HOST, 107000},
        /* Pageable destination. */
        {pageable, device_memory, TWIN_COPY_DEVICE_TO_HOST, 0},
        {pageable, device_memory, TWIN_COPY_DEVICE_TO_DEVICE, 0},
        {pageable, device_memory, TWIN_COPY_DEFAULT, 0},
        {pageable, device_memory, TWIN_COPY_HOST_TO_DEVICE, 107000},
        {pageable, device_memory, TWIN_COPY_HOST_TO_HOST, 107000},
        /* No device side. */
        {pageable, pageable_too, TWIN_COPY_DEFAULT, 207000},
        {pageable, pageable_too, TWIN_COPY_HOST_TO_HOST, 207000},
        {pageable, pinned, TWIN_COPY_DEFAULT, 207000},
        /* Through a buffer. */
        {device_memory, pageable, TWIN_COPY_HOST_TO_BUFFER_TO_DEVICE, 0},
        {device_memory, pinned, TWIN_COPY_HOST_TO_BUFFER_TO_DEVICE, 0},
        {device_memory, other, TWIN_COPY_HOST_TO_BUFFER_TO_DEVICE, 107000},
        {pinned, pageable, TWIN_COPY_HOST_TO_BUFFER_TO_DEVICE, 107000},
        /* Nothing to do. */
        {device_memory, device_memory, TWIN_COPY_DEFAULT, 0},
    };
    for (size_t i = 0; i < TWIN_COUNT(cases); i++) {
        int32_t code = twin_memory_copy_async(cases[i].dst, 64, cases[i].src, 64, cases[i].kind, 0);
        if (code != cases[i].code)
            printf("\n    case %zu answered %d, not %d\n", i, code, cases[i].code);
        CU_ASSERT_EQUAL(code, cases[i].code);
        CHECK_OK(drain());
    }
    finish();
}

static void test_earlier_failure(void)
{
    begin();
    memset(pageable, 1, 256);
    memset(device_memory, 2, 256);
    fake_set.fail_drain = TWIN_E_ADDRESS;
    CHECK_CODE(twin_memory_copy_async(pageable, 256, device_memory, 256, TWIN_COPY_DEFAULT, 0),
               507899);
    CU_ASSERT_EQUAL(pageable[0], 1);
    finish();
}

static void test_other_device(void)
{
    begin();
    CHECK_OK(twin_device_set(1));
    void *far = NULL;
    CHECK_OK(twin_memory_alloc(&(twin_allocation){.bytes = 64}, &far));
    CHECK_CODE(twin_memory_copy(far, 64, device_memory, 64), 107000);
    CHECK_CODE(twin_memory_copy_async(device_memory, 64, pinned, 64, TWIN_COPY_DEFAULT, 0), 107000);
    CHECK_OK(twin_memory_copy(far, 64, pinned, 64));
    CHECK_OK(twin_device_reset(1, false));
    finish();
}

static void test_space(void)
{
    begin();
    size_t before = 0, after = 0, total = 0;
    CHECK_OK(twin_memory_space(0, &before, &total));
    CHECK_OK(twin_memory_free(device_memory));
    CHECK_OK(twin_memory_space(0, &after, &total));
    CU_ASSERT_EQUAL(after, before + 256);
    CU_ASSERT(total >= after);
    finish();
}

static const twin_test tests[] = {
    {"only the start of an allocation of the right kind is freed", test_free},
    {"too much memory is refused and changes nothing", test_exhausted},
    {"synchronous copies work between all kinds of memory", test_sync_copies},
    {"ranges that leave their allocation are refused with both named", test_bad_ranges},
    {"host memory that is not there is refused", test_unmapped},
    {"overlapping ranges are refused, equal ones are nothing to do", test_overlap},
    {"a copy to pageable memory comes after all earlier work", test_async_order},
    {"copies and fills on the device are queued", test_async_is_queued},
    {"directions are put right or refused by the addresses", test_async_kinds},
    {"a pageable copy reports an earlier failure and copies nothing", test_earlier_failure},
    {"memory of another device needs access to it", test_other_device},
    {"free space follows allocations", test_space},
};

int main(int argc, char **argv)
{
    return twin_run_suite("memory", tests, TWIN_COUNT(tests), argc, argv);
}
