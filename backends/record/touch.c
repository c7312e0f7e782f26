/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks find in memory to which others than tasks store. Equal contents at one address are
 * written once, until something may have changed them in a replay too. */
#include <stdatomic.h>

#include "ops.h"

#define SLOTS 1024u /* a power of two */

/* What the newest entry of a range says. */
struct slot {
    uint64_t address, bytes;
    uint64_t age; /* `changes` then */
    uint32_t data;
    bool by_look;
};
static struct slot slots[SLOTS]; /* one thread at a time moves the device */
/* Grows when tasks write such memory, an entry does, or memory is new. */
static atomic_uint_fast64_t changes = 1;

void record_touch_forget(void)
{
    atomic_fetch_add_explicit(&changes, 1, memory_order_relaxed);
}

static struct slot *slot_of(uint64_t address)
{
    return &slots[(address >> 3 ^ address >> 13) & (SLOTS - 1)];
}

static void write_entry(const twin_touch *touch, uint64_t from, uint64_t bytes, uint32_t data)
{
    struct record_call call;
    struct twin_record_TOUCHED *f = RECORD_BEGIN_EVENT(&call, TOUCHED, 0);
    f->what = (uint32_t)touch->what;
    f->data = data;
    f->good = touch->good;
    f->address = touch->address + from;
    f->bytes = bytes;
    f->at_ns = touch->at_ns;
    f->step = touch->step;
    f->use = touch->use;
    record_event(&call);
    record_touch_forget();
}

static void note_contents(const twin_touch *touch, uint64_t from, uint64_t bytes)
{
    const uint32_t data = record_data((const char *)touch->at + from, bytes);
    struct slot *slot = slot_of(touch->address + from);
    const bool looks = TWIN_TOUCH_LOOKS(touch);
    /* a replay omits looks that lead to nothing */
    const bool known = slot->address == touch->address + from && slot->bytes == bytes &&
                       slot->data == data && (looks || !slot->by_look) &&
                       slot->age == atomic_load_explicit(&changes, memory_order_relaxed);
    if (known)
        return;
    write_entry(touch, from, bytes, data);
    *slot = (struct slot){.address = touch->address + from,
                          .bytes = bytes,
                          .age = atomic_load_explicit(&changes, memory_order_relaxed),
                          .data = data,
                          .by_look = looks};
}

bool record_touched(const twin_touch *touch)
{
    twin_touch found = *touch;
    if (record_services->touched)
        found.good = record_services->touched(touch);
    if (!found.shared)
        return found.good;
    if (found.what == TWIN_TOUCH_HOST ? found.good : !found.good)
        write_entry(&found, 0, found.bytes, 0);
    else if (found.what == TWIN_TOUCH_HOST)
        return false;
    else if (found.what == TWIN_TOUCH_WRITE)
        record_touch_forget();
    else
        for (uint64_t from = 0; from < found.bytes; from += RECORD_DATA_MOST)
            note_contents(&found, from,
                          found.bytes - from < RECORD_DATA_MOST ? found.bytes - from
                                                                : RECORD_DATA_MOST);
    return found.good;
}
