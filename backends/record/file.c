/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fallocate, mkostemp */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "file_name.h"
#include "seam/held_alloc.h"
#include "space.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#define NOWHERE     1024u /* more than any entry without its tail */
#define SPARE_LEAST 4096u /* a chunk with less room than this is not taken up again */

/* A chunk with room in it whose thread has ended. */
struct spare {
    struct spare *next;
    uint64_t index;
};

_Thread_local struct record_thread record_self;
struct record_global record_global;

/* Entries that are not kept, of threads without host memory: several may write at once, and the
 * content is never read. */
static uint64_t last_resort[NOWHERE / sizeof(uint64_t)];

/* Guarded by lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t file_process;
static struct twin_record_header *header;
static struct spare *spares;
static uint32_t thread_numbers;
static uint64_t nd_from; /* of the header, which gets it last */

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;

/* Not a lock of the program: libtwinrt-host.so may report its order too, which would come back
 * here. */
static void take_lock(void)
{
    record_self.busy = true;
    (void)pthread_mutex_lock(&lock);
}

static void drop_lock(void)
{
    (void)pthread_mutex_unlock(&lock);
    record_self.busy = false;
}

static void stop_locked(void)
{
    int reason = errno;
    if (!atomic_exchange_explicit(&record_global.active, false, memory_order_relaxed))
        return;
    header->state = TWIN_RECORD_CUT;
    record_say(
        2, "the recording in %s stops here: %s; the program goes on without it", record_space.path,
        reason == EBADF ? "the program closed its descriptor, and it is not where it was made"
                        : strerror(reason));
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static uint64_t place_of(uint64_t index)
{
    return TWIN_RECORD_HEADER_BYTES + index * TWIN_RECORD_CHUNK_BYTES;
}

static struct record_map *map_locked(uint64_t index, uint32_t span)
{
    struct record_map *map = record_space_held() ? twin_alloc_held(sizeof(*map)) : NULL;
    if (!map)
        return NULL;
    size_t bytes = (size_t)span * TWIN_RECORD_CHUNK_BYTES;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, record_space.own.descriptor,
                    (off_t)place_of(index));
    if (at == MAP_FAILED) {
        free(map);
        return NULL;
    }
    /* All pages at once cost less than one by one; a kernel that cannot do that says no. */
    (void)madvise(at, bytes, MADV_POPULATE_WRITE);
    *map = (struct record_map){.chunk = at, .bytes = bytes};
    return map;
}

static struct record_map *new_map_locked(uint32_t span)
{
    uint64_t index = header->chunks;
    uint64_t end = place_of(index + span);
    if (end > record_space.bytes && !record_space_grow(end))
        return NULL;
    if (record_space.zeros_first && record_space_held())
        (void)record_space_zero(place_of(index), end);
    struct record_map *map = map_locked(index, span);
    if (!map)
        return NULL;
    header->chunks = index + span;
    /* a copy that broke off may have been here */
    *map->chunk = (struct twin_record_chunk){.span = span, .index = index};
    __atomic_store_n(&map->chunk->magic, TWIN_RECORD_CHUNK_MAGIC, __ATOMIC_RELEASE);
    return map;
}

/* Writes the content of the thread's chunk to another place of the file, so that the thread reuses
 * pages that are mapped. Whatever ends the process meanwhile, each entry is there, some twice. The
 * thread is in no call. */
static bool copy_out_locked(struct record_thread *self)
{
    struct twin_record_chunk *chunk = self->map->chunk;
    struct twin_record_chunk head = *chunk;
    const uint64_t index = header->chunks;
    const uint64_t place = place_of(index);
    const uint64_t end = place_of(index + 1);
    if ((end > record_space.bytes && !record_space_grow(end)) || !record_space_held())
        return false;
    head.index = index;
    if (!record_space_write(chunk + 1, head.used, place + sizeof(head)) ||
        !record_space_write(&head, sizeof(head), place)) /* last: until then there is no chunk */
        return false;
    header->chunks = index + 1;
    __atomic_store_n(&chunk->follows, index + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&chunk->used, 0, __ATOMIC_RELEASE);
    self->at = (char *)(chunk + 1);
    record_put_base();
    return true;
}

/* One that another thread has left, if any. */
static struct record_map *spare_map_locked(void)
{
    struct spare *spare = spares;
    if (!spare)
        return NULL;
    struct record_map *map = map_locked(spare->index, 1);
    if (map) {
        spares = spare->next;
        free(spare);
    }
    return map;
}

