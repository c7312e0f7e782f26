/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor descriptions: data type, shape and format of a tensor, for operators and models. They work
 * before aclInit and touch no device.
 *
 * Facts from the vendor's open graph engine (api/acl/acl_model/types): a description has an
 * original format and shape, which the getters return, and those used on the device (storage),
 * which no getter returns. */
#include "api/tensor.h"

#include <string.h>

#include "acl/acl_base.h"
#include "api/entry.h"
#include "core/base/alloc.h"
#include "core/base/handle.h"

/* Old functions are part of the interface. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define UNKNOWN_RANK INT64_C(-2) /* as the first dimension: their number is not known */

/* An array that its description owns. */
typedef struct array {
    void *items; /* NULL when count is 0 */
    size_t count;
} array;

/* The object of an aclTensorDesc handle. One description is for one thread at a time; a pin keeps a
 * destroyed one in place until the call ends. */
typedef struct tensor_desc {
    twin_object head;
    aclDataType type;
    aclFormat format;
    array dims; /* int64_t */
    aclFormat storage_format;
    array storage_dims; /* int64_t */
    array shape_range;  /* int64_t[ACL_TENSOR_SHAPE_RANGE_NUM] */
    array value_range;  /* int64_t[ACL_TENSOR_VALUE_RANGE_NUM] */
    array constant;     /* char */
    char *name;         /* NULL: "" */
    char *dynamic_input;
    aclMemType placement;
} tensor_desc;

static void release(void *object);

static twin_handle_table tensor_descs = TWIN_HANDLE_TABLE_INITIALIZER(
    "tensor description", TWIN_HANDLE_TENSOR_DESC, tensor_desc, NULL, release);

static void release(void *object)
{
    tensor_desc *desc = object;
    twin_free(desc->dims.items);
    twin_free(desc->storage_dims.items);
    twin_free(desc->shape_range.items);
    twin_free(desc->value_range.items);
    twin_free(desc->constant.items);
    twin_free(desc->name);
    twin_free(desc->dynamic_input);
    twin_handle_free(&tensor_descs, desc);
}

/* The pinned description; NULL after noting why, with the code in out_code. */
static tensor_desc *pin(const aclTensorDesc *handle, int32_t *out_code)
{
    if (!handle) {
        *out_code = twin_api_null("desc");
        return NULL;
    }
    tensor_desc *desc = twin_handle_pin(&tensor_descs, twin_api_handle(handle));
    *out_code =
        desc ? 0
             : twin_fail(TWIN_ERR_HANDLE, "desc is not a live tensor description: pass what "
                                          "aclCreateTensorDesc returned, until it is destroyed");
    return desc;
}

/* Of what pin() returned: NULL too. */
static void unpin(tensor_desc *desc)
{
    if (desc)
        twin_handle_unpin(&tensor_descs, desc);
}

/* Replaces the contents of `to` by a copy of `count` items; `to` is unchanged on failure. */
static int32_t replace(array *to, const void *items, size_t count, size_t item_bytes)
{
    void *copy = NULL;
    if (count > 0) {
        copy = twin_regrow(NULL, count, item_bytes);
        if (!copy)
            return twin_fail(TWIN_ERR_NOMEM, "out of host memory for a tensor description");
        memcpy(copy, items, count * item_bytes);
    }
    twin_free(to->items);
    *to = (array){copy, count};
    return 0;
}

static int32_t replace_text(char **to, const char *text)
{
    char *copy = twin_strdup(text);
    if (!copy)
        return twin_fail(TWIN_ERR_NOMEM, "out of host memory for a tensor description");
    twin_free(*to);
    *to = copy;
    return 0;
}

/* ---- Create and destroy ---------------------------------------------------------------------- */

/* NULL, with the code in out_code, when host memory is out. */
static aclTensorDesc *create(aclDataType type, size_t count, const int64_t *dims, aclFormat format,
                             int32_t *out_code)
{
    tensor_desc *desc = twin_handle_alloc(&tensor_descs);
    if (!desc) {
        *out_code = twin_fail(TWIN_ERR_NOMEM, "out of host memory for a tensor description");
        return NULL;
    }
    memset(&desc->dims, 0, sizeof(*desc) - offsetof(tensor_desc, dims));
    desc->type = type;
    desc->format = format;
    desc->storage_format = ACL_FORMAT_UNDEFINED;
    desc->placement = ACL_MEMTYPE_DEVICE;
    *out_code = replace(&desc->dims, dims, count, sizeof(*dims));
    if (*out_code != 0) {
        twin_handle_free(&tensor_descs, desc);
        return NULL;
    }
    return twin_api_pointer(twin_handle_publish(desc));
}

aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims,
                                   aclFormat format)
{
    TWIN_ENTER_HOST(LOCAL);
    aclTensorDesc *handle = NULL;
    int32_t code;
    if (numDims < 0)
        code = twin_fail(TWIN_ERR_ARG_VALUE, "numDims is %d; it must not be negative", numDims);
    else if (numDims > 0 && !dims)
        code = twin_api_null("dims");
    else
        handle = create(dataType, (size_t)numDims, dims, format, &code);
    (void)TWIN_LEAVE(code);
    return handle;
}

void aclDestroyTensorDesc(const aclTensorDesc *desc)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code = 0;
    tensor_desc *object = desc ? pin(desc, &code) : NULL; /* NULL has no effect */
    if (object) {
        if (!twin_handle_retire(object))
            code = twin_fail(TWIN_ERR_HANDLE, "desc was destroyed by another thread");
        unpin(object);
    }
    (void)TWIN_LEAVE(code);
}

/* ---- Type, format and shape ------------------------------------------------------------------ */

aclDataType aclGetTensorDescType(const aclTensorDesc *desc)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    tensor_desc *object = pin(desc, &code);
    const aclDataType type = object ? object->type : ACL_DT_UNDEFINED;
    unpin(object);
    (void)TWIN_LEAVE(code);
    return type;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    tensor_desc *object = pin(desc, &code);
    const aclFormat format = object ? object->format : ACL_FORMAT_UNDEFINED;
    unpin(object);
    (void)TWIN_LEAVE(code);
    return format;
}

/* 1 without dimensions; 0, with the code in out_code, when a dimension is negative or the product
 * overflows. */
static size_t count_elements(const tensor_desc *desc, int32_t *out_code)
{
    const int64_t *dims = desc->dims.items;
    size_t count = 1;
    for (size_t i = 0; i < desc->dims.count; i++) {
        if (dims[i] < 0) {
            *out_code = twin_fail(TWIN_ERR_ARG_RELATION,
                                  "dimension %zu is %lld; a shape with unknown dimensions does not "
                                  "have a number of elements",
                                  i, (long long)dims[i]);
            return 0;
        }
        if (__builtin_mul_overflow(count, (size_t)dims[i], &count)) {
            *out_code = twin_fail(TWIN_ERR_ARG_RELATION,
                                  "the number of elements exceeds 64 bits at dimension %zu", i);
            return 0;
        }
    }
    return count;
}

size_t aclGetTensorDescElementCount(const aclTensorDesc *desc)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    tensor_desc *object = pin(desc, &code);
    const size_t count = object ? count_elements(object, &code) : 0;
    unpin(object);
    (void)TWIN_LEAVE(code);
    return count;
}

size_t aclGetTensorDescSize(const aclTensorDesc *desc)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    size_t bytes = 0;
    tensor_desc *object = pin(desc, &code);
    if (object) {
        size_t count = count_elements(object, &code);
        if (__builtin_mul_overflow(count, twin_data_type_size(object->type), &bytes)) {
            code = twin_fail(TWIN_ERR_ARG_RELATION, "%zu elements exceed 64 bits in bytes", count);
            bytes = 0;
        }
        unpin(object);
    }
    (void)TWIN_LEAVE(code);
    return bytes;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc *desc)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    size_t count = 0;
    tensor_desc *object = pin(desc, &code);
    if (object) {
        const int64_t *dims = object->dims.items;
        count = dims && dims[0] == UNKNOWN_RANK ? (size_t)ACL_UNKNOWN_RANK : object->dims.count;
        unpin(object);
    }
    (void)TWIN_LEAVE(code);
    return count;
}

/* One dimension of the shape; *out_dim is untouched on failure. */
static int32_t read_dim(const aclTensorDesc *handle, size_t index, int64_t *out_dim)
{
    int32_t code;
    tensor_desc *desc = pin(handle, &code);
    if (!desc)
        return code;
    if (index < desc->dims.count)
        *out_dim = ((const int64_t *)desc->dims.items)[index];
    else
        code = twin_fail(TWIN_ERR_ARG_VALUE, "index is %zu; the description has %zu dimensions",
                         index, desc->dims.count);
    unpin(desc);
    return code;
}

