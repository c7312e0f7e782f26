/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fallocate */
#include "space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "seam/record_file.h"

#define EXTENT_LEAST ((uint64_t)1 << 20)
#define EXTENT_MOST  ((uint64_t)64 << 20)
#define TEXT_BYTES   (PATH_MAX + 256)

struct record_space record_space = {.own = TWIN_OWN_FILE_NONE};

__attribute__((format(printf, 2, 3))) void record_say(int level, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    record_space.services->log(level, text);
}

/* A program that closes all descriptors closes this one too, and may use its number for another
 * file: the recording is opened again where it was made, if it still is there. */
bool record_space_held(void)
{
    if (twin_own_file_held(&record_space.own))
        return true;
    struct stat about;
    int again = open(record_space.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool same =
        again >= 0 && fstat(again, &about) == 0 && about.st_dev == record_space.own.device &&
        about.st_ino == record_space.own.number && twin_own_file_take(&record_space.own, again);
    if (!same) {
        if (again >= 0)
            (void)close(again);
        errno = EBADF;
        return false;
    }
    (void)flock(record_space.own.descriptor, LOCK_EX | LOCK_NB);
    if (!record_space.reopened)
        record_say(
            2, "the program closed the descriptor of the recording in %s, which was opened again",
            record_space.path);
    record_space.reopened = true;
    return true;
}

bool record_space_write(const void *bytes, size_t count, uint64_t at)
{
    while (count > 0) {
        ssize_t done = pwrite(record_space.own.descriptor, bytes, count, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes = (const char *)bytes + done;
        count -= (size_t)done;
        at += (uint64_t)done;
    }
    return true;
}

bool record_space_zero(uint64_t from, uint64_t to)
{
    static const char zeros[TWIN_RECORD_CHUNK_BYTES];
    for (; from < to; from += sizeof(zeros))
        if (!record_space_write(
                zeros, to - from < sizeof(zeros) ? (size_t)(to - from) : sizeof(zeros), from))
            return false;
    return true;
}

bool record_space_reserve(uint64_t from, uint64_t to)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        to > limit.rlim_cur) {
        errno = EFBIG;
        return false;
    }
    int result;
    do
        result = fallocate(record_space.own.descriptor, 0, (off_t)from, (off_t)(to - from));
    while (result != 0 && errno == EINTR);
    if (result == 0)
        return true;
    return (errno == EOPNOTSUPP || errno == ENOSYS) && record_space_zero(from, to);
}

bool record_space_grow(uint64_t wanted)
{
    uint64_t extent = record_space.bytes / 4;
    if (extent < EXTENT_LEAST)
        extent = EXTENT_LEAST;
    if (extent > EXTENT_MOST)
        extent = EXTENT_MOST;
    uint64_t end = record_space.bytes + extent / TWIN_RECORD_CHUNK_BYTES * TWIN_RECORD_CHUNK_BYTES;
    if (end < wanted)
        end = wanted;
    /* with little left, what is wanted may still fit */
    if (!record_space_held())
        return false;
    if (!record_space_reserve(record_space.bytes, end)) {
        if (end == wanted || !record_space_reserve(record_space.bytes, wanted))
            return false;
        end = wanted;
    }
    record_space.bytes = end;
    return true;
}
