/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create, MAP_ANONYMOUS */
#include "memory/open_pages.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/arena.h"
#include "seam/sanitizer.h"

static pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;
/* Made once, then kept; guarded by file_lock. */
static int poison_file = -1;
static struct stat poison_identity;

static int make_poison(void)
{
    int file = memfd_create("twinrt-poison", MFD_CLOEXEC);
    if (file < 0)
        return -1;
    void *bytes = MAP_FAILED;
    if (ftruncate(file, SIM_OPEN_PIECE) == 0)
        bytes = mmap(NULL, SIM_OPEN_PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) {
        close(file);
        return -1;
    }
    memset(bytes, SIM_POISON, SIM_OPEN_PIECE);
    munmap(bytes, SIM_OPEN_PIECE);
    return file;
}

/* False: the program has closed the descriptor, and the number may be another file. */
static bool is_poison(int file)
{
    struct stat now;
    return file >= 0 && fstat(file, &now) == 0 && now.st_dev == poison_identity.st_dev &&
           now.st_ino == poison_identity.st_ino;
}

static int find_poison(void)
{
    pthread_mutex_lock(&file_lock);
    if (!is_poison(poison_file)) {
        poison_file = make_poison();
        if (poison_file >= 0 && fstat(poison_file, &poison_identity) != 0)
            poison_identity = (struct stat){0};
    }
    int file = poison_file;
    pthread_mutex_unlock(&file_lock);
    return file;
}

bool sim_open_map(uint64_t base, uint8_t *mapped, uint64_t offset, uint64_t bytes, bool poison)
{
    int file = poison ? find_poison() : -1;
    if (poison && file < 0)
        return false;
    int how = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE | (poison ? 0 : MAP_ANONYMOUS);
    for (uint64_t piece = offset / SIM_OPEN_PIECE; piece <= (offset + bytes - 1) / SIM_OPEN_PIECE;
         piece++) {
        if (mapped[piece])
            continue;
        void *place = (void *)(uintptr_t)(base + piece * SIM_OPEN_PIECE);
        if (mmap(place, SIM_OPEN_PIECE, PROT_READ | PROT_WRITE, how, file, 0) == MAP_FAILED)
            return false;
        (void)madvise(place, SIM_OPEN_PIECE, MADV_DONTDUMP);
        mapped[piece] = 1;
    }
    return true;
}

void sim_open_discard(uint64_t base, uint64_t offset, uint64_t bytes)
{
    madvise((void *)(uintptr_t)(base + offset), bytes, MADV_DONTNEED);
}

bool sim_open_restore(uint64_t base, uint64_t offset, uint64_t bytes, bool poison)
{
    const int file = poison ? find_poison() : -1;
    const int how = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE | (poison ? 0 : MAP_ANONYMOUS);
    if (poison && file < 0)
        return false;
    for (uint64_t at = offset; at < offset + bytes;) {
        const uint64_t inside = at % SIM_OPEN_PIECE;
        const uint64_t left = offset + bytes - at;
        const uint64_t part = left < SIM_OPEN_PIECE - inside ? left : SIM_OPEN_PIECE - inside;
        void *place = (void *)(uintptr_t)(base + at);
        if (mmap(place, part, PROT_READ | PROT_WRITE, how, file, poison ? (off_t)inside : 0) ==
            MAP_FAILED)
            return false;
        (void)madvise(place, part, MADV_DONTDUMP);
        at += part;
    }
    return true;
}

/* ---- the view of the model alone ------------------------------------------------------------- */

/* Whether a file may have that size: one that may not ends the process with a signal. */
static bool size_allowed(uint64_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

void *sim_view_map(uint64_t bytes)
{
    const int rights = twin_under_valgrind() ? PROT_NONE : PROT_READ | PROT_WRITE;
    void *view = MAP_FAILED;
    int file = size_allowed(bytes) ? memfd_create("twinrt-device-memory", MFD_CLOEXEC) : -1;
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0)
        view = mmap(NULL, bytes, rights, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (file >= 0)
        close(file);
    if (view == MAP_FAILED)
        view = mmap(NULL, bytes, rights, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (view == MAP_FAILED)
        return NULL;
    (void)madvise(view, bytes, MADV_DONTDUMP);
    return view;
}

void sim_view_use(char *view, uint8_t *pieces, uint64_t offset)
{
    const uint64_t piece = offset / SIM_OPEN_PIECE;
    if (pieces[piece])
        return;
    if (mprotect(view + piece * SIM_OPEN_PIECE, SIM_OPEN_PIECE, PROT_READ | PROT_WRITE) == 0)
        pieces[piece] = 1;
}
