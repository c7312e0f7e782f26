/* SPDX-License-Identifier: Apache-2.0 */
/* Which stream a queue served when a record was written; walked along with the records. */
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

/* False: out of memory. */
static inline bool sq_owner_make(struct sq_owner *map, uint32_t devices)
{
    memset(map, 0, sizeof(*map));
    map->queues = sim_timeline_queues(&map->queue_count);
    size_t bytes = (size_t)devices * STREAM_OF_SQS * sizeof(*map->life);
    map->life = malloc(bytes);
    if (map->life)
        memset(map->life, 0xff, bytes);
    return map->life != NULL;
}

/* To be called for each record in turn: the number of the queue's life, UINT32_MAX when it has no stream. */
static inline uint32_t sq_owner_of(struct sq_owner *map, size_t index,
                                   const struct twinsim_trace_record *record)
{
    for (; map->next < map->queue_count && map->queues[map->next].first_record <= index;
         map->next++) {
        const struct timeline_queue *queue = &map->queues[map->next];
        map->life[queue->device * STREAM_OF_SQS + queue->sq] = (uint32_t)map->next;
    }
    return record->sq < STREAM_OF_SQS ? map->life[record->device * STREAM_OF_SQS + record->sq]
                                      : UINT32_MAX;
}

#endif
