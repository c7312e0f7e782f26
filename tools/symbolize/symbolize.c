/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolize/symbolize.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "recording/containers.h"

#define LEVELS_MOST 256u /* of scopes within each other: more than programs have */

/* Of libstdc++: the name of a function of C++; NULL: it is none. The caller frees it. */
char *__cxa_demangle(const char *name, char *out, size_t *bytes, int *status);

/* A place that was looked up: programs call from few of them. */
struct place {
    UT_hash_handle hh;
    uint64_t offset;
    struct symbol symbol;
};

/* A file, alone in an address space, so that its addresses are those that it counts. */
struct module {
    UT_hash_handle hh;
    Dwfl *files;
    Dwfl_Module *file; /* NULL: it cannot be read */
    struct place *places;
    char path[];
};

struct symbolizer {
    struct module *modules;
};

static void free_module(struct module *module)
{
    HASH_FREE_ALL(module->places);
    dwfl_end(module->files);
    free(module);
}

struct symbolizer *symbolizer_new(void)
{
    return calloc(1, sizeof(struct symbolizer));
}

void symbolizer_free(struct symbolizer *symbolizer)
{
    if (!symbolizer)
        return;
    struct module *module;
    struct module *next;
    HASH_ITER(hh, symbolizer->modules, module, next)
    {
        HASH_DELETE(hh, symbolizer->modules, module);
        free_module(module);
    }
    free(symbolizer);
}

static struct module *module_of(struct symbolizer *symbolizer, const char *path)
{
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
    };
    const size_t length = strlen(path);
    struct module *module = NULL;
    HASH_FIND(hh, symbolizer->modules, path, length, module);
    if (module)
        return module;
    module = calloc(1, sizeof(*module) + length + 1);
    if (!module)
        return NULL;
    memcpy(module->path, path, length);
    struct stat present;
    /* libdw would wait for a process that writes into a FIFO */
    if (stat(path, &present) == 0 && S_ISREG(present.st_mode))
        module->files = dwfl_begin(&callbacks);
    if (module->files) {
        module->file = dwfl_report_elf(module->files, path, path, -1, 0, true);
        (void)dwfl_report_end(module->files, NULL, NULL);
    }
    HASH_ADD(hh, symbolizer->modules, path, length, module);
    if (!module->hh.tbl) {
        free_module(module);
        return NULL;
    }
    return module;
}

static bool is_same_build(Dwfl_Module *file, const void *build_id, size_t bytes)
{
    const unsigned char *bits = NULL;
    GElf_Addr address;
    const int length = dwfl_module_build_id(file, &bits, &address);
    return length > 0 && (size_t)length == bytes && memcmp(bits, build_id, bytes) == 0;
}

/* The compilation unit of an address; NULL: there is no debug information. clang writes no table of
 * addresses, so all are asked. */
static Dwarf_Die *unit_at(Dwfl_Module *file, Dwarf_Addr address, Dwarf_Addr *out_bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(file, address, out_bias);
    if (unit)
        return unit;
    do
        unit = dwfl_module_nextcu(file, unit, out_bias);
    while (unit && dwarf_haspc(unit, address - *out_bias) <= 0);
    return unit;
}

/* The innermost function there, inlined ones too, by its debug information; NULL: there is none.
 * dwarf_getscopes does not look into namespaces, where clang puts definitions. Scopes nested deeper
 * than `levels` are not looked into. */
static const char *function_of(Dwarf_Die *scope, Dwarf_Addr address, unsigned levels)
{
    Dwarf_Die child;
    const char *name = NULL;
    if (levels == 0 || dwarf_child(scope, &child) != 0)
        return NULL;
    do {
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_namespace || dwarf_haspc(&child, address) > 0)
            name = function_of(&child, address, levels - 1);
        if (!name && (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) &&
            dwarf_haspc(&child, address) > 0)
            name = dwarf_diename(&child);
    } while (!name && dwarf_siblingof(&child, &child) == 0);
    return name;
}

static void put_function(Dwfl_Module *file, Dwarf_Addr address, struct symbol *out)
{
    GElf_Off offset = 0;
    GElf_Sym symbol;
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = unit_at(file, address, &bias);
    const char *name = unit ? function_of(unit, address - bias, LEVELS_MOST) : NULL;
    if (!name)
        name = dwfl_module_addrinfo(file, address, &offset, &symbol, NULL, NULL, NULL);
    /* a symbol without a size takes all that comes after it */
    if (!name || (offset != 0 && symbol.st_size == 0))
        return;
    int status = 0;
    char *plain =
        name[0] == '_' && name[1] == 'Z' ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
    (void)snprintf(out->function, sizeof(out->function), "%s", plain ? plain : name);
    free(plain);
}

/* Takes "name/.." and "." out of a path: build tools start the compiler in a folder of their
 * own. */
