/* SPDX-License-Identifier: Apache-2.0 */
#include "report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

/* The standard stream that is this file: its earlier content must stay. -1: none. */
static int standard_stream(const struct stat *status)
{
    struct stat present;
    for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++)
        if (fstat(stream, &present) == 0 && present.st_dev == status->st_dev &&
            present.st_ino == status->st_ino)
            return stream;
    return -1;
}

/* Takes over the descriptor. */
static bool adopt(struct report_file *file, int descriptor)
{
    file->file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!file->file && descriptor >= 0)
        (void)close(descriptor);
    return file->file != NULL;
}

/* Makes the folder of a file, in one that is there. */
static bool make_folder_of(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path || (size_t)(slash - path) >= sizeof(folder)) {
        errno = ENOENT;
        return false;
    }
    (void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
    return mkdir(folder, 0777) == 0 || errno == EEXIST; /* another run may make it too */
}

bool report_file_prepare(struct report_file *file, const char *path)
{
    struct stat present;
    struct stat entry;
    *file = (struct report_file){.path = path};
    if (stat(path, &present) == 0) {
        if (S_ISDIR(present.st_mode)) {
            errno = EISDIR;
            return false;
        }
        const int stream = standard_stream(&present);
        if (stream >= 0)
            return adopt(file, fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    }
    if (lstat(path, &entry) == 0 && (!S_ISREG(entry.st_mode) || unlink(path) != 0))
        return (file->file = output_create(path, 0666)) != NULL;
    return output_is_possible(path) ||
           (errno == ENOENT && make_folder_of(path) && output_is_possible(path));
}

FILE *report_file_open(struct report_file *file)
{
    if (file->file)
        return file->file;
    /* report_file_prepare() has seen that there is room for it */
    (void)snprintf(file->temporary, sizeof(file->temporary), "%s.XXXXXX", file->path);
    const int descriptor = mkostemp(file->temporary, O_CLOEXEC);
    if (descriptor < 0) {
        file->temporary[0] = '\0';
        return NULL;
    }
    /* a CI service collects reports under another user than the one of the container */
    const mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(descriptor, 0666 & ~mask);
    if (!adopt(file, descriptor))
        (void)report_file_close(file, false);
    return file->file;
}

bool report_file_close(struct report_file *file, bool whole)
{
    int error = whole ? 0 : errno;
    if (file->file && fclose(file->file) != 0 && error == 0)
        error = errno;
    file->file = NULL;
    if (whole && error == 0 && file->temporary[0] && rename(file->temporary, file->path) != 0)
        error = errno;
    if (file->temporary[0] && (!whole || error != 0))
        (void)unlink(file->temporary);
    file->temporary[0] = '\0';
    errno = error;
    return whole && error == 0;
}

void report_file_free(struct report_file *file)
{
    if (file->file)
        (void)report_file_close(file, false);
}
