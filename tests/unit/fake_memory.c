/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fake_backend.h"

#define ALLOCATIONS_MAX 64
#define DEVICE_BYTES    (1u << 20)
#define ALIGNMENT       512u

typedef struct fake_allocation {
    uint64_t base, bytes;
    const twin_hw_device *device; /* NULL: host */
    bool freed;                   /* by the core; kept while a task in a queue may name it */
} fake_allocation;

_Atomic uint32_t fake_tasks_queued;

static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static fake_allocation allocations[ALLOCATIONS_MAX]; /* guarded by memory_lock */

static void free_locked(fake_allocation *allocation)
{
    if (!allocation->freed)
        fake_count.memory--;
    allocation->freed = true;
    if (fake_tasks_queued > 0)
        return;
    free((void *)(uintptr_t)allocation->base);
    allocation->base = 0;
}

void fake_memory_reap(void)
{
    pthread_mutex_lock(&memory_lock);
    for (int i = 0; i < ALLOCATIONS_MAX; i++)
        if (allocations[i].base != 0 && allocations[i].freed)
            free_locked(&allocations[i]);
    pthread_mutex_unlock(&memory_lock);
}

void fake_memory_close(const twin_hw_device *device)
{
    pthread_mutex_lock(&memory_lock);
    for (int i = 0; i < ALLOCATIONS_MAX; i++)
        if (allocations[i].base != 0 && allocations[i].device == device)
            free_locked(&allocations[i]);
    pthread_mutex_unlock(&memory_lock);
}

static twin_status allocate(twin_hw_device *device, uint64_t bytes, uint64_t *out_address)
{
    if (bytes > DEVICE_BYTES)
        return device ? TWIN_E_DEVICE_MEMORY : TWIN_E_NOMEM;
    size_t rounded = (size_t)((bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    void *memory = aligned_alloc(ALIGNMENT, rounded);
    if (!memory)
        return TWIN_E_NOMEM;
    memset(memory, 0xa5, rounded);
    twin_status status = TWIN_E_NOMEM;
    pthread_mutex_lock(&memory_lock);
    for (int i = 0; i < ALLOCATIONS_MAX && status != TWIN_OK; i++) {
        if (allocations[i].base != 0)
            continue;
        allocations[i] = (fake_allocation){(uint64_t)(uintptr_t)memory, bytes, device, false};
        status = TWIN_OK;
        fake_count.memory++;
    }
    pthread_mutex_unlock(&memory_lock);
    if (status != TWIN_OK)
        free(memory);
    else
        *out_address = (uint64_t)(uintptr_t)memory;
    return status;
}

static twin_status fake_alloc(twin_hw_device *device, const twin_allocation *allocation,
                              uint64_t *out_address)
{
    return allocate(device, allocation->bytes, out_address);
}

static twin_status release(uint64_t address)
{
    twin_status status = TWIN_E_INVALID;
    pthread_mutex_lock(&memory_lock);
    for (int i = 0; i < ALLOCATIONS_MAX; i++) {
        if (address == 0 || allocations[i].base != address || allocations[i].freed)
            continue;
        free_locked(&allocations[i]);
        status = TWIN_OK;
    }
    pthread_mutex_unlock(&memory_lock);
    return status;
}

static twin_status fake_host_alloc(const twin_allocation *allocation, void **out_pointer)
{
    uint64_t address = 0;
    twin_status status = allocate(NULL, allocation->bytes, &address);
    if (status == TWIN_OK)
        *out_pointer = (void *)(uintptr_t)address;
    return status;
}

static twin_status fake_host_free(void *pointer)
{
    return release((uint64_t)(uintptr_t)pointer);
}

static twin_status fake_info(uint64_t address, twin_memory_info *out_info)
{
    *out_info = (twin_memory_info){.kind = TWIN_MEMORY_UNKNOWN};
    pthread_mutex_lock(&memory_lock);
    for (int i = 0; i < ALLOCATIONS_MAX; i++) {
        const fake_allocation *a = &allocations[i];
        if (a->base == 0 || a->freed || address < a->base || address - a->base >= a->bytes)
            continue;
        *out_info =
            (twin_memory_info){.kind = a->device ? TWIN_MEMORY_DEVICE : TWIN_MEMORY_HOST_PINNED,
                               .device = a->device ? fake_device_index(a->device) : 0,
                               .base = a->base,
                               .size_bytes = a->bytes,
                               .page_bytes = 4096};
    }
    pthread_mutex_unlock(&memory_lock);
    return TWIN_OK;
}

static twin_status fake_space(twin_hw_device *device, uint32_t page_class, uint64_t *out_free,
                              uint64_t *out_total)
{
    (void)page_class;
    uint64_t used = 0;
    pthread_mutex_lock(&memory_lock);
    for (int i = 0; i < ALLOCATIONS_MAX; i++)
        if (allocations[i].base != 0 && !allocations[i].freed && allocations[i].device == device)
            used += allocations[i].bytes;
    pthread_mutex_unlock(&memory_lock);
    *out_total = DEVICE_BYTES;
    *out_free = DEVICE_BYTES - used;
    return TWIN_OK;
}

static twin_status fake_copy_now(twin_hw_device *device, const twin_copy *copy)
{
    (void)device;
    memmove((void *)(uintptr_t)copy->dst, (const void *)(uintptr_t)copy->src, (size_t)copy->bytes);
    return TWIN_OK;
}

static twin_status fake_fill_now(twin_hw_device *device, const twin_fill *fill)
{
    (void)device;
    for (uint64_t i = 0; i < fill->bytes; i++)
        ((uint8_t *)(uintptr_t)fill->dst)[i] =
            (uint8_t)(fill->words ? fill->value >> i % 4 * 8 : fill->value);
    return TWIN_OK;
}

const struct twin_memory_ops fake_memory_ops = {.alloc = fake_alloc,
                                                .free = release,
                                                .host_alloc = fake_host_alloc,
                                                .host_free = fake_host_free,
                                                .info = fake_info,
                                                .space = fake_space,
                                                .copy = fake_copy_now,
                                                .fill = fake_fill_now};
