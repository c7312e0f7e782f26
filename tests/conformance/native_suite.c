/* SPDX-License-Identifier: Apache-2.0 */
/* Native kernels: what they compute, which arguments reach them, which blocks run. */
#include "native_tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = NATIVE_TILE * 8, WORD_BYTES = WORDS * 4 };

/* ---- results --------------------------------------------------------------------------------- */

/* z = x + y for numbers of which each sum is exact. */
static void test_sums(void)
{
    native n;
    native_begin(&n);
    float *x = malloc(WORD_BYTES);
    float *y = malloc(WORD_BYTES);
    float *z = malloc(WORD_BYTES);
    for (unsigned i = 0; i < WORDS; i++) {
        x[i] = (float)i * 0.25F;
        y[i] = (float)(WORDS - i) * 3.0F;
    }
    void *memory[3];
    for (int i = 0; i < 3; i++)
        memory[i] = native_memory(WORD_BYTES);
    native_write(memory[0], x, WORD_BYTES);
    native_write(memory[1], y, WORD_BYTES);
    for (uint32_t blocks = 1; blocks <= 9; blocks += 4)
        for (uint32_t single = 0; single < 2; single++) {
            const struct native_add args = {native_address(memory[0]), native_address(memory[1]),
                                            native_address(memory[2]), WORDS, single};
            CHECK_OK(aclrtMemset(memory[2], WORD_BYTES, 0xee, WORD_BYTES));
            NATIVE_LAUNCH(&n, "add", blocks, args);
            CHECK_OK(aclrtSynchronizeStream(n.stream));
            native_read(z, memory[2], WORD_BYTES);
            unsigned wrong = 0;
            for (unsigned i = 0; i < WORDS; i++)
                wrong += z[i] != x[i] + y[i];
            CHECK_EQUAL(wrong, 0);
        }
    for (int i = 0; i < 3; i++)
        native_free(memory[i]);
    free(x);
    free(y);
    free(z);
    native_end(&n);
}

/* A whole number as fp16, below 2048. */
static uint16_t half_of(unsigned number)
{
    if (number == 0)
        return 0;
    unsigned exponent = 0;
    while (number >> (exponent + 1) != 0)
        exponent++;
    return (uint16_t)((exponent + 15) << 10 | ((number << (10 - exponent)) & 0x3ff));
}

/* c = a * b + 1, cube and vector cores of a block in turn; small whole numbers, so every sum is
 * exact. */
