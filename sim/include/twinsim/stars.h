/* SPDX-License-Identifier: Apache-2.0 */
/* Data sheet of the modelled STARS v1 scheduler (Ascend910B class): entry layouts, types,
 * registers.
 *
 * Everything is little endian. A bit field is given as (shift, width) within a 32-bit word. Each
 * group says whether the layout is [known], [inferred] or [assumed]; see sim/docs/timing.md for the
 * sources. */
#ifndef TWINSIM_STARS_H
#define TWINSIM_STARS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A submission queue entry: 16 words. [known] */
typedef struct stars_sqe {
    uint32_t word[16];
} stars_sqe;

/* SQE types. [known] */
enum stars_sqe_type {
    STARS_SQE_AICORE = 0,
    STARS_SQE_AICPU = 1,
    STARS_SQE_PLACEHOLDER = 3,
    STARS_SQE_EVENT_RECORD = 4,
    STARS_SQE_EVENT_WAIT = 5,
    STARS_SQE_NOTIFY_RECORD = 6,
    STARS_SQE_NOTIFY_WAIT = 7,
    STARS_SQE_WRITE_VALUE = 8,
    STARS_SQE_SDMA = 11,
    STARS_SQE_DSA = 15, /* random numbers */
    STARS_SQE_PCIE_DMA = 17,
    STARS_SQE_COND = 20,
    STARS_SQE_INVALID = 63
};

/* Header: words 0, 1 and the credit byte of word 3. [known] */
#define STARS_W0_TYPE_SHIFT      0u
#define STARS_W0_TYPE_MASK       0x3fu
#define STARS_W0_IE_SHIFT        8u  /* 2 bits: 0 none, 1 TS CPU, 2 control CPU, 3 host */
#define STARS_W0_PRE_P_SHIFT     10u /* 2 bits: hold before execution, interrupt that target */
#define STARS_W0_POST_P_SHIFT    12u /* 2 bits: hold after execution */
#define STARS_W0_WR_CQE          (1u << 14)
#define STARS_W0_BLOCK_DIM_SHIFT 16u
#define STARS_TARGET_TS_CPU      1u /* of ie, pre_p and post_p */
#define STARS_W1_STREAM_SHIFT    0u
#define STARS_W1_TASK_SHIFT      16u
#define STARS_W3_CREDIT_SHIFT    16u /* 8 bits; 255: never times out */
#define STARS_CREDIT_NEVER       255u

/* Event record / wait: word 2 bits 15:0 event id; wait: word 5 timeout in seconds (0: none).
 * [known] Notify record / wait: word 2 bits 12:0 notify id, 16:0 on the 950, which the model takes
 * on both; wait: word 4 timeout in seconds (0: none). [known] */
#define STARS_W2_EVENT_MASK       0xffffu
#define STARS_W2_NOTIFY_MASK      0x1ffffu
#define STARS_EVENT_TIMEOUT_WORD  5u
#define STARS_NOTIFY_TIMEOUT_WORD 4u
/* Counting notify record / wait (950): the same types with word 2 bit 30 set; wait: bit 31 clears
 * the count. [known] Word 5 the mode or relation, word 6 the value. [assumed: the known layout has
 * no room for all of them] */
#define STARS_W2_COUNT         (1u << 30)
#define STARS_W2_COUNT_CLEAR   (1u << 31)
#define STARS_COUNT_MODE_WORD  5u
#define STARS_COUNT_VALUE_WORD 6u
enum stars_count_mode { STARS_COUNT_SET, STARS_COUNT_ADD, STARS_COUNT_OR, STARS_COUNT_AND };
enum stars_count_relation {
    STARS_COUNT_LESS,
    STARS_COUNT_EQUAL,
    STARS_COUNT_GREATER,
    STARS_COUNT_GREATER_OR_EQUAL,
    STARS_COUNT_MASK /* all bits of the value are set */
};
#define STARS_TIMEOUT_UNIT_NS 1000000000u

