/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that copy between global memory and UB, against copies byte by byte; and those that
 * put them in order. */
#include "kernel_instruct_list.h"

#define DATA       0u /* global memory that instructions read and write */
#define DATA_BYTES 0x40000u
#define IMAGE      0x40000u /* what UB holds before and after */
#define UB_BYTES   0x8000u
#define RESULTS    0x60000u

TWK_VECTOR_KERNEL(copies, list_args, args)
{
    twk_load(twk_ub_at(0), RIG_BASE + IMAGE, UB_BYTES);
    twk_barrier(TWK_ALL);
    do_list(args);
    twk_barrier(TWK_ALL);
    twk_store(RIG_BASE + IMAGE, twk_ub_at(0), UB_BYTES);
}

static unsigned char wanted[RIG_BYTES];

static void begin(void)
{
    list_begin();
    for (uint32_t i = 0; i < IMAGE + UB_BYTES; i++)
        rig_memory[i] = wanted[i] = (unsigned char)random32();
}

static void check(void)
{
    rig_do("copies", 1, &list, sizeof(list));
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < IMAGE + UB_BYTES; i++)
        wrong += rig_memory[i] != wanted[i];
    if (wrong > 0) {
        uint32_t first = 0;
        while (rig_memory[first] == wanted[first])
            first++;
        printf("\n    instruction %u of %u, %u bytes are wrong, the first at 0x%x\n",
               list.list[0].number, list.count, wrong, first);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- bursts ---------------------------------------------------------------------------------- */

/* A burst with `bytes` bytes and gaps, in any order of source and target. */
typedef struct bursts {
    uint32_t count, bytes, from, to, from_pitch, to_pitch;
} bursts;

static void copy_bytes(const bursts *b)
{
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t j = 0; j < b->bytes; j++)
            wanted[b->to + i * b->to_pitch + j] = wanted[b->from + i * b->from_pitch + j];
}

static uint64_t gm(uint32_t at)
{
    return RIG_BASE + DATA + at;
}

static void test_blocks(void)
{
    for (uint32_t round = 0; round < 300; round++) {
        begin();
        const uint32_t count = 1 + below(9), length = 1 + below(8);
        const uint32_t near = below(3) ? below(4) : 0, far = below(3) ? below(4) : 0;
        const uint32_t local = below(128) * 32, at = below(10000);
        const uint32_t bytes = length * 32;
        bursts b = {.count = count, .bytes = bytes};
        if (round % 2 == 0) {
            b.from = at, b.to = IMAGE + local;
            b.from_pitch = bytes + far * 32, b.to_pitch = bytes + near * 32;
            LIST_ADD(COPY_GM_TO_UBUF, local, gm(at), 0, count, length, far, near);
        } else {
            b.from = IMAGE + local, b.to = at;
            b.from_pitch = bytes + near * 32, b.to_pitch = bytes + far * 32;
            LIST_ADD(COPY_UBUF_TO_GM, gm(at), local, 0, count, length, near, far);
        }
        copy_bytes(&b);
        check();
    }
}

static void test_inside(void)
{
    for (uint32_t round = 0; round < 200; round++) {
        begin();
        const uint32_t count = 1 + below(9), length = 1 + below(8);
        const uint32_t from_gap = below(3) ? below(4) : 0, to_gap = below(3) ? below(4) : 0;
        const uint32_t from = below(128) * 32;
        const bool itself = from_gap == to_gap && below(4) == 0;
        const uint32_t to = itself ? from : 0x4000 + below(128) * 32;
        const bursts b = {.count = count,
                          .bytes = length * 32,
                          .from = IMAGE + from,
                          .to = IMAGE + to,
                          .from_pitch = (length + from_gap) * 32,
                          .to_pitch = (length + to_gap) * 32};
        LIST_ADD(COPY_UBUF_TO_UBUF, to, from, 0, count, length, from_gap, to_gap);
        copy_bytes(&b);
        check();
    }
}

/* ---- bursts of any length -------------------------------------------------------------------- */

static uint16_t aligned_number(bool load, uint32_t size)
{
    static const uint16_t numbers[2][5] = {
        {0, TWK_INSTRUCTION_COPY_UBUF_TO_GM_ALIGN_B8, TWK_INSTRUCTION_COPY_UBUF_TO_GM_ALIGN_B16, 0,
         TWK_INSTRUCTION_COPY_UBUF_TO_GM_ALIGN_B32},
        {0, TWK_INSTRUCTION_COPY_GM_TO_UBUF_ALIGN_B8, TWK_INSTRUCTION_COPY_GM_TO_UBUF_ALIGN_B16, 0,
         TWK_INSTRUCTION_COPY_GM_TO_UBUF_ALIGN_B32}};
    return numbers[load][size];
}