static void test_product(void)
{
    enum { SIDE = NATIVE_SQUARE, BLOCKS = 3, CELLS = SIDE * SIDE * BLOCKS };
    static unsigned a[CELLS], b[CELLS];
    static uint16_t halves[2][CELLS];
    static float c[CELLS];
    native n;
    native_begin(&n);
    for (unsigned i = 0; i < CELLS; i++) {
        a[i] = (i * 7 + i / SIDE) % 11;
        b[i] = (i * 5 + i / 3) % 13;
        halves[0][i] = half_of(a[i]);
        halves[1][i] = half_of(b[i]);
    }
    void *left = native_memory(sizeof(halves[0]));
    void *right = native_memory(sizeof(halves[1]));
    void *result = native_memory(sizeof(c));
    native_write(left, halves[0], sizeof(halves[0]));
    native_write(right, halves[1], sizeof(halves[1]));
    const struct native_product args = {native_address(left), native_address(right),
                                        native_address(result)};
    NATIVE_LAUNCH(&n, "product", BLOCKS, args);
    CHECK_OK(aclrtSynchronizeStream(n.stream));
    native_read(c, result, sizeof(c));
    unsigned wrong = 0;
    for (unsigned cell = 0; cell < CELLS; cell++) {
        const unsigned block = cell / (SIDE * SIDE);
        const unsigned row = cell / SIDE % SIDE;
        unsigned sum = 1;
        for (unsigned k = 0; k < SIDE; k++)
            sum += a[block * SIDE * SIDE + row * SIDE + k] *
                   b[block * SIDE * SIDE + k * SIDE + cell % SIDE];
        wrong += c[cell] != (float)sum;
    }
    CHECK_EQUAL(wrong, 0);
    native_free(left);
    native_free(right);
    native_free(result);
    native_end(&n);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void check_places(const native *n, const char *kernel, uint32_t blocks)
{
    const size_t bytes = (size_t)blocks * NATIVE_ROW * 4;
    uint32_t *rows = malloc(bytes);
    void *memory = native_memory(bytes);
    const struct native_places args = {native_address(memory)};
    NATIVE_LAUNCH(n, kernel, blocks, args);
    CHECK_OK(aclrtSynchronizeStream(n->stream));
    native_read(rows, memory, bytes);
    unsigned wrong = 0;
    for (uint32_t block = 0; block < blocks; block++)
        wrong += rows[(size_t)block * NATIVE_ROW] != block + 1 ||
                 rows[(size_t)block * NATIVE_ROW + 1] != blocks;
    CHECK_EQUAL(wrong, 0);
    native_free(memory);
    free(rows);
}

static void test_blocks(void)
{
    native n;
    native_begin(&n);
    const uint32_t vectors = (uint32_t)twin_profile_value("limit.aiv_cores");
    const uint32_t cubes = (uint32_t)twin_profile_value("limit.aic_cores");
    const uint32_t counts[] = {1, 2, vectors - 1, vectors, vectors + 1, 3 * vectors + 5};
    for (unsigned i = 0; i < TWIN_COUNT(counts); i++)
        check_places(&n, "places", counts[i]);
    check_places(&n, "places_batch", vectors);
    check_places(&n, "places_cube", cubes * 2 + 1);
    native_end(&n);
}

static void test_halves(void)
{
    enum { BLOCKS = 50 };
    static uint32_t rows[BLOCKS][NATIVE_ROW];
    native n;
    native_begin(&n);
    void *memory = native_memory(sizeof(rows));
    const struct native_places args = {native_address(memory)};
    NATIVE_LAUNCH(&n, "places_mix", BLOCKS, args);
    CHECK_OK(aclrtSynchronizeStream(n.stream));
    native_read(rows, memory, sizeof(rows));
    unsigned wrong = 0;
    for (uint32_t block = 0; block < BLOCKS; block++) {
        const uint32_t *cube = rows[block];
        wrong += cube[0] != block + 1 || cube[1] != BLOCKS;
        for (uint32_t half = 0; half < 2; half++) {
            const uint32_t *vector = rows[block] + 4 + (size_t)4 * half;
            wrong += vector[0] != block + 1 || vector[1] != BLOCKS || vector[2] != half + 1 ||
                     vector[3] != 2;
        }
    }
    CHECK_EQUAL(wrong, 0);
    native_free(memory);
    native_end(&n);
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* What echo writes for these arguments. */
static void check_echo(const native *n, const void *memory, uint32_t number, uint32_t word)
{
    uint32_t seen[4] = {0};
    CHECK_OK(aclrtSynchronizeStream(n->stream));
    native_read(seen, memory, sizeof(seen));
    CHECK_EQUAL(seen[0], number);
    CHECK_EQUAL(seen[1], 0x1234);
    CHECK_EQUAL(seen[2], 0x56);
    CHECK_EQUAL(seen[3], word);
    CHECK_OK(aclrtMemset((void *)(uintptr_t)native_address(memory), 16, 0, 16));
}

/* Four ways to give arguments on the host, and those on the device that earlier work of the stream
 * wrote. */
static void test_arguments(void)
{
    native n;
    native_begin(&n);
    const aclrtFuncHandle echo = native_find(n.binary, "echo");
    void *memory = native_memory(64);
    const uint32_t word = 0xabcdef01;
    native_write((char *)memory + 32, &word, sizeof(word));
    struct native_echo args = {native_address(memory), 77, 0x1234, 0x56,
                               native_address(memory) + 32};

    CHECK_OK(aclrtLaunchKernelWithHostArgs(echo, 1, n.stream, NULL, &args, sizeof(args), NULL, 0));
    args.number = 78; /* the call has copied them */
    check_echo(&n, memory, 77, word);

    void *values[] = {&args.to, &args.number, &args.half, &args.byte, &args.pointer};
    CHECK_OK(aclrtLaunchKernelWithArgsArray(echo, 1, n.stream, NULL, values));
    args.number = 79;
    check_echo(&n, memory, 78, word);

    void *device = native_memory(sizeof(args));
    void *source = native_memory(sizeof(args));
    native_write(source, &args, sizeof(args));
    twin_hold hold;
    twin_hold_begin(&hold, n.stream);
    CHECK_OK(aclrtMemcpyAsync(device, sizeof(args), source, sizeof(args),
                              ACL_MEMCPY_DEVICE_TO_DEVICE, n.stream));
    CHECK_OK(aclrtLaunchKernel(echo, 1, device, sizeof(args), n.stream));
    twin_hold_end(&hold, NULL);
    check_echo(&n, memory, 79, word);
    args.number = 80;
    native_write(device, &args, sizeof(args));
    CHECK_OK(aclrtLaunchKernelV2(echo, 1, device, sizeof(args), NULL, n.stream));
    check_echo(&n, memory, 80, word);
    native_free(device);
    native_free(source);
    native_free(memory);
    native_end(&n);
}

/* Arguments after the structure, to which a placeholder points. */
static void test_placeholders(void)
{
    struct {
        struct native_echo echo;
        uint32_t more[4];
    } args = {.more = {1, 2, 0x600d, 4}};
    native n;
    native_begin(&n);
    void *memory = native_memory(64);
    const uint32_t place = (uint32_t)offsetof(struct native_echo, pointer);
    aclrtPlaceHolderInfo holder = {.addrOffset = place,
                                   .dataOffset = (uint32_t)sizeof(struct native_echo) + 8};
    args.echo = (struct native_echo){native_address(memory), 5, 0x1234, 0x56, 0};
    CHECK_OK(aclrtLaunchKernelWithHostArgs(native_find(n.binary, "echo"), 1, n.stream, NULL, &args,
                                           sizeof(args), &holder, 1));
    memset(&args, 0, sizeof(args));
    check_echo(&n, memory, 5, 0x600d);
    native_free(memory);
    native_end(&n);
}

/* A list lays parameters at multiples of 8 bytes: this one has that layout. */
static void test_list(void)
{
    native n;
    native_begin(&n);
    const aclrtFuncHandle add = native_find(n.binary, "add");
    void *memory[4];
    float values[NATIVE_TILE];
    for (int i = 0; i < 4; i++)
        memory[i] = native_memory(sizeof(values));
    for (unsigned i = 0; i < NATIVE_TILE; i++)
        values[i] = (float)i;
    native_write(memory[0], values, sizeof(values));
    uint64_t x = native_address(memory[0]);
    uint64_t y = native_address(memory[1]);
    uint64_t z = native_address(memory[2]);
    uint64_t rest = NATIVE_TILE; /* count, and single: 0 */
    aclrtArgsHandle list = NULL;
    aclrtParamHandle param[4];
    CHECK_OK(aclrtKernelArgsInit(add, &list));
    CHECK_OK(aclrtKernelArgsAppend(list, &x, sizeof(x), &param[0]));
    CHECK_OK(aclrtKernelArgsAppend(list, &y, sizeof(y), &param[1]));
    CHECK_OK(aclrtKernelArgsAppend(list, &z, sizeof(z), &param[2]));
    CHECK_OK(aclrtKernelArgsAppend(list, &rest, sizeof(rest), &param[3]));
    x = y = z = 64; /* what was appended was copied */
    CHECK_OK(aclrtKernelArgsFinalize(list));
    CHECK_OK(aclrtLaunchKernelWithConfig(add, 1, n.stream, NULL, list, NULL));
    z = native_address(memory[3]);
    CHECK_OK(aclrtKernelArgsParaUpdate(list, param[2], &z, sizeof(z)));
    CHECK_CODE(aclrtKernelArgsParaUpdate(list, param[2], &z, 4), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtKernelArgsFinalize(list));
    CHECK_OK(aclrtLaunchKernelWithConfig(add, 1, n.stream, NULL, list, NULL));
    CHECK_OK(aclrtSynchronizeStream(n.stream));
    for (int i = 2; i < 4; i++) {
        float sums[NATIVE_TILE] = {0};
        native_read(sums, memory[i], sizeof(sums));
        for (int j = 0; j < NATIVE_TILE; j++)
            CHECK(sums[j] == values[j]);
    }
    for (int i = 0; i < 4; i++)
        native_free(memory[i]);
    native_end(&n);
}

static void test_too_few_arguments(void)
{
    native n;
    native_begin(&n);
    struct native_echo args = {0};
    const aclrtFuncHandle echo = native_find(n.binary, "echo");
    CHECK_CODE(
        aclrtLaunchKernelWithHostArgs(echo, 1, n.stream, NULL, &args, sizeof(args) - 8, NULL, 0),
        ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtLaunchKernelWithHostArgs(echo, 1, n.stream, NULL, &args, 8, NULL, 0),
               ACL_ERROR_RT_PARAM_INVALID);
    /* Missing is a parameter of 4 bytes, or half of one: neither can be padding. */
    const struct native_add sum = {0};
    const struct native_count place = {0};
    CHECK_CODE(native_launch_on(&n, "add", 1, &sum, sizeof(sum) - 4, n.stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(native_launch_on(&n, "count", 1, &place, sizeof(place) - 4, n.stream),
               ACL_ERROR_RT_PARAM_INVALID);
    native_end(&n);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Sums of sums, each from the one before, on streams that wait for each other. */
static void test_chain(void)
{
    enum { LINKS = 20 };
    float values[NATIVE_TILE];
    native n;
    native_begin(&n);
    aclrtStream streams[2] = {n.stream, twin_stream()};
    aclrtEvent event = twin_event(EVENT_PLAIN);
    void *one = native_memory(sizeof(values));
    void *sum = native_memory(sizeof(values));
    for (unsigned i = 0; i < NATIVE_TILE; i++)
        values[i] = 1;
    native_write(one, values, sizeof(values));
    const struct native_add args = {native_address(one), native_address(sum), native_address(sum),
                                    NATIVE_TILE, 0};
    for (unsigned i = 0; i < LINKS; i++) {
        CHECK_OK(native_launch_on(&n, "add", 1, &args, sizeof(args), streams[i % 2]));
        if (i % 4 < 2) { /* the other half of the time two follow each other on one stream */
            CHECK_OK(aclrtRecordEvent(event, streams[i % 2]));
            CHECK_OK(aclrtStreamWaitEvent(streams[(i + 1) % 2], event));
        } else {
            CHECK_OK(aclrtSynchronizeStream(streams[i % 2]));
        }
    }
    CHECK_OK(aclrtSynchronizeStream(streams[0]));
    CHECK_OK(aclrtSynchronizeStream(streams[1]));
    native_read(values, sum, sizeof(values));
    CHECK(values[0] == LINKS && values[NATIVE_TILE - 1] == LINKS);
    native_free(one);
    native_free(sum);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(streams[1]));
    native_end(&n);
}

/* Written at the kernel's end, and not before. */
static void test_asynchronous(void)
{
    native n;
    native_begin(&n);
    twin_hold hold;
    void *memory = native_memory(64);
    const struct native_count args = {native_address(memory)};
    uint32_t seen = 0;
    twin_hold_begin(&hold, n.stream);
    NATIVE_LAUNCH(&n, "count", 1, args);
    native_read(&seen, memory, sizeof(seen));
    CHECK_EQUAL(seen, 0);
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclrtSynchronizeStream(n.stream));
    native_read(&seen, memory, sizeof(seen));
    CHECK_EQUAL(seen, 1);
    native_free(memory);
    native_end(&n);
}

/* A program that runs again runs its kernels again. */
static void test_again_in_a_program(void)
{
    enum { RUNS = 5 };
    native n;
    native_begin(&n);
    void *memory = native_memory(64);
    const struct native_count args = {native_address(memory)};
    aclmdlRI program = NULL;
    CHECK_OK(aclmdlRIBuildBegin(&program, 0));
    aclrtStream stream = NULL;
    CHECK_OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT));
    CHECK_OK(aclmdlRIBindStream(program, stream, 0));
    CHECK_OK(native_launch_on(&n, "count", 1, &args, sizeof(args), stream));
    CHECK_OK(aclmdlRIEndTask(program, stream));
    CHECK_OK(aclmdlRIBuildEnd(program, NULL));
    for (uint32_t i = 0; i < RUNS; i++) {
        uint32_t seen = 0;
        CHECK_OK(aclmdlRIExecuteAsync(program, n.stream));
        CHECK_OK(aclrtSynchronizeStream(n.stream));
        native_read(&seen, memory, sizeof(seen));
        CHECK_EQUAL(seen, i + 1);
    }
    CHECK_OK(aclmdlRIUnbindStream(program, stream));
    CHECK_OK(aclmdlRIDestroy(program));
    CHECK_OK(aclrtDestroyStream(stream));
    native_free(memory);
    native_end(&n);
}

/* ---- overflow -------------------------------------------------------------------------------- */

static bool any_overflow(const native *n, void *status)
{
    uint8_t seen[64];
    unsigned set = 0;
    CHECK_OK(aclrtGetOverflowStatus(status, sizeof(seen), n->stream));
    CHECK_OK(aclrtSynchronizeStream(n->stream));
    native_read(seen, status, sizeof(seen));
    for (unsigned i = 0; i < sizeof(seen); i++)
        set += seen[i] != 0;
    return set > 0;
}

/* The largest fp16 is 65504: the square of 200 fits, that of 300 does not. A stream keeps the mode
 * it was made with. */
static void test_overflow(void)
{
    static const struct {
        aclrtFloatOverflowMode mode;
        uint16_t too_large;
    } modes[] = {{ACL_RT_OVERFLOW_MODE_SATURATION, 0x7bff}, {ACL_RT_OVERFLOW_MODE_INFNAN, 0x7c00}};
    aclrtFloatOverflowMode before = ACL_RT_OVERFLOW_MODE_UNDEF;
    CHECK_OK(aclrtGetDeviceSatMode(&before));
    for (unsigned i = 0; i < TWIN_COUNT(modes); i++) {
        native n;
        CHECK_OK(aclrtSetDeviceSatMode(modes[i].mode));
        native_begin(&n);
        void *memory = native_memory(64);
        void *status = native_memory(64);
        struct native_square args = {native_address(memory), 200};
        uint16_t seen = 0;
        NATIVE_LAUNCH(&n, "square", 1, args);
        CHECK(!any_overflow(&n, status));
        args.number = 300;
        NATIVE_LAUNCH(&n, "square", 1, args);
        CHECK(any_overflow(&n, status));
        native_read(&seen, memory, sizeof(seen));
        CHECK_EQUAL(seen, modes[i].too_large);
        CHECK(any_overflow(&n, status)); /* until it is cleared */
        CHECK_OK(aclrtResetOverflowStatus(n.stream));
        CHECK(!any_overflow(&n, status));
        CHECK_OK(aclrtSetStreamOverflowSwitch(n.stream, 0));
        NATIVE_LAUNCH(&n, "square", 1, args);
        CHECK(!any_overflow(&n, status));
        CHECK_OK(aclrtSetStreamOverflowSwitch(n.stream, 1));
        NATIVE_LAUNCH(&n, "square", 1, args);
        CHECK(any_overflow(&n, status));
        CHECK_OK(aclrtResetOverflowStatus(n.stream));
        native_free(memory);
        native_free(status);
        native_end(&n);
    }
    CHECK_OK(aclrtSetDeviceSatMode(before));
}

/* ---- shares of cores ------------------------------------------------------------------------- */

/* Runs two blocks that print, with the standard output in a file: what they print is all that is in
 * it. */
static void test_printed_text(void)
{
    native n;
    char text[128] = "";
    struct native_count args = {0};
    native_begin(&n);
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    FILE *file = tmpfile();
    if (CHECK(kept >= 0 && file) && CHECK(dup2(fileno(file), STDOUT_FILENO) >= 0)) {
        NATIVE_LAUNCH(&n, "print", 2, args);
        CHECK_OK(aclrtSynchronizeStream(n.stream));
        fflush(stdout);
        (void)dup2(kept, STDOUT_FILENO);
        rewind(file);
        const size_t bytes = fread(text, 1, sizeof(text) - 1, file);
        text[bytes] = '\0';
        if (!CHECK(strcmp(text, "block 0 says helloblock 1 says hello") == 0))
            fprintf(stderr, "  printed: \"%s\"\n", text);
    }
    if (file)
        fclose(file);
    if (kept >= 0)
        close(kept);
    native_end(&n);
}

static void many_blocks(const native *n, aclrtStream stream, void *argument)
{
    const struct native_work args = {4, 8192};
    (void)argument;
    CHECK_OK(native_launch_on(n, "work", (uint32_t)twin_profile_value("limit.aiv_cores"), &args,
                              sizeof(args), stream));
}

static void test_shares(void)
{
    native n;
    native_begin(&n);
    const double whole = native_span(&n, many_blocks, NULL);
    CHECK_OK(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, 4));
    CHECK_OK(aclrtSetStreamResLimit(n.stream, ACL_RT_DEV_RES_VECTOR_CORE, 2));
    CHECK_OK(aclrtUseStreamResInCurrentThread(n.stream));
    const double shared = native_span(&n, many_blocks, NULL);
    CHECK(shared <= whole + 100 && shared >= whole - 100); /* steps of event times apart */
    CHECK_OK(aclrtUnuseStreamResInCurrentThread(n.stream));
    CHECK_OK(aclrtResetStreamResLimit(n.stream));
    CHECK_OK(aclrtResetDeviceResLimit(0));
    native_end(&n);
}

