/* SPDX-License-Identifier: Apache-2.0 */
/* Which backend is below: chosen once per process, at the first call that needs one. */
#ifndef TWINRT_CORE_BACKEND_REGISTRY_H
#define TWINRT_CORE_BACKEND_REGISTRY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/backend/ops.h"
#include "core/base/phase.h"
#include "seam/backend.h"

/* Chooses, loads and starts the backend unless that is done, and attaches the calling thread to it.
 * 0, or the code of a failure, with a message; a failure is final for the process. Thread: any. */
int32_t twin_backend_need(void);
/* As in twin_services. */
typedef struct twin_conductor {
    void (*waiting)(void);
    bool (*nd)(twin_nd what, uint64_t which, uint64_t *value);
    bool (*outlook)(uint64_t *value);
    bool (*touched)(const twin_touch *touch);
} twin_conductor;
/* For a program that runs a record again in place of the core's objects: chooses, loads and starts
 * the backend as twin_backend_need() does, and attaches no thread. 0, or the code of a failure, and
 * `text` says why. Once per process, before any other call. Thread: any. */
int32_t twin_backend_conduct(const twin_conductor *conductor, char *text, size_t text_bytes);
/* Before a device is opened: from then on a forked child is refused, as the device is its
 * parent's. */
void twin_backend_opens(void);
/* As in twin_services; core/work/launch_native.c knows the handlers of the kernels. */
bool twin_handler_passes_on(void (*handler)(int number, siginfo_t *info, void *context));
/* Name of the running backend, "" when none runs. */
const char *twin_backend_name(void);

/* Loads the plug-in `name`, which stays for good, and returns its table, not started. NULL: `text`
 * says why. Thread: any. */
const struct twin_backend *twin_backend_load(const char *name, char *text, size_t text_bytes);
/* Folder of the plug-ins, beside the library that holds this code. "" when it cannot be found. */
const char *twin_plugin_folder(void);

/* Uses `backend` in place of a plug-in from the next start on; ends a running one first. For tests,
 * with no other thread inside a call. NULL: none. */
void twin_backend_use(const struct twin_backend *backend);
/* Copies a table and fills its empty slots. False: its size or version is not one this core
 * knows. */
bool twin_backend_complete(struct twin_backend *table, const struct twin_backend *given);

#endif
