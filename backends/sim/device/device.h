/* SPDX-License-Identifier: Apache-2.0 */
/* One device as the driver keeps it. The structure is made once per index and lives as long as the
 * process: close empties it, open fills it again, so old queue points stay good to ask. */
#ifndef TWINRT_SIM_DEVICE_DEVICE_H
#define TWINRT_SIM_DEVICE_DEVICE_H

#include "memory/arena.h"
#include "memory/descriptor_pool.h"
#include "memory/ring_memory.h"
#include "process/process.h"
#include "device/ids.h"

/* Work that an abort or a failure dropped: numbers above `retired` of that epoch. */
struct sim_dropped {
    twin_queue *queue;
    uint32_t epoch;
    twin_status reason;
    uint64_t retired;
};

struct twin_hw_device {
    uint32_t index;
    atomic_bool faulted;
    struct sim_arena memory;
    struct sim_ids events;
    struct sim_ids notifies;
    struct sim_ids counts; /* empty on a part that has none */

    struct sim_rings rings;
    struct sim_lists lists;
    /* Programs too long for their entries, by SQ; NULL until one is needed. Written under
     * signals_lock. */
    _Atomic(char *) code;
    size_t code_bytes;

    /* By SQ number; an entry is made once. Written under the model lock. */
    _Atomic(twin_queue *) *queues;
    atomic_uint queue_slots;     /* entries in use or used before */
    uint32_t queues_open;        /* guarded by the model lock */
    twin_hw_instance *instances; /* likewise */

    /* Guarded by the model lock. */
    struct sim_dropped *dropped;
    size_t dropped_count;
    size_t dropped_room;
    struct sim_group *groups;

    pthread_mutex_t signals_lock; /* taken last */
    twin_signal *signals;         /* live ones; guarded by signals_lock */
};

/* The device of that number if it was ever opened, else NULL. Its address range stays reserved when
 * it is closed. Thread: any. */
twin_hw_device *sim_device_made(uint32_t index);
/* It stays for the life of the process. Thread: model. */
void sim_device_set_made(uint32_t index, twin_hw_device *device);

/* The queue of that SQ; NULL: the device has no more, or there is no device. For loops over all of
 * them. Thread: any. */
static inline twin_queue *sim_device_queue(const twin_hw_device *device, unsigned sq)
{
    return device && sq < atomic_load_explicit(&device->queue_slots, memory_order_acquire)
               ? atomic_load_explicit(&device->queues[sq], memory_order_acquire)
               : NULL;
}

/* Code of a jump: too long for an entry, so it has separate memory. */
#define SIM_CODE_WORDS 32u
/* Room for SIM_CODE_WORDS words by ring position of an SQ; NULL: no address space. Thread: any. */
uint32_t *sim_device_code(twin_hw_device *device, uint32_t sq);
static inline bool sim_device_code_contains(const twin_hw_device *device, uint64_t address,
                                            uint64_t bytes)
{
    const char *code = atomic_load_explicit(&device->code, memory_order_acquire);
    const uint64_t offset = address - (uintptr_t)code;
    return code && offset < device->code_bytes && bytes <= device->code_bytes - offset;
}

#endif