static const twin_test tests[] = {
    {"GRF-39: a captured kernel has the arguments of its capture", test_captured_kernel},
    {"GRF-76: the kernels of a task group become other ones", test_group_update},
    {"GRF-79: an update is in the order of its stream", test_group_update_order},
    {"an update is in time while a run waits before the group", test_group_update_beside_run},
    {"GRF-72, GRF-76: a task group in a graph of a conditional task", test_group_in_graph},
    {"an update after the end of its instance does nothing", test_group_update_late},
    {"an update that has not begun at the end of its instance", test_group_update_unbegun},
    {"two streams update a task group", test_group_updates_cross},
    {"GRF-70, GRF-71, GRF-75, GRF-77, GRF-78: begin and end of groups and updates",
     test_group_status},
    {"GRF-14, GRF-72, GRF-73, GRF-74: what breaks a task group", test_group_broken},
    {"GRF-63, GRF-64: what a captured kernel is", test_task_kernel},
    {"GRF-65, GRF-67: a captured kernel becomes another one", test_task_set_kernel},
    {"GRF-65: kernels that make the instance faulty", test_task_set_kernel_refused},
    {"GRF-65: a kernel of a task group stays on its cores", test_task_set_other_cores},
    {"GRF-65: an update of a task group leaves an instance faulty", test_task_faulty_and_group},
    {"updates of a task group, and of the whole instance", test_task_set_and_group},
    {"GRF-67: a change waits for its update, whatever groups do", test_task_noted_before_group},
    {"GRF-76: a group is updated after tasks before it were left out", test_group_moves},
    {"KRN-78: a captured kernel keeps its placeholders", test_task_placeholders},
    {"GRF-56: kernels with their arguments, printed to a file", test_print_kernels},
    {"KRN-51, KRN-52, KRN-57: parameters of a list are where they were appended", test_list},
    {"KRN-56, KRN-78: a placeholder becomes the address of the data after it", test_placeholders},
    {"ERR-47, ERR-48: a kernel that was trapped is reported with function and arguments",
     test_failed_kernel_is_reported},
    {"COD-07: a kernel that reads memory which has failed says so",
     test_kernel_meets_failed_memory},
    {"MEM-52: a kernel reads and writes mapped memory in place", test_kernel_in_place},
    {"MEM-52: a kernel takes its arguments from mapped memory", test_kernel_arguments_in_place},
    {"MEM-64: a kernel fails whose pages are gone", test_kernel_without_pages},
    {"mapped memory: a kernel fails that leaves it", test_kernel_outside_of_a_mapping},
    {"reserved addresses: a kernel works across two mappings", test_kernel_across_mappings},
    {"reserved addresses: a kernel fails where nothing is mapped", test_kernel_at_a_hole},
    {"MEM-66: a program that polls what a kernel writes", test_kernel_polled_without_a_call},
    {"UVA-12: a kernel on managed memory", test_kernel_on_managed_memory},
    {"UVA-22: pages that move cost a kernel time", test_managed_pages_cost},
    {"COD-06: cores that fail under a kernel that runs", test_engine_fails_under_a_kernel},
    {"KRN-70: a kernel writes when it ends", test_asynchronous},
    {"KRN-75, KRN-76, KRN-81: arguments reach a kernel in each way to give them", test_arguments},
    {"KRN-87, KRN-88: kernels past the time limit of the launch, or of the process",
     test_time_limits},
    {"KRN-89: blocks are numbered, each runs once", test_blocks},
    {"KRN-90: blocks of both halves of a mixed kernel", test_halves},
    {"KRN-91: kernels follow each other, and the work that they wait for", test_chain},
    {"OVF-06: a kernel's overflow is in the status", test_overflow},
    {"text that blocks print is on the standard output unchanged", test_printed_text},
    {"a kernel that runs for ever ends", test_endless},
    {"a program runs its kernels again", test_again_in_a_program},
    {"a reset of the device while kernels run", test_reset_while_running},
    {"after a fault kernels run as before", test_after_a_fault},
    {"an image is unloaded while its kernels wait", test_unloaded_while_launched},
    {"cube and vector cores compute in turn", test_product},
    {"blocks meet, and see what the others wrote before", test_meet},
    {"blocks wait in vain for one that stays away", test_meet_in_vain},
    {"damaged objects are refused", test_damaged_object},
    {"each image has its own variables", test_instances},
    {"each image has them also where an earlier one was never unloaded", test_kept_instances},
    {"faults of cube cores have their codes", test_fault_of_cube},
    {"faults of vector cores have their codes", test_faults},
    {"exceptions that a kernel does not catch fail it", test_thrown},
    {"fewer bytes of arguments than a kernel reads", test_too_few_arguments},
    {"one image on several devices at once", test_two_devices},
    {"shares of cores bind no launch", test_shares},
    {"six threads load, launch and unload", test_threads},
    {"sums are exact, whatever the number of blocks", test_sums},
    {"work after a kernel that fails does not run", test_stop_on_failure},
    {"what a kernel forgets is reported, or fails it", test_hazards},
};

static const twin_child children[] = {
    {"devices", native_devices_child},
    {"hazard", native_hazard_child},
};

static const twin_suite suite = {.name = "native",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children),
                                 .initialise = true};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
