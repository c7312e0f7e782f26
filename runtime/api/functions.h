/* SPDX-License-Identifier: Apache-2.0 */
/* What a row of functions.def says: TWIN_API(area, function, parts, state, reason). */
#ifndef TWINRT_API_FUNCTIONS_H
#define TWINRT_API_FUNCTIONS_H

#include <stdint.h>

#include "core/base/soc.h"

/* State. A function that is not built refuses (207000) and returns the code, or the empty value of
 * its type. */
typedef enum twin_api_state {
    TWIN_API_BUILT,
    TWIN_API_CHECKED,   /* checks its arguments and then refuses */
    TWIN_API_LINK_ONLY, /* a name to link with: dlsym finds nothing, a weak reference is NULL */
    TWIN_API_NOT_BUILT, /* returns the code */
    TWIN_API_NOT_BUILT_NULL,   /* returns NULL */
    TWIN_API_NOT_BUILT_OP,     /* ACL_SUBSCRIBE_NONE */
    TWIN_API_NOT_BUILT_TENSOR, /* ACL_TENSOR_DATA_UNDEFINED */
    TWIN_API_NOT_BUILT_TYPE,   /* ACL_DT_UNDEFINED */
    TWIN_API_NOT_BUILT_VOID,   /* nothing */
    TWIN_API_NOT_BUILT_WEAK,   /* the code; the header declares the function weak */
    TWIN_API_NOT_BUILT_ZERO    /* 64 bits of 0 */
} twin_api_state;

/* Parts that offer a function: sets of TWIN_PART_..., each named by what is in it. */
enum {
    TWIN_OFFERED_NONE = 0,
    TWIN_OFFERED_A2 = TWIN_PART_A2,
    TWIN_OFFERED_A3 = TWIN_PART_A3,
    TWIN_OFFERED_310B = TWIN_PART_310B,
    TWIN_OFFERED_310P = TWIN_PART_310P,
    TWIN_OFFERED_910 = TWIN_PART_910,
    TWIN_OFFERED_950 = TWIN_PART_950,
    TWIN_OFFERED_IPV350 = TWIN_PART_IPV350,
    TWIN_OFFERED_A2_A3 = TWIN_PART_A2 | TWIN_PART_A3,
    TWIN_OFFERED_A3_950 = TWIN_PART_A3 | TWIN_PART_950,
    TWIN_OFFERED_A2_A3_950 = TWIN_OFFERED_A2_A3 | TWIN_PART_950,
    TWIN_OFFERED_A2_A3_950PR = TWIN_OFFERED_A2_A3 | TWIN_PART_950PR,
    TWIN_OFFERED_310B_A2_A3_950 = TWIN_PART_310B | TWIN_OFFERED_A2_A3_950,
    TWIN_OFFERED_310P_A2_A3_950 = TWIN_PART_310P | TWIN_OFFERED_A2_A3_950,
    TWIN_OFFERED_910_A2_A3_950 = TWIN_PART_910 | TWIN_OFFERED_A2_A3_950,
    TWIN_OFFERED_910_310B_A2_A3_950 = TWIN_PART_910 | TWIN_OFFERED_310B_A2_A3_950,
    TWIN_OFFERED_910_310P_A2_A3_950 = TWIN_PART_910 | TWIN_OFFERED_310P_A2_A3_950,
    TWIN_OFFERED_910_310P_A2_A3_950PR = TWIN_PART_910 | TWIN_PART_310P | TWIN_OFFERED_A2_A3_950PR,
    TWIN_OFFERED_910_310P_310B_A2_950 =
        TWIN_PART_910 | TWIN_PART_310P | TWIN_PART_310B | TWIN_PART_A2 | TWIN_PART_950,
    TWIN_OFFERED_910_310P_310B_A2_A3 =
        TWIN_PART_910 | TWIN_PART_310P | TWIN_PART_310B | TWIN_OFFERED_A2_A3,
    TWIN_OFFERED_ALL = TWIN_OFFERED_910_310P_310B_A2_A3 | TWIN_PART_950 | TWIN_PART_IPV350
};

/* Reason, for people: the message of the refusal has it, and `twinrt api` prints it. */
#define TWIN_WHY_NONE           ""
#define TWIN_WHY_ANNOTATION     "task annotations for profiling are not built"
#define TWIN_WHY_DUMP           "dumping operator data is not built"
#define TWIN_WHY_GROUP          "groups of cores are not built"
#define TWIN_WHY_MESSAGE_BUFFER "message buffers are not built"
#define TWIN_WHY_MESSAGE_QUEUE  "message queues are not built"
#define TWIN_WHY_PLATFORM       "the table of SoCs for programs is not built"
#define TWIN_WHY_PROFILING      "profiling sessions are not built; TWINRT_TRACE writes a timeline"
#define TWIN_WHY_QUEUE_ROUTE    "routes between message queues are not built"
#define TWIN_WHY_SERVERS        "sharing between servers is not built"
#define TWIN_WHY_SIMT           "the modelled cores run no SIMT threads"
#define TWIN_WHY_TASK_UPDATE    "the model has no CPU that changes tasks by device memory"
#define TWIN_WHY_TENSOR_CHANNEL "tensor channels are not built"
#define TWIN_WHY_UNCACHED       "the model has no memory that operators use past the L2 cache"

/* A row as data. TWIN_API is this macro where a table of rows is needed. */
typedef struct twin_api_function {
    const char *area;
    const char *name;
    uint32_t parts; /* that offer it */
    twin_api_state state;
    const char *reason; /* why it refuses, "" where it does not */
} twin_api_function;

#define TWIN_API_ROW(area, name, parts, state, reason)                                             \
    {area, #name, TWIN_OFFERED_##parts, TWIN_API_##state, TWIN_WHY_##reason},

/* Whether unsupported.c defines the function: it looks at none of its arguments. */
static inline bool twin_api_not_built(twin_api_state state)
{
    return state >= TWIN_API_NOT_BUILT;
}

#endif
