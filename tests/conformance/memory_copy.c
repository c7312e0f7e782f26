/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronous copies and fills. */
#include <stdlib.h>
#include <string.h>

#include "memory_tests.h"
#include "suite.h"

#define BYTES 4096

void test_copy_of_nothing(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMemcpy(NULL, 0, NULL, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtMemcpy(NULL, 10, NULL, 0, (aclrtMemcpyKind)99));
    CHECK_OK(aclrtResetDevice(0));
}

void test_copy_null(void)
{
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, BYTES, 0);
    CHECK_CODE(aclrtMemcpy(NULL, BYTES, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpy(data.device, BYTES, NULL, BYTES, ACL_MEMCPY_HOST_TO_DEVICE),
               ACL_ERROR_INVALID_PARAM);
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

void test_copy_too_long(void)
{
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, BYTES, 3);
    memset(data.host, 4, BYTES);
    CHECK_CODE(aclrtMemcpy(data.device, BYTES - 1, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpy(data.device, 0, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE),
               ACL_ERROR_RT_PARAM_INVALID);
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 3, BYTES);
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

void test_copy_kinds(void)
{
    static const int good[] = {ACL_MEMCPY_HOST_TO_HOST,   ACL_MEMCPY_HOST_TO_DEVICE,
                               ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE,
                               ACL_MEMCPY_DEFAULT,        ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE};
    static const int bad[] = {ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE,
                              8, 99, -1};
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, BYTES, 0);
    for (size_t i = 0; i < TWIN_COUNT(good); i++)
        CHECK_OK(aclrtMemcpy(data.device, BYTES, data.host, BYTES, (aclrtMemcpyKind)good[i]));
    for (size_t i = 0; i < TWIN_COUNT(bad); i++)
        CHECK_CODE(aclrtMemcpy(data.device, BYTES, data.host, BYTES, (aclrtMemcpyKind)bad[i]),
                   ACL_ERROR_INVALID_PARAM);
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

void test_copy_contradicting_kind(void)
{
    static const aclrtMemcpyKind kinds[] = {ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE,
                                            ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEFAULT};
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, BYTES, 0);
    for (size_t i = 0; i < TWIN_COUNT(kinds); i++) {
        CHECK_OK(aclrtMemset(data.device, BYTES, (int)i + 1, BYTES));
        CHECK_OK(aclrtMemcpy(data.host, BYTES, data.device, BYTES, kinds[i]));
        CHECK_BYTES(data.host, (uint8_t)(i + 1), BYTES);
    }
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

void test_copy_directions(void)
{
    static const size_t sizes[] = {1, 63, BYTES, (5 << 20) + 3};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(sizes); i++) {
        size_t bytes = sizes[i];
        twin_buffer one;
        twin_buffer two;
        uint8_t *pageable = malloc(bytes);
        uint8_t *expected = malloc(bytes);
        twin_buffer_make(&one, bytes, 0);
        twin_buffer_make(&two, bytes, 0);
        for (size_t k = 0; k < bytes; k++)
            expected[k] = (uint8_t)(k * 7 + i);

        CHECK_OK(aclrtMemcpy(one.host, bytes, expected, bytes, ACL_MEMCPY_HOST_TO_HOST));
        CHECK_OK(aclrtMemcpy(one.device, bytes, one.host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
        CHECK_OK(aclrtMemcpy(two.device, bytes, one.device, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE));
        CHECK_OK(aclrtMemcpy(two.host, bytes, two.device, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        CHECK(memcmp(two.host, expected, bytes) == 0);
        CHECK_OK(aclrtMemset(two.device, bytes, 0, bytes));
        CHECK_OK(aclrtMemcpy(two.device, bytes, expected, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
        CHECK_OK(aclrtMemcpy(pageable, bytes, two.device, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        CHECK(memcmp(pageable, expected, bytes) == 0);

        twin_buffer_free(&two);
        twin_buffer_free(&one);
        free(expected);
        free(pageable);
    }
    CHECK_OK(aclrtResetDevice(0));
}

void test_copy_does_not_synchronise(void)
{
    twin_hold hold;
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream opener = twin_stream();
    twin_buffer_make(&data, BYTES, 5);
    twin_hold_begin(&hold, held);
    CHECK_OK(aclrtMemsetAsync(data.device, BYTES, 6, BYTES, held));
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 5, BYTES); /* the fill is pending */
    CHECK(!twin_idle(held));
    twin_hold_end(&hold, opener);
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 6, BYTES);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(0));
}

void test_copy_onto_itself(void)
{
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, BYTES, 8);
    CHECK_OK(aclrtMemcpy(data.device, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE));
    CHECK_CODE(aclrtMemcpy(data.device, BYTES - 1, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE),
               ACL_ERROR_RT_PARAM_INVALID); /* arguments are looked at first */
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 8, BYTES);
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

static void copy_without_context(void *pointer)
{
    twin_buffer *data = pointer;
    CHECK_CODE(aclrtMemcpy(data->device, BYTES, data->host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE),
               ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtMemset(data->device, BYTES, 1, BYTES), ACL_ERROR_RT_CONTEXT_NULL);
}

void test_copy_without_context(void)
{
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, BYTES, 0);
    twin_on_thread(copy_without_context, &data);
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

void test_copy_across_devices(void)
{
    twin_buffer one;
    twin_buffer two;
    aclrtContext first = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&first));
    twin_buffer_make(&one, BYTES, 1);
    CHECK_OK(aclrtSetDevice(1));
    twin_buffer_make(&two, BYTES, 2);
    aclError code = aclrtMemcpy(two.device, BYTES, one.device, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE);
    twin_buffer_read(&two);
    CHECK_BYTES(two.host, code == ACL_SUCCESS ? 1 : 2, BYTES);
    twin_buffer_free(&two);
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtSetCurrentContext(first));
    twin_buffer_free(&one);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- fills ---------------------------------------------------------------------------------- */

void test_fill_of_nothing(void)
{
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, BYTES, 0);
    CHECK_OK(aclrtMemset(NULL, 0, 1, 0));
    CHECK_OK(aclrtMemset(data.device, BYTES, 1, 0));
    CHECK_OK(aclrtMemsetAsync(NULL, 0, 1, 0, NULL));
    CHECK_CODE(aclrtMemset(NULL, BYTES, 1, BYTES), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemsetAsync(NULL, BYTES, 1, BYTES, NULL), ACL_ERROR_INVALID_PARAM);
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 0, BYTES);
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

void test_fill_value_and_range(void)
{
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, BYTES, 0x11);
    CHECK_OK(aclrtMemset(data.device + 100, BYTES - 100, 0x12345678, 77));
    CHECK_OK(aclrtMemsetAsync(data.device + 1001, BYTES - 1001, -2, 13, NULL));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 0x11, 100);
    CHECK_BYTES(data.host + 100, 0x78, 77);
    CHECK_BYTES(data.host + 177, 0x11, 1001 - 177);
    CHECK_BYTES(data.host + 1001, 0xfe, 13);
    CHECK_BYTES(data.host + 1014, 0x11, BYTES - 1014);
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

void test_fill_too_long(void)
{
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, BYTES, 1);
    CHECK_CODE(aclrtMemset(data.device, BYTES - 1, 2, BYTES), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemset(data.device, 0, 2, BYTES), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemsetAsync(data.device, BYTES - 1, 2, BYTES, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSynchronizeStream(NULL));
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 1, BYTES);
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

void test_fill_does_not_wait(void)
{
    twin_hold hold;
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream opener = twin_stream();
    twin_buffer_make(&data, BYTES, 1);
    twin_hold_begin(&hold, held);
    CHECK_OK(aclrtMemset(data.device, BYTES, 2, BYTES));
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 2, BYTES);
    CHECK(!twin_idle(held));
    twin_hold_end(&hold, opener);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(0));
}
