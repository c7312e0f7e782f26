/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/index.h"

#include <stdlib.h>
#include <string.h>

#include "recording/containers.h"

static int compare_keys(const void *left, const void *right)
{
    const struct twin_recording_key *a = left;
    const struct twin_recording_key *b = right;
    return ORDER_2(a->key, b->key, a->entry, b->entry);
}

bool twin_recording_index_make(const twin_recording *recording, unsigned kind, const char *field,
                               size_t begin, size_t end, struct twin_recording_index *out)
{
    const struct twin_recording_kind *of = twin_recording_kind(kind);
    const struct twin_recording_field *by = of->fields;
    size_t count = 0;
    bool sorted = true;
    while (strcmp(by->name, field) != 0)
        by++;
    for (size_t i = begin; i < end; i++)
        count += twin_recording_at(recording, i)->kind == kind;
    *out = (struct twin_recording_index){.list = calloc(count + 1, sizeof(*out->list))};
    for (size_t i = begin; out->list && out->count < count; i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        if (entry->kind != kind)
            continue;
        struct twin_recording_key *key = &out->list[out->count++];
        *key = (struct twin_recording_key){.key = twin_recording_value(entry, by), .entry = i};
        sorted = sorted && (out->count == 1 || key[-1].key <= key->key);
    }
    if (out->list && !sorted)
        qsort(out->list, out->count, sizeof(*out->list), compare_keys);
    return out->list != NULL;
}

size_t twin_recording_index_find(const struct twin_recording_index *index, uint64_t key,
                                 size_t *out_first)
{
    size_t low = PARTITION_POINT(index->count, i, index->list[i].key < key);
    size_t count = 0;
    while (low + count < index->count && index->list[low + count].key == key)
        count++;
    *out_first = low;
    return count;
}
