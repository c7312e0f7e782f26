/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/number.h"
#include "kernel/steps.h"
#include "twinrt/kernel.h"

#define CHUNK_BYTES ((size_t)4 << 20)
#define KEPT_BYTES  ((size_t)16 << 20) /* of chunks, for the next run */

static atomic_bool marked; /* twin_native_memory_marked */

/* ---- the memory below ------------------------------------------------------------------------ */

static const unsigned char *ask(const twin_reach *reach, uint64_t address, uint64_t bytes,
                                bool write)
{
    if (bytes == 0 || address > UINT64_MAX - bytes)
        return NULL;
    return reach->at(reach, address, bytes, write);
}

static const native_window *window_of(const native_windows *windows, uint64_t address,
                                      uint64_t bytes)
{
    const uint32_t count = windows->next < NATIVE_WINDOWS ? windows->next : NATIVE_WINDOWS;
    for (uint32_t i = 0; i < count; i++) {
        const native_window *one = &windows->list[i];
        if (address >= one->begin && address < one->end && bytes <= one->end - address)
            return one;
    }
    return NULL;
}

static bool ask_in_host(const twin_reach *reach, uint64_t address)
{
    return reach->in_host && reach->in_host(reach, address);
}

/* Asking costs; so more than is needed is asked for at once, as far as it is there. */
static const unsigned char *look(native_windows *windows, const twin_reach *reach, uint64_t address,
                                 uint64_t bytes, bool write)
{
    const native_window *known = window_of(windows, address, bytes);
    if (known)
        return known->at + (address - known->begin);
    const unsigned char *at = ask(reach, address, bytes, write);
    if (!at || reach->exact)
        return at;
    native_window window = {
        .begin = address, .end = address + bytes, .in_host = ask_in_host(reach, address)};
    for (uint64_t size = (uint64_t)1 << 16; size <= (uint64_t)1 << 30; size <<= 4) {
        const uint64_t begin = address & ~(size - 1);
        const uint64_t end = begin + size;
        if (end < address + bytes)
            continue;
        if (!ask(reach, begin, size, write))
            break;
        window.begin = begin;
        window.end = end;
    }
    window.at =
        (unsigned char *)(uintptr_t)ask(reach, window.begin, window.end - window.begin, write);
    if (window.at)
        windows->list[windows->next++ % NATIVE_WINDOWS] = window;
    return at;
}

/* A copy of what is there, or, to write, any pointer. */
static const unsigned char *find_moved(native_memory *memory, uint64_t address, uint64_t bytes,
                                       bool write)
{
    static const unsigned char there;
    const twin_reach *reach = memory->reach;
    if (!reach->move || bytes == 0 || address > UINT64_MAX - bytes)
        return NULL;
    if (write)
        return reach->move(reach, address, NULL, bytes, true) ? &there : NULL;
    if (bytes > memory->moved_room) {
        unsigned char *larger = realloc(memory->moved, bytes);
        if (!larger)
            return NULL;
        memory->moved = larger;
        memory->moved_room = bytes;
    }
    return reach->move(reach, address, memory->moved, bytes, false) ? memory->moved : NULL;
}

const unsigned char *twin_native_memory_find(native_memory *memory, uint64_t address,
                                             uint64_t bytes, bool write)
{
    const unsigned char *at =
        look(write ? &memory->writing : &memory->reading, memory->reach, address, bytes, write);
    return __builtin_expect(at != NULL, 1) ? at : find_moved(memory, address, bytes, write);
}

bool twin_native_memory_in_host(const native_memory *memory, uint64_t address, bool write)
{
    const native_window *known = window_of(write ? &memory->writing : &memory->reading, address, 1);
    return known ? known->in_host : ask_in_host(memory->reach, address);
}

/* ---- data of writes -------------------------------------------------------------------------- */

unsigned char *twin_native_memory_room(native_memory *memory, size_t bytes)
{
    const size_t wanted = (bytes + 31) & ~(size_t)31;
    native_chunk *chunk = memory->chunks;
    if (!chunk || chunk->bytes - chunk->used < wanted) {
        if (memory->spare && memory->spare->bytes >= wanted) {
            chunk = memory->spare;
            memory->spare = NULL;
        } else {
            const size_t size = wanted > CHUNK_BYTES ? wanted : CHUNK_BYTES;
            chunk = aligned_alloc(32, sizeof(*chunk) + size);
            if (!chunk)
                return NULL;
            chunk->bytes = size;
        }
        chunk->used = 0;
        chunk->next = memory->chunks;
        memory->chunks = chunk;
    }
    unsigned char *room = chunk->data + chunk->used;
    chunk->used += wanted;
    return room;
}

