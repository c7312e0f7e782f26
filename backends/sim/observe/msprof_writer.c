/* SPDX-License-Identifier: Apache-2.0 */
/* The file of TWINRT_MSPROF: records of 64 bytes, little endian. Types 0 and 1 have the layout of
 * the device's profiler; the others are this project's. sim/docs/observation.md has the layout. */
#include "observe/observe.h"

#include <errno.h>
#include <string.h>

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
    size_t index; /* of the trace's entry */
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

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are written as they are");
struct record {
    uint16_t head, magic;
    uint16_t stream, task; /* of the header: version, devices */
    uint64_t ticks;        /* of the header: MHz of the counter */
    union {
        struct {
            uint16_t device;
            uint8_t is_vector, core;
            uint32_t block;
        };
        char name[48];
    };
};
_Static_assert(sizeof(struct record) == MSPROF_BYTES, "a record has that size");

static void put_entry(FILE *file, const struct entry *entry,
                      const struct twinsim_trace_entry *traced, uint64_t mhz, unsigned count)
{
    struct record out;
    memset(&out, 0, sizeof(out)); /* the whole union too */
    out.head = (uint16_t)(entry->type | (count & 15u) << MSPROF_COUNT_SHIFT |
                          (traced->sqe_type & 63u) << MSPROF_SQE_SHIFT);
    out.magic = MSPROF_MAGIC;
    out.stream = entry->stream;
    out.task = traced->task_id;
    out.ticks = (uint64_t)((unsigned __int128)entry->ns * mhz / 1000);
    out.device = traced->device;
    if (entry->type == MSPROF_BLOCK_START || entry->type == MSPROF_BLOCK_END) {
        out.is_vector = traced->engine == TWINSIM_ENGINE_AIV;
        out.core = (uint8_t)traced->id;
        out.block = (uint32_t)traced->waker_number;
    }
    (void)fwrite(&out, sizeof(out), 1, file);
}

static void put_header(FILE *file, uint64_t mhz, uint32_t devices)
{
    const struct record out = {.head = MSPROF_HEADER,
                               .magic = MSPROF_MAGIC,
                               .stream = MSPROF_VERSION,
                               .task = (uint16_t)devices,
                               .ticks = (uint32_t)mhz,
                               .name = MSPROF_NAME};
    (void)fwrite(&out, sizeof(out), 1, file);
}

int sim_msprof_draw(FILE *file, const twinsim *sim, const twinsim_profile *profile)
{
    size_t count = 0;
    const struct twinsim_trace_entry *trace = twinsim_trace(sim, &count);
    if (!trace && count > 0)
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
        uint32_t life = sq_owner_of(&map, i, &trace[i]);
        bool block = trace[i].phase == TWINSIM_PHASE_BLOCK;
        if (trace[i].sq == UINT16_MAX || (trace[i].phase != TWINSIM_PHASE_TASK && !block))
            continue;
        uint16_t stream = (uint16_t)(life != UINT32_MAX ? map.queues[life].stream_id : trace[i].sq);
        entries[filled++] = (struct entry){.ns = trace[i].begin_ns,
                                           .index = i,
                                           .stream = stream,
                                           .type = block ? MSPROF_BLOCK_START : MSPROF_TASK_START};
        entries[filled++] = (struct entry){.ns = trace[i].end_ns,
                                           .index = i,
                                           .stream = stream,
                                           .type = block ? MSPROF_BLOCK_END : MSPROF_TASK_END};
    }
    qsort(entries, filled, sizeof(*entries), compare);
    const struct twinsim_parameter *counter = twinsim_profile_find(profile, "counter_mhz");
    uint64_t mhz = counter ? counter->number : 0;
    put_header(file, mhz, sim_process.device_count);
    for (size_t i = 0; i < filled; i++)
        put_entry(file, &entries[i], &trace[entries[i].index], mhz, (unsigned)i);
    free(entries);
    free(map.life);
    return ferror(file) ? -EIO : 0;
}
