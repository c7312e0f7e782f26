/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* flock, getrandom */
#include "signal/ipc_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/process.h"

#define MAGIC      0x6572616873747774ull /* "twtshare" */
#define VERSION    1u
#define NAME_TRIES 16
#define FOLDERS    2u
/* Of /proc/PID/stat. */
#define STATE_FIELD   3
#define THREADS_FIELD 20
#define START_FIELD   22
#define NUMBER_SHIFT  2
#define STATE_MASK    3u
#define FOLDER_BYTES  256u

/* ---- the folder ----------------------------------------------------------------------------- */

/* The folders where the files may be, the best first. False: there are no more. */
static bool folder_path(unsigned index, char *path)
{
    int length = -1;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (index == 0 && runtime && runtime[0] == '/')
        length = snprintf(path, FOLDER_BYTES, "%s/twinrt", runtime);
    else if (index == 1)
        length = snprintf(path, FOLDER_BYTES, "/dev/shm/twinrt-%u", (unsigned)geteuid());
    return length > 0 && (unsigned)length < FOLDER_BYTES;
}

/* A folder that only this user can use. */
static bool folder_is_own(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
           (about.st_mode & 077) == 0;
}

static bool folder_make(char *path)
{
    for (unsigned i = 0; i < FOLDERS; i++)
        if (folder_path(i, path) && (mkdir(path, 0700) == 0 || errno == EEXIST) &&
            folder_is_own(path))
            return true;
    return false;
}

/* `length` characters, which need not end with a 0. */
static bool name_is_valid(const char *name, size_t length)
{
    bool valid = length == TWIN_SHARE_NAME;
    for (size_t i = 0; valid && i < length; i++)
        valid = name[i] != '\0' && strchr("0123456789abcdef", name[i]) != NULL;
    return valid;
}

/* Removes the files of processes that ended without removing them: no process has a lock on
 * these. */
