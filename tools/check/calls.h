/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls that threads are in, as the entries of a recording go by in their order. */
#ifndef TWINRT_CHECK_CALLS_H
#define TWINRT_CHECK_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/reader.h"

struct check_call {
    uint64_t end_seq, site;
    size_t op; /* what it became, if it failed: the one with that end_seq */
    uint32_t name;
    uint32_t stack; /* 0: not known */
};

struct check_calls; /* of all threads; NULL: none yet */

/* An entry HOST_CALL, and the op that it may become; *out_stack is the number of its stack, 0: not known. False: out of memory. */
bool check_calls_enter(struct check_calls **calls, const struct twin_record_entry *entry, size_t op,
                       uint32_t *out_stack);
/* An entry CALL_STACK, of the public call that comes next on its thread. False: out of memory. */
bool check_calls_note_stack(struct check_calls **calls, const struct twin_record_entry *entry);
/* The innermost public call that the thread of an entry is in; NULL: none. Valid until the next entry. */
const struct check_call *check_calls_present(struct check_calls *calls,
                                             const struct twin_record_entry *entry);
void check_calls_free(struct check_calls *calls);

#endif
