/* SPDX-License-Identifier: Apache-2.0 */
/* The null backend: a board without devices, and the skeleton to copy for a new backend.
 *
 * An op that is left out of the table is answered by the core: TWIN_E_UNSUPPORTED, or nothing for ops
 * that return nothing. So fill in what the device can do, group by group, and leave the rest out; never write an
 * op that says TWIN_OK and does nothing. The contract of each op stands in runtime/seam/backend.h. */
#include "seam/backend.h"

/* What process.start was given; a backend logs through it. */
static const twin_services *services;

/* Read settings and find the device's library here. Open nothing yet: a program may only ask for names.
 * Log the cause and answer TWIN_E_UNAVAILABLE when this machine has no such device. */
static twin_status process_start(const twin_services *given)
{
    services = given;
    services->log(0, "null backend: no devices");
    return TWIN_OK;
}

/* Start and stop may alternate any number of times in one process. */
static void process_stop(void)
{
    services = NULL;
}

static twin_status process_count(uint32_t *out_count)
{
    *out_count = 0;
    return TWIN_OK;
}

/* With count 0 no index is good. The traits of a real device are static data or made in start. */
static twin_status process_describe(uint32_t index, const twin_device_traits **out_traits)
{
    (void)index;
    (void)out_traits;
    return TWIN_E_DEVICE_ID;
}

/* Groups that are missing: host (only a model has use for it), device, memory, queue, work, signal, diag. */
static const struct twin_backend backend = {
    .size = sizeof(struct twin_backend),
    .version = TWIN_SEAM_VERSION,
    .name = "null",
    .process = {.start = process_start,
                .stop = process_stop,
                .count = process_count,
                .describe = process_describe},
};

__attribute__((visibility("default"))) const struct twin_backend *twin_backend_entry(void);

const struct twin_backend *twin_backend_entry(void)
{
    return &backend;
}
