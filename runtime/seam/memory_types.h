/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of memory: part of seam/types.h. */
#ifndef TWINRT_SEAM_MEMORY_TYPES_H
#define TWINRT_SEAM_MEMORY_TYPES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum twin_memory_kind {
    TWIN_MEMORY_UNKNOWN, /* not ours: pageable host memory, or nothing at all */
    TWIN_MEMORY_DEVICE,
    TWIN_MEMORY_HOST_PINNED,
    TWIN_MEMORY_REGISTERED, /* of the program, in a range that memory.pin has registered */
    TWIN_MEMORY_MAPPED,     /* where a device reaches such a range */
    TWIN_MEMORY_MANAGED,    /* of managed.alloc: host and devices use the same address */
    TWIN_MEMORY_GONE        /* a place for one of these, where nothing is allocated now */
} twin_memory_kind;

/* Where an address is. For UNKNOWN and GONE the other fields are 0, but for `reserved`. */
typedef struct twin_memory_info {
    twin_memory_kind kind;
    uint32_t device;     /* owner, by backend index */
    uint64_t base;       /* first byte of the allocation that holds the address */
    uint64_t size_bytes; /* usable bytes of that allocation */
    uint32_t page_bytes; /* page size it was given: 4096, 2 MiB or 1 GiB */
    bool reserved;       /* by vmm.reserve; set also for GONE */
    bool mapped;         /* by vmm.map: a range may go on in the next mapping */
    bool foreign;        /* device memory of another process */
    uint32_t flags;      /* it was asked for with: TWIN_ALLOC_... */
} twin_memory_info;

/* Page class requested for an allocation. */
typedef enum twin_page_policy {
    TWIN_PAGES_DEFAULT, /* huge above 1 MiB when there are some, else normal */
    TWIN_PAGES_HUGE_ONLY,
    TWIN_PAGES_NORMAL_ONLY,
    TWIN_PAGES_HUGE_1G
} twin_page_policy;

/* Module ids of the vendor's interface, for programs that name none and for the runtime itself. */
#define TWIN_MODULE_RUNTIME 7u
#define TWIN_MODULE_APP     33u
#define TWIN_MODULES        256u

/* Bits of twin_allocation.flags. None makes a device refuse that lacks what it asks for, but
 * UNIFIED. */
#define TWIN_ALLOC_SCHEDULER 0x1u /* the task scheduler reads and writes it */
#define TWIN_ALLOC_PEER      0x2u /* other devices do */
#define TWIN_ALLOC_READ_ONLY 0x4u /* user code of the device reads it only */
#define TWIN_ALLOC_LOW_BAND  0x8u /* a part of memory with low bandwidth will do */
#define TWIN_ALLOC_HIGH_BAND 0x10u
#define TWIN_ALLOC_UNIFIED   0x20u /* host memory: a registration gives its own address back */

/* Memory that memory.alloc or host_alloc is asked for. */
typedef struct twin_allocation {
    uint64_t bytes;         /* > 0 */
    twin_page_policy pages; /* of device memory */
    uint32_t module;        /* its owner, for memory.usage and reports: below TWIN_MODULES */
    uint32_t flags;         /* TWIN_ALLOC_... */
    const char *what;       /* what the runtime keeps there, a literal; NULL: the program's */
} twin_allocation;
/* Physical memory, to which virtual addresses are mapped. */
typedef struct twin_physical_config {
    twin_allocation memory;
    bool host;       /* memory of the host, not of the device */
    uint32_t node;   /* of host memory: NUMA node; UINT32_MAX: any */
    uint32_t device; /* owner of device memory, by backend index */
} twin_physical_config;

typedef struct twin_mapping {
    uint64_t physical; /* number of the physical memory */
    uint64_t bytes;
} twin_mapping;

/* Who uses a mapping. */
typedef struct twin_accessor {
    bool host;
    uint32_t device; /* of a device: its backend index */
} twin_accessor;

/* The link over which a device reaches memory of another one, with the public values. */
typedef enum twin_memory_link {
    TWIN_MEMORY_LINK_SIO = 0, /* between two dies of one part */
    TWIN_MEMORY_LINK_HCCS = 1,
    TWIN_MEMORY_LINK_UB_ONE_PORT = 2,
    TWIN_MEMORY_LINK_UB_MULTI_PORT = 3,
    TWIN_MEMORY_LINK_COUNT
} twin_memory_link;

/* Memory of a device that has one owner. */
typedef struct twin_memory_use {
    char name[32];  /* of the owner's module */
    uint64_t bytes; /* in whole pages */
    uint64_t peak;  /* the most it had since the device was opened */
} twin_memory_use;

/* What can be set of a pool or asked of it, with the public values. */
typedef enum twin_pool_attr {
    TWIN_POOL_FOLLOW_EVENTS = 1, /* reuse behind an event that was recorded after the free: 0, 1 */
    TWIN_POOL_OPPORTUNISTIC,     /* reuse of what other queues are done with: 0, 1 */
    TWIN_POOL_ADD_WAITS,         /* reuse behind a wait that the allocation adds: 0, 1 */
    TWIN_POOL_THRESHOLD,         /* bytes that the pool keeps when a queue is drained */
    TWIN_POOL_RESERVED,          /* bytes of device memory that it has; read only */
    TWIN_POOL_RESERVED_HIGH,     /* the most it had since the mark was reset, by setting 0 */
    TWIN_POOL_USED,              /* bytes of those that are allocated; read only */
    TWIN_POOL_USED_HIGH          /* as RESERVED_HIGH */
} twin_pool_attr;

#define TWIN_POOL_GRANULE (UINT64_C(2) << 20) /* bytes; pools allocate multiples of it */

#endif