void record_map_release(struct record_map *map)
{
    (void)munmap(map->chunk, map->bytes);
    free(map);
}

void record_keep_until_left(struct record_map *map)
{
    map->next = record_self.left;
    record_self.left = map;
}

void record_release_left(void)
{
    while (record_self.left) {
        struct record_map *map = record_self.left;
        record_self.left = map->next;
        record_map_release(map);
    }
}

/* The thread goes on elsewhere. */
static void leave_map(struct record_thread *self)
{
    struct record_map *map = self->map;
    self->map = NULL;
    self->chunk = &self->none;
    self->at = self->limit = NULL;
    if (map && self->inside != 0)
        record_keep_until_left(map);
    else if (map)
        record_map_release(map);
}

void record_leave_chunk(void)
{
    leave_map(&record_self);
}

/* The thread ends: what is left of its chunk is for others. */
static void thread_end(void *value)
{
    struct record_thread *self = value;
    free(self->nowhere);
    free(self->nested);
    free(self->sites);
    self->nowhere = NULL;
    self->nested = NULL;
    self->sites = NULL;
    if (getpid() != file_process || !self->map)
        return; /* in a forked child the file is the parent's */
    struct spare *spare = NULL;
    if (self->limit - self->at >= (ptrdiff_t)SPARE_LEAST)
        spare = malloc(sizeof(*spare));
    take_lock();
    if (spare && self->file == atomic_load(&record_global.file)) {
        spare->index = self->map->chunk->index;
        spare->next = spares;
        spares = spare;
        spare = NULL;
    }
    drop_lock();
    free(spare);
    leave_map(self);
    record_release_left();
}

static void make_key(void)
{
    (void)pthread_key_create(&thread_key, thread_end);
}

/* The number from which all is kept, if write_nd_from() is to be called with it; 0: the header has
 * it. */
static uint64_t keep_nd_locked(void)
{
    if (atomic_exchange(&record_global.alone, 0) != 0)
        nd_from = header ? record_next() : 0;
    return header && __atomic_load_n(&header->nd_from, __ATOMIC_ACQUIRE) == 0 ? nd_from : 0;
}

/* The number comes last: when it is there, so are the entries. Each thread that joins before that
 * writes both. */
static void write_nd_from(uint64_t seq)
{
    record_write_early();
    __atomic_store_n(&header->nd_from, seq, __ATOMIC_RELEASE);
}

void record_keep_nd(void)
{
    if (atomic_load_explicit(&record_global.alone, memory_order_relaxed) == 0)
        return;
    take_lock();
    const uint64_t seq = keep_nd_locked();
    drop_lock();
    if (seq != 0)
        write_nd_from(seq);
}

/* Of the backend that is used now. */
static void take_moment(struct record_thread *self)
{
    self->moment = record_global.self();
    self->moment->entry = 0;
    self->moment->recorded = self->number;
}

/* The thread's first entry of this file. Calls under way are the other file's. */
static uint64_t join_locked(struct record_thread *self)
{
    leave_map(self);
    self->file = atomic_load(&record_global.file);
    self->number = ++thread_numbers;
    self->is_first = self->number == 1;
    self->depth = 0;
    self->inside = 0;
    self->next = self->next_end = 0;
    self->followed = 0;
    self->followed_entry = 0;
    self->program_bytes = 0; /* another file may have to get it */
    self->settled_bytes = 0;
    if (self->sites)
        memset(self->sites, 0, RECORD_SITES * sizeof(*self->sites));
    self->module = (struct record_module){0};
    take_moment(self);
    return self->is_first ? 0 : keep_nd_locked();
}

void record_join(void)
{
    take_lock();
    const uint64_t seq = record_joined(&record_self) ? 0 : join_locked(&record_self);
    drop_lock();
    if (seq != 0)
        write_nd_from(seq);
}

/* A separate chunk for one long entry, or the next chunk of the thread. */
static bool place_locked(struct record_call *call, size_t bytes)
{
    struct record_thread *self = &record_self;
    const size_t head = sizeof(struct twin_record_chunk);
    const size_t base = sizeof(struct twin_record_base);
    const bool is_long = bytes > TWIN_RECORD_CHUNK_BYTES - head - base;
    size_t span = (bytes + head + TWIN_RECORD_CHUNK_BYTES - 1) / TWIN_RECORD_CHUNK_BYTES;
    struct record_map *map = is_long ? NULL : spare_map_locked();
    if (map && TWIN_RECORD_CHUNK_BYTES - head - map->chunk->used < base + bytes) {
        record_map_release(map);
        map = NULL;
    }
    if (!map)
        map = new_map_locked((uint32_t)span);
    if (!map)
        return false;
    char *at = (char *)map->chunk + head + map->chunk->used;
    if (!is_long) {
        leave_map(self);
        self->map = map;
        self->chunk = map->chunk;
        self->at = at;
        self->limit = (char *)map->chunk + map->bytes;
        record_put_base();
        at = self->at;
    }
    call->map = map;
    call->entry = at;
    return true;
}

