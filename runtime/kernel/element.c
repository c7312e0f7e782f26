/* SPDX-License-Identifier: Apache-2.0 */
/* What the scalar unit reads and writes: elements, words, and bytes through pointers. */
#include <stdlib.h>
#include <string.h>

#include "kernel/access.h"
#include "kernel/number.h"
#include "kernel/print.h"
#include "kernel/print_buffer.h"
#include "twinrt/kernel.h"

static void check_aligned(native_core *core, native_op op, uint64_t address, uint32_t size)
{
    if (__builtin_expect(address % size != 0, 0))
        twin_native_fail(core, TWIN_NATIVE_ALIGNMENT, &address,
                         "%s: global address 0x%llx is not a multiple of %u",
                         twin_native_op_name(op), (unsigned long long)address, size);
}

static native_rows line_of(uint64_t address)
{
    return (native_rows){.address = address / NATIVE_LINE_BYTES * NATIVE_LINE_BYTES,
                         .rows = 1,
                         .bytes = NATIVE_LINE_BYTES};
}

/* Constants of the kernel's object are global memory, too: a pointer to one has their address. */
static void NATIVE_COLD read_constant(native_core *core, native_op op, uint64_t address,
                                      uint32_t size, void *out)
{
    const void *constant = twin_native_constant(core, address, size);
    if (constant)
        memcpy(out, constant, size);
    else
        twin_native_check_global(core, op, address, 0, 1, size, false); /* fails */
}

void twin_native_word_read(native_core *core, native_op op, uint32_t type, uint64_t address,
                           uint32_t size, void *out)
{
    check_aligned(core, op, address, size);
    const bool printed = native_is_printed(address);
    if (__builtin_expect(
            printed || twin_native_memory_find(&core->run->memory, address, size, false), 1))
        twin_native_seen_global(core, op, type, address, size, out);
    else
        read_constant(core, op, address, size, out);
    twin_native_step(core, TWIN_PIPE_SCALAR, TWIN_STEP_WORK, 0,
                     core->run->call.core->scalar_access);
    if (core->run->notes_reads && !printed)
        twin_native_global_noted(core, TWIN_PIPE_SCALAR,
                                 &(native_rows){.address = address, .rows = 1, .bytes = size});
    const native_rows line = line_of(address);
    twin_native_global_step(core, TWIN_PIPE_SCALAR, TWIN_STEP_READ, &line);
}

static void write_word(native_core *core, native_op op, const native_write *write,
                       const void *value)
{
    check_aligned(core, op, write->address, write->bytes);
    twin_native_check_global(core, op, write->address, 0, 1, write->bytes, true);
    memcpy(twin_native_global_write(core, TWIN_PIPE_SCALAR, op, write), value, write->bytes);
    core->hazards.scalar_touched = true;
    twin_native_step(core, TWIN_PIPE_SCALAR, TWIN_STEP_WORK, 0,
                     core->run->call.core->scalar_access);
    const native_rows line = line_of(write->address);
    twin_native_global_step(core, TWIN_PIPE_SCALAR, TWIN_STEP_WRITE, &line);
}

void twin_native_word_write(native_core *core, native_op op, uint64_t address, uint32_t size,
                            const void *value)
{
    write_word(core, op, &(native_write){.address = address, .rows = 1, .bytes = size}, value);
}

void twin_native_word_add(native_core *core, native_op op, uint32_t type, uint64_t address,
                          const void *value)
{
    const native_write write = {.address = address,
                                .rows = 1,
                                .bytes = twin_native_check_type(core, type),
                                .atomic = TWK_ATOMIC_ADD,
                                .type = (uint8_t)type};
    write_word(core, op, &write, value);
}

double twin_native_get(uint32_t space, uint32_t type, uint64_t at)
{
    const native_op op = space == TWK_SPACE_GM ? NATIVE_OP_GM_GET : NATIVE_OP_GET;
    native_core *core = twin_native_operation(TWIN_PIPE_SCALAR, op);
    const uint32_t size = twin_native_check_type(core, type);
    if (space == TWK_SPACE_GM) {
        uint32_t word = 0;
        twin_native_word_read(core, op, type, at, size, &word);
        return twin_native_number(type, &word);
    }
    twin_native_step(core, TWIN_PIPE_SCALAR, TWIN_STEP_WORK, 0,
                     core->run->call.core->scalar_access);
    const unsigned char *element =
        twin_native_source(core, TWK_UB, TWIN_PIPE_SCALAR, op, at, size, size);
    twin_native_seen_local(core, TWK_UB, at, size);
    return twin_native_number(type, element);
}

void twin_native_put(uint32_t space, uint32_t type, uint64_t at, double value)
{
    const native_op op = space == TWK_SPACE_GM ? NATIVE_OP_GM_PUT : NATIVE_OP_PUT;
    native_core *core = twin_native_operation(TWIN_PIPE_SCALAR, op);
    const uint32_t size = twin_native_check_type(core, type);
    uint32_t word = 0;
    twin_native_given(core, type, &word, value);
    if (space == TWK_SPACE_GM) {
        twin_native_word_write(core, op, at, size, &word);
        return;
    }
    twin_native_step(core, TWIN_PIPE_SCALAR, TWIN_STEP_WORK, 0,
                     core->run->call.core->scalar_access);
    memcpy(twin_native_target(core, TWK_UB, TWIN_PIPE_SCALAR, op, at, size, size), &word, size);
}

