/* SPDX-License-Identifier: Apache-2.0 */
/* The language of Ascend C on a 910B, as far as clang does not have it. twinrt-cc includes this
 * before each source, in the pass of the host and in those of cube and vector cores.
 *
 * Names are those of the device's compiler. Values of enumerators are in the comments: K known from
 * public sources, A assumed. */
#ifndef TWINRT_ASCENDC_H
#define TWINRT_ASCENDC_H

#include <math.h>
#include <signal.h>
#include <stdint.h>
#ifdef TWK_DEVICE_ /* what kernels call is below; other functions are those of the host */
#define printf twk_host_printf_
#include <stdio.h>
#undef printf
#else
#include <stdio.h>
#include <stdlib.h>
#endif

#include "twinrt/kernel_image.h"
#include "twinrt/kernel_instructions.h"

/* ---- address spaces -------------------------------------------------------------------------- */

/* twinrt-cc knows these numbers: 100 and the TWK_SPACE_…. Pointers of the host, which are numbers
 * on the device, become __gm__ pointers without a cast, as the device's compiler has it: that is
 * OpenCL's generic address space, number 4 with -ffake-address-space-map. */
#define __gm__      __attribute__((opencl_generic))
#define __ubuf__    __attribute__((address_space(101)))
#define __cbuf__    __attribute__((address_space(102)))
#define __ca__      __attribute__((address_space(103)))
#define __cb__      __attribute__((address_space(104)))
#define __cc__      __attribute__((address_space(105)))
#define __biasbuf__ __attribute__((address_space(106)))
#define __fbuf__    __attribute__((address_space(107)))
#define __ssbuf__   __attribute__((address_space(108))) /* of other parts */

/* ---- functions and variables ----------------------------------------------------------------- */

#define __global__       __attribute__((annotate("twk_kernel"), used))
#define __vector__       __attribute__((annotate("twk_vector")))
#define __cube__         __attribute__((annotate("twk_cube")))
#define __mix__(c, v)    __attribute__((annotate("twk_mix " #c ":" #v)))
#define __aicore__       /* whatever a kernel calls is compiled for it */
#define __host__         /* and the rest is not */
#define __host_aicore__  /* both */
#define __in__           /* of parameters: for the vendor's tools */
#define __out__          /* of parameters */
#define __in_pipe__(...) /* for automatic synchronization, which sources here do not leave out */
#define __out_pipe__(...)
#define __inout_pipe__(...)
#define __check_sync_alias__
#define __sync_alias__
#define __sync_in__
#define __sync_out__
#define __tf__                            /* of functions on tiles, for placing buffers */
#define __disable_kernel_type_autoinfer__ /* __vector__ and its like say it */

#define __forceinline__ inline __attribute__((always_inline))
#define __simt_callee__ /* of functions for other parts, which headers declare */
#define __simd_callee__

/* A variable of which each core has its own while it runs a block. */
#define block_local gnu::section("twk_block_local")
#ifndef TWK_DEVICE_
/* A variable of a block. The host has no use for it: each source may define it. */
#define workgroup_local gnu::section("twk_block_local")
#endif

/* Headers of registers that the 950 has, which define nothing for a 910B. */
#define ASCENDC_MODULE_REG_COMPUTE_INTERFACE_H

/* ---- numbers --------------------------------------------------------------------------------- */

typedef _Float16 half;
#define __fp16 _Float16 /* clang has it for storage alone */
typedef __bf16 bfloat16_t;
typedef half float16_t;
typedef float float32_t;
/* Of other parts: headers name them, and have variables of the first. */
struct twk_float8_e8m0_ {
    unsigned char bits;
};
typedef struct twk_float4_e2m1x2_ float4_e2m1x2_t;
typedef struct twk_float4_e1m2x2_ float4_e1m2x2_t;
typedef struct twk_float8_e4m3_ float8_e4m3_t;
typedef struct twk_float8_e5m2_ float8_e5m2_t;
typedef struct twk_float8_e8m0_ float8_e8m0_t;
typedef struct twk_hifloat8_ hifloat8_t;

/* ---- enumerators ----------------------------------------------------------------------------- */

