/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor descriptions. The model types of the graph engine are not here: its package puts its own,
 * larger file in this place. */
#ifndef INC_EXTERNAL_ACL_ACL_BASE_MDL_H_
#define INC_EXTERNAL_ACL_ACL_BASE_MDL_H_

#include <stddef.h>
#include <stdint.h>

#include "acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tensor descriptions --------------------------------------------------------------------- */

/* Data type, shape and format of a tensor, and how operators use it. A description owns no device
 * memory.
 *
 * All functions work before aclInit and need no device. One description is for one thread at a
 * time, different ones are for any threads. The original format and shape are those of
 * aclCreateTensorDesc; the storage format and shape are those in which the device keeps the tensor,
 * and no function returns them.
 *
 * Codes: 100000 an argument is NULL or out of range; 107017 desc is not a live tensor description;
 * 207001 out of host memory. Functions without a code return the stated value instead;
 * aclGetRecentErrMsg has the reason. Source: api/acl/acl_model/types and
 * docs/zh/api/graph_engine_api/c/acl of the vendor's open graph engine. */

#define ACL_TENSOR_SHAPE_RANGE_NUM 2 /* lowest and highest value of a dimension */
#define ACL_TENSOR_VALUE_RANGE_NUM 2 /* lowest and highest value of an element */

/* Result of aclGetTensorDescNumDims: the first dimension is -2, the number of dimensions is not
 * known. */
#define ACL_UNKNOWN_RANK 0xFFFFFFFFFFFFFFFE

typedef struct aclTensorDesc aclTensorDesc;

/* A new description, which aclDestroyTensorDesc releases. `dims` has numDims >= 0 sizes, outermost
 * first, and is copied; a size of -1 is not known. numDims 0 is a scalar, and dims may be NULL
 * then. NULL: an argument is wrong, or out of host memory. */
ACL_FUNC_VISIBILITY aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims,
                                                       const int64_t *dims, aclFormat format);

/* Releases a description and what it has copied. NULL has no effect. */
ACL_FUNC_VISIBILITY void aclDestroyTensorDesc(const aclTensorDesc *desc);

/* The range of each dimension; the dimsCount pairs are copied and replace earlier ones. 0 pairs:
 * none. */
ACL_FUNC_VISIBILITY aclError aclSetTensorShapeRange(
    aclTensorDesc *desc, size_t dimsCount, int64_t dimsRange[][ACL_TENSOR_SHAPE_RANGE_NUM]);

/* The range of each value, for operators that take a shape as a tensor; copied as above. */
ACL_FUNC_VISIBILITY aclError aclSetTensorValueRange(
    aclTensorDesc *desc, size_t valueCount, int64_t valueRange[][ACL_TENSOR_VALUE_RANGE_NUM]);

/* ACL_DT_UNDEFINED: desc is not a description. */
ACL_FUNC_VISIBILITY aclDataType aclGetTensorDescType(const aclTensorDesc *desc);

/* The original format; ACL_FORMAT_UNDEFINED: desc is not a description. */
ACL_FUNC_VISIBILITY aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc);

/* Bytes of all elements: their number times aclDataTypeSize. 0: a dimension is negative, the
 * product exceeds 64 bits, or desc is not a description. */
ACL_FUNC_VISIBILITY size_t aclGetTensorDescSize(const aclTensorDesc *desc);

/* Product of the dimensions, 1 for a scalar; 0 as above. */
ACL_FUNC_VISIBILITY size_t aclGetTensorDescElementCount(const aclTensorDesc *desc);

/* Number of dimensions, or ACL_UNKNOWN_RANK; 0 also when desc is not a description. */
ACL_FUNC_VISIBILITY size_t aclGetTensorDescNumDims(const aclTensorDesc *desc);

/* -1: the dimension is not known, index is not below the number of dimensions, or desc is not a
 * description. */
ACL_DEPRECATED_MESSAGE("use aclGetTensorDescDimV2")
ACL_FUNC_VISIBILITY int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index);

/* One dimension; index counts from 0. 100000: index is not below the number of dimensions. */
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index,
                                                   int64_t *dimSize);