/* Write value: word 4 + word 5 bits 16:0 address (49 bit); word 5 bits 22:20 size code (bytes = 1
 * << code, 0..5), bit 31 virtual address; word 7 sub-type; words 8..15 data. [known] A physical
 * address of an entry of the event or notify tables (below) reaches the entry. Event reset: size
 * code 0, data 0, the event id in word 6, which the model ignores. [known] */
#define STARS_W5_SIZE_SHIFT       20u
#define STARS_W5_VIRTUAL          (1u << 31)
#define STARS_EVENT_RESET_ID_WORD 6u
enum stars_write_value {
    STARS_WRITE_VALUE_GENERIC = 0,
    STARS_WRITE_VALUE_EVENT_RESET = 1,
    STARS_WRITE_VALUE_RDMA_DOORBELL = 2,      /* as generic */
    STARS_WRITE_VALUE_NOTIFY_RECORD = 3,      /* of another device, not over PCIe: as generic */
    STARS_WRITE_VALUE_NOTIFY_RECORD_PCIE = 4, /* the same over PCIe */
    STARS_WRITE_VALUE_END
};

/* SDMA: word 4 opcode 7:0 (low nibble operation, high nibble data type). [known] Two forms of the
 * rest:
 *
 * The long form: word 7 length, words 8-9 source, 10-11 destination. [known] One entry moves 1 ..
 * 2^32 - 1 bytes; software cuts longer copies. Fill takes the byte from word 8 bits 7:0, or
 * with the type uint32 all of word 8, again and again. [assumed for v1 parts]
 *
 * The short form: word 4 bits 15:14 stride mode, words 8-9 source, 10-11 destination, 12 length.
 * [known for the lite parts and the 950; that word 4 bit 30, "format", chooses it on others, is
 * assumed]
 *   rows:   12 bytes of a row, 13 and 14 from one row to the next at source and destination, 15
 *           number of rows. [known fields; that the distance counts from start to start, and that
 *           the number is of rows, is assumed]
 *   planes: word 7 bits 15:0 planes, 31:16 rows of a plane; at the source 10 from plane to plane,
 *   11 from row to row; 12 bytes
 *           of a row [known fields]; 13-14 destination, 15 from row to row there, its planes follow
 *           each other [assumed]
 * One entry moves fewer than 2^40 bytes. [assumed] */
enum stars_sdma_operation {
    STARS_SDMA_OP_COPY = 0,
    STARS_SDMA_OP_ADD = 1,
    STARS_SDMA_OP_MAX = 2,
    STARS_SDMA_OP_MIN = 3,
    STARS_SDMA_OP_EQUAL = 4, /* [known number; what it does is not public, the model refuses it] */
    STARS_SDMA_OP_FILL = 5,
    /* Cache maintenance of words 8-9, word 7 bytes. [known] */
    STARS_SDMA_OP_PREFETCH = 6,
    STARS_SDMA_OP_WRITEBACK = 7,
    STARS_SDMA_OP_INVALIDATE = 8,
    STARS_SDMA_OP_FLUSH = 9
};
/* Elements of add, max and min. [known] */
#define STARS_SDMA_TYPE_SHIFT 4u
enum stars_sdma_type {
    STARS_SDMA_INT8 = 0,
    STARS_SDMA_INT16 = 1,
    STARS_SDMA_INT32 = 2,
    STARS_SDMA_UINT8 = 3,
    STARS_SDMA_UINT16 = 4,
    STARS_SDMA_UINT32 = 5,
    STARS_SDMA_FP16 = 6,
    STARS_SDMA_FP32 = 7,
    STARS_SDMA_BF16 = 8
};
/* Pointer mode: word 3 bit 24; word 4 and word 5 bits 16:0 address of a descriptor, word 5 bit 31
 * virtual address. [known] Word 6 bits 7:0 the opcode; on silicon a driver writes it into the
 * descriptor. [assumed] Words 0 to 7 of the descriptor are words 4 to 11 of the SQE. [known: word 3
 * length, 4-5 source, 6-7 destination; 32 bytes at a multiple of 64] */
