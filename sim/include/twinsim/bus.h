/* SPDX-License-Identifier: Apache-2.0 */
/* What the model asks of its driver: memory by address, and what kernels do. */
#ifndef TWINSIM_BUS_H
#define TWINSIM_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "twinsim/kernel.h"
#include "twinsim/stars.h"

/* Where an address leads; decides which shared servers a transfer loads. */
enum twinsim_target {
    TWINSIM_TARGET_NONE,
    TWINSIM_TARGET_HBM,
    TWINSIM_TARGET_HOST,
    TWINSIM_TARGET_HOST_PAGES /* may be unmapped at any time: for host_move alone */
};

/* What an access is for; a caller may prepare pages differently. ROUTE only asks where the range
 * leads, before the bytes move: contents must not change by it. */
enum twinsim_access { TWINSIM_READ, TWINSIM_WRITE, TWINSIM_ROUTE };

/* The bus of the device: the caller's memory map (its "SMMU"). Called inside twinsim_run()
 * and by model-tagged calls, at the instant of the access, so an address that has gone is a fault
 * then. */
struct twinsim_bus {
    void *context;
    /* Host pointer for [address, address + bytes), or NULL for a fault. out_device: the HBM's
     * owner. */
    void *(*translate)(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                       enum twinsim_access access, enum twinsim_target *out_target,
                       uint32_t *out_device);
    /* How many bytes from `address` on translate() gives as one pointer; 0: a fault. *out_place:
     * the same number for all addresses of that byte, which counts on with the bytes. NULL: every
     * range is one piece, and no byte has two addresses. */
    uint64_t (*piece)(void *context, uint32_t device, uint64_t address, uint64_t *out_place);
    /* Moves bytes to or from TWINSIM_TARGET_HOST_PAGES. False: a page is not there; a part of the
     * bytes may have moved. NULL: there is no such memory. */
    bool (*host_move)(void *context, void *to, const void *from, uint64_t bytes);
    /* A kernel is kick-started: what do its blocks do? Fills in *out and answers READY, or LATER.
     * `task` lasts as long as the call. NULL: the driver has no kernels, such a task is a bad
     * SQE. */
    enum twinsim_kernel_answer (*kernel)(void *context, const struct twinsim_kernel_task *task,
                                         struct twinsim_kernel *out);
    /* All blocks have ended: the kernel has its effect on memory now. NULL: kernels have none. `of`
     * as task.context above. */
    enum twinsim_kernel_fault (*kernel_effect)(void *context, uint32_t device, uint32_t sq,
                                               uint64_t number, uint32_t of);
    /* The kernel has ended, however: its description is not read any more. Once for each READY and
     * each description given. May be NULL. */
    void (*kernel_end)(void *context, uint32_t device, uint32_t sq, uint64_t number, uint32_t of);
    /* The SQE at the head of a queue fails in this instant: of one that used an address which leads
     * nowhere, before any other access; of a kernel or a list of descriptors perhaps later. May be
     * NULL. */
    void (*failed)(void *context, uint32_t device, uint32_t sq);
};

#endif
