/* SPDX-License-Identifier: Apache-2.0 */
/* The ELF side of reading an image: sections, symbols, strings, through libelf. */
#include <gelf.h>
#include <libelf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/backend/error.h"
#include "core/base/alloc.h"
#include "core/image/image_parts.h"
#include "kernel/object.h"

#define NAME_BYTES_MOST 4096u /* longer names are not kernels */
#define META_SECTION    ".ascend.meta"
#define STACK_SECTION   ".ascend.stack.size.record"

/* The metadata of one symbol: its section. */
typedef struct meta_section {
    const char *symbol; /* in the file */
    twin_image_bytes bytes;
    uint32_t order;
    bool taken;
} meta_section;

typedef struct reader {
    Elf *elf;
    twin_image *image;
    bool big_endian;
    GElf_Ehdr header;
    size_t names; /* section of the sections' names */
    meta_section *metas;
    uint32_t meta_count;
    twin_image_symbol *symbols;
    uint32_t symbol_count;
    Elf_Scn *table; /* the symbol table */
    GElf_Shdr table_header;
    twin_image_bytes native; /* section of native kernels */
} reader;

static int32_t fail_elf(const char *what)
{
    return twin_fail(TWIN_ERR_BINARY, "the object is not a usable kernel image: %s", what);
}

static int32_t fail_memory(void)
{
    return twin_fail(TWIN_ERR_NOMEM, "no host memory for reading a kernel image");
}

static void begin_libelf(void)
{
    (void)elf_version(EV_CURRENT);
}

/* ---- the header ------------------------------------------------------------------------------ */

static int32_t copy_file(twin_image *image, const void *data, size_t bytes)
{
    if (bytes < sizeof(Elf64_Ehdr))
        return twin_fail(
            TWIN_ERR_BINARY,
            "the object is not a usable kernel image: it has %zu bytes, an ELF header %zu", bytes,
            sizeof(Elf64_Ehdr));
    const unsigned char *ident = data;
    if (memcmp(ident, ELFMAG, SELFMAG) != 0)
        return fail_elf("it does not begin as an ELF object does");
    if (ident[EI_CLASS] != ELFCLASS64)
        return fail_elf("it is not a 64-bit ELF object");
    image->file = twin_zalloc(bytes);
    if (!image->file)
        return fail_memory();
    memcpy(image->file, data, bytes);
    image->file_bytes = bytes;
    /* libelf is stricter than the loader of the board: these two bytes are taken as they are
     * there. */
    if (ident[EI_DATA] != ELFDATA2MSB)
        image->file[EI_DATA] = ELFDATA2LSB;
    image->file[EI_VERSION] = EV_CURRENT;
    return 0;
}

static bool is_inside(const reader *r, uint64_t offset, uint64_t bytes)
{
    return offset <= r->image->file_bytes && bytes <= r->image->file_bytes - offset;
}

static int32_t open_elf(reader *r)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin_libelf);
    r->elf = elf_memory((char *)r->image->file, r->image->file_bytes);
    if (!r->elf || elf_kind(r->elf) != ELF_K_ELF || !gelf_getehdr(r->elf, &r->header))
        return fail_elf(elf_errmsg(-1));
    r->big_endian = r->image->file[EI_DATA] == ELFDATA2MSB;
    size_t count = 0;
    if (elf_getshdrnum(r->elf, &count) != 0 || elf_getshdrstrndx(r->elf, &r->names) != 0)
        return fail_elf(elf_errmsg(-1));
    if (count == 0)
        return fail_elf("it has no sections");
    if (r->header.e_shentsize != sizeof(Elf64_Shdr) ||
        !is_inside(r, r->header.e_shoff, (uint64_t)count * sizeof(Elf64_Shdr)))
        return fail_elf("its table of sections leaves the file");
    GElf_Shdr names;
    Elf_Scn *section = r->names != SHN_UNDEF ? elf_getscn(r->elf, r->names) : NULL;
    if (r->names != SHN_UNDEF &&
        (!section || !gelf_getshdr(section, &names) || names.sh_type != SHT_STRTAB))
        return fail_elf("its e_shstrndx names no table of strings");
    return 0;
}