#define STARS_W3_POINTER            (1u << 24)
#define STARS_SDMA_DESCRIPTOR_BYTES 32u
#define STARS_SDMA_DESCRIPTOR_ALIGN 64u
/* Offset mode, of copies in the long form: word 4 bit 28; words 8-9 and 10-11 are addresses of the
 * 64-bit base addresses of source and destination; word 12 low bits of the source's offset, 13 of
 * the destination's, 14 bits 15:0 and 31:16 their high bits. [known] */
#define STARS_SDMA_OFFSETS           (1u << 28)
#define STARS_SDMA_SHORT_FORM        (1u << 30)
#define STARS_SDMA_STRIDE_SHIFT      14u
#define STARS_SDMA_STRIDE_NONE       0u
#define STARS_SDMA_STRIDE_ROWS       1u
#define STARS_SDMA_STRIDE_PLANES     2u
#define STARS_SDMA_SHORT_LENGTH_WORD 12u
#define STARS_SDMA_SHORT_BYTES_BITS  40u

/* Random numbers: word 2 bit 0 start, 3:1 distribution, 6:4 type, 9:7 algorithm (0: Philox4x32-10),
 * 14:10 parameters that are valid, 21:15 parameters that are values and not addresses; words 4-5
 * result, 6-7 counter of 16 bytes, 8-9 two parameters of 8 bytes each, 10-11 seed, 12-13 how many.
 * [known; the model ignores bit 0 and the valid bits] */
#define STARS_DSA_FUNCTION_SHIFT  1u
#define STARS_DSA_TYPE_SHIFT      4u
#define STARS_DSA_ALGORITHM_SHIFT 7u
#define STARS_DSA_VALUES_SHIFT    15u
enum stars_dsa_function {
    STARS_DSA_DROPOUT, /* bits that are 0 with a probability: its parameter */
    STARS_DSA_UNIFORM, /* parameters: minimum, maximum */
    STARS_DSA_NORMAL,  /* parameters: mean, standard deviation */
    STARS_DSA_TRUNCATED_NORMAL
};
enum stars_dsa_type {
    STARS_DSA_INT32,
    STARS_DSA_INT64,
    STARS_DSA_UINT32,
    STARS_DSA_UINT64,
    STARS_DSA_BF16,
    STARS_DSA_FP16,
    STARS_DSA_FP32
};
/* Bits of the parameters that are values. */
enum stars_dsa_parameter {
    STARS_DSA_RATIO,
    STARS_DSA_MINIMUM,
    STARS_DSA_MAXIMUM,
    STARS_DSA_MEAN,
    STARS_DSA_DEVIATION,
    STARS_DSA_SEED,
    STARS_DSA_COUNT
};

/* PCIe DMA: words 4-5 descriptor list address, word 6 bits 15:0 list tail; word 7 bit 0 converted;
 * words 8-9 source, 10-11 destination, 12-13 length when not converted. [known]
 * Unconverted, the engine reads words 8..13 itself; on silicon a driver makes the list of them.
 * [assumed] */
#define STARS_W6_LIST_TAIL_MASK 0xffffu
#define STARS_W7_CONVERTED      (1u << 0)

/* An entry of a descriptor list: word 0 bits 3:0 operation and the barriers, word 3 length, 4-5
 * source, 6-7 destination. [known] Other bits of words 0 to 2 (attributes, interrupts, function
 * numbers) are ignored. [assumed] A small packet takes two entries: the second holds its 1 .. 32
 * bytes. [inferred: the driver counts two for one] */
typedef struct stars_dma_descriptor {
    uint32_t word[8];
} stars_dma_descriptor;
enum stars_dma_operation {
    STARS_DMA_SMALL = 1,
    STARS_DMA_READ = 2,  /* into the device's memory */
    STARS_DMA_WRITE = 3, /* out of it */
    STARS_DMA_LOOP = 4   /* within it */
};
#define STARS_DMA_OP_MASK       0xfu
#define STARS_DMA_WRITE_BARRIER (1u << 6)
#define STARS_DMA_READ_BARRIER  (1u << 7)
#define STARS_DMA_LOOP_BARRIER  (1u << 10)
#define STARS_DMA_SMALL_BARRIER (1u << 11)
#define STARS_DMA_SMALL_MOST    32u

