/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiled kernel and the runtime know of each other: the records that name kernels, and the
 * table of operations that kernels call. Kernel authors include twinrt/kernel.h, which hides all of
 * it.
 *
 * Structures grow at their end alone. A table holds the functions of every version up to its
 * own. */
#ifndef TWINRT_KERNEL_IMAGE_H
#define TWINRT_KERNEL_IMAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TWK_VERSION     3u
#define TWK_IMAGE_MAGIC 0x4c4e524b4b575421ull /* "!TWKKRNL" */
#define TWK_HIDDEN      __attribute__((visibility("hidden")))

/* Which cores a kernel is for. */
enum { TWK_CORES_CUBE, TWK_CORES_VECTOR, TWK_CORES_MIXED };

/* One parameter of a kernel. */
typedef struct twk_param {
    uint32_t offset; /* in the structure of arguments */
    uint32_t bytes;
} twk_param;

typedef struct twk_params {
    uint32_t count;
    const twk_param *list;
} twk_params;

typedef struct twk_schedule {
    uint32_t batch; /* 1: no block begins before there are cores for all */
} twk_schedule;

/* A kernel, as TWK_VECTOR_KERNEL and its like write it. */
typedef struct twk_kernel_entry {
    uint32_t size;    /* of this structure as the author's compiler knew it */
    uint32_t version; /* TWK_VERSION of then */
    const char *name;
    uint32_t cores; /* TWK_CORES_… */
    uint32_t cube_ratio,
        vector_ratio;                 /* of a mixed kernel: cores of each kind in a block; else 0 */
    uint32_t args_bytes;              /* that the kernel reads; 0: none */
    void (*cube)(const void *args);   /* CUBE and MIXED, else NULL */
    void (*vector)(const void *args); /* VECTOR and MIXED, else NULL */
    const twk_params *params;         /* NULL: not given */
    const twk_schedule *schedule;     /* NULL: not given */
    const char *title;                /* for messages, if `name` is a mangled one; NULL: `name` */
} twk_kernel_entry;

/* What all authors' compilers knew of it. */
#define TWK_ENTRY_LEAST offsetof(twk_kernel_entry, title)

/* How messages name the kernel. */
static inline const char *twk_title_of(const twk_kernel_entry *entry)
{
    return entry->size >= sizeof(*entry) && entry->title ? entry->title : entry->name;
}

/* A variable in device memory, as TWK_VARIABLE writes it. */
typedef struct twk_variable_entry {
    uint32_t size; /* of this structure as the author's compiler knew it */
    uint32_t reserved;
    const char *name;
    uint64_t bytes;
    const void *initial; /* as many bytes: what an image has when it is loaded */
} twk_variable_entry;

/* The one symbol that a shared object of kernels exports: `const struct twk_image twk_image`. */
struct twk_ops;
struct twk_image {
    uint64_t magic;     /* TWK_IMAGE_MAGIC */
    uint32_t size;      /* of this structure */
    uint32_t version;   /* TWK_VERSION */
    uint32_t ops_bytes; /* of the table of operations that its code may use */
    uint32_t reserved;  /* 0 */
    const twk_kernel_entry *const *begin, *const *end;
    const struct twk_ops *
        *ops; /* where the runtime puts its table; NULL in there: nothing may run */
    const twk_variable_entry *const *variables, *const *variables_end; /* for twinrt-cc alone */
};

/* ---- what is counted ------------------------------------------------------------------------- */

/* Kernels run on stacks of this size, aligned to it. What counts their basic blocks is found from
 * the stack's address: at its end is a twk_count. */
#define TWK_STACK_BYTES ((uintptr_t)1 << 18)

typedef struct twk_count {
    uint64_t blocks; /* that have run */
    uint64_t most;   /* then `spent` is called */
} twk_count;

/* ---- operations ------------------------------------------------------------------------------ */

typedef struct twk_place {
    uint32_t block, blocks;   /* which block, of how many */
    uint32_t vector, vectors; /* in a mixed block: which vector core, of how many; else 0, 1 */
    uint32_t is_cube;         /* 1: a cube core */
} twk_place;

/* A copy of rows between global memory and a buffer, or between two buffers. */
typedef struct twk_copy {
    uint8_t way;    /* TWK_WAY_… */
    uint8_t atomic; /* TWK_ATOMIC_…, of a copy to global memory */
    uint8_t type;   /* of elements, for atomic and padding */
    uint8_t once;   /* 1: L2 is not to keep what is read or written in global memory */
    uint32_t local; /* offset in the buffer */
    uint32_t other; /* the source's, of TWK_WAY_UB_TO_UB */
    uint32_t rows;
    uint32_t bytes;       /* of a row */
    uint32_t local_pitch; /* from row to row in the buffer */
    uint64_t gm;
    uint64_t gm_pitch;
    uint32_t left, right; /* elements of padding around each row in the buffer */
    double fill;          /* what they are */
} twk_copy;

