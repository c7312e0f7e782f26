/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments that a kernel gets from each way to launch it: the scheduler refuses each launch,
 * and the exception callback reads the arguments that the device would have passed. */
#include <stdlib.h>
#include <string.h>

#include "exception_tests.h"

enum { MOST = 1 << 16, CALLS = 4 };

/* What the last launches got. */
static unsigned char seen[CALLS][MOST];
static uint32_t seen_bytes[CALLS];
static uint64_t seen_at[CALLS];
static unsigned seen_count;

static void on_exception(aclrtExceptionInfo *info)
{
    void *args = NULL;
    uint32_t bytes = 0;
    CHECK(seen_count < CALLS);
    CHECK_OK(aclrtGetArgsFromExceptionInfo(info, &args, &bytes));
    CHECK(bytes <= MOST);
    if (seen_count == CALLS || bytes > MOST)
        return;
    CHECK_OK(aclrtMemcpy(seen[seen_count], bytes, args, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    seen_at[seen_count] = (uint64_t)(uintptr_t)args;
    seen_bytes[seen_count++] = bytes;
}

typedef struct scene {
    aclrtBinHandle binary;
    aclrtFuncHandle cube, vector, mixed;
    aclrtStream stream;
} scene;

static void begin(scene *s)
{
    CHECK_OK(aclrtSetDevice(0));
    s->binary = image_load();
    s->cube = image_find(s->binary, "cube_12");
    s->vector = image_find(s->binary, "vec");
    s->mixed = image_find(s->binary, "mix");
    s->stream = twin_stream();
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_exception));
    twinrt_fault fault = TWINRT_FAULT_INIT(TWINRT_FAULT_BAD_TASK);
    fault.task = TWINRT_FAULT_TASK_KERNEL;
    fault.times = 0;
    (void)twin_inject_fault(&fault);
}

static void end(const scene *s)
{
    CHECK_OK(twinrt_fault_remove(0));
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_exception));
    CHECK_OK(aclrtDestroyStream(s->stream));
    CHECK_OK(aclrtBinaryUnLoad(s->binary));
    CHECK_OK(aclrtResetDevice(0));
}

/* What was launched since the last time is looked at. */
static void look(const scene *s, unsigned launches)
{
    seen_count = 0;
    CHECK_CODE(aclrtSynchronizeStream(s->stream), ACL_ERROR_RT_TS_ERROR);
    CHECK_EQUAL(seen_count, launches);
}

static uint64_t word(unsigned launch, size_t offset)
{
    uint64_t value = 0;
    CHECK(offset + sizeof(value) <= seen_bytes[launch]);
    memcpy(&value, seen[launch] + offset, sizeof(value));
    return value;
}

/* The bytes at a device address within the arguments of the launch. */
static const unsigned char *bytes_at(unsigned launch, uint64_t address, size_t bytes)
{
    const bool inside =
        address >= seen_at[launch] && address + bytes <= seen_at[launch] + seen_bytes[launch];
    CHECK(inside);
    return inside ? seen[launch] + (address - seen_at[launch]) : NULL;
}

static void append(aclrtArgsHandle list, void *value, size_t bytes, aclrtParamHandle *param)
{
    aclrtParamHandle unused = NULL;
    CHECK_OK(aclrtKernelArgsAppend(list, value, bytes, param ? param : &unused));
}

static void launch_list(const scene *s, aclrtFuncHandle function, aclrtArgsHandle list)
{
    CHECK_OK(aclrtLaunchKernelWithConfig(function, 1, s->stream, NULL, list, NULL));
}

void test_list_reaches_the_kernel(void)
{
    scene s;
    aclrtArgsHandle list = NULL;
    aclrtParamHandle place = NULL;
    uint8_t byte = 0x11;
    uint64_t large = 0x2233445566778899;
    uint16_t half = 0xaabb;
    void *data = NULL;
    begin(&s);
    CHECK_OK(aclrtKernelArgsInit(s.cube, &list));
    append(list, &byte, 1, NULL);
    append(list, &large, 8, NULL);
    CHECK_OK(aclrtKernelArgsAppendPlaceHolder(list, &place));
    append(list, &half, 2, NULL);
    CHECK_OK(aclrtKernelArgsGetPlaceHolderBuffer(list, place, 100, &data));
    memset(data, 0x5a, 100);
    byte = 0;
    large = 0; /* their values were copied */
    half = 0;
    CHECK_OK(aclrtKernelArgsFinalize(list));
    launch_list(&s, s.cube, list);
    memset(data, 0, 100); /* so was this, with the launch */
    look(&s, 1);
    CHECK_EQUAL(seen[0][0], 0x11);
    CHECK_EQUAL(word(0, 8), 0x2233445566778899);
    uint16_t last = 0;
    memcpy(&last, seen[0] + 24, sizeof(last));
    CHECK_EQUAL(last, 0xaabb);
    const unsigned char *bytes = bytes_at(0, word(0, 16), 100);
    if (bytes)
        CHECK_BYTES(bytes, 0x5a, 100);
    end(&s);
}

