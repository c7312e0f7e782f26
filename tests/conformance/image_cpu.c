/* SPDX-License-Identifier: Apache-2.0 */
/* Images of kernels that run on the AI CPU. */
#include "image_tests.h"

#include <stdio.h>
#include <string.h>

static void check_cpu_function(aclrtFuncHandle function)
{
    int64_t value = 0;
    size_t count = 0;
    size_t bytes = 0;
    void *address = NULL;
    CHECK_OK(aclrtGetFunctionAttribute(function, ACL_FUNC_ATTR_KERNEL_TYPE, &value));
    CHECK_EQUAL(value, ACL_KERNEL_TYPE_AICPU);
    CHECK_CODE(aclrtGetFunctionAttribute(function, ACL_FUNC_ATTR_KERNEL_RATIO, &value),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetFunctionAddr(function, &address, &address), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtFunctionGetParamCount(function, &count), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtFunctionGetParamInfo(function, 0, &count, &bytes),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

void test_cpu_list(void)
{
    static const char list[] =
        "{\"Add\": {\"opInfo\": {\"functionName\": \"RunAdd\", \"kernelSo\": "
        "\"libk.so\"}}}";
    static const char *const broken[] = {
        "[]", "{}", "{\"Add\": 1}", "{\"Add\": {\"opInfo\": {\"functionName\": \"RunAdd\"}}}",
        "{\"Add\": {\"opInfo\": {\"functionName\": \"f\", \"kernelSo\": \"\"}}}"};
    aclrtBinaryLoadOption option = {.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE};
    aclrtBinaryLoadOptions options = image_options(&option);
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle function = NULL;
    void *address = NULL;
    size_t bytes = 0;
    char path[PATH_MAX];
    files f;
    CHECK_OK(aclrtSetDevice(0));
    files_begin(&f);
    files_path(&f, "cpu.json", path);
    files_write(&f, "cpu.json", list, strlen(list));
    option.value.cpuKernelMode = 1;
    CHECK_CODE(aclrtBinaryLoadFromFile(path, &options, &binary), ACL_ERROR_RT_PARAM_INVALID);
    files_write(&f, "libk.so", "x", 1);
    for (option.value.cpuKernelMode = 0; option.value.cpuKernelMode < 2;
         option.value.cpuKernelMode++) {
        CHECK_OK(aclrtBinaryLoadFromFile(path, &options, &binary));
        function = image_find(binary, "Add");
        check_cpu_function(function);
        CHECK(image_find(binary, "Add") == function);
        CHECK_CODE(aclrtBinaryGetFunction(binary, "Sub", &function), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtBinaryGetFunctionByEntry(binary, 0, &function), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtBinaryGetGlobal(binary, "table", &address, &bytes),
                   ACL_ERROR_RT_PARAM_INVALID);
        CHECK_OK(aclrtBinaryUnLoad(binary));
    }
    option.value.cpuKernelMode = 0;
    binary = NULL;
    for (unsigned i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        files_write(&f, "cpu.json", broken[i], strlen(broken[i]));
        if (!CHECK_CODE(aclrtBinaryLoadFromFile(path, &options, &binary),
                        ACL_ERROR_RT_PARAM_INVALID))
            fprintf(stderr, "  with %s\n", broken[i]);
    }
    CHECK(binary == NULL);
    files_remove(&f, "cpu.json");
    files_remove(&f, "libk.so");
    files_end(&f);
    CHECK_OK(aclrtResetDevice(0));
}

void test_cpu_registration(void)
{
    aclrtBinaryLoadOption option = {.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE,
                                    .value.cpuKernelMode = 2};
    aclrtBinaryLoadOptions options = image_options(&option);
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle function = NULL;
    aclrtFuncHandle again = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromData("library", 7, &options, &binary));
    CHECK_CODE(aclrtBinaryGetFunction(binary, "Add", &function), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtRegisterCpuFunc(NULL, "RunAdd", "Add", &function), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtRegisterCpuFunc(binary, NULL, "Add", &function), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtRegisterCpuFunc(binary, "RunAdd", NULL, &function), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtRegisterCpuFunc(binary, "RunAdd", "Add", NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtRegisterCpuFunc(binary, "RunAdd", "Add", &function));
    check_cpu_function(function);
    CHECK_OK(aclrtRegisterCpuFunc(binary, "RunAdd", "Add", &again));
    CHECK(again == function && image_find(binary, "Add") == function);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_CODE(aclrtRegisterCpuFunc(binary, "RunAdd", "Add", &again), ACL_ERROR_RT_INVALID_HANDLE);
    binary = image_load();
    CHECK_CODE(aclrtRegisterCpuFunc(binary, "RunAdd", "Add", &again), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
}
