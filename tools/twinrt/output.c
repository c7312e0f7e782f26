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

bool output_flush(void)
{
    bool broken = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) != 0)
        broken = true;
    if (broken)
        fprintf(stderr, "twinrt: what was to be printed cannot be written%s%s\n",
                errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
    return !broken;
}
