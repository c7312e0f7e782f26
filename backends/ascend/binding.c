/* SPDX-License-Identifier: Apache-2.0 */
/* Calls between the vendor's libraries stay among them. The dynamic linker gives a function to the
 * first library of the process that has it, and this runtime, whose names are the vendor's, was
 * there first: such a call would come back to us, under locks that we hold. RTLD_DEEPBIND would
 * prevent it, and more: it also parts the vendor's C++ from the program's (std::cout of a program
 * is a copy that only the others would use), and its free() from a malloc() that is preloaded. So
 * the linker does as always, and the few entries that lead to us are corrected. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "linking.h"

#if defined(__x86_64__)
#define REL_ADDRESS R_X86_64_64
#define REL_DATA    R_X86_64_GLOB_DAT
#define REL_CALL    R_X86_64_JUMP_SLOT
#elif defined(__aarch64__)
#define REL_ADDRESS R_AARCH64_ABS64
#define REL_DATA    R_AARCH64_GLOB_DAT
#define REL_CALL    R_AARCH64_JUMP_SLOT
#else /* no board has such a host: nothing is corrected */
#define REL_ADDRESS UINT32_MAX
#define REL_DATA    UINT32_MAX
#define REL_CALL    UINT32_MAX
#endif
#if UINTPTR_MAX == UINT64_MAX
#define TYPE_OF   ELF64_R_TYPE
#define SYMBOL_OF ELF64_R_SYM
#else
#define TYPE_OF   ELF32_R_TYPE
#define SYMBOL_OF ELF32_R_SYM
#endif

#define PUBLIC_NAMES "acl" /* how the names of the public interface begin, and no others */

/* Names of the layer below it that this runtime has, too. */
static const char *const lower_names[] = {
#include "rt_names.inc"
};

static bool is_ours(const char *name)
{
    if (strncmp(name, PUBLIC_NAMES, sizeof(PUBLIC_NAMES) - 1) == 0)
        return true;
    for (size_t i = 0; i < sizeof(lower_names) / sizeof(lower_names[0]); i++)
        if (strcmp(name, lower_names[i]) == 0)
            return true;
    return false;
}

/* A loaded library: its address and its segments. */
typedef struct object {
    uintptr_t base;
    const ElfW(Phdr) * parts;
    size_t part_count;
} object;

typedef struct gathering {
    size_t before, seen, count, room;
    object *list;
    char *stub;
    size_t stub_bytes;
} gathering;

static int count_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)info;
    (void)size;
    ++*(size_t *)context;
    return 0;
}

size_t ascend_objects_loaded(void)
{
    size_t count = 0;
    (void)dl_iterate_phdr(count_object, &count);
    return count;
}

/* Under the linker's lock: nothing is asked of it here. */
static int gather(struct dl_phdr_info *info, size_t size, void *context)
{
    gathering *to = context;
    (void)size;
    if (to->seen++ < to->before)
        return 0;
    if (to->count == to->room) {
        size_t room = to->room ? 2 * to->room : 64;
        object *list = realloc(to->list, room * sizeof(*list));
        if (!list)
            return 1;
        to->list = list;
        to->room = room;
    }
    to->list[to->count++] = (object){.base = (uintptr_t)info->dlpi_addr,
                                     .parts = info->dlpi_phdr,
                                     .part_count = info->dlpi_phnum};
    if (to->stub[0] == '\0' && info->dlpi_name &&
        (strstr(info->dlpi_name, "/devlib/") || strstr(info->dlpi_name, "/stub/")))
        snprintf(to->stub, to->stub_bytes, "%s", info->dlpi_name);
    return 0;
}

/* What is needed of the dynamic section. */
typedef struct tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * lists[2];
    size_t bytes[2];
} tables;

static const void *at(const object *in, ElfW(Addr) address)
{
    uintptr_t where = (uintptr_t)address;
    return (const void *)(where < in->base ? where + in->base : where);
}

static void read_tables(const object *in, tables *out)
{
    const ElfW(Dyn) *entry = NULL;
    bool calls_are_rela = false;
    *out = (tables){0};
    for (size_t i = 0; i < in->part_count; i++)
        if (in->parts[i].p_type == PT_DYNAMIC)
            entry = (const void *)(in->base + in->parts[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_SYMTAB:
            out->symbols = at(in, entry->d_un.d_ptr);
            break;
        case DT_STRTAB:
            out->names = at(in, entry->d_un.d_ptr);
            break;
        case DT_RELA:
            out->lists[0] = at(in, entry->d_un.d_ptr);
            break;
        case DT_RELASZ:
            out->bytes[0] = entry->d_un.d_val;
            break;
        case DT_JMPREL:
            out->lists[1] = at(in, entry->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            out->bytes[1] = entry->d_un.d_val;
            break;
        case DT_PLTREL:
            calls_are_rela = entry->d_un.d_val == DT_RELA;
            break;
        default:
            break;
        }
    }
    if (!calls_are_rela)
        out->bytes[1] = 0;
}

/* Entries may be in pages that the linker has made read-only after relocation. */
static void write_entry(const object *in, uintptr_t where, uintptr_t value)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)(where & ~(page - 1));
    bool shut = false;
    for (size_t i = 0; i < in->part_count; i++) {
        uintptr_t first = in->base + in->parts[i].p_vaddr;
        shut = shut || (in->parts[i].p_type == PT_GNU_RELRO && where >= (first & ~(page - 1)) &&
                        where < first + in->parts[i].p_memsz);
    }
    if (shut && mprotect(start, page, PROT_READ | PROT_WRITE) != 0)
        return;
    __atomic_store_n((uintptr_t *)where, value, __ATOMIC_RELAXED);
    if (shut)
        (void)mprotect(start, page, PROT_READ);
}

static void bind_entry(const object *in, const tables *of, const ElfW(Rela) * entry, void *library)
{
    const uint32_t kind = (uint32_t)TYPE_OF(entry->r_info);
    const ElfW(Sym) *symbol = &of->symbols[SYMBOL_OF(entry->r_info)];
    if (kind != REL_ADDRESS && kind != REL_DATA && kind != REL_CALL)
        return;
    const char *name = of->names + symbol->st_name;
    if (!is_ours(name))
        return;
    const void *meant = dlsym(library, name);
    uintptr_t where = in->base + entry->r_offset;
    uintptr_t value =
        (uintptr_t)meant + (kind == REL_ADDRESS ? (uintptr_t)entry->r_addend : (uintptr_t)0);
    if (meant && *(const uintptr_t *)where != value)
        write_entry(in, where, value);
}

static void bind_object(const object *in, void *library)
{
    tables of;
    read_tables(in, &of);
    for (size_t list = 0; of.symbols && of.names && list < 2; list++)
        for (size_t i = 0; of.lists[list] && i < of.bytes[list] / sizeof(ElfW(Rela)); i++)
            bind_entry(in, &of, &of.lists[list][i], library);
}

void ascend_bind_inner(void *library, size_t before, char *out_stub, size_t bytes)
{
    gathering all = {.before = before, .stub = out_stub, .stub_bytes = bytes};
    out_stub[0] = '\0';
    (void)dl_iterate_phdr(gather, &all);
    for (size_t i = 0; i < all.count; i++)
        bind_object(&all.list[i], library);
    free(all.list);
}
