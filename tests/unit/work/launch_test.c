/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/launch.h"

#include <elf.h>
#include <stdlib.h>

#include "check.h"
#include "core/base/config.h"
#include "core/image/binary.h"
#include "core/work/kernel_args.h"
#include "support/kernel_object.h"

enum { SMALL = 32, BLOCK_BYTES = 4096, LARGE = 6000, LAUNCHES = 100 };

static const twin_launch_config plain;
static twin_launch *queued[LAUNCHES]; /* what the backend was given */
static unsigned queued_count;
static twin_status answer;
static bool unreachable;

static twin_status take(twin_queue *queue, twin_launch *kernel)
{
    (void)queue;
    if (answer == TWIN_OK)
        queued[queued_count++] = kernel;
    return answer;
}

static void *reach_at(const twin_reach *reach, uint64_t address, uint64_t bytes, bool write)
{
    (void)reach;
    (void)bytes;
    (void)write;
    return unreachable ? NULL : (void *)(uintptr_t)address;
}

static const twin_reach reach = {.at = reach_at};

static uint64_t binary;

static uint64_t function(const char *name)
{
    twin_binary *found = NULL;
    uint64_t handle = 0;
    CHECK_OK(twin_binary_pin(binary, &found));
    CHECK_OK(twin_binary_find(found, name, &handle));
    twin_binary_unpin(found);
    return handle;
}

static void load(void)
{
    static const unsigned char text[64] = {1};
    static const struct {
        const char *name;
        uint32_t type;
        uint16_t cube, vector;
    } kernels[] = {{"cube", 2, 0, 0},        {"vec", 3, 0, 0},          {"mix_mix_aic", 4, 1, 2},
                   {"mix_mix_aiv", 4, 1, 2}, {"main_mix_aic", 5, 1, 2}, {"main_mix_aiv", 5, 1, 2},
                   {"one_mix_aic", 4, 1, 0}, {"one_mix_aiv", 4, 1, 0}};
    static kernel_object object;
    static object_meta meta;
    object_begin(&object, false);
    object_add_section(&object, ".text", SHT_PROGBITS, SHF_ALLOC, text, sizeof(text));
    for (unsigned i = 0; i < TWIN_COUNT(kernels); i++) {
        meta_begin(&meta, false);
        meta_word(&meta, 1, kernels[i].type);
        meta_ratio(&meta, kernels[i].cube, kernels[i].vector);
        if (i == 0)
            meta_word(&meta, 18, 1);
        object_add_meta(&object, kernels[i].name, &meta);
        object_add_kernel(&object, kernels[i].name, 0, 8);
    }
    size_t bytes = 0;
    unsigned char *file = object_write(&object, &bytes);
    object_end(&object);
    CHECK_OK(twin_binary_load(file, bytes, &(twin_binary_options){.cpu = TWIN_CPU_NONE}, &binary));
    free(file);
}

static void begin(const char *kernels)
{
    setenv("TWINRT_OPAQUE_KERNELS", kernels, 1);
    twin_settings_forget();
    fresh();
    fake_table.work.launch = take;
    twin_backend_use(&fake_table);
    queued_count = 0;
    answer = TWIN_OK;
    unreachable = false;
    CHECK_OK(twin_device_set(0));
    load();
}

static void release_all(void)
{
    for (unsigned i = 0; i < queued_count; i++)
        queued[i]->release(queued[i]);
    queued_count = 0;
}

static void finish(void)
{
    release_all();
    (void)twin_device_reset(0, true);
    CU_ASSERT_EQUAL(fake_count.memory, 0);
    (void)twin_binary_unload(binary);
    unsetenv("TWINRT_OPAQUE_KERNELS");
    twin_settings_forget();
}

static int32_t launch(const char *name, uint32_t blocks, const twin_launch_args *args)
{
    return twin_launch_kernel(function(name), blocks, &plain, args, 0);
}

static void test_refused(void)
{
    const twin_launch_args none = {0};
    begin("refuse");
    CHECK_CODE(launch("vec", 1, &none), 207000);
    const char *message = twin_messages_take();
    CU_ASSERT(message && strstr(message, "TWINRT_OPAQUE_KERNELS=timing"));
    CU_ASSERT_EQUAL(queued_count, 0);
    finish();
}

