/* SPDX-License-Identifier: Apache-2.0 */
#include "check/clock.h"

#include <stdlib.h>
#include <string.h>

struct check_clock *clock_retain(struct check_clock *clock)
{
    if (clock)
        clock->holders++;
    return clock;
}

void clock_drop(struct check_clock *clock)
{
    if (clock && --clock->holders == 0)
        free(clock);
}

bool clock_own(struct check_clock **clock, uint32_t size)
{
    struct check_clock *old = *clock;
    if (old && old->holders == 1 && old->size >= size)
        return true;
    uint32_t room = old && old->size > size ? old->size : size;
    room = (room + 7u) & ~7u;
    struct check_clock *own = malloc(sizeof(*own) + room * sizeof(own->count[0]));
    if (!own)
        return false;
    uint32_t filled = old ? old->size : 0;
    if (old)
        memcpy(own->count, old->count, filled * sizeof(own->count[0]));
    memset(own->count + filled, 0, (room - filled) * sizeof(own->count[0]));
    own->holders = 1;
    own->size = room;
    clock_drop(old);
    *clock = own;
    return true;
}

/* The first clock index where `other` is higher; the size of other when there is none. */
static uint32_t first_higher(const struct check_clock *clock, const struct check_clock *other)
{
    uint32_t clock_index = 0;
    uint32_t both = clock && clock->size < other->size ? clock->size : other->size;
    if (clock)
        while (clock_index < both && clock->count[clock_index] >= other->count[clock_index])
            clock_index++;
    if (!clock || clock_index == both)
        while (clock_index < other->size &&
               other->count[clock_index] <= clock_at(clock, clock_index))
            clock_index++;
    return clock_index;
}

bool clock_join(struct check_clock **clock, const struct check_clock *other)
{
    if (!other || *clock == other)
        return true;
    uint32_t clock_index = first_higher(*clock, other);
    if (clock_index == other->size)
        return true;
    if (!clock_own(clock, other->size))
        return false;
    uint32_t *count = (*clock)->count;
    for (; clock_index < other->size; clock_index++)
        if (count[clock_index] < other->count[clock_index])
            count[clock_index] = other->count[clock_index];
    return true;
}

bool clock_raise(struct check_clock **clock, uint32_t clock_index, uint32_t count)
{
    if (clock_at(*clock, clock_index) >= count)
        return true;
    if (!clock_own(clock, clock_index + 1))
        return false;
    (*clock)->count[clock_index] = count;
    return true;
}
