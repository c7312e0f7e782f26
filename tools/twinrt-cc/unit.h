/* SPDX-License-Identifier: Apache-2.0 */
/* A source in Ascend C, on its way through the compiler. */
#ifndef TWINRT_TOOLS_CC_UNIT_H
#define TWINRT_TOOLS_CC_UNIT_H

#include "ascend.h"
#include "ir_kernel.h"

/* A source goes through clang once for each. */
enum pass { PASS_CUBE, PASS_VECTOR, PASS_HOST, PASSES };

struct unit {
    const struct cc_build *build;
    const struct cc_ascend *ascend;
    const char *folder;
    const char *source;
    size_t number;
    FILE *dependencies; /* NULL: none are wanted */
    const char *more;   /* options after those of the user */
    struct ir_module modules[PASSES];
    struct ir_kernels kernels[PASSES];
};

/* Compiles the source: reads the module of a pass, and its kernels. Returns 0, or -1 with a
 * message. Ended by cc_free_unit. */
int cc_to_ir(struct unit *unit, enum pass pass);
void cc_free_unit(struct unit *unit);

#endif
