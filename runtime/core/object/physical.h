/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory, and the addresses that it is mapped to. A handle names physical memory; the
 * memory lives as long as a handle or a mapping uses it. */
#ifndef TWINRT_CORE_OBJECT_PHYSICAL_H
#define TWINRT_CORE_OBJECT_PHYSICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/handle.h"
#include "core/object/device.h"

/* What a program sees of it, with the public values. */
typedef struct twin_physical_view {
    int32_t location; /* aclrtMemLocationType */
    int32_t id;       /* device, as the user counts, or NUMA node */
    int32_t attribute;
    uint64_t reserve;
} twin_physical_view;

/* Everything below may be called by any thread. */

/* Starts the backend. `view->id` is the device of device memory; host memory needs a context.
 * 107001: no such device; 107002: it is not open; 207000, 207001. */
int32_t twin_physical_create(const twin_physical_config *config, const twin_physical_view *view,
                             uint64_t *out_handle);
/* Takes one use of the handle. 107017: it is dead. */
int32_t twin_physical_free(uint64_t handle);
/* 107017. */
int32_t twin_physical_look(uint64_t handle, twin_physical_view *out_view);
/* The link that later mappings of the memory use. 107017; 207021: there is no such link. */
int32_t twin_physical_set_link(uint64_t handle, twin_memory_link link);
/* One more use of the handle of what is mapped at the address. 107000: nothing is. */
int32_t twin_physical_retain(const void *address, uint64_t *out_handle);
/* 107001: no such device. 207000. */
int32_t twin_physical_granularity(const twin_physical_config *config,
                                  const twin_physical_view *view, size_t *out_bytes);
/* The device is about to be closed: handles of its memory are dead. */
void twin_physicals_forget(twin_device *device);

/* 107000. */
int32_t twin_addresses_reserve(size_t bytes, const void *expected, void **out_address);
int32_t twin_addresses_release(const void *address);

/* Maps all of the memory. `access`: its own device may use it. 107017; 107000: another size, or
 * the backend refuses. */
int32_t twin_mapping_make(const void *address, size_t bytes, uint64_t handle, bool access);
int32_t twin_mapping_end(const void *address);
/* Maps what is mapped in the range also at `address`, over a link: all of it, or nothing. 107000:
 * the range is not whole mappings, or the backend refuses; 207021: there is no such link. */
int32_t twin_mapping_make_again(const void *address, size_t bytes, const void *source,
                                twin_memory_link link);
/* A device as the user counts, or the host. 107001; 107000: another range than one that is
 * mapped. */
int32_t twin_mapping_let(const void *address, size_t bytes, bool host, int32_t id);
int32_t twin_mapping_allows(const void *address, bool host, int32_t id, bool *out_allows);

/* ---- other processes ---- */

/* 107017; 107000: it is shared already. */
int32_t twin_physical_share(uint64_t handle, bool check_pid, uint64_t *out_shared);
int32_t twin_physical_allow(uint64_t shared, const int32_t *pids, size_t count);
/* 107000, 107001, 107002. */
int32_t twin_physical_open(int32_t id, uint64_t shared,
                           int32_t (*attribute)(twin_page_policy pages), uint64_t *out_handle);

#endif
