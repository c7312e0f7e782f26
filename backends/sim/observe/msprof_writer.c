/* SPDX-License-Identifier: Apache-2.0 */
/* The file of TWINRT_MSPROF: records of 64 bytes, little endian. Types 0 and 1 have the layout of the device's profiler; the
 * others are this project's. sim/docs/observation.md has the layout. */
#include "observe/observe.h"

#include <errno.h>

#include "observe/sq_owner.h"
#include "process/process.h"

#define MSPROF_BYTES   64u
#define MSPROF_MAGIC   0x6bd3u
#define MSPROF_VERSION 1u
#define MSPROF_NAME    "twinrt-msprof"

/* Bytes 0 and 1: type in bits 5:0, a running count in 9:6, the SQE's type in 15:10. */
#define MSPROF_COUNT_SHIFT 6u
#define MSPROF_SQE_SHIFT   10u

#define MSPROF_TASK_START  0u
#define MSPROF_TASK_END    1u
#define MSPROF_BLOCK_START 2u
#define MSPROF_BLOCK_END   3u
#define MSPROF_HEADER      63u

struct entry {
    uint64_t ns;
    size_t index; /* of the record */
    uint16_t stream;
    uint8_t type;
};

static int compare(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    int order = sim_order(a->ns, b->ns);
    /* what ends makes room for what begins */
    order = order ? order : sim_order(b->type & 1, a->type & 1);
    return order ? order : sim_order(a->index, b->index);
}

static void put16(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *to, uint32_t value)
{
    put16(to, value & 0xffffu);
    put16(to + 2, value >> 16);
}

static void put_entry(FILE *file, const struct entry *entry,
                      const struct twinsim_trace_record *record, uint64_t mhz, unsigned count)
{
    uint8_t bytes[MSPROF_BYTES] = {0};
    uint64_t ticks = (uint64_t)((unsigned __int128)entry->ns * mhz / 1000);
    put16(bytes, entry->type | (count & 15u) << MSPROF_COUNT_SHIFT |
                     (uint32_t)(record->sqe_type & 63u) << MSPROF_SQE_SHIFT);
    put16(bytes + 2, MSPROF_MAGIC);
    put16(bytes + 4, entry->stream);
    put16(bytes + 6, record->task_id);
    put32(bytes + 8, (uint32_t)ticks);
    put32(bytes + 12, (uint32_t)(ticks >> 32));
    put16(bytes + 16, record->device);
    if (entry->type == MSPROF_BLOCK_START || entry->type == MSPROF_BLOCK_END) {
        bytes[18] = record->engine == TWINSIM_ENGINE_AIV;
        bytes[19] = (uint8_t)record->id;
        put32(bytes + 20, (uint32_t)record->waker_number);
    }
    (void)fwrite(bytes, sizeof(bytes), 1, file);
}

static void put_header(FILE *file, uint64_t mhz, uint32_t devices)
{
    uint8_t bytes[MSPROF_BYTES] = {0};
    put16(bytes, MSPROF_HEADER);
    put16(bytes + 2, MSPROF_MAGIC);
    put16(bytes + 4, MSPROF_VERSION);
    put16(bytes + 6, devices);
    put32(bytes + 8, (uint32_t)mhz);
    memcpy(bytes + 16, MSPROF_NAME, sizeof(MSPROF_NAME));
    (void)fwrite(bytes, sizeof(bytes), 1, file);
}

int sim_msprof_draw(FILE *file, const twinsim *sim, const twinsim_profile *profile)
{
    size_t count = 0;
    const struct twinsim_trace_record *records = twinsim_trace(sim, &count);
    if (!records && count > 0)
        return -ENOMEM;
    struct entry *entries = calloc(2 * count + 1, sizeof(*entries));
    struct sq_owner map;
    size_t queue_count;
    const struct timeline_queue *queues = sim_timeline_queues(&queue_count);
    if (!sq_owner_make(&map, queues, queue_count, sim_process.device_count) || !entries) {
        free(entries);
        free(map.life);
        return -ENOMEM;
    }
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t life = sq_owner_of(&map, i, &records[i]);
        bool block = records[i].phase == TWINSIM_PHASE_BLOCK;
        if (records[i].sq == UINT16_MAX || (records[i].phase != TWINSIM_PHASE_TASK && !block))
            continue;
        uint16_t stream =
            (uint16_t)(life != UINT32_MAX ? map.queues[life].stream_id : records[i].sq);
        entries[filled++] = (struct entry){.ns = records[i].begin_ns,
                                           .index = i,
                                           .stream = stream,
                                           .type = block ? MSPROF_BLOCK_START : MSPROF_TASK_START};
        entries[filled++] = (struct entry){.ns = records[i].end_ns,
                                           .index = i,
                                           .stream = stream,
                                           .type = block ? MSPROF_BLOCK_END : MSPROF_TASK_END};
    }
    qsort(entries, filled, sizeof(*entries), compare);
    const struct twinsim_parameter *counter = twinsim_profile_find(profile, "counter_mhz");
    uint64_t mhz = counter ? counter->number : 0;
    put_header(file, mhz, sim_process.device_count);
    for (size_t i = 0; i < filled; i++)
        put_entry(file, &entries[i], &records[entries[i].index], mhz, (unsigned)i);
    free(entries);
    free(map.life);
    return ferror(file) ? -EIO : 0;
}
