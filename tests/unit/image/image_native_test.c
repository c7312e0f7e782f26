/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of native kernels: read as twinrt-cc writes them, and refused as soon as a byte of them
 * is another. */
#include "image_check.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/object.h"
#include "object.h"

enum { LIBRARY_BYTES = 200 };

static unsigned char library[LIBRARY_BYTES]; /* no code: reading does not load it */

static const struct cc_param params[] = {{0, 8}, {8, 4}};
static const struct cc_kernel kernels[] = {
    {.name = "cube", .cores = CC_CUBE, .batch = true},
    {.name = "mix", .cores = CC_MIXED, .cube_ratio = 1, .vector_ratio = 2, .cross_core = true},
    {.name = "vec",
     .cores = CC_VECTOR,
     .params_known = true,
     .args_bytes = 16,
     .params = params,
     .param_count = 2}};

/* Of this process. */
static uint16_t own_machine(void)
{
    Elf64_Ehdr header = {.e_machine = EM_NONE};
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    CU_ASSERT(file >= 0 && read(file, &header, sizeof(header)) == (ssize_t)sizeof(header));
    if (file >= 0)
        close(file);
    return header.e_machine;
}

/* The object as written, in memory of malloc(). */
static unsigned char *write_object(uint16_t machine, size_t *out_bytes)
{
    char path[] = "/tmp/twinrt-native-XXXXXX";
    const int made = mkstemp(path);
    Elf64_Ehdr header = {.e_machine = machine};
    struct stat facts = {0};
    CU_ASSERT_FATAL(made >= 0);
    close(made);
    for (unsigned i = 0; i < LIBRARY_BYTES; i++)
        library[i] = (unsigned char)(i * 7 + 1);
    memcpy(library, &header, sizeof(header));
    static const uint32_t values[] = {3, 5};
    const struct cc_variable variables[] = {{"a_table", sizeof(values), values},
                                            {"b_byte", 1, values}};
    const struct cc_content content = {.kernels = kernels,
                                       .kernel_count = TWIN_COUNT(kernels),
                                       .variables = variables,
                                       .variable_count = TWIN_COUNT(variables)};
    CHECK_OK(cc_write_object(path, &content, (struct cc_bytes){library, sizeof(library)}));
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    CU_ASSERT_FATAL(file >= 0 && fstat(file, &facts) == 0 && facts.st_size > 0);
    unsigned char *bytes = malloc((size_t)facts.st_size);
    REQUIRE(bytes);
    CU_ASSERT(read(file, bytes, (size_t)facts.st_size) == facts.st_size);
    close(file);
    unlink(path);
    *out_bytes = (size_t)facts.st_size;
    return bytes;
}

static void test_as_written(void)
{
    size_t bytes = 0;
    twin_image *image = NULL;
    unsigned char *file = write_object(own_machine(), &bytes);
    CHECK_OK(twin_image_read(file, bytes, &split, &image));
    free(file);
    REQUIRE(image);
    CU_ASSERT_EQUAL(image->library_bytes, LIBRARY_BYTES);
    CU_ASSERT(image->library && memcmp(image->library, library, LIBRARY_BYTES) == 0);
    CU_ASSERT_EQUAL_FATAL(image->kernel_count, 3);
    const twin_kernel *cube = twin_image_kernel(image, "cube");
    const twin_kernel *mix = twin_image_kernel(image, "mix");
    const twin_kernel *vec = twin_image_kernel(image, "vec");
    CU_ASSERT_FATAL(cube && mix && vec);
    CU_ASSERT(cube->type == TWIN_KERNEL_CUBE && cube->batch && !cube->has_params);
    CU_ASSERT(mix->type == TWIN_KERNEL_MIX && mix->main == TWIN_HALF_CUBE && mix->cross_core);
    CU_ASSERT(mix->cube_ratio == 1 && mix->vector_ratio == 2 && !mix->batch);
    CU_ASSERT(vec->type == TWIN_KERNEL_VECTOR && vec->has_params && vec->param_count == 2 &&
              vec->param_bytes == 16);
    CU_ASSERT(vec->params && vec->params[1].offset == 8 && vec->params[1].bytes == 4);
    /* No two kernels, nor halves, have one entry. */
    const uint64_t entries[] = {cube->code[TWIN_HALF_CUBE].offset, mix->code[TWIN_HALF_CUBE].offset,
                                mix->code[TWIN_HALF_VECTOR].offset,
                                vec->code[TWIN_HALF_VECTOR].offset};
    for (unsigned i = 0; i < TWIN_COUNT(entries); i++)
        for (unsigned k = 0; k < i; k++)
            CU_ASSERT(entries[i] != entries[k]);
    const twin_image_global *table = twin_image_find_global(image, "a_table");
    const twin_image_global *byte = twin_image_find_global(image, "b_byte");
    CU_ASSERT_FATAL(table && byte && image->global_count == 2);
    CU_ASSERT(table->bytes == 8 && table->offset % 64 == 0 && byte->bytes == 1);
    CU_ASSERT(byte->offset == table->offset + 64 && byte->offset < image->slice_bytes);
    uint32_t second = 0;
    memcpy(&second, image->file + image->slice_offset + table->offset + 4, sizeof(second));
    CU_ASSERT_EQUAL(second, 5);
    CU_ASSERT(image->slice_bytes > 0);
    twin_image_free(image);
}

