/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators that a program registers for streams. */
#include <string.h>

#include "suite.h"

/* An allocator is known by its object and its functions; they are never called by the runtime. */
static unsigned calls;

static void *first_alloc(aclrtAllocator allocator, size_t size)
{
    (void)size;
    calls++;
    return allocator;
}

static void *second_alloc(aclrtAllocator allocator, size_t size)
{
    (void)size;
    calls++;
    return allocator;
}

static void free_block(aclrtAllocator allocator, aclrtAllocatorBlock block)
{
    (void)allocator;
    (void)block;
    calls++;
}

static void *advise(aclrtAllocator allocator, size_t size, aclrtAllocatorAddr address)
{
    (void)allocator;
    (void)size;
    calls++;
    return address;
}

static void *address_of(aclrtAllocatorBlock block)
{
    calls++;
    return block;
}

static int first_object, second_object;

/* A complete description. */
static aclrtAllocatorDesc describe(void *object, aclrtAllocatorAllocFunc alloc)
{
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    CHECK(desc != NULL);
    CHECK_OK(aclrtAllocatorSetObjToDesc(desc, object));
    CHECK_OK(aclrtAllocatorSetAllocFuncToDesc(desc, alloc));
    CHECK_OK(aclrtAllocatorSetFreeFuncToDesc(desc, free_block));
    CHECK_OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address_of));
    return desc;
}

typedef struct found {
    aclrtAllocatorDesc desc;
    aclrtAllocator object;
    aclrtAllocatorAllocFunc alloc;
    aclrtAllocatorFreeFunc free;
    aclrtAllocatorAllocAdviseFunc advise;
    aclrtAllocatorGetAddrFromBlockFunc address;
} found;

static found registered(aclrtStream stream)
{
    found got = {NULL, NULL, NULL, NULL, NULL, NULL};
    CHECK_OK(aclrtAllocatorGetByStream(stream, &got.desc, &got.object, &got.alloc, &got.free,
                                       &got.advise, &got.address));
    return got;
}

