/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of kernel images in memory of the program: address and size, nothing is copied. */
#ifndef TWINRT_CORE_IMAGE_BINARY_DATA_H
#define TWINRT_CORE_IMAGE_BINARY_DATA_H

#include <stddef.h>
#include <stdint.h>

/* The data stays the program's. 207001. */
int32_t twin_binary_data_create(const void *data, size_t bytes, uint64_t *out_handle);
/* 107017. */
int32_t twin_binary_data_destroy(uint64_t handle);
int32_t twin_binary_data_read(uint64_t handle, const void **out_data, size_t *out_bytes);

#endif
