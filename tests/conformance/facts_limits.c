/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the process for launches of kernels: stacks, print buffers, time limits, saturation.
 * Each child begins with the values of a new process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facts_tests.h"
#include "profile.h"
#include "suite.h"

#define STACK ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE
#define PRINT ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE
#define KIB   1024u
#define MIB   (1024u * KIB)

static size_t limit_of(aclrtDeviceLimit limit)
{
    size_t value = 99;
    CHECK_OK(aclrtDeviceGetLimit(limit, &value));
    return value;
}

/* ---- aclInit --------------------------------------------------------------------------------- */

/* Initialises with a file that holds `text`, and ends that. */
static void configure(const char *text)
{
    char path[] = "/tmp/twinrt-config-XXXXXX";
    int file = mkstemp(path);
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
        abort();
    close(file);
    aclError code = aclInit(path);
    unlink(path);
    CHECK_OK(code);
    CHECK_OK(aclFinalize());
}

static size_t number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

void child_configured(void)
{
    const char *stack = getenv("FACTS_STACK");
    const char *print = getenv("FACTS_PRINT");
    char text[128] = "{}";
    size_t want_stack = number_of("FACTS_WANT_STACK");
    size_t want_print = number_of("FACTS_WANT_PRINT");
    if (stack)
        snprintf(text, sizeof(text), "{\"StackSize\":{\"aicore_stack_size\":%s}}", stack);
    if (print)
        snprintf(text, sizeof(text), "{\"simd_printf_fifo_size_per_core\":%s}", print);
    configure(text);
    CHECK_EQUAL(limit_of(STACK), want_stack);
    CHECK_EQUAL(limit_of(PRINT), want_print);
}

