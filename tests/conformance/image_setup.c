/* SPDX-License-Identifier: Apache-2.0 */
#include "image_tests.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/kernel_object.h"

enum { KERNEL_TYPE = 1, SCHEDULE = 18, VECTOR = 3, MIX_CUBE_MAIN = 4 };

unsigned char image_code[IMAGE_BYTES];

unsigned char *image_make(size_t *bytes)
{
    static kernel_object object;
    static object_meta meta;
    for (unsigned i = 0; i < IMAGE_BYTES; i++)
        image_code[i] = (unsigned char)(i * 3 + 1);
    object_begin(&object, false);
    object_add_section(&object, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, image_code,
                       sizeof(image_code));
    object_add_kernel(&object, "cube_12", 0, 16);
    meta_begin(&meta, false);
    meta_word(&meta, KERNEL_TYPE, VECTOR);
    meta_params(&meta, 2, 16);
    meta_param(&meta, 1, 8, 4);
    meta_param(&meta, 0, 0, 8);
    meta_word(&meta, SCHEDULE, 1);
    meta_key(&meta, 0, 77);
    object_add_meta(&object, "vec", &meta);
    object_add_kernel(&object, "vec", 16, 24);
    for (unsigned half = 0; half < 2; half++) {
        const char *name = half == 0 ? "mix_mix_aic" : "mix_mix_aiv";
        meta_begin(&meta, false);
        meta_word(&meta, KERNEL_TYPE, MIX_CUBE_MAIN);
        meta_ratio(&meta, 1, 2);
        object_add_meta(&object, name, &meta);
        object_add_kernel(&object, name, half == 0 ? 128 : 160, 32);
    }
    object_add_symbol(&object, "table", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 1, IMAGE_TABLE_PLACE,
                      IMAGE_TABLE_BYTES);
    unsigned char *file = object_write(&object, bytes);
    object_end(&object);
    return file;
}

aclrtBinHandle image_load(void)
{
    size_t bytes = 0;
    unsigned char *file = image_make(&bytes);
    aclrtBinHandle binary = NULL;
    CHECK_OK(aclrtBinaryLoadFromData(file, bytes, NULL, &binary));
    memset(file, 0xee, bytes); /* the program may use it for something else */
    free(file);
    return binary;
}

aclrtFuncHandle image_find(aclrtBinHandle binary, const char *name)
{
    aclrtFuncHandle function = NULL;
    CHECK_OK(aclrtBinaryGetFunction(binary, name, &function));
    CHECK(function != NULL);
    return function;
}

aclrtBinaryLoadOptions image_options(aclrtBinaryLoadOption *option)
{
    return (aclrtBinaryLoadOptions){.options = option, .numOpt = 1};
}

void files_begin(files *f)
{
    snprintf(f->folder, sizeof(f->folder), "/tmp/twinrt-image-XXXXXX");
    CHECK(mkdtemp(f->folder) != NULL);
}

void files_path(const files *f, const char *name, char *out)
{
    snprintf(out, PATH_MAX, "%s/%s", f->folder, name);
}

void files_write(const files *f, const char *name, const void *data, size_t bytes)
{
    char path[PATH_MAX];
    files_path(f, name, path);
    FILE *file = fopen(path, "wbe");
    CHECK(file && fwrite(data, 1, bytes, file) == bytes);
    if (file)
        fclose(file);
}

void files_remove(const files *f, const char *name)
{
    char path[PATH_MAX];
    files_path(f, name, path);
    CHECK(remove(path) == 0);
}

void files_end(const files *f)
{
    CHECK(rmdir(f->folder) == 0);
}

aclError image_load_file(const files *f, const char *name, aclrtBinHandle *binary)
{
    char path[PATH_MAX];
    files_path(f, name, path);
    return aclrtBinaryLoadFromFile(path, NULL, binary);
}
