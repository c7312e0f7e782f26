/* SPDX-License-Identifier: Apache-2.0 */
/* A backend plug-in as the runtime core would load it, for tests that speak to the seam. */
#ifndef TWINRT_TESTS_BACKENDS_SEAM_H
#define TWINRT_TESTS_BACKENDS_SEAM_H

#include <stdatomic.h>
#include <stdio.h>

#include "seam/backend.h"
#include "support/cunit_main.h"

/* Loads the plug-in of a backend, once. Ends the program when it cannot be loaded. */
const struct twin_backend *seam_load(const char *backend);
/* Where the plug-ins are. */
const char *seam_plugin_folder(void);
/* The same, later. */
extern const struct twin_backend *seam;

/* What the next process.start offers the plug-in. */
extern twin_services seam_services;

/* A setting for process.start from now on; NULL: the default again. */
void seam_set(const char *name, const char *value);
/* Writes the profile 910b3 with one other value to a new file, whose name `path` becomes as with
 * mkstemp(); the next call changes that file. `name` is that of a number within its group. */
bool seam_make_profile(char *path, const char *name, unsigned value);
/* All that was logged, and explained on any thread, since the last seam_forget(). */
bool seam_logged(const char *part);
unsigned seam_logged_times(const char *part);
/* The public code of the last TWIN_E_VENDOR. */
int32_t seam_vendor_code(void);
bool seam_explained(const char *part);
void seam_forget(void);

/* What a wait of the calling thread asks whether it is to end; NULL: it does not ask. */
extern _Thread_local bool (*seam_interrupted)(void);
/* Threads that services.blocked reports: for those that a test makes and that wait for another
 * thread. */
extern atomic_uint seam_blocked;

/* process.start with the settings as they are. */
twin_status seam_start(void);
/* process.start, host.attach and device 0; and back. */
twin_hw_device *seam_up(void);
void seam_down(twin_hw_device *device);

/* Charges a public call of that class to the calling thread. */
void seam_call(twin_cost cost);
twin_queue *seam_queue(twin_hw_device *device, uint32_t id);
twin_signal *seam_signal(twin_hw_device *device, twin_signal_kind kind, uint32_t name);
/* Frees what seam_queue and seam_signal made: a queue is aborted first when it has work in
 * flight. */
void seam_drop_queue(twin_queue *queue);

/* As a thread of the runtime serves a context: takes host calls of the host-call queue and answers
 * them until it is closed. Start routine of a thread. */
void *seam_serve(void *call_queue);

/* Asserts on a status by name. */
const char *seam_status_name(twin_status status);
#define SEAM_STATUS(expression, wanted)                                                            \
    do {                                                                                           \
        twin_status seam_got = (expression);                                                       \
        if (seam_got != (wanted))                                                                  \
            fprintf(stderr, "%s:%d: %s is %s, wanted %s\n", __FILE__, __LINE__, #expression,       \
                    seam_status_name(seam_got), seam_status_name(wanted));                         \
        CU_ASSERT(seam_got == (wanted));                                                           \
    } while (0)
#define SEAM_OK(expression) SEAM_STATUS(expression, TWIN_OK)

/* Wall time in ns, for limits on how long something may take. */
uint64_t seam_wall(void);

#define SEAM_MS 1000000ull
#define SEAM_S  1000000000ull
/* Too long to pass for real: a test that waited so would be ended. */
#define SEAM_HOUR (3600 * SEAM_S)

/* Leaves the process `room` bytes of address space beyond what it has now. False: it cannot. */
bool seam_limit_address_space(uint64_t room);

#endif