/* ---- sections -------------------------------------------------------------------------------- */

static const char *section_name(const reader *r, const GElf_Shdr *section)
{
    const char *name = elf_strptr(r->elf, r->names, section->sh_name);
    return name ? name : "";
}

static twin_image_bytes bytes_of(const reader *r, const GElf_Shdr *section)
{
    return (twin_image_bytes){r->image->file + section->sh_offset, section->sh_size, r->big_endian};
}

static uint64_t number_at(twin_image_bytes bytes, size_t at)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)bytes.at[at + (bytes.big_endian ? 7 - i : i)] << (8 * i);
    return value;
}

/* The stack that the image asks for: all records the same, and one of the two sizes; else none. */
static uint32_t read_stack(twin_image_bytes bytes)
{
    if (bytes.count < 8)
        return 0;
    const uint64_t first = number_at(bytes, 0);
    for (size_t at = 8; at + 8 <= bytes.count; at += 8)
        if (number_at(bytes, at) != first)
            return 0;
    return first == 16384 || first == 32768 ? (uint32_t)first : 0;
}

static int32_t note_meta(reader *r, const char *symbol, const GElf_Shdr *section)
{
    if (!symbol[0] || strlen(symbol) >= NAME_BYTES_MOST)
        return 0;
    meta_section *grown = twin_regrow(r->metas, r->meta_count + (size_t)1, sizeof(*r->metas));
    if (!grown)
        return fail_memory();
    r->metas = grown;
    grown[r->meta_count] =
        (meta_section){.symbol = symbol, .bytes = bytes_of(r, section), .order = r->meta_count};
    r->meta_count++;
    return 0;
}

/* A section that is known by its name. */
static int32_t take_named(reader *r, const GElf_Shdr *section)
{
    const char *name = section_name(r, section);
    if (strcmp(name, ".data") == 0) {
        r->image->writable = true;
    } else if (strcmp(name, META_SECTION) == 0) {
        r->image->implicit |= twin_meta_read_image(bytes_of(r, section));
    } else if (strcmp(name, STACK_SECTION) == 0) {
        r->image->stack_bytes = read_stack(bytes_of(r, section));
    } else if (strcmp(name, TWIN_NATIVE_SECTION) == 0) {
        r->native = bytes_of(r, section);
    } else if (strncmp(name, META_SECTION ".", sizeof(META_SECTION)) == 0) {
        return note_meta(r, name + sizeof(META_SECTION), section);
    }
    return 0;
}

/* The name of the library, when the image is a linked one that says so. */
static int32_t read_dynamic(reader *r, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const size_t count = data ? data->d_size / sizeof(Elf64_Dyn) : 0;
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        GElf_Dyn entry;
        if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag == DT_NULL)
            break;
        const char *name =
            entry.d_tag == DT_SONAME ? elf_strptr(r->elf, header->sh_link, entry.d_un.d_val) : NULL;
        if (!name)
            continue;
        twin_free(r->image->library_name);
        r->image->library_name = twin_strdup(name);
        if (!r->image->library_name)
            return fail_memory();
    }
    return 0;
}

static int32_t take_section(reader *r, Elf_Scn *section, uint64_t *slice_end, bool *loads)
{
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header))
        return fail_elf(elf_errmsg(-1));
    if (header.sh_type == SHT_NULL || header.sh_type == SHT_NOBITS)
        return 0;
    if (!is_inside(r, header.sh_offset, header.sh_size))
        return twin_fail(
            TWIN_ERR_BINARY,
            "the object is not a usable kernel image: section %zu, %llu bytes at %llu, "
            "leaves the file of %zu bytes",
            elf_ndxscn(section), (unsigned long long)header.sh_size,
            (unsigned long long)header.sh_offset, r->image->file_bytes);
    if ((header.sh_flags & SHF_ALLOC) != 0 && header.sh_size > 0) {
        if (!*loads)
            r->image->slice_offset = header.sh_offset;
        *loads = true;
        *slice_end = header.sh_offset + header.sh_size;
    }
    if (header.sh_type == SHT_SYMTAB && header.sh_entsize != 0 && !r->table) {
        r->table = section;
        r->table_header = header;
    }
    if (header.sh_type == SHT_DYNAMIC)
        return read_dynamic(r, section, &header);
    if (header.sh_type == SHT_PROGBITS || header.sh_type == SHT_NOTE)
        return take_named(r, &header);
    return 0;
}

