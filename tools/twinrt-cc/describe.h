/* SPDX-License-Identifier: Apache-2.0 */
/* From a shared object of kernels to the object that carries it. */
#ifndef TWINRT_TOOLS_CC_DESCRIBE_H
#define TWINRT_TOOLS_CC_DESCRIBE_H

/* Loads the shared object, in another process, as that runs its constructors, asks it for its
 * kernels and writes `output`. Returns 0, or -1 with a message. */
int cc_make_object(const char *library, const char *output);

#endif
