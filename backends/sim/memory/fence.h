/* SPDX-License-Identifier: Apache-2.0 */
/* A point in every queue: passed once all work submitted before it has retired or was dropped. */
#ifndef TWINRT_SIM_MEMORY_FENCE_H
#define TWINRT_SIM_MEMORY_FENCE_H

#include <stdbool.h>

struct sim_fence;

/* Whether anything is in flight now; if so *out is the fence behind it (NULL when out of memory, with
 * the answer still true). Takes no model lock. Thread: any. */
bool sim_fence_take(struct sim_fence **out);
/* Thread: any. */
bool sim_fence_passed(const struct sim_fence *fence);
void sim_fence_free(struct sim_fence *fence);

#endif