static void check_none(aclrtStream stream)
{
    found got = {&first_object, &first_object, NULL, NULL, NULL, NULL};
    CHECK_CODE(aclrtAllocatorGetByStream(stream, &got.desc, &got.object, NULL, NULL, NULL, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK(got.desc == &first_object && got.object == &first_object);
}

/* ---- descriptions --------------------------------------------------------------------------- */

static void use_before_init(void)
{
    aclrtAllocatorDesc desc = describe(&first_object, first_alloc);
    CHECK_OK(aclrtAllocatorSetAllocAdviseFuncToDesc(desc, advise));
    CHECK_OK(aclrtAllocatorDestroyDesc(desc));
}

static void test_description(void)
{
    aclrtAllocatorDesc one = aclrtAllocatorCreateDesc();
    aclrtAllocatorDesc other = aclrtAllocatorCreateDesc();
    CHECK(one != NULL && other != NULL && one != other);
    CHECK_OK(aclrtAllocatorDestroyDesc(one));
    CHECK_OK(aclrtAllocatorDestroyDesc(other));
    twin_run_child("before_init", (const char *const[]){NULL});
}

static void test_refused_fields(void)
{
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    CHECK_CODE(aclrtAllocatorDestroyDesc(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtAllocatorSetObjToDesc(NULL, &first_object), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtAllocatorSetObjToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtAllocatorSetAllocFuncToDesc(NULL, first_alloc), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtAllocatorSetAllocFuncToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtAllocatorSetFreeFuncToDesc(NULL, free_block), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtAllocatorSetFreeFuncToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtAllocatorSetAllocAdviseFuncToDesc(NULL, advise), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtAllocatorSetAllocAdviseFuncToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(NULL, address_of),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtAllocatorDestroyDesc(desc));
}

/* ---- registration --------------------------------------------------------------------------- */

/* A description that lacks one of what it must have. */
static aclrtAllocatorDesc incomplete(int lacks)
{
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    if (lacks != 0)
        CHECK_OK(aclrtAllocatorSetObjToDesc(desc, &first_object));
    if (lacks != 1)
        CHECK_OK(aclrtAllocatorSetAllocFuncToDesc(desc, first_alloc));
    if (lacks != 2)
        CHECK_OK(aclrtAllocatorSetFreeFuncToDesc(desc, free_block));
    if (lacks != 3)
        CHECK_OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address_of));
    return desc;
}

static void test_refused_registration(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtAllocatorDesc desc = describe(&first_object, first_alloc);
    CHECK_CODE(aclrtAllocatorRegister(NULL, desc), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtAllocatorRegister(stream, NULL), ACL_ERROR_INVALID_PARAM);
    for (int lacks = 0; lacks < 4; lacks++) {
        aclrtAllocatorDesc part = incomplete(lacks);
        CHECK_CODE(aclrtAllocatorRegister(stream, part), ACL_ERROR_INVALID_PARAM);
        const char *text = aclGetRecentErrMsg();
        CHECK(text && strstr(text, "call aclrtAllocatorSet"));
        check_none(stream);
        CHECK_OK(aclrtAllocatorDestroyDesc(part));
    }
    CHECK_OK(aclrtAllocatorRegister(stream, desc));
    CHECK(registered(stream).advise == NULL);
    CHECK_OK(aclrtAllocatorDestroyDesc(desc));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_copied(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtAllocatorDesc desc = describe(&first_object, first_alloc);
    CHECK_OK(aclrtAllocatorSetAllocAdviseFuncToDesc(desc, advise));
    CHECK_OK(aclrtAllocatorRegister(stream, desc));
    CHECK_OK(aclrtAllocatorSetObjToDesc(desc, &second_object));
    CHECK_OK(aclrtAllocatorSetAllocFuncToDesc(desc, second_alloc));
    for (int destroyed = 0; destroyed < 2; destroyed++) {
        const found got = registered(stream);
        CHECK(got.desc == desc);
        CHECK(got.object == &first_object);
        CHECK(got.alloc == first_alloc);
        CHECK(got.free == free_block);
        CHECK(got.advise == advise);
        CHECK(got.address == address_of);
        if (!destroyed)
            CHECK_OK(aclrtAllocatorDestroyDesc(desc));
    }
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_EQUAL(calls, 0);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_replaced(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream other = twin_stream();
    aclrtAllocatorDesc first = describe(&first_object, first_alloc);
    aclrtAllocatorDesc second = describe(&second_object, second_alloc);
    CHECK_OK(aclrtAllocatorRegister(stream, first));
    CHECK_OK(aclrtAllocatorRegister(other, first));
    CHECK_OK(aclrtAllocatorRegister(stream, second));
    CHECK(registered(stream).desc == second);
    CHECK(registered(stream).object == &second_object);
    CHECK(registered(stream).alloc == second_alloc);
    CHECK(registered(other).object == &first_object);
    CHECK_OK(aclrtAllocatorDestroyDesc(first));
    CHECK_OK(aclrtAllocatorDestroyDesc(second));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtDestroyStream(other));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_asked(void)
{
    aclrtAllocatorDesc got = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtAllocatorDesc desc = describe(&first_object, first_alloc);
    check_none(stream);
    CHECK_OK(aclrtAllocatorRegister(stream, desc));
    CHECK_CODE(aclrtAllocatorGetByStream(NULL, &got, NULL, NULL, NULL, NULL, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtAllocatorGetByStream(stream, NULL, NULL, NULL, NULL, NULL, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK(got == NULL);
    CHECK_OK(aclrtAllocatorGetByStream(stream, &got, NULL, NULL, NULL, NULL, NULL));
    CHECK(got == desc);
    CHECK_OK(aclrtDestroyStream(stream));
    check_none(stream); /* its registration has ended with it */
    CHECK_OK(aclrtAllocatorDestroyDesc(desc));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_unregistered(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtAllocatorDesc desc = describe(&first_object, first_alloc);
    CHECK_CODE(aclrtAllocatorUnregister(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtAllocatorUnregister(stream));
    CHECK_OK(aclrtAllocatorRegister(stream, desc));
    CHECK_OK(aclrtAllocatorUnregister(stream));
    check_none(stream);
    CHECK_OK(aclrtAllocatorUnregister(stream));
    CHECK_OK(aclrtAllocatorDestroyDesc(desc));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtAllocatorUnregister(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_stale_handles(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtAllocatorDesc desc = describe(&first_object, first_alloc);
    aclrtAllocatorDesc gone = describe(&second_object, second_alloc);
    CHECK_OK(aclrtAllocatorDestroyDesc(gone));
    CHECK_CODE(aclrtAllocatorDestroyDesc(gone), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtAllocatorSetObjToDesc(gone, &first_object), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtAllocatorRegister(stream, gone), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtAllocatorRegister(stream, stream), ACL_ERROR_RT_INVALID_HANDLE);
    check_none(stream);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_CODE(aclrtAllocatorRegister(stream, desc), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtAllocatorDestroyDesc(desc));
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"ALC-01: a description is made before aclInit too", test_description},
    {"ALC-02: NULL is refused by the functions of a description", test_refused_fields},
    {"ALC-03: a description that lacks a function is not registered", test_refused_registration},
    {"ALC-04: what is registered is a copy", test_copied},
    {"ALC-05: the last registration on a stream counts", test_replaced},
    {"ALC-06: the allocator of a stream, and of one without any", test_asked},
    {"ALC-07: a registration is taken back, and again", test_unregistered},
    {"ALC-08: destroyed descriptions and streams are refused", test_stale_handles},
};

static const twin_child children[] = {{"before_init", use_before_init}};

int main(int argc, char **argv)
{
    static const twin_suite suite = {.name = "allocator",
                                     .tests = tests,
                                     .test_count = TWIN_COUNT(tests),
                                     .children = children,
                                     .child_count = TWIN_COUNT(children),
                                     .initialise = true};
    return twin_suite_main(&suite, argc, argv);
}
