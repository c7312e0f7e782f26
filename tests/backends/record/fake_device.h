/* SPDX-License-Identifier: Apache-2.0 */
/* A table of ops that do nothing but answer, for tests of the layers between the core and a
 * backend. Answers are distinct numbers; every op that can fail returns fake_status. */
#ifndef TWINRT_TESTS_FAKE_DEVICE_H
#define TWINRT_TESTS_FAKE_DEVICE_H

#include "seam/backend.h"

extern const struct twin_backend fake_backend;
extern twin_status fake_status;
/* Calls of any op so far. */
extern _Atomic unsigned fake_calls;
/* Whether diag.tasks answers; tasks are then numbered, two for each copy of rows, else one for each
 * op. */
extern bool fake_reports_tasks;
/* Notifies the observer of a queue that a task of it has ended. */
void fake_task_ends(const twin_task_end *task);
/* A task uses memory. */
bool fake_touch(const twin_touch *touch);
/* The newest signal record's time is there. */
extern _Atomic bool fake_stamped;

/* What every op that can fail answers. */
twin_status fake_answer(void);
/* fake_managed.c */
twin_status fake_map_peer(uint64_t address, uint64_t bytes, uint32_t device);
twin_status fake_managed_alloc(twin_hw_device *device, uint64_t bytes, uint64_t *out_address);
twin_status fake_managed_advise(uint64_t address, uint64_t bytes, twin_advice advice,
                                twin_place place);
twin_status fake_managed_query(uint64_t address, uint64_t bytes, twin_managed_fact fact,
                               twin_place *out, size_t room);
twin_status fake_managed_move(twin_hw_device *device, uint64_t address, uint64_t bytes,
                              twin_place place);

/* Memory as kernels reach it: all of it is there, some of it may fail. */
extern const twin_reach fake_reach;

/* Settings for services->setting, "" for those not set. */
void fake_set(const char *name, const char *value);
extern const twin_services fake_services;
/* What was logged since the last fake_forget(). */
bool fake_logged(const char *part);
void fake_forget(void);
/* The newest text of services->because. */
extern char fake_because[512];

#endif
