/* SPDX-License-Identifier: Apache-2.0 */
#include "check/report/utf8.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at `text`; 0: none begins there. */
static size_t length_of(const unsigned char *text)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = text[0] < 0x80             ? 1
                   : (text[0] & 0xe0) == 0xc0 ? 2
                   : (text[0] & 0xf0) == 0xe0 ? 3
                   : (text[0] & 0xf8) == 0xf0 ? 4
                                              : 0;
    uint32_t value = bytes == 1 ? text[0] : text[0] & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (text[i] & 0x3fu);
    }
    bool surrogate = value >= 0xd800 && value <= 0xdfff;
    bool control = (value < 0x20 && value != '\n' && value != '\t') || value == 0x7f;
    /* XML has neither 0xfffe nor 0xffff */
    bool none = value == 0xfffe || value == 0xffff || value > 0x10ffff;
    return bytes == 0 || value < smallest[bytes] || surrogate || control || none ? 0 : bytes;
}

void utf8_clean(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at;) {
        size_t bytes = length_of(at);
        if (bytes == 0)
            *at = '?';
        at += bytes > 0 ? bytes : 1;
    }
}
