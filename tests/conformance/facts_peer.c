/* SPDX-License-Identifier: Apache-2.0 */
/* Access of devices to each other's memory, and copies that need it. */
#include <string.h>

#include "facts_tests.h"
#include "suite.h"

#define BYTES 65536

static int32_t access_of(int32_t device, int32_t peer)
{
    int32_t status = -99;
    CHECK_OK(aclrtDevicePeerAccessStatus(device, peer, &status));
    return status;
}

void test_peer_refusals(void)
{
    int32_t count = (int32_t)twin_device_count();
    int32_t can = -99;
    CHECK_CODE(aclrtDeviceCanAccessPeer(&can, 0, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDeviceCanAccessPeer(&can, 0, count), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtDeviceCanAccessPeer(&can, -1, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtDeviceCanAccessPeer(NULL, 0, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(can, -99);
    CHECK_OK(aclrtDeviceCanAccessPeer(&can, 0, 1));
    CHECK_EQUAL(can, 1);
    can = -99;
    CHECK_OK(aclrtDeviceCanAccessPeer(&can, 1, 0));
    CHECK_EQUAL(can, 1);

    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtDeviceEnablePeerAccess(0, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDeviceDisablePeerAccess(0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDeviceEnablePeerAccess(1, 1), ACL_ERROR_FEATURE_UNSUPPORTED);
    CHECK_CODE(aclrtDeviceEnablePeerAccess(count, 0), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtDeviceDisablePeerAccess(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQUAL(access_of(0, 1), 0);
    CHECK_OK(aclrtResetDevice(0));
}

static void enable_without_context(void *unused)
{
    (void)unused;
    CHECK_CODE(aclrtDeviceEnablePeerAccess(1, 1), ACL_ERROR_FEATURE_UNSUPPORTED);
    CHECK_CODE(aclrtDeviceEnablePeerAccess(1, 0), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtDeviceDisablePeerAccess(1), ACL_ERROR_RT_CONTEXT_NULL);
}

void test_peer_needs_a_device(void)
{
    twin_on_thread(enable_without_context, NULL);
}

void test_peer_direction(void)
{
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtDeviceEnablePeerAccess(1, 0));
    CHECK_EQUAL(access_of(0, 1), 1);
    CHECK_EQUAL(access_of(1, 0), 0);
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtDeviceEnablePeerAccess(0, 0));
    CHECK_EQUAL(access_of(1, 0), 1);
    CHECK_OK(aclrtDeviceDisablePeerAccess(0));
    CHECK_EQUAL(access_of(1, 0), 0);
    CHECK_EQUAL(access_of(0, 1), 1);
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtResetDeviceForce(0));
}

void test_peer_status(void)
{
    int32_t count = (int32_t)twin_device_count();
    int32_t status = -99;
    CHECK_EQUAL(access_of(0, 1), 0);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtDeviceEnablePeerAccess(1, 0));
    CHECK_OK(aclrtDeviceEnablePeerAccess(1, 0)); /* again */
    CHECK_EQUAL(access_of(0, 1), 1);
    CHECK_OK(aclrtDeviceDisablePeerAccess(1));
    CHECK_EQUAL(access_of(0, 1), 0);
    CHECK_OK(aclrtDeviceDisablePeerAccess(1));
    CHECK_EQUAL(access_of(0, 1), 0);
    CHECK_OK(aclrtResetDevice(0));
    CHECK_CODE(aclrtDevicePeerAccessStatus(0, 1, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDevicePeerAccessStatus(0, count, &status), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtDevicePeerAccessStatus(-1, 0, &status), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(status, -99);
}

void test_peer_ends_with_the_reset(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtDeviceEnablePeerAccess(1, 0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_EQUAL(access_of(0, 1), 1); /* not the releasing one */
    CHECK_OK(aclrtResetDevice(0));
    CHECK_EQUAL(access_of(0, 1), 0);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQUAL(access_of(0, 1), 0);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Buffers on both devices; device 1 is current at the end. */
static void make_pair(twin_buffer *first, twin_buffer *second)
{
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(first, BYTES, 0x11);
    CHECK_OK(aclrtSetDevice(1));
    twin_buffer_make(second, BYTES, 0x22);
}

static void free_pair(twin_buffer *first, twin_buffer *second)
{
    twin_buffer_free(second);
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_free(first);
    CHECK_OK(aclrtResetDeviceForce(0));
}

void test_peer_copy(void)
{
    twin_buffer first, second;
    make_pair(&first, &second);
    CHECK_CODE(aclrtMemcpy(second.device, BYTES, first.device, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE),
               ACL_ERROR_RT_PARAM_INVALID);
    twin_buffer_read(&second);
    CHECK_BYTES(second.host, 0x22, BYTES);

    CHECK_OK(aclrtDeviceEnablePeerAccess(0, 0));
    CHECK_OK(aclrtMemcpy(second.device, BYTES, first.device, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE));
    twin_buffer_read(&second);
    CHECK_BYTES(second.host, 0x11, BYTES);

    /* The other way the same device does the copy, so the same access serves. */
    CHECK_OK(aclrtMemset(second.device, BYTES, 0x33, BYTES));
    CHECK_OK(aclrtMemcpy(first.device, BYTES, second.device, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE));
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_read(&first);
    CHECK_BYTES(first.host, 0x33, BYTES);
    /* Device 0 was given none. */
    CHECK_CODE(aclrtMemcpy(second.device, BYTES, first.device, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtDeviceDisablePeerAccess(0));
    CHECK_CODE(aclrtMemcpy(second.device, BYTES, first.device, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE),
               ACL_ERROR_RT_PARAM_INVALID);
    free_pair(&first, &second);
}

void test_peer_copy_in_order(void)
{
    twin_buffer first, second;
    twin_hold hold;
    make_pair(&first, &second);
    aclrtStream stream = twin_stream();
    aclrtStream opener = twin_stream();
    CHECK_CODE(aclrtMemcpyAsync(second.device, BYTES, first.device, BYTES,
                                ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemsetAsync(first.device, BYTES, 1, BYTES, stream), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtDeviceEnablePeerAccess(0, 0));
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtMemsetAsync(first.device, BYTES, 0x44, BYTES, stream));
    CHECK_OK(aclrtMemcpyAsync(second.device, BYTES, first.device, BYTES,
                              ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    twin_buffer_read(&second);
    CHECK_BYTES(second.host, 0x22, BYTES); /* still held */
    twin_hold_end(&hold, opener);
    twin_buffer_read(&second);
    CHECK_BYTES(second.host, 0x44, BYTES);
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(stream));
    free_pair(&first, &second);
}