/* Host callback, a form of type 1: word 2 bits 27:24 the type of its topic; word 4 bits 15:0
 * callback CQ, 31:16 group; word 5 bits 15:0 device, 31:16 stream; word 6 bits 15:0 event, bit 16
 * block; word 7 bits 15:0 task; words 8-9 function, 10-11 its data; word 14 bits 17:12 topic.
 * [known] */
#define STARS_W2_TOPIC_SHIFT 24u
enum stars_topic_type {
    STARS_TOPIC_DEVICE_AICPU = 0,
    STARS_TOPIC_HOST_AICPU = 2,
    STARS_TOPIC_HOST_CONTROL = 4,   /* calls a function of the host */
    STARS_TOPIC_DEVICE_CONTROL = 6, /* the same where no host is [offline] */
    STARS_TOPIC_TS_CPU = 7
};
#define STARS_W14_TOPIC_SHIFT      12u
#define STARS_TOPIC_CALLBACK       26u
#define STARS_CALLBACK_GROUP_SHIFT 16u
#define STARS_CALLBACK_BLOCK       (1u << 16)

/* AI-core task, type 0: word 0 bits 31:16 number of blocks; word 2 bits 2:0 sub-type, 15:12 weight
 * among kernels that want the same cores; word 3 bits 15:0 SQE index, 25:24 how it is scheduled,
 * 31:27 instruction prefetch; words 4-5 stack; word 7 bits 10:3 memory partition, 15:12 quality of
 * service; word 8 and word 9 bits 15:0 start PC; words 10-11 parameter block. [known] The model
 * looks at blocks, sub-type, weight, schedule and credit; the rest is for the driver that describes
 * the kernel (twinsim/kernel.h). Sub-types 2 to 4 and above 5 are bad SQEs. */
#define STARS_W2_SUBTYPE_MASK  0x7u
#define STARS_W2_WRR_SHIFT     12u /* 4 bits; 0 counts as 1 */
#define STARS_W3_SCHEM_SHIFT   24u /* 2 bits */
#define STARS_W9_START_PC_MASK 0xffffu
enum stars_kernel_subtype {
    STARS_KERNEL_AIC = 0,
    STARS_KERNEL_AIV = 1,
    STARS_KERNEL_AUTO_THREAD = 2,
    STARS_KERNEL_MANUAL_THREAD = 3,
    STARS_KERNEL_FFTS = 4,
    STARS_KERNEL_MIXED = 5
};
enum stars_kernel_schem {
    STARS_SCHEM_NORMAL = 0, /* a block starts as soon as a core is free */
    STARS_SCHEM_BATCH = 1   /* none starts before there are cores for all */
};

/* Placeholder: word 0 bits 31:16 command, words 4-15 data. [known] One whose pre_p is the TS CPU is
 * a command to that; the model answers any. */
#define STARS_PLACEHOLDER_NOP 0u

/* COND: words 4..15 hold a program of the instructions below; word 3 bit 31 marks a program that
 * controls queues. [known]
 *
 * Instructions are one or two words. Registers R0 .. R5 hold 64 bits, R0 is always 0. [known, other
 * numbers refused] Bits 6:0 operation; 9:7 rd; 14:12 function; 17:15 rs1; 22:20 rs2. [known] Bits
 * not named are ignored. [assumed] */
#define STARS_W3_CONTROLS_QUEUES   (1u << 31)
#define STARS_COND_WORD            4u /* first word of the program */
#define STARS_COND_WORDS           12u
#define STARS_COND_REGISTERS       6u
#define STARS_COND_RD_SHIFT        7u
#define STARS_COND_FUNCTION_SHIFT  12u
#define STARS_COND_RS1_SHIFT       15u
#define STARS_COND_RS2_SHIFT       20u
#define STARS_COND_IMMEDIATE_SHIFT 20u /* 12 bits, signed; store: bits 4:0 at 7, 11:5 at 25 */
#define STARS_COND_FUNCTION2_SHIFT                                                                 \
    25u /* second function, 7 bits; of a shift by a constant 6 bits at 26 */
