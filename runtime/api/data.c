/* SPDX-License-Identifier: Apache-2.0 */
/* Functions on values alone: half precision numbers, sizes of data types, data buffers. They work
 * before aclInit and touch no device. */
#include "acl/acl_base.h"
#include "api/data_type.h"
#include "api/entry.h"
#include "core/base/handle.h"

#include <string.h>

/* ---- Half precision -------------------------------------------------------------------------- */

enum {
    FLOAT_BIAS = 127,
    FLOAT_FRACTION_BITS = 23,
    HALF_BIAS = 15,
    HALF_FRACTION_BITS = 10,
    DROPPED_BITS = FLOAT_FRACTION_BITS - HALF_FRACTION_BITS,
};
#define FLOAT_HIDDEN_BIT    (1U << FLOAT_FRACTION_BITS)
#define FLOAT_FRACTION_MASK (FLOAT_HIDDEN_BIT - 1U)
#define FLOAT_INFINITY      0x7F800000U
#define HALF_INFINITY       0x7C00U
#define HALF_QUIET_BIT      0x0200U

float aclFloat16ToFloat(aclFloat16 value)
{
    uint32_t sign = (uint32_t)(value & 0x8000U) << 16;
    uint32_t exponent = (value >> HALF_FRACTION_BITS) & 0x1FU;
    uint32_t fraction = value & 0x3FFU;
    uint32_t bits;

    if (exponent == 0x1FU) {
        bits = FLOAT_INFINITY | (fraction << DROPPED_BITS);
    } else if (exponent == 0 && fraction == 0) {
        bits = 0;
    } else {
        /* A subnormal half is a normal float: shift until the leading one is the hidden bit. */
        int power = exponent ? (int)exponent - HALF_BIAS : 1 - HALF_BIAS;
        uint32_t mantissa = exponent ? fraction | 0x400U : fraction;
        while (!(mantissa & 0x400U)) {
            mantissa <<= 1;
            power--;
        }
        bits = (uint32_t)(power + FLOAT_BIAS) << FLOAT_FRACTION_BITS;
        bits |= (mantissa & 0x3FFU) << DROPPED_BITS;
    }
    bits |= sign;

    float result;
    memcpy(&result, &bits, sizeof(result));
    return result;
}

/* Drops the lowest `count` bits, 1 to 31, and rounds to nearest, ties to even. */
static uint32_t shift_and_round(uint32_t value, int count)
{
    uint32_t kept = value >> count;
    uint32_t rest = value & ((1U << count) - 1U);
    uint32_t half = 1U << (count - 1);
    return kept + (rest > half || (rest == half && (kept & 1U)));
}

aclFloat16 aclFloatToFloat16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint32_t sign = (bits >> 16) & 0x8000U;
    uint32_t magnitude = bits & 0x7FFFFFFFU;

    if (magnitude > FLOAT_INFINITY) /* NaN: stays one, quiet, with the payload bits that fit */
        return (aclFloat16)(sign | HALF_INFINITY | HALF_QUIET_BIT |
                            ((magnitude & FLOAT_FRACTION_MASK) >> DROPPED_BITS));
    if (magnitude == FLOAT_INFINITY)
        return (aclFloat16)(sign | HALF_INFINITY);

    int power = (int)(magnitude >> FLOAT_FRACTION_BITS) - FLOAT_BIAS;
    if (power > HALF_BIAS)
        return (aclFloat16)(sign | HALF_INFINITY);
    uint32_t mantissa = (magnitude & FLOAT_FRACTION_MASK) | FLOAT_HIDDEN_BIT;
    if (power >= 1 - HALF_BIAS) {
        /* The carry of the rounding runs into the exponent, up to infinity, as it should. */
        uint32_t exponent = (uint32_t)(power + HALF_BIAS - 1) << HALF_FRACTION_BITS;
        return (aclFloat16)(sign | (exponent + shift_and_round(mantissa, DROPPED_BITS)));
    }
    int shift = DROPPED_BITS + (1 - HALF_BIAS - power);
    if (shift > FLOAT_FRACTION_BITS + 1) /* below half of the smallest subnormal */
        return (aclFloat16)sign;
    return (aclFloat16)(sign | shift_and_round(mantissa, shift));
}

/* ---- Data types ------------------------------------------------------------------------------ */

size_t aclDataTypeSize(aclDataType dataType)
{
    return twin_data_type_size(dataType);
}

/* ---- Data buffers ----------------------------------------------------------------------------- */

/* What an aclDataBuffer pointer stands for. The functions are not meant for several threads at once
 * on one buffer; a pin keeps a destroyed one in place until they are done. */
typedef struct data_buffer {
    twin_object head;
    void *data; /* borrowed */
    size_t size;
} data_buffer;

static void release(void *object);

static twin_handle_table data_buffers = TWIN_HANDLE_TABLE_INITIALIZER(
    "data buffer", TWIN_HANDLE_DATA_BUFFER, data_buffer, NULL, release);

static void release(void *object)
{
    twin_handle_free(&data_buffers, object);
}

/* The pinned buffer; NULL after noting why, with the code in out_code. */
static data_buffer *pin(const aclDataBuffer *handle, int32_t *out_code)
{
    if (!handle) {
        *out_code = twin_api_null("dataBuffer");
        return NULL;
    }
    data_buffer *buffer = twin_handle_pin(&data_buffers, twin_api_handle(handle));
    *out_code = buffer
                    ? 0
                    : twin_fail(TWIN_ERR_HANDLE, "dataBuffer is no living data buffer: use what "
                                                 "aclCreateDataBuffer gave, until it is destroyed");
    return buffer;
}

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
    TWIN_ENTER_HOST(LOCAL);
    data_buffer *buffer = twin_handle_alloc(&data_buffers);
    if (!buffer) {
        (void)TWIN_LEAVE(twin_fail(TWIN_ERR_NOMEM, "no host memory for a data buffer"));
        return NULL;
    }
    buffer->data = data;
    buffer->size = size;
    uint64_t handle = twin_handle_publish(buffer);
    (void)TWIN_LEAVE(0);
    return twin_api_pointer(handle);
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    data_buffer *buffer = pin(dataBuffer, &code);
    if (!buffer)
        return TWIN_LEAVE(code);
    if (!twin_handle_retire(buffer)) /* another thread was faster */
        code = twin_fail(TWIN_ERR_HANDLE, "dataBuffer was destroyed meanwhile");
    twin_handle_unpin(&data_buffers, buffer);
    return TWIN_LEAVE(code);
}

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    data_buffer *buffer = pin(dataBuffer, &code);
    if (!buffer)
        return TWIN_LEAVE(code);
    buffer->data = data;
    buffer->size = size;
    twin_handle_unpin(&data_buffers, buffer);
    return TWIN_LEAVE(0);
}

typedef struct range {
    void *data;
    size_t size;
} range;

/* What the buffer describes; nothing if it is none, as the code says. */
static range describe(const aclDataBuffer *dataBuffer, int32_t *code)
{
    range described = {NULL, 0};
    data_buffer *buffer = pin(dataBuffer, code);
    if (buffer) {
        described = (range){buffer->data, buffer->size};
        twin_handle_unpin(&data_buffers, buffer);
    }
    return described;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    range described = describe(dataBuffer, &code);
    (void)TWIN_LEAVE(code);
    return described.data;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    range described = describe(dataBuffer, &code);
    (void)TWIN_LEAVE(code);
    return (uint32_t)described.size;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    range described = describe(dataBuffer, &code);
    (void)TWIN_LEAVE(code);
    return described.size;
}
