/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fallocate, mkostemp */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "file_name.h"
#include "seam/held_alloc.h"
#include "seam/own_file.h"

#define EXTENT_LEAST ((uint64_t)1 << 20)
#define EXTENT_MOST  ((uint64_t)64 << 20)
#define TEXT_BYTES   (PATH_MAX + 256)
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#define NOWHERE     1024u /* more than any entry without its tail */
#define SPARE_LEAST 4096u /* a chunk with less room than this is not taken up again */

/* A chunk that its thread left behind with room in it. */
struct spare {
    struct spare *next;
    uint64_t index;
};

_Thread_local struct record_thread record_self;
struct record_global record_global;

/* Where a thread writes that has no host memory for it: several may at once, and nobody reads it. */
static uint64_t last_resort[NOWHERE / sizeof(uint64_t)];

/* Guarded by lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const twin_services *services;
static char file_path[PATH_MAX];
static pid_t file_process;
static twin_own_file own = TWIN_OWN_FILE_NONE;
static bool reopened; /* which has been said */
static struct twin_record_header *header;
static uint64_t room_bytes; /* of the file */
static bool zeros_first;    /* written before a chunk is mapped */
static struct spare *spares;
static uint32_t thread_numbers;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;

__attribute__((format(printf, 2, 3))) static void say(int level, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    services->log(level, text);
}

/* Whether own.descriptor is the file. A program that closes all descriptors closes it too, and may have a file of its own
 * under the number: it is opened again where it was made, if it still is there. */
static bool hold_locked(void)
{
    if (twin_own_file_held(&own))
        return true;
    struct stat about;
    int again = open(file_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool same = again >= 0 && fstat(again, &about) == 0 && about.st_dev == own.device &&
                about.st_ino == own.number && twin_own_file_take(&own, again);
    if (!same) {
        if (again >= 0)
            (void)close(again);
        errno = EBADF;
        return false;
    }
    (void)flock(own.descriptor, LOCK_EX | LOCK_NB);
    if (!reopened)
        say(2, "the program closed the descriptor of the recording in %s, which was opened again",
            file_path);
    reopened = true;
    return true;
}

/* Not the program's lock: whoever reports the order of threads may report this one too, which would come back here. */
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

/* ---- room ------------------------------------------------------------------------------------- */

static bool write_zeros(uint64_t from, uint64_t to)
{
    static const char zeros[TWIN_RECORD_CHUNK_BYTES];
    while (from < to) {
        size_t bytes = to - from < sizeof(zeros) ? (size_t)(to - from) : sizeof(zeros);
        ssize_t done = pwrite(own.descriptor, zeros, bytes, (off_t)from);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        from += (uint64_t)done;
    }
    return true;
}

/* Space on the disk before anybody stores into it: a store that finds none would end the process. */
static bool reserve(uint64_t from, uint64_t to)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        to > limit.rlim_cur) {
        errno = EFBIG;
        return false;
    }
    int result;
    do
        result = fallocate(own.descriptor, 0, (off_t)from, (off_t)(to - from));
    while (result != 0 && errno == EINTR);
    if (result == 0)
        return true;
    return (errno == EOPNOTSUPP || errno == ENOSYS) && write_zeros(from, to);
}

static bool grow_locked(uint64_t wanted)
{
    uint64_t extent = room_bytes / 4;
    if (extent < EXTENT_LEAST)
        extent = EXTENT_LEAST;
    if (extent > EXTENT_MOST)
        extent = EXTENT_MOST;
    uint64_t end = room_bytes + extent / TWIN_RECORD_CHUNK_BYTES * TWIN_RECORD_CHUNK_BYTES;
    if (end < wanted)
        end = wanted;
    /* with little left, what is wanted may still fit */
    if (!hold_locked())
        return false;
    if (!reserve(room_bytes, end)) {
        if (end == wanted || !reserve(room_bytes, wanted))
            return false;
        end = wanted;
    }
    room_bytes = end;
    return true;
}

