/* SPDX-License-Identifier: Apache-2.0 */
/* The share of a device's cores that a device or a stream has; core/object/resource_limit.h sets
 * and reads it. */
#ifndef TWINRT_CORE_OBJECT_CORE_SHARE_H
#define TWINRT_CORE_OBJECT_CORE_SHARE_H

#include <stdatomic.h>
#include <stdint.h>

/* Kinds of core, with the public values. */
typedef enum twin_core_kind { TWIN_CORE_CUBE, TWIN_CORE_VECTOR, TWIN_CORE_KINDS } twin_core_kind;

/* Not set: as many as the next wider share allows. */
#define TWIN_CORES_ALL UINT32_MAX

/* One device's or stream's share. Relaxed: plain numbers. */
typedef struct twin_core_share {
    _Atomic uint32_t cores[TWIN_CORE_KINDS];
} twin_core_share;

static inline void twin_core_share_reset(twin_core_share *share)
{
    for (int kind = 0; kind < TWIN_CORE_KINDS; kind++)
        atomic_store_explicit(&share->cores[kind], TWIN_CORES_ALL, memory_order_relaxed);
}

#endif