/* Lowest and highest value of one dimension, as aclSetTensorShapeRange has set them, in the first
 * two of the dimRangeNum >= 2 places of dimRange. 100000: no range was set for index. */
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimRange(const aclTensorDesc *desc, size_t index,
                                                      size_t dimRangeNum, int64_t *dimRange);

/* Copies the name; NULL: the empty name. */
ACL_FUNC_VISIBILITY void aclSetTensorDescName(aclTensorDesc *desc, const char *name);

/* The name, "" without one or when desc is not a description. It is the description's: valid until
 * the name is set again or desc is destroyed. */
ACL_FUNC_VISIBILITY const char *aclGetTensorDescName(aclTensorDesc *desc);

/* *dstDesc: a new description, which aclDestroyTensorDesc releases, with the shape of srcDesc in
 * format dstFormat. Data type and format are those of srcDesc, as in the vendor's library. NCHW,
 * NHWC and HWCN convert to each other, NCHW and NHWC also to NC1HWC0, whose last dimension is 32
 * for types of one byte, else 16. 145020: other formats; 145021: the shape does not have four known
 * dimensions, or more than 2^40 elements in NC1HWC0; 145022: the data type does not have a size. */
ACL_FUNC_VISIBILITY aclError aclTransTensorDescFormat(const aclTensorDesc *srcDesc,
                                                      aclFormat dstFormat, aclTensorDesc **dstDesc);

/* The storage format. A NULL desc has no effect and is not an error. */
ACL_DEPRECATED_MESSAGE("use aclSetTensorFormat")
ACL_FUNC_VISIBILITY aclError aclSetTensorStorageFormat(aclTensorDesc *desc, aclFormat format);

/* The storage shape; copied. dims must not be NULL; a numDims of 0 or below sets none. */
ACL_DEPRECATED_MESSAGE("use aclSetTensorShape")
ACL_FUNC_VISIBILITY aclError aclSetTensorStorageShape(aclTensorDesc *desc, int numDims,
                                                      const int64_t *dims);

/* As aclSetTensorStorageFormat. */
ACL_FUNC_VISIBILITY aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format);

/* As aclSetTensorStorageShape. */
ACL_FUNC_VISIBILITY aclError aclSetTensorShape(aclTensorDesc *desc, int numDims,
                                               const int64_t *dims);

/* The original format, which aclGetTensorDescFormat returns. A NULL desc has no effect and is not
 * an error. */
ACL_FUNC_VISIBILITY aclError aclSetTensorOriginFormat(aclTensorDesc *desc, aclFormat format);

/* The original shape, which the getters return; copied. dims must not be NULL; a numDims of 0 or
 * below makes a scalar. */
ACL_FUNC_VISIBILITY aclError aclSetTensorOriginShape(aclTensorDesc *desc, int numDims,
                                                     const int64_t *dims);

/* One of the descriptions that an operator has. Those of aclCreateTensorDesc are alone: index 0 is
 * desc, others are NULL. */
ACL_FUNC_VISIBILITY aclTensorDesc *aclGetTensorDescByIndex(aclTensorDesc *desc, size_t index);

/* Where an operator's tensor is located; NULL for descriptions of aclCreateTensorDesc. */
ACL_FUNC_VISIBILITY void *aclGetTensorDescAddress(const aclTensorDesc *desc);

/* Copies the name of the dynamic input that the tensor belongs to; it must not be NULL. */
ACL_FUNC_VISIBILITY aclError aclSetTensorDynamicInput(aclTensorDesc *desc,
                                                      const char *dynamicInputName);

/* Makes the tensor a constant: copies `length` > 0 bytes of host memory at dataBuffer. */
ACL_FUNC_VISIBILITY aclError aclSetTensorConst(aclTensorDesc *desc, void *dataBuffer,
                                               size_t length);

/* The kind of memory that the tensor is in; ACL_MEMTYPE_DEVICE before. */
ACL_FUNC_VISIBILITY aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* INC_EXTERNAL_ACL_ACL_BASE_MDL_H_ */
