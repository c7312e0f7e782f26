/* SPDX-License-Identifier: Apache-2.0 */
#include "check/tally.h"

#include <stdlib.h>

#include "seam/types.h"

struct tally tally_of(const twin_op *change)
{
    uint32_t value = change->count.value;
    /* a wait that clears sets 0 */
    uint32_t mode = change->kind == TWIN_OP_COUNT ? change->count.mode : TWIN_COUNT_SET;
    switch (mode) {
    case TWIN_COUNT_ADD:
        return (struct tally){.added = value};
    case TWIN_COUNT_OR:
        return (struct tally){.ored = value, .ors = value};
    case TWIN_COUNT_AND:
        return (struct tally){.ands = ~value, .has_and = true};
    default:
        value = change->kind == TWIN_OP_COUNT ? value : 0;
        return (struct tally){
            .set_any = value, .set_clear = ~value, .most = value, .least = value, .has_set = true};
    }
}

struct tally tally_both(struct tally a, struct tally b)
{
    if (!a.has_set) {
        a.most = b.most;
        a.least = b.least;
    } else if (b.has_set) {
        a.most = a.most > b.most ? a.most : b.most;
        a.least = a.least < b.least ? a.least : b.least;
    }
    a.added += b.added;
    a.ored += b.ored;
    a.ors |= b.ors;
    a.ands |= b.ands;
    a.set_any |= b.set_any;
    a.set_clear |= b.set_clear;
    a.has_set |= b.has_set;
    a.has_and |= b.has_and;
    return a;
}

/* ---- rows ---- */

bool tally_row_add(struct tally_row *row, struct tally tally)
{
    if (!LIST_ADD(&row->levels[0], tally))
        return false;
    for (unsigned level = 0; level < 31 && row->levels[level].count % 2 == 0; level++) {
        const struct tally *last = &row->levels[level].items[row->levels[level].count - 2];
        if (!LIST_ADD(&row->levels[level + 1], tally_both(last[0], last[1])))
            return false;
    }
    return true;
}

struct tally tally_row_range(const struct tally_row *row, size_t begin, size_t end)
{
    struct tally total = {0};
    for (unsigned level = 0; begin < end; level++) {
        if (begin % 2 == 1)
            total = tally_both(total, row->levels[level].items[begin++]);
        if (end % 2 == 1)
            total = tally_both(total, row->levels[level].items[--end]);
        begin /= 2;
        end /= 2;
    }
    return total;
}

void tally_row_free(struct tally_row *row)
{
    for (unsigned level = 0; level < 32; level++)
        free(row->levels[level].items);
}

/* ---- bounds ---- */

void tally_bases_add(struct tally_bases *bases, uint32_t value, const struct tally *sure)
{
    uint64_t least = value + sure->added;
    uint32_t ors = value | sure->ors;
    bool first = !bases->valid;
    bases->most = first || bases->most < value ? value : bases->most;
    bases->any |= value;
    bases->all = first ? value : bases->all & value;
    bases->clear |= ~ors;
    bases->least = first || bases->least > least ? least : bases->least;
    bases->least_ors = first || bases->least_ors > ors ? ors : bases->least_ors;
    bases->valid = true;
}

struct bounds {
    uint64_t least, most;
    uint32_t ones, zeros; /* bits that may be 1, that may be 0 */
};

/* False: any value may come of it. */
static bool find_bounds(const struct tally_bases *bases, const struct tally *sure,
                        const struct tally *free, struct bounds *out)
{
    bool adds = sure->added + free->added > 0;
    bool ands = sure->has_and || free->has_and;
    uint64_t changed = sure->added + sure->ored + free->added + free->ored;
    uint32_t base = free->has_set && free->most > bases->most ? free->most : bases->most;
    *out = (struct bounds){.most = base + changed, .ones = UINT32_MAX, .zeros = UINT32_MAX};
    if (adds && out->most > UINT32_MAX)
        return false; /* it may pass 2^32 */
    if (!adds) {
        out->ones = bases->any | free->set_any | sure->ors | free->ors;
        out->zeros = bases->clear | free->set_clear | sure->ands | free->ands;
        out->most = out->most < out->ones ? out->most : out->ones;
    }
    if (ands) {
        out->least = adds ? 0 : bases->all & ~(free->set_clear | sure->ands | free->ands);
        return true;
    }
    out->least = adds ? bases->least : bases->least_ors;
    if (free->has_set && free->least < out->least)
        out->least = free->least;
    return true;
}

bool tally_may_pass(const twin_op *wait, const struct tally_bases *bases, const struct tally *sure,
                    const struct tally *free)
{
    struct bounds bounds;
    uint32_t value = wait->count.value;
    if (!find_bounds(bases, sure, free, &bounds))
        return true;
    switch (wait->count.relation) {
    case TWIN_COUNT_LESS:
        return bounds.least < value;
    case TWIN_COUNT_EQUAL:
        return bounds.least <= value && value <= bounds.most && (value & ~bounds.ones) == 0 &&
               (~value & ~bounds.zeros) == 0;
    case TWIN_COUNT_GREATER:
        return bounds.most > value;
    case TWIN_COUNT_GREATER_OR_EQUAL:
        return bounds.most >= value;
    default:
        return bounds.most >= value && (value & ~bounds.ones) == 0;
    }
}

bool tally_holds(const twin_op *wait, uint32_t count)
{
    uint32_t value = wait->count.value;
    switch (wait->count.relation) {
    case TWIN_COUNT_LESS:
        return count < value;
    case TWIN_COUNT_EQUAL:
        return count == value;
    case TWIN_COUNT_GREATER:
        return count > value;
    case TWIN_COUNT_GREATER_OR_EQUAL:
        return count >= value;
    default:
        return (count & value) == value;
    }
}

uint32_t tally_change(const twin_op *change, uint32_t count)
{
    if (change->kind != TWIN_OP_COUNT)
        return 0;
    switch (change->count.mode) {
    case TWIN_COUNT_ADD:
        return count + change->count.value;
    case TWIN_COUNT_OR:
        return count | change->count.value;
    case TWIN_COUNT_AND:
        return count & change->count.value;
    default:
        return change->count.value;
    }
}
