/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of the host that denote variables of kernel images ("symbols"), by their address. A
 * registration ends with its binary. */
#ifndef TWINRT_CORE_IMAGE_SYMBOL_H
#define TWINRT_CORE_IMAGE_SYMBOL_H

#include <stddef.h>
#include <stdint.h>

/* From now on `symbol` is the variable `name` of a binary; one that is registered stays as it is.
 * 107000: of CPU kernels; 107017; 107042: no such variable; 207001. */
int32_t twin_symbol_register(uint64_t binary, const void *symbol, const char *name);
/* Bytes of the variable. 107043. */
int32_t twin_symbol_bytes(const void *symbol, uint64_t *out_bytes);
/* Its address on the current device, which the image is copied to unless it is there. 107002,
 * 107043, 207001. Blocks. */
int32_t twin_symbol_address(const void *symbol, uint64_t *out_address);
/* The binary is being unloaded. No lock is held. */
void twin_symbols_forget(uint64_t binary);

#endif