static void stop_locked(void)
{
    int reason = errno;
    if (!atomic_exchange_explicit(&record_global.active, false, memory_order_relaxed))
        return;
    header->state = TWIN_RECORD_CUT;
    say(2, "the recording in %s stops here: %s; the program goes on without it", file_path,
        reason == EBADF ? "the program closed its descriptor, and it is not where it was made"
                        : strerror(reason));
}

/* ---- chunks ----------------------------------------------------------------------------------- */

static uint64_t place_of(uint64_t index)
{
    return TWIN_RECORD_HEADER_BYTES + index * TWIN_RECORD_CHUNK_BYTES;
}

static struct record_map *map_locked(uint64_t index, uint32_t span)
{
    struct record_map *map = hold_locked() ? twin_alloc_held(sizeof(*map)) : NULL;
    if (!map)
        return NULL;
    size_t bytes = (size_t)span * TWIN_RECORD_CHUNK_BYTES;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, own.descriptor,
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
    if (end > room_bytes && !grow_locked(end))
        return NULL;
    if (zeros_first && hold_locked())
        (void)write_zeros(place_of(index), end);
    struct record_map *map = map_locked(index, span);
    if (!map)
        return NULL;
    header->chunks = index + span;
    /* a copy that broke off may have been here */
    *map->chunk = (struct twin_record_chunk){.span = span, .index = index};
    __atomic_store_n(&map->chunk->magic, TWIN_RECORD_CHUNK_MAGIC, __ATOMIC_RELEASE);
    return map;
}

