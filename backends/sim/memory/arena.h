/* SPDX-License-Identifier: Apache-2.0 */
/* A reserved address range from which blocks are allocated: one per device for its memory, one for
 * page-locked host memory.
 *
 * Device arena. The user's view is a PROT_NONE reservation; the bytes live in a sparse shared
 * mapping for the model alone, which needs no descriptor. Pages are committed when the model
 * touches them, and poisoned then unless the access overwrites them whole. With TWINRT_DEVMEM=open
 * host and model share the user's view, see open_pages.h. The range is twice the capacity, so that
 * blocks whose release waits never block an allocation.
 *
 * Host arena. Pages become readable and writable when a block is handed out.
 *
 * Core dumps leave out device memory and the tables; host memory that is handed out is in them.
 *
 * Lookups are lock free; everything else takes the arena's lock. Places depend only on the order
 * of calls. */
#ifndef TWINRT_SIM_MEMORY_ARENA_H
#define TWINRT_SIM_MEMORY_ARENA_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "memory/extent_allocator.h"
#include "memory/owner.h"
#include "seam/types.h"

#define SIM_PAGE       4096u
#define SIM_HUGE_PAGE  (2u << 20)
#define SIM_GIANT_PAGE (1u << 30)
#define SIM_POISON     0xa5

/* A point in every queue: passed once all work submitted before it has retired or was dropped.
 * queue/queue.c. Thread: any. */
struct sim_fence;
/* Whether anything is in flight now; if so *out is the fence after it (NULL when out of memory,
 * with the result still true). Takes no model lock. */
bool sim_fence_take(struct sim_fence **out);
bool sim_fence_passed(const struct sim_fence *fence);
void sim_fence_free(struct sim_fence *fence);

/* Of a twin_allocation's flags: physical memory for mappings, whose address is not given out. */
#define SIM_ALLOC_HIDDEN 0x80000000u

enum sim_block_state {
    SIM_BLOCK_NONE,
    SIM_BLOCK_LIVE,
    SIM_BLOCK_FREED,   /* by the user; tasks submitted before may still reach it */
    SIM_BLOCK_RETURNED /* to its pool, after a point in a queue */
};

/* Written under the lock. A lookup reads it without: for an address that another thread frees and
 * allocates again meanwhile it may see either block, but never a torn number. */
struct sim_block {
    _Atomic uint64_t base;
    _Atomic uint64_t bytes;  /* as asked for */
    _Atomic uint64_t room;   /* whole pages */
    _Atomic uint64_t serial; /* counts the arena's allocations from 1: names the block in reports */
    _Atomic uint32_t page_bytes;
    _Atomic uint32_t flags; /* TWIN_ALLOC_... */
    struct sim_owner owner; /* guarded by lock */
    atomic_uint state;      /* enum sim_block_state */
    atomic_bool reported;   /* its use after free was reported */
    atomic_bool hidden;     /* SIM_ALLOC_HIDDEN */
    atomic_bool shared;     /* its pages are in a memory file; config.unshare ends that */
    /* The point, of what was freed in queue order; returned_by NULL: it was not. */
    _Atomic(twin_queue *) returned_by;
    _Atomic uint64_t returned_after;
    _Atomic uint32_t returned_epoch;
    void *piece;   /* what its pool has noted, NULL: of no pool; guarded by the pools' lock */
    uint32_t next; /* free list or quarantine, block number, 0: none; guarded by lock */
    struct sim_fence *fence; /* FREED: its release waits for this; guarded by lock */
};

struct sim_arena;

struct sim_arena_config {
    uint32_t device; /* owner */
    uint64_t capacity;
    uint64_t hint; /* preferred base: the same addresses on every run */
    bool host;     /* page-locked host memory */
    bool open;     /* the host may touch device memory */
    bool poison;
    /* Whether a kernel still uses addresses that were looked up before: nothing is released
     * meanwhile. NULL: never. Called with the arena's lock. */
    bool (*held)(void);
    /* Puts pages of the arena in the place of those of a block that is shared. NULL: none is. */
    void (*unshare)(struct sim_arena *arena, uint64_t base);
};

