/* SPDX-License-Identifier: Apache-2.0 */
/* What clang's C++ does not parse in a source in Ascend C, rewritten in its text. */
#ifndef TWINRT_TOOLS_CC_LAUNCHES_H
#define TWINRT_TOOLS_CC_LAUNCHES_H

#include <stddef.h>
#include <stdio.h>

/* Writes the text with each `kernel<<<blocks, 0, stream>>>(x)` as `kernel(x), ::twk_launch_(blocks,
 * 0, stream)`, const_cast to __gm__ as a call of twk_const_cast_, and asm("trap") and the reading
 * of SYS_CNT and PC as calls; without the attribute [aicore]. Lines keep their numbers;
 * comments, literals and what is not a launch stay as they are. */
void cc_rewrite_launches(const char *text, size_t length, FILE *out);

#endif