enum pipe_t { /* A */
              PIPE_S = 0,
              PIPE_V = 1,
              PIPE_M = 2,
              PIPE_MTE1 = 3,
              PIPE_MTE2 = 4,
              PIPE_MTE3 = 5,
              PIPE_ALL = 6,
              PIPE_MTE4 = 7,
              PIPE_MTE5 = 8,
              PIPE_V2 = 9,
              PIPE_FIX = 10
};
enum event_t { /* K */
               EVENT_ID0,
               EVENT_ID1,
               EVENT_ID2,
               EVENT_ID3,
               EVENT_ID4,
               EVENT_ID5,
               EVENT_ID6,
               EVENT_ID7
};
enum class mem_t { L1 = 0, L0A, L0B, L0C, UB, BIAS };     /* A */
enum mem_dsb_t { DSB_ALL = 0, DSB_DDR, DSB_UB, DSB_SEQ }; /* A */
enum pad_t {                                              /* K: PAD_NONE; A: the others */
             PAD_NONE = 0,
             PAD_MODE1,
             PAD_MODE2,
             PAD_MODE3,
             PAD_MODE4,
             PAD_MODE5,
             PAD_MODE6,
             PAD_MODE7,
             PAD_MODE8
};
enum addr_cal_mode_t { inc = 0, dec = 1 };                                         /* K: inc */
enum ub_addr8_t { VA0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };                        /* A */
enum vpart_t { L128 = 0, H128 = 1 };                                               /* A */
enum Order_t { VALUE_INDEX = 0, INDEX_VALUE = 1, ONLY_VALUE = 2, ONLY_INDEX = 3 }; /* A */
enum cache_line_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE = 1 };                /* A */
enum dcci_dst_t {                                                                  /* A */
                  CACHELINE_ALL = 0,
                  CACHELINE_UB = 1,
                  CACHELINE_OUT = 2,
                  CACHELINE_ATOMIC = 3
};
enum atomic_type_t { /* A */
                     ATOMIC_NONE = 0,
                     ATOMIC_F32 = 1,
                     ATOMIC_F16 = 2,
                     ATOMIC_S16 = 3,
                     ATOMIC_S32 = 4,
                     ATOMIC_S8 = 5,
                     ATOMIC_BF16 = 6
};
enum atomic_op_t { ATOMIC_SUM = 0, ATOMIC_MAX = 1, ATOMIC_MIN = 2 }; /* A */
enum QuantMode_t { /* K: up to 5, 16, 23 and 24; A: the others */
                   NoQuant = 0,
                   F322F16 = 1,
                   VREQ8 = 2,
                   REQ8 = 3,
                   VDEQF16 = 4,
                   DEQF16 = 5,
                   VSHIFTS322S16 = 12,
                   SHIFTS322S16 = 13,
                   F322BF16 = 16,
                   VQF162B8_PRE = 17,
                   QF162B8_PRE = 18,
                   VQF162S4_PRE = 19,
                   QF162S4_PRE = 20,
                   VREQ4 = 21,
                   REQ4 = 22,
                   VQF322B8_PRE = 23,
                   QF322B8_PRE = 24,
                   VQF162S16_PRE = 25,
                   QF162S16_PRE = 26,
                   VDEQS16 = 27,
                   DEQS16 = 28,
                   /* Of other parts: headers name them, and fixpipe refuses them. */
                   QF322F16_PRE = 64,
                   VQF322F16_PRE,
                   QF322BF16_PRE,
                   VQF322BF16_PRE,
                   QS322BF16_PRE,
                   VQS322BF16_PRE
};

/* ---- instructions ---------------------------------------------------------------------------- */

#define TWK_INTRINSIC_ inline __attribute__((always_inline, nodebug))
/* Called rather than a function of the source with the same parameters. */
#define TWK_PREFERRED_ __attribute__((enable_if(true, "")))

/* A mode: sources give numbers, enumerators, and enumerators of classes of their own. */
struct twk_choice_ {
    uint64_t value;
    template <typename type, typename = decltype((uint64_t)type())>
    TWK_INTRINSIC_ constexpr twk_choice_(type value_) : value((uint64_t)value_)
    {
    }
    TWK_INTRINSIC_ constexpr operator uint64_t() const { return value; }
};

