/* SPDX-License-Identifier: Apache-2.0 */
/* Records that headers of Ascend C write for what kernels print, in the public layout. */
#include "kernel_rig.h"

#include "kernel/print.h"

#ifdef TWIN_SANITIZED
#define RUNS 2000u
#else
#define RUNS 20000u
#endif

#define RECORDS (TWK_PRINT_BUFFER + 80)              /* of each core */
#define WRITTEN (TWK_PRINT_BUFFER + (1u << 20) - 16) /* how many bytes of records there are */

typedef struct print_args {
    uint32_t times, bytes;
    uint32_t claimed; /* bytes that the kernel says it has written; 0: as many as it has */
    uint32_t words[100];
} print_args;

static print_args wanted;

static void add(uint32_t word)
{
    wanted.words[wanted.bytes / 4] = word;
    wanted.bytes += 4;
}

static void add_text(const char *text)
{
    memcpy((char *)wanted.words + wanted.bytes, text, strlen(text) + 1);
    wanted.bytes += (uint32_t)(strlen(text) + 4) / 4 * 4;
}

/* A tensor in UB whose elements follow; `dimensions` of `size` each. */
static void add_tensor(uint32_t type, uint32_t bytes, uint32_t dimensions, uint32_t size)
{
    const uint32_t head[] = {2, 64 + bytes, 0x200, type, 9, 0, 1, dimensions};
    for (uint32_t i = 0; i < 8; i++)
        add(head[i]);
    for (uint32_t i = 0; i < 8; i++)
        add(size);
    add(0);
    add(bytes);
}

static void begin_records(void)
{
    wanted = (print_args){.times = 1};
}

TWK_VECTOR_KERNEL(writes, print_args, args)
{
    for (uint32_t i = 0; i < args->times; i++) {
        const uint64_t bytes = args->bytes, claimed = args->claimed ? args->claimed : bytes;
        twk_slot->store(TWK_SPACE_GM, TWK_NO_TYPE, 1, RECORDS, bytes, args->words);
        twk_slot->store(TWK_SPACE_GM, TWK_NO_TYPE, 8, WRITTEN, sizeof(claimed), &claimed);
        twk_dcci(WRITTEN, true);
    }
}

/* To the last 4 bytes of the first core's part of the buffer, and beyond it. */
TWK_VECTOR_KERNEL(crosses, print_args, args)
{
    twk_duplicate(TWK_FP32, twk_ub_at(0), 0, 64);
    twk_barrier(TWK_ALL);
    twk_store(TWK_PRINT_BUFFER + (1u << 20) - 4, twk_ub_at(0), args->bytes);
}

/* What a good run prints at last. */
static void prints(const char *text)
{
    rig_do("writes", 1, &wanted, sizeof(wanted));
    CU_ASSERT_STRING_EQUAL(rig_last_line, text);
    if (strcmp(rig_last_line, text) != 0)
        printf("\n    %s\n", rig_last_line);
}

/* ---- each type of records -------------------------------------------------------------------- */

static void add_print(void)
{
    const float number = -0.375f;
    uint32_t bits;
    memcpy(&bits, &number, sizeof(bits));
    begin_records();
    const uint32_t head[] = {1, 72, 0, 0};
    for (uint32_t i = 0; i < 4; i++)
        add(head[i]);
    /* From here on: where the format is, -5, the number, and a string 24 bytes on. */
    const uint32_t values[] = {32, 0, (uint32_t)-5, UINT32_MAX, bits, 0, 24, 0};
    for (uint32_t i = 0; i < 8; i++)
        add(values[i]);
    add_text("%d %.2f '%s'\n");
    add_text("text");
    add_text("");
    add_text("");
}

static void test_print(void)
{
    add_print();
    prints("0.0 -5 -0.38 'text'\n");
}