static void test_host_arguments(void)
{
    unsigned char values[SMALL];
    const twin_code_place places[] = {{8, 16}, {0, 24}};
    begin("timing");
    memset(values, 0x11, sizeof(values));
    const twin_launch_args args = {
        .host = values, .bytes = sizeof(values), .places = places, .place_count = 2};
    CHECK_OK(launch("vec", 3, &args));
    memset(values, 0x22, sizeof(values)); /* they were copied during the call */
    CU_ASSERT_EQUAL_FATAL(queued_count, 1);
    CU_ASSERT_PTR_NULL(queued[0]->work);
    CU_ASSERT_EQUAL(queued[0]->blocks, 3);
    twin_launch_work work = {.count = 7};
    CU_ASSERT_EQUAL(queued[0]->describe(queued[0], &reach, &work), TWIN_OK);
    CU_ASSERT_EQUAL(work.count, 0);
    unreachable = true; /* the device has failed it */
    CU_ASSERT_EQUAL(queued[0]->describe(queued[0], &reach, &work), TWIN_E_KERNEL_EXCEPTION);
    finish();
}

static uint64_t written_at; /* where a launch put its arguments */

static void *note_at(const twin_reach *unused, uint64_t address, uint64_t bytes, bool write)
{
    (void)unused;
    (void)bytes;
    CU_ASSERT(write);
    written_at = address;
    return (void *)(uintptr_t)address;
}

static void test_placeholders(void)
{
    static const twin_reach noting = {.at = note_at};
    unsigned char values[LARGE];
    begin("timing");
    for (unsigned round = 0; round < 2; round++) {
        const size_t bytes =
            round == 0 ? SMALL : LARGE; /* a block of the pool, and more than one */
        const twin_code_place places[] = {{8, 16}, {(uint32_t)bytes - 8, (uint32_t)bytes - 1}};
        const twin_launch_args args = {
            .host = values, .bytes = bytes, .places = places, .place_count = 2};
        memset(values, 0x11, sizeof(values));
        CHECK_OK(launch("vec", 1, &args));
        twin_launch_work work;
        CU_ASSERT_EQUAL(queued[round]->describe(queued[round], &noting, &work), TWIN_OK);
        const unsigned char *copy = (const unsigned char *)(uintptr_t)written_at;
        uint64_t pointers[2];
        memcpy(&pointers[0], copy + 8, 8);
        memcpy(&pointers[1], copy + bytes - 8, 8);
        CU_ASSERT_EQUAL(pointers[0], written_at + 16);
        CU_ASSERT_EQUAL(pointers[1], written_at + bytes - 1);
        CU_ASSERT(copy[0] == 0x11 && copy[7] == 0x11 && copy[16] == 0x11);
    }
    const twin_code_place wrong[] = {{SMALL - 7, 0}, {0, SMALL}, {UINT32_MAX, 0}};
    for (unsigned i = 0; i < TWIN_COUNT(wrong); i++) {
        const twin_launch_args args = {
            .host = values, .bytes = SMALL, .places = &wrong[i], .place_count = 1};
        CHECK_CODE(launch("vec", 1, &args), 107000);
    }
    finish();
}

static void test_arguments_in_place(void)
{
    begin("timing");
    const twin_launch_args args = {.device = 4096, .bytes = 16};
    const int memory = fake_count.memory;
    CHECK_OK(launch("vec", 1, &args));
    CU_ASSERT_EQUAL(fake_count.memory, memory); /* nothing is copied */
    twin_launch_work work;
    unreachable = true;
    CU_ASSERT_EQUAL(queued[0]->describe(queued[0], &reach, &work), TWIN_E_KERNEL_EXCEPTION);
    const twin_launch_args none = {0};
    CHECK_OK(launch("vec", 1, &none));
    CU_ASSERT(queued[1]->work && queued[1]->work->count == 0); /* known at once */
    finish();
}

static void test_cores(void)
{
    static const struct {
        const char *name;
        uint32_t blocks;
        twin_launch_cores cores;
        uint32_t expected;
    } cases[] = {{"cube", 5, TWIN_CORES_CUBE, 5},  {"vec", 5, TWIN_CORES_VECTOR, 5},
                 {"mix", 5, TWIN_CORES_MIXED, 5},  {"main", 5, TWIN_CORES_MIXED, 3},
                 {"main", 4, TWIN_CORES_MIXED, 2}, {"one", 5, TWIN_CORES_CUBE, 5}};
    const twin_launch_args none = {0};
    begin("timing");
    for (unsigned i = 0; i < TWIN_COUNT(cases); i++) {
        CHECK_OK(launch(cases[i].name, cases[i].blocks, &none));
        CU_ASSERT_EQUAL(queued[i]->cores, cases[i].cores);
        CU_ASSERT_EQUAL(queued[i]->blocks, cases[i].expected);
        CU_ASSERT_STRING_EQUAL(queued[i]->name, cases[i].name);
        CU_ASSERT_EQUAL(queued[i]->batch, i == 0);
    }
    CHECK_CODE(launch("vec", 0, &none), 107000);
    finish();
}

