/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a kernel image: finding them, and their attributes. */
#include "image_tests.h"

#include <string.h>

void test_find(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtBinHandle binary = image_load();
    aclrtFuncHandle function = &binary;
    CHECK_CODE(aclrtBinaryGetFunction(NULL, "vec", &function), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryGetFunction(binary, NULL, &function), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryGetFunction(binary, "vec", NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryGetFunction(binary, "absent", &function), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(function == NULL);
    CHECK_CODE(aclrtBinaryGetFunction(binary, "mix_mix_aic", &function),
               ACL_ERROR_RT_PARAM_INVALID); /* the raw name is not that of a kernel */
    function = image_find(binary, "vec");
    CHECK(image_find(binary, "vec") == function);
    CHECK(image_find(binary, "mix") != function);
    aclrtFuncHandle keyed = NULL;
    CHECK_CODE(aclrtBinaryGetFunctionByEntry(NULL, 77, &keyed), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryGetFunctionByEntry(binary, 77, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtBinaryGetFunctionByEntry(binary, 77, &keyed));
    CHECK(keyed == function);
    CHECK_OK(aclrtBinaryGetFunctionByEntry(binary, 12, &keyed)); /* of its name */
    CHECK(keyed == image_find(binary, "cube_12"));
    CHECK_CODE(aclrtBinaryGetFunctionByEntry(binary, 13, &keyed), ACL_ERROR_RT_PARAM_INVALID);
    aclrtBinHandle home = NULL;
    CHECK_OK(aclrtFunctionGetBinary(function, &home));
    CHECK(home == binary);
    CHECK_CODE(aclrtFunctionGetBinary(NULL, &home), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtFunctionGetBinary(function, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetFuncBySymbol(NULL, &keyed), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetFuncBySymbol(&home, &keyed), ACL_ERROR_RT_INVALID_DEVICE_FUNCTION);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
}

void test_global(void)
{
    uint8_t written[IMAGE_TABLE_BYTES];
    uint8_t read[IMAGE_BYTES];
    CHECK_OK(aclrtSetDevice(0));
    aclrtBinHandle binary = image_load();
    uint8_t *image = NULL;
    uint8_t *table = NULL;
    size_t image_bytes = 0;
    size_t bytes = 0;
    CHECK_CODE(aclrtBinaryGetGlobal(NULL, "table", (void **)&table, &bytes),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryGetGlobal(binary, NULL, (void **)&table, &bytes),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryGetGlobal(binary, "table", NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinaryGetGlobal(binary, "absent", (void **)&table, &bytes),
               ACL_ERROR_RT_SYMBOL_NOT_FOUND);
    CHECK_OK(aclrtBinaryGetGlobal(binary, "table", (void **)&table, NULL));
    CHECK_OK(aclrtBinaryGetGlobal(binary, "table", NULL, &bytes));
    CHECK_OK(aclrtBinaryGetDevAddress(binary, (void **)&image, &image_bytes));
    CHECK(table == image + IMAGE_TABLE_PLACE);
    CHECK_EQUAL(bytes, IMAGE_TABLE_BYTES);
    memset(written, 0x5a, sizeof(written));
    CHECK_OK(aclrtMemcpy(table, bytes, written, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtMemcpy(read, sizeof(read), image, image_bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_BYTES(read + IMAGE_TABLE_PLACE, 0x5a, IMAGE_TABLE_BYTES);
    CHECK(read[IMAGE_TABLE_PLACE - 1] == image_code[IMAGE_TABLE_PLACE - 1]);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
}

void test_addresses(void)
{
    static const struct {
        const char *name;
        int cube, vector; /* places; -1: none */
        size_t cube_bytes, vector_bytes;
    } cases[] = {{"cube_12", 0, -1, 16, 0}, {"vec", -1, 16, 0, 24}, {"mix", 128, 160, 32, 32}};
    CHECK_OK(aclrtSetDevice(0));
    aclrtBinHandle binary = image_load();
    char *image = NULL;
    size_t image_bytes = 0;
    CHECK_OK(aclrtBinaryGetDevAddress(binary, (void **)&image, &image_bytes));
    for (unsigned i = 0; i < 3; i++) {
        aclrtFuncHandle function = image_find(binary, cases[i].name);
        void *cube = &binary;
        void *vector = &binary;
        size_t cube_bytes = 99;
        size_t vector_bytes = 99;
        CHECK_OK(aclrtGetFunctionAddr(function, &cube, &vector));
        CHECK(cube == (cases[i].cube < 0 ? NULL : image + cases[i].cube));
        CHECK(vector == (cases[i].vector < 0 ? NULL : image + cases[i].vector));
        CHECK_OK(aclrtGetFunctionSize(function, &cube_bytes, &vector_bytes));
        CHECK_EQUAL(cube_bytes, cases[i].cube_bytes);
        CHECK_EQUAL(vector_bytes, cases[i].vector_bytes);
        CHECK_CODE(aclrtGetFunctionAddr(NULL, &cube, &vector), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtGetFunctionAddr(function, NULL, &vector), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtGetFunctionAddr(function, &cube, NULL), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtGetFunctionSize(NULL, &cube_bytes, &vector_bytes),
                   ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtGetFunctionSize(function, NULL, &vector_bytes), ACL_ERROR_RT_PARAM_INVALID);
    }
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
}

void test_attributes(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtBinHandle binary = image_load();
    aclrtFuncHandle vec = image_find(binary, "vec");
    aclrtFuncHandle mix = image_find(binary, "mix");
    aclrtFuncHandle cube = image_find(binary, "cube_12");
    char name[16];
    int64_t value = -1;
    size_t ub = 99;
    CHECK_OK(aclrtGetFunctionName(mix, 4, name));
    CHECK(strcmp(name, "mix") == 0);
    CHECK_CODE(aclrtGetFunctionName(mix, 3, name), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetFunctionName(mix, 16, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtGetFunctionAttribute(vec, ACL_FUNC_ATTR_KERNEL_TYPE, &value));
    CHECK_EQUAL(value, ACL_KERNEL_TYPE_VECTOR);
    CHECK_OK(aclrtGetFunctionAttribute(cube, ACL_FUNC_ATTR_KERNEL_TYPE, &value));
    CHECK_EQUAL(value, ACL_KERNEL_TYPE_CUBE);
    CHECK_OK(aclrtGetFunctionAttribute(mix, ACL_FUNC_ATTR_KERNEL_TYPE, &value));
    CHECK_EQUAL(value, ACL_KERNEL_TYPE_MIX);
    CHECK_OK(aclrtGetFunctionAttribute(mix, ACL_FUNC_ATTR_KERNEL_RATIO, &value));
    CHECK_EQUAL(value, 0x10002); /* cube above, vector below */
    CHECK_OK(aclrtGetFunctionAttribute(vec, ACL_FUNC_ATTR_KERNEL_SCHED_MODE, &value));
    CHECK_EQUAL(value, 1);
    CHECK_OK(aclrtGetFunctionAttribute(mix, ACL_FUNC_ATTR_KERNEL_SCHED_MODE, &value));
    CHECK_EQUAL(value, 0);
    CHECK_CODE(aclrtGetFunctionAttribute(mix, (aclrtFuncAttribute)0, &value),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetFunctionAttribute(mix, (aclrtFuncAttribute)4, &value),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetFunctionAttribute(NULL, ACL_FUNC_ATTR_KERNEL_TYPE, &value),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetFunctionAttribute(mix, ACL_FUNC_ATTR_KERNEL_TYPE, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtFunctionGetAvailDynUbufPerBlock(vec, 1, &ub), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtFunctionGetAvailDynUbufPerBlock(vec, 0, &ub));
    CHECK_EQUAL(ub, 0);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
}

void test_parameters(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtBinHandle binary = image_load();
    aclrtFuncHandle vec = image_find(binary, "vec");
    aclrtFuncHandle cube = image_find(binary, "cube_12");
    size_t count = 0;
    size_t offset = 99;
    size_t bytes = 99;
    CHECK_CODE(aclrtFunctionGetParamCount(NULL, &count), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtFunctionGetParamCount(vec, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtFunctionGetParamCount(vec, &count));
    CHECK_EQUAL(count, 2);
    CHECK_OK(aclrtFunctionGetParamInfo(vec, 1, &offset, &bytes));
    CHECK_EQUAL(offset, 8);
    CHECK_EQUAL(bytes, 4);
    CHECK_OK(aclrtFunctionGetParamInfo(vec, 0, &offset, NULL));
    CHECK_EQUAL(offset, 0);
    CHECK_OK(aclrtFunctionGetParamInfo(vec, 0, NULL, &bytes));
    CHECK_EQUAL(bytes, 8);
    CHECK_CODE(aclrtFunctionGetParamInfo(vec, 0, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtFunctionGetParamInfo(vec, 2, &offset, &bytes), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtFunctionGetParamCount(cube, &count), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtFunctionGetParamInfo(cube, 0, &offset, &bytes), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
}
