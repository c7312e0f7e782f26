/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel images: loading, finding functions, their attributes. Nothing is launched here. */
#include "image_tests.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/kernel_object.h"

/* ---- loading --------------------------------------------------------------------------------- */

static void test_null(void)
{
    aclrtBinHandle binary = NULL;
    char byte = 0;
    CHECK_CODE(aclrtBinaryLoadFromFile(NULL, NULL, &binary), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryLoadFromFile("x", NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryLoadFromData(NULL, 1, NULL, &binary), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryLoadFromData(&byte, 1, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryLoadFromData(&byte, 0, NULL, &binary), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(aclrtCreateBinary(NULL, 10) == NULL);
    CHECK_CODE(aclrtDestroyBinary(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryLoad(NULL, &binary), ACL_ERROR_INVALID_PARAM);
    aclrtBinary data = aclrtCreateBinary(&byte, 1);
    CHECK(data != NULL);
    CHECK_CODE(aclrtBinaryLoad(data, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtDestroyBinary(data));
    CHECK_CODE(aclrtDestroyBinary(data), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtBinaryLoad(data, &binary), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtBinaryUnLoad(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK(binary == NULL);
}

static void test_bad_files(void)
{
    files f;
    size_t bytes = 0;
    unsigned char *file = image_make(&bytes);
    aclrtBinHandle binary = NULL;
    files_begin(&f);
    CHECK_CODE(image_load_file(&f, "missing.o", &binary), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(image_load_file(&f, ".", &binary), ACL_ERROR_RT_PARAM_INVALID);
    files_write(&f, "a.o", "", 0);
    CHECK_CODE(image_load_file(&f, "a.o", &binary), ACL_ERROR_RT_PARAM_INVALID);
    files_write(&f, "a.o", "no object at all", 16);
    CHECK_CODE(image_load_file(&f, "a.o", &binary), ACL_ERROR_RT_PARAM_INVALID);
    file[EI_CLASS] = ELFCLASS32;
    files_write(&f, "a.o", file, bytes);
    CHECK_CODE(image_load_file(&f, "a.o", &binary), ACL_ERROR_RT_PARAM_INVALID);
    const char *text = aclGetRecentErrMsg();
    CHECK(text && strstr(text, "EE1014"));
    kernel_object object;
    object_begin(&object, false);
    object_add_section(&object, ".text", SHT_PROGBITS, SHF_ALLOC, image_code, 16);
    size_t empty_bytes = 0;
    unsigned char *empty = object_write(&object, &empty_bytes);
    object_end(&object);
    files_write(&f, "a.o", empty, empty_bytes);
    CHECK_CODE(image_load_file(&f, "a.o", &binary), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(binary == NULL);
    files_remove(&f, "a.o");
    files_end(&f);
    free(empty);
    free(file);
}

static void test_file(void)
{
    files f;
    size_t bytes = 0;
    unsigned char *file = image_make(&bytes);
    aclrtBinHandle binary = NULL;
    CHECK_OK(aclrtSetDevice(0));
    files_begin(&f);
    files_write(&f, "k.o", file, bytes);
    CHECK_OK(image_load_file(&f, "k.o", &binary));
    files_remove(&f, "k.o");
    image_find(binary, "vec");
    CHECK_OK(aclrtBinaryUnLoad(binary));
    files_end(&f);
    free(file);
    CHECK_OK(aclrtResetDevice(0));
}

/* What the JSON file beside an object says. */
static void test_companion(void)
{
    static const struct {
        const char *text;
        aclError code;
        int64_t type; /* of a kernel that does not say it */
    } cases[] = {
        {"{\"magic\": \"RT_DEV_BINARY_MAGIC_ELF_AIVEC\"}", ACL_SUCCESS, ACL_KERNEL_TYPE_VECTOR},
        {"{\"magic\": \"RT_DEV_BINARY_MAGIC_ELF_AICUBE\"}", ACL_SUCCESS, ACL_KERNEL_TYPE_CUBE},
        {"{\"magic\": \"FFTS_BINARY_MAGIC_ELF_MIX_AIC\"}", ACL_SUCCESS, ACL_KERNEL_TYPE_VECTOR},
        {"{\"magic\": \"RT_DEV_BINARY_MAGIC_ELF\"}", ACL_SUCCESS, ACL_KERNEL_TYPE_MIX},
        {"{\"magic\": \"something else\"}", ACL_SUCCESS, ACL_KERNEL_TYPE_CUBE},
        {"{\"debugOptions\": \"dump\"}", ACL_SUCCESS, ACL_KERNEL_TYPE_CUBE},
        {"not JSON {", ACL_SUCCESS, ACL_KERNEL_TYPE_CUBE},
        {"{\"debugOptions\": \"assert,printf\"}", ACL_ERROR_RT_PARAM_INVALID, 0},
        {"{\"debugOptions\": 1}", ACL_ERROR_RT_PARAM_INVALID, 0},
    };
    files f;
    size_t bytes = 0;
    unsigned char *file = image_make(&bytes);
    CHECK_OK(aclrtSetDevice(0));
    files_begin(&f);
    files_write(&f, "k.v1.o", file, bytes);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        aclrtBinHandle binary = NULL;
        int64_t type = -1;
        files_write(&f, "k.v1.json", cases[i].text, strlen(cases[i].text));
        if (!CHECK_CODE(image_load_file(&f, "k.v1.o", &binary), cases[i].code))
            fprintf(stderr, "  with %s\n", cases[i].text);
        if (cases[i].code != ACL_SUCCESS)
            continue;
        CHECK_OK(aclrtGetFunctionAttribute(image_find(binary, "cube_12"), ACL_FUNC_ATTR_KERNEL_TYPE,
                                           &type));
        if (!CHECK_EQUAL(type, cases[i].type))
            fprintf(stderr, "  with %s\n", cases[i].text);
        CHECK_OK(aclrtBinaryUnLoad(binary));
    }
    files_remove(&f, "k.v1.json");
    files_remove(&f, "k.v1.o");
    files_end(&f);
    free(file);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_options(void)
{
    static const struct {
        aclrtBinaryLoadOptionType type;
        uint32_t value;
        aclError file, data;
    } cases[] = {
        {ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 0, ACL_SUCCESS, ACL_SUCCESS},
        {ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 1, ACL_SUCCESS, ACL_SUCCESS},
        {ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 2, ACL_ERROR_RT_PARAM_INVALID,
         ACL_ERROR_RT_PARAM_INVALID},
        {ACL_RT_BINARY_LOAD_OPT_MAGIC, 0x41494343, ACL_ERROR_RT_PARAM_INVALID, ACL_SUCCESS},
        {ACL_RT_BINARY_LOAD_OPT_MAGIC, 0x41415246, ACL_ERROR_RT_PARAM_INVALID, ACL_SUCCESS},
        {ACL_RT_BINARY_LOAD_OPT_MAGIC, 0x43554245, ACL_ERROR_RT_PARAM_INVALID, ACL_SUCCESS},
        {ACL_RT_BINARY_LOAD_OPT_MAGIC, 1, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_PARAM_INVALID},
        {ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, 0, ACL_ERROR_RT_PARAM_INVALID,
         ACL_ERROR_RT_PARAM_INVALID}, /* the file is no JSON */
        {ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, 2, ACL_ERROR_RT_PARAM_INVALID, ACL_SUCCESS},
        {ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, 3, ACL_ERROR_RT_PARAM_INVALID,
         ACL_ERROR_RT_PARAM_INVALID},
        {(aclrtBinaryLoadOptionType)9, 0, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_PARAM_INVALID},
    };
    files f;
    char path[PATH_MAX];
    size_t bytes = 0;
    unsigned char *file = image_make(&bytes);
    CHECK_OK(aclrtSetDevice(0));
    files_begin(&f);
    files_write(&f, "k.o", file, bytes);
    files_path(&f, "k.o", path);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        aclrtBinaryLoadOption option = {.type = cases[i].type, .value.magic = cases[i].value};
        aclrtBinaryLoadOptions options = image_options(&option);
        aclrtBinHandle binary = NULL;
        if (!CHECK_CODE(aclrtBinaryLoadFromFile(path, &options, &binary), cases[i].file))
            fprintf(stderr, "  case %u\n", i);
        if (binary)
            CHECK_OK(aclrtBinaryUnLoad(binary));
        binary = NULL;
        if (!CHECK_CODE(aclrtBinaryLoadFromData(file, bytes, &options, &binary), cases[i].data))
            fprintf(stderr, "  case %u\n", i);
        if (binary)
            CHECK_OK(aclrtBinaryUnLoad(binary));
    }
    aclrtBinaryLoadOptions none = {.options = NULL, .numOpt = 0};
    aclrtBinHandle binary = NULL;
    CHECK_CODE(aclrtBinaryLoadFromData(file, bytes, &none, &binary), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtBinaryLoadFromFile(path, &none, &binary), ACL_ERROR_RT_PARAM_INVALID);
    files_remove(&f, "k.o");
    files_end(&f);
    free(file);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_address(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtBinHandle binary = image_load();
    unsigned char back[IMAGE_BYTES];
    void *address = NULL;
    size_t bytes = 0;
    CHECK_CODE(aclrtBinaryGetDevAddress(NULL, &address, &bytes), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryGetDevAddress(binary, NULL, &bytes), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryGetDevAddress(binary, &address, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtBinaryGetDevAddress(binary, &address, &bytes));
    CHECK(address != NULL);
    CHECK_EQUAL(bytes, IMAGE_BYTES);
    CHECK_OK(aclrtMemcpy(back, sizeof(back), address, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(memcmp(back, image_code, sizeof(back)) == 0);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_FAILS(aclrtMemcpy(back, sizeof(back), address, sizeof(back), ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_lazy(void)
{
    aclrtBinaryLoadOption option = {.type = ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD,
                                    .value.isLazyLoad = 1};
    aclrtBinaryLoadOptions options = image_options(&option);
    size_t bytes = 0;
    unsigned char *file = image_make(&bytes);
    aclrtBinHandle binary = NULL;
    void *address = &option;
    size_t size = 1;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromData(file, bytes, &options, &binary));
    memset(file, 0, bytes);
    free(file);
    CHECK_OK(aclrtBinaryGetDevAddress(binary, &address, &size));
    CHECK(address == NULL);
    CHECK_EQUAL(size, 0);
    image_find(binary, "vec");
    CHECK_OK(aclrtBinaryGetDevAddress(binary, &address, &size));
    CHECK(address != NULL);
    CHECK_EQUAL(size, IMAGE_BYTES);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_described(void)
{
    size_t bytes = 0;
    unsigned char *file = image_make(&bytes);
    aclrtBinHandle binary = NULL;
    void *address = NULL;
    size_t size = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtBinary data = aclrtCreateBinary(file, bytes);
    CHECK(data != NULL);
    const unsigned char class = file[EI_CLASS];
    file[EI_CLASS] = 0; /* only described: what is there when it is loaded counts */
    CHECK_CODE(aclrtBinaryLoad(data, &binary), ACL_ERROR_RT_PARAM_INVALID);
    file[EI_CLASS] = class;
    CHECK_OK(aclrtBinaryLoad(data, &binary));
    CHECK_OK(aclrtDestroyBinary(data));
    free(file);
    CHECK_OK(aclrtBinaryGetDevAddress(binary, &address, &size));
    CHECK(address != NULL);
    image_find(binary, "mix");
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_twice(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtBinHandle one = image_load();
    aclrtBinHandle two = image_load();
    CHECK(one != two);
    aclrtFuncHandle first = image_find(one, "vec");
    aclrtFuncHandle second = image_find(two, "vec");
    CHECK(first != second);
    CHECK_OK(aclrtBinaryUnLoad(one));
    CHECK_CODE(aclrtBinaryUnLoad(one), ACL_ERROR_RT_INVALID_HANDLE);
    size_t count = 0;
    aclrtFuncHandle gone = NULL;
    CHECK_CODE(aclrtFunctionGetParamCount(first, &count), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtBinaryGetFunction(one, "vec", &gone), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtBinaryGetFunction(first, "vec", &gone), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtFunctionGetParamCount(second, &count));
    CHECK_EQUAL(count, 2);
    CHECK_OK(aclrtBinaryUnLoad(two));
    CHECK_OK(aclrtResetDevice(0));
}

static void unload_elsewhere(void *binary)
{
    CHECK_OK(aclrtBinaryUnLoad(binary));
}

/* A binary does not belong to a device: it outlives a reset, and any thread may end it. */
static void test_outlives_device(void)
{
    void *address = NULL;
    size_t size = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtBinHandle binary = image_load();
    aclrtFuncHandle function = image_find(binary, "vec");
    CHECK_OK(aclrtResetDevice(0));
    CHECK_CODE(aclrtBinaryGetDevAddress(binary, &address, &size), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryGetDevAddress(binary, &address, &size));
    CHECK(address == NULL); /* its copy went with the device */
    CHECK(image_find(binary, "vec") == function);
    CHECK_OK(aclrtBinaryGetDevAddress(binary, &address, &size));
    CHECK(address != NULL);
    twin_on_thread(unload_elsewhere, binary);
    CHECK_OK(aclrtResetDevice(0));
}

static void load_without_context(void *unused)
{
    size_t bytes = 0;
    unsigned char *file = image_make(&bytes);
    aclrtBinaryLoadOption option = {.type = ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD,
                                    .value.isLazyLoad = 1};
    aclrtBinaryLoadOptions options = image_options(&option);
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle function = NULL;
    void *address = NULL;
    size_t size = 0;
    (void)unused;
    const aclrtBinaryLoadOptions *const ways[] = {NULL, &options};
    for (size_t i = 0; i < TWIN_COUNT(ways); i++) {
        CHECK_OK(aclrtBinaryLoadFromData(file, bytes, ways[i], &binary));
        CHECK_CODE(aclrtBinaryGetFunction(binary, "vec", &function), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtBinaryGetGlobal(binary, "table", &address, &size),
                   ACL_ERROR_RT_CONTEXT_NULL);
        CHECK_OK(aclrtSetDevice(0));
        CHECK_OK(aclrtBinaryGetDevAddress(binary, &address, &size));
        CHECK(address == NULL); /* the copy is made with the first lookup */
        CHECK(image_find(binary, "vec") != NULL);
        CHECK_OK(aclrtBinaryGetDevAddress(binary, &address, &size));
        CHECK(address != NULL);
        CHECK_OK(aclrtResetDevice(0));
        CHECK_OK(aclrtBinaryUnLoad(binary));
    }
    free(file);
}

static void test_no_context(void)
{
    twin_on_thread(load_without_context, NULL);
}

/* ---- metadata -------------------------------------------------------------------------------- */

/* One vector kernel whose metadata ends with those bytes. */
static aclError load_with(const char *name, object_meta *meta, aclrtBinHandle *binary)
{
    static kernel_object object;
    size_t bytes = 0;
    object_begin(&object, false);
    object_add_section(&object, ".text", SHT_PROGBITS, SHF_ALLOC, image_code, 64);
    object_add_meta(&object, name, meta);
    object_add_kernel(&object, name, 0, 16);
    unsigned char *file = object_write(&object, &bytes);
    object_end(&object);
    const aclError code = aclrtBinaryLoadFromData(file, bytes, NULL, binary);
    free(file);
    return code;
}

static void test_damaged_metadata(void)
{
    static object_meta meta;
    aclrtBinHandle binary = NULL;
    CHECK_OK(aclrtSetDevice(0));
    meta_begin(&meta, false);
    meta_ratio(&meta, 1, 3);
    CHECK_CODE(load_with("k", &meta, &binary), ACL_ERROR_RT_PARAM_INVALID);
    meta_begin(&meta, false);
    meta_word(&meta, 18, 2);
    CHECK_CODE(load_with("k", &meta, &binary), ACL_ERROR_RT_PARAM_INVALID);
    meta_begin(&meta, false);
    meta_key(&meta, 1, 5);
    CHECK_CODE(load_with("k", &meta, &binary), ACL_ERROR_RT_PARAM_INVALID);
    meta_begin(&meta, false);
    meta_params(&meta, 2, 16);
    meta_param(&meta, 0, 0, 8);
    CHECK_CODE(load_with("k", &meta, &binary), ACL_ERROR_RT_PARAM_INVALID);
    meta_begin(&meta, false);
    meta_word(&meta, 1, 4);
    CHECK_CODE(load_with("k", &meta, &binary), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(binary == NULL);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_cut_metadata(void)
{
    static object_meta meta;
    aclrtBinHandle binary = NULL;
    int64_t value = -1;
    CHECK_OK(aclrtSetDevice(0));
    meta_begin(&meta, false);
    meta_word(&meta, 1, 3);
    meta_word(&meta, 18, 1);
    meta.count--;
    CHECK_OK(load_with("k", &meta, &binary));
    aclrtFuncHandle function = image_find(binary, "k");
    CHECK_OK(aclrtGetFunctionAttribute(function, ACL_FUNC_ATTR_KERNEL_TYPE, &value));
    CHECK_EQUAL(value, ACL_KERNEL_TYPE_VECTOR);
    CHECK_OK(aclrtGetFunctionAttribute(function, ACL_FUNC_ATTR_KERNEL_SCHED_MODE, &value));
    CHECK_EQUAL(value, 0);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- threads --------------------------------------------------------------------------------- */

typedef struct shared {
    aclrtContext context;
    aclrtBinHandle binary;
    aclrtFuncHandle found[8];
} shared;

static void find_at_once(void *argument, unsigned index)
{
    shared *all = argument;
    CHECK_OK(aclrtSetCurrentContext(all->context));
    CHECK_OK(aclrtBinaryGetFunction(all->binary, "vec", &all->found[index]));
}

static void find_or_unload(void *argument, unsigned index)
{
    shared *all = argument;
    aclrtFuncHandle function = NULL;
    CHECK_OK(aclrtSetCurrentContext(all->context));
    if (index == 0) {
        CHECK_OK(aclrtBinaryUnLoad(all->binary));
        return;
    }
    const aclError code = aclrtBinaryGetFunction(all->binary, "mix", &function);
    CHECK(code == ACL_SUCCESS || code == ACL_ERROR_RT_INVALID_HANDLE);
    CHECK((code == ACL_SUCCESS) == (function != NULL));
}

static void test_threads(void)
{
    shared all;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&all.context));
    for (int round = 0; round < 20; round++) {
        all.binary = image_load();
        twin_threads_run(8, find_at_once, &all);
        for (unsigned i = 1; i < 8; i++)
            CHECK(all.found[i] == all.found[0]);
        twin_threads_run(4, find_or_unload, &all);
    }
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"KRN-01, KRN-04, KRN-12, KRN-13, KRN-14: NULL and nothing are refused", test_null},
    {"KRN-02: files that are not images", test_bad_files},
    {"KRN-03, KRN-05: a file is read when it is loaded", test_file},
    {"KRN-03: the JSON file beside an object", test_companion},
    {"KRN-06, KRN-07, KRN-08, KRN-09: options of loading", test_options},
    {"KRN-11: address and contents on the device", test_address},
    {"KRN-05, KRN-10: a lazy image is copied with the first lookup", test_lazy},
    {"KRN-12, KRN-13: an image that is described, then loaded", test_described},
    {"KRN-15, KRN-16: two loads are two images, and one unload ends one", test_twice},
    {"KRN-15, KRN-22: an image outlives its device", test_outlives_device},
    {"KRN-26: loading needs no context, looking up does", test_no_context},
    {"KRN-17: damaged metadata is refused", test_damaged_metadata},
    {"KRN-18: a record that is cut ends the metadata", test_cut_metadata},
    {"KRN-20, KRN-21, KRN-22, KRN-23, KRN-28, KRN-37: functions by name and by entry", test_find},
    {"KRN-24, KRN-25, KRN-26, KRN-27: global variables", test_global},
    {"KRN-29, KRN-30, KRN-31: addresses and sizes of the halves", test_addresses},
    {"KRN-32, KRN-33, KRN-34, KRN-36, KRN-41: names and attributes", test_attributes},
    {"KRN-38, KRN-39, KRN-40: parameters", test_parameters},
    {"KRN-26, KRN-29, KRN-34, KRN-35, KRN-39: files that list CPU kernels", test_cpu_list},
    {"KRN-43: CPU kernels of a library are registered", test_cpu_registration},
    {"KRN-22: threads find the same function, or none of an image that goes", test_threads},
};

int main(int argc, char **argv)
{
    static const twin_suite suite = {.name = "image",
                                     .tests = tests,
                                     .test_count = sizeof(tests) / sizeof(tests[0]),
                                     .initialise = true};
    return twin_suite_main(&suite, argc, argv);
}
