/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that programs write to the log. */
#ifndef TWINRT_CORE_BASE_APP_LOG_H
#define TWINRT_CORE_BASE_APP_LOG_H

#include <stdarg.h>
#include <stdint.h>

#include "core/base/log.h"

/* A line and its place, with the zero after it. */
#define TWIN_APP_LOG_BYTES 1024u

/* Writes `thread func:file:line: "text"`, cut to fit, when ASCEND_GLOBAL_LOG_LEVEL lets `level`
 * through: 0 to 3 name the lowest level, 4 none; unset or anything else is 3. TWINRT_LOG has no
 * say. No text is NULL. Thread: any. */
void twin_app_log(twin_log_level level, const char *func, const char *file, uint32_t line,
                  const char *format, va_list args) __attribute__((format(printf, 5, 0)));

#endif
