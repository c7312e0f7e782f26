/* SPDX-License-Identifier: Apache-2.0 */
/* Launches on their way, and the memory of their arguments on host and device. Launches that are
 * over are reused, by the size of their arguments: one with up to 4096 bytes allocates nothing and
 * takes one lock. */
#ifndef TWINRT_CORE_WORK_LAUNCH_POOL_H
#define TWINRT_CORE_WORK_LAUNCH_POOL_H

#include <stdatomic.h>

#include "core/image/binary.h"
#include "core/work/launch.h"

typedef struct twin_kernel_launch {
    twin_launch base;                /* first: the backend's calls give its address */
    struct twin_kernel_launch *next; /* among those that are over, or that wait for use */
    _Atomic uint32_t references;     /* releases that are still to come */
    twin_function *function;         /* pinned; NULL: not yet */
    uint64_t function_handle;        /* which may be dead by now */
    /* Kept from one use to the next. */
    uint64_t block;   /* device memory of the pool; 0: none */
    uint8_t size;     /* class, of launch_pool.c */
    uint8_t hw_index; /* of the device of that memory */
    uint32_t life;    /* of that device, as the pool counts */
    /* Of one use. */
    twin_launch_config config;
    uint32_t blocks;       /* as the program counts them */
    uint64_t args_address; /* device; 0: none */
    size_t args_bytes;
    bool from_host;             /* args go there when the kernel begins */
    atomic_bool there;          /* they have gone there */
    bool own_memory;            /* args and args_address are allocations of this launch alone */
    unsigned char *args;        /* near, or its own memory */
    twin_launch_code *own_code; /* what base.code names, once it is kept; or NULL */
    twin_device *device;        /* that it runs on; NULL: it runs the code itself */
    /* Of native kernels. */
    twin_overflows overflows;
    struct twin_native_run *run; /* kernel/run.h; NULL: none under way */
    unsigned char near_args[];   /* as many as its class says */
} twin_kernel_launch;

/* Devices whose memory the calls of one launch can reach: its own, and those to which that one has
 * access now. */
static inline twin_reach twin_launch_reach(const twin_kernel_launch *launch,
                                           const twin_reach *reach)
{
    twin_reach wide = *reach;
    wide.peers = atomic_load_explicit(&launch->device->peers, memory_order_relaxed);
    return wide;
}

/* A launch with room for `bytes` of arguments on host and device; 0: none. Its kept members and its
 * arguments are set, the rest is 0 or, of `references`, 1. The caller keeps the device up. 207001
 * and what the device says. */
int32_t twin_launch_take(twin_device *device, size_t bytes, twin_kernel_launch **out_launch);
/* Releases one that was not queued. No lock is held. */
void twin_launch_give(twin_kernel_launch *launch);
/* The backend has released it: noted, and returned to the pool with the next reaping. Thread: any,
 * with any lock. */
void twin_launch_over(twin_kernel_launch *launch);

#endif