static bool write_all(const void *bytes, size_t count, uint64_t at)
{
    while (count > 0) {
        ssize_t done = pwrite(own.descriptor, bytes, count, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes = (const char *)bytes + done;
        count -= (size_t)done;
        at += (uint64_t)done;
    }
    return true;
}

/* Writes what the thread's chunk holds to a place of its own, so that the thread goes on in pages that are mapped already.
 * Whatever ends the process meanwhile, each entry is there, some twice. No call entered in the chunk is under way. */
static bool copy_out_locked(struct record_thread *self)
{
    struct twin_record_chunk *chunk = self->map->chunk;
    struct twin_record_chunk head = *chunk;
    const uint64_t index = header->chunks;
    const uint64_t place = place_of(index);
    const uint64_t end = place_of(index + 1);
    if ((end > room_bytes && !grow_locked(end)) || !hold_locked())
        return false;
    head.index = index;
    head.magic = 0; /* until all is there */
    if (!write_all(&head, sizeof(head), place) ||
        !write_all(chunk + 1, head.used, place + sizeof(head)) ||
        !write_all(&(uint32_t){TWIN_RECORD_CHUNK_MAGIC}, sizeof(uint32_t), place))
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

/* The thread goes on elsewhere. */
static void leave_map(struct record_thread *self)
{
    struct record_map *map = self->map;
    self->map = NULL;
    self->at = self->limit = NULL;
    if (map && map->open == 0)
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
    self->nowhere = NULL;
    self->nested = NULL;
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
}

static void make_key(void)
{
    (void)pthread_key_create(&thread_key, thread_end);
}

/* True: record_write_early() is to follow. */
static bool keep_nd_locked(void)
{
    const bool ends = atomic_exchange(&record_global.alone, false);
    if (ends && header)
        header->nd_from = record_next();
    return ends;
}

void record_keep_nd(void)
{
    if (!atomic_load_explicit(&record_global.alone, memory_order_relaxed))
        return;
    take_lock();
    const bool ends = keep_nd_locked();
    drop_lock();
    if (ends)
        record_write_early();
}

/* The thread's first entry of this file. Calls under way are the other file's. */
static bool join_locked(struct record_thread *self)
{
    leave_map(self);
    self->file = atomic_load(&record_global.file);
    self->number = ++thread_numbers;
    self->is_first = self->number == 1;
    self->depth = 0;
    self->next = self->next_end = 0;
    self->followed = 0;
    self->followed_entry = 0;
    self->program_bytes = 0; /* another file may have to get it */
    self->settled_bytes = 0;
    self->module = (struct record_module){0};
    self->moment = record_global.self();
    self->moment->entry = 0;
    self->moment->recorded = self->number;
    return !self->is_first && keep_nd_locked();
}

void record_join(void)
{
    take_lock();
    const bool ends = !record_joined(&record_self) && join_locked(&record_self);
    drop_lock();
    if (ends)
        record_write_early();
}

/* A chunk of its own for one long entry, or the next one of the thread. */
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

/* Room for an entry that is not kept. Not thread-local itself: the room for what is, in a library that a running program loads,
 * is small. */
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

/* ---- the file --------------------------------------------------------------------------------- */

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

static void let_go(void)
{
    forget_spares();
    if (header)
        (void)munmap(header, TWIN_RECORD_HEADER_BYTES);
    twin_own_file_close(&own);
    header = NULL;
    reopened = false;
    file_path[0] = '\0';
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
    if (!twin_own_file_take(&own, made))
        return -errno;
    (void)flock(own.descriptor, LOCK_EX | LOCK_NB);
    /* One write gives a chunk its pages, in large folios where the file system has them. A store into what was only reserved costs
     * the file system several times as much, page by page. tmpfs makes the pages when they are reserved. */
    struct statfs system;
    zeros_first = fstatfs(own.descriptor, &system) == 0 && system.f_type != TMPFS_MAGIC;
    room_bytes = 0;
    if (!reserve(0, TWIN_RECORD_HEADER_BYTES)) {
        error = -errno;
    } else {
        room_bytes = TWIN_RECORD_HEADER_BYTES;
        void *at = mmap(NULL, TWIN_RECORD_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                        own.descriptor, 0);
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
        let_go();
    }
    return error;
}

/* Whether the file is still where it was made. */
static bool is_in_place(void)
{
    struct stat there;
    return lstat(file_path, &there) == 0 && there.st_ino == own.number &&
           there.st_dev == own.device && hold_locked();
}

/* Goes on with the file of an earlier session. */
static void reopen(void)
{
    struct stat status;
    header->state = header->state == TWIN_RECORD_CUT ? TWIN_RECORD_CUT : TWIN_RECORD_OPEN;
    if (fstat(own.descriptor, &status) == 0)
        room_bytes = (uint64_t)status.st_size;
    atomic_store(&record_global.active, header->state == TWIN_RECORD_OPEN);
}

bool record_file_open(const twin_services *given, const char *setting, bool *out_new)
{
    static char given_path[PATH_MAX]; /* of the file that is there */
    char path[PATH_MAX];
    twin_write_guard guard;
    twin_write_guard_begin(&guard);
    take_lock();
    services = given;
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
    let_go();
    int error = record_name_expand(setting, path, sizeof(path)) ? make_file(path, sizeof(path))
                                                                : -ENAMETOOLONG;
    if (error == 0) {
        (void)snprintf(file_path, sizeof(file_path), "%s", path);
        (void)snprintf(given_path, sizeof(given_path), "%s", setting);
        file_process = getpid();
        thread_numbers = 0;
        atomic_store(&record_global.sequence, 0);
        atomic_fetch_add(&record_global.file, 1);
        atomic_store(&record_global.active, true);
        atomic_store(&record_early.count, 0);
        atomic_store(&record_global.alone, true);
        if (strcmp(path, setting) != 0)
            say(1, "the run is recorded in %s", path);
    } else {
        say(3, "nothing is recorded: %s: %s", path,
            error == -ELOOP    ? "it is a symbolic link"
            : error == -EINVAL ? "it is no regular file"
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
        room_bytes = place_of(header->chunks);
        if (hold_locked())
            (void)ftruncate(own.descriptor, (off_t)room_bytes);
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