/* The record of an instruction, which gets its arguments one by one. */
struct twk_record_ : twk_instruction {
    TWK_INTRINSIC_ twk_record_(uint16_t number_, uint8_t a = TWK_NO_TYPE, uint8_t b = TWK_NO_TYPE,
                               uint8_t c = TWK_NO_TYPE, uint8_t d = TWK_NO_TYPE)
    {
        number = number_;
        count = 0;
        reserved = 0;
        types[0] = a;
        types[1] = b;
        types[2] = c;
        types[3] = d;
    }
};
TWK_INTRINSIC_ void twk_argument_(twk_record_ &record, uint64_t value)
{
    record.arguments[record.count++] = value;
}
TWK_INTRINSIC_ uint64_t twk_bits_(half value)
{
    return __builtin_bit_cast(unsigned short, value);
}
TWK_INTRINSIC_ uint64_t twk_bits_(bfloat16_t value)
{
    return __builtin_bit_cast(unsigned short, value);
}
TWK_INTRINSIC_ uint64_t twk_bits_(float value)
{
    return __builtin_bit_cast(unsigned int, value);
}

#ifdef TWK_DEVICE_
extern "C" {
/* By the kind of core that has the instruction: twinrt-cc finds by these what a kernel runs on. */
uint64_t twk_instruct_any_(const twk_instruction *instruction) noexcept;
uint64_t twk_instruct_cube_(const twk_instruction *instruction) noexcept;
uint64_t twk_instruct_vector_(const twk_instruction *instruction) noexcept;
}
/* An error of twinrt-cc where a kernel calls it. */
#define TWK_MISSING_(name, ...) __VA_ARGS__ __asm__("twk_missing:" #name);

/* A launch of blocks is, as twinrt-cc writes it, `kernel(x), ::twk_launch_(blocks, 0, stream)`. Its
 * value is the code of the launch. */
template <typename... types>
inline int twk_launch_(types &&...)
{
    return 0;
}
#else
/* The host does not run kernels. */
inline uint64_t twk_instruct_any_(const twk_instruction *)
{
    __builtin_trap();
}
#define twk_instruct_cube_   twk_instruct_any_
#define twk_instruct_vector_ twk_instruct_any_
#define TWK_MISSING_(name, ...)                                                                    \
    inline __VA_ARGS__                                                                             \
    {                                                                                              \
        __builtin_trap();                                                                          \
    }

extern "C" int twk_launch_end_(uint64_t blocks, uint64_t dynamic, void *stream);
inline uint64_t twk_dynamic_(const void *pointer)
{
    return (uint64_t)pointer;
}
inline uint64_t twk_dynamic_(long long number)
{
    return (uint64_t)number;
}
template <typename number, typename dynamic = int>
inline int twk_launch_(number blocks, dynamic bytes = 0, void *stream = nullptr)
{
    static_assert(__is_integral(number) || __is_enum(number), "the number of blocks is an integer");
    return twk_launch_end_((uint64_t)blocks, twk_dynamic_(bytes), stream);
}

/* Assertions of kernels are not for the host. */
#define ASCC_ASCENDC_ASSERT
#define ASCENDC_ASSERT(...)
#endif

/* ---- prints and assertions ------------------------------------------------------------------- */

#ifdef TWK_DEVICE_
extern "C" {
void twk_print_values_(bool named, const char *format, uint32_t count,
                       const uint64_t *values) noexcept;
[[noreturn]] void twk_assert_fail_(const char *expression) noexcept;
}

/* As printf of the toolkit has its arguments: 64 bits, or those of FP32. Code of the host is parsed
 * here, too, so all that printf() takes must be taken. */
template <typename type>
TWK_INTRINSIC_ uint64_t twk_printed_(type value)
{
    if constexpr (__is_floating_point(type))
        return __builtin_bit_cast(uint32_t, (float)value);
    else if constexpr (__is_pointer(type))
        return (uint64_t)value;
    else
        return (uint64_t)(int64_t)value;
}

/* What a kernel that is no toolkit's calls, or that does not name the namespace. */
template <typename... types>
__attribute__((noinline)) int printf(const char *format, types... values)
{
#if !defined(ASCENDC_DUMP) || ASCENDC_DUMP != 0
    const uint64_t list[] = {twk_printed_(values)..., 0};
    twk_print_values_(true, format, sizeof...(values), list);
#endif
    return 0;
}