void test_list_launched_again(void)
{
    scene s;
    aclrtArgsHandle list = NULL;
    aclrtParamHandle first = NULL;
    aclrtParamHandle place = NULL;
    uint64_t value = 1;
    uint32_t small = 7;
    void *data = NULL;
    begin(&s);
    CHECK_OK(aclrtKernelArgsInit(s.vector, &list));
    append(list, &value, 8, &first);
    CHECK_OK(aclrtKernelArgsAppendPlaceHolder(list, &place));
    CHECK_OK(aclrtKernelArgsGetPlaceHolderBuffer(list, place, 8, &data));
    memset(data, 1, 8);
    CHECK_OK(aclrtKernelArgsFinalize(list));
    launch_list(&s, s.vector, list);
    memset(data, 2, 8);
    launch_list(&s, s.vector, list);
    CHECK_CODE(aclrtKernelArgsParaUpdate(list, first, &small, 4), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtKernelArgsParaUpdate(list, place, &value, 8), ACL_ERROR_RT_PARAM_INVALID);
    value = 99;
    CHECK_OK(aclrtKernelArgsParaUpdate(list, first, &value, 8));
    CHECK_OK(aclrtKernelArgsFinalize(list));
    memset(data, 3, 8);
    launch_list(&s, s.vector, list);
    look(&s, 3);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQUAL(word(i, 0), i < 2 ? 1 : 99);
        const unsigned char *bytes = bytes_at(i, word(i, 8), 8);
        if (bytes)
            CHECK_BYTES(bytes, (int)i + 1, 8);
    }
    end(&s);
}

void test_list_room(void)
{
    enum { ROOM = 64 << 10, OWN = 40 };
    static unsigned char large[ROOM + 1];
    scene s;
    aclrtArgsHandle list = NULL;
    aclrtParamHandle param = NULL;
    uint64_t value = 0;
    size_t handle_bytes = 0;
    begin(&s);
    CHECK_OK(aclrtKernelArgsInit(s.cube, &list));
    for (unsigned i = 0; i < 128; i++) {
        value = i + 1;
        append(list, &value, 8, NULL);
    }
    CHECK_CODE(aclrtKernelArgsAppend(list, &value, 8, &param), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtKernelArgsAppendPlaceHolder(list, &param), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtKernelArgsFinalize(list));
    launch_list(&s, s.cube, list);
    look(&s, 1);
    for (unsigned i = 0; i < 128; i++)
        CHECK_EQUAL(word(0, (size_t)i * 8), i + 1);

    memset(large, 0x77, sizeof(large));
    CHECK_OK(aclrtKernelArgsInit(s.cube, &list));
    CHECK_CODE(aclrtKernelArgsAppend(list, large, ROOM + 1, &param), ACL_ERROR_RT_PARAM_INVALID);
    append(list, large, ROOM, NULL);
    CHECK_CODE(aclrtKernelArgsAppend(list, large, 1, &param), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtKernelArgsFinalize(list));
    launch_list(&s, s.cube, list);
    look(&s, 1);
    CHECK_EQUAL(seen_bytes[0], ROOM);
    CHECK_BYTES(seen[0], 0x77, ROOM);

    CHECK_OK(aclrtKernelArgsGetHandleMemSize(s.cube, &handle_bytes));
    aclrtArgsHandle own = malloc(handle_bytes);
    unsigned char values[OWN];
    CHECK_OK(aclrtKernelArgsInitByUserMem(s.cube, own, values, OWN));
    append(own, large, OWN, NULL);
    CHECK_CODE(aclrtKernelArgsAppend(own, large, 1, &param), ACL_ERROR_RT_PARAM_INVALID);
    free(own);
    end(&s);
}

