/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_NOFOLLOW */
#include "file_name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool record_name_expand(const char *path, char *out, size_t room)
{
    size_t used = 0;
    while (*path) {
        int bytes;
        if (path[0] == '%' && path[1] == 'p') {
            bytes = snprintf(out + used, room - used, "%ld", (long)getpid());
            path += 2;
        } else {
            bytes = snprintf(out + used, room - used, "%c", *path++);
        }
        if (bytes < 0 || (size_t)bytes >= room - used)
            return false;
        used += (size_t)bytes;
    }
    return used > 0;
}

int record_name_taken(const char *path)
{
    struct stat present;
    if (lstat(path, &present) != 0)
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISREG(present.st_mode))
        return S_ISLNK(present.st_mode) ? -ELOOP : S_ISDIR(present.st_mode) ? -EISDIR : -EINVAL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return 0; /* not readable, so not a recording of this user */
    int result = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    (void)close(file);
    return result;
}

/* A lock on the folder, so that two processes do not take one name in the same instant. */
static int lock_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof(folder))
        return -1;
    memcpy(folder, path, length);
    folder[length] = '\0';
    int file = open(slash ? (length ? folder : "/") : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* others may hold it for good: the name is then taken all the same */
    const struct timespec step = {.tv_nsec = 1000000};
    for (unsigned i = 0; file >= 0 && i < 100 && flock(file, LOCK_EX | LOCK_NB) != 0; i++)
        nanosleep(&step, NULL);
    return file;
}

int record_name_give(char *path, size_t room, const char *temporary)
{
    int folder = lock_folder(path);
    int error = record_name_taken(path);
    if (error > 0) {
        size_t length = strlen(path);
        int bytes = snprintf(path + length, room - length, ".%ld", (long)getpid());
        error =
            bytes < 0 || (size_t)bytes >= room - length ? -ENAMETOOLONG : record_name_taken(path);
        if (error > 0)
            error = -EBUSY;
    }
    if (error == 0 && rename(temporary, path) != 0)
        error = -errno;
    if (folder >= 0)
        (void)close(folder);
    return error;
}
