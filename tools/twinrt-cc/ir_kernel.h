/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of a module, and what twinrt-cc makes of it: on the device their code alone, with an
 * entry that reads the arguments; on the host a function that notes the arguments of a launch. */
#ifndef TWINRT_TOOLS_CC_IR_KERNEL_H
#define TWINRT_TOOLS_CC_IR_KERNEL_H

#include "ir.h"
#include "ir_debug.h"

/* The functions that instructions of these cores call. */
#define IR_CUBE   "twk_instruct_cube_"
#define IR_VECTOR "twk_instruct_vector_"

/* A part of a parameter: what one parameter of the IR's function has. */
struct ir_piece {
    struct ir_text parameter; /* as the function has it */
    uint64_t offset;          /* in the structure of arguments */
    uint64_t bytes;           /* of all that a pointer points to; 0: the value itself */
};

struct ir_kernel {
    struct ir_entity *function;
    struct ir_text name;         /* symbol */
    struct ir_text source_name;  /* for messages */
    bool vector_only, cube_only; /* as it is declared */
    unsigned cubes, vectors;     /* of __mix__; 0: not declared */
    bool uses_cube, uses_vector; /* calls instructions of these cores: IR_CUBE, IR_VECTOR */
    struct ir_signature signature;
    uint64_t offsets[IR_PARAMETERS_MOST];
    uint64_t args_bytes;
    struct ir_piece pieces[2 * IR_PARAMETERS_MOST];
    size_t piece_count;
};

struct ir_kernels {
    struct ir_kernel *list;
    size_t count;
};

/* Finds them in the order of the module. Returns 0, or -1 with a message. Ended by
 * ir_kernels_free. */
int ir_find_kernels(struct ir_module *module, struct ir_kernels *out_kernels);
void ir_kernels_free(struct ir_kernels *kernels);
/* NULL: none of this name. */
struct ir_kernel *ir_kernel_named(const struct ir_kernels *kernels, struct ir_text name);

/* Writes the module of a kind of core: of the kernels with `used[i]`, whose entries are
 * `<side>_run_<i>`. Returns 0, or -1 with a message. */
int ir_write_device(struct ir_module *module, const struct ir_kernels *kernels, const bool *used,
                    const char *side, FILE *out);

/* Writes the module of the host, whose kernels are launched from the object in the file `image`;
 * without an image, if there are no kernels. Returns 0, or -1 with a message. */
int ir_write_host(struct ir_module *module, const struct ir_kernels *kernels, const char *image,
                  FILE *out);

#endif
