/* SPDX-License-Identifier: Apache-2.0 */
#include "object.h"

#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/object.h"
#include "say.h"

/* Of the image, for each half of a kernel: its entry address is its own. */
#define ENTRY_BYTES    64u
#define ALIGN          16u
#define VARIABLE_ALIGN 64u
#define FIXED                                                                                      \
    6u /* sections: the empty one, .text, .twinrt.native, .symtab, .strtab,
                          .shstrtab */

/* Records of metadata and values in them; runtime/docs/kernel-images.md. */
enum {
    RECORD_TYPE = 1,
    RECORD_CROSS_CORE = 2,
    RECORD_RATIO = 3,
    RECORD_PARAM_SUMMARY = 16,
    RECORD_PARAM = 17,
    RECORD_SCHEDULE = 18
};
enum { TYPE_AIC = 2, TYPE_AIV = 3, TYPE_MIX_AIC_MAIN = 4, TYPE_MIX_AIV_MAIN = 5 };

#define PARAM_BODY 36u

/* Bytes that grow. */
struct text {
    unsigned char *at;
    size_t count, room;
};

/* A symbol of the image: a kernel, or half of one. */
struct half {
    char *symbol;
    struct text meta;
};

struct object {
    struct half *halves;
    size_t half_count;
    const struct cc_variable *variables;
    size_t variable_count;
    size_t *places;      /* of the variables in the image */
    struct text image;   /* .text */
    struct text strings; /* of symbols */
    struct text titles;  /* of sections */
    Elf64_Sym *symbols;
    int file;
    Elf *elf;
    Elf64_Off end; /* of what is laid out */
};

/* ---- bytes ----------------------------------------------------------------------------------- */

static void add(struct text *text, const void *bytes, size_t count)
{
    if (text->count + count > text->room) {
        text->room = (text->count + count) * 2;
        unsigned char *grown = realloc(text->at, text->room);
        if (!grown)
            cc_no_memory();
        text->at = grown;
    }
    if (count > 0)
        memcpy(text->at + text->count, bytes, count);
    text->count += count;
}

static void add_number(struct text *text, uint64_t value, unsigned bytes)
{
    unsigned char at[8];
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
    add(text, at, bytes);
}

/* Adds a text with its end; gives its place. */
static size_t add_text(struct text *text, const char *string)
{
    const size_t place = text->count;
    add(text, string, strlen(string) + 1);
    return place;
}

static void add_head(struct text *meta, unsigned type, unsigned bytes)
{
    add_number(meta, type, 2);
    add_number(meta, bytes, 2);
}

static void add_word(struct text *meta, unsigned type, uint32_t value)
{
    add_head(meta, type, 4);
    add_number(meta, value, 4);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static unsigned type_of(const struct cc_kernel *kernel)
{
    if (kernel->cores == CC_MIXED)
        return kernel->vector_main ? TYPE_MIX_AIV_MAIN : TYPE_MIX_AIC_MAIN;
    return kernel->cores == CC_VECTOR ? TYPE_AIV : TYPE_AIC;
}

static void describe(struct text *meta, const struct cc_kernel *kernel)
{
    add_word(meta, RECORD_TYPE, type_of(kernel));
    if (kernel->cross_core)
        add_word(meta, RECORD_CROSS_CORE, 1);
    if (kernel->cores == CC_MIXED) {
        add_head(meta, RECORD_RATIO, 4);
        add_number(meta, kernel->cube_ratio, 2);
        add_number(meta, kernel->vector_ratio, 2);
    }
    if (kernel->params_known) {
        add_head(meta, RECORD_PARAM_SUMMARY, 12);
        add_number(meta, kernel->param_count, 4);
        add_number(meta, kernel->args_bytes, 8);
    }
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        add_head(meta, RECORD_PARAM, PARAM_BODY);
        add_number(meta, i, 4);
        add_number(meta, i, 4);
        add_number(meta, kernel->params[i].offset, 4);
        add_number(meta, kernel->params[i].bytes, 4);
        for (unsigned rest = 16; rest < PARAM_BODY; rest += 4)
            add_number(meta, 0, 4);
    }
    add_word(meta, RECORD_SCHEDULE, kernel->batch);
}

static void add_half(struct object *object, const struct cc_kernel *kernel, const char *suffix)
{
    struct half *half = &object->halves[object->half_count++];
    if (asprintf(&half->symbol, "%s%s", kernel->name, suffix) < 0)
        cc_no_memory();
    describe(&half->meta, kernel);
}

static void add_kernels(struct object *object, const struct cc_kernel *kernels, size_t count)
{
    object->halves = calloc(count * 2, sizeof(*object->halves));
    if (!object->halves)
        cc_no_memory();
    for (size_t i = 0; i < count; i++) {
        const bool mixed = kernels[i].cores == CC_MIXED;
        add_half(object, &kernels[i], mixed ? "_mix_aic" : "");
        if (mixed)
            add_half(object, &kernels[i], "_mix_aiv");
    }
}