/* What the toolkit's assert() with a text calls. */
template <typename... types>
[[noreturn]] __attribute__((noinline)) void
__assert_fail_msg(const char *expression, const char *file, unsigned line, const char *function,
                  const char *format, types... values)
{
    const uint64_t place[] = {(uint64_t)file, line, (uint64_t)function, (uint64_t)expression};
    const uint64_t list[] = {twk_printed_(values)..., 0};
    twk_print_values_(true, "[ASSERT] %s:%u: %s: Assertion `%s' failed. ", 4, place);
    twk_print_values_(false, format, sizeof...(values), list);
    twk_assert_fail_(expression);
}
#else
template <typename... types>
[[noreturn]] inline void __assert_fail_msg(const char *, const char *, unsigned, const char *,
                                           const char *, types...)
{
    abort();
}
namespace AscendC
{
/* For sources that use the namespace: nearer than its own. */
template <typename first_type, typename... types>
inline int printf(const char *format, first_type first, types... values)
{
    return __builtin_printf(format, first, values...);
}
} // namespace AscendC
#endif

/* Functions of the toolkit that kernels call without the namespace, as the device's compiler has
 * it. */
namespace __asc_aicore
{
#define TWK_DUMP_(name, space)                                                                     \
    template <typename type>                                                                       \
    static __attribute__((noinline)) void name(space type *tensor, uint32_t label,                 \
                                               uint32_t count);
TWK_DUMP_(asc_dump, __gm__)
TWK_DUMP_(asc_dump, __ubuf__)
TWK_DUMP_(asc_dump, __cbuf__)
TWK_DUMP_(asc_dump, __cc__)
TWK_DUMP_(asc_dump, __biasbuf__)
TWK_DUMP_(asc_dump, __fbuf__)
TWK_DUMP_(asc_dump_gm, __gm__)
TWK_DUMP_(asc_dump_ubuf, __ubuf__)
TWK_DUMP_(asc_dump_l1buf, __cbuf__)
TWK_DUMP_(asc_dump_cbuf, __cc__)
#undef TWK_DUMP_
static __attribute__((noinline)) void asc_time_stamp(uint32_t label);
} // namespace __asc_aicore
using __asc_aicore::asc_dump;
using __asc_aicore::asc_dump_cbuf;
using __asc_aicore::asc_dump_gm;
using __asc_aicore::asc_dump_l1buf;
using __asc_aicore::asc_dump_ubuf;
using __asc_aicore::asc_time_stamp;

#include "twinrt_ascendc_instructions.h"

/* ---- the cores of a kernel ------------------------------------------------------------------- */

/* A statement in a kernel; the toolkit's own has no effect outside of its tools. */
#define __PLUGIN__KERNEL_TASK_TYPE_DEFAULT_DEFINED__
#define KERNEL_TASK_TYPE_DEFAULT(type) ::twk_runs_on_<(int)(type)>()

/* They do nothing: twinrt-cc finds which of them a kernel calls. */
#define TWK_RUNS_ON_                                                                               \
    extern "C" inline __attribute__((noinline, nodebug, no_sanitize("coverage"))) void
TWK_RUNS_ON_ twk_runs_on_cube_() noexcept
{
    __asm__ volatile("");
}
TWK_RUNS_ON_ twk_runs_on_vector_() noexcept
{
    __asm__ volatile("");
}
TWK_RUNS_ON_ twk_runs_on_both_1_() noexcept
{
    __asm__ volatile("");
}
TWK_RUNS_ON_ twk_runs_on_both_2_() noexcept
{
    __asm__ volatile("");
}
/* The numbers of the toolkit's KernelMetaType (K). */
template <int type>
TWK_INTRINSIC_ void twk_runs_on_()
{
    static_assert(type >= 0 && type <= 5,
                  "a 910B has the kernel types AIV_ONLY, AIC_ONLY, MIX_AIV_1_0, MIX_AIC_1_0, "
                  "MIX_AIC_1_1 and MIX_AIC_1_2");
    if constexpr (type == 0 || type == 2)
        twk_runs_on_vector_();
    else if constexpr (type == 1 || type == 3)
        twk_runs_on_cube_();
    else if constexpr (type == 4)
        twk_runs_on_both_1_();
    else
        twk_runs_on_both_2_();
}