/* Each burst with its padding begins at a block, and is filled up to the end of one: with the
 * padding value if there is padding, else with its first element. */
static void pad(const bursts *b, uint32_t size, uint32_t left, uint32_t right, uint32_t value)
{
    const uint32_t used = b->bytes + (left + right) * size, wide = (used + 31) / 32 * 32;
    for (uint32_t i = 0; i < b->count; i++) {
        const uint32_t row = b->to - left * size + i * b->to_pitch;
        for (uint32_t j = 0; j < wide; j++) {
            if (j >= left * size && j < left * size + b->bytes)
                continue;
            wanted[row + j] =
                left + right > 0 ? (unsigned char)(value >> j % size * 8) : wanted[row + j % size];
        }
    }
}

static void test_any_length(void)
{
    for (uint32_t round = 0; round < 600; round++) {
        begin();
        const uint32_t size = 1u << below(3);
        const bool load = below(3) > 0;
        const uint32_t count = 1 + below(6), bytes = (1 + below(70)) * size;
        const uint32_t left = load && below(2) ? below(32 / size + 1) : 0;
        const uint32_t right = load && below(2) ? below(32 / size + 1) : 0;
        const uint32_t near = below(3), far = below(50), value = random32();
        const uint32_t local = below(64) * 32, at = below(10000);
        const uint32_t wide = (bytes + (left + right) * size + 31) / 32 * 32;
        bursts b = {.count = count, .bytes = bytes};
        LIST_ADD(SET_MOV_PAD_VAL, value);
        if (load) {
            b.from = at, b.from_pitch = bytes + far;
            b.to = IMAGE + local + left * size, b.to_pitch = wide + near * 32;
            list_add(aligned_number(true, size), 9,
                     (const uint64_t[]){local, gm(at), 0, count, bytes, left, right, far, near});
            copy_bytes(&b);
            pad(&b, size, left, right, value);
        } else {
            b.from = IMAGE + local, b.from_pitch = wide + near * 32;
            b.to = at, b.to_pitch = bytes + far;
            list_add(aligned_number(false, size), 9,
                     (const uint64_t[]){gm(at), local, 0, count, bytes, 0, 0, near, far});
            copy_bytes(&b);
        }
        check();
    }
}

/* ---- atomic stores --------------------------------------------------------------------------- */

static int32_t combined(uint32_t how, int32_t a, int32_t b)
{
    return how == TWK_ATOMIC_ADD   ? (int32_t)((uint32_t)a + (uint32_t)b)
           : how == TWK_ATOMIC_MAX ? (a > b ? a : b)
                                   : (a < b ? a : b);
}

/* Of whole numbers that FP32 holds too. */
static void test_atomic(void)
{
    static const uint16_t how_numbers[] = {0, TWK_INSTRUCTION_SET_ATOMIC_ADD,
                                           TWK_INSTRUCTION_SET_ATOMIC_MAX,
                                           TWK_INSTRUCTION_SET_ATOMIC_MIN};
    for (uint32_t round = 0; round < 60; round++) {
        begin();
        const uint32_t how = 1 + round % 3;
        const bool floats = round % 2 == 0;
        int32_t sums[16];
        for (uint32_t i = 0; i < 16; i++) {
            const int32_t a = (int32_t)below(20000) - 10000, b = (int32_t)below(20000) - 10000;
            const float fa = (float)a, fb = (float)b;
            memcpy(&rig_memory[i * 4], floats ? (const void *)&fa : &a, 4);
            memcpy(&rig_memory[IMAGE + i * 4], floats ? (const void *)&fb : &b, 4);
            sums[i] = combined(how, a, b);
        }
        memcpy(wanted, rig_memory, sizeof(wanted));
        list_add(how_numbers[how], 0, (const uint64_t[]){0});
        if (floats)
            LIST_ADD_PLAIN(SET_ATOMIC_F32);
        else
            LIST_ADD_PLAIN(SET_ATOMIC_S32);
        LIST_ADD(COPY_UBUF_TO_GM, gm(0), 0, 0, 1, 2, 0, 0);
        LIST_ADD_PLAIN(SET_ATOMIC_NONE);
        LIST_ADD(COPY_UBUF_TO_GM, gm(0x1000), 0, 0, 1, 2, 0, 0);
        for (uint32_t i = 0; i < 16; i++) {
            const float sum = (float)sums[i];
            memcpy(&wanted[i * 4], floats ? (const void *)&sum : &sums[i], 4);
        }
        memcpy(&wanted[0x1000], &wanted[IMAGE], 64);
        check();
    }
}

