/* SPDX-License-Identifier: Apache-2.0 */
#include "observe/kernel_notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "observe/sq_owner.h"
#include "process/process.h"

static struct kernel_note *notes;
static size_t note_count, note_room;

bool sim_kernel_note(uint32_t device, uint32_t sq, uint64_t number, const twin_launch *kernel)
{
    char *name = strdup(kernel->name && kernel->name[0] != '\0' ? kernel->name : "N/A");
    if (!name || !sim_grow(&notes, sizeof(*notes), note_count, &note_room)) {
        free(name);
        return false;
    }
    notes[note_count++] = (struct kernel_note){.number = number,
                                               .since = twinsim_trace_count(sim_process.sim),
                                               .device = device,
                                               .sq = sq,
                                               .blocks = kernel->blocks,
                                               .cores = kernel->cores,
                                               .name = name};
    return true;
}

struct kernel_note *sim_kernel_notes(size_t *out_count)
{
    *out_count = note_count;
    return notes;
}

static int by_task(const void *left, const void *right)
{
    const struct kernel_note *a = left;
    const struct kernel_note *b = right;
    int order = sim_order(a->device, b->device);
    order = order ? order : sim_order(a->sq, b->sq);
    order = order ? order : sim_order(a->number, b->number);
    return order ? order : sim_order(a->since, b->since);
}

/* Of indices of notes. */
static int by_time(const void *left, const void *right)
{
    const struct kernel_note *a = &notes[*(const uint32_t *)left];
    const struct kernel_note *b = &notes[*(const uint32_t *)right];
    int order = sim_order(a->device, b->device);
    order = order ? order : sim_order(a->begin_ns, b->begin_ns);
    return order ? order : by_task(a, b);
}

uint32_t *sim_kernel_notes_order(void)
{
    uint32_t *order = calloc(note_count + 1, sizeof(*order));
    for (size_t i = 0; order && i < note_count; i++)
        order[i] = (uint32_t)i;
    if (order)
        qsort(order, note_count, sizeof(*order), by_time);
    for (size_t i = 0; order && i < note_count; i++)
        notes[order[i]].rank = (uint32_t)i;
    return order;
}

/* The newest kernel of the entry's task that had begun when the entry was written, or
 * SIM_NO_KERNEL. Notes are in the order of by_task(). */
static uint32_t note_of(const struct twinsim_trace_entry *entry, size_t index)
{
    const struct kernel_note key = {
        .device = entry->device, .sq = entry->sq, .number = entry->number, .since = index};
    size_t low = 0;
    size_t high = note_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_task(&notes[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return SIM_NO_KERNEL;
    const struct kernel_note *found = &notes[low - 1];
    return found->device == key.device && found->sq == key.sq && found->number == key.number
               ? (uint32_t)(low - 1)
               : SIM_NO_KERNEL;
}

uint64_t sim_kernel_number(const twinsim_profile *profile, const char *name)
{
    const struct twinsim_parameter *parameter = twinsim_profile_find(profile, name);
    return parameter ? parameter->number : 0;
}

struct kernel_cores sim_kernel_cores(const twinsim_profile *profile)
{
    return (struct kernel_cores){
        .aic = (uint32_t)sim_kernel_number(profile, "limit.aic_cores"),
        .aiv = (uint32_t)sim_kernel_number(profile, "limit.aiv_cores"),
        .mhz = (uint32_t)sim_kernel_number(profile, "aicore.clock_mhz"),
        .split = sim_kernel_number(profile, "aicore.split") != 0,
    };
}

size_t sim_kernel_seats(const struct kernel_cores *cores)
{
    return (size_t)sim_process.device_count * (cores->aic + cores->aiv);
}

/* SIM_NO_KERNEL: the part has no such core. */
static uint32_t seat_of(const struct kernel_cores *cores, const struct twinsim_trace_entry *entry)
{
    const bool vector = entry->engine == TWINSIM_ENGINE_AIV;
    return entry->id < (vector ? cores->aiv : cores->aic)
               ? entry->device * (cores->aic + cores->aiv) + (vector ? cores->aic : 0) + entry->id
               : SIM_NO_KERNEL;
}

static void note_task(uint32_t note, const struct twinsim_trace_entry *entry,
                      const struct timeline_queue *queue)
{
    /* a kernel that was given up, on a queue that was closed since: not this task */
    if (queue && queue->first_entry > notes[note].since)
        return;
    notes[note].retired = true;
    notes[note].task_id = entry->task_id;
    notes[note].stream = queue ? queue->stream_id : entry->sq;
    notes[note].begin_ns = entry->begin_ns;
    notes[note].end_ns = entry->end_ns;
}

int sim_kernel_notes_read(const twinsim *sim, const struct kernel_cores *cores,
                          bool (*add)(void *context, const struct twinsim_trace_entry *entry,
                                      uint32_t note, uint32_t seat),
                          void *context)
{
    size_t count = 0;
    const struct twinsim_trace_entry *trace = twinsim_trace(sim, &count);
    if (!trace && count > 0)
        return -ENOMEM;
    size_t queue_count = 0;
    struct sq_owner map;
    const struct timeline_queue *queues = sim_timeline_queues(&queue_count);
    bool good = sq_owner_make(&map, queues, queue_count, sim_process.device_count);
    if (note_count > 0)
        qsort(notes, note_count, sizeof(*notes), by_task);
    for (size_t i = 0; good && i < count; i++) {
        const uint32_t life = sq_owner_of(&map, i, &trace[i]);
        const unsigned phase = trace[i].phase;
        const bool of_core = phase == TWINSIM_PHASE_START || phase == TWINSIM_PHASE_PIPE ||
                             phase == TWINSIM_PHASE_BLOCK;
        if (!of_core && phase != TWINSIM_PHASE_TASK)
            continue;
        const uint32_t note = note_of(&trace[i], i);
        const uint32_t seat = of_core ? seat_of(cores, &trace[i]) : 0;
        if (note == SIM_NO_KERNEL || seat == SIM_NO_KERNEL)
            continue;
        if (of_core)
            good = add(context, &trace[i], note, seat);
        else
            note_task(note, &trace[i], life != UINT32_MAX ? &map.queues[life] : NULL);
    }
    free(map.life);
    return good ? 0 : -ENOMEM;
}