void test_placeholders_reach_the_kernel(void)
{
    static const size_t sizes[] = {64, 9000};
    static unsigned char values[9000];
    scene s;
    begin(&s);
    for (unsigned i = 0; i < TWIN_COUNT(sizes); i++) {
        const uint32_t last = (uint32_t)sizes[i] - 4;
        aclrtPlaceHolderInfo places[] = {{.addrOffset = 8, .dataOffset = 40},
                                         {.addrOffset = 24, .dataOffset = last}};
        memset(values, 0x33, sizeof(values));
        CHECK_OK(aclrtLaunchKernelWithHostArgs(s.vector, 1, s.stream, NULL, values, sizes[i],
                                               places, 2));
        memset(values, 0x44, sizeof(values)); /* the caller's again */
        look(&s, 1);
        CHECK_EQUAL(seen_bytes[0], sizes[i]);
        CHECK_EQUAL(word(0, 8), seen_at[0] + 40);
        CHECK_EQUAL(word(0, 24), seen_at[0] + last);
        CHECK_BYTES(seen[0], 0x33, 8);
        CHECK_BYTES(seen[0] + 16, 0x33, 8);
        CHECK_BYTES(seen[0] + 32, 0x33, sizes[i] - 32);
    }
    end(&s);
}

/* The kernel "vec" says: parameter 0 has 8 bytes at 0, parameter 1 has 4 bytes at 8, 16 bytes in
 * all. */
void test_array_reaches_the_kernel(void)
{
    scene s;
    uint64_t first = 0x0102030405060708;
    uint32_t second[2] = {0xaabbccdd, 0x55555555};
    void *values[] = {&first, second};
    begin(&s);
    CHECK_OK(aclrtLaunchKernelWithArgsArray(s.vector, 1, s.stream, NULL, values));
    first = 0;
    second[0] = 0;
    look(&s, 1);
    CHECK_EQUAL(seen_bytes[0], 16);
    CHECK_EQUAL(word(0, 0), 0x0102030405060708);
    CHECK_EQUAL(word(0, 8), 0xaabbccdd);
    end(&s);
}

/* Bytes that a task of the stream writes before the launch are what the kernel gets. */
void test_arguments_in_stream_order(void)
{
    scene s;
    twin_buffer args;
    begin(&s);
    twin_buffer_make(&args, 64, 1);
    CHECK_OK(aclrtMemsetAsync(args.device, 64, 2, 64, s.stream));
    CHECK_OK(aclrtLaunchKernel(s.cube, 1, args.device, 64, s.stream));
    look(&s, 1);
    CHECK(seen_at[0] == (uint64_t)(uintptr_t)args.device);
    CHECK_BYTES(seen[0], 2, 64);
    twin_buffer_free(&args);
    end(&s);
}

/* A mixed kernel of an image that says nothing about it gets the address where cores meet; user
 * code does not hand it in. */
void test_hidden_argument(void)
{
    scene s;
    aclrtArgsHandle list = NULL;
    aclrtParamHandle place = NULL;
    void *meeting = NULL;
    void *data = NULL;
    uint64_t value = 77;
    begin(&s);
    CHECK_OK(aclrtGetHardwareSyncAddr(&meeting));
    CHECK(meeting != NULL);
    aclrtFuncHandle functions[] = {s.mixed, s.cube};
    for (unsigned i = 0; i < TWIN_COUNT(functions); i++) {
        const size_t front = i == 0 ? 8 : 0;
        CHECK_OK(aclrtKernelArgsInit(functions[i], &list));
        append(list, &value, 8, NULL);
        CHECK_OK(aclrtKernelArgsAppendPlaceHolder(list, &place));
        CHECK_OK(aclrtKernelArgsGetPlaceHolderBuffer(list, place, 16, &data));
        memset(data, 6, 16);
        CHECK_OK(aclrtKernelArgsFinalize(list));
        launch_list(&s, functions[i], list);
        look(&s, 1);
        if (i == 0)
            CHECK_EQUAL(word(0, 0), (uint64_t)(uintptr_t)meeting);
        CHECK_EQUAL(word(0, front), 77);
        const unsigned char *bytes = bytes_at(0, word(0, front + 8), 16);
        if (bytes)
            CHECK_BYTES(bytes, 6, 16);
    }
    end(&s);
}