static void test_config(void)
{
    const twin_launch_args none = {0};
    const twin_launch_config configs[] = {
        {.schedule_given = true, .batch = false},
        {.timeout_given = true, .timeout_us = 0},
        {.timeout_given = true, .timeout_us = 1500},
        {.timeout_given = true, .timeout_us = UINT64_MAX},
    };
    begin("timing");
    for (unsigned i = 0; i < TWIN_COUNT(configs); i++)
        CHECK_OK(twin_launch_kernel(function("cube"), 1, &configs[i], &none, 0));
    CU_ASSERT_FALSE(queued[0]->batch); /* the launch beats the kernel */
    CU_ASSERT(queued[1]->batch);
    CU_ASSERT_EQUAL(queued[1]->timeout_ns, TWIN_FOREVER);
    CU_ASSERT_EQUAL(queued[2]->timeout_ns, 1500000);
    CU_ASSERT(queued[3]->timeout_ns < TWIN_FOREVER);
    finish();
}

/* Memory of arguments goes round: as many launches as one likes, one after the other, need no
 * more. */
static void test_memory_goes_round(void)
{
    unsigned char values[BLOCK_BYTES] = {0};
    const twin_launch_args args = {.host = values, .bytes = sizeof(values)};
    begin("timing");
    CHECK_OK(launch("vec", 1, &args));
    const int memory = fake_count.memory;
    for (int i = 0; i < 500; i++) {
        release_all();
        CHECK_OK(launch("vec", 1, &args));
    }
    CU_ASSERT_EQUAL(fake_count.memory, memory);
    for (int i = 1; i < LAUNCHES; i++)
        CHECK_OK(launch("vec", 1, &args)); /* more at once than a chunk has blocks */
    CU_ASSERT_EQUAL(fake_count.memory, memory + 1);
    finish();
}

/* A launch may be released when its device has been released and initialized again: by a thread
 * that was describing it. */
static void test_late_release(void)
{
    static const twin_reach noting = {.at = note_at};
    enum { BLOCKS = 64 }; /* of a chunk */
    unsigned char values[BLOCK_BYTES] = {0};
    const twin_launch_args args = {.host = values, .bytes = sizeof(values)};
    uint64_t lowest = UINT64_MAX;
    uint64_t highest = 0;
    bool taken[BLOCKS] = {false};
    uint64_t places[BLOCKS];
    begin("timing");
    CHECK_OK(launch("vec", 1, &args));
    twin_launch *late = queued[0];
    queued_count = 0;
    CHECK_OK(twin_device_reset(0, true));
    CHECK_OK(twin_device_set(0));
    for (unsigned i = 0; i < BLOCKS; i++) {
        twin_launch_work work;
        CHECK_OK(launch("vec", 1, &args));
        CU_ASSERT_EQUAL(queued[i]->describe(queued[i], &noting, &work), TWIN_OK);
        places[i] = written_at;
        lowest = written_at < lowest ? written_at : lowest;
        highest = written_at > highest ? written_at : highest;
        if (i == 0)
            late->release(late);
    }
    CU_ASSERT_EQUAL(highest - lowest, (BLOCKS - 1) * BLOCK_BYTES);
    for (unsigned i = 0; i < BLOCKS; i++) {
        const uint64_t block = (places[i] - lowest) / BLOCK_BYTES;
        CU_ASSERT(block < BLOCKS && !taken[block]);
        if (block < BLOCKS)
            taken[block] = true;
    }
    finish();
}

/* A kernel that waits long, such as a captured one, holds no more device memory than the size of
 * its arguments needs. */