#define STARS_COND_HIGH_SHIFT                                                                      \
    15u /* 17 bits: bits 48:32 of an address or value, 31:0 in the next word */
#define STARS_COND_TOP_SHIFT    17u /* 15 bits: bits 63:49 of a value */
#define STARS_COND_TARGET_SHIFT 7u  /* branch: 4 bits, low part of the word number to go to */
#define STARS_COND_DELAY_SHIFT  19u /* loop: 13 bits, cycles */
#define STARS_COND_QUEUE_SHIFT  20u /* enable, disable: 12 bits */
#define STARS_COND_GOTO_QUEUE_MASK                                                                 \
    0x7ffu /* go to: second word, or rs1: bits 10:0 queue, 31:16 head */
#define STARS_COND_GOTO_HEAD_SHIFT  16u
#define STARS_COND_CALL_LENGTH_MASK 0xfffffu /* call: rs1 address, rs2 bits 19:0 length in words */

/* Operations. [known numbers; loop: "if rs1 is not 0, take it down by one and go to the target"
 * assumed] */
enum stars_cond_operation {
    STARS_COND_LOAD = 0x03,         /* rd = 8 bytes at rs1 + immediate */
    STARS_COND_LOAD_ADDRESS = 0x07, /* rd = memory at the address in the instruction: two words */
    STARS_COND_IMMEDIATE = 0x13,    /* rd = rs1 (function) immediate */
    STARS_COND_STORE = 0x27,        /* memory at rs1 + immediate = rs2 */
    STARS_COND_QUEUE = 0x2b,        /* go to (two words, or by register), enable, disable */
    STARS_COND_REGISTER = 0x33,     /* rd = rs1 (function) rs2 */
    STARS_COND_VALUE =
        0x5b, /* function 0: rd bits 63:49; 1: rd bits 48:0, two words. The others stay. */
    STARS_COND_BRANCH = 0x63, /* if rs1 (function) rs2: go to word target */
    STARS_COND_CALL = 0x6b,   /* the rest of the program is the one at that address */
    STARS_COND_CSR = 0x73,    /* rd = control register bits 31:20, which changes by rs1 */
    STARS_COND_LOOP = 0x7b
};
/* Functions of loads and stores: the width, as in RISC-V. [known] */
enum stars_cond_width {
    STARS_COND_BYTE = 0,
    STARS_COND_HALF = 1,
    STARS_COND_WORD4 = 2,
    STARS_COND_DOUBLE = 3,
    STARS_COND_UNSIGNED = 4 /* added to the first three: a load does not extend the sign */
};
/* Functions of STARS_COND_IMMEDIATE and STARS_COND_REGISTER. [known] */
enum stars_cond_arithmetic {
    STARS_COND_ADD = 0, /* second function 0x20: subtract, 0x01: multiply */
    STARS_COND_SHIFT_LEFT = 1,
    STARS_COND_LESS = 2,
    STARS_COND_LESS_UNSIGNED = 3,
    STARS_COND_XOR = 4,
    STARS_COND_SHIFT_RIGHT = 5, /* second function 0x20 (by a constant 0x10): keeps the sign */
    STARS_COND_OR = 6,
    STARS_COND_AND = 7
};
#define STARS_COND_SUBTRACT        0x20u
#define STARS_COND_MULTIPLY        0x01u
#define STARS_COND_SIGNED          0x20u
#define STARS_COND_SIGNED_CONSTANT 0x10u
/* Functions of STARS_COND_BRANCH. [known] */
enum stars_cond_relation {
    STARS_COND_EQUAL = 0,
    STARS_COND_NOT_EQUAL = 1,
    STARS_COND_BELOW = 4,
    STARS_COND_NOT_BELOW = 5,
    STARS_COND_BELOW_UNSIGNED = 6,
    STARS_COND_NOT_BELOW_UNSIGNED = 7
};
/* Functions of STARS_COND_VALUE. [known] */
#define STARS_COND_VALUE_TOP 0u
#define STARS_COND_VALUE_LOW 1u
/* Functions of STARS_COND_QUEUE. With STARS_COND_BY_REGISTER the operand is rs1. [known] */
enum stars_cond_queue {
    STARS_COND_GOTO = 0,
    STARS_COND_ENABLE = 1,
    STARS_COND_DISABLE = 2,
    STARS_COND_BY_REGISTER = 4
};
/* Functions of STARS_COND_CSR: write, set bits, clear bits. [known] The one control register of the
 * model holds bits 19:4 of the word number that a branch goes to. [known] */
