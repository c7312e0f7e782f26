/* SPDX-License-Identifier: Apache-2.0 */
/* What is allocated as a record goes on. */
#include <stdlib.h>
#include <string.h>

#include "recording/reader.h"
#include "recording/reading.h"

struct twin_recording_memory {
    const twin_recording *recording;
    size_t next;                         /* entry */
    uint32_t numbers;                    /* allocations so far */
    struct twin_recording_range *ranges; /* allocated now, by address */
    size_t count, room;
};

twin_recording_memory *twin_recording_memory_new(const twin_recording *recording)
{
    twin_recording_memory *memory = calloc(1, sizeof(*memory));
    if (memory)
        memory->recording = recording;
    return memory;
}

void twin_recording_memory_free(twin_recording_memory *memory)
{
    if (!memory)
        return;
    free(memory->ranges);
    free(memory);
}

/* Where the first range with a base above `address` is. */
static size_t above(const twin_recording_memory *memory, uint64_t address)
{
    size_t low = 0;
    size_t high = memory->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memory->ranges[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void remove_at(twin_recording_memory *memory, size_t place)
{
    memmove(&memory->ranges[place], &memory->ranges[place + 1],
            (--memory->count - place) * sizeof(*memory->ranges));
}

/* A free whose answer was late, or that the file has lost, leaves something in the way: the newer one counts. */
static bool add(twin_recording_memory *memory, struct twin_recording_range range)
{
    size_t place = above(memory, range.base);
    if (place > 0 && range.base - memory->ranges[place - 1].base < memory->ranges[place - 1].bytes)
        remove_at(memory, --place);
    while (place < memory->count && memory->ranges[place].base - range.base < range.bytes)
        remove_at(memory, place);
    if (memory->count == memory->room) {
        size_t room = memory->room ? memory->room * 2 : 64;
        struct twin_recording_range *larger =
            realloc(memory->ranges, room * sizeof(*memory->ranges));
        if (!larger)
            return false;
        memory->ranges = larger;
        memory->room = room;
    }
    memmove(&memory->ranges[place + 1], &memory->ranges[place],
            (memory->count - place) * sizeof(*memory->ranges));
    memory->ranges[place] = range;
    memory->count++;
    return true;
}

static void drop(twin_recording_memory *memory, uint64_t address)
{
    size_t place = above(memory, address);
    if (place > 0 && memory->ranges[place - 1].base == address)
        remove_at(memory, place - 1);
}

/* Memory that a device leaves behind is released when it is closed. */
static void drop_device(twin_recording_memory *memory, uint32_t device)
{
    for (size_t i = memory->count; i > 0; i--) {
        struct twin_record_MEMORY_ALLOC alloc;
        const struct twin_recording_range *range = &memory->ranges[i - 1];
        if (TWIN_RECORDING_GET(twin_recording_at(memory->recording, range->made), MEMORY_ALLOC,
                               &alloc) &&
            alloc.device == device)
            remove_at(memory, i - 1);
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
        struct twin_record_DEVICE_CLOSE closed;
        if (!twin_recording_succeeded(entry))
            continue;
        struct twin_recording_range range = {.made = memory->next};
        if (TWIN_RECORDING_GET(entry, MEMORY_ALLOC, &alloc)) {
            range.base = alloc.out_address;
            range.bytes = alloc.bytes;
        } else if (TWIN_RECORDING_GET(entry, MEMORY_HOST_ALLOC, &host)) {
            range.base = host.out_address;
            range.bytes = host.bytes;
            range.host = true;
        } else if (entry->kind == TWIN_RECORD_MEMORY_FREE ||
                   entry->kind == TWIN_RECORD_MEMORY_HOST_FREE) {
            twin_recording_fields(entry, &freed, sizeof(freed));
            drop(memory, freed.address);
        } else if (TWIN_RECORDING_GET(entry, DEVICE_CLOSE, &closed)) {
            drop_device(memory, closed.device);
        }
        if (range.bytes == 0)
            continue;
        range.number = ++memory->numbers;
        if (!add(memory, range))
            return false;
    }
    return true;
}

const struct twin_recording_range *twin_recording_memory_at(const twin_recording_memory *memory,
                                                            uint64_t address)
{
    size_t place = above(memory, address);
    if (place == 0)
        return NULL;
    const struct twin_recording_range *range = &memory->ranges[place - 1];
    return address - range->base < range->bytes ? range : NULL;
}
