/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in C or C++ for the model's AI cores, compiled by the host's compiler.
 *
 *   #include <twinrt/kernel.h>
 *
 *   struct add_args { twk_gm x, y, z; uint32_t count; };
 *
 *   TWK_VECTOR_KERNEL(add, struct add_args, args)
 *   {
 *       const uint32_t share = args->count / twk_blocks(), first = share * twk_block();
 *       const twk_ub x = twk_ub_at(0), y = twk_ub_at(32768);
 *       twk_load(x, args->x + first * 4, share * 4);
 *       twk_load(y, args->y + first * 4, share * 4);
 *       twk_set_flag(TWK_MTE2, TWK_V, 0);
 *       twk_wait_flag(TWK_MTE2, TWK_V, 0);
 *       twk_add(TWK_FP32, x, x, y, share);
 *       twk_set_flag(TWK_V, TWK_MTE3, 0);
 *       twk_wait_flag(TWK_V, TWK_MTE3, 0);
 *       twk_store(args->z + first * 4, x, share * 4);
 *   }
 *
 * A kernel runs once for each block, on its own core. What it calls here goes into the queue of a
 * pipe: the pipes run side by side, each in order, and flags and barriers order them. The functions
 * work in the order in which they are called, so that a kernel which forgets a flag computes what
 * it should; but its time is wrong, and the missing flag is reported. runtime/docs/kernels.md is
 * the manual: what each function does to the bit, what it costs, limits.
 *
 * Offsets in buffers are bytes and multiples of 32, unless stated otherwise. Counts are
 * elements. */
#ifndef TWINRT_KERNEL_H
#define TWINRT_KERNEL_H

#include "twinrt/kernel_image.h"

#ifdef __cplusplus
#define TWK_EXTERN extern "C"
#define TWK_ZERO_                                                                                  \
    {                                                                                              \
    }
