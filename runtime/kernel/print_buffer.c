/* SPDX-License-Identifier: Apache-2.0 */
/* The layout is that of the public headers and of the public runtime, which agree on it: a head,
 * what the host has read, records, and what the kernel has written. Nothing in it is trusted. */
#include "kernel/print_buffer.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/access.h"
#include "kernel/number.h"
#include "kernel/print.h"

#define PIECE_BYTES (1u << 20) /* of a core; TWK_PRINT_BUFFER is a multiple of it */
#define MAGIC       0xae86u
#define DIMENSIONS  8u
#define IN_A_LINE   30u /* elements of a tensor without a shape, after the first */

typedef struct print_head {
    uint32_t bytes; /* of a piece */
    uint32_t core, cores;
    uint32_t records_bytes;
    uint16_t magic, kind;
    uint32_t reserved;
    uint64_t records; /* address */
    uint64_t reserved_too[3];
} print_head;

typedef struct print_index {
    uint32_t type, length;
    uint64_t offset;
    uint64_t count;
} print_index;

#define RECORDS       (sizeof(print_head) + sizeof(print_index))
#define RECORDS_BYTES (PIECE_BYTES - RECORDS - sizeof(print_index))
#define WRITTEN       (PIECE_BYTES - sizeof(print_index))

enum record_type {
    RECORD_PRINT = 1,
    RECORD_TENSOR = 2,
    RECORD_SHAPE = 3,
    RECORD_ASSERT = 4,
    RECORD_TIME = 6,
    RECORD_WRITE_INDEX = 8,
    RECORD_READ_INDEX = 9,
    RECORD_SKIP = 10
};

typedef struct print_record {
    native_core *core;
    uint32_t type;
    uint32_t bytes; /* after these two */
    const unsigned char *data;
} print_record;

typedef struct shape_record {
    uint32_t dimensions;
    uint32_t list[DIMENSIONS];
} shape_record;

typedef struct tensor_record {
    uint32_t address, type, label, reserved;
    uint16_t position, block;
    shape_record shape;
    uint32_t reserved_too;
    uint32_t bytes; /* of the elements that follow */
} tensor_record;

typedef struct time_record {
    uint32_t label;
    uint16_t block, reserved;
    uint64_t cycle, code, entry;
} time_record;

/* ---- the piece of a core --------------------------------------------------------------------- */

static void put(native_core *core, size_t at, const void *from, size_t bytes)
{
    memcpy(core->prints + at, from, bytes);
}

static void begin(native_core *core)
{
    const print_head head = {.bytes = PIECE_BYTES,
                             .cores = TWK_PRINT_BUFFER_BYTES / PIECE_BYTES,
                             .records_bytes = RECORDS_BYTES,
                             .magic = MAGIC,
                             .records = TWK_PRINT_BUFFER + RECORDS};
    const print_index read = {.type = RECORD_READ_INDEX, .length = 16};
    const print_index written = {.type = RECORD_WRITE_INDEX, .length = 16};
    if (!core->prints)
        core->prints = calloc(1, PIECE_BYTES); /* a kernel may read it */
    if (!core->prints)
        twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
    put(core, 0, &head, sizeof(head));
    put(core, sizeof(head), &read, sizeof(read));
    put(core, WRITTEN, &written, sizeof(written));
    core->prints_begun = true;
    core->prints_shape = 0;
}

unsigned char *twin_native_print_bytes(native_core *core, native_op op, uint64_t address,
                                       uint64_t bytes)
{
    const uint64_t at = address % PIECE_BYTES;
    if (bytes > PIECE_BYTES - at)
        twin_native_fail(core, TWIN_NATIVE_ADDRESS, &address,
                         "%s: %llu bytes at 0x%llx are not in the core's piece of the buffer for "
                         "prints",
                         twin_native_op_name(op), (unsigned long long)bytes,
                         (unsigned long long)address);
    if (!core->prints_begun)
        begin(core);
    return core->prints + at;
}

/* ---- formats --------------------------------------------------------------------------------- */