static void test_cut(void)
{
    size_t bytes = 0;
    unsigned char *file = write_object(own_machine(), &bytes);
    for (size_t left = 0; left < bytes; left++) {
        twin_image *image = NULL;
        CHECK_CODE(twin_image_read(file, left, &split, &image), REFUSED);
        CU_ASSERT_PTR_NULL(image);
    }
    unsigned char *longer = calloc(1, bytes + 1);
    REQUIRE(longer);
    memcpy(longer, file, bytes);
    twin_image *image = NULL;
    CHECK_CODE(twin_image_read(longer, bytes + 1, &split, &image), REFUSED);
    free(longer);
    free(file);
}

/* One bit and all bits of each byte, of those that libelf reads and of all others. */
static void test_damaged(void)
{
    static const unsigned char changes[] = {0x01, 0x80, 0xff};
    size_t bytes = 0;
    unsigned char *file = write_object(own_machine(), &bytes);
    for (size_t at = 0; at < bytes; at++)
        for (unsigned i = 0; i < TWIN_COUNT(changes); i++) {
            twin_image *image = NULL;
            file[at] ^= changes[i];
            CHECK_CODE(twin_image_read(file, bytes, &split, &image), REFUSED);
            file[at] ^= changes[i];
        }
    twin_image *image = NULL;
    CHECK_OK(twin_image_read(file, bytes, &split, &image));
    twin_image_free(image);
    free(file);
}

static void check_message(unsigned char *file, size_t bytes, const char *part)
{
    twin_image *image = NULL;
    (void)twin_messages_take();
    CHECK_CODE(twin_image_read(file, bytes, &split, &image), REFUSED);
    const char *message = twin_messages_take();
    const bool named = message && strstr(message, part) && strstr(message, "EE1014");
    CU_ASSERT(named);
    if (!named)
        printf("\n    \"%s\" is not in: %s\n", part, message ? message : "(none)");
}

static void test_messages(void)
{
    size_t bytes = 0;
    unsigned char *file = write_object(own_machine() == EM_386 ? EM_ARM : EM_386, &bytes);
    check_message(file, bytes, "for machine");
    free(file);

    file = write_object(own_machine(), &bytes);
    check_message(file, bytes - 1, "was written with");
    file[bytes - 1] ^= 1;
    check_message(file, bytes, "checksum");
    file[bytes - 1] ^= 1;
    twin_native_header header;
    memcpy(&header, file + TWIN_NATIVE_PLACE, sizeof(header));
    header.version++;
    memcpy(file + TWIN_NATIVE_PLACE, &header, sizeof(header));
    check_message(file, bytes, "version");
    header.version--;
    header.library_place += 8; /* all else is right */
    memcpy(file + TWIN_NATIVE_PLACE, &header, sizeof(header));
    header.sum = twin_native_sum(file, bytes);
    memcpy(file + TWIN_NATIVE_PLACE, &header, sizeof(header));
    check_message(file, bytes, "another place");
    free(file);
}

/* Device code that has a section of that name is not an output of twinrt-cc. */
static void test_section_alone(void)
{
    begin();
    object_add_section(&object, TWIN_NATIVE_SECTION, SHT_PROGBITS, 0, text, sizeof(text));
    add_typed("k", AIV);
    check_refused("not the header");
    object_end(&object);
}

static const twin_test tests[] = {
    {"KRN-02: an object cut anywhere is refused", test_cut},
    {"KRN-17: an object with any other byte is refused", test_damaged},
    {"kernels, their metadata and the shared object are read", test_as_written},
    {"the section alone makes no native kernels", test_section_alone},
    {"messages name the error", test_messages},
};

int main(int argc, char **argv)
{
    return twin_run_suite("image_native", tests, TWIN_COUNT(tests), argc, argv);
}
