/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as the core hands them to a backend: on which cores their blocks run, and what these do
 * there.
 *
 * A block is described as a list of timed steps for each of its cores (twinsim/step.h). That is
 * enough for a kernel whose function the core runs itself (`describe`, and `effect` for what it
 * leaves in memory) and for one of which only the time is known (`work`). A backend with hardware
 * below has no use for either. */
#ifndef TWINRT_SEAM_LAUNCH_H
#define TWINRT_SEAM_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "../../sim/include/twinsim/step.h"
#include "seam/status.h"

typedef enum twin_launch_cores {
    TWIN_CORES_CUBE,
    TWIN_CORES_VECTOR,
    TWIN_CORES_MIXED /* a block has a cube core and the vector cores that belong to it */
} twin_launch_cores;

/* Step lists of a block: 1, or of a MIXED one 1 and as many as a cube core has vector cores
 * (properties: aiv_cores / aic_cores). `count` is that, for blocks that are all alike, or that
 * times the blocks, block by block; 0: no steps. */
typedef struct twin_launch_work {
    const twin_steps *lists;
    uint64_t count;
} twin_launch_work;

/* Device memory as the host reaches it while one of the calls below runs; NULL: not inside an
 * allocation, on a device out of reach, memory there has failed, or it is for `move` alone. exact:
 * a request for more than is read or written would meet memory that has failed for nothing. */
typedef struct twin_reach {
    void *(*at)(const struct twin_reach *reach, uint64_t address, uint64_t bytes, bool write);
    /* Copies from a range to `local`, or to it, where a pointer cannot be given: pieces of memory
     * that are apart, memory of the program that may be unmapped meanwhile. local NULL: only looks.
     * False as NULL above. May be NULL itself: there is no such memory. */
    bool (*move)(const struct twin_reach *reach, uint64_t address, void *local, uint64_t bytes,
                 bool write);
    /* Whether the device reaches a byte that was found in memory of the host. NULL: never. */
    bool (*in_host)(const struct twin_reach *reach, uint64_t address);
    uint32_t device;
    bool exact;
    bool silent; /* NULL instead of an answer with a message: `at` is called again without this */
    uint64_t
        peers; /* the other devices whose memory is reached, a bit each; none as a backend gives
                  it */
} twin_reach;

typedef struct twin_loaded_image
    twin_loaded_image; /* an image on a device, of a backend that runs device code */

/* A kernel image as the program gave it. */
typedef struct twin_image_source {
    const void *bytes; /* an ELF file */
    uint64_t size;
    uint32_t magic; /* what kernels are that do not say it: the public number, 0: not given */
} twin_image_source;

/* 8 bytes at `place` become the device address of the arguments' copy plus `data`. */
typedef struct twin_code_place {
    uint32_t place;
    uint32_t data;
} twin_code_place;

/* What a device that runs device code is to run. It and what it names stay until work.launch
 * returns. */
typedef struct twin_launch_code {
    twin_loaded_image *image;
    const char *function;  /* its name in the image */
    uint32_t blocks;       /* as the program counts them */
    uint64_t device_args;  /* address of the arguments; 0: they are on the host */
    const void *host_args; /* taken during work.launch */
    uint64_t args_bytes;
    const twin_code_place *places; /* of host_args */
    uint64_t place_count;
    bool schedule_given; /* `batch` is the program's word, else the image's */
    bool batch;
    bool timeout_given;
    uint64_t timeout_us; /* 0: none */
} twin_launch_code;

/* The kernel of a deferred queue that a launch takes the place of. */
typedef struct twin_replaced {
    struct twin_queue *queue;
    uint64_t place; /* as diag.newest_task counts */
} twin_replaced;

/* A kernel on its way. The core's; it stays as it is from work.launch until the last `release`. The
 * calls come from whichever thread drives the device. They call no op. */
typedef struct twin_launch {
    const char *name; /* for reports; may be NULL */
    twin_launch_cores cores;
    uint32_t blocks; /* > 0 */
    bool batch;      /* no block begins before there are cores for all */
    bool timed_only; /* its blocks take their time, and their results are not computed */
    bool guarded;    /* the device does not read it ahead of earlier tasks: it may still change */
    uint8_t weight;  /* 1 .. 15 among kernels that compete for the same cores */
    uint64_t
        timeout_ns; /* device time from its first block on; rounded up to properties.op_unit_ns;
                       TWIN_FOREVER */
    /* What the blocks do, when that is known at once; NULL: `describe` says it. */
    const twin_launch_work *work;
    /* The kernel begins: what do its blocks do? May take its time and runs without any lock; device
     * time stands still. What it answers stays until `effect`, `release` or the next `describe` of
     * this kernel, which comes when a model instance runs again. TWIN_E_KERNEL_EXCEPTION,
     * TWIN_E_KERNEL_TRAP, ...: the kernel fails with that, and with the status for vector cores
     * when it runs on those alone. */
    twin_status (*describe)(struct twin_launch *kernel, const twin_reach *reach,
                            twin_launch_work *out_work);
    /* All blocks have ended: leave in memory what they would have written. NULL: nothing. Short,
     * runs under the backend's locks. Answers as describe. */
    twin_status (*effect)(struct twin_launch *kernel, const twin_reach *reach);
    /* One more release will come. Short, runs under the backend's locks. */
    void (*keep)(struct twin_launch *kernel);
    /* The backend is done with it. Once for each launch that was accepted, and once for each
     * `keep`. Runs under the backend's locks. */
    void (*release)(struct twin_launch *kernel);
    /* With TWIN_BACKEND_CODE, else NULL: what to run; none of the calls above is made but
     * `release`. */
    const twin_launch_code *code;
    /* NULL: the launch is a task of its own. Else that task is this kernel from then on; it stays
     * until work.launch returns. */
    const twin_replaced *replaces;
} twin_launch;

#endif
