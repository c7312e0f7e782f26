/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory, as vmm/vmm.c maps it. */
#ifndef TWINRT_SIM_VMM_PHYSICAL_H
#define TWINRT_SIM_VMM_PHYSICAL_H

#include <stdbool.h>
#include <stdint.h>

/* uthash ends the process when out of memory, by default. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "memory/owner.h"
#include "process/process.h"
#include "vmm/moved_pages.h"

struct sim_arena;
struct sim_mapping;

struct sim_physical {
    UT_hash_handle hh;
    uint64_t number; /* the core's name for it */
    uint32_t serial; /* counts physical memory from 1: names it in reports */
    twin_physical_config config;
    uint32_t user; /* device that it ends with; of host memory: none */
    uint64_t granule;
    uint64_t room; /* whole granules */
    /* Device memory of this process: a block, whose address is not given out. */
    struct sim_arena *arena;
    uint64_t block;
    char *view;   /* pages of its own, which can be mapped again; NULL: the block's */
    bool to_host; /* the host reaches it, where it is mapped for it */
    bool foreign; /* of another process: `origin` */
    bool exported;
    struct sim_export origin;
    struct sim_moved_pages *moved; /* its own pages, while they are exported */
    struct sim_owner owner;
    struct sim_mapping *mappings; /* guarded by the lock of vmm.c, as is the table */
    struct sim_physical *next;
};

/* What such memory is given in; 0: the device has none like it. */
uint64_t sim_physical_granule(const twin_physical_config *config);
/* Not in the table yet. Thread: any. */
twin_status sim_physical_make(twin_hw_device *device, const twin_physical_config *config,
                              struct sim_physical **out);
/* The same of memory that another process has exported, mapped at `view`, which it takes. NULL: out
 * of host memory. */
struct sim_physical *sim_physical_import(twin_hw_device *device, const struct sim_memfile *file,
                                         const struct sim_export *origin, void *view);
/* Releases what is not in the table, and to which nothing is mapped. Thread: any. The second: the
 * model lock is held, and no kernel is described. */
void sim_physical_end(struct sim_physical *memory);
void sim_physical_end_locked(struct sim_physical *memory);

/* The table by number. False: the number is in use, or out of memory. */
bool sim_physical_add(struct sim_physical *memory);
struct sim_physical *sim_physical_find(uint64_t number);
void sim_physical_remove(struct sim_physical *memory);
/* The one that was opened from there, or NULL. */
struct sim_physical *sim_physical_of(const struct sim_export *origin);
/* Whether the bytes of one are outside of the arenas. */
bool sim_physical_any_view(void);
/* All of the table. */
void sim_physical_each(void (*visit)(void *context, const struct sim_physical *memory),
                       void *context);
/* Some one of a device, or NULL. */
struct sim_physical *sim_physical_first(uint32_t user);

#endif
