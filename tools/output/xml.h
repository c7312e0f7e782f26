/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_TOOLS_OUTPUT_XML_H
#define TWINRT_TOOLS_OUTPUT_XML_H

#include <stdio.h>

/* Text of an element or an attribute in quotes. It is UTF-8; control characters but line end and
 * tab, which XML does not have, are left out. */
void xml_put(const char *text, FILE *out);

#endif