static void test_types(void)
{
    static const struct {
        uint32_t type;
        uint32_t words[2];
        const char *name;
        const char *elements;
    } types[] = {
        {0, {0x3f800000, 0xc0200000}, "float32, position=UB, dump_size=2", "1.000000, -2.500000"},
        {1,
         {0xc1003c00, 0x00007c00},
         "float16, position=UB, dump_size=4",
         "1.000000, -2.500000, inf, 0.000000"},
        {2, {0x7f80ff01, 0}, "int8, position=UB, dump_size=8", "1, -1, -128, 127, 0, 0, 0, 0"},
        {3, {0x80000000, 7}, "int32, position=UB, dump_size=2", "-2147483648, 7"},
        {4, {0x7f80ff01, 0}, "uint8, position=UB, dump_size=8", "1, 255, 128, 127, 0, 0, 0, 0"},
        {6, {0x8000ffff, 1}, "int16, position=UB, dump_size=4", "-1, -32768, 1, 0"},
        {7, {0x8000ffff, 1}, "uint16, position=UB, dump_size=4", "65535, 32768, 1, 0"},
        {8, {0x80000000, 7}, "uint32, position=UB, dump_size=2", "2147483648, 7"},
        {9, {0, 0x80000000}, "int64, position=UB, dump_size=1", "-9223372036854775808"},
        {10, {0, 0x80000000}, "uint64, position=UB, dump_size=1", "9223372036854775808"},
        {12, {0x02000001, 0}, "bool, position=UB, dump_size=8", "1, 0, 0, 1, 0, 0, 0, 0"},
        {27,
         {0xc0203f80, 0},
         "bfloat16, position=UB, dump_size=4",
         "1.000000, -2.500000, 0.000000, 0.000000"},
    };
    for (uint32_t i = 0; i < TWIN_COUNT(types); i++) {
        char text[256];
        begin_records();
        add_tensor(types[i].type, 8, 0, 0);
        add(types[i].words[0]);
        add(types[i].words[1]);
        snprintf(text, sizeof(text),
                 "0.0 [AIV Block 0] DumpTensor: desc=9, addr=0x200, data_type=%s\n[%s]\n",
                 types[i].name, types[i].elements);
        prints(text);
    }
}

/* The shape that comes before is that of the next tensor, and of no other. */
static void test_shape(void)
{
    begin_records();
    add(3);
    add(40);
    add(2);
    for (uint32_t i = 0; i < 9; i++)
        add(i < 8 ? 1 + (i == 1) : 0); /* 1, 2 */
    add_tensor(3, 8, 0, 0);
    add(5);
    add(6);
    prints("0.0 [AIV Block 0] DumpTensor: desc=9, addr=0x200, data_type=int32, position=UB, "
           "dump_size=2\n[[5,6]]\n");
    add_tensor(3, 4, 0, 0);
    add(7);
    rig_do("writes", 1, &wanted, sizeof(wanted));
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_last_line, "[[5,6]]\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_last_line, "dump_size=1\n[7]\n"));
}

static void test_time(void)
{
    begin_records();
    const uint32_t record[] = {6, 40, 3, 1, 0, 1, 8, 0, 9, 0, 0, 0};
    for (uint32_t i = 0; i < TWIN_COUNT(record); i++)
        add(record[i]);
    prints("0.0 descId is 3, rsv is 0, timeStamp is 4294967296, pcPtr is 8, entry is 9.\n");
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* There is always room for the next record: the buffer would be full after 11 000. */
static void test_many(void)
{
    add_print();
    wanted.times = 20000;
    rig_do("writes", 1, &wanted, sizeof(wanted));
    CU_ASSERT_EQUAL(rig_printed_lines, 20000);
}

static void test_too_much(void)
{
    begin_records();
    add_tensor(3, 8, 2, 65535);
    add(5);
    add(6);
    rig_do("writes", 1, &wanted, sizeof(wanted));
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_last_line, "more was not printed"));
    CU_ASSERT_EQUAL(rig_printed_lines, 1);
    /* Nor is what would have room. */
    wanted.times = 2;
    rig_do("writes", 1, &wanted, sizeof(wanted));
    CU_ASSERT_EQUAL(rig_printed_lines, 1);
}

/* One word that is just too large. */
static void test_sizes(void)
{
    static const struct {
        uint32_t word, value;
    } wrong[] = {
        {1, 73},      /* bytes of the record: the last of them are not there */
        {1, 64 + 4},  /* they end before the elements do */
        {7, 9},       /* dimensions */
        {17, 8 + 1},  /* bytes of elements */
        {17, 8 + 64}, /* as many as the record has */
    };
    for (uint32_t i = 0; i < TWIN_COUNT(wrong); i++) {
        begin_records();
        add_tensor(3, 8, 2, 1);
        add(5);
        add(6);
        wanted.words[wrong[i].word] = wrong[i].value;
        rig_fail("writes", 1, &wanted, sizeof(wanted), TWIN_NATIVE_OPERATION,
                 "it prints a record of type 2 that this runtime cannot read");
    }
    static const uint32_t print[] = {1, 32, 0, 0, 12, 0}; /* a format between two values */
    begin_records();
    for (uint32_t i = 0; i < TWIN_COUNT(print); i++)
        add(print[i]);
    add_text("without values");
    rig_fail("writes", 1, &wanted, sizeof(wanted), TWIN_NATIVE_OPERATION, "a record of type 1");
    wanted.words[4] = 8;
    prints("0.0 without values");
    /* All records together: one that fills the buffer is good. */
    begin_records();
    add(10);
    add((1u << 20) - 80 - 24 - 8);
    wanted.claimed = (1u << 20) - 80 - 24;
    rig_do("writes", 1, &wanted, sizeof(wanted));
    wanted.words[1] += 1;
    wanted.claimed += 1;
    rig_fail("writes", 1, &wanted, sizeof(wanted), TWIN_NATIVE_OPERATION, "cannot read");
    wanted.bytes = 4;
    rig_do("crosses", 1, &wanted, sizeof(wanted));
    wanted.bytes = 5;
    rig_fail("crosses", 1, &wanted, sizeof(wanted), TWIN_NATIVE_ADDRESS,
             "are not in the core's piece of the buffer");
}

