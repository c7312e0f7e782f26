/* SPDX-License-Identifier: Apache-2.0 */
/* Error messages. */
#ifndef TWINRT_TOOLS_CC_SAY_H
#define TWINRT_TOOLS_CC_SAY_H

/* Prints "twinrt-cc: error: …" and returns -1. */
__attribute__((format(printf, 1, 2))) int cc_error(const char *format, ...);
/* Ends the tool. */
_Noreturn void cc_no_memory(void);

#endif
