/* SPDX-License-Identifier: Apache-2.0 */
/* One use of each kind of memory and of each way to copy it, for the sweeps that let a call of the
 * device or a request for host memory fail. */
#ifndef TWINRT_TESTS_FAULT_MEMORY_SCENARIO_H
#define TWINRT_TESTS_FAULT_MEMORY_SCENARIO_H

#include <stdbool.h>

typedef struct memory_sweep {
    /* What a call returned; true: it worked. */
    bool (*went)(int code, const char *what);
    /* Something else is wrong. */
    void (*wrong)(const char *what);
    /* Objects are released from here on, after a failure. */
    void (*releases)(void);
} memory_sweep;

/* With device 0 set. Each group of calls ends with its first failure and releases what it has made;
 * a release that fails is made again, and must work then. */
void memory_scenario(const memory_sweep *sweep);
/* Likewise graph_scenario.c: captures, their model instances, and changes of these. */
void graph_scenario(const memory_sweep *sweep);

/* Physical memory is imported from another process, this program's with --export: started by the
 * first function, which leaves the handle in the environment, and ended by the second. */
void memory_exporter_start(const char *self);
void memory_exporter_stop(void);
/* That process. Returns its exit status. */
int memory_exporter(void);

#endif