static int32_t read_sections(reader *r)
{
    uint64_t slice_end = 0;
    bool loads = false;
    for (Elf_Scn *section = elf_nextscn(r->elf, NULL); section;
         section = elf_nextscn(r->elf, section)) {
        const int32_t code = take_section(r, section, &slice_end, &loads);
        if (code != 0)
            return code;
    }
    if (!loads)
        return fail_elf("none of its sections is loaded (SHF_ALLOC)");
    if (slice_end < r->image->slice_offset)
        return fail_elf("its loaded sections are not in the order of the file");
    r->image->slice_bytes = slice_end - r->image->slice_offset;
    return 0;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static int32_t note_global(reader *r, const char *name, const GElf_Sym *symbol)
{
    GElf_Shdr home;
    Elf_Scn *section =
        symbol->st_shndx < SHN_LORESERVE ? elf_getscn(r->elf, symbol->st_shndx) : NULL;
    if (!section || !gelf_getshdr(section, &home) || home.sh_type == SHT_NOBITS)
        return 0; /* its section is not part of the image */
    const twin_image *image = r->image;
    const uint64_t offset = home.sh_offset + (symbol->st_value - home.sh_addr);
    const uint64_t place = offset - image->slice_offset;
    if (offset < image->slice_offset || place > image->slice_bytes ||
        symbol->st_size > image->slice_bytes - place)
        return 0;
    twin_image_global *grown = twin_regrow(r->image->globals, r->image->global_count + (size_t)1,
                                           sizeof(*r->image->globals));
    char *copy = grown ? twin_strdup(name) : NULL;
    if (grown)
        r->image->globals = grown;
    if (!copy)
        return fail_memory();
    grown[r->image->global_count++] = (twin_image_global){copy, place, symbol->st_size};
    return 0;
}

static int32_t note_kernel(reader *r, const char *name, const GElf_Sym *symbol)
{
    if (symbol->st_value > r->image->slice_bytes ||
        symbol->st_size > r->image->slice_bytes - symbol->st_value)
        return twin_fail(TWIN_ERR_BINARY,
                         "kernel symbol \"%s\", %llu bytes at %llu, leaves the image of %llu bytes",
                         name, (unsigned long long)symbol->st_size,
                         (unsigned long long)symbol->st_value,
                         (unsigned long long)r->image->slice_bytes);
    twin_image_symbol *grown =
        twin_regrow(r->symbols, r->symbol_count + (size_t)1, sizeof(*r->symbols));
    if (!grown)
        return fail_memory();
    r->symbols = grown;
    grown[r->symbol_count] = (twin_image_symbol){.name = name,
                                                 .offset = symbol->st_value,
                                                 .bytes = symbol->st_size,
                                                 .order = r->symbol_count};
    r->symbol_count++;
    return 0;
}

static int32_t take_symbol(reader *r, const GElf_Sym *symbol)
{
    const unsigned type = GELF_ST_TYPE(symbol->st_info);
    if (GELF_ST_BIND(symbol->st_info) != STB_GLOBAL || symbol->st_name == 0 ||
        (type != STT_FUNC && type != STT_OBJECT))
        return 0;
    const char *name = elf_strptr(r->elf, r->table_header.sh_link, symbol->st_name);
    if (!name)
        return fail_elf("the name of a symbol leaves the table of names");
    if (strlen(name) >= NAME_BYTES_MOST)
        return 0;
    if (type == STT_OBJECT)
        return note_global(r, name, symbol);
    if (GELF_ST_VISIBILITY(symbol->st_other) == STV_HIDDEN)
        return 0;
    return note_kernel(r, name, symbol);
}

static int32_t read_symbols(reader *r)
{
    Elf_Data *data = r->table ? elf_getdata(r->table, NULL) : NULL;
    const size_t count = data ? data->d_size / sizeof(Elf64_Sym) : 0;
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            return fail_elf(elf_errmsg(-1));
        const int32_t code = take_symbol(r, &symbol);
        if (code != 0)
            return code;
    }
    if (r->symbol_count == 0)
        return fail_elf("it has no global function that is not hidden, so no kernel");
    return 0;
}

