/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are compiled as twinrt-cc does it: their basic blocks are counted. */
#include "kernel_wrong.h"

#include "twinrt/kernel.h"

#define GM 0x100000ull

static volatile uint32_t zero;

static uint32_t numbers[WRONG_TURNS];

/* A compiler may unroll this loop and take several numbers at a time. */
static uint32_t sum(uint32_t count)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += numbers[i];
    return all;
}

static uint32_t deeper(uint32_t depth, volatile unsigned char *above)
{
    volatile unsigned char room[512];
    room[0] = above ? above[0] : 1;
    return depth == 0 ? room[0] : deeper(depth - 1, room) + room[0];
}

/* Calls operations until its stack has no room for them. */
static uint32_t deeper_by(uint32_t how, uint32_t depth, volatile unsigned char *above)
{
    volatile unsigned char room[200];
    room[0] = above ? above[0] : 1;
    if (how == WRONG_DEEP_GET)
        room[1] = (unsigned char)twk_gm_get(TWK_INT32, GM);
    else if (how == WRONG_DEEP_VECTOR)
        twk_adds(TWK_FP16, twk_ub_at(0), twk_ub_at(0), 1, 64);
    else
        twk_printf("%s", "");
    return depth == 0 ? room[0] : deeper_by(how, depth - 1, room) + room[0];
}

/* A frame that leaves next to nothing of the stack, and then an operation. */
static __attribute__((noinline)) void trap_at_the_end(void)
{
    volatile unsigned char room[(256 << 10) - 8192];
    for (uint32_t i = 0; i < sizeof(room); i += 1024)
        room[i] = 1;
    twk_stop("it is not said");
}

/* Larger than a stack and the gap between two of them. */
static __attribute__((noinline)) void large_frame(void)
{
    volatile unsigned char room[1 << 20];
    room[zero] = 1;
    zero = room[zero + 1] * 0u;
}

static void go_wrong(const wrong_args *args)
{
    const twk_rows over = {2, 64, 0x100000, 64, 0}, narrow = {2, 64, 64, 32, 0};
    switch (args->how) {
    case WRONG_ADDRESS:
        twk_load(twk_ub_at(0), 0x10, 64);
        break;
    case WRONG_STORE:
        twk_duplicate(TWK_INT8, twk_ub_at(0), 1, 64);
        twk_barrier(TWK_ALL);
        twk_store(GM + 0x100000 - 32, twk_ub_at(0), 64);
        break;
    case WRONG_ROW:
        twk_load_rows(twk_ub_at(0), GM, &over);
        break;
    case WRONG_BUFFER:
        twk_load(twk_ub_at((192 << 10) - 32), GM, 64);
        break;
    case WRONG_CORE:
        twk_load_l1(twk_l1_at(0), GM, 64);
        break;
    case WRONG_PIPE:
        twk_mmad(TWK_FP16, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), 16, 16, 16, false);
        break;
    case WRONG_OFFSET:
        twk_adds(TWK_FP32, twk_ub_at(0), twk_ub_at(4), 1, 8);
        break;
    case WRONG_ALIGNMENT:
        (void)twk_gm_get(TWK_INT32, GM + 2);
        break;
    case WRONG_OVERLAP:
        twk_duplicate(TWK_FP32, twk_ub_at(0), 1, 64);
        twk_add(TWK_FP32, twk_ub_at(32), twk_ub_at(0), twk_ub_at(128), 16);
        break;
    case WRONG_FLAG:
        twk_set_flag(TWK_MTE2, TWK_V, 8);
        break;
    case WRONG_CROSS_CORE:
        twk_cross_core_set_flag(TWK_S, 0);
        break;
    case WRONG_PITCH:
        twk_load_rows(twk_ub_at(0), GM, &narrow);
        break;
    case WRONG_TRAP:
        twk_trap();
        break;
    case WRONG_ASSERT:
        twk_assert(args->how == 0);
        break;
    case WRONG_WAIT:
        twk_wait_flag(TWK_V, TWK_S, 1);
        break;
    case WRONG_WAIT_PIPE:
        twk_wait_flag(TWK_V, TWK_MTE3, 1);
        break;
    case WRONG_LOOP:
        while (zero == 0)
            ;
        break;
    case WRONG_POLL: /* each turn is an operation, and a new one */
        while (twk_gm_get(TWK_INT32, GM) == 0)
            ;
        break;
    case WRONG_POINTER:
        *(volatile uint32_t *)(uintptr_t)(GM + 0x40) = 1; /* a device address is not a pointer */
        break;
    case WRONG_DIVISION:
        zero = 100 / zero; /* a fault on x86-64 */
        break;
    case WRONG_RECURSION:
        zero = deeper(100000, NULL) * 0;
        break;
    case WRONG_DEEP_VECTOR:
        twk_duplicate(TWK_FP16, twk_ub_at(0), 1, 64);
        zero = deeper_by(args->how, 100000, NULL) * 0;
        break;
    case WRONG_DEEP_GET:
    case WRONG_DEEP_PRINT:
        zero = deeper_by(args->how, 100000, NULL) * 0;
        break;
    case WRONG_DEEP_TRAP:
        trap_at_the_end();
        break;
    case WRONG_COUNT: /* times 4 it is 4 */
        twk_store_atomic(TWK_ATOMIC_ADD, TWK_INT32, GM, twk_ub_at(0), 0x40000001);
        break;
    case WRONG_TYPE:
        twk_duplicate((twk_type)99, twk_ub_at(0), 1, 64);
        break;
    case WRONG_FRAME:
        large_frame();
        break;
    default:
        break;
    }
}

TWK_VECTOR_KERNEL(wrong, wrong_args, args)
{
    if (args->how == GOOD_SUM) {
        numbers[zero] = zero;
        zero = sum(args->turns);
        return;
    }
    for (volatile uint32_t i = 0; i < args->turns; i = i + 1)
        ;
    if (args->how == GOOD_LOOP)
        return;
    twk_barrier(TWK_ALL);
    if (twk_block() == 1)
        go_wrong(args);
}

TWK_CUBE_HALF(deaf, twk_none, args)
{
    twk_cross_core_wait_flag(TWK_S, 2);
}
TWK_VECTOR_HALF(deaf, twk_none, args)
{
    if (twk_vector_index() == 0)
        twk_cross_core_set_flag(TWK_S, 2);
}
TWK_MIX_KERNEL(deaf, twk_none, 2);

TWK_CUBE_HALF(thirds, twk_none, args) {}
TWK_VECTOR_HALF(thirds, twk_none, args) {}
TWK_MIX_KERNEL(thirds, twk_none, 1);