void test_configured_sizes(void)
{
    static const struct {
        const char *given; /* NAME=value */
        const char *stack, *print;
    } rows[] = {
        {"FACTS_NONE=1", "32768", "32768"},
        {"FACTS_STACK=1", "32768", "32768"},
        {"FACTS_STACK=32769", "49152", "32768"},
        {"FACTS_STACK=49152", "49152", "32768"},
        {"FACTS_STACK=180225", "196608", "32768"},
        {"FACTS_STACK=4000000", "196608", "32768"},
        {"FACTS_PRINT=1024", "32768", "1024"},
        {"FACTS_PRINT=1025", "32768", "1032"},
        {"FACTS_PRINT=67108857", "32768", "67108864"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char stack[40], print[40];
        snprintf(stack, sizeof(stack), "FACTS_WANT_STACK=%s", rows[i].stack);
        snprintf(print, sizeof(print), "FACTS_WANT_PRINT=%s", rows[i].print);
        const char *const settings[] = {rows[i].given, stack, print, NULL};
        twin_run_child("configured", settings);
    }
}

void child_last_size_wins(void)
{
    CHECK_OK(aclrtDeviceSetLimit(STACK, 64 * KIB));
    CHECK_OK(aclrtDeviceSetLimit(PRINT, 2 * KIB));
    configure("{\"StackSize\":{\"aicore_stack_size\":98304}}");
    CHECK_EQUAL(limit_of(STACK), 96 * KIB);
    CHECK_EQUAL(limit_of(PRINT), 2 * KIB); /* not named there */
    CHECK_OK(aclrtDeviceSetLimit(STACK, 33 * KIB));
    CHECK_EQUAL(limit_of(STACK), 48 * KIB);
}

void test_last_size_wins(void)
{
    twin_run_child("last_size_wins", NULL);
}

/* ---- aclrtDeviceSetLimit --------------------------------------------------------------------- */

void test_limit_refusals(void)
{
    static const aclrtDeviceLimit simt[] = {ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE,
                                            ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE,
                                            ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE};
    size_t stack = limit_of(STACK), print = limit_of(PRINT);
    size_t value = 99;
    for (int bad = -1; bad <= 5; bad += 6) {
        CHECK_CODE(aclrtDeviceSetLimit((aclrtDeviceLimit)bad, 64 * KIB), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtDeviceGetLimit((aclrtDeviceLimit)bad, &value), ACL_ERROR_INVALID_PARAM);
    }
    for (size_t i = 0; i < sizeof(simt) / sizeof(simt[0]); i++) {
        CHECK_CODE(aclrtDeviceSetLimit(simt[i], 2 * MIB), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        CHECK_CODE(aclrtDeviceGetLimit(simt[i], &value), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        CHECK_CODE(aclrtDeviceSetLimit(simt[i], (size_t)UINT32_MAX + 1), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtDeviceGetLimit(simt[i], NULL), ACL_ERROR_INVALID_PARAM);
    }
    CHECK_CODE(aclrtDeviceSetLimit(STACK, (size_t)UINT32_MAX + 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDeviceSetLimit(PRINT, SIZE_MAX), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDeviceSetLimit(PRINT, KIB - 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtDeviceSetLimit(PRINT, 64 * MIB + 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtDeviceGetLimit(STACK, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQUAL(value, 99);
    CHECK_EQUAL(limit_of(STACK), stack);
    CHECK_EQUAL(limit_of(PRINT), print);
}

void child_limits_are_set(void)
{
    CHECK_EQUAL(limit_of(STACK), 32 * KIB);
    CHECK_EQUAL(limit_of(PRINT), 32 * KIB);
    CHECK_OK(aclrtDeviceSetLimit(STACK, 0));
    CHECK_EQUAL(limit_of(STACK), 32 * KIB);
    CHECK_OK(aclrtDeviceSetLimit(STACK, 32 * KIB + 1));
    CHECK_EQUAL(limit_of(STACK), 48 * KIB);
    CHECK_OK(aclrtDeviceSetLimit(STACK, UINT32_MAX));
    CHECK_EQUAL(limit_of(STACK), 192 * KIB);
    CHECK_OK(aclrtDeviceSetLimit(PRINT, 64 * MIB));
    CHECK_EQUAL(limit_of(PRINT), 64 * MIB);
    CHECK_OK(aclrtDeviceSetLimit(PRINT, 4001));
    CHECK_EQUAL(limit_of(PRINT), 4008);
    CHECK_EQUAL(limit_of(STACK), 192 * KIB);
}

void test_limits_are_set(void)
{
    twin_run_child("limits_are_set", NULL);
}

/* ---- time limits of operators ---------------------------------------------------------------- */

#define UNITS 254u

/* Granularity of the device in ns, as the profile has it. */
static uint64_t unit_ns(void)
{
    return twin_profile_value("sqe.credit_unit_ns");
}

static uint32_t timeout_ms(void)
{
    uint32_t value = 99;
    CHECK_OK(aclrtGetOpExecuteTimeout(&value));
    return value;
}

/* `units` of the device in whole ms, rounded up. */
static uint32_t units_ms(uint64_t units)
{
    return (uint32_t)((units * unit_ns() + 999999) / 1000000);
}

/* So many units are no less than that. */
static uint64_t units_for_ms(uint64_t ms)
{
    return (ms * 1000000 + unit_ns() - 1) / unit_ns();
}

static uint64_t set_us(uint64_t timeout)
{
    uint64_t actual = 99;
    CHECK_OK(aclrtSetOpExecuteTimeOutV2(timeout, &actual));
    return actual;
}

/* Needs no device: asked for before one is set. */
void child_timeout_default(void)
{
    if (unit_ns() == (uint64_t)1 << 32) /* the 910B's */
        CHECK_EQUAL((timeout_ms() + 999) / 1000, 1091);
    CHECK_EQUAL(timeout_ms(), units_ms(UNITS));
    CHECK_CODE(aclrtGetOpExecuteTimeout(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetOpExecuteTimeOut(1));
    CHECK_EQUAL(timeout_ms(), units_ms(1));
    CHECK_OK(aclrtSetOpExecuteTimeOut(5));
    CHECK_EQUAL(timeout_ms(), units_ms(units_for_ms(5000)));
    CHECK_OK(aclrtSetOpExecuteTimeOut(UINT32_MAX));
    CHECK_EQUAL(timeout_ms(), units_ms(UNITS));
    CHECK_OK(aclrtSetOpExecuteTimeOut(2));
    CHECK_OK(aclrtSetOpExecuteTimeOut(0));
    CHECK_EQUAL(timeout_ms(), units_ms(UNITS));

    CHECK_OK(aclrtSetOpExecuteTimeOutWithMs(1));
    CHECK_EQUAL(timeout_ms(), units_ms(1));
    /* the last whole ms that one unit suffices for, and the next */
    uint32_t one = (uint32_t)(unit_ns() / 1000000);
    CHECK_OK(aclrtSetOpExecuteTimeOutWithMs(one));
    CHECK_EQUAL(timeout_ms(), units_ms(1));
    CHECK_OK(aclrtSetOpExecuteTimeOutWithMs(one + 1));
    CHECK_EQUAL(timeout_ms(), units_ms(2));
    CHECK_OK(aclrtSetOpExecuteTimeOutWithMs(UINT32_MAX));
    CHECK_EQUAL(timeout_ms(), units_ms(UNITS));
    CHECK_OK(aclrtSetOpExecuteTimeOutWithMs(4));
    CHECK_OK(aclrtSetOpExecuteTimeOutWithMs(0));
    CHECK_EQUAL(timeout_ms(), units_ms(UNITS));
}

void test_timeout_default(void)
{
    twin_run_child("timeout_default", NULL);
}

void child_timeout_coarse(void)
{
    uint64_t unit_us = unit_ns() / 1000;
    uint64_t interval = 99;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetOpTimeOutInterval(&interval));
    CHECK_EQUAL(interval, unit_us);
    CHECK_EQUAL(set_us(1), unit_us);
    CHECK_EQUAL(timeout_ms(), units_ms(1));
    CHECK_EQUAL(set_us(unit_us + 1), 2 * unit_ns() / 1000);
    CHECK_EQUAL(set_us(0), UNITS * unit_ns() / 1000); /* a coarse unit: the most, not never */
    CHECK_EQUAL(timeout_ms(), units_ms(UNITS));
    CHECK_EQUAL(set_us(UINT64_MAX), UNITS * unit_ns() / 1000);
    CHECK_EQUAL(timeout_ms(), units_ms(UNITS));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_EQUAL(timeout_ms(), units_ms(UNITS));
}

void test_timeout_coarse(void)
{
    twin_run_child("timeout_coarse", NULL);
}

void child_timeout_fine(void)
{
    uint64_t interval = 99;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetOpTimeOutInterval(&interval));
    CHECK_EQUAL(interval, 100);
    CHECK_EQUAL(set_us(50), 100);
    CHECK_EQUAL(set_us(100), 100);
    CHECK_EQUAL(set_us(101), 200);
    CHECK_EQUAL(set_us(30000), 25400);
    CHECK_EQUAL(timeout_ms(), 26);
    CHECK_EQUAL(set_us(12300), 12300);
    CHECK_EQUAL(timeout_ms(), 13);
    CHECK(set_us(0) == UINT64_MAX);
    CHECK_EQUAL(timeout_ms(), UINT32_MAX);
    CHECK_OK(aclrtSetOpExecuteTimeOut(0)); /* the most there is */
    CHECK_EQUAL(timeout_ms(), 26);
    CHECK_OK(aclrtResetDevice(0));
}

void test_timeout_fine(void)
{
    char file[] = "/tmp/twinrt-profile-XXXXXX";
    char setting[64];
    if (!CHECK(twin_profile_variant(file, "sqe.credit_unit_ns", 100000)))
        return;
    snprintf(setting, sizeof(setting), "TWINRT_PROFILE=%s", file);
    const char *const settings[] = {setting, NULL};
    twin_run_child("timeout_fine", settings);
    unlink(file);
}

static void limits_without_context(void *unused)
{
    uint64_t value = 99;
    (void)unused;
    CHECK_CODE(aclrtGetOpTimeOutInterval(&value), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtSetOpExecuteTimeOutV2(1, &value), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQUAL(value, 99);
}

void test_timeout_refusals(void)
{
    uint32_t before = timeout_ms();
    CHECK_CODE(aclrtGetOpTimeOutInterval(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetOpExecuteTimeOutV2(1, NULL), ACL_ERROR_INVALID_PARAM);
    twin_on_thread(limits_without_context, NULL);
    CHECK_EQUAL(timeout_ms(), before);
}

/* ---- saturation ------------------------------------------------------------------------------ */

static aclrtFloatOverflowMode saturation(void)
{
    aclrtFloatOverflowMode mode = ACL_RT_OVERFLOW_MODE_UNDEF;
    CHECK_OK(aclrtGetDeviceSatMode(&mode));
    return mode;
}

static void saturate_elsewhere(void *unused)
{
    (void)unused;
    CHECK_EQUAL(saturation(), ACL_RT_OVERFLOW_MODE_INFNAN);
    CHECK_OK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
}

void child_saturation(void)
{
    /* What the part does by default; without a device it saturates. */
    const char *soc = aclrtGetSocName();
    CHECK_EQUAL(saturation(), soc && twin_profile_value("aicore.inf_nan") != 0
                                  ? ACL_RT_OVERFLOW_MODE_INFNAN
                                  : ACL_RT_OVERFLOW_MODE_SATURATION);
    CHECK_OK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
    twin_on_thread(saturate_elsewhere, NULL);
    CHECK_EQUAL(saturation(), ACL_RT_OVERFLOW_MODE_SATURATION);
    CHECK_OK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
    CHECK_CODE(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSetDeviceSatMode((aclrtFloatOverflowMode)-1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(saturation(), ACL_RT_OVERFLOW_MODE_INFNAN);
    CHECK_CODE(aclrtGetDeviceSatMode(NULL), ACL_ERROR_INVALID_PARAM);
}

void test_saturation(void)
{
    twin_run_child("saturation", NULL);
}
