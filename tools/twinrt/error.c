/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "tool.h"

int twin_tool_error(int result, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("twinrt: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    return result;
}