/* The bytes that go to the device: the header, and for each half its name. */
static void make_image(struct object *object, const twin_native_header *header)
{
    add(&object->image, header, sizeof(*header));
    for (size_t i = 0; i < object->half_count; i++) {
        char entry[ENTRY_BYTES] = {0};
        snprintf(entry, sizeof(entry), "%s", object->halves[i].symbol);
        add(&object->image, entry, sizeof(entry));
    }
    object->places = calloc(object->variable_count + 1, sizeof(*object->places));
    if (!object->places)
        cc_no_memory();
    for (size_t i = 0; i < object->variable_count; i++) {
        while (object->image.count % VARIABLE_ALIGN != 0)
            add_number(&object->image, 0, 1);
        object->places[i] = object->image.count;
        add(&object->image, object->variables[i].initial, object->variables[i].bytes);
    }
}

static size_t symbol_count(const struct object *object)
{
    return 1 + object->half_count + object->variable_count;
}

static void make_symbols(struct object *object)
{
    object->symbols = calloc(symbol_count(object), sizeof(*object->symbols));
    if (!object->symbols)
        cc_no_memory();
    (void)add_text(&object->strings, "");
    for (size_t i = 0; i < object->half_count; i++)
        object->symbols[i + 1] =
            (Elf64_Sym){.st_name = (Elf64_Word)add_text(&object->strings, object->halves[i].symbol),
                        .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                        .st_shndx = 1,
                        .st_value = sizeof(twin_native_header) + i * ENTRY_BYTES,
                        .st_size = ENTRY_BYTES};
    for (size_t i = 0; i < object->variable_count; i++)
        object->symbols[1 + object->half_count + i] = (Elf64_Sym){
            .st_name = (Elf64_Word)add_text(&object->strings, object->variables[i].name),
            .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
            .st_shndx = 1,
            .st_value = object->places[i],
            .st_size = object->variables[i].bytes};
}

/* ---- the file -------------------------------------------------------------------------------- */

static int fail_elf(const char *path)
{
    return cc_error("%s cannot be written: %s", path, elf_errmsg(-1));
}

/* One more section, placed after the last; NULL: libelf says why. */
static Elf64_Shdr *add_section(struct object *object, const char *name, Elf64_Word type,
                               const void *bytes, size_t count)
{
    Elf_Scn *section = elf_newscn(object->elf);
    Elf_Data *data = section ? elf_newdata(section) : NULL;
    Elf64_Shdr *header = data ? elf64_getshdr(section) : NULL;
    if (!header)
        return NULL;
    const Elf64_Off place = (object->end + ALIGN - 1) / ALIGN * ALIGN;
    union {
        const void *given;
        void *wanted;
    } at = {.given = bytes}; /* libelf only reads it */
    *data = (Elf_Data){.d_buf = at.wanted,
                       .d_type = type == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE,
                       .d_version = EV_CURRENT,
                       .d_size = count,
                       .d_align = ALIGN};
    *header = (Elf64_Shdr){.sh_name = (Elf64_Word)add_text(&object->titles, name),
                           .sh_type = type,
                           .sh_offset = place,
                           .sh_size = count,
                           .sh_addralign = ALIGN};
    object->end = place + count;
    return header;
}

static bool add_meta(struct object *object, const struct half *half)
{
    char *name = NULL;
    if (asprintf(&name, ".ascend.meta.%s", half->symbol) < 0)
        cc_no_memory();
    const Elf64_Shdr *header =
        add_section(object, name, SHT_PROGBITS, half->meta.at, half->meta.count);
    free(name);
    return header != NULL;
}

/* All sections. `header` gets the place of the shared object. */
static bool add_sections(struct object *object, struct cc_bytes library, twin_native_header *header)
{
    (void)add_text(&object->titles, "");
    Elf64_Shdr *section =
        add_section(object, ".text", SHT_PROGBITS, object->image.at, object->image.count);
    if (!section)
        return false;
    section->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    for (size_t i = 0; i < object->half_count; i++)
        if (!add_meta(object, &object->halves[i]))
            return false;
    section = add_section(object, TWIN_NATIVE_SECTION, SHT_PROGBITS, library.at, library.count);
    if (!section)
        return false;
    header->library_place = (uint32_t)section->sh_offset;
    section = add_section(object, ".symtab", SHT_SYMTAB, object->symbols,
                          symbol_count(object) * sizeof(*object->symbols));
    if (!section)
        return false;
    section->sh_entsize = sizeof(*object->symbols);
    section->sh_link = (Elf64_Word)(object->half_count + FIXED - 2);
    section->sh_info = 1;
    if (!add_section(object, ".strtab", SHT_STRTAB, object->strings.at, object->strings.count))
        return false;
    /* Its own name is part of it. */
    const size_t own = add_text(&object->titles, ".shstrtab");
    section = add_section(object, "", SHT_STRTAB, NULL, 0);
    if (!section)
        return false;
    section->sh_name = (Elf64_Word)own;
    section->sh_size = object->titles.count;
    Elf_Data *data = elf_getdata(elf_getscn(object->elf, object->half_count + FIXED - 1), NULL);
    if (!data)
        return false;
    data->d_buf = object->titles.at;
    data->d_size = object->titles.count;
    object->end = section->sh_offset + section->sh_size;
    return true;
}

