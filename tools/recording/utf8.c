/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

size_t utf8_character(const unsigned char *at, const unsigned char *end)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
    if (bytes < 2 || bytes > (size_t)(end - at))
        return bytes == 1;
    uint32_t code = *at & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least[bytes] && code <= 0x10ffff && !surrogate ? bytes : 0;
}

void utf8_clean(char *text)
{
    unsigned char *at = (unsigned char *)text;
    const unsigned char *end = at + strlen(text);
    while (at < end) {
        size_t bytes = utf8_character(at, end);
        bool control = bytes == 1 && ((*at < 0x20 && *at != '\n' && *at != '\t') || *at == 0x7f);
        /* XML has neither 0xfffe nor 0xffff */
        bool none = bytes == 3 && at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe;
        if (bytes == 0 || control || none)
            *at = '?';
        at += bytes > 1 && !none ? bytes : 1;
    }
}
