/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of operations, for the round trip of ops_test.c. */
#ifndef TWINRT_RECORD_OPS_CALLS_H
#define TWINRT_RECORD_OPS_CALLS_H

#include "seam/backend.h"

/* Virtual memory, and memory that processes share. */
void call_vmm(const struct twin_backend *t, twin_hw_device *device);
/* Descriptors, base addresses, cache maintenance, random numbers: four tasks. */
void call_indirect(const struct twin_backend *t, twin_hw_device *device, twin_queue *q);

#endif
