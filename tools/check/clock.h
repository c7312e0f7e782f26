/* SPDX-License-Identifier: Apache-2.0 */
/* What is known to have happened before: of each queue, by its clock index, how many pieces of its
 * work. */
#ifndef TWINRT_CHECK_CLOCK_H
#define TWINRT_CHECK_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shared until it is changed. NULL is one of zeros. */
struct check_clock {
    uint32_t holders;
    uint32_t size;
    uint32_t count[];
};

static inline uint32_t clock_at(const struct check_clock *clock, uint32_t clock_index)
{
    return clock && clock_index < clock->size ? clock->count[clock_index] : 0;
}

struct check_clock *clock_retain(struct check_clock *clock);
void clock_drop(struct check_clock *clock);
/* Readies *clock to be changed by its holder: alone, of that size at least. False: out of
 * memory. */
bool clock_own(struct check_clock **clock, uint32_t size);
/* Raises *clock to `other` where that is higher. False: out of memory. */
bool clock_join(struct check_clock **clock, const struct check_clock *other);
/* Raises one count. False: out of memory. */
bool clock_raise(struct check_clock **clock, uint32_t clock_index, uint32_t count);

#endif
