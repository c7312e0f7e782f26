/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mkostemp, stpcpy */
#include "observe/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "seam/own_file.h"

static pid_t named_process;                 /* 0: the caller's */
static const char *volatile temporary_name; /* while it exists */

void sim_output_begin(pid_t process)
{
    named_process = process;
}

static void remove_temporary(int number)
{
    (void)number;
    if (temporary_name)
        (void)unlink(temporary_name);
    _exit(1);
}

void sim_output_remove_on_signals(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM};
    const struct sigaction action = {.sa_handler = remove_temporary};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaction(signals[i], &action, NULL);
}

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

/* "%p" becomes the number of the process. NULL: out of memory. */
static char *expand(const char *path, const char *suffix)
{
    char number[24];
    size_t digits = (size_t)snprintf(number, sizeof(number), "%ld",
                                     (long)(named_process ? named_process : getpid()));
    size_t length = strlen(path);
    char *out = malloc(length / 2 * digits + length + strlen(suffix) + 1);
    char *at = out;
    if (!out)
        return NULL;
    while (*path) {
        if (path[0] == '%' && path[1] == 'p') {
            at = stpcpy(at, number);
            path += 2;
        } else {
            *at++ = *path++;
        }
    }
    (void)stpcpy(at, suffix);
    return out;
}

const char *sim_output_reason(int error)
{
    switch (-error) {
    case ELOOP:
        return "it is a symbolic link; give the name of a file";
    case EINVAL:
        return "it is not a regular file; give the name of a file";
    case EFBIG:
        return "the file would exceed the size limit of the process (ulimit -f)";
    default:
        return strerror(-error);
    }
}

int sim_output_write(const char *name, int (*write)(FILE *file, void *context), void *context)
{
    twin_write_guard guard;
    twin_write_guard_begin(&guard);
    char *path = expand(name, "");
    char *temporary = expand(name, ".XXXXXX");
    int error = path && temporary ? check_target(path) : -ENOMEM;
    if (error)
        goto free_names;

    /* makes a new file, never follows a link, readable by its owner alone */
    int descriptor = mkostemp(temporary, O_CLOEXEC);
    if (descriptor < 0) {
        error = -errno;
        goto free_names;
    }
    temporary_name = temporary;
    FILE *file = fdopen(descriptor, "w");
    if (!file) {
        error = -errno;
        (void)close(descriptor);
        goto remove_temporary;
    }
    error = write(file, context);
    /* the stream does not keep the reason; writing the rest of its buffer fails for the same one */
    if (fclose(file) != 0 && (!error || error == -EIO))
        error = -errno;
    if (!error && rename(temporary, path) != 0)
        error = -errno;

remove_temporary:
    if (error)
        (void)unlink(temporary);
    temporary_name = NULL;
free_names:
    free(temporary);
    free(path);
    twin_write_guard_end(&guard);
    return error;
}
