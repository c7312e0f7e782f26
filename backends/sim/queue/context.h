/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of mixed kernels, on parts that launch these as FFTS+ tasks (twinsim/ffts.h): the
 * driver's own memory. A ring has one for each place, a kernel that stays in a deferred queue its
 * own. */
#ifndef TWINRT_SIM_QUEUE_CONTEXT_H
#define TWINRT_SIM_QUEUE_CONTEXT_H

#include "memory/descriptor_pool.h"
#include "seam/launch.h"

struct sim_contexts {
    struct sim_list list;
    bool there;
};

/* Whether the device launches the kernel as a context. */
bool sim_has_context(const twin_launch *kernel);
/* Writes the context of a kernel of the device at `place` of `room` ones, for which memory is taken
 * first. Its address; 0: there is no memory. The owner of `contexts` is locked. */
uint64_t sim_context_write(struct sim_lists *lists, struct sim_contexts *contexts, uint32_t room,
                           uint32_t place, uint32_t device, const twin_launch *kernel);
void sim_contexts_release(struct sim_lists *lists, struct sim_contexts *contexts);

#endif
