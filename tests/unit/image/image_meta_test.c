/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of kernels and of the image. */
#include "image_check.h"

static void test_kernel_records(void)
{
    begin();
    meta_word(&meta, TYPE, AIC);
    meta_word(&meta, 77, 5);     /* unknown ones are skipped */
    meta_word(&meta, TYPE, AIV); /* the last one counts */
    meta_word(&meta, CROSS_CORE, 1);
    meta_word(&meta, UB, 4096);
    meta_word(&meta, STACK, 20480);
    meta_word(&meta, EARLY, 1);
    meta_word(&meta, VECTOR_KINDS, 2);
    meta_word(&meta, SCHEDULE, 1);
    meta_key(&meta, 0, 0x1122334455667788);
    object_add_meta(&object, "k_9", &meta);
    object_add_kernel(&object, "k_9", 0, 8);
    twin_image *image = read_image();
    const twin_kernel kernel = only(image);
    CU_ASSERT_EQUAL(kernel.type, TWIN_KERNEL_VECTOR);
    CU_ASSERT(kernel.cross_core && kernel.early_start && kernel.batch);
    CU_ASSERT(kernel.ub_bytes == 4096 && kernel.stack_bytes == 20480);
    CU_ASSERT_EQUAL(kernel.vector_kinds, 2);
    CU_ASSERT(kernel.has_key && kernel.key == 0x1122334455667788);
    CU_ASSERT_FALSE(kernel.has_params);
    CU_ASSERT_PTR_NULL(twin_image_kernel_by_key(image, 9));
    twin_image_free(image);
    object_end(&object);

    begin();
    meta_word(&meta, UB, 4096); /* without kinds of vector work it is not meant */
    meta_key(&meta, 0x80, 5);
    object_add_meta(&object, "k_9", &meta);
    object_add_kernel(&object, "k_9", 0, 8);
    image = read_image();
    CU_ASSERT_EQUAL(only(image).ub_bytes, 0);
    CU_ASSERT_FALSE(only(image).has_key);
    CU_ASSERT_PTR_NULL(twin_image_kernel_by_key(image, 9));
    twin_image_free(image);
    object_end(&object);
}

static void test_cut_record(void)
{
    meta_begin(&meta, false);
    meta_word(&meta, TYPE, AIV);
    meta_word(&meta, SCHEDULE, 1);
    for (size_t cut = 1; cut < 8; cut++) {
        object_meta part = meta;
        part.count -= cut;
        begin();
        object_add_meta(&object, "k", &part);
        object_add_kernel(&object, "k", 0, 8);
        twin_image *image = read_image();
        CU_ASSERT_EQUAL(only(image).type, TWIN_KERNEL_VECTOR);
        CU_ASSERT_FALSE(only(image).batch);
        twin_image_free(image);
        object_end(&object);
        meta_begin(&meta, false);
        meta_word(&meta, TYPE, AIV);
        meta_word(&meta, SCHEDULE, 1);
    }
}

static void test_wrong_records(void)
{
    static const uint16_t ratios[][2] = {{1, 3}, {2, 2}, {0, 2}, {3, 1}, {2, 0}};
    for (unsigned i = 0; i < TWIN_COUNT(ratios); i++) {
        begin();
        meta_ratio(&meta, ratios[i][0], ratios[i][1]);
        object_add_meta(&object, "k", &meta);
        object_add_kernel(&object, "k", 0, 8);
        check_refused("ratio");
        object_end(&object);
    }
    static const uint16_t good[][2] = {{1, 2}, {2, 1}, {1, 1}, {1, 0}, {0, 1}, {0, 0}};
    for (unsigned i = 0; i < TWIN_COUNT(good); i++) {
        begin();
        meta_ratio(&meta, good[i][0], good[i][1]);
        object_add_meta(&object, "k", &meta);
        object_add_kernel(&object, "k", 0, 8);
        twin_image *image = read_image();
        const bool said = good[i][0] != 0 || good[i][1] != 0;
        CU_ASSERT_EQUAL(only(image).cube_ratio, said ? good[i][0] : 1);
        CU_ASSERT_EQUAL(only(image).vector_ratio, said ? good[i][1] : 0); /* a cube kernel alone */
        twin_image_free(image);
        object_end(&object);
    }
    begin();
    meta_word(&meta, SCHEDULE, 2);
    object_add_meta(&object, "k", &meta);
    object_add_kernel(&object, "k", 0, 8);
    check_refused("schedule mode");
    object_end(&object);
    begin();
    meta_key(&meta, 0x40, 5);
    object_add_meta(&object, "k", &meta);
    object_add_kernel(&object, "k", 0, 8);
    check_refused("flag");
    object_end(&object);
    begin();
    meta_record(&meta, SCHEDULE, text, 3);
    object_add_meta(&object, "k", &meta);
    object_add_kernel(&object, "k", 0, 8);
    check_refused("3 bytes");
    object_end(&object);
}

