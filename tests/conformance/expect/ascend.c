/* SPDX-License-Identifier: Apache-2.0 */
/* The board, with a second copy of this runtime in the place of the vendor's: what the way through
 * the vendor's interface cannot carry. */
#include "expect.h"

#include <stddef.h>

#define NO_DEADLOCK                                                                                \
    "calls of host functions pass through a thread of the backend, so a wait for one that no "     \
    "thread takes lasts"
#define NO_HOST_TIME                                                                               \
    "calls that the runtime answers by itself reach no model that could charge them"
#define NO_RESET_VERDICT                                                                           \
    "a board does not report whether work can end by itself: a forced reset waits for it there"
#define REAL_WAIT    "the backend waits for calls of host functions, which takes real time"
#define REAL_THREADS "threads of the backend pass calls of host functions on, at times that vary"
#define REAL_LIMIT                                                                                 \
    "the limit is measured in real time, which a callback that waits in simulated time does not "  \
    "take"
#define WHOLE_US                                                                                   \
    "the vendor's interface gives the unit of limits of an open device, in whole microseconds"
#define NO_KERNEL                                                                                  \
    "the vendor's function and arguments of a failed kernel are not those of the core's launch"
#define NO_FAULTS    "faults are injected in the model, which is below the copy"
#define OWN_SETTINGS "kernels run in the copy, which has settings with other names"
#define OWN_OVERFLOWS                                                                              \
    "the core keeps the status of overflows, which no kernel of the copy sets; the vendor's "      \
    "functions for it are not called"
#define OWN_OBJECTS "below a list of labels is one more list of labels, which takes memory too"

#define OWN_OWNERS "the message of the copy names the places that call it, which are in the backend"
#define NO_CALLS_AGAIN                                                                             \
    "the vendor's interface takes functions of the host into no stream of a model instance that "  \
    "is built task by task, which is what the backend makes of a capture"

#define NO_UPDATES                                                                                 \
    "the vendor's interface changes tasks of its own captures only, so updates of task groups "    \
    "take place at their end and not in the order of a stream"

static const twin_exception unsupported[] = {
    {"attributes", "MEM-13", OWN_OWNERS},
    {"control", "ABT-14, DEV-58: the time given", REAL_LIMIT},
    {"capture", "GRF-38", NO_CALLS_AGAIN},
    {"condition", "GRF-38", NO_CALLS_AGAIN},
    {"condition", "GRF-68", "the backend needs no software queues, whatever the driver is"},
    {"facts", "CFG-16", WHOLE_US},
    {"facts", "CFG-17, CFG-19", WHOLE_US},
    {"native", "COD-06: cores that fail", NO_FAULTS},
    {"native", "COD-07: a kernel that reads", NO_FAULTS},
    {"native", "ERR-47, ERR-48: a kernel that was trapped", NO_KERNEL},
    {"native", "GRF-79", NO_UPDATES},
    {"native", "an update after the end", NO_UPDATES},
    {"native", "an update is in time while", NO_UPDATES},
    {"native", "an update that has not begun", NO_UPDATES},
    {"native", "two streams update a task group", NO_UPDATES},
    {"native", "updates of a task group, and of the whole", NO_UPDATES},
    {"native", "what a kernel forgets", OWN_SETTINGS},
    {"program", "LBL-06, LBL-09: a jump keeps", OWN_OBJECTS},
    {"report", "CBK-09", NO_DEADLOCK},
    {"report", "CBK-11, EXC-14", REAL_WAIT},
    {"report", "waiting for callbacks that no thread", NO_DEADLOCK},
    {"report", "one call of processing runs all", REAL_THREADS},
    {"report", "two runs with host functions", REAL_THREADS},
    {"report", "unprocessed callbacks are dropped", NO_DEADLOCK},
    {"time", "HOST-2: calls of the host", NO_HOST_TIME},
    {"time", "a forced reset drops work that waits", NO_RESET_VERDICT},
    {NULL, NULL, NULL},
};

static const twin_exception known_failing[] = {{"native", "OVF-06: a kernel's", OWN_OVERFLOWS},
                                               {NULL, NULL, NULL}};

TWIN_EXCEPTIONS(ascend);
