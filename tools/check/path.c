/* SPDX-License-Identifier: Apache-2.0 */
/* How one piece of work comes before another; asked for breaches only. */
#include <stdlib.h>
#include <string.h>

#include "check/state.h"

/* Joins of a queue up to a count. */
static size_t joins_upto(const struct check_queue *queue, uint32_t number)
{
    return PARTITION_POINT(queue->joins.count, i, queue->joins.items[i].number <= number);
}

uint32_t check_hops(const struct checker *checker, uint32_t from_place, uint32_t from_number,
                    uint32_t to_place, uint32_t to_number)
{
    size_t places = checker->places.count;
    if (from_place >= places || to_place >= places)
        return CHECK_NONE;
    /* the highest count reached of each place, nearest places first */
    uint32_t *reached = calloc(places, sizeof(*reached));
    uint32_t *next = calloc(places, sizeof(*next));
    uint32_t result = CHECK_NONE;
    if (!reached || !next)
        goto done;
    reached[to_place] = to_number;
    for (uint32_t hops = 0; hops <= places && result == CHECK_NONE; hops++) {
        if (reached[from_place] >= from_number) {
            result = hops;
            break;
        }
        bool changed = false;
        memcpy(next, reached, places * sizeof(*next));
        for (uint32_t place = 0; place < places; place++) {
            const struct check_queue *queue = checker->places.items[place].queue;
            if (reached[place] == 0)
                continue;
            for (size_t i = joins_upto(queue, reached[place]); i-- > 0;) {
                const struct check_join *join = &queue->joins.items[i];
                if (next[join->from_place] < join->from_number) {
                    next[join->from_place] = join->from_number;
                    changed = true;
                }
            }
        }
        uint32_t *swap = reached;
        reached = next;
        next = swap;
        if (!changed)
            break;
    }
done:
    free(reached);
    free(next);
    return result;
}