static void test_memory_by_size(void)
{
    static const twin_reach noting = {.at = note_at};
    static const struct {
        size_t bytes;
        uint64_t apart;
    } cases[] = {{1, 128}, {128, 128}, {129, 512}, {512, 512}, {513, 4096}, {4096, 4096}};
    unsigned char values[BLOCK_BYTES] = {0};
    begin("timing");
    for (unsigned i = 0; i < TWIN_COUNT(cases); i++) {
        const twin_launch_args args = {.host = values, .bytes = cases[i].bytes};
        uint64_t places[2];
        for (unsigned turn = 0; turn < 2; turn++) {
            twin_launch_work work;
            CHECK_OK(launch("vec", 1, &args));
            twin_launch *newest = queued[queued_count - 1];
            CU_ASSERT_EQUAL(newest->describe(newest, &noting, &work), TWIN_OK);
            places[turn] = written_at;
        }
        CU_ASSERT_EQUAL(places[1] - places[0], cases[i].apart);
    }
    finish();
}

static void test_not_accepted(void)
{
    unsigned char values[SMALL] = {0};
    const twin_launch_args args = {.host = values, .bytes = sizeof(values)};
    begin("timing");
    answer = TWIN_E_INVALID;
    CHECK_CODE(launch("vec", 1, &args), 107000);
    const int memory = fake_count.memory;
    answer = TWIN_E_UNSUPPORTED;
    for (int i = 0; i < 200; i++)
        CHECK_CODE(launch("vec", 1, &args), 207000);
    CU_ASSERT_EQUAL(fake_count.memory, memory);
    finish();
}

/* A launch keeps its image until it is over. */
static void test_unloaded_meanwhile(void)
{
    const twin_launch_args none = {0};
    begin("timing");
    const uint64_t vec = function("vec");
    CHECK_OK(twin_launch_kernel(vec, 1, &plain, &none, 0));
    const int memory = fake_count.memory;
    CHECK_OK(twin_binary_unload(binary));
    CHECK_CODE(twin_launch_kernel(vec, 1, &plain, &none, 0), 107017);
    CU_ASSERT_EQUAL(fake_count.memory, memory);
    CU_ASSERT_STRING_EQUAL(queued[0]->name, "vec");
    release_all();
    twin_launches_reap();
    CU_ASSERT_EQUAL(fake_count.memory, memory - 1);
    finish();
}

/* ---- lists of arguments ---------------------------------------------------------------------- */

static void test_list(void)
{
    begin("timing");
    const uint64_t vec = function("vec");
    twin_kernel_args *list = NULL;
    twin_arg *arg[3];
    void *data = NULL;
    uint64_t number = 0x1122334455667788;
    CHECK_OK(twin_args_begin(vec, &list));
    CHECK_OK(twin_args_append(list, &number, 4, &arg[0]));
    CHECK_OK(twin_args_placeholder(list, &arg[1]));
    CHECK_OK(twin_args_append(list, &number, 8, &arg[2]));
    number = 0;
    CU_ASSERT(arg[0]->offset == 0 && arg[1]->offset == 8 && arg[2]->offset == 16);
    uint64_t stored = 0;
    memcpy(&stored, list->values + 16, 8);
    CU_ASSERT_EQUAL(stored, 0x1122334455667788);
    CHECK_CODE(twin_args_finalize(list), 107000); /* the placeholder has no memory */
    CHECK_CODE(twin_args_data(list, arg[0], 8, &data), 107000);
    CHECK_CODE(twin_args_data(list, &number, 8, &data), 107017);
    CHECK_OK(twin_args_data(list, arg[1], 100, &data));
    CU_ASSERT_PTR_EQUAL(data, list->values + 24);
    CU_ASSERT_EQUAL(list->used, 124);
    CHECK_CODE(twin_args_append(list, &number, 8, &arg[2]), 207000);
    CHECK_OK(twin_args_update(list, arg[0], &number, 4));
    CHECK_CODE(twin_args_update(list, arg[0], &number, 8), 107000);
    CHECK_CODE(twin_args_update(list, arg[1], &number, 8), 107000);
    CHECK_OK(twin_args_finalize(list));
    CHECK_CODE(twin_args_append(list, &number, 8, &arg[2]), 207000);
    CHECK_CODE(twin_args_placeholder(list, &arg[1]), 207000);
    CHECK_CODE(twin_args_data(list, arg[1], 8, &data), 207000);
    CU_ASSERT(list->finalized);
    CHECK_OK(twin_args_update(list, arg[0], &number, 4));
    CU_ASSERT_FALSE(list->finalized); /* to be finalized again */
    finish();
}

