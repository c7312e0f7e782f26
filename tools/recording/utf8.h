/* SPDX-License-Identifier: Apache-2.0 */
/* Names of files and programs are bytes; JSON and XML are Unicode. */
#ifndef TWINRT_TOOLS_RECORDING_UTF8_H
#define TWINRT_TOOLS_RECORDING_UTF8_H

#include <stddef.h>

/* Bytes of the character that begins at `at` and ends by `end`; 0: none does. */
size_t utf8_character(const unsigned char *at, const unsigned char *end);
/* Replaces each byte that is not part of UTF-8, and each control character but line end and tab, by
 * "?". */
void utf8_clean(char *text);

#endif