/* The first word at a place of the file. */
static bool write_at(const struct object *object, const void *bytes, size_t count, size_t place)
{
    return pwrite(object->file, bytes, count, (off_t)place) == (ssize_t)count;
}

/* The header goes in with the length and the sum of the file. */
static int seal(const struct object *object, const char *path, twin_native_header *header)
{
    struct stat facts;
    if (fstat(object->file, &facts) != 0)
        return cc_error("%s: %s", path, strerror(errno));
    header->file_bytes = (uint64_t)facts.st_size;
    unsigned char *all = malloc((size_t)facts.st_size);
    if (!all)
        cc_no_memory();
    bool good = write_at(object, header, sizeof(*header), TWIN_NATIVE_PLACE) &&
                pread(object->file, all, (size_t)facts.st_size, 0) == (ssize_t)facts.st_size;
    if (good) {
        header->sum = twin_native_sum(all, (size_t)facts.st_size);
        good = write_at(object, header, sizeof(*header), TWIN_NATIVE_PLACE);
    }
    free(all);
    return good ? 0 : cc_error("%s cannot be written: %s", path, strerror(errno));
}

static int write_open(struct object *object, const char *path, struct cc_bytes library,
                      twin_native_header *header)
{
    (void)elf_version(EV_CURRENT);
    object->elf = elf_begin(object->file, ELF_C_WRITE, NULL);
    Elf64_Ehdr *file = object->elf ? elf64_newehdr(object->elf) : NULL;
    if (!file)
        return fail_elf(path);
    (void)elf_flagelf(object->elf, ELF_C_SET, ELF_F_LAYOUT);
    file->e_ident[EI_DATA] = ELFDATA2LSB; /* as the metadata is */
    file->e_type = ET_REL;
    file->e_machine = header->machine;
    file->e_version = EV_CURRENT;
    object->end = TWIN_NATIVE_PLACE;
    if (!add_sections(object, library, header))
        return fail_elf(path);
    file = elf64_getehdr(object->elf);
    if (!file)
        return fail_elf(path);
    file->e_shoff = (object->end + ALIGN - 1) / ALIGN * ALIGN;
    file->e_shstrndx = (Elf64_Half)(object->half_count + FIXED - 1);
    if (elf_update(object->elf, ELF_C_WRITE) < 0)
        return fail_elf(path);
    elf_end(object->elf);
    object->elf = NULL;
    return seal(object, path, header);
}

static void end(struct object *object)
{
    if (object->elf)
        elf_end(object->elf);
    if (object->file >= 0)
        close(object->file);
    for (size_t i = 0; i < object->half_count; i++) {
        free(object->halves[i].symbol);
        free(object->halves[i].meta.at);
    }
    free(object->halves);
    free(object->places);
    free(object->image.at);
    free(object->strings.at);
    free(object->titles.at);
    free(object->symbols);
}

static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

int cc_write_object(const char *path, const struct cc_content *content, struct cc_bytes library)
{
    const Elf64_Ehdr *inner = library.at;
    char temporary[PATH_MAX];
    const int length = snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof(temporary))
        return cc_error("%s: the name is too long", path);
    if (library.count < sizeof(*inner) || library.count > UINT32_MAX)
        return cc_error("%s: a shared object of %zu bytes", path, library.count);
    struct object object = {.file = mkstemp(temporary),
                            .variables = content->variables,
                            .variable_count = content->variable_count};
    if (object.file < 0)
        return cc_error("%s cannot be written: %s", path, strerror(errno));
    twin_native_header header = {.magic = TWIN_NATIVE_MAGIC,
                                 .version = TWIN_NATIVE_VERSION,
                                 .machine = inner->e_machine,
                                 .library_bytes = library.count};
    add_kernels(&object, content->kernels, content->kernel_count);
    make_image(&object, &header);
    make_symbols(&object);
    int result = write_open(&object, path, library, &header);
    if (result == 0 && (fchmod(object.file, usual_mode()) != 0 || rename(temporary, path) != 0))
        result = cc_error("%s cannot be written: %s", path, strerror(errno));
    if (result != 0)
        (void)unlink(temporary);
    end(&object);
    return result;
}
