/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create, F_ADD_SEALS */
#include "vmm/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC           0x796d656d6e697774ull /* "twinmemy" */
#define VERSION         1u
#define SEALS           (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define PROCESS_BITS    22u
#define DESCRIPTOR_BITS 16u

struct exported {
    _Atomic uint64_t secret[SIM_MEMFILE_SECRET]; /* the first is 0: free */
    _Atomic uint64_t offset, bytes;
    _Atomic uint32_t checks_pid;
    _Atomic uint32_t allowed; /* of pids */
    _Atomic int32_t pids[SIM_MEMFILE_PIDS];
};

struct sim_memfile_head {
    _Atomic uint64_t magic;
    _Atomic uint32_t version;
    _Atomic uint32_t device;
    _Atomic uint32_t pages;
    _Atomic uint32_t spare;
    struct exported exports[SIM_MEMFILE_EXPORTS];
};
_Static_assert(sizeof(struct sim_memfile_head) <= SIM_MEMFILE_HEAD, "the head has room");

/* ---- the one that makes it ------------------------------------------------------------------- */

/* A file may not be as large as the process likes: then it is refused, without a signal. */
static bool set_size(int file, uint64_t bytes)
{
    twin_write_guard guard;
    twin_write_guard_begin(&guard);
    const bool set = ftruncate(file, (off_t)bytes) == 0;
    twin_write_guard_end(&guard);
    return set;
}

