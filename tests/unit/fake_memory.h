/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the small backend: ordinary blocks, each known by its range and its owner. */
#ifndef TWINRT_TESTS_UNIT_FAKE_MEMORY_H
#define TWINRT_TESTS_UNIT_FAKE_MEMORY_H

#include <stdatomic.h>

#include "seam/backend.h"

/* Tasks in all queues: what is freed meanwhile is kept until there are none. */
extern _Atomic uint32_t fake_tasks_queued;

uint32_t fake_device_index(const twin_hw_device *device);
/* Frees all that is left on a device. */
void fake_memory_close(const twin_hw_device *device);
/* Releases what was freed while tasks could name it, if there are none now. */
void fake_memory_reap(void);

extern const struct twin_memory_ops fake_memory_ops;

#endif