/* In a run that computes no elements. */
static void test_not_computed(void)
{
    begin_records();
    add_tensor(3, 8, 0, 0);
    add(5);
    add(6);
    rig_timing_only = true;
    prints("0.0 [AIV Block 0] DumpTensor: desc=9, addr=0x200, data_type=int32, position=UB, "
           "dump_size=2\n(not computed: TWINRT_KERNEL_DATA=on computes it)\n");
    rig_timing_only = false;
}

/* A text needs no more memory than what a core may print. */
static void test_long_text(void)
{
    enum { COUNT = 10000, WIDTH = 999 };
    static uint64_t list[COUNT];
    static char format[5 * COUNT + 1];
    const native_values values = {.list = list, .count = COUNT};
    native_text text = {0};
    for (uint32_t i = 0; i < 5 * COUNT; i++)
        format[i] = "%999d"[i % 5];
    CU_ASSERT(twin_native_text_values(&text, format, &values));
    CU_ASSERT(text.length >= NATIVE_PRINT_MOST && text.length < NATIVE_PRINT_MOST + WIDTH);
    free(text.at);
}

static uint64_t state;
static uint32_t below(uint32_t most)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 32) % most;
}

/* Good records of which some bytes are others. */
static void test_damaged(void)
{
    uint32_t counts[TWIN_NATIVE_NOMEM + 1] = {0};
    for (uint32_t i = 0; i < RUNS; i++) {
        state = i;
        if (below(2) != 0) {
            add_print();
        } else {
            begin_records();
            add_tensor(below(30), 32, below(4), below(5));
            wanted.bytes += 32;
        }
        for (uint32_t change = 1 + below(3); change > 0; change--) {
            static const uint32_t ends[] = {0,          1,          8,         0x7fffffff,
                                            0x80000000, 0xfffffff8, UINT32_MAX};
            const uint32_t at = below(wanted.bytes);
            if (below(2) != 0)
                wanted.words[at / 4] = ends[below(TWIN_COUNT(ends))];
            else
                ((unsigned char *)wanted.words)[at] = (unsigned char)below(256);
        }
        wanted.bytes -= below(8) == 0 ? 4 * below(wanted.bytes / 4) : 0;
        rig_begin("writes", 1, &wanted, sizeof(wanted));
        const twin_native_failure *failure = twin_native_failed(rig_run);
        counts[failure->fault]++;
        if (failure->fault != TWIN_NATIVE_GOOD && failure->fault != TWIN_NATIVE_OPERATION)
            printf("\n    seed %u: %s\n", i, failure->text);
        twin_native_end(rig_run);
    }
    CU_ASSERT(counts[TWIN_NATIVE_GOOD] > RUNS / 10 && counts[TWIN_NATIVE_OPERATION] > RUNS / 10);
    CU_ASSERT_EQUAL(counts[TWIN_NATIVE_GOOD] + counts[TWIN_NATIVE_OPERATION], RUNS);
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"a print has its values and its string in the record", test_print},
        {"elements of each type", test_types},
        {"a shape is that of the next tensor", test_shape},
        {"a time stamp", test_time},
        {"any number of records", test_many},
        {"a core prints 1 MiB of a block", test_too_much},
        {"sizes that are just too large", test_sizes},
        {"elements that are not computed", test_not_computed},
        {"a long text ends at what a core prints", test_long_text},
        {"damaged records print something or fail the kernel, and nothing else", test_damaged},
    };
    return twin_run_suite("kernel_print", tests, TWIN_COUNT(tests), argc, argv);
}