/* ---- metadata -------------------------------------------------------------------------------- */

/* Of two sections for one symbol the last one counts. */
static int by_symbol(const void *left, const void *right)
{
    const meta_section *a = left;
    const meta_section *b = right;
    const int names = strcmp(a->symbol, b->symbol);
    if (names != 0)
        return names;
    return a->order > b->order ? -1 : a->order < b->order;
}

static meta_section *find_meta(const reader *r, const char *symbol)
{
    uint32_t low = 0;
    uint32_t high = r->meta_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp(r->metas[middle].symbol, symbol) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->meta_count && strcmp(r->metas[low].symbol, symbol) == 0 ? &r->metas[low] : NULL;
}

static int32_t read_metas(reader *r)
{
    if (r->meta_count > 0)
        qsort(r->metas, r->meta_count, sizeof(*r->metas), by_symbol);
    for (uint32_t i = 0; i < r->symbol_count; i++) {
        meta_section *meta = find_meta(r, r->symbols[i].name);
        if (!meta)
            continue;
        if (meta->taken)
            return twin_fail(TWIN_ERR_BINARY, "kernel symbol \"%s\" appears twice",
                             r->symbols[i].name);
        meta->taken = true;
        const int32_t code =
            twin_meta_read_kernel(r->symbols[i].name, meta->bytes, &r->symbols[i].meta);
        if (code != 0)
            return code;
        r->symbols[i].has_meta = true;
    }
    return 0;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const twin_image_global *)left)->name,
                  ((const twin_image_global *)right)->name);
}

/* Stack class in the header, of images without a section for it. */
static uint32_t stack_in_header(uint64_t version)
{
    const uint64_t class = version >> 8 & 0xff;
    if (version >> 16 != 0x5a5a)
        return 0;
    return class == 1 ? 16384 : class == 2 ? 32768 : 0;
}

static int32_t read_all(reader *r, const twin_image_defaults *defaults)
{
    int32_t code = open_elf(r);
    if (code == 0)
        code = read_sections(r);
    if (code == 0)
        code = twin_image_take_native(r->image, r->native);
    if (code == 0)
        code = read_symbols(r);
    if (code == 0)
        code = read_metas(r);
    if (code == 0)
        code = twin_image_build_kernels(r->image, defaults, r->symbols, r->symbol_count);
    if (code != 0)
        return code;
    if (r->image->global_count > 0)
        qsort(r->image->globals, r->image->global_count, sizeof(*r->image->globals), by_name);
    if (r->image->stack_bytes == 0)
        r->image->stack_bytes = stack_in_header(r->header.e_version);
    return 0;
}

int32_t twin_image_read(const void *data, size_t bytes, const twin_image_defaults *defaults,
                        twin_image **out_image)
{
    reader r = {.image = twin_zalloc(sizeof(twin_image))};
    if (!r.image)
        return fail_memory();
    int32_t code = twin_image_check_native(data, bytes);
    if (code == 0)
        code = copy_file(r.image, data, bytes);
    if (code == 0)
        code = read_all(&r, defaults);
    for (uint32_t i = 0; i < r.symbol_count; i++)
        twin_free(r.symbols[i].meta.params);
    twin_free(r.symbols);
    twin_free(r.metas);
    if (r.elf)
        elf_end(r.elf);
    if (code != 0)
        twin_image_free(r.image);
    else
        *out_image = r.image;
    return code;
}