void record_make_room(void)
{
    struct record_thread *self = &record_self;
    twin_write_guard guard;
    twin_write_guard_begin(&guard);
    take_lock();
    if (atomic_load(&record_global.active) && record_joined(self) && !copy_out_locked(self))
        self->keeps_chunks = true; /* another chunk may still be had */
    drop_lock();
    twin_write_guard_end(&guard);
}

/* Room for an entry that is not kept. Not thread-local itself: the room for what is, in a library
 * that a running program loads, is small. */
static void *nowhere(struct record_thread *self)
{
    if (!self->nowhere)
        self->nowhere = malloc(NOWHERE);
    return self->nowhere ? self->nowhere : (void *)last_resort;
}

/* Room in the file, if there is any. */
static bool kept_place(struct record_call *call, size_t bytes)
{
    struct record_thread *self = &record_self;
    bool kept = false;
    twin_write_guard guard;
    twin_write_guard_begin(&guard);
    pthread_once(&key_once, make_key);
    if (atomic_load_explicit(&record_global.active, memory_order_acquire)) {
        if (!record_joined(self))
            record_join();
        take_lock();
        if ((size_t)(self->limit - self->at) >= bytes) {
            call->map = self->map;
            call->entry = self->at;
            kept = true;
        } else if (bytes <= UINT32_MAX && atomic_load(&record_global.active)) {
            kept = place_locked(call, bytes);
            if (!kept)
                stop_locked();
        }
        drop_lock();
    }
    (void)pthread_setspecific(thread_key, self);
    twin_write_guard_end(&guard);
    return kept;
}

