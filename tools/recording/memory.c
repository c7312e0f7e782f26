/* SPDX-License-Identifier: Apache-2.0 */
/* What is allocated as a recording goes on. */
#include <stdlib.h>

#include "recording/reader.h"
#include "recording/reading.h"

struct twin_recording_memory {
    const twin_recording *recording;
    size_t next;                /* entry */
    uint32_t numbers;           /* allocations so far */
    struct interval_map ranges; /* allocated now */
};

twin_recording_memory *twin_recording_memory_new(const twin_recording *recording)
{
    twin_recording_memory *memory = calloc(1, sizeof(*memory));
    if (memory)
        memory->recording = recording;
    return memory;
}

/* Releases what has addresses from `begin` up to `end`. */
static void drop(twin_recording_memory *memory, uint64_t begin, uint64_t end)
{
    void *range;
    while ((range = interval_map_take(&memory->ranges, begin, end)) != NULL)
        free(range);
}

void twin_recording_memory_free(twin_recording_memory *memory)
{
    if (memory)
        drop(memory, 0, UINT64_MAX);
    free(memory);
}

/* A free whose answer was late, or that the file has lost, leaves something in the way: the newer
 * one counts. */
static bool add(twin_recording_memory *memory, uint64_t base, uint64_t bytes, bool host)
{
    struct twin_recording_range *range = calloc(1, sizeof(*range));
    if (!range)
        return false;
    *range = (struct twin_recording_range){
        .at = {.begin = base, .end = bytes < UINT64_MAX - base ? base + bytes : UINT64_MAX},
        .made = memory->next,
        .number = ++memory->numbers,
        .host = host};
    drop(memory, range->at.begin, range->at.end);
    interval_map_add(&memory->ranges, &range->at);
    return true;
}

/* The program's memory, unless it is in page-locked memory already, and the device's addresses for
 * it. */
static bool add_pin(twin_recording_memory *memory, const struct twin_record_MEMORY_PIN *pin)
{
    if (pin->bytes == 0)
        return true;
    if (!interval_map_at(&memory->ranges, pin->host) && !add(memory, pin->host, pin->bytes, true))
        return false;
    struct twin_recording_range *range = interval_map_at(&memory->ranges, pin->host);
    if (range && range->at.begin == pin->host)
        range->pins++;
    return pin->out_address == 0 || add(memory, pin->out_address, pin->bytes, false);
}

/* The address that the device has for that memory, and with the last device the memory. */
static void drop_pin(twin_recording_memory *memory, uint64_t address, uint32_t device)
{
    struct twin_recording_range *range = interval_map_from(&memory->ranges, 0);
    while (range) {
        struct twin_record_MEMORY_PIN pin;
        struct twin_recording_range *next = interval_map_from(&memory->ranges, range->at.end);
        if (TWIN_RECORDING_GET(twin_recording_at(memory->recording, range->made), MEMORY_PIN,
                               &pin) &&
            pin.host == address &&
            (range->at.begin == address ? --range->pins == 0 : pin.device == device))
            free(interval_map_remove(&memory->ranges, range->at.begin));
        range = next;
    }
}

/* Memory that is still allocated when its device is closed is released then. */
static void drop_device(twin_recording_memory *memory, uint32_t device)
{
    struct twin_recording_range *range = interval_map_from(&memory->ranges, 0);
    while (range) {
        struct twin_record_MEMORY_ALLOC alloc;
        struct twin_recording_range *next = interval_map_from(&memory->ranges, range->at.end);
        if (TWIN_RECORDING_GET(twin_recording_at(memory->recording, range->made), MEMORY_ALLOC,
                               &alloc) &&
            alloc.device == device)
            free(interval_map_remove(&memory->ranges, range->at.begin));
        range = next;
    }
}

bool twin_recording_memory_go(twin_recording_memory *memory, size_t index)
{
    size_t count = twin_recording_count(memory->recording);
    for (; memory->next < count && memory->next <= index; memory->next++) {
        const struct twin_record_entry *entry = twin_recording_at(memory->recording, memory->next);
        struct twin_record_MEMORY_ALLOC alloc;
        struct twin_record_MEMORY_HOST_ALLOC host;
        struct twin_record_MEMORY_FREE freed;
        struct twin_record_MEMORY_PIN pin;
        struct twin_record_MEMORY_UNPIN unpinned;
        struct twin_record_VMM_RESERVE reserved;
        struct twin_record_MEMORY_OPEN opened;
        struct twin_record_MEMORY_CLOSE ended;
        struct twin_record_WORK_ALLOC pooled;
        struct twin_record_WORK_FREE returned;
        struct twin_record_MANAGED_ALLOC managed;
        struct twin_record_DEVICE_CLOSE closed;
        bool good = true;
        if (!twin_recording_succeeded(entry))
            continue;
        if (TWIN_RECORDING_GET(entry, MEMORY_ALLOC, &alloc)) {
            good = alloc.bytes == 0 || add(memory, alloc.out_address, alloc.bytes, false);
        } else if (TWIN_RECORDING_GET(entry, MEMORY_HOST_ALLOC, &host)) {
            good = host.bytes == 0 || add(memory, host.out_address, host.bytes, true);
        } else if (TWIN_RECORDING_GET(entry, MANAGED_ALLOC, &managed)) {
            good = managed.bytes == 0 || add(memory, managed.out_address, managed.bytes, false);
        } else if (TWIN_RECORDING_GET(entry, MEMORY_PIN, &pin)) {
            good = add_pin(memory, &pin);
        } else if (TWIN_RECORDING_GET(entry, MEMORY_UNPIN, &unpinned)) {
            drop_pin(memory, unpinned.address, unpinned.device);
        } else if (TWIN_RECORDING_GET(entry, VMM_RESERVE, &reserved)) {
            /* whatever is mapped there: addresses keep their names */
            good = reserved.bytes == 0 || add(memory, reserved.out_address, reserved.bytes, false);
        } else if (TWIN_RECORDING_GET(entry, MEMORY_OPEN, &opened)) {
            good = opened.bytes == 0 || add(memory, opened.out_address, opened.bytes, false);
        } else if (TWIN_RECORDING_GET(entry, WORK_ALLOC, &pooled)) {
            free(interval_map_remove(&memory->ranges, pooled.out_address));
            good = pooled.bytes == 0 || add(memory, pooled.out_address, pooled.bytes, false);
        } else if (TWIN_RECORDING_GET(entry, WORK_FREE, &returned)) {
            free(interval_map_remove(&memory->ranges, returned.address));
        } else if (entry->kind == TWIN_RECORD_MEMORY_FREE ||
                   entry->kind == TWIN_RECORD_MEMORY_HOST_FREE ||
                   entry->kind == TWIN_RECORD_VMM_RELEASE) {
            twin_recording_fields(entry, &freed, sizeof(freed));
            free(interval_map_remove(&memory->ranges, freed.address));
        } else if (TWIN_RECORDING_GET(entry, MEMORY_CLOSE, &ended)) {
            free(interval_map_remove(&memory->ranges, ended.address));
        } else if (TWIN_RECORDING_GET(entry, DEVICE_CLOSE, &closed)) {
            drop_device(memory, closed.device);
        }
        if (!good)
            return false;
    }
    return true;
}

const struct twin_recording_range *twin_recording_memory_at(const twin_recording_memory *memory,
                                                            uint64_t address)
{
    return interval_map_at(&memory->ranges, address);
}
