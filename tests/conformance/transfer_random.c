/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers, against a generator of their own. */
#include "transfer_tests.h"

#include <math.h>
#include <string.h>

#include "suite.h"

enum { COUNT = 4000 };

static aclrtStream stream;
static uint8_t *result;    /* device memory of 8 * COUNT bytes */
static uint64_t *counter;  /* device memory of 16 bytes */
static uint64_t *operands; /* device memory of 64 bytes */
static uint8_t host[8 * COUNT];

static void begin(void)
{
    const uint64_t start[2] = {0xfffffffffffffffe, 5}; /* carries into the upper half */
    CHECK_OK(aclrtSetDevice(0));
    stream = twin_stream();
    CHECK_OK(aclrtMalloc((void **)&result, sizeof(host), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMalloc((void **)&counter, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMalloc((void **)&operands, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemcpy(counter, 16, start, 16, ACL_MEMCPY_HOST_TO_DEVICE));
}

static void end(void)
{
    CHECK_OK(aclrtFree(result));
    CHECK_OK(aclrtFree(counter));
    CHECK_OK(aclrtFree(operands));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static aclrtRandomParaInfo value_of(const void *bytes, uint8_t size)
{
    aclrtRandomParaInfo info = {.size = size};
    memcpy(info.valueOrAddr, bytes, size);
    return info;
}

static aclrtRandomParaInfo at_address(const void *address)
{
    const uint64_t number = (uint64_t)(uintptr_t)address;
    aclrtRandomParaInfo info = value_of(&number, 8);
    info.isAddr = 1;
    return info;
}

/* Uniform numbers of a type of `size` bytes, from a least one to a limit. */
static aclrtRandomNumTaskInfo task_of(aclDataType type, const void *least, const void *limit,
                                      uint8_t size, uint64_t count)
{
    const uint64_t seed = 0x0123456789abcdef;
    aclrtRandomNumTaskInfo task = {.dataType = type,
                                   .randomResultAddr = result,
                                   .randomCounterAddr = counter,
                                   .randomSeed = value_of(&seed, 8),
                                   .randomNum = value_of(&count, 8)};
    task.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.min = value_of(least, size);
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max = value_of(limit, size);
    return task;
}

static aclrtRandomNumTaskInfo words_task(uint32_t least, uint32_t limit)
{
    return task_of(ACL_UINT32, &least, &limit, 4, COUNT);
}

static aclrtRandomNumTaskInfo floats_task(aclrtRandomNumFuncType function, float first,
                                          float second)
{
    aclrtRandomNumTaskInfo task = task_of(ACL_FLOAT, &first, &second, 4, COUNT);
    task.randomNumFuncParaInfo.funcType = function;
    return task;
}

static void run(const aclrtRandomNumTaskInfo *task, size_t bytes)
{
    CHECK_OK(aclrtRandomNumAsync(task, stream, NULL));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtMemcpy(host, bytes, result, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

/* Philox4x32-10: word `index` after the counter. */
static uint32_t philox_word(uint64_t index)
{
    const unsigned __int128 start = (unsigned __int128)5 << 64 | 0xfffffffffffffffe;
    const unsigned __int128 block = start + index / 4;
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)(block >> 64),
                     (uint32_t)(block >> 96)};
    uint32_t key[2] = {0x89abcdef, 0x01234567};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = 0xd2511f53ull * c[0];
        const uint64_t b = 0xcd9e8d57ull * c[2];
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ key[0];
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ key[1];
        c[3] = (uint32_t)a;
        key[0] += 0x9e3779b9;
        key[1] += 0xbb67ae85;
    }
    return c[index % 4];
}

void test_random_arguments(void)
{
    begin();
    const aclrtRandomNumTaskInfo good = words_task(0, 10);
    aclrtRandomNumTaskInfo bad = good;
    CHECK_CODE(aclrtRandomNumAsync(NULL, stream, NULL), ACL_ERROR_INVALID_PARAM);
    bad.dataType = ACL_INT8;
    CHECK_CODE(aclrtRandomNumAsync(&bad, stream, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtRandomNumAsync(&good, stream, &bad), ACL_ERROR_RT_PARAM_INVALID);
#define REFUSED(change)                                                                            \
    bad = good;                                                                                    \
    change;                                                                                        \
    CHECK_CODE(aclrtRandomNumAsync(&bad, stream, NULL), ACL_ERROR_RT_PARAM_INVALID)
    REFUSED(bad.randomNumFuncParaInfo.funcType = (aclrtRandomNumFuncType)4);
    REFUSED(bad.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS);
    REFUSED(bad.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK);
    REFUSED(bad.randomCounterAddr = NULL);
    REFUSED(bad.randomResultAddr = NULL);
    REFUSED(bad.randomResultAddr = host);
    REFUSED(bad.randomCounterAddr = host);
    REFUSED(bad.randomParaAddr = host);
    REFUSED(bad.randomSeed.isAddr = 2);
    REFUSED(bad.randomSeed.size = 0);
    REFUSED(bad.randomSeed.size = 9);
    REFUSED(bad.randomNum = value_of(&(uint64_t){0}, 8));
    REFUSED(bad.randomNum = value_of(&(uint64_t){100 * COUNT}, 8));
    REFUSED(bad.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max.size = 5);
    REFUSED(bad.randomNumFuncParaInfo.paramInfo.uniformDisInfo.min.isAddr = 3);
#undef REFUSED
    CHECK_OK(aclrtSynchronizeStream(stream));
    end();
}

/* In stream order, and the same again; the counter stays. */
void test_random_words(void)
{
    begin();
    const aclrtRandomNumTaskInfo all = words_task(0, UINT32_MAX);
    const int64_t least = -1000;
    const int64_t limit = INT64_MAX;
    const aclrtRandomNumTaskInfo wide = task_of(ACL_INT64, &least, &limit, 8, COUNT / 2);
    for (int again = 0; again < 2; again++) {
        CHECK_OK(aclrtMemsetAsync(result, sizeof(host), 0, sizeof(host), stream));
        run(&all, 4 * COUNT + 4);
        size_t wrong = 0;
        for (size_t i = 0; i <= COUNT; i++) {
            uint32_t word;
            memcpy(&word, host + 4 * i, 4);
            const uint64_t drawn = (uint64_t)philox_word(i) * UINT32_MAX >> 32;
            wrong += word != (i < COUNT ? (uint32_t)drawn : 0);
        }
        CHECK_EQUAL(wrong, 0);
        run(&wide, 4 * COUNT);
        for (size_t i = 0; i < COUNT / 2; i++) {
            int64_t number;
            memcpy(&number, host + 8 * i, 8);
            const uint64_t drawn = (uint64_t)philox_word(2 * i + 1) << 32 | philox_word(2 * i);
            const unsigned __int128 range = (unsigned __int128)limit + 1000;
            wrong += number != least + (int64_t)(uint64_t)(drawn * range >> 64);
        }
        CHECK_EQUAL(wrong, 0);
    }
    const aclrtRandomNumTaskInfo none = words_task(9, 9);
    run(&none, 4);
    CHECK_EQUAL(host[0], 9);
    end();
}

/* Everything that can be given by address, read when the task runs. */
void test_random_by_address(void)
{
    uint64_t *gate = NULL;
    begin();
    CHECK_OK(aclrtMalloc((void **)&gate, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(gate, 8, 0, 8));
    CHECK_OK(aclrtMemset(result, sizeof(host), 0, sizeof(host)));
    aclrtRandomNumTaskInfo task = words_task(0, 0);
    task.randomParaAddr = operands + 4;
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max = at_address(operands);
    task.randomSeed = at_address(operands + 1);
    task.randomNum = at_address(operands + 2);
    CHECK_OK(aclrtValueWait(gate, 1, 1, stream));
    CHECK_OK(aclrtRandomNumAsync(&task, stream, NULL));
    const uint64_t late[3] = {1u << 31, 0x0123456789abcdef, 100};
    CHECK_OK(aclrtMemcpy(operands, 24, late, 24, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtMemcpy(gate, 8, &(uint64_t){1}, 8, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtMemcpy(host, 404, result, 404, ACL_MEMCPY_DEVICE_TO_HOST));
    size_t wrong = 0;
    for (size_t i = 0; i <= 100; i++) {
        uint32_t word;
        memcpy(&word, host + 4 * i, 4);
        wrong += word != (i < 100 ? philox_word(i) >> 1 : 0);
    }
    CHECK_EQUAL(wrong, 0);
    CHECK_OK(aclrtFree(gate));
    end();
}

void test_random_distributions(void)
{
    begin();
    float numbers[COUNT];
    const aclrtRandomNumTaskInfo uniform =
        floats_task(ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS, -1, 3);
    run(&uniform, sizeof(numbers));
    memcpy(numbers, host, sizeof(numbers));
    double sum = 0;
    for (size_t i = 0; i < COUNT; i++) {
        CHECK(numbers[i] >= -1 && numbers[i] <= 3);
        sum += numbers[i];
    }
    CHECK(fabs(sum / COUNT - 1) < 0.1);
    for (int truncated = 0; truncated < 2; truncated++) {
        const aclrtRandomNumTaskInfo normal =
            floats_task(truncated ? ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS
                                  : ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS,
                        3, 2);
        run(&normal, sizeof(numbers));
        memcpy(numbers, host, sizeof(numbers));
        double squares = 0;
        sum = 0;
        size_t far = 0;
        for (size_t i = 0; i < COUNT; i++) {
            sum += numbers[i];
            squares += (numbers[i] - 3.0) * (numbers[i] - 3.0);
            far += fabs(numbers[i] - 3.0) > 4.0001;
        }
        CHECK(fabs(sum / COUNT - 3) < 0.15);
        /* Cut at two deviations the variance is 0.774 of the whole one. */
        CHECK(fabs(squares / COUNT - (truncated ? 3.095 : 4)) < 0.3);
        CHECK(truncated ? far == 0 : far > COUNT / 50);
    }
    const aclrtRandomNumTaskInfo dropout =
        floats_task(ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK, 0.25f, 0);
    run(&dropout, COUNT / 8);
    size_t kept = 0;
    for (size_t i = 0; i < COUNT; i++)
        kept += host[i / 8] >> i % 8 & 1;
    CHECK(fabs((double)kept / COUNT - 0.75) < 0.03);
    /* fp16 numbers between 1 and 2 have the exponent 15. */
    const uint16_t one = 0x3c00;
    const uint16_t two = 0x4000;
    const aclrtRandomNumTaskInfo halves = task_of(ACL_FLOAT16, &one, &two, 2, COUNT);
    run(&halves, 2 * COUNT);
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT; i++) {
        uint16_t bits;
        memcpy(&bits, host + 2 * i, 2);
        wrong += bits < one || bits > two;
    }
    CHECK_EQUAL(wrong, 0);
    end();
}
