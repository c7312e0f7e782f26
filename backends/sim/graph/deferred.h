/* SPDX-License-Identifier: Apache-2.0 */
/* State of a deferred queue besides its ring; model_instance.c maintains it. */
#ifndef TWINRT_SIM_GRAPH_DEFERRED_H
#define TWINRT_SIM_GRAPH_DEFERRED_H

#include "seam/types.h"

/* Code of a jump: too long for an entry, so it has separate memory. */
#define SIM_CODE_WORDS 32u

/* A label of a deferred queue: its place goes to the table when the model instance is sealed. */
struct sim_label {
    uint64_t entry; /* device address */
    uint32_t place; /* ring position */
    bool written;
};

/* State of a deferred queue besides its ring. Guarded by the queue's lock. */
struct sim_deferred {
    twin_hw_instance *instance; /* NULL: bound to none */
    bool head;
    twin_queue **leads; /* queues its tasks name */
    uint32_t lead_count;
    size_t lead_room;
    struct sim_label *labels;
    uint32_t label_count;
    size_t label_room;
};

#endif
