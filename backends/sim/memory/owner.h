/* SPDX-License-Identifier: Apache-2.0 */
/* Who has memory: by module, and by the place in the program that allocated it. */
#ifndef TWINRT_SIM_MEMORY_OWNER_H
#define TWINRT_SIM_MEMORY_OWNER_H

#include <stddef.h>
#include <stdint.h>

#include "seam/types.h"

#define SIM_NO_STREAM UINT32_MAX

struct sim_owner {
    uint32_t module;  /* below TWIN_MODULES */
    uint32_t thread;  /* system id of the one that allocated it */
    uint32_t stream;  /* in whose order it was allocated, SIM_NO_STREAM: of none */
    const char *what; /* what the runtime keeps there; NULL: it is the program's */
    const char *call; /* the public call in which it was allocated; NULL: not known */
    const void *site; /* the return address of that call */
};

/* Whole pages of the memory of one owner. */
struct sim_use {
    uint64_t bytes;
    uint64_t peak;
};

/* The calling thread allocates. Thread: any. */
void sim_owner_take(struct sim_owner *owner, const twin_allocation *allocation);
/* The name of a module of the vendor's software. */
void sim_module_name(uint32_t module, char *name, size_t bytes);

#endif
