/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses through pointers into the spaces of the device become calls of the runtime, and
 * variables of a core are found on its core. */
#ifndef TWINRT_TOOLS_CC_IR_POINTER_H
#define TWINRT_TOOLS_CC_IR_POINTER_H

#include "ir.h"

/* Address spaces of runtime/ascendc/include/twinrt_ascendc.h. */
#define IR_SPACE_GM    4u
#define IR_SPACE_FIRST 100u /* and the number of a TWK_SPACE_… */
#define IR_SPACE_LAST  107u

#define IR_LOCAL_SECTION "twk_block_local"

/* Variables of which each core has its own: those in the section, in the module's order. */
struct ir_locals {
    const struct ir_entity **list;
    size_t count;
};

void ir_find_locals(const struct ir_module *module, struct ir_locals *out_locals);
void ir_locals_free(struct ir_locals *locals);
bool ir_is_local(const struct ir_locals *locals, struct ir_text name);
/* Writes the type of all variables of a core, and what they begin with. */
void ir_write_locals(const struct ir_locals *locals, FILE *out);

/* Writes the lines of a function after the first, with calls for accesses. Returns 0, or -1 with a
 * message that names the place. */
int ir_write_body(const struct ir_module *module, const struct ir_locals *locals,
                  const struct ir_entity *function, FILE *out);
/* Writes the declarations of what the bodies call. */
void ir_write_pointer_calls(FILE *out);

#endif
