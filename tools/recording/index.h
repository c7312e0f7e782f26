/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a recording in the order of a number that they hold. */
#ifndef TWINRT_TOOLS_RECORDING_INDEX_H
#define TWINRT_TOOLS_RECORDING_INDEX_H

#include "recording/reader.h"

struct twin_recording_key {
    uint64_t key;
    size_t entry;
};
struct twin_recording_index {
    struct twin_recording_key *list; /* by key, and entries of one key by their place */
    size_t count;
};

/* Entries of a kind from `begin` up to `end`, by the value of a field. False: out of memory. */
bool twin_recording_index_make(const twin_recording *recording, unsigned kind, const char *field,
                               size_t begin, size_t end, struct twin_recording_index *out);
/* Entries with this key: how many, and the place of the first. */
size_t twin_recording_index_find(const struct twin_recording_index *index, uint64_t key,
                                 size_t *out_first);

#endif
