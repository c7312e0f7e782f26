/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with one library of the family by its own name: its functions are those of libacl_rt.so,
 * for the linked program, for dlsym, and unless another library interposes a function. Built once
 * per library, with ABI_LIBRARY its file name and ABI_FUNCTION one of its functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_platform.h"
#include "acl/acl_prof.h"
#include "acl/acl_tdt.h"
#include "acl/acl_tdt_queue.h"
#include "support/cunit_main.h"

#define TEXT_(name) #name
#define TEXT(name)  TEXT_(name)

/* Conversions between pointers to functions and to objects, which C leaves to POSIX. */
static void *address_of_linked(void)
{
    void *address;
    __typeof__(&ABI_FUNCTION) function = &ABI_FUNCTION;
    memcpy(&address, &function, sizeof(address));
    return address;
}

static const char *file_of(void *address)
{
    Dl_info info;
    if (!address || !dladdr(address, &info))
        return "nowhere";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

static void test_linked(void)
{
    CU_ASSERT_STRING_EQUAL(file_of(address_of_linked()), "libacl_rt.so");
}

static void test_dlsym(void)
{
    void *library = dlopen(ABI_LIBRARY, RTLD_NOW);
    CU_ASSERT_PTR_NOT_NULL_FATAL(library);
    CU_ASSERT_PTR_EQUAL(dlsym(library, TEXT(ABI_FUNCTION)), address_of_linked());
    if (library)
        dlclose(library);
}

static void test_one_copy(void)
{
    void *library = dlopen("libacl_rt.so", RTLD_NOW | RTLD_NOLOAD);
    CU_ASSERT_PTR_NOT_NULL_FATAL(library);
    CU_ASSERT_PTR_EQUAL(dlsym(library, TEXT(ABI_FUNCTION)), address_of_linked());
    if (library)
        dlclose(library);
}

static const twin_test tests[] = {
    {"a linked function is the one in libacl_rt.so", test_linked},
    {"dlsym on the library's own handle finds the same function", test_dlsym},
    {"there is one libacl_rt.so, and it has the same function", test_one_copy},
};

int main(int argc, char **argv)
{
    return twin_run_suite("library", tests, TWIN_COUNT(tests), argc, argv);
}
