/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"

static int read_open(int file, size_t most, twin_file *out)
{
    struct stat state;
    if (fstat(file, &state) != 0)
        return errno;
    if (!S_ISREG(state.st_mode))
        return EINVAL;
    if ((unsigned long long)state.st_size > most)
        return EFBIG;
    const size_t size = (size_t)state.st_size;
    out->text = twin_zalloc(size + 1);
    if (!out->text)
        return ENOMEM;
    while (out->bytes < size) {
        const ssize_t got = read(file, out->text + out->bytes, size - out->bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : EIO; /* the file has become shorter */
        out->bytes += (size_t)got;
    }
    return 0;
}

int twin_file_read(const char *path, size_t most, twin_file *out)
{
    *out = (twin_file){0};
    /* Non-blocking, so that a pipe does not hold the call before it is found to be one. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        const int error = errno;
        snprintf(out->why, sizeof(out->why), "cannot be opened: %s", strerror(error));
        return error;
    }
    const int error = read_open(file, most, out);
    (void)close(file);
    if (error == 0)
        return 0;
    twin_free(out->text);
    out->text = NULL;
    if (error == EINVAL)
        snprintf(out->why, sizeof(out->why), "not a regular file");
    else if (error == EFBIG)
        snprintf(out->why, sizeof(out->why), "larger than %zu bytes", most);
    else
        snprintf(out->why, sizeof(out->why), "cannot be read: %s", strerror(error));
    return error;
}
