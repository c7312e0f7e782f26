/* SPDX-License-Identifier: Apache-2.0 */
#include "api/tensor.h"

#include "core/backend/error.h"

#include <stdbool.h>

/* Positions of the four axes in a format; 4 dimensions, or none of these formats. */
typedef struct axes {
    aclFormat format;
    uint8_t n, c, h, w;
} axes;

#define AXES 4u

static const axes four_axes[] = {
    {ACL_FORMAT_HWCN, 3, 2, 0, 1},
    {ACL_FORMAT_NCHW, 0, 1, 2, 3},
    {ACL_FORMAT_NHWC, 0, 3, 1, 2},
};

static const axes *axes_of(aclFormat format)
{
    for (size_t i = 0; i < sizeof(four_axes) / sizeof(four_axes[0]); i++)
        if (four_axes[i].format == format)
            return &four_axes[i];
    return NULL;
}

/* Elements of a shape that a conversion takes: at most 2^40. */
#define ELEMENTS_MAX (INT64_C(1) << 40)

static int32_t check_shape(const int64_t *dims, size_t count, bool limited)
{
    int64_t elements = 1;
    for (size_t i = 0; i < count; i++) {
        if (dims[i] < 0)
            return twin_fail(TWIN_ERR_TENSOR_SHAPE,
                             "dimension %zu is %lld; a conversion requires known dimensions", i,
                             (long long)dims[i]);
        if (limited && dims[i] > 0 && ELEMENTS_MAX / dims[i] < elements)
            return twin_fail(TWIN_ERR_TENSOR_SHAPE,
                             "the shape exceeds 2^40 elements at dimension %zu", i);
        elements = limited ? elements * dims[i] : 1;
    }
    return 0;
}

static int32_t check_four(const int64_t *dims, size_t count, bool limited)
{
    if (count != AXES)
        return twin_fail(TWIN_ERR_TENSOR_SHAPE,
                         "the shape has %zu dimensions; its format requires %u", count, AXES);
    return check_shape(dims, count, limited);
}

/* Channels in one block of NC1HWC0: 32 bytes of one-byte elements, else 16 elements. 0: the type
 * has no size. */
static int64_t channel_block(aclDataType type)
{
    switch (type) {
    case ACL_FLOAT4_E1M2: /* below a byte: not one-byte elements */
    case ACL_FLOAT4_E2M1:
    case ACL_FLOAT6_E2M3:
    case ACL_FLOAT6_E3M2:
    case ACL_INT4:
    case ACL_UINT1:
        return 16;
    default:
        break;
    }
    size_t bytes = twin_data_type_size(type);
    return bytes == 0 ? 0 : bytes == 1 ? 32 : 16;
}

static int32_t to_blocks(const axes *from, int64_t block, const int64_t *dims, size_t count,
                         int64_t *out_dims, size_t *out_count)
{
    if (block == 0)
        return twin_fail(TWIN_ERR_TENSOR_TYPE, "the data type does not have a size");
    int32_t code = check_four(dims, count, true);
    if (code != 0)
        return code;
    out_dims[0] = dims[from->n];
    out_dims[1] = (dims[from->c] + block - 1) / block;
    out_dims[2] = dims[from->h];
    out_dims[3] = dims[from->w];
    out_dims[4] = block;
    *out_count = 5;
    return check_shape(out_dims, *out_count, true);
}

int32_t twin_tensor_shape_in(aclFormat from, aclDataType type, const int64_t *dims, size_t count,
                             aclFormat to, int64_t out_dims[TWIN_TENSOR_SHAPE_DIMS],
                             size_t *out_count)
{
    const axes *source = axes_of(from);
    const axes *target = axes_of(to);
    if (source && target && source != target) {
        int32_t code = check_four(dims, count, false);
        if (code != 0)
            return code;
        out_dims[target->n] = dims[source->n];
        out_dims[target->c] = dims[source->c];
        out_dims[target->h] = dims[source->h];
        out_dims[target->w] = dims[source->w];
        *out_count = AXES;
        return 0;
    }
    if (source && to == ACL_FORMAT_NC1HWC0 && from != ACL_FORMAT_HWCN)
        return to_blocks(source, channel_block(type), dims, count, out_dims, out_count);
    return twin_fail(TWIN_ERR_TENSOR_FORMAT,
                     "cannot convert format %d to %d; expected NCHW (0), NHWC (1) or HWCN (16) to "
                     "another of these, or NCHW or NHWC to NC1HWC0 (3)",
                     (int)from, (int)to);
}
