/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks that public calls are made from: each once, and its number for each call. */
#include <string.h>
#include <unwind.h>

#include "ops.h"

#define TEXT_MOST 32768u /* bytes that a binding may report of one call */

/* A walk from here to the outermost frame. */
struct walk {
    uintptr_t site; /* where the program called: what is further in is the runtime's */
    unsigned count;
    uint64_t frames[TWIN_RECORD_STACK_MOST];
};

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *argument)
{
    struct walk *walk = argument;
    int is_exact = 0; /* a signal came there: the instruction itself, not the one after a call */
    const uintptr_t address = _Unwind_GetIPInfo(context, &is_exact) + (is_exact != 0);
    if (walk->count == 0 && address != walk->site)
        return _URC_NO_REASON;
    if (address <= 1)
        return _URC_END_OF_STACK;
    walk->frames[walk->count++] = address;
    return walk->count < TWIN_RECORD_STACK_MOST ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static uint32_t native_stack(uintptr_t site)
{
    struct walk walk = {.site = site};
    struct record_key key;
    uint32_t number;
    (void)_Unwind_Backtrace(take_frame, &walk);
    if (walk.count == 0) /* the unwinder does not know the way out of the runtime */
        walk.frames[walk.count++] = site;
    const size_t bytes = walk.count * sizeof(walk.frames[0]);
    unsigned replaced = 0;
    for (unsigned i = 0; i < walk.count; i++)
        replaced = record_module(walk.frames[i] - 1);
    record_key_start(&key);
    record_key_add(&key, walk.frames, bytes);
    record_key_add(&key, &replaced, sizeof(replaced));
    if (!record_seen_new(&record_seen_stacks, &key, &record_numbers.stacks, &number))
        return number;
    struct record_call call;
    struct twin_record_STACK *f = RECORD_BEGIN_EVENT(&call, STACK, bytes);
    f->stack = number;
    f->count = walk.count;
    if (record_kept(&call))
        memcpy(f + 1, walk.frames, bytes);
    record_event(&call);
    return number;
}

/* Bytes of the innermost frames that a binding has reported, three texts each; 0: invalid texts. */
static size_t valid_bytes(const char *texts, size_t bytes)
{
    size_t used = 0;
    unsigned count = 0;
    if (!texts || bytes == 0 || bytes > TEXT_MOST || texts[bytes - 1] != '\0')
        return 0;
    for (; used < bytes && count < 3 * TWIN_RECORD_STACK_MOST; count++)
        used += strlen(texts + used) + 1;
    return count % 3 == 0 ? used : 0;
}

/* Of the interpreted program whose binding makes the call. False: there is none. */
static bool script_stack(const twin_call_place *place, uint32_t *out_number)
{
    const size_t bytes = valid_bytes(place->frames, place->frames_bytes);
    struct record_key key;
    if (bytes == 0 || !record_same_module((uintptr_t)place->site, (uintptr_t)place->frames_from))
        return false;
    record_key_start(&key);
    record_key_add(&key, place->frames, bytes);
    if (!record_seen_new(&record_seen_stacks, &key, &record_numbers.stacks, out_number))
        return true;
    record_module((uintptr_t)place->site - 1);
    struct record_call call;
    struct twin_record_SCRIPT_STACK *f = RECORD_BEGIN_EVENT(&call, SCRIPT_STACK, bytes);
    f->stack = *out_number;
    f->text_bytes = (uint32_t)bytes;
    if (record_kept(&call))
        memcpy(f + 1, place->frames, bytes);
    record_event(&call);
    return true;
}

void record_stack(uintptr_t site)
{
    uint32_t number;
    if (!script_stack(record_self.place, &number))
        number = native_stack(site);
    RECORD_MARK(CALL_STACK, number);
}