/* Words that are added, and a copy that the configuration of these does not concern. */
static void test_atomic_words(void)
{
    begin();
    const int32_t a = -7, b = 100;
    const float x = 1.5f, y = 0.25f, sum = 1.75f;
    const int32_t both = a + b;
    memcpy(&rig_memory[0], &a, 4);
    memcpy(&rig_memory[64], &x, 4);
    memcpy(wanted, rig_memory, sizeof(wanted));
    memcpy(&wanted[0], &both, 4);
    memcpy(&wanted[64], &sum, 4);
    memcpy(&wanted[0x1000], &wanted[IMAGE], 32);
    uint32_t bits;
    memcpy(&bits, &y, 4);
    LIST_ADD(SET_ST_ATOMIC_CFG, 4, 0); /* INT32, a sum */
    LIST_ADD(ST_ATOMIC, (uint64_t)b, gm(0))->types[0] = TWK_INT32;
    LIST_ADD(COPY_UBUF_TO_GM, gm(0x1000), 0, 0, 1, 1, 0, 0);
    LIST_ADD(SET_ST_ATOMIC_CFG, 1);
    twk_instruction *one = LIST_ADD(ST_ATOMIC, bits, gm(64));
    one->types[0] = one->types[1] = TWK_FP32;
    check();
    list_begin();
    LIST_ADD(ST_ATOMIC, 1, gm(0))->types[0] = TWK_INT32;
    rig_fail("copies", 1, &list, sizeof(list), TWIN_NATIVE_OPERATION,
             "st_atomic: the configuration is 0; call set_st_atomic_cfg");
    list_begin();
    LIST_ADD(SET_ST_ATOMIC_CFG, 4 | 1 << 3);
    LIST_ADD(ST_ATOMIC, 1, gm(0))->types[0] = TWK_INT32;
    rig_fail("copies", 1, &list, sizeof(list), TWIN_NATIVE_OPERATION, "the configuration is 12");
    list_begin();
    LIST_ADD(SET_ST_ATOMIC_CFG, 1, 0);
    LIST_ADD(ST_ATOMIC, 1, gm(0))->types[0] = TWK_INT32;
    rig_fail("copies", 1, &list, sizeof(list), TWIN_NATIVE_OPERATION, "the configuration is 1;");
}

/* ---- order ----------------------------------------------------------------------------------- */

enum { S, V, M, MTE1, MTE2, MTE3, ALL }; /* pipe_t */

/* Without barriers: as flags order copies, nothing is reported. */
static void test_flags(void)
{
    begin();
    list.loose = true;
    LIST_ADD(COPY_GM_TO_UBUF, 0, gm(0x2000), 0, 1, 4, 0, 0);
    LIST_ADD(SET_FLAG, MTE2, MTE3, 0);
    LIST_ADD(WAIT_FLAG, MTE2, MTE3, 0);
    LIST_ADD(COPY_UBUF_TO_GM, gm(0), 0, 0, 1, 4, 0, 0);
    LIST_ADD(PIPE_BARRIER, V);
    LIST_ADD(PIPE_BARRIER, ALL);
    LIST_ADD(COPY_GM_TO_UBUF, 0, gm(0x3000), 0, 1, 4, 0, 0);
    memcpy(&wanted[0], &wanted[0x2000], 128);
    memcpy(&wanted[IMAGE], &wanted[0x3000], 128);
    check();
}

static void test_missing_flag(void)
{
    begin();
    list.loose = true;
    LIST_ADD(COPY_GM_TO_UBUF, 0, gm(0x2000), 0, 1, 4, 0, 0);
    LIST_ADD(COPY_UBUF_TO_GM, gm(0), 0, 0, 1, 4, 0, 0);
    rig_begin("copies", 1, &list, sizeof(list));
    CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
    CU_ASSERT_EQUAL(rig_hazard_count, 1);
    CU_ASSERT(strstr(rig_hazards[0], "copy_ubuf_to_gm (MTE3) reads UB bytes 0 to 127 while "
                                     "copy_gm_to_ubuf (MTE2) may still write it: missing are "
                                     "set_flag(PIPE_MTE2, PIPE_MTE3, ...) after copy_gm_to_ubuf "
                                     "and wait_flag of the same before copy_ubuf_to_gm") != NULL);
    twin_native_end(rig_run);
}

/* The kernel's own code reads what a copy may still write. */
TWK_VECTOR_KERNEL(peek, list_args, args)
{
    uint32_t word;
    do_list(args);
    twk_slot->load(TWK_SPACE_UB, TWK_UINT32, 4, 0, sizeof(word), &word);
}

