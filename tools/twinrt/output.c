/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *output_create(const char *path, mode_t mode)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!file && descriptor >= 0)
        (void)close(descriptor);
    return file;
}

bool output_is_possible(const char *path)
{
    char beside[PATH_MAX];
    struct stat present;
    if (stat(path, &present) == 0 && S_ISDIR(present.st_mode)) {
        errno = EISDIR;
        return false;
    }
    int used = snprintf(beside, sizeof(beside), "%s.XXXXXX", path);
    if (used < 0 || (size_t)used >= sizeof(beside)) {
        errno = ENAMETOOLONG;
        return false;
    }
    int descriptor = mkostemp(beside, O_CLOEXEC);
    if (descriptor < 0)
        return false;
    (void)close(descriptor);
    (void)unlink(beside);
    return true;
}

bool output_is_same_file(const char *a, const char *b)
{
    const char *const paths[2] = {a, b};
    const char *names[2];
    char folders[2][PATH_MAX];
    struct stat present[2];
    if (stat(a, &present[0]) == 0 && stat(b, &present[1]) == 0)
        return S_ISREG(present[0].st_mode) && present[0].st_dev == present[1].st_dev &&
               present[0].st_ino == present[1].st_ino;
    for (int i = 0; i < 2; i++) {
        char folder[2 * PATH_MAX];
        const char *slash = strrchr(paths[i], '/');
        names[i] = slash ? slash + 1 : paths[i];
        (void)snprintf(folder, sizeof(folder), "%.*s.", (int)(names[i] - paths[i]), paths[i]);
        if (!realpath(folder, folders[i]))
            return false;
    }
    return strcmp(names[0], names[1]) == 0 && strcmp(folders[0], folders[1]) == 0;
}

bool output_flush(void)
{
    bool broken = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) != 0)
        broken = true;
    if (broken)
        fprintf(stderr, "twinrt: the output cannot be written%s%s\n", errno != 0 ? ": " : "",
                errno != 0 ? strerror(errno) : "");
    return !broken;
}
