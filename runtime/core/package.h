/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of the packages that are installed beside the runtime, from their files. */
#ifndef TWINRT_CORE_PACKAGE_H
#define TWINRT_CORE_PACKAGE_H

#include <stdint.h>

#define TWIN_VERSION_BYTES 128u /* of a version's text, with the zero after it */

/* Writes the text after "Version=" in share/info/NAME/version.info below ASCEND_HOME_PATH; '-' and
 * '_' in the name are the same. 100003: no such file, or no version there. Thread: any. */
int32_t twin_package_version(const char *name, char out_text[TWIN_VERSION_BYTES]);
/* The number of a version like "8.5.0" or "8.5.0-beta.1": 10000000 for each major, 100000 minor,
 * 1000 patch, less 300 for an alpha, 200 for a beta, 100 for a release candidate, plus its number.
 * 500000: no such text. */
int32_t twin_version_number(const char *text, int32_t *out_number);

#endif
