/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of kernel images, by the objects of the host that denote them. */
#include <string.h>

#include "image_tests.h"
#include "native_tests.h"
#include "twinrt/symbol.h"

static int table; /* denotes the variable "table" of the image */
static int other;

static aclrtBinHandle binary;

static void begin(void)
{
    CHECK_OK(aclrtSetDevice(0));
    binary = image_load();
    CHECK_OK(twinrt_register_variable(binary, &table, "table"));
}

static void end(void)
{
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- lookups --------------------------------------------------------------------------------- */

static void lookups_without_context(void *unused)
{
    void *address = &address;
    size_t bytes = 0;
    (void)unused;
    CHECK_CODE(aclrtGetSymbolAddress(&table, &address), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtGetSymbolSize(&table, &bytes));
    CHECK_EQUAL(bytes, IMAGE_TABLE_BYTES);
}

static void test_lookups(void)
{
    void *address = NULL;
    void *expected = NULL;
    size_t bytes = 77;
    begin();
    CHECK_CODE(aclrtGetSymbolAddress(NULL, &address), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetSymbolAddress(&table, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetSymbolSize(NULL, &bytes), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetSymbolSize(&table, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetSymbolAddress(&other, &address), ACL_ERROR_RT_INVALID_SYMBOL);
    CHECK_CODE(aclrtGetSymbolSize(&other, &bytes), ACL_ERROR_RT_INVALID_SYMBOL);
    CHECK(address == NULL && bytes == 77);
    CHECK_OK(aclrtGetSymbolAddress(&table, &address));
    CHECK_OK(aclrtGetSymbolSize(&table, &bytes));
    CHECK_OK(aclrtBinaryGetGlobal(binary, "table", &expected, NULL));
    CHECK(address == expected);
    CHECK_EQUAL(bytes, IMAGE_TABLE_BYTES);
    twin_on_thread(lookups_without_context, NULL);
    end();
    CHECK_CODE(aclrtGetSymbolSize(&table, &bytes), ACL_ERROR_RT_INVALID_SYMBOL);
}

static void test_registration(void)
{
    begin();
    CHECK_CODE(twinrt_register_variable(NULL, &other, "table"), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(twinrt_register_variable(binary, NULL, "table"), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(twinrt_register_variable(binary, &other, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(twinrt_register_variable(binary, &other, "absent"), ACL_ERROR_RT_SYMBOL_NOT_FOUND);
    CHECK_OK(twinrt_register_variable(binary, &table, "table")); /* again */
    static char many[100];
    for (size_t i = 0; i < sizeof(many); i++)
        CHECK_OK(twinrt_register_variable(binary, &many[i * 37 % 100], "table"));
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof(many); i++)
        CHECK_OK(aclrtGetSymbolSize(&many[i], &bytes));
    const aclrtBinHandle dead = binary;
    end();
    CHECK_CODE(aclrtGetSymbolSize(&many[50], &bytes), ACL_ERROR_RT_INVALID_SYMBOL);
    CHECK_CODE(twinrt_register_variable(dead, &other, "table"), ACL_ERROR_RT_INVALID_HANDLE);
}

static void test_each_device(void)
{
    uint32_t devices = 0;
    void *first = NULL;
    void *second = NULL;
    uint8_t byte = 0;
    begin();
    CHECK_OK(aclrtGetDeviceCount(&devices));
    CHECK_OK(aclrtGetSymbolAddress(&table, &first));
    if (devices > 1) {
        CHECK_OK(aclrtMemcpyToSymbol(&table, &(uint8_t){7}, 1, 0, ACL_MEMCPY_HOST_TO_DEVICE));
        CHECK_OK(aclrtSetDevice(1));
        CHECK_OK(aclrtGetSymbolAddress(&table, &second));
        CHECK(second != NULL && second != first);
        CHECK_OK(aclrtMemcpyFromSymbol(&byte, 1, &table, 1, 0, ACL_MEMCPY_DEVICE_TO_HOST));
        CHECK_EQUAL(byte, image_code[IMAGE_TABLE_PLACE]);
        CHECK_OK(aclrtResetDevice(1));
        CHECK_OK(aclrtSetDevice(0));
    }
    end();
}

/* ---- copies ---------------------------------------------------------------------------------- */

#define TO(symbol, src, count, offset, kind)                                                       \
    CHECK_CODE(aclrtMemcpyToSymbol((symbol), (src), (count), (offset), (kind)), expected);         \
    CHECK_CODE(aclrtMemcpyToSymbolAsync((symbol), (src), (count), (offset), (kind), stream),       \
               expected)
#define FROM(dst, most, symbol, count, offset, kind)                                               \
    CHECK_CODE(aclrtMemcpyFromSymbol((dst), (most), (symbol), (count), (offset), (kind)),          \
               expected);                                                                          \
    CHECK_CODE(                                                                                    \
        aclrtMemcpyFromSymbolAsync((dst), (most), (symbol), (count), (offset), (kind), stream),    \
        expected)

static void test_copy_arguments(void)
{
    static uint8_t host[2 * IMAGE_TABLE_BYTES];
    const aclrtMemcpyKind to = ACL_MEMCPY_HOST_TO_DEVICE;
    const aclrtMemcpyKind from = ACL_MEMCPY_DEVICE_TO_HOST;
    begin();
    aclrtStream stream = twin_stream();
    aclError expected = ACL_SUCCESS;
    TO(NULL, NULL, 0, SIZE_MAX, (aclrtMemcpyKind)99);
    FROM(NULL, 0, NULL, 0, SIZE_MAX, (aclrtMemcpyKind)99);
    expected = ACL_ERROR_INVALID_PARAM;
    TO(NULL, host, 1, 0, to);
    TO(&table, NULL, 1, 0, to);
    TO(&table, host, 1, 0, from);
    TO(&table, host, 1, 0, ACL_MEMCPY_DEVICE_TO_DEVICE);
    TO(&table, host, IMAGE_TABLE_BYTES + 1, 0, to);
    TO(&table, host, 1, IMAGE_TABLE_BYTES, to);
    TO(&table, host, 2, SIZE_MAX, to);
    FROM(NULL, 1, &table, 1, 0, from);
    FROM(host, 1, NULL, 1, 0, from);
    FROM(host, 1, &table, 2, 0, from);
    FROM(host, 1, &table, 1, 0, to);
    FROM(host, sizeof(host), &table, IMAGE_TABLE_BYTES, 1, from);
    FROM(host, sizeof(host), &table, SIZE_MAX, 1, from);
    expected = ACL_ERROR_RT_INVALID_SYMBOL;
    TO(&other, host, 1, 0, to);
    FROM(host, 1, &other, 1, 0, from);
    CHECK_OK(aclrtDestroyStream(stream));
    end();
}

static void test_copies(void)
{
    uint8_t back[IMAGE_TABLE_BYTES];
    uint8_t *pinned = NULL;
    begin();
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtMallocHost((void **)&pinned, IMAGE_TABLE_BYTES));
    for (size_t i = 0; i < IMAGE_TABLE_BYTES; i++)
        pinned[i] = (uint8_t)(200 - i);
    CHECK_OK(aclrtMemcpyFromSymbol(back, sizeof(back), &table, sizeof(back), 0,
                                   ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(memcmp(back, image_code + IMAGE_TABLE_PLACE, sizeof(back)) == 0);
    CHECK_OK(aclrtMemcpyToSymbol(&table, pinned, IMAGE_TABLE_BYTES - 3, 3, ACL_MEMCPY_DEFAULT));
    CHECK_OK(
        aclrtMemcpyFromSymbol(back, sizeof(back), &table, sizeof(back), 0, ACL_MEMCPY_DEFAULT));
    CHECK(memcmp(back, image_code + IMAGE_TABLE_PLACE, 3) == 0 &&
          memcmp(back + 3, pinned, sizeof(back) - 3) == 0);
    /* Page-locked: in stream order; pageable: done when the call returns. */
    twin_hold hold;
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtMemcpyToSymbolAsync(&table, pinned, IMAGE_TABLE_BYTES, 0,
                                      ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK_OK(aclrtMemcpyFromSymbol(back, 3, &table, 3, 0, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(memcmp(back, image_code + IMAGE_TABLE_PLACE, 3) == 0);
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclrtMemcpyFromSymbolAsync(back, sizeof(back), &table, sizeof(back), 0,
                                        ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(memcmp(back, pinned, sizeof(back)) == 0);
    CHECK_OK(aclrtFreeHost(pinned));
    CHECK_OK(aclrtDestroyStream(stream));
    end();
}

/* The kernel "echo" copies the word at the address that it is given. */
static void test_kernel_sees_variable(void)
{
    static int factor;
    native n;
    uint32_t words[4] = {0};
    size_t bytes = 0;
    void *address = NULL;
    native_begin(&n);
    CHECK_OK(twinrt_register_variable(n.binary, &factor, "factor"));
    CHECK_OK(aclrtGetSymbolSize(&factor, &bytes));
    CHECK_EQUAL(bytes, 2 * sizeof(uint32_t));
    CHECK_OK(aclrtGetSymbolAddress(&factor, &address));
    CHECK_EQUAL((uintptr_t)address % 64, 0);
    void *out = native_memory(sizeof(words));
    struct native_echo args = {.to = native_address(out), .pointer = native_address(address)};
    NATIVE_LAUNCH(&n, "echo", 1, args);
    CHECK_OK(aclrtSynchronizeStream(n.stream));
    native_read(words, out, sizeof(words));
    CHECK_EQUAL(words[3], 1234); /* as the source says */
    CHECK_OK(aclrtMemcpyToSymbol(&factor, &(uint32_t){99}, 4, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    NATIVE_LAUNCH(&n, "echo", 1, args);
    CHECK_OK(aclrtSynchronizeStream(n.stream));
    native_read(words, out, sizeof(words));
    CHECK_EQUAL(words[3], 99);
    native_free(out);
    native_end(&n);
}

static const twin_test tests[] = {
    {"SYM-01: lookups of symbols", test_lookups},
    {"SYM-01: registering symbols", test_registration},
    {"SYM-02: a variable has an address on each device", test_each_device},
    {"SYM-03, SYM-04, SYM-05: copies of symbols check their arguments", test_copy_arguments},
    {"SYM-06: copies to and from symbols", test_copies},
    {"SYM-06: a kernel of the image sees what was written", test_kernel_sees_variable},
};

int main(int argc, char **argv)
{
    const twin_suite suite = {
        .name = "symbol",
        .tests = tests,
        .test_count = TWIN_COUNT(tests),
        .initialise = true,
    };
    return twin_suite_main(&suite, argc, argv);
}