#define STARS_COND_CSR_WRITE 1u
#define STARS_COND_CSR_SET   2u
#define STARS_COND_CSR_CLEAR 3u
#define STARS_COND_CSR_JUMP  3u

/* A completion queue entry. [known] */
typedef struct stars_cqe {
    /* bit 0 phase (1 on the first lap), 1 warning, 2 event record, 3 placeholder, 14:4 SQ id, 15
     * error */
    uint16_t flags;
    uint16_t sq_head; /* head after this SQE */
    uint16_t stream_id;
    uint16_t task_id;
    union {
        uint64_t timestamp; /* no error: system counter, in counter ticks */
        struct {
            uint8_t code; /* enum stars_error */
            uint8_t type; /* bit 0 drop, 1 accelerator error, 7:2 SQE type; the model clears 0, 1 */
            uint16_t sqe_index; /* ring position of the failed SQE */
            uint32_t status;    /* software status; enum stars_status [its use assumed] */
        } error;
    } u;
} stars_cqe;
#define STARS_CQE_PHASE       0x0001u
#define STARS_CQE_WARNING     0x0002u
#define STARS_CQE_EVENT       0x0004u
#define STARS_CQE_PLACEHOLDER 0x0008u
#define STARS_CQE_SQ_SHIFT    4u
#define STARS_CQE_SQ_MASK     0x7ffu
#define STARS_CQE_ERROR       0x8000u
/* Of an error's `type`. */
#define STARS_CQE_DROP              0x01u
#define STARS_CQE_ACCELERATOR_ERROR 0x02u
#define STARS_CQE_TYPE_SHIFT        2u

/* Error classes, a bit mask. [known] */
enum stars_error {
    STARS_ERROR_EXCEPTION = 0x01,
    STARS_ERROR_TRAP = 0x02,
    STARS_ERROR_TIMEOUT = 0x04,
    STARS_ERROR_BAD_SQE = 0x08,
    STARS_ERROR_CONFLICT = 0x10,
    STARS_ERROR_SOFTWARE = 0x20
};
/* What failed, in the status field. [known numbers] */
enum stars_status {
    STARS_STATUS_NONE = 0,
    STARS_STATUS_AICORE_TIMEOUT = 0x25,
    STARS_STATUS_AICORE_EXCEPTION = 0x26,
    STARS_STATUS_TASK_TIMEOUT = 0x105,
    STARS_STATUS_BAD_SQE = 0x106,
    STARS_STATUS_BUS_FAULT = 0x20a, /* an address leads nowhere [use assumed] */
    STARS_STATUS_DMA_ERROR = 0x20b,
    STARS_STATUS_DMA_TIMEOUT = 0x20c,
    STARS_STATUS_COPY_ERROR = 0x217,
    STARS_STATUS_POISON = 0x221, /* uncorrectable error of memory */
    STARS_STATUS_LINK = 0x222,   /* error on the way to memory of another device */
    /* Of injected faults alone: */
    STARS_STATUS_AICORE_TRAP = 0x27,
    STARS_STATUS_AICPU_TIMEOUT = 0x28,
    STARS_STATUS_AICPU_EXCEPTION = 0x2a,
    STARS_STATUS_AICORE_OVERFLOW = 0x2f,
    STARS_STATUS_AIV_TIMEOUT = 0x30,
    STARS_STATUS_AIV_EXCEPTION = 0x31,
    STARS_STATUS_AIV_TRAP = 0x32,
    STARS_STATUS_AIV_OVERFLOW = 0x33,
    STARS_STATUS_AICPU_OVERFLOW = 0x34,
    STARS_STATUS_SDMA_OVERFLOW = 0x35,
    STARS_STATUS_AICORE_MEMORY = 0x58,
    STARS_STATUS_SUSPECT_MEMORY = 0x5a,
    STARS_STATUS_NETWORK = 0x5d,
    STARS_STATUS_AICORE_TRAP_READ = 0x10a,
    STARS_STATUS_AICORE_TRAP_WRITE = 0x10b,
    STARS_STATUS_AIV_TRAP_READ = 0x10c,
    STARS_STATUS_AIV_TRAP_WRITE = 0x10d,
    STARS_STATUS_FFTS_EXCEPTION = 0x10f,
    STARS_STATUS_FFTS_TRAP = 0x110,
    STARS_STATUS_FFTS_TIMEOUT = 0x111,
    STARS_STATUS_REDUCE_ERROR = 0x218,
    STARS_STATUS_DDR_ERROR = 0x220,
    STARS_STATUS_LOCAL_MEMORY = 0x225,
    STARS_STATUS_REMOTE_MEMORY = 0x226
};

