/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the vendor's compilers, bisheng and ccec, that say nothing of the host. */
#ifndef TWINRT_TOOLS_CC_VENDOR_OPTIONS_H
#define TWINRT_TOOLS_CC_VENDOR_OPTIONS_H

#include <stdbool.h>

/* The cores that a source is compiled for. */
enum cc_passes { CC_PASSES_BOTH, CC_PASSES_VECTOR, CC_PASSES_CUBE };

/* What an option is. */
enum cc_vendor_option {
    CC_VENDOR_NONE,    /* none of them */
    CC_VENDOR_TAKEN,   /* it changes nothing here, or has set `*passes` */
    CC_VENDOR_REFUSED, /* a message has been printed */
};

/* `next`: the word after it, or NULL. `*words`: how many words it has. */
enum cc_vendor_option cc_vendor_option(const char *word, const char *next, enum cc_passes *passes,
                                       int *words);

/* What options are for: those between -Xhost-start and -Xhost-end, or -Xaicore-start and
 * -Xaicore-end, for one side alone. */
enum cc_side { CC_SIDE_BOTH, CC_SIDE_HOST, CC_SIDE_DEVICE };

/* Whether the word is one of these four; then `*side` is for those after it. */
bool cc_side_option(const char *word, enum cc_side *side);

#endif
