/* SPDX-License-Identifier: Apache-2.0 */
/* What debug information says: where an instruction is in the sources, and what the parameters of a
 * function are. */
#ifndef TWINRT_TOOLS_CC_IR_DEBUG_H
#define TWINRT_TOOLS_CC_IR_DEBUG_H

#include "ir.h"

#define IR_PARAMETERS_MOST 64u

/* A parameter as the source has it. */
struct ir_parameter {
    uint64_t bytes;
    uint64_t align;
    bool structure;
    bool empty;     /* a structure without members */
    bool reference; /* the compiler passes its address */
};

struct ir_signature {
    struct ir_parameter parameters[IR_PARAMETERS_MOST];
    size_t count;
};

/* The parameters of a function that is defined with debug information. Returns 0, or -1 with a
 * message. */
int ir_signature_of(const struct ir_module *module, const struct ir_entity *function,
                    struct ir_signature *out_signature);

/* "file:line: " of the instruction: the innermost place in the source that was compiled; if it has
 * none there, outside of what was inlined. `room` bytes at `out`; "" if it is not known. */
void ir_location(const struct ir_module *module, struct ir_text instruction, char *out,
                 size_t room);

/* The name of the function as its author wrote it, from `define`; its name if that is not known. */
struct ir_text ir_source_name(const struct ir_module *module, const struct ir_entity *function);

/* That of a variable. */
struct ir_text ir_variable_name(const struct ir_module *module, const struct ir_entity *variable);

#endif
