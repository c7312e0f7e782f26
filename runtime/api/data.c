/* SPDX-License-Identifier: Apache-2.0 */
/* Functions on values alone: half precision numbers, sizes of data types, data buffers. They work
 * before aclInit and touch no device. */
#include "acl/acl_base.h"
#include "api/tensor.h"
#include "api/entry.h"
#include "core/base/handle.h"
#include "seam/half.h"

/* ---- Half precision -------------------------------------------------------------------------- */

float aclFloat16ToFloat(aclFloat16 value)
{
    return twin_half_float(value);
}

aclFloat16 aclFloatToFloat16(float value)
{
    const uint32_t bits = twin_float_bits(value);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t rest = bits & 0x7fffffffu;
    if (rest > 0x7f800000u) /* NaN: stays one, quiet, with the payload bits that fit */
        return (aclFloat16)(sign | 0x7e00u | (rest >> 13 & 0x3ffu));
    if (rest >= (uint32_t)113 << 23)
        return twin_float_half(value);
    /* Below the normal halves: a multiple of 2^-24, rounded in whole numbers, as the thread may
     * have any rounding mode. */
    const uint32_t shift = 126 - (rest >> 23);
    if (shift > 24)
        return (aclFloat16)sign;
    const uint32_t significand = (rest & 0x7fffffu) | 0x800000u;
    const uint32_t below_half = (1u << (shift - 1)) - 1;
    return (aclFloat16)(sign | (significand + below_half + (significand >> shift & 1u)) >> shift);
}

/* ---- Data types ------------------------------------------------------------------------------ */

size_t aclDataTypeSize(aclDataType dataType)
{
    return twin_data_type_size(dataType);
}

/* ---- Data buffers ---------------------------------------------------------------------------- */

/* What an aclDataBuffer pointer means. The functions are not meant for several threads at once
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
                    : twin_fail(TWIN_ERR_HANDLE, "dataBuffer is not a valid data buffer: use what "
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
