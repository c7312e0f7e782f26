/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/kernel_settings.h"

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/object/context.h"
#include "core/object/device.h"

#define US_PER_MS    UINT64_C(1000)
#define US_PER_S     UINT64_C(1000000)
#define NS_PER_US    UINT64_C(1000)
#define NS_PER_MS    UINT64_C(1000000)
#define FINE_UNIT_NS (100000 * NS_PER_US) /* below: a limit of 0 means none */

_Static_assert((int)TWIN_SATURATE == ACL_RT_OVERFLOW_MODE_SATURATION &&
                   (int)TWIN_INF_NAN == ACL_RT_OVERFLOW_MODE_INFNAN,
               "the core has the public numbers");

/* ---- stacks and print buffers ---------------------------------------------------------------- */

/* 100000: no such limit. 207000: one of SIMT kernels, which need other cores. */
static int32_t check_limit(aclrtDeviceLimit limit)
{
    switch (limit) {
    case ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE:
    case ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE:
        return 0;
    case ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE:
    case ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE:
    case ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE:
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "limit is %d, which belongs to SIMT kernels; the cores of this device run "
                         "SIMD kernels alone",
                         (int)limit);
    default:
        return twin_fail(TWIN_ERR_ARG_VALUE, "limit is %d; 0 to 4 are known", (int)limit);
    }
}

static bool is_limit(aclrtDeviceLimit limit)
{
    return (int)limit >= ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE &&
           (int)limit <= ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE;
}

aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtDeviceSetLimit);
    if (is_limit(limit) && value > UINT32_MAX)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_ARG_VALUE, "value is %zu; it must be below 4 GiB", value));
    int32_t code = check_limit(limit);
    if (code != 0)
        return TWIN_LEAVE(code);
    if (limit == ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE) {
        twin_stack_set(value);
        return TWIN_LEAVE(ACL_SUCCESS);
    }
    if (value < TWIN_PRINT_MIN_BYTES || value > TWIN_PRINT_MAX_BYTES)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "value is %zu; a print buffer has %u to %u bytes", value,
                                    TWIN_PRINT_MIN_BYTES, TWIN_PRINT_MAX_BYTES));
    twin_print_set(value);
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t *value)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtDeviceGetLimit);
    TWIN_NOT_NULL(value);
    int32_t code = check_limit(limit);
    if (code != 0)
        return TWIN_LEAVE(code);
    twin_core_memory now = twin_core_memory_now();
    *value = limit == ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE ? now.stack_bytes : now.print_bytes;
    return TWIN_LEAVE(ACL_SUCCESS);
}

/* ---- time limits ----------------------------------------------------------------------------- */

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
    TWIN_ENTER(LOCAL);
    twin_op_limit_set(timeout == 0 ? TWIN_OP_MOST : timeout * US_PER_S);
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout)
{
    TWIN_ENTER(LOCAL);
    twin_op_limit_set(timeout == 0 ? TWIN_OP_MOST : timeout * US_PER_MS);
    return TWIN_LEAVE(ACL_SUCCESS);
}

/* Granularity of the current device. 107002. */
static int32_t current_unit(uint64_t *out_unit_ns)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code == 0)
        *out_unit_ns = context->device->properties->op_unit_ns;
    return code;
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(actualTimeout);
    uint64_t unit_ns = 0;
    int32_t code = current_unit(&unit_ns);
    if (code != 0)
        return TWIN_LEAVE(code);
    uint64_t limit_us = timeout;
    if (timeout == 0)
        limit_us = unit_ns < FINE_UNIT_NS ? TWIN_OP_NEVER : TWIN_OP_MOST;
    else if (timeout > TWIN_OP_MOST)
        limit_us = TWIN_OP_MOST; /* a number all the same, not "never" */
    twin_op_limit_set(limit_us);
    uint64_t actual_ns = twin_op_limit_ns(limit_us, unit_ns);
    *actualTimeout = actual_ns == UINT64_MAX ? UINT64_MAX : actual_ns / NS_PER_US;
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtGetOpTimeOutInterval(uint64_t *interval)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(interval);
    uint64_t unit_ns = 0;
    int32_t code = current_unit(&unit_ns);
    if (code == 0)
        *interval = unit_ns / NS_PER_US;
    return TWIN_LEAVE(code);
}

aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(timeoutMs);
    const twin_device_properties *properties = NULL;
    int32_t code = twin_device_find_properties(0, &properties);
    if (code != 0)
        return TWIN_LEAVE(code);
    uint64_t limit_ns = twin_op_limit_ns(twin_op_limit(), properties->op_unit_ns);
    uint64_t limit_ms = limit_ns / NS_PER_MS + (limit_ns % NS_PER_MS != 0);
    *timeoutMs = limit_ms < UINT32_MAX ? (uint32_t)limit_ms : UINT32_MAX;
    return TWIN_LEAVE(ACL_SUCCESS);
}

/* ---- overflows ------------------------------------------------------------------------------- */

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
    TWIN_ENTER(LOCAL);
    if (mode != ACL_RT_OVERFLOW_MODE_SATURATION && mode != ACL_RT_OVERFLOW_MODE_INFNAN)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "mode is %d; 0 (saturation) and 1 (infinity and NaN) are known",
                                    (int)mode));
    twin_saturation_set((twin_saturation)mode);
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(mode);
    const twin_device_properties *properties = NULL;
    (void)twin_device_find_properties(0, &properties); /* NULL: the mode without a device */
    *mode = (aclrtFloatOverflowMode)twin_saturation_now(properties);
    return TWIN_LEAVE(ACL_SUCCESS);
}