static void check_params(uint32_t summary, const uint32_t (*params)[3], unsigned count,
                         const char *why)
{
    begin();
    if (summary != UINT32_MAX)
        meta_params(&meta, summary, 24);
    for (unsigned i = 0; i < count; i++)
        meta_param(&meta, params[i][0], params[i][1], params[i][2]);
    object_add_meta(&object, "k", &meta);
    object_add_kernel(&object, "k", 0, 8);
    if (why)
        check_refused(why);
    else
        twin_image_free(read_image());
    object_end(&object);
}

static void test_params(void)
{
    static const uint32_t swapped[][3] = {{1, 8, 4}, {0, 0, 8}, {2, 16, 8}};
    begin();
    meta_params(&meta, 3, 24);
    for (unsigned i = 0; i < 3; i++)
        meta_param(&meta, swapped[i][0], swapped[i][1], swapped[i][2]);
    object_add_meta(&object, "k", &meta);
    object_add_kernel(&object, "k", 0, 8);
    twin_image *image = read_image();
    const twin_kernel kernel = only(image);
    CU_ASSERT(kernel.has_params && kernel.param_count == 3 && kernel.param_bytes == 24);
    REQUIRE(kernel.params);
    CU_ASSERT(kernel.params[0].offset == 0 && kernel.params[0].bytes == 8);
    CU_ASSERT(kernel.params[1].offset == 8 && kernel.params[1].bytes == 4);
    CU_ASSERT(kernel.params[2].offset == 16 && kernel.params[2].bytes == 8);
    twin_image_free(image);
    object_end(&object);

    static const uint32_t twice[][3] = {{0, 0, 8}, {0, 8, 8}};
    static const uint32_t beyond[][3] = {{0, 0, 8}, {2, 8, 8}};
    static const uint32_t large[][3] = {{0, 16, 9}, {1, 0, 8}};
    static const uint32_t far[][3] = {{0, 0xffffffff, 8}, {1, 0, 8}};
    check_params(3, swapped, 2, "the summary says 3");
    check_params(2, swapped, 3, "the summary says 2");
    check_params(UINT32_MAX, swapped, 3, "the summary says 0");
    check_params(0xfffffff0, swapped, 3, "the summary says");
    check_params(2, twice, 2, "twice");
    check_params(2, beyond, 2, "none of its 2");
    check_params(2, large, 2, "leaves the argument block");
    check_params(2, far, 2, "leaves the argument block");
    check_params(0, swapped, 0, NULL);
}

static void test_image_records(void)
{
    begin();
    for (uint32_t bit = 0; bit <= 33; bit += 1)
        if (bit == 0 || bit == 2 || bit == 5 || bit == 32 || bit == 33)
            meta_word(&meta, 4, bit);
    object_add_meta(&object, NULL, &meta);
    object_add_kernel(&object, "k", 0, 8);
    twin_image *image = read_image();
    CU_ASSERT(image &&
              image->implicit == (TWIN_IMPLICIT_SYNC_ADDRESS | TWIN_IMPLICIT_ASSERT | 1u << 31));
    CU_ASSERT_FALSE(image && image->writable);
    twin_image_free(image);
    object_end(&object);
}

static void test_library_name(void)
{
    static const char strings[] = "\0libkernels.so\0";
    const Elf64_Dyn entries[] = {{.d_tag = DT_SONAME, .d_un = {.d_val = 1}}, {.d_tag = DT_NULL}};
    begin();
    const uint16_t table =
        object_add_section(&object, ".dynstr", SHT_STRTAB, SHF_ALLOC, strings, sizeof(strings));
    const uint16_t dynamic =
        object_add_section(&object, ".dynamic", SHT_DYNAMIC, SHF_ALLOC, entries, sizeof(entries));
    object.sections[dynamic].link = table;
    object.sections[dynamic].entry_bytes = sizeof(Elf64_Dyn);
    object_add_kernel(&object, "k", 0, 8);
    twin_image *image = read_image();
    CU_ASSERT(image && image->library_name && strcmp(image->library_name, "libkernels.so") == 0);
    twin_image_free(image);
    object_end(&object);
}

static const twin_test tests[] = {
    {"ELF-19: metadata of a kernel", test_kernel_records},
    {"a record that leaves its section ends the list", test_cut_record},
    {"wrong metadata is refused", test_wrong_records},
    {"parameters are stored by ordinal, and checked", test_params},
    {"metadata of the image", test_image_records},
    {"ELF-10: the name of the library", test_library_name},
};

int main(int argc, char **argv)
{
    return twin_run_suite("image_meta", tests, TWIN_COUNT(tests), argc, argv);
}
