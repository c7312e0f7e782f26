/* SPDX-License-Identifier: Apache-2.0 */
/* Defines every exported function that is not built: it notes the refusal and says so. The rows are
 * in unsupported.def; the headers included here make the compiler compare each with its prototype. */
#include "api/entry.h"

#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_platform.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_memory_soma.h"
#include "acl/acl_tdt.h"
#include "acl/acl_tdt_queue.h"
#include "api/rt_names.h"

#define ANSWER_CODE(name, reason)    return twin_api_unsupported(name, reason)
#define ANSWER_NOTHING(name, reason) (void)twin_api_unsupported(name, reason)
#define ANSWER_VALUE(name, reason, value)                                                          \
    do {                                                                                           \
        (void)twin_api_unsupported(name, reason);                                                  \
        return value;                                                                              \
    } while (0)
#define ANSWER_NO_OP(name, reason)      ANSWER_VALUE(name, reason, ACL_SUBSCRIBE_NONE)
#define ANSWER_NO_POINTER(name, reason) ANSWER_VALUE(name, reason, NULL)
#define ANSWER_NO_TENSOR(name, reason)  ANSWER_VALUE(name, reason, ACL_TENSOR_DATA_UNDEFINED)
#define ANSWER_NO_TYPE(name, reason)    ANSWER_VALUE(name, reason, ACL_DT_UNDEFINED)
#define ANSWER_ZERO(name, reason)       ANSWER_VALUE(name, reason, 0)

/* A function that refuses looks at none of its arguments, and old ones are defined all the same. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define TWIN_UNSUPPORTED(answer, type, name, parameters, reason)                                   \
    type name parameters                                                                           \
    {                                                                                              \
        ANSWER_##answer(#name, reason);                                                            \
    }
#include "api/unsupported.def"
