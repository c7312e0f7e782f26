/* SPDX-License-Identifier: Apache-2.0 */
/* The file, the slice, symbols, names and types. */
#include "image_check.h"

/* ---- the file -------------------------------------------------------------------------------- */

static void test_not_an_object(void)
{
    twin_image *image = NULL;
    unsigned char junk[256];
    memset(junk, 'x', sizeof(junk));
    CHECK_CODE(twin_image_read(junk, sizeof(junk), &split, &image), REFUSED);
    CHECK_CODE(twin_image_read(junk, 0, &split, &image), REFUSED);
    CHECK_CODE(twin_image_read(junk, 10, &split, &image), REFUSED);
    begin();
    object_add_kernel(&object, "k", 0, 16);
    size_t bytes = 0;
    unsigned char *file = object_write(&object, &bytes);
    file[EI_CLASS] = ELFCLASS32;
    (void)twin_messages_take();
    CHECK_CODE(twin_image_read(file, bytes, &split, &image), REFUSED);
    const char *message = twin_messages_take();
    CU_ASSERT(message && strstr(message, "64-bit"));
    file[EI_CLASS] = ELFCLASS64;
    CHECK_OK(twin_image_read(file, bytes, &split, &image));
    twin_image_free(image);
    free(file);
    object_end(&object);
}

static void test_data_order(void)
{
    static const unsigned char orders[] = {0, ELFDATA2LSB, 7};
    begin();
    add_typed("k", AIV);
    size_t bytes = 0;
    unsigned char *file = object_write(&object, &bytes);
    for (unsigned i = 0; i < 3; i++) {
        twin_image *image = NULL;
        file[EI_DATA] = orders[i];
        file[EI_VERSION] = (unsigned char)i;
        CHECK_OK(twin_image_read(file, bytes, &split, &image));
        CU_ASSERT_EQUAL(only(image).type, TWIN_KERNEL_VECTOR);
        twin_image_free(image);
    }
    free(file);
    object_end(&object);

    object_begin(&object, true);
    object_add_section(&object, ".text", SHT_PROGBITS, SHF_ALLOC, text, sizeof(text));
    meta_begin(&meta, true);
    meta_word(&meta, TYPE, AIV);
    meta_params(&meta, 1, 16);
    meta_param(&meta, 0, 8, 4);
    object_add_meta(&object, "k", &meta);
    object_add_kernel(&object, "k", 16, 32);
    twin_image *image = read_image();
    const twin_kernel kernel = only(image);
    CU_ASSERT_EQUAL(kernel.type, TWIN_KERNEL_VECTOR);
    CU_ASSERT_EQUAL(kernel.code[TWIN_HALF_VECTOR].offset, 16);
    CU_ASSERT(kernel.params && kernel.params[0].offset == 8 && kernel.params[0].bytes == 4);
    twin_image_free(image);
    object_end(&object);
}

static void test_section_outside(void)
{
    static const uint64_t sizes[] = {UINT64_MAX, 1 << 20};
    begin();
    add_typed("k", AIV);
    size_t bytes = 0;
    unsigned char *file = object_write(&object, &bytes);
    Elf64_Ehdr header;
    memcpy(&header, file, sizeof(header));
    for (unsigned i = 0; i < TWIN_COUNT(sizes); i++) {
        twin_image *image = NULL;
        memcpy(file + header.e_shoff + 2 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size),
               &sizes[i], sizeof(sizes[i])); /* the metadata's */
        (void)twin_messages_take();
        CHECK_CODE(twin_image_read(file, bytes, &split, &image), REFUSED);
        const char *message = twin_messages_take();
        CU_ASSERT(message && strstr(message, "section 2") && strstr(message, "leaves the file"));
    }
    free(file);
    object_end(&object);
}

