/* SPDX-License-Identifier: Apache-2.0 */
/* Files that the runtime and its backends write inside a program that they do not know: it may
 * close all descriptors and open its own files under the same numbers, limit the size of files,
 * and cancel threads. */
#ifndef TWINRT_SEAM_OWN_FILE_H
#define TWINRT_SEAM_OWN_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- around writes --------------------------------------------------------------------------- */

typedef struct twin_write_guard {
    sigset_t mask;
    bool pending; /* a SIGXFSZ of the program's own */
    int cancel;
} twin_write_guard;

/* Until the end a write beyond the size limit of files fails with EFBIG in place of ending the
 * process, and the thread is not cancelled. Keeps errno. */
static inline void twin_write_guard_begin(twin_write_guard *guard)
{
    int error = errno;
    sigset_t size;
    sigset_t pending;
    sigemptyset(&size);
    sigaddset(&size, SIGXFSZ);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel);
    guard->pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &size, &guard->mask);
    errno = error;
}

static inline void twin_write_guard_end(const twin_write_guard *guard)
{
    int error = errno;
    const struct timespec now = {0};
    sigset_t size;
    sigemptyset(&size);
    sigaddset(&size, SIGXFSZ);
    while (!guard->pending && sigtimedwait(&size, NULL, &now) == -1 && errno == EINTR)
        continue;
    pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
    pthread_setcancelstate(guard->cancel, NULL);
    errno = error;
}

/* ---- a descriptor that stays open ------------------------------------------------------------ */

/* The least number of a descriptor of ours, where the program's limit allows it: programs count
 * from 0. */
#define TWIN_OWN_FILE_LEAST 500

typedef struct twin_own_file {
    int descriptor; /* -1: none */
    dev_t device;
    ino_t number;
} twin_own_file;

#define TWIN_OWN_FILE_NONE                                                                         \
    {                                                                                              \
        .descriptor = -1                                                                           \
    }

/* Takes over `descriptor` and moves it to a high number if it can. False: it is not an open
 * file; nothing was taken. */
static inline bool twin_own_file_take(twin_own_file *file, int descriptor)
{
    struct stat about;
    if (descriptor < 0 || fstat(descriptor, &about) != 0)
        return false;
    int high = fcntl(descriptor, F_DUPFD_CLOEXEC, TWIN_OWN_FILE_LEAST);
    if (high >= 0)
        (void)close(descriptor);
    *file = (twin_own_file){high >= 0 ? high : descriptor, about.st_dev, about.st_ino};
    return true;
}

/* Whether the number still is that file: to be asked before each use. */
static inline bool twin_own_file_held(const twin_own_file *file)
{
    struct stat about;
    return file->descriptor >= 0 && fstat(file->descriptor, &about) == 0 &&
           about.st_dev == file->device && about.st_ino == file->number;
}

/* Closes it unless the number has become another file. */
static inline void twin_own_file_close(twin_own_file *file)
{
    if (twin_own_file_held(file))
        (void)close(file->descriptor);
    file->descriptor = -1;
}

#endif