enum {
    TWK_WAY_GM_TO_UB,
    TWK_WAY_UB_TO_GM,
    TWK_WAY_GM_TO_L1,
    TWK_WAY_UB_TO_UB,
    TWK_WAY_MATRIX_TO_L1 /* rows of a matrix to its layout in L1 */
};

/* L1 to L0A or L0B. */
typedef struct twk_feed {
    uint8_t right; /* 0: L0A, 1: L0B */
    uint8_t type;
    uint8_t transposed; /* the matrix in L1 is the other way round */
    uint8_t reserved;
    uint32_t to;            /* offset in L0A or L0B */
    uint32_t from;          /* offset of the matrix in L1 */
    uint32_t rows, columns; /* of all of that matrix */
    uint32_t row, column;   /* where the part begins: 16, and 32 bytes, are the units */
    uint32_t height, width; /* of the part, as it is in L0 */
} twk_feed;

typedef struct twk_product {
    uint8_t type;       /* of both operands */
    uint8_t accumulate; /* 0: the result begins with 0 */
    uint16_t reserved;
    uint32_t c, a, b; /* offsets in L0C, L0A, L0B */
    uint32_t m, n, k;
} twk_product;

/* What leaves L0C, and how it is changed on the way. */
typedef struct twk_result {
    uint8_t target; /* TWK_TO_… */
    uint8_t from;   /* type in L0C: FP32 or INT32 */
    uint8_t type;   /* of what is stored */
    uint8_t atomic;
    uint32_t c; /* offset in L0C */
    uint32_t m, n;
    uint32_t local; /* offset in L1 or UB */
    uint32_t relu;  /* 1: what is negative becomes 0 */
    uint64_t gm;
    uint64_t pitch; /* bytes from row to row in global memory or UB; rows of the matrix in L1 */
    float scale;    /* INT32 to FP16, and to INT8: the factor */
    uint32_t reserved;
} twk_result;

enum { TWK_TO_GM, TWK_TO_L1, TWK_TO_UB };

/* An operation of the vector unit. */
typedef struct twk_vector {
    uint8_t op;               /* TWK_OP_… */
    uint8_t type;             /* of elements */
    uint8_t to;               /* CAST: the type of the result */
    uint8_t mode;             /* CAST: TWK_ROUND_…; COMPARE: TWK_LT … */
    uint32_t dst, a, b, mask; /* offsets in UB */
    uint32_t count;           /* elements; of a row when there are rows */
    uint32_t rows;            /* 0: no rows */
    uint32_t pitch;           /* elements from row to row */
    double scalar;
} twk_vector;

/* Never renumbered: compiled kernels hold these. */
enum {
    TWK_OP_ADD,
    TWK_OP_SUB,
    TWK_OP_MUL,
    TWK_OP_DIV,
    TWK_OP_MAX,
    TWK_OP_MIN,
    TWK_OP_AND,
    TWK_OP_OR,
    TWK_OP_XOR,
    TWK_OP_ABS,
    TWK_OP_EXP,
    TWK_OP_LN,
    TWK_OP_SQRT,
    TWK_OP_RSQRT,
    TWK_OP_RECIPROCAL,
    TWK_OP_RELU,
    TWK_OP_NOT,
    TWK_OP_ADDS,
    TWK_OP_MULS,
    TWK_OP_MAXS,
    TWK_OP_MINS,
    TWK_OP_SHL,
    TWK_OP_SHR,
    TWK_OP_AXPY,
    TWK_OP_MULADD,
    TWK_OP_COMPARE,
    TWK_OP_COMPARES,
    TWK_OP_SELECT,
    TWK_OP_SELECTS,
    TWK_OP_CAST,
    TWK_OP_DUPLICATE,
    TWK_OP_INDEX,
    TWK_OP_GATHER,
    TWK_OP_REDUCE_SUM,
    TWK_OP_REDUCE_MAX,
    TWK_OP_REDUCE_MIN,
    TWK_OP_ROW_ADD,
    TWK_OP_ROW_SUB,
    TWK_OP_ROW_MUL,
    TWK_OP_ROW_DIV,
    TWK_OP_COUNT
};