/* No byte of an object that is cut anywhere, or damaged anywhere, is followed out of it. */
static void test_damage(void)
{
    begin();
    add_typed("k_mix_aic", MIX_AIC);
    meta_begin(&meta, false);
    meta_word(&meta, TYPE, MIX_AIC);
    meta_params(&meta, 2, 16);
    meta_param(&meta, 0, 0, 8);
    meta_param(&meta, 1, 8, 8);
    object_add_meta(&object, "k_mix_aiv", &meta);
    object_add_kernel(&object, "k_mix_aiv", 16, 16);
    object_add_symbol(&object, "global", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 1, 32, 4);
    size_t bytes = 0;
    unsigned char *file = object_write(&object, &bytes);
    unsigned refused = 0;
    for (size_t cut = 0; cut < bytes; cut++) {
        unsigned char *part = malloc(cut ? cut : 1); /* so that checkers see a read past it */
        twin_image *image = NULL;
        memcpy(part, file, cut);
        const int32_t code = twin_image_read(part, cut, &split, &image);
        CU_ASSERT(code == REFUSED || (code == 0 && image));
        refused += code != 0;
        twin_image_free(code == 0 ? image : NULL);
        free(part);
    }
    CU_ASSERT_EQUAL(refused, bytes); /* the table of sections is last, so each cut hits it */
    static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    for (size_t at = 0; at < bytes; at++)
        for (unsigned i = 0; i < sizeof(values); i++) {
            const unsigned char good = file[at];
            twin_image *image = NULL;
            file[at] = values[i];
            const int32_t code = twin_image_read(file, bytes, &split, &image);
            CU_ASSERT(code == 0 || code == REFUSED);
            twin_image_free(code == 0 ? image : NULL);
            file[at] = good;
        }
    free(file);
    object_end(&object);
}

/* ---- the slice ------------------------------------------------------------------------------- */

/* Names come from a table of strings that is there, or there are none. */
static void test_names_outside(void)
{
    static const uint16_t wrong[] = {1, 60, 0xfff0}; /* .text, and none */
    begin();
    add_typed("k", AIV);
    size_t bytes = 0;
    unsigned char *file = object_write(&object, &bytes);
    for (unsigned i = 0; i < TWIN_COUNT(wrong); i++) {
        twin_image *image = NULL;
        memcpy(file + offsetof(Elf64_Ehdr, e_shstrndx), &wrong[i], sizeof(wrong[i]));
        (void)twin_messages_take();
        CHECK_CODE(twin_image_read(file, bytes, &split, &image), REFUSED);
        const char *message = twin_messages_take();
        CU_ASSERT(message && strstr(message, "e_shstrndx"));
    }
    free(file);
    object_end(&object);
}

static void test_slice(void)
{
    static const unsigned char more[40] = {9};
    object_begin(&object, false);
    object_add_section(&object, ".before", SHT_PROGBITS, SHF_ALLOC, more, 0);
    object_add_section(&object, ".note", SHT_PROGBITS, 0, more, 24);
    const uint16_t first =
        object_add_section(&object, ".text", SHT_PROGBITS, SHF_ALLOC, text, sizeof(text));
    object_add_section(&object, ".between", SHT_PROGBITS, 0, more, 8);
    object_add_section(&object, ".empty", SHT_PROGBITS, SHF_ALLOC, more, 0);
    const uint16_t last = object_add_section(&object, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
                                             more, sizeof(more));
    object_add_symbol(&object, "table", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), last, 8, 24);
    object_add_symbol(&object, "too_long", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), last, 8, 40);
    object_add_symbol(&object, "far", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), last, 1 << 20, 4);
    const uint16_t bss =
        object_add_section(&object, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, more, 32);
    object_add_symbol(&object, "zeros", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), bss, 0, 4);
    object_add_symbol(&object, "own", ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), last, 0, 4);
    object_add_symbol(&object, "common", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), SHN_COMMON, 8, 4);
    object_add_kernel(&object, "k", 4, 8);
    twin_image *image = read_image();
    REQUIRE(image);
    const uint64_t start = object.sections[first].offset;
    CU_ASSERT_EQUAL(image->slice_offset, start);
    CU_ASSERT_EQUAL(image->slice_bytes, object.sections[last].offset + sizeof(more) - start);
    CU_ASSERT(image->writable);
    CU_ASSERT(memcmp(image->file + image->slice_offset, text, sizeof(text)) == 0);
    const twin_image_global *table = twin_image_find_global(image, "table");
    REQUIRE(table);
    CU_ASSERT_EQUAL(table->offset, object.sections[last].offset + 8 - start);
    CU_ASSERT_EQUAL(table->bytes, 24);
    CU_ASSERT_EQUAL(image->global_count, 1);
    CU_ASSERT_PTR_NULL(twin_image_find_global(image, "too_long"));
    twin_image_free(image);
    object_end(&object);

    object_begin(&object, false);
    object_add_section(&object, ".text", SHT_PROGBITS, 0, text, sizeof(text));
    object_add_kernel(&object, "k", 0, 8);
    check_refused("SHF_ALLOC");
    object_end(&object);
}

