/* SPDX-License-Identifier: Apache-2.0 */
/* What an address is, and who has how much memory of a device. */
#ifndef TWINRT_CORE_WORK_MEMORY_QUERY_H
#define TWINRT_CORE_WORK_MEMORY_QUERY_H

#include "seam/types.h"

typedef enum twin_location_kind {
    TWIN_LOCATION_HOST,   /* page-locked */
    TWIN_LOCATION_DEVICE, /* also of another process, and mapped */
    TWIN_LOCATION_UNREGISTERED,
    TWIN_LOCATION_MANAGED
} twin_location_kind;

typedef struct twin_memory_place {
    twin_location_kind kind;
    uint32_t device;     /* DEVICE: by the user's number */
    uint32_t page_bytes; /* 0: not known */
} twin_memory_place;

/* Needs no context. 107000: nothing is allocated there any more; the device is not visible. */
int32_t twin_memory_place_of(const void *pointer, twin_memory_place *out_place);
/* The allocation around an address. Needs no context. 107000: there is none. */
int32_t twin_memory_range_of(const void *pointer, uint64_t *out_base, uint64_t *out_bytes);
/* Whether each address is device memory, if that is asked for, or in a reservation, if that is.
 * 107002. */
int32_t twin_memory_check_types(void *const *list, uint32_t count, bool device, bool reserved,
                                bool *out_all);
/* As twin_memory_ops.usage, of the device of a user's number; none of one that is not up. 107001,
 * 107002. */
int32_t twin_memory_usage(int32_t id, twin_memory_use *list, size_t room, size_t *out_count);

#endif