/* ---- applying -------------------------------------------------------------------------------- */

static bool mark_moved(const twin_reach *reach, uint64_t address, uint64_t bytes)
{
    unsigned char marks[4096];
    twin_native_lay_marks(marks, address, sizeof(marks));
    for (uint64_t done = 0; done < bytes; done += sizeof(marks))
        if (!reach->move(reach, address + done, marks,
                         bytes - done < sizeof(marks) ? bytes - done : sizeof(marks), true))
            return false;
    return true;
}

/* One row to memory for which there is no pointer. */
static bool apply_moved(native_memory *memory, const twin_reach *reach, const native_write *write,
                        uint64_t address, const unsigned char *data)
{
    if (!reach->move)
        return false;
    if (write->uncomputed)
        return mark_moved(reach, address, write->bytes);
    if (write->atomic == TWK_ATOMIC_NONE)
        return reach->move(reach, address, (void *)(uintptr_t)data, write->bytes, true);
    unsigned char *sum = malloc(write->bytes);
    bool done = sum && reach->move(reach, address, sum, write->bytes, false);
    if (done) {
        twin_native_combine(write->atomic, write->type, sum, data, write->bytes, &memory->overflow);
        done = reach->move(reach, address, sum, write->bytes, true);
    }
    free(sum);
    return done;
}

bool twin_native_memory_marked(void)
{
    return atomic_load_explicit(&marked, memory_order_relaxed);
}

bool twin_native_memory_apply(native_memory *memory, const twin_reach *reach, uint64_t *out_address)
{
    native_windows windows;
    windows.next = 0;
    for (size_t i = 0; i < memory->launch.count; i++) {
        const native_write *write = &memory->launch.writes[i];
        if (write->uncomputed)
            atomic_store_explicit(&marked, true, memory_order_relaxed);
        for (uint32_t row = 0; row < write->rows; row++) {
            const uint64_t address = write->address + row * write->pitch;
            const unsigned char *data =
                write->uncomputed ? write->data : write->data + (size_t)row * write->bytes;
            unsigned char *at =
                (unsigned char *)(uintptr_t)look(&windows, reach, address, write->bytes, true);
            if (!at) {
                if (apply_moved(memory, reach, write, address, data))
                    continue;
                *out_address = address;
                return false;
            }
            if (write->uncomputed)
                twin_native_lay_marks(at, address, write->bytes);
            else if (write->atomic == TWK_ATOMIC_NONE)
                memcpy(at, data, write->bytes);
            else
                twin_native_combine(write->atomic, write->type, at, data, write->bytes,
                                    &memory->overflow);
        }
    }
    return true;
}

/* ---- life ------------------------------------------------------------------------------------ */

bool twin_native_memory_join(native_memory *memory, native_memory *other)
{
    if (!twin_native_overlay_append(memory, &other->launch))
        return false;
    native_chunk **end = &other->chunks;
    while (*end)
        end = &(*end)->next;
    *end = memory->chunks;
    memory->chunks = other->chunks;
    other->chunks = NULL;
    return true;
}

void twin_native_memory_begin(native_memory *memory, const twin_reach *reach, bool saturate)
{
    memory->overflow = (native_overflow){.saturate = saturate};
    memory->reach = reach;
    memory->reading.next = 0;
    memory->writing.next = 0;
    twin_native_overlay_begin(&memory->launch);
}

void twin_native_memory_clear(native_memory *memory)
{
    while (memory->chunks) {
        native_chunk *chunk = memory->chunks;
        memory->chunks = chunk->next;
        if (!memory->spare && chunk->bytes <= KEPT_BYTES)
            memory->spare = chunk;
        else
            free(chunk);
    }
    twin_native_overlay_trim(&memory->launch);
}

void twin_native_memory_free(native_memory *memory)
{
    free(memory->moved);
    twin_native_memory_clear(memory);
    free(memory->spare);
    twin_native_overlay_free(&memory->launch);
    *memory = (native_memory){0};
}
