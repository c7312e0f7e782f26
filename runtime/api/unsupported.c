/* SPDX-License-Identifier: Apache-2.0 */
/* Defines every function that functions.def says is not built, and the names that are only linked
 * with. */
#include "api/entry.h"
#include "api/functions.h"

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "acl/acl_tdt.h"

/* A function that is not built notes the refusal and returns the code, or the empty value of its
 * type. It looks at none of its arguments, so it is defined without any, for the symbol of the
 * public name; a test compares what each one returns with the recorded prototypes. */
#define REFUSE(type, function, reason, answer)                                                     \
    type twin_refuse_##function(void) __asm__(#function);                                          \
    type twin_refuse_##function(void)                                                              \
    {                                                                                              \
        static const twin_call call = {#function, TWIN_COST_LOCAL};                                \
        const int32_t code = twin_api_unsupported(&call, reason);                                  \
        (void)code;                                                                                \
        return answer;                                                                             \
    }

/* Functions of the public headers that only the library for the IPV350 has; the vendor's library
 * for hosts does not. Programs link with their names here and ask for them at run time: dlsym finds
 * nothing and a weak reference is NULL, as on a host of the vendor's.
 * docs/decisions/0031-functions-by-part.md. Each name is at the beginning of a section that is not
 * loaded, so its value is 0 (docs/decisions/0001-library-names.md). */
#define DEFINE_LINK_ONLY(function, reason)                                                         \
    __asm__(".pushsection .names,\"\",%progbits\n"                                                 \
            ".globl " #function "\n.type " #function ", %function\n.size " #function               \
            ", 0\n" #function ":\n.popsection\n");

#define DEFINE_BUILT(function, reason)
#define DEFINE_CHECKED(function, reason)
#define DEFINE_NOT_BUILT(function, reason)      REFUSE(aclError, function, reason, code)
#define DEFINE_NOT_BUILT_NULL(function, reason) REFUSE(void *, function, reason, NULL)
#define DEFINE_NOT_BUILT_OP(function, reason)                                                      \
    REFUSE(aclprofSubscribeOpFlag, function, reason, ACL_SUBSCRIBE_NONE)
#define DEFINE_NOT_BUILT_TENSOR(function, reason)                                                  \
    REFUSE(acltdtTensorType, function, reason, ACL_TENSOR_DATA_UNDEFINED)
#define DEFINE_NOT_BUILT_TYPE(function, reason)                                                    \
    REFUSE(aclDataType, function, reason, ACL_DT_UNDEFINED)
#define DEFINE_NOT_BUILT_VOID(function, reason) REFUSE(void, function, reason, )
#define DEFINE_NOT_BUILT_WEAK(function, reason)                                                    \
    REFUSE(__attribute__((weak)) aclError, function, reason, code)
#define DEFINE_NOT_BUILT_ZERO(function, reason) REFUSE(uint64_t, function, reason, 0)

#define TWIN_API(area, function, parts, state, reason) DEFINE_##state(function, TWIN_WHY_##reason)
#include "api/functions.def"
