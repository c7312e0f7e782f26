/* SPDX-License-Identifier: Apache-2.0 */
#include "api/tensor.h"

size_t twin_data_type_size(aclDataType type)
{
    switch (type) {
    case ACL_BOOL:
    case ACL_FLOAT4_E1M2: /* less than a byte: one element alone takes a byte */
    case ACL_FLOAT4_E2M1:
    case ACL_FLOAT6_E2M3:
    case ACL_FLOAT6_E3M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E8M0:
    case ACL_HIFLOAT8:
    case ACL_INT4: /* less than a byte, as above */
    case ACL_INT8:
    case ACL_UINT1: /* less than a byte, as above */
    case ACL_UINT8:
        return 1;
    case ACL_BF16:
    case ACL_FLOAT16:
    case ACL_INT16:
    case ACL_UINT16:
        return 2;
    case ACL_COMPLEX32: /* two halves */
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
        return 4;
    case ACL_COMPLEX64:
    case ACL_DOUBLE:
    case ACL_INT64:
    case ACL_UINT64:
        return 8;
    case ACL_COMPLEX128:
        return 16;
    case ACL_DT_UNDEFINED:
    case ACL_STRING: /* every element has its own length */
        return 0;
    }
    return sizeof(int64_t); /* of a type that is not known, too */
}
