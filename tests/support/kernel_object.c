/* SPDX-License-Identifier: Apache-2.0 */
#include "support/kernel_object.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void store(unsigned char *at, uint64_t value, unsigned bytes, bool big_endian)
{
    for (unsigned i = 0; i < bytes; i++)
        at[big_endian ? bytes - 1 - i : i] = (unsigned char)(value >> (8 * i));
}

static void must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "kernel_object: %s\n", what);
    abort();
}

/* ---- metadata -------------------------------------------------------------------------------- */

void meta_begin(object_meta *meta, bool big_endian)
{
    meta->big_endian = big_endian;
    meta->count = 0;
}

void meta_record(object_meta *meta, uint16_t type, const void *body, uint16_t bytes)
{
    must(meta->count + 4 + bytes <= META_BYTES, "too much metadata");
    unsigned char *at = meta->bytes + meta->count;
    store(at, type, 2, meta->big_endian);
    store(at + 2, bytes, 2, meta->big_endian);
    if (bytes > 0)
        memcpy(at + 4, body, bytes);
    meta->count += 4 + (size_t)bytes;
}

void meta_word(object_meta *meta, uint16_t type, uint32_t value)
{
    unsigned char body[4];
    store(body, value, 4, meta->big_endian);
    meta_record(meta, type, body, sizeof(body));
}

void meta_ratio(object_meta *meta, uint16_t cube, uint16_t vector)
{
    unsigned char body[4];
    store(body, cube, 2, meta->big_endian);
    store(body + 2, vector, 2, meta->big_endian);
    meta_record(meta, 3, body, sizeof(body));
}

void meta_key(object_meta *meta, uint8_t flag, uint64_t key)
{
    unsigned char body[12] = {flag};
    memcpy(body + 4, &key, sizeof(key));
    meta_record(meta, 14, body, sizeof(body));
}

void meta_params(object_meta *meta, uint32_t count, uint64_t bytes)
{
    unsigned char body[12];
    store(body, count, 4, meta->big_endian);
    store(body + 4, bytes, 8, meta->big_endian);
    meta_record(meta, 16, body, sizeof(body));
}

void meta_param(object_meta *meta, uint32_t ordinal, uint32_t offset, uint32_t bytes)
{
    unsigned char body[36] = {0};
    store(body, ordinal, 4, meta->big_endian);
    store(body + 4, ordinal, 4, meta->big_endian);
    store(body + 8, offset, 4, meta->big_endian);
    store(body + 12, bytes, 4, meta->big_endian);
    meta_record(meta, 17, body, sizeof(body));
}

/* ---- the object ------------------------------------------------------------------------------ */

void object_begin(kernel_object *object, bool big_endian)
{
    memset(object, 0, sizeof(*object));
    object->big_endian = big_endian;
    object->version = EV_CURRENT;
    object->section_count = 1; /* the first one is none */
    object->symbol_count = 1;
    object->symbols = calloc(OBJECT_SYMBOLS, sizeof(*object->symbols));
    object->metas = calloc(OBJECT_SECTIONS, sizeof(*object->metas));
    object->bytes = calloc(1, OBJECT_BYTES);
    must(object->symbols && object->metas && object->bytes, "no memory");
}

void object_end(kernel_object *object)
{
    free(object->symbols);
    free(object->metas);
    free(object->bytes);
}

uint16_t object_add_section(kernel_object *object, const char *name, uint32_t type, uint64_t flags,
                            const void *data, size_t bytes)
{
    must(object->section_count < OBJECT_SECTIONS, "too many sections");
    object_section *section = &object->sections[object->section_count];
    snprintf(section->name, sizeof(section->name), "%s", name);
    section->type = type;
    section->flags = flags;
    section->data = data;
    section->bytes = bytes;
    return (uint16_t)object->section_count++;
}

uint16_t object_add_meta(kernel_object *object, const char *symbol, const object_meta *meta)
{
    char name[112];
    snprintf(name, sizeof(name), ".ascend.meta%s%s", symbol ? "." : "", symbol ? symbol : "");
    object_meta *copy = &object->metas[object->section_count];
    *copy = *meta;
    return object_add_section(object, name, SHT_PROGBITS, 0, copy->bytes, copy->count);
}

void object_add_symbol(kernel_object *object, const char *name, uint8_t info, uint16_t section,
                       uint64_t value, uint64_t bytes)
{
    must(object->symbol_count < OBJECT_SYMBOLS, "too many symbols");
    object_symbol *symbol = &object->symbols[object->symbol_count++];
    snprintf(symbol->name, sizeof(symbol->name), "%s", name);
    symbol->info = info;
    symbol->section = section;
    symbol->value = value;
    symbol->bytes = bytes;
}

void object_add_kernel(kernel_object *object, const char *name, uint64_t value, uint64_t bytes)
{
    object_add_symbol(object, name, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 1, value, bytes);
}

/* ---- writing --------------------------------------------------------------------------------- */

