/* SPDX-License-Identifier: Apache-2.0 */
/* Which files the code of the program comes from: an entry MODULE for each that a public call was made from, once. */
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
    const char *path;     /* of the loader; "" : the program */
};

static struct module modules[MODULES_KEPT]; /* guarded by modules_lock */
static size_t module_count;                 /* guarded by modules_lock */
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

/* From what the loader has mapped: the header of the file is at its begin. "": there is none. */
static void put_build_id(const struct module *module, char out[2 * BUILD_ID_BYTES + 1])
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)module->begin;
    const size_t room = module->end - module->begin;
    size_t bytes = 0;
    out[0] = '\0';
    if (room < 4096 || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_phentsize != sizeof(ElfW(Phdr)) ||
        header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > 4096)
        return;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(module->begin + header->e_phoff);
    const unsigned char *id = NULL;
    for (unsigned i = 0; i < header->e_phnum && !id; i++) {
        const uintptr_t at = module->base + segments[i].p_vaddr;
        if (segments[i].p_type == PT_NOTE && at >= module->begin && at < module->end &&
            segments[i].p_memsz <= module->end - at)
            id = build_id_among((const char *)at, (const char *)at + segments[i].p_memsz, &bytes);
    }
    for (size_t i = 0; id && i < bytes && i < BUILD_ID_BYTES; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", id[i]);
}

/* The path as anybody finds it: the program may change its folder. */
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
    struct twin_record_MODULE *f = RECORD_BEGIN(&call, MODULE, bytes);
    f->begin = module->begin;
    f->end = module->end;
    f->base = module->base;
    f->text_bytes = (uint32_t)bytes;
    if (record_kept(&call))
        record_texts_put((char *)(f + 1), texts, 2);
    record_event(&call);
}

static bool is_written_locked(const struct module *module)
{
    for (size_t i = 0; i < module_count; i++)
        if (modules[i].begin == module->begin && modules[i].end == module->end &&
            modules[i].base == module->base && modules[i].path == module->path)
            return true;
    if (module_count < MODULES_KEPT)
        modules[module_count++] = *module;
    return false;
}

static void write_once(const struct module *module)
{
    pthread_mutex_lock(&modules_lock);
    if (!is_written_locked(module))
        write_entry(module);
    pthread_mutex_unlock(&modules_lock);
}

void record_module(uintptr_t address)
{
    struct module module;
    if (find(address, &module))
        write_once(&module);
}

void record_new_site(uintptr_t site)
{
    struct record_thread *self = &record_self;
    struct module module;
    if (record_stacks_wanted) {
        if (atomic_load_explicit(&record_global.active, memory_order_relaxed))
            record_stack(site);
        return;
    }
    if (!find(site, &module))
        return;
    self->module_begin = module.begin;
    self->module_bytes = module.end - module.begin;
    write_once(&module);
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
