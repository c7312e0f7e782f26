/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of arguments that a program puts together one by one, for one launch or many.
 *
 * A list lives in memory of the program, or is the one list that each thread has. Its values are in
 * sequence, of AI-core kernels at multiples of 8 bytes; a placeholder takes 8 bytes, and its data
 * is after all parameters. A kernel of device code whose cores wait for each other, and whose image
 * has no variable for that, gets the address where they meet in front of its parameters. A list
 * belongs to one thread at a time. */
#ifndef TWINRT_CORE_WORK_KERNEL_ARGS_H
#define TWINRT_CORE_WORK_KERNEL_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/image/binary.h"

#define TWIN_ARGS_MOST        128u        /* parameters of a list */
#define TWIN_ARGS_SYSTEM_ROOM (64u << 10) /* bytes of a thread's own list */

/* Where one parameter is, or its placeholder. */
typedef struct twin_arg {
    uint32_t offset;
    uint32_t bytes;
    bool placeholder;
    bool has_data; /* of a placeholder: its data has a place */
    uint32_t data_offset;
} twin_arg;

typedef struct twin_kernel_args {
    uint64_t mark;                       /* distinguishes a list from other memory */
    const struct twin_kernel_args *self; /* and from a copy of one */
    uint64_t function;                   /* handle */
    bool cpu;                            /* of a CPU kernel: nothing is aligned */
    bool hidden; /* before all parameters is the address where cores wait for each other */
    bool finalized;
    uint32_t count;
    uint32_t placeholders;
    unsigned char *values;
    size_t room;
    size_t used;
    twin_arg args[TWIN_ARGS_MOST];
} twin_kernel_args;

/* The thread's list, empty, for a function. 107017, 207001. */
int32_t twin_args_begin(uint64_t function, twin_kernel_args **out_args);
/* A list at `memory`, of sizeof(twin_kernel_args) bytes, whose values are at `values`. 107017,
 * 107000: no room. */
int32_t twin_args_begin_at(uint64_t function, void *memory, void *values, size_t room);
/* Bytes that values of `user_bytes` need. 107017. */
int32_t twin_args_room(uint64_t function, size_t user_bytes, size_t *out_bytes);
/* A list that was begun at that address. 107017: none was. */
int32_t twin_args_find(void *memory, twin_kernel_args **out_args);

/* All: 107017 for a parameter that is not of the list, 107000 for what does not fit. Append and
 * placeholder: 207000 once the list is finalized. */
int32_t twin_args_append(twin_kernel_args *args, const void *value, size_t bytes,
                         twin_arg **out_arg);
int32_t twin_args_placeholder(twin_kernel_args *args, twin_arg **out_arg);
/* Memory for the data of a placeholder. 207000: finalized. */
int32_t twin_args_data(twin_kernel_args *args, const void *arg, size_t bytes, void **out_data);
/* A new value of the same size; the list is to be finalized again. */
int32_t twin_args_update(twin_kernel_args *args, const void *arg, const void *value, size_t bytes);
/* 107000: a placeholder has no memory; 107002: the hidden address is the current device's. Blocks
 * when that is made. */
int32_t twin_args_finalize(twin_kernel_args *args);

/* Whether the image describes the kernel's parameters, as aclrtLaunchKernelWithArgsArray and
 * questions about them require. 107000, 207000. */
int32_t twin_kernel_check_params(const twin_kernel *kernel);
/* Whether `values` has a pointer for each parameter of the kernel. 107000, 207000. */
int32_t twin_args_check(const twin_kernel *kernel, void *const *values);
/* Copies each parameter from values[i] to its place in a block of kernel->param_bytes; the metadata
 * was checked when the kernel was loaded. What is between parameters becomes 0. */
void twin_args_gather(const twin_kernel *kernel, void *const *values, unsigned char *out);

#endif
