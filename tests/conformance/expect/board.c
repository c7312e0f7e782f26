/* SPDX-License-Identifier: Apache-2.0 */
/* A board, in addition to ascend.c: tests that need the model's profile, its simulated time or its
 * deadlocks. Derived from the tests; not verified on a board. */
#include "expect.h"

#include <stddef.h>

#define PROFILE   "it compares with the profile of the model, which says nothing of a board"
#define SIMULATED "it needs simulated time"
#define FOREVER                                                                                    \
    "its wait never ends; only a simulator can detect that, on a board such a wait lasts"
#define PAGES_LOCKED                                                                               \
    "a driver may keep pages of registered memory that the program has unmapped, so the task "     \
    "need "                                                                                        \
    "not fail"
#define OLDER_DRIVER "whether the driver is an older one is a setting of the model"
#define DEVICES      "it needs as many devices as the model is set to"

static const twin_exception unsupported[] = {
    {"across", "EVT-70: a deadlock", FOREVER},
    {"across", "EVT-70: a shared event", PROFILE},
    {"across", "NTF-15", PROFILE},
    {"across", "RED-03", PROFILE},
    {"callback", "DEV-57", DEVICES},
    {"capture", "a graph needs two notifies", PROFILE},
    {"capture", "graphs take all", PROFILE},
    {"condition", "GRF-68", OLDER_DRIVER},
    {"config", "CFG-08", PROFILE},
    {"config", "CFG-09", PROFILE},
    {"config", "CFG-11", PROFILE},
    {"config", "CFG-12", PROFILE},
    {"config", "DEV-42", PROFILE},
    {"config", "the process counts", DEVICES},
    {"device", "DEV-07", "it breaks a profile"},
    {"device", "DEV-37", DEVICES},
    {"device", "DEV-44", PROFILE},
    {"event", "EVT-05", PROFILE},
    {"event", "EVT-34", PROFILE},
    {"facts", "DEV-40", SIMULATED},
    {"facts", "DEV-42", PROFILE},
    {"facts", "a device that is not", DEVICES},
    {"facts", "logical and", DEVICES},
    {"facts", "devices are linked", PROFILE},
    {"facts", "attributes and", PROFILE},
    {"facts", "SoCs", PROFILE},
    {"facts", "CFG-17, CFG-18", PROFILE},
    {"launch", "", "a board cannot run its kernels"},
    {"memory", "code of the host cannot touch",
     "what code of the host may touch is a setting of the model"},
    {"notify", "NTF-02", PROFILE},
    {"notify", "NTF-12: a batch reset clears", PROFILE},
    {"notify", "NTF-12: a batch reset takes any", PROFILE},
    {"registered", "MEM-64", PAGES_LOCKED},
    {"registered", "a wait that nothing ends", FOREVER},
    {"report", "EXC-07", DEVICES},
    {"sharing", "a deadlock that no other process", FOREVER},
    {"sharing", "a wait for a record of a process that was killed", FOREVER},
    {"sharing", "a wait whose other process has ended", FOREVER},
    {"sharing", "a wait whose other process was killed", FOREVER},
    {"stream", "STR-03", PROFILE},
    {"stream", "STR-04", PROFILE},
    {"value", "VAL-08", PROFILE},
    {"virtual", "VMM-04: the first reservation", "the model has places of its own"},
    {"virtual", "VMM-25", PROFILE},
    {"virtual", "VMM-36: handles for several", PROFILE},
    {NULL, NULL, NULL},
};

static const twin_exception known_failing[] = {{NULL, NULL, NULL}};

const twin_exceptions twin_exceptions_board = {"ascend", unsupported, known_failing};
