/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of data types, for the public functions, which do not call each other. */
#ifndef TWINRT_API_DATA_TYPE_H
#define TWINRT_API_DATA_TYPE_H

#include <stddef.h>

#include "acl/acl_base.h"

/* What aclDataTypeSize returns. Thread: any. */
size_t twin_data_type_size(aclDataType type);

#endif