static void test_list_limits(void)
{
    begin("timing");
    const uint64_t vec = function("vec");
    twin_kernel_args *list = NULL;
    twin_arg *arg = NULL;
    static unsigned char large[TWIN_ARGS_SYSTEM_ROOM + 1];
    uint64_t number = 5;
    CHECK_OK(twin_args_begin(vec, &list));
    for (unsigned i = 0; i < TWIN_ARGS_MOST; i++)
        CHECK_OK(twin_args_append(list, &number, 8, &arg));
    CHECK_CODE(twin_args_append(list, &number, 8, &arg), 107000);
    CHECK_OK(twin_args_begin(vec, &list));
    CHECK_CODE(twin_args_append(list, large, sizeof(large), &arg), 107000);
    CHECK_OK(twin_args_append(list, large, sizeof(large) - 1, &arg));
    CHECK_CODE(twin_args_append(list, &number, 1, &arg), 107000);

    twin_kernel_args own;
    unsigned char values[64];
    size_t room = 0;
    twin_kernel_args *found = NULL;
    memset(&own, 0, sizeof(own));
    CHECK_CODE(twin_args_find(&own, &found), 107017);
    CHECK_CODE(twin_args_find((char *)&own + 1, &found), 107017);
    CHECK_CODE(twin_args_find((void *)(uintptr_t)0x1230, &found), 107017); /* is not read */
    CHECK_CODE(twin_args_find((void *)(uintptr_t)binary, &found), 107017);
    CHECK_OK(twin_args_begin_at(vec, &own, values, sizeof(values)));
    CHECK_OK(twin_args_find(&own, &found));
    CU_ASSERT_PTR_EQUAL(found, &own);
    twin_kernel_args copy = own;
    CHECK_CODE(twin_args_find(&copy, &found), 107017);
    CHECK_OK(twin_args_append(&own, large, 64, &arg));
    CHECK_CODE(twin_args_append(&own, large, 1, &arg), 107000);
    CHECK_OK(twin_args_room(vec, 24, &room));
    CU_ASSERT_EQUAL(room, 24 + 8 * 8 + 8 * TWIN_ARGS_MOST); /* its parameters are not known */
    CHECK_CODE(twin_args_begin(binary, &list), 107017);
    CHECK_CODE(twin_args_begin_at(0, &own, values, 8), 107017);
    finish();
}

static void test_array(void)
{
    static const twin_kernel_param params[] = {{8, 4}, {0, 8}};
    const twin_kernel kernel = {.name = (char *)"k",
                                .has_params = true,
                                .param_count = 2,
                                .param_bytes = 16,
                                .params = (twin_kernel_param *)(uintptr_t)params};
    uint32_t first = 0xaabbccdd;
    uint64_t second = 0x1122334455667788;
    void *values[] = {&first, &second};
    unsigned char block[16];
    memset(block, 0xa5, sizeof(block));
    CHECK_OK(twin_args_check(&kernel, values));
    twin_args_gather(&kernel, values, block);
    static const unsigned char nothing[4];
    CU_ASSERT(memcmp(block + 8, &first, 4) == 0 && memcmp(block, &second, 8) == 0);
    CU_ASSERT(memcmp(block + 12, nothing, 4) == 0);
    values[1] = NULL;
    CHECK_CODE(twin_args_check(&kernel, values), 107000);
    CHECK_CODE(twin_args_check(&kernel, NULL), 107000);
}

static const twin_test tests[] = {
    {"KRN-81: parameters go to the places that the kernel names", test_array},
    {"device code is refused unless time alone is wanted", test_refused},
    {"KRN-76: arguments on the host are copied during the call", test_host_arguments},
    {"KRN-77, KRN-78: placeholders become addresses of the copy on the device", test_placeholders},
    {"KRN-75: arguments on the device are used in place", test_arguments_in_place},
    {"KRN-90: cores and blocks follow type, main half and ratio", test_cores},
    {"KRN-36, KRN-87: attributes of a launch override those of the kernel", test_config},
    {"memory of arguments is used again", test_memory_goes_round},
    {"memory of arguments is as large as they need", test_memory_by_size},
    {"a late release gives nothing to another life of the device", test_late_release},
    {"a launch that is not accepted gives everything back", test_not_accepted},
    {"KRN-15: an image stays until its launches are over", test_unloaded_meanwhile},
    {"KRN-51, KRN-52, KRN-54, KRN-55, KRN-56, KRN-57: a list of arguments", test_list},
    {"KRN-53, KRN-59, KRN-60: the room of a list, and invalid rooms", test_list_limits},
};

int main(int argc, char **argv)
{
    return twin_run_suite("launch", tests, TWIN_COUNT(tests), argc, argv);
}
