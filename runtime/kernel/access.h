/* SPDX-License-Identifier: Apache-2.0 */
/* What every operation does first: the scalar time up to here, checks of what it touches, its place
 * in the order. */
#ifndef TWINRT_KERNEL_ACCESS_H
#define TWINRT_KERNEL_ACCESS_H

#include "kernel/core.h"
#include "kernel/names.h"

/* A step of the core that runs; fails the kernel when there is no room. */
void twin_native_step(native_core *core, uint32_t pipe, twin_step_kind kind, uint32_t flag,
                      uint64_t amount);
/* Rows of global memory, as an operation moves them. */
typedef struct native_rows {
    uint64_t address; /* of the first byte, which was found there */
    uint64_t pitch;
    uint32_t rows, bytes;
    uint32_t bits; /* TWIN_STEP_ONCE, TWIN_STEP_ATOMIC */
} native_rows;
/* The core has read the rows: compared with what other blocks write. For the scalar unit alone, as
 * twin_native_global_step does it for other pipes. */
void twin_native_global_noted(native_core *core, uint32_t pipe, const native_rows *rows);
/* As a step READ or WRITE of global memory. It says where the rows are if the device wants to
 * know. */
void twin_native_global_step(native_core *core, uint32_t pipe, twin_step_kind kind,
                             const native_rows *rows);
/* The time of basic blocks since the last operation. */
void twin_native_scalar_time(native_core *core);

/* The core that calls, ready for an operation of `pipe`: the core has that pipe, else the kernel
 * fails. */
native_core *twin_native_operation(uint32_t pipe, native_op op);

/* `bytes` bytes of a buffer, which must be there, at a multiple of `unit`. */
unsigned char *twin_native_local(native_core *core, uint32_t buffer, uint64_t at, uint64_t bytes,
                                 uint32_t unit);
/* As local; and the pipe reads or writes them. */
const unsigned char *twin_native_source(native_core *core, uint32_t buffer, uint32_t pipe,
                                        native_op op, uint64_t at, uint64_t bytes, uint32_t unit);
unsigned char *twin_native_target(native_core *core, uint32_t buffer, uint32_t pipe, native_op op,
                                  uint64_t at, uint64_t bytes, uint32_t unit);

/* The element that is nearest to a number of the author's. One that is too large for its type is an
 * overflow. */
void twin_native_given(native_core *core, uint32_t type, void *at, double value);

/* Rows of global memory are there, for all of them, or the kernel fails. */
void twin_native_check_global(native_core *core, native_op op, uint64_t address, uint64_t pitch,
                              uint32_t rows, uint32_t bytes, bool write);
/* Reads as the block sees it; only in its place among reads and writes if nothing is computed. */
void twin_native_global_read(native_core *core, uint32_t pipe, native_op op, uint64_t address,
                             uint32_t bytes, unsigned char *out);
/* An element or word that the kernel itself sees: fails the kernel if it was not computed. */
void twin_native_seen_global(native_core *core, native_op op, uint32_t type, uint64_t address,
                             uint32_t size, void *out);
void twin_native_seen_local(native_core *core, uint32_t buffer, uint64_t at, uint64_t bytes);
#define NATIVE_COMPUTE_IT                                                                          \
    "the kernel depends on data that was only timed; compute it: TWINRT_KERNEL_DATA=on, or "       \
    "twinrt_set_kernel_data"
/* Where the data of a write go, row after row; if nothing is computed, nothing may go there. */
unsigned char *twin_native_global_write(native_core *core, uint32_t pipe, native_op op,
                                        const native_write *write);

/* A type that the part has: the kernel fails otherwise. Its size. */
uint32_t twin_native_check_type(native_core *core, uint32_t type);
void twin_native_bad_type(native_core *core, uint32_t type) __attribute__((noreturn));

static inline uint64_t native_divide_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit;
}
static inline uint64_t native_round_up(uint64_t value, uint64_t unit)
{
    return native_divide_up(value, unit) * unit;
}

/* Room on the host for operands of the cube, or for a row. */
void *twin_native_scratch(native_core *core);
uint64_t twin_native_scratch_bytes(const native_core *core);

/* A copy of the core's pipe for that way, which is ready for it. */
void twin_native_copy_rows(native_core *core, native_op op, const twk_copy *copy);

/* An element of global memory, through the data cache. */
void twin_native_word_read(native_core *core, native_op op, uint32_t type, uint64_t address,
                           uint32_t size, void *out);
/* A sum there, past the data cache. */
void twin_native_word_add(native_core *core, native_op op, uint32_t type, uint64_t address,
                          const void *value);
void twin_native_word_write(native_core *core, native_op op, uint64_t address, uint32_t size,
                            const void *value);

/* The operations, as the table has them. */
void twin_native_copy(const twk_copy *copy);
void twin_native_feed(const twk_feed *feed);
void twin_native_multiply(const twk_product *product);
void twin_native_result(const twk_result *result);
void twin_native_vector(const twk_vector *vector);
double twin_native_get(uint32_t space, uint32_t type, uint64_t at);
void twin_native_put(uint32_t space, uint32_t type, uint64_t at, double value);
uint64_t twin_native_get_word(uint64_t gm);
void twin_native_put_word(uint64_t gm, uint64_t value);
void twin_native_load(uint32_t space, uint32_t type, uint32_t align, uint64_t address,
                      uint64_t bytes, void *to);
void twin_native_store_bytes(uint32_t space, uint32_t type, uint32_t align, uint64_t address,
                             uint64_t bytes, const void *from);
uint64_t twin_native_instruct(const twk_instruction *instruction);
void *twin_native_core_variables(const void *initial, uint64_t bytes);

#endif
