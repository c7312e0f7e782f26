/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mkostemp */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A rename replaces whatever has the name; only a regular file may lose its own that way. */
static int check_target(const char *path)
{
    struct stat present;
    if (lstat(path, &present) != 0)
        return errno == ENOENT ? 0 : -errno;
    if (S_ISLNK(present.st_mode))
        return -ELOOP;
    if (S_ISDIR(present.st_mode))
        return -EISDIR;
    return S_ISREG(present.st_mode) ? 0 : -EINVAL;
}

int sim_output_write(const char *path, int (*write)(FILE *file, void *context), void *context)
{
    int error = check_target(path);
    if (error)
        return error;

    static const char suffix[] = ".XXXXXX";
    size_t length = strlen(path);
    char *temporary = malloc(length + sizeof(suffix));
    if (!temporary)
        return -ENOMEM;
    memcpy(temporary, path, length);
    memcpy(temporary + length, suffix, sizeof(suffix));

    /* makes a new file, never follows a link, readable by its owner alone */
    int descriptor = mkostemp(temporary, O_CLOEXEC);
    if (descriptor < 0) {
        error = -errno;
        goto free_temporary;
    }
    FILE *file = fdopen(descriptor, "w");
    if (!file) {
        error = -errno;
        (void)close(descriptor);
        goto remove_temporary;
    }
    error = write(file, context);
    /* the stream forgets why it failed; what it still holds meets the same trouble and tells */
    if (fclose(file) != 0 && (!error || error == -EIO))
        error = -errno;
    if (!error && rename(temporary, path) != 0)
        error = -errno;

remove_temporary:
    if (error)
        (void)unlink(temporary);
free_temporary:
    free(temporary);
    return error;
}
