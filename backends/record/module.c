/* SPDX-License-Identifier: Apache-2.0 */
/* Which files the code of the program comes from: an entry MODULE for each that a public call was
 * made from, once. A file that takes the place of one that was closed has an entry after that
 * one's, and so has the first when it returns: a reader takes the newest entry before a call. Two
 * files differ by place, path or build ID. */
#define _GNU_SOURCE /* _dl_find_object */
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops.h"

#define MODULES_KEPT   256u /* those beyond are written again by each thread that meets them */
#define BUILD_ID_BYTES 64u

struct module {
    uintptr_t begin, end; /* of its code and data in memory */
    uintptr_t base;       /* what the file's addresses count from */
    const char *path;     /* of the loader, until the file is closed; "" : the program */
    struct record_key key;
};

static struct module modules[MODULES_KEPT]; /* guarded by modules_lock */
static size_t module_count;                 /* guarded by modules_lock */
static atomic_uint
    replaced; /* how often a module took the place of another; written with modules_lock */
static pthread_mutex_t modules_lock = PTHREAD_MUTEX_INITIALIZER;

/* No lock of the loader is taken: a thread that has it may be waiting for the device. */
static bool find(uintptr_t site, struct module *out)
{
#if defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 35)
    struct dl_find_object found;
    if (_dl_find_object((void *)site, &found) == 0) {
        *out = (struct module){.begin = (uintptr_t)found.dlfo_map_start,
                               .end = (uintptr_t)found.dlfo_map_end,
                               .base = found.dlfo_link_map->l_addr,
                               .path = found.dlfo_link_map->l_name};
        return true;
    }
#else
    (void)site;
    (void)out;
#endif
    return false;
}

/* The description of a note with the build ID, of `*out_bytes`; NULL: there is none among these. */
static const unsigned char *build_id_among(const char *at, const char *end, size_t *out_bytes)
{
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;
        const size_t name = (note->n_namesz + 3u) & ~(size_t)3;
        const size_t description = (note->n_descsz + 3u) & ~(size_t)3;
        at += sizeof(*note);
        if ((size_t)(end - at) < name || (size_t)(end - at) - name < description)
            return NULL;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof(ELF_NOTE_GNU) &&
            memcmp(at, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0) {
            *out_bytes = note->n_descsz;
            return (const unsigned char *)at + name;
        }
        at += name + description;
    }
    return NULL;
}

/* From what the loader has mapped: the header of the file is at its begin. NULL: there is none. */
static const unsigned char *find_build_id(const struct module *module, size_t *out_bytes)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)module->begin;
    const size_t room = module->end - module->begin;
    if (room < 4096 || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_phentsize != sizeof(ElfW(Phdr)) ||
        header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > 4096)
        return NULL;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(module->begin + header->e_phoff);
    const unsigned char *id = NULL;
    for (unsigned i = 0; i < header->e_phnum && !id; i++) {
        const uintptr_t at = module->base + segments[i].p_vaddr;
        if (segments[i].p_type == PT_NOTE && at >= module->begin && at < module->end &&
            segments[i].p_memsz <= module->end - at)
            id =
                build_id_among((const char *)at, (const char *)at + segments[i].p_memsz, out_bytes);
    }
    return id;
}

