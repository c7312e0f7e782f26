/* SPDX-License-Identifier: Apache-2.0 */
/* One log, to standard error: lines "twinrt: level: text", from the level of TWINRT_LOG upwards.
 * Takes no lock. A line is dropped when descriptor 2 may be a file that the program has opened
 * after standard error was closed. */
#ifndef TWINRT_CORE_BASE_LOG_H
#define TWINRT_CORE_BASE_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum twin_log_level {
    TWIN_LOG_DEBUG,
    TWIN_LOG_INFO,
    TWIN_LOG_WARNING,
    TWIN_LOG_ERROR,
    TWIN_LOG_SILENT /* as a threshold only */
} twin_log_level;

/* Of the core. Silent once the process ends. */
void twin_log(twin_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes a line whatever its level and the threshold are. */
void twin_log_line(twin_log_level level, const char *text);
/* The seam's form (twin_services.log). */
void twin_log_text(int level, const char *text);
/* Lines below `level` are dropped from now on. */
void twin_log_set_threshold(twin_log_level level);
/* Whether a line of `level` would appear; saves making it. */
bool twin_log_wants(twin_log_level level);

/* A line of a program and its place, with the zero after it. */
#define TWIN_APP_LOG_BYTES 1024u
/* app_log.c: writes a program's `thread func:file:line: "text"`, cut to fit, when
 * ASCEND_GLOBAL_LOG_LEVEL lets `level` through: 0 to 3 name the lowest level, 4 none; unset or
 * anything else is 3. TWINRT_LOG has no say. No text is NULL. Thread: any. */
void twin_app_log(twin_log_level level, const char *func, const char *file, uint32_t line,
                  const char *format, va_list args) __attribute__((format(printf, 5, 0)));

/* Gives lines to `sink` in place of standard error; NULL ends it. For tests. */
void twin_log_set_sink(void (*sink)(twin_log_level level, const char *line));

#endif
