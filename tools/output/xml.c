/* SPDX-License-Identifier: Apache-2.0 */
#include "output/xml.h"

#include <limits.h>

void xml_put(const char *text, FILE *out)
{
    static const char *const escapes[UCHAR_MAX + 1] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (escapes[byte])
            fputs(escapes[byte], out);
        else if (byte >= ' ' || byte == '\n' || byte == '\t')
            fputc(byte, out);
    }
}