int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index)
{
    TWIN_ENTER_HOST(LOCAL);
    int64_t dim = -1;
    (void)TWIN_LEAVE(read_dim(desc, index, &dim));
    return dim;
}

aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize)
{
    TWIN_ENTER_HOST(LOCAL);
    TWIN_NOT_NULL(dimSize);
    return TWIN_LEAVE(read_dim(desc, index, dimSize));
}

aclError aclGetTensorDescDimRange(const aclTensorDesc *desc, size_t index, size_t dimRangeNum,
                                  int64_t *dimRange)
{
    TWIN_ENTER_HOST(LOCAL);
    TWIN_NOT_NULL(dimRange);
    int32_t code;
    tensor_desc *object = pin(desc, &code);
    if (!object)
        return TWIN_LEAVE(code);
    if (index >= object->shape_range.count)
        code =
            twin_fail(TWIN_ERR_ARG_VALUE, "index is %zu; aclSetTensorShapeRange has set %zu ranges",
                      index, object->shape_range.count);
    else if (dimRangeNum < ACL_TENSOR_SHAPE_RANGE_NUM)
        code = twin_fail(TWIN_ERR_ARG_VALUE, "dimRangeNum is %zu; it must be at least %d",
                         dimRangeNum, ACL_TENSOR_SHAPE_RANGE_NUM);
    else
        memcpy(dimRange,
               (const int64_t *)object->shape_range.items + index * ACL_TENSOR_SHAPE_RANGE_NUM,
               ACL_TENSOR_SHAPE_RANGE_NUM * sizeof(*dimRange));
    unpin(object);
    return TWIN_LEAVE(code);
}

/* ---- Names and places ------------------------------------------------------------------------ */

const char *aclGetTensorDescName(aclTensorDesc *desc)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code = 0;
    const char *name = "";
    tensor_desc *object = desc ? pin(desc, &code) : NULL; /* NULL has the empty name */
    if (object)
        name = object->name ? object->name : "";
    unpin(object);
    (void)TWIN_LEAVE(code);
    return name;
}

void aclSetTensorDescName(aclTensorDesc *desc, const char *name)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    tensor_desc *object = pin(desc, &code);
    if (object)
        code = replace_text(&object->name, name ? name : "");
    unpin(object);
    (void)TWIN_LEAVE(code);
}

void *aclGetTensorDescAddress(const aclTensorDesc *desc)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    tensor_desc *object = pin(desc, &code);
    unpin(object);
    (void)TWIN_LEAVE(code);
    return NULL; /* only descriptions of a failed operator have an address, and nothing makes
                    those */
}

aclTensorDesc *aclGetTensorDescByIndex(aclTensorDesc *desc, size_t index)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    tensor_desc *object = pin(desc, &code);
    unpin(object);
    if (code == 0 && index > 0)
        code = twin_fail(TWIN_ERR_ARG_VALUE,
                         "index is %zu; a description of aclCreateTensorDesc is alone, at index 0",
                         index);
    (void)TWIN_LEAVE(code);
    return code == 0 ? desc : NULL;
}

aclError aclSetTensorDynamicInput(aclTensorDesc *desc, const char *dynamicInputName)
{
    TWIN_ENTER_HOST(LOCAL);
    TWIN_NOT_NULL(dynamicInputName);
    int32_t code;
    tensor_desc *object = pin(desc, &code);
    if (object)
        code = replace_text(&object->dynamic_input, dynamicInputName);
    unpin(object);
    return TWIN_LEAVE(code);
}

aclError aclSetTensorConst(aclTensorDesc *desc, void *dataBuffer, size_t length)
{
    TWIN_ENTER_HOST(LOCAL);
    TWIN_NOT_NULL(dataBuffer);
    if (length == 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "length is 0; it must be at least 1"));
    int32_t code;
    tensor_desc *object = pin(desc, &code);
    if (object)
        code = replace(&object->constant, dataBuffer, length, 1);
    unpin(object);
    return TWIN_LEAVE(code);
}

aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType)
{
    TWIN_ENTER_HOST(LOCAL);
    int32_t code;
    tensor_desc *object = pin(desc, &code);
    if (object)
        object->placement = memType;
    unpin(object);
    return TWIN_LEAVE(code);
}

