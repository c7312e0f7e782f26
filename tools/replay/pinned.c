/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the program that the recording registers: ranges that overlap, also at different times
 * and with different devices, have one place in a replay. */
#include <stdlib.h>

#include "replay/state.h"

static int compare(const void *left, const void *right)
{
    const struct replay_pinned *a = left;
    const struct replay_pinned *b = right;
    return ORDER(a->begin, b->begin);
}

static bool pin_at(const struct replay *replay, size_t index, struct replay_pinned *out)
{
    struct twin_record_MEMORY_PIN f;
    if (!TWIN_RECORDING_GET(twin_recording_at(replay->recording, index), MEMORY_PIN, &f) ||
        f.bytes == 0 || f.host > UINT64_MAX - f.bytes)
        return false;
    *out = (struct replay_pinned){.begin = f.host, .end = f.host + f.bytes};
    return true;
}

bool replay_pinned_find(struct replay *replay)
{
    struct replay_pinned one;
    size_t count = 0;
    size_t kept = 0;
    for (size_t i = replay->start; i < replay->stop; i++)
        count += pin_at(replay, i, &one);
    struct replay_pinned *list = replay->pinned = calloc(count + 1, sizeof(*list));
    if (!list)
        return false;
    count = 0;
    for (size_t i = replay->start; i < replay->stop; i++)
        if (pin_at(replay, i, &one))
            list[count++] = one;
    if (count > 0)
        qsort(list, count, sizeof(*list), compare);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || list[i].begin >= list[kept - 1].end)
            list[kept++] = list[i];
        else if (list[i].end > list[kept - 1].end)
            list[kept - 1].end = list[i].end;
    }
    replay->pinned_count = kept;
    return true;
}

struct replay_pinned replay_pinned_at(const struct replay *replay, uint64_t address)
{
    const size_t after =
        PARTITION_POINT(replay->pinned_count, i, replay->pinned[i].begin <= address);
    return after > 0 ? replay->pinned[after - 1] : (struct replay_pinned){0};
}
