/* SPDX-License-Identifier: Apache-2.0 */
/* What the core and a backend say about managed memory. */
#ifndef TWINRT_SEAM_MANAGED_H
#define TWINRT_SEAM_MANAGED_H

#include <stdint.h>

/* Where a page of managed memory is, or is to be; with the public values. */
typedef enum twin_place_kind {
    TWIN_PLACE_NONE,
    TWIN_PLACE_DEVICE,
    TWIN_PLACE_HOST,
    TWIN_PLACE_NUMA /* a node of the host */
} twin_place_kind;

typedef struct twin_place {
    twin_place_kind kind;
    int32_t id; /* DEVICE: backend index; NUMA: the node; else 0 */
} twin_place;

/* Advice about managed memory, with the public values. */
typedef enum twin_advice {
    TWIN_ADVICE_READ_MOSTLY,
    TWIN_ADVICE_NOT_READ_MOSTLY,
    TWIN_ADVICE_PREFERRED,
    TWIN_ADVICE_NOT_PREFERRED,
    TWIN_ADVICE_ACCESSED_BY,
    TWIN_ADVICE_NOT_ACCESSED_BY,
    TWIN_ADVICES
} twin_advice;

/* What managed.query is asked about a range. */
typedef enum twin_managed_fact {
    TWIN_MANAGED_READ_MOSTLY, /* one place, HOST, if all pages are; else NONE */
    TWIN_MANAGED_PREFERRED,   /* the one of all pages; NONE: not set, or not the same */
    TWIN_MANAGED_ACCESSED_BY, /* each that is set for all pages, then NONE */
    TWIN_MANAGED_PREFETCHED   /* as PREFERRED: where the newest prefetch was to */
} twin_managed_fact;

#endif
