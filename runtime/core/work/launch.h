/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels: what a launch asks for, and the way of its arguments to the device.
 *
 * The instruction set of device code is not public. Without a backend that has hardware, a kernel
 * of device code is refused, or, with TWINRT_OPAQUE_KERNELS=timing, takes the time of a launch and
 * changes nothing. */
#ifndef TWINRT_CORE_WORK_LAUNCH_H
#define TWINRT_CORE_WORK_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/image/binary.h"
#include "core/object/device.h"
#include "seam/launch.h"

/* How a kernel is launched. */
typedef struct twin_launch_config {
    bool schedule_given; /* else as the kernel says */
    bool batch;
    bool guarded;        /* not read ahead of earlier tasks */
    bool timeout_given;  /* else as operators have it */
    bool dump;           /* noted; nothing is dumped */
    uint64_t timeout_us; /* 0: none */
} twin_launch_config;

/* What a native kernel makes of results that are too large. */
typedef struct twin_overflows {
    bool saturate; /* they become the largest number, instead of infinity */
    bool hidden;   /* the stream's switch is off: they set no status */
} twin_overflows;

/* Arguments: device memory that is used as it is, or host memory that is copied during the call. */
typedef struct twin_launch_args {
    uint64_t device; /* address; 0: host memory */
    const void *host;
    /* Instead of `host`: each parameter of the kernel's metadata, checked by twin_args_check(). */
    void *const *values;
    size_t bytes; /* 0: none */
    const twin_code_place *places;
    size_t place_count;
} twin_launch_args;

/* Queues a kernel. 107000: no blocks, or too many; 107002; 107003; 107017; 207000: device code;
 * 207001; 507xxx as other work. */
int32_t twin_launch_kernel(uint64_t function, uint32_t blocks, const twin_launch_config *config,
                           const twin_launch_args *args, uint64_t stream);

/* What takes a kernel in place of a queue. `launch` is its own on success (0). */
typedef struct twin_launch_sink {
    int32_t (*take)(void *user, struct twin_launch *launch);
    void *user;
    const twin_overflows *overflows; /* NULL: as the stream says */
} twin_launch_sink;
/* As twin_launch_kernel(), but what would be queued on the stream goes to `sink`. */
int32_t twin_launch_make(uint64_t function, uint32_t blocks, const twin_launch_config *config,
                         const twin_launch_args *args, uint64_t stream,
                         const twin_launch_sink *sink);

/* A launch that is kept, as the program sees it. */
typedef struct twin_launch_view {
    uint64_t function; /* handle; dead when its binary is */
    const char *name;
    uint32_t blocks;
    const void *args; /* on the host; or device memory; NULL: none. As long as the launch is */
    bool on_host;
    size_t args_bytes;
    bool batch;
    bool dump;
    uint64_t timeout_us; /* 0: none */
    twin_overflows overflows;
} twin_launch_view;
twin_launch_view twin_launch_look(const struct twin_launch *kernel);
/* Lets a kept launch be queued again: what it names is its own from now on. 207001. */
int32_t twin_launch_own_code(struct twin_launch *kernel);

/* What a launch was that failed. */
typedef struct twin_failed_launch {
    uint64_t function;      /* handle; dead when its binary is */
    twin_binary *binary;    /* there as long as the launch is */
    uint64_t binary_handle; /* dead when it was unloaded */
    uint64_t args;          /* device; 0: none, or they cannot be reached */
    uint32_t args_bytes;
} twin_failed_launch;

/* Of a kernel of this file that a failure keeps; its arguments are on the device, which is up and
 * stays so. No lock is held. Blocks. */
twin_failed_launch twin_launch_failed(struct twin_launch *kernel, twin_device *device);

/* Releases what launches that are over held. No lock is held. */
void twin_launches_reap(void);
/* All of a device that is going down are over: releases the memory of arguments. */
void twin_launches_forget(twin_device *device);

#endif