/* ---- what needs no instruction of the model -------------------------------------------------- */

TWK_INTRINSIC_ int64_t bcnt0(uint64_t value)
{
    return 64 - __builtin_popcountll(value);
}
TWK_INTRINSIC_ int64_t bcnt1(uint64_t value)
{
    return __builtin_popcountll(value);
}
TWK_INTRINSIC_ int64_t clz(uint64_t value)
{
    return value == 0 ? 64 : __builtin_clzll(value);
}
/* The lowest bit that is 0, or 1; -1: none. */
TWK_INTRINSIC_ int64_t sff0(uint64_t value)
{
    return value == ~(uint64_t)0 ? -1 : __builtin_ctzll(~value);
}
TWK_INTRINSIC_ int64_t sff1(uint64_t value)
{
    return value == 0 ? -1 : __builtin_ctzll(value);
}
/* Bits below the sign that are equal to it. */
TWK_INTRINSIC_ int64_t sflbits(int64_t value)
{
    return __builtin_clrsbll(value);
}
TWK_INTRINSIC_ uint64_t sbitset0(uint64_t value, int64_t bit)
{
    return value & ~((uint64_t)1 << (bit & 63));
}
TWK_INTRINSIC_ uint64_t sbitset1(uint64_t value, int64_t bit)
{
    return value | (uint64_t)1 << (bit & 63);
}
TWK_INTRINSIC_ uint64_t get_imm(uint64_t value)
{
    return value;
}
/* UB is not cached. */
TWK_INTRINSIC_ void dcci(__ubuf__ void *, uint64_t) {}
TWK_INTRINSIC_ void dcci(__ubuf__ void *, uint64_t, uint64_t) {}

/* What get_sys_cnt() counts from. */
TWK_INTRINSIC_ uint64_t __get_entry_sys_cnt()
{
    return 0;
}

/* A number without a type is one of 32 bits. */
template <typename type>
TWK_INTRINSIC_ void create_cbuf_matrix(__cbuf__ type *dst, int64_t config, int value)
{
    create_cbuf_matrix(dst, config, (uint32_t)value);
}
template <typename type>
TWK_INTRINSIC_ void create_ca_matrix(__ca__ type *dst, int64_t config, int value)
{
    create_ca_matrix(dst, config, (uint32_t)value);
}
template <typename type>
TWK_INTRINSIC_ void create_cb_matrix(__cb__ type *dst, int64_t config, int value)
{
    create_cb_matrix(dst, config, (uint32_t)value);
}

/* One number, rounded as vconv_f322s32a and its like do it; what does not fit is saturated. */
TWK_INTRINSIC_ int32_t twk_saturated_(float value)
{
    return value >= 0x1p31f    ? INT32_MAX
           : value <= -0x1p31f ? INT32_MIN
           : value != value    ? 0
                               : (int32_t)value;
}
TWK_INTRINSIC_ int32_t conv_f322s32a(float value)
{
    return twk_saturated_(__builtin_roundf(value));
}
TWK_INTRINSIC_ int32_t conv_f322s32c(float value)
{
    return twk_saturated_(__builtin_ceilf(value));
}
TWK_INTRINSIC_ int32_t conv_f322s32f(float value)
{
    return twk_saturated_(__builtin_floorf(value));
}
TWK_INTRINSIC_ int32_t conv_f322s32r(float value)
{
    return twk_saturated_(__builtin_rintf(value));
}
/* To the odd one of the two halves around it. */
TWK_INTRINSIC_ half conv_f322f16o(float value)
{
    half near = (half)value;
    const float back = (float)near;
    unsigned short bits = __builtin_bit_cast(unsigned short, near);
    const bool magnified = __builtin_fabsf(back) > __builtin_fabsf(value);
    if (back == value || value != value)
        return near;
    if (magnified) /* to the one before, nearer to 0 */
        bits--;
    return __builtin_bit_cast(half, (unsigned short)(bits | 1));
}