static void test_stack(void)
{
    static const uint64_t good[] = {32768, 32768};
    static const uint64_t mixed[] = {32768, 16384};
    static const uint64_t odd[] = {20000};
    static const struct {
        const uint64_t *records;
        size_t bytes;
        uint32_t version, expected;
    } cases[] = {{good, sizeof(good), 1, 32768}, {mixed, sizeof(mixed), 1, 0},
                 {odd, sizeof(odd), 1, 0},       {NULL, 0, 0x5a5a0100, 16384},
                 {NULL, 0, 0x5a5a0200, 32768},   {NULL, 0, 0x5a5a0300, 0},
                 {NULL, 0, 0x12340100, 0},       {good, sizeof(good), 0x5a5a0100, 32768}};
    for (unsigned i = 0; i < TWIN_COUNT(cases); i++) {
        begin();
        object.version = cases[i].version;
        if (cases[i].records)
            object_add_section(&object, ".ascend.stack.size.record", SHT_PROGBITS, 0,
                               cases[i].records, cases[i].bytes);
        object_add_kernel(&object, "k", 0, 8);
        twin_image *image = read_image();
        CU_ASSERT(image && image->stack_bytes == cases[i].expected);
        twin_image_free(image);
        object_end(&object);
    }
}

/* ---- symbols --------------------------------------------------------------------------------- */

static void test_symbols(void)
{
    static char long_name[4097];
    memset(long_name, 'a', 4096);
    begin();
    check_refused("no global function");
    object_add_symbol(&object, "local", ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 1, 0, 8);
    object_add_symbol(&object, "object", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 1, 0, 8);
    object_add_symbol(&object, "weak", ELF64_ST_INFO(STB_WEAK, STT_FUNC), 1, 0, 8);
    object_add_symbol(&object, "", ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 1, 0, 8);
    object_add_kernel(&object, long_name, 0, 8);
    object_add_kernel(&object, "hidden", 0, 8);
    object.symbols[object.symbol_count - 1].other = STV_HIDDEN;
    check_refused("no global function");
    object_add_kernel(&object, "k", 48, 16);
    twin_image *image = read_image();
    const twin_kernel kernel = only(image);
    CU_ASSERT(kernel.name && strcmp(kernel.name, "k") == 0);
    CU_ASSERT_EQUAL(kernel.code[TWIN_HALF_CUBE].offset, 48);
    CU_ASSERT_EQUAL(kernel.code[TWIN_HALF_CUBE].bytes, 16);
    CU_ASSERT_FALSE(kernel.code[TWIN_HALF_VECTOR].present);
    twin_image_free(image);
    object_add_kernel(&object, "outside", 48, 17);
    check_refused("leaves the image");
    object_end(&object);
}

static void test_lookup(void)
{
    static const char *const names[] = {"m", "a", "z", "b_7", "c_7", "d_x1"};
    begin();
    for (unsigned i = 0; i < TWIN_COUNT(names); i++)
        object_add_kernel(&object, names[i], 8 * i, 8);
    twin_image *image = read_image();
    REQUIRE(image);
    CU_ASSERT_EQUAL(image->kernel_count, TWIN_COUNT(names));
    for (unsigned i = 0; i < TWIN_COUNT(names); i++) {
        const twin_kernel *kernel = twin_image_kernel(image, names[i]);
        CU_ASSERT(kernel && kernel->code[TWIN_HALF_CUBE].offset == 8 * i);
    }
    CU_ASSERT_PTR_NULL(twin_image_kernel(image, "y"));
    const twin_kernel *keyed = twin_image_kernel_by_key(image, 7);
    CU_ASSERT(keyed && strcmp(keyed->name, "b_7") == 0); /* the first of two */
    keyed = twin_image_kernel_by_key(image, 0);
    CU_ASSERT(keyed && strcmp(keyed->name, "m") == 0);
    CU_ASSERT_PTR_NULL(twin_image_kernel_by_key(image, 1));
    twin_image_free(image);
    object_end(&object);
}