static void sweep(const char *folder)
{
    DIR *list = opendir(folder);
    if (!list)
        return;
    const struct dirent *entry;
    while ((entry = readdir(list))) {
        if (!name_is_valid(entry->d_name, strlen(entry->d_name)))
            continue;
        int file = openat(dirfd(list), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (file < 0)
            continue;
        if (flock(file, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(list), entry->d_name, 0);
        close(file);
    }
    closedir(list);
}

/* ---- users ---------------------------------------------------------------------------------- */

/* What the system says of a process. */
struct about {
    uint64_t start; /* in the system's own count; 0: unknown */
    bool ended;     /* its parent has not asked yet how it ended */
};

static struct about about_process(uint64_t pid)
{
    char path[64];
    char text[1024];
    const char *fields[START_FIELD + 1] = {NULL};
    snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return (struct about){0, false};
    ssize_t length = read(file, text, sizeof(text) - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    /* The second field is a name in parentheses that may hold anything. */
    const char *at = strrchr(text, ')');
    for (int field = 3; at && field <= START_FIELD && (at = strchr(at, ' ')) != NULL; field++)
        fields[field] = ++at;
    if (!fields[START_FIELD])
        return (struct about){0, false};
    /* A first thread that has ended is in the same state while others run. */
    return (struct about){strtoull(fields[START_FIELD], NULL, 10),
                          strchr("ZX", *fields[STATE_FIELD]) != NULL &&
                              strtoull(fields[THREADS_FIELD], NULL, 10) <= 1};
}

static bool process_lives(uint64_t pid, uint64_t start)
{
    if (pid == 0 || pid > INT32_MAX || (kill((pid_t)pid, 0) != 0 && errno == ESRCH))
        return false;
    const struct about now = about_process(pid);
    return !now.ended && (start == 0 || now.start == 0 || start == now.start);
}

/* A free place among the users, or that of one that has ended. */
static struct sim_share_user *enter(struct sim_share_page *page)
{
    uint64_t own = (uint64_t)getpid();
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < SIM_SHARE_USERS; i++) {
            struct sim_share_user *user = &page->users[i];
            uint64_t pid = atomic_load(&user->pid);
            if (pid != 0 && (round == 0 || process_lives(pid, atomic_load(&user->start))))
                continue;
            if (!atomic_compare_exchange_strong(&user->pid, &pid, own))
                continue;
            atomic_store(&user->start, about_process(own).start);
            return user;
        }
    return NULL;
}

enum sim_company sim_share_company(const struct sim_share *share, uint64_t *out_pid)
{
    struct sim_share_page *page = share->page;
    uint64_t own = (uint64_t)getpid();
    *out_pid = 0;
    for (unsigned i = 0; i < SIM_SHARE_USERS; i++) {
        uint64_t pid = atomic_load(&page->users[i].pid);
        if (pid == 0 || pid == own)
            continue;
        *out_pid = pid;
        if (process_lives(pid, atomic_load(&page->users[i].start)))
            return SIM_COMPANY_PRESENT;
    }
    if (atomic_load(&page->closed) != 0 || *out_pid != 0)
        return SIM_COMPANY_GONE;
    if (atomic_load(&page->checks_pid) == 0)
        return atomic_load(&page->visited) != 0 ? SIM_COMPANY_GONE : SIM_COMPANY_AWAITED;
    uint32_t allowed = atomic_load(&page->allowed);
    for (uint32_t i = 0; i < allowed && i < SIM_SHARE_PIDS; i++) {
        int32_t pid = atomic_load(&page->pids[i]);
        if (pid > 0 && (uint64_t)pid != own && process_lives((uint64_t)pid, 0))
            return SIM_COMPANY_AWAITED;
    }
    return SIM_COMPANY_GONE;
}

static bool is_allowed(const struct sim_share_page *page, int32_t pid)
{
    uint32_t allowed = atomic_load(&page->allowed);
    for (uint32_t i = 0; i < allowed && i < SIM_SHARE_PIDS; i++)
        if (atomic_load(&page->pids[i]) == pid)
            return true;
    return false;
}

twin_status sim_share_allow(struct sim_share *share, const int32_t *pids, size_t count)
{
    struct sim_share_page *page = share->page;
    for (size_t i = 0; i < count; i++) {
        uint32_t used = atomic_load(&page->allowed);
        if (is_allowed(page, pids[i]))
            continue;
        if (used >= SIM_SHARE_PIDS) {
            sim_explain("the list of processes that may import it is full: it holds %u",
                        SIM_SHARE_PIDS);
            return TWIN_E_INVALID;
        }
        atomic_store(&page->pids[used], pids[i]);
        atomic_store(&page->allowed, used + 1);
    }
    return TWIN_OK;
}

bool sim_share_may_import(const struct sim_share *share)
{
    return atomic_load(&share->page->checks_pid) == 0 || is_allowed(share->page, (int32_t)getpid());
}

/* ---- life ----------------------------------------------------------------------------------- */

static bool map_page(struct sim_share *share)
{
    void *place = mmap(NULL, sizeof(struct sim_share_page), PROT_READ | PROT_WRITE, MAP_SHARED,
                       share->file, 0);
    share->page = place == MAP_FAILED ? NULL : place;
    return share->page != NULL;
}

static bool draw_name(char *name)
{
    unsigned char bytes[TWIN_SHARE_NAME / 2];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return false;
    for (unsigned i = 0; i < sizeof(bytes); i++)
        snprintf(name + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* A new file with a lock on it. A process that sweeps may come between the two: then another one is
 * made. */
static bool make_file(struct sim_share *share, const char *folder)
{
    for (int i = 0; i < NAME_TRIES; i++) {
        if (!draw_name(share->name))
            return false;
        snprintf(share->path, sizeof(share->path), "%s/%s", folder, share->name);
        share->file = open(share->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (share->file < 0)
            return false;
        struct stat about;
        if (flock(share->file, LOCK_SH) == 0 && fstat(share->file, &about) == 0 &&
            about.st_nlink == 1)
            return true;
        close(share->file);
    }
    return false;
}

/* Remembers which file the descriptor is. */
static void own(struct sim_share *share)
{
    if (twin_own_file_take(&share->own, share->file))
        share->file = share->own.descriptor;
}

twin_status sim_share_make(struct sim_share *share, twin_signal_kind kind, uint32_t hardware_id)
{
    char folder[FOLDER_BYTES];
    *share = (struct sim_share){.file = -1};
    if (!folder_make(folder)) {
        sim_fail("no private folder for files that processes share: XDG_RUNTIME_DIR or /dev/shm "
                 "must be writable, and twinrt's folder there must belong to this user alone");
        return TWIN_E_SETUP;
    }
    sweep(folder);
    if (!make_file(share, folder)) {
        sim_fail("cannot create a shared file in %s: %s", folder, strerror(errno));
        return TWIN_E_SETUP;
    }
    /* Its pages are allocated before it is used: a full folder is reported here. */
    int error = posix_fallocate(share->file, 0, sizeof(struct sim_share_page));
    if (error != 0 || !map_page(share)) {
        sim_fail("%s cannot be filled: %s", share->path, strerror(error != 0 ? error : errno));
        unlink(share->path);
        close(share->file);
        return TWIN_E_SETUP;
    }
    share->page->version = VERSION;
    share->page->kind = (uint32_t)kind;
    share->page->hardware_id = hardware_id;
    share->user = enter(share->page);
    atomic_thread_fence(memory_order_release);
    share->page->magic = MAGIC;
    own(share);
    return TWIN_OK;
}

/* Opens the file of that name where it is. */
static bool find_file(struct sim_share *share)
{
    char folder[FOLDER_BYTES];
    for (unsigned i = 0; i < FOLDERS; i++) {
        if (!folder_path(i, folder) || !folder_is_own(folder))
            continue;
        snprintf(share->path, sizeof(share->path), "%s/%s", folder, share->name);
        share->file = open(share->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (share->file >= 0)
            return true;
    }
    return false;
}

/* Whether the file is valid, and not about to be removed. */
static bool file_is_good(const struct sim_share *share)
{
    struct stat about;
    return flock(share->file, LOCK_SH) == 0 && fstat(share->file, &about) == 0 &&
           S_ISREG(about.st_mode) && about.st_uid == geteuid() && about.st_nlink == 1 &&
           about.st_size == (off_t)sizeof(struct sim_share_page);
}

static twin_status refuse(struct sim_share *share, const char *reason)
{
    sim_explain("the key cannot be used: %s", reason);
    if (share->page)
        munmap(share->page, sizeof(struct sim_share_page));
    if (share->file >= 0)
        close(share->file);
    *share = (struct sim_share){.file = -1};
    return TWIN_E_INVALID;
}

twin_status sim_share_find(struct sim_share *share, const char *name, twin_signal_kind kind)
{
    *share = (struct sim_share){.file = -1};
    if (!name_is_valid(name, strnlen(name, TWIN_SHARE_NAME)))
        return refuse(share, "it was not made by an export");
    memcpy(share->name, name, TWIN_SHARE_NAME);
    if (!find_file(share))
        return refuse(share, errno == EMFILE || errno == ENFILE
                                 ? "too many files are open"
                                 : "no shared object has it (any more)");
    if (!file_is_good(share) || !map_page(share))
        return refuse(share, "its file is being removed, or is damaged");
    if (share->page->magic != MAGIC || share->page->version != VERSION)
        return refuse(share, "it was made by another version of the runtime");
    if (share->page->kind != (uint32_t)kind)
        return refuse(share, "it belongs to another kind of object");
    if (atomic_load(&share->page->closed) != 0)
        return refuse(share, "its creator has destroyed it");
    if (!sim_share_may_import(share))
        return refuse(share, "this process is not allowed to import it");
    share->user = enter(share->page);
    if (!share->user)
        return refuse(share, "too many processes use it");
    for (unsigned i = 0; i < SIM_SHARE_USERS; i++) {
        uint64_t pid = atomic_load(&share->page->users[i].pid);
        if (pid != 0 && pid != (uint64_t)getpid())
            atomic_store(&share->page->visited, 1);
    }
    own(share);
    return TWIN_OK;
}

void sim_share_drop(struct sim_share *share)
{
    if (share->user)
        atomic_store(&share->user->pid, 0);
    munmap(share->page, sizeof(struct sim_share_page));
    /* the program may have closed it and opened another file under the number */
    if (twin_own_file_held(&share->own) && flock(share->file, LOCK_EX | LOCK_NB) == 0)
        unlink(share->path);
    twin_own_file_close(&share->own);
    *share = (struct sim_share){.file = -1};
}

/* ---- records of an event -------------------------------------------------------------------- */

bool sim_share_full(const struct sim_share *share)
{
    uint64_t next = sim_share_newest(share) + 1;
    return next > SIM_SHARE_RECORDS &&
           sim_share_state(share, next - SIM_SHARE_RECORDS) == SIM_SHARE_PENDING;
}

uint64_t sim_share_begin(struct sim_share *share)
{
    struct sim_share_page *page = share->page;
    uint64_t number = atomic_fetch_add(&page->newest, 1) + 1;
    atomic_store_explicit(&page->records[number % SIM_SHARE_RECORDS],
                          number << NUMBER_SHIFT | SIM_SHARE_PENDING, memory_order_release);
    return number;
}

void sim_share_end(struct sim_share *share, uint64_t number, enum sim_share_state state)
{
    uint64_t before = number << NUMBER_SHIFT | SIM_SHARE_PENDING;
    atomic_compare_exchange_strong(&share->page->records[number % SIM_SHARE_RECORDS], &before,
                                   number << NUMBER_SHIFT | (uint64_t)state);
}

enum sim_share_state sim_share_state(const struct sim_share *share, uint64_t number)
{
    uint64_t word = atomic_load_explicit(&share->page->records[number % SIM_SHARE_RECORDS],
                                         memory_order_acquire);
    uint64_t there = word >> NUMBER_SHIFT;
    if (there != number)
        return there > number ? SIM_SHARE_DONE : SIM_SHARE_PENDING;
    uint64_t state = word & STATE_MASK;
    return state == SIM_SHARE_DONE      ? SIM_SHARE_DONE
           : state == SIM_SHARE_DROPPED ? SIM_SHARE_DROPPED
                                        : SIM_SHARE_PENDING;
}