static void test_pointer(void)
{
    begin();
    list.loose = true;
    LIST_ADD(COPY_GM_TO_UBUF, 0, gm(0), 0, 1, 4, 0, 0);
    rig_begin("peek", 1, &list, sizeof(list));
    CU_ASSERT_EQUAL(rig_hazard_count, 1);
    CU_ASSERT(strstr(rig_hazards[0], "missing are set_flag(PIPE_MTE2, PIPE_S, ...)") != NULL);
    twin_native_end(rig_run);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refused(twin_native_fault fault, const char *part)
{
    rig_fail("copies", 1, &list, sizeof(list), fault, part);
    list_begin();
}

static void test_refused(void)
{
    list_begin();
    LIST_ADD(COPY_GM_TO_UBUF, 0, gm(0), 0, 4096, 1, 0, 0);
    refused(TWIN_NATIVE_OPERATION, "copy_gm_to_ubuf: burst_count is 4096; expected 0 to 4095");
    LIST_ADD(COPY_GM_TO_UBUF, 16, gm(0), 0, 1, 1, 0, 0);
    refused(TWIN_NATIVE_ALIGNMENT, "copy_gm_to_ubuf: offset 16 in UB is not a multiple of 32");
    LIST_ADD(COPY_GM_TO_UBUF, 192 << 10, gm(0), 0, 1, 1, 0, 0);
    refused(TWIN_NATIVE_BUFFER, "are not in UB, which has 196608");
    LIST_ADD(COPY_GM_TO_UBUF, UINT64_MAX - 31, gm(0), 0, 1, 1, 0, 0);
    refused(TWIN_NATIVE_BUFFER, "are not in UB");
    LIST_ADD(COPY_GM_TO_UBUF, 0, gm(0), 0, 4095, 65535, 65535, 65535);
    refused(TWIN_NATIVE_BUFFER, "are not in UB");
    LIST_ADD(COPY_UBUF_TO_GM, RIG_BASE + RIG_BYTES - 32, 0, 0, 2, 1, 0, 0);
    refused(TWIN_NATIVE_ADDRESS, "copy_ubuf_to_gm writes 64 bytes of global memory");
    LIST_ADD(COPY_UBUF_TO_GM, RIG_BASE + RIG_BYTES + 992, 0, 0, 1, 1, 0, 0);
    refused(TWIN_NATIVE_ADDRESS, "not inside an allocation: one ends 992 bytes before them");
    LIST_ADD(COPY_UBUF_TO_UBUF, 64, 0, 0, 1, 4, 0, 0);
    refused(TWIN_NATIVE_OPERATION, "bytes 0 to 127 of UB go to 64 to 191, which overlap");
    LIST_ADD(COPY_UBUF_TO_UBUF, 0, 0, 0, 2, 4, 0, 1);
    refused(TWIN_NATIVE_OPERATION, "bytes 0 to 255 of UB go to 0 to 287, which overlap");
    LIST_ADD(COPY_GM_TO_UBUF_ALIGN_B16, 0, gm(0), 0, 1, 33, 1, 0, 0, 0);
    refused(TWIN_NATIVE_OPERATION, "burst_length is 33; with padding it must be a multiple of 2");
    LIST_ADD(COPY_GM_TO_UBUF_ALIGN_B16, 0, gm(0), 0, 1, 32, 17, 0, 0, 0);
    refused(TWIN_NATIVE_OPERATION, "left_padding is 17; expected 0 to 16");
    LIST_ADD(COPY_GM_TO_CBUF, 0, gm(0), 0, 1, 1, 0, 0, 0);
    refused(TWIN_NATIVE_BUFFER, "a vector core has no L1");
    LIST_ADD(SET_FLAG, V, V, 0);
    refused(TWIN_NATIVE_OPERATION, "set_flag: flag 0 from pipe V to V");
    LIST_ADD(SET_FLAG, 7, V, 0);
    refused(TWIN_NATIVE_OPERATION, "set_flag: this core has no pipe 7");
    LIST_ADD(WAIT_FLAG, V, S, 1);
    refused(TWIN_NATIVE_STUCK, "wait_flag(PIPE_V, PIPE_S, 1) waits for ever");
    LIST_ADD(FFTS_CROSS_CORE_SYNC, MTE3, 0x321);
    refused(TWIN_NATIVE_OPERATION, "ffts_cross_core_sync: the kernel is not mixed");
    LIST_ADD_PLAIN(TRAP);
    refused(TWIN_NATIVE_TRAP, "trap");
}

/* ---- between cores --------------------------------------------------------------------------- */

typedef struct meet_args {
    twk_instruction set, wait;
} meet_args;

/* Each block writes a word; after the barrier of the launch it reads that of the next block. */
TWK_VECTOR_KERNEL(meet, meet_args, args)
{
    const uint32_t block = twk_block(), next = (block + 1) % twk_blocks();
    twk_duplicate(TWK_INT32, twk_ub_at(0), block + 1, 8);
    twk_barrier(TWK_ALL);
    twk_store(RIG_BASE + (uint64_t)block * 64, twk_ub_at(0), 32);
    (void)twk_slot->instruct(&args->set);
    (void)twk_slot->instruct(&args->wait);
    twk_load(twk_ub_at(64), RIG_BASE + (uint64_t)next * 64, 32);
    twk_barrier(TWK_ALL);
    twk_store(RIG_BASE + 0x1000 + (uint64_t)block * 64, twk_ub_at(64), 32);
}

static void test_meet(void)
{
    list_begin();
    LIST_ADD(FFTS_CROSS_CORE_SYNC, MTE3, 1 | 0 << 4 | 5 << 8);
    LIST_ADD(WAIT_FLAG_DEV, 5);
    const meet_args args = {list.list[0], list.list[1]};
    memset(rig_memory, 0, 0x2000);
    rig_do("meet", 4, &args, sizeof(args));
    for (uint32_t block = 0; block < 4; block++)
        CU_ASSERT_EQUAL(*(int32_t *)rig_host(RIG_BASE + 0x1000 + block * 64),
                        (int32_t)((block + 1) % 4 + 1));
}

/* ---- registers ------------------------------------------------------------------------------- */

TWK_VECTOR_KERNEL(registers, list_args, args)
{
    list_args own = *args;
    own.results_at += (uint64_t)twk_block() * 64;
    do_list(&own);
}

static void test_registers(void)
{
    list_begin();
    list.results_at = RIG_BASE + RESULTS;
    LIST_ADD_PLAIN(GET_BLOCK_IDX);
    LIST_ADD_PLAIN(GET_BLOCK_NUM);
    LIST_ADD_PLAIN(GET_SUBBLOCKID);
    LIST_ADD_PLAIN(GET_SUBBLOCKDIM);
    LIST_ADD(SET_ST_ATOMIC_CFG, 3 | 2 << 3);
    LIST_ADD_PLAIN(GET_ST_ATOMIC_CFG);
    LIST_ADD(SET_FFTS_BASE_ADDR, 0x1234567890);
    LIST_ADD_PLAIN(GET_FFTS_BASE_ADDR);
    twk_instruction *one = LIST_ADD(ST_DEV, 0x1122334455667788, RIG_BASE + RESULTS + 0x1000, 0);
    one->types[0] = TWK_UINT32;
    one = LIST_ADD(LD_DEV, RIG_BASE + RESULTS + 0x1000, 0);
    one->types[0] = TWK_UINT16;
    rig_do("registers", 1, &list, sizeof(list));
    CU_ASSERT_EQUAL(((uint64_t *)rig_host(RIG_BASE + RESULTS))[9], 0x7788);
    CU_ASSERT_EQUAL(*(uint32_t *)rig_host(RIG_BASE + RESULTS + 0x1000), 0x55667788);
    list.count = 8;
    rig_do("registers", 3, &list, sizeof(list));
    for (uint64_t block = 0; block < 3; block++) {
        const uint64_t *results = rig_host(RIG_BASE + RESULTS + block * 64);
        CU_ASSERT_EQUAL(results[0], block);
        CU_ASSERT_EQUAL(results[1], 3);
        CU_ASSERT_EQUAL(results[2], 0);
        CU_ASSERT_EQUAL(results[3], 1);
        CU_ASSERT_EQUAL(results[5], 3 | 2 << 3);
        CU_ASSERT_EQUAL(results[7], 0x1234567890);
    }
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"bursts of blocks between global memory and UB", test_blocks},
        {"bursts of blocks inside UB", test_inside},
        {"bursts of any length, with padding", test_any_length},
        {"stores that add, or keep the larger or smaller number", test_atomic},
        {"words are added in memory", test_atomic_words},
        {"flags and barriers order copies", test_flags},
        {"a missing flag is reported in the words of instructions", test_missing_flag},
        {"so is one before a read through a pointer", test_pointer},
        {"arguments out of range fail the kernel with a reason", test_refused},
        {"blocks meet at a flag between cores", test_meet},
        {"registers hold where a core is and what was set", test_registers},
    };
    return twin_run_suite("kernel_instruct_copy", tests, TWIN_COUNT(tests), argc, argv);
}
