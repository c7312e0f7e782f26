/* SPDX-License-Identifier: Apache-2.0 */
#include "check/calls.h"

#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define CALLS_DEEP 16u

/* Public calls that a thread is in, the outermost first. */
struct check_calls {
    UT_hash_handle hh;
    uint32_t thread;
    uint32_t depth;
    uint32_t next_stack; /* of the call that comes next; 0: not known */
    struct check_call calls[CALLS_DEEP];
};

/* NULL: none, or out of memory. */
static struct check_calls *calls_of(struct check_calls *list, uint32_t thread)
{
    struct check_calls *calls = NULL;
    HASH_FIND(hh, list, &thread, sizeof(thread), calls);
    return calls;
}

static struct check_calls *make_calls_of(struct check_calls **list, uint32_t thread)
{
    struct check_calls *calls = calls_of(*list, thread);
    if (calls)
        return calls;
    calls = calloc(1, sizeof(*calls));
    if (!calls)
        return NULL;
    calls->thread = thread;
    HASH_ADD(hh, *list, thread, sizeof(calls->thread), calls);
    return calls;
}

static void leave(struct check_calls *calls, uint64_t seq)
{
    while (calls->depth > 0) {
        uint64_t end = calls->calls[calls->depth - 1].end_seq;
        if (end == 0 || end > seq)
            return;
        calls->depth--;
    }
}

bool check_calls_enter(struct check_calls **list, const struct twin_record_entry *entry, size_t op,
                       uint32_t *out_stack)
{
    struct check_calls *calls = make_calls_of(list, entry->thread);
    struct twin_record_HOST_CALL call;
    if (!calls)
        return false;
    twin_recording_fields(entry, &call, sizeof(call));
    leave(calls, entry->begin_seq);
    *out_stack = calls->next_stack;
    calls->next_stack = 0;
    if (calls->depth < CALLS_DEEP)
        calls->calls[calls->depth++] = (struct check_call){.end_seq = entry->end_seq,
                                                           .site = call.site,
                                                           .op = op,
                                                           .name = call.name,
                                                           .stack = *out_stack};
    return true;
}

bool check_calls_note_stack(struct check_calls **list, const struct twin_record_entry *entry)
{
    struct check_calls *calls = make_calls_of(list, entry->thread);
    struct twin_record_CALL_STACK stack;
    twin_recording_fields(entry, &stack, sizeof(stack));
    if (calls)
        calls->next_stack = stack.stack;
    return calls != NULL;
}

const struct check_call *check_calls_present(struct check_calls *list,
                                             const struct twin_record_entry *entry)
{
    struct check_calls *calls = calls_of(list, entry->thread);
    if (!calls)
        return NULL;
    leave(calls, entry->begin_seq);
    return calls->depth > 0 ? &calls->calls[calls->depth - 1] : NULL;
}

void check_calls_free(struct check_calls *list)
{
    struct check_calls *calls = list;
    HASH_CLEAR(hh, list);
    while (calls) {
        struct check_calls *next = calls->hh.next;
        free(calls);
        calls = next;
    }
}