static void put_build_id(const struct module *module, char out[2 * BUILD_ID_BYTES + 1])
{
    size_t bytes = 0;
    const unsigned char *id = find_build_id(module, &bytes);
    out[0] = '\0';
    for (size_t i = 0; id && i < bytes && i < BUILD_ID_BYTES; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", id[i]);
}

/* The absolute path: the program may change its folder. */
static const char *full_path(const struct module *module, char out[PATH_MAX])
{
    const char *path = module->path[0] ? module->path : "/proc/self/exe";
    return realpath(path, out) ? out : module->path;
}

static void write_entry(const struct module *module)
{
    char id[2 * BUILD_ID_BYTES + 1];
    char path[PATH_MAX];
    put_build_id(module, id);
    const char *const texts[] = {full_path(module, path), id};
    const size_t bytes = record_texts_bytes(texts, 2);
    struct record_call call;
    struct twin_record_MODULE *f = RECORD_BEGIN_EVENT(&call, MODULE, bytes);
    f->begin = module->begin;
    f->end = module->end;
    f->base = module->base;
    f->text_bytes = (uint32_t)bytes;
    if (record_kept(&call))
        record_texts_put((char *)(f + 1), texts, 2);
    record_event(&call);
}

/* Forgets those whose place it has. */
static bool is_written_locked(const struct module *module)
{
    size_t kept = 0;
    for (size_t i = 0; i < module_count; i++) {
        const struct module *other = &modules[i];
        if (other->begin == module->begin && other->end == module->end &&
            other->base == module->base && other->key.low == module->key.low &&
            other->key.high == module->key.high)
            return true;
        if (other->begin >= module->end || module->begin >= other->end)
            modules[kept++] = *other;
    }
    if (kept != module_count)
        atomic_fetch_add_explicit(&replaced, 1, memory_order_relaxed);
    module_count = kept;
    if (module_count < MODULES_KEPT)
        modules[module_count++] = *module;
    return false;
}

static void write_once(struct module *module)
{
    size_t bytes = 0;
    const unsigned char *id = find_build_id(module, &bytes);
    record_key_start(&module->key);
    record_key_add(&module->key, module->path, strlen(module->path));
    if (id)
        record_key_add(&module->key, id, bytes);
    pthread_mutex_lock(&modules_lock);
    if (!is_written_locked(module))
        write_entry(module);
    pthread_mutex_unlock(&modules_lock);
}

/* The first bytes of the build ID, if they are on the page of the header, which a module in the
 * same place has too. */
static uint64_t id_at(uintptr_t place)
{
    uint64_t id = 0;
    if (place)
        memcpy(&id, (const void *)place, sizeof(id));
    return id;
}

static bool is_last(const struct record_module *last, const struct module *module)
{
    return last->begin == module->begin && last->end == module->end && last->base == module->base &&
           last->path == module->path && last->id == id_at(last->id_at) &&
           last->replaced == atomic_load_explicit(&replaced, memory_order_relaxed);
}

static void write_new(struct module *module)
{
    struct record_thread *self = &record_self;
    if (is_last(&self->module, module))
        return;
    write_once(module);
    if (!module->path[0]) { /* never closed */
        self->program_begin = module->begin;
        self->program_bytes = module->end - module->begin;
        self->settled_bytes = record_stacks_wanted ? 0 : self->program_bytes;
        return;
    }
    size_t bytes = 0;
    const uintptr_t id = (uintptr_t)find_build_id(module, &bytes);
    const bool near = bytes >= sizeof(uint64_t) && id + bytes <= module->begin + 4096;
    self->module =
        (struct record_module){.begin = module->begin,
                               .end = module->end,
                               .base = module->base,
                               .path = module->path,
                               .id_at = near ? id : 0,
                               .id = id_at(near ? id : 0),
                               .replaced = atomic_load_explicit(&replaced, memory_order_relaxed)};
}

unsigned record_module(uintptr_t address)
{
    const struct record_thread *self = &record_self;
    struct module module;
    if (address - self->program_begin >= self->program_bytes && find(address, &module))
        write_new(&module);
    return atomic_load_explicit(&replaced, memory_order_relaxed);
}

void record_new_site(uintptr_t site)
{
    if (!record_stacks_wanted)
        (void)record_module(site);
    else if (atomic_load_explicit(&record_global.active, memory_order_relaxed))
        record_stack(site);
}

bool record_same_module(uintptr_t a, uintptr_t b)
{
    struct module module;
    return find(a, &module) && b >= module.begin && b < module.end;
}

void record_modules_forget(void)
{
    pthread_mutex_lock(&modules_lock);
    module_count = 0;
    pthread_mutex_unlock(&modules_lock);
}