/* Where an address points. The scalar unit reads and writes the first two alone. */
enum {
    TWK_SPACE_GM,
    TWK_SPACE_UB,
    TWK_SPACE_L1,
    TWK_SPACE_L0A,
    TWK_SPACE_L0B,
    TWK_SPACE_L0C,
    TWK_SPACE_BIAS,
    TWK_SPACE_FIXPIPE,
    TWK_SPACES
};

typedef enum twk_type {
    TWK_INT8,
    TWK_INT16,
    TWK_INT32,
    TWK_UINT8,
    TWK_UINT16,
    TWK_UINT32,
    TWK_FP16,
    TWK_FP32,
    TWK_BF16
} twk_type;

/* Types of elements that instructions have beside those, and none. */
enum { TWK_INT64 = 9, TWK_UINT64 = 10, TWK_NO_TYPE = 255 };

/* An instruction of the device's compiler, with a number of twinrt/kernel_instructions.h. */
typedef struct twk_instruction {
    uint16_t number;
    uint8_t count; /* of arguments */
    uint8_t reserved;
    /* Of the elements that its pointers point to, and of its scalars that are FP16, BF16 or FP32,
     * in the order of parameters; the rest is TWK_NO_TYPE, and so are pointers to void. */
    uint8_t types[4];
    /* In their order: pointers as addresses in their space, FP16, BF16 and FP32 as their bits,
     * integers extended to 64 bits. An array of pointers is that many arguments, and one type. */
    uint64_t arguments[20];
} twk_instruction;

/* Where headers of Ascend C put what they print, instead of in memory that the device has. */
#define TWK_PRINT_BUFFER       ((uint64_t)1 << 56)
#define TWK_PRINT_BUFFER_BYTES ((uint64_t)1 << 28)

typedef struct twk_ops {
    uint32_t size;    /* of this table */
    uint32_t version; /* TWK_VERSION of the runtime */
    /* All stacks of kernels are in here: code that runs on another is not counted. */
    uintptr_t stacks, stacks_bytes;
    const twk_place *(*place)(void);
    uint32_t (*buffer_bytes)(uint32_t buffer);
    void (*copy)(const twk_copy *copy);
    void (*feed)(const twk_feed *feed);
    void (*multiply)(const twk_product *product);
    void (*result)(const twk_result *result);
    void (*vector)(const twk_vector *vector);
    double (*get)(uint32_t space, uint32_t type, uint64_t at);
    void (*put)(uint32_t space, uint32_t type, uint64_t at, double value);
    uint64_t (*get_word)(uint64_t gm); /* 64 bits of global memory */
    void (*put_word)(uint64_t gm, uint64_t value);
    void (*set_flag)(uint32_t from, uint32_t to, uint32_t flag);
    void (*wait_flag)(uint32_t from, uint32_t to, uint32_t flag);
    void (*barrier)(uint32_t pipe);
    void (*cross_core_set_flag)(uint32_t pipe, uint32_t flag);
    void (*cross_core_wait_flag)(uint32_t pipe, uint32_t flag);
    void (*print)(const char *format, va_list args);
    void (*trap)(const char *text); /* does not return */
    void (*spent)(void);            /* as many basic blocks have run as may; may not return */
    void (*cross_core_set_flag_mode)(uint32_t mode, uint32_t pipe, uint32_t flag);
    void (*sync_all)(bool vectors_only);
    void (*cache_clean)(uint64_t gm, bool entire);
    /* Its result; 0 if it has none. */
    uint64_t (*instruct)(const twk_instruction *instruction);
    /* The scalar unit reads or writes through a pointer: bytes in a TWK_SPACE_…, whose address is a
     * multiple of `align` up to 8. `type`: of an element, or TWK_NO_TYPE. */
    void (*load)(uint32_t space, uint32_t type, uint32_t align, uint64_t address, uint64_t bytes,
                 void *to);
    void (*store)(uint32_t space, uint32_t type, uint32_t align, uint64_t address, uint64_t bytes,
                  const void *from);
    /* Variables that each core has for itself: of as many bytes, which begin with `initial` in each
     * block. */
    void *(*core_variables)(const void *initial, uint64_t bytes);
    /* Prints a text; `named`: after the core that prints it. Values are integers extended to 64
     * bits, bits of FP32, or addresses; of strings, too. */
    void (*print_values)(bool named, const char *format, uint32_t count, const uint64_t *values);
} twk_ops;

/* The table, once the runtime has given it. */
extern TWK_HIDDEN const twk_ops *twk_slot;

#ifdef __cplusplus
}
#endif
#endif
