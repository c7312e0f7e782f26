/* SPDX-License-Identifier: Apache-2.0 */
/* The memory map: a row for each allocation, registration, import and reservation. All reports that
 * name memory print these rows: of deadlocks, of exhausted memory, and of what a device that closes
 * still has. report/memory_map.c makes them. */
#ifndef TWINRT_SIM_MEMORY_MEMORY_MAP_H
#define TWINRT_SIM_MEMORY_MEMORY_MAP_H

#include "memory/owner.h"

struct sim_arena;
struct text;

enum sim_map_kind {
    SIM_MAP_DEVICE,      /* of a device, at an address that the program has */
    SIM_MAP_PHYSICAL,    /* for mappings */
    SIM_MAP_PAGE_LOCKED, /* of the host, allocated by the runtime */
    SIM_MAP_REGISTERED,  /* of the program */
    SIM_MAP_MANAGED,
    SIM_MAP_IMPORTED, /* of another process */
    SIM_MAP_RESERVED, /* addresses alone */
    SIM_MAP_KINDS
};

struct sim_map_row {
    enum sim_map_kind kind;
    uint32_t device;     /* that it ends with, UINT32_MAX: with the process */
    uint32_t page_bytes; /* 0: it has no pages */
    uint64_t address;    /* that the program uses, 0: nothing is mapped to it */
    uint64_t bytes;      /* that the program asked for */
    uint64_t room;       /* whole pages */
    uint64_t number;     /* of the allocation, or of the physical memory */
    uint64_t detail;     /* REGISTERED: the address that its device uses, 0: none; IMPORTED: the
                            process it is of; RESERVED: mappings in it */
    struct sim_owner owner;
};
typedef void sim_map_visit(void *context, const struct sim_map_row *row);

/* Adds a line for each of the ten largest owners of memory of a device; one that allocates at one
 * place of the program is one owner. Nothing when nothing is allocated or the host is out of
 * memory. Takes the locks of the arena and of mappings. Thread: any. */
void sim_text_add_device_owners(struct text *text, uint32_t device);
/* The same of page-locked memory. */
void sim_text_add_host_owners(struct text *text);
/* Adds, for each open device, for page-locked memory and for all other kinds, how much there is and
 * the ten largest owners. Thread: model. */
void sim_text_add_memory(struct text *text);
/* Logs what is left on a device that closes. The model lock is held. */
void sim_map_report_device(uint32_t device);
/* Logs page-locked memory that is left when the process ends. Thread: any. */
void sim_map_report_host(void);

#endif