static void shorten(char *path)
{
    char *end = path;
    for (const char *at = path; *at;) {
        const size_t length = strcspn(at + 1, "/") + 1; /* of "/name" */
        if (length == 3 && memcmp(at, "/..", 3) == 0) {
            while (end > path && *--end != '/')
                ;
        } else if (length > 1 && !(length == 2 && at[1] == '.')) {
            memmove(end, at, length);
            end += length;
        }
        at += length;
    }
    *end = '\0';
}

static void put_line(Dwfl_Module *file, Dwarf_Addr address, struct symbol *out)
{
    int line = 0;
    Dwarf_Addr bias = 0;
    Dwarf_Attribute attribute;
    Dwarf_Die *unit = unit_at(file, address, &bias);
    Dwarf_Line *place = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
    const char *name = place ? dwarf_linesrc(place, NULL, NULL) : NULL;
    if (!name || dwarf_lineno(place, &line) != 0 || line <= 0)
        return;
    const char *folder = NULL;
    if (name[0] != '/')
        folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    (void)snprintf(out->file, sizeof(out->file), "%s%s%s", folder ? folder : "", folder ? "/" : "",
                   name);
    if (out->file[0] == '/')
        shorten(out->file);
    out->line = (uint32_t)line;
}

/* ---- places that were compiled into each other ----------------------------------------------- */

struct places {
    Dwarf_Die *unit;
    Dwarf_Files *files;
    size_t file_count;
    struct source_place *list;
    size_t count, most;
};

static void add_place(struct places *places, const char *name, int line)
{
    Dwarf_Attribute attribute;
    if (!name || line <= 0 || places->count == places->most)
        return;
    struct source_place *place = &places->list[places->count++];
    const char *folder = NULL;
    if (name[0] != '/')
        folder = dwarf_formstring(dwarf_attr(places->unit, DW_AT_comp_dir, &attribute));
    (void)snprintf(place->file, sizeof(place->file), "%s%s%s", folder ? folder : "",
                   folder ? "/" : "", name);
    if (place->file[0] == '/')
        shorten(place->file);
    place->line = (uint32_t)line;
}

/* Where an inlined function is called. */
static void add_call(struct places *places, Dwarf_Die *inlined)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) == 0 &&
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) == 0 &&
        file < places->file_count)
        add_place(places, dwarf_filesrc(places->files, file, NULL, NULL), (int)line);
}

/* The innermost first. */
static void add_calls(struct places *places, Dwarf_Die *scope, Dwarf_Addr address, unsigned levels)
{
    Dwarf_Die child;
    if (levels == 0 || dwarf_child(scope, &child) != 0)
        return;
    do {
        const bool has = dwarf_haspc(&child, address) > 0;
        if (has || dwarf_tag(&child) == DW_TAG_namespace)
            add_calls(places, &child, address, levels - 1);
        if (has && dwarf_tag(&child) == DW_TAG_inlined_subroutine)
            add_call(places, &child);
    } while (dwarf_siblingof(&child, &child) == 0);
}

size_t symbolizer_inlined(struct symbolizer *symbolizer, const char *path, uint64_t offset,
                          struct source_place *list, size_t most)
{
    struct module *module = module_of(symbolizer, path);
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = module && module->file ? unit_at(module->file, offset, &bias) : NULL;
    struct places places = {.unit = unit, .list = list, .most = most};
    int line = 0;
    Dwarf_Line *row = unit ? dwarf_getsrc_die(unit, offset - bias) : NULL;
    if (!row || dwarf_lineno(row, &line) != 0)
        return 0;
    add_place(&places, dwarf_linesrc(row, NULL, NULL), line);
    if (dwarf_getsrcfiles(unit, &places.files, &places.file_count) == 0)
        add_calls(&places, unit, offset - bias, LEVELS_MOST);
    struct source_place primary = {.line = 0};
    struct places one = {.unit = unit, .list = &primary, .most = 1};
    add_place(&one, dwarf_diename(unit), 1);
    for (size_t i = 0; i < places.count; i++)
        list[i].primary = strcmp(list[i].file, primary.file) == 0;
    return places.count;
}

void symbolizer_look(struct symbolizer *symbolizer, const char *path, const void *build_id,
                     size_t build_id_bytes, uint64_t offset, struct symbol *out)
{
    *out = (struct symbol){0};
    struct module *module = module_of(symbolizer, path);
    struct place *place = NULL;
    if (!module || !module->file ||
        (build_id_bytes > 0 && !is_same_build(module->file, build_id, build_id_bytes)))
        return;
    HASH_FIND(hh, module->places, &offset, sizeof(offset), place);
    if (place) {
        *out = place->symbol;
        return;
    }
    put_function(module->file, offset, out);
    put_line(module->file, offset, out);
    HASH_ENSURE(module->places, offset, offset, place);
    if (place)
        place->symbol = *out;
}
