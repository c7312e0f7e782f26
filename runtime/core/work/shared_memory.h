/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that several processes use, by key. */
#ifndef TWINRT_CORE_WORK_SHARED_MEMORY_H
#define TWINRT_CORE_WORK_SHARED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam/types.h"

/* Everything below may be called by any thread; 107000 unless stated otherwise. */

/* Makes part of an allocation known under a key. check_pid: only processes of twin_shared_allow()
 * may import it. */
int32_t twin_shared_export(const void *pointer, size_t bytes, bool check_pid,
                           char out_key[TWIN_SHARE_NAME]);
int32_t twin_shared_allow(const char *key, const int32_t *pids, size_t count);
/* The memory of a key, for the current context's device. peer: lets the device reach the memory's
 * owner too. 107002. */
int32_t twin_shared_import(const char *key, bool peer, void **out_pointer);
/* The link that imports of the key use. 207021: there is no such link. */
int32_t twin_shared_set_link(const char *key, twin_memory_link link);
/* Ends an import of this process, or else its export; with NULL: the import at an address. */
int32_t twin_shared_close(const char *key, const void *pointer);

#endif