uint64_t twin_native_get_word(uint64_t gm)
{
    native_core *core = twin_native_operation(TWIN_PIPE_SCALAR, NATIVE_OP_GM_WORD);
    uint64_t value = 0;
    twin_native_word_read(core, NATIVE_OP_GM_WORD, TWK_UINT32, gm, sizeof(value), &value);
    return value;
}

void twin_native_put_word(uint64_t gm, uint64_t value)
{
    native_core *core = twin_native_operation(TWIN_PIPE_SCALAR, NATIVE_OP_GM_SET_WORD);
    twin_native_word_write(core, NATIVE_OP_GM_SET_WORD, gm, sizeof(value), &value);
}

/* ---- pointers -------------------------------------------------------------------------------- */

typedef struct pointed {
    uint32_t space, type, align;
    uint64_t address, bytes;
} pointed;

static native_core *begin_pointer(native_op op, const pointed *at)
{
    native_core *core = twin_native_operation(TWIN_PIPE_SCALAR, op);
    if (at->space == TWK_SPACE_GM) {
        check_aligned(core, op, at->address, at->align);
    } else if (at->space == TWK_SPACE_UB) {
        (void)twin_native_local(core, TWK_UB, at->address, at->bytes, at->align);
    } else {
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "the scalar unit cannot access %s; copy the bytes to UB or global "
                           "memory first",
                           at->space < TWK_SPACES
                               ? twin_native_buffer_name(at->space - TWK_SPACE_UB)
                               : "this address space");
    }
    return core;
}

/* Bytes of the next access: 1, 2, 4 or 8, of which the address is a multiple. */
static uint32_t piece_of(uint64_t address, uint64_t left)
{
    uint32_t bytes = 8;
    while (bytes > left || address % bytes != 0)
        bytes /= 2;
    return bytes;
}

/* The type of elements that an access of so many bytes sees. */
static uint32_t seen_type(uint32_t type, uint32_t bytes)
{
    if (native_size_of(type) == bytes)
        return type;
    return bytes == 1 ? TWK_UINT8 : bytes == 2 ? TWK_UINT16 : TWK_UINT32;
}

void twin_native_load(uint32_t space, uint32_t type, uint32_t align, uint64_t address,
                      uint64_t bytes, void *to)
{
    const native_op op = NATIVE_OP_POINTER_READ;
    const pointed at = {space, type, align, address, bytes};
    native_core *core = begin_pointer(op, &at);
    unsigned char *out = to;
    for (uint64_t done = 0; done < bytes;) {
        const uint32_t size = piece_of(address + done, bytes - done);
        if (space == TWK_SPACE_GM) {
            twin_native_word_read(core, op, seen_type(type, size), address + done, size,
                                  out + done);
        } else {
            twin_native_step(core, TWIN_PIPE_SCALAR, TWIN_STEP_WORK, 0,
                             core->run->call.core->scalar_access);
            memcpy(out + done,
                   twin_native_source(core, TWK_UB, TWIN_PIPE_SCALAR, op, address + done, size, 1),
                   size);
            twin_native_seen_local(core, TWK_UB, address + done, size);
        }
        done += size;
    }
}

void twin_native_store_bytes(uint32_t space, uint32_t type, uint32_t align, uint64_t address,
                             uint64_t bytes, const void *from)
{
    const native_op op = NATIVE_OP_POINTER_WRITE;
    const pointed at = {space, type, align, address, bytes};
    native_core *core = begin_pointer(op, &at);
    const unsigned char *in = from;
    for (uint64_t done = 0; done < bytes;) {
        const uint32_t size = piece_of(address + done, bytes - done);
        if (space == TWK_SPACE_GM) {
            twin_native_word_write(core, op, address + done, size, in + done);
        } else {
            twin_native_step(core, TWIN_PIPE_SCALAR, TWIN_STEP_WORK, 0,
                             core->run->call.core->scalar_access);
            memcpy(twin_native_target(core, TWK_UB, TWIN_PIPE_SCALAR, op, address + done, size, 1),
                   in + done, size);
        }
        done += size;
    }
}

/* ---- variables of a core --------------------------------------------------------------------- */

void *twin_native_core_variables(const void *initial, uint64_t bytes)
{
    native_core *core = native_self();
    if (__builtin_expect(core->variables_set, 1))
        return core->variables;
    if (core->variables_room < bytes) {
        free(core->variables);
        core->variables = malloc(bytes);
        core->variables_room = core->variables ? bytes : 0;
        if (!core->variables)
            twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
    }
    memcpy(core->variables, initial, bytes);
    core->variables_set = true;
    return core->variables;
}
