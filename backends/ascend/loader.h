/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor's library: finding it, opening it, its functions and the missing ones. */
#ifndef TWINRT_ASCEND_LOADER_H
#define TWINRT_ASCEND_LOADER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "acl/acl_rt_memory_soma.h"
#include "seam/backend.h"

/* Through which everything of the vendor's is called. A member that is OPTIONAL in symbols.def may
 * be NULL. */
struct ascend_vendor {
#define VENDOR(need, since, name, function) __typeof__(function) *name;
#include "symbols.def"
};
extern struct ascend_vendor vendor;

typedef struct ascend_symbol {
    const char *function;
    const char *since;
    bool required;
    bool found;
} ascend_symbol;

/* What was found. Fixed once it is loaded. */
typedef struct ascend_library {
    char path[PATH_MAX]; /* of the library */
    char home[PATH_MAX]; /* of the toolkit */
    char stub[PATH_MAX]; /* a library that it loads in the place of the driver's; "": none */
    char toolkit[64];    /* its version, "" when it has no version.info */
    int32_t version[3];  /* of the interface */
    bool inner;          /* it is a second copy of this runtime */
    const ascend_symbol *symbols;
    uint32_t symbol_count;
    uint32_t missing; /* of the optional ones */
} ascend_library;
extern ascend_library ascend_library_found;

/* Loads it unless that is done. On failure `reason` is one sentence with what was expected, what is
 * wrong and what to do. TWIN_E_UNAVAILABLE: there is none. TWIN_E_SETUP: it cannot be used. Thread:
 * init. */
twin_status ascend_library_load(const twin_services *services, char *reason, size_t bytes);

#endif
