/* SPDX-License-Identifier: Apache-2.0 */
#include "check/clock.h"

#include <stdlib.h>
#include <string.h>

struct check_clock *clock_hold(struct check_clock *clock)
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

bool clock_own(struct check_clock **clock, uint32_t places)
{
    struct check_clock *old = *clock;
    if (old && old->holders == 1 && old->places >= places)
        return true;
    uint32_t room = old && old->places > places ? old->places : places;
    room = (room + 7u) & ~7u;
    struct check_clock *own = malloc(sizeof(*own) + room * sizeof(own->count[0]));
    if (!own)
        return false;
    uint32_t filled = old ? old->places : 0;
    if (old)
        memcpy(own->count, old->count, filled * sizeof(own->count[0]));
    memset(own->count + filled, 0, (room - filled) * sizeof(own->count[0]));
    own->holders = 1;
    own->places = room;
    clock_drop(old);
    *clock = own;
    return true;
}

/* The first place where `other` is higher; `places` of other when there is none. */
static uint32_t first_higher(const struct check_clock *clock, const struct check_clock *other)
{
    uint32_t place = 0;
    uint32_t both = clock && clock->places < other->places ? clock->places : other->places;
    if (clock)
        while (place < both && clock->count[place] >= other->count[place])
            place++;
    if (!clock || place == both)
        while (place < other->places && other->count[place] <= clock_at(clock, place))
            place++;
    return place;
}

bool clock_join(struct check_clock **clock, const struct check_clock *other)
{
    if (!other || *clock == other)
        return true;
    uint32_t place = first_higher(*clock, other);
    if (place == other->places)
        return true;
    if (!clock_own(clock, other->places))
        return false;
    uint32_t *count = (*clock)->count;
    for (; place < other->places; place++)
        if (count[place] < other->count[place])
            count[place] = other->count[place];
    return true;
}

bool clock_raise(struct check_clock **clock, uint32_t place, uint32_t count)
{
    if (clock_at(*clock, place) >= count)
        return true;
    if (!clock_own(clock, place + 1))
        return false;
    (*clock)->count[place] = count;
    return true;
}