/* Calls that headers have for the vendor's checkers. */
template <typename... types>
TWK_INTRINSIC_ void __sync_all_stub(types...)
{
}
template <typename... types>
TWK_INTRINSIC_ void __ib_set_stub(types...)
{
}
template <typename... types>
TWK_INTRINSIC_ void __ib_wait_stub(types...)
{
}
template <typename... types>
TWK_INTRINSIC_ void __mstx_dfx_report_stub(types...)
{
}

/* Where the library of a launch has its messages between cores. */
[[block_local]] inline __gm__ uint8_t *twk_workspace_;
TWK_INTRINSIC_ __gm__ uint8_t *__get_kfc_workspace_addr()
{
    return twk_workspace_;
}
TWK_INTRINSIC_ void __set_kfc_workspace_addr(__gm__ uint8_t *address)
{
    twk_workspace_ = address;
}

namespace bisheng
{
namespace cce
{
TWK_INTRINSIC_ void metrics_prof_start() {}
TWK_INTRINSIC_ void metrics_prof_stop() {}
} // namespace cce
} // namespace bisheng

template <typename... types>
TWK_INTRINSIC_ void asc_prof_start(types...)
{
}
template <typename... types>
TWK_INTRINSIC_ void asc_prof_stop(types...)
{
}

/* The smaller and the larger number; not templates, so that they are preferred to those of std. */
#define TWK_MIN_MAX_(type)                                                                         \
    TWK_INTRINSIC_ constexpr type min(type a, type b)                                              \
    {                                                                                              \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    TWK_INTRINSIC_ constexpr type max(type a, type b)                                              \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
TWK_MIN_MAX_(int)
TWK_MIN_MAX_(unsigned)
TWK_MIN_MAX_(long)
TWK_MIN_MAX_(unsigned long)
TWK_MIN_MAX_(float)
TWK_MIN_MAX_(half)

/* With its type given. */
template <typename type>
TWK_INTRINSIC_ void st_atomic(type value, __gm__ type *dst)
{
    static_assert(__is_same(type, half) || __is_same(type, float) || __is_same(type, bfloat16_t) ||
                      __is_same(type, int16_t) || __is_same(type, int32_t),
                  "st_atomic: half, float, bfloat16_t, int16_t or int32_t");
    st_atomic(value, dst);
}

/* The address of a tile that its source has placed itself. */
template <typename type>
TWK_INTRINSIC_ type __cce_get_tile_ptr(type tile)
{
    return tile;
}

namespace __cce_scalar
{
using ::addr_cal_mode_t;
} // namespace __cce_scalar

/* What reads of PC give. Code here has no address of the device; preload() takes any. */
TWK_INTRINSIC_ uint64_t twk_program_counter_()
{
    return 0;
}

/* With a pointer to the bias table. */
template <typename type>
TWK_INTRINSIC_ void copy_cbuf_to_bt(__biasbuf__ type *dst, __cbuf__ void *src, uint16_t convert,
                                    uint16_t burst_count, uint16_t burst_length, uint16_t src_gap,
                                    uint16_t dst_gap)
{
    copy_cbuf_to_bt((uint64_t)dst, src, convert, burst_count, burst_length, src_gap, dst_gap);
}

/* For const_cast of literals to __gm__, as twinrt-cc writes it. */
template <typename to, typename from>
TWK_INTRINSIC_ to twk_const_cast_(from *pointer)
{
    return (to)pointer;
}

/* `block_idx` and `block_num`, which kernels read like variables. The toolkit's printf calls
 * set_scalar_param for each value, and takes nothing from classes that do not have it. */
#define TWK_LIKE_VARIABLE_(name, value)                                                            \
    struct name {                                                                                  \
        TWK_INTRINSIC_ operator int64_t() const { return value; }                                  \
        friend void set_scalar_param(__gm__ uint8_t *values, uint32_t index, name number)          \
        {                                                                                          \
            ((__gm__ int64_t *)values)[index] = number;                                            \
        }                                                                                          \
    };
TWK_LIKE_VARIABLE_(twk_block_idx_, get_block_idx())
TWK_LIKE_VARIABLE_(twk_block_num_, get_block_num())
#undef TWK_LIKE_VARIABLE_
inline constexpr twk_block_idx_ block_idx{};
inline constexpr twk_block_num_ block_num{};

#endif
