/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/ops.h"

#include <assert.h>
#include <stddef.h>
#include <unistd.h>

/* The device has its own clocks. */
static twin_host_moment *real_time(void)
{
    static _Thread_local twin_host_moment moment;
    if (moment.system_id == 0)
        moment.system_id = (uint32_t)gettid(); /* order between threads is the same there */
    return &moment;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define OP(group, op, type, lacking, parameters, arguments)                                        \
    static type group##_##op parameters                                                            \
    {                                                                                              \
        return lacking;                                                                            \
    }
#include "seam/ops.def"

/* A row that has other types than backend.h ends the build. */
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
const struct twin_backend twin_unsupported_ops = {
    .size = sizeof(struct twin_backend),
    .version = TWIN_SEAM_VERSION,
    .name = "",
#define OP(group, op, type, lacking, parameters, arguments) .group.op = group##_##op,
#include "seam/ops.def"
};
#pragma GCC diagnostic pop

enum slot {
#define OP(group, op, type, lacking, parameters, arguments) SLOT_##group##_##op,
#include "seam/ops.def"
    SLOTS
};
static_assert(sizeof(struct twin_backend) ==
                  offsetof(struct twin_backend, process) + SLOTS * sizeof(void (*)(void)),
              "seam/ops.def lists every operation of seam/backend.h");

void twin_fill_unsupported_ops(struct twin_backend *table)
{
#define OP(group, op, type, lacking, parameters, arguments)                                        \
    if (!table->group.op)                                                                          \
        table->group.op = group##_##op;
#include "seam/ops.def"
}