/* ---- Setting formats and shapes -------------------------------------------------------------- */

static int32_t set_format(aclTensorDesc *handle, bool storage, aclFormat format)
{
    int32_t code = 0;
    tensor_desc *desc = handle ? pin(handle, &code) : NULL; /* NULL has no effect */
    if (desc)
        *(storage ? &desc->storage_format : &desc->format) = format;
    unpin(desc);
    return code;
}

static int32_t set_shape(aclTensorDesc *handle, bool storage, int count, const int64_t *dims)
{
    if (!dims)
        return twin_api_null("dims");
    int32_t code;
    tensor_desc *desc = pin(handle, &code);
    if (desc) {
        /* A negative number is none, as in the vendor's library. */
        code = replace(storage ? &desc->storage_dims : &desc->dims, dims,
                       count > 0 ? (size_t)count : 0, sizeof(*dims));
        unpin(desc);
    }
    return code;
}

aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format)
{
    TWIN_ENTER_HOST(LOCAL);
    return TWIN_LEAVE(set_format(desc, true, format));
}

aclError aclSetTensorStorageFormat(aclTensorDesc *desc, aclFormat format)
{
    TWIN_ENTER_HOST(LOCAL);
    return TWIN_LEAVE(set_format(desc, true, format));
}

aclError aclSetTensorOriginFormat(aclTensorDesc *desc, aclFormat format)
{
    TWIN_ENTER_HOST(LOCAL);
    return TWIN_LEAVE(set_format(desc, false, format));
}

aclError aclSetTensorShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    TWIN_ENTER_HOST(LOCAL);
    return TWIN_LEAVE(set_shape(desc, true, numDims, dims));
}

aclError aclSetTensorStorageShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    TWIN_ENTER_HOST(LOCAL);
    return TWIN_LEAVE(set_shape(desc, true, numDims, dims));
}

aclError aclSetTensorOriginShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    TWIN_ENTER_HOST(LOCAL);
    return TWIN_LEAVE(set_shape(desc, false, numDims, dims));
}

static int32_t set_ranges(aclTensorDesc *handle, bool values, size_t count, int64_t (*ranges)[2])
{
    if (!ranges && count > 0)
        return twin_api_null(values ? "valueRange" : "dimsRange");
    int32_t code;
    tensor_desc *desc = pin(handle, &code);
    if (desc)
        code = replace(values ? &desc->value_range : &desc->shape_range, ranges, count,
                       sizeof(*ranges));
    unpin(desc);
    return code;
}

aclError aclSetTensorShapeRange(aclTensorDesc *desc, size_t dimsCount,
                                int64_t dimsRange[][ACL_TENSOR_SHAPE_RANGE_NUM])
{
    TWIN_ENTER_HOST(LOCAL);
    return TWIN_LEAVE(set_ranges(desc, false, dimsCount, dimsRange));
}

aclError aclSetTensorValueRange(aclTensorDesc *desc, size_t valueCount,
                                int64_t valueRange[][ACL_TENSOR_VALUE_RANGE_NUM])
{
    TWIN_ENTER_HOST(LOCAL);
    return TWIN_LEAVE(set_ranges(desc, true, valueCount, valueRange));
}

/* ---- Another format -------------------------------------------------------------------------- */

aclError aclTransTensorDescFormat(const aclTensorDesc *srcDesc, aclFormat dstFormat,
                                  aclTensorDesc **dstDesc)
{
    TWIN_ENTER_HOST(LOCAL);
    TWIN_NOT_NULL(srcDesc, dstDesc);
    int32_t code;
    tensor_desc *source = pin(srcDesc, &code);
    if (!source)
        return TWIN_LEAVE(code);
    int64_t dims[TWIN_TENSOR_SHAPE_DIMS];
    size_t count;
    code = twin_tensor_shape_in(source->format, source->type, source->dims.items,
                                source->dims.count, dstFormat, dims, &count);
    if (code == 0) {
        /* The shape is that of the other format; the format itself stays, as in the vendor's
         * library. */
        aclTensorDesc *made = create(source->type, count, dims, source->format, &code);
        if (made)
            *dstDesc = made;
    }
    unpin(source);
    return TWIN_LEAVE(code);
}
