/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "core/base/phase.h"
#include "seam/own_file.h"

#define LOG_LINE_BYTES 2048

typedef void (*twin_log_sink)(twin_log_level level, const char *line);

static _Atomic int log_threshold = TWIN_LOG_WARNING;
static _Atomic(twin_log_sink) log_sink;
/* Standard error as it was when the library was loaded. Written by its constructor alone. */
static struct stat first_error;
static bool had_error;
/* Closed together with all others by a program that closes all descriptors. */
static twin_own_file sentinel = TWIN_OWN_FILE_NONE;

static const char *const level_prefixes[] = {
    "twinrt: debug: ", "twinrt: info: ", "twinrt: warning: ", "twinrt: error: "};

bool twin_log_wants(twin_log_level level)
{
    return (int)level >= atomic_load_explicit(&log_threshold, memory_order_relaxed) &&
           level < TWIN_LOG_SILENT;
}

__attribute__((constructor)) static void note_error(void)
{
    had_error = fstat(STDERR_FILENO, &first_error) == 0;
    if (had_error)
        (void)twin_own_file_take(&sentinel, memfd_create("twinrt", MFD_CLOEXEC));
}

/* Whether lines belong into descriptor 2. A program that was started without it, or has closed all
 * descriptors, may have opened a file of data that got the number: then only what cannot be such a
 * file is taken for standard error. */
static bool has_error(void)
{
    struct stat now;
    if (fstat(STDERR_FILENO, &now) != 0)
        return false;
    if (had_error && now.st_dev == first_error.st_dev && now.st_ino == first_error.st_ino)
        return true;
    if (!S_ISREG(now.st_mode) && !S_ISBLK(now.st_mode))
        return true;
    int flags = fcntl(STDERR_FILENO, F_GETFL);
    return (flags >= 0 && (flags & O_APPEND) != 0) || (had_error && twin_own_file_held(&sentinel));
}

void twin_log_line(twin_log_level level, const char *text)
{
    twin_log_sink sink = atomic_load_explicit(&log_sink, memory_order_relaxed);
    if (sink) {
        sink(level, text);
        return;
    }
    if (!has_error())
        return;
    /* One write, which other threads and processes do not cut: no lock, which a thread that a
     * signal has interrupted might hold. */
    struct iovec parts[] = {
        {.iov_base = (void *)level_prefixes[level], .iov_len = strlen(level_prefixes[level])},
        {.iov_base = (void *)text, .iov_len = strlen(text)},
        {.iov_base = (void *)"\n", .iov_len = 1}};
    twin_write_guard guard;
    twin_write_guard_begin(&guard);
    while (writev(STDERR_FILENO, parts, 3) < 0 && errno == EINTR)
        continue;
    twin_write_guard_end(&guard);
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
    /* At the end of the process nothing is wrong with an object that cannot be released any
     * more. */
    pid_t parent;
    if (!twin_log_wants(level) || (twin_backend_ended() && !twin_backend_forked(&parent)))
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

void twin_log_set_sink(void (*sink)(twin_log_level level, const char *line))
{
    atomic_store_explicit(&log_sink, sink, memory_order_relaxed);
}