/* ---- names and types ------------------------------------------------------------------------- */

static void test_public_names(void)
{
    static const char *const names[][2] = {
        {"add", "add"},
        {"add_mix_aic", "add"},
        {"add_mix_aiv", "add"},
        {"add_mix_aic_mix_aic", "add_mix_aic"},
        {"add_mix_aic_tail", "add_tail"},
        {"add_mix_aiv_mix_aic", "add_mix_aiv"},
        {"add_mix_aic_mix_aiv", "add_mix_aiv"},
    };
    for (unsigned i = 0; i < TWIN_COUNT(names); i++) {
        begin();
        object_add_kernel(&object, names[i][0], 0, 8);
        twin_image *image = read_image();
        const twin_kernel kernel = only(image);
        CU_ASSERT(kernel.name && strcmp(kernel.name, names[i][1]) == 0);
        twin_image_free(image);
        object_end(&object);
    }
    begin();
    object_add_kernel(&object, "_mix_aic", 0, 8);
    check_refused("leaves no name");
    object_end(&object);
}

static void test_types(void)
{
    static const struct {
        const char *name;
        uint32_t type; /* 0: no metadata */
        twin_kernel_type expected;
    } cases[] = {
        {"k", AICORE, TWIN_KERNEL_AICORE},
        {"k", AIC, TWIN_KERNEL_CUBE},
        {"k", AIV, TWIN_KERNEL_VECTOR},
        {"k", AIC_ROLLBACK, TWIN_KERNEL_CUBE},
        {"k", AIV_ROLLBACK, TWIN_KERNEL_VECTOR},
        {"k_mix_aic", MIX_AIC, TWIN_KERNEL_CUBE},
        {"k_mix_aiv", MIX_AIC, TWIN_KERNEL_VECTOR},
        {"k_mix_aiv", MIX_AIV, TWIN_KERNEL_VECTOR},
        {"k_mix_aic", 0, TWIN_KERNEL_CUBE},
        {"k_mix_aiv", 0, TWIN_KERNEL_VECTOR},
    };
    for (unsigned i = 0; i < TWIN_COUNT(cases); i++) {
        begin();
        if (cases[i].type != 0)
            add_typed(cases[i].name, cases[i].type);
        else
            object_add_kernel(&object, cases[i].name, 0, 16);
        twin_image *image = read_image();
        CU_ASSERT_EQUAL(only(image).type, cases[i].expected);
        twin_image_free(image);
        object_end(&object);
    }
    static const twin_kernel_type defaults[] = {TWIN_KERNEL_AICORE, TWIN_KERNEL_CUBE,
                                                TWIN_KERNEL_VECTOR};
    begin();
    object_add_kernel(&object, "k", 0, 16);
    for (unsigned i = 0; i < TWIN_COUNT(defaults); i++) {
        const twin_image_defaults chosen = {.type = defaults[i], .cross_core = i == 2};
        twin_image *image = NULL;
        CHECK_OK(read_with(&chosen, &image));
        CU_ASSERT_EQUAL(only(image).type, defaults[i]);
        CU_ASSERT_EQUAL(only(image).cross_core, i == 2);
        twin_image_free(image);
    }
    object_end(&object);
    static const uint32_t wrong[] = {0, 8, 0xffffffff};
    for (unsigned i = 0; i < TWIN_COUNT(wrong); i++) {
        begin();
        add_typed("k", wrong[i]);
        check_refused("kernel type");
        object_end(&object);
    }
    begin();
    add_typed("k", MIX_AIC);
    check_refused("neither _mix_aic nor _mix_aiv");
    object_end(&object);
}

