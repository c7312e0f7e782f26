/* SPDX-License-Identifier: Apache-2.0 */
#include "process/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sim_text_add(struct text *text, const char *format, ...)
{
    if (text->length + 1 >= text->room)
        return;
    va_list arguments;
    va_start(arguments, format);
    int length =
        vsnprintf(text->buffer + text->length, text->room - text->length, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->length += (size_t)length;
    if (text->length >= text->room) { /* cut: say so */
        text->length = text->room - 1;
        memcpy(text->buffer + text->room - 5, "...", 4);
    }
}