/* Register page of one SQ: 4 KiB at sq * STARS_SQ_PAGE. [known] */
#define STARS_SQ_PAGE                      0x1000u
#define STARS_SQ_TAIL                      0x008u
#define STARS_SQ_HEAD                      0x010u /* writable while disabled */
#define STARS_SQ_ENABLE                    0x014u /* bit 0 */
#define STARS_SQ_PRIORITY                  0x200u /* 9:4 group, 12:10 priority */
#define STARS_SQ_CONTROL                   0x210u /* pulses */
#define STARS_SQ_CONTROL_DEBUG_PAUSE       (1u << 0)
#define STARS_SQ_CONTROL_TASK_PAUSE        (1u << 1)
#define STARS_SQ_CONTROL_TASK_KILL         (1u << 2)
#define STARS_SQ_CONTROL_DEBUG_RESUME      (1u << 16)
#define STARS_SQ_CONTROL_TASK_RESUME       (1u << 17)
#define STARS_SQ_CONTROL_EXCEPTION_HANDLED (1u << 18)
#define STARS_SQ_CONTROL_TASK_TERMINATE    (1u << 19)
#define STARS_SQ_PREFETCH                  0x220u /* a pulse, only under a pause or exception */
#define STARS_SQ_PREFETCH_DROP             (1u << 1)
#define STARS_SQ_SLOT                      0x230u /* 6:0 active slot */
#define STARS_SQ_MAPPED                    0x240u /* bit 0 */
#define STARS_SQ_LIST_ERROR                                                                        \
    0x250u /* descriptor at which the list under way failed, all ones: none [assumed] */
#define STARS_SQ_CQ_HEAD 0x888u
#define STARS_SQ_CQ_TAIL 0x890u

/* Registers of the scheduler as a whole. [known offsets within the block; its base in this window,
 * the strict level's offset and what is said below about writes assumed] */
#define STARS_BLOCK_BASE 0x00c00000u
#define STARS_CQ_INTERRUPT_MASK                                                                    \
    0x2020u                               /* level 1: bit of a middle word that raises no
                                             interrupt */
#define STARS_CQ_INTERRUPT_STATUS 0x2024u /* level 1: bit per middle word */
#define STARS_CQ_INTERRUPT_MIDDLE 0x2040u /* middle: bit per level 2 word */
#define STARS_CQ_INTERRUPT_QUEUES                                                                  \
    0x2180u /* level 2: bit per queue, 32 in a word; writing 1 clears */
#define STARS_CQ_INTERRUPT_TARGET_SHIFT                                                            \
    16u /* status of targets 2 and 1: 1 and 2 times this higher [assumed] */
#define STARS_RTSQ_SELECT                                                                          \
    0x4880u /* 10:0 queue that the next two show; 31 clears its
                                           counters */
#define STARS_RTSQ_SELECT_MASK  0x7ffu
#define STARS_RTSQ_SELECT_CLEAR (1u << 31)
#define STARS_RTSQ_STATE        0x4884u /* 3:0 enum stars_rtsq_state */
#define STARS_RTSQ_SWAP_INS                                                                        \
    0x4888u /* 19:0 cycles waited for swap-in [unit assumed], 31:20 swap-ins */