twin_status sim_memfile_make(struct sim_memfile *out, uint32_t device, twin_page_policy pages,
                             uint64_t bytes)
{
    void *head = MAP_FAILED;
    int file = memfd_create("twinrt-shared-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 && set_size(file, SIM_MEMFILE_HEAD + bytes) &&
        fcntl(file, F_ADD_SEALS, SEALS) == 0)
        head = mmap(NULL, SIM_MEMFILE_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    *out = (struct sim_memfile){.own = TWIN_OWN_FILE_NONE, .bytes = bytes};
    if (head == MAP_FAILED || !twin_own_file_take(&out->own, file)) {
        sim_fail("cannot make a memory file of %llu bytes to share: %s", (unsigned long long)bytes,
                 strerror(errno));
        if (head != MAP_FAILED)
            munmap(head, SIM_MEMFILE_HEAD);
        if (file >= 0)
            close(file);
        return TWIN_E_NOMEM;
    }
    out->head = head;
    out->device = device;
    out->pages = pages;
    out->head->version = VERSION;
    out->head->device = device;
    out->head->pages = (uint32_t)pages;
    out->head->magic = MAGIC;
    return TWIN_OK;
}

void *sim_memfile_map(const struct sim_memfile *shared, int descriptor, void *place)
{
    void *memory =
        mmap(place, shared->bytes, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_NORESERVE | (place ? MAP_FIXED : 0), descriptor, SIM_MEMFILE_HEAD);
    if (memory == MAP_FAILED)
        return NULL;
    (void)madvise(memory, shared->bytes, MADV_DONTDUMP);
    return memory;
}

static bool draw(uint64_t *words, unsigned count)
{
    return getrandom(words, count * sizeof(*words), 0) == (ssize_t)(count * sizeof(*words));
}

static struct exported *slot_of(const struct sim_memfile *shared, const struct sim_export *export)
{
    for (unsigned i = 0; i < SIM_MEMFILE_EXPORTS; i++) {
        struct exported *slot = &shared->head->exports[i];
        bool same = export->secret[0] != 0;
        for (unsigned word = 0; word < SIM_MEMFILE_SECRET; word++)
            same = same && slot->secret[word] == export->secret[word];
        if (same)
            return slot;
    }
    return NULL;
}

twin_status sim_memfile_export(struct sim_memfile *shared, uint64_t offset, uint64_t bytes,
                               bool check_pid, unsigned secret_bits, struct sim_export *out)
{
    struct exported *slot = NULL;
    for (unsigned i = 0; i < SIM_MEMFILE_EXPORTS && !slot; i++)
        if (shared->head->exports[i].secret[0] == 0)
            slot = &shared->head->exports[i];
    *out = (struct sim_export){.process = (uint32_t)getpid(),
                               .descriptor = (uint32_t)shared->own.descriptor,
                               .offset = offset,
                               .bytes = bytes};
    if (!slot) {
        sim_explain("the allocation is exported in %u parts already; close some of them",
                    SIM_MEMFILE_EXPORTS);
        return TWIN_E_INVALID;
    }
    do {
        if (!draw(out->secret, SIM_MEMFILE_SECRET)) {
            sim_fail("no random numbers for a key: %s", strerror(errno));
            return TWIN_E_SETUP;
        }
        if (secret_bits != 0) {
            out->secret[0] &= (UINT64_C(1) << secret_bits) - 1;
            memset(&out->secret[1], 0, sizeof(out->secret) - sizeof(out->secret[0]));
        }
    } while (out->secret[0] == 0 || slot_of(shared, out));
    slot->offset = offset;
    slot->bytes = bytes;
    slot->checks_pid = check_pid;
    slot->allowed = 0;
    for (unsigned word = SIM_MEMFILE_SECRET; word > 0; word--) /* the first one last */
        slot->secret[word - 1] = out->secret[word - 1];
    return TWIN_OK;
}

bool sim_memfile_find(struct sim_memfile *shared, uint64_t offset, uint64_t bytes, bool check_pid,
                      struct sim_export *out)
{
    for (unsigned i = 0; i < SIM_MEMFILE_EXPORTS; i++) {
        struct exported *slot = &shared->head->exports[i];
        if (slot->secret[0] == 0 || slot->offset != offset || slot->bytes != bytes)
            continue;
        slot->checks_pid = check_pid;
        *out = (struct sim_export){.process = (uint32_t)getpid(),
                                   .descriptor = (uint32_t)shared->own.descriptor,
                                   .offset = offset,
                                   .bytes = bytes};
        for (unsigned word = 0; word < SIM_MEMFILE_SECRET; word++)
            out->secret[word] = slot->secret[word];
        return true;
    }
    return false;
}

bool sim_memfile_has(const struct sim_memfile *shared, const struct sim_export *export)
{
    return slot_of(shared, export) != NULL;
}

void sim_memfile_end(const struct sim_memfile *shared, const struct sim_export *export)
{
    struct exported *slot = slot_of(shared, export);
    if (slot)
        slot->secret[0] = 0;
}

static bool is_allowed(struct exported *slot, int32_t pid)
{
    const uint32_t allowed = slot->allowed;
    for (uint32_t i = 0; i < allowed && i < SIM_MEMFILE_PIDS; i++)
        if (slot->pids[i] == pid)
            return true;
    return false;
}

twin_status sim_memfile_allow(const struct sim_memfile *shared, const struct sim_export *export,
                              const int32_t *pids, size_t count)
{
    struct exported *slot = slot_of(shared, export);
    for (size_t i = 0; slot && i < count; i++) {
        const uint32_t used = slot->allowed;
        if (is_allowed(slot, pids[i]))
            continue;
        if (used >= SIM_MEMFILE_PIDS) {
            sim_explain("the list of processes that may import it is full: it has %u",
                        SIM_MEMFILE_PIDS);
            return TWIN_E_INVALID;
        }
        slot->pids[used] = pids[i];
        slot->allowed = used + 1;
    }
    return slot ? TWIN_OK : TWIN_E_INVALID;
}

void sim_memfile_close(struct sim_memfile *shared)
{
    if (!shared->head)
        return;
    for (unsigned i = 0; i < SIM_MEMFILE_EXPORTS; i++)
        shared->head->exports[i].secret[0] = 0;
    munmap(shared->head, SIM_MEMFILE_HEAD);
    twin_own_file_close(&shared->own);
    shared->head = NULL;
}

/* ---- the one that opens it ------------------------------------------------------------------- */

static twin_status refuse(const char *reason)
{
    sim_explain("it cannot be imported: %s", reason);
    return TWIN_E_INVALID;
}

/* Whether it is a file that another process of this user has made, and its size stays. */
static bool file_is_good(int file, uint64_t *out_bytes)
{
    struct stat about;
    const int seals = fcntl(file, F_GET_SEALS);
    if (seals < 0 || (seals & SEALS) != SEALS || fstat(file, &about) != 0 ||
        !S_ISREG(about.st_mode) || about.st_uid != geteuid() || about.st_size <= SIM_MEMFILE_HEAD)
        return false;
    *out_bytes = (uint64_t)about.st_size - SIM_MEMFILE_HEAD;
    return true;
}

/* The export in the file's head. Its numbers may change at any time. */
static twin_status read_head(struct sim_memfile *shared, struct sim_export *export)
{
    struct sim_memfile_head *head = shared->head;
    if (head->magic != MAGIC || head->version != VERSION)
        return refuse("its file is not one of this version of the runtime");
    struct exported *slot = slot_of(shared, export);
    if (!slot)
        return refuse("its process has freed or closed it");
    if (slot->checks_pid != 0 && !is_allowed(slot, (int32_t)getpid()))
        return refuse("this process is not in the list of those that may; its process adds it "
                      "with aclrtIpcMemSetImportPid or aclrtMemSetPidToShareableHandle");
    export->offset = slot->offset;
    export->bytes = slot->bytes;
    shared->device = head->device;
    shared->pages = (twin_page_policy)head->pages;
    if (export->bytes == 0 || export->offset > shared->bytes ||
        export->bytes > shared->bytes - export->offset || shared->pages > TWIN_PAGES_HUGE_1G ||
        export->offset % 4096 != 0)
        return refuse("its file is damaged");
    if (shared->device >= sim_process.device_count)
        return refuse("its device is not one of this process");
    return TWIN_OK;
}

static twin_status open_file(int file, struct sim_export *export, struct sim_memfile *out,
                             void **out_memory)
{
    if (!file_is_good(file, &out->bytes))
        return refuse("its process has closed it, and uses the descriptor for another file");
    void *head = mmap(NULL, SIM_MEMFILE_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (head == MAP_FAILED)
        return refuse(strerror(errno));
    out->head = head;
    twin_status status = read_head(out, export);
    if (status == TWIN_OK && !(*out_memory = sim_memfile_map(out, file, NULL)))
        status = refuse(strerror(errno));
    munmap(head, SIM_MEMFILE_HEAD);
    out->head = NULL;
    return status;
}

twin_status sim_memfile_open(struct sim_export *export, struct sim_memfile *out, void **out_memory)
{
    char path[64];
    *out = (struct sim_memfile){.own = TWIN_OWN_FILE_NONE};
    snprintf(path, sizeof(path), "/proc/%u/fd/%u", export->process, export->descriptor);
    int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return refuse(errno == ENOENT   ? "its process has ended, or has closed it"
                      : errno == EACCES ? "its process is of another user"
                                        : strerror(errno));
    twin_status status = open_file(file, export, out, out_memory);
    close(file);
    return status;
}

/* ---- names ----------------------------------------------------------------------------------- */

void sim_export_name(const struct sim_export *export, char out_name[TWIN_SHARE_NAME])
{
    char text[TWIN_SHARE_NAME + 1];
    snprintf(text, sizeof(text), "%08x%08x%016llx%016llx%016llx", export->process,
             export->descriptor, (unsigned long long)export->secret[0],
             (unsigned long long)export->secret[1], (unsigned long long)export->secret[2]);
    memcpy(out_name, text, TWIN_SHARE_NAME);
}

/* `digits` lower-case hexadecimal digits. */
static bool read_hex(const char *text, unsigned digits, uint64_t *out)
{
    *out = 0;
    for (unsigned i = 0; i < digits; i++) {
        const char *known = "0123456789abcdef";
        const char *found = text[i] != '\0' ? strchr(known, text[i]) : NULL;
        if (!found)
            return false;
        *out = *out << 4 | (uint64_t)(found - known);
    }
    return true;
}

bool sim_export_read(const char *name, struct sim_export *out)
{
    uint64_t process = 0, descriptor = 0;
    *out = (struct sim_export){0};
    if (strnlen(name, TWIN_SHARE_NAME) != TWIN_SHARE_NAME || !read_hex(name, 8, &process) ||
        !read_hex(name + 8, 8, &descriptor))
        return false;
    for (unsigned word = 0; word < SIM_MEMFILE_SECRET; word++)
        if (!read_hex(name + 16 + 16 * word, 16, &out->secret[word]))
            return false;
    out->process = (uint32_t)process;
    out->descriptor = (uint32_t)descriptor;
    return true;
}

bool sim_export_number(const struct sim_export *export, uint64_t *out_number)
{
    *out_number = export->process | (uint64_t) export->descriptor << PROCESS_BITS |
                  export->secret[0] << (PROCESS_BITS + DESCRIPTOR_BITS);
    return export->process >> PROCESS_BITS == 0 && export->descriptor >> DESCRIPTOR_BITS == 0;
}

void sim_export_read_number(uint64_t number, struct sim_export *out)
{
    *out = (struct sim_export){
        .process = (uint32_t)(number & ((UINT64_C(1) << PROCESS_BITS) - 1)),
        .descriptor = (uint32_t)(number >> PROCESS_BITS & ((UINT64_C(1) << DESCRIPTOR_BITS) - 1)),
        .secret = {number >> (PROCESS_BITS + DESCRIPTOR_BITS)}};
}
