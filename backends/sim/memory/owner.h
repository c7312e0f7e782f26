/* SPDX-License-Identifier: Apache-2.0 */
/* Who has memory: by module, and by the place in the program that allocated it. */
#ifndef TWINRT_SIM_MEMORY_OWNER_H
#define TWINRT_SIM_MEMORY_OWNER_H

#include <stddef.h>
#include <stdint.h>

#include "seam/types.h"

struct sim_arena;
struct text;

struct sim_owner {
    uint32_t module;  /* below TWIN_MODULES */
    uint32_t thread;  /* system id of the one that allocated it */
    const char *what; /* what the runtime keeps there; NULL: it is the program's */
    const char *call; /* the public call in which it was allocated; NULL: not known */
    const void *site; /* the return address of that call */
};

/* Whole pages of the memory of one owner. */
struct sim_use {
    uint64_t bytes;
    uint64_t peak;
};

/* Owners that a report names. */
#define SIM_OWNERS_NAMED 10u

/* The calling thread allocates. Thread: any. */
void sim_owner_take(struct sim_owner *owner, const twin_allocation *allocation);
/* The name of a module of the vendor's software. */
void sim_module_name(uint32_t module, char *name, size_t bytes);
/* Adds ", pages of 4 KiB, APP, allocated by aclrtMalloc called at program+0x1234". */
void sim_text_add_owner(struct text *text, const struct sim_owner *owner, uint32_t page_bytes);
/* Adds a line for each of the largest owners of live blocks; one that allocates at one place of the
 * program is one owner. Nothing when nothing is allocated or the host is out of memory. Takes the
 * arena's lock. Thread: any. */
void sim_text_add_owners(struct text *text, struct sim_arena *arena);

#endif