void record_place_slow(struct record_call *call, size_t bytes)
{
    struct record_thread *self = &record_self;
    /* With no file, a thread that has its place for what is not kept makes no system calls. */
    if (!self->nowhere || atomic_load_explicit(&record_global.active, memory_order_relaxed)) {
        if (kept_place(call, bytes))
            return;
    }
    if (header && header->state == TWIN_RECORD_CUT)
        __atomic_fetch_add(&header->lost, 1, __ATOMIC_RELAXED);
    call->map = NULL;
    call->entry = nowhere(self);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void start_header(void)
{
    struct timespec since;
    (void)clock_gettime(CLOCK_REALTIME, &since);
    record_global.origin_ns = 0;
    record_global.origin_ns = record_wall();
    *header = (struct twin_record_header){
        .magic = TWIN_RECORD_MAGIC,
        .version = TWIN_RECORD_VERSION,
        .revision = TWIN_RECORD_REVISION,
        .header_bytes = TWIN_RECORD_HEADER_BYTES,
        .entry_bytes = sizeof(struct twin_record_entry),
        .chunk_bytes = TWIN_RECORD_CHUNK_BYTES,
        .state = TWIN_RECORD_OPEN,
        .wall_origin_ns = record_global.origin_ns,
        .start_time_ns = (uint64_t)since.tv_sec * 1000000000u + (uint64_t)since.tv_nsec,
        .process = (uint32_t)getpid(),
        .seam_version = TWIN_SEAM_VERSION,
    };
    (void)snprintf(header->program, sizeof(header->program), "%s", program_invocation_name);
}

static void forget_spares(void)
{
    while (spares) {
        struct spare *next = spares->next;
        free(spares);
        spares = next;
    }
}

static void close_file(void)
{
    forget_spares();
    if (header)
        (void)munmap(header, TWIN_RECORD_HEADER_BYTES);
    twin_own_file_close(&record_space.own);
    header = NULL;
    record_space.reopened = false;
    record_space.path[0] = '\0';
}

/* A new file at `path`. 0 or a negative errno. */
static int make_file(char *path, size_t room)
{
    static const char suffix[] = ".XXXXXX";
    char temporary[PATH_MAX + sizeof(suffix)];
    int error = record_name_taken(path);
    if (error < 0)
        return error;
    (void)snprintf(temporary, sizeof(temporary), "%s%s", path, suffix);
    int made = mkostemp(temporary, O_CLOEXEC); /* 0600 */
    if (!twin_own_file_take(&record_space.own, made))
        return -errno;
    (void)flock(record_space.own.descriptor, LOCK_EX | LOCK_NB);
    /* One write gives a chunk its pages, in large folios where the file system has them. A store
     * into what was only reserved costs the file system several times as much, page by page. tmpfs
     * makes the pages when they are reserved. */
    struct statfs system;
    record_space.zeros_first =
        fstatfs(record_space.own.descriptor, &system) == 0 && system.f_type != TMPFS_MAGIC;
    record_space.bytes = 0;
    if (!record_space_reserve(0, TWIN_RECORD_HEADER_BYTES)) {
        error = -errno;
    } else {
        record_space.bytes = TWIN_RECORD_HEADER_BYTES;
        void *at = mmap(NULL, TWIN_RECORD_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                        record_space.own.descriptor, 0);
        if (at == MAP_FAILED) {
            error = -errno;
        } else {
            header = at;
            start_header();
            error = record_name_give(path, room, temporary);
        }
    }
    if (error != 0) {
        (void)unlink(temporary);
        close_file();
    }
    return error;
}

/* Whether the file is still where it was made. */
static bool is_in_place(void)
{
    struct stat there;
    return lstat(record_space.path, &there) == 0 && there.st_ino == record_space.own.number &&
           there.st_dev == record_space.own.device && record_space_held();
}

/* Goes on with the file of an earlier session, which may have had another backend. */
static void reopen(void)
{
    struct stat status;
    header->state = header->state == TWIN_RECORD_CUT ? TWIN_RECORD_CUT : TWIN_RECORD_OPEN;
    if (fstat(record_space.own.descriptor, &status) == 0)
        record_space.bytes = (uint64_t)status.st_size;
    atomic_store(&record_global.active, header->state == TWIN_RECORD_OPEN);
    if (record_joined(&record_self))
        take_moment(&record_self);
}

bool record_file_open(const twin_services *given, const char *setting, bool *out_new)
{
    static char given_path[PATH_MAX]; /* of the file that is there */
    char path[PATH_MAX];
    twin_write_guard guard;
    twin_write_guard_begin(&guard);
    take_lock();
    record_space.services = given;
    bool same =
        header && file_process == getpid() && strcmp(setting, given_path) == 0 && is_in_place();
    *out_new = !same;
    if (same) {
        reopen();
        drop_lock();
        twin_write_guard_end(&guard);
        return true;
    }
    leave_map(&record_self);
    close_file();
    int error = record_name_expand(setting, path, sizeof(path)) ? make_file(path, sizeof(path))
                                                                : -ENAMETOOLONG;
    if (error == 0) {
        (void)snprintf(record_space.path, sizeof(record_space.path), "%s", path);
        (void)snprintf(given_path, sizeof(given_path), "%s", setting);
        file_process = getpid();
        thread_numbers = 0;
        atomic_store(&record_global.sequence, 0);
        const unsigned number = atomic_fetch_add(&record_global.file, 1) + 1;
        atomic_store(&record_global.active, true);
        nd_from = 0;
        atomic_store(&record_early.count, 0);
        atomic_store(&record_global.alone, number);
        if (strcmp(path, setting) != 0)
            record_say(1, "the run is recorded in %s", path);
    } else {
        record_say(3, "nothing is recorded: %s: %s", path,
                   error == -ELOOP    ? "it is a symbolic link"
                   : error == -EINVAL ? "it is not a regular file"
                                      : strerror(-error));
    }
    drop_lock();
    twin_write_guard_end(&guard);
    return error == 0;
}

void record_file_close(void)
{
    take_lock();
    if (header) {
        atomic_store(&record_global.active, false);
        if (header->state == TWIN_RECORD_OPEN)
            header->state = TWIN_RECORD_CLOSED;
        record_space.bytes = place_of(header->chunks);
        if (record_space_held())
            (void)ftruncate(record_space.own.descriptor, (off_t)record_space.bytes);
    }
    drop_lock();
}

void record_file_end_alone(void)
{
    if (header && header->state == TWIN_RECORD_OPEN)
        header->state = TWIN_RECORD_CLOSED;
}

void record_file_forked(void)
{
    pthread_mutex_init(&lock, NULL);
    atomic_store(&record_global.active, false);
}

uint64_t record_file_lost(void)
{
    return header ? __atomic_load_n(&header->lost, __ATOMIC_RELAXED) : 0;
}
