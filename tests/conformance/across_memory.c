/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and reductions between devices, whether these have a link or meet at the host. */
#include <string.h>

#include "across_tests.h"
#include "profile.h"
#include "suite.h"

enum { PITCH = 256, WIDTH = 96, ROWS = 40, BYTES = PITCH * ROWS };

/* Memory on both devices; device 0 is current, reaches the other, and has a stream. */
struct sides {
    twin_buffer own, other;
    aclrtContext here, there;
    aclrtStream stream;
};

static void begin(struct sides *sides)
{
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtGetCurrentContext(&sides->there));
    twin_buffer_make(&sides->other, BYTES, 5);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&sides->here));
    twin_buffer_make(&sides->own, BYTES, 3);
    CHECK_OK(aclrtDeviceEnablePeerAccess(1, 0));
    sides->stream = twin_stream();
}

static void end(struct sides *sides)
{
    CHECK_OK(aclrtDestroyStream(sides->stream));
    twin_buffer_free(&sides->own);
    CHECK_OK(aclrtSetCurrentContext(sides->there));
    twin_buffer_free(&sides->other);
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void check_bytes(const twin_buffer *buffer, int in_rows, int between)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < BYTES; i++)
        wrong += buffer->host[i] != (i % PITCH < WIDTH ? in_rows : between);
    CHECK_EQUAL(wrong, 0);
}

static void read_there(struct sides *sides)
{
    CHECK_OK(aclrtSetCurrentContext(sides->there));
    twin_buffer_read(&sides->other);
    CHECK_OK(aclrtSetCurrentContext(sides->here));
}

/* There, and then back over what the host has changed meanwhile. */
void test_rows_between_devices(void)
{
    struct sides sides;
    begin(&sides);
    CHECK_OK(aclrtMemcpy2dAsync(sides.other.device, PITCH, sides.own.device, PITCH, WIDTH, ROWS,
                                ACL_MEMCPY_DEVICE_TO_DEVICE, sides.stream));
    CHECK_OK(aclrtSynchronizeStream(sides.stream));
    read_there(&sides);
    check_bytes(&sides.other, 3, 5);
    CHECK_OK(aclrtMemset(sides.own.device, BYTES, 9, BYTES));
    CHECK_OK(aclrtMemcpy2dAsync(sides.own.device, PITCH, sides.other.device, PITCH, WIDTH, ROWS,
                                ACL_MEMCPY_DEVICE_TO_DEVICE, sides.stream));
    CHECK_OK(aclrtSynchronizeStream(sides.stream));
    twin_buffer_read(&sides.own);
    check_bytes(&sides.own, 3, 9);
    end(&sides);
}

/* Done over a link; without one it is refused, and nothing has changed. */
void test_reductions_between_devices(void)
{
    const bool linked = !twin_profile_says("identity.peer_link", "PHB");
    const aclError wanted = linked ? ACL_SUCCESS : ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    struct sides sides;
    begin(&sides);
    CHECK_CODE(aclrtReduceAsync(sides.own.device, sides.other.device, BYTES,
                                ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_INT16, sides.stream, NULL),
               wanted);
    CHECK_OK(aclrtSynchronizeStream(sides.stream));
    twin_buffer_read(&sides.own);
    CHECK_EQUAL(sides.own.host[BYTES - 1], linked ? 5 : 3);
    CHECK_OK(aclrtMemset(sides.own.device, BYTES, 7, BYTES));
    CHECK_CODE(aclrtReduceAsync(sides.other.device, sides.own.device, BYTES,
                                ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_INT16, sides.stream, NULL),
               wanted);
    CHECK_OK(aclrtSynchronizeStream(sides.stream));
    read_there(&sides);
    CHECK_EQUAL(sides.other.host[0], linked ? 7 : 5);
    end(&sides);
}

void test_mapped_for_a_peer(void)
{
    struct sides sides;
    char local[64];
    begin(&sides);
    CHECK_CODE(aclrtMemP2PMap(NULL, BYTES, 0, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemP2PMap(sides.other.device, 0, 0, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemP2PMap(sides.other.device, BYTES, 0, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemP2PMap(sides.other.device, BYTES, 999, 0), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtMemP2PMap(local, sizeof(local), 0, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemP2PMap(sides.other.device, 64 * BYTES, 0, 0), ACL_ERROR_RT_PARAM_INVALID);
    /* Device 1 has no access to the memory of device 0. */
    CHECK_CODE(aclrtMemP2PMap(sides.own.device, BYTES, 1, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtMemP2PMap(sides.other.device, BYTES, 0, 0));
    CHECK_OK(aclrtMemcpyAsync(sides.own.device, BYTES, sides.other.device, BYTES,
                              ACL_MEMCPY_DEVICE_TO_DEVICE, sides.stream));
    CHECK_OK(aclrtSynchronizeStream(sides.stream));
    twin_buffer_read(&sides.own);
    CHECK_BYTES(sides.own.host, 5, BYTES);
    end(&sides);
}