/* Values of a print record begin at its offset of the format. Headers put a string of the device
 * into the record, and its offset from the value; of other strings they have the address. */
static bool string_of_record(const native_values *values, uint64_t index, native_text *out)
{
    const print_record *record = values->user;
    const uint64_t room = record->bytes - sizeof(uint64_t); /* from the offset of the format on */
    const uint64_t slot = (index + 1) * sizeof(uint64_t), offset = values->list[index];
    if (offset >= room - slot)
        return twin_native_text_string(out, record->core, offset);
    const char *string = (const char *)record->data + sizeof(uint64_t) + slot + offset;
    const size_t length = strnlen(string, room - slot - offset);
    if (length == room - slot - offset)
        return false;
    twin_native_text_add(out, string, length);
    return true;
}

/* false: the record is damaged. */
static bool add_print(native_text *text, const print_record *record)
{
    uint64_t format = 0;
    if (record->bytes < 2 * sizeof(uint64_t))
        return false;
    memcpy(&format, record->data + sizeof(uint64_t), sizeof(format));
    const uint64_t room = record->bytes - sizeof(uint64_t);
    if (format < sizeof(uint64_t) || format % sizeof(uint64_t) != 0 || format >= room)
        return false;
    const char *string = (const char *)record->data + sizeof(uint64_t) + format;
    const uint64_t count = format / sizeof(uint64_t) - 1;
    if (strnlen(string, room - format) == room - format)
        return false;
    uint64_t *list = malloc((count + 1) * sizeof(uint64_t));
    if (!list) {
        text->no_memory = true;
        return true;
    }
    memcpy(list, record->data + 2 * sizeof(uint64_t), count * sizeof(uint64_t));
    const native_values values = {
        .list = list, .count = count, .string = string_of_record, .user = (void *)record};
    const bool good = twin_native_text_values(text, string, &values);
    free(list);
    return good;
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* The names and sizes of types, by the numbers of the public enumeration. */
typedef struct element_type {
    const char *name;
    uint32_t bytes;
    uint32_t native; /* twk_type; TWK_INT64 and TWK_UINT64, too */
} element_type;

static const element_type *type_of(uint32_t number)
{
    static const element_type types[] = {
        [0] = {"float32", 4, TWK_FP32},  [1] = {"float16", 2, TWK_FP16},
        [2] = {"int8", 1, TWK_INT8},     [3] = {"int32", 4, TWK_INT32},
        [4] = {"uint8", 1, TWK_UINT8},   [6] = {"int16", 2, TWK_INT16},
        [7] = {"uint16", 2, TWK_UINT16}, [8] = {"uint32", 4, TWK_UINT32},
        [9] = {"int64", 8, TWK_INT64},   [10] = {"uint64", 8, TWK_UINT64},
        [12] = {"bool", 1, TWK_NO_TYPE}, [27] = {"bfloat16", 2, TWK_BF16},
    };
    return number < sizeof(types) / sizeof(types[0]) && types[number].name ? &types[number] : NULL;
}

static void add_element(native_text *text, const element_type *type, const unsigned char *at)
{
    uint64_t word = 0;
    memcpy(&word, at, type->bytes);
    switch (type->native) {
    case TWK_INT64:
        twin_native_text_format(text, "%lld", (long long)word);
        break;
    case TWK_UINT64:
        twin_native_text_format(text, "%llu", (unsigned long long)word);
        break;
    case TWK_NO_TYPE:
        twin_native_text_add(text, word != 0 ? "1" : "0", 1);
        break;
    case TWK_FP16:
    case TWK_BF16:
    case TWK_FP32:
        twin_native_text_format(text, "%f", twin_native_number(type->native, at));
        break;
    default:
        twin_native_text_format(text, "%.0f", twin_native_number(type->native, at));
    }
}

static void add_list(native_text *text, const element_type *type, const unsigned char *data,
                     uint64_t count)
{
    twin_native_text_add(text, "[", 1);
    for (uint64_t i = 0; i < count && text->length < NATIVE_PRINT_MOST; i++) {
        add_element(text, type, data + i * type->bytes);
        if (i + 1 < count)
            twin_native_text_add(text, ", ", 2);
        if (i + 1 < count && i > 0 && i % IN_A_LINE == 0)
            twin_native_text_add(text, "\n", 1);
    }
    twin_native_text_add(text, "]\n", 2);
}

static void add_brackets(native_text *text, char bracket, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        twin_native_text_add(text, &bracket, 1);
}

/* The product of the dimensions; 0: one is 0, or it is too large. */
static uint64_t elements_of(const shape_record *shape)
{
    uint64_t all = 1;
    for (uint32_t i = 0; i < shape->dimensions; i++) {
        if (shape->list[i] == 0 || all > UINT32_MAX / shape->list[i])
            return 0;
        all *= shape->list[i];
    }
    return all;
}

/* How many dimensions end with the element before `next`. */
static uint32_t ends_at(const shape_record *shape, uint64_t next)
{
    uint64_t step = 1;
    uint32_t ends = 0;
    for (uint32_t i = shape->dimensions; i-- > 0;) {
        step *= shape->list[i];
        if (next % step != 0)
            break;
        ends++;
    }
    return ends;
}

static void add_shaped(native_text *text, const element_type *type, const shape_record *shape,
                       const unsigned char *data, uint64_t count)
{
    const uint64_t all = elements_of(shape);
    if (all != count) {
        twin_native_text_add(text, "shape is [", 10);
        for (uint32_t i = 0; i < shape->dimensions; i++)
            twin_native_text_format(text, "%s%u", i > 0 ? ", " : "", shape->list[i]);
        twin_native_text_format(text, "], dumpSize is %llu, %s.\n", (unsigned long long)count,
                                all < count ? "dumpSize is greater than shapeSize"
                                            : "data is not enough");
    }
    add_brackets(text, '[', shape->dimensions);
    for (uint64_t i = 0; i < all && text->length < NATIVE_PRINT_MOST; i++) {
        const uint32_t ends = ends_at(shape, i + 1);
        if (i < count)
            add_element(text, type, data + i * type->bytes);
        else
            twin_native_text_add(text, "-", 1);
        add_brackets(text, ']', ends);
        if (i + 1 < all)
            twin_native_text_add(text, ends > 0 ? ",\n" : ",", ends > 0 ? 2 : 1);
        if (i + 1 < all)
            add_brackets(text, '[', ends);
    }
    twin_native_text_add(text, "\n", 1);
}

static bool add_tensor(native_text *text, const print_record *record)
{
    native_core *core = record->core;
    static const char *const positions[] = {"GM",  "UB",  "L1",   "L0A",
                                            "L0B", "L0C", "BIAS", "FIXBUF"};
    tensor_record tensor;
    if (record->bytes < sizeof(tensor))
        return false;
    memcpy(&tensor, record->data, sizeof(tensor));
    const unsigned char *data = record->data + sizeof(tensor);
    const element_type *type = type_of(tensor.type);
    if (!type || tensor.bytes > record->bytes - sizeof(tensor) ||
        tensor.position >= sizeof(positions) / sizeof(positions[0]) ||
        tensor.shape.dimensions > DIMENSIONS)
        return false;
    if (tensor.shape.dimensions == 0) {
        tensor.shape.dimensions = core->prints_shape;
        memcpy(tensor.shape.list, core->prints_dimensions, sizeof(tensor.shape.list));
    }
    core->prints_shape = 0;
    const uint64_t count = tensor.bytes / type->bytes;
    twin_native_text_format(
        text, "[%s Block %u] DumpTensor: desc=%u, addr=0x%x, data_type=%s, position=%s, ",
        core->place.is_cube ? "AIC" : "AIV", tensor.block, tensor.label, tensor.address, type->name,
        positions[tensor.position]);
    twin_native_text_format(text, "dump_size=%llu\n", (unsigned long long)count);
    if (tensor.position > 0 && !native_computes(core))
        twin_native_text_format(text, "(not computed: TWINRT_KERNEL_DATA=on computes it)\n");
    else if (tensor.shape.dimensions > 0 && elements_of(&tensor.shape) > 0)
        add_shaped(text, type, &tensor.shape, data, count);
    else
        add_list(text, type, data, count);
    return true;
}

static bool take_shape(const print_record *record)
{
    native_core *core = record->core;
    shape_record shape;
    if (record->bytes < sizeof(shape))
        return false;
    memcpy(&shape, record->data, sizeof(shape));
    if (shape.dimensions > DIMENSIONS)
        return false;
    core->prints_shape = shape.dimensions;
    memcpy(core->prints_dimensions, shape.list, sizeof(shape.list));
    return true;
}

/* ---- records --------------------------------------------------------------------------------- */

static bool add_time(native_text *text, const print_record *record)
{
    time_record time;
    if (record->bytes < sizeof(time))
        return false;
    memcpy(&time, record->data, sizeof(time));
    twin_native_text_format(
        text, "descId is %u, rsv is %u, timeStamp is %llu, pcPtr is %llu, entry is %llu.\n",
        time.label, time.reserved, (unsigned long long)time.cycle, (unsigned long long)time.code,
        (unsigned long long)time.entry);
    return true;
}

static bool add_record(native_text *text, const print_record *record)
{
    switch (record->type) {
    case RECORD_PRINT:
    case RECORD_ASSERT:
        return add_print(text, record);
    case RECORD_TENSOR:
        return add_tensor(text, record);
    case RECORD_SHAPE:
        return take_shape(record);
    case RECORD_TIME:
        return add_time(text, record);
    case RECORD_SKIP:
        return true;
    default:
        return false;
    }
}

/* The next record of `bytes`, the first of which are read; false: it is not whole. */
static bool next_record(native_core *core, uint64_t bytes, uint64_t *at, print_record *out)
{
    uint32_t head[2];
    if (bytes - *at < sizeof(head))
        return false;
    memcpy(head, core->prints + RECORDS + *at, sizeof(head));
    out->type = head[0];
    if (head[1] > bytes - *at - sizeof(head))
        return false;
    *out = (print_record){core, head[0], head[1], core->prints + RECORDS + *at + sizeof(head)};
    *at += sizeof(head) + head[1];
    return true;
}

static uint64_t written_bytes(const native_core *core)
{
    uint64_t bytes = 0;
    memcpy(&bytes, core->prints + WRITTEN + offsetof(print_index, offset), sizeof(bytes));
    return bytes;
}

/* The type of a record that is not as it must be; -1: all are good. */
static int64_t take_records(native_core *core, native_text *text)
{
    const uint64_t bytes = written_bytes(core);
    print_record record = {0};
    for (uint64_t at = 0; at < bytes;)
        if (bytes > RECORDS_BYTES || !next_record(core, bytes, &at, &record) ||
            !add_record(text, &record))
            return record.type;
    /* The next begins where the first did: the kernel never waits for room. */
    put(core, WRITTEN + offsetof(print_index, offset), &(uint64_t){0}, sizeof(uint64_t));
    return -1;
}

#define UNKNOWN                                                                                    \
    "it is damaged, or is from a toolkit whose records are others; -DASCENDC_DUMP=0 leaves out "   \
    "what it prints"

void twin_native_print_take(native_core *core)
{
    native_text text = {0};
    const int64_t unknown = take_records(core, &text);
    twin_native_print_out(core, &text);
    if (unknown >= 0)
        twin_native_fail(core, TWIN_NATIVE_OPERATION, NULL,
                         "it prints a record of type %lld that this runtime cannot read: " UNKNOWN,
                         (long long)unknown);
}

void twin_native_print_end(native_core *core)
{
    const uint64_t left = written_bytes(core);
    if (left > 0)
        twin_native_fail_core(
            core, TWIN_NATIVE_OPERATION,
            "no dcci came after the %llu bytes that it has printed last: " UNKNOWN,
            (unsigned long long)left);
}
