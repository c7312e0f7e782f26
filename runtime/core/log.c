/* SPDX-License-Identifier: Apache-2.0 */
#include "core/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "core/lock.h"

#define LOG_LINE_BYTES 2048

typedef void (*twin_log_sink)(twin_log_level level, const char *line);

static _Atomic int log_threshold = TWIN_LOG_WARNING;
static _Atomic(twin_log_sink) log_sink;
static twin_lock log_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_LOG);

static const char *const level_names[] = {"debug", "info", "warning", "error"};

bool twin_log_wants(twin_log_level level)
{
    return (int)level >= atomic_load_explicit(&log_threshold, memory_order_relaxed) &&
           level < TWIN_LOG_SILENT;
}

void twin_log_line(twin_log_level level, const char *text)
{
    twin_lock_take(&log_lock);
    twin_log_sink sink = atomic_load_explicit(&log_sink, memory_order_relaxed);
    if (sink)
        sink(level, text);
    else
        fprintf(stderr, "twinrt: %s: %s\n", level_names[level], text);
    twin_lock_drop(&log_lock);
}

void twin_log_text(int level, const char *text)
{
    if (level < TWIN_LOG_DEBUG)
        level = TWIN_LOG_DEBUG;
    if (level > TWIN_LOG_ERROR)
        level = TWIN_LOG_ERROR;
    if (twin_log_wants((twin_log_level)level))
        twin_log_line((twin_log_level)level, text);
}

void twin_log(twin_log_level level, const char *format, ...)
{
    if (!twin_log_wants(level))
        return;
    char line[LOG_LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    twin_log_text((int)level, line);
}

void twin_log_set_threshold(twin_log_level level)
{
    atomic_store_explicit(&log_threshold, (int)level, memory_order_relaxed);
}

void twin_log_forked(void)
{
    twin_lock_init(&log_lock, TWIN_RANK_LOG);
}

void twin_log_set_sink(void (*sink)(twin_log_level level, const char *line))
{
    atomic_store_explicit(&log_sink, sink, memory_order_relaxed);
}
