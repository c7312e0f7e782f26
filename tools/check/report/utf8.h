/* SPDX-License-Identifier: Apache-2.0 */
/* Names of files and programs are bytes; JSON and XML are Unicode. */
#ifndef TWINRT_CHECK_REPORT_UTF8_H
#define TWINRT_CHECK_REPORT_UTF8_H

/* Replaces each byte that is not part of UTF-8, and each control character but line end and tab, by "?". */
void utf8_clean(char *text);

#endif
