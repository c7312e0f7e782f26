/* SPDX-License-Identifier: Apache-2.0 */
/* What the public functions about tensors share, as they do not call each other. */
#ifndef TWINRT_API_TENSOR_H
#define TWINRT_API_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

/* data_type.c: what aclDataTypeSize returns. Thread: any. */
size_t twin_data_type_size(aclDataType type);

/* tensor_shape.c: the shape that a tensor has in another format. */

/* The most dimensions that a shape in another format has. */
#define TWIN_TENSOR_SHAPE_DIMS 5

/* The shape in format `to` of a tensor of `type` with `count` dimensions `dims` in format `from`,
 * in out_dims and out_count. 0, or the code of a noted failure: 145020 the two formats do not
 * convert, 145021 the shape does not fit the format, 145022 the data type does not. Thread: any.
 * Source: base/formats/format_transfers of the vendor's open graph engine. */
int32_t twin_tensor_shape_in(aclFormat from, aclDataType type, const int64_t *dims, size_t count,
                             aclFormat to, int64_t out_dims[TWIN_TENSOR_SHAPE_DIMS],
                             size_t *out_count);

#endif