extern "C" {
#else
#define TWK_EXTERN extern
#define TWK_ZERO_                                                                                  \
    {                                                                                              \
        0                                                                                          \
    }
#endif

/* ---- types ----------------------------------------------------------------------------------- */

typedef uint64_t twk_gm; /* an address of device memory, as aclrtMalloc gives it */

/* Offsets in the buffers of a core. */
typedef struct twk_ub {
    uint32_t at;
} twk_ub;
typedef struct twk_l1 {
    uint32_t at;
} twk_l1;
typedef struct twk_l0a {
    uint32_t at;
} twk_l0a;
typedef struct twk_l0b {
    uint32_t at;
} twk_l0b;
typedef struct twk_l0c {
    uint32_t at;
} twk_l0c;

/* clang-format off */
static inline twk_ub twk_ub_at(uint32_t at)   { const twk_ub place = {at}; return place; }
static inline twk_l1 twk_l1_at(uint32_t at)   { const twk_l1 place = {at}; return place; }
static inline twk_l0a twk_l0a_at(uint32_t at) { const twk_l0a place = {at}; return place; }
static inline twk_l0b twk_l0b_at(uint32_t at) { const twk_l0b place = {at}; return place; }
static inline twk_l0c twk_l0c_at(uint32_t at) { const twk_l0c place = {at}; return place; }
/* clang-format on */

typedef enum twk_buffer { TWK_UB, TWK_L1, TWK_L0A, TWK_L0B, TWK_L0C } twk_buffer;

static inline uint32_t twk_bytes_of(twk_type type)
{
    return type == TWK_INT8 || type == TWK_UINT8                         ? 1
           : type == TWK_INT32 || type == TWK_UINT32 || type == TWK_FP32 ? 4
                                                                         : 2;
}

typedef enum twk_pipe {
    TWK_S,    /* scalar: the kernel's own code; twk_get and twk_put */
    TWK_V,    /* vector unit */
    TWK_M,    /* cube */
    TWK_MTE1, /* L1 to L0A and L0B */
    TWK_MTE2, /* into the core: global memory to UB and L1 */
    TWK_MTE3, /* out of the core: UB to global memory */
    TWK_FIX,  /* results of the cube: L0C to global memory, L1, UB */
    TWK_ALL   /* of twk_barrier */
} twk_pipe;

/* Whose flags a core sets, and with whom: modeId of CrossCoreSetFlag. */
typedef enum twk_mode {
    TWK_MODE_ALL,     /* of all cores of its kind in the launch, once each of them has */
    TWK_MODE_VECTORS, /* of the vector cores of its block, once each of them has */
    TWK_MODE_BLOCK    /* between the cube core and the vector cores of its block */
} twk_mode;

typedef enum twk_atomic {
    TWK_ATOMIC_NONE,
    TWK_ATOMIC_ADD,
    TWK_ATOMIC_MAX,
    TWK_ATOMIC_MIN
} twk_atomic;

typedef enum twk_relation { TWK_LT, TWK_LE, TWK_EQ, TWK_NE, TWK_GE, TWK_GT } twk_relation;

typedef enum twk_round {
    TWK_ROUND_EVEN, /* to the nearest, of two to the even one */
    TWK_ROUND_AWAY, /* to the nearest, of two away from 0 */
    TWK_ROUND_FLOOR,
    TWK_ROUND_CEIL,
    TWK_ROUND_TRUNC,
    TWK_ROUND_ODD /* FP32 to FP16: of the two around it the odd one */
} twk_round;

/* The kernel fails here, with this text. */
TWK_HIDDEN void twk_stop(const char *text) __attribute__((noreturn));

/* ---- kernels --------------------------------------------------------------------------------- */

/* The type of arguments of a kernel that has none. Structures of arguments have 2 bytes or more. */
typedef struct twk_none {
    uint8_t none;
} twk_none;

#ifdef __cplusplus
} /* of "C": templates have no place there */
template <typename args_type>
struct twk_is_none_ {
    static const bool value = __is_empty(args_type);
};
template <>
struct twk_is_none_<twk_none> {
    static const bool value = true;
};
extern "C" {
#define TWK_ASSERT_        static_assert
#define TWK_IS_NONE_(type) twk_is_none_<type>::value
#else
#define TWK_ASSERT_        _Static_assert
#define TWK_IS_NONE_(type) __builtin_types_compatible_p(type, twk_none)
#endif

#define TWK_KERNEL_(kernel, args_type, kind, cubes, vectors, cube_fn, vector_fn)                   \
    TWK_ASSERT_(sizeof(args_type) != sizeof(twk_none) || TWK_IS_NONE_(args_type),                  \
                "arguments of one byte: give the structure 2 bytes or more, or take twk_none");    \
    TWK_EXTERN const twk_params twk_params_##kernel __attribute__((weak)) TWK_HIDDEN;              \
    TWK_EXTERN const twk_schedule twk_schedule_##kernel __attribute__((weak)) TWK_HIDDEN;          \
    TWK_EXTERN const twk_kernel_entry twk_kernel_##kernel TWK_HIDDEN;                              \
    const twk_kernel_entry twk_kernel_##kernel = {                                                 \
        sizeof(twk_kernel_entry),                                                                  \
        TWK_VERSION,                                                                               \
        #kernel,                                                                                   \
        kind,                                                                                      \
        cubes,                                                                                     \
        vectors,                                                                                   \
        sizeof(args_type) == sizeof(twk_none) ? 0u : (uint32_t)sizeof(args_type),                  \
        cube_fn,                                                                                   \
        vector_fn,                                                                                 \
        &twk_params_##kernel,                                                                      \
        &twk_schedule_##kernel,                                                                    \
        0};                                                                                        \
    static const twk_kernel_entry *const twk_listed_##kernel                                       \
        __attribute__((used, section("twk_kernels"))) = &twk_kernel_##kernel

/* A variable in device memory, whose copy on each device begins with the values given: a type
 * without pointers, and an initializer in braces. The host reaches it with aclrtBinaryGetGlobal or
 * as a symbol (twinrt/symbol.h); a kernel is passed its address. */
#define TWK_VARIABLE(type, variable, ...)                                                          \
    static const type twk_initial_##variable                = __VA_ARGS__;                         \
    static const twk_variable_entry twk_variable_##variable = {                                    \
        sizeof(twk_variable_entry), 0, #variable, sizeof(type), &twk_initial_##variable};          \
    static const twk_variable_entry *const twk_listed_variable_##variable                          \
        __attribute__((used, section("twk_variables"))) = &twk_variable_##variable

#ifdef __cpp_exceptions
/* An exception that a kernel does not catch fails the kernel. What is here for that is not counted:
 * kernels that throw nothing take the same time as without. */
