/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "ops.h"

#define ANSWER_OP(group, op, NAME, parameters, arguments, given, answered)                         \
    twin_status record_##group##_##op parameters                                                   \
    {                                                                                              \
        struct record_call call;                                                                   \
        struct twin_record_##NAME *f = RECORD_BEGIN(&call, NAME, 0);                               \
        given;                                                                                     \
        record_called(&call);                                                                      \
        twin_status status = record_below.group.op arguments;                                      \
        if (status == TWIN_OK)                                                                     \
            answered;                                                                              \
        record_returned(&call, status);                                                            \
        return status;                                                                             \
    }
#define PLAIN_OP(group, op, NAME, parameters, arguments, ...)                                      \
    ANSWER_OP(group, op, NAME, parameters, arguments, (__VA_ARGS__), (void)0)
#define WORK_OP(op, NAME, parameters, arguments, ...)                                              \
    twin_status record_work_##op parameters                                                        \
    {                                                                                              \
        RECORD_WORK_BEGIN(NAME);                                                                   \
        (__VA_ARGS__);                                                                             \
        record_called(&call);                                                                      \
        return record_work_ended(queue, &call, f, before, record_below.work.op arguments);         \
    }
#include "plain.def"
