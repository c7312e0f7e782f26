/* SPDX-License-Identifier: Apache-2.0 */
/* The null backend: a board without devices, and the skeleton to copy for a new backend.
 *
 * The core answers for each operation that the table leaves out: TWIN_E_UNSUPPORTED, or nothing for
 * operations that return nothing. Fill in what the device can do, group by group, and leave the
 * rest out; never write an operation that returns TWIN_OK without doing its work.
 * runtime/seam/backend.h has the contract of each: its thread, whether it may block, its errors.
 * What to write first: runtime/docs/how-to/add-a-backend.md. */
#include "seam/backend.h"

/* From process.start to process.stop: how the backend reads settings, logs and explains errors. */
static const twin_services *services;

/* Read settings and find the device's library here, and open no device: a program may only ask for
 * names. Where the machine has no such device: services->because(the cause), and return
 * TWIN_E_UNAVAILABLE. */
static twin_status process_start(const twin_services *given)
{
    services = given;
    services->log(0, TWIN_BACKEND_NAME " backend: no devices");
    return TWIN_OK;
}

/* Release all of process_start. Both may alternate any number of times in one process. */
static void process_stop(void)
{
    services = NULL;
}

static twin_status process_count(uint32_t *out_count)
{
    *out_count = 0;
    return TWIN_OK;
}

/* With count 0 every index is invalid. The properties of a real device are static data, or made in
 * process_start: the core keeps the pointer. */
static twin_status process_describe(uint32_t index, const twin_device_properties **out_properties)
{
    (void)index;
    (void)out_properties;
    return TWIN_E_DEVICE_ID;
}

/* Next come .device, .memory, .queue, .work and .signal. Only a model of a device has a use for
 * .host. */
static const struct twin_backend backend = {
    .size = sizeof(struct twin_backend),
    .version = TWIN_SEAM_VERSION,
    .name = TWIN_BACKEND_NAME, /* that of the folder */
    .process = {.start = process_start,
                .stop = process_stop,
                .count = process_count,
                .describe = process_describe},
};

/* The only symbol that a backend exports. */
__attribute__((visibility("default"))) const struct twin_backend *twin_backend_entry(void);

const struct twin_backend *twin_backend_entry(void)
{
    return &backend;
}
