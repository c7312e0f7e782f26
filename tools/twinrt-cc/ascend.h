/* SPDX-License-Identifier: Apache-2.0 */
/* Sources in Ascend C: programs with kernels, for the model. */
#ifndef TWINRT_TOOLS_CC_ASCEND_H
#define TWINRT_TOOLS_CC_ASCEND_H

#include "build.h"
#include "vendor_options.h"

enum cc_product {
    CC_PROGRAM,
    CC_OBJECT,  /* -c: of the host, with its kernels inside */
    CC_LIBRARY, /* -shared */
    CC_KERNELS  /* --kernels-only: an object for aclrtBinaryLoadFromFile */
};

struct cc_ascend {
    enum cc_product product;
    enum cc_passes passes; /* that sources are compiled for */
    const char *toolkit;   /* folder of the vendor's headers; NULL: none */
    struct cc_list inputs; /* objects and libraries, for linking */
};

/* Whether the name is one of a source in Ascend C. */
bool cc_is_ascend_source(const char *name);
/* Takes the compiler of `build` if it is clang and new enough, else the newest there is; `folder`
 * is for what is made on the way. Returns 0, or -1 with a message. */
int cc_find_clang(struct cc_build *build, const char *folder);
/* Compiles the sources of `build` to its output, with clang; `folder` is empty, and for what is
 * made on the way. Returns 0, or -1 with a message. */
int cc_build_ascend(struct cc_build *build, const struct cc_ascend *ascend, const char *folder);

#endif