static uint64_t put(kernel_object *object, const void *data, size_t bytes)
{
    must(object->count + bytes + 8 < OBJECT_BYTES, "too large");
    const uint64_t offset = object->count;
    if (bytes > 0)
        memcpy(object->bytes + offset, data, bytes);
    object->count = (offset + bytes + 7) & ~(size_t)7;
    return offset;
}

/* Adds text to a table of strings and gives its place. */
static uint32_t add_text(char *table, size_t *used, const char *text)
{
    const size_t at = *used;
    const size_t bytes = strlen(text) + 1;
    must(at + bytes < OBJECT_BYTES / 4, "too many names");
    memcpy(table + at, text, bytes);
    *used += bytes;
    return (uint32_t)at;
}

static void write_symbols(kernel_object *object, char *names, size_t *used)
{
    const uint16_t strings = (uint16_t)(object->section_count + 1);
    unsigned char entries[OBJECT_SYMBOLS * sizeof(Elf64_Sym)] = {0};
    for (uint32_t i = 1; i < object->symbol_count; i++) {
        const object_symbol *symbol = &object->symbols[i];
        unsigned char *at = entries + i * sizeof(Elf64_Sym);
        const uint32_t name = symbol->name[0] ? add_text(names, used, symbol->name) : 0;
        store(at, name, 4, object->big_endian);
        at[4] = symbol->info;
        at[5] = symbol->other;
        store(at + 6, symbol->section, 2, object->big_endian);
        store(at + 8, symbol->value, 8, object->big_endian);
        store(at + 16, symbol->bytes, 8, object->big_endian);
    }
    const size_t bytes = object->symbol_count * sizeof(Elf64_Sym);
    const uint16_t table = object_add_section(object, ".symtab", SHT_SYMTAB, 0, entries, bytes);
    object->sections[table].offset = put(object, entries, bytes);
    object->sections[table].link = strings;
    object->sections[table].info = 1;
    object->sections[table].entry_bytes = sizeof(Elf64_Sym);
}

static void write_header(kernel_object *object, uint64_t table)
{
    const bool big = object->big_endian;
    unsigned char *at = object->bytes;
    static const unsigned char mark[SELFMAG] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3};
    memcpy(at, mark, sizeof(mark));
    at[EI_CLASS] = ELFCLASS64;
    at[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
    at[EI_VERSION] = EV_CURRENT;
    store(at + 16, ET_REL, 2, big);
    store(at + 18, object->machine, 2, big);
    store(at + 20, object->version, 4, big);
    store(at + 40, table, 8, big);
    store(at + 52, sizeof(Elf64_Ehdr), 2, big);
    store(at + 58, sizeof(Elf64_Shdr), 2, big);
    store(at + 60, object->section_count, 2, big);
    store(at + 62, object->section_count - 1, 2, big);
}

unsigned char *object_write(kernel_object *object, size_t *out_bytes)
{
    const uint32_t sections = object->section_count;
    char *names = calloc(1, OBJECT_BYTES / 4);
    char *titles = calloc(1, OBJECT_BYTES / 4);
    must(names && titles, "no memory");
    size_t names_used = 1;
    size_t titles_used = 1;
    object->count = sizeof(Elf64_Ehdr);
    for (uint32_t i = 1; i < sections; i++) {
        object_section *section = &object->sections[i];
        section->offset =
            put(object, section->data, section->type == SHT_NOBITS ? 0 : section->bytes);
    }
    write_symbols(object, names, &names_used);
    const uint16_t strings =
        object_add_section(object, ".strtab", SHT_STRTAB, 0, names, names_used);
    object->sections[strings].offset = put(object, names, names_used);
    const uint16_t last = object_add_section(object, ".shstrtab", SHT_STRTAB, 0, NULL, 0);
    unsigned char headers[(OBJECT_SECTIONS + 3) * sizeof(Elf64_Shdr)] = {0};
    uint32_t title[OBJECT_SECTIONS];
    for (uint32_t i = 1; i < object->section_count; i++)
        title[i] = add_text(titles, &titles_used, object->sections[i].name);
    object->sections[last].bytes = titles_used;
    object->sections[last].offset = put(object, titles, titles_used);
    for (uint32_t i = 1; i < object->section_count; i++) {
        const object_section *section = &object->sections[i];
        unsigned char *at = headers + i * sizeof(Elf64_Shdr);
        store(at, title[i], 4, object->big_endian);
        store(at + 4, section->type, 4, object->big_endian);
        store(at + 8, section->flags, 8, object->big_endian);
        store(at + 24, section->offset, 8, object->big_endian);
        store(at + 32, section->bytes, 8, object->big_endian);
        store(at + 40, section->link, 4, object->big_endian);
        store(at + 44, section->info, 4, object->big_endian);
        store(at + 48, 1, 8, object->big_endian);
        store(at + 56, section->entry_bytes, 8, object->big_endian);
    }
    const uint64_t table = put(object, headers, object->section_count * sizeof(Elf64_Shdr));
    write_header(object, table);
    object->section_count = sections; /* it can be changed and written again */
    free(names);
    free(titles);
    unsigned char *copy = malloc(object->count);
    must(copy != NULL, "no memory");
    memcpy(copy, object->bytes, object->count);
    *out_bytes = object->count;
    return copy;
}