struct sim_arena {
    struct sim_arena_config config;
    uint64_t base;
    uint64_t bytes; /* of the reservation */
    char *view;     /* where this process reaches the bytes */
    /* Page map, read without lock: block number per 2 MiB, or IN_SMALL: look in `small` per 4
     * KiB. */
    _Atomic uint32_t *large;
    _Atomic uint32_t *small;
    struct sim_block *blocks; /* number 0 is never used */
    _Atomic uint64_t
        *touched; /* bit per page: has contents; written under the model lock or `lock` */

    /* Byte per SIM_OPEN_PIECE. open: whether it is mapped; guarded by lock. Else, under valgrind:
     * whether the view is readable there; guarded by the model lock. */
    uint8_t *pieces;

    /* Blocks whose memory tasks used after its free, for the log. Relaxed; 0 again after
     * sim_arena_clear. */
    _Atomic uint32_t late_uses;

    pthread_mutex_t lock; /* taken after the model lock */
    /* Guarded by lock. */
    struct sim_span span;
    uint32_t block_count;
    uint32_t block_free;
    uint32_t quarantine_head;
    uint32_t quarantine_tail;
    uint64_t serial;
    uint64_t used_bytes;               /* of live blocks, whole pages */
    uint64_t normal_bytes;             /* of those, in 4 KiB pages */
    struct sim_use uses[TWIN_MODULES]; /* by module */
};

twin_status sim_arena_init(struct sim_arena *arena, const struct sim_arena_config *config);
/* The same with less capacity, but not less than `least`, where the process may not reserve that
 * much: arena->config says what it became. TWIN_E_NOMEM: not even that. */
twin_status sim_arena_init_fitting(struct sim_arena *arena, const struct sim_arena_config *config,
                                   uint64_t least);
/* What a sanitizer of the program or valgrind leaves to an arena; UINT64_MAX: none of them does
 * limit it. */
uint64_t sim_arena_watched_limit(void);
void sim_arena_fini(struct sim_arena *arena);
/* Releases everything, live or not, and its memory; the arena is as after init. */
void sim_arena_clear(struct sim_arena *arena);

/* TWIN_E_DEVICE_MEMORY (host arena: TWIN_E_NOMEM): not that much left. Thread: any.
 * `charged` bytes of the capacity are the caller's already. */
twin_status sim_arena_alloc_charged(struct sim_arena *arena, const twin_allocation *allocation,
                                    uint64_t charged, uint64_t *out_address);
static inline twin_status sim_arena_alloc(struct sim_arena *arena,
                                          const twin_allocation *allocation, uint64_t *out_address)
{
    return sim_arena_alloc_charged(arena, allocation, 0, out_address);
}
/* Ends a RETURNED block like sim_arena_free(), with `charged` bytes of its share of the capacity.
 * Thread: any. */
void sim_arena_drop_returned(struct sim_arena *arena, struct sim_block *block,
                             struct sim_fence *fence, uint64_t charged);
/* Takes a block back. With a fence (the arena owns it then) its pages stay until the fence has
 * passed, and in any case while the arena is held.
 * TWIN_E_INVALID: not the base of a live block; the fence stays the caller's. Thread: any. */
twin_status sim_arena_free(struct sim_arena *arena, uint64_t address, struct sim_fence *fence);
/* Releases freed blocks that no task uses any more. Thread: any. */
void sim_arena_settle(struct sim_arena *arena);

static inline bool sim_arena_contains(const struct sim_arena *arena, uint64_t address)
{
    return address - arena->base < arena->bytes;
}
/* The block around an address of the arena in whatever state, or NULL. Lock free. */
struct sim_block *sim_arena_find(const struct sim_arena *arena, uint64_t address);
/* Prepares pages for the model and returns their address; the range is inside one block. A write
 * that covers a page whole needs no old contents. Thread: model. */
void *sim_arena_touch(struct sim_arena *arena, uint64_t address, uint64_t bytes, bool write);
/* Bytes free and in all, by page class: 0 both, 1 huge, 2 normal. */
void sim_arena_space(struct sim_arena *arena, uint32_t page_class, uint64_t *out_free,
                     uint64_t *out_total);
/* Calls `visit` for each live block, oldest place first. Thread: any. */
void sim_arena_each(struct sim_arena *arena,
                    void (*visit)(void *context, const struct sim_block *block), void *context);

#endif