#define STARS_RTSQ_SWAP_INS_SHIFT 20u
#define STARS_GROUP_WEIGHT                                                                         \
    0x4b00u /* 64 words: 11:0 weight of the model group; reset
                                                 1 */
#define STARS_GROUP_WEIGHT_MASK       0xfffu
#define STARS_GROUP_MODE              0x5600u
#define STARS_GROUP_MODE_WEIGHT_FIRST (1u << 0)
#define STARS_GROUP_MODE_RELOAD_SPENT (1u << 1)
#define STARS_STRICT_LEVEL                                                                         \
    0x5604u /* 2:0 each priority below it is a separate group
                                                 [assumed] */
#define STARS_STRICT_LEVEL_MASK 0x7u
/* 16 limits of waits, 64 bits: 16 words with the low halves, then 16 with the high ones. [known;
 * which wait has which and the unit are not public: they are kept and have no effect] */
#define STARS_WAIT_LIMIT_LOW   0x5680u
#define STARS_WAIT_LIMIT_HIGH  0x5700u
#define STARS_WAIT_LIMITS      16u
#define STARS_WAIT_LIMIT_RESET 0x00100000u

/* States of a queue. [known; which of them the model shows when: T-SCH-21] */
enum stars_rtsq_state {
    STARS_RTSQ_IDLE = 0x0,
    STARS_RTSQ_WAIT_SWAP_IN = 0x1,
    STARS_RTSQ_READ_SENT = 0x2,   /* of the static record */
    STARS_RTSQ_WAIT_RECORD = 0x3, /* its last beat */
    STARS_RTSQ_SLOT_ENABLE = 0x4,
    STARS_RTSQ_WORKING = 0x5,
    STARS_RTSQ_WAIT_SWAP_OUT = 0x6, /* the prefetch buffer drains */
    STARS_RTSQ_SLOT_DISABLE = 0x7,
    STARS_RTSQ_OPERATION = 0x8, /* an operation of software is passed to the slot */
    STARS_RTSQ_WAIT_SOFTWARE = 0x9,
    STARS_RTSQ_POLL_FLAG = 0xa,
    STARS_RTSQ_WAIT_SLOT_IDLE = 0xb
};

/* Tables inside the same window, after the pages. [bases assumed] Entries of events and notifies
 * have 4 bytes, bit 0 flag, bit 1 pending; they are in tables of so many, a step apart. [known] The
 * count table has 4 bytes per id: the count. [assumed: one table] */
#define STARS_NOTIFY_TABLE_BASE 0x01000000u
#define STARS_EVENT_TABLE_BASE  0x02000000u
#define STARS_COUNT_TABLE_BASE  0x03000000u
#define STARS_TABLE_STEP        0x10000u
#define STARS_EVENTS_OF_TABLE   4096u
#define STARS_NOTIFIES_OF_TABLE 512u /* of an Ascend910B; the model has it on all parts */
#define STARS_ENTRY(base, of_table, id)                                                            \
    ((base) + (uint32_t)(id) / (of_table)*STARS_TABLE_STEP + 4u * ((uint32_t)(id) % (of_table)))
#define STARS_EVENT_ENTRY(id)  STARS_ENTRY(STARS_EVENT_TABLE_BASE, STARS_EVENTS_OF_TABLE, id)
#define STARS_NOTIFY_ENTRY(id) STARS_ENTRY(STARS_NOTIFY_TABLE_BASE, STARS_NOTIFIES_OF_TABLE, id)
#define STARS_COUNT_ENTRY(id)  (STARS_COUNT_TABLE_BASE + 4u * (uint32_t)(id))

/* The windows of all devices of a system, for physical addresses in SQEs: a write-value to an entry
 * of the event or notify table in the window of another device is a remote record. [use known,
 * addresses assumed] */
#define STARS_PEER_BASE    UINT64_C(0x100000000000)
#define STARS_PEER_SHIFT   28u /* one window after the other, by device number */
#define STARS_PEER(device) (STARS_PEER_BASE + ((uint64_t)(device) << STARS_PEER_SHIFT))

#ifdef __cplusplus
}
#endif
#endif
