/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/kernel_settings.h"

#include <stdatomic.h>
#include <stddef.h>

#define STACK_UNIT_BYTES (16u << 10)
#define PRINT_UNIT_BYTES 8u
#define NS_PER_US        1000u

/* Relaxed, all of them: plain numbers. */
static _Atomic uint32_t stack_bytes = TWIN_STACK_MIN_BYTES;
static _Atomic uint32_t print_bytes = TWIN_PRINT_BYTES;
static _Atomic uint64_t op_limit_us = TWIN_OP_MOST;
/* -1: what the part does by default. */
static _Atomic int saturation = -1;

static uint32_t round_up(uint64_t value, uint32_t unit)
{
    return (uint32_t)((value + unit - 1) / unit * unit);
}

uint32_t twin_stack_round(uint64_t bytes)
{
    if (bytes < TWIN_STACK_MIN_BYTES)
        bytes = TWIN_STACK_MIN_BYTES;
    if (bytes > TWIN_STACK_MAX_BYTES)
        bytes = TWIN_STACK_MAX_BYTES;
    return round_up(bytes, STACK_UNIT_BYTES);
}

uint32_t twin_print_round(uint64_t bytes)
{
    return round_up(bytes, PRINT_UNIT_BYTES);
}

void twin_stack_set(uint64_t bytes)
{
    atomic_store_explicit(&stack_bytes, twin_stack_round(bytes), memory_order_relaxed);
}

void twin_print_set(uint64_t bytes)
{
    atomic_store_explicit(&print_bytes, twin_print_round(bytes), memory_order_relaxed);
}

twin_core_memory twin_core_memory_now(void)
{
    return (twin_core_memory){
        .stack_bytes = atomic_load_explicit(&stack_bytes, memory_order_relaxed),
        .print_bytes = atomic_load_explicit(&print_bytes, memory_order_relaxed)};
}

void twin_op_limit_set(uint64_t limit_us)
{
    atomic_store_explicit(&op_limit_us, limit_us, memory_order_relaxed);
}

uint64_t twin_op_limit(void)
{
    return atomic_load_explicit(&op_limit_us, memory_order_relaxed);
}

uint64_t twin_op_limit_ns(uint64_t limit_us, uint64_t unit_ns)
{
    if (limit_us == TWIN_OP_NEVER)
        return UINT64_MAX;
    uint64_t most_ns = TWIN_OP_UNITS * unit_ns;
    if (limit_us >= most_ns / NS_PER_US)
        return most_ns;
    uint64_t units = (limit_us * NS_PER_US + unit_ns - 1) / unit_ns;
    return (units == 0 ? 1 : units) * unit_ns;
}

void twin_saturation_set(twin_saturation mode)
{
    atomic_store_explicit(&saturation, (int)mode, memory_order_relaxed);
}

twin_saturation twin_saturation_now(const twin_device_properties *properties)
{
    const int set = atomic_load_explicit(&saturation, memory_order_relaxed);
    if (set >= 0)
        return (twin_saturation)set;
    return properties && properties->inf_nan ? TWIN_INF_NAN : TWIN_SATURATE;
}
