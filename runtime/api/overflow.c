/* SPDX-License-Identifier: Apache-2.0 */
/* The status of overflows, read and cleared in stream order. */
#include "core/work/overflow.h"

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/object/stream.h"

static int32_t check_size(uint64_t bytes)
{
    if (bytes == TWIN_OVERFLOW_STATUS_BYTES)
        return 0;
    return twin_fail(TWIN_ERR_PARAM, "outputSize is %llu; a status has %u bytes",
                     (unsigned long long)bytes, TWIN_OVERFLOW_STATUS_BYTES);
}

static int32_t check_output(const void *output, uint64_t bytes)
{
    if (!output)
        return twin_fail(TWIN_ERR_PARAM_NULL, "outputAddr is NULL; it must be device memory");
    return check_size(bytes);
}

aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    int32_t code = twin_stream_guard(twin_api_handle(stream));
    if (code == 0 && !outputAddr)
        code = twin_api_null("outputAddr");
    if (code == 0)
        code = check_size(outputSize);
    return TWIN_LEAVE(code != 0 ? code : twin_overflow_read(outputAddr, twin_api_handle(stream)));
}

aclError aclrtGetFloatOverflowStatus(void *outputAddr, uint64_t outputSize, aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    int32_t code = twin_stream_guard(twin_api_handle(stream));
    if (code == 0)
        code = check_output(outputAddr, outputSize);
    return TWIN_LEAVE(code != 0 ? code : twin_overflow_read(outputAddr, twin_api_handle(stream)));
}

/* The mode is not looked at on boards of this generation either. */
aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr, uint64_t outputSize, uint32_t checkMode,
                                        aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    (void)checkMode;
    int32_t code = check_output(outputAddr, outputSize);
    return TWIN_LEAVE(code != 0 ? code
                                : twin_overflow_read_indirect(outputAddr, twin_api_handle(stream)));
}

aclError aclrtResetOverflowStatus(aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    return TWIN_LEAVE(twin_overflow_clear(twin_api_handle(stream)));
}

aclError aclrtResetFloatOverflowStatus(aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    return TWIN_LEAVE(twin_overflow_clear(twin_api_handle(stream)));
}

aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    (void)checkMode;
    return TWIN_LEAVE(twin_overflow_clear(twin_api_handle(stream)));
}

aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL_BELOW(overflowAddr);
    uint64_t address = 0;
    return TWIN_LEAVE(twin_api_give(twin_overflow_address(&address), &address, overflowAddr));
}
