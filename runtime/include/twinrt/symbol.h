/* SPDX-License-Identifier: Apache-2.0 */
/* Device variables by symbol: aclrtGetSymbolAddress, aclrtGetSymbolSize and the copies to and from
 * symbols find a variable of a kernel image by the address of an object of the host.
 *
 * The vendor's compiler registers these objects in start-up code that it adds to a program.
 * Programs that load their images themselves do it with this function, an extension of this
 * runtime: link with -ltwinrt.
 *
 *     static float weights[16];               denotes the variable "weights" of the image
 *     aclrtBinaryLoadFromFile("k.o", NULL, &binary);
 *     twinrt_register_variable(binary, weights, "weights");
 *     aclrtMemcpyToSymbol(weights, values, sizeof(values), 0, ACL_MEMCPY_HOST_TO_DEVICE);
 */
#ifndef TWINRT_SYMBOL_H
#define TWINRT_SYMBOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `symbol` denotes the variable `name` of a loaded image (aclrtBinHandle) until that is unloaded; a
 * symbol that is registered already stays as it is. Needs no context. Returns 0 or a public code:
 * 100000: NULL; 107000: an image of CPU kernels; 107017: not a loaded image; 107042: no such
 * variable; 207001. Thread: any. */
int32_t twinrt_register_variable(void *binary, const void *symbol, const char *name);

#ifdef __cplusplus
}
#endif
#endif
