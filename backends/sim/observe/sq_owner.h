/* SPDX-License-Identifier: Apache-2.0 */
/* Which stream a queue served when an entry was written; walked along with the entries. */
#ifndef TWINRT_SIM_OBSERVE_SQ_OWNER_H
#define TWINRT_SIM_OBSERVE_SQ_OWNER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "observe/timeline.h"

#define STREAM_OF_SQS 2048u /* pages in the register window */

struct sq_owner {
    const struct timeline_queue *queues;
    size_t queue_count;
    size_t next;
    uint32_t *life; /* by device, then SQ: index into `queues`, UINT32_MAX: none */
};

/* False: out of memory; map->life is the caller's to free in any case. */
static inline bool sq_owner_make(struct sq_owner *map, const struct timeline_queue *queues,
                                 size_t queue_count, uint32_t devices)
{
    size_t bytes = (size_t)devices * STREAM_OF_SQS * sizeof(*map->life);
    *map = (struct sq_owner){
        .queues = queues, .queue_count = queue_count, .life = (uint32_t *)malloc(bytes)};
    if (map->life)
        memset(map->life, 0xff, bytes);
    return map->life != NULL;
}

static inline uint32_t *sq_owner_slot(const struct sq_owner *map, uint32_t device, uint32_t sq)
{
    return &map->life[device * STREAM_OF_SQS + sq];
}

/* To be called for each entry in turn, before its owner is looked up. */
static inline void sq_owner_advance(struct sq_owner *map, size_t index)
{
    for (; map->next < map->queue_count && map->queues[map->next].first_entry <= index; map->next++)
        *sq_owner_slot(map, map->queues[map->next].device, map->queues[map->next].sq) =
            (uint32_t)map->next;
}

/* The same, and the number of the queue's life, UINT32_MAX when it has no stream. */
static inline uint32_t sq_owner_of(struct sq_owner *map, size_t index,
                                   const struct twinsim_trace_entry *entry)
{
    sq_owner_advance(map, index);
    return entry->sq < STREAM_OF_SQS ? *sq_owner_slot(map, entry->device, entry->sq) : UINT32_MAX;
}

#endif
