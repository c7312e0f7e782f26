/* SPDX-License-Identifier: Apache-2.0 */
#include "core/image/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/backend/error.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "kernel/object.h"
#include "kernel/run.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010u
#endif

struct twin_library {
    void *handle;
    int file; /* stays open: the loader knows libraries by the name that its number gives */
    const struct twk_image *image; /* linked; NULL: not yet */
    const twk_kernel_entry *entries[];
};

/* ---- the file -------------------------------------------------------------------------------- */

static int write_all(int file, const unsigned char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : EIO;
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

/* A file in memory that no one else can find or change. */
static int32_t make_file(const twin_image *image, int *out_file)
{
    int file = memfd_create("twinrt-kernels", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
    if (file < 0 && errno == EINVAL) /* older than that flag */
        file = memfd_create("twinrt-kernels", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int error = file < 0 ? errno : write_all(file, image->library, image->library_bytes);
    if (error == 0 &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
        error = errno;
    if (error == 0) {
        *out_file = file;
        return 0;
    }
    if (file >= 0)
        close(file);
    return twin_fail(
        error == ENOMEM || error == EMFILE || error == ENFILE ? TWIN_ERR_NOMEM : TWIN_ERR_BINARY,
        "native kernels cannot be loaded: no file in memory for them: %s", strerror(error));
}

/* ---- opening --------------------------------------------------------------------------------- */

static int32_t fail(const char *what)
{
    return twin_fail(TWIN_ERR_BINARY, "native kernels cannot be loaded: %s", what);
}

static bool fits(const twk_kernel_entry *entry, const twin_kernel *kernel)
{
    if (entry->size < TWK_ENTRY_LEAST)
        return false;
    switch (kernel->type) {
    case TWIN_KERNEL_CUBE:
        return entry->cores == TWK_CORES_CUBE && entry->cube;
    case TWIN_KERNEL_VECTOR:
        return entry->cores == TWK_CORES_VECTOR && entry->vector;
    case TWIN_KERNEL_MIX:
        return entry->cores == TWK_CORES_MIXED && entry->cube && entry->vector;
    default:
        return false;
    }
}

static int32_t find_entries(twin_library *library, const twin_image *image)
{
    for (uint32_t i = 0; i < image->kernel_count; i++) {
        const twin_kernel *kernel = &image->kernels[i];
        const twk_kernel_entry *const *one = library->image->begin;
        while (one < library->image->end && strcmp((*one)->name, kernel->name) != 0)
            one++;
        if (one >= library->image->end || !fits(*one, kernel))
            return twin_fail(TWIN_ERR_BINARY,
                             "native kernels cannot be loaded: the symbols name a kernel \"%s\" "
                             "that the shared object does not have, or has for other cores",
                             kernel->name);
        library->entries[i] = *one;
    }
    return 0;
}

static void *open_by_number(const twin_library *library, int how)
{
    char path[64];
    /* With the number of the process: a debugger opens the path, too. */
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), library->file);
    return dlopen(path, how | RTLD_LOCAL);
}

/* One comes or goes at a time. The loader sees to that itself, with a lock that the thread
 * sanitizer does not know. What a library does when it comes or goes may load another. */
static pthread_mutex_t loading = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static int32_t open_locked(twin_library *library, const twin_image *image)
{
    library->handle = open_by_number(library, RTLD_NOW);
    if (!library->handle) {
        const char *why = dlerror();
        return fail(why ? why : "the loader does not say why");
    }
    const struct twk_image *found = dlsym(library->handle, TWIN_NATIVE_IMAGE_SYMBOL);
    char why[256] = "";
    if (twin_native_link(found, why, sizeof(why)) != TWIN_OK)
        return fail(why);
    library->image = found;
    return find_entries(library, image);
}

static int32_t open_file(twin_library *library, const twin_image *image)
{
    twin_assert_unlocked("loading native kernels with a lock held");
    pthread_mutex_lock(&loading);
    const int32_t code = open_locked(library, image);
    pthread_mutex_unlock(&loading);
    return code;
}

int32_t twin_library_open(const twin_image *image, twin_library **out_library)
{
    twin_library *library =
        twin_zalloc(sizeof(*library) + image->kernel_count * sizeof(library->entries[0]));
    if (!library)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for native kernels");
    library->file = -1;
    int32_t code = make_file(image, &library->file);
    if (code == 0)
        code = open_file(library, image);
    if (code != 0)
        twin_library_close(library);
    else
        *out_library = library;
    return code;
}

/* Whether the loader keeps what was closed: linked with -z nodelete, or a thread's variable has yet
 * to be destroyed. */
static bool is_kept(const twin_library *library)
{
    void *kept = open_by_number(library, RTLD_LAZY | RTLD_NOLOAD);
    if (kept)
        dlclose(kept);
    return kept != NULL;
}

void twin_library_close(twin_library *library)
{
    if (!library)
        return;
    twin_assert_unlocked("unloading native kernels with a lock held");
    pthread_mutex_lock(&loading);
    if (library->image)
        twin_native_unlink(library->image);
    if (library->handle)
        dlclose(library->handle);
    /* One that is kept goes by its number for ever: another file of that number would never be
     * opened. */
    if (library->file >= 0 && !(library->handle && is_kept(library)))
        close(library->file);
    pthread_mutex_unlock(&loading);
    twin_free(library);
}

/* ---- use ------------------------------------------------------------------------------------- */

const twk_kernel_entry *twin_library_entry(const twin_library *library, size_t kernel)
{
    return library->entries[kernel];
}