#if defined(__clang__)
#define TWK_UNCOUNTED_ __attribute__((unused, noinline, no_sanitize("coverage")))
#elif __has_attribute(no_sanitize_coverage)
#define TWK_UNCOUNTED_ __attribute__((unused, noinline, no_sanitize_coverage))
#else /* gcc 11 and older: a few basic blocks for each block of a kernel */
#define TWK_UNCOUNTED_ __attribute__((unused, noinline))
#endif
static TWK_UNCOUNTED_ bool twk_throws_(void (*body)(const void *args), const void *args)
{
    __asm__("" : "+r"(body)); /* what it calls is not known: nothing of it moves in here, or away */
    try {
        body(args);
        return false;
    } catch (...) {
        return true; /* it is released before the kernel ends */
    }
}
#define TWK_BODY_(body, args_type, args)                                                           \
    static void body##_body(const args_type *args);                                                \
    static __attribute__((noinline)) void body##_counted(const void *twk_raw)                      \
    {                                                                                              \
        body##_body((const args_type *)twk_raw);                                                   \
    }                                                                                              \
    static TWK_UNCOUNTED_ void body##_run(const void *twk_raw)                                     \
    {                                                                                              \
        if (twk_throws_(body##_counted, twk_raw))                                                  \
            twk_stop("an exception that the kernel does not catch");                               \
    }
#else
#define TWK_BODY_(body, args_type, args)                                                           \
    static void body##_body(const args_type *args);                                                \
    static void body##_run(const void *twk_raw)                                                    \
    {                                                                                              \
        body##_body((const args_type *)twk_raw);                                                   \
    }
#endif

#define TWK_REST_(body, args_type, args)                                                           \
    static void body##_body(const args_type *args __attribute__((unused)))

/* A kernel that runs on vector cores; its body follows. `kernel` is the name by which programs find
 * it, unique in an image; `args` names the pointer to its structure of arguments. */
#define TWK_VECTOR_KERNEL(kernel, args_type, args)                                                 \
    TWK_BODY_(twk_vector_##kernel, args_type, args)                                                \
    TWK_KERNEL_(kernel, args_type, TWK_CORES_VECTOR, 0, 0, NULL, twk_vector_##kernel##_run);       \
    TWK_REST_(twk_vector_##kernel, args_type, args)

/* A kernel for cube cores. Where vector units are not separate cores it has the vector unit too. */
#define TWK_CUBE_KERNEL(kernel, args_type, args)                                                   \
    TWK_BODY_(twk_cube_##kernel, args_type, args)                                                  \
    TWK_KERNEL_(kernel, args_type, TWK_CORES_CUBE, 0, 0, twk_cube_##kernel##_run, NULL);           \
    TWK_REST_(twk_cube_##kernel, args_type, args)

/* A mixed kernel is two halves, each with a body, and then the kernel itself: a block has a cube
 * core and `vectors` vector cores, as many as the part has to a cube core. The halves synchronize
 * by twk_cross_core_set_flag and twk_cross_core_wait_flag. */
#define TWK_CUBE_HALF(kernel, args_type, args)                                                     \
    TWK_BODY_(twk_cube_##kernel, args_type, args)                                                  \
    TWK_REST_(twk_cube_##kernel, args_type, args)
#define TWK_VECTOR_HALF(kernel, args_type, args)                                                   \
    TWK_BODY_(twk_vector_##kernel, args_type, args)                                                \
    TWK_REST_(twk_vector_##kernel, args_type, args)
#define TWK_MIX_KERNEL(kernel, args_type, vectors)                                                 \
    TWK_KERNEL_(kernel, args_type, TWK_CORES_MIXED, 1, vectors, twk_cube_##kernel##_run,           \
                twk_vector_##kernel##_run)

/* Once per kernel that requires it, anywhere in its file: no block begins before there are cores
 * for all. */
#define TWK_BATCH(kernel)                                                                          \
    TWK_EXTERN const twk_schedule twk_schedule_##kernel __attribute__((weak)) TWK_HIDDEN;          \
    const twk_schedule twk_schedule_##kernel = {1}

/* Likewise: the parameters in order, for programs that build arguments one by one.
 * TWK_PARAMS(add, TWK_PARAM(struct add_args, x), TWK_PARAM(struct add_args, y)); */
#define TWK_PARAM(args_type, member)                                                               \
    {                                                                                              \
        (uint32_t) offsetof(args_type, member), (uint32_t)sizeof(((args_type *)0)->member)         \
    }
#define TWK_PARAMS(kernel, ...)                                                                    \
    static const twk_param twk_param_list_##kernel[] = {__VA_ARGS__};                              \
    TWK_EXTERN const twk_params twk_params_##kernel __attribute__((weak)) TWK_HIDDEN;              \
    const twk_params twk_params_##kernel = {sizeof(twk_param_list_##kernel) / sizeof(twk_param),   \
                                            twk_param_list_##kernel}

/* ---- where a kernel runs --------------------------------------------------------------------- */

/* Number of this block, and how many there are. In a mixed kernel both halves count blocks of a
 * cube core. */
static inline uint32_t twk_block(void)
{
    return twk_slot->place()->block;
}
static inline uint32_t twk_blocks(void)
{
    return twk_slot->place()->blocks;
}
/* Number of this vector core in its mixed block, and how many these are. Elsewhere 0 and 1. */
static inline uint32_t twk_vector_index(void)
{
    return twk_slot->place()->vector;
}
static inline uint32_t twk_vectors(void)
{
    return twk_slot->place()->vectors;
}
/* Size of a buffer of this core; 0: it has none. */
static inline uint32_t twk_size(twk_buffer buffer)
{
    return twk_slot->buffer_bytes((uint32_t)buffer);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* `from` sets the flag once it has done what is in its queue; `to` goes on with what comes after
 * the wait once the flag is set, and clears it. Each pair of pipes has 8 flags, 0 to 7. */
static inline void twk_set_flag(twk_pipe from, twk_pipe to, uint32_t flag)
{
    twk_slot->set_flag((uint32_t)from, (uint32_t)to, flag);
}
static inline void twk_wait_flag(twk_pipe from, twk_pipe to, uint32_t flag)
{
    twk_slot->wait_flag((uint32_t)from, (uint32_t)to, flag);
}
/* TWK_ALL: the scalar unit waits until all pipes are done. One pipe: what comes later in it begins
 * when what came before is done, which is so anyway. */
static inline void twk_barrier(twk_pipe pipe)
{
    twk_slot->barrier((uint32_t)pipe);
}
/* Mixed kernels, flags 0 to 15. The cube core sets a flag for all vector cores of its block, a
 * vector core for the cube core, once `pipe` has done what is in its queue. `pipe` of the other
 * side waits; the cube core until each vector core has set it. */
static inline void twk_cross_core_set_flag(twk_pipe pipe, uint32_t flag)
{
    twk_slot->cross_core_set_flag((uint32_t)pipe, flag);
}
static inline void twk_cross_core_wait_flag(twk_pipe pipe, uint32_t flag)
{
    twk_slot->cross_core_wait_flag((uint32_t)pipe, flag);
}

/* The same in each of the three modes. With TWK_MODE_ALL, which is for every kernel on a part with
 * separate vector cores, launch no more blocks than run at once: those that wait keep their cores.
 * What blocks have written before their sets is seen by all when the flag is set. */
static inline void twk_cross_core_set_flag_mode(twk_mode mode, twk_pipe pipe, uint32_t flag)
{
    twk_slot->cross_core_set_flag_mode((uint32_t)mode, (uint32_t)pipe, flag);
}
/* All cores of the launch go on when each has come to here and done what is in its queues. Takes
 * flags 11 to 14. `vectors_only`: the vector cores do, and cube cores do not call it. */
static inline void twk_sync_all(bool vectors_only)
{
    twk_slot->sync_all(vectors_only);
}
/* What the scalar unit wrote to global memory (twk_gm_put, twk_gm_set_word) leaves its data cache:
 * from the address to the end of its line of 64 bytes, or, `entire`, all of it. Before that other
 * blocks may not see it. */
static inline void twk_dcci(twk_gm at, bool entire)
{
    twk_slot->cache_clean(at, entire);
}

/* ---- scalar ---------------------------------------------------------------------------------- */

/* One element of UB or of global memory, aligned to its size. A double holds each of the types
 * exactly; what is put is rounded to the nearest, and cut off at the ends of integer types. */
static inline double twk_get(twk_type type, twk_ub at)
{
    return twk_slot->get(TWK_SPACE_UB, (uint32_t)type, at.at);
}
static inline void twk_put(twk_type type, twk_ub at, double value)
{
    twk_slot->put(TWK_SPACE_UB, (uint32_t)type, at.at, value);
}
static inline double twk_gm_get(twk_type type, twk_gm at)
{
    return twk_slot->get(TWK_SPACE_GM, (uint32_t)type, at);
}
static inline void twk_gm_put(twk_type type, twk_gm at, double value)
{
    twk_slot->put(TWK_SPACE_GM, (uint32_t)type, at, value);
}
/* 64 bits, at a multiple of 8. */
static inline uint64_t twk_gm_word(twk_gm at)
{
    return twk_slot->get_word(at);
}
static inline void twk_gm_set_word(twk_gm at, uint64_t value)
{
    twk_slot->put_word(at, value);
}

/* ---- messages and ends ----------------------------------------------------------------------- */

/* Prints to the standard output of the program, as printf() does. Takes no time of the core. */
TWK_HIDDEN void twk_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define twk_trap()    twk_stop("trap")
#define TWK_TEXT_(x)  #x
#define TWK_TEXT(x)   TWK_TEXT_(x)
#define twk_assert(x) ((x) ? (void)0 : twk_stop(__FILE__ ":" TWK_TEXT(__LINE__) ": " #x))

#ifdef __cplusplus
}
#endif

#include "twinrt/kernel_ops.h"

#endif
