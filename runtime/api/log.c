/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/log.h"

#include "acl/acl_base.h"
#include "api/entry.h"

_Static_assert((int)TWIN_LOG_DEBUG == ACL_DEBUG && (int)TWIN_LOG_INFO == ACL_INFO &&
                   (int)TWIN_LOG_WARNING == ACL_WARNING && (int)TWIN_LOG_ERROR == ACL_ERROR,
               "the core has the public numbers");

/* Below debug is debug, above error is error. */
static twin_log_level level_of(aclLogLevel level)
{
    if ((int)level < ACL_DEBUG)
        return TWIN_LOG_DEBUG;
    return (int)level > ACL_ERROR ? TWIN_LOG_ERROR : (twin_log_level)level;
}

/* Said once more for the check of formats. NOLINTNEXTLINE(readability-redundant-declaration) */
void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line,
               const char *fmt, ...) __attribute__((format(printf, 5, 6)));

void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line,
               const char *fmt, ...)
{
    TWIN_ENTER_HOST(LOCAL);
    if (func && file && fmt) {
        va_list args;
        va_start(args, fmt);
        twin_app_log(level_of(logLevel), func, file, line, fmt, args);
        va_end(args);
    }
    (void)TWIN_LEAVE(ACL_SUCCESS);
}
