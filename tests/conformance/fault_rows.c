/* SPDX-License-Identifier: Apache-2.0 */
/* The memory after a two-dimensional copy with one failed row (runtime/docs/errors.md). */
#include <string.h>

#include "fault_tests.h"

#define ROWS  40
#define BAD   17
#define WIDTH 512
#define PITCH 1024

static uint8_t row_of(const uint8_t *at, unsigned row)
{
    const uint8_t *bytes = at + (size_t)row * PITCH;
    for (unsigned i = 1; i < WIDTH; i++)
        CHECK_EQUAL(bytes[i], bytes[0]); /* never a part of a row */
    return bytes[0];
}

void test_failed_rows(void)
{
    enum { TO_HOST, IN_NO_STREAM, WITHIN, WAYS };
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    for (int way = 0; way < WAYS; way++) {
        twin_buffer from;
        twin_buffer to;
        twin_buffer_make(&from, ROWS * PITCH, 2);
        twin_buffer_make(&to, ROWS * PITCH, 1);
        twinrt_fault fault = TWINRT_FAULT_INIT(TWINRT_FAULT_MEMORY);
        fault.address = (uint64_t)(uintptr_t)from.device + BAD * PITCH + 100;
        fault.bytes = 8;
        fault.times = 0;
        twin_inject_fault(&fault);
        if (way == IN_NO_STREAM) {
            CHECK_CODE(aclrtMemcpy2d(to.host, PITCH, from.device, PITCH, WIDTH, ROWS,
                                     ACL_MEMCPY_DEVICE_TO_HOST),
                       ACL_ERROR_RT_DEVICE_MEM_ERROR);
        } else {
            const bool within = way == WITHIN;
            CHECK_OK(aclrtMemcpy2dAsync(
                within ? to.device : to.host, PITCH, from.device, PITCH, WIDTH, ROWS,
                within ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_HOST, stream));
            CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS),
                       ACL_ERROR_RT_DEVICE_MEM_ERROR);
        }
        CHECK_OK(twinrt_fault_remove(0));
        if (way == WITHIN)
            twin_buffer_read(&to);
        for (unsigned row = 0; row < BAD; row++)
            CHECK_EQUAL(row_of(to.host, row), way == TO_HOST ? 2 : 1);
        CHECK_EQUAL(row_of(to.host, BAD), 1);
        for (unsigned row = BAD + 1; row < ROWS; row++) /* of a list, those under way are copied */
            CHECK(row_of(to.host, row) == 1 || way == TO_HOST);
        CHECK_EQUAL(to.host[WIDTH], 1);
        twin_buffer_free(&from);
        twin_buffer_free(&to);
    }
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}