static void test_halves(void)
{
    begin();
    add_typed("k_mix_aiv", MIX_AIC); /* whatever comes first */
    meta_begin(&meta, false);
    meta_word(&meta, TYPE, MIX_AIC);
    meta_ratio(&meta, 1, 1);
    object_add_meta(&object, "k_mix_aic", &meta);
    object_add_kernel(&object, "k_mix_aic", 32, 8);
    twin_image *image = read_image();
    const twin_kernel kernel = only(image);
    CU_ASSERT_EQUAL(kernel.type, TWIN_KERNEL_MIX);
    CU_ASSERT_EQUAL(kernel.code[TWIN_HALF_CUBE].offset, 32);
    CU_ASSERT_EQUAL(kernel.code[TWIN_HALF_VECTOR].offset, 0);
    CU_ASSERT_EQUAL(kernel.main, TWIN_HALF_CUBE);
    CU_ASSERT(kernel.cube_ratio == 1 && kernel.vector_ratio == 1);
    twin_image_free(image);
    object_end(&object);

    begin();
    add_typed("k_mix_aic", MIX_AIV);
    add_typed("k_mix_aiv", MIX_AIV);
    image = read_image();
    CU_ASSERT_EQUAL(only(image).main, TWIN_HALF_VECTOR);
    CU_ASSERT(only(image).cube_ratio == 1 && only(image).vector_ratio == 2); /* not said */
    twin_image_free(image);
    object_end(&object);

    begin();
    object_add_kernel(&object, "k_mix_aic", 0, 8);
    object_add_kernel(&object, "k_mix_aiv", 8, 8);
    image = read_image();
    CU_ASSERT_EQUAL(only(image).type, TWIN_KERNEL_MIX);
    CU_ASSERT_EQUAL(only(image).main, TWIN_HALF_CUBE);
    twin_image_free(image);
    object_add_kernel(&object, "k", 16, 8);
    check_refused("go together");
    object_end(&object);

    begin(); /* the first of the table gives the key */
    for (unsigned i = 0; i < 2; i++) {
        static const char *const names[] = {"k_mix_aiv", "k_mix_aic"};
        meta_begin(&meta, false);
        meta_key(&meta, 0, 100 + i);
        object_add_meta(&object, names[i], &meta);
        object_add_kernel(&object, names[i], 0, 8);
    }
    image = read_image();
    CU_ASSERT_EQUAL(only(image).key, 100);
    twin_image_free(image);
    object_end(&object);

    static const char *const pairs[][2] = {{"k_mix_aic", "k_mix_aic"},
                                           {"k_mix_aic", "k"},
                                           {"k_mix_aiv", "k"},
                                           {"k", "k_mix_aiv"},
                                           {"k", "k"}};
    for (unsigned i = 0; i < TWIN_COUNT(pairs); i++) {
        begin();
        object_add_kernel(&object, pairs[i][0], 0, 8);
        object_add_kernel(&object, pairs[i][1], 8, 8);
        check_refused("go together");
        object_end(&object);
    }
    begin();
    add_typed("k_mix_aic", AIC); /* no half: its type says so */
    object_add_kernel(&object, "k_mix_aiv", 8, 8);
    check_refused("go together");
    object_end(&object);
}

static const twin_test tests[] = {
    {"ELF-01, ELF-02, ELF-06: a file that is not a 64-bit object is refused", test_not_an_object},
    {"ELF-03: only the byte 2 makes an object big endian", test_data_order},
    {"ELF-06: a section that leaves the file is refused", test_section_outside},
    {"ELF-06: an object cut or damaged at any byte is refused or read, and never left",
     test_damage},
    {"ELF-06: the table of names is one of strings", test_names_outside},
    {"ELF-07, ELF-09, ELF-12: the slice and its content", test_slice},
    {"ELF-05, ELF-13: the stack that the image asks for", test_stack},
    {"ELF-08, ELF-11: which symbols are kernels", test_symbols},
    {"ELF-19: kernels are found by name and by key", test_lookup},
    {"ELF-14: the public name", test_public_names},
    {"ELF-15, ELF-16: the type of one symbol", test_types},
    {"ELF-17, ELF-18: halves of mixed kernels", test_halves},
};

int main(int argc, char **argv)
{
    return twin_run_suite("image", tests, TWIN_COUNT(tests), argc, argv);
}
